#include "study/column.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSITY 1000. /* kg/m^3 */
#define G 9.81        /* m/s^2 */

PxColumnDef px_column_def_default(void)
{
    return (PxColumnDef){
        .pressure = "dfsph", .spacing = 0.025, .depth = 1, .width = 0.4, .seconds = 5, .settle = 3};
}

static PxStatus make_tank(const PxColumnDef *def, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){0, -G, 0};
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxMaterialDef water = px_material_def_default();
    water.density = DENSITY;
    water.pressure = px_pressure_choice(def->pressure);
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &water, &body.material));
    body.name = "water";
    body.shape.size = (PxVec3){def->width, def->depth, def->width};
    body.shape.at = (PxVec3){0, 0.5 * def->depth, 0};
    PX_TRY(px_world_add_body(*out, &body, NULL));
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.wall = tank.inside = true;
    tank.shape.size = (PxVec3){def->width, 2 * def->depth, def->width};
    tank.shape.at = (PxVec3){0, def->depth, 0};
    return px_world_add_body(*out, &tank, NULL);
}

static int by_height(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Mean height of the highest particles, as many as one layer has. */
static PxStatus top_layer(const PxWorld *world, const PxColumnDef *def, double *out)
{
    uint32_t n = px_world_count(world);
    double across = round(def->width / def->spacing);
    uint32_t layer = (uint32_t)(across * across);
    float *height = malloc(n * sizeof *height);
    if (height == NULL)
        return px_fail(PX_ERR_MEMORY, "column: no room for %u heights", n);
    const float *y = px_world_floats(world, "position", 1);
    for (uint32_t i = 0; i < n; ++i)
        height[i] = y[i];
    qsort(height, n, sizeof *height, by_height);
    *out = 0;
    for (uint32_t k = n - layer; k < n; ++k)
        *out += (double)height[k] / layer;
    free(height);
    return PX_OK;
}

/* Adds up the pressure of the particles between two heights, and the reference pressure. */
static void weigh(const PxWorld *world, double low, double high, double surface, double dt,
                  double sum[2])
{
    const float *y = px_world_floats(world, "position", 1);
    const float *p = px_world_floats(world, "pressure", 0);
    for (uint32_t i = 0; i < px_world_count(world); ++i)
        if ((double)y[i] >= low && (double)y[i] < high) {
            sum[0] += dt * (double)p[i];
            sum[1] += dt * DENSITY * G * (surface - (double)y[i]);
        }
}

/* Pressure at five depths, each the mean over a horizontal plane and a frame, and the level. */
enum { DEPTHS = 5 };
#define FRAME (1 / 30.)

typedef struct Gauges {
    PxGaugeId pressure[DEPTHS], level;
    double height[DEPTHS], sum[DEPTHS], wanted[DEPTHS], level_sum, frames;
    uint64_t seen;
} Gauges;

static PxStatus add_gauges(PxWorld *world, const PxColumnDef *def, Gauges *g)
{
    *g = (Gauges){0};
    PxGaugeDef gauge = px_gauge_def_default();
    gauge.over = gauge.every = FRAME;
    gauge.place = PX_GAUGE_PLANE;
    gauge.samples = 5;
    gauge.width = gauge.height = def->width;
    for (int k = 0; k < DEPTHS; ++k) {
        char name[] = {(char)('a' + k), '\0'};
        gauge.name = name;
        g->height[k] = gauge.at.y = def->depth * (0.1 + 0.2 * k);
        PX_TRY(px_world_add_gauge(world, &gauge, &g->pressure[k]));
    }
    gauge = px_gauge_def_default();
    gauge.over = gauge.every = FRAME;
    gauge.name = "level";
    gauge.measures = PX_GAUGE_LEVEL;
    gauge.place = PX_GAUGE_LINE;
    gauge.samples = 5;
    gauge.at = (PxVec3){-0.4 * def->width, 0.5 * def->depth, 0};
    gauge.to = (PxVec3){0.4 * def->width, 0.5 * def->depth, 0};
    return px_world_add_gauge(world, &gauge, &g->level);
}

/* Takes the samples of a frame, if there are new ones. */
static PxStatus read_gauges(const PxWorld *world, const PxColumnDef *def, Gauges *g,
                            PxColumnResult *out)
{
    PxGaugeSample sample;
    double level[5], surface = 0.5 * def->depth, p;
    PX_TRY(px_world_read_gauge(world, g->level, level, 5, &sample));
    if (sample.number == g->seen || sample.time < def->settle + FRAME)
        return PX_OK;
    g->seen = sample.number;
    for (int k = 0; k < 5; ++k)
        surface += level[k] / 5;
    for (int k = 0; k < DEPTHS; ++k) {
        double wanted = DENSITY * G * (surface - g->height[k]);
        PX_TRY(px_world_read_gauge(world, g->pressure[k], &p, 1, &sample));
        out->frame = fmax(out->frame, fabs(p / wanted - 1));
        g->sum[k] += p;
        g->wanted[k] += wanted;
        out->mean = k == 0 ? 0 : out->mean;
        out->mean = fmax(out->mean, fabs(g->sum[k] / g->wanted[k] - 1));
    }
    g->level_sum += surface;
    ++g->frames;
    out->level = g->level_sum / (g->frames * def->depth);
    return PX_OK;
}

static PxStatus rest(PxWorld *world, const PxColumnDef *def, PxColumnResult *out)
{
    Gauges gauges;
    PX_TRY(add_gauges(world, def, &gauges));
    /* Weighted by the length of steps: the pressure of single steps alternates, and only its mean
     * carries the weight. */
    double middle[2] = {0}, bottom[2] = {0}, s = def->spacing, surface = 0, time = 0;
    uint64_t looked = 0;
    PxStats stats;
    do {
        PX_TRY(px_world_step(world, def->seconds));
        px_world_stats(world, &stats);
        out->iterations += (double)stats.iterations;
        PX_TRY(read_gauges(world, def, &gauges, out));
        if (stats.time < def->settle)
            continue;
        if (looked++ % 10 == 0) {
            double top = 0;
            PX_TRY(top_layer(world, def, &top));
            surface = top + 0.5 * s;
        }
        weigh(world, 0.5 * surface - s, 0.5 * surface + s, surface, stats.dt, middle);
        weigh(world, 0, 2 * s, surface, stats.dt, bottom);
        out->top += stats.dt * surface;
        out->height += stats.dt * 2 * stats.potential / (stats.mass * G);
        time += stats.dt;
    } while (stats.time < def->seconds);
    out->middle = middle[0] / middle[1];
    out->bottom = bottom[0] / bottom[1];
    out->top /= time * def->depth;
    out->height /= time * def->depth;
    out->kinetic = stats.kinetic / (stats.mass * G * def->depth);
    out->steps = stats.step;
    out->iterations /= (double)stats.step;
    out->not_converged = stats.not_converged;
    out->leaked = stats.leaked;
    return PX_OK;
}

PxStatus px_column_rest(const PxColumnDef *def, PxColumnResult *out)
{
    *out = (PxColumnResult){0};
    PxWorld *world = NULL;
    PxStatus status = make_tank(def, &world);
    if (status == PX_OK)
        status = rest(world, def, out);
    px_world_free(world);
    return status;
}

/* ---- very viscous ----------------------------------------------------------------- */

#define THICK_HEIGHT 0.24
#define THICK_WIDTH 0.12

PxThickDef px_thick_def_default(void)
{
    return (PxThickDef){
        .pressure = "dfsph", .spacing = 0.02, .viscosity = 1e4, .step = 1e-3, .seconds = 0.2};
}

static PxStatus make_thick(const PxThickDef *def, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){0, -G, 0};
    world.max_step = def->step;
    world.courant = 0.8; /* with sesph and its slow sound this allows more than 1 ms */
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxMaterialDef tar = px_material_def_default();
    tar.density = DENSITY;
    tar.viscosity = def->viscosity;
    tar.pressure = px_pressure_choice(def->pressure);
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &tar, &body.material));
    double slow = 1;
    if (strcmp(def->pressure, "sesph") == 0)
        PX_TRY(px_world_set(*out, "materials.water.pressure.top_speed", &slow, 1));
    body.name = "column";
    body.shape.size = (PxVec3){THICK_WIDTH, THICK_HEIGHT, THICK_WIDTH};
    body.shape.at = (PxVec3){0, 0.5 * THICK_HEIGHT, 0};
    PX_TRY(px_world_add_body(*out, &body, NULL));
    PxBodyDef floor = px_body_def_default();
    floor.name = "floor";
    floor.wall = true;
    floor.shape = px_shape_def_default(PX_SHAPE_PLANE);
    floor.friction = 1;
    return px_world_add_body(*out, &floor, NULL);
}

