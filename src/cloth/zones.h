/// Rigid impact zones: the last resort of collisions within a step (Provot 1997; Harmon et al.
/// 2008).
///
/// What would still cross after contacts and ties have been solved for is joined: the vertices of
/// a pair, and bodies that press on them, become a zone that moves as one rigid body, with the
/// mass, momentum and angular momentum of its members. In the velocity field V + W x r no two
/// points come nearer, so a zone cannot cross itself; where zones meet others they join, until
/// nothing crosses. Momentum is kept, and kinetic energy can only be lost. A zone with vertices
/// that stick to a wall moves as these do. Not used where handles hold cloth: zones cannot stretch.
#ifndef PX_CLOTH_ZONES_H
#define PX_CLOTH_ZONES_H

#include "cloth/collide.h"

/// Changes w, and the changes of bodies, until no pair crosses on the way from x to x + dt w; *left
/// is the number of those that still do. Errors: PX_ERR_MEMORY, PX_ERR_STOPPED.
PxStatus px_cloth_zones(PxClothCollision *collision, PxClothStep *step, uint32_t *left);

#endif
