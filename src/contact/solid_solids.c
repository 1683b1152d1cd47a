#include "contact/solid_solids.h"

#include "base/mat3.h"
#include "base/union_find.h"
#include "dist/reduce.h"
#include "solid/friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Other solids that one row can touch at a time. */
enum { TOUCHES = 3 };

/* Support of the weights, in units of g0. */
#define SUPPORT 2.0

/* A row touches a solid. */
typedef struct PxSolidTouch {
    uint32_t at;     /* candidate */
    uint32_t frame;  /* of the other solid; NOBODY: no contact */
    double gap;      /* m */
    double force;    /* N */
    double stiff;    /* second derivative of the energy, N/m */
    double energy;   /* J */
    PxVec3 slope;    /* derivative of the gap with respect to the row's position */
    PxVec3 normal;   /* from the other solid */
    PxVec3 mean;     /* y_i */
    double friction; /* Coulomb's coefficient */
} Touch;

#define NOBODY UINT32_MAX

/* A contact as friction sees it, kept during a solve (px_friction_*: solid/friction.h). The point
 * where it acts, the mean y_i, is a weighted mean of rows on both sides: on that of the row by the
 * linear extrapolation of its fit, entry e of whose list has the weight g_e . way, the row itself
 * the rest of 1. */
typedef struct PxSolidRub {
    uint32_t at, frame;
    PxVec3 way;         /* in the rest shape, from the row to the mean */
    PxVec3 normal;      /* from the other solid */
    double grip, slow;  /* largest friction, N; speed that displaces by the give in the sub-step */
    PxVec3 stuck;       /* displacement that it resists already, over the sub-step, m/s */
    PxVec3 slide;       /* direction of sliding */
    double drag, slope; /* across and along it, kg/s */
    double stiff;       /* of the contact, N/m */
} Rub;

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

static PxVec3 place_of(const PxSolidSolids *c, uint32_t k)
{
    return px_vec(c->place[3 * (size_t)k], c->place[3 * (size_t)k + 1],
                  c->place[3 * (size_t)k + 2]);
}

/* ---- candidates -------------------------------------------------------------- */

typedef struct Box {
    PxVec3 low, high;
    double speed, radius;
} Box;

static Box box_of(const PxSolidSolids *c, const PxSolidFrame *f)
{
    const PxSolid *s = c->solid;
    Box box = {px_vec(INFINITY, INFINITY, INFINITY), px_vec(-INFINITY, -INFINITY, -INFINITY), 0,
               INFINITY};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        PxVec3 x = c->where[i];
        if (c->solid_rows != NULL && !c->solid_rows[i])
            continue;
        box.low = px_vec(fmin(box.low.x, x.x), fmin(box.low.y, x.y), fmin(box.low.z, x.z));
        box.high = px_vec(fmax(box.high.x, x.x), fmax(box.high.y, x.y), fmax(box.high.z, x.z));
        box.speed = fmax(box.speed, px_length(vec_of(s->v + 4 * (size_t)i)));
        box.radius = fmin(box.radius, (double)s->particles->radius[i]);
    }
    return box;
}

typedef struct Boxes {
    const PxSolidSolids *c;
    Box *box;
} Boxes;

static void box_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Boxes *job = user;
    for (uint32_t k = begin; k < end; ++k)
        job->box[k] = box_of(job->c, &job->c->solid->frame[k]);
}

static void where_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    for (uint32_t i = begin; i < end; ++i)
        c->where[i] = px_solid_place(c->solid, i);
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

/* Marks rows of frame a that are near the box of another frame. */
static uint32_t mark_near(const PxSolidSolids *c, const Box *box, uint32_t a, const Box *other,
                          double margin, uint8_t *marked)
{
    const PxSolid *s = c->solid;
    uint32_t count = 0;
    for (uint32_t i = s->frame[a].begin; i < s->frame[a].end; ++i) {
        if (marked[i] || (c->solid_rows != NULL && !c->solid_rows[i]) ||
            (double)s->particles->radius[i] > 1.01 * box[a].radius ||
            !is_in(other, margin, c->where[i]))
            continue;
        marked[i] = 1;
        ++count;
    }
    return count;
}

typedef struct Start {
    double low;
    uint32_t frame;
} Start;

static int by_start(const void *a, const void *b)
{
    const Start *p = a, *q = b;
    return p->low < q->low ? -1 : p->low > q->low ? 1 : p->frame < q->frame ? -1 : 1;
}

