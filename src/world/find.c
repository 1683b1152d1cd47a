/// Finds things of a world by their names, and lists the numbers that may change.
#include "base/def.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <stdio.h>
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

/* ---- values that may change ---- */

typedef struct Listing {
    PxWorldValue *out;
    size_t size, most, count;
} Listing;

static void list_value(Listing *l, const char *thing, const PxField *f, const void *object)
{
    bool vector = f->kind == PX_FIELD_VECTOR;
    PxWorldValue v = {.unit = f->unit != NULL ? f->unit : "",
                      .help = f->help != NULL ? f->help : "",
                      .least = f->least,
                      .most = f->most,
                      .values = vector ? 3 : 1};
    if (snprintf(v.path, sizeof v.path, "%s%s", thing, f->key) >= (int)sizeof v.path)
        return;
    memcpy(v.value, px_field_in(f, object), vector ? 3 * sizeof(double) : sizeof(double));
    if (l->count < l->most)
        px_result_put(l->out, l->size, l->count, &v, sizeof v);
    ++l->count;
}

static void list_section(Listing *l, const PxSection *section, const char *thing,
                         const void *object)
{
    for (size_t k = 0; k < section->field_count; ++k) {
        const PxField *f = &section->fields[k];
        bool number = f->kind == PX_FIELD_NUMBER || f->kind == PX_FIELD_VECTOR ||
                      f->kind == PX_FIELD_STRENGTH || f->kind == PX_FIELD_COUNT;
        if (number && (f->flags & PX_FIELD_LIVE) && px_field_applies(section, f, object))
            list_value(l, thing, f, object);
    }
}

size_t px_world_values_sized(const PxWorld *world, PxWorldValue *out, size_t size, size_t most)
{
    Listing l = {out, size, most, 0};
    if (world == NULL)
        return 0;
    list_section(&l, &px_world_section, "", &world->def);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k) {
        const PxKind *kind = px_kinds[k];
        for (size_t i = 0; kind->slot_def != 0 && i < px_kind_slots(kind, world); ++i) {
            const char *name;
            void *def;
            char thing[96];
            if (px_kind_at(kind, world, i, &name, NULL, &def) && def != NULL &&
                snprintf(thing, sizeof thing, "%s.%s.", kind->list, name) < (int)sizeof thing)
                list_section(&l, &kind->section, thing, def);
        }
    }
    return l.count;
}
