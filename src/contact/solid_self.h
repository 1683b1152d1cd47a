/// Rows of a solid that may come near a distant part of their own solid: a bent bar's ends, an arm
/// on a body.
///
/// Rows on the surface whose rest positions are further apart than three spacings count as rows of
/// another solid, so a slit must be three spacings wide. Candidate pairs are searched again only
/// when the solid has deformed by a quarter of a spacing since the last search (Verlet 1967). Which
/// of them touch is tested in every step, so the bits do not depend on when that search was.
#ifndef PX_CONTACT_SOLID_SELF_H
#define PX_CONTACT_SOLID_SELF_H

#include "spatial/grid.h"
#include "solid/solid.h"

typedef struct PxSolidSelf {
    const PxAllocator *allocator;
    uint64_t version; ///< of the elastic set to which the arrays belong
    uint32_t count, room;
    float *u;       ///< 4 a row: displacement at the last search, in the frame, m
    uint8_t *shell; ///< by row: is on the surface
    uint8_t *may;   ///< by row: a distant row of the same solid was near at the last search
    uint8_t *near;  ///< by row: one is near
    uint64_t searches;
} PxSolidSelf;

void px_solid_self_init(PxSolidSelf *self, const PxAllocator *allocator);
void px_solid_self_free(PxSolidSelf *self);
size_t px_solid_self_bytes(const PxSolidSelf *self);

/// Brings `near` up to date for this step, for contacts up to the distance `reach` times a row's
/// radius. `version` rises with every change of the rest shapes or of the order of rows; the grid
/// is for the search. Errors: PX_ERR_MEMORY.
PxStatus px_solid_self_find(PxSolidSelf *self, const PxSolid *solid, uint64_t version, double reach,
                            PxGrid *grid);

/// Are the rest neighbours of a row turned inside out? Such rows must pass each other to come back.
bool px_solid_self_inverted(const PxSolid *solid, uint32_t row);

/// Are rows i and j of one solid so far from each other in the rest shape that they touch like rows
/// of two?
bool px_solid_self_apart(const PxSolid *solid, uint32_t i, uint32_t j);

/// The same by rest places and supports: x, y, z, support, m.
bool px_solid_self_beyond(const float one[4], const float other[4]);

#endif
