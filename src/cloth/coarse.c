#include "cloth/coarse.h"

#include "base/simd.h"
#include "cloth/solve.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 64u
#define NONE UINT32_MAX
#define SHARES PX_CLOTH_SHARES
#define KEPT 0.2   /* share of a node's own group that the nodes beside it do not change */
#define LARGE 100u /* more groups are grouped again */
/* Factor of the stiffness of groups. The corrections of all levels are added, so each must be
 * smaller than it would be alone. */
#define FIRMER 1.5f
/* Ratio of stiffness to mass from which levels save more than they cost. */
#define PAYS 150.0

/* ---- the groups ------------------------------------------------------------------------------ */

/* Which nodes have a block in common. */
typedef struct Graph {
    uint32_t nodes, edges;
    uint32_t (*edge)[2]; /* the first one lower; sorted */
    uint32_t *first, *beside;
} Graph;

static void graph_free(Graph *g)
{
    free(g->edge);
    free(g->first);
    free(g->beside);
}

/* Lists the nodes beside each, in the order of edges. */
static bool graph_link(Graph *g)
{
    g->first = calloc((size_t)g->nodes + 2, sizeof *g->first);
    g->beside = malloc((2 * (size_t)g->edges + 1) * sizeof *g->beside);
    if (g->first == NULL || g->beside == NULL)
        return false;
    uint32_t *at = g->first + 1; /* where the list of a node begins, then ends */
    for (uint32_t k = 0; k < g->edges; ++k)
        for (int side = 0; side < 2; ++side)
            if (g->edge[k][side] + 1 < g->nodes)
                ++at[g->edge[k][side] + 1];
    for (uint32_t i = 1; i < g->nodes; ++i)
        at[i] += at[i - 1];
    for (uint32_t k = 0; k < g->edges; ++k)
        for (int side = 0; side < 2; ++side)
            g->beside[at[g->edge[k][side]]++] = g->edge[k][1 - side];
    return true;
}

/* Sorts pairs by one of their two numbers, which are less than `below` (counting sort, stable). */
static bool sort_side(uint32_t (*pair)[2], uint32_t count, uint32_t below, int side)
{
    uint32_t *at = calloc((size_t)below + 1, sizeof *at);
    uint32_t(*copy)[2] = malloc(((size_t)count + 1) * sizeof *copy);
    bool room = at != NULL && copy != NULL;
    if (room) {
        memcpy(copy, pair, count * sizeof *copy);
        for (uint32_t k = 0; k < count; ++k)
            ++at[copy[k][side] + 1];
        for (uint32_t i = 1; i <= below; ++i)
            at[i] += at[i - 1];
        for (uint32_t k = 0; k < count; ++k)
            memcpy(pair[at[copy[k][side]]++], copy[k], sizeof *copy);
    }
    free(at);
    free(copy);
    return room;
}

/* Divides the nodes: a node and all beside it form a group if none of them belongs to one; others
 * join the group that most nodes beside them belong to. Returns the number of groups. */
static uint32_t divide(const Graph *g, uint32_t *group)
{
    uint32_t groups = 0;
    for (uint32_t i = 0; i < g->nodes; ++i)
        group[i] = NONE;
    for (uint32_t i = 0; i < g->nodes; ++i) {
        bool free = group[i] == NONE;
        for (uint32_t k = g->first[i]; k < g->first[i + 1] && free; ++k)
            free = group[g->beside[k]] == NONE;
        if (!free)
            continue;
        group[i] = groups;
        for (uint32_t k = g->first[i]; k < g->first[i + 1]; ++k)
            group[g->beside[k]] = groups;
        ++groups;
    }
    for (uint32_t i = 0; i < g->nodes; ++i) {
        if (group[i] != NONE)
            continue;
        uint32_t most = 0;
        for (uint32_t k = g->first[i]; k < g->first[i + 1]; ++k) {
            uint32_t own = group[g->beside[k]], count = 0;
            for (uint32_t l = g->first[i]; l < g->first[i + 1] && own != NONE; ++l)
                count += group[g->beside[l]] == own;
            if (count > most) {
                group[i] = own;
                most = count;
            }
        }
    }
    return groups;
}

typedef struct Share {
    uint32_t group;
    float part;
} Share;

