/// Exporters: what other programs will read is what the frames hold.
#include "check.h"
#include "folder.h"
#include "sample.h"

#include "phyxel/store.h"

#include <sys/wait.h>

static const PxThreads one = {1};

/* noinline: GCC 12 takes what it returns for the address of its local otherwise. */
__attribute__((noinline)) static uint8_t *slurp(const char *path, size_t *size)
{
    void *bytes;
    CHECK_OK(px_file_read(path, 1 << 26, &bytes, size));
    return bytes;
}

static void export_to(const Folder *folder, const char *format)
{
    PxExportDef def = px_export_def_default();
    def.dir = folder->path;
    def.format = format;
    def.threads = 1;
    CHECK_OK(px_export(&def, NULL, NULL));
}

/* The table a frame of the sample run was made from. */
static void original(uint32_t number, PxTable *particles)
{
    sample_particles(particles, sample_rows(number), number);
}

/* ---- vtp ---- */

/* The bytes of an appended array, found as a reader finds them. */
static const uint8_t *vtp_array(const uint8_t *bytes, size_t size, const char *name,
                                uint64_t *length)
{
    char wanted[100];
    const char *text = (const char *)bytes;
    snprintf(wanted, sizeof wanted, "Name=\"%s\"", name);
    const char *array = strstr(text, wanted), *data = strstr(text, "<AppendedData");
    CHECK(array != NULL && data != NULL);
    const char *offset = strstr(array, "offset=\"");
    CHECK(offset != NULL && offset < data);
    data = strchr(data, '_') + 1;
    const uint8_t *at = (const uint8_t *)data + strtoull(offset + 8, NULL, 10);
    memcpy(length, at, sizeof *length);
    CHECK(at + 8 + *length <= bytes + size);
    return at + 8;
}

TEST(vtp_holds_every_column_bit_by_bit)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 3, &one));
    export_to(&folder, "vtp");
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "vtp/000003.vtp"), &size);
    PxTable particles;
    original(3, &particles);
    CHECK(strstr((char *)bytes, "NumberOfPoints=\"2000\" NumberOfVerts=\"2000\"") != NULL);
    CHECK(strstr((char *)bytes, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">0.1<"));
    CHECK(strstr((char *)bytes, "type=\"UInt64\" Name=\"id\""));
    CHECK(strstr((char *)bytes, ">kg/m^3</InformationKey>"));
    CHECK(strstr((char *)bytes, "position_low") == NULL);
    int columns = 0;
    for (uint32_t c = 0; c < particles.columns; ++c) {
        const PxColumn *column = &particles.column[c];
        if (!(column->flags & PX_COLUMN_FRAME))
            continue;
        ++columns;
        uint64_t length;
        size_t value = px_type_size(column->type);
        const uint8_t *array = vtp_array(bytes, size, column->name, &length);
        CHECK_EQUAL(length, 2000 * column->components * value);
        for (uint32_t i = 0; i < 2000; ++i)
            for (uint32_t k = 0; k < column->components; ++k)
                CHECK(memcmp(array + (i * column->components + k) * value,
                             (char *)column->data[k] + i * value, value) == 0);
    }
    CHECK_EQUAL(columns, 11);
    uint64_t length;
    const uint8_t *connectivity = vtp_array(bytes, size, "connectivity", &length);
    CHECK_EQUAL(length, 16000);
    const uint8_t *offsets = vtp_array(bytes, size, "offsets", &length);
    CHECK_EQUAL(length, 16000);
    for (int64_t i = 0; i < 2000; ++i) {
        int64_t row = i, end = i + 1;
        CHECK(memcmp(connectivity + 8 * i, &row, 8) == 0 && memcmp(offsets + 8 * i, &end, 8) == 0);
    }
    CHECK(memcmp(offsets + length, "\n</AppendedData>\n</VTKFile>\n", 28) == 0);
    CHECK(offsets + length + 28 == bytes + size);
    px_list_free(bytes);
    px_table_free(&particles);

    bytes = slurp(folder_file(&folder, "vtp/frames.pvd"), &size);
    CHECK(strstr((char *)bytes, "<DataSet timestep=\"0.1\" part=\"0\" file=\"000003.vtp\"/>"));
    CHECK(strstr((char *)bytes, "file=\"000001.vtp\""));
    px_list_free(bytes);
    bytes = slurp(folder_file(&folder, "vtp/000001.vtp"), &size);
    CHECK(strstr((char *)bytes, "NumberOfPoints=\"0\""));
    px_list_free(bytes);
    folder_remove(&folder);
}