/* Marks the rows of each frame that are near the box of another one: boxes in order of their lower
 * ends along x meet only boxes that begin before they end. Returns the number of rows. */
static uint32_t mark_rows(const PxSolidSolids *c, const Box *box, Start *start, uint8_t *marked)
{
    const PxSolid *s = c->solid;
    uint32_t count = 0, boxes = 0;
    double most = 0;
    for (uint32_t k = 0; k < s->frames; ++k)
        if (isfinite(box[k].radius)) { /* some of its rows are solid */
            start[boxes++] = (Start){box[k].low.x, k};
            most = fmax(most, reach_of(s, &box[k]));
        }
    qsort(start, boxes, sizeof *start, by_start);
    for (uint32_t p = 0; p < boxes; ++p)
        for (uint32_t q = p + 1; q < boxes; ++q) {
            uint32_t a = start[p].frame, b = start[q].frame;
            if (start[q].low > box[a].high.x + 2 * most)
                break;
            double margin = reach_of(s, &box[a]) + reach_of(s, &box[b]);
            if (!meet(&box[a], &box[b], margin))
                continue;
            count += mark_near(c, box, a, &box[b], margin, marked);
            count += mark_near(c, box, b, &box[a], margin, marked);
        }
    for (uint32_t i = 0; c->self != NULL && i < s->count; ++i)
        if (c->self->near[i] && !marked[i]) {
            marked[i] = 1;
            ++count;
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
        PxVec3 at = px_sub(c->where[c->row[k]], origin);
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

/* Can candidates k and l touch? */
static bool are_apart(const PxSolidSolids *c, uint32_t k, uint32_t l)
{
    const PxSolid *s = c->solid;
    uint32_t i = c->row[k], j = c->row[l];
    if (s->frame_of[i] != s->frame_of[j])
        return true;
    return c->own[k] && c->own[l] && px_solid_self_apart(s, i, j);
}

/* Would two candidates come near each other in this step, if they move on as now? `v2` is the
 * square of their relative speed. */
static bool will_meet(const PxSolidSolids *c, uint32_t k, uint32_t l, double *v2)
{
    const PxSolid *s = c->solid;
    double near = (2 * SUPPORT + 1) * (double)s->particles->radius[c->row[k]];
    PxVec3 speed = px_sub(c->speed[l], c->speed[k]), way = px_sub(place_of(c, l), place_of(c, k));
    *v2 = px_dot(speed, speed);
    /* the nearest point of the relative path */
    double when = *v2 > 0 ? fmin(fmax(-px_dot(way, speed) / *v2, 0), 1.5 * s->dt) : 0;
    PxVec3 nearest = px_mad(way, speed, when);
    return px_dot(nearest, nearest) < near * near;
}

/* Cosine of the angle to the nearest row of a solid up to which its other rows count. In a hole of
 * another solid, two spacings wide, the mean of all rows would be its middle. */
#define SAME_SIDE (-0.2)

/* Removes entries that are not apart, or on the other side than the nearest of their solid. */
static void keep_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t *list = c->pairs->row + c->pairs->start[k], kept = 0, seen = 0;
        struct {
            uint32_t frame;
            PxVec3 way;
            double distance;
        } near[2 * TOUCHES];
        for (uint32_t e = 0; e < c->pairs->size[k]; ++e) {
            double v2;
            if (!are_apart(c, k, list[e]) || !will_meet(c, k, list[e], &v2))
                continue;
            PxVec3 way = px_sub(place_of(c, list[e]), place_of(c, k));
            double distance = px_length(way);
            uint32_t frame = s->frame_of[c->row[list[e]]], f = 0;
            while (f < seen && near[f].frame != frame)
                ++f;
            if (f == seen && seen < PX_COUNT(near))
                near[seen++].distance = INFINITY;
            if (f < PX_COUNT(near) && distance < near[f].distance) {
                near[f].frame = frame;
                near[f].way = way;
                near[f].distance = distance;
            }
            list[kept++] = list[e];
        }
        c->pairs->size[k] = kept;
        kept = 0;
        for (uint32_t e = 0; e < c->pairs->size[k]; ++e) {
            PxVec3 way = px_sub(place_of(c, list[e]), place_of(c, k));
            uint32_t frame = s->frame_of[c->row[list[e]]], f = 0;
            while (f < seen && near[f].frame != frame)
                ++f;
            if (f < seen &&
                px_dot(way, near[f].way) < SAME_SIDE * px_length(way) * near[f].distance)
                continue;
            list[kept++] = list[e];
        }
        c->pairs->size[k] = kept;
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

static void speed_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = c->row[k];
        c->speed[k] = px_solid_in_world(c->solid, c->solid->v, i);
        c->own[k] = c->self != NULL && c->self->near[i] && !px_solid_self_inverted(c->solid, i);
    }
}

