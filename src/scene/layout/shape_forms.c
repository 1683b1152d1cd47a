#include "scene/layout/shape_forms.h"

#include "scene/layout/sections.h"
#include "world/kinds/kind.h"

#include <string.h>

/* The largest lengths and distances that a scene may state. They are far beyond the range in which
 * single precision resolves particles, which px_scene_check() tests. */
#define LONGEST 1e6
#define FARTHEST 1e9

#define LENGTH(member, more, text)                                                                 \
    {                                                                                              \
        .key = #member, .kind = PX_FIELD_NUMBER, .flags = more,                                    \
        .offset = PX_AT(PxShapeDef, member), .unit = "m", .least = 0, .most = LONGEST,             \
        .help = text                                                                               \
    }
#define NEEDED (PX_FIELD_REQUIRED | PX_FIELD_ABOVE)

static const PxField box_size = {.key = "box",
                                 .kind = PX_FIELD_VECTOR,
                                 .flags = NEEDED,
                                 .offset = PX_AT(PxShapeDef, size),
                                 .unit = "m",
                                 .least = 0,
                                 .most = LONGEST,
                                 .help = "Lengths of the edges."};
static const PxField sphere_radius = LENGTH(radius, NEEDED, "Radius.");
static const PxField plane_normal[] = {
    {.key = "normal",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_DIRECTION,
     .offset = PX_AT(PxShapeDef, normal),
     .unit = "",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Normal of the plane, towards the free side; its length does not matter but must "
             "not be 0. Up by default."}};
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

#define CELLS(member, text)                                                                        \
    {                                                                                              \
        .key = #member, .kind = PX_FIELD_COUNT, .offset = PX_AT(PxShapeDef, member), .unit = "",   \
        .least = 0, .most = 2000, .help = text                                                     \
    }
static const PxField sheet_fields[] = {
    {.key = "width",
     .kind = PX_FIELD_NUMBER,
     .flags = NEEDED,
     .offset = PX_AT(PxShapeDef, size.x),
     .unit = "m",
     .least = 0,
     .most = LONGEST,
     .help = "Width, along the weft and x."},
    {.key = "length",
     .kind = PX_FIELD_NUMBER,
     .flags = NEEDED,
     .offset = PX_AT(PxShapeDef, size.z),
     .unit = "m",
     .least = 0,
     .most = LONGEST,
     .help = "Length, along the warp."},
    CELLS(columns, "Cells along the width; 0: square cells, 40 along the longer side."),
    CELLS(rows, "Cells along the length; 0: the same.")};

static const char *const between_words[] = {"linear", "smooth", NULL};
static const PxField mesh_fields[] = {
    {.key = "file",
     .kind = PX_FIELD_FILE,
     .flags = PX_FIELD_REQUIRED,
     .offset = PX_AT(PxShapeDef, mesh),
     .unit = "",
     .most = 1000,
     .help = "The mesh: an OBJ, PLY or STL file beside the scene. With poses it gives the "
             "triangles."},
    {.key = "part",
     .kind = PX_FIELD_TEXT,
     .offset = PX_AT(PxShapeDef, part),
     .unit = "",
     .most = 1000,
     .help = "Object or group of the OBJ file that is the mesh; without it, all of the file."},
    {.key = "poses",
     .kind = PX_FIELD_FILE,
     .offset = PX_AT(PxShapeDef, poses),
     .unit = "",
     .most = 1000,
     .help = "For walls: a PC2 file with the positions of the vertices over time, or mesh files "
             "numbered from 0 or 1 on, with a '#' for each digit: \"walk-####.obj\"."},
    {.key = "fps",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = PX_AT(PxShapeDef, pose_fps),
     .unit = "1/s",
     .least = 0,
     .most = 1e6,
     .help = "Poses per second; of a PC2 file, frames per second."},
    {.key = "start",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxShapeDef, pose_start),
     .unit = "s",
     .least = -1e9,
     .most = 1e9,
     .help = "Time of the first pose; may be negative."},
    {.key = "loop",
     .kind = PX_FIELD_FLAG,
     .offset = PX_AT(PxShapeDef, pose_loop),
     .unit = "",
     .help = "After the last pose follows the first; false: the mesh stays in the last."},
    {.key = "between",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxShapeDef, pose_between),
     .unit = "",
     .help = "Way of the vertices between poses: straight lines, or smooth curves through all "
             "poses.",
     .words = between_words}};

