#include "fluid/pressure/poisson.h"

#include <math.h>
#include <string.h>

/* Everything below writes only row i, from rows j. The slopes of all pairs are kept
 * for the step: a pass then needs neither square root nor division. */

/* What bounds the largest eigenvalue: this many diagonals (two particles alone need 2, a
 * lattice somewhat less than 4), or this part of the sum of its row's sizes (15.3
 * diagonals on a lattice, more where particles crowd). */
#define DIAGONALS 4.0
#define ROW_PART 0.25

/* Modes with smaller eigenvalues than this (of the scaled matrix) are slow ones that the
 * last step's pressure has already; they are not sped up. */
#define SMALLEST 0.05

/* Iterations from one coarse correction to the next. */
#define CYCLE 8u

/* Of the diagonal of a full neighbourhood: on a lattice the greatest eigenvalue is 2.8
 * diagonals, and an iteration without acceleration needs more than half of it. */
#define UNIFORM 2.0

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxPoisson *q = user;
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const PxKernel kernel = f->kernel;
    const float *quad = f->quad;
    PxF8 tiny = px_f8(1e-12f * kernel.h), norm = px_f8(kernel.norm_slope);
    float per_volume = (float)(1.0 / (f->spacing * f->spacing * f->spacing));
    for (uint32_t i = begin; i < end; ++i) {
        PxF8 xi = px_f8(quad[4 * (size_t)i]), yi = px_f8(quad[4 * (size_t)i + 1]),
             zi = px_f8(quad[4 * (size_t)i + 2]);
        PxF8 gx = px_f8(0.0f), gy = gx, gz = gx, sizes = gx, squares = gx, tension = gx;
        float *slope = q->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, per_mass;
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
            sizes -= g * r; /* slopes are negative */
            tension -= g * r2;
            squares += per_mass * g * g * r2;
        }
        float fx = px_f8_sum(gx), fy = px_f8_sum(gy), fz = px_f8_sum(gz);
        float wx = per_volume * f->wall_gx[i], wy = per_volume * f->wall_gy[i],
              wz = per_volume * f->wall_gz[i];
        float *smooth = q->quad + 4 * (size_t)i; /* B and t of coarse.h */
        smooth[0] = 2.0f * fx + wx;
        smooth[1] = 2.0f * fy + wy;
        smooth[2] = 2.0f * fz + wz;
        smooth[3] = q->stiff[i] = px_f8_sum(tension) / 3.0f;
        fx += wx;
        fy += wy;
        fz += wz;
        float own2 = fx * fx + fy * fy + fz * fz, own = sqrtf(own2);
        q->own[i] = own;
        q->scale[i] = own2 * f->inverse_mass[i] + px_f8_sum(squares);
        q->reach[i] = (own + px_f8_sum(sizes)) * f->inverse_mass[i];
    }
}

/* The scale from the sizes of the rows: see poisson.h. */
static void scale_rows_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxPoisson *q = user;
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    double s3 = f->spacing * f->spacing * f->spacing;
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]), sum = px_f8(0.0f);
        const float *slope = q->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, reach;
            px_f8_load_quads(quad, j, &x, &y, &z, &reach);
            x = xi - x;
            y = yi - y;
            z = zi - z;
            sum -= px_f8_load(slope) * px_f8_sqrt(x * x + y * y + z * z) * reach;
            slope += 8;
        }
        double row = (double)q->own[i] * (double)q->reach[i] + (double)px_f8_sum(sum);
        double size = fmin(row, fmax(DIAGONALS * (double)q->scale[i], ROW_PART * row));
        q->scale[i] = (float)(q->dt * sqrt(s3 * size));
    }
}

/* ---- one stiffness for all ----------------------------------------------- */

typedef struct Uniform {
    PxPoisson *q;
    double squares; /* sum of |grad W|^2 in a full neighbourhood */
} Uniform;

