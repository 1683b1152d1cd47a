#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Large blocks are placed on huge pages: neighbour loops access memory at random, and with pages of
 * 4 KiB most accesses miss the TLB. Blocks that would leave more than a fifth of their memory
 * unused in the last page use normal pages. */
#define HUGE_PAGE ((size_t)2 << 20)

static bool is_huge(size_t bytes)
{
    return bytes >= HUGE_PAGE / 2 && bytes <= SIZE_MAX - HUGE_PAGE &&
           px_round_up(bytes, HUGE_PAGE) - bytes <= bytes / 5;
}

static void *allocate_huge(size_t bytes)
{
    void *memory = aligned_alloc(HUGE_PAGE, px_round_up(bytes, HUGE_PAGE));
    if (memory != NULL)
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* without them it is only slower */
    return memory;
}

void *px_allocate(const PxAllocator *allocator, size_t bytes)
{
    if (bytes == 0 || bytes > SIZE_MAX - PX_ALIGNMENT)
        return NULL;
    if (allocator != NULL)
        return allocator->allocate(allocator->user, bytes);
    if (is_huge(bytes))
        return allocate_huge(bytes);
    return aligned_alloc(PX_ALIGNMENT, px_round_up(bytes, PX_ALIGNMENT));
}

void px_release(const PxAllocator *allocator, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    if (allocator != NULL)
        allocator->release(allocator->user, memory, bytes);
    else
        free(memory);
}

bool px_list_reserve(void **data, size_t count, size_t *capacity, size_t extra, size_t size)
{
    if (extra <= *capacity - count)
        return true;
    size_t wanted, bytes;
    if (__builtin_add_overflow(count, extra, &wanted))
        return false;
    if (wanted < 2 * *capacity)
        wanted = 2 * *capacity;
    if (wanted < 16)
        wanted = 16;
    if (!px_size_multiply(wanted, size, &bytes))
        return false;
    void *grown = realloc(*data, bytes);
    if (grown == NULL)
        return false;
    *data = grown;
    *capacity = wanted;
    return true;
}

void px_list_free(void *data)
{
    free(data);
}

bool px_list_append(void *list, const void *from, size_t size)
{
    PxAnyList *to = list;
    const PxAnyList *more = from;
    if (more->count == 0)
        return true;
    if (!px_list_reserve((void **)&to->data, to->count, &to->capacity, more->count, size))
        return false;
    memcpy(to->data + to->count * size, more->data, more->count * size);
    to->count += more->count;
    return true;
}

bool px_list_copy(void **data, size_t count, size_t size)
{
    void *copy = count > 0 ? malloc(count * size) : NULL;
    if (copy != NULL)
        memcpy(copy, *data, count * size);
    *data = copy;
    return copy != NULL || count == 0;
}
