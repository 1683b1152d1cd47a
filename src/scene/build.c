/// From a scene to a world.
#include "scene/content.h"

#include <stdlib.h>

static PxStatus add_body(const PxScene *scene, const PxSceneBody *body, const PxMaterialId *ids,
                         PxWorld *world)
{
    PxBodyDef def = body->def;
    PxBodyId id;
    PxKeyframe *keyframe = NULL;
    def.shape = px_scene_shape(scene, &body->def.shape, &body->turn);
    if (body->material != PX_NO_MATERIAL)
        def.material = ids[body->material];
    def.keyframes = px_scene_keyframes(body, NULL);
    if (def.keyframes > 0) {
        keyframe = malloc(def.keyframes * sizeof *keyframe);
        if (keyframe == NULL)
            return px_fail(PX_ERR_MEMORY, "scene: no room for %zu keyframes", def.keyframes);
        px_scene_keyframes(body, keyframe);
        def.keyframe = keyframe;
    }
    PxStatus status = px_world_add_body(world, &def, &id);
    free(keyframe);
    return status;
}

static PxStatus fill_world(const PxScene *scene, PxMaterialId *ids, PxWorld *world)
{
    for (size_t k = 0; k < scene->materials; ++k)
        PX_TRY(px_world_add_material(world, &scene->material[k], &ids[k]));
    for (size_t k = 0; k < scene->bodies; ++k)
        PX_TRY(add_body(scene, &scene->body[k], ids, world));
    for (size_t k = 0; k < scene->emitters; ++k) {
        PxEmitterDef def = scene->emitter[k].def;
        def.shape = px_scene_shape(scene, &def.shape, &scene->emitter[k].turn);
        def.material = ids[scene->emitter[k].material];
        PX_TRY(px_world_add_emitter(world, &def, NULL));
    }
    for (size_t k = 0; k < scene->sinks; ++k) {
        PxSinkDef def = scene->sink[k].def;
        def.shape = px_scene_shape(scene, &def.shape, &scene->sink[k].turn);
        PX_TRY(px_world_add_sink(world, &def));
    }
    for (size_t k = 0; k < scene->events; ++k) {
        const PxSceneEvent *event = &scene->event[k];
        PxEventDef def = {.time = event->at, .path = event->set, .values = event->values};
        for (int c = 0; c < event->values; ++c)
            def.value[c] = event->to[c];
        PX_TRY(px_world_add_event(world, &def));
    }
    return PX_OK;
}

PxStatus px_scene_world(const PxScene *scene, int threads, PxWorld **out)
{
    *out = NULL;
    PX_TRY(px_scene_verdict(scene));
    PxWorldDef def = scene->world;
    def.threads = threads;
    PxWorld *world = NULL;
    PxMaterialId *ids = calloc(scene->materials + 1, sizeof *ids);
    PxStatus status = ids != NULL ? px_world_create(&def, &world)
                                  : px_fail(PX_ERR_MEMORY, "scene: no room for materials");
    if (status == PX_OK)
        status = fill_world(scene, ids, world);
    free(ids);
    if (status != PX_OK) {
        px_world_free(world);
        return px_fail_prefix(status, "%s: ", scene->file);
    }
    *out = world;
    return PX_OK;
}
