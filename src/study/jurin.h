/// Water between two plates that dip into a vessel, for capillary rise (Jurin 1718).
#ifndef PX_STUDY_JURIN_H
#define PX_STUDY_JURIN_H

#include "phyxel/world.h"

typedef struct PxJurinDef {
    double cells;         ///< distance of the plates in spacings
    double gap;           ///< distance of the plates, m
    double contact_angle; ///< of the plates, degrees; the vessel has 90
    double adhesion;      ///< of plates and vessel
    double seconds;       ///< the rise is a mean over the last third
    int threads;
} PxJurinDef;

/// Plates 2.5 mm apart, 8 spacings, 60 degrees, no adhesion, 0.3 s.
PxJurinDef px_jurin_def_default(void);

typedef struct PxJurinResult {
    double rise;      ///< difference of the mean levels between the plates and beside them, m
    double reference; ///< its value at rest: the weight of both is that of the lines' pull
    double speed;     ///< rms over the last third, m/s
} PxJurinResult;

PxStatus px_jurin(const PxJurinDef *def, PxJurinResult *out);

#endif
