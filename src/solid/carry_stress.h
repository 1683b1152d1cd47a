/// Transfer of elastic strain and stress to a new rest shape.
#ifndef PX_SOLID_CARRY_STRESS_H
#define PX_SOLID_CARRY_STRESS_H

#include "solid/solid.h"

/// Elastic strain in the axes of the new rest shape: the stress of `strain` is rotated by the
/// rotation of `map` (old to new rest shape), which keeps the elastic energy. Of the laws
/// `before` and `law` the softer one gives the stress: matter that stiffened keeps its stress and
/// gains no energy, matter that softened keeps its strain.
void px_solid_carry(const PxSolidLaw *before, const PxSolidLaw *law, PxMat3 map,
                    const double strain[6], double out[6]);

/// Green's strain of a deformation gradient: xx, yy, zz, xy, yz, zx.
void px_solid_green(PxMat3 deformation, double out[6]);

/// Deformation gradient J = I + H of a row, with H of the last px_solid_forces().
static inline PxMat3 px_solid_deformation(const PxSolid *s, uint32_t i)
{
    PxMat3 j;
    for (int k = 0; k < 9; ++k)
        j.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)] + (k % 4 == 0 ? 1 : 0);
    return j;
}

#endif
