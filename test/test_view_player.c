/// The player behind the window: the same bits as a run, frames that can be shown again, stored
/// runs, failures; and the camera.
#include "check.h"

#include "camera.h"
#include "player.h"
#include "runs.h"

#include <math.h>
#include <stdlib.h>

static PxScene *scene_of(const char *text)
{
    PxScene *scene = NULL;
    CHECK_OK(px_scene_read_text("scene", NULL, text, strlen(text), &scene));
    return scene;
}

/* The positions at a time of a world that nothing watches. */
static float *places_at(const char *text, double time, uint32_t *count)
{
    PxScene *scene = scene_of(text);
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    for (int frame = 1; frame / px_scene_fps(scene) <= time + 1e-9; ++frame)
        CHECK_OK(px_world_advance(world, frame / px_scene_fps(scene)));
    *count = px_world_count(world);
    float *x = malloc(*count * 3 * sizeof *x + 1);
    CHECK_OK(px_world_read_column(world, "position", x, *count * 3 * sizeof *x));
    px_world_free(world);
    px_scene_free(scene);
    return x;
}

TEST(the_player_thread_gives_the_bits_of_a_run)
{
    const char *text = TINY("tiny", "1000");
    uint32_t count;
    float *x = places_at(text, 2.0 / 150, &count);
    Player *player = player_open(scene_of(text), NULL, 2);
    CHECK(player != NULL);
    player_colour(player, "speed");
    player_unpaced(player, true);
    player_play(player, true);
    CHECK(player_wait(player, 2.0 / 150));
    const Shot *shot = player_shot(player, NULL);
    CHECK_EQUAL(shot->frame, 2);
    CHECK_EQUAL(shot->particles, count);
    for (uint32_t i = 0; i < count; ++i)
        CHECK(memcmp(&shot->place[4 * i], &x[3 * i], 3 * sizeof *x) == 0);
    CHECK_TEXT(shot->column, "speed");
    CHECK(shot->low >= 0 && shot->high > shot->low);
    PlayerStatus s = player_status(player);
    CHECK(s.live && !s.failed && s.last == 2 && s.total == 2);
    free(x);
    player_close(player);
}

TEST(the_player_thread_shows_past_frames_and_starts_again)
{
    Player *player = player_open(scene_of(TINY("tiny", "1000")), NULL, 1);
    bool fresh;
    player_step(player);
    player_step(player);
    CHECK(player_wait(player, 2.0 / 150));
    float last = player_shot(player, &fresh)->place[1];
    CHECK(fresh);
    CHECK(player_shot(player, &fresh) != NULL && !fresh);
    player_seek(player, 0);
    CHECK(player_wait(player, 0));
    CHECK_EQUAL(player_shot(player, NULL)->frame, 0);
    player_seek(player, 2);
    CHECK(player_wait(player, 0));
    CHECK(player_shot(player, NULL)->place[1] == last);
    player_restart(player);
    CHECK(player_wait(player, 0));
    CHECK_EQUAL(player_status(player).last, 0);
    /* closed while it works */
    player_play(player, true);
    player_close(player);
    player_close(NULL);
}

TEST(a_stored_run_plays_with_its_skins_and_rigid_bodies)
{
    Folder folder = folder_make();
    const char *text =
        "{\"phyxel\": 1, \"time\": {\"frames\": 2, \"fps\": 100}, \"spacing\": 0.1,"
        " \"materials\": {\"jelly\": {\"density\": 1000, \"young\": 1e4}, \"wood\": {\"density\": "
        "600}},"
        " \"bodies\": [{\"name\": \"cube\", \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 1, "
        "0]},"
        "   \"material\": \"jelly\", \"skin\": true},"
        "  {\"name\": \"ball\", \"shape\": {\"sphere\": 0.2, \"at\": [2, 1, 0]}, \"material\": "
        "\"wood\","
        "   \"rigid\": true},"
        "  {\"name\": \"floor\", \"shape\": {\"plane\": [0, 1, 0]}, \"wall\": true}]}";
    PxScene *scene = scene_of(text);
    PxRunDef run = px_run_def_default();
    run.out = folder.path;
    run.threads = 1;
    CHECK_OK(px_run(scene, &run, NULL, NULL, NULL));
    Player *stored = player_open(scene, folder.path, 1);
    Player *live = player_open(scene_of(text), NULL, 1);
    CHECK(stored != NULL && live != NULL);
    player_seek(stored, 2);
    CHECK(player_wait(stored, 0));
    player_unpaced(live, true);
    player_play(live, true);
    CHECK(player_wait(live, 0.02));
    const Shot *a = player_shot(stored, NULL), *b = player_shot(live, NULL);
    CHECK_EQUAL(a->frame, 2);
    CHECK_EQUAL(a->particles, b->particles);
    CHECK_EQUAL(a->surfaces, 1);
    CHECK_EQUAL(b->surfaces, 1);
    CHECK_EQUAL(a->surface[0].points, b->surface[0].points);
    CHECK_EQUAL(a->surface[0].triangles, b->surface[0].triangles);
    CHECK(a->surface[0].triangles > 0 && a->covered[0] == 1);
    for (uint32_t k = 0; k < 3 * a->surface[0].points; ++k)
        CHECK_NEAR((double)a->surface[0].position[k], (double)b->surface[0].position[k], 1e-6);
    CHECK_EQUAL(a->poses, 2);
    for (uint32_t k = 0; k < 2; ++k)
        CHECK_NEAR(a->pose[k].pose.move.y, b->pose[k].pose.move.y, 1e-12);
    CHECK(a->pose[0].pose.move.y < -1e-3); /* the ball falls */
    player_close(stored);
    player_close(live);
    folder_remove(&folder);
}

