#include "solid/lists.h"

#include "solid/fit.h"
#include "solid/quadrature.h"

#include <string.h>

/* Floor of sum w |X|^2, in h^2 (h: support), which bounds the stiffness of the fit residual energy.
 * Lattices have 1.5 inside and 0.5 in a corner. */
#define LEAST_SPREAD 0.25

enum { ARRAYS = 9, COEFFICIENTS = 9 };

/* The arrays with one float per particle. */
static void arrays_of(PxSolidLists *l, float **out[ARRAYS])
{
    int n = 0;
    for (int k = 0; k < 3; ++k)
        out[n++] = &l->normal[k];
    out[n++] = &l->spread;
    out[n++] = &l->kernel;
    out[n++] = &l->cell_weight;
    out[n++] = &l->quadrature;
    out[n++] = &l->curved;
    out[n++] = &l->bent;
}

void px_solid_lists_init(PxSolidLists *lists, const PxAllocator *allocator)
{
    *lists = (PxSolidLists){.allocator = allocator};
}

static size_t array_bytes(uint32_t room)
{
    return ((size_t)room + PX_TABLE_PAD) * sizeof(float);
}

static void free_arrays(PxSolidLists *l)
{
    float **array[ARRAYS];
    arrays_of(l, array);
    for (int k = 0; k < ARRAYS; ++k) {
        px_release(l->allocator, *array[k], array_bytes(l->room));
        *array[k] = NULL;
    }
    px_release(l->allocator, l->start, array_bytes(l->room));
    px_release(l->allocator, l->own, 4 * array_bytes(l->room));
    px_release(l->allocator, l->laplacian, COEFFICIENTS * array_bytes(l->room));
    l->start = NULL;
    l->own = l->laplacian = NULL;
    l->room = 0;
}

static void free_entries(PxSolidLists *l)
{
    px_release(l->allocator, l->other, l->pair_room * sizeof *l->other);
    px_release(l->allocator, l->pair, l->pair_room * 4 * sizeof *l->pair);
    px_release(l->allocator, l->back, l->pair_room * 4 * sizeof *l->back);
    l->other = NULL;
    l->pair = l->back = NULL;
    l->pair_room = 0;
}

void px_solid_lists_free(PxSolidLists *lists)
{
    free_arrays(lists);
    free_entries(lists);
}

size_t px_solid_lists_bytes(const PxSolidLists *l)
{
    return (ARRAYS + 5 + COEFFICIENTS) * array_bytes(l->room) + l->pair_room * 9 * sizeof(float);
}

static PxStatus begin(PxSolidLists *l, uint32_t count)
{
    l->count = 0;
    l->entries = 0;
    l->total = 0;
    l->flat = false;
    if (count > UINT32_MAX / 16)
        return px_fail(PX_ERR_MEMORY, "solids: %u particles, more than %u", count, UINT32_MAX / 16);
    if (count > l->room) {
        free_arrays(l);
        float **array[ARRAYS];
        arrays_of(l, array);
        bool there = true;
        for (int k = 0; k < ARRAYS; ++k) {
            *array[k] = px_allocate(l->allocator, array_bytes(count));
            there = there && *array[k] != NULL;
            if (*array[k] != NULL)
                memset(*array[k], 0, array_bytes(count));
        }
        l->start = px_allocate(l->allocator, array_bytes(count));
        l->own = px_allocate(l->allocator, 4 * array_bytes(count));
        l->laplacian = px_allocate(l->allocator, COEFFICIENTS * array_bytes(count));
        l->room = count;
        if (!there || l->start == NULL || l->own == NULL || l->laplacian == NULL) {
            free_arrays(l);
            return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
        }
    }
    if (l->start != NULL)
        l->start[0] = 0;
    return PX_OK;
}

static PxStatus reserve_entries(PxSolidLists *l, size_t wanted)
{
    if (wanted <= l->pair_room)
        return PX_OK;
    free_entries(l);
    size_t room = px_round_up(wanted + wanted / 4, 16);
    l->other = px_allocate(l->allocator, room * sizeof *l->other);
    l->pair = px_allocate(l->allocator, room * 4 * sizeof *l->pair);
    l->back = px_allocate(l->allocator, room * 4 * sizeof *l->back);
    l->pair_room = room;
    if (l->other == NULL || l->pair == NULL || l->back == NULL) {
        free_entries(l);
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu pairs", wanted);
    }
    return PX_OK;
}

typedef struct Job {
    PxSolidLists *lists;
    const PxBonds *bonds;
    PxSolidPoints points;
    const uint8_t *linear;
    const uint8_t *changed; /* rows whose fits are made; NULL: all */
} Job;

static PxVec3 way(PxSolidPoints p, uint32_t i, uint32_t j)
{
    return px_vec((double)p.x[j] - (double)p.x[i], (double)p.y[j] - (double)p.y[i],
                  (double)p.z[j] - (double)p.z[i]);
}

static void particle_of_fit(PxSolidLists *l, uint32_t i, const PxSolidFit *fit)
{
    l->normal[0][i] = (float)fit->normal.x;
    l->normal[1][i] = (float)fit->normal.y;
    l->normal[2][i] = (float)fit->normal.z;
    l->cell_weight[i] = (float)fit->cell_weight;
    l->kernel[i] = (float)(1 + fit->weight);
    l->bent[i] = fit->curved;
    for (int k = 0; k < COEFFICIENTS; ++k)
        l->laplacian[COEFFICIENTS * (size_t)i + (size_t)k] = (float)fit->laplacian[k];
    double spread = fit->spread > 0 && fit->spread < LEAST_SPREAD ? LEAST_SPREAD : fit->spread;
    l->spread[i] = (float)(fit->h * fit->h * spread * fit->weight);
}

