/// The step of a world: events, neighbours, boundaries, density, forces, motion, sinks, emitters.
#include "base/stop.h"
#include "contact/defence.h"
#include "contact/spheres.h"
#include "coupling/exchange.h"
#include "fluid/force_size.h"
#include "fluid/yield.h"
#include "world/boundary_stage.h"
#include "world/cloth_stage.h"
#include "world/fracture_stage.h"
#include "world/heat_stage.h"
#include "world/no_room.h"
#include "world/elastic_stage.h"
#include "world/energy.h"
#include "world/pressure_mean.h"
#include "world/rigid_stage.h"
#include "world/sheet_stage.h"
#include "world/time_step.h"
#include "world/undo.h"
#include "world/wet_stage.h"
#include "world/tear_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* ---- stages ------------------------------------------------------------- */

/* Sorts the particles by (cell, id) and lists their neighbours. */
static PxStatus find_neighbours(PxWorld *world)
{
    PxParticles *p = &world->particles;
    uint32_t n = p->table.count;
    float reach = (float)(world->def.support * world->def.spacing);
    PxGridPoints points = {p->x, p->y, p->z, n};
    PxGridFrame frame = px_grid_frame((double)reach, &points, 1, &world->threads, &world->dist);
    PxArenaMark mark = px_arena_mark(&world->scratch);
    uint32_t *order = PX_ARENA_ARRAY(&world->scratch, uint32_t, n);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "neighbours: no room to sort %u particles", n);
    PX_TRY(px_stop_check(&world->threads));
    PX_STAGE(&world->profile, "sort")
    {
        PX_TRY(px_grid_sort(&world->grid, &frame, points, p->id, order, &world->scratch,
                            &world->threads));
        PX_TRY(px_table_permute(&p->table, order, &world->threads));
        px_particles_refresh(p);
    }
    px_arena_release(&world->scratch, mark);
    points = (PxGridPoints){p->x, p->y, p->z, n};
    PX_TRY(px_stop_check(&world->threads));
    PX_STAGE(&world->profile, "neighbours")
    {
        PX_TRY(px_pairs_build(&world->pairs, &world->grid, points, &world->grid, points, reach,
                              world->isa, &world->threads));
    }
    PxCoupling coupling = px_world_coupling(world);
    PX_TRY(px_exchange_isolate(&coupling, &world->pairs));
    world->neighbours = n > 0 ? (double)world->pairs.total / n : 0;
    return px_fractions_compute(p, world->materials.data, &world->scratch, &world->threads,
                                &world->fractions);
}

typedef struct Motion {
    PxWorld *world;
    const PxFluid *fluid;
    const PxEnergy *energy;
    float dt;
    PxVec3 gravity;
} Motion;

static void gravity_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Motion *m = user;
    PxParticles *p = &m->world->particles;
    float gx = (float)m->gravity.x, gy = (float)m->gravity.y, gz = (float)m->gravity.z;
    for (uint32_t i = begin; i < end; ++i) {
        p->ax[i] = gx;
        p->ay[i] = gy;
        p->az[i] = gz;
    }
}

/* Symplectic Euler: v += a dt, x += v dt (004 Eqs. 2.46, 2.47). Positions are two floats: `low`
 * keeps the rounding error of the addition (Kahan 1965), so that slow motion far from the origin is
 * not lost. */
static void move_axis(float *restrict x, float *restrict low, float *restrict v,
                      const float *restrict a, const float *restrict shift, float dt,
                      uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        v[i] += a[i] * dt;
        float way = (v[i] + (shift != NULL ? shift[i] : 0.0f)) * dt + low[i];
        float moved = x[i] + way;
        low[i] = way - (moved - x[i]);
        x[i] = moved;
    }
}

static bool is_possible(const PxParticles *p, uint32_t i)
{
    float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
    return isfinite(p->x[i]) && isfinite(p->y[i]) && isfinite(p->z[i]) &&
           v2 < PX_FASTEST * PX_FASTEST;
}

/* Moves rows and reports the lowest id of a particle whose position is not finite or whose speed is
 * impossible. */
