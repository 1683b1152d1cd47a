#include "contact/solid_solids.h"

#include "base/union_find.h"
#include "contact/pieces.h"
#include "contact/solid_rub.h"

#include <math.h>
#include <string.h>

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

double px_solid_solids_reach(const PxSolidSolids *c)
{
    return c->facings.fastest > 0 ? 0.5 / c->facings.fastest : INFINITY;
}

/* ---- forces ------------------------------------------------------------------- */

/* Modulus of plane waves of a row, Pa. */
static double modulus(const PxSolid *s, uint32_t i)
{
    double stiff = (double)s->stiff[0][i] + (s->orthotropic ? 0 : (double)s->stiff[1][i]);
    return stiff + (double)s->volume[i];
}

/* Positions of the rows of some frames, how far they moved since the last time, and how much
 * their velocities differ. */
static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    for (uint32_t k = begin; k < end; ++k) {
        const PxSolidFrame *f = &s->frame[k];
        double spread = 0, shift = 0;
        PxVec3 mean = px_scale(px_mat3_apply(f->turn, f->velocity), s->moved);
        for (uint32_t n = c->facings.near_of[k]; n < c->facings.near_of[k + 1]; ++n) {
            uint32_t i = c->facings.near[n];
            PxVec3 x = px_solid_place(s, i), v = px_sub(vec_of(s->v + 4 * (size_t)i), f->velocity);
            c->moved[i] = px_sub(x, c->facings.where[i]);
            c->facings.where[i] = x;
            double *spot = c->pass.spot + 4 * (size_t)i;
            spot[0] = x.x;
            spot[1] = x.y;
            spot[2] = x.z;
            PxVec3 off = px_sub(c->moved[i], mean);
            spread = fmax(spread, px_dot(v, v));
            shift = fmax(shift, px_dot(off, off));
        }
        c->spread[k] = sqrt(spread);
        c->shift[k] = sqrt(shift);
    }
}

static PxVec3 world_velocity(const PxSolidFrame *f)
{
    return px_mat3_apply(f->turn, f->velocity);
}

/* Adds to each pair's `way` how far rows have moved relative to each other in the last move, at
 * most, and bounds the speed at which they do now. */
static void add_ways(PxSolidSolids *c)
{
    const PxSolid *s = c->solid;
    for (uint32_t p = 0; p < c->facings.pairs; ++p) {
        const uint32_t *of = c->facings.pair[p].frame;
        PxVec3 apart = px_sub(world_velocity(&s->frame[of[0]]), world_velocity(&s->frame[of[1]]));
        c->way[p] += px_length(apart) * s->moved + c->shift[of[0]] + c->shift[of[1]];
        /* the mean velocities are those of the start of the step, also in the spreads */
        c->speed[p] = px_length(apart) + c->spread[of[0]] + c->spread[of[1]];
    }
}

/* Part of the excess of a gap over g0 that rows may move before it is computed again. A gap may
 * close faster than the rows move, since its weights change too. */
#define SLACK 0.3

/* Part of a gap that may close in a sub-step, so that no row passes another solid, and part of the
 * longest stable sub-step of a contact. */
#define CLOSING 0.3
#define STABLE 0.5

/* Rate of change of a gap, m/s. */
static double opening_of(const PxSolidSolids *c, uint32_t m)
{
    const PxSolid *s = c->solid;
    const PxFacing *f = &c->facings.facing[m];
    double opening = px_dot(c->touch[m].slope, px_solid_in_world(s, s->v, f->row));
    PX_FOR_TOUCHING(&c->pass.slopes, f, e)
    {
        PxVec3 v = px_solid_in_world(s, s->v, c->facings.entry[e]);
        opening += (double)c->pass.slopes.x[e] * v.x + (double)c->pass.slopes.y[e] * v.y +
                   (double)c->pass.slopes.z[e] * v.z;
    }
    return opening;
}

/* Longest sub-step of a contact, s. `speed` is a bound on the relative velocity of the solids. */
static double longest(const PxSolidSolids *c, uint32_t m, double speed)
{
    const PxSolidTouch *t = &c->touch[m];
    double stable = t->light > 0 ? STABLE * 2 / sqrt(t->stiff * t->light) : INFINITY;
    if (!(t->slopes * speed * stable > CLOSING * t->gap))
        return stable;
    double opening = opening_of(c, m);
    return opening < 0 ? fmin(stable, CLOSING * t->gap / -opening) : stable;
}

