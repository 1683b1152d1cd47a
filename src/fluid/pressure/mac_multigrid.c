#include "fluid/pressure/mac_multigrid.h"

#include "base/stop.h"
#include "fluid/pressure/mac_cells.h"
#include "fluid/pressure/mac_yield.h"

#include <math.h>
#include <string.h>

/* Blocks of cells in loops: of a colour of 4,000 cells, both threads of two have some. */
#define BLOCK 1024u

/* Coarse cells are added until so few are left; there the sweeps solve. */
enum { FEW = 48, MOST_LEVELS = 14, LAST_SWEEPS = 12 };

/* Division of the summed equation of a coarse cell (Braess 1995: 1.8). */
#define STIFF 1.8f

typedef struct Level {
    uint32_t count, evens;
    uint32_t *key;   /* 0: cell, 1: eighth of a tile, 2: tile, above: unused */
    int32_t *at;     /* coordinates, 3 each */
    uint32_t *next;  /* 6 neighbours: below and above by axis; `count` if there is none */
    float *link;     /* to them */
    float *surface;  /* diagonal minus the sum of links: what leads to the surface */
    float *per;      /* 1 / diagonal */
    uint32_t *up;    /* its coarse cell */
    uint32_t *child; /* 8 cells of the level below; its `count` where there is none */
    float *x, *b;    /* x[count] is 0 */
} Level;

struct PxMacMultigrid {
    PxMac *mac;
    const PxThreads *threads;
    PxArena *scratch;
    Level level[MOST_LEVELS];
    int levels;
    double *p, *r, *q, *aq; /* of level 0; q[count] is 0, r[count] and aq[count] are not used */
    double *diagonal;
    double *part; /* two sums of each block */
    double step, keep;
};

typedef struct Sweep {
    PxMacMultigrid *grid;
    Level *level, *other;
    uint32_t first; /* row at which the loop begins */
} Sweep;

/* ---- levels ---------------------------------------------------------------------------- */

static PxStatus allocate(PxMacMultigrid *g, Level *l)
{
    size_t n = l->count;
    l->key = PX_ARENA_ARRAY(g->scratch, uint32_t, n);
    l->at = PX_ARENA_ARRAY(g->scratch, int32_t, 3 * n);
    l->next = PX_ARENA_ARRAY(g->scratch, uint32_t, 6 * n);
    l->link = PX_ARENA_ARRAY(g->scratch, float, 6 * n);
    l->surface = PX_ARENA_ARRAY(g->scratch, float, n);
    l->per = PX_ARENA_ARRAY(g->scratch, float, n);
    l->up = PX_ARENA_ARRAY(g->scratch, uint32_t, n + 1);
    l->child = PX_ARENA_ARRAY(g->scratch, uint32_t, 8 * n);
    l->x = PX_ARENA_ARRAY(g->scratch, float, n + 1);
    l->b = PX_ARENA_ARRAY(g->scratch, float, n + 1);
    if (l->key == NULL || l->at == NULL || l->next == NULL || l->link == NULL ||
        l->surface == NULL || l->per == NULL || l->up == NULL || l->child == NULL || l->x == NULL ||
        l->b == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", l->count);
    l->x[n] = l->b[n] = 0.0f;
    return PX_OK;
}

/* Cells of a tile with even x + y + z. */
#define EVENS UINT64_C(0x5a5aa5a55a5aa5a5)

static bool is_odd(const int32_t at[3])
{
    return ((at[0] + at[1] + at[2]) & 1) != 0;
}

/* Copies the equation. Cells that are no longer filled keep their row, with p = 0 and without
 * links; the coarse levels stay as they were, which only the preconditioner sees. */
static void links_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *job = user;
    PxMacMultigrid *g = job->grid;
    const PxMac *m = g->mac;
    Level *l = job->level;
    double scale = m->dt / m->cell;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t cell = l->key[i];
        bool filled = is_full(m, cell);
        float links = 0;
        for (int k = 0; k < 6; ++k) {
            uint32_t other = next_to(m, cell, k / 2, k % 2 ? 1 : -1), face = k % 2 ? other : cell;
            float link =
                (float)(scale * (double)m->open[k / 2][face] * (double)m->weight[k / 2][face]);
            bool in = filled && is_full(m, other);
            l->next[6 * (size_t)i + (size_t)k] = in ? m->number[other] : l->count;
            l->link[6 * (size_t)i + (size_t)k] = in ? link : 0.0f;
            links += in ? link : 0.0f;
        }
        l->surface[i] = fmaxf(m->diagonal[cell] - links, 0.0f);
        g->diagonal[i] = filled ? (double)m->diagonal[cell] : 0;
        l->per[i] = filled ? 1.0f / m->diagonal[cell] : 0.0f;
        g->p[i] = filled ? m->p[cell] : 0;
        g->r[i] = filled ? m->r[cell] : 0;
    }
}

