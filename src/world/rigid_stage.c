#include "world/rigid_stage.h"

#include "fluid/yield.h"
#include "base/spin.h"
#include "world/saved.h"

#include <math.h>
#include <string.h>

/* A step of rigid bodies, in scratch. */
typedef struct PxRigidRun {
    PxRigidStep step;
    PxVec3 *impulse, *torque; /* of boundaries, that the motion contains */
} PxRigidRun;

/* The wall of a body. Both lists are in the order of addition, so that the walls of rigid bodies
 * are found one after the other from the last one's index on. */
static PxWall *wall_after(const PxWorld *world, uint32_t slot, size_t *from)
{
    for (size_t n = 0; n < world->walls.count; ++n) {
        size_t k = (*from + n) % world->walls.count;
        if (world->walls.data[k].boundary.body == slot) {
            *from = k;
            return &world->walls.data[k];
        }
    }
    return NULL;
}

static PxRigid *find(const PxWorld *world, uint32_t slot)
{
    for (size_t k = 0; k < world->rigids.count; ++k)
        if (world->rigids.data[k].body == slot)
            return &world->rigids.data[k];
    return NULL;
}

const PxRigid *px_rigid_find(const PxWorld *world, uint32_t slot)
{
    return find(world, slot);
}

PxPose px_rigid_pose(const PxRigid *rigid)
{
    return (PxPose){px_sub(rigid->place, rigid->mass.centre), rigid->turn};
}

static uint32_t number_of(const PxWorld *world, const PxWall *wall)
{
    return world->bodies.data[wall->boundary.body].number;
}

/* ---- keyframes ------------------------------------------------------------------------ */

double px_rigid_release(const PxBodyDef *def)
{
    return def->release >= 0 ? def->release : def->keyframes > 0 ? INFINITY : 0;
}

double px_rigid_next(const PxWorld *world, double time)
{
    double next = INFINITY;
    for (size_t k = 0; k < world->rigids.count; ++k) {
        const PxBodyDef *def = &world->bodies.data[world->rigids.data[k].body].def;
        double at[2] = {px_rigid_release(def), def->hold};
        for (int n = 0; n < 2; ++n)
            if (at[n] > time)
                next = fmin(next, at[n]);
    }
    return next;
}

static bool is_held(const PxBodyDef *def, double time)
{
    double release = px_rigid_release(def);
    return time < release || (def->hold >= release && time >= def->hold);
}

/* Where the keyframes want it, with what is left of the distance at which they took it. Without
 * keyframes it stays where it was taken. */
static PxPose goal_of(const PxRigid *r, const PxWall *wall, double hand_over, double time)
{
    if (wall->keys == 0)
        return r->offset;
    double u = fmin(fmax((time - r->since) / hand_over, 0), 1), left = 1 - u * u * (3 - 2 * u);
    PxPose pose = px_pose_at(wall->key, wall->keys, time);
    PxVec3 turn = px_scale(px_quat_rotation(r->offset.turn), left);
    pose.move = px_mad(pose.move, r->offset.move, left);
    pose.turn = px_quat_multiply(px_quat_turn(turn, px_length(turn)), pose.turn);
    return pose;
}

/* Begins to hold a body where it is. */
static void take_hold(PxRigid *r, const PxWall *wall, double time)
{
    PxPose now = px_rigid_pose(r), key = px_pose_at(wall->key, wall->keys, time);
    r->holding = true;
    r->since = time;
    r->offset = now;
    if (wall->keys > 0)
        r->offset = (PxPose){px_sub(now.move, key.move),
                             px_quat_multiply(now.turn, px_quat_conjugate(key.turn))};
}

/* Its motion in the step; *r is a copy, whose hold is updated. */
static PxRigidHold hold_of(const PxWorld *world, const PxWall *wall, PxRigid *r)
{
    const PxBodyDef *def = &world->bodies.data[r->body].def;
    double time = world->state.time;
    if (!is_held(def, time)) {
        r->holding = false;
        return (PxRigidHold){.held = false};
    }
    if (!r->holding)
        take_hold(r, wall, time);
    PxPose to = goal_of(r, wall, def->hand_over, time + world->dt), from = px_rigid_pose(r);
    PxRigidHold out = {.held = true,
                       .place = px_add(r->mass.centre, to.move),
                       .turn = px_quat_normalized(to.turn)};
    out.velocity = px_scale(px_sub(to.move, from.move), 1 / world->dt);
    out.spin = px_scale(px_quat_rotation(px_quat_multiply(to.turn, px_quat_conjugate(from.turn))),
                        1 / world->dt);
    return out;
}

/* ---- adding and removing ------------------------------------------------------------- */

static PxStatus refuse(double depth, PxVec3 at, const char *other)
{
    return px_fail(PX_ERR_ARGUMENT, "it overlaps '%s' by %.3g m at (%.3g, %.3g, %.3g) m", other,
                   depth, at.x, at.y, at.z);
}

static PxStatus check_overlap(const PxWorld *world, const PxRigid *r, const PxWall *shape)
{
    PxVec3 at;
    for (size_t k = 0; k < world->walls.count; ++k) {
        PxWall wall = world->walls.data[k];
        const PxRigid *other = wall.rigid ? find(world, wall.boundary.body) : NULL;
        PxFeatures *made = NULL;
        if (other == NULL && wall.features == NULL) {
            PX_TRY(px_features_create(wall.shape, wall.inside, &made));
            wall.features = made;
        }
        px_wall_move(&wall, world->state.time, 0);
        PxRigidWall one = {&wall, wall.features, 0};
        double thick = fmin(r->mass.thickness, px_shape_thickness(wall.shape));
        double depth = px_rigid_overlap(r, shape, other, &one, &at);
        px_features_free(made);
        if (depth > PX_RIGID_OVERLAP * thick)
            return refuse(depth, at, world->bodies.data[wall.boundary.body].name);
    }
    return PX_OK;
}

