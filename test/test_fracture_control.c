/// Control of fracture: cracks that are painted, strength on a grid, the size of the smallest
/// piece; closed meshes of pieces in OBJ files; wrong pictures and volumes are refused.
#include "runs.h"

#include "phyxel/scene.h"
#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "world/fracture_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <png.h>

/* A bar that is pulled at both ends. */
#define BAR(law, more)                                                                             \
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], \"time\": {\"frames\": 3, "        \
    "\"fps\": 5}, \"materials\": {\"stone\": {\"density\": 1000, \"young\": 1e6, \"poisson\": "    \
    "0, "                                                                                          \
    "\"damping\": 30, \"fracture\": {" law "}}, \"rubber\": {\"density\": 1000, \"young\": 1e6}}," \
    " \"bodies\": [{\"name\": \"bar\", \"shape\": {\"box\": [0.36, 0.12, 0.06]}, " more "}], "     \
    "\"handles\": [{\"name\": \"left\", \"shape\": {\"box\": [0.05, 0.2, 0.2], \"at\": [-0.18, "   \
    "0, 0]}, \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [-0.02, 0, 0]}]}, {\"name\": "     \
    "\"right\", \"shape\": {\"box\": [0.05, 0.2, 0.2], \"at\": [0.18, 0, 0]}, \"keyframes\": "     \
    "[{\"at\": 0}, {\"at\": 1, \"move\": [0.02, 0, 0]}]}]}"

#define LAW "\"strength\": 2e4, \"shield\": 0.2"

/* A stroke across the bar, at x = 0.03 m in the middle and inclined by 30 degrees. */
static double stroke_at(double y)
{
    return 0.03 + 0.577 * y;
}

static void put_picture(const char *path, bool stroke)
{
    enum { WIDE = 180, HIGH = 60 };
    uint8_t pixel[3 * WIDE * HIGH];
    for (int j = 0; j < HIGH; ++j)
        for (int i = 0; i < WIDE; ++i) {
            double x = 0.36 * ((i + 0.5) / WIDE - 0.5), y = 0.12 * (0.5 - (j + 0.5) / HIGH);
            bool dark = stroke && fabs(x - stroke_at(y)) < 0.022;
            memset(pixel + 3 * (WIDE * j + i), dark ? 0 : 255, 3);
        }
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = WIDE, .height = HIGH, .format = PNG_FORMAT_RGB};
    CHECK(png_image_write_to_file(&image, path, 0, pixel, 0, NULL));
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static PxWorld *world_in(const Folder *folder, const char *text)
{
    PxScene *scene;
    PxWorld *world;
    CHECK_OK(px_scene_read_text("bar.json", folder->path, text, strlen(text), &scene));
    px_scene_check(scene);
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k)
        print_message("%s\n", px_scene_complaint(scene, k)->text);
    CHECK_OK(px_scene_world(scene, 2, &world));
    px_scene_free(scene);
    return world;
}

static PxStats stats_of(PxWorld *world)
{
    PxStats stats;
    px_world_stats(world, &stats);
    return stats;
}

/* Largest distance of a crack's vertices from the stroke along x, m. */
static double off_stroke(const PxWorld *world)
{
    const PxColumn *rest = px_table_find(&world->crack[PX_CRACK_VERTICES], "rest");
    double most = 0;
    for (uint32_t k = 0; k < world->crack[PX_CRACK_VERTICES].count; ++k) {
        double x = (double)((const float *)rest->data[0])[k];
        most = fmax(most, fabs(x - stroke_at((double)((const float *)rest->data[1])[k])));
    }
    return most;
}

TEST(a_bar_breaks_along_a_stroke_that_is_inclined_to_its_tension)
{
    Folder folder = folder_make();
    put_picture(folder_file(&folder, "cracks.png"), true);
    PxWorld *world = world_in(&folder, BAR(LAW ", \"score_depth\": 0.8",
                                           "\"material\": \"stone\", \"cracks\": \"cracks.png\""));
    CHECK_OK(px_world_advance(world, 0.6));
    CHECK(stats_of(world).fragments == 2);
    /* two cells; across the tension it would be 0.035 m off at the sides */
    double off = off_stroke(world);
    if (!(off < 0.03))
        fail_msg("cracks are up to %g m off the stroke", off);
    px_world_free(world);
    folder_remove(&folder);
}

