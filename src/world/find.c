/// Finds things of a world by their names.
#include "world/world_parts.h"

#include <string.h>

/* Slot of the live thing of that name, from 1; 0: none. */
static uint32_t find(const void *data, size_t count, size_t size, const char *name)
{
    for (size_t k = 0; k < count; ++k) {
        const PxSlot *slot = (const PxSlot *)((const char *)data + k * size);
        if (slot->live && strcmp(slot->name, name) == 0)
            return (uint32_t)k + 1;
    }
    return 0;
}

#define FIND(list, name) find((list).data, (list).count, sizeof *(list).data, name)

PxStatus px_world_find_body(const PxWorld *world, const char *name, PxBodyId *out)
{
    PX_WANT(out);
    *out = (PxBodyId){0, 0};
    PX_WANT(world);
    PX_WANT_TEXT(name);
    uint32_t slot = FIND(world->bodies, name);
    if (slot == 0)
        return px_fail(PX_ERR_ARGUMENT, "there is no body '%.60s'", name);
    *out = (PxBodyId){slot, world->bodies.data[slot - 1].generation};
    return PX_OK;
}

PxStatus px_world_find_material(const PxWorld *world, const char *name, PxMaterialId *out)
{
    PX_WANT(out);
    *out = (PxMaterialId){0, 0};
    PX_WANT(world);
    PX_WANT_TEXT(name);
    uint32_t slot = FIND(world->materials, name);
    if (slot == 0)
        return px_fail(PX_ERR_ARGUMENT, "there is no material '%.60s'", name);
    *out = (PxMaterialId){slot, world->materials.data[slot - 1].generation};
    return PX_OK;
}
