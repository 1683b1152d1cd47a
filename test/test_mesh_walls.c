/// Walls that are meshes, by each way to find them: hash grid, tree, distance field and table.
#include "check.h"
#include "meshes.h"
#include "scenes.h"

#include "base/digest.h"
#include "base/random.h"
#include "matter/kernel.h"
#include "matter/wall_field.h"
#include "matter/wall_triangles.h"
#include "study/colon_room.h"
#include "study/tube_flows.h"
#include "world/world_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Near {
    PxShape *shape;
    PxWallTriangles *triangles;
    PxWallProfile profile;
} Near;

static void near_make(Near *n, const PxShapeDef *def, const PxMesh *mesh, bool inside,
                      PxTriangleSearch search, PxTreeRule rule)
{
    CHECK_OK(px_shape_create_from_mesh(def, mesh, "mesh", &n->shape));
    px_wall_profile_init(&n->profile, 2, 1);
    CHECK_OK(px_wall_triangles_create(n->shape, inside, search, rule, &n->triangles));
    CHECK_OK(px_wall_triangles_fit(n->triangles, &n->profile));
}

static void near_free(Near *n)
{
    px_wall_triangles_free(n->triangles);
    px_shape_free(n->shape);
}

static PxFill near_at(const Near *n, PxVec3 x)
{
    PxFill out;
    px_wall_triangles_ask(n->triangles, x, &out);
    return out;
}

TEST(triangles_of_a_flat_wall_fill_what_the_flat_wall_does)
{
    PxMesh *mesh = mesh_box(px_vec(16, 16, 16));
    PxShapeDef def = mesh_turned();
    Near n;
    near_make(&n, &def, mesh, true, PX_TRIANGLES_GRID, PX_TREE_LONGEST);
    double worst = 0, steepest = 0, apart = 0;
    for (int k = 0; k < 400; ++k) {
        double d = 1.2 * px_random_unit((uint64_t)k, 1, 0) + 0.02, part, slope;
        PxVec3 own = px_vec(8 - d, 12 * (px_random_unit((uint64_t)k, 1, 1) - 0.5),
                            12 * (px_random_unit((uint64_t)k, 1, 2) - 0.5));
        PxFill fill = near_at(&n, px_add(px_rotate(def.rotation, own), def.at));
        px_wall_profile_part(&n.profile, d, &part, &slope);
        PxVec3 normal = px_rotate(def.rotation, px_vec(-1, 0, 0));
        worst = fmax(worst, fabs(fill.part - part));
        steepest = fmax(steepest, px_length(px_sub(fill.gradient, px_scale(normal, slope))));
        apart = fmax(apart, fabs(fill.distance - d));
    }
    /* what the quadrature leaves along the diagonal */
    CHECK_NEAR(worst, 0, 0.004);
    CHECK_NEAR(steepest, 0, 0.02);
    CHECK_NEAR(apart, 0, 1e-9);
    near_free(&n);
    px_mesh_free(mesh);
}

/* Part of the kernel at the origin in lattice points behind one to three faces; see test_walls. */
static double lattice_part(int faces, bool all)
{
    double sum = 0;
    for (int i = -2; i <= 2; ++i)
        for (int j = -2; j <= 2; ++j)
            for (int k = -2; k <= 2; ++k) {
                int in = (i > 0) + (faces > 1 && j > 0) + (faces > 2 && k > 0);
                if (all ? in == faces : in > 0)
                    sum += px_kernel_value(2, sqrt(i * i + j * j + k * k));
            }
    return sum;
}

TEST(triangles_fill_edges_and_corners)
{
    PxMesh *mesh = mesh_box(px_vec(16, 16, 16));
    PxShapeDef def = mesh_turned();
    Near hollow, solid;
    near_make(&hollow, &def, mesh, true, PX_TRIANGLES_TREE, PX_TREE_SUM);
    near_make(&solid, &def, mesh, false, PX_TRIANGLES_GRID, PX_TREE_LONGEST);
    /* Measured: 1.5 per cent of the kernel too much in a concave edge and 4.2 in a corner, where
     * the nearest face alone is short by 13 and 24 and the table is within 0.3; 1.4 and 0.2 too
     * little at convex ones. */
    const double allowed[2][2] = {{0.02, 0.02}, {0.045, 0.005}};
    for (int faces = 2; faces <= 3; ++faces) {
        PxVec3 in = px_vec(7.5, 7.5, faces == 3 ? 7.5 : 1.3);
        PxVec3 out = px_vec(8.5, 8.5, faces == 3 ? 8.5 : 1.3);
        PxVec3 x = px_add(px_rotate(def.rotation, in), def.at);
        PxVec3 y = px_add(px_rotate(def.rotation, out), def.at);
        CHECK_NEAR(near_at(&hollow, x).part, lattice_part(faces, false), allowed[faces - 2][0]);
        CHECK_NEAR(near_at(&solid, y).part, lattice_part(faces, true), allowed[faces - 2][1]);
    }
    near_free(&hollow);
    near_free(&solid);
    px_mesh_free(mesh);
}

