#include "study/round_vessel.h"

#include "base/fail.h"
#include "base/vec.h"
#include "matter/kernel.h"

#include <math.h>

#define RADIUS 0.5
#define HOT 100.0
#define DENSITY 1000.0
#define CAPACITY 1000.0
#define CONDUCTANCE 50.0 /* W/(m^2 K): the heat falls by 2 per cent in a minute */

PxRoundVesselDef px_round_vessel_def_default(void)
{
    return (PxRoundVesselDef){.shape = PX_SHAPE_SPHERE, .cells = 8, .biot = 0.02, .threads = 1};
}

static PxShapeDef round_shape(const PxRoundVesselDef *def)
{
    PxShapeDef shape = px_shape_def_default(def->shape);
    shape.radius = RADIUS;
    shape.height = 2 * RADIUS;
    return shape;
}

static PxStatus add_bodies(PxWorld *world, const PxRoundVesselDef *def, PxMaterialId material)
{
    PxBodyDef body = px_body_def_default();
    body.name = "matter";
    body.material = material;
    body.temperature = HOT;
    body.shape = round_shape(def);
    PX_TRY(px_world_add_body(world, &body, NULL));
    body = px_body_def_default();
    body.name = "vessel";
    body.wall = body.warm = body.inside = true;
    body.temperature = 0;
    body.conductance = CONDUCTANCE;
    body.shape = round_shape(def);
    return px_world_add_body(world, &body, NULL);
}

/* Heat that passes between two moments, from the second step on: before the first, settling may
 * remove particles. */
static PxStatus follow(PxWorld *world, double area, double *out)
{
    PxStats first, last;
    PX_TRY(px_world_advance(world, 0.1));
    px_world_stats(world, &first);
    PX_TRY(px_world_advance(world, 8.1));
    px_world_stats(world, &last);
    double rate = CONDUCTANCE * area * HOT / first.heat;
    *out = (first.heat_in - last.heat_in) / (first.heat * (1 - exp(-8 * rate)));
    return PX_OK;
}

PxStatus px_round_vessel_run(const PxRoundVesselDef *def, double *out)
{
    PxWorld *world = NULL;
    PxMaterialId material;
    PxWorldDef world_def = px_world_def_default();
    world_def.spacing = RADIUS / def->cells;
    world_def.gravity = px_vec(0, 0, 0);
    world_def.max_step = 0.5;
    world_def.threads = def->threads;
    PX_TRY(px_world_create(&world_def, &world));
    PxMaterialDef matter = px_material_def_default();
    matter.density = DENSITY;
    matter.heat_capacity = CAPACITY;
    matter.diffusivity = CONDUCTANCE * RADIUS / (def->biot * DENSITY * CAPACITY);
    matter.viscosity = 1000;
    if (def->solid) {
        matter.young = 1e5;
        matter.viscosity = 0;
    }
    double area =
        def->shape == PX_SHAPE_SPHERE ? 4 * PX_PI * RADIUS * RADIUS : 6 * PX_PI * RADIUS * RADIUS;
    PxStatus status = px_world_add_material(world, &matter, &material);
    if (status == PX_OK)
        status = add_bodies(world, def, material);
    if (status == PX_OK)
        status = follow(world, area, out);
    px_world_free(world);
    return status;
}
