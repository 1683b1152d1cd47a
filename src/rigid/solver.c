/// Motion of rigid bodies with contacts, by impulses in sub-steps.
///
/// A step is divided into intervals: contacts are found at the start of each. Points that may touch
/// within the interval are contacts already (speculative: they let bodies approach but not cross),
/// and an interval is so short that bodies near each other approach by less than their thickness;
/// so nothing passes through anything at any speed.
///
/// An interval is divided into sub-steps. Each accelerates the bodies, repeats the contacts'
/// impulses of the sub-step before, corrects them once with a soft push against overlap, moves the
/// bodies, and corrects the impulses again without that push, so that it leaves no speed
/// ("soft step", Catto 2023). One pass per sub-step converges better than many passes per step
/// (Macklin et al. 2019). Restitution follows at the end of an interval.
///
/// Passes are Gauss-Seidel in the order of colours (contact_passes.c). Bodies that do not touch,
/// directly or by others, do not influence each other's bits, so that those asleep can be left out.
#include "base/stop.h"
#include "rigid/solver_parts.h"
#include "base/spin.h"
#include "shape/shape_inner.h"

#include <stdlib.h>
#include <string.h>

/* Longest sub-step, as a part of sqrt(size / gravity) of the smallest body. */
#define SUBSTEP_PART 0.02

/* Frequency of the soft push times the length of a sub-step, and its damping ratio. */
#define PUSH_FREQUENCY 0.25
#define PUSH_DAMPING 10.0

/* Most passes over the contacts of a sub-step, and more while one would cross: fast impacts. */
#define MOST_PASSES 20
#define MORE_PASSES 100

/* Shortest sub-step to which fast impacts lead, over the length of a step. */
#define SHORTEST 1e-4

/* Bodies that hang together fall asleep when all were slow for this time, s. Those that were slow
 * for the longer time fall asleep if their neighbours were slow for the shorter one: a box that
 * rocks for ever keeps its neighbours awake, not the whole heap. */
#define SLEEP_AFTER 0.5
#define SLEEP_ALONE 1.0
/* Most parts of a step between searches for contacts. */
#define MOST_PARTS 10000

PxStatus px_solver_room(PxSolverRun *run, void **data, size_t *room, size_t count, size_t wanted,
                        size_t size)
{
    if (wanted <= *room)
        return PX_OK;
    size_t more = 2 * wanted + 64;
    void *block = px_arena_take_array(run->step->scratch, more, size);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %zu contacts", more);
    if (count > 0)
        memcpy(block, *data, count * size);
    *data = block;
    *room = more;
    return PX_OK;
}

