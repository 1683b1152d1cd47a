#include "study/frozen.h"

#include "base/fail.h"
#include "base/vec.h"
#include "world/saved.h"

#include <math.h>
#include <stdlib.h>

#define COLD 20.0
#define HOT 90.0

PxFrozenDef px_frozen_def_default(void)
{
    PxFrozenDef def = {.material = px_material_def_default(),
                       .spacing = 0.02,
                       .mould = {0.4, 0.3, 0.1},
                       .fill = 0.08,
                       .hot = 2,
                       .cold = 0.3,
                       .times = 1,
                       .strain = 0.02,
                       .threads = 2};
    def.material.name = "wax";
    def.material.young = 5e5;
    def.material.damping = 20;
    def.material.viscosity = 0;
    def.material.diffusivity = 1e-6;
    def.material.melts.melts = true;
    def.material.melts.from = 40;
    def.material.melts.to = 60;
    def.material.melts.into.viscosity = 1;
    return def;
}

/* The mould is body 0 of both worlds; without a mould, body 0 is a plane far below. */
static PxStatus make(const PxFrozenDef *def, bool mould, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.threads = def->threads;
    if (!mould)
        world.gravity = (PxVec3){0, 0, 0};
    PX_TRY(px_world_create(&world, out));
    PxBodyDef body = px_body_def_default();
    body.name = "mould";
    body.wall = true;
    body.inside = mould;
    body.friction = 0;
    body.shape.size = def->mould;
    body.shape.at = (PxVec3){0, 0.5 * def->mould.y, 0};
    if (!mould) {
        body.shape = px_shape_def_default(PX_SHAPE_PLANE);
        body.shape.at = (PxVec3){0, -1e3, 0};
    }
    PX_TRY(px_world_add_body(*out, &body, NULL));
    body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &def->material, &body.material));
    /* the block must flow to fill the mould: it is higher, and half as long */
    body.name = "block";
    body.skin = false;
    body.temperature = COLD;
    body.shape.size = (PxVec3){0.5 * def->mould.x, 2 * def->fill, def->mould.z};
    body.shape.at = (PxVec3){-0.25 * def->mould.x, def->fill, 0};
    return px_world_add_body(*out, &body, NULL);
}

static PxStatus set_temperature(PxWorld *world, double to)
{
    return px_world_set(world, "bodies.block.temperature", &to, 1);
}

static double mean_height(const PxWorld *world)
{
    const float *y = px_world_floats(world, "position", 1);
    uint32_t n = px_world_count(world);
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i)
        sum += (double)y[i];
    return n > 0 ? sum / n : 0;
}

static PxStatus melt_and_freeze(const PxFrozenDef *def, PxWorld *world, PxFrozenResult *out)
{
    PxStats first, now;
    px_world_stats(world, &first);
    double latent = def->material.latent_heat + def->material.heat_capacity * (HOT - COLD);
    double time = 0;
    for (int k = 0; k < def->times; ++k)
        for (int hot = 1; hot >= 0; --hot) {
            PX_TRY(set_temperature(world, hot ? HOT : COLD));
            time += hot ? def->hot : def->cold;
            PX_TRY(px_world_advance(world, time));
            px_world_stats(world, &now);
            double off = fabs((now.heat - now.heat_in) - (first.heat - first.heat_in));
            out->heat = fmax(out->heat, off / (latent * first.mass));
        }
    out->mass = fabs(now.mass - first.mass) / first.mass;
    /* height of an evenly filled mould: twice that of the centre of mass */
    double full = first.mass / def->material.density;
    out->volume = 2 * mean_height(world) * def->mould.x * def->mould.z / full;
    return PX_OK;
}

/* The slope of the displacement along the middle half of the bar. */
static double strain_of(const PxWorld *world, const double *before, double half)
{
    const float *x = px_world_floats(world, "position", 0);
    const uint64_t *id = px_world_ids(world);
    double n = 0, sx = 0, su = 0, sxx = 0, sxu = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        double from = before[id[i] & 0xffffff], u = (double)x[i] - from;
        if (fabs(from) > 0.5 * half)
            continue;
        n += 1;
        sx += from;
        su += u;
        sxx += from * from;
        sxu += from * u;
    }
    double spread = sxx - sx * sx / n;
    return spread > 0 ? (sxu - sx * su / n) / spread : NAN;
}

static PxStatus pull(const PxFrozenDef *def, PxWorld *frozen, double volume, PxFrozenResult *out)
{
    PxWorld *world = NULL;
    PxStatus status = make(def, false, &world);
    double half = 0.5 * def->mould.x, *before = calloc(1u << 24, sizeof *before);
    PxWorldState state = px_world_state(frozen);
    double area = volume / def->mould.x, force = def->material.young * def->strain * area;
    if (status == PX_OK && before == NULL)
        status = px_fail(PX_ERR_MEMORY, "no room");
    for (int side = -1; side <= 1 && status == PX_OK; side += 2) {
        PxForceDef f = px_force_def_default();
        f.name = side < 0 ? "left" : "right";
        f.shape.size = (PxVec3){0.25 * half, 1, 1};
        f.shape.at = (PxVec3){side * 0.9 * half, 0, 0};
        f.force = (PxVec3){side * force, 0, 0};
        f.start = state.time + 0.3;
        status = px_world_add_force(world, &f, NULL);
    }
    if (status == PX_OK)
        status = px_world_continue(world, frozen);
    if (status == PX_OK)
        status = px_world_advance(world, state.time + 0.3);
    for (uint32_t i = 0; i < px_world_count(world) && status == PX_OK; ++i)
        before[px_world_ids(world)[i] & 0xffffff] =
            (double)px_world_floats(world, "position", 0)[i];
    if (status == PX_OK)
        status = px_world_advance(world, state.time + 0.8);
    if (status == PX_OK)
        out->young = def->strain / strain_of(world, before, half);
    free(before);
    px_world_free(world);
    return status;
}

PxStatus px_frozen(const PxFrozenDef *def, PxFrozenResult *out)
{
    PxWorld *world = NULL;
    *out = (PxFrozenResult){0};
    PxStatus status = make(def, true, &world);
    if (status == PX_OK)
        status = melt_and_freeze(def, world, out);
    if (status == PX_OK && def->strain > 0) {
        PxStats stats;
        px_world_stats(world, &stats);
        status = pull(def, world, stats.mass / def->material.density, out);
    }
    px_world_free(world);
    return status;
}
