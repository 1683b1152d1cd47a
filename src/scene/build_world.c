/// Builds a world from a scene.
#include "scene/content.h"

#include "world/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts of a turn of gravity a second. */
#define TURNS 50.0

/* Ids in the world of the scene's things, by kind and index. */
typedef struct Ids {
    PxThingId *of[PX_KIND_COUNT];
} Ids;

static size_t kind_index(const char *list)
{
    size_t k = 0;
    while (px_kinds[k] != px_kind_of_list(list))
        ++k;
    return k;
}

/* Completes a copy of the def with the shape and keyframes that the scene stores separately. The
 * caller frees *keyframe. */
static PxStatus complete(const PxScene *scene, const PxKind *kind, const PxSceneThing *thing,
                         const Ids *ids, char *def, PxKeyframe **keyframe)
{
    for (size_t k = 0; k < kind->section.field_count; ++k) {
        const PxField *field = &kind->section.fields[k];
        char *member = def + field->offset;
        if (field->kind == PX_FIELD_SHAPE) {
            *(PxShapeDef *)member = px_scene_shape(scene, (const PxShapeDef *)member, &thing->turn);
        } else if (field->kind == PX_FIELD_THING) {
            size_t refers = thing->refers[px_reference_index(&kind->section, field)];
            if (refers != SIZE_MAX)
                memcpy(member, &ids->of[kind_index(field->of)][refers], sizeof(PxThingId));
        } else if (field->kind == PX_FIELD_KEYFRAMES) {
            size_t count = px_scene_keyframes(thing->keyframe, thing->keyframes, NULL);
            *keyframe = count > 0 ? malloc(count * sizeof **keyframe) : NULL;
            if (count > 0 && *keyframe == NULL)
                return px_fail(PX_ERR_MEMORY, "scene: no room for %zu keyframes", count);
            if (count > 0)
                px_scene_keyframes(thing->keyframe, thing->keyframes, *keyframe);
            *(const PxKeyframe **)member = *keyframe;
            *(size_t *)(def + field->beside) = count;
        }
    }
    return PX_OK;
}

static PxStatus add_things(const PxScene *scene, size_t number, const Ids *ids, PxWorld *world)
{
    const PxKind *kind = px_kinds[number];
    const PxSceneList *list = &scene->list[number];
    char *def = malloc(kind->section.size);
    PxStatus status =
        def != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "scene: no room for a %s", kind->section.name);
    for (size_t k = 0; k < list->count && status == PX_OK; ++k) {
        PxSceneThing *thing = px_scene_thing(list, kind, k);
        PxKeyframe *keyframe = NULL;
        memcpy(def, px_thing_def(thing), kind->section.size);
        status = complete(scene, kind, thing, ids, def, &keyframe);
        if (kind == &px_body_kind && scene->matter[k].point != NULL) {
            ((PxBodyDef *)def)->position = scene->matter[k].point;
            ((PxBodyDef *)def)->positions = scene->matter[k].count;
        }
        if (kind->per_frame != NULL)
            kind->per_frame(def, 1 / scene->head.time.fps);
        if (status == PX_OK)
            status = px_kind_add(kind, world, def, &ids->of[number][k]);
        free(keyframe);
    }
    free(def);
    return status;
}

/* The keys of the section are names of columns. */
static PxStatus keep_columns(const PxSceneOutput *output, PxWorld *world)
{
    for (size_t k = 0; k < px_output_section.field_count; ++k) {
        const PxField *field = &px_output_section.fields[k];
        if (*(const bool *)(const void *)((const char *)output + field->offset))
            PX_TRY(px_world_keep_column(world, field->key));
    }
    return PX_OK;
}

/* Gravity when event k begins: what the latest event before it made it. */
static PxVec3 gravity_before(const PxScene *scene, size_t k)
{
    PxVec3 gravity = scene->world.gravity;
    double latest = -1;
    for (size_t n = 0; n < scene->events; ++n) {
        const PxSceneEvent *e = &scene->event[n];
        double ends = e->at + e->over;
        if (n == k || strcmp(e->set, "gravity") != 0 || ends > scene->event[k].at || ends < latest)
            continue;
        latest = ends;
        gravity = px_vec(e->to[0], e->to[1], e->to[2]);
    }
    return gravity;
}

