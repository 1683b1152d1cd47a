/// Set-ups on which SPlisHSPlasH 2.16 was timed, as scenes.
#ifndef PX_STUDY_PEER_SCENES_H
#define PX_STUDY_PEER_SCENES_H

#include "phyxel/world.h"

/// Its figures are from an idle 2-core machine of the same kind, 2 threads, AVX2, floats, the
/// better of Courant factors 0.5 and 1. 0: not known, or none.
typedef struct PxPeerScene {
    const char *name;
    const char *text;       ///< the scene
    double seconds;         ///< simulated, to the end of the scene
    bool quick;             ///< takes less than half a minute
    double peer_seconds;    ///< wall time
    double peer_steps;      ///< all of them
    double peer_iterations; ///< of pressure, a step
    double peer_viscosity;  ///< iterations of viscosity, a step
    double tolerance;       ///< of the pressure solves of both, per cent of the density
} PxPeerScene;

/// The set-up of that number; NULL after the last one.
const PxPeerScene *px_peer_scene(size_t k);

/// Its world at the start. Errors: PX_ERR_MEMORY.
PxStatus px_peer_world(const PxPeerScene *scene, int threads, PxWorld **out);

#endif
