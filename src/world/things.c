#include "world/things.h"

#include "matter/wall_field.h"
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

/* The lists of things in a world. */
#define LISTS(LIST)                                                                                \
    LIST(PxMaterial, materials)                                                                    \
    LIST(PxBody, bodies)                                                                           \
    LIST(PxWall, walls)                                                                            \
    LIST(PxEmitter, emitters)                                                                      \
    LIST(PxSink, sinks)                                                                            \
    LIST(PxHandle, handles)                                                                        \
    LIST(PxGrip, grips)                                                                            \
    LIST(PxRegionForce, forces)                                                                    \
    LIST(PxHeater, heaters)                                                                        \
    LIST(PxWorldSkin, skins)                                                                       \
    LIST(PxWorldCoat, coats)                                                                       \
    LIST(PxEvent, events)

struct PxThings {
    PxWorldDef def;
    uint32_t bodies_made;
    PxWallProfile profile;
#define MEMBER(type, name) PX_LIST(type) name;
    LISTS(MEMBER)
#undef MEMBER
};

/* Shallow copy of the world's lists, for reading. */
static PxThings things_of(const PxWorld *world)
{
    PxThings t = {
        .def = world->def, .bodies_made = world->bodies_made, .profile = world->wall_profile};
#define TAKE(type, name) memcpy(&t.name, &world->name, sizeof t.name);
    LISTS(TAKE)
#undef TAKE
    return t;
}

/* Copies an array with malloc(); NULL for an empty one. */
static bool copy_array(void *array, size_t bytes, void *out)
{
    void *copy = bytes > 0 ? malloc(bytes) : NULL;
    if (copy != NULL)
        memcpy(copy, array, bytes);
    memcpy(out, &copy, sizeof copy);
    return copy != NULL || bytes == 0;
}

/* Makes shallow copies of entries own their data: copies arrays, and retains references to shared
 * objects. Also after a failure every entry owns what it points at. */
static bool own(PxThings *t)
{
    bool all = true;
    for (size_t k = 0; k < t->walls.count; ++k) {
        PxWall *wall = &t->walls.data[k];
        px_shape_hold(wall->shape);
        px_wall_field_hold(wall->field);
        all &= copy_array(wall->key, wall->keys * sizeof *wall->key, &wall->key);
        all &= copy_array(wall->warmth, wall->warmths * sizeof *wall->warmth, &wall->warmth);
    }
    for (size_t k = 0; k < t->emitters.count; ++k) {
        PxEmitter *e = &t->emitters.data[k];
        all &= copy_array(e->site, e->sites * sizeof *e->site, &e->site);
        e->def.name = e->name;
    }
    for (size_t k = 0; k < t->sinks.count; ++k)
        px_shape_hold(t->sinks.data[k].region.shape);
    for (size_t k = 0; k < t->handles.count; ++k) {
        PxHandle *handle = &t->handles.data[k];
        px_shape_hold(handle->region.shape);
        all &= copy_array(handle->key, handle->keys * sizeof *handle->key, &handle->key);
    }
    for (size_t k = 0; k < t->forces.count; ++k) {
        px_shape_hold(t->forces.data[k].region.shape);
        t->forces.data[k].def.name = t->forces.data[k].name;
    }
    for (size_t k = 0; k < t->heaters.count; ++k) {
        PxHeater *heater = &t->heaters.data[k];
        px_shape_hold(heater->region.shape);
        all &=
            copy_array(heater->key, heater->def.temperatures * sizeof *heater->key, &heater->key);
        heater->def.name = heater->name;
    }
    for (size_t k = 0; k < t->materials.count; ++k)
        t->materials.data[k].def.name = t->materials.data[k].name;
    for (size_t k = 0; k < t->bodies.count; ++k)
        t->bodies.data[k].def.name = t->bodies.data[k].name;
    for (size_t k = 0; k < t->skins.count; ++k)
        px_skin_hold(t->skins.data[k].skin);
    for (size_t k = 0; k < t->coats.count; ++k)
        px_coat_hold(t->coats.data[k].coat);
    return all;
}

static void free_lists(PxThings *t)
{
#define FREE(type, name) PX_LIST_FREE(&t->name);
    LISTS(FREE)
#undef FREE
}

PxStatus px_things_duplicate(const PxThings *from, PxThings **out)
{
    PxThings *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to save a world");
    *t = (PxThings){.def = from->def, .bodies_made = from->bodies_made, .profile = from->profile};
    bool all = true;
#define COPY(type, name)                                                                           \
    all = all && (from->name.count == 0 || PX_LIST_RESERVE(&t->name, from->name.count));           \
    if (all && from->name.count > 0) {                                                             \
        memcpy(t->name.data, from->name.data, from->name.count * sizeof(type));                    \
        t->name.count = from->name.count;                                                          \
    }
    LISTS(COPY)
#undef COPY
    if (!all) { /* nothing is owned yet */
        free_lists(t);
        free(t);
        return px_fail(PX_ERR_MEMORY, "no room to save a world");
    }
    if (!own(t)) {
        px_things_free(t);
        return px_fail(PX_ERR_MEMORY, "no room to save a world");
    }
    *out = t;
    return PX_OK;
}

PxStatus px_things_copy(const PxWorld *world, PxThings **out)
{
    PxThings things = things_of(world);
    return px_things_duplicate(&things, out);
}

void px_things_swap(PxWorld *world, PxThings *things)
{
    PxThings old = things_of(world);
#define PUT(type, name) memcpy(&world->name, &things->name, sizeof things->name);
    LISTS(PUT)
#undef PUT
    world->def = things->def;
    world->bodies_made = things->bodies_made;
    world->wall_profile = things->profile;
    *things = old;
}

static void drop(PxThings *t)
{
    for (size_t k = 0; k < t->walls.count; ++k) {
        px_wall_field_free(t->walls.data[k].field);
        px_shape_free(t->walls.data[k].shape);
        free(t->walls.data[k].key);
        free(t->walls.data[k].warmth);
    }
    for (size_t k = 0; k < t->emitters.count; ++k)
        free(t->emitters.data[k].site);
    for (size_t k = 0; k < t->sinks.count; ++k)
        px_shape_free(t->sinks.data[k].region.shape);
    for (size_t k = 0; k < t->handles.count; ++k) {
        px_shape_free(t->handles.data[k].region.shape);
        free(t->handles.data[k].key);
    }
    for (size_t k = 0; k < t->forces.count; ++k)
        px_shape_free(t->forces.data[k].region.shape);
    for (size_t k = 0; k < t->heaters.count; ++k) {
        px_shape_free(t->heaters.data[k].region.shape);
        free(t->heaters.data[k].key);
    }
    for (size_t k = 0; k < t->skins.count; ++k)
        px_skin_free(t->skins.data[k].skin);
    for (size_t k = 0; k < t->coats.count; ++k)
        px_coat_free(t->coats.data[k].coat);
    free_lists(t);
}

void px_things_free(PxThings *things)
{
    if (things != NULL)
        drop(things);
    free(things);
}

void px_things_drop(PxWorld *world)
{
    PxThings things = things_of(world);
    drop(&things);
}

PxStatus px_things_reserve_coats(const PxThings *things, const PxTable table[PX_COAT_TABLES])
{
    return px_coats_reserve(things->coats.data, things->coats.count, table);
}
