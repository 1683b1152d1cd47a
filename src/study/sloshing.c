#include "study/sloshing.h"

#include "base/fail.h"
#include "base/vec.h"
#include "fluid/pressure/implicit_pressure.h"
#include "world/state.h"

#include <math.h>
#include <stdlib.h>

#define GRAVITY 9.81
#define PI 3.14159265358979323846

PxSloshingDef px_sloshing_def_default(void)
{
    return (PxSloshingDef){.pressure = "dfsph",
                           .length = 1,
                           .depth = 0.5,
                           .width = 0.2,
                           .amplitude = 0.05,
                           .spacing = 0.02,
                           .periods = 2,
                           .damping = -1};
}

/* Wave number and frequency of the mode. */
static double wave_number(const PxSloshingDef *def)
{
    return PI * (def->mode > 0 ? def->mode : 1) / def->length;
}

static double frequency(const PxSloshingDef *def)
{
    double k = wave_number(def);
    return sqrt(GRAVITY * k * tanh(k * def->depth));
}

/* Velocity of the linear standing wave when its surface is level: the gradient of
 *   a g / omega cosh(k y) / cosh(k depth) cos(k (x + length / 2)). */
static PxVec3 wave_velocity(const PxSloshingDef *def, double x, double y)
{
    double k = wave_number(def), at = k * (x + 0.5 * def->length);
    double size = def->amplitude * GRAVITY * k / frequency(def) / cosh(k * def->depth);
    return (PxVec3){-size * cosh(k * y) * sin(at), size * sinh(k * y) * cos(at), 0};
}

static void set_velocities(const PxSloshingDef *def, PxWorld *world)
{
    /* A study may change the world's table. */
    PxTable *table = (PxTable *)px_world_particles(world);
    PxColumn *velocity = px_table_find(table, "velocity");
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    float *vx = velocity->data[0], *vy = velocity->data[1];
    for (uint32_t i = 0; i < table->count; ++i) {
        PxVec3 v = wave_velocity(def, (double)x[i], (double)y[i]);
        vx[i] = (float)v.x;
        vy[i] = (float)v.y;
    }
}

/* What oscillates: the momentum along a tilted tank, or that of the mode. */
static double motion_of(const PxSloshingDef *def, const PxWorld *world, const PxStats *stats)
{
    if (def->mode == 0)
        return stats->momentum.x;
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    const float *vx = px_world_floats(world, "velocity", 0);
    const float *vy = px_world_floats(world, "velocity", 1);
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        PxVec3 v = wave_velocity(def, (double)x[i], (double)y[i]);
        sum += v.x * (double)vx[i] + v.y * (double)vy[i];
    }
    return sum;
}

/* A level fill under gravity that leans along the tank: the water oscillates about the tilted
 * level. No particle has to be cut from its lattice. */
static PxStatus make(const PxSloshingDef *def, PxWorld **out)
{
    double lean = def->mode > 0 ? 0 : atan(2 * def->amplitude / def->length);
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){GRAVITY * sin(lean), -GRAVITY * cos(lean), 0};
    world.threads = def->threads;
    if (def->support > 0)
        world.support = def->support;
    if (def->max_step > 0)
        world.max_step = def->max_step;
    PX_TRY(px_world_create(&world, out));
    PxMaterialDef water = px_material_def_default();
    water.viscosity = 0;
    water.pressure = px_pressure_choice(def->pressure);
    if (def->damping >= 0)
        water.pressure.param[PX_IMPLICIT_DAMPING] = def->damping;
    PxBodyDef body = px_body_def_default();
    PxMaterialId id;
    PX_TRY(px_world_add_material(*out, &water, &id));
    double high = 2 * def->depth;
    body.name = "tank";
    body.shape = px_shape_def_default(PX_SHAPE_BOX);
    body.shape.size = (PxVec3){def->length, high, def->width};
    body.shape.at = (PxVec3){0, 0.5 * high, 0};
    body.wall = body.inside = true;
    body.friction = 0;
    PX_TRY(px_world_add_body(*out, &body, NULL));
    body.name = "water";
    body.material = id;
    body.shape.size.y = def->depth;
    body.shape.at.y = 0.5 * def->depth;
    body.wall = body.inside = false;
    PX_TRY(px_world_add_body(*out, &body, NULL));
    if (def->mode > 0)
        set_velocities(def, *out);
    return PX_OK;
}

