/// Loop's subdivision: weights, borders, corners, creases, refusals.
#include "check.h"

#include "shape/loop.h"
#include "shape/rectangle.h"

#include <math.h>
#include <stdlib.h>

/* A mesh as columns of floats. */
typedef struct Flat {
    uint32_t vertices, triangles;
    uint32_t (*triangle)[3];
    float *x[3];
} Flat;

static void flat_free(Flat *f)
{
    free(f->triangle);
    for (int k = 0; k < 3; ++k)
        free(f->x[k]);
}

static Flat flat_of(const PxMesh *mesh)
{
    Flat f = {mesh->vertex_count, mesh->triangle_count, NULL, {NULL}};
    f.triangle = malloc(f.triangles * sizeof *f.triangle);
    memcpy(f.triangle, mesh->triangle, f.triangles * sizeof *f.triangle);
    for (int k = 0; k < 3; ++k)
        f.x[k] = malloc(f.vertices * sizeof(float));
    for (uint32_t v = 0; v < f.vertices; ++v) {
        f.x[0][v] = (float)mesh->position[v].x;
        f.x[1][v] = (float)mesh->position[v].y;
        f.x[2][v] = (float)mesh->position[v].z;
    }
    return f;
}

static Flat sheet(double width, double cells, PxSheetPattern pattern)
{
    PxMesh *mesh;
    const double size[2] = {width, width}, number[2] = {cells, cells};
    CHECK_OK(px_rectangle_mesh(size, number, pattern, 1, 0, &mesh));
    Flat f = flat_of(mesh);
    px_mesh_free(mesh);
    return f;
}

static PxLoop *loop_of(const Flat *f, uint32_t levels, double crease)
{
    PxLoop *loop;
    PxLoopDef def = {.vertices = f->vertices,
                     .triangles = f->triangles,
                     .triangle = (const uint32_t(*)[3])f->triangle,
                     .place = {f->x[0], f->x[1], f->x[2]},
                     .levels = levels,
                     .crease = crease};
    CHECK_OK(px_loop_create(&def, &loop));
    return loop;
}

static Flat divide(const Flat *f, uint32_t levels, double crease)
{
    PxLoop *loop = loop_of(f, levels, crease);
    Flat to = {.vertices = px_loop_vertices(loop)};
    const uint32_t(*triangle)[3] = px_loop_triangles(loop, &to.triangles, NULL);
    to.triangle = malloc(to.triangles * sizeof *to.triangle);
    memcpy(to.triangle, triangle, to.triangles * sizeof *to.triangle);
    for (int k = 0; k < 3; ++k) {
        to.x[k] = malloc(to.vertices * sizeof(float));
        CHECK_OK(px_loop_values(loop, f->x[k], to.x[k]));
    }
    px_loop_free(loop);
    return to;
}

static double area(const Flat *f)
{
    double sum = 0;
    for (uint32_t t = 0; t < f->triangles; ++t) {
        PxVec3 p[3];
        for (int k = 0; k < 3; ++k) {
            uint32_t v = f->triangle[t][k];
            p[k] = px_vec((double)f->x[0][v], (double)f->x[1][v], (double)f->x[2][v]);
        }
        sum += 0.5 * px_length(px_cross(px_sub(p[1], p[0]), px_sub(p[2], p[0])));
    }
    return sum;
}

TEST(a_flat_sheet_keeps_its_corners_and_its_area)
{
    for (PxSheetPattern k = PX_SHEET_REGULAR; k <= PX_SHEET_IRREGULAR; ++k) {
        Flat f = sheet(1, 6, k), to = divide(&f, 2, 60);
        CHECK_EQUAL(to.triangles, 16 * f.triangles);
        CHECK_NEAR(area(&to), 1, 1e-5); /* also that the border is straight and nothing folds */
        flat_free(&f);
        flat_free(&to);
    }
}