TEST(a_scene_that_fails_says_why_and_can_be_started_again)
{
    const char *text =
        "{\"phyxel\": 1, \"time\": {\"frames\": 5, \"fps\": 10}, \"spacing\": 0.1,"
        " \"min_step\": 0.01, \"max_step\": 0.02, \"materials\": {\"w\": {\"density\": 1000}},"
        " \"bodies\": [{\"name\": \"b\", \"shape\": {\"box\": [0.3, 0.3, 0.3]},"
        " \"material\": \"w\", \"velocity\": [1000, 0, 0]}]}";
    Player *player = player_open(scene_of(text), NULL, 1);
    player_step(player);
    CHECK(!player_wait(player, 0.1));
    PlayerStatus s = player_status(player);
    CHECK(s.failed && strstr(s.message, "step") != NULL);
    CHECK(player_shot(player, NULL) != NULL);
    player_restart(player);
    CHECK(player_wait(player, 0));
    CHECK(!player_status(player).failed);
    player_close(player);
}

TEST(a_camera_orbits_pans_zooms_and_fits)
{
    PxSceneCamera from = {{1.9, 1.2, 2.4}, {0.8, 0.35, 0.25}, 40};
    for (int k = 0; k < 2; ++k) {
        char up = k == 0 ? 'y' : 'z';
        Camera c = camera_from(&from, up);
        PxVec3 eye = camera_eye(&c), ray = camera_ray(&c, 1.5, 0.5, 0.5), r, u, f;
        CHECK_NEAR(eye.x, 1.9, 1e-12);
        CHECK_NEAR(eye.y, 1.2, 1e-12);
        CHECK_NEAR(eye.z, 2.4, 1e-12);
        CHECK_NEAR(eye.x + c.distance * ray.x, 0.8, 1e-12);
        CHECK_NEAR(eye.z + c.distance * ray.z, 0.25, 1e-12);
        camera_axes(&c, &r, &u, &f);
        CHECK(up == 'y' ? u.y > 0.5 && fabs(r.y) < 1e-12 : u.z > 0.2 && fabs(r.z) < 1e-12);
        camera_orbit(&c, 0.3, 10); /* stops before it turns over */
        CHECK(c.pitch < 1.571);
        camera_pan(&c, 0.1, 0);
        camera_zoom(&c, 0.5);
        camera_fit(&c, (PxVec3){0, 0, 0}, (PxVec3){2, 2, 2}, 1);
        CHECK_NEAR(c.target.x, 1, 1e-12);
        CHECK(c.distance > sqrt(3.0));
        Mat4 m = camera_view(&c);
        eye = camera_eye(&c); /* the view brings the eye to the origin */
        for (int row = 0; row < 3; ++row)
            CHECK_NEAR((double)m.m[row] * eye.x + (double)m.m[4 + row] * eye.y +
                           (double)m.m[8 + row] * eye.z + (double)m.m[12 + row],
                       0, 1e-5);
    }
}

TEST(cloth_is_a_surface_of_a_shot)
{
    const char *text =
        "{\"phyxel\": 1, \"time\": {\"frames\": 2, \"fps\": 60}, \"spacing\": 0.1, \"materials\": "
        "{\"linen\": {\"density\": 500, \"cloth\": {\"mass\": 0.2}}}, \"bodies\": [{\"name\": "
        "\"towel\", \"material\": \"linen\", \"shape\": {\"sheet\": {\"width\": 0.6, \"length\": "
        "0.4, "
        "\"columns\": 6, \"rows\": 4}, \"at\": [0, 1, 0]}}]}";
    Player *player = player_open(scene_of(text), NULL, 1);
    CHECK(player != NULL && player_wait(player, 0));
    const Shot *shot = player_shot(player, NULL);
    CHECK_EQUAL(shot->surfaces, 1);
    const ShotSurface *f = &shot->surface[0];
    CHECK(f->sheet && f->triangles > 0 && f->points > 3);
    double area = 0;
    for (uint32_t t = 0; t < f->triangles; ++t) {
        double e[2][3], n = 0;
        for (int k = 0; k < 2; ++k)
            for (int c = 0; c < 3; ++c)
                e[k][c] =
                    (double)(f->position[3 * f->triangle[3 * t + (uint32_t)k + 1] + (uint32_t)c] -
                             f->position[3 * f->triangle[3 * t] + (uint32_t)c]);
        for (int c = 0; c < 3; ++c)
            n += pow(e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3],
                     2);
        area += 0.5 * sqrt(n);
    }
    CHECK_NEAR(area, 0.24, 1e-5);
    player_close(player);
}

TEST_MAIN()
