/// Water that runs down cloth, as a function of the friction between them: tables and plots of 004
/// Figure 4.6.
#ifndef PX_STUDY_CLOTH_SLOPE_H
#define PX_STUDY_CLOTH_SLOPE_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

#define PX_CLOTH_SLOPE_SAMPLES 81

/// A run with one coefficient.
typedef struct PxClothSlope {
    double side;      ///< of the cloth, m
    double friction;  ///< mu of 004 Eq. 4.5
    double drag;      ///< delta of 004 Eq. 4.8, kg/s
    double mean;      ///< speed of the particles that touch, over the second half of the time, m/s
    double far;       ///< the same of those far below the jet, m/s; NAN: none
    double particles; ///< at the end
    double leaked;
    size_t samples;
    double time[PX_CLOTH_SLOPE_SAMPLES];  ///< s
    double speed[PX_CLOTH_SLOPE_SAMPLES]; ///< of the particles that touch, m/s; NAN: none does
} PxClothSlope;

/// Writes slope.csv, slope-time.csv and slope.gp into a folder, which is created if necessary, and
/// draws slope.png if gnuplot is installed. Errors: PX_ERR_MEMORY, PX_ERR_IO.
PxStatus px_cloth_slope_write(const char *folder, const PxClothSlope *slope, size_t count,
                              bool *drawn);

/// Least-squares line through the means with delta 0 and mu up to 0.6, on cloth of the first run's
/// length: a + b mu.
void px_cloth_slope_line(const PxClothSlope *slope, size_t count, double *a, double *b);
/// The same through the logarithms of the means with mu 0 and delta up to `most`: v exp(-k delta).
void px_cloth_slope_decay(const PxClothSlope *slope, size_t count, double most, double *v,
                          double *k);

#endif
