#include "study/sample_liquid.h"

/* Height above the mean, and its slopes: rings that run outwards from the middle, and two plane
 * waves across them. */
static float wave(float x, float z, float *dx, float *dz)
{
    float r = sqrtf(x * x + z * z) + 1e-6f;
    float envelope = expf(-4 * r), ring = cosf(40 * r);
    float d = -4 * envelope * ring - 40 * envelope * sinf(40 * r);
    *dx =
        0.03f * d * x / r + 0.006f * 17 * cosf(17 * x + 5 * z) - 0.004f * 9 * sinf(9 * x - 21 * z);
    *dz =
        0.03f * d * z / r + 0.006f * 5 * cosf(17 * x + 5 * z) + 0.004f * 21 * sinf(9 * x - 21 * z);
    return 0.03f * envelope * ring + 0.006f * sinf(17 * x + 5 * z) + 0.004f * cosf(9 * x - 21 * z);
}

/* A sheet of (n + 1)^2 points wrapped around the slab as a pillow: the outermost ring of
 * points is pulled down the sides, and the bottom closes it. */
static PxStatus add_slab(PxScenery *scenery, uint32_t look, PxV3 size, uint32_t n)
{
    uint32_t row = n + 1, top = row * row, rim = 4 * n;
    PxThing *t;
    /* the top, a ring below its rim twice (for sharp edges), and the middle of the bottom */
    PX_TRY(px_scenery_add_thing(scenery, PX_THING_MESH, look, top + 3 * rim + 1,
                                2 * n * n + 2 * rim + rim, PX_WITH_NORMAL, &t));
    for (uint32_t j = 0; j < row; ++j)
        for (uint32_t i = 0; i < row; ++i) {
            float x = ((float)i / (float)n - 0.5f) * size.x,
                  z = ((float)j / (float)n - 0.5f) * size.z;
            float dx, dz, y = size.y + wave(x, z, &dx, &dz);
            t->position[j * row + i] = px_v3(x, y, z);
            t->normal[j * row + i] = px_v3_unit(px_v3(-dx, 1, -dz));
        }
    uint32_t at = 0;
    for (uint32_t j = 0; j < n; ++j)
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t a = j * row + i, b = a + 1, c = a + row, d = c + 1;
            uint32_t two[2][3] = {{a, c, b}, {b, c, d}};
            for (int k = 0; k < 2; ++k, ++at)
                for (int m = 0; m < 3; ++m)
                    t->triangle[at][m] = two[k][m];
        }
    for (uint32_t k = 0; k < rim; ++k) {
        uint32_t side = k / n, s = k % n, i, j;
        static const float facing[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
        i = side == 0 ? s : side == 1 ? n : side == 2 ? n - s : 0;
        j = side == 0 ? n : side == 1 ? n - s : side == 2 ? 0 : s;
        PxV3 p = t->position[j * row + i], out = px_v3(facing[side][0], 0, facing[side][1]);
        uint32_t up = top + k, low = top + rim + k, under = top + 2 * rim + k;
        t->position[up] = p;
        t->position[low] = t->position[under] = px_v3(p.x, 0, p.z);
        t->normal[up] = t->normal[low] = out;
        t->normal[under] = px_v3(0, -1, 0);
        uint32_t next = (k + 1) % rim;
        uint32_t three[3][3] = {{up, low, top + next},
                                {top + next, low, top + rim + next},
                                {under, top + 3 * rim, top + 2 * rim + next}};
        for (int q = 0; q < 3; ++q, ++at)
            for (int m = 0; m < 3; ++m)
                t->triangle[at][m] = three[q][m];
    }
    t->normal[top + 3 * rim] = px_v3(0, -1, 0);
    return PX_OK;
}

static PxStatus add_ball(PxScenery *scenery, uint32_t look, PxV3 at, float radius, uint32_t n)
{
    PxThing *t;
    PX_TRY(px_scenery_add_thing(scenery, PX_THING_MESH, look, (n + 1) * (2 * n), 4 * n * (n - 1),
                                PX_WITH_NORMAL, &t));
    uint32_t around = 2 * n, to = 0;
    for (uint32_t j = 0; j <= n; ++j)
        for (uint32_t i = 0; i < around; ++i) {
            float a = PX_PI_F * (float)j / (float)n, b = PX_PI_F * (float)i / (float)n;
            PxV3 d = px_v3(sinf(a) * cosf(b), cosf(a), sinf(a) * sinf(b));
            if (j == 0 || j == n)
                d = px_v3(0, j == 0 ? 1 : -1, 0);
            t->normal[j * around + i] = d;
            t->position[j * around + i] = px_v3_mad(at, d, radius);
        }
    for (uint32_t j = 0; j < n; ++j)
        for (uint32_t i = 0; i < around; ++i) {
            uint32_t a = j * around + i, b = j * around + (i + 1) % around;
            uint32_t two[2][3] = {{a, b, a + around}, {b, b + around, a + around}};
            for (int k = 0; k < 2; ++k) {
                if ((j == 0 && k == 0) || (j == n - 1 && k == 1))
                    continue; /* triangles at the poles have no area */
                for (int m = 0; m < 3; ++m)
                    t->triangle[to][m] = two[k][m];
                ++to;
            }
        }
    return PX_OK;
}

PxStatus px_sample_liquid(PxScenery *scenery, uint32_t look, PxV3 size, uint32_t triangles)
{
    uint32_t n = (uint32_t)sqrtf(0.45f * (float)triangles),
             m = (uint32_t)sqrtf(0.02f * (float)triangles);
    PX_TRY(add_slab(scenery, look, size, n < 4 ? 4 : n));
    return add_ball(scenery, look, px_v3(0, size.y + 0.25f * size.x, 0), 0.08f * size.x,
                    m < 4 ? 4 : m);
}
