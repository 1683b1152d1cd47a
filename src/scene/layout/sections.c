#include "scene/layout/sections.h"

#include "world/kinds/kind.h"

#include <math.h>

#define FARTHEST 1e9 /* m; as in shape_forms.c */

static const PxField time_fields[] = {
    {.key = "frames",
     .kind = PX_FIELD_COUNT,
     .offset = PX_AT(PxSceneTime, frames),
     .unit = "",
     .least = 0,
     .most = 999999,
     .help = "Number of frames."},
    {.key = "fps",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = PX_AT(PxSceneTime, fps),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "Frames per second."},
};

static void time_defaults(void *object)
{
    *(PxSceneTime *)object = (PxSceneTime){.frames = 100, .fps = 30};
}

const PxSection px_time_section = {.name = "time",
                                   .help = "Duration and frame rate.",
                                   .wanted = "an object with \"frames\" or \"fps\"",
                                   .fields = time_fields,
                                   .field_count = PX_COUNT(time_fields),
                                   .size = sizeof(PxSceneTime),
                                   .defaults = time_defaults};

static const PxField turn_fields[] = {
    {.key = "axis",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_DIRECTION,
     .offset = PX_AT(PxSceneTurn, axis),
     .unit = "",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Direction of the axis; its length does not matter but must not be 0."},
    {.key = "degrees",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneTurn, degrees),
     .unit = "degrees",
     .least = -36000,
     .most = 36000,
     .help = "Angle, counter-clockwise when the axis points at the viewer."},
};

static void turn_defaults(void *object)
{
    *(PxSceneTurn *)object = (PxSceneTurn){.axis = {0, 1, 0}};
}

const PxSection px_turn_section = {.name = "turn",
                                   .help = "A rotation about an axis through the shape's \"at\".",
                                   .wanted = "an object with \"axis\" and \"degrees\"",
                                   .fields = turn_fields,
                                   .field_count = PX_COUNT(turn_fields),
                                   .size = sizeof(PxSceneTurn),
                                   .defaults = turn_defaults};

static const PxField vessel_fields[] = {
    {.key = "in",
     .kind = PX_FIELD_TEXT,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneVessel, in),
     .unit = "",
     .most = PX_SCENE_MOST_NAME,
     .help = "Name of the wall or rigid body that holds the liquid."},
    {.key = "level",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_ABOVE,
     .offset = PX_AT(PxSceneVessel, level),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Height of the liquid above the lowest point of the vessel's hollow."},
};

static void vessel_defaults(void *object)
{
    *(PxSceneVessel *)object = (PxSceneVessel){.body = SIZE_MAX};
}

const PxSection px_vessel_section = {.name = "vessel",
                                     .help = "A vessel and the level of the liquid in it.",
                                     .wanted = "an object with \"in\" and \"level\"",
                                     .fields = vessel_fields,
                                     .field_count = PX_COUNT(vessel_fields),
                                     .size = sizeof(PxSceneVessel),
                                     .defaults = vessel_defaults};

static const char *const ease_words[] = {"smooth", "linear", "stop", NULL};

static const PxField keyframe_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneKeyframe, at),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time of the keyframe, later than that of the one before; without it, a place on the "
             "way to the next one that has a time."},
    {.key = "move",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxSceneKeyframe, move),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Displacement from the position stated by the shape."},
    {.key = "turn",
     .kind = PX_FIELD_PART,
     .offset = PX_AT(PxSceneKeyframe, turn),
     .unit = "",
     .part = &px_turn_section,
     .help = "Rotation relative to the orientation stated by the shape."},
    {.key = "ease",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxSceneKeyframe, ease),
     .unit = "",
     .help = "Way to it from the keyframe before: a smooth curve through all of them, a straight "
             "line at constant speed, or a line that begins and ends at rest.",
     .words = ease_words},
    {.key = "face",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxSceneKeyframe, face),
     .unit = "",
     .help = "After places without a time: it turns about the vertical as its way does."},
};

static void keyframe_defaults(void *object)
{
    PxSceneKeyframe *keyframe = object;
    *keyframe = (PxSceneKeyframe){.ease = PX_EASE_LINEAR};
    turn_defaults(&keyframe->turn);
}

