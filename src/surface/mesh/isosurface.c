#include "surface/mesh/isosurface.h"

#include "base/memory.h"
#include "base/union_find.h"
#include "surface/mesh/cube.h"

#include <stdlib.h>
#include <string.h>

/* Vertices stay this part of an edge away from its ends, so that no triangle degenerates. */
#define NEAREST_END 0.03125
#define NO_VERTEX UINT32_MAX

/* The volume with a layer of samples outside around it. A plane holds the vertices of its edges
 * along x and y and those of the edges to the next plane, by the point at which an edge starts. */
typedef struct Plane {
    uint32_t *vertex[3];
} Plane;

typedef struct March {
    const char *name;
    const PxVolume *volume;
    double at, scale, outside;
    bool below;
    uint32_t wide[3]; /* points along each axis, with the layer around */
    Plane plane[2];   /* the lower and the upper one of the present cells */
    PX_LIST(PxVec3) position;
    struct {
        uint32_t (*data)[3];
        size_t count, capacity;
    } triangle;
} March;

/* Inside where positive. */
static float value_at(const March *m, uint32_t i, uint32_t j, uint32_t k)
{
    const uint32_t *n = m->volume->samples;
    if (i == 0 || j == 0 || k == 0 || i > n[0] || j > n[1] || k > n[2])
        return (float)m->outside;
    double v =
        (double)m->volume->value[((size_t)(k - 1) * n[1] + (j - 1)) * n[0] + (i - 1)] - m->at;
    return (float)(m->below ? -v : v);
}

static PxVec3 place(const March *m, const double at[3])
{
    const PxVolume *v = m->volume;
    PxVec3 p = v->origin;
    for (int a = 0; a < 3; ++a)
        p = px_mad(p, v->step[a], at[a] - 1);
    return px_scale(p, m->scale);
}

static PxStatus add_vertex(March *m, PxVec3 at, uint32_t *out)
{
    if (m->position.count >= PX_MESH_MAX_VERTICES || !PX_LIST_RESERVE(&m->position, 1))
        return px_fail(PX_ERR_MEMORY, "%s: no room for its surface", m->name);
    *out = (uint32_t)m->position.count;
    m->position.data[m->position.count++] = at;
    return PX_OK;
}

/* The vertex on an edge of the cell at (i, j, k), which is made when it is first needed. */
static PxStatus edge_vertex(March *m, const uint32_t cell[3], unsigned edge, const float value[8],
                            uint32_t *out)
{
    unsigned corner[2], axis = edge >> 2;
    px_cube_edge(edge, corner);
    uint32_t i = cell[0] + (corner[0] & 1), j = cell[1] + (corner[0] >> 1 & 1);
    unsigned upper = corner[0] >> 2 & 1;
    uint32_t *known = &m->plane[upper].vertex[axis][(size_t)j * m->wide[0] + i];
    if (*known == NO_VERTEX) {
        double a = (double)value[corner[0]], b = (double)value[corner[1]], t = a / (a - b);
        double at[3] = {i, j, cell[2] + upper};
        at[axis] += fmin(1 - NEAREST_END, fmax(NEAREST_END, t));
        PX_TRY(add_vertex(m, place(m, at), known));
    }
    *out = *known;
    return PX_OK;
}

static PxStatus march_cell(March *m, const uint32_t cell[3], unsigned inside, const float value[8])
{
    PxCube cube;
    px_cube_make(inside, px_cube_joined(px_cube_ambiguous(inside), value), &cube);
    uint32_t centre[PX_CUBE_LOOPS] = {0};
    for (unsigned n = 0; n < cube.loops; ++n) {
        if (!(cube.centres >> n & 1))
            continue;
        PxVec3 sum = {0, 0, 0};
        for (unsigned e = 0; e < cube.length[n]; ++e) {
            uint32_t v;
            PX_TRY(edge_vertex(m, cell, cube.loop[n][e], value, &v));
            sum = px_add(sum, m->position.data[v]);
        }
        PX_TRY(add_vertex(m, px_scale(sum, 1.0 / cube.length[n]), &centre[n]));
    }
    if (m->triangle.count + cube.triangles > PX_MESH_MAX_TRIANGLES ||
        !PX_LIST_RESERVE(&m->triangle, cube.triangles))
        return px_fail(PX_ERR_MEMORY, "%s: no room for its surface", m->name);
    for (unsigned t = 0; t < cube.triangles; ++t) {
        uint32_t *to = m->triangle.data[m->triangle.count];
        for (int c = 0; c < 3; ++c) {
            unsigned edge = cube.triangle[t][c];
            if (edge >= PX_CUBE_CENTRE)
                to[c] = centre[edge - PX_CUBE_CENTRE];
            else
                PX_TRY(edge_vertex(m, cell, edge, value, &to[c]));
        }
        ++m->triangle.count;
    }
    return PX_OK;
}

static void clear_plane(const March *m, Plane *plane)
{
    for (int a = 0; a < 3; ++a)
        memset(plane->vertex[a], 0xff, (size_t)m->wide[0] * m->wide[1] * sizeof(uint32_t));
}

