/// The step: events, neighbours, walls, density, forces, motion, defence, sinks, emitters.
#include "contact/defence.h"
#include "fluid/force_size.h"
#include "world/heat_stage.h"
#include "world/mixed.h"
#include "world/pieces.h"
#include "world/solids.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* ---- how fast can it get ------------------------------------------------ */

/* Height of a point: its way up against gravity. */
static double height(PxVec3 up, PxVec3 x)
{
    return px_dot(up, x);
}

/* Lowest point of the ways down: the bottom of the walls' bounds, or where the
 * fluid itself is lowest. A plane counts with its point below the fluid. */
static double lowest_wall(const PxWorld *world, PxVec3 up, PxVec3 middle)
{
    double lowest = INFINITY;
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        const PxBounds *b = &wall->bounds;
        if (px_finite(b->low) && px_finite(b->high)) {
            for (int c = 0; c < 8; ++c)
                lowest = fmin(lowest, height(up, px_vec(c & 1 ? b->high.x : b->low.x,
                                                        c & 2 ? b->high.y : b->low.y,
                                                        c & 4 ? b->high.z : b->low.z)));
            continue;
        }
        PxVec3 normal;
        double d = px_wall_distance(wall, middle, &normal), cosine = px_dot(normal, up);
        if (cosine > 0.1)
            lowest = fmin(lowest, height(up, middle) - d / cosine);
    }
    return lowest;
}

/* How far a point of a wall, `arm` from its pivot, goes from one keyframe to the next; a bound. */
static double way_between(const PxKeyframe *a, const PxKeyframe *b, double arm)
{
    PxQuat turn = px_quat_multiply(px_quat_normalized(b->rotation),
                                   px_quat_conjugate(px_quat_normalized(a->rotation)));
    double angle = 2 * acos(fmin(fabs(turn.w), 1));
    return px_length(px_sub(b->at, a->at)) + angle * arm;
}

static double fastest_wall(const PxWorld *world)
{
    double fastest = 0;
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        PxVec3 size = px_sub(wall->bounds.high, wall->bounds.low);
        double arm = px_finite(size) ? px_length(size) : 0;
        for (size_t i = 1; i < wall->keys; ++i) {
            const PxKeyframe *a = &wall->key[i - 1], *b = &wall->key[i];
            fastest = fmax(fastest, way_between(a, b, arm) / (b->time - a->time));
        }
    }
    return fastest;
}

/* Until when the wall may move, s from now, so that none of it goes further than `most`; at
 * most `limit`. Of a plane, which has points at any distance from its pivot, the turning does
 * not count. */
static double wall_limit(const PxWall *wall, double now, double most, double limit)
{
    PxVec3 low = px_sub(wall->bounds.low, wall->pivot),
           high = px_sub(wall->bounds.high, wall->pivot);
    double arm = px_length(px_vec(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                                  fmax(fabs(low.z), fabs(high.z))));
    for (size_t i = 1; i < wall->keys && wall->key[i - 1].time < now + limit; ++i) {
        const PxKeyframe *a = &wall->key[i - 1], *b = &wall->key[i];
        double speed = way_between(a, b, isfinite(arm) ? arm : 0) / (b->time - a->time);
        double from = fmax(a->time - now, 0), to = fmin(b->time - now, limit);
        if (!(to > from))
            continue;
        if (speed * (to - from) > most)
            return from + most / speed;
        most -= speed * (to - from);
    }
    return limit;
}

double px_world_speed_bound(PxWorld *world)
{
    const PxParticles *p = &world->particles;
    double g = px_length(world->def.gravity), speed = 0, high = -INFINITY, low = INFINITY;
    PxVec3 up = px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 1, 0));
    PxBounds bounds = px_bounds_empty();
    for (uint32_t i = 0; i < p->table.count; ++i) {
        PxVec3 x = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        px_bounds_add(&bounds, x);
        high = fmax(high, height(up, x));
        low = fmin(low, height(up, x));
        speed = fmax(speed, px_length(v));
    }
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        const PxEmitter *e = &world->emitters.data[k];
        if (!px_emitter_lasts(world, k, world->state.time))
            continue;
        PxVec3 front = px_mad(e->opening.back, e->opening.along, e->opening.depth);
        px_bounds_add(&bounds, e->opening.back);
        px_bounds_add(&bounds, front);
        high = fmax(high, fmax(height(up, e->opening.back), height(up, front)));
        low = fmin(low, fmin(height(up, e->opening.back), height(up, front)));
        speed = fmax(speed, px_emitter_speed(e));
    }
    if (!(high >= low)) /* there is nothing, and nothing to come */
        return 0;
    PxVec3 middle = px_scale(px_add(bounds.low, bounds.high), 0.5);
    low = fmin(low, lowest_wall(world, up, middle));
    double fall = high > low ? high - low : 0;
    double bound = sqrt(speed * speed + 2 * g * fall);
    bound = fmax(bound, fastest_wall(world));
    /* Something must keep even a resting blob together: a spacing a tenth of a second. */
    return fmax(bound, 10 * world->def.spacing);
}

