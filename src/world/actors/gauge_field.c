/// Fields at points and the level of a free surface, from the particles around.
#include "world/actors/gauge.h"

#include "base/mat3.h"
#include "matter/boundary.h"
#include "matter/kernel.h"
#include "world/world_parts.h"

#include <math.h>
#include <string.h>

/* A sample is summed by one thread in the order of the rows, which is by (cell, id), so its bits do
 * not depend on threads. */

/* Rows that may be near a point. Worlds that do not flow have no grid: all rows. */
static int rows_near(const PxWorld *world, PxVec3 at, PxRange row[9])
{
    if (world->flow_rows > 0)
        return px_grid_rows(&world->grid, (float)at.x, (float)at.y, (float)at.z, row);
    row[0] = (PxRange){0, world->particles.table.count};
    return 1;
}

/* Does the gauge count that row? Pressure is of matter that flows. */
static bool counts(const PxWorld *world, const PxGauge *gauge, uint32_t i)
{
    const PxParticles *p = &world->particles;
    if (gauge->def.body.slot != 0 && p->body[i] != gauge->def.body.slot - 1)
        return false;
    const PxMaterialDef *def = &world->materials.data[p->material[i]].def;
    return gauge->def.measures != PX_GAUGE_PRESSURE || !(def->young > 0) || def->melts.melts;
}

/* ---- matter and walls ---------------------------------------------------------------------- */

/* Part of the kernel's integral beyond a plane at distance d. */
static double beyond(double h, double d)
{
    enum { PARTS = 16 };
    double low = fmin(fabs(d), h), width = (h - low) / PARTS, sum = 0;
    for (int k = 0; k < PARTS; ++k)
        sum += width * px_kernel_plane(h, low + (k + 0.5) * width);
    return d >= 0 ? sum : 1 - sum;
}

/* Part of the kernel around a point that walls leave free. */
static double free_part(const PxWorld *world, PxVec3 at)
{
    double h = world->def.support * world->def.spacing, clear = 1;
    for (size_t k = 0; k < world->boundaries.count; ++k) {
        double d = px_boundary_distance(world->boundaries.data[k], 0, at, NULL);
        if (d < h)
            clear *= 1 - beyond(h, d);
    }
    return clear;
}

/* Moves a point away from walls, to a spacing from each face, where the kernel is hardly cut off;
 * in gaps that are too narrow, as far as that goes. False: it is in a wall. */
static bool step_off_walls(const PxWorld *world, PxVec3 *at)
{
    enum { FACES = 4 }; /* those of a corner, and one more */
    double s = world->def.spacing;
    for (int face = 0; face < FACES; ++face) {
        double nearest = s;
        PxVec3 away = {0, 0, 0};
        for (size_t k = 0; k < world->boundaries.count; ++k) {
            PxVec3 normal;
            double d = px_boundary_distance(world->boundaries.data[k], 0, *at, &normal);
            if (d < nearest) {
                nearest = d;
                away = normal;
            }
        }
        if (face == 0 && nearest < -1e-3 * s)
            return false;
        if (!(nearest < (1 - 1e-6) * s))
            return true;
        *at = px_mad(*at, away, s - nearest);
    }
    return true;
}

/* Sums of the kernel's values over the particles around a point. */
typedef struct Around {
    double filled;    /* of volumes times the kernel: 1 in matter, 1/2 at its surface */
    double weight;    /* sum w */
    PxVec3 middle;    /* sum w d */
    double spread[6]; /* sum w d d: xx, yy, zz, xy, yz, zx */
    double value[3];  /* sum w f */
    PxVec3 slope[3];  /* sum w f d */
} Around;

static void read_row(const PxWorld *world, const PxGauge *gauge, uint32_t i, double f[3])
{
    const PxParticles *p = &world->particles;
    f[1] = f[2] = 0;
    if (gauge->def.measures == PX_GAUGE_VELOCITY) {
        f[0] = (double)p->vx[i];
        f[1] = (double)p->vy[i];
        f[2] = (double)p->vz[i];
    } else {
        f[0] = gauge->def.measures == PX_GAUGE_PRESSURE ? (double)p->pressure[i]
                                                        : (double)p->temperature[i];
    }
}

