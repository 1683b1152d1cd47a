/// What cracks do to bonds: the transparency method (000 Eq. 5.33, after Organ et al. 1996), or the
/// visibility criterion (Belytschko et al. 1994).
///
/// A crack between two particles lengthens their distance in the kernel the more, the further
/// the point where it lies between them is behind the front:
///   r / h  ->  r / h + (2 d / (k h))^2
/// with d the distance of that point from the front and k the opacity. (000 multiplies r by
/// 1 + h (...)^2, which adds a length to a number.) With the visibility criterion the bond is cut
/// at once.
#ifndef PX_SOLID_FRACTURE_SEVER_H
#define PX_SOLID_FRACTURE_SEVER_H

#include "solid/bonds.h"
#include "solid/fracture/fronts.h"

/// Lowers `strength` (a copy of that of the bonds) of all bonds across young triangles near which a
/// front has moved, and retires triangles that are further behind the front than matters. *changed:
/// the number of times that a bond was lowered. Errors: PX_ERR_MEMORY.
PxStatus px_cracks_sever(const PxCrackGrowth *growth, const PxBonds *bonds, float *strength,
                         uint64_t *changed);

#endif
