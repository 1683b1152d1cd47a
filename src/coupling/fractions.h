/// What each particle is at the moment: how much of it is molten, how much is solid, and whether it
/// is elastic. Computed once a step, here only, from its material and temperature.
#ifndef PX_COUPLING_FRACTIONS_H
#define PX_COUPLING_FRACTIONS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "matter/material.h"
#include "matter/particles.h"

/// By row of the particles; the arrays live in the step's scratch.
typedef struct PxFractions {
    float *molten; ///< 0 cold .. 1 molten, between the melting range's two temperatures
    float *solid;  ///< part that keeps its rest shape: 1 - molten of a solid; 0 of a fluid, and of
                   ///< elastic matter whose rest shape follows its flow (`absorb`)
    uint8_t *elastic; ///< its Young's modulus is above 0
} PxFractions;

/// Errors: PX_ERR_MEMORY.
PxStatus px_fractions_compute(const PxParticles *particles, const PxMaterial *material,
                              PxArena *scratch, const PxThreads *threads, PxFractions *out);

/// The molten and the solid fraction of one row.
double px_molten_fraction(const PxParticles *particles, const PxMaterial *material, uint32_t row);
double px_solid_fraction(const PxParticles *particles, const PxMaterial *material, uint32_t row);

/// Is a row elastic?
bool px_is_elastic(const PxParticles *particles, const PxMaterial *material, uint32_t row);

/// Steps from one rest-shape update of such matter to the next; INFINITY: its rest shape never
/// changes.
double px_rest_update_interval(const PxMaterialDef *def);

#endif
