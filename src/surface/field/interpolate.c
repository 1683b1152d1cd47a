#include "surface/field/interpolate.h"

#include <stdlib.h>
#include <string.h>

PxStatus px_interpolate(const PxPotential *f, const float *const *column, uint32_t columns,
                        const float (*place)[3], uint32_t places, float **to)
{
    float *from[PX_SURFACE_COLUMNS] = {NULL};
    bool room = true;
    for (uint32_t c = 0; c < columns; ++c) {
        from[c] = px_allocate(NULL, ((size_t)f->count + 8) * sizeof(float));
        to[c] = malloc(((size_t)places + 1) * sizeof(float));
        room = room && from[c] != NULL && to[c] != NULL;
        if (from[c] == NULL)
            continue;
        for (uint32_t i = 0; i < f->count; ++i)
            from[c][i] = column[c][f->particle_row[i]];
        memset(from[c] + f->count, 0, 8 * sizeof(float));
    }
    PxInterpolation job = {f, place, from, to, columns};
    PxStatus status = PX_OK;
    if (room && columns > 0)
        status = px_parallel_try(f->threads, places, PX_BLOCK,
                                 PX_ISA_PICK(f->isa, px_interpolate_block), &job);
    for (uint32_t c = 0; c < columns; ++c)
        px_release(NULL, from[c], 0);
    return room ? status
                : px_fail(PX_ERR_MEMORY, "surface: no room for %u values of %u vertices", columns,
                          places);
}
