/// The elastic passes by instruction set; call px_solid_forces() of solid.h.
#ifndef PX_SOLID_ELASTIC_H
#define PX_SOLID_ELASTIC_H

#include "solid/solid.h"

/// What a pass over all rows adds up.
typedef struct PxElasticPass {
    PxSolid *solid;
    float stretch; ///< the largest trace of Green's strain
    float *energy; ///< J, by row; only for measuring, as is what follows
    float most;    ///< size of the largest, J
    double magic;  ///< that they are added up with
    double total;  ///< J
} PxElasticPass;

PX_ISA_DECLARE(void, px_elastic_strain, (void *user, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_elastic_measure, (void *user, uint32_t begin, uint32_t end, int thread));
PX_ISA_DECLARE(void, px_elastic_force, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
