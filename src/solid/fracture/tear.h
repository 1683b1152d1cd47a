/// Bonds that tear: particles which a crack has left hanging.
///
/// Fronts follow the stress over cells, and near a crack no other begins (`shield`). Single
/// particles between cracks may then be stretched far beyond what the material bears, which
/// stiffens the solid and shortens its sub-steps: 2,272 instead of 67 in a step of 2.2 ms in the
/// bursting block of `phyxel bench fracture`. Where the stress is 10 times the strength and beyond
/// Young's modulus, the bonds that are stretched most are cut.
#ifndef PX_SOLID_FRACTURE_TEAR_H
#define PX_SOLID_FRACTURE_TEAR_H

#include "solid/bonds.h"
#include "solid/fracture/field.h"

/// Cuts such bonds in the planned `strength`; *changed is increased by their number.
void px_fracture_tear(const PxFractureField *field, const PxBonds *bonds, float *strength,
                      uint64_t *changed);

#endif
