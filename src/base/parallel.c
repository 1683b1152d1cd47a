/// A pool of threads that sleep between loops.
///
/// Why not OpenMP: its loops end with a barrier for all threads. On a machine with other
/// load, every loop of a step then waits for threads that have no core and no work left.
/// Here a loop ends when its blocks are done, without waiting for threads that wake late.
/// The sanitizers also understand plain locks and atomics without annotations.
#define _GNU_SOURCE
#include "base/parallel.h"

#include "base/fail.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Stack of a worker; the default is the limit of the process, which may be tiny. */
#define STACK_BYTES ((size_t)8 << 20)

#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() ((void)0)
#endif

/* Blocks are scheduled dynamically. Under the thread sanitizer they are assigned round
 * robin, and all threads start together: a thread that wakes late would find no work, or
 * find it ordered before its own by the pool's lock, and races would go undetected. */
#if defined(__SANITIZE_THREAD__)
#define DEALT true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEALT true
#endif
#endif
#ifndef DEALT
#define DEALT false
#endif

/* Spins while waiting for a block of another thread: 10 us on an AMD EPYC. */
#define SPINS 400

/* Rounds of SPINS that a thread waits for work, or for the last block, before it sleeps; between
 * them it yields its core. Waking a thread costs as much as a short loop, and a step of a few
 * thousand particles consists of hundreds of short loops. */
#define PATIENCE 10

typedef struct Loop {
    PxBlockFunction *function;
    void *user;
    const PxChain *chain; /* NULL: one loop, with the function above */
    uint32_t count, block;
    int64_t blocks; /* of one loop, or both of a chain */
    bool shared;    /* by the threads of the pool */
    int threads;
    _Atomic int64_t next; /* next block to be taken, of a chain */
    _Atomic int here;     /* threads that have arrived; only counted if DEALT */
} Loop;

/* One loop: threads share its blocks in equal parts, and who has done its own takes from others. In
 * a sequence of loops over the same rows, most rows then stay in the cache of one core. Next block
 * of each part; on lines of their own. */
#define PARTS 64
static struct Part {
    _Alignas(64) _Atomic int64_t next;
} part[PARTS];

static struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t wake;    /* workers wait here for a loop */
    pthread_cond_t left;    /* the caller waits here for workers to leave its loop */
    Loop *loop;             /* the one that may be joined; guarded by lock, as is `joined` */
    int joined;             /* threads that joined it, the caller among them */
    _Atomic int inside;     /* workers that have not left it yet */
    _Atomic uint64_t calls; /* loops so far: changes when there is something to do */
    int workers;
    bool fork_watched;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

/* Chains: a lower bound of the next block of the first loop that a thread works on. On lines of
 * their own, since all threads write them. */
static struct Front {
    _Alignas(64) _Atomic int64_t block;
} front[PX_MAX_THREADS];

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER; /* held while a loop runs */
static pthread_mutex_t join = PTHREAD_MUTEX_INITIALIZER;

int px_threads_available(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > PX_MAX_THREADS ? PX_MAX_THREADS : count;
}

PxStatus px_threads_check(int threads, const char *what)
{
    if (threads >= 0 && threads <= PX_MAX_THREADS)
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "%s: threads is %d, wanted 0 to %d", what, threads,
                   PX_MAX_THREADS);
}

void px_join_begin(void)
{
    pthread_mutex_lock(&join);
}

void px_join_end(void)
{
    pthread_mutex_unlock(&join);
}

static void run_rows(const Loop *loop, PxBlockFunction *function, void *user, int64_t b, int thread)
{
    uint32_t begin = (uint32_t)(b * loop->block);
    uint32_t end = loop->count - begin < loop->block ? loop->count : begin + loop->block;
    function(user, begin, end, thread);
}

/* Blocks of the first loop that precede block b of the second one in the order of a chain. Some
 * more than b needs, so that threads need not wait for each other. */
