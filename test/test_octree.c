/// Filling shapes with the leaves of a balanced octree.
#define _GNU_SOURCE /* sched_setaffinity */
#include "check.h"
#include "meshes.h"
#include "shapes.h"

#include <sched.h>
#include <stdlib.h>

#define PLENTY ((size_t)10000000)

static PxShape *sphere_make(double radius)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    def.radius = radius;
    return shape_make(&def);
}

static PxShape *box_make(PxVec3 size)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = size;
    return shape_make(&def);
}

static double volume_of(const PxCells *cells)
{
    double sum = 0;
    for (size_t k = 0; k < cells->count; ++k)
        sum += cells->size[k] * cells->size[k] * cells->size[k];
    return sum;
}

static PxShape *some_shape(int kind)
{
    return kind == 0   ? sphere_make(1)
           : kind == 1 ? box_make(px_vec(2, 1, 0.5))
                       : shape_make_mesh(mesh_torus(1, 0.4, 40, 20));
}

TEST(the_cubes_have_the_shapes_volume_to_a_few_per_cent_and_scaled_exactly)
{
    for (int kind = 0; kind < 3; ++kind) {
        PxShape *shape = some_shape(kind);
        PxCells cells;
        CHECK_OK(px_shape_octree(shape, 0.05, 3, 0, PLENTY, &cells));
        /* measured: 0.1, 0 and 0.9 per cent */
        CHECK_NEAR(volume_of(&cells) / px_shape_volume(shape), 1, 0.02);
        CHECK_NEAR(cells.scale * volume_of(&cells) / px_shape_volume(shape), 1, 1e-12);
        px_cells_free(&cells);
        px_shape_free(shape);
    }
}

TEST(cubes_are_small_at_the_surface_and_large_inside)
{
    for (int kind = 0; kind < 3; ++kind) {
        PxShape *shape = some_shape(kind);
        PxCells cells;
        size_t fine = 0;
        double largest = 0;
        CHECK_OK(px_shape_octree(shape, 0.05, 3, 0, PLENTY, &cells));
        for (size_t k = 0; k < cells.count; ++k) {
            double d = px_shape_distance(shape, cells.position[k], NULL), e = cells.size[k];
            CHECK(d < 0);
            bool is_fine = fabs(e - 0.05) < 1e-12;
            fine += is_fine;
            largest = fmax(largest, e);
            /* only the finest may contain surface */
            CHECK(is_fine || -d > 0.866 * e);
        }
        CHECK(fine > cells.count / 2);
        /* in the ball there is room for 0.2 m at 0.4 m depth; in the box and ring for 0.1 m */
        CHECK_NEAR(largest, kind == 0 ? 0.2 : 0.1, 1e-12);
        px_cells_free(&cells);
        px_shape_free(shape);
    }
}

TEST(cubes_do_not_overlap_and_neighbours_differ_by_two_at_most)
{
    for (int kind = 0; kind < 3; ++kind) {
        PxShape *shape = some_shape(kind);
        PxCells cells;
        CHECK_OK(px_shape_octree(shape, 0.07, 4, 0, PLENTY, &cells));
        size_t touching = 0;
        for (size_t i = 0; i < cells.count; ++i)
            for (size_t j = 0; j < i; ++j) {
                PxVec3 way = px_sub(cells.position[i], cells.position[j]);
                double far = fmax(fabs(way.x), fmax(fabs(way.y), fabs(way.z)));
                double both = 0.5 * (cells.size[i] + cells.size[j]);
                if (far > both * (1 + 1e-9))
                    continue;
                CHECK(far > both * (1 - 1e-9));
                double ratio = cells.size[i] / cells.size[j];
                touching += ratio > 1.5 || ratio < 0.7;
                CHECK(ratio > 0.49 && ratio < 2.01);
            }
        CHECK(touching > 100); /* there are such places */
        px_cells_free(&cells);
        px_shape_free(shape);
    }
}

