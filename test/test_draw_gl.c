/// Drawing with OpenGL, without a display: what is where in the picture, and in which colour.
#include "check.h"

#include "draw.h"
#include "offscreen.h"
#include "player.h"

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

static Stage stage(void)
{
    char error[512] = "";
    Stage s;
    PxScene *scene;
    CHECK_OK(px_scene_read_text("scene", NULL, scene_text, strlen(scene_text), &scene));
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

TEST_MAIN()
