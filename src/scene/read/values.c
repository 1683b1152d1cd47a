#include "scene/read/values.h"

#include "base/vec.h"
#include "base/words.h"
#include "scene/read/strength.h"

#include <string.h>

PxStatus px_scene_no_room(const char *what, size_t count)
{
    return px_fail(PX_ERR_MEMORY, "scene: no room for %zu %s", count, what);
}

/* --- values of fields ------------------------------------------------------------- */

static void complain_range(PxScene *scene, const PxPath *path, const PxField *field,
                           const json_t *value)
{
    char range[128], found[96];
    px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted %s",
                px_json_text(value, found, sizeof found),
                px_field_range_text(field, range, sizeof range));
}

bool px_read_number(PxScene *scene, const PxPath *path, const PxField *field, const json_t *value,
                    double *out)
{
    if (!json_is_number(value) || !px_field_allows(field, json_number_value(value))) {
        complain_range(scene, path, field, value);
        return false;
    }
    *out = json_number_value(value);
    return true;
}

static bool read_vector(PxScene *scene, const PxPath *path, const PxField *field,
                        const json_t *value, PxVec3 *out)
{
    char range[128], found[96];
    if (!json_is_array(value) || json_array_size(value) != 3) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted [x, y, z], each %s",
                    px_json_text(value, found, sizeof found),
                    px_field_range_text(field, range, sizeof range));
        return false;
    }
    double v[3] = {0};
    bool good = true;
    for (size_t k = 0; k < 3; ++k) {
        PxPath at = px_path_index(path, k);
        good = px_read_number(scene, &at, field, json_array_get(value, k), &v[k]) && good;
    }
    if (good && (field->flags & PX_FIELD_DIRECTION) && !(px_length(px_vec(v[0], v[1], v[2])) > 0)) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is the zero vector, which has no direction");
        good = false;
    }
    if (good)
        *out = px_vec(v[0], v[1], v[2]);
    return good;
}

static size_t word_count(const char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL)
        count++;
    return count;
}

/* Index of a word in the list, or -1 after a complaint. `what` names the choice in messages. */
static int read_word(PxScene *scene, const PxPath *path, const char *what, const char *const *words,
                     size_t count, const json_t *value)
{
    const char *text = json_string_value(value);
    for (size_t k = 0; text != NULL && k < count; ++k)
        if (strcmp(words[k], text) == 0)
            return (int)k;
    char found[96], list[400], near[120];
    px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted %s: %s%s",
                px_json_text(value, found, sizeof found), what,
                px_list_text(words, count, list, sizeof list),
                px_suggestion_text(text != NULL ? text : "", words, count, near, sizeof near));
    return -1;
}

bool px_read_object(PxScene *scene, const PxPath *path, const json_t *value, const char *wanted)
{
    if (json_is_object(value))
        return true;
    char found[96];
    px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted %s",
                px_json_text(value, found, sizeof found), wanted);
    return false;
}

/* --- the keys of an object ---------------------------------------------------------- */

enum { MOST_KEYS = 64 };

typedef struct Keys {
    const char *word[MOST_KEYS];
    bool required[MOST_KEYS];
    /* a misspelt key was taken for this one, so it is not reported as missing too */
    bool meant[MOST_KEYS];
    const PxField *field[MOST_KEYS];
    size_t count;
} Keys;

static void keys_add(Keys *keys, const PxField *field, const char *word, bool required)
{
    PX_ASSERT(keys->count < MOST_KEYS);
    if (keys->count == MOST_KEYS)
        return;
    keys->word[keys->count] = word;
    keys->required[keys->count] = required;
    keys->field[keys->count++] = field;
}

