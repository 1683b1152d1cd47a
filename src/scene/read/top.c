/// Reads the top level of a scene from the JSON tree. Reading does not stop at errors: a value that
/// is refused keeps its default.
#include "scene/content.h"

#include "base/vec.h"
#include "base/words.h"
#include "scene/read/events.h"
#include "scene/read/references.h"
#include "scene/read/shapes.h"
#include "scene/read/things.h"
#include "scene/read/values.h"

#include <stdlib.h>
#include <string.h>

static void read_version(PxScene *scene, const PxPath *root)
{
    const json_t *value = json_object_get(scene->root, "phyxel");
    PxPath path = px_path_key(root, "phyxel");
    char found[96];
    if (value != NULL && (!json_is_number(value) || json_number_value(value) != PX_SCENE_VERSION))
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is %s, and this phyxel reads version %d of the format",
                    px_json_text(value, found, sizeof found), PX_SCENE_VERSION);
}

/* Name of a scene that states none: the file's name without folder and extension. */
static PxStatus name_from_file(PxScene *scene)
{
    const char *slash = strrchr(scene->file, '/');
    const char *stem = slash != NULL ? slash + 1 : scene->file;
    const char *dot = strrchr(stem, '.');
    size_t size = dot != NULL && dot != stem ? (size_t)(dot - stem) : strlen(stem);
    char *name = px_arena_take(&scene->memory, size + 1);
    if (name == NULL)
        return px_scene_no_room("names", 1);
    memcpy(name, stem, size);
    name[size] = '\0';
    bool usable = size > 0 && size <= (size_t)px_section_field(&px_head_section, "name")->most &&
                  px_text_is_plain(name);
    scene->head.name = usable ? name : "scene";
    return PX_OK;
}

/* One camera of the scene; false after a complaint. */
static bool read_view(PxScene *scene, const PxPath *path, json_t *json, PxSceneView *out)
{
    px_camera_section.defaults(out);
    if (!px_read_object(scene, path, json, px_camera_section.wanted) ||
        !px_read_section(scene, path, json, &px_camera_section, out, NULL))
        return false;
    if (px_length(px_sub(out->camera.from, out->camera.to)) > 0)
        return true;
    px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                "looks from a point at the same point, wanted \"from\" and \"to\" apart");
    return false;
}

static PxStatus read_camera(PxScene *scene, const PxPath *root)
{
    enum { MOST_VIEWS = 10000 };
    json_t *json = json_object_get(scene->root, "camera");
    PxPath path = px_path_key(root, "camera");
    bool list = json_is_array(json);
    if (json == NULL || (list && px_read_list(scene, &path, MOST_VIEWS, json) == NULL))
        return PX_OK;
    size_t count = list ? json_array_size(json) : 1;
    scene->view = PX_ARENA_ARRAY(&scene->memory, PxSceneView, count);
    if (scene->view == NULL)
        return px_scene_no_room("cameras", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath one = list ? px_path_index(&path, k) : path, at = px_path_key(&one, "at");
        PxSceneView *view = &scene->view[scene->views];
        if (!read_view(scene, &one, list ? json_array_get(json, k) : json, view))
            continue;
        if (scene->views > 0 && !(view->at > view[-1].at))
            px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                        "is %g s, wanted a time after that of the camera before, %g s", view->at,
                        view[-1].at);
        ++scene->views;
    }
    scene->has_camera = scene->views > 0;
    if (scene->has_camera)
        scene->camera = scene->view[0].camera;
    return PX_OK;
}

