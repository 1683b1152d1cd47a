/// A mesh around particles that is put where surfels are: it has a cube's faces when the cube
/// is solid, stays as it was when it is molten, and is in between in between.
#include "check.h"

#include "base/vec.h"
#include "surface/mesh/snap.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, FINE = 40, MOST = 6 * FINE * FINE };

typedef struct Points {
    float position[3][MOST], normal[3][MOST], melted[MOST];
} Points;

/* Surfels all over a cube from -SIDE/2 to SIDE/2, as finely as FINE a side. */
static void fill(Points *p, float melted)
{
    uint32_t n = 0;
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < FINE * FINE; ++i, ++n) {
            int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            float sign = face % 2 ? 1.0f : -1.0f;
            p->position[axis][n] = sign * 0.5f * SIDE;
            p->position[u][n] = ((float)(i % FINE) + 0.5f) * SIDE / FINE - 0.5f * SIDE;
            p->position[v][n] = ((float)(i / FINE) + 0.5f) * SIDE / FINE - 0.5f * SIDE;
            p->normal[axis][n] = sign;
            p->normal[u][n] = p->normal[v][n] = 0.0f;
            p->melted[n] = melted;
        }
}

static PxSurfaceMesh *lattice_mesh(void)
{
    static float x[3][SIDE * SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        x[0][i] = (float)(i % SIDE) - 0.5f * (SIDE - 1);
        x[1][i] = (float)(i / SIDE % SIDE) - 0.5f * (SIDE - 1);
        x[2][i] = (float)(i / (SIDE * SIDE)) - 0.5f * (SIDE - 1);
    }
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceParticles particles = {
        .count = SIDE * SIDE * SIDE, .spacing = 1, .position = {x[0], x[1], x[2]}};
    PxSurfaceMesh *mesh;
    CHECK_OK(px_surface_make(&def, &particles, &mesh));
    return mesh;
}

/* Largest distance of a vertex from the cube's surface. */
static double worst_of(const PxSurfaceMesh *mesh)
{
    double worst = 0;
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        const float *p = mesh->position[v];
        double most = fmax(fabs((double)p[0]), fmax(fabs((double)p[1]), fabs((double)p[2])));
        worst = fmax(worst, fabs(most - 0.5 * SIDE));
    }
    return worst;
}

static double snapped(float melted, int threads)
{
    static Points points;
    fill(&points, melted);
    PxSurfaceMesh *mesh = lattice_mesh();
    PxSnapTarget target = {.count = MOST, .melted = points.melted, .reach = 1.5};
    for (int c = 0; c < 3; ++c) {
        target.position[c] = points.position[c];
        target.normal[c] = points.normal[c];
    }
    PxThreads pool = {.count = threads};
    CHECK_OK(px_snap(mesh, &target, &pool));
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        const float *n = mesh->normal[v];
        CHECK_NEAR((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1, 1e-4);
    }
    double worst = worst_of(mesh);
    px_surface_free(mesh);
    return worst;
}

TEST(a_solid_cube_has_its_faces_and_a_molten_one_is_round)
{
    PxSurfaceMesh *mesh = lattice_mesh();
    double round = worst_of(mesh);
    px_surface_free(mesh);
    double solid = snapped(0.0f, 2), molten = snapped(1.0f, 2), half = snapped(0.5f, 2);
    print_message("  off by %.3f spacings around the particles, %.3f solid, %.3f half molten\n",
                  round, solid, half);
    CHECK(round > 0.2); /* corners of the lattice are cut off */
    CHECK(solid < 0.05 * round + 0.02);
    CHECK(molten == round);
    CHECK(half > 0.4 * round && half < 0.6 * round);
}

TEST(the_result_does_not_depend_on_the_number_of_threads)
{
    CHECK(snapped(0.3f, 1) == snapped(0.3f, 3));
}

TEST(no_surfels_change_nothing)
{
    PxSurfaceMesh *mesh = lattice_mesh();
    double before = worst_of(mesh);
    PxThreads pool = {.count = 1};
    PxSnapTarget none = {.reach = 1};
    CHECK_OK(px_snap(mesh, &none, &pool));
    CHECK(worst_of(mesh) == before);
    px_surface_free(mesh);
}

TEST(places_take_the_colours_of_the_surfels_around)
{
    /* Of a cube whose upper half is red and painted, the sides green, and the floor not painted. */
    static Points points;
    static uint8_t colour[3][MOST];
    static float painted[MOST];
    fill(&points, 1.0f); /* molten matter has colours, too */
    for (int i = 0; i < MOST; ++i) {
        bool red = points.position[1][i] > 0.0f;
        colour[0][i] = red ? 200 : 0;
        colour[1][i] = red ? 0 : 100;
        painted[i] = points.normal[1][i] < 0.0f ? 0.0f : 1.0f;
    }
    PxSurfaceMesh *mesh = lattice_mesh();
    float *paint[4];
    for (int c = 0; c < 4; ++c) {
        paint[c] = malloc(mesh->vertices * sizeof(float));
        for (uint32_t v = 0; v < mesh->vertices; ++v)
            paint[c][v] = 0.5f; /* left where nothing is painted */
    }
    PxSnapTarget target = {.count = MOST, .painted = painted, .reach = 1.5};
    for (int c = 0; c < 3; ++c) {
        target.position[c] = points.position[c];
        target.normal[c] = points.normal[c];
        target.colour[c] = colour[c];
    }
    PxThreads pool = {.count = 2};
    CHECK_OK(px_snap_paint(&target, (const float(*)[3])mesh->position,
                           (const float(*)[3])mesh->normal, mesh->vertices, paint, &pool));
    uint32_t seen[3] = {0};
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        const float *p = mesh->position[v];
        bool low = p[1] < -0.5f * SIDE + 0.5f;
        if (p[1] > 0.5f) {
            CHECK(paint[3][v] == 1.0f && paint[1][v] == 0.0f);
            CHECK_NEAR((double)paint[0][v], 200.0 / 255, 1e-6);
            ++seen[0];
        } else if (p[1] < -0.5f && !low) {
            CHECK(paint[3][v] == 1.0f && paint[0][v] == 0.0f);
            CHECK_NEAR((double)paint[1][v], 100.0 / 255, 1e-6);
            ++seen[1];
        } else if (low && fabsf(p[0]) < 3 && fabsf(p[2]) < 3) {
            CHECK(paint[3][v] == 0.0f && paint[0][v] == 0.5f);
            ++seen[2];
        }
    }
    CHECK(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
    /* Further away than the reach there is none. */
    target.reach = 1e-6;
    CHECK_OK(px_snap_paint(&target, (const float(*)[3])mesh->position,
                           (const float(*)[3])mesh->normal, 1, paint, &pool));
    CHECK(paint[3][0] == 0.0f);
    for (int c = 0; c < 4; ++c)
        free(paint[c]);
    px_surface_free(mesh);
}

TEST_MAIN()
