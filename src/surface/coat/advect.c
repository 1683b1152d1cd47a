/// Surfels go with the particles from one frame to the next (000 Eq. 6.21).
///
/// The document moves surfels from the rest shape, which a liquid does not have: here the motion
/// is that since the last frame. Where neighbours part by more than a spacing in a frame, it is cut
/// into steps along straight lines, each with the neighbours of its beginning.
#include "surface/coat/inner.h"

#include <string.h>

#define MOST_STEPS 4
#define SPREAD 1.0f /* spacings that neighbours may part in a step */

/* Particles that were there and still are. */
typedef struct Movers {
    uint32_t count;
    float *from[3], *by[3]; /* spacings: where they were, how far they went */
    uint64_t *id;
    uint32_t *label; /* number */
    float *x[3];     /* where they are now, in the order of the grid */
    uint32_t *order;
    float *place;
} Movers;

static PxStatus list_movers(const PxCoat *coat, const PxCoatField *f, Movers *m)
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
    const PxColumn *place = &coat->marks.column[PX_MARK_POSITION];
    m->count = 0;
    for (uint32_t i = 0; i < f->count; ++i) {
        if (f->mark[i] == PX_COAT_NONE)
            continue;
        uint32_t to = m->count++;
        const float now[3] = {f->x[i], f->y[i], f->z[i]};
        for (int k = 0; k < 3; ++k) {
            m->from[k][to] = ((const float *)place->data[k])[f->mark[i]];
            m->by[k][to] = now[k] - m->from[k][to];
        }
        m->id[to] = f->id[i];
        m->label[to] = f->was[i];
    }
    return PX_OK;
}

/* Sorts the movers where they are at the beginning of step `step` of `steps`, and finds the
 * gradient of what they do in it. */
static PxStatus drift(PxCoat *coat, const PxCoatField *f, Movers *m, uint32_t step, uint32_t steps,
                      PxCoatDrift *d)
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
    PxGridFrame frame = px_grid_frame(PX_COAT_CELL, &points, 1, in->threads);
    PX_TRY(
        px_grid_sort(&coat->drift_grid, &frame, points, m->id, m->order, in->scratch, in->threads));
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
    PX_TRY(px_pairs_build(&coat->drift_pairs, &coat->drift_grid, sorted, &coat->drift_grid, sorted,
                          PX_COAT_H, f->isa, in->threads));
    d->count = n;
    d->pairs = &coat->drift_pairs;
    d->quad = quad;
    d->step = way;
    px_parallel_for(in->threads, n, PX_COAT_BLOCK, PX_ISA_PICK(f->isa, px_coat_drift_block), d);
    return PX_OK;
}

/* One table of points goes along. */
static PxStatus follow(PxCoat *coat, const PxCoatField *f, const PxCoatTree *tree,
                       const PxCoatDrift *d, PxTable *table, uint32_t position, uint32_t normal,
                       const uint32_t *own)
{
    PxCoatFollow follow = {.drift = d, .own = own};
    for (int k = 0; k < 3; ++k) {
        follow.at[k] = table->column[position].data[k];
        follow.normal[k] = table->column[normal].data[k];
    }
    for (int k = 0; k < 6; ++k)
        follow.tangent[k] =
            table == &coat->surfels ? table->column[PX_SURFEL_TANGENT].data[k] : NULL;
    PX_TRY(px_coat_bunch(f->in->scratch, follow.at, table->count, coat->wide, &follow.lists));
    PX_TRY(px_coat_list(f->in->scratch, f->in->threads, f->isa, follow.at, tree, PX_COAT_H, NULL,
                        &coat->near_rows, &follow.lists));
    px_parallel_for(f->in->threads, follow.lists.count, PX_COAT_BUNCHES,
                    PX_ISA_PICK(f->isa, px_coat_follow_block), &follow);
    return PX_OK;
}

PxStatus px_coat_move(PxCoat *coat, const PxCoatField *f)
{
    PxArenaMark mark = px_arena_mark(f->in->scratch);
    Movers m;
    PxCoatDrift d;
    uint32_t *surfel, *zombie, steps = 1;
    PX_TRY(list_movers(coat, f, &m));
    PX_TRY(px_coat_numbers_of(f, &coat->surfels, &surfel));
    PX_TRY(px_coat_numbers_of(f, &coat->zombies, &zombie));
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
        PX_TRY(px_coat_tree_sorted(f->in->scratch, f->in->threads, m.x, m.count, 1.0f, &tree));
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