/* Gravity at a part of its way: it turns at a constant rate, about any axis if it is reversed. */
static PxVec3 gravity_between(PxVec3 from, PxVec3 to, double part)
{
    double a = px_length(from), b = px_length(to), size = a + part * (b - a);
    if (!(a > 0) || !(b > 0))
        return px_add(px_scale(from, 1 - part), px_scale(to, part));
    PxVec3 u = px_scale(from, 1 / a), v = px_scale(to, 1 / b), axis = px_cross(u, v);
    double angle = atan2(px_length(axis), px_dot(u, v));
    if (!(px_length(axis) > 1e-9))
        axis = px_cross(u, fabs(u.x) < 0.9 ? px_vec(1, 0, 0) : px_vec(0, 0, 1));
    return px_scale(px_rotate(px_quat_turn(axis, part * angle), u), size);
}

/* Turns gravity in small steps: one event for each, and a last one with the final direction. */
static PxStatus add_turn(const PxScene *scene, size_t k, PxWorld *world)
{
    const PxSceneEvent *event = &scene->event[k];
    PxVec3 from = gravity_before(scene, k);
    PxVec3 to = px_vec(event->to[0], event->to[1], event->to[2]);
    double parts = fmin(fmax(ceil(event->over * TURNS), 2), 10000);
    for (double n = 0.5; n < parts; n += 1) { /* the mean of each part, from its start on */
        PxVec3 g = gravity_between(from, to, n / parts);
        PxEventDef def = px_event_def_default();
        def.time = event->at + (n - 0.5) / parts * event->over;
        def.path = "gravity";
        def.values = 3;
        def.value[0] = g.x;
        def.value[1] = g.y;
        def.value[2] = g.z;
        PX_TRY(px_world_add_event(world, &def));
    }
    return PX_OK;
}

static PxStatus fill_world(const PxScene *scene, Ids *ids, PxWorld *world)
{
    for (size_t k = 0; k < PX_KIND_COUNT; ++k) {
        ids->of[k] = calloc(scene->list[k].count + 1, sizeof *ids->of[k]);
        if (ids->of[k] == NULL)
            return px_fail(PX_ERR_MEMORY, "scene: no room for %zu %s", scene->list[k].count,
                           px_kinds[k]->list);
        PX_TRY(add_things(scene, k, ids, world));
    }
    for (size_t k = 0; k < scene->events; ++k) {
        const PxSceneEvent *event = &scene->event[k];
        PxEventDef def = px_event_def_default();
        def.time = event->at;
        def.path = event->set;
        def.values = event->values;
        for (int c = 0; c < event->values; ++c)
            def.value[c] = event->to[c];
        if (event->over > 0)
            PX_TRY(add_turn(scene, k, world));
        def.time += event->over;
        PX_TRY(px_world_add_event(world, &def));
    }
    return keep_columns(&scene->output, world);
}

PxStatus px_scene_world(const PxScene *scene, int threads, PxWorld **out)
{
    PX_WANT(out);
    *out = NULL;
    PX_WANT(scene);
    return px_scene_world_trusted(scene, threads, scene->checked, out);
}

PxStatus px_scene_world_trusted(const PxScene *scene, int threads, bool trusted, PxWorld **out)
{
    *out = NULL;
    PX_TRY(px_scene_verdict(scene));
    PxStatus made = px_scene_matter(scene);
    if (made == PX_OK)
        made = px_scene_settle(scene, threads);
    if (made != PX_OK)
        return px_fail_prefix(made, "%s: ", scene->file);
    PxWorldDef def = scene->world;
    def.threads = threads;
    PxWorld *world = NULL;
    Ids ids = {0};
    PxStatus status = px_world_create(&def, &world);
    if (status == PX_OK) {
        px_overlap_trust(world, trusted);
        status = fill_world(scene, &ids, world);
        px_overlap_trust(world, false);
    }
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        free(ids.of[k]);
    if (status != PX_OK) {
        px_world_free(world);
        return px_fail_prefix(status, "%s: ", scene->file);
    }
    *out = world;
    return PX_OK;
}
