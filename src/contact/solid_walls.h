/// Solids against walls: a particle's ball stays out of them, with friction and restitution.
#ifndef PX_CONTACT_SOLID_WALLS_H
#define PX_CONTACT_SOLID_WALLS_H

#include "matter/wall.h"
#include "solid/solid.h"

typedef struct PxSolidWalls {
    const PxWall *wall;
    size_t walls;
    uint8_t *near; ///< by row: it may reach a wall in this step
    float *last;   ///< 4 a row: its displacement when it was last looked at, and how far walls were
    float *radius; ///< by row: how near it comes to walls in this step, m
    float *push;   ///< 4 a row: by walls in the last move; NULL: no body loses speed to them
    PxVec3 *speed; ///< by frame: of the body as a whole after the last move, in the frame, m/s
    double way;    ///< longest of any wall's matter in this step, m
    uint64_t caught; ///< contacts in this step
    uint64_t leaked; ///< rows whose middle is in a wall after it
} PxSolidWalls;

/// Finds who may meet a wall during the step; the walls have moved for it already.
/// Errors: PX_ERR_MEMORY.
PxStatus px_solid_walls_begin(PxSolidWalls *walls, PxSolid *solid);

/// After a move that ended at `when` (0 the start of the step, 1 its end).
void px_solid_walls_touch(PxSolidWalls *walls, PxSolid *solid, double when);

/// For the rows that may meet a wall: the nearest one at solid->when.
void px_solid_walls_meet(PxSolidWalls *walls, PxSolid *solid, PxSolidContact *contact);

/// Bodies that push themselves off walls lose what restitution says.
void px_solid_walls_rebound(PxSolidWalls *walls, PxSolid *solid, const PxSolidContact *contact);

#endif
