#include "world/copies.h"

#include "matter/wall_field.h"
#include "matter/wall_triangles.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <stdlib.h>
#include <string.h>

/* The lists of a world: of the kinds of things in a scene, and of what belongs to them. */
#define OTHERS(LIST)                                                                               \
    LIST(PxWall, walls)                                                                            \
    LIST(PxRigid, rigids)                                                                          \
    LIST(PxRigidKept, rigid_kept)                                                                  \
    LIST(PxCloth, cloths)                                                                          \
    LIST(PxGrip, grips)                                                                            \
    LIST(PxWorldSkin, skins)                                                                       \
    LIST(PxWorldCoat, coats)                                                                       \
    LIST(PxEvent, events)

/* Does LIST(name) for every list. */
#define OF_KIND(Type, word, list) LIST(list)
#define OF_OTHER(type, list) LIST(list)
#define LISTS PX_KINDS(OF_KIND) OTHERS(OF_OTHER)

struct PxThings {
    PxWorldDef def;
    uint32_t bodies_made;
    PxWallProfile profile;
#define MEMBER(type, list) PX_LIST(type) list;
    PX_KIND_LISTS
    OTHERS(MEMBER)
#undef MEMBER
};

/* Shallow copy of the world's lists, for reading. */
static PxThings things_of(const PxWorld *world)
{
    PxThings t = {
        .def = world->def, .bodies_made = world->bodies_made, .profile = world->wall_profile};
#define LIST(name) memcpy(&t.name, &world->name, sizeof t.name);
    LISTS
#undef LIST
    return t;
}

/* Makes shallow copies of entries own their data: copies arrays, and retains references to shared
 * objects. Also after a failure every entry owns what it points at. */
static bool own(PxThings *t)
{
    bool all = true;
#define OWN(Type, word, list) all &= px_kind_own(&px_##word##_kind, &t->list);
    PX_KINDS(OWN)
#undef OWN
    for (size_t k = 0; k < t->walls.count; ++k) {
        PxWall *wall = &t->walls.data[k];
        px_shape_hold(wall->shape);
        px_wall_field_hold(wall->field);
        px_wall_triangles_hold(wall->triangles);
        px_features_hold(wall->features);
        all &= px_list_copy((void **)&wall->key, wall->keys, sizeof *wall->key);
        all &= px_list_copy((void **)&wall->warmth, wall->warmths, sizeof *wall->warmth);
    }
    for (size_t k = 0; k < t->rigids.count; ++k)
        px_features_hold(t->rigids.data[k].features);
    for (size_t k = 0; k < t->cloths.count; ++k)
        px_cloth_sheet_hold(t->cloths.data[k].sheet);
    for (size_t k = 0; k < t->skins.count; ++k) {
        px_skin_hold(t->skins.data[k].skin);
        t->skins.data[k].pieces =
            (PxSkinPieces){.skin = NULL}; /* is made again from the particles */
        t->skins.data[k].slits = (PxSkinSlits){.skin = NULL};
    }
    for (size_t k = 0; k < t->coats.count; ++k)
        px_coat_hold(t->coats.data[k].coat);
    return all;
}

static void free_lists(PxThings *t)
{
#define LIST(name) PX_LIST_FREE(&t->name);
    LISTS
#undef LIST
}

PxStatus px_things_duplicate(const PxThings *from, PxThings **out)
{
    PxThings *t = calloc(1, sizeof *t);
    *out = NULL;
    if (t == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to save a world");
    *t = (PxThings){.def = from->def, .bodies_made = from->bodies_made, .profile = from->profile};
    bool all = true;
#define COPY_KIND(Type, word, list)                                                                \
    all = all && px_list_append(&t->list, &from->list, px_##word##_kind.slot_size);
#define COPY(type, list) all = all && px_list_append(&t->list, &from->list, sizeof(type));
    PX_KINDS(COPY_KIND)
    OTHERS(COPY)
#undef COPY
#undef COPY_KIND
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
#define LIST(name) memcpy(&world->name, &things->name, sizeof things->name);
    LISTS
#undef LIST
    world->def = things->def;
    world->bodies_made = things->bodies_made;
    world->wall_profile = things->profile;
    world->cloth_stale = true;
    *things = old;
}

static void drop(PxThings *t)
{
#define RELEASE(Type, word, list) px_kind_release(&px_##word##_kind, &t->list);
    PX_KINDS(RELEASE)
#undef RELEASE
    for (size_t k = 0; k < t->walls.count; ++k) {
        px_wall_field_free(t->walls.data[k].field);
        px_wall_triangles_free(t->walls.data[k].triangles);
        px_features_free(t->walls.data[k].features);
        px_shape_free(t->walls.data[k].shape);
        free(t->walls.data[k].key);
        free(t->walls.data[k].warmth);
    }
    for (size_t k = 0; k < t->rigids.count; ++k)
        px_features_free(t->rigids.data[k].features);
    for (size_t k = 0; k < t->cloths.count; ++k)
        px_cloth_sheet_free(t->cloths.data[k].sheet);
    for (size_t k = 0; k < t->skins.count; ++k) {
        px_skin_slits_free(&t->skins.data[k].slits);
        px_skin_free(t->skins.data[k].skin);
        px_skin_pieces_free(&t->skins.data[k].pieces);
    }
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
