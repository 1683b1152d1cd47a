/// Conduction of heat between particles, and between them and walls.
///
///   dH_i/dt = sum_j G_ij (T_j - T_i) + G_wall (T_wall - T_i)
///   G_ij = V_i V_j 4 k_i k_j / (k_i + k_j) (- x_ij . grad W) / (r^2 + 0.01 h^2)
///
/// after Cleary and Monaghan (1999), h half the support: the harmonic mean of the conductivities
/// k keeps the flow of heat steady where two materials meet. What one particle of a pair gets the
/// other gives, so heat is kept. H is heat, J; T is a function of it (matter/melt.h).
///
/// V is the particle's volume at rest over the root of what particles, and walls that have a
/// temperature, fill of its neighbourhood. At a surface, where pairs are missing that would carry
/// heat along it, the others carry the more: a layer at the face of a lattice conducts 0.986 of
/// what one inside does, with plain volumes 0.85. (The root, since both of a pair have it.) The
/// sums are divided by their second moment in a lattice, so that there the conductivity is exact.
///
/// A step is taken in sub-steps, explicitly, while few are enough for every particle to stay
/// between its neighbours; else by one step of backward Euler (thermal/solve.h).
#ifndef PX_THERMAL_HEAT_H
#define PX_THERMAL_HEAT_H

#include "fluid/fluid.h"

typedef struct PxHeat {
    PxFluid *fluid;      ///< its rows, pairs, quads, volumes and walls
    double dt;           ///< s
    float *low;          ///< column temperature_low
    const uint8_t *held; ///< rows whose temperature is not to change; NULL: none
    const uint8_t *link; ///< entries of the fluid's lists that are faces between cells, as large as
                         ///< the particles' radii say; NULL: none

    double from_walls;   ///< J that walls gave in this step
    double from_held;    ///< J that held rows gave
    uint32_t substeps;   ///< explicit ones; 0: it was solved for
    uint32_t iterations; ///< of conjugate gradients
    bool converged;
} PxHeat;

/// Conducts heat for heat->dt: new temperatures for the rows of the fluid. Does nothing when no
/// material conducts. Errors: PX_ERR_MEMORY.
PxStatus px_heat_conduct(PxHeat *heat);

/// Row i's temperature with all that is known of it; `low` may be NULL.
static inline double px_heat_at(const PxParticles *p, const float *low, uint32_t i)
{
    return (double)p->temperature[i] + (low != NULL ? (double)low[i] : 0);
}

static inline void px_heat_put(PxParticles *p, float *low, uint32_t i, double temperature)
{
    p->temperature[i] = (float)temperature;
    if (low != NULL)
        low[i] = (float)(temperature - (double)p->temperature[i]);
}

#endif