/* What to write in the complaint that a key without a range is missing. */
static const char *wanted_text(const PxField *field, char *buffer, size_t size)
{
    char list[256];
    switch (field->kind) {
    case PX_FIELD_WORD:
    case PX_FIELD_FILL:
    case PX_FIELD_CHOICE:
        px_list_text(field->words, word_count(field->words), list, sizeof list);
        snprintf(buffer, size, "one of %s", list);
        return buffer;
    case PX_FIELD_VERSION:
        return "the version of the format, which is 1";
    case PX_FIELD_TEXT:
    case PX_FIELD_FILE:
    case PX_FIELD_THING:
        return "text";
    case PX_FIELD_SHAPE:
    case PX_FIELD_PART:
    case PX_FIELD_LOOK:
        return "an object { }";
    case PX_FIELD_KEYFRAMES:
    case PX_FIELD_TEMPERATURES:
        return "a list [ ]";
    case PX_FIELD_NUMBERS:
        return "a number, or [x, y, z]";
    case PX_FIELD_STRENGTH:
        return "a number, or a model";
    default:
        return px_field_range_text(field, buffer, size);
    }
}

static void keys_add_fields(Keys *keys, const PxField *fields, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        bool always = !(fields[k].flags & (PX_FIELD_ONLY_IF | PX_FIELD_ONLY_NOT));
        keys_add(keys, &fields[k], fields[k].key, always && fields[k].flags & PX_FIELD_REQUIRED);
    }
}

/* Complains about unknown and missing keys. */
static void check_keys(PxScene *scene, const PxPath *path, json_t *object, Keys *keys,
                       const char *(*misplaced)(const char *key))
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        size_t k = 0;
        while (k < keys->count && strcmp(keys->word[k], key) != 0)
            k++;
        if (k < keys->count || px_key_is_comment(key))
            continue;
        PxPath at = px_path_key(path, key);
        const char *near = px_suggest(key, keys->word, keys->count);
        const char *why = misplaced != NULL ? misplaced(key) : NULL;
        char list[400];
        if (why != NULL) {
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY, "%s", why);
            continue;
        }
        if (near == NULL) {
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY, "is not a key here; there are %s",
                        px_list_text(keys->word, keys->count, list, sizeof list));
            continue;
        }
        px_complain(scene, PX_ERROR, &at, PX_AT_KEY, "is not a key here; did you mean '%s'?", near);
        for (k = 0; k < keys->count; ++k)
            keys->meant[k] = keys->meant[k] || keys->word[k] == near;
    }
    for (size_t k = 0; k < keys->count; ++k) {
        if (!keys->required[k] || keys->meant[k] || json_object_get(object, keys->word[k]) != NULL)
            continue;
        PxPath at = px_path_key(path, keys->word[k]);
        const PxField *field = keys->field[k];
        char wanted[300];
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is missing: wanted %s%s",
                    field->kind == PX_FIELD_VECTOR ? "[x, y, z], each " : "",
                    wanted_text(field, wanted, sizeof wanted));
    }
}

void px_check_keys(PxScene *scene, const PxPath *path, json_t *json,
                   const PxSection *const *sections, const char *const *more)
{
    Keys keys = {0};
    for (; *sections != NULL; ++sections) {
        keys_add_fields(&keys, (*sections)->fields, (*sections)->field_count);
        if (sections[1] == NULL) {
            for (size_t k = 0; more != NULL && more[k] != NULL; ++k)
                keys_add(&keys, NULL, more[k], false);
            check_keys(scene, path, json, &keys, (*sections)->misplaced);
        }
    }
}

/* --- models, and fields of any kind -------------------------------------------------- */

static void choose_model(const PxModelInfo *model, PxModelChoice *out)
{
    *out = (PxModelChoice){0};
    snprintf(out->model, sizeof out->model, "%s", model->name);
    for (size_t k = 0; k < model->field_count && k < PX_MODEL_PARAMS; ++k)
        out->param[k] = model->defaults[k];
}

