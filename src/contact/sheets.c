#include "contact/sheets.h"

#include "cloth/collide.h"

#include <math.h>
#include <string.h>

/* ---- nearest points ------------------------------------------------------------------------ */

/* Cosines of the angle between two directions below which they are different planes, and above
 * which they are one. */
#define APART 0.3
#define ALIKE 0.8

static void corners_of(const PxSheets *s, uint32_t face, PxVec3 t[3])
{
    for (int k = 0; k < 3; ++k)
        t[k] = s->x[s->system->face[face].corner[k]];
}

/* How much a plane counts at a border: the nearest point is on an edge or corner of the border. */
static double beyond_border(const PxSheets *s, const PxSheetPlane *p)
{
    const double *w = p->weight;
    uint8_t border = s->border[p->face];
    bool on = false;
    for (int k = 0; k < 3; ++k) /* the edge from k to k + 1 lies opposite of k + 2 */
        on = on || ((border >> k & 1) && w[(k + 2) % 3] == 0);
    if (!on)
        return 1;
    PxVec3 t[3];
    corners_of(s, p->face, t);
    PxVec3 n = px_normalized(px_cross(px_sub(t[1], t[0]), px_sub(t[2], t[0])), p->normal);
    return fabs(px_dot(n, p->normal));
}

static double ramp(double cosine)
{
    double part = (ALIKE - cosine) / (ALIKE - APART);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* Most triangles that a search for planes looks at twice. */
#define NEAR 96

int px_sheet_planes(const PxSheets *s, uint32_t cloth, PxVec3 place,
                    PxSheetPlane plane[PX_SHEET_PLANES])
{
    int32_t cell[3];
    uint32_t count;
    const PxFaceEntry *entry = px_face_grid_at(&s->grid, place, cell, &count);
    PxSheetPlane near[NEAR];
    int found = 0, planes = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (!px_face_grid_is(&entry[k], cell) || s->system->of_face[entry[k].face] != cloth)
            continue;
        PxSheetPlane p = {.face = entry[k].face, .count = 1};
        PxVec3 t[3];
        corners_of(s, p.face, t);
        p.distance = px_cloth_point_triangle(place, t, p.weight);
        if (!(p.distance < s->reach) || !(p.distance > 0))
            continue;
        PxVec3 q =
            px_mad(px_mad(px_scale(t[0], p.weight[0]), t[1], p.weight[1]), t[2], p.weight[2]);
        p.normal = px_scale(px_sub(place, q), 1 / p.distance);
        if (found < NEAR)
            near[found++] = p;
        else if (p.distance < near[NEAR - 1].distance)
            near[NEAR - 1] = p;
    }
    while (planes < PX_SHEET_PLANES) {
        int best = -1;
        double most = 0.02;
        for (int k = 0; k < found; ++k) {
            double count_of = 1;
            for (int n = 0; n < planes; ++n)
                count_of *= ramp(px_dot(near[k].normal, plane[n].normal));
            double closeness = count_of * (1 - near[k].distance / s->reach);
            near[k].count = count_of;
            if (closeness > most) {
                most = closeness;
                best = k;
            }
        }
        if (planes == 0 && best < 0 && found > 0) { /* near the end of the reach */
            best = 0;
            for (int k = 1; k < found; ++k)
                best = near[k].distance < near[best].distance ? k : best;
        }
        if (best < 0)
            break;
        plane[planes] = near[best];
        plane[planes].count *= beyond_border(s, &near[best]);
        ++planes;
    }
    return planes;
}

static PxVec3 mix(const PxSheets *s, const PxVec3 *of, const PxSheetPlane *p)
{
    const uint32_t *c = s->system->face[p->face].corner;
    return px_mad(px_mad(px_scale(of[c[0]], p->weight[0]), of[c[1]], p->weight[1]), of[c[2]],
                  p->weight[2]);
}

/* A dry sheet is rough; on a saturated one a film of liquid lies, along which fluid slips
 * (004 Eq. 4.6 with a linear function; its results text says the opposite). */
double px_sheet_slip(const PxSheets *s, const PxSheetPlane *p)
{
    const uint32_t *c = s->system->face[p->face].corner;
    double wet = 0;
    for (int k = 0; k < 3 && s->wetness != NULL; ++k)
        wet += p->weight[k] * s->wetness[c[k]];
    return 1 - fmin(wet, 1);
}

