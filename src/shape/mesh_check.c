#include "shape/mesh_check.h"

#include "base/union_find.h"

#include <stdlib.h>

static PxStatus check_vertex(const char *name, const char *what, uint32_t v, PxVec3 value)
{
    if (!px_finite(value))
        return px_fail(PX_ERR_FORMAT, "%s: %s of vertex %u is (%g, %g, %g), must be finite", name,
                       what, v, value.x, value.y, value.z);
    if (fmax(fabs(value.x), fmax(fabs(value.y), fabs(value.z))) > PX_MESH_MAX_COORDINATE)
        return px_fail(PX_ERR_FORMAT, "%s: %s of vertex %u is (%g, %g, %g), must be below %g", name,
                       what, v, value.x, value.y, value.z, PX_MESH_MAX_COORDINATE);
    return PX_OK;
}

PxStatus px_mesh_check(const PxMesh *mesh, const char *name)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        PX_TRY(check_vertex(name, "position", v, mesh->position[v]));
        if (mesh->normal != NULL)
            PX_TRY(check_vertex(name, "normal", v, mesh->normal[v]));
        if (mesh->colour != NULL)
            PX_TRY(check_vertex(name, "colour", v, mesh->colour[v]));
        if (mesh->uv != NULL)
            PX_TRY(check_vertex(name, "texture coordinate", v,
                                px_vec(mesh->uv[v].u, mesh->uv[v].v, 0)));
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            if (mesh->triangle[t][k] >= mesh->vertex_count)
                return px_fail(PX_ERR_FORMAT,
                               "%s: triangle %u names vertex %u, must be below the number of "
                               "vertices, %u",
                               name, t, mesh->triangle[t][k], mesh->vertex_count);
    return PX_OK;
}

/* Number of uses of an edge in each direction, and the first triangle that uses it. */
typedef struct Edge {
    uint32_t up, down; /* from the smaller vertex to the larger, and back */
    uint32_t triangle; /* first one to use it */
    uint32_t low, high;
} Edge;

static PxStatus complain_about_edges(const PxMesh *mesh, const char *name, const Edge *edge,
                                     uint32_t edges)
{
    uint32_t open = 0, twisted = 0, first_open = edges, first_twisted = edges;
    for (uint32_t e = 0; e < edges; ++e) {
        if (edge[e].up == edge[e].down)
            continue;
        if ((edge[e].up + edge[e].down) % 2 == 1) {
            first_open = open++ == 0 ? e : first_open;
        } else {
            first_twisted = twisted++ == 0 ? e : first_twisted;
        }
    }
    if (open == 0 && twisted == 0)
        return PX_OK;
    const Edge *bad = &edge[open > 0 ? first_open : first_twisted];
    PxVec3 a = mesh->position[bad->low], b = mesh->position[bad->high];
    if (open > 0)
        return px_fail(PX_ERR_FORMAT,
                       "%s: the mesh is open: the edge of triangle %u from vertex %u (%g, %g, %g) "
                       "to vertex %u (%g, %g, %g) belongs to %u triangle%s, must be an even "
                       "number; %u edge%s like this, close the hole%s",
                       name, bad->triangle, bad->low, a.x, a.y, a.z, bad->high, b.x, b.y, b.z,
                       bad->up + bad->down, bad->up + bad->down == 1 ? "" : "s", open,
                       open == 1 ? "" : "s", open == 1 ? "" : "s");
    return px_fail(PX_ERR_FORMAT,
                   "%s: triangles are not consistently oriented: those that share the edge of "
                   "triangle %u from vertex %u (%g, %g, %g) to vertex %u (%g, %g, %g) walk it in "
                   "the same direction; %u edge%s like this, make all triangles "
                   "counter-clockwise seen from outside",
                   name, bad->triangle, bad->low, a.x, a.y, a.z, bad->high, b.x, b.y, b.z, twisted,
                   twisted == 1 ? "" : "s");
}

static PxStatus check_edges(const PxMesh *mesh, const char *name)
{
    size_t corners = 3 * (size_t)mesh->triangle_count;
    uint32_t *weld = malloc(mesh->vertex_count * sizeof *weld);
    uint32_t *number = malloc(corners * sizeof *number);
    Edge *edge = NULL;
    PxStatus status = PX_ERR_MEMORY;
    uint32_t edges = 0;
    if (weld == NULL || number == NULL) {
        px_fail(status, "%s: no room to check %u triangles", name, mesh->triangle_count);
        goto done;
    }
    if ((status = px_mesh_weld(mesh, weld)) != PX_OK)
        goto done;
    if ((status = px_mesh_edges(mesh, weld, number, &edges)) != PX_OK)
        goto done;
    edge = calloc(edges > 0 ? edges : 1, sizeof *edge);
    if (edge == NULL) {
        status = px_fail(PX_ERR_MEMORY, "%s: no room to check %u edges", name, edges);
        goto done;
    }
    for (size_t corner = 0; corner < corners; ++corner) {
        if (number[corner] == UINT32_MAX)
            continue;
        uint32_t t = (uint32_t)(corner / 3);
        uint32_t a = weld[mesh->triangle[t][corner % 3]];
        uint32_t b = weld[mesh->triangle[t][(corner + 1) % 3]];
        Edge *e = &edge[number[corner]];
        if (e->up + e->down == 0) {
            e->triangle = t;
            e->low = a < b ? a : b;
            e->high = a < b ? b : a;
        }
        e->up += a < b;
        e->down += a > b;
    }
    status = complain_about_edges(mesh, name, edge, edges);
done:
    free(edge);
    free(number);
    free(weld);
    return status;
}

