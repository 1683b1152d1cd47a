/// Part of the kernel that a wall fills: analytic for planes and boxes, tabulated for other shapes.
///
/// The free parts of several faces of a box multiply. For the cubic spline on a lattice the error
/// is 0.3 per cent of the density in an edge and 0.7 in a corner. A thin box repels like a thick
/// wall from both sides. Other shapes use a field (wall_field.h).
#include "matter/wall.h"
#include "matter/wall_field.h"
#include "matter/wall_triangles.h"

#include <math.h>

/* Bound of PxFill.spread; a right angle has 5 at most. */
#define MOST_SPREAD 8.0

typedef struct Part {
    double value;
    PxVec3 gradient;
    double lever;    /* |gradient| times distance, summed over faces */
    double along[3]; /* the same by axis of the box */
} Part;

static Part part_of_box(double value, const double gradient[3], const double at[3],
                        const double edge[3])
{
    Part part = {value, {gradient[0], gradient[1], gradient[2]}, 0, {0, 0, 0}};
    for (int a = 0; a < 3; ++a) {
        part.along[a] = fabs(gradient[a] * (fabs(at[a]) - edge[a]));
        part.lever += part.along[a];
    }
    return part;
}

/* Part of the kernel around `u` (box frame) that lies in a box. */
static Part solid_box(const PxWallProfile *t, const double at[3], const double edge[3])
{
    double value[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        px_wall_profile_part(t, fabs(at[a]) - edge[a], &value[a], &slope[a]);
        slope[a] = at[a] < 0 ? -slope[a] : slope[a];
    }
    double gradient[3] = {slope[0] * value[1] * value[2], value[0] * slope[1] * value[2],
                          value[0] * value[1] * slope[2]};
    return part_of_box(value[0] * value[1] * value[2], gradient, at, edge);
}

/* The same outside of a hollow box. */
static Part hollow_box(const PxWallProfile *t, const double at[3], const double edge[3])
{
    double clear[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        double low, low_slope, high, high_slope;
        px_wall_profile_part(t, edge[a] - at[a], &high, &high_slope);
        px_wall_profile_part(t, edge[a] + at[a], &low, &low_slope);
        clear[a] = fmax(1 - high - low, 0);
        slope[a] = high_slope - low_slope;
    }
    double gradient[3] = {-slope[0] * clear[1] * clear[2], -clear[0] * slope[1] * clear[2],
                          -clear[0] * clear[1] * slope[2]};
    return part_of_box(1 - clear[0] * clear[1] * clear[2], gradient, at, edge);
}

/* Square of the component of a unit vector of the rest frame along `up`. */
static double steepness(const PxWall *wall, PxVec3 normal, PxVec3 up)
{
    double along = px_dot(px_wall_turn_to_world(wall, 0, normal), up);
    return along * along;
}

/* Around a point of the rest frame: distance, part, gradient, lever and lift. */
static void fill_by_formula(const PxWall *wall, const PxFillQuery *query, PxVec3 rest, PxFill *fill)
{
    const PxWallProfile *t = query->profile;
    PxVec3 normal;
    fill->distance = px_wall_distance(wall, 0, rest, &normal);
    if (wall->def.kind == PX_SHAPE_BOX) {
        PxVec3 u = px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at));
        PxVec3 half = px_scale(wall->def.size, 0.5 * wall->def.scale);
        const double at[3] = {u.x, u.y, u.z}, edge[3] = {half.x, half.y, half.z};
        Part part = wall->inside ? hollow_box(t, at, edge) : solid_box(t, at, edge);
        fill->part = part.value;
        fill->lever = part.lever;
        fill->lift = 0;
        const PxVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (int a = 0; a < 3; ++a)
            if (part.along[a] > 0)
                fill->lift += part.along[a] *
                              steepness(wall, px_rotate(wall->def.rotation, axis[a]), query->up);
        fill->gradient = px_rotate(wall->def.rotation, part.gradient);
        return;
    }
    double slope;
    px_wall_profile_part(t, fill->distance, &fill->part, &slope);
    fill->gradient = px_scale(normal, slope);
    fill->lever = fabs(slope * fill->distance);
    fill->lift = fill->lever * steepness(wall, normal, query->up);
}

/* Most particles are far from most walls and need only a lower bound of the distance: computed in
 * the frame of boxes and planes, and from the bounding box of other shapes. */