TEST(a_box_of_whole_steps_is_filled_without_a_gap)
{
    PxShape *shape = box_make(px_vec(1.2, 0.6, 0.7));
    PxCells cells;
    CHECK_OK(px_shape_octree(shape, 0.1, 2, 0, PLENTY, &cells));
    CHECK_NEAR(cells.scale, 1, 1e-12);
    for (size_t k = 0; k < cells.count; ++k)
        CHECK(px_shape_distance(shape, cells.position[k], NULL) <
              -0.5 * cells.size[k] * (1 - 1e-9));
    px_cells_free(&cells);
    px_shape_free(shape);
}

TEST(the_points_move_with_the_shape)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_CONE);
    PxShape *here = shape_make(&def);
    def.at = px_vec(3, -2, 1);
    def.rotation = px_quat_turn(px_vec(1, 2, 3), 0.7);
    PxShape *there = shape_make(&def);
    PxCells a, b;
    CHECK_OK(px_shape_octree(here, 0.05, 2, 0, PLENTY, &a));
    CHECK_OK(px_shape_octree(there, 0.05, 2, 0, PLENTY, &b));
    CHECK_EQUAL(a.count, b.count);
    for (size_t k = 0; k < a.count; ++k) {
        PxVec3 x = px_add(px_rotate(def.rotation, a.position[k]), def.at);
        CHECK(px_length(px_sub(x, b.position[k])) < 1e-12);
        CHECK(a.size[k] == b.size[k]);
    }
    px_cells_free(&a);
    px_cells_free(&b);
    px_shape_free(here);
    px_shape_free(there);
}

/* Bits of the three coordinates of a cube's low corner in turn, the highest first. */
static bool comes_before(PxVec3 a, PxVec3 b)
{
    const double p[3] = {a.z, a.y, a.x}, q[3] = {b.z, b.y, b.x};
    for (int bit = 30; bit >= 0; --bit)
        for (int c = 0; c < 3; ++c) {
            int i = (int)floor(p[c]) >> bit & 1, j = (int)floor(q[c]) >> bit & 1;
            if (i != j)
                return i < j;
        }
    return false;
}

TEST(the_points_are_in_mortons_order_whatever_the_threads)
{
    PxShape *shape = box_make(px_vec(1.4, 0.8, 1));
    PxCells all, one;
    CHECK_OK(px_shape_octree(shape, 0.1, 2, 0, PLENTY, &all));
    cpu_set_t before, single;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CPU_ZERO(&single);
    for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&single) == 0; ++k)
        if (CPU_ISSET(k, &before))
            CPU_SET(k, &single);
    CHECK(sched_setaffinity(0, sizeof single, &single) == 0);
    CHECK_OK(px_shape_octree(shape, 0.1, 2, 0, PLENTY, &one));
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK_EQUAL(all.count, one.count);
    CHECK(memcmp(all.position, one.position, all.count * sizeof *all.position) == 0);
    CHECK(memcmp(all.size, one.size, all.count * sizeof *all.size) == 0);
    /* the root is 16 cells wide around the middle */
    for (size_t k = 1; k < all.count; ++k) {
        PxVec3 a = px_scale(all.position[k - 1], 10), b = px_scale(all.position[k], 10);
        a = px_add(
            a, px_vec(8 - 5 * all.size[k - 1], 8 - 5 * all.size[k - 1], 8 - 5 * all.size[k - 1]));
        b = px_add(b, px_vec(8 - 5 * all.size[k], 8 - 5 * all.size[k], 8 - 5 * all.size[k]));
        PxVec3 half = {0.5, 0.5, 0.5}; /* corners are whole numbers but for rounding */
        CHECK(comes_before(px_add(a, half), px_add(b, half)));
    }
    px_cells_free(&all);
    px_cells_free(&one);
    px_shape_free(shape);
}

