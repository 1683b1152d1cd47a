#include "contact/solid_solids.h"

#include "base/mat3.h"
#include "base/union_find.h"

#include <math.h>
#include <string.h>

/* Other solids that one row can touch at a time. */
enum { TOUCHES = 3 };

/* Support of the weights, in units of g0. */
#define SUPPORT 2.0

/* A row touches a solid. */
typedef struct PxSolidTouch {
    uint32_t at;     /* candidate */
    uint32_t frame;  /* of the other solid; NOBODY: no contact */
    double force;    /* N */
    double stiff;    /* second derivative of the energy, N/m */
    double energy;   /* J */
    PxVec3 slope;    /* derivative of the gap with respect to the row's position */
    PxVec3 normal;   /* from the other solid */
    PxVec3 mean;     /* y_i */
    double friction; /* Coulomb's coefficient */
    PxVec3 rubbed;   /* impulse of friction so far in the sub-step, N s */
} Touch;

#define NOBODY UINT32_MAX

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* ---- candidates -------------------------------------------------------------- */

typedef struct Box {
    PxVec3 low, high;
    double speed, radius;
} Box;

static Box box_of(const PxSolid *s, const PxSolidFrame *f)
{
    Box box = {px_vec(INFINITY, INFINITY, INFINITY), px_vec(-INFINITY, -INFINITY, -INFINITY), 0,
               INFINITY};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        PxVec3 x = px_solid_place(s, i);
        box.low = px_vec(fmin(box.low.x, x.x), fmin(box.low.y, x.y), fmin(box.low.z, x.z));
        box.high = px_vec(fmax(box.high.x, x.x), fmax(box.high.y, x.y), fmax(box.high.z, x.z));
        box.speed = fmax(box.speed, px_length(vec_of(s->v + 4 * (size_t)i)));
        box.radius = fmin(box.radius, (double)s->particles->radius[i]);
    }
    return box;
}

/* How far rows of the box may come in the step, and their kernels reach. */
static double reach_of(const PxSolid *s, const Box *box)
{
    return SUPPORT * box->radius + 1.5 * (box->speed + px_length(s->gravity) * s->dt) * s->dt;
}

static bool is_in(const Box *box, double margin, PxVec3 x)
{
    return x.x > box->low.x - margin && x.x < box->high.x + margin && x.y > box->low.y - margin &&
           x.y < box->high.y + margin && x.z > box->low.z - margin && x.z < box->high.z + margin;
}

static bool meet(const Box *a, const Box *b, double margin)
{
    return a->low.x < b->high.x + margin && b->low.x < a->high.x + margin &&
           a->low.y < b->high.y + margin && b->low.y < a->high.y + margin &&
           a->low.z < b->high.z + margin && b->low.z < a->high.z + margin;
}

/* Marks the rows of each frame that are near the box of another one. Returns their number. */
static uint32_t mark_rows(const PxSolid *s, const Box *box, uint8_t *marked)
{
    uint32_t count = 0;
    memset(marked, 0, s->count);
    for (uint32_t a = 0; a < s->frames; ++a)
        for (uint32_t b = 0; b < s->frames; ++b) {
            double margin = reach_of(s, &box[a]) + reach_of(s, &box[b]);
            if (a == b || !meet(&box[a], &box[b], margin))
                continue;
            for (uint32_t i = s->frame[a].begin; i < s->frame[a].end; ++i) {
                if (marked[i] || (double)s->particles->radius[i] > 1.01 * box[a].radius ||
                    !is_in(&box[b], margin, px_solid_place(s, i)))
                    continue;
                marked[i] = 1;
                ++count;
            }
        }
    return count;
}