typedef struct Record {
    double *time, *momentum;
    size_t count, room;
} Record;

static PxStatus add(Record *record, double time, double momentum)
{
    if (record->count == record->room) {
        record->room = record->room > 0 ? 2 * record->room : 1024;
        double *t = realloc(record->time, record->room * sizeof *t);
        record->time = t != NULL ? t : record->time;
        double *m = realloc(record->momentum, record->room * sizeof *m);
        record->momentum = m != NULL ? m : record->momentum;
        if (t == NULL || m == NULL)
            return px_fail(PX_ERR_MEMORY, "sloshing: no room for %zu steps", record->room);
    }
    record->time[record->count] = time;
    record->momentum[record->count++] = momentum;
    return PX_OK;
}

/* Sum of squares that the best a e^(-decay t) sin(omega t) + b e^(-decay t) cos(omega t) leaves. */
static double misfit(const Record *r, double omega, double decay)
{
    double ss = 0, sc = 0, cc = 0, sy = 0, cy = 0, yy = 0;
    for (size_t k = 0; k < r->count; ++k) {
        double e = exp(-decay * r->time[k]), y = r->momentum[k];
        double s = e * sin(omega * r->time[k]), c = e * cos(omega * r->time[k]);
        ss += s * s;
        sc += s * c;
        cc += c * c;
        sy += s * y;
        cy += c * y;
        yy += y * y;
    }
    double det = ss * cc - sc * sc;
    return det > 0 ? yy - (sy * (cc * sy - sc * cy) + cy * (ss * cy - sc * sy)) / det : yy;
}

/* Least squares by search on a grid around the best point, which halves each round. */
static void fit(const Record *r, double *omega, double *decay)
{
    double wide = 0.2 * *omega, high = 0.2 * *omega, best = misfit(r, *omega, *decay);
    for (int round = 0; round < 24; ++round) {
        double at[2] = {*omega, *decay};
        for (int i = -4; i <= 4; ++i)
            for (int j = -4; j <= 4; ++j) {
                double w = at[0] + wide * i / 4, d = at[1] + high * j / 4, left = misfit(r, w, d);
                if (left < best) {
                    best = left;
                    *omega = w;
                    *decay = d;
                }
            }
        wide *= 0.5;
        high *= 0.5;
    }
}

static PxStatus measure(PxWorld *world, const PxSloshingDef *def, Record *record,
                        PxSloshingResult *out)
{
    double omega = frequency(def), decay = 0;
    double end = def->periods * 2 * PI / omega, sum = 0;
    PxStats stats;
    do {
        PX_TRY(px_world_step(world, end));
        px_world_stats(world, &stats);
        PX_TRY(add(record, stats.time, motion_of(def, world, &stats)));
    } while (stats.time < end);
    double true_omega = omega;
    fit(record, &omega, &decay);
    for (size_t n = 0; n < record->count; ++n)
        sum += record->momentum[n] * record->momentum[n];
    out->period = true_omega / omega;
    out->kept = exp(-decay * 2 * PI / omega);
    out->misfit = sqrt(fmax(misfit(record, omega, decay), 0) / sum);
    out->leaked = stats.leaked;
    return PX_OK;
}

double px_sloshing_theory(const PxSloshingDef *def)
{
    double k = wave_number(def);
    double slope = k * def->amplitude * (def->mode > 0 ? 1 : 8 / (PI * PI));
    double w = sqrt(tanh(k * def->depth));
    double second = (9 * pow(w, -7) - 12 * pow(w, -3) - 3 * w - 2 * pow(w, 5)) / 32;
    return w / (w + 0.5 * slope * slope * second);
}

PxStatus px_sloshing(const PxSloshingDef *def, PxSloshingResult *out)
{
    *out = (PxSloshingResult){0};
    PxWorld *world = NULL;
    Record record = {0};
    PxStatus status = make(def, &world);
    if (status == PX_OK)
        status = measure(world, def, &record, out);
    free(record.time);
    free(record.momentum);
    px_world_free(world);
    return status;
}
