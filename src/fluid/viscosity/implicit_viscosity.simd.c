/// Implicit viscosity by backward Euler. The velocity v' after the step follows from the velocity v
/// with all other forces except pressure,
///
///   (M + dt K) v' = M v + walls,
///
/// stable for any viscosity and step. K v is the gradient of half the dissipated power,
///
///   1/2 sum_i min over w_i of sum_j k_ij |v_ij - w_i x x_ij|^2,
///   k_ij = 2 mu_ij V_i V_j (- x_ij . grad W) / (r^2 + 0.01 h^2)
///
/// with the pair weights of Morris, Fox and Zhu (1997) (004 Eq. 2.38), h the smoothing length,
/// and w_i the least-squares rotation of the neighbourhood of i (fluid/turn.h), so that
///
///   (K v)_i = sum_j k_ij (2 v_ij - (w_i + w_j) x x_ij).
///
/// Removing the rotation leaves the symmetric part of the velocity gradient, as in a Newtonian
/// fluid (the form of Morris et al. has the whole gradient; inside an incompressible fluid the two
/// agree). A free surface is then stress-free. K is symmetric and rigid motions are in its kernel,
/// so linear and angular momentum are conserved. Forces along x_ij (Monaghan 2005; Weiler et al.
/// 2018) conserve both too, in one pass over the pairs instead of two, but are anisotropic on a
/// lattice of spacing h: 0.71 to 1.47 of the viscosity, against 1.00 to 1.01 here.
///
/// mu_ij is the harmonic mean, which keeps the shear stress continuous where two fluids
/// meet (Cleary and Monaghan 1999).
///
/// A wall enters as Morris' sum over its layers (fluid/boundaries.c). Half a neighbourhood cannot
/// tell rotation from shear, so near a wall the energy of i is blended with Morris' own,
/// sum_j k_ij |v_ij|^2 / 2, with the weight t_i of no-slip walls:
///
///   (K v)_i = sum_j k_ij ((e_i + e_j) v_ij - (u_i + u_j) x x_ij) + m_i nu_i drag_i v_i
///   e_i = 1 - t_i / 2,  u_i = (1 - t_i) w_i.
///
/// Pressure follows viscosity in a step. If viscosity saw the velocities without it, a pressure
/// gradient G would accelerate a film of fluid by G dt / rho in every step before viscosity stops
/// it in the next one: with long steps, a film between plates flows by that speed, not by
/// h^2 G / (12 mu). So v includes the force of the pressure so far, as in incremental pressure
/// correction (Goda 1979); pressure itself is solved for anew. It is low-pass filtered in time,
/// since a step that is cut short to end at a frame has a pressure far off the mean. Particles
/// carry its acceleration with them: it balances gravity in a fluid at rest with every pressure
/// model. Without it, walls with friction would hold up a fluid that falls by g dt in every step.
///
/// Solved by conjugate gradients for v' - v, preconditioned with the diagonal of a full lattice of
/// the most viscous fluid plus that of the walls. Away from walls it is a multiple of the masses,
/// so every iterate conserves both momenta, also where viscosities differ. Very viscous fluids
/// start from the change of the last step (at 10 Pa s that saves nothing) and have a coarse part in
/// the preconditioner (coarse_viscosity.h), which solves for the smooth part of the change, except
/// in worlds with elastic matter. That part conserves momenta only as far as it is solved, so what
/// matter that moves freely would gain is removed at the end. Fluids of low viscosity, as water,
/// use the explicit force of Morris et al. without rotations, one pass over the pairs.
#include "fluid/fluid.h"
#include "base/stop.h"
#include "base/sum.h"
#include "fluid/turn.h"
#include "fluid/viscosity/coarse_viscosity.h"
#include "fluid/viscosity/explicit_viscosity.h"
#include "fluid/yield_drag.h"
#include "fluid/viscosity/free_change.h"

#include <math.h>
#include <string.h>

enum { ERROR, ITERATIONS };

static const PxField fields[] = {
    {.key = "error",
     .kind = PX_FIELD_NUMBER,
     .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
     .offset = ERROR * sizeof(double),
     .unit = "",
     .least = 0,
     .most = 1,
     .help = "Tolerance: residual of the solve relative to the viscous force."},
    {.key = "iterations",
     .kind = PX_FIELD_COUNT,
     .flags = PX_FIELD_LIVE,
     .offset = ITERATIONS * sizeof(double),
     .unit = "",
     .least = 1,
     .most = 1e6,
     .help = "Largest number of iterations of a solve."},
};

