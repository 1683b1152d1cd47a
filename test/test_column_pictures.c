/// From a scene with an "output" section to pictures that are coloured by its columns: particles,
/// skins and reconstructed surfaces.
#include "check.h"
#include "runs.h"

#include "phyxel/store.h"
#include "phyxel/render.h"
#include "phyxel/surface.h"
#include "render/image/png.h"
#include "store/frame.h"
#include "store/ply_points.h"

#include <stdlib.h>

/* A bar that hangs on its left end, where it is bent most: the von Mises stress falls to 0 towards
 * its right end. */
#define BAR(skin)                                                                                  \
    "{\"phyxel\": 1, \"name\": \"bar\", \"spacing\": 0.05,\n"                                      \
    " \"time\": {\"frames\": 1, \"fps\": 20},\n"                                                   \
    " \"output\": {\"stress\": true, \"strain\": true, \"von_mises\": true,\n"                     \
    "              \"principal_stress\": true},\n"                                                 \
    " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e6, \"damping\": 60}},\n"        \
    " \"bodies\": [{\"name\": \"bar\", \"material\": \"rubber\", \"skin\": " skin ",\n"            \
    "   \"shape\": {\"box\": [0.6, 0.15, 0.15]}}],\n"                                              \
    " \"handles\": [{\"name\": \"hand\", \"shape\": {\"box\": [0.15, 1, 1],\n"                     \
    "   \"at\": [-0.25, 0, 0]}}]}\n"

static void run_bar(const char *dir, bool skin)
{
    PxScene *scene = tiny_scene(skin ? BAR("true") : BAR("false"));
    PxRunDef def = run_into(dir);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    px_scene_free(scene);
}

enum { WIDTH = 96, HEIGHT = 48 };

/* Sums of the colours in the left and the right part of the bar. */
typedef struct Ends {
    int left[3], right[3];
} Ends;

/* Draws frame 1 coloured by a column; NULL: in its natural colours. */
static PxStatus draw(const char *dir, PxShow show, const char *column, Ends *out)
{
    char path[1200], settings[1000];
    PxRenderDef def = px_render_def_default();
    def.dir = dir;
    def.first = def.last = 1;
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = 16;
    def.threads = 1;
    def.show = show;
    def.floor = PX_FLOOR_NONE;
    def.stated_camera = true;
    def.camera = (PxSceneCamera){.from = {0, 0, 1}, .to = {0, 0, 0}, .fov = 20};
    def.lighting = PX_LIGHT_SOFT;
    def.colour = column;
    def.again = true;
    PxStatus status = px_render(&def, NULL, NULL, NULL);
    if (status != PX_OK)
        return status;
    snprintf(path, sizeof path, "%s/pictures/000001.png", dir);
    PxPicture picture;
    CHECK_OK(px_png_read(path, &picture, "Settings", settings, sizeof settings));
    if (column != NULL)
        CHECK(strstr(settings, column) != NULL);
    memset(out, 0, sizeof *out);
    for (int y = HEIGHT / 2 - 3; y < HEIGHT / 2 + 3; ++y)
        for (int k = 0; k < 12; ++k)
            for (uint32_t c = 0; c < 3; ++c) {
                uint32_t left = (uint32_t)(y * WIDTH + WIDTH / 2 - 30 + k);
                uint32_t right = (uint32_t)(y * WIDTH + WIDTH / 2 + 24 + k);
                out->left[c] += picture.pixel[left * picture.channels + c];
                out->right[c] += picture.pixel[right * picture.channels + c];
            }
    px_picture_free(&picture);
    return PX_OK;
}

/* Largest difference of a colour between both ends, in units of 1/255. */
static int difference(const Ends *ends)
{
    int most = 0;
    for (int c = 0; c < 3; ++c)
        most =
            abs(ends->left[c] - ends->right[c]) > most ? abs(ends->left[c] - ends->right[c]) : most;
    return most / (6 * 12);
}

