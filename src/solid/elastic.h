/// The elastic passes by instruction set; call px_solid_forces() of solid.h.
#ifndef PX_SOLID_ELASTIC_H
#define PX_SOLID_ELASTIC_H

#include "solid/solid.h"

/// What the passes over all rows share.
typedef struct PxElasticPass {
    PxSolid *solid;
    float *energy; ///< J, by row; NULL unless the energy is measured
    double magic;  ///< for px_sum_round() of the energies
} PxElasticPass;

/// Maxima of the strain pass: the largest trace of Green's strain, and the largest magnitude of a
/// row's energy (J, 0 unless measured).
enum { PX_ELASTIC_STRETCH, PX_ELASTIC_ENERGY };

PX_ISA_DECLARE(void, px_elastic_strain, (void *user, uint32_t begin, uint32_t end, PxPart *part));
PX_ISA_DECLARE(void, px_elastic_measure, (void *user, uint32_t begin, uint32_t end, PxPart *part));
PX_ISA_DECLARE(void, px_elastic_force, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
