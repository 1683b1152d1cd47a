#include "base/stop.h"

void px_stop_begin(PxStop *stop, PxStopFunction *asked, void *user)
{
    stop->asked = asked;
    stop->user = user;
    atomic_store(&stop->stopped, false);
}

void px_stop_again(PxStop *stop)
{
    atomic_store(&stop->stopped, false);
}

bool px_stopped(const PxThreads *threads)
{
    PxStop *stop = threads->stop;
    if (stop == NULL || stop->asked == NULL)
        return false;
    if (!atomic_load_explicit(&stop->stopped, memory_order_relaxed) && stop->asked(stop->user))
        atomic_store(&stop->stopped, true);
    return atomic_load_explicit(&stop->stopped, memory_order_relaxed);
}

typedef struct Trial {
    const PxThreads *threads;
    PxBlockFunction *function;
    void *user;
} Trial;

static void try_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    const Trial *trial = user;
    if (!px_stopped(trial->threads))
        trial->function(trial->user, begin, end, thread);
}

PxStatus px_parallel_try(const PxThreads *threads, uint32_t count, uint32_t block,
                         PxBlockFunction *function, void *user)
{
    Trial trial = {threads, function, user};
    px_parallel_for(threads, count, block, try_block, &trial);
    return px_stop_check(threads);
}

PxStatus px_stop_check(const PxThreads *threads)
{
    return px_stopped(threads) ? px_fail(PX_ERR_STOPPED, "stopped") : PX_OK;
}
