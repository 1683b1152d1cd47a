#include "world/actors/joint.h"

#include "world/kinds/kind.h"
#include "world/rigid_stage.h"

#include <math.h>

static PxJointDef joint_def_defaults(void)
{
    return (PxJointDef){
        .name = "", .axis = {0, 1, 0}, .low = 1, .high = -1, .length = -1, .kind = PX_JOINT_BALL};
}

PX_DEF(PxJointDef, joint_def, "joint")

PX_KIND_WORLD(Joint, joint)

static PxStatus find_body(const PxWorld *world, PxBodyId id, PxVec3 at, const PxRigid **out)
{
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->bodies, id, "body", &slot));
    const char *name = world->bodies.data[slot].name;
    *out = px_rigid_find(world, slot);
    if (*out == NULL)
        return px_fail(PX_ERR_ARGUMENT, "body '%s' is not rigid", name);
    double apart = px_length(px_sub(at, (*out)->place));
    if (!(apart <= PX_JOINT_FAR * (*out)->mass.radius))
        return px_fail(
            PX_ERR_ARGUMENT,
            "body '%s' is %.3g m from the joint, more than %g times its radius of %.3g m", name,
            apart, PX_JOINT_FAR, (*out)->mass.radius);
    return PX_OK;
}

/* The other end: a rigid body, a wall or the world. */
typedef struct Other {
    uint32_t number; /* UINT32_MAX: the world */
    PxVec3 place;    /* of its centre of mass, or of a wall's pivot */
    PxQuat turn;
} Other;

static PxStatus find_other(const PxWorld *world, const PxJointDef *def, PxVec3 end, Other *out)
{
    *out = (Other){UINT32_MAX, {0, 0, 0}, px_quat_identity()};
    if (def->to.slot == 0)
        return PX_OK;
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->bodies, def->to, "body", &slot));
    const PxBody *body = &world->bodies.data[slot];
    out->number = body->number;
    if (!body->def.wall) {
        const PxRigid *r;
        PX_TRY(find_body(world, def->to, end, &r));
        out->place = r->place;
        out->turn = r->turn;
        return PX_OK;
    }
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        if (wall->boundary.body != slot)
            continue;
        if (px_wall_moving(wall) != NULL)
            return px_fail(PX_ERR_ARGUMENT,
                           "the wall '%s' is deformed by poses: a joint has no fixed place in it",
                           body->name);
        PxPose pose = px_pose_at(wall->key, wall->keys, world->state.time);
        out->place = px_add(wall->pivot, pose.move);
        out->turn = pose.turn;
    }
    return PX_OK;
}

static PxVec3 into(PxQuat turn, PxVec3 v)
{
    return px_rotate(px_quat_conjugate(turn), v);
}

PxStatus px_joint_make(PxWorld *world, const void *given, void *thing)
{
    const PxJointDef *def = given;
    PxRigidJoint *j = &((PxJoint *)thing)->joint;
    const PxRigid *a;
    Other b;
    bool spring = def->kind == PX_JOINT_SPRING;
    PxVec3 end = spring ? def->anchor : def->at;
    PX_TRY(find_body(world, def->body, def->at, &a));
    PX_TRY(find_other(world, def, end, &b));
    if (a->number == b.number)
        return px_fail(PX_ERR_ARGUMENT, "it joins body '%s' to itself",
                       world->bodies.data[a->body].name);
    if ((def->kind == PX_JOINT_HINGE || def->kind == PX_JOINT_SLIDER) &&
        !(px_length(def->axis) > 0))
        return px_fail(PX_ERR_ARGUMENT, "its axis is 0, wanted a direction");
    /* Where the turn is held, the place of the joint does not matter: the centre of mass converges
     * best. */
    PxVec3 at = def->at;
    if (def->kind == PX_JOINT_WELD || def->kind == PX_JOINT_SLIDER)
        at = end = a->place;
    PxVec3 axis = px_normalized(def->axis, px_vec(0, 1, 0));
    PxVec3 side = px_normalized(
        px_cross(axis, fabs(axis.x) < 0.6 ? px_vec(1, 0, 0) : px_vec(0, 1, 0)), px_vec(0, 0, 1));
    double unit = def->kind == PX_JOINT_HINGE ? PX_PI / 180 : 1;
    double apart = px_length(px_sub(at, end));
    *j = (PxRigidJoint){.a = a->number,
                        .b = b.number,
                        .kind = def->kind,
                        .anchor_a = into(a->turn, px_sub(at, a->place)),
                        .anchor_b = into(b.turn, px_sub(end, b.place)),
                        .axis_a = into(a->turn, axis),
                        .axis_b = into(b.turn, axis),
                        .side_a = into(a->turn, side),
                        .side_b = into(b.turn, side),
                        .turn = px_quat_multiply(px_quat_conjugate(b.turn), a->turn),
                        .low = unit * def->low,
                        .high = unit * def->high,
                        .speed = def->speed,
                        .strength = def->strength,
                        .stiffness = def->stiffness,
                        .damping = def->damping,
                        .length = def->length >= 0 ? def->length : apart,
                        .breaks = def->breaks};
    world->state.bound_due = 1;
    return PX_OK;
}