PxSolverBody *px_solver_body(const PxSolverRun *run, uint32_t number)
{
    const PxRigidStep *s = run->step;
    uint32_t low = 0, high = s->rigids;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (s->rigid[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->rigids && s->rigid[low].number == number ? &run->body[low] : NULL;
}

/* ---- colliders --------------------------------------------------------------------- */

static void pose_body(PxSolverBody *b)
{
    PxQuat turn = px_quat_multiply(b->axes, px_quat_conjugate(b->of->mass.axes));
    b->turn = px_quat_normalized(turn);
    b->rotation = px_mat3_from_quat(b->turn);
    b->per_inertia = px_spin_inverse_inertia(b->of->mass.inertia, b->axes);
    b->collider.place = b->collider.middle = b->x;
    b->collider.turn = b->rotation;
}

static PxCollider collider_of(const PxRigid *r, const PxWall *wall)
{
    return (PxCollider){.wall = wall,
                        .features = r->features,
                        .pivot = r->mass.centre,
                        .place = r->place,
                        .middle = r->place,
                        .turn = px_mat3_from_quat(r->turn),
                        .own = px_mat3_from_quat(wall->shape->turn),
                        .radius = r->mass.radius,
                        .size = r->mass.thickness};
}

/* A wall at a moment of the step. */
static PxCollider wall_at(const PxRigidWall *w, double when)
{
    const PxWall *wall = w->wall;
    PxPose pose = px_pose_between(&wall->pose[0], &wall->pose[1], when);
    PxCollider c = {.wall = wall,
                    .features = w->features,
                    .pivot = wall->pivot,
                    .place = px_wall_to_world(wall, when, wall->pivot),
                    .turn =
                        px_wall_is_fixed(wall) ? px_mat3_identity() : px_mat3_from_quat(pose.turn),
                    .own = px_mat3_from_quat(wall->shape->turn),
                    .radius = INFINITY,
                    .size = px_shape_thickness(wall->shape),
                    .when = when};
    PxVec3 half = px_scale(px_sub(wall->bounds.high, wall->bounds.low), 0.5);
    if (!wall->inside && px_finite(half)) {
        c.radius = px_length(half);
        c.middle = px_wall_to_world(wall, when, px_add(wall->bounds.low, half));
    }
    return c;
}
/* A wall at a moment of the step as the end of a joint. */
static PxSolverBody mover_at(const PxSolverRun *run, uint32_t w, double when)
{
    const PxWall *wall = run->step->wall[w].wall;
    PxSolverBody b = {.held = true, .asleep = !(run->wall_speed[w] > 0), .x = wall->pivot};
    b.turn = px_quat_identity();
    if (!px_wall_is_fixed(wall)) {
        b.turn = px_pose_between(&wall->pose[0], &wall->pose[1], when).turn;
        b.x = px_wall_to_world(wall, when, wall->pivot);
        b.v = px_wall_velocity(wall, when, wall->pivot);
        b.w = px_scale(px_quat_rotation(px_quat_multiply(wall->pose[1].turn,
                                                         px_quat_conjugate(wall->pose[0].turn))),
                       1 / run->step->dt);
    }
    b.axes = b.turn;
    b.rotation = px_mat3_from_quat(b.turn);
    b.still = b.asleep ? SLEEP_AFTER : 0;
    return b;
}

/* ---- sub-steps --------------------------------------------------------------------- */

/* Moves a body whose motion is prescribed. */
static void carry(PxSolverBody *b, double h)
{
    b->x = px_mad(b->x, b->v, h);
    b->axes =
        px_quat_normalized(px_quat_multiply(px_quat_turn(b->w, px_length(b->w) * h), b->axes));
    if (b->of != NULL) {
        pose_body(b);
        b->per_inertia = px_mat3_scale(px_mat3_identity(), 0);
        return;
    }
    b->turn = b->axes;
    b->rotation = px_mat3_from_quat(b->turn);
}

/* A sub-step for all bodies. */
typedef struct Move {
    PxSolverRun *run;
    double h, since;
    bool any;
} Move;

static void accelerate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Move *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolverBody *b = &job->run->body[i];
        b->was_v = b->v;
        b->was_w = b->w;
        if (!px_solver_is_free(b))
            continue;
        b->v = px_mad(b->v, b->accelerates, job->h);
        b->w = px_add(b->w, px_scale(px_mat3_apply(b->per_inertia, b->twists), job->h));
    }
}

static void accelerate(PxSolverRun *run, double h)
{
    Move job = {.run = run, .h = h};
    px_parallel_for(run->step->threads, run->step->rigids, 128, accelerate_block, &job);
}

static void move_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Move *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolverBody *b = &job->run->body[i];
        if (b->asleep)
            continue;
        if (b->held) {
            carry(b, job->h);
            continue;
        }
        b->x = px_mad(b->x, b->v, job->h);
        px_spin_turn(b->of->mass.inertia, job->h, &b->axes, &b->w);
        pose_body(b);
    }
}

static void move_bodies(PxSolverRun *run, double h)
{
    const PxRigidStep *s = run->step;
    Move job = {.run = run, .h = h};
    px_parallel_for(s->threads, s->rigids, 64, move_block, &job);
    for (uint32_t w = 0; s->joints > 0 && w < s->walls; ++w)
        if (!run->mover[w].asleep)
            carry(&run->mover[w], h);
}

/* How far a body will be, at the end of the sub-step from `since` on, from where it was assumed to
 * be when its contacts were searched for. */
static double drift_of(const PxSolverBody *b, double since, double h)
{
    PxVec3 free = px_mad(b->ref_v, b->accelerates, since + h - b->since);
    double faster = px_length(px_sub(b->w, b->ref_w)) * b->collider.radius;
    return b->drift + h * (px_length(px_sub(b->v, free)) + faster);
}

/* Which bodies were hit: their contacts are due. */
static void due_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Move *job = user;
    bool any = false;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolverBody *b = &job->run->body[i];
        b->due = px_solver_is_free(b) && drift_of(b, job->since, job->h) > px_solver_slack(b);
        any = any || b->due;
    }
    if (!any)
        return;
    px_join_begin();
    job->any = true;
    px_join_end();
}