const PxSection px_keyframe_section = {.name = "keyframe",
                                       .help =
                                           "Position and rotation of a wall or handle at one time.",
                                       .wanted = "an object with \"at\", \"move\" and \"turn\"",
                                       .fields = keyframe_fields,
                                       .field_count = PX_COUNT(keyframe_fields),
                                       .size = sizeof(PxSceneKeyframe),
                                       .defaults = keyframe_defaults};

static const PxField temperature_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxTemperatureKey, time),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time, later than that of the entry before."},
    {.key = "to",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxTemperatureKey, to),
     .unit = "degrees C",
     .least = -273.15,
     .most = 1e5,
     .help = "Temperature at that time."},
};

static void temperature_defaults(void *object)
{
    *(PxTemperatureKey *)object = (PxTemperatureKey){0};
}

const PxSection px_temperature_section = {.name = "temperature",
                                          .help = "A temperature at one time.",
                                          .wanted = "an object with \"at\" and \"to\"",
                                          .fields = temperature_fields,
                                          .field_count = PX_COUNT(temperature_fields),
                                          .size = sizeof(PxTemperatureKey),
                                          .defaults = temperature_defaults};

static const PxField event_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneEvent, at),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time of the event."},
    {.key = "set",
     .kind = PX_FIELD_TEXT,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneEvent, set),
     .unit = "",
     .most = 255,
     .help = "Path of the value to change: gravity, materials.NAME.viscosity, "
             "bodies.NAME.friction, emitters.NAME.speed, forces.NAME.force, heaters.NAME.power, "
             "..."},
    {.key = "to",
     .kind = PX_FIELD_NUMBERS,
     .flags = PX_FIELD_REQUIRED,
     .unit = "",
     .help = "Its new value: a number, or three for a vector."},
    {.key = "over",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneEvent, over),
     .unit = "s",
     .least = 0,
     .most = 1e5,
     .help = "Time in which gravity turns to its new value, as on a table that is tilted; 0: at "
             "once. Only of gravity."},
};

static void event_defaults(void *object)
{
    *(PxSceneEvent *)object = (PxSceneEvent){0};
}

const PxSection px_event_section = {.name = "event",
                                    .help = "A number that changes at one time.",
                                    .wanted = "an object with \"at\", \"set\" and \"to\"",
                                    .fields = event_fields,
                                    .field_count = PX_COUNT(event_fields),
                                    .size = sizeof(PxSceneEvent),
                                    .defaults = event_defaults};

static const PxField camera_fields[] = {
    {.key = "from",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneView, camera.from),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Position of the camera."},
    {.key = "to",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneView, camera.to),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Point that the camera looks at."},
    {.key = "fov",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = PX_AT(PxSceneView, camera.fov),
     .unit = "degrees",
     .least = 0,
     .most = 170,
     .help = "Vertical angle of view."},
    {.key = "at",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneView, at),
     .unit = "s",
     .least = 0,
     .most = 1e9,
     .help = "Time at which it is there, in a list of cameras: later than that of the one before."},
    {.key = "ease",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxSceneView, ease),
     .unit = "",
     .help = "Way to it from the camera before: a smooth curve through all of them, a straight "
             "line, or a line that begins and ends at rest.",
     .words = ease_words},
};

static void camera_defaults(void *object)
{
    *(PxSceneView *)object = (PxSceneView){.camera.fov = 40};
}

const PxSection px_camera_section = {.name = "camera",
                                     .help = "Where pictures are taken from.",
                                     .wanted = "an object with \"from\" and \"to\"",
                                     .fields = camera_fields,
                                     .field_count = PX_COUNT(camera_fields),
                                     .size = sizeof(PxSceneView),
                                     .defaults = camera_defaults};

