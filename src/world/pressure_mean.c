#include "world/pressure_mean.h"

#include "world/world_parts.h"

#include <math.h>

/* Sums of an interval belong to the particle, so that particles made within it have their own
 * time. */
typedef struct Means {
    PxWorld *world;
    float *mean;     /* Pa, so far */
    float *variance; /* Pa^2, so far */
    float *time;     /* s, so far */
    float *spread;   /* Pa, of the last complete interval */
} Means;

static const struct {
    const char *name, *unit;
    uint32_t flags;
} columns[] = {
    {"pressure_mean", "Pa", PX_COLUMN_STATE},
    {"pressure_variance", "Pa^2", PX_COLUMN_STATE},
    {"pressure_time", "s", PX_COLUMN_STATE},
    {"pressure_spread", "Pa", PX_COLUMN_FRAME},
};

PxStatus px_pressure_mean_columns(PxWorld *world, const PxMaterialDef *def)
{
    PxTable *table = &world->particles.table;
    if (def->young > 0 && !def->melts.melts && !(def->diffusivity > 0))
        return PX_OK;
    for (size_t k = 0; k < PX_COUNT(columns); ++k)
        if (px_table_find(table, columns[k].name) == NULL)
            PX_TRY(px_table_add(table, columns[k].name, columns[k].unit, PX_F32, 1,
                                columns[k].flags, NULL));
    px_particles_refresh(&world->particles);
    return PX_OK;
}

/* False: the world has no such columns. */
static bool find(PxWorld *world, Means *out)
{
    float **const member[] = {&out->mean, &out->variance, &out->time, &out->spread};
    out->world = world;
    for (size_t k = 0; k < PX_COUNT(columns); ++k) {
        const PxColumn *column = px_table_find(&world->particles.table, columns[k].name);
        if (column == NULL)
            return false;
        *member[k] = column->data[0];
    }
    return true;
}

/* Mean and variance with weights, one value after the other (West 1979). */
static void add_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Means *m = user;
    const float *restrict pressure = m->world->particles.pressure;
    float *restrict mean = m->mean, *restrict variance = m->variance, *restrict time = m->time;
    float dt = (float)m->world->dt;
    for (uint32_t i = begin; i < end; ++i) {
        float all = time[i] + dt, part = dt / all, off = pressure[i] - mean[i];
        mean[i] += part * off;
        variance[i] = (1.0f - part) * (variance[i] + part * off * off);
        time[i] = all;
    }
}

void px_pressure_mean_add(PxWorld *world)
{
    Means m;
    if (find(world, &m))
        px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK, add_block, &m);
}

static void take_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Means *m = user;
    for (uint32_t i = begin; i < end; ++i) {
        m->world->particles.pressure[i] = m->mean[i]; /* 0 for a particle without a step */
        m->spread[i] = sqrtf(m->variance[i]);
        m->mean[i] = m->variance[i] = m->time[i] = 0;
    }
}

PxStatus px_world_take_means(PxWorld *world)
{
    PX_WANT(world);
    Means m;
    if (find(world, &m))
        px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK, take_block,
                        &m);
    return PX_OK;
}
