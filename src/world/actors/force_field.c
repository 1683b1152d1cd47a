#include "world/actors/force_field.h"

#include "base/random.h"
#include "base/sum.h"
#include "solid/solid_columns.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>

/* ---- adding and removing ---------------------------------------------------- */

/* Edge of the box that stands for everywhere, m. */
#define EVERYWHERE 2e6

static PxForceFieldDef force_field_def_defaults(void)
{
    PxForceFieldDef def = {.name = "",
                           .shape = px_shape_def_default(PX_SHAPE_BOX),
                           .rate = 1,
                           .axis = {0, 1, 0},
                           .end = 1e9};
    def.shape.size = px_vec(EVERYWHERE, EVERYWHERE, EVERYWHERE);
    return def;
}

PX_DEF(PxForceFieldDef, force_field_def, "force field")

PX_KIND_WORLD(ForceField, force_field)

/* ---- one field ---------------------------------------------------------------- */

static bool acts(const PxForceField *field, double time)
{
    return field->live && time >= field->def.start && time < field->def.end;
}

/* 0 outside, 1 deeper inside than `fade`. */
static double weight(const PxForceField *field, uint32_t body, PxVec3 x)
{
    if (!px_region_holds(&field->region, body, x))
        return 0;
    if (!(field->def.fade > 0))
        return 1;
    double part = -px_shape_distance(field->region.shape, x, NULL) / field->def.fade;
    part = fmin(fmax(part, 0), 1);
    return part * part * (3 - 2 * part);
}

/* Mean acceleration over dt of what approaches u: v(t) = u + (v - u) exp(-rate t). */
static PxVec3 approach(PxVec3 u, PxVec3 v, double rate, double dt)
{
    return px_scale(px_sub(u, v), -expm1(-rate * dt) / dt);
}

/* Velocity around an axis: that of a rigid body in the core, falling as 1/r outside (Rankine).
 * Only motion around the axis is drawn along; matter may fall or flow inwards. */
static PxVec3 vortex(const PxForceFieldDef *def, PxVec3 x, PxVec3 v, double rate, double dt)
{
    PxVec3 axis = px_normalized(def->axis, px_vec(0, 1, 0));
    PxVec3 arm = px_sub(x, def->at);
    arm = px_mad(arm, axis, -px_dot(arm, axis));
    double r = px_length(arm), core = def->size;
    if (!(r > 0))
        return px_vec(0, 0, 0);
    double speed = core > 0 && r > core ? def->spin * core * (core / r) : def->spin * r;
    PxVec3 around = px_scale(px_cross(axis, arm), 1 / r);
    return approach(px_scale(around, speed), px_scale(around, px_dot(around, v)), rate, dt);
}

/* Constant, or with a core the pull of a Plummer sphere, as strong as `strength` (size / r)^2 far
 * from it. */
static PxVec3 attractor(const PxForceFieldDef *def, PxVec3 x, double spacing)
{
    PxVec3 way = px_sub(def->at, x);
    double r2 = px_dot(way, way), core = def->size;
    if (!(core > 0)) /* softened, so that matter does not tremble at the point */
        return px_scale(way, def->strength / sqrt(r2 + spacing * spacing));
    double d2 = r2 + core * core;
    return px_scale(way, def->strength * core * core / (d2 * sqrt(d2)));
}

/* Waves of which noise is made. */
enum { WAVES = 12 };

/* A sum of plane waves with random directions k, lengths around `size`, and amplitudes normal to k:
 * free of divergence, so that pressure does not cancel it. Its mean square is strength^2. */
