/// Pictures of a result folder: which are drawn, kept and refused, and files left behind.
#include "check.h"
#include "folder.h"

#include "phyxel/render.h"
#include "render/image/film.h"
#include "render/image/png.h"
#include "store/frame.h"
#include "store/surface_ply.h"

#include <sys/stat.h>

static const PxThreads one = {.count = 1};

static float coldest = 20; /* degrees Celsius */

/* A frame of particles in a cube of n^3, 10 cm apart, rising at 1 m/s and 20 degrees warm;
 * `bad` is put into the place of one of them. */
static void write_frame(const char *dir, uint32_t number, uint32_t n, float bad)
{
    PxTable t;
    px_table_init(&t, NULL);
    CHECK_OK(px_table_add(&t, "position", "m", PX_F32, 3, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(&t, "velocity", "m/s", PX_F32, 3, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(&t, "temperature", "degrees C", PX_F32, 1, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_append(&t, (size_t)n * n * n, NULL));
    for (uint32_t i = 0; i < n * n * n; ++i) {
        const uint32_t at[3] = {i % n, i / n % n, i / n / n};
        for (int k = 0; k < 3; ++k) {
            ((float *)t.column[0].data[k])[i] = 0.1f * (float)at[k];
            ((float *)t.column[1].data[k])[i] = k == 1 ? 1 : 0;
        }
        ((float *)t.column[2].data[0])[i] = coldest + (float)at[1];
    }
    if (n > 0 && bad != 0)
        ((float *)t.column[0].data[1])[n] = bad;
    PxFrameMeta meta = {
        .number = number, .time = 0.1 * number, .spacing = 0.1, .up = 'y', .name = "a cube"};
    folder_of_run(dir);
    CHECK_OK(px_frame_write(dir, &meta, &t, &one));
    px_table_free(&t);
}

static PxRenderDef small_def(const char *dir)
{
    PxRenderDef def = px_render_def_default();
    def.dir = dir;
    def.width = 32;
    def.height = 24;
    def.samples = 2;
    def.threads = 1;
    return def;
}

/* ---- files, which need no Embree ---- */

TEST(a_png_is_read_back_with_pixels_and_text)
{
    Folder f = folder_make();
    PxPicture p, q;
    for (uint32_t channels = 3; channels <= 4; ++channels) {
        CHECK_OK(px_picture_create(5, 7, channels, &p));
        for (uint32_t k = 0; k < 35 * channels; ++k)
            p.pixel[k] = (uint8_t)(7 * k);
        const PxPngText text[] = {{"Title", "h\u00f6ney"}, {"Settings", "size 5x7"}};
        const char *path = folder_file(&f, "a.png");
        char word[100];
        CHECK_OK(px_png_write(path, &p, text, 2));
        CHECK_OK(px_png_read(path, &q, "Title", word, sizeof word));
        CHECK_TEXT(word, "h\u00f6ney");
        CHECK(q.width == 5 && q.height == 7 && q.channels == channels);
        CHECK(memcmp(p.pixel, q.pixel, 35 * channels) == 0);
        px_picture_free(&p);
        px_picture_free(&q);
    }
    folder_remove(&f);
}

TEST(files_that_are_not_png_are_refused)
{
    Folder f = folder_make();
    const char *path = folder_file(&f, "a.png");
    PxPicture p;
    char word[10];
    CHECK_OK(px_file_write_atomic(path, "not a picture", 13));
    CHECK_FAILS(px_png_read(path, &p, NULL, word, sizeof word), PX_ERR_FORMAT, "no PNG");
    CHECK_OK(px_picture_create(64, 64, 3, &p));
    memset(p.pixel, 1, 64 * 64 * 3);
    CHECK_OK(px_png_write(path, &p, NULL, 0));
    px_picture_free(&p);
    CHECK(truncate(path, 60) == 0);
    CHECK_FAILS(px_png_read(path, &p, NULL, word, sizeof word), PX_ERR_FORMAT, "too early");
    folder_remove(&f);
}

static const char tetrahedron[] =
    "ply\nformat binary_little_endian 1.0\ncomment by hand\nelement vertex 4\n"
    "property float x\nproperty float y\nproperty float z\nproperty uchar red\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n";

/* The bytes of a tetrahedron of 0.3 m, standing over the origin. */
static size_t make_ply(char out[1000])
{
    static const float place[4][3] = {{0, 0, 0}, {0.3f, 0, 0}, {0, 0.3f, 0}, {0, 0, 0.3f}};
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    size_t size = sizeof tetrahedron - 1;
    memcpy(out, tetrahedron, size);
    for (int k = 0; k < 4; ++k) {
        memcpy(out + size, place[k], 12);
        out[size + 12] = (char)(10 * k);
        size += 13;
    }
    for (int k = 0; k < 4; ++k) {
        out[size] = 3;
        memcpy(out + size + 1, faces[k], 12);
        size += 13;
    }
    return size;
}

TEST(an_unknown_kind_of_film_is_refused_before_anything_is_drawn)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 2, 0);
    PxRenderDef def = small_def(f.path);
    def.film = folder_file(&f, "film.avi");
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, ".mp4");
    CHECK(!px_file_exists(folder_file(&f, "pictures")));
    folder_remove(&f);
}

