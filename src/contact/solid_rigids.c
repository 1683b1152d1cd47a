#include "contact/solid_rigids.h"

#include "base/mat3.h"
#include "contact/solid_rebound.h"
#include "solid/friction.h"

#include <math.h>
#include <string.h>

/* A body that yields. */
typedef struct PxSolidYield {
    PxBoundary *boundary;
    PxVec3 velocity, spin;  /* by the contacts in this step, m/s and rad/s */
    PxVec3 shift, angle;    /* and the displacement and rotation, m and rad */
    PxVec3 impulse, torque; /* taken in this step, N s and N m s */
    PxVec3 force, moment;   /* now, N and N m; the moment is about its centre */
    double stiff;           /* sum of the contacts' stiffness over its inertia, 1/s^2 */
    PxVec3 centre;          /* of mass, at the moment that was reached */
    double when;            /* that moment */
    uint32_t first, end;    /* its hits */
    double energy, size;    /* of its contacts, J; distance of the furthest row from it, m */
    /* implicit steps: */
    double from;         /* moment at which the sub-step starts */
    PxVec3 start[2];     /* shift and angle then */
    PxVec3 trial[2];     /* velocity and spin in it */
    PxMat3 inertia;      /* kg m^2 */
    double factor[6][6]; /* lower triangle: see factor() */
} Yield;

/* A row that may meet a body. */
typedef struct PxSolidHit {
    uint32_t row, yield;
    bool on;
    double gap, force, stiff, energy;
    PxVec3 place, normal;
    double friction;
    PxVec3 rubbed; /* implicit: impulse of friction so far in the sub-step, N s */
    /* leapfrog: */
    double before; /* gap at the forces before, m; 0: it was no contact */
    double seen;   /* moment of these forces */
    PxVec3 met;    /* where the row was then, in the body's motion without contacts */
    double owed;   /* impulse that friction has not followed yet, N s */
    PxVec3 stuck;  /* displacement that friction resists (solid/friction.h), m */
    PxVec3 rub;    /* force of friction on the row, N */
} Hit;

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* ---- where a body is --------------------------------------------------------- */

/* Puts a body where it is at moment `when`, if it moves on with its velocity. */
static void put(const PxSolidRigids *r, Yield *y, double when)
{
    const PxBoundary *b = y->boundary;
    double dt = (when - y->when) * r->solid->dt;
    y->shift = px_mad(y->shift, y->velocity, dt);
    y->angle = px_mad(y->angle, y->spin, dt);
    y->centre = px_add(b->ops->carry(b, 0, b->pivot, when), y->shift);
    y->when = when;
}

static PxVec3 turned(PxVec3 angle, PxVec3 v)
{
    double size = px_length(angle);
    return size > 0 ? px_rotate(px_quat_turn(angle, size), v) : v;
}

/* The place in the motion without contacts that has come to `place`. */
static PxVec3 unmoved(const Yield *y, PxVec3 place)
{
    PxVec3 lever = turned(px_scale(y->angle, -1), px_sub(place, y->centre));
    return px_add(px_sub(y->centre, y->shift), lever);
}

static double distance_to(const Yield *y, PxVec3 place, PxVec3 *normal)
{
    double d = px_boundary_distance(y->boundary, y->when, unmoved(y, place), normal);
    *normal = turned(y->angle, *normal);
    return d;
}

static PxVec3 velocity_at(const Yield *y, PxVec3 place)
{
    const PxBoundary *b = y->boundary;
    PxVec3 own = turned(y->angle, b->ops->velocity(b, y->when, unmoved(y, place)));
    PxVec3 lever = px_sub(place, y->centre);
    return px_add(own, px_add(y->velocity, px_cross(y->spin, lever)));
}

/* Change of the velocity at `place` along the unit vector n by a unit impulse along it, 1/kg. */
static double yields_by(const Yield *y, PxVec3 place, PxVec3 n)
{
    PxVec3 lever = px_cross(px_sub(place, y->centre), n);
    return y->boundary->per_mass + px_dot(lever, px_mat3_apply(y->boundary->per_inertia, lever));
}

/* The boundary moves evenly during the step. Here gravity and contacts among rigid bodies act
 * during all of it, as on the solids (PxBoundary.within), without the load of solids that its
 * motion contains. The body gains a part of that change. */