static const double defaults[] = {[ERROR] = 1e-3, [ITERATIONS] = 500};

/* Limits of the viscous rate K / M: a fluid is thin (explicit) if the rate is below THIN_RATE, 1/s,
 * and rate times dt below THIN; it is thick (warm start) if rate times dt is above the third. At a
 * rate of 1/s Morris' form damps the rotation of a ball of radius 5 spacings by 3 per cent per
 * second, that of larger ones less. Water is thin down to a spacing of 2.6 mm. */
#define THIN_RATE 1.0
#define THIN 1e-2
#define THICK 20.0

/* Rate times dt from which on the pressure so far takes part: see above. From 0.1 on, the stirred
 * bar of study/heat_bar.h came to rest in another order that conducts worse (docs/decisions.md 31).
 */
#define VISCOUS 0.4

static double step_limit(const PxMaterialDef *material, double h)
{
    (void)material;
    (void)h;
    return INFINITY;
}

/* Vectors of the solve are quads: x, y, z and 0 per particle. */
typedef struct Solve {
    PxFluid *fluid;
    float dt;
    float weight_scale; /* of k_ij */
    float *mu, *volume; /* Pa s, m^3 */
    float *lever;       /* dt k_ij x_ij, kg m, 8 entries of the neighbour lists at a time; NULL: not
                         * stored, as few iterations do not pay for 12 bytes a pair */
    float *pair;        /* dt k_ij, kg; with levers, after the first pass, dt k_ij (e_i + e_j) */
    float *stick;       /* t_i */
    float *even;        /* e_i */
    float *drag;        /* dt m_i nu_i drag_i, kg */
    uint8_t *tied;      /* a wall drags it */
    float *diagonal;    /* inverse of the preconditioner, 1/kg */
    float *inverse;     /* 6 per particle: w_i is this matrix times sum k x_ij x v_ij */
    float *turn;        /* quads: u_i */
    float *push;        /* quads: acceleration by the pressure so far, m/s^2 */
    float *p, *kp, *r, *x;
    float *z;              /* the coarse part of the preconditioned residual; NULL: none */
    float *spread, *total; /* q, and m + drag, of coarse_viscosity.h; NULL: not needed */
    bool smooth;           /* there is a coarse part */
    PxCoarseViscosity coarse;
    float massive; /* 1: M is added to dt K */
    double rate; /* diagonal of K over the mass in a full lattice of the most viscous fluid, 1/s */
    float alpha, beta;
    double magic;       /* of the sum that a pass adds up */
    PxYieldDrag yields; /* rigid bodies that yield to drag */
} Solve;

PX_INLINE double row_dot(const float *a, const float *b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
}

/* ---- the operator ------------------------------------------------------- */

PX_INLINE void set_turn(const Solve *s, uint32_t i, const PxTurn8 *sum)
{
    float *turn = s->turn + 4 * (size_t)i;
    px_turn_apply8(sum, s->inverse + 6 * (size_t)i, 1.0f - s->stick[i], turn);
    turn[3] = 0.0f;
}

/* Pair weights, and rotations of the velocities in p. Fourth components: mu in the position
 * quads, volume in those of p. */
static void weights_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxFluid *f = s->fluid;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    PxF8 soft = px_f8(0.01f * 0.25f * kernel.h * kernel.h);
    PxF8 zero = px_f8(0.0f), small = px_f8(1e-30f);

    for (uint32_t i = begin; i < end; ++i) {
        const float *vi = s->p + 4 * (size_t)i;
        PxPlace8 at = px_place8(quad, i);
        PxF8 mu_i = px_f8(quad[4 * (size_t)i + 3]), volume_i = px_f8(s->weight_scale * vi[3]);
        PxTurn8 sum = {0};
        float *pair = s->pair + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, mu, u, v, w, volume;
            px_f8_load_ways(quad, j, &at, &x, &y, &z, &mu);
            px_f8_load_quads(s->p, j, &u, &v, &w, &volume);
            PxF8 r2 = x * x + y * y + z * z;
            PxF8 r = px_f8_sqrt(r2), steep = zero - r * px_kernel_derivative8(&kernel, r);
            PxF8 k = volume_i * (px_f8(s->weight_scale) * volume) * (mu_i * mu) * steep /
                     ((mu_i + mu + small) * (r2 + soft));
            px_f8_store(pair, k);
            pair += 8;
            u = k * (px_f8(vi[0]) - u);
            v = k * (px_f8(vi[1]) - v);
            w = k * (px_f8(vi[2]) - w);
            px_turn_add_b8(&sum, x, y, z, u, v, w);
            px_turn_add8(&sum, k, x, y, z);
        }
        if (s->spread != NULL)
            s->spread[i] = px_f8_sum(sum.xx + sum.yy + sum.zz) / 3.0f;
        px_turn_inverse8(&sum, s->inverse + 6 * (size_t)i);
        set_turn(s, i, &sum);
    }
}