static PxStatus read_picture(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, px_picture_field.key);
    PxPath path = px_path_key(root, px_picture_field.key);
    px_picture_section.defaults(&scene->picture);
    if (json != NULL && px_read_object(scene, &path, json, px_picture_section.wanted)) {
        px_read_section(scene, &path, json, &px_picture_section, &scene->picture, NULL);
        json_t *file = json_object_get(json, "ground_texture");
        json_t *sky = json_object_get(json, "sky_picture");
        PxPath at = px_path_key(&path, "ground_texture");
        PxPath at_sky = px_path_key(&path, "sky_picture");
        if (file != NULL)
            scene->picture.ground_texture = px_read_file_name(scene, &at, file, "a PNG file");
        if (sky != NULL)
            scene->picture.sky_picture = px_read_file_name(scene, &at_sky, sky, "a .hdr file");
        scene->has_picture = true;
    }
    PxPath lights = px_path_key(root, px_lights_field.key);
    json_t *list = px_read_list(scene, &lights, (size_t)px_lights_field.most,
                                json_object_get(scene->root, px_lights_field.key));
    size_t count = list != NULL ? json_array_size(list) : 0;
    scene->lamp = PX_ARENA_ARRAY(&scene->memory, PxSceneLamp, count + 1);
    if (scene->lamp == NULL)
        return px_scene_no_room("lights", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&lights, k);
        PxSceneLamp *lamp = &scene->lamp[scene->lamps];
        px_lamp_section.defaults(lamp);
        if (px_read_object(scene, &at, json_array_get(list, k), px_lamp_section.wanted) &&
            px_read_section(scene, &at, json_array_get(list, k), &px_lamp_section, lamp, NULL))
            ++scene->lamps;
    }
    return PX_OK;
}

static void read_output(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, px_output_field.key);
    PxPath path = px_path_key(root, px_output_field.key);
    px_output_section.defaults(&scene->output);
    if (json != NULL)
        px_read_field(scene, &path, &px_output_field, json, &scene->output);
}

void px_scene_forget(PxScene *scene)
{
    px_scene_matter_free(scene);
    px_arena_free(&scene->memory);
    memset(scene->list, 0, sizeof scene->list);
    scene->event = NULL;
    scene->event_index = NULL;
    scene->events = 0;
    scene->has_camera = scene->has_picture = false;
    scene->view = NULL;
    scene->lamp = NULL;
    scene->views = scene->lamps = 0;
    free(scene->resolved);
    scene->resolved = NULL;
    scene->hash[0] = '\0';
    px_complaints_clear(scene, false);
}

/* Reads the general properties of the scene and the numbers of the world. */
static void read_head(PxScene *scene, const PxPath *root)
{
    static const PxSection *const sections[] = {&px_world_section, &px_head_section, NULL};
    const char *more[PX_KIND_COUNT + 6] = {0};
    size_t count = 0;
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        more[count++] = px_kinds[k]->list;
    more[count++] = px_events_field.key;
    more[count++] = px_camera_field.key;
    more[count++] = px_output_field.key;
    more[count++] = px_picture_field.key;
    more[count++] = px_lights_field.key;
    px_check_keys(scene, root, scene->root, sections, more);
    px_read_values(scene, root, scene->root, &px_head_section, &scene->head);
    read_version(scene, root);
    double weight = px_length(scene->world.gravity);
    scene->world.gravity = px_scale(px_scene_up_vector(scene), -weight);
    scene->world.spacing = 0; /* stays 0 if the stated value is refused */
    px_read_values(scene, root, scene->root, &px_world_section, &scene->world);
}

static PxStatus read_all(PxScene *scene)
{
    PxPath root = px_path_root();
    px_world_section.defaults(&scene->world);
    px_head_section.defaults(&scene->head);
    PX_TRY(name_from_file(scene));
    if (!json_is_object(scene->root)) {
        if (scene->root != NULL)
            px_read_object(scene, &root, scene->root, px_head_section.wanted);
        return PX_OK;
    }
    read_head(scene, &root);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        PX_TRY(px_read_things(scene, &root, px_kinds[k]));
    PX_TRY(px_check_names(scene, &root));
    px_find_vessels(scene, &root);
    PX_TRY(px_read_events(scene, &root));
    PX_TRY(read_camera(scene, &root));
    PX_TRY(read_picture(scene, &root));
    read_output(scene, &root);
    if (scene->world.min_step > scene->world.max_step) {
        PxPath path = px_path_key(&root, "min_step");
        char least[32], most[32];
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "is %s s, longer than max_step, %s s",
                    px_number_text(scene->world.min_step, least),
                    px_number_text(scene->world.max_step, most));
    }
    return PX_OK;
}

PxStatus px_scene_understand(PxScene *scene)
{
    scene->checked = false;
    PX_TRY(read_all(scene));
    return px_complaints_finish(scene);
}