static PxVec3 gained(const Yield *y, double part)
{
    const PxBoundary *b = y->boundary;
    return px_scale(px_mad(b->within[1], b->expected[0], -b->per_mass), part);
}

static PxVec3 turned_by(const Yield *y, double part)
{
    const PxBoundary *b = y->boundary;
    return px_scale(px_mat3_apply(b->per_inertia, b->expected[1]), -part);
}

static void force(Yield *y, double part)
{
    y->velocity = px_add(y->velocity, gained(y, part));
    y->spin = px_add(y->spin, turned_by(y, part));
}

/* The body takes an impulse at a place. */
static void take(Yield *y, PxVec3 impulse, PxVec3 torque)
{
    const PxBoundary *b = y->boundary;
    y->impulse = px_add(y->impulse, impulse);
    y->torque = px_add(y->torque, torque);
    y->velocity = px_mad(y->velocity, impulse, b->per_mass);
    y->spin = px_add(y->spin, px_mat3_apply(b->per_inertia, torque));
}

/* ---- who may meet ------------------------------------------------------------- */

typedef struct Ball {
    PxVec3 centre;
    double radius, reach; /* of the frame; of its rows in the step */
} Ball;

static Ball ball_of(const PxSolid *s, const PxSolidFrame *f)
{
    Ball ball = {.centre = px_add(px_mat3_apply(f->turn, f->middle), f->move)};
    double g = px_length(s->gravity);
    for (uint32_t i = f->begin; i < f->end; ++i) {
        PxVec3 v = vec_of(s->v + 4 * (size_t)i), a = vec_of(s->a + 4 * (size_t)i);
        double way = 2 * s->dt * (px_length(v) + s->dt * (px_length(a) + g));
        ball.radius = fmax(ball.radius, px_length(px_sub(px_solid_place(s, i), ball.centre)));
        ball.reach = fmax(ball.reach, 2 * (double)s->particles->radius[i] + way);
    }
    return ball;
}

/* Bodies, and rows near them; counts only if hit is NULL. */
static uint32_t find(const PxSolidRigids *r, const Ball *ball, Hit *hit)
{
    const PxSolid *s = r->solid;
    uint32_t count = 0;
    for (uint32_t k = 0; k < r->yields; ++k) {
        const PxBoundary *b = r->yield[k].boundary;
        double travel = 2 * b->ops->travel(b);
        for (uint32_t f = 0; f < s->frames; ++f) {
            double margin = ball[f].reach + travel;
            double d = px_boundary_distance(b, 0, ball[f].centre, NULL);
            if (d > ball[f].radius + margin)
                continue;
            for (uint32_t i = s->frame[f].begin; i < s->frame[f].end; ++i) {
                if (!(px_boundary_distance(b, 0, px_solid_place(s, i), NULL) < margin))
                    continue;
                if (hit != NULL)
                    hit[count] = (Hit){.row = i, .yield = k};
                ++count;
            }
        }
    }
    return count;
}

/* ---- forces ---------------------------------------------------------------------- */

/* Part of the radius below which the energy is continued by its quadratic expansion, in case a row
 * gets into a body. */
#define DEEP 0.05

/* Radii from the body within which friction that is owed still acts, as at walls. */
#define NEAR 0.05

typedef struct Range {
    const PxSolidRigids *rigids;
    uint32_t first;
} Range;

/* As in contact/solid_rub.c: gaps that change slower than TREMBLES sqrt(gravity radius) are damped,
 * and contacts that stick, at DAMPED of the critical rate. Undamped, a solid that lies on a body
 * trembles for ever and slips whenever it presses less. */
#define TREMBLES 0.1
#define DAMPED 0.3

static double damping_of(const Hit *h, double light, double dt)
{
    return fmin(2 * DAMPED * sqrt(h->stiff / light), 0.25 / (light * dt));
}

static void calm(const PxSolid *s, const Yield *y, Hit *h, double dt)
{
    double slow = TREMBLES * sqrt(px_length(s->gravity) * (double)s->particles->radius[h->row]);
    double light = (double)s->inverse_mass[h->row] + yields_by(y, h->place, h->normal);
    if (!(slow > 0) || !(h->gap > 0))
        return;
    double rate = (h->gap - h->before) / dt, part = rate / slow;
    h->force = fmax(h->force - damping_of(h, light, dt) * rate / (1 + part * part), 0);
}