/* Gaps above g0 are computed again when they may have closed. */
static void touch_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    for (uint32_t m = begin; m < end; ++m) {
        double way = c->way[c->facings.facing[m].pair], excess;
        if (!c->on[m] && way < c->due[m])
            continue;
        c->on[m] = PX_ISA_PICK(c->solid->isa, px_touch_find)(&c->pass, m, &c->touch[m], &excess);
        c->due[m] = way + SLACK * excess;
        if (c->on[m])
            c->longest[m] = longest(c, m, c->speed[c->facings.facing[m].pair]);
    }
}

/* Lists the contacts; returns their energy. `limit`: longest sub-step of all. */
static double list_contacts(PxSolidSolids *c, double *limit)
{
    const PxSolid *s = c->solid;
    const PxFacings *f = &c->facings;
    double energy = 0;
    c->actives = 0;
    *limit = INFINITY;
    for (uint32_t k = 0; k < s->frames; ++k)
        c->group[k] = k;
    px_solid_rebound_reset(&c->rebound);
    for (uint32_t p = 0; p < f->pairs; ++p) {
        const PxFacingPair *pair = &f->pair[p];
        uint32_t a = pair->frame[0], b = pair->frame[1];
        PxVec3 force = {0, 0, 0}, moment = {0, 0, 0};
        c->first[p] = c->actives;
        for (uint32_t m = pair->first; m < pair->end; ++m) {
            if (!c->on[m])
                continue;
            const PxSolidTouch *t = &c->touch[m];
            c->active[c->actives++] = m;
            energy += t->energy;
            *limit = fmin(*limit, c->longest[m]);
            if (c->rebound.pair == NULL)
                continue;
            PxVec3 push = px_scale(t->slope, t->force);
            PxVec3 at = px_sub(f->where[f->facing[m].row], s->frame[0].move);
            force = px_add(force, push);
            moment = px_add(moment, px_cross(at, push));
        }
        c->end[p] = c->actives;
        if (c->end[p] == c->first[p])
            continue;
        px_join(c->group, a, b);
        px_solid_rebound_add(&c->rebound, a, b, force, moment);
    }
    for (uint32_t k = 0; k < s->frames; ++k)
        c->group[k] = px_root_of(c->group, k);
    return energy;
}

/* Forces on the rows of some frames: the contacts of their own rows, then those in which rows of
 * others touch them, in a fixed order. */
static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    const PxFacings *f = &c->facings;
    const PxSolid *s = c->solid;
    const PxTouchSlopes *d = &c->pass.slopes;
    for (uint32_t k = begin; k < end; ++k) {
        PxMat3 back = px_mat3_transpose(s->frame[k].turn);
        for (uint32_t n = f->near_of[k]; n < f->near_of[k + 1]; ++n)
            c->push[f->near[n]] = px_vec(0, 0, 0);
        for (uint32_t n = c->first[f->from[k]];
             f->from[k] < f->from[k + 1] && n < c->end[f->from[k + 1] - 1]; ++n) {
            const PxSolidTouch *t = &c->touch[c->active[n]];
            uint32_t i = f->facing[c->active[n]].row;
            c->push[i] = px_add(c->push[i], px_mad(t->rub, t->slope, t->force));
            if (c->implicit)
                continue;
            /* the part of friction that turns the row's surroundings, as a stress */
            PxVec3 own = px_mat3_apply(back, t->rub);
            const double at[3] = {t->rest.x, t->rest.y, t->rest.z};
            float *record = s->record + 16 * (size_t)i;
            for (int b = 0; b < 3; ++b) {
                record[4 * b] -= (float)(own.x * at[b]);
                record[4 * b + 1] -= (float)(own.y * at[b]);
                record[4 * b + 2] -= (float)(own.z * at[b]);
            }
        }
        for (uint32_t q = f->met[k]; q < f->met[k + 1]; ++q)
            for (uint32_t n = c->first[f->meets[q]]; n < c->end[f->meets[q]]; ++n) {
                const PxFacing *here = &f->facing[c->active[n]];
                const PxSolidTouch *t = &c->touch[c->active[n]];
                double force = t->force;
                PxVec3 rub = t->rub;
                PX_FOR_TOUCHING(d, here, e)
                {
                    PxVec3 *to = &c->push[f->entry[e]];
                    double w = (double)d->weight[e];
                    to->x += force * (double)d->x[e] - w * rub.x;
                    to->y += force * (double)d->y[e] - w * rub.y;
                    to->z += force * (double)d->z[e] - w * rub.z;
                }
            }
    }
}

