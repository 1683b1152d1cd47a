/// The change of forces with displacements, by instruction set.
#ifndef PX_SOLID_IMPLICIT_EULER_H
#define PX_SOLID_IMPLICIT_EULER_H

#include "solid/solid.h"

typedef struct PxTangent {
    PxSolid *solid;
    const float *quad; ///< change of displacement, 4 a row; the fourth is that of solid->u
    float *stress;     ///< at the displacements it is taken at, where px_solid_at() says
    bool definite;     ///< leave out what may make it indefinite
} PxTangent;

/// Takes scratch for it.
PX_ISA_DECLARE(PxStatus, px_tangent_take, (PxTangent * tangent));

/// Keeps the stress of the gradients in the solid; call it again when `definite` changed.
PX_ISA_DECLARE(void, px_tangent_begin, (PxTangent * tangent));

/// Records of the forces' change, for px_solid_force(); the user is the tangent.
PX_ISA_DECLARE(void, px_tangent_block, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
