/// The shipped scenes: nothing to complain about, and nothing lost in a short, coarse run.
#include "shipped.h"

TEST(shipped_scenes_are_without_complaint)
{
    char name[SHIPPED_MOST][64];
    size_t count = shipped_names(name);
    CHECK(count >= 11);
    for (size_t k = 0; k < count; ++k) {
        PxScene *scene = shipped_read(name[k]);
        px_scene_check(scene);
        CHECK_COUNT(scene, 0);
        PxSceneCamera camera;
        CHECK(px_scene_camera(scene, &camera));
        PxSceneEstimate estimate;
        CHECK_OK(px_scene_estimate(scene, 2, &estimate));
        CHECK(estimate.particles > 5000 && estimate.particles < 150000);
        double seconds = px_scene_frames(scene) / px_scene_fps(scene);
        CHECK(seconds >= 2 && seconds <= 6);
        PxWorld *world = NULL;
        CHECK_OK(px_scene_world(scene, 1, &world));
        bool octree = false;
        for (size_t i = 0; i < scene->bodies; ++i)
            octree |= scene->body[i].def.fill == PX_FILL_OCTREE;
        if (scene->emitters == 0) /* the estimate is the volume over that of a particle */
            CHECK_NEAR(px_world_count(world) / estimate.particles, 1, octree ? 0.25 : 0.05);
        px_world_free(world);
        px_scene_free(scene);
    }
}

static void run(const char *name, double size, double seconds)
{
    char what[100];
    PxScene *scene = shipped_read(name);
    shipped_scale(scene, size, 2);
    snprintf(what, sizeof what, "%s x %g", name, size);
    Shipped s = shipped_run(scene, what, seconds, 1);
    shipped_judge(&s, what);
    px_scene_free(scene);
}

TEST(shipped_scenes_lose_nothing)
{
    char name[SHIPPED_MOST][64];
    size_t count = shipped_names(name);
    for (size_t k = 0; k < count; ++k)
        run(name[k], 1, 0.4);
}

TEST(a_quarter_and_four_times_their_size_they_hold_too)
{
    /* all of them, to the end: test_scenes_slow */
    run("dam-break.json", 0.25, 0.3);
    run("dam-break.json", 4, 0.8);
    run("fountain.json", 0.25, 0.3);
    run("fountain.json", 4, 0.3);
}

TEST_MAIN()
