/// Counts edges of cloth that cross triangles of cloth, by testing all pairs.
#ifndef PX_TEST_CROSSINGS_H
#define PX_TEST_CROSSINGS_H

#include "base/vec.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>

typedef struct Span {
    double low, high[3], under[3];
    uint32_t face;
} Span;

static inline int compare_spans(const void *a, const void *b)
{
    double x = ((const Span *)a)->low, y = ((const Span *)b)->low;
    return (x > y) - (x < y);
}

static inline bool edge_crosses(PxVec3 p, PxVec3 q, const PxVec3 t[3])
{
    PxVec3 n = px_cross(px_sub(t[1], t[0]), px_sub(t[2], t[0]));
    double a = px_dot(px_sub(p, t[0]), n), b = px_dot(px_sub(q, t[0]), n);
    if ((a > 0) == (b > 0))
        return false;
    PxVec3 at = px_mad(p, px_sub(q, p), a / (a - b));
    for (int k = 0; k < 3; ++k) {
        PxVec3 u = px_sub(t[(k + 1) % 3], at), v = px_sub(t[(k + 2) % 3], at);
        if (px_dot(px_cross(u, v), n) < 0)
            return false;
    }
    return true;
}

static inline PxVec3 vertex_of(const PxWorld *world, uint32_t i)
{
    void *const *d = px_table_find(&world->cloth_vertices, "position")->data;
    return px_vec(((double *)d[0])[i], ((double *)d[1])[i], ((double *)d[2])[i]);
}

/* Edges of one triangle that cross another and do not share a corner with it. */
static inline uint32_t crossings_of(const PxWorld *world, const uint32_t *p, const uint32_t *q)
{
    const PxVec3 t[3] = {vertex_of(world, q[0]), vertex_of(world, q[1]), vertex_of(world, q[2])};
    uint32_t count = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t a = p[k], b = p[(k + 1) % 3];
        bool shared = false;
        for (int c = 0; c < 3; ++c)
            shared = shared || q[c] == a || q[c] == b;
        count += !shared && edge_crosses(vertex_of(world, a), vertex_of(world, b), t);
    }
    return count;
}

static inline uint32_t count_crossings(const PxWorld *world)
{
    const PxClothSystem *y = &world->cloth_system;
    Span *span = malloc((y->faces + 1) * sizeof *span);
    uint32_t count = 0;
    for (uint32_t f = 0; f < y->faces; ++f) {
        PxBounds b = px_bounds_empty();
        for (int k = 0; k < 3; ++k)
            px_bounds_add(&b, vertex_of(world, y->face[f].corner[k]));
        span[f] = (Span){b.low.x, {b.high.x, b.high.y, b.high.z}, {b.low.x, b.low.y, b.low.z}, f};
    }
    qsort(span, y->faces, sizeof *span, compare_spans);
    for (uint32_t a = 0; a < y->faces; ++a)
        for (uint32_t b = a + 1; b < y->faces && span[b].low <= span[a].high[0]; ++b) {
            bool apart = false;
            for (int k = 1; k < 3; ++k)
                apart = apart || span[a].under[k] > span[b].high[k] ||
                        span[b].under[k] > span[a].high[k];
            const uint32_t *p = y->face[span[a].face].corner, *q = y->face[span[b].face].corner;
            if (!apart)
                count += crossings_of(world, p, q) + crossings_of(world, q, p);
        }
    free(span);
    return count;
}

#endif
