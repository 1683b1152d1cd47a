/// Meters of memory: a caller's allocator, and malloc() itself, which a program that includes this
/// puts its own in front of. Both count, and can be told to fail. The sanitizers put theirs in
/// front of malloc(), so under them only the first meter works (SANITIZED); in place of the second
/// the leak checker looks.
#ifndef PX_TEST_METERS_H
#define PX_TEST_METERS_H

#include "sanitized.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Counts while `on`, and lets calls fail: number `fails_at`, counting from 1, and
 * with `for_good` all that follow it. */
typedef struct Meter {
    atomic_bool on;
    atomic_long calls, live, fails_at;
    atomic_bool for_good;
} Meter;

static inline bool meter_refuses(Meter *m)
{
    if (!atomic_load(&m->on))
        return false;
    long call = atomic_fetch_add(&m->calls, 1) + 1, at = atomic_load(&m->fails_at);
    return at > 0 && (call == at || (call > at && atomic_load(&m->for_good)));
}

static inline void meter_start(Meter *m, long fails_at, bool for_good)
{
    atomic_store(&m->calls, 0);
    atomic_store(&m->fails_at, fails_at);
    atomic_store(&m->for_good, for_good);
    atomic_store(&m->on, true);
}

static inline void meter_stop(Meter *m)
{
    atomic_store(&m->on, false);
}

/* The caller's allocator. */

static inline void *own_allocate(void *user, size_t bytes)
{
    Meter *m = user;
    if (meter_refuses(m))
        return NULL;
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory != NULL)
        atomic_fetch_add(&m->live, (long)bytes);
    return memory;
}

static inline void own_release(void *user, void *memory, size_t bytes)
{
    Meter *m = user;
    atomic_fetch_sub(&m->live, (long)bytes);
    free(memory);
}

/* The system's. `live` counts blocks that were made while the meter was on; it is
 * compared before and after, so blocks from elsewhere do not matter. */

static Meter system_meter;

#if !SANITIZED
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static void *counted(void *memory)
{
    if (memory != NULL)
        atomic_fetch_add(&system_meter.live, 1);
    return memory;
}

void *malloc(size_t bytes)
{
    return meter_refuses(&system_meter) ? NULL : counted(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t bytes)
{
    return meter_refuses(&system_meter) ? NULL : counted(__libc_calloc(count, bytes));
}

void *realloc(void *memory, size_t bytes)
{
    if (meter_refuses(&system_meter))
        return NULL;
    void *moved = __libc_realloc(memory, bytes);
    return memory == NULL ? counted(moved) : moved;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return meter_refuses(&system_meter) ? NULL : counted(__libc_memalign(alignment, bytes));
}

void free(void *memory)
{
    if (memory != NULL)
        atomic_fetch_sub(&system_meter.live, 1);
    __libc_free(memory);
}
#endif

#endif
