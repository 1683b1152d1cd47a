/// What is the same for all kinds of things: finding, adding, removing and copying them.
#include "world/kinds/kind.h"

#include "world/actors/region.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY(Type, word, list) &px_##word##_kind,
const PxKind *const px_kinds[PX_KIND_COUNT] = {PX_KINDS(ENTRY)};
#undef ENTRY

const PxKind *px_kind_of_list(const char *list)
{
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        if (strcmp(px_kinds[k]->list, list) == 0)
            return px_kinds[k];
    return NULL;
}

static const PxAnyList *list_of(const PxKind *kind, const PxWorld *world)
{
    return (const PxAnyList *)((const char *)world + kind->world_list);
}

static PxSlot *slot_at(const PxKind *kind, const PxAnyList *list, size_t slot)
{
    return (PxSlot *)(list->data + slot * kind->slot_size);
}

/* NULL: things of this kind have no region. */
static PxRegion *region_of(const PxKind *kind, void *thing)
{
    return kind->slot_region != 0 ? (PxRegion *)((char *)thing + kind->slot_region) : NULL;
}

/* Value of a field that every such def has, or `otherwise`. */
static double number_of(const PxKind *kind, const void *def, const char *key, double otherwise)
{
    const PxField *field = px_section_field(&kind->section, key);
    return field != NULL ? *(const double *)((const char *)def + field->offset) : otherwise;
}

size_t px_kind_slots(const PxKind *kind, const PxWorld *world)
{
    return list_of(kind, world)->count;
}

bool px_kind_at(const PxKind *kind, const PxWorld *world, size_t slot, const char **name,
                PxThingId *id, void **def)
{
    PxSlot *its = slot_at(kind, list_of(kind, world), slot);
    if (!its->live)
        return false;
    if (name != NULL)
        *name = its->name;
    if (id != NULL)
        *id = (PxThingId){(uint32_t)slot + 1, its->generation};
    if (def != NULL)
        *def = kind->slot_def != 0 ? (char *)its + kind->slot_def : NULL;
    return true;
}

/* ---- adding and removing ---------------------------------------------------------- */

/* Points the name of the def that a thing keeps at the thing's own. */
static void own_name(const PxKind *kind, void *thing)
{
    if (kind->slot_def != 0)
        *(const char **)((char *)thing + kind->slot_def + kind->name_offset) =
            ((PxSlot *)thing)->name;
}

/* Copies a def without what its pointers point at. */
static void keep_def(const PxKind *kind, const void *def, void *thing)
{
    char *own = (char *)thing + kind->slot_def;
    if (kind->slot_def == 0)
        return;
    memcpy(own, def, kind->section.size);
    for (size_t k = 0; k < kind->section.field_count; ++k) {
        const PxField *field = &kind->section.fields[k];
        if (field->kind == PX_FIELD_SHAPE)
            px_shape_def_forget((PxShapeDef *)(own + field->offset));
        if (field->kind == PX_FIELD_KEYFRAMES || field->kind == PX_FIELD_TEMPERATURES)
            memset(own + field->offset, 0, sizeof(void *));
    }
}

static PxStatus make_region(const PxKind *kind, const PxWorld *world, const void *def,
                            PxRegion *out)
{
    const PxField *shape = px_section_field(&kind->section, "shape");
    const PxField *body = px_section_field(&kind->section, "body");
    PxBodyId of = {0, 0};
    if (body != NULL)
        memcpy(&of, (const char *)def + body->offset, sizeof of);
    if (body != NULL && (body->flags & PX_FIELD_OF_SOLID))
        PX_TRY(px_region_wants_solid(world, of, body->flags & PX_FIELD_OF_CLOTH));
    return px_region_make(world, (const PxShapeDef *)((const char *)def + shape->offset), of, out);
}

static void release_thing(const PxKind *kind, void *thing)
{
    PxRegion *region = region_of(kind, thing);
    if (region != NULL)
        px_region_free(region);
    if (kind->slot_array.size > 0)
        free(*(void **)((char *)thing + kind->slot_array.at));
}

static PxStatus make_thing(const PxKind *kind, PxWorld *world, const void *def, void *thing,
                           uint32_t *slot)
{
    PxAnyList *list = (PxAnyList *)((char *)world + kind->world_list);
    PxRegion *region = region_of(kind, thing);
    double start = number_of(kind, def, "start", 0), end = number_of(kind, def, "end", INFINITY);
    PX_TRY(px_slot_name_free(list->data, list->count, kind->slot_size, ((PxSlot *)thing)->name,
                             kind->section.name));
    PX_TRY(px_section_check(&kind->section, def, "its numbers"));
    PX_TRY(px_region_time_check(start, end, world->state.time));
    *slot = px_slot_vacant(list->data, list->count, kind->slot_size);
    if (!px_list_reserve((void **)&list->data, list->count, &list->capacity, 1, kind->slot_size))
        return px_fail(PX_ERR_MEMORY, "no room");
    if (region != NULL)
        PX_TRY(make_region(kind, world, def, region));
    keep_def(kind, def, thing);
    return kind->make != NULL ? kind->make(world, def, thing) : PX_OK;
}