TEST(a_film_that_cannot_be_written_is_refused_before_drawing)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 2, 0);
    PxRenderDef def = small_def(f.path);
    def.film = folder_file(&f, "no such folder/film.mp4");
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_IO, "no such folder/film.mp4");
    CHECK(!px_file_exists(folder_file(&f, "pictures")));
    folder_remove(&f);
}

TEST(values_out_of_range_are_refused)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 2, 0);
    PxRenderDef def = small_def(f.path);
    def.width = 0;
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "the width is 0");
    def = small_def(f.path);
    def.exposure = NAN;
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "exposure");
    const PxLampDef far = {.at = {1e300, 0, 0}, .radius = 1, .power = 1},
                    nowhere = {.at = {0, NAN, 0}, .radius = 1, .power = 1};
    def = small_def(f.path);
    def.lamps = 1;
    def.lamp = &far;
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "x of a lamp is 1e+300 m");
    def.lamp = &nowhere;
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "y of a lamp is nan m");
    def = small_def(f.path);
    def.stated_camera = true;
    def.camera = (PxSceneCamera){.from = {1e19, 1, 1}, .fov = 40};
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "x of the camera is 1e+19 m");
    def.camera = (PxSceneCamera){.to = {0, 0, -INFINITY}, .fov = 40};
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "z of the camera's target");
    def.camera = (PxSceneCamera){.to = {1, 0, 0}, .fov = NAN};
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "angle of view");
    def = small_def(f.path);
    def.first = 5;
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "no frame from 5");
    folder_remove(&f);
}

#ifdef PX_HAVE_EMBREE

static void text_of(const char *path, const char *key, char *out, size_t size)
{
    CHECK_OK(px_png_read(path, NULL, key, out, size));
}

TEST(a_picture_tells_its_run_its_frame_and_its_settings)
{
    Folder f = folder_make();
    char word[1000];
    PxRenderReport report;
    write_frame(f.path, 6, 3, 0);
    write_frame(f.path, 7, 3, 0);
    PxRenderDef def = small_def(f.path);
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK(report.pictures == 2 && report.drawn == 2);
    const char *path = folder_file(&f, "pictures/000007.png");
    text_of(path, "Title", word, sizeof word);
    CHECK_TEXT(word, "a cube");
    text_of(path, "Frame", word, sizeof word);
    CHECK_TEXT(word, "7");
    text_of(path, "Settings", word, sizeof word);
    CHECK(strstr(word, "size 32x24") != NULL && strstr(word, "samples 2") != NULL);
    folder_remove(&f);
}

/* The pixels of a picture, to be freed. */
static uint8_t *pixels_of(const char *path, size_t *size)
{
    PxPicture p;
    char none[1];
    CHECK_OK(px_png_read(path, &p, NULL, none, sizeof none));
    *size = (size_t)p.width * p.height * p.channels;
    uint8_t *out = malloc(*size);
    memcpy(out, p.pixel, *size);
    px_picture_free(&p);
    return out;
}

TEST(an_empty_frame_is_a_picture_of_the_ground)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 0, 0);
    PxRenderDef def = small_def(f.path);
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    size_t size;
    uint8_t *p = pixels_of(folder_file(&f, "pictures/000001.png"), &size);
    const uint8_t *low = p + 3 * (32 * 22 + 16);
    CHECK(low[0] > 60 && abs(low[0] - low[2]) < 40); /* neither black nor coloured */
    free(p);
    folder_remove(&f);
}

