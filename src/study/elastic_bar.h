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
    double sideways;  ///< the same along the next axis only
    double unsolved;  ///< steps that did not converge
} PxBarPull;

/// Held at one end and pulled at the other by the force that should stretch it by `strain`, until
/// it is at rest. Strains are those of the middle half.
PxStatus px_bar_pull(const PxBarDef *def, double strain, PxBarPull *out);

/// Held at one end, under a weight that should bend it by the part `by` of its length: the
/// deflection at its end over  rho g A L^4 / (8 E I).
PxStatus px_bar_sag(const PxBarDef *def, double by, double *out);

/// Held at one end and pushed with the velocities of its first bending mode, such that it bends by
/// the part `by` of its length: the frequency over  (1.8751^2 / 2 pi) sqrt(E I / (rho A L^4)).
PxStatus px_bar_swing(const PxBarDef *def, double by, double *out);

/// Free, with the velocities of its first longitudinal mode: the wave speed over sqrt(E / rho).
PxStatus px_bar_wave(const PxBarDef *def, double strain, double *out);

typedef struct PxBarYield {
    double strain; ///< permanent strain along it, in the middle half
    double wanted; ///< by d(eps_p)/dt = creep eps_e over its history of strains
    double within; ///< plastic strain of its particles
} PxBarYield;

/// Pulled by handles to `strain` within 0.05 s, held for `seconds`, let go.
PxStatus px_bar_yield(const PxBarDef *def, double strain, double seconds, PxBarYield *out);

typedef struct PxBarStretch {
    double along, across; ///< lengths over those at rest, in the middle half
    double volume;        ///< the same of the volume
} PxBarStretch;

/// Pulled by handles on both ends to 1 + `by` times its length, until it is at rest.
PxStatus px_bar_stretch(const PxBarDef *def, double by, PxBarStretch *out);

#endif