TEST(grid_and_every_tree_find_the_same)
{
    PxMesh *mesh = mesh_torus(4, 2, 40, 24);
    PxShapeDef def = mesh_turned();
    Near n[4];
    near_make(&n[0], &def, mesh, false, PX_TRIANGLES_GRID, PX_TREE_LONGEST);
    for (int rule = 0; rule < 3; ++rule)
        near_make(&n[1 + rule], &def, mesh, false, PX_TRIANGLES_TREE, (PxTreeRule)rule);
    for (uint64_t k = 0; k < 2000; ++k) {
        PxVec3 x =
            px_vec(18 * (px_random_unit(k, 2, 0) - 0.5), 10 * (px_random_unit(k, 2, 1) - 0.5),
                   18 * (px_random_unit(k, 2, 2) - 0.5));
        PxFill grid = near_at(&n[0], x);
        double exact = px_shape_distance(n[0].shape, x, NULL);
        CHECK_NEAR(grid.distance, fabs(exact) < 2 ? exact : 2, 1e-9);
        for (int rule = 0; rule < 3; ++rule) {
            PxFill tree = near_at(&n[1 + rule], x);
            CHECK_NEAR(tree.distance, grid.distance, 1e-12);
            CHECK_NEAR(tree.part, grid.part, 1e-12);
            CHECK_NEAR(px_length(px_sub(tree.gradient, grid.gradient)), 0, 1e-10);
        }
    }
    for (int k = 0; k < 4; ++k)
        near_free(&n[k]);
    px_mesh_free(mesh);
}

TEST(triangles_and_the_table_agree_on_a_round_wall)
{
    PxMesh *mesh = mesh_ball(6, 24);
    PxShapeDef def = mesh_turned();
    Near n;
    near_make(&n, &def, mesh, true, PX_TRIANGLES_TREE, PX_TREE_LONGEST);
    PxWallField *field[2]; /* the table, the distance field */
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(px_wall_field_create(n.shape, true, k == 1, NULL, &field[k]));
        CHECK_OK(px_wall_field_fit(field[k], &n.profile));
    }
    double part[2] = {0, 0}, gradient[2] = {0, 0};
    for (uint64_t k = 0; k < 60; ++k) {
        PxVec3 way =
            px_normalized(px_vec(px_random_unit(k, 3, 0) - 0.5, px_random_unit(k, 3, 1) - 0.5,
                                 px_random_unit(k, 3, 2) - 0.5),
                          px_vec(1, 0, 0));
        PxVec3 x = px_mad(def.at, way, 6 - 0.3 - 0.6 * px_random_unit(k, 3, 3));
        PxFill mine = near_at(&n, x), other;
        for (int f = 0; f < 2; ++f) {
            PxWallLook look = {0};
            if (!px_wall_field_ask(field[f], x, &look, &other)) {
                CHECK_OK(px_wall_field_grow(field[f], &look.key, 1, &(PxThreads){.count = 2}));
                look = (PxWallLook){0};
                CHECK(px_wall_field_ask(field[f], x, &look, &other));
            }
            part[f] = fmax(part[f], fabs(mine.part - other.part));
            gradient[f] = fmax(gradient[f], px_length(px_sub(mine.gradient, other.gradient)));
        }
    }
    /* measured 0.014, and 0.043 where the distance field takes a round wall for a flat one */
    CHECK_NEAR(part[0], 0, 0.02);
    CHECK_NEAR(part[1], 0, 0.05);
    for (int k = 0; k < 2; ++k)
        px_wall_field_free(field[k]);
    near_free(&n);
    px_mesh_free(mesh);
}

/* ---- worlds ------------------------------------------------------------------------------- */

static uint64_t colon_digest(int search, int response, int threads, PxStats *stats)
{
    PxColonRoomDef def = {.triangles = 1000,
                          .particles = 300,
                          .full = 0.2,
                          .walls = px_world_def_default().walls,
                          .threads = threads};
    def.walls.search = search;
    def.walls.response = response;
    PxColonRoom room;
    CHECK_OK(px_colon_room(&room, &def));
    for (int k = 0; k < 8; ++k)
        CHECK_OK(px_world_step(room.world, 10));
    px_world_stats(room.world, stats);
    const PxParticles *p = &room.world->particles;
    uint64_t x[2], v[2];
    px_digest(p->x, p->table.count * sizeof *p->x, x);
    px_digest(p->vy, p->table.count * sizeof *p->vy, v);
    px_world_free(room.world);
    return x[0] ^ v[1];
}

TEST(no_way_to_find_walls_leaks_or_depends_on_threads)
{
    for (int response = 0; response < 2; ++response)
        for (int search = PX_SEARCH_DISTANCE; search <= PX_SEARCH_TREE; ++search) {
            PxStats one, two;
            uint64_t a = colon_digest(search, response, 1, &one);
            uint64_t b = colon_digest(search, response, 2, &two);
            CHECK(a == b);
            CHECK(one.leaked == 0);
            CHECK(one.particles == 300);
        }
}

