/// Triangulates the surface of a shape, for pictures and skins.
#ifndef PX_SHAPE_TESSELLATE_H
#define PX_SHAPE_TESSELLATE_H

#include "shape/shape.h"

/// The surface of the shape where it stands, with normals; round ones in 256 steps.
/// `open`: without a bottom and a lid (boxes, cylinders, cones), for vessels that one
/// looks into. A plane has no triangles: PX_ERR_ARGUMENT. Errors: PX_ERR_MEMORY.
PxStatus px_tessellate(const PxShape *shape, bool open, PxMesh **out);

#endif
