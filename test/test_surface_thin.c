/// Thin matter keeps its volume and stays in one piece: sheets in the air and pools on a floor, of
/// half a spacing to two, with the default field and cell.
#include "surfaces.h"

#include "surface/surface.h"

enum { WIDE = 20 };

/* A square sheet of that thickness, every particle standing for a spacing^3: one layer or two of
 * lattices that are wider than a spacing where it is thin. Each is shaken by up to that part of
 * the way to its neighbours. */
static Cloud sheet_of(double thick, double low, double shake)
{
    int layers = thick > 1 ? 2 : 1, edge = (int)lround(WIDE * sqrt(thick / layers));
    double apart = sqrt(layers / thick), high = thick / layers;
    Cloud cloud = cloud_make((uint32_t)(layers * edge * edge));
    for (int k = 0; k < layers * edge * edge; ++k) {
        double p[3] = {apart * (k % edge), low + high * (k / edge / edge + 0.5),
                       apart * (k / edge % edge)};
        for (uint32_t a = 0; a < 3; ++a)
            p[a] += shake * (a == 1 ? high : apart) * (2 * px_random_unit((uint64_t)k, 11, a) - 1);
        cloud_add(&cloud, p[0], p[1], p[2]);
    }
    return cloud;
}

static PxSurfaceMeasure measure_of(const Cloud *cloud, double floor, bool walled)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_PLANE);
    shape.at = px_vec(0, floor, 0);
    PxWall wall = {.def = shape, .pivot = shape.at};
    CHECK_OK(px_shape_create(&shape, &wall.shape));
    px_wall_move(&wall, 0, 0);
    PxSurfaceParticles particles = cloud_particles(cloud, 1);
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceMesh *mesh;
    PxSurfaceMeasure measure;
    CHECK_OK(px_surface_make_walled(&def, &particles, &wall, walled, &mesh));
    check_surface(mesh);
    CHECK_OK(px_surface_measure(mesh, &measure));
    for (uint32_t v = 0; v < mesh->vertices && walled; ++v)
        CHECK((double)mesh->position[v][1] > floor - 1e-4);
    px_surface_free(mesh);
    px_shape_free(wall.shape);
    return measure;
}

static const double thickness[] = {0.5, 0.75, 1, 1.5, 2};

/* Checks volume and connectedness of sheets of each thickness. The promised error is 10 per cent,
 * which includes the rounded rims. */
static void check_sheets(bool walled, const double *low, size_t lows)
{
    for (int shaken = 0; shaken < 2; ++shaken)
        for (size_t k = 0; k < PX_COUNT(thickness); ++k)
            for (size_t n = 0; n < lows; ++n) {
                Cloud cloud = sheet_of(thickness[k], low[n], 0.15 * shaken);
                PxSurfaceMeasure m = measure_of(&cloud, low[n], walled);
                print_message("  %s, %.2f thick, shaken by %.2f, at %.2f: volume %.3f, pieces %u\n",
                              walled ? "pool" : "sheet", thickness[k], 0.15 * shaken, low[n],
                              m.volume / cloud.count, m.components);
                CHECK_EQUAL(m.components, 1);
                CHECK_NEAR(m.volume / cloud.count, 1, 0.1);
                cloud_free(&cloud);
            }
}

TEST(a_free_sheet_keeps_its_volume_wherever_the_nodes_of_the_grid_are)
{
    check_sheets(false, (const double[]){0, 0.13, 0.31}, 3);
}

TEST(a_pool_keeps_its_volume_on_a_floor)
{
    /* A quarter of the way from node to node, and half of it, where floors at round numbers are. */
    check_sheets(true, (const double[]){0, 0.125}, 2);
}

TEST(a_pool_thicker_than_a_cell_keeps_its_volume_on_any_floor)
{
    /* Worst case: a floor through or just above grid nodes; only the next layer is in liquid. */
    for (int k = 0; k < 4; ++k) {
        Cloud cloud = sheet_of(0.75, 0.2 + 0.05 * k, 0.15);
        PxSurfaceMeasure m = measure_of(&cloud, 0.2 + 0.05 * k, true);
        CHECK_EQUAL(m.components, 1);
        CHECK_NEAR(m.volume / cloud.count, 1, 0.1);
        cloud_free(&cloud);
    }
}

TEST(a_pool_that_was_pressed_down_keeps_its_volume)
{
    /* Particles of a pool lie 0.3 spacings above the floor in a run, though it is thicker. */
    for (int k = 0; k < 3; ++k) {
        double thick = 0.5 + 0.25 * k;
        Cloud cloud = sheet_of(thick, 0.3 - 0.5 * thick, 0.15);
        PxSurfaceMeasure m = measure_of(&cloud, 0, true);
        CHECK_EQUAL(m.components, 1);
        CHECK_NEAR(m.volume / cloud.count, 1, 0.1);
        cloud_free(&cloud);
    }
}