/* ---- the boundary --------------------------------------------------------------------------- */

static const PxSheet *sheet_of(const PxBoundary *b)
{
    return (const PxSheet *)b;
}

static void begin(PxBoundary *b, double time, double dt)
{
    (void)b;
    (void)time;
    (void)dt;
}

static double travel(const PxBoundary *b)
{
    return sheet_of(b)->all->fastest * sheet_of(b)->all->dt;
}

static double top_speed(const PxBoundary *b)
{
    return sheet_of(b)->all->fastest;
}

static double step_limit(const PxBoundary *b, double now, double most, double limit)
{
    (void)now;
    double fastest = sheet_of(b)->all->fastest;
    return fastest > 0 ? fmin(limit, most / fastest) : limit;
}

static void print(const PxBoundary *b, uint64_t digest[2])
{
    (void)b;
    digest[0] = digest[1] = 0; /* sheets always move */
}

static double distance(const PxBoundary *b, double when, PxVec3 place, PxVec3 *normal)
{
    (void)when;
    PxSheetPlane plane[PX_SHEET_PLANES];
    int planes = px_sheet_planes(sheet_of(b)->all, sheet_of(b)->cloth, place, plane);
    if (normal != NULL)
        *normal = planes > 0 ? plane[0].normal : px_vec(0, 1, 0);
    return planes > 0 ? plane[0].distance : sheet_of(b)->all->reach;
}

static double at_least(const PxBoundary *b, double when, PxVec3 place)
{
    return distance(b, when, place, NULL);
}

static PxVec3 velocity(const PxBoundary *b, double when, PxVec3 place)
{
    (void)when;
    PxSheetPlane plane[PX_SHEET_PLANES];
    int planes = px_sheet_planes(sheet_of(b)->all, sheet_of(b)->cloth, place, plane);
    return planes > 0 ? mix(sheet_of(b)->all, sheet_of(b)->all->v, &plane[0]) : px_vec(0, 0, 0);
}

static PxVec3 carry(const PxBoundary *b, double from, PxVec3 place, double to)
{
    return px_mad(place, velocity(b, from, place), (to - from) * sheet_of(b)->all->dt);
}

/* Particles are kept from crossing after the cloth has moved (contact/sheet_catch.h). */
static bool meets(const PxBoundary *b, const PxBoundaryPath *path, double touch, double *at)
{
    (void)b;
    (void)path;
    (void)touch;
    (void)at;
    return false;
}

static bool passes(const PxBoundary *b, const PxBoundaryPath *path, double hair)
{
    (void)b;
    (void)path;
    (void)hair;
    return false;
}

static PxStatus fill_begin(PxBoundary *b, const PxWallProfile *profile)
{
    (void)b;
    (void)profile;
    return PX_OK;
}

static PxStatus fill_more(PxBoundary *b, const PxThreads *threads, bool *again)
{
    (void)b;
    (void)threads;
    (void)again;
    return PX_OK;
}

double px_sheet_parts(const PxWallProfile *t, const PxSheetPlane *plane, int planes,
                      PxVec3 gradient[PX_SHEET_PLANES])
{
    double clear = 1;
    for (int k = 0; k < planes; ++k) {
        double part, slope;
        px_wall_profile_part(t, plane[k].distance, &part, &slope);
        part *= plane[k].count;
        slope *= plane[k].count;
        for (int n = 0; n < k; ++n)
            gradient[n] = px_scale(gradient[n], 1 - part);
        gradient[k] = px_scale(plane[k].normal, slope * clear);
        clear *= 1 - part;
    }
    return 1 - clear;
}

