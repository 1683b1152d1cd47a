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
        if (out == NULL)
            found += (uint32_t)__builtin_popcount(bits);
        else
            for (; bits != 0; bits &= bits - 1)
                out[found++] = l + (uint32_t)__builtin_ctz(bits);
    }
    return found;
}
