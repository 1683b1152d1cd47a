#include "world/pieces.h"

#include "matter/kernel.h"
#include "solid/carry.h"
#include "world/solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds in which the displacement of what is kept reaches out into what follows, and the part of
 * it that gets on each time. */
#define SWEEPS 8
/* Times that what does not fit is taken from what is kept. */
#define PARTS 3
#define REACHES 0.8f

/* Plastic strain up to which a rest shape is kept, and from which it is not. */
#define KEEP_MOST 0.1f
#define KEEP_NONE 0.3f

/* The same of how far it is off where its neighbours say that it is, in the mean, spacings. */
#define FITS_MOST 0.3f
#define FITS_NONE 0.8f

/* Molten part by which a particle changes before its piece is looked over at once. */
#define CHANGED 0.5f

/* Bounds of a particle's room in the rest shape. */
#define LEAST_BULK 0.25
#define MOST_BULK 4.0

/* Matter that keeps its rest shape and hangs together by it, and the rigid motion that brings the
 * rest shape nearest to where it is. */
typedef struct Core {
    uint64_t id; /* the least in it */
    uint32_t piece;
    PxMat3 turn; /* rest shape to world */
    PxVec3 move;
    double weight;
    PxVec3 first, middle, at; /* of the fit */
    PxMat3 spread;
} Core;

