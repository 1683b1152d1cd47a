/// Scratch memory of a step: a stack that is released back to marks.
#ifndef PX_BASE_ARENA_H
#define PX_BASE_ARENA_H

#include "base/memory.h"

/// A stack of blocks. When one block does not suffice another is added; the
/// next px_arena_reset() joins them, so that after warm-up a step allocates
/// nothing. Threads: one at a time.
typedef struct PxArenaBlock PxArenaBlock;
typedef struct PxArena {
    const PxAllocator *allocator;
    PxArenaBlock *top;
    size_t in_use;   ///< bytes handed out now
    size_t peak;     ///< most bytes handed out since the last reset
    size_t reserved; ///< bytes held from the allocator
} PxArena;

typedef struct PxArenaMark {
    PxArenaBlock *block;
    size_t used, in_use;
} PxArenaMark;

void px_arena_init(PxArena *arena, const PxAllocator *allocator);
void px_arena_free(PxArena *arena);

/// Forgets everything handed out and joins the blocks into one.
/// Call at the start of a step. Fails only when memory is out.
PxStatus px_arena_reset(PxArena *arena);

/// 64-byte-aligned, contents undefined; NULL when memory is out. A size of 0
/// gives a valid address that must not be read.
void *px_arena_take(PxArena *arena, size_t bytes);

PxArenaMark px_arena_mark(const PxArena *arena);
void px_arena_release(PxArena *arena, PxArenaMark mark);

/// `count` elements of `type`, with 64 readable bytes after the last.
#define PX_ARENA_ARRAY(arena, type, count)                                                         \
    ((type *)px_arena_take_array((arena), (count), sizeof(type)))

void *px_arena_take_array(PxArena *arena, size_t count, size_t size);

#endif
