#include "thermal/solve.h"

#include "base/stop.h"
#include "base/sum.h"
#include "matter/melt.h"

#include <math.h>

/* Tolerance of a temperature: relative to the range of all, and to the largest, with latent heat
 * expressed in degrees. */
#define TOLERANCE 1e-6
#define LEAST_TOLERANCE 1e-12

/* Relative tolerance of conjugate gradients; single precision cannot use a smaller one. */
#define LINEAR_TOLERANCE 1e-4

#define MOST_CORRECTIONS 40
#define MOST_HALVINGS 40
#define MOST_ITERATIONS 20000

/* Temperatures of an iterate, and the enthalpies and residuals that follow from them. */
typedef struct Iterate {
    double *x, *low; /* degrees C, the sum of the two */
    double *energy;  /* J: old enthalpy plus the flow in a step at these temperatures */
    double *left;    /* J, residual: `energy` less the enthalpy at these; 0 in held rows */
    double worst;    /* largest of |left| over capacity */
} Iterate;

typedef struct Solve {
    PxHeatJob *job;
    Iterate at, next, other;
    double *slope;    /* J/K, of enthalpy over temperature */
    double *diagonal; /* inverse of the matrix diagonal */
    double *v;        /* the correction */
    double *r, *p, *ap;
    double alpha, beta;
    double part;        /* step length of a correction, or factor of the flows */
    double wanted;      /* tolerance of Iterate.worst */
    double least, most; /* degrees C: old range, widened by a tenth of `wanted` because the mean
                         * of several walls is rounded */
    bool bounded;       /* iterates are clamped to that range */
    bool melts;
} Solve;

static inline double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* ---- sums whose bits do not depend on order (base/sum.h) --------------------------- */

typedef struct Dot {
    const double *a, *b, *scale; /* of scale_i a_i b_i; no scale is 1 */
    const double *per;           /* largest |a_i| / per_i as well, unless NULL */
    double magic;                /* for px_sum_round() */
} Dot;

enum { LARGEST, WORST, MOSTS }; /* |scale_i a_i b_i|, and |a_i| / per_i */

static inline double dot_of(const Dot *d, uint32_t i)
{
    return d->a[i] * d->b[i] * (d->scale != NULL ? d->scale[i] : 1);
}

static void largest_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Dot *d = user;
    double largest = 0, worst = 0;
    for (uint32_t i = begin; i < end; ++i) {
        largest = fmax(largest, fabs(dot_of(d, i)));
        if (d->per != NULL)
            worst = fmax(worst, fabs(d->a[i]) / d->per[i]);
    }
    part->most[LARGEST] = largest;
    part->most[WORST] = worst;
}

static void dot_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Dot *d = user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i)
        sum += px_sum_round(d->magic, dot_of(d, i));
    part->sum[0] = sum;
}

static double dot(const Solve *s, Dot d, double *worst)
{
    PxRows rows = px_fluid_rows(s->job->heat->fluid);
    PxPart most = {.maxima = MOSTS}, total = {.sums = 1};
    uint64_t all = px_reduce(&rows, largest_part, &d, &most);
    d.magic = px_sum_magic(most.most[LARGEST], all);
    px_reduce(&rows, dot_part, &d, &total);
    if (worst != NULL)
        *worst = most.most[WORST];
    return total.sum[0];
}

/* ---- iterates ------------------------------------------------------------------------ */

/* Heat flow into i, W; *wall is the part from walls. Flows of a pair are bitwise opposite. */
static double exact_flow(const PxHeatJob *job, const Iterate *at, uint32_t i, double *wall)
{
    const PxPairs *pairs = job->pass.fluid->pairs;
    const uint32_t *j = pairs->row + pairs->start[i];
    const float *pair = job->pass.pair + pairs->start[i];
    double x = at->x[i], low = at->low[i], sum = 0;
    for (uint32_t k = 0; k < pairs->size[i]; ++k)
        sum += (double)pair[k] * ((at->x[j[k]] - x) + (at->low[j[k]] - low));
    *wall = 0;
    if (job->wall != NULL && job->wall[i] > 0)
        *wall = job->wall[i] * ((job->warmth[i] / job->wall[i] - x) - low);
    return sum + *wall;
}