/* Thickness below which contacts of a rigid body are not solved, parts of its radius. */
#define THINNEST 1e-5

PxStatus px_rigid_mass_stated(const PxBodyDef *def, const PxShape *shape, double density,
                              PxRigidMass *out)
{
    PX_TRY(px_rigid_mass(shape, density, out));
    if (!(out->thickness > THINNEST * out->radius))
        return px_fail(PX_ERR_ARGUMENT,
                       "it is rigid and %.3g m thick, wanted more than %g of its radius, %.3g m",
                       out->thickness, THINNEST, THINNEST * out->radius);
    return px_rigid_ballast(shape, def->ballast, px_scale(def->ballast_at, def->shape.scale), out);
}

PxStatus px_rigid_add(PxWorld *world, const PxBodyDef *def, PxWall *wall, uint32_t slot)
{
    PxRigid r = {.body = slot,
                 .number = world->bodies_made,
                 .friction = def->friction,
                 .restitution = def->restitution,
                 .turn = px_quat_identity(),
                 .velocity = def->velocity,
                 .spin = def->spin};
    double density = world->materials.data[def->material.slot - 1].def.density;
    PX_TRY(px_rigid_mass_stated(def, wall->shape, density, &r.mass));
    r.law = px_contact_law(&world->materials.data[def->material.slot - 1].def.rigid_contact);
    r.inner = px_rigid_inner(wall->shape, r.mass.centre);
    if (!PX_LIST_RESERVE(&world->rigids, 1))
        return px_fail(PX_ERR_MEMORY, "no room for a rigid body");
    PX_TRY(px_features_create(wall->shape, false, &r.features));
    PxPose start = px_pose_at(wall->key, wall->keys, world->state.time);
    r.place = px_add(r.mass.centre, start.move);
    r.turn = start.turn;
    r.offset.turn = px_quat_identity();
    wall->rigid = true;
    wall->pivot = r.mass.centre;
    PxStatus status = check_overlap(world, &r, wall);
    if (status != PX_OK) {
        px_features_free(r.features);
        return status;
    }
    world->rigids.data[world->rigids.count++] = r;
    return PX_OK;
}

void px_rigid_drop(PxWorld *world, uint32_t slot)
{
    size_t left = 0;
    for (size_t k = 0; k < world->rigids.count; ++k) {
        if (world->rigids.data[k].body == slot)
            px_features_free(world->rigids.data[k].features);
        else
            world->rigids.data[left++] = world->rigids.data[k];
    }
    world->rigids.count = left;
}

void px_rigid_changed(PxWorld *world, size_t slot, const char *key)
{
    PxRigid *r = find(world, (uint32_t)slot);
    const PxBodyDef *def = &world->bodies.data[slot].def;
    if (r == NULL)
        return;
    r->friction = def->friction;
    r->restitution = def->restitution;
    if (strcmp(key, "velocity") == 0)
        r->velocity = def->velocity;
    if (strcmp(key, "spin") == 0)
        r->spin = def->spin;
    r->asleep = false;
    r->still = 0;
    world->state.bound_due = 1;
}

/* ---- the step ------------------------------------------------------------------------- */

PxStatus px_rigid_stage_begin(PxWorld *world)
{
    size_t from = 0;
    world->rigid_run = NULL;
    for (size_t k = 0; k < world->rigids.count; ++k) {
        const PxRigid *r = &world->rigids.data[k];
        PxWall *wall = wall_after(world, r->body, &from);
        wall->now = px_rigid_pose(r);
        wall->velocity = r->velocity;
        wall->spin = r->spin;
    }
    for (size_t k = 0; world->rigids.count > 0 && k < world->walls.count; ++k) {
        PxWall *wall = &world->walls.data[k];
        if (!wall->rigid && wall->features == NULL)
            PX_TRY(px_features_create(wall->shape, wall->inside, &wall->features));
    }
    return PX_OK;
}

void px_rigid_predict(PxWorld *world)
{
    size_t from = 0;
    for (size_t k = 0; k < world->rigids.count; ++k) {
        const PxRigid *r = &world->rigids.data[k];
        PxWall *wall = wall_after(world, r->body, &from);
        PxBoundary *b = &wall->boundary;
        PxRigid copy = *r;
        PxRigidHold hold = hold_of(world, wall, &copy);
        b->pressed[0] = r->pressed[0];
        b->pressed[1] = r->pressed[1];
        if (hold.held) {
            wall->velocity = hold.velocity;
            wall->spin = hold.spin;
            b->forced = px_vec(0, 0, 0);
            b->per_mass = 0;
            b->per_inertia = px_mat3_scale(px_mat3_identity(), 0);
            continue;
        }
        PxVec3 others = r->asleep ? px_vec(0, 0, 0) : px_add(world->def.gravity, r->support);
        PxVec3 driven[2];
        if (px_force_fields_push(world, r, driven))
            others = px_mad(others, driven[0], 1 / (r->mass.mass * world->dt));
        b->forced = px_scale(others, world->dt);
        wall->velocity = px_add(r->velocity, b->forced);
        b->per_mass = 1 / r->mass.mass;
        b->per_inertia =
            px_spin_inverse_inertia(r->mass.inertia, px_quat_multiply(r->turn, r->mass.axes));
    }
}

