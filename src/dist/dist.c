#include "dist/dist.h"

void px_dist_init(PxDist *dist)
{
    *dist = (PxDist){.rank = 0, .size = 1};
}

void px_dist_max(const PxDist *dist, double *value, uint32_t count)
{
    if (dist->backend != NULL)
        dist->backend->max(dist->state, value, count);
}

void px_dist_min(const PxDist *dist, double *value, uint32_t count)
{
    if (dist->backend != NULL)
        dist->backend->min(dist->state, value, count);
}

void px_dist_sum(const PxDist *dist, double *value, uint32_t count)
{
    if (dist->backend != NULL)
        dist->backend->sum(dist->state, value, count);
}

void px_dist_merge(const PxDist *dist, PxSum *sum, uint32_t count)
{
    if (dist->backend != NULL)
        dist->backend->merge(dist->state, sum, count);
}

void px_dist_lowest_id(const PxDist *dist, uint64_t *id)
{
    if (dist->backend != NULL)
        dist->backend->lowest_id(dist->state, id);
}

void px_dist_refresh(const PxDist *dist, PxDistArray array, uint32_t owned, uint32_t copies)
{
    if (dist != NULL && dist->backend != NULL)
        dist->backend->refresh(dist->state, array, owned, copies);
}

PxStatus px_dist_migrate(const PxDist *dist, PxTable *table)
{
    (void)dist, (void)table;
    return PX_OK;
}

PxStatus px_dist_copies(const PxDist *dist, PxTable *table, double reach, uint32_t *owned)
{
    (void)dist, (void)reach;
    *owned = table->count;
    return PX_OK;
}
