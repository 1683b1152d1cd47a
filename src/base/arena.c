#include "base/arena.h"

/* Block header: one cache line, so that the data after it is aligned. */
struct PxArenaBlock {
    _Alignas(PX_ALIGNMENT) PxArenaBlock *below;
    size_t size; /* usable bytes after the header */
    size_t used;
};

#define SMALLEST_BLOCK ((size_t)1 << 16)

static PxArenaBlock *block_add(PxArena *arena, size_t size)
{
    if (size < SMALLEST_BLOCK && !arena->separate)
        size = SMALLEST_BLOCK;
    if (size > SIZE_MAX - sizeof(PxArenaBlock))
        return NULL;
    PxArenaBlock *block = px_allocate(arena->allocator, sizeof(PxArenaBlock) + size);
    if (block == NULL)
        return NULL;
    block->below = arena->top;
    block->size = size;
    block->used = 0;
    arena->top = block;
    arena->reserved += size;
    return block;
}

static void block_drop(PxArena *arena)
{
    PxArenaBlock *block = arena->top;
    arena->top = block->below;
    arena->reserved -= block->size;
    px_release(arena->allocator, block, sizeof(PxArenaBlock) + block->size);
}

void px_arena_init(PxArena *arena, const PxAllocator *allocator)
{
    *arena = (PxArena){.allocator = allocator};
}

void px_arena_free(PxArena *arena)
{
    while (arena->top != NULL)
        block_drop(arena);
    arena->in_use = arena->peak = 0;
}

PxStatus px_arena_reset(PxArena *arena)
{
    size_t peak = arena->peak;
    arena->in_use = 0;
    /* Releasing a mark older than the first block frees all blocks. A block of the peak
     * size is allocated all the same, or every step would allocate again. */
    bool fits =
        arena->top == NULL ? peak == 0 : arena->top->below == NULL && arena->top->size >= peak;
    if (!fits) {
        while (arena->top != NULL)
            block_drop(arena);
        if (!arena->separate && block_add(arena, peak + peak / 16) == NULL)
            return px_fail(PX_ERR_MEMORY, "arena: no room for %zu bytes of scratch", peak);
    }
    if (arena->top != NULL)
        arena->top->used = 0;
    arena->peak = 0;
    return PX_OK;
}

void *px_arena_take(PxArena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = px_round_up(bytes, PX_ALIGNMENT);
    PxArenaBlock *block = arena->top;
    if (block == NULL || bytes > block->size - block->used || arena->separate) {
        /* At least double, so that the chain stays short while warming up. */
        size_t size = arena->reserved > bytes && !arena->separate ? arena->reserved : bytes;
        block = block_add(arena, size);
        if (block == NULL && size > bytes)
            block = block_add(arena, bytes);
        if (block == NULL)
            return NULL;
    }
    void *memory = (char *)(block + 1) + block->used;
    block->used += bytes;
    arena->in_use += bytes;
    if (arena->in_use > arena->peak)
        arena->peak = arena->in_use;
    return memory;
}

void *px_arena_take_array(PxArena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!px_size_multiply(count, size, &bytes) || bytes > SIZE_MAX - PX_ALIGNMENT)
        return NULL;
    return px_arena_take(arena, bytes + PX_ALIGNMENT);
}

PxArenaMark px_arena_mark(const PxArena *arena)
{
    return (PxArenaMark){.block = arena->top,
                         .used = arena->top != NULL ? arena->top->used : 0,
                         .in_use = arena->in_use};
}

void px_arena_release(PxArena *arena, PxArenaMark mark)
{
    /* Blocks above the mark exist only during warm-up; px_arena_reset() then allocates
     * one block of the peak size, and this loop has nothing to do. */
    while (arena->top != mark.block && arena->top != NULL)
        block_drop(arena);
    if (arena->top != NULL)
        arena->top->used = mark.used;
    arena->in_use = mark.in_use;
}
