/// Momentum and angular momentum of free cloth.
///
/// Elastic forces and contacts of a free group change neither its momentum nor its angular
/// momentum. A solve is not exact, so the impulses m d that it finds have a sum P. And a step of
/// implicit Euler does not keep angular momentum even if it is: forces at the end of the step have
/// no torque about the places x1 = x + dt w there, but sum m x1 x w = sum m x x w changes by their
/// torque T about the places x at the start, which is of second order in dt in every step.
/// So each group gets the rigid motion V + W x (x - c) of
///     M V = -P,   I W = -T
/// about its centre of mass c. W is limited such that it returns at most the energy that the step
/// takes away, kinetic and of the membrane: energy does not grow. A sheet of 1 m that turns once a
/// second in steps of 4 ms has 0.994 of its energy after 2 s, instead of 0.52.
#include "cloth/balance.h"

#include "base/union_find.h"

#include "cloth/bodies.h"
#include "cloth/contact.h"

#include <math.h>

#define SURELY 0.25 /* of 1/2 sum m d^2: the step has surely taken as much energy away */

typedef struct Group {
    bool held;      /* something outside acts on it */
    bool straight;  /* it gets no rotation */
    double mass;    /* kg */
    PxVec3 moment;  /* of mass, kg m */
    PxVec3 impulse; /* P, N s */
    PxVec3 torque;  /* T about the centre of mass, N m s */
    PxVec3 spin;    /* angular momentum about it, N m s */
    double inertia[6];
    double damped;              /* 1/2 sum m d^2, J */
    double lost;                /* kinetic energy, J */
    double stored[2];           /* growth of elastic energy without and with W, J */
    bool tight;                 /* more is returned than `damped`: energies count */
    PxVec3 centre, shift, turn; /* c, V, W */
} Group;

typedef struct Work {
    PxClothStep *s;
    uint32_t *up; /* by piece, and by body after the pieces */
    Group *group; /* the same; those of roots count */
} Work;

static uint32_t bodies_of(const PxClothStep *s)
{
    return s->bodies != NULL ? s->bodies->count : 0;
}

bool px_cloth_is_pushed(const PxClothStep *s, uint32_t i)
{
    const PxClothLaw *law = &s->law[s->system->of_vertex[i]];
    return s->hold[i] != PX_CLOTH_FREE || law->air > 0 || s->added[i].m[0] > 0 ||
           s->added[i].m[3] > 0 || s->added[i].m[5] > 0;
}

/* Marks pieces that are held; false: all are. */
static bool any_free(Work *w)
{
    const PxClothSystem *y = w->s->system;
    uint32_t free = y->pieces;
    for (uint32_t i = 0; i < y->vertices && free > 0; ++i) {
        Group *g = &w->group[y->piece[i]];
        if (g->held || !px_cloth_is_pushed(w->s, i))
            continue;
        g->held = true;
        --free;
    }
    return free > 0;
}

static void join_contacts(Work *w)
{
    const PxClothStep *s = w->s;
    uint32_t count = s->contacts != NULL ? s->contacts->count : 0;
    for (uint32_t k = 0; k < count; ++k) {
        const PxClothContact *c = &s->contacts->contact[k];
        uint32_t first = s->system->piece[c->vertex[0]];
        for (int n = 1; n < px_cloth_contact_corners(c); ++n)
            px_join(w->up, first, s->system->piece[c->vertex[n]]);
        if (c->body > 0)
            px_join(w->up, first, s->system->pieces + c->body - 1);
        else if (c->kind == PX_CLOTH_BOUNDARY)
            w->group[first].held = true;
    }
}

static void add_inertia(Group *g, double mass, PxVec3 at)
{
    double x = at.x, y = at.y, z = at.z;
    const double add[6] = {y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y};
    for (int k = 0; k < 6; ++k)
        g->inertia[k] += mass * add[k];
}

/* The mass with which a vertex resists d. */
static double weight_of(const PxClothStep *s, uint32_t i)
{
    return s->mass[i] * (s->inertia[i] + s->law[s->system->of_vertex[i]].alpha * s->dt);
}

/* What must be 0 in sum. Known forces are from outside; damping by mass acts on all of the
 * velocity. */
