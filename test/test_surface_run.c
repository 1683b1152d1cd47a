/// Surfaces of the frames of a run: files for other programs, and damaged frames.
#include "check.h"
#include "folder.h"

#include "base/random.h"
#include "phyxel/store.h"
#include "phyxel/surface.h"
#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "store/frame.h"
#include "store/ply_points.h"
#include "store/surface_ply.h"

static const PxThreads one = {.count = 1};

/* A frame with a cube of n^3 particles, moving at (1, 2, 3) m/s and coloured by x. */
static void write_frame(const char *dir, uint32_t number, int n, float spoil)
{
    PxTable table;
    px_table_init(&table, NULL);
    static const struct {
        const char *name;
        PxType type;
        uint32_t components;
    } columns[] = {{"id", PX_U64, 1},          {"position", PX_F32, 3}, {"velocity", PX_F32, 3},
                   {"temperature", PX_F32, 1}, {"colour", PX_F32, 3},   {"level", PX_F64, 1}};
    for (size_t c = 0; c < PX_COUNT(columns); ++c)
        CHECK_OK(px_table_add(&table, columns[c].name, "", columns[c].type, columns[c].components,
                              PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_append(&table, (size_t)(n * n * n), NULL));
    for (int i = 0; i < n * n * n; ++i) {
        const int at[3] = {i % n, i / n % n, i / n / n};
        ((uint64_t *)table.column[0].data[0])[i] = 100 + (uint64_t)i;
        for (int a = 0; a < 3; ++a) {
            ((float *)table.column[1].data[a])[i] = 0.1f * (float)at[a];
            ((float *)table.column[2].data[a])[i] = (float)(1 + a);
            ((float *)table.column[4].data[a])[i] = a == 0 ? 1.0f : 0.25f;
        }
        ((float *)table.column[3].data[0])[i] = 42.0f;
        ((double *)table.column[5].data[0])[i] = 7.5;
    }
    if (spoil != 0.0f)
        ((float *)table.column[1].data[2])[5] = spoil;
    PxFrameMeta meta = {
        .number = number, .time = 0.1 * number, .spacing = 0.1, .up = 'y', .name = "cubes"};
    folder_of_run(dir);
    CHECK_OK(px_frame_write(dir, &meta, &table, &one));
    px_table_free(&table);
}

static PxSurfaceRunDef run_def(const Folder *folder)
{
    PxSurfaceRunDef def = px_surface_run_def_default();
    def.dir = folder->path;
    def.surface.threads = 1;
    return def;
}

TEST(a_written_surface_is_read_back_closed_with_all_columns)
{
    Folder folder = folder_make();
    write_frame(folder.path, 1, 6, 0);
    PxSurfaceRunDef def = run_def(&folder);
    PxSurfaceReport report;
    def.columns = "level";
    CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.made, 1);
    CHECK(!report.scene);
    PxMesh *mesh;
    CHECK_OK(px_mesh_read_file(folder_file(&folder, "surface/000001.ply"), &mesh));
    CHECK_OK(px_mesh_check_closed(mesh, "surface"));
    CHECK_NEAR(px_mesh_volume(mesh), 0.2, 0.016); /* 6^3 spacings, less round edges */
    CHECK(mesh->normal != NULL && mesh->colour != NULL);
    /* The rest by the header's own account. */
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(folder_file(&folder, "surface/000001.ply"), 1 << 24, &bytes, &size));
    char *end = strstr(bytes, "end_header\n");
    static const char *const names[] = {"x",     "y",    "z",  "nx", "ny", "nz",          "red",
                                        "green", "blue", "vx", "vy", "vz", "temperature", "level"};
    size_t at = 0;
    const char *line = strstr(bytes, "property ");
    for (size_t k = 0; k < PX_COUNT(names); ++k, line = strstr(line + 1, "property ")) {
        char type[20], name[40];
        CHECK_EQUAL(sscanf(line, "property %19s %39s", type, name), 2);
        CHECK_TEXT(name, names[k]);
        CHECK_TEXT(type, k >= 6 && k < 9 ? "uchar" : "float");
        at += k >= 6 && k < 9 ? 1 : 4;
    }
    CHECK_EQUAL(at, 47);
    const uint8_t *rows = (const uint8_t *)end + strlen("end_header\n");
    CHECK_EQUAL(size - (size_t)(rows - (uint8_t *)bytes),
                47 * (size_t)mesh->vertex_count + 13 * (size_t)mesh->triangle_count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint8_t *row = rows + 47 * (size_t)v;
        float value[5];
        CHECK_EQUAL(row[24], 255);
        CHECK(row[25] == 64 && row[26] == 64);
        memcpy(value, row + 27, sizeof value);
        static const double wanted[5] = {1, 2, 3, 42, 7.5};
        for (int k = 0; k < 5; ++k)
            CHECK_NEAR((double)value[k], wanted[k], 1e-4 * wanted[k]);
    }
    px_list_free(bytes);
    px_mesh_free(mesh);
    folder_remove(&folder);
}

