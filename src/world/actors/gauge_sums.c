/// Gauges of bodies, walls, handles, heat and flux: sums over particles.
#include "world/actors/gauge.h"

#include "base/sum.h"
#include "world/cloth_stage.h"
#include "world/rigid_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* ---- bodies -------------------------------------------------------------------------------- */

enum {
    MASS,
    PLACE,                /* m x */
    MOMENTUM = PLACE + 3, /* m v */
    ANGULAR = MOMENTUM + 3,
    KINETIC = ANGULAR + 3,
    POTENTIAL,
    WARMTH,   /* m T */
    VOLUME,   /* at rest density */
    PRESSURE, /* V p */
    SUMS
};
enum { MOST_MASS, MOST_SPEED, MOST_PLACE, MOST_WARMTH, MOST_VOLUME, MOST_PRESSURE, MOSTS };

/* As in stats.c: a pass for bounds, and one for sums of values that are rounded accordingly. */
typedef struct Body {
    const PxWorld *world;
    uint32_t slot;
    double magic[SUMS];
} Body;

static double volume_of(const PxWorld *world, uint32_t i)
{
    const PxParticles *p = &world->particles;
    return (double)p->mass[i] / world->materials.data[p->material[i]].def.density;
}

static void bounds_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Body *b = user;
    const PxParticles *p = &b->world->particles;
    double most[MOSTS] = {0};
    for (uint32_t i = begin; i < end; ++i) {
        if (p->body[i] != b->slot)
            continue;
        PxVec3 x = px_particle_place(p, i);
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        const double value[MOSTS] = {[MOST_MASS] = (double)p->mass[i],
                                     [MOST_SPEED] = px_dot(v, v),
                                     [MOST_PLACE] = px_dot(x, x),
                                     [MOST_WARMTH] = fabs((double)p->temperature[i]),
                                     [MOST_VOLUME] = volume_of(b->world, i),
                                     [MOST_PRESSURE] = fabs((double)p->pressure[i])};
        for (int k = 0; k < MOSTS; ++k)
            most[k] = value[k] > most[k] ? value[k] : most[k];
    }
    memcpy(part->most, most, sizeof most);
}

static void sums_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Body *b = user;
    const PxParticles *p = &b->world->particles;
    PxVec3 g = b->world->def.gravity;
    double sum[SUMS] = {0};
    for (uint32_t i = begin; i < end; ++i) {
        if (p->body[i] != b->slot)
            continue;
        double m = (double)p->mass[i], volume = volume_of(b->world, i);
        PxVec3 x = px_particle_place(p, i);
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]}, l = px_cross(x, v);
        const double value[SUMS] = {[MASS] = m,
                                    [PLACE] = m * x.x,
                                    m * x.y,
                                    m * x.z,
                                    [MOMENTUM] = m * v.x,
                                    m * v.y,
                                    m * v.z,
                                    [ANGULAR] = m * l.x,
                                    m * l.y,
                                    m * l.z,
                                    [KINETIC] = 0.5 * m * px_dot(v, v),
                                    [POTENTIAL] = -m * px_dot(g, x),
                                    [WARMTH] = m * (double)p->temperature[i],
                                    [VOLUME] = volume,
                                    [PRESSURE] = volume * (double)p->pressure[i]};
        for (int k = 0; k < SUMS; ++k)
            sum[k] += px_sum_round(b->magic[k], value[k]);
    }
    memcpy(part->sum, sum, sizeof sum);
}

static void sum_body(const PxWorld *world, uint32_t slot, double sum[SUMS])
{
    Body b = {.world = world, .slot = slot};
    PxRows rows = px_world_rows(world);
    PxPart most = {.maxima = MOSTS}, total = {.sums = SUMS};
    uint64_t all = px_reduce(&rows, bounds_part, &b, &most);
    double m = most.most[MOST_MASS], v = 1.001 * sqrt(most.most[MOST_SPEED]);
    double x = 1.001 * sqrt(most.most[MOST_PLACE]), volume = most.most[MOST_VOLUME];
    const double bound[SUMS] = {[MASS] = m,
                                [PLACE] = m * x,
                                m * x,
                                m * x,
                                [MOMENTUM] = m * v,
                                m * v,
                                m * v,
                                [ANGULAR] = m * v * x,
                                m * v * x,
                                m * v * x,
                                [KINETIC] = 0.5 * m * v * v,
                                [POTENTIAL] = m * x * px_length(world->def.gravity),
                                [WARMTH] = m * most.most[MOST_WARMTH],
                                [VOLUME] = volume,
                                [PRESSURE] = volume * most.most[MOST_PRESSURE]};
    for (int k = 0; k < SUMS; ++k)
        b.magic[k] = px_sum_magic(1.001 * bound[k], all);
    px_reduce(&rows, sums_part, &b, &total);
    memcpy(sum, total.sum, SUMS * sizeof *sum);
}

