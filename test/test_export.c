/// Exporters: exported files hold what the frames hold.
#include "check.h"
#include "folder.h"
#include "sample.h"

#include "shape/mesh_read.h"
#include "store/ply_points.h"

#include "phyxel/store.h"

#include <sys/wait.h>

static const PxThreads one = {.count = 1};

/* noinline: otherwise GCC 12 warns that it returns the address of a local. */
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
        static const char *const first[] = {"x",    "y",  "z",  "red", "green",
                                            "blue", "vx", "vy", "vz"};
        if (order < 9)
            CHECK_TEXT(name, first[order]);
        ++order;
        if (strcmp(name, "id_low") == 0)
            at_id = width;
        if (strcmp(name, "energy") == 0)
            at_energy = width;
        if (strcmp(name, "stress_yz") == 0)
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
            CHECK(memcmp(row + 15 + 4 * k,
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
    CHECK_TEXT(line,
               "# phyxel particles of frame 2, time 0.066666666666666666 s, y up, SI units\n");
    for (uint32_t i = 0; i < 1000; ++i) {
        float v[6];
        CHECK(fgets(line, sizeof line, file) != NULL);
        CHECK_EQUAL(sscanf(line, "v %f %f %f %f %f %f", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]),
                    6);
        /* material i % 3 of the palette */
        static const int red[] = {70, 218, 178};
        CHECK_EQUAL((int)lrintf(255 * v[3]), red[i % 3]);
        for (int k = 0; k < 3; ++k)
            CHECK(v[k] == ((float *)position->data[k])[i]);
    }
    CHECK(fgets(line, sizeof line, file) == NULL);
    fclose(file);

    file = fopen(folder_file(&folder, "csv/000002.csv"), "r");
    CHECK(fgets(line, sizeof line, file) != NULL);
    const char *head = "id,position_x,position_y,position_z,velocity_x,velocity_y,velocity_z,"
                       "density,energy,material,charge,kind,pair_x,pair_y,stress_xx,";
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

/* ---- surfaces ---- */

/* Frames 1 .. count, the surface of each with side[k] x side[k] vertices. */
static Folder surfaces(const uint32_t *side, uint32_t count)
{
    Folder folder = folder_make();
    for (uint32_t k = 0; k < count; ++k)
        CHECK_OK(sample_surface(folder.path, k + 1, side[k]));
    return folder;
}

static PxExportDef surface_def(const Folder *folder, const char *format)
{
    PxExportDef def = px_export_def_default();
    def.dir = folder->path;
    def.format = format;
    def.what = PX_EXPORT_SURFACE;
    def.threads = 1;
    return def;
}

TEST(a_surface_exported_to_ply_is_unchanged)
{
    Folder folder = surfaces((uint32_t[]){0, 20}, 2);
    PxExportDef def = surface_def(&folder, "ply");
    CHECK_OK(px_export(&def, NULL, NULL));
    for (uint32_t number = 1; number <= 2; ++number) {
        char name[40];
        PxPlyPoints before, after;
        snprintf(name, sizeof name, "surface/%06u.ply", number);
        CHECK_OK(px_ply_points_read(folder_file(&folder, name), &before));
        snprintf(name, sizeof name, "ply-surface/%06u.ply", number);
        CHECK_OK(px_ply_points_read(folder_file(&folder, name), &after));
        CHECK_EQUAL(after.points.count, number == 1 ? 0 : 400);
        CHECK_EQUAL(after.triangles, number == 1 ? 0 : 2 * 19 * 19);
        CHECK(after.faces && after.up == 'y' && after.time == number / 30.0);
        uint64_t hash[2][2];
        px_table_hash(&before.points, PX_COLUMN_FRAME, hash[0]);
        px_table_hash(&after.points, PX_COLUMN_FRAME, hash[1]);
        CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
        CHECK(number == 1 || memcmp(before.triangle, after.triangle, 12 * after.triangles) == 0);
        px_ply_points_free(&before);
        px_ply_points_free(&after);
    }
    folder_remove(&folder);
}

TEST(a_surface_in_vtp_has_polygons_and_arrays_with_components)
{
    Folder folder = surfaces((uint32_t[]){4}, 1);
    PxExportDef def = surface_def(&folder, "vtp");
    CHECK_OK(px_export(&def, NULL, NULL));
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "vtp-surface/000001.vtp"), &size);
    CHECK(strstr((char *)bytes, "NumberOfPoints=\"16\" NumberOfVerts=\"0\""));
    CHECK(strstr((char *)bytes, "NumberOfPolys=\"18\""));
    CHECK(strstr((char *)bytes, "<PointData Normals=\"normal\">"));
    CHECK(strstr((char *)bytes, "type=\"UInt8\" Name=\"colour\" NumberOfComponents=\"3\""));
    CHECK(strstr((char *)bytes, "type=\"Float32\" Name=\"velocity\" NumberOfComponents=\"3\""));
    uint64_t length;
    const uint8_t *corners = vtp_array(bytes, size, "connectivity", &length);
    CHECK_EQUAL(length, 18 * 3 * 8);
    static const int64_t first[] = {1, 0, 4, 1, 4, 5};
    CHECK(memcmp(corners, first, sizeof first) == 0);
    const uint8_t *offsets = vtp_array(bytes, size, "offsets", &length);
    CHECK_EQUAL(length, 18 * 8);
    for (int64_t t = 0, end; t < 18; ++t)
        CHECK((memcpy(&end, offsets + 8 * t, 8), end == 3 * (t + 1)));
    px_list_free(bytes);
    bytes = slurp(folder_file(&folder, "vtp-surface/frames.pvd"), &size);
    CHECK(strstr((char *)bytes, "file=\"000001.vtp\""));
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(a_surface_in_obj_and_stl_is_read_back_by_the_readers_of_shapes)
{
    Folder folder = surfaces((uint32_t[]){6, 0}, 2);
    static const char *const formats[] = {"obj", "stl"};
    for (int f = 0; f < 2; ++f) {
        char name[40];
        PxExportDef def = surface_def(&folder, formats[f]);
        def.what = f == 0 ? PX_EXPORT_SURFACE : PX_EXPORT_USUAL; /* stl holds nothing else */
        CHECK_OK(px_export(&def, NULL, NULL));
        snprintf(name, sizeof name, "%s-surface/000001.%s", formats[f], formats[f]);
        PxMesh *mesh;
        CHECK_OK(px_mesh_read_file(folder_file(&folder, name), &mesh));
        CHECK_EQUAL(mesh->vertex_count, 36);
        CHECK_EQUAL(mesh->triangle_count, 50);
        /* (5/6)^2, and seen from above */
        CHECK_NEAR(px_mesh_area(mesh), 25.0 / 36, 1e-6);
        PxVec3 a = px_mesh_corner(mesh, 0, 0), b = px_mesh_corner(mesh, 0, 1);
        PxVec3 c = px_mesh_corner(mesh, 0, 2);
        CHECK(px_cross(px_sub(b, a), px_sub(c, a)).y > 0);
        if (f == 0) {
            CHECK(mesh->normal != NULL && mesh->normal[7].y == 1);
            CHECK_NEAR(mesh->colour[7].y, 1 / 255.0, 1e-5); /* three digits */
        }
        px_mesh_free(mesh);
    }
    size_t size; /* without triangles: the header and their number */
    px_list_free(slurp(folder_file(&folder, "stl-surface/000002.stl"), &size));
    CHECK_EQUAL(size, 84);
    PxExportDef def = surface_def(&folder, "stl");
    def.what = PX_EXPORT_PARTICLES;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "stl holds triangles alone");
    folder_remove(&folder);
}