static const PxField output_fields[] = {
    {.key = "strain",
     .kind = PX_FIELD_FLAG,
     .offset = offsetof(PxSceneOutput, strain),
     .unit = "",
     .help = "Green's strain of solids, in the axes of the rest shape."},
    {.key = "stress",
     .kind = PX_FIELD_FLAG,
     .offset = offsetof(PxSceneOutput, stress),
     .unit = "",
     .help = "Cauchy stress, Pa, tension positive."},
    {.key = "von_mises",
     .kind = PX_FIELD_FLAG,
     .offset = offsetof(PxSceneOutput, von_mises),
     .unit = "",
     .help = "Von Mises stress of solids, Pa."},
    {.key = "principal_stress",
     .kind = PX_FIELD_FLAG,
     .offset = offsetof(PxSceneOutput, principal_stress),
     .unit = "",
     .help = "Principal stresses, Pa, the largest first."},
};

static void output_defaults(void *object)
{
    *(PxSceneOutput *)object = (PxSceneOutput){false, false, false, false};
}

const PxSection px_output_section = {.name = "output",
                                     .help = "Additional columns in frames.",
                                     .wanted = "an object with names of columns",
                                     .fields = output_fields,
                                     .field_count = PX_COUNT(output_fields),
                                     .size = sizeof(PxSceneOutput),
                                     .defaults = output_defaults};

static const char *const look_words[] = {"matte",  "glossy", "metal", "clear",
                                         "hidden", "woven",  NULL};
static const PxField look_fields[] = {
    {.key = "kind",
     .kind = PX_FIELD_WORD,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneLook, kind),
     .unit = "",
     .help = "Surface in pictures: diffuse, diffuse under a clear varnish, metallic, transparent, "
             "not shown, or threads of cloth.",
     .words = look_words},
    {.key = "colour",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxSceneLook, colour),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Red, green, blue (sRGB); of clear matter, the colour of light that passed through "
             "half the size of the scene."},
    {.key = "roughness",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneLook, roughness),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Glossy and metal: 0 is a perfect mirror, 1 is dull."},
    {.key = "ior",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneLook, ior),
     .unit = "",
     .least = 1,
     .most = 4,
     .help = "Clear and glossy: index of refraction; water 1.33, glass 1.5."},
    {.key = "xray",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneLook, xray),
     .unit = "1/m",
     .least = 0,
     .most = 1e6,
     .help = "Absorption in x-ray pictures; 0: by the density and the size of the scene."},
    {.key = "film",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneLook, film),
     .unit = "m",
     .least = 0,
     .most = 1,
     .help =
         "Materials: thickness of the film that they leave on walls and rigid bodies where they "
         "have touched them; 0: none."},
    {.key = "weft",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxSceneLook, weft),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Woven: colour of the threads along u (sRGB); those along v have \"colour\"."},
    {.key = "back",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxSceneLook, back),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Cloth: colour of its back (sRGB)."},
    {.key = "thread",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = PX_AT(PxSceneLook, thread),
     .unit = "m",
     .least = 0,
     .most = 1,
     .help = "Woven: width of a thread."},
    {.key = "texture",
     .kind = PX_FIELD_FILE,
     .offset = PX_AT(PxSceneLook, texture),
     .unit = "",
     .most = 1000,
     .help = "Cloth: a PNG file beside the scene with the colours of its front, repeated."},
    {.key = "texture_size",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = PX_AT(PxSceneLook, texture_size),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Cloth: size of one repetition of the texture."},
};

static void look_defaults(void *object)
{
    *(PxSceneLook *)object = (PxSceneLook){.kind = PX_SCENE_GLOSSY,
                                           .colour = {0.8, 0.8, 0.8},
                                           .roughness = 0.35,
                                           .ior = 1.5,
                                           .weft = {NAN, NAN, NAN},
                                           .back = {NAN, NAN, NAN},
                                           .thread = 0.002,
                                           .texture_size = 1};
}

const PxSection px_look_section = {.name = "look",
                                   .help = "Appearance in pictures.",
                                   .wanted = "an object with \"kind\"",
                                   .fields = look_fields,
                                   .field_count = PX_COUNT(look_fields),
                                   .size = sizeof(PxSceneLook),
                                   .defaults = look_defaults};

static const char *const set_words[] = {"studio", "day", "soft", "night", NULL};
static const char *const ground_words[] = {"plain",  "tiles", "checker", "wood",
                                           "shadow", "none",  NULL};
