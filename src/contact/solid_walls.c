#include "contact/solid_walls.h"

#include "contact/piece_walls.h"
#include "solid/friction.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct Touch {
    PxSolidWalls *walls;
    PxSolid *solid;
    double when;
    _Atomic uint64_t caught, leaked;
    _Atomic uint32_t stuck; /* lowest row that leaked */
} Touch;

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* ---- who may meet a boundary ------------------------------------------------- */

static void note_distance(PxSolidWalls *w, const PxSolid *s, uint32_t i, double nearest)
{
    float *last = w->last + 4 * (size_t)i;
    for (size_t c = 0; c < 3; ++c)
        last[c] = s->u[4 * (size_t)i + c];
    last[3] = (float)nearest;
}

/* Could the row have reached a boundary since its last test? 1.0001 covers rounding. */
static bool is_due(const PxSolidWalls *w, const PxSolid *s, uint32_t i, double radius)
{
    const float *last = w->last + 4 * (size_t)i, *u = s->u + 4 * (size_t)i;
    float x = u[0] - last[0], y = u[1] - last[1], z = u[2] - last[2];
    double moved = 1.0001 * sqrt((double)(x * x + y * y + z * z)) + w->travel;
    return !((double)last[3] - moved > 1.0001 * radius);
}

/* How far boundaries are searched for, radii: rows that are farther away are tested again when they
 * have moved that far. */
#define SEARCHED 8.0

/* A particle that froze at a boundary may lie closer to it than its radius. Moving it out would
 * strain the solid, so it stays where it is; see docs/decisions.md. */
#define FROZEN_IN 0.999
#define LEAST_RADIUS 0.25

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Touch *t = user;
    const PxSolid *s = t->solid;
    PxSolidWalls *w = t->walls;
    double g = px_length(s->gravity);
    for (uint32_t i = begin; i < end; ++i) {
        const float *v = s->v + 4 * (size_t)i, *a = s->a + 4 * (size_t)i;
        double speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        double push = sqrt((double)(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])) + g;
        double radius = (double)s->particles->radius[i];
        /* twice the predicted displacement plus a radius, since neighbours also pull */
        double reach = 2 * radius + 2 * s->dt * (speed + s->dt * push) + w->travel;
        PxVec3 x = px_solid_place(s, i), normal;
        double nearest = fmax(1.0001 * reach, SEARCHED * radius);
        for (size_t k = 0; k < w->boundaries; ++k)
            if (px_solid_walls_stands(w, k))
                nearest = fmin(nearest, px_boundary_near(w->boundary[k], 0, x, nearest, &normal));
        w->near[i] = nearest < reach;
        bool frozen_in = nearest < FROZEN_IN * radius;
        w->radius[i] = (float)(frozen_in ? fmax(nearest, LEAST_RADIUS * radius) : radius);
        w->by[i] = PX_NO_BOUNDARY;
        note_distance(w, s, i, nearest);
    }
}

/* Materials with rest-shape updates have no restitution of the whole body among fluids: the wall
 * that the tip of a jet strikes must not affect its far end. */
static double restitution_of(const PxSolid *s, const PxSolidFrame *f)
{
    const PxMaterialDef *def = &s->material[s->particles->material[f->begin]].def;
    return s->flows && def->absorb > 0 ? 1 : def->restitution;
}

static bool some_restitution(const PxSolid *s)
{
    for (uint32_t k = 0; k < s->frames; ++k)
        if (restitution_of(s, &s->frame[k]) < 1)
            return true;
    return false;
}

/* Impulse for a row's boundary, accumulated over the sub-steps per row, because a sum over rows
 * that does not depend on threads is expensive. */
typedef struct PxSolidLoad {
    PxVec3 impulse, torque;
} Load;

