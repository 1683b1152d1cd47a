/// The colour field of a frame: particles sorted by cell, matched with those of the last frame,
/// with their weights and neighbour lists.
#include "surface/coat/coat_parts.h"

#include <string.h>

/* ---- labels ---- */

/* Collects the distinct labels of the last frame, ascending. */
static PxStatus list_old_labels(const PxCoat *coat, const PxCoatInput *in, PxCoatField *f)
{
    uint32_t n = coat->previous.count, kept = 0;
    const uint64_t *label = coat->previous.column[PX_PREVIOUS_LABEL].data[0];
    PxCoatKeyed *keyed, *other;
    if (!PX_COAT_TAKE(in, f->old_label, n + 1))
        return px_coat_no_room(n);
    PxArenaMark mark = px_arena_mark(in->scratch);
    if (!PX_COAT_TAKE(in, keyed, n + 1) || !PX_COAT_TAKE(in, other, n + 1))
        return px_coat_no_room(n);
    uint64_t before = 0;
    for (uint32_t k = 0; k < n; ++k)
        if (label[k] != before)
            keyed[kept++] = (PxCoatKeyed){before = label[k], k};
    px_coat_sort_keyed(keyed, other, kept);
    for (uint32_t k = 0; k < kept; ++k)
        if (f->old_labels == 0 || f->old_label[f->old_labels - 1] != keyed[k].id)
            f->old_label[f->old_labels++] = keyed[k].id;
    px_arena_release(in->scratch, mark);
    return PX_OK;
}

