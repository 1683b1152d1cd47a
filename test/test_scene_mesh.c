/// Meshes from end to end: a ring in a file becomes matter, and a sink.
#include "check.h"
#include "folder.h"
#include "meshes.h"

#include "phyxel/scene.h"
#include "shape/shape.h"

static void write_ring(const char *path)
{
    PxMesh *ring = mesh_torus(0.3, 0.1, 48, 24);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    for (uint32_t k = 0; k < ring->vertex_count; ++k)
        fprintf(file, "v %.17g %.17g %.17g\n", ring->position[k].x, ring->position[k].y,
                ring->position[k].z);
    for (uint32_t k = 0; k < ring->triangle_count; ++k)
        fprintf(file, "f %u %u %u\n", ring->triangle[k][0] + 1, ring->triangle[k][1] + 1,
                ring->triangle[k][2] + 1);
    fclose(file);
    px_mesh_free(ring);
}

static PxWorld *world_of(Folder *folder, const char *text)
{
    PxScene *scene = NULL;
    PxWorld *world;
    CHECK_OK(px_scene_read_text("ring.json", folder_file(folder, "."), text, strlen(text), &scene));
    CHECK_OK(px_scene_check(scene));
    CHECK_OK(px_scene_world(scene, 1, &world));
    px_scene_free(scene);
    return world;
}

#define HEAD                                                                                       \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0],\n"                                 \
    " \"materials\": {\"water\": {\"density\": 1000}},\n"

TEST(a_ring_from_a_file_is_filled_turned_and_scaled)
{
    Folder folder = folder_make();
    write_ring(folder_file(&folder, "ring.obj"));
    PxWorld *world =
        world_of(&folder, HEAD " \"bodies\": [{\"material\": \"water\", \"shape\": {\"mesh\": "
                               "\"ring.obj\", \"scale\": 1.5, \"at\": [1, 2, 3],\n"
                               "  \"turn\": {\"axis\": [1, 0, 0], \"degrees\": 90}}}]}");
    /* the ring's volume is 2 pi^2 R r^2, and 2 per cent less for this polygon */
    double volume = 2 * M_PI * M_PI * 0.45 * 0.15 * 0.15, s3 = 8e-6;
    CHECK_NEAR(px_world_count(world) * s3, 0.985 * volume, 0.015 * volume);
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        double x = (double)px_world_floats(world, "position", 0)[i] - 1;
        double y = (double)px_world_floats(world, "position", 1)[i] - 2;
        double z = (double)px_world_floats(world, "position", 2)[i] - 3;
        /* it stands about z now; in the hole its 48 chords reach 0.3 (1 - cos 3.75) inwards */
        CHECK(hypot(hypot(x, y) - 0.45, z) < 0.1507);
    }
    CHECK_OK(px_world_advance(world, 0.02));
    PxStats stats;
    px_world_stats(world, &stats);
    /* a lattice cut off by a surface is not compressed: nothing flies apart */
    CHECK(stats.density_error_max < 1.5 && stats.speed_max < 0.3);
    px_world_free(world);
    folder_remove(&folder);
}

TEST(a_sink_shaped_as_a_ring_removes_only_particles_inside_it)
{
    Folder folder = folder_make();
    write_ring(folder_file(&folder, "ring.obj"));
    PxWorld *world =
        world_of(&folder, HEAD " \"bodies\": [{\"material\": \"water\", \"shape\": {\"box\": "
                               "[0.9, 0.1, 0.9]}}],\n"
                               /* offset from the lattice, so that no particle lies on its faces */
                               " \"sinks\": [{\"shape\": {\"mesh\": \"ring.obj\", "
                               "\"at\": [0.0013, 0.0007, 0.0011]}}]}");
    uint32_t before = px_world_count(world), inside = 0;
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    def.mesh = folder_file(&folder, "ring.obj");
    def.at = px_vec(0.0013, 0.0007, 0.0011);
    PxShape *ring = NULL;
    CHECK_OK(px_shape_create(&def, &ring));
    for (uint32_t i = 0; i < before; ++i)
        inside += px_shape_inside(ring, px_vec((double)px_world_floats(world, "position", 0)[i],
                                               (double)px_world_floats(world, "position", 1)[i],
                                               (double)px_world_floats(world, "position", 2)[i]));
    CHECK_OK(px_world_step(world, 1e-5)); /* in which nothing moves by a thousandth */
    CHECK(inside > 1000);
    CHECK_EQUAL(px_world_count(world), before - inside);
    px_shape_free(ring);
    px_world_free(world);
    folder_remove(&folder);
}

/* Two boxes in one file, 2 and 3 m above the origin, of 0.2 and 0.3 m. */
static void write_boxes(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    for (int b = 0; b < 2; ++b) {
        double half = 0.1 + 0.05 * b;
        fprintf(file, "o %s\n", b == 0 ? "small" : "large");
        for (int k = 0; k < 8; ++k)
            fprintf(file, "v %g %g %g\n", k & 1 ? half : -half, 2 + b + (k & 2 ? half : -half),
                    k & 4 ? half : -half);
        static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
        for (int f = 0; f < 6; ++f)
            fprintf(file, "f %d %d %d %d\n", face[f][0] + 1 + 8 * b, face[f][1] + 1 + 8 * b,
                    face[f][2] + 1 + 8 * b, face[f][3] + 1 + 8 * b);
    }
    fclose(file);
}

TEST(objects_of_one_file_are_bodies)
{
    Folder folder = folder_make();
    write_boxes(folder_file(&folder, "set.obj"));
#define BOXES(part)                                                                                \
    HEAD " \"bodies\": [{\"name\": \"a\", \"material\": \"water\", \"shape\": {\"mesh\":\n"        \
         "  {\"file\": \"set.obj\", \"part\": \"" part "\"}, \"at\": [0, 0.5, 0]}},\n"             \
         "  {\"name\": \"b\", \"wall\": true, \"shape\": {\"mesh\": {\"file\": \"set.obj\",\n"     \
         "  \"part\": \"large\"}}}]}"
    PxWorld *world = world_of(&folder, BOXES("small"));
    CHECK_EQUAL(px_world_count(world), 1000);
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        CHECK_NEAR(px_world_floats(world, "position", 1)[i], 2.5, 0.1);
    px_world_free(world);

    PxScene *small = NULL, *large = NULL, *again = NULL;
    const char *text = BOXES("small"), *other = BOXES("large");
    CHECK_OK(px_scene_read_text("a.json", folder_file(&folder, "."), text, strlen(text), &small));
    CHECK_OK(px_scene_read_text("a.json", folder_file(&folder, "."), other, strlen(other), &large));
    CHECK(strcmp(px_scene_hash(small), px_scene_hash(large)) != 0);
    const char *resolved = px_scene_resolved(small);
    CHECK(strstr(resolved, "\"part\": \"small\"") != NULL);
    CHECK(strstr(resolved, "\"fps\": 30}}") == NULL); /* nothing about poses */
    CHECK_OK(px_scene_read_text("a.json", "/", resolved, strlen(resolved), &again));
    CHECK_OK(px_scene_check(again));
    CHECK(strcmp(px_scene_hash(small), px_scene_hash(again)) == 0);
    px_scene_free(small);
    px_scene_free(large);
    px_scene_free(again);
    folder_remove(&folder);
}

TEST_MAIN()
