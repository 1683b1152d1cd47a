#include "scene/layout.h"

#include "world/fields.h"

#include <math.h>
#include <string.h>

#define AT(type, member) offsetof(type, member)

/* The largest lengths and distances that a scene may state: far beyond what the
 * particles' single precision carries, which the deeper check measures. */
#define LONGEST 1e6
#define FARTHEST 1e9

/* --- time, turn, keyframe, event, camera -------------------------------------- */

static const PxField time_fields[] = {
    {.key = "frames",
     .kind = PX_FIELD_COUNT,
     .offset = AT(PxSceneTime, frames),
     .unit = "",
     .least = 0,
     .most = 999999,
     .help = "How many frames to make."},
    {.key = "fps",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = AT(PxSceneTime, fps),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "Frames a second."},
};
static const size_t time_field_count = PX_COUNT(time_fields);

static void time_defaults(void *object)
{
    *(PxSceneTime *)object = (PxSceneTime){.frames = 100, .fps = 30};
}

const PxSection px_time_section = {.name = "time",
                                   .fields = time_fields,
                                   .field_count = &time_field_count,
                                   .defaults = time_defaults,
                                   .help = "How long, and how many pictures a second."};

static const PxField turn_fields[] = {
    {.key = "axis",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED | PX_SCENE_DIRECTION,
     .offset = AT(PxSceneTurn, axis),
     .unit = "",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Direction of the axis, of any length but 0."},
    {.key = "degrees",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxSceneTurn, degrees),
     .unit = "degrees",
     .least = -36000,
     .most = 36000,
     .help = "Angle, counter-clockwise when the axis points at the eye."},
};
static const size_t turn_field_count = PX_COUNT(turn_fields);

static void turn_defaults(void *object)
{
    *(PxSceneTurn *)object = (PxSceneTurn){.axis = {0, 1, 0}};
}

const PxSection px_turn_section = {.name = "turn",
                                   .fields = turn_fields,
                                   .field_count = &turn_field_count,
                                   .defaults = turn_defaults,
                                   .help = "A turn about an axis through the shape's \"at\"."};

static const PxField keyframe_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxSceneKeyframe, at),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "When, later than the keyframe before."},
    {.key = "move",
     .kind = PX_FIELD_VECTOR,
     .offset = AT(PxSceneKeyframe, move),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "How far from where the shape was put."},
};
static const size_t keyframe_field_count = PX_COUNT(keyframe_fields);

static const PxEntry keyframe_entries[] = {
    {.key = "turn",
     .kind = PX_ENTRY_SECTION,
     .section = &px_turn_section,
     .help = "How far turned from how the shape was put."},
};

static void keyframe_defaults(void *object)
{
    PxSceneKeyframe *keyframe = object;
    *keyframe = (PxSceneKeyframe){0};
    turn_defaults(&keyframe->turn);
}

const PxSection px_keyframe_section = {.name = "keyframe",
                                       .fields = keyframe_fields,
                                       .field_count = &keyframe_field_count,
                                       .entries = keyframe_entries,
                                       .entry_count = PX_COUNT(keyframe_entries),
                                       .defaults = keyframe_defaults,
                                       .help = "A moment in the journey of a wall or handle."};

static const PxField temperature_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxTemperatureKey, time),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "When, later than the one before."},
    {.key = "to",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxTemperatureKey, to),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "The temperature then."},
};
static const size_t temperature_field_count = PX_COUNT(temperature_fields);

static void temperature_defaults(void *object)
{
    *(PxTemperatureKey *)object = (PxTemperatureKey){0};
}

const PxSection px_temperature_section = {.name = "temperature",
                                          .fields = temperature_fields,
                                          .field_count = &temperature_field_count,
                                          .defaults = temperature_defaults,
                                          .help = "A moment in the course of a temperature."};

static const PxField event_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxSceneEvent, at),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "When."},
};
static const size_t event_field_count = PX_COUNT(event_fields);

