/// The tree over triangles against brute force.
#include "check.h"
#include "meshes.h"

#include "base/random.h"
#include "shape/mesh_tree.h"

#include <stdlib.h>

static PxMeshTree *make_tree(const PxMesh *mesh)
{
    PxMeshTree *tree = NULL;
    CHECK_OK(px_mesh_tree_create(mesh, &tree));
    return tree;
}

static PxVec3 random_point(uint64_t i, double reach)
{
    return px_vec(reach * (2 * px_random_unit(i, 3, 0) - 1),
                  reach * (2 * px_random_unit(i, 3, 1) - 1),
                  reach * (2 * px_random_unit(i, 3, 2) - 1));
}

/* Triangles of all sizes and shapes anywhere, some of them slivers. */
static PxMesh *soup(uint32_t triangles)
{
    PxMesh *mesh = mesh_make(3 * (size_t)triangles, triangles);
    for (uint32_t t = 0; t < triangles; ++t) {
        double size = 0.01 + px_random_unit(t, 8, 0) * px_random_unit(t, 8, 1);
        PxVec3 a = random_point(t + 1000, 1);
        PxVec3 u = px_scale(random_point(t + 2000, 1), size);
        PxVec3 v = px_scale(random_point(t + 3000, 1), t % 5 == 0 ? 1e-6 : size);
        mesh->position[3 * t] = a;
        mesh->position[3 * t + 1] = px_add(a, u);
        mesh->position[3 * t + 2] = px_add(px_mad(a, u, 0.5), v);
        for (uint32_t k = 0; k < 3; ++k)
            mesh->triangle[t][k] = 3 * t + k;
    }
    return mesh;
}

TEST(the_nearest_point_is_that_of_all_triangles)
{
    for (uint32_t size = 1; size < 1000; size = 2 * size + 1) {
        PxMesh *mesh = soup(size);
        PxMeshTree *tree = make_tree(mesh);
        for (uint64_t i = 0; i < 100; ++i) {
            PxVec3 p = random_point(i, i % 4 == 0 ? 20 : 1.5);
            double best = INFINITY;
            for (uint32_t t = 0; t < size; ++t) {
                PxVec3 q =
                    px_triangle_closest(p, px_mesh_corner(mesh, t, 0), px_mesh_corner(mesh, t, 1),
                                        px_mesh_corner(mesh, t, 2), NULL);
                best = fmin(best, px_length(px_sub(p, q)));
            }
            PxMeshSpot spot;
            CHECK(px_mesh_tree_closest(tree, p, INFINITY, &spot));
            CHECK_NEAR(spot.distance, best, 1e-15);
            CHECK_NEAR(px_length(px_sub(p, spot.point)), best, 1e-15);
            CHECK(spot.triangle < size);
            CHECK(px_mesh_tree_closest(tree, p, best * (1 + 1e-9), &spot));
            CHECK(!px_mesh_tree_closest(tree, p, best * (1 - 1e-9), &spot));
            double free_radius = px_mesh_tree_clearance(tree, p, INFINITY);
            CHECK(free_radius <= best * (1 + 1e-15) && free_radius >= best / 1.5 * (1 - 1e-15));
            CHECK(px_mesh_tree_clearance(tree, p, 0.1 * best) <= 0.1 * best);
        }
        px_mesh_tree_free(tree);
        px_mesh_free(mesh);
    }
}

