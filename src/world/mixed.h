/// Worlds in which solids and fluids act on each other: one momentum equation for elastic,
/// viscous and pressure stress (000 Eq. 6.6).
///
/// All rows lie as a fluid's do, sorted by cell, and all take part in its stages. Those
/// that keep a shape belong to a *piece* as well: what hangs together elastically has one rest
/// shape and one frame. Elasticity works on a copy of them, world->shaped, whose rows lie in
/// the order of the rest shapes.
#ifndef PX_WORLD_MIXED_H
#define PX_WORLD_MIXED_H

#include "world/world_parts.h"

typedef struct PxMixedColumns {
    uint32_t *piece;  ///< 1 and more; 0: keeps no shape
    uint32_t *slot;   ///< row of world->shaped, + 1; 0: none
    float *melted;    ///< part of it that was melted when its piece was last looked at
    float *steady[3]; ///< mean acceleration by gravity and fluids over some steps, m/s^2
} PxMixedColumns;

/// Is there anything elastic, and anything that flows, or heat that does, once matter of `more`
/// (NULL: none) is there as well? Materials that nobody has do not count.
bool px_mixed_with(const PxWorld *world, const PxMaterialDef *more, bool emitted);

/// Decides whether the world is mixed, and adds the columns if it is.
PxStatus px_mixed_begin(PxWorld *world);

/// Makes it mixed, whatever its materials are: it stays so when they change.
PxStatus px_mixed_make(PxWorld *world);

/// Are these the particles of a mixed world?
bool px_mixed_stored(const PxTable *particles);

/// Can the pieces of stored particles be? Their columns are there.
PxStatus px_mixed_check(const PxTable *particles, size_t bodies);
void px_mixed_free(PxWorld *world);

/// Of a mixed world's particles; the pointers are good until rows are sorted, appended or deleted.
PxMixedColumns px_mixed_columns(const PxTable *particles);

/// Part of a row that keeps its shape by itself: 1 of a solid; 0 of a fluid, and of what
/// is elastic but whose rest shape follows.
float px_mixed_firm(const PxWorld *world, uint32_t row);

/// The modulus of a row as it is now, Pa; 0: a fluid.
double px_mixed_young(const PxWorld *world, uint32_t row);

/// The molten part of a row as it is now.
float px_mixed_melted(const PxWorld *world, uint32_t row);

/// After how many steps the rest shape of such matter follows; INFINITY: never.
double px_mixed_turn(const PxMaterialDef *def);

/// Makes the lists of all pieces, from their rest shapes.
PxStatus px_mixed_lists(PxWorld *world);

/// Fills world->shaped from the rows as they lie now.
PxStatus px_mixed_gather(PxWorld *world);

/// When a fluid's walls are known: says where solids are.
PxStatus px_mixed_join(PxWorld *world, PxFluid *fluid);

/// Before pressure is solved for: what of solids' densities is their own.
PxStatus px_mixed_press(PxWorld *world, PxFluid *fluid);

/// What fluids do to the rows of solids in this step, in the frames.
void px_mixed_push(PxWorld *world, PxSolid *solid, const PxFluid *fluid);

#endif
