#include "study/drop.h"

#include "base/fail.h"
#include "base/vec.h"
#include "world/state.h"

#include <math.h>

#define PI 3.14159265358979323846

PxDropDef px_drop_def_default(void)
{
    PxDropDef def = {.spacing = 0.01,
                     .radius = 0.1,
                     .density = 1000,
                     .viscosity = 0.001,
                     .pressure = px_pressure_choice("sesph"),
                     .tension = px_tension_choice("csf"),
                     .threads = 2};
    def.tension.param[0] = 1;
    return def;
}

PxStatus px_drop_make(const PxDropDef *def, PxWorld **out)
{
    *out = NULL;
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){0, 0, 0};
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxMaterialDef material = px_material_def_default();
    material.density = def->density;
    material.viscosity = def->viscosity;
    material.pressure = def->pressure;
    material.tension = def->tension;
    PxMaterialId id;
    PxStatus status = px_world_add_material(*out, &material, &id);
    PxBodyDef body = px_body_def_default();
    body.name = "drop";
    body.material = id;
    body.velocity = def->velocity;
    body.spin = def->spin;
    if (def->cube) {
        body.shape.size = (PxVec3){2 * def->radius, 2 * def->radius, 2 * def->radius};
    } else {
        body.shape = px_shape_def_default(PX_SHAPE_SPHERE);
        body.shape.radius = def->radius;
    }
    if (status == PX_OK)
        status = px_world_add_body(*out, &body, NULL);
    if (status != PX_OK) {
        px_world_free(*out);
        *out = NULL;
    }
    return status;
}

double px_drop_radius(PxWorld *world, double density)
{
    PxStats stats;
    px_world_stats(world, &stats);
    return cbrt(3 * stats.mass / density / (4 * PI));
}

static PxVec3 at(const PxWorld *world, uint32_t i)
{
    return (PxVec3){(double)px_world_floats(world, "position", 0)[i],
                    (double)px_world_floats(world, "position", 1)[i],
                    (double)px_world_floats(world, "position", 2)[i]};
}

double px_drop_pressure(const PxWorld *world, double within)
{
    const float *pressure = px_world_floats(world, "pressure", 0);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        PxVec3 x = at(world, i);
        if (x.x * x.x + x.y * x.y + x.z * x.z < within * within) {
            sum += (double)pressure[i];
            count += 1;
        }
    }
    return sum / count;
}

double px_drop_stretch(const PxWorld *world)
{
    double xx = 0, yy = 0, zz = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        PxVec3 x = at(world, i);
        xx += x.x * x.x;
        yy += x.y * x.y;
        zz += x.z * x.z;
    }
    return yy / (0.5 * (xx + zz)) - 1;
}

double px_drop_reach(const PxWorld *world)
{
    /* Largest and smallest extent of the drop in directions spread by the golden angle. */
    enum { DIRECTIONS = 200 };
    double most = 0, least = INFINITY;
    for (int k = 0; k < DIRECTIONS; ++k) {
        double y = 1 - (2.0 * k + 1) / DIRECTIONS, ring = sqrt(1 - y * y);
        double angle = k * PI * (3 - sqrt(5));
        PxVec3 d = {ring * cos(angle), y, ring * sin(angle)};
        double reach = 0;
        for (uint32_t i = 0; i < px_world_count(world); ++i) {
            PxVec3 x = at(world, i);
            reach = fmax(reach, x.x * d.x + x.y * d.y + x.z * d.z);
        }
        most = fmax(most, reach);
        least = fmin(least, reach);
    }
    return most / least;
}

void px_drop_push(PxWorld *world, double speed)
{
    /* A study may change the particles of the world. v = grad (2 y^2 - x^2 - z^2). */
    PxTable *table = (PxTable *)px_world_particles(world);
    PxColumn *velocity = px_table_find(table, "velocity");
    float *vx = velocity->data[0], *vy = velocity->data[1], *vz = velocity->data[2];
    double far = 0;
    for (uint32_t i = 0; i < table->count; ++i)
        far = fmax(far, fabs(at(world, i).y));
    for (uint32_t i = 0; i < table->count; ++i) {
        PxVec3 x = at(world, i);
        vx[i] -= (float)(0.5 * speed * x.x / far);
        vy[i] += (float)(speed * x.y / far);
        vz[i] -= (float)(0.5 * speed * x.z / far);
    }
}

double px_drop_period(PxWorld *world, double speed, double expected)
{
    double began = px_world_time(world), before = px_drop_stretch(world), zero = before;
    double then = began, first = NAN;
    int passed = 0;
    px_drop_push(world, speed);
    for (int k = 1; k <= 100; ++k) {
        if (px_world_advance(world, began + 0.02 * k * expected) != PX_OK)
            return NAN;
        double now = px_world_time(world), stretch = px_drop_stretch(world);
        if (k > 1 && (before - zero) * (stretch - zero) < 0) {
            double at = then + (now - then) * (zero - before) / (stretch - before);
            if (++passed == 1)
                first = at;
            if (passed == 3)
                return at - first;
        }
        before = stretch;
        then = now;
    }
    return NAN;
}

static PxVec3 middle_of(const PxWorld *world)
{
    PxVec3 sum = {0, 0, 0};
    uint32_t n = px_world_count(world);
    for (uint32_t i = 0; i < n; ++i)
        sum = px_add(sum, px_scale(at(world, i), 1.0 / n));
    return sum;
}

PxStatus px_drop_momenta(const PxDropDef *def, double squeeze, double seconds, double step,
                         PxDropMomenta *out)
{
    *out = (PxDropMomenta){0};
    PxWorld *world = NULL;
    PX_TRY(px_drop_make(def, &world));
    px_drop_push(world, -squeeze);
    PxStats first, last;
    px_world_stats(world, &first);
    PxVec3 begin = middle_of(world);
    double fastest = first.speed_max;
    PxStatus status = px_world_set(world, "max_step", &step, 1);
    if (status == PX_OK)
        status = px_world_advance(world, seconds);
    if (status == PX_OK) {
        px_world_stats(world, &last);
        fastest = fmax(fastest, last.speed_max);
        double most = first.mass * fastest;
        PxVec3 way = px_scale(first.momentum, seconds / first.mass);
        out->linear = px_length(px_sub(last.momentum, first.momentum)) / most;
        out->angular =
            px_length(px_sub(last.angular_momentum, first.angular_momentum)) / (most * def->radius);
        out->middle = px_length(px_sub(px_sub(middle_of(world), begin), way)) / (fastest * seconds);
    }
    px_world_free(world);
    return status;
}
