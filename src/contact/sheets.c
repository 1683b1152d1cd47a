#include "contact/sheets.h"

#include "contact/sheet_near_pass.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static void corners_of(const PxSheets *s, uint32_t face, PxVec3 t[3])
{
    for (int k = 0; k < 3; ++k)
        t[k] = s->x[s->system->face[face].corner[k]];
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

/* Sets what a sheet does to one point. */
static void fill_one(const PxSheets *s, const PxFillQuery *query, const PxSheetPlane *plane,
                     int planes, PxFill *f)
{
    PxVec3 gradient[PX_SHEET_PLANES];
    f->distance = plane[0].distance;
    f->spread = 1;
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

static uint32_t fill(const PxBoundary *b, const PxFillQuery *query, PxFill *out, double *nearest)
{
    const PxSheet *sheet = sheet_of(b);
    const PxSheets *s = sheet->all;
    bool known = s->found != NULL && query->x == s->particles->x;
    uint32_t count = 0;
    for (uint32_t i = query->begin; i < query->end; ++i) {
        PxSheetPlane own[PX_SHEET_PLANES];
        const PxSheetPlane *plane = own;
        double *near = &nearest[i - query->begin];
        int planes = 0;
        if (known) {
            const PxSheetFound *f = s->found[i];
            while (f != NULL && f->cloth != sheet->cloth)
                f = f->next;
            if (f != NULL) {
                plane = f->plane;
                planes = f->planes;
            }
        } else {
            PxVec3 place = {(double)query->x[i], (double)query->y[i], (double)query->z[i]};
            planes = px_sheet_planes(s, sheet->cloth, place, own);
        }
        if (planes > 0)
            *near = fmin(*near, plane[0].distance);
        if (planes == 0)
            continue;
        out[count] = (PxFill){.row = i};
        fill_one(s, query, plane, planes, &out[count++]);
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

PxVec3 px_sheet_normal(const PxSheets *s, uint32_t vertex)
{
    const PxClothSystem *y = s->system;
    PxVec3 sum = px_vec(0, 0, 0);
    for (uint32_t u = y->first_face[vertex]; u < y->first_face[vertex + 1]; ++u) {
        PxVec3 t[3];
        corners_of(s, y->faces_of[u].of, t);
        sum = px_add(sum, px_cross(px_sub(t[1], t[0]), px_sub(t[2], t[0])));
    }
    return px_normalized(sum, px_vec(0, 1, 0));
}

PxStatus px_sheets_begin(PxSheets *s, PxArena *scratch, const PxThreads *threads)
{
    const PxClothSystem *y = s->system;
    uint32_t n = y->vertices;
    s->scratch = scratch;
    s->rounds = PX_ARENA_ARRAY(scratch, uint32_t, y->cloths + 1);
    s->v = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    s->base = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    s->load = PX_ARENA_ARRAY(scratch, PxVec3, n + 1);
    s->added = PX_ARENA_ARRAY(scratch, PxClothAdded, n + 1);
    s->sheet = PX_ARENA_ARRAY(scratch, PxSheet, y->cloths + 1);
    if (s->rounds == NULL || s->v == NULL || s->base == NULL || s->load == NULL ||
        s->added == NULL || s->sheet == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices in fluids", n);
    s->sheets = y->cloths;
    px_sheets_choose_rounds(s);
    for (uint32_t i = 0; i < n; ++i)
        s->v[i] = s->base[i] = s->sent[i];
    PX_TRY(px_sheets_mean(s, s->v));
    s->fastest = 0;
    for (uint32_t i = 0; i < n; ++i) {
        s->load[i] = px_vec(0, 0, 0);
        s->added[i] = (PxClothAdded){{0}};
        s->fastest = fmax(s->fastest, px_length(s->v[i]));
    }
    for (uint32_t k = 0; k < y->cloths; ++k)
        s->sheet[k] =
            (PxSheet){.boundary = {.ops = &sheet_ops, .temperature = NAN, .conductance = INFINITY},
                      .all = s,
                      .cloth = k};
    return px_sheet_tree_fit(&s->tree, y, s->x, scratch, threads);
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

/* As crosses(), with the same answer for both directions. */
static bool parts(const PxSheets *s, uint32_t face, PxVec3 a, PxVec3 b)
{
    bool swap = a.x != b.x ? a.x > b.x : a.y != b.y ? a.y > b.y : a.z > b.z;
    PxVec3 t[3];
    corners_of(s, face, t);
    return crosses(t, swap ? b : a, swap ? a : b);
}

bool px_sheets_between(const PxSheets *s, PxVec3 a, PxVec3 b)
{
    PxSheetWalk walk = {.box = px_sheet_box(a, b, 0)};
    for (uint32_t f; (f = px_sheet_next(&s->tree, &walk)) != UINT32_MAX;)
        if (parts(s, f, a, b))
            return true;
    return false;
}

/* The same for triangles in reach of row i, which is at one end. */
static bool is_between(const PxSheets *s, PxIsa isa, uint32_t i, PxVec3 a, PxVec3 b)
{
    const PxSheetFaces *list = s->around[i];
    if (list == NULL)
        return px_sheets_between(s, a, b);
    for (uint32_t k = 0; k < list->count; ++k) {
        const PxSheetBranch *t = &s->branch[list->entry[k] >> 8];
        const float from[3] = {(float)(a.x - t->at[0]), (float)(a.y - t->at[1]),
                               (float)(a.z - t->at[2])};
        const float to[3] = {(float)(b.x - t->at[0]), (float)(b.y - t->at[1]),
                             (float)(b.z - t->at[2])};
        unsigned bits = PX_ISA_PICK(isa, px_sheet_may_cross)(t, from, to);
        for (bits &= list->entry[k] & 0xff; bits != 0; bits &= bits - 1)
            if (parts(s, t->face[__builtin_ctz(bits)], a, b))
                return true;
    }
    return false;
}

typedef struct Part {
    const PxSheets *s;
    const PxPairs *pairs;
    PxSheetRows rows;
    PxIsa isa;
    _Atomic uint8_t *cut; /* by row: a sheet separates it from a neighbour */
} Part;

static PxVec3 place_of(const PxSheets *s, uint32_t i)
{
    const PxParticles *p = s->particles;
    return px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
}

/* Is a sheet in reach of the row? */
static bool is_near(const PxSheets *s, uint32_t i)
{
    return s->clear[i].top > -INFINITY;
}

/* Bits of the ways from row i to up to 8 others that a sheet within reach of i crosses. */
static unsigned separated(const Part *j, uint32_t i, const uint32_t *list, uint32_t size)
{
    const PxSheets *s = j->s;
    uint32_t rest[8];
    const uint32_t *row = list;
    if (size < 8) { /* a way to itself is never crossed */
        for (uint32_t k = 0; k < 8; ++k)
            rest[k] = k < size ? list[k] : i;
        row = rest;
    }
    unsigned may = PX_ISA_PICK(j->isa, px_sheet_may_part)(&j->rows, i, row), are = 0;
    for (; may != 0; may &= may - 1) {
        int k = __builtin_ctz(may);
        if (is_between(s, j->isa, i, place_of(s, i), place_of(s, row[k])))
            are |= 1u << k;
    }
    return are;
}

/* Finds the rows of separated pairs. A way that a sheet crosses is at most as long as the support:
 * the crossing is within reach of one of its ends. */
static void cut_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Part *j = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (!is_near(j->s, i))
            continue;
        const uint32_t *list = j->pairs->row + j->pairs->start[i];
        uint32_t size = j->pairs->size[i];
        for (uint32_t n = 0; n < size; n += 8)
            for (unsigned are = separated(j, i, list + n, size - n); are != 0; are &= are - 1) {
                atomic_store_explicit(&j->cut[i], 1, memory_order_relaxed);
                atomic_store_explicit(&j->cut[list[n + (uint32_t)__builtin_ctz(are)]], 1,
                                      memory_order_relaxed);
            }
    }
}

static bool mark_separated(const void *user, uint32_t i, const uint32_t *list, uint32_t size,
                           uint8_t *bits)
{
    const Part *j = user;
    bool any = false;
    for (uint32_t n = 0; n < size; n += 8) {
        unsigned are = is_near(j->s, i) ? separated(j, i, list + n, size - n) : 0;
        for (uint32_t k = n; k < n + 8 && k < size; ++k)
            if (!(are >> (k - n) & 1) && is_near(j->s, list[k]) &&
                atomic_load_explicit(&j->cut[list[k]], memory_order_relaxed))
                are |= separated(j, list[k], &i, 1) << (k - n);
        bits[n / 8] = (uint8_t)are;
        any = any || are != 0;
    }
    return any;
}

PxStatus px_sheets_part(const PxSheets *s, PxPairs *pairs, uint32_t behind, PxArena *scratch,
                        PxIsa isa, const PxThreads *threads, PxPairsParted *out)
{
    Part job = {.s = s,
                .pairs = pairs,
                .rows = {s->quad, s->clear[0].normal, (float)s->reach},
                .isa = isa,
                .cut = PX_ARENA_ARRAY(scratch, _Atomic uint8_t, s->particles->table.count + 1)};
    uint32_t rows = 0, *row = PX_ARENA_ARRAY(scratch, uint32_t, pairs->count + 1);
    *out = (PxPairsParted){.rows = 0};
    if (job.cut == NULL || row == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", pairs->count);
    memset((void *)job.cut, 0, s->particles->table.count);
    px_parallel_for(threads, pairs->count, PX_BLOCK / 4, cut_block, &job);
    for (uint32_t i = 0; i < pairs->count; ++i)
        if (atomic_load_explicit(&job.cut[i], memory_order_relaxed))
            row[rows++] = i;
    return px_pairs_cut(pairs, row, rows, mark_separated, &job, behind, scratch, threads, out);
}
