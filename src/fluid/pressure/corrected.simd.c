#include "fluid/pressure/corrected.h"

#include <math.h>
#include <string.h>

/* Rows whose moment, walls included, has an eigenvalue below this lie at a free surface (inside it
 * is 1, in a plane surface about 0.5; Marrone et al. 2010 use 0.75 in two dimensions). */
#define INSIDE 0.75f

/* Smallest eigenvalue of a moment that is inverted. */
#define LEAST 0.15f

typedef struct Job {
    const PxCorrected *c;
    double dt, unit, mass;
    float base, *out, *diagonal, *reach, *row;
    size_t stride;
    bool walls;
} Job;

/* Is the symmetric matrix minus `least` times 1 positive definite? */
static bool above(const float m[6], float least)
{
    float a = m[0] - least, d = m[3] - least, f = m[5] - least;
    float minor = a * d - m[1] * m[1];
    float det = a * (d * f - m[4] * m[4]) - m[1] * (m[1] * f - m[4] * m[2]) +
                m[2] * (m[1] * m[4] - d * m[2]);
    return a > 0.0f && minor > 0.0f && det > 0.0f;
}

static void invert(const float m[6], float out[6])
{
    float xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5];
    float xz = m[1] * m[4] - m[2] * m[3];
    float per = 1.0f / (m[0] * xx + m[1] * xy + m[2] * xz);
    out[0] = per * xx;
    out[1] = per * xy;
    out[2] = per * xz;
    out[3] = per * (m[0] * m[5] - m[2] * m[2]);
    out[4] = per * (m[1] * m[2] - m[0] * m[4]);
    out[5] = per * (m[0] * m[3] - m[1] * m[1]);
}