/* Leaves the entries that a contact may have in this step. */
static void keep_apart(PxSolidSolids *c)
{
    const PxSolid *s = c->solid;
    px_parallel_for(s->threads, c->count, 256, speed_block, c);
    px_parallel_for(s->threads, c->count, 256, place_block, c);
    px_parallel_for(s->threads, c->count, 64, keep_block, c);
    c->actives = 0;
    for (uint32_t k = 0; k < c->count; ++k)
        if (c->pairs->size[k] > 0)
            c->active[c->actives++] = k;
}

/* Largest speed of some candidates relative to rows that they would come near in the step, in radii
 * a second. */
static void speed_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    double most = 0;
    for (uint32_t k = begin; k < end; ++k) {
        const uint32_t *list = c->pairs->row + c->pairs->start[k], i = c->row[k];
        if (c->pairs->size[k] == 0)
            continue;
        double radius = (double)s->particles->radius[i], fastest = 0, v2;
        for (uint32_t e = 0; e < c->pairs->size[k]; ++e) {
            will_meet(c, k, list[e], &v2);
            fastest = fmax(fastest, v2);
        }
        most = fmax(most, sqrt(fastest) / radius);
    }
    part->most[0] = most;
}

double px_solid_solids_reach(const PxSolidSolids *c)
{
    PxRows rows = {c->solid->threads, NULL, c->count, 64};
    PxPart most = {.maxima = 1};
    px_reduce(&rows, speed_part, (void *)c, &most);
    return most.most[0] > 0 ? 0.25 / most.most[0] : INFINITY;
}

/* ---- forces ------------------------------------------------------------------- */

/* Modulus of plane waves of a row, Pa. */
static double modulus(const PxSolid *s, uint32_t i)
{
    double stiff = (double)s->stiff[0][i] + (s->orthotropic ? 0 : (double)s->stiff[1][i]);
    return stiff + (double)s->volume[i];
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
    t.gap = g;
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
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t seen[TOUCHES], count = 0, k = c->active[n];
        for (uint32_t t = 0; t < TOUCHES; ++t)
            c->touch[TOUCHES * (size_t)n + t].frame = NOBODY;
        for (uint32_t e = 0; e < c->pairs->size[k] && count < TOUCHES; ++e) {
            uint32_t frame = s->frame_of[c->row[c->pairs->row[c->pairs->start[k] + e]]];
            bool known = false;
            for (uint32_t t = 0; t < count; ++t)
                known = known || seen[t] == frame;
            if (known)
                continue;
            seen[count] = frame;
            c->touch[TOUCHES * (size_t)n + count++] = touch_of(c, k, frame);
        }
    }
}

/* quad[row] += scale times a world vector, in the row's frame. */
static void add_quad(float *quad, uint32_t i, PxVec3 v, double scale)
{
    quad[4 * (size_t)i] += (float)(scale * v.x);
    quad[4 * (size_t)i + 1] += (float)(scale * v.y);
    quad[4 * (size_t)i + 2] += (float)(scale * v.z);
}

/* Part of a gap that may close in a sub-step, so that no row passes another solid, and part of the
 * longest stable sub-step of a contact. */
#define CLOSING 0.3
#define STABLE 0.5

/* Longest sub-step of a contact, s. */
static double longest(const PxSolidSolids *c, const Touch *t)
{
    const PxSolid *s = c->solid;
    uint32_t i = c->row[t->at], start = c->pairs->start[t->at], end = start + c->pairs->size[t->at];
    double opening = px_dot(t->slope, px_solid_in_world(s, s->v, i));
    double light = px_dot(t->slope, t->slope) * (double)s->inverse_mass[i];
    for (uint32_t e = start; e < end; ++e) {
        uint32_t j = c->row[c->pairs->row[e]];
        if (s->frame_of[j] != t->frame)
            continue;
        PxVec3 slope = vec_of(c->slope + 4 * (size_t)e);
        opening += px_dot(slope, px_solid_in_world(s, s->v, j));
        light += px_dot(slope, slope) * (double)s->inverse_mass[j];
    }
    double stable = light > 0 ? STABLE * 2 / sqrt(t->stiff * light) : INFINITY;
    return opening < 0 ? fmin(stable, CLOSING * t->gap / -opening) : stable;
}

