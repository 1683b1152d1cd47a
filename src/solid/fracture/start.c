#include "solid/fracture/start.h"

#include "base/random.h"
#include "solid/fracture/small.h"

#include <math.h>
#include <stdlib.h>

typedef struct Sample {
    double ratio; /* stress over strength; 0: below it */
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
    PxVec3 off = px_vec(px_random_unit(id, step, 1) - 0.5, px_random_unit(id, step, 2) - 0.5,
                        px_random_unit(id, step, 3) - 0.5);
    return px_mad(f->rest[i], off, (double)f->cell[i]);
}

static bool is_overloaded(const PxFractureField *f, uint32_t i)
{
    return f->largest[i] > f->strength[i] && f->strength[i] > 0.0f;
}

static bool is_near(const PxCracks *c, const PxCrackTriangle *t, uint32_t body, PxVec3 at,
                    double reach)
{
    PxVec3 way = px_sub(px_crack_place(c, t->corner[0]), at);
    return c->list.data[t->crack].body == body && px_dot(way, way) < reach * reach;
}

typedef struct Look {
    const PxCrackGrowth *growth;
    PxCrackIndex index; /* triangles, by their first corners */
    Sample *sample;
} Look;

/* Is a crack that there was before this step so near that it shields the point? */
static bool is_shielded(const Look *look, uint32_t body, PxVec3 at, double reach)
{
    const PxCracks *c = look->growth->cracks;
    PxRange run[9];
    int runs = px_crack_index_runs(&look->index, body, at, run);
    for (int n = 0; n < runs; ++n)
        for (uint32_t k = run[n].begin; k < run[n].end; ++k)
            if (is_near(c, &c->triangles.data[look->index.item[k]], body, at, reach))
                return true;
    return false;
}

static void look_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    const PxFractureField *f = look->growth->field;
    for (uint32_t k = begin; k < end; ++k) {
        Sample *to = &look->sample[k];
        uint32_t i = to->row, body = f->solid->particles->body[i];
        if (is_shielded(look, body, to->at, px_fracture_shield(f->solid, i)))
            continue;
        PxFractureSample s = px_fracture_sample(f, body, to->at);
        if (!(s.strength > 0) || !(s.stress > (double)f->strength[i]) ||
            s.filled < PX_FRACTURE_OUTLINE)
            continue;
        to->ratio = s.stress / (double)f->strength[i];
        to->normal = s.normal;
    }
}

static PxStatus index_sheets(PxCrackGrowth *g, double reach, PxCrackIndex *out)
{
    const PxCracks *c = g->cracks;
    PxArena *scratch = g->field->solid->scratch;
    uint32_t count = (uint32_t)c->triangles.count;
    PxVec3 *at = PX_ARENA_ARRAY(scratch, PxVec3, count);
    uint32_t *body = PX_ARENA_ARRAY(scratch, uint32_t, count);
    if (at == NULL || body == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u triangles", count);
    for (uint32_t k = 0; k < count; ++k) {
        at[k] = px_crack_place(c, c->triangles.data[k].corner[0]);
        body[k] = c->list.data[c->triangles.data[k].crack].body;
    }
    return px_crack_index(out, g->field, g->grid[1], at, body, count, reach);
}

/* Begins cracks at the samples, the strongest first. */
static bool begin_all(PxCrackGrowth *g, const Sample *sample, uint32_t count)
{
    const PxSolid *s = g->field->solid;
    const PxCracks *c = g->cracks;
    size_t old = c->triangles.count;
    for (uint32_t n = 0; n < count && sample[n].ratio > 0; ++n) {
        uint32_t i = sample[n].row, body = s->particles->body[i];
        bool shielded = false;
        for (size_t k = old; k < c->triangles.count && !shielded; ++k)
            shielded =
                is_near(c, &c->triangles.data[k], body, sample[n].at, px_fracture_shield(s, i));
        if (!shielded &&
            !px_front_begin(g, body, sample[n].at, sample[n].normal, (double)g->field->cell[i]))
            return false;
    }
    return true;
}

PxStatus px_cracks_start(PxCrackGrowth *g, uint64_t step)
{
    const PxFractureField *f = g->field;
    const PxSolid *s = f->solid;
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t count = 0, most = 0;
    double reach = 0;
    for (uint32_t i = 0; i < s->count; ++i)
        most += is_overloaded(f, i);
    Look look = {.growth = g, .sample = PX_ARENA_ARRAY(s->scratch, Sample, (size_t)most + 1)};
    bool good = look.sample != NULL;
    for (uint32_t i = 0; i < s->count && good; ++i) {
        if (!is_overloaded(f, i))
            continue;
        look.sample[count++] =
            (Sample){.id = s->particles->id[i], .row = i, .at = sample_of(f, i, step)};
        reach = fmax(reach, px_fracture_shield(s, i));
    }
    PxStatus status = PX_OK;
    if (good && count > 0) {
        status = index_sheets(g, reach, &look.index);
        if (status == PX_OK) {
            px_parallel_for(s->threads, count, 64, look_block, &look);
            qsort(look.sample, count, sizeof *look.sample, strongest_first);
            good = begin_all(g, look.sample, count);
        }
    }
    px_arena_release(s->scratch, mark);
    if (!good)
        status = px_fail(PX_ERR_MEMORY, "fracture: no room for %u samples", most);
    return status;
}