PxStatus px_solid_walls_begin(PxSolidWalls *w, PxSolid *s)
{
    w->caught = w->leaked = 0;
    w->stuck = UINT32_MAX;
    w->near = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    w->last = PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count);
    w->push = some_restitution(s) ? PX_ARENA_ARRAY(s->scratch, float, 4 * (size_t)s->count) : NULL;
    w->radius = PX_ARENA_ARRAY(s->scratch, float, s->count);
    w->by = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    w->load = PX_ARENA_ARRAY(s->scratch, Load, s->count);
    w->speed = PX_ARENA_ARRAY(s->scratch, PxVec3, s->frames);
    if (w->near == NULL || w->last == NULL || w->radius == NULL || w->by == NULL ||
        w->load == NULL || (w->push == NULL && some_restitution(s)) || w->speed == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    w->travel = px_boundaries_travel(w->boundary, w->boundaries);
    w->near_pieces = NULL;
    if (w->boundaries == 0) {
        memset(w->near, 0, s->count);
        return PX_OK;
    }
    Touch t = {.walls = w, .solid = s};
    px_parallel_for(s->threads, s->count, PX_BLOCK, near_block, &t);
    PX_TRY(px_piece_walls_begin(w, s));
    for (uint32_t k = 0; k < s->frames; ++k)
        w->speed[k] = s->frame[k].velocity;
    return PX_OK;
}

/* ---- what boundaries take ------------------------------------------------------ */

static void hand_over(const PxSolidWalls *w, uint32_t i)
{
    if (!w->silent && w->by[i] != PX_NO_BOUNDARY && w->boundary[w->by[i]]->ops->take == NULL)
        px_boundary_take_moment(w->boundary[w->by[i]], w->load[i].impulse, w->load[i].torque);
}

void px_solid_walls_note(PxSolidWalls *w, uint32_t i, uint32_t k, PxVec3 place, PxVec3 impulse)
{
    Load *load = &w->load[i];
    if (w->by[i] != k) { /* rare: contacts with two boundaries in one step */
        hand_over(w, i);
        w->by[i] = k;
        *load = (Load){{0, 0, 0}, {0, 0, 0}};
    }
    PxImpulse taken = {place, px_scale(impulse, -1)};
    if (w->boundary[k]->ops->take != NULL) {
        if (!w->silent)
            px_boundary_take(w->boundary[k], taken);
        return;
    }
    load->impulse = px_add(load->impulse, taken.impulse);
    load->torque = px_add(load->torque, px_boundary_moment(w->boundary[k], taken));
}

void px_solid_walls_end(PxSolidWalls *w, const PxSolid *s)
{
    for (uint32_t i = 0; i < s->count && w->boundaries > 0; ++i)
        hand_over(w, i);
}

/* ---- restitution ------------------------------------------------------------ */

/* A solid rebounds by its elasticity. Boundaries only stop the particles that meet them, so
 * restitution e acts while the body rebounds: the body as a whole gets only the fraction e^2 of the
 * speed that it gains away from the boundary. A mass m on a spring k then leaves by
 * m x'' = -e^2 k x, with e times its speed of arrival, after a rebound 1/e times as long. This
 * needs no stored state, never adds energy, and does not affect a body at rest. */

/* Floor of the restitution; at 0 a body could not recover from its compression. */
#define LEAST_RESTITUTION 0.05

/* Reduces the impulses on the boundaries by the momentum that the body loses, in proportion to
 * their contact impulses; it acts at the body's centre of mass. */
static void give_back(PxSolidWalls *w, const PxSolid *s, const PxSolidFrame *f, PxVec3 lost,
                      double pushes)
{
    PxVec3 middle = {0, 0, 0};
    double mass = 0;
    for (uint32_t i = f->begin; i < f->end; ++i)
        if (s->inverse_mass[i] != 0.0f) {
            double m = (double)s->particles->mass[i];
            middle = px_mad(middle, px_solid_place(s, i), m);
            mass += m;
        }
    middle = px_scale(middle, 1 / mass);
    lost = px_mat3_apply(f->turn, px_scale(lost, mass));
    for (uint32_t i = f->begin; i < f->end; ++i) {
        double share = px_length(vec_of(w->push + 4 * (size_t)i)) / pushes;
        if (share > 0)
            px_solid_walls_note(w, i, w->by[i], middle, px_scale(lost, -share));
    }
}