static void moment_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCorrected *c = ((const Job *)user)->c;
    const PxFluid *f = c->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    const PxF8 zero = px_f8(0.0f);
    float s3 = (float)(f->spacing * f->spacing * f->spacing), per_s3 = 1.0f / s3;
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i, *own_v = c->velocity + 4 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]);
        PxF8 ui = px_f8(own_v[0]), vi = px_f8(own_v[1]), wi = px_f8(own_v[2]);
        PxF8 sx = zero, sy = zero, sz = zero;
        PxF8 xx = zero, xy = zero, xz = zero, yy = zero, yz = zero, zz = zero;
        PxF8 ux = zero, uy = zero, uz = zero, vx = zero, vy = zero, vz = zero;
        PxF8 wx = zero, wy = zero, wz = zero;
        const float *slope = c->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, u, v, w, none;
            px_f8_load_quads(quad, j, &x, &y, &z, &none);
            px_f8_load_quads(c->velocity, j, &u, &v, &w, &none);
            PxF8 g = px_f8_load(slope);
            slope += 8;
            x = xi - x;
            y = yi - y;
            z = zi - z;
            u = ui - u;
            v = vi - v;
            w = wi - w;
            PxF8 gx = g * x, gy = g * y, gz = g * z;
            sx += gx;
            sy += gy;
            sz += gz;
            xx -= gx * x;
            xy -= gx * y;
            xz -= gx * z;
            yy -= gy * y;
            yz -= gy * z;
            zz -= gz * z;
            ux -= u * gx;
            uy -= u * gy;
            uz -= u * gz;
            vx -= v * gx;
            vy -= v * gy;
            vz -= v * gz;
            wx -= w * gx;
            wy -= w * gy;
            wz -= w * gz;
        }
        float m[6] = {s3 * px_f8_sum(xx), s3 * px_f8_sum(xy), s3 * px_f8_sum(xz),
                      s3 * px_f8_sum(yy), s3 * px_f8_sum(yz), s3 * px_f8_sum(zz)};
        const float a[9] = {s3 * px_f8_sum(ux), s3 * px_f8_sum(uy), s3 * px_f8_sum(uz),
                            s3 * px_f8_sum(vx), s3 * px_f8_sum(vy), s3 * px_f8_sum(vz),
                            s3 * px_f8_sum(wx), s3 * px_f8_sum(wy), s3 * px_f8_sum(wz)};
        float l[6] = {0};
        float *out = c->turn + 8 * (size_t)i;
        bool usable = above(m, LEAST);
        if (usable)
            invert(m, l); /* of the fluid alone: neighbours alone give the gradient */
        float d[9];       /* du_a / dx_b */
        for (int r = 0; r < 3; ++r) {
            const float *row = a + 3 * r;
            d[3 * r] = row[0] * l[0] + row[1] * l[1] + row[2] * l[2];
            d[3 * r + 1] = row[0] * l[1] + row[1] * l[3] + row[2] * l[4];
            d[3 * r + 2] = row[0] * l[2] + row[1] * l[4] + row[2] * l[5];
        }
        if (c->gradient != NULL)
            memcpy(c->gradient + 9 * (size_t)i, d, sizeof d);
        const float strain[8] = {0.5f * d[0], 0.5f * (d[1] + d[3]), 0.5f * (d[2] + d[6]),
                                 0.5f * d[4], 0.5f * (d[5] + d[7]), 0.5f * d[8]};
        memcpy(c->six[0] + 4 * (size_t)i, strain, 4 * sizeof(float));
        memcpy(c->six[1] + 4 * (size_t)i, strain + 4, 4 * sizeof(float));
        float n[3] = {f->wall_gx[i], f->wall_gy[i], f->wall_gz[i]};
        float g2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        float lever = g2 > 0.0f ? f->wall_lever[i] / g2 : 0.0f;
        m[0] += lever * n[0] * n[0];
        m[1] += lever * n[0] * n[1];
        m[2] += lever * n[0] * n[2];
        m[3] += lever * n[1] * n[1];
        m[4] += lever * n[1] * n[2];
        m[5] += lever * n[2] * n[2];
        float full[6];
        memcpy(full, m, sizeof full);
        full[0] += f->wall_part[i];
        full[3] += f->wall_part[i];
        full[5] += f->wall_part[i];
        bool inside = above(full, INSIDE) && above(m, LEAST) &&
                      (f->solid_fraction == NULL || f->solid_fraction[i] < 0.5f) &&
                      f->inverse_mass[i] > 0.0f;
        float k = 1.0f;
        if (inside) {
            invert(m, l);
            if (g2 > 0.0f)
                k = (l[0] * n[0] * n[0] + l[3] * n[1] * n[1] + l[5] * n[2] * n[2] +
                     2.0f * (l[1] * n[0] * n[1] + l[2] * n[0] * n[2] + l[4] * n[1] * n[2])) /
                    g2;
        } else {
            memset(l, 0, sizeof l);
            l[0] = l[3] = l[5] = 1.0f;
        }
        memcpy(out, l, sizeof l);
        out[6] = k;
        out[7] = inside ? 1.0f : 0.0f;
        float t[3] = {px_f8_sum(sx), px_f8_sum(sy), px_f8_sum(sz)}, *sum = c->sum + 4 * (size_t)i;
        sum[0] = l[0] * t[0] + l[1] * t[1] + l[2] * t[2] + k * n[0] * per_s3;
        sum[1] = l[1] * t[0] + l[3] * t[1] + l[4] * t[2] + k * n[1] * per_s3;
        sum[2] = l[2] * t[0] + l[4] * t[1] + l[5] * t[2] + k * n[2] * per_s3;
        sum[3] = 0.0f;
    }
}

