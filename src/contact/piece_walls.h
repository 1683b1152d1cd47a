/// Contact of rigid pieces (solid/pieces.h) with boundaries.
///
/// Rows of a piece are balls, as those of other solids. Other rows are stopped one by one, and
/// elastic forces carry that on; the impulses on rows of a rigid piece depend on each other. They
/// are found by projected Gauss-Seidel iterations (Jourdan, Alart and Jean 1998): each contact in
/// turn gets the impulse that stops its row, at the mass that the piece has there; the sum of the
/// normal ones is not negative, and that of friction is within Coulomb's cone. Contact is without
/// restitution.
#ifndef PX_CONTACT_PIECE_WALLS_H
#define PX_CONTACT_PIECE_WALLS_H

#include "contact/solid_walls.h"

/// Takes the rows of rigid pieces out of walls->near. Errors: PX_ERR_MEMORY.
PxStatus px_piece_walls_begin(PxSolidWalls *walls, PxSolid *solid);

/// Resolves contacts after a move that ended at moment `when` of the step.
void px_piece_walls_touch(PxSolidWalls *walls, PxSolid *solid, double when);

#endif
