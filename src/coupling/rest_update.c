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

/* Has some particle melted or frozen by more than MOLTEN_CHANGE since the last update, as after an
 * event that sets a temperature? */
static bool has_changed(const PxElasticColumns *e, const PxFractions *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        if (fabsf(f->molten[i] - e->molten[i]) > MOLTEN_CHANGE)
            return true;
    return false;
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

/* Computes the kept fractions. Returns whether any particle has changed since the last update. */
static bool find_kept(PxRestInput *in)
{
    const PxFractions *f = in->fractions;
    bool changed = false;
    for (uint32_t i = 0; i < in->count; ++i) {
        bool elastic = f->elastic[i];
        uint32_t slot = in->before[i] = in->elastic.slot[i];
        in->solid_now[i] = in->kept[i] = 0.0f;
        if (slot > 0 && elastic) {
            in->solid_now[i] = f->solid[i];
            /* cells with too few neighbours for a strain have weight 0 and keep nothing */
            in->kept[i] =
                f->solid[i] * kept_by_strain(in, i) * in->set->lists.cell_weight[slot - 1];
        }
        changed = changed || elastic != (slot > 0) ||
                  (elastic && (in->kept[i] < 1.0f || in->elastic.molten[i] != f->molten[i]));
    }
    return changed;
}

/* ---- stage 2: snapshot -------------------------------------------------------------- */

static PxStatus take_snapshot(PxRestInput *in, PxRestSnapshot *out)
{
    PxArena *scratch = in->c->scratch;
    PxElasticSet *set = in->set;
    uint32_t count = (uint32_t)set->row.count;
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
        out->neighbours == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    if (count == 0)
        return PX_OK;
    PX_TRY(px_elastic_set_gather(set, in->c));
    PxSolid solid, *s = &solid;
    PX_TRY(px_elastic_set_open(set, in->c, s));
    px_solid_forces(s, false);
    for (uint32_t i = 0; i < count; ++i) {
        PxMat3 j = px_solid_deformation(s, i);
        double *strain = out->strain + 6 * (size_t)i;
        px_solid_green(j, strain);
        for (int k = 0; k < 6; ++k)
            strain[k] -= (double)s->columns.plastic[k][i];
        out->volume[i] = (double)s->columns.bulk[i] * px_mat3_determinant(j);
        out->row[i] = set->row.data[i];
        out->law[i] = px_solid_law_of(s, i);
        out->molten[i] = in->elastic.molten[out->row[i]];
        out->weight[i] = s->lists->cell_weight[i];
        out->deformation[i] = px_mat3_multiply(s->frame[s->frame_of[i]].turn, j);
        out->neighbours[i] = set->lists.start[i + 1] - set->lists.start[i];
    }
    return PX_OK;
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
                      .fractions = fractions};
    double every = shortest_interval(c);
    *out = (PxRestUpdateResult){.stretch = 1};
    if (!isfinite(every) || !px_elastic_columns(&c->particles->table, &in.elastic))
        return PX_OK;
    if (step % (uint64_t)every != 0 && !at_once && !has_changed(&in.elastic, fractions, in.count))
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