/* Sorts the candidates by cell and lists their neighbours. */
static PxStatus list_neighbours(PxSolidSolids *c, double reach)
{
    PxSolid *s = c->solid;
    uint32_t n = c->count;
    float *x[3], *y[3];
    uint64_t *id = PX_ARENA_ARRAY(s->scratch, uint64_t, n);
    uint32_t *order = PX_ARENA_ARRAY(s->scratch, uint32_t, n),
             *row = PX_ARENA_ARRAY(s->scratch, uint32_t, n);
    bool room = id != NULL && order != NULL && row != NULL;
    for (int k = 0; k < 3; ++k) {
        x[k] =
            PX_ARENA_ARRAY(s->scratch, float, n + 8); /* px_pairs_build() reads 8 beyond the last */
        y[k] = PX_ARENA_ARRAY(s->scratch, float, n + 8);
        room = room && x[k] != NULL && y[k] != NULL;
    }
    if (!room)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", n);
    PxVec3 origin = s->frame[0].move;
    for (uint32_t k = 0; k < n; ++k) {
        PxVec3 at = px_sub(px_solid_place(s, c->row[k]), origin);
        x[0][k] = (float)at.x;
        x[1][k] = (float)at.y;
        x[2][k] = (float)at.z;
        id[k] = c->row[k];
    }
    PxGridPoints points = {x[0], x[1], x[2], n}, sorted = {y[0], y[1], y[2], n};
    PxGridFrame frame = px_grid_frame(reach, &points, 1, s->threads, NULL);
    PX_TRY(px_grid_sort(c->grid, &frame, points, id, order, s->scratch, s->threads));
    for (uint32_t k = 0; k < n; ++k) {
        row[k] = c->row[order[k]];
        for (int a = 0; a < 3; ++a)
            y[a][k] = x[a][order[k]];
    }
    for (int a = 0; a < 3; ++a)
        memset(y[a] + n, 0, 8 * sizeof(float));
    c->row = row;
    return px_pairs_build(c->pairs, c->grid, sorted, c->grid, sorted, (float)reach, s->isa,
                          s->threads);
}

/* Removes entries of the row's own frame. */
static void keep_others(const PxSolidSolids *c)
{
    const PxSolid *s = c->solid;
    PxPairs *pairs = c->pairs;
    for (uint32_t k = 0; k < c->count; ++k) {
        uint32_t *row = pairs->row + pairs->start[k], kept = 0, own = s->frame_of[c->row[k]];
        for (uint32_t e = 0; e < pairs->size[k]; ++e)
            if (s->frame_of[c->row[row[e]]] != own)
                row[kept++] = row[e];
        pairs->size[k] = kept;
    }
}

double px_solid_solids_reach(const PxSolidSolids *c)
{
    const PxSolid *s = c->solid;
    double ratio = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        double speed = px_length(vec_of(s->v + 4 * (size_t)c->row[k]));
        ratio = fmax(ratio, speed / (double)s->particles->radius[c->row[k]]);
    }
    return ratio > 0 ? 0.25 / ratio : INFINITY;
}

/* ---- forces ------------------------------------------------------------------- */

/* Modulus of plane waves of a row, Pa. */
static double modulus(const PxSolid *s, uint32_t i)
{
    double stiff = (double)s->stiff[0][i] + (s->orthotropic ? 0 : (double)s->stiff[1][i]);
    return stiff + (double)s->volume[i];
}

static PxVec3 place_of(const PxSolidSolids *c, uint32_t k)
{
    return px_vec(c->place[3 * (size_t)k], c->place[3 * (size_t)k + 1],
                  c->place[3 * (size_t)k + 2]);
}

/* Is entry e of candidate k in that frame? */
static bool is_of(const PxSolidSolids *c, uint32_t entry, uint32_t frame)
{
    return c->solid->frame_of[c->row[entry]] == frame;
}

