/// Particles that are cells of an octree: how large they are, how they lie in the rest shape, and
/// how much of a fluid's kernel the coarse ones fill.
#ifndef PX_COUPLING_OCTREE_CELLS_H
#define PX_COUPLING_OCTREE_CELLS_H

#include "coupling/elastic_set.h"

/// Name of a column: the kernel sum, times the cube of the spacing, over the particles of the
/// fluid's size that would fill the coarse cells near an octree particle.
#define PX_COARSE_FILL "coarse_fill"

/// Name of a column: rotation of the cell in its rest shape, a quaternion x, y, z, w; 0 of
/// particles that are no cells.
#define PX_CELL_AXES "cell_axes"

/// Adds both columns, if they are not there yet.
PxStatus px_cell_columns_add(PxTable *particles);

/// The column PX_CELL_AXES; NULL in worlds without octree bodies.
const PxColumn *px_cell_axes_column(const PxTable *particles);

PxQuat px_cell_axes(const PxColumn *axes, uint32_t row);
void px_cell_axes_set(const PxColumn *axes, uint32_t row, PxQuat to);

/// Turns the axes along with rest places.
void px_cell_axes_turn(const PxColumn *axes, uint32_t row, PxMat3 by);

/// How often the cell's edge is twice the spacing's: 0 for the finest.
int px_cell_level(const PxCoupling *c, uint32_t row);

/// Is the particle a coarse octree cell, larger than the finest level?
bool px_is_coarse(const PxCoupling *c, uint32_t row);

/// A cell of level l has ids for all that it may be split into: its own, and those of each of its 8
/// children after it. Returns how many: 1 + 8 + ... + 8^l.
uint64_t px_cell_serials(int level);

/// One of the 8^l finest cells that a cell of level l may be split into: its id less that of the
/// cell, and *offset, its middle from the cell's in the cell's axes, in spacings.
uint64_t px_cell_part(int level, uint32_t part, PxVec3 *offset);

/// Computes PX_COARSE_FILL of all rows of the set from the coarse cells that are bonded to them.
void px_cells_fill(PxElasticSet *set, const PxCoupling *c);

#endif
