#include "solid/fracture/cut.h"

#include <math.h>

/* A line that comes this near to a blade, as a part of its length, meets it. */
#define TOUCHES 0.02
/* Most evaluations of the distance on a line. */
#define MOST_LOOKS 64

typedef struct Job {
    const PxSolid *solid;
    const PxBonds *bonds;
    const PxBoundary *const *blade;
    size_t blades;
    float *strength;
    uint32_t *cut; /* by row */
} Job;

/* Does the line from a to b meet the blade? The distance from it is the way that is free. */
static bool meets(const PxBoundary *blade, PxVec3 a, PxVec3 b)
{
    PxVec3 way = px_sub(b, a);
    double length = px_length(way), at = 0;
    for (int k = 0; k < MOST_LOOKS && at < length; ++k) {
        double d = px_boundary_distance(blade, 1, px_mad(a, way, at / length), NULL);
        if (d < TOUCHES * length)
            return true;
        at += d;
    }
    return false;
}

static bool can_be_cut(const PxSolid *s, uint32_t i)
{
    return s->material[s->particles->material[i]].def.fracture.fractures;
}

/* Both ends of a bond look from the one with the lower id: they agree. */
static void cut_row(const Job *job, const PxBoundary *blade, uint32_t i)
{
    const PxSolid *s = job->solid;
    PxVec3 here = px_solid_place(s, i);
    double free = px_boundary_distance(blade, 1, here, NULL);
    for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e) {
        uint32_t j = job->bonds->other[e];
        PxVec3 there = px_solid_place(s, j), way = px_sub(there, here);
        if (!(job->strength[e] > 0.0f) || px_dot(way, way) < free * fabs(free))
            continue;
        bool first = s->particles->id[i] < s->particles->id[j];
        if (meets(blade, first ? here : there, first ? there : here)) {
            job->strength[e] = 0.0f;
            ++job->cut[i];
        }
    }
}

static void row_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    for (uint32_t i = begin; i < end; ++i) {
        job->cut[i] = 0;
        for (size_t k = 0; k < job->blades && can_be_cut(job->solid, i); ++k)
            cut_row(job, job->blade[k], i);
    }
}

PxStatus px_fracture_cut(PxFracture *f, const PxSolid *s, const PxBonds *bonds,
                         const PxBoundary *const *blade, size_t blades)
{
    if (blades == 0)
        return PX_OK;
    if (!f->planned)
        PX_TRY(px_fracture_plan_nothing(f, bonds));
    Job job = {.solid = s,
               .bonds = bonds,
               .blade = blade,
               .blades = blades,
               .strength = f->strength.data,
               .cut = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count)};
    if (job.cut == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", s->count);
    px_parallel_for(s->threads, s->count, PX_BLOCK, row_block, &job);
    for (uint32_t i = 0; i < s->count; ++i)
        f->changed += job.cut[i];
    f->planned = true;
    return PX_OK;
}
