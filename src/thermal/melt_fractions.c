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
    const PxMaterial *material;
    uint32_t slot;
    float least, most; /* degrees C */
} Range;

static void range_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Range *r = user;
    const PxParticles *p = r->particles;
    float least = INFINITY, most = -INFINITY;
    for (uint32_t i = begin; i < end; ++i) {
        if (p->material[i] != r->slot)
            continue;
        least = p->temperature[i] < least ? p->temperature[i] : least;
        most = p->temperature[i] > most ? p->temperature[i] : most;
    }
    px_join_begin();
    r->least = least < r->least ? least : r->least;
    r->most = most > r->most ? most : r->most;
    px_join_end();
}

void px_melt_range(const PxParticles *particles, PxMaterial *material, uint32_t materials,
                   const PxThreads *threads)
{
    for (uint32_t slot = 0; slot < materials; ++slot) {
        PxMaterial *m = &material[slot];
        m->melted[0] = m->melted[1] = 0;
        if (!m->def.melts.melts)
            continue;
        Range range = {particles, material, slot, INFINITY, -INFINITY};
        px_parallel_for(threads, particles->table.count, 16 * PX_BLOCK, range_block, &range);
        if (!(range.most >= range.least))
            continue;
        m->melted[0] = (double)(float)px_melted(&m->def, (double)range.least);
        m->melted[1] = (double)(float)px_melted(&m->def, (double)range.most);
    }
}
