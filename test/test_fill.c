/// Filling shapes with lattices.
#define _GNU_SOURCE /* sched_setaffinity */
#include "check.h"
#include "meshes.h"
#include "shapes.h"

#include "base/random.h"
#include "shape/shape.h"

#include <sched.h>
#include <stdlib.h>

#define PLENTY ((size_t)10000000)

static PxShape *some_shape(PxShapeKind kind)
{
    if (kind == PX_SHAPE_MESH)
        return shape_make_mesh(mesh_torus(0.6, 0.3, 24, 12));
    PxShapeDef def = px_shape_def_default(kind);
    def.thickness = 0.2;
    return shape_make(&def);
}

TEST(how_many_fill_a_box_is_known_before)
{
    for (int k = 0; k < 20; ++k) {
        PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
        def.size = px_vec(0.31 + 0.013 * k, 0.52 - 0.017 * k, 0.04 + 0.03 * k);
        PxShape *shape = shape_make(&def);
        PxPoints points;
        CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &points));
        CHECK_EQUAL(points.count, px_shape_fill_estimate(shape, PX_LATTICE_CUBIC, 0.1));
        px_points_free(&points);
        px_shape_free(shape);
    }
}

TEST(a_box_of_whole_steps_is_filled_exactly)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(1.0, 0.5, 0.3);
    PxShape *shape = shape_make(&def);
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &points));
    CHECK_EQUAL(points.count, 10 * 5 * 3);
    CHECK(points.normal == NULL);
    size_t at = 0;
    for (int k = 0; k < 3; ++k) /* z slowest, x fastest */
        for (int j = 0; j < 5; ++j)
            for (int i = 0; i < 10; ++i, ++at) {
                CHECK_NEAR(points.position[at].x, -0.45 + 0.1 * i, 1e-15);
                CHECK_NEAR(points.position[at].y, -0.2 + 0.1 * j, 1e-15);
                CHECK_NEAR(points.position[at].z, -0.1 + 0.1 * k, 1e-15);
            }
    px_points_free(&points);
    px_points_free(&points);
    px_shape_free(shape);
}

TEST(a_box_of_any_size_keeps_its_points_off_the_faces)
{
    for (uint64_t i = 0; i < 200; ++i) {
        PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
        def.size = px_vec(0.05 + px_random_unit(i, 0, 0), 0.05 + px_random_unit(i, 0, 1),
                          0.05 + px_random_unit(i, 0, 2));
        PxShape *shape = shape_make(&def);
        PxPoints points;
        CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &points));
        double along[3] = {def.size.x, def.size.y, def.size.z};
        double count = 1;
        for (int k = 0; k < 3; ++k)
            count *= floor(along[k] / 0.1 + 0.5);
        CHECK_EQUAL(points.count, count);
        double least = INFINITY;
        for (size_t k = 0; k < points.count; ++k)
            least = fmin(least, -px_shape_distance(shape, points.position[k], NULL));
        CHECK(least >= 0.025 - 1e-12 && least <= 0.075 + 1e-12);
        px_points_free(&points);
        px_shape_free(shape);
    }
}

/* Points times spacing^3 against the volume: the error is made at the surface.
 * Faces parallel to the lattice err by half a layer at most, s / 2 of length for
 * a pair of faces, so by s A / 4 for all of the area A. Where the surface does not
 * follow the lattice the points at it, A / s^2 of them, are in or out by chance:
 * sqrt(A / s^2) s^3 = s^2 sqrt(A), and 4 times that is allowed, as symmetric shapes
 * gain and lose points in groups. Both terms shrink with s. */
static double allowed_error(const PxShape *shape, double spacing)
{
    double area = px_shape_area(shape);
    PxShapeKind kind = px_shape_kind(shape);
    bool flat = kind != PX_SHAPE_SPHERE && kind != PX_SHAPE_CAPSULE && kind != PX_SHAPE_MESH;
    return (flat ? 0.25 * area * spacing : 0) + 4 * spacing * spacing * sqrt(area);
}

static double volume_error(const PxShape *shape, PxLattice lattice, double spacing)
{
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, lattice, spacing, PLENTY, &points));
    double error =
        fabs((double)points.count * spacing * spacing * spacing - px_shape_volume(shape));
    for (size_t k = 0; k < points.count; k += 5)
        CHECK(px_shape_inside(shape, points.position[k]));
    px_points_free(&points);
    return error;
}

TEST(points_times_their_volume_tend_to_the_volume)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShape *shape = some_shape(kind);
        for (int lattice = 0; lattice < 2; ++lattice)
            for (double spacing = 0.1; spacing > 0.035; spacing *= 0.81)
                CHECK_NEAR(volume_error(shape, (PxLattice)lattice, spacing), 0,
                           allowed_error(shape, spacing));
        px_shape_free(shape);
    }
}