/* Force and torque on a body that is not a wall: the change of its momentum in the step, less its
 * weight; the torque is about its centre of mass, on which weight has none. Particles that leave or
 * join the body change its momentum, too. */
static void change_of(const PxWorld *world, const PxGauge *gauge, const double sum[SUMS],
                      double *now)
{
    double *known = px_gauge_last(gauge), *last = known + 1;
    if (!(sum[MASS] > 0)) {
        *known = 0;
        return;
    }
    PxVec3 p = {sum[MOMENTUM], sum[MOMENTUM + 1], sum[MOMENTUM + 2]};
    PxVec3 middle = {sum[PLACE], sum[PLACE + 1], sum[PLACE + 2]};
    PxVec3 l = {sum[ANGULAR], sum[ANGULAR + 1], sum[ANGULAR + 2]};
    l = px_mad(l, px_cross(middle, p), -1 / sum[MASS]);
    PxVec3 weight = px_scale(world->def.gravity, sum[MASS]);
    const double value[6] = {p.x, p.y, p.z, l.x, l.y, l.z};
    const double less[6] = {weight.x, weight.y, weight.z, 0, 0, 0};
    for (int k = 0; k < 6; ++k) {
        if (*known > 0)
            now[k] = (value[k] - last[k]) / world->dt - less[k];
        last[k] = value[k];
    }
    *known = 1;
}

static bool is_cloth(const PxWorld *world, uint32_t slot)
{
    const uint32_t material = world->bodies.data[slot].def.material.slot;
    return material > 0 && world->materials.data[material - 1].def.cloth.cloth;
}

/* The same of cloth. Its vertices are not particles and have neither volume nor temperature. */
static PxStatus sum_cloth(PxWorld *world, uint32_t slot, double sum[SUMS], double *elastic)
{
    PxClothTotals t;
    PX_TRY(px_cloth_totals_of(world, slot, &t));
    const double value[SUMS] = {
        [MASS] = t.mass, [PLACE] = t.moment.x,      t.moment.y,
        t.moment.z,      [MOMENTUM] = t.momentum.x, t.momentum.y,
        t.momentum.z,    [ANGULAR] = t.angular.x,   t.angular.y,
        t.angular.z,     [KINETIC] = t.kinetic,     [POTENTIAL] = t.potential};
    memcpy(sum, value, sizeof value);
    *elastic = t.elastic;
    return PX_OK;
}

/* The same of a rigid body. */
static void sum_rigid(const PxWorld *world, const PxRigidState *r, double sum[SUMS])
{
    PxVec3 place = px_scale(r->place, r->mass), momentum = px_scale(r->velocity, r->mass);
    PxVec3 angular = px_add(r->angular_momentum, px_cross(place, r->velocity));
    double v = px_dot(r->velocity, momentum) + px_dot(r->spin, r->angular_momentum);
    const double value[SUMS] = {[MASS] = r->mass,
                                [PLACE] = place.x,
                                place.y,
                                place.z,
                                [MOMENTUM] = momentum.x,
                                momentum.y,
                                momentum.z,
                                [ANGULAR] = angular.x,
                                angular.y,
                                angular.z,
                                [KINETIC] = 0.5 * v,
                                [POTENTIAL] = -px_dot(place, world->def.gravity)};
    memcpy(sum, value, sizeof value);
}

static void measure_body(PxWorld *world, const PxGauge *gauge, double *now)
{
    double sum[SUMS], elastic = 0;
    uint32_t slot = gauge->def.body.slot - 1;
    PxRigidState rigid;
    bool cloth = is_cloth(world, slot), hard = px_rigid_find(world, slot) != NULL;
    if (hard && px_world_rigid_state(world, gauge->def.body, &rigid) == PX_OK)
        sum_rigid(world, &rigid, sum);
    else if (!cloth)
        sum_body(world, slot, sum);
    else if (sum_cloth(world, slot, sum, &elastic) != PX_OK)
        return; /* no memory: 0 */
    switch (gauge->def.measures) {
    case PX_GAUGE_FORCE:
        change_of(world, gauge, sum, now);
        return;
    case PX_GAUGE_ENERGY:
        now[0] = sum[KINETIC];
        now[1] = sum[POTENTIAL];
        now[2] = hard ? 0 : cloth ? elastic : world->gauging->elastic[slot];
        return;
    case PX_GAUGE_MOMENTUM:
        memcpy(now, sum + MOMENTUM, 6 * sizeof *now);
        return;
    case PX_GAUGE_VELOCITY:
        for (int k = 0; k < 3 && sum[MASS] > 0; ++k)
            now[k] = sum[MOMENTUM + k] / sum[MASS];
        return;
    case PX_GAUGE_TEMPERATURE:
        now[0] = sum[MASS] > 0 && !cloth ? sum[WARMTH] / sum[MASS] : NAN;
        return;
    case PX_GAUGE_PRESSURE:
        now[0] = sum[VOLUME] > 0 ? sum[PRESSURE] / sum[VOLUME] : NAN;
        return;
    case PX_GAUGE_LEVEL:
    case PX_GAUGE_FLUX:
    case PX_GAUGE_HEAT:
        return;
    }
}

