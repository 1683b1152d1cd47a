#include "fluid/pressure/poisson.h"

#include "base/stop.h"
#include "fluid/yield.h"

#include <math.h>
#include <string.h>

/* All passes gather: they write only row i. The slopes of all pairs are stored for the step, so
 * that an iteration needs neither square root nor division. */

/* Bound of the largest eigenvalue: this multiple of the diagonal (an isolated pair needs 2, a
 * lattice somewhat less than 4), or this fraction of the row's absolute sum (15.3 diagonals on a
 * lattice, more where particles crowd). */
#define DIAGONALS 4.0f
#define ROW_PART 0.25f

/* Lower end of the Chebyshev interval, for the scaled matrix. Modes below it change slowly, so
 * the warm start already contains them. */
#define SMALLEST 0.05

/* Smallest tolerance that is derived from the residual at the start: a tenth of the rounding of a
 * density. */
#define LEAST_TOLERANCE 1e-8

/* Iterations between coarse corrections. They help most where pressure builds up from zero
 * (tuned on the first step of the dam break); values from 3 to 8 are alike elsewhere. */
#define CYCLE 4u

/* Floor of the diagonal with PX_SCALE_UNIFORM, and the scale with PX_SCALE_LATTICE, over that of a
 * full neighbourhood (Solenthaler and Pajarola 2009, Eq. 8). The largest eigenvalue on a lattice
 * is 2.8 diagonals, and an iteration without acceleration converges above half of it. */
#define UNIFORM 2.0

/* The same with PX_SCALE_BOUND: a floor for particles whose neighbours are few, distant or held,
 * whose pressure would otherwise be almost unbounded. */
#define LEAST 0.1

/* Scaling of the residual from the bounds of a row. */
PX_INLINE float scaling(const PxPoisson *q, uint32_t i, float diagonal, float row)
{
    float mass = q->fluid->particles->mass[i], yields = q->yields != NULL ? q->yields[i] : 0.0f;
    const PxFluid *f = q->fluid;
    float least = (float)((q->scaling == PX_SCALE_BOUND ? LEAST : UNIFORM) * q->squares * q->mass);
    /* 1 / (dt^2 s^3), from the units of the sizes */
    float per_size = (float)(q->unit * q->unit * q->mass /
                             (q->dt * q->dt * f->spacing * f->spacing * f->spacing));
    float size = fminf(row, fmaxf(DIAGONALS * diagonal, ROW_PART * row));
    size = fmaxf(size, least / mass);
    if (q->scaling == PX_SCALE_DIAGONAL)
        size = diagonal;
    if (q->scaling == PX_SCALE_LATTICE)
        size = least / mass;
    size = size > 0.0f ? size + yields : size;
    return size > 0.0f ? per_size / size : 0.0f;
}

