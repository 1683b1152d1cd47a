/// Films that liquids leave on walls: points on a barycentric lattice of each triangle.
///
/// 002 section 7.4.2 stains the texels around the place where a particle hits a triangle, found by
/// Eqs. 7.7 to 7.11; the last two lack the triangle's origin and scale. Barycentric coordinates
/// need neither: a point is fixed to its triangle by three weights, also while the wall deforms.
#include "phyxel/display.h"

#include "base/arena.h"
#include "base/def.h"
#include "base/fail.h"
#include "base/vec.h"
#include "matter/pose.h"
#include "spatial/kdtree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A particle touches points nearer than this, in its radii: half a spacing from the wall, and half
 * a diagonal of the lattice beside it. */
#define TOUCH 2.0

/* Points along an edge of a triangle, and in all, at most. */
enum { MOST_STEPS = 64, MOST_POINTS = 1000000 };

typedef struct Part {
    const PxDisplayBody *body;
    PxCoatedBody shown;
    uint32_t *of;       /* triangle of each point */
    float (*weight)[3]; /* of its corners */
    PxKdTree tree;
} Part;

struct PxCoating {
    const PxDisplay *display;
    Part *part;
    size_t parts;
    uint32_t points;
    PxFilmPoint *film;
    uint32_t *near; /* points that a particle touches */
    uint32_t most_near;
    PxArena scratch;
};

/* ---- the lattice ---------------------------------------------------------------- */

static double edge_of(const PxDisplayBody *b, uint32_t t, int k)
{
    const float *p = b->position[b->triangle[t][k]], *q = b->position[b->triangle[t][(k + 1) % 3]];
    double x = (double)(q[0] - p[0]), y = (double)(q[1] - p[1]), z = (double)(q[2] - p[2]);
    return sqrt(x * x + y * y + z * z);
}

static uint32_t steps_of(const PxDisplayBody *b, uint32_t t, double spacing)
{
    double longest = fmax(fmax(edge_of(b, t, 0), edge_of(b, t, 1)), edge_of(b, t, 2));
    double steps = ceil(longest / spacing);
    return steps >= MOST_STEPS ? MOST_STEPS : steps > 1 ? (uint32_t)steps : 1;
}

static uint64_t count_points(const PxDisplayBody *b, double spacing, uint64_t *triangles)
{
    uint64_t points = 0;
    *triangles = 0;
    for (uint32_t t = 0; t < b->triangles; ++t) {
        uint64_t n = steps_of(b, t, spacing);
        points += (n + 1) * (n + 2) / 2;
        *triangles += n * n;
    }
    return points;
}

static void put_triangle(Part *p, uint32_t t, uint32_t n, uint32_t *point, uint32_t *triangle)
{
    uint32_t first = *point, (*corner)[3] = (uint32_t(*)[3])p->shown.triangle;
    for (uint32_t row = 0; row <= n; ++row)
        for (uint32_t k = 0; k + row <= n; ++k) {
            float *w = p->weight[*point];
            w[1] = (float)k / (float)n;
            w[2] = (float)row / (float)n;
            w[0] = (float)(n - k - row) / (float)n;
            p->of[(*point)++] = t;
        }
    uint32_t at = first;
    for (uint32_t row = 0; row < n; ++row) {
        uint32_t long_row = n - row + 1;
        for (uint32_t k = 0; k + 1 < long_row; ++k) {
            uint32_t a = at + k, above = at + long_row + k;
            memcpy(corner[(*triangle)++], (uint32_t[3]){a, a + 1, above}, 3 * sizeof a);
            if (k + 2 < long_row)
                memcpy(corner[(*triangle)++], (uint32_t[3]){a + 1, above + 1, above}, 3 * sizeof a);
        }
        at += long_row;
    }
}

