/// Contact of cloth with bodies that yield, and with what pinches it between two sides.
///
/// Vertices near a rigid body get contacts of the solve (cloth/contact.h) whose other side is the
/// body itself (cloth/bodies.h): what the body presses reaches what lies below the cloth within
/// the same step. A vertex is held at one wall at most (contact/cloth_walls.h); a second one that
/// faces the first is such a contact, too, so that cloth stays between the two.
#ifndef PX_CONTACT_CLOTH_RIGIDS_H
#define PX_CONTACT_CLOTH_RIGIDS_H

#include "cloth/bodies.h"
#include "contact/cloth_walls.h"

/// Lists the bodies that yield and may meet cloth in this step as step->bodies, sets
/// walls->body_of, and adds contacts of vertices. `expected` are impulse and moment, by boundary,
/// that the motion of the bodies contains already; NULL: none. After px_cloth_walls_begin().
/// Errors: PX_ERR_MEMORY.
PxStatus px_cloth_rigids_begin(PxClothWalls *walls, PxClothStep *step, const PxVec3 (*expected)[2]);

/// Takes normals and gaps of the contacts of bodies anew where the present velocities lead: a
/// vertex that slides under a plate does not meet its rim. Between rounds of the solve.
void px_cloth_rigids_follow(const PxClothWalls *walls, PxClothStep *step);

/// Sets the stiffness of the contacts of bodies, when all are known.
void px_cloth_rigids_stiffen(PxClothStep *step);

#endif