static PxVec3 noise(const PxForceFieldDef *def, PxVec3 x, double time)
{
    PxVec3 a = {0, 0, 0};
    uint64_t seed = (uint64_t)def->seed;
    for (uint64_t n = 0; n < WAVES; ++n) {
        double z = 2 * px_random_unit(seed, n, 0) - 1,
               angle = 2 * PX_PI * px_random_unit(seed, n, 1);
        double flat = sqrt(fmax(1 - z * z, 0)), turn = 2 * PX_PI * px_random_unit(seed, n, 2);
        double phase = 2 * PX_PI * px_random_unit(seed, n, 3);
        double length = def->size * (0.6 + 0.8 * px_random_unit(seed, n, 4));
        double hurry = 0.5 + px_random_unit(seed, n, 5);
        PxVec3 k = px_vec(flat * cos(angle), flat * sin(angle), z);
        PxVec3 across[2] = {px_vec(-sin(angle), cos(angle), 0), {0, 0, 0}}; /* normal to k */
        across[1] = px_cross(k, across[0]);
        phase += 2 * PX_PI * px_dot(k, px_sub(x, def->at)) / length;
        if (def->period > 0)
            phase += 2 * PX_PI * hurry * time / def->period;
        PxVec3 along = px_mad(px_scale(across[0], cos(turn)), across[1], sin(turn));
        a = px_mad(a, along, cos(phase));
    }
    return px_scale(a, def->strength * sqrt(2.0 / WAVES));
}

static PxVec3 one(const PxForceFieldDef *def, double part, PxVec3 x, PxVec3 v, const PxWorld *world,
                  double dt)
{
    switch (def->kind) {
    case PX_FIELD_OF_WIND:
        return approach(def->velocity, v, part * def->rate, dt);
    case PX_FIELD_OF_DRAG:
        return approach(px_vec(0, 0, 0), v, part * def->rate, dt);
    case PX_FIELD_OF_VORTEX:
        return vortex(def, x, v, part * def->rate, dt);
    case PX_FIELD_OF_ATTRACTOR:
        return px_scale(attractor(def, x, world->def.spacing), part);
    default:
        return px_scale(noise(def, x, world->state.time + 0.5 * dt), part);
    }
}

/* ---- all of them -------------------------------------------------------------- */

bool px_force_fields_act(const PxWorld *world)
{
    for (size_t k = 0; k < world->fields.count; ++k)
        if (acts(&world->fields.data[k], world->state.time))
            return true;
    return false;
}

bool px_force_fields_start_now(const PxWorld *world)
{
    for (size_t k = 0; k < world->fields.count; ++k)
        if (world->fields.data[k].live && world->fields.data[k].def.start == world->state.time)
            return true;
    return false;
}

/* Amplitude of noise over its root mean square: all waves in phase. */
#define PEAK (sqrt(2.0 * WAVES))

double px_force_fields_strength(const PxWorld *world, double *speed)
{
    double sum = 0, most = 0;
    for (size_t k = 0; k < world->fields.count; ++k) {
        const PxForceField *field = &world->fields.data[k];
        const PxForceFieldDef *def = &field->def;
        if (!acts(field, world->state.time))
            continue;
        double u = def->kind == PX_FIELD_OF_WIND     ? px_length(def->velocity)
                   : def->kind == PX_FIELD_OF_VORTEX ? fabs(def->spin) * def->size
                                                     : 0;
        most = fmax(most, u);
        sum += u * fmin(def->rate, 1 / world->def.max_step);
        if (def->kind == PX_FIELD_OF_ATTRACTOR)
            sum += fabs(def->strength);
        if (def->kind == PX_FIELD_OF_NOISE)
            sum += fabs(def->strength) * PEAK;
    }
    if (speed != NULL)
        *speed = most;
    return sum;
}

PxVec3 px_force_fields_at(const PxWorld *world, uint32_t body, PxVec3 x, PxVec3 v, double dt)
{
    PxVec3 sum = {0, 0, 0};
    for (size_t k = 0; k < world->fields.count; ++k) {
        const PxForceField *field = &world->fields.data[k];
        double part = acts(field, world->state.time) ? weight(field, body, x) : 0;
        if (part > 0)
            sum = px_add(sum, one(&field->def, part, x, px_mad(v, sum, dt), world, dt));
    }
    return sum;
}

static void apply_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxWorld *world = user;
    PxParticles *p = &world->particles;
    for (uint32_t i = begin; i < end; ++i) {
        /* on what gravity leaves, so that drag sees the velocity at the end of the step */
        PxVec3 a = {(double)p->ax[i], (double)p->ay[i], (double)p->az[i]};
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        a = px_add(a, px_force_fields_at(world, p->body[i], px_particle_place(p, i),
                                         px_mad(v, a, world->dt), world->dt));
        p->ax[i] = (float)a.x;
        p->ay[i] = (float)a.y;
        p->az[i] = (float)a.z;
    }
}

