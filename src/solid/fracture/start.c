#include "solid/fracture/start.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

typedef struct Sample {
    double ratio; /* stress over strength */
    uint64_t id;  /* of the particle */
    uint32_t row;
    PxVec3 at, normal;
} Sample;

static int strongest_first(const void *a, const void *b)
{
    const Sample *p = a, *q = b;
    return p->ratio > q->ratio ? -1 : p->ratio < q->ratio ? 1 : p->id < q->id ? -1 : p->id > q->id;
}

/* A point in the cell of a particle, another one in each step. */
static PxVec3 sample_of(const PxFractureField *f, uint32_t i, uint64_t step)
{
    uint64_t id = f->solid->particles->id[i];
    double cell = px_fracture_cell(f->solid, i);
    PxVec3 off = px_vec(px_random_unit(id, step, 1) - 0.5, px_random_unit(id, step, 2) - 0.5,
                        px_random_unit(id, step, 3) - 0.5);
    return px_mad(f->rest[i], off, cell);
}

static bool look(const PxFractureField *f, uint32_t i, uint64_t step, Sample *out)
{
    if (!(f->largest[i] > f->strength[i]) || !(f->strength[i] > 0.0f))
        return false;
    PxVec3 at = sample_of(f, i, step);
    PxFractureSample s = px_fracture_sample(f, f->solid->particles->body[i], at);
    if (!(s.strength > 0) || !(s.stress > (double)f->strength[i]) || s.filled < PX_FRACTURE_OUTLINE)
        return false;
    *out = (Sample){s.stress / (double)f->strength[i], f->solid->particles->id[i], i, at, s.normal};
    return true;
}

/* Is a crack of the body so near that it shields the point? */
static bool is_shielded(const PxCracks *c, uint32_t body, PxVec3 at, double reach)
{
    for (size_t k = 0; k < c->triangles.count; ++k) {
        const PxCrackTriangle *t = &c->triangles.data[k];
        if (c->list.data[t->crack].body != body)
            continue;
        PxVec3 way = px_sub(px_crack_place(c, t->corner[0]), at);
        if (px_dot(way, way) < reach * reach)
            return true;
    }
    return false;
}

PxStatus px_cracks_start(PxCrackGrowth *g, uint64_t step)
{
    const PxFractureField *f = g->field;
    const PxSolid *s = f->solid;
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t count = 0, most = 0;
    for (uint32_t i = 0; i < s->count; ++i)
        most += f->largest[i] > f->strength[i];
    Sample *sample = PX_ARENA_ARRAY(s->scratch, Sample, (size_t)most + 1);
    bool good = sample != NULL;
    for (uint32_t i = 0; i < s->count && good; ++i)
        count += look(f, i, step, &sample[count]);
    if (good)
        qsort(sample, count, sizeof *sample, strongest_first);
    for (uint32_t k = 0; k < count && good; ++k) {
        uint32_t i = sample[k].row, body = s->particles->body[i];
        const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
        double cell = px_fracture_cell(s, i);
        double reach = law->shield > 0 ? law->shield : 2 * (double)s->columns.support[i];
        if (!is_shielded(g->cracks, body, sample[k].at, reach))
            good = px_front_begin(g, body, sample[k].at, sample[k].normal, cell);
    }
    px_arena_release(s->scratch, mark);
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for %u samples", most);
}