static PxStatus prepare(PxWorld *world, PxRigidRun **out)
{
    uint32_t rigids = (uint32_t)world->rigids.count, walls = 0;
    size_t from = 0;
    PxArena *scratch = &world->scratch;
    PxRigidRun *run = *out = PX_ARENA_ARRAY(scratch, PxRigidRun, 1);
    const PxWall **shape = PX_ARENA_ARRAY(scratch, const PxWall *, rigids + 1);
    PxRigidWall *wall = PX_ARENA_ARRAY(scratch, PxRigidWall, world->walls.count + 1);
    PxVec3 *impulse = PX_ARENA_ARRAY(scratch, PxVec3, rigids + 1);
    PxVec3 *torque = PX_ARENA_ARRAY(scratch, PxVec3, rigids + 1);
    PxRigidHold *hold = PX_ARENA_ARRAY(scratch, PxRigidHold, rigids + 1);
    PxRigid *rigid = PX_ARENA_ARRAY(scratch, PxRigid, rigids + 1);
    PxVec3 *push = PX_ARENA_ARRAY(scratch, PxVec3, 2 * (size_t)rigids + 2);
    if (push == NULL || hold == NULL || rigid == NULL || run == NULL || shape == NULL ||
        wall == NULL || impulse == NULL || torque == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %u", rigids);
    for (uint32_t k = 0; k < rigids; ++k) {
        const PxWall *own = wall_after(world, world->rigids.data[k].body, &from);
        shape[k] = own;
        rigid[k] = world->rigids.data[k];
        hold[k] = hold_of(world, own, &rigid[k]);
        impulse[k] = torque[k] = px_vec(0, 0, 0);
        if (world->particles.table.count > 0) {
            impulse[k] = px_boundary_impulse(&own->boundary, &world->dist);
            torque[k] = px_boundary_torque(&own->boundary, &world->dist);
        }
        if (hold[k].held || world->cloth_vertices.count == 0)
            rigid[k].cloth[0] = rigid[k].cloth[1] = px_vec(0, 0, 0);
        if (hold[k].held || world->elastic_set.row.count == 0)
            rigid[k].solids[0] = rigid[k].solids[1] = px_vec(0, 0, 0);
        PxVec3 load[2];
        for (int n = 0; n < 2; ++n)
            load[n] = px_scale(px_add(rigid[k].cloth[n], rigid[k].solids[n]), world->dt);
        push[k] = px_add(impulse[k], load[0]);
        push[rigids + k] = px_add(torque[k], load[1]);
        PxVec3 driven[2];
        if (!hold[k].held && px_force_fields_push(world, &rigid[k], driven)) {
            push[k] = px_add(push[k], driven[0]);
            push[rigids + k] = px_add(push[rigids + k], driven[1]);
        }
    }
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *w = &world->walls.data[k];
        if (!w->rigid)
            wall[walls++] = (PxRigidWall){w, w->features, number_of(world, w)};
    }
    PxRigidJoint *joint = PX_ARENA_ARRAY(scratch, PxRigidJoint, world->joints.count + 1);
    uint32_t joints = 0;
    if (joint == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %zu joints", world->joints.count);
    for (size_t k = 0; k < world->joints.count; ++k)
        if (world->joints.data[k].live)
            joint[joints++] = world->joints.data[k].joint;
    *run = (PxRigidRun){.step = {.joint = joint,
                                 .joints = joints,
                                 .rigid = rigid,
                                 .hold = hold,
                                 .shape = shape,
                                 .rigids = rigids,
                                 .wall = wall,
                                 .walls = walls,
                                 .impulse = push,
                                 .torque = push + rigids,
                                 .gravity = world->def.gravity,
                                 .dt = world->dt,
                                 .kept = world->rigid_kept.data,
                                 .kepts = world->rigid_kept.count,
                                 .scratch = scratch,
                                 .threads = &world->threads,
                                 .isa = world->isa},
                        .impulse = impulse,
                        .torque = torque};
    return PX_OK;
}

/* Index among the rigid bodies, or the walls, of the step. */
static uint32_t index_of(const PxRigidStep *s, const PxBoundary *b, bool *wall)
{
    for (uint32_t k = 0; k < s->rigids; ++k)
        if (&s->shape[k]->boundary == b) {
            *wall = false;
            return k;
        }
    for (uint32_t k = 0; k < s->walls; ++k)
        if (&s->wall[k].wall->boundary == b) {
            *wall = true;
            return k;
        }
    return UINT32_MAX;
}

/* Particles of fluids between a rigid body and something else keep the two apart by twice LEAST
 * spacings: a body that sinks comes to rest on the last layer. Nearer than that, the layer is so
 * compressed that it is shot out at several m/s (a box of 2000 kg/m^3 in 0.3 m of water). */
#define LEAST 0.4

/* Particles that a thread asks for at a time. */
#define SQUEEZE_BLOCK 64

/* Particles of fluids at one rigid body, which may lie between it and other boundaries. */
typedef struct Squeezed {
    const PxFluid *fluid;
    const PxYieldEntry *entry;
    const PxBoundary *own;
    const PxBoundary *const *near; /* other boundaries near the body */
    uint32_t nears;
    double within;           /* both must be nearer than this to a particle, m */
    PxRigidSqueeze *squeeze; /* by entry; `other` is an index in `near`, UINT32_MAX: none */
} Squeezed;

/* May another boundary be nearer to a place? */
static bool near_another(const Squeezed *job, PxVec3 x)
{
    for (uint32_t b = 0; b < job->nears; ++b) {
        const PxBoundary *to = job->near[b];
        if (to->ops->at_least(to, 0, x) > job->within)
            continue;
        /* primitives are cheap to ask */
        if (((const PxWall *)to)->def.kind == PX_SHAPE_MESH ||
            px_boundary_distance(to, 0, x, NULL) < job->within)
            return true;
    }
    return false;
}

/* Distance at moment 0, exact below `within`, also deep inside. */
static double distance_below(const PxBoundary *b, PxVec3 x, double within, PxVec3 *normal)
{
    double d = px_boundary_near(b, 0, x, within, normal);
    return d > -within ? d : px_boundary_distance(b, 0, x, normal);
}

static void squeeze_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Squeezed *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        PxVec3 x = px_particle_place(job->fluid->particles, job->entry[k].row), normal, away;
        PxRigidSqueeze *out = &job->squeeze[k];
        double best = job->within;
        out->other = UINT32_MAX;
        if (job->own->ops->at_least(job->own, 0, x) > best || !near_another(job, x))
            continue;
        double near = distance_below(job->own, x, best, &normal);
        if (!(near < best))
            continue;
        for (uint32_t b = 0; b < job->nears; ++b) {
            const PxBoundary *to = job->near[b];
            double d =
                to->ops->at_least(to, 0, x) > best ? INFINITY : distance_below(to, x, best, &away);
            if (d < best && px_dot(normal, away) < -0.5) {
                best = d;
                out->other = b;
            }
        }
        out->at = x;
        out->normal = px_scale(normal, -1);
        out->distance = near + best;
    }
}

