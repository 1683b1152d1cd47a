/// Changing a value of a scene by its path, before the scene is used.
#include "scene/content.h"

#include "scene/writer.h"
#include "world/fields.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 12, MOST_STEP = 200, MOST_VALUE = 1 << 16 };

typedef struct Steps {
    char word[MOST_STEPS][MOST_STEP];
    size_t count;
} Steps;

static PxStatus fail_at(const char *path, const char *why)
{
    char shown[200];
    return px_fail(PX_ERR_ARGUMENT, "cannot set '%s': %s", px_quote(path, shown, sizeof shown),
                   why);
}

/* "bodies[2].shape.at" becomes bodies, 2, shape, at. */
static PxStatus split(const char *path, Steps *out)
{
    out->count = 0;
    const char *at = path;
    while (*at != '\0') {
        bool index = *at == '[';
        at += index;
        size_t size = strcspn(at, index ? "]" : ".[");
        if (index && at[size] != ']')
            return fail_at(path, "a '[' has no ']'");
        if (size == 0 || size >= MOST_STEP || out->count == MOST_STEPS)
            return fail_at(path, size == 0 ? "a part of it is empty" : "it is too long");
        memcpy(out->word[out->count], at, size);
        out->word[out->count++][size] = '\0';
        at += size + index;
        if (*at == '.' && at[1] == '\0')
            return fail_at(path, "a part of it is empty");
        at += *at == '.';
    }
    return out->count > 0 ? PX_OK : fail_at(path, "it is empty");
}

/* JSON, or a bare word. */
static PxStatus value_from_text(const char *path, const char *text, json_t **out)
{
    if (strlen(text) > MOST_VALUE)
        return fail_at(path, "the value is too long");
    json_error_t error;
    *out = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY,
                      &error);
    if (*out != NULL)
        return PX_OK;
    char why[240];
    if (text[0] == '\0' || strchr("{[\"", text[0]) != NULL) {
        snprintf(why, sizeof why, "the value is not JSON: %s", error.text);
        return fail_at(path, why);
    }
    *out = json_string(text);
    return *out != NULL ? PX_OK : fail_at(path, "the value is not valid UTF-8");
}

/* Which element of a list is meant: its number, the name of a body, emitter, sink, ..., or
 * a component of a vector. `key` is the list's. */
static bool find_element(const json_t *list, const char *key, const char *word, size_t *out)
{
    const char *one = strcmp(key, "emitters") == 0  ? "emitter"
                      : strcmp(key, "sinks") == 0   ? "sink"
                      : strcmp(key, "handles") == 0 ? "handle"
                      : strcmp(key, "forces") == 0  ? "force"
                      : strcmp(key, "heaters") == 0 ? "heater"
                                                    : "body";
    for (size_t k = 0; k < json_array_size(list); ++k) {
        const json_t *element = json_array_get(list, k);
        const char *name = json_string_value(json_object_get(element, "name"));
        char otherwise[32];
        snprintf(otherwise, sizeof otherwise, "%s %zu", one, k + 1);
        if (json_is_object(element) && strcmp(name != NULL ? name : otherwise, word) == 0) {
            *out = k;
            return true;
        }
    }
    if (word[0] >= 'x' && word[0] <= 'z' && word[1] == '\0' && json_array_size(list) == 3) {
        *out = (size_t)(word[0] - 'x');
        return true;
    }
    char *end;
    if (word[0] < '0' || word[0] > '9')
        return false;
    unsigned long long number = strtoull(word, &end, 10);
    *out = (size_t)number;
    return *end == '\0' && number < json_array_size(list);
}

/* {"c": value} for the steps a.b.c of which a and b are there. */
static json_t *wrap(const Steps *steps, size_t from, json_t *value)
{
    for (size_t k = steps->count; value != NULL && k-- > from;) {
        json_t *object = json_object();
        if (json_object_set_new(object, steps->word[k], value) != 0) { /* or there was no room */
            json_decref(object);
            return NULL;
        }
        value = object;
    }
    return value;
}

static bool is_model_key(const char *key)
{
    const PxField *field = px_field_find(px_material_fields, px_material_field_count, key);
    return field != NULL && field->kind == PX_FIELD_MODEL;
}

/* "gravity.y" of a scene that states no gravity: the default is written out, so that
 * the other components are what they were. NULL for what is no vector of the world. */
