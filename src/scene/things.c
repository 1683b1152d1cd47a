/// Access to the things of a scene of any kind.
#include "scene/content.h"

#include "base/words.h"

PxSceneList *px_scene_list(PxScene *scene, const PxKind *kind)
{
    size_t k = 0;
    while (k < PX_KIND_COUNT && px_kinds[k] != kind)
        ++k;
    PX_ASSERT(k < PX_KIND_COUNT);
    return &scene->list[k];
}

size_t px_reference_index(const PxSection *section, const PxField *field)
{
    size_t index = 0;
    for (const PxField *f = section->fields; f < field; ++f)
        index += f->kind == PX_FIELD_THING;
    PX_ASSERT(index < PX_COUNT(((PxSceneThing *)0)->refers));
    return index;
}

/* ---- values that may change while the world runs ---- */

/* As in the world, the particles of an emitter form a body. */
static size_t count_things(const void *user, const PxKind *kind)
{
    const PxScene *scene = user;
    return px_scene_list((PxScene *)scene, kind)->count +
           (kind == &px_body_kind ? scene->emitters : 0);
}

static void *thing_at(const void *user, const PxKind *kind, size_t index, const char **name)
{
    static const PxBodyDef emitted; /* for bodies of emitters: a body has no model parameters */
    const PxScene *scene = user;
    const PxSceneList *list = px_scene_list((PxScene *)scene, kind);
    if (index >= list->count) {
        *name = scene->emitter[index - list->count].def.name;
        return (void *)&emitted;
    }
    void *def = px_thing_def(px_scene_thing(list, kind, index));
    *name = px_kind_name(kind, def);
    return def;
}

PxStatus px_scene_live(const PxScene *scene, const char *path, PxLive *out)
{
    PxThingSource things = {
        .user = scene, .world = (PxWorldDef *)&scene->world, .count = count_things, .at = thing_at};
    PxStatus status = px_live_find(&things, path, out);
    return status == PX_OK
               ? PX_OK
               : px_fail_prefix(status,
                                "'%s' cannot be set: ", px_quote(path, (char[160]){0}, 160));
}
