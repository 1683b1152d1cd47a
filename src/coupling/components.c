/// Stage 3 of a rest-shape update: finds the components, their cores (connected particles that keep
/// their rest places) and the rigid fit of each core.
#include "coupling/rest_update_parts.h"

#include <math.h>
#include <string.h>

/* Rows of the old set as elements of the sets of components: on several ranks they follow the
 * visible rows, because all ranks have them; on one they are the particles themselves. */
static uint32_t element_of(const PxRestInput *in, const PxRestSnapshot *old, uint32_t k)
{
    return in->set->shared ? in->visible + k : old->row[k];
}

/* By visible row. */
typedef struct Pieces {
    uint32_t *kind;    /* material, + 1, of elastic particles; 0 for others */
    uint32_t *before;  /* component before the update; 0: none */
    uint8_t *merges;   /* its component may merge with others */
    uint8_t *follows;  /* newly elastic: joins the component of its nearest neighbour only */
    uint32_t *nearest; /* row of that neighbour; PX_ELSEWHERE: none is near */
} Pieces;

static bool may_merge(const PxRestInput *in, uint32_t i)
{
    const PxMaterialDef *def = &in->c->material[in->particles->material[i]].def;
    return def->merge && (double)in->particles->temperature[i] >= def->merge_from;
}

/* The nearest neighbour of the same material that was in a component. */
static uint32_t nearest_piece(const PxRestInput *in, const Pieces *pieces, uint32_t i)
{
    const PxPairs *pairs = in->c->pairs;
    uint32_t nearest = PX_ELSEWHERE;
    double least = INFINITY;
    for (uint32_t k = 0; k < pairs->size[i]; ++k) {
        uint32_t j = pairs->row[pairs->start[i] + k];
        if (pieces->kind[j] != pieces->kind[i] || pieces->before[j] == 0)
            continue;
        PxVec3 way = px_sub(in->place[j], in->place[i]);
        if (px_dot(way, way) < least) {
            least = px_dot(way, way);
            nearest = j;
        }
    }
    return nearest;
}

static PxStatus find_pieces(const PxRestInput *in, Pieces *out)
{
    PxArena *scratch = in->c->scratch;
    *out = (Pieces){PX_ARENA_ARRAY(scratch, uint32_t, in->visible),
                    PX_ARENA_ARRAY(scratch, uint32_t, in->visible),
                    PX_ARENA_ARRAY(scratch, uint8_t, in->visible),
                    PX_ARENA_ARRAY(scratch, uint8_t, in->visible),
                    PX_ARENA_ARRAY(scratch, uint32_t, in->count)};
    if (out->kind == NULL || out->before == NULL || out->merges == NULL || out->follows == NULL ||
        out->nearest == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->visible);
    for (uint32_t i = 0; i < in->count; ++i) {
        out->kind[i] = in->fractions->elastic[i] ? in->particles->material[i] + 1u : 0;
        out->before[i] = in->before[i] > 0 ? in->elastic.component[i] : 0;
        out->merges[i] = may_merge(in, i);
    }
    px_rest_refresh(in, out->kind, sizeof *out->kind);
    px_rest_refresh(in, out->before, sizeof *out->before);
    px_rest_refresh(in, out->merges, sizeof *out->merges);
    for (uint32_t i = 0; i < in->count; ++i) {
        bool alone = out->kind[i] > 0 && out->before[i] == 0 && !out->merges[i];
        out->nearest[i] = alone ? nearest_piece(in, out, i) : PX_ELSEWHERE;
        out->follows[i] = out->nearest[i] != PX_ELSEWHERE;
    }
    px_rest_refresh(in, out->follows, sizeof *out->follows);
    return PX_OK;
}

/* Do elastic neighbours i, of this rank, and j become one component? Where they do not merge, what
 * was one component stays one, and particles that just froze grow onto one component each. */
static bool joins(const Pieces *all, uint32_t i, uint32_t j)
{
    if (all->kind[i] != all->kind[j])
        return false;
    if (all->merges[i] && all->merges[j])
        return true;
    if (all->before[i] > 0 && all->before[j] > 0)
        return all->before[i] == all->before[j];
    if (all->before[i] == 0 && all->before[j] == 0)
        return !all->follows[i] && !all->follows[j];
    return all->before[i] == 0 && all->nearest[i] == j;
}

