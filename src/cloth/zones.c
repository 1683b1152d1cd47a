#include "cloth/zones.h"

#include "base/stop.h"
#include "base/union_find.h"

#include "cloth/bodies.h"

#include <math.h>
#include <string.h>

#define ROUNDS 40 /* in which zones grow */
#define SWEEPS 8  /* over the vertices of a zone that slide along walls */
#define CLEAR 0.1 /* of the distance that is kept: what zones keep from walls */
#define CLOSE 0.5 /* of the distance that is kept: a body that ends nearer presses */

typedef struct Zone {
    uint32_t members;
    bool led;       /* by members whose velocity is given: those alone count */
    double mass;    /* kg */
    PxVec3 moment;  /* of mass, kg m */
    PxVec3 impulse; /* momentum, N s */
    PxVec3 spin;    /* angular momentum about the centre, N m s */
    PxMat3 inertia;
    PxVec3 centre, shift, turn; /* V at the centre, W */
} Zone;

typedef struct Work {
    PxClothStep *s;
    uint32_t *up;          /* by vertex, and by body after the vertices */
    Zone *zone;            /* the same; those of roots count */
    PxVec3 *w, (*body)[2]; /* velocities that the solve found */
} Work;

static uint32_t bodies_of(const PxClothStep *s)
{
    return s->bodies != NULL ? s->bodies->count : 0;
}

static Zone *zone_of(const Work *k, uint32_t member)
{
    return &k->zone[px_root_of(k->up, member)];
}

static bool is_led(const Work *k, uint32_t member)
{
    uint32_t n = k->s->system->vertices;
    return member < n ? k->s->hold[member] == PX_CLOTH_FIXED : k->s->bodies->body[member - n].held;
}

static double mass_of(const Work *k, uint32_t member)
{
    uint32_t n = k->s->system->vertices;
    return member < n ? k->s->mass[member] : k->s->bodies->body[member - n].mass;
}

static PxVec3 place_of(const Work *k, uint32_t member)
{
    uint32_t n = k->s->system->vertices;
    return member < n ? k->s->x[member] : k->s->bodies->body[member - n].centre;
}

static PxVec3 velocity_of(const Work *k, uint32_t member)
{
    uint32_t n = k->s->system->vertices;
    return member < n ? k->w[member] : k->body[member - n][0];
}

static bool counts(const Work *k, const Zone *z, uint32_t member)
{
    return z->members > 1 && (!z->led || is_led(k, member));
}

static void add_inertia(Zone *z, double mass, PxVec3 r)
{
    double square = px_dot(r, r);
    const double at[3] = {r.x, r.y, r.z};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            z->inertia.m[a][b] += mass * ((a == b ? square : 0) - at[a] * at[b]);
}

/* Velocity and spin of a zone from those of its members. */
static void find_motions(Work *k)
{
    const PxClothStep *s = k->s;
    uint32_t n = s->system->vertices, all = n + bodies_of(s);
    for (uint32_t m = 0; m < all; ++m)
        k->zone[m] = (Zone){.members = 0};
    for (uint32_t m = 0; m < all; ++m) {
        Zone *z = zone_of(k, m);
        ++z->members;
        z->led = z->led || is_led(k, m);
    }
    for (uint32_t m = 0; m < all; ++m) {
        Zone *z = zone_of(k, m);
        if (!counts(k, z, m))
            continue;
        double mass = mass_of(k, m);
        z->mass += mass;
        z->moment = px_mad(z->moment, place_of(k, m), mass);
        z->impulse = px_mad(z->impulse, velocity_of(k, m), mass);
    }
    for (uint32_t m = 0; m < all; ++m) {
        Zone *z = &k->zone[m];
        if (z->mass > 0) {
            z->centre = px_scale(z->moment, 1 / z->mass);
            z->shift = px_scale(z->impulse, 1 / z->mass);
        }
    }
    for (uint32_t m = 0; m < all; ++m) {
        Zone *z = zone_of(k, m);
        if (!counts(k, z, m))
            continue;
        double mass = mass_of(k, m);
        PxVec3 r = px_sub(place_of(k, m), z->centre);
        z->spin = px_mad(z->spin, px_cross(r, velocity_of(k, m)), mass);
        add_inertia(z, mass, r);
        if (m < n || s->bodies->body[m - n].point)
            continue;
        const PxClothBody *o = &s->bodies->body[m - n];
        z->spin = px_add(z->spin, px_mat3_apply(o->inertia, k->body[m - n][1]));
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                z->inertia.m[a][b] += o->inertia.m[a][b];
    }
    for (uint32_t m = 0; m < all; ++m) {
        Zone *z = &k->zone[m];
        PxMat3 inverse;
        double trace = z->inertia.m[0][0] + z->inertia.m[1][1] + z->inertia.m[2][2];
        bool turns = px_mat3_determinant(z->inertia) > 1e-9 * trace * trace * trace;
        z->turn = px_vec(0, 0, 0); /* what lies on a line does not turn */
        if (turns && px_mat3_inverse(z->inertia, &inverse))
            z->turn = px_mat3_apply(inverse, z->spin);
    }
}

static PxVec3 motion_at(const Zone *z, PxVec3 place)
{
    return px_add(z->shift, px_cross(z->turn, px_sub(place, z->centre)));
}

/* The zone of a vertex, if that can be pushed; else NULL. */
static Zone *pushed(const Work *k, uint32_t i)
{
    Zone *z = zone_of(k, i);
    return z->members > 1 && !z->led ? z : NULL;
}

