/// Choice of the time step: the smallest of all limits, and the speeds that they depend on.
#include "world/fracture_stage.h"
#include "world/time_step.h"

#include "world/boundary_stage.h"
#include "world/cloth_bodies.h"
#include "world/cloth_soft.h"
#include "world/cloth_stage.h"
#include "world/elastic_stage.h"

#include <math.h>

/* ---- bound on the speed ------------------------------------------------- */

/* Height of a point against gravity, m. */
static double height(PxVec3 up, PxVec3 x)
{
    return px_dot(up, x);
}

/* Lowest height of the walls, m: of their bounds, or for planes of the point below `middle`.
 * INFINITY: none. */
static double lowest_wall(const PxWorld *world, PxVec3 up, PxVec3 middle)
{
    double lowest = INFINITY;
    for (size_t k = 0; k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        /* The bounds of a step with poses are not saved; those of all poses do not change. */
        PxBounds reach = px_wall_moving(wall) != NULL ? px_moving_mesh_reach(px_wall_moving(wall))
                                                      : wall->bounds;
        const PxBounds *b = &reach;
        if (px_finite(b->low) && px_finite(b->high)) {
            for (int c = 0; c < 8; ++c)
                lowest = fmin(lowest, height(up, px_vec(c & 1 ? b->high.x : b->low.x,
                                                        c & 2 ? b->high.y : b->low.y,
                                                        c & 4 ? b->high.z : b->low.z)));
            continue;
        }
        PxVec3 normal;
        double d = px_wall_distance(wall, 0, middle, &normal), cosine = px_dot(normal, up);
        if (cosine > 0.1)
            lowest = fmin(lowest, height(up, middle) - d / cosine);
    }
    return lowest;
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
        if (e->def.start > world->state.time || !px_emitter_lasts(world, k, world->state.time))
            continue;
        PxVec3 front = px_mad(e->opening.back, e->opening.along, e->opening.depth);
        px_bounds_add(&bounds, e->opening.back);
        px_bounds_add(&bounds, front);
        high = fmax(high, fmax(height(up, e->opening.back), height(up, front)));
        low = fmin(low, fmin(height(up, e->opening.back), height(up, front)));
        speed = fmax(speed, px_emitter_speed(world, e));
    }
    if (!(high >= low)) /* no particles and no active emitters */
        return 0;
    PxVec3 middle = px_scale(px_add(bounds.low, bounds.high), 0.5);
    low = fmin(low, lowest_wall(world, up, middle));
    double fall = high > low ? high - low : 0;
    double wind, reach = px_length(px_sub(bounds.high, bounds.low));
    double pull = px_force_fields_strength(world, &wind);
    double bound = sqrt(speed * speed + 2 * g * fall + 2 * pull * reach);
    bound = fmax(bound, wind);
    bound = fmax(bound, px_boundaries_speed(world));
    /* Floor of 10 spacings per second, so that the stiffness is above 0 for fluids at rest. */
    return fmax(bound, 10 * world->def.spacing);
}

/* ---- speeds that limit the step -------------------------------------------- */

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

/* Shares of the largest speed under pressure, from LOW on, at which rows are counted. */
enum { SHARES = 12 };
#define LOW 0.4
#define FEW 1e-3

typedef struct Faster {
    const PxWorld *world;
    float square[SHARES]; /* of the speeds */
} Faster;

/* Rows under pressure that are faster than each of the speeds. */
static void faster_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Faster *job = user;
    const PxParticles *p = &job->world->particles;
    uint32_t faster[SHARES] = {0};
    for (uint32_t i = begin; i < end; ++i) {
        float v2 = p->vx[i] * p->vx[i] + p->vy[i] * p->vy[i] + p->vz[i] * p->vz[i];
        if (!(v2 > job->square[0]) || !(p->warm_pressure[i] + p->warm_divergence[i] > 0.0f))
            continue;
        for (int k = 0; k < SHARES; ++k)
            faster[k] += v2 > job->square[k];
    }
    for (int k = 0; k < SHARES; ++k)
        part->sum[k] = faster[k];
}

/* Least speed, not below LOW of `most`, that only the part FEW of all rows exceeds under pressure.
 */
static double speed_of_most(PxWorld *world, double most)
{
    Faster job = {.world = world};
    for (int k = 0; k < SHARES; ++k) {
        double speed = most * (LOW + (1 - LOW) * k / SHARES);
        job.square[k] = (float)(speed * speed);
    }
    PxRows rows = px_world_rows(world);
    PxPart total = {.sums = SHARES};
    double few = FEW * (double)px_reduce(&rows, faster_part, &job, &total);
    for (int k = 0; k < SHARES; ++k)
        if (total.sum[k] <= few)
            return sqrt((double)job.square[k]);
    return most;
}

/* Speeds over all rows and emitters. */
void px_time_step_speeds(PxWorld *world, PxFluid *fluid)
{
    PxRows rows = px_world_rows(world);
    PxPart square = {.maxima = 3};
    px_reduce(&rows, speed_part, world, &square);
    double emitted = px_emitters_speed(world, world->state.time + world->def.max_step);
    fluid->speed_max = fmax(sqrt(square.most[0]), emitted);
    fluid->speed_within = fmax(speed_of_most(world, sqrt(square.most[1])), emitted);
    fluid->pressure_speed = sqrt(square.most[2]);
}

/* ---- the step's length -------------------------------------------------------- */

/* The number of equal steps to `target` is the least with dt within every limit. */
PxStatus px_time_step_choose(PxWorld *world, const PxFluid *fluid, const PxPressureModel *model,
                             double target, bool *last)
{
    double left = target - world->state.time;
    double h = 0.5 * (double)fluid->kernel.h, g = px_length(world->def.gravity);
    double fields = px_force_fields_strength(world, NULL);
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
            {fields > 0 ? fluid->courant * sqrt(h / fields) : INFINITY, "a force field"},
        };
        for (size_t k = 0; k < PX_COUNT(limits); ++k)
            if (limits[k].dt < limit) {
                limit = limits[k].dt;
                why = limits[k].why;
            }
        /* Fluid at rest does not react to a boundary before it is near: limit its travel too. */
        double dt = px_boundaries_limit(world, fluid->courant * h, limit);
        if (dt < limit) {
            limit = dt;
            why = "a moving wall";
        }
    }
    /* Rest shapes are updated at most once per step, so an impact must not deform matter by more
     * than a part of the spacing in one step. */
    if (px_world_absorbs(world) &&
        fluid->speed_max * limit > world->def.courant * world->def.spacing) {
        limit = world->def.courant * world->def.spacing / fluid->speed_max;
        why = "the speed of matter with rest-shape updates";
    }
    if (px_fracture_limit(world) < limit) {
        limit = px_fracture_limit(world);
        why = "fracture";
    }
    if (px_cloth_stage_limit(world) < limit) {
        limit = px_cloth_stage_limit(world);
        why = "cloth";
    }
    double turns = px_cloth_bodies_limit(world);
    if (turns < limit) {
        limit = turns;
        why = "a slender rigid body at cloth";
    }
    double soft = px_cloth_soft_limit(world);
    if (soft < limit) {
        limit = soft;
        why = "a solid in sub-steps at cloth";
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