/* Where the passes over pairs get dt k_ij x_ij and dt k_ij (e_i + e_j) from: positions and dt k_ij,
 * in the first pass, which may store them; or what that pass has stored. Both give the same bits.
 */
typedef enum Source { COMPUTED, STORING, STORED } Source;

typedef struct Pair8 {
    PxF8 x, y, z, e;
} Pair8;

/* Those of 8 entries at `entry`. The fourth component of the position quads is e. */
PX_INLINE Pair8 pair_of(const Solve *s, size_t entry, const uint32_t *j, const PxPlace8 *at,
                        PxF8 even, Source source)
{
    Pair8 q;
    float *pair = s->pair + entry, *lever = NULL;
    if (source == STORED || source == STORING)
        lever = s->lever + 3 * entry;
    if (source == STORED)
        return (Pair8){px_f8_load(lever), px_f8_load(lever + 8), px_f8_load(lever + 16),
                       px_f8_load(pair)};
    PxF8 k = px_f8_load(pair);
    px_f8_load_ways(s->fluid->quad, j, at, &q.x, &q.y, &q.z, &q.e);
    q = (Pair8){k * q.x, k * q.y, k * q.z, k * (even + q.e)};
    if (source == STORING) {
        px_f8_store(lever, q.x);
        px_f8_store(lever + 8, q.y);
        px_f8_store(lever + 16, q.z);
        px_f8_store(pair, q.e);
    }
    return q;
}

/* The rotations of the velocities in p. */
PX_INLINE void turn_rows(const Solve *s, uint32_t begin, uint32_t end, Source source)
{
    const PxPairs *pairs = s->fluid->pairs;
    for (uint32_t i = begin; i < end; ++i) {
        const float *vi = s->p + 4 * (size_t)i;
        size_t entry = pairs->start[i];
        PxPlace8 at = px_place8(s->fluid->quad, i);
        PxF8 vx = px_f8(vi[0]), vy = px_f8(vi[1]), vz = px_f8(vi[2]);
        PxTurn8 sum = {0};
        if (s->stick[i] < 1.0f)
            PX_FOR_NEIGHBOURS(pairs, i, j)
            {
                PxF8 u, v, w, unused;
                Pair8 q = pair_of(s, entry, j, &at, px_f8(0.0f), source);
                px_f8_load_quads(s->p, j, &u, &v, &w, &unused);
                px_turn_add_b8(&sum, q.x, q.y, q.z, vx - u, vy - v, vz - w);
                entry += 8;
            }
        set_turn(s, i, &sum);
    }
}

static void turn_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    if (s->lever != NULL)
        turn_rows(s, begin, end, STORED);
    else
        turn_rows(s, begin, end, COMPUTED);
}

/* kp = dt K p, or (M + dt K) p. */
PX_INLINE void force_row(const Solve *s, uint32_t i, Source source)
{
    const PxFluid *f = s->fluid;
    const PxPairs *pairs = f->pairs;
    const float *vi = s->p + 4 * (size_t)i, *ti = s->turn + 4 * (size_t)i;
    size_t entry = pairs->start[i];
    PxPlace8 at = px_place8(f->quad, i);
    PxF8 even = px_f8(f->quad[4 * (size_t)i + 3]);
    PxF8 vx = px_f8(vi[0]), vy = px_f8(vi[1]), vz = px_f8(vi[2]);
    PxF8 ux = px_f8(ti[0]), uy = px_f8(ti[1]), uz = px_f8(ti[2]);
    PxF8 fx = px_f8(0.0f), fy = fx, fz = fx;
    PX_FOR_NEIGHBOURS(pairs, i, j)
    {
        PxF8 u, v, w, tx, ty, tz, unused;
        Pair8 q = pair_of(s, entry, j, &at, even, source);
        px_f8_load_quads(s->p, j, &u, &v, &w, &unused);
        px_f8_load_quads(s->turn, j, &tx, &ty, &tz, &unused);
        entry += 8;
        tx = ux + tx;
        ty = uy + ty;
        tz = uz + tz;
        fx += q.e * (vx - u) - (ty * q.z - tz * q.y);
        fy += q.e * (vy - v) - (tz * q.x - tx * q.z);
        fz += q.e * (vz - w) - (tx * q.y - ty * q.x);
    }
    float *out = s->kp + 4 * (size_t)i;
    float own = s->drag[i] + s->massive * f->particles->mass[i];
    out[0] = px_f8_sum(fx) + own * vi[0];
    out[1] = px_f8_sum(fy) + own * vi[1];
    out[2] = px_f8_sum(fz) + own * vi[2];
    out[3] = 0.0f;
}

