/// The gap between a row and the rows of another solid around it: its energy and derivatives
/// (contact/solid_solids.h has the formulas).
#ifndef PX_CONTACT_TOUCH_H
#define PX_CONTACT_TOUCH_H

#include "base/simd.h"
#include "base/vec.h"
#include "contact/facing.h"

/// A row touches a solid.
typedef struct PxSolidTouch {
    double gap;    ///< m
    double force;  ///< N
    double stiff;  ///< second derivative of the energy, N/m
    double energy; ///< J
    double light;  ///< opening of the gap by a unit force on it: sum of squared slopes over masses
    double slopes; ///< sum of the lengths of all slopes
    PxVec3 slope;  ///< derivative of the gap with respect to the row's position
    PxVec3 normal; ///< from the other solid
    PxVec3 way;    ///< from the row to the mean y_i, m
    /* friction */
    PxVec3 rest;       ///< the same way in the rest shape of the row
    PxVec3 rub;        ///< force on the row, N
    PxVec3 stuck;      ///< in an implicit solve: displacement that it resists already, over dt, m/s
    PxVec3 slide;      ///< and direction of sliding
    double grip;       ///< largest friction, N
    double give;       ///< displacement at which it slides, m
    double drag, bend; ///< across and along the direction of sliding, kg/s
} PxSolidTouch;

/// Slopes of the gap with respect to the rows of the list, and their weights over the sum, by
/// entry of the facings. Half of the rows are beyond the support and have none.
typedef struct PxTouchSlopes {
    float *x, *y, *z, *weight;
    uint8_t *some; ///< by 8 entries: a bit for each with a weight
} PxTouchSlopes;

/// Goes through the entries `e` with a weight of a facing's list, in order; e - e % 8 is `PX_from`.
#define PX_FOR_TOUCHING(slopes, facing, e)                                                         \
    for (uint32_t PX_from = (facing)->start; PX_from < (facing)->start + (facing)->size;           \
         PX_from += 8)                                                                             \
        for (unsigned PX_left = (slopes)->some[PX_from / 8], e = 0;                                \
             PX_left != 0 && (e = PX_from + (unsigned)__builtin_ctz(PX_left), true);               \
             PX_left &= PX_left - 1)

typedef struct PxTouchPass {
    const PxFacings *facings;
    const float *modulus;  ///< by row: of plane waves, Pa
    double *spot;          ///< 4 a row: its place, m, and that modulus
    const float *per_mass; ///< by row, 1/kg
    PxTouchSlopes slopes;
} PxTouchPass;

/// Finds the contact of a facing at the positions `spot`. False: there is none; then
/// `excess` is the part of the gap above g0, otherwise 0.
PX_ISA_DECLARE(bool, px_touch_find,
               (const PxTouchPass *pass, uint32_t facing, PxSolidTouch *out, double *excess));

#endif