static PxVec3 impulse_on(const PxClothStep *s, uint32_t i)
{
    double alpha = s->law[s->system->of_vertex[i]].alpha;
    PxVec3 d = px_scale(px_sub(s->w[i], s->u[i]), weight_of(s, i));
    return px_mad(px_mad(d, s->u[i], alpha * s->dt * s->mass[i]), s->push[i], -s->dt);
}

/* The places at which forces are taken: after the turn of the step, for pieces with a frame. */
static PxVec3 place_of(const PxClothStep *s, uint32_t i)
{
    return s->spun != NULL ? px_mad(s->x[i], s->spun[i], s->dt) : s->x[i];
}

static Group *group_of(const Work *w, uint32_t k)
{
    return &w->group[px_root_of(w->up, k)];
}

static void sum_impulses(Work *w)
{
    const PxClothStep *s = w->s;
    const PxClothSystem *y = s->system;
    for (uint32_t k = 0; k < y->pieces + bodies_of(s); ++k) { /* those of the root */
        uint32_t root = px_root_of(w->up, k);
        if (w->group[k].held)
            w->group[root].held = true;
    }
    for (uint32_t i = 0; i < y->vertices; ++i) {
        Group *g = group_of(w, y->piece[i]);
        double m = weight_of(s, i);
        g->mass += m;
        g->moment = px_mad(g->moment, place_of(s, i), m);
        g->impulse = px_add(g->impulse, impulse_on(s, i));
        g->straight = g->straight || s->inertia[i] > 1;
    }
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        const PxClothBody *o = &s->bodies->body[n];
        Group *g = group_of(w, y->pieces + n);
        g->mass += o->mass;
        g->moment = px_mad(g->moment, o->centre, o->mass);
        g->impulse = px_add(g->impulse, px_mad(o->expected[0], o->change[0], o->mass));
        g->straight = g->straight || o->point;
    }
}

static void sum_torques(Work *w)
{
    const PxClothStep *s = w->s;
    const PxClothSystem *y = s->system;
    for (uint32_t k = 0; k < y->pieces + bodies_of(s); ++k)
        if (w->group[k].mass > 0)
            w->group[k].centre = px_scale(w->group[k].moment, 1 / w->group[k].mass);
    for (uint32_t i = 0; i < y->vertices; ++i) {
        Group *g = group_of(w, y->piece[i]);
        if (g->held || g->straight)
            continue;
        PxVec3 arm = px_sub(place_of(s, i), g->centre);
        PxVec3 d = px_sub(s->w[i], s->u[i]);
        g->torque = px_add(g->torque, px_cross(arm, impulse_on(s, i)));
        g->spin = px_mad(g->spin, px_cross(arm, s->w[i]), s->mass[i]);
        g->damped += 0.5 * s->mass[i] * px_dot(d, d);
        g->lost += 0.5 * s->mass[i] * (px_dot(s->u[i], s->u[i]) - px_dot(s->w[i], s->w[i]));
        add_inertia(g, weight_of(s, i), arm);
    }
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        const PxClothBody *o = &s->bodies->body[n];
        Group *g = group_of(w, y->pieces + n);
        if (g->held || g->straight)
            continue;
        PxVec3 arm = px_sub(o->centre, g->centre);
        PxVec3 given = px_mad(o->expected[0], o->change[0], o->mass);
        PxVec3 turned = px_add(o->expected[1], px_mat3_apply(o->inertia, o->change[1]));
        g->torque = px_add(g->torque, px_add(px_cross(arm, given), turned));
        add_inertia(g, o->mass, arm);
        const double(*m)[3] = o->inertia.m;
        const double add[6] = {m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2]};
        for (int k = 0; k < 6; ++k)
            g->inertia[k] += add[k];
    }
}

/* I^-1 t */
static PxVec3 turn_by(const double a[6], PxVec3 t)
{
    double c0 = a[3] * a[5] - a[4] * a[4], c1 = a[2] * a[4] - a[1] * a[5];
    double c2 = a[1] * a[4] - a[2] * a[3], det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    double trace = a[0] + a[3] + a[5];
    if (!(det > 1e-12 * trace * trace * trace)) /* all on a line */
        return px_vec(0, 0, 0);
    double c3 = a[0] * a[5] - a[2] * a[2], c4 = a[1] * a[2] - a[0] * a[4];
    double c5 = a[0] * a[3] - a[1] * a[1];
    return px_vec((c0 * t.x + c1 * t.y + c2 * t.z) / det, (c1 * t.x + c3 * t.y + c4 * t.z) / det,
                  (c2 * t.x + c4 * t.y + c5 * t.z) / det);
}