/* ---- stages ------------------------------------------------------------- */

static void speed_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxWorld *world = user;
    const PxParticles *p = &world->particles;
    const PxMaterial *material = world->materials.data;
    float most = 0, within = 0, pressed = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        float pressure = p->warm_pressure[i] + p->warm_divergence[i];
        most = v2 > most ? v2 : most;
        if (pressure > 0.0f) {
            float ratio = pressure / (float)material[p->material[i]].def.density;
            within = v2 > within ? v2 : within;
            pressed = ratio > pressed ? ratio : pressed;
        }
    }
    part->most[0] = (double)most;
    part->most[1] = (double)within;
    part->most[2] = (double)pressed;
}

/* The speeds that limit the step's length. */
static void speed_max(PxWorld *world, PxFluid *fluid)
{
    PxRows rows = px_world_rows(world);
    PxPart square = {.maxima = 3};
    px_reduce(&rows, speed_part, world, &square);
    double emitted = px_emitters_speed(world, world->state.time + world->def.max_step);
    fluid->speed_max = fmax(sqrt(square.most[0]), emitted);
    fluid->speed_within = fmax(sqrt(square.most[1]), emitted);
    fluid->pressure_speed = sqrt(square.most[2]);
}

/* Sorts the particles by (cell, id) and lists their neighbours. */
static PxStatus find_neighbours(PxWorld *world)
{
    PxParticles *p = &world->particles;
    uint32_t n = world->fluids;
    float reach = (float)(world->def.support * world->def.spacing);
    PxGridPoints points = {p->x, p->y, p->z, n};
    PxGridFrame frame = px_grid_frame((double)reach, &points, 1, &world->threads);
    PxArenaMark mark = px_arena_mark(&world->scratch);
    uint32_t *order = PX_ARENA_ARRAY(&world->scratch, uint32_t, p->table.count);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "neighbours: no room to sort %u particles", n);
    PX_STAGE(&world->profile, "sort")
    {
        PX_TRY(px_grid_sort(&world->grid, &frame, points, p->id, order, &world->scratch,
                            &world->threads));
        for (uint32_t i = n; i < p->table.count; ++i)
            order[i] = i; /* solids stay behind */
        PX_TRY(px_table_permute(&p->table, order, &world->threads));
        px_particles_refresh(p);
    }
    px_arena_release(&world->scratch, mark);
    points = (PxGridPoints){p->x, p->y, p->z, n};
    PX_STAGE(&world->profile, "neighbours")
    {
        PX_TRY(px_pairs_build(&world->pairs, &world->grid, points, &world->grid, points, reach,
                              world->isa, &world->threads));
    }
    world->neighbours = n > 0 ? (double)world->pairs.total / n : 0;
    return PX_OK;
}

typedef struct Motion {
    PxWorld *world;
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

/* v += a dt, x += v dt (004 Eqs. 2.46, 2.47), the position in two floats: what the
 * addition rounds off (Kahan 1965) is kept for the next step, so slow motion far
 * from the origin is not lost. */
static void move_axis(float *restrict x, float *restrict low, float *restrict v,
                      const float *restrict a, float dt, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) {
        v[i] += a[i] * dt;
        float way = v[i] * dt + low[i];
        float moved = x[i] + way;
        low[i] = way - (moved - x[i]);
        x[i] = moved;
    }
}

