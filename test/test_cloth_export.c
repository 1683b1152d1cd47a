/// Cloth beside a skinned solid in exports: values of triangles, wetness, subdivision,
/// refusals.
#include "runs.h"

#include "store/frame.h"
#include "store/ply_points.h"

#include "phyxel/scene.h"

/* A jelly cube with a skin, and a sheet of 2 x 2 cells of which half is held. */
static const char *const text =
    "{\"phyxel\": 1, \"name\": \"sheet\", \"time\": {\"frames\": 1, \"fps\": 20}, \"spacing\": "
    "0.1,\n"
    " \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.2}},\n"
    "  \"jelly\": {\"density\": 1000, \"young\": 1e5}},\n"
    " \"bodies\": [{\"name\": \"sheet\", \"material\": \"cotton\", \"shape\":\n"
    "   {\"sheet\": {\"width\": 1, \"length\": 1, \"columns\": 2, \"rows\": 2}}},\n"
    "  {\"name\": \"cube\", \"material\": \"jelly\", \"skin\": true,\n"
    "   \"shape\": {\"box\": [0.5, 0.5, 0.5], \"at\": [3, 0, 0]}}],\n"
    " \"handles\": [{\"name\": \"hand\", \"body\": \"sheet\",\n"
    "   \"shape\": {\"box\": [1.2, 0.1, 2], \"at\": [-0.5, 0, 0]}}]}\n";

static void export_to(const Folder *folder, const char *format, uint32_t smooth)
{
    PxExportDef def = px_export_def_default();
    def.dir = folder->path;
    def.format = format;
    def.smooth = smooth;
    CHECK_OK(px_export(&def, NULL, NULL));
}

static Folder run_scene(const char *of)
{
    Folder folder = folder_make();
    PxScene *scene = tiny_scene(of);
    PxRunDef def = run_into(folder.path);
    CHECK_OK(px_run(scene, &def, NULL, NULL, NULL));
    px_scene_free(scene);
    return folder;
}

static float value(const PxTable *points, const char *name, uint32_t row)
{
    const PxColumn *c = px_table_find(points, name);
    CHECK(c != NULL && c->type == PX_F32);
    return ((const float *)c->data[0])[row];
}

TEST(points_of_cloth_have_the_values_of_its_triangles)
{
    Folder folder = run_scene(text);
    PxThreads threads = {.count = 1};
    PxPlyPoints skin, out;
    PxTable vertices, faces;
    export_to(&folder, "ply", 0);
    px_table_init(&vertices, NULL);
    px_table_init(&faces, NULL);
    CHECK_OK(px_frame_read_sheets(folder.path, 1, &vertices, &faces, &threads));
    CHECK_EQUAL(vertices.count, 9);
    CHECK_EQUAL(faces.count, 8);
    CHECK_OK(px_ply_points_read(folder_file(&folder, "skin/000001.ply"), &skin));
    CHECK_OK(px_ply_points_read(folder_file(&folder, "ply-skin/000001.ply"), &out));
    CHECK_EQUAL(out.points.count, skin.points.count);
    CHECK(skin.points.count > 9);
    double in_faces = 0, in_points = 0;
    float bend = 0, most = 0;
    for (uint32_t f = 0; f < faces.count; ++f) {
        in_faces += (double)value(&faces, "energy", f);
        bend = fmaxf(bend, value(&faces, "bend", f));
    }
    for (uint32_t v = 0; v < out.points.count; ++v) {
        in_points += (double)value(&out.points, "energy", v);
        most = fmaxf(most, value(&out.points, "bend", v));
        if (v < out.points.count - 9) /* the cube */
            CHECK(value(&out.points, "bend", v) == 0);
    }
    CHECK(bend > 0.01f);
    CHECK(most == bend);
    CHECK_NEAR(in_points, in_faces, 1e-6 * in_faces);
    px_ply_points_free(&skin);
    px_ply_points_free(&out);
    px_table_free(&vertices);
    px_table_free(&faces);
    folder_remove(&folder);
}

/* A drop falls on the middle of a sheet, which takes it up. */
static const char *const wet =
    "{\"phyxel\": 1, \"name\": \"wet\", \"time\": {\"frames\": 3, \"fps\": 50}, \"spacing\": "
    "0.02,\n"
    " \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.3, \"thickness\": "
    "0.006,\n"
    "   \"pores\": 0.8, \"absorption\": 1e-3}}, \"water\": {\"density\": 1000}},\n"
    " \"bodies\": [{\"name\": \"sheet\", \"material\": \"cotton\", \"shape\":\n"
    "   {\"sheet\": {\"width\": 0.6, \"length\": 0.6, \"columns\": 16, \"rows\": 16}}},\n"
    "  {\"name\": \"drop\", \"material\": \"water\",\n"
    "   \"shape\": {\"box\": [0.12, 0.04, 0.12], \"at\": [0, 0.04, 0]}, \"velocity\": [0, -1, "
    "0]}]}\n";