bool px_read_model(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                   PxModelChoice *out)
{
    const PxFamily *family = field->family;
    const char *words[MOST_KEYS];
    size_t count = family->count < MOST_KEYS ? family->count : MOST_KEYS;
    for (size_t k = 0; k < count; ++k)
        words[k] = family->models[k]->name;
    char what[64], wanted[160];
    snprintf(what, sizeof what, "%s %s model", strchr("aeiou", family->name[0]) ? "an" : "a",
             family->name);
    snprintf(wanted, sizeof wanted, "%s: its name, or an object with \"model\"", what);
    json_t *word = value;
    PxPath word_path = *path;
    if (!json_is_string(value)) {
        if (!px_read_object(scene, path, value, wanted))
            return false;
        word = json_object_get(value, "model");
        word_path = px_path_key(path, "model");
    }
    if (word != NULL) {
        int chosen = read_word(scene, &word_path, what, words, count, word);
        if (chosen < 0)
            return false;
        choose_model(family->models[chosen], out);
    }
    if (!json_is_object(value))
        return true;
    const PxModelInfo *model = px_family_find(family, out->model);
    if (model == NULL)
        return false;
    Keys keys = {0};
    keys_add(&keys, NULL, "model", false);
    keys_add_fields(&keys, model->fields, model->field_count);
    check_keys(scene, path, value, &keys, NULL);
    bool good = true;
    for (size_t k = 0; k < model->field_count; ++k) {
        const json_t *number = json_object_get(value, model->fields[k].key);
        PxPath at = px_path_key(path, model->fields[k].key);
        if (number != NULL)
            good = px_read_field(scene, &at, &model->fields[k], number, out->param) && good;
    }
    return good;
}

bool px_read_field(PxScene *scene, const PxPath *path, const PxField *field, const json_t *value,
                   void *object)
{
    char *member = (char *)object + field->offset;
    char found[96];
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_COUNT:
        return px_read_number(scene, path, field, value, (double *)member);
    case PX_FIELD_VECTOR:
        return read_vector(scene, path, field, value, (PxVec3 *)member);
    case PX_FIELD_FLAG:
        if (!json_is_boolean(value)) {
            px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted true or false",
                        px_json_text(value, found, sizeof found));
            return false;
        }
        *(bool *)member = json_is_true(value);
        return true;
    case PX_FIELD_FILL:
        if (json_is_object(value))
            return true; /* read with the body */
        /* fall through */
    case PX_FIELD_WORD:
    case PX_FIELD_CHOICE: {
        int word = read_word(
            scene, path,
            field->kind == PX_FIELD_FILL ? "an object { \"in\", \"level\" } or one of" : "one of",
            field->words, word_count(field->words), value);
        if (word >= 0 && field->kind != PX_FIELD_CHOICE)
            *(int *)member = word;
        else if (word >= 0)
            *(double *)member = word;
        return word >= 0;
    }
    case PX_FIELD_MODEL:
        return px_read_model(scene, path, field, (json_t *)value, (PxModelChoice *)member);
    case PX_FIELD_TEXT: {
        const char *text = px_read_text(scene, path, (size_t)field->most, value);
        if (text != NULL)
            *(const char **)member = text;
        return text != NULL;
    }
    case PX_FIELD_STRENGTH:
        return px_read_strength(scene, path, field, (json_t *)value, object);
    case PX_FIELD_PART: {
        bool stated = px_read_object(scene, path, value, field->part->wanted);
        if (field->beside > 0) /* with errors in it, too: what depends on it is not wrong as well */
            *((bool *)object + field->beside) = stated;
        return stated && px_read_section(scene, path, (json_t *)value, field->part, member, NULL);
    }
    default:
        return true; /* read by the caller */
    }
}

bool px_read_fields(PxScene *scene, const PxPath *path, json_t *json, const PxField *fields,
                    size_t count, void *object)
{
    size_t errors = px_scene_errors(scene);
    Keys keys = {0};
    keys_add_fields(&keys, fields, count);
    check_keys(scene, path, json, &keys, NULL);
    for (size_t k = 0; k < count; ++k) {
        const json_t *value = json_object_get(json, fields[k].key);
        PxPath at = px_path_key(path, fields[k].key);
        if (value != NULL)
            px_read_field(scene, &at, &fields[k], value, object);
    }
    return px_scene_errors(scene) == errors;
}

