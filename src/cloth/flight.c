#include "cloth/flight.h"

#include "base/mat3.h"

#include "cloth/balance.h"
#include "cloth/contact.h"
#include "cloth/gas.h"

#include <math.h>
#include <string.h>

#define TURNS 1e-4     /* rad a step from which a piece has a frame */
#define FASTER 0.005   /* the same with BDF2, whose past is that of the world: a frame ends it */
#define EXACT 1e-5     /* tolerance of a solve with a frame */
#define NOTHING 1e-12  /* of the energy of the centre: what does not count beside it */
#define ROUNDING 1e-12 /* of an energy */

enum { FREE, HELD, BDF2 };

/* A piece at one moment. */
typedef struct Flight {
    double mass;
    PxVec3 centre, velocity; /* of mass */
    PxVec3 spin;             /* angular momentum about it */
    double kinetic;          /* relative to it */
    PxMat3 inertia;
} Flight;

/* What a piece gets at the end of a step. */
typedef struct Change {
    PxVec3 shift;       /* of the velocity of the centre */
    PxVec3 turns, turn; /* W that it has, and is to have */
    double keep;        /* factor of u' */
} Change;

static void add_inertia(PxMat3 *inertia, double mass, PxVec3 r)
{
    PxMat3 all = px_mat3_scale(px_mat3_identity(), px_dot(r, r));
    *inertia = px_mat3_add(*inertia, px_mat3_scale(px_mat3_sub(all, px_mat3_outer(r, r)), mass));
}

static void sum_flights(const PxClothStep *s, const PxVec3 *x, const PxVec3 *v, Flight *flight)
{
    const PxClothSystem *y = s->system;
    memset(flight, 0, (y->pieces + 1) * sizeof *flight);
    for (uint32_t i = 0; i < y->vertices; ++i) {
        Flight *f = &flight[y->piece[i]];
        f->mass += s->mass[i];
        f->centre = px_mad(f->centre, x[i], s->mass[i]);
        f->velocity = px_mad(f->velocity, v[i], s->mass[i]);
    }
    for (uint32_t k = 0; k < y->pieces; ++k) {
        if (!(flight[k].mass > 0))
            continue;
        flight[k].centre = px_scale(flight[k].centre, 1 / flight[k].mass);
        flight[k].velocity = px_scale(flight[k].velocity, 1 / flight[k].mass);
    }
    for (uint32_t i = 0; i < y->vertices; ++i) {
        Flight *f = &flight[y->piece[i]];
        PxVec3 arm = px_sub(x[i], f->centre), u = px_sub(v[i], f->velocity);
        f->spin = px_mad(f->spin, px_cross(arm, u), s->mass[i]);
        f->kinetic += 0.5 * s->mass[i] * px_dot(u, u);
        add_inertia(&f->inertia, s->mass[i], arm);
    }
}

/* I^-1 L; false: all are on a line. */
static bool turn_of(const Flight *f, PxVec3 spin, PxVec3 *turn)
{
    double trace = px_mat3_trace(f->inertia);
    PxMat3 inverse;
    *turn = px_vec(0, 0, 0);
    if (!(px_mat3_determinant(f->inertia) > 1e-12 * trace * trace * trace) ||
        !px_mat3_inverse(f->inertia, &inverse))
        return false;
    *turn = px_mat3_apply(inverse, spin);
    return true;
}

/* Elastic energy by piece where forces were evaluated, which is at x. */
static void sum_elastic(const PxClothStep *s, const PxVec3 *x, double *elastic)
{
    const PxClothSystem *y = s->system;
    uint32_t last = UINT32_MAX;
    memset(elastic, 0, (y->pieces + 1) * sizeof *elastic);
    for (uint32_t t = 0; t < y->faces; ++t)
        elastic[y->piece[y->face[t].corner[0]]] += s->face[t].energy;
    for (uint32_t h = 0; h < y->hinges; ++h)
        elastic[y->piece[y->hinge[h].corner[0]]] += s->hinge[h].energy;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        if (y->of_vertex[i] != last)
            elastic[y->piece[i]] += px_cloth_gas_energy(y, s->law, y->of_vertex[i], x);
        last = y->of_vertex[i];
    }
}

