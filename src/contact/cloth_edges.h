/// Contact of boundaries with cloth between its vertices: sharp edges and corners that would cut
/// into edges and triangles of cloth.
///
/// If the normals of a boundary at the three corners of a triangle of cloth differ, it may be
/// higher between them. If it would reach into the distance that is kept by more than a quarter,
/// the point with the smallest signed distance to the boundary is searched on each edge of the
/// triangle and inside it (Macklin et al. 2020), and becomes a contact of the solve
/// (cloth/contact.h). Only the boundary's distance function is needed.
#ifndef PX_CONTACT_CLOTH_EDGES_H
#define PX_CONTACT_CLOTH_EDGES_H

#include "contact/cloth_walls.h"

/// Adds contacts to those of the step, and counts what boundaries cut into. Before it is assembled,
/// after px_cloth_walls_hold(). Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_begin(PxClothWalls *walls, PxClothStep *step);
/// Adds contacts where the motion w leads into boundaries at other places than those of the
/// contacts that there are; *found is their number. An edge of a boundary presses into another
/// place of cloth that slides over it than at the start. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_again(PxClothWalls *walls, PxClothStep *step, uint32_t *found);
/// Gives the boundaries the impulses of the last solve. Before px_cloth_walls_end().
void px_cloth_edges_end(PxClothWalls *walls, const PxClothStep *step);

#endif
