#include "world/pieces.h"

#include "matter/kernel.h"
#include "solid/carry.h"
#include "world/solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds in which the displacement of what follows becomes that of its neighbours. */
#define SWEEPS 4

typedef struct Follow {
    PxWorld *world;
    PxParticles *p;
    PxMixedColumns mixed;
    PxSolidColumns solid;
    uint32_t n;

    /* by row */
    uint8_t *elastic;
    float *firm;      /* 0 of those without a rest place too */
    uint32_t *before; /* slot among the old ones, + 1; 0: had none */
    uint32_t *root;
    uint32_t *piece;
    float *place; /* 4: where it is, in the piece's frame, and nothing */
    float *u;     /* 4: its displacement there, and whether it counts */
    float *next;  /* 4 */
    float *crowd; /* of what follows: part by which more lies around it than in a lattice */

    /* by old slot */
    uint32_t *row;
    PxMat3 *deformed; /* rest shape to world */
    double *strain;   /* 6: elastic */
    uint32_t *old_frame_of;
    uint32_t *neighbours;
    PxSolidFrame *old_frame;

    /* by new piece */
    uint32_t pieces;
    PxMat3 *turn;
    PxVec3 *move;
    uint32_t *base; /* old frame + 1; 0: none */
    uint8_t *keeps; /* something of it keeps a shape by itself */
} Follow;

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

static bool is_due(Follow *f)
{
    bool due = false;
    for (uint32_t i = 0; i < f->n; ++i) {
        f->elastic[i] = px_mixed_young(f->world, i) > 0;
        f->before[i] = f->mixed.slot[i];
        f->firm[i] = f->before[i] > 0 ? px_mixed_firm(f->world, i) : 0.0f;
        due = due || f->elastic[i] != (f->before[i] > 0) ||
              (f->elastic[i] &&
               (f->firm[i] < 1.0f || f->mixed.melted[i] != px_mixed_melted(f->world, i)));
    }
    return due;
}

/* ---- how it was --------------------------------------------------------------------- */