/* Could a particle within half of `reach` of the one body be as near to the other? */
static bool within_reach(const PxRigidStep *s, uint32_t rigid, const PxBoundary *to, double reach)
{
    bool wall = true;
    uint32_t other = to->per_mass > 0 ? index_of(s, to, &wall) : UINT32_MAX;
    if (other == UINT32_MAX || wall)
        return true;
    const PxRigid *a = &s->rigid[rigid], *b = &s->rigid[other];
    return px_length(px_sub(a->place, b->place)) <= a->mass.radius + b->mass.radius + reach;
}

static PxStatus find_squeezed(PxWorld *world, const PxFluid *fluid, PxRigidStep *s)
{
    const PxYield *y = fluid != NULL ? fluid->yield : NULL;
    double spacing = world->def.spacing;
    size_t boundaries = world->boundaries.count;
    if (y == NULL)
        return PX_OK;
    PxRigidSqueeze *list = PX_ARENA_ARRAY(s->scratch, PxRigidSqueeze, y->entries + 1);
    const PxBoundary **near = PX_ARENA_ARRAY(s->scratch, const PxBoundary *, boundaries + 1);
    if (list == NULL || near == NULL)
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %u particles", y->entries);
    for (uint32_t n = 0; n < y->count; ++n) {
        bool wall;
        uint32_t first = y->one[n].first, rigid = index_of(s, y->one[n].boundary, &wall);
        Squeezed job = {.fluid = fluid,
                        .entry = y->entry + first,
                        .own = y->one[n].boundary,
                        .near = near,
                        .within = 0.6 * spacing,
                        .squeeze = list + first};
        for (size_t b = 0; b < boundaries; ++b)
            if (world->boundaries.data[b] != job.own &&
                within_reach(s, rigid, world->boundaries.data[b], 2 * job.within))
                near[job.nears++] = world->boundaries.data[b];
        if (job.nears == 0)
            continue;
        px_parallel_for(s->threads, y->one[n].end - first, SQUEEZE_BLOCK, squeeze_block, &job);
        for (uint32_t k = first; k < y->one[n].end; ++k) {
            PxRigidSqueeze squeeze = list[k];
            if (squeeze.other == UINT32_MAX)
                continue;
            squeeze.rigid = rigid;
            squeeze.other = index_of(s, near[squeeze.other], &squeeze.wall);
            squeeze.distance -= 2 * LEAST * spacing;
            if (squeeze.wall || squeeze.other > rigid) /* or found from the other side */
                list[s->squeezes++] = squeeze;
        }
    }
    s->squeeze = list;
    return PX_OK;
}

/* Do contacts with other rigid bodies or walls carry it? */
static bool is_carried(const PxRigidStep *s, uint32_t k)
{
    return px_length(s->after[k].support) > 1e-6 * px_length(s->gravity);
}

/* How the velocity of a body changes within the step, for contacts of solids with it. Gravity and
 * contacts that carry act during all of the step. A greater change is an impact, of which the
 * moment is not known: the body then has the mean velocity. A body that others carry must not be
 * displaced by this, or it would sink into them. */
static void find_course(const PxRigidStep *s, uint32_t k, PxBoundary *b)
{
    const PxRigid *from = &s->rigid[k], *to = &s->after[k];
    double weight = px_length(s->gravity) * s->dt;
    bool carried = is_carried(s, k);
    PxVec3 mean = px_scale(px_sub(to->place, from->place), 1 / s->dt);
    PxVec3 change = px_sub(to->velocity, from->velocity);
    if (!(px_length(change) < 2 * (weight + px_length(b->expected[0]) * b->per_mass)))
        change = px_vec(0, 0, 0), carried = true;
    b->within[0] = carried ? px_scale(change, -0.5) : px_sub(from->velocity, mean);
    b->within[1] = change;
}

