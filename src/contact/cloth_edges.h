/// Contact of boundaries with cloth between its vertices: sharp edges and corners that would cut
/// into edges and triangles of cloth.
///
/// Where the normals of a boundary at the corners of a triangle differ, the point of each edge and
/// of the triangle that is nearest to the boundary, or deepest in it, is found by minimising the
/// boundary's distance along them (Macklin et al. 2020), and becomes a contact of the solve
/// (cloth/contact.h). That needs nothing of a boundary but its distance.
#ifndef PX_CONTACT_CLOTH_EDGES_H
#define PX_CONTACT_CLOTH_EDGES_H

#include "contact/cloth_walls.h"

/// Adds contacts to those of the step. Before it is assembled, after px_cloth_walls_hold().
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_begin(const PxClothWalls *walls, PxClothStep *step);
/// Gives the boundaries the impulses of the last solve.
void px_cloth_edges_end(const PxClothWalls *walls, const PxClothStep *step);

#endif
