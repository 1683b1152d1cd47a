#include "world/actors/heater.h"

#include "base/sum.h"
#include "matter/melt.h"
#include "thermal/heat_columns.h"
#include "thermal/heat.h"
#include "world/kinds/kind.h"
#include "world/heat_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Absolute zero. */
#define COLDEST (-273.15)

/* ---- adding and removing ------------------------------------------------------------ */

static PxHeaterDef heater_def_defaults(void)
{
    return (PxHeaterDef){
        .name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .temperature = 20, .end = 1e9};
}

PX_DEF(PxHeaterDef, heater_def, "heater")

PX_KIND_WORLD(Heater, heater)

PxStatus px_heater_make(PxWorld *world, const void *given, void *thing)
{
    const PxHeaterDef *def = given;
    PxHeater *heater = thing;
    const PxBody *body =
        heater->region.body != 0 ? &world->bodies.data[heater->region.body - 1] : NULL;
    if (body != NULL && body->def.rigid)
        return px_fail(PX_ERR_ARGUMENT, "the body '%s' is rigid and has no particles to heat",
                       body->name);
    if (body != NULL && body->def.wall)
        return px_fail(PX_ERR_ARGUMENT,
                       "the body '%s' is a wall, which has a temperature of its own", body->name);
    PX_TRY(px_temperatures_check(def->temperature_key, def->temperatures));
    if (!px_temperatures_copy(def->temperature_key, def->temperatures, &heater->key))
        return px_fail(PX_ERR_MEMORY, "no room for %zu temperatures", def->temperatures);
    /* last: nothing after it can fail */
    PX_TRY(px_heat_columns_add(&world->particles.table));
    px_particles_refresh(&world->particles);
    return PX_OK;
}

/* ---- warming ---------------------------------------------------------------------- */

typedef struct Warm {
    PxWorld *world;
    const PxHeater *heater;
    float *low;
    uint8_t *held;      /* marks rows with prescribed temperature; NULL: none */
    double temperature; /* target, degrees C */
    double part;        /* part of the difference to the target that is removed */
    double heat;        /* or heat to add, J/kg */
} Warm;

static bool is_on(const PxWorld *world, const PxHeater *heater)
{
    return heater->live && world->state.time >= heater->def.start &&
           world->state.time < heater->def.end;
}

static bool warms(const Warm *warm, uint32_t i)
{
    const PxParticles *p = &warm->world->particles;
    PxVec3 x = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
    return px_region_holds(&warm->heater->region, p->body[i], x);
}

static void mass_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const Warm *warm = user;
    for (uint32_t i = begin; i < end; ++i)
        if (warms(warm, i))
            px_sum_add(&sums[0], (double)warm->world->particles.mass[i]);
}

static void warm_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Warm *warm = user;
    PxParticles *p = &warm->world->particles;
    for (uint32_t i = begin; i < end; ++i) {
        if (!warms(warm, i))
            continue;
        const PxMaterialDef *def = &warm->world->materials.data[p->material[i]].def;
        double t = px_heat_at(p, warm->low, i);
        if (warm->heater->def.holds)
            t = warm->part == 1 ? warm->temperature : t + warm->part * (warm->temperature - t);
        else
            t = px_heat_temperature(def, px_heat_of(def, t) + warm->heat);
        px_heat_put(p, warm->low, i, fmax(t, COLDEST));
        if (warm->held != NULL)
            warm->held[i] = 1;
    }
}

static void warm_rows(Warm *warm)
{
    PxWorld *world = warm->world;
    double *measured = px_gauges_heater(world, (size_t)(warm->heater - world->heaters.data));
    double before = measured != NULL ? px_world_heat(world) : 0;
    px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK, warm_block, warm);
    if (measured != NULL)
        *measured += px_world_heat(world) - before;
}

/* A held row belongs to the last heater that set its temperature. */
void px_heaters_share(PxWorld *world, const double *given)
{
    const PxParticles *p = &world->particles;
    for (size_t k = 0; k < world->heaters.count; ++k) {
        Warm warm = {.world = world, .heater = &world->heaters.data[k]};
        double *measured = px_gauges_heater(world, k);
        PxSum sum = {0};
        if (measured == NULL || !is_on(world, warm.heater) || !warm.heater->def.holds ||
            warm.heater->def.within > 0)
            continue;
        for (uint32_t i = 0; i < p->table.count; ++i) {
            bool later = false;
            if (given[i] == 0 || !warms(&warm, i))
                continue;
            for (size_t n = k + 1; n < world->heaters.count && !later; ++n) {
                Warm other = {.world = world, .heater = &world->heaters.data[n]};
                later = is_on(world, other.heater) && other.heater->def.holds &&
                        !(other.heater->def.within > 0) && warms(&other, i);
            }
            if (!later)
                px_sum_add(&sum, given[i]);
        }
        *measured += px_sum_value(&sum);
    }
}

static double temperature_of(const PxWorld *world, const PxHeater *heater)
{
    if (heater->def.temperatures == 0)
        return heater->def.temperature;
    return px_temperature_at(heater->key, heater->def.temperatures,
                             world->state.time + 0.5 * world->dt);
}

bool px_heaters_hold(const PxWorld *world)
{
    for (size_t k = 0; k < world->heaters.count; ++k) {
        const PxHeater *heater = &world->heaters.data[k];
        if (is_on(world, heater) && heater->def.holds && !(heater->def.within > 0))
            return true;
    }
    return false;
}

void px_heaters_give(PxWorld *world, uint8_t *held)
{
    for (size_t k = 0; k < world->heaters.count; ++k) {
        const PxHeater *heater = &world->heaters.data[k];
        Warm warm = {.world = world,
                     .heater = heater,
                     .low = px_heat_low(&world->particles.table),
                     .part = 1};
        if (!is_on(world, heater) || (heater->def.holds && heater->def.within > 0))
            continue;
        if (heater->def.holds) {
            warm.temperature = temperature_of(world, heater);
            warm.held = held;
        } else {
            PxSum sum;
            PxRows rows = px_world_rows(world);
            px_reduce_exact(&rows, 1, mass_rows, &warm, &sum);
            double mass = px_sum_value(&sum);
            if (!(mass > 0))
                continue;
            warm.heat = heater->def.power * world->dt / mass;
        }
        warm_rows(&warm);
    }
}

void px_heaters_draw(PxWorld *world)
{
    for (size_t k = 0; k < world->heaters.count; ++k) {
        const PxHeater *heater = &world->heaters.data[k];
        if (!is_on(world, heater) || !heater->def.holds || !(heater->def.within > 0))
            continue;
        Warm warm = {.world = world,
                     .heater = heater,
                     .low = px_heat_low(&world->particles.table),
                     .temperature = temperature_of(world, heater),
                     .part = -expm1(-world->dt / heater->def.within)};
        warm_rows(&warm);
    }
}