PX_INLINE void begin_rows(PxPoisson *q, uint32_t begin, uint32_t end, bool damped)
{
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    PxParticles *p = f->particles;
    PxF8 tiny = px_f8(1e-12f * kernel.h), norm = px_f8(kernel.norm_slope), zero = px_f8(0.0f);
    PxF8 soft = px_f8(0.01f * 0.25f * kernel.h * kernel.h);
    PxF8 unit = px_f8((float)q->unit);
    float per_volume = (float)(1.0 / (f->spacing * f->spacing * f->spacing));
    for (uint32_t i = begin; i < end; ++i) {
        PxF8 xi = px_f8(quad[4 * (size_t)i]), yi = px_f8(quad[4 * (size_t)i + 1]),
             zi = px_f8(quad[4 * (size_t)i + 2]);
        const float *own_v = q->velocity + 4 * (size_t)i;
        PxF8 ui = px_f8(own_v[0]), vi = px_f8(own_v[1]), wi = px_f8(own_v[2]);
        PxF8 gx = zero, gy = zero, gz = zero, tension = zero;
        PxF8 sizes = zero, light = zero, squares = zero;
        PxF8 ax = zero, ay = zero, az = zero;
        float *slope = q->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, per_mass, u, v, w, weight;
            px_f8_load_quads(quad, j, &x, &y, &z, &per_mass);
            x = xi - x;
            y = yi - y;
            z = zi - z;
            PxF8 r2 = x * x + y * y + z * z, r = px_f8_sqrt(r2);
            PxF8 g = norm * px_kernel_slope8(&kernel, px_f8_max(r, tiny));
            px_f8_store(slope, g);
            slope += 8;
            gx += g * x;
            gy += g * y;
            gz += g * z;
            tension -= g * r2; /* slopes are negative */
            PxF8 size = -g * unit * r;
            sizes += size;
            light += per_mass * size;
            squares += per_mass * size * size;
            if (!damped)
                continue;
            px_f8_load_quads(q->velocity, j, &u, &v, &w, &weight);
            PxF8 along = px_f8_min((ui - u) * x + (vi - v) * y + (wi - w) * z, zero);
            PxF8 c = g * weight * along / (r2 + soft);
            ax += c * x;
            ay += c * y;
            az += c * z;
        }
        if (damped) {
            float scale = 0.5f * kernel.h * own_v[3] * f->inverse_mass[i];
            p->ax[i] += scale * px_f8_sum(ax);
            p->ay[i] += scale * px_f8_sum(ay);
            p->az[i] += scale * px_f8_sum(az);
        }
        float fx = px_f8_sum(gx), fy = px_f8_sum(gy), fz = px_f8_sum(gz);
        float wx = per_volume * f->wall_gx[i], wy = per_volume * f->wall_gy[i],
              wz = per_volume * f->wall_gz[i];
        q->bx[i] = 2.0f * fx + wx;
        q->by[i] = 2.0f * fy + wy;
        q->bz[i] = 2.0f * fz + wz;
        q->stiff[i] = px_f8_sum(tension) / 3.0f;
        fx += wx;
        fy += wy;
        fz += wz;
        fx *= (float)q->unit;
        fy *= (float)q->unit;
        fz *= (float)q->unit;
        float own2 = fx * fx + fy * fy + fz * fz, own = sqrtf(own2);
        float per_mass = (float)q->mass * f->inverse_mass[i];
        float diagonal = own2 * per_mass + px_f8_sum(squares);
        float row = (own + px_f8_sum(sizes)) * (own * per_mass + px_f8_sum(light));
        q->scale[i] = scaling(q, i, diagonal, row);
    }
}

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    begin_rows(user, begin, end, false);
}

static void begin_damped_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    begin_rows(user, begin, end, true);
}

static void relative_mass_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxPoisson *q = user;
    const PxFluid *f = q->fluid;
    for (uint32_t i = begin; i < end; ++i)
        f->quad[4 * (size_t)i + 3] = (float)q->mass * f->inverse_mass[i];
}

static void record_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxPoisson *q = user;
    for (size_t i = begin; i < end; ++i) {
        memcpy(q->record + 8 * i, q->fluid->quad + 4 * i, 3 * sizeof(float));
        memset(q->record + 8 * i + 3, 0, 5 * sizeof(float));
    }
}

/* Sum of |grad W|^2 in a full neighbourhood, a lattice, in units of s^-8. */
static double lattice_squares(const PxFluid *f, double unit)
{
    double h = (double)f->kernel.h, sum = 0;
    int reach = (int)(h / f->spacing);
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                double r = f->spacing * sqrt((double)(x * x + y * y + z * z));
                double slope = r < h ? unit * px_kernel_derivative(h, r) : 0;
                sum += slope * slope;
            }
    return sum;
}

