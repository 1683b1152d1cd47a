#include "coupling/rest_update.h"

#include "coupling/rest_update_parts.h"
#include "solid/carry_stress.h"

#include <string.h>

/* Plastic strain up to which a rest place is kept in full, and from which on not at all: after
 * large plastic deformation a rest shape near the present shape is better conditioned. */
#define KEEP_ALL 0.1f
#define KEEP_NONE 0.3f

/* Change of a particle's molten fraction that triggers an update at once. */
#define MOLTEN_CHANGE 0.5f

/* ---- is it due ---------------------------------------------------------------- */

static double shortest_interval(const PxCoupling *c)
{
    double every = INFINITY;
    for (size_t k = 0; k < c->materials; ++k)
        every = fmin(every, px_rest_update_interval(&c->material[k].def));
    return every;
}

typedef struct Change {
    const PxElasticColumns *elastic;
    const PxFractions *fractions;
} Change;

static void change_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Change *job = user;
    float most = 0.0f;
    for (uint32_t i = begin; i < end; ++i) {
        float change = fabsf(job->fractions->molten[i] - job->elastic->molten[i]);
        most = change > most ? change : most;
    }
    part->most[0] = (double)most;
}

/* Has some particle melted or frozen by more than MOLTEN_CHANGE since the last update, as after an
 * event that sets a temperature? */
static bool has_changed(const PxRestInput *in)
{
    Change job = {&in->elastic, in->fractions};
    PxPart most = {.maxima = 1};
    px_reduce(&(PxRows){in->c->threads, in->c->dist, in->count, 0}, change_part, &job, &most);
    return most.most[0] > (double)MOLTEN_CHANGE;
}

/* ---- stage 1: kept fraction ------------------------------------------------------ */

static float kept_by_strain(const PxRestInput *in, uint32_t i)
{
    float square = 0;
    if (!px_rest_changes(in, i))
        return 1.0f;
    for (int k = 0; k < 6; ++k)
        square += (k < 3 ? 1.0f : 2.0f) * in->solid.plastic[k][i] * in->solid.plastic[k][i];
    return px_fade(sqrtf(square), KEEP_ALL, KEEP_NONE);
}

/* Computes the kept fractions. The maximum is 1 if some particle has changed since the last
 * update. */
static void kept_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    PxRestInput *in = user;
    const PxFractions *f = in->fractions;
    bool changed = false;
    for (uint32_t i = begin; i < end; ++i) {
        bool elastic = f->elastic[i];
        uint32_t slot = in->before[i] = in->elastic.slot[i];
        in->solid_now[i] = in->kept[i] = 0.0f;
        if (slot > 0 && elastic) {
            bool final = px_rest_is_final(in, i);
            in->solid_now[i] = final ? 1.0f : f->solid[i];
            /* cells with too few neighbours for a strain have weight 0 and keep nothing */
            float weight = final ? 1.0f : in->set->lists.cell_weight[slot - 1];
            in->kept[i] = in->solid_now[i] * kept_by_strain(in, i) * weight;
        }
        changed = changed || elastic != (slot > 0) ||
                  (elastic && (in->kept[i] < 1.0f || in->elastic.molten[i] != f->molten[i]));
    }
    part->most[0] = changed;
}

static bool find_kept(PxRestInput *in)
{
    PxPart changed = {.maxima = 1};
    px_reduce(&(PxRows){in->c->threads, in->c->dist, in->count, 0}, kept_part, in, &changed);
    return changed.most[0] > 0;
}

/* ---- stage 2: snapshot -------------------------------------------------------------- */

/* Solid and kept fractions of all rows of the set, also of those that other ranks own. */
static PxStatus share_fractions(const PxRestInput *in, PxRestSnapshot *out)
{
    for (uint32_t k = 0; k < out->count; ++k) {
        if (out->row[k] == PX_ELSEWHERE)
            continue;
        out->solid[k] = in->solid_now[out->row[k]];
        out->kept[k] = in->kept[out->row[k]];
    }
    float *const value[] = {out->solid, out->kept};
    for (size_t k = 0; k < PX_COUNT(value); ++k)
        PX_TRY(px_dist_share(in->c->dist, (PxDistArray){value[k], sizeof(float), sizeof(float)},
                             out->row, out->count, in->c->scratch));
    return PX_OK;
}

static void place_rows(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxRestInput *in = user;
    for (uint32_t i = begin; i < end; ++i) {
        in->place[i] = px_particle_place(in->particles, i);
        in->rest[i] = px_rest_place(in, i);
    }
}

/* Positions and rest places that neighbours ask for. */
static PxStatus take_places(PxRestInput *in)
{
    in->place = PX_ARENA_ARRAY(in->c->scratch, PxVec3, in->visible);
    in->rest = PX_ARENA_ARRAY(in->c->scratch, PxVec3, in->visible);
    if (in->place == NULL || in->rest == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->visible);
    px_parallel_for(in->c->threads, in->count, 4 * PX_BLOCK, place_rows, in);
    px_rest_refresh(in, in->place, sizeof *in->place);
    px_rest_refresh(in, in->rest, sizeof *in->rest);
    return PX_OK;
}