static void check_colours(const char *dir, PxShow show)
{
    Ends plain, ends;
    PxStatus status = draw(dir, show, NULL, &plain);
    if (status == PX_ERR_UNSUPPORTED)
        skip(); /* built without Embree */
    CHECK_OK(status);
    CHECK_OK(draw(dir, show, "von_mises", &ends));
    if (difference(&ends) < difference(&plain) + 40)
        fail_msg("coloured by the column the ends differ by %d, in natural colours by %d",
                 difference(&ends), difference(&plain));
}

TEST(columns_of_the_output_section_are_in_the_frames)
{
    static const struct {
        const char *name, *unit;
        uint32_t components;
    } wanted[] = {{"stress", "Pa", 6},
                  {"strain", "", 6},
                  {"von_mises", "Pa", 1},
                  {"principal_stress", "Pa", 3}};
    Folder f = folder_make();
    run_bar(f.path, true);
    PxFrameMeta meta;
    PxTable t;
    px_table_init(&t, NULL);
    CHECK_OK(px_frame_read(f.path, 1, &meta, &t, &(PxThreads){.count = 1}));
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        const PxColumn *c = px_table_find(&t, wanted[k].name);
        CHECK(c != NULL && c->components == wanted[k].components);
        CHECK_TEXT(c->unit, wanted[k].unit);
        float most = 0;
        for (uint32_t i = 0; i < t.count; ++i)
            most = fmaxf(most, ((const float *)c->data[0])[i]);
        CHECK(most > 0);
    }
    px_table_free(&t);
    folder_remove(&f);
}

TEST(particles_are_coloured_by_them)
{
    Folder f = folder_make();
    run_bar(f.path, true);
    check_colours(f.path, PX_SHOW_PARTICLES);
    folder_remove(&f);
}

TEST(so_are_skins)
{
    Folder f = folder_make();
    run_bar(f.path, true);
    check_colours(f.path, PX_SHOW_BEST);
    folder_remove(&f);
}

TEST(so_are_reconstructed_surfaces)
{
    Folder f = folder_make();
    run_bar(f.path, false);
    PxSurfaceRunDef def = px_surface_run_def_default();
    def.dir = f.path;
    def.first = def.last = 1;
    def.columns = "von_mises";
    CHECK_OK(px_surface_run(&def, NULL, NULL, NULL));
    check_colours(f.path, PX_SHOW_SURFACE);
    folder_remove(&f);
}

/* The sign of a stress matters: pulled and pressed ends must not have the same colour. */
TEST(of_a_tensor_one_component_is_chosen)
{
    Folder f = folder_make();
    run_bar(f.path, true);
    Ends plain, ends;
    PxStatus status = draw(f.path, PX_SHOW_PARTICLES, NULL, &plain);
    if (status == PX_ERR_UNSUPPORTED)
        skip(); /* built without Embree */
    CHECK_OK(draw(f.path, PX_SHOW_PARTICLES, "stress_xx", &ends));
    CHECK_OK(draw(f.path, PX_SHOW_PARTICLES, "principal_stress_3", &ends));
    CHECK_OK(draw(f.path, PX_SHOW_PARTICLES, "velocity_y", &ends));
    CHECK_FAILS(draw(f.path, PX_SHOW_PARTICLES, "stress", &ends), PX_ERR_ARGUMENT,
                "stress_xx, stress_yy, stress_zz, stress_xy, stress_yz, stress_zx, von_mises, "
                "principal_stress_1, principal_stress_2, principal_stress_3");
    CHECK_FAILS(draw(f.path, PX_SHOW_PARTICLES, "principal_stress", &ends), PX_ERR_ARGUMENT,
                "did you mean");
    folder_remove(&f);
}

/* The up axis changes from y to z: (x, y, z) becomes (x, -z, y). Principal stresses have no axes,
 * and strains those of the rest shape. */
