#include "study/heat_bar.h"

#include "base/fail.h"
#include "matter/kernel.h"
#include "world/heat_stage.h"

#include <math.h>

enum { ACROSS = 6 };
#define SPACING 0.01
#define COLD 20.0
#define HOT 100.0
#define DENSITY 1000.0
#define CAPACITY 1000.0

/* Width of the melting range over the difference of temperatures. */
#define RANGE 0.005

/* Time until the matter in the tank hardly moves, s. */
#define STIRRED 2.0

PxHeatBarDef px_heat_bar_def_default(void)
{
    return (PxHeatBarDef){.cells = 6, .diffusivity = 1e-4, .step = 0.1, .threads = 1, .stefan = 1};
}

typedef struct Bar {
    PxWorld *world;
    PxMaterialId material;
    double before; /* J */
} Bar;

static PxStatus add_part(Bar *bar, const char *name, double low, double high, double temperature)
{
    PxBodyDef body = px_body_def_default();
    double across = ACROSS * SPACING;
    body.name = name;
    body.shape.size = (PxVec3){high - low, across, across};
    body.shape.at = (PxVec3){0.5 * (low + high), 0.5 * across, 0.5 * across};
    body.material = bar->material;
    body.temperature = temperature;
    return px_world_add_body(bar->world, &body, NULL);
}

static PxStatus add_wall(Bar *bar, double conductance)
{
    PxBodyDef body = px_body_def_default();
    body.name = "wall";
    body.wall = body.warm = true;
    body.shape.size = (PxVec3){20 * SPACING, 40 * SPACING, 40 * SPACING};
    body.shape.at = (PxVec3){-10 * SPACING, 3 * SPACING, 3 * SPACING};
    body.temperature = HOT;
    if (conductance > 0)
        body.conductance = conductance;
    return px_world_add_body(bar->world, &body, NULL);
}

static PxStatus make_world(const PxHeatBarDef *def, bool melts, Bar *out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = SPACING;
    world.gravity = (PxVec3){0, 0, 0};
    world.max_step = def->step;
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, &out->world));
    PxMaterialDef material = px_material_def_default();
    material.name = "bar";
    material.density = DENSITY;
    material.viscosity = 0;
    material.pressure = px_pressure_choice("dfsph"); /* damps the flow of stirred particles */
    material.heat_capacity = CAPACITY;
    material.diffusivity = def->diffusivity;
    if (melts) {
        material.melts.melts = true;
        material.melts.from = COLD;
        material.melts.to = COLD + RANGE * (HOT - COLD);
        material.latent_heat = CAPACITY * (HOT - COLD) / def->stefan;
    }
    return px_world_add_material(out->world, &material, &out->material);
}

/* Errors of the profile, and its gain of heat over the heat that came in. */
static void measure(const Bar *bar, double (*profile)(double x, const double *numbers),
                    const double *numbers, bool wall, PxHeatBarResult *out)
{
    const float *x = px_world_floats(bar->world, "position", 0);
    const float *t = px_world_floats(bar->world, "temperature", 0);
    double more = 0;
    *out = (PxHeatBarResult){.heat = 1};
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
        double exact = COLD + (HOT - COLD) * profile((double)x[i], numbers);
        out->worst = fmax(out->worst, fabs((double)t[i] - exact) / (HOT - COLD));
        more += exact - COLD;
    }
    PxStats stats;
    px_world_stats(bar->world, &stats);
    out->kept = fabs(stats.heat - stats.heat_in - bar->before) / stats.heat;
    out->iterations = stats.heat_iterations;
    if (wall)
        out->heat = stats.heat_in / (DENSITY * CAPACITY * SPACING * SPACING * SPACING * more);
}

static double halves_profile(double x, const double *numbers)
{
    return 0.5 + 0.5 * erf(x / numbers[0]);
}

/* One body, or a column that falls over in a tank and then comes to rest. */
static PxStatus add_bar(Bar *bar, const PxHeatBarDef *def, double end)
{
    PxBodyDef body = px_body_def_default();
    double across = ACROSS * SPACING;
    body.name = "bar";
    body.material = bar->material;
    body.temperature = COLD;
    body.fill = def->order == PX_HEAT_BAR_HEXAGONAL ? PX_FILL_HEXAGONAL : body.fill;
    body.shape.size = (PxVec3){2 * end, across, across};
    body.shape.at = (PxVec3){0, 0.5 * across, 0.5 * across};
    if (def->order != PX_HEAT_BAR_STIRRED)
        return px_world_add_body(bar->world, &body, NULL);
    double thick = 4 * SPACING;
    body.shape.size = (PxVec3){end, 4 * thick, thick};
    body.shape.at = (PxVec3){-0.5 * end, 2 * thick, 0.5 * thick};
    PX_TRY(px_world_add_body(bar->world, &body, NULL));
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.wall = tank.inside = true;
    tank.friction = 0;
    tank.shape.size = (PxVec3){2 * end, 10 * thick, thick};
    tank.shape.at = (PxVec3){0, 5 * thick, 0.5 * thick};
    PX_TRY(px_world_add_body(bar->world, &tank, NULL));
    static const double g[] = {0, -9.81, 0}, flows = 2, stays = 1e5, never = 0;
    PX_TRY(px_world_set(bar->world, "gravity", g, 3));
    PX_TRY(px_world_set(bar->world, "materials.bar.viscosity", &flows, 1));
    PX_TRY(px_world_set(bar->world, "materials.bar.diffusivity", &never, 1));
    PX_TRY(px_world_advance(bar->world, STIRRED));
    PX_TRY(px_world_set(bar->world, "materials.bar.viscosity", &stays, 1));
    return px_world_set(bar->world, "materials.bar.diffusivity", &def->diffusivity, 1);
}

