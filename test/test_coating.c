/// Films that liquids leave on walls: which points they cover, on walls that move and deform, and
/// in the player's thread.
#include "check.h"

#include "phyxel/phyxel.h"

#include <math.h>
#include <stdlib.h>

static const char scene_text[] =
    "{\"phyxel\": 1, \"spacing\": 0.1, \"materials\": {\"water\": {\"density\": 1000}, \"barium\": "
    "{\"density\": 1620, \"look\": {\"kind\": \"glossy\", \"colour\": [1, 1, 1], \"film\": "
    "0.003}}, "
    "\"paint\": {\"density\": 1200, \"look\": {\"kind\": \"glossy\", \"colour\": [1, 0, 0], "
    "\"film\": "
    "0.001}}}, \"bodies\": [{\"name\": \"block\", \"shape\": {\"box\": [1, 0.5, 0.8]}, \"wall\": "
    "true}]}";

enum { WATER, BARIUM, PAINT };

typedef struct Room {
    PxScene *scene;
    PxDisplay *display;
    PxCoating *coating;
    PxCoatedBody body;
    PxFilmPoint *film;
} Room;

static Room room(void)
{
    Room r;
    CHECK_OK(px_scene_read_text("scene", NULL, scene_text, strlen(scene_text), &r.scene));
    CHECK_OK(px_display_make(r.scene, &r.display));
    CHECK(px_coating_wanted(r.display));
    CHECK_OK(px_coating_make(r.display, &r.coating));
    CHECK(px_coating_body(r.coating, 0, &r.body));
    CHECK(!px_coating_body(r.coating, 1, &r.body) || r.body.points > 0);
    CHECK(px_coating_body(r.coating, 0, &r.body));
    CHECK_EQUAL(r.body.points, px_coating_count(r.coating));
    r.film = calloc(r.body.points, sizeof *r.film);
    return r;
}

static void leave(Room *r)
{
    free(r->film);
    px_coating_free(r->coating);
    px_display_free(r->display);
    px_scene_free(r->scene);
}

TEST(points_lie_on_the_wall_and_are_no_farther_apart_than_particles)
{
    Room r = room();
    double area = 0;
    for (uint32_t i = 0; i < r.body.points; ++i) {
        const float *x = r.body.position[i];
        double out = fmax(fmax(fabs((double)x[0]) - 0.5, fabs((double)x[1]) - 0.25),
                          fabs((double)x[2]) - 0.4);
        CHECK_NEAR(out, 0, 1e-6);
    }
    for (uint32_t t = 0; t < r.body.triangles; ++t) {
        double e[2][3], n[3];
        const uint32_t *c = r.body.triangle[t];
        for (int k = 0; k < 2; ++k)
            for (int a = 0; a < 3; ++a)
                e[k][a] = (double)(r.body.position[c[k + 1]][a] - r.body.position[c[0]][a]);
        for (int a = 0; a < 3; ++a)
            n[a] = e[0][(a + 1) % 3] * e[1][(a + 2) % 3] - e[0][(a + 2) % 3] * e[1][(a + 1) % 3];
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 2; ++k)
            CHECK(sqrt(e[k][0] * e[k][0] + e[k][1] * e[k][1] + e[k][2] * e[k][2]) < 0.1 + 1e-6);
    }
    CHECK_NEAR(area, 2 * (0.5 + 0.8 + 0.4), 1e-5); /* the lattice covers the box once */
    leave(&r);
}

TEST(a_particle_covers_the_points_within_two_of_its_radii_and_the_film_stays)
{
    Room r = room();
    PxPose pose = {.turn = {.w = 1}};
    const float place[4] = {0.11f, 0.3f, 0.02f, 0.05f};
    uint32_t material = WATER, covered = 0;
    CHECK_OK(px_coating_touch(r.coating, 0, &pose, (PxVec3){0, 0, 0}, place, &material, 1));
    CHECK_OK(px_coating_get(r.coating, r.film));
    for (uint32_t i = 0; i < r.body.points; ++i)
        CHECK(r.film[i].film == 0); /* water leaves none */
    material = BARIUM;
    CHECK_OK(px_coating_touch(r.coating, 0, &pose, (PxVec3){0, 0, 0}, place, &material, 1));
    material = PAINT; /* thinner */
    CHECK_OK(px_coating_touch(r.coating, 0, &pose, (PxVec3){0, 0, 0}, place, &material, 1));
    CHECK_OK(px_coating_touch(r.coating, 0, &pose, (PxVec3){0, 0, 0}, NULL, NULL, 0));
    CHECK_OK(px_coating_get(r.coating, r.film));
    for (uint32_t i = 0; i < r.body.points; ++i) {
        double d = 0;
        for (int a = 0; a < 3; ++a)
            d += pow((double)r.body.position[i][a] - (double)place[a], 2);
        CHECK_EQUAL(r.film[i].film > 0, sqrt(d) < 0.1);
        covered += r.film[i].film > 0;
        if (r.film[i].film > 0) {
            CHECK_NEAR(r.film[i].film, 0.003, 1e-9);
            CHECK_EQUAL(r.film[i].material, BARIUM);
        }
    }
    CHECK(covered > 0);
    CHECK_OK(px_coating_set(r.coating, NULL));
    CHECK_OK(px_coating_get(r.coating, r.film));
    for (uint32_t i = 0; i < r.body.points; ++i)
        CHECK(r.film[i].film == 0);
    leave(&r);
}

TEST(a_wall_that_has_moved_and_turned_is_covered_where_it_is)
{
    Room r = room();
    /* a quarter turn about z, then 2 m along x: the face y = 0.25 looks along -x */
    PxPose pose = {.move = {2, 0, 0}, .turn = {.z = sqrt(0.5), .w = sqrt(0.5)}};
    const float place[4] = {2 - 0.3f, 0.11f, 0.02f, 0.05f};
    uint32_t material = BARIUM, covered = 0;
    CHECK_OK(px_coating_touch(r.coating, 0, &pose, (PxVec3){0, 0, 0}, place, &material, 1));
    CHECK_OK(px_coating_get(r.coating, r.film));
    for (uint32_t i = 0; i < r.body.points; ++i)
        if (r.film[i].film > 0) {
            ++covered;
            CHECK_NEAR(r.body.position[i][1], 0.25, 1e-6);
            CHECK(fabs((double)r.body.position[i][0] - 0.11) < 0.1);
        }
    CHECK(covered > 0);
    leave(&r);
}

TEST_MAIN()