TEST(the_nearest_point_of_a_triangle_beats_a_grid_of_its_points)
{
    for (uint64_t i = 0; i < 300; ++i) {
        PxVec3 a = random_point(4 * i, 1), b = random_point(4 * i + 1, 1);
        PxVec3 c = random_point(4 * i + 2, 1), p = random_point(4 * i + 3, 2);
        bool in_face;
        PxVec3 q = px_triangle_closest(p, a, b, c, &in_face);
        double d = px_length(px_sub(p, q)), best = INFINITY;
        for (int u = 0; u <= 20; ++u)
            for (int v = 0; u + v <= 20; ++v) {
                PxVec3 g = px_mad(px_mad(a, px_sub(b, a), u / 20.0), px_sub(c, a), v / 20.0);
                best = fmin(best, px_length(px_sub(p, g)));
            }
        CHECK(d <= best + 1e-15);
        CHECK(d >= best - 0.2); /* grid points are at most 3 / 20 apart */
        PxVec3 n = px_normalized(px_cross(px_sub(b, a), px_sub(c, a)), px_vec(0, 0, 0));
        CHECK_NEAR(px_dot(px_sub(q, a), n), 0, 1e-14); /* in the plane */
        if (in_face)
            CHECK_NEAR(fabs(px_dot(px_sub(p, q), n)), d, 1e-13);
    }
}

TEST(the_fast_winding_number_is_nearly_the_exact_one)
{
    PxMesh *ring = mesh_torus(0.6, 0.25, 60, 30);
    PxMeshTree *tree = make_tree(ring);
    for (uint64_t i = 0; i < 1500; ++i) {
        PxVec3 p = random_point(i, 1.2);
        double exact = px_mesh_tree_winding_exact(tree, p);
        CHECK_NEAR(exact, nearbyint(exact), 1e-12);
        /* dipoles from two radii on: 0.06 was the most met in 200 000 points */
        CHECK_NEAR(px_mesh_tree_winding(tree, p), exact, 0.15);
    }
    px_mesh_tree_free(tree);
    px_mesh_free(ring);
}

TEST(the_winding_number_of_an_open_mesh_is_its_solid_angle)
{
    /* One face of a cube seen from the middle: a sixth of everything. */
    PxMesh *box = mesh_box(px_vec(2, 2, 2));
    box->triangle_count = 2;
    PxMeshTree *tree = make_tree(box);
    CHECK_NEAR(px_mesh_tree_winding(tree, px_vec(0, 0, 0)), 1.0 / 6, 1e-15);
    px_mesh_tree_free(tree);
    px_mesh_free(box);
}

TEST(rays_agree_with_a_search_over_all_triangles)
{
    PxMesh *mesh = soup(300);
    PxMeshTree *tree = make_tree(mesh);
    int hits = 0;
    for (uint64_t i = 0; i < 500; ++i) {
        PxVec3 o = random_point(i, 1.5), d = random_point(i + 7777, 1);
        if (i % 3 == 0)
            d = px_vec(0, i % 2 ? 1 : -2, 0); /* along an axis: zero components */
        double best = INFINITY;
        for (uint32_t t = 0; t < 300; ++t) {
            PxVec3 a = px_mesh_corner(mesh, t, 0), b = px_mesh_corner(mesh, t, 1);
            PxVec3 c = px_mesh_corner(mesh, t, 2), n = px_cross(px_sub(b, a), px_sub(c, a));
            double at = px_dot(px_sub(a, o), n) / px_dot(d, n);
            PxVec3 p = px_mad(o, d, at);
            /* on the inner side of all three edges */
            if (at > 0 && at < best && px_dot(px_cross(px_sub(b, a), px_sub(p, a)), n) >= 0 &&
                px_dot(px_cross(px_sub(c, b), px_sub(p, b)), n) >= 0 &&
                px_dot(px_cross(px_sub(a, c), px_sub(p, c)), n) >= 0)
                best = at;
        }
        PxMeshSpot spot;
        bool hit = px_mesh_tree_ray(tree, o, d, 0, INFINITY, &spot);
        CHECK(hit == isfinite(best));
        if (!hit)
            continue;
        ++hits;
        CHECK_NEAR(spot.distance, best, 1e-9 * (1 + best)); /* slivers of 1e-6 */
        CHECK(!px_mesh_tree_ray(tree, o, d, 0, 0.999 * best, &spot));
    }
    CHECK(hits > 100);
    px_mesh_tree_free(tree);
    px_mesh_free(mesh);
}