TEST(the_number_of_points_is_known_to_a_quarter_beforehand)
{
    for (int kind = 0; kind < 3; ++kind)
        for (int levels = 1; levels <= 4; ++levels) {
            PxShape *shape = some_shape(kind);
            PxCells cells;
            CHECK_OK(px_shape_octree(shape, 0.05, levels, 0, PLENTY, &cells));
            /* measured: up to 13 per cent off */
            CHECK_NEAR(px_shape_octree_estimate(shape, 0.05, levels, 0) / (double)cells.count, 1,
                       0.25);
            CHECK((double)cells.count < px_shape_fill_estimate(shape, PX_LATTICE_CUBIC, 0.05));
            px_cells_free(&cells);
            px_shape_free(shape);
        }
}

TEST(the_finest_layer_is_as_deep_as_wanted)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *shape;
    PxCells cells;
    def.radius = 1;
    CHECK_OK(px_shape_create(&def, &shape));
    for (double layer = 0; layer < 0.25; layer += 0.1) {
        double nearest = 1; /* surface to a cube larger than the spacing */
        CHECK_OK(px_shape_octree(shape, 0.05, 3, layer, PLENTY, &cells));
        for (size_t k = 0; k < cells.count; ++k) {
            double corner = px_length(cells.position[k]) + 0.5 * sqrt(3) * cells.size[k];
            if (cells.size[k] > 0.06)
                nearest = fmin(nearest, 1 - corner);
        }
        print_message("  layer %.1f m: cubes begin %.3f m inside\n", layer, nearest);
        CHECK(nearest > layer - 1e-9 && nearest < layer + 0.1);
        CHECK_NEAR(px_shape_octree_estimate(shape, 0.05, 3, layer) / (double)cells.count, 1, 0.25);
        px_cells_free(&cells);
    }
    px_shape_free(shape);
}

TEST(a_shape_smaller_than_a_cube_has_one)
{
    PxShape *shape = sphere_make(0.01);
    PxCells cells;
    CHECK_OK(px_shape_octree(shape, 1, 6, 0, PLENTY, &cells));
    CHECK_EQUAL(cells.count, 1);
    CHECK_NEAR(cells.scale, px_shape_volume(shape), 1e-15);
    px_cells_free(&cells);
    px_shape_free(shape);
}

TEST(shapes_that_cannot_be_filled_are_refused)
{
    PxShape *shape = sphere_make(1);
    PxCells cells;
    CHECK_FAILS(px_shape_octree(shape, NAN, 2, 0, PLENTY, &cells), PX_ERR_ARGUMENT, "spacing");
    CHECK_FAILS(px_shape_octree(shape, 0, 2, 0, PLENTY, &cells), PX_ERR_ARGUMENT, "spacing");
    CHECK_FAILS(px_shape_octree(shape, 0.1, 0, 0, PLENTY, &cells), PX_ERR_ARGUMENT, "levels are 0");
    CHECK_FAILS(px_shape_octree(shape, 0.1, 7, 0, PLENTY, &cells), PX_ERR_ARGUMENT,
                "wanted 1 to 6");
    CHECK_FAILS(px_shape_octree(shape, 0.05, 2, 0, 5000, &cells), PX_ERR_MEMORY, "5000");
    CHECK_FAILS(px_shape_octree(shape, 1e-4, 2, 0, PLENTY, &cells), PX_ERR_MEMORY, "about");
    CHECK_FAILS(px_shape_octree(shape, 1e-4, 6, 0, SIZE_MAX / 2, &cells), PX_ERR_MEMORY, "places");
    CHECK(cells.position == NULL && cells.count == 0);
    px_shape_free(shape);
    shape = box_make(px_vec(1e8, 1e-1, 1e-1));
    CHECK_FAILS(px_shape_octree(shape, 10, 2, 0, SIZE_MAX / 2, &cells), PX_ERR_MEMORY, "cells");
    px_shape_free(shape);
    PxShapeDef def = px_shape_def_default(PX_SHAPE_PLANE);
    shape = shape_make(&def);
    CHECK_FAILS(px_shape_octree(shape, 0.1, 2, 0, PLENTY, &cells), PX_ERR_ARGUMENT, "plane");
    px_shape_free(shape);
}

TEST_MAIN()
