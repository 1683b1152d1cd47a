/// Reads meshes from OBJ, PLY and STL files. The readers accept any bytes and return either a mesh
/// that has passed px_mesh_check() or an error that names the file, the line, byte or element, the
/// text found there and what was expected. They do not check whether the mesh is closed
/// (px_mesh_check_closed does). Memory grows with the data read, never with a count in a header.
///
/// Polygons with more than three corners become triangle fans from their first
/// corner, which is correct for convex ones. The fan of a planar polygon that is
/// not convex overlaps itself: volume and winding number stay correct, distances
/// in its plane do not.
#ifndef PX_SHAPE_MESH_READ_H
#define PX_SHAPE_MESH_READ_H

#include "base/memory.h"
#include "shape/mesh.h"

/// Largest file, bytes.
#define PX_MESH_MAX_FILE ((uint64_t)4 << 30)

/// Reads a file. The format is detected from the contents, else from the file name
/// extension. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_read_file(const char *path, PxMesh **out);

/// All bytes of an ordinary file, to be freed with free(); `wanted` completes messages.
/// Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_file_bytes(const char *path, const char *wanted, void **out, size_t *size);

/// Reads one part of a file: the faces of an OBJ file that are in the object or group of that name,
/// and their vertices in the order of the file. NULL: all of it. PLY and STL files have no parts.
/// A name that is not there is refused with those that are.
PxStatus px_mesh_read_file_part(const char *path, const char *part, PxMesh **out);

/// px_mesh_read_file() for bytes in memory; `name` is used in messages and for its extension.
PxStatus px_mesh_read(const char *name, const void *bytes, size_t size, PxMesh **out);

/// Wavefront OBJ: v (with w or colours), vt, vn, f with all forms of corners
/// and negative indices; materials, lines and points are skipped.
/// A vertex whose corners differ in texture coordinate or normal is split, one
/// vertex for each combination. Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_mesh_read_obj(const char *name, const void *bytes, size_t size, PxMesh **out);
/// The same of one object or group; NULL: all of the file.
PxStatus px_mesh_read_obj_part(const char *name, const void *bytes, size_t size, const char *part,
                               PxMesh **out);

/// PLY 1.0, ascii or binary of either byte order. Properties in any order and of
/// any type; unknown ones are skipped. Points with normals and without faces become a closed mesh
/// around them (shape/point_mesh.h). Errors: as above.
PxStatus px_mesh_read_ply(const char *name, const void *bytes, size_t size, PxMesh **out);

/// The vertices of a PLY file, whatever else it has; free them with free(). Errors: as above.
PxStatus px_mesh_read_ply_vertices(const char *name, const void *bytes, size_t size, PxVec3 **out,
                                   size_t *count);

/// STL, ascii or binary. Corners at exactly the same position become one vertex;
/// the normals in the file are ignored. Errors: as above.
PxStatus px_mesh_read_stl(const char *name, const void *bytes, size_t size, PxMesh **out);

/// Format detection, to choose a reader; does not validate the file.
bool px_mesh_looks_like_ply(const void *bytes, size_t size);
bool px_mesh_looks_like_stl(const void *bytes, size_t size);

/// A mesh under construction; starts as {0}. Must be freed after success and failure.
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

/// Makes the mesh. Fails if there are no vertices or triangles, or if px_mesh_check()
/// fails. Normals, colours and uv are kept if there is one for each vertex.
PxStatus px_mesh_builder_finish(PxMeshBuilder *builder, const char *name, PxMesh **out);
void px_mesh_builder_free(PxMeshBuilder *builder);

#endif
