/// Visibility of a field's particles: which points thin barriers occlude from them.
///
/// Only barriers matter that are thinner than the kernels' support. Each particle acts on many
/// points, so its side of every barrier is computed once.
#ifndef PX_SURFACE_FIELD_VISIBILITY_H
#define PX_SURFACE_FIELD_VISIBILITY_H

#include "surface/field/barrier.h"
#include "surface/field/potential.h"

typedef struct PxVisibility {
    const PxBarriers *barriers;
    const PxPotential *field;
    size_t *blocker; ///< indices of the thin barriers
    size_t blockers;
    double reach; ///< of the field, and of images behind sheets, m
    PxSide *side; ///< by blocker, then by row of the field; private
} PxVisibility;

/// Tests which particles each side of the barriers sees. `barriers` is NULL if there are none; then
/// all are visible. Free it in any case. Errors: PX_ERR_MEMORY.
PxStatus px_visibility_make(PxVisibility *visibility, const PxBarriers *barriers,
                            const PxPotential *field);
void px_visibility_free(PxVisibility *visibility);

/// Side of a point relative to a blocker.
static inline PxSide px_visibility_side(const PxVisibility *visibility, size_t c, PxVec3 place)
{
    return px_barrier_side(visibility->barriers, visibility->blocker[c], place, visibility->reach);
}

/// Is the blocker within the kernel's reach of a particle?
static inline bool px_visibility_near(const PxVisibility *visibility, size_t c, uint32_t row)
{
    return (double)visibility->side[c * visibility->field->count + row].distance <
           visibility->reach;
}

/// Side of a particle, or of a mirrored one's original, relative to a blocker.
static inline const PxSide *px_visibility_own(const PxVisibility *visibility, size_t c,
                                              uint32_t row)
{
    return &visibility->side[c * visibility->field->count + row];
}

/// Does the blocker occlude a particle (or a mirrored one's original) from a point? Points inside
/// walls are never occluded: they are outside whatever the field is.
bool px_visibility_occluded(const PxVisibility *visibility, size_t c, uint32_t row, PxVec3 place,
                            const PxSide *side);

#endif