TEST(a_fine_ball_is_filled_to_one_part_in_a_hundred)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *shape = shape_make(&def);
    for (int lattice = 0; lattice < 2; ++lattice) {
        double error = volume_error(shape, (PxLattice)lattice, 0.02);
        CHECK_NEAR(error / px_shape_volume(shape), 0, 1e-2); /* allowed_error() is 0.5 % */
        CHECK_NEAR(error, 0, allowed_error(shape, 0.02));
    }
    px_shape_free(shape);
}

TEST(hexagonal_points_have_twelve_neighbours_at_the_close_packed_distance)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *shape = shape_make(&def);
    const double spacing = 0.08;
    double d = spacing * pow(2.0, 1.0 / 6.0); /* sqrt(2) / d^3 = 1 / spacing^3 */
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_HEXAGONAL, spacing, PLENTY, &points));
    int inner = 0;
    for (size_t i = 0; i < points.count; ++i) {
        int near = 0;
        for (size_t j = 0; j < points.count; ++j) {
            double apart = px_length(px_sub(points.position[i], points.position[j]));
            CHECK(i == j || apart > d * (1 - 1e-12));
            near += i != j && apart < d * (1 + 1e-9);
        }
        if (px_length(points.position[i]) < 0.5 - 1.01 * d) {
            CHECK_EQUAL(near, 12);
            ++inner;
        }
    }
    CHECK(inner > 200);
    px_points_free(&points);
    px_shape_free(shape);
}

TEST(points_move_and_turn_with_their_shape)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_MESH; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShapeDef def = px_shape_def_default(kind), moved = def;
        moved.at = px_vec(7, 8, 9);
        moved.rotation = px_quat_turn(px_vec(3, 1, 2), 0.7);
        PxShape *shape = shape_make(&def), *other = shape_make(&moved);
        for (int lattice = 0; lattice < 2; ++lattice) {
            PxPoints a, b;
            CHECK_OK(px_shape_fill(shape, (PxLattice)lattice, 0.11, PLENTY, &a));
            CHECK_OK(px_shape_fill(other, (PxLattice)lattice, 0.11, PLENTY, &b));
            CHECK_EQUAL(a.count, b.count);
            CHECK(a.count > 10);
            for (size_t k = 0; k < a.count; ++k) {
                PxVec3 wanted = px_add(moved.at, px_rotate(moved.rotation, a.position[k]));
                CHECK_NEAR(px_length(px_sub(b.position[k], wanted)), 0, 1e-14);
            }
            px_points_free(&a);
            px_points_free(&b);
        }
        px_shape_free(shape);
        px_shape_free(other);
    }
}

TEST(leaping_along_rows_misses_nothing)
{
    /* Compared with a test of every lattice point in the bounds. The thin, tilted ring
     * has rows that enter and leave it several times. */
    PxMesh *ring = mesh_torus(0.6, 0.1, 40, 12);
    PxQuat slant = px_quat_turn(px_vec(1, 0.3, 0.2), 0.9);
    for (uint32_t v = 0; v < ring->vertex_count; ++v)
        ring->position[v] = px_rotate(slant, ring->position[v]);
    PxBounds b = px_mesh_bounds(ring);
    PxShape *shape = shape_make_mesh(ring);
    const double s = 0.04;
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, s, PLENTY, &points));
    double n[3] = {floor((b.high.x - b.low.x) / s + 0.5), floor((b.high.y - b.low.y) / s + 0.5),
                   floor((b.high.z - b.low.z) / s + 0.5)};
    PxVec3 middle = px_scale(px_add(b.low, b.high), 0.5);
    size_t at = 0;
    for (double k = 0; k < n[2]; ++k)
        for (double j = 0; j < n[1]; ++j)
            for (double i = 0; i < n[0]; ++i) {
                PxVec3 p = px_vec(middle.x + (i - 0.5 * (n[0] - 1)) * s,
                                  middle.y + (j - 0.5 * (n[1] - 1)) * s,
                                  middle.z + (k - 0.5 * (n[2] - 1)) * s);
                if (!px_shape_inside(shape, p))
                    continue;
                CHECK(at < points.count);
                CHECK_NEAR(px_length(px_sub(points.position[at++], p)), 0, 1e-14);
            }
    CHECK_EQUAL(at, points.count);
    CHECK(at > 500);
    px_points_free(&points);
    px_shape_free(shape);
}

TEST(filling_twice_gives_the_same_bits)
{
    PxShape *shape = some_shape(PX_SHAPE_MESH);
    PxPoints a, b;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_HEXAGONAL, 0.04, PLENTY, &a));
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_HEXAGONAL, 0.04, PLENTY, &b));
    CHECK_EQUAL(a.count, b.count);
    CHECK(memcmp(a.position, b.position, a.count * sizeof *a.position) == 0);
    px_points_free(&a);
    px_points_free(&b);
    px_shape_free(shape);
}

