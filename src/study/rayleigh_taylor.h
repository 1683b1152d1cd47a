/// Rayleigh-Taylor instability: a heavy fluid on a light one.
///
/// Between walls without friction half a wavelength apart, in a slab 4 spacings thick. At
/// the start it is given the flow of the growing mode, v0 cos(kx) exp(-k|y|) upwards, about
/// the interface y = 0. Its amplitude a and velocity v are the projections of the particles'
/// displacements and velocities on that shape. While ka is small, v' = sigma^2 a, so sigma^2 is
/// v - v0 over the integral of a, by least squares over all steps.
#ifndef PX_STUDY_RAYLEIGH_TAYLOR_H
#define PX_STUDY_RAYLEIGH_TAYLOR_H

#include "phyxel/world.h"

typedef struct PxRayleighTaylorDef {
    const char *pressure; ///< model
    double cells;         ///< spacings per wavelength, even
    double support;       ///< support of the kernel, spacings
    double atwood;        ///< (heavy - light) / (heavy + light)
    double damping;       ///< of the pressure model
    double speed;         ///< v0 over sigma times wavelength
    double depth;         ///< of each fluid, in wavelengths
    double until;         ///< amplitude at which the study ends, in wavelengths
    int threads;          ///< 0: one for every core
} PxRayleighTaylorDef;

/// Densities of 3 to 1, each half a wavelength deep, no viscosity and no damping, up to an
/// amplitude of 0.03 wavelengths, where ka = 0.19.
PxRayleighTaylorDef px_rayleigh_taylor_def_default(void);

typedef struct PxRayleighTaylorResult {
    double rate;      ///< growth rate over sqrt(A g k tanh(k depth))
    double amplitude; ///< at the end, in wavelengths
    uint64_t steps, not_converged;
} PxRayleighTaylorResult;

PxStatus px_rayleigh_taylor(const PxRayleighTaylorDef *def, PxRayleighTaylorResult *out);

#endif