PxStatus px_rigid_stage_move(PxWorld *world, const PxFluid *fluid, bool wake)
{
    PxRigidRun *run;
    if (world->rigids.count == 0)
        return PX_OK;
    PX_TRY(prepare(world, &run));
    run->step.wake = wake;
    PX_TRY(find_squeezed(world, fluid, &run->step));
    PX_TRY(px_rigid_step(&run->step));
    /* Room for the contacts: nothing may fail after this stage. */
    size_t more = run->step.kepts_after;
    if (more > world->rigid_kept.count &&
        !PX_LIST_RESERVE(&world->rigid_kept, more - world->rigid_kept.count))
        return px_fail(PX_ERR_MEMORY, "rigid bodies: no room for %zu contacts", more);
    for (uint32_t k = 0; k < run->step.rigids; ++k) {
        const PxRigid *r = &run->step.after[k];
        double speed = px_length(r->velocity) + px_length(r->spin) * r->mass.radius;
        if (!(speed < (double)PX_FASTEST)) /* true for NaN too */
            return px_fail(PX_ERR_NUMERIC,
                           "rigid body '%s' became faster than light in step %llu, t = %g s",
                           world->bodies.data[r->body].name,
                           (unsigned long long)world->state.step + 1, world->state.time);
    }
    for (uint32_t k = 0; k < run->step.rigids; ++k) {
        PxWall *wall = (PxWall *)run->step.shape[k];
        wall->pose[1] = px_rigid_pose(&run->step.after[k]);
        wall->boundary.ending = run->step.after[k].velocity;
        for (int n = 0; n < 2; ++n)
            wall->boundary.expected[n] = px_scale(run->step.rigid[k].solids[n], world->dt);
        find_course(&run->step, k, &wall->boundary);
    }
    world->rigid_run = run;
    return PX_OK;
}

void px_rigid_stage_expected(const PxWorld *world, const PxBoundary *b, PxVec3 expected[2])
{
    const PxRigidRun *run = world->rigid_run;
    bool wall = true;
    uint32_t k = run != NULL && b->per_mass > 0 ? index_of(&run->step, b, &wall) : UINT32_MAX;
    for (int n = 0; n < 2; ++n)
        expected[n] = k == UINT32_MAX || wall ? px_vec(0, 0, 0)
                                              : px_scale(run->step.rigid[k].cloth[n], world->dt);
}

void px_rigid_stage_push(PxWorld *world, PxBoundary *b, const PxVec3 change[2],
                         const PxVec3 impulse[2])
{
    PxRigidRun *run = world->rigid_run;
    bool wall = true;
    uint32_t k = run != NULL ? index_of(&run->step, b, &wall) : UINT32_MAX;
    if (k == UINT32_MAX || wall)
        return;
    PxRigid *r = &run->step.after[k];
    double dt = world->dt, angle = px_length(change[1]) * dt;
    PxMat3 inertia, per_inertia = px_spin_inverse_inertia(r->mass.inertia,
                                                          px_quat_multiply(r->turn, r->mass.axes));
    PxVec3 more = px_mad(impulse[1], run->step.rigid[k].cloth[1], -dt);
    r->velocity = px_add(r->velocity, change[0]);
    r->place = px_mad(r->place, change[0], dt);
    if (px_mat3_inverse(per_inertia, &inertia)) { /* keeps the angular momentum */
        PxVec3 momentum = px_add(px_mat3_apply(inertia, r->spin), more);
        if (angle > 0)
            r->turn = px_quat_normalized(
                px_quat_multiply(px_quat_turn(px_scale(change[1], dt), angle), r->turn));
        per_inertia =
            px_spin_inverse_inertia(r->mass.inertia, px_quat_multiply(r->turn, r->mass.axes));
        r->spin = px_mat3_apply(per_inertia, momentum);
    }
    for (int n = 0; n < 2; ++n)
        r->cloth[n] = px_scale(impulse[n], 1 / dt);
    r->asleep = false;
    r->still = 0;
    px_boundary_take_moment(b, impulse[0], impulse[1]);
    run->impulse[k] = px_add(run->impulse[k], impulse[0]);
    run->torque[k] = px_add(run->torque[k], impulse[1]);
    ((PxWall *)(void *)b)->pose[1] = px_rigid_pose(r);
    b->ending = r->velocity;
}

/* Part of the last step in the load that solids are expected to give in the next. Solids bring a
 * load after the body has moved: one that others carry would sink by it in every step and be
 * pushed back in the next, which shakes what lies on it. After an impact a body that was expected
 * to be loaded rises from its floor, with at most this part of the speed of the impulse. */
#define EXPECTED 0.2

/* What solids and the defence gave after the bodies had moved, in addition to what was expected,
 * changes their velocities. */
