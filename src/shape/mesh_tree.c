/* A binary tree split at the median of the triangles' centres, hence at most 31 deep for
 * any mesh. The inside test uses the generalised winding number (Jacobson et al. 2013),
 * which unlike ray crossings is robust where triangles overlap or touch. Far branches
 * are approximated by one dipole (Barill et al. 2018), so a query takes one descent.
 */
#include "shape/mesh_tree.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAF_SIZE 4u
#define STACK_SIZE PX_TREE_STACK /* twice the deepest tree */

/* A branch is far beyond this many of its own radii (Barill et al. 2018 recommend 2). */
#define FAR_RADII 2.0

/* An approximate winding number further than this from an integer is recomputed from
 * all triangles. */
#define WINDING_DOUBT 0.25

/* Factor by which px_mesh_tree_clearance() may underestimate the distance: at the centre
 * of a ball all triangles are almost equally near, and finding the nearest one takes ten
 * times as long as finding one that is slightly further. */
#define CLEARANCE_SLACK 1.5

typedef PxTreeNode Node;

/* Far-field approximation of a branch. */
typedef struct Dipole {
    PxVec3 middle; /* of the triangles, weighed by area */
    PxVec3 area;   /* sum of area times normal, m^2 */
    double far2;   /* squared distance beyond which it is valid */
} Dipole;

typedef struct Triangle {
    PxVec3 a, b, c;
} Triangle;

struct PxMeshTree {
    Node *node;
    Dipole *dipole;
    Triangle *triangle; /* in the order of the leaves */
    uint32_t *number;   /* of each in the mesh */
    uint32_t count, nodes;
    bool closed_looking; /* winding numbers should be integers */
    uint8_t *side;       /* of cells of its bounds, a Side; NULL: none is known */
    uint32_t cells[3];
    double per_cell[3]; /* 1/m */
};

/* Cells without surface have one winding number, and so have cells that touch each other. */
typedef enum Side { SURFACE, OUTSIDE, INSIDE, NOT_YET } Side;

/* ---- building ---- */

typedef struct Builder {
    const PxMesh *mesh;
    const PxVec3 *middle; /* by number in the mesh */
    uint32_t *order;
} Builder;

