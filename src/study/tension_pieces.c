#include "study/tension_pieces.h"

#include "base/fail.h"
#include "spatial/kdtree.h"

#include <math.h>
#include <stdlib.h>

#define LINK 1.5 /* spacings */
enum { NEAR = 256, FEWEST = 20 };

/* The first particle of a piece stands for it; paths are halved on the way to it. */
static uint32_t root_of(uint32_t *to, uint32_t i)
{
    while (to[i] != i)
        i = to[i] = to[to[i]];
    return i;
}

static PxStatus link_pieces(const float *const x[3], uint32_t n, float link, uint32_t *to)
{
    PxArena scratch;
    PxKdTree tree;
    px_arena_init(&scratch, NULL);
    px_kdtree_init(&tree, NULL);
    PxStatus status = px_kdtree_build(&tree, x[0], x[1], x[2], n, &scratch);
    for (uint32_t i = 0; i < n; ++i)
        to[i] = i;
    for (uint32_t i = 0; status == PX_OK && i < n; ++i) {
        uint32_t near[NEAR];
        uint32_t count = px_kdtree_range(&tree, x[0][i], x[1][i], x[2][i], link, near, NEAR);
        for (uint32_t k = 0; k < count && k < NEAR; ++k) {
            uint32_t a = root_of(to, i), b = root_of(to, near[k]);
            if (a < b)
                to[b] = a;
            else
                to[a] = b;
        }
    }
    px_kdtree_free(&tree);
    px_arena_free(&scratch);
    return status;
}

static double jet_width(const float *const x[3], uint32_t n, double low, double high)
{
    double sum[2] = {0, 0}, square = 0, count = 0;
    for (uint32_t i = 0; i < n; ++i) {
        if ((double)x[1][i] < low || (double)x[1][i] >= high)
            continue;
        double a = (double)x[0][i], b = (double)x[2][i];
        sum[0] += a;
        sum[1] += b;
        square += a * a + b * b;
        count += 1;
    }
    if (count < FEWEST)
        return NAN;
    double variance = square / count - (sum[0] * sum[0] + sum[1] * sum[1]) / (count * count);
    return 2 * sqrt(fmax(variance, 0));
}

PxStatus px_tension_pieces(const PxWorld *world, double spacing, double low, double high,
                           PxTensionPieces *out)
{
    uint32_t n = px_world_count(world);
    const float *x[3];
    for (int c = 0; c < 3; ++c)
        x[c] = px_world_floats(world, "position", c);
    *out = (PxTensionPieces){.jet = jet_width(x, n, low, high)};
    uint32_t *to = malloc((n + 1) * sizeof *to), *size = calloc(n + 1, sizeof *size);
    PxStatus status = PX_OK;
    if (to == NULL || size == NULL)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for the pieces of %u particles", n);
    if (status == PX_OK)
        status = link_pieces(x, n, (float)(LINK * spacing), to);
    uint32_t largest = 0;
    for (uint32_t i = 0; status == PX_OK && i < n; ++i) {
        uint32_t root = root_of(to, i);
        largest = ++size[root] > size[largest] ? root : largest;
    }
    for (uint32_t i = 0; status == PX_OK && i < n; ++i) {
        bool main = root_of(to, i) == largest;
        out->droplets += to[i] == i && !main;
        out->loose += main ? 0 : 100.0 / n;
        out->top = main ? fmax(out->top, (double)x[1][i]) : out->top;
    }
    free(to);
    free(size);
    return status;
}
