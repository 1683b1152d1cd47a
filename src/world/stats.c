/// Statistics of a world: sums over all particles, independent of threads and ranks.
#include "world/fracture_stage.h"
#include "world/cloth_stage.h"
#include "world/tear_stage.h"
#include "world/wet_stage.h"
#include "world/heat_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

enum { MASS, PX, PY, PZ, LX, LY, LZ, KINETIC, POTENTIAL, SUMS };

/* A first pass finds bounds on the terms, the second adds terms rounded so that every addition is
 * exact (base/sum.h). */
typedef struct Sums {
    const PxWorld *world;
    double magic[SUMS];
} Sums;

/* Maxima of mass, squared speed, squared distance from the origin, and temperature. */
enum { MOST_MASS, MOST_SPEED, MOST_DISTANCE, HOTTEST, MOSTS };

static void largest_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Sums *s = user;
    const PxParticles *p = &s->world->particles;
    float mass = 0, speed = 0, distance = 0, hottest = -INFINITY, coldest = INFINITY;
    for (uint32_t i = begin; i < end; ++i) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        float x2 = p->x[i] * p->x[i] + p->y[i] * p->y[i] + p->z[i] * p->z[i];
        mass = p->mass[i] > mass ? p->mass[i] : mass;
        speed = v2 > speed ? v2 : speed;
        distance = x2 > distance ? x2 : distance;
        hottest = p->temperature[i] > hottest ? p->temperature[i] : hottest;
        coldest = p->temperature[i] < coldest ? p->temperature[i] : coldest;
    }
    part->most[MOST_MASS] = (double)mass;
    part->most[MOST_SPEED] = (double)speed;
    part->most[MOST_DISTANCE] = (double)distance;
    part->most[HOTTEST] = (double)hottest;
    part->least[0] = (double)coldest;
}

static void sum_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Sums *s = user;
    const PxParticles *p = &s->world->particles;
    PxVec3 g = s->world->def.gravity;
    double sum[SUMS] = {0};
    for (uint32_t i = begin; i < end; ++i) {
        double m = (double)p->mass[i];
        PxVec3 x = {(double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                    (double)p->z[i] + (double)p->z_low[i]};
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        PxVec3 l = px_cross(x, v);
        sum[MASS] += px_sum_round(s->magic[MASS], m);
        sum[PX] += px_sum_round(s->magic[PX], m * v.x);
        sum[PY] += px_sum_round(s->magic[PY], m * v.y);
        sum[PZ] += px_sum_round(s->magic[PZ], m * v.z);
        sum[LX] += px_sum_round(s->magic[LX], m * l.x);
        sum[LY] += px_sum_round(s->magic[LY], m * l.y);
        sum[LZ] += px_sum_round(s->magic[LZ], m * l.z);
        sum[KINETIC] += px_sum_round(s->magic[KINETIC], 0.5 * m * px_dot(v, v));
        sum[POTENTIAL] += px_sum_round(s->magic[POTENTIAL], -m * px_dot(g, x));
    }
    memcpy(part->sum, sum, sizeof sum);
}

