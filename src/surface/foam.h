/// Whitewater: spray, foam and bubbles as diffuse particles, made from the frames of a run.
///
/// After Ihmsen, Akinci, Akinci and Teschner (2012), "Unified spray, foam and air bubbles for
/// particle-based fluids". Fluid particles create diffuse ones where air is trapped (relative
/// velocities of neighbours that approach each other), at crests of waves (convex surface that
/// moves along its normal), and the more the faster they are. Diffuse particles do not act on the
/// fluid or on each other. By the number of fluid particles around them they are spray (ballistic),
/// foam (carried along) or bubbles (carried along, and rising).
///
/// Deviations: all speeds are relative to `speed`, so that a scene may have any size; relative
/// velocities are weighted means instead of sums. Positions and lifetimes are hashed from the ids
/// of fluid particles, so the result has the same bits for any number of threads.
#ifndef PX_SURFACE_FOAM_H
#define PX_SURFACE_FOAM_H

#include "base/memory.h"
#include "base/parallel.h"
#include "matter/wall.h"

typedef enum PxFoamKind { PX_FOAM_SPRAY, PX_FOAM_FOAM, PX_FOAM_BUBBLE } PxFoamKind;

/// A diffuse particle.
typedef struct PxFoamGrain {
    float x[3], v[3]; ///< m, m/s
    float radius;     ///< m
    float left;       ///< lifetime left, s: passes while it is foam, or touches a wall
    uint32_t kind;    ///< PxFoamKind
} PxFoamGrain;

typedef struct PxFoam {
    PX_LIST(PxFoamGrain) grains;
} PxFoam;

typedef struct PxFoamDef {
    double spacing; ///< of the fluid's particles, m
    PxVec3 gravity; ///< m/s^2
    double speed;   ///< of violent flow, m/s: particles much slower than it create nothing
    double amount;  ///< factor on the number of diffuse particles
    double life;    ///< mean lifetime of foam, s
    const PxWall *const *wall; ///< at their poses at the time of the step
    size_t walls;
    PxThreads threads;
} PxFoamDef;

/// The particles of liquids at one time.
typedef struct PxFoamFluid {
    const float *x[3], *v[3];
    const uint64_t *id;
    uint32_t count;
} PxFoamFluid;

/// Most diffuse particles.
#define PX_FOAM_MOST 20000000u

/// Moves the diffuse particles by `dt`, removes those whose life is over, and adds new ones.
/// `step` numbers the steps, for random numbers. Errors: PX_ERR_MEMORY.
PxStatus px_foam_step(PxFoam *foam, const PxFoamDef *def, const PxFoamFluid *fluid, uint64_t step,
                      double dt);

void px_foam_free(PxFoam *foam);

#endif
