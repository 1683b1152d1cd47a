/// Solids against boundaries: a particle's ball stays out of them, with friction and restitution.
#ifndef PX_CONTACT_SOLID_WALLS_H
#define PX_CONTACT_SOLID_WALLS_H

#include "matter/boundary.h"
#include "solid/solid.h"

typedef struct PxSolidWalls {
    PxBoundary *const *boundary;
    size_t boundaries;
    uint8_t *near; ///< by row: it may reach a boundary in this step
    float *last;   ///< 4 a row: its displacement when it was last tested, and the distance then
    float *radius; ///< by row: how close it comes to boundaries in this step, m
    float *push;   ///< 4 a row: impulse by boundaries in the last move, N s, and that times the
                   ///< boundary's own speed; NULL: no body loses speed to restitution
    uint32_t *by;  ///< by row: the boundary that pushed it last, or PX_NO_BOUNDARY
    struct PxSolidLoad *load; ///< by row: what that boundary is to take
    PxVec3 *speed;   ///< by frame: of the body as a whole after the last move, in the frame, m/s
    double travel;   ///< of any boundary in this step, m; a bound
    uint64_t caught; ///< contacts in this step
    uint64_t leaked; ///< rows whose centre is inside a boundary after it
} PxSolidWalls;

#define PX_NO_BOUNDARY UINT32_MAX

/// Finds which rows may meet a boundary during the step, which the boundaries have begun already.
/// Errors: PX_ERR_MEMORY.
PxStatus px_solid_walls_begin(PxSolidWalls *walls, PxSolid *solid);

/// After a move that ended at moment `when` of the step.
void px_solid_walls_touch(PxSolidWalls *walls, PxSolid *solid, double when);

/// For the rows that may meet a boundary: the nearest one at solid->when.
void px_solid_walls_meet(PxSolidWalls *walls, PxSolid *solid, PxSolidContact *contact);

/// After a solve with contacts: boundaries take what the contacts gave, and bodies that push
/// themselves off lose what restitution says.
void px_solid_walls_rebound(PxSolidWalls *walls, PxSolid *solid, const PxSolidContact *contact);

/// When the step is over: gives boundaries what they are to take.
void px_solid_walls_end(PxSolidWalls *walls, const PxSolid *solid);

#endif