/* Places of the points by their weights, and the tree that finds them. */
static PxStatus place_points(PxCoating *c, Part *p)
{
    uint32_t n = p->shown.points;
    float(*position)[3] = (float(*)[3])p->shown.position;
    float(*normal)[3] = (float(*)[3])p->shown.normals;
    float *axis[3];
    PX_TRY(px_arena_reset(&c->scratch));
    for (int a = 0; a < 3; ++a) {
        axis[a] = PX_ARENA_ARRAY(&c->scratch, float, (size_t)n + 1);
        if (axis[a] == NULL)
            return px_fail(PX_ERR_MEMORY, "coating: no room for %u points", n);
    }
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t *corner = p->body->triangle[p->of[i]];
        for (int a = 0; a < 3; ++a) {
            position[i][a] = normal[i][a] = 0;
            for (int k = 0; k < 3; ++k) {
                position[i][a] += p->weight[i][k] * p->body->position[corner[k]][a];
                normal[i][a] += p->weight[i][k] * p->body->normals[corner[k]][a];
            }
            axis[a][i] = position[i][a];
        }
    }
    return px_kdtree_build(&p->tree, axis[0], axis[1], axis[2], n, &c->scratch);
}

static PxStatus add_part(PxCoating *c, const PxDisplayBody *b, double spacing)
{
    Part *p = &c->part[c->parts++];
    uint64_t triangles, points = count_points(b, spacing, &triangles);
    *p = (Part){.body = b};
    px_kdtree_init(&p->tree, NULL);
    p->of = calloc(points + 1, sizeof *p->of);
    p->weight = calloc(points + 1, sizeof *p->weight);
    p->shown = (PxCoatedBody){.first = c->points,
                              .points = (uint32_t)points,
                              .triangles = (uint32_t)triangles,
                              .position = calloc(points + 1, sizeof *p->shown.position),
                              .normals = calloc(points + 1, sizeof *p->shown.normals),
                              .triangle = calloc(triangles + 1, sizeof *p->shown.triangle)};
    if (p->of == NULL || p->weight == NULL || p->shown.position == NULL ||
        p->shown.normals == NULL || p->shown.triangle == NULL)
        return px_fail(PX_ERR_MEMORY, "coating: no room for %llu points",
                       (unsigned long long)points);
    uint32_t point = 0, triangle = 0;
    for (uint32_t t = 0; t < b->triangles; ++t)
        put_triangle(p, t, steps_of(b, t, spacing), &point, &triangle);
    c->points += (uint32_t)points;
    return place_points(c, p);
}

PxStatus px_coating_make(const PxDisplay *display, PxCoating **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT(display);
    double spacing = px_display_spacing(display);
    PxCoating *c = calloc(1, sizeof *c);
    if (c == NULL)
        return px_fail(PX_ERR_MEMORY, "coating: no room");
    c->display = display;
    px_arena_init(&c->scratch, NULL);
    size_t bodies = 0;
    while (px_display_body(display, bodies) != NULL)
        ++bodies;
    for (;;) { /* a coarser lattice where walls are huge */
        uint64_t all = 0, triangles;
        for (size_t k = 0; k < bodies; ++k)
            all += count_points(px_display_body(display, k), spacing, &triangles);
        uint64_t least = 0; /* three points a triangle */
        for (size_t k = 0; k < bodies; ++k)
            least += 3 * (uint64_t)px_display_body(display, k)->triangles;
        if (all <= MOST_POINTS || all <= least)
            break;
        spacing *= 1.5;
    }
    c->part = calloc(bodies + 1, sizeof *c->part);
    PxStatus status = c->part != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "coating: no room");
    for (size_t k = 0; status == PX_OK && k < bodies; ++k)
        status = add_part(c, px_display_body(display, k), spacing);
    c->film = status == PX_OK ? calloc((size_t)c->points + 1, sizeof *c->film) : NULL;
    if (status == PX_OK && c->film == NULL)
        status = px_fail(PX_ERR_MEMORY, "coating: no room for %u points", c->points);
    if (status != PX_OK) {
        px_coating_free(c);
        return status;
    }
    *out = c;
    return PX_OK;
}