static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i)
        if (s->lever != NULL)
            force_row(s, i, STORING);
        else
            force_row(s, i, COMPUTED);
}

/* And p . kp. */
PX_INLINE void force_rows(const Solve *s, uint32_t begin, uint32_t end, PxPart *part, Source source)
{
    double most = 0, sum = 0, magic = s->magic;
    for (uint32_t i = begin; i < end; ++i) {
        force_row(s, i, source);
        double dot = row_dot(s->p + 4 * (size_t)i, s->kp + 4 * (size_t)i), size = fabs(dot);
        most = size > most ? size : most;
        sum += px_sum_round(magic, dot);
    }
    part->most[0] = most;
    part->sum[0] = sum;
}

static void force_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Solve *s = user;
    if (s->lever != NULL)
        force_rows(s, begin, end, part, STORED);
    else
        force_rows(s, begin, end, part, COMPUTED);
}

/* ---- the pressure so far ------------------------------------------- */

/* Its acceleration. A particle that has lost its neighbours has none. */
static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxFluid *f = s->fluid;
    const PxParticles *p = f->particles;
    float most = (float)(f->spacing * f->spacing * f->spacing / 0.9);
    for (uint32_t i = begin; i < end; ++i) {
        float *out = s->push + 4 * (size_t)i;
        bool pressed = f->volume[i] < most;
        out[0] = pressed ? p->steady_x[i] : 0.0f;
        out[1] = pressed ? p->steady_y[i] : 0.0f;
        out[2] = pressed ? p->steady_z[i] : 0.0f;
    }
}

/* ---- vectors ------------------------------------------------------------ */

/* Values per particle; p = v, the velocity without viscosity and pressure. */
static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxFluid *f = s->fluid;
    const PxParticles *q = f->particles;
    float near = (float)f->wall_profile->drag_near;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &f->material[q->material[i]].def;
        double mu = px_fluid_mu(f, i), nu = mu / def->density, m = (double)q->mass[i];
        double dt = (double)s->dt;
        float stick = f->wall_drag[i] / near;
        s->mu[i] = (float)mu;
        s->stick[i] = stick < 1.0f ? stick : 1.0f;
        s->even[i] = 1.0f - 0.5f * s->stick[i];
        s->drag[i] = (float)(dt * m * nu * (double)f->wall_drag[i]);
        if (s->total != NULL)
            s->total[i] = (float)m + s->drag[i];
        s->tied[i] = s->drag[i] > 0.0f;
        s->diagonal[i] = (float)(1 / (m * (1 + dt * s->rate) + (double)s->drag[i]));
        float *p = s->p + 4 * (size_t)i;
        const float *push = s->push + 4 * (size_t)i;
        p[0] = q->vx[i] + s->dt * (q->ax[i] + push[0]);
        p[1] = q->vy[i] + s->dt * (q->ay[i] + push[1]);
        p[2] = q->vz[i] + s->dt * (q->az[i] + push[2]);
        p[3] = s->volume[i];
    }
}

/* r = wall term - dt K v, with kp = dt K v; x = 0, p = r / diagonal. */
static void residual_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxFluid *f = s->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
        float m = s->dt * f->particles->mass[i] * (float)(px_fluid_mu(f, i) / def->density);
        const float wall[4] = {m * f->wall_vx[i], m * f->wall_vy[i], m * f->wall_vz[i], 0.0f};
        for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k) {
            s->r[k] = wall[k & 3] - s->kp[k];
            s->x[k] = 0.0f;
            s->p[k] = s->diagonal[i] * s->r[k];
        }
    }
}