/* Enthalpy at the temperature x + low: in a narrow melting range different enthalpies can have the
 * same temperature as a double. */
static inline double heat_at(const PxHeatJob *job, uint32_t i, double x, double low)
{
    const PxMaterialDef *def = px_heat_def(job, i);
    double heat = px_heat_of(def, x) + def->heat_capacity * low;
    if (def->melts.melts && x > def->melts.from && x < def->melts.to)
        heat += def->latent_heat * low / (def->melts.to - def->melts.from);
    return (double)job->heat->fluid->particles->mass[i] * heat;
}

static void left_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const Iterate *next = &s->next;
    const PxHeatJob *job = s->job;
    for (uint32_t i = begin; i < end; ++i) {
        double wall;
        next->energy[i] = job->energy[i] + job->dt * exact_flow(job, next, i, &wall);
        next->left[i] = px_heat_is_held(job, i)
                            ? 0
                            : next->energy[i] - heat_at(job, i, next->x[i], next->low[i]);
    }
}

/* Computes energies and residuals of `next` from its temperatures. */
static void look(Solve *s)
{
    const PxFluid *f = s->job->heat->fluid;
    px_fluid_refresh(f, s->next.x, sizeof(double), sizeof(double));
    px_fluid_refresh(f, s->next.low, sizeof(double), sizeof(double));
    px_heat_run(s->job, left_block, s);
    Dot size = {.a = s->next.left, .b = s->next.left, .per = s->job->capacity};
    PxRows rows = px_fluid_rows(s->job->heat->fluid);
    PxPart most = {.maxima = MOSTS};
    px_reduce(&rows, largest_part, &size, &most);
    s->next.worst = most.most[WORST];
}

static void swap(Iterate *a, Iterate *b)
{
    Iterate c = *a;
    *a = *b;
    *b = c;
}

static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        s->next.x[i] = s->job->temperature[i];
        s->next.low[i] = 0;
    }
}

/* next = at + part v, as an exact sum of two doubles (Knuth's two-sum). */
static void step_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        double a = s->at.x[i], b = s->at.low[i] + s->part * s->v[i];
        double sum = a + b, of_b = sum - a, low = (a - (sum - of_b)) + (b - of_b);
        bool out = s->bounded && !(sum >= s->least && sum <= s->most);
        s->next.x[i] = out ? clamp(sum, s->least, s->most) : sum;
        s->next.low[i] = out ? 0 : low;
    }
}

/* Sets `next` to the temperatures of the corrected enthalpies. */
static void heat_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxHeatJob *job = s->job;
    for (uint32_t i = begin; i < end; ++i) {
        double mass = (double)job->heat->fluid->particles->mass[i];
        double heat = heat_at(job, i, s->at.x[i], s->at.low[i]) + s->slope[i] * s->v[i];
        double x = px_heat_is_held(job, i) ? s->at.x[i]
                                           : px_heat_temperature(px_heat_def(job, i), heat / mass);
        s->next.x[i] = clamp(x, s->least, s->most);
        s->next.low[i] = 0;
    }
}

/* ---- the correction ------------------------------------------------------------------ */

/* Slope of the enthalpy at the iterate; at a kink, on the side of the correction. */
static double slope_at(const Solve *s, uint32_t i)
{
    const PxMaterialDef *def = px_heat_def(s->job, i);
    double c = s->job->capacity[i], x = s->at.x[i], from = def->melts.from, to = def->melts.to;
    if (!def->melts.melts || !(def->latent_heat > 0) || x < from || x > to)
        return c;
    if ((x <= from && s->at.left[i] < 0) || (x >= to && s->at.left[i] > 0))
        return c;
    return c + (double)s->job->heat->fluid->particles->mass[i] * def->latent_heat / (to - from);
}

