/// The distance test of contact/facing.h for 8 points at a time.
#include "contact/facing_pass.h"

uint32_t PX_ISA_NAME(px_facing_list)(const PxFacingPoints *own, uint32_t k,
                                     const PxFacingPoints *to, uint32_t begin, uint32_t end,
                                     uint32_t *out)
{
    PxF8 x = px_f8(own->x[k]), y = px_f8(own->y[k]), z = px_f8(own->z[k]);
    PxF8 r = px_f8(own->reach[k]);
    uint32_t found = 0;
    for (uint32_t l = begin; l < end; l += 8) {
        PxF8 dx = px_f8_load(to->x + l) - x, dy = px_f8_load(to->y + l) - y,
             dz = px_f8_load(to->z + l) - z, reach = px_f8_load(to->reach + l) + r;
        unsigned bits = px_f8_bits(dx * dx + dy * dy + dz * dz < reach * reach);
        if (end - l < 8)
            bits &= (1u << (end - l)) - 1;
        for (; bits != 0; bits &= bits - 1)
            out[found++] = l + (uint32_t)__builtin_ctz(bits);
    }
    return found;
}

uint32_t PX_ISA_NAME(px_facing_count)(const PxFacingPoints *own, uint32_t k,
                                      const PxFacingPoints *to, uint32_t begin, uint32_t end,
                                      float less, uint32_t *close)
{
    PxF8 x = px_f8(own->x[k]), y = px_f8(own->y[k]), z = px_f8(own->z[k]);
    PxF8 r = px_f8(own->reach[k]), shorter = px_f8(less), zero = px_f8(0.0f);
    uint32_t found = 0, near = 0;
    for (uint32_t l = begin; l < end; l += 8) {
        PxF8 dx = px_f8_load(to->x + l) - x, dy = px_f8_load(to->y + l) - y,
             dz = px_f8_load(to->z + l) - z, reach = px_f8_load(to->reach + l) + r;
        PxF8 square = dx * dx + dy * dy + dz * dz, most = px_f8_max(reach - shorter, zero);
        unsigned all = end - l < 8 ? (1u << (end - l)) - 1 : 0xffu;
        found += (uint32_t)__builtin_popcount(px_f8_bits(square < reach * reach) & all);
        near += (uint32_t)__builtin_popcount(px_f8_bits(square < most * most) & all);
    }
    *close += near;
    return found;
}