static PxStatus remember(Follow *f)
{
    PxWorld *world = f->world;
    PxArena *scratch = &world->scratch;
    uint32_t count = (uint32_t)world->shaped_rows.count;
    size_t frames = world->frames.count;
    f->row = PX_ARENA_ARRAY(scratch, uint32_t, count);
    f->deformed = PX_ARENA_ARRAY(scratch, PxMat3, count);
    f->strain = PX_ARENA_ARRAY(scratch, double, 6 * (size_t)count);
    f->old_frame_of = PX_ARENA_ARRAY(scratch, uint32_t, count);
    f->neighbours = PX_ARENA_ARRAY(scratch, uint32_t, count);
    f->old_frame = PX_ARENA_ARRAY(scratch, PxSolidFrame, frames);
    if (f->row == NULL || f->deformed == NULL || f->strain == NULL || f->old_frame_of == NULL ||
        f->neighbours == NULL || f->old_frame == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    if (count == 0)
        return PX_OK;
    PxSolid s;
    PX_TRY(px_mixed_gather(world));
    PX_TRY(px_solids_open(world, &s));
    px_solid_forces(&s, false);
    memcpy(f->old_frame, s.frame, frames * sizeof *f->old_frame);
    for (uint32_t i = 0; i < count; ++i) {
        PxMat3 j = px_solid_deformation(&s, i);
        double *strain = f->strain + 6 * (size_t)i;
        px_solid_green(j, strain);
        for (int k = 0; k < 6; ++k)
            strain[k] -= (double)s.columns.plastic[k][i];
        f->row[i] = world->shaped_rows.data[i];
        f->old_frame_of[i] = s.frame_of[i];
        f->deformed[i] = px_mat3_multiply(s.frame[s.frame_of[i]].turn, j);
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

static void join(Follow *f, uint32_t a, uint32_t b)
{
    a = root_of(f->root, a);
    b = root_of(f->root, b);
    if (a != b)
        f->root[a > b ? a : b] = a < b ? a : b;
}

/* Solid matter holds on to its neighbours in the rest shape, what follows to those it has now; to
 * its own material only. */
static void join_all(Follow *f)
{
    const PxSolidLists *l = &f->world->solid_lists;
    const PxPairs *pairs = &f->world->pairs;
    for (uint32_t i = 0; i < f->n; ++i)
        f->root[i] = i;
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

/* Numbers the pieces by the least id in each: the same for any order of rows. The frame of a
 * piece is that of the old piece which its first solid particle came from, or its first particle
 * that came from any; new ones' stand where their first particle does. */
static PxStatus number(Follow *f)
{
    PxArena *scratch = &f->world->scratch;
    uint32_t *at = PX_ARENA_ARRAY(scratch, uint32_t, f->n); /* by root: place in `first` */
    First *first = PX_ARENA_ARRAY(scratch, First, f->n);
    if (at == NULL || first == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", f->n);
    f->pieces = 0;
    for (uint32_t i = 0; i < f->n; ++i) { /* roots are the least rows of their pieces */
        if (!f->elastic[i])
            continue;
        uint32_t r = root_of(f->root, i);
        if (r == i) {
            at[r] = f->pieces;
            first[f->pieces++] = (First){f->p->id[i], r};
        } else if (f->p->id[i] < first[at[r]].id) {
            first[at[r]].id = f->p->id[i];
        }
    }
    qsort(first, f->pieces, sizeof *first, by_id);
    for (uint32_t k = 0; k < f->pieces; ++k)
        at[first[k].root] = k;
    f->turn = PX_ARENA_ARRAY(scratch, PxMat3, f->pieces);
    f->move = PX_ARENA_ARRAY(scratch, PxVec3, f->pieces);
    f->base = PX_ARENA_ARRAY(scratch, uint32_t, f->pieces);
    f->keeps = PX_ARENA_ARRAY(scratch, uint8_t, f->pieces);
    uint64_t *least = PX_ARENA_ARRAY(scratch, uint64_t, f->pieces);
    if (f->turn == NULL || f->move == NULL || f->base == NULL || f->keeps == NULL || least == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u pieces", f->pieces);
    const uint64_t solid_first = (uint64_t)1 << 63; /* ids are less */
    for (uint32_t k = 0; k < f->pieces; ++k) {
        f->base[k] = f->keeps[k] = 0;
        least[k] = UINT64_MAX;
        f->turn[k] = px_mat3_identity();
    }
    for (uint32_t i = 0; i < f->n; ++i) {
        f->piece[i] = 0;
        if (!f->elastic[i])
            continue;
        uint32_t k = at[root_of(f->root, i)];
        f->piece[i] = k + 1;
        f->keeps[k] = f->keeps[k] || f->firm[i] > 0.0f;
        uint64_t rank = f->p->id[i] + (f->firm[i] < 1.0f ? solid_first : 0);
        if (f->before[i] > 0 && rank < least[k]) {
            least[k] = rank;
            f->base[k] = f->old_frame_of[f->before[i] - 1] + 1;
        }
        if (f->p->id[i] == first[k].id && f->base[k] == 0)
            f->move[k] = px_particle_place(f->p, i);
    }
    for (uint32_t k = 0; k < f->pieces; ++k)
        if (f->base[k] > 0) {
            f->turn[k] = f->old_frame[f->base[k] - 1].turn;
            f->move[k] = f->old_frame[f->base[k] - 1].move;
        }
    return PX_OK;
}

/* ---- where in the rest shape ------------------------------------------------------------ */

static void put(float *quad, PxVec3 v, float w)
{
    quad[0] = (float)v.x;
    quad[1] = (float)v.y;
    quad[2] = (float)v.z;
    quad[3] = w;
}

/* Everybody's place and displacement in the frame of the piece. Of those that come from another
 * piece, the rest shape is where that piece's frame has it. */
static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0)
            continue;
        uint32_t k = f->piece[i] - 1;
        PxMat3 back = px_mat3_transpose(f->turn[k]);
        PxVec3 x = px_mat3_apply(back, px_sub(px_particle_place(f->p, i), f->move[k]));
        PxVec3 m = x;
        if (f->before[i] > 0) {
            uint32_t old = f->old_frame_of[f->before[i] - 1];
            m = px_vec((double)f->solid.rest[0][i], (double)f->solid.rest[1][i],
                       (double)f->solid.rest[2][i]);
            if (old + 1 != f->base[k]) {
                const PxSolidFrame *frame = &f->old_frame[old];
                PxVec3 there = px_add(px_mat3_apply(frame->turn, m), frame->move);
                m = px_mat3_apply(back, px_sub(there, f->move[k]));
            }
            f->solid.rest[0][i] = (float)m.x;
            f->solid.rest[1][i] = (float)m.y;
            f->solid.rest[2][i] = (float)m.z;
        }
        bool keeps = f->keeps[k] != 0;
        put(f->place + 4 * (size_t)i, x, 0.0f);
        put(f->u + 4 * (size_t)i, keeps ? px_sub(x, m) : px_vec(0, 0, 0),
            !keeps || f->before[i] > 0 ? 1.0f : 0.0f);
    }
}

/* The rest shape of what follows is what it is now, moved as its neighbours are moved: where
 * nothing of the piece keeps a shape, not at all (000 Eq. 6.15).
 *
 * 000 section 6.8 leaves open how one body can keep its rest shape at one end and lose it at
 * the other. If what follows had no displacement at all, its rest shape would not fit that
 * of the solid beside it, which has one. So the displacement becomes a smooth field: that of
 * the solid where it is solid, and the mean of the neighbours' where it is not, and in
 * between both, by the part that is melted. A smooth one keeps neighbours together in
 * the rest shape as well, which is all that is needed of it: strain that comes of it
 * is taken off below. */
static void smooth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    float h = (float)(f->world->def.support * f->world->def.spacing);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0)
            continue;
        const float *own = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        float *out = f->next + 4 * (size_t)i, sum[4] = {0, 0, 0, 0};
        memcpy(out, u, 4 * sizeof *out);
        if (!(f->firm[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *other = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (f->piece[j] != f->piece[i] || !(v[3] > 0.0f))
                continue;
            float x = other[0] - own[0], y = other[1] - own[1], z = other[2] - own[2];
            float w = px_solid_weight(x * x + y * y + z * z, h);
            for (int c = 0; c < 3; ++c)
                sum[c] += w * v[c];
            sum[3] += w;
        }
        if (!(sum[3] > 0.0f))
            continue;
        float part = u[3] > 0.0f ? 1.0f - f->firm[i] : 1.0f;
        for (int c = 0; c < 3; ++c)
            out[c] += part * (sum[c] / sum[3] - out[c]);
        out[3] = 1.0f;
    }
}

static void settle_places(Follow *f)
{
    const PxThreads *threads = &f->world->threads;
    px_parallel_for(threads, f->n, 4 * PX_BLOCK, place_block, f);
    for (int k = 0; k < SWEEPS; ++k) {
        px_parallel_for(threads, f->n, PX_BLOCK, smooth_block, f);
        float *done = f->next;
        f->next = f->u;
        f->u = done;
    }
    double s = f->world->def.spacing;
    for (uint32_t i = 0; i < f->n; ++i) {
        f->mixed.piece[i] = f->piece[i];
        f->mixed.melted[i] = px_mixed_melted(f->world, i);
        if (f->piece[i] == 0 || !(f->firm[i] < 1.0f))
            continue;
        for (size_t c = 0; c < 3; ++c)
            f->solid.rest[c][i] = f->place[4 * (size_t)i + c] - f->u[4 * (size_t)i + c];
        f->solid.bulk[i] = 1.0f;
        if (f->before[i] > 0)
            continue;
        const PxMaterial *material = &f->world->materials.data[f->p->material[i]];
        f->solid.volume[i] = (float)((double)f->p->mass[i] / material->def.density);
        f->solid.support[i] = (float)(f->world->def.support * s);
        f->solid.handle[i] = 0;
        f->mixed.steady[0][i] = (float)f->world->def.gravity.x;
        f->mixed.steady[1][i] = (float)f->world->def.gravity.y;
        f->mixed.steady[2][i] = (float)f->world->def.gravity.z;
    }
}

/* ---- which strain is left ------------------------------------------------------------------ */

static void crowd_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    double s = f->world->def.spacing, h = f->world->def.support * s;
    double full = px_kernel_lattice(h, s);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0 || !(f->firm[i] < 1.0f))
            continue;
        PxVec3 x = px_particle_place(f->p, i);
        double sum = px_kernel_value(h, 0);
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            double r = px_length(px_sub(px_particle_place(f->p, j), x));
            sum += j != i && r < h ? px_kernel_value(h, r) : 0;
        }
        f->crowd[i] = (float)(s * s * s * sum / full - 1);
    }
}

