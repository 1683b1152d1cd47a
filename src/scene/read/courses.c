#include "scene/read/courses.h"

#include "base/words.h"
#include "scene/read/values.h"

/* Is `at` later than the one before? */
static bool is_later(PxScene *scene, const PxPath *path, const char *what, double at, double before)
{
    char now[32], last[32];
    if (at > before)
        return true;
    PxPath time = px_path_key(path, "at");
    px_complain(scene, PX_ERROR, &time, PX_AT_VALUE,
                "is %s s, wanted more than the %s before, which is at %s s",
                px_number_text(at, now), what, px_number_text(before, last));
    return false;
}

PxStatus px_read_keyframes(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                           PxSceneKeyframe **out, size_t *made)
{
    json_t *list = px_read_list(scene, path, (size_t)field->most, value);
    size_t count = json_array_size(list);
    if (count == 0)
        return PX_OK;
    PxSceneKeyframe *keyframe = *out = PX_ARENA_ARRAY(&scene->memory, PxSceneKeyframe, count + 1);
    if (keyframe == NULL)
        return px_scene_no_room("keyframes", count);
    /* Without a keyframe at time 0, one is inserted that leaves the shape where it was placed. */
    PxSceneKeyframe still;
    px_keyframe_section.defaults(&still);
    still.turn.axis = px_scene_up_vector(scene);
    keyframe[0] = still;
    *made = 1;
    for (size_t k = 0; k < count; ++k) {
        json_t *element = json_array_get(list, k);
        PxPath at = px_path_index(path, k);
        PxSceneKeyframe next = still;
        if (!px_read_object(scene, &at, element, px_keyframe_section.wanted) ||
            !px_read_section(scene, &at, element, &px_keyframe_section, &next, NULL))
            continue;
        if (k == 0 && next.at == 0)
            keyframe[0] = next;
        else if (is_later(scene, &at, "keyframe", next.at, keyframe[*made - 1].at))
            keyframe[(*made)++] = next;
    }
    return PX_OK;
}

PxStatus px_read_temperatures(PxScene *scene, const PxPath *path, const PxField *field,
                              json_t *value, const PxTemperatureKey **out, size_t *made)
{
    json_t *list = px_read_list(scene, path, (size_t)field->most, value);
    size_t count = json_array_size(list);
    PxTemperatureKey *key = PX_ARENA_ARRAY(&scene->memory, PxTemperatureKey, count);
    if (key == NULL)
        return px_scene_no_room("temperatures", count);
    *out = key;
    *made = 0;
    for (size_t k = 0; k < count; ++k) {
        json_t *element = json_array_get(list, k);
        PxPath at = px_path_index(path, k);
        PxTemperatureKey next;
        px_temperature_section.defaults(&next);
        if (!px_read_object(scene, &at, element, px_temperature_section.wanted) ||
            !px_read_section(scene, &at, element, &px_temperature_section, &next, NULL))
            continue;
        if (*made == 0 || is_later(scene, &at, "one", next.time, key[*made - 1].time))
            key[(*made)++] = next;
    }
    return PX_OK;
}