#define COLOUR(name, member, text)                                                                 \
    {                                                                                              \
        .key = name, .kind = PX_FIELD_VECTOR, .offset = PX_AT(PxScenePicture, member), .unit = "", \
        .least = 0, .most = 1, .help = text                                                        \
    }
#define NUMBER(name, member, in, from, till, text)                                                 \
    {                                                                                              \
        .key = name, .kind = PX_FIELD_NUMBER, .offset = PX_AT(PxScenePicture, member), .unit = in, \
        .least = from, .most = till, .help = text                                                  \
    }

static const PxField picture_fields[] = {
    {.key = "set",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxScenePicture, set),
     .unit = "",
     .help = "Light and background: a studio, sun and sky, an overcast sky, or nearly dark.",
     .words = set_words},
    {.key = "ground",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxScenePicture, ground),
     .unit = "",
     .help = "Ground: of one colour, tiles, a checkerboard, planks of wood, only the shadow on it "
             "(the rest is transparent), or none.",
     .words = ground_words},
    COLOUR("ground_colour", ground_colour,
           "Colour of the ground, sRGB; by default that of the set "
           "or of the wood."),
    NUMBER("ground_size", ground_size, "m", 0, 1e6,
           "Size of a tile, square or plank, or of one repetition of the texture; 0: by the size "
           "of the scene."),
    {.key = "ground_texture",
     .kind = PX_FIELD_FILE,
     .offset = PX_AT(PxScenePicture, ground_texture),
     .unit = "",
     .most = 1000,
     .help = "A PNG file beside the scene that covers the ground, repeated."},
    COLOUR("sky", sky, "Colour of the sky overhead, sRGB; by default that of the set."),
    COLOUR("horizon", horizon,
           "Colour of the sky at the horizon, sRGB; by default that of the "
           "set, or the sky's if that is stated."),
    {.key = "sky_picture",
     .kind = PX_FIELD_FILE,
     .offset = PX_AT(PxScenePicture, sky_picture),
     .unit = "",
     .most = 1000,
     .help = "An HDR picture (.hdr, equirectangular) beside the scene that is seen around it and "
             "lights it, instead of the light of the set."},
    NUMBER("sky_turn", sky_turn, "degrees", -360, 360,
           "Turn of that picture about the vertical; its middle is seen along -z (z up: along y)."),
    NUMBER("sun_azimuth", sun_azimuth, "degrees", -360, 360,
           "Direction of the sun or key light, from behind the camera, positive to the right."),
    NUMBER("sun_height", sun_height, "degrees", -90, 90, "Its height above the horizon."),
    NUMBER("exposure", exposure, "stops", -20, 20, "Brightness: 1 is twice as bright."),
    NUMBER("aperture", aperture, "m", 0, 1e6, "Diameter of the lens: depth of field; 0: none."),
    NUMBER("shutter", shutter, "", 0, 10,
           "Exposure as part of the time between frames: motion blur; 0: none."),
    {.key = "smooth",
     .kind = PX_FIELD_COUNT,
     .offset = PX_AT(PxScenePicture, smooth),
     .unit = "",
     .least = 0,
     .most = 4,
     .help = "How often cloth is subdivided for pictures, each by four triangles."},
    {.key = "caustics",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxScenePicture, caustics),
     .unit = "",
     .help = "Light of the sun and of lamps that clear matter and glass focus; for stills."},
};

static void picture_defaults(void *object)
{
    *(PxScenePicture *)object = (PxScenePicture){.ground_colour = {NAN, NAN, NAN},
                                                 .sky = {NAN, NAN, NAN},
                                                 .horizon = {NAN, NAN, NAN},
                                                 .sun_azimuth = -55,
                                                 .sun_height = 48,
                                                 .smooth = 1};
}

const PxSection px_picture_section = {.name = "picture",
                                      .help = "Light, background and lens of the pictures.",
                                      .wanted = "an object with \"set\", \"ground\", ...",
                                      .fields = picture_fields,
                                      .field_count = PX_COUNT(picture_fields),
                                      .size = sizeof(PxScenePicture),
                                      .defaults = picture_defaults};