static void copy_equation(PxMacMultigrid *g)
{
    Sweep job = {.grid = g, .level = &g->level[0]};
    px_parallel_for(g->threads, g->level[0].count, BLOCK, links_block, &job);
}

/* Numbers the filled cells and copies the equation. */
static PxStatus first_level(PxMacMultigrid *g)
{
    PxMac *m = g->mac;
    Level *l = &g->level[0];
    uint32_t cells = m->tiles * CELLS, next[2] = {0, 0};
    for (uint32_t t = 0; t < m->tiles; ++t) {
        l->count += (uint32_t)__builtin_popcountll(m->full[t]);
        l->evens += (uint32_t)__builtin_popcountll(m->full[t] & EVENS);
    }
    PX_TRY(allocate(g, l));
    m->number = PX_ARENA_ARRAY(g->scratch, uint32_t, cells);
    g->p = PX_ARENA_ARRAY(g->scratch, double, l->count);
    g->r = PX_ARENA_ARRAY(g->scratch, double, (size_t)l->count + 1);
    g->q = PX_ARENA_ARRAY(g->scratch, double, (size_t)l->count + 1);
    g->aq = PX_ARENA_ARRAY(g->scratch, double, (size_t)l->count + 1);
    g->diagonal = PX_ARENA_ARRAY(g->scratch, double, l->count);
    g->part = PX_ARENA_ARRAY(g->scratch, double, 2 * ((size_t)l->count / BLOCK + 1));
    if (m->number == NULL || g->p == NULL || g->r == NULL || g->q == NULL || g->aq == NULL ||
        g->diagonal == NULL || g->part == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", cells);
    next[1] = l->evens;
    for (uint32_t t = 0; t < m->tiles; ++t)
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in), i = next[(cell ^ cell >> 2 ^ cell >> 4) & 1u]++;
            m->number[cell] = i;
            l->key[i] = cell;
            for (int a = 0; a < 3; ++a)
                l->at[3 * (size_t)i + (size_t)a] =
                    EDGE * m->at[3 * (size_t)t + (size_t)a] + (int32_t)(cell >> (2 * a) & 3u);
        }
    copy_equation(g);
    return PX_OK;
}

/* Sums of the children's links that leave the block, and of what leads to the surface. */
static void sums_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *job = user;
    Level *l = job->level;
    const Level *fine = job->other;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t next[6];
        float link[6] = {0, 0, 0, 0, 0, 0}, surface = 0, links = 0;
        for (int k = 0; k < 6; ++k)
            next[k] = l->count;
        for (int k = 0; k < 8; ++k) {
            uint32_t c = l->child[8 * (size_t)i + (size_t)k];
            if (c == fine->count)
                continue;
            surface += fine->surface[c];
            for (int side = 0; side < 6; ++side) {
                uint32_t other = fine->next[6 * (size_t)c + (size_t)side];
                if (other == fine->count || fine->up[other] == i)
                    continue;
                next[side] = fine->up[other];
                link[side] += fine->link[6 * (size_t)c + (size_t)side];
            }
        }
        for (int k = 0; k < 6; ++k) {
            l->next[6 * (size_t)i + (size_t)k] = next[k];
            l->link[6 * (size_t)i + (size_t)k] = link[k] / STIFF;
            links += link[k] / STIFF;
        }
        l->surface[i] = surface / STIFF;
        l->per[i] = links + l->surface[i] > 0.0f ? 1.0f / (links + l->surface[i]) : 0.0f;
    }
}

/* Numbers the blocks of a level's cells: up[] of the cells, key, at and child of the blocks.
 * `slot` has room for the keys of the first two levels, `names` for the blocks of the others. */