TEST(a_volume_of_factors_says_where_it_is_weak)
{
    Folder folder = folder_make();
    put_text(folder_file(&folder, "weak.nrrd"),
             "NRRD0004\ntype: float\ndimension: 3\nsizes: 7 1 1\nencoding: ascii\n\n"
             "1 1 0.3 1 1 1 1\n");
    PxWorld *world =
        world_in(&folder, BAR(LAW, "\"material\": \"stone\", \"strength\": \"weak.nrrd\""));
    while (stats_of(world).crack_area == 0)
        CHECK_OK(px_world_step(world, 1));
    /* the third sample is at -0.06 m */
    const float *x = px_table_find(&world->crack[PX_CRACK_VERTICES], "rest")->data[0];
    for (uint32_t k = 0; k < world->crack[PX_CRACK_VERTICES].count; ++k)
        CHECK(fabsf(x[k] + 0.06f) < 0.04f);
    px_world_free(world);
    folder_remove(&folder);
}

static void check_refused(const Folder *folder, const char *body, const char *place,
                          const char *words)
{
    char text[4000];
    snprintf(text, sizeof text, BAR(LAW, "%s"), body);
    PxScene *scene;
    px_scene_read_text("bar.json", folder->path, text, strlen(text), &scene);
    px_scene_check(scene);
    bool found = false;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        found = found || (strcmp(c->place, place) == 0 && strstr(c->text, words) != NULL);
    }
    if (!found)
        fail_msg("no complaint at %s with '%s'; the first is '%s'", place, words,
                 px_scene_complaint_count(scene) > 0 ? px_scene_complaint(scene, 0)->text : "none");
    px_scene_free(scene);
}

TEST(wrong_paint_is_refused_with_a_clear_word)
{
    Folder folder = folder_make();
    put_picture(folder_file(&folder, "cracks.png"), true);
    put_picture(folder_file(&folder, "white.png"), false);
    put_text(folder_file(&folder, "below.nrrd"),
             "NRRD0004\ntype: float\ndimension: 3\nsizes: 2 1 1\nencoding: ascii\n\n1 -1\n");
    put_text(folder_file(&folder, "short.nrrd"),
             "NRRD0004\ntype: float\ndimension: 3\nsizes: 7 2 1\nencoding: ascii\n\n1 1\n");
    check_refused(&folder, "\"material\": \"rubber\", \"cracks\": \"cracks.png\"",
                  "bodies[0].cracks", "solids that break");
    check_refused(&folder, "\"material\": \"stone\", \"cracks\": \"none.png\"", "bodies[0].cracks",
                  "none.png");
    check_refused(&folder, "\"material\": \"stone\", \"cracks_by_colour\": true",
                  "bodies[0].cracks_by_colour", "colours of its vertices");
    check_refused(&folder, "\"material\": \"stone\", \"strength\": \"below.nrrd\"",
                  "bodies[0].strength", "wanted 0 or more");
    check_refused(&folder, "\"material\": \"stone\", \"strength\": \"short.nrrd\"",
                  "bodies[0].strength", "short.nrrd");
    const char *text = BAR(LAW, "\"material\": \"stone\", \"cracks\": \"white.png\"");
    PxScene *scene;
    PxWorld *world = NULL;
    CHECK_OK(px_scene_read_text("bar.json", folder.path, text, strlen(text), &scene));
    CHECK_FAILS(px_scene_world(scene, 1, &world), PX_ERR_ARGUMENT, "no particle is under");
    px_scene_free(scene);
    folder_remove(&folder);
}

/* ---- pieces -------------------------------------------------------------------------- */

