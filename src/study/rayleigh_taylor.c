#include "study/rayleigh_taylor.h"

#include "base/fail.h"
#include "dist/dist.h"
#include "world/state.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define WAVELENGTH 1. /* m */
#define G 9.81        /* m/s^2 */
#define LIGHT 1000.   /* kg/m^3 */
#define SIDE 4        /* spacings between front and back */

static const double wave_number = 2 * PI / WAVELENGTH;

PxRayleighTaylorDef px_rayleigh_taylor_def_default(void)
{
    return (PxRayleighTaylorDef){.pressure = "dfsph",
                                 .cells = 40,
                                 .support = px_world_def_default().support,
                                 .atwood = 0.5,
                                 .speed = 0.01,
                                 .depth = 0.5,
                                 .until = 0.03};
}

static PxStatus make(const PxRayleighTaylorDef *def, PxWorld **out)
{
    double s = WAVELENGTH / def->cells, depth = s * round(def->depth * def->cells);
    PxWorldDef world = px_world_def_default();
    world.spacing = s;
    world.support = def->support;
    world.gravity = (PxVec3){0, -G, 0};
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    const char *name[2] = {"light", "heavy"};
    for (int k = 0; k < 2; ++k) {
        PxMaterialDef material = px_material_def_default();
        PxBodyDef body = px_body_def_default();
        material.name = body.name = name[k];
        material.viscosity = 0;
        material.density = k == 0 ? LIGHT : LIGHT * (1 + def->atwood) / (1 - def->atwood);
        material.pressure = px_pressure_choice(def->pressure);
        PX_TRY(px_world_add_material(*out, &material, &body.material));
        body.shape.size = (PxVec3){0.5 * WAVELENGTH, depth, SIDE * s};
        body.shape.at = (PxVec3){0.25 * WAVELENGTH, (k - 0.5) * depth, 0};
        PX_TRY(px_world_add_body(*out, &body, NULL));
    }
    PX_TRY(px_world_set(*out, "materials.light.pressure.damping", &def->damping, 1));
    PX_TRY(px_world_set(*out, "materials.heavy.pressure.damping", &def->damping, 1));
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.wall = tank.inside = true;
    tank.friction = 0;
    tank.shape.size = (PxVec3){0.5 * WAVELENGTH, 2.5 * depth, SIDE * s};
    tank.shape.at = (PxVec3){0.25 * WAVELENGTH, 0.25 * depth, 0};
    return px_world_add_body(*out, &tank, NULL);
}

/* Shape of the mode at the initial position of every particle, by place_of() its id. */
typedef struct Start {
    double *shape, *y;
} Start;

/* Ids count within a body, and there are two of the same size. */
static size_t place_of(uint64_t id)
{
    return 2 * (size_t)(id & (PX_DIST_MOST_SERIALS - 1)) + (size_t)(id / PX_DIST_MOST_SERIALS % 2);
}

/* Gives every particle the velocity of the mode: the gradient of a potential on each side of the
 * interface, with equal vertical and opposite horizontal components. */
static PxStatus push(PxWorld *world, double speed, Start *start)
{
    /* A study may change the world's table. */
    PxTable *table = (PxTable *)px_world_particles(world);
    const uint64_t *id = px_world_ids(world);
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    PxColumn *velocity = px_table_find(table, "velocity");
    float *vx = velocity->data[0], *vy = velocity->data[1];
    start->shape = calloc(2 * (size_t)table->count, sizeof *start->shape);
    if (start->shape == NULL)
        return px_fail(PX_ERR_MEMORY, "rayleigh-taylor: no room for %u particles", table->count);
    start->y = start->shape + table->count;
    for (uint32_t i = 0; i < table->count; ++i) {
        double phase = wave_number * (double)x[i], high = (double)y[i];
        double fades = exp(-wave_number * fabs(high)), side = high > 0 ? 1 : -1;
        start->shape[place_of(id[i])] = cos(phase) * fades;
        start->y[place_of(id[i])] = high;
        vx[i] += (float)(speed * side * sin(phase) * fades);
        vy[i] += (float)(speed * cos(phase) * fades);
    }
    return PX_OK;
}

/* Amplitude and velocity of the mode. */
static void project(const PxWorld *world, const Start *start, double *a, double *v)
{
    const uint64_t *id = px_world_ids(world);
    const float *y = px_world_floats(world, "position", 1);
    const float *vy = px_world_floats(world, "velocity", 1);
    const float *mass = px_world_floats(world, "mass", 0);
    double norm = 0;
    *a = *v = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        size_t k = place_of(id[i]);
        double part = (double)mass[i] * start->shape[k];
        norm += part * start->shape[k];
        *a += part * ((double)y[i] - start->y[k]);
        *v += part * (double)vy[i];
    }
    *a /= norm;
    *v /= norm;
}

static PxStatus grow(const PxRayleighTaylorDef *def, PxWorld *world, const Start *start,
                     double rate, PxRayleighTaylorResult *out)
{
    enum { LOOKS = 300 }; /* up to e^6: by then it has ended, or does not grow */
    double dt = 0.02 / rate, a, v, first, before = 0, area = 0, square = 0, product = 0;
    project(world, start, &a, &first);
    for (int k = 1; k <= LOOKS && fabs(a) < def->until * WAVELENGTH; ++k) {
        PX_TRY(px_world_advance(world, dt * k));
        project(world, start, &a, &v);
        area += 0.5 * dt * (a + before);
        before = a;
        square += area * area;
        product += area * (v - first);
    }
    out->rate = sqrt(fmax(product / square, 0)) / rate;
    out->amplitude = a / WAVELENGTH;
    PxStats stats;
    px_world_stats(world, &stats);
    out->steps = stats.step;
    out->not_converged = stats.not_converged;
    return PX_OK;
}

PxStatus px_rayleigh_taylor(const PxRayleighTaylorDef *def, PxRayleighTaylorResult *out)
{
    *out = (PxRayleighTaylorResult){0};
    double deep = tanh(wave_number * def->depth * WAVELENGTH);
    double rate = sqrt(def->atwood * G * wave_number * deep);
    PxWorld *world = NULL;
    Start start = {0};
    PxStatus status = make(def, &world);
    if (status == PX_OK)
        status = push(world, def->speed * rate * WAVELENGTH, &start);
    if (status == PX_OK)
        status = grow(def, world, &start, rate, out);
    free(start.shape);
    px_world_free(world);
    return status;
}
