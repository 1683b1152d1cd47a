/// Poses of a mesh: the positions of its vertices at equal intervals of time, from a PC2 file or
/// from a numbered sequence of mesh files with the same triangles.
#ifndef PX_SHAPE_POSES_H
#define PX_SHAPE_POSES_H

#include "phyxel/shape.h"
#include "shape/mesh.h"

/// Most poses of one mesh.
#define PX_POSES_MOST 1000000u

/// Positions are in the units and axes of the file.
typedef struct PxPoses {
    uint32_t vertices, count; ///< of each pose; number of poses, >= 1
    float (*place)[3];        ///< pose by pose
    double every;             ///< frames from one pose to the next, > 0
    double rate, start;       ///< poses per second; time of the first, s
    bool loop, smooth;
    uint32_t intervals; ///< between poses; one more than without a loop, which ends at the first
    double *speed;      ///< by interval: bound of the speed of any vertex, in units per second
} PxPoses;

/// Reads the poses that the def names. `mesh` has the positions of its file: every pose must have
/// as many vertices and stay closed, mesh files the same triangles. Messages name the file, the
/// pose (from 1) and what was wanted. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_ARGUMENT,
/// PX_ERR_MEMORY.
PxStatus px_poses_read(const PxShapeDef *def, const PxMesh *mesh, PxPoses **out);
void px_poses_free(PxPoses *poses); ///< NULL is fine

/// Bytes of a PC2 file: the cache of points that Maya, 3ds Max and Blender write. Sets vertices,
/// count, place and every. Memory grows with the bytes, never with a count in the header. `name`
/// begins messages. Errors: PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_poses_read_pc2(const char *name, const void *bytes, size_t size, PxPoses **out);

/// Positions at a time, in units of the file: linear between poses, or a Catmull-Rom spline. Before
/// the first pose and, without a loop, after the last one the mesh stands still.
void px_poses_at(const PxPoses *poses, double time, PxVec3 *out);

/// Time of the last pose, s; INFINITY for a loop.
double px_poses_end(const PxPoses *poses);

/// The greatest speed of a vertex at any time, in units per second.
double px_poses_speed(const PxPoses *poses);

/// The longest time <= limit, s, from `now` on, in which no vertex travels further than `most`.
double px_poses_limit(const PxPoses *poses, double now, double most, double limit);

#endif