/* p = r / diagonal, after bodies that yield have changed r. */
static void precondition_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i)
        for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k)
            s->p[k] = s->diagonal[i] * s->r[k];
}

/* x += alpha p, r -= alpha A p, and r . r / diagonal. */
static void advance_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Solve *s = user;
    PxF4 alpha = px_f4(s->alpha);
    double most = 0, sum = 0, magic = s->magic;
    for (uint32_t i = begin; i < end; ++i) {
        float *x = s->x + 4 * (size_t)i, *r = s->r + 4 * (size_t)i;
        px_f4_store(x, px_f4_load(x) + alpha * px_f4_load(s->p + 4 * (size_t)i));
        px_f4_store(r, px_f4_load(r) - alpha * px_f4_load(s->kp + 4 * (size_t)i));
        double dot = (double)s->diagonal[i] * row_dot(r, r);
        most = dot > most ? dot : most;
        sum += px_sum_round(magic, dot);
    }
    part->most[0] = most;
    part->sum[0] = sum;
}

/* p = z + r / diagonal + beta p */
static void direction_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    PxF4 beta = px_f4(s->beta);
    for (uint32_t i = begin; i < end; ++i) {
        float *p = s->p + 4 * (size_t)i;
        PxF4 r = px_f4_load(s->r + 4 * (size_t)i);
        PxF4 z = px_f4(s->diagonal[i]) * r;
        if (s->z != NULL)
            z = px_f4_load(s->z + 4 * (size_t)i) + z;
        px_f4_store(p, z + beta * px_f4_load(p));
    }
}

/* x = the last step's change, rotated with the neighbourhood since then, so that it still has
 * no net torque on a rigidly moving blob. The rotation by the angular velocity w is Cayley's,
 * u + 2 / (1 + q^2) (q x u + q x (q x u)) with q = w dt / 2. Conjugate gradients would keep what
 * net momentum the guess has where matter moves freely: px_viscosity_free_change() removes it. */
static void guess_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxParticles *p = s->fluid->particles;
    for (uint32_t i = begin; i < end; ++i) {
        const float *turn = s->turn + 4 * (size_t)i;
        const float q[3] = {0.5f * s->dt * turn[0], 0.5f * s->dt * turn[1], 0.5f * s->dt * turn[2]};
        float dt = s->mu[i] > 0.0f ? s->dt : 0.0f; /* what is frozen now has no viscous force */
        const float u[3] = {dt * p->ux[i], dt * p->uy[i], dt * p->uz[i]};
        const float a[3] = {u[0] + q[1] * u[2] - q[2] * u[1], u[1] + q[2] * u[0] - q[0] * u[2],
                            u[2] + q[0] * u[1] - q[1] * u[0]};
        float part = 2.0f / (1.0f + q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        const float guess[4] = {u[0] + part * (q[1] * a[2] - q[2] * a[1]),
                                u[1] + part * (q[2] * a[0] - q[0] * a[2]),
                                u[2] + part * (q[0] * a[1] - q[1] * a[0]), 0.0f};
        for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k)
            s->x[k] = guess[k & 3];
    }
}

/* r -= A x, with kp = A x; p = r / diagonal. */
static void guessed_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i)
        for (size_t k = 4 * (size_t)i; k < 4 * (size_t)i + 4; ++k) {
            s->r[k] -= s->kp[k];
            s->p[k] = s->diagonal[i] * s->r[k];
        }
}

static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    PxParticles *p = s->fluid->particles;
    float per_dt = 1.0f / s->dt;
    for (uint32_t i = begin; i < end; ++i) {
        const float *x = s->x + 4 * (size_t)i;
        p->ux[i] = per_dt * x[0];
        p->uy[i] = per_dt * x[1];
        p->uz[i] = per_dt * x[2];
        p->ax[i] += p->ux[i];
        p->ay[i] += p->uy[i];
        p->az[i] += p->uz[i];
    }
}

/* ---- scalar products ---------------------------------------------------- */

typedef struct Dot {
    const float *a, *b, *scale; /* sum of scale_i a_i . b_i; no scale is 1 */
} Dot;

