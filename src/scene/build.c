/// From a scene to a world.
#include "scene/content.h"

#include <stdlib.h>

/* What the world calls the scene's things, by their index in it. */
typedef struct Ids {
    PxMaterialId *material;
    PxBodyId *body;
} Ids;

/* *out is NULL when there are none; free() it. */
static PxStatus make_keyframes(const PxSceneKeyframe *stated, size_t count, PxKeyframe **out,
                               size_t *made)
{
    *out = NULL;
    *made = px_scene_keyframes(stated, count, NULL);
    if (*made == 0)
        return PX_OK;
    *out = malloc(*made * sizeof **out);
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu keyframes", *made);
    px_scene_keyframes(stated, count, *out);
    return PX_OK;
}

static PxStatus add_body(const PxScene *scene, size_t index, const Ids *ids, PxWorld *world)
{
    const PxSceneBody *body = &scene->body[index];
    PxBodyDef def = body->def;
    PxKeyframe *keyframe;
    def.shape = px_scene_shape(scene, &body->def.shape, &body->turn);
    if (body->material != PX_NO_MATERIAL)
        def.material = ids->material[body->material];
    PX_TRY(make_keyframes(body->keyframe, body->keyframes, &keyframe, &def.keyframes));
    def.keyframe = keyframe;
    PxStatus status = px_world_add_body(world, &def, &ids->body[index]);
    free(keyframe);
    return status;
}

static PxStatus add_handle(const PxScene *scene, const PxSceneHandle *handle, const Ids *ids,
                           PxWorld *world)
{
    PxHandleDef def = handle->def;
    PxKeyframe *keyframe;
    def.shape = px_scene_shape(scene, &handle->def.shape, &handle->turn);
    if (handle->body != PX_NO_BODY)
        def.body = ids->body[handle->body];
    PX_TRY(make_keyframes(handle->keyframe, handle->keyframes, &keyframe, &def.keyframes));
    def.keyframe = keyframe;
    PxStatus status = px_world_add_handle(world, &def, NULL);
    free(keyframe);
    return status;
}

static PxStatus add_force(const PxScene *scene, const PxSceneForce *force, const Ids *ids,
                          PxWorld *world)
{
    PxForceDef def = force->def;
    def.shape = px_scene_shape(scene, &force->def.shape, &force->turn);
    if (force->body != PX_NO_BODY)
        def.body = ids->body[force->body];
    return px_world_add_force(world, &def, NULL);
}

static PxStatus add_heater(const PxScene *scene, const PxSceneHeater *heater, const Ids *ids,
                           PxWorld *world)
{
    PxHeaterDef def = heater->def;
    def.shape = px_scene_shape(scene, &heater->def.shape, &heater->turn);
    if (heater->body != PX_NO_BODY)
        def.body = ids->body[heater->body];
    return px_world_add_heater(world, &def, NULL);
}

/* The keys of the section are the names of the columns. */
static PxStatus keep_columns(const PxSceneOutput *output, PxWorld *world)
{
    for (size_t k = 0; k < *px_output_section.field_count; ++k) {
        const PxField *field = &px_output_section.fields[k];
        if (*(const bool *)(const void *)((const char *)output + field->offset))
            PX_TRY(px_world_keep_column(world, field->key));
    }
    return PX_OK;
}

static PxStatus fill_world(const PxScene *scene, const Ids *ids, PxWorld *world)
{
    for (size_t k = 0; k < scene->materials; ++k)
        PX_TRY(px_world_add_material(world, &scene->material[k], &ids->material[k]));
    for (size_t k = 0; k < scene->bodies; ++k)
        PX_TRY(add_body(scene, k, ids, world));
    for (size_t k = 0; k < scene->emitters; ++k) {
        PxEmitterDef def = scene->emitter[k].def;
        def.shape = px_scene_shape(scene, &def.shape, &scene->emitter[k].turn);
        def.material = ids->material[scene->emitter[k].material];
        PX_TRY(px_world_add_emitter(world, &def, NULL));
    }
    for (size_t k = 0; k < scene->sinks; ++k) {
        PxSinkDef def = scene->sink[k].def;
        def.shape = px_scene_shape(scene, &def.shape, &scene->sink[k].turn);
        PX_TRY(px_world_add_sink(world, &def, NULL));
    }
    for (size_t k = 0; k < scene->handles; ++k)
        PX_TRY(add_handle(scene, &scene->handle[k], ids, world));
    for (size_t k = 0; k < scene->forces; ++k)
        PX_TRY(add_force(scene, &scene->force[k], ids, world));
    for (size_t k = 0; k < scene->heaters; ++k)
        PX_TRY(add_heater(scene, &scene->heater[k], ids, world));
    for (size_t k = 0; k < scene->events; ++k) {
        const PxSceneEvent *event = &scene->event[k];
        PxEventDef def = {.time = event->at, .path = event->set, .values = event->values};
        for (int c = 0; c < event->values; ++c)
            def.value[c] = event->to[c];
        PX_TRY(px_world_add_event(world, &def));
    }
    return keep_columns(&scene->output, world);
}

PxStatus px_scene_world(const PxScene *scene, int threads, PxWorld **out)
{
    *out = NULL;
    PX_TRY(px_scene_verdict(scene));
    PxWorldDef def = scene->world;
    def.threads = threads;
    PxWorld *world = NULL;
    Ids ids = {.material = calloc(scene->materials + 1, sizeof *ids.material),
               .body = calloc(scene->bodies + 1, sizeof *ids.body)};
    PxStatus status = ids.material != NULL && ids.body != NULL
                          ? px_world_create(&def, &world)
                          : px_fail(PX_ERR_MEMORY, "scene: no room for materials and bodies");
    if (status == PX_OK)
        status = fill_world(scene, &ids, world);
    free(ids.material);
    free(ids.body);
    if (status != PX_OK) {
        px_world_free(world);
        return px_fail_prefix(status, "%s: ", scene->file);
    }
    *out = world;
    return PX_OK;
}
