/* Fills a shape with the leaves of a balanced octree (Keiser 2006, section 5.7): cells that
 * may contain surface are split down to the spacing, those inside stay as large as possible.
 *
 * Cells are numbered by Morton code: interleaved bits of x, y, z, x lowest. A cell of level l
 * has an edge of spacing 2^l; the codes of its children are 8 code .. 8 code + 7. Lists of
 * cells and the points are always sorted by code.
 *
 *   1. From the root down, cells of each level are classified as surface, inside or outside.
 *      At level `levels` all cells that are not outside are kept, below it the surface cells.
 *   2. From the finest level up: if a cell is split, all its 26 neighbours of the same size
 *      must exist, so their parents are split as well. Leaves that touch, even at a corner,
 *      then differ by a factor of at most two.
 *   3. Down again: cells that are not split are leaves.
 */
#include "base/parallel.h"
#include "shape/shape_inner.h"

#include <stdlib.h>

/* Cells along an edge of the root: 21 bits of each axis make a code of 63. */
#define MAX_DEPTH 21
/* Largest surface in spacings^2, which bounds memory to a few hundred MB. Also limited for
 * each point allowed: only shells too thin to be filled sensibly exceed that. */
#define MAX_PLACES ((double)(1u << 24))
#define PLACES_PER_POINT 16.0
#define FREE_PLACES ((double)(1u << 16))
/* Half the diagonal of a unit cell: surface further from its centre is not in the cell. */
#define HALF_DIAGONAL 0.8660254037844387
/* As for lattices (fill.c). */
#define ESTIMATE_SLACK 4.0
#define SKIN 1e-9

typedef uint64_t Code;
typedef struct Cells {
    PX_LIST(Code) code;
} Cells;

typedef struct Tree {
    const PxShape *shape;
    PxVec3 low; /* corner of the root, in the shape's own frame */
    double spacing, skin;
    double layer; /* depth below the surface that has the finest cells */
    int depth, levels;
    Cells top;                         /* of level `levels`: all that are not outside */
    Cells split[1 + PX_OCTREE_LEVELS]; /* by level, from 1: those with children */
    PxThreads threads;
} Tree;

/* ---- codes ------------------------------------------------------------------------ */

/* Every third bit of x, from the lowest. */
static uint32_t gather(Code x)
{
    uint32_t out = 0;
    for (int k = 0; k < MAX_DEPTH; ++k)
        out |= (uint32_t)(x >> (3 * k) & 1) << k;
    return out;
}

static Code scatter(uint32_t x)
{
    Code out = 0;
    for (int k = 0; k < MAX_DEPTH; ++k)
        out |= (Code)(x >> k & 1) << (3 * k);
    return out;
}

static double edge_of(const Tree *tree, int level)
{
    return ldexp(tree->spacing, level);
}

static PxVec3 middle_of(const Tree *tree, Code code, int level)
{
    double e = edge_of(tree, level);
    return px_vec(tree->low.x + (gather(code) + 0.5) * e,
                  tree->low.y + (gather(code >> 1) + 0.5) * e,
                  tree->low.z + (gather(code >> 2) + 0.5) * e);
}

static int compare_codes(const void *a, const void *b)
{
    Code x = *(const Code *)a, y = *(const Code *)b;
    return (x > y) - (x < y);
}

static bool has(const Cells *cells, Code code)
{
    return cells->code.count > 0 &&
           bsearch(&code, cells->code.data, cells->code.count, sizeof code, compare_codes) != NULL;
}

static PxStatus no_room(size_t count)
{
    return px_fail(PX_ERR_MEMORY, "octree: no room for %zu cells", count);
}

static PxStatus add(Cells *cells, Code code)
{
    if (!PX_LIST_RESERVE(&cells->code, 1))
        return no_room(cells->code.count);
    cells->code.data[cells->code.count++] = code;
    return PX_OK;
}

/* ---- 1: down from the root ----------------------------------------------------------- */

enum { OUTSIDE, INSIDE, SURFACE };

typedef struct Look {
    const Tree *tree;
    const Code *code;
    uint8_t *what;
    int level;
} Look;

