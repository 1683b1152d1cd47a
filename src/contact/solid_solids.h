/// Contact between solids, with friction.
///
/// For a particle (row) i near another solid B, the mean position of B's particles around it is
///   y_i = sum_j w_ij x_j / sum_j w_ij,   w_ij = (1 - r^2/h^2)^3,
/// and the gap of i is g_i = |x_i - y_i|. For a particle one spacing above a lattice, only the
/// outermost layer of B is in the sum, so the gap is the distance from that layer and does not vary
/// along it. If the gap is below the sum g0 of the two radii, the particle has the energy
///   E_i = k (g0^2 ln(g0 / g) - g0 (g0 - g)),
/// whose force k (g0 - g) g0 / g grows without bound as the gap closes, so solids do not pass
/// through each other. Its gradient acts on i and on all rows of B around it. The gap depends on
/// distances alone, so linear and angular momentum are conserved. (000 section 5.8 finds a contact
/// surface first and spreads penalty forces from it; 5.46's weights do not conserve angular
/// momentum.)
///
/// Where parts of B lie on opposite sides of i, as in a slot, only those on the nearest side count
/// in a step: their mean would lie between them. Distant parts of the same solid count as another
/// solid (contact/solid_self.h).
///
/// Friction acts at y_i, which is a weighted mean of rows on both sides: w_ij on the side of B, and
/// on the side of i the linear extrapolation of its fit (solid/lists.h). So it has no net torque
/// either.
#ifndef PX_CONTACT_SOLID_SOLIDS_H
#define PX_CONTACT_SOLID_SOLIDS_H

#include "contact/solid_rebound.h"
#include "contact/solid_self.h"
#include "matter/pairs.h"
#include "solid/solid.h"

typedef struct PxSolidSolids {
    PxSolidPress press; ///< what the integration calls
    PxSolid *solid;
    PxGrid *grid;              ///< of the caller, who keeps the memory between steps
    PxPairs *pairs;            ///< of the candidates, numbered by cell
    const uint8_t *solid_rows; ///< by row: can touch other solids; NULL: all can
    PxSolidSelf *self;         ///< for contact of solids with themselves; NULL: they have none
    uint64_t version;          ///< of the elastic set, for `self`

    PxVec3 *where;  ///< by row: position at the start of the step, m
    uint32_t count; ///< candidates: rows that may come near another solid in this step
    uint32_t *row;  ///< of each
    double *place;  ///< 3 for each: position
    float *slope;   ///< 4 per entry of the lists: derivative of the gap, and weight over their sum
    float *radius;  ///< by frame: that of the smallest rows, which cover its surface, m
    PxVec3 *speed;  ///< by candidate: velocity at the start of the step, m/s
    uint8_t *own;   ///< by candidate: may touch distant rows of its own solid
    uint32_t *active; ///< candidates with a row of another solid within the search radius
    uint32_t actives;
    uint32_t *group; ///< by frame: number of the first frame that it touches, also through others
    struct PxSolidTouch *touch; ///< contacts, in order of rows; TOUCHES for each candidate
    uint32_t touches;           ///< in contact now
    struct PxSolidRub *rub;     ///< contacts as friction sees them, in order of candidates
    uint32_t rubs;
    float *share; ///< by entry of the lists: weight over their sum, of those contacts
    float *grip;  ///< by candidate: sum of the largest frictions, N
    double dt;    ///< of the sub-step, s
    bool solved;  ///< friction took part in the solve of this sub-step
    PxSolidRebound rebound;
    double reach; ///< set by the caller: limit of the sub-step that others want, s
} PxSolidSolids;

/// Finds the candidates of this step, by the boxes of all components first. solids->press is to be
/// used only if there are any. Errors: PX_ERR_MEMORY.
PxStatus px_solid_solids_begin(PxSolidSolids *solids, PxSolid *solid);

/// Time in which rows move at most a quarter of their radius relative to what they may touch, s.
double px_solid_solids_reach(const PxSolidSolids *solids);

#endif
