/// Meshes: readers, writers, checks.
#include "check.h"
#include "meshes.h"

#include "base/random.h"
#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "shape/mesh_write.h"

#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A tetrahedron, the smallest closed mesh, as text. */
#define TETRA_V "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
#define TETRA_F "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

static PxStatus obj(const char *text, PxMesh **out)
{
    return px_mesh_read_obj("t.obj", text, strlen(text), out);
}

static PxStatus ply(const char *text, PxMesh **out)
{
    return px_mesh_read_ply("t.ply", text, strlen(text), out);
}

static PxStatus stl(const char *text, PxMesh **out)
{
    return px_mesh_read_stl("t.stl", text, strlen(text), out);
}

static void check_tetra(PxMesh *mesh)
{
    CHECK_EQUAL(mesh->vertex_count, 4);
    CHECK_EQUAL(mesh->triangle_count, 4);
    CHECK_OK(px_mesh_check_closed(mesh, "tetra"));
    CHECK_NEAR(px_mesh_volume(mesh), 1.0 / 6, 1e-16);
    CHECK_NEAR(px_mesh_area(mesh), 1.5 + sqrt(3.0) / 2, 1e-15);
}

static void check_same(const PxMesh *a, const PxMesh *b, double tolerance)
{
    CHECK_EQUAL(a->vertex_count, b->vertex_count);
    CHECK_EQUAL(a->triangle_count, b->triangle_count);
    CHECK(memcmp(a->triangle, b->triangle, a->triangle_count * sizeof *a->triangle) == 0);
    CHECK((a->normal == NULL) == (b->normal == NULL));
    CHECK((a->colour == NULL) == (b->colour == NULL));
    CHECK((a->uv == NULL) == (b->uv == NULL));
    for (uint32_t v = 0; v < a->vertex_count; ++v) {
        CHECK_NEAR(px_length(px_sub(a->position[v], b->position[v])), 0, tolerance);
        if (a->normal != NULL)
            CHECK_NEAR(px_length(px_sub(a->normal[v], b->normal[v])), 0, tolerance);
        if (a->colour != NULL)
            CHECK_NEAR(px_length(px_sub(a->colour[v], b->colour[v])), 0, fmax(tolerance, 0.004));
        if (a->uv != NULL)
            CHECK_NEAR(hypot(a->uv[v].u - b->uv[v].u, a->uv[v].v - b->uv[v].v), 0, tolerance);
    }
}

/* A ring with everything a mesh can carry, and numbers of all lengths. */
static PxMesh *rich_ring(unsigned with)
{
    PxMesh *ring = mesh_torus(0.6, 0.25, 12, 7), *mesh;
    CHECK_OK(px_mesh_create(ring->vertex_count, ring->triangle_count, with, &mesh));
    memcpy(mesh->position, ring->position, ring->vertex_count * sizeof *ring->position);
    memcpy(mesh->triangle, ring->triangle, ring->triangle_count * sizeof *ring->triangle);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double a = px_random_unit(v, 1, 0), b = px_random_unit(v, 1, 1);
        if (mesh->normal != NULL)
            mesh->normal[v] = px_vec(a - 0.5, b * 1e-20, 1e10 * a);
        if (mesh->colour != NULL)
            mesh->colour[v] = px_vec(a, b, 1);
        if (mesh->uv != NULL)
            mesh->uv[v] = (PxUv){a, b};
    }
    px_mesh_free(ring);
    return mesh;
}

/* ---- OBJ ---- */

TEST(a_plain_obj_is_read)
{
    PxMesh *mesh;
    CHECK_OK(
        obj("# a comment\no tetra\n" TETRA_V "\n  \ng all\nusemtl none\ns off\n" TETRA_F, &mesh));
    check_tetra(mesh);
    CHECK(mesh->normal == NULL && mesh->colour == NULL && mesh->uv == NULL);
    px_mesh_free(mesh);
}

