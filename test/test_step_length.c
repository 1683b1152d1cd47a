/// What limits a step of an implicit pressure model.
#include "check.h"

#include "study/peer_scenes.h"
#include "world/time_step.h"
#include "phyxel/scene.h"

#include <math.h>
#include <string.h>

static PxWorld *block(void)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.01;
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    PxMaterialId id;
    CHECK_OK(px_world_add_material(world, &water, &id));
    PxBodyDef body = px_body_def_default();
    body.name = "block";
    body.shape.size = (PxVec3){0.2, 0.2, 0.1};
    body.material = id;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    return world;
}

/* Speed that limits a step when `fast` of 4000 rows under pressure move at 10 m/s, others at 5. */
static double speed_of(uint32_t fast)
{
    PxWorld *world = block();
    PxParticles *p = &world->particles;
    CHECK_EQUAL(p->table.count, 4000);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        p->vx[i] = i < fast ? 10.0f : 5.0f;
        p->warm_pressure[i] = 1000.0f;
    }
    PxFluid fluid = {.count = p->table.count};
    px_time_step_speeds(world, &fluid);
    CHECK_NEAR(fluid.speed_max, fast > 0 ? 10 : 5, 1e-6);
    px_world_free(world);
    return fluid.speed_within;
}

TEST(the_fastest_in_a_thousand_do_not_shorten_steps)
{
    CHECK_NEAR(speed_of(0), 5, 1e-6);
    CHECK_NEAR(speed_of(4), 5, 0.5); /* the next of twelve shares above 5 */
    CHECK(speed_of(4) >= 5);
    CHECK_NEAR(speed_of(5), 10, 1e-6);
}

TEST(the_scenes_of_the_peer_are_scenes)
{
    const PxPeerScene *s;
    size_t k = 0;
    for (; (s = px_peer_scene(k)) != NULL; ++k) {
        PxScene *scene;
        CHECK_OK(px_scene_read_text(s->name, NULL, s->text, strlen(s->text), &scene));
        CHECK_EQUAL(px_scene_complaint_count(scene), 0);
        CHECK_NEAR(px_scene_frames(scene) / px_scene_fps(scene), s->seconds, 1e-6);
        px_scene_free(scene);
    }
    CHECK(k >= 8);
}

TEST_MAIN()