static void dot_values(const void *user, uint32_t begin, uint32_t end, double *value)
{
    const Dot *d = user;
    const float *restrict a = d->a + 4 * (size_t)begin, *restrict b = d->b + 4 * (size_t)begin;
    const float *restrict scale = d->scale != NULL ? d->scale + begin : NULL;
    for (uint32_t k = 0; k < end - begin; ++k, a += 4, b += 4) {
        double dot = row_dot(a, b);
        value[k] = scale != NULL ? (double)scale[k] * dot : dot;
    }
}

static double dot(const Solve *s, const float *a, const float *b, const float *scale)
{
    PxRows rows = px_fluid_rows(s->fluid);
    return px_reduce_sum(&rows, dot_values, &(Dot){a, b, scale});
}

/* ---- the solve ---------------------------------------------------------- */

/* Three quarters of 2 sum_j k_ij / (m nu) in a lattice; the rotations remove a quarter. */
static double lattice_diagonal(double h, double s)
{
    double soft = 0.01 * 0.25 * h * h, sum = 0;
    int n = (int)(h / s);
    for (int x = -n; x <= n; ++x)
        for (int y = -n; y <= n; ++y)
            for (int z = -n; z <= n; ++z) {
                double r2 = s * s * (x * x + y * y + z * z), r = sqrt(r2);
                sum -= 2 * r * px_kernel_derivative(h, r) / (r2 + soft);
            }
    return 1.5 * s * s * s * sum;
}

/* Parameter of the model: the strictest value of any material. */
static double strictest(const PxFluid *f, int which)
{
    double value = f->material[0].def.viscosity_model.param[which];
    for (uint32_t m = 1; m < f->materials; ++m) {
        double other = f->material[m].def.viscosity_model.param[which];
        value = which == ERROR ? fmin(value, other) : fmax(value, other);
    }
    return value;
}

/* A scalar product that the pass which makes its factors adds up. Its quantum (base/sum.h) follows
 * from the largest term of the last iteration; GROWTH is how much larger terms may get. If they get
 * larger still, the sum is taken in passes of its own. */
typedef struct Product {
    double bound; /* 0: not known */
    uint64_t count;
} Product;
#define GROWTH 16.0

static PxPart product_begin(Product *product, Solve *s)
{
    s->magic = px_sum_magic(product->bound, product->count);
    return (PxPart){.maxima = 1, .sums = 1};
}

static double product_end(Product *product, const PxPart *part, const Solve *s, const float *a,
                          const float *b, const float *scale)
{
    bool fits = part->most[0] <= product->bound;
    product->bound = GROWTH * part->most[0];
    return fits ? part->sum[0] : dot(s, a, b, scale);
}

/* kp = A p; returns p . kp */
static double apply(Solve *s, Product *product)
{
    const PxFluid *f = s->fluid;
    PxRows rows = px_fluid_rows(f);
    rows.block = PX_BLOCK;
    s->massive = 1.0f;
    PxPart part = product_begin(product, s);
    PxChain chain = {.first = turn_block, .first_user = s, .until = f->pairs->until};
    px_fluid_refresh_quads(f, s->p);
    if (px_dist_shared(f->dist)) {
        px_parallel_for(f->threads, f->count, PX_BLOCK, turn_block, s);
        px_fluid_refresh_quads(f, s->turn);
        chain.first = NULL;
    }
    px_reduce_after(&rows, chain, force_part, s, &part);
    px_yield_drag_apply(f, &s->yields, s->p, s->kp);
    if (s->yields.bodies > 0)
        product->bound = 0;
    return product_end(product, &part, s, s->p, s->kp, NULL);
}

/* r . (z + r / diagonal) */
static void left_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Solve *s = user;
    double most = 0, sum = 0, magic = s->magic;
    for (uint32_t i = begin; i < end; ++i) {
        const float *r = s->r + 4 * (size_t)i;
        double dot = (double)s->diagonal[i] * row_dot(r, r);
        if (s->z != NULL)
            dot += row_dot(r, s->z + 4 * (size_t)i);
        double size = fabs(dot);
        most = size > most ? size : most;
        sum += px_sum_round(magic, dot);
    }
    part->most[0] = most;
    part->sum[0] = sum;
}

/* Takes the coarse part of the residual to z; returns the whole r . z. */
static PxStatus precondition(Solve *s, Product *left, double *size)
{
    PxRows rows = px_fluid_rows(s->fluid);
    if (s->smooth)
        PX_TRY(PX_ISA_NAME(px_coarse_viscosity_correct)(&s->coarse, s->r, s->z));
    PxPart part;
    do {
        part = product_begin(left, s);
        px_reduce(&rows, left_part, s, &part);
        bool fits = part.most[0] <= left->bound;
        left->bound = GROWTH * part.most[0];
        if (fits)
            break;
    } while (part.most[0] > 0);
    *size = part.sum[0];
    return PX_OK;
}

