/// Covering surfaces with Poisson-disk points.
#include "check.h"
#include "meshes.h"
#include "sanitized.h"
#include "shapes.h"

#include "base/random.h"
#include "shape/mesh_tree.h"
#include "shape/shape.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLENTY ((size_t)1000000)

static PxShape *some_shape(PxShapeKind kind)
{
    if (kind == PX_SHAPE_MESH)
        return shape_make_mesh(mesh_torus(0.6, 0.3, 20, 12));
    PxShapeDef def = px_shape_def_default(kind);
    def.thickness = 0.2;
    def.at = px_vec(2, 0, -1);
    def.rotation = px_quat_turn(px_vec(1, 2, 2), 0.6);
    return shape_make(&def);
}

static double nearest_point(const PxPoints *points, PxVec3 p, size_t but)
{
    double best2 = INFINITY;
    for (size_t k = 0; k < points->count; ++k) {
        PxVec3 d = px_sub(points->position[k], p);
        double d2 = px_dot(d, d);
        best2 = k != but && d2 < best2 ? d2 : best2;
    }
    return sqrt(best2);
}

/* Random surface points: closest points of random points around the shape. They are
 * denser at convex edges, which is desirable here. */
static PxVec3 surface_point(const PxShape *shape, uint64_t i)
{
    PxBounds b = px_shape_bounds(shape);
    PxVec3 size = px_sub(b.high, b.low), normal;
    PxVec3 p = px_vec(b.low.x + size.x * (1.4 * px_random_unit(i, 5, 0) - 0.2),
                      b.low.y + size.y * (1.4 * px_random_unit(i, 5, 1) - 0.2),
                      b.low.z + size.z * (1.4 * px_random_unit(i, 5, 2) - 0.2));
    double d = px_shape_distance(shape, p, &normal);
    return px_mad(p, normal, -d);
}

TEST(points_keep_apart_and_leave_no_gap)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShape *shape = some_shape(kind);
        const double spacing = 0.06;
        PxPoints points;
        CHECK_OK(px_shape_cover(shape, spacing, PLENTY, &points));
        CHECK(points.count > 100);
        for (size_t k = 0; k < points.count; ++k) {
            PxVec3 normal;
            /* on the surface, but for rounding of coordinates about 3 */
            CHECK_NEAR(px_shape_distance(shape, points.position[k], &normal), 0, 1e-14);
            CHECK_NEAR(px_length(points.normal[k]), 1, 1e-7);
            CHECK(nearest_point(&points, points.position[k], k) >= 0.8 * spacing * (1 - 1e-8));
        }
        double widest = 0;
        for (uint64_t i = 0; i < 4000; ++i)
            widest = fmax(widest, nearest_point(&points, surface_point(shape, i), SIZE_MAX));
        CHECK(widest <= spacing);
        CHECK(widest >= 0.5 * spacing); /* else there would be too many */
        px_points_free(&points);
        px_shape_free(shape);
    }
}

TEST(normals_point_outwards)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShape *shape = some_shape(kind);
        PxPoints points;
        CHECK_OK(px_shape_cover(shape, 0.06, PLENTY, &points));
        for (size_t k = 0; k < points.count; ++k) {
            PxVec3 p = points.position[k], n = points.normal[k];
            CHECK(!px_shape_inside(shape, px_mad(p, n, 1e-6)));
            CHECK(px_shape_inside(shape, px_mad(p, n, -1e-6)));
        }
        px_points_free(&points);
        px_shape_free(shape);
    }
}

TEST(the_count_is_near_the_estimate)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShape *shape = some_shape(kind);
        PxPoints points;
        CHECK_OK(px_shape_cover(shape, 0.05, PLENTY, &points));
        double area = px_shape_area(shape);
        /* one point for 0.8 spacing^2, as measured for all kinds within 6 % */
        CHECK_NEAR((double)points.count * 0.05 * 0.05 / area, 1.25, 0.08);
        CHECK_NEAR((double)points.count / px_shape_cover_estimate(shape, 0.05), 1, 0.08);
        px_points_free(&points);
        px_shape_free(shape);
    }
}

/* Growth of the process while it covers a sphere of radius 1 m, bytes; -1: it failed. In a process
 * of its own, since the largest size of this one may be that of an earlier test. */
