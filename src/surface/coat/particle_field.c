/// The particles of a frame as the coat's field has them.
#include "surface/coat/inner.h"

#include <string.h>

/* ---- by id ---- */

/* The labels of the marks, ascending, each once. */
static PxStatus list_labels(const PxCoat *coat, const PxCoatInput *in, PxCoatField *f)
{
    uint32_t n = coat->marks.count, kept = 0;
    const uint64_t *label = coat->marks.column[PX_MARK_LABEL].data[0];
    PxCoatNamed *named, *other;
    if (!PX_COAT_TAKE(in, f->old_label, n + 1))
        return px_coat_no_room(n);
    PxArenaMark mark = px_arena_mark(in->scratch);
    if (!PX_COAT_TAKE(in, named, n + 1) || !PX_COAT_TAKE(in, other, n + 1))
        return px_coat_no_room(n);
    uint64_t before = 0;
    for (uint32_t k = 0; k < n; ++k) /* mostly the same again and again */
        if (label[k] != before)
            named[kept++] = (PxCoatNamed){before = label[k], k};
    px_coat_sort_named(named, other, kept);
    for (uint32_t k = 0; k < kept; ++k)
        if (f->old_labels == 0 || f->old_label[f->old_labels - 1] != named[k].id)
            f->old_label[f->old_labels++] = named[k].id;
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

PxStatus px_coat_numbers_of(const PxCoatField *f, const PxTable *table, uint32_t **out)
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

/* ---- making it ---- */

static PxVec3 place_of(const PxCoatInput *in, uint32_t i)
{
    PxVec3 p =
        px_vec((double)in->position[0][i], (double)in->position[1][i], (double)in->position[2][i]);
    if (in->low[0] != NULL)
        p = px_add(p, px_vec((double)in->low[0][i], (double)in->low[1][i], (double)in->low[2][i]));
    return p;
}

PxStatus px_coat_field_make(PxCoat *coat, const PxCoatInput *in, PxCoatField *f)
{
    uint32_t n = in->count;
    size_t room = (size_t)n + PX_TABLE_PAD;
    *f = (PxCoatField){.coat = coat, .in = in, .isa = px_isa_best(), .count = n};
    float *x[3];
    uint32_t *order;
    PxCoatNamed *named, *other;
    bool fine = PX_COAT_TAKE(in, f->x, room) && PX_COAT_TAKE(in, f->y, room) &&
                PX_COAT_TAKE(in, f->z, room) && PX_COAT_TAKE(in, f->id, room) &&
                PX_COAT_TAKE(in, f->row, room) && PX_COAT_TAKE(in, f->mark, room) &&
                PX_COAT_TAKE(in, f->was, room) && PX_COAT_TAKE(in, f->part, room) &&
                PX_COAT_TAKE(in, f->weight, room) && PX_COAT_TAKE(in, f->melted, room) &&
                PX_COAT_TAKE(in, f->edge, room) && PX_COAT_TAKE(in, f->covered, room) &&
                PX_COAT_TAKE(in, f->label, room) && PX_COAT_TAKE(in, f->quad, px_quads_floats(n)) &&
                PX_COAT_TAKE(in, f->part_quad, px_quads_floats(n));
    if (!fine)
        return px_coat_no_room(n);
    PX_TRY(list_labels(coat, in, f));
    PxArenaMark mark = px_arena_mark(in->scratch);
    if (!PX_COAT_TAKE(in, x[0], room) || !PX_COAT_TAKE(in, x[1], room) ||
        !PX_COAT_TAKE(in, x[2], room) || !PX_COAT_TAKE(in, order, room) ||
        !PX_COAT_TAKE(in, named, room) || !PX_COAT_TAKE(in, other, room))
        return px_coat_no_room(n);
    double per = 1.0 / coat->def.spacing;
    for (uint32_t i = 0; i < n; ++i) {
        PxVec3 p = place_of(in, i);
        if (!px_finite(p))
            return px_fail(PX_ERR_NUMERIC, "coat: particle %llu is at (%g, %g, %g)",
                           (unsigned long long)in->id[i], p.x, p.y, p.z);
        p = px_scale(px_sub(p, coat->origin), per);
        x[0][i] = (float)p.x;
        x[1][i] = (float)p.y;
        x[2][i] = (float)p.z;
        named[i] = (PxCoatNamed){in->id[i], i};
    }
    /* Marks are in the order of ids: who is in both walks along. */
    px_coat_sort_named(named, other, n);
    const uint64_t *mark_id = coat->marks.column[PX_MARK_ID].data[0];
    uint32_t *old = f->part; /* by row of the input, for now */
    for (uint32_t k = 0, m = 0; k < n; ++k) {
        while (m < coat->marks.count && mark_id[m] < named[k].id)
            ++m;
        old[named[k].row] = m < coat->marks.count && mark_id[m] == named[k].id ? m : PX_COAT_NONE;
    }
    PxGridPoints points = {x[0], x[1], x[2], n};
    PxGridFrame frame = px_grid_frame(PX_COAT_CELL, &points, 1, in->threads);
    PX_TRY(px_grid_sort(&coat->particle_grid, &frame, points, in->id, order, in->scratch,
                        in->threads));
    const uint64_t *mark_label = coat->marks.column[PX_MARK_LABEL].data[0];
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t i = order[k];
        f->x[k] = x[0][i];
        f->y[k] = x[1][i];
        f->z[k] = x[2][i];
        f->id[k] = in->id[i];
        f->row[k] = i;
        f->mark[k] = old[i];
        f->was[k] =
            old[i] != PX_COAT_NONE ? px_coat_label_number(f, mark_label[old[i]]) : PX_COAT_NONE;
        f->melted[k] = in->melted != NULL ? fminf(fmaxf(in->melted[i], 0.0f), 1.0f) : 1.0f;
    }
    px_arena_release(in->scratch, mark);
    memset(f->covered, 0, room);
    memset(f->part, 0, room * sizeof *f->part);
    PxGridPoints sorted = {f->x, f->y, f->z, n};
    float *const at[3] = {f->x, f->y, f->z};
    PX_TRY(px_coat_tree_sorted(in->scratch, in->threads, at, n, 1.0f, &f->tree));
    return px_pairs_build(&coat->particle_pairs, &coat->particle_grid, sorted, &coat->particle_grid,
                          sorted, PX_COAT_PAIRS, f->isa, in->threads);
}