TEST(weights_of_a_regular_vertex_are_those_of_the_box_spline)
{
    Flat f = sheet(4, 4, PX_SHEET_REGULAR);
    uint32_t middle = 2 * 5 + 2;
    float *value = calloc(f.vertices, sizeof *value);
    value[middle] = 1;
    PxLoop *loop = loop_of(&f, 1, 60);
    float *out = malloc(px_loop_vertices(loop) * sizeof *out);
    CHECK_OK(px_loop_values(loop, value, out));
    CHECK_NEAR(out[middle], 0.625, 1e-7);
    uint32_t near = 0, far = 0, sixteenth = 0;
    for (uint32_t v = 0; v < px_loop_vertices(loop); ++v) {
        near += fabsf(out[v] - 0.375f) < 1e-6f;
        far += fabsf(out[v] - 0.125f) < 1e-6f;
        sixteenth += fabsf(out[v] - 0.0625f) < 1e-6f;
    }
    CHECK_EQUAL(near, 6);      /* middles of its own edges */
    CHECK_EQUAL(far, 6);       /* middles of the edges of its ring */
    CHECK_EQUAL(sixteenth, 6); /* its neighbours; none is on the border */
    free(value);
    free(out);
    px_loop_free(loop);
    flat_free(&f);
}

TEST(a_constant_stays_exactly_what_it_is)
{
    Flat f = sheet(1, 5, PX_SHEET_IRREGULAR);
    for (uint32_t v = 0; v < f.vertices; ++v)
        f.x[1][v] = 7.3f;
    Flat to = divide(&f, 3, 60);
    for (uint32_t v = 0; v < to.vertices; ++v)
        CHECK(to.x[1][v] == 7.3f);
    flat_free(&f);
    flat_free(&to);
}