/* Contacts at the present displacements; adds their accelerations. Rows are summed in a fixed
 * order, so that the bits do not depend on threads. */
static double add_forces(void *user, PxSolid *s)
{
    PxSolidSolids *c = user;
    c->solid = s;
    px_parallel_for(s->threads, c->count, 256, place_block, c);
    px_parallel_for(s->threads, c->actives, 64, touch_block, c);
    for (uint32_t k = 0; k < s->frames; ++k)
        c->group[k] = k;
    c->touches = 0;
    px_solid_rebound_reset(&c->rebound);
    double energy = 0, limit = INFINITY;
    for (uint32_t k = 0; k < TOUCHES * c->actives; ++k) {
        if (c->touch[k].frame == NOBODY)
            continue;
        const Touch t = c->touch[k];
        uint32_t i = c->row[t.at], start = c->pairs->start[t.at];
        c->touch[c->touches++] = t; /* moves to the front */
        px_join(c->group, s->frame_of[i], t.frame);
        energy += t.energy;
        limit = fmin(limit, longest(c, &t));
        px_solid_rebound_add(&c->rebound, s, s->frame_of[i], t.frame, place_of(c, t.at),
                             px_scale(t.slope, t.force));
        px_solid_add(s, s->a, i, t.slope, t.force * (double)s->inverse_mass[i]);
        for (uint32_t e = start; e < start + c->pairs->size[t.at]; ++e) {
            uint32_t j = c->row[c->pairs->row[e]];
            if (s->frame_of[j] == t.frame)
                px_solid_add(s, s->a, j, vec_of(c->slope + 4 * (size_t)e),
                             t.force * (double)s->inverse_mass[j]);
        }
    }
    for (uint32_t k = 0; k < s->frames; ++k)
        c->group[k] = px_root_of(c->group, k);
    s->reach = fmin(c->reach, fmax(limit, 2 * s->min_step));
    return energy;
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
 * to the mean y_i; 0 if the gradient is singular or the vector too long for the linear fit. */
static PxVec3 rest_way(const PxSolid *s, const Touch *t, uint32_t i)
{
    const PxSolidFrame *f = &s->frame[s->frame_of[i]];
    PxMat3 inverse;
    PxVec3 to = px_sub(t->mean, px_solid_place(s, i)), way;
    if (!px_mat3_inverse(deformation(s, i), &inverse))
        return px_vec(0, 0, 0);
    way = px_mat3_apply(inverse, px_mat3_apply(px_mat3_transpose(f->turn), to));
    return px_dot(way, way) < 4 * px_dot(to, to) ? way : px_vec(0, 0, 0);
}

/* The friction of a contact for sub-steps of length dt. `first`: of its row, which has the stored
 * displacement. */
static Rub rub_of(const PxSolidSolids *c, const Touch *t, double dt, bool first)
{
    const PxSolid *s = c->solid;
    uint32_t i = c->row[t->at];
    Rub r = {.at = t->at,
             .frame = t->frame,
             .way = rest_way(s, t, i),
             .normal = t->normal,
             .grip = t->friction * t->force,
             .stiff = t->stiff};
    double give = px_friction_give((double)s->particles->radius[i]);
    /* along the contact no stiffer than across it, which solves and sub-steps would notice */
    give = fmax(give, 2 * r.grip / t->stiff);
    r.slow = give / dt;
    if (!first)
        return r;
    PxVec3 stuck = px_vec((double)s->columns.stuck[0][i], (double)s->columns.stuck[1][i],
                          (double)s->columns.stuck[2][i]);
    stuck = px_mat3_apply(s->frame[s->frame_of[i]].turn, px_scale(stuck, 1 / dt));
    r.stuck = px_mad(stuck, r.normal, -px_dot(stuck, r.normal));
    return r;
}

/* Difference of the quads on both sides of a contact, along it, in the world. */
static PxVec3 across(const PxSolidSolids *c, const Rub *r, const float *quad)
{
    const PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    uint32_t i = c->row[r->at], start = c->pairs->start[r->at], end = start + c->pairs->size[r->at];
    const uint32_t *own = s->frame_of;
    double left = 1;
    PxVec3 here = {0, 0, 0}, there = {0, 0, 0};
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), r->way);
        left -= a;
        here = px_mad(here, vec_of(quad + l->other[e] / 4), a);
    }
    here = px_mad(here, vec_of(quad + 4 * (size_t)i), left);
    for (uint32_t e = start; e < end; ++e) {
        uint32_t j = c->row[c->pairs->row[e]];
        if (own[j] == r->frame)
            there = px_mad(there, vec_of(quad + 4 * (size_t)j), (double)c->share[e]);
    }
    PxVec3 d = px_sub(px_mat3_apply(s->frame[own[i]].turn, here),
                      px_mat3_apply(s->frame[r->frame].turn, there));
    return px_mad(d, r->normal, -px_dot(d, r->normal));
}