/* The groups of a node: its own, and those of the nodes beside it. Returns their number. */
static uint32_t share(const Graph *g, const uint32_t *group, uint32_t i, Share out[SHARES])
{
    Share all[64];
    uint32_t count = 1, beside = g->first[i + 1] - g->first[i];
    all[0] = (Share){group[i], beside > 0 ? (float)KEPT : 1.0f};
    for (uint32_t k = g->first[i]; k < g->first[i + 1]; ++k) {
        uint32_t own = group[g->beside[k]], n = 0;
        while (n < count && all[n].group != own)
            ++n;
        if (n == PX_COUNT(all))
            continue;
        if (n == count)
            all[count++] = (Share){own, 0};
        all[n].part += (float)((1 - KEPT) / beside);
    }
    uint32_t kept = 0;
    float sum = 0;
    while (kept < SHARES && count > 0) {
        uint32_t best = 0;
        for (uint32_t n = 1; n < count; ++n)
            if (all[n].part > all[best].part ||
                (all[n].part >= all[best].part && all[n].group < all[best].group))
                best = n;
        sum += all[best].part;
        out[kept++] = all[best];
        all[best] = all[--count];
    }
    for (uint32_t n = 0; n < kept; ++n)
        out[n].part /= sum;
    return kept;
}

static size_t place(uint32_t node, uint32_t k)
{
    return 8 * (SHARES * (size_t)(node / 8) + k) + node % 8;
}

static float part_of(const PxClothLevel *v, uint32_t node, uint32_t group)
{
    for (uint32_t k = 0; k < SHARES; ++k)
        if (v->group[place(node, k)] == group && v->part[place(node, k)] > 0)
            return v->part[place(node, k)];
    return 0;
}

/* Stiffness is spread evenly over the blocks of a node, and each of them feels the difference of
 * two shares. It is counted half at both nodes, or wholly at the one that the group has. */
static float jump_of(const PxClothLevel *v, const Graph *g, uint32_t i, uint32_t group)
{
    float own = part_of(v, i, group), sum = 0;
    for (uint32_t k = g->first[i]; k < g->first[i + 1]; ++k) {
        float other = part_of(v, g->beside[k], group), by = own - other;
        sum += (other > 0 ? 0.5f : 1.0f) * by * by;
    }
    uint32_t beside = g->first[i + 1] - g->first[i];
    return beside > 0 ? FIRMER * sum / (float)beside : 0;
}

/* A level above `g`; `group` is scratch. */
static bool make_level(PxArena *m, const Graph *g, uint32_t *group, PxClothLevel *v)
{
    size_t n = g->nodes, slots = SHARES * (n + 8);
    v->groups = divide(g, group);
    v->first = PX_ARENA_ARRAY(m, uint32_t, (size_t)v->groups + 2);
    v->group = PX_ARENA_ARRAY(m, uint32_t, slots);
    v->part = PX_ARENA_ARRAY(m, float, slots);
    v->node = PX_ARENA_ARRAY(m, uint32_t, slots);
    v->share = PX_ARENA_ARRAY(m, float, slots);
    v->jump = PX_ARENA_ARRAY(m, float, slots);
    if (v->first == NULL || v->group == NULL || v->part == NULL || v->node == NULL ||
        v->share == NULL || v->jump == NULL)
        return false;
    memset(v->group, 0, slots * sizeof *v->group);
    memset(v->part, 0, slots * sizeof *v->part);
    memset(v->first, 0, ((size_t)v->groups + 2) * sizeof *v->first);
    for (uint32_t i = 0; i < n; ++i) {
        Share of[SHARES];
        uint32_t count = share(g, group, i, of);
        for (uint32_t k = 0; k < count; ++k) {
            v->group[place(i, k)] = of[k].group;
            v->part[place(i, k)] = of[k].part;
            ++v->first[of[k].group + 2];
        }
    }
    for (uint32_t k = 2; k < v->groups + 2; ++k)
        v->first[k] += v->first[k - 1];
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < SHARES; ++k) {
            uint32_t own = v->group[place(i, k)];
            if (!(v->part[place(i, k)] > 0))
                continue;
            uint32_t at = v->first[own + 1]++;
            v->node[at] = i;
            v->share[at] = v->part[place(i, k)];
            v->jump[at] = jump_of(v, g, i, own);
        }
    return true;
}