static const PxEntry event_entries[] = {
    {.key = "set",
     .kind = PX_ENTRY_TEXT,
     .flags = PX_FIELD_REQUIRED,
     .most = 255,
     .help = "What changes: gravity, materials.NAME.viscosity, bodies.NAME.friction, "
             "emitters.NAME.speed, forces.NAME.force, heaters.NAME.power, ..."},
    {.key = "to",
     .kind = PX_ENTRY_NUMBERS,
     .flags = PX_FIELD_REQUIRED,
     .help = "Its new value: a number, or three for a vector."},
};

static void event_defaults(void *object)
{
    *(PxSceneEvent *)object = (PxSceneEvent){0};
}

const PxSection px_event_section = {.name = "event",
                                    .fields = event_fields,
                                    .field_count = &event_field_count,
                                    .entries = event_entries,
                                    .entry_count = PX_COUNT(event_entries),
                                    .defaults = event_defaults,
                                    .help = "Something that changes while the world runs."};

static const PxField camera_fields[] = {
    {.key = "from",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxSceneCamera, from),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Where the eye is."},
    {.key = "to",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxSceneCamera, to),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "What it looks at."},
    {.key = "fov",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = AT(PxSceneCamera, fov),
     .unit = "degrees",
     .least = 0,
     .most = 170,
     .help = "Vertical angle of view."},
};
static const size_t camera_field_count = PX_COUNT(camera_fields);

static void camera_defaults(void *object)
{
    *(PxSceneCamera *)object = (PxSceneCamera){.fov = 40};
}

const PxSection px_camera_section = {.name = "camera",
                                     .fields = camera_fields,
                                     .field_count = &camera_field_count,
                                     .defaults = camera_defaults,
                                     .help = "From where the pictures are taken."};

static const PxField output_fields[] = {
    {.key = "strain",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxSceneOutput, strain),
     .unit = "",
     .help = "Green's strain of solids, in the axes of the rest shape."},
    {.key = "stress",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxSceneOutput, stress),
     .unit = "",
     .help = "Cauchy stress, Pa, tension positive."},
    {.key = "von_mises",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxSceneOutput, von_mises),
     .unit = "",
     .help = "Von Mises stress of solids, Pa."},
    {.key = "principal_stress",
     .kind = PX_FIELD_FLAG,
     .offset = AT(PxSceneOutput, principal_stress),
     .unit = "",
     .help = "Principal stresses, Pa, the largest first."},
};
static const size_t output_field_count = PX_COUNT(output_fields);

static void output_defaults(void *object)
{
    *(PxSceneOutput *)object = (PxSceneOutput){false, false, false, false};
}

const PxSection px_output_section = {.name = "output",
                                     .fields = output_fields,
                                     .field_count = &output_field_count,
                                     .defaults = output_defaults,
                                     .help = "Columns that frames hold beside the usual ones."};

