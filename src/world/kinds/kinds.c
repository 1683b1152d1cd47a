/// The list of all kinds of things.
#include "base/slot.h"
#include "world/kinds/kind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const PxKind *const px_kinds[] = {
    &px_material_kind, &px_body_kind,  &px_emitter_kind, &px_sink_kind,
    &px_handle_kind,   &px_force_kind, &px_heater_kind,
};
const size_t px_kind_count = PX_COUNT(px_kinds);
_Static_assert(PX_COUNT(px_kinds) <= PX_KINDS_MOST, "a scene has room for PX_KINDS_MOST kinds");

const PxKind *px_kind_of_list(const char *list)
{
    for (size_t k = 0; k < px_kind_count; ++k)
        if (strcmp(px_kinds[k]->list, list) == 0)
            return px_kinds[k];
    return NULL;
}

/* Layout of any PX_LIST. */
typedef struct List {
    char *data;
    size_t count, capacity;
} List;

static const List *list_of(const PxKind *kind, const PxWorld *world)
{
    return (const List *)((const char *)world + kind->world_list);
}

size_t px_kind_slots(const PxKind *kind, const PxWorld *world)
{
    return list_of(kind, world)->count;
}

bool px_kind_at(const PxKind *kind, const PxWorld *world, size_t slot, const char **name,
                PxThingId *id, void **def)
{
    char *thing = list_of(kind, world)->data + slot * kind->slot_size;
    const PxSlot *its = (const PxSlot *)thing;
    if (!its->live)
        return false;
    if (name != NULL)
        *name = its->name;
    if (id != NULL)
        *id = (PxThingId){(uint32_t)slot + 1, its->generation};
    if (def != NULL)
        *def = kind->slot_def != 0 ? thing + kind->slot_def : NULL;
    return true;
}

void px_wrong(const PxStated *stated, PxSeverity severity, const char *key, bool at_key,
              const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    stated->complain(stated, severity, key, at_key, text);
}
