#include "study/sessile.h"

#include "world/state.h"

#include <math.h>

#define PI 3.14159265358979323846

PxSessileDef px_sessile_def_default(void)
{
    return (PxSessileDef){.cells = 8,
                          .radius = 0.0025,
                          .gravity = 9.81,
                          .contact_angle = 90,
                          .adhesion = 0.5,
                          .seconds = 0.5,
                          .threads = 2};
}

static PxStatus fill(const PxSessileDef *def, PxWorld *world)
{
    PxMaterialDef water = px_material_def_default();
    water.tension = px_tension_choice("csf");
    PxMaterialId id;
    PX_TRY(px_world_add_material(world, &water, &id));
    PxBodyDef drop = px_body_def_default();
    drop.name = "drop";
    drop.material = id;
    drop.shape = px_shape_def_default(PX_SHAPE_SPHERE);
    drop.shape.radius = def->radius;
    drop.shape.at = (PxVec3){0, def->radius, 0};
    drop.velocity = (PxVec3){def->speed, 0, 0};
    PX_TRY(px_world_add_body(world, &drop, NULL));
    PxBodyDef floor = px_body_def_default();
    floor.name = "floor";
    floor.wall = true;
    floor.shape = px_shape_def_default(PX_SHAPE_PLANE);
    floor.contact_angle = def->contact_angle;
    floor.adhesion = def->adhesion;
    return px_world_add_body(world, &floor, NULL);
}

/* Mean of a column's component. */
static double mean(const PxWorld *world, const char *column, int component)
{
    const float *value = px_world_floats(world, column, component);
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        sum += (double)value[i];
    return sum / px_world_count(world);
}

static double square_speed(const PxWorld *world)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const float *v = px_world_floats(world, "velocity", c);
        for (uint32_t i = 0; i < px_world_count(world); ++i)
            sum += (double)v[i] * (double)v[i];
    }
    return sum / px_world_count(world);
}

/* Angle of a spherical cap with the drop's volume and the height of its centre of mass. */
static double cap_angle(const PxWorld *world, double spacing)
{
    double volume = px_world_count(world) * spacing * spacing * spacing;
    double middle = mean(world, "position", 1), low = 0, high = PI;
    for (int k = 0; k < 50; ++k) {
        double angle = 0.5 * (low + high), flat = 1 - cos(angle);
        double radius = cbrt(3 * volume / (PI * (3 - flat) * flat * flat));
        double at = radius * flat * (4 - flat) / (4 * (3 - flat));
        *(at < middle ? &low : &high) = angle;
    }
    return low * 180 / PI;
}

static PxStatus watch(const PxSessileDef *def, PxWorld *world, PxSessileResult *out)
{
    double began = mean(world, "position", 0), sum = 0, time = 0;
    PX_TRY(px_world_advance(world, 0.9 * def->seconds));
    while (px_world_time(world) < def->seconds) {
        PX_TRY(px_world_step(world, def->seconds));
        PxStats stats;
        px_world_stats(world, &stats);
        sum += stats.dt * square_speed(world);
        time += stats.dt;
    }
    out->speed = sqrt(sum / time);
    out->angle = cap_angle(world, def->radius / def->cells);
    out->drift = hypot(mean(world, "velocity", 0), mean(world, "velocity", 2));
    out->way = mean(world, "position", 0) - began;
    return PX_OK;
}

PxStatus px_sessile(const PxSessileDef *def, PxSessileResult *out)
{
    *out = (PxSessileResult){0};
    PxWorldDef made = px_world_def_default();
    made.spacing = def->radius / def->cells;
    made.gravity = (PxVec3){0, -def->gravity, 0};
    made.threads = def->threads;
    PxWorld *world = NULL;
    PX_TRY(px_world_create(&made, &world));
    PxStatus status = fill(def, world);
    if (status == PX_OK)
        status = watch(def, world, out);
    px_world_free(world);
    return status;
}