static PxVec3 along(const Hit *h, PxVec3 v)
{
    return px_mad(v, h->normal, -px_dot(v, h->normal));
}

/* Friction by leapfrog: a force that resists the displacement along the contact. */
static void rub_against(const PxSolid *s, const Yield *y, Hit *h, double dt)
{
    const PxBoundary *b = y->boundary;
    PxVec3 way;
    double closing;
    if (dt > 0) {
        PxVec3 to = px_sub(b->ops->carry(b, h->seen, h->met, y->when), y->centre);
        to = px_add(y->centre, turned(y->angle, px_add(to, y->shift)));
        way = px_sub(h->place, to);
        closing = (h->before - h->gap) / dt;
    } else { /* a new contact, or the start of a step */
        PxVec3 v = px_sub(px_solid_in_world(s, s->v, h->row), velocity_at(y, h->place));
        way = px_scale(v, s->moved);
        closing = -px_dot(v, h->normal);
        dt = s->moved;
    }
    way = along(h, way);
    PxFrictionLoad load = {.force = h->force,
                           .friction = h->friction,
                           .closing = closing,
                           .sliding = dt > 0 ? px_length(way) / dt : 0,
                           .light = (double)s->inverse_mass[h->row],
                           .radius = (double)s->particles->radius[h->row],
                           .gravity = px_length(s->gravity),
                           .dt = dt};
    double grip = h->friction * px_friction_load(&h->owed, &load);
    double give = fmax(px_friction_give((double)s->particles->radius[h->row]), 2 * grip / h->stiff);
    PxVec3 stuck = px_add(along(h, h->stuck), way);
    double size = px_length(stuck), x = fmin(size / give, 1);
    h->stuck = px_scale(stuck, size > give ? give / size : 1);
    h->rub = px_scale(h->stuck, -grip / give * px_friction_secant(x));
    size = px_length(way);
    if (size > 0) {
        PxVec3 n = px_scale(way, 1 / size);
        double light = (double)s->inverse_mass[h->row] + yields_by(y, h->place, n);
        h->rub = px_mad(h->rub, way, -damping_of(h, light, dt) / dt);
    }
    size = px_length(h->rub);
    h->rub = px_scale(h->rub, size > grip ? grip / size : 1);
}

static void hit_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Range *range = user;
    const PxSolidRigids *r = range->rigids;
    const PxSolid *s = r->solid;
    for (uint32_t k = begin; k < end; ++k) {
        Hit *h = &r->hit[range->first + k];
        uint32_t i = h->row;
        const Yield *y = &r->yield[h->yield];
        double g0 = (double)s->particles->radius[i];
        h->place = px_solid_place(s, i);
        h->gap = distance_to(y, h->place, &h->normal);
        /* A row that has just left still has the friction that is owed. */
        h->on = h->gap < g0 || (!r->implicit && h->owed > 0 && h->gap < (1 + NEAR) * g0);
        if (!h->on) {
            h->before = h->owed = 0;
            h->stuck = h->rub = px_vec(0, 0, 0);
            continue;
        }
        double modulus = (double)s->stiff[0][i] + (double)s->volume[i] +
                         (s->orthotropic ? 0 : (double)s->stiff[1][i]);
        double spring = 2 * modulus * g0, d = fmax(fmin(h->gap, g0), DEEP * g0);
        double in = fmin(h->gap, g0) - d;
        h->stiff = spring * g0 * g0 / (d * d);
        h->force = spring * (g0 - d) * g0 / d - h->stiff * in;
        h->energy = spring * (g0 * g0 * log(g0 / d) - g0 * (g0 - d)) -
                    spring * (g0 - d) * g0 / d * in + 0.5 * h->stiff * in * in;
        const PxMaterialDef *m = &s->material[s->particles->material[i]].def;
        h->friction = sqrt(m->friction * y->boundary->friction);
        h->rubbed = px_vec(0, 0, 0);
        if (r->implicit)
            continue;
        double dt = h->before > 0 ? (y->when - h->seen) * s->dt : 0;
        if (dt > 0)
            calm(s, y, h, dt);
        rub_against(s, y, h, dt);
        h->before = fmax(h->gap, 1e-30);
        h->seen = y->when;
        h->met = unmoved(y, h->place);
    }
}