static void take_rest(PxRigid *r, const PxBoundary *b, PxVec3 impulse, PxVec3 torque)
{
    if (!(px_length(impulse) > 0) && !(px_length(torque) > 0))
        return;
    PxMat3 inertia, per_inertia = px_spin_inverse_inertia(r->mass.inertia,
                                                          px_quat_multiply(r->turn, r->mass.axes));
    double angle = px_length(b->turned);
    r->velocity = px_mad(r->velocity, impulse, 1 / r->mass.mass);
    r->place = px_add(r->place, b->shifted);
    if (angle > 0 && px_mat3_inverse(per_inertia, &inertia)) { /* keeps the angular momentum */
        PxVec3 momentum = px_mat3_apply(inertia, r->spin);
        r->turn = px_quat_normalized(px_quat_multiply(px_quat_turn(b->turned, angle), r->turn));
        per_inertia =
            px_spin_inverse_inertia(r->mass.inertia, px_quat_multiply(r->turn, r->mass.axes));
        r->spin = px_mat3_apply(per_inertia, momentum);
    }
    r->spin = px_add(r->spin, px_mat3_apply(per_inertia, torque));
    r->asleep = false;
    r->still = 0;
}

void px_rigid_stage_commit(PxWorld *world)
{
    const PxRigidRun *run = world->rigid_run;
    world->rigid_run = NULL;
    world->rigid_work = 0;
    if (run == NULL)
        return;
    const PxRigidStep *s = &run->step;
    for (uint32_t k = 0; k < s->rigids; ++k) {
        PxRigid r = s->after[k];
        const PxBoundary *b = &s->shape[k]->boundary;
        if (world->particles.table.count + world->cloth_vertices.count > 0 && !s->hold[k].held) {
            PxVec3 rest[2] = {px_sub(px_boundary_impulse(b, &world->dist), run->impulse[k]),
                              px_sub(px_boundary_torque(b, &world->dist), run->torque[k])};
            take_rest(&r, b, px_sub(rest[0], b->expected[0]), px_sub(rest[1], b->expected[1]));
            for (int n = 0; n < 2; ++n) {
                PxVec3 change = px_sub(px_scale(b->loaded[n], 1 / world->dt), r.solids[n]);
                r.solids[n] =
                    is_carried(s, k) ? px_mad(r.solids[n], change, EXPECTED) : px_vec(0, 0, 0);
            }
        }
        r.pressed[0] = b->pressed[0];
        r.pressed[1] = b->pressed[1];
        PxVec3 driven[2];
        if (!s->hold[k].held && px_force_fields_push(world, &s->rigid[k], driven))
            world->rigid_work += 0.5 * px_dot(driven[0], px_add(s->rigid[k].velocity, r.velocity)) +
                                 0.5 * px_dot(driven[1], px_add(s->rigid[k].spin, r.spin));
        world->rigids.data[k] = r;
    }
    if (s->kepts_after > 0)
        memcpy(world->rigid_kept.data, s->kept_after, s->kepts_after * sizeof *s->kept_after);
    world->rigid_kept.count = s->kepts_after;
    for (size_t k = 0, n = 0; k < world->joints.count; ++k)
        if (world->joints.data[k].live)
            world->joints.data[k].joint = s->joint[n++];
    world->rigid_contacts = s->contacts;
    world->state.rigid_crossed += s->crossed;
    world->rigid_overlap = s->deepest;
}

/* ---- saving ---------------------------------------------------------------------------- */

/* Columns of the state of a body, all double, and where PxRigid has them. */
static const struct {
    const char *name, *unit;
    uint32_t components;
    size_t offset;
} columns[] = {
    {"place", "m", 3, offsetof(PxRigid, place)},
    {"turn", "", 4, offsetof(PxRigid, turn)},
    {"velocity", "m/s", 3, offsetof(PxRigid, velocity)},
    {"spin", "rad/s", 3, offsetof(PxRigid, spin)},
    {"still", "s", 1, offsetof(PxRigid, still)},
    {"support", "m/s^2", 3, offsetof(PxRigid, support)},
    {"since", "s", 1, offsetof(PxRigid, since)},
    {"offset_move", "m", 3, offsetof(PxRigid, offset.move)},
    {"offset_turn", "", 4, offsetof(PxRigid, offset.turn)},
    {"cloth_force", "N", 3, offsetof(PxRigid, cloth[0])},
    {"cloth_moment", "N m", 3, offsetof(PxRigid, cloth[1])},
    {"solid_force", "N", 3, offsetof(PxRigid, solids[0])},
    {"solid_moment", "N m", 3, offsetof(PxRigid, solids[1])},
    {"pressure_force", "N", 3, offsetof(PxRigid, pressed[0])},
    {"pressure_moment", "N m", 3, offsetof(PxRigid, pressed[1])},
};

_Static_assert(sizeof(PxVec3) == 3 * sizeof(double) && sizeof(PxQuat) == 4 * sizeof(double),
               "components lie side by side");

/* Contact columns, likewise. */
static const struct {
    const char *name, *unit;
    uint32_t components;
    size_t offset;
} contact_columns[] = {
    {"normal", "N s", 1, offsetof(PxRigidKept, normal)},
    {"along", "N s", 3, offsetof(PxRigidKept, along)},
    {"substep", "s", 1, offsetof(PxRigidKept, substep)},
};

static void put_doubles(const PxTable *t, const char *name, uint32_t row, const double *value,
                        uint32_t count)
{
    const PxColumn *c = px_table_find(t, name);
    for (uint32_t k = 0; k < count; ++k)
        ((double *)c->data[k])[row] = value[k];
}

static bool get_doubles(const PxTable *t, const char *name, uint32_t row, double *value,
                        uint32_t count)
{
    const PxColumn *c = px_table_find(t, name);
    bool good = c != NULL && c->type == PX_F64 && c->components == count;
    for (uint32_t k = 0; good && k < count; ++k) {
        value[k] = ((const double *)c->data[k])[row];
        good = fabs(value[k]) <= PX_SAVED_LARGEST; /* false for NaN */
    }
    return good;
}