static PxStatus march(March *m)
{
    clear_plane(m, &m->plane[0]);
    for (uint32_t k = 0; k + 1 < m->wide[2]; ++k) {
        clear_plane(m, &m->plane[1]);
        for (uint32_t j = 0; j + 1 < m->wide[1]; ++j)
            for (uint32_t i = 0; i + 1 < m->wide[0]; ++i) {
                float value[8];
                unsigned inside = 0;
                for (unsigned c = 0; c < 8; ++c) {
                    value[c] = value_at(m, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                    inside |= (unsigned)(value[c] > 0.0f) << c;
                }
                const uint32_t cell[3] = {i, j, k};
                if (inside != 0 && inside != 255)
                    PX_TRY(march_cell(m, cell, inside, value));
            }
        Plane lower = m->plane[0];
        m->plane[0] = m->plane[1];
        m->plane[1] = lower;
    }
    return PX_OK;
}

/* Counts the pieces, and removes all but the largest if wanted. The first of equal ones is kept. */
static PxStatus find_pieces(March *m, bool largest, uint32_t *pieces)
{
    size_t vertices = m->position.count, kept = 0;
    uint32_t *up = malloc(vertices * sizeof *up), *size = calloc(vertices, sizeof *size), best = 0;
    if (up == NULL || size == NULL) {
        free(up);
        free(size);
        return px_fail(PX_ERR_MEMORY, "%s: no room for its surface", m->name);
    }
    for (uint32_t v = 0; v < vertices; ++v)
        up[v] = v;
    for (size_t t = 0; t < m->triangle.count; ++t) {
        px_join(up, m->triangle.data[t][0], m->triangle.data[t][1]);
        px_join(up, m->triangle.data[t][0], m->triangle.data[t][2]);
    }
    for (size_t t = 0; t < m->triangle.count; ++t)
        ++size[px_root_of(up, m->triangle.data[t][0])];
    *pieces = 0;
    for (uint32_t v = 0; v < vertices; ++v) {
        *pieces += size[v] > 0;
        best = size[v] > size[best] ? v : best;
    }
    for (size_t t = 0; largest && t < m->triangle.count; ++t)
        if (px_root_of(up, m->triangle.data[t][0]) == best)
            memcpy(m->triangle.data[kept++], m->triangle.data[t], sizeof *m->triangle.data);
    if (largest)
        m->triangle.count = kept;
    free(up);
    free(size);
    return PX_OK;
}

/* Copies triangles and the vertices that they use. Axes that form a left-handed system turn the
 * triangles inside out. */
static PxStatus make_mesh(const March *m, PxMesh **out)
{
    uint32_t *number = malloc(m->position.count * sizeof *number), used = 0;
    if (number == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room for its surface", m->name);
    memset(number, 0xff, m->position.count * sizeof *number);
    for (size_t t = 0; t < m->triangle.count; ++t)
        for (int c = 0; c < 3; ++c)
            number[m->triangle.data[t][c]] = 0;
    for (size_t v = 0; v < m->position.count; ++v)
        if (number[v] == 0)
            number[v] = used++;
    PxMesh *mesh;
    PxStatus status = px_mesh_create(used, m->triangle.count, 0, &mesh);
    if (status == PX_OK) {
        const PxVec3 *step = m->volume->step;
        bool mirrored = px_dot(px_cross(step[0], step[1]), step[2]) * m->scale < 0;
        for (size_t v = 0; v < m->position.count; ++v)
            if (number[v] != NO_VERTEX)
                mesh->position[number[v]] = m->position.data[v];
        for (size_t t = 0; t < m->triangle.count; ++t)
            for (int c = 0; c < 3; ++c)
                mesh->triangle[t][mirrored ? 2 - c : c] = number[m->triangle.data[t][c]];
        *out = mesh;
    }
    free(number);
    return status;
}

PxStatus px_isosurface(const char *name, const PxVolume *volume, double at, bool below,
                       bool largest, double scale, PxMesh **out, uint32_t *pieces)
{
    March m = {.name = name, .volume = volume, .at = at, .scale = scale, .below = below};
    PxStatus status = PX_OK;
    *out = NULL;
    *pieces = 0;
    m.outside = -fmax(fabs(volume->most - at), fabs(volume->least - at)) - 1e-30;
    for (int a = 0; a < 3; ++a)
        m.wide[a] = volume->samples[a] + 2;
    size_t points = (size_t)m.wide[0] * m.wide[1];
    for (int p = 0; p < 2; ++p)
        for (int a = 0; a < 3; ++a) {
            m.plane[p].vertex[a] = malloc(points * sizeof(uint32_t));
            if (m.plane[p].vertex[a] == NULL)
                status = px_fail(PX_ERR_MEMORY, "%s: no room for %zu samples", name, points);
        }
    if (status == PX_OK)
        status = march(&m);
    if (status == PX_OK && m.triangle.count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "%s: no sample is %s %g; its samples are from %g to %g",
                         name, below ? "below" : "above", at, volume->least, volume->most);
    if (status == PX_OK)
        status = find_pieces(&m, largest, pieces);
    if (status == PX_OK)
        status = make_mesh(&m, out);
    for (int p = 0; p < 2; ++p)
        for (int a = 0; a < 3; ++a)
            free(m.plane[p].vertex[a]);
    PX_LIST_FREE(&m.position);
    PX_LIST_FREE(&m.triangle);
    return status;
}
