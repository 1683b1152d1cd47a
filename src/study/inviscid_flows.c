#include "study/inviscid_flows.h"

#include "base/fail.h"
#include "base/vec.h"
#include "world/state.h"

#include <math.h>

#define RATE 5.0 /* of stretching, 1/s, and of spinning, rad/s */

PxInviscidDef px_inviscid_def_default(void)
{
    return (PxInviscidDef){.pressure = "dfsph", .spacing = 0.01, .radius = 0.1, .duration = 0.2};
}

static PxStatus make(const PxInviscidDef *def, PxMaterialId *water, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){0, 0, 0};
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxMaterialDef material = px_material_def_default();
    material.viscosity = 0;
    material.pressure = px_pressure_choice(def->pressure);
    return px_world_add_material(*out, &material, water);
}

static PxStatus make_drop(const PxInviscidDef *def, PxWorld **out)
{
    PxBodyDef body = px_body_def_default();
    PX_TRY(make(def, &body.material, out));
    body.name = "drop";
    body.shape = px_shape_def_default(PX_SHAPE_SPHERE);
    body.shape.radius = def->radius;
    PX_TRY(px_world_add_body(*out, &body, NULL));
    /* A study may change the world's table. */
    PxTable *table = (PxTable *)px_world_particles(*out);
    PxColumn *velocity = px_table_find(table, "velocity");
    const double slope[3] = {-0.5 * RATE, -0.5 * RATE, RATE};
    for (int c = 0; c < 3; ++c) {
        const float *x = px_world_floats(*out, "position", c);
        float *v = velocity->data[c];
        for (uint32_t i = 0; i < table->count; ++i)
            v[i] = (float)(slope[c] * (double)x[i]);
    }
    return PX_OK;
}

static PxStatus make_vessel(const PxInviscidDef *def, PxWorld **out)
{
    PxBodyDef body = px_body_def_default();
    PX_TRY(make(def, &body.material, out));
    body.shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    body.shape.radius = def->radius;
    body.shape.height = 6 * def->spacing;
    PxBodyDef wall = body;
    wall.name = "vessel";
    wall.wall = wall.inside = true;
    wall.friction = 0;
    wall.material = (PxMaterialId){0, 0};
    PX_TRY(px_world_add_body(*out, &wall, NULL));
    body.name = "water";
    body.spin = (PxVec3){0, RATE, 0};
    return px_world_add_body(*out, &body, NULL);
}

static PxStatus make_patch(const PxInviscidDef *def, PxWorld **out)
{
    PxBodyDef body = px_body_def_default();
    PX_TRY(make(def, &body.material, out));
    double high = 6 * def->spacing;
    PxBodyDef plates = body;
    plates.shape = px_shape_def_default(PX_SHAPE_BOX);
    plates.shape.size = (PxVec3){20 * def->radius, high, 20 * def->radius};
    plates.name = "plates";
    plates.wall = plates.inside = true;
    plates.friction = 0;
    plates.material = (PxMaterialId){0, 0};
    PX_TRY(px_world_add_body(*out, &plates, NULL));
    body.name = "patch";
    body.shape = px_shape_def_default(PX_SHAPE_BOX);
    body.shape.size = (PxVec3){2 * def->radius, high, 2 * def->radius};
    body.spin = (PxVec3){0, RATE, 0};
    return px_world_add_body(*out, &body, NULL);
}

/* Semi-axis b of the stretched ball after a time, by the trapezoid rule with small steps. */
static double true_length(double radius, double time)
{
    double a = radius, b = radius, rate = RATE;
    int steps = 20000;
    double dt = time / steps;
    for (int k = 0; k < steps; ++k) {
        double c = 1.5 * rate * rate / (1 / (b * b) + 2 / (a * a));
        double middle = rate + 0.5 * dt * (c / (b * b) - rate * rate);
        double am = a * (1 - 0.25 * dt * rate), bm = b * (1 + 0.5 * dt * rate);
        c = 1.5 * middle * middle / (1 / (bm * bm) + 2 / (am * am));
        rate += dt * (c / (bm * bm) - middle * middle);
        a -= 0.5 * dt * middle * am;
        b += dt * middle * bm;
    }
    return b;
}

/* Semi-axis along z of an ellipsoid: the mean of z^2 is b^2 / 5. */
static double length_of(const PxWorld *world)
{
    const float *z = px_world_floats(world, "position", 2);
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        sum += (double)z[i] * (double)z[i];
    return sqrt(5 * sum / px_world_count(world));
}

/* Time in which a vessel's water settles before the figures start, s. */
#define SETTLED 1e-5

static PxStatus measure(PxWorld *world, const PxInviscidDef *def, bool drop, PxInviscidResult *out)
{
    PxStats start, end;
    PX_TRY(px_world_advance(world, SETTLED));
    px_world_stats(world, &start);
    double length = length_of(world);
    PX_TRY(px_world_advance(world, def->duration));
    px_world_stats(world, &end);
    out->energy = end.kinetic / start.kinetic;
    out->momentum = drop ? 1 : end.angular_momentum.y / start.angular_momentum.y;
    double grown = true_length(def->radius, def->duration) / def->radius;
    out->length = drop ? length_of(world) / length / grown : 1;
    out->removed = start.removed;
    out->leaked = end.leaked;
    return PX_OK;
}

typedef PxStatus Maker(const PxInviscidDef *def, PxWorld **out);

static PxStatus run(const PxInviscidDef *def, Maker *make_world, PxInviscidResult *out)
{
    *out = (PxInviscidResult){0};
    PxWorld *world = NULL;
    PxStatus status = make_world(def, &world);
    if (status == PX_OK)
        status = measure(world, def, make_world == make_drop, out);
    px_world_free(world);
    return status;
}

PxStatus px_stretching_drop(const PxInviscidDef *def, PxInviscidResult *out)
{
    return run(def, make_drop, out);
}

PxStatus px_spinning_water(const PxInviscidDef *def, PxInviscidResult *out)
{
    return run(def, make_vessel, out);
}

PxStatus px_rotating_patch(const PxInviscidDef *def, PxInviscidResult *out)
{
    return run(def, make_patch, out);
}
