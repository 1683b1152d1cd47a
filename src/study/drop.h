/// A drop in empty space without gravity, for surface tension.
///
/// It starts on a lattice. Once it is at rest, its pressure is the Laplace pressure, and a push
/// makes it oscillate about a sphere.
#ifndef PX_STUDY_DROP_H
#define PX_STUDY_DROP_H

#include "phyxel/world.h"

typedef struct PxDropDef {
    double spacing;         ///< m
    double radius;          ///< m; half the edge of a cube
    double density;         ///< kg/m^3
    double viscosity;       ///< Pa s
    PxModelChoice pressure; ///< px_pressure_choice()
    PxModelChoice tension;  ///< px_tension_choice()
    bool cube;              ///< starts as a cube
    PxVec3 velocity, spin;  ///< at the start, m/s, rad/s
    int threads;            ///< 0: one for every core
} PxDropDef;

/// 10 cm radius in spacings of 1 cm, water of low viscosity, sigma = 1 N/m with "csf":
/// the period of its second mode is 2.2 s.
PxDropDef px_drop_def_default(void);

/// A world with the drop around the origin as its only body.
PxStatus px_drop_make(const PxDropDef *def, PxWorld **out);

/// Radius of a sphere of the particles' volume at rest, m.
double px_drop_radius(PxWorld *world, double density);

/// Mean pressure of the particles nearer to the origin than `within`, Pa.
double px_drop_pressure(const PxWorld *world, double within);

/// Elongation along y: the second moment along y over that across, minus 1.
double px_drop_stretch(const PxWorld *world);

/// Largest over smallest extent from the origin in 200 directions: 1 for a sphere, up to sqrt(3)
/// for a cube.
double px_drop_reach(const PxWorld *world);

/// Adds the velocity of the second mode: `speed` at the poles, on the y axis.
void px_drop_push(PxWorld *world, double speed);

/// Pushes it and follows it for 1.5 `expected` periods. Returns the measured period, s: the time
/// from the first to the third time that its elongation passes the initial one. Both passes have
/// the same direction, so an offset of the elongation at rest does not matter. NAN if there are
/// no such passes. A failing step ends the measurement.
double px_drop_period(PxWorld *world, double speed, double expected);

/// Change of the momenta of a free drop.
typedef struct PxDropMomenta {
    double linear;  ///< change of momentum, over m v_max
    double angular; ///< change of angular momentum, over m v_max R
    double middle;  ///< distance of the centre of mass from its straight path, over v_max t
} PxDropMomenta;

/// Follows the drop for `seconds` in steps of at most `step`. Its poles start to approach at
/// `squeeze`, m/s, so that there is pressure.
PxStatus px_drop_momenta(const PxDropDef *def, double squeeze, double seconds, double step,
                         PxDropMomenta *out);

#endif