/* Applies restitution to one body. */
static void restitute(PxSolidWalls *w, PxSolid *s, uint32_t number)
{
    const PxSolidFrame *f = &s->frame[number];
    double e = fmax(restitution_of(s, f), LEAST_RESTITUTION);
    if (!(e < 1) || f->held)
        return;
    PxVec3 push = {0, 0, 0}, momentum = {0, 0, 0};
    double pushes = 0, wall = 0;
    for (uint32_t i = f->begin; i < f->end; ++i) {
        const float *by = w->push + 4 * (size_t)i;
        PxVec3 one = vec_of(by);
        push = px_add(push, one);
        pushes += px_length(one);
        wall += (double)by[3];
        momentum = px_mad(momentum, vec_of(s->v + 4 * (size_t)i), (double)s->particles->mass[i]);
    }
    PxVec3 before = w->speed[number], now = px_scale(momentum, 1 / f->mass);
    w->speed[number] = now;
    double length = px_length(push);
    if (!(length > 0))
        return;
    PxVec3 n = px_scale(push, 1 / length);
    double gained = fmin(px_dot(px_sub(now, before), n), px_dot(now, n) - wall / pushes);
    if (!(gained > 0))
        return;
    PxVec3 less = px_scale(n, (1 - e * e) * gained);
    w->speed[number] = px_sub(now, less);
    for (uint32_t i = f->begin; i < f->end; ++i) {
        float *v = s->v + 4 * (size_t)i;
        if (s->inverse_mass[i] == 0.0f) /* an emitter holds it */
            continue;
        v[0] -= (float)less.x;
        v[1] -= (float)less.y;
        v[2] -= (float)less.z;
    }
    give_back(w, s, f, less, pushes);
}

/* Sums run over rows in order, so that results do not depend on threads. */
static void restitute_all(PxSolidWalls *w, PxSolid *s)
{
    for (uint32_t k = 0; k < s->frames; ++k)
        restitute(w, s, k);
}

static void note_push(float *push, PxVec3 n, double size, double wall)
{
    push[0] += (float)(size * n.x);
    push[1] += (float)(size * n.y);
    push[2] += (float)(size * n.z);
    push[3] += (float)(size * wall);
}

/* ---- after a move ------------------------------------------------------------ */

/* Rows that lie on a boundary press in one sub-step and not in the next. If Coulomb's bound were
 * that of each sub-step alone, those that press would stop, the others slip, and the body would
 * tremble and creep down a slope. So friction follows the mean impulse: what a row presses adds to
 * what friction may stop, and of this a part is due in every sub-step, all of it within about
 * SMOOTH sqrt(radius / gravity) s. Impacts faster than FAST sqrt(gravity radius) have all of
 * theirs at once. Farther than NEAR radii from the boundary nothing is left. */
#define SMOOTH 0.2
#define FAST 1.0
#define NEAR 0.05
#define SLIDES 4.0

/* A row in the world's frame. */
typedef struct Ball {
    PxVec3 x, v;
    double radius;
    double grip; /* speed that friction may still stop, m/s */
    double due;  /* part of that in this sub-step */
    double fast; /* speed of an impact, m/s */
} Ball;

static Ball ball_of(const PxSolid *s, uint32_t i, const PxMat3 *turn, double radius)
{
    double g = px_length(s->gravity), time = SMOOTH * sqrt((double)s->particles->radius[i] / g);
    return (Ball){.x = px_solid_place(s, i),
                  .v = px_mat3_apply(*turn, vec_of(s->v + 4 * (size_t)i)),
                  .radius = radius,
                  .grip = (double)s->columns.grip[i],
                  .due = g > 0 ? s->moved / (s->moved + time) : 1,
                  .fast = FAST * sqrt(g * (double)s->particles->radius[i])};
}

/* If the ball touches the boundary, its velocity towards it is removed and its velocity along it is
 * reduced by Coulomb friction. `n` is the boundary's normal, `u` its velocity. */
static void stop_at(Ball *ball, PxVec3 u, PxVec3 n, double friction, bool touches)
{
    PxVec3 relative = px_sub(ball->v, u);
    double normal = px_dot(relative, n), into = touches && normal < 0 ? -normal : 0;
    PxVec3 along = px_mad(relative, n, -normal);
    ball->grip += friction * into;
    double speed = px_length(along);
    bool at_once = into > ball->fast || SLIDES * ball->grip < speed;
    double most = ball->grip * (at_once ? 1 : ball->due);
    double stop = fmin(speed, most);
    ball->grip -= most;
    ball->v = px_mad(px_mad(ball->v, n, into), along, speed > 0 ? -stop / speed : 0);
}

