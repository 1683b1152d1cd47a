/// Camera, picture and lights of a scene.
#include "scenes.h"

#include "render/trace/ground.h"
#include "base/vec.h"
#include "scene/content.h"

#include <math.h>

#define SCENE(more)                                                                                \
    "{\"phyxel\": 1, \"spacing\": 0.1, \"materials\": {\"water\": {\"density\": 1000}}, "          \
    "\"bodies\": [{\"name\": \"a\", \"shape\": {\"sphere\": 0.3}, \"material\": \"water\"}]" more  \
    "}"

TEST(a_camera_moves_through_its_list)
{
    PxScene *scene = scene_of(SCENE(
        ", \"camera\": [{\"from\": [0, 0, 4], \"to\": [0, 0, 0]}, {\"at\": 1, \"from\": [2, 0, "
        "4], \"to\": [1, 0, 0], \"ease\": \"linear\"}, {\"at\": 3, \"from\": [4, 0, 4], "
        "\"to\": [1, 0, 0], \"fov\": 20, \"ease\": \"stop\"}, {\"at\": 4, \"from\": [0, 0, "
        "4], \"to\": [1, 0, 0]}]"));
    CHECK_COUNT(scene, 0);
    CHECK_NEAR(px_scene_camera_at(scene, -1).from.x, 0, 1e-12);
    CHECK_NEAR(px_scene_camera_at(scene, 0.25).from.x, 0.5, 1e-12);
    CHECK_NEAR(px_scene_camera_at(scene, 0.25).to.x, 0.25, 1e-12);
    CHECK_NEAR(px_scene_camera_at(scene, 1.5).from.x, 2 + 2 * 0.15625, 1e-12); /* 3 u^2 - 2 u^3 */
    CHECK_NEAR(px_scene_camera_at(scene, 2).fov, 30, 1e-12);
    CHECK_NEAR(px_scene_camera_at(scene, 9).from.x, 0, 1e-12);
    /* the smooth way arrives at its ends, and rests at the last */
    CHECK_NEAR(px_scene_camera_at(scene, 3).from.x, 4, 1e-12);
    CHECK_NEAR(px_scene_camera_at(scene, 3.999).from.x, 0, 2e-5);
    PxScene *again = scene_of(px_scene_resolved(scene));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_resolved(again), px_scene_resolved(scene));
    px_scene_free(again);
    CHECK(px_scene_set(scene, "camera[2].at", "0.5") == PX_ERR_FORMAT);
    px_scene_free(scene);
}

TEST(keyframes_are_eased)
{
    PxScene *scene = scene_of(
        "{\"phyxel\": 1, \"spacing\": 0.1, \"bodies\": [{\"name\": \"a\", \"wall\": true, "
        "\"shape\": {\"sphere\": 0.3}, \"keyframes\": [{\"at\": 1, \"move\": [1, 0, 0], "
        "\"ease\": \"stop\"}, {\"at\": 2, \"move\": [3, 0, 0], \"turn\": {\"axis\": [0, 1, 0], "
        "\"degrees\": 720}, \"ease\": \"smooth\"}, {\"at\": 3, \"move\": [3, 1, 0]}]}]}");
    CHECK_COUNT(scene, 0);
    const PxSceneThing *thing = &scene->body[0].is;
    size_t count = px_scene_keyframes(thing->keyframe, thing->keyframes, NULL);
    PxKeyframe *key = calloc(count, sizeof *key);
    CHECK_EQUAL(px_scene_keyframes(thing->keyframe, thing->keyframes, key), count);
    double last = -1, turned = 0;
    for (size_t k = 0; k < count; ++k) {
        CHECK(key[k].time > last);
        last = key[k].time;
        if (fabs(key[k].time - 0.5) < 1e-9)
            CHECK_NEAR(key[k].at.x, 0.5, 1e-9);
        if (fabs(key[k].time - 0.25) < 1e-9)
            CHECK_NEAR(key[k].at.x, 0.15625, 1e-9); /* 3 u^2 - 2 u^3 */
        if (k > 0) {                                /* no piece turns by more than a third */
            PxQuat a = key[k - 1].rotation, b = key[k].rotation;
            double c = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
            CHECK(c > 0.4999);
            turned += 2 * acos(fmin(1, c));
        }
    }
    CHECK_NEAR(turned, 8 * atan(1) * 4, 0.02); /* there and, linearly, back again */
    CHECK_NEAR(key[count - 1].at.y, 1, 1e-12);
    PxScene *again = scene_of(px_scene_resolved(scene));
    CHECK_TEXT(px_scene_hash(again), px_scene_hash(scene));
    px_scene_free(again);
    px_scene_free(scene);
    free(key);
}

