#include "arrows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const arrow_words[ARROW_KINDS] = {"none", "velocity", "stress", "walls"};

/* Sides of shaft and head. */
enum { SIDES = 5 };

static bool append(Arrows *a, const Arrow *one)
{
    if ((a->count & (a->count - 1)) == 0) { /* powers of two */
        Arrow *more = realloc(a->arrow, (a->count > 0 ? 2 * (size_t)a->count : 1) * sizeof *more);
        if (more == NULL)
            return false;
        a->arrow = more;
    }
    a->arrow[a->count++] = *one;
    const float *v = one->along;
    a->longest = fmaxf(a->longest, sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    return true;
}

bool arrows_add(Arrows *a, PxVec3 at, PxVec3 along)
{
    Arrow one = {.at = {(float)at.x, (float)at.y, (float)at.z},
                 .along = {(float)along.x, (float)along.y, (float)along.z},
                 .pulls = true};
    return append(a, &one);
}

void arrows_free(Arrows *a)
{
    free(a->arrow);
    *a = (Arrows){0};
}

bool arrows_copy(Arrows *to, const Arrows *from)
{
    *to = *from;
    to->arrow = NULL;
    if (from->count == 0)
        return true;
    uint32_t room = 1; /* as append() would have it */
    while (room < from->count)
        room *= 2;
    to->arrow = malloc(room * sizeof *to->arrow);
    if (to->arrow == NULL) {
        to->count = 0;
        return false;
    }
    memcpy(to->arrow, from->arrow, from->count * sizeof *to->arrow);
    return true;
}

/* Eigenvector of the eigenvalue of the largest size, times that value, by rotations (Jacobi 1846).
 */
static void principal(const double t[6], double along[3], bool *pulls)
{
    static const int order[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            a[r][c] = t[order[r][c]];
    for (int sweep = 0; sweep < 12; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (a[p][q] == 0)
                    continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double tan = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(tan * tan + 1), s = tan * c;
                for (int k = 0; k < 3; ++k) { /* columns, then rows */
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; ++k) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
    int most = 0;
    for (int k = 1; k < 3; ++k)
        most = fabs(a[k][k]) > fabs(a[most][most]) ? k : most;
    for (int k = 0; k < 3; ++k)
        along[k] = fabs(a[most][most]) * v[k][most];
    *pulls = a[most][most] > 0;
}

bool arrows_of_rows(Arrows *a, ArrowKind kind, const ArrowRows *rows)
{
    uint32_t every = rows->count / ARROWS_MOST + 1;
    a->kind = kind;
    a->name = kind == ARROW_STRESS ? "principal stress (Pa)" : "velocity (m/s)";
    for (uint32_t i = 0; i < rows->count; i += every) {
        Arrow one = {.both = kind == ARROW_STRESS};
        memcpy(one.at, &rows->place[4 * (size_t)i], sizeof one.at);
        bool finite = true;
        if (kind == ARROW_STRESS) {
            double t[6], along[3];
            for (int c = 0; c < 6; ++c) {
                t[c] = (double)rows->component[c][(size_t)i * rows->stride];
                finite = finite && isfinite(t[c]);
            }
            if (!finite)
                continue;
            principal(t, along, &one.pulls);
            for (int c = 0; c < 3; ++c)
                one.along[c] = (float)along[c];
        } else {
            for (int c = 0; c < 3; ++c) {
                one.along[c] = rows->component[c][(size_t)i * rows->stride];
                finite = finite && isfinite(one.along[c]);
            }
        }
        if (finite && !append(a, &one))
            return false;
    }
    return true;
}

/* ---- triangles ---- */

typedef struct Pen {
    float *position, *normal;
    uint32_t count;
} Pen;

static void put(Pen *pen, const float at[3], const float normal[3])
{
    if (pen->position != NULL) {
        memcpy(pen->position + 3 * (size_t)pen->count, at, 3 * sizeof *at);
        memcpy(pen->normal + 3 * (size_t)pen->count, normal, 3 * sizeof *at);
    }
    ++pen->count;
}

/* The part of a cone between two rings. */
static void cone(Pen *pen, const float from[3], const float to[3], float wide, float narrow,
                 const float side[3], const float over[3])
{
    for (int k = 0; k < SIDES; ++k) {
        float corner[4][3], normal[2][3];
        for (int n = 0; n < 2; ++n) {
            float angle = 6.2831853f * (float)(k + n) / SIDES, x = cosf(angle), y = sinf(angle);
            for (int c = 0; c < 3; ++c) {
                normal[n][c] = x * side[c] + y * over[c];
                corner[n][c] = from[c] + wide * normal[n][c];
                corner[2 + n][c] = to[c] + narrow * normal[n][c];
            }
        }
        put(pen, corner[0], normal[0]);
        put(pen, corner[1], normal[1]);
        put(pen, corner[2], normal[0]);
        put(pen, corner[1], normal[1]);
        put(pen, corner[3], normal[1]);
        put(pen, corner[2], normal[0]);
    }
}

/* Value of arrows of full length: outliers, as at corners, would make all others invisible. */
static float full_length(const Arrows *a)
{
    double sum = 0;
    for (uint32_t k = 0; k < a->count; ++k) {
        const float *v = a->arrow[k].along;
        sum += (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return fminf(a->longest, 2.5f * (float)sqrt(sum / (a->count > 0 ? a->count : 1)));
}

uint32_t arrows_mesh(const Arrows *a, bool pulls, float size, float *position, float *normal)
{
    Pen pen = {position, normal, 0};
    float full = full_length(a);
    for (uint32_t k = 0; k < a->count; ++k) {
        const Arrow *one = &a->arrow[k];
        const float *v = one->along;
        float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (one->pulls != pulls || !(length > 0.03f * full))
            continue; /* too short to be seen */
        float way[3], side[3], over[3], from[3], neck[3], to[3];
        float shown = size * fminf(length / full, 1);
        float width = (one->both ? 0.06f : 0.035f) * fminf(size, 2.5f * shown);
        for (int c = 0; c < 3; ++c)
            way[c] = v[c] / length;
        int least = fabsf(way[0]) < 0.6f ? 0 : 1; /* an axis that it is not along */
        for (int c = 0; c < 3; ++c)
            side[c] = (c == least) - way[least] * way[c];
        float norm = sqrtf(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
        for (int c = 0; c < 3; ++c)
            side[c] /= norm;
        for (int c = 0; c < 3; ++c)
            over[c] = way[(c + 1) % 3] * side[(c + 2) % 3] - way[(c + 2) % 3] * side[(c + 1) % 3];
        float head = one->both ? 0 : fminf(0.4f * shown, 7 * width);
        for (int c = 0; c < 3; ++c) {
            from[c] = one->at[c] - (one->both ? 0.5f * shown * way[c] : 0);
            to[c] = from[c] + shown * way[c];
            neck[c] = to[c] - head * way[c];
        }
        cone(&pen, from, neck, width, width, side, over);
        if (head > 0)
            cone(&pen, neck, to, 2.8f * width, 0, side, over);
    }
    return pen.count;
}