static void drift_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Move *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolverBody *b = &job->run->body[i];
        b->drift = px_solver_is_free(b) ? drift_of(b, job->since, job->h) : 0;
    }
}

/* Contacts are searched for again where bodies were hit, until none is: *done is false if the
 * interval must be shorter for them, at most run->limit. */
static PxStatus watch_hits(PxSolverRun *run, double since, double h, const PxSoft *soft, bool *done)
{
    enum { MOST_ROUNDS = 20 };
    const PxRigidStep *s = run->step;
    *done = true;
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        Move job = {.run = run, .h = h, .since = since};
        PX_TRY(px_stop_check(s->threads));
        px_parallel_for(s->threads, s->rigids, 128, due_block, &job);
        if (!job.any)
            break;
        double left = run->interval - since, longest;
        PX_TRY(px_solver_due_pairs(run, left, &longest));
        if (longest < left * (1 - 1e-9) && longest > SHORTEST * s->dt) {
            run->limit = longest;
            *done = false;
            return PX_OK;
        }
        PX_TRY(px_solver_more_contacts(run, left, since));
        px_solver_converge(run, h, soft, true, MOST_PASSES);
    }
    bool crosses = px_solver_crosses(run, h);
    if (crosses) {
        px_solver_converge(run, h, soft, false, MORE_PASSES);
        crosses = px_solver_crosses(run, h);
    }
    if (crosses && h > SHORTEST * s->dt) {
        run->limit = 0.5 * h;
        *done = false;
        return PX_OK;
    }
    Move job = {.run = run, .h = h, .since = since};
    px_parallel_for(s->threads, s->rigids, 128, drift_block, &job);
    return PX_OK;
}

/* Back to the start of the sub-step: the interval ends there. */
static void go_back(PxSolverRun *run, PxRigidJoint *joint)
{
    for (uint32_t i = 0; i < run->step->rigids; ++i) {
        run->body[i].v = run->body[i].was_v;
        run->body[i].w = run->body[i].was_w;
    }
    if (run->step->joints > 0)
        memcpy(run->step->joint, joint, run->step->joints * sizeof *joint);
    px_solver_recall(run);
}

/* Returns in *gone the time that was done: less than the interval if it must be shorter. */
static PxStatus substeps(PxSolverRun *run, uint32_t count, double *gone)
{
    PxRigidStep *s = run->step;
    double h = run->interval / count;
    PxSoft soft = px_soft(PUSH_FREQUENCY / h, PUSH_DAMPING, h);
    *gone = 0;
    for (uint32_t n = 0; n < count; ++n) {
        bool done;
        PX_TRY(px_stop_check(s->threads));
        if (s->joints > 0)
            memcpy(run->joint, s->joint, s->joints * sizeof *s->joint);
        accelerate(run, h);
        px_solver_laws(run, h);
        px_solver_joints(run, h, PX_JOINT_WARM);
        px_solver_repeat(run, h);
        px_solver_joints(run, h, PX_JOINT_PUSH);
        px_solver_converge(run, h, &soft, false, MOST_PASSES);
        PX_TRY(watch_hits(run, n * h, h, &soft, &done));
        if (!done) {
            go_back(run, run->joint);
            return PX_OK;
        }
        move_bodies(run, h);
        px_solver_joints(run, h, PX_JOINT_RELAX);
        px_solver_relax(run, h, (n + 1) * h, n + 1 < count);
        px_solver_load_joints(run);
        ++s->substeps;
        *gone = n + 1 < count ? (n + 1) * h : run->interval;
    }
    return PX_OK;
}

/* ---- crossing ---------------------------------------------------------------------- */

static PxVec3 rest_of(const PxCollider *c, PxVec3 world)
{
    return px_add(px_mat3_apply(px_mat3_transpose(c->turn), px_sub(world, c->place)), c->pivot);
}

/* A point of the body's matter in the world. */
static PxVec3 inner_of(const PxSolverBody *b, const PxCollider *pose)
{
    PxVec3 arm = px_sub(b->of->inner, b->of->mass.centre);
    return px_add(pose->place, px_mat3_apply(pose->turn, arm));
}

