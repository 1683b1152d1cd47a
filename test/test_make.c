/// Meshes made for scenes: colons, sheets of cloth, figures that walk, and isosurfaces of volumes
/// from NRRD files and raw samples.
#include "check.h"
#include "folder.h"

#include "phyxel/make.h"
#include "shape/colon.h"
#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "shape/rectangle.h"
#include "shape/shape.h"
#include "surface/mesh/isosurface.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

/* ---- colon ---- */

static PxMesh *colon(uint64_t seed, uint32_t triangles, PxColonEnds *ends)
{
    PxColonDef def = px_colon_def_default();
    def.seed = seed;
    def.variation = 1;
    def.triangles = triangles;
    PxMesh *mesh;
    CHECK_OK(px_colon_mesh(&def, &mesh, ends));
    return mesh;
}

TEST(every_seed_makes_a_closed_colon_of_its_own)
{
    double length[20];
    for (uint64_t seed = 0; seed < 20; ++seed) {
        PxColonEnds ends;
        PxMesh *mesh = colon(seed, 8040, &ends);
        CHECK_OK(px_mesh_check(mesh, "colon"));
        CHECK_OK(px_mesh_check_closed(mesh, "colon"));
        CHECK_NEAR(mesh->triangle_count, 8040, 200);
        CHECK(ends.volume > 0.5e-3 && ends.volume < 3e-3); /* litres: a colon, not a tube map */
        CHECK(ends.length > 1.0 && ends.length < 2.0);
        length[seed] = ends.length;
        for (uint64_t other = 0; other < seed; ++other)
            CHECK(length[seed] != length[other]);
        px_mesh_free(mesh);
    }
}

TEST(the_same_seed_makes_the_same_colon)
{
    PxColonEnds ends[2];
    PxMesh *a = colon(7, 2000, &ends[0]), *b = colon(7, 2000, &ends[1]);
    CHECK_EQUAL(a->vertex_count, b->vertex_count);
    CHECK(memcmp(a->position, b->position, a->vertex_count * sizeof *a->position) == 0);
    px_mesh_free(a);
    px_mesh_free(b);
}

TEST(the_ends_of_a_colon_are_flat_discs_that_face_inwards)
{
    PxColonEnds ends;
    PxMesh *mesh = colon(3, 8040, &ends);
    const PxColonEnd *end[2] = {&ends.rectum, &ends.caecum};
    for (int k = 0; k < 2; ++k) {
        uint32_t on = 0;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            PxVec3 way = px_sub(mesh->position[v], end[k]->at);
            double out = px_length(way);
            if (out > 1.001 * end[k]->radius)
                continue;
            double deep = px_dot(way, end[k]->inward);
            CHECK(deep > -1e-9); /* all of it lies on the inner side */
            on += deep < 1e-9;
        }
        CHECK(on > 10); /* the rim and the centre */
        CHECK_NEAR(px_length(end[k]->inward), 1, 1e-12);
    }
    px_mesh_free(mesh);
}

TEST(folds_narrow_the_colon)
{
    PxColonDef def = px_colon_def_default();
    PxColonEnds plain, folded;
    PxMesh *mesh;
    def.triangles = 8040;
    CHECK_OK(px_colon_mesh(&def, &mesh, &folded));
    px_mesh_free(mesh);
    def.folds = 0;
    CHECK_OK(px_colon_mesh(&def, &mesh, &plain));
    px_mesh_free(mesh);
    CHECK(folded.volume < 0.95 * plain.volume);
    CHECK(folded.length == plain.length);
}

TEST(numbers_of_a_colon_out_of_range_are_refused)
{
    PxColonDef def = px_colon_def_default();
    PxColonEnds ends;
    PxMesh *mesh;
    def.size = NAN;
    CHECK_FAILS(px_colon_mesh(&def, &mesh, &ends), PX_ERR_ARGUMENT, "size");
    def = px_colon_def_default();
    def.triangles = 3;
    CHECK_FAILS(px_colon_mesh(&def, &mesh, &ends), PX_ERR_ARGUMENT, "triangles");
    def = px_colon_def_default();
    def.folds = 0.9;
    CHECK_FAILS(px_make_colon(&def, "a.obj", NULL), PX_ERR_ARGUMENT, "folds");
    def.folds = 0.1;
    CHECK_FAILS(px_make_colon(&def, "a.txt", NULL), PX_ERR_ARGUMENT, ".obj");
    CHECK_FAILS(px_make_colon(&def, NULL, NULL), PX_ERR_ARGUMENT, "path");
}

/* ---- sheets ---- */

static const double wide[2] = {2, 1}, cells[2] = {14, 7};