static void uniform_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Uniform *job = user;
    PxPoisson *q = job->q;
    const PxFluid *f = q->fluid;
    double s3 = f->spacing * f->spacing * f->spacing;
    for (uint32_t i = begin; i < end; ++i) {
        double size = q->dt * q->dt * s3 * UNIFORM * job->squares / (double)f->particles->mass[i];
        q->scale[i] = fmaxf(q->scale[i], (float)sqrt(size));
    }
}

/* That of a particle in a filled lattice (Solenthaler and Pajarola 2009, Eq. 8), or its
 * own where that is greater. */
static void uniform_scale(PxPoisson *q)
{
    const PxFluid *f = q->fluid;
    Uniform job = {q, 0};
    double h = (double)f->kernel.h;
    int reach = (int)(h / f->spacing);
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                double r = f->spacing * sqrt((double)(x * x + y * y + z * z));
                double slope = r < h ? px_kernel_derivative(h, r) : 0;
                job.squares += slope * slope;
            }
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, uniform_block, &job);
}

PxStatus PX_ISA_NAME(px_poisson_begin)(PxPoisson *q, PxFluid *f, double dt, bool coarse,
                                       bool uniform)
{
    *q = (PxPoisson){.fluid = f, .dt = dt};
    float **const arrays[] = {&q->scale, &q->stiff, &q->before, &q->correction, &q->rate};
    for (size_t k = 0; k < PX_COUNT(arrays); ++k) {
        *arrays[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (*arrays[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    }
    q->own = q->before; /* used up before the others are needed */
    q->reach = q->correction;
    q->slope = PX_ARENA_ARRAY(f->scratch, float, f->pairs->used);
    q->quad = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(f->count));
    q->active = PX_ARENA_ARRAY(f->scratch, uint8_t, f->count);
    if (q->slope == NULL || q->quad == NULL || q->active == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u particles", f->count);
    px_fluid_pack_w(f, f->quad, f->inverse_mass);
    px_parallel_for(f->threads, f->count, PX_BLOCK, begin_block, q);
    px_fluid_pack_w(f, f->quad, q->reach);
    px_parallel_for(f->threads, f->count, PX_BLOCK, scale_rows_block, q);
    float *behind = q->quad + 4 * (size_t)f->count;
    behind[0] = behind[1] = behind[2] = behind[3] = 0.0f;
    if (uniform)
        uniform_scale(q);
    if (!coarse)
        return PX_OK;
    PxCoarseInput input = {q->quad, dt};
    return PX_ISA_NAME(px_coarse_begin)(&q->coarse, f, &input);
}

/* ---- the two passes ------------------------------------------------------ */

typedef struct Rate {
    const PxPoisson *q;
    const float *quad; /* velocities or accelerations */
    float *rate;
    bool damp, flux;
} Rate;

/* D of what is packed in `quad`; with `damp`, also Monaghan's artificial viscosity. */
PX_INLINE void rate_rows(const Rate *job, uint32_t begin, uint32_t end, bool damp)
{
    const PxPoisson *q = job->q;
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad, *quad_u = job->quad;
    float s3 = (float)(f->spacing * f->spacing * f->spacing);
    PxF8 soft = px_f8(0.01f * 0.25f * f->kernel.h * f->kernel.h);
    for (uint32_t i = begin; i < end; ++i) {
        const float *own = quad + 4 * (size_t)i, *own_u = quad_u + 4 * (size_t)i;
        PxF8 xi = px_f8(own[0]), yi = px_f8(own[1]), zi = px_f8(own[2]);
        PxF8 ui = px_f8(own_u[0]), vi = px_f8(own_u[1]), wi = px_f8(own_u[2]);
        PxF8 sum = px_f8(0.0f), ax = sum, ay = sum, az = sum;
        const float *slope = q->slope + pairs->start[i];
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, unused, u, v, w, weight;
            px_f8_load_quads(quad, j, &x, &y, &z, &unused);
            px_f8_load_quads(quad_u, j, &u, &v, &w, &weight);
            x = xi - x;
            y = yi - y;
            z = zi - z;
            PxF8 along = (ui - u) * x + (vi - v) * y + (wi - w) * z, g = px_f8_load(slope);
            sum += g * along;
            slope += 8;
            if (damp) {
                PxF8 c =
                    g * weight * px_f8_min(along, px_f8(0.0f)) / (x * x + y * y + z * z + soft);
                ax += c * x;
                ay += c * y;
                az += c * z;
            }
        }
        if (damp) {
            float scale = 0.5f * f->kernel.h * own_u[3] * f->inverse_mass[i];
            f->particles->ax[i] += scale * px_f8_sum(ax);
            f->particles->ay[i] += scale * px_f8_sum(ay);
            f->particles->az[i] += scale * px_f8_sum(az);
        }
        job->rate[i] = s3 * px_f8_sum(sum) + own_u[0] * f->wall_gx[i] + own_u[1] * f->wall_gy[i] +
                       own_u[2] * f->wall_gz[i] - (job->flux ? f->wall_flux[i] : 0.0f);
    }
}

static void rate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    rate_rows(user, begin, end, false);
}

static void rate_damp_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    rate_rows(user, begin, end, true);
}