/* Bounds of what boundaries that yield add to the rows, in the units of the sizes. */
static PxStatus begin_yields(PxPoisson *q, const float *factor)
{
    PxFluid *f = q->fluid;
    q->yields = NULL;
    if (f->yield == NULL)
        return PX_OK;
    q->yields = PX_ARENA_ARRAY(f->scratch, float, f->count);
    if (q->yields == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    memset(q->yields, 0, f->count * sizeof *q->yields);
    px_yield_bound(f, factor, 8, q->yields, q->unit * q->unit * q->mass);
    return PX_OK;
}

PxStatus PX_ISA_NAME(px_poisson_begin)(PxPoisson *q, PxFluid *f, const float *weight, double dt,
                                       bool coarse, PxScaling scaling)
{
    *q = (PxPoisson){.fluid = f, .dt = dt, .scaling = scaling};
    q->unit = f->spacing * f->spacing * f->spacing * f->spacing;
    q->mass = f->material[0].def.density * f->spacing * f->spacing * f->spacing;
    q->squares = lattice_squares(f, q->unit);
    float **const arrays[] = {&q->scale,      &q->stiff, &q->before,  &q->bz,
                              &q->correction, &q->rate,  &q->pressure};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (*arrays[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    }
    q->bx = q->rate; /* shared: no longer needed when the others are written */
    q->by = q->pressure;
    q->start = q->bz;
    /* The number of entries with gaps depends on the threads' schedule; rounded up so that
     * scratch does not grow by a little again and again. */
    q->slope = PX_ARENA_ARRAY(f->scratch, float, px_round_up(f->pairs->used, 1u << 16));
    q->record = PX_ARENA_ARRAY(f->scratch, float, 8 * ((size_t)px_fluid_visible(f) + 1));
    q->velocity = q->record;
    q->role = PX_ARENA_ARRAY(f->scratch, uint8_t, f->count);
    if (q->slope == NULL || q->record == NULL || q->role == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    PX_TRY(begin_yields(q, NULL));
    const PxParticles *p = f->particles;
    if (weight != NULL)
        px_fluid_pack(f, q->velocity, p->vx, p->vy, p->vz, weight);
    memset(q->velocity + 4 * (size_t)px_fluid_visible(f), 0, 4 * sizeof(float));
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, relative_mass_block, q);
    px_fluid_refresh_w(f, f->quad);
    px_parallel_for(f->threads, f->count, PX_BLOCK,
                    weight != NULL ? begin_damped_block : begin_block, q);
    px_parallel_for(f->threads, px_fluid_visible(f) + 1, 4 * PX_BLOCK, record_block, q);
    if (!coarse)
        return PX_OK;
    PxCoarseInput input = {q->bx, q->by, q->bz, q->stiff, q->unit, q->mass, dt};
    return PX_ISA_NAME(px_coarse_begin)(&q->coarse, f, &input);
}

/* From the diagonal, in q->scale, and the row, in q->rate. */
static void scaling_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxPoisson *q = user;
    for (uint32_t i = begin; i < end; ++i)
        q->scale[i] = scaling(q, i, q->scale[i], q->rate[i]);
}

PxStatus PX_ISA_NAME(px_poisson_correct)(PxPoisson *q, const PxPoisson *plain,
                                         const PxCorrected *corrected)
{
    PxFluid *f = plain->fluid;
    *q = *plain;
    q->corrected = corrected;
    float **const arrays[] = {&q->scale,      &q->before, &q->start,
                              &q->correction, &q->rate,   &q->pressure};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (*arrays[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    }
    PX_TRY(begin_yields(q, corrected->turn + 6));
    PX_ISA_NAME(px_corrected_bounds)(corrected, q->unit, q->mass, q->scale, q->correction, q->rate);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, scaling_block, q);
    return PX_OK;
}

/* ---- the two passes ------------------------------------------------------ */

/* Velocities to which the pressure's are added: zero, those at the start of the step, or those
 * with the forces so far. */
typedef enum Base { BASE_NONE, BASE_START, BASE_FORCES } Base;

/* Residuals are clamped to this in the mean. */
#define MOST_ERROR 16.0f

typedef struct Solve {
    PxPoisson *q;
    PxPoissonOptions options;
    Base base;
    float *pressure;      /* P */
    float step, momentum; /* Chebyshev weights */
    float along;          /* step length of the coarse correction */
    uint64_t all;         /* rows of all ranks */
    double magic, sum;    /* sum of the compression residual */
    double opened;        /* sum of the expansion where P > 0 */
    double closing;       /* sum of the compression that the velocities add in one more step */
    double largest;       /* largest compression */
    double widest;        /* largest expansion where P > 0 */
    float most[2];        /* largest values of the correction and of its image */
} Solve;

typedef struct Pass {
    PxPoisson *q;
    float *rate;
    Base base;
    Solve *solve; /* the rate is replaced by the density residual; NULL: it stays a rate */
} Pass;

/* Rows at a time whose sums over neighbours are kept before they are used: their other values are
 * then read by loops that the compiler vectorises. */
enum { CHUNK = 256 };

/* out[4 k + axis] = base + dt a(P) of row begin + k, from the sums of all its rows. */
static void add_base(const Pass *pass, int axis, uint32_t begin, uint32_t rows, const float *sums,
                     const float *wall)
{
    const PxPoisson *q = pass->q;
    const PxFluid *f = q->fluid;
    const PxParticles *p = f->particles;
    const float *const gradient[3] = {f->wall_gx, f->wall_gy, f->wall_gz};
    const float *const velocity[3] = {p->vx, p->vy, p->vz};
    const float *const force[3] = {p->ax, p->ay, p->az};
    const float *restrict g = gradient[axis] + begin, *restrict v = velocity[axis] + begin;
    const float *restrict a = force[axis] + begin, *restrict per_mass = f->inverse_mass + begin;
    float *restrict out = q->record + 8 * (size_t)begin + 4 + axis;
    float dt = (float)q->dt;
    if (pass->base == BASE_NONE)
        for (uint32_t k = 0; k < rows; ++k)
            out[8 * (size_t)k] = -dt * per_mass[k] * (sums[k] + wall[k] * g[k]);
    else if (pass->base == BASE_START)
        for (uint32_t k = 0; k < rows; ++k)
            out[8 * (size_t)k] = -dt * per_mass[k] * (sums[k] + wall[k] * g[k]) + v[k];
    else
        for (uint32_t k = 0; k < rows; ++k)
            out[8 * (size_t)k] =
                -dt * per_mass[k] * (sums[k] + wall[k] * g[k]) + (v[k] + dt * a[k]);
}

static void velocity_rows(const Pass *pass, uint32_t begin, uint32_t end)
{
    const PxPoisson *q = pass->q;
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    float per_volume = (float)(1.0 / (f->spacing * f->spacing * f->spacing));
    float sums[3][CHUNK], wall[CHUNK];
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]), pi = px_f8(own[3]);
        PxF8 ax = px_f8(0.0f), ay = ax, az = ax;
        const float *slope = q->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, pj;
            px_f8_load_quads(quad, j, &x, &y, &z, &pj);
            PxF8 c = (pi + pj) * px_f8_load(slope);
            slope += 8;
            ax += c * (xi - x);
            ay += c * (yi - y);
            az += c * (zi - z);
        }
        sums[0][i - begin] = px_f8_sum(ax);
        sums[1][i - begin] = px_f8_sum(ay);
        sums[2][i - begin] = px_f8_sum(az);
        wall[i - begin] = own[3] * per_volume;
    }
    for (int axis = 0; axis < 3; ++axis)
        add_base(pass, axis, begin, end - begin, sums[axis], wall);
}

