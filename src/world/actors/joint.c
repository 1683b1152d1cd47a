#include "world/actors/joint.h"

#include "world/kinds/kind.h"
#include "world/rigid_stage.h"

#include <math.h>

/* A joint further than this from a body's centre of mass, in radii of the body, is a mistake. */
#define FAR 10.0

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
    if (!(apart <= FAR * (*out)->mass.radius))
        return px_fail(
            PX_ERR_ARGUMENT,
            "body '%s' is %.3g m from the joint, more than %g times its radius of %.3g m", name,
            apart, FAR, (*out)->mass.radius);
    return PX_OK;
}

static PxVec3 into(const PxRigid *r, PxVec3 v)
{
    return r != NULL ? px_rotate(px_quat_conjugate(r->turn), v) : v;
}

PxStatus px_joint_make(PxWorld *world, const void *given, void *thing)
{
    const PxJointDef *def = given;
    PxRigidJoint *j = &((PxJoint *)thing)->joint;
    const PxRigid *a, *b = NULL;
    bool spring = def->kind == PX_JOINT_SPRING;
    PxVec3 end = spring ? def->anchor : def->at;
    PX_TRY(find_body(world, def->body, def->at, &a));
    if (def->to.slot != 0)
        PX_TRY(find_body(world, def->to, end, &b));
    if (a == b)
        return px_fail(PX_ERR_ARGUMENT, "it joins body '%s' to itself",
                       world->bodies.data[a->body].name);
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
                        .b = b != NULL ? b->number : UINT32_MAX,
                        .kind = def->kind,
                        .anchor_a = into(a, px_sub(at, a->place)),
                        .anchor_b = b != NULL ? into(b, px_sub(end, b->place)) : end,
                        .axis_a = into(a, axis),
                        .axis_b = into(b, axis),
                        .side_a = into(a, side),
                        .side_b = into(b, side),
                        .turn = b != NULL ? px_quat_multiply(px_quat_conjugate(b->turn), a->turn)
                                          : a->turn,
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
