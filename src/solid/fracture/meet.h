/// Where cracks meet: nodes that run into the sheet of another crack, and ends of fronts that
/// merge.
#ifndef PX_SOLID_FRACTURE_MEET_H
#define PX_SOLID_FRACTURE_MEET_H

#include "solid/fracture/fronts.h"

/// Does the segment from `a` to `b` cross the triangle? Both ends exchanged give the same bits if
/// the caller orders them. *at is the point.
bool px_segment_crosses(PxVec3 a, PxVec3 b, const PxVec3 corner[3], PxVec3 *at);

/// Does a node of `crack` that moves from `from` to *to cross the sheet of another crack of the
/// same body, or an old part of its own? Then *to becomes the first point where it does.
bool px_crack_meets(const PxCrackGrowth *growth, uint32_t body, uint32_t crack, PxVec3 from,
                    PxVec3 *to);

/// Is a sheet that is not `own` close ahead of the point *to, in the plane with that normal? Matter
/// there is cracked already; *to becomes a point on that sheet, so that no gap is left.
bool px_crack_is_done(const PxCrackGrowth *growth, uint32_t body, PxVec3 way, PxVec3 normal,
                      double cell, const uint32_t own[6], PxVec3 *to);

/// Merges fronts whose ends meet: two open fronts become one, one becomes closed (000 Figure 5.13
/// b). False: no memory.
bool px_fronts_merge(PxCrackGrowth *growth);

#endif