/* Writes the first `size` bytes of a file, one of them changed. */
static void spoil_file(const char *path, const char *bytes, size_t size, size_t at, char by)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size);
    CHECK(fseek(file, (long)at, SEEK_SET) == 0 && fputc(bytes[at] ^ by, file) != EOF);
    fclose(file);
}

TEST(damage_to_any_byte_of_a_surface_is_noticed_and_mended)
{
    Folder folder = folder_make();
    write_frame(folder.path, 1, 3, 0);
    PxSurfaceRunDef def = run_def(&folder);
    PxSurfaceReport report;
    CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
    char path[2 * FOLDER_PATH];
    snprintf(path, sizeof path, "%s", folder_file(&folder, "surface/000001.ply"));
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(path, 1 << 24, &bytes, &size));
    size_t head = (size_t)(strstr(bytes, "end_header\n") - (char *)bytes);
    PxExportDef out = px_export_def_default();
    out.dir = folder.path;
    out.format = "csv";
    out.what = PX_EXPORT_SURFACE;
    /* every byte of the header, some of the rest, and the file cut there */
    for (size_t at = 0; at < size; at += at < head ? 1 : size / 40 + 1) {
        spoil_file(path, bytes, size, at, 1);
        CHECK_FAILS(px_export(&out, NULL, NULL), PX_ERR_FORMAT, "000001.ply");
        if (at < head && at % 16 != 0)
            continue;
        CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
        CHECK_EQUAL(report.made, 1);
        if (at > 0) {
            spoil_file(path, bytes, at, at - 1, 0);
            CHECK_FAILS(px_export(&out, NULL, NULL), PX_ERR_FORMAT, "000001.ply");
            CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
            CHECK_EQUAL(report.made, 1);
        }
    }
    CHECK_OK(px_export(&out, NULL, NULL));
    CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.made, 0);
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(an_empty_frame_gives_an_empty_file_and_a_bad_one_keeps_earlier_files)
{
    Folder folder = folder_make();
    write_frame(folder.path, 1, 0, 0);
    write_frame(folder.path, 2, 1, 0);
    write_frame(folder.path, 3, 3, NAN);
    write_frame(folder.path, 4, 3, 1e6f);
    write_frame(folder.path, 5, 3, 1e30f);
    PxSurfaceRunDef def = run_def(&folder);
    def.measure = true;
    CHECK_FAILS(px_surface_run(&def, NULL, NULL, NULL), PX_ERR_FORMAT,
                "the position of particle 105 is not finite");
    void *bytes;
    size_t size;
    CHECK_OK(px_file_read(folder_file(&folder, "surface/000001.ply"), 1 << 20, &bytes, &size));
    CHECK(strstr(bytes, "element vertex 0\n") != NULL && strstr(bytes, "element face 0\n") != NULL);
    CHECK(strcmp((char *)bytes + size - 11, "end_header\n") == 0);
    px_list_free(bytes);
    CHECK_OK(px_file_read(folder_file(&folder, "surface/measure.csv"), 1 << 20, &bytes, &size));
    CHECK(strstr(bytes, "\n1,0.1,0,0,0,0,0,0,0,0\n2,0.2,0,1,") != NULL);
    px_list_free(bytes);
    CHECK_EQUAL(folder_count(folder_file(&folder, "surface")), 3);
    def.first = def.last = 4; /* a particle 1000 km away */
    CHECK_OK(px_surface_run(&def, NULL, NULL, NULL));
    def.first = def.last = 5;
    CHECK_FAILS(px_surface_run(&def, NULL, NULL, NULL), PX_ERR_NUMERIC, "too far away");
    folder_remove(&folder);
}

static bool stop_after_two(void *user, const PxSurfaceProgress *progress)
{
    *(uint32_t *)user = progress->done;
    return progress->done < 2;
}