PxStatus PX_ISA_NAME(px_corrected_begin)(PxCorrected *c, const PxFluid *f, const float *slope,
                                         bool gradient)
{
    size_t rows = px_fluid_visible(f), quads = px_quads_floats(px_fluid_visible(f));
    *c = (PxCorrected){.fluid = f, .slope = slope};
    c->turn = PX_ARENA_ARRAY(f->scratch, float, 8 * rows);
    c->sum = PX_ARENA_ARRAY(f->scratch, float, 4 * rows);
    c->six[0] = PX_ARENA_ARRAY(f->scratch, float, quads);
    c->six[1] = PX_ARENA_ARRAY(f->scratch, float, quads);
    c->velocity = PX_ARENA_ARRAY(f->scratch, float, quads);
    if (gradient)
        c->gradient = PX_ARENA_ARRAY(f->scratch, float, 9 * rows);
    if ((gradient && c->gradient == NULL) || c->turn == NULL || c->sum == NULL ||
        c->six[0] == NULL || c->six[1] == NULL || c->velocity == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    const PxParticles *p = f->particles;
    memset(c->six[0] + 4 * rows, 0, 4 * sizeof(float));
    memset(c->six[1] + 4 * rows, 0, 4 * sizeof(float));
    px_fluid_pack(f, c->velocity, p->vx, p->vy, p->vz, NULL);
    memset(c->velocity + 4 * rows, 0, 4 * sizeof(float));
    Job job = {.c = c};
    px_parallel_for(f->threads, f->count, PX_BLOCK, moment_block, &job);
    px_fluid_refresh_quads(f, c->six[0]);
    px_fluid_refresh_quads(f, c->six[1]);
    return PX_OK;
}

/* ---- damping ------------------------------------------------------------------- */

static void damp_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCorrected *c = ((const Job *)user)->c;
    const PxFluid *f = c->fluid;
    const PxPairs *pairs = f->pairs;
    PxParticles *p = f->particles;
    const PxF8 zero = px_f8(0.0f), soft = px_f8(0.01f * 0.25f * f->kernel.h * f->kernel.h);
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = f->quad + 4 * (size_t)i, *own_v = c->velocity + 4 * (size_t)i;
        const float *own_a = c->six[0] + 4 * (size_t)i, *own_b = c->six[1] + 4 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]);
        PxF8 ui = px_f8(own_v[0]), vi = px_f8(own_v[1]), wi = px_f8(own_v[2]);
        PxF8 ax = zero, ay = zero, az = zero;
        const float *slope = c->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, u, v, w, weight, xx, xy, xz, yy, yz, zz, none;
            px_f8_load_quads(f->quad, j, &x, &y, &z, &none);
            px_f8_load_quads(c->velocity, j, &u, &v, &w, &weight);
            px_f8_load_quads(c->six[0], j, &xx, &xy, &xz, &yy);
            px_f8_load_quads(c->six[1], j, &yz, &zz, &none, &none);
            x = xi - x;
            y = yi - y;
            z = zi - z;
            PxF8 r2 = x * x + y * y + z * z;
            PxF8 jump = (ui - u) * x + (vi - v) * y + (wi - w) * z;
            PxF8 linear = x * ((px_f8(own_a[0]) + xx) * x + (px_f8(own_a[1]) + xy) * y +
                               (px_f8(own_a[2]) + xz) * z) +
                          y * ((px_f8(own_a[3]) + yy) * y + (px_f8(own_b[0]) + yz) * z) +
                          z * z * (px_f8(own_b[1]) + zz);
            /* Of the sign of the jump and not larger, so that it always dissipates. */
            PxF8 left =
                px_f8_max(px_f8_min(jump - linear, px_f8_max(jump, zero)), px_f8_min(jump, zero));
            PxF8 s = px_f8_load(slope) * weight * left / (r2 + soft);
            slope += 8;
            ax += s * x;
            ay += s * y;
            az += s * z;
        }
        float scale = 0.5f * f->kernel.h * own_v[3] * f->inverse_mass[i];
        p->ax[i] += scale * px_f8_sum(ax);
        p->ay[i] += scale * px_f8_sum(ay);
        p->az[i] += scale * px_f8_sum(az);
    }
}