/* quad += v times the weights of the rows of a contact, and their inverse masses if `light`. */
static void apart(const PxSolidSolids *c, const Rub *r, PxVec3 v, bool light, float *quad)
{
    const PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    uint32_t i = c->row[r->at], start = c->pairs->start[r->at], end = start + c->pairs->size[r->at];
    PxVec3 here = px_mat3_apply(px_mat3_transpose(s->frame[s->frame_of[i]].turn), v);
    PxVec3 there = px_mat3_apply(px_mat3_transpose(s->frame[r->frame].turn), v);
    double left = 1;
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        uint32_t j = l->other[e] / 16;
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), r->way);
        left -= a;
        add_quad(quad, j, here, light ? a * (double)s->inverse_mass[j] : a);
    }
    add_quad(quad, i, here, light ? left * (double)s->inverse_mass[i] : left);
    for (uint32_t e = start; e < end; ++e) {
        uint32_t j = c->row[c->pairs->row[e]];
        double b = (double)c->share[e];
        if (s->frame_of[j] == r->frame)
            add_quad(quad, j, there, light ? -b * (double)s->inverse_mass[j] : -b);
    }
}

/* Sum of squared weights over masses: relative velocity for a unit impulse, 1/kg. */
static double lightness(const PxSolidSolids *c, const Rub *r)
{
    const PxSolid *s = c->solid;
    const PxSolidLists *l = s->lists;
    uint32_t i = c->row[r->at], start = c->pairs->start[r->at], end = start + c->pairs->size[r->at];
    double left = 1, light = 0;
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        double a = px_dot(vec_of(l->pair + 4 * (size_t)e), r->way);
        left -= a;
        light += a * a * (double)s->inverse_mass[l->other[e] / 16];
    }
    light += left * left * (double)s->inverse_mass[i];
    for (uint32_t e = start; e < end; ++e) {
        uint32_t j = c->row[c->pairs->row[e]];
        if (s->frame_of[j] == r->frame)
            light += (double)c->share[e] * (double)c->share[e] * (double)s->inverse_mass[j];
    }
    return light;
}

/* The contacts that friction sees: the present ones. Returns the sum of changes of grip over that
 * of grips, by candidate. */
static double keep_contacts(PxSolidSolids *c, double dt)
{
    double all = 0, changes = 0;
    uint32_t t = 0;
    for (uint32_t k = 0; k < c->pairs->used; ++k)
        c->share[k] = c->slope[4 * (size_t)k + 3];
    c->rubs = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        double grip = 0;
        for (bool first = true; t < c->touches && c->touch[t].at == k; ++t, first = false) {
            Rub r = rub_of(c, &c->touch[t], dt, first);
            grip += r.grip;
            if (r.grip > 0)
                c->rub[c->rubs++] = r;
        }
        changes += fabs(grip - (double)c->grip[k]);
        all += grip;
        c->grip[k] = (float)grip;
    }
    return all > 0 ? changes / all : changes > 0;
}

/* Stores what sticks. */
static void store(const PxSolidSolids *c, const Rub *r, double dt)
{
    const PxSolid *s = c->solid;
    uint32_t i = c->row[r->at];
    PxVec3 slip =
        px_mat3_apply(px_mat3_transpose(s->frame[s->frame_of[i]].turn), px_scale(r->stuck, dt));
    s->columns.stuck[0][i] = (float)slip.x;
    s->columns.stuck[1][i] = (float)slip.y;
    s->columns.stuck[2][i] = (float)slip.z;
}

