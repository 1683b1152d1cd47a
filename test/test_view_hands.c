/// Hands: what is done in the window, written into the scene and run without a window, gives the
/// same bits; undo returns to the bits before.
#include "check.h"

#include "hands.h"
#include "folder.h"
#include "pick.h"
#include "place.h"
#include "player.h"
#include "record.h"

#include <stdlib.h>
#include <time.h>

#define FLOOR "{\"name\": \"floor\", \"shape\": {\"plane\": [0, 1, 0]}, \"wall\": true}"
#define TANK                                                                                       \
    "{\"name\": \"tank\", \"shape\": {\"box\": [1, 1, 0.5], \"at\": [0, 0.5, 0]}, \"wall\": "      \
    "true, "                                                                                       \
    "\"inside\": true}"
#define WATER                                                                                      \
    "{\"name\": \"pool\", \"shape\": {\"box\": [1, 0.3, 0.5], \"at\": [0, 0.15, 0]}, "             \
    "\"material\": \"water\"}"
#define JELLY                                                                                      \
    "{\"name\": \"cube\", \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 0.6, 0]}, "            \
    "\"material\": \"jelly\"}"
#define WAX                                                                                        \
    "{\"name\": \"lump\", \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [0, 0.6, 0]}, "            \
    "\"material\": \"wax\", \"temperature\": 20}"
#define BALL                                                                                       \
    "{\"name\": \"ball\", \"shape\": {\"sphere\": 0.15, \"at\": [0, 0.6, 0]}, \"material\": "      \
    "\"wood\", \"rigid\": true}"
#define SCENE(bodies)                                                                              \
    "{\"phyxel\": 1, \"time\": {\"frames\": 12, \"fps\": 60}, \"spacing\": 0.06,"                  \
    " \"materials\": {\"water\": {\"density\": 1000}, \"wood\": {\"density\": 600},"               \
    " \"jelly\": {\"density\": 1000, \"young\": 2e4, \"damping\": 5},"                             \
    " \"wax\": {\"density\": 900, \"young\": 2e4, \"diffusivity\": 1e-4, \"melts\": {\"from\": "   \
    "40, "                                                                                         \
    "\"to\": 60}}},"                                                                               \
    " \"bodies\": [" bodies "]}"

enum { FRAMES = 12, MOST_ACTS = 24 };

/* An act before the frame of that number. */
typedef struct Timed {
    int frame;
    Act act;
} Timed;

typedef struct Result {
    uint32_t count;
    float *place; /* sorted by id */
    uint64_t *id;
    PxVec3 ball;
} Result;