static const PxField points_file = {.key = "points",
                                    .kind = PX_FIELD_FILE,
                                    .flags = PX_FIELD_REQUIRED,
                                    .offset = PX_AT(PxShapeDef, mesh),
                                    .unit = "",
                                    .most = 1000,
                                    .help = "Places of particles: a PLY or CSV file."};

static const PxShapeForm forms[] = {
    {.key = "box",
     .kind = PX_SHAPE_BOX,
     .plain = &box_size,
     .help = "A box with its centre at \"at\"."},
    {.key = "sphere",
     .kind = PX_SHAPE_SPHERE,
     .plain = &sphere_radius,
     .help = "A ball; the number is its radius."},
    {.key = "cylinder",
     .kind = PX_SHAPE_CYLINDER,
     .fields = cylinder_fields,
     .field_count = PX_COUNT(cylinder_fields),
     .help = "An upright cylinder with its centre at \"at\"."},
    {.key = "capsule",
     .kind = PX_SHAPE_CAPSULE,
     .fields = capsule_fields,
     .field_count = PX_COUNT(capsule_fields),
     .help = "An upright cylinder with a hemisphere at each end."},
    {.key = "plane",
     .kind = PX_SHAPE_PLANE,
     .plain = plane_normal,
     .fields = plane_normal,
     .field_count = PX_COUNT(plane_normal),
     .help = "The half-space below a plane through \"at\"; for walls only."},
    {.key = "cone",
     .kind = PX_SHAPE_CONE,
     .fields = cone_fields,
     .field_count = PX_COUNT(cone_fields),
     .help = "An upright cone or truncated cone."},
    {.key = "funnel",
     .kind = PX_SHAPE_FUNNEL,
     .fields = funnel_fields,
     .field_count = PX_COUNT(funnel_fields),
     .help = "The shell of an upright truncated cone, open at both ends."},
    {.key = "mesh",
     .kind = PX_SHAPE_MESH,
     .file = true,
     .plain = mesh_fields,
     .fields = mesh_fields,
     .field_count = PX_COUNT(mesh_fields),
     .help = "A closed triangle mesh: an OBJ, PLY or STL file beside the scene. That of cloth "
             "may be open. An object also states which part of an OBJ file it is, and the poses "
             "through which the mesh of a wall moves."},
    {.key = "points",
     .kind = PX_SHAPE_PARTICLES,
     .file = true,
     .plain = &points_file,
     .help = "Particles at the points of a PLY or CSV file beside the scene; for fluids and "
             "solids."},
    {.key = "sheet",
     .kind = PX_SHAPE_SHEET,
     .fields = sheet_fields,
     .field_count = PX_COUNT(sheet_fields),
     .help = "A horizontal rectangle of cloth with its centre at \"at\"."},
};

static const PxField shape_fields[] = {
    {.key = "at",
     .kind = PX_FIELD_VECTOR,
     .offset = PX_AT(PxShapeDef, at),
     .unit = "m",
     .least = -FARTHEST,
     .most = FARTHEST,
     .help = "Position of its centre; of a mesh, of its origin."},
    {.key = "scale",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_ABOVE,
     .offset = PX_AT(PxShapeDef, scale),
     .unit = "",
     .least = 0,
     .most = LONGEST,
     .help = "Scale factor."},
    {.key = "turn",
     .kind = PX_FIELD_PART,
     .offset = PX_AT(PxSceneShape, turn),
     .unit = "",
     .part = &px_turn_section,
     .help = "Rotation of the shape."},
};

static void shape_defaults(void *object)
{
    PxSceneShape *shape = object;
    shape->def = px_shape_def_default(PX_SHAPE_BOX);
    px_turn_section.defaults(&shape->turn);
}

const PxSection px_shape_section = {.name = "shape",
                                    .help = "Exactly one form, and where it is placed.",
                                    .wanted = "an object with a kind of shape",
                                    .fields = shape_fields,
                                    .field_count = PX_COUNT(shape_fields),
                                    .size = sizeof(PxSceneShape),
                                    .defaults = shape_defaults};

const PxShapeForm *const px_shape_forms = forms;
const size_t px_shape_form_count = PX_COUNT(forms);

const PxShapeForm *px_form_find(const char *key)
{
    for (size_t k = 0; k < PX_COUNT(forms); ++k)
        if (strcmp(forms[k].key, key) == 0)
            return &forms[k];
    return NULL;
}

const PxShapeForm *px_form_of_kind(PxShapeKind kind)
{
    for (size_t k = 0; k < PX_COUNT(forms); ++k)
        if (forms[k].kind == kind)
            return &forms[k];
    return NULL;
}