static bool is_loaded(const PxClothStep *s, uint32_t i)
{
    return px_cloth_is_pushed(s, i) || px_length(s->push[i]) > 0;
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* Sets the motion by which a vertex turns, what it does by itself in the frame, and the guess: that
 * the piece is in balance. */
static void enter(PxClothStep *s, const PxClothFlight *flight, const Flight *f, uint32_t i)
{
    PxVec3 turn = flight->turn[s->system->piece[i]], drift = flight->drift[s->system->piece[i]];
    double angle = px_length(turn) * s->dt;
    PxVec3 r = px_sub(s->x[i], f->centre);
    PxVec3 own = px_sub(px_sub(s->v[i], f->velocity), px_cross(turn, r));
    PxQuat by = px_quat_turn(turn, angle), back = px_quat_turn(turn, -angle);
    PxVec3 outward = px_cross(turn, px_cross(r, turn));
    px_cloth_restart(s, i);
    s->spun[i] = px_mad(drift, px_sub(px_rotate(by, r), r), 1 / s->dt);
    s->w[i] = px_add(s->spun[i], px_rotate(back, own));
    s->u[i] = px_mad(s->w[i], px_rotate(by, outward), s->dt);
}

/* Turns what turns, and takes forces there. */
static PxStatus take_turns(const PxClothFlight *out, PxClothStep *s, const Flight *flight)
{
    const PxClothSystem *y = s->system;
    PxVec3 *x = s->x;
    for (uint32_t i = 0; i < y->vertices; ++i) /* momentum is kept only between vertices of the
                                                * same integration */
        if (s->law[y->of_vertex[i]].collides)
            px_cloth_restart(s, i);
    s->spun = PX_ARENA_ARRAY(s->scratch, PxVec3, y->vertices + 1);
    s->tangent = PX_ARENA_ARRAY(s->scratch, PxVec3, y->vertices + 1);
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *end = PX_ARENA_ARRAY(s->scratch, PxVec3, y->vertices + 1);
    if (end == NULL || s->spun == NULL || s->tangent == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", y->vertices);
    for (uint32_t i = 0; i < y->vertices; ++i) {
        s->spun[i] = px_vec(0, 0, 0);
        if (px_length(out->turn[y->piece[i]]) > 0)
            enter(s, out, &flight[y->piece[i]], i);
        s->tangent[i] = s->spun[i];
        end[i] = px_mad(x[i], s->tangent[i], s->dt);
    }
    s->x = end;
    px_cloth_evaluate(s);
    s->x = x;
    s->again = false;
    s->tolerance = fmin(s->tolerance, EXACT);
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

/* Marks pieces that something holds or touches; false: all are. */
static bool any_free(const PxClothStep *s, uint8_t *held)
{
    const PxClothSystem *y = s->system;
    uint32_t count = s->contacts != NULL ? s->contacts->count : 0, free = 0;
    memset(held, 0, y->pieces + 1);
    for (uint32_t i = 0; i < y->vertices; ++i)
        if (!held[y->piece[i]] && (is_loaded(s, i) || s->law[y->of_vertex[i]].pressure > 0))
            held[y->piece[i]] = HELD; /* gas pushes at the places of the start */
    for (uint32_t k = 0; k < count; ++k) {
        const PxClothContact *c = &s->contacts->contact[k];
        for (int n = 0; n < px_cloth_contact_corners(c); ++n)
            held[y->piece[c->vertex[n]]] = HELD;
    }
    for (uint32_t k = 0; k < y->pieces; ++k)
        free += !held[k];
    return free > 0;
}

PxStatus px_cloth_flight_begin(PxClothFlight *out, PxClothStep *s, bool frames)
{
    const PxClothSystem *y = s->system;
    *out = (PxClothFlight){.elastic = PX_ARENA_ARRAY(s->scratch, double, y->pieces + 1),
                           .turn = PX_ARENA_ARRAY(s->scratch, PxVec3, y->pieces + 1),
                           .drift = PX_ARENA_ARRAY(s->scratch, PxVec3, y->pieces + 1)};
    uint8_t *held = PX_ARENA_ARRAY(s->scratch, uint8_t, y->pieces + 1);
    Flight *flight = PX_ARENA_ARRAY(s->scratch, Flight, y->pieces + 1);
    if (out->elastic == NULL || out->turn == NULL || out->drift == NULL || held == NULL ||
        flight == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pieces", y->pieces);
    memset(out->turn, 0, (y->pieces + 1) * sizeof *out->turn);
    if (!any_free(s, held))
        return PX_OK;
    bool turns = false;
    for (uint32_t i = 0; i < y->vertices; ++i)
        if (s->law[y->of_vertex[i]].integration == PX_CLOTH_BDF2 && !held[y->piece[i]])
            held[y->piece[i]] = BDF2;
    sum_elastic(s, s->x, out->elastic);
    sum_flights(s, s->x, s->v, flight);
    for (uint32_t k = 0; k < y->pieces; ++k) {
        bool fast = frames && held[k] != HELD &&
                    turn_of(&flight[k], flight[k].spin, &out->turn[k]) &&
                    px_length(out->turn[k]) * s->dt > (held[k] == BDF2 ? FASTER : TURNS);
        if (!fast)
            out->turn[k] = px_vec(0, 0, 0);
        out->drift[k] = px_mad(flight[k].velocity, s->gravity, s->dt);
        turns = turns || fast;
    }
    return turns ? take_turns(out, s, flight) : PX_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Marks pieces that nothing touches and that have a frame or a past. Contacts store energy that is
 * not counted here. */
static void find_flying(const PxClothFlight *flight, const PxClothStep *s, const PxVec3 *at,
                        uint8_t *flies)
{
    const PxClothSystem *y = s->system;
    uint32_t count = s->contacts != NULL ? s->contacts->count : 0;
    memset(flies, 1, y->pieces + 1);
    for (uint32_t i = 0; i < y->vertices; ++i)
        if (flies[y->piece[i]] &&
            (!(px_length(flight->turn[y->piece[i]]) > 0 || px_cloth_has_past(s, i)) ||
             is_loaded(s, i) || px_length(px_sub(at[i], px_mad(s->x[i], s->w[i], s->dt))) > 0))
            flies[y->piece[i]] = 0;
    for (uint32_t k = 0; k < count; ++k)
        for (int n = 0; n < px_cloth_contact_corners(&s->contacts->contact[k]); ++n)
            flies[y->piece[s->contacts->contact[k].vertex[n]]] = 0;
}

/* The angular momentum and the velocity of the centre that a piece is to have. */
static Change change_of(const PxClothStep *s, const Flight *a, const Flight *b, double keeps,
                        double elastic[2], double *over)
{
    PxVec3 spin = px_scale(a->spin, keeps);
    Change c = {.keep = 1};
    if (!(keeps < 1 - ROUNDING)) /* gravity is constant, so the velocity of the centre is known */
        c.shift = px_sub(px_mad(a->velocity, s->gravity, s->dt), b->velocity);
    *over = 0;
    if (!turn_of(b, b->spin, &c.turns))
        return c;
    turn_of(b, spin, &c.turn);
    double whole = a->kinetic + elastic[0];
    double turning = 0.5 * px_dot(spin, c.turn);
    double rest = fmax(b->kinetic - 0.5 * px_dot(b->spin, c.turns), 0);
    double left = whole - elastic[1] - turning;
    if (rest <= left)
        return c;
    c.keep = left > 0 ? sqrt(left / rest) : 0;
    if (left < -ROUNDING * whole) { /* the energy decides */
        *over = -left;
        c.turn = px_scale(c.turn, sqrt(fmax(1 + left / turning, 0)));
    }
    return c;
}

typedef struct Work {
    uint8_t *flies;
    Flight *start, *end;
    Change *change;
    double *elastic;
    double *keeps; /* by piece: part of the angular momentum that damping by mass leaves */
} Work;

static PxStatus begin(PxClothStep *s, Work *w)
{
    uint32_t n = s->system->pieces + 1;
    *w = (Work){PX_ARENA_ARRAY(s->scratch, uint8_t, n), PX_ARENA_ARRAY(s->scratch, Flight, n),
                PX_ARENA_ARRAY(s->scratch, Flight, n),  PX_ARENA_ARRAY(s->scratch, Change, n),
                PX_ARENA_ARRAY(s->scratch, double, n),  PX_ARENA_ARRAY(s->scratch, double, n)};
    if (w->flies == NULL || w->start == NULL || w->end == NULL || w->change == NULL ||
        w->elastic == NULL || w->keeps == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u pieces", n - 1);
    return PX_OK;
}

/* Elastic energies at the end by piece; false: none counts beside the motion of the centres. */
static bool find_elastic(const PxClothFlight *flight, PxClothStep *s, Work *w, PxVec3 *at)
{
    const PxClothSystem *y = s->system;
    bool counts = false;
    for (uint32_t k = 0; k < y->pieces; ++k) {
        const Flight *a = &w->start[k];
        double centre = 0.5 * a->mass * px_dot(a->velocity, a->velocity);
        counts = counts || (w->flies[k] && a->kinetic + flight->elastic[k] > NOTHING * centre);
    }
    if (!counts)
        return false;
    PxVec3 *x = s->x;
    s->x = at;
    px_cloth_evaluate(s);
    s->x = x;
    sum_elastic(s, at, w->elastic);
    return true;
}

static void find_changes(const PxClothFlight *flight, PxClothStep *s, Work *w, bool counts,
                         double *over)
{
    const PxClothSystem *y = s->system;
    for (uint32_t i = 0; i < y->vertices; ++i) {
        double alpha = s->law[y->of_vertex[i]].alpha;
        double keeps = px_cloth_has_past(s, i) ? exp(-alpha * s->dt) : 1 / (1 + alpha * s->dt);
        w->keeps[y->piece[i]] += keeps * s->mass[i] / w->start[y->piece[i]].mass;
    }
    for (uint32_t k = 0; k < y->pieces; ++k) {
        double energy[2] = {counts ? flight->elastic[k] : 0, counts ? w->elastic[k] : 0}, more;
        if (w->flies[k]) {
            w->change[k] = change_of(s, &w->start[k], &w->end[k], w->keeps[k], energy, &more);
            bool turns = counts && px_length(flight->turn[k]) > 0; /* else it is rounding */
            *over = fmax(*over, turns ? more / (w->start[k].kinetic + energy[0]) : 0);
        }
    }
}

/* Velocities at the end of pieces that turn. */
static void leave(const PxClothFlight *flight, const PxClothStep *s, const Flight *end,
                  const PxVec3 *at, PxVec3 *more)
{
    const uint32_t *piece = s->system->piece;
    for (uint32_t i = 0; i < s->system->vertices; ++i) {
        PxVec3 turn = flight->turn[piece[i]];
        if (!(px_length(turn) > 0))
            continue;
        PxVec3 with = px_cross(turn, px_sub(at[i], end[piece[i]].centre));
        PxVec3 drift = px_add(flight->drift[piece[i]], with);
        more[i] = px_sub(drift, s->spun[i]);
    }
}

PxStatus px_cloth_flight_end(PxClothFlight *flight, PxClothStep *s, PxVec3 *at,
                             const PxVec3 *velocity, PxVec3 *more)
{
    const PxClothSystem *y = s->system;
    Work w;
    uint32_t flying = 0;
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *v = PX_ARENA_ARRAY(s->scratch, PxVec3, y->vertices + 1);
    PX_TRY(begin(s, &w));
    if (v == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", y->vertices);
    memset(more, 0, y->vertices * sizeof *more);
    if (s->spun != NULL) {
        sum_flights(s, at, velocity, w.end);
        leave(flight, s, w.end, at, more);
    }
    find_flying(flight, s, at, w.flies);
    for (uint32_t k = 0; k < y->pieces; ++k)
        flying += w.flies[k] > 0;
    for (uint32_t i = 0; i < y->vertices && flying > 0; ++i)
        v[i] = px_add(velocity[i], more[i]);
    if (flying > 0) {
        sum_flights(s, s->x, s->v, w.start);
        sum_flights(s, at, v, w.end);
        memset(w.keeps, 0, (y->pieces + 1) * sizeof *w.keeps);
        find_changes(flight, s, &w, find_elastic(flight, s, &w, at), &flight->over);
    }
    for (uint32_t i = 0; i < y->vertices && flying > 0; ++i) {
        uint32_t k = y->piece[i];
        const Flight *b = &w.end[k];
        const Change *c = &w.change[k];
        if (!w.flies[k])
            continue;
        PxVec3 r = px_sub(at[i], b->centre), u = px_sub(v[i], b->velocity);
        PxVec3 own = px_sub(u, px_cross(c->turns, r));
        PxVec3 by = px_add(px_cross(px_sub(c->turn, c->turns), r), px_scale(own, c->keep - 1));
        more[i] = px_add(more[i], px_add(c->shift, by));
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}