/* As in contact/solid_solids.c. */
#define CLOSING 0.3
#define STABLE 0.5

/* Forces of the contacts of one body, and their energy. */
static void evaluate_one(PxSolidRigids *r, uint32_t number)
{
    Yield *y = &r->yield[number];
    Range range = {r, y->first};
    y->force = y->moment = px_vec(0, 0, 0);
    y->stiff = y->energy = 0;
    px_parallel_for(r->solid->threads, y->end - y->first, 64, hit_block, &range);
    for (uint32_t k = y->first; k < y->end; ++k) {
        const Hit *h = &r->hit[k];
        if (!h->on)
            continue;
        PxVec3 force = px_sub(px_scale(h->normal, -h->force), h->rub);
        y->force = px_add(y->force, force);
        y->moment = px_add(y->moment, px_cross(px_sub(h->place, y->centre), force));
        y->stiff += h->stiff * yields_by(y, h->place, h->normal);
        y->energy += h->energy;
    }
}

/* All bodies; *limit: the longest sub-step, s. */
static double evaluate(PxSolidRigids *r, double *limit)
{
    const PxSolid *s = r->solid;
    double energy = 0;
    *limit = INFINITY;
    for (uint32_t k = 0; k < r->yields; ++k) {
        evaluate_one(r, k);
        energy += r->yield[k].energy;
        *limit = fmin(*limit, STABLE * 2 / sqrt(r->yield[k].stiff + 1e-30));
    }
    for (uint32_t k = 0; k < r->hits; ++k) {
        const Hit *h = &r->hit[k];
        if (!h->on)
            continue;
        PxVec3 v =
            px_sub(px_solid_in_world(s, s->v, h->row), velocity_at(&r->yield[h->yield], h->place));
        double closing = -px_dot(v, h->normal), light = (double)s->inverse_mass[h->row];
        *limit = fmin(*limit, STABLE * 2 / sqrt(h->stiff * light + 1e-30));
        if (closing > 0 && h->gap > 0)
            *limit = fmin(*limit, CLOSING * h->gap / closing);
    }
    return energy;
}

/* ---- implicit steps ------------------------------------------------------------- */

/* In an implicit sub-step the body moves such that, for the rows' present places, the sum of the
 * contacts' energy and of
 *   1/2 (q - q0)^T M (q - q0),   q: velocity and spin at the end of the sub-step, q0: at its start
 * is least. With q eliminated in this way the rows' energy has the contact forces as its gradient,
 * so the solids' solve includes the bodies; its tangent is a Schur complement. */

/* Direction in which a body's motion changes the gap of a contact: normal, and its moment. */
static void slope_of(const Yield *y, const Hit *h, double a[6])
{
    PxVec3 turn = px_cross(px_sub(h->place, y->centre), h->normal);
    const double slope[6] = {h->normal.x, h->normal.y, h->normal.z, turn.x, turn.y, turn.z};
    memcpy(a, slope, sizeof slope);
}

/* A = M / dt^2 + sum of stiff a a^T over the contacts of a body, as its Cholesky factor. */
static void factor(const PxSolidRigids *r, uint32_t number, double dt)
{
    Yield *y = &r->yield[number];
    double(*m)[6] = y->factor;
    memset(m, 0, sizeof y->factor);
    for (int k = 0; k < 3; ++k) {
        m[k][k] = 1 / (y->boundary->per_mass * dt * dt);
        for (int l = 0; l < 3; ++l)
            m[3 + k][3 + l] = y->inertia.m[k][l] / (dt * dt);
    }
    for (uint32_t n = y->first; n < y->end; ++n) {
        double a[6];
        if (!r->hit[n].on)
            continue;
        slope_of(y, &r->hit[n], a);
        for (int k = 0; k < 6; ++k)
            for (int l = 0; l <= k; ++l)
                m[k][l] += r->hit[n].stiff * a[k] * a[l];
    }
    for (int k = 0; k < 6; ++k)
        for (int l = 0; l <= k; ++l) {
            double sum = m[k][l];
            for (int c = 0; c < l; ++c)
                sum -= m[k][c] * m[l][c];
            m[k][l] = k == l ? sqrt(fmax(sum, 1e-300)) : sum / m[l][l];
        }
}

