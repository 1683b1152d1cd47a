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
/// solid (contact/solid_self.h). Which rows may touch is found once a step (contact/facing.h).
#ifndef PX_CONTACT_SOLID_SOLIDS_H
#define PX_CONTACT_SOLID_SOLIDS_H

#include "contact/facing.h"
#include "contact/solid_rebound.h"
#include "contact/touch.h"

typedef struct PxSolidSolids {
    PxSolidPress press; ///< what the integration calls
    PxFacings facings;  ///< solid_rows, self, version and grid are set by the caller
    PxSolid *solid;
    double reach;  ///< set by the caller: limit of the sub-step that others want, s
    bool implicit; ///< set by the caller: friction takes part in a solve

    PxTouchPass pass;
    PxSolidTouch *touch; ///< by facing
    uint8_t *on;         ///< by facing: it is a contact
    uint32_t *active;    ///< facings in contact, ascending
    uint32_t actives;
    uint32_t *first, *end; ///< by pair: its contacts in `active`
    PxVec3 *moved;         ///< by row: displacement since the forces before, m
    PxVec3 *push;          ///< by row: sum of contact forces, N
    double *spread;        ///< by frame: largest velocity of its rows relative to its mean, m/s
    double *shift;         ///< by frame: how far its rows moved relative to its mean, m
    double *way;           ///< by pair: how far rows moved relative to each other, at most, m
    double *speed;         ///< by pair: bound of the speed at which rows pass each other, m/s
    double *longest;       ///< by contact: longest sub-step, s
    double *due;           ///< by facing that is no contact: `way` at which it may be one, m
    uint32_t *group;       ///< by frame: the first frame that it touches, also through others
    PxSolidRebound rebound;

    float *gradient;    ///< leapfrog: 9 a row, at the forces before
    float *gap;         ///< leapfrog: by facing: at the forces before, m; 0: it was no contact
    double left;        ///< leapfrog: part of what friction owes that a row keeps without contact
    float *owed;        ///< leapfrog: by facing: what friction owes, N s, but of a row's first
    float *rub_light;   ///< leapfrog: by facing: relative velocity for a unit impulse; 0: not known
    uint32_t *holder;   ///< by row: contact whose displacement is stored, plus 1; 0: none
    PxSolidTouch *kept; ///< implicit: contacts as friction sees them, `kepts` of them
    uint32_t *kept_of;  ///< their facings
    uint32_t *kept_first, *kept_end; ///< by pair
    uint32_t kepts;
    float *share;    ///< implicit: by entry: weight over the sum, of those contacts
    float *grip;     ///< implicit: by facing: the last grip, N
    PxVec3 *rubbing; ///< by contact: force or change of it, N
    double dt;       ///< implicit: of the sub-step, s
} PxSolidSolids;

/// Finds the rows that may touch in this step. solids->press is to be used only if there are any
/// (`facings.facings`). Errors: PX_ERR_MEMORY.
PxStatus px_solid_solids_begin(PxSolidSolids *solids, PxSolid *solid);

/// Time in which rows approach what they may touch by at most half of their radius, s.
double px_solid_solids_reach(const PxSolidSolids *solids);

#endif
