#include "thermal/melt_fractions.h"

#include "matter/melt.h"

typedef struct Melt {
    const PxParticles *particles;
    const PxMaterial *material;
    float *melted;
    uint32_t first;
} Melt;

static void melt_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Melt *m = user;
    const PxParticles *p = m->particles;
    for (uint32_t i = m->first + begin; i < m->first + end; ++i)
        m->melted[i] =
            (float)px_melted(&m->material[p->material[i]].def, (double)p->temperature[i]);
}

void px_melt_refresh(const PxParticles *particles, const PxMaterial *material, float *melted,
                     uint32_t begin, uint32_t end, const PxThreads *threads)
{
    Melt job = {particles, material, melted, begin};
    px_parallel_for(threads, end - begin, 16 * PX_BLOCK, melt_block, &job);
}

typedef struct Range {
    const PxParticles *particles;
    uint32_t slot;
} Range;

static void range_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Range *r = user;
    const PxParticles *p = r->particles;
    float least = INFINITY, most = -INFINITY;
    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != r->slot)
            continue;
        least = p->temperature[i] < least ? p->temperature[i] : least;
        most = p->temperature[i] > most ? p->temperature[i] : most;
    }
    part->least[0] = (double)least;
    part->most[0] = (double)most;
}

void px_melt_range(const PxParticles *particles, PxMaterial *material, uint32_t materials,
                   const PxRows *rows)
{
    for (uint32_t slot = 0; slot < materials; ++slot) {
        PxMaterial *m = &material[slot];
        m->melted[0] = m->melted[1] = 0;
        if (!m->def.melts.melts)
            continue;
        Range job = {particles, slot};
        PxPart range = {.maxima = 1, .minima = 1, .most = {-INFINITY}, .least = {INFINITY}};
        px_reduce(rows, range_part, &job, &range);
        if (!(range.most[0] >= range.least[0]))
            continue;
        m->melted[0] = (double)(float)px_melted(&m->def, range.least[0]);
        m->melted[1] = (double)(float)px_melted(&m->def, range.most[0]);
    }
}
