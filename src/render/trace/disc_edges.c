#include "render/trace/disc_edges.h"

#include "spatial/kdtree.h"

#include <math.h>

/* Normals at an edge have at most this cosine; initial surfels on the edge of a body face half
 * way between both sides. */
#define SHARP 0.8f
#define LEVEL 0.1f /* tolerance of "behind the plane", radii */

enum { MOST_NEAR = 128 };

/* The nearest disc that clips disc k and differs in normal from those found before. */
static uint32_t find_edge(const PxThing *t, uint32_t k, const uint32_t *near, uint32_t count,
                          const uint32_t *found, int founds)
{
    uint32_t best = PX_NO_EDGE;
    float least = INFINITY;
    for (uint32_t q = 0; q < count; ++q) {
        uint32_t j = near[q];
        PxV3 way = px_v3_sub(t->position[j], t->position[k]);
        float square = px_v3_dot(way, way);
        if (j == k || !(square < least) || px_v3_dot(t->normal[j], t->normal[k]) > SHARP)
            continue;
        bool again = false;
        for (int e = 0; e < founds; ++e)
            again = again || px_v3_dot(t->normal[j], t->normal[found[e]]) > SHARP;
        if (again)
            continue;
        float slack = LEVEL * t->radius[k];
        if (px_v3_dot(way, t->normal[k]) < slack && px_v3_dot(way, t->normal[j]) > -slack) {
            best = j;
            least = square;
        }
    }
    return best;
}

static PxStatus find_edges(const PxThing *t, PxKdTree *tree, PxArena *scratch, PxDiscEdges *edges)
{
    float *x[3];
    for (int c = 0; c < 3; ++c) {
        x[c] = PX_ARENA_ARRAY(scratch, float, t->points);
        if (x[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "render: no room for the places of %u discs", t->points);
    }
    for (uint32_t k = 0; k < t->points; ++k) {
        x[0][k] = t->position[k].x;
        x[1][k] = t->position[k].y;
        x[2][k] = t->position[k].z;
    }
    PX_TRY(px_kdtree_build(tree, x[0], x[1], x[2], t->points, scratch));
    for (uint32_t k = 0; k < t->points; ++k) {
        uint32_t near[MOST_NEAR];
        uint32_t count =
            px_kdtree_range(tree, x[0][k], x[1][k], x[2][k], 2 * t->radius[k], near, MOST_NEAR);
        if (count > MOST_NEAR)
            count = MOST_NEAR;
        uint32_t *by = edges[k].by;
        for (int e = 0; e < PX_EDGES; ++e)
            by[e] =
                e > 0 && by[e - 1] == PX_NO_EDGE ? PX_NO_EDGE : find_edge(t, k, near, count, by, e);
    }
    return PX_OK;
}

PxStatus px_disc_edges_find(const PxThing *t, PxDiscEdges **out)
{
    *out = px_allocate(NULL, t->points * sizeof **out);
    PxArena scratch;
    PxStatus status = PX_OK;
    px_arena_init(&scratch, NULL);
    PxKdTree tree;
    px_kdtree_init(&tree, NULL);
    if (*out == NULL)
        status = px_fail(PX_ERR_MEMORY, "render: no room for the edges of %u discs", t->points);
    if (status == PX_OK)
        status = find_edges(t, &tree, &scratch, *out);
    px_kdtree_free(&tree);
    px_arena_free(&scratch);
    if (status != PX_OK) {
        px_release(NULL, *out, t->points * sizeof **out);
        *out = NULL;
    }
    return status;
}

float px_disc_edges_scale(const PxDiscEdges *edges, uint32_t k)
{
    return edges != NULL && edges[k].by[0] != PX_NO_EDGE ? 1.42f : 1;
}

bool px_disc_edges_beyond(const PxThing *t, const PxDiscEdges *edges, uint32_t k, PxV3 at)
{
    for (int e = 0; e < PX_EDGES && edges[k].by[e] != PX_NO_EDGE; ++e) {
        uint32_t j = edges[k].by[e];
        if (px_v3_dot(px_v3_sub(at, t->position[j]), t->normal[j]) > 0)
            return true;
    }
    return false;
}