static void solve(const Yield *y, double x[6])
{
    for (int k = 0; k < 6; ++k) {
        for (int c = 0; c < k; ++c)
            x[k] -= y->factor[k][c] * x[c];
        x[k] /= y->factor[k][k];
    }
    for (int k = 5; k >= 0; --k) {
        for (int c = k + 1; c < 6; ++c)
            x[k] -= y->factor[c][k] * x[c];
        x[k] /= y->factor[k][k];
    }
}

/* Velocity and spin at the end of the sub-step without contacts. */
static PxVec3 start_of(const PxSolidRigids *r, const Yield *y)
{
    return px_add(y->velocity, gained(y, r->solid->when - y->from));
}

static PxVec3 spin_of(const PxSolidRigids *r, const Yield *y)
{
    return px_add(y->spin, turned_by(y, r->solid->when - y->from));
}

/* Puts a body where its velocity of the sub-step takes it, and evaluates its contacts. Returns the
 * sum that is to be least. */
static double try_motion(PxSolidRigids *r, uint32_t number, PxVec3 velocity, PxVec3 spin)
{
    Yield *y = &r->yield[number];
    const PxBoundary *b = y->boundary;
    double dt = (r->solid->when - y->from) * r->solid->dt;
    y->when = r->solid->when;
    y->trial[0] = velocity;
    y->trial[1] = spin;
    y->shift = px_mad(y->start[0], velocity, dt);
    y->angle = px_mad(y->start[1], spin, dt);
    y->centre = px_add(b->ops->carry(b, 0, b->pivot, y->when), y->shift);
    evaluate_one(r, number);
    PxVec3 dv = px_sub(velocity, start_of(r, y)), dw = px_sub(spin, spin_of(r, y));
    return y->energy +
           0.5 * (px_dot(dv, dv) / b->per_mass + px_dot(dw, px_mat3_apply(y->inertia, dw)));
}

/* Newton iterations of a body's motion. */
#define ROUNDS 20

/* Accuracy of a body's displacement in a sub-step, in radii of the rows. */
#define ACCURACY 1e-6

static double find_motion(PxSolidRigids *r, uint32_t number)
{
    Yield *y = &r->yield[number];
    const PxBoundary *b = y->boundary;
    const PxSolid *s = r->solid;
    double dt = (s->when - y->from) * s->dt;
    double phi = try_motion(r, number, y->trial[0], y->trial[1]);
    if (!(dt > 0) || y->first == y->end)
        return phi;
    double near = ACCURACY * (double)s->particles->radius[r->hit[y->first].row];
    for (int round = 0; round < ROUNDS; ++round) {
        PxVec3 v = y->trial[0], w = y->trial[1];
        PxVec3 dv = px_scale(px_sub(v, start_of(r, y)), 1 / (b->per_mass * dt));
        PxVec3 dw = px_scale(px_mat3_apply(y->inertia, px_sub(w, spin_of(r, y))), 1 / dt);
        PxVec3 off = px_sub(y->force, dv), turn = px_sub(y->moment, dw);
        double x[6] = {off.x, off.y, off.z, turn.x, turn.y, turn.z};
        factor(r, number, dt);
        solve(y, x);
        double part = 1 / dt, before = phi;
        PxVec3 way = px_vec(x[0], x[1], x[2]), angle = px_vec(x[3], x[4], x[5]);
        for (int half = 0; half < 12; ++half, part *= 0.5) {
            phi = try_motion(r, number, px_mad(v, way, part), px_mad(w, angle, part));
            if (phi <= before + 1e-9 * fabs(before))
                break;
        }
        if (px_length(way) + y->size * px_length(angle) < near)
            break;
    }
    factor(r, number, dt);
    return phi;
}

/* ---- what the integration calls ---------------------------------------------------- */