/* Contacts and friction at the present displacements. */
static double find_forces(void *user, PxSolid *s)
{
    PxSolidSolids *c = user;
    double limit;
    c->solid = c->facings.solid = s;
    px_parallel_for(s->threads, s->frames, 1, place_block, c);
    add_ways(c);
    px_parallel_for(s->threads, c->facings.facings, 64, touch_block, c);
    double energy = list_contacts(c, &limit);
    px_solid_rub_forces(c);
    px_parallel_for(s->threads, s->frames, 1, push_block, c);
    s->reach = fmin(c->reach, fmax(limit, 2 * s->min_step));
    return energy;
}

static void add_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    for (uint32_t k = begin; k < end; ++k)
        for (uint32_t n = c->facings.near_of[k]; n < c->facings.near_of[k + 1]; ++n) {
            uint32_t i = c->facings.near[n];
            px_solid_add(s, s->a, i, c->push[i], (double)s->inverse_mass[i]);
        }
}

static void add_forces(void *user, PxSolid *s)
{
    px_parallel_for(s->threads, s->frames, 1, add_block, user);
}

/* ---- tangent ------------------------------------------------------------------ */

typedef struct Tangent {
    const PxSolidSolids *c;
    const float *quad;
    float *out;
} Tangent;

static void closing_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Tangent *job = user;
    const PxSolidSolids *c = job->c;
    const PxSolid *s = c->solid;
    for (uint32_t n = begin; n < end; ++n) {
        const PxFacing *f = &c->facings.facing[c->active[n]];
        const PxSolidTouch *t = &c->touch[c->active[n]];
        double closing = px_dot(t->slope, px_solid_in_world(s, job->quad, f->row));
        /* all rows of the list have one frame */
        PxVec3 sum = {0, 0, 0};
        PxMat3 turn = s->frame[f->frame].turn;
        for (uint32_t e = f->start; e < f->start + f->size; ++e) {
            const float *q = job->quad + 4 * (size_t)c->facings.entry[e];
            PxVec3 v = px_mat3_apply(turn, vec_of(q));
            sum.x += (double)c->pass.slopes.x[e] * v.x;
            sum.y += (double)c->pass.slopes.y[e] * v.y;
            sum.z += (double)c->pass.slopes.z[e] * v.z;
        }
        c->rubbing[n] = px_vec(-t->stiff * (closing + sum.x + sum.y + sum.z), 0, 0);
    }
}

static void tangent_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Tangent *job = user;
    const PxSolidSolids *c = job->c;
    const PxFacings *f = &c->facings;
    const PxSolid *s = c->solid;
    const PxTouchSlopes *d = &c->pass.slopes;
    for (uint32_t k = begin; k < end; ++k) {
        for (uint32_t n = c->first[f->from[k]];
             f->from[k] < f->from[k + 1] && n < c->end[f->from[k + 1] - 1]; ++n)
            px_solid_add(s, job->out, f->facing[c->active[n]].row, c->touch[c->active[n]].slope,
                         c->rubbing[n].x);
        for (uint32_t q = f->met[k]; q < f->met[k + 1]; ++q)
            for (uint32_t n = c->first[f->meets[q]]; n < c->end[f->meets[q]]; ++n) {
                const PxFacing *here = &f->facing[c->active[n]];
                for (uint32_t e = here->start; e < here->start + here->size; ++e)
                    px_solid_add(s, job->out, f->entry[e],
                                 px_vec((double)d->x[e], (double)d->y[e], (double)d->z[e]),
                                 c->rubbing[n].x);
            }
    }
}

/* out += change of force, for displacements that change by `quad`; without the terms that may make
 * the tangent indefinite. */
static void add_tangent(void *user, const float *quad, float *out)
{
    const PxSolidSolids *c = user;
    const PxSolid *s = c->solid;
    Tangent job = {c, quad, out};
    px_parallel_for(s->threads, c->actives, 64, closing_block, &job);
    px_parallel_for(s->threads, s->frames, 1, tangent_block, &job);
    px_solid_rub_tangent(c, quad, out);
}

