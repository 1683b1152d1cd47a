/// Water that sloshes in a tank: the first standing wave of an inviscid fluid (Lamb 1932, chapter
/// IX).
#ifndef PX_STUDY_SLOSHING_H
#define PX_STUDY_SLOSHING_H

#include "phyxel/world.h"

typedef struct PxSloshingDef {
    const char *pressure; ///< model
    double length;        ///< of the tank, m
    double depth;         ///< m
    double width;         ///< m
    double amplitude;     ///< of the wave at the ends, m
    double spacing;       ///< m
    double periods;       ///< duration
    int mode; ///< 0: the first mode, from a tank that was tilted; n: mode n, from level water that
              ///< moves as the linear wave does
    double support;  ///< of the kernel, spacings; 0: default
    double max_step; ///< s; 0: default
    double damping;  ///< of the pressure model; negative: default
    int threads;     ///< 0: one for every core
} PxSloshingDef;

/// 1 m long, 0.5 m deep, 0.2 m wide, 5 cm amplitude, two periods.
PxSloshingDef px_sloshing_def_default(void);

typedef struct PxSloshingResult {
    double period; ///< over 2 pi / sqrt(g k tanh(k depth)), k = pi mode / length
    double kept;   ///< fraction of the amplitude after a period
    double misfit; ///< rms of what a damped sine leaves of the record, over the rms of that
    uint64_t leaked;
} PxSloshingResult;

/// What `period` is for a finite wave, to second order in its slope (Tadjbakhsh and Keller 1960):
/// omega = omega_0 + omega_2 (k a)^2 / 2, with frequencies over sqrt(g k). A tilted surface holds
/// a first mode of 8 / pi^2 of its amplitude.
double px_sloshing_theory(const PxSloshingDef *def);

PxStatus px_sloshing(const PxSloshingDef *def, PxSloshingResult *out);

#endif