void px_force_fields_apply(PxWorld *world)
{
    px_parallel_for(&world->threads, world->flow_rows, PX_BLOCK, apply_block, world);
}

/* A body moves as six points of a sixth of its mass each, at +-d_c along its principal axes, with
 * d_x^2 = 3 (I_y + I_z - I_x) / 2 m: they have its mass and its moments of inertia. */
bool px_force_fields_push(const PxWorld *world, const PxRigid *r, PxVec3 out[2])
{
    out[0] = out[1] = px_vec(0, 0, 0);
    if (!px_force_fields_act(world))
        return false;
    PxVec3 i = r->mass.inertia;
    const double inertia[3] = {i.x, i.y, i.z};
    double m = r->mass.mass, all = i.x + i.y + i.z;
    PxQuat turn = px_quat_multiply(r->turn, r->mass.axes);
    for (int k = 0; k < 6; ++k) {
        double d = sqrt(fmax(1.5 * (all - 2 * inertia[k / 2]) / m, 0)) * (k % 2 == 0 ? 1 : -1);
        PxVec3 arm =
            px_rotate(turn, px_vec(k / 2 == 0 ? d : 0, k / 2 == 1 ? d : 0, k / 2 == 2 ? d : 0));
        PxVec3 v = px_add(r->velocity, px_cross(r->spin, arm));
        PxVec3 a = px_force_fields_at(world, r->body, px_add(r->place, arm), v, world->dt);
        PxVec3 impulse = px_scale(a, m / 6 * world->dt);
        out[0] = px_add(out[0], impulse);
        out[1] = px_add(out[1], px_cross(arm, impulse));
    }
    return px_length(out[0]) > 0 || px_length(out[1]) > 0;
}

/* ---- solids where nothing flows --------------------------------------------------- */

typedef struct Solids {
    const PxWorld *world;
    PxForceFieldWork *work;
    const uint32_t *handle; /* by row; NULL: none */
} Solids;

static void solids_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solids *job = user;
    const PxWorld *world = job->world;
    const PxParticles *p = &world->particles;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = px_particle_place(p, i);
        PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
        bool held = job->handle != NULL && job->handle[i] != 0;
        PxVec3 a = held ? px_vec(0, 0, 0) : px_force_fields_at(world, p->body[i], x, v, world->dt);
        const double by[3] = {a.x, a.y, a.z}, at[3] = {x.x, x.y, x.z};
        for (int c = 0; c < 3; ++c) {
            job->work->a[c][i] = (float)by[c];
            job->work->place[c][i] = at[c];
        }
    }
}

PxStatus px_force_fields_begin(PxWorld *world, PxForceFieldWork *work)
{
    uint32_t n = world->particles.table.count;
    for (int c = 0; c < 3; ++c) {
        work->a[c] = PX_ARENA_ARRAY(&world->scratch, float, n);
        work->place[c] = PX_ARENA_ARRAY(&world->scratch, double, n);
        if (work->a[c] == NULL || work->place[c] == NULL)
            return px_fail(PX_ERR_MEMORY, "fields: no room for %u particles", n);
    }
    work->count = n;
    PxSolidColumns columns;
    bool solid = px_solid_columns(&world->particles.table, &columns);
    Solids job = {world, work, solid ? columns.handle : NULL};
    px_parallel_for(&world->threads, n, PX_BLOCK, solids_block, &job);
    return PX_OK;
}

typedef struct Done {
    const PxParticles *particles;
    const PxForceFieldWork *work;
} Done;

static void work_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const Done *job = user;
    const PxForceFieldWork *w = job->work;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 to = px_particle_place(job->particles, i);
        PxVec3 way = px_sub(to, px_vec(w->place[0][i], w->place[1][i], w->place[2][i]));
        PxVec3 a = {(double)w->a[0][i], (double)w->a[1][i], (double)w->a[2][i]};
        px_sum_add(&sums[0], (double)job->particles->mass[i] * px_dot(a, way));
    }
}

double px_force_fields_done(const PxWorld *world, const PxForceFieldWork *work)
{
    if (work->count == 0)
        return 0;
    Done job = {&world->particles, work};
    PxSum sum;
    px_reduce_exact(&(PxRows){&world->threads, &world->dist, work->count, 0}, 1, work_rows, &job,
                    &sum);
    return px_sum_value(&sum);
}