static uint32_t fill(const PxBoundary *b, const PxFillQuery *query, PxFill *out, double *nearest)
{
    const PxSheet *sheet = sheet_of(b);
    const PxSheets *s = sheet->all;
    uint32_t count = 0;
    for (uint32_t i = query->begin; i < query->end; ++i) {
        PxVec3 place = {(double)query->x[i], (double)query->y[i], (double)query->z[i]};
        PxSheetPlane plane[PX_SHEET_PLANES];
        PxVec3 gradient[PX_SHEET_PLANES];
        double *near = &nearest[i - query->begin];
        int planes = px_sheet_planes(s, sheet->cloth, place, plane);
        *near = fmin(*near, planes > 0 ? plane[0].distance : s->reach);
        if (planes == 0)
            continue;
        PxFill *f = &out[count++];
        *f = (PxFill){.row = i, .distance = plane[0].distance, .spread = 1};
        f->part = px_sheet_parts(query->profile, plane, planes, gradient);
        f->velocity = mix(s, s->v, &plane[0]);
        for (int k = 0; k < planes; ++k) {
            double lever = px_length(gradient[k]) * plane[k].distance;
            double up = px_dot(plane[k].normal, query->up);
            f->gradient = px_add(f->gradient, gradient[k]);
            f->lever += lever;
            f->lift += lever * up * up;
        }
    }
    return count;
}

/* px_sheets_load() hands impulses on to the vertices, in the order of the particles. */
static void take(PxBoundary *b, const PxImpulse *impulse, uint32_t count)
{
    (void)b;
    (void)impulse;
    (void)count;
}

static const PxBoundaryOps sheet_ops = {
    .begin = begin,
    .travel = travel,
    .top_speed = top_speed,
    .step_limit = step_limit,
    .print = print,
    .distance = distance,
    .at_least = at_least,
    .velocity = velocity,
    .carry = carry,
    .meets = meets,
    .passes = passes,
    .fill_begin = fill_begin,
    .fill = fill,
    .fill_more = fill_more,
    .take = take,
};

/* ---- the beginning of a step ------------------------------------------------------------------
 */

/* Edges that no hinge has are borders. */
static void find_borders(PxSheets *s)
{
    const PxClothSystem *y = s->system;
    memset(s->border, 7, y->faces);
    for (uint32_t h = 0; h < y->hinges; ++h)
        for (int side = 0; side < 2; ++side) {
            uint32_t face = y->hinge[h].face[side];
            const uint32_t *c = y->face[face].corner, *e = y->hinge[h].corner;
            for (int k = 0; k < 3; ++k) {
                uint32_t a = c[k], b = c[(k + 1) % 3];
                if ((a == e[0] && b == e[1]) || (a == e[1] && b == e[0]))
                    s->border[face] &= (uint8_t) ~(1u << k);
            }
        }
}

static void find_normals(PxSheets *s)
{
    const PxClothSystem *y = s->system;
    for (uint32_t f = 0; f < y->faces; ++f) {
        PxVec3 t[3];
        corners_of(s, f, t);
        PxVec3 n = px_cross(px_sub(t[1], t[0]), px_sub(t[2], t[0]));
        for (int k = 0; k < 3; ++k) {
            PxVec3 *sum = &s->normal[y->face[f].corner[k]];
            *sum = px_add(*sum, n);
        }
    }
    for (uint32_t i = 0; i < y->vertices; ++i)
        s->normal[i] = px_normalized(s->normal[i], px_vec(0, 1, 0));
}

