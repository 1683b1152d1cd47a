#include "solid/fracture/near.h"

PxStatus px_crack_index(PxCrackIndex *index, const PxFractureField *f, PxGrid *grid,
                        const PxVec3 *at, const uint32_t *body, uint32_t count, double reach)
{
    PxArena *scratch = f->solid->scratch;
    float *x[3];
    uint64_t *number = PX_ARENA_ARRAY(scratch, uint64_t, count);
    uint32_t *order = PX_ARENA_ARRAY(scratch, uint32_t, count);
    bool there = number != NULL && order != NULL;
    *index = (PxCrackIndex){.origin = f->origin, .item = order};
    for (int k = 0; k < 3; ++k) {
        x[k] = PX_ARENA_ARRAY(scratch, float, count);
        there = there && x[k] != NULL;
    }
    if (!there)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u parts of cracks", count);
    if (count == 0)
        return PX_OK;
    for (uint32_t k = 0; k < count; ++k) {
        PxVec3 o = f->origin[body[k]];
        x[0][k] = (float)(at[k].x + o.x);
        x[1][k] = (float)(at[k].y + o.y);
        x[2][k] = (float)(at[k].z + o.z);
        number[k] = k;
    }
    PxGridPoints points = {x[0], x[1], x[2], count};
    PxGridFrame frame = px_grid_frame(reach, &points, 1, f->solid->threads, NULL);
    PX_TRY(px_grid_sort(grid, &frame, points, number, order, scratch, f->solid->threads));
    index->grid = grid;
    return PX_OK;
}

int px_crack_index_runs(const PxCrackIndex *index, uint32_t body, PxVec3 at, PxRange run[9])
{
    if (index->grid == NULL)
        return 0;
    PxVec3 o = index->origin[body];
    return px_grid_rows(index->grid, (float)(at.x + o.x), (float)(at.y + o.y), (float)(at.z + o.z),
                        run);
}