/* ---- flux ---------------------------------------------------------------------------------- */

typedef struct Flux {
    const PxWorld *world;
    const PxGauge *gauge;
    PxVec3 axis[3];
} Flux;

/* Part of an interval of one spacing around x that lies beyond 0. */
static double passed(double x, double s)
{
    double part = x / s + 0.5;
    return part < 0 ? 0 : part < 1 ? part : 1;
}

/* Part of an interval of one spacing around x that lies within half of `size` of 0. */
static double within(double x, double size, double s)
{
    return passed(x + 0.5 * size, s) - passed(x - 0.5 * size, s);
}

/* A particle is a cube of one spacing that passes the plane gradually: the flux of a lattice is
 * steady, and the sum over time is exactly the mass that passed. */
static void flux_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const Flux *f = user;
    const PxWorld *world = f->world;
    const PxParticles *p = &world->particles;
    const PxGaugeDef *def = &f->gauge->def;
    float *const *before = world->gauging->before;
    double s = world->def.spacing;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 from = {(double)before[0][i], (double)before[1][i], (double)before[2][i]};
        PxVec3 to = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
        from = px_sub(from, def->at);
        to = px_sub(to, def->at);
        double part = passed(px_dot(to, f->axis[2]), s) - passed(px_dot(from, f->axis[2]), s);
        if (part == 0 || (def->body.slot != 0 && p->body[i] != def->body.slot - 1))
            continue;
        PxVec3 middle = px_scale(px_add(from, to), 0.5);
        part *= within(px_dot(middle, f->axis[0]), def->width, s) *
                within(px_dot(middle, f->axis[1]), def->height, s);
        if (part == 0)
            continue;
        px_sum_add(&sums[0], part * volume_of(world, i));
        px_sum_add(&sums[1], part * (double)p->mass[i]);
    }
}

static void measure_flux(const PxWorld *world, const PxGauge *gauge, double *now)
{
    Flux f = {.world = world, .gauge = gauge};
    PxRows rows = px_world_rows(world);
    PxSum sums[2];
    px_gauge_axes(&gauge->def, gauge->up, f.axis);
    px_reduce_exact(&rows, 2, flux_rows, &f, sums);
    for (int k = 0; k < 2; ++k)
        now[k] = px_sum_value(&sums[k]) / world->dt;
}

/* ---- the elastic stage --------------------------------------------------------------------- */

/* Forces on held rows: the elastic stage gives them no acceleration, so it is computed here with
 * their masses. What the matter exerts on the handle is the elastic force on these rows and their
 * weight, less what changes their own momentum. */
