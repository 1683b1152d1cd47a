#include "world/heat_stage.h"

#include "base/sum.h"
#include "matter/melt.h"
#include "thermal/heat_columns.h"
#include "thermal/heat.h"
#include "thermal/melt_fractions.h"
#include "coupling/heat_links.h"
#include "world/elastic_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- temperatures that change with time --------------------------------------- */

PxStatus px_temperatures_check(const PxTemperatureKey *key, size_t count)
{
    if (count > 0 && key == NULL)
        return px_fail(PX_ERR_ARGUMENT, "%zu temperatures, but temperature_key is NULL", count);
    for (size_t k = 0; k < count; ++k) {
        if (!(key[k].time >= 0 && key[k].time <= 1e9) ||
            (k > 0 && !(key[k].time > key[k - 1].time)))
            return px_fail(PX_ERR_ARGUMENT,
                           "temperature %zu is at %g s, wanted 0 s or later, and each later than "
                           "the one before",
                           k, key[k].time);
        if (!(key[k].to >= -273.15 && key[k].to <= 1e5))
            return px_fail(PX_ERR_ARGUMENT,
                           "temperature %zu is %g, wanted -273.15 to 1e5 degrees C", k, key[k].to);
    }
    return PX_OK;
}

bool px_temperatures_copy(const PxTemperatureKey *key, size_t count, PxTemperatureKey **out)
{
    *out = NULL;
    if (count == 0)
        return true;
    *out = malloc(count * sizeof **out);
    if (*out != NULL)
        memcpy(*out, key, count * sizeof **out);
    return *out != NULL;
}

double px_temperature_at(const PxTemperatureKey *key, size_t count, double time)
{
    size_t next = 0;
    while (next < count && key[next].time <= time)
        ++next;
    if (next == 0 || next == count)
        return key[next == 0 ? 0 : count - 1].to;
    const PxTemperatureKey *a = &key[next - 1], *b = &key[next];
    return a->to + (b->to - a->to) * (time - a->time) / (b->time - a->time);
}

void px_wall_warm(PxWall *wall, const PxBodyDef *def)
{
    wall->boundary.temperature = def->warm ? def->temperature : NAN;
    wall->boundary.conductance =
        def->conductance < PX_CONTACT_PERFECT ? def->conductance : INFINITY;
}

/* ---- columns -------------------------------------------------------------------- */

PxStatus px_world_heat_columns(PxWorld *world, const PxMaterialDef *def)
{
    PxTable *table = &world->particles.table;
    if (def->diffusivity > 0 || def->melts.melts)
        PX_TRY(px_heat_columns_add(table));
    if (def->melts.melts)
        PX_TRY(px_melt_columns_add(table));
    px_particles_refresh(&world->particles);
    return PX_OK;
}

/* ---- heat balance ----------------------------------------------------------------- */

typedef struct Heat {
    const PxWorld *world;
    const float *low;
} Heat;

static void heat_values(const void *user, uint32_t begin, uint32_t end, double *value)
{
    const Heat *h = user;
    const PxParticles *p = &h->world->particles;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &h->world->materials.data[p->material[i]].def;
        value[i - begin] = (double)p->mass[i] * px_heat_of(def, px_heat_at(p, h->low, i));
    }
}

double px_world_heat(PxWorld *world)
{
    Heat h = {.world = world, .low = px_heat_low(&world->particles.table)};
    if (h.low == NULL)
        return 0;
    PxRows rows = px_world_rows(world);
    return px_reduce_sum(&rows, heat_values, &h);
}

void px_world_heat_mark(PxWorld *world)
{
    world->heat_mark = px_world_heat(world);
}

void px_world_heat_count(PxWorld *world)
{
    world->state.heat_in += px_world_heat(world) - world->heat_mark;
}

/* May particles, and heat with them, be added or removed in this step? */
static bool is_open(const PxWorld *world)
{
    return px_heat_low(&world->particles.table) != NULL &&
           (world->emitters.count + world->sinks.count > 0 || world->state.step == 0);
}

/* ---- the step ----------------------------------------------------------------------- */

static void warm_walls(PxWorld *world)
{
    for (size_t k = 0; k < world->walls.count; ++k) {
        PxWall *wall = &world->walls.data[k];
        if (wall->warmths > 0) /* temperature in the middle of the step */
            wall->boundary.temperature =
                px_temperature_at(wall->warmth, wall->warmths, world->state.time + 0.5 * world->dt);
    }
}

void px_world_heat_begin(PxWorld *world)
{
    warm_walls(world);
    if (is_open(world))
        px_world_heat_mark(world);
}

