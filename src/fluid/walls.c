/// Walls as the fluid feels them: the part of each particle's neighbourhood
/// that lies in walls, and its gradient.
///
/// A solver that knows these two never loops over a wall again: a wall has no pressure
/// of its own, so every sum over wall matter is one of them times something of the
/// particle's.
///
/// Planes and boxes have a formula: several faces leave the product of what each leaves
/// free, which for the cubic spline on a lattice is right within 0.3 per cent of the density
/// in an edge and 0.7 in a corner. A thin box repels like a thick wall from both sides. Other
/// shapes are looked up in a field (wall_field.h).
#include "fluid/fluid.h"
#include "fluid/wall_field.h"

#include <math.h>
#include <stdlib.h>

typedef struct Part {
    double value;
    PxVec3 gradient;
    double lever; /* size of the gradient towards each face times how far that is, added up */
} Part;

static Part part_of_box(double value, const double gradient[3], const double at[3],
                        const double edge[3])
{
    Part part = {value, {gradient[0], gradient[1], gradient[2]}, 0};
    for (int a = 0; a < 3; ++a)
        part.lever += fabs(gradient[a] * (fabs(at[a]) - edge[a]));
    return part;
}

/* Part of the kernel around `u` (box frame) that lies in a box. */
static Part solid_box(const PxWallProfile *t, const double at[3], const double edge[3])
{
    double value[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        px_wall_profile_part(t, fabs(at[a]) - edge[a], &value[a], &slope[a]);
        slope[a] = at[a] < 0 ? -slope[a] : slope[a];
    }
    double gradient[3] = {slope[0] * value[1] * value[2], value[0] * slope[1] * value[2],
                          value[0] * value[1] * slope[2]};
    return part_of_box(value[0] * value[1] * value[2], gradient, at, edge);
}

/* The same outside of a hollow box. */
static Part hollow_box(const PxWallProfile *t, const double at[3], const double edge[3])
{
    double clear[3], slope[3];
    for (int a = 0; a < 3; ++a) {
        double low, low_slope, high, high_slope;
        px_wall_profile_part(t, edge[a] - at[a], &high, &high_slope);
        px_wall_profile_part(t, edge[a] + at[a], &low, &low_slope);
        clear[a] = fmax(1 - high - low, 0);
        slope[a] = high_slope - low_slope;
    }
    double gradient[3] = {-slope[0] * clear[1] * clear[2], -clear[0] * slope[1] * clear[2],
                          -clear[0] * clear[1] * slope[2]};
    return part_of_box(1 - clear[0] * clear[1] * clear[2], gradient, at, edge);
}

/* What a wall with a formula takes around a point of its rest frame. */
static PxWallFelt felt_by_formula(const PxWall *wall, const PxWallProfile *t, PxVec3 rest)
{
    PxVec3 normal;
    PxWallFelt felt = {.distance = px_wall_distance(wall, rest, &normal)};
    if (wall->def.kind == PX_SHAPE_BOX) {
        PxVec3 u = px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at));
        PxVec3 half = px_scale(wall->def.size, 0.5 * wall->def.scale);
        const double at[3] = {u.x, u.y, u.z}, edge[3] = {half.x, half.y, half.z};
        Part part = wall->inside ? hollow_box(t, at, edge) : solid_box(t, at, edge);
        felt.part = part.value;
        felt.lever = part.lever;
        felt.gradient = px_rotate(wall->def.rotation, part.gradient);
        return felt;
    }
    double slope;
    px_wall_profile_part(t, felt.distance, &felt.part, &slope);
    felt.gradient = px_scale(normal, slope);
    felt.lever = fabs(slope * felt.distance);
    return felt;
}

/* A lower bound of the distance to a wall, cheap: most particles are far from most
 * walls, and need no more. Boxes and planes are looked at in their own frame as it is at
 * the beginning of the step, others through the box around them. */
typedef struct Glance {
    double row[3][3], shift[3]; /* u = row x + shift: from world to the box's frame */
    double half[3];
    bool box, plane, hollow;
} Glance;

static Glance glance_at(const PxWall *wall)
{
    Glance g = {.plane = wall->def.kind == PX_SHAPE_PLANE};
    PxVec3 middle = wall->def.at, half = {0, 0, 0};
    PxQuat turn = wall->def.rotation;
    if (wall->def.kind == PX_SHAPE_BOX) {
        g.box = true;
        half = px_scale(wall->def.size, 0.5 * wall->def.scale);
    } else if (!g.plane) {
        middle = px_scale(px_add(wall->bounds.low, wall->bounds.high), 0.5);
        half = px_scale(px_sub(wall->bounds.high, wall->bounds.low), 0.5);
        turn = px_quat_identity();
    }
    g.hollow = wall->inside;
    g.half[0] = half.x;
    g.half[1] = half.y;
    g.half[2] = half.z;
    const PxVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
        PxVec3 rest = g.plane ? px_normalized(px_rotate(turn, wall->def.normal), axis[1])
                              : px_rotate(turn, axis[k]);
        PxVec3 world = px_wall_turn_to_world(wall, 0, rest);
        g.row[k][0] = world.x;
        g.row[k][1] = world.y;
        g.row[k][2] = world.z;
        g.shift[k] = -px_dot(world, px_wall_to_world(wall, 0, middle));
    }
    return g;
}

