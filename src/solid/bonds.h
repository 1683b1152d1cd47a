/// The graph of bonds: which particles of elastic matter are neighbours in the rest shape.
///
/// A bond is made when a rest shape is, between all pairs nearer than the mean of their supports,
/// and is kept from then on: moving, turning and stretching do not change it. Its strength is 1
/// when it is made and may only fall; cracks and tears lower it. Strains, components (what hangs
/// together) and contact are all derived from this graph.
#ifndef PX_SOLID_BONDS_H
#define PX_SOLID_BONDS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/table.h"
#include "matter/pairs.h"

typedef struct PxBonds {
    const PxAllocator *allocator;
    uint32_t count;  ///< particles
    uint64_t *id;    ///< of each particle
    uint32_t *start; ///< first entry of each particle; start[count] is the number of entries
    uint32_t *other; ///< entries: the bonded particle, ascending; each bond stands in both lists
    float *strength; ///< entries: 1 intact, above 0
    uint32_t room;   ///< particles there is room for
    size_t entry_room;
    PxPairs pairs; ///< used while bonds are searched
    PxGrid grid;
} PxBonds;

/// The rest shape of a component, or of all: rows [0, count).
typedef struct PxSolidPoints {
    const float *x, *y, *z; ///< m
    const float *support;   ///< radius of the neighbourhood, m
    const uint64_t *id;
    uint32_t count;
} PxSolidPoints;

/// An earlier graph whose bonds go on. A bond between two of its particles is taken over with
/// its strength; one that was not there is not made. Between all other pairs bonds are made.
typedef struct PxBondsBefore {
    const PxBonds *bonds;
    const uint32_t *row; ///< by particle of the new graph: its row in the earlier one, + 1; 0: none
    const uint8_t *fresh; ///< by particle: its bonds are made anew; NULL: nobody's
} PxBondsBefore;

void px_bonds_init(PxBonds *bonds, const PxAllocator *allocator);
void px_bonds_free(PxBonds *bonds);
size_t px_bonds_bytes(const PxBonds *bonds);

/// The order in which a component's particles are to lie: neighbours close together in memory.
PxStatus px_bonds_order(PxBonds *bonds, PxSolidPoints points, uint32_t *order, PxArena *scratch,
                        const PxThreads *threads);

/// Removes all bonds and makes room for `count` particles.
PxStatus px_bonds_begin(PxBonds *bonds, uint32_t count);

/// Adds the bonds within the next component, whose particles lie in the order of px_bonds_order().
/// `before` (NULL: there is none) counts particles from the component's first.
PxStatus px_bonds_add(PxBonds *bonds, PxSolidPoints points, const PxBondsBefore *before,
                      PxArena *scratch, PxIsa isa, const PxThreads *threads);

/// The columns of a stored graph: `first` and `second` (ids) and `strength`, a row a bond.
PxStatus px_bonds_columns(PxTable *table);

/// Writes the bonds between particles that are still there into `table`, whose rows are replaced.
/// `there` is by particle.
PxStatus px_bonds_save(const PxBonds *bonds, const uint8_t *there, PxTable *table);

/// The opposite. `id` are those of all particles, ascending; they become the rows of the graph.
/// Errors: PX_ERR_FORMAT for a bond to nobody, with itself, or of an impossible strength.
PxStatus px_bonds_restore(PxBonds *bonds, const PxTable *table, const uint64_t *id, uint32_t count);

/// The weight of a pair, of the poly6 kernel's shape (001 Eq. 9); its scale cancels out.
PX_INLINE float px_solid_weight(float r2, float h)
{
    float q = 1.0f - r2 / (h * h);
    return q > 1e-3f ? q * q * q : 0.0f; /* at the rim rounding would decide */
}

/// The weight of an intact bond between two particles of a rest shape; 0 beyond its reach.
PX_INLINE float px_bond_weight(PxSolidPoints p, uint32_t i, uint32_t j)
{
    float x = p.x[j] - p.x[i], y = p.y[j] - p.y[i], z = p.z[j] - p.z[i];
    return px_solid_weight(x * x + y * y + z * z, 0.5f * (p.support[i] + p.support[j]));
}

#endif
