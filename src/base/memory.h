/// Aligned memory with overflow-checked sizes, and growing lists.
#ifndef PX_BASE_MEMORY_H
#define PX_BASE_MEMORY_H

#include "base/fail.h"
#include "phyxel/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Alignment of every block, in bytes: a cache line, two AVX2 vectors.
#define PX_ALIGNMENT 64u

/// 64-byte-aligned memory, contents undefined; NULL when out of memory or if
/// `bytes` is 0. `allocator` may be NULL for the system's.
void *px_allocate(const PxAllocator *allocator, size_t bytes);
void px_release(const PxAllocator *allocator, void *memory, size_t bytes);

/// *out = a * b, false on overflow.
static inline bool px_size_multiply(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/// Rounds up to a multiple of `step`, a power of two.
static inline size_t px_round_up(size_t value, size_t step)
{
    return (value + (step - 1)) & ~(step - 1);
}

/// A growable array that starts as {0}: elements, count, capacity.
/// For use at load time; inner loops use tables and the arena.
#define PX_LIST(type)                                                                              \
    struct {                                                                                       \
        type *data;                                                                                \
        size_t count, capacity;                                                                    \
    }

/// Reserves `extra` more elements (doubling); false when out of memory.
#define PX_LIST_RESERVE(list, extra)                                                               \
    px_list_reserve((void **)&(list)->data, (list)->count, &(list)->capacity, (extra),             \
                    sizeof *(list)->data)

/// Frees the elements; the list may be used again.
#define PX_LIST_FREE(list)                                                                         \
    (px_list_free((list)->data), (list)->data = NULL, (list)->count = (list)->capacity = 0)

bool px_list_reserve(void **data, size_t count, size_t *capacity, size_t extra, size_t size);
void px_list_free(void *data);

/// Any PX_LIST.
typedef struct PxAnyList {
    char *data;
    size_t count, capacity;
} PxAnyList;

/// Appends the elements of a PX_LIST to another; false when out of memory.
bool px_list_append(void *list, const void *from, size_t size);

/// Replaces the pointer *data by one to a copy, of malloc(); NULL for an empty array. False when
/// out of memory; *data is NULL then.
bool px_list_copy(void **data, size_t count, size_t size);

#endif