TEST(pc2_holds_all_positions_of_a_surface_that_keeps_its_triangles)
{
    Folder folder = surfaces((uint32_t[]){5, 5, 5}, 3);
    PxExportDef def = surface_def(&folder, "pc2");
    def.up = 'z';
    CHECK_OK(px_export(&def, NULL, NULL));
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "pc2-surface/frames.pc2"), &size);
    CHECK_EQUAL(size, 32 + 3 * 25 * 12);
    CHECK(memcmp(bytes, "POINTCACHE2", 12) == 0);
    int32_t whole[5];
    float real[2];
    memcpy(whole, bytes + 12, sizeof whole);
    memcpy(real, bytes + 20, sizeof real);
    CHECK_EQUAL(whole[0], 1);
    CHECK_EQUAL(whole[1], 25);
    CHECK(real[0] == 1 && real[1] == 1);
    CHECK_EQUAL(whole[4], 3);
    for (int k = 0; k < 3; ++k) { /* turned: (x, y, z) is (x, -z, y) */
        float v[3];
        memcpy(v, bytes + 32 + (k * 25 + 13) * 12, sizeof v);
        CHECK_NEAR(v[0], 0.6, 1e-7);
        CHECK_NEAR(v[1], -0.4, 1e-7);
        CHECK_NEAR(v[2], 0.1 * (k + 1), 1e-7);
    }
    px_list_free(bytes);
    PxMesh *mesh;
    CHECK_OK(px_mesh_read_file(folder_file(&folder, "pc2-surface/base.ply"), &mesh));
    CHECK_EQUAL(mesh->vertex_count, 25);
    CHECK_EQUAL(mesh->triangle_count, 32);
    CHECK(mesh->normal[3].z == 1);
    px_mesh_free(mesh);
    folder_remove(&folder);
}