/* Reports the lowest id of a particle whose position is not finite any more. */
static void move_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Motion *m = user;
    PxParticles *p = &m->world->particles;
    move_axis(p->x, p->x_low, p->vx, p->ax, m->dt, begin, end);
    move_axis(p->y, p->y_low, p->vy, p->ay, m->dt, begin, end);
    move_axis(p->z, p->z_low, p->vz, p->az, m->dt, begin, end);
    float sum = 0; /* NaN and infinity survive being multiplied by 0 and added */
    for (uint32_t i = begin; i < end; ++i)
        sum += 0.0f * p->x[i] + 0.0f * p->y[i] + 0.0f * p->z[i];
    if (sum == 0.0f)
        return;
    for (uint32_t i = begin; i < end; ++i)
        if (!isfinite(p->x[i]) || !isfinite(p->y[i]) || !isfinite(p->z[i]))
            px_part_id(part, p->id[i]);
}

/* Says which particle stopped being finite, and at which stage. */
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
                   "particle %llu of body '%s' stopped being finite in the %s stage of step %llu, "
                   "t = %g s; a smaller \"courant\" or \"max_step\" may help",
                   (unsigned long long)id, world->bodies.data[p->body[i]].name, stage,
                   (unsigned long long)world->state.step + 1, world->state.time);
}

typedef struct Compression {
    const PxWorld *world;
    const float *own; /* as in PxFluid */
    double magic;     /* for px_sum_round() */
} Compression;

/* Compression beyond this counts as this in the mean. */
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
        if (job->own != NULL)
            over -= job->own[i];
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
    Compression job = {
        .world = world, .own = fluid->own, .magic = px_sum_magic((double)MOST_COMPRESSION, all)};
    px_reduce(&rows, compression_part, &job, &total);
    world->density_error = all > 0 ? 100 * total.sum[0] / (double)all : 0;
    world->density_error_max = 100 * total.most[0];
}

static bool follows(const PxWorld *world)
{
    for (size_t k = 0; k < world->materials.count; ++k)
        if (world->materials.data[k].def.young > 0 && world->materials.data[k].def.absorb > 0)
            return true;
    return false;
}

/* The step's length: within every limit, and such that equal steps end exactly
 * at `target`. */
static PxStatus choose_dt(PxWorld *world, const PxFluid *fluid, const PxPressureModel *model,
                          double target, bool *last)
{
    double left = target - world->state.time;
    double h = 0.5 * (double)fluid->kernel.h, g = px_length(world->def.gravity);
    double limit = world->def.max_step;
    const char *why = "max_step";
    if (fluid->count > 0 || px_emitters_speed(world, world->state.time + limit) > 0) {
        const char *of_pressure;
        double pressure_limit = model->step_limit(fluid, &of_pressure);
        const struct {
            double dt;
            const char *why;
        } limits[] = {
            {pressure_limit, of_pressure},
            {px_fluid_viscosity_limit(fluid), "its viscosity"},
            {px_fluid_cohesion_limit(fluid), "its cohesion"},
            {px_fluid_tension_limit(fluid), "its surface tension"},
            {g > 0 ? fluid->courant * sqrt(h / g) : INFINITY, "gravity"},
        };
        for (size_t k = 0; k < PX_COUNT(limits); ++k)
            if (limits[k].dt < limit) {
                limit = limits[k].dt;
                why = limits[k].why;
            }
        /* What still water does not know yet: a wall that comes is not half in it after a step. */
        for (size_t k = 0; k < world->walls.count; ++k) {
            double most = fluid->courant * h;
            double dt = wall_limit(&world->walls.data[k], world->state.time, most, limit);
            if (dt < limit) {
                limit = dt;
                why = "a moving wall";
            }
        }
    }
    /* A rest shape that follows does so once a step at most: what strikes something in one step
     * must not be past it in the same. */
    if (follows(world) && fluid->speed_max * limit > world->def.courant * world->def.spacing) {
        limit = world->def.courant * world->def.spacing / fluid->speed_max;
        why = "the speed of what a rest shape follows";
    }
    if (!(limit >= world->def.min_step))
        return px_fail(
            PX_ERR_NUMERIC,
            "step %llu at t = %g s would have to be %g s long because of %s, and min_step is %g s; "
            "the fastest particle goes at %.3g m/s, the compression is %.3g %% and at most %.3g %%",
            (unsigned long long)world->state.step + 1, world->state.time, limit, why,
            world->def.min_step, fluid->speed_max, world->density_error, world->density_error_max);
    double steps = ceil(left / limit);
    *last = steps <= 1;
    world->dt = *last ? left : isfinite(steps) ? left / steps : limit;
    return PX_OK;
}