static json_t *default_vector(PxScene *scene, const char *key)
{
    const PxField *field = px_field_find(px_world_fields, px_world_field_count, key);
    if (field == NULL || field->kind != PX_FIELD_VECTOR)
        return NULL;
    const PxVec3 *v = (const PxVec3 *)((const char *)&scene->world + field->offset);
    json_t *list = json_pack("[f, f, f]", v->x, v->y, v->z);
    return json_object_set_new(scene->root, key, list) == 0 ? list : NULL;
}

/* Is that a key of the scene whose value is a list? */
static bool is_list_key(const char *key)
{
    const PxEntry *entry = px_entry_find(&px_scene_section, key);
    return entry != NULL && entry->kind == PX_ENTRY_LIST;
}

/* Walks down and puts `value` (taken over) in its place. *changed is the hash of
 * the highest place that is no longer what the text says. */
static PxStatus put_value(PxScene *scene, const char *path, const Steps *steps, json_t *value,
                          uint64_t *changed)
{
    PxPath chain[MOST_STEPS + 1];
    chain[0] = px_path_root();
    json_t *at = scene->root;
    char why[400], part[100];
    for (size_t k = 0; k < steps->count; ++k) {
        const char *word = steps->word[k];
        bool last = k + 1 == steps->count;
        size_t index = 0;
        px_quote(word, part, sizeof part);
        if (json_is_array(at)) {
            if (!find_element(at, k > 0 ? steps->word[k - 1] : "", word, &index)) {
                snprintf(why, sizeof why, "there is no '%s' in a list of %zu", part,
                         json_array_size(at));
                json_decref(value);
                return fail_at(path, why);
            }
            chain[k + 1] = px_path_index(&chain[k], index);
            *changed = chain[k + 1].hash;
            if (last)
                return json_array_set_new(at, index, value) == 0
                           ? PX_OK
                           : px_fail(PX_ERR_MEMORY, "scene: no room to set a value");
            at = json_array_get(at, index);
            continue;
        }
        if (!json_is_object(at)) {
            snprintf(why, sizeof why, "what is above '%s' is %s and has no parts", part,
                     px_json_text(at, (char[96]){0}, 96));
            json_decref(value);
            return fail_at(path, why);
        }
        chain[k + 1] = px_path_key(&chain[k], word);
        *changed = chain[k + 1].hash;
        json_t *next = json_object_get(at, word);
        if (next == NULL && k == 0 && !last)
            next = default_vector(scene, word);
        if (next == NULL && k == 0 && !last && is_list_key(word)) {
            snprintf(why, sizeof why,
                     "the scene has no %s of which a part could be set; wanted all of them as a "
                     "list: --set '%s=[{\"name\": ...}]'",
                     part, part);
            json_decref(value);
            return fail_at(path, why);
        }
        /* A model given by its word becomes an object to hold its numbers. */
        bool model = !last && json_is_string(next) && is_model_key(word);
        if (last || next == NULL || model) {
            json_t *whole = wrap(steps, k + 1, value);
            if (model && json_object_get(whole, "model") == NULL)
                json_object_set(whole, "model", next);
            return json_object_set_new(at, word, whole) == 0
                       ? PX_OK
                       : px_fail(PX_ERR_MEMORY, "scene: no room to set a value");
        }
        at = next;
    }
    return PX_OK;
}

PxStatus px_scene_set(PxScene *scene, const char *path, const char *value)
{
    if (!json_is_object(scene->root))
        return px_fail(PX_ERR_FORMAT, "%s: cannot set '%s' in what is not a scene", scene->file,
                       path);
    Steps steps;
    json_t *json = NULL;
    uint64_t changed = 0;
    PX_TRY(split(path, &steps));
    if (!PX_LIST_RESERVE(&scene->changed, 1))
        return px_fail(PX_ERR_MEMORY, "scene: no room to set a value");
    PX_TRY(value_from_text(path, value, &json));
    char word[80], shown[200], *text;
    snprintf(shown, sizeof shown, "%s=%s", px_quote(path, (char[100]){0}, 100),
             px_quote(value, word, sizeof word));
    text = strdup(shown);
    if (text == NULL) {
        json_decref(json);
        return px_fail(PX_ERR_MEMORY, "scene: no room to set a value");
    }
    PxStatus status = put_value(scene, path, &steps, json, &changed);
    if (status != PX_OK) {
        free(text);
        return status;
    }
    scene->changed.data[scene->changed.count++] = (PxSceneChange){changed, text};
    px_scene_forget(scene);
    PX_TRY(px_scene_understand(scene));
    return px_scene_verdict(scene);
}