void px_world_heat_end(PxWorld *world)
{
    if (is_open(world))
        px_world_heat_count(world);
    px_world_melt_rows(world, 0, world->particles.table.count);
}

static void finite_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxParticles *p = user;
    for (uint32_t i = begin; i < end; ++i)
        if (!isfinite(p->temperature[i]))
            px_part_id(part, p->id[i]);
}

static PxStatus check_finite(const PxWorld *world)
{
    PxRows rows = px_world_rows(world);
    PxPart bad = {0};
    px_reduce(&rows, finite_part, (void *)&world->particles, &bad);
    if (bad.id == 0)
        return PX_OK;
    const PxParticles *p = &world->particles;
    uint32_t row = 0;
    while (row + 1 < p->table.count && p->id[row] != bad.id)
        ++row;
    return px_fail(PX_ERR_NUMERIC,
                   "the temperature of particle %llu of body '%s' stopped being finite in the heat "
                   "stage of step %llu, t = %g s; is a heater's power too great?",
                   (unsigned long long)bad.id, world->bodies.data[p->body[row]].name,
                   (unsigned long long)world->state.step + 1, world->state.time);
}

/* Heat conduction; temperatures of `held` rows are prescribed by heaters. */
static PxStatus conduct(PxWorld *world, PxFluid *fluid, const uint8_t *held)
{
    PxCoupling coupling = px_world_coupling(world);
    PxFluid linked = *fluid;
    PxPairs pairs;
    uint8_t *link = NULL;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    if (coupling.sizes && world->elastic_set.row.count > 0) {
        PX_TRY(px_heat_links(&world->elastic_set, &coupling, &pairs, &link));
        linked.pairs = &pairs;
    }
    PxHeat heat = {.fluid = &linked,
                   .dt = world->dt,
                   .low = px_heat_low(&world->particles.table),
                   .held = held,
                   .link = link};
    if (px_gauges_want_heat(world)) {
        uint32_t n = world->particles.table.count;
        heat.row_walls = PX_ARENA_ARRAY(&world->scratch, double, n);
        heat.row_held = PX_ARENA_ARRAY(&world->scratch, double, n);
        if (heat.row_walls == NULL || heat.row_held == NULL)
            return px_fail(PX_ERR_MEMORY, "heat: no room for %u particles", n);
        memset(heat.row_walls, 0, n * sizeof *heat.row_walls);
        memset(heat.row_held, 0, n * sizeof *heat.row_held);
    }
    PX_TRY(px_heat_conduct(&heat));
    if (heat.row_walls != NULL)
        px_gauges_heat(world, fluid, heat.row_walls, heat.row_held);
    px_arena_release(&world->scratch, mark);
    world->state.heat_in += heat.from_walls + heat.from_held;
    world->heat_iterations = heat.iterations;
    world->state.not_converged += !heat.converged;
    return PX_OK;
}

PxStatus px_world_heat_step(PxWorld *world, PxFluid *fluid)
{
    if (px_heat_low(&world->particles.table) == NULL)
        return PX_OK;
    bool heaters = world->heaters.count > 0, open = is_open(world);
    uint8_t *held = NULL;
    if (open)
        px_world_heat_count(world);
    if (px_heaters_hold(world)) {
        uint32_t n = world->particles.table.count;
        held = PX_ARENA_ARRAY(&world->scratch, uint8_t, n);
        if (held == NULL)
            return px_fail(PX_ERR_MEMORY, "heat: no room for %u particles", n);
        memset(held, 0, n);
    }
    if (heaters) {
        px_world_heat_mark(world);
        px_heaters_give(world, held);
        px_world_heat_count(world);
    }
    PX_TRY(conduct(world, fluid, held));
    if (heaters || open)
        px_world_heat_mark(world);
    if (heaters) {
        px_heaters_draw(world);
        px_world_heat_count(world);
        px_world_heat_mark(world);
    }
    return check_finite(world);
}

/* ---- melting ------------------------------------------------------------------------- */

const float *px_world_melt_rows(PxWorld *world, uint32_t begin, uint32_t end)
{
    const PxParticles *p = &world->particles;
    float *melted = px_melt_column(&p->table);
    if (melted != NULL)
        px_melt_refresh(p, world->materials.data, melted, begin, end, &world->threads);
    return melted;
}

void px_world_melt_range(PxWorld *world)
{
    PxRows rows = px_world_rows(world);
    if (px_melt_column(&world->particles.table) != NULL)
        px_melt_range(&world->particles, world->materials.data, (uint32_t)world->materials.count,
                      &rows);
}