/* Did the point inside one body enter or pass the other since the start of the interval? */
static bool crossed(const PxSolverBody *b, const PxCollider *from, const PxCollider *to)
{
    PxBoundaryPath path = {
        {from->when, to->when},
        {rest_of(from, inner_of(b, &b->before)), rest_of(to, inner_of(b, &b->collider))}};
    return px_wall_passes(to->wall, &path, 0.01 * fmin(b->collider.size, to->size));
}

/* Can the path of that point have met the ball that holds the other body? */
static bool near_path(const PxSolverBody *b, const PxSolverBody *to)
{
    PxVec3 from = px_sub(inner_of(b, &b->before), to->before.place);
    PxVec3 until = px_sub(inner_of(b, &b->collider), to->collider.place);
    double reach = to->collider.radius + 0.5 * px_length(px_sub(until, from));
    return px_length(px_scale(px_add(from, until), 0.5)) <= reach;
}

typedef struct Count {
    const PxSolverRun *run;
    double end;
    uint32_t crossed;
} Count;

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Count *job = user;
    const PxSolverRun *run = job->run;
    uint32_t count = 0;
    for (uint32_t k = begin; k < end; ++k) {
        const PxSolverPair *pair = &run->pair[k];
        const PxSolverBody *a = &run->body[pair->a];
        if (pair->wall) {
            PxCollider now = wall_at(&run->step->wall[pair->b], job->end);
            count += crossed(a, &run->wall[pair->b], &now);
            continue;
        }
        const PxSolverBody *b = &run->body[pair->b];
        count += (near_path(a, b) && crossed(a, &b->before, &b->collider)) ||
                 (near_path(b, a) && crossed(b, &a->before, &a->collider));
    }
    if (count == 0)
        return;
    px_join_begin();
    job->crossed += count;
    px_join_end();
}

/* Pairs that passed into or through each other: an independent count, by the paths of points
 * inside the bodies. */
static uint32_t count_crossed(const PxSolverRun *run, double end)
{
    Count job = {.run = run, .end = end};
    px_parallel_for(run->step->threads, run->pairs, 256, count_block, &job);
    return job.crossed;
}

/* ---- sleep ------------------------------------------------------------------------- */

/* Bodies slower than this many times PX_SOLVER_SLOW that stand on several points lose their spin at
 * the rate ROCKING sqrt(gravity / size). */
#define ROCKING_BELOW 5.0
#define ROCKING 0.3

/* Boxes that rock on an edge would do so for seconds, and keep a whole heap awake: impulses without
 * restitution take nothing from a motion that never separates. */
static void stop_rocking(PxSolverRun *run, double interval)
{
    const PxRigidStep *s = run->step;
    for (uint32_t i = 0; i < s->rigids; ++i)
        run->body[i].loaded = 0;
    for (uint32_t k = 0; k < run->slots; ++k) {
        uint32_t count;
        const PxSolverContact *c = px_solver_slot(run, k, &count);
        for (const PxSolverContact *last = c + count; c < last; ++c) {
            if (!(c->most > 0) || c->soft)
                continue;
            ++run->body[c->a].loaded;
            if (c->b != PX_NOBODY)
                ++run->body[c->b].loaded;
        }
    }
    for (uint32_t i = 0; run->g > 0 && i < s->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        if (b->loaded < 2 || b->joined || !px_solver_is_free(b))
            continue;
        if (px_solver_speed(b) < ROCKING_BELOW * px_solver_slow(run, b))
            b->w = px_scale(b->w, 1 / (1 + ROCKING * sqrt(run->g / b->collider.size) * interval));
    }
}

static uint32_t root(PxSolverRun *run, uint32_t i)
{
    while (run->body[i].island != i)
        i = run->body[i].island = run->body[run->body[i].island].island;
    return i;
}

/* Two bodies that hang together. */
static void unite(PxSolverRun *run, PxSolverBody *one, PxSolverBody *two)
{
    uint32_t a = root(run, (uint32_t)(one - run->body));
    uint32_t b = root(run, (uint32_t)(two - run->body));
    if (a != b)
        run->body[a > b ? a : b].island = a < b ? a : b;
    one->calmest = fmin(one->calmest, two->still);
    two->calmest = fmin(two->calmest, one->still);
}

/* What a sleeping body stood on, or carried, has gone, however slowly. */
static void let_go(PxSolverBody *b)
{
    b->asleep = false;
    b->still = PX_SOLVER_DROWSY;
}