static void move_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Motion *m = user;
    PxParticles *p = &m->world->particles;
    px_energy_before(m->energy, m->fluid, begin, end, part);
    move_axis(p->x, p->x_low, p->vx, p->ax, m->fluid->shift[0], m->dt, begin, end);
    move_axis(p->y, p->y_low, p->vy, p->ay, m->fluid->shift[1], m->dt, begin, end);
    move_axis(p->z, p->z_low, p->vz, p->az, m->fluid->shift[2], m->dt, begin, end);
    px_energy_after(m->energy, m->fluid, begin, end, part);
    float sum = 0, most = 0; /* 0 times NaN or infinity is NaN, and so is the sum */
    for (uint32_t i = begin; i < end; ++i) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        sum += 0.0f * p->x[i] + 0.0f * p->y[i] + 0.0f * p->z[i];
        most = v2 > most ? v2 : most;
    }
    if (sum == 0.0f && most < PX_FASTEST * PX_FASTEST)
        return;
    for (uint32_t i = begin; i < end; ++i)
        if (!is_possible(p, i))
            px_part_id(part, p->id[i]);
}

/* Error for a particle whose position is no longer finite, with the stage that caused it. */
static PxStatus not_finite(const PxWorld *world, uint64_t id)
{
    const PxParticles *p = &world->particles;
    uint32_t i = 0;
    while (i < p->table.count && p->id[i] != id)
        ++i;
    if (i == p->table.count)
        return px_fail(PX_ERR_NUMERIC, "particle %llu is lost", (unsigned long long)id);
    const char *stage = !isfinite(p->density[i])    ? "density"
                        : !isfinite(p->pressure[i]) ? "pressure"
                        : !isfinite(p->ax[i]) || !isfinite(p->ay[i]) || !isfinite(p->az[i])
                            ? "forces"
                            : "motion";
    return px_fail(PX_ERR_NUMERIC,
                   "particle %llu of body '%s' %s in the %s stage of step %llu, t = %g s; a "
                   "smaller \"courant\" or \"max_step\" may help",
                   (unsigned long long)id, world->bodies.data[p->body[i]].name,
                   isfinite(p->x[i] + p->y[i] + p->z[i]) ? "became faster than light"
                                                         : "stopped being finite",
                   stage, (unsigned long long)world->state.step + 1, world->state.time);
}

typedef struct Compression {
    const PxWorld *world;
    const float *own_compression; /* PxFluid.own_compression; NULL: none */
    double magic;                 /* for px_sum_round() */
    bool wet;                     /* cloth takes mass of particles, which keep their volume */
} Compression;

/* Upper bound of a particle's compression in the mean. */
#define MOST_COMPRESSION 16.0f

static void compression_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Compression *job = user;
    const PxParticles *p = &job->world->particles;
    const PxMaterial *material = job->world->materials.data;
    double sum = 0;
    float most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float over = p->density[i] / (float)material[p->material[i]].def.density - 1.0f;
        float whole = (float)material[p->material[i]].particle_mass;
        if (job->wet && !(material[p->material[i]].def.young > 0) && p->mass[i] > 0.0f)
            over = (1.0f + over) * (whole / p->mass[i]) - 1.0f;
        if (job->own_compression != NULL)
            over -= job->own_compression[i];
        over = over > 0.0f ? over : 0.0f;
        most = over > most ? over : most;
        over = over < MOST_COMPRESSION ? over : MOST_COMPRESSION;
        sum += px_sum_round(job->magic, (double)over);
    }
    part->sum[0] = sum;
    part->most[0] = (double)most;
}

static void measure_compression(PxWorld *world, const PxFluid *fluid)
{
    PxRows rows = px_fluid_rows(fluid);
    PxPart total = {.sums = 1, .maxima = 1};
    uint64_t all = px_reduce_count(&rows);
    Compression job = {.world = world,
                       .own_compression = fluid->own_compression,
                       .magic = px_sum_magic((double)MOST_COMPRESSION, all),
                       .wet = px_wet_is_on(world)};
    px_reduce(&rows, compression_part, &job, &total);
    world->density_error = all > 0 ? 100 * total.sum[0] / (double)all : 0;
    world->density_error_max = 100 * total.most[0];
}

