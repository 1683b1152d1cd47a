/// Stress of solids in the layer that touches boundaries or other solids, for output.
///
/// A contact force F acts on a particle's centre, so that the part of its cell between the centre
/// and the face carries no elastic stress: in the layer on which a column stands the mean over the
/// cells is half of rho g h. The force acts at the face, by the particle's radius r away, and adds
///   -r (F n^T + n F^T) / (2 V)
/// to the mean stress of the cell (Weber 1966), n being the normal from the other body. Forces of
/// boundaries are those that keep a particle at rest: elastic forces, gravity and contact with
/// solids push it into the boundary by m a, so that F_n = -m a_n, and friction bears as much of the
/// rest as Coulomb's law allows.
#ifndef PX_CONTACT_CONTACT_STRESS_H
#define PX_CONTACT_CONTACT_STRESS_H

#include "contact/solid_solids.h"
#include "matter/boundary.h"

typedef struct PxContactStress {
    PxSolid *solid;
    PxBoundary *const *boundary;
    size_t boundaries;
    const float *alone; ///< 4 a row: accelerations without other solids, in the frames, m/s^2
} PxContactStress;

/// Finds the contact forces between solids after px_solid_forces(); `solids` has its grid and
/// pairs, NULL: solids do not meet. Errors: PX_ERR_MEMORY.
PxStatus px_contact_stress_begin(PxContactStress *contact, PxSolidSolids *solids);

/// Adds the part of row i's contacts to its stress, Pa, in world axes.
void px_contact_stress_add(const PxContactStress *contact, uint32_t i, PxMat3 *stress);

#endif
