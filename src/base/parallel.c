#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Blocks go to whichever thread is free. Under the thread sanitizer they are dealt
 * out in turn: a thread that wakes late would otherwise find nothing left to do,
 * and a race would be seen only when the machine happens to be idle. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PX_SCHEDULE static, 1
#endif
#endif
#ifndef PX_SCHEDULE
#define PX_SCHEDULE dynamic, 1
#endif

int px_threads_available(void)
{
#ifdef _OPENMP
    int count = omp_get_num_procs();
    return count < 1 ? 1 : count > PX_MAX_THREADS ? PX_MAX_THREADS : count;
#else
    return 1;
#endif
}

void px_parallel_for(const PxThreads *threads, uint32_t count, uint32_t block,
                     PxBlockFunction *function, void *user)
{
    int64_t blocks = ((int64_t)count + block - 1) / block;
#ifdef _OPENMP
    if (threads->count > 1 && blocks > 1) {
#pragma omp parallel for schedule(PX_SCHEDULE) num_threads(threads->count)
        for (int64_t b = 0; b < blocks; ++b) {
            uint32_t begin = (uint32_t)(b * block);
            uint32_t end = count - begin < block ? count : begin + block;
            function(user, begin, end, omp_get_thread_num());
        }
        return;
    }
#endif
    (void)threads;
    for (int64_t b = 0; b < blocks; ++b) {
        uint32_t begin = (uint32_t)(b * block);
        uint32_t end = count - begin < block ? count : begin + block;
        function(user, begin, end, 0);
    }
}
