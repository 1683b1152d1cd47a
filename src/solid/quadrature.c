#include "solid/quadrature.h"

#include "solid/fit.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    PxSolidLists *lists;
    const PxBonds *bonds;
    PxSolidPoints points;
} Job;

/* Bounds of V' / V: only ill-sampled matter reaches them. */
#define LEAST_PART 0.5f
#define MOST_PART 1.5f

static PxVec3 way(PxSolidPoints p, uint32_t i, uint32_t j)
{
    return px_vec((double)p.x[j] - (double)p.x[i], (double)p.y[j] - (double)p.y[i],
                  (double)p.z[j] - (double)p.z[i]);
}

/* Where the neighbours do not determine the Laplacian: minus the reciprocal of the sum of weights
 * of those neighbours that have one, 0 if there are none; else `curved` as it is. Into
 * `quadrature`, since other blocks still read `curved`. */
static void share_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    for (uint32_t i = begin; i < end; ++i) {
        double sum = 0;
        l->quadrature[i] = l->curved[i];
        if (l->curved[i] > 0.0f)
            continue;
        for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e)
            if (l->curved[job->bonds->other[e]] > 0.0f)
                sum += px_bond_fit_weight(job->bonds, job->points, i, e);
        l->quadrature[i] = sum > 0 ? (float)(-1 / sum) : 0.0f;
    }
}

/* V s^2 / 24 */
static double moment(const Job *job, uint32_t i)
{
    double v = (double)job->points.volume[i], s = cbrt(v);
    return v * s * s / 24;
}

/* The moment that the Laplacian of i counts: its own and shares of its neighbours'. */
static double counted(const Job *job, uint32_t i)
{
    const PxSolidLists *l = job->lists;
    double sum = moment(job, i);
    for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e) {
        uint32_t j = job->bonds->other[e];
        if (l->curved[j] < 0.0f)
            sum -= (double)l->curved[j] * moment(job, j) *
                   px_bond_fit_weight(job->bonds, job->points, i, e);
    }
    return sum;
}

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    for (uint32_t i = begin; i < end; ++i)
        l->quadrature[i] = l->curved[i] > 0.0f ? (float)counted(job, i) : 0.0f;
}

static double laplacian(const Job *job, uint32_t i, PxVec3 x, double w)
{
    return px_solid_fit_laplacian(job->lists->laplacian + 9 * (size_t)i,
                                  (double)job->points.support[i], x, w);
}

/* (V' - V) / V, into `curved`. */
static void part_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxSolidLists *l = job->lists;
    for (uint32_t i = begin; i < end; ++i) {
        double sum = 0, own = (double)l->quadrature[i];
        for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e) {
            uint32_t j = job->bonds->other[e];
            PxVec3 x = way(job->points, i, j);
            double w = px_bond_fit_weight(job->bonds, job->points, i, e);
            if (l->quadrature[j] > 0.0f)
                sum += (double)l->quadrature[j] * laplacian(job, j, px_scale(x, -1), w);
            if (own > 0)
                sum -= own * laplacian(job, i, x, w);
        }
        l->curved[i] = (float)(sum / (double)job->points.volume[i]);
    }
}

void px_solid_quadrature(PxSolidLists *l, const PxBonds *bonds, PxSolidPoints points,
                         const PxThreads *threads)
{
    Job job = {l, bonds, points};
    if (points.count == 0) /* no arrays then, and memcpy() wants some */
        return;
    px_parallel_for(threads, points.count, PX_BLOCK, share_block, &job);
    memcpy(l->curved, l->quadrature, points.count * sizeof *l->curved);
    px_parallel_for(threads, points.count, PX_BLOCK, count_block, &job);
    px_parallel_for(threads, points.count, PX_BLOCK, part_block, &job);
    for (uint32_t i = 0; i < points.count; ++i)
        l->quadrature[i] =
            l->cell_weight[i] * fminf(fmaxf(1.0f + l->curved[i], LEAST_PART), MOST_PART);
}