/* Adds the reaction of solids to the accelerations. */
static PxStatus push_solids(PxWorld *world, PxFluid *fluid)
{
    PxCoupling coupling = px_world_coupling(world);
    if (fluid->solid_fraction == NULL)
        return PX_OK;
    PX_STAGE(&world->profile, "solid density")
    px_exchange_push(&coupling, fluid);
    PX_STAGE(&world->profile, "measure")
    PX_TRY(px_work_mark(fluid, PX_WORK_elastic));
    return PX_OK;
}

static PxStatus forces(PxWorld *world, PxFluid *fluid, const PxPressureModel *model)
{
    PxCoupling coupling = px_world_coupling(world);
    Motion m = {.world = world, .gravity = world->def.gravity};
    PX_TRY(px_stop_check(&world->threads));
    PX_TRY(px_fluid_begin(fluid));
    PxPairsParted parted, sides = {.rows = 0};
    PX_STAGE(&world->profile, "solid density")
    PX_TRY(px_exchange_part(&coupling, &world->fractions, &world->pairs, &parted));
    PxSheets *sheets = px_sheet_stage_sheets(world);
    PX_STAGE(&world->profile, "sides of sheets")
    {
        if (sheets != NULL)
            PX_TRY(px_sheets_part(sheets, &world->pairs, px_fluid_visible(fluid), fluid->scratch,
                                  fluid->isa, fluid->threads, &sides));
    }
    PX_STAGE(&world->profile, "walls")
    {
        px_parallel_for(&world->threads, fluid->count, 4 * PX_BLOCK, gravity_block, &m);
        PX_TRY(px_fluid_boundaries(fluid));
        PX_TRY(px_exchange_begin(&coupling, &world->fractions, fluid));
    }
    if (px_force_fields_act(world)) {
        PX_STAGE(&world->profile, "fields")
        {
            px_force_fields_apply(world);
            PX_TRY(px_work_mark(fluid, PX_WORK_fields));
        }
    }
    PX_TRY(px_stop_check(&world->threads));
    PX_STAGE(&world->profile, "density")
    {
        px_fluid_density(fluid);
        px_exchange_density(&world->elastic_set, &coupling, fluid);
    }
    fluid->melted = px_world_melt_rows(world, 0, fluid->count);
    PX_STAGE(&world->profile, "cohesion")
    {
        px_fluid_cohesion(fluid);
        if (isfinite(px_fluid_cohesion_limit(fluid)))
            PX_TRY(px_work_mark(fluid, PX_WORK_cohesion));
    }
    bool tension = px_fluid_has_tension(fluid);
    PxForceSize size;
    if (tension) {
        PX_STAGE(&world->profile, "measure")
        PX_TRY(px_force_size_begin(fluid, &size));
        PX_STAGE(&world->profile, "tension")
        PX_TRY(px_fluid_tension(fluid));
        PX_STAGE(&world->profile, "measure")
        {
            PX_TRY(px_work_mark(fluid, PX_WORK_tension));
            world->tension_force = px_force_size(fluid, &size);
        }
    }
    PX_TRY(px_stop_check(&world->threads));
    bool late = px_fluid_is_stiff(fluid);
    if (!late)
        PX_TRY(push_solids(world, fluid));
    PX_STAGE(&world->profile, "viscosity") /* last of all but pressure: see PxViscosityModel */
    PX_TRY(px_fluid_viscosity(fluid));
    PX_STAGE(&world->profile, "measure")
    {
        if (px_fluid_is_viscous(fluid))
            PX_TRY(px_work_mark(fluid, PX_WORK_viscosity));
    }
    PX_STAGE(&world->profile, "emitters")
    {
        px_emitters_hold(world, fluid->inverse_mass);
        if (world->emitters.count > 0)
            PX_TRY(px_work_mark(fluid, PX_WORK_emitters));
    }
    if (tension) {
        PX_STAGE(&world->profile, "measure")
        px_force_size(fluid, &size); /* starts the measurement of the pressure force */
    }
    if (late)
        PX_TRY(push_solids(world, fluid));
    PX_STAGE(&world->profile, "solid density")
    PX_TRY(px_exchange_own_density(&world->elastic_set, &coupling, fluid));
    PX_TRY(px_sheet_stage_pressure(world, fluid, model));
    PX_TRY(px_stop_check(&world->threads)); /* a solve that was stopped is incomplete */
    bool emitters = world->emitters.count > 0, solids = fluid->solid_fraction != NULL;
    fluid->work->last = solids ? PX_WORK_elastic : emitters ? PX_WORK_emitters : PX_WORK_pressure;
    PX_STAGE(&world->profile, "measure")
    {
        if (emitters || solids)
            PX_TRY(px_work_mark(fluid, PX_WORK_pressure));
    }
    PX_STAGE(&world->profile, "walls")
    px_fluid_give_impulses(fluid);
    PX_STAGE(&world->profile, "sheets")
    {
        if (sheets != NULL)
            PX_TRY(px_sheets_rub(sheets, fluid));
    }
    PX_STAGE(&world->profile, "measure")
    {
        if (tension)
            world->pressure_force = px_force_size(fluid, &size);
        measure_compression(world, fluid);
        PX_TRY(px_no_room_in_vessel(world));
    }
    PX_STAGE(&world->profile, "emitters")
    px_emitters_hold(world, fluid->inverse_mass);
    PX_STAGE(&world->profile, "measure")
    {
        if (emitters && solids)
            PX_TRY(px_work_mark(fluid, PX_WORK_emitters));
    }
    px_exchange_end(&coupling, fluid);
    px_pairs_unite(&world->pairs, &sides);
    px_pairs_unite(&world->pairs, &parted);
    world->iterations = fluid->iterations;
    world->solve_error = fluid->solve_error;
    world->state.divergence = fluid->divergence;
    world->viscosity_iterations = fluid->viscosity_iterations;
    world->state.not_converged += !(fluid->converged && fluid->viscosity_converged);
    return PX_OK;
}

