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

TEST_MAIN()