static PxWallGlance glance_of(const PxWall *wall)
{
    PxWallGlance g = {.plane = wall->def.kind == PX_SHAPE_PLANE};
    PxVec3 middle = wall->def.at, half = {0, 0, 0};
    PxQuat turn = wall->def.rotation;
    if (wall->def.kind == PX_SHAPE_BOX) {
        g.box = true;
        half = px_scale(wall->def.size, 0.5 * wall->def.scale);
    } else if (!g.plane) {
        middle = px_scale(px_add(wall->bounds.low, wall->bounds.high), 0.5);
        half = px_scale(px_sub(wall->bounds.high, wall->bounds.low), 0.5);
        turn = px_quat_identity();
    }
    g.hollow = wall->inside;
    g.half[0] = half.x;
    g.half[1] = half.y;
    g.half[2] = half.z;
    const PxVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        PxVec3 rest = g.plane ? px_normalized(px_rotate(turn, wall->def.normal), axis[1])
                              : px_rotate(turn, axis[k]);
        PxVec3 world = px_wall_turn_to_world(wall, 0, rest);
        g.row[k][0] = world.x;
        g.row[k][1] = world.y;
        g.row[k][2] = world.z;
        g.shift[k] = -px_dot(world, px_wall_to_world(wall, 0, middle));
    }
    return g;
}

/* Without fmax() and fmin(), which are function calls. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Lower bound of the distance of all points of a box; 0 where there is none. */
static double glance_box(const PxWallGlance *g, const PxBounds *box)
{
    if (g->hollow && !g->box && !g->plane)
        return 0;
    PxVec3 x = px_scale(px_add(box->low, box->high), 0.5);
    PxVec3 half = px_scale(px_sub(box->high, box->low), 0.5);
    double sum = 0, least = INFINITY;
    for (int k = 0; k < (g->plane ? 1 : 3); ++k) {
        const double *row = g->row[k];
        double u = row[0] * x.x + row[1] * x.y + row[2] * x.z + g->shift[k];
        double reach = fabs(row[0]) * half.x + fabs(row[1]) * half.y + fabs(row[2]) * half.z;
        if (g->plane)
            return (g->hollow ? -u : u) - reach;
        double over = fabs(u) - g->half[k] - reach;
        sum += over > 0 ? over * over : 0;
        least = smaller(least, g->half[k] - fabs(u) - reach);
    }
    return g->hollow ? least : sqrt(sum);
}

static double glance_distance(const PxWallGlance *g, PxVec3 x)
{
    double u[3];
    for (int k = 0; k < (g->plane ? 1 : 3); ++k)
        u[k] = g->row[k][0] * x.x + g->row[k][1] * x.y + g->row[k][2] * x.z + g->shift[k];
    if (g->plane)
        return g->hollow ? -u[0] : u[0];
    double over[3], most;
    for (int k = 0; k < 3; ++k)
        over[k] = fabs(u[k]) - g->half[k];
    most = larger(over[0], larger(over[1], over[2]));
    if (g->hollow) /* no bound inside other hollow shapes: needs the full query */
        return g->box ? -most : 0;
    if (most <= 0)
        return g->box ? most : 0;
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += over[k] > 0 ? over[k] * over[k] : 0;
    return sqrt(sum);
}

PxStatus px_wall_fill_begin(PxBoundary *b, const PxWallProfile *profile)
{
    PxWall *wall = (PxWall *)b;
    wall->glance = glance_of(wall);
    if (wall->triangles != NULL)
        return px_wall_triangles_fit(wall->triangles, profile);
    return wall->field != NULL ? px_wall_field_fit(wall->field, profile) : PX_OK;
}

/* Heat passes through each face of a hollow box; for other shapes, at the nearest point. */
static void find_faces(const PxWall *wall, PxVec3 rest, PxFill *fill)
{
    fill->faces = 1;
    fill->face[0] = fill->distance;
    if (wall->def.kind != PX_SHAPE_BOX || !wall->inside)
        return;
    PxVec3 u = px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at));
    PxVec3 half = px_scale(wall->def.size, 0.5 * wall->def.scale);
    const double at[3] = {u.x, u.y, u.z}, edge[3] = {half.x, half.y, half.z};
    fill->faces = 6;
    for (int a = 0; a < 3; ++a) {
        fill->face[2 * a] = edge[a] - at[a];
        fill->face[2 * a + 1] = edge[a] + at[a];
    }
}

/* A point of the rest frame in that of the field. */
static PxVec3 to_field(const PxWall *wall, PxVec3 rest)
{
    return wall->own_field
               ? px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at))
               : rest;
}

/* Distance at a point of the rest frame; false if the field does not have it yet. */
static bool distance_at(const PxWall *wall, PxVec3 rest, PxWallLook *look, double *out)
{
    if (wall->field == NULL) {
        *out = px_wall_distance(wall, 0, rest, NULL);
        return true;
    }
    if (px_wall_field_distance(wall->field, to_field(wall, rest), look, out))
        return true;
    px_wall_field_miss(wall->field, look->key);
    return false;
}

