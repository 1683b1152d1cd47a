/// The closed isosurface of a volume of samples, by marching cubes (cube.h).
#ifndef PX_SURFACE_MESH_ISOSURFACE_H
#define PX_SURFACE_MESH_ISOSURFACE_H

#include "shape/mesh.h"
#include "shape/volume.h"

/// The surface that encloses samples above `at`, or those below it. Outside the volume nothing is
/// inside, so that pieces cut by its sides are closed there. *pieces is the number of connected
/// pieces, `largest` keeps that with the most triangles only. Positions are those of the volume
/// times `scale`. `name` begins messages.
/// Errors: PX_ERR_ARGUMENT if no sample is inside; PX_ERR_MEMORY.
PxStatus px_isosurface(const char *name, const PxVolume *volume, double at, bool below,
                       bool largest, double scale, PxMesh **out, uint32_t *pieces);

#endif