static void look_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Look *look = user;
    const PxShape *shape = look->tree->shape;
    double half = HALF_DIAGONAL * edge_of(look->tree, look->level) * (1 + 1e-12);
    double reach = half + look->tree->layer;
    for (uint32_t k = begin; k < end; ++k) {
        PxVec3 p = middle_of(look->tree, look->code[k], look->level);
        PxMeshSpot spot;
        if (shape->kind != PX_SHAPE_MESH) {
            double d = px_primitive_distance(&shape->primitive, p, NULL);
            look->what[k] = d > half ? OUTSIDE : d < -reach ? INSIDE : SURFACE;
        } else if (px_mesh_tree_closest(shape->tree, p, reach, &spot)) {
            look->what[k] = SURFACE;
        } else {
            look->what[k] = px_mesh_tree_inside(shape->tree, p) ? INSIDE : OUTSIDE;
        }
    }
}

/* Classifies cells of one level: those not outside are added to `there`, those that may
 * contain surface to `surface`; either may be NULL. */
static PxStatus sort_out(const Tree *tree, const Cells *cells, int level, Cells *there,
                         Cells *surface)
{
    size_t count = cells->code.count;
    uint8_t *what = malloc(count + 1);
    if (what == NULL || count > UINT32_MAX) {
        free(what);
        return no_room(count);
    }
    Look look = {tree, cells->code.data, what, level};
    px_parallel_for(&tree->threads, (uint32_t)count, 64, look_block, &look);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < count && status == PX_OK; ++k) {
        if (there != NULL && what[k] != OUTSIDE)
            status = add(there, cells->code.data[k]);
        if (surface != NULL && what[k] == SURFACE && status == PX_OK)
            status = add(surface, cells->code.data[k]);
    }
    free(what);
    return status;
}

static PxStatus children_of(const Cells *parents, Cells *out)
{
    out->code.count = 0;
    if (!PX_LIST_RESERVE(&out->code, 8 * parents->code.count))
        return no_room(8 * parents->code.count);
    for (size_t k = 0; k < parents->code.count; ++k)
        for (Code child = 0; child < 8; ++child)
            out->code.data[out->code.count++] = 8 * parents->code.data[k] + child;
    return PX_OK;
}

static PxStatus go_down(Tree *tree)
{
    Cells next = {0}, there = {0};
    PxStatus status = add(&next, 0); /* the root */
    for (int level = tree->depth; level >= 1 && status == PX_OK; --level) {
        Cells *surface = level <= tree->levels ? &tree->split[level] : NULL;
        Cells *kept = level == tree->levels ? &tree->top : level > tree->levels ? &there : NULL;
        there.code.count = 0;
        status = sort_out(tree, &next, level, kept, surface);
        if (status == PX_OK)
            status = children_of(level <= tree->levels ? surface : kept, &next);
    }
    PX_LIST_FREE(&next.code);
    PX_LIST_FREE(&there.code);
    return status;
}

/* ---- 2: up again ------------------------------------------------------------------------ */

static void sort_unique(Cells *cells)
{
    size_t kept = 0;
    if (cells->code.count == 0)
        return;
    qsort(cells->code.data, cells->code.count, sizeof(Code), compare_codes);
    for (size_t k = 0; k < cells->code.count; ++k)
        if (kept == 0 || cells->code.data[kept - 1] != cells->code.data[k])
            cells->code.data[kept++] = cells->code.data[k];
    cells->code.count = kept;
}

/* A cell and its neighbours have 8 parents: its own, and the 7 that touch its own at the
 * cell's corner. */
static PxStatus split_around(const Tree *tree, Code code, int level, Cells *parents)
{
    Code own = code >> 3;
    int64_t at[3] = {gather(own), gather(own >> 1), gather(own >> 2)};
    int64_t side[3], most = (int64_t)1 << (tree->depth - level - 1);
    for (int c = 0; c < 3; ++c)
        side[c] = code >> c & 1 ? 1 : -1;
    for (int k = 0; k < 8; ++k) {
        int64_t n[3];
        bool in = true;
        for (int c = 0; c < 3; ++c) {
            n[c] = at[c] + (k >> c & 1 ? side[c] : 0);
            in = in && n[c] >= 0 && n[c] < most;
        }
        if (in)
            PX_TRY(add(parents, scatter((uint32_t)n[0]) | scatter((uint32_t)n[1]) << 1 |
                                    scatter((uint32_t)n[2]) << 2));
    }
    return PX_OK;
}

static PxStatus balance(Tree *tree)
{
    for (int level = 1; level < tree->levels; ++level) {
        Cells *parents = &tree->split[level + 1];
        for (size_t k = 0; k < tree->split[level].code.count; ++k)
            PX_TRY(split_around(tree, tree->split[level].code.data[k], level, parents));
        sort_unique(parents);
    }
    return PX_OK;
}