static PxStatus conjugate_gradients(Solve *s, bool thick)
{
    PxFluid *f = s->fluid;
    PxRows rows = px_fluid_rows(f);
    double error = strictest(f, ERROR), most = strictest(f, ITERATIONS), size;
    Product power = {.count = px_reduce_count(&rows)}, left = power;
    PxFreeSets free;
    if (thick)
        PX_TRY(px_viscosity_free_sets(f, s->mu, s->tied, &free));
    if (s->z != NULL) {
        PX_TRY(PX_ISA_NAME(px_coarse_viscosity_begin)(&s->coarse, f, s->spread, s->total));
        s->smooth = s->coarse.cells.cells > 0;
    }
    PX_TRY(precondition(s, &left, &size));
    double wanted = error * error * size;
    if (thick) {
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, guess_block, s);
        PX_TRY(px_viscosity_free_change(f, &free, s->x));
        memcpy(s->p, s->x, 4 * (size_t)f->count * sizeof(float));
        apply(s, &power);
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, guessed_block, s);
        PX_TRY(precondition(s, &left, &size));
    }
    s->beta = 0.0f;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, direction_block, s);
    while (size > wanted && f->viscosity_iterations < most && !px_stopped(f->threads)) {
        s->alpha = (float)(size / apply(s, &power));
        PxPart part = product_begin(&left, s);
        px_reduce(&rows, advance_part, s, &part);
        double before = size;
        if (s->smooth)
            PX_TRY(precondition(s, &left, &size));
        else
            size = product_end(&left, &part, s, s->r, s->r, s->diagonal);
        ++f->viscosity_iterations;
        if (size <= wanted)
            break;
        s->beta = (float)(size / before);
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, direction_block, s);
    }
    f->viscosity_converged = size <= wanted;
    if (s->smooth) /* iterates of the coarse part conserve momenta only as far as it is solved */
        PX_TRY(px_viscosity_free_change(f, &free, s->x));
    return PX_OK;
}

PX_INLINE PxF8 thin_viscosity(PxF8 mu, PxF8 mu_j)
{
    return px_f8(2.0f) * mu * mu_j / (mu + mu_j + px_f8(1e-30f));
}

static void thin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    px_viscosity_explicit(job, begin, end, px_morris_weight, thin_viscosity,
                          2.0f * job->fluid->kernel.norm_slope);
}

/* The same where there is one viscosity only. */
PX_INLINE PxF8 one_viscosity(PxF8 mu, PxF8 mu_j)
{
    (void)mu_j;
    return mu;
}

static void thin_one_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxExplicitViscosity *job = user;
    px_viscosity_explicit(job, begin, end, px_morris_weight, one_viscosity,
                          2.0f * job->fluid->kernel.norm_slope);
}

static PxStatus solve_thin(PxFluid *f)
{
    PxExplicitViscosity job;
    PX_TRY(px_viscosity_explicit_begin(&job, f, NULL, 1.0f));
    PX_TRY(px_viscosity_explicit_bound(&job, NULL));
    bool one = f->materials == 1 && f->melted == NULL;
    px_parallel_for(f->threads, f->count, PX_BLOCK, one ? thin_one_block : thin_block, &job);
    return PX_OK;
}

/* K / M in a full lattice of the most viscous fluid, 1/s. */
static double fastest_rate(const PxFluid *f, double lattice)
{
    double most = 0;
    for (uint32_t m = 0; m < f->materials; ++m)
        for (int k = 0; k < px_melt_states(&f->material[m]); ++k) {
            PxMaterial at = px_melt_state(&f->material[m], k);
            most = fmax(most, lattice * at.def.viscosity / at.def.density);
        }
    return most;
}

