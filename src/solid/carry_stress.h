/// Stress that goes on when the rest shape becomes another one.
#ifndef PX_SOLID_CARRY_STRESS_H
#define PX_SOLID_CARRY_STRESS_H

#include "solid/solid.h"

/// The elastic strain along a new rest shape that has the energy of `strain` and turns with the
/// body; `map` takes the old rest shape to the new one. Matter that became stiffer since `before`
/// does so under the stress that it has, and gains no energy by it; what became softer gives way.
void px_solid_carry(const PxSolidLaw *before, const PxSolidLaw *law, PxMat3 map,
                    const double strain[6], double out[6]);

/// Green's strain of a deformation: xx, yy, zz, xy, yz, zx.
void px_solid_green(PxMat3 deformation, double out[6]);

/// The deformation of a row, from the gradients of the last forces.
static inline PxMat3 px_solid_deformation(const PxSolid *s, uint32_t i)
{
    PxMat3 j;
    for (int k = 0; k < 9; ++k)
        j.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)] + (k % 4 == 0 ? 1 : 0);
    return j;
}

#endif