PxStatus px_sheets_begin(PxSheets *s, PxArena *scratch)
{
    const PxClothSystem *y = s->system;
    uint32_t n = y->vertices;
    s->scratch = scratch;
    s->border = PX_ARENA_ARRAY(scratch, uint8_t, y->faces + 1);
    s->rounds = PX_ARENA_ARRAY(scratch, uint32_t, y->cloths + 1);
    s->v = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    s->load = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    s->normal = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    s->added = PX_ARENA_ARRAY(scratch, PxClothAdded, n + 1);
    s->sheet = PX_ARENA_ARRAY(scratch, PxSheet, y->cloths + 1);
    if (s->border == NULL || s->rounds == NULL || s->v == NULL || s->load == NULL ||
        s->normal == NULL || s->added == NULL || s->sheet == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices in fluids", n);
    s->sheets = y->cloths;
    px_sheets_choose_rounds(s);
    for (uint32_t i = 0; i < n; ++i)
        s->v[i] = s->sent[i];
    PX_TRY(px_sheets_mean(s, s->v));
    s->fastest = 0;
    for (uint32_t i = 0; i < n; ++i) {
        s->load[i] = s->normal[i] = px_vec(0, 0, 0);
        s->added[i] = (PxClothAdded){{0}};
        s->fastest = fmax(s->fastest, px_length(s->v[i]));
    }
    for (uint32_t k = 0; k < y->cloths; ++k)
        s->sheet[k] =
            (PxSheet){.boundary = {.ops = &sheet_ops, .temperature = NAN, .conductance = INFINITY},
                      .all = s,
                      .cloth = k};
    find_borders(s);
    find_normals(s);
    return px_face_grid_build(&s->grid, y, s->x, s->x, s->reach, scratch);
}

/* ---- sides ------------------------------------------------------------------------------------
 */

/* Does the way from a to b cross the triangle? The borders of triangles belong to it, so that no
 * way passes between two. */
static bool crosses(const PxVec3 t[3], PxVec3 a, PxVec3 b)
{
    PxVec3 e1 = px_sub(t[1], t[0]), e2 = px_sub(t[2], t[0]), way = px_sub(b, a);
    PxVec3 n = px_cross(e1, e2);
    double along = px_dot(n, way), from = px_dot(n, px_sub(t[0], a));
    if (along == 0 || (along > 0 ? from < 0 || from > along : from > 0 || from < along))
        return false;
    PxVec3 q = px_sub(px_mad(a, way, from / along), t[0]);
    double size = px_dot(n, n), slack = -1e-9 * size;
    double u = px_dot(px_cross(q, e2), n), v = px_dot(px_cross(e1, q), n);
    return u >= slack && v >= slack && u + v <= size - slack;
}

bool px_sheets_between(const PxSheets *s, PxVec3 a, PxVec3 b)
{
    int32_t cell[3];
    uint32_t count;
    /* both ways give the same answer */
    bool swap = a.x != b.x ? a.x > b.x : a.y != b.y ? a.y > b.y : a.z > b.z;
    PxVec3 from = swap ? b : a, to = swap ? a : b;
    const PxFaceEntry *entry = px_face_grid_at(&s->grid, from, cell, &count);
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 t[3];
        if (!px_face_grid_is(&entry[k], cell))
            continue;
        corners_of(s, entry[k].face, t);
        if (crosses(t, from, to))
            return true;
    }
    return false;
}

typedef struct Sides {
    const PxSheets *s;
    const PxPairs *pairs;
    const PxParticles *p;
    float *near;   /* distance to the nearest triangle; INFINITY: none in reach */
    uint8_t *part; /* by row: some of its pairs are separated */
} Sides;

static double nearest(const PxSheets *s, PxVec3 place)
{
    int32_t cell[3];
    uint32_t count;
    const PxFaceEntry *entry = px_face_grid_at(&s->grid, place, cell, &count);
    double least = INFINITY, weight[3];
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 t[3];
        if (!px_face_grid_is(&entry[k], cell))
            continue;
        corners_of(s, entry[k].face, t);
        least = fmin(least, px_cloth_point_triangle(place, t, weight));
    }
    return least;
}

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sides *j = user;
    for (uint32_t i = begin; i < end; ++i)
        j->near[i] = (float)nearest(
            j->s, px_vec((double)j->p->x[i], (double)j->p->y[i], (double)j->p->z[i]));
}

/* A way that a sheet crosses is at least as long as both distances to the sheet together. */
static bool separated(const void *user, uint32_t i, uint32_t k)
{
    const Sides *j = user;
    const PxParticles *p = j->p;
    float dx = p->x[i] - p->x[k], dy = p->y[i] - p->y[k], dz = p->z[i] - p->z[k];
    float sum = 0.999f * (j->near[i] + j->near[k]);
    if (!(sum * sum <= dx * dx + dy * dy + dz * dz))
        return false;
    return px_sheets_between(j->s, px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]),
                             px_vec((double)p->x[k], (double)p->y[k], (double)p->z[k]));
}

PxStatus px_sheets_part(const PxSheets *s, PxPairs *pairs, const PxParticles *p, uint32_t behind,
                        PxArena *scratch, const PxThreads *threads, PxPairsParted *out)
{
    Sides j = {.s = s, .pairs = pairs, .p = p};
    *out = (PxPairsParted){.rows = 0};
    j.near = PX_ARENA_ARRAY(scratch, float, p->table.count + 1);
    if (j.near == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", p->table.count);
    px_parallel_for(threads, p->table.count, PX_BLOCK / 4, near_block, &j);
    return px_pairs_cut(pairs, separated, &j, behind, scratch, threads, out);
}
