/// Table of the numbers of the world itself.
#include "world/kinds/kind.h"

static const char *const search_words[] = {"table", "distance", "grid", "tree", NULL};
static const char *const build_words[] = {"longest", "sum", "larger", NULL};
static const char *const response_words[] = {"fill", "spheres", NULL};

static const PxField wall_fields[] = {
    {.key = "search",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxWallsDef, search),
     .unit = "",
     .help = "How fluids find walls other than boxes and planes: a table of the part of the kernel "
             "that they fill, a signed distance field, a hash grid of triangles, or a tree of "
             "them.",
     .words = search_words},
    {.key = "build",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxWallsDef, build),
     .unit = "",
     .help = "How a tree is split: along its longest side, or such that the sum or the larger of "
             "the children's volumes is least.",
     .words = build_words},
    {.key = "response",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxWallsDef, response),
     .unit = "",
     .help = "What walls do to fluids: they fill a part of the kernel and push by its gradient, or "
             "they stop particles as spheres that bounce and slide.",
     .words = response_words},
    {.key = "radius",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxWallsDef, radius),
     .unit = "spacings",
     .least = 0.1,
     .most = 1,
     .help = "Radius of spheres."},
    {.key = "restitution",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxWallsDef, restitution),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Coefficient of restitution of spheres."},
    {.key = "friction",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxWallsDef, friction),
     .unit = "",
     .least = 0,
     .most = 10,
     .help = "Coefficient of Coulomb friction of spheres."},
};

static void wall_defaults(void *def)
{
    *(PxWallsDef *)def = px_world_def_default().walls;
}

const PxSection px_walls_section = {
    .name = "walls",
    .help = "Walls as fluids meet them.",
    .wanted = "an object with \"search\" or \"response\"",
    .fields = wall_fields,
    .field_count = PX_COUNT(wall_fields),
    .size = sizeof(PxWallsDef),
    .defaults = wall_defaults,
};

static const PxField fields[] = {
    {.key = "spacing",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_REQUIRED | PX_FIELD_ABOVE,
     .offset = PX_AT(PxWorldDef, spacing),
     .unit = "m",
     .least = 0,
     .most = 1e3,
     .help = "Distance between neighbouring particles at rest."},
    {.key = "support",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxWorldDef, support),
     .unit = "spacings",
     .least = 1.5,
     .most = 4,
     .help = "Support radius of the kernel, 2h: distance up to which particles are neighbours."},
    {.key = "solid_support",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxWorldDef, solid_support),
     .unit = "spacings",
     .least = 1.8,
     .most = 4,
     .help = "Support radius of solids: distance in the rest shape up to which particles are "
             "bonded and strains are fitted."},
    {.key = "gravity",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxWorldDef, gravity),
     .unit = "m/s^2",
     .least = -1e6,
     .most = 1e6,
     .help = "Gravitational acceleration."},
    {.key = "max_step",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = PX_AT(PxWorldDef, max_step),
     .unit = "s",
     .least = 0,
     .most = 1,
     .help = "Longest time step."},
    {.key = "min_step",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = PX_AT(PxWorldDef, min_step),
     .unit = "s",
     .least = 0,
     .most = 1,
     .help = "Shortest time step; a run that needs a shorter one stops with an error."},
    {.key = "courant",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = PX_AT(PxWorldDef, courant),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Courant number: fraction of the stability limit that a time step uses."},
    {.key = "walls",
     .kind = PX_FIELD_PART,
     .offset = PX_AT(PxWorldDef, walls),
     .unit = "",
     .part = &px_walls_section,
     .beside = PX_AT(PxWorldDef, walls.stated),
     .help = "How fluids find walls, and what walls do to them."},
};

static void defaults(void *def)
{
    *(PxWorldDef *)def = px_world_def_default();
}

const PxSection px_world_section = {.name = "world",
                                    .help = "The numbers of the world itself.",
                                    .fields = fields,
                                    .field_count = PX_COUNT(fields),
                                    .size = sizeof(PxWorldDef),
                                    .defaults = defaults};
