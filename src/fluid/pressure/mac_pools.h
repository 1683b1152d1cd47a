/// Pools: sets of connected filled cells, and which of them have a free surface.
#ifndef PX_FLUID_PRESSURE_MAC_POOLS_H
#define PX_FLUID_PRESSURE_MAC_POOLS_H

#include "fluid/pressure/mac.h"

typedef struct PxMacPools {
    uint32_t *root;   ///< of every filled cell: the first cell of its pool
    uint32_t *sealed; ///< of that cell: number of cells of a pool without a free surface, else 0
    bool any;         ///< there is such a pool
} PxMacPools;

/// Finds the pools, after the weights of faces are set. Arrays come from the fluid's scratch.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mac_find_pools(const PxMac *mac, PxMacPools *out);

/// A fluid that fills a vessel has no free surface, so the pressure equation is singular: it has a
/// solution only if the right-hand side sums to 0. Its mean is removed from every sealed pool.
/// Unless walls or voids change the volume, that mean is rounding, and nothing is done. Voids of
/// such a pool stay. *first are the pools of the first solve of a step: set if its root is NULL and
/// they are needed.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mac_balance(PxMac *mac, PxMacPools *first);

#endif