void PX_ISA_NAME(px_corrected_damp)(const PxCorrected *c, const float *weight)
{
    const PxFluid *f = c->fluid;
    Job job = {.c = c};
    px_fluid_pack_w(f, c->velocity, weight);
    px_parallel_for(f->threads, f->count, PX_BLOCK, damp_block, &job);
}

/* ---- bounds --------------------------------------------------------------------- */

/* Length of L_i grad W_ij of eight neighbours, times unit. */
PX_INLINE PxF8 gradient_size(const float *l, PxF8 g, PxF8 x, PxF8 y, PxF8 z)
{
    PxF8 a = px_f8(l[0]) * x + px_f8(l[1]) * y + px_f8(l[2]) * z;
    PxF8 b = px_f8(l[1]) * x + px_f8(l[3]) * y + px_f8(l[4]) * z;
    PxF8 c = px_f8(l[2]) * x + px_f8(l[4]) * y + px_f8(l[5]) * z;
    return -g * px_f8_sqrt(a * a + b * b + c * c);
}

/* `last`: multiplies by the neighbours' reach, which is in the quads; before, by their masses. */
PX_INLINE void bounds_rows(const Job *job, uint32_t begin, uint32_t end, bool last)
{
    const PxCorrected *c = job->c;
    const PxFluid *f = c->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    PxF8 unit = px_f8((float)job->unit), zero = px_f8(0.0f);
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i, *l = c->turn + 8 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]);
        PxF8 sizes = zero, sum = zero;
        const float *slope = c->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, value;
            px_f8_load_quads(quad, j, &x, &y, &z, &value);
            PxF8 size = gradient_size(l, px_f8_load(slope) * unit, xi - x, yi - y, zi - z);
            slope += 8;
            sizes += size;
            sum += last ? value * size : value * size * size;
        }
        float t[3], per_mass = (float)job->mass * f->inverse_mass[i];
        for (int k = 0; k < 3; ++k)
            t[k] = (float)job->unit * c->sum[4 * (size_t)i + (size_t)k];
        float size = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        if (last) {
            job->row[i] = size * job->reach[i] + px_f8_sum(sum);
        } else {
            job->diagonal[i] = size * size * per_mass + px_f8_sum(sum);
            job->reach[i] = (size + px_f8_sum(sizes)) * per_mass;
        }
    }
}

static void diagonal_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    bounds_rows(user, begin, end, false);
}

static void row_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    bounds_rows(user, begin, end, true);
}

void PX_ISA_NAME(px_corrected_bounds)(const PxCorrected *c, double unit, double mass,
                                      float *diagonal, float *reach, float *row)
{
    const PxFluid *f = c->fluid;
    Job job = {
        .c = c, .unit = unit, .mass = mass, .diagonal = diagonal, .reach = reach, .row = row};
    px_parallel_for(f->threads, f->count, PX_BLOCK, diagonal_block, &job);
    px_fluid_pack_w(f, f->quad, reach);
    px_parallel_for(f->threads, f->count, PX_BLOCK, row_block, &job);
}

/* ---- the two passes -------------------------------------------------------------- */

static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCorrected *c = ((const Job *)user)->c;
    for (size_t i = begin; i < end; ++i) {
        const float *l = c->turn + 8 * i;
        float p = c->fluid->quad[4 * i + 3], *a = c->six[0] + 4 * i;
        float *b = c->six[1] + 4 * i;
        for (int k = 0; k < 4; ++k)
            a[k] = p * l[k];
        b[0] = p * l[4];
        b[1] = p * l[5];
        b[2] = b[3] = 0.0f;
    }
}