PxStatus px_mesh_check_closed(const PxMesh *mesh, const char *name)
{
    PX_TRY(check_edges(mesh, name));
    PxBounds bounds = px_mesh_bounds(mesh);
    double across = px_length(px_sub(bounds.high, bounds.low));
    double area = px_mesh_area(mesh), volume = px_mesh_volume(mesh);
    /* Rounding error of the volume of a sheet folded onto itself. */
    if (!(fabs(volume) > 1e-14 * area * across))
        return px_fail(PX_ERR_FORMAT, "%s: the mesh encloses no volume: %g m^3 with %g m^2 of area",
                       name, volume, area);
    if (volume < 0)
        return px_fail(PX_ERR_FORMAT,
                       "%s: the mesh is inside out: its volume comes out as %g m^3; turn all "
                       "triangles round (\"flip normals\" or \"reverse faces\" in a modeller)",
                       name, volume);
    return PX_OK;
}

/* parent[t] = the same triangle for all triangles joined by edges. */
PxStatus px_mesh_parts(const PxMesh *mesh, uint32_t *parent)
{
    size_t corners = 3 * (size_t)mesh->triangle_count;
    uint32_t *weld = malloc(mesh->vertex_count * sizeof *weld);
    uint32_t *number = malloc(corners * sizeof *number);
    uint32_t *first = NULL;
    PxStatus status = PX_ERR_MEMORY;
    uint32_t edges = 0;
    if (weld == NULL || number == NULL)
        goto done;
    if ((status = px_mesh_weld(mesh, weld)) != PX_OK)
        goto done;
    if ((status = px_mesh_edges(mesh, weld, number, &edges)) != PX_OK)
        goto done;
    first = malloc((edges > 0 ? edges : 1) * sizeof *first);
    if (first == NULL) {
        status = PX_ERR_MEMORY;
        goto done;
    }
    for (uint32_t e = 0; e < edges; ++e)
        first[e] = UINT32_MAX;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        parent[t] = t;
    for (size_t corner = 0; corner < corners; ++corner) {
        if (number[corner] == UINT32_MAX)
            continue;
        uint32_t t = (uint32_t)(corner / 3), *other = &first[number[corner]];
        if (*other == UINT32_MAX) {
            *other = t;
            continue;
        }
        px_join(parent, t, *other);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        parent[t] = px_root_of(parent, t);
done:
    free(first);
    free(number);
    free(weld);
    return status;
}

/* Twice the area as a vector. */
static PxVec3 double_area(const PxMesh *mesh, uint32_t t)
{
    PxVec3 a = px_mesh_corner(mesh, t, 0);
    return px_cross(px_sub(px_mesh_corner(mesh, t, 1), a), px_sub(px_mesh_corner(mesh, t, 2), a));
}

/* Behind every face of a valid mesh the winding number is at least 1. Tested once per
 * part, behind its largest triangle. */
PxStatus px_mesh_check_parts(const PxMesh *mesh, const PxMeshTree *tree, const char *name)
{
    uint32_t *part = malloc(mesh->triangle_count * sizeof *part);
    uint32_t *largest = malloc(mesh->triangle_count * sizeof *largest);
    PxStatus status = PX_ERR_MEMORY;
    if (part == NULL || largest == NULL) {
        px_fail(status, "%s: no room to check %u triangles", name, mesh->triangle_count);
        goto done;
    }
    if ((status = px_mesh_parts(mesh, part)) != PX_OK) {
        if (status == PX_ERR_MEMORY)
            px_fail(status, "%s: no room to check %u triangles", name, mesh->triangle_count);
        goto done;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (part[t] == t)
            largest[t] = t;
        uint32_t *best = &largest[part[t]];
        if (px_length(double_area(mesh, t)) > px_length(double_area(mesh, *best)))
            *best = t;
    }
    PxBounds bounds = px_mesh_bounds(mesh);
    double across = px_length(px_sub(bounds.high, bounds.low));
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (part[t] != t)
            continue;
        uint32_t face = largest[t];
        PxVec3 a = px_mesh_corner(mesh, face, 0), b = px_mesh_corner(mesh, face, 1);
        PxVec3 c = px_mesh_corner(mesh, face, 2);
        if (px_mesh_triangle_is_flat(a, b, c))
            continue;
        PxVec3 out = px_normalized(double_area(mesh, face), px_vec(0, 0, 0));
        PxVec3 middle = px_scale(px_add(a, px_add(b, c)), 1.0 / 3.0);
        /* Slightly behind the face, and in thin parts at most half way to the other side. */
        double step = 1e-7 * across;
        PxMeshSpot spot;
        if (px_mesh_tree_ray(tree, middle, px_scale(out, -1), 1e-15 * across, 2 * step, &spot))
            step = 0.5 * spot.distance;
        if (px_mesh_tree_winding(tree, px_mad(middle, out, -step)) < 0.5) {
            status = px_fail(PX_ERR_FORMAT,
                             "%s: a part of the mesh is inside out: triangle %u at (%g, %g, %g) "
                             "and all that hang together with it face inwards, and are no cavity "
                             "of another part; turn them round",
                             name, face, middle.x, middle.y, middle.z);
            goto done;
        }
    }
done:
    free(largest);
    free(part);
    return status;
}
