/// Data that the stages of a rest-shape update pass to each other (rest_update.h).
#ifndef PX_COUPLING_REST_UPDATE_PARTS_H
#define PX_COUPLING_REST_UPDATE_PARTS_H

#include "dist/disjoint_sets.h"
#include "coupling/rest_update.h"
#include "matter/melt.h"
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
    uint32_t *before; ///< its row in the set before the update, + 1; 0: it was not in the set
    float *solid_now; ///< solid fraction, 1 of what may crack; 0 for particles that were not in the
                      ///< set
    float *kept;      ///< fraction of its rest place that it keeps, 0 .. 1
    PxVec3 *place;    ///< visible rows: position, m
    PxVec3 *rest;     ///< visible rows: rest place before the update, m
} PxRestInput;

/// Updates the copies' values of an array of visible rows.
static inline void px_rest_refresh(const PxRestInput *in, void *first, size_t size)
{
    px_dist_refresh(in->c->dist, (PxDistArray){first, size, size}, in->count, in->c->copies);
}

/// Result of stage 2, by row of the old set.
typedef struct PxRestSnapshot {
    uint32_t count;
    uint32_t *row; ///< the particle's row in the world, or PX_ELSEWHERE
    float *solid;  ///< solid fraction now
    float *kept;   ///< kept fraction, after stage 1
    const PxSolidLaw **law;
    PxMat3 *deformation;  ///< deformation gradient from the old rest shape to the world
    double *strain;       ///< elastic strain, 6 per row
    double *volume;       ///< present volume over the rest volume
    float *weight;        ///< weight of the cell (solid/lists.h)
    float *molten;        ///< molten fraction to which `law` belongs
    uint32_t *neighbours; ///< number of rest neighbours
} PxRestSnapshot;

/// A core: connected particles that keep their rest places, and their rigid fit
/// world = turn rest + move.
typedef struct PxCore {
    uint32_t component;
    PxMat3 turn;
    PxVec3 move;
    double weight; ///< sum of mass times kept fraction, kg
    PxVec3 first;  ///< position of its first particle, origin of `at`, m
    PxVec3 middle; ///< weighted mean of the rest places, m
    PxVec3 at;     ///< weighted mean of the positions, m
    PxMat3 spread; ///< weighted covariance of positions and rest places (000 Eq. 5.24), kg m^2
} PxCore;

/// Result of stage 3.
typedef struct PxRestComponents {
    uint32_t *component;        ///< by visible row: index of its component, + 1; 0: not elastic
    uint32_t *core;             ///< by visible row: index of its core, + 1; 0: in none
    uint32_t components, cores; ///< their numbers
    PxCore *core_of;            ///< by core
    uint32_t
        *base;    ///< by component: its heaviest core, + 1, whose rest shape it continues; 0: none
    PxMat3 *turn; ///< by component: frame of the new rest shape, world = turn rest + move
    PxVec3 *move;
} PxRestComponents;

/// Is a row matter that may crack, solid or partly molten? It keeps rest place and bonds whatever
/// its strain: cracks lie in the rest shape, and new bonds would close them.
static inline bool px_rest_is_final(const PxRestInput *in, uint32_t i)
{
    return in->c->material[in->particles->material[i]].def.fracture.fractures &&
           in->fractions->solid[i] > PX_COHERENT;
}

/// Does the rest place of a row follow its deformation?
static inline bool px_rest_changes(const PxRestInput *in, uint32_t i)
{
    return isfinite(px_rest_update_interval(&in->c->material[in->particles->material[i]].def)) &&
           !px_rest_is_final(in, i);
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

/// Stage 6: writes plastic strains and `bulk`. Needs bonds and lists of the new rest shape.
/// *stretch is that of PxRestUpdateResult.
PxStatus px_rest_strains(const PxRestInput *in, const PxRestSnapshot *old,
                         const PxRestComponents *parts, double *stretch);

#endif
