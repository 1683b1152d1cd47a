#include "spatial/kdtree.h"

#include "spatial/scan.h"

#include <math.h>
#include <string.h>

/* Largest number of points in a leaf. Tuned on a million points of a jittered lattice
 * with 30 neighbours each: scanning a leaf is cheap, finding the next one is not. */
#define BUCKET 32u

/* Depth limit. A split halves one side of a cell, and each of the three sides can be
 * halved about 280 times from the largest float (2^128) to the smallest (2^-149). So
 * no input reaches the limit; if one did, it would only get a large leaf. */
#define MOST_DEPTH 860u

/* Nodes are stored in depth-first order, left child first. A node is followed by its
 * left child; its whole subtree is followed by node `next`:
 *
 *        0              node  0 1 2 3 4 5 6
 *      1     4          next  7 4 3 4 7 6 7
 *     2 3   5 6
 *
 * so a range query needs no stack: it descends into nodes within the radius and
 * jumps to `next` past the others. A leaf is a node with next = its own number + 1.
 * Its points end where those of the next node begin; a sentinel node ends the last
 * leaf. */
struct PxKdNode {
    float low[3], high[3]; /* bounds of the points below, tight */
    uint32_t next;
    uint32_t begin; /* first of its points */
};

/* A point during the build, kept together so that it moves as one record. */
typedef struct Item {
    float p[3];
    uint32_t index;
} Item;

/* A cell that is still to be split. */
typedef struct Cell {
    uint32_t begin, end; /* its points, in the tree's order */
    uint32_t depth;
    uint32_t side; /* which of the two buffers they are in */
    float low[3], high[3];
} Cell;

void px_kdtree_init(PxKdTree *tree, const PxAllocator *allocator)
{
    *tree = (PxKdTree){.allocator = allocator};
}

static void points_release(PxKdTree *tree)
{
    size_t bytes = tree->point_room * sizeof(float);
    px_release(tree->allocator, tree->x, bytes);
    px_release(tree->allocator, tree->y, bytes);
    px_release(tree->allocator, tree->z, bytes);
    px_release(tree->allocator, tree->index, bytes);
    tree->x = tree->y = tree->z = NULL;
    tree->index = NULL;
    tree->point_room = 0;
}

void px_kdtree_free(PxKdTree *tree)
{
    points_release(tree);
    px_release(tree->allocator, tree->node, tree->node_room * sizeof *tree->node);
    px_kdtree_init(tree, tree->allocator);
}

size_t px_kdtree_bytes(const PxKdTree *tree)
{
    return tree->point_room * (3 * sizeof(float) + sizeof(uint32_t)) +
           tree->node_room * sizeof *tree->node;
}

/* Allocates room for `count` points; the old contents are lost. */
static bool points_reserve(PxKdTree *tree, size_t count)
{
    size_t room = count + PX_SCAN_WIDTH;
    if (room <= tree->point_room)
        return true;
    if (room < tree->point_room + tree->point_room / 2) /* for counts that creep up */
        room = tree->point_room + tree->point_room / 2;
    points_release(tree);
    tree->point_room = room;
    tree->x = px_allocate(tree->allocator, room * sizeof(float));
    tree->y = px_allocate(tree->allocator, room * sizeof(float));
    tree->z = px_allocate(tree->allocator, room * sizeof(float));
    tree->index = px_allocate(tree->allocator, room * sizeof(uint32_t));
    if (tree->x == NULL || tree->y == NULL || tree->z == NULL || tree->index == NULL) {
        points_release(tree);
        return false;
    }
    return true;
}

/* Allocates room for `count` nodes and keeps the existing ones. */
static bool nodes_reserve(PxKdTree *tree, size_t count)
{
    if (count <= tree->node_room)
        return true;
    size_t room = count + tree->node_room;
    PxKdNode *grown = px_allocate(tree->allocator, room * sizeof *grown);
    if (grown == NULL)
        return false;
    if (tree->nodes > 0)
        memcpy(grown, tree->node, tree->nodes * sizeof *grown);
    px_release(tree->allocator, tree->node, tree->node_room * sizeof *grown);
    tree->node = grown;
    tree->node_room = room;
    return true;
}

/* --------------------------------------------------------------- building */

static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