TEST(pieces_are_closed_meshes_with_two_materials_in_obj_files)
{
    Folder folder = folder_make();
    PxScene *scene;
    const char *text = BAR(LAW ", \"inside\": [1, 0, 0]", "\"material\": \"stone\"");
    CHECK_OK(px_scene_read_text("bar.json", NULL, text, strlen(text), &scene));
    PxRunDef def = run_into(folder.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    px_scene_free(scene);
    PxExportDef out = px_export_def_default();
    out.dir = folder.path;
    out.format = "obj";
    CHECK_OK(px_export(&out, NULL, NULL));
    for (int frame = 0; frame <= 3; frame += 3) {
        char name[64], line[200];
        snprintf(name, sizeof name, "obj-skin/%06d.obj", frame);
        FILE *file = fopen(folder_file(&folder, name), "r");
        CHECK(file != NULL);
        uint32_t objects = 0, inside = 0, outside = 0, red = 0;
        while (fgets(line, sizeof line, file) != NULL) {
            objects += strncmp(line, "o body_0_piece_", 15) == 0;
            inside += strcmp(line, "usemtl material_0_inside\n") == 0;
            outside += strcmp(line, "usemtl material_0\n") == 0;
            red += strncmp(line, "v ", 2) == 0 && strstr(line, " 1 0 0\n") != NULL;
        }
        fclose(file);
        CHECK(frame == 0 ? objects == 1 : objects >= 2);
        CHECK_EQUAL(outside, objects);
        CHECK_EQUAL(inside, frame == 0 ? 0 : objects);
        CHECK(frame == 0 ? red == 0 : red > 20);
        PxMesh *mesh;
        CHECK_OK(px_mesh_read_file(folder_file(&folder, name), &mesh));
        CHECK_OK(px_mesh_check_closed(mesh, name));
        px_mesh_free(mesh);
    }
    folder_remove(&folder);
}

/* Mean number of pieces of six bars that spin apart at 28 to 33 rad/s. */
static double spun_apart(const char *spacing, const char *law)
{
    double pieces = 0;
    for (int spin = 28; spin < 34; ++spin) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": %s, \"gravity\": [0, 0, 0], \"materials\": "
                 "{\"stone\": {\"density\": 1000, \"young\": 1e6, \"poisson\": 0, \"fracture\": "
                 "{\"strength\": 2e4, \"shield\": 0.1%s}}}, \"bodies\": [{\"name\": \"bar\", "
                 "\"skin\": false, \"material\": \"stone\", \"shape\": {\"box\": [0.4, 0.08, "
                 "0.08]}, \"spin\": [0, 0, %d]}]}",
                 spacing, law, spin);
        PxScene *scene;
        PxWorld *world;
        CHECK_OK(px_scene_read_text("bar.json", NULL, text, strlen(text), &scene));
        CHECK_OK(px_scene_world(scene, 2, &world));
        px_scene_free(scene);
        CHECK_OK(px_world_advance(world, 0.1));
        pieces += (double)stats_of(world).fragments / 6;
        px_world_free(world);
    }
    return pieces;
}

PHYSICS(twice_the_resolution_gives_as_many_pieces)
{
    double coarse = spun_apart("0.02", ""), fine = spun_apart("0.01", "");
    double all = spun_apart("0.01", ", \"smallest\": 0.001");
    print_message("%.2f pieces, %.2f at half the spacing, %.2f of all sizes\n", coarse, fine, all);
    CHECK_NEAR(fine, coarse, 0.3 * coarse);
    /* without a least size groups of a few particles come off too */
    CHECK(all > 1.3 * coarse);
}

/* A block that is blown apart in all directions. */
PHYSICS(single_particles_between_cracks_do_not_shorten_the_sub_steps)
{
    static const char text[] =
        "{\"phyxel\": 1, \"spacing\": 0.01, \"gravity\": [0, 0, 0], \"materials\": {\"stone\": "
        "{\"density\": 1000, \"young\": 2e6, \"damping\": 5, \"fracture\": {\"strength\": 2e4}}}, "
        "\"bodies\": [{\"name\": \"b\", \"skin\": false, \"material\": \"stone\", \"shape\": "
        "{\"box\": [0.1, 0.1, 0.1]}}], \"fields\": [{\"kind\": \"attractor\", \"strength\": -3000, "
        "\"end\": 0.01}]}";
    PxScene *scene;
    PxWorld *world;
    CHECK_OK(px_scene_read_text("b.json", NULL, text, strlen(text), &scene));
    CHECK_OK(px_scene_world(scene, 2, &world));
    px_scene_free(scene);
    CHECK_OK(px_world_advance(world, 0.05));
    PxStats stats = stats_of(world);
    CHECK(stats.fragments > 4);
    double sub_step = stats.dt / (double)stats.iterations;
    if (!(sub_step > 1e-5))
        fail_msg("sub-steps of %g s, wanted 1e-5 and more", sub_step);
    px_world_free(world);
}

TEST_MAIN()