/* How much longer the outline of a round pool of one layer of shaken particles is than a circle,
 * just above the floor. */
static double outline_roughness(double smoothing)
{
    enum { RADIUS = 14 };
    Cloud cloud = cloud_make(4 * RADIUS * RADIUS);
    for (int ring = 0; ring < RADIUS; ++ring) { /* a spacing apart */
        int count = (int)lround(2 * M_PI * (ring + 0.5));
        for (int k = 0; k < count; ++k) {
            uint64_t id = (uint64_t)(1000 * ring + k);
            double r = ring + 0.5 + 0.4 * (px_random_unit(id, 12, 0) - 0.5);
            double angle = 2 * M_PI * (k + 0.4 * (px_random_unit(id, 12, 1) - 0.5)) / count;
            cloud_add(&cloud, r * cos(angle), 0.5, r * sin(angle));
        }
    }
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_PLANE);
    PxWall wall = {.def = shape};
    CHECK_OK(px_shape_create(&shape, &wall.shape));
    px_wall_move(&wall, 0, 0);
    PxSurfaceParticles particles = cloud_particles(&cloud, 1);
    PxSurfaceDef def = px_surface_def_default();
    def.smoothing = smoothing;
    PxSurfaceMesh *mesh;
    CHECK_OK(px_surface_make_walled(&def, &particles, &wall, true, &mesh));
    double length = 0, low = 0.15;
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        PxVec3 cut[3];
        int cuts = 0;
        for (int c = 0; c < 3; ++c) {
            const float *p = mesh->position[mesh->triangle[t][c]],
                        *q = mesh->position[mesh->triangle[t][(c + 1) % 3]];
            CHECK((double)p[1] > -1e-4);
            if (((double)p[1] < low) == ((double)q[1] < low))
                continue;
            double k = (low - (double)p[1]) / ((double)q[1] - (double)p[1]);
            cut[cuts++] = px_vec((double)p[0] + k * ((double)q[0] - (double)p[0]), low,
                                 (double)p[2] + k * ((double)q[2] - (double)p[2]));
        }
        length += cuts == 2 ? px_length(px_sub(cut[0], cut[1])) : 0;
    }
    px_surface_free(mesh);
    px_shape_free(wall.shape);
    cloud_free(&cloud);
    return length / (2 * M_PI * RADIUS) - 1;
}

TEST(the_rim_of_a_pool_is_smoothed_along_the_floor)
{
    double rough = outline_roughness(0), smooth = outline_roughness(0.7);
    print_message("  outline longer by %.3f, smoothed by %.3f\n", rough, smooth);
    CHECK(smooth < 0.85 * rough); /* 0.071 and 0.052; 0.106 if vertices near the floor stayed */
}

/* Drops of one to four particles, in the air. */
TEST(smoothing_keeps_the_volume_of_drops)
{
    for (uint32_t size = 1; size <= 4; ++size) {
        Cloud cloud = cloud_make(size);
        for (uint32_t i = 0; i < size; ++i)
            cloud_add(&cloud, 0.37 + (i % 2), 0.21, 0.64 + (i / 2));
        double volume[2];
        for (int smooth = 0; smooth < 2; ++smooth) {
            PxSurfaceParticles particles = cloud_particles(&cloud, 1);
            PxSurfaceDef def = px_surface_def_default();
            PxSurfaceMesh *mesh;
            PxSurfaceMeasure m;
            def.smoothing = smooth;
            CHECK_OK(px_surface_make(&def, &particles, &mesh));
            CHECK_OK(px_surface_measure(mesh, &m));
            CHECK_EQUAL(m.components, 1);
            volume[smooth] = m.volume;
            px_surface_free(mesh);
        }
        CHECK_NEAR(volume[1], volume[0], 1e-5 * volume[0]);
        cloud_free(&cloud);
    }
}

TEST(spray_is_not_fat)
{
    /* Particles twice as far apart as in a liquid, and more: drops of about their own volume. */
    for (int k = 0; k < 3; ++k) {
        double apart = 2 + 0.5 * k;
        Cloud cloud = cloud_make(512);
        for (int n = 0; n < 512; ++n) {
            const int at[3] = {n % 8, n / 8 % 8, n / 64};
            double p[3];
            for (uint32_t a = 0; a < 3; ++a)
                p[a] = apart * (at[a] + 0.5 * px_random_unit((uint64_t)n, 1, a));
            cloud_add(&cloud, p[0], p[1], p[2]);
        }
        PxSurfaceMeasure m = measure_of(&cloud, 0, false);
        print_message("  %.1f apart: volume %.3f\n", apart, m.volume / cloud.count);
        CHECK(m.volume / cloud.count > 0.7 && m.volume / cloud.count < 1.2);
        cloud_free(&cloud);
    }
}

TEST_MAIN()
