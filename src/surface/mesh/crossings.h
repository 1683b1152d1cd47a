/// Where a surface crosses sheets: pairs of triangles, and how they are taken apart.
///
/// No vertex of a surface is nearer to a sheet than the gap (surface/field/barrier.h), but a fold
/// that is narrower than a triangle may still reach through it.
#ifndef PX_SURFACE_MESH_CROSSINGS_H
#define PX_SURFACE_MESH_CROSSINGS_H

#include "base/parallel.h"
#include "phyxel/surface.h"
#include "surface/field/barrier.h"

/// The triangles of sheets in a tree.
typedef struct PxCrossings PxCrossings;

/// Errors: PX_ERR_MEMORY.
PxStatus px_crossings_create(const PxSurfaceSheet *sheet, uint32_t sheets, PxCrossings **out);
void px_crossings_free(PxCrossings *crossings); ///< accepts NULL

/// Moves triangles that cross sheets inwards, three times by a quarter of a cell. Sets
/// mesh->crossed to the pairs of a triangle of the mesh and one of a sheet that still cross (an
/// edge of one goes through the other), and adds balls there that the surface must avoid when it
/// is made again. Errors: PX_ERR_MEMORY.
PxStatus px_crossings_undo(const PxCrossings *crossings, PxSurfaceMesh *mesh, double cell,
                           PxBalls *balls, const PxThreads *threads);

#endif