TEST(a_ball_comes_closer_to_a_ball)
{
    static const float place[6][3] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                      {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    static const uint32_t corner[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                          {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    Flat f = {6, 8, malloc(sizeof corner), {NULL}};
    memcpy(f.triangle, corner, sizeof corner);
    for (int k = 0; k < 3; ++k) {
        f.x[k] = malloc(6 * sizeof(float));
        for (int v = 0; v < 6; ++v)
            f.x[k][v] = place[v][k];
    }
    double ratio[2];
    for (uint32_t levels = 0; levels < 2; ++levels) {
        Flat to = divide(&f, 4 * levels, 180);
        double least = INFINITY, most = 0;
        for (uint32_t t = 0; t < to.triangles; ++t) {
            double c[3] = {0, 0, 0};
            for (int k = 0; k < 3; ++k)
                for (int m = 0; m < 3; ++m)
                    c[k] += (double)to.x[k][to.triangle[t][m]] / 3;
            double r = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
            least = fmin(least, r);
            most = fmax(most, r);
        }
        for (uint32_t v = 0; v < to.vertices; ++v) {
            double r = hypot(hypot((double)to.x[0][v], (double)to.x[1][v]), (double)to.x[2][v]);
            least = fmin(least, r);
            most = fmax(most, r);
        }
        ratio[levels] = most / least;
        flat_free(&to);
    }
    CHECK_NEAR(ratio[0], sqrt(3), 1e-6); /* an octahedron: corners to middles of faces */
    CHECK(ratio[1] < 1.1);
    flat_free(&f);
}

/* A sheet bent by a right angle along its middle column. */
static Flat roof(void)
{
    Flat f = sheet(2, 4, PX_SHEET_REGULAR);
    for (uint32_t v = 0; v < f.vertices; ++v) {
        f.x[1][v] = -fabsf(f.x[0][v]);
    }
    return f;
}

TEST(creases_stay_and_smaller_angles_are_rounded)
{
    Flat f = roof(), sharp = divide(&f, 2, 60), round = divide(&f, 2, 120);
    double highest[2] = {-1, -1};
    for (uint32_t v = 0; v < sharp.vertices; ++v) {
        /* at a crease, surfaces end as at a border: all stays on the two planes */
        CHECK_NEAR(sharp.x[1][v], -fabsf(sharp.x[0][v]), 1e-6);
        if (fabsf(sharp.x[2][v]) < 0.5f) {
            highest[0] = fmax(highest[0], (double)sharp.x[1][v]);
            highest[1] = fmax(highest[1], (double)round.x[1][v]);
        }
    }
    CHECK_NEAR(highest[0], 0, 1e-6);
    CHECK(highest[1] < -0.05);
    flat_free(&f);
    flat_free(&sharp);
    flat_free(&round);
}

TEST(triangles_before_the_first_vertex_stay)
{
    Flat f = sheet(1, 2, PX_SHEET_REGULAR);
    uint32_t n = f.vertices, m = f.triangles, count;
    Flat two = {2 * n, 2 * m, malloc(2 * m * sizeof *two.triangle), {NULL}};
    for (uint32_t t = 0; t < 2 * m; ++t)
        for (int k = 0; k < 3; ++k)
            two.triangle[t][k] = f.triangle[t % m][k] + (t < m ? 0 : n);
    for (int k = 0; k < 3; ++k) {
        two.x[k] = malloc(2 * n * sizeof(float));
        for (uint32_t v = 0; v < 2 * n; ++v)
            two.x[k][v] = f.x[k][v % n];
    }
    PxLoopDef def = {.vertices = 2 * n,
                     .triangles = 2 * m,
                     .triangle = (const uint32_t(*)[3])two.triangle,
                     .place = {two.x[0], two.x[1], two.x[2]},
                     .first_vertex = n,
                     .levels = 1,
                     .crease = 60};
    PxLoop *loop;
    const uint32_t *parent;
    CHECK_OK(px_loop_create(&def, &loop));
    const uint32_t(*triangle)[3] = px_loop_triangles(loop, &count, &parent);
    CHECK_EQUAL(count, m + 4 * m);
    for (uint32_t t = 0; t < m; ++t)
        CHECK(memcmp(triangle[t], two.triangle[t], sizeof *triangle) == 0 && parent[t] == t);
    for (uint32_t t = m; t < count; ++t)
        CHECK_EQUAL(parent[t], m + (t - m) / 4);
    px_loop_free(loop);
    flat_free(&f);
    flat_free(&two);
}

TEST(what_cannot_be_divided_is_refused)
{
    Flat f = sheet(1, 2, PX_SHEET_REGULAR);
    PxLoop *loop;
    PxLoopDef def = {.vertices = f.vertices,
                     .triangles = f.triangles,
                     .triangle = (const uint32_t(*)[3])f.triangle,
                     .place = {f.x[0], f.x[1], f.x[2]},
                     .levels = 5};
    CHECK_FAILS(px_loop_create(&def, &loop), PX_ERR_ARGUMENT, "levels");
    def.levels = 1;
    f.triangle[3][1] = 99;
    CHECK_FAILS(px_loop_create(&def, &loop), PX_ERR_ARGUMENT, "triangle 3");
    flat_free(&f);
}

TEST(an_edge_of_three_triangles_and_a_collapsed_one_do_no_harm)
{
    Flat f = {5, 4, malloc(4 * sizeof *f.triangle), {NULL}};
    static const uint32_t corner[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {2, 2, 3}};
    memcpy(f.triangle, corner, sizeof corner);
    for (int k = 0; k < 3; ++k) {
        f.x[k] = malloc(5 * sizeof(float));
        for (int v = 0; v < 5; ++v)
            f.x[k][v] = (float)((v * 7 + k * 3) % 5);
    }
    Flat to = divide(&f, 2, 60);
    CHECK_EQUAL(to.triangles, 3 * 16 + 1);
    for (uint32_t v = 0; v < to.vertices; ++v)
        CHECK(isfinite(to.x[0][v]) && to.x[0][v] >= 0 && to.x[0][v] <= 4);
    flat_free(&f);
    flat_free(&to);
}

TEST(a_surface_is_drawn_into_its_bends_by_no_more_than_allowed)
{
    Flat f = sheet(1, 10, PX_SHEET_ALTERNATING);
    PxLoop *loop = loop_of(&f, 1, 180);
    for (uint32_t v = 0; v < f.vertices; ++v) /* over the edge of a table */
        f.x[1][v] = f.x[0][v] > 0 ? -f.x[0][v] : 0;
    uint32_t n = px_loop_vertices(loop);
    float *plain = malloc(n * sizeof *plain), *place = malloc(3 * (size_t)n * sizeof *place);
    const float *const x[3] = {f.x[0], f.x[1], f.x[2]};
    float *const out[3] = {place, place + n, place + 2 * (size_t)n}, *through = out[1];
    CHECK_OK(px_loop_values(loop, f.x[1], plain));
    CHECK_OK(px_loop_places(loop, x, 0.002, out));
    double off[2] = {0, 0};
    for (uint32_t v = 0; v < f.vertices; ++v) {
        off[0] = fmax(off[0], fabs((double)(plain[v] - f.x[1][v])));
        off[1] = fmax(off[1], fabs((double)(through[v] - f.x[1][v])));
    }
    print_message("vertices moved by %.4f m, with 0.002 m allowed by %.5f m\n", off[0], off[1]);
    CHECK(off[0] > 0.01 && off[1] < 0.0021);
    free(plain);
    free(place);
    px_loop_free(loop);
    flat_free(&f);
}

TEST_MAIN()
