#include "render/trace/ground.h"

#include "render/trace/draw.h"
#include "render/trace/sampler.h"
#include "shape/texture.h"

/* A number in [0, 1) for a point of a lattice. */
static float hash_at(int x, int z)
{
    return px_unit32(px_hash32((uint32_t)x * 0x9e3779b9u ^ px_hash32((uint32_t)z + 0x85ebca6bu)));
}

/* Smooth noise between the points of a lattice, 0 .. 1 (value noise). */
static float noise(float x, float z)
{
    float fx = floorf(x), fz = floorf(z), u = x - fx, v = z - fz;
    int i = (int)fx, k = (int)fz;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    float a = hash_at(i, k), b = hash_at(i + 1, k), c = hash_at(i, k + 1),
          d = hash_at(i + 1, k + 1);
    return (a + (b - a) * u) * (1 - v) + (c + (d - c) * u) * v;
}

/* Planks along x, a tile wide and six long, each with a tint and rings of its own. */
static PxV3 wood(const PxGround *ground, float x, float z)
{
    float row = floorf(z), in = z - row;
    float along = x / 6 + hash_at((int)row, 7), plank = floorf(along);
    float own = hash_at((int)row * 31 + (int)plank, 3);
    float bend = 1.6f * noise(0.35f * x + 17 * own, 2 * z + 9 * own);
    float rings = 9 * (z + bend) + 40 * own;
    float ring = fabsf(rings - floorf(rings) - 0.5f) * 2;
    float fibre = noise(6 * x, 90 * z);
    float light = 0.78f + 0.22f * own - 0.16f * ring * ring - 0.12f * fibre;
    float edge = fminf(fminf(in, 1 - in), 6 * fminf(along - plank, 1 - along + plank));
    if (edge < 0.012f)
        light *= 0.45f;
    PxV3 tint = px_v3_mix(ground->colour, px_v3_mul(ground->colour, px_v3(1, 0.9f, 0.78f)), own);
    return px_v3_scale(tint, light);
}

PxV3 px_ground_colour(const PxGround *ground, PxV3 at)
{
    if (!(ground->tile > 0) || ground->pattern == PX_PATTERN_NONE)
        return ground->colour;
    float x = at.x / ground->tile, z = at.z / ground->tile;
    if (fabsf(x) > 1e6f || fabsf(z) > 1e6f)
        return ground->colour; /* beyond the horizon */
    switch (ground->pattern) {
    case PX_PATTERN_TILES: {
        /* The straight joints make refraction visible. */
        float joint = fminf(fabsf(x - nearbyintf(x)), fabsf(z - nearbyintf(z)));
        return px_v3_scale(ground->colour, joint < 0.008f ? 0.75f : 1);
    }
    case PX_PATTERN_CHECKER:
        return px_v3_scale(ground->colour, ((int)floorf(x) + (int)floorf(z)) & 1 ? 0.35f : 1);
    case PX_PATTERN_WOOD:
        return wood(ground, x, z);
    case PX_PATTERN_TEXTURE: {
        PxVec3 c = px_texture_at(ground->texture, (PxUv){(double)x, (double)-z});
        return px_v3(px_srgb_decode((float)c.x), px_srgb_decode((float)c.y),
                     px_srgb_decode((float)c.z));
    }
    default:
        return ground->colour;
    }
}
