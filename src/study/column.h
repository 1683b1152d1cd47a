/// Columns of fluid: one at rest in a tank (hydrostatic pressure), and a very viscous one that
/// sinks on a floor.
#ifndef PX_STUDY_COLUMN_H
#define PX_STUDY_COLUMN_H

#include "phyxel/world.h"

typedef struct PxColumnDef {
    const char *pressure; ///< model
    double spacing;       ///< m
    double depth, width;  ///< m; the tank has a square base and twice the height of the water
    double seconds;       ///< simulated time, s
    double settle;        ///< fraction of `seconds` before pressure is averaged
    int threads;          ///< 0: one for every core
} PxColumnDef;

/// Water 1 m deep and 0.4 m wide in spacings of 2.5 cm for 5 s with "dfsph"; the last 2 s are
/// averaged.
PxColumnDef px_column_def_default(void);

typedef struct PxColumnResult {
    double middle;  ///< pressure at half the depth over rho g d, d below the actual surface
    double bottom;  ///< the same within 2 spacings of the floor
    double height;  ///< twice the height of the centre of mass, over the initial depth
    double top;     ///< mean height of the top layer plus half a spacing, over the depth
    double frame;   ///< largest relative error of the pressure of a frame, by gauges at five depths
    double mean;    ///< the same of the mean over all frames that are averaged
    double level;   ///< mean of a gauge's level, over the depth
    double kinetic; ///< energy at the end, over m g depth
    uint64_t steps;
    double iterations; ///< of the pressure solve, per step
    uint64_t not_converged, leaked;
} PxColumnResult;

/// Column of water that starts on a lattice.
PxStatus px_column_rest(const PxColumnDef *def, PxColumnResult *out);

typedef struct PxThickDef {
    const char *pressure; ///< model
    double spacing;       ///< m
    double viscosity;     ///< Pa s
    double step;          ///< longest step, s
    double seconds;
    int threads;
} PxThickDef;

/// 0.24 m high and 0.12 m wide, of 10 kPa s, in steps of 1 ms for 0.2 s.
PxThickDef px_thick_def_default(void);

typedef struct PxThickResult {
    double backwards; ///< number of times that it had not sunk or not spread after 10 steps
    double step;      ///< mean time step, s
    uint64_t not_converged;
} PxThickResult;

/// Column on a no-slip floor.
PxStatus px_column_thick(const PxThickDef *def, PxThickResult *out);

#endif