TEST(exported_stress_turns_with_the_axes)
{
    static const struct {
        const char *turned, *column;
        uint32_t component;
        float sign;
    } wanted[] = {{"stress_xx", "stress", 0, 1},
                  {"stress_yy", "stress", 2, 1},
                  {"stress_zz", "stress", 1, 1},
                  {"stress_xy", "stress", 5, -1},
                  {"stress_yz", "stress", 4, -1},
                  {"stress_zx", "stress", 3, 1},
                  {"strain_yy", "strain", 1, 1},
                  {"principal_stress_1", "principal_stress", 0, 1},
                  {"principal_stress_2", "principal_stress", 1, 1},
                  {"principal_stress_3", "principal_stress", 2, 1}};
    Folder f = folder_make();
    run_bar(f.path, true);
    PxExportDef def = px_export_def_default();
    def.dir = f.path;
    def.format = "ply";
    def.what = PX_EXPORT_PARTICLES;
    def.up = 'z';
    CHECK_OK(px_export(&def, NULL, NULL));
    PxFrameMeta meta;
    PxTable t;
    PxPlyPoints ply;
    px_table_init(&t, NULL);
    CHECK_OK(px_frame_read(f.path, 1, &meta, &t, &(PxThreads){.count = 1}));
    CHECK_OK(px_ply_points_read(folder_file(&f, "ply/000001.ply"), &ply));
    CHECK_EQUAL(ply.points.count, t.count);
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        const PxColumn *to = px_table_find(&ply.points, wanted[k].turned);
        const PxColumn *from = px_table_find(&t, wanted[k].column);
        CHECK(to != NULL);
        for (uint32_t i = 0; i < t.count; ++i)
            CHECK(((const float *)to->data[0])[i] ==
                  wanted[k].sign * ((const float *)from->data[wanted[k].component])[i]);
    }
    px_ply_points_free(&ply);
    px_table_free(&t);
    folder_remove(&f);
}

/* A sheet of which the left half is held, so that the right one falls and bends it. */
#define SHEET                                                                                      \
    "{\"phyxel\": 1, \"name\": \"sheet\", \"time\": {\"frames\": 1, \"fps\": 20}, \"spacing\": "   \
    "0.1,\n \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.2}}},\n"        \
    " \"bodies\": [{\"name\": \"sheet\", \"material\": \"cotton\", \"shape\":\n"                   \
    "   {\"sheet\": {\"width\": 0.6, \"length\": 0.15, \"columns\": 4, \"rows\": 1}, "             \
    "\"turn\": {\"axis\": [1, 0, 0], \"degrees\": 60}}}],\n"                                       \
    " \"handles\": [{\"name\": \"hand\", \"body\": \"sheet\",\n"                                   \
    "   \"shape\": {\"box\": [0.35, 1, 2], \"at\": [-0.3, 0, 0]}}]}\n"

TEST(cloth_is_coloured_by_its_strain_energy_angle_and_speed)
{
    static const char *const columns[] = {"strain_weft", "strain_warp", "strain_shear",
                                          "energy",      "bend",        "speed"};
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(SHEET);
    PxRunDef def = run_into(folder.path);
    Ends plain, ends;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    px_scene_free(scene);
    CHECK_OK(draw(folder.path, PX_SHOW_BEST, NULL, &plain));
    for (size_t k = 0; k < PX_COUNT(columns); ++k) {
        CHECK_OK(draw(folder.path, PX_SHOW_BEST, columns[k], &ends));
        CHECK(memcmp(&plain, &ends, sizeof plain) != 0);
    }
    /* the held half rests, the range is that of the cloth: its ends differ in colour */
    CHECK(abs(ends.left[2] - ends.right[2]) > 10 * abs(plain.left[2] - plain.right[2]));
    CHECK(draw(folder.path, PX_SHOW_BEST, "strain", &ends) == PX_ERR_ARGUMENT);
    CHECK(strstr(px_error_message(), "strain_weft, strain_warp, strain_shear, energy, bend") !=
          NULL);
    CHECK(strstr(px_error_message(), "pressure") == NULL); /* a column of particles */
    folder_remove(&folder);
}

TEST_MAIN()