uint32_t px_coat_label_number(const PxCoatField *f, uint64_t label)
{
    uint32_t low = 0, high = f->old_labels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->old_label[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->old_labels && f->old_label[low] == label ? low : PX_COAT_NONE;
}

PxStatus px_coat_label_numbers(const PxCoatField *f, const PxTable *table, uint32_t **out)
{
    const uint64_t *label = table->column[1].data[0];
    if (!PX_COAT_TAKE(f->in, *out, (size_t)table->count + PX_TABLE_PAD))
        return px_coat_no_room(table->count);
    for (uint32_t i = 0; i < table->count; ++i)
        (*out)[i] = i > 0 && label[i] == label[i - 1] ? (*out)[i - 1]
                    : label[i] == 0                   ? PX_COAT_ANY
                                                      : px_coat_label_number(f, label[i]);
    return PX_OK;
}

/* ---- reading the particles ---- */

static PxVec3 place_of(const PxCoatInput *in, uint32_t i)
{
    PxVec3 p =
        px_vec((double)in->position[0][i], (double)in->position[1][i], (double)in->position[2][i]);
    if (in->low[0] != NULL)
        p = px_add(p, px_vec((double)in->low[0][i], (double)in->low[1][i], (double)in->low[2][i]));
    return p;
}

static bool take_columns(const PxCoatInput *in, PxCoatField *f)
{
    uint32_t n = in->count;
    size_t room = (size_t)n + PX_TABLE_PAD;
    return PX_COAT_TAKE(in, f->x, room) && PX_COAT_TAKE(in, f->y, room) &&
           PX_COAT_TAKE(in, f->z, room) && PX_COAT_TAKE(in, f->id, room) &&
           PX_COAT_TAKE(in, f->row, room) && PX_COAT_TAKE(in, f->previous_row, room) &&
           PX_COAT_TAKE(in, f->old_component, room) && PX_COAT_TAKE(in, f->component, room) &&
           PX_COAT_TAKE(in, f->weight, room) && PX_COAT_TAKE(in, f->melted, room) &&
           PX_COAT_TAKE(in, f->edge, room) && PX_COAT_TAKE(in, f->edge_change, room) &&
           PX_COAT_TAKE(in, f->covered, room) && PX_COAT_TAKE(in, f->label, room) &&
           PX_COAT_TAKE(in, f->quad, px_quads_floats(n)) &&
           PX_COAT_TAKE(in, f->component_quad, px_quads_floats(n));
}

/* Positions in the coat's coordinates. */
static PxStatus to_local(const PxCoat *coat, const PxCoatInput *in, float *const x[3])
{
    double per = 1.0 / coat->def.spacing;
    for (uint32_t i = 0; i < in->count; ++i) {
        PxVec3 p = place_of(in, i);
        if (!px_finite(p))
            return px_fail(PX_ERR_NUMERIC, "coat: particle %llu is at (%g, %g, %g)",
                           (unsigned long long)in->id[i], p.x, p.y, p.z);
        p = px_scale(px_sub(p, coat->origin), per);
        x[0][i] = (float)p.x;
        x[1][i] = (float)p.y;
        x[2][i] = (float)p.z;
    }
    return PX_OK;
}

/* By row of the input: the row of coat->previous with the same id, or PX_COAT_NONE. */
static PxStatus match_previous(const PxCoat *coat, const PxCoatInput *in, uint32_t *match)
{
    uint32_t n = in->count;
    PxCoatKeyed *keyed, *other;
    if (!PX_COAT_TAKE(in, keyed, (size_t)n + 1) || !PX_COAT_TAKE(in, other, (size_t)n + 1))
        return px_coat_no_room(n);
    for (uint32_t i = 0; i < n; ++i)
        keyed[i] = (PxCoatKeyed){in->id[i], i};
    px_coat_sort_keyed(keyed, other, n);
    /* coat->previous is sorted by id too: one merge pass matches both. */
    const uint64_t *previous_id = coat->previous.column[PX_PREVIOUS_ID].data[0];
    for (uint32_t k = 0, m = 0; k < n; ++k) {
        while (m < coat->previous.count && previous_id[m] < keyed[k].id)
            ++m;
        match[keyed[k].row] =
            m < coat->previous.count && previous_id[m] == keyed[k].id ? m : PX_COAT_NONE;
    }
    return PX_OK;
}

/* Sorts the particles by cell and fills the columns of the field that come from the input. */
static PxStatus read_particles(PxCoat *coat, const PxCoatInput *in, PxCoatField *f)
{
    uint32_t n = in->count, *order, *match;
    size_t room = (size_t)n + PX_TABLE_PAD;
    float *x[3];
    if (!PX_COAT_TAKE(in, x[0], room) || !PX_COAT_TAKE(in, x[1], room) ||
        !PX_COAT_TAKE(in, x[2], room) || !PX_COAT_TAKE(in, order, room) ||
        !PX_COAT_TAKE(in, match, room))
        return px_coat_no_room(n);
    PX_TRY(to_local(coat, in, x));
    PX_TRY(match_previous(coat, in, match));
    PxGridPoints points = {x[0], x[1], x[2], n};
    PxGridFrame frame = px_grid_frame(PX_COAT_CELL, &points, 1, in->threads, NULL);
    PX_TRY(px_grid_sort(&coat->particle_grid, &frame, points, in->id, order, in->scratch,
                        in->threads));
    const uint64_t *previous_label = coat->previous.column[PX_PREVIOUS_LABEL].data[0];
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t i = order[k], old = match[i];
        f->x[k] = x[0][i];
        f->y[k] = x[1][i];
        f->z[k] = x[2][i];
        f->id[k] = in->id[i];
        f->row[k] = i;
        f->previous_row[k] = old;
        f->old_component[k] =
            old != PX_COAT_NONE ? px_coat_label_number(f, previous_label[old]) : PX_COAT_NONE;
        f->melted[k] = in->melted != NULL ? fminf(fmaxf(in->melted[i], 0.0f), 1.0f) : 1.0f;
    }
    return PX_OK;
}

PxStatus px_coat_field_make(PxCoat *coat, const PxCoatInput *in, PxCoatField *f)
{
    uint32_t n = in->count;
    size_t room = (size_t)n + PX_TABLE_PAD;
    *f = (PxCoatField){.coat = coat, .in = in, .isa = px_isa_best(), .count = n};
    if (!take_columns(in, f))
        return px_coat_no_room(n);
    PX_TRY(list_old_labels(coat, in, f));
    PxArenaMark mark = px_arena_mark(in->scratch);
    PX_TRY(read_particles(coat, in, f));
    px_arena_release(in->scratch, mark);
    memset(f->covered, 0, room);
    memset(f->component, 0, room * sizeof *f->component);
    PxGridPoints sorted = {f->x, f->y, f->z, n};
    float *const at[3] = {f->x, f->y, f->z};
    PX_TRY(px_coat_tree_make_sorted(in->scratch, in->threads, at, n, 1.0f, &f->tree));
    return px_pairs_build(&coat->particle_pairs, &coat->particle_grid, sorted, &coat->particle_grid,
                          sorted, PX_COAT_PAIRS, f->isa, in->threads);
}

