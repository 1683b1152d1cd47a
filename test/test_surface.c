/// Surfaces around particles: where they lie, and that they are closed.
#include "surfaces.h"

/* A ball of particles, each field with its default settings: area and volume within the 3 per cent
 * that shared/VALIDATION.md requires. The remaining error comes from the lattice, whose steps on
 * the ball the surface bridges. */
static void check_ball(const char *field, double radius, double shake)
{
    Cloud cloud = cloud_ball(radius, 0.01, shake);
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceMesh *mesh;
    PxSurfaceMeasure measure;
    def.field = field;
    CHECK_OK(px_surface_make(&def, &particles, &mesh));
    check_surface(mesh);
    CHECK_OK(px_surface_measure(mesh, &measure));
    CHECK_EQUAL(measure.components, 1);
    CHECK_NEAR(measure.area / (4 * M_PI * radius * radius), 1, 0.03);
    CHECK_NEAR(measure.volume / (4 * M_PI / 3 * radius * radius * radius), 1, 0.03);
    for (uint32_t v = 0; v < mesh->vertices; ++v) {
        double r = 0, along = 0;
        for (int a = 0; a < 3; ++a) {
            r += pow((double)mesh->position[v][a], 2);
            along += (double)mesh->position[v][a] * (double)mesh->normal[v][a];
        }
        CHECK(fabs(sqrt(r) - radius) < 0.01); /* a spacing */
        CHECK(along > 0.7 * sqrt(r));         /* normals point outwards */
    }
    px_surface_free(mesh);
    cloud_free(&cloud);
}

PHYSICS(a_ball_of_particles_has_the_area_and_volume_of_a_ball)
{
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        check_ball(px_surface_field(k)->name, 0.1, 0);
        check_ball(px_surface_field(k)->name, 0.15, 0);
    }
}

PHYSICS(a_finer_grid_does_not_make_it_worse)
{
    /* The field, not the grid, decides: half the cell changes area and volume by well under 1 per
     * cent. */
    Cloud cloud = cloud_ball(0.1, 0.01, 0.1);
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceMeasure measure[2];
        for (int fine = 0; fine < 2; ++fine) {
            PxSurfaceDef def = px_surface_def_default();
            PxSurfaceMesh *mesh;
            def.field = px_surface_field(k)->name;
            def.cell = fine ? 0.25 : 0.5;
            CHECK_OK(px_surface_make(&def, &particles, &mesh));
            CHECK_OK(px_surface_measure(mesh, &measure[fine]));
            px_surface_free(mesh);
        }
        CHECK_NEAR(measure[0].area / measure[1].area, 1, 0.015);
        CHECK_NEAR(measure[0].volume / measure[1].volume, 1, 0.01);
    }
    cloud_free(&cloud);
}

TEST(no_particles_give_an_empty_mesh)
{
    PxSurfaceParticles none = {.spacing = 0.01};
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        PxSurfaceMeasure measure;
        def.field = px_surface_field(k)->name;
        CHECK_OK(px_surface_make(&def, &none, &mesh));
        CHECK_EQUAL(mesh->vertices, 0);
        CHECK_EQUAL(mesh->triangles, 0);
        CHECK_OK(px_surface_measure(mesh, &measure));
        CHECK_EQUAL(measure.components, 0);
        CHECK(measure.area == 0 && measure.volume == 0);
        px_surface_free(mesh);
    }
}

TEST(one_particle_is_one_drop_of_its_volume)
{
    Cloud cloud = cloud_make(1);
    cloud_add(&cloud, 3.1, -2.2, 0.7);
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        PxSurfaceMeasure measure;
        def.field = px_surface_field(k)->name;
        CHECK_OK(px_surface_make(&def, &particles, &mesh));
        check_surface(mesh);
        CHECK_OK(px_surface_measure(mesh, &measure));
        CHECK_EQUAL(measure.components, 1);
        CHECK_NEAR(measure.volume, 1e-6, 1e-9);
        px_surface_free(mesh);
    }
    cloud_free(&cloud);
}

