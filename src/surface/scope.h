/// What a surface is made from, made ready: fields of the particles and the barriers around.
#ifndef PX_SURFACE_SCOPE_H
#define PX_SURFACE_SCOPE_H

#include "surface/barrier.h"
#include "surface/potential.h"

typedef struct PxScope {
    PxThreads threads;
    PxPotential field;
    PxPotential other;
    bool has_other;
    PxBarriers barriers;
    PxMeshTree **sheet; ///< NULL where there are none
    uint32_t sheets;
} PxScope;

/// Checks everything. Errors: those of px_surface_make(). Free it in any case.
PxStatus px_scope_create(PxScope *scope, const PxSurfaceDef *def,
                         const PxSurfaceParticles *particles, const PxWall *wall, size_t walls);
void px_scope_free(PxScope *scope);

#endif
