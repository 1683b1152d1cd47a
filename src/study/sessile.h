/// A drop on a floor, for contact angles and rest.
#ifndef PX_STUDY_SESSILE_H
#define PX_STUDY_SESSILE_H

#include "phyxel/world.h"

typedef struct PxSessileDef {
    double cells;         ///< radius of the ball that the drop starts as, in spacings
    double radius;        ///< of that ball, m
    double gravity;       ///< m/s^2
    double contact_angle; ///< of the floor, degrees
    double adhesion;      ///< of the floor
    double speed;         ///< along the floor at the start, m/s
    double seconds;       ///< time at which it is measured
    int threads;
} PxSessileDef;

/// Water, 5 mm in diameter, 8 spacings in radius, on a floor of 90 degrees, after 0.5 s.
PxSessileDef px_sessile_def_default(void);

typedef struct PxSessileResult {
    double speed; ///< rms over the last tenth of the time, m/s
    double angle; ///< of the cap of its volume and centre of mass, degrees
    double drift; ///< speed of its centre along the floor at the end, m/s
    double way;   ///< distance that its centre travelled along the floor, m
} PxSessileResult;

PxStatus px_sessile(const PxSessileDef *def, PxSessileResult *out);

#endif