static double along(PxVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* A total order: ties are broken by number, so the tree is deterministic. */
static bool before(const Builder *b, int axis, uint32_t s, uint32_t t)
{
    double x = along(b->middle[s], axis), y = along(b->middle[t], axis);
    return x < y || (x == y && s < t);
}

/* Quickselect: afterwards order[begin .. nth) come before order[nth .. end). */
static void split(Builder *b, int axis, uint32_t begin, uint32_t nth, uint32_t end)
{
    while (end - begin > 1) {
        uint32_t pivot = b->order[begin + px_mix(end + ((uint64_t)begin << 32)) % (end - begin)];
        uint32_t i = begin, j = end - 1;
        for (;;) {
            while (before(b, axis, b->order[i], pivot))
                ++i;
            while (before(b, axis, pivot, b->order[j]))
                --j;
            if (i >= j)
                break;
            uint32_t t = b->order[i];
            b->order[i] = b->order[j];
            b->order[j] = t;
            /* Neither end can pass the pivot, which is somewhere between. */
            i += b->order[i] != pivot;
            j -= b->order[j] != pivot;
        }
        /* the pivot is at i == j, in its final place */
        if (i == nth)
            return;
        if (i < nth)
            begin = i + 1;
        else
            end = i;
    }
}

static int longest_axis(PxVec3 size)
{
    if (size.x >= size.y && size.x >= size.z)
        return 0;
    return size.y >= size.z ? 1 : 2;
}

static PxBounds bounds_of(const Builder *b, uint32_t begin, uint32_t end)
{
    PxBounds bounds = px_bounds_empty();
    for (uint32_t k = begin; k < end; ++k)
        for (int corner = 0; corner < 3; ++corner)
            px_bounds_add(&bounds, px_mesh_corner(b->mesh, b->order[k], corner));
    return bounds;
}

/* Triangles in a plane along two axes have no volume: their boxes are compared by half their
 * surface, which vanishes with a factor far below any volume that matters. */
static double volume_of(const PxBounds *b, double thin)
{
    PxVec3 e = px_sub(b->high, b->low);
    return e.x * e.y * e.z + thin * (e.x * e.y + e.y * e.z + e.z * e.x);
}

/* Sorts the range at its median along the axis that the rule chooses. */
static void split_by(Builder *b, PxTreeRule rule, const PxBounds *bounds, const PxBounds *middles,
                     uint32_t begin, uint32_t half, uint32_t end)
{
    PxVec3 extent = px_sub(middles->high, middles->low);
    int best = longest_axis(extent), last = best;
    if (rule != PX_TREE_LONGEST) {
        double least = INFINITY, thin = 1e-6 * px_length(px_sub(bounds->high, bounds->low));
        for (int k = 0; k < 3; ++k) {
            int axis = (longest_axis(extent) + k) % 3; /* a tie goes to the longest */
            split(b, axis, begin, half, end);
            last = axis;
            PxBounds low = bounds_of(b, begin, half), high = bounds_of(b, half, end);
            double u = volume_of(&low, thin), v = volume_of(&high, thin);
            double cost = rule == PX_TREE_SUM ? u + v : fmax(u, v);
            if (cost < least) {
                least = cost;
                best = axis;
            }
        }
        if (last == best)
            return;
    }
    split(b, best, begin, half, end);
}

uint32_t px_tree_build(const PxMesh *mesh, const PxVec3 *middle, uint32_t *order, uint32_t count,
                       PxTreeNode *node)
{
    return px_tree_build_by(mesh, middle, order, count, PX_TREE_LONGEST, node);
}

/* Nodes in depth-first order. */
uint32_t px_tree_build_by(const PxMesh *mesh, const PxVec3 *middle, uint32_t *order, uint32_t count,
                          PxTreeRule rule, PxTreeNode *node)
{
    Builder builder = {mesh, middle, order}, *b = &builder;
    struct Job {
        uint32_t begin, end, parent;
    } stack[STACK_SIZE];
    int top = 0;
    uint32_t nodes = 0;
    stack[top++] = (struct Job){0, count, UINT32_MAX};
    while (top > 0) {
        struct Job job = stack[--top];
        uint32_t begin = job.begin, end = job.end, parent = job.parent, self = nodes++;
        if (parent != UINT32_MAX)
            node[parent].first = self; /* overwritten by the right child, which comes last */
        PxBounds bounds = bounds_of(b, begin, end), middles = px_bounds_empty();
        for (uint32_t k = begin; k < end; ++k)
            px_bounds_add(&middles, b->middle[b->order[k]]);
        node[self] = (Node){bounds, begin, end - begin};
        if (end - begin <= LEAF_SIZE)
            continue;
        node[self].count = 0;
        uint32_t half = begin + (end - begin) / 2;
        split_by(b, rule, &bounds, &middles, begin, half, end);
        stack[top++] = (struct Job){half, end, self};
        stack[top++] = (struct Job){begin, half, self};
    }
    return nodes;
}

/* Runs backwards, as children are stored after their parent. */
static void build_dipoles(PxMeshTree *tree, double *area)
{
    for (uint32_t n = tree->nodes; n-- > 0;) {
        const Node *node = &tree->node[n];
        Dipole *d = &tree->dipole[n];
        PxVec3 moment = px_vec(0, 0, 0);
        *d = (Dipole){{0, 0, 0}, {0, 0, 0}, 0};
        area[n] = 0;
        for (uint32_t k = node->first; k < node->first + node->count; ++k) {
            const Triangle *t = &tree->triangle[k];
            PxVec3 half = px_scale(px_cross(px_sub(t->b, t->a), px_sub(t->c, t->a)), 0.5);
            double size = px_length(half);
            d->area = px_add(d->area, half);
            moment = px_mad(moment, px_add(t->a, px_add(t->b, t->c)), size / 3.0);
            area[n] += size;
        }
        if (node->count == 0) {
            uint32_t child[2] = {n + 1, node->first};
            for (int k = 0; k < 2; ++k) {
                d->area = px_add(d->area, tree->dipole[child[k]].area);
                moment = px_mad(moment, tree->dipole[child[k]].middle, area[child[k]]);
                area[n] += area[child[k]];
            }
        }
        d->middle = px_scale(moment, 1.0 / area[n]);
        /* furthest corner of the box: a little more than the furthest triangle */
        PxVec3 reach =
            px_vec(fmax(node->bounds.high.x - d->middle.x, d->middle.x - node->bounds.low.x),
                   fmax(node->bounds.high.y - d->middle.y, d->middle.y - node->bounds.low.y),
                   fmax(node->bounds.high.z - d->middle.z, d->middle.z - node->bounds.low.z));
        d->far2 = FAR_RADII * FAR_RADII * px_dot(reach, reach);
    }
}

/* ---- sides of cells ---- */

static uint32_t cell_of(const PxMeshTree *tree, int axis, double x)
{
    double at = (x - along(tree->node[0].bounds.low, axis)) * tree->per_cell[axis];
    return at > 0 ? (uint32_t)fmin(at, tree->cells[axis] - 1.0) : 0;
}

static PxVec3 cell_middle(const PxMeshTree *tree, const uint32_t c[3])
{
    return px_add(tree->node[0].bounds.low,
                  px_vec((c[0] + 0.5) / tree->per_cell[0], (c[1] + 0.5) / tree->per_cell[1],
                         (c[2] + 0.5) / tree->per_cell[2]));
}

/* Marks the cells that a triangle may touch: those within its bounds that its plane cuts. */
static void mark_surface(PxMeshTree *tree, const Triangle *t)
{
    PxBounds b = px_bounds_empty();
    px_bounds_add(&b, t->a);
    px_bounds_add(&b, t->b);
    px_bounds_add(&b, t->c);
    PxVec3 n = px_normalized(px_cross(px_sub(t->b, t->a), px_sub(t->c, t->a)), px_vec(0, 0, 0));
    uint32_t low[3], high[3], c[3];
    double reach = 0;
    for (int k = 0; k < 3; ++k) {
        double hair = 1e-6 / tree->per_cell[k];
        low[k] = cell_of(tree, k, along(b.low, k) - hair);
        high[k] = cell_of(tree, k, along(b.high, k) + hair);
        reach += (0.5 + 1e-6) * fabs(along(n, k)) / tree->per_cell[k];
    }
    for (c[2] = low[2]; c[2] <= high[2]; ++c[2])
        for (c[1] = low[1]; c[1] <= high[1]; ++c[1])
            for (c[0] = low[0]; c[0] <= high[0]; ++c[0])
                if (!(fabs(px_dot(n, px_sub(cell_middle(tree, c), t->a))) > reach))
                    tree->side[(c[2] * tree->cells[1] + c[1]) * tree->cells[0] + c[0]] = SURFACE;
}

/* Gives a cell and all that it is connected to the side of its middle. `stack` has room for all
 * cells. */
static void flood(PxMeshTree *tree, uint32_t first, uint32_t *stack)
{
    const uint32_t *n = tree->cells, step[3] = {1, n[0], n[0] * n[1]};
    uint32_t top = 0, c[3] = {first % n[0], first / n[0] % n[1], first / (n[0] * n[1])};
    Side side = px_mesh_tree_winding(tree, cell_middle(tree, c)) > 0.5 ? INSIDE : OUTSIDE;
    tree->side[first] = (uint8_t)side;
    stack[top++] = first;
    while (top > 0) {
        uint32_t cell = stack[--top];
        for (int k = 0; k < 3; ++k) {
            uint32_t at = cell / step[k] % n[k];
            const uint32_t next[2] = {at > 0 ? cell - step[k] : cell,
                                      at + 1 < n[k] ? cell + step[k] : cell};
            for (int m = 0; m < 2; ++m)
                if (tree->side[next[m]] == NOT_YET) {
                    tree->side[next[m]] = (uint8_t)side;
                    stack[top++] = next[m];
                }
        }
    }
}

/* Winding numbers cost most where there is no surface near, as in the hole of a ring. So the bounds
 * are divided into cells, about 16 a triangle, and those without surface know their side. Returns
 * false if there is no room. */
static bool find_sides(PxMeshTree *tree)
{
    const PxBounds *b = &tree->node[0].bounds;
    PxVec3 size = px_sub(b->high, b->low);
    double least = 1e-3 * fmax(size.x, fmax(size.y, size.z));
    double wanted = fmin(fmax(16.0 * tree->count, 4096), 262144), total = 1;
    double edge = cbrt(fmax(size.x, least) * fmax(size.y, least) * fmax(size.z, least) / wanted);
    for (int k = 0; k < 3; ++k) {
        double length = fmax(along(size, k), least);
        tree->cells[k] = (uint32_t)fmin(fmax(ceil(length / edge), 1), 1024);
        tree->per_cell[k] = tree->cells[k] / length;
        total *= tree->cells[k];
    }
    size_t cells = (size_t)total;
    uint32_t *stack = malloc(cells * sizeof *stack);
    tree->side = malloc(cells);
    if (stack == NULL || tree->side == NULL) {
        free(stack);
        return false;
    }
    memset(tree->side, NOT_YET, cells);
    for (uint32_t k = 0; k < tree->count; ++k)
        mark_surface(tree, &tree->triangle[k]);
    for (uint32_t k = 0; k < cells; ++k)
        if (tree->side[k] == NOT_YET)
            flood(tree, k, stack);
    free(stack);
    return true;
}

PxStatus px_mesh_tree_create(const PxMesh *mesh, PxMeshTree **out)
{
    *out = NULL;
    PxStatus status = PX_ERR_MEMORY;
    PxMeshTree *tree = calloc(1, sizeof *tree);
    uint32_t triangles = mesh->triangle_count;
    PxVec3 *middle = malloc(triangles * sizeof *middle);
    uint32_t *order = malloc(triangles * sizeof *order);
    double *area = NULL;
    if (tree == NULL || middle == NULL || order == NULL)
        goto done;
    uint32_t count = 0;
    for (uint32_t t = 0; t < triangles; ++t) {
        PxVec3 a = px_mesh_corner(mesh, t, 0), b = px_mesh_corner(mesh, t, 1);
        PxVec3 c = px_mesh_corner(mesh, t, 2);
        if (px_mesh_triangle_is_flat(a, b, c))
            continue;
        middle[t] = px_scale(px_add(a, px_add(b, c)), 1.0 / 3.0);
        order[count++] = t;
    }
    if (count == 0) {
        status = px_fail(PX_ERR_ARGUMENT, "mesh: none of the %u triangles has an area", triangles);
        goto done;
    }
    tree->count = count;
    tree->node = malloc(2 * (size_t)count * sizeof *tree->node);
    if (tree->node == NULL)
        goto done;
    tree->nodes = px_tree_build(mesh, middle, order, count, tree->node);
    tree->dipole = malloc(tree->nodes * sizeof *tree->dipole);
    tree->triangle = malloc(count * sizeof *tree->triangle);
    area = malloc(tree->nodes * sizeof *area);
    if (tree->dipole == NULL || tree->triangle == NULL || area == NULL)
        goto done;
    for (uint32_t k = 0; k < count; ++k)
        tree->triangle[k] =
            (Triangle){px_mesh_corner(mesh, order[k], 0), px_mesh_corner(mesh, order[k], 1),
                       px_mesh_corner(mesh, order[k], 2)};
    tree->number = order;
    order = NULL;
    build_dipoles(tree, area);
    /* The area vectors of a closed mesh add up to 0. */
    tree->closed_looking = px_length(tree->dipole[0].area) <= 1e-9 * area[0];
    if (tree->closed_looking && !find_sides(tree))
        goto done;
    *out = tree;
    status = PX_OK;
done:
    if (status == PX_ERR_MEMORY)
        px_fail(status, "mesh: no room for a tree over %u triangles", triangles);
    if (status != PX_OK)
        px_mesh_tree_free(tree);
    free(area);
    free(middle);
    free(order);
    return status;
}

void px_mesh_tree_free(PxMeshTree *tree)
{
    if (tree == NULL)
        return;
    free(tree->node);
    free(tree->dipole);
    free(tree->triangle);
    free(tree->number);
    free(tree->side);
    free(tree);
}

/* ---- nearest point ---- */

/* By the region of the plane that p projects into (Ericson 2005, section 5.1.5). */
PxVec3 px_triangle_closest_part(PxVec3 p, PxVec3 a, PxVec3 b, PxVec3 c, int *part)
{
    PxVec3 ab = px_sub(b, a), ac = px_sub(c, a), ap = px_sub(p, a);
    double d1 = px_dot(ab, ap), d2 = px_dot(ac, ap);
    *part = PX_PART_CORNER;
    if (d1 <= 0 && d2 <= 0)
        return a;
    PxVec3 bp = px_sub(p, b);
    double d3 = px_dot(ab, bp), d4 = px_dot(ac, bp);
    *part = PX_PART_CORNER + 1;
    if (d3 >= 0 && d4 <= d3)
        return b;
    double vc = d1 * d4 - d3 * d2;
    *part = PX_PART_EDGE;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return px_mad(a, ab, d1 / (d1 - d3));
    PxVec3 cp = px_sub(p, c);
    double d5 = px_dot(ab, cp), d6 = px_dot(ac, cp);
    *part = PX_PART_CORNER + 2;
    if (d6 >= 0 && d5 <= d6)
        return c;
    double vb = d5 * d2 - d1 * d6;
    *part = PX_PART_EDGE + 2;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return px_mad(a, ac, d2 / (d2 - d6));
    double va = d3 * d6 - d5 * d4;
    *part = PX_PART_EDGE + 1;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return px_mad(b, px_sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    *part = PX_PART_FACE;
    double scale = 1.0 / (va + vb + vc);
    return px_mad(px_mad(a, ab, vb * scale), ac, vc * scale);
}

PxVec3 px_triangle_closest(PxVec3 p, PxVec3 a, PxVec3 b, PxVec3 c, bool *in_face)
{
    int part;
    PxVec3 q = px_triangle_closest_part(p, a, b, c, &part);
    if (in_face != NULL)
        *in_face = part == PX_PART_FACE;
    return q;
}

/* Without fmax(), which is a function call: this dominates the cost of a search. */
static double outside(double low, double high, double x)
{
    double below = low - x, above = x - high;
    double d = below > above ? below : above;
    return d > 0 ? d : 0;
}

static double box_distance2(const PxBounds *box, PxVec3 p)
{
    double x = outside(box->low.x, box->high.x, p.x);
    double y = outside(box->low.y, box->high.y, p.y);
    double z = outside(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

static void spot_finish(const PxMeshTree *tree, uint32_t leaf_triangle, PxMeshSpot *out)
{
    const Triangle *t = &tree->triangle[leaf_triangle];
    out->triangle = tree->number[leaf_triangle];
    out->face = px_normalized(px_cross(px_sub(t->b, t->a), px_sub(t->c, t->a)), px_vec(0, 1, 0));
}

/* Triangles whose squared distances differ by less than this part of them share the nearest point,
 * if the distance is more than NEAR_ROUNDING of the coordinates: below, rounding is as large. */
#define TIE 1e-9
#define NEAR_ROUNDING 1e-6

/* A plane through the nearest point has a side if the query is this part of the distance off it. */
#define CLEARLY 1e-3

/* Triangles that share the nearest point. */
typedef struct Sides {
    uint32_t before, behind, neither;
} Sides;

static void add_side(Sides *sides, const Triangle *t, PxVec3 apart, double d2)
{
    PxVec3 normal = px_cross(px_sub(t->b, t->a), px_sub(t->c, t->a));
    double height = px_dot(apart, normal);
    bool clear = height * height > CLEARLY * CLEARLY * d2 * px_dot(normal, normal);
    sides->before += clear && height > 0;
    sides->behind += clear && height < 0;
    sides->neither += !clear;
}

/* A point before all planes that meet in an edge or corner is outside, whether the surface is
 * convex there or not. */
static int common_side(const Sides *s, bool in_face, PxVec3 point, double distance)
{
    uint32_t all = s->before + s->behind;
    double size = fabs(point.x) + fabs(point.y) + fabs(point.z);
    if (s->neither > 0 || (s->before > 0 && s->behind > 0) || (!in_face && all < 2) ||
        !(distance > NEAR_ROUNDING * size))
        return 0;
    return s->before > 0 ? 1 : -1;
}

/* The nearest triangle among those nearer than `within`; with `slack` > 1 any whose
 * distance is at most `slack` times the smallest. UINT32_MAX if there is none. */
static uint32_t search(const PxMeshTree *tree, PxVec3 point, double within, double slack,
                       PxMeshSpot *out)
{
    struct {
        uint32_t node;
        double distance2;
    } stack[STACK_SIZE];
    double best2 = within * within, slack2 = slack * slack, tie = 1 + (slack > 1 ? 0 : TIE);
    Sides sides = {0, 0, 0};
    uint32_t best = UINT32_MAX;
    int top = 0;
    stack[top].node = 0;
    stack[top++].distance2 = box_distance2(&tree->node[0].bounds, point);
    while (top > 0) {
        --top;
        if (!(stack[top].distance2 * slack2 < tie * best2))
            continue;
        uint32_t n = stack[top].node;
        const Node *node = &tree->node[n];
        for (uint32_t k = node->first; k < node->first + node->count; ++k) {
            const Triangle *t = &tree->triangle[k];
            bool in_face;
            PxVec3 q = px_triangle_closest(point, t->a, t->b, t->c, &in_face);
            PxVec3 apart = px_sub(point, q);
            double d2 = px_dot(apart, apart);
            if (!(d2 < tie * best2))
                continue;
            if (d2 * tie < best2)
                sides = (Sides){0, 0, 0};
            add_side(&sides, t, apart, d2);
            if (d2 < best2) {
                best2 = d2;
                best = k;
                out->point = q;
                out->in_face = in_face;
            }
        }
        if (node->count > 0)
            continue;
        uint32_t near = n + 1, far = node->first;
        double near2 = box_distance2(&tree->node[near].bounds, point);
        double far2 = box_distance2(&tree->node[far].bounds, point);
        if (far2 < near2) {
            uint32_t child = near;
            near = far;
            far = child;
            double d = near2;
            near2 = far2;
            far2 = d;
        }
        stack[top].node = far;
        stack[top++].distance2 = far2;
        stack[top].node = near;
        stack[top++].distance2 = near2;
    }
    out->distance = sqrt(best2);
    out->side = best != UINT32_MAX ? common_side(&sides, out->in_face, point, out->distance) : 0;
    return best;
}

bool px_mesh_tree_closest(const PxMeshTree *tree, PxVec3 point, double within, PxMeshSpot *out)
{
    uint32_t best = search(tree, point, within, 1, out);
    if (best == UINT32_MAX)
        return false;
    spot_finish(tree, best, out);
    return true;
}

double px_mesh_tree_clearance(const PxMeshTree *tree, PxVec3 point, double within)
{
    PxMeshSpot spot;
    search(tree, point, within, CLEARANCE_SLACK, &spot);
    return spot.distance / CLEARANCE_SLACK;
}

/* ---- winding number ---- */

/* Half the solid angle of the triangle seen from p, signed (Van Oosterom and
 * Strackee 1983, eq. 8). */
static double half_angle(const Triangle *t, PxVec3 p)
{
    PxVec3 a = px_sub(t->a, p), b = px_sub(t->b, p), c = px_sub(t->c, p);
    double la = px_length(a), lb = px_length(b), lc = px_length(c);
    double volume = px_dot(a, px_cross(b, c));
    double rest = la * lb * lc + px_dot(a, b) * lc + px_dot(b, c) * la + px_dot(c, a) * lb;
    return volume == 0 ? 0 : atan2(volume, rest); /* 0 in the plane of the triangle */
}

double px_mesh_tree_winding_exact(const PxMeshTree *tree, PxVec3 point)
{
    double half = 0;
    for (uint32_t k = 0; k < tree->count; ++k)
        half += half_angle(&tree->triangle[k], point);
    return half / (2.0 * M_PI);
}

double px_mesh_tree_winding(const PxMeshTree *tree, PxVec3 point)
{
    uint32_t stack[STACK_SIZE];
    int top = 0;
    double half = 0, dipoles = 0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t n = stack[--top];
        const Dipole *d = &tree->dipole[n];
        PxVec3 apart = px_sub(d->middle, point);
        double apart2 = px_dot(apart, apart);
        if (apart2 > d->far2) {
            dipoles += px_dot(d->area, apart) / (apart2 * sqrt(apart2));
            continue;
        }
        const Node *node = &tree->node[n];
        for (uint32_t k = node->first; k < node->first + node->count; ++k)
            half += half_angle(&tree->triangle[k], point);
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = n + 1;
        }
    }
    double winding = half / (2.0 * M_PI) + dipoles / (4.0 * M_PI);
    if (tree->closed_looking && fabs(winding - nearbyint(winding)) > WINDING_DOUBT)
        return px_mesh_tree_winding_exact(tree, point);
    return winding;
}

static bool in_bounds(const PxMeshTree *tree, PxVec3 point)
{
    const PxBounds *box = &tree->node[0].bounds;
    return point.x >= box->low.x && point.x <= box->high.x && point.y >= box->low.y &&
           point.y <= box->high.y && point.z >= box->low.z && point.z <= box->high.z;
}

/* The side of the cell of a point; SURFACE: it is not known. */
static Side side_of(const PxMeshTree *tree, PxVec3 point)
{
    if (!in_bounds(tree, point))
        return OUTSIDE;
    if (tree->side == NULL)
        return SURFACE;
    size_t cell = cell_of(tree, 2, point.z);
    cell = cell * tree->cells[1] + cell_of(tree, 1, point.y);
    cell = cell * tree->cells[0] + cell_of(tree, 0, point.x);
    return (Side)tree->side[cell];
}

bool px_mesh_tree_surely_outside(const PxMeshTree *tree, PxVec3 point)
{
    return side_of(tree, point) == OUTSIDE;
}

bool px_mesh_tree_inside(const PxMeshTree *tree, PxVec3 point)
{
    Side side = side_of(tree, point);
    return side == SURFACE ? px_mesh_tree_winding(tree, point) > 0.5 : side == INSIDE;
}

bool px_mesh_tree_inside_from(const PxMeshTree *tree, PxVec3 point, const PxMeshSpot *nearest)
{
    /* the ball around the point that touches the surface has one side */
    PxVec3 away = px_sub(point, nearest->point);
    Side side = side_of(tree, point);
    if (side == SURFACE)
        side = side_of(tree, px_mad(point, away, 0.99));
    return side == SURFACE ? px_mesh_tree_winding(tree, point) > 0.5 : side == INSIDE;
}

/* ---- rays ---- */

/* A ray, prepared for many boxes. */
typedef struct Ray {
    PxVec3 o, d, inverse; /* 1 / d; not used where d is 0 */
    PxBounds box;         /* of the part that may be hit */
} Ray;

static Ray ray_make(PxVec3 o, PxVec3 d, double from, double to)
{
    Ray ray = {.o = o, .d = d, .inverse = {1 / d.x, 1 / d.y, 1 / d.z}, .box = px_bounds_empty()};
    PxVec3 a = px_mad(o, d, from), b = isfinite(to) ? px_mad(o, d, to) : a;
    px_bounds_add(&ray.box, a);
    px_bounds_add(&ray.box, b);
    if (!isfinite(to))
        ray.box = (PxBounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    double size = fabs(o.x) + fabs(o.y) + fabs(o.z) + px_length(px_sub(b, a));
    PxVec3 more = px_vec(1e-14 * size, 1e-14 * size, 1e-14 * size); /* rounding */
    ray.box.low = px_sub(ray.box.low, more);
    ray.box.high = px_add(ray.box.high, more);
    return ray;
}

/* Clips [*in, *out] to where the ray is between low and high of one axis, enlarged by
 * the rounding error, so that no hit inside a box is missed. */
static void slab(double low, double high, double o, double d, double inverse, double *in,
                 double *out)
{
    if (d == 0) {
        if (!(low <= o && o <= high))
            *out = -INFINITY;
        return;
    }
    double a = (low - o) * inverse, b = (high - o) * inverse;
    double first = a < b ? a : b, last = a < b ? b : a; /* fmin() is a call */
    first -= 1e-14 * fabs(first);
    last += 1e-14 * fabs(last);
    *in = *in > first ? *in : first;
    *out = *out < last ? *out : last;
}

static bool box_meets(const PxBounds *box, const Ray *ray, double from, double to, double *enter)
{
    const PxBounds *own = &ray->box;
    if (box->low.x > own->high.x || box->high.x < own->low.x || box->low.y > own->high.y ||
        box->high.y < own->low.y || box->low.z > own->high.z || box->high.z < own->low.z)
        return false; /* most boxes, for short rays */
    double in = from, out = to;
    slab(box->low.x, box->high.x, ray->o.x, ray->d.x, ray->inverse.x, &in, &out);
    slab(box->low.y, box->high.y, ray->o.y, ray->d.y, ray->inverse.y, &in, &out);
    slab(box->low.z, box->high.z, ray->o.z, ray->d.z, ray->inverse.z, &in, &out);
    *enter = in;
    return in <= out;
}

/* Moller and Trumbore 1997; two-sided. */
static bool triangle_meets(const Triangle *t, PxVec3 o, PxVec3 d, double *at)
{
    PxVec3 e1 = px_sub(t->b, t->a), e2 = px_sub(t->c, t->a);
    PxVec3 p = px_cross(d, e2);
    double det = px_dot(e1, p);
    if (det == 0)
        return false;
    PxVec3 s = px_sub(o, t->a);
    double u = px_dot(s, p) / det;
    PxVec3 q = px_cross(s, e1);
    double v = px_dot(d, q) / det;
    if (!(u >= 0 && v >= 0 && u + v <= 1))
        return false;
    *at = px_dot(e2, q) / det;
    return true;
}

bool px_mesh_tree_ray(const PxMeshTree *tree, PxVec3 origin, PxVec3 direction, double from,
                      double to, PxMeshSpot *out)
{
    uint32_t stack[STACK_SIZE];
    int top = 0;
    uint32_t best = UINT32_MAX;
    double enter;
    Ray ray = ray_make(origin, direction, from, to);
    if (box_meets(&tree->node[0].bounds, &ray, from, to, &enter))
        stack[top++] = 0;
    while (top > 0) {
        uint32_t n = stack[--top];
        const Node *node = &tree->node[n];
        for (uint32_t k = node->first; k < node->first + node->count; ++k) {
            double at;
            if (triangle_meets(&tree->triangle[k], origin, direction, &at) && at > from &&
                at < to) {
                to = at;
                best = k;
            }
        }
        if (node->count > 0)
            continue;
        double enter_left = 0, enter_right = 0;
        bool left = box_meets(&tree->node[n + 1].bounds, &ray, from, to, &enter_left);
        bool right = box_meets(&tree->node[node->first].bounds, &ray, from, to, &enter_right);
        bool left_first = !right || (left && enter_left <= enter_right);
        if (left_first && right)
            stack[top++] = node->first;
        if (left)
            stack[top++] = n + 1;
        if (!left_first)
            stack[top++] = node->first;
    }
    if (best == UINT32_MAX)
        return false;
    out->point = px_mad(origin, direction, to);
    spot_finish(tree, best, out);
    out->distance = to;
    out->in_face = true;
    out->side = 0;
    return true;
}

static bool is_same(PxVec3 a, PxVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool share_corner(const Triangle *s, const Triangle *t)
{
    return is_same(s->a, t->a) || is_same(s->a, t->b) || is_same(s->a, t->c) ||
           is_same(s->b, t->a) || is_same(s->b, t->b) || is_same(s->b, t->c) ||
           is_same(s->c, t->a) || is_same(s->c, t->b) || is_same(s->c, t->c);
}

/* Does an edge of `s` go through `t`? */
static bool edges_meet(const Triangle *s, const Triangle *t)
{
    const PxVec3 corner[4] = {s->a, s->b, s->c, s->a};
    for (int k = 0; k < 3; ++k) {
        double at;
        if (triangle_meets(t, corner[k], px_sub(corner[k + 1], corner[k]), &at) && at >= 0 &&
            at <= 1)
            return true;
    }
    return false;
}

bool px_mesh_tree_crossed(const PxMeshTree *tree, PxVec3 a, PxVec3 b, PxVec3 c)
{
    Triangle own = {a, b, c};
    PxBounds box = px_bounds_empty();
    uint32_t stack[STACK_SIZE];
    int top = 0;
    px_bounds_add(&box, a);
    px_bounds_add(&box, b);
    px_bounds_add(&box, c);
    stack[top++] = 0;
    while (top > 0) {
        uint32_t n = stack[--top];
        const Node *node = &tree->node[n];
        const PxBounds *other = &node->bounds;
        if (other->low.x > box.high.x || other->high.x < box.low.x || other->low.y > box.high.y ||
            other->high.y < box.low.y || other->low.z > box.high.z || other->high.z < box.low.z)
            continue;
        for (uint32_t k = node->first; k < node->first + node->count; ++k) {
            const Triangle *t = &tree->triangle[k];
            if (!share_corner(&own, t) && (edges_meet(&own, t) || edges_meet(t, &own)))
                return true;
        }
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = n + 1;
        }
    }
    return false;
}