TEST(one_core_and_all_cores_give_the_same_bits)
{
    /* As many threads are used as there are cores for this process. */
    PxShape *shape = some_shape(PX_SHAPE_MESH);
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &all))
        ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    PxPoints a, b;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.04, PLENTY, &a));
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    PxStatus status = px_shape_fill(shape, PX_LATTICE_CUBIC, 0.04, PLENTY, &b);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK_OK(status);
    CHECK_EQUAL(a.count, b.count);
    CHECK(memcmp(a.position, b.position, a.count * sizeof *a.position) == 0);
    px_points_free(&a);
    px_points_free(&b);
    px_shape_free(shape);
}

TEST(a_fitted_lattice_of_a_box_of_whole_steps_is_the_lattice)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(0.6, 0.5, 0.3);
    def.rotation = px_quat_turn(px_vec(1, 2, 3), 0.4);
    PxShape *shape = shape_make(&def);
    PxPoints plain, fitted;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &plain));
    CHECK_OK(px_shape_fill_fitted(shape, 0.1, PLENTY, &fitted));
    CHECK_EQUAL(fitted.count, plain.count);
    CHECK(memcmp(fitted.position, plain.position, plain.count * sizeof *plain.position) == 0);
    px_points_free(&plain);
    px_points_free(&fitted);
    px_shape_free(shape);
}

/* Mean square distance of the points from the axis of a cylinder, over R^2 / 2. */
static double roundness(const PxPoints *points, double radius)
{
    double sum = 0;
    for (size_t k = 0; k < points->count; ++k)
        sum += points->position[k].x * points->position[k].x +
               points->position[k].z * points->position[k].z;
    return sum / (double)points->count / (0.5 * radius * radius);
}

TEST(a_fitted_lattice_has_the_second_moment_of_a_cylinder)
{
    /* Points instead of cells lack 1 / (3 R^2), 0.037 at a radius of 3 spacings. */
    PxShapeDef def = px_shape_def_default(PX_SHAPE_CYLINDER);
    def.radius = 0.3;
    def.height = 1;
    PxShape *shape = shape_make(&def);
    PxPoints plain, fitted, again;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &plain));
    CHECK_OK(px_shape_fill_fitted(shape, 0.1, PLENTY, &fitted));
    CHECK_OK(px_shape_fill_fitted(shape, 0.1, PLENTY, &again));
    print_message("  lattice %.4f, fitted %.4f\n", roundness(&plain, 0.3), roundness(&fitted, 0.3));
    CHECK_NEAR(roundness(&fitted, 0.3), 1 - 0.037, 0.02);
    CHECK(fabs(roundness(&plain, 0.3) - 1) > 0.1);
    CHECK_EQUAL(fitted.count, plain.count);
    CHECK(memcmp(fitted.position, again.position, again.count * sizeof *again.position) == 0);
    for (size_t k = 0; k < fitted.count; ++k)
        CHECK(px_shape_inside(shape, fitted.position[k]));
    px_points_free(&plain);
    px_points_free(&fitted);
    px_points_free(&again);
    px_shape_free(shape);
}

TEST(thin_shapes_get_one_layer)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(1, 0.01, 1);
    PxShape *shape = shape_make(&def);
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &points));
    CHECK_EQUAL(points.count, 100);
    px_points_free(&points);
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 1e6, PLENTY, &points));
    CHECK_EQUAL(points.count, 1);
    px_points_free(&points);
    px_shape_free(shape);
    def.size.y = 2e-9; /* a billionth of the spacing and less */
    shape = shape_make(&def);
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, PLENTY, &points));
    CHECK_EQUAL(points.count, 100);
    px_points_free(&points);
    px_shape_free(shape);
}

TEST(thin_shapes_get_one_layer_of_a_hexagonal_lattice_too)
{
    for (int axis = 0; axis < 3; ++axis) {
        PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
        def.size = px_vec(axis == 0 ? 0.01 : 1, axis == 1 ? 0.01 : 1, axis == 2 ? 0.01 : 1);
        PxShape *shape = shape_make(&def);
        PxPoints points;
        CHECK_OK(px_shape_fill(shape, PX_LATTICE_HEXAGONAL, 0.1, PLENTY, &points));
        /* steps of 0.112, 0.097 and 0.092: 9, 10 and 11 a metre */
        const size_t wanted[3] = {10 * 11, 9 * 11, 9 * 10};
        CHECK_EQUAL(points.count, wanted[axis]);
        px_points_free(&points);
        px_shape_free(shape);
    }
}

