#include "contact/sheet_tree.h"

#include <math.h>

/* Floats that are certainly below and above a double. */
static float below(double v)
{
    float f = (float)v;
    return f - (fabsf(f) * 1.2e-7f + 1e-30f);
}

static float above(double v)
{
    float f = (float)v;
    return f + (fabsf(f) * 1.2e-7f + 1e-30f);
}

static PxSheetBox box_of(PxVec3 low, PxVec3 high)
{
    return (PxSheetBox){{below(low.x), below(low.y), below(low.z)},
                        {above(high.x), above(high.y), above(high.z)}};
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

static void join(PxSheetBox *to, const PxSheetBox *a, const PxSheetBox *b)
{
    for (int k = 0; k < 4; ++k) {
        to->low[k] = a->low[k] < b->low[k] ? a->low[k] : b->low[k];
        to->high[k] = a->high[k] > b->high[k] ? a->high[k] : b->high[k];
    }
}

typedef struct Fit {
    const PxClothSystem *system;
    const PxVec3 *from, *to;
    PxSheetBox *corner; /* by vertex: a box of the vertex alone */
    PxSheetBox *box;
} Fit;

static void corner_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fit *j = user;
    for (uint32_t v = begin; v < end; ++v) {
        PxVec3 at = j->from != NULL ? px_sub(j->to[v], j->from[v]) : j->to[v];
        j->corner[v] = box_of(at, at);
    }
}

static void fit_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fit *j = user;
    const PxClothSystem *y = j->system;
    for (uint32_t f = begin; f < end; ++f) {
        const uint32_t *v = y->face[f].corner;
        PxSheetBox box;
        join(&box, &j->corner[v[0]], &j->corner[v[1]]);
        join(&j->box[y->leaf_of[f]], &box, &j->corner[v[2]]);
    }
}

/* Boxes of the vectors to - from of the corners; from NULL: of the positions `to`. */
static PxSheetBox *fit(const PxClothSystem *y, const PxVec3 *from, const PxVec3 *to,
                       PxArena *scratch, const PxThreads *threads)
{
    enum { FACES = 2048, VERTICES = 1024 };
    PxSheetBox *box = PX_ARENA_ARRAY(scratch, PxSheetBox, y->nodes + 1);
    PxArenaMark mark = px_arena_mark(scratch);
    Fit job = {y, from, to, PX_ARENA_ARRAY(scratch, PxSheetBox, y->vertices + 1), box};
    if (box == NULL || job.corner == NULL)
        return NULL;
    px_parallel_for(threads, y->vertices, VERTICES, corner_block, &job);
    px_parallel_for(threads, y->faces, FACES, fit_block, &job);
    px_arena_release(scratch, mark);
    for (uint32_t n = y->nodes; n-- > 0;) /* children come after their parent */
        if (y->node[n].face == UINT32_MAX)
            join(&box[n], &box[n + 1], &box[y->node[n + 1].next]);
    return box;
}

PxStatus px_sheet_tree_fit(PxSheetTree *tree, const PxClothSystem *y, const PxVec3 *x,
                           PxArena *scratch, const PxThreads *threads)
{
    *tree = (PxSheetTree){.system = y, .box = fit(y, NULL, x, scratch, threads)};
    return tree->box != NULL
               ? PX_OK
               : px_fail(PX_ERR_MEMORY, "cloth: no room for boxes of %u triangles", y->faces);
}

PxStatus px_sheet_tree_move(PxSheetTree *tree, const PxVec3 *x, const PxVec3 *to, PxArena *scratch,
                            const PxThreads *threads)
{
    tree->move = fit(tree->system, x, to, scratch, threads);
    return tree->move != NULL ? PX_OK
                              : px_fail(PX_ERR_MEMORY, "cloth: no room for boxes of %u triangles",
                                        tree->system->faces);
}

PxSheetBox px_sheet_box(PxVec3 a, PxVec3 b, double reach)
{
    PxVec3 low = {least(a.x, b.x) - reach, least(a.y, b.y) - reach, least(a.z, b.z) - reach};
    PxVec3 high = {most(a.x, b.x) + reach, most(a.y, b.y) + reach, most(a.z, b.z) + reach};
    return box_of(low, high);
}

uint32_t px_sheet_next_branch(const PxSheetTree *tree, PxSheetWalk *walk)
{
    const PxClothNode *node = tree->system->node;
    uint32_t n = walk->at, nodes = tree->system->nodes;
    const PxSheetBox *q = &walk->box;
    while (n < nodes) {
        bool meets = px_sheet_boxes_meet(&tree->box[n], q);
        uint32_t next = node[n].next, at = n;
        bool small = px_sheet_is_branch(n, next);
        n = meets && !small ? n + 1 : next;
        if (meets && small) {
            walk->at = n;
            return at;
        }
    }
    walk->at = n;
    return UINT32_MAX;
}

uint32_t px_sheet_next(const PxSheetTree *tree, PxSheetWalk *walk)
{
    const PxClothNode *node = tree->system->node;
    uint32_t n = walk->at, nodes = tree->system->nodes;
    const PxSheetBox *q = &walk->box;
    while (n < nodes) {
        bool meets = px_sheet_boxes_meet(&tree->box[n], q);
        uint32_t face = node[n].face;
        n = meets ? n + 1 : node[n].next;
        if (meets && face != UINT32_MAX) {
            walk->at = n;
            return face;
        }
    }
    walk->at = n;
    return UINT32_MAX;
}

PxSheetSweep px_sheet_sweep(PxVec3 from, PxVec3 to, double keep)
{
    PxVec3 way = px_sub(to, from);
    double rounded = 2e-7 * (fabs(from.x) + fabs(from.y) + fabs(from.z) + px_length(way));
    return (PxSheetSweep){
        .place = box_of(from, from), .way = box_of(way, way), .keep = above(keep + rounded)};
}

PxSheetSweep px_sheet_sweep_both(const PxSheetSweep *a, const PxSheetSweep *b)
{
    PxSheetSweep both = {.keep = a->keep > b->keep ? a->keep : b->keep};
    join(&both.place, &a->place, &b->place);
    join(&both.way, &a->way, &b->way);
    return both;
}

uint32_t px_sheet_next_met(const PxSheetTree *tree, PxSheetSweep *s)
{
    const PxClothNode *node = tree->system->node;
    uint32_t n = s->at, nodes = tree->system->nodes;
    while (n < nodes) {
        const PxSheetBox *b = &tree->box[n], *m = &tree->move[n];
        float away = 0, moves = 0;
        for (int k = 0; k < 3; ++k) {
            float under = b->low[k] - s->place.high[k], over = s->place.low[k] - b->high[k];
            float gap = under > over ? under : over;
            float back = s->way.high[k] - m->low[k], on = m->high[k] - s->way.low[k];
            float way = back > on ? back : on; /* never negative */
            gap = gap > 0 ? gap : 0;
            away += gap * gap;
            moves += way * way;
        }
        float reach = 1.00001f * sqrtf(moves) + s->keep;
        bool meets = away <= reach * reach;
        uint32_t face = node[n].face;
        n = meets ? n + 1 : node[n].next;
        if (meets && face != UINT32_MAX) {
            s->at = n;
            return face;
        }
    }
    s->at = n;
    return UINT32_MAX;
}
