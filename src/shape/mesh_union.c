#include "shape/mesh_union.h"

#include "base/memory.h"
#include "shape/mesh_check.h"

#include <math.h>
#include <stdlib.h>

/* Longest edge of a piece, as a part of the size of the mesh: of one whose samples are all exposed
 * or all hidden, and of one that is cut. */
#define COARSE (1.0 / 20)
#define FINE (1.0 / 400)
/* Samples are so far in front of and behind the surface. */
#define OFF 1e-6
/* Largest number of pieces. */
#define MOST 4000000u

typedef struct Cutting {
    const PxMeshTree *tree;
    double size;
    PX_LIST(PxVec3) corner; /* three of each exposed piece */
    bool hides;             /* some sample was hidden */
    bool full;              /* no memory */
} Cutting;

/* Is the surface at p the border of matter? Where shells overlap, the winding number is 2. */
static bool exposed(const Cutting *c, PxVec3 p, PxVec3 normal)
{
    double off = OFF * c->size;
    return px_mesh_tree_winding(c->tree, px_mad(p, normal, off)) < 0.5 &&
           px_mesh_tree_winding(c->tree, px_mad(p, normal, -off)) > 0.5;
}

static void keep(Cutting *c, const PxVec3 corner[3])
{
    if (!PX_LIST_RESERVE(&c->corner, 3)) {
        c->full = true;
        return;
    }
    for (int k = 0; k < 3; ++k)
        c->corner.data[c->corner.count++] = corner[k];
}

static PxVec3 between(PxVec3 a, PxVec3 b)
{
    return px_scale(px_add(a, b), 0.5);
}

/* Longest edge first; that is halved. */
static void cut(Cutting *c, const PxVec3 corner[3], PxVec3 normal, int depth)
{
    int longest = 0;
    double length = 0;
    PxVec3 middle = px_scale(px_add(corner[0], px_add(corner[1], corner[2])), 1.0 / 3);
    for (int k = 0; k < 3; ++k) {
        double edge = px_length(px_sub(corner[(k + 1) % 3], corner[k]));
        if (edge > length) {
            length = edge;
            longest = k;
        }
    }
    bool here = exposed(c, middle, normal), mixed = false;
    for (int k = 0; k < 3 && !mixed; ++k) { /* near the corners, and near the middles of edges */
        PxVec3 edge = between(corner[k], corner[(k + 1) % 3]);
        mixed = exposed(c, px_mad(px_scale(corner[k], 0.95), middle, 0.05), normal) != here ||
                exposed(c, px_mad(px_scale(edge, 0.95), middle, 0.05), normal) != here;
    }
    c->hides = c->hides || !here || mixed;
    bool small = length < (mixed ? FINE : COARSE) * c->size;
    if (small || depth == 0 || c->full || c->corner.count > 3 * (size_t)MOST) {
        if (here)
            keep(c, corner);
        return;
    }
    PxVec3 a = corner[longest], b = corner[(longest + 1) % 3], o = corner[(longest + 2) % 3];
    PxVec3 half = between(a, b);
    cut(c, (const PxVec3[3]){a, half, o}, normal, depth - 1);
    cut(c, (const PxVec3[3]){half, b, o}, normal, depth - 1);
}

static bool meet(const PxBounds *a, const PxBounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Bounds of the shells, by their first triangle; returns their number. */
static uint32_t bound_shells(const PxMesh *mesh, const uint32_t *part, PxBounds *bounds,
                             uint32_t *shell)
{
    uint32_t shells = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (part[t] == t) {
            bounds[t] = px_bounds_empty();
            shell[shells++] = t;
        }
        for (int k = 0; k < 3; ++k)
            px_bounds_add(&bounds[part[t]], px_mesh_corner(mesh, t, k));
    }
    return shells;
}

/* Does the triangle reach into the bounds of another shell? */
static bool may_be_hidden(const PxMesh *mesh, uint32_t t, const uint32_t *part,
                          const PxBounds *bounds, const uint32_t *shell, uint32_t shells)
{
    PxBounds own = px_bounds_empty();
    for (int k = 0; k < 3; ++k)
        px_bounds_add(&own, px_mesh_corner(mesh, t, k));
    for (uint32_t s = 0; s < shells; ++s)
        if (shell[s] != part[t] && meet(&own, &bounds[shell[s]]))
            return true;
    return false;
}

static PxStatus mesh_of(const Cutting *c, PxMesh **out)
{
    PX_TRY(px_mesh_create(c->corner.count, c->corner.count / 3, 0, out));
    for (uint32_t v = 0; v < c->corner.count; ++v) {
        (*out)->position[v] = c->corner.data[v];
        (*out)->triangle[v / 3][v % 3] = v;
    }
    return PX_OK;
}

/* Shells beyond this are not compared with each other: scans and crowds of separate parts. */
#define MOST_SHELLS 2000

PxStatus px_mesh_exposed(const PxMesh *mesh, const PxMeshTree *tree, PxMesh **out)
{
    uint32_t n = mesh->triangle_count;
    PxBounds all = px_mesh_bounds(mesh), *bounds = malloc(n * sizeof *bounds);
    uint32_t *part = malloc(2 * (size_t)n * sizeof *part);
    PxStatus status = PX_OK;
    Cutting c = {.tree = tree, .size = px_length(px_sub(all.high, all.low))};
    *out = NULL;
    if (part == NULL || bounds == NULL) {
        status = px_fail(PX_ERR_MEMORY, "mesh: no room for the shells of %u triangles", n);
        goto done;
    }
    if ((status = px_mesh_parts(mesh, part)) != PX_OK)
        goto done;
    uint32_t shells = bound_shells(mesh, part, bounds, part + n);
    if (shells < 2 || shells > MOST_SHELLS)
        goto done;
    for (uint32_t t = 0; t < n && !c.full; ++t) {
        PxVec3 corner[3];
        for (int k = 0; k < 3; ++k)
            corner[k] = px_mesh_corner(mesh, t, k);
        if (px_mesh_triangle_is_flat(corner[0], corner[1], corner[2]))
            continue;
        PxVec3 across = px_cross(px_sub(corner[1], corner[0]), px_sub(corner[2], corner[0]));
        if (may_be_hidden(mesh, t, part, bounds, part + n, shells))
            cut(&c, corner, px_normalized(across, px_vec(0, 1, 0)), 40);
        else
            keep(&c, corner);
    }
    if (c.full)
        status = px_fail(PX_ERR_MEMORY, "mesh: no room to unite %u shells", shells);
    else if (c.hides && c.corner.count > 0)
        status = mesh_of(&c, out);
done:
    PX_LIST_FREE(&c.corner);
    free(bounds);
    free(part);
    return status;
}