typedef struct Follow {
    PxWorld *world;
    PxParticles *p;
    PxMixedColumns mixed;
    PxSolidColumns solid;
    uint32_t n;

    /* by row */
    uint8_t *elastic;
    float *firm;      /* part of it that is not molten; 0 of those without a rest place too */
    float *kept;      /* part of the rest shape that it keeps */
    uint32_t *before; /* slot among the old ones, + 1; 0: had none */
    uint32_t *root;
    uint32_t *piece; /* + 1; 0: none */
    uint32_t *core;  /* + 1; 0: none */
    float *place;    /* 4: where it is, in the piece's frame, and nothing */
    float *own;      /* 4: its displacement there, and whether it has one */
    float *u;        /* 4: what becomes of it */
    float *next;     /* 4 */
    float *crowd;    /* of what follows: part by which more lies around it than in a lattice */

    /* by old slot */
    uint32_t *row;
    PxMat3 *deformed; /* rest shape to world */
    double *strain;   /* 6: elastic */
    double *room;     /* part of its own that it has */
    float *whole;     /* what its strain counted (solid/lists.h) */
    float *old_melted;
    uint32_t *neighbours;
    PxSolid old;

    bool jumps;
    uint32_t pieces, cores;
    Core *core_of;  /* by core */
    uint32_t *base; /* by piece: the core whose rest shape its own goes on, + 1; 0: none */
    PxMat3 *turn;   /* by piece: rest shape to world */
    PxVec3 *move;
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

static bool follows(const Follow *f, uint32_t i)
{
    return isfinite(px_mixed_turn(&f->world->materials.data[f->p->material[i]].def));
}

static PxVec3 rest_of(const Follow *f, uint32_t i)
{
    return px_vec((double)f->solid.rest[0][i], (double)f->solid.rest[1][i],
                  (double)f->solid.rest[2][i]);
}

/* 1 up to `most`, 0 from `none` on. */
static float less(float x, float most, float none)
{
    float part = (x - most) / (none - most);
    return part > 0.0f ? part < 1.0f ? 1.0f - part : 0.0f : 1.0f;
}

/* Matter that has been deformed for good has its rest shape only to compare with, and does better
 * with one nearer to what it is now. */
static float kept_by_strain(const Follow *f, uint32_t i)
{
    float square = 0;
    if (!follows(f, i))
        return 1.0f;
    for (int k = 0; k < 6; ++k)
        square += (k < 3 ? 1.0f : 2.0f) * f->solid.plastic[k][i] * f->solid.plastic[k][i];
    return less(sqrtf(square), KEEP_MOST, KEEP_NONE);
}

static bool is_due(Follow *f)
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

static PxStatus remember(Follow *f)
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

static PxStatus number(Follow *f, uint32_t *which, uint32_t *sets, First **firsts)
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
static void join_cores(Follow *f)
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
static void fit_cores(Follow *f)
{
    for (uint32_t i = 0; i < f->n; ++i) {
        if (f->core[i] == 0)
            continue;
        Core *c = &f->core_of[f->core[i] - 1];
        double w = (double)f->kept[i] * (double)f->p->mass[i];
        PxVec3 m = rest_of(f, i);
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
        Core *c = &f->core_of[k];
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
static PxStatus find_pieces(Follow *f)
{
    PxArena *scratch = &f->world->scratch;
    First *first, *first_of_core;
    for (uint32_t i = 0; i < f->n; ++i)
        f->root[i] = f->elastic[i] ? i : NONE;
    join_all(f);
    PX_TRY(number(f, f->piece, &f->pieces, &first));
    join_cores(f);
    PX_TRY(number(f, f->core, &f->cores, &first_of_core));
    f->core_of = PX_ARENA_ARRAY(scratch, Core, f->cores);
    f->turn = PX_ARENA_ARRAY(scratch, PxMat3, f->pieces);
    f->move = PX_ARENA_ARRAY(scratch, PxVec3, f->pieces);
    f->base = PX_ARENA_ARRAY(scratch, uint32_t, f->pieces);
    if (f->core_of == NULL || f->turn == NULL || f->move == NULL || f->base == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u pieces", f->pieces);
    for (uint32_t k = 0; k < f->cores; ++k)
        f->core_of[k] = (Core){.id = first_of_core[k].id};
    fit_cores(f);
    for (uint32_t k = 0; k < f->pieces; ++k) {
        f->base[k] = 0;
        f->turn[k] = px_mat3_identity();
    }
    for (uint32_t i = 0; i < f->n; ++i)
        if (f->piece[i] > 0 && f->p->id[i] == first[f->piece[i] - 1].id)
            f->move[f->piece[i] - 1] = px_particle_place(f->p, i);
    for (uint32_t k = 0; k < f->cores; ++k) {
        const Core *c = &f->core_of[k];
        uint32_t *base = &f->base[c->piece];
        if (*base > 0 && !(c->weight > f->core_of[*base - 1].weight))
            continue;
        *base = k + 1;
        f->turn[c->piece] = c->turn;
        f->move[c->piece] = c->move;
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

/* The rest place of a particle that was torn off its neighbours, or came between others, is not
 * among those it is with. It would be in the way there, and be drawn back. */
static void loosen_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    double spacing = f->world->def.spacing;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->core[i] == 0 || !follows(f, i))
            continue;
        PxVec3 off = {0, 0, 0}, m = rest_of(f, i), x = px_particle_place(f->p, i);
        PxMat3 deformed = f->deformed[f->before[i] - 1];
        double count = 0;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            if (f->core[j] != f->core[i])
                continue;
            PxVec3 way = px_mat3_apply(deformed, px_sub(rest_of(f, j), m));
            off = px_add(off, px_sub(px_sub(px_particle_place(f->p, j), x), way));
            count += 1;
        }
        if (count > 0)
            f->kept[i] *= less((float)(px_length(off) / (count * spacing)), FITS_MOST, FITS_NONE);
    }
}

/* Everybody's place in the frame of the piece, and the displacement of what is kept. */
static void place_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0)
            continue;
        uint32_t k = f->piece[i] - 1;
        PxMat3 back = px_mat3_transpose(f->turn[k]);
        PxVec3 x = px_mat3_apply(back, px_sub(px_particle_place(f->p, i), f->move[k])), m = x;
        if (f->core[i] > 0) {
            const Core *c = &f->core_of[f->core[i] - 1];
            m = rest_of(f, i);
            if (f->core[i] != f->base[k]) {
                PxVec3 there = px_add(px_mat3_apply(c->turn, m), c->move);
                m = px_mat3_apply(back, px_sub(there, f->move[k]));
                for (int a = 0; a < 3; ++a)
                    f->solid.rest[a][i] = (float)(a == 0 ? m.x : a == 1 ? m.y : m.z);
            }
        }
        put(f->place + 4 * (size_t)i, x, 0.0f);
        put(f->own + 4 * (size_t)i, px_sub(x, m), f->core[i] > 0 ? 1.0f : 0.0f);
        memcpy(f->u + 4 * (size_t)i, f->own + 4 * (size_t)i, 4 * sizeof(float));
    }
}

/* The rest shape of what follows is what it is now, moved as what is kept beside it is moved.
 *
 * 000 section 6.8 leaves open how one body can keep its rest shape at one end and lose it at
 * the other. If what follows had no displacement at all, its rest shape would not fit that
 * of the solid beside it, which has one. So the displacement becomes a smooth field: that of
 * the solid where it is solid, less and less of it away from there, and in between both, by the
 * part that is kept. A smooth one keeps neighbours together in the rest shape as
 * well, which is all that is needed of it: strain that comes of it is taken off below. */
static void smooth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    float h = (float)(f->world->def.support * f->world->def.spacing);
    for (uint32_t i = begin; i < end; ++i) {
        if (f->piece[i] == 0)
            continue;
        const float *at = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        const float *own = f->own + 4 * (size_t)i;
        float *out = f->next + 4 * (size_t)i, sum[4] = {0, 0, 0, 0};
        memcpy(out, u, 4 * sizeof *out);
        if (!(f->kept[i] < 1.0f))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *other = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (f->piece[j] != f->piece[i] || !(v[3] > 0.0f))
                continue;
            float x = other[0] - at[0], y = other[1] - at[1], z = other[2] - at[2];
            float w = px_solid_weight(x * x + y * y + z * z, h);
            for (int c = 0; c < 3; ++c)
                sum[c] += w * v[c];
            sum[3] += w;
        }
        if (!(sum[3] > 0.0f))
            continue;
        for (int c = 0; c < 3; ++c)
            out[c] = f->kept[i] * own[c] + (1.0f - f->kept[i]) * REACHES * sum[c] / sum[3];
        out[3] = 1.0f;
    }
}

