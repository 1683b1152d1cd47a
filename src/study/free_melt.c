#include "study/free_melt.h"

#include "base/fail.h"
#include "base/vec.h"
#include "coupling/fractions.h"
#include "world/world_parts.h"

#include <math.h>

#define HOT 65.0
#define COLD (-40.0)

PxFreeMeltDef px_free_melt_def_default(void)
{
    PxFreeMeltDef def = {.material = px_material_def_default(),
                         .spacing = 0.02,
                         .radius = 0.1,
                         .velocity = {0.3, 0.1, -0.2},
                         .spin = {1.5, 5, 1},
                         .freezing = PX_FREEZES_INSIDE,
                         .seconds = 1,
                         .threads = 2};
    def.material.name = "wax";
    def.material.density = 900;
    def.material.young = 2e5;
    def.material.viscosity = 0;
    def.material.diffusivity = 1e-3;
    def.material.latent_heat = 2e4;
    def.material.melts.melts = true;
    def.material.melts.from = 40;
    def.material.melts.to = 60;
    def.material.melts.into.viscosity = 100;
    return def;
}

static PxStatus make(const PxFreeMeltDef *def, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = px_vec(0, 0, 0);
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &def->material, &body.material));
    body.name = "blob";
    body.skin = false;
    body.shape = px_shape_def_default(PX_SHAPE_SPHERE);
    body.shape.radius = def->radius;
    body.temperature = HOT;
    body.velocity = def->velocity;
    body.spin = def->spin;
    PX_TRY(px_world_add_body(*out, &body, NULL));
    if (def->freezing == PX_FREEZES_EVENLY) {
        PxHeaterDef heater = px_heater_def_default();
        heater.name = "cold space";
        heater.holds = true;
        heater.temperature = 20;
        heater.within = 0.1;
        heater.shape = px_shape_def_default(PX_SHAPE_SPHERE);
        heater.shape.radius = 100 * def->radius;
        return px_world_add_heater(*out, &heater, NULL);
    }
    bool aside = def->freezing == PX_FREEZES_ONE_SIDE;
    PxVec3 core = px_vec(aside ? 0.5 * def->radius : 0, 0, 0);
    PxParticles *p = &(*out)->particles; /* a study may change the world's table */
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (px_length(px_sub(px_particle_place(p, i), core)) < (aside ? 0.4 : 0.6) * def->radius)
            p->temperature[i] = (float)COLD;
    return PX_OK;
}

static double molten_part(const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    double sum = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        sum += px_molten_fraction(p, world->materials.data, i);
    return sum / p->table.count;
}

PxStatus px_free_melt(const PxFreeMeltDef *def, PxFreeMeltResult *out)
{
    PxWorld *world = NULL;
    PxStats first, now;
    *out = (PxFreeMeltResult){0};
    PxStatus status = make(def, &world);
    if (status != PX_OK)
        goto done;
    px_world_stats(world, &first);
    double least = first.kinetic;
    now = first;
    while (now.time < def->seconds) {
        status = px_world_step(world, def->seconds);
        if (status != PX_OK)
            goto done;
        px_world_stats(world, &now);
        double energy = now.kinetic + now.elastic;
        out->gain = fmax(out->gain, (energy - least) / first.kinetic);
        least = fmin(least, energy);
    }
    out->linear = px_length(px_sub(now.momentum, first.momentum)) / px_length(first.momentum);
    out->angular = px_length(px_sub(now.angular_momentum, first.angular_momentum)) /
                   px_length(first.angular_momentum);
    out->molten = molten_part(world);
done:
    px_world_free(world);
    return status;
}