static void look_around(const PxWorld *world, const PxGauge *gauge, PxVec3 at, bool values,
                        Around *out)
{
    const PxParticles *p = &world->particles;
    double h = world->def.support * world->def.spacing;
    PxRange row[9];
    int rows = rows_near(world, at, row);
    *out = (Around){0};
    for (int k = 0; k < rows; ++k)
        for (uint32_t i = row[k].begin; i < row[k].end; ++i) {
            PxVec3 d = {(double)p->x[i] - at.x, (double)p->y[i] - at.y, (double)p->z[i] - at.z};
            double r2 = px_dot(d, d);
            if (!(r2 < h * h) || !counts(world, gauge, i))
                continue;
            double w = px_kernel_value(h, sqrt(r2));
            double density = world->materials.data[p->material[i]].def.density;
            out->filled += w * (double)p->mass[i] / density;
            if (!values)
                continue;
            double f[3],
                product[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.y * d.z, d.z * d.x};
            read_row(world, gauge, i, f);
            out->weight += w;
            out->middle = px_mad(out->middle, d, w);
            for (int c = 0; c < 6; ++c)
                out->spread[c] += w * product[c];
            for (int c = 0; c < 3; ++c) {
                out->value[c] += w * f[c];
                out->slope[c] = px_mad(out->slope[c], d, w * f[c]);
            }
        }
}

/* At its surface, matter fills half of what walls leave of the kernel. */
static bool is_filled(const PxWorld *world, PxVec3 at, const Around *a)
{
    return a->filled > 0 && (a->filled >= 0.5 || a->filled >= 0.5 * free_part(world, at));
}

static bool is_matter(const PxWorld *world, const PxGauge *gauge, PxVec3 at)
{
    Around a;
    if (!step_off_walls(world, &at))
        return false;
    look_around(world, gauge, at, false, &a);
    return is_filled(world, at, &a);
}

/* ---- fields -------------------------------------------------------------------------------- */

/* Variance of positions, in h^2, below which matter counts as flat: no slope across it. */
#define FLAT 1e-6

/* The linear function f + g . d with the least sum of w times squared differences, at `d`. */
static double fit_at(const Around *a, int c, double h, PxVec3 d)
{
    double per = 1 / a->weight, mean = a->value[c] * per;
    PxVec3 middle = px_scale(a->middle, per);
    double xx = a->spread[0] * per - middle.x * middle.x + FLAT * h * h;
    double yy = a->spread[1] * per - middle.y * middle.y + FLAT * h * h;
    double zz = a->spread[2] * per - middle.z * middle.z + FLAT * h * h;
    double xy = a->spread[3] * per - middle.x * middle.y;
    double yz = a->spread[4] * per - middle.y * middle.z;
    double zx = a->spread[5] * per - middle.z * middle.x;
    PxMat3 spread = {{{xx, xy, zx}, {xy, yy, yz}, {zx, yz, zz}}}, inverse;
    PxVec3 b = px_mad(px_scale(a->slope[c], per), middle, -mean);
    if (!px_mat3_inverse(spread, &inverse))
        return mean;
    return mean + px_dot(px_mat3_apply(inverse, b), px_sub(d, middle));
}

/* The fit is around a place a spacing off the walls: at a wall or in a corner the kernel has too
 * few particles for a slope. */
bool px_gauge_field(const PxWorld *world, const PxGauge *gauge, PxVec3 at, double out[3])
{
    Around a;
    PxVec3 centre = at;
    if (!step_off_walls(world, &centre))
        return false;
    look_around(world, gauge, centre, true, &a);
    if (!is_filled(world, centre, &a))
        return false;
    for (int c = 0; c < (gauge->def.measures == PX_GAUGE_VELOCITY ? 3 : 1); ++c)
        out[c] = fit_at(&a, c, world->def.support * world->def.spacing, px_sub(at, centre));
    return true;
}

/* ---- level --------------------------------------------------------------------------------- */

/* Heights above `at` between which all particles are. */
static void extent(const PxWorld *world, PxVec3 at, PxVec3 up, double out[2])
{
    PxVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    if (world->flow_rows > 0) {
        const PxGridFrame *f = &world->grid.frame;
        low = px_vec((double)f->origin[0], (double)f->origin[1], (double)f->origin[2]);
        high = px_add(low, px_vec(f->last[0], f->last[1], f->last[2]));
        low = px_scale(low, f->cell);
        high = px_scale(high, f->cell);
    } else {
        PxBounds b = px_bounds_empty();
        for (uint32_t i = 0; i < world->particles.table.count; ++i)
            px_bounds_add(&b, px_particle_place(&world->particles, i));
        low = b.low;
        high = b.high;
    }
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (int k = 0; k < 8; ++k) {
        PxVec3 corner = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        double height = px_dot(px_sub(corner, at), up);
        out[0] = fmin(out[0], height);
        out[1] = fmax(out[1], height);
    }
}

