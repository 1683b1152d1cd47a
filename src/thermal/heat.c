#include "thermal/heat.h"

#include "base/stop.h"
#include "base/sum.h"
#include "matter/melt.h"
#include "thermal/solve.h"

#include <math.h>
#include <string.h>

/* With more explicit sub-steps the implicit solve is cheaper. */
#define MOST_SUBSTEPS 8

/* Temperatures whose range is less, relative to the largest, count as equal; floats have 6e-8. */
#define LEAST_RANGE 1e-9

/* Lower bound of the filled fraction of a neighbourhood: an isolated particle has 0.32. */
#define LEAST_FILLED 0.25

/* 2 sum_j V (- x_ij . grad W) / (r^2 + 0.01 h^2) x^2 / 2 in a lattice: the discrete second
 * derivative of x^2 / 2, which should be 1. */
static double lattice_moment(double h, double s)
{
    double soft = 0.01 * 0.25 * h * h, sum = 0;
    int n = (int)(h / s);
    for (int x = -n; x <= n; ++x)
        for (int y = -n; y <= n; ++y)
            for (int z = -n; z <= n; ++z) {
                double r2 = s * s * (x * x + y * y + z * z), r = sqrt(r2);
                sum -= s * s * x * x * r * px_kernel_derivative(h, r) / (r2 + soft);
            }
    return s * s * s * sum / px_kernel_lattice(h, s);
}

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxHeatJob *job = user;
    const PxFluid *f = job->heat->fluid;
    const PxParticles *p = f->particles;
    double cell = f->spacing * f->spacing * f->spacing;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = px_heat_def(job, i);
        double mass = (double)p->mass[i], k = def->diffusivity * def->density * def->heat_capacity;
        bool warm = job->wall != NULL && f->wall_heat[i] > 0;
        double filled = cell / (double)f->volume[i] - (warm ? 0 : (double)f->wall_part[i]);
        double volume = mass / def->density / sqrt(fmax(filled, LEAST_FILLED));
        job->capacity[i] = mass * def->heat_capacity;
        job->temperature[i] = px_heat_at(p, job->heat->low, i);
        job->energy[i] = mass * px_heat_of(def, job->temperature[i]);
        job->given[i] = 0;
        if (job->held != NULL)
            job->held[i] = 0;
        if (job->wall != NULL) {
            double rate = job->capacity[i] * def->diffusivity;
            job->wall[i] = rate * f->wall_heat[i];
            job->warmth[i] = rate * f->wall_warmth[i];
        }
        float *quad = job->pass.value + 4 * (size_t)i;
        quad[2] = (float)k;
        quad[3] = (float)(job->scale * volume);
        px_heat_put_value(job, i, job->temperature[i]);
    }
}

static void range_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxHeatJob *job = user;
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = begin; i < end; ++i) {
        double t = px_heat_at(job->heat->fluid->particles, job->heat->low, i);
        least = fmin(least, t);
        most = fmax(most, t);
    }
    part->least[0] = least;
    part->most[0] = most;
}

/* Largest relaxation rate of a particle towards its neighbours. */
static void fastest_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxHeatJob *job = user;
    double fastest = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double away = job->pass.away[i] + (job->wall != NULL ? job->wall[i] : 0);
        fastest = fmax(fastest, away / job->capacity[i]);
    }
    part->most[0] = fastest;
}

/* ---- the flow of heat -------------------------------------------------------- */

/* Heat flow into i for the current values, W; *wall is the part from walls. */
static inline double flow_into(const PxHeatJob *job, uint32_t i, double value, double *wall)
{
    *wall = job->wall != NULL ? job->warmth[i] - job->wall[i] * value : 0;
    return job->pass.flow[i] + *wall;
}

/* H += dt times the flow at temperature `from`. */
static inline void take(const PxHeatJob *job, uint32_t i, double from)
{
    double wall, in = job->dt * flow_into(job, i, from, &wall);
    job->given[i] += job->dt * wall;
    if (job->heat->held != NULL && job->heat->held[i]) {
        job->held[i] -= in;
        return;
    }
    const PxMaterialDef *def = px_heat_def(job, i);
    double mass = (double)job->heat->fluid->particles->mass[i];
    job->energy[i] += in;
    job->temperature[i] = px_heat_temperature(def, job->energy[i] / mass);
}

static void explicit_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxHeatJob *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        take(job, i, job->temperature[i]);
        px_heat_put_value(job, i, job->temperature[i]);
    }
}

static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxHeatJob *job = user;
    for (uint32_t i = begin; i < end; ++i)
        if (job->heat->held == NULL || !job->heat->held[i])
            px_heat_put(job->heat->fluid->particles, job->heat->low, i, job->temperature[i]);
    for (uint32_t i = begin; i < end && job->heat->row_walls != NULL; ++i)
        job->heat->row_walls[i] += job->given[i];
    for (uint32_t i = begin; i < end && job->heat->row_held != NULL && job->held != NULL; ++i)
        job->heat->row_held[i] += job->held[i];
}

/* ---- the step ------------------------------------------------------------------ */

static void given_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const PxHeatJob *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        px_sum_add(&sums[0], job->given[i]);
        if (job->held != NULL)
            px_sum_add(&sums[1], job->held[i]);
    }
}

static bool conducts(const PxFluid *f)
{
    for (uint32_t m = 0; m < f->materials; ++m)
        if (f->material[m].def.diffusivity > 0)
            return true;
    return false;
}

