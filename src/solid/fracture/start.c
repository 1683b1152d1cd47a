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
    Sample *sample;
} Look;

/* Is a crack within `reach`? */
static bool has_near(const Look *look, uint32_t body, PxVec3 at, double reach)
{
    const PxCracks *c = look->growth->cracks;
    uint32_t k;
    PxCrackSearch search = px_crack_search_ball(&look->growth->cells[0],
                                                px_front_place(look->growth, body, at), reach);
    while (px_crack_next(&search, &k))
        if (is_near(c, &c->triangles.data[k], body, at, reach))
            return true;
    return false;
}

/* Is a crack so near that it shields the point? Most are much nearer than necessary. */
static bool is_shielded(const Look *look, uint32_t body, PxVec3 at, double reach)
{
    return has_near(look, body, at, 0.25 * reach) || has_near(look, body, at, reach);
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

/* Sorts the sheets into cells of half the reach, in which at most one triangle of each little box
 * counts. */
static PxStatus index_sheets(PxCrackGrowth *g, double reach)
{
    const PxCracks *c = g->cracks;
    PxCrackCells *cells = &g->cells[0], *boxes = &g->cells[1];
    uint32_t count = (uint32_t)c->triangles.count;
    double box = PX_CRACK_NODES_APART * (double)g->field->largest_cell;
    bool good = px_crack_cells_reset(cells, 0.5 * reach, 256) &&
                px_crack_cells_reset(boxes, box, g->field->solid->count);
    for (uint32_t k = 0; k < count && good; ++k) {
        const PxCrackTriangle *t = &c->triangles.data[k];
        uint32_t body = c->list.data[t->crack].body, other;
        PxVec3 at = px_front_place(g, body, px_crack_place(c, t->corner[0]));
        PxCrackSearch search = px_crack_search(boxes, at, at);
        bool there = false;
        while (!there && px_crack_next(&search, &other))
            there = c->list.data[c->triangles.data[other].crack].body == body;
        if (!there)
            good = px_crack_cells_add(boxes, at, at, k) && px_crack_cells_add(cells, at, at, k);
    }
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for %u triangles", count);
}

/* Distance that sound travels in a step, m. All samples have the stress at its end, as if no crack
 * had begun in it. But where the stress passes the strength first, a crack begins, and waves of
 * relief run from it (Mott 1947): samples that they reach within the step are shielded. */
static double relief_of(const PxSolid *s, uint32_t i)
{
    const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
    return s->dt * sqrt(def->young / def->density);
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
        double reach = fmax(px_fracture_shield(s, i), relief_of(s, i));
        for (size_t k = old; k < c->triangles.count && !shielded; ++k)
            shielded = is_near(c, &c->triangles.data[k], body, sample[n].at, reach);
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
        status = index_sheets(g, reach);
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
