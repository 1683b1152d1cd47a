/// Validation group: area and volume of the surface of a ball.
#include "study/validate/validate.h"

#include "phyxel/surface.h"
#include "shape/shape.h"

#include <stdlib.h>

#define PI 3.14159265358979323846

/* The surface of a ball of particles on a lattice, `cells` spacings in radius. */
static PxStatus ball_surface(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSurfaceDef def = px_surface_def_default();
    PxShapeDef ball = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *shape = NULL;
    PxPoints points = {0};
    PxSurfaceMesh *mesh = NULL;
    PxSurfaceMeasure measured = {0};
    def.field = c->model;
    def.threads = threads;
    ball.radius = c->cells / coarser;
    PX_TRY(px_shape_create(&ball, &shape));
    PxStatus status = px_shape_fill(shape, PX_LATTICE_CUBIC, 1, 1 << 24, &points);
    PxSurfaceParticles particles = {.count = (uint32_t)points.count, .spacing = 1};
    float *at = status == PX_OK ? malloc((3 * points.count + 1) * sizeof *at) : NULL;
    if (status == PX_OK && at == NULL)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for %zu particles", points.count);
    for (size_t i = 0; status == PX_OK && i < points.count; ++i) {
        at[i] = (float)points.position[i].x;
        at[points.count + i] = (float)points.position[i].y;
        at[2 * points.count + i] = (float)points.position[i].z;
    }
    for (size_t a = 0; a < 3 && at != NULL; ++a)
        particles.position[a] = at + a * points.count;
    if (status == PX_OK)
        status = px_surface_make(&def, &particles, &mesh);
    if (status == PX_OK)
        status = px_surface_measure(mesh, &measured);
    if (status == PX_OK) {
        double r = ball.radius;
        px_figures_compare(out, "area / ball's", measured.area / (4 * PI * r * r), 1, 0.03);
        px_figures_compare(out, "volume / ball's", measured.volume / (4 * PI / 3 * r * r * r), 1,
                           0.03);
    }
    px_surface_free(mesh);
    free(at);
    px_points_free(&points);
    px_shape_free(shape);
    return status;
}

static const PxValidateCase cases[] = {
    {"surface of a ball", ball_surface, "-", "anisotropic", 20, true, true},
    {"surface of a ball", ball_surface, "-", "density", 20, true, true},
    {"surface of a ball", ball_surface, "-", "zhu-bridson", 20, true, true},
    {"surface of a ball", ball_surface, "-", "onderik", 20, true, true},
};

const PxValidateGroup px_validate_surface = {
    .title = "Surfaces",
    .about = "- **Surface of a ball**: particles on a cubic lattice, 20 spacings in radius, each "
             "field with its defaults; area and volume\n"
             "  over those of the ball. Other sizes are in [surface.md](surface.md).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