static const PxField lamp_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxSceneLamp, at),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Its centre."},
    {.key = "radius",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_ABOVE,
     .offset = PX_AT(PxSceneLamp, radius),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Its radius: large ones cast soft shadows."},
    {.key = "power",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxSceneLamp, power),
     .unit = "",
     .least = 0,
     .most = 1e9,
     .help = "Its light at a distance of 1 m, relative to that of the sun."},
    {.key = "colour",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxSceneLamp, colour),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Colour of its light, sRGB."},
};

static void lamp_defaults(void *object)
{
    *(PxSceneLamp *)object = (PxSceneLamp){.colour = {1, 1, 1}, .power = 1};
}

const PxSection px_lamp_section = {.name = "light",
                                   .help = "A spherical light.",
                                   .wanted = "an object with \"at\" and \"radius\"",
                                   .fields = lamp_fields,
                                   .field_count = PX_COUNT(lamp_fields),
                                   .size = sizeof(PxSceneLamp),
                                   .defaults = lamp_defaults};

/* --- the scene ---------------------------------------------------------------- */

static const char *const up_words[] = {"y", "z", NULL};

static const PxField head_fields[] = {
    {.key = "phyxel",
     .kind = PX_FIELD_VERSION,
     .flags = PX_FIELD_REQUIRED,
     .unit = "",
     .help = "Version of the scene format."},
    {.key = "$schema",
     .kind = PX_FIELD_TEXT,
     .offset = PX_AT(PxSceneHead, schema),
     .unit = "",
     .most = 1000,
     .help = "Location of the JSON schema, for editors; ignored."},
    {.key = "name",
     .kind = PX_FIELD_TEXT,
     .offset = PX_AT(PxSceneHead, name),
     .unit = "",
     .most = 400,
     .help = "Name of the scene."},
    {.key = "time",
     .kind = PX_FIELD_PART,
     .offset = PX_AT(PxSceneHead, time),
     .unit = "",
     .part = &px_time_section,
     .help = "Duration and frame rate."},
    {.key = "up",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxSceneHead, up),
     .unit = "",
     .help = "Axis that points up; upright shapes stand along it.",
     .words = up_words},
    {.key = "settle",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxSceneHead, settle),
     .unit = "",
     .help = "Lets liquids come to rest before the first frame, among walls, rigid bodies and "
             "solids that stand still."},
};

static void head_defaults(void *object)
{
    PxSceneHead *head = object;
    *head = (PxSceneHead){.up = PX_UP_Y};
    time_defaults(&head->time);
}

const PxSection px_head_section = {.name = "scene",
                                   .help = "A phyxel scene. All values are in SI units.",
                                   .wanted = "a scene: an object { \"phyxel\": 1, ... }",
                                   .fields = head_fields,
                                   .field_count = PX_COUNT(head_fields),
                                   .size = sizeof(PxSceneHead),
                                   .defaults = head_defaults};

const PxField px_events_field = {.key = "events",
                                 .unit = "",
                                 .most = 100000,
                                 .part = &px_event_section,
                                 .help = "Changes while the world runs."};

const PxField px_camera_field = {
    .key = "camera",
    .kind = PX_FIELD_PART,
    .unit = "",
    .part = &px_camera_section,
    .help = "Camera of the pictures, or a list of cameras through which it moves; by default "
            "chosen to show what moves."};

const PxField px_output_field = {.key = "output",
                                 .kind = PX_FIELD_PART,
                                 .unit = "",
                                 .part = &px_output_section,
                                 .help = "Columns that frames hold beside the usual ones."};

const PxField px_picture_field = {.key = "picture",
                                  .kind = PX_FIELD_PART,
                                  .unit = "",
                                  .part = &px_picture_section,
                                  .help = "Light, background and lens of the pictures."};

const PxField px_lights_field = {.key = "lights",
                                 .unit = "",
                                 .most = 100,
                                 .part = &px_lamp_section,
                                 .help = "Lamps, in addition to the light of the picture's set."};

bool px_key_is_comment(const char *key)
{
    return key[0] == '/' && key[1] == '/';
}