/* Mean height, and rms distance from the axis. */
static void spread(const PxWorld *world, double *height, double *width)
{
    uint32_t n = px_world_count(world);
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    const float *z = px_world_floats(world, "position", 2);
    *height = *width = 0;
    for (uint32_t i = 0; i < n; ++i) {
        *height += (double)y[i] / n;
        *width += ((double)x[i] * (double)x[i] + (double)z[i] * (double)z[i]) / n;
    }
    *width = sqrt(*width);
}

static PxStatus watch(PxWorld *world, const PxThickDef *def, PxThickResult *out)
{
    double height, width;
    PxStats stats;
    spread(world, &height, &width);
    do {
        double last_height = height, last_width = width;
        for (int k = 0; k < 10 && px_world_time(world) < def->seconds; ++k)
            PX_TRY(px_world_step(world, def->seconds));
        px_world_stats(world, &stats);
        spread(world, &height, &width);
        out->backwards += !(height < last_height && width > last_width);
    } while (stats.time < def->seconds);
    out->step = stats.time / (double)stats.step;
    out->not_converged = stats.not_converged;
    return PX_OK;
}

PxStatus px_column_thick(const PxThickDef *def, PxThickResult *out)
{
    *out = (PxThickResult){0};
    PxWorld *world = NULL;
    PxStatus status = make_thick(def, &world);
    if (status == PX_OK)
        status = watch(world, def, out);
    px_world_free(world);
    return status;
}
