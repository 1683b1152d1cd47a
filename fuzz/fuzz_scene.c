/// Fuzz target: the scene reader on arbitrary bytes. It always returns a scene with complaints, and
/// the resolved form of a scene without errors resolves to itself.
#include "phyxel/scene.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        __builtin_trap();
}

static void look_at_complaints(const PxScene *scene)
{
    size_t errors = 0;
    for (size_t k = 0; k < px_scene_complaint_count(scene); ++k) {
        const PxComplaint *c = px_scene_complaint(scene, k);
        promise(c->text[0] != '\0' && strlen(c->text) < 1024 && strlen(c->place) < 512);
        promise((c->line > 0) == (c->column > 0));
        for (const char *t = c->text; *t != '\0'; ++t)
            promise((unsigned char)*t >= ' ' && *t != '\x7f');
        errors += c->severity == PX_ERROR;
    }
    promise(errors == px_scene_error_count(scene));
}

/* The deeper look costs as much as the scene is large: small ones only. */
static bool is_small(const PxScene *scene)
{
    PxSceneEstimate estimate;
    return px_scene_estimate(scene, 1, &estimate) == PX_OK && estimate.particles < 1e5;
}

static void check_round_trip(const PxScene *scene)
{
    const char *text = px_scene_resolved(scene);
    PxScene *again = NULL;
    promise(px_scene_read_text("again", NULL, text, strlen(text), &again) == PX_OK);
    promise(strcmp(px_scene_resolved(again), text) == 0);
    promise(strcmp(px_scene_hash(again), px_scene_hash(scene)) == 0);
    px_scene_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxScene *scene = NULL;
    /* without a folder, so that no file is ever opened */
    PxStatus status = px_scene_read_text("fuzz", NULL, (const char *)data, size, &scene);
    if (scene == NULL)
        return 0; /* memory was out */
    promise((status == PX_OK) == (px_scene_error_count(scene) == 0));
    look_at_complaints(scene);
    promise(px_scene_resolved(scene) != NULL && strlen(px_scene_hash(scene)) == 32);
    if (status == PX_OK) {
        check_round_trip(scene);
        if (is_small(scene)) {
            px_scene_check(scene);
            look_at_complaints(scene);
        }
    }
    px_scene_set(scene, "bodies[0].shape.at", "[0, 1, 0]");
    px_scene_set(scene, "materials.water.pressure.gamma", "5");
    look_at_complaints(scene);
    px_scene_free(scene);
    return 0;
}