/* A heater of short duration heats the matter at x > 0. */
static PxStatus heat_half(const Bar *bar, double start, double time)
{
    PxHeaterDef heater = px_heater_def_default();
    heater.name = "heater";
    heater.shape.size = (PxVec3){10, 20, 10};
    heater.shape.at = (PxVec3){5, 0, 0};
    heater.holds = true;
    heater.temperature = HOT;
    heater.start = start;
    heater.end = start + 1e-6 * time;
    return px_world_add_heater(bar->world, &heater, NULL);
}

static PxStatus add_halves(Bar *bar, const PxHeatBarDef *def, double end, double time)
{
    if (def->order == PX_HEAT_BAR_CUBIC) {
        PX_TRY(add_part(bar, "cold", -end, 0, COLD));
        return add_part(bar, "hot", 0, end, HOT);
    }
    PX_TRY(add_bar(bar, def, end));
    return heat_half(bar, px_world_time(bar->world), time);
}

PxStatus px_heat_bar_halves(const PxHeatBarDef *def, PxHeatBarResult *out)
{
    Bar bar = {0};
    double width = def->cells * SPACING, time = width * width / (4 * def->diffusivity);
    double end = 2 * ceil(def->cells) * SPACING;
    PxStatus status = make_world(def, false, &bar);
    if (status == PX_OK)
        status = add_halves(&bar, def, end, time);
    if (status == PX_OK) {
        PxStats stats;
        px_world_stats(bar.world, &stats);
        bar.before = px_world_heat(bar.world) - stats.heat_in;
        status = px_world_advance(bar.world, px_world_time(bar.world) + time);
    }
    if (status == PX_OK)
        measure(&bar, halves_profile, &width, false, out);
    px_world_free(bar.world);
    return status;
}

/* numbers: width of the profile; conductance over conductivity, or 0 when it is perfect. */
static double wall_profile(double x, const double *numbers)
{
    double u = x / numbers[0], v = 0.5 * numbers[0] * numbers[1];
    return numbers[1] > 0 ? erfc(u) - exp(2 * u * v + v * v) * erfc(u + v) : erfc(u);
}

PxStatus px_heat_bar_wall(const PxHeatBarDef *def, PxHeatBarResult *out)
{
    Bar bar = {0};
    double width = def->cells * SPACING, time = width * width / (4 * def->diffusivity);
    double k = def->diffusivity * DENSITY * CAPACITY;
    const double numbers[] = {width, def->conductance / width};
    PxStatus status = make_world(def, false, &bar);
    if (status == PX_OK)
        status = add_part(&bar, "bar", 0, 4 * ceil(def->cells) * SPACING, COLD);
    if (status == PX_OK)
        status = add_wall(&bar, k * numbers[1]);
    if (status == PX_OK) {
        bar.before = px_world_heat(bar.world);
        status = px_world_advance(bar.world, time);
    }
    if (status == PX_OK)
        measure(&bar, wall_profile, numbers, true, out);
    px_world_free(bar.world);
    return status;
}

/* l of Neumann's front at 2 l sqrt(a t): l exp(l^2) erf(l) sqrt(pi) is Stefan's number. */
static double neumann(double stefan)
{
    double low = 0, high = 4;
    for (int k = 0; k < 60; ++k) {
        double l = 0.5 * (low + high);
        if (l * exp(l * l) * erf(l) * sqrt(PX_PI) > stefan)
            high = l;
        else
            low = l;
    }
    return low;
}

/* Molten length of the bar, m. */
static double molten_length(const Bar *bar)
{
    const float *melted = px_world_floats(bar->world, "melted", 0);
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i)
        sum += (double)melted[i];
    return sum * SPACING / (ACROSS * ACROSS);
}

static PxStatus melt(const PxHeatBarDef *def, Bar *bar, PxHeatBarResult *out)
{
    double l = neumann(def->stefan), wanted = def->cells * SPACING, x = 0;
    double time = wanted * wanted / (4 * l * l * def->diffusivity);
    PxStats stats = {0};
    bar->before = px_world_heat(bar->world);
    while (x < wanted && stats.time < 3 * time) {
        PX_TRY(px_world_step(bar->world, 3 * time));
        px_world_stats(bar->world, &stats);
        double now = molten_length(bar);
        out->time = (stats.time - (now > x ? stats.dt * (now - wanted) / (now - x) : 0)) / time;
        x = now;
    }
    out->kept = fabs(stats.heat - stats.heat_in - bar->before) / stats.heat;
    out->iterations = stats.heat_iterations;
    return PX_OK;
}

PxStatus px_heat_bar_melting(const PxHeatBarDef *def, PxHeatBarResult *out)
{
    Bar bar = {0};
    *out = (PxHeatBarResult){.heat = 1};
    PxStatus status = make_world(def, true, &bar);
    if (status == PX_OK)
        status = add_part(&bar, "bar", 0, 1.5 * ceil(def->cells) * SPACING, COLD);
    if (status == PX_OK)
        status = add_wall(&bar, 0);
    if (status == PX_OK)
        status = melt(def, &bar, out);
    px_world_free(bar.world);
    return status;
}
