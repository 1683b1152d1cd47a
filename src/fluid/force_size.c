#include "fluid/force_size.h"

#include "base/sum.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    const PxFluid *fluid;
    PxForceSize *before;
    float most;
    double magic, sum;
} Job;

static void remember_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxParticles *p = job->fluid->particles;
    size_t bytes = (end - begin) * sizeof(float);
    memcpy(job->before->x + begin, p->ax + begin, bytes);
    memcpy(job->before->y + begin, p->ay + begin, bytes);
    memcpy(job->before->z + begin, p->az + begin, bytes);
}

static void size_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    const PxParticles *p = job->fluid->particles;
    float *restrict bx = job->before->x, *restrict by = job->before->y;
    float *restrict bz = job->before->z, *restrict size = job->before->size;
    float most = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float x = p->ax[i] - bx[i], y = p->ay[i] - by[i], z = p->az[i] - bz[i];
        bx[i] = p->ax[i];
        by[i] = p->ay[i];
        bz[i] = p->az[i];
        size[i] = p->mass[i] * sqrtf(x * x + y * y + z * z);
        most = size[i] > most ? size[i] : most;
    }
    px_join_begin();
    job->most = most > job->most ? most : job->most;
    px_join_end();
}

static void sum_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i)
        sum += px_sum_round(job->magic, (double)job->before->size[i]);
    px_join_begin();
    job->sum += sum; /* exact: see px_sum_round() */
    px_join_end();
}

PxStatus px_force_size_begin(const PxFluid *f, PxForceSize *before)
{
    float **member[] = {&before->x, &before->y, &before->z, &before->size};
    for (size_t k = 0; k < PX_COUNT(member); ++k) {
        *member[k] = PX_ARENA_ARRAY(f->scratch, float, f->count);
        if (*member[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "forces: no room to measure those of %u particles",
                           f->count);
    }
    Job job = {.fluid = f, .before = before};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, remember_block, &job);
    return PX_OK;
}

double px_force_size(const PxFluid *f, PxForceSize *before)
{
    Job job = {.fluid = f, .before = before};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, size_block, &job);
    double most = (double)job.most, all = f->count;
    px_dist_max(f->dist, &most, 1);
    px_dist_sum(f->dist, &all, 1);
    /* A particle that is not finite any more is told of when it moves. */
    if (!(most > 0) || !isfinite(most))
        return 0;
    job.magic = px_sum_magic(most, (uint64_t)all);
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, sum_block, &job);
    px_dist_sum(f->dist, &job.sum, 1);
    return job.sum / all;
}
