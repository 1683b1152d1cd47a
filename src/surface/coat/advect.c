/// Advection of surfels and zombies with the particles, from one frame to the next.
///
/// The displacement of a point is the weighted mean over its particles (000 Eq. 6.21).
/// The thesis displaces surfels from the rest shape, which a liquid does not have; here the
/// displacement is that since the last frame. Where neighbours separate by more than a spacing in a
/// frame, the displacement is divided into straight sub-steps, each with new neighbour lists.
#include "surface/coat/coat_parts.h"

#include <string.h>

#define MOST_STEPS 4
#define SPREAD 1.0f /* most separation of neighbours in a sub-step, spacings */

/* Particles that exist in both frames. */
typedef struct Particles {
    uint32_t count;
    float *from[3], *by[3]; /* position in the last frame and displacement, spacings */
    uint64_t *id;
    uint32_t *label; /* old component */
    float *x[3];     /* position in this sub-step, in the grid's order */
    uint32_t *order;
    float *place;
} Particles;

static PxStatus list_particles(const PxCoat *coat, const PxCoatField *f, Particles *m)
{
    const PxCoatInput *in = f->in;
    size_t room = (size_t)f->count + PX_TABLE_PAD;
    bool fine = PX_COAT_TAKE(in, m->id, room) && PX_COAT_TAKE(in, m->label, room) &&
                PX_COAT_TAKE(in, m->order, room) && PX_COAT_TAKE(in, m->place, room);
    for (int k = 0; k < 3; ++k)
        fine = fine && PX_COAT_TAKE(in, m->from[k], room) && PX_COAT_TAKE(in, m->by[k], room) &&
               PX_COAT_TAKE(in, m->x[k], room);
    if (!fine)
        return px_coat_no_room(f->count);
    const PxColumn *place = &coat->previous.column[PX_PREVIOUS_POSITION];
    m->count = 0;
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->previous_row[i] == PX_COAT_NONE)
            continue;
        uint32_t to = m->count++;
        const float now[3] = {f->x[i], f->y[i], f->z[i]};
        for (int k = 0; k < 3; ++k) {
            m->from[k][to] = ((const float *)place->data[k])[f->previous_row[i]];
            m->by[k][to] = now[k] - m->from[k][to];
        }
        m->id[to] = f->id[i];
        m->label[to] = f->old_component[i];
    }
    return PX_OK;
}

/* Sorts the particles at the start of sub-step `step` and computes the displacement gradient at
 * each. */
static PxStatus drift(PxCoat *coat, const PxCoatField *f, Particles *m, uint32_t step,
                      uint32_t steps, PxCoatMotion *d)
{
    const PxCoatInput *in = f->in;
    uint32_t n = m->count;
    float *quad, *way, when = (float)step / (float)steps, share = 1.0f / (float)steps;
    if (!PX_COAT_TAKE(in, quad, px_quads_floats(n)) || !PX_COAT_TAKE(in, way, px_quads_floats(n)) ||
        !PX_COAT_TAKE(in, d->gradient, 12 * ((size_t)n + 1)) ||
        !PX_COAT_TAKE(in, d->spread, (size_t)n + 1))
        return px_coat_no_room(n);
    memset(d->gradient + 12 * (size_t)n, 0, 12 * sizeof(float));
    float *x[3];
    for (int k = 0; k < 3; ++k) {
        if (!PX_COAT_TAKE(in, x[k], (size_t)n + PX_TABLE_PAD))
            return px_coat_no_room(n);
        for (uint32_t i = 0; i < n; ++i)
            x[k][i] = m->from[k][i] + when * m->by[k][i];
    }
    PxGridPoints points = {x[0], x[1], x[2], n};
    PxGridFrame frame = px_grid_frame(PX_COAT_CELL, &points, 1, in->threads, NULL);
    PX_TRY(px_grid_sort(&coat->motion_grid, &frame, points, m->id, m->order, in->scratch,
                        in->threads));
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t i = m->order[k];
        for (int a = 0; a < 3; ++a) {
            m->x[a][k] = quad[4 * (size_t)k + (size_t)a] = x[a][i];
            way[4 * (size_t)k + (size_t)a] = share * m->by[a][i];
        }
        quad[4 * (size_t)k + 3] = (float)m->label[i];
        way[4 * (size_t)k + 3] = 0.0f;
    }
    for (int a = 0; a < 4; ++a) {
        quad[4 * (size_t)n + (size_t)a] = a < 3 ? PX_FAR_AWAY : -1.0f;
        way[4 * (size_t)n + (size_t)a] = 0.0f;
    }
    PxGridPoints sorted = {m->x[0], m->x[1], m->x[2], n};
    PX_TRY(px_pairs_build(&coat->motion_pairs, &coat->motion_grid, sorted, &coat->motion_grid,
                          sorted, PX_COAT_H, f->isa, in->threads));
    d->count = n;
    d->pairs = &coat->motion_pairs;
    d->quad = quad;
    d->step = way;
    PX_TRY(px_parallel_try(in->threads, n, PX_COAT_BLOCK, PX_ISA_PICK(f->isa, px_coat_motion_block),
                           d));
    return PX_OK;
}

