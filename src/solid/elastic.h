/// Elastic strain and force passes for each instruction set; call px_solid_forces() of solid.h.
#ifndef PX_SOLID_ELASTIC_H
#define PX_SOLID_ELASTIC_H

#include "solid/solid.h"

/// Arguments of the passes.
typedef struct PxElasticPass {
    PxSolid *solid;
    float *energy; ///< elastic energy by row, J; NULL: not measured
    double magic;  ///< of px_sum_round() for the energies
} PxElasticPass;

/// Maxima of the strain pass: trace of Green's strain, |bulk cof J|^2 - 3, and magnitude of a row's
/// energy (J; 0 when not measured).
enum { PX_ELASTIC_STRETCH, PX_ELASTIC_SPREAD, PX_ELASTIC_ENERGY, PX_ELASTIC_MAXIMA };

PX_ISA_DECLARE(void, px_elastic_strain, (void *user, uint32_t begin, uint32_t end, PxPart *part));
PX_ISA_DECLARE(void, px_elastic_measure, (void *user, uint32_t begin, uint32_t end, PxPart *part));
PX_ISA_DECLARE(void, px_elastic_force, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