static int64_t blocks_before(const Loop *loop, int64_t b)
{
    int64_t needed = ((int64_t)loop->chain->until[b] + loop->block - 1) / loop->block;
    int64_t before = needed + 2 * loop->threads;
    return before < loop->blocks / 2 ? before : loop->blocks / 2;
}

/* Block `at` of a chain: *first tells which loop it belongs to. Returns its number there. */
static int64_t chain_block(const Loop *loop, int64_t at, bool *first)
{
    int64_t low = 0, high = loop->blocks / 2; /* blocks of the second loop before it */
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (blocks_before(loop, middle) + middle < at)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low == loop->blocks / 2 || blocks_before(loop, low) + low != at;
    return *first ? at - low : low;
}

/* Waits until no thread can still be at work on the blocks of the first loop that b needs. They
 * were all taken before b was, so none of them waits for b. */
static void wait_for_first(const Loop *loop, int64_t b, int thread)
{
    int64_t needed = ((int64_t)loop->chain->until[b] + loop->block - 1) / loop->block;
    for (int t = 0; t < loop->threads; ++t)
        for (int k = 0; t != thread && atomic_load(&front[t].block) < needed; ++k)
            k < SPINS ? PAUSE() : (void)sched_yield();
}

static void run_block(const Loop *loop, int64_t b, int thread)
{
    if (loop->chain == NULL) {
        run_rows(loop, loop->function, loop->user, b, thread);
        return;
    }
    const PxChain *chain = loop->chain;
    bool first;
    b = chain_block(loop, b, &first);
    if (first) {
        if (loop->shared)
            atomic_store(&front[thread].block, b);
        run_rows(loop, chain->first, chain->first_user, b, thread);
    } else {
        if (loop->shared) {
            /* Dealt blocks: the next one of this thread is not before those that precede b. */
            atomic_store(&front[thread].block, DEALT ? blocks_before(loop, b) : INT64_MAX);
            wait_for_first(loop, b, thread);
        }
        run_rows(loop, chain->second, chain->second_user, b, thread);
    }
}

static int parts_of(const Loop *loop)
{
    return loop->threads < PARTS ? loop->threads : PARTS;
}

static int64_t part_begin(const Loop *loop, int k)
{
    return loop->blocks * k / parts_of(loop);
}

static void run_part(const Loop *loop, int k, int thread)
{
    int64_t end = part_begin(loop, k + 1);
    while (atomic_load_explicit(&part[k].next, memory_order_relaxed) < end) {
        int64_t b = atomic_fetch_add(&part[k].next, 1);
        if (b < end)
            run_block(loop, b, thread);
    }
}

static void run_blocks(Loop *loop, int thread)
{
    if (DEALT) {
        atomic_fetch_add_explicit(&loop->here, 1, memory_order_relaxed); /* orders nothing */
        while (atomic_load_explicit(&loop->here, memory_order_relaxed) < loop->threads)
            sched_yield();
        for (int64_t b = thread; b < loop->blocks; b += loop->threads)
            run_block(loop, b, thread);
        atomic_store(&front[thread].block, INT64_MAX);
        return;
    }
    if (loop->chain == NULL) {
        int parts = parts_of(loop);
        for (int k = 0; k < parts; ++k)
            run_part(loop, (thread + k) % parts, thread);
        return;
    }
    for (;;) {
        /* Until the block is known, others assume the first. */
        atomic_store(&front[thread].block, 0);
        int64_t b = atomic_fetch_add(&loop->next, 1);
        if (b >= loop->blocks)
            break;
        run_block(loop, b, thread);
    }
    atomic_store(&front[thread].block, INT64_MAX);
}

static void wait_a_little(int k)
{
    (k + 1) % SPINS == 0 ? (void)sched_yield() : PAUSE();
}

