#include "world/pieces.h"

#include "solid/carry_stress.h"
#include "world/pieces_parts.h"
#include "world/solids.h"

#include <stdlib.h>
#include <string.h>

/* Plastic strain up to which a rest shape is kept, and from which it is not. */
#define KEEP_MOST 0.1f
#define KEEP_NONE 0.3f

/* Molten part by which a particle changes before its piece is looked over at once. */
#define CHANGED 0.5f

/* ---- is there anything to do ------------------------------------------------------- */

static double least_turn(const PxWorld *world)
{
    double every = INFINITY;
    for (size_t k = 0; k < world->materials.count; ++k)
        every = fmin(every, px_mixed_turn(&world->materials.data[k].def));
    return every;
}

/* Is there a pipe whose elastic matter has nothing any more of a piece in it? What came out of it
 * would float before an end that pushes and does not hold. */
static PxStatus look_into_pipes(PxWorld *world, bool *torn)
{
    const PxParticles *p = &world->particles;
    PxMixedColumns mixed = px_mixed_columns(&p->table);
    PxEmitterProgress progress = px_emitters_progress(world);
    size_t count = world->emitters.count;
    uint8_t *some = PX_ARENA_ARRAY(&world->scratch, uint8_t, count);
    uint8_t *joined = PX_ARENA_ARRAY(&world->scratch, uint8_t, count);
    *torn = false;
    if (some == NULL || joined == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu emitters", count);
    memset(some, 0, count);
    memset(joined, 0, count);
    for (uint32_t i = 0; i < p->table.count && count > 0; ++i) {
        const PxEmitter *e = px_emitter_holder(world, i, progress.freed);
        if (e == NULL || !px_emitter_keeps(world, e, px_particle_place(p, i)) ||
            !(px_mixed_young(world, i) > 0))
            continue;
        some[e - world->emitters.data] = 1;
        joined[e - world->emitters.data] |= mixed.piece[i] > 0;
    }
    for (size_t k = 0; k < count; ++k)
        *torn = *torn || some[k] > joined[k];
    return PX_OK;
}

/* Matter that has been deformed for good has its rest shape only to compare with, and does better
 * with one nearer to what it is now. */
static float kept_by_strain(const PxFollow *f, uint32_t i)
{
    float square = 0;
    if (!px_follows(f, i))
        return 1.0f;
    for (int k = 0; k < 6; ++k)
        square += (k < 3 ? 1.0f : 2.0f) * f->solid.plastic[k][i] * f->solid.plastic[k][i];
    return px_follow_less(sqrtf(square), KEEP_MOST, KEEP_NONE);
}

static bool is_due(PxFollow *f)
{
    bool due = false;
    for (uint32_t i = 0; i < f->n; ++i) {
        f->elastic[i] = px_mixed_young(f->world, i) > 0;
        f->before[i] = f->mixed.slot[i];
        f->firm[i] = f->kept[i] = 0.0f;
        if (f->before[i] > 0 && f->elastic[i]) {
            f->firm[i] = px_mixed_firm(f->world, i);
            /* what has too few neighbours to be strained goes its own way */
            f->kept[i] =
                f->firm[i] * kept_by_strain(f, i) * f->world->solid_lists.whole[f->before[i] - 1];
        }
        due = due || f->elastic[i] != (f->before[i] > 0) ||
              (f->elastic[i] &&
               (f->kept[i] < 1.0f || f->mixed.melted[i] != px_mixed_melted(f->world, i)));
    }
    return due;
}

/* ---- how it was --------------------------------------------------------------------- */

static PxStatus remember(PxFollow *f)
{
    PxWorld *world = f->world;
    PxArena *scratch = &world->scratch;
    uint32_t count = (uint32_t)world->shaped_rows.count;
    f->row = PX_ARENA_ARRAY(scratch, uint32_t, count);
    f->deformed = PX_ARENA_ARRAY(scratch, PxMat3, count);
    f->strain = PX_ARENA_ARRAY(scratch, double, 6 * (size_t)count);
    f->room = PX_ARENA_ARRAY(scratch, double, count);
    f->old_melted = PX_ARENA_ARRAY(scratch, float, count);
    f->whole = PX_ARENA_ARRAY(scratch, float, count);
    f->neighbours = PX_ARENA_ARRAY(scratch, uint32_t, count);
    if (f->row == NULL || f->deformed == NULL || f->strain == NULL || f->room == NULL ||
        f->old_melted == NULL || f->whole == NULL || f->neighbours == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    if (count == 0)
        return PX_OK;
    PX_TRY(px_mixed_gather(world));
    PX_TRY(px_solids_open(world, &f->old));
    px_solid_forces(&f->old, false);
    const PxSolid *s = &f->old;
    for (uint32_t i = 0; i < count; ++i) {
        PxMat3 j = px_solid_deformation(s, i);
        double *strain = f->strain + 6 * (size_t)i;
        px_solid_green(j, strain);
        for (int k = 0; k < 6; ++k)
            strain[k] -= (double)s->columns.plastic[k][i];
        f->room[i] = (double)s->columns.bulk[i] * px_mat3_determinant(j);
        f->row[i] = world->shaped_rows.data[i];
        f->old_melted[i] = f->mixed.melted[f->row[i]];
        f->whole[i] = s->lists->whole[i];
        f->deformed[i] = px_mat3_multiply(s->frame[s->frame_of[i]].turn, j);
        f->neighbours[i] = world->solid_lists.start[i + 1] - world->solid_lists.start[i];
    }
    return PX_OK;
}

/* ---- who belongs together ------------------------------------------------------------ */

static uint32_t root_of(uint32_t *root, uint32_t i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

static void join(PxFollow *f, uint32_t a, uint32_t b)
{
    a = root_of(f->root, a);
    b = root_of(f->root, b);
    if (a != b)
        f->root[a > b ? a : b] = a < b ? a : b;
}

/* Solid matter holds on to its neighbours in the rest shape, what follows to those it has now; to
 * its own material only. */
static void join_all(PxFollow *f)
{
    const PxSolidLists *l = &f->world->solid_lists;
    const PxPairs *pairs = &f->world->pairs;
    for (uint32_t k = 0; k < f->world->shaped_rows.count; ++k) {
        uint32_t i = f->row[k];
        if (!f->elastic[i] || f->firm[i] < 1.0f)
            continue;
        for (uint32_t e = l->start[k]; e < l->start[k + 1]; ++e) {
            uint32_t j = f->row[l->other[e] / 16];
            if (f->elastic[j] && !(f->firm[j] < 1.0f))
                join(f, i, j);
        }
    }
    for (uint32_t i = 0; i < f->n; ++i) {
        if (!f->elastic[i] || !(f->firm[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (f->elastic[j] && f->p->material[j] == f->p->material[i])
                join(f, i, j);
        }
    }
}

typedef struct First {
    uint64_t id;
    uint32_t root;
} First;

static int by_id(const void *a, const void *b)
{
    const First *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Numbers sets of rows by the least id in each: the same for any order of rows. `which` gets the
 * number of each row's set, + 1; rows whose root is NONE are in none. */
#define NONE UINT32_MAX

static PxStatus number(PxFollow *f, uint32_t *which, uint32_t *sets, First **firsts)
{
    PxArena *scratch = &f->world->scratch;
    uint32_t *at = PX_ARENA_ARRAY(scratch, uint32_t, f->n); /* by root: place in `first` */
    First *first = PX_ARENA_ARRAY(scratch, First, f->n);
    if (at == NULL || first == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", f->n);
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->n; ++i) { /* roots are the least rows of their sets */
        if (f->root[i] == NONE)
            continue;
        uint32_t r = root_of(f->root, i);
        if (r == i) {
            at[r] = count;
            first[count++] = (First){f->p->id[i], r};
        } else if (f->p->id[i] < first[at[r]].id) {
            first[at[r]].id = f->p->id[i];
        }
    }
    qsort(first, count, sizeof *first, by_id);
    for (uint32_t k = 0; k < count; ++k)
        at[first[k].root] = k;
    for (uint32_t i = 0; i < f->n; ++i)
        which[i] = f->root[i] == NONE ? 0 : at[root_of(f->root, i)] + 1;
    *sets = count;
    *firsts = first;
    return PX_OK;
}

/* What keeps its rest shape, piece by piece: it hangs together by that. */
static void join_cores(PxFollow *f)
{
    const PxSolidLists *l = &f->world->solid_lists;
    for (uint32_t i = 0; i < f->n; ++i)
        f->root[i] = f->kept[i] > 0.0f ? i : NONE;
    for (uint32_t k = 0; k < f->world->shaped_rows.count; ++k) {
        uint32_t i = f->row[k];
        for (uint32_t e = l->start[k]; f->root[i] != NONE && e < l->start[k + 1]; ++e) {
            uint32_t j = f->row[l->other[e] / 16];
            if (f->root[j] != NONE && f->piece[j] == f->piece[i])
                join(f, i, j);
        }
    }
}

/* The rigid motions of the cores (000 Eqs. 5.23-5.26), weighted by what is kept. Rows are in one
 * order always, and so are the sums. */
static void fit_cores(PxFollow *f)
{
    for (uint32_t i = 0; i < f->n; ++i) {
        if (f->core[i] == 0)
            continue;
        PxCore *c = &f->core_of[f->core[i] - 1];
        double w = (double)f->kept[i] * (double)f->p->mass[i];
        PxVec3 m = px_follow_rest(f, i);
        if (!(c->weight > 0))
            c->first = px_particle_place(f->p, i);
        PxVec3 x = px_sub(px_particle_place(f->p, i), c->first);
        c->piece = f->piece[i] - 1;
        c->weight += w;
        c->middle = px_mad(c->middle, m, w);
        c->at = px_mad(c->at, x, w);
        c->spread = px_mat3_add(c->spread, px_mat3_scale(px_mat3_outer(x, m), w));
    }
    for (uint32_t k = 0; k < f->cores; ++k) {
        PxCore *c = &f->core_of[k];
        c->middle = px_scale(c->middle, 1 / c->weight);
        c->at = px_scale(c->at, 1 / c->weight);
        c->spread =
            px_mat3_sub(c->spread, px_mat3_scale(px_mat3_outer(c->at, c->middle), c->weight));
        px_mat3_polar(c->spread, &c->turn, NULL);
        c->move = px_sub(px_add(c->first, c->at), px_mat3_apply(c->turn, c->middle));
    }
}

/* The rest shape of a piece goes on that of its heaviest core, which stays what it is; that of a
 * piece without one begins where it is. */
static PxStatus find_pieces(PxFollow *f)
{
    PxArena *scratch = &f->world->scratch;
    First *first, *first_of_core;
    for (uint32_t i = 0; i < f->n; ++i)
        f->root[i] = f->elastic[i] ? i : NONE;
    join_all(f);
    PX_TRY(number(f, f->piece, &f->pieces, &first));
    join_cores(f);
    PX_TRY(number(f, f->core, &f->cores, &first_of_core));
    f->core_of = PX_ARENA_ARRAY(scratch, PxCore, f->cores);
    f->turn = PX_ARENA_ARRAY(scratch, PxMat3, f->pieces);
    f->move = PX_ARENA_ARRAY(scratch, PxVec3, f->pieces);
    f->base = PX_ARENA_ARRAY(scratch, uint32_t, f->pieces);
    if (f->core_of == NULL || f->turn == NULL || f->move == NULL || f->base == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u pieces", f->pieces);
    for (uint32_t k = 0; k < f->cores; ++k)
        f->core_of[k] = (PxCore){0};
    fit_cores(f);
    for (uint32_t k = 0; k < f->pieces; ++k) {
        f->base[k] = 0;
        f->turn[k] = px_mat3_identity();
    }
    for (uint32_t i = 0; i < f->n; ++i)
        if (f->piece[i] > 0 && f->p->id[i] == first[f->piece[i] - 1].id)
            f->move[f->piece[i] - 1] = px_particle_place(f->p, i);
    for (uint32_t k = 0; k < f->cores; ++k) {
        const PxCore *c = &f->core_of[k];
        uint32_t *base = &f->base[c->piece];
        if (*base > 0 && !(c->weight > f->core_of[*base - 1].weight))
            continue;
        *base = k + 1;
        f->turn[c->piece] = c->turn;
        f->move[c->piece] = c->move;
    }
    return PX_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

/* Did much melt or freeze since it was last looked at, as when an event sets a temperature? */
static bool has_changed(const PxWorld *world)
{
    PxMixedColumns mixed = px_mixed_columns(&world->particles.table);
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        if (fabsf(px_mixed_melted(world, i) - mixed.melted[i]) > CHANGED)
            return true;
    return false;
}

PxStatus px_pieces_follow(PxWorld *world)
{
    double every = least_turn(world);
    bool stretched = world->state.piece_stretch == 0; /* what falls away from it pulls on it */
    bool torn;
    if (!world->mixed || !isfinite(every))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PX_TRY(look_into_pipes(world, &torn));
    if (world->state.step % (uint64_t)every != 0 && !stretched && !torn && !has_changed(world)) {
        px_arena_release(&world->scratch, mark);
        return PX_OK;
    }
    PxParticles *p = &world->particles;
    PxFollow f = {.world = world, .p = p, .n = p->table.count};
    f.mixed = px_mixed_columns(&p->table);
    px_solid_columns(&p->table, &f.solid);
    f.elastic = PX_ARENA_ARRAY(&world->scratch, uint8_t, f.n);
    f.firm = PX_ARENA_ARRAY(&world->scratch, float, f.n);
    f.kept = PX_ARENA_ARRAY(&world->scratch, float, f.n);
    f.before = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.root = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.piece = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.core = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.place = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.own = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.u = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.next = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.crowd = PX_ARENA_ARRAY(&world->scratch, float, f.n);
    if (f.elastic == NULL || f.firm == NULL || f.kept == NULL || f.before == NULL ||
        f.root == NULL || f.piece == NULL || f.core == NULL || f.place == NULL || f.own == NULL ||
        f.u == NULL || f.next == NULL || f.crowd == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", f.n);
    world->state.piece_stretch = 1;
    if (is_due(&f)) {
        PX_TRY(remember(&f));
        PX_TRY(find_pieces(&f));
        px_follow_places(&f);
        PX_TRY(px_mixed_lists(world));
        PX_TRY(px_follow_strains(&f));
        world->state.halvings = world->state.highest = 0;
    }
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}
