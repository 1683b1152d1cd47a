/// An allocator that counts allocations, checks the sizes of releases, and can be told to fail.
#ifndef PX_TEST_COUNTING_H
#define PX_TEST_COUNTING_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Counter {
    size_t calls;    ///< allocations so far
    size_t blocks;   ///< blocks alive
    size_t bytes;    ///< bytes alive, as asked for
    size_t fail_at;  ///< this call fails and all later ones, SIZE_MAX for never
    bool wrong_size; ///< a release named another size than its allocation
} Counter;

/* One cache line in front of every block holds its size. */
static inline void *count_allocate(void *user, size_t bytes)
{
    Counter *counter = user;
    if (counter->calls++ >= counter->fail_at || bytes > SIZE_MAX / 2)
        return NULL;
    char *block = aligned_alloc(64, px_round_up(bytes, 64) + 64);
    if (block == NULL)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + 64, 0xa5, bytes); /* so that nobody relies on zeros */
    ++counter->blocks;
    counter->bytes += bytes;
    return block + 64;
}

static inline void count_release(void *user, void *memory, size_t bytes)
{
    Counter *counter = user;
    char *block = (char *)memory - 64;
    size_t asked;
    memcpy(&asked, block, sizeof asked);
    if (asked != bytes)
        counter->wrong_size = true;
    --counter->blocks;
    counter->bytes -= asked;
    free(block);
}

static inline PxAllocator counting(Counter *counter)
{
    *counter = (Counter){.fail_at = SIZE_MAX};
    return (PxAllocator){count_allocate, count_release, counter};
}

#endif