static void fall_asleep(PxSolverRun *run, double interval)
{
    PxRigidStep *s = run->step;
    if (!(run->g > 0))
        return;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        bool pushed = px_length(s->impulse[i]) > 0 || px_length(s->torque[i]) > 0;
        bool slow = !pushed && px_solver_speed(b) < px_solver_slow(run, b);
        b->island = i;
        if (!b->held)
            b->still = b->asleep ? b->still : slow ? b->still + interval : 0;
        b->calmest = b->still;
        b->least = INFINITY;
    }
    for (uint32_t k = 0; k < run->slots; ++k) {
        const PxSolverPair *pair = &run->pair[run->slot[k]];
        bool loaded = false, carries = false;
        for (uint32_t n = 0; n < pair->count; ++n) {
            loaded = loaded || run->contact[pair->first + n].most > 0;
            carries = carries || run->contact[pair->first + n].jn > 0;
        }
        if (pair->wall || run->body[pair->a].held || run->body[pair->b].held)
            continue;
        PxSolverBody *one = &run->body[pair->a], *two = &run->body[pair->b];
        if (pair->carried && !carries && one->asleep != two->asleep)
            let_go(one->asleep ? one : two);
        if (loaded)
            unite(run, one, two);
    }
    for (uint32_t k = 0; k < s->joints; ++k) {
        const PxRigidJoint *j = &s->joint[k];
        PxSolverBody *one = px_solver_body(run, j->a), *two = px_solver_end(run, j->b);
        if (j->broken || one == NULL)
            continue;
        bool motor = j->strength > 0 && j->speed != 0; /* a motor does not sleep */
        bool carried = two != NULL && two->held && !two->asleep;
        if ((motor || carried) && !one->asleep)
            one->still = 0;
        if (two == NULL || two->held || one->held)
            continue;
        unite(run, one, two);
    }
    for (uint32_t i = 0; i < s->rigids; ++i) { /* the least time of an island, at its root */
        PxSolverBody *r = &run->body[root(run, i)];
        r->least = fmin(r->least, run->body[i].still);
    }
    for (uint32_t i = 0; i < s->rigids; ++i) {
        PxSolverBody *b = &run->body[i];
        bool all = run->body[root(run, i)].least >= SLEEP_AFTER;
        bool alone = b->still >= SLEEP_ALONE && b->calmest >= SLEEP_AFTER;
        if (b->asleep || b->held || !(all || alone))
            continue;
        b->asleep = true;
        b->v = b->w = px_vec(0, 0, 0);
    }
}
/* ---- the step ---------------------------------------------------------------------- */

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxSolverRun *run = user;
    const PxRigidStep *s = run->step;
    for (uint32_t i = begin; i < end; ++i) {
        const PxRigid *r = &s->rigid[i];
        PxSolverBody *b = &run->body[i];
        *b = (PxSolverBody){.of = r,
                            .x = r->place,
                            .v = r->velocity,
                            .w = r->spin,
                            .axes = px_quat_multiply(r->turn, r->mass.axes),
                            .per_mass = 1 / r->mass.mass,
                            .collider = collider_of(r, s->shape[i]),
                            .still = s->wake ? 0 : r->still,
                            .asleep = r->asleep && !s->wake};
        bool pushed = px_length(s->impulse[i]) > 0 || px_length(s->torque[i]) > 0;
        if (b->asleep && pushed) {
            b->asleep = false;
            b->still = 0;
        }
        const PxRigidHold *hold = &s->hold[i];
        if (hold->held) {
            bool moves = px_length(hold->velocity) > 0 || px_length(hold->spin) > 0;
            b->held = true;
            b->v = hold->velocity;
            b->w = hold->spin;
            b->asleep = !moves;
            b->still = moves ? 0 : SLEEP_AFTER;
            b->per_mass = 0;
            pose_body(b);
            continue;
        }
        b->accelerates = px_mad(s->gravity, s->impulse[i], 1 / (r->mass.mass * s->dt));
        b->twists = px_scale(s->torque[i], 1 / s->dt);
        pose_body(b);
    }
}

