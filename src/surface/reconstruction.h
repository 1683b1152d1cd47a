/// What a surface is made from, made ready: fields of the particles and the barriers around.
#ifndef PX_SURFACE_RECONSTRUCTION_H
#define PX_SURFACE_RECONSTRUCTION_H

#include "surface/field/barrier.h"
#include "surface/field/potential.h"

typedef struct PxReconstruction {
    PxThreads threads;
    PxPotential field;
    PxPotential other;
    bool has_other;
    PxBarriers barriers;
    PxMeshTree **sheet; ///< NULL where there are none
    uint32_t sheets;
} PxReconstruction;

/// Checks everything. Errors: those of px_surface_make(). Free it in any case.
PxStatus px_reconstruction_create(PxReconstruction *scope, const PxSurfaceDef *def,
                                  const PxSurfaceParticles *particles, const PxWall *wall,
                                  size_t walls);
void px_reconstruction_free(PxReconstruction *scope);

#endif