/* The rotation that takes the torque away. */
static PxVec3 turn_of(const Group *g)
{
    return px_scale(turn_by(g->inertia, g->torque), -1);
}

/* Kinetic energy that the rotation returns. */
static double returned(const Group *g)
{
    return px_dot(g->turn, px_mad(g->spin, g->torque, -0.5));
}

static PxVec3 turned(const Group *g, PxVec3 at)
{
    return px_cross(g->turn, px_sub(at, g->centre));
}

/* How much elastic energy of the membrane grows in the step: the rotation moves along tangents, so
 * it stretches too. */
static void add_stored(Work *w)
{
    const PxClothStep *s = w->s;
    const PxClothSystem *y = s->system;
    for (uint32_t t = 0; t < y->faces; ++t) {
        const uint32_t *c = y->face[t].corner;
        Group *g = group_of(w, y->piece[c[0]]);
        if (!g->tight)
            continue;
        PxClothLaw wet;
        const PxClothLaw *law = px_cloth_law_at(s, y->of_face[t], c, 3, &wet);
        PxVec3 start[3] = {s->x[c[0]], s->x[c[1]], s->x[c[2]]};
        PxClothFaceState at;
        px_cloth_membrane(law, &y->face[t], start, &at);
        for (int with = 0; with < 2; ++with) {
            PxVec3 x[3];
            PxClothFaceState end;
            for (int k = 0; k < 3; ++k) {
                PxVec3 v = s->w[c[k]];
                if (with)
                    v = px_add(v, turned(g, place_of(s, c[k])));
                x[k] = px_mad(s->x[c[k]], v, s->dt);
            }
            px_cloth_membrane(law, &y->face[t], x, &end);
            g->stored[with] += end.energy - at.energy;
        }
    }
}

static void find_turns(Work *w)
{
    const PxClothStep *s = w->s;
    uint32_t count = s->system->pieces + bodies_of(s);
    bool tight = false;
    for (uint32_t k = 0; k < count; ++k) {
        Group *g = &w->group[k];
        if (g->held || !(g->mass > 0))
            continue;
        g->shift = px_scale(g->impulse, -1 / g->mass);
        g->turn = g->straight ? px_vec(0, 0, 0) : turn_of(g);
        g->tight = returned(g) > SURELY * g->damped;
        tight = tight || g->tight;
    }
    if (!tight)
        return;
    add_stored(w);
    for (uint32_t k = 0; k < count; ++k) {
        Group *g = &w->group[k];
        double left[2] = {fmax(g->lost - g->stored[0], 0), g->lost - g->stored[1] - returned(g)};
        if (g->tight && left[1] < 0)
            g->turn = px_scale(g->turn, left[0] / (left[0] - left[1]));
    }
}

static void move(Work *w)
{
    PxClothStep *s = w->s;
    const PxClothSystem *y = s->system;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        const Group *g = group_of(w, y->piece[i]);
        if (g->held)
            continue;
        PxVec3 by = px_add(g->shift, turned(g, place_of(s, i)));
        s->w[i] = px_add(s->w[i], by);
    }
    for (uint32_t n = 0; n < bodies_of(s); ++n) {
        PxClothBody *o = &s->bodies->body[n];
        const Group *g = group_of(w, y->pieces + n);
        if (g->held)
            continue;
        PxVec3 by = px_add(g->shift, turned(g, o->centre));
        o->change[0] = px_add(o->change[0], by);
        o->change[1] = px_add(o->change[1], g->turn);
    }
}

PxStatus px_cloth_balance(PxClothStep *s)
{
    uint32_t count = s->system->pieces + bodies_of(s);
    PxArenaMark mark = px_arena_mark(s->scratch);
    Work w = {s, PX_ARENA_ARRAY(s->scratch, uint32_t, count + 1),
              PX_ARENA_ARRAY(s->scratch, Group, count + 1)};
    if (w.up == NULL || w.group == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pieces", count);
    for (uint32_t k = 0; k < count; ++k) {
        w.up[k] = k;
        w.group[k] =
            (Group){.held = k >= s->system->pieces && s->bodies->body[k - s->system->pieces].held};
    }
    if (any_free(&w)) {
        join_contacts(&w);
        sum_impulses(&w);
        sum_torques(&w);
        find_turns(&w);
        move(&w);
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
