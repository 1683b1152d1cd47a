/// A race on purpose. The thread sanitizer must see it: a sanitizer that has gone
/// blind (wrong options, a loop that never shares) would pass every other test.
#include "base/parallel.h"

#include <stdio.h>

static void add(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    uint32_t *total = user;
    for (uint32_t i = begin; i < end; ++i)
        *total += i;
}

int main(void)
{
    uint32_t total = 0;
    px_parallel_for(&(PxThreads){3}, 100000, 512, add, &total);
    printf("%u\n", total);
    return 0;
}
