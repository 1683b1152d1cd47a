/// Scratch memory of a step: a stack that is released back to marks.
#ifndef PX_BASE_ARENA_H
#define PX_BASE_ARENA_H

#include "base/memory.h"

/// A stack of blocks. A full block is followed by another; the next
/// px_arena_reset() replaces them by one large block, so that a step allocates
/// nothing after warm-up. Threads: one at a time.
typedef struct PxArenaBlock PxArenaBlock;
typedef struct PxArena {
    const PxAllocator *allocator;
    PxArenaBlock *top;
    size_t in_use;   ///< bytes in use
    size_t peak;     ///< largest in_use since the last reset
    size_t reserved; ///< bytes held from the allocator
    bool separate;   ///< each array is a block of its own, so that tests can fail any of them
} PxArena;

typedef struct PxArenaMark {
    PxArenaBlock *block;
    size_t used, in_use;
} PxArenaMark;

void px_arena_init(PxArena *arena, const PxAllocator *allocator);
void px_arena_free(PxArena *arena);

/// Releases everything and merges the blocks into one.
/// Call at the start of a step. Fails only when out of memory.
PxStatus px_arena_reset(PxArena *arena);

/// 64-byte-aligned, contents undefined; NULL when out of memory. A size of 0
/// gives a valid address that must not be dereferenced.
void *px_arena_take(PxArena *arena, size_t bytes);

PxArenaMark px_arena_mark(const PxArena *arena);
void px_arena_release(PxArena *arena, PxArenaMark mark);

/// `count` elements of `type`, with 64 readable bytes after the last.
#define PX_ARENA_ARRAY(arena, type, count)                                                         \
    ((type *)px_arena_take_array((arena), (count), sizeof(type)))

void *px_arena_take_array(PxArena *arena, size_t count, size_t size);

#endif
