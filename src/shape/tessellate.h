/// Triangulates the surface of a shape, for rendering and skins.
#ifndef PX_SHAPE_TESSELLATE_H
#define PX_SHAPE_TESSELLATE_H

#include "shape/shape.h"

/// The surface of the shape in the world frame, with normals; circles have 256 segments.
/// `open` leaves out the bottom and the lid (boxes, cylinders, cones), for vessels that one
/// looks into. Errors: PX_ERR_ARGUMENT for a plane, PX_ERR_MEMORY.
PxStatus px_tessellate(const PxShape *shape, bool open, PxMesh **out);

#endif