static PxStatus begin(PxSolverRun *run)
{
    PxRigidStep *s = run->step;
    run->body = PX_ARENA_ARRAY(s->scratch, PxSolverBody, s->rigids + 1);
    run->wall = PX_ARENA_ARRAY(s->scratch, PxCollider, s->walls + 1);
    run->wall_speed = PX_ARENA_ARRAY(s->scratch, double, s->walls + 1);
    run->mover = PX_ARENA_ARRAY(s->scratch, PxSolverBody, s->walls + 1);
    run->joint = PX_ARENA_ARRAY(s->scratch, PxRigidJoint, s->joints + 1);
    run->extent = PX_ARENA_ARRAY(s->scratch, PxSolverExtent, s->rigids + 1);
    run->stray = PX_ARENA_ARRAY(s->scratch, uint32_t, s->rigids + 1);
    run->whirl = PX_ARENA_ARRAY(s->scratch, double, s->rigids + 1);
    run->bucket = PX_ARENA_ARRAY(s->scratch, uint32_t, s->rigids + 2);
    s->after = PX_ARENA_ARRAY(s->scratch, PxRigid, s->rigids + 1);
    if (run->body == NULL || run->wall == NULL || run->wall_speed == NULL || run->extent == NULL ||
        run->stray == NULL || run->whirl == NULL || run->bucket == NULL || run->mover == NULL ||
        run->joint == NULL || s->after == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %u", s->rigids);
    px_parallel_for(s->threads, s->rigids, 64, begin_block, run);
    for (uint32_t w = 0; w < s->walls; ++w) {
        const PxBoundary *b = &s->wall[w].wall->boundary;
        double travel = px_wall_is_still(s->wall[w].wall) ? 0 : b->ops->travel(b);
        run->wall_speed[w] = isfinite(travel) ? travel / s->dt : b->ops->top_speed(b);
    }
    for (uint32_t k = 0; k < s->joints; ++k) {
        PxSolverBody *a = px_solver_body(run, s->joint[k].a),
                     *b = px_solver_body(run, s->joint[k].b);
        if (a != NULL)
            a->joined = true;
        if (b != NULL)
            b->joined = true;
    }
    run->g = px_length(s->gravity);
    run->kept = s->kept;
    run->kepts = s->kepts;
    return PX_OK;
}

static uint32_t substeps_of(const PxSolverRun *run, double interval)
{
    const PxRigidStep *s = run->step;
    double size = INFINITY, longest = PX_SOLVER_SUBSTEP;
    for (uint32_t i = 0; i < s->rigids; ++i)
        size = fmin(size, run->body[i].collider.size);
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const PxSolverBody *b = &run->body[i];
        const PxContactOwn *law = &b->of->law;
        double speed = px_length(b->v) + b->turning + sqrt(run->g * b->collider.size);
        if (law->law->step_limit != NULL && !b->asleep && speed > 0)
            longest = fmin(longest, law->law->step_limit(law->param, 0.5 * b->collider.size,
                                                         b->of->mass.mass, speed));
    }
    if (run->g > 0)
        longest = fmin(longest, SUBSTEP_PART * sqrt(size / run->g));
    return (uint32_t)fmax(ceil(interval / longest * (1 - 1e-9)), 1);
}

/* Then nothing changes at all. */
static bool nothing_moves(const PxSolverRun *run)
{
    bool still = true;
    for (uint32_t i = 0; i < run->step->rigids; ++i)
        still = still && run->body[i].asleep;
    for (uint32_t w = 0; w < run->step->walls; ++w)
        still = still && !(run->wall_speed[w] > 0);
    return still;
}

static PxStatus end(PxSolverRun *run)
{
    PxRigidStep *s = run->step;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const PxSolverBody *b = &run->body[i];
        PxRigid *r = &s->after[i];
        *r = s->rigid[i];
        if (b->held) { /* exactly where it was to go */
            const PxRigidHold *hold = &s->hold[i];
            r->place = hold->place;
            r->turn = hold->turn;
            r->velocity = b->v;
            r->spin = b->w;
            r->asleep = false;
            r->still = 0;
            r->support = px_vec(0, 0, 0);
            continue;
        }
        r->place = b->x;
        r->velocity = b->v;
        r->spin = b->w;
        r->still = b->still;
        r->asleep = b->asleep;
        /* What contacts gave: the change of velocity less that by the other forces. */
        PxVec3 others = px_add(s->rigid[i].velocity, px_scale(b->accelerates, s->dt));
        r->support =
            b->asleep ? px_scale(b->accelerates, -1) : px_scale(px_sub(b->v, others), 1 / s->dt);
        if (!b->asleep || !s->rigid[i].asleep)
            r->turn = b->turn;
        if (!px_finite(r->place) || !px_finite(r->velocity) || !px_finite(r->spin))
            return px_fail(PX_ERR_NUMERIC, "the place or speed of rigid body %u is not finite", i);
    }
    s->kept_after = (PxRigidKept *)run->kept;
    s->kepts_after = run->kepts;
    return PX_OK;
}

