/// An optional custom allocator for a world.
#ifndef PHYXEL_MEMORY_H
#define PHYXEL_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Allocator of a world. `allocate` returns 64-byte-aligned memory or NULL; `release` gets the
/// size that was requested.
/// Threads: called from the thread that calls the world, never from workers.
typedef struct PxAllocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
} PxAllocator;

#ifdef __cplusplus
}
#endif
#endif