static double find_forces(void *user, PxSolid *s)
{
    PxSolidRigids *r = user;
    double energy = r->inner != NULL ? r->inner->forces(r->inner->user, s) : 0, limit;
    r->solid = s;
    if (r->implicit) {
        for (uint32_t k = 0; k < r->yields; ++k)
            energy += find_motion(r, k);
        limit = INFINITY;
    } else
        energy += evaluate(r, &limit);
    if (r->inner == NULL)
        s->reach = r->reach;
    s->reach = fmin(s->reach, fmax(limit, 2 * s->min_step));
    /* groups with a rigid body do not keep their momenta alone: a number that no frame has */
    for (uint32_t k = 0; k < s->frames; ++k)
        r->group[k] = r->inner != NULL ? r->inner->group[k] : k;
    for (uint32_t k = 0; k < r->hits; ++k) {
        if (!r->hit[k].on)
            continue;
        uint32_t group = r->group[s->frame_of[r->hit[k].row]];
        for (uint32_t f = 0; group < s->frames && f < s->frames; ++f)
            r->group[f] = r->group[f] == group ? s->frames : r->group[f];
    }
    return energy;
}

static void add_forces(void *user, PxSolid *s)
{
    const PxSolidRigids *r = user;
    if (r->inner != NULL)
        r->inner->add(r->inner->user, s);
    for (uint32_t k = 0; k < r->hits; ++k) {
        const Hit *h = &r->hit[k];
        if (h->on)
            px_solid_add(s, s->a, h->row, px_mad(h->rub, h->normal, h->force),
                         (double)s->inverse_mass[h->row]);
    }
}

static void add_tangent(void *user, const float *quad, float *out)
{
    const PxSolidRigids *r = user;
    const PxSolid *s = r->solid;
    if (r->inner != NULL)
        r->inner->tangent(r->inner->user, quad, out);
    for (uint32_t k = 0; k < r->yields; ++k) {
        const Yield *y = &r->yield[k];
        double x[6] = {0}, a[6];
        bool any = false;
        for (uint32_t n = y->first; n < y->end; ++n) {
            const Hit *h = &r->hit[n];
            if (!h->on)
                continue;
            any = true;
            slope_of(y, h, a);
            double opening = h->stiff * px_dot(h->normal, px_solid_in_world(s, quad, h->row));
            for (int c = 0; c < 6; ++c)
                x[c] += opening * a[c];
        }
        if (!any)
            continue;
        solve(y, x); /* the body's displacement */
        for (uint32_t n = y->first; n < y->end; ++n) {
            const Hit *h = &r->hit[n];
            if (!h->on)
                continue;
            slope_of(y, h, a);
            double opening = px_dot(h->normal, px_solid_in_world(s, quad, h->row));
            for (int c = 0; c < 6; ++c)
                opening -= a[c] * x[c];
            px_solid_add(s, out, h->row, h->normal, -h->stiff * opening);
        }
    }
}

/* ---- friction ------------------------------------------------------------------ */

#define PASSES 4

static void rub(const PxSolidRigids *r, Hit *h, double dt)
{
    PxSolid *s = r->solid;
    Yield *y = &r->yield[h->yield];
    PxVec3 v = px_sub(px_solid_in_world(s, s->v, h->row), velocity_at(y, h->place));
    v = px_mad(v, h->normal, -px_dot(v, h->normal));
    double speed = px_length(v);
    if (!(speed > 0) && !(px_length(h->rubbed) > 0))
        return;
    PxVec3 along = speed > 0 ? px_scale(v, 1 / speed) : px_vec(0, 0, 0);
    double light = (double)s->inverse_mass[h->row] + yields_by(y, h->place, along);
    PxVec3 all = px_mad(h->rubbed, v, -1 / light);
    double size = px_length(all), most = h->friction * h->force * dt;
    if (size > most)
        all = px_scale(all, most / size);
    PxVec3 impulse = px_sub(all, h->rubbed);
    h->rubbed = all;
    px_solid_add(s, s->v, h->row, impulse, (double)s->inverse_mass[h->row]);
    PxVec3 back = px_scale(impulse, -1);
    take(y, back, px_cross(px_sub(h->place, y->centre), back));
}

/* Restitution of the solids: each gets back a part of the force of its contacts with a body while
 * it drives them apart, and so does the body. Hits are in the order of rows, so of frames. */