static PxMesh *sheet(PxSheetPattern pattern, uint32_t extra)
{
    PxMesh *mesh;
    CHECK_OK(px_rectangle_mesh(wide, cells, pattern, 3, extra, &mesh));
    return mesh;
}

TEST(every_pattern_covers_the_rectangle_with_triangles_that_face_up)
{
    static const uint32_t triangles[] = {2 * 98, 2 * 98, 4 * 98, 2 * 98};
    for (PxSheetPattern k = PX_SHEET_REGULAR; k <= PX_SHEET_IRREGULAR; ++k) {
        PxMesh *mesh = sheet(k, 0);
        CHECK_OK(px_mesh_check(mesh, "sheet"));
        CHECK_EQUAL(mesh->triangle_count, triangles[k]);
        CHECK_NEAR(px_mesh_area(mesh), 2, 1e-12); /* no triangle lies over another: */
        for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
            PxVec3 a = px_mesh_corner(mesh, t, 0);
            PxVec3 b = px_sub(px_mesh_corner(mesh, t, 1), a);
            CHECK(px_cross(b, px_sub(px_mesh_corner(mesh, t, 2), a)).y > 0);
        }
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            CHECK_NEAR(mesh->uv[v].u, mesh->position[v].x + 1, 1e-12);
            CHECK_NEAR(mesh->uv[v].v, mesh->position[v].z + 0.5, 1e-12);
        }
        px_mesh_free(mesh);
    }
}

TEST(no_vertex_of_an_irregular_sheet_lies_in_the_circle_of_a_triangle)
{
    PxMesh *mesh = sheet(PX_SHEET_IRREGULAR, 9);
    CHECK_EQUAL(mesh->triangle_count, 2 * 98 + 18);
    CHECK_NEAR(px_mesh_area(mesh), 2, 1e-12);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxUv a = mesh->uv[mesh->triangle[t][0]], b = mesh->uv[mesh->triangle[t][1]];
        PxUv c = mesh->uv[mesh->triangle[t][2]];
        double bu = b.u - a.u, bv = b.v - a.v, cu = c.u - a.u, cv = c.v - a.v;
        double d = 2 * (bu * cv - bv * cu), bb = bu * bu + bv * bv, cc = cu * cu + cv * cv;
        double u = (cv * bb - bv * cc) / d, v = (bu * cc - cu * bb) / d;
        for (uint32_t k = 0; k < mesh->vertex_count; ++k)
            CHECK(hypot(mesh->uv[k].u - a.u - u, mesh->uv[k].v - a.v - v) >
                  hypot(u, v) * (1 - 1e-9));
    }
    px_mesh_free(mesh);
}

TEST(an_irregular_sheet_has_as_many_triangles_as_asked_for)
{
    PxSheetDef def = px_sheet_def_default();
    PxSheetResult result;
    char path[] = "/tmp/phyxel-sheet-XXXXXX.obj";
    int file = mkstemps(path, 4);
    CHECK(file >= 0);
    close(file);
    def.pattern = PX_SHEET_IRREGULAR;
    def.triangles = 6326;
    CHECK_OK(px_make_sheet(&def, path, &result));
    CHECK_EQUAL(result.triangles, 6326);
    CHECK(result.angle > 10);
    PxMesh *mesh;
    CHECK_OK(px_mesh_read_file(path, &mesh));
    CHECK_EQUAL(mesh->triangle_count, 6326);
    CHECK(mesh->uv != NULL);
    px_mesh_free(mesh);
    unlink(path);
}

TEST(numbers_of_a_sheet_out_of_range_are_refused)
{
    PxSheetDef def = px_sheet_def_default();
    def.size[0] = NAN;
    CHECK_FAILS(px_make_sheet(&def, "a.obj", NULL), PX_ERR_ARGUMENT, "size");
    def = px_sheet_def_default();
    def.cells[1] = 2001;
    CHECK_FAILS(px_make_sheet(&def, "a.obj", NULL), PX_ERR_ARGUMENT, "cells");
    def = px_sheet_def_default();
    def.triangles = 9000000;
    CHECK_FAILS(px_make_sheet(&def, "a.obj", NULL), PX_ERR_ARGUMENT, "triangles");
    def = px_sheet_def_default();
    def.pattern = 7;
    CHECK_FAILS(px_make_sheet(&def, "a.obj", NULL), PX_ERR_ARGUMENT, "pattern");
    def = px_sheet_def_default();
    CHECK_FAILS(px_make_sheet(&def, "a.txt", NULL), PX_ERR_ARGUMENT, ".obj");
}

/* ---- volumes ---- */

enum { N = 33 };

