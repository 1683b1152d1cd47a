/// Surfaces around particles: where they lie, and that they are closed.
#include "surfaces.h"

/* A ball of particles, each field with its own numbers: the figures that shared/VALIDATION.md asks
 * for, 3 per cent of area and volume. What is left comes from the lattice, whose points leave steps
 * on the ball: the surface bridges them. */
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

TEST(a_ball_of_particles_has_the_area_and_volume_of_a_ball)
{
    for (uint32_t k = 0; px_surface_field(k) != NULL; ++k) {
        check_ball(px_surface_field(k)->name, 0.1, 0);
        check_ball(px_surface_field(k)->name, 0.15, 0);
    }
}

TEST(a_finer_grid_does_not_make_it_worse)
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

TEST(one_particle_is_one_drop_of_about_its_volume)
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
        CHECK(measure.volume > 0.5e-6 && measure.volume < 1.5e-6);
        px_surface_free(mesh);
    }
    cloud_free(&cloud);
}

TEST_MAIN()