static void velocity_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxCorrected *c = job->c;
    const PxFluid *f = c->fluid;
    const PxParticles *p = f->particles;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    float dt = (float)job->dt, base = job->base;
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i, *sum = c->sum + 4 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]);
        PxF8 ax = px_f8(0.0f), ay = ax, az = ax;
        const float *slope = c->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, none, xx, xy, xz, yy, yz, zz, none2;
            px_f8_load_quads(quad, j, &x, &y, &z, &none);
            px_f8_load_quads(c->six[0], j, &xx, &xy, &xz, &yy);
            px_f8_load_quads(c->six[1], j, &yz, &zz, &none, &none2);
            PxF8 g = px_f8_load(slope);
            slope += 8;
            x = g * (xi - x);
            y = g * (yi - y);
            z = g * (zi - z);
            ax += xx * x + xy * y + xz * z;
            ay += xy * x + yy * y + yz * z;
            az += xz * x + yz * y + zz * z;
        }
        float scale = -dt * f->inverse_mass[i];
        float u = scale * (px_f8_sum(ax) + own[3] * sum[0]);
        float v = scale * (px_f8_sum(ay) + own[3] * sum[1]);
        float w = scale * (px_f8_sum(az) + own[3] * sum[2]);
        if (base != 0.0f) {
            u += p->vx[i] + dt * p->ax[i];
            v += p->vy[i] + dt * p->ay[i];
            w += p->vz[i] + dt * p->az[i];
        }
        float *to = c->velocity + 4 * (size_t)i, *out = job->out + job->stride * i;
        to[0] = out[0] = u;
        to[1] = out[1] = v;
        to[2] = out[2] = w;
        to[3] = 0.0f;
    }
}

void PX_ISA_NAME(px_corrected_velocities)(const PxCorrected *c, double dt, float base, float *out,
                                          size_t stride)
{
    const PxFluid *f = c->fluid;
    Job job = {.c = c, .dt = dt, .base = base, .out = out, .stride = stride};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, pack_block, &job);
    px_fluid_refresh_quads(f, c->six[0]);
    px_fluid_refresh_quads(f, c->six[1]);
    px_parallel_for(f->threads, f->count, PX_BLOCK, velocity_block, &job);
    px_fluid_refresh_quads(f, c->velocity);
}

static void rate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxCorrected *c = job->c;
    const PxFluid *f = c->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    float s3 = (float)(f->spacing * f->spacing * f->spacing), dt = (float)job->dt;
    const PxF8 zero = px_f8(0.0f);
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i, *own_v = c->velocity + 4 * (size_t)i;
        const float *l = c->turn + 8 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]);
        PxF8 ui = px_f8(own_v[0]), vi = px_f8(own_v[1]), wi = px_f8(own_v[2]);
        PxF8 xx = zero, xy = zero, xz = zero, yy = zero, yz = zero, zz = zero;
        const float *slope = c->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, u, v, w, none;
            px_f8_load_quads(quad, j, &x, &y, &z, &none);
            px_f8_load_quads(c->velocity, j, &u, &v, &w, &none);
            PxF8 g = px_f8_load(slope);
            slope += 8;
            x = g * (xi - x);
            y = g * (yi - y);
            z = g * (zi - z);
            u = ui - u;
            v = vi - v;
            w = wi - w;
            xx += u * x;
            yy += v * y;
            zz += w * z;
            xy += u * y + v * x;
            xz += u * z + w * x;
            yz += v * z + w * y;
        }
        float wall = own_v[0] * f->wall_gx[i] + own_v[1] * f->wall_gy[i] + own_v[2] * f->wall_gz[i];
        if (job->walls)
            wall -= f->wall_flux[i];
        float sum = l[0] * px_f8_sum(xx) + l[3] * px_f8_sum(yy) + l[5] * px_f8_sum(zz) +
                    l[1] * px_f8_sum(xy) + l[2] * px_f8_sum(xz) + l[4] * px_f8_sum(yz);
        job->out[i] = dt * (s3 * sum + l[6] * wall);
    }
}

void PX_ISA_NAME(px_corrected_rates)(const PxCorrected *c, double dt, bool walls, float *rate)
{
    Job job = {.c = c, .dt = dt, .walls = walls, .out = rate};
    px_parallel_for(c->fluid->threads, c->fluid->count, PX_BLOCK, rate_block, &job);
}