/* A float above `low` and at most `high`, near their middle. */
static float middle(float low, float high)
{
    float m = (float)(0.5 * ((double)low + (double)high));
    return m > low ? m : high;
}

/* Finds axis and plane of a split with points on both sides, and the number of points
 * on the left (below the plane). False if all points coincide.
 *
 * The sliding-midpoint rule splits the longest side in the middle. If all points are
 * on one side, it moves the plane to the first of them, which becomes a leaf of one
 * point. Here the cell is shrunk to the points instead and split again: collinear and
 * coplanar points would otherwise spend most nodes on single points. This is safe
 * because nodes store the bounds of their points, not the planes. */
static bool find_cut(Cell *cell, const Item *item, uint32_t *axis, float *plane, uint32_t *left)
{
    uint32_t count = cell->end - cell->begin;
    for (;;) {
        uint32_t a = 0;
        double longest = 0;
        for (uint32_t k = 0; k < 3; ++k) {
            double length = (double)cell->high[k] - (double)cell->low[k];
            if (length > longest) {
                longest = length;
                a = k;
            }
        }
        if (longest == 0)
            return false;
        float m = middle(cell->low[a], cell->high[a]);
        float low = item[0].p[a], high = low;
        uint32_t below = 0;
        for (uint32_t i = 0; i < count; ++i) {
            float v = item[i].p[a];
            low = lesser(v, low);
            high = greater(v, high);
            below += v < m;
        }
        if (below > 0 && below < count) {
            *axis = a;
            *plane = m;
            *left = below;
            return true;
        }
        cell->low[a] = low; /* at most once an axis: then the cut finds points */
        cell->high[a] = high;
    }
}

/* Stable partition of the points by the plane: within a leaf, indices ascend. */
static void part(const Item *from, uint32_t count, uint32_t axis, float plane, uint32_t left,
                 Item *to)
{
    Item *place[2] = {to + left, to};
    for (uint32_t i = 0; i < count; ++i) {
        bool below = from[i].p[axis] < plane;
        *place[below]++ = from[i];
    }
}

static void make_leaf(PxKdTree *tree, PxKdNode *node, const Item *item, uint32_t count)
{
    for (int k = 0; k < 3; ++k)
        node->low[k] = node->high[k] = item[0].p[k];
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            node->low[k] = lesser(item[i].p[k], node->low[k]);
            node->high[k] = greater(item[i].p[k], node->high[k]);
        }
        size_t place = (size_t)node->begin + i;
        tree->x[place] = item[i].p[0];
        tree->y[place] = item[i].p[1];
        tree->z[place] = item[i].p[2];
        tree->index[place] = item[i].index;
    }
}

/* Bounds and `next` of the inner nodes, computed from the last node to the first, since
 * children are stored after their parents. */
static void join_bounds(PxKdTree *tree)
{
    for (uint32_t i = tree->nodes; i-- > 0;) {
        PxKdNode *node = &tree->node[i];
        if (node->next != 0)
            continue; /* a leaf */
        const PxKdNode *left = node + 1, *right = &tree->node[left->next];
        node->next = right->next;
        for (int k = 0; k < 3; ++k) {
            node->low[k] = lesser(left->low[k], right->low[k]);
            node->high[k] = greater(left->high[k], right->high[k]);
        }
    }
}

/* Splits the points in buffer[0], bounded by `all`, down to leaves. */
static PxStatus grow(PxKdTree *tree, Item *buffer[2], const Cell *all)
{
    Cell stack[MOST_DEPTH + 2];
    uint32_t waiting = 0;
    stack[waiting++] = *all;
    while (waiting > 0) {
        Cell cell = stack[--waiting];
        if (!nodes_reserve(tree, (size_t)tree->nodes + 2)) /* with the closing one */
            return px_fail(PX_ERR_MEMORY, "kd-tree: no room for %u nodes", tree->nodes + 2);
        PxKdNode *node = &tree->node[tree->nodes++];
        node->begin = cell.begin;

        const Item *item = buffer[cell.side] + cell.begin;
        uint32_t count = cell.end - cell.begin, axis = 0, left = 0;
        float plane = 0;
        if (count <= BUCKET || cell.depth == MOST_DEPTH ||
            !find_cut(&cell, item, &axis, &plane, &left)) {
            node->next = tree->nodes;
            make_leaf(tree, node, item, count);
            continue;
        }
        node->next = 0;
        part(item, count, axis, plane, left, buffer[1 - cell.side] + cell.begin);
        cell.side = 1 - cell.side;
        ++cell.depth;
        Cell right = cell;
        right.begin += left;
        right.low[axis] = plane;
        cell.end = right.begin;
        cell.high[axis] = plane;
        stack[waiting++] = right;
        stack[waiting++] = cell; /* the left one comes first */
    }
    tree->node[tree->nodes].begin = tree->count;
    join_bounds(tree);
    return PX_OK;
}