/* The contact of candidate k with the solid `frame`. */
static Touch touch_of(const PxSolidSolids *c, uint32_t k, uint32_t frame)
{
    const PxSolid *s = c->solid;
    const uint32_t *other = c->pairs->row + c->pairs->start[k], size = c->pairs->size[k];
    float *slope = c->slope + 4 * (size_t)c->pairs->start[k];
    uint32_t i = c->row[k];
    double g0 = (double)c->radius[s->frame_of[i]] + (double)c->radius[frame];
    double h2 = SUPPORT * SUPPORT * g0 * g0, sum = 0, stiff = 0;
    PxVec3 x = place_of(c, k), mean = {0, 0, 0};
    Touch t = {.at = k, .frame = NOBODY};
    for (uint32_t e = 0; e < size; ++e) {
        if (!is_of(c, other[e], frame))
            continue;
        PxVec3 r = px_sub(place_of(c, other[e]), x);
        double left = 1 - px_dot(r, r) / h2, w = left > 0 ? left * left * left : 0;
        sum += w;
        stiff += w * modulus(s, c->row[other[e]]);
        mean = px_mad(mean, r, w);
    }
    if (!(sum > 0))
        return t;
    mean = px_scale(mean, 1 / sum); /* relative to x */
    double g = px_length(mean), own = modulus(s, i);
    stiff /= sum;
    if (!(g < g0) || !(g > 0) || !(own + stiff > 0))
        return t;
    PxVec3 n = px_scale(mean, -1 / g);
    /* Both sides have this energy: half of the stiffness of one layer each. */
    double spring = own * stiff / (own + stiff) * g0;
    t.frame = frame;
    t.force = spring * (g0 - g) * g0 / g;
    t.stiff = spring * g0 * g0 / (g * g);
    t.energy = spring * (g0 * g0 * log(g0 / g) - g0 * (g0 - g));
    t.normal = t.slope = n;
    t.mean = px_add(x, mean);
    uint32_t first = s->frame[frame].begin;
    const PxMaterialDef *mine = &s->material[s->particles->material[i]].def,
                        *its = &s->material[s->particles->material[first]].def;
    t.friction = sqrt(mine->friction * its->friction);
    for (uint32_t e = 0; e < size; ++e) {
        if (!is_of(c, other[e], frame))
            continue;
        PxVec3 r = px_sub(place_of(c, other[e]), x);
        double left = 1 - px_dot(r, r) / h2, w = left > 0 ? left * left * left : 0;
        double lever = px_dot(n, px_sub(r, mean)); /* along the normal, from the mean */
        /* dw/dx_j = -6 left^2 / h^2 r, and the gap changes by -(w n + lever dw) / sum */
        PxVec3 dw = px_scale(r, left > 0 ? -6 * left * left / h2 : 0);
        PxVec3 d = px_scale(px_mad(px_scale(n, w), dw, lever), -1 / sum);
        slope[4 * (size_t)e] = (float)d.x;
        slope[4 * (size_t)e + 1] = (float)d.y;
        slope[4 * (size_t)e + 2] = (float)d.z;
        slope[4 * (size_t)e + 3] = (float)(w / sum);
        /* what the others lose the row gains: translations do not change the gap */
        t.slope = px_mad(t.slope, dw, lever / sum);
    }
    return t;
}

static void touch_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t seen[TOUCHES], count = 0;
        for (uint32_t t = 0; t < TOUCHES; ++t)
            c->touch[TOUCHES * (size_t)k + t] = (Touch){.frame = NOBODY};
        for (uint32_t e = 0; e < c->pairs->size[k] && count < TOUCHES; ++e) {
            uint32_t frame = s->frame_of[c->row[c->pairs->row[c->pairs->start[k] + e]]];
            bool known = false;
            for (uint32_t t = 0; t < count; ++t)
                known = known || seen[t] == frame;
            if (known)
                continue;
            seen[count] = frame;
            c->touch[TOUCHES * (size_t)k + count++] = touch_of(c, k, frame);
        }
    }
}

static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    for (uint32_t k = begin; k < end; ++k) {
        PxVec3 x = px_solid_place(c->solid, c->row[k]);
        c->place[3 * (size_t)k] = x.x;
        c->place[3 * (size_t)k + 1] = x.y;
        c->place[3 * (size_t)k + 2] = x.z;
    }
}

/* quad[row] += scale times a world vector, in the row's frame. */
static void add_to(const PxSolid *s, float *quad, uint32_t i, PxVec3 v, double scale)
{
    PxVec3 own = px_mat3_apply(px_mat3_transpose(s->frame[s->frame_of[i]].turn), v);
    quad[4 * (size_t)i] += (float)(scale * own.x);
    quad[4 * (size_t)i + 1] += (float)(scale * own.y);
    quad[4 * (size_t)i + 2] += (float)(scale * own.z);
}

static PxVec3 in_world(const PxSolid *s, const float *quad, uint32_t i)
{
    return px_mat3_apply(s->frame[s->frame_of[i]].turn, vec_of(quad + 4 * (size_t)i));
}