/* Moves row i out of boundary k; false: no contact. Lowers *nearest to the distance. */
static bool touch_one(const Touch *t, uint32_t i, uint32_t k, const PxMat3 *back, Ball *ball,
                      double *nearest)
{
    PxSolidWalls *w = t->walls;
    const PxSolid *s = t->solid;
    const PxBoundary *b = w->boundary[k];
    PxVec3 n;
    double d = px_boundary_distance(b, t->when, ball->x, &n);
    bool touches = d < ball->radius;
    *nearest = fmin(*nearest, d);
    if (!touches && !(ball->grip > 0 && d < (1 + NEAR) * ball->radius))
        return false;
    const PxMaterialDef *m = &s->material[s->particles->material[i]].def;
    PxVec3 before = ball->v, moving = b->ops->velocity(b, t->when, ball->x);
    if (touches)
        ball->x = px_mad(ball->x, n, ball->radius - d);
    stop_at(ball, moving, n, sqrt(m->friction * b->friction), touches);
    PxVec3 change = px_sub(ball->v, before);
    double mass = 1 / (double)s->inverse_mass[i], along = px_dot(change, n);
    if (w->push != NULL)
        note_push(w->push + 4 * (size_t)i, px_mat3_apply(*back, n), along * mass,
                  px_dot(moving, n));
    px_solid_walls_note(w, i, k, ball->x, px_scale(change, mass));
    /* Friction also corrects the displacement of this move; otherwise a body at rest on a slope
     * would creep down. */
    ball->x = px_mad(ball->x, px_mad(change, n, -along), s->moved);
    return true;
}

static bool is_inside(const PxSolidWalls *w, PxVec3 x, double depth)
{
    for (size_t k = 0; k < w->boundaries; ++k)
        if (px_solid_walls_stands(w, k) &&
            px_boundary_distance(w->boundary[k], 1, x, NULL) < -depth)
            return true;
    return false;
}

static void touch_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Touch *t = user;
    PxSolid *s = t->solid;
    PxSolidWalls *w = t->walls;
    uint64_t caught = 0, leaked = 0;
    for (uint32_t i = begin; i < end; ++i) {
        if (!w->near[i] || s->inverse_mass[i] == 0.0f)
            continue;
        double radius = (double)w->radius[i], nearest = INFINITY;
        if (!is_due(w, s, i, (1 + NEAR) * radius))
            continue;
        float *u = s->u + 4 * (size_t)i, *vq = s->v + 4 * (size_t)i;
        const PxMat3 turn = s->frame[s->frame_of[i]].turn, back = px_mat3_transpose(turn);
        float *grip = &s->columns.grip[i];
        Ball ball = ball_of(s, i, &turn, radius);
        PxVec3 start = ball.x;
        bool hit = false;
        /* a second round after a contact, for corners between two boundaries */
        for (int round = 0; round == 0 || (round == 1 && hit); ++round, ball.due = 0)
            for (uint32_t k = 0; k < w->boundaries; ++k)
                if (px_solid_walls_stands(w, k) && touch_one(t, i, k, &back, &ball, &nearest))
                    hit = true;
        *grip = nearest < (1 + NEAR) * radius ? (float)ball.grip : 0.0f;
        if (!hit) {
            note_distance(w, s, i, nearest);
            continue;
        }
        w->last[4 * (size_t)i + 3] = 0.0f; /* to be tested again */
        ++caught;
        PxVec3 way = px_mat3_apply(back, px_sub(ball.x, start));
        PxVec3 speed = px_mat3_apply(back, ball.v);
        u[0] += (float)way.x;
        u[1] += (float)way.y;
        u[2] += (float)way.z;
        vq[0] = (float)speed.x;
        vq[1] = (float)speed.y;
        vq[2] = (float)speed.z;
        if (t->when != 1 || !is_inside(w, ball.x, 0.01 * radius))
            continue;
        ++leaked;
        uint32_t lowest = atomic_load(&t->stuck);
        while (i < lowest && !atomic_compare_exchange_weak(&t->stuck, &lowest, i))
            ;
    }
    atomic_fetch_add_explicit(&t->caught, caught, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->leaked, leaked, memory_order_relaxed);
}