static double growth_by_covering(double spacing)
{
    int ends[2];
    double growth = -1;
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    def.radius = 1;
    PxShape *shape = shape_make(&def);
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct rusage before, after;
        PxPoints points;
        getrusage(RUSAGE_SELF, &before);
        if (px_shape_cover(shape, spacing, PLENTY, &points) == PX_OK &&
            getrusage(RUSAGE_SELF, &after) == 0)
            growth = 1024.0 * (double)(after.ru_maxrss - before.ru_maxrss);
        _exit(write(ends[1], &growth, sizeof growth) == sizeof growth ? 0 : 1);
    }
    CHECK(child > 0 && read(ends[0], &growth, sizeof growth) == sizeof growth);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    px_shape_free(shape);
    return growth;
}

TEST(its_memory_is_told)
{
    if (SANITIZED) /* they take several times as much */
        return;
    static const double spacings[] = {0.03, 0.017}; /* 17,000 and 54,000 points */
    for (int k = 0; k < 2; ++k) {
        PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
        def.radius = 1;
        PxShape *shape = shape_make(&def);
        double points = px_shape_cover_estimate(shape, spacings[k]);
        double told = px_shape_cover_memory(points), real = growth_by_covering(spacings[k]);
        CHECK_NEAR(told / real, 1, 0.35);
        px_shape_free(shape);
    }
}

TEST(covering_twice_gives_the_same_bits)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShape *shape = some_shape(kind), *again = some_shape(kind);
        PxPoints a, b;
        CHECK_OK(px_shape_cover(shape, 0.07, PLENTY, &a));
        CHECK_OK(px_shape_cover(again, 0.07, PLENTY, &b));
        CHECK_EQUAL(a.count, b.count);
        CHECK(memcmp(a.position, b.position, a.count * sizeof *a.position) == 0);
        CHECK(memcmp(a.normal, b.normal, a.count * sizeof *a.normal) == 0);
        px_points_free(&a);
        px_points_free(&b);
        px_shape_free(shape);
        px_shape_free(again);
    }
}

static void check_box_features(const PxPoints *points, PxVec3 half, double spacing)
{
    for (int k = 0; k < 8; ++k) {
        PxVec3 corner =
            px_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
        CHECK_NEAR(nearest_point(points, corner, SIZE_MAX), 0, 1e-15);
    }
    /* Along an edge points stand at most 1.2 spacings apart. */
    double last = -half.x;
    for (double x = -half.x; x <= half.x + 1e-9; x += 0.01 * spacing) {
        for (size_t k = 0; k < points->count; ++k) {
            PxVec3 p = points->position[k];
            if (p.y == half.y && p.z == half.z && fabs(p.x - x) < 0.011 * spacing)
                last = p.x;
        }
        CHECK(x - last < 1.2 * spacing);
    }
}

TEST(corners_and_edges_of_a_box_are_covered)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(1, 0.7, 0.5);
    PxVec3 half = px_scale(def.size, 0.5);
    PxShape *box = shape_make(&def), *mesh = shape_make_mesh(mesh_box(def.size));
    PxPoints points;
    CHECK_OK(px_shape_cover(box, 0.1, PLENTY, &points));
    check_box_features(&points, half, 0.1);
    for (size_t k = 0; k < points.count; ++k) {
        PxVec3 p = points.position[k];
        int sides = (fabs(p.x) == half.x) + (fabs(p.y) == half.y) + (fabs(p.z) == half.z);
        PxVec3 n = points.normal[k];
        /* (1,0,0), (1,1,0) / sqrt(2), (1,1,1) / sqrt(3): as many as there are sides */
        double largest = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
        CHECK_NEAR(largest, 1 / sqrt(sides), 1e-7);
    }
    px_points_free(&points);
    CHECK_OK(px_shape_cover(mesh, 0.1, PLENTY, &points));
    check_box_features(&points, half, 0.1);
    px_points_free(&points);
    px_shape_free(box);
    px_shape_free(mesh);
}

TEST(rims_and_tips_are_covered)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_CONE);
    PxShape *cone = shape_make(&def);
    PxPoints points;
    CHECK_OK(px_shape_cover(cone, 0.1, PLENTY, &points));
    CHECK_NEAR(nearest_point(&points, px_vec(0, 0.5, 0), SIZE_MAX), 0, 1e-15);
    int rim = 0;
    for (size_t k = 0; k < points.count; ++k) {
        PxVec3 p = points.position[k];
        rim += fabs(hypot(p.x, p.z) - 0.5) < 1e-12 && p.y == -0.5;
    }
    /* as many chords of 0.08 as fit into the circle; a face point may not land on it */
    CHECK(rim >= (int)floor(M_PI / asin(0.04 / 0.5)));
    px_points_free(&points);
    px_shape_free(cone);
}