static void *work(void *unused)
{
    (void)unused;
    uint64_t seen = 0;
    for (;;) {
        for (int k = 0; k < PATIENCE * SPINS && atomic_load(&pool.calls) == seen; ++k)
            wait_a_little(k);
        pthread_mutex_lock(&pool.lock);
        while (atomic_load(&pool.calls) == seen)
            pthread_cond_wait(&pool.wake, &pool.lock);
        seen = atomic_load(&pool.calls);
        Loop *loop = pool.loop;
        int thread = 0;
        if (loop != NULL && pool.joined < loop->threads) {
            thread = pool.joined++;
            atomic_fetch_add(&pool.inside, 1);
        } else {
            loop = NULL;
        }
        pthread_mutex_unlock(&pool.lock);
        if (loop == NULL)
            continue;
        run_blocks(loop, thread);
        pthread_mutex_lock(&pool.lock);
        if (atomic_fetch_sub(&pool.inside, 1) == 1)
            pthread_cond_signal(&pool.left);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

/* After fork() the child has no worker threads, and locks in an undefined state. */
static void forget_threads(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.left, NULL);
    pthread_mutex_init(&busy, NULL);
    pthread_mutex_init(&join, NULL);
    pool.loop = NULL;
    pool.joined = pool.workers = 0;
    atomic_store(&pool.inside, 0);
}

/* Starts workers up to the number wanted, if possible. They block all signals, which
 * belong to the program's own threads. */
static void add_workers(int wanted)
{
    if (pool.workers >= wanted)
        return;
    if (!pool.fork_watched)
        pool.fork_watched = pthread_atfork(NULL, NULL, forget_threads) == 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_t attributes;
    bool sized = pthread_attr_init(&attributes) == 0 &&
                 pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0;
    while (pool.workers < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, sized ? &attributes : NULL, work, NULL) != 0)
            break;
        pthread_detach(thread);
        ++pool.workers;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void run_shared(Loop *loop)
{
    pthread_mutex_lock(&pool.lock);
    add_workers(loop->threads - 1);
    if (DEALT && loop->threads > pool.workers + 1)
        loop->threads = pool.workers + 1;
    /* Threads that have not joined yet hold nobody up, but dealt blocks are theirs already. */
    for (int t = 0; t < loop->threads; ++t)
        atomic_store(&front[t].block, DEALT ? 0 : INT64_MAX);
    for (int k = 0; k < parts_of(loop); ++k)
        atomic_store(&part[k].next, part_begin(loop, k));
    pool.loop = loop;
    pool.joined = 1;
    atomic_fetch_add(&pool.calls, 1);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);

    run_blocks(loop, 0);

    pthread_mutex_lock(&pool.lock);
    pool.loop = NULL; /* no more threads may join */
    pthread_mutex_unlock(&pool.lock);
    for (int k = 0; k < PATIENCE * SPINS && atomic_load(&pool.inside) > 0; ++k)
        wait_a_little(k);
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&pool.inside) > 0)
        pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static void run_loop(Loop *loop, const PxThreads *threads)
{
    loop->blocks = ((int64_t)loop->count + loop->block - 1) / loop->block;
    loop->threads = threads->count < loop->blocks ? threads->count : (int)loop->blocks;
    if (loop->chain != NULL)
        loop->blocks *= 2;
    if (loop->threads > 1 && pthread_mutex_trylock(&busy) == 0) {
        loop->shared = true;
        run_shared(loop);
        pthread_mutex_unlock(&busy);
        return;
    }
    loop->threads = 1;
    for (int64_t b = 0; b < loop->blocks; ++b)
        run_block(loop, b, 0);
}

void px_parallel_for(const PxThreads *threads, uint32_t count, uint32_t block,
                     PxBlockFunction *function, void *user)
{
    run_loop(&(Loop){.function = function, .user = user, .count = count, .block = block}, threads);
}

void px_parallel_chain(const PxThreads *threads, uint32_t count, uint32_t block,
                       const PxChain *chain)
{
    run_loop(&(Loop){.chain = chain, .count = count, .block = block}, threads);
}