static void rebound(PxSolidRigids *r, double dt)
{
    PxSolid *s = r->solid;
    for (uint32_t k = 0; k < r->hits;) {
        Yield *y = &r->yield[r->hit[k].yield];
        PxSolidStrike strike = {.frame = s->frame_of[r->hit[k].row], .dt = dt};
        bool asked = px_solid_restitution(s, strike.frame) < 1;
        PxVec3 moment = {0, 0, 0};
        for (; k < y->end && s->frame_of[r->hit[k].row] == strike.frame; ++k) {
            const Hit *h = &r->hit[k];
            if (!asked || !h->on)
                continue;
            PxVec3 push = px_scale(h->normal, h->force);
            strike.force = px_add(strike.force, push);
            strike.moment =
                px_add(strike.moment, px_cross(px_sub(h->place, s->frame[0].move), push));
            moment = px_add(moment, px_cross(px_sub(h->place, y->centre), push));
            strike.power -= px_dot(push, velocity_at(y, h->place));
        }
        if (!(px_dot(strike.force, strike.force) > 0))
            continue;
        const PxBoundary *b = y->boundary;
        strike.light = b->per_mass * px_dot(strike.force, strike.force) +
                       px_dot(moment, px_mat3_apply(b->per_inertia, moment));
        double back = px_solid_rebound_off(s, &strike);
        if (back > 0)
            take(y, px_scale(strike.force, back), px_scale(moment, back));
    }
}

static void add_impulses(void *user, double dt)
{
    PxSolidRigids *r = user;
    if (r->inner != NULL)
        r->inner->friction(r->inner->user, dt);
    for (uint32_t k = 0; r->implicit && k < r->yields; ++k) {
        Yield *y = &r->yield[k];
        force(y, y->when - y->from);
        take(y, px_scale(y->force, dt), px_scale(y->moment, dt));
        y->from = y->when;
        y->start[0] = y->shift;
        y->start[1] = y->angle;
    }
    rebound(r, dt);
    for (int pass = 0; r->implicit && pass < PASSES; ++pass)
        for (uint32_t k = 0; k < r->hits; ++k)
            if (r->hit[k].on)
                rub(r, &r->hit[k], dt);
}

/* Friction between solids in an implicit solve. */
static bool grip(void *user, double dt)
{
    const PxSolidRigids *r = user;
    return r->inner != NULL && r->inner->grip(r->inner->user, dt);
}

static double add_rubbing(void *user, const float *quad, float *out)
{
    const PxSolidRigids *r = user;
    return r->inner != NULL ? r->inner->rub(r->inner->user, quad, out) : 0;
}

static void stick(void *user, const float *quad)
{
    const PxSolidRigids *r = user;
    if (r->inner != NULL)
        r->inner->stick(r->inner->user, quad);
}

/* Where leapfrog keeps what friction resists; implicit steps keep that of walls there. */
#define STUCK 3

static PxVec3 stored(const PxSolid *s, uint32_t i, double *owed)
{
    *owed = (double)s->columns.owed[1][i];
    float *const *column = s->columns.stuck + STUCK;
    PxVec3 stuck = px_vec((double)column[0][i], (double)column[1][i], (double)column[2][i]);
    return px_mat3_apply(s->frame[s->frame_of[i]].turn, stuck);
}

static void store(const PxSolid *s, uint32_t i, PxVec3 stuck, double owed)
{
    s->columns.owed[1][i] = (float)owed;
    float *const *column = s->columns.stuck + STUCK;
    stuck = px_mat3_apply(px_mat3_transpose(s->frame[s->frame_of[i]].turn), stuck);
    column[0][i] = (float)stuck.x;
    column[1][i] = (float)stuck.y;
    column[2][i] = (float)stuck.z;
}

/* ---- the step ---------------------------------------------------------------------- */