/* base + dt a(P), with P from the fluid's quads. */
static void velocity_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t i = begin; i < end; i += CHUNK)
        velocity_rows(user, i, end - i < CHUNK ? end : i + CHUNK);
}

/* Sums and maxima of a block, as indices for px_reduce(); see Solve. */
enum { OVER, OPENED, CLOSING, SUMS, MAXIMA = CLOSING };

/* The sum of the values, each at most MOST_ERROR; rounded, so that their order does not matter. */
static double sum_rounded(double magic, const float *value, uint32_t rows)
{
    double lane[8] = {0}, sum = 0;
    uint32_t k = 0;
    for (; k + 8 <= rows; k += 8)
        for (uint32_t l = 0; l < 8; ++l) {
            float v = value[k + l] < MOST_ERROR ? value[k + l] : MOST_ERROR;
            lane[l] += px_sum_round(magic, (double)v);
        }
    for (; k < rows; ++k)
        sum += px_sum_round(magic, (double)(value[k] < MOST_ERROR ? value[k] : MOST_ERROR));
    for (uint32_t l = 0; l < 8; ++l)
        sum += lane[l];
    return sum;
}

static float largest(const float *value, uint32_t rows, float most)
{
    for (uint32_t k = 0; k < rows; ++k)
        most = value[k] > most ? value[k] : most;
    return most;
}

