/// Skins in scenes and runs: options, stored files, resuming.
#include "runs.h"

#include "phyxel/scene.h"
#include "phyxel/surface.h"
#include "render/subject.h"
#include "shape/texture.h"
#include "store/ply_points.h"
#include "world/attached/skins.h"
#include "world/state.h"

#include <png.h>

/* A tetrahedron with texture coordinates. */
static const char *const tetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    "vt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\n"
    "f 1/1 3/3 2/2\nf 1/1 2/2 4/4\nf 1/1 4/4 3/3\nf 2/2 3/3 4/4\n";

#define SCENE(body)                                                                                \
    "{\"phyxel\": 1, \"name\": \"skins\", \"time\": {\"frames\": 2, \"fps\": 200},\n"              \
    " \"spacing\": 0.1, \"max_step\": 0.002,\n"                                                    \
    " \"materials\": {\"rubber\": {\"density\": 1000, \"young\": 1e5},"                            \
    " \"water\": {\"density\": 1000}},\n"                                                          \
    " \"bodies\": [" body "]}"
#define CUBE "{\"name\": \"cube\", \"shape\": {\"box\": [0.5, 0.5, 0.5]}, \"material\": \"rubber\""
#define DROP                                                                                       \
    ",{\"name\": \"drop\", \"shape\": {\"box\": [0.3, 0.3, 0.3], \"at\": [2, 0, 0]},"              \
    " \"material\": \"water\"}"

static void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

/* Lower left red, lower right green, upper left blue, upper right white. */
static void put_picture(const char *path)
{
    static const uint8_t pixel[12] = {0, 0, 255, 255, 255, 255, 255, 0, 0, 0, 255, 0};
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = PNG_FORMAT_RGB};
    CHECK(png_image_write_to_file(&image, path, 0, pixel, 0, NULL));
}

static PxStatus read_scene(const char *folder, const char *text, PxScene **out)
{
    return px_scene_read_text("skin.json", folder, text, strlen(text), out);
}