/* A frame of three particles with these ids. */
static void three_particles(const Folder *folder, uint32_t number, const uint64_t id[3])
{
    PxTable table;
    px_table_init(&table, NULL);
    CHECK_OK(px_table_add(&table, "id", "", PX_U64, 1, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_add(&table, "position", "m", PX_F32, 3, PX_COLUMN_FRAME, NULL));
    CHECK_OK(px_table_append(&table, 3, NULL));
    for (uint32_t i = 0; i < 3; ++i) {
        ((uint64_t *)table.column[0].data[0])[i] = id[i];
        for (uint32_t k = 0; k < 3; ++k)
            ((float *)table.column[1].data[k])[i] = (float)(10 * number + id[i]) + 0.25f * (float)k;
    }
    PxFrameMeta meta = sample_meta(number);
    folder_of_run(folder->path);
    CHECK_OK(px_frame_write(folder->path, &meta, &table, &one));
    px_table_free(&table);
}

TEST(pc2_follows_particles_by_their_ids)
{
    Folder folder = folder_make();
    three_particles(&folder, 1, (uint64_t[]){7, 5, 6});
    three_particles(&folder, 2, (uint64_t[]){6, 7, 5});
    export_to(&folder, "pc2");
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "pc2/frames.pc2"), &size);
    CHECK_EQUAL(size, 32 + 2 * 3 * 12);
    for (int k = 0; k < 6; ++k) {
        float v[3];
        memcpy(v, bytes + 32 + k * 12, sizeof v);
        CHECK(v[0] == (float)(10 * (1 + k / 3) + 5 + k % 3) && v[2] == v[0] + 0.5f);
    }
    px_list_free(bytes);
    PxPlyPoints base; /* in the same order */
    CHECK_OK(px_ply_points_read(folder_file(&folder, "pc2/base.ply"), &base));
    CHECK(((float *)px_table_find(&base.points, "position")->data[0])[0] == 15);
    CHECK(!base.faces);
    px_ply_points_free(&base);
    folder_remove(&folder);
}

TEST(pc2_refuses_changing_numbers_of_points)
{
    Folder folder = surfaces((uint32_t[]){5, 5, 6}, 3);
    PxExportDef def = surface_def(&folder, "pc2");
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT,
                "the triangles change from frame 1 (25 points, 32 triangles) to frame 3 (36, 50)");
    CHECK_EQUAL(folder_count(folder_file(&folder, "pc2-surface")), 0);
    folder_remove(&folder);
    folder = folder_make();
    three_particles(&folder, 1, (uint64_t[]){1, 2, 3});
    three_particles(&folder, 2, (uint64_t[]){1, 2, 4});
    def = px_export_def_default();
    def.dir = folder.path;
    def.format = "pc2";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "the particles change from frame 1");
    folder_remove(&folder);
}

