/// Stage 3 of a rest-shape update: finds the components, their cores (connected particles that keep
/// their rest places) and the rigid fit of each core.
#include "coupling/rest_update_parts.h"

/* Joins particles to components: solid ones along their bonds, other elastic ones with their
 * neighbours in space of the same material. */
static void join_components(const PxRestInput *in, const PxRestSnapshot *old, PxDisjointSets *sets)
{
    const PxBonds *b = &in->set->bonds;
    const PxPairs *pairs = in->c->pairs;
    const uint8_t *elastic = in->fractions->elastic;
    for (uint32_t k = 0; k < in->set->row.count; ++k) {
        uint32_t i = old->row[k];
        if (!elastic[i] || in->solid_now[i] < 1.0f)
            continue;
        for (uint32_t e = b->start[k]; e < b->start[k + 1]; ++e) {
            uint32_t j = old->row[b->other[e]];
            if (elastic[j] && !(in->solid_now[j] < 1.0f))
                px_sets_join(sets, i, j);
        }
    }
    for (uint32_t i = 0; i < in->count; ++i) {
        if (!elastic[i] || !(in->solid_now[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (elastic[j] && in->particles->material[j] == in->particles->material[i])
                px_sets_join(sets, i, j);
        }
    }
}

/* Joins particles that keep some of their rest place to cores, along bonds within a component. */
static void join_cores(const PxRestInput *in, const PxRestSnapshot *old, const uint32_t *component,
                       PxDisjointSets *sets)
{
    const PxBonds *b = &in->set->bonds;
    for (uint32_t i = 0; i < in->count; ++i)
        if (in->kept[i] > 0.0f)
            px_sets_add(sets, i);
    for (uint32_t k = 0; k < in->set->row.count; ++k) {
        uint32_t i = old->row[k];
        for (uint32_t e = b->start[k]; sets->root[i] != PX_NO_SET && e < b->start[k + 1]; ++e) {
            uint32_t j = old->row[b->other[e]];
            if (sets->root[j] != PX_NO_SET && component[j] == component[i])
                px_sets_join(sets, i, j);
        }
    }
}

/* Rigid fit of each core (000 Eqs. 5.23-5.26), weighted by mass and kept fraction. Sums run over
 * rows in order on one thread, so results are reproducible. */
static void fit_cores(const PxRestInput *in, PxRestComponents *parts)
{
    for (uint32_t i = 0; i < in->count; ++i) {
        if (parts->core[i] == 0)
            continue;
        PxCore *c = &parts->core_of[parts->core[i] - 1];
        double w = (double)in->kept[i] * (double)in->particles->mass[i];
        PxVec3 m = px_rest_place(in, i);
        if (!(c->weight > 0))
            c->first = px_particle_place(in->particles, i);
        PxVec3 x = px_sub(px_particle_place(in->particles, i), c->first);
        c->component = parts->component[i] - 1;
        c->weight += w;
        c->middle = px_mad(c->middle, m, w);
        c->at = px_mad(c->at, x, w);
        c->spread = px_mat3_add(c->spread, px_mat3_scale(px_mat3_outer(x, m), w));
    }
    for (uint32_t k = 0; k < parts->cores; ++k) {
        PxCore *c = &parts->core_of[k];
        c->middle = px_scale(c->middle, 1 / c->weight);
        c->at = px_scale(c->at, 1 / c->weight);
        c->spread =
            px_mat3_sub(c->spread, px_mat3_scale(px_mat3_outer(c->at, c->middle), c->weight));
        px_mat3_polar(c->spread, &c->turn, NULL);
        c->move = px_sub(px_add(c->first, c->at), px_mat3_apply(c->turn, c->middle));
    }
}

/* Chooses the frame of each component's new rest shape: that of its heaviest core or, without a
 * core, one with its origin at the particle with the lowest id. */
static void choose_frames(const PxRestInput *in, const uint64_t *least, PxRestComponents *parts)
{
    for (uint32_t k = 0; k < parts->components; ++k) {
        parts->base[k] = 0;
        parts->turn[k] = px_mat3_identity();
    }
    for (uint32_t i = 0; i < in->count; ++i)
        if (parts->component[i] > 0 && in->particles->id[i] == least[parts->component[i] - 1])
            parts->move[parts->component[i] - 1] = px_particle_place(in->particles, i);
    for (uint32_t k = 0; k < parts->cores; ++k) {
        const PxCore *c = &parts->core_of[k];
        uint32_t *base = &parts->base[c->component];
        if (*base > 0 && !(c->weight > parts->core_of[*base - 1].weight))
            continue;
        *base = k + 1;
        parts->turn[c->component] = c->turn;
        parts->move[c->component] = c->move;
    }
}

PxStatus px_rest_components(const PxRestInput *in, const PxRestSnapshot *old, PxRestComponents *out)
{
    PxArena *scratch = in->c->scratch;
    PxDisjointSets matter, cores;
    PX_TRY(px_sets_begin(&matter, in->count, scratch));
    PX_TRY(px_sets_begin(&cores, in->count, scratch));
    for (uint32_t i = 0; i < in->count; ++i)
        if (in->fractions->elastic[i])
            px_sets_add(&matter, i);
    join_components(in, old, &matter);
    PX_TRY(px_sets_number(&matter, in->particles->id, scratch));
    join_cores(in, old, matter.set, &cores);
    PX_TRY(px_sets_number(&cores, in->particles->id, scratch));
    *out = (PxRestComponents){.component = matter.set,
                              .core = cores.set,
                              .components = matter.sets,
                              .cores = cores.sets,
                              .core_of = PX_ARENA_ARRAY(scratch, PxCore, cores.sets),
                              .base = PX_ARENA_ARRAY(scratch, uint32_t, matter.sets),
                              .turn = PX_ARENA_ARRAY(scratch, PxMat3, matter.sets),
                              .move = PX_ARENA_ARRAY(scratch, PxVec3, matter.sets)};
    if (out->core_of == NULL || out->base == NULL || out->turn == NULL || out->move == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u components", matter.sets);
    for (uint32_t k = 0; k < out->cores; ++k)
        out->core_of[k] = (PxCore){0};
    fit_cores(in, out);
    choose_frames(in, matter.least, out);
    return PX_OK;
}