static double glance_distance(const Glance *g, PxVec3 x)
{
    double u[3];
    for (int k = 0; k < (g->plane ? 1 : 3); ++k)
        u[k] = g->row[k][0] * x.x + g->row[k][1] * x.y + g->row[k][2] * x.z + g->shift[k];
    if (g->plane)
        return g->hollow ? -u[0] : u[0];
    double over[3], most;
    for (int k = 0; k < 3; ++k)
        over[k] = fabs(u[k]) - g->half[k];
    most = fmax(over[0], fmax(over[1], over[2]));
    if (g->hollow) /* of any other hollow shape the inside is not known: ask */
        return g->box ? -most : 0;
    if (most <= 0)
        return g->box ? most : 0;
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += over[k] > 0 ? over[k] * over[k] : 0;
    return sqrt(sum);
}

enum { GLANCES = 64 }; /* more walls than this are asked without one */

/* A block that a wall's field lacks. */
typedef struct Lack {
    size_t wall;
    uint64_t key;
} Lack;

typedef struct Job {
    PxFluid *fluid;
    Glance glance[GLANCES];
    PX_LIST(Lack) lack;
    bool no_room;
    bool again; /* only particles that still wait: those whose wall_far is no number */
} Job;

/* What all walls do to one particle. */
typedef struct Sum {
    double clear, clear_flux, nearest, lever; /* part that no wall takes */
    PxVec3 clear_gradient;
    double drag, sticky; /* of walls with friction; part that none without it takes */
    PxVec3 velocity;     /* drag times the walls' own */
    double heat, warmth; /* of walls that are kept at a temperature */
} Sum;

/* What a face of a wall at a temperature does to particle i, `d` away. T continues through the
 * wall's own as the velocity of a viscous fluid does that sticks to it, so the sums are those of
 * its drag. A contact that is not perfect is one more resistance, 1 / conductance, behind that of
 * the way to the wall, d / k for the same area. */
static void sum_face(const PxFluid *f, const PxWall *wall, uint32_t i, double d, Sum *sum)
{
    double heat = px_wall_profile_drag(f->wall_profile, d);
    if (isfinite(wall->conductance)) {
        const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
        double k = def->diffusivity * def->density * def->heat_capacity;
        double passed = wall->conductance * fmax(d, 0.25 * f->spacing);
        heat *= passed > 0 ? passed / (passed + k) : 0;
    }
    sum->heat += heat;
    sum->warmth += heat * wall->temperature;
}

/* In the corners of a hollow box there are several faces; of other shapes the nearest place
 * counts. */
static void sum_heat(const PxFluid *f, const PxWall *wall, uint32_t i, PxVec3 rest, double d,
                     Sum *sum)
{
    if (wall->def.kind != PX_SHAPE_BOX || !wall->inside) {
        sum_face(f, wall, i, d, sum);
        return;
    }
    PxVec3 u = px_rotate(px_quat_conjugate(wall->def.rotation), px_sub(rest, wall->def.at));
    PxVec3 half = px_scale(wall->def.size, 0.5 * wall->def.scale);
    const double at[3] = {u.x, u.y, u.z}, edge[3] = {half.x, half.y, half.z};
    for (int a = 0; a < 3; ++a) {
        sum_face(f, wall, i, edge[a] - at[a], sum);
        sum_face(f, wall, i, edge[a] + at[a], sum);
    }
}

static void sum_add(const PxFluid *f, const PxWall *wall, PxVec3 rest, const PxWallFelt *felt,
                    Sum *sum)
{
    PxVec3 gradient = px_wall_turn_to_world(wall, 0, felt->gradient);
    PxVec3 velocity = px_wall_velocity(wall, rest);
    double left = 1 - felt->part;
    sum->clear_flux = sum->clear_flux * left - px_dot(velocity, gradient) * sum->clear;
    sum->lever = sum->lever * left + felt->lever * sum->clear;
    sum->clear_gradient =
        px_sub(px_scale(sum->clear_gradient, left), px_scale(gradient, sum->clear));
    sum->clear *= left;
    sum->sticky *= 1 - (1 - wall->friction) * felt->part;
    if (wall->friction > 0) {
        double grip = wall->friction * px_wall_profile_drag(f->wall_profile, felt->distance);
        sum->drag += grip;
        sum->velocity = px_mad(sum->velocity, velocity, grip);
    }
}