TEST(a_lone_drop_is_round_or_stretched_along_its_way_and_leaves_the_rest_as_it_is)
{
    Cloud cloud = cloud_ball(0.05, 0.01, 0.1);
    float *column = calloc((size_t)cloud.count + 1, sizeof *column);
    float *velocity = calloc((size_t)cloud.count + 1, sizeof *velocity);
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    PxSurfaceMesh *without, *with;
    CHECK_OK(px_surface_make(&def, &particles, &without));
    /* The arrays of the cloud have room for one more; 27 mm from the nearest others. */
    cloud_add(&cloud, 0.07, 0.02, 0.01);
    particles = cloud_particles(&cloud, 0.01);
    column[cloud.count - 1] = 7;
    velocity[cloud.count - 1] = -2;
    particles.column[0] = column;
    particles.columns = 1;
    float *still = calloc((size_t)cloud.count + 1, sizeof *still);
    particles.velocity[0] = particles.velocity[2] = still;
    particles.velocity[1] = velocity;
    for (int stretched = 0; stretched < 2; ++stretched) {
        PxSurfaceMeasure a, b;
        def.stretch = stretched * 0.0031; /* 6.2 mm, half of the drop's 12.4 */
        CHECK_OK(px_surface_make(&def, &particles, &with));
        check_surface(with);
        CHECK_OK(px_surface_measure(without, &a));
        CHECK_OK(px_surface_measure(with, &b));
        CHECK_EQUAL(b.components, a.components + 1);
        CHECK_NEAR(b.volume - a.volume, 1e-6, 2e-9);
        CHECK(memcmp(with->position, without->position,
                     without->vertices * sizeof *without->position) == 0);
        double least[3] = {1, 1, 1}, most[3] = {-1, -1, -1};
        for (uint32_t v = without->vertices; v < with->vertices; ++v) {
            CHECK(with->column[0][v] == 7);
            for (int c = 0; c < 3; ++c) {
                least[c] = fmin(least[c], (double)with->position[v][c]);
                most[c] = fmax(most[c], (double)with->position[v][c]);
            }
        }
        double along = stretched ? 1.5 : 1, round = 0.01 * cbrt(6 / M_PI);
        CHECK_NEAR((most[1] - least[1]) / round, along, 0.02);
        CHECK_NEAR((most[0] - least[0]) / round, 1 / sqrt(along), 0.02);
        px_surface_free(with);
    }
    px_surface_free(without);
    free(column);
    free(velocity);
    free(still);
    cloud_free(&cloud);
}

/* ---- closed for any particles ---- */

/* Particles without any order: clouds, clumps, lines, sheets, some on top of each other. */
static Cloud random_cloud(uint32_t set)
{
    uint32_t count = 1 + (uint32_t)(400 * px_random_unit(set, 0, 0) * px_random_unit(set, 0, 1));
    double wide = 1 + 12 * px_random_unit(set, 0, 2);
    int flat = (int)(4 * px_random_unit(set, 0, 3));
    Cloud cloud = cloud_make(count);
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        for (uint32_t a = 0; a < 3; ++a)
            p[a] = wide * (px_random_unit(i, set, a) - 0.5) * (a < (uint32_t)flat ? 0.1 : 1);
        if (set % 5 == 0) /* on a lattice, so that nodes and particles coincide */
            for (int a = 0; a < 3; ++a)
                p[a] = floor(p[a]);
        if (set % 7 == 0 && i > 0 && i % 3 == 0)
            for (int a = 0; a < 3; ++a)
                p[a] = (double)cloud.x[a][i - 1];
        cloud_add(&cloud, p[0], p[1], p[2]);
    }
    return cloud;
}

TEST(two_hundred_random_sets_of_particles_have_closed_manifold_surfaces)
{
    uint64_t triangles = 0;
    for (uint32_t set = 0; set < 200; ++set) {
        Cloud cloud = random_cloud(set);
        PxSurfaceParticles particles = cloud_particles(&cloud, 1);
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        PxSurfaceMeasure measure;
        def.field = px_surface_field(set % 4)->name;
        def.cell = 0.4 + 0.8 * px_random_unit(set, 1, 0);
        def.threads = 1 + (int)(set % 2);
        CHECK_OK(px_surface_make(&def, &particles, &mesh));
        check_surface(mesh);
        CHECK_OK(px_surface_measure(mesh, &measure));
        CHECK(mesh->triangles == 0 || measure.volume > 0);
        triangles += mesh->triangles;
        px_surface_free(mesh);
        cloud_free(&cloud);
    }
    CHECK(triangles > 100000);
}