PxStatus px_kdtree_build(PxKdTree *tree, const float *x, const float *y, const float *z,
                         uint32_t count, PxArena *scratch)
{
    tree->count = tree->nodes = 0;
    if (count == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(scratch);
    PxStatus status = PX_OK;
    Item *buffer[2];
    buffer[0] = PX_ARENA_ARRAY(scratch, Item, count);
    buffer[1] = PX_ARENA_ARRAY(scratch, Item, count);
    /* leaves get two thirds full, and there are twice as many nodes */
    if (buffer[0] == NULL || buffer[1] == NULL || !points_reserve(tree, count) ||
        !nodes_reserve(tree, count / (BUCKET / 3) + 2)) {
        status = px_fail(PX_ERR_MEMORY, "kd-tree: no room for %u points", count);
        goto done;
    }
    Cell all = {.end = count, .low = {x[0], y[0], z[0]}, .high = {x[0], y[0], z[0]}};
    for (uint32_t i = 0; i < count; ++i) {
        Item item = {{x[i], y[i], z[i]}, i};
        for (int k = 0; k < 3; ++k) {
            if (!isfinite(item.p[k])) {
                status = px_fail(PX_ERR_ARGUMENT, "kd-tree: point %u is (%g, %g, %g), not finite",
                                 i, (double)x[i], (double)y[i], (double)z[i]);
                goto done;
            }
            all.low[k] = lesser(item.p[k], all.low[k]);
            all.high[k] = greater(item.p[k], all.high[k]);
        }
        buffer[0][i] = item;
    }
    tree->count = count;
    for (uint32_t k = 0; k < PX_SCAN_WIDTH; ++k) { /* read, never used */
        tree->x[(size_t)count + k] = tree->y[(size_t)count + k] = tree->z[(size_t)count + k] = 0;
        tree->index[(size_t)count + k] = 0;
    }
    status = grow(tree, buffer, &all);
done:
    if (status != PX_OK)
        tree->count = tree->nodes = 0;
    px_arena_release(scratch, mark);
    return status;
}

/* ---------------------------------------------------------------- queries */

/* Signed distance of v from the interval [low, high]: 0 inside. */
static inline float beyond(float v, float low, float high)
{
    float nearest = v < low ? low : v;
    nearest = nearest > high ? high : nearest;
    return v - nearest;
}

static inline float squared_distance(const PxKdNode *node, float x, float y, float z)
{
    return px_squared_length(beyond(x, node->low[0], node->high[0]),
                             beyond(y, node->low[1], node->high[1]),
                             beyond(z, node->low[2], node->high[2]));
}

uint32_t px_kdtree_range(const PxKdTree *tree, float x, float y, float z, float h, uint32_t *out,
                         uint32_t most)
{
    if (!(h > 0.0f))
        return 0;
    /* Local copy: the compiler must assume that `out` aliases *tree. */
    const PxScanPoints points = {tree->x, tree->y, tree->z, tree->index};
    const PxKdNode *nodes = tree->node;
    float hh = h * h;
    uint32_t found = 0;
    for (uint32_t n = 0, last = tree->nodes; n < last;) {
        const PxKdNode *node = &nodes[n];
        if (!(squared_distance(node, x, y, z) < hh)) {
            n = node->next;
            continue;
        }
        if (node->next == ++n)
            found =
                px_scan_range(&points, node->begin, node[1].begin, x, y, z, hh, out, most, found);
    }
    return found;
}

/* The k nearest so far, as a heap with the farthest on top. Ties are broken by index,
 * so the result does not depend on the order of insertion. */
typedef struct Nearest {
    uint32_t *index;
    float *squared;
    uint32_t count, most;
} Nearest;

static inline bool worse(float d1, uint32_t i1, float d2, uint32_t i2)
{
    return d1 > d2 || (d1 == d2 && i1 > i2);
}

/* Sifts (d, index) down from `place` in a heap of `count`. */
static void sink(Nearest *heap, uint32_t place, uint32_t count, float d, uint32_t index)
{
    for (;;) {
        size_t child = 2 * (size_t)place + 1;
        if (child >= count)
            break;
        if (child + 1 < count && worse(heap->squared[child + 1], heap->index[child + 1],
                                       heap->squared[child], heap->index[child]))
            ++child;
        if (!worse(heap->squared[child], heap->index[child], d, index))
            break;
        heap->squared[place] = heap->squared[child];
        heap->index[place] = heap->index[child];
        place = (uint32_t)child;
    }
    heap->squared[place] = d;
    heap->index[place] = index;
}

static void offer(Nearest *heap, float d, uint32_t index)
{
    if (heap->count == heap->most) {
        if (worse(heap->squared[0], heap->index[0], d, index))
            sink(heap, 0, heap->count, d, index);
        return;
    }
    uint32_t place = heap->count++;
    while (place > 0) {
        uint32_t parent = (place - 1) / 2;
        if (!worse(d, index, heap->squared[parent], heap->index[parent]))
            break;
        heap->squared[place] = heap->squared[parent];
        heap->index[place] = heap->index[parent];
        place = parent;
    }
    heap->squared[place] = d;
    heap->index[place] = index;
}

/* Heap sort, nearest first. */
static void sort(Nearest *heap)
{
    for (uint32_t last = heap->count; last-- > 1;) {
        float d = heap->squared[last];
        uint32_t index = heap->index[last];
        heap->squared[last] = heap->squared[0];
        heap->index[last] = heap->index[0];
        sink(heap, 0, last, d, index);
    }
}

static void offer_leaf(const PxKdTree *tree, const PxKdNode *node, float x, float y, float z,
                       Nearest *heap)
{
    for (size_t i = node->begin, end = node[1].begin; i < end; i += PX_SCAN_WIDTH) {
        const float *px = tree->x + i, *py = tree->y + i, *pz = tree->z + i;
        float d[PX_SCAN_WIDTH];
        uint32_t count = end - i < PX_SCAN_WIDTH ? (uint32_t)(end - i) : PX_SCAN_WIDTH;
        for (uint32_t k = 0; k < PX_SCAN_WIDTH; ++k)
            d[k] = px_squared_length(px[k] - x, py[k] - y, pz[k] - z);
        for (uint32_t k = 0; k < count; ++k)
            if (heap->count < heap->most || d[k] <= heap->squared[0])
                offer(heap, d[k], tree->index[i + k]);
    }
}

uint32_t px_kdtree_nearest(const PxKdTree *tree, float x, float y, float z, uint32_t k,
                           uint32_t *out, float *squared)
{
    if (k == 0 || tree->count == 0 || isnan(x) || isnan(y) || isnan(z))
        return 0;
    Nearest heap = {.index = out, .squared = squared, .most = k};
    struct {
        uint32_t node;
        float squared;
    } stack[MOST_DEPTH + 1];
    uint32_t waiting = 0;
    stack[waiting].node = 0;
    stack[waiting++].squared = squared_distance(tree->node, x, y, z);
    while (waiting > 0) {
        --waiting;
        uint32_t n = stack[waiting].node;
        float d = stack[waiting].squared;
        /* <=: a cell at the distance of the farthest may hold a point that wins by index. */
        while (heap.count < k || d <= squared[0]) {
            const PxKdNode *node = &tree->node[n];
            if (node->next == n + 1) {
                offer_leaf(tree, node, x, y, z, &heap);
                break;
            }
            uint32_t left = n + 1, right = node[1].next;
            float dl = squared_distance(&tree->node[left], x, y, z);
            float dr = squared_distance(&tree->node[right], x, y, z);
            bool swap = dr < dl;
            stack[waiting].node = swap ? left : right; /* the farther one can wait */
            stack[waiting++].squared = swap ? dl : dr;
            n = swap ? right : left;
            d = swap ? dr : dl;
        }
    }
    sort(&heap);
    return heap.count;
}
