/// Groups of vertices in the solve of cloth.
#include "check.h"

#include "base/vec.h"
#include "cloth/solve.h"
#include "draped.h"
#include "study/cloth_room.h"

#include <math.h>

/* A sheet of 1 m that swings from two corners, with so many cells a side. */
static PxWorld *hanging(double cells, int threads, double step)
{
    PxClothRoom room;
    PxMaterialDef m = px_cloth_room_material(0.2);
    m.cloth.weft = m.cloth.warp = 2000;
    m.cloth.shear = 200;
    m.cloth.step = step;
    PxShapeDef sheet = px_cloth_room_sheet(1, 1, cells, cells);
    CHECK_OK(px_cloth_room(&room, px_vec(0, -9.81, 0), &m, &sheet, threads));
    for (int k = 0; k < 2; ++k)
        CHECK_OK(px_cloth_room_hold(&room, k == 0 ? "a" : "b", px_vec(k - 0.5, 0, -0.5),
                                    px_vec(0.01, 0.01, 0.01)));
    return room.world;
}

/* Iterations a step, over the first 20. */
static double iterations(double cells)
{
    PxWorld *world = hanging(cells, 1, 8e-3);
    double sum = 0;
    for (int k = 1; k <= 20; ++k) {
        CHECK_OK(px_world_step(world, 8e-3 * k));
        sum += (double)stats_of(world).cloth_iterations;
    }
    px_world_free(world);
    return sum / 20;
}

TEST(iterations_grow_less_than_the_number_of_vertices_a_side)
{
    double coarse = iterations(24), fine = iterations(96);
    print_message("iterations a step: %.1f with 24 cells a side, %.1f with 96\n", coarse, fine);
    CHECK(fine < 3.5 * coarse); /* 6.3 with diagonal blocks alone */
}

TEST(groups_give_the_same_bits_for_any_threads)
{
    uint64_t hash[3][2];
    for (int k = 0; k < 3; ++k) {
        PxWorld *world = hanging(48, k + 1, 8e-3);
        CHECK_OK(px_world_advance(world, 0.08));
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    for (int k = 1; k < 3; ++k)
        assert_memory_equal(hash[k], hash[0], sizeof hash[0]);
}

TEST_MAIN()