/* A drop that falls into the wedge of a mesh: 002 Figure 7.5. */
TEST(spheres_come_to_rest_in_a_corner)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.02;
    def.threads = 1;
    def.walls.search = PX_SEARCH_TREE;
    def.walls.response = PX_WALLS_SPHERES;
    def.walls.restitution = 0.5;
    def.walls.friction = 0.2;
    char path[] = "/tmp/phyxel-wedge-XXXXXX.obj";
    int file = mkstemps(path, 4);
    CHECK(file >= 0);
    close(file);
    FILE *out = fopen(path, "w");
    /* a hollow trough whose sides meet at the origin in a right angle */
    const double corner[6][3] = {{-0.3, 0.3, -0.2}, {0, 0, -0.2}, {0.3, 0.3, -0.2},
                                 {-0.3, 0.3, 0.2},  {0, 0, 0.2},  {0.3, 0.3, 0.2}};
    static const int face[8][3] = {{1, 3, 2}, {4, 5, 6}, {1, 2, 5}, {1, 5, 4},
                                   {2, 3, 6}, {2, 6, 5}, {1, 4, 6}, {1, 6, 3}};
    for (int k = 0; k < 6; ++k)
        fprintf(out, "v %g %g %g\n", corner[k][0], corner[k][1], corner[k][2]);
    for (int k = 0; k < 8; ++k)
        fprintf(out, "f %d %d %d\n", face[k][0], face[k][1], face[k][2]);
    CHECK(fclose(out) == 0);
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxBodyDef wall = px_body_def_default();
    wall.name = "trough";
    wall.shape = px_shape_def_default(PX_SHAPE_MESH);
    wall.shape.mesh = path;
    wall.wall = wall.inside = true;
    CHECK_OK(px_world_add_body(world, &wall, NULL));
    unlink(path);
    PxMaterialDef water = px_material_def_default();
    PxBodyDef drop = px_body_def_default();
    const PxVec3 at = {0.01, 0.12, 0.003};
    drop.name = "drop";
    drop.positions = 1;
    drop.position = &at;
    CHECK_OK(px_world_add_material(world, &water, &drop.material));
    CHECK_OK(px_world_add_body(world, &drop, NULL));
    double least = INFINITY, most = -INFINITY, fastest = 0;
    while (px_world_time(world) < 1) {
        CHECK_OK(px_world_step(world, 1));
        if (px_world_time(world) < 0.8)
            continue;
        double y = (double)world->particles.y[0], v = (double)world->particles.vy[0];
        least = fmin(least, y);
        most = fmax(most, y);
        fastest = fmax(fastest, fabs(v));
    }
    PxStats stats;
    px_world_stats(world, &stats);
    /* it touches both sides: half a spacing from each, hence sqrt(2) times that above the edge */
    CHECK_NEAR(0.5 * (least + most), sqrt(2) * 0.01, 0.0003);
    CHECK_NEAR(most - least, 0, 0.0002);
    CHECK_NEAR(fastest, 0, 0.001);
    CHECK(stats.leaked == 0);
    px_world_free(world);
}

/* ---- a table that is tilted ---------------------------------------------------------------- */

#define TILT                                                                                       \
    "{\"phyxel\": 1, \"spacing\": 0.1, \"time\": {\"frames\": 20, \"fps\": 10},\n"                 \
    "\"materials\": {\"water\": {\"density\": 1000}},\n"                                           \
    "\"bodies\": [{\"name\": \"drop\", \"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"material\": "      \
    "\"water\"}],\n"                                                                               \
    "\"events\": [{\"at\": 0.1, \"set\": \"gravity\", \"to\": [0, -8, 0]},"                        \
    " {\"at\": 0.2, \"over\": 1, \"set\": \"gravity\", \"to\": [10, 0, 0]}]}"

TEST(gravity_turns_over_a_time)
{
    PxScene *scene = scene_of(TILT);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_OK(px_world_advance(world, 0.15));
    CHECK_NEAR(world->def.gravity.y, -8, 1e-12);
    CHECK_OK(px_world_advance(world, 0.705)); /* at the middle of the 26th of 50 parts: 0.51 */
    double angle = 0.51 * 1.5707963267948966, size = 8 + 0.51 * 2;
    CHECK_NEAR(world->def.gravity.x, size * sin(angle), 1e-9);
    CHECK_NEAR(world->def.gravity.y, -size * cos(angle), 1e-9);
    CHECK_OK(px_world_advance(world, 1.3));
    CHECK_NEAR(world->def.gravity.x, 10, 1e-12);
    CHECK_NEAR(world->def.gravity.y, 0, 1e-12);
    px_world_free(world);
    px_scene_free(scene);
}

PHYSICS(flow_through_a_tube_of_triangles_is_poiseuilles)
{
    for (int search = PX_SEARCH_TABLE; search <= PX_SEARCH_TREE; search += 3) {
        PxTubeCase tube = {.cells = 10, .search = (PxWallSearch)search, .threads = 2};
        PxTubeResult result;
        CHECK_OK(px_tube_poiseuille(&tube, &result));
        CHECK_NEAR(result.fastest, 1, 0.05);
        CHECK(result.leaked == 0);
    }
}

TEST_MAIN()