/* Adds the displacement of a sub-step with the velocities `quad` to what sticks, and stores that of
 * each candidate's first contact. */
static void displace(const PxSolidSolids *c, const float *quad, double dt)
{
    const PxSolid *s = c->solid;
    for (uint32_t k = 0, n = 0; k < c->count; ++k) {
        uint32_t i = c->row[k];
        for (int a = 0; a < 3; ++a)
            s->columns.stuck[a][i] = 0.0f;
        for (bool first = true; n < c->rubs && c->rub[n].at == k; ++n, first = false) {
            Rub *r = &c->rub[n];
            r->stuck = px_add(r->stuck, across(c, r, quad));
            double speed = px_length(r->stuck);
            r->stuck = px_scale(r->stuck, speed > r->slow ? r->slow / speed : 1);
            if (first)
                store(c, r, dt);
        }
    }
}

/* In an implicit solve: the potential of friction and its forces at the velocities `quad`. */
static double add_rubbing(void *user, const float *quad, float *out)
{
    PxSolidSolids *c = user;
    double energy = 0;
    for (uint32_t k = 0; k < c->rubs; ++k) {
        Rub *r = &c->rub[k];
        PxVec3 v = px_add(across(c, r, quad), r->stuck);
        double speed = px_length(v), x = speed / r->slow, stiff = r->grip / r->slow;
        r->drag = stiff * px_friction_secant(x);
        r->slope = stiff * px_friction_slope(x);
        r->slide = px_scale(v, speed > 0 ? 1 / speed : 0);
        energy += c->dt * r->grip * r->slow * px_friction_potential(x);
        apart(c, r, px_scale(v, -r->drag), false, out);
    }
    return energy;
}

/* out -= what friction changes by, for displacements that change by `quad`, over dt^2. */
static void add_drag(const PxSolidSolids *c, const float *quad, float *out)
{
    for (uint32_t k = 0; k < c->rubs; ++k) {
        const Rub *r = &c->rub[k];
        PxVec3 v = across(c, r, quad);
        double along = px_dot(v, r->slide);
        PxVec3 f = px_mad(px_scale(v, -r->drag), r->slide, (r->drag - r->slope) * along);
        apart(c, r, px_scale(f, 1 / c->dt), false, out);
    }
}

/* Change of grips, relative to their sum, that wants another solve. */
#define GRIP_CHANGE 0.05

static bool grip(void *user, double dt)
{
    PxSolidSolids *c = user;
    c->dt = dt;
    c->solved = true;
    return keep_contacts(c, dt) > GRIP_CHANGE;
}

static void stick(void *user, const float *quad)
{
    const PxSolidSolids *c = user;
    displace(c, quad, c->dt);
}

/* Damping of contacts that stick, as a part of the critical one. */
#define DAMPED 0.3

/* Friction after a sub-step of leapfrog: impulses of the law of solid/friction.h for what sticks,
 * and damping, both within the bound. */
static void add_friction(void *user, double dt)
{
    PxSolidSolids *c = user;
    PxSolid *s = c->solid;
    keep_contacts(c, dt);
    displace(c, s->v, dt);
    for (uint32_t k = 0; k < c->rubs; ++k) {
        const Rub *r = &c->rub[k];
        double light = lightness(c, r), x = px_length(r->stuck) / r->slow;
        if (!(light > 0))
            continue;
        PxVec3 push = px_scale(r->stuck, -r->grip / r->slow * px_friction_secant(x));
        double damping = 2 * DAMPED * sqrt(r->stiff / light);
        push = px_mad(push, across(c, r, s->v), -fmin(damping, 0.5 / (light * dt)));
        double size = px_length(push);
        apart(c, r, px_scale(push, size > r->grip ? dt * r->grip / size : dt), true, s->v);
    }
}

/* ---- tangent ------------------------------------------------------------------ */

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
        double closing = px_dot(t->slope, px_solid_in_world(s, quad, i));
        for (uint32_t e = start; e < end; ++e) {
            uint32_t j = c->row[c->pairs->row[e]];
            if (s->frame_of[j] == t->frame)
                closing += px_dot(vec_of(c->slope + 4 * (size_t)e), px_solid_in_world(s, quad, j));
        }
        px_solid_add(s, out, i, t->slope, -t->stiff * closing);
        for (uint32_t e = start; e < end; ++e) {
            uint32_t j = c->row[c->pairs->row[e]];
            if (s->frame_of[j] == t->frame)
                px_solid_add(s, out, j, vec_of(c->slope + 4 * (size_t)e), -t->stiff * closing);
        }
    }
    add_drag(c, quad, out);
}