static int by_id(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static Result result_of(PxWorld *world)
{
    typedef struct Row {
        uint64_t id;
        float x[6];
    } Row;
    Result r = {.count = px_world_count(world)};
    Row *row = calloc(r.count + 1, sizeof *row);
    for (uint32_t i = 0; i < r.count; ++i) {
        row[i].id = px_world_ids(world)[i];
        for (int c = 0; c < 3; ++c) {
            row[i].x[c] = px_world_floats(world, "position", c)[i];
            row[i].x[3 + c] = px_world_floats(world, "velocity", c)[i];
        }
    }
    qsort(row, r.count, sizeof *row, by_id);
    r.place = calloc(r.count * 6 + 1, sizeof *r.place);
    r.id = calloc(r.count + 1, sizeof *r.id);
    for (uint32_t i = 0; i < r.count; ++i) {
        r.id[i] = row[i].id;
        memcpy(&r.place[6 * i], row[i].x, sizeof row[i].x);
    }
    free(row);
    PxBodyId id;
    PxRigidState state = {0};
    if (px_world_find_body(world, "ball", &id) == PX_OK &&
        px_world_rigid_state(world, id, &state) == PX_OK)
        r.ball = state.place;
    return r;
}

static void result_free(Result *r)
{
    free(r->place);
    free(r->id);
}

static void check_same(const Result *a, const Result *b)
{
    CHECK_EQUAL(a->count, b->count);
    CHECK(memcmp(a->id, b->id, a->count * sizeof *a->id) == 0);
    double most = 0;
    for (size_t k = 0; k < 6 * (size_t)a->count; ++k)
        most = fmax(most, fabs((double)a->place[k] - (double)b->place[k]));
    CHECK_NEAR(most, 0, 0);
    CHECK(memcmp(&a->ball, &b->ball, sizeof a->ball) == 0);
}

static PxWorld *world_of(const char *text, PxScene **scene)
{
    PxWorld *world;
    PxStatus status = px_scene_read_text("scene", NULL, text, strlen(text), scene);
    for (size_t k = 0; k < px_scene_complaint_count(*scene); ++k)
        if (px_scene_complaint(*scene, k)->severity == PX_ERROR)
            fail_msg("%s: %s", px_scene_complaint(*scene, k)->place,
                     px_scene_complaint(*scene, k)->text);
    CHECK_OK(status);
    CHECK_OK(px_scene_world(*scene, 1, &world));
    return world;
}

/* Runs a scene with acts, and the scene that they were written into without any. */
static void check_bits(const char *text, const Timed *timed, size_t count)
{
    PxScene *scene;
    Hands *hands = hands_create();
    PxWorld *world = world_of(text, &scene);
    for (int frame = 0; frame < FRAMES; ++frame) {
        for (size_t k = 0; k < count; ++k)
            if (timed[k].frame == frame)
                CHECK_OK(hands_act(hands, world, &timed[k].act, (frame + 1) / px_scene_fps(scene)));
        CHECK_OK(hands_frame(hands, world, (frame + 1) / px_scene_fps(scene)));
        CHECK_OK(px_world_advance(world, (frame + 1) / px_scene_fps(scene)));
        CHECK_OK(px_world_take_means(world));
    }
    Result by_hand = result_of(world);
    px_world_free(world);
    px_scene_free(scene);
    char *written = hands_scene(hands, text);
    CHECK(written != NULL);
    world = world_of(written, &scene);
    for (int frame = 0; frame < FRAMES; ++frame)
        CHECK_OK(px_world_advance(world, (frame + 1) / px_scene_fps(scene)));
    Result again = result_of(world);
    px_world_free(world);
    px_scene_free(scene);
    check_same(&by_hand, &again);
    result_free(&by_hand);
    result_free(&again);
    free(written);
    hands_free(hands);
}

static Act set(const char *path, double x)
{
    Act act = {.kind = ACT_SET, .value = {x}, .values = 1};
    snprintf(act.path, sizeof act.path, "%s", path);
    return act;
}

TEST(values_set_by_hand_are_events)
{
    Timed timed[] = {{2, set("gravity.x", 5)},
                     {3, set("materials.water.viscosity", 3)},
                     {3, set("gravity.x", 7)},
                     {8, set("materials.jelly.young", 1e5)}};
    check_bits(SCENE(TANK "," WATER), timed, 3);
    check_bits(SCENE(FLOOR "," JELLY), timed, 4);
    check_bits(SCENE(TANK "," WATER "," JELLY), timed, 4);
}

static size_t drag(Timed timed[MOST_ACTS], const char *body, bool rigid)
{
    size_t n = 0;
    Act act = {.kind = ACT_GRAB, .rigid = rigid, .at = {0.1, 0.6, 0}, .radius = 0.12};
    snprintf(act.body, sizeof act.body, "%s", body);
    timed[n++] = (Timed){2, act};
    for (int frame = 3; frame < 9; ++frame) {
        if (frame == 6)
            continue; /* the mouse stands still */
        act.kind = ACT_DRAG;
        act.at = (PxVec3){0.1 + 0.01 * frame, 0.6 + 0.004 * frame * frame, 0.003 * frame};
        timed[n++] = (Timed){frame, act};
    }
    timed[n++] = (Timed){9, {.kind = ACT_LEAVE}};
    return n;
}

TEST(a_solid_dragged_by_hand_is_a_handle_with_keyframes)
{
    Timed timed[MOST_ACTS];
    size_t count = drag(timed, "cube", false);
    check_bits(SCENE(FLOOR "," JELLY), timed, count);
}

TEST(a_solid_dragged_among_water)
{
    Timed timed[MOST_ACTS];
    size_t count = drag(timed, "cube", false);
    check_bits(SCENE(TANK "," WATER "," JELLY), timed, count);
}

TEST(a_rigid_body_dragged_by_hand_follows_and_is_events)
{
    Timed timed[MOST_ACTS];
    size_t count = drag(timed, "ball", true);
    check_bits(SCENE(FLOOR "," BALL), timed, count);
    check_bits(SCENE(TANK "," WATER "," BALL), timed, count);
}

TEST(heat_and_pushes_have_a_start_and_an_end)
{
    Timed heat[] = {
        {2, {.kind = ACT_HEAT, .at = {0, 0.5, 0}, .radius = 0.2, .value = {90}, .values = 1}},
        {5, {.kind = ACT_HEAT, .at = {0.1, 0.5, 0}, .radius = 0.2, .value = {-10}, .values = 1}},
        {8, {.kind = ACT_LEAVE}}};
    check_bits(SCENE(FLOOR "," WAX), heat, 3);
}

static Act push(PxVec3 at, double x)
{
    return (Act){
        .kind = ACT_PUSH, .at = at, .radius = 0.2, .value = {x, 0, 0}, .values = 3, .rate = 20};
}

TEST(pushes_of_any_matter_have_a_start_and_an_end)
{
    Timed timed[] = {{2, push((PxVec3){0, 0.6, 0}, 2)}, {7, {.kind = ACT_LEAVE}}};
    check_bits(SCENE(FLOOR "," JELLY), timed, 2);
    check_bits(SCENE(FLOOR "," BALL), timed, 2);
    Timed stroke[] = {{2, push((PxVec3){0, 0.2, 0}, 2)},
                      {4, push((PxVec3){0.1, 0.2, 0}, 2)},
                      {7, {.kind = ACT_LEAVE}}};
    check_bits(SCENE(TANK "," WATER), stroke, 3);
    check_bits(SCENE(TANK "," WATER "," JELLY), stroke, 3);
}

/* Mean velocity along x of all particles within the brush of push(). */
static double drift(PxWorld *world, PxVec3 at)
{
    double sum = 0, count = 0;
    const float *place[3], *v = px_world_floats(world, "velocity", 0);
    for (int c = 0; c < 3; ++c)
        place[c] = px_world_floats(world, "position", c);
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        double x = (double)place[0][i] - at.x, y = (double)place[1][i] - at.y,
               z = (double)place[2][i] - at.z;
        if (x * x + y * y + z * z < 0.2 * 0.2) {
            sum += (double)v[i];
            ++count;
        }
    }
    return sum / count;
}