/* Contacts at the present displacements; adds their accelerations. Rows are summed in a fixed
 * order, so that the bits do not depend on threads. */
static double add_forces(void *user, PxSolid *s)
{
    PxSolidSolids *c = user;
    c->solid = s;
    px_parallel_for(s->threads, c->count, 256, place_block, c);
    px_parallel_for(s->threads, c->count, 64, touch_block, c);
    for (uint32_t k = 0; k < s->frames; ++k)
        c->group[k] = k;
    c->touches = 0;
    double energy = 0;
    for (uint32_t k = 0; k < TOUCHES * c->count; ++k) {
        const Touch t = c->touch[k];
        if (t.frame == NOBODY)
            continue;
        uint32_t i = c->row[t.at], start = c->pairs->start[t.at];
        c->touch[c->touches++] = t; /* moves to the front */
        px_join(c->group, s->frame_of[i], t.frame);
        energy += t.energy;
        add_to(s, s->a, i, t.slope, t.force * (double)s->inverse_mass[i]);
        for (uint32_t e = start; e < start + c->pairs->size[t.at]; ++e) {
            uint32_t j = c->row[c->pairs->row[e]];
            if (s->frame_of[j] == t.frame)
                add_to(s, s->a, j, vec_of(c->slope + 4 * (size_t)e),
                       t.force * (double)s->inverse_mass[j]);
        }
    }
    for (uint32_t k = 0; k < s->frames; ++k)
        c->group[k] = px_root_of(c->group, k);
    return energy;
}

/* out += change of force, for displacements that change by `quad`; without the terms that may make
 * the tangent indefinite. */
static void add_tangent(void *user, const float *quad, float *out)
{
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    for (uint32_t k = 0; k < c->touches; ++k) {
        const Touch *t = &c->touch[k];
        uint32_t i = c->row[t->at], start = c->pairs->start[t->at],
                 end = start + c->pairs->size[t->at];
        double closing = px_dot(t->slope, in_world(s, quad, i));
        for (uint32_t e = start; e < end; ++e) {
            uint32_t j = c->row[c->pairs->row[e]];
            if (s->frame_of[j] == t->frame)
                closing += px_dot(vec_of(c->slope + 4 * (size_t)e), in_world(s, quad, j));
        }
        add_to(s, out, i, t->slope, -t->stiff * closing);
        for (uint32_t e = start; e < end; ++e) {
            uint32_t j = c->row[c->pairs->row[e]];
            if (s->frame_of[j] == t->frame)
                add_to(s, out, j, vec_of(c->slope + 4 * (size_t)e), -t->stiff * closing);
        }
    }
}

/* ---- friction ------------------------------------------------------------------ */

/* Displacement gradient of the row plus 1. */
static PxMat3 deformation(const PxSolid *s, uint32_t i)
{
    PxMat3 f;
    for (int k = 0; k < 9; ++k)
        f.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)] + (k % 4 == 0 ? 1 : 0);
    return f;
}

/* Vector in the rest shape that the deformation gradient of row i maps to the vector from the row
 * to the mean y_i. False if the gradient is singular or the vector too long for the linear fit. */
static bool rest_way(const PxSolid *s, const Touch *t, uint32_t i, PxVec3 *way)
{
    const PxSolidFrame *f = &s->frame[s->frame_of[i]];
    PxMat3 inverse;
    PxVec3 to = px_sub(t->mean, px_solid_place(s, i));
    if (!px_mat3_inverse(deformation(s, i), &inverse))
        return false;
    *way = px_mat3_apply(inverse, px_mat3_apply(px_mat3_transpose(f->turn), to));
    return px_dot(*way, *way) < 4 * px_dot(to, to);
}

/* The friction of one contact for `dt`: an impulse at the mean, on both sides. The side of row i is
 * extrapolated: entry e of its list has the weight g_e . way, the row itself the rest of 1. */