/* Density residual at the end of the step: the compression at its start that the solve counts,
 * plus what the velocities add. Replaces the rate.
 *
 * A particle whose density is too low by less than the tolerance also takes the coarse correction:
 * in a pool without pressure only the bottom layer is compressed at first, and the layers above
 * follow. It does not enter the coarse right-hand side, because negative pressure is clamped;
 * counting it, or a wider band, makes drops in zero gravity restless. */
static void over_rows(const Solve *s, uint32_t begin, uint32_t rows, float *restrict rate,
                      PxPart *part)
{
    const float *restrict start = s->q->start + begin, *restrict pressure = s->pressure + begin;
    uint8_t *restrict role = s->q->role + begin;
    float closed[CHUNK], opened[CHUNK], closing[CHUNK], band = -(float)s->options.error;
    for (uint32_t k = 0; k < rows; ++k) {
        float over = start[k] + rate[k];
        float above = over > 0.0f ? over : 0.0f, open = above - over, more = rate[k] - open;
        rate[k] = over;
        closed[k] = above;
        opened[k] = pressure[k] > 0.0f ? open : 0.0f;
        closing[k] = more > 0.0f ? more : 0.0f;
    }
    for (uint32_t k = 0; k < rows; ++k) {
        int pressed = pressure[k] > 0.0f;
        role[k] = (uint8_t)((pressed | (rate[k] > 0.0f)) * PX_COARSE_GIVES |
                            (pressed | (rate[k] > band)) * PX_COARSE_TAKES);
    }
    part->sum[OVER] += sum_rounded(s->magic, closed, rows);
    part->sum[OPENED] += sum_rounded(s->magic, opened, rows);
    part->sum[CLOSING] += sum_rounded(s->magic, closing, rows);
    part->most[OVER] = (double)largest(closed, rows, (float)part->most[OVER]);
    part->most[OPENED] = (double)largest(opened, rows, (float)part->most[OPENED]);
}

/* dt D of the velocities in q->record. */
static void rate_rows(const Pass *pass, uint32_t begin, uint32_t end, float *restrict rate)
{
    const PxPoisson *q = pass->q;
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const float *record = q->record;
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = record + 8 * (size_t)i;
        PxF8 sum = px_f8(0.0f);
        const float *slope = q->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            sum += px_f8_load(slope) * px_f8_load_dots(record, own, j);
            slope += 8;
        }
        rate[i - begin] = px_f8_sum(sum);
    }
    float s3 = (float)(f->spacing * f->spacing * f->spacing), dt = (float)q->dt;
    float moving = pass->base == BASE_NONE ? 0.0f : 1.0f;
    const float *restrict gx = f->wall_gx + begin, *restrict gy = f->wall_gy + begin;
    const float *restrict gz = f->wall_gz + begin, *restrict flux = f->wall_flux + begin;
    const float *restrict u = record + 8 * (size_t)begin + 4;
    for (uint32_t k = 0; k < end - begin; ++k, u += 8)
        rate[k] =
            dt * (s3 * rate[k] + u[0] * gx[k] + u[1] * gy[k] + u[2] * gz[k] - moving * flux[k]);
    const float *restrict yields = f->yield != NULL ? f->yield->flux + begin : NULL;
    for (uint32_t k = 0; yields != NULL && k < end - begin; ++k)
        rate[k] -= dt * yields[k];
}

static void rate_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Pass *pass = user;
    for (uint32_t i = begin; i < end; i += CHUNK) {
        uint32_t rows = end - i < CHUNK ? end - i : CHUNK;
        rate_rows(pass, i, i + rows, pass->rate + i);
        if (pass->solve != NULL)
            over_rows(pass->solve, i, rows, pass->rate + i, part);
    }
}

static void over_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Pass *pass = user;
    for (uint32_t i = begin; i < end; i += CHUNK)
        over_rows(pass->solve, i, end - i < CHUNK ? end - i : CHUNK, pass->rate + i, part);
}