static PxStatus take_snapshot(PxRestInput *in, PxRestSnapshot *out)
{
    PxArena *scratch = in->c->scratch;
    PxElasticSet *set = in->set;
    uint32_t count = out->count = (uint32_t)set->row.count;
    out->solid = PX_ARENA_ARRAY(scratch, float, count);
    out->kept = PX_ARENA_ARRAY(scratch, float, count);
    out->row = PX_ARENA_ARRAY(scratch, uint32_t, count);
    out->law = PX_ARENA_ARRAY(scratch, const PxSolidLaw *, count);
    out->deformation = PX_ARENA_ARRAY(scratch, PxMat3, count);
    out->strain = PX_ARENA_ARRAY(scratch, double, 6 * (size_t)count);
    out->volume = PX_ARENA_ARRAY(scratch, double, count);
    out->molten = PX_ARENA_ARRAY(scratch, float, count);
    out->weight = PX_ARENA_ARRAY(scratch, float, count);
    out->neighbours = PX_ARENA_ARRAY(scratch, uint32_t, count);
    if (out->row == NULL || out->law == NULL || out->deformation == NULL || out->strain == NULL ||
        out->volume == NULL || out->molten == NULL || out->weight == NULL ||
        out->neighbours == NULL || out->solid == NULL || out->kept == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    if (count == 0)
        return PX_OK;
    PX_TRY(px_elastic_set_gather(set, in->c));
    PxSolid solid, *s = &solid;
    PX_TRY(px_elastic_set_open(set, in->c, s));
    px_solid_forces(s, false);
    PxElasticColumns elastic;
    px_elastic_columns(&set->rows.table, &elastic);
    for (uint32_t i = 0; i < count; ++i) {
        PxMat3 j = px_solid_deformation(s, i);
        double *strain = out->strain + 6 * (size_t)i;
        px_solid_green(j, strain);
        for (int k = 0; k < 6; ++k)
            strain[k] -= (double)s->columns.plastic[k][i];
        out->volume[i] = (double)s->columns.bulk[i] * px_mat3_determinant(j);
        out->row[i] = set->row.data[i];
        out->law[i] = px_solid_law_of(s, i);
        out->molten[i] = elastic.molten[i];
        out->weight[i] = s->lists->cell_weight[i];
        out->deformation[i] = px_mat3_multiply(s->frame[s->frame_of[i]].turn, j);
        out->neighbours[i] = set->lists.start[i + 1] - set->lists.start[i];
    }
    return share_fractions(in, out);
}

/* ---- all stages ------------------------------------------------------------------------ */

/* Marks rows whose bonds must be created anew, because they did not fully keep their rest place. */
static PxStatus mark_fresh(const PxRestInput *in, uint8_t **out)
{
    uint8_t *fresh = PX_ARENA_ARRAY(in->c->scratch, uint8_t, in->count);
    if (fresh == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->count);
    for (uint32_t i = 0; i < in->count; ++i)
        fresh[i] = in->kept[i] < 1.0f;
    *out = fresh;
    return PX_OK;
}

static PxStatus update(PxRestInput *in, PxRestUpdateResult *out)
{
    PxRestSnapshot old = {.row = NULL};
    PxRestComponents parts = {.component = NULL};
    uint8_t *fresh = NULL;
    PX_TRY(take_snapshot(in, &old));
    PX_TRY(take_places(in));
    PX_TRY(px_rest_components(in, &old, &parts));
    PX_TRY(px_rest_places(in, &old, &parts));
    PX_TRY(mark_fresh(in, &fresh));
    PX_TRY(px_elastic_set_rebuild(in->set, in->c, fresh));
    PX_TRY(px_rest_strains(in, &old, &parts, &out->stretch));
    in->set->stale = true;
    out->changed = true;
    return PX_OK;
}

PxStatus px_rest_update(PxElasticSet *set, const PxCoupling *c, const PxFractions *fractions,
                        uint64_t step, bool at_once, PxRestUpdateResult *out)
{
    PxRestInput in = {.set = set,
                      .c = c,
                      .particles = c->particles,
                      .count = c->particles->table.count,
                      .visible = c->particles->table.count + c->copies,
                      .fractions = fractions};
    double every = shortest_interval(c);
    *out = (PxRestUpdateResult){.stretch = 1};
    if (!isfinite(every) || !px_elastic_columns(&c->particles->table, &in.elastic))
        return PX_OK;
    if (step % (uint64_t)every != 0 && !at_once && !has_changed(&in))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(c->scratch);
    px_solid_columns(&c->particles->table, &in.solid);
    in.before = PX_ARENA_ARRAY(c->scratch, uint32_t, in.count);
    in.solid_now = PX_ARENA_ARRAY(c->scratch, float, in.count);
    in.kept = PX_ARENA_ARRAY(c->scratch, float, in.count);
    if (in.before == NULL || in.solid_now == NULL || in.kept == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in.count);
    out->looked = true;
    if (find_kept(&in))
        PX_TRY(update(&in, out));
    px_arena_release(c->scratch, mark);
    return PX_OK;
}
