/// The loops of the solve of cloth, 8 rows at a time.
#ifndef PX_CLOTH_SOLVE_H
#define PX_CLOTH_SOLVE_H

#include "base/simd.h"
#include "cloth/cloth.h"

/// Slices in a block of these loops.
#define PX_CLOTH_SLICES 16u

/// Block functions; `user` is a PxClothStep.
/// p and q become 0; partial: the scale of residuals, which is the sum of p and q, gravity and the
/// other impulses with which residuals may balance, each times the change that it alone would
/// cause.
PX_ISA_DECLARE(void, px_cloth_scale, (void *user, uint32_t begin, uint32_t end, int thread));
/// r = b - A z where rows are free.
PX_ISA_DECLARE(void, px_cloth_start, (void *user, uint32_t begin, uint32_t end, int thread));
/// z = preconditioned r; partial: r z.
PX_ISA_DECLARE(void, px_cloth_condition, (void *user, uint32_t begin, uint32_t end, int thread));
/// p = z + beta p, q = A p; partial: p q.
PX_ISA_DECLARE(void, px_cloth_product, (void *user, uint32_t begin, uint32_t end, int thread));
/// d += alpha p, r -= alpha q, then as px_cloth_condition().
PX_ISA_DECLARE(void, px_cloth_advance, (void *user, uint32_t begin, uint32_t end, int thread));
/// r = b - A z, of held rows too.
PX_ISA_DECLARE(void, px_cloth_residual, (void *user, uint32_t begin, uint32_t end, int thread));

#endif
