#include "scene/read/courses.h"

#include "base/vec.h"
#include "base/words.h"
#include "scene/read/values.h"
#include "scene/way.h"

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

/* A turn that the way's own one would have to be added to. */
static bool turns_aside(const PxSceneTurn *turn, PxVec3 up)
{
    return turn->degrees != 0 && fabs(px_dot(px_normalized(turn->axis, up), up)) < 1 - 1e-9;
}

/* Ways of one thing; each has up to PX_SCENE_WAY_MOST keyframes. */
enum { MOST_WAYS = 1000 };

/* A place on a way has no time, so it has nothing that belongs to one. */
static void check_place(PxScene *scene, const PxPath *path, json_t *element)
{
    static const char *const keys[] = {"turn", "ease", "face"};
    for (size_t k = 0; k < PX_COUNT(keys); ++k) {
        PxPath at = px_path_key(path, keys[k]);
        if (json_object_get(element, keys[k]) != NULL)
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                        "is for keyframes with \"at\"; this one is a place on the way to the next "
                        "that has it");
    }
}

/* Is that the end of a way, or a keyframe of its own, as it should be? */
static bool is_sound(PxScene *scene, const PxPath *path, const PxSceneKeyframe *last,
                     const PxSceneKeyframe *next, bool way)
{
    PxPath face = px_path_key(path, "face");
    if (next->face && !way)
        px_complain(scene, PX_ERROR, &face, PX_AT_VALUE,
                    "is for ways: there is no keyframe without \"at\" before it");
    else if (next->face && turns_aside(&last->turn, px_scene_up_vector(scene)))
        px_complain(scene, PX_ERROR, &face, PX_AT_VALUE,
                    "is for things that turn about the vertical: the keyframe at the beginning of "
                    "the way has another axis");
    else
        return is_later(scene, path, "keyframe", next->at, last->at);
    return false;
}

PxStatus px_read_keyframes(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                           PxSceneKeyframe **out, size_t *made)
{
    json_t *list = px_read_list(scene, path, (size_t)field->most, value);
    size_t count = json_array_size(list), ends = 0, places = 0;
    if (count == 0)
        return PX_OK;
    for (size_t k = 1; k < count; ++k) /* ends of ways */
        ends += json_object_get(json_array_get(list, k - 1), "at") == NULL &&
                json_object_get(json_array_get(list, k), "at") != NULL;
    if (ends > MOST_WAYS) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "have %zu ways, wanted at most %d", ends,
                    MOST_WAYS);
        return PX_OK;
    }
    PxSceneKeyframe *keyframe = *out =
        PX_ARENA_ARRAY(&scene->memory, PxSceneKeyframe, count + 1 + ends * PX_SCENE_WAY_MOST);
    PxSceneKeyframe *place = PX_ARENA_ARRAY(&scene->memory, PxSceneKeyframe, count);
    if (keyframe == NULL || place == NULL)
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
        bool timed = json_object_get(element, "at") != NULL;
        if (!timed && k + 1 == count) {
            PxPath time = px_path_key(&at, "at");
            px_complain(
                scene, PX_ERROR, &time, PX_AT_VALUE,
                "is missing; keyframes without it are places on the way to one that has it");
        } else if (!timed) {
            check_place(scene, &at, element);
            place[places++] = next;
        } else if (k == 0 && next.at == 0 && !next.face) {
            keyframe[0] = next;
        } else if (is_sound(scene, &at, &keyframe[*made - 1], &next, places > 0)) {
            if (places == 0) {
                keyframe[(*made)++] = next;
            } else {
                place[places++] = next;
                *made += px_scene_way(&keyframe[*made - 1], place, places,
                                      px_scene_up_vector(scene), &keyframe[*made]);
            }
            places = 0;
        }
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