TEST(a_smoothed_mesh_is_still_closed_and_no_smaller)
{
    Cloud cloud = cloud_ball(0.1, 0.01, 0.2);
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceMeasure rough, smooth;
    PxSurfaceMesh *mesh;
    def.field = "density";
    CHECK_OK(px_surface_make(&def, &particles, &mesh));
    CHECK_OK(px_surface_measure(mesh, &rough));
    px_surface_free(mesh);
    def.smoothing = 1;
    CHECK_OK(px_surface_make(&def, &particles, &mesh));
    check_surface(mesh);
    CHECK_OK(px_surface_measure(mesh, &smooth));
    px_surface_free(mesh);
    CHECK(smooth.area < rough.area); /* bumps are gone */
    CHECK_NEAR(smooth.volume / rough.volume, 1, 0.01);
    cloud_free(&cloud);
}

/* ---- the same bits ---- */

/* A shaken ball and drops around it, with a column. */
static void splash_hash(const char *field, int threads, bool shuffled, uint64_t hash[2])
{
    Cloud ball = cloud_ball(0.06, 0.01, 0.2), cloud = cloud_make(ball.count + 50);
    for (uint32_t i = 0; i < ball.count; ++i)
        cloud_add(&cloud, (double)ball.x[0][i], (double)ball.x[1][i], (double)ball.x[2][i]);
    for (uint32_t i = 0; i < 50; ++i)
        cloud_add(&cloud, 0.3 * (px_random_unit(i, 3, 0) - 0.5),
                  0.1 + 0.1 * px_random_unit(i, 3, 1), 0.3 * (px_random_unit(i, 3, 2) - 0.5));
    uint64_t *id = malloc(cloud.count * sizeof *id);
    float *column = malloc(cloud.count * sizeof *column);
    for (uint32_t i = 0; i < cloud.count; ++i)
        id[i] = i;
    for (uint32_t i = cloud.count; shuffled && i-- > 1;) {
        uint32_t j = (uint32_t)(px_random_bits(i, 9, 9) % (i + 1));
        uint64_t swap = id[i];
        id[i] = id[j];
        id[j] = swap;
        for (int a = 0; a < 3; ++a) {
            float x = cloud.x[a][i];
            cloud.x[a][i] = cloud.x[a][j];
            cloud.x[a][j] = x;
        }
    }
    for (uint32_t i = 0; i < cloud.count; ++i)
        column[i] = (float)px_random_unit(id[i], 4, 0);
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    particles.id = id;
    particles.column[0] = column;
    particles.columns = 1;
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceMesh *mesh;
    def.field = field;
    def.threads = threads;
    CHECK_OK(px_surface_make(&def, &particles, &mesh));
    surface_hash(mesh, hash);
    px_surface_free(mesh);
    free(id);
    free(column);
    cloud_free(&ball);
    cloud_free(&cloud);
}

TEST(any_number_of_threads_and_any_order_of_rows_give_the_same_bits)
{
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        const char *field = px_surface_field(k)->name;
        uint64_t one[2], other[2];
        splash_hash(field, 1, false, one);
        const int threads[] = {2, 3, 8};
        for (int n = 0; n < 3; ++n) {
            splash_hash(field, threads[n], n == 2, other);
            CHECK(one[0] == other[0] && one[1] == other[1]);
        }
    }
}

TEST(with_and_without_avx2_the_bits_are_the_same)
{
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        uint64_t best[2], base[2];
        splash_hash(px_surface_field(k)->name, 2, false, best);
        setenv("PHYXEL_ISA", "base", 1);
        splash_hash(px_surface_field(k)->name, 2, false, base);
        unsetenv("PHYXEL_ISA");
        CHECK(best[0] == base[0] && best[1] == base[1]);
    }
}

TEST(every_compiler_gives_the_same_bits)
{
    /* Guards determinism only: a change of a field or of its numbers changes these. */
    static const char *const wanted[] = {"anisotropic 8e4a7e29694fb067", "density 86c94bb08659b192",
                                         "zhu-bridson 1aad29af92753bb7",
                                         "onderik bfbda2d31d95a039"};
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        uint64_t hash[2];
        char text[64];
        splash_hash(px_surface_field(k)->name, 2, false, hash);
        snprintf(text, sizeof text, "%s %016llx", px_surface_field(k)->name,
                 (unsigned long long)(hash[0] ^ hash[1]));
        CHECK_TEXT(text, wanted[k]);
    }
}

