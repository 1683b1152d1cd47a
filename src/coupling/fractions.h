/// Molten and solid fraction of each particle and whether it is elastic, from material and
/// temperature; computed once per step. The column `melted` has the same molten fraction, for fluid
/// stages and frames (thermal/melt_fractions.h).
#ifndef PX_COUPLING_FRACTIONS_H
#define PX_COUPLING_FRACTIONS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "matter/material.h"
#include "matter/particles.h"

/// By row of the particles; the arrays live in the step's scratch.
typedef struct PxFractions {
    float *molten; ///< 0 below the melting range .. 1 above it
    float *solid; ///< fraction that keeps its rest shape: 1 - molten for a solid; 0 for a fluid and
                  ///< for elastic matter whose rest shape follows its flow (`absorb`)
    uint8_t *elastic; ///< its Young's modulus is above 0
} PxFractions;

/// Computes the fractions of all rows. Errors: PX_ERR_MEMORY.
PxStatus px_fractions_compute(const PxParticles *particles, const PxMaterial *material,
                              PxArena *scratch, const PxThreads *threads, PxFractions *out);

/// The molten and the solid fraction of one row.
double px_molten_fraction(const PxParticles *particles, const PxMaterial *material, uint32_t row);
double px_solid_fraction(const PxParticles *particles, const PxMaterial *material, uint32_t row);

/// Does an elastic particle with this solid fraction touch other solids by contact
/// (contact/solid_solids.h)? Pressure keeps it away from them otherwise.
static inline bool px_has_contact(float solid)
{
    return solid >= 0.5f;
}

/// Is a row elastic?
bool px_is_elastic(const PxParticles *particles, const PxMaterial *material, uint32_t row);

/// Steps between rest-shape updates of the material; INFINITY: its rest shape never changes.
double px_rest_update_interval(const PxMaterialDef *def);

#endif
