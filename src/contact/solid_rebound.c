#include "contact/solid_rebound.h"

#include "base/mat3.h"

#include <math.h>
#include <string.h>

/* Floor of the restitution, as at walls: at 0 bodies could not recover from their compression. */
#define LEAST_RESTITUTION 0.05

/* Pairs of solids in contact for each solid, at most; those beyond have restitution 1. */
#define PAIRS_EACH 8

/* Materials with rest-shape updates have none among fluids (contact/solid_walls.c). */
double px_solid_restitution(const PxSolid *s, uint32_t frame)
{
    const PxMaterialDef *def = &s->material[s->particles->material[s->frame[frame].begin]].def;
    return s->flows && def->absorb > 0 ? 1 : def->restitution;
}

/* Rigid motion of a solid, in its frame. */
typedef struct PxSolidRigid {
    bool on;    /* it has pairs */
    bool moves; /* nothing holds it */
    double mass;
    PxVec3 middle, velocity, spin;
    PxMat3 lighter;        /* inverse inertia */
    PxVec3 faster, turned; /* change of velocity and spin */
} Rigid;

PxStatus px_solid_rebound_begin(PxSolidRebound *r, const PxSolid *s)
{
    *r = (PxSolidRebound){.pair = NULL};
    bool some = false;
    for (uint32_t k = 0; k < s->frames; ++k)
        some = some || px_solid_restitution(s, k) < 1;
    if (!some)
        return PX_OK;
    r->room = PAIRS_EACH * s->frames;
    r->slots = 16;
    while (r->slots < 2 * r->room)
        r->slots *= 2;
    r->pair = PX_ARENA_ARRAY(s->scratch, PxSolidPairForce, r->room);
    r->slot = PX_ARENA_ARRAY(s->scratch, uint32_t, r->slots);
    r->rigid = PX_ARENA_ARRAY(s->scratch, Rigid, s->frames);
    if (r->pair == NULL || r->slot == NULL || r->rigid == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u solids", s->frames);
    return PX_OK;
}

void px_solid_rebound_reset(PxSolidRebound *r)
{
    r->pairs = 0;
    if (r->pair != NULL)
        memset(r->slot, 0, r->slots * sizeof *r->slot);
}

static PxSolidPairForce *find(PxSolidRebound *r, uint32_t low, uint32_t high)
{
    uint32_t at = (low * 2654435761u ^ high * 2246822519u) & (r->slots - 1);
    while (r->slot[at] != 0) {
        PxSolidPairForce *pair = &r->pair[r->slot[at] - 1];
        if (pair->frame[0] == low && pair->frame[1] == high)
            return pair;
        at = (at + 1) & (r->slots - 1);
    }
    if (r->pairs == r->room)
        return NULL;
    r->pair[r->pairs] = (PxSolidPairForce){{low, high}, {0, 0, 0}, {0, 0, 0}};
    r->slot[at] = r->pairs + 1;
    return &r->pair[r->pairs++];
}

void px_solid_rebound_add(PxSolidRebound *r, uint32_t a, uint32_t b, PxVec3 force, PxVec3 moment)
{
    if (r->pair == NULL || a == b)
        return;
    PxSolidPairForce *pair = find(r, a < b ? a : b, a < b ? b : a);
    if (pair == NULL)
        return;
    double sign = a < b ? 1 : -1;
    pair->force = px_mad(pair->force, force, sign);
    pair->moment = px_mad(pair->moment, moment, sign);
}

static PxVec3 quad_vec(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

static PxVec3 in_frame(const PxSolid *s, uint32_t i)
{
    PxVec3 rest = px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                         (double)s->columns.rest[2][i]);
    return px_add(rest, quad_vec(s->u + 4 * (size_t)i));
}

typedef struct Job {
    const PxSolidRebound *rebound;
    PxSolid *solid;
} Job;

static Rigid rigid_of(const PxSolid *s, uint32_t frame)
{
    const PxSolidFrame *f = &s->frame[frame];
    Rigid b = {.on = true, .moves = !f->held};
    PxVec3 place = {0, 0, 0}, momentum = {0, 0, 0}, angular = {0, 0, 0};
    PxMat3 second = {0};
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double m = (double)s->particles->mass[i];
        PxVec3 x = px_sub(in_frame(s, i), f->middle), v = quad_vec(s->v + 4 * (size_t)i);
        b.moves = b.moves && s->inverse_mass[i] > 0.0f;
        b.mass += m;
        place = px_mad(place, x, m);
        momentum = px_mad(momentum, v, m);
        angular = px_mad(angular, px_cross(x, v), m);
        second = px_mat3_add(second, px_mat3_scale(px_mat3_outer(x, x), m));
    }
    PxVec3 middle = px_scale(place, 1 / b.mass);
    b.middle = px_add(middle, f->middle);
    b.velocity = px_scale(momentum, 1 / b.mass);
    second = px_mat3_sub(second, px_mat3_scale(px_mat3_outer(middle, middle), b.mass));
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    if (!px_mat3_inverse(inertia, &b.lighter))
        b.lighter = (PxMat3){0};
    b.spin = px_mat3_apply(b.lighter, px_sub(angular, px_cross(middle, momentum)));
    return b;
}

