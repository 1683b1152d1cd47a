/// A straight elastic bar, for moduli, vibrations, waves and plastic strains.
///
/// Its free part reaches from 0 to its length along one axis. A held end has two more layers of
/// particles behind 0, in a handle. The bar counts as clamped at 0, half way between held and free
/// particles.
#ifndef PX_STUDY_ELASTIC_BAR_H
#define PX_STUDY_ELASTIC_BAR_H

#include "phyxel/world.h"

typedef struct PxBarDef {
    PxMaterialDef material; ///< young, poisson, integration, ...
    uint32_t across;        ///< particles across it, in both directions
    double aspect;          ///< its length over its width; times `across` a whole number
    double width;           ///< m
    int axis;               ///< along which it lies: 0, 1, 2
    int threads;            ///< 0: one for every core
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
/// deflection at its end over rho g A L^4 / (8 E I).
PxStatus px_bar_sag(const PxBarDef *def, double by, double *out);

/// Holds one end and gives the bar the velocities of its first bending mode, such that it bends by
/// `by` of its length. Result: the frequency over (1.8751^2 / 2 pi) sqrt(E I / (rho A L^4)).
PxStatus px_bar_swing(const PxBarDef *def, double by, double *out);

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