/* Distance from the middle, in samples: 10 is a ball of that radius. */
static float ball(int i, int j, int k)
{
    double c = (N - 1) / 2.0;
    return (float)sqrt((i - c) * (i - c) + (j - c) * (j - c) + (k - c) * (k - c));
}

static void fill(float *value)
{
    for (int k = 0; k < N; ++k)
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i)
                value[(k * N + j) * N + i] = ball(i, j, k);
}

static PxVolume ball_volume(float *value)
{
    fill(value);
    return (PxVolume){.samples = {N, N, N},
                      .value = value,
                      .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      .least = 0,
                      .most = 28};
}

TEST(the_isosurface_of_a_ball_is_closed_and_has_its_volume)
{
    float *value = malloc(sizeof *value * N * N * N);
    PxVolume volume = ball_volume(value);
    PxMesh *mesh;
    uint32_t pieces;
    CHECK_OK(px_isosurface("ball", &volume, 10, true, false, 1, &mesh, &pieces));
    CHECK_EQUAL(pieces, 1);
    CHECK_OK(px_mesh_check_closed(mesh, "ball"));
    /* triangles cut off caps: 0.63 % of the volume at a radius of 10 cells, 4 times that at 5 */
    double ball_10 = 1 - px_mesh_volume(mesh) / (4.0 / 3.0 * acos(-1.0) * 1000);
    px_mesh_free(mesh);
    CHECK_OK(px_isosurface("ball", &volume, 5, true, false, 1, &mesh, &pieces));
    double ball_5 = 1 - px_mesh_volume(mesh) / (4.0 / 3.0 * acos(-1.0) * 125);
    px_mesh_free(mesh);
    CHECK(ball_10 > 0 && ball_10 < 0.008);
    CHECK_NEAR(ball_5 / ball_10, 4, 0.5);
    /* its outside is a block with a hole: two pieces, closed at the sides of the volume */
    CHECK_OK(px_isosurface("ball", &volume, 10, false, false, 1, &mesh, &pieces));
    CHECK_EQUAL(pieces, 2);
    CHECK_OK(px_mesh_check_closed(mesh, "block"));
    px_mesh_free(mesh);
    CHECK_OK(px_isosurface("ball", &volume, 10, false, true, 1, &mesh, &pieces));
    CHECK(px_mesh_volume(mesh) > 32 * 32 * 32);
    px_mesh_free(mesh);
    CHECK_FAILS(px_isosurface("ball", &volume, -1, true, false, 1, &mesh, &pieces), PX_ERR_ARGUMENT,
                "from 0 to 28");
    free(value);
}

TEST(mirrored_axes_do_not_turn_the_surface_inside_out)
{
    float *value = malloc(sizeof *value * N * N * N);
    PxVolume volume = ball_volume(value);
    volume.step[0].x = -1;
    PxMesh *mesh;
    uint32_t pieces;
    CHECK_OK(px_isosurface("ball", &volume, 10, true, false, 0.5, &mesh, &pieces));
    CHECK_NEAR(px_mesh_volume(mesh) / (4.0 / 3.0 * acos(-1.0) * 125), 1, 0.008);
    px_mesh_free(mesh);
    free(value);
}