static PxStatus take_arrays(PxHeatJob *job)
{
    const PxHeat *heat = job->heat;
    PxFluid *f = heat->fluid;
    size_t n = f->count;
    bool walls = f->wall_heat != NULL, held = heat->held != NULL;
    struct {
        double **to;
        bool wanted;
    } array[] = {{&job->capacity, true}, {&job->temperature, true}, {&job->energy, true},
                 {&job->given, true},    {&job->pass.away, true},   {&job->pass.flow, true},
                 {&job->held, held},     {&job->wall, walls},       {&job->warmth, walls}};
    bool there = true;
    for (size_t k = 0; k < PX_COUNT(array); ++k)
        if (array[k].wanted) {
            *array[k].to = PX_ARENA_ARRAY(f->scratch, double, n);
            there = there && *array[k].to != NULL;
        }
    job->pass.value = PX_ARENA_ARRAY(f->scratch, float, px_quads_floats(px_fluid_visible(f)));
    job->pass.pair = PX_ARENA_ARRAY(f->scratch, float, px_round_up(f->pairs->used, 1u << 16));
    if (!there || job->pass.value == NULL || job->pass.pair == NULL)
        return px_fail(PX_ERR_MEMORY, "heat: no room for %u particles", f->count);
    /* the padding row behind the last one is zero */
    memset(job->pass.value + 4 * (size_t)px_fluid_visible(f), 0, 4 * sizeof(float));
    return PX_OK;
}

/* Range of all temperatures, including those of walls. */
static void find_range(PxHeatJob *job)
{
    const PxFluid *f = job->heat->fluid;
    PxRows rows = px_fluid_rows(f);
    PxPart range = {.maxima = 1, .minima = 1, .most = {-INFINITY}, .least = {INFINITY}};
    px_reduce(&rows, range_part, job, &range);
    job->least = range.least[0];
    job->most = range.most[0];
    for (size_t k = 0; k < f->boundaries; ++k)
        if (!isnan(f->boundary[k]->temperature)) {
            job->least = fmin(job->least, f->boundary[k]->temperature);
            job->most = fmax(job->most, f->boundary[k]->temperature);
        }
}

/* Conductance between octree cells: area of the smaller face, half of each cell in series. */
static void link_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxHeatJob *job = user;
    const PxFluid *f = job->heat->fluid;
    const float *radius = f->particles->radius;
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t k = 0; k < f->pairs->size[i]; ++k) {
            uint32_t entry = f->pairs->start[i] + k, j = f->pairs->row[entry];
            if (!job->heat->link[entry])
                continue;
            double k_i = (double)job->pass.value[4 * (size_t)i + 2];
            double k_j = (double)job->pass.value[4 * (size_t)j + 2];
            double edge = 2 * fmin((double)radius[i], (double)radius[j]);
            bool conducts = k_i > 0 && k_j > 0;
            double resists = conducts ? (double)radius[i] / k_i + (double)radius[j] / k_j : 1;
            job->pass.pair[entry] = conducts ? (float)(edge * edge / resists) : 0.0f;
            job->pass.away[i] += (double)job->pass.pair[entry];
        }
}

static PxStatus conduct(PxHeatJob *job)
{
    PxHeat *heat = job->heat;
    const PxFluid *f = heat->fluid;
    find_range(job);
    if (!(job->most - job->least > LEAST_RANGE * fmax(fabs(job->most), fabs(job->least))))
        return PX_OK; /* nothing flows */
    PX_TRY(take_arrays(job));
    px_heat_run(job, begin_block, job);
    px_fluid_refresh_quads(f, job->pass.value);
    px_parallel_for(f->threads, f->count, PX_BLOCK, PX_ISA_PICK(f->isa, px_heat_pairs_block),
                    &job->pass);
    if (heat->link != NULL)
        px_heat_run(job, link_block, job);
    PxRows rows = px_fluid_rows(f);
    PxPart fastest = {.maxima = 1};
    px_reduce(&rows, fastest_part, job, &fastest);
    double substeps = fmax(ceil(heat->dt * fastest.most[0]), 1);
    if (substeps <= MOST_SUBSTEPS) {
        heat->substeps = (uint32_t)substeps;
        job->dt = heat->dt / substeps;
        for (uint32_t k = 0; k < heat->substeps; ++k) {
            PX_TRY(px_stop_check(f->threads));
            px_heat_flow(job);
            px_heat_run(job, explicit_block, job);
        }
    } else {
        job->dt = heat->dt;
        PX_TRY(px_heat_solve(job));
    }
    px_heat_run(job, end_block, job);
    PxSum sums[2];
    px_reduce_exact(&rows, 2, given_rows, job, sums);
    heat->from_walls = px_sum_value(&sums[0]);
    heat->from_held = px_sum_value(&sums[1]);
    return PX_OK;
}

PxStatus px_heat_conduct(PxHeat *heat)
{
    PxFluid *f = heat->fluid;
    heat->from_walls = heat->from_held = 0;
    heat->substeps = heat->iterations = 0;
    heat->converged = true;
    PxRows rows = px_fluid_rows(f);
    if (px_reduce_count(&rows) == 0 || !conducts(f))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    PxHeatJob job = {.heat = heat, .pass = {.fluid = f}};
    /* G has 4 k_i k_j / (k_i + k_j), and the kernel's slope its norm. */
    job.scale =
        sqrt(4 * (double)f->kernel.norm_slope / lattice_moment((double)f->kernel.h, f->spacing));
    PX_TRY(conduct(&job));
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
