#include "study/sloshing.h"

#include "base/fail.h"
#include "base/vec.h"
#include "fluid/pressure/implicit_pressure.h"

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

/* A level fill under gravity that leans along the tank: the water oscillates about the tilted
 * level. No particle has to be cut from its lattice. */
static PxStatus make(const PxSloshingDef *def, PxWorld **out)
{
    double lean = atan(2 * def->amplitude / def->length);
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
    return px_world_add_body(*out, &body, NULL);
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
    double k = PI / def->length, omega = sqrt(GRAVITY * k * tanh(k * def->depth)), decay = 0;
    double end = def->periods * 2 * PI / omega, sum = 0;
    PxStats stats;
    do {
        PX_TRY(px_world_step(world, end));
        px_world_stats(world, &stats);
        PX_TRY(add(record, stats.time, stats.momentum.x));
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