TEST(pov_has_a_mesh_a_union_of_spheres_and_a_scene_around_them)
{
    Folder folder = surfaces((uint32_t[]){3, 0}, 2);
    PxExportDef def = surface_def(&folder, "pov");
    CHECK_OK(px_export(&def, NULL, NULL));
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "pov-surface/000001.inc"), &size);
    CHECK(strstr((char *)bytes, "mesh2 {\nvertex_vectors { 9,\n<0,0.1,0>,<0.333333343,0.1,0>"));
    CHECK(strstr((char *)bytes, "normal_vectors { 9,\n<0,1,0>"));
    CHECK(
        strstr((char *)bytes, "texture_list { 9,\nPhyxel_Colour(0, 0, 1)\nPhyxel_Colour(0, 1, 1)"));
    /* textures by colour, and red is along x: vertex 1 is the fourth of them */
    CHECK(strstr((char *)bytes, "face_indices { 8,\n<1,0,3>,3,0,1,"));
    px_list_free(bytes);
    bytes = slurp(folder_file(&folder, "pov-surface/000002.inc"), &size);
    CHECK(strstr((char *)bytes, "no_image") && !strstr((char *)bytes, "mesh2"));
    px_list_free(bytes);
    bytes = slurp(folder_file(&folder, "pov-surface/frames.pov"), &size);
    CHECK(strstr((char *)bytes, "+KFI1 +KFF2") && strstr((char *)bytes, "#declare Low_Y = 0.1"));
    px_list_free(bytes);
    CHECK_OK(sample_run(folder.path, 2, &one));
    export_to(&folder, "pov");
    bytes = slurp(folder_file(&folder, "pov/000002.inc"), &size);
    size_t spheres = 0, colours = 0;
    for (const char *at = (char *)bytes; (at = strstr(at, "\nsphere {")) != NULL; ++at)
        ++spheres;
    for (const char *at = (char *)bytes; (at = strstr(at, "\nPhyxel_Colour(")) != NULL; ++at)
        ++colours;
    CHECK_EQUAL(spheres, 1000);
    CHECK_EQUAL(colours, 3);                                    /* materials */
    CHECK(strstr((char *)bytes, ", 0.0050000000000000001 }") || /* half the spacing */
          strstr((char *)bytes, ", 0.005 }"));
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(up_turns_positions_velocities_and_normals_but_no_colours)
{
    Folder folder = surfaces((uint32_t[]){4}, 1);
    PxExportDef def = surface_def(&folder, "ply");
    def.up = 'z';
    CHECK_OK(px_export(&def, NULL, NULL));
    PxPlyPoints ply;
    CHECK_OK(px_ply_points_read(folder_file(&folder, "ply-surface/000001.ply"), &ply));
    CHECK_EQUAL(ply.up, 'z');
    static const struct {
        const char *name;
        float wanted[3];
    } vectors[] = {
        {"position", {0.25f, -0.5f, 0.1f}}, {"normal", {0, 0, 1}}, {"velocity", {1, -2, 1}}};
    for (int v = 0; v < 3; ++v)
        for (int k = 0; k < 3; ++k)
            CHECK(((float *)px_table_find(&ply.points, vectors[v].name)->data[k])[9] ==
                  vectors[v].wanted[k]);
    for (int k = 0; k < 3; ++k) {
        static const int wanted[] = {1, 2, 1};
        CHECK_EQUAL(((uint8_t *)px_table_find(&ply.points, "colour")->data[k])[9], wanted[k]);
    }
    px_ply_points_free(&ply);
    def.up = 'x';
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "wanted y or z");
    folder_remove(&folder);
}

TEST(only_the_columns_asked_for_are_exported)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 2, &one));
    PxExportDef def = px_export_def_default();
    def.dir = folder.path;
    def.format = "csv";
    def.columns = "density,id";
    CHECK_OK(px_export(&def, NULL, NULL));
    char line[200];
    FILE *file = fopen(folder_file(&folder, "csv/000002.csv"), "r");
    CHECK(fgets(line, sizeof line, file) != NULL);
    fclose(file);
    CHECK_TEXT(line, "id,position_x,position_y,position_z,density\n");
    def.columns = "densty";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT,
                "did you mean 'density'?; it has id, position");
    def.columns = "";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "names with commas");
    def.columns = "id,,density";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "names with commas");
    folder_remove(&folder);
}

