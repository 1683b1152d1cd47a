/// The one parallel loop. Blocks are fixed by the count alone, so what a block
/// computes never depends on how many threads there are.
#ifndef PX_BASE_PARALLEL_H
#define PX_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

#define PX_MAX_THREADS 256

/// How many threads a world may use.
typedef struct PxThreads {
    int count; ///< >= 1
} PxThreads;

/// One thread for every core this process may run on.
int px_threads_available(void);

/// Works on rows [begin, end). `thread` is below threads->count: use it to find
/// scratch of one's own, never to change a result.
typedef void PxBlockFunction(void *user, uint32_t begin, uint32_t end, int thread);

/// Around the lines of a block that join its result to the common one. What is
/// joined must not depend on the order of blocks: maxima, exact sums.
void px_join_begin(void);
void px_join_end(void);

/// Calls `function` for [0, block), [block, 2 block), ... up to count, each once,
/// in any order and on any thread. `block` > 0. A loop inside a block, or one begun
/// while another thread's loop is under way, runs on the calling thread alone.
void px_parallel_for(const PxThreads *threads, uint32_t count, uint32_t block,
                     PxBlockFunction *function, void *user);

/// Block size that suits neighbour loops: big enough to hide the cost of
/// handing it out (about 0.1 us), small enough to even out the load.
#define PX_BLOCK 1024u

#endif