PxThingId px_kind_put(const PxKind *kind, PxWorld *world, uint32_t slot, const void *thing)
{
    PxAnyList *list = (PxAnyList *)((char *)world + kind->world_list);
    PxSlot *its = slot_at(kind, list, slot);
    memcpy(its, thing, kind->slot_size);
    its->generation = ++world->ids_given;
    its->live = true;
    list->count += slot == list->count;
    for (size_t k = 0; k < list->count; ++k) /* the list may have moved */
        own_name(kind, slot_at(kind, list, k));
    return (PxThingId){slot + 1, its->generation};
}

PxStatus px_kind_add(const PxKind *kind, PxWorld *world, const void *def, PxThingId *out)
{
    *out = (PxThingId){0, 0};
    if (kind->add != NULL)
        return kind->add(world, def, out);
    const char *word = kind->section.name;
    PxSlot *thing = calloc(1, kind->slot_size);
    uint32_t slot = 0;
    if (thing == NULL)
        return px_fail(PX_ERR_MEMORY, "%s: no room", word);
    PxStatus status = px_world_name(thing->name, px_kind_name(kind, def), word);
    if (status == PX_OK) {
        status = make_thing(kind, world, def, thing, &slot);
        if (status != PX_OK)
            status = px_fail_prefix(status, "%s '%s': ", word, thing->name);
    }
    if (status == PX_OK) {
        *out = px_kind_put(kind, world, slot, thing);
        if (kind->added != NULL)
            kind->added(world, slot);
    } else {
        release_thing(kind, thing);
    }
    free(thing);
    return status;
}

PxStatus px_kind_remove(const PxKind *kind, PxWorld *world, PxThingId id)
{
    if (kind->remove != NULL)
        return kind->remove(world, id);
    const PxAnyList *list = list_of(kind, world);
    uint32_t slot;
    PX_TRY(px_slot_find(list->data, list->count, kind->slot_size, id.slot, id.generation,
                        kind->section.name, &slot));
    if (kind->leaves != NULL)
        kind->leaves(world, slot);
    PxSlot *its = slot_at(kind, list, slot);
    uint32_t generation = its->generation;
    release_thing(kind, its);
    memset(its, 0, kind->slot_size);
    its->generation = generation;
    return PX_OK;
}

/* ---- all things of a kind --------------------------------------------------------- */

bool px_kind_own(const PxKind *kind, const void *things)
{
    const PxAnyList *list = things;
    bool all = true;
    for (size_t k = 0; k < list->count; ++k) {
        char *thing = (char *)slot_at(kind, list, k);
        PxRegion *region = region_of(kind, thing);
        if (region != NULL)
            px_shape_hold(region->shape);
        if (kind->slot_array.size > 0)
            all &= px_list_copy((void **)(thing + kind->slot_array.at),
                                *(const size_t *)(thing + kind->slot_array.count),
                                kind->slot_array.size);
        own_name(kind, thing);
    }
    return all;
}

void px_kind_release(const PxKind *kind, const void *things)
{
    const PxAnyList *list = things;
    for (size_t k = 0; k < list->count; ++k)
        release_thing(kind, slot_at(kind, list, k));
}

void px_kinds_leave_body(PxWorld *world, uint32_t body)
{
    for (size_t n = 0; n < PX_KIND_COUNT; ++n) {
        const PxAnyList *list = list_of(px_kinds[n], world);
        for (size_t k = 0; k < list->count; ++k) {
            PxRegion *region = region_of(px_kinds[n], slot_at(px_kinds[n], list, k));
            if (region != NULL && region->body == body + 1)
                region->body = PX_REGION_NO_BODY;
        }
    }
}

double px_kinds_next(const PxWorld *world, double time)
{
    double next = INFINITY;
    for (size_t n = 0; n < PX_KIND_COUNT; ++n) {
        const PxKind *kind = px_kinds[n];
        void *def;
        bool due = kind->on_time || kind->on_start;
        for (size_t k = 0; due && k < px_kind_slots(kind, world); ++k)
            if (px_kind_at(kind, world, k, NULL, NULL, &def)) {
                double end = kind->on_time ? number_of(kind, def, "end", 0) : INFINITY;
                next = fmin(next, px_region_time_next(number_of(kind, def, "start", 0), end, time));
            }
    }
    return next;
}

/* ---- rules ------------------------------------------------------------------------ */

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
