/// Stops emitters that have no room in front of their pipe, or a wall in it.
///
/// Particles in a pipe move regardless of pressure, so a plunger that never stops would overfill a
/// full vessel. It stops when the fluid in front of the opening has both
///   - a density above the rest density, and
///   - a pressure above the hydrostatic pressure by more than 2 rho v^2, v the top speed of the
///     scene, which is more than inertia explains.
/// A jet under water causes compression without such a pressure; a viscous fluid needs such a
/// pressure without being compressed. Hence both criteria.
///
/// A stopped plunger retreats with the layers it holds until compression or pressure is near 0,
/// since overfilled particles would not come to rest otherwise; a layer that reaches the back of
/// the pipe is removed. Then the plunger accelerates again from 0; the slower it is, the lower its
/// limits.
///
/// An emitter with a pressure P is fed by a reservoir through its pipe of length L, with a valve
/// that lets nothing back (Bernoulli for unsteady flow):
///   L dv/dt = (P - p) / rho - v^2 / 2
/// with the pressure p in front of the opening, low-pass filtered as above. A free jet reaches
/// sqrt(2 P / rho); in a vessel the flow ends when p is P. In front of a full one the plunger
/// retreats as the others, with P in place of the limit of pressure.
#include "base/sum.h"
#include "world/world_parts.h"

#include <math.h>

/* Limits of both. Tuned with jets of 2 m/s and 13 particles per layer, all four pressure solvers:
 * pressure reaches 0.5 of its limit in an open tank and 26 times its limit in a full one. */
#define CROWDED 0.005 /* of the rest density */
#define PRESSED 2.0   /* rho v^2 */

/* Time constant of the low-pass filter of both, in layers, since every new layer is a pulse. */
#define LAYERS 2.0

/* Values relative to their limits are clamped to this in the means. */
#define MOST 64.0

/* Limits of a plunger at rest, relative to those at full speed; below them it starts again. */
#define QUIET 0.05

/* Speed of the retreat, and increase of speed per layer time, relative to the nominal speed. */
#define GIVE_WAY 0.25
#define FASTER 0.05

/* A moving wall nearer than this to a site is in the pipe, in spacings: a wall flush with the
 * pipe's side is 0.5 away. */
#define IN_PIPE 0.4

/* ---- no room in front ----------------------------------------------------- */

typedef struct Height {
    const PxParticles *p;
    PxVec3 up;
    double highest;
} Height;

static void height_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Height *height = user;
    double highest = -INFINITY;
    for (uint32_t i = begin; i < end; ++i)
        highest = fmax(highest, px_dot(px_particle_place(height->p, i), height->up));
    part->most[0] = highest;
}

/* Reduction over particles near the front of a pipe that the emitter does not hold. */
typedef struct Front {
    const PxWorld *world;
    const PxEmitter *emitter;
    const uint64_t *freed;
    double length, reach; /* m */
    double still, most;   /* p / rho: hydrostatic, and the limit; m^2/s^2 */
    double magic;         /* for px_sum_round() */
} Front;

/* Sums over rows: compression and pressure relative to their limits, and the number of rows. */
enum { CROWD, PRESS, COUNT, SUMS };

static void front_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Front *front = user;
    const PxParticles *p = &front->world->particles;
    const PxEmitter *e = front->emitter;
    double crowd = 0, press = 0, count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        if (!px_opening_holds(&e->opening, px_particle_place(p, i), front->length - front->reach,
                              front->length + front->reach, 0) ||
            px_emitter_holder(front->world, i, front->freed) == e)
            continue;
        double rest = front->world->materials.data[p->material[i]].def.density;
        double over = ((double)p->density[i] / rest - 1) / CROWDED;
        double harder = ((double)p->pressure[i] / rest - front->still) / front->most;
        crowd += px_sum_round(front->magic, fmin(fmax(over, 0), MOST));
        press += px_sum_round(front->magic, fmin(fmax(harder, 0), MOST));
        count += 1;
    }
    part->sum[CROWD] = crowd;
    part->sum[PRESS] = press;
    part->sum[COUNT] = count;
}

/* Updates the low-pass filtered compression and pressure, relative to their limits. */
static void feel(PxWorld *world, uint32_t slot, const Height *height, uint64_t all)
{
    const PxEmitter *e = &world->emitters.data[slot];
    PxEmitterProgress progress = px_emitters_progress(world);
    double length = px_emitter_pipe(world, e), speed = world->state.top_speed;
    double nominal = px_emitter_speed(world, e);
    bool fed = e->def.pressure > 0;
    PxVec3 mouth = px_mad(e->opening.back, e->opening.along, length);
    double above = fmax(height->highest - px_dot(mouth, height->up), 0);
    Front front = {.world = world,
                   .emitter = e,
                   .freed = progress.freed,
                   .length = length,
                   .reach = world->def.support * world->def.spacing,
                   .still = fed ? 0 : px_length(world->def.gravity) * above,
                   .most = fed ? 0.5 * nominal * nominal : PRESSED * speed * speed,
                   .magic = px_sum_magic(MOST, all)};
    PxRows rows = {&world->threads, &world->dist, world->flow_rows, 0};
    PxPart total = {.sums = SUMS};
    if (px_emitter_is_open(world, slot) && all > 0 && speed > 0)
        px_reduce(&rows, front_part, &front, &total);
    double part = fmin(nominal * world->dt / (LAYERS * e->layer), 1);
    double count = fmax(total.sum[COUNT], 1);
    progress.crowd[slot] += part * (total.sum[CROWD] / count - progress.crowd[slot]);
    progress.press[slot] += part * (total.sum[PRESS] / count - progress.press[slot]);
}