/* The sum of all ranks' numbers of rows. */
static uint64_t count_ranks(const PxWorld *world, uint64_t count)
{
    return px_reduce_count(&(PxRows){.dist = &world->dist, .count = (uint32_t)count});
}

/* Returns the work of walls that stop particles as spheres, J. */
static double stop_spheres(PxWorld *world, PxWatch *watch)
{
    const PxWallsDef *walls = &world->def.walls;
    PxSpheres spheres = {.radius = walls->radius * world->def.spacing,
                         .restitution = walls->restitution,
                         .friction = walls->friction,
                         .dt = world->dt,
                         .gravity = world->def.gravity,
                         .material = world->materials.data,
                         .dist = &world->dist};
    px_spheres_stop(&world->particles, watch, &world->threads, &spheres);
    return spheres.work;
}

/* Moves all rows by the forces on them; elastic rows are then moved in sub-steps instead, from
 * their positions at the start of the step. Last, the defence stops particles at walls. */
static PxStatus move(PxWorld *world, const PxFluid *fluid, PxEnergy *energy)
{
    PxCoupling coupling = px_world_coupling(world);
    Motion m = {.world = world, .fluid = fluid, .energy = energy, .dt = (float)world->dt};
    PxWatch watch;
    PX_STAGE(&world->profile, "rigid fit")
    PX_TRY(px_elastic_set_gather(&world->elastic_set, &coupling));
    if (!world->flows) {
        PxForceFieldWork work = {.count = 0};
        if (px_force_fields_act(world))
            PX_STAGE(&world->profile, "fields")
        PX_TRY(px_force_fields_begin(world, &work));
        world->field_work = work.count > 0 ? &work : NULL;
        PxStatus status = px_elastic_stage_move(world, NULL);
        world->field_work = NULL;
        PX_TRY(status);
        PX_STAGE(&world->profile, "measure")
        {
            px_energy_stage(energy, world, PX_WORK_elastic);
            double done = px_force_fields_done(world, &work);
            px_energy_add(energy, PX_WORK_fields, done);
            px_energy_add(energy, PX_WORK_elastic, -done);
        }
        return PX_OK;
    }
    PX_STAGE(&world->profile, "defence")
    PX_TRY(px_watch_begin(&watch, &world->particles, world->boundaries.data,
                          world->boundaries.count, fluid->wall_far, world->def.spacing,
                          &world->scratch, &world->threads));
    PxRows rows = {&world->threads, &world->dist, fluid->count, PX_BLOCK};
    PxPart moved = {.sums = 0};
    PX_STAGE(&world->profile, "measure")
    moved.sums = px_energy_move(energy, world, fluid);
    PX_STAGE(&world->profile, "move")
    px_reduce(&rows, move_part, &m, &moved);
    if (moved.id != 0)
        return not_finite(world, moved.id);
    px_energy_moved(energy, &moved);
    PX_TRY(px_elastic_stage_move(world, fluid));
    PX_STAGE(&world->profile, "measure")
    {
        if (world->elastic_set.row.count > 0)
            px_energy_stage(energy, world, PX_WORK_elastic);
    }
    PX_STAGE(&world->profile, "defence")
    {
        PxDefenceWork work = {.gravity = world->def.gravity, .dist = &world->dist};
        if (world->def.walls.response == PX_WALLS_SPHERES)
            px_energy_add(energy, PX_WORK_defence, stop_spheres(world, &watch));
        world->state.caught +=
            count_ranks(world, px_defend(&world->particles, &watch, &world->threads, &work));
        px_energy_add(energy, PX_WORK_defence, work.work);
        uint64_t leaked = px_watch_leaked(&watch, &world->threads);
        world->state.leaked += count_ranks(world, leaked);
        if (leaked > 0)
            PX_TRY(px_no_room_for_particle(world, watch.leaked_id));
    }
    return PX_OK;
}

