#include "render/looks.h"

#include "render/trace/draw.h"

#include <ctype.h>
#include <string.h>

/* Does the name contain the word, ignoring case? Words of up to three letters must stand alone:
 * "juice" contains "ice". */
static bool has(const char *name, const char *word)
{
    bool alone = strlen(word) < 4;
    for (const char *at = name; at != NULL && *at != '\0'; ++at) {
        size_t k = 0;
        while (word[k] != '\0' && tolower((unsigned char)at[k]) == word[k])
            ++k;
        bool beside =
            (at > name && isalpha((unsigned char)at[-1])) || isalpha((unsigned char)at[k]);
        if (word[k] == '\0' && !(alone && beside))
            return true;
    }
    return false;
}

/* Appearance by name: the transmittance of white light through half the scene's size, and the
 * colour of particles. Opaque materials have no transmittance. */
typedef struct Known {
    const char *word;
    bool clear;
    float ior;
    PxV3 left;
    PxV3 grain;
    float roughness;
} Known;

enum { WATER, ICE, HONEY };

static const Known knowns[] = {
    [WATER] = {"water", true, 1.333f, {0.16f, 0.64f, 0.88f}, {0.07f, 0.28f, 0.55f}, 0},
    [ICE] = {"ice", true, 1.31f, {0.62f, 0.84f, 0.93f}, {0.55f, 0.72f, 0.82f}, 0},
    [HONEY] = {"honey", true, 1.49f, {0.85f, 0.30f, 0.015f}, {0.80f, 0.42f, 0.04f}, 0},
    {"syrup", true, 1.46f, {0.75f, 0.22f, 0.03f}, {0.50f, 0.20f, 0.04f}, 0},
    {"oil", true, 1.47f, {0.92f, 0.74f, 0.12f}, {0.75f, 0.58f, 0.10f}, 0},
    {"blood", false, 1.36f, {0, 0, 0}, {0.42f, 0.01f, 0.01f}, 0.22f},
    {"milk", false, 1.35f, {0, 0, 0}, {0.74f, 0.72f, 0.66f}, 0.25f},
    {"cream", false, 1.4f, {0, 0, 0}, {0.74f, 0.69f, 0.57f}, 0.3f},
    {"paint", false, 1.45f, {0, 0, 0}, {0.75f, 0.10f, 0.06f}, 0.2f},
    {"chocolate", false, 1.45f, {0, 0, 0}, {0.18f, 0.07f, 0.03f}, 0.25f},
    {"lava", false, 1.5f, {0, 0, 0}, {0.05f, 0.045f, 0.04f}, 0.5f},
    {"wax", false, 1.43f, {0, 0, 0}, {0.82f, 0.72f, 0.55f}, 0.4f},
    {"clay", false, 1.5f, {0, 0, 0}, {0.55f, 0.30f, 0.20f}, 0.7f},
    {"jelly", true, 1.36f, {0.88f, 0.10f, 0.12f}, {0.70f, 0.06f, 0.10f}, 0},
};

/* Default for unknown names: thin liquids look like water, thick ones like honey, further ones
 * differ in colour. */
static Known guess(const PxMaterialDef *material, size_t index)
{
    for (size_t k = 0; k < PX_COUNT(knowns); ++k)
        if (has(material->name, knowns[k].word))
            return knowns[k];
    static const PxV3 left[] = {
        {0.16f, 0.64f, 0.88f}, {0.92f, 0.40f, 0.25f}, {0.45f, 0.85f, 0.35f}, {0.75f, 0.40f, 0.85f}};
    static const PxV3 grain[] = {
        {0.07f, 0.28f, 0.55f}, {0.75f, 0.20f, 0.10f}, {0.15f, 0.50f, 0.15f}, {0.45f, 0.15f, 0.55f}};
    const Known *honey = &knowns[HONEY];
    Known k = {"", true, 1.36f, left[index % 4], grain[index % 4], 0};
    if (index == 0 && material->viscosity >= 1)
        k.left = honey->left, k.grain = honey->grain;
    return k;
}

/* Absorption coefficients from the transmittance through half the scene. */
static PxV3 absorption(PxV3 left, double size)
{
    float way = 0.5f * (float)size;
    return px_v3(-logf(fmaxf(1e-4f, left.x)) / way, -logf(fmaxf(1e-4f, left.y)) / way,
                 -logf(fmaxf(1e-4f, left.z)) / way);
}

static PxV3 linear(PxVec3 srgb)
{
    return px_v3(px_srgb_decode((float)srgb.x), px_srgb_decode((float)srgb.y),
                 px_srgb_decode((float)srgb.z));
}

/* The texture is set by whoever has it. */
static PxFabric fabric_of(const PxSceneLook *s, PxV3 colour)
{
    bool woven = s->kind == PX_SCENE_WOVEN, backed = !isnan(s->back.x);
    return (PxFabric){.shown = woven || backed || s->texture != NULL,
                      .backed = backed,
                      .thread = woven ? (float)s->thread : 0,
                      .weft = isnan(s->weft.x) ? colour : linear(s->weft),
                      .back = backed ? linear(s->back) : colour,
                      .repeat = (float)s->texture_size};
}

