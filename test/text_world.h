/// Worlds of scenes that a test states as text, and their statistics.
#ifndef PX_TEST_TEXT_WORLD_H
#define PX_TEST_TEXT_WORLD_H

#include "scenes.h"

/// The world of a scene without complaints.
static inline PxWorld *world_of(const char *text, int threads)
{
    PxScene *scene = scene_of(text);
    PxWorld *world;
    print_complaints(scene);
    CHECK_OK(px_scene_world(scene, threads, &world));
    px_scene_free(scene);
    return world;
}

static inline PxStats stats_of(PxWorld *world)
{
    PxStats stats;
    px_world_stats(world, &stats);
    return stats;
}

#endif