TEST(the_brush_pushes_water)
{
    PxScene *scene;
    Hands *hands = hands_create();
    PxWorld *world = world_of(SCENE(TANK "," WATER), &scene);
    PxVec3 at = {0, 0.2, 0};
    Act act = push(at, 2);
    CHECK_OK(hands_act(hands, world, &act, 1 / 60.0));
    CHECK_OK(px_world_advance(world, 2 / 60.0));
    double pushed = drift(world, at);
    CHECK(pushed > 0.2); /* 2 m/s are approached with 20/s for 1/30 s: at most 0.97 m/s */
    CHECK(pushed < 1);
    hands_free(hands);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(poured_water_is_an_emitter)
{
    Timed pour[] = {{2,
                     {.kind = ACT_POUR,
                      .body = "water",
                      .at = {0, 0.8, 0},
                      .radius = 0.1,
                      .value = {0, -1, 0},
                      .values = 3}},
                    {9, {.kind = ACT_LEAVE}}};
    check_bits(SCENE(TANK "," WATER "," JELLY), pour, 2);
}

TEST(an_emitter_that_was_placed_goes_on)
{
    Act emit = {.kind = ACT_EMIT,
                .body = "water",
                .at = {0, 0.8, 0},
                .radius = 0.1,
                .value = {0, -1, 0},
                .values = 3};
    Timed timed[] = {{2, emit}, {4, {.kind = ACT_LEAVE}}, {6, push((PxVec3){0, 0.2, 0}, 2)}};
    check_bits(SCENE(TANK "," WATER), timed, 3);
    const char *text = SCENE(TANK "," WATER);
    PxScene *scene;
    Hands *hands = hands_create();
    PxWorld *world = world_of(text, &scene);
    uint32_t before = px_world_count(world);
    CHECK_OK(hands_act(hands, world, &emit, 1 / 60.0));
    CHECK_OK(px_world_advance(world, 0.1));
    uint32_t early = px_world_count(world);
    CHECK_OK(hands_act(hands, world, &(Act){.kind = ACT_LEAVE}, 0.2));
    CHECK_OK(px_world_advance(world, 0.2));
    CHECK(early > before);
    CHECK(px_world_count(world) > early);
    hands_free(hands);
    px_world_free(world);
    px_scene_free(scene);
}

TEST(a_body_that_was_placed_is_part_of_the_scene)
{
    static const PlaceShape shapes[] = {PLACE_BOX, PLACE_SPHERE, PLACE_CYLINDER, PLACE_CAPSULE};
    for (int k = 0; k < PLACE_SHAPES; ++k) {
        PlaceDef def = {.shape = shapes[k],
                        .size = 0.3,
                        .material = k == 0   ? "jelly"
                                    : k == 1 ? "water"
                                             : "wood",
                        .rigid = k >= 2,
                        .z_up = k == 3,
                        .at = {-0.2, 0.7, 0}};
        char *once = place_body(SCENE(TANK "," WATER), &def);
        CHECK(once != NULL);
        def.at.x = 0.2;
        char *twice = place_body(once, &def);
        CHECK(strstr(twice, "placed-1") != NULL && strstr(twice, "placed-2") != NULL);
        check_bits(twice, NULL, 0);
        PxScene *scene;
        PxWorld *world = world_of(twice, &scene);
        PxBodyId id;
        CHECK_OK(px_world_find_body(world, "placed-2", &id));
        CHECK(id.slot != 0);
        px_world_free(world);
        px_scene_free(scene);
        free(once);
        free(twice);
    }
    PlaceDef def = {.size = 0.3, .material = "wood", .rigid = true, .at = {0, 0.6, 0}};
    char *free_place = place_body_freely(SCENE(FLOOR "," JELLY), NULL, &def); /* was in the jelly */
    CHECK(free_place != NULL);
    PxScene *scene;
    PxWorld *world = world_of(free_place, &scene);
    PxBodyId id;
    PxRigidState rigid;
    CHECK_OK(px_world_find_body(world, "placed-1", &id));
    CHECK_OK(px_world_rigid_state(world, id, &rigid));
    CHECK(rigid.place.y > 0.85); /* half of both is 0.3 */
    CHECK(rigid.place.y < 1);
    px_world_free(world);
    px_scene_free(scene);
    free(free_place);
    def.material = "gold";
    CHECK(place_body_freely(SCENE(TANK "," WATER), NULL, &def) == NULL);
    CHECK(px_error_message()[0] != 0);
    CHECK(place_body("[]", &def) == NULL);
    CHECK(place_body("rubbish", &def) == NULL);
}

TEST(poured_water_in_a_tank_alone)
{
    Timed pour[] = {{2,
                     {.kind = ACT_POUR,
                      .body = "water",
                      .at = {0, 0.8, 0},
                      .radius = 0.1,
                      .value = {0, -1, 0},
                      .values = 3}},
                    {9, {.kind = ACT_LEAVE}}};
    check_bits(SCENE(TANK "," WATER), pour, 2);
}

TEST(undo_in_the_player_thread_returns_to_the_moment_before)
{
    const char *text = SCENE(TANK "," WATER);
    PxScene *scene;
    CHECK_OK(px_scene_read_text("scene", NULL, text, strlen(text), &scene));
    Player *player = player_open(scene, NULL, 1);
    player_step(player);
    CHECK(player_wait(player, 1 / 60.0));
    Act act = set("gravity.x", 50);
    player_act(player, &act);
    CHECK(player_wait(player, 1 / 60.0));
    CHECK_EQUAL(player_undos(player), 1);
    player_step(player);
    CHECK(player_wait(player, 2 / 60.0));
    float pushed = player_shot(player, NULL)->place[0];
    player_undo(player);
    CHECK(player_wait(player, 0));
    CHECK_EQUAL(player_status(player).last, 1);
    CHECK_EQUAL(player_undos(player), 0);
    player_step(player);
    CHECK(player_wait(player, 2 / 60.0));
    CHECK(player_shot(player, NULL)->place[0] != pushed);
    char *written = player_scene_text(player, text);
    CHECK(strstr(written, "gravity.x") == NULL);
    free(written);
    act = set("materials.fire.viscosity", 1); /* refused: the world goes on */
    player_act(player, &act);
    CHECK(player_wait(player, 0));
    CHECK(strstr(player_status(player).message, "fire") != NULL);
    CHECK(!player_status(player).failed);
    player_close(player);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

/* A film that counts the frames and then fails. */
static bool count_film(void *user, const char *out, bool (*each)(void *, uint32_t, uint32_t),
                       void *each_user, char *error, size_t size)
{
    size_t count;
    CHECK_OK(px_stored_list(out, NULL, 0, &count));
    *(uint32_t *)user = (uint32_t)count;
    CHECK(each(each_user, 1, (uint32_t)count));
    snprintf(error, size, "no ffmpeg");
    return false;
}

TEST(a_recording_thread_stores_frames_and_keeps_them_when_it_is_closed)
{
    const char *text = SCENE(FLOOR "," JELLY);
    Folder folder = folder_make();
    size_t count;
    uint32_t number[16];
    Recorder *r = record_start(text, NULL, folder_file(&folder, "a"), 3, 1, NULL, NULL);
    CHECK(r != NULL);
    while (record_status(r).running)
        nap();
    CHECK_TEXT(record_status(r).message, "");
    CHECK_EQUAL(record_status(r).frame, 3);
    record_close(r);
    CHECK_OK(px_stored_list(folder_file(&folder, "a"), number, 16, &count));
    CHECK_EQUAL(count, 4); /* with the initial one */
    /* closed in the middle */
    r = record_start(text, NULL, folder_file(&folder, "b"), 100000, 1, NULL, NULL);
    while (record_status(r).frame < 2)
        nap();
    record_close(r);
    CHECK_OK(px_stored_list(folder_file(&folder, "b"), NULL, 0, &count));
    CHECK(count >= 3);
    /* a folder that is taken, and a scene that is none */
    r = record_start(text, NULL, folder_file(&folder, "a"), 3, 1, NULL, NULL);
    while (record_status(r).running)
        nap();
    CHECK(strstr(record_status(r).message, "run") != NULL);
    record_close(r);
    CHECK(record_start("{}", NULL, folder_file(&folder, "c"), 3, 1, NULL, NULL) == NULL);
    record_close(NULL);
    /* stopped in the middle: the film of what is there follows */
    uint32_t filmed = 0;
    r = record_start(text, NULL, folder_file(&folder, "d"), 100000, 1, count_film, &filmed);
    while (record_status(r).frame < 2)
        nap();
    record_stop(r);
    while (record_status(r).running)
        nap();
    CHECK(filmed >= 3);
    CHECK_TEXT(record_status(r).message, "no ffmpeg");
    record_close(r);
    folder_remove(&folder);
}

TEST(the_mouse_finds_particles_and_rigid_bodies)
{
    const char *text = SCENE(FLOOR "," BALL);
    PxScene *scene;
    CHECK_OK(px_scene_read_text("scene", NULL, text, strlen(text), &scene));
    Player *player = player_open(scene, NULL, 1);
    CHECK(player_wait(player, 0));
    const Shot *shot = player_shot(player, NULL);
    Pick hit;
    CHECK(pick(player_display(player), shot, (PxVec3){0, 0.6, 3}, (PxVec3){0, 0, -1}, &hit));
    CHECK(!hit.particle);
    CHECK_TEXT(px_display_body(player_display(player), hit.index)->name, "ball");
    CHECK_NEAR(hit.distance, 2.85, 0.002);
    CHECK(!pick(player_display(player), shot, (PxVec3){0, 0.6, 3}, (PxVec3){0, 0, 1}, &hit));
    player_close(player);
    text = SCENE(FLOOR "," JELLY);
    CHECK_OK(px_scene_read_text("scene", NULL, text, strlen(text), &scene));
    player = player_open(scene, NULL, 1);
    CHECK(player_wait(player, 0));
    CHECK(pick(player_display(player), player_shot(player, NULL), (PxVec3){0, 0.6, 3},
               (PxVec3){0, 0, -1}, &hit));
    CHECK(hit.particle);
    CHECK_NEAR(hit.at.z, 0.15, 0.05);
    player_close(player);
}

TEST_MAIN()
