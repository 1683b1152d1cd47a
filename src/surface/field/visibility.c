#include "surface/field/visibility.h"

#include <stdlib.h>

static PxVec3 eye_of(const PxVisibility *e, uint32_t row)
{
    const float *at = e->field->eye[row];
    return px_vec((double)at[0], (double)at[1], (double)at[2]);
}

static void eyes_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxVisibility *e = user;
    for (size_t c = 0; c < e->cuts; ++c)
        for (uint32_t i = begin; i < end; ++i)
            e->side[c * e->field->count + i] = px_visibility_side(e, c, eye_of(e, i));
}

PxStatus px_visibility_make(PxVisibility *e, const PxBarriers *barriers, const PxPotential *field)
{
    size_t count = barriers != NULL ? barriers->walls + barriers->sheets : 0, bytes;
    *e = (PxVisibility){
        .barriers = barriers, .field = field, .reach = (double)field->reach * field->spacing};
    if (count == 0)
        return PX_OK;
    e->cut = malloc(count * sizeof *e->cut);
    for (size_t k = 0; e->cut != NULL && k < count; ++k)
        if (px_barrier_cuts(barriers, k, e->reach))
            e->cut[e->cuts++] = k;
    if (e->cut != NULL && e->cuts == 0)
        return PX_OK;
    if (e->cut == NULL ||
        !px_size_multiply(e->cuts * sizeof *e->side, (size_t)field->count + 1, &bytes) ||
        (e->side = px_allocate(NULL, bytes)) == NULL)
        return px_fail(PX_ERR_MEMORY, "surface: no room for how %u particles lie to %zu walls",
                       field->count, count);
    px_parallel_for(field->threads, field->count, PX_BLOCK, eyes_block, e);
    return PX_OK;
}

void px_visibility_free(PxVisibility *e)
{
    free(e->cut);
    px_release(NULL, e->side, 0);
    *e = (PxVisibility){.barriers = NULL};
}

bool px_visibility_hides(const PxVisibility *e, size_t c, uint32_t row, PxVec3 place,
                         const PxSide *side)
{
    return side->distance > 0.0f &&
           px_barrier_hides(e->barriers, e->cut[c], eye_of(e, row),
                            &e->side[c * e->field->count + row], place, side);
}