void PX_ISA_NAME(px_poisson_rate)(PxPoisson *q, float *rate, bool damp)
{
    Rate job = {q, q->fluid->quad_velocity, rate, damp, true};
    px_parallel_for(q->fluid->threads, q->fluid->count, PX_BLOCK,
                    damp ? rate_damp_block : rate_block, &job);
}

/* a(P) of the P in the fluid's quads, and its packed copy. */
static void acceleration_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxPoisson *q = user;
    const PxFluid *f = q->fluid;
    const PxPairs *pairs = f->pairs;
    const float *quad = f->quad;
    float per_volume = (float)(1.0 / (f->spacing * f->spacing * f->spacing));
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
        float scale = -f->inverse_mass[i], wall = own[3] * per_volume;
        float *out = q->quad + 4 * (size_t)i;
        out[0] = scale * (px_f8_sum(ax) + wall * f->wall_gx[i]);
        out[1] = scale * (px_f8_sum(ay) + wall * f->wall_gy[i]);
        out[2] = scale * (px_f8_sum(az) + wall * f->wall_gz[i]);
        out[3] = 0.0f;
    }
}

/* rate = D(a(P)) */
static void apply(PxPoisson *q, const float *pressure, float *rate)
{
    const PxFluid *f = q->fluid;
    px_fluid_pack_w(f, f->quad, pressure);
    px_parallel_for(f->threads, f->count, PX_BLOCK, acceleration_block, q);
    Rate job = {q, q->quad, rate, false, false};
    px_parallel_for(f->threads, f->count, PX_BLOCK, rate_block, &job);
}

/* ---- solving ------------------------------------------------------------ */

/* Errors beyond this count as this in the mean. */
#define MOST_ERROR 16.0f

typedef struct Solve {
    PxPoisson *q;
    const float *source;
    float *pressure;      /* P */
    float step, momentum; /* Chebyshev's weights */
    float along;          /* of the coarse correction */
    double magic, sum;    /* of the compression left */
    float most[2];        /* sizes of the correction and of its image */
    double dot[2];        /* with what is over, with its image */
} Solve;

/* From D(a) to what is over: what is missing to the source. */
static void over_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Solve *s = user;
    PxPoisson *q = s->q;
    float dt2 = (float)(q->dt * q->dt);
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float over = dt2 * q->rate[i] - s->source[i];
        bool active = s->pressure[i] > 0.0f || over > 0.0f;
        q->active[i] = active;
        q->rate[i] = over;
        float wrong = over > 0.0f ? over : 0.0f;
        sum += px_sum_round(s->magic, (double)(wrong < MOST_ERROR ? wrong : MOST_ERROR));
    }
    px_join_begin();
    s->sum += sum;
    px_join_end();
}

static double evaluate(Solve *s)
{
    const PxFluid *f = s->q->fluid;
    apply(s->q, s->pressure, s->q->rate);
    s->sum = 0;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, over_block, s);
    return f->count > 0 ? s->sum / f->count : 0;
}