TEST(up_to_date_pictures_are_kept_and_others_are_redrawn)
{
    Folder f = folder_make();
    PxRenderReport report;
    for (uint32_t k = 1; k <= 3; ++k)
        write_frame(f.path, k, 2, 0);
    PxRenderDef def = small_def(f.path);
    def.stated_camera = true; /* one that is chosen depends on the frames */
    def.camera = (PxSceneCamera){{1, 1, 2}, {0, 0, 0}, 40};
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK(report.pictures == 3 && report.drawn == 0);
    CHECK(unlink(folder_file(&f, "pictures/000002.png")) == 0);       /* lost */
    CHECK(truncate(folder_file(&f, "pictures/000003.png"), 50) == 0); /* damaged */
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK(report.pictures == 3 && report.drawn == 2);
    write_frame(f.path, 1, 3, 0); /* another frame */
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.drawn, 1);
    def.samples = 3; /* other settings */
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.drawn, 3);
    folder_remove(&f);
}

typedef struct Stop {
    int calls, most;
} Stop;

static bool stop_after(void *user, const PxRenderProgress *p)
{
    (void)p;
    Stop *s = user;
    return ++s->calls < s->most;
}

TEST(a_stopped_call_continues_to_the_same_pictures)
{
    Folder f = folder_make(), g = folder_make();
    for (uint32_t k = 1; k <= 3; ++k) {
        write_frame(f.path, k, 2, 0);
        write_frame(g.path, k, 2, 0);
    }
    PxRenderDef def = small_def(f.path);
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    def.dir = g.path;
    int stops = 0;
    for (int most = 1; most < 100; ++most) {
        Stop stop = {0, most};
        PxStatus status = px_render(&def, stop_after, &stop, NULL);
        if (status == PX_OK)
            break;
        CHECK_EQUAL(status, PX_ERR_STOPPED);
        ++stops;
    }
    CHECK(stops > 3);
    for (uint32_t k = 1; k <= 3; ++k) {
        char name[40];
        size_t a, b;
        snprintf(name, sizeof name, "pictures/%06u.png", k);
        uint8_t *p = pixels_of(folder_file(&f, name), &a),
                *q = pixels_of(folder_file(&g, name), &b);
        CHECK(a == b && memcmp(p, q, a) == 0);
        free(p);
        free(q);
    }
    CHECK_EQUAL(folder_count(folder_file(&g, "pictures")), 3);
    folder_remove(&f);
    folder_remove(&g);
}

TEST(a_non_finite_position_is_named_and_drawn_pictures_are_kept)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 3, 0);
    write_frame(f.path, 2, 3, NAN);
    PxRenderDef def = small_def(f.path);
    PxRenderReport report;
    CHECK_FAILS(px_render(&def, NULL, NULL, &report), PX_ERR_FORMAT,
                "the position of particle 3 is not finite");
    CHECK_EQUAL(report.pictures, 1);
    CHECK(px_file_exists(folder_file(&f, "pictures/000001.png")));
    folder_remove(&f);
}

TEST(matter_too_far_away_is_named)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 3, 1e20f);
    PxRenderDef def = small_def(f.path);
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_FORMAT,
                "frame 1: y of particle 3 is 1e+20 m");
    write_frame(f.path, 1, 3, 9e8f); /* a picture of nothing, but a picture */
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    folder_remove(&f);
}

TEST(the_farthest_camera_and_the_largest_lamp_are_drawn)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 3, 0);
    const PxLampDef lamps[] = {{.at = {1e9, -1e9, 1e9}, .radius = 1e9, .power = 1e9},
                               {.at = {0, 0, 0}, .radius = 1e-9, .power = 1e9}};
    PxRenderDef def = small_def(f.path);
    def.lamps = 2;
    def.lamp = lamps;
    def.stated_camera = true;
    def.aperture = 1e6;
    def.shutter = 10;
    for (int k = 0; k < 3; ++k) {
        def.camera = (PxSceneCamera){.from = {k == 0 ? 1e9 : 1e-30, 1e9 * (k == 1), 0},
                                     .to = {k == 1 ? 1e9 : 0, 0, 0},
                                     .fov = k == 2 ? 0.01 : 170};
        CHECK_OK(px_render(&def, NULL, NULL, NULL));
    }
    folder_remove(&f);
}