/* Complains about a key that the value of the section's divider does not allow. */
static void complain_divided(PxScene *scene, const PxPath *at, const PxSection *section,
                             const PxField *field)
{
    if (field->flags & PX_FIELD_ONLY_IF)
        px_complain(scene, PX_ERROR, at, PX_AT_KEY,
                    "is for %s only; should this %s have \"%s\": true?", section->divided,
                    section->name, section->divider);
    else
        px_complain(scene, PX_ERROR, at, PX_AT_KEY,
                    "is not for %s: they move by \"keyframes\" and "
                    "are not filled with anything",
                    section->divided);
}

void px_read_values(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                    void *object)
{
    bool divided = true; /* the value of the divider is known */
    if (section->divider != NULL) {
        const PxField *divider =
            px_field_find(section->fields, section->field_count, section->divider);
        const json_t *value = json_object_get(json, section->divider);
        divided = value == NULL || json_is_boolean(value);
        if (divided && value != NULL)
            *((bool *)object + divider->offset) = json_is_true(value);
    }
    if (section->also != NULL) {
        const PxField *also = px_field_find(section->fields, section->field_count, section->also);
        const json_t *value = json_object_get(json, section->also);
        if (value != NULL && json_is_boolean(value))
            *((bool *)object + also->offset) = json_is_true(value);
    }
    for (size_t k = 0; k < section->field_count; ++k) {
        const PxField *field = &section->fields[k];
        const json_t *value = json_object_get(json, field->key);
        PxPath at = px_path_key(path, field->key);
        bool conditional = field->flags & (PX_FIELD_ONLY_IF | PX_FIELD_ONLY_NOT);
        if (value == NULL || (conditional && !divided))
            continue;
        if (!px_field_applies(section, field, object))
            complain_divided(scene, &at, section, field);
        else
            px_read_field(scene, &at, field, value, object);
    }
}

bool px_read_section(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                     void *object, const char *const *more)
{
    size_t errors = px_scene_errors(scene);
    px_check_keys(scene, path, json, (const PxSection *const[]){section, NULL}, more);
    px_read_values(scene, path, json, section, object);
    return px_scene_errors(scene) == errors;
}

const char *px_read_text(PxScene *scene, const PxPath *at, size_t most, const json_t *value)
{
    char found[96];
    if (!json_is_string(value)) {
        px_complain(scene, PX_ERROR, at, PX_AT_VALUE, "is %s, wanted text",
                    px_json_text(value, found, sizeof found));
        return NULL;
    }
    const char *text = json_string_value(value);
    if (text[0] == '\0')
        px_complain(scene, PX_ERROR, at, PX_AT_VALUE, "is empty text");
    else if (json_string_length(value) > most)
        px_complain(scene, PX_ERROR, at, PX_AT_VALUE, "is %zu bytes long, at most %zu fit",
                    json_string_length(value), most);
    else if (!px_text_is_plain(text))
        px_complain(scene, PX_ERROR, at, PX_AT_VALUE, "is %s: control characters may not be in it",
                    px_json_text(value, found, sizeof found));
    else
        return text;
    return NULL;
}

json_t *px_read_list(PxScene *scene, const PxPath *at, size_t most, json_t *value)
{
    char found[96];
    if (value == NULL)
        return NULL;
    if (!json_is_array(value)) {
        px_complain(scene, PX_ERROR, at, PX_AT_VALUE, "is %s, wanted a list",
                    px_json_text(value, found, sizeof found));
        return NULL;
    }
    if (json_array_size(value) > most) {
        px_complain(scene, PX_ERROR, at, PX_AT_VALUE, "is a list of %zu, at most %zu fit",
                    json_array_size(value), most);
        return NULL;
    }
    return value;
}