static void begin_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxHeatJob *job = s->job;
    for (uint32_t i = begin; i < end; ++i) {
        double away = job->pass.away[i] + (job->wall != NULL ? job->wall[i] : 0);
        s->slope[i] = slope_at(s, i);
        s->diagonal[i] = 1 / (s->slope[i] + job->dt * away);
        s->v[i] = 0;
        s->r[i] = s->at.left[i];
        s->p[i] = s->diagonal[i] * s->r[i];
        px_heat_put_value(job, i, s->p[i]);
    }
}

/* ap = (slope + dt K) p; p is 0 in held rows. */
static void apply_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxHeatJob *job = s->job;
    for (uint32_t i = begin; i < end; ++i) {
        double wall = job->wall != NULL ? job->wall[i] : 0;
        s->ap[i] = px_heat_is_held(job, i)
                       ? 0
                       : (s->slope[i] + job->dt * wall) * s->p[i] - job->dt * job->pass.flow[i];
    }
}

static void advance_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        s->v[i] += s->alpha * s->p[i];
        s->r[i] -= s->alpha * s->ap[i];
    }
}

static void direction_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        s->p[i] = s->diagonal[i] * s->r[i] + s->beta * s->p[i];
        px_heat_put_value(s->job, i, s->p[i]);
    }
}

/* Solves (slope + dt K) v = left. */
static void correct(Solve *s)
{
    PxHeat *heat = s->job->heat;
    const Dot left = {.a = s->r, .b = s->r, .scale = s->diagonal, .per = s->job->capacity};
    double worst;
    px_heat_run(s->job, begin_block, s);
    double size = dot(s, left, &worst), first = size;
    while (worst > 0.1 * s->wanted && size > LINEAR_TOLERANCE * LINEAR_TOLERANCE * first &&
           heat->iterations < MOST_ITERATIONS && !px_stopped(heat->fluid->threads)) {
        px_heat_flow(s->job);
        px_heat_run(s->job, apply_block, s);
        double curve = dot(s, (Dot){.a = s->p, .b = s->ap}, NULL);
        if (!(curve > 0))
            break; /* rounding */
        s->alpha = size / curve;
        px_heat_run(s->job, advance_block, s);
        double before = size;
        size = dot(s, left, &worst);
        s->beta = size / before;
        px_heat_run(s->job, direction_block, s);
        ++heat->iterations;
    }
}

/* ---- the way to the next iterate ------------------------------------------------------ */

/* ap = residual after a part of the correction; flows are linear, and `next` has those of the whole
 * correction. */
static void part_left_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    for (uint32_t i = begin; i < end; ++i) {
        double energy = s->at.energy[i] + s->part * (s->next.energy[i] - s->at.energy[i]);
        double low = s->at.low[i] + s->part * s->v[i];
        s->ap[i] =
            px_heat_is_held(s->job, i) ? 0 : energy - heat_at(s->job, i, s->at.x[i] + low, 0);
    }
}

/* Does the convex function still decrease along the correction at `part`? */
static bool falls_at(Solve *s, double part)
{
    s->part = part;
    px_heat_run(s->job, part_left_block, s);
    return dot(s, (Dot){.a = s->ap, .b = s->v}, NULL) >= 0;
}

static void take_part(Solve *s, double part, bool bounded)
{
    s->part = part;
    s->bounded = bounded;
    px_heat_run(s->job, step_block, s);
    look(s);
}

/* Line search: the part of the correction that minimises the convex function, within a tenth. */
static void search(Solve *s)
{
    take_part(s, 1, false);
    double low = 0, high = 1;
    if (falls_at(s, 1))
        return;
    for (int k = 0; k < MOST_HALVINGS && low < 0.9 * high; ++k) {
        double middle = 0.5 * (low + high);
        if (falls_at(s, middle))
            low = middle;
        else
            high = middle;
    }
    take_part(s, low, false);
}