TEST(obj_indices_may_be_negative_and_point_ahead)
{
    PxMesh *mesh;
    CHECK_OK(obj(TETRA_V "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n", &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
    CHECK_OK(obj(TETRA_F TETRA_V, &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
}

TEST(obj_corners_come_in_all_forms)
{
    PxMesh *mesh;
    CHECK_OK(obj(TETRA_V "vt 0 0\nvt 1 0\nvt 0 1\nf 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 1/1 4/2 3/3\n"
                         "f 2/1 3/2 4/3\n",
                 &mesh));
    /* split by (place, texture): closed again after welding */
    CHECK_EQUAL(mesh->vertex_count, 8);
    CHECK(mesh->uv != NULL && mesh->normal == NULL);
    CHECK_OK(px_mesh_check_closed(mesh, "split"));
    CHECK_NEAR(mesh->uv[1].u, 1, 0);
    px_mesh_free(mesh);

    CHECK_OK(obj(TETRA_V "vn 0 0 1\nvn 2 0 0\nf 1//1 3//1 2//1\nf 1//2 2//2 4//2\n"
                         "f 1//-1 4//-1 3//-1\nf 2//1 3//1 4//1\n",
                 &mesh));
    CHECK(mesh->uv == NULL && mesh->normal != NULL);
    CHECK_OK(px_mesh_check_closed(mesh, "split"));
    px_mesh_free(mesh);

    CHECK_OK(obj(TETRA_V "vt 0.5\nvn 0 0 1\nf 1/1/1 3/1/1 2/1/1\nf 1/1/1 2/1/1 4/1/1\n"
                         "f 1/1/1 4/1/1 3/1/1\nf 2/1/1 3/1/1 4/1/1\n",
                 &mesh));
    check_tetra(mesh);
    CHECK(mesh->uv != NULL && mesh->normal != NULL);
    px_mesh_free(mesh);

    /* some corners without: then none are kept */
    CHECK_OK(obj(TETRA_V "vt 0 0\nf 1/1 3/1 2/1\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", &mesh));
    check_tetra(mesh);
    CHECK(mesh->uv == NULL);
    px_mesh_free(mesh);
}

TEST(obj_polygons_are_cut_into_fans)
{
    PxMesh *mesh;
    CHECK_OK(obj("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                 "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
                 &mesh));
    CHECK_EQUAL(mesh->triangle_count, 12);
    CHECK_OK(px_mesh_check_closed(mesh, "cube"));
    CHECK_NEAR(px_mesh_volume(mesh), 1, 1e-15);
    px_mesh_free(mesh);
}

TEST(obj_vertices_may_have_colours_and_weights)
{
    PxMesh *mesh;
    CHECK_OK(
        obj("v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 0 1 0 0 0 1\nv 0 0 1 0.5 0.5 0.5\n" TETRA_F, &mesh));
    check_tetra(mesh);
    CHECK(mesh->colour != NULL);
    CHECK_NEAR(mesh->colour[1].y, 1, 0);
    px_mesh_free(mesh);
    CHECK_OK(obj("v 0 0 0 1\nv 1 0 0 1\nv 0 1 0 1\nv 0 0 1 1\n" TETRA_F, &mesh));
    check_tetra(mesh);
    CHECK(mesh->colour == NULL);
    px_mesh_free(mesh);
    CHECK_OK(
        obj("v 0 0 0 1 1 0 0\nv 1 0 0 1 0 1 0\nv 0 1 0 1 0 0 1\nv 0 0 1 1 0.5 0.5 0.5\n" TETRA_F,
            &mesh));
    CHECK_NEAR(mesh->colour[2].z, 1, 0);
    px_mesh_free(mesh);
}

TEST(obj_lines_end_in_any_way_and_may_be_continued)
{
    PxMesh *mesh;
    CHECK_OK(obj("v 0 0 0\r\nv 1 0 0\r\nv 0 \\\r\n1 0\r\nv 0 0 1 # last\r\n"
                 "f 1 3 2 # first\r\nf 1 \\\n2 \\\n4\nf 1 4 3\nf 2 3 4\\\n",
                 &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
    CHECK_OK(obj("\xef\xbb\xbf" TETRA_V "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4", &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
}

/* Two tetrahedra, the second in two groups and at x + 5. */
#define TWO                                                                                        \
    "o left one\n" TETRA_V TETRA_F "o right\ng  spare tip \n"                                      \
    "v 5 0 0 1 0 0\nv 6 0 0 1 0 0\nv 5 1 0 1 0 0\nv 5 0 1 1 0 0\n"                                 \
    "f 5//1 7//1 6//1\nf 5//1 6//1 8//1\nf 5//1 8//1 7//1\nf 6//1 7//1 8//1\nvn 0 1 0\n"

static PxStatus part(const char *name, PxMesh **out)
{
    return px_mesh_read_obj_part("t.obj", TWO, strlen(TWO), name, out);
}

TEST(an_object_or_group_of_an_obj_is_read_alone)
{
    PxMesh *mesh;
    CHECK_OK(part(NULL, &mesh));
    CHECK_EQUAL(mesh->triangle_count, 8);
    px_mesh_free(mesh);
    CHECK_OK(part("left one", &mesh));
    check_tetra(mesh);
    CHECK(mesh->normal == NULL); /* those of the other part do not matter */
    CHECK_EQUAL(mesh->position[1].x, 1);
    px_mesh_free(mesh);
    const char *const names[] = {"right", "spare", "tip"};
    for (size_t k = 0; k < PX_COUNT(names); ++k) {
        CHECK_OK(part(names[k], &mesh));
        check_tetra(mesh);
        CHECK_EQUAL(mesh->position[0].x, 5);
        CHECK(mesh->normal != NULL);
        px_mesh_free(mesh);
    }
}

TEST(a_part_that_is_missing_is_refused_with_those_that_are_there)
{
    PxMesh *mesh;
    CHECK_FAILS(part("rihgt", &mesh), PX_ERR_FORMAT,
                "t.obj: has no part 'rihgt', wanted one of left one, right, spare, tip; did you "
                "mean 'right'?");
    CHECK_FAILS(part("", &mesh), PX_ERR_FORMAT, "has no part ''");
    const char *bare = TETRA_V TETRA_F, *idle = TETRA_V TETRA_F "o empty\n";
    CHECK_FAILS(px_mesh_read_obj_part("t.obj", bare, strlen(bare), "x", &mesh), PX_ERR_FORMAT,
                "no object (o) and no group (g) is named in it");
    CHECK_FAILS(px_mesh_read_obj_part("t.obj", idle, strlen(idle), "empty", &mesh), PX_ERR_FORMAT,
                "t.obj: its part 'empty' has no faces");
}

TEST(broken_obj_files_are_refused_with_the_line)
{
    PxMesh *mesh = (PxMesh *)&mesh;
    CHECK_FAILS(obj("", &mesh), PX_ERR_FORMAT, "t.obj: 0 vertices and 0 triangles");
    CHECK(mesh == NULL);
    CHECK_FAILS(obj(TETRA_V, &mesh), PX_ERR_FORMAT, "4 vertices and 0 triangles");
    CHECK_FAILS(obj("Dear friend,\nhow are you\n", &mesh), PX_ERR_FORMAT,
                "t.obj: line 1: begins with 'Dear'");
    CHECK_FAILS(obj("v 0 0\n", &mesh), PX_ERR_FORMAT, "line 1: vertex has 2 numbers, wanted 3");
    CHECK_FAILS(obj("v 0 0 zero\n", &mesh), PX_ERR_FORMAT, "line 1: 'zero' in vertex");
    CHECK_FAILS(obj("v 0 0 0x10\n", &mesh), PX_ERR_FORMAT, "'0x10'");
    CHECK_FAILS(obj("v 1 2 3 4 5 6 7 8\n", &mesh), PX_ERR_FORMAT, "more than 7 numbers");
    CHECK_FAILS(obj("vn 1 2\n", &mesh), PX_ERR_FORMAT, "normal has 2 numbers");
    CHECK_FAILS(obj(TETRA_V "f 1 2\n", &mesh), PX_ERR_FORMAT, "line 5: a face with 2 corners");
    CHECK_FAILS(obj(TETRA_V "f 1 2 5\n", &mesh), PX_ERR_FORMAT,
                "line 5: a face names vertex 5, but there are only 4");
    CHECK_FAILS(obj(TETRA_V "f 1 2 0\n", &mesh), PX_ERR_FORMAT, "line 5: '0' in a face");
    CHECK_FAILS(obj(TETRA_V "f 1 2 -5\n", &mesh), PX_ERR_FORMAT, "vertex -5, but only 4");
    CHECK_FAILS(obj(TETRA_V "f 1 2 99999999999999999999\n", &mesh), PX_ERR_FORMAT, "in a face");
    CHECK_FAILS(obj(TETRA_V "f 1 2 4294967299\n", &mesh), PX_ERR_FORMAT, "4294967299");
    CHECK_FAILS(obj(TETRA_V "f 1 2 3.5\n", &mesh), PX_ERR_FORMAT, "'3.5' in a face");
    CHECK_FAILS(obj(TETRA_V "f 1 2 /3\n", &mesh), PX_ERR_FORMAT, "in a face");
    CHECK_FAILS(obj(TETRA_V "f 1 2 3/1/1/1\n", &mesh), PX_ERR_FORMAT, "wanted v, v/vt or v/vt/vn");
    CHECK_FAILS(obj(TETRA_V "f 1/1 2/1 3/1\n", &mesh), PX_ERR_FORMAT, "texture coordinate 1, but");
    CHECK_FAILS(obj(TETRA_V "vn 0 0 1\nf 1//1 2//1 3//2\n", &mesh), PX_ERR_FORMAT,
                "line 6: a face names normal 2");
    CHECK_FAILS(obj("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &mesh), PX_ERR_FORMAT,
                "position of vertex 0 is (nan, 0, 0), must be finite");
    CHECK_FAILS(obj("v 1e999 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &mesh), PX_ERR_FORMAT,
                "(inf, 0, 0)");
    CHECK_FAILS(obj("v 1e99 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &mesh), PX_ERR_FORMAT,
                "must be below 1e+50");
    CHECK_FAILS(px_mesh_read_obj("t.obj", "\x7f\x45\x4c\x46\0\0\0\1", 8, &mesh), PX_ERR_FORMAT,
                "begins with '.ELF");
}

/* ---- PLY ---- */

#define PLY_TETRA_ROWS "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
#define PLY_TETRA_FACES "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
#define PLY_HEAD(vertices, faces)                                                                  \
    "ply\nformat ascii 1.0\ncomment here\nelement vertex " vertices                                \
    "\nproperty float x\nproperty float y\nproperty float z\nelement face " faces                  \
    "\nproperty list uchar int vertex_indices\nend_header\n"

TEST(a_plain_ply_is_read)
{
    PxMesh *mesh;
    CHECK_OK(ply(PLY_HEAD("4", "4") PLY_TETRA_ROWS PLY_TETRA_FACES, &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
}

TEST(ply_properties_may_be_in_any_order_and_unknown_ones_are_skipped)
{
    PxMesh *mesh;
    CHECK_OK(ply("ply\r\nformat ascii 1.0\r\nobj_info x\r\nelement material 2\r\n"
                 "property list uint8 float32 lights\r\nproperty int8 id\r\n"
                 "element empty 99999999999\r\n"
                 "element face 4\r\nproperty uchar flags\r\n"
                 "property list int uint vertex_index\r\nproperty list uchar float texcoord\r\n"
                 "element vertex 4\r\nproperty uchar blue\r\nproperty double z\r\n"
                 "property float quality\r\nproperty double y\r\nproperty uchar red\r\n"
                 "property uchar green\r\nproperty float64 x\r\nproperty float nx\r\n"
                 "property float ny\r\nproperty float nz\r\nproperty float s\r\n"
                 "property float t\r\nelement edge 1\r\nproperty int a\r\nend_header\r\n"
                 "2 1.5 2.5 7\r\n0 8\r\n"
                 "9 3 0 2 1 2 0.1 0.2\r\n9 3 0 1 3 0\r\n9 3 0 3 2 0\r\n9 3 1 2 3 0\r\n"
                 "255 0 1 0 0 51 0 0 0 1 0.25 0.75\r\n0 0 1 0 0 0 1 0 0 1 0 0\r\n"
                 "0 0 1 1 0 0 0 0 0 1 0 0\r\n0 1 1 0 0 0 0 0 0 1 0 0\r\n42\r\n",
                 &mesh));
    check_tetra(mesh);
    CHECK_NEAR(mesh->colour[0].z, 1, 0);
    CHECK_NEAR(mesh->colour[0].y, 0.2, 0);
    CHECK_NEAR(mesh->normal[0].z, 1, 0);
    CHECK_NEAR(mesh->uv[0].v, 0.75, 0);
    px_mesh_free(mesh);
}

/* The same cube in both byte orders, with doubles, shorts and quadrilaterals. */
static size_t binary_cube(bool big, unsigned char *out)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    size_t at = (size_t)sprintf((char *)out,
                                "ply\nformat binary_%s_endian 1.0\nelement vertex 8\n"
                                "property double x\nproperty float y\nproperty short z\n"
                                "property ushort red\nproperty ushort green\nproperty ushort blue\n"
                                "element face 6\nproperty list ushort ushort vertex_indices\n"
                                "end_header\n",
                                big ? "big" : "little");
    for (int v = 0; v < 8; ++v) {
        double x = v & 1;
        float y = v & 2 ? 1 : 0;
        int16_t z = v & 4 ? 1 : 0;
        uint16_t colour[3] = {65535, 0, 13107};
        unsigned char raw[20];
        memcpy(raw, &x, 8);
        memcpy(raw + 8, &y, 4);
        memcpy(raw + 12, &z, 2);
        memcpy(raw + 14, colour, 6);
        const int sizes[] = {8, 4, 2, 2, 2, 2};
        int from = 0;
        for (int k = 0; k < 6; from += sizes[k++])
            for (int b = 0; b < sizes[k]; ++b)
                out[at++] = raw[from + (big ? sizes[k] - 1 - b : b)];
    }
    for (int f = 0; f < 6; ++f)
        for (int k = -1; k < 4; ++k) {
            int value = k < 0 ? 4 : faces[f][k];
            out[at++] = (unsigned char)(big ? 0 : value);
            out[at++] = (unsigned char)(big ? value : 0);
        }
    return at;
}

TEST(binary_ply_of_both_byte_orders_is_read)
{
    for (int big = 0; big < 2; ++big) {
        unsigned char bytes[1024];
        size_t size = binary_cube(big, bytes);
        PxMesh *mesh;
        CHECK_OK(px_mesh_read_ply("cube.ply", bytes, size, &mesh));
        CHECK_EQUAL(mesh->vertex_count, 8);
        CHECK_OK(px_mesh_check_closed(mesh, "cube"));
        CHECK_NEAR(px_mesh_volume(mesh), 1, 1e-15);
        CHECK_NEAR(mesh->colour[5].z, 0.2, 1e-15);
        px_mesh_free(mesh);
        /* every truncation is detected */
        for (size_t cut = 0; cut < size; ++cut) {
            CHECK(px_mesh_read_ply("cube.ply", bytes, cut, &mesh) == PX_ERR_FORMAT);
            CHECK(mesh == NULL);
        }
        CHECK_FAILS(px_mesh_read_ply("cube.ply", bytes, size - 1, &mesh), PX_ERR_FORMAT,
                    "inside face 5, but line 10 announces 6 of them");
    }
}

TEST(broken_ply_files_are_refused_with_the_place)
{
    PxMesh *mesh;
    CHECK_FAILS(ply("", &mesh), PX_ERR_FORMAT, "line 1: wanted the word ply");
    CHECK_FAILS(ply("plywood\n", &mesh), PX_ERR_FORMAT, "line 1: wanted the word ply");
    CHECK_FAILS(ply("ply\nformat ascii 1.0\n", &mesh), PX_ERR_FORMAT,
                "line 3: the file ends inside the header");
    CHECK_FAILS(ply("ply\nformat ebcdic 1.0\n", &mesh), PX_ERR_FORMAT, "format is 'ebcdic'");
    CHECK_FAILS(ply("ply\nformat ascii 2.0\n", &mesh), PX_ERR_FORMAT, "version is '2.0'");
    CHECK_FAILS(ply("ply\nnonsense\n", &mesh), PX_ERR_FORMAT, "line 2: begins with 'nonsense'");
    CHECK_FAILS(ply("ply\nproperty float x\n", &mesh), PX_ERR_FORMAT, "before the first element");
    CHECK_FAILS(ply("ply\nelement vertex many\n", &mesh), PX_ERR_FORMAT, "'many' for its count");
    CHECK_FAILS(ply("ply\nelement vertex -1\n", &mesh), PX_ERR_FORMAT, "'-1' for its count");
    CHECK_FAILS(ply("ply\nelement vertex 1\nelement vertex 1\n", &mesh), PX_ERR_FORMAT,
                "line 3: element vertex for the second time");
    CHECK_FAILS(ply("ply\nelement vertex 1\nproperty quad x\n", &mesh), PX_ERR_FORMAT,
                "'quad' as a type");
    CHECK_FAILS(ply("ply\nelement vertex 1\nproperty list float int x\n", &mesh), PX_ERR_FORMAT,
                "'float' as the type of a list's length");
    CHECK_FAILS(ply("ply\nelement vertex 1\nproperty float\n", &mesh), PX_ERR_FORMAT,
                "without a name");
    CHECK_FAILS(ply("ply\nelement vertex 1\nend_header\n", &mesh), PX_ERR_FORMAT, "no format line");
    CHECK_FAILS(ply("ply\nformat ascii 1.0\nelement face 1\nend_header\n", &mesh), PX_ERR_FORMAT,
                "no element vertex with x, y and z");
    CHECK_FAILS(ply("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                    "property float z\nend_header\n0 0 0\n",
                    &mesh),
                PX_ERR_FORMAT, "no element face");
    CHECK_FAILS(ply(PLY_HEAD("4", "4") "0 0 0\n1 zero 0\n", &mesh), PX_ERR_FORMAT,
                "line 12: 'zero' in vertex 1");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") PLY_TETRA_ROWS "2 0 1\n", &mesh), PX_ERR_FORMAT,
                "face 0 has 2 corners");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") PLY_TETRA_ROWS "3 0 1 4\n", &mesh), PX_ERR_FORMAT,
                "line 15: face 0 names vertex 4 of 4");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") PLY_TETRA_ROWS "3 0 1 -1\n", &mesh), PX_ERR_FORMAT,
                "line 15: face 0 names vertex -1");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") PLY_TETRA_ROWS "3 0 1 1.5\n", &mesh), PX_ERR_FORMAT,
                "names vertex 1.5");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") PLY_TETRA_ROWS "-3 0 1 2\n", &mesh), PX_ERR_FORMAT,
                "-3 for its length");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") "0 0 0\n1 0 0\n0 inf 0\n0 0 1\n3 0 1 2\n", &mesh),
                PX_ERR_FORMAT, "vertex 2 is (0, inf, 0), must be finite");
    CHECK_FAILS(ply(PLY_HEAD("0", "0"), &mesh), PX_ERR_FORMAT, "0 vertices and 0 triangles");
    CHECK_FAILS(ply(PLY_HEAD("4", "0") PLY_TETRA_ROWS, &mesh), PX_ERR_FORMAT,
                "4 vertices and 0 triangles");
}

TEST(headers_that_announce_missing_data_allocate_nothing)
{
    PxMesh *mesh;
    CHECK_FAILS(ply(PLY_HEAD("1000000", "4") PLY_TETRA_ROWS PLY_TETRA_FACES, &mesh), PX_ERR_FORMAT,
                "but line 4 announces 1000000");
    CHECK_FAILS(ply(PLY_HEAD("4", "1000000") PLY_TETRA_ROWS PLY_TETRA_FACES, &mesh), PX_ERR_FORMAT,
                "inside face 4, but line 8 announces 1000000");
    CHECK_FAILS(ply(PLY_HEAD("1152921504606846976", "4"), &mesh), PX_ERR_FORMAT,
                "line 4: 1152921504606846976 of element vertex, at most");
    CHECK_FAILS(ply(PLY_HEAD("99999999999999999999999", "4"), &mesh), PX_ERR_FORMAT,
                "for its count");
    CHECK_FAILS(ply(PLY_HEAD("4", "1") PLY_TETRA_ROWS "4294967295 0 1 2\n", &mesh), PX_ERR_FORMAT,
                "the file ends");
    /* an unknown element of 2^60 bytes */
    CHECK_FAILS(ply("ply\nformat binary_little_endian 1.0\nelement junk 1152921504606846976\n"
                    "property char c\nelement vertex 1\nproperty float x\nproperty float y\n"
                    "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
                    "end_header\nabc",
                    &mesh),
                PX_ERR_FORMAT, "inside junk 3");
    unsigned char head[84 + 50] = "binary";
    memset(head + 80, 0xff, 4);
    CHECK_FAILS(px_mesh_read_stl("t.stl", head, sizeof head, &mesh), PX_ERR_FORMAT,
                "after 1 triangles, but byte 80 announces 4294967295");
}

/* ---- STL ---- */

#define FACET(a, b, c)                                                                             \
    " facet normal 0 0 0\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c            \
    "\n  endloop\n endfacet\n"
#define STL_TETRA                                                                                  \
    "solid tetra of mine\n" FACET("0 0 0", "0 1 0", "1 0 0") FACET("0 0 0", "1 0 0", "0 0 1")      \
        FACET("0 0 0", "0 0 1", "0 1 0") FACET("1 0 0", "0 1 0", "-0 0 1") "endsolid tetra\n"

TEST(a_text_stl_is_read_and_welded)
{
    PxMesh *mesh;
    CHECK_OK(stl(STL_TETRA, &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
    CHECK_OK(
        stl("SOLID\nFacet Normal nan nan nan OUTER LOOP vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 "
            "endloop endfacet\nENDSOLID\nsolid b\nendsolid b",
            &mesh));
    CHECK_EQUAL(mesh->triangle_count, 1);
    px_mesh_free(mesh);
}

TEST(broken_stl_files_are_refused_with_the_place)
{
    PxMesh *mesh;
    CHECK_FAILS(stl("", &mesh), PX_ERR_FORMAT, "0 bytes, wanted the word solid");
    CHECK_FAILS(stl("hello", &mesh), PX_ERR_FORMAT, "5 bytes, wanted the word solid");
    CHECK_FAILS(stl("solid\nendsolid\n", &mesh), PX_ERR_FORMAT, "0 vertices and 0 triangles");
    CHECK_FAILS(stl("solid\n", &mesh), PX_ERR_FORMAT, "the file ends, wanted facet or endsolid");
    CHECK_FAILS(stl("solid\nfacet abnormal\n", &mesh), PX_ERR_FORMAT,
                "line 2: 'abnormal', wanted normal");
    CHECK_FAILS(stl("solid\nfacet normal 0 0 z\n", &mesh), PX_ERR_FORMAT, "'z', wanted a number");
    CHECK_FAILS(stl("solid\n" FACET("0 0 0", "1 0 nan", "0 1 0") "endsolid", &mesh), PX_ERR_FORMAT,
                "line 5: vertex (1, 0, nan), must be finite");
    CHECK_FAILS(stl("solid\n" FACET("0 0 0", "1 0 0", "0 1 0 0") "endsolid", &mesh), PX_ERR_FORMAT,
                "'0', wanted endloop");
    CHECK_FAILS(stl(STL_TETRA "more", &mesh), PX_ERR_FORMAT, "'more', wanted solid");
    /* every truncation is detected, except in the name at the end */
    const char *end = strstr(STL_TETRA, "endsolid");
    for (size_t cut = 0; cut < (size_t)(end - STL_TETRA) + 8; ++cut)
        CHECK(px_mesh_read_stl("t.stl", STL_TETRA, cut, &mesh) == PX_ERR_FORMAT);

    unsigned char one[134] = {0};
    one[80] = 1;
    CHECK_OK(px_mesh_read_stl("t.stl", one, sizeof one, &mesh));
    px_mesh_free(mesh);
    memset(one + 84 + 12 + 24, 0xff, 4); /* the third corner's x */
    CHECK_FAILS(px_mesh_read_stl("t.stl", one, sizeof one, &mesh), PX_ERR_FORMAT,
                "byte 120: a corner of triangle 0");
    CHECK_FAILS(px_mesh_read_stl("t.stl", one, 133, &mesh), PX_ERR_FORMAT, "after 0 triangles");
}

TEST(a_binary_stl_may_begin_with_solid)
{
    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *mesh;
    PxBytes bytes = {0};
    CHECK_OK(px_mesh_write_stl(box, "metres", &bytes));
    memcpy(bytes.data, "solid of some program", 21);
    CHECK_OK(px_mesh_read_stl("t.stl", bytes.data, bytes.count, &mesh));
    CHECK_EQUAL(mesh->vertex_count, 8);
    CHECK_OK(px_mesh_check_closed(mesh, "box"));
    px_mesh_free(mesh);
    px_mesh_free(box);
    px_bytes_free(&bytes);
}

/* ---- there and back ---- */

TEST(written_data_is_read_back)
{
    for (unsigned with = 0; with < 8; ++with) {
        PxMesh *mesh = rich_ring(with), *back;
        for (int precision = PX_MESH_SINGLE; precision <= PX_MESH_DOUBLE; ++precision) {
            /* single precision: 6e-8 of 1e10 in the normals, 0.85 in the rest */
            bool single = precision == PX_MESH_SINGLE;
            double tolerance = !single ? 0 : with & PX_MESH_NORMAL ? 1e3 : 1e-7;
            PxBytes bytes = {0};
            CHECK_OK(px_mesh_write_ply(mesh, (PxMeshPrecision)precision, "m, y up\nby us", &bytes));
            CHECK_OK(px_mesh_read_ply("r.ply", bytes.data, bytes.count, &back));
            check_same(mesh, back, tolerance);
            px_mesh_free(back);
            bytes.count = 0;
            CHECK_OK(px_mesh_write_obj(mesh, (PxMeshPrecision)precision, "m, y up\nby us", &bytes));
            CHECK_OK(px_mesh_read_obj("r.obj", bytes.data, bytes.count, &back));
            if (with & (PX_MESH_NORMAL | PX_MESH_UV)) {
                /* vertices come in the order of first use then */
                CHECK_EQUAL(back->vertex_count, mesh->vertex_count);
                CHECK_NEAR(px_mesh_volume(back), px_mesh_volume(mesh), 1e-6);
                for (uint32_t t = 0; t < mesh->triangle_count; ++t)
                    for (int k = 0; k < 3; ++k) {
                        uint32_t a = mesh->triangle[t][k], b = back->triangle[t][k];
                        CHECK_NEAR(px_length(px_sub(mesh->position[a], back->position[b])), 0,
                                   single ? 1e-7 : 0);
                        if (with & PX_MESH_UV)
                            CHECK_NEAR(mesh->uv[a].u, back->uv[b].u, single ? 1e-7 : 0);
                        if (with & PX_MESH_NORMAL)
                            CHECK_NEAR(mesh->normal[a].z, back->normal[b].z, tolerance);
                        if (with & PX_MESH_COLOUR)
                            CHECK_NEAR(mesh->colour[a].y, back->colour[b].y, single ? 1e-7 : 0);
                    }
            } else {
                check_same(mesh, back, tolerance);
            }
            px_mesh_free(back);
            px_bytes_free(&bytes);
        }
        px_mesh_free(mesh);
    }
}

TEST(stl_is_read_back_in_single_precision)
{
    PxMesh *mesh = rich_ring(0), *back;
    PxBytes bytes = {0};
    CHECK_OK(px_mesh_write_stl(mesh, NULL, &bytes));
    CHECK_EQUAL(bytes.count, 84 + 50 * mesh->triangle_count);
    CHECK_OK(px_mesh_read_stl("r.stl", bytes.data, bytes.count, &back));
    CHECK_EQUAL(back->vertex_count, mesh->vertex_count);
    CHECK_EQUAL(back->triangle_count, mesh->triangle_count);
    CHECK_OK(px_mesh_check_closed(back, "r.stl"));
    CHECK_NEAR(px_mesh_volume(back), px_mesh_volume(mesh), 1e-6);
    px_mesh_free(back);
    px_mesh_free(mesh);
    px_bytes_free(&bytes);
}

TEST(writers_refuse_values_beyond_single_precision)
{
    PxMesh *mesh = mesh_box(px_vec(1, 1, 1));
    mesh->position[2].z = 1e40;
    PxBytes bytes = {0};
    CHECK_FAILS(px_mesh_write_stl(mesh, NULL, &bytes), PX_ERR_NUMERIC, "vertex 2");
    CHECK_FAILS(px_mesh_write_ply(mesh, PX_MESH_SINGLE, NULL, &bytes), PX_ERR_NUMERIC, "vertex 2");
    CHECK_FAILS(px_mesh_write_obj(mesh, PX_MESH_SINGLE, NULL, &bytes), PX_ERR_NUMERIC, "vertex 2");
    CHECK_EQUAL(bytes.count, 0);
    CHECK_OK(px_mesh_write_ply(mesh, PX_MESH_DOUBLE, NULL, &bytes));
    px_bytes_free(&bytes);
    px_mesh_free(mesh);
}

TEST(numbers_are_read_to_the_last_bit)
{
    const char *const texts[] = {"0.1",
                                 "123456789.123456789",
                                 "1e22",
                                 "1e23",
                                 "2.2250738585072014e-308",
                                 "-4.9e-324",
                                 "+.5",
                                 "5.",
                                 "1e-5",
                                 "9007199254740993",
                                 "0.30000000000000004",
                                 "00000000000000000000000000000000001.5",
                                 "1E+2",
                                 "-0"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        char file[256];
        snprintf(file, sizeof file, "v %s 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", texts[k]);
        PxMesh *mesh;
        CHECK_OK(obj(file, &mesh));
        CHECK(mesh->position[0].x == strtod(texts[k], NULL));
        px_mesh_free(mesh);
    }
    const char *const wrong[] = {"1e",  "e5",  ".",     "-",     "1.2.3",
                                 "1,5", "--1", "1e5.5", "0x1p3", "1 e5x"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char file[256];
        snprintf(file, sizeof file, "v %s 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", wrong[k]);
        PxMesh *mesh;
        CHECK_FAILS(obj(file, &mesh), PX_ERR_FORMAT, "line 1:");
    }
}

TEST(a_locale_with_commas_changes_nothing)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL)
        return; /* not installed here */
    PxMesh *mesh = rich_ring(0), *back;
    PxBytes bytes = {0};
    CHECK_OK(px_mesh_write_obj(mesh, PX_MESH_DOUBLE, NULL, &bytes));
    CHECK_OK(px_mesh_read_obj("r.obj", bytes.data, bytes.count, &back));
    check_same(mesh, back, 0);
    setlocale(LC_ALL, "C");
    px_mesh_free(mesh);
    px_mesh_free(back);
    px_bytes_free(&bytes);
}

/* ---- files ---- */

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

TEST(file_formats_are_detected_by_content_and_name)
{
    char folder[] = "/tmp/phyxel_mesh_XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    PxMesh *mesh;
    snprintf(path, sizeof path, "%s/a.obj", folder);
    CHECK_FAILS(px_mesh_read_file(path, &mesh), PX_ERR_IO, "No such file");
    write_file(path, "", 0);
    CHECK_FAILS(px_mesh_read_file(path, &mesh), PX_ERR_FORMAT, "the file is empty");
    write_file(path, TETRA_V TETRA_F, strlen(TETRA_V TETRA_F));
    CHECK_OK(px_mesh_read_file(path, &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
    /* a PLY file is detected by its first word, not by its name */
    const char *text = PLY_HEAD("4", "4") PLY_TETRA_ROWS PLY_TETRA_FACES;
    write_file(path, text, strlen(text));
    CHECK_OK(px_mesh_read_file(path, &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
    unlink(path);
    snprintf(path, sizeof path, "%s/a.mesh", folder);
    write_file(path, STL_TETRA, strlen(STL_TETRA));
    CHECK_OK(px_mesh_read_file(path, &mesh));
    check_tetra(mesh);
    px_mesh_free(mesh);
    write_file(path, TETRA_V TETRA_F, strlen(TETRA_V TETRA_F));
    CHECK_FAILS(px_mesh_read_file(path, &mesh), PX_ERR_FORMAT, "wanted .obj, .ply or .stl");
    unlink(path);
    CHECK_FAILS(px_mesh_read_file(folder, &mesh), PX_ERR_IO, "not an ordinary file");
    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK_FAILS(px_mesh_read_file(path, &mesh), PX_ERR_IO, "not an ordinary file");
    unlink(path);
    rmdir(folder);
}

TEST(a_file_beyond_the_limit_is_refused_unread)
{
    char path[] = "/tmp/phyxel_large_XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    bool sparse = ftruncate(file, (off_t)(PX_MESH_MAX_FILE + 1)) == 0;
    close(file);
    PxMesh *mesh;
    if (sparse)
        CHECK_FAILS(px_mesh_read_file(path, &mesh), PX_ERR_FORMAT, "bytes, at most 4294967296");
    unlink(path);
}

/* ---- checks ---- */

TEST(closed_means_closed_after_welding)
{
    /* no vertex shared at all */
    PxMesh *box = mesh_box(px_vec(1, 1, 1)), *soup = mesh_make(36, 12);
    for (uint32_t t = 0; t < 12; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            soup->position[3 * t + k] = px_mesh_corner(box, t, (int)k);
            soup->triangle[t][k] = 3 * t + k;
        }
    CHECK_OK(px_mesh_check_closed(soup, "soup"));
    soup->position[0].x += 1e-15;
    CHECK_FAILS(px_mesh_check_closed(soup, "soup"), PX_ERR_FORMAT, "soup: the mesh is open");
    px_mesh_free(soup);
    /* two boxes that share an edge: four triangles at it */
    PxMesh *pair = mesh_join(box, box, px_vec(1, 1, 0), false);
    CHECK_OK(px_mesh_check_closed(pair, "pair"));
    px_mesh_free(pair);
    /* a fin on a closed mesh: three triangles at an edge */
    PxMesh *fin = mesh_make(9, 13);
    memcpy(fin->position, box->position, 8 * sizeof *box->position);
    memcpy(fin->triangle, box->triangle, 12 * sizeof *box->triangle);
    fin->position[8] = px_vec(3, 3, 3);
    uint32_t at = 12;
    mesh_triangle(fin, &at, box->triangle[0][0], box->triangle[0][1], 8);
    CHECK_FAILS(px_mesh_check_closed(fin, "fin"), PX_ERR_FORMAT, "belongs to 3 triangles");
    px_mesh_free(fin);
    px_mesh_free(box);
}

TEST(volume_and_area_far_from_the_origin_keep_their_digits)
{
    PxMesh *ring = mesh_torus(0.6, 0.25, 30, 20);
    double volume = px_mesh_volume(ring), area = px_mesh_area(ring);
    for (uint32_t v = 0; v < ring->vertex_count; ++v)
        ring->position[v] = px_add(ring->position[v], px_vec(1e6, 0, 0));
    /* positions rounded at 1e-10 */
    CHECK_NEAR(px_mesh_volume(ring), volume, 1e-9);
    CHECK_NEAR(px_mesh_area(ring), area, 1e-8);
    px_mesh_free(ring);
}

TEST(meshes_of_no_size_are_refused)
{
    PxMesh *mesh;
    CHECK_FAILS(px_mesh_create(0, 1, 0, &mesh), PX_ERR_ARGUMENT, "0 vertices");
    CHECK_FAILS(px_mesh_create(1, 0, 0, &mesh), PX_ERR_ARGUMENT, "0 triangles");
    CHECK_FAILS(px_mesh_create((size_t)1 << 40, 1, 0, &mesh), PX_ERR_ARGUMENT, "vertices");
    CHECK(mesh == NULL);
    px_mesh_free(NULL);
}

TEST_MAIN()