void px_coat_field_weigh(PxCoatField *f)
{
    for (uint32_t i = 0; i < f->count; ++i) {
        float *to = f->component_quad + 4 * (size_t)i;
        to[0] = f->x[i];
        to[1] = f->y[i];
        to[2] = f->z[i];
        to[3] = (float)f->group[i];
    }
    float *behind = f->component_quad + 4 * (size_t)f->count;
    behind[0] = behind[1] = behind[2] = PX_FAR_AWAY;
    behind[3] = -1.0f;
    px_parallel_for(f->in->threads, f->count, PX_COAT_BLOCK,
                    PX_ISA_PICK(f->isa, px_coat_weigh_block), f);
    px_quads_pack(f->quad, f->x, f->y, f->z, f->weight, f->count, f->in->threads);
}

float px_coat_field_at(const PxCoatField *f, const float at[3], uint32_t group)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    PxRange run[9];
    int runs = px_grid_rows(&f->coat->particle_grid, at[0], at[1], at[2], run);
    float sum = 0.0f;
    for (int r = 0; r < runs; ++r)
        for (uint32_t j = run[r].begin; j < run[r].end; ++j) {
            float x = at[0] - f->x[j], y = at[1] - f->y[j], z = at[2] - f->z[j];
            float t = 1.0f - (x * x + y * y + z * z) * per;
            if (t > 0.0f && f->group[j] == group)
                sum += f->weight[j] * t * t * t;
        }
    return sum;
}

/* ---- neighbour lists ---- */

PxStatus px_coat_list_particles(const PxCoatField *f, float *const at[3], uint32_t count,
                                const float *hot, PxCoatRows *rows, PxCoatLists *out)
{
    const PxCoatInput *in = f->in;
    PX_TRY(px_coat_bunch(in->scratch, at, count, f->coat->bunch_width, out));
    return px_coat_list(in->scratch, in->threads, f->isa, at, &f->tree, PX_COAT_H + PX_COAT_MARGIN,
                        hot, rows, out);
}

/* ---- remembering them for the next frame ---- */

void px_coat_find_changes(PxCoatField *f)
{
    const float *before = f->coat->previous.column[PX_PREVIOUS_EDGE].data[0];
    for (uint32_t i = 0; i < f->count; ++i)
        f->edge_change[i] =
            f->previous_row[i] != PX_COAT_NONE ? f->edge[i] - before[f->previous_row[i]] : 0.0f;
}

PxStatus px_coat_remember(PxCoat *coat, const PxCoatField *f)
{
    uint32_t n = f->count;
    PxCoatKeyed *keyed, *other;
    if (!PX_COAT_TAKE(f->in, keyed, (size_t)n + 1) || !PX_COAT_TAKE(f->in, other, (size_t)n + 1))
        return px_coat_no_room(n);
    for (uint32_t i = 0; i < n; ++i)
        keyed[i] = (PxCoatKeyed){f->id[i], i};
    px_coat_sort_keyed(keyed, other, n);
    coat->previous.count = 0;
    PX_TRY(px_table_append(&coat->previous, n, NULL));
    const PxColumn *c = coat->previous.column;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t i = keyed[k].row;
        ((uint64_t *)c[PX_PREVIOUS_ID].data[0])[k] = f->id[i];
        ((uint64_t *)c[PX_PREVIOUS_LABEL].data[0])[k] = f->label[f->component[i]];
        ((float *)c[PX_PREVIOUS_POSITION].data[0])[k] = f->x[i];
        ((float *)c[PX_PREVIOUS_POSITION].data[1])[k] = f->y[i];
        ((float *)c[PX_PREVIOUS_POSITION].data[2])[k] = f->z[i];
        ((float *)c[PX_PREVIOUS_EDGE].data[0])[k] = f->edge[i];
    }
    return PX_OK;
}