static PxStatus forces(PxWorld *world, PxFluid *fluid, const PxPressureModel *model)
{
    Motion m = {.world = world, .gravity = world->def.gravity};
    PX_TRY(px_fluid_begin(fluid));
    PX_STAGE(&world->profile, "walls")
    {
        px_parallel_for(&world->threads, fluid->count, 4 * PX_BLOCK, gravity_block, &m);
        PX_TRY(px_fluid_walls(fluid));
        PX_TRY(px_mixed_join(world, fluid));
    }
    PX_STAGE(&world->profile, "density")
    px_fluid_density(fluid);
    fluid->melted = px_world_melt_rows(world, 0, fluid->count);
    PX_STAGE(&world->profile, "cohesion")
    px_fluid_cohesion(fluid);
    bool tension = px_fluid_has_tension(fluid);
    PxForceSize size;
    if (tension) {
        PX_STAGE(&world->profile, "measure")
        PX_TRY(px_force_size_begin(fluid, &size));
        PX_STAGE(&world->profile, "tension")
        PX_TRY(px_fluid_tension(fluid));
        PX_STAGE(&world->profile, "measure")
        world->tension_force = px_force_size(fluid, &size);
    }
    PX_STAGE(&world->profile, "viscosity") /* last of all but pressure: see PxViscosityModel */
    PX_TRY(px_fluid_viscosity(fluid));
    PX_STAGE(&world->profile, "emitters")
    px_emitters_hold(world, fluid->inverse_mass);
    if (tension) {
        PX_STAGE(&world->profile, "measure")
        px_force_size(fluid, &size); /* from here on it is pressure */
    }
    PX_STAGE(&world->profile, "solid density")
    PX_TRY(px_mixed_press(world, fluid));
    PX_STAGE(&world->profile, "pressure")
    PX_TRY(model->solve(fluid));
    PX_STAGE(&world->profile, "measure")
    {
        if (tension)
            world->pressure_force = px_force_size(fluid, &size);
        measure_compression(world, fluid);
    }
    PX_STAGE(&world->profile, "emitters")
    px_emitters_hold(world, fluid->inverse_mass);
    world->iterations = fluid->iterations;
    world->solve_error = fluid->solve_error;
    world->state.divergence = fluid->divergence;
    world->viscosity_iterations = fluid->viscosity_iterations;
    world->state.not_converged += !(fluid->converged && fluid->viscosity_converged);
    return PX_OK;
}

static PxStatus move(PxWorld *world, const PxFluid *fluid)
{
    Motion m = {.world = world, .dt = (float)world->dt};
    PxWatch watch;
    PxParticles fluids = world->particles; /* the rows in front */
    fluids.table.count = fluid->count;
    PX_STAGE(&world->profile, "defence")
    PX_TRY(px_watch_begin(&watch, &fluids, world->walls.data, world->walls.count, fluid->wall_far,
                          world->def.spacing, &world->scratch, &world->threads));
    PX_STAGE(&world->profile, "solid frames")
    if (world->mixed) /* before they move as if they were fluid; see below */
        PX_TRY(px_mixed_gather(world));
    PxRows rows = {&world->threads, &world->dist, fluid->count, PX_BLOCK};
    PxPart bad = {0};
    PX_STAGE(&world->profile, "move")
    px_reduce(&rows, move_part, &m, &bad);
    if (bad.id != 0)
        return not_finite(world, bad.id);
    if (world->mixed)
        PX_TRY(px_solids_step(world, fluid));
    PX_STAGE(&world->profile, "defence")
    {
        world->state.caught +=
            px_defend(&fluids, world->walls.data, world->walls.count, fluid->wall_far,
                      world->def.spacing, &world->threads, &watch);
        world->state.leaked += px_watch_leaked(&watch, &world->threads);
    }
    return PX_OK;
}

static double table_mass(const PxParticles *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        sum += (double)p->mass[i];
    return sum;
}

/* Before the first step: fillings that do not fit their walls are made to. What finds no
 * place counts as removed. */
static PxStatus settle(PxWorld *world, PxFluid *fluid)
{
    bool done = world->walls.count == 0;
    uint32_t count = world->particles.table.count;
    double mass = table_mass(&world->particles);
    Motion m = {.world = world};
    PX_STAGE(&world->profile, "settle")
    for (int round = 0; !done; ++round) {
        PX_TRY(find_neighbours(world));
        PX_TRY(px_fluid_begin(fluid));
        px_parallel_for(&world->threads, fluid->count, 4 * PX_BLOCK, gravity_block, &m);
        PX_TRY(px_fluid_walls(fluid));
        PX_TRY(px_mixed_join(world, fluid));
        px_fluid_density(fluid);
        PX_TRY(px_fluid_settle(fluid, round, &done));
        world->fluids = fluid->count;
        PX_TRY(px_arena_reset(&world->scratch));
    }
    if (world->particles.table.count < count) {
        world->state.removed += count - world->particles.table.count;
        world->state.mass_out += mass - table_mass(&world->particles);
    }
    return PX_OK;
}

