/// Contact of solids with boundaries: each particle is a ball, with friction and restitution.
#ifndef PX_CONTACT_SOLID_WALLS_H
#define PX_CONTACT_SOLID_WALLS_H

#include "matter/boundary.h"
#include "solid/solid.h"

typedef struct PxSolidWalls {
    PxBoundary *const *boundary;
    size_t boundaries;
    bool silent;   ///< another rank, which has the same solids, gives boundaries their impulses
    uint8_t *near; ///< by row: it may reach a boundary in this step
    uint8_t
        *near_pieces; ///< the same for rows of rigid pieces, which `near` leaves out; NULL: none
    struct PxPieceContact *contact; ///< of a rigid piece (piece_walls.h)
    float *last;   ///< 4 per row: displacement at the last distance test, and that distance
    float *radius; ///< by row: contact distance in this step, m
    float *push;   ///< 4 per row: impulse by boundaries in the last move, N s, and that times the
                   ///< boundary's velocity; NULL: restitution removes no speed of any body
    uint32_t *by;  ///< by row: the boundary of the last contact, or PX_NO_BOUNDARY
    struct PxSolidLoad *load; ///< by row: impulse that this boundary has to take
    PxVec3 *speed;   ///< by frame: mean velocity of the body after the last move, in the frame, m/s
    double travel;   ///< bound of the displacement of any boundary in this step, m
    uint64_t caught; ///< contacts in this step
    uint64_t leaked; ///< rows whose centre is inside a boundary after the step
    uint32_t stuck;  ///< the first of them; UINT32_MAX: none
} PxSolidWalls;

#define PX_NO_BOUNDARY UINT32_MAX

/// Finds the rows that may meet a boundary during the step. The boundaries must have begun it.
/// Errors: PX_ERR_MEMORY.
PxStatus px_solid_walls_begin(PxSolidWalls *walls, PxSolid *solid);

/// Resolves contacts after a move that ended at moment `when` of the step.
void px_solid_walls_touch(PxSolidWalls *walls, PxSolid *solid, double when);

/// For rows that may meet a boundary: contact data of the nearest one at solid->when.
void px_solid_walls_meet(PxSolidWalls *walls, PxSolid *solid, PxSolidContact *contact);

/// After an implicit solve with contacts: boundaries take the contact impulses, and bodies that
/// rebound lose speed according to their restitution.
void px_solid_walls_rebound(PxSolidWalls *walls, PxSolid *solid, const PxSolidContact *contact);

/// Notes that row i, at `place`, got an impulse from boundary k, which takes the opposite.
void px_solid_walls_note(PxSolidWalls *walls, uint32_t i, uint32_t k, PxVec3 place, PxVec3 impulse);

/// Does boundary k stand or follow keyframes? Others, which yield, have contact of their own
/// (contact/solid_rigids.h).
static inline bool px_solid_walls_stands(const PxSolidWalls *walls, size_t k)
{
    return !(walls->boundary[k]->per_mass > 0);
}

/// At the end of the step: gives the accumulated impulses to the boundaries.
void px_solid_walls_end(PxSolidWalls *walls, const PxSolid *solid);

#endif