void px_gauges_feel(PxWorld *world, PxSolid *solid)
{
    PxGaugeStep *g = world->gauging;
    if (g == NULL || (g->elastic == NULL && g->force == NULL))
        return;
    PX_STAGE(&world->profile, "gauges")
    {
        PxSolid s = *solid;
        const PxParticles *p = s.particles;
        for (uint32_t i = 0; i < s.count; ++i)
            if (s.columns.handle[i] != 0)
                s.inverse_mass[i] = 1.0f / p->mass[i];
        px_solid_forces(&s, true);
        for (size_t body = 0; body < world->bodies.count && g->elastic != NULL; ++body) {
            PxSum sum = {0};
            for (uint32_t i = 0; i < s.count; ++i)
                if (p->body[i] == body)
                    px_sum_add(&sum, (double)s.energy[i]);
            g->elastic[body] = px_sum_value(&sum);
        }
        for (size_t h = 0; h < world->handles.count && g->force != NULL; ++h) {
            PxSum sum[6];
            memset(sum, 0, sizeof sum);
            PxHandleGrip start = px_handle_grip(world, (uint32_t)h, world->state.time);
            PxHandleGrip end = px_handle_grip(world, (uint32_t)h, world->state.time + world->dt);
            for (uint32_t i = 0; i < s.count; ++i) {
                if (s.columns.handle[i] != h + 1)
                    continue;
                const float *a = s.a + 4 * (size_t)i, *b = s.pull + 4 * (size_t)i;
                PxVec3 hold = {(double)s.columns.hold[0][i], (double)s.columns.hold[1][i],
                               (double)s.columns.hold[2][i]};
                PxVec3 x, from, to,
                    pull =
                        px_vec((double)(a[0] - b[0]), (double)(a[1] - b[1]), (double)(a[2] - b[2]));
                px_handle_place(&start, hold, &x, &from);
                px_handle_place(&end, hold, &x, &to);
                pull = px_mat3_apply(s.frame[s.frame_of[i]].turn, pull);
                pull = px_add(pull, world->def.gravity);
                pull = px_mad(pull, px_sub(to, from), -1 / world->dt);
                PxVec3 force = px_scale(pull, (double)p->mass[i]), torque = px_cross(x, force);
                const double value[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
                for (int k = 0; k < 6; ++k)
                    px_sum_add(&sum[k], value[k]);
            }
            g->force[h] =
                px_vec(px_sum_value(&sum[0]), px_sum_value(&sum[1]), px_sum_value(&sum[2]));
            g->torque[h] =
                px_vec(px_sum_value(&sum[3]), px_sum_value(&sum[4]), px_sum_value(&sum[5]));
        }
        for (uint32_t i = 0; i < s.count; ++i)
            if (s.columns.handle[i] != 0)
                s.inverse_mass[i] = 0.0f;
    }
}

void px_gauges_pull(const PxWorld *world, uint32_t handle, PxVec3 place, PxVec3 force)
{
    PxGaugeStep *g = world->gauging;
    if (g == NULL || g->force == NULL)
        return;
    g->force[handle] = px_add(g->force[handle], force);
    g->torque[handle] = px_add(g->torque[handle], px_cross(place, force));
}

/* ---- heat ---------------------------------------------------------------------------------- */

bool px_gauges_want_heat(const PxWorld *world)
{
    return world->gauging != NULL && world->gauging->wall_heat != NULL;
}

double *px_gauges_heater(const PxWorld *world, size_t slot)
{
    return px_gauges_want_heat(world) ? &world->gauging->heater_heat[slot] : NULL;
}

void px_gauges_heat(PxWorld *world, const PxFluid *fluid, const double *walls, const double *held)
{
    for (size_t k = 0; k < world->boundaries.count && fluid->wall_heat != NULL; ++k) {
        PxSum sum = {0};
        px_fluid_heat_of_boundary(fluid, (uint32_t)k, walls, &sum);
        world->gauging->wall_heat[world->boundaries.data[k]->body] += px_sum_value(&sum);
    }
    px_heaters_share(world, held);
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Does the id still belong to a thing in that list? */
#define IS_THERE(list, id)                                                                         \
    ((id).slot > 0 && (id).slot <= (list)->count && (list)->data[(id).slot - 1].live &&            \
     (list)->data[(id).slot - 1].generation == (id).generation)

static void put(double *now, PxVec3 force, PxVec3 torque)
{
    const double value[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    memcpy(now, value, sizeof value);
}

static void measure(PxWorld *world, const PxGauge *gauge, double *now)
{
    const PxGaugeDef *def = &gauge->def;
    const PxGaugeStep *g = world->gauging;
    bool body = IS_THERE(&world->bodies, def->body);
    if (def->measures == PX_GAUGE_FLUX && (body || def->body.slot == 0))
        measure_flux(world, gauge, now);
    if (def->place != PX_GAUGE_WHOLE)
        return;
    if (IS_THERE(&world->handles, def->handle))
        put(now, g->force[def->handle.slot - 1], g->torque[def->handle.slot - 1]);
    if (IS_THERE(&world->heaters, def->heater))
        now[0] = g->heater_heat[def->heater.slot - 1] / world->dt;
    if (!body)
        return;
    bool boundary = px_body_is_boundary(&world->bodies.data[def->body.slot - 1].def);
    if (def->measures == PX_GAUGE_HEAT) {
        now[0] = g->wall_heat[def->body.slot - 1] / world->dt;
    } else if (!boundary || def->measures != PX_GAUGE_FORCE) {
        measure_body(world, gauge, now);
    } else {
        PxVec3 force, torque;
        if (px_world_boundary_force(world, def->body, &force, &torque) == PX_OK)
            put(now, force, torque);
    }
}

void px_gauges_add_up(PxWorld *world)
{
    for (size_t k = 0; k < world->gauges.count; ++k)
        if (world->gauges.data[k].live)
            measure(world, &world->gauges.data[k], world->gauging->now[k]);
}