TEST(too_many_points_are_refused_before_they_are_made)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    PxShape *shape = shape_make(&def);
    PxPoints points;
    CHECK_OK(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, 1000, &points));
    CHECK_EQUAL(points.count, 1000);
    px_points_free(&points);
    CHECK_FAILS(px_shape_fill(shape, PX_LATTICE_CUBIC, 0.1, 999, &points), PX_ERR_MEMORY,
                "more than the 999 points");
    CHECK(points.position == NULL && points.count == 0);
    CHECK_FAILS(px_shape_fill(shape, PX_LATTICE_CUBIC, 1e-6, 1000, &points), PX_ERR_MEMORY,
                "1e+18 points");
    CHECK_FAILS(px_shape_fill(shape, PX_LATTICE_CUBIC, 1e-300, SIZE_MAX, &points), PX_ERR_MEMORY,
                "inf points");
    CHECK_FAILS(px_shape_fill(shape, PX_LATTICE_CUBIC, 1e-7, SIZE_MAX, &points), PX_ERR_MEMORY,
                "1e+21");
    CHECK_NEAR(px_shape_fill_estimate(shape, PX_LATTICE_HEXAGONAL, 0.1), 1000, 1e-9);
    px_shape_free(shape);
    /* a shell with almost no volume in bounds with very many rows */
    def = px_shape_def_default(PX_SHAPE_FUNNEL);
    def.thickness = 1e-8;
    shape = shape_make(&def);
    CHECK_FAILS(px_shape_fill(shape, PX_LATTICE_CUBIC, 1e-4, 1000, &points), PX_ERR_MEMORY,
                "places; allowed are 1000 points");
    px_shape_free(shape);
}

/* 10^-span .. 10^span, uniformly distributed in the exponent. */
static double wild(uint64_t *next, int span)
{
    return pow(10, span * (2 * px_random_unit((*next)++, 6, 6) - 1));
}

TEST(wild_sizes_and_spacings_give_points_or_a_refusal_soon)
{
    uint64_t next = 0;
    int shapes = 0, filled = 0, covered = 0;
    for (int i = 0; i < 250; ++i) {
        PxShapeDef def = px_shape_def_default((PxShapeKind)(i % PX_SHAPE_MESH));
        int span = i % 3 == 0 ? 50 : i % 3 == 1 ? 8 : 2;
        def.size = px_vec(wild(&next, span), wild(&next, span), wild(&next, span));
        def.radius = wild(&next, span);
        def.radius_top = i % 5 == 0 ? 0 : wild(&next, span);
        def.height = wild(&next, span);
        def.thickness = wild(&next, span);
        def.at = px_vec(wild(&next, span), -wild(&next, span), wild(&next, span));
        PxShape *shape;
        if (px_shape_create(&def, &shape) != PX_OK)
            continue;
        ++shapes;
        CHECK(px_shape_volume(shape) > 0 && px_shape_area(shape) > 0);
        for (int k = 0; k < 10; ++k) {
            PxVec3 p = px_vec(wild(&next, span), -wild(&next, span), wild(&next, span)), normal;
            CHECK(!isnan(px_shape_distance(shape, k % 2 ? px_add(def.at, p) : p, &normal)));
            CHECK_NEAR(px_length(normal), 1, 1e-6);
        }
        PxPoints points;
        double spacing = wild(&next, span);
        if (px_shape_fill(shape, (PxLattice)(i % 2), spacing, 500, &points) == PX_OK)
            ++filled;
        px_points_free(&points);
        if (px_shape_cover(shape, spacing, 500, &points) == PX_OK) {
            CHECK(points.count > 0);
            ++covered;
        }
        px_points_free(&points);
        px_shape_free(shape);
    }
    CHECK(shapes > 60 && filled > 15 && covered > 15);
}

TEST(senseless_calls_are_refused)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_PLANE);
    PxShape *plane = shape_make(&def);
    PxPoints points;
    CHECK_FAILS(px_shape_fill(plane, PX_LATTICE_CUBIC, 0.1, 10, &points), PX_ERR_ARGUMENT, "plane");
    CHECK(isinf(px_shape_fill_estimate(plane, PX_LATTICE_CUBIC, 0.1)));
    px_shape_free(plane);
    def = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *ball = shape_make(&def);
    CHECK_FAILS(px_shape_fill(ball, PX_LATTICE_CUBIC, 0, 10, &points), PX_ERR_ARGUMENT,
                "spacing is 0");
    CHECK_FAILS(px_shape_fill(ball, PX_LATTICE_CUBIC, NAN, 10, &points), PX_ERR_ARGUMENT,
                "spacing is nan");
    CHECK_FAILS(px_shape_fill(ball, (PxLattice)7, 0.1, 10, &points), PX_ERR_ARGUMENT,
                "lattice is 7");
    px_shape_free(ball);
}

TEST_MAIN()
