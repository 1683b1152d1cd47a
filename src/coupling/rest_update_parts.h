/// What the stages of a rest-shape update hand to each other (rest_update.h).
#ifndef PX_COUPLING_REST_UPDATE_PARTS_H
#define PX_COUPLING_REST_UPDATE_PARTS_H

#include "coupling/disjoint_sets.h"
#include "coupling/rest_update.h"
#include "solid/solid_columns.h"

#include <math.h>

/// Input of all stages, and the result of stage 1. Arrays are by row of the particles; those of
/// `visible` rows also have values of the copies of other ranks' rows.
typedef struct PxRestInput {
    PxElasticSet *set;
    const PxCoupling *c;
    PxParticles *particles;
    uint32_t count;   ///< rows that this rank owns
    uint32_t visible; ///< and copies
    PxElasticColumns elastic;
    PxSolidColumns solid;
    const PxFractions *fractions;
    uint32_t *before; ///< row of the set, + 1, when the update began; 0: was not in it
    float *solid_now; ///< solid fraction; 0 for those that were not in the set
    float *kept;      ///< part of its rest place that it keeps, 0 .. 1
    PxVec3 *place;    ///< visible: position
    PxVec3 *rest;     ///< visible: rest place when the update began
} PxRestInput;

/// Updates the copies' values of an array of visible rows.
static inline void px_rest_refresh(const PxRestInput *in, void *first, size_t size)
{
    px_dist_refresh(in->c->dist, (PxDistArray){first, size, size}, in->count, in->c->copies);
}

/// Result of stage 2, by row of the old set.
typedef struct PxRestSnapshot {
    uint32_t count;
    uint32_t *row; ///< the particle it is, or PX_ELSEWHERE
    float *solid;  ///< solid fraction now
    float *kept;   ///< of PxRestInput
    const PxSolidLaw **law;
    PxMat3 *deformation; ///< gradient of the map from the old rest shape to the world
    double *strain;      ///< 6 a row: elastic
    double *volume;      ///< over the volume at rest
    float *weight;       ///< of the cell (solid/lists.h)
    float *molten;       ///< molten fraction when its law was found
    uint32_t *neighbours;
} PxRestSnapshot;

/// Matter that keeps its rest shape and hangs together by it, with the rigid motion that fits it
/// best: world = turn rest + move.
typedef struct PxCore {
    uint32_t component;
    PxMat3 turn;
    PxVec3 move;
    double weight;            ///< kg, mass times the kept fraction
    PxVec3 first, middle, at; ///< used by the fit
    PxMat3 spread;
} PxCore;

/// Result of stage 3.
typedef struct PxRestComponents {
    uint32_t *component; ///< by visible row: number, + 1; 0: not elastic
    uint32_t *core;      ///< by visible row: number, + 1; 0: none
    uint32_t components, cores;
    PxCore *core_of; ///< by core
    uint32_t *base;  ///< by component: the heaviest core, + 1, whose rest shape goes on; 0: none
    PxMat3 *turn;    ///< by component: its rest shape to the world
    PxVec3 *move;
} PxRestComponents;

/// Can the rest shape of such matter change at all?
static inline bool px_rest_changes(const PxRestInput *in, uint32_t i)
{
    return isfinite(px_rest_update_interval(&in->c->material[in->particles->material[i]].def));
}

static inline PxVec3 px_rest_place(const PxRestInput *in, uint32_t i)
{
    return px_vec((double)in->solid.rest[0][i], (double)in->solid.rest[1][i],
                  (double)in->solid.rest[2][i]);
}

/// 1 up to `full`, 0 from `none` on, linear between.
static inline float px_fade(float x, float full, float none)
{
    float part = (x - full) / (none - full);
    return part > 0.0f ? part < 1.0f ? 1.0f - part : 0.0f : 1.0f;
}

/// Stage 3.
PxStatus px_rest_components(const PxRestInput *in, const PxRestSnapshot *old,
                            PxRestComponents *out);

/// Stage 4: writes rest places, components and molten fractions; lowers `kept` where rest places do
/// not fit each other.
PxStatus px_rest_places(PxRestInput *in, const PxRestSnapshot *old, const PxRestComponents *parts);

/// Stage 6, with bonds and lists of the new rest shape: writes plastic strains and volumes.
/// *stretch: as in PxRestUpdateResult.
PxStatus px_rest_strains(const PxRestInput *in, const PxRestSnapshot *old,
                         const PxRestComponents *parts, double *stretch);

#endif
