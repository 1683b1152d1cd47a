#include "contact/solid_rebound.h"

#include "base/mat3.h"

#include <math.h>
#include <string.h>

/* Floor of the restitution, as at walls: at 0 bodies could not recover from their compression. */
#define LEAST_RESTITUTION 0.05

/* Pairs of solids in contact for each solid, at most; those beyond have restitution 1. */
#define PAIRS_EACH 8

/* Materials with rest-shape updates have none among fluids (contact/solid_walls.c). */
static double restitution_of(const PxSolid *s, uint32_t frame)
{
    const PxMaterialDef *def = &s->material[s->particles->material[s->frame[frame].begin]].def;
    return s->flows && def->absorb > 0 ? 1 : def->restitution;
}

PxStatus px_solid_rebound_begin(PxSolidRebound *r, const PxSolid *s)
{
    *r = (PxSolidRebound){.pair = NULL};
    bool some = false;
    for (uint32_t k = 0; k < s->frames; ++k)
        some = some || restitution_of(s, k) < 1;
    if (!some)
        return PX_OK;
    r->room = PAIRS_EACH * s->frames;
    r->slots = 16;
    while (r->slots < 2 * r->room)
        r->slots *= 2;
    r->pair = PX_ARENA_ARRAY(s->scratch, PxSolidPairForce, r->room);
    r->slot = PX_ARENA_ARRAY(s->scratch, uint32_t, r->slots);
    if (r->pair == NULL || r->slot == NULL)
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

void px_solid_rebound_add(PxSolidRebound *r, const PxSolid *s, uint32_t a, uint32_t b, PxVec3 place,
                          PxVec3 force)
{
    if (r->pair == NULL || a == b)
        return;
    PxSolidPairForce *pair = find(r, a < b ? a : b, a < b ? b : a);
    if (pair == NULL)
        return;
    PxVec3 on_first = a < b ? force : px_scale(force, -1);
    pair->force = px_add(pair->force, on_first);
    pair->moment = px_add(pair->moment, px_cross(px_sub(place, s->frame[0].move), on_first));
}

/* Rigid motion of a solid, and the change that a force and moment would cause in it, in its frame.
 */
typedef struct Body {
    PxVec3 middle, velocity, spin;
    PxVec3 pushed, turned; /* change of velocity and spin by the forces, per second */
    double power, light;   /* of the forces, W; the same of the motion that they cause, W/s */
    bool moves;
} Body;

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

static Body body_of(const PxSolid *s, uint32_t frame, PxVec3 force, PxVec3 moment)
{
    const PxSolidFrame *f = &s->frame[frame];
    Body b = {.moves = !f->held};
    PxVec3 place = {0, 0, 0}, momentum = {0, 0, 0}, angular = {0, 0, 0};
    PxMat3 second = {0};
    double mass = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double m = (double)s->particles->mass[i];
        PxVec3 x = px_sub(in_frame(s, i), f->middle), v = quad_vec(s->v + 4 * (size_t)i);
        b.moves = b.moves && s->inverse_mass[i] > 0.0f;
        mass += m;
        place = px_mad(place, x, m);
        momentum = px_mad(momentum, v, m);
        angular = px_mad(angular, px_cross(x, v), m);
        second = px_mat3_add(second, px_mat3_scale(px_mat3_outer(x, x), m));
    }
    PxVec3 middle = px_scale(place, 1 / mass);
    b.middle = px_add(middle, f->middle);
    b.velocity = px_scale(momentum, 1 / mass);
    second = px_mat3_sub(second, px_mat3_scale(px_mat3_outer(middle, middle), mass));
    PxMat3 inertia = px_mat3_sub(px_mat3_scale(px_mat3_identity(), px_mat3_trace(second)), second);
    PxMat3 inverse, back = px_mat3_transpose(f->turn);
    if (!px_mat3_inverse(inertia, &inverse))
        inverse = (PxMat3){0};
    b.spin = px_mat3_apply(inverse, px_sub(angular, px_cross(middle, momentum)));
    /* force and moment about the middle, in the frame */
    PxVec3 centre = px_add(px_mat3_apply(f->turn, b.middle), f->move);
    moment = px_sub(moment, px_cross(px_sub(centre, s->frame[0].move), force));
    force = px_mat3_apply(back, force);
    moment = px_mat3_apply(back, moment);
    b.power = px_dot(force, b.velocity) + px_dot(moment, b.spin);
    if (!b.moves)
        return b;
    b.pushed = px_scale(force, 1 / mass);
    b.turned = px_mat3_apply(inverse, moment);
    b.light = px_dot(force, b.pushed) + px_dot(moment, b.turned);
    return b;
}

static void change(PxSolid *s, uint32_t frame, const Body *b, double by)
{
    const PxSolidFrame *f = &s->frame[frame];
    for (uint32_t i = f->begin; b->moves && i < f->end; ++i) {
        float *v = s->v + 4 * (size_t)i;
        PxVec3 more = px_add(b->pushed, px_cross(b->turned, px_sub(in_frame(s, i), b->middle)));
        v[0] += (float)(by * more.x);
        v[1] += (float)(by * more.y);
        v[2] += (float)(by * more.z);
    }
}

void px_solid_rebound_act(const PxSolidRebound *r, PxSolid *s, double dt)
{
    for (uint32_t k = 0; r->pair != NULL && k < r->pairs; ++k) {
        const PxSolidPairForce *p = &r->pair[k];
        double e2 = restitution_of(s, p->frame[0]) * restitution_of(s, p->frame[1]);
        e2 = fmax(e2, LEAST_RESTITUTION * LEAST_RESTITUTION);
        if (!(e2 < 1))
            continue;
        Body first = body_of(s, p->frame[0], p->force, p->moment);
        Body second = body_of(s, p->frame[1], px_scale(p->force, -1), px_scale(p->moment, -1));
        double power = first.power + second.power, light = first.light + second.light;
        if (!(power > 0) || !(light > 0))
            continue; /* the bodies approach each other */
        double by = -fmin((1 - e2) * dt, power / light);
        change(s, p->frame[0], &first, by);
        change(s, p->frame[1], &second, by);
    }
}
