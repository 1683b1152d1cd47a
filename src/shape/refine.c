#include "shape/refine.h"

#include "base/memory.h"
#include "shape/keys.h"

#include <stdlib.h>
#include <string.h>

#define SAME_SIDE 0.7660444431189780 /* cos 40 degrees */

/* ---- normals ---- */

/* Triangles at each welded vertex: corner[first[v]] to corner[first[v + 1]]. */
typedef struct Around {
    uint32_t *weld, *first, *triangle;
    PxVec3 *area; /* of triangles, along their normals */
} Around;

static void around_free(Around *a)
{
    free(a->weld);
    free(a->first);
    free(a->triangle);
    free(a->area);
}

static PxStatus around_make(const PxMesh *mesh, Around *a)
{
    uint32_t n = mesh->vertex_count;
    a->weld = malloc(n * sizeof *a->weld);
    a->first = calloc((size_t)n + 2, sizeof *a->first);
    a->triangle = malloc(3 * (size_t)mesh->triangle_count * sizeof *a->triangle);
    a->area = malloc(mesh->triangle_count * sizeof *a->area);
    if (a->weld == NULL || a->first == NULL || a->triangle == NULL || a->area == NULL)
        return px_fail(PX_ERR_MEMORY, "mesh: no room for the normals of %u vertices", n);
    PX_TRY(px_mesh_weld(mesh, a->weld));
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        PxVec3 p = px_mesh_corner(mesh, t, 0);
        a->area[t] =
            px_cross(px_sub(px_mesh_corner(mesh, t, 1), p), px_sub(px_mesh_corner(mesh, t, 2), p));
        for (int k = 0; k < 3; ++k)
            ++a->first[a->weld[mesh->triangle[t][k]] + 2];
    }
    for (uint32_t v = 0; v < n; ++v)
        a->first[v + 2] += a->first[v + 1];
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k)
            a->triangle[a->first[a->weld[mesh->triangle[t][k]] + 1]++] = t;
    return PX_OK;
}

/* Mean normal of the faces at a corner of triangle t within the crease angle of t. */
static PxVec3 corner_normal(const Around *a, uint32_t place, uint32_t t)
{
    PxVec3 own = px_normalized(a->area[t], px_vec(0, 0, 0)), sum = a->area[t];
    for (uint32_t k = a->first[place]; k < a->first[place + 1]; ++k) {
        uint32_t other = a->triangle[k];
        PxVec3 n = px_normalized(a->area[other], px_vec(0, 0, 0));
        if (other != t && px_dot(n, own) > SAME_SIDE)
            sum = px_add(sum, a->area[other]);
    }
    return px_normalized(sum, px_vec(0, 1, 0));
}

/* Corners share a vertex if they have the same vertex in the mesh and equal normals up to
 * rounding (sums of the same faces in another order). */
static PxKey corner_key(uint32_t vertex, PxVec3 n)
{
    return (PxKey){
        {vertex,
         (uint64_t)(int64_t)lrint(n.x * 1e6) << 32 ^ (uint64_t)(uint32_t)(int32_t)lrint(n.y * 1e6),
         (uint64_t)(int64_t)lrint(n.z * 1e6)}};
}

static void copy_vertex(const PxMesh *from, uint32_t v, PxMesh *to, uint32_t w)
{
    to->position[w] = from->position[v];
    if (from->colour != NULL)
        to->colour[w] = from->colour[v];
    if (from->uv != NULL)
        to->uv[w] = from->uv[v];
}

static unsigned with_of(const PxMesh *mesh)
{
    return PX_MESH_NORMAL | (mesh->colour != NULL ? PX_MESH_COLOUR : 0) |
           (mesh->uv != NULL ? PX_MESH_UV : 0);
}

PxStatus px_mesh_smooth_normals(const PxMesh *mesh, PxMesh **out)
{
    *out = NULL;
    if (mesh->normal != NULL)
        return px_mesh_copy(mesh, out);
    Around around = {0};
    PxKeys keys = {0};
    PxMesh *made = NULL;
    PxStatus status = around_make(mesh, &around);
    if (status == PX_OK)
        status = px_mesh_create(3 * (size_t)mesh->triangle_count, mesh->triangle_count,
                                with_of(mesh), &made);
    for (uint32_t t = 0; status == PX_OK && t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t v = mesh->triangle[t][k];
            PxVec3 n = corner_normal(&around, around.weld[v], t);
            size_t before = keys.count;
            uint32_t w = px_keys_add(&keys, corner_key(v, n));
            if (w == PX_KEY_NONE) {
                status = px_fail(PX_ERR_MEMORY, "mesh: no room for normals");
                break;
            }
            if (keys.count > before) {
                copy_vertex(mesh, v, made, w);
                made->normal[w] = n;
            }
            made->triangle[t][k] = w;
        }
    if (status == PX_OK)
        made->vertex_count = (uint32_t)keys.count;
    px_keys_free(&keys);
    around_free(&around);
    if (status != PX_OK)
        px_mesh_free(made);
    else
        *out = made;
    return status;
}

/* ---- long edges ---- */

static double edge_square(const PxMesh *m, uint32_t a, uint32_t b)
{
    PxVec3 d = px_sub(m->position[a], m->position[b]);
    return px_dot(d, d);
}

/* Sorted ends: both triangles of an edge get bitwise the same midpoint. */
static PxKey edge_key(uint32_t a, uint32_t b)
{
    return (PxKey){{a < b ? a : b, a < b ? b : a, 0}};
}