static void improve_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    PxPoisson *q = s->q;
    for (uint32_t i = begin; i < end; ++i) {
        float now = s->pressure[i], better = now;
        if (q->scale[i] > 0.0f)
            better += s->step * q->rate[i] / (q->scale[i] * q->scale[i]) +
                      s->momentum * (now - q->before[i]);
        q->before[i] = now;
        s->pressure[i] = better > 0.0f ? better : 0.0f;
    }
}

static void sizes_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Solve *s = user;
    const float *const value[2] = {s->q->correction, s->q->before};
    float most[2] = {0, 0};
    for (uint32_t i = begin; i < end; ++i)
        for (int k = 0; k < 2; ++k)
            most[k] = fabsf(value[k][i]) > most[k] ? fabsf(value[k][i]) : most[k];
    px_join_begin();
    for (int k = 0; k < 2; ++k)
        s->most[k] = most[k] > s->most[k] ? most[k] : s->most[k];
    px_join_end();
}

static void dots_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Solve *s = user;
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
    px_join_begin();
    s->dot[0] += dot[0];
    s->dot[1] += dot[1];
    px_join_end();
}

static void correct_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    PxPoisson *q = s->q;
    float dt2 = (float)(q->dt * q->dt);
    for (uint32_t i = begin; i < end; ++i) {
        float better = s->pressure[i] + s->along * q->correction[i];
        s->pressure[i] = better > 0.0f ? better : 0.0f;
        q->rate[i] += s->along * dt2 * q->before[i];
        q->before[i] = s->pressure[i];
    }
}

/* Adds the coarse correction, as long as suits the fine equation best: the length that
 * makes its energy least. The rate is carried along, not computed anew. */
static void correct(Solve *s)
{
    PxPoisson *q = s->q;
    const PxFluid *f = q->fluid;
    PX_ISA_NAME(px_coarse_solve)(&q->coarse, q->rate, q->active, q->correction);
    apply(q, q->correction, q->before);
    s->most[0] = s->most[1] = 0;
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, sizes_block, s);
    s->along = 0;
    if (s->most[0] > 0 && s->most[1] > 0) {
        s->dot[0] = s->dot[1] = 0;
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, dots_block, s);
        double curve = s->dot[1] * (double)s->most[1] * q->dt * q->dt;
        double along = curve > 0 ? s->dot[0] / curve : 0;
        s->along = (float)fmin(fmax(along, 0), 4);
    }
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, correct_block, s);
}

static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i)
        s->q->before[i] = s->pressure[i];
}

PxPoissonResult PX_ISA_NAME(px_poisson_solve)(PxPoisson *q, const float *source, float *pressure,
                                              PxPoissonOptions options)
{
    PxFluid *f = q->fluid;
    PxPoissonResult result = {0, 0, false};
    Solve s = {.q = q,
               .source = source,
               .pressure = pressure,
               .magic = px_sum_magic((double)MOST_ERROR, f->count)};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, start_block, &s);
    /* Chebyshev's semi-iteration for eigenvalues in [SMALLEST, 1] (Golub and Varga 1961) */
    const double smallest = SMALLEST, middle = (1 + smallest) / 2, half = (1 - smallest) / 2;
    double rho = half / middle, omega = 1;
    uint32_t round = 0;
    result.error = evaluate(&s);
    result.converged = result.error <= options.error;
    if (result.converged && options.least == 0)
        return result;
    for (;;) {
        if (round == 0 && options.coarse) {
            correct(&s);
            ++result.iterations;
        }
        omega = round == 0 || options.plain ? 1
                : round == 1                ? 1 / (1 - rho * rho / 2)
                                            : 1 / (1 - rho * rho * omega / 4);
        s.step = options.plain ? 1.0f : (float)(omega / middle);
        s.momentum = (float)(omega - 1);
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, improve_block, &s);
        result.error = evaluate(&s);
        ++result.iterations;
        ++round;
        result.converged = result.error <= options.error;
        if ((result.converged && result.iterations >= options.least) ||
            result.iterations >= options.most)
            return result;
        if (round == CYCLE)
            round = 0;
    }
}
