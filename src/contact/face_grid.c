#include "contact/face_grid.h"

#include <math.h>
#include <string.h>

/* Cells that one box covers along an axis at most; longer boxes make larger cells. */
#define MOST_CELLS 64.0

static uint32_t bucket_of(const PxFaceGrid *g, const int32_t c[3])
{
    uint32_t h =
        (uint32_t)c[0] * 73856093u ^ (uint32_t)c[1] * 19349663u ^ (uint32_t)c[2] * 83492791u;
    h ^= h >> 15;
    return (h * 2654435761u >> 7) & g->mask;
}

static int32_t cell_of(double v, double cell)
{
    double c = floor(v / cell);
    return (int32_t)fmin(fmax(c, -1e9), 1e9);
}

static PxBounds box_of(const PxClothSystem *y, const PxVec3 *from, const PxVec3 *to, uint32_t face,
                       double reach)
{
    PxBounds b = px_bounds_empty();
    for (int k = 0; k < 3; ++k) {
        px_bounds_add(&b, from[y->face[face].corner[k]]);
        px_bounds_add(&b, to[y->face[face].corner[k]]);
    }
    PxVec3 wide = px_vec(reach, reach, reach);
    return (PxBounds){px_sub(b.low, wide), px_add(b.high, wide)};
}

static void cells_of(const PxFaceGrid *g, const PxBounds *b, int32_t low[3], int32_t high[3])
{
    const double l[3] = {b->low.x, b->low.y, b->low.z}, h[3] = {b->high.x, b->high.y, b->high.z};
    for (int a = 0; a < 3; ++a) {
        low[a] = cell_of(l[a], g->cell);
        high[a] = cell_of(h[a], g->cell);
    }
}

/* Counts the entries of a face by bucket, or puts them there. */
static void enter(PxFaceGrid *g, const PxBounds *box, uint32_t face, uint32_t *fill)
{
    int32_t low[3], high[3], c[3];
    cells_of(g, box, low, high);
    for (c[2] = low[2]; c[2] <= high[2]; ++c[2])
        for (c[1] = low[1]; c[1] <= high[1]; ++c[1])
            for (c[0] = low[0]; c[0] <= high[0]; ++c[0]) {
                uint32_t at = fill[bucket_of(g, c)]++;
                if (g->entry != NULL)
                    g->entry[at] = (PxFaceEntry){{c[0], c[1], c[2]}, face};
            }
}

PxStatus px_face_grid_build(PxFaceGrid *g, const PxClothSystem *y, const PxVec3 *from,
                            const PxVec3 *to, double reach, PxArena *scratch)
{
    double sum = 0, longest = 0;
    PxBounds *box = PX_ARENA_ARRAY(scratch, PxBounds, y->faces + 1);
    *g = (PxFaceGrid){.cell = 0};
    if (box == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for boxes of %u triangles", y->faces);
    for (uint32_t f = 0; f < y->faces; ++f) {
        box[f] = box_of(y, from, to, f, reach);
        PxVec3 size = px_sub(box[f].high, box[f].low);
        double most = fmax(size.x, fmax(size.y, size.z));
        sum += most;
        longest = fmax(longest, most);
    }
    if (y->faces == 0 || !(sum > 0) || !isfinite(sum))
        return PX_OK;
    g->cell = fmax(sum / y->faces, longest / MOST_CELLS);
    uint32_t buckets = 64;
    while (buckets < 2 * y->faces && buckets < 1u << 24)
        buckets *= 2;
    g->mask = buckets - 1;
    g->begin = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)buckets + 1);
    uint32_t *fill = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)buckets + 1);
    if (g->begin == NULL || fill == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for a hash of %u triangles", y->faces);
    memset(fill, 0, ((size_t)buckets + 1) * sizeof *fill);
    for (uint32_t f = 0; f < y->faces; ++f)
        enter(g, &box[f], f, fill);
    uint32_t total = 0;
    for (uint32_t k = 0; k <= buckets; ++k) {
        uint32_t own = fill[k];
        g->begin[k] = fill[k] = total;
        total += own;
    }
    /* rounded up, so that the number of bytes seldom grows */
    g->entry = PX_ARENA_ARRAY(scratch, PxFaceEntry, ((size_t)total | 0xfff) + 1);
    if (g->entry == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for a hash of %u triangles", y->faces);
    for (uint32_t f = 0; f < y->faces; ++f)
        enter(g, &box[f], f, fill);
    return PX_OK;
}

const PxFaceEntry *px_face_grid_at(const PxFaceGrid *g, PxVec3 place, int32_t cell[3],
                                   uint32_t *count)
{
    *count = 0;
    if (!(g->cell > 0))
        return NULL;
    cell[0] = cell_of(place.x, g->cell);
    cell[1] = cell_of(place.y, g->cell);
    cell[2] = cell_of(place.z, g->cell);
    uint32_t b = bucket_of(g, cell);
    *count = g->begin[b + 1] - g->begin[b];
    return g->entry + g->begin[b];
}