static PxStatus solve(PxFluid *f)
{
    double lattice = lattice_diagonal((double)f->kernel.h, f->spacing);
    double rate = fastest_rate(f, lattice);
    if (rate <= THIN_RATE && f->dt * rate <= THIN)
        return solve_thin(f);
    size_t n = f->count, all = px_fluid_visible(f), quads = px_quads_floats(px_fluid_visible(f));
    bool thick = f->dt * rate >= THICK;
    /* What the coarse part leaves follows its cells, which are not symmetric about anything: a
     * column of wax on its melt tipped over sooner (test/test_melting.c). */
    bool smooth = thick && f->solid_fraction == NULL;
    size_t entries = px_round_up(f->pairs->used, 1u << 16);
    Solve s = {.fluid = f,
               .dt = (float)f->dt,
               /* k_ij has 2 mu_ij, and mu_ij another 2 / (mu_i + mu_j) */
               .weight_scale = (float)sqrt(4 * f->dt * (double)f->kernel.norm_slope),
               .mu = PX_ARENA_ARRAY(f->scratch, float, n),
               .volume = px_viscosity_volume(f, 1.0f),
               .lever = thick ? PX_ARENA_ARRAY(f->scratch, float, 3 * entries) : NULL,
               .pair = PX_ARENA_ARRAY(f->scratch, float, entries),
               .stick = PX_ARENA_ARRAY(f->scratch, float, n),
               .even = PX_ARENA_ARRAY(f->scratch, float, n),
               .drag = PX_ARENA_ARRAY(f->scratch, float, n),
               .tied = PX_ARENA_ARRAY(f->scratch, uint8_t, n),
               .diagonal = PX_ARENA_ARRAY(f->scratch, float, n),
               .inverse = PX_ARENA_ARRAY(f->scratch, float, 6 * n),
               .turn = PX_ARENA_ARRAY(f->scratch, float, quads),
               .push = PX_ARENA_ARRAY(f->scratch, float, quads),
               .p = PX_ARENA_ARRAY(f->scratch, float, quads),
               .kp = PX_ARENA_ARRAY(f->scratch, float, quads),
               .r = PX_ARENA_ARRAY(f->scratch, float, quads),
               .x = PX_ARENA_ARRAY(f->scratch, float, quads),
               .z = smooth ? PX_ARENA_ARRAY(f->scratch, float, quads) : NULL,
               .spread = smooth ? PX_ARENA_ARRAY(f->scratch, float, n) : NULL,
               .total = smooth ? PX_ARENA_ARRAY(f->scratch, float, n) : NULL,
               .rate = rate};
    if (s.mu == NULL || s.volume == NULL || s.pair == NULL || s.stick == NULL || s.even == NULL ||
        s.drag == NULL || s.tied == NULL || s.diagonal == NULL || s.inverse == NULL ||
        s.turn == NULL || s.push == NULL || s.p == NULL || s.kp == NULL || s.r == NULL ||
        s.x == NULL || (thick && s.lever == NULL) ||
        (smooth && (s.z == NULL || s.spread == NULL || s.total == NULL)))
        return px_fail(PX_ERR_MEMORY, "viscosity: no room to solve for %u particles", f->count);
    /* The padding row behind the last one is zero. */
    memset(s.p + 4 * all, 0, 4 * sizeof(float));
    memset(s.turn + 4 * all, 0, 4 * sizeof(float));

    memset(s.push, 0, 4 * n * sizeof(float));
    if (smooth)
        memset(s.z, 0, 4 * n * sizeof(float));
    bool pushed = f->dt * rate >= VISCOUS;
    if (pushed)
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, push_block, &s);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, begin_block, &s);
    PX_TRY(px_yield_drag_begin(f, s.p, pushed, &s.yields));
    px_fluid_refresh_quads(f, s.p);
    px_fluid_pack_w(f, f->quad, s.mu);
    px_parallel_for(f->threads, f->count, PX_BLOCK, weights_block, &s);
    px_fluid_refresh_quads(f, s.turn);
    px_fluid_pack_w(f, f->quad, s.even);
    px_parallel_for(f->threads, f->count, PX_BLOCK, start_block, &s);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, residual_block, &s);
    px_yield_drag_right(f, &s.yields, s.r);
    if (s.yields.bodies > 0)
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, precondition_block, &s);

    PX_TRY(conjugate_gradients(&s, thick));
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, end_block, &s);
    px_yield_drag_end(f, &s.yields, s.x);
    px_fluid_give_drag(f, s.push, NULL);
    return PX_OK;
}

extern const PxViscosityModel PX_ISA_NAME(px_implicit);
const PxViscosityModel PX_ISA_NAME(px_implicit) = {
    .info = {"implicit", "solved for the end of the step", fields, PX_COUNT(fields), defaults},
    .step_limit = step_limit,
    .solve = solve,
};