static PxStatus next_level(PxMacMultigrid *g, uint32_t *slot, Names *names)
{
    Level *fine = &g->level[g->levels - 1], *l = &g->level[g->levels];
    bool hashed = g->levels > 2;
    uint32_t slots = hashed ? 0 : g->mac->tiles * (g->levels == 1 ? 8u : 1u), next[2] = {0, 0};
    *l = (Level){0};
    if (hashed)
        memset(names->key, 0, ((size_t)names->mask + 1) * sizeof *names->key);
    for (uint32_t k = 0; k < slots; ++k)
        slot[k] = UINT32_MAX;
    /* first the places of the blocks, numbered in the order of their colours afterwards */
    for (uint32_t i = 0; i < fine->count; ++i) {
        const int32_t *of = fine->at + 3 * (size_t)i;
        int32_t at[3] = {of[0] >> 1, of[1] >> 1, of[2] >> 1};
        uint32_t *found;
        if (hashed) {
            uint64_t key = pack(at);
            uint32_t place = names_place(names, key);
            if (names->key[place] == 0)
                names->number[place] = UINT32_MAX;
            names->key[place] = key;
            found = &names->number[place];
        } else if (g->levels == 1) {
            uint32_t in = fine->key[i] % CELLS;
            found = &slot[8 * (fine->key[i] / CELLS) + (in >> 1 & 1u) + 2 * (in >> 3 & 1u) +
                          4 * (in >> 5 & 1u)];
        } else {
            found = &slot[fine->key[i] / 8];
        }
        if (*found == UINT32_MAX) {
            bool odd = is_odd(at);
            *found = 2 * next[odd]++ + odd;
            ++l->count;
            l->evens += !odd;
        }
        fine->up[i] = *found;
    }
    PX_TRY(allocate(g, l));
    for (size_t k = 0; k < 8 * (size_t)l->count; ++k)
        l->child[k] = fine->count;
    fine->up[fine->count] = l->count;
    for (uint32_t i = 0; i < fine->count; ++i) {
        const int32_t *of = fine->at + 3 * (size_t)i;
        uint32_t to = fine->up[i] / 2 + (fine->up[i] & 1u ? l->evens : 0);
        fine->up[i] = to;
        l->child[8 * (size_t)to + (size_t)((of[0] & 1) + 2 * (of[1] & 1) + 4 * (of[2] & 1))] = i;
        for (int a = 0; a < 3; ++a)
            l->at[3 * (size_t)to + (size_t)a] = of[a] >> 1;
        if (g->levels == 1) {
            uint32_t in = fine->key[i] % CELLS;
            l->key[to] = 8 * (fine->key[i] / CELLS) + (in >> 1 & 1u) + 2 * (in >> 3 & 1u) +
                         4 * (in >> 5 & 1u);
        } else if (g->levels == 2) {
            l->key[to] = fine->key[i] / 8;
        }
    }
    Sweep job = {.grid = g, .level = l, .other = fine};
    px_parallel_for(g->threads, l->count, BLOCK / 4, sums_block, &job);
    ++g->levels;
    return PX_OK;
}

static PxStatus make_levels(PxMacMultigrid *g)
{
    PxMac *m = g->mac;
    g->level[0] = (Level){0};
    PX_TRY(first_level(g));
    g->levels = 1;
    uint32_t room = 64;
    while (room < 2 * m->tiles)
        room *= 2;
    uint32_t *slot = PX_ARENA_ARRAY(g->scratch, uint32_t, 8 * (size_t)m->tiles);
    Names names = {PX_ARENA_ARRAY(g->scratch, uint64_t, room),
                   PX_ARENA_ARRAY(g->scratch, uint32_t, room), room - 1};
    if (slot == NULL || names.key == NULL || names.number == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u tiles", m->tiles);
    while (g->levels < MOST_LEVELS && g->level[g->levels - 1].count > FEW) {
        PX_TRY(next_level(g, slot, &names));
        /* separate drops do not become fewer */
        if (g->levels > 3 && g->level[g->levels - 1].count > g->level[g->levels - 2].count / 2)
            break;
    }
    return PX_OK;
}

/* ---- the V-cycle ----------------------------------------------------------------------- */

PX_INLINE float links_of(const Level *l, const float *x, uint32_t i)
{
    const uint32_t *next = l->next + 6 * (size_t)i;
    const float *link = l->link + 6 * (size_t)i;
    return ((link[0] * x[next[0]] + link[1] * x[next[1]]) +
            (link[2] * x[next[2]] + link[3] * x[next[3]])) +
           (link[4] * x[next[4]] + link[5] * x[next[5]]);
}

/* Gauss-Seidel over cells of one colour. */
static void smooth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *job = user;
    Level *l = job->level;
    for (uint32_t i = begin + job->first; i < end + job->first; ++i)
        l->x[i] = l->per[i] * (l->b[i] + links_of(l, l->x, i));
}