static void note_lack(Job *job, size_t wall, uint64_t key)
{
    px_join_begin();
    if (PX_LIST_RESERVE(&job->lack, 1))
        job->lack.data[job->lack.count++] = (Lack){wall, key};
    else
        job->no_room = true;
    px_join_end();
}

/* False if a field lacks a block. */
static bool sum_walls(Job *job, uint32_t i, PxWallLook *look, Sum *sum)
{
    const PxFluid *f = job->fluid;
    const PxParticles *p = f->particles;
    PxVec3 x = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
    double h = (double)f->kernel.h;
    bool whole = true;
    *sum = (Sum){.clear = 1, .sticky = 1, .nearest = INFINITY};
    for (size_t k = 0; k < f->walls; ++k) {
        const PxWall *wall = &f->wall[k];
        double distance = k < GLANCES ? glance_distance(&job->glance[k], x) : 0;
        if (distance >= h) {
            sum->nearest = fmin(sum->nearest, distance);
            continue;
        }
        PxVec3 rest = px_wall_to_rest(wall, 0, x);
        PxWallFelt felt;
        if (wall->field == NULL) {
            felt = felt_by_formula(wall, f->wall_profile, rest);
        } else {
            PxWallLook fresh = {0}, *mine = k < GLANCES ? &look[k] : &fresh;
            uint64_t before = mine->key;
            if (!px_wall_field_ask(wall->field, rest, mine, &felt)) {
                whole = false;
                if (mine->key != before)
                    note_lack(job, k, mine->key);
                continue;
            }
            felt.lever = px_length(felt.gradient) * fmax(felt.distance, 0);
        }
        sum->nearest = fmin(sum->nearest, felt.distance);
        if (felt.distance < h)
            sum_add(f, wall, rest, &felt, sum);
        if (felt.distance < h && f->wall_heat != NULL && !isnan(wall->temperature))
            sum_heat(f, wall, i, rest, felt.distance, sum);
    }
    return whole;
}

static void walls_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    PxFluid *f = job->fluid;
    PxWallLook look[GLANCES] = {{0}};
    for (uint32_t i = begin; i < end; ++i) {
        Sum sum;
        if (job->again && !isnan(f->wall_far[i]))
            continue;
        if (!sum_walls(job, i, look, &sum)) {
            f->wall_far[i] = NAN;
            continue;
        }
        f->wall_part[i] = (float)(1 - sum.clear);
        f->wall_gx[i] = (float)-sum.clear_gradient.x;
        f->wall_gy[i] = (float)-sum.clear_gradient.y;
        f->wall_gz[i] = (float)-sum.clear_gradient.z;
        f->wall_flux[i] = (float)-sum.clear_flux;
        f->wall_far[i] = (float)sum.nearest;
        f->wall_lever[i] = (float)sum.lever;
        f->wall_slip[i] = (float)(1 - sum.sticky);
        f->wall_drag[i] = (float)sum.drag;
        if (f->wall_heat != NULL) {
            f->wall_heat[i] = sum.heat;
            f->wall_warmth[i] = sum.warmth;
        }
        f->wall_vx[i] = (float)sum.velocity.x;
        f->wall_vy[i] = (float)sum.velocity.y;
        f->wall_vz[i] = (float)sum.velocity.z;
    }
}

/* Makes the blocks that were missing. */
static PxStatus grow_fields(Job *job, const PxThreads *threads)
{
    if (job->no_room)
        return px_fail(PX_ERR_MEMORY, "walls: no room for a list of blocks");
    uint64_t *key = malloc(job->lack.count * sizeof *key);
    if (key == NULL)
        return px_fail(PX_ERR_MEMORY, "walls: no room for a list of %zu blocks", job->lack.count);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < job->fluid->walls && status == PX_OK; ++k) {
        size_t keys = 0;
        for (size_t l = 0; l < job->lack.count; ++l)
            if (job->lack.data[l].wall == k)
                key[keys++] = job->lack.data[l].key;
        if (keys > 0)
            status = px_wall_field_grow(job->fluid->wall[k].field, key, keys, threads);
    }
    free(key);
    return status;
}

PxStatus px_fluid_walls(PxFluid *f)
{
    Job job = {.fluid = f};
    for (size_t k = 0; k < f->walls; ++k) {
        if (k < GLANCES)
            job.glance[k] = glance_at(&f->wall[k]);
        if (f->wall[k].field != NULL)
            PX_TRY(px_wall_field_fit(f->wall[k].field, f->wall_profile));
    }
    px_parallel_for(f->threads, f->count, PX_BLOCK, walls_block, &job);
    PxStatus status = PX_OK;
    if (job.lack.count > 0 || job.no_room) {
        status = grow_fields(&job, f->threads);
        job.again = true;
        if (status == PX_OK)
            px_parallel_for(f->threads, f->count, PX_BLOCK, walls_block, &job);
    }
    PX_LIST_FREE(&job.lack);
    return status;
}