/* The graph of groups. */
static bool coarsen(const Graph *g, const uint32_t *group, uint32_t groups, Graph *out)
{
    *out = (Graph){.nodes = groups, .edge = malloc(((size_t)g->edges + 1) * sizeof *out->edge)};
    if (out->edge == NULL)
        return false;
    uint32_t count = 0;
    for (uint32_t k = 0; k < g->edges; ++k) {
        uint32_t a = group[g->edge[k][0]], b = group[g->edge[k][1]];
        if (a == b)
            continue;
        out->edge[count][0] = a < b ? a : b;
        out->edge[count++][1] = a < b ? b : a;
    }
    if (!sort_side(out->edge, count, groups, 1) || !sort_side(out->edge, count, groups, 0))
        return false;
    for (uint32_t k = 0; k < count; ++k)
        if (k == 0 || memcmp(out->edge[k], out->edge[k - 1], sizeof *out->edge) != 0)
            memmove(out->edge[out->edges++], out->edge[k], sizeof *out->edge);
    return graph_link(out);
}

static bool build(PxClothSystem *s, Graph *g, uint32_t *group)
{
    PxClothPattern *p = &s->pattern;
    *g = (Graph){.nodes = 8 * p->slices, .edges = p->pairs};
    g->edge = malloc(((size_t)p->pairs + 1) * sizeof *g->edge);
    if (g->edge == NULL || group == NULL)
        return false;
    for (uint32_t k = 0; k < p->pairs; ++k) {
        uint32_t a = p->row[p->pair[k].vertex[0]], b = p->row[p->pair[k].vertex[1]];
        g->edge[k][0] = a < b ? a : b;
        g->edge[k][1] = a < b ? b : a;
    }
    if (!graph_link(g))
        return false;
    while (p->levels < PX_CLOTH_LEVELS) {
        PxClothLevel *v = &p->level[p->levels];
        Graph next;
        if (!make_level(&s->memory, g, group, v))
            return false;
        ++p->levels;
        bool room = coarsen(g, group, v->groups, &next);
        graph_free(g);
        *g = next;
        if (!room)
            return false;
        if (v->groups <= LARGE)
            break;
    }
    return true;
}

PxStatus px_cloth_levels_build(PxClothSystem *s)
{
    Graph g = {.nodes = 0};
    uint32_t *group = malloc((8 * (size_t)s->pattern.slices + 1) * sizeof *group);
    s->pattern.levels = 0;
    bool room = build(s, &g, group);
    graph_free(&g);
    free(group);
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "cloth: no room for groups of %u vertices", s->vertices);
}

/* ---- in a solve ------------------------------------------------------------------------------ */

PxStatus px_cloth_coarse_begin(PxClothStep *s)
{
    const PxClothPattern *p = &s->system->pattern;
    PxClothRows *rows = &s->rows;
    rows->levels = 0;
    rows->left = PX_ARENA_ARRAY(s->scratch, float, 32 * ((size_t)p->slices + 1));
    bool room = rows->left != NULL;
    for (uint32_t l = 0; l < p->levels; ++l) {
        PxClothGroups *g = &rows->group[l];
        size_t n = (size_t)p->level[l].groups + 8;
        g->own = PX_ARENA_ARRAY(s->scratch, float, 6 * n);
        g->stiff = PX_ARENA_ARRAY(s->scratch, float, 6 * n);
        g->inverse = PX_ARENA_ARRAY(s->scratch, float, 6 * n);
        g->r = PX_ARENA_ARRAY(s->scratch, float, 4 * n);
        g->z = PX_ARENA_ARRAY(s->scratch, float, 4 * n);
        room = room && g->own != NULL && g->stiff != NULL && g->inverse != NULL && g->r != NULL &&
               g->z != NULL;
    }
    return room ? PX_OK
                : px_fail(PX_ERR_MEMORY, "cloth: no room for groups of %u vertices",
                          s->system->vertices);
}

void px_cloth_coarse_decide(PxClothStep *s)
{
    const PxClothPattern *p = &s->system->pattern;
    double own = 0, stiff = 0;
    for (uint32_t k = 0; k * PX_CLOTH_SLICES < p->slices; ++k) {
        own += s->rows.partial[2 * k];
        stiff += s->rows.partial[2 * k + 1];
    }
    s->rows.levels = stiff > PAYS * own ? p->levels : 0;
}

typedef struct Job {
    PxClothStep *s;
    uint32_t level;
} Job;