/* Where displacements change by this part of the way from one to the other, rest shapes do not fit
 * each other: where cores meet that came from elsewhere. */
#define JUMP 0.7f

static void part_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Follow *f = user;
    const PxPairs *pairs = &f->world->pairs;
    bool any = false;
    for (uint32_t i = begin; i < end; ++i) {
        const float *at = f->place + 4 * (size_t)i, *u = f->u + 4 * (size_t)i;
        if (f->core[i] == 0 || !(f->kept[i] > 0.0f) || !follows(f, i))
            continue;
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            const float *to = f->place + 4 * (size_t)j, *v = f->u + 4 * (size_t)j;
            if (f->piece[j] != f->piece[i] || j == i)
                continue;
            float way = 0, jump = 0;
            for (int c = 0; c < 3; ++c) {
                way += (to[c] - at[c]) * (to[c] - at[c]);
                jump += (v[c] - u[c]) * (v[c] - u[c]);
            }
            if (!(jump > JUMP * JUMP * way))
                continue;
            f->kept[i] = 0.0f;
            any = true;
            break;
        }
    }
    if (any) {
        px_join_begin();
        f->jumps = true;
        px_join_end();
    }
}

static void smooth(Follow *f)
{
    for (int k = 0; k < SWEEPS && f->cores > 0; ++k) {
        px_parallel_for(&f->world->threads, f->n, PX_BLOCK, smooth_block, f);
        float *done = f->next;
        f->next = f->u;
        f->u = done;
    }
}

static void settle_places(Follow *f)
{
    const PxThreads *threads = &f->world->threads;
    px_parallel_for(threads, f->n, PX_BLOCK, loosen_block, f);
    px_parallel_for(threads, f->n, 4 * PX_BLOCK, place_block, f);
    smooth(f);
    for (int k = 0; k < PARTS && f->cores > 0; ++k) {
        f->jumps = false;
        px_parallel_for(threads, f->n, PX_BLOCK, part_block, f);
        if (!f->jumps)
            break;
        smooth(f);
    }
    double s = f->world->def.spacing;
    for (uint32_t i = 0; i < f->n; ++i) {
        f->mixed.piece[i] = f->piece[i];
        f->mixed.melted[i] = px_mixed_melted(f->world, i);
        if (f->piece[i] == 0 || !(f->kept[i] < 1.0f))
            continue;
        for (size_t c = 0; c < 3; ++c)
            f->solid.rest[c][i] = f->place[4 * (size_t)i + c] - f->u[4 * (size_t)i + c];
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
    if (f->kept[i] < 1.0f || l->start[slot + 1] - l->start[slot] != f->neighbours[f->before[i] - 1])
        return true;
    if (f->core[i] != f->base[f->piece[i] - 1])
        return true;
    if (f->old_melted[f->before[i] - 1] != f->mixed.melted[i])
        return true;
    for (uint32_t e = l->start[slot]; e < l->start[slot + 1]; ++e)
        if (f->kept[f->world->shaped_rows.data[l->other[e] / 16]] < 1.0f)
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
        double room = 1, counted = 0;
        if (f->before[i] > 0) {
            uint32_t old = f->before[i] - 1;
            /* what counts for more than it did goes on pulling as much as before */
            counted = fmin(1, (double)f->whole[old] / fmax((double)s.lists->whole[slot], 1e-6));
            room += counted * (double)f->kept[i] * (f->room[old] - 1);
            if (px_mat3_inverse(now, &inverse))
                px_solid_carry(px_solid_law_of(&f->old, old), px_solid_law_of(&s, slot),
                               px_mat3_multiply(inverse, f->deformed[old]),
                               f->strain + 6 * (size_t)old, kept);
        }
        for (int k = 0; k < 6; ++k)
            kept[k] *= counted;
        if (f->firm[i] < 1.0f)
            right_volume(f, i, kept);
        for (int k = 0; k < 6; ++k)
            f->solid.plastic[k][i] = (float)(strain[k] - kept[k]);
        f->solid.bulk[i] = (float)fmin(fmax(room / px_mat3_determinant(j), LEAST_BULK), MOST_BULK);
    }
    return PX_OK;
}

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
    Follow f = {.world = world, .p = p, .n = p->table.count};
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
        settle_places(&f);
        PX_TRY(px_mixed_lists(world));
        PX_TRY(settle_strains(&f));
        world->state.halvings = world->state.highest = 0;
    }
    px_arena_release(&world->scratch, mark);
    return PX_OK;
}
