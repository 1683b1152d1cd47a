/// Table of the numbers of fracture, a part of materials. All offsets are those in PxMaterialDef.
#include "world/kinds/kind.h"

#include <stddef.h>

static const char *const model_words[] = {"transparency", "visibility", NULL};

#define NUMBER(name, more, its_unit, low, high, text)                                              \
    {                                                                                              \
        .key = #name, .kind = PX_FIELD_NUMBER, .flags = PX_FIELD_LIVE | (more),                    \
        .offset = PX_AT(PxMaterialDef, fracture.name), .unit = its_unit, .least = low,             \
        .most = high, .help = text                                                                 \
    }

static const PxField fields[] = {
    NUMBER(strength, PX_FIELD_REQUIRED | PX_FIELD_ABOVE, "Pa", 0, 1e12,
           "Tensile strength: a crack begins where the largest principal stress exceeds it."),
    NUMBER(scatter, 0, "", 0, 0.9,
           "Scatter of the strength from particle to particle, as a part of it."),
    NUMBER(speed, 0, "m/s", 0, 1e5,
           "Speed of a crack at a stress equal to the strength; faster with more stress, up to "
           "three times. 0: 0.2 of the speed of sound."),
    NUMBER(arrest, 0, "", 0, 1,
           "Part of the strength below which a crack stands still, until the stress rises again."),
    NUMBER(history, 0, "", 0, 1,
           "Inertia of a crack's direction: at 0 it follows the stress, at 1 it goes straight on, "
           "whatever the stress."),
    NUMBER(
        toughness, 0, "J/m^2", 0, 1e12,
        "Energy that a crack takes from the solid for each square metre that it grows, as far as "
        "the matter at its front has it; cracks end sooner. 0: none."),
    NUMBER(shield, 0, "m", 0, 1e6,
           "Distance from a crack in which no other begins: the size of the smallest pieces. 0: "
           "two supports of a solid's particles."),
    NUMBER(smallest, 0, "m", 0, 1e6,
           "Edge of a cube with the volume of the smallest piece: less does not come off. 0: a "
           "quarter of the shield."),
    {.key = "rigid_below",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxMaterialDef, fracture.rigid_below),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Edge of a cube: pieces with less volume move as rigid bodies. 0: all are elastic."},
    {.key = "resample",
     .kind = PX_FIELD_NUMBER,
     .offset = PX_AT(PxMaterialDef, fracture.resample),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Edge of the smallest cells into which cells near cracks, and where matter is "
             "stretched to twice its length, are split. 0: the spacing, so that only the coarse "
             "cells of an octree are. At least an eighth of the spacing."},
    NUMBER(opacity, PX_FIELD_ABOVE, "", 0, 10,
           "Length behind a crack's front over which bonds across it weaken, in half supports."),
    NUMBER(rough, 0, "", 0, 1,
           "Roughness of the faces of cracks, in spacings: solid noise in the skins of pieces."),
    {.key = "inside",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, fracture.inside),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Colour of the faces of cracks, red, green, blue (sRGB); [0, 0, 0]: that of the "
             "body."},
    {.key = "score",
     .kind = PX_FIELD_VECTOR,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, fracture.score),
     .unit = "m",
     .least = 0,
     .most = 1e6,
     .help = "Distances of planes across x, y and z along which bodies are scored, counted from "
             "the middle of the shape, half a distance off it; 0: none."},
    NUMBER(score_depth, 0, "", 0, 0.99, "Part of the strength that a score takes away."),
    NUMBER(score_width, 0, "m", 0, 1e6, "Width of a score; 0: two spacings."),
    {.key = "closed_skins",
     .kind = PX_FIELD_FLAG,
     .flags = PX_FIELD_LIVE,
     .offset = PX_AT(PxMaterialDef, fracture.closed_skins),
     .unit = "",
     .help = "Skins are not cut along cracks that end within them: each piece is a closed mesh."},
    {.key = "model",
     .kind = PX_FIELD_WORD,
     .offset = PX_AT(PxMaterialDef, fracture.model),
     .unit = "",
     .words = model_words,
     .help = "What a crack between two particles does: weaken their bond gradually, or cut it at "
             "once."},
};

static void defaults(void *def)
{
    *(PxMaterialDef *)def = px_material_def_default();
}

const PxSection px_fracture_section = {
    .name = "fracture",
    .help =
        "Makes a solid break: cracks begin where it is pulled apart too strongly, and divide it "
        "into pieces.",
    .wanted = "an object with \"strength\"",
    .fields = fields,
    .field_count = PX_COUNT(fields),
    .size = sizeof(PxMaterialDef),
    .defaults = defaults};

const char *px_fracture_wrong(const PxMaterialDef *def)
{
    if (!(def->young > 0))
        return "only a solid breaks: wanted \"young\" above 0 beside \"fracture\"";
    if (def->absorb > 0)
        return "matter with rest-shape updates does not break: leave out \"fracture\" or "
               "\"absorb\"";
    if (def->fracture.resample > 0 && def->melts.melts)
        return "what melts has particles of one size: leave out \"resample\"";
    return NULL;
}
