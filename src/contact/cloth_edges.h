/// Contact of boundaries with cloth between its vertices: sharp edges and corners that would cut
/// into edges and triangles of cloth.
///
/// If the normals of a boundary at the three corners of a triangle of cloth differ, a sharp edge of
/// the boundary may lie between them. Then the point with the smallest signed distance to the
/// boundary is searched on each edge of the triangle and inside it (Macklin et al. 2020), and
/// becomes a contact of the solve (cloth/contact.h). Only the boundary's distance function is
/// needed.
#ifndef PX_CONTACT_CLOTH_EDGES_H
#define PX_CONTACT_CLOTH_EDGES_H

#include "contact/cloth_walls.h"

/// Adds contacts to those of the step, and counts what boundaries cut into. Before it is assembled,
/// after px_cloth_walls_hold(). Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_begin(PxClothWalls *walls, PxClothStep *step);
/// Gives the boundaries the impulses of the last solve.
void px_cloth_edges_end(const PxClothWalls *walls, const PxClothStep *step);

#endif