/* Keeps a point between vertices out of the boundary at which it has a contact. */
static void leave_place(Work *k, const PxClothContact *c)
{
    const PxClothStep *s = k->s;
    double squares = 0, end = c->gap - s->dt * px_dot(c->velocity, c->normal);
    for (int a = 0; a < 3; ++a) {
        uint32_t i = c->vertex[a];
        const Zone *z = pushed(k, i);
        PxVec3 v = z != NULL ? motion_at(z, s->x[i]) : s->w[i];
        end += s->dt * c->weight[a] * px_dot(v, c->normal);
        squares += z != NULL ? c->weight[a] * c->weight[a] : 0;
    }
    double out = (CLEAR * c->keep - end) / s->dt;
    for (int a = 0; a < 3 && out > 0 && squares > 0; ++a) {
        Zone *z = pushed(k, c->vertex[a]);
        if (z != NULL && c->weight[a] > 0)
            z->shift = px_mad(z->shift, c->normal, out * c->weight[a] / squares);
    }
}

/* Walls at which members are push zones out. */
static void leave_walls(Work *k)
{
    const PxClothStep *s = k->s;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (uint32_t c = 0; c < s->contacts->count; ++c) {
            const PxClothContact *p = &s->contacts->contact[c];
            if (p->kind == PX_CLOTH_BOUNDARY && p->body == 0)
                leave_place(k, p);
        }
        for (uint32_t i = 0; i < s->system->vertices; ++i) {
            Zone *z = zone_of(k, i);
            if (s->hold[i] != PX_CLOTH_NORMAL || z->members < 2 || z->led)
                continue;
            double into = px_dot(px_sub(s->target[i], motion_at(z, s->x[i])), s->normal[i]);
            if (into > 0)
                z->shift = px_mad(z->shift, s->normal[i], into);
        }
    }
}

static void move(Work *k)
{
    PxClothStep *s = k->s;
    uint32_t n = s->system->vertices;
    for (uint32_t i = 0; i < n; ++i) {
        const Zone *z = zone_of(k, i);
        bool free = s->hold[i] != PX_CLOTH_FIXED;
        s->w[i] = z->members > 1 && free ? motion_at(z, s->x[i]) : k->w[i];
    }
    for (uint32_t b = 0; b < bodies_of(s); ++b) {
        PxClothBody *o = &s->bodies->body[b];
        const Zone *z = zone_of(k, n + b);
        bool joined = z->members > 1 && !o->held;
        PxVec3 shift = joined ? motion_at(z, o->centre) : k->body[b][0];
        PxVec3 turn = joined && !o->point ? z->turn : k->body[b][1];
        o->change[0] = px_sub(shift, o->moving[0]);
        o->change[1] = px_sub(turn, o->moving[1]);
    }
}

/* Joins bodies with the zones on which they press at the present velocities. */
static bool join_bodies(Work *k)
{
    const PxClothStep *s = k->s;
    uint32_t n = s->system->vertices;
    bool any = false;
    for (uint32_t c = 0; c < s->contacts->count; ++c) {
        const PxClothContact *p = &s->contacts->contact[c];
        if (p->kind != PX_CLOTH_BOUNDARY || p->body == 0)
            continue;
        double end = p->gap + s->dt * px_dot(px_cloth_contact_motion(s, p), p->normal);
        for (int a = 0; a < 3 && end < CLOSE * p->keep; ++a) {
            uint32_t body = n + p->body - 1, i = p->vertex[a];
            if (!(p->weight[a] > 0) || zone_of(k, i)->members < 2 ||
                px_root_of(k->up, i) == px_root_of(k->up, body))
                continue;
            px_join(k->up, i, body);
            any = true;
        }
    }
    return any;
}

static PxStatus begin(Work *k, PxClothStep *s)
{
    uint32_t n = s->system->vertices, bodies = bodies_of(s);
    *k = (Work){.s = s,
                .up = PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)n + bodies + 1),
                .zone = PX_ARENA_ARRAY(s->scratch, Zone, (size_t)n + bodies + 1),
                .w = PX_ARENA_ARRAY(s->scratch, PxVec3, n + 1),
                .body = px_arena_take_array(s->scratch, bodies + 1, sizeof *k->body)};
    if (k->up == NULL || k->zone == NULL || k->w == NULL || k->body == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for zones of %u vertices", n);
    for (uint32_t m = 0; m < n + bodies; ++m)
        k->up[m] = m;
    memcpy(k->w, s->w, n * sizeof *k->w);
    for (uint32_t b = 0; b < bodies; ++b)
        for (int c = 0; c < 2; ++c)
            k->body[b][c] = px_add(s->bodies->body[b].moving[c], s->bodies->body[b].change[c]);
    return PX_OK;
}

PxStatus px_cloth_zones(PxClothCollision *c, PxClothStep *s, uint32_t *left)
{
    Work k;
    PX_TRY(px_cloth_collide_crossing(c, left));
    if (*left == 0)
        return PX_OK;
    PX_TRY(begin(&k, s));
    for (int round = 0; round<ROUNDS && * left> 0; ++round) {
        PX_TRY(px_stop_check(s->threads));
        px_cloth_collide_join(c, *left, k.up);
        do {
            find_motions(&k);
            leave_walls(&k);
            move(&k);
        } while (join_bodies(&k));
        PX_TRY(px_cloth_collide_crossing(c, left));
    }
    return PX_OK;
}