static void mass_values(const void *user, uint32_t begin, uint32_t end, double *value)
{
    const PxParticles *p = user;
    for (uint32_t i = begin; i < end; ++i)
        value[i - begin] = (double)p->mass[i];
}

/* Does some rank have particles? All ranks go through the stages of a step, or none does. */
static bool any_rows(const PxWorld *world)
{
    PxRows rows = px_world_rows(world);
    return px_reduce_count(&rows) > 0;
}

/* Number and mass of the particles of all ranks. */
static uint64_t count_all(const PxWorld *world, double *mass)
{
    PxRows rows = px_world_rows(world);
    *mass = px_reduce_sum(&rows, mass_values, &world->particles);
    return px_reduce_count(&rows);
}

/* Settling before the first step: moves particles of fillings apart where walls cut the lattice.
 * Particles that find no place are removed. */
static PxStatus settle(PxWorld *world, PxFluid *fluid)
{
    bool done = false;
    double mass, mass_after;
    uint64_t count = count_all(world, &mass);
    PxCoupling coupling = px_world_coupling(world);
    Motion m = {.world = world};
    PX_STAGE(&world->profile, "settle")
    for (int round = 0; !done; ++round) {
        PX_TRY(find_neighbours(world));
        PX_TRY(px_fluid_begin(fluid));
        PX_TRY(px_stop_check(&world->threads));
        px_parallel_for(&world->threads, fluid->count, 4 * PX_BLOCK, gravity_block, &m);
        PX_TRY(px_fluid_boundaries(fluid));
        PX_TRY(px_exchange_begin(&coupling, &world->fractions, fluid));
        px_fluid_density(fluid);
        PX_TRY(px_fluid_settle(fluid, round, &done));
        world->flow_rows = fluid->count;
        PX_TRY(px_arena_reset(&world->scratch));
    }
    uint64_t left = count_all(world, &mass_after);
    if (left < count) {
        world->state.removed += count - left;
        world->state.mass_out += mass - mass_after;
    }
    return PX_OK;
}