/* Part of the way to the pressure of matter that is crowded, each time. Jets of 400 and 900 kPa
 * that strike a wall and lie there (test/test_jet.c) are compressed by 1.4 per cent with 1, 1.6
 * with 0.3 and 2 with 0.1, and got up to 2 per cent of their energy from it with 1, 0.4 with 0.3.
 */
#define CATCH_UP 0.3

/* Pressure keeps the volume of what flows, but elasticity has a modulus of volume too, and rest
 * shapes that follow do not know their volume: swings, whose squares are in Green's strain, and
 * particles that come between others leave tension on all sides. It draws matter together in every
 * sub-step, and pressure, which drives it apart again in the next step, does work each time. Where
 * matter has less room than its own there is no such tension, but as much of the opposite as
 * neighbours say; where it has more, there is a surface, or nothing is known. */
static void right_volume(const Follow *f, uint32_t i, double kept[6])
{
    double over = (double)f->crowd[i], sum = kept[0] + kept[1] + kept[2];
    if (!(over > 0 && sum + over > 0))
        return;
    double less = fmax(sum, 0) + CATCH_UP * (over + fmin(sum, 0));
    for (int k = 0; k < 3; ++k)
        kept[k] -= (1 - (double)f->firm[i]) * less / 3;
}

/* Has its rest shape, or a neighbour's, become another one? */
static bool is_touched(const Follow *f, const PxSolidLists *l, uint32_t slot)
{
    uint32_t i = f->world->shaped_rows.data[slot];
    if (f->firm[i] < 1.0f || l->start[slot + 1] - l->start[slot] != f->neighbours[f->before[i] - 1])
        return true;
    if (f->old_frame_of[f->before[i] - 1] + 1 != f->base[f->piece[i] - 1])
        return true;
    for (uint32_t e = l->start[slot]; e < l->start[slot + 1]; ++e)
        if (f->firm[f->world->shaped_rows.data[l->other[e] / 16]] < 1.0f)
            return true;
    return false;
}

