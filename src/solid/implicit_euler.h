/// Products of the tangent stiffness with displacements, for each instruction set.
#ifndef PX_SOLID_IMPLICIT_EULER_H
#define PX_SOLID_IMPLICIT_EULER_H

#include "solid/solid.h"

typedef struct PxTangent {
    PxSolid *solid;
    const float *quad; ///< increment of displacement, 4 a row; the fourth is that of solid->u
    float *stress;     ///< at the linearisation point, 6 a row, indexed by px_solid_at()
    bool definite;     ///< drop the terms that may make the tangent indefinite
} PxTangent;

/// Takes scratch for `stress`.
PX_ISA_DECLARE(PxStatus, px_tangent_take, (PxTangent * tangent));

/// Linearises at the solid's present gradients: fills `stress`. Call again after changing
/// `definite`.
PX_ISA_DECLARE(void, px_tangent_begin, (PxTangent * tangent));

/// Fills the records from which px_solid_force() gives the increment of force; `user` is the
/// PxTangent.
PX_ISA_DECLARE(void, px_tangent_block, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
