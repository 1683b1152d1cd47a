/// Screen space meshes: one ball is a cap in the right place, two balls at different depths are cut
/// apart, smoothing flattens, thickness adds up to the volume.
#include "check.h"

#include "screen_mesh.h"

#include <stdlib.h>

static Camera front(void)
{
    PxSceneCamera from = {{0, 0, 4}, {0, 0, 0}, 40};
    return camera_from(&from, 'y');
}

static ScreenMesh mesh_of(const float *place, uint32_t count, const ScreenMeshDef *def)
{
    ScreenMesh mesh = {0};
    Camera camera = front();
    ScreenParticles particles = {count, place, NULL};
    CHECK(screen_mesh_make(&mesh, def, &camera, &particles));
    return mesh;
}

TEST(a_ball_becomes_the_cap_that_faces_the_eye)
{
    const float place[] = {0.2f, 0.1f, 0, 0.5f};
    ScreenMeshDef def = screen_mesh_def_default();
    def.enlarge = 1;
    def.depth_smoothing = def.edge_smoothing = 0;
    def.jump = 0.5;
    ScreenMesh mesh = mesh_of(place, 1, &def);
    CHECK(mesh.triangles > 1000);
    for (uint32_t k = 0; k < mesh.vertices; ++k) {
        const float *x = &mesh.position[3 * k], *n = &mesh.normal[3 * k];
        double r =
            sqrt(pow((double)x[0] - 0.2, 2) + pow((double)x[1] - 0.1, 2) + pow((double)x[2], 2));
        /* the map takes depth along the axis for depth along the ray: a few per cent of a radius */
        CHECK_NEAR(r, 0.5, 0.07);
        CHECK((double)x[2] > -0.1);
        CHECK((double)n[2] > -0.3);
    }
    screen_mesh_free(&mesh);
}

TEST(balls_at_different_depths_are_not_connected)
{
    const float place[] = {-0.15f, 0, 0, 0.2f, 0.15f, 0, -2, 0.3f};
    ScreenMeshDef def = screen_mesh_def_default();
    def.enlarge = 1;
    def.jump = 0.3;
    ScreenMesh mesh = mesh_of(place, 2, &def);
    uint32_t near = 0, far = 0;
    for (uint32_t k = 0; k < mesh.triangles; ++k) {
        float low = INFINITY, high = -INFINITY;
        for (int c = 0; c < 3; ++c) {
            float z = mesh.position[3 * mesh.triangle[3 * k + (uint32_t)c] + 2];
            low = fminf(low, z);
            high = fmaxf(high, z);
        }
        CHECK(high - low < 0.6f); /* no triangle spans the gap of 2 m */
        near += high > -0.5f;
        far += high < -1.5f;
    }
    CHECK(near > 100 && far > 100);
    screen_mesh_free(&mesh);
}

TEST(smoothing_flattens_a_sheet_of_balls)
{
    enum { SIDE = 16 };
    float place[SIDE * SIDE][4];
    for (int k = 0; k < SIDE * SIDE; ++k) {
        place[k][0] = 0.1f * (float)(k % SIDE) - 0.75f;
        place[k][1] = 0.1f * (float)(k / SIDE) - 0.75f;
        place[k][2] = 0;
        place[k][3] = 0.05f;
    }
    double rough[2];
    for (int smooth = 0; smooth < 2; ++smooth) {
        ScreenMeshDef def = screen_mesh_def_default();
        def.jump = 0.2;
        def.depth_smoothing = smooth ? 12 : 0;
        ScreenMesh mesh = mesh_of(place[0], SIDE * SIDE, &def);
        double sum = 0, square = 0, thick = 0;
        uint32_t n = 0;
        for (uint32_t k = 0; k < mesh.vertices; ++k) {
            const float *x = &mesh.position[3 * k];
            if (fabsf(x[0]) > 0.5f || fabsf(x[1]) > 0.5f)
                continue;
            sum += (double)x[2];
            square += (double)x[2] * (double)x[2];
            thick += (double)mesh.thickness[k];
            ++n;
        }
        CHECK(n > 1000);
        rough[smooth] = sqrt(fmax(0, square / n - sum / n * sum / n));
        CHECK_NEAR(thick / n, 0.1, 0.005); /* a sheet of cubes of 0.1 m */
        screen_mesh_free(&mesh);
    }
    CHECK(rough[1] < 0.3 * rough[0]);
}

TEST(nothing_in_view_gives_no_triangles)
{
    const float place[] = {0, 0, 9, 0.5f, 50, 0, 0, 0.1f}; /* behind the eye, and beside */
    ScreenMeshDef def = screen_mesh_def_default();
    ScreenMesh mesh = mesh_of(place, 2, &def);
    CHECK_EQUAL(mesh.triangles, 0);
    screen_mesh_free(&mesh);
}

TEST_MAIN()
