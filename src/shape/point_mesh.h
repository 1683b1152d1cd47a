/// Closed meshes around point clouds: points of a surface with normals, as scanners and point-based
/// modellers give them.
#ifndef PX_SHAPE_POINT_MESH_H
#define PX_SHAPE_POINT_MESH_H

#include "shape/mesh.h"

/// Fewest points that enclose something.
#define PX_POINT_MESH_LEAST 20

/// Makes the mesh. `normal` points outwards, of any length; `colour` may be NULL. Triangles are
/// about as large as the distance of neighbouring points. Holes are closed (winding number).
/// `name` begins messages. Errors: PX_ERR_FORMAT for points that enclose nothing, that have no
/// extent or normals that point inwards; PX_ERR_MEMORY.
PxStatus px_mesh_of_points(const PxVec3 *point, const PxVec3 *normal, const PxVec3 *colour,
                           size_t count, const char *name, PxMesh **out);

#endif