PxStatus px_solid_rigids_begin(PxSolidRigids *r, PxSolid *s)
{
    r->solid = s;
    r->hits = r->yields = 0;
    r->when = 0;
    for (size_t k = 0; k < r->boundaries; ++k)
        r->yields += r->boundary[k]->per_mass > 0;
    if (r->yields == 0)
        return PX_OK;
    Ball *ball = PX_ARENA_ARRAY(s->scratch, Ball, s->frames);
    r->yield = PX_ARENA_ARRAY(s->scratch, Yield, r->yields);
    r->group = PX_ARENA_ARRAY(s->scratch, uint32_t, s->frames);
    if (ball == NULL || r->yield == NULL || r->group == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u rigid bodies", r->yields);
    for (size_t k = 0, n = 0; k < r->boundaries; ++k) {
        PxBoundary *y = r->boundary[k];
        if (!(y->per_mass > 0))
            continue;
        PxVec3 slower = y->within[0];
        r->yield[n++] =
            (Yield){.boundary = y, .centre = y->pivot, .velocity = slower, .trial[0] = slower};
    }
    for (uint32_t k = 0; k < s->frames; ++k)
        ball[k] = ball_of(s, &s->frame[k]);
    r->hits = find(r, ball, NULL);
    if (r->hits == 0)
        return PX_OK;
    r->hit = PX_ARENA_ARRAY(s->scratch, Hit, px_round_up(r->hits, 1u << 10));
    if (r->hit == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", r->hits);
    find(r, ball, r->hit);
    for (uint32_t k = 0; !r->implicit && k < r->hits; ++k)
        r->hit[k].stuck = stored(s, r->hit[k].row, &r->hit[k].owed);
    for (uint32_t k = 0, n = 0; k < r->yields; ++k) {
        Yield *y = &r->yield[k];
        y->first = n;
        while (n < r->hits && r->hit[n].yield == k) {
            PxVec3 lever = px_sub(px_solid_place(s, r->hit[n++].row), y->centre);
            y->size = fmax(y->size, px_length(lever));
        }
        y->end = n;
        if (!px_mat3_inverse(y->boundary->per_inertia, &y->inertia))
            y->inertia = (PxMat3){0};
    }
    r->press = (PxSolidPress){.user = r,
                              .forces = find_forces,
                              .add = add_forces,
                              .tangent = add_tangent,
                              .friction = add_impulses,
                              .grip = grip,
                              .rub = add_rubbing,
                              .stick = stick,
                              .group = r->group};
    return PX_OK;
}

double px_solid_rigids_reach(PxSolidRigids *r)
{
    const PxSolid *s = r->solid;
    double limit, speed = 0;
    if (r->hits == 0)
        return INFINITY;
    evaluate(r, &limit);
    if (!r->implicit)
        return fmax(limit, 2 * s->min_step);
    for (uint32_t k = 0; k < r->hits; ++k) { /* radii a second */
        const Hit *h = &r->hit[k];
        PxVec3 v =
            px_sub(px_solid_in_world(s, s->v, h->row), velocity_at(&r->yield[h->yield], h->place));
        speed = fmax(speed, px_length(v) / (double)s->particles->radius[h->row]);
    }
    return speed > 0 ? 0.5 / speed : INFINITY;
}

/* Leapfrog, like the solids: the forces of the last evaluation act for half of the sub-step before
 * and half of that after it. */
void px_solid_rigids_move(PxSolidRigids *r, double when)
{
    if (r->hits == 0)
        return;
    for (uint32_t k = 0; k < r->yields; ++k) {
        Yield *y = &r->yield[k];
        if (r->implicit)
            continue;
        double dt = 0.5 * (when - r->when) * r->solid->dt + r->half;
        force(y, dt / r->solid->dt);
        take(y, px_scale(y->force, dt), px_scale(y->moment, dt));
        put(r, y, when);
    }
    r->half = 0.5 * (when - r->when) * r->solid->dt;
    r->when = when;
}

void px_solid_rigids_end(PxSolidRigids *r)
{
    for (uint32_t k = 0; !r->implicit && k < r->hits; ++k)
        store(r->solid, r->hit[k].row, px_vec(0, 0, 0), 0);
    for (uint32_t k = 0; !r->implicit && k < r->hits; ++k)
        if (r->hit[k].on) /* of several bodies, the last */
            store(r->solid, r->hit[k].row, r->hit[k].stuck, r->hit[k].owed);
    for (uint32_t k = 0; r->hits > 0 && k < r->yields; ++k) {
        Yield *y = &r->yield[k];
        if (!r->implicit) /* the second half of the last sub-step */
            take(y, px_scale(y->force, r->half), px_scale(y->moment, r->half));
        if (!r->silent)
            px_boundary_take_moment(y->boundary, y->impulse, y->torque);
        y->boundary->shifted = y->shift;
        y->boundary->turned = y->angle;
        y->boundary->loaded[0] = y->impulse;
        y->boundary->loaded[1] = y->torque;
    }
}