static void check_complaint(const char *folder, const char *text, const char *place,
                            const char *words)
{
    PxScene *scene;
    read_scene(folder, text, &scene);
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

TEST(invalid_skins_are_refused_with_a_reason)
{
    check_complaint(NULL,
                    SCENE("{\"shape\": {\"box\": [1, 1, 1]}, \"material\": \"water\","
                          " \"surfels\": 1000}"),
                    "bodies[0].surfels", "is for solids");
    check_complaint(NULL,
                    SCENE("{\"shape\": {\"box\": [1, 1, 1]}, \"wall\": true, \"skin\": true}"),
                    "bodies[0].skin", "not for walls");
    check_complaint("/tmp", SCENE(CUBE ", \"skin\": false, \"texture\": \"a.png\"}"),
                    "bodies[0].texture", "has no surface to colour");
    check_complaint("/tmp", SCENE(CUBE ", \"skin\": true, \"texture\": \"a.png\"}"),
                    "bodies[0].texture", "the shape is a box");
    check_complaint(NULL, SCENE(CUBE ", \"surfels\": 3e6}"), "bodies[0].surfels", "2e+06");
    PxScene *scene;
    CHECK_OK(read_scene(NULL,
                        SCENE("{\"shape\": {\"box\": [1, 1, 1]}, \"material\": \"water\","
                              " \"surfels\": 0, \"skin\": false}"),
                        &scene));
    px_scene_free(scene);
}

TEST(broken_textures_are_refused_with_their_name)
{
    Folder folder = folder_make();
    PxTexture *texture;
    CHECK_FAILS(px_texture_read_file(folder_file(&folder, "none.png"), &texture), PX_ERR_IO,
                "none.png");
    CHECK_FAILS(px_texture_read_file(folder.path, &texture), PX_ERR_IO, "not an ordinary file");
    CHECK_FAILS(px_texture_read("a.png", "", 0, &texture), PX_ERR_FORMAT, "empty");
    CHECK_FAILS(px_texture_read("a.png", "hello, world", 12, &texture), PX_ERR_FORMAT, "a.png");
    put_picture(folder_file(&folder, "good.png"));
    CHECK_OK(px_texture_read_file(folder_file(&folder, "good.png"), &texture));
    CHECK_EQUAL(texture->width, 2);
    CHECK_NEAR(px_texture_at(texture, (PxUv){0.25, 0.25}).x, 1, 0);
    CHECK_NEAR(px_texture_at(texture, (PxUv){0.25, 0.75}).z, 1, 0);
    px_texture_free(texture);

    uint8_t bytes[4096];
    FILE *file = fopen(folder_file(&folder, "good.png"), "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t k = 0; k < size; ++k) { /* cut off anywhere, and with any byte changed */
        if (px_texture_read("cut", bytes, k, &texture) == PX_OK)
            CHECK(k > size - 13); /* all but the empty last chunk is there */
        px_texture_free(texture);
        bytes[k] ^= 0x55;
        if (px_texture_read("changed", bytes, size, &texture) == PX_OK)
            CHECK(texture->width == 2 && texture->height == 2);
        px_texture_free(texture);
        bytes[k] ^= 0x55;
    }
    /* 100,000 pixels wide, with a right checksum of its header */
    static const uint8_t wide[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0,    0,
                                   0,    13,  'I', 'H', 'D',  'R',  0,    1,    0x86, 0xa0,
                                   0,    0,   0,   1,   8,    2,    0,    0,    0};
    uint8_t all[sizeof wide + 4];
    memcpy(all, wide, sizeof wide);
    uint32_t crc = 0xffffffffu;
    for (size_t k = 12; k < sizeof wide; ++k) {
        crc ^= wide[k];
        for (int b = 0; b < 8; ++b)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    crc = ~crc;
    for (int k = 0; k < 4; ++k)
        all[sizeof wide + (size_t)k] = (uint8_t)(crc >> (24 - 8 * k));
    CHECK_FAILS(px_texture_read("wide", all, sizeof all, &texture), PX_ERR_FORMAT, "wide");

    put_file(folder_file(&folder, "t.obj"), tetrahedron, strlen(tetrahedron));
    put_file(folder_file(&folder, "bad.png"), "hello", 5);
#define MESH(picture)                                                                              \
    SCENE("{\"name\": \"m\", \"shape\": {\"mesh\": \"t.obj\"}, \"material\": \"rubber\","          \
          " \"surfels\": 500, \"texture\": \"" picture "\"}")
    check_complaint(folder.path, MESH("bad.png"), "bodies[0].texture", "bad.png");
    check_complaint(folder.path, MESH("gone.png"), "bodies[0].texture", "cannot be opened");
    PxScene *scene;
    PxWorld *world;
    CHECK_OK(read_scene(folder.path, MESH("bad.png"), &scene));
    CHECK_FAILS(px_scene_world(scene, 1, &world), PX_ERR_FORMAT, "bad.png");
    px_scene_free(scene);
    CHECK_OK(read_scene(folder.path, MESH("good.png"), &scene));
    CHECK_OK(px_scene_check(scene));
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_EQUAL(px_world_skin_count(world), 1);
    CHECK(px_world_skin(world, 0)->skin->painted);
    px_world_free(world);
    px_scene_free(scene);
    folder_remove(&folder);
}

static void read_ply(const char *dir, const char *name, PxPlyPoints *out)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    CHECK_OK(px_ply_points_read(path, out));
}

TEST(a_run_stores_skins_with_every_frame)
{
    Folder folder = folder_make();
    PxScene *scene;
    CHECK_OK(read_scene(NULL, SCENE(CUBE ", \"surfels\": 800, \"skin\": true}" DROP), &scene));
    PxRunDef def = run_into(folder.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    for (int frame = 0; frame <= 2; ++frame) {
        char name[64];
        PxPlyPoints skin, surfels;
        snprintf(name, sizeof name, "skin/%06d.ply", frame);
        read_ply(folder.path, name, &skin);
        snprintf(name, sizeof name, "skin-surfels/%06d.ply", frame);
        read_ply(folder.path, name, &surfels);
        CHECK(skin.faces && skin.triangles > 12);
        CHECK(!surfels.faces && surfels.points.count > 600 && surfels.points.count < 1100);
        CHECK_NEAR(skin.time, frame / 200.0, 1e-12);
        static const char *const columns[] = {"position", "normal", "velocity",   "colour",
                                              "radius",   "body",   "half_axis_1"};
        for (size_t k = 0; k < PX_COUNT(columns); ++k)
            CHECK(px_table_find(&surfels.points, columns[k]) != NULL);
        const float *y = px_table_find(&skin.points, "position")->data[1];
        double high = -1e9;
        for (uint32_t k = 0; k < skin.points.count; ++k)
            high = fmax(high, (double)y[k]);
        /* it falls: g t^2 / 2, a step of 2 ms more or less */
        double t = frame / 200.0;
        CHECK_NEAR(high, 0.25 - 0.5 * 9.81 * t * t, 9.81 * t * 0.0025 + 1e-6);
        px_ply_points_free(&skin);
        px_ply_points_free(&surfels);
    }
    /* Overwriting begins with none. */
    put_file(folder_file(&folder, "skin/000009.ply"), "x", 1);
    def.overwrite = true;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    CHECK(access(folder_file(&folder, "skin/000009.ply"), F_OK) != 0);
    CHECK(access(folder_file(&folder, "skin/000002.ply"), F_OK) == 0);
    px_scene_free(scene);
    folder_remove(&folder);
}

/* How many particles of a frame are shown by a skin. */
static uint32_t skinned_in(const PxSubject *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; s->skinned != NULL && i < s->particles.count; ++i)
        count += s->skinned[i];
    return count;
}

TEST(skins_are_shown_exported_and_left_out_of_other_surfaces)
{
    Folder folder = folder_make();
    PxScene *scene;
    CHECK_OK(read_scene(NULL, SCENE(CUBE ", \"surfels\": 800, \"skin\": true}" DROP), &scene));
    PxRunDef def = run_into(folder.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    px_scene_free(scene);

    static const PxShow shows[] = {PX_SHOW_BEST, PX_SHOW_SURFACE, PX_SHOW_SURFELS,
                                   PX_SHOW_PARTICLES};
    static const PxShow skins[] = {PX_SHOW_SURFACE, PX_SHOW_SURFACE, PX_SHOW_SURFELS,
                                   PX_SHOW_PARTICLES};
    PxThreads threads = {.count = 1};
    for (size_t k = 0; k < PX_COUNT(shows); ++k) {
        PxSubject subject;
        CHECK_OK(px_subject_read(folder.path, 2, shows[k], &threads, &subject));
        CHECK_EQUAL(subject.shown, PX_SHOW_PARTICLES); /* of the drop */
        CHECK_EQUAL(subject.skin, skins[k]);
        CHECK_EQUAL(skinned_in(&subject), skins[k] == PX_SHOW_PARTICLES ? 0 : 125);
        px_subject_free(&subject);
    }

    PxSurfaceRunDef surface = px_surface_run_def_default();
    surface.dir = folder.path;
    CHECK_OK(px_surface_run(&surface, NULL, NULL, NULL));
    PxPlyPoints ply;
    read_ply(folder.path, "surface/000002.ply", &ply);
    CHECK(ply.points.count > 20);
    const float *x = px_table_find(&ply.points, "position")->data[0];
    for (uint32_t k = 0; k < ply.points.count; ++k)
        CHECK(x[k] > 1); /* where the drop is */
    px_ply_points_free(&ply);
    PxSubject both;
    CHECK_OK(px_subject_read(folder.path, 2, PX_SHOW_BEST, &threads, &both));
    CHECK(both.shown == PX_SHOW_SURFACE && both.skin == PX_SHOW_SURFACE);
    px_subject_free(&both);

    PxExportDef out = px_export_def_default();
    out.dir = folder.path;
    out.format = "stl";
    CHECK_OK(px_export(&out, NULL, NULL));
    CHECK(access(folder_file(&folder, "stl-skin/000002.stl"), F_OK) == 0);
    out.format = "ply";
    out.up = 'z';
    out.what = PX_EXPORT_SKIN_SURFELS;
    CHECK_OK(px_export(&out, NULL, NULL));
    CHECK(access(folder_file(&folder, "ply-skin-surfels/000002.ply"), F_OK) == 0);
    out.material = "rubber";
    CHECK_FAILS(px_export(&out, NULL, NULL), PX_ERR_ARGUMENT, "not for skins");
    folder_remove(&folder);
}

static bool stop_after_one(void *user, const PxRunProgress *progress)
{
    (void)user;
    return progress->frame < 1;
}

TEST(a_resumed_run_has_the_same_skins)
{
    Folder whole = folder_make(), parts = folder_make();
    PxScene *scene;
    CHECK_OK(read_scene(NULL, SCENE(CUBE ", \"surfels\": 800, \"skin\": true}" DROP), &scene));
    PxRunDef def = run_into(whole.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    def = run_into(parts.path);
    def.threads = 3;
    CHECK_FAILS(px_run(scene, &def, stop_after_one, NULL, NULL), PX_ERR_STOPPED, "stopped");
    def.resume = true;
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    Holding *wanted = holding_of(whole.path);
    CHECK_HOLDS(parts.path, wanted);
    free(wanted);
    CHECK(same_ply(whole.path, parts.path, "skin/000002.ply"));
    CHECK(same_ply(whole.path, parts.path, "skin-surfels/000002.ply"));
    px_scene_free(scene);
    folder_remove(&whole);
    folder_remove(&parts);
}

TEST(absorbed_deformation_of_a_skin_is_stored_and_restored)
{
    PxScene *scene;
    CHECK_OK(read_scene(NULL, SCENE(CUBE ", \"surfels\": 800, \"skin\": true}" DROP), &scene));
    PxWorld *one, *two;
    CHECK_OK(px_scene_world(scene, 1, &one));
    CHECK_OK(px_scene_world(scene, 1, &two));
    PxTable table[PX_SKIN_TABLES];
    for (int k = 0; k < PX_SKIN_TABLES; ++k)
        px_table_init(&table[k], NULL);
    CHECK_OK(px_world_advance(one, 0.02));
    PxSolidMaps maps;
    CHECK_OK(px_world_solid_maps(one, &maps));
    CHECK_OK(px_world_absorb_skins(one, 0, &maps));
    CHECK_OK(px_world_store_skins(one, table));
    CHECK_EQUAL(table[PX_SKINS].count, 2);
    CHECK_EQUAL(table[PX_SKIN_POINTS].count,
                px_world_skin(one, 0)->skin->base.count + px_world_skin(one, 1)->skin->base.count);
    CHECK_OK(px_world_restore_skins(two, table));
    for (size_t k = 0; k < 2; ++k) {
        const PxSkin *a = px_world_skin(one, k)->skin, *b = px_world_skin(two, k)->skin;
        uint64_t hash[2][2];
        px_table_hash(&a->base, PX_COLUMN_STATE, hash[0]);
        px_table_hash(&b->base, PX_COLUMN_STATE, hash[1]);
        CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
        CHECK(b->absorbed && memcmp(&a->rest_origin, &b->rest_origin, sizeof a->rest_origin) == 0);
    }
    table[PX_SKINS].count = 1;
    CHECK_FAILS(px_world_restore_skins(two, table), PX_ERR_FORMAT, "not those");
    table[PX_SKINS].count = 2;
    table[PX_SKIN_POINTS].count -= 1;
    CHECK_FAILS(px_world_restore_skins(two, table), PX_ERR_FORMAT, "not those");
    for (int k = 0; k < PX_SKIN_TABLES; ++k)
        px_table_free(&table[k]);
    px_world_free(one);
    px_world_free(two);
    px_scene_free(scene);
}

TEST_MAIN()