static void rub(const PxSolidSolids *c, Touch *t, double dt)
{
    PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    uint32_t i = c->row[t->at], start = c->pairs->start[t->at], end = start + c->pairs->size[t->at];
    PxVec3 way;
    if (!rest_way(s, t, i, &way))
        way = px_vec(0, 0, 0);
    double own = 1, light = 0;
    PxVec3 v = {0, 0, 0};
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        uint32_t j = l->other[e] / 16;
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), way);
        own -= a;
        light += a * a * (double)s->inverse_mass[j];
        v = px_mad(v, in_world(s, s->v, j), a);
    }
    light += own * own * (double)s->inverse_mass[i];
    v = px_mad(v, in_world(s, s->v, i), own);
    for (uint32_t e = start; e < end; ++e) {
        uint32_t j = c->row[c->pairs->row[e]];
        double b = (double)c->slope[4 * (size_t)e + 3];
        if (s->frame_of[j] != t->frame)
            continue;
        light += b * b * (double)s->inverse_mass[j];
        v = px_mad(v, in_world(s, s->v, j), -b);
    }
    v = px_mad(v, t->normal, -px_dot(v, t->normal));
    if (!(light > 0))
        return;
    PxVec3 all = px_mad(t->rubbed, v, -1 / light);
    double size = px_length(all), most = t->friction * t->force * dt;
    if (size > most)
        all = px_scale(all, most / size);
    PxVec3 impulse = px_sub(all, t->rubbed);
    t->rubbed = all;
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        uint32_t j = l->other[e] / 16;
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), way);
        add_to(s, s->v, j, impulse, a * (double)s->inverse_mass[j]);
    }
    add_to(s, s->v, i, impulse, own * (double)s->inverse_mass[i]);
    for (uint32_t e = start; e < end; ++e) {
        uint32_t j = c->row[c->pairs->row[e]];
        double b = (double)c->slope[4 * (size_t)e + 3];
        if (s->frame_of[j] == t->frame)
            add_to(s, s->v, j, impulse, -b * (double)s->inverse_mass[j]);
    }
}

/* Passes over the contacts. */
#define PASSES 4

/* One after the other: each sees the velocities that the ones before it left. */
static void add_friction(void *user, double dt)
{
    const PxSolidSolids *c = user;
    for (int pass = 0; pass < PASSES; ++pass)
        for (uint32_t k = 0; k < c->touches; ++k)
            rub(c, &c->touch[k], dt);
}

/* ---- the step -------------------------------------------------------------------- */

PxStatus px_solid_solids_begin(PxSolidSolids *c, PxSolid *s)
{
    c->solid = s;
    c->count = c->touches = 0;
    if (s->frames < 2)
        return PX_OK;
    Box *box = PX_ARENA_ARRAY(s->scratch, Box, s->frames);
    uint8_t *marked = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    c->radius = PX_ARENA_ARRAY(s->scratch, float, s->frames);
    c->group = PX_ARENA_ARRAY(s->scratch, uint32_t, s->frames);
    if (box == NULL || marked == NULL || c->radius == NULL || c->group == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u solids", s->frames);
    double reach = 0;
    for (uint32_t k = 0; k < s->frames; ++k) {
        box[k] = box_of(s, &s->frame[k]);
        c->radius[k] = (float)box[k].radius;
        reach = fmax(reach, reach_of(s, &box[k]));
    }
    c->count = mark_rows(s, box, marked);
    if (c->count == 0)
        return PX_OK;
    c->row = PX_ARENA_ARRAY(s->scratch, uint32_t, c->count);
    c->place = PX_ARENA_ARRAY(s->scratch, double, 3 * (size_t)c->count);
    c->touch = PX_ARENA_ARRAY(s->scratch, Touch, TOUCHES * (size_t)c->count);
    if (c->row == NULL || c->place == NULL || c->touch == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", c->count);
    for (uint32_t i = 0, k = 0; i < s->count; ++i)
        if (marked[i])
            c->row[k++] = i;
    PX_TRY(list_neighbours(c, 2 * reach));
    keep_others(c);
    c->slope = PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)px_round_up(c->pairs->used, 1u << 12));
    if (c->slope == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", c->count);
    c->press = (PxSolidPress){.user = c,
                              .forces = add_forces,
                              .tangent = add_tangent,
                              .friction = add_friction,
                              .group = c->group};
    return PX_OK;
}
