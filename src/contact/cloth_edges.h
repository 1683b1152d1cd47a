/// Contact of boundaries with cloth between its vertices: sharp edges and corners that would cut
/// into edges and triangles of cloth (contact/cloth_places.h), as contacts of the solve
/// (cloth/contact.h).
#ifndef PX_CONTACT_CLOTH_EDGES_H
#define PX_CONTACT_CLOTH_EDGES_H

#include "contact/cloth_walls.h"

/// Adds contacts to those of the step, and counts what boundaries cut into. Before it is assembled,
/// after px_cloth_walls_hold(). Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_begin(PxClothWalls *walls, PxClothStep *step);
/// Adds contacts where the motion w leads into boundaries at other places than those of the
/// contacts that there are: an edge of a boundary presses into another place of cloth that slides
/// over it than at the start. *found is their number. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_again(PxClothWalls *walls, PxClothStep *step, uint32_t *found);
/// The same for places that the motion w leads into boundaries deeper than a part of the distance
/// that is kept; contacts that give way so much are stiffened. After the rounds of the solve.
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_harden(PxClothWalls *walls, PxClothStep *step, uint32_t *found);
/// Gives the boundaries the impulses of the last solve. Before px_cloth_walls_end().
void px_cloth_edges_end(PxClothWalls *walls, const PxClothStep *step);
/// Moves places that are still too deep in boundaries out of them, and stops them there: the last
/// resort, after px_cloth_walls_end(). Was anything moved, and is something left that is too deep?
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_repair(PxClothWalls *walls, PxClothStep *step, bool *moved, bool *left);
/// How deep boundaries then are in cloth, over the distance that is kept; less than a third may go
/// unnoticed. Errors: PX_ERR_MEMORY.
PxStatus px_cloth_edges_deepest(PxClothWalls *walls, double *deepest);

#endif