/* Advects one table of points. */
static PxStatus follow(PxCoat *coat, const PxCoatField *f, const PxCoatTree *tree,
                       const PxCoatMotion *d, PxTable *table, uint32_t position, uint32_t normal,
                       const uint32_t *own)
{
    PxCoatAdvect follow = {.drift = d, .own = own};
    for (int k = 0; k < 3; ++k) {
        follow.at[k] = table->column[position].data[k];
        follow.normal[k] = table->column[normal].data[k];
    }
    for (int k = 0; k < 6; ++k)
        follow.tangent[k] =
            table == &coat->surfels ? table->column[PX_SURFEL_TANGENT].data[k] : NULL;
    PX_TRY(
        px_coat_bunch(f->in->scratch, follow.at, table->count, coat->bunch_width, &follow.lists));
    PX_TRY(px_coat_list(f->in->scratch, f->in->threads, f->isa, follow.at, tree, PX_COAT_H, NULL,
                        &coat->near_rows, &follow.lists));
    PX_TRY(px_parallel_try(f->in->threads, follow.lists.count, PX_COAT_BUNCHES,
                           PX_ISA_PICK(f->isa, px_coat_advect_block), &follow));
    return PX_OK;
}

PxStatus px_coat_advect(PxCoat *coat, const PxCoatField *f)
{
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    Particles m;
    PxCoatMotion d;
    uint32_t *surfel, *zombie, steps = 1;
    PX_TRY(list_particles(coat, f, &m));
    PX_TRY(px_coat_label_numbers(f, &coat->surfels, &surfel));
    PX_TRY(px_coat_label_numbers(f, &coat->zombies, &zombie));
    for (uint32_t step = 0; step < steps; ++step) {
        PxArenaMark inner = px_arena_mark(f->in->scratch);
        PX_TRY(drift(coat, f, &m, step, steps, &d));
        if (steps == 1) {
            float most = 0.0f;
            for (uint32_t i = 0; i < d.count; ++i)
                most = d.spread[i] > most ? d.spread[i] : most;
            steps = most > SPREAD * MOST_STEPS ? MOST_STEPS : (uint32_t)(most / SPREAD) + 1;
            if (steps > MOST_STEPS)
                steps = MOST_STEPS;
            if (steps > 1)
                PX_TRY(drift(coat, f, &m, 0, steps, &d));
        }
        PxCoatTree tree;
        PX_TRY(px_coat_tree_make_sorted(f->in->scratch, f->in->threads, m.x, m.count, 1.0f, &tree));
        PX_TRY(follow(coat, f, &tree, &d, &coat->surfels, PX_SURFEL_POSITION, PX_SURFEL_NORMAL,
                      surfel));
        PX_TRY(follow(coat, f, &tree, &d, &coat->zombies, PX_ZOMBIE_POSITION, PX_ZOMBIE_NORMAL,
                      zombie));
        px_arena_release(f->in->scratch, inner);
    }
    coat->stats.substeps = steps;
    px_arena_release(f->in->scratch, mark);
    return PX_OK;
}