/* From a wet point upwards to the first dry one, or from a dry point downwards to the first wet
 * one, in steps of a spacing; then the place between by bisection. */
double px_gauge_level(const PxWorld *world, const PxGauge *gauge, PxVec3 at)
{
    enum { HALVINGS = 12 };
    double s = world->def.spacing, h = world->def.support * s, wet = 0, dry = 0, reach[2];
    PxVec3 up = gauge->up;
    if (world->particles.table.count == 0)
        return NAN;
    extent(world, at, up, reach);
    if (is_matter(world, gauge, at)) {
        do {
            wet = dry;
            dry += s;
        } while (dry < reach[1] + 2 * h && is_matter(world, gauge, px_mad(at, up, dry)));
    } else {
        do {
            dry = wet;
            wet -= s;
            if (wet < reach[0] - h)
                return NAN;
        } while (!is_matter(world, gauge, px_mad(at, up, wet)));
    }
    for (int k = 0; k < HALVINGS; ++k) {
        double middle = 0.5 * (wet + dry);
        *(is_matter(world, gauge, px_mad(at, up, middle)) ? &wet : &dry) = middle;
    }
    return 0.5 * (wet + dry);
}

/* ---- the stage ----------------------------------------------------------------------------- */

typedef struct Sense {
    const PxWorld *world;
    const PxGauge *gauge;
    double *value; /* 3 a point; NAN: none */
} Sense;

static void sense_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sense *s = user;
    for (uint32_t k = begin; k < end; ++k) {
        double *value = s->value + 3 * (size_t)k;
        PxVec3 at = px_gauge_point(&s->gauge->def, s->gauge->up, k);
        value[0] = value[1] = value[2] = NAN;
        if (s->gauge->def.measures == PX_GAUGE_LEVEL)
            value[0] = px_gauge_level(s->world, s->gauge, at);
        else
            px_gauge_field(s->world, s->gauge, at, value);
    }
}

static bool is_gone(const PxWorld *world, PxBodyId body)
{
    return body.slot != 0 && (body.slot > world->bodies.count ||
                              world->bodies.data[body.slot - 1].generation != body.generation ||
                              !world->bodies.data[body.slot - 1].live);
}

static void sense(PxWorld *world, const PxGauge *gauge, double *value, double *now)
{
    size_t points = px_gauge_points(&gauge->def);
    size_t each = gauge->def.measures == PX_GAUGE_VELOCITY ? 3 : 1;
    Sense job = {world, gauge, value};
    px_parallel_for(&world->threads, (uint32_t)points, 4, sense_block, &job);
    if (gauge->def.place != PX_GAUGE_PLANE) {
        for (size_t k = 0; k < points; ++k)
            memcpy(now + each * k, value + 3 * k, each * sizeof *now);
        return;
    }
    size_t in = 0;
    double sum[3] = {0};
    for (size_t k = 0; k < points; ++k) {
        if (isnan(value[3 * k]))
            continue;
        ++in;
        for (size_t c = 0; c < each; ++c)
            sum[c] += value[3 * k + c];
    }
    for (size_t c = 0; c < each && in > 0; ++c)
        now[c] = sum[c] / (double)in;
}

PxStatus px_gauges_sense(PxWorld *world)
{
    if (world->gauging == NULL)
        return PX_OK;
    PX_STAGE(&world->profile, "gauges")
    for (size_t k = 0; k < world->gauges.count; ++k) {
        const PxGauge *gauge = &world->gauges.data[k];
        size_t points = px_gauge_points(&gauge->def);
        if (!gauge->live || points == 0 || gauge->def.measures == PX_GAUGE_FLUX ||
            is_gone(world, gauge->def.body))
            continue;
        PxArenaMark mark = px_arena_mark(&world->scratch);
        double *value = PX_ARENA_ARRAY(&world->scratch, double, 3 * points);
        if (value == NULL)
            return px_fail(PX_ERR_MEMORY, "gauge '%s': no room for %zu points", gauge->name,
                           points);
        sense(world, gauge, value, world->gauging->now[k]);
        px_arena_release(&world->scratch, mark);
    }
    return PX_OK;
}
