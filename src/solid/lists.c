#include "solid/lists.h"

#include "base/mat3.h"

#include <string.h>

/* Eigenvalues of the moment matrix below this fraction of the largest count as 0. Surfaces and
 * edges of lattices have ratios of 0.49 and more. */
#define LEAST_EIGENVALUE 0.03

/* Rest shapes of flowing matter may have ill-conditioned moment matrices, whose cells are so stiff
 * that they would shorten the sub-steps of the whole body. Where tr(A^-1) exceeds this over h^2 (h:
 * support), the weight of the cell falls with the square of the ratio: its stiffness contains A^-1
 * twice, so that no cell is stiffer than one at this trace. Lattices have 6 inside and 19 in a
 * corner. */
#define MOST_TRACE 40
/* Floor of sum w |X|^2, in h^2 (h: support), which bounds the stiffness of the fit residual energy.
 * Lattices have 1.5 inside and 0.5 in a corner. */
#define LEAST_SPREAD 0.25

enum { ARRAYS = 8 };

/* The arrays with one float per particle. */
static void arrays_of(PxSolidLists *l, float **out[ARRAYS])
{
    int n = 0;
    for (int k = 0; k < 3; ++k)
        out[n++] = &l->sum[k];
    for (int k = 0; k < 3; ++k)
        out[n++] = &l->normal[k];
    out[n++] = &l->spread;
    out[n++] = &l->cell_weight;
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
    px_release(l->allocator, l->inverse, 6 * array_bytes(l->room));
    l->start = NULL;
    l->inverse = NULL;
    l->room = 0;
}

static void free_entries(PxSolidLists *l)
{
    px_release(l->allocator, l->other, l->pair_room * sizeof *l->other);
    px_release(l->allocator, l->pair, l->pair_room * 4 * sizeof *l->pair);
    l->other = NULL;
    l->pair = NULL;
    l->pair_room = 0;
}

void px_solid_lists_free(PxSolidLists *lists)
{
    free_arrays(lists);
    free_entries(lists);
}

size_t px_solid_lists_bytes(const PxSolidLists *l)
{
    return (ARRAYS + 7) * array_bytes(l->room) + l->pair_room * 5 * sizeof(float);
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
        l->inverse = px_allocate(l->allocator, 6 * array_bytes(count));
        l->room = count;
        if (l->inverse != NULL)
            memset(l->inverse, 0, 6 * array_bytes(count));
        if (!there || l->start == NULL || l->inverse == NULL) {
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
    l->pair_room = room;
    if (l->other == NULL || l->pair == NULL) {
        free_entries(l);
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu pairs", wanted);
    }
    return PX_OK;
}

typedef struct Job {
    PxSolidLists *lists;
    const PxBonds *bonds;
    PxSolidPoints points;
} Job;

/* Pseudo-inverse of the moment matrix A = sum w X X^T (001 section 3.3: safe inversion). */
static void invert(PxSolidLists *l, uint32_t i, PxMat3 moment, double h)
{
    PxVec3 value;
    PxMat3 axes, inverse = {{{0}}};
    px_mat3_eigen(moment, &value, &axes);
    double eigen[3] = {value.x, value.y, value.z};
    int there = 0;
    for (int k = 0; k < 3; ++k)
        if (value.x > 0 && eigen[k] > LEAST_EIGENVALUE * value.x) {
            PxVec3 a = px_mat3_column(axes, k);
            inverse = px_mat3_add(inverse, px_mat3_scale(px_mat3_outer(a, a), 1 / eigen[k]));
            ++there;
        }
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (int k = 0; k < 6; ++k)
        l->inverse[px_solid_at(i, k, 6)] = (float)inverse.m[at[k][0]][at[k][1]];
    PxVec3 normal = there == 2 ? px_mat3_column(axes, 2) : px_vec(0, 0, 0);
    l->normal[0][i] = (float)normal.x;
    l->normal[1][i] = (float)normal.y;
    l->normal[2][i] = (float)normal.z;
    double trace = px_mat3_trace(inverse) * h * h;
    double part = trace > MOST_TRACE ? MOST_TRACE / trace : 1;
    l->cell_weight[i] = there < 2 ? 0.0f : (float)(part * part);
}

static void entry_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    const PxBonds *bonds = job->bonds;
    PxSolidPoints p = job->points;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t place = l->start[i];
        PxMat3 moment = {{{0}}};
        PxVec3 sum = {0, 0, 0};
        for (uint32_t e = bonds->start[i]; e < bonds->start[i + 1]; ++e) {
            uint32_t j = bonds->other[e];
            float w = bonds->strength[e] * px_bond_weight(p, i, j);
            float *pair = l->pair + 4 * (size_t)place;
            float way[3] = {p.x[j] - p.x[i], p.y[j] - p.y[i], p.z[j] - p.z[i]};
            for (int c = 0; c < 3; ++c)
                pair[c] = w * way[c];
            pair[3] = w;
            l->other[place++] = 16 * j;
            PxVec3 x = {(double)way[0], (double)way[1], (double)way[2]};
            PxVec3 wx = {(double)pair[0], (double)pair[1], (double)pair[2]};
            moment = px_mat3_add(moment, px_mat3_outer(wx, x));
            sum = px_add(sum, wx);
        }
        if (place < l->start[i + 1]) { /* padding: loops take two entries at a time */
            memset(l->pair + 4 * (size_t)place, 0, 4 * sizeof *l->pair);
            l->other[place] = 16 * i;
        }
        l->sum[0][i] = (float)sum.x;
        l->sum[1][i] = (float)sum.y;
        l->sum[2][i] = (float)sum.z;
        double h = (double)p.support[i], spread = px_mat3_trace(moment);
        double least = LEAST_SPREAD * h * h;
        l->spread[i] = (float)(spread > 0 && spread < least ? least : spread);
        invert(l, i, moment, h);
    }
}

PxStatus px_solid_lists_build(PxSolidLists *l, const PxBonds *bonds, PxSolidPoints points,
                              const PxThreads *threads)
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
    PX_TRY(reserve_entries(l, (size_t)total));
    Job job = {l, bonds, points};
    px_parallel_for(threads, points.count, PX_BLOCK, entry_block, &job);
    for (uint32_t i = 0; i < points.count; ++i)
        l->flat = l->flat || l->normal[0][i] != 0.0f || l->normal[1][i] != 0.0f ||
                  l->normal[2][i] != 0.0f;
    l->entries = (size_t)total;
    l->count = points.count;
    return PX_OK;
}
