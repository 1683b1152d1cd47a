#include "coupling/fractions.h"

#include "base/fail.h"
#include "matter/melt.h"

#include <math.h>

/* Steps between rest-shape updates of melting matter whose material states none. */
#define DEFAULT_INTERVAL 10

static const PxMaterialDef *def_of(const PxParticles *p, const PxMaterial *material, uint32_t i)
{
    return &material[p->material[i]].def;
}

double px_molten_fraction(const PxParticles *p, const PxMaterial *material, uint32_t i)
{
    return px_melted(def_of(p, material, i), (double)p->temperature[i]);
}

/* Does it keep its rest shape as long as it is not molten? */
static bool keeps_shape(const PxMaterialDef *def)
{
    return def->young > 0 && !(def->absorb > 0);
}

double px_solid_fraction(const PxParticles *p, const PxMaterial *material, uint32_t i)
{
    return keeps_shape(def_of(p, material, i)) ? 1 - px_molten_fraction(p, material, i) : 0;
}

bool px_is_elastic(const PxParticles *p, const PxMaterial *material, uint32_t i)
{
    const PxMaterialDef *def = def_of(p, material, i);
    return px_between(def->young, def->melts.into.young, px_molten_fraction(p, material, i)) > 0;
}

double px_rest_update_interval(const PxMaterialDef *def)
{
    double hot = def->melts.into.absorb;
    bool melts = def->melts.melts && (def->young > 0 || def->melts.into.young > 0);
    if (melts && !(def->absorb > 0))
        return hot > 0 ? hot : DEFAULT_INTERVAL;
    return def->young > 0 && def->absorb > 0 ? def->absorb : INFINITY;
}

typedef struct Job {
    const PxParticles *particles;
    const PxMaterial *material;
    PxFractions *out;
} Job;

static void fractions_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = def_of(job->particles, job->material, i);
        double molten = px_molten_fraction(job->particles, job->material, i);
        job->out->molten[i] = (float)molten;
        job->out->solid[i] = keeps_shape(def) ? (float)(1 - molten) : 0.0f;
        job->out->elastic[i] = px_between(def->young, def->melts.into.young, molten) > 0;
    }
}

PxStatus px_fractions_compute(const PxParticles *p, const PxMaterial *material, PxArena *scratch,
                              const PxThreads *threads, PxFractions *out)
{
    uint32_t n = p->table.count;
    out->molten = PX_ARENA_ARRAY(scratch, float, n);
    out->solid = PX_ARENA_ARRAY(scratch, float, n);
    out->elastic = PX_ARENA_ARRAY(scratch, uint8_t, n);
    if (out->molten == NULL || out->solid == NULL || out->elastic == NULL)
        return px_fail(PX_ERR_MEMORY, "fractions: no room for %u particles", n);
    Job job = {p, material, out};
    px_parallel_for(threads, n, 4 * PX_BLOCK, fractions_block, &job);
    return PX_OK;
}