/* Does an edge of the first triangle go through the second? */
static bool pierces(const PxVec3 a[3], const PxVec3 b[3])
{
    for (int k = 0; k < 3; ++k) {
        PxVec3 way = px_sub(a[(k + 1) % 3], a[k]);
        PxVec3 n = px_cross(px_sub(b[1], b[0]), px_sub(b[2], b[0]));
        double at = px_dot(px_sub(b[0], a[k]), n) / px_dot(way, n);
        PxVec3 x = px_mad(a[k], way, at);
        bool inside = at >= 0 && at <= 1;
        for (int e = 0; e < 3; ++e)
            inside =
                inside && px_dot(px_cross(px_sub(b[(e + 1) % 3], b[e]), px_sub(x, b[e])), n) >= 0;
        if (inside)
            return true;
    }
    return false;
}

TEST(crossed_triangles_agree_with_a_search_over_all_triangles)
{
    PxMesh *mesh = soup(200);
    PxMeshTree *tree = make_tree(mesh);
    uint32_t crossed = 0;
    for (uint32_t t = 0; t < 200; ++t) {
        PxVec3 own[3], other[3];
        bool wanted = false;
        for (int c = 0; c < 3; ++c)
            own[c] = px_mesh_corner(mesh, t, c);
        for (uint32_t u = 0; u < 200; ++u) {
            for (int c = 0; c < 3; ++c)
                other[c] = px_mesh_corner(mesh, u, c);
            wanted = wanted || (u != t && (pierces(own, other) || pierces(other, own)));
        }
        CHECK(px_mesh_tree_crossed(tree, own[0], own[1], own[2]) == wanted);
        crossed += wanted;
    }
    CHECK(crossed > 20 && crossed < 180);
    px_mesh_tree_free(tree);
    px_mesh_free(mesh);
}

TEST(an_axis_ray_in_the_plane_of_a_box_side_is_not_lost)
{
    /* The face at x = 0.5 of the tree's boxes contains the origin's x. */
    PxMesh *box = mesh_box(px_vec(1, 1, 1));
    PxMeshTree *tree = make_tree(box);
    PxMeshSpot spot;
    CHECK(px_mesh_tree_ray(tree, px_vec(0.5, -3, 0.2), px_vec(0, 1, 0), 0, INFINITY, &spot));
    CHECK_NEAR(spot.distance, 2.5, 1e-15);
    px_mesh_tree_free(tree);
    px_mesh_free(box);
}

TEST(many_triangles_in_one_place_make_no_deep_tree)
{
    PxMesh *mesh = mesh_make(3, 5000);
    mesh->position[1] = px_vec(1, 0, 0);
    mesh->position[2] = px_vec(0, 1, 0);
    for (uint32_t t = 0; t < 5000; ++t)
        memcpy(mesh->triangle[t], (uint32_t[3]){0, 1, 2}, sizeof mesh->triangle[t]);
    PxMeshTree *tree = make_tree(mesh);
    PxMeshSpot spot;
    CHECK(px_mesh_tree_closest(tree, px_vec(0.2, 0.2, 3), INFINITY, &spot));
    CHECK_NEAR(spot.distance, 3, 1e-15);
    px_mesh_tree_free(tree);
    px_mesh_free(mesh);
}

TEST(a_mesh_without_area_has_no_tree)
{
    PxMesh *mesh = mesh_make(3, 1);
    mesh->position[1].x = 1;
    mesh->position[2].x = 2;
    mesh->triangle[0][1] = 1;
    mesh->triangle[0][2] = 2;
    PxMeshTree *tree;
    CHECK_FAILS(px_mesh_tree_create(mesh, &tree), PX_ERR_ARGUMENT,
                "none of the 1 triangles has an area");
    CHECK(tree == NULL);
    px_mesh_tree_free(NULL);
    px_mesh_free(mesh);
}

TEST_MAIN()
