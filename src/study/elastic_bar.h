/// A straight elastic bar, for moduli, vibrations, waves and plastic strains.
///
/// Its free part reaches from 0 to its length along one axis. A held end has two more layers of
/// particles behind 0, in a handle. What a handle holds are positions of particles, so the bar
/// counts as clamped at the outermost held particles, half a spacing behind 0; for pulled and
/// stretched bars, whose strains are measured in their middle, that does not matter.
#ifndef PX_STUDY_ELASTIC_BAR_H
#define PX_STUDY_ELASTIC_BAR_H

#include "phyxel/world.h"

typedef struct PxBarDef {
    PxMaterialDef material; ///< young, poisson, integration, ...
    uint32_t across;        ///< particles across it, in both directions
    double aspect;          ///< its length over its width; times `across` a whole number
    double width;           ///< m
    int axis;               ///< along which it lies: 0, 1, 2
    bool round;             ///< a cylinder; it lies along axis 1
    int threads;            ///< 0: one for every core
    double support;         ///< of the fits, in spacings; 0: the default of worlds
} PxBarDef;

/// 6 across, ten times as long as wide, 12 cm wide, E = 1 MPa, 1000 kg/m^3, leapfrog.
PxBarDef px_bar_def_default(void);

typedef struct PxBarPull {
    double modulus;   ///< force over section and strain, Pa
    double narrowing; ///< strain across over strain along: Poisson's ratio, mean of both directions
    double sideways;  ///< the same along the next axis alone
    double unsolved;  ///< number of steps that did not converge
} PxBarPull;

/// Holds one end and pulls the other with the force that should stretch it by `strain`, until it is
/// at rest. Strains are those of the middle half.
PxStatus px_bar_pull(const PxBarDef *def, double strain, PxBarPull *out);

/// Holds one end under a weight that should bend the bar by `by` of its length. Result: the
/// deflection at its end over that of a beam with bending and shear (Timoshenko 1921),
/// rho g (A L^4 / (8 E I) + L^2 / (2 k G)), with k of Cowper (1966).
PxStatus px_bar_sag(const PxBarDef *def, double by, double *out);

/// Holds one end and gives the bar the velocities of its first bending mode, such that it bends by
/// `by` of its length. Result: the frequency over that of a beam with shear and rotary inertia.
PxStatus px_bar_swing(const PxBarDef *def, double by, double *out);

/// Holds one end of a round bar and gives the rest the velocities of its first torsional mode, such
/// that its end turns by `by` rad. Result: the frequency over sqrt(G / rho) / (4 L).
PxStatus px_bar_twist(const PxBarDef *def, double by, double *out);

/// Gives a free bar the velocities of its first longitudinal mode. Result: the wave speed over
/// sqrt(E / rho).
PxStatus px_bar_wave(const PxBarDef *def, double strain, double *out);

typedef struct PxBarYield {
    double strain; ///< permanent strain along it, in the middle half
    double wanted; ///< expected from d(eps_p)/dt = creep eps_e over its history of strains
    double within; ///< mean plastic strain of its particles
} PxBarYield;

/// Handles pull the bar to `strain` within 0.05 s, hold it for `seconds` and release it.
PxStatus px_bar_yield(const PxBarDef *def, double strain, double seconds, PxBarYield *out);

typedef struct PxBarStretch {
    double along, across; ///< lengths over those at rest, in the middle half
    double volume;        ///< volume over that at rest, in the middle half
} PxBarStretch;

/// Handles pull both ends to 1 + `by` times the length, until the bar is at rest.
PxStatus px_bar_stretch(const PxBarDef *def, double by, PxBarStretch *out);

#endif