/* Writes an NRRD file of the ball as int16 with the given encoding; returns its size. */
static size_t write_nrrd(const char *path, const char *encoding, const char *endian)
{
    float *value = malloc(sizeof *value * N * N * N);
    unsigned char *raw = malloc(2 * (size_t)N * N * N);
    fill(value);
    for (int k = 0; k < N * N * N; ++k) {
        unsigned v = (unsigned)lround(100 * (double)value[k]);
        raw[2 * k + (endian[0] == 'b')] = (unsigned char)(v & 255);
        raw[2 * k + (endian[0] == 'l')] = (unsigned char)(v >> 8);
    }
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fprintf(file,
            "NRRD0004\n# a ball\ntype: int16\ndimension: 3\nspace: left-posterior-superior\n"
            "sizes: %d %d %d\nspace directions: (2,0,0) (0,2,0) (0,0,2)\nspace origin: (0,0,-5)\n"
            "note:=nothing\nencoding: %s\nendian: %s\n\n",
            N, N, N, encoding, endian);
    if (encoding[0] == 'g') {
        uLongf room = compressBound(2 * N * N * N) + 64;
        unsigned char *packed = malloc(room);
        z_stream stream = {0};
        CHECK_EQUAL(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        stream.next_in = raw;
        stream.avail_in = 2 * N * N * N;
        stream.next_out = packed;
        stream.avail_out = (uInt)room;
        CHECK_EQUAL(deflate(&stream, Z_FINISH), Z_STREAM_END);
        fwrite(packed, 1, room - stream.avail_out, file);
        deflateEnd(&stream);
        free(packed);
    } else if (encoding[0] == 't')
        for (int k = 0; k < N * N * N; ++k)
            fprintf(file, "%ld\n", lround(100 * (double)value[k]));
    else
        fwrite(raw, 2, (size_t)N * N * N, file);
    size_t size = (size_t)ftell(file);
    fclose(file);
    free(raw);
    free(value);
    return size;
}

TEST(nrrd_files_of_each_encoding_give_the_same_mesh)
{
    static const struct {
        const char *encoding, *endian;
    } kinds[] = {{"raw", "little"}, {"raw", "big"}, {"gzip", "little"}, {"text", "little"}};
    double first = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        write_nrrd("test_make.nrrd", kinds[k].encoding, kinds[k].endian);
        PxVolumeDef def = px_volume_def_default();
        PxVolumeResult result;
        def.path = "test_make.nrrd";
        def.at = 1000;
        def.below = true;
        CHECK_OK(px_make_volume_mesh(&def, "test_make.ply", &result));
        CHECK_EQUAL(result.samples[2], N);
        CHECK_NEAR(result.spacing[0], 0.002, 1e-12);
        CHECK_NEAR(result.low.z, 0.001 * (-5 + 2 * (16 - 10)), 1e-4);
        PxMesh *mesh;
        CHECK_OK(px_mesh_read_file("test_make.ply", &mesh));
        CHECK_OK(px_mesh_check_closed(mesh, "file"));
        px_mesh_free(mesh);
        if (k == 0)
            first = result.volume;
        CHECK(result.volume == first);
        CHECK_NEAR(result.volume / (4.0 / 3.0 * acos(-1.0) * 8e-6), 1, 0.008);
    }
    unlink("test_make.nrrd");
    unlink("test_make.ply");
}

TEST(damaged_volumes_are_refused)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"hello", "no NRRD"},
        {"NRRD0004\ntype: int16\n", "lacks 'dimension'"},
        {"NRRD0004\ndimension: 4\n\n", "4 dimensions"},
        {"NRRD0004\ndimension: 3\ntype: cube\n\n", "a type"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2\n\n", "three sizes"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 0\n\n", "three sizes"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 70000 70000 70000\n\n", "more than"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: hex\n\n", "an encoding"},
        {"NRRD0004\ndimension: 3\ntype: short\nsizes: 2 2 2\nencoding: raw\n\n", "endian"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: raw\nspacings: 1 -1 1\n\n",
         "above 0"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: raw\n"
         "space directions: (1,0,0) (2,0,0) (0,0,1)\n\n",
         "plane"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: raw\n"
         "data file: ../secret\n\n",
         "same folder"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: raw\n\n1234567",
         "cannot hold"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: gzip\n\n1234567", "damaged"},
        {"NRRD0004\ndimension: 3\ntype: uint8\nsizes: 2 2 2\nencoding: text\n\n1 2 3 4 5 x 7 8",
         "sample 6"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        FILE *file = fopen("test_make_wrong.nrrd", "wb");
        CHECK(file != NULL);
        fputs(wrong[k].text, file);
        fclose(file);
        PxVolumeDef def = px_volume_def_default();
        def.path = "test_make_wrong.nrrd";
        PxStatus status = px_make_volume_mesh(&def, "test_make_wrong.ply", NULL);
        if (status == PX_OK || strstr(px_error_message(), wrong[k].message) == NULL)
            fail_msg("'%s': %s, wanted '%s'", wrong[k].text, px_error_message(), wrong[k].message);
    }
    unlink("test_make_wrong.nrrd");
}

TEST(raw_samples_need_their_size_and_type)
{
    PxVolumeDef def = px_volume_def_default();
    FILE *file = fopen("test_make.raw", "wb");
    CHECK(file != NULL);
    for (int k = 0; k < 27; ++k)
        fputc(k == 13 ? 200 : 0, file);
    fclose(file);
    def.path = "test_make.raw";
    def.at = 100;
    def.samples[0] = 3;
    CHECK_FAILS(px_make_volume_mesh(&def, "test_make.stl", NULL), PX_ERR_ARGUMENT, "three");
    def.samples[1] = def.samples[2] = 3;
    CHECK_FAILS(px_make_volume_mesh(&def, "test_make.stl", NULL), PX_ERR_ARGUMENT, "type");
    def.type = "uint8";
    PxVolumeResult result;
    CHECK_OK(px_make_volume_mesh(&def, "test_make.stl", &result));
    CHECK_EQUAL(result.triangles, 8); /* an octahedron around the sample in the middle */
    def.samples[2] = 4;
    CHECK_FAILS(px_make_volume_mesh(&def, "test_make.stl", NULL), PX_ERR_FORMAT, "cannot hold");
    unlink("test_make.raw");
    unlink("test_make.stl");
}