/* Joins particles to components: solid ones along their bonds, other elastic ones with their
 * neighbours in space of the same material. */
static void join_components(const PxRestInput *in, const PxRestSnapshot *old, const Pieces *pieces,
                            PxDisjointSets *sets)
{
    const PxBonds *b = &in->set->bonds;
    const PxPairs *pairs = in->c->pairs;
    for (uint32_t k = 0; k < old->count; ++k) {
        if (old->solid[k] < 1.0f)
            continue;
        uint32_t i = element_of(in, old, k);
        for (uint32_t e = b->start[k]; e < b->start[k + 1]; ++e)
            if (!(old->solid[b->other[e]] < 1.0f))
                px_sets_join(sets, i, element_of(in, old, b->other[e]));
    }
    for (uint32_t i = 0; i < in->count; ++i) {
        if (pieces->kind[i] == 0 || !(in->solid_now[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (joins(pieces, i, j))
                px_sets_join(sets, i, j);
        }
    }
}

/* Finds the components of all ranks. */
static PxStatus find_components(const PxRestInput *in, const PxRestSnapshot *old,
                                PxDisjointSets *sets)
{
    PxArena *scratch = in->c->scratch;
    uint32_t more = in->set->shared ? old->count : 0;
    const uint64_t *id = in->particles->id;
    Pieces pieces;
    PX_TRY(px_sets_begin(sets, in->visible + more, scratch));
    PX_TRY(find_pieces(in, &pieces));
    for (uint32_t i = 0; i < in->visible; ++i)
        if (pieces.kind[i] > 0)
            px_sets_add(sets, i);
    if (in->set->shared) {
        uint64_t *all = PX_ARENA_ARRAY(scratch, uint64_t, in->visible + more);
        if (all == NULL)
            return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->visible);
        memcpy(all, id, in->count * sizeof *all);
        px_rest_refresh(in, all, sizeof *all);
        memcpy(all + in->visible, in->set->rows.id, more * sizeof *all);
        id = all;
        for (uint32_t k = 0; k < more; ++k) {
            if (old->solid[k] < 1.0f)
                continue;
            px_sets_add(sets, in->visible + k);
            if (old->row[k] != PX_ELSEWHERE)
                px_sets_join(sets, in->visible + k, old->row[k]);
        }
    }
    join_components(in, old, &pieces, sets);
    PxSetsRanks ranks = {in->c->dist, in->count, in->c->copies};
    return px_sets_number(sets, id, &ranks, scratch);
}

/* By row of the old set. */
typedef struct Cores {
    PxDisjointSets sets;
    uint32_t *component; /* number, + 1 */
} Cores;

/* Joins particles that keep some of their rest place to cores, along bonds within a component, and
 * fills parts->core. */
static PxStatus find_cores(const PxRestInput *in, const PxRestSnapshot *old, Cores *cores,
                           PxRestComponents *parts)
{
    PxDisjointSets *sets = &cores->sets;
    const PxBonds *b = &in->set->bonds;
    PxArena *scratch = in->c->scratch;
    uint32_t *part_of = PX_ARENA_ARRAY(scratch, uint32_t, old->count);
    uint32_t *core = PX_ARENA_ARRAY(scratch, uint32_t, in->visible);
    PX_TRY(px_sets_begin(sets, old->count, scratch));
    if (part_of == NULL || core == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->visible);
    for (uint32_t k = 0; k < old->count; ++k) {
        if (old->row[k] != PX_ELSEWHERE)
            part_of[k] = parts->component[old->row[k]];
        if (old->kept[k] > 0.0f)
            px_sets_add(sets, k);
    }
    PX_TRY(px_dist_share(in->c->dist, (PxDistArray){part_of, sizeof *part_of, sizeof *part_of},
                         old->row, old->count, scratch));
    for (uint32_t k = 0; k < old->count; ++k)
        for (uint32_t e = b->start[k]; sets->root[k] != PX_NO_SET && e < b->start[k + 1]; ++e) {
            uint32_t other = b->other[e];
            if (sets->root[other] != PX_NO_SET && part_of[other] == part_of[k])
                px_sets_join(sets, k, other);
        }
    PX_TRY(px_sets_number(sets, in->set->rows.id, NULL, scratch));
    for (uint32_t i = 0; i < in->count; ++i)
        core[i] = in->before[i] > 0 ? sets->set[in->before[i] - 1] : 0;
    px_rest_refresh(in, core, sizeof *core);
    cores->component = part_of;
    parts->core = core;
    parts->cores = sets->sets;
    return PX_OK;
}

/* The rigid fit of each core (000 Eqs. 5.23-5.26), weighted by mass and kept fraction. All ranks
 * have the rows of the set, in the same order: the sums are the same. */
static void fit_cores(const PxRestInput *in, const PxRestSnapshot *old, const Cores *cores,
                      PxRestComponents *parts)
{
    const PxParticles *rows = &in->set->rows;
    PxSolidColumns solid;
    px_solid_columns(&rows->table, &solid);
    for (uint32_t k = 0; k < old->count; ++k) {
        if (cores->sets.set[k] == 0)
            continue;
        PxCore *c = &parts->core_of[cores->sets.set[k] - 1];
        double w = (double)old->kept[k] * (double)rows->mass[k];
        PxVec3 m =
            px_vec((double)solid.rest[0][k], (double)solid.rest[1][k], (double)solid.rest[2][k]);
        if (!(c->weight > 0))
            c->first = px_particle_place(rows, k);
        PxVec3 x = px_sub(px_particle_place(rows, k), c->first);
        c->component = cores->component[k] - 1;
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
static PxStatus choose_frames(const PxRestInput *in, const uint64_t *least, PxRestComponents *parts)
{
    uint32_t *leader = PX_ARENA_ARRAY(in->c->scratch, uint32_t, parts->components);
    if (leader == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u components", parts->components);
    for (uint32_t k = 0; k < parts->components; ++k) {
        parts->base[k] = 0;
        parts->turn[k] = px_mat3_identity();
        leader[k] = PX_ELSEWHERE;
    }
    for (uint32_t i = 0; i < in->count; ++i)
        if (parts->component[i] > 0 && in->particles->id[i] == least[parts->component[i] - 1]) {
            /* Cracks of a body lie in one rest space. Components that break begin with their
             * place in the world, so that they do not overlap there. */
            bool breaks = in->c->material[in->particles->material[i]].def.fracture.fractures;
            leader[parts->component[i] - 1] = i;
            parts->move[parts->component[i] - 1] =
                breaks ? px_vec(0, 0, 0) : px_particle_place(in->particles, i);
        }
    PX_TRY(px_dist_share(in->c->dist, (PxDistArray){parts->move, sizeof(PxVec3), sizeof(PxVec3)},
                         leader, parts->components, in->c->scratch));
    for (uint32_t k = 0; k < parts->cores; ++k) {
        const PxCore *c = &parts->core_of[k];
        uint32_t *base = &parts->base[c->component];
        if (*base > 0 && !(c->weight > parts->core_of[*base - 1].weight))
            continue;
        *base = k + 1;
        parts->turn[c->component] = c->turn;
        parts->move[c->component] = c->move;
    }
    return PX_OK;
}

PxStatus px_rest_components(const PxRestInput *in, const PxRestSnapshot *old, PxRestComponents *out)
{
    PxArena *scratch = in->c->scratch;
    PxDisjointSets matter;
    Cores cores;
    PX_TRY(find_components(in, old, &matter));
    *out = (PxRestComponents){.component = matter.set,
                              .components = matter.sets,
                              .base = PX_ARENA_ARRAY(scratch, uint32_t, matter.sets),
                              .turn = PX_ARENA_ARRAY(scratch, PxMat3, matter.sets),
                              .move = PX_ARENA_ARRAY(scratch, PxVec3, matter.sets)};
    PX_TRY(find_cores(in, old, &cores, out));
    out->core_of = PX_ARENA_ARRAY(scratch, PxCore, out->cores);
    if (out->core_of == NULL || out->base == NULL || out->turn == NULL || out->move == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u components", matter.sets);
    for (uint32_t k = 0; k < out->cores; ++k)
        out->core_of[k] = (PxCore){0};
    fit_cores(in, old, &cores, out);
    return choose_frames(in, matter.least, out);
}