TEST(without_surfaces_the_command_that_makes_them_is_named)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 2, &one));
    PxExportDef def = surface_def(&folder, "ply");
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "run 'phyxel surface ");
    def.material = "oil";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, " --material oil' first");
    def.material = "../..";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "no name of a material");
    def.material = NULL;
    def.what = PX_EXPORT_SURFELS;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, " --surfels' first");
    def.what = PX_EXPORT_CONTACT;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, " --contact' first");
    def.what = PX_EXPORT_FOAM;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "run 'phyxel foam ");
    def.material = "oil";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT, "not for foam");
    CHECK(!px_file_exists(folder_file(&folder, "ply-surface")));
    folder_remove(&folder);
}

TEST(a_missing_surface_is_named_and_those_before_it_are_kept)
{
    Folder folder = surfaces((uint32_t[]){3, 3, 3}, 3);
    CHECK(unlink(folder_file(&folder, "surface/000002.ply")) == 0);
    PxExportDef def = surface_def(&folder, "ply");
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_FORMAT, "has no frame 2, but 1 and 3");
    CHECK_EQUAL(folder_count(folder_file(&folder, "ply-surface")), 1);
    folder_remove(&folder);
}

TEST(a_position_that_is_no_number_is_named)
{
    Folder folder = surfaces((uint32_t[]){3, 3}, 2);
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "surface/000002.ply"), &size);
    float *bad = (float *)(void *)(strstr((char *)bytes, "end_header\n") + 11 + 4 * 43 + 4);
    memcpy(bad, &(float){NAN}, sizeof(float));
    CHECK_OK(px_file_write_atomic(folder_file(&folder, "surface/000002.ply"), bytes, size));
    px_list_free(bytes);
    PxExportDef def = surface_def(&folder, "obj");
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_NUMERIC,
                "frame 2: position y of vertex 4 is nan");
    CHECK_EQUAL(folder_count(folder_file(&folder, "obj-surface")), 1);
    folder_remove(&folder);
}