/* The step after its preparations, to `target` at most. */
static PxStatus act(PxWorld *world, double target, PxUndo *undo)
{
    PxFluid fluid = {.particles = &world->particles,
                     .count = world->flow_rows,
                     .pairs = &world->pairs,
                     .grid = &world->grid,
                     .kernel =
                         px_kernel(world->def.support * world->def.spacing, world->def.spacing),
                     .spacing = world->def.spacing,
                     .emits = px_emitters_started(world),
                     .carries = world->rigids.count > 0,
                     .carries_meshes = px_rigid_stage_meshes(world),
                     .courant = world->def.courant,
                     .material = world->materials.data,
                     .materials = (uint32_t)world->materials.count,
                     .boundary = world->boundaries.data,
                     .boundaries = world->boundaries.count,
                     .wall_profile = &world->wall_profile,
                     .mac_store = world->mac_store,
                     .up = px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 0, 0)),
                     .scratch = &world->scratch,
                     .threads = &world->threads,
                     .dist = &world->dist,
                     .isa = world->isa};
    if (px_emitters_start_now(world) || px_force_fields_start_now(world))
        world->state.bound_due = 1;
    bool wake = world->state.bound_due != 0;
    px_world_melt_range(world);
    px_time_step_speeds(world, &fluid);
    if (world->state.bound_due)
        world->state.top_speed = fmax(world->state.top_speed, px_world_speed_bound(world));
    if (world->state.bound_due) /* unknown after a change of the world: assume the worst */
        world->state.divergence = 1e30;
    world->state.bound_due = 0;
    /* A few drops of a splash may be faster than top_speed. Raising the stiffness for them would
     * shorten every later step; the time step respects their speed anyway. */
    fluid.divergence = world->state.divergence;
    fluid.top_speed = fmax(world->state.top_speed, px_fluid_tension_speed(&fluid));
    const PxPressureModel *model = px_pressure_find(px_world_share_models(world), world->isa);

    bool last = false;
    PX_TRY(px_time_step_choose(world, &fluid, model, target, &last));
    fluid.dt = world->dt;
    px_boundaries_begin(world);
    px_world_heat_begin(world);
    px_emitters_shut(world);
    if (world->flows && world->state.step == 0 && world->walls.count > 0 && any_rows(world)) {
        PX_TRY(px_undo_keep_all(world, undo));
        PX_TRY(settle(world, &fluid)); /* resets scratch */
    }
    PX_TRY(px_emitters_reserve(world));
    bool flow = world->flows && any_rows(world);
    world->sheets = NULL;
    PX_TRY(px_wet_stage_begin(world));
    if (flow) {
        PX_TRY(find_neighbours(world));
        PX_STAGE(&world->profile, "near sheets")
        PX_TRY(px_sheet_stage_begin(world, &fluid));
    }
    PX_STAGE(&world->profile, "undo")
    PX_TRY(px_undo_keep(world, undo));
    PxEnergy energy;
    PX_STAGE(&world->profile, "measure")
    px_energy_begin(&energy, world, &fluid);
    PX_TRY(px_gauges_begin(world));
    if (flow) {
        PX_STAGE(&world->profile, "rest shapes")
        PX_TRY(px_elastic_stage_rest_shapes(world));
        PX_TRY(forces(world, &fluid, model));
        PX_STAGE(&world->profile, "measure")
        px_pressure_mean_add(world);
    }
    PX_STAGE(&world->profile, "heat")
    PX_TRY(px_world_heat_step(world, &fluid));
    PX_TRY(px_stop_check(&world->threads)); /* a solve that was stopped is incomplete */
    PX_TRY(px_gauges_sense(world));
    PX_STAGE(&world->profile, "rigid bodies")
    PX_TRY(px_rigid_stage_move(world, flow ? &fluid : NULL, wake));
    PX_TRY(px_sheet_stage_watch(world));
    PX_STAGE(&world->profile, "cloth")
    PX_TRY(px_cloth_stage_move(world, &fluid));
    if (any_rows(world))
        PX_TRY(move(world, &fluid, &energy));
    PX_STAGE(&world->profile, "catch")
    PX_TRY(px_cloth_stage_catch(world));
    PX_STAGE(&world->profile, "measure")
    {
        if (world->sheets != NULL)
            px_energy_stage(&energy, world, PX_WORK_defence);
    }
    PX_STAGE(&world->profile, "wetting")
    PX_TRY(px_wet_stage_plan(world));
    px_cloth_stage_commit(world);
    px_fracture_stage_commit(world);
    px_rigid_stage_commit(world);
    px_boundaries_end(world);
    double time = last ? target : world->state.time + world->dt;
    px_gauges_take(world, time);
    PX_STAGE(&world->profile, "wetting")
    {
        px_wet_stage_act(world);
        if (world->wet_run != NULL)
            px_energy_stage(&energy, world, PX_WORK_outflow);
    }
    PX_STAGE(&world->profile, "emitters")
    {
        uint64_t removed = world->state.removed;
        for (size_t k = 0; k < PX_KIND_COUNT; ++k)
            if (px_kinds[k]->act != NULL)
                px_kinds[k]->act(world, time);
        if (world->state.removed != removed)
            px_energy_stage(&energy, world, PX_WORK_outflow);
        px_emitters_emit(world);
        px_emitters_choose_speed(world);
        if (world->emitters.count > 0)
            px_energy_stage(&energy, world, PX_WORK_inflow);
    }
    px_energy_end(&energy, world);
    px_world_heat_end(world);
    world->state.time = time;
    ++world->state.step;
    return PX_OK;
}

