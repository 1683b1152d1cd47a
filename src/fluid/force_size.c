#include "fluid/force_size.h"

#include <math.h>
#include <string.h>

typedef struct Job {
    const PxFluid *fluid;
    PxForceSize *before;
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

static void size_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Job *job = user;
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
    part->most[0] = (double)most;
}

static void size_values(const void *user, uint32_t begin, uint32_t end, double *value)
{
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i)
        value[i - begin] = (double)job->before->size[i];
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
    PxRows rows = px_fluid_rows(f);
    PxPart most = {.maxima = 1};
    uint64_t all = px_reduce(&rows, size_part, &job, &most);
    /* Particles with non-finite values are reported when they move. */
    if (!(most.most[0] > 0) || !isfinite(most.most[0]))
        return 0;
    return px_reduce_sum(&rows, size_values, &job) / (double)all;
}
