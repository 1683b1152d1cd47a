/// Flat rectangles of triangles, from which cloth is made.
#ifndef PX_SHAPE_RECTANGLE_H
#define PX_SHAPE_RECTANGLE_H

#include "phyxel/make.h"
#include "shape/mesh.h"

/// Most cells along a side.
#define PX_RECTANGLE_MOST_CELLS 2000.0

/// A rectangle in the plane of x and z about the origin, `size[0]` along x, whose triangles face
/// +y. Its texture coordinates are lengths from the corner with the least x and z, m. `extra`
/// vertices are added to an irregular pattern, two triangles each.
/// Errors: PX_ERR_ARGUMENT for sizes that are not positive and for cells that are not whole numbers
/// from 1 to PX_RECTANGLE_MOST_CELLS; PX_ERR_MEMORY.
PxStatus px_rectangle_mesh(const double size[2], const double cells[2], PxSheetPattern pattern,
                           uint64_t seed, uint32_t extra, PxMesh **out);

#endif
