/// Table of joints between rigid bodies.
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <string.h>

static const char *const kind_words[] = {"ball", "hinge", "slider", "weld", "spring", NULL};

#define NUMBER(word, what, dimension, low, high, text)                                             \
    {                                                                                              \
        .key = word, .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE,                              \
        .offset = PX_AT(PxJointDef, what), .unit = dimension, .least = low, .most = high,          \
        .help = text                                                                               \
    }

static const PxField fields[] = {
    {.key = "kind",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxJointDef, kind),
     .unit = "",
     .help = "What it is: a ball joint, a hinge, a slider, a weld or a spring.",
     .words = kind_words},
    PX_BODY_FIELD(PxJointDef, PX_FIELD_REQUIRED, "Name of a rigid body."),
    {.key = "to",
     .kind = PX_FIELD_THING,
     .offset = PX_AT(PxJointDef, to),
     .unit = "",
     .of = "bodies",
     .help = "Name of the other rigid body, or of a wall, which may move; by default the world."},
    {.key = "at",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxJointDef, at),
     .unit = "m",
     .least = -1e6,
     .most = 1e6,
     .help = "Its place at the start; of a spring, its end at the body."},
    {.key = "anchor",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxJointDef, anchor),
     .unit = "m",
     .least = -1e6,
     .most = 1e6,
     .help = "The other end of a spring."},
    {.key = "axis",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_DIRECTION,
     .offset = PX_AT(PxJointDef, axis),
     .unit = "",
     .least = -1e6,
     .most = 1e6,
     .help = "Axis of a hinge or slider."},
    NUMBER("low", low, "degrees or m", -1e6, 1e6,
           "Lower limit of a hinge or slider, from the start."),
    NUMBER("high", high, "degrees or m", -1e6, 1e6, "Upper limit; below the lower one: no limits."),
    NUMBER("speed", speed, "rad/s or m/s", -1e5, 1e5,
           "Speed of its motor, of the body against the other."),
    NUMBER("strength", strength, "N m or N", 0, 1e15,
           "Largest torque or force of its motor; 0: none."),
    NUMBER("stiffness", stiffness, "N/m", 0, 1e15, "Stiffness of a spring."),
    NUMBER("damping", damping, "N s/m", 0, 1e15, "Damping of a spring."),
    NUMBER("length", length, "m", -1, 1e6,
           "Length of a spring at rest; negative: as at the start."),
    NUMBER("breaks", breaks, "N", 0, 1e15, "Force at which it breaks; 0: never."),
};

PX_KIND_DEFAULTS(Joint, joint)

static PxStatus changed(PxWorld *world, size_t slot, const char *key)
{
    (void)key;
    PxJoint *joint = &world->joints.data[slot];
    const PxJointDef *def = &joint->def;
    double unit = def->kind == PX_JOINT_HINGE ? PX_PI / 180 : 1;
    joint->joint.low = unit * def->low;
    joint->joint.high = unit * def->high;
    joint->joint.speed = def->speed;
    joint->joint.strength = def->strength;
    joint->joint.stiffness = def->stiffness;
    joint->joint.damping = def->damping;
    joint->joint.length = def->length >= 0 ? def->length : joint->joint.length;
    joint->joint.breaks = def->breaks;
    world->state.bound_due = 1;
    return PX_OK;
}

static void rules(const PxStated *stated)
{
    const PxJointDef *def = stated->def;
    bool axial = def->kind == PX_JOINT_HINGE || def->kind == PX_JOINT_SLIDER;
    static const char *const of_axis[] = {"axis", "low", "high", "speed", "strength"};
    static const char *const of_spring[] = {"anchor", "stiffness", "damping", "length"};
    for (size_t k = 0; k < PX_COUNT(of_axis); ++k)
        if (!axial && stated->has(stated, false, of_axis[k]))
            px_wrong(stated, PX_ERROR, of_axis[k], true, "is for hinges and sliders");
    for (size_t k = 0; k < PX_COUNT(of_spring); ++k)
        if (def->kind != PX_JOINT_SPRING && stated->has(stated, false, of_spring[k]))
            px_wrong(stated, PX_ERROR, of_spring[k], true, "is for springs");
    if (def->kind == PX_JOINT_SPRING && !(def->stiffness > 0))
        px_wrong(stated, PX_WARNING, "", false, "is a spring without a \"stiffness\"");
    static const char *const bodies[] = {"body", "to"};
    if (stated->other(stated, "to") != NULL &&
        stated->other(stated, "to") == stated->other(stated, "body"))
        px_wrong(stated, PX_ERROR, "to", true, "is the body itself: a joint has two ends");
    for (size_t k = 0; k < PX_COUNT(bodies); ++k) {
        const PxBodyDef *body = stated->other(stated, bodies[k]);
        if (body != NULL && !body->rigid && !(k == 1 && body->wall))
            px_wrong(stated, PX_ERROR, bodies[k], false,
                     "is not a rigid body%s; should it have \"rigid\": true?",
                     k == 1 ? " or wall" : "");
    }
}

/* Keys that belong to another kind of joint. */
static bool silent(const void *object, const PxField *field)
{
    const PxJointDef *def = object;
    bool axial = def->kind == PX_JOINT_HINGE || def->kind == PX_JOINT_SLIDER;
    static const char *const of_axis[] = {"axis", "low", "high", "speed", "strength"};
    static const char *const of_spring[] = {"anchor", "stiffness", "damping", "length"};
    for (size_t k = 0; k < PX_COUNT(of_axis); ++k)
        if (!axial && strcmp(field->key, of_axis[k]) == 0)
            return true;
    for (size_t k = 0; k < PX_COUNT(of_spring); ++k)
        if (def->kind != PX_JOINT_SPRING && strcmp(field->key, of_spring[k]) == 0)
            return true;
    return false;
}

const PxKind px_joint_kind = {
    .section = {.name = "joint",
                .help = "A joint of a rigid body with another one or the world.",
                .wanted = "an object with a kind, a body and a place",
                .fields = fields,
                .field_count = PX_COUNT(fields),
                .size = sizeof(PxJointDef),
                .defaults = defaults},
    .list = "joints",
    .list_help = "Joints of rigid bodies.",
    .most = 100000,
    .name_offset = PX_AT(PxJointDef, name),
    PX_KIND_SLOTS(PxJoint, joints),
    .slot_def = offsetof(PxJoint, def),
    .make = px_joint_make,
    .changed = changed,
    .rules = rules,
    .silent = silent,
};