static PxLook stated_look(const PxSceneLook *s, double size, int rank)
{
    PxV3 colour = linear(s->colour);
    float roughness = (float)s->roughness;
    bool matte = s->kind == PX_SCENE_MATTE || s->kind == PX_SCENE_WOVEN;
    PxLook look = matte                       ? px_look_matte(colour)
                  : s->kind == PX_SCENE_METAL ? px_look_metal(colour, roughness)
                  : s->kind == PX_SCENE_CLEAR
                      ? px_look_clear((float)s->ior, absorption(colour, size), rank)
                      : px_look_glossy(colour, roughness);
    look.colour = colour;
    look.fabric = fabric_of(s, colour);
    if (s->kind == PX_SCENE_GLOSSY)
        look.ior = (float)s->ior;
    return look;
}

/* 1/m; where none is stated, water as deep as the scene lets through exp(-6) of the light. */
static float absorption_of_xrays(const PxMaterialDef *material, const PxSceneLook *stated,
                                 double size)
{
    return stated != NULL && stated->xray > 0 ? (float)stated->xray
                                              : 6 / (float)size * (float)(material->density / 1000);
}

/* Factor of the albedo of cloth that is full of a liquid: pigments have their own colour. Clear
 * water is blue by its depth, and in pores it has no colour, so of clear liquids it counts how much
 * less than water they let through half the scene. The root is a tuned depth: honey turns white
 * cloth amber, oil yellow. */
static PxV3 tint_of(const Known *k, const PxSceneLook *stated)
{
    const PxV3 water = knowns[WATER].left;
    PxV3 left = stated != NULL ? linear(stated->colour) : k->clear ? k->left : k->grain;
    if (stated != NULL ? stated->kind != PX_SCENE_CLEAR : !k->clear)
        return left;
    return px_v3(sqrtf(fminf(left.x / water.x, 1)), sqrtf(fminf(left.y / water.y, 1)),
                 sqrtf(fminf(left.z / water.z, 1)));
}

PxLook px_look_of_surface(const PxMaterialDef *material, const PxSceneLook *stated, size_t index,
                          double size)
{
    Known k = guess(material, index);
    int rank = PX_PRIORITY_LIQUID + (int)(index < 50 ? index : 50);
    PxLook look;
    if (stated != NULL) {
        look = stated_look(stated, size, rank);
    } else if (k.clear && !material->cloth.cloth &&
               !(k.word[0] == '\0' &&
                 material->young > 0)) { /* solids with unknown names are opaque, cloth always */
        look = px_look_clear(k.ior, absorption(k.left, size), rank);
        look.colour = k.grain; /* used where several materials share one surface */
    } else {
        look = px_look_glossy(k.grain, k.clear ? 0.3f : k.roughness);
        look.ior = k.clear ? look.ior : k.ior;
    }
    look.xray = absorption_of_xrays(material, stated, size);
    look.film = stated != NULL ? (float)stated->film : 0;
    look.tint = tint_of(&k, stated);
    return look;
}

PxLook px_look_of_particles(const PxMaterialDef *material, const PxSceneLook *stated, size_t index,
                            double size)
{
    Known k = guess(material, index);
    PxLook look;
    if (stated != NULL && stated->kind == PX_SCENE_CLEAR)
        k.grain = stated_look(stated, 1, 0).colour;
    if (stated != NULL && stated->kind != PX_SCENE_CLEAR)
        look = stated_look(stated, 1, 0);
    else
        look = px_look_glossy(k.grain, k.clear ? 0.3f : k.roughness);
    /* balls that touch fill pi / 6 of a cubic lattice, and stand for all of it */
    look.xray = 6 / PX_PI_F * absorption_of_xrays(material, stated, size);
    look.tint = tint_of(&k, stated);
    return look;
}

bool px_look_by_name(const char *name)
{
    return has(name, "glass") || has(name, "metal") || has(name, "steel");
}

static PxLook wall_surface(const char *name, const PxSceneLook *stated, double size)
{
    if (stated != NULL)
        return stated_look(stated, size, PX_PRIORITY_GLASS);
    if (has(name, "glass"))
        return px_look_clear(1.5f, absorption(px_v3(0.86f, 0.94f, 0.90f), size), PX_PRIORITY_GLASS);
    if (has(name, "metal") || has(name, "steel"))
        return px_look_metal(px_v3(0.75f, 0.74f, 0.72f), 0.35f);
    return px_look_glossy(px_v3(0.50f, 0.49f, 0.475f), 0.35f);
}

PxLook px_look_of_wall(const char *name, const PxSceneLook *stated, double size)
{
    PxLook look = wall_surface(name, stated, size);
    look.xray = stated != NULL && stated->xray > 0 ? (float)stated->xray : 6 / (float)size;
    return look;
}
