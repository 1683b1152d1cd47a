/// A blob of melting matter that flies and spins in empty space while it freezes: momenta and
/// energy.
#ifndef PX_STUDY_FREE_MELT_H
#define PX_STUDY_FREE_MELT_H

#include "phyxel/world.h"

/// Where the blob freezes.
typedef enum PxFreezing {
    PX_FREEZES_EVENLY,  ///< a heater cools all of it within 0.1 s
    PX_FREEZES_INSIDE,  ///< a cold core in its middle grows by conduction
    PX_FREEZES_ONE_SIDE ///< the same with a core that is half a radius off the middle
} PxFreezing;

typedef struct PxFreeMeltDef {
    PxMaterialDef material; ///< melts between 40 and 60 degrees C
    double spacing, radius; ///< m
    PxVec3 velocity, spin;  ///< m/s, rad/s
    PxFreezing freezing;
    double seconds; ///< s
    int threads;    ///< 0: one for every core
} PxFreeMeltDef;

/// Wax of 0.2 MPa that melts into a fluid of 100 Pa s, radius 10 cm in spacings of 2 cm, spinning
/// at 5.3 rad/s about an oblique axis; 1 s.
PxFreeMeltDef px_free_melt_def_default(void);

typedef struct PxFreeMeltResult {
    double linear;  ///< change of momentum, over the momentum
    double angular; ///< change of angular momentum, over the angular momentum
    double gain;    ///< largest rise of kinetic plus elastic energy, over that at the start
    double molten;  ///< molten fraction of the mass at the end
} PxFreeMeltResult;

PxStatus px_free_melt(const PxFreeMeltDef *def, PxFreeMeltResult *out);

#endif