static void add_impulses(void *user, double dt)
{
    PxSolidSolids *c = user;
    if (!c->solved)
        add_friction(c, dt);
    px_solid_rebound_act(&c->rebound, c->solid, dt);
}

/* ---- the step -------------------------------------------------------------------- */

PxStatus px_solid_solids_begin(PxSolidSolids *c, PxSolid *s)
{
    c->solid = s;
    c->count = c->touches = c->rubs = 0;
    c->solved = false;
    if (s->frames < 2 && c->self == NULL)
        return PX_OK;
    if (c->self != NULL)
        PX_TRY(px_solid_self_find(c->self, s, c->version, 2 * SUPPORT, c->grid));
    Box *box = PX_ARENA_ARRAY(s->scratch, Box, s->frames);
    uint8_t *marked = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    Start *start = PX_ARENA_ARRAY(s->scratch, Start, s->frames);
    c->where = PX_ARENA_ARRAY(s->scratch, PxVec3, s->count);
    c->radius = PX_ARENA_ARRAY(s->scratch, float, s->frames);
    c->group = PX_ARENA_ARRAY(s->scratch, uint32_t, s->frames);
    if (box == NULL || marked == NULL || start == NULL || c->where == NULL || c->radius == NULL ||
        c->group == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u solids", s->frames);
    double reach = 0;
    memset(marked, 0, s->count);
    px_parallel_for(s->threads, s->count, 256, where_block, c);
    Boxes boxes = {c, box};
    px_parallel_for(s->threads, s->frames, 1, box_block, &boxes);
    for (uint32_t k = 0; k < s->frames; ++k) {
        c->radius[k] = (float)box[k].radius;
        if (isfinite(box[k].radius)) /* some of its rows are solid */
            reach = fmax(reach, reach_of(s, &box[k]));
    }
    c->count = mark_rows(c, box, start, marked);
    if (c->count == 0)
        return PX_OK;
    c->row = PX_ARENA_ARRAY(s->scratch, uint32_t, c->count);
    c->place = PX_ARENA_ARRAY(s->scratch, double, 3 * (size_t)c->count);
    c->active = PX_ARENA_ARRAY(s->scratch, uint32_t, c->count);
    c->speed = PX_ARENA_ARRAY(s->scratch, PxVec3, c->count);
    c->own = PX_ARENA_ARRAY(s->scratch, uint8_t, c->count);
    c->grip = PX_ARENA_ARRAY(s->scratch, float, c->count);
    if (c->own == NULL || c->row == NULL || c->place == NULL || c->active == NULL ||
        c->speed == NULL || c->grip == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", c->count);
    for (uint32_t i = 0, k = 0; i < s->count; ++i)
        if (marked[i])
            c->row[k++] = i;
    PX_TRY(px_solid_rebound_begin(&c->rebound, s));
    PX_TRY(list_neighbours(c, 2 * reach));
    keep_apart(c);
    size_t entries = (size_t)px_round_up(c->pairs->used, 1u << 12);
    size_t touches = TOUCHES * px_round_up(c->actives, 1u << 8);
    c->touch = PX_ARENA_ARRAY(s->scratch, Touch, touches);
    c->rub = PX_ARENA_ARRAY(s->scratch, Rub, touches);
    c->slope = PX_ARENA_ARRAY(s->scratch, float, 4 * entries);
    c->share = PX_ARENA_ARRAY(s->scratch, float, entries);
    if (c->slope == NULL || c->touch == NULL || c->rub == NULL || c->share == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", c->count);
    memset(c->slope, 0, 4 * entries * sizeof *c->slope);
    memset(c->grip, 0, c->count * sizeof *c->grip);
    c->press = (PxSolidPress){.user = c,
                              .forces = add_forces,
                              .tangent = add_tangent,
                              .friction = add_impulses,
                              .grip = grip,
                              .rub = add_rubbing,
                              .stick = stick,
                              .group = c->group};
    return PX_OK;
}