TEST(points_of_cloth_say_how_wet_they_are)
{
    Folder folder = run_scene(wet);
    PxThreads threads = {.count = 1};
    PxPlyPoints fine, coarse;
    PxTable vertices, faces;
    void *index;
    size_t size;
    export_to(&folder, "ply", 0);
    CHECK_OK(px_ply_points_read(folder_file(&folder, "ply-skin/000003.ply"), &coarse));
    export_to(&folder, "ply", 1);
    CHECK_OK(px_ply_points_read(folder_file(&folder, "ply-skin/000003.ply"), &fine));
    px_table_init(&vertices, NULL);
    px_table_init(&faces, NULL);
    CHECK_OK(px_frame_read_sheets(folder.path, 3, &vertices, &faces, &threads));
    CHECK_EQUAL(vertices.count, 17 * 17);
    CHECK_EQUAL(coarse.points.count, 17 * 17);
    const double *water = px_table_find(&vertices, "water")->data[0];
    float most = 0;
    for (uint32_t v = 0; v < vertices.count; ++v) {
        float s = value(&vertices, "saturation", v);
        CHECK(s >= 0 && s <= 1);
        CHECK(s == 0 || water[v] > 0);
        CHECK(value(&coarse.points, "saturation", v) == s);
        /* the only liquid is the second material */
        CHECK(value(&coarse.points, "liquid_1", v) == (water[v] > 0 ? 1.0f : 0.0f));
        most = fmaxf(most, s);
        /* a vertex has a third of its triangles, each half a cell of 0.6 x 0.6 / 16 x 16 m^2, and
         * their pores hold 0.8 x 6 mm of water */
        double share = 0;
        for (int k = 0; k < 3; ++k)
            for (uint32_t f = 0; f < faces.count; ++f)
                if (((const uint32_t *)px_table_find(&faces, "corner")->data[k])[f] == v)
                    share += 0.36 / 256 / 6;
        CHECK_NEAR((double)s, fmin(water[v] / (share * 0.8 * 0.006 * 1000), 1), 1e-6);
    }
    CHECK(most > 0.1f);
    CHECK(value(&vertices, "saturation", 0) < 1e-3f);
    float between = 0;
    for (uint32_t v = 0; v < fine.points.count; ++v) {
        float s = value(&fine.points, "saturation", v);
        CHECK(s >= 0 && s <= most);
        between = fmaxf(between, s);
    }
    CHECK(between > 0.5f * most);
    CHECK_OK(px_file_read(folder_file(&folder, "cloth.xdmf"), 1 << 20, &index, &size));
    CHECK(strstr(index, "<Attribute Name=\"saturation\" AttributeType=\"Scalar\" Center=\"Node\">"
                        "<DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"4\" "
                        "Dimensions=\"289\">frames/000003.h5:/cloth/saturation<") != NULL);
    px_list_free(index);
    export_to(&folder, "vtp", 0);
    CHECK_OK(px_file_read(folder_file(&folder, "vtp-skin/000003.vtp"), 1 << 24, &index, &size));
    CHECK(strstr(index, "Name=\"saturation\"") != NULL);
    px_list_free(index);
    px_ply_points_free(&coarse);
    px_ply_points_free(&fine);
    px_table_free(&vertices);
    px_table_free(&faces);
    folder_remove(&folder);
}

TEST(cloth_is_subdivided_and_skins_of_solids_are_not)
{
    Folder folder = run_scene(text);
    PxPlyPoints skin, out;
    export_to(&folder, "ply", 2);
    CHECK_OK(px_ply_points_read(folder_file(&folder, "skin/000001.ply"), &skin));
    CHECK_OK(px_ply_points_read(folder_file(&folder, "ply-skin/000001.ply"), &out));
    uint32_t solid = skin.triangles - 8, corner = skin.points.count - 9;
    CHECK_EQUAL(out.triangles, solid + 16 * 8);
    CHECK_EQUAL(out.points.count, corner + 81);
    for (uint32_t v = 0; v < corner; ++v)
        CHECK(value(&out.points, "position", v) == value(&skin.points, "position", v));
    CHECK(memcmp(out.triangle, skin.triangle, solid * sizeof *out.triangle) == 0);
    /* corners of the sheet stay where they are, and so do those of its texture */
    CHECK(value(&out.points, "position", corner) == value(&skin.points, "position", corner));
    CHECK(value(&out.points, "s", corner + 2) == 1 && value(&out.points, "t", corner + 2) == 0);
    const uint32_t *material = px_table_find(&out.points, "material")->data[0];
    for (uint32_t v = corner; v < out.points.count; ++v) {
        CHECK_EQUAL(material[v], material[corner]);
        CHECK(value(&out.points, "body", v) == value(&skin.points, "body", corner));
    }
    px_ply_points_free(&skin);
    px_ply_points_free(&out);
    folder_remove(&folder);
}

TEST(other_things_than_cloth_are_not_subdivided)
{
    Folder folder = run_scene(text);
    PxExportDef def = px_export_def_default();
    def.dir = folder.path;
    def.smooth = 1;
    def.what = PX_EXPORT_PARTICLES;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "only cloth");
    def.what = PX_EXPORT_SKIN;
    def.smooth = 5;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "smooth is 5");
    folder_remove(&folder);
}

TEST_MAIN()
