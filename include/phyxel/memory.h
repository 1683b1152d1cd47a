/// An optional custom allocator for a world.
#ifndef PHYXEL_MEMORY_H
#define PHYXEL_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Allocator of a world. `allocate` returns 64-byte-aligned memory or NULL; `release` gets the
/// size that was requested.
/// It is used for everything whose size follows the number of particles: their columns, neighbour
/// lists, scratch, the tables of walls, skins and coats. Small things that are made when something
/// is added (lists of objects, keyframes, shapes) come from malloc(). Both may fail at any time.
/// Threads: one call at a time, from the thread that calls the world or from a worker of its step.
typedef struct PxAllocator {
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
} PxAllocator;

#ifdef __cplusplus
}
#endif
#endif