/* ---- ply ---- */

TEST(ply_holds_the_points_where_its_header_says)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 2, &one));
    export_to(&folder, "ply");
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "ply/000002.ply"), &size);
    PxTable particles;
    original(2, &particles);
    char *text = (char *)bytes, *end = strstr(text, "end_header\n");
    CHECK(end != NULL);
    CHECK(strncmp(text, "ply\nformat binary_little_endian 1.0\n", 36) == 0);
    CHECK(strstr(text, "element vertex 1000\n") != NULL);
    /* Walks the header as a reader does: where is each property in a row? */
    size_t width = 0, at_id = 0, at_energy = 0, at_stress = 0;
    int order = 0;
    for (char *line = strstr(text, "property "); line < end; line = strchr(line, '\n') + 1) {
        char type[20], name[50];
        CHECK_EQUAL(sscanf(line, "property %19s %49s", type, name), 2);
        static const char *const first[] = {"x", "y", "z", "vx", "vy", "vz"};
        if (order < 6)
            CHECK_TEXT(name, first[order]);
        ++order;
        if (strcmp(name, "id_low") == 0)
            at_id = width;
        if (strcmp(name, "energy") == 0)
            at_energy = width;
        if (strcmp(name, "stress_4") == 0)
            at_stress = width;
        width += strcmp(type, "uchar") == 0 ? 1 : strcmp(type, "double") == 0 ? 8 : 4;
    }
    uint8_t *rows = (uint8_t *)end + 11;
    CHECK_EQUAL(size - (size_t)(rows - bytes), 1000 * width);
    for (uint32_t i = 0; i < 1000; ++i) {
        const uint8_t *row = rows + i * width;
        for (uint32_t k = 0; k < 3; ++k) {
            CHECK(memcmp(row + 4 * k, (float *)px_table_find(&particles, "position")->data[k] + i,
                         4) == 0);
            CHECK(memcmp(row + 12 + 4 * k,
                         (float *)px_table_find(&particles, "velocity")->data[k] + i, 4) == 0);
        }
        uint64_t id = SAMPLE_FIRST_ID + i; /* low, then high: as it lies in memory */
        CHECK(memcmp(row + at_id, &id, 8) == 0);
        CHECK(memcmp(row + at_energy, (double *)px_table_find(&particles, "energy")->data[0] + i,
                     8) == 0);
        CHECK(memcmp(row + at_stress, (float *)px_table_find(&particles, "stress")->data[4] + i,
                     4) == 0);
    }
    px_table_free(&particles);
    px_list_free(bytes);
    folder_remove(&folder);
}

/* ---- text formats ---- */

TEST(obj_and_csv_read_back_as_the_same_bits)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 2, &one));
    export_to(&folder, "obj");
    export_to(&folder, "csv");
    PxTable particles;
    original(2, &particles);
    const PxColumn *position = px_table_find(&particles, "position");
    char line[2000];
    FILE *file = fopen(folder_file(&folder, "obj/000002.obj"), "r");
    CHECK(fgets(line, sizeof line, file) != NULL);
    CHECK_TEXT(line, "# phyxel frame 2, time 0.066666666666666666 s, y up, metres\n");
    for (uint32_t i = 0; i < 1000; ++i) {
        float v[3];
        CHECK(fgets(line, sizeof line, file) != NULL);
        CHECK_EQUAL(sscanf(line, "v %f %f %f", &v[0], &v[1], &v[2]), 3);
        for (int k = 0; k < 3; ++k)
            CHECK(v[k] == ((float *)position->data[k])[i]);
    }
    CHECK(fgets(line, sizeof line, file) == NULL);
    fclose(file);

    file = fopen(folder_file(&folder, "csv/000002.csv"), "r");
    CHECK(fgets(line, sizeof line, file) != NULL);
    const char *head = "id,position_x,position_y,position_z,velocity_x,velocity_y,velocity_z,"
                       "density,energy,material,charge,kind,pair_x,pair_y,stress_0,";
    CHECK(strncmp(line, head, strlen(head)) == 0);
    for (uint32_t i = 0; i < 1000; ++i) {
        unsigned long long id;
        float v[7];
        double energy;
        int charge;
        CHECK(fgets(line, sizeof line, file) != NULL);
        CHECK_EQUAL(sscanf(line, "%llu,%f,%f,%f,%f,%f,%f,%f,%lf,%*u,%d", &id, &v[0], &v[1], &v[2],
                           &v[3], &v[4], &v[5], &v[6], &energy, &charge),
                    10);
        CHECK_EQUAL(id, SAMPLE_FIRST_ID + i);
        CHECK(v[2] == ((float *)position->data[2])[i]);
        CHECK(energy == ((double *)px_table_find(&particles, "energy")->data[0])[i]);
        CHECK_EQUAL(charge, -(int)i);
        int commas = 0;
        for (char *c = line; *c; ++c)
            commas += *c == ',';
        CHECK_EQUAL(commas, 28);
    }
    fclose(file);
    px_table_free(&particles);
    folder_remove(&folder);
}

