/// Changes a value of a scene by its path, before the scene is used (`--set`).
#include "scene/content.h"

#include "base/words.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 1 << 16, MOST_WORDS = 64 };

static PxStatus fail_at(const char *path, const char *why)
{
    char shown[200];
    return px_fail(PX_ERR_ARGUMENT, "cannot set '%s': %s", px_quote(path, shown, sizeof shown),
                   why);
}

/* The same for a failure whose message gives the reason. */
static PxStatus fail_as_said(const char *path, PxStatus status)
{
    return status == PX_OK
               ? PX_OK
               : px_fail_prefix(status, "cannot set '%s': ", px_quote(path, (char[200]){0}, 200));
}

/* Parses JSON, or takes the text as a word. */
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

/* Name of an element of a kind's list. */
static const char *element_name(const PxKind *kind, const json_t *list, size_t index, char made[32])
{
    const char *name = json_string_value(json_object_get(json_array_get(list, index), "name"));
    if (name != NULL)
        return name;
    snprintf(made, 32, "%s %zu", kind->section.name, index + 1);
    return made;
}

/* Index of the element of a list that a step names: by number, by the name of a thing, or by a
 * component of a vector. `kind` is NULL for lists that do not hold things. */
static bool find_element(const json_t *list, const PxKind *kind, const char *word, size_t *out)
{
    size_t count = json_array_size(list);
    char made[32], *end;
    for (size_t k = 0; kind != NULL && k < count; ++k) {
        if (!json_is_object(json_array_get(list, k)) ||
            strcmp(element_name(kind, list, k, made), word) != 0)
            continue;
        *out = k;
        return true;
    }
    if (kind == NULL && count == 3 && px_vector_component(word) >= 0) {
        *out = (size_t)px_vector_component(word);
        return true;
    }
    if (word[0] < '0' || word[0] > '9')
        return false;
    unsigned long long number = strtoull(word, &end, 10);
    *out = (size_t)number;
    return *end == '\0' && number < count;
}

/* Reports that `at` has no element or member `word`. */
static PxStatus fail_no_thing(const PxKind *kind, const json_t *at, const char *word)
{
    const char *words[MOST_WORDS], *key;
    char made[MOST_WORDS][32];
    size_t count = 0;
    json_t *value;
    for (size_t k = 0; k < json_array_size(at) && count < MOST_WORDS; ++k, ++count)
        words[count] = element_name(kind, at, k, made[count]);
    json_object_foreach((json_t *)at, key, value)
    {
        if (!px_key_is_comment(key) && count < MOST_WORDS)
            words[count++] = key;
    }
    return px_fail_unknown(kind->section.name, word, words, count);
}

/* Builds {"c": value} for the path a.b.c if a and b exist. */
static json_t *wrap(const PxSteps *steps, size_t from, json_t *value)
{
    for (size_t k = steps->count; value != NULL && k-- > from;) {
        json_t *object = json_object();
        if (json_object_set_new(object, steps->word[k], value) != 0) { /* or out of memory */
            json_decref(object);
            return NULL;
        }
        value = object;
    }
    return value;
}

static bool is_model_key(const char *key)
{
    bool model = false;
    for (size_t k = 0; k < PX_KIND_COUNT && !model; ++k) {
        const PxField *field = px_section_field(&px_kinds[k]->section, key);
        model = field != NULL && field->kind == PX_FIELD_MODEL;
    }
    return model;
}

/* For "gravity.y" in a scene without gravity: writes the default vector to the tree, so that the
 * other components keep their default. NULL if `key` is not a vector of the world. */
static json_t *default_vector(PxScene *scene, const char *key)
{
    const PxField *field = px_section_field(&px_world_section, key);
    if (field == NULL || field->kind != PX_FIELD_VECTOR)
        return NULL;
    const PxVec3 *v = (const PxVec3 *)((const char *)&scene->world + field->offset);
    json_t *list = json_pack("[f, f, f]", v->x, v->y, v->z);
    return json_object_set_new(scene->root, key, list) == 0 ? list : NULL;
}

/* Walks down the tree and replaces the value; takes ownership of `value`. *changed is the hash of
 * the path whose value differs from the text. */
static PxStatus put_value(PxScene *scene, const char *path, const PxSteps *steps, json_t *value,
                          uint64_t *changed)
{
    PxPath chain[PX_STEPS_MOST + 1];
    chain[0] = px_path_root();
    json_t *at = scene->root;
    const PxKind *kind = px_kind_of_list(steps->word[0]);
    char why[400], part[100];
    for (size_t k = 0; k < steps->count; ++k) {
        const char *word = steps->word[k];
        bool last = k + 1 == steps->count, named = k == 1 && kind != NULL;
        size_t index = 0;
        px_quote(word, part, sizeof part);
        if (json_is_array(at)) {
            if (!find_element(at, named ? kind : NULL, word, &index)) {
                json_decref(value);
                if (named && (word[0] < '0' || word[0] > '9'))
                    return fail_as_said(path, fail_no_thing(kind, at, word));
                snprintf(why, sizeof why, "there is no '%s' in a list of %zu", part,
                         json_array_size(at));
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
        if (next == NULL && named && !last) {
            json_decref(value);
            return fail_as_said(path, fail_no_thing(kind, at, word));
        }
        bool list = (kind != NULL && !kind->by_name) || strcmp(word, px_events_field.key) == 0;
        if (next == NULL && k == 0 && !last && list) {
            snprintf(why, sizeof why,
                     "the scene has no %s of which a part could be set; wanted all of them as a "
                     "list: --set '%s=[{\"name\": ...}]'",
                     part, part);
            json_decref(value);
            return fail_at(path, why);
        }
        /* Replaces a model given by name by an object that can hold its parameters. */
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
    PX_WANT(scene);
    PX_WANT(path);
    PX_WANT(value);
    if (!json_is_object(scene->root))
        return px_fail(PX_ERR_FORMAT, "%s: cannot set '%s' in what is not a scene", scene->file,
                       path);
    PxSteps steps;
    json_t *json = NULL;
    uint64_t changed = 0;
    PX_TRY(fail_as_said(path, px_steps_split(path, &steps)));
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
