/// Reads meshes from OBJ, PLY and STL files. The readers accept any bytes and return a mesh that
/// has passed px_mesh_check() or with an error that names the file, the line, byte or element, what
/// stands there and what was wanted. They do not check whether the mesh is closed
/// (px_mesh_check_closed does). Memory is taken as data is seen, never from a count in a header.
///
/// Polygons with more than three corners are cut into a fan from their first
/// corner, which is right for convex ones. A fan over a flat polygon that is
/// not convex overlaps itself: volume and winding number stay right, distances
/// in its plane do not.
#ifndef PX_SHAPE_MESH_READ_H
#define PX_SHAPE_MESH_READ_H

#include "base/memory.h"
#include "shape/mesh.h"

/// Largest file, bytes.
#define PX_MESH_MAX_FILE ((uint64_t)4 << 30)

/// Reads the file, chooses the format by what is in it and else by the ending
/// of its name. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_read_file(const char *path, PxMesh **out);

/// The same for bytes in memory; `name` is used in messages and for its ending.
PxStatus px_mesh_read(const char *name, const void *bytes, size_t size, PxMesh **out);

/// Wavefront OBJ: v (with w or colours), vt, vn, f with all forms of corners
/// and negative indices; groups, materials, lines and points are passed over.
/// Where corners carry texture coordinates or normals, vertices are split so
/// that each has one of each. Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_read_obj(const char *name, const void *bytes, size_t size, PxMesh **out);

/// PLY 1.0, ascii or binary of either byte order. Properties in any order and of
/// any type; what is not known is passed over. Errors: as above.
PxStatus px_mesh_read_ply(const char *name, const void *bytes, size_t size, PxMesh **out);

/// STL, ascii or binary. Corners at exactly the same place become one vertex;
/// the normals in the file are not used. Errors: as above.
PxStatus px_mesh_read_stl(const char *name, const void *bytes, size_t size, PxMesh **out);

/// Does this look like ...? For choosing a reader, not for trusting the file.
bool px_mesh_looks_like_ply(const void *bytes, size_t size);
bool px_mesh_looks_like_stl(const void *bytes, size_t size);

/// A mesh in the making; starts as {0}. Whatever the outcome, free it in the end.
typedef struct PxMeshBuilder {
    PX_LIST(PxVec3) position;
    PX_LIST(PxVec3) normal;
    PX_LIST(PxVec3) colour;
    PX_LIST(PxUv) uv;
    struct {
        uint32_t (*data)[3];
        size_t count, capacity;
    } triangle;
} PxMeshBuilder;

/// Refuses a mesh without vertices or triangles and what px_mesh_check()
/// refuses. Normals, colours and uv are kept if there is one for each vertex.
PxStatus px_mesh_builder_finish(PxMeshBuilder *builder, const char *name, PxMesh **out);
void px_mesh_builder_free(PxMeshBuilder *builder);

#endif