static void predict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxPoisson *q = user;
    float dt = (float)q->dt;
    for (size_t i = begin; i < end; ++i) {
        const float *from = q->record + 8 * i;
        for (int k = 0; k < 3; ++k)
            q->predicted[4 * i + k] = from[k] + dt * from[4 + k];
        q->predicted[4 * i + 3] = 0.0f;
    }
}

/* Change of the density when all particles are at their predicted positions, instead of dt D. The
 * part of boundaries is extrapolated. */
static void predicted_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Pass *pass = user;
    const PxPoisson *q = pass->q;
    const PxFluid *f = q->fluid;
    const PxKernel kernel = f->kernel;
    float s3 = (float)(f->spacing * f->spacing * f->spacing), dt = (float)q->dt;
    for (uint32_t i = begin; i < end; ++i) {
        const float *u = q->record + 8 * (size_t)i + 4;
        PxPlace8 at = px_place8(q->predicted, i);
        PxF8 sum = px_f8(0.0f);
        PX_FOR_NEIGHBOURS(f->pairs, i, j)
        {
            PxF8 x, y, z, w;
            px_f8_load_ways(q->predicted, j, &at, &x, &y, &z, &w);
            sum += px_kernel_value8(&kernel, px_f8_sqrt(x * x + y * y + z * z));
        }
        float now = s3 / f->volume[i] - f->wall_part[i];
        float wall = dt * (u[0] * f->wall_gx[i] + u[1] * f->wall_gy[i] + u[2] * f->wall_gz[i] -
                           f->wall_flux[i] - (f->yield != NULL ? f->yield->flux[i] : 0.0f));
        pass->rate[i] = s3 * kernel.norm * px_f8_sum(sum) - now + wall;
    }
    over_part(user, begin, end, part);
}

/* apply() with densities at predicted positions. */
static void apply_predicted(Pass *pass, const PxRows *rows, PxPart *total)
{
    PxPoisson *q = pass->q;
    const PxFluid *f = q->fluid;
    px_parallel_for(f->threads, px_fluid_visible(f) + 1, 4 * PX_BLOCK, predict_block, q);
    px_reduce(rows, predicted_part, pass, total);
}

/* apply() with the corrected force and rate. */
static void apply_corrected(PxPoisson *q, float *rate, Base base)
{
    bool forces = base == BASE_FORCES;
    PX_ISA_NAME(px_corrected_velocities)
    (q->corrected, q->dt, forces ? 1.0f : 0.0f, q->record + 4, 8);
    PX_ISA_NAME(px_corrected_rates)(q->corrected, q->dt, forces, rate);
}

/* Adds the motion of boundaries that yield to the corrected rates. */
static void yield_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Pass *pass = user;
    const PxPoisson *q = pass->q;
    const float *flux = q->fluid->yield->flux, *turn = q->corrected->turn;
    for (uint32_t i = begin; i < end; ++i)
        pass->rate[i] -= (float)q->dt * turn[8 * (size_t)i + 6] * flux[i];
}

/* rate = dt D(base + dt a(P)), or the density residual with it; P is in the fluid's quads. */
static void apply(PxPoisson *q, float *rate, Base base, Solve *solve)
{
    static const PxYieldBase yield_base[] = {PX_YIELD_NONE, PX_YIELD_START, PX_YIELD_FORCES};
    const PxFluid *f = q->fluid;
    Pass pass = {q, rate, base, solve};
    PxRows rows = {f->threads, f->dist, f->count, PX_BLOCK};
    PxPart total = {.sums = solve != NULL ? SUMS : 0, .maxima = solve != NULL ? MAXIMA : 0};
    const float *factor = q->corrected != NULL ? q->corrected->turn + 6 : NULL;
    px_yield_respond(q->fluid, q->dt, yield_base[base], factor, 8);
    if (q->corrected != NULL) {
        apply_corrected(q, rate, base);
        if (f->yield != NULL)
            px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, yield_block, &pass);
        if (solve != NULL)
            px_reduce(&rows, over_part, &pass, &total);
    } else {
        px_fluid_refresh_w(f, f->quad);
        PxChain chain = {.first = velocity_block, .first_user = &pass, .until = f->pairs->until};
        if (q->predicted != NULL || px_dist_shared(f->dist)) {
            px_parallel_for(f->threads, f->count, PX_BLOCK, velocity_block, &pass);
            px_fluid_refresh(f, q->record + 4, 4 * sizeof(float), 8 * sizeof(float));
            chain.first = NULL;
        }
        if (q->predicted != NULL)
            apply_predicted(&pass, &rows, &total);
        else
            px_reduce_after(&rows, chain, rate_part, &pass, &total);
    }
    if (solve != NULL) {
        solve->sum = total.sum[OVER];
        solve->opened = total.sum[OPENED];
        solve->closing = total.sum[CLOSING];
        solve->largest = total.most[OVER];
        solve->widest = total.most[OPENED];
    }
}