/* Removes the layer at the back of the pipe. */
static void take_back(PxWorld *world, uint32_t slot)
{
    PxEmitterProgress progress = px_emitters_progress(world);
    const PxEmitter *e = &world->emitters.data[slot];
    PxParticles *p = &world->particles;
    PxSum mass = {0};
    uint64_t taken = 0;
    for (uint32_t i = 0; i < p->table.count; ++i) {
        PxVec3 arm = px_sub(px_particle_place(p, i), e->opening.back);
        world->drop[i] = px_dot(arm, e->opening.along) < e->layer &&
                         px_emitter_holder(world, i, progress.freed) == e;
        if (world->drop[i])
            px_sum_add(&mass, (double)p->mass[i]);
        taken += world->drop[i];
    }
    if (taken == 0)
        return;
    world->state.mass_out += px_sum_value(&mass);
    world->state.removed += taken;
    px_table_delete(&p->table, world->drop);
    px_particles_refresh(p);
    progress.way[slot] = e->layer;
}

/* Chooses the plunger's speed in the next step. */
static void choose_pace(PxWorld *world, uint32_t slot)
{
    PxEmitterProgress p = px_emitters_progress(world);
    const PxEmitter *e = &world->emitters.data[slot];
    double pace = p.pace[slot], full = fmin(p.crowd[slot], p.press[slot]);
    bool fed = e->def.pressure > 0;
    double limit = fed ? 1 : pace > 0 ? QUIET + (1 - QUIET) * pace * pace : QUIET;
    if (full > limit) {
        if (pace <= 0 && p.way[slot] <= 0)
            take_back(world, slot);
        p.pace[slot] = -GIVE_WAY;
    } else if (fed) {
        /* in units of the nominal speed c, whose square is 2 P / rho */
        double c = px_emitter_speed(world, e), v = fmax(pace, 0);
        double rises = 0.5 * c * (1 - p.press[slot] - v * v) / px_emitter_pipe(world, e);
        p.pace[slot] = fmin(fmax(v + rises * world->dt, 0), 1);
    } else if (pace < 1) {
        double layers = px_emitter_speed(world, e) * world->dt / e->layer;
        p.pace[slot] = fmin(fmax(pace, 0) + FASTER * layers, 1);
    }
}

void px_emitters_choose_speed(PxWorld *world)
{
    const PxParticles *p = &world->particles;
    Height height = {p, px_normalized(px_scale(world->def.gravity, -1), px_vec(0, 1, 0)),
                     -INFINITY};
    if (world->emitters.count == 0)
        return;
    PxRows rows = {&world->threads, &world->dist, world->flow_rows, 0};
    PxPart highest = {.maxima = 1, .most = {-INFINITY}};
    uint64_t all = px_reduce(&rows, height_part, &height, &highest);
    height.highest = highest.most[0];
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        feel(world, k, &height, all);
        choose_pace(world, k);
    }
}

uint64_t px_emitters_waiting(const PxWorld *world)
{
    uint64_t count = 0;
    PxEmitterProgress p = px_emitters_progress(world);
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        const PxEmitter *e = &world->emitters.data[k];
        bool stands = e->shut || p.pace[k] <= 0 || p.way[k] >= e->layer;
        count += stands && px_emitter_speed(world, e) > 0 && world->state.time > e->def.start &&
                 px_emitter_lasts(world, k, world->state.time);
    }
    return count;
}

/* ---- a wall in the pipe ----------------------------------------------------- */

/* Is the wall in the pipe at the end of the step? Tested at every site, every half layer. */
static bool wall_is_in(const PxWorld *world, const PxWall *wall, const PxEmitter *e)
{
    const PxOpening *o = &e->opening;
    double length = px_emitter_pipe(world, e) + 0.5 * e->layer, near = IN_PIPE * world->def.spacing;
    double around = hypot(0.5 * length, hypot(o->half[0], o->half[1])) + world->def.spacing;
    PxVec3 middle = px_wall_to_rest(wall, 1, px_mad(o->back, o->along, 0.5 * length));
    if (px_wall_distance(wall, 1, middle, NULL) > around)
        return false;
    int halves = 2 * (int)ceil(length / e->layer);
    for (uint32_t k = 0; k < e->sites; ++k)
        for (int j = 0; j <= halves; ++j) {
            PxVec3 x = px_mad(o->back, o->along, length * j / halves);
            x = px_mad(px_mad(x, o->across[0], e->site[k].a), o->across[1], e->site[k].b);
            if (px_wall_distance(wall, 1, px_wall_to_rest(wall, 1, x), NULL) < near)
                return true;
        }
    return false;
}

void px_emitters_shut(PxWorld *world)
{
    PxEmitterProgress p = px_emitters_progress(world);
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        PxEmitter *e = &world->emitters.data[k];
        e->shut = false;
        for (size_t w = 0; w < world->walls.count && !e->shut; ++w)
            e->shut = world->walls.data[w].keys > 0 && wall_is_in(world, &world->walls.data[w], e);
        if (e->shut)
            p.freed[k] = p.made[k]; /* released, so that the wall can push them */
    }
}