void px_coating_free(PxCoating *c)
{
    if (c == NULL)
        return;
    for (size_t k = 0; k < c->parts; ++k) {
        Part *p = &c->part[k];
        free(p->of);
        free(p->weight);
        free((void *)p->shown.position);
        free((void *)p->shown.normals);
        free((void *)p->shown.triangle);
        px_kdtree_free(&p->tree);
    }
    px_arena_free(&c->scratch);
    free(c->part);
    free(c->film);
    free(c->near);
    free(c);
}

bool px_coating_wanted(const PxDisplay *display)
{
    const PxDisplayMaterial *m;
    for (size_t k = 0; (m = px_display_material(display, k)) != NULL; ++k)
        if (m->surface.film > 0)
            return true;
    return false;
}

size_t px_coating_count(const PxCoating *c)
{
    return c != NULL ? c->points : 0;
}

bool px_coating_body_sized(const PxCoating *c, size_t k, PxCoatedBody *out, size_t size)
{
    if (c == NULL || out == NULL || k >= c->parts)
        return false;
    px_result_put(out, size, 0, &c->part[k].shown, sizeof c->part[k].shown);
    return true;
}

PxStatus px_coating_follow(PxCoating *c)
{
    PX_WANT(c);
    for (size_t k = 0; k < c->parts; ++k)
        if (c->part[k].body->deforms)
            PX_TRY(place_points(c, &c->part[k]));
    return PX_OK;
}

/* ---- touching --------------------------------------------------------------------- */

static PxStatus touch_one(PxCoating *c, const Part *p, PxVec3 x, float reach, PxFilmPoint film)
{
    uint32_t found =
        px_kdtree_range(&p->tree, (float)x.x, (float)x.y, (float)x.z, reach, c->near, c->most_near);
    if (found > c->most_near) {
        uint32_t *more = realloc(c->near, 2 * (size_t)found * sizeof *more);
        if (more == NULL)
            return px_fail(PX_ERR_MEMORY, "coating: no room for %u points", found);
        c->near = more;
        c->most_near = 2 * found;
        found = px_kdtree_range(&p->tree, (float)x.x, (float)x.y, (float)x.z, reach, c->near,
                                c->most_near);
    }
    for (uint32_t n = 0; n < found; ++n) {
        PxFilmPoint *at = &c->film[p->shown.first + c->near[n]];
        if (at->film <= film.film)
            *at = film;
    }
    return PX_OK;
}

PxStatus px_coating_touch(PxCoating *c, size_t k, const PxPose *pose, PxVec3 pivot,
                          const float *place, const uint32_t *material, uint32_t count)
{
    PX_WANT(c);
    PX_WANT(pose);
    if (count > 0) {
        PX_WANT(place);
        PX_WANT(material);
    }
    if (k >= c->parts)
        return px_fail(PX_ERR_ARGUMENT, "coating: body %zu of %zu", k, c->parts);
    const Part *p = &c->part[k];
    if (p->shown.points == 0)
        return PX_OK;
    PxQuat back = {-pose->turn.x, -pose->turn.y, -pose->turn.z, pose->turn.w};
    for (uint32_t i = 0; i < count; ++i) {
        const PxDisplayMaterial *m = px_display_material(c->display, material[i]);
        const float *at = &place[4 * (size_t)i];
        if (m == NULL || !(m->surface.film > 0))
            continue;
        PxVec3 x = px_sub(px_vec((double)at[0], (double)at[1], (double)at[2]), pose->move);
        x = px_add(px_rotate(back, px_sub(x, pivot)), pivot);
        PX_TRY(
            touch_one(c, p, x, (float)TOUCH * at[3], (PxFilmPoint){m->surface.film, material[i]}));
    }
    return PX_OK;
}

PxStatus px_coating_get(const PxCoating *c, PxFilmPoint *out)
{
    PX_WANT(c);
    PX_WANT(out);
    memcpy(out, c->film, (size_t)c->points * sizeof *out);
    return PX_OK;
}

PxStatus px_coating_set(PxCoating *c, const PxFilmPoint *films)
{
    PX_WANT(c);
    if (films != NULL)
        memcpy(c->film, films, (size_t)c->points * sizeof *films);
    else
        memset(c->film, 0, (size_t)c->points * sizeof *c->film);
    return PX_OK;
}