/* ---- 3: the leaves ------------------------------------------------------------------------ */

typedef struct Leaf {
    Code code;
    int level;
} Leaf;

typedef struct Leaves {
    PX_LIST(Leaf) leaf;
} Leaves;

static PxStatus gather_leaves(const Tree *tree, Code code, int level, Leaves *out)
{
    if (level > 0 && has(&tree->split[level], code)) {
        for (Code child = 0; child < 8; ++child)
            PX_TRY(gather_leaves(tree, 8 * code + child, level - 1, out));
        return PX_OK;
    }
    if (!PX_LIST_RESERVE(&out->leaf, 1))
        return no_room(out->leaf.count);
    out->leaf.data[out->leaf.count++] = (Leaf){code, level};
    return PX_OK;
}

typedef struct Keep {
    const Tree *tree;
    Leaf *leaf; /* those that are not to be kept get a level of -1 */
} Keep;

static void keep_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Keep *keep = user;
    const PxShape *shape = keep->tree->shape;
    for (uint32_t k = begin; k < end; ++k) {
        PxVec3 p = middle_of(keep->tree, keep->leaf[k].code, keep->leaf[k].level);
        PxMeshSpot spot;
        bool good = shape->kind != PX_SHAPE_MESH
                        ? px_primitive_distance(&shape->primitive, p, NULL) < -keep->tree->skin
                        : px_mesh_tree_inside(shape->tree, p) &&
                              !px_mesh_tree_closest(shape->tree, p, keep->tree->skin, &spot);
        if (!good)
            keep->leaf[k].level = -1;
    }
}

static PxStatus fail_many(const Tree *tree, size_t most, double estimate)
{
    return px_fail(PX_ERR_MEMORY,
                   "%s: filling it with an octree of %g m and %d levels takes more than the %zu "
                   "points allowed, about %.3g",
                   px_shape_kind_name(tree->shape->kind), tree->spacing, tree->levels, most,
                   estimate);
}

static PxStatus make_points(const Tree *tree, const Leaves *leaves, size_t most, PxCells *out)
{
    const PxShape *shape = tree->shape;
    size_t count = 0;
    for (size_t k = 0; k < leaves->leaf.count; ++k)
        count += leaves->leaf.data[k].level >= 0;
    if (count > most)
        return fail_many(tree, most, (double)count);
    out->position = malloc((count + 1) * sizeof *out->position);
    out->size = malloc((count + 1) * sizeof *out->size);
    if (out->position == NULL || out->size == NULL) {
        px_cells_free(out);
        return no_room(count);
    }
    double cells = 0; /* in finest cells: whole numbers, added exactly */
    for (size_t k = 0; k < leaves->leaf.count; ++k) {
        Leaf leaf = leaves->leaf.data[k];
        if (leaf.level < 0)
            continue;
        out->position[out->count] =
            px_shape_to_world(shape, middle_of(tree, leaf.code, leaf.level));
        out->size[out->count++] = edge_of(tree, leaf.level);
        cells += ldexp(1, 3 * leaf.level);
    }
    double s = tree->spacing;
    out->scale = cells > 0 ? shape->volume / (cells * (s * s * s)) : 1;
    return PX_OK;
}

static PxStatus go_through(Tree *tree, size_t most, PxCells *out)
{
    Leaves leaves = {0};
    PxStatus status = go_down(tree);
    if (status == PX_OK)
        status = balance(tree);
    for (size_t k = 0; k < tree->top.code.count && status == PX_OK; ++k)
        status = gather_leaves(tree, tree->top.code.data[k], tree->levels, &leaves);
    if (status == PX_OK && leaves.leaf.count > UINT32_MAX)
        status = no_room(leaves.leaf.count);
    if (status == PX_OK) {
        Keep keep = {tree, leaves.leaf.data};
        px_parallel_for(&tree->threads, (uint32_t)leaves.leaf.count, 256, keep_block, &keep);
        status = make_points(tree, &leaves, most, out);
    }
    PX_LIST_FREE(&leaves.leaf);
    return status;
}

/* ---- planning -------------------------------------------------------------------------------- */

/* Aligns the finest cells with the shape's own bounds, as the layers of a lattice, and
 * centres the root on them. */