/* The first surface with `from` in its header made `to`, of the same length. */
static void expect_refusal(const char *from, const char *to, const char *message)
{
    Folder folder = surfaces((uint32_t[]){3}, 1);
    const char *path = folder_file(&folder, "surface/000001.ply");
    size_t size;
    uint8_t *bytes = slurp(path, &size);
    char *at = strstr((char *)bytes, from);
    CHECK(at != NULL && strlen(from) == strlen(to));
    memcpy(at, to, strlen(to));
    PxPlyPoints ply;
    CHECK_FAILS(px_ply_points_parse("x.ply", bytes, size, &ply), PX_ERR_FORMAT, message);
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(a_surface_cut_off_anywhere_is_refused)
{
    Folder folder = surfaces((uint32_t[]){2}, 1);
    size_t size;
    uint8_t *bytes = slurp(folder_file(&folder, "surface/000001.ply"), &size);
    PxPlyPoints ply;
    for (size_t length = 0; length < size; ++length) {
        uint8_t *part = malloc(length + 1); /* of that size, for the sanitizer to see */
        memcpy(part, bytes, length);
        CHECK(px_ply_points_parse("x.ply", part, length, &ply) == PX_ERR_FORMAT);
        free(part);
    }
    bytes[size - 1] = 1; /* a corner that is no vertex */
    CHECK_FAILS(px_ply_points_parse("x.ply", bytes, size, &ply), PX_ERR_FORMAT,
                "face 1 names vertex 16777219 of 4");
    bytes[size - 13] = 2;
    CHECK_FAILS(px_ply_points_parse("x.ply", bytes, size, &ply), PX_ERR_FORMAT,
                "face 1 has 2 corners");
    px_list_free(bytes);
    folder_remove(&folder);
}

TEST(a_damaged_surface_is_refused_with_the_place)
{
    expect_refusal("ply\n", "plx\n", "x.ply: line 1: wanted the word ply");
    expect_refusal("little", "middle", "line 2: format is 'binary_middle_endian', wanted");
    expect_refusal("vertex 9", "vertex x", "'x' for its count");
    expect_refusal("vertex 9", "vertex 8", "face 0 ");
    expect_refusal("property float temperature", "property list u temperatur",
                   "'u' as the type of a list's length");
    expect_refusal("float x", "float u", "no x, y and z");
    expect_refusal("float z", "short z", "no x, y and z");
    expect_refusal("float nx", "float  x", "two properties 'x'");
    expect_refusal("element face", "element fake", "then perhaps element face");
    expect_refusal("face 8", "face 9", "inside face 8");
    expect_refusal("face 8", "face 7", "13 bytes after the last face");
    expect_refusal("list uchar int", "list uchar ant", "'ant' as a type");
    expect_refusal("property list uchar int vertex_indices",
                   "comment  list uchar int vertex_indices", "vertex_indices alone");
    expect_refusal("end_header", "fin_header", "begins with 'fin_header'");
}

TEST(points_are_read_from_text_and_from_either_byte_order)
{
    static const char head[] = "element vertex 2\nproperty float x\nproperty float y\n"
                               "property float z\nproperty short n\nend_header\n";
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe,
                                        0,    0,    0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 1,    0};
    char text[400];
    PxPlyPoints ply;
    int length =
        snprintf(text, sizeof text, "ply\nformat ascii 1.0\n%s1 2 0 -2\n0 0 0 256\n", head);
    for (int round = 0; round < 2; ++round) {
        CHECK_OK(px_ply_points_parse("x.ply", text, (size_t)length, &ply));
        CHECK_EQUAL(ply.points.count, 2);
        const PxColumn *x = px_table_find(&ply.points, "position");
        const PxColumn *n = px_table_find(&ply.points, "n");
        CHECK_NEAR(((const float *)x->data[0])[0], 1, 0);
        CHECK_NEAR(((const float *)x->data[1])[0], 2, 0);
        CHECK(n->type == PX_I32);
        CHECK_EQUAL(((const int32_t *)n->data[0])[0], -2);
        CHECK_EQUAL(((const int32_t *)n->data[0])[1], 256);
        px_ply_points_free(&ply);
        length = snprintf(text, sizeof text, "ply\nformat binary_big_endian 1.0\n%s", head);
        memcpy(text + length, big, sizeof big);
        length += (int)sizeof big;
    }
    length = snprintf(text, sizeof text, "ply\nformat ascii 1.0\n%s1 2 0 -2\n0 0 0 40000\n", head);
    CHECK_FAILS(px_ply_points_parse("x.ply", text, (size_t)length, &ply), PX_ERR_FORMAT,
                "n of vertex 1 is 40000, wanted a short");
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

TEST(a_stopped_export_keeps_complete_files_and_their_index)
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

TEST(damaged_frames_and_unknown_formats_are_refused)
{
    Folder folder = folder_make();
    CHECK_OK(sample_run(folder.path, 3, &one));
    CHECK(truncate(folder_file(&folder, "frames/000002.h5"), 5000) == 0);
    PxExportDef def = px_export_def_default();
    def.dir = folder.path;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_FORMAT, "000002.h5");
    CHECK_EQUAL(folder_count(folder_file(&folder, "vtp")), 2); /* 000001.vtp, frames.pvd */
    def.format = "xyz";
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_ARGUMENT,
                "one of vtp, ply, obj, stl, pc2, pov, csv");
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
    folder_of_run(folder.path);
    CHECK_OK(px_frame_write(folder.path, &meta, &table, &one));
    PxExportDef def = px_export_def_default();
    def.dir = folder.path;
    CHECK_FAILS(px_export(&def, NULL, NULL), PX_ERR_FORMAT, "frame 1 has no position");
    px_table_free(&table);
    folder_remove(&folder);
}

TEST(formats_are_listed_with_summaries)
{
    uint32_t count = 0;
    for (const PxExportFormat *format; (format = px_export_format(count)) != NULL; ++count) {
        CHECK(format->extension[0] == '.' && format->name[0] != '\0');
        CHECK(strlen(format->summary) > 10);
    }
    CHECK_EQUAL(count, 8);
}

TEST_MAIN()
