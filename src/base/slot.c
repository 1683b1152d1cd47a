#include "base/slot.h"

#include <string.h>

static const PxSlot *slot_at(const void *data, size_t size, size_t index)
{
    return (const PxSlot *)(const void *)((const char *)data + index * size);
}

uint32_t px_slot_vacant(const void *data, size_t count, size_t size)
{
    size_t k = 0;
    while (k < count && slot_at(data, size, k)->live)
        ++k;
    return (uint32_t)k;
}

PxStatus px_slot_find(const void *data, size_t count, size_t size, uint32_t slot,
                      uint32_t generation, const char *what, uint32_t *index)
{
    if (slot == 0)
        return px_fail(PX_ERR_ARGUMENT, "the %s id is the null id", what);
    if (slot > count)
        return px_fail(PX_ERR_ARGUMENT, "there is no %s %u", what, slot);
    const PxSlot *found = slot_at(data, size, slot - 1);
    if (!found->live || found->generation != generation)
        return px_fail(PX_ERR_ARGUMENT,
                       "the %s id (slot %u, generation %u) is stale: that %s was removed", what,
                       slot, generation, what);
    *index = slot - 1;
    return PX_OK;
}

PxStatus px_slot_name_free(const void *data, size_t count, size_t size, const char *name,
                           const char *what)
{
    for (size_t k = 0; k < count; ++k) {
        const PxSlot *slot = slot_at(data, size, k);
        if (slot->live && strcmp(slot->name, name) == 0)
            return px_fail(PX_ERR_ARGUMENT, "%s: there is a '%s' already", what, name);
    }
    return PX_OK;
}