/* The first sweep over even cells, where all x are 0. */
static void guess_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *job = user;
    Level *l = job->level;
    for (uint32_t i = begin; i < end; ++i)
        l->x[i] = l->per[i] * l->b[i];
}

static void smooth(PxMacMultigrid *g, Level *l, bool odd)
{
    Sweep job = {.grid = g, .level = l, .first = odd ? l->evens : 0};
    px_parallel_for(g->threads, odd ? l->count - l->evens : l->evens, BLOCK, smooth_block, &job);
}

/* Residuals of the children, after a sweep that ended with the odd ones: theirs are 0. */
static void restrict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *job = user;
    Level *l = job->level;
    const Level *fine = job->other;
    for (uint32_t i = begin; i < end; ++i) {
        float sum = 0;
        for (int k = 0; k < 8; ++k) {
            uint32_t c = l->child[8 * (size_t)i + (size_t)k];
            if (c < fine->evens) /* b - x / per is 0 before the odd cells were changed */
                sum += links_of(fine, fine->x, c);
        }
        l->b[i] = sum;
    }
}

static void prolong_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sweep *job = user;
    Level *l = job->level;
    const float *coarse = job->other->x;
    for (uint32_t i = begin; i < end; ++i)
        l->x[i] += coarse[l->up[i]];
}

static void cycle(PxMacMultigrid *g, int k)
{
    Level *l = &g->level[k];
    Sweep job = {.grid = g, .level = l};
    px_parallel_for(g->threads, l->evens, BLOCK, guess_block, &job);
    smooth(g, l, true);
    if (k + 1 < g->levels) {
        Level *coarse = &g->level[k + 1];
        Sweep down = {.grid = g, .level = coarse, .other = l};
        px_parallel_for(g->threads, coarse->count, BLOCK / 4, restrict_block, &down);
        cycle(g, k + 1);
        job.other = coarse;
        px_parallel_for(g->threads, l->count, BLOCK, prolong_block, &job);
    } else {
        for (int sweep = 1; sweep < 2 * LAST_SWEEPS; ++sweep) {
            bool down = sweep < LAST_SWEEPS;
            smooth(g, l, !down);
            smooth(g, l, down);
        }
    }
    smooth(g, l, true);
    smooth(g, l, false);
}

/* ---- conjugate gradients ---------------------------------------------------------------- */

static double total(const PxMacMultigrid *g, int which)
{
    double sum = 0;
    for (uint32_t k = 0; k * BLOCK < g->level[0].count; ++k)
        sum += g->part[2 * (size_t)k + (size_t)which];
    return sum;
}

PX_INLINE double image_of(const PxMacMultigrid *g, const double *value, uint32_t i)
{
    const uint32_t *next = g->level[0].next + 6 * (size_t)i;
    const float *link = g->level[0].link + 6 * (size_t)i;
    double sum = g->diagonal[i] * value[i];
    for (int k = 0; k < 6; ++k)
        sum -= (double)link[k] * value[next[k]];
    return sum;
}

/* r -= A q; sum of |r|. */
static void start_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMacMultigrid *g = user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        g->r[i] -= image_of(g, g->q, i);
        g->level[0].b[i] = (float)g->r[i];
        sum += fabs(g->r[i]);
    }
    g->part[2 * (size_t)(begin / BLOCK)] = sum;
}

static void image_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMacMultigrid *g = user;
    double dot = 0;
    for (uint32_t i = begin; i < end; ++i) {
        g->aq[i] = image_of(g, g->q, i);
        dot += g->aq[i] * g->q[i];
    }
    g->part[2 * (size_t)(begin / BLOCK)] = dot;
}

static void improve_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMacMultigrid *g = user;
    double sum = 0;
    for (uint32_t i = begin; i < end; ++i) {
        g->p[i] += g->step * g->q[i];
        g->r[i] -= g->step * g->aq[i];
        g->level[0].b[i] = (float)g->r[i];
        sum += fabs(g->r[i]);
    }
    g->part[2 * (size_t)(begin / BLOCK)] = sum;
}