/* The weights of each particle's own fit. */
static void pair_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    const PxBonds *bonds = job->bonds;
    for (uint32_t i = begin; i < end; ++i) {
        PxSolidFit fit;
        if (job->changed != NULL && !job->changed[i])
            continue;
        px_solid_fit_begin(&fit, (double)job->points.support[i],
                           job->linear != NULL && job->linear[i]);
        for (uint32_t e = bonds->start[i]; e < bonds->start[i + 1]; ++e)
            px_solid_fit_add(&fit, way(job->points, i, bonds->other[e]),
                             px_bond_fit_weight(bonds, job->points, i, e));
        px_solid_fit_solve(&fit);
        particle_of_fit(l, i, &fit);
        uint32_t place = l->start[i];
        double own[4] = {0};
        for (uint32_t e = bonds->start[i]; e < bonds->start[i + 1]; ++e) {
            float *pair = l->pair + 4 * (size_t)place;
            px_solid_fit_weights(&fit, way(job->points, i, bonds->other[e]),
                                 px_bond_fit_weight(bonds, job->points, i, e), pair);
            for (int c = 0; c < 4; ++c)
                own[c] += (double)pair[c];
            l->other[place++] = 16 * bonds->other[e];
        }
        for (int c = 0; c < 4; ++c)
            l->own[4 * (size_t)i + (size_t)c] = (float)own[c];
        if (place < l->start[i + 1]) { /* padding: loops take two entries at a time */
            memset(l->pair + 4 * (size_t)place, 0, 4 * sizeof *l->pair);
            l->other[place] = 16 * i;
        }
    }
}

/* Entry of i in the bonds of j. */
static uint32_t entry_of(const PxBonds *bonds, uint32_t j, uint32_t i)
{
    uint32_t low = bonds->start[j], high = bonds->start[j + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (bonds->other[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The weights that each particle has in the fits of its neighbours. */
static void back_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    const PxBonds *bonds = job->bonds;
    for (uint32_t i = begin; i < end; ++i) {
        float *back = l->back + 4 * (size_t)l->start[i];
        for (uint32_t e = bonds->start[i]; e < bonds->start[i + 1]; ++e) {
            uint32_t j = bonds->other[e];
            const float *pair =
                l->pair + 4 * (size_t)(l->start[j] + entry_of(bonds, j, i) - bonds->start[j]);
            for (int c = 0; c < 4; ++c)
                *back++ = -pair[c];
        }
        if (back < l->back + 4 * (size_t)l->start[i + 1])
            memset(back, 0, 4 * sizeof *back);
    }
}

/* Fills the lists whose rows have their places. */
static void fill(const Job *job, const PxThreads *threads)
{
    PxSolidLists *l = job->lists;
    uint32_t count = job->points.count;
    px_parallel_for(threads, count, PX_BLOCK, pair_block, (void *)job);
    px_parallel_for(threads, count, PX_BLOCK, back_block, (void *)job);
    if (count > 0)
        memcpy(l->curved, l->bent, count * sizeof *l->curved);
    px_solid_quadrature(l, job->bonds, job->points, threads);
    l->flat = false;
    for (uint32_t i = 0; i < count; ++i)
        l->flat = l->flat || l->normal[0][i] != 0.0f || l->normal[1][i] != 0.0f ||
                  l->normal[2][i] != 0.0f;
}

PxStatus px_solid_lists_update(PxSolidLists *l, const PxBonds *bonds, PxSolidPoints points,
                               const uint8_t *linear, const uint8_t *changed,
                               const PxThreads *threads)
{
    PX_ASSERT(l->count == points.count);
    uint32_t place = 0, from = 0;
    l->total = 0;
    /* No row has more entries than before: rows move forward, the first ones first. */
    for (uint32_t i = 0; i < points.count; ++i) {
        uint32_t size = bonds->start[i + 1] - bonds->start[i], padded = (size + 1) & ~1u;
        uint32_t next = l->start[i + 1];
        PX_ASSERT(place + padded <= next);
        if (!changed[i] && place != from) {
            memmove(l->pair + 4 * (size_t)place, l->pair + 4 * (size_t)from,
                    4 * (size_t)padded * sizeof *l->pair);
            memmove(l->other + place, l->other + from, padded * sizeof *l->other);
        }
        l->total += size;
        l->start[i] = place;
        place += padded;
        from = next;
    }
    if (points.count > 0)
        l->start[points.count] = place;
    Job job = {l, bonds, points, linear, changed};
    fill(&job, threads);
    l->entries = place;
    return PX_OK;
}

PxStatus px_solid_lists_build(PxSolidLists *l, const PxBonds *bonds, PxSolidPoints points,
                              const uint8_t *linear, const PxThreads *threads)
{
    PX_TRY(begin(l, points.count));
    uint64_t total = 0;
    for (uint32_t i = 0; i < points.count; ++i) {
        uint32_t size = bonds->start[i + 1] - bonds->start[i];
        l->total += size;
        total += (size + 1) & ~1u;
        if (total > PX_PAIRS_MOST)
            return px_fail(PX_ERR_MEMORY, "solids: more than %u pairs", PX_PAIRS_MOST);
        l->start[i + 1] = (uint32_t)total;
    }
    /* some room even if no row has neighbours: loops begin at an offset of these arrays */
    PX_TRY(reserve_entries(l, total > 0 || points.count == 0 ? (size_t)total : 1));
    Job job = {l, bonds, points, linear, NULL};
    fill(&job, threads);
    l->entries = (size_t)total;
    l->count = points.count;
    return PX_OK;
}
