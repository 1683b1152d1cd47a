/// Neighbour lists of elastic particles for the vector loops: weights of gradients and residuals
/// (fit.h), derived from the bonds and the rest shape.
///
/// Lists are rebuilt when bonds or the rest shape change and are constant during a step. If j is in
/// the list of i, i is in that of j, but the weights differ.
#ifndef PX_SOLID_LISTS_H
#define PX_SOLID_LISTS_H

#include "base/arena.h"
#include "base/parallel.h"
#include "base/simd.h"
#include "base/table.h"
#include "solid/bonds.h"

typedef struct PxSolidLists {
    const PxAllocator *allocator;
    uint32_t count;   ///< particles
    uint32_t *start;  ///< by particle: its first entry, even; start[count] is the number of entries
    uint32_t *other;  ///< by entry: 16 times the neighbour's row, the offset of its record
                      ///< (passes.h); odd lists are padded with the row itself, at weight 0
    float *pair;      ///< 4 an entry: g_ij, 1/m, and c_ij
    float *back;      ///< 4 an entry: -g_ji, 1/m, and -c_ji, the weights of i in the list of j
    float *own;       ///< 4 a particle: sums of its g_ij, 1/m, and c_ij
    float *spread;    ///< (sum of w |X|^2) (sum of w), m^2
    float *kernel;    ///< sum of w, that of the particle itself (1) included
    float *normal[3]; ///< of the plane of coplanar rest neighbours; 0 where they are not coplanar
    bool flat;        ///< some particle has coplanar rest neighbours
    float *cell_weight; ///< weight of the cell: 1, less where the moment matrix is ill-conditioned,
                        ///< 0 where its rank is below 2
    float *quadrature;  ///< volume that a cell counts in the integral of the energy, over its own,
                        ///< times cell_weight (quadrature.h)
    float *laplacian;   ///< 9 a particle: coefficients of its Laplacian (fit.h); temporary
    float *curved;      ///< temporary (quadrature.h)
    float *bent;        ///< `curved` of the fit
    uint32_t room;      ///< capacity in particles
    size_t entries, pair_room;
    uint64_t total; ///< neighbours of all particles, without padding
} PxSolidLists;

/// Index of component k (of `of`) of row i in arrays of structures of 8 rows: all components of 8
/// rows are contiguous, so that loops read one stream of memory.
static inline size_t px_solid_at(uint32_t i, int k, int of)
{
    return (size_t)(i / 8) * 8 * (size_t)of + 8 * (size_t)k + i % 8;
}

void px_solid_lists_init(PxSolidLists *lists, const PxAllocator *allocator);
void px_solid_lists_free(PxSolidLists *lists);
size_t px_solid_lists_bytes(const PxSolidLists *lists);

/// Builds the lists of all bonds; `points` are all particles of the graph. `linear` (by particle;
/// NULL: none) selects the linear fit.
PxStatus px_solid_lists_build(PxSolidLists *lists, const PxBonds *bonds, PxSolidPoints points,
                              const uint8_t *linear, const PxThreads *threads);

/// The same after bonds were lowered or removed: fits are made anew for the rows that `changed`
/// marks. The rows are those of the last build, and other rows have the bonds that they had.
/// Gives the bits of px_solid_lists_build().
PxStatus px_solid_lists_update(PxSolidLists *lists, const PxBonds *bonds, PxSolidPoints points,
                               const uint8_t *linear, const uint8_t *changed,
                               const PxThreads *threads);

#endif