static void invert(const PxClothGroups *g, uint32_t k)
{
    double sum[6];
    float out[48] = {0};
    for (int c = 0; c < 6; ++c)
        sum[c] = (double)g->own[6 * k + (uint32_t)c] + (double)g->stiff[6 * k + (uint32_t)c];
    if (sum[0] + sum[3] + sum[5] > 0) /* rows without a vertex have nothing */
        px_cloth_invert(sum, out);
    for (int c = 0; c < 6; ++c)
        g->inverse[6 * k + (uint32_t)c] = out[8 * c];
}

static void set_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxClothRows *rows = &job->s->rows;
    const PxClothLevel *v = &job->s->system->pattern.level[job->level];
    const PxClothGroups *g = &rows->group[job->level], *below = g - 1;
    for (uint32_t k = begin; k < end; ++k) {
        float own[6] = {0}, stiff[6] = {0};
        for (uint32_t n = v->first[k]; n < v->first[k + 1]; ++n) {
            uint32_t i = v->node[n];
            float share = v->share[n], jump = v->jump[n];
            if (job->level > 0) {
                for (uint32_t c = 0; c < 6; ++c) {
                    own[c] += share * below->own[6 * i + c];
                    stiff[c] += jump * below->stiff[6 * i + c];
                }
                continue;
            }
            size_t at = 48 * (size_t)(i / 8) + i % 8;
            if (!(rows->hold[32 * (size_t)(i / 8) + i % 8] > 0)) /* it stays, the group does not */
                jump = share * share;
            for (uint32_t c = 0; c < 6; ++c) {
                own[c] += share * rows->own[at + 8 * c];
                stiff[c] += jump * (rows->diagonal[at + 8 * c] - rows->own[at + 8 * c]);
                if (rows->touched)
                    own[c] += share * rows->pressed[at + 8 * c];
            }
        }
        memcpy(g->own + 6 * (size_t)k, own, sizeof own);
        memcpy(g->stiff + 6 * (size_t)k, stiff, sizeof stiff);
        invert(g, k);
    }
}

void px_cloth_coarse_set(PxClothStep *s)
{
    for (uint32_t l = 0; l < s->rows.levels; ++l)
        px_parallel_for(s->threads, s->system->pattern.level[l].groups, BLOCK, set_block,
                        &(Job){s, l});
}

/* Sums of residuals, and what they alone would change. */
static void restrict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxClothRows *rows = &job->s->rows;
    const PxClothLevel *v = &job->s->system->pattern.level[job->level];
    const PxClothGroups *g = &rows->group[job->level];
    const float *from = job->level > 0 ? g[-1].r : rows->left;
    for (uint32_t k = begin; k < end; ++k) {
        PxF4 r = px_f4(0.0f);
        for (uint32_t n = v->first[k]; n < v->first[k + 1]; ++n)
            r += px_f4(v->share[n]) * px_f4_load(from + 4 * (size_t)v->node[n]);
        px_f4_store(g->r + 4 * (size_t)k, r);
        const float *m = g->inverse + 6 * (size_t)k;
        PxF4 z = {m[0] * r[0] + m[1] * r[1] + m[2] * r[2], m[1] * r[0] + m[3] * r[1] + m[4] * r[2],
                  m[2] * r[0] + m[4] * r[1] + m[5] * r[2], 0.0f};
        px_f4_store(g->z + 4 * (size_t)k, z);
    }
}

static void prolong(const PxClothStep *s, uint32_t level)
{
    const PxClothLevel *v = &s->system->pattern.level[level];
    float *z = s->rows.group[level - 1].z;
    for (uint32_t i = 0; i < v[-1].groups; ++i) {
        PxF4 sum = px_f4_load(z + 4 * (size_t)i);
        for (uint32_t k = 0; k < SHARES; ++k)
            sum += px_f4(v->part[place(i, k)]) *
                   px_f4_load(s->rows.group[level].z + 4 * (size_t)v->group[place(i, k)]);
        px_f4_store(z + 4 * (size_t)i, sum);
    }
}

void px_cloth_coarse_apply(PxClothStep *s)
{
    for (uint32_t l = 0; l < s->rows.levels; ++l)
        px_parallel_for(s->threads, s->system->pattern.level[l].groups, BLOCK, restrict_block,
                        &(Job){s, l});
    for (uint32_t l = s->rows.levels; l > 1; --l)
        prolong(s, l - 1);
}