/* Area of the wall over that of the parallel surface at distance d, per area around a point there:
 * 1 - d tr D + d^2 (tr^2 D - tr D^2) / 2 with the second derivatives D of the distance (Steiner
 * 1840). They come from differences over `step`, so that edges, where the distance has a kink,
 * count by the area that parallel surfaces lack there. False: as above. */
static bool find_spread(const PxWall *wall, PxVec3 rest, double d, double step, PxWallLook *look,
                        double *out)
{
    *out = 1;
    if (wall->def.kind == PX_SHAPE_PLANE || (wall->def.kind == PX_SHAPE_BOX && wall->inside))
        return true;
    const PxVec3 axis[3] = {{step, 0, 0}, {0, step, 0}, {0, 0, step}};
    double ahead[3], behind[3], trace = 0, squares = 0;
    for (int a = 0; a < 3; ++a) {
        if (!distance_at(wall, px_add(rest, axis[a]), look, &ahead[a]) ||
            !distance_at(wall, px_sub(rest, axis[a]), look, &behind[a]))
            return false;
        double second = ahead[a] + behind[a] - 2 * d;
        trace += second;
        squares += second * second;
    }
    for (int a = 0; a < 3; ++a) {
        /* Of the two differences along diagonals, the larger one: at a kink only one sees it. */
        int b = (a + 1) % 3;
        double sides = ahead[a] + behind[a] + ahead[b] + behind[b] - 2 * d, mixed[2], p[2];
        for (int k = 0; k < 2; ++k) {
            PxVec3 to = px_mad(axis[a], axis[b], k == 0 ? 1 : -1);
            if (!distance_at(wall, px_add(rest, to), look, &p[0]) ||
                !distance_at(wall, px_sub(rest, to), look, &p[1]))
                return false;
            mixed[k] = 0.5 * fabs(p[0] + p[1] - sides);
        }
        squares += 2 * fmax(mixed[0] * mixed[0], mixed[1] * mixed[1]);
    }
    trace /= step * step;
    squares /= step * step * step * step;
    double spread = 1 - d * trace + 0.5 * d * d * (trace * trace - squares);
    *out = fmin(fmax(spread, 0), MOST_SPREAD);
    return true;
}

/* The values that heat needs; false if the field does not have them yet. */
static bool fill_heat(const PxWall *wall, PxVec3 rest, double s, PxWallLook *look, PxFill *fill)
{
    find_faces(wall, rest, fill);
    return !isfinite(wall->boundary.conductance) ||
           find_spread(wall, rest, fill->distance, 0.5 * s, look, &fill->spread);
}

/* Lever and lift as of a flat wall with that gradient. */
static void find_lever(const PxWall *wall, const PxFillQuery *query, PxFill *fill)
{
    double steep = px_length(fill->gradient), away = fmax(fill->distance, 0);
    fill->lever = steep * away;
    fill->lift = steep > 0 ? away / steep * steepness(wall, fill->gradient, query->up) : 0;
}

/* One row; false if it is not within the support. */
static bool fill_one(const PxWall *wall, const PxFillQuery *query, uint32_t row, PxVec3 rest,
                     PxWallLook *look, PxFill *fill, double *nearest)
{
    if (wall->triangles != NULL) {
        px_wall_triangles_ask(wall->triangles, rest, fill);
        find_lever(wall, query, fill);
    } else if (wall->field == NULL) {
        fill_by_formula(wall, query, rest, fill);
    } else {
        uint64_t before = look->key;
        if (!px_wall_field_ask(wall->field, to_field(wall, rest), look, fill)) {
            if (look->key != before)
                px_wall_field_miss(wall->field, look->key);
            fill->row = row;
            fill->part = NAN;
            return true;
        }
        if (wall->own_field)
            fill->gradient = px_rotate(wall->def.rotation, fill->gradient);
        find_lever(wall, query, fill);
    }
    *nearest = smaller(*nearest, fill->distance);
    if (!(fill->distance < query->profile->h) || wall->spheres)
        return false;
    fill->row = row;
    fill->gradient = px_wall_turn_to_world(wall, 0, fill->gradient);
    fill->velocity = px_wall_velocity(wall, 0, rest);
    if (query->faces && !fill_heat(wall, rest, query->profile->s, look, fill))
        fill->part = NAN;
    return true;
}

/* Rows of a part of a query that are near the wall, and their places in the rest frame. */
typedef struct Near {
    uint32_t row[PX_FILL_PART];
    PxVec3 rest[PX_FILL_PART];
    uint32_t count;
} Near;