/* ---- interpolation of columns ---- */

TEST(vertices_take_over_the_values_of_the_particles_around)
{
    /* A constant is reproduced up to rounding. A linear column in x and y has an error of 0.35
     * spacings, because the mean of the neighbouring particles lies that far below the surface, and
     * half of that from their jitter. */
    Cloud cloud = cloud_ball(0.1, 0.01, 0.1);
    float *five = malloc(cloud.count * sizeof *five), *slope = malloc(cloud.count * sizeof *slope);
    for (uint32_t i = 0; i < cloud.count; ++i) {
        five[i] = 5.0f;
        slope[i] = 100.0f * (cloud.x[0][i] + 2.0f * cloud.x[1][i]); /* per spacing: 1 and 2 */
    }
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    particles.column[0] = five;
    particles.column[1] = slope;
    particles.columns = 2;
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        def.field = px_surface_field(k)->name;
        CHECK_OK(px_surface_make(&def, &particles, &mesh));
        for (uint32_t v = 0; v < mesh->vertices; ++v) {
            const float *p = mesh->position[v];
            CHECK_NEAR((double)mesh->column[0][v], 5, 1e-4);
            CHECK_NEAR((double)mesh->column[1][v], (double)(100.0f * (p[0] + 2.0f * p[1])),
                       sqrt(5) * 1.3);
        }
        px_surface_free(mesh);
    }
    free(five);
    free(slope);
    cloud_free(&cloud);
}

/* ---- bad input ---- */

TEST(invalid_input_is_refused_with_a_reason)
{
    Cloud cloud = cloud_make(3);
    cloud_add(&cloud, 0, 0, 0);
    cloud_add(&cloud, 0.01, 0, 0);
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    PxSurfaceDef def = px_surface_def_default();
    PxSurfaceMesh *mesh;
    PxSurfels *surfels;
    cloud.x[1][1] = NAN;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_NUMERIC,
                "particle 1 (row 1) has y = nan");
    CHECK_FAILS(px_surfels_make(&def, &particles, &surfels), PX_ERR_NUMERIC, "y = nan");
    cloud.x[1][1] = INFINITY;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_NUMERIC, "y = inf");
    cloud.x[1][1] = 1e30f;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_NUMERIC, "too far away");
    cloud.x[1][1] = 0;
    particles.spacing = 0;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_ARGUMENT, "spacing is 0");
    particles.spacing = 0.01;
    def.field = "denisty";
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_ARGUMENT,
                "no field 'denisty', wanted one of anisotropic, density");
    def = px_surface_def_default();
    def.cell = 0;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_ARGUMENT, "cell is 0 spacings");
    def.cell = 0.5;
    def.radius = NAN;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_ARGUMENT, "radius is nan");
    def.radius = 7;
    CHECK_FAILS(px_surface_make(&def, &particles, &mesh), PX_ERR_ARGUMENT, "wanted 1 to 6");
    CHECK(mesh == NULL);
    cloud_free(&cloud);
}

TEST(particles_a_thousand_kilometres_apart_take_little_memory)
{
    /* 1e6 m are 1e8 spacings. Each of the two has its own few blocks, wherever it is; where a float
     * is 0.06 m wide a drop of 0.01 m keeps its topology though not its shape. */
    Cloud cloud = cloud_make(4000);
    cloud_add(&cloud, 1e6, -1e6, 1e6);
    cloud_add(&cloud, -1e6, 1e6, 1e6);
    for (int i = 0; i < 1000; ++i)
        cloud_add(&cloud, 0.01 * (i % 10), 0.01 * (i / 10 % 10), 0.01 * (i / 100));
    PxSurfaceParticles particles = cloud_particles(&cloud, 0.01);
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        PxSurfaceDef def = px_surface_def_default();
        PxSurfaceMesh *mesh;
        PxSurfaceMeasure measure;
        def.field = px_surface_field(k)->name;
        CHECK_OK(px_surface_make(&def, &particles, &mesh));
        CHECK_OK(px_surface_measure(mesh, &measure));
        CHECK_EQUAL(measure.components, 3);
        CHECK(mesh->triangles < 10000);
        px_surface_free(mesh);
    }
    cloud_free(&cloud);
}

TEST_MAIN()