TEST(a_stopped_call_continues)
{
    Folder folder = folder_make();
    for (uint32_t k = 1; k <= 4; ++k)
        write_frame(folder.path, k, 2, 0);
    PxSurfaceRunDef def = run_def(&folder);
    PxSurfaceReport report;
    uint32_t done;
    CHECK_FAILS(px_surface_run(&def, stop_after_two, &done, &report), PX_ERR_STOPPED,
                "stopped after 2 of 4 frames");
    CHECK_EQUAL(done, 2);
    CHECK_EQUAL(report.made, 2);
    CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.made, 2);
    CHECK_EQUAL(report.kept, 2);
    write_frame(folder.path, 3, 3, 0); /* the run has gone another way since */
    CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
    CHECK_EQUAL(report.made, 1);
    CHECK_EQUAL(report.kept, 3);
    folder_remove(&folder);
}

/* A coat beside frame 1: surfels around the cube of write_frame(6), blue and painted, or not. */
static void write_coat(const Folder *folder, float painted)
{
    enum { SIDE = 12, COUNT = 6 * SIDE * SIDE };
    static float position[COUNT][3], normal[COUNT][3], radius[COUNT], own[4][COUNT];
    static char name[4][40] = {"red", "green", "blue", "painted"};
    for (int i = 0; i < COUNT; ++i) {
        int axis = i / (SIDE * SIDE) / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        bool upper = i / (SIDE * SIDE) % 2 == 1;
        position[i][axis] = upper ? 0.55f : -0.05f;
        position[i][u] = 0.05f * (float)(i % SIDE) - 0.025f;
        position[i][v] = 0.05f * (float)(i / SIDE % SIDE) - 0.025f;
        normal[i][axis] = upper ? 1.0f : -1.0f;
        normal[i][u] = normal[i][v] = 0.0f;
        radius[i] = 0.05f;
        own[0][i] = own[1][i] = 0.0f;
        own[2][i] = 0.8f;
        own[3][i] = painted;
    }
    float *const column[4] = {own[0], own[1], own[2], own[3]};
    PxPlyPart part = {.vertices = COUNT,
                      .position = (const float(*)[3])position,
                      .normal = (const float(*)[3])normal,
                      .radius = radius,
                      .column = column};
    PxPlySurface surface = {.comment = "coat\n",
                            .part = &part,
                            .parts = 1,
                            .name = name,
                            .columns = 4,
                            .surfels = true};
    CHECK_OK(px_folder_make(folder_file(folder, "coat")));
    CHECK_OK(px_surface_ply_write(folder_file(folder, "coat/000001.ply"), &surface));
}

TEST(a_mesh_around_a_painted_coat_has_its_colours)
{
    for (int surfels = 0; surfels < 2; ++surfels) {
        Folder folder = folder_make();
        write_frame(folder.path, 1, 6, 0);
        write_coat(&folder, 1.0f);
        PxSurfaceRunDef def = run_def(&folder);
        PxSurfaceReport report;
        def.surfels = surfels;
        CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
        PxPlyPoints ply;
        CHECK_OK(px_ply_points_read(
            folder_file(&folder, surfels ? "surfels/000001.ply" : "surface/000001.ply"), &ply));
        const PxColumn *colour = px_table_find(&ply.points, "colour");
        const PxColumn *painted = px_table_find(&ply.points, "painted");
        CHECK(ply.points.count > 200 && colour != NULL && painted != NULL);
        for (uint32_t v = 0; v < ply.points.count; ++v) {
            CHECK(((const float *)painted->data[0])[v] == 1.0f);
            CHECK_EQUAL(((const uint8_t *)colour->data[0])[v], 0);
            CHECK_EQUAL(((const uint8_t *)colour->data[2])[v], 204);
        }
        px_ply_points_free(&ply);
        folder_remove(&folder);
    }
}

TEST(a_coat_without_colours_leaves_those_of_the_particles)
{
    Folder folder = folder_make();
    write_frame(folder.path, 1, 6, 0);
    write_coat(&folder, 0.0f);
    PxSurfaceRunDef def = run_def(&folder);
    PxSurfaceReport report;
    CHECK_OK(px_surface_run(&def, NULL, NULL, &report));
    PxPlyPoints ply;
    CHECK_OK(px_ply_points_read(folder_file(&folder, "surface/000001.ply"), &ply));
    const PxColumn *colour = px_table_find(&ply.points, "colour");
    CHECK(colour != NULL && px_table_find(&ply.points, "painted") == NULL);
    for (uint32_t v = 0; v < ply.points.count; ++v)
        CHECK_EQUAL(((const uint8_t *)colour->data[0])[v], 255);
    px_ply_points_free(&ply);
    folder_remove(&folder);
}

TEST_MAIN()
