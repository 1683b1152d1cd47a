#include "surface/field/visibility.h"

#include "surface/field/mirror.h"

#include <stdlib.h>

static PxVec3 original_of(const PxVisibility *e, uint32_t row)
{
    const float *at = e->field->original[row];
    return px_vec((double)at[0], (double)at[1], (double)at[2]);
}

static void sides_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxVisibility *e = user;
    for (size_t c = 0; c < e->blockers; ++c)
        for (uint32_t i = begin; i < end; ++i)
            e->side[c * e->field->count + i] = px_visibility_side(e, c, original_of(e, i));
}

PxStatus px_visibility_make(PxVisibility *e, const PxBarriers *barriers, const PxPotential *field)
{
    size_t count = barriers != NULL ? barriers->walls + barriers->sheets : 0, bytes;
    double behind = barriers != NULL && barriers->sheets > 0 ? PX_MIRROR_BEHIND : 0;
    *e = (PxVisibility){.barriers = barriers,
                        .field = field,
                        .reach = ((double)field->reach + behind) * field->spacing};
    if (count == 0)
        return PX_OK;
    e->blocker = malloc(count * sizeof *e->blocker);
    for (size_t k = 0; e->blocker != NULL && k < count; ++k)
        if (px_barrier_is_thin(barriers, k, e->reach))
            e->blocker[e->blockers++] = k;
    if (e->blocker != NULL && e->blockers == 0)
        return PX_OK;
    if (e->blocker == NULL ||
        !px_size_multiply(e->blockers * sizeof *e->side, (size_t)field->count + 1, &bytes) ||
        (e->side = px_allocate(NULL, bytes)) == NULL)
        return px_fail(PX_ERR_MEMORY,
                       "surface: no room for the sides of %u particles of %zu barriers",
                       field->count, count);
    return px_parallel_try(field->threads, field->count, PX_BLOCK, sides_block, e);
}

void px_visibility_free(PxVisibility *e)
{
    free(e->blocker);
    px_release(NULL, e->side, 0);
    *e = (PxVisibility){.barriers = NULL};
}

bool px_visibility_occluded(const PxVisibility *e, size_t c, uint32_t row, PxVec3 place,
                            const PxSide *side)
{
    return side->distance > 0.0f &&
           px_barrier_occludes(e->barriers, e->blocker[c], original_of(e, row),
                               &e->side[c * e->field->count + row], place, side);
}
