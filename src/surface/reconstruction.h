/// The input of a surface reconstruction: the fields of both phases, and the barriers.
#ifndef PX_SURFACE_RECONSTRUCTION_H
#define PX_SURFACE_RECONSTRUCTION_H

#include "base/stop.h"
#include "surface/field/barrier.h"
#include "surface/field/potential.h"

typedef struct PxReconstruction {
    PxThreads threads;
    PxStop stop;
    PxPotential field;
    PxPotential other;
    bool has_other;
    PxBarriers barriers;
    PxMeshTree **sheet; ///< NULL if there are no sheets
    uint32_t sheets;
    uint8_t *alone; ///< by particle: it is a drop of its own, and in no field; NULL: none is
} PxReconstruction;

/// Checks def and particles and builds fields and barriers. With `drops` those particles are left
/// out that are alone. Errors: those of px_surface_make(). Free it in any case.
PxStatus px_reconstruction_create(PxReconstruction *recon, const PxSurfaceDef *def,
                                  const PxSurfaceParticles *particles, const PxWall *wall,
                                  size_t walls, bool drops);
void px_reconstruction_free(PxReconstruction *recon);

#endif