/* One Newton iteration from `at`. */
static void advance(Solve *s)
{
    correct(s);
    take_part(s, 1, true);
    if (s->melts && s->next.worst > s->wanted) {
        swap(&s->next, &s->other);
        px_heat_run(s->job, heat_block, s);
        look(s);
        if (s->next.worst > s->other.worst)
            swap(&s->next, &s->other);
        if (s->next.worst > 0.5 * s->at.worst)
            search(s);
    }
    swap(&s->at, &s->next);
}

/* ---- the step ------------------------------------------------------------------------- */

/* Largest factor of the flows that keeps every row within the range. */
static void part_part(void *user, uint32_t begin, uint32_t end, PxPart *out)
{
    const Solve *s = user;
    const PxHeatJob *job = s->job;
    double part = 1;
    for (uint32_t i = begin; i < end; ++i) {
        double least = heat_at(job, i, job->least, 0), most = heat_at(job, i, job->most, 0);
        double in = s->at.energy[i] - job->energy[i];
        if (px_heat_is_held(job, i) || (s->at.energy[i] >= least && s->at.energy[i] <= most))
            continue;
        double room = (in > 0 ? most : least) - job->energy[i];
        part = fmin(part, room / in > 0 ? room / in : 0);
    }
    out->least[0] = part;
}

static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Solve *s = user;
    const PxHeatJob *job = s->job;
    for (uint32_t i = begin; i < end; ++i) {
        double wall, in = s->part * (s->at.energy[i] - job->energy[i]);
        exact_flow(job, &s->at, i, &wall);
        job->given[i] += s->part * job->dt * wall;
        if (px_heat_is_held(job, i)) {
            job->held[i] -= in;
            continue;
        }
        double mass = (double)job->heat->fluid->particles->mass[i];
        job->energy[i] += in;
        job->temperature[i] = px_heat_temperature(px_heat_def(job, i), job->energy[i] / mass);
    }
}

static PxStatus take_arrays(Solve *s)
{
    PxFluid *f = s->job->heat->fluid;
    Iterate *a = &s->at, *b = &s->next, *c = &s->other;
    double **array[] = {&s->slope,  &s->diagonal, &s->v,      &s->r,    &s->p,      &s->ap,
                        &a->x,      &a->low,      &a->energy, &a->left, &b->x,      &b->low,
                        &b->energy, &b->left,     &c->x,      &c->low,  &c->energy, &c->left};
    size_t wanted = s->melts ? PX_COUNT(array) : PX_COUNT(array) - 4;
    for (size_t k = 0; k < wanted; ++k) {
        *array[k] = PX_ARENA_ARRAY(f->scratch, double, px_fluid_visible(f));
        if (*array[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "heat: no room to solve for %u particles", f->count);
    }
    return PX_OK;
}

PxStatus px_heat_solve(PxHeatJob *job)
{
    PxHeat *heat = job->heat;
    const PxFluid *f = heat->fluid;
    Solve s = {.job = job, .part = 1};
    double size = fmax(fabs(job->least), fabs(job->most)), latent = 0;
    for (uint32_t m = 0; m < f->materials; ++m) {
        const PxMaterialDef *def = &f->material[m].def;
        if (def->melts.melts)
            latent = fmax(latent, def->latent_heat / def->heat_capacity);
    }
    s.melts = latent > 0;
    s.wanted = TOLERANCE * (job->most - job->least) + LEAST_TOLERANCE * (size + latent);
    s.least = job->least - 0.1 * s.wanted;
    s.most = job->most + 0.1 * s.wanted;
    PX_TRY(take_arrays(&s));
    px_heat_run(job, start_block, &s);
    look(&s);
    swap(&s.at, &s.next);
    for (int k = 0; k < MOST_CORRECTIONS && s.at.worst > s.wanted; ++k) {
        advance(&s);
        PX_TRY(px_stop_check(f->threads));
    }
    heat->converged = s.at.worst <= s.wanted;
    s.part = 1;
    if (!heat->converged) {
        PxRows rows = px_fluid_rows(f);
        PxPart part = {.minima = 1, .least = {1}};
        px_reduce(&rows, part_part, &s, &part);
        s.part = part.least[0];
    }
    px_heat_run(job, end_block, &s);
    return PX_OK;
}