/* Squares of lower bounds of the distance from a shape's box, in single precision around `middle`:
 * the loop over all rows, which compilers turn into vectors. */
static void glance_rows(const PxWallGlance *g, const PxFillQuery *query, uint32_t begin,
                        uint32_t count, PxVec3 middle, float *bound2)
{
    const float *restrict x = query->x + begin, *restrict y = query->y + begin;
    const float *restrict z = query->z + begin;
    float at[3] = {(float)middle.x, (float)middle.y, (float)middle.z}, row[3][3], shift[3], half[3];
    for (int k = 0; k < 3; ++k) {
        const double *r = g->row[k];
        shift[k] = (float)(r[0] * (double)at[0] + r[1] * (double)at[1] + r[2] * (double)at[2] +
                           g->shift[k]);
        half[k] = (float)g->half[k];
        for (int a = 0; a < 3; ++a)
            row[k][a] = (float)r[a];
    }
    for (uint32_t n = 0; n < count; ++n) {
        float dx = x[n] - at[0], dy = y[n] - at[1], dz = z[n] - at[2], sum = 0;
        for (int k = 0; k < 3; ++k) {
            float u = row[k][0] * dx + row[k][1] * dy + row[k][2] * dz + shift[k];
            float over = fabsf(u) - half[k];
            over = over > 0.0f ? over : 0.0f;
            sum += over * over;
        }
        bound2[n] = sum;
    }
}

/* What bounds in single precision are trusted to: 10 roundings of coordinates within a box. */
#define ROUGH 1e-6

/* Lowers the distances of the rows begin .. end - 1 that are far away and lists the others. */
static void find_near(const PxWall *wall, const PxFillQuery *query, uint32_t begin, uint32_t end,
                      double *nearest, Near *out)
{
    double h = query->profile->h;
    PxWallLook look = {0};
    double *to = nearest - query->begin;
    float bound2[PX_FILL_PART], far2 = INFINITY;
    const PxWallGlance *g = &wall->glance;
    out->count = 0;
    if (query->part != NULL) {
        const PxBounds *part = &query->part[(begin - query->begin) / PX_FILL_PART];
        double all = glance_box(g, part);
        if (all >= h) {
            for (uint32_t i = begin; i < end; ++i)
                to[i] = smaller(to[i], all);
            return;
        }
        if (!g->plane && !g->hollow && !g->box) {
            glance_rows(g, query, begin, end - begin, px_scale(px_add(part->low, part->high), 0.5),
                        bound2);
            double size = px_length(px_sub(part->high, part->low)) +
                          px_length(px_vec(g->half[0], g->half[1], g->half[2])) + h;
            far2 = (float)((h + ROUGH * size) * (h + ROUGH * size) * (1 + ROUGH));
        }
    }
    for (uint32_t i = begin; i < end; ++i) {
        if (isfinite(far2) && bound2[i - begin] > far2) {
            to[i] = smaller(to[i], (1 - 1e-4) * (double)sqrtf(bound2[i - begin]));
            continue;
        }
        PxVec3 x = {(double)query->x[i], (double)query->y[i], (double)query->z[i]};
        double bound = glance_distance(g, x);
        if (bound >= h) {
            to[i] = smaller(to[i], bound);
            continue;
        }
        PxVec3 rest = px_wall_to_rest(wall, 0, x);
        if (wall->triangles == NULL && wall->field != NULL)
            px_wall_field_fetch(wall->field, to_field(wall, rest), &look);
        out->row[out->count] = i;
        out->rest[out->count++] = rest;
    }
}

uint32_t px_wall_fill(const PxBoundary *b, const PxFillQuery *query, PxFill *out, double *nearest)
{
    const PxWall *wall = (const PxWall *)b;
    PxWallLook look = {0};
    uint32_t count = 0;
    for (uint32_t i = query->begin; i < query->end; i += PX_FILL_PART) {
        Near near;
        uint32_t end = i + PX_FILL_PART < query->end ? i + PX_FILL_PART : query->end;
        find_near(wall, query, i, end, nearest, &near);
        for (uint32_t n = 0; n < near.count; ++n)
            count += fill_one(wall, query, near.row[n], near.rest[n], &look, &out[count],
                              &nearest[near.row[n] - query->begin]);
    }
    return count;
}

PxStatus px_wall_fill_more(PxBoundary *b, const PxThreads *threads, bool *again)
{
    const PxWall *wall = (const PxWall *)b;
    return wall->field != NULL ? px_wall_field_grow_missed(wall->field, threads, again) : PX_OK;
}
