/// Spray, foam and bubbles.
#include "check.h"

#include "base/vec.h"
#include "surface/foam.h"

#include <math.h>
#include <stdlib.h>

/* Two blocks of a lattice that meet at x = 0 with the given speed each. */
enum { EDGE = 10, COUNT = 2 * EDGE * EDGE * EDGE };

typedef struct Blocks {
    float x[3][COUNT], v[3][COUNT];
    uint64_t id[COUNT];
} Blocks;

static PxFoamFluid blocks(Blocks *b, float speed)
{
    const float s = 0.02f;
    for (uint32_t i = 0; i < COUNT; ++i) {
        uint32_t k = i % (COUNT / 2);
        bool left = i < COUNT / 2;
        b->x[0][i] = ((float)(k % EDGE) + 0.5f - (left ? (float)EDGE : 0)) * s;
        b->x[1][i] = ((float)(k / EDGE % EDGE) + 0.5f) * s;
        b->x[2][i] = ((float)(k / EDGE / EDGE) + 0.5f) * s;
        b->v[0][i] = left ? speed : -speed;
        b->v[1][i] = b->v[2][i] = 0;
        b->id[i] = i;
    }
    return (PxFoamFluid){.x = {b->x[0], b->x[1], b->x[2]},
                         .v = {b->v[0], b->v[1], b->v[2]},
                         .id = b->id,
                         .count = COUNT};
}

static PxFoamDef foam_def(int threads)
{
    return (PxFoamDef){.spacing = 0.02,
                       .gravity = {0, -9.81, 0},
                       .speed = 2,
                       .amount = 1,
                       .life = 1,
                       .threads = {.count = threads}};
}

TEST(foam_is_made_where_water_meets_water)
{
    static Blocks b;
    PxFoam foam = {0};
    PxFoamDef def = foam_def(1);
    PxFoamFluid calm = blocks(&b, 0.1f);
    CHECK_OK(px_foam_step(&foam, &def, &calm, 1, 0.01));
    CHECK_EQUAL(foam.grains.count, (size_t)0);
    PxFoamFluid fast = blocks(&b, 2);
    CHECK_OK(px_foam_step(&foam, &def, &fast, 1, 0.01));
    CHECK(foam.grains.count > 1000);
    size_t near = 0;
    for (size_t k = 0; k < foam.grains.count; ++k)
        near += fabsf(foam.grains.data[k].x[0]) < 0.06f;
    CHECK(near > 0.9 * (double)foam.grains.count); /* where the blocks meet, not at their sides */
    px_foam_free(&foam);
}

TEST(foam_has_the_same_bits_for_any_number_of_threads)
{
    static Blocks b;
    PxFoam foam[2] = {{{0}}, {{0}}};
    PxFoamFluid fast = blocks(&b, 2);
    for (int k = 0; k < 2; ++k) {
        PxFoamDef def = foam_def(k == 0 ? 1 : 3);
        for (uint64_t step = 0; step < 3; ++step)
            CHECK_OK(px_foam_step(&foam[k], &def, &fast, step, 0.004));
    }
    CHECK_EQUAL(foam[0].grains.count, foam[1].grains.count);
    CHECK(memcmp(foam[0].grains.data, foam[1].grains.data,
                 foam[0].grains.count * sizeof(PxFoamGrain)) == 0);
    px_foam_free(&foam[0]);
    px_foam_free(&foam[1]);
}

TEST(spray_falls_foam_drifts_and_dies_bubbles_rise)
{
    static Blocks b;
    PxFoamDef def = foam_def(1);
    PxFoamFluid still = blocks(&b, 0);
    for (uint32_t i = 0; i < COUNT; ++i)
        b.v[2][i] = 0.3f; /* slower than what makes foam */
    PxFoam foam = {0};
    CHECK(PX_LIST_RESERVE(&foam.grains, 3));
    const PxFoamGrain grain[3] = {
        {.x = {0, 0.5f, 0.1f}, .v = {1, 0, 0}, .radius = 1e-3f, .left = 1},      /* in the air */
        {.x = {0, 0.2f, 0.1f}, .v = {1, 0, 0}, .radius = 1e-3f, .left = 0.015f}, /* on the water */
        {.x = {0, 0.1f, 0.1f}, .radius = 1e-3f, .left = 1}};                     /* in it */
    for (int k = 0; k < 3; ++k)
        foam.grains.data[foam.grains.count++] = grain[k];
    CHECK_OK(px_foam_step(&foam, &def, &still, 1, 0.01));
    const PxFoamGrain *g = foam.grains.data;
    CHECK_EQUAL(foam.grains.count, (size_t)3);
    CHECK(g[0].kind == PX_FOAM_SPRAY && g[1].kind == PX_FOAM_FOAM && g[2].kind == PX_FOAM_BUBBLE);
    CHECK_NEAR(g[0].v[1], -0.0981, 1e-6);
    CHECK_NEAR(g[0].x[0], 0.01, 1e-6);
    CHECK_NEAR(g[1].v[2], 0.3, 1e-6);
    CHECK_NEAR(g[1].v[0], 0, 1e-6);
    CHECK(g[2].v[1] > 0.1f && g[2].v[2] > 0.2f);
    CHECK_OK(px_foam_step(&foam, &def, &still, 2, 0.01)); /* the life of the foam is over */
    CHECK_EQUAL(foam.grains.count, (size_t)2);
    px_foam_free(&foam);
}

TEST(spray_stays_out_of_walls)
{
    static Blocks b;
    PxShapeDef shape_def = px_shape_def_default(PX_SHAPE_PLANE);
    PxShape *shape;
    CHECK_OK(px_shape_create(&shape_def, &shape));
    PxWall wall = {.shape = shape, .def = shape_def, .bounds = px_shape_bounds(shape)};
    wall.now.turn = px_quat_identity();
    px_wall_move(&wall, 0, 0);
    const PxWall *walls[1] = {&wall};
    PxFoamDef def = foam_def(1);
    def.wall = walls;
    def.walls = 1;
    PxFoamFluid still = blocks(&b, 0);
    PxFoam foam = {0};
    CHECK(PX_LIST_RESERVE(&foam.grains, 1));
    foam.grains.data[foam.grains.count++] =
        (PxFoamGrain){.x = {1, 0.005f, 0}, .v = {0.5f, -3, 0}, .radius = 1e-3f, .left = 1};
    CHECK_OK(px_foam_step(&foam, &def, &still, 1, 0.01));
    CHECK_NEAR(foam.grains.data[0].x[1], 1e-3, 1e-6);
    CHECK_NEAR(foam.grains.data[0].v[1], 0, 1e-6);
    CHECK(foam.grains.data[0].left < 1);
    px_foam_free(&foam);
    px_shape_free(shape);
}

TEST_MAIN()