void px_coat_field_weigh(PxCoatField *f)
{
    for (uint32_t i = 0; i < f->count; ++i) {
        float *to = f->part_quad + 4 * (size_t)i;
        to[0] = f->x[i];
        to[1] = f->y[i];
        to[2] = f->z[i];
        to[3] = (float)f->seen[i];
    }
    float *behind = f->part_quad + 4 * (size_t)f->count;
    behind[0] = behind[1] = behind[2] = PX_FAR_AWAY;
    behind[3] = -1.0f;
    px_parallel_for(f->in->threads, f->count, PX_COAT_BLOCK,
                    PX_ISA_PICK(f->isa, px_coat_weigh_block), f);
    px_quads_pack(f->quad, f->x, f->y, f->z, f->weight, f->count, f->in->threads);
}

float px_coat_field_at(const PxCoatField *f, const float at[3], uint32_t seen)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    PxRange run[9];
    int runs = px_grid_rows(&f->coat->particle_grid, at[0], at[1], at[2], run);
    float sum = 0.0f;
    for (int r = 0; r < runs; ++r)
        for (uint32_t j = run[r].begin; j < run[r].end; ++j) {
            float x = at[0] - f->x[j], y = at[1] - f->y[j], z = at[2] - f->z[j];
            float t = 1.0f - (x * x + y * y + z * z) * per;
            if (t > 0.0f && f->seen[j] == seen)
                sum += f->weight[j] * t * t * t;
        }
    return sum;
}

/* ---- lists ---- */

PxStatus px_coat_near(const PxCoatField *f, float *const at[3], uint32_t count, const float *hot,
                      PxCoatRows *rows, PxCoatLists *out)
{
    const PxCoatInput *in = f->in;
    PX_TRY(px_coat_bunch(in->scratch, at, count, f->coat->wide, out));
    return px_coat_list(in->scratch, in->threads, f->isa, at, &f->tree, PX_COAT_H + PX_COAT_MARGIN,
                        hot, rows, out);
}

/* ---- what stays of it ---- */

PxStatus px_coat_mark(PxCoat *coat, const PxCoatField *f)
{
    uint32_t n = f->count;
    PxCoatNamed *named, *other;
    if (!PX_COAT_TAKE(f->in, named, (size_t)n + 1) || !PX_COAT_TAKE(f->in, other, (size_t)n + 1))
        return px_coat_no_room(n);
    for (uint32_t i = 0; i < n; ++i)
        named[i] = (PxCoatNamed){f->id[i], i};
    px_coat_sort_named(named, other, n);
    coat->marks.count = 0;
    PX_TRY(px_table_append(&coat->marks, n, NULL));
    const PxColumn *c = coat->marks.column;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t i = named[k].row;
        ((uint64_t *)c[PX_MARK_ID].data[0])[k] = f->id[i];
        ((uint64_t *)c[PX_MARK_LABEL].data[0])[k] = f->label[f->part[i]];
        ((float *)c[PX_MARK_POSITION].data[0])[k] = f->x[i];
        ((float *)c[PX_MARK_POSITION].data[1])[k] = f->y[i];
        ((float *)c[PX_MARK_POSITION].data[2])[k] = f->z[i];
    }
    return PX_OK;
}
