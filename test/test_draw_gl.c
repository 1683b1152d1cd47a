/// Drawing with OpenGL, without a display: what is where in the picture, and in which colour.
#include "check.h"

#include "draw.h"
#include "offscreen.h"
#include "player.h"

#include <math.h>
#include <stdlib.h>

/* Drivers keep some memory when they are unloaded, which the sanitizer would take for ours. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

enum { WIDE = 160, TALL = 120 };

static const char *const scene_text =
    "{\"phyxel\": 1, \"time\": {\"frames\": 1, \"fps\": 100}, \"spacing\": 0.1, \"gravity\": [0, "
    "0, 0],"
    " \"materials\": {\"water\": {\"density\": 1000}, \"clay\": {\"density\": 1500}},"
    " \"bodies\": ["
    "  {\"name\": \"left\", \"shape\": {\"box\": [0.8, 0.8, 0.8], \"at\": [-1, 0, 0]}, "
    "\"material\": \"water\"},"
    "  {\"name\": \"right\", \"shape\": {\"box\": [0.8, 0.8, 0.8], \"at\": [1, 0, 0]}, "
    "\"material\": \"clay\","
    "   \"rigid\": true}],"
    " \"camera\": {\"from\": [0, 0, 6], \"to\": [0, 0, 0], \"fov\": 40}}";

typedef struct Stage {
    Player *player;
    Offscreen *offscreen;
    Draw *draw;
    Camera camera;
} Stage;

static Stage stage_of(const char *text)
{
    char error[512] = "";
    Stage s;
    PxScene *scene;
    CHECK_OK(px_scene_read_text("scene", NULL, text, strlen(text), &scene));
    s.player = player_open(scene, NULL, 1);
    CHECK(s.player != NULL && player_wait(s.player, 0));
    s.offscreen = offscreen_open(error, sizeof error);
    if (s.offscreen == NULL) {
        print_message("no OpenGL here: %s\n", error);
        player_close(s.player);
        skip();
    }
    s.draw = draw_create(error, sizeof error);
    if (s.draw == NULL)
        fail_msg("%s", error);
    PxSceneCamera from;
    CHECK_OK(px_display_camera(player_display(s.player), (double)WIDE / TALL, &from));
    s.camera = camera_from(&from, 'y');
    return s;
}

static Stage stage(void)
{
    return stage_of(scene_text);
}

static void leave(Stage *s)
{
    draw_free(s->draw);
    offscreen_close(s->offscreen);
    player_close(s->player);
}

static uint8_t *picture(Stage *s, const DrawDef *def)
{
    CHECK(offscreen_bind(s->offscreen, WIDE, TALL));
    draw_shot(s->draw, player_display(s->player), player_shot(s->player, NULL), true, &s->camera,
              def, WIDE, TALL);
    uint8_t *pixels = offscreen_read(s->offscreen);
    CHECK(pixels != NULL);
    return pixels;
}

static const uint8_t *at(const uint8_t *pixels, int x, int y)
{
    return pixels + 4 * (y * WIDE + x);
}

TEST(water_is_left_and_blue_and_the_rigid_body_right)
{
    Stage s = stage();
    DrawDef def = draw_def_default();
    def.ground = false;
    def.mode = DRAW_PARTICLES;
    uint8_t *pixels = picture(&s, &def);
    const uint8_t *left = at(pixels, 52, 60), *right = at(pixels, 107, 60);
    const uint8_t *middle = at(pixels, 80, 60);
    CHECK(left[2] > left[0] + 30);   /* water is blue */
    CHECK(right[0] > right[2] + 20); /* the rigid body's brown */
    CHECK(middle[0] > 150 && middle[2] > 150);
    free(pixels);
    def.dark = true;
    pixels = picture(&s, &def);
    CHECK(at(pixels, 80, 60)[0] < 80);
    free(pixels);
    leave(&s);
}

TEST(a_column_is_shown_as_colour)
{
    Stage s = stage();
    DrawDef def = draw_def_default();
    def.mode = DRAW_PARTICLES;
    player_colour(s.player, "mass");
    CHECK(player_wait(s.player, 0));
    uint8_t *natural = picture(&s, &def);
    def.own_range = true;
    def.high = 0.5f; /* all values are above: the map's last colour, a light yellow */
    uint8_t *pixels = picture(&s, &def);
    CHECK(at(pixels, 52, 60)[0] > 120 && at(pixels, 52, 60)[2] < at(pixels, 52, 60)[0]);
    free(natural);
    free(pixels);
    leave(&s);
}

