/// From where barriers hide the particles of a field.
///
/// Only barriers so thin that particles on one side act on the other count. Each particle acts in
/// many places, so how it lies to them is found once.
#ifndef PX_SURFACE_FIELD_VISIBILITY_H
#define PX_SURFACE_FIELD_VISIBILITY_H

#include "surface/field/barrier.h"
#include "surface/field/potential.h"

typedef struct PxVisibility {
    const PxBarriers *barriers;
    const PxPotential *field;
    size_t *cut; ///< numbers of the barriers that cut ways
    size_t cuts;
    double reach; ///< m, of the field
    PxSide *side; ///< by cut, then by row of the field; private
} PxVisibility;

/// No barriers (may be NULL) cut nothing. Errors: PX_ERR_MEMORY. Free it in any case.
PxStatus px_visibility_make(PxVisibility *eyes, const PxBarriers *barriers,
                            const PxPotential *field);
void px_visibility_free(PxVisibility *eyes);

/// How a place lies to a cut.
static inline PxSide px_visibility_side(const PxVisibility *eyes, size_t c, PxVec3 place)
{
    return px_barrier_side(eyes->barriers, eyes->cut[c], place, eyes->reach);
}

/// Whether a cut is near enough to a particle to hide it from anywhere it acts.
static inline bool px_visibility_near(const PxVisibility *eyes, size_t c, uint32_t row)
{
    return (double)eyes->side[c * eyes->field->count + row].distance < eyes->reach;
}

/// Whether a cut hides a particle, or what it is the image of, from a place. Places in walls see
/// all: whatever the field is there, they are outside.
bool px_visibility_hides(const PxVisibility *eyes, size_t c, uint32_t row, PxVec3 place,
                         const PxSide *side);

#endif