/* Half a circle of radius 1 by nine places, in 2 s. */
TEST(ways_are_followed_at_constant_speed_and_faced)
{
    char text[2000] = "{\"phyxel\": 1, \"spacing\": 0.1, \"bodies\": [{\"name\": \"a\", "
                      "\"wall\": true, \"shape\": {\"sphere\": 0.3}, \"keyframes\": ["
                      "{\"at\": 1, \"move\": [1, 0, 0]}";
    for (int k = 1; k < 9; ++k) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ", {%s\"move\": [%.9f, 0, %.9f]%s}",
                 k == 8 ? "\"at\": 3, " : "", cos(k * M_PI / 8), sin(k * M_PI / 8),
                 k == 8 ? ", \"face\": true" : "");
    }
    strcat(text, "]}]}");
    PxScene *scene = scene_of(text);
    CHECK_COUNT(scene, 0);
    const PxSceneThing *thing = &scene->body[0].is;
    size_t count = px_scene_keyframes(thing->keyframe, thing->keyframes, NULL);
    PxKeyframe *key = calloc(count, sizeof *key);
    px_scene_keyframes(thing->keyframe, thing->keyframes, key);
    CHECK_EQUAL(count, 2 + 240);
    for (size_t k = 2; k < count; ++k) {
        CHECK_NEAR(px_length(key[k].at), 1, 0.01); /* on the circle */
        double speed =
            px_length(px_sub(key[k].at, key[k - 1].at)) / (key[k].time - key[k - 1].time);
        CHECK_NEAR(speed, M_PI / 2, 0.01 * M_PI);
    }
    /* From its first chord to its last one it turns by 180 degrees but for a part of the eighth;
     * the way from +z to -z over -x is one to the left, which is about -y. */
    PxVec3 turn = px_quat_rotation(key[count - 1].rotation);
    CHECK_NEAR(px_length(turn), M_PI, 0.25);
    CHECK(fabs(turn.y) > 0.99 * px_length(turn));
    CHECK_NEAR(px_length(px_quat_rotation(key[(count + 1) / 2].rotation)), M_PI / 2, 0.13);
    PxScene *again = scene_of(px_scene_resolved(scene));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_hash(again), px_scene_hash(scene));
    px_scene_free(again);
    px_scene_free(scene);
    free(key);
}

TEST(pictures_do_not_change_the_hash_of_a_scene)
{
    PxScene *plain = scene_of(SCENE(""));
    PxScene *shown = scene_of(
        SCENE(", \"camera\": {\"from\": [0, 0, 4], \"to\": [0, 0, 0]}, \"picture\": {\"set\": "
              "\"night\", \"ground\": \"wood\", \"sky\": [1, 0, 0]}, \"lights\": [{\"at\": [0, 1, "
              "0], \"radius\": 0.1, \"colour\": [1, 0.5, 0]}]"));
    CHECK_COUNT(shown, 0);
    CHECK_TEXT(px_scene_hash(plain), px_scene_hash(shown));
    CHECK(shown->lamps == 1 && shown->picture.ground == PX_SCENE_WOOD);
    PxScene *again = scene_of(px_scene_resolved(shown));
    CHECK_COUNT(again, 0);
    CHECK_TEXT(px_scene_resolved(again), px_scene_resolved(shown));
    CHECK(isnan(again->picture.horizon.x) && again->picture.sky.x == 1);
    px_scene_free(again);
    CHECK(px_scene_set(shown, "picture.set", "party") == PX_ERR_FORMAT);
    px_scene_free(plain);
    px_scene_free(shown);
}

TEST(patterns_of_the_ground_repeat)
{
    PxGround g = {.pattern = PX_PATTERN_CHECKER, .colour = {0.5f, 0.5f, 0.5f}, .tile = 0.2f};
    CHECK_NEAR(px_ground_colour(&g, px_v3(0.1f, 0, 0.1f)).x, 0.5, 1e-6);
    CHECK_NEAR(px_ground_colour(&g, px_v3(0.3f, 0, 0.1f)).x, 0.175, 1e-6);
    CHECK_NEAR(px_ground_colour(&g, px_v3(0.3f, 0, -0.1f)).x, 0.5, 1e-6);
    g.pattern = PX_PATTERN_WOOD;
    for (int k = 0; k < 1000; ++k) {
        PxV3 c = px_ground_colour(&g, px_v3(0.013f * (float)k, 0, 0.007f * (float)k));
        CHECK(c.x >= c.y && c.y >= c.z && c.z > 0 && c.x <= 0.5f); /* no lighter than stated */
    }
}

TEST_MAIN()
