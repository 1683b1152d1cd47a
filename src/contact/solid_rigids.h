/// Contact of solids with boundaries that yield: rigid bodies.
///
/// A row nearer to the body than its radius g0 has the energy
///   E = k (g0^2 ln(g0 / d) - g0 (g0 - d))
/// of its distance d (contact/solid_solids.h has the same of gaps). The force on the row points
/// along the normal and its opposite acts on the body at the same place, so linear and angular
/// momentum are kept. The rigid solver has moved the body for the whole step before; these forces
/// then change its motion in the sub-steps of the solids. `shift` and `angle` are the displacement
/// and rotation by them alone; the body gets them at the end of the step.
///
/// Friction acts at the row's place on both.
#ifndef PX_CONTACT_SOLID_RIGIDS_H
#define PX_CONTACT_SOLID_RIGIDS_H

#include "matter/boundary.h"
#include "solid/solid.h"

typedef struct PxSolidRigids {
    PxSolidPress press;        ///< what the integration calls
    const PxSolidPress *inner; ///< contact between solids, which it calls; NULL: none
    PxBoundary *const *boundary;
    size_t boundaries;
    bool silent;   ///< another rank, which has the same solids, gives boundaries their impulses
    bool implicit; ///< forces are those at the end of a sub-step
    double reach;  ///< set by the caller: limit of the sub-step that others want, s

    PxSolid *solid;
    struct PxSolidYield *yield; ///< bodies near solids
    uint32_t yields;
    struct PxSolidHit *hit; ///< rows that may meet a body, in order of bodies and rows
    uint32_t hits;
    uint32_t *group; ///< by frame, for the press
    double when;     ///< moment of the step that the bodies have reached, 0 .. 1
    double half;     ///< half of the last sub-step, s
} PxSolidRigids;

/// Finds the bodies and rows that may meet in the step. rigids->press is to be used only if there
/// are any (`hits`). Errors: PX_ERR_MEMORY.
PxStatus px_solid_rigids_begin(PxSolidRigids *rigids, PxSolid *solid);

/// Longest sub-step that the contacts at the start of the step allow, s.
double px_solid_rigids_reach(PxSolidRigids *rigids);

/// After a move of the solids that ended at moment `when`: moves the bodies along.
void px_solid_rigids_move(PxSolidRigids *rigids, double when);

/// At the end of the step: gives the bodies their impulses and displacements.
void px_solid_rigids_end(PxSolidRigids *rigids);

#endif
