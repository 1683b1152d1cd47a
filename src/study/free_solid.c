#include "study/free_solid.h"

#include "base/fail.h"
#include "base/vec.h"
#include "world/state.h"

#include <math.h>

PxFreeSolidDef px_free_solid_def_default(void)
{
    PxFreeSolidDef def = {.material = px_material_def_default(),
                          .size = {0.04, 0.03, 0.05},
                          .spacing = 0.01,
                          .strain = 0.1,
                          .seconds = 1,
                          .step = 5e-3,
                          .threads = 2};
    def.material.name = "rubber";
    def.material.young = 1e5;
    def.material.volume = 1e5;
    return def;
}

static PxStatus make(const PxFreeSolidDef *def, PxWorld **out)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = def->spacing;
    world.gravity = (PxVec3){0, 0, 0};
    world.max_step = def->step;
    world.threads = def->threads;
    PX_TRY(px_world_create(&world, out));
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &def->material, &body.material));
    body.name = "block";
    body.shape.size = def->size;
    body.velocity = def->velocity;
    body.spin = def->spin;
    return px_world_add_body(*out, &body, NULL);
}

static PxVec3 at(const PxWorld *world, uint32_t i)
{
    double x[3];
    for (int a = 0; a < 3; ++a)
        x[a] = (double)px_world_floats(world, "position", a)[i] +
               (double)px_world_floats(world, "position_low", a)[i];
    return px_vec(x[0], x[1], x[2]);
}

static PxVec3 middle_of(const PxWorld *world)
{
    PxVec3 sum = {0, 0, 0};
    uint32_t n = px_world_count(world);
    for (uint32_t i = 0; i < n; ++i)
        sum = px_add(sum, px_scale(at(world, i), 1.0 / n));
    return sum;
}

/* Gives it velocities that stretch it along its longest side, here z, and bend and twist it. */
static void push(const PxFreeSolidDef *def, PxWorld *world)
{
    PxTable *table = (PxTable *)px_world_particles(world); /* a study may push it */
    const PxColumn *velocity = px_table_find(table, "velocity");
    float *vx = velocity->data[0], *vy = velocity->data[1], *vz = velocity->data[2];
    double speed = def->strain * sqrt(def->material.young / def->material.density);
    double half = 0.5 * fmax(def->size.x, fmax(def->size.y, def->size.z));
    for (uint32_t i = 0; i < table->count; ++i) {
        PxVec3 x = px_scale(at(world, i), 1 / half);
        vx[i] += (float)(speed * (x.z * x.z - 1.0 / 3));
        vy[i] += (float)(speed * x.x * x.z);
        vz[i] += (float)(speed * (x.z + 0.5 * x.y));
    }
}

typedef struct Energies {
    double first, most; /* first value, and the largest difference from it */
    double early, late; /* means over the first and the last tenth of the time */
    double last;
} Energies;

static PxStatus watch(const PxFreeSolidDef *def, PxWorld *world, Energies *e)
{
    PxStats stats;
    double early = 0, late = 0; /* s */
    px_world_stats(world, &stats);
    e->first = stats.kinetic;
    while (stats.time < def->seconds) {
        double before = stats.time;
        PX_TRY(px_world_step(world, def->seconds));
        px_world_stats(world, &stats);
        e->last = stats.kinetic + stats.elastic;
        e->most = fmax(e->most, fabs(e->last - e->first));
        double dt = stats.time - before;
        if (before < 0.1 * def->seconds) {
            e->early += (e->last - e->early) * dt / (early + dt);
            early += dt;
        }
        if (before > 0.9 * def->seconds) {
            e->late += (e->last - e->late) * dt / (late + dt);
            late += dt;
        }
    }
    return PX_OK;
}

static PxStatus fly(const PxFreeSolidDef *def, PxWorld *world, PxFreeSolidResult *out)
{
    push(def, world);
    PxStats first, last;
    px_world_stats(world, &first);
    PxVec3 begin = middle_of(world);
    Energies e = {0};
    PX_TRY(watch(def, world, &e));
    px_world_stats(world, &last);
    double fastest = fmax(first.speed_max, last.speed_max), most = first.mass * fastest;
    PxVec3 way = px_scale(first.momentum, def->seconds / first.mass);
    *out = (PxFreeSolidResult){
        .linear = px_length(px_sub(last.momentum, first.momentum)) / most,
        .angular = px_length(px_sub(last.angular_momentum, first.angular_momentum)) /
                   (most * 0.5 * px_length(def->size)),
        .middle =
            px_length(px_sub(px_sub(middle_of(world), begin), way)) / (fastest * def->seconds),
        .energy = e.most / e.first,
        .drift = fabs(e.late - e.early) / e.first,
        .left = e.last / e.first,
        .unsolved = (double)last.not_converged};
    return PX_OK;
}

PxStatus px_free_solid(const PxFreeSolidDef *def, PxFreeSolidResult *out)
{
    PxWorld *world = NULL;
    PxStatus status = make(def, &world);
    if (status == PX_OK)
        status = fly(def, world, out);
    px_world_free(world);
    return status;
}
