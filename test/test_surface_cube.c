/// Marching cubes, case by case: the triangles of neighbouring cubes fit together.
#include "check.h"

#include "surface/mesh/cube.h"

static bool inside_of(unsigned inside, unsigned corner)
{
    return inside >> corner & 1;
}

/* The faces that both of two edges of the cube lie on. */
static unsigned shared_faces(unsigned a, unsigned b)
{
    unsigned faces[2] = {0, 0}, edge[2] = {a, b};
    for (int n = 0; n < 2; ++n) {
        unsigned corner[2];
        px_cube_edge(edge[n], corner);
        for (unsigned axis = 0; axis < 3; ++axis)
            if (axis != edge[n] >> 2)
                faces[n] |= 1u << (2 * axis + (corner[0] >> axis & 1));
    }
    return faces[0] & faces[1];
}

/* How often a directed edge occurs in the triangles. */
static int times(const PxCube *cube, unsigned a, unsigned b)
{
    int count = 0;
    for (int t = 0; t < cube->triangles; ++t)
        for (int c = 0; c < 3; ++c)
            count += cube->triangle[t][c] == a && cube->triangle[t][(c + 1) % 3] == b;
    return count;
}

TEST(every_case_has_vertices_on_the_edges_that_change_sign_and_on_no_others)
{
    for (unsigned inside = 0; inside < 256; ++inside) {
        PxCube cube;
        px_cube_make(inside, 0, &cube);
        unsigned used = 0, crossed = 0;
        for (int t = 0; t < cube.triangles; ++t)
            for (int c = 0; c < 3; ++c)
                used |= 1u << cube.triangle[t][c];
        for (unsigned e = 0; e < 12; ++e) {
            unsigned corner[2];
            px_cube_edge(e, corner);
            CHECK_EQUAL(corner[0] ^ corner[1], 1u << (e >> 2));
            crossed |= (unsigned)(inside_of(inside, corner[0]) != inside_of(inside, corner[1]))
                       << e;
        }
        CHECK_EQUAL(used & 0xfffu, crossed);
    }
}

TEST(lines_on_faces_are_single_and_edges_within_are_paired_and_on_no_face)
{
    int cases = 0;
    for (unsigned inside = 0; inside < 256; ++inside) {
        unsigned ambiguous = px_cube_ambiguous(inside);
        for (unsigned joined = 0; joined < 64; ++joined) {
            if ((joined & ~ambiguous) != 0)
                continue;
            ++cases;
            PxCube cube;
            px_cube_make(inside, joined, &cube);
            for (unsigned a = 0; a < PX_CUBE_CENTRE + PX_CUBE_LOOPS; ++a)
                for (unsigned b = 0; b < PX_CUBE_CENTRE + PX_CUBE_LOOPS; ++b) {
                    int there = times(&cube, a, b), back = times(&cube, b, a);
                    CHECK(there <= 1);
                    bool on_face = a < 12 && b < 12 && shared_faces(a, b) != 0;
                    if (on_face)
                        CHECK(there + back <= 1); /* the cube behind has the other direction */
                    else
                        CHECK_EQUAL(there, back);
                }
            /* Euler's formula: each loop is filled with a disc */
            for (int l = 0, t = 0; l < cube.loops; ++l) {
                t += cube.length[l] - 2 + 2 * (cube.centres >> l & 1);
                if (l + 1 == cube.loops)
                    CHECK_EQUAL(t, cube.triangles);
            }
        }
    }
    CHECK_EQUAL(cases, 656);
}

/* The lines that a cube draws on a face, as pairs (from, to) of its edges in the face's own
 * numbering, which both cubes of the face share: 3 bits for the axis, 1 for the side. */
static int face_lines(const PxCube *cube, unsigned face, unsigned line[4][2])
{
    unsigned axis = face >> 1;
    int count = 0;
    for (int l = 0; l < cube->loops; ++l)
        for (int k = 0; k < cube->length[l]; ++k) {
            unsigned e[2] = {cube->loop[l][k], cube->loop[l][(k + 1) % cube->length[l]]};
            if (!(shared_faces(e[0], e[1]) >> face & 1))
                continue;
            for (int n = 0; n < 2; ++n) {
                unsigned corner[2];
                px_cube_edge(e[n], corner);
                line[count][n] = (corner[0] & ~(1u << axis)) << 2 | e[n] >> 2;
            }
            ++count;
        }
    return count;
}

TEST(two_cubes_draw_the_same_lines_on_their_face_in_opposite_directions)
{
    /* All values of -2, -1, 1, 2 on the shared face; the far corners of both cubes vary by a hash.
     */
    for (unsigned axis = 0; axis < 3; ++axis)
        for (unsigned n = 0; n < 4096; ++n) {
            float low[8], high[8];
            for (unsigned c = 0, k = 0; c < 8; ++c) {
                static const float values[4] = {-2, -1, 1, 2};
                if (!(c >> axis & 1))
                    continue;
                float v = values[n >> 2 * k++ & 3];
                low[c] = v; /* at coordinate 1 of the lower cube */
                high[c & ~(1u << axis)] = v;
                unsigned hash = (n * 2654435761u) >> (c + 8);
                low[c & ~(1u << axis)] = values[hash & 3];
                high[c] = values[hash >> 2 & 3];
            }
            unsigned inside[2] = {0, 0};
            for (unsigned c = 0; c < 8; ++c) {
                inside[0] |= (unsigned)(low[c] > 0) << c;
                inside[1] |= (unsigned)(high[c] > 0) << c;
            }
            PxCube cube[2];
            px_cube_make(inside[0], px_cube_joined(px_cube_ambiguous(inside[0]), low), &cube[0]);
            px_cube_make(inside[1], px_cube_joined(px_cube_ambiguous(inside[1]), high), &cube[1]);
            unsigned line[2][4][2];
            int count = face_lines(&cube[0], 2 * axis + 1, line[0]);
            CHECK_EQUAL(face_lines(&cube[1], 2 * axis, line[1]), count);
            for (int a = 0; a < count; ++a) {
                int found = 0;
                for (int b = 0; b < count; ++b)
                    found += line[0][a][0] == line[1][b][1] && line[0][a][1] == line[1][b][0];
                CHECK_EQUAL(found, 1);
            }
        }
}

TEST(a_single_inside_corner_is_cut_off_with_its_triangle_facing_away)
{
    PxCube cube;
    px_cube_make(1, 0, &cube); /* corner (0, 0, 0): edges 0, 4, 8 along x, y, z */
    CHECK_EQUAL(cube.triangles, 1);
    const uint8_t *t = cube.triangle[0];
    int first = t[0] == 0 ? 0 : t[1] == 0 ? 1 : 2;
    CHECK_EQUAL(t[first], 0);
    CHECK_EQUAL(t[(first + 1) % 3], 4);
    CHECK_EQUAL(t[(first + 2) % 3], 8);
}

TEST_MAIN()
