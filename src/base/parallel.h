/// The one parallel loop. Blocks depend on the count alone, so results do not
/// depend on the number of threads.
#ifndef PX_BASE_PARALLEL_H
#define PX_BASE_PARALLEL_H

#include "phyxel/status.h"

#include <stddef.h>
#include <stdint.h>

#define PX_MAX_THREADS 256

/// How many threads a world may use, and who may stop its work.
typedef struct PxThreads {
    int count;           ///< >= 1
    struct PxStop *stop; ///< base/stop.h; NULL: nobody
} PxThreads;

/// One thread for every core this process may run on.
int px_threads_available(void);

/// Refuses a number of threads that is negative or larger than PX_MAX_THREADS; 0 means one for
/// every core. `what` begins the message.
PxStatus px_threads_check(int threads, const char *what);

/// Works on rows [begin, end). `thread` is below threads->count: it may select
/// per-thread scratch, but must not affect a result.
typedef void PxBlockFunction(void *user, uint32_t begin, uint32_t end, int thread);

/// Critical section in which a block adds its result to the common one. The
/// reduction must not depend on the order of blocks: maxima, exact sums.
void px_join_begin(void);
void px_join_end(void);

/// Calls `function` for [0, block), [block, 2 block), ... up to count, each once,
/// in any order and on any thread. `block` > 0. A nested loop, or one started while
/// another thread's loop runs, runs on the calling thread alone.
void px_parallel_for(const PxThreads *threads, uint32_t count, uint32_t block,
                     PxBlockFunction *function, void *user);

/// The same, but leaves out blocks when the work is to be given up (base/stop.h). Then returns
/// PX_ERR_STOPPED, and what `function` writes is incomplete. For loops of seconds.
PxStatus px_parallel_try(const PxThreads *threads, uint32_t count, uint32_t block,
                         PxBlockFunction *function, void *user);

/// Two loops over the same rows in blocks of the same size. Block b of the second loop begins when
/// the first one has done rows [0, until[b]), where until[b] never falls with b. Blocks of both
/// alternate, so that the second loop finds what the first one has read and written in the cache.
typedef struct PxChain {
    PxBlockFunction *first, *second;
    void *first_user, *second_user;
    const uint32_t *until; ///< for every block
} PxChain;

void px_parallel_chain(const PxThreads *threads, uint32_t count, uint32_t block,
                       const PxChain *chain);

/// Block size for neighbour loops: large enough to hide the cost of scheduling a
/// block (about 0.1 us), small enough for load balance.
#define PX_BLOCK 1024u

#endif