static void put_middle(const PxMesh *from, PxKey edge, PxMesh *to, uint32_t w)
{
    uint32_t a = (uint32_t)edge.word[0], b = (uint32_t)edge.word[1];
    to->position[w] = px_scale(px_add(from->position[a], from->position[b]), 0.5);
    if (from->normal != NULL)
        to->normal[w] = px_normalized(px_add(from->normal[a], from->normal[b]), from->normal[a]);
    if (from->colour != NULL)
        to->colour[w] = px_scale(px_add(from->colour[a], from->colour[b]), 0.5);
    if (from->uv != NULL)
        to->uv[w] =
            (PxUv){0.5 * (from->uv[a].u + from->uv[b].u), 0.5 * (from->uv[a].v + from->uv[b].v)};
}

/* Splits a triangle whose edge k has the midpoint vertex mid[k], or PX_KEY_NONE. Returns
 * the number of new triangles. */
static int cut(const uint32_t v[3], const uint32_t mid[3], const PxMesh *m, uint32_t out[4][3])
{
    int cuts = 0, k = 0;
    for (int e = 0; e < 3; ++e)
        cuts += mid[e] != PX_KEY_NONE;
#define TRIANGLE(n, a, b, c) (out[n][0] = (a), out[n][1] = (b), out[n][2] = (c))
    if (cuts == 0) {
        TRIANGLE(0, v[0], v[1], v[2]);
    } else if (cuts == 3) {
        TRIANGLE(0, v[0], mid[0], mid[2]);
        TRIANGLE(1, v[1], mid[1], mid[0]);
        TRIANGLE(2, v[2], mid[2], mid[1]);
        TRIANGLE(3, mid[0], mid[1], mid[2]);
    } else if (cuts == 1) {
        while (mid[k] == PX_KEY_NONE)
            ++k;
        TRIANGLE(0, v[k], mid[k], v[(k + 2) % 3]);
        TRIANGLE(1, mid[k], v[(k + 1) % 3], v[(k + 2) % 3]);
    } else {
        while (mid[k] != PX_KEY_NONE) /* edge k is whole; its ends are a and b, opposite c */
            ++k;
        uint32_t a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3];
        uint32_t bc = mid[(k + 1) % 3], ca = mid[(k + 2) % 3];
        TRIANGLE(0, c, ca, bc);
        if (edge_square(m, a, c) < edge_square(m, b, c)) { /* the shorter diagonal */
            TRIANGLE(1, a, b, ca);
            TRIANGLE(2, b, bc, ca);
        } else {
            TRIANGLE(1, a, b, bc);
            TRIANGLE(2, a, bc, ca);
        }
    }
#undef TRIANGLE
    return cuts + 1;
}

/* Halves every edge that is too long once. *more: some are still too long. */
static PxStatus halve(const PxMesh *from, double longest2, bool *more, PxMesh **out)
{
    PxKeys keys = {0};
    PxStatus status = PX_OK;
    size_t triangles = from->triangle_count;
    *out = NULL;
    for (uint32_t t = 0; t < from->triangle_count && status == PX_OK; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = from->triangle[t][k], b = from->triangle[t][(k + 1) % 3];
            if (!(edge_square(from, a, b) > longest2))
                continue;
            ++triangles;
            if (px_keys_add(&keys, edge_key(a, b)) == PX_KEY_NONE)
                status = px_fail(PX_ERR_MEMORY, "mesh: no room to cut edges");
        }
    *more = keys.count > 0;
    unsigned with = with_of(from) & (from->normal != NULL ? ~0u : ~(unsigned)PX_MESH_NORMAL);
    if (status == PX_OK)
        status = px_mesh_create((size_t)from->vertex_count + keys.count, triangles, with, out);
    if (status == PX_OK) {
        PxMesh *to = *out;
        for (uint32_t v = 0; v < from->vertex_count; ++v) {
            copy_vertex(from, v, to, v);
            if (from->normal != NULL)
                to->normal[v] = from->normal[v];
        }
        for (uint32_t e = 0; e < keys.count; ++e)
            put_middle(from, keys.key[e], to, from->vertex_count + e);
        uint32_t next = 0;
        for (uint32_t t = 0; t < from->triangle_count; ++t) {
            const uint32_t *v = from->triangle[t];
            uint32_t mid[3], made[4][3];
            for (int k = 0; k < 3; ++k) {
                mid[k] = px_keys_find(&keys, edge_key(v[k], v[(k + 1) % 3]));
                mid[k] += mid[k] != PX_KEY_NONE ? from->vertex_count : 0;
            }
            int pieces = cut(v, mid, from, made);
            memcpy(to->triangle[next], made, (size_t)pieces * sizeof made[0]);
            next += (uint32_t)pieces;
        }
    }
    px_keys_free(&keys);
    return status;
}

PxStatus px_mesh_refine(const PxMesh *mesh, double longest, uint32_t most, PxMesh **out)
{
    PX_TRY(px_mesh_copy(mesh, out));
    for (bool more = true; more && (*out)->triangle_count <= most;) {
        PxMesh *finer;
        PxStatus status = halve(*out, longest * longest, &more, &finer);
        px_mesh_free(*out);
        *out = finer;
        if (status != PX_OK)
            return status;
    }
    return PX_OK;
}
