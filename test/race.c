/// A deliberate data race, which the thread sanitizer must report. Without this test, wrong options
/// or a pool that never runs two threads at once would go unnoticed.
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
    px_parallel_for(&(PxThreads){.count = 3}, 100000, 512, add, &total);
    printf("%u\n", total);
    return 0;
}
