/// Boundaries as the staggered grid sees them: open parts of faces, and samples off boundaries.
///
/// All of it follows from the boundaries and the place of a tile alone, so that of tiles which no
/// moving boundary is near is kept from step to step. It is not part of the world's state: a run
/// that resumes computes it again, with the same bits.
#ifndef PX_FLUID_PRESSURE_MAC_WALLS_H
#define PX_FLUID_PRESSURE_MAC_WALLS_H

#include "fluid/pressure/mac.h"

/// Creates an empty store of tiles. Errors: PX_ERR_MEMORY.
PxStatus px_mac_store_create(const PxAllocator *memory, struct PxMacStore **out);
void px_mac_store_free(struct PxMacStore *store); ///< NULL is allowed
size_t px_mac_store_bytes(const struct PxMacStore *store);

/// Sets open, centre, wall, whose, clear, sample, displaced, moved and slanted of the grid.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mac_find_walls(PxMac *mac);

#endif