static void rebound(void *user, double dt)
{
    const PxSolidSolids *c = user;
    px_solid_rebound_act(&c->rebound, c->solid, dt);
}

/* ---- the step -------------------------------------------------------------------- */

static void modulus_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxSolidSolids *c = user;
    float *to = (float *)c->pass.modulus;
    for (uint32_t n = begin; n < end; ++n) {
        uint32_t i = c->facings.near[n];
        to[i] = (float)modulus(c->solid, i);
        c->pass.spot[4 * (size_t)i + 3] = (double)to[i];
    }
}

PxStatus px_solid_solids_begin(PxSolidSolids *c, PxSolid *s)
{
    c->solid = s;
    c->actives = c->kepts = 0;
    PX_TRY(px_facings_find(&c->facings, s));
    const PxFacings *f = &c->facings;
    if (f->facings == 0)
        return PX_OK;
    size_t facings = px_round_up(f->facings, 1u << 8), entries = px_round_up(f->entries, 1u << 12);
    size_t pairs = px_round_up(f->pairs, 64);
    float *slopes = PX_ARENA_ARRAY(s->scratch, float, 4 * entries);
    float *stiff = PX_ARENA_ARRAY(s->scratch, float, s->count);
    uint8_t *some = PX_ARENA_ARRAY(s->scratch, uint8_t, entries / 8);
    double *spot = PX_ARENA_ARRAY(s->scratch, double, 4 * (size_t)s->count);
    c->touch = PX_ARENA_ARRAY(s->scratch, PxSolidTouch, facings);
    c->on = PX_ARENA_ARRAY(s->scratch, uint8_t, facings);
    c->active = PX_ARENA_ARRAY(s->scratch, uint32_t, facings);
    c->rubbing = PX_ARENA_ARRAY(s->scratch, PxVec3, facings);
    c->first = PX_ARENA_ARRAY(s->scratch, uint32_t, pairs);
    c->end = PX_ARENA_ARRAY(s->scratch, uint32_t, pairs);
    c->moved = PX_ARENA_ARRAY(s->scratch, PxVec3, s->count);
    c->push = PX_ARENA_ARRAY(s->scratch, PxVec3, s->count);
    c->spread = PX_ARENA_ARRAY(s->scratch, double, s->frames);
    c->shift = PX_ARENA_ARRAY(s->scratch, double, s->frames);
    c->way = PX_ARENA_ARRAY(s->scratch, double, pairs);
    c->speed = PX_ARENA_ARRAY(s->scratch, double, pairs);
    c->longest = PX_ARENA_ARRAY(s->scratch, double, facings);
    c->due = PX_ARENA_ARRAY(s->scratch, double, facings);
    c->group = PX_ARENA_ARRAY(s->scratch, uint32_t, s->frames);
    if (slopes == NULL || stiff == NULL || spot == NULL || c->touch == NULL || c->on == NULL ||
        c->active == NULL || c->rubbing == NULL || c->first == NULL || c->end == NULL ||
        c->moved == NULL || c->push == NULL || c->spread == NULL || c->group == NULL ||
        c->shift == NULL || c->way == NULL || c->due == NULL || some == NULL || c->speed == NULL ||
        c->longest == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", f->facings);
    c->pass = (PxTouchPass){
        .facings = f,
        .modulus = stiff,
        .spot = spot,
        .per_mass = s->inverse_mass,
        .slopes = {slopes, slopes + entries, slopes + 2 * entries, slopes + 3 * entries, some}};
    memset(c->on, 0, f->facings);
    for (uint32_t k = 0; k < f->pairs; ++k)
        c->way[k] = 0;
    for (uint32_t k = 0; k < f->facings; ++k)
        c->due[k] = 0;
    px_parallel_for(s->threads, f->nears, 256, modulus_block, c);
    PX_TRY(px_pieces_limits(&c->facings));
    PX_TRY(px_solid_rebound_begin(&c->rebound, s));
    PX_TRY(px_solid_rub_begin(c));
    c->press = (PxSolidPress){.user = c,
                              .forces = find_forces,
                              .add = add_forces,
                              .tangent = add_tangent,
                              .friction = rebound,
                              .grip = px_solid_rub_grip,
                              .rub = px_solid_rub_add,
                              .stick = px_solid_rub_stick,
                              .group = c->group};
    return PX_OK;
}
