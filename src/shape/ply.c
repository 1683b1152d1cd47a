/// Reads meshes from PLY files.
#include "shape/mesh_read.h"
#include "shape/ply_read.h"
#include "shape/point_mesh.h"

#include <stdlib.h>
#include <string.h>

/* Properties of a vertex that a mesh uses. */
typedef enum Role { X, Y, Z, NX, NY, NZ, RED, GREEN, BLUE, U, V, ROLES } Role;

/* Their names in files. */
static const char *const names[ROLES][3] = {
    [X] = {"x"},
    [Y] = {"y"},
    [Z] = {"z"},
    [NX] = {"nx"},
    [NY] = {"ny"},
    [NZ] = {"nz"},
    [RED] = {"red", "diffuse_red"},
    [GREEN] = {"green", "diffuse_green"},
    [BLUE] = {"blue", "diffuse_blue"},
    [U] = {"u", "s", "texture_u"},
    [V] = {"v", "t", "texture_v"},
};

typedef struct Vertex {
    const PxPlyElement *element;
    const PxPlyProperty *property[ROLES]; /* NULL: none has this role */
} Vertex;

static bool has(const Vertex *vertex, Role first, Role last)
{
    bool all = true;
    for (Role role = first; role <= last; ++role)
        all = all && vertex->property[role] != NULL;
    return all;
}

/* Finds the first property of each role. */
static void find_roles(const PxPlyReader *ply, Vertex *vertex)
{
    const PxPlyElement *e = vertex->element;
    for (int role = 0; role < ROLES; ++role)
        for (int j = e->first; j < e->first + e->properties; ++j)
            for (int k = 0; k < 3 && names[role][k] != NULL; ++k)
                if (vertex->property[role] == NULL && !ply->property[j].list &&
                    px_word_is(ply->property[j].name, names[role][k]))
                    vertex->property[role] = &ply->property[j];
}

static PxStatus check_count(const PxPlyReader *ply, const PxPlyElement *e)
{
    char quote[PX_WORD_QUOTE];
    if (e->count <= PX_MESH_MAX_VERTICES)
        return PX_OK;
    return px_fail(PX_ERR_FORMAT, "%s: line %zu: %llu of element %s, at most %u allowed", ply->name,
                   e->line, (unsigned long long)e->count, px_word_quote(e->name, quote),
                   PX_MESH_MAX_VERTICES);
}

static PxVec3 vector(const double *value)
{
    return px_vec(value[0], value[1], value[2]);
}

static PxStatus keep_vertex(const Vertex *vertex, const uint8_t *row, PxMeshBuilder *b,
                            const char *name)
{
    double value[ROLES] = {0};
    for (int role = 0; role < ROLES; ++role) {
        const PxPlyProperty *p = vertex->property[role];
        if (p != NULL)
            value[role] = px_ply_value(row + p->at, p->stored);
        if (p != NULL && role >= RED && role <= BLUE)
            value[role] /= px_ply_types[p->type].full;
    }
    bool room = PX_LIST_RESERVE(&b->position, 1) && PX_LIST_RESERVE(&b->normal, 1) &&
                PX_LIST_RESERVE(&b->colour, 1) && PX_LIST_RESERVE(&b->uv, 1);
    if (!room)
        return px_fail(PX_ERR_MEMORY, "%s: no room for %zu vertices", name, b->position.count);
    b->position.data[b->position.count++] = vector(value + X);
    if (has(vertex, NX, NZ))
        b->normal.data[b->normal.count++] = vector(value + NX);
    if (has(vertex, RED, BLUE))
        b->colour.data[b->colour.count++] = vector(value + RED);
    if (has(vertex, U, V))
        b->uv.data[b->uv.count++] = (PxUv){value[U], value[V]};
    return PX_OK;
}

static PxStatus read_vertices(PxPlyReader *ply, const Vertex *vertex, PxMeshBuilder *builder)
{
    PxPlyRows rows;
    PxStatus status = px_ply_rows(ply, vertex->element, &rows);
    for (uint64_t i = 0; status == PX_OK && i < rows.count; ++i)
        status = keep_vertex(vertex, rows.data + i * vertex->element->width, builder, ply->name);
    px_ply_rows_free(&rows);
    return status;
}