/* A body that is thrown away by a mistake is followed in ever shorter parts of the step. */
static PxStatus refuse_parts(const PxSolverRun *run)
{
    const PxRigidStep *s = run->step;
    uint32_t fastest = 0;
    double most = -1;
    for (uint32_t i = 0; i < s->rigids; ++i) {
        const PxSolverBody *b = &run->body[i];
        double speed = px_length(b->v) + px_length(b->w) * b->of->mass.radius;
        if (speed > most) {
            most = speed;
            fastest = i;
        }
    }
    return px_fail(
        PX_ERR_NUMERIC,
        "contacts of rigid bodies need more than %d parts of a step of %g s; the fastest "
        "is number %u with %g m/s",
        MOST_PARTS, s->dt, fastest, most);
}

PxStatus px_rigid_step(PxRigidStep *s)
{
    PxSolverRun run = {.step = s, .limit = INFINITY};
    s->contacts = s->substeps = s->crossed = 0;
    s->deepest = 0;
    PX_TRY(begin(&run));
    bool last = nothing_moves(&run);
    run.usual = s->dt / substeps_of(&run, s->dt);
    for (int part = 0; !last; ++part) {
        if (part == MOST_PARTS)
            return refuse_parts(&run);
        double when = run.time / s->dt;
        for (uint32_t w = 0; w < s->walls; ++w) {
            run.wall[w] = wall_at(&s->wall[w], when);
            if (s->joints > 0)
                run.mover[w] = mover_at(&run, w, when);
        }
        for (uint32_t i = 0; i < s->rigids; ++i)
            run.body[i].before = run.body[i].collider;
        double left = s->dt - run.time, gone;
        PX_TRY(px_stop_check(s->threads));
        PX_TRY(px_solver_pairs(&run, left));
        double interval = px_solver_interval(&run, left);
        last = interval >= left * (1 - 1e-9);
        run.interval = last ? left : left / ceil(left / interval);
        run.limit = INFINITY;
        PX_TRY(px_solver_contacts(&run, run.interval));
        uint32_t count = substeps_of(&run, run.interval);
        px_solver_warm(&run, run.interval / count);
        px_solver_warm_joints(&run, run.interval / count);
        PX_TRY(substeps(&run, count, &gone));
        last = last && gone == run.interval;
        if (gone > 0) {
            px_solver_rebound(&run, gone);
            px_solver_break_joints(&run, gone);
            stop_rocking(&run, gone);
            fall_asleep(&run, gone);
        }
        PX_TRY(px_solver_keep(&run, run.interval / count));
        run.time += gone;
        s->crossed += count_crossed(&run, last ? 1 : run.time / s->dt);
    }
    for (uint32_t k = 0; k < run.slots; ++k) {
        uint32_t count;
        const PxSolverContact *c = px_solver_slot(&run, k, &count);
        for (const PxSolverContact *past = c + count; c < past; ++c) {
            s->contacts += c->jn > 0 || (c->soft && c->distance < 0);
            s->deepest = fmax(s->deepest, -c->distance);
        }
    }
    return end(&run);
}

double px_rigid_overlap(const PxRigid *rigid, const PxWall *shape, const PxRigid *other,
                        const PxRigidWall *wall, PxVec3 *where)
{
    PxCollider a = collider_of(rigid, shape);
    PxCollider b = other != NULL ? collider_of(other, wall->wall) : wall_at(wall, 0);
    PxTouch touch[PX_MOST_TOUCHES];
    uint32_t count = px_contacts_find(&a, &b, &(PxReach){.more = 0}, touch);
    double deepest = 0;
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 at = touch[k].at;
        double depth = touch[k].distance < 0 ? px_contacts_depth(&a, &b, &at) : 0;
        if (depth > deepest) {
            deepest = depth;
            *where = at;
        }
    }
    return deepest;
}