/* ---- walker ---- */

/* Lowest place of a figure during a step of its motion, and its furthest place in z. */
static void soles(PxMovingMesh *moving, double time, double *low, double *ahead)
{
    px_moving_mesh_set(moving, time, 0);
    PxBounds b = px_moving_mesh_bounds(moving);
    *low = b.low.y;
    *ahead = b.high.z;
}

TEST(every_seed_makes_a_closed_figure_that_walks_on_the_floor_in_a_skirt_that_fits)
{
    Folder folder = folder_make();
    char mesh[FOLDER_PATH + 40], poses[FOLDER_PATH + 40], skirt[FOLDER_PATH + 40];
    snprintf(mesh, sizeof mesh, "%s/w.obj", folder.path);
    snprintf(poses, sizeof poses, "%s/w.pc2", folder.path);
    snprintf(skirt, sizeof skirt, "%s/s.obj", folder.path);
    double height[3];
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        PxWalkerDef def = px_walker_def_default();
        PxWalkerResult r;
        def.seed = seed;
        def.triangles = 3000;
        def.fps = 24;
        def.seconds = 3;
        CHECK_OK(px_make_walker(&def, mesh, poses, skirt, &r));
        CHECK_NEAR(r.triangles, 3000, 400);
        CHECK(r.poses == 73 && r.speed > 0.8 && r.speed < 1.8);
        height[seed - 1] = r.height;
        PxShapeDef shape = px_shape_def_default(PX_SHAPE_MESH);
        shape.mesh = mesh;
        shape.poses = poses;
        shape.pose_fps = 24;
        PxShape *figure;
        CHECK_OK(px_shape_create(&shape, &figure)); /* closed in every pose */
        PxMovingMesh *moving = px_shape_moving(figure);
        double low, ahead, start;
        soles(moving, 0, &low, &start);
        for (double t = 0; t <= 3; t += 0.05) {
            soles(moving, t, &low, &ahead);
            CHECK(low > -0.012 && low < 0.02); /* it neither sinks nor flies */
        }
        /* a ramp of 0.8 s after 0.3 s of standing costs half its length */
        CHECK_NEAR(ahead - start, r.speed * (3 - 0.3 - 0.4), 0.5);
        /* no limb goes faster than a foot that swings */
        CHECK(px_moving_mesh_speed(moving) < 4.5 * r.speed);
        PxMesh *cloth;
        CHECK_OK(px_mesh_read_file(skirt, &cloth));
        CHECK(cloth->vertex_count == r.skirt_vertices && r.skirt_triangles > 2000);
        uint32_t held = 0;
        for (uint32_t v = 0; v < cloth->vertex_count; ++v) {
            CHECK(px_shape_distance(figure, cloth->position[v], NULL) > 0.004);
            held += cloth->position[v].y > r.waist[0] && cloth->position[v].y < r.waist[1];
        }
        CHECK(held == 2 * def.around);
        px_mesh_free(cloth);
        px_shape_free(figure);
    }
    CHECK(height[0] != height[1] && height[1] != height[2]);
    folder_remove_path(folder.path);
}

TEST(figures_with_wrong_numbers_are_refused)
{
    PxWalkerDef def = px_walker_def_default();
    CHECK_FAILS(px_make_walker(&def, "w.stl", "w.pc2", NULL, NULL), PX_ERR_ARGUMENT, "STL");
    CHECK_FAILS(px_make_walker(&def, "w.obj", "w.abc", NULL, NULL), PX_ERR_ARGUMENT, ".pc2");
    CHECK_FAILS(px_make_walker(&def, "w.obj", "w.pc2", "s.txt", NULL), PX_ERR_ARGUMENT, "s.txt");
    def.fps = 0;
    CHECK_FAILS(px_make_walker(&def, "w.obj", "w.pc2", NULL, NULL), PX_ERR_ARGUMENT, "fps is 0");
    def = px_walker_def_default();
    def.height = NAN;
    CHECK_FAILS(px_make_walker(&def, "w.obj", "w.pc2", NULL, NULL), PX_ERR_ARGUMENT, "height");
    def = px_walker_def_default();
    def.triangles = 10;
    CHECK_FAILS(px_make_walker(&def, "w.obj", "w.pc2", NULL, NULL), PX_ERR_ARGUMENT, "triangles");
}

TEST_MAIN()