void px_solid_walls_touch(PxSolidWalls *w, PxSolid *s, double when)
{
    if (w->boundaries == 0)
        return;
    Touch t = {.walls = w, .solid = s, .when = when, .stuck = UINT32_MAX};
    if (w->push != NULL)
        memset(w->push, 0, 4 * (size_t)s->count * sizeof(float));
    px_parallel_for(s->threads, s->count, PX_BLOCK, touch_block, &t);
    if (w->push != NULL)
        restitute_all(w, s);
    w->caught += atomic_load(&t.caught);
    w->leaked += atomic_load(&t.leaked);
    w->stuck = atomic_load(&t.stuck);
    px_piece_walls_touch(w, s, when);
}

/* ---- for solves ------------------------------------------------------------- */

typedef struct Meet {
    PxSolidWalls *walls;
    PxSolid *solid;
    PxSolidContact *contact;
} Meet;

static void put(float to[3], PxVec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static void meet_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Meet *m = user;
    const PxSolid *s = m->solid;
    const PxSolidWalls *w = m->walls;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolidContact *c = &m->contact[i];
        double radius = (double)w->radius[i], nearest = INFINITY;
        PxVec3 x = px_solid_place(s, i), normal = {0, 0, 0};
        uint32_t found = PX_NO_BOUNDARY;
        c->gap = 1e30f;
        if (!c->on && !is_due(w, s, i, (1 + NEAR) * radius))
            continue;
        for (uint32_t k = 0; k < w->boundaries && w->near[i]; ++k) {
            PxVec3 n;
            if (!px_solid_walls_stands(w, k))
                continue;
            double d = px_boundary_distance(w->boundary[k], s->when, x, &n);
            if (d < nearest) {
                nearest = d;
                found = k;
                normal = n;
            }
        }
        if (found == PX_NO_BOUNDARY)
            continue;
        const PxBoundary *b = w->boundary[found];
        const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
        PxMat3 back = px_mat3_transpose(s->frame[s->frame_of[i]].turn);
        PxVec3 n = px_mat3_apply(back, normal);
        PxVec3 u = px_mat3_apply(back, b->ops->velocity(b, s->when, x));
        const float *v = s->v + 4 * (size_t)i;
        c->boundary = found;
        put(c->normal, n);
        put(c->velocity, u);
        c->gap = (float)(nearest - radius);
        c->friction = (float)sqrt(def->friction * b->friction);
        c->give = (float)px_friction_give(radius);
        c->before =
            (float)(px_dot(n, u) - ((double)v[0] * n.x + (double)v[1] * n.y + (double)v[2] * n.z));
    }
}

void px_solid_walls_meet(PxSolidWalls *w, PxSolid *s, PxSolidContact *contact)
{
    Meet m = {w, s, contact};
    px_parallel_for(s->threads, s->count, PX_BLOCK, meet_block, &m);
}

void px_solid_walls_rebound(PxSolidWalls *w, PxSolid *s, const PxSolidContact *contact)
{
    if (w->push != NULL)
        memset(w->push, 0, 4 * (size_t)s->count * sizeof(float));
    for (uint32_t i = 0; i < s->count; ++i) {
        const PxSolidContact *c = &contact[i];
        if (!c->on)
            continue;
        ++w->caught;
        PxVec3 n = vec_of(c->normal);
        const PxMat3 turn = s->frame[s->frame_of[i]].turn;
        px_solid_walls_note(w, i, c->boundary, px_solid_place(s, i),
                            px_mat3_apply(turn, vec_of(c->impulse)));
        if (w->push != NULL)
            note_push(w->push + 4 * (size_t)i, n, fmax(0, (double)c->pressed),
                      px_dot(vec_of(c->velocity), n));
    }
    if (w->push != NULL)
        restitute_all(w, s);
}
