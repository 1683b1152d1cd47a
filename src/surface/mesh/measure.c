/// Area, volume and number of components of a surface mesh.
#include "base/def.h"
#include "base/sum.h"
#include "base/union_find.h"
#include "base/vec.h"
#include "phyxel/surface.h"

#include <stdlib.h>
#include <string.h>

static PxVec3 place(const PxSurfaceMesh *mesh, uint32_t vertex)
{
    const float *p = mesh->position[vertex];
    return px_vec((double)p[0], (double)p[1], (double)p[2]);
}

static PxStatus check_mesh(const PxSurfaceMesh *mesh)
{
    if ((mesh->vertices > 0 && mesh->position == NULL) ||
        (mesh->triangles > 0 && mesh->triangle == NULL))
        return px_fail(PX_ERR_ARGUMENT, "surface: the mesh has no positions or no triangles");
    for (uint32_t t = 0; t < mesh->triangles; ++t)
        for (int c = 0; c < 3; ++c)
            if (mesh->triangle[t][c] >= mesh->vertices)
                return px_fail(PX_ERR_ARGUMENT,
                               "surface: triangle %u has vertex %u, wanted one below %u", t,
                               mesh->triangle[t][c], mesh->vertices);
    return PX_OK;
}

static PxStatus measure(const PxSurfaceMesh *mesh, PxSurfaceMeasure *out)
{
    PX_TRY(check_mesh(mesh));
    uint32_t *parent = malloc(((size_t)mesh->vertices + 1) * sizeof *parent);
    PxSum *sum = calloc(3, sizeof *sum); /* area, volume, interface */
    if (parent == NULL || sum == NULL) {
        free(parent);
        free(sum);
        return px_fail(PX_ERR_MEMORY, "surface: no room to measure %u vertices", mesh->vertices);
    }
    for (uint32_t v = 0; v < mesh->vertices; ++v)
        parent[v] = v;
    /* Signed volumes of tetrahedra from a nearby vertex: the origin may be far away. */
    PxVec3 origin = mesh->vertices > 0 ? place(mesh, 0) : px_vec(0, 0, 0);
    for (uint32_t t = 0; t < mesh->triangles; ++t) {
        const uint32_t *k = mesh->triangle[t];
        PxVec3 a = px_sub(place(mesh, k[0]), origin), b = px_sub(place(mesh, k[1]), origin),
               c = px_sub(place(mesh, k[2]), origin);
        double area = 0.5 * px_length(px_cross(px_sub(b, a), px_sub(c, a)));
        px_sum_add(&sum[0], area);
        px_sum_add(&sum[1], px_dot(a, px_cross(b, c)) / 6);
        if (mesh->touching != NULL)
            px_sum_add(&sum[2],
                       area * (mesh->touching[k[0]] + mesh->touching[k[1]] + mesh->touching[k[2]]) /
                           3.0);
        px_join(parent, k[0], k[1]);
        px_join(parent, k[0], k[2]);
    }
    for (uint32_t v = 0; v < mesh->vertices; ++v)
        out->components += parent[v] == v;
    out->area = px_sum_value(&sum[0]);
    out->volume = px_sum_value(&sum[1]);
    out->interface = px_sum_value(&sum[2]);
    free(parent);
    free(sum);
    return PX_OK;
}

PxStatus px_surface_measure_sized(const PxSurfaceMesh *mesh, PxSurfaceMeasure *out, size_t size)
{
    PX_WANT(out);
    PxSurfaceMeasure made = {0};
    px_result_put(out, size, 0, &made, sizeof made);
    PX_WANT(mesh);
    PX_TRY(measure(mesh, &made));
    px_result_put(out, size, 0, &made, sizeof made);
    return PX_OK;
}