/* The product of residual and preconditioned residual x, and that of the change of the residual
 * with x: the latter forgives a preconditioner that rounding makes unsymmetric (Polak and Ribiere
 * 1969). */
static void dot_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMacMultigrid *g = user;
    double dot = 0, change = 0;
    for (uint32_t i = begin; i < end; ++i) {
        double x = (double)g->level[0].x[i];
        dot += g->r[i] * x;
        change -= g->step * g->aq[i] * x;
    }
    g->part[2 * (size_t)(begin / BLOCK)] = dot;
    g->part[2 * (size_t)(begin / BLOCK) + 1] = change;
}

static void direction_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMacMultigrid *g = user;
    for (uint32_t i = begin; i < end; ++i)
        g->q[i] = (double)g->level[0].x[i] + g->keep * g->q[i];
}

static void end_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxMacMultigrid *g = user;
    for (uint32_t i = begin; i < end; ++i)
        g->mac->p[g->level[0].key[i]] = g->p[i];
}

/* The grid with a copy of the equation: new levels before the first solve of a step. */
static PxStatus prepare(PxMac *m, PxMacMultigrid **grid)
{
    if (*grid != NULL) {
        copy_equation(*grid);
        return PX_OK;
    }
    PxMacMultigrid *g = PX_ARENA_ARRAY(m->fluid->scratch, PxMacMultigrid, 1);
    if (g == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for a grid");
    *g = (PxMacMultigrid){.mac = m, .threads = m->fluid->threads, .scratch = m->fluid->scratch};
    PX_TRY(make_levels(g));
    *grid = g;
    return PX_OK;
}

PxStatus px_mac_iterate(PxMac *m, PxMacMultigrid **grid, double tolerance, uint32_t most,
                        PxMacResult *result)
{
    const PxThreads *threads = m->fluid->threads;
    PX_TRY(prepare(m, grid));
    PxMacMultigrid *g = *grid;
    uint32_t n = g->level[0].count;
    m->filled = 0;
    for (uint32_t t = 1; t < m->tiles; ++t)
        m->filled += (uint32_t)__builtin_popcountll(m->full[t]);
    /* residuals are velocities; dt / cell makes them changes of volume in the step */
    double unit = m->filled > 0 ? m->dt / m->cell / m->filled : 0, dot = 0;
    for (uint32_t i = 0; i < n; ++i)
        g->q[i] = g->p[i];
    g->q[n] = 0;
    px_mac_yield_number(m, n);
    if (m->yield != NULL) {
        memset(g->aq, 0, ((size_t)n + 1) * sizeof *g->aq);
        px_mac_yield_apply(m, g->q, g->aq);
        for (uint32_t i = 0; i < n; ++i)
            g->r[i] -= g->aq[i];
    }
    px_parallel_for(threads, n, BLOCK, start_block, g);
    result->error = unit * total(g, 0);
    if (n > 0) {
        memset(g->q, 0, ((size_t)n + 1) * sizeof *g->q);
        memset(g->aq, 0, n * sizeof *g->aq);
    }
    while (result->error > tolerance && result->iterations < most) {
        PX_TRY(px_stop_check(threads));
        cycle(g, 0);
        px_parallel_for(threads, n, BLOCK, dot_block, g);
        double now = total(g, 0), change = total(g, 1);
        if (!(now > 0))
            break;
        g->keep = dot > 0 ? fmax(change / dot, 0) : 0;
        dot = now;
        px_parallel_for(threads, n, BLOCK, direction_block, g);
        px_parallel_for(threads, n, BLOCK, image_block, g);
        double curve = total(g, 0) + px_mac_yield_apply(m, g->q, g->aq);
        if (!(curve > 0))
            break;
        g->step = dot / curve;
        px_parallel_for(threads, n, BLOCK, improve_block, g);
        result->error = unit * total(g, 0);
        ++result->iterations;
    }
    result->converged = result->error <= tolerance;
    px_parallel_for(threads, n, BLOCK, end_block, g);
    if (m->yield != NULL) { /* leaves what the bodies gain by the solution */
        for (uint32_t i = 0; i < n; ++i)
            g->q[i] = g->p[i];
        g->q[n] = 0;
        px_mac_yield_apply(m, g->q, g->aq);
    }
    return PX_OK;
}