static void rigid_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t k = begin; k < end; ++k)
        if (job->rebound->rigid[k].on)
            job->rebound->rigid[k] = rigid_of(job->solid, k);
}

/* A pair's force on one of its solids, in the frame, and what it would cause. */
typedef struct Push {
    PxVec3 pushed, turned; /* change of velocity and spin, per second */
    double power, light;   /* of the forces, W; the same of the motion that they cause, W/s */
} Push;

static Push push_of(const Rigid *b, const PxSolid *s, uint32_t frame, PxVec3 force, PxVec3 moment)
{
    const PxSolidFrame *f = &s->frame[frame];
    PxMat3 back = px_mat3_transpose(f->turn);
    /* force and moment about the middle, in the frame */
    PxVec3 centre = px_add(px_mat3_apply(f->turn, b->middle), f->move);
    moment = px_sub(moment, px_cross(px_sub(centre, s->frame[0].move), force));
    force = px_mat3_apply(back, force);
    moment = px_mat3_apply(back, moment);
    Push p = {.power = px_dot(force, b->velocity) + px_dot(moment, b->spin)};
    if (!b->moves)
        return p;
    p.pushed = px_scale(force, 1 / b->mass);
    p.turned = px_mat3_apply(b->lighter, moment);
    p.light = px_dot(force, p.pushed) + px_dot(moment, p.turned);
    return p;
}

static void change(Rigid *b, const Push *p, double by)
{
    PxVec3 faster = px_scale(p->pushed, by), turned = px_scale(p->turned, by);
    b->velocity = px_add(b->velocity, faster);
    b->spin = px_add(b->spin, turned);
    b->faster = px_add(b->faster, faster);
    b->turned = px_add(b->turned, turned);
}

static void change_rows(PxSolid *s, uint32_t frame, const Rigid *b)
{
    if (px_dot(b->faster, b->faster) == 0 && px_dot(b->turned, b->turned) == 0)
        return;
    for (uint32_t i = s->frame[frame].begin; i < s->frame[frame].end; ++i) {
        float *v = s->v + 4 * (size_t)i;
        PxVec3 more = px_add(b->faster, px_cross(b->turned, px_sub(in_frame(s, i), b->middle)));
        v[0] += (float)more.x;
        v[1] += (float)more.y;
        v[2] += (float)more.z;
    }
}

static void change_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t k = begin; k < end; ++k)
        if (job->rebound->rigid[k].on)
            change_rows(job->solid, k, &job->rebound->rigid[k]);
}

double px_solid_rebound_off(PxSolid *s, const PxSolidStrike *strike)
{
    double e = fmax(px_solid_restitution(s, strike->frame), LEAST_RESTITUTION);
    if (!(e < 1))
        return 0;
    Rigid b = rigid_of(s, strike->frame);
    Push push = push_of(&b, s, strike->frame, strike->force, strike->moment);
    double power = push.power + strike->power, light = push.light + strike->light;
    if (!(power > 0) || !(light > 0))
        return 0; /* they approach each other */
    double back = fmin((1 - e * e) * strike->dt, power / light);
    change(&b, &push, -back);
    change_rows(s, strike->frame, &b);
    return back;
}

void px_solid_rebound_act(const PxSolidRebound *r, PxSolid *s, double dt)
{
    if (r->pair == NULL || r->pairs == 0)
        return;
    Job job = {r, s};
    for (uint32_t k = 0; k < s->frames; ++k)
        r->rigid[k].on = false;
    for (uint32_t k = 0; k < r->pairs; ++k)
        r->rigid[r->pair[k].frame[0]].on = r->rigid[r->pair[k].frame[1]].on = true;
    px_parallel_for(s->threads, s->frames, 1, rigid_block, &job);
    for (uint32_t k = 0; k < r->pairs; ++k) {
        const PxSolidPairForce *p = &r->pair[k];
        double e2 = px_solid_restitution(s, p->frame[0]) * px_solid_restitution(s, p->frame[1]);
        e2 = fmax(e2, LEAST_RESTITUTION * LEAST_RESTITUTION);
        if (!(e2 < 1))
            continue;
        Push first = push_of(&r->rigid[p->frame[0]], s, p->frame[0], p->force, p->moment);
        Push second = push_of(&r->rigid[p->frame[1]], s, p->frame[1], px_scale(p->force, -1),
                              px_scale(p->moment, -1));
        double power = first.power + second.power, light = first.light + second.light;
        if (!(power > 0) || !(light > 0))
            continue; /* the bodies approach each other */
        double by = -fmin((1 - e2) * dt, power / light);
        change(&r->rigid[p->frame[0]], &first, by);
        change(&r->rigid[p->frame[1]], &second, by);
    }
    px_parallel_for(s->threads, s->frames, 1, change_block, &job);
}