/* ---- solving ------------------------------------------------------------ */

/* Expansion where P > 0 has the same tolerance as compression. Otherwise excess pressure would
 * persist from step to step and burst drops in zero gravity. */
static void evaluate(Solve *s, PxPoissonResult *result)
{
    apply(s->q, s->q->rate, s->base, s);
    double per = s->all > 0 ? 1.0 / (double)s->all : 0;
    result->error = s->options.largest ? s->largest : per * s->sum;
    result->closing = per * s->closing;
    double opened = s->options.largest ? s->widest : per * s->opened;
    result->converged =
        result->error <= s->options.error && (s->options.published || opened <= s->options.error);
}

static void improve_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    PxPoisson *q = s->q;
    float *quad = q->fluid->quad;
    for (uint32_t i = begin; i < end; ++i) {
        float now = s->pressure[i], over = q->rate[i];
        if (s->options.rising)
            over = over > 0.0f ? over : 0.0f;
        float better = now + s->step * over * q->scale[i] + s->momentum * (now - q->before[i]);
        q->before[i] = now;
        better = better > 0.0f && q->scale[i] > 0.0f ? better : 0.0f;
        s->pressure[i] = better;
        quad[4 * (size_t)i + 3] = better;
    }
}

static void sizes_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Solve *s = user;
    const float *const value[2] = {s->q->correction, s->q->before};
    float most[2] = {0, 0};
    for (uint32_t i = begin; i < end; ++i)
        for (int k = 0; k < 2; ++k)
            most[k] = fabsf(value[k][i]) > most[k] ? fabsf(value[k][i]) : most[k];
    for (int k = 0; k < 2; ++k)
        part->most[k] = (double)most[k];
}

/* Scalar products of the correction with the residual and with its own image. */
static void dots_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Solve *s = user;
    const PxPoisson *q = s->q;
    double dot[2] = {0, 0}, per0 = 1 / (double)s->most[0], per1 = 1 / (double)s->most[1];
    for (uint32_t i = begin; i < end; ++i) {
        double d = (double)q->correction[i] * per0, over = (double)q->rate[i];
        over = over < (double)MOST_ERROR ? over : (double)MOST_ERROR;
        if (d == 0)
            continue;
        dot[0] += px_sum_round(s->magic, d * over);
        dot[1] -= px_sum_round(s->magic, d * (double)q->before[i] * per1);
    }
    part->sum[0] = dot[0];
    part->sum[1] = dot[1];
}

static void correct_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    PxPoisson *q = s->q;
    for (uint32_t i = begin; i < end; ++i) {
        float better = s->pressure[i] + s->along * q->correction[i];
        s->pressure[i] = better > 0.0f ? better : 0.0f;
        q->rate[i] += s->along * q->before[i];
        q->before[i] = s->pressure[i];
    }
}

/* Adds the coarse correction with the step length that minimises the energy of the fine equation.
 * The rate is updated, not recomputed. */
