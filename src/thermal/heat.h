/// Conduction of heat between particles, and between particles and walls.
///
///   dH_i/dt = sum_j G_ij (T_j - T_i) + G_wall (T_wall - T_i)
///   G_ij = V_i V_j 4 k_i k_j / (k_i + k_j) (- x_ij . grad W) / (r^2 + 0.01 h^2)
///
/// after Cleary and Monaghan (1999), with h the smoothing length. The harmonic mean of the
/// conductivities k keeps the heat flux continuous where two materials meet. G is symmetric, so
/// heat is conserved. H is enthalpy, J; T is a function of it (matter/melt.h).
///
/// V is the particle's rest volume divided by the square root of the fraction of its neighbourhood
/// that particles, and walls with a temperature, fill (the root, since both particles of a pair
/// have it). This compensates the pairs missing at a surface: the outer layer of a lattice conducts
/// 0.986 of an inner one, and 0.85 with plain volumes. The sums are normalised by their second
/// moment on the lattice, so that the conductivity is exact there.
///
/// A step is explicit, in sub-steps short enough that every particle stays within the range of its
/// neighbours; if these were too many, it is one step of backward Euler (thermal/solve.h).
#ifndef PX_THERMAL_HEAT_H
#define PX_THERMAL_HEAT_H

#include "fluid/fluid.h"

typedef struct PxHeat {
    PxFluid *fluid;      ///< its rows, pairs, quads, volumes and walls
    double dt;           ///< s
    float *low;          ///< column temperature_low
    const uint8_t *held; ///< rows of fixed temperature; NULL: none
    const uint8_t *link; ///< by entry of the fluid's lists: it is a face between two octree cells,
                         ///< sized by the particles' radii; NULL: none

    double *row_walls;   ///< if not NULL: J that walls gave each row, added to it
    double *row_held;    ///< and J that each held row gave
    double from_walls;   ///< J that walls gave in this step
    double from_held;    ///< J that held rows gave
    uint32_t substeps;   ///< explicit sub-steps; 0: backward Euler
    uint32_t iterations; ///< of conjugate gradients
    bool converged;
} PxHeat;

/// Conducts heat for heat->dt and updates the temperatures of the fluid's rows. Does nothing when
/// no material conducts. Errors: PX_ERR_MEMORY.
PxStatus px_heat_conduct(PxHeat *heat);

/// Temperature of row i including its low part; `low` is NULL in worlds without heat columns.
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