PxStatus px_world_stop_when(PxWorld *world, PxStopFunction *stop, void *user)
{
    PX_WANT(world);
    px_stop_begin(&world->stop, stop, user);
    return PX_OK;
}

static PxStatus try_step(PxWorld *world, double until)
{
    double next_event;
    px_stop_again(&world->stop);
    PX_TRY(px_world_events(world, &next_event));
    PX_TRY(px_arena_reset(&world->scratch));
    double target = fmin(fmin(next_event, until), px_handles_next(world, world->state.time));
    target = fmin(target, px_kinds_next(world, world->state.time));
    target = fmin(target, px_rigid_next(world, world->state.time));
    px_handles_grab(world, world->state.time);
    PX_TRY(px_boundaries_list(world));
    PX_TRY(px_rigid_stage_begin(world));
    PX_TRY(px_cloth_stage_begin(world));
    PX_TRY(px_tear_stage(world));
    PX_TRY(px_cloth_stage_begin(world)); /* again, if something tore */
    world->flows = px_world_flows(world);
    PX_TRY(px_fracture_stage_begin(world));
    PX_TRY(px_elastic_stage_begin(world));
    PX_TRY(px_elastic_stage_split(world));
    world->flow_rows = world->flows ? world->particles.table.count : 0;
    PxUndo undo;
    px_undo_begin(world, &undo);
    PxStatus status = act(world, target, &undo);
    px_undo_end(world, &undo, status);
    px_stop_again(&world->stop);
    return status;
}

PxStatus px_world_step(PxWorld *world, double until)
{
    PX_WANT(world);
    if (!(until > world->state.time)) /* false for NaN too */
        return px_fail(PX_ERR_ARGUMENT, "step: the world is at %g s already, wanted to go to %g s",
                       world->state.time, until);
    PxStatus status;
    double part = world->state.cloth_part;
    world->cloth_tries = 0;
    do {
        world->cloth_again = 0;
        status = try_step(world, until);
        ++world->cloth_tries;
    } while (px_cloth_stage_shorten(world));
    if (status != PX_OK)
        world->state.cloth_part = part;
    return status;
}

PxStatus px_world_advance(PxWorld *world, double until)
{
    PX_WANT(world);
    if (!(until >= world->state.time) || !isfinite(until))
        return px_fail(PX_ERR_ARGUMENT, "advance: the world is at %g s, wanted to go to %g s",
                       world->state.time, until);
    while (world->state.time < until)
        PX_TRY(px_world_step(world, until));
    return PX_OK;
}