TEST(arrows_are_drawn_before_the_matter)
{
    Stage s = stage();
    DrawDef def = draw_def_default();
    def.ground = false;
    uint8_t *without = picture(&s, &def);
    Shot *shot = (Shot *)player_shot(s.player, NULL);
    shot->arrows.kind = ARROW_WALLS;
    CHECK(arrows_add(&shot->arrows, (PxVec3){-0.5, 0, 0.5}, (PxVec3){2, 0, 0}));
    uint8_t *with = picture(&s, &def);
    int red = 0, other = 0, beside = 0;
    for (int y = 0; y < TALL; ++y)
        for (int x = 0; x < WIDE; ++x) {
            const uint8_t *pixel = at(with, x, y);
            if (memcmp(at(without, x, y), pixel, 3) == 0)
                continue;
            beside +=
                y < 52 || y > 68 || x < 60 || x > 100; /* it is from 64 to 92 along the middle */
            red += pixel[0] > pixel[2] + 60;
            other += !(pixel[0] > pixel[2] + 60);
        }
    CHECK_EQUAL(beside, 0);
    CHECK(red > 8);
    CHECK(other < red);
    free(without);
    free(with);
    leave(&s);
}

static double linear_of(const uint8_t *pixel)
{
    double c = pixel[1] / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

TEST(a_film_on_two_walls_absorbs_x_rays_twice)
{
    static const char text[] =
        "{\"phyxel\": 1, \"time\": {\"frames\": 1, \"fps\": 100}, \"spacing\": 0.1,"
        " \"gravity\": [0, 0, 0], \"materials\": {\"barium\": {\"density\": 1620, \"look\": "
        "{\"kind\": \"glossy\", \"colour\": [1, 1, 1], \"xray\": 50, \"film\": 0.004}}},"
        " \"bodies\": [{\"name\": \"tank\", \"shape\": {\"box\": [2, 2, 2]}, \"wall\": true, "
        "\"inside\": true}, {\"name\": \"drop\", \"material\": \"barium\", \"shape\": {\"box\": "
        "[0.4, 2, 2], \"at\": [-0.8, 0, 0]}}],"
        " \"camera\": {\"from\": [0, 0, 6], \"to\": [0, 0, 0], \"fov\": 40}}";
    Stage s = stage_of(text);
    DrawDef def = draw_def_default();
    def.mode = DRAW_XRAY;
    Shot *shot = (Shot *)player_shot(s.player, NULL);
    CHECK(shot->films > 0 && shot->film != NULL);
    size_t wet = 0;
    for (size_t k = 0; k < shot->films; ++k)
        wet += shot->film[k].film > 0;
    CHECK(wet > 0 && wet < shot->films / 2); /* the drop touches its end of the tank */
    memset(shot->film, 0, shot->films * sizeof *shot->film);
    uint8_t *bare = picture(&s, &def);
    for (size_t k = 0; k < shot->films; ++k)
        shot->film[k].film = 0.004f;
    uint8_t *coated = picture(&s, &def);
    /* front and back wall: exp(-2 * 50 * 0.004); colours have 8 bits */
    double left = linear_of(at(coated, 90, 66)) / linear_of(at(bare, 90, 66));
    CHECK_NEAR(log(left), -0.4, 0.02);
    free(bare);
    free(coated);
    leave(&s);
}

TEST(x_rays_pass_through_a_volume_too)
{
    Stage s = stage();
    DrawDef def = draw_def_default();
    def.mode = DRAW_XRAY;
    float value[64];
    for (int k = 0; k < 64; ++k)
        value[k] = -900; /* HU: a tenth of water */
    PxVolumeSamples volume = {.samples = {4, 4, 4},
                              .value = value,
                              .origin = {-0.1875, -0.1875, 0.3125},
                              .step = {{0.125, 0, 0}, {0, 0.125, 0}, {0, 0, 0.125}}};
    uint8_t *without = picture(&s, &def);
    def.over = &volume;
    uint8_t *with = picture(&s, &def);
    /* half a metre of a tenth of water, of the range of half a metre of water; 8 bits */
    CHECK_EQUAL(at(without, 80, 60)[2], 255);
    CHECK_NEAR(at(with, 80, 60)[2] / 255.0, 0.9, 0.005);
    CHECK(memcmp(at(with, 80, 30), at(without, 80, 30), 3) == 0); /* beside it */
    def.over = NULL;
    uint8_t *again = picture(&s, &def);
    CHECK(memcmp(again, without, 4 * WIDE * TALL) == 0);
    free(without);
    free(with);
    free(again);
    leave(&s);
}

TEST_MAIN()