TEST(a_mesh_finer_than_the_spacing_and_one_of_slivers_are_covered)
{
    PxMesh *fine = mesh_ball(0.5, 40);
    PxMesh *slivers = mesh_torus(0.5, 0.2, 200, 5);
    PxMesh *both[2] = {fine, slivers};
    for (int m = 0; m < 2; ++m) {
        PxShape *shape = shape_make_mesh(both[m]);
        PxPoints points;
        const double spacing = 0.15;
        CHECK_OK(px_shape_cover(shape, spacing, PLENTY, &points));
        for (size_t k = 0; k < points.count; ++k)
            CHECK(nearest_point(&points, points.position[k], k) >= 0.8 * spacing * (1 - 1e-8));
        for (uint64_t i = 0; i < 4000; ++i)
            CHECK(nearest_point(&points, surface_point(shape, i), SIZE_MAX) <= spacing);
        px_points_free(&points);
        px_shape_free(shape);
    }
}

TEST(spacings_larger_than_the_shape_give_a_point_or_few)
{
    for (PxShapeKind kind = 0; kind < PX_SHAPE_KINDS; ++kind) {
        if (kind == PX_SHAPE_PLANE)
            continue;
        PxShape *shape = some_shape(kind);
        PxPoints points;
        CHECK_OK(px_shape_cover(shape, 50, PLENTY, &points));
        CHECK_EQUAL(points.count, 1);
        px_points_free(&points);
        CHECK_OK(px_shape_cover(shape, 1e300, PLENTY, &points));
        CHECK_EQUAL(points.count, 1);
        px_points_free(&points);
        px_shape_free(shape);
    }
}

TEST(batches_fit_together)
{
    /* More candidates than a batch holds (2^20 at 25 a spacing^2). */
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(1, 1, 0.02);
    PxShape *shape = shape_make(&def);
    const double spacing = 0.0065;
    PxPoints points;
    CHECK_OK(px_shape_cover(shape, spacing, PLENTY, &points));
    CHECK((double)points.count / 1.25 * 25 > 1.05 * (1 << 20));
    CHECK_NEAR((double)points.count / px_shape_cover_estimate(shape, spacing), 1, 0.08);
    for (uint64_t i = 0; i < 200; ++i) {
        size_t k = (size_t)(px_random_bits(i, 0, 0) % points.count);
        CHECK(nearest_point(&points, points.position[k], k) >= 0.8 * spacing * (1 - 1e-8));
        CHECK(nearest_point(&points, surface_point(shape, i), SIZE_MAX) <= spacing);
    }
    px_points_free(&points);
    px_shape_free(shape);
}

TEST(too_many_points_and_senseless_calls_are_refused)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *ball = shape_make(&def);
    PxPoints points;
    CHECK_FAILS(px_shape_cover(ball, 0.1, 100, &points), PX_ERR_MEMORY,
                "more than the 100 points allowed");
    CHECK(points.position == NULL && points.normal == NULL && points.count == 0);
    CHECK_FAILS(px_shape_cover(ball, 1e-9, 1000, &points), PX_ERR_MEMORY, "e+18 points");
    CHECK_FAILS(px_shape_cover(ball, 1e-200, SIZE_MAX, &points), PX_ERR_MEMORY, "inf points");
    CHECK_FAILS(px_shape_cover(ball, -1, 10, &points), PX_ERR_ARGUMENT, "spacing is -1");
    CHECK_FAILS(px_shape_cover(ball, NAN, 10, &points), PX_ERR_ARGUMENT, "spacing is nan");
    px_shape_free(ball);
    def = px_shape_def_default(PX_SHAPE_PLANE);
    PxShape *plane = shape_make(&def);
    CHECK_FAILS(px_shape_cover(plane, 0.1, 100, &points), PX_ERR_ARGUMENT, "plane");
    CHECK(isinf(px_shape_cover_estimate(plane, 0.1)));
    px_shape_free(plane);
}

TEST_MAIN()