static const char *const look_words[] = {"matte", "glossy", "metal", "clear", "hidden", NULL};
static const PxField look_fields[] = {
    {.key = "kind",
     .kind = PX_FIELD_WORD,
     .flags = PX_FIELD_REQUIRED,
     .offset = AT(PxSceneLook, kind),
     .unit = "",
     .help =
         "What light does there: scattered, under a varnish, mirrored, refracted; hidden is not "
         "shown.",
     .words = look_words},
    {.key = "colour",
     .kind = PX_FIELD_VECTOR,
     .offset = AT(PxSceneLook, colour),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Red, green, blue as a screen has them; of what is clear, after half the size of the "
             "scene."},
    {.key = "roughness",
     .kind = PX_FIELD_NUMBER,
     .offset = AT(PxSceneLook, roughness),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Glossy and metal: 0 mirrors sharply, 1 not at all."},
    {.key = "ior",
     .kind = PX_FIELD_NUMBER,
     .offset = AT(PxSceneLook, ior),
     .unit = "",
     .least = 1,
     .most = 4,
     .help = "Clear and glossy: refractive index; water 1.33, glass 1.5."},
};
static const size_t look_field_count = PX_COUNT(look_fields);

static void look_defaults(void *object)
{
    *(PxSceneLook *)object = (PxSceneLook){
        .kind = PX_SCENE_GLOSSY, .colour = {0.8, 0.8, 0.8}, .roughness = 0.35, .ior = 1.5};
}

const PxSection px_look_section = {.name = "look",
                                   .fields = look_fields,
                                   .field_count = &look_field_count,
                                   .defaults = look_defaults,
                                   .help = "What it looks like in pictures."};

/* --- shapes ------------------------------------------------------------------- */

#define LENGTH(member, more, text)                                                                 \
    {                                                                                              \
        .key = #member, .kind = PX_FIELD_NUMBER, .flags = more, .offset = AT(PxShapeDef, member),  \
        .unit = "m", .least = 0, .most = LONGEST, .help = text                                     \
    }
#define NEEDED (PX_FIELD_REQUIRED | PX_FIELD_ABOVE)

static const PxField box_size = {.key = "box",
                                 .kind = PX_FIELD_VECTOR,
                                 .flags = NEEDED,
                                 .offset = AT(PxShapeDef, size),
                                 .unit = "m",
                                 .least = 0,
                                 .most = LONGEST,
                                 .help = "Lengths of the edges."};
static const PxField sphere_radius = LENGTH(radius, NEEDED, "Radius.");
static const PxField plane_normal[] = {
    {.key = "normal",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_SCENE_DIRECTION,
     .offset = AT(PxShapeDef, normal),
     .unit = "",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Direction of the free side, of any length but 0; up unless stated."}};
static const PxField cylinder_fields[] = {LENGTH(radius, NEEDED, "Radius."),
                                          LENGTH(height, NEEDED, "Height.")};
static const PxField capsule_fields[] = {LENGTH(radius, NEEDED, "Radius."),
                                         LENGTH(height, NEEDED, "Height of the straight part.")};
static const PxField cone_fields[] = {LENGTH(radius, NEEDED, "Radius at the bottom."),
                                      LENGTH(radius_top, 0, "Radius at the top; 0 makes a point."),
                                      LENGTH(height, NEEDED, "Height.")};
static const PxField funnel_fields[] = {LENGTH(radius, NEEDED, "Inner radius at the bottom."),
                                        LENGTH(radius_top, NEEDED, "Inner radius at the top."),
                                        LENGTH(height, NEEDED, "Height."),
                                        LENGTH(thickness, NEEDED, "Thickness of its wall.")};

static const PxShapeForm forms[] = {
    {.key = "box",
     .kind = PX_SHAPE_BOX,
     .plain = &box_size,
     .help = "A box with its middle at \"at\"."},
    {.key = "sphere",
     .kind = PX_SHAPE_SPHERE,
     .plain = &sphere_radius,
     .help = "A ball: its radius."},
    {.key = "cylinder",
     .kind = PX_SHAPE_CYLINDER,
     .fields = cylinder_fields,
     .field_count = PX_COUNT(cylinder_fields),
     .help = "An upright cylinder with its middle at \"at\"."},
    {.key = "capsule",
     .kind = PX_SHAPE_CAPSULE,
     .fields = capsule_fields,
     .field_count = PX_COUNT(capsule_fields),
     .help = "An upright cylinder with a half ball on each end."},
    {.key = "plane",
     .kind = PX_SHAPE_PLANE,
     .plain = plane_normal,
     .fields = plane_normal,
     .field_count = PX_COUNT(plane_normal),
     .help = "Everything below a plane through \"at\"; walls only."},
    {.key = "cone",
     .kind = PX_SHAPE_CONE,
     .fields = cone_fields,
     .field_count = PX_COUNT(cone_fields),
     .help = "An upright cone, or what is left when its top is cut off."},
    {.key = "funnel",
     .kind = PX_SHAPE_FUNNEL,
     .fields = funnel_fields,
     .field_count = PX_COUNT(funnel_fields),
     .help = "The shell of an upright cone, open at both ends."},
    {.key = "mesh",
     .kind = PX_SHAPE_MESH,
     .file = true,
     .help = "A closed triangle mesh: an OBJ, PLY or STL file beside the scene."},
};

static const PxField shape_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_VECTOR,
     .offset = AT(PxShapeDef, at),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Where its middle (a mesh: its origin) stands."},
    {.key = "scale",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = AT(PxShapeDef, scale),
     .unit = "",
     .least = 0,
     .most = LONGEST,
     .help = "How many times larger."},
};
static const size_t shape_field_count = PX_COUNT(shape_fields);

static const PxEntry shape_entries[] = {
    {.key = "turn",
     .kind = PX_ENTRY_SECTION,
     .section = &px_turn_section,
     .help = "How the shape is turned."},
};

static void shape_defaults(void *object)
{
    *(PxShapeDef *)object = px_shape_def_default(PX_SHAPE_BOX);
}

const PxSection px_shape_section = {.name = "shape",
                                    .fields = shape_fields,
                                    .field_count = &shape_field_count,
                                    .entries = shape_entries,
                                    .entry_count = PX_COUNT(shape_entries),
                                    .forms = forms,
                                    .form_count = PX_COUNT(forms),
                                    .defaults = shape_defaults,
                                    .help = "Exactly one kind of shape, and where it stands."};

/* --- materials, bodies, the scene ------------------------------------------------ */

static void material_defaults(void *object)
{
    *(PxMaterialDef *)object = px_material_def_default();
}

/* All but the tension, which may be stated in two ways. */
enum { INTO_FIELDS = 11 };
static const size_t melt_into_field_count = INTO_FIELDS;

static const PxEntry melt_into_entries[] = {
    {.key = "tension",
     .kind = PX_ENTRY_STRENGTH,
     .field = &px_melt_into_fields[INTO_FIELDS],
     .help = "How strong its surface tension is: a number, or the model with its numbers when the "
             "cold state has none."},
};

const PxSection px_melt_into_section = {
    .name = "molten",
    .fields = px_melt_into_fields,
    .field_count = &melt_into_field_count,
    .entries = melt_into_entries,
    .entry_count = PX_COUNT(melt_into_entries),
    .defaults = material_defaults,
    .help = "What the molten state has of its own; all else is as in the cold one."};

static const PxEntry melt_entries[] = {
    {.key = "into",
     .kind = PX_ENTRY_SECTION,
     .section = &px_melt_into_section,
     .help = "What the molten state has of its own."},
};

const PxSection px_melt_section = {
    .name = "melting",
    .fields = px_melt_fields,
    .field_count = &px_melt_field_count,
    .entries = melt_entries,
    .entry_count = PX_COUNT(melt_entries),
    .defaults = material_defaults,
    .help = "Between two temperatures, from the state that the material states to the molten one."};

static const PxEntry material_entries[] = {
    {.key = "melts",
     .kind = PX_ENTRY_SECTION,
     .section = &px_melt_section,
     .help = "Where it melts, and into what."},
    {.key = "look",
     .kind = PX_ENTRY_SECTION,
     .section = &px_look_section,
     .help = "What it looks like in pictures; by its name unless stated."},
};

const PxSection px_material_section = {.name = "material",
                                       .fields = px_material_fields,
                                       .field_count = &px_material_field_count,
                                       .entries = material_entries,
                                       .entry_count = PX_COUNT(material_entries),
                                       .defaults = material_defaults,
                                       .help = "What bodies are made of."};

static const PxEntry body_entries[] = {
    {.key = "name",
     .kind = PX_ENTRY_TEXT,
     .most = PX_SCENE_MOST_NAME,
     .help = "A name without a dot, unlike all others; \"body 1\", ... unless stated."},
    {.key = "shape",
     .kind = PX_ENTRY_SECTION,
     .flags = PX_FIELD_REQUIRED,
     .section = &px_shape_section,
     .help = "Its shape at the start."},
    {.key = "material",
     .kind = PX_ENTRY_TEXT,
     .most = PX_SCENE_MOST_NAME,
     .help = "What it is made of: a name from \"materials\". Not for walls."},
    {.key = "keyframes",
     .kind = PX_ENTRY_LIST,
     .section = &px_keyframe_section,
     .most = 100000,
     .help = "How a wall moves: straight and evenly from each to the next. It starts where its "
             "shape was put unless the first is at 0."},
    {.key = "temperatures",
     .kind = PX_ENTRY_LIST,
     .section = &px_temperature_section,
     .most = 100000,
     .help = "How the temperature of a wall changes: evenly from each to the next."},
    {.key = "look",
     .kind = PX_ENTRY_SECTION,
     .section = &px_look_section,
     .help = "What a wall looks like in pictures; by its name unless stated."},
    {.key = "texture",
     .kind = PX_ENTRY_TEXT,
     .most = 1000,
     .help = "A PNG file beside the scene that surfels and skin are painted with; the mesh "
             "needs texture coordinates."},
};

static void body_defaults(void *object)
{
    *(PxBodyDef *)object = px_body_def_default();
}

const PxSection px_body_section = {.name = "body",
                                   .fields = px_body_fields,
                                   .field_count = &px_body_field_count,
                                   .entries = body_entries,
                                   .entry_count = PX_COUNT(body_entries),
                                   .defaults = body_defaults,
                                   .help = "A shape filled with a material, or a wall."};

PxBodySort px_body_key_sort(const char *key)
{
    static const struct {
        const char *key;
        PxBodySort sort;
    } sorts[] = {
        {"inside", PX_FOR_WALLS},       {"friction", PX_FOR_WALLS},  {"keyframes", PX_FOR_WALLS},
        {"cling", PX_FOR_WALLS},        {"look", PX_FOR_WALLS},      {"conductance", PX_FOR_WALLS},
        {"temperatures", PX_FOR_WALLS}, {"material", PX_FOR_MATTER}, {"velocity", PX_FOR_MATTER},
        {"spin", PX_FOR_MATTER},        {"fill", PX_FOR_MATTER},     {"surfels", PX_FOR_MATTER},
        {"skin", PX_FOR_MATTER},        {"texture", PX_FOR_MATTER},  {"levels", PX_FOR_MATTER}};
    for (size_t k = 0; k < PX_COUNT(sorts); ++k)
        if (strcmp(sorts[k].key, key) == 0)
            return sorts[k].sort;
    return PX_FOR_ALL;
}

#define NAME_ENTRY(example)                                                                        \
    {                                                                                              \
        .key = "name", .kind = PX_ENTRY_TEXT, .most = PX_SCENE_MOST_NAME,                          \
        .help = "A name without a dot, unlike all others; \"" example "\", ... unless stated."     \
    }

static const PxEntry emitter_entries[] = {
    NAME_ENTRY("emitter 1"),
    {.key = "shape",
     .kind = PX_ENTRY_SECTION,
     .flags = PX_FIELD_REQUIRED,
     .section = &px_shape_section,
     .help = "A cylinder or box: the piece of pipe that matter comes out of."},
    {.key = "material",
     .kind = PX_ENTRY_TEXT,
     .flags = PX_FIELD_REQUIRED,
     .most = PX_SCENE_MOST_NAME,
     .help = "What comes out: a name from \"materials\"."},
};

static void emitter_defaults(void *object)
{
    PxEmitterDef *def = object;
    *def = px_emitter_def_default();
    def->direction = def->shape.normal; /* up */
}

const PxSection px_emitter_section = {.name = "emitter",
                                      .fields = px_emitter_fields,
                                      .field_count = &px_emitter_field_count,
                                      .entries = emitter_entries,
                                      .entry_count = PX_COUNT(emitter_entries),
                                      .defaults = emitter_defaults,
                                      .help = "A source of matter, with a speed or a rate."};

static const PxEntry sink_entries[] = {
    NAME_ENTRY("sink 1"),
    {.key = "shape",
     .kind = PX_ENTRY_SECTION,
     .flags = PX_FIELD_REQUIRED,
     .section = &px_shape_section,
     .help = "Where particles vanish."},
};

static void sink_defaults(void *object)
{
    *(PxSinkDef *)object = px_sink_def_default();
}

const PxSection px_sink_section = {.name = "sink",
                                   .fields = px_sink_fields,
                                   .field_count = &px_sink_field_count,
                                   .entries = sink_entries,
                                   .entry_count = PX_COUNT(sink_entries),
                                   .defaults = sink_defaults,
                                   .help = "A place that swallows what comes into it."};

/* Whose particles a handle or force takes. */
#define OF_BODY                                                                                    \
    {                                                                                              \
        .key = "body", .kind = PX_ENTRY_TEXT, .most = PX_SCENE_MOST_NAME,                          \
        .help = "Of which solid: the name of a body. Of any unless stated."                        \
    }

static const PxEntry handle_entries[] = {
    NAME_ENTRY("handle 1"),
    OF_BODY,
    {.key = "shape",
     .kind = PX_ENTRY_SECTION,
     .flags = PX_FIELD_REQUIRED,
     .section = &px_shape_section,
     .help = "The region: what of a solid is in it at the start is held."},
    {.key = "keyframes",
     .kind = PX_ENTRY_LIST,
     .section = &px_keyframe_section,
     .most = 100000,
     .help = "How it moves what it holds, as those of a wall; it stands still unless stated."},
};

static void handle_defaults(void *object)
{
    *(PxHandleDef *)object = px_handle_def_default();
}

const PxSection px_handle_section = {.name = "handle",
                                     .fields = px_handle_fields,
                                     .field_count = &px_handle_field_count,
                                     .entries = handle_entries,
                                     .entry_count = PX_COUNT(handle_entries),
                                     .defaults = handle_defaults,
                                     .help = "Holds a part of a solid, or moves it."};

static const PxEntry force_entries[] = {
    NAME_ENTRY("force 1"),
    OF_BODY,
    {.key = "shape",
     .kind = PX_ENTRY_SECTION,
     .flags = PX_FIELD_REQUIRED,
     .section = &px_shape_section,
     .help = "The region: the force is on what of a solid is in it, shared out by mass."},
};

static void force_defaults(void *object)
{
    *(PxForceDef *)object = px_force_def_default();
}

const PxSection px_force_section = {.name = "force",
                                    .fields = px_force_fields,
                                    .field_count = &px_force_field_count,
                                    .entries = force_entries,
                                    .entry_count = PX_COUNT(force_entries),
                                    .defaults = force_defaults,
                                    .help = "A force on a part of a solid."};

static const PxEntry heater_entries[] = {
    NAME_ENTRY("heater 1"),
    {.key = "body",
     .kind = PX_ENTRY_TEXT,
     .most = PX_SCENE_MOST_NAME,
     .help = "What it warms: the name of a body. Whatever is in it unless stated."},
    {.key = "shape",
     .kind = PX_ENTRY_SECTION,
     .flags = PX_FIELD_REQUIRED,
     .section = &px_shape_section,
     .help = "The region."},
    {.key = "temperatures",
     .kind = PX_ENTRY_LIST,
     .section = &px_temperature_section,
     .most = 100000,
     .help = "How its temperature changes: evenly from each to the next."},
};

static void heater_defaults(void *object)
{
    *(PxHeaterDef *)object = px_heater_def_default();
}

const PxSection px_heater_section = {.name = "heater",
                                     .fields = px_heater_fields,
                                     .field_count = &px_heater_field_count,
                                     .entries = heater_entries,
                                     .entry_count = PX_COUNT(heater_entries),
                                     .defaults = heater_defaults,
                                     .help = "Warms or cools what is in a region."};

static const char *const up_words[] = {"y", "z", NULL};
static const PxField up_field = {.key = "up",
                                 .kind = PX_FIELD_WORD,
                                 .unit = "",
                                 .help = "Which axis points up.",
                                 .words = up_words};

static const PxEntry scene_entries[] = {
    {.key = "phyxel",
     .kind = PX_ENTRY_VERSION,
     .flags = PX_FIELD_REQUIRED,
     .help = "Version of the scene format."},
    {.key = "$schema",
     .kind = PX_ENTRY_TEXT,
     .most = 1000,
     .help = "Where an editor finds the schema of scenes; not looked at."},
    {.key = "name", .kind = PX_ENTRY_TEXT, .most = 400, .help = "What the scene is called."},
    {.key = "time",
     .kind = PX_ENTRY_SECTION,
     .section = &px_time_section,
     .help = "How long, and how many pictures a second."},
    {.key = "up", .kind = PX_ENTRY_WORD, .field = &up_field, .help = "Which axis points up."},
    {.key = "materials",
     .kind = PX_ENTRY_MAP,
     .section = &px_material_section,
     .most = 1000,
     .help = "What bodies are made of, by name."},
    {.key = "bodies",
     .kind = PX_ENTRY_LIST,
     .section = &px_body_section,
     .most = 100000,
     .help = "What is there at the start: matter and walls."},
    {.key = "emitters",
     .kind = PX_ENTRY_LIST,
     .section = &px_emitter_section,
     .most = 1000,
     .help = "Where matter comes in."},
    {.key = "sinks",
     .kind = PX_ENTRY_LIST,
     .section = &px_sink_section,
     .most = 1000,
     .help = "Where matter goes out."},
    {.key = "handles",
     .kind = PX_ENTRY_LIST,
     .section = &px_handle_section,
     .most = 1000,
     .help = "What holds parts of solids."},
    {.key = "forces",
     .kind = PX_ENTRY_LIST,
     .section = &px_force_section,
     .most = 1000,
     .help = "What pulls at parts of solids."},
    {.key = "heaters",
     .kind = PX_ENTRY_LIST,
     .section = &px_heater_section,
     .most = 1000,
     .help = "What warms or cools."},
    {.key = "events",
     .kind = PX_ENTRY_LIST,
     .section = &px_event_section,
     .most = 100000,
     .help = "What changes while the world runs."},
    {.key = "camera",
     .kind = PX_ENTRY_SECTION,
     .section = &px_camera_section,
     .help = "From where the pictures are taken; chosen for the scene unless stated."},
    {.key = "output",
     .kind = PX_ENTRY_SECTION,
     .section = &px_output_section,
     .help = "Columns that frames hold beside the usual ones."},
};

static void world_defaults(void *object)
{
    *(PxWorldDef *)object = px_world_def_default();
}

const PxSection px_scene_section = {.name = "scene",
                                    .fields = px_world_fields,
                                    .field_count = &px_world_field_count,
                                    .entries = scene_entries,
                                    .entry_count = PX_COUNT(scene_entries),
                                    .defaults = world_defaults,
                                    .help = "A phyxel scene. Everything is in SI units."};

/* --- looking things up --------------------------------------------------------- */

const PxEntry *px_entry_find(const PxSection *section, const char *key)
{
    for (size_t k = 0; k < section->entry_count; ++k)
        if (strcmp(section->entries[k].key, key) == 0)
            return &section->entries[k];
    return NULL;
}

const PxShapeForm *px_form_find(const PxSection *section, const char *key)
{
    for (size_t k = 0; k < section->form_count; ++k)
        if (strcmp(section->forms[k].key, key) == 0)
            return &section->forms[k];
    return NULL;
}

const PxShapeForm *px_form_of_kind(PxShapeKind kind)
{
    for (size_t k = 0; k < PX_COUNT(forms); ++k)
        if (forms[k].kind == kind)
            return &forms[k];
    return NULL;
}

bool px_key_is_comment(const char *key)
{
    return key[0] == '/' && key[1] == '/';
}