static PxStatus plan(Tree *tree, size_t most)
{
    const PxShape *shape = tree->shape;
    double s = tree->spacing,
           estimate = px_shape_octree_estimate(shape, s, tree->levels, tree->layer);
    PxVec3 low = shape->own_bounds.low, size = px_sub(shape->own_bounds.high, low);
    double places = shape->area / (s * s);
    double most_places = fmin(MAX_PLACES, FREE_PLACES + PLACES_PER_POINT * (double)most);
    double count[3] = {fmax(1, floor(size.x / s + 0.5)), fmax(1, floor(size.y / s + 0.5)),
                       fmax(1, floor(size.z / s + 0.5))};
    double longest = fmax(count[0], fmax(count[1], count[2]));
    /* one more cell on each side, as the surface may exceed the rounded bounds */
    tree->depth = tree->levels;
    while (ldexp(1, tree->depth) < longest + 2)
        if (++tree->depth > MAX_DEPTH)
            break;
    if (!(estimate <= ESTIMATE_SLACK * ((double)most + 64)))
        return fail_many(tree, most, estimate);
    if (!(places <= most_places) || tree->depth > MAX_DEPTH)
        return px_fail(PX_ERR_MEMORY,
                       "%s: filling it with an octree of %g m means a look at %.3g places; "
                       "allowed are %.3g, and %d cells from side to side",
                       px_shape_kind_name(shape->kind), s, places, most_places, 1 << MAX_DEPTH);
    double corner[3];
    for (int c = 0; c < 3; ++c) {
        double middle = c == 0   ? low.x + 0.5 * size.x
                        : c == 1 ? low.y + 0.5 * size.y
                                 : low.z + 0.5 * size.z;
        double spare = floor(0.5 * (ldexp(1, tree->depth) - count[c]));
        corner[c] = middle - (0.5 * count[c] + spare) * s;
    }
    tree->low = px_vec(corner[0], corner[1], corner[2]);
    tree->skin = SKIN * fmin(s, shape->thickness);
    return PX_OK;
}

PxStatus px_shape_octree(const PxShape *shape, double spacing, int levels, double layer,
                         size_t most, PxCells *out)
{
    *out = (PxCells){0};
    if (shape->kind == PX_SHAPE_POINTS)
        return px_fail(PX_ERR_ARGUMENT, "octree: given particles are not divided");
    if (!(spacing > 0) || !isfinite(spacing))
        return px_fail(PX_ERR_ARGUMENT, "octree: spacing is %g m, must be positive and finite",
                       spacing);
    if (levels < 1 || levels > PX_OCTREE_LEVELS)
        return px_fail(PX_ERR_ARGUMENT, "octree: levels are %d, wanted 1 to %d", levels,
                       PX_OCTREE_LEVELS);
    if (shape->kind == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "octree: a plane has no end and cannot be filled");
    Tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        return px_fail(PX_ERR_MEMORY, "octree: no room");
    tree->shape = shape;
    tree->spacing = spacing;
    tree->levels = levels;
    tree->layer = layer;
    tree->threads = (PxThreads){.count = px_threads_available()};
    PxStatus status = plan(tree, most);
    if (status == PX_OK)
        status = go_through(tree, most, out);
    PX_LIST_FREE(&tree->top.code);
    for (int level = 0; level <= PX_OCTREE_LEVELS; ++level)
        PX_LIST_FREE(&tree->split[level].code);
    free(tree);
    return status;
}

void px_cells_free(PxCells *cells)
{
    free(cells->position);
    free(cells->size);
    *cells = (PxCells){0};
}

/* A cell of edge e is split if its centre is within half a diagonal of the finest layer, so the
 * split cells reach 0.87 e below that on average. The fraction of the volume in that layer
 * is taken from a ball with the shape's ratio of volume to area. */
double px_shape_octree_estimate(const PxShape *shape, double spacing, int levels, double layer)
{
    if (!(spacing > 0))
        return INFINITY;
    double outer = 1, sum = 0;
    for (int level = 0; level <= levels; ++level) {
        double e = ldexp(spacing, level), deep = layer + HALF_DIAGONAL * 2 * e;
        double left = level < levels ? fmax(0, 1 - deep * shape->area / (3 * shape->volume)) : 0;
        double inner = left * left * left;
        sum += (outer - inner) * shape->volume / (e * e * e);
        outer = inner;
    }
    return sum;
}