/* Finds the vertices, and checks that they have positions. */
static PxStatus find_vertices(const PxPlyReader *ply, Vertex *vertex)
{
    *vertex = (Vertex){.element = px_ply_element(ply, "vertex")};
    if (vertex->element != NULL)
        find_roles(ply, vertex);
    if (!has(vertex, X, Z))
        return px_fail(PX_ERR_FORMAT, "%s: the header has no element vertex with x, y and z",
                       ply->name);
    return check_count(ply, vertex->element);
}

static PxStatus read_mesh(PxPlyReader *ply, PxMeshBuilder *builder)
{
    Vertex vertex;
    PX_TRY(find_vertices(ply, &vertex));
    const PxPlyElement *face = px_ply_element(ply, "face");
    const PxPlyProperty *corners = face != NULL ? px_ply_corners(ply, face) : NULL;
    if (corners == NULL && !has(&vertex, NX, NZ))
        return px_fail(PX_ERR_FORMAT,
                       "%s: the header has no element face with a list of whole numbers "
                       "vertex_indices, and no normals nx, ny, nz for a surface around its points",
                       ply->name);
    if (face != NULL)
        PX_TRY(check_count(ply, face));
    PxPlyTriangles triangles = {0};
    PxStatus status = PX_OK;
    for (int k = 0; k < ply->elements && status == PX_OK; ++k) {
        const PxPlyElement *e = &ply->element[k];
        status = e == vertex.element ? read_vertices(ply, &vertex, builder)
                 : e == face && corners != NULL
                     ? px_ply_faces(ply, e, corners, vertex.element->count, &triangles)
                     : px_ply_skip(ply, e);
    }
    builder->triangle.data = triangles.data;
    builder->triangle.count = triangles.count;
    builder->triangle.capacity = triangles.capacity;
    return status;
}

bool px_mesh_looks_like_ply(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "ply", 3) == 0 &&
           (((const char *)bytes)[3] == '\n' || ((const char *)bytes)[3] == '\r');
}

PxStatus px_mesh_read_ply(const char *name, const void *bytes, size_t size, PxMesh **out)
{
    *out = NULL;
    if (size > PX_MESH_MAX_FILE)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes, at most %llu allowed", name, size,
                       (unsigned long long)PX_MESH_MAX_FILE);
    PxPlyReader *ply = malloc(sizeof *ply);
    if (ply == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room to read it", name);
    PxMeshBuilder builder = {0};
    PxStatus status = px_ply_header(ply, name, bytes, size, NULL, NULL);
    if (status == PX_OK)
        status = read_mesh(ply, &builder);
    bool cloud = builder.triangle.count == 0 && builder.position.count > 0 &&
                 builder.normal.count == builder.position.count;
    bool painted = builder.colour.count == builder.position.count;
    if (status == PX_OK && cloud)
        status = px_mesh_of_points(builder.position.data, builder.normal.data,
                                   painted ? builder.colour.data : NULL, builder.position.count,
                                   name, out);
    else if (status == PX_OK)
        status = px_mesh_builder_finish(&builder, name, out);
    px_mesh_builder_free(&builder);
    free(ply);
    return status;
}

PxStatus px_mesh_read_ply_vertices(const char *name, const void *bytes, size_t size, PxVec3 **out,
                                   size_t *count)
{
    *out = NULL;
    *count = 0;
    PxPlyReader *ply = malloc(sizeof *ply);
    if (ply == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room to read it", name);
    PxMeshBuilder builder = {0};
    Vertex vertex;
    PxStatus status = px_ply_header(ply, name, bytes, size, NULL, NULL);
    if (status == PX_OK)
        status = find_vertices(ply, &vertex);
    for (int k = 0; k < ply->elements && status == PX_OK; ++k) {
        bool here = &ply->element[k] == vertex.element;
        status = here ? read_vertices(ply, &vertex, &builder) : px_ply_skip(ply, &ply->element[k]);
        if (here)
            break;
    }
    if (status == PX_OK) {
        *out = builder.position.data;
        *count = builder.position.count;
        builder.position.data = NULL;
    }
    px_mesh_builder_free(&builder);
    free(ply);
    return status;
}
