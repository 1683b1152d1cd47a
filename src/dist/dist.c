#include "dist/dist.h"

#include <string.h>

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
    if (px_dist_shared(dist))
        dist->backend->refresh(dist->state, array, owned, copies);
}

PxStatus px_dist_gather(const PxDist *dist, const void *mine, uint32_t count, size_t size,
                        PxArena *scratch, const void **all, uint32_t *total)
{
    *all = mine;
    *total = count;
    if (!px_dist_shared(dist))
        return PX_OK;
    size_t bytes = 0;
    *all = dist->backend->gather(dist->state, mine, count * size, scratch, &bytes);
    if (*all == NULL || bytes / size > UINT32_MAX)
        return px_fail(PX_ERR_MEMORY, "ranks: no room for lists of %zu bytes", bytes);
    *total = (uint32_t)(bytes / size);
    return PX_OK;
}

PxStatus px_dist_share(const PxDist *dist, PxDistArray array, const uint32_t *row, uint32_t count,
                       PxArena *scratch)
{
    if (!px_dist_shared(dist))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(scratch);
    size_t each = sizeof count + array.size; /* an entry: which value, and the value */
    char *mine = px_arena_take(scratch, count * each), *value = array.first;
    uint32_t own = 0, total;
    if (mine == NULL)
        return px_fail(PX_ERR_MEMORY, "ranks: no room to share %u values", count);
    for (uint32_t k = 0; k < count; ++k) {
        if (row[k] == PX_ELSEWHERE)
            continue;
        memcpy(mine + own * each, &k, sizeof k);
        memcpy(mine + own * each + sizeof k, value + k * array.stride, array.size);
        ++own;
    }
    const void *list;
    PX_TRY(px_dist_gather(dist, mine, own, each, scratch, &list, &total));
    const char *all = list;
    for (uint32_t e = 0, k; e < total; ++e) {
        memcpy(&k, all + e * each, sizeof k);
        memcpy(value + k * array.stride, all + e * each + sizeof k, array.size);
    }
    px_arena_release(scratch, mark);
    return PX_OK;
}