static void put_word(const PxTable *t, const char *name, uint32_t row, uint32_t value)
{
    ((uint32_t *)px_table_find(t, name)->data[0])[row] = value;
}

static bool get_word(const PxTable *t, const char *name, uint32_t row, uint32_t *value)
{
    const PxColumn *c = px_table_find(t, name);
    bool good = c != NULL && c->type == PX_U32 && c->components == 1;
    *value = good ? ((const uint32_t *)c->data[0])[row] : 0;
    return good;
}

static PxStatus store_bodies(const PxWorld *world, PxTable *t)
{
    PX_TRY(px_table_add(t, "body", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "asleep", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "holding", "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    for (size_t c = 0; c < PX_COUNT(columns); ++c)
        PX_TRY(px_table_add(t, columns[c].name, columns[c].unit, PX_F64, columns[c].components,
                            PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_append(t, world->rigids.count, NULL));
    for (uint32_t k = 0; k < world->rigids.count; ++k) {
        const PxRigid *r = &world->rigids.data[k];
        put_word(t, "body", k, r->body);
        put_word(t, "asleep", k, r->asleep);
        put_word(t, "holding", k, r->holding);
        for (size_t c = 0; c < PX_COUNT(columns); ++c)
            put_doubles(t, columns[c].name, k,
                        (const double *)(const void *)((const char *)r + columns[c].offset),
                        columns[c].components);
    }
    return PX_OK;
}

static const char *const joint_rows[] = {"slot", "broken"};

static PxStatus store_joints(const PxWorld *world, PxTable *t)
{
    for (size_t k = 0; k < PX_COUNT(joint_rows); ++k)
        PX_TRY(px_table_add(t, joint_rows[k], "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "impulse", "N s", PX_F64, PX_JOINT_ROWS, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(t, "substep", "s", PX_F64, 1, PX_COLUMN_STATE, NULL));
    for (uint32_t k = 0; k < world->joints.count; ++k) {
        const PxRigidJoint *j = &world->joints.data[k].joint;
        uint32_t row;
        if (!world->joints.data[k].live)
            continue;
        PX_TRY(px_table_append(t, 1, &row));
        put_word(t, "slot", row, k);
        put_word(t, "broken", row, j->broken);
        put_doubles(t, "impulse", row, j->impulse, PX_JOINT_ROWS);
        put_doubles(t, "substep", row, &j->substep, 1);
    }
    return PX_OK;
}

PxStatus px_world_store_rigid(const PxWorld *world, PxTable *table)
{
    if (world->rigids.count == 0)
        return PX_OK;
    PxTable *t = &table[1];
    PX_TRY(store_bodies(world, &table[0]));
    static const char *const words[] = {"a", "b", "feature"};
    for (size_t k = 0; k < PX_COUNT(words); ++k)
        PX_TRY(px_table_add(t, words[k], "", PX_U32, 1, PX_COLUMN_STATE, NULL));
    for (size_t c = 0; c < PX_COUNT(contact_columns); ++c)
        PX_TRY(px_table_add(t, contact_columns[c].name, contact_columns[c].unit, PX_F64,
                            contact_columns[c].components, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_append(t, world->rigid_kept.count, NULL));
    for (uint32_t k = 0; k < world->rigid_kept.count; ++k) {
        const PxRigidKept *one = &world->rigid_kept.data[k];
        put_word(t, "a", k, one->a);
        put_word(t, "b", k, one->b);
        put_word(t, "feature", k, one->feature);
        for (size_t c = 0; c < PX_COUNT(contact_columns); ++c)
            put_doubles(
                t, contact_columns[c].name, k,
                (const double *)(const void *)((const char *)one + contact_columns[c].offset),
                contact_columns[c].components);
    }
    return store_joints(world, &table[2]);
}

static PxStatus restore_joints(PxWorld *world, const PxTable *t)
{
    for (uint32_t row = 0; row < t->count; ++row) {
        uint32_t slot, broken;
        if (!get_word(t, "slot", row, &slot) || !get_word(t, "broken", row, &broken) ||
            slot >= world->joints.count || !world->joints.data[slot].live)
            return px_fail(PX_ERR_FORMAT, "stored joint %u cannot be one of this scene", row);
        PxRigidJoint *j = &world->joints.data[slot].joint;
        j->broken = broken != 0;
        if (!get_doubles(t, "impulse", row, j->impulse, PX_JOINT_ROWS) ||
            !get_doubles(t, "substep", row, &j->substep, 1))
            return px_fail(PX_ERR_FORMAT, "stored joint %u is damaged", row);
    }
    return PX_OK;
}

static bool read_body(const PxTable *t, uint32_t row, PxRigid *r)
{
    uint32_t body, asleep, holding;
    bool good = get_word(t, "body", row, &body) && get_word(t, "asleep", row, &asleep) &&
                get_word(t, "holding", row, &holding) && body == r->body;
    for (size_t c = 0; good && c < PX_COUNT(columns); ++c)
        good =
            get_doubles(t, columns[c].name, row, (double *)(void *)((char *)r + columns[c].offset),
                        columns[c].components);
    PxQuat q = r->turn;
    double size = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    r->asleep = good && asleep != 0;
    r->holding = good && holding != 0;
    return good && fabs(size - 1) < 1e-6;
}

static bool read_contact(const PxTable *t, uint32_t row, PxRigidKept *one)
{
    bool good = get_word(t, "a", row, &one->a) && get_word(t, "b", row, &one->b) &&
                get_word(t, "feature", row, &one->feature);
    for (size_t c = 0; good && c < PX_COUNT(contact_columns); ++c)
        good = get_doubles(t, contact_columns[c].name, row,
                           (double *)(void *)((char *)one + contact_columns[c].offset),
                           contact_columns[c].components);
    return good;
}

PxStatus px_world_restore_rigid(PxWorld *world, const PxTable *table)
{
    const PxTable *t = &table[1];
    if (table[0].count != world->rigids.count)
        return px_fail(PX_ERR_FORMAT, "%u rigid bodies are stored, and the scene has %zu",
                       table[0].count, world->rigids.count);
    for (uint32_t k = 0; k < table[0].count; ++k) {
        PxRigid r = world->rigids.data[k];
        if (!read_body(&table[0], k, &r))
            return px_fail(PX_ERR_FORMAT, "stored rigid body %u cannot be one of this scene", k);
        world->rigids.data[k] = r;
    }
    if (t->count > world->rigid_kept.count &&
        !PX_LIST_RESERVE(&world->rigid_kept, t->count - world->rigid_kept.count))
        return px_fail(PX_ERR_MEMORY, "no room for %u contacts", t->count);
    world->rigid_kept.count = 0;
    for (uint32_t k = 0; k < t->count; ++k) {
        PxRigidKept one;
        if (!read_contact(t, k, &one))
            return px_fail(PX_ERR_FORMAT, "stored contact %u is damaged", k);
        world->rigid_kept.data[world->rigid_kept.count++] = one;
    }
    return restore_joints(world, &table[2]);
}

PxStatus px_rigid_frame(const PxWorld *world, PxTable *t)
{
    static const char *const word[] = {"pivot", "turn", "move", "velocity", "spin"};
    static const char *const unit[] = {"m", "", "m", "m/s", "rad/s"};
    PX_TRY(px_table_add(t, "body", "", PX_U32, 1, PX_COLUMN_FRAME, NULL));
    for (int c = 0; c < 5; ++c)
        PX_TRY(px_table_add(t, word[c], unit[c], PX_F64, c == 1 ? 4 : 3, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_append(t, world->rigids.count, NULL));
    for (uint32_t k = 0; k < world->rigids.count; ++k) {
        const PxRigid *r = &world->rigids.data[k];
        PxPose pose = px_rigid_pose(r);
        put_word(t, "body", k, r->body);
        put_doubles(t, "pivot", k, &r->mass.centre.x, 3);
        put_doubles(t, "move", k, &pose.move.x, 3);
        put_doubles(t, "turn", k, &pose.turn.x, 4);
        put_doubles(t, "velocity", k, &r->velocity.x, 3);
        put_doubles(t, "spin", k, &r->spin.x, 3);
    }
    return PX_OK;
}

PxStatus px_joints_frame(const PxWorld *world, PxTable *t)
{
    PX_TRY(px_table_add(t, "joint", "", PX_U32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(t, "broken", "", PX_U32, 1, PX_COLUMN_FRAME, NULL));
    PX_TRY(px_table_add(t, "force", "N", PX_F64, 1, PX_COLUMN_FRAME, NULL));
    for (uint32_t k = 0; k < world->joints.count; ++k) {
        const PxRigidJoint *j = &world->joints.data[k].joint;
        uint32_t row;
        if (!world->joints.data[k].live)
            continue;
        double impulse = px_length(px_vec(j->impulse[0], j->impulse[1], j->impulse[2]));
        double force = j->substep > 0 ? impulse / j->substep : 0;
        PX_TRY(px_table_append(t, 1, &row));
        put_word(t, "joint", row, k);
        put_word(t, "broken", row, j->broken);
        put_doubles(t, "force", row, &force, 1);
    }
    return PX_OK;
}

/* ---- reading --------------------------------------------------------------------------- */

PxStatus px_world_rigid_state_sized(const PxWorld *world, PxBodyId id, PxRigidState *out,
                                    size_t size)
{
    PX_WANT(world);
    PX_WANT(out);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->bodies, id, "body", &slot));
    const PxRigid *r = find(world, slot);
    if (r == NULL)
        return px_fail(PX_ERR_ARGUMENT, "body '%s' is not rigid", world->bodies.data[slot].name);
    PxQuat axes = px_quat_multiply(r->turn, r->mass.axes);
    PxVec3 w = px_rotate(px_quat_conjugate(axes), r->spin), i = r->mass.inertia;
    PxRigidState state = {.pose = px_rigid_pose(r),
                          .place = r->place,
                          .velocity = r->velocity,
                          .spin = r->spin,
                          .mass = r->mass.mass,
                          .centre = r->mass.centre,
                          .inertia = i,
                          .angular_momentum =
                              px_rotate(axes, px_vec(i.x * w.x, i.y * w.y, i.z * w.z)),
                          .asleep = r->asleep};
    px_result_put(out, size, 0, &state, sizeof state);
    return PX_OK;
}

bool px_rigid_stage_meshes(const PxWorld *world)
{
    bool found = false;
    for (size_t k = 0; k < world->rigids.count && !found; ++k)
        found = world->bodies.data[world->rigids.data[k].body].def.shape.kind == PX_SHAPE_MESH;
    return found;
}
