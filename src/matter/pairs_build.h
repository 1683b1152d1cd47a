/// Input of the vector loop of px_pairs_build(), private to matter/.
#ifndef PX_MATTER_PAIRS_BUILD_H
#define PX_MATTER_PAIRS_BUILD_H

#include "matter/pairs.h"

#include <stdatomic.h>

/// Entries that a thread reserves at a time from the shared array.
#define PX_PAIRS_CHUNK 32768u

/// Unused entries of a thread's reservation.
typedef struct PxPairsChunk {
    _Alignas(64) uint64_t at;
    uint64_t end;
} PxPairsChunk;

typedef struct PxPairsJob {
    PxPairs *pairs;
    const PxGrid *from_grid, *to_grid;
    PxGridPoints from, to;
    float reach_squared;
    _Atomic uint64_t taken; ///< entries reserved; beyond `room` nothing is written
    _Atomic uint64_t total;
    PxPairsChunk chunk[PX_MAX_THREADS];
    _Atomic uint64_t candidates; ///< upper bound of pairs: distances that will be tested
} PxPairsJob;

PX_ISA_DECLARE(void, px_pairs_block, (void *job, uint32_t begin, uint32_t end, int thread));

#endif
