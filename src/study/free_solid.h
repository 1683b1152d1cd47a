/// A free block of a solid that flies, spins and vibrates: conservation of energy and momenta.
#ifndef PX_STUDY_FREE_SOLID_H
#define PX_STUDY_FREE_SOLID_H

#include "phyxel/world.h"

typedef struct PxFreeSolidDef {
    PxMaterialDef material;
    PxVec3 size;           ///< m
    double spacing;        ///< m
    PxVec3 velocity, spin; ///< m/s, rad/s
    double strain;         ///< of the vibration: its speed over that of waves
    double seconds, step;  ///< s
    int threads;           ///< 0: one for every core
} PxFreeSolidDef;

/// 4 x 3 x 5 cm in spacings of 1 cm, E = 100 kPa, with a volume term of as much; vibrating by 10
/// per cent; 1 s in steps of 5 ms. Leapfrog.
PxFreeSolidDef px_free_solid_def_default(void);

typedef struct PxFreeSolidResult {
    double linear;   ///< change of momentum, over m v_max
    double angular;  ///< change of angular momentum, over m v_max R, R half the diagonal
    double middle;   ///< distance of the centre of mass from its straight path, over v_max t
    double energy;   ///< largest change of the energy, over the initial energy
    double drift;    ///< change of its mean from the first to the last tenth of the time, relative
    double left;     ///< energy at the end over that at the start
    double unsolved; ///< number of steps that did not converge
} PxFreeSolidResult;

PxStatus px_free_solid(const PxFreeSolidDef *def, PxFreeSolidResult *out);

#endif