TEST(a_damaged_frame_is_named_and_drawn_pictures_are_kept)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 3, 0);
    write_frame(f.path, 2, 3, 0);
    CHECK(truncate(folder_file(&f, "frames/000002.h5"), 700) == 0);
    PxRenderDef def = small_def(f.path);
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_FORMAT, "000002.h5");
    CHECK(px_file_exists(folder_file(&f, "pictures/000001.png")));
    folder_remove(&f);
}

TEST(a_missing_frame_is_named_and_drawn_pictures_are_kept)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 2, 0);
    write_frame(f.path, 2, 2, 0);
    write_frame(f.path, 4, 2, 0);
    PxRenderDef def = small_def(f.path);
    PxRenderReport report;
    CHECK_FAILS(px_render(&def, NULL, NULL, &report), PX_ERR_FORMAT, "frame 3");
    CHECK_EQUAL(report.pictures, 2);
    def.first = 4;
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    folder_remove(&f);
}

TEST(an_unknown_column_is_refused_with_a_list)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 3, 0);
    PxRenderDef def = small_def(f.path);
    def.colour = "temprature";
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "did you mean 'temperature'");
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "speed");
    folder_remove(&f);
}

TEST(colours_come_from_the_column_and_their_range_from_all_frames)
{
    Folder f = folder_make();
    char word[1000];
    write_frame(f.path, 1, 2, 0); /* 20 and 21 degrees */
    write_frame(f.path, 2, 4, 0); /* 20 to 23 */
    PxRenderDef def = small_def(f.path);
    def.colour = "temperature";
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    text_of(folder_file(&f, "pictures/000001.png"), "Settings", word, sizeof word);
    CHECK(strstr(word, "colour temperature 20..23") != NULL);
    def.colour = "speed";
    def.range_low = 0;
    def.range_high = 2;
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    text_of(folder_file(&f, "pictures/000001.png"), "Settings", word, sizeof word);
    CHECK(strstr(word, "colour speed 0..2") != NULL);
    folder_remove(&f);
}

TEST(colours_of_numbers_do_not_glow)
{
    PxPicture picture[2];
    char word[10];
    for (int hot = 0; hot < 2; ++hot) {
        Folder f = folder_make();
        coldest = hot ? 1200 : 20;
        write_frame(f.path, 1, 3, 0);
        coldest = 20;
        PxRenderDef def = small_def(f.path);
        def.colour = "speed";
        def.range_low = 0;
        def.range_high = 2;
        CHECK_OK(px_render(&def, NULL, NULL, NULL));
        CHECK_OK(px_png_read(folder_file(&f, "pictures/000001.png"), &picture[hot], NULL, word,
                             sizeof word));
        folder_remove(&f);
    }
    CHECK(memcmp(picture[0].pixel, picture[1].pixel, (size_t)3 * 32 * 24) == 0);
    px_picture_free(&picture[0]);
    px_picture_free(&picture[1]);
}

TEST(surfaces_are_drawn_if_they_exist)
{
    Folder f = folder_make();
    char bytes[1000], word[1000];
    write_frame(f.path, 1, 2, 0);
    CHECK(mkdir(folder_file(&f, "surface"), 0777) == 0);
    size_t size = make_ply(bytes);
    CHECK_OK(px_file_write_atomic(folder_file(&f, "surface/000001.ply"), bytes, size));
    PxRenderDef def = small_def(f.path);
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    text_of(folder_file(&f, "pictures/000001.png"), "Settings", word, sizeof word);
    CHECK(strstr(word, "show surface") != NULL);
    def.show = PX_SHOW_SURFELS;
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT, "surfels/000001.ply");
    def.show = PX_SHOW_BEST;
    CHECK_OK(px_file_write_atomic(folder_file(&f, "surface/000001.ply"), bytes, size - 5));
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_FORMAT, "surface/000001.ply");
    float nowhere = NAN;
    memcpy(bytes + sizeof tetrahedron - 1 + 13 + 4, &nowhere, sizeof nowhere);
    CHECK_OK(px_file_write_atomic(folder_file(&f, "surface/000001.ply"), bytes, size));
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_FORMAT, "y of point 1 is nan");
    folder_remove(&f);
}