static PxStatus correct(Solve *s)
{
    PxPoisson *q = s->q;
    const PxFluid *f = q->fluid;
    PX_TRY(PX_ISA_NAME(px_coarse_solve)(&q->coarse, q->rate, q->role, q->correction));
    px_fluid_pack_w(f, f->quad, q->correction);
    apply(q, q->before, BASE_NONE, NULL);
    PxRows rows = px_fluid_rows(f);
    PxPart most = {.maxima = 2}, dot = {.sums = 2};
    px_reduce(&rows, sizes_part, s, &most);
    s->most[0] = (float)most.most[0];
    s->most[1] = (float)most.most[1];
    s->along = 0;
    if (s->most[0] > 0 && s->most[1] > 0) {
        px_reduce(&rows, dots_part, s, &dot);
        double curve = dot.sum[1] * (double)s->most[1];
        double along = curve > 0 ? dot.sum[0] / curve : 0;
        s->along = (float)fmin(fmax(along, 0), 2);
    }
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, correct_block, s);
    return PX_OK;
}

/* Density at the start as the solve counts it. Particles that pressure cannot move act as walls on
 * others, whose own pressure keeps them off; they count as never compressed, since their pressure
 * could not reduce their density and would grow without bound. */
static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxFluid *f = s->q->fluid;
    float s3 = (float)(f->spacing * f->spacing * f->spacing), part = (float)s->options.part;
    float most = (float)s->options.most_undone;
    for (uint32_t i = begin; i < end; ++i) {
        float now = s3 / f->volume[i] - 1.0f;
        bool alone = f->inverse_mass[i] > 0.0f;
        if (f->solid_fraction != NULL) {
            /* Elastic forces also resist the compression by the solid's own velocities.
             * own_compression predicts it for the end of the step, with all forces; without them it
             * is unknown. */
            now -= f->own_compression[i];
            alone = alone && (s->options.forces || f->solid_fraction[i] < 0.5f);
        }
        now = now > 0.0f ? fminf(part * now, most) : now;
        if (s->q->corrected != NULL && s->q->corrected->turn[8 * (size_t)i + 7] > 0.0f)
            now = 0.0f;
        s->q->start[i] = alone ? now : -1e30f;
        f->quad[4 * (size_t)i + 3] = s->pressure[i];
    }
}

PxStatus PX_ISA_NAME(px_poisson_solve)(PxPoisson *q, PxPoissonOptions options,
                                       PxPoissonResult *result)
{
    PxFluid *f = q->fluid;
    *result = (PxPoissonResult){0};
    PxRows rows = px_fluid_rows(f);
    uint64_t all = px_reduce_count(&rows);
    Solve s = {.q = q,
               .all = all,
               .options = options,
               .base = options.forces ? BASE_FORCES : BASE_START,
               .pressure = q->pressure,
               .magic = px_sum_magic((double)MOST_ERROR, all)};
    /* Chebyshev semi-iteration for eigenvalues in [SMALLEST, 1] (Golub and Varga 1961) */
    const double smallest = SMALLEST, middle = (1 + smallest) / 2, half = (1 - smallest) / 2;
    double rho = half / middle, omega = 1;
    uint32_t round = 0;
    if (options.predicts) {
        q->predicted = PX_ARENA_ARRAY(f->scratch, float, 4 * ((size_t)px_fluid_visible(f) + 1));
        if (q->predicted == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    }
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, start_block, &s);
    evaluate(&s, result);
    if (options.of_start > 0) {
        s.options.error =
            fmin(s.options.error, fmax(options.of_start * result->error, LEAST_TOLERANCE));
        result->converged = result->error <= s.options.error;
    }
    if (result->converged && (options.least == 0 || s.sum + s.opened == 0))
        return PX_OK;
    memcpy(q->before, s.pressure, f->count * sizeof *q->before);
    for (;;) {
        PX_TRY(px_stop_check(f->threads));
        if (round == 0 && options.coarse) {
            PX_TRY(correct(&s));
            ++result->iterations;
        }
        bool plain = options.relaxation > 0;
        omega = round == 0 || plain ? 1
                : round == 1        ? 1 / (1 - rho * rho / 2)
                                    : 1 / (1 - rho * rho * omega / 4);
        s.step = (float)(plain ? options.relaxation : omega / middle);
        s.momentum = (float)(omega - 1);
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, improve_block, &s);
        evaluate(&s, result);
        ++result->iterations;
        ++round;
        if ((result->converged && result->iterations >= options.least) ||
            result->iterations >= options.most)
            return PX_OK;
        if (round == CYCLE)
            round = 0;
    }
}