/* ---- the loop over frames ---- */

typedef struct Steps {
    uint32_t calls, last, stop_at;
} Steps;

static bool count_steps(void *user, uint32_t done, uint32_t total)
{
    Steps *steps = user;
    if (done != steps->calls++)
        return false;
    steps->last = total;
    return done != steps->stop_at;
}

TEST(only_the_frames_asked_for_are_exported)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 5, &one));
    PxExportDef def = px_export_def_default();
    Steps steps = {.stop_at = 99};
    char out[FOLDER_PATH + 20];
    snprintf(out, sizeof out, "%s/a/b", folder.path);
    def.dir = folder.path;
    def.out = out;
    def.format = "obj";
    def.first = 2;
    def.last = 4;
    CHECK_OK(px_export(&def, count_steps, &steps));
    CHECK_EQUAL(steps.calls, 4);
    CHECK_EQUAL(steps.last, 3);
    CHECK_EQUAL(folder_count(out), 3);
    CHECK(px_file_exists(folder_file(&folder, "a/b/000002.obj")));
    CHECK(px_file_exists(folder_file(&folder, "a/b/000004.obj")));
    def.first = 6;
    def.last = 9;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "no frame from 6 to 9");
    folder_remove(&folder);
}

TEST(stopping_keeps_what_is_done_and_its_index)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 4, &one));
    PxExportDef def = px_export_def_default();
    Steps steps = {.stop_at = 2};
    def.dir = folder.path;
    CHECK_FAILS(px_export(&def, count_steps, &steps), PX_ERR_STOPPED, "2 of 4");
    CHECK_EQUAL(folder_count(folder_file(&folder, "vtp")), 3);
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "vtp/frames.pvd"), &size);
    CHECK(strstr((char *)bytes, "000002.vtp") && !strstr((char *)bytes, "000003.vtp"));
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(a_damaged_frame_or_an_unknown_format_is_told)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 3, &one));
    CHECK(truncate(folder_file(&folder, "frames/000002.h5"), 5000) == 0);
    PxExportDef def = px_export_def_default();
    def.dir = folder.path;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_FORMAT, "000002.h5");
    CHECK_EQUAL(folder_count(folder_file(&folder, "vtp")), 2); /* 000001.vtp, frames.pvd */
    def.format = "xyz";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "one of vtp, ply, obj, csv");
    def.format = NULL;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "no format");
    folder_remove(&folder);
}

TEST(a_frame_without_positions_cannot_be_exported)
{
    Folder folder = folder_make();
    PxTable table;
    px_table_init(&table, NULL);
    CHECK_OK(px_table_add(&table, "position", "m", PX_U32, 3, PX_COLUMN_FRAME, NULL));
    PxFrameMeta meta = sample_meta(1);
    CHECK_OK(px_frame_write(folder.path, &meta, &table, &one));
    PxExportDef def = px_export_def_default();
    def.dir = folder.path;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_FORMAT, "frame 1 has no position");
    px_table_free(&table);
    folder_remove(&folder);
}

TEST(formats_are_listed_with_what_they_are_for)
{
    uint32_t count = 0;
    for (const PxExportFormat *format; (format = px_export_format(count)) != NULL; ++count) {
        CHECK(format->extension[0] == '.' && format->name[0] != '\0');
        CHECK(strlen(format->summary) > 10);
    }
    CHECK_EQUAL(count, 4);
}

TEST_MAIN()