/* Pixels that are much redder than anything else in a picture of a red tetrahedron. */
static int red_pixels(float painted)
{
    static const float place[4][3] = {{0, 0, 0}, {0.3f, 0, 0}, {0, 0.3f, 0}, {0, 0, 0.3f}};
    static const float normal[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static char name[4][40] = {"red", "green", "blue", "painted"};
    float full[4] = {1, 1, 1, 1}, none[4] = {0}, own[4] = {painted, painted, painted, painted};
    float *const column[4] = {full, none, none, own};
    PxPlyPart part = {.vertices = 4,
                      .triangles = 4,
                      .position = place,
                      .normal = normal,
                      .triangle = faces,
                      .column = column};
    PxPlySurface surface = {
        .comment = "by hand\n", .part = &part, .parts = 1, .name = name, .columns = 4};
    Folder f = folder_make();
    PxPicture picture;
    char word[10];
    write_frame(f.path, 1, 3, 0);
    CHECK(mkdir(folder_file(&f, "surface"), 0777) == 0);
    CHECK_OK(px_surface_ply_write(folder_file(&f, "surface/000001.ply"), &surface));
    PxRenderDef def = small_def(f.path);
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    CHECK_OK(
        px_png_read(folder_file(&f, "pictures/000001.png"), &picture, NULL, word, sizeof word));
    int red = 0;
    for (int k = 0; k < 32 * 24; ++k) {
        const uint8_t *p = &picture.pixel[3 * k];
        red += p[0] > 40 && p[0] > 2 * p[1] && p[0] > 2 * p[2];
    }
    px_picture_free(&picture);
    folder_remove(&f);
    return red;
}

TEST(a_surface_shows_the_colours_that_are_painted_on_it)
{
    CHECK(red_pixels(1.0f) > 10);
    CHECK_EQUAL(red_pixels(0.0f), 0); /* then it looks as its material does */
}

TEST(pictures_of_one_call_do_not_mix_surfaces_and_balls)
{
    Folder f = folder_make();
    for (uint32_t k = 1; k <= 2; ++k)
        write_frame(f.path, k, 3, 0);
    PxSurfaceRunDef surface = px_surface_run_def_default();
    surface.dir = f.path;
    surface.first = surface.last = 2;
    CHECK_OK(px_surface_run(&surface, NULL, NULL, NULL));
    PxRenderDef def = small_def(f.path);
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_ARGUMENT,
                "frame 2 has a surface and frame 1 does not");
    surface.first = 0;
    surface.complete = true;
    PxSurfaceReport report;
    CHECK_OK(px_surface_run(&surface, NULL, NULL, &report));
    CHECK(report.made == 1 && report.kept == 1);
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    folder_remove(&f);
}

TEST(an_empty_surface_is_a_picture_of_the_ground)
{
    static const char empty[] =
        "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\n"
        "property float y\nproperty float z\nelement face 0\n"
        "property list uchar int vertex_indices\nend_header\n";
    Folder f = folder_make();
    write_frame(f.path, 1, 0, 0);
    CHECK(mkdir(folder_file(&f, "surface"), 0777) == 0);
    CHECK_OK(px_file_write_atomic(folder_file(&f, "surface/000001.ply"), empty, sizeof empty - 1));
    PxRenderDef def = small_def(f.path);
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    folder_remove(&f);
}

TEST(a_scene_brings_its_walls_and_its_camera)
{
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.1, \"materials\": {\"water\": {\"density\": 1000}},"
        " \"bodies\": ["
        "{\"shape\": {\"box\": [1, 1, 1], \"at\": [0, 0.5, 0]}, \"wall\": true, \"inside\": true},"
        "{\"shape\": {\"funnel\": {\"radius\": 0.1, \"radius_top\": 0.2, \"height\": 0.3,"
        " \"thickness\": 0.02}}, \"wall\": true},"
        "{\"shape\": {\"capsule\": {\"radius\": 0.1, \"height\": 0.2}, \"at\": [0.2, 0.3, 0]},"
        " \"wall\": true, \"keyframes\": [{\"at\": 1, \"move\": [0, 1, 0]}]},"
        "{\"shape\": {\"plane\": {}}, \"wall\": true},"
        "{\"shape\": {\"sphere\": 0.2, \"at\": [0, 0.4, 0.2]}, \"material\": \"water\"}],"
        " \"camera\": {\"from\": [1, 1, 3], \"to\": [0, 0.3, 0]}}";
    Folder f = folder_make();
    char word[1000];
    PxScene *scene;
    CHECK_OK(px_scene_read_text("s.json", NULL, text, strlen(text), &scene));
    write_frame(f.path, 1, 3, 0);
    PxRenderDef def = small_def(f.path);
    def.scene = scene;
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    text_of(folder_file(&f, "pictures/000001.png"), "Settings", word, sizeof word);
    CHECK(strstr(word, "camera 1,1,3/0,0.3,0/40") != NULL);
    px_scene_free(scene);
    folder_remove(&f);
}