/* Elastic strain as forces want it along the new rest shape (solid/absorb.c); all else of the
 * deformation is plastic. */
static PxStatus settle_strains(Follow *f)
{
    PxWorld *world = f->world;
    PxSolid s;
    if (world->shaped_rows.count == 0)
        return PX_OK;
    px_parallel_for(&world->threads, f->n, PX_BLOCK, crowd_block, f);
    PX_TRY(px_solids_open(world, &s));
    px_solid_forces(&s, false);
    world->state.piece_stretch = s.stretch;
    for (uint32_t slot = 0; slot < s.count; ++slot) {
        uint32_t i = world->shaped_rows.data[slot];
        double strain[6], kept[6] = {0, 0, 0, 0, 0, 0};
        if (f->before[i] > 0 && !is_touched(f, s.lists, slot))
            continue;
        PxMat3 j = px_solid_deformation(&s, slot), inverse;
        px_solid_green(j, strain);
        PxMat3 now = px_mat3_multiply(s.frame[s.frame_of[slot]].turn, j);
        if (f->before[i] > 0 && px_mat3_inverse(now, &inverse))
            px_solid_carry(px_solid_law_of(&s, slot),
                           px_mat3_multiply(inverse, f->deformed[f->before[i] - 1]),
                           f->strain + 6 * (size_t)(f->before[i] - 1), kept);
        if (f->firm[i] < 1.0f)
            right_volume(f, i, kept);
        for (int k = 0; k < 6; ++k)
            f->solid.plastic[k][i] = (float)(strain[k] - kept[k]);
    }
    return PX_OK;
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
    if (world->state.step % (uint64_t)every != 0 && !stretched && !torn) {
        px_arena_release(&world->scratch, mark);
        return PX_OK;
    }
    PxParticles *p = &world->particles;
    Follow f = {.world = world, .p = p, .n = p->table.count};
    f.mixed = px_mixed_columns(&p->table);
    px_solid_columns(&p->table, &f.solid);
    f.elastic = PX_ARENA_ARRAY(&world->scratch, uint8_t, f.n);
    f.firm = PX_ARENA_ARRAY(&world->scratch, float, f.n);
    f.before = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.root = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.piece = PX_ARENA_ARRAY(&world->scratch, uint32_t, f.n);
    f.place = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.u = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.next = PX_ARENA_ARRAY(&world->scratch, float, 4 * (size_t)f.n);
    f.crowd = PX_ARENA_ARRAY(&world->scratch, float, f.n);
    if (f.elastic == NULL || f.firm == NULL || f.before == NULL || f.root == NULL ||
        f.piece == NULL || f.place == NULL || f.u == NULL || f.next == NULL || f.crowd == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", f.n);
    world->state.piece_stretch = 1;
    if (is_due(&f)) {
        PX_TRY(remember(&f));
        join_all(&f);
        PX_TRY(number(&f));
        settle_places(&f);
        PX_TRY(px_mixed_lists(world));
        PX_TRY(settle_strains(&f));
        world->state.halvings = 0;
    }
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}