static void measure(PxWorld *world, PxStats *out)
{
    Sums s = {.world = world};
    PxRows rows = px_world_rows(world);
    PxPart most = {
        .maxima = MOSTS, .minima = 1, .most = {[HOTTEST] = -INFINITY}, .least = {INFINITY}};
    PxPart total = {.sums = SUMS};
    uint64_t all = px_reduce(&rows, largest_part, &s, &most);
    double speed = sqrt(most.most[MOST_SPEED]), distance = sqrt(most.most[MOST_DISTANCE]);
    /* A margin above the maxima, because the squares were rounded to float. */
    double m = most.most[MOST_MASS], v = speed * 1.001, x = distance * 1.001;
    const double bound[SUMS] = {[MASS] = m,
                                [PX] = m * v,
                                [PY] = m * v,
                                [PZ] = m * v,
                                [LX] = m * v * x,
                                [LY] = m * v * x,
                                [LZ] = m * v * x,
                                [KINETIC] = 0.5 * m * v * v,
                                [POTENTIAL] = m * x * px_length(world->def.gravity)};
    for (int k = 0; k < SUMS; ++k)
        s.magic[k] = px_sum_magic(bound[k], all);
    px_reduce(&rows, sum_part, &s, &total);
    const double *sum = total.sum;
#define PX_WORK_MEMBER(name) .work_##name = world->work[PX_WORK_##name],
    *out = (PxStats){PX_WORKS(PX_WORK_MEMBER).step = world->state.step,
                     .time = world->state.time,
                     .dt = world->dt,
                     .particles = all,
                     .neighbours = world->neighbours,
                     .speed_max = speed,
                     .mass = sum[MASS],
                     .kinetic = sum[KINETIC],
                     .potential = sum[POTENTIAL],
                     .elastic = world->elastic,
                     .heat = px_world_heat(world),
                     .heat_in = world->state.heat_in,
                     .temperature_min = all > 0 ? most.least[0] : 0,
                     .temperature_max = all > 0 ? most.most[HOTTEST] : 0,
                     .momentum = {sum[PX], sum[PY], sum[PZ]},
                     .angular_momentum = {sum[LX], sum[LY], sum[LZ]},
                     .density_error = world->density_error,
                     .density_error_max = world->density_error_max,
                     .solve_error = world->solve_error,
                     .tension_force = world->tension_force,
                     .pressure_force = world->pressure_force,
                     .iterations = world->iterations,
                     .viscosity_iterations = world->viscosity_iterations,
                     .heat_iterations = world->heat_iterations,
                     .not_converged = world->state.not_converged,
                     .caught = world->state.caught,
                     .leaked = world->state.leaked,
                     .emitted = px_emitters_made(world),
                     .removed = world->state.removed,
                     .mass_in = world->state.mass_in,
                     .mass_out = world->state.mass_out,
                     .held_back = (uint64_t)px_emitters_held_back(world),
                     .waiting = px_emitters_waiting(world),
                     .rigid_work_fields = world->rigid_work,
                     .cloth_work_fields = world->cloth_work};
#undef PX_WORK_MEMBER
    for (size_t k = 0; k < world->rigids.count; ++k) {
        const PxRigid *r = &world->rigids.data[k];
        PxVec3 w = px_rotate(px_quat_conjugate(px_quat_multiply(r->turn, r->mass.axes)), r->spin);
        PxVec3 i = r->mass.inertia;
        out->rigid_asleep += r->asleep;
        out->rigid_kinetic += 0.5 * r->mass.mass * px_dot(r->velocity, r->velocity) +
                              0.5 * (i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z);
        out->rigid_potential -= r->mass.mass * px_dot(world->def.gravity, r->place);
    }
    out->rigid_bodies = world->rigids.count;
    out->rigid_contacts = world->rigid_contacts;
    out->rigid_crossed = world->state.rigid_crossed;
    for (size_t k = 0; k < world->joints.count; ++k)
        out->joints_broken += world->joints.data[k].live && world->joints.data[k].joint.broken;
    out->rigid_overlap = world->rigid_overlap;
    PxClothTotals cloth;
    if (px_cloth_totals(world, &cloth) != PX_OK) /* no room: the sums are left out */
        cloth = (PxClothTotals){0};
    out->cloth_vertices = world->cloth_vertices.count;
    out->cloth_iterations = world->cloth_iterations;
    out->cloth_contacts = world->cloth_contacts;
    out->cloth_crossed = world->state.cloth_crossed;
    out->cloth_torn = px_tear_count(world);
    out->seams_ripped = px_seams_ripped(world);
    out->cloth_kinetic = cloth.kinetic;
    out->cloth_potential = cloth.potential;
    out->cloth_elastic = cloth.elastic;
    out->cloth_strain = cloth.strain;
    out->cloth_momentum = cloth.momentum;
    out->cloth_water = px_wet_total(world);
    out->fragments = world->state.fragments;
    out->rigid_fragments = world->state.rigid_fragments;
    out->cracks = world->crack[PX_CRACK_LIST].count;
    out->crack_fronts = px_fracture_fronts(world);
    out->crack_splits = world->state.crack_splits;
    out->crack_merges = world->state.crack_merges;
    out->crack_ends = world->state.crack_ends;
    out->resampled = world->state.resampled;
    out->crack_area = px_fracture_area(world);
}

void px_world_stats_sized(PxWorld *world, PxStats *out, size_t size)
{
    PxStats stats = {0};
    if (world != NULL && out != NULL)
        measure(world, &stats);
    px_result_put(out, size, 0, &stats, sizeof stats);
}
