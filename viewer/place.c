#include "place.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is it the name of a body or an emitter? */
static bool is_taken(const json_t *scene, const char *name)
{
    static const char *const lists[] = {"bodies", "emitters"};
    for (int k = 0; k < 2; ++k) {
        size_t n;
        json_t *thing;
        json_array_foreach(json_object_get(scene, lists[k]), n, thing)
        {
            const char *own = json_string_value(json_object_get(thing, "name"));
            if (own != NULL && strcmp(own, name) == 0)
                return true;
        }
    }
    return false;
}

static json_t *shape_of(const PlaceDef *def)
{
    double s = def->size;
    json_t *shape =
        def->shape == PLACE_BOX      ? json_pack("{s: [f, f, f]}", "box", s, s, s)
        : def->shape == PLACE_SPHERE ? json_pack("{s: f}", "sphere", 0.5 * s)
        : def->shape == PLACE_CYLINDER
            ? json_pack("{s: {s: f, s: f}}", "cylinder", "radius", 0.5 * s, "height", s)
            : json_pack("{s: {s: f, s: f}}", "capsule", "radius", 0.25 * s, "height", 0.5 * s);
    json_object_set_new(shape, "at", json_pack("[f, f, f]", def->at.x, def->at.y, def->at.z));
    bool round = def->shape == PLACE_CYLINDER || def->shape == PLACE_CAPSULE;
    if (round && def->z_up) /* their axis is y */
        json_object_set_new(shape, "turn",
                            json_pack("{s: [i, i, i], s: i}", "axis", 1, 0, 0, "degrees", 90));
    return shape;
}

char *place_body(const char *text, const PlaceDef *def)
{
    char name[32];
    json_t *scene = json_loads(text, 0, NULL);
    if (!json_is_object(scene)) {
        json_decref(scene);
        return NULL;
    }
    json_t *bodies = json_object_get(scene, "bodies");
    if (bodies == NULL) {
        bodies = json_array();
        json_object_set_new(scene, "bodies", bodies);
    }
    unsigned number = 1;
    do
        snprintf(name, sizeof name, "placed-%u", number++);
    while (is_taken(scene, name));
    json_t *body = json_pack("{s: s, s: o, s: s}", "name", name, "shape", shape_of(def), "material",
                             def->material);
    if (body != NULL && def->rigid)
        json_object_set_new(body, "rigid", json_true());
    char *out = json_array_append_new(bodies, body) == 0
                    ? json_dumps(scene, JSON_INDENT(2) | JSON_REAL_PRECISION(17))
                    : NULL;
    json_decref(scene);
    return out;
}

/* Heights that are tried, in sizes of the body: at first close together. */
static const double lifts[] = {0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12, 16};

/* Checks a scene: PX_ERR_STOPPED when its only errors are overlaps, which a lift may mend. */
static PxStatus try_scene(const char *text, const char *folder)
{
    PxScene *scene = NULL;
    PxWorld *world = NULL;
    PxStatus status = px_scene_read_text("scene", folder, text, strlen(text), &scene);
    if (status == PX_OK)
        status = px_scene_world(scene, 1, &world);
    if (status != PX_OK && strstr(px_error_message(), "overlaps") != NULL)
        status = PX_ERR_STOPPED;
    px_world_free(world);
    px_scene_free(scene);
    return status;
}

char *place_body_freely(const char *text, const char *folder, const PlaceDef *given)
{
    PlaceDef def = *given;
    for (size_t k = 0; k < sizeof lifts / sizeof lifts[0]; ++k) {
        double up = lifts[k] * def.size;
        def.at.y = given->at.y + (def.z_up ? 0 : up);
        def.at.z = given->at.z + (def.z_up ? up : 0);
        char *placed = place_body(text, &def);
        PxStatus status = placed != NULL ? try_scene(placed, folder) : PX_ERR_FORMAT;
        if (status == PX_OK)
            return placed;
        free(placed);
        if (status != PX_ERR_STOPPED)
            return NULL;
    }
    return NULL;
}
