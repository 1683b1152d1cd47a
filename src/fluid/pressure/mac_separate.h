/// Fluid that leaves boundaries: at them pressure pushes and does not pull (Batty, Bertails and
/// Bridson 2007).
///
/// Of every filled cell beside a boundary either the pressure is above 0 and the cell keeps its
/// volume, or the pressure is 0 and it gains volume. Cells of the second kind are found as an
/// active set: after a solve those with a negative pressure are taken apart, those apart that lose
/// volume are filled again, and the equation is solved again. A cell is filled again once only, so
/// the search ends.
#ifndef PX_FLUID_PRESSURE_MAC_SEPARATE_H
#define PX_FLUID_PRESSURE_MAC_SEPARATE_H

#include "fluid/pressure/mac_pools.h"

/// Changes full and apart of the cells after a solve; *more: some were changed. `pools` is 0 after
/// the first solve, and found when it is needed: a pool without a surface keeps to its boundaries,
/// because its pressure may be raised by any constant.
/// Errors: PX_ERR_MEMORY.
PxStatus px_mac_separate(PxMac *mac, PxMacPools *pools, double tolerance, bool *more);

#endif
