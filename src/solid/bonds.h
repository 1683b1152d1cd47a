/// The bond graph: which particles of elastic matter are neighbours in the rest shape.
///
/// When a rest shape is created, every pair closer than the mean of its two supports gets a bond.
/// Bonds stay whatever the deformation. A bond starts with strength 1; fracture may only lower
/// it. MLS strains, components and contact are all derived from this graph.
#ifndef PX_SOLID_BONDS_H
#define PX_SOLID_BONDS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/table.h"
#include "matter/pairs.h"

typedef struct PxBonds {
    const PxAllocator *allocator;
    uint32_t count;  ///< particles
    uint64_t *id;    ///< by particle
    uint32_t *start; ///< by particle: its first entry; start[count] is the number of entries
    uint32_t *other; ///< by entry: the bonded particle, ascending; a bond has an entry at each end
    float *strength; ///< by entry: 1 is intact; 0 is cut, until the graph is made again
    uint32_t room;   ///< capacity in particles
    size_t entry_room;
    PxPairs pairs; ///< temporary, for the neighbour search
    PxGrid grid;
} PxBonds;

/// Rest positions of one component or of all particles: rows [0, count).
typedef struct PxSolidPoints {
    const float *x, *y, *z; ///< m
    const float *support;   ///< kernel support (2 smoothing lengths), m
    const float *volume;    ///< m^3
    const uint64_t *id;
    uint32_t count;
} PxSolidPoints;

/// An earlier graph to continue. Pairs of particles that were both in it keep their bond and its
/// strength, or stay unbonded. All other pairs within reach get new bonds. A particle that was
/// split is the earlier row of all its parts: they inherit its bonds, and are bonded to each other.
typedef struct PxBondsBefore {
    const PxBonds *bonds;
    const uint32_t *row; ///< by particle of the new graph: its row in the earlier one, + 1; 0: none
    const uint8_t *fresh; ///< by particle: 1 replaces its earlier bonds by new ones; NULL: all 0
} PxBondsBefore;

void px_bonds_init(PxBonds *bonds, const PxAllocator *allocator);
void px_bonds_free(PxBonds *bonds);
size_t px_bonds_bytes(const PxBonds *bonds);

/// Finds an order of a component's particles that keeps neighbours close together in memory.
PxStatus px_bonds_order(PxBonds *bonds, PxSolidPoints points, uint32_t *order, PxArena *scratch,
                        const PxThreads *threads);

/// Removes all bonds and reserves room for `count` particles.
PxStatus px_bonds_begin(PxBonds *bonds, uint32_t count);

/// Appends a component, its particles in the order of px_bonds_order(), and creates its bonds.
/// Particle indices in `before` (may be NULL) start at the component's first particle.
PxStatus px_bonds_add(PxBonds *bonds, PxSolidPoints points, const PxBondsBefore *before,
                      PxArena *scratch, PxIsa isa, const PxThreads *threads);

/// Makes `to` the graph `from` without the bonds that are cut. Errors: PX_ERR_MEMORY.
PxStatus px_bonds_trim(PxBonds *to, const PxBonds *from);

/// Adds the columns of a stored graph, one row per bond: `first` and `second` (ids), `strength`.
PxStatus px_bonds_columns(PxTable *table);

/// Replaces the rows of `table` by the bonds between existing particles (`there`, by particle).
PxStatus px_bonds_save(const PxBonds *bonds, const uint8_t *there, PxTable *table);

/// Reads the graph back. `id` lists the ids of all particles, ascending: the rows of the graph.
/// Errors: PX_ERR_FORMAT for an unknown id, a bond of a particle with itself, or a strength
/// outside (0, 1].
PxStatus px_bonds_restore(PxBonds *bonds, const PxTable *table, const uint64_t *id, uint32_t count);

/// MLS weight of a pair: the poly6 kernel (001 Eq. 9), unnormalised because the scale cancels. `h`
/// is the support.
PX_INLINE float px_solid_weight(float r2, float h)
{
    float q = 1.0f - r2 / (h * h);
    return q > 1e-3f ? q * q * q : 0.0f; /* or rounding decides about pairs at the support radius */
}

/// MLS weight of an intact bond between two particles; 0 beyond the mean of their supports.
PX_INLINE float px_bond_weight(PxSolidPoints p, uint32_t i, uint32_t j)
{
    float x = p.x[j] - p.x[i], y = p.y[j] - p.y[i], z = p.z[j] - p.z[i];
    return px_solid_weight(x * x + y * y + z * z, 0.5f * (p.support[i] + p.support[j]));
}

/// Weight of bond `e` of particle i in its MLS fit: the bond's strength times the kernel weight.
PX_INLINE double px_bond_fit_weight(const PxBonds *bonds, PxSolidPoints p, uint32_t i, uint32_t e)
{
    return (double)(bonds->strength[e] * px_bond_weight(p, i, bonds->other[e]));
}

#endif