TEST(a_turntable_goes_all_around_the_last_frame)
{
    Folder f = folder_make();
    PxRenderReport report;
    char word[1000];
    write_frame(f.path, 1, 2, 0);
    write_frame(f.path, 2, 3, 0);
    PxRenderDef def = small_def(f.path);
    def.turntable = 4;
    CHECK_OK(px_render(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.pictures, 4);
    text_of(folder_file(&f, "turntable/000003.png"), "Settings", word, sizeof word);
    CHECK(strstr(word, "turned 180") != NULL);
    folder_remove(&f);
}

TEST(without_ffmpeg_nothing_is_drawn_and_the_message_names_it)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 2, 0);
    PxRenderDef def = small_def(f.path);
    def.film = folder_file(&f, "film.mp4");
    char before[4096];
    snprintf(before, sizeof before, "%s", getenv("PATH"));
    setenv("PATH", f.path, 1);
    PxStatus status = px_render(&def, NULL, NULL, NULL);
    char said[1000];
    snprintf(said, sizeof said, "%s", px_error_message());
    setenv("PATH", before, 1);
    CHECK_EQUAL(status, PX_ERR_UNSUPPORTED);
    CHECK(strstr(said, "no ffmpeg") != NULL && strstr(said, "apt-get install ffmpeg") != NULL);
    CHECK_EQUAL(folder_count(f.path), 2); /* the run's two folders */
    folder_remove(&f);
}

/* A command of that name that does `words`. */
static void fake_ffmpeg(const Folder *f, const char *words)
{
    char text[300];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", words);
    const char *path = folder_file(f, "ffmpeg");
    CHECK_OK(px_file_write_atomic(path, text, strlen(text)));
    CHECK(chmod(path, 0755) == 0);
}

TEST(errors_of_ffmpeg_are_reported)
{
    Folder f = folder_make();
    write_frame(f.path, 1, 2, 0);
    PxRenderDef def = small_def(f.path);
    def.width = 400; /* more than a pipe holds */
    def.height = 300;
    char before[4096], path[5000], film[4096];
    snprintf(film, sizeof film, "%s", folder_file(&f, "film.mp4"));
    def.film = film;
    snprintf(before, sizeof before, "%s", getenv("PATH"));
    snprintf(path, sizeof path, "%s:%s", f.path, before);
    setenv("PATH", path, 1);
    fake_ffmpeg(&f, "echo no encoder today >&2; exit 1");
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_IO, "no encoder today");
    CHECK(!px_file_exists(folder_file(&f, "pictures"))); /* known before anything is drawn */
    fake_ffmpeg(&f, "for last; do :; done; case $last in *fd/3) cat >/dev/null; exit 0;; esac\n"
                    "echo a full disk >&2; exit 1");
    CHECK_FAILS(px_render(&def, NULL, NULL, NULL), PX_ERR_IO, "a full disk");
    CHECK(px_file_exists(folder_file(&f, "pictures/000001.png")));
    CHECK(!px_file_exists(def.film));
    fake_ffmpeg(&f, "for last; do :; done; wc -c >\"${last#file:}\""); /* takes it all */
    CHECK_OK(px_render(&def, NULL, NULL, NULL));
    setenv("PATH", before, 1);
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(def.film, 100, &bytes, &size));
    CHECK_EQUAL(atoi(bytes), 400 * 300 * 3);
    px_list_free(bytes);
    folder_remove(&f);
}

#endif

TEST_MAIN()
