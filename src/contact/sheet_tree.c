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

typedef struct Fit {
    const PxClothSystem *system;
    const PxVec3 *from, *to;
    PxSheetBox *box;
} Fit;

/* The vector to - from of a vertex; from NULL: its position `to`. */
static PxVec3 vector_of(const PxVec3 *from, const PxVec3 *to, uint32_t v)
{
    return from != NULL ? px_sub(to[v], from[v]) : to[v];
}

static void fit_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fit *j = user;
    const PxClothBranches *b = &j->system->branch;
    for (uint32_t k = begin; k < end; ++k) {
        PxVec3 low = vector_of(j->from, j->to, b->vertex[b->first[k]]), high = low;
        for (uint32_t n = b->first[k] + 1; n < b->first[k + 1]; ++n) {
            PxVec3 x = vector_of(j->from, j->to, b->vertex[n]);
            low = px_vec(least(low.x, x.x), least(low.y, x.y), least(low.z, x.z));
            high = px_vec(most(high.x, x.x), most(high.y, x.y), most(high.z, x.z));
        }
        j->box[b->upper_of[k]] = box_of(low, high);
    }
}

/* Boxes of branches. */
static PxSheetBox *fit(const PxClothSystem *y, const PxVec3 *from, const PxVec3 *to,
                       PxArena *scratch, const PxThreads *threads)
{
    enum { BRANCHES = 128 };
    PxSheetBox *box = PX_ARENA_ARRAY(scratch, PxSheetBox, y->branch.uppers + 1);
    Fit job = {y, from, to, box};
    if (box != NULL)
        px_parallel_for(threads, y->branch.count, BRANCHES, fit_block, &job);
    return box;
}

static void fit_above(const PxClothSystem *y, PxSheetBox *box)
{
    const PxClothUpper *upper = y->branch.upper;
    for (uint32_t k = y->branch.uppers; k-- > 0;) /* children come after their parent */
        if (upper[k].branch == UINT32_MAX)
            px_sheet_box_join(&box[k], &box[k + 1], &box[upper[k + 1].next]);
}

PxStatus px_sheet_tree_fit(PxSheetTree *tree, const PxClothSystem *y, const PxVec3 *x,
                           PxArena *scratch, const PxThreads *threads)
{
    *tree = (PxSheetTree){.system = y, .x = x, .box = fit(y, NULL, x, scratch, threads)};
    if (tree->box == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for boxes of %u triangles", y->faces);
    fit_above(y, tree->box);
    return PX_OK;
}

PxStatus px_sheet_tree_move(PxSheetTree *tree, const PxVec3 *to, PxArena *scratch,
                            const PxThreads *threads)
{
    tree->to = to;
    tree->move = fit(tree->system, tree->x, to, scratch, threads);
    if (tree->move == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for boxes of %u triangles",
                       tree->system->faces);
    fit_above(tree->system, tree->move);
    return PX_OK;
}

/* Box of a triangle, or of its displacements. */
static PxSheetBox face_box(const PxClothSystem *y, const PxVec3 *from, const PxVec3 *to,
                           uint32_t face)
{
    const uint32_t *c = y->face[face].corner;
    PxVec3 a = vector_of(from, to, c[0]), b = vector_of(from, to, c[1]),
           d = vector_of(from, to, c[2]);
    return box_of(
        px_vec(least(a.x, least(b.x, d.x)), least(a.y, least(b.y, d.y)),
               least(a.z, least(b.z, d.z))),
        px_vec(most(a.x, most(b.x, d.x)), most(a.y, most(b.y, d.y)), most(a.z, most(b.z, d.z))));
}

PxSheetBox px_sheet_box(PxVec3 a, PxVec3 b, double reach)
{
    PxVec3 low = {least(a.x, b.x) - reach, least(a.y, b.y) - reach, least(a.z, b.z) - reach};
    PxVec3 high = {most(a.x, b.x) + reach, most(a.y, b.y) + reach, most(a.z, b.z) + reach};
    return box_of(low, high);
}

uint32_t px_sheet_next_branch(const PxSheetTree *tree, PxSheetWalk *walk)
{
    const PxClothUpper *upper = tree->system->branch.upper;
    uint32_t n = walk->at, end = tree->system->branch.uppers;
    const PxSheetBox *q = &walk->box;
    while (n < end) {
        bool meets = px_sheet_boxes_meet(&tree->box[n], q);
        uint32_t branch = upper[n].branch;
        n = meets ? n + 1 : upper[n].next;
        if (meets && branch != UINT32_MAX) {
            walk->at = n;
            return branch;
        }
    }
    walk->at = n;
    return UINT32_MAX;
}

/* The next triangle of the branch that a walk is in; UINT32_MAX: that was the last. */
static uint32_t next_within(const PxClothSystem *y, uint32_t *node, uint32_t until)
{
    uint32_t face = UINT32_MAX;
    while (*node < until && face == UINT32_MAX)
        face = y->node[(*node)++].face;
    return face;
}

uint32_t px_sheet_next(const PxSheetTree *tree, PxSheetWalk *walk)
{
    const PxClothSystem *y = tree->system;
    for (;;) {
        for (uint32_t face; (face = next_within(y, &walk->node, walk->until)) != UINT32_MAX;) {
            PxSheetBox box = face_box(y, NULL, tree->x, face);
            if (px_sheet_boxes_meet(&box, &walk->box))
                return face;
        }
        uint32_t branch = px_sheet_next_branch(tree, walk);
        if (branch == UINT32_MAX)
            return UINT32_MAX;
        walk->node = y->branch.node[branch];
        walk->until = y->node[walk->node].next;
    }
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
    px_sheet_box_join(&both.place, &a->place, &b->place);
    px_sheet_box_join(&both.way, &a->way, &b->way);
    return both;
}

/* May the points of a sweep come as near to what is in a box b and moves by m? */
static bool may_meet(const PxSheetSweep *s, const PxSheetBox *b, const PxSheetBox *m)
{
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
    return away <= reach * reach;
}

static uint32_t next_branch_met(const PxSheetTree *tree, PxSheetSweep *s)
{
    const PxClothUpper *upper = tree->system->branch.upper;
    while (s->at < tree->system->branch.uppers) {
        uint32_t n = s->at;
        bool meets = may_meet(s, &tree->box[n], &tree->move[n]);
        s->at = meets ? n + 1 : upper[n].next;
        if (meets && upper[n].branch != UINT32_MAX)
            return upper[n].branch;
    }
    return UINT32_MAX;
}

uint32_t px_sheet_next_met(const PxSheetTree *tree, PxSheetSweep *s)
{
    const PxClothSystem *y = tree->system;
    for (;;) {
        for (uint32_t face; (face = next_within(y, &s->node, s->until)) != UINT32_MAX;) {
            PxSheetBox box = face_box(y, NULL, tree->x, face);
            PxSheetBox move = face_box(y, tree->x, tree->to, face);
            if (may_meet(s, &box, &move))
                return face;
        }
        uint32_t branch = next_branch_met(tree, s);
        if (branch == UINT32_MAX)
            return UINT32_MAX;
        s->node = y->branch.node[branch];
        s->until = y->node[s->node].next;
    }
}
