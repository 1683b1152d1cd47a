/// A drop in empty space without gravity: what surface tension is measured on.
///
/// Filled on a lattice, then left alone until it is at rest; then its pressure is
/// the Laplace jump, and a push makes it oscillate about a sphere.
#ifndef PX_STUDY_DROP_H
#define PX_STUDY_DROP_H

#include "phyxel/world.h"

typedef struct PxDropDef {
    double spacing;         ///< m
    double radius;          ///< m; of a cube half its edge
    double density;         ///< kg/m^3
    double viscosity;       ///< Pa s
    PxModelChoice pressure; ///< px_pressure_choice()
    PxModelChoice tension;  ///< px_tension_choice()
    bool cube;              ///< starts as a cube
    PxVec3 velocity, spin;  ///< at the start, m/s, rad/s
    int threads;            ///< 0: one for every core
} PxDropDef;

/// 10 cm radius in spacings of 1 cm, water of low viscosity, sigma = 1 N/m with "csf":
/// its second mode takes 2.2 s.
PxDropDef px_drop_def_default(void);

/// A world with the drop around the origin as its only body.
PxStatus px_drop_make(const PxDropDef *def, PxWorld **out);

/// Radius of a sphere of the particles' volume at rest, m.
double px_drop_radius(PxWorld *world, double density);

/// Mean pressure of the particles nearer to the origin than `within`, Pa.
double px_drop_pressure(const PxWorld *world, double within);

/// How far it is stretched along y: the second moment along y over that across, less 1.
double px_drop_stretch(const PxWorld *world);

/// Its largest over its least reach from the origin, looking into 200 directions: 1 for a
/// sphere, up to sqrt(3) for a cube.
double px_drop_reach(const PxWorld *world);

/// Adds the velocity of the second mode: `speed` at the poles, on the y axis.
void px_drop_push(PxWorld *world, double speed);

/// Pushes it and watches it for one and a half of the `expected` periods: the period measured, s,
/// from when its stretch is what it was before for the first time to the third. Both times it
/// passes in the same direction, so that a stretch at rest that is somewhat different does not
/// matter. NAN if it does not. Errors of steps are left to be found by the next one.
double px_drop_period(PxWorld *world, double speed, double expected);

/// How much of the momentum of a free drop is lost.
typedef struct PxDropMomenta {
    double linear;  ///< change of momentum, over m v_max
    double angular; ///< change of angular momentum, over m v_max R
    double middle;  ///< way of the centre of mass beside its path, over v_max t
} PxDropMomenta;

/// Watches the drop for `seconds` in steps of at most `step`. Its poles begin to come together at
/// `squeeze`, m/s, so that pressure has something to do.
PxStatus px_drop_momenta(const PxDropDef *def, double squeeze, double seconds, double step,
                         PxDropMomenta *out);

#endif