PxStatus px_world_step(PxWorld *world, double until)
{
    if (!(until > world->state.time)) /* false for NaN too */
        return px_fail(PX_ERR_ARGUMENT, "step: the world is at %g s already, wanted to go to %g s",
                       world->state.time, until);
    double next_event;
    PX_TRY(px_world_events(world, &next_event));
    PX_TRY(px_arena_reset(&world->scratch));
    double target = fmin(fmin(next_event, until), px_handles_next(world, world->state.time));
    target = fmin(target, px_forces_next(world, world->state.time));
    target = fmin(target, px_heaters_next(world, world->state.time));
    px_handles_grab(world, world->state.time);
    PX_TRY(px_solids_arrange(world));

    PxFluid fluid = {.particles = &world->particles,
                     .count = world->fluids,
                     .pairs = &world->pairs,
                     .grid = &world->grid,
                     .kernel =
                         px_kernel(world->def.support * world->def.spacing, world->def.spacing),
                     .spacing = world->def.spacing,
                     .courant = world->def.courant,
                     .material = world->materials.data,
                     .materials = (uint32_t)world->materials.count,
                     .wall = world->walls.data,
                     .walls = world->walls.count,
                     .wall_profile = &world->wall_profile,
                     .scratch = &world->scratch,
                     .threads = &world->threads,
                     .dist = &world->dist,
                     .isa = world->isa};
    px_world_melt_range(world);
    speed_max(world, &fluid);
    if (world->state.bound_due)
        world->state.top_speed = fmax(world->state.top_speed, px_world_speed_bound(world));
    if (world->state.bound_due) /* nobody knows what was set, or where it flows */
        world->state.divergence = 1e30;
    world->state.bound_due = 0;
    /* A few drops of a splash are faster than this; making the fluid stiffer for
     * them would make every step after the splash shorter (three times, in the dam
     * break). The step's length minds their speed all the same. */
    fluid.divergence = world->state.divergence;
    fluid.top_speed = fmax(world->state.top_speed, px_fluid_tension_speed(&fluid));
    const PxPressureModel *model = px_pressure_find(px_world_share_models(world), world->isa);

    bool last = false;
    PX_TRY(choose_dt(world, &fluid, model, target, &last));
    fluid.dt = world->dt;
    for (size_t k = 0; k < world->walls.count; ++k)
        px_wall_move(&world->walls.data[k], world->state.time, world->dt);
    px_world_heat_begin(world);
    px_emitters_shut(world);
    if (fluid.count > 0 && world->state.step == 0)
        PX_TRY(settle(world, &fluid)); /* gives all scratch back */
    PX_TRY(px_emitters_reserve(world));
    if (fluid.count > 0) {
        PX_TRY(find_neighbours(world));
        PX_STAGE(&world->profile, "solid lists")
        PX_TRY(px_pieces_follow(world));
        PX_TRY(forces(world, &fluid, model));
    }
    PX_STAGE(&world->profile, "heat")
    PX_TRY(px_world_heat_step(world, &fluid));
    if (fluid.count > 0)
        PX_TRY(move(world, &fluid));
    if (!world->mixed)
        PX_TRY(px_solids_step(world, &fluid));
    double time = last ? target : world->state.time + world->dt;
    PX_STAGE(&world->profile, "emitters")
    {
        px_sinks_drain(world, time);
        px_emitters_emit(world);
        px_emitters_feel(world);
    }
    px_world_heat_end(world);
    world->state.time = time;
    ++world->state.step;
    return PX_OK;
}

PxStatus px_world_advance(PxWorld *world, double until)
{
    if (!(until >= world->state.time) || !isfinite(until))
        return px_fail(PX_ERR_ARGUMENT, "advance: the world is at %g s, wanted to go to %g s",
                       world->state.time, until);
    while (world->state.time < until)
        PX_TRY(px_world_step(world, until));
    return PX_OK;
}
