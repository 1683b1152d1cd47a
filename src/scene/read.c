/// From the JSON tree to the content of a scene, complaining on the way. Nothing
/// here stops at what is wrong: the default stays, and reading goes on.
#include "scene/content.h"

#include "base/vec.h"
#include "scene/writer.h"
#include "world/fields.h"
#include "world/opening.h"

#include <stdlib.h>
#include <string.h>

static PxStatus no_room(const char *what, size_t count)
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

static bool read_number(PxScene *scene, const PxPath *path, const PxField *field,
                        const json_t *value, double *out)
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
        good = read_number(scene, &at, field, json_array_get(value, k), &v[k]) && good;
    }
    if (good && (field->flags & PX_SCENE_DIRECTION) && !(px_length(px_vec(v[0], v[1], v[2])) > 0)) {
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

/* Which of the words, or -1 after a complaint. `what` names the choice. */
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

static bool read_object(PxScene *scene, const PxPath *path, const json_t *value, const char *wanted)
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
    bool meant[MOST_KEYS];         /* a wrong key was taken for it: it is not missing as well */
    const char *wanted[MOST_KEYS]; /* what to say when it is missing */
    size_t count;
} Keys;

static void keys_add(Keys *keys, const char *word, bool required, const char *wanted)
{
    PX_ASSERT(keys->count < MOST_KEYS);
    if (keys->count == MOST_KEYS)
        return;
    keys->word[keys->count] = word;
    keys->required[keys->count] = required;
    keys->wanted[keys->count++] = wanted;
}

static void keys_add_fields(Keys *keys, const PxField *fields, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        keys_add(keys, fields[k].key, (fields[k].flags & PX_FIELD_REQUIRED) != 0, NULL);
}

/* Complains about keys that nobody knows and keys that are missing. */
static void check_keys(PxScene *scene, const PxPath *path, json_t *object, Keys *keys,
                       const PxField *fields, size_t field_count)
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
        char list[400];
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
        const PxField *field = px_field_find(fields, field_count, keys->word[k]);
        char range[128];
        if (field != NULL)
            px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is missing: wanted %s%s",
                        field->kind == PX_FIELD_VECTOR ? "[x, y, z], each " : "",
                        px_field_range_text(field, range, sizeof range));
        else
            px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is missing: wanted %s",
                        keys->wanted[k]);
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

static bool read_field(PxScene *scene, const PxPath *path, const PxField *field,
                       const json_t *value, void *object);

/* "sesph", or {"model": "sesph", "gamma": 7}; without a word it is the default one. */
static bool read_model(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
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
        if (!read_object(scene, path, value, wanted))
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
    keys_add(&keys, "model", false, NULL);
    keys_add_fields(&keys, model->fields, model->field_count);
    check_keys(scene, path, value, &keys, model->fields, model->field_count);
    bool good = true;
    for (size_t k = 0; k < model->field_count; ++k) {
        const json_t *number = json_object_get(value, model->fields[k].key);
        PxPath at = px_path_key(path, model->fields[k].key);
        if (number != NULL)
            good = read_field(scene, &at, &model->fields[k], number, out->param) && good;
    }
    return good;
}

/* Reads one value into the member that the field describes. */
static bool read_field(PxScene *scene, const PxPath *path, const PxField *field,
                       const json_t *value, void *object)
{
    char *member = (char *)object + field->offset;
    char found[96];
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_COUNT:
        return read_number(scene, path, field, value, (double *)member);
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
    case PX_FIELD_WORD: {
        int word = read_word(scene, path, "one of", field->words, word_count(field->words), value);
        if (word >= 0)
            *(int *)member = word;
        return word >= 0;
    }
    case PX_FIELD_MODEL:
        return read_model(scene, path, field, (json_t *)value, (PxModelChoice *)member);
    }
    return false;
}

static bool read_fields(PxScene *scene, const PxPath *path, json_t *json, const PxField *fields,
                        size_t count, void *object)
{
    bool good = true;
    for (size_t k = 0; k < count; ++k) {
        const json_t *value = json_object_get(json, fields[k].key);
        PxPath at = px_path_key(path, fields[k].key);
        if (value != NULL)
            good = read_field(scene, &at, &fields[k], value, object) && good;
    }
    return good;
}

static const char *entry_wanted(const PxEntry *entry)
{
    switch (entry->kind) {
    case PX_ENTRY_VERSION:
        return "the version of the format, which is 1";
    case PX_ENTRY_TEXT:
        return "text";
    case PX_ENTRY_WORD:
        return "a word";
    case PX_ENTRY_SECTION:
    case PX_ENTRY_MAP:
        return "an object { }";
    case PX_ENTRY_LIST:
        return "a list [ ]";
    case PX_ENTRY_NUMBERS:
        return "a number, or [x, y, z]";
    case PX_ENTRY_STRENGTH:
        return "a number, or a model";
    }
    return "";
}

/* The keys of a section, then its fields into `object`. Entries are left to the
 * caller. False when something was wrong with a field or a key. */
static bool read_section(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                         void *object)
{
    size_t errors = scene->errors + scene->errors_left_out[0];
    Keys keys = {0};
    keys_add_fields(&keys, section->fields, *section->field_count);
    for (size_t k = 0; k < section->entry_count; ++k)
        keys_add(&keys, section->entries[k].key,
                 (section->entries[k].flags & PX_FIELD_REQUIRED) != 0,
                 entry_wanted(&section->entries[k]));
    for (size_t k = 0; k < section->form_count; ++k)
        keys_add(&keys, section->forms[k].key, false, NULL);
    check_keys(scene, path, json, &keys, section->fields, *section->field_count);
    read_fields(scene, path, json, section->fields, *section->field_count, object);
    return scene->errors + scene->errors_left_out[0] == errors;
}

/* Text of an entry, or NULL when it is absent or refused. */
static const char *read_text(PxScene *scene, const PxPath *path, const PxSection *section,
                             const char *key, const json_t *json)
{
    const json_t *value = json_object_get(json, key);
    if (value == NULL)
        return NULL;
    const PxEntry *entry = px_entry_find(section, key);
    PxPath at = px_path_key(path, key);
    char found[96];
    if (!json_is_string(value)) {
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is %s, wanted text",
                    px_json_text(value, found, sizeof found));
        return NULL;
    }
    const char *text = json_string_value(value);
    if (text[0] == '\0')
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is empty text");
    else if (json_string_length(value) > entry->most)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is %zu bytes long, at most %zu fit",
                    json_string_length(value), entry->most);
    else if (!px_text_is_plain(text))
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is %s: control characters may not be in it",
                    px_json_text(value, found, sizeof found));
    else
        return text;
    return NULL;
}

/* A list, or NULL when it is absent or none. */
static json_t *read_list(PxScene *scene, const PxPath *path, const PxSection *section,
                         const char *key, const json_t *json)
{
    json_t *value = json_object_get(json, key);
    if (value == NULL)
        return NULL;
    const PxEntry *entry = px_entry_find(section, key);
    PxPath at = px_path_key(path, key);
    char found[96];
    if (!json_is_array(value)) {
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is %s, wanted a list",
                    px_json_text(value, found, sizeof found));
        return NULL;
    }
    if (json_array_size(value) > entry->most) {
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is a list of %zu, at most %zu fit",
                    json_array_size(value), entry->most);
        return NULL;
    }
    return value;
}

/* --- materials -------------------------------------------------------------------------- */

/* Is the model at `key` that of the first material? */
static void check_shared(PxScene *scene, const PxPath *at, const json_t *json, const char *key,
                         const char *model, const char *first)
{
    PxPath path = px_path_key(at, key);
    const json_t *materials = json_object_get(scene->root, "materials");
    const json_t *other = json_object_get(materials, scene->material[0].name);
    if (strcmp(model, first) != 0)
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s'%s, but that of '%s' is '%s'%s: fluids of one world share the model",
                    model, json_object_get(json, key) == NULL ? " (the default)" : "",
                    px_quote(scene->material[0].name, (char[80]){0}, 80), first,
                    json_object_get(other, key) == NULL ? " (the default)" : "");
}

/* False when there is none, or after a complaint. */
static bool read_look(PxScene *scene, const PxPath *above, const json_t *json, PxSceneLook *out)
{
    json_t *value = json_object_get(json, "look");
    PxPath path = px_path_key(above, "look");
    px_look_section.defaults(out);
    return value != NULL && read_object(scene, &path, value, "an object with \"kind\"") &&
           read_section(scene, &path, value, &px_look_section, out);
}

/* --- melting --- */

/* What the molten state may not have: kindly, since it is easily asked for. */
static bool refuse_into(PxScene *scene, const PxPath *path, const char *key)
{
    const PxField *field = px_field_find(px_material_fields, px_material_field_count, key);
    bool own = px_field_find(px_melt_into_fields, px_melt_into_field_count, key) != NULL;
    PxPath at = px_path_key(path, key);
    if (field == NULL || own)
        return false;
    px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                "%s; what changes are numbers: viscosity, young, "
                "creep, tension, ...",
                field->kind == PX_FIELD_MODEL
                    ? "chooses a model, and matter that melts keeps its models"
                    : "stays as it is when matter melts");
    return true;
}

/* A number; or the model with its numbers, which must be the cold state's, or the first that
 * the material has: that of a cold state without tension then, but with a strength of 0. */
static void read_molten_tension(PxScene *scene, const PxPath *above, json_t *value,
                                PxMaterialDef *material)
{
    const PxField *family = px_field_find(px_material_fields, px_material_field_count, "tension");
    const PxField *strength = px_entry_find(&px_melt_into_section, "tension")->field;
    PxPath path = px_path_key(above, "tension");
    bool none = strcmp(material->tension.model, "none") == 0;
    PxModelChoice hot = material->tension;
    if (json_is_number(value) && !none) {
        read_number(scene, &path, strength, value, &material->melts.into.tension);
        return;
    }
    if (json_is_number(value)) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is a number, but the material has no model of surface tension; wanted "
                    "{\"model\": \"csf\", \"sigma\": ...} or another");
        return;
    }
    if (!read_model(scene, &path, family, value, &hot))
        return;
    bool same = strcmp(hot.model, material->tension.model) == 0;
    if (!same && !none) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', but that of the cold state is '%s': matter that melts keeps its "
                    "models, and how strong they are may change",
                    hot.model, material->tension.model);
        return;
    }
    for (int k = 1; same && k < PX_MODEL_PARAMS; ++k)
        if (hot.param[k] != material->tension.param[k])
            px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                        "has other numbers than that of the cold state; only how strong it is may "
                        "change");
    if (strcmp(hot.model, "none") == 0)
        return;
    double cold = none ? 0 : material->tension.param[0];
    material->melts.into.tension = hot.param[0];
    material->tension = hot;
    material->tension.param[0] = cold;
}

static void read_melting(PxScene *scene, const PxPath *above, const json_t *json,
                         PxMaterialDef *material)
{
    json_t *value = json_object_get(json, "melts");
    PxPath path = px_path_key(above, "melts"), into = px_path_key(&path, "into");
    PxPath to = px_path_key(&path, "to");
    if (value == NULL ||
        !read_object(scene, &path, value, "an object with \"from\", \"to\" and \"into\""))
        return;
    material->melts.melts = read_section(scene, &path, value, &px_melt_section, material);
    if (material->melts.melts && json_object_get(json, "coat") == NULL)
        material->coat = px_coat_choice("surfels"); /* a skin could not follow it */
    char from[32], high[32];
    if (material->melts.melts && !(material->melts.from < material->melts.to))
        px_complain(scene, PX_ERROR, &to, PX_AT_VALUE, "is %s, wanted more than \"from\", %s",
                    px_number_text(material->melts.to, high),
                    px_number_text(material->melts.from, from));
    json_t *molten = json_object_get(value, "into");
    if (molten == NULL || !read_object(scene, &into, molten, "an object with numbers"))
        return;
    json_t *known = json_object(); /* what was not refused already */
    const char *key;
    json_t *number;
    json_object_foreach(molten, key, number)
    {
        if (!refuse_into(scene, &into, key) && json_object_set(known, key, number) != 0)
            scene->no_memory = true;
    }
    read_section(scene, &into, known, &px_melt_into_section, material);
    json_t *tension = json_object_get(known, "tension");
    if (tension != NULL)
        read_molten_tension(scene, &into, tension, material);
    json_decref(known);
}

static PxStatus read_materials(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, "materials");
    PxPath path = px_path_key(root, "materials");
    const PxEntry *entry = px_entry_find(&px_scene_section, "materials");
    if (json == NULL || !read_object(scene, &path, json, "an object of materials by name"))
        return PX_OK;
    size_t count = json_object_size(json);
    if (count > entry->most) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "are %zu materials, at most %zu fit",
                    count, entry->most);
        return PX_OK;
    }
    scene->material = PX_ARENA_ARRAY(&scene->memory, PxMaterialDef, count);
    scene->material_look = PX_ARENA_ARRAY(&scene->memory, PxSceneLook *, count);
    PxSceneLook *looks = PX_ARENA_ARRAY(&scene->memory, PxSceneLook, count);
    if (scene->material == NULL || scene->material_look == NULL || looks == NULL)
        return no_room("materials", count);
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        if (px_key_is_comment(name))
            continue;
        PxPath at = px_path_key(&path, name);
        if (name[0] == '\0' || strlen(name) > PX_SCENE_MOST_NAME || strchr(name, '.') != NULL ||
            !px_text_is_plain(name))
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                        "is not a name for a material: wanted 1 to %d bytes without a dot or "
                        "control characters",
                        PX_SCENE_MOST_NAME);
        size_t index = scene->materials++;
        PxMaterialDef *material = &scene->material[index];
        scene->material_look[index] = NULL;
        px_material_section.defaults(material);
        material->name = name;
        if (read_object(scene, &at, value, "an object with what the material is like"))
            read_section(scene, &at, value, &px_material_section, material);
        if (json_is_object(value))
            read_melting(scene, &at, value, material);
        if (json_is_object(value) && read_look(scene, &at, value, &looks[index]))
            scene->material_look[index] = &looks[index];
        check_shared(scene, &at, value, "pressure", material->pressure.model,
                     scene->material[0].pressure.model);
        check_shared(scene, &at, value, "viscosity_model", material->viscosity_model.model,
                     scene->material[0].viscosity_model.model);
    }
    return PX_OK;
}

/* --- shapes ------------------------------------------------------------------------------ */

/* True, with the default, when there is no turn. */
static bool read_turn(PxScene *scene, const PxPath *above, const json_t *json, PxSceneTurn *out)
{
    json_t *value = json_object_get(json, "turn");
    PxPath path = px_path_key(above, "turn");
    px_turn_section.defaults(out);
    out->axis = px_scene_up_vector(scene);
    if (value == NULL)
        return true;
    return read_object(scene, &path, value, "an object with \"axis\" and \"degrees\"") &&
           read_section(scene, &path, value, &px_turn_section, out);
}

/* The whole path of a file, in the scene's memory; NULL when memory is out. */
static const char *whole_path(PxScene *scene, const char *name)
{
    if (name[0] == '/')
        return name;
    size_t folder = strlen(scene->folder), size = strlen(name);
    char *whole = px_arena_take(&scene->memory, folder + size + 2);
    if (whole == NULL) {
        scene->no_memory = true;
        return NULL;
    }
    memcpy(whole, scene->folder, folder);
    if (folder == 0 || whole[folder - 1] != '/')
        whole[folder++] = '/';
    memcpy(whole + folder, name, size + 1);
    return whole;
}

static bool read_mesh(PxScene *scene, const PxPath *path, const json_t *value, PxShapeDef *out)
{
    char found[96];
    const char *name = json_string_value(value);
    if (name == NULL || name[0] == '\0' || strlen(name) > 1000 || !px_text_is_plain(name)) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is %s, wanted the name of an OBJ, PLY or STL file, at most 1000 bytes long "
                    "and without control characters",
                    px_json_text(value, found, sizeof found));
        return false;
    }
    if (scene->folder == NULL) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "names a file, but this scene is not in a folder, so no file can be opened");
        return false;
    }
    out->mesh = whole_path(scene, name);
    return out->mesh != NULL;
}

static bool read_form(PxScene *scene, const PxPath *path, const PxShapeForm *form, json_t *value,
                      PxShapeDef *out)
{
    if (form->file)
        return read_mesh(scene, path, value, out);
    if (form->plain != NULL && (form->fields == NULL || !json_is_object(value)))
        return read_field(scene, path, form->plain, value, out);
    char wanted[160];
    size_t used = (size_t)snprintf(wanted, sizeof wanted, "an object with ");
    for (size_t k = 0; k < form->field_count; ++k)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s\"%s\"", k > 0 ? ", " : "",
                                 form->fields[k].key);
    if (!read_object(scene, path, value, wanted))
        return false;
    size_t errors = scene->errors + scene->errors_left_out[0];
    Keys keys = {0};
    keys_add_fields(&keys, form->fields, form->field_count);
    check_keys(scene, path, value, &keys, form->fields, form->field_count);
    read_fields(scene, path, value, form->fields, form->field_count, out);
    return scene->errors + scene->errors_left_out[0] == errors;
}

/* Has the object a key that is not of its section? It may have been the kind of
 * shape that is missed, and was complained about. */
static bool has_strange_key(json_t *json)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (!px_key_is_comment(key) && px_form_find(&px_shape_section, key) == NULL &&
            px_entry_find(&px_shape_section, key) == NULL &&
            px_field_find(px_shape_section.fields, *px_shape_section.field_count, key) == NULL)
            return true;
    }
    return false;
}

/* The one kind of shape that is stated; NULL after a complaint. */
static const PxShapeForm *find_form(PxScene *scene, const PxPath *path, json_t *json)
{
    const char *words[PX_SHAPE_KINDS];
    const PxShapeForm *found = NULL;
    for (size_t k = 0; k < px_shape_section.form_count; ++k) {
        const PxShapeForm *form = &px_shape_section.forms[k];
        words[k] = form->key;
        if (json_object_get(json, form->key) == NULL)
            continue;
        if (found != NULL) {
            PxPath at = px_path_key(path, form->key);
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                        "is a second shape beside '%s'; a body has one, so make two bodies",
                        found->key);
            return NULL;
        }
        found = form;
    }
    char list[200];
    if (found == NULL && !has_strange_key(json))
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "has no kind of shape: wanted one of %s",
                    px_list_text(words, px_shape_section.form_count, list, sizeof list));
    return found;
}

/* False, after a complaint, when the shape could not be read. */
static bool read_shape(PxScene *scene, const PxPath *above, const json_t *json, PxShapeDef *out,
                       PxSceneTurn *turn)
{
    json_t *value = json_object_get(json, "shape");
    PxPath path = px_path_key(above, "shape");
    px_turn_section.defaults(turn);
    if (value == NULL || !read_object(scene, &path, value, "an object with a kind of shape"))
        return false;
    PxShapeDef scratch;
    px_shape_section.defaults(&scratch);
    bool good = read_section(scene, &path, value, &px_shape_section, &scratch);
    good = read_turn(scene, &path, value, turn) && good;
    const PxShapeForm *form = find_form(scene, &path, value);
    if (form == NULL)
        return false;
    PxShapeDef shape = px_shape_def_default(form->kind);
    shape.at = scratch.at;
    shape.scale = scratch.scale;
    if (form->kind == PX_SHAPE_PLANE)
        shape.normal = px_scene_up_vector(scene);
    PxPath at = px_path_key(&path, form->key);
    good = read_form(scene, &at, form, json_object_get(value, form->key), &shape) && good;
    *out = shape;
    return good;
}

/* --- bodies ------------------------------------------------------------------------------ */

/* *out begins with one at time 0. */
static PxStatus read_keyframes(PxScene *scene, const PxPath *above, const json_t *json,
                               const PxSection *section, PxSceneKeyframe **out, size_t *made)
{
    json_t *list = read_list(scene, above, section, "keyframes", json);
    if (list == NULL || json_array_size(list) == 0)
        return PX_OK;
    PxPath path = px_path_key(above, "keyframes");
    size_t count = json_array_size(list);
    PxSceneKeyframe *keyframe = *out = PX_ARENA_ARRAY(&scene->memory, PxSceneKeyframe, count + 1);
    if (keyframe == NULL)
        return no_room("keyframes", count);
    /* A wall starts where it was put, unless the first keyframe says otherwise. */
    px_keyframe_section.defaults(&keyframe[0]);
    keyframe[0].turn.axis = px_scene_up_vector(scene);
    *made = 1;
    for (size_t k = 0; k < count; ++k) {
        json_t *value = json_array_get(list, k);
        PxPath at = px_path_index(&path, k), time = px_path_key(&at, "at");
        PxSceneKeyframe next;
        px_keyframe_section.defaults(&next);
        if (!read_object(scene, &at, value, "an object with \"at\", \"move\" and \"turn\""))
            continue;
        bool good = read_section(scene, &at, value, &px_keyframe_section, &next);
        good = read_turn(scene, &at, value, &next.turn) && good;
        if (!good)
            continue;
        const PxSceneKeyframe *last = &keyframe[*made - 1];
        if (k == 0 && next.at == 0)
            *made = 0;
        else if (next.at <= last->at) {
            char now[32], before[32];
            px_complain(scene, PX_ERROR, &time, PX_AT_VALUE,
                        "is %s s, wanted more than the keyframe before, which is at %s s",
                        px_number_text(next.at, now), px_number_text(last->at, before));
            continue;
        }
        keyframe[(*made)++] = next;
    }
    return PX_OK;
}

/* Temperatures by time, of a wall or heater. */
static PxStatus read_temperatures(PxScene *scene, const PxPath *above, const json_t *json,
                                  const PxSection *section, const PxTemperatureKey **out,
                                  size_t *made)
{
    json_t *list = read_list(scene, above, section, "temperatures", json);
    PxPath path = px_path_key(above, "temperatures");
    size_t count = json_array_size(list);
    PxTemperatureKey *key = PX_ARENA_ARRAY(&scene->memory, PxTemperatureKey, count);
    if (key == NULL)
        return no_room("temperatures", count);
    *out = key;
    *made = 0;
    for (size_t k = 0; k < count; ++k) {
        json_t *value = json_array_get(list, k);
        PxPath at = px_path_index(&path, k), time = px_path_key(&at, "at");
        PxTemperatureKey next;
        px_temperature_section.defaults(&next);
        if (!read_object(scene, &at, value, "an object with \"at\" and \"to\"") ||
            !read_section(scene, &at, value, &px_temperature_section, &next))
            continue;
        char now[32], before[32];
        if (*made > 0 && next.time <= key[*made - 1].time)
            px_complain(scene, PX_ERROR, &time, PX_AT_VALUE,
                        "is %s s, wanted more than the one before, which is at %s s",
                        px_number_text(next.time, now),
                        px_number_text(key[*made - 1].time, before));
        else
            key[(*made)++] = next;
    }
    return PX_OK;
}

/* Which material is named, or PX_NO_MATERIAL after a complaint. */
static size_t read_material_name(PxScene *scene, const PxPath *above, const json_t *json,
                                 const PxSection *section)
{
    PxPath path = px_path_key(above, "material");
    const char *name = read_text(scene, above, section, "material", json);
    for (size_t k = 0; name != NULL && k < scene->materials; ++k)
        if (strcmp(scene->material[k].name, name) == 0)
            return k;
    if (name == NULL && (json_object_get(json, "material") != NULL ||
                         px_entry_find(section, "material")->flags & PX_FIELD_REQUIRED))
        return PX_NO_MATERIAL; /* refused already */
    enum { SHOWN = 64 };
    const char *words[SHOWN];
    size_t count = scene->materials < SHOWN ? scene->materials : SHOWN;
    for (size_t k = 0; k < count; ++k)
        words[k] = scene->material[k].name;
    char list[400], near[120], part[120];
    px_list_text(words, count, list, sizeof list);
    if (count == 0)
        snprintf(list, sizeof list, "none");
    if (name == NULL)
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is missing: a body that is not a wall needs one, and there are %s", list);
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', but the materials of this scene are %s%s",
                    px_quote(name, part, sizeof part), list,
                    px_suggestion_text(name, words, count, near, sizeof near));
    return PX_NO_MATERIAL;
}

/* What a wall must not have, and what only a wall may have. */
static void check_sort(PxScene *scene, const PxPath *path, json_t *json, bool wall)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        PxBodySort sort = px_body_key_sort(key);
        PxPath at = px_path_key(path, key);
        if (sort == PX_FOR_WALLS && !wall)
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                        "is for walls only; should this body have \"wall\": true?");
        else if (sort == PX_FOR_MATTER && wall)
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY, "is not for walls: they %s",
                        strcmp(key, "velocity") == 0 || strcmp(key, "spin") == 0
                            ? "move by \"keyframes\""
                            : "are not filled with anything");
    }
}

/* Particles of different sizes are for solids, and levels for them. */
static void check_fill(PxScene *scene, const PxPath *path, const PxSceneBody *body)
{
    PxPath fill = px_path_key(path, "fill"), levels = px_path_key(path, "levels");
    bool octree = body->def.fill == PX_FILL_OCTREE;
    if (octree && body->material != PX_NO_MATERIAL && !(scene->material[body->material].young > 0))
        px_complain(scene, PX_ERROR, &fill, PX_AT_VALUE,
                    "is for solids: fluids need a uniform filling, and the \"young\" of '%s' is 0",
                    px_quote(scene->material[body->material].name, (char[100]){0}, 100));
    if (!octree && body->def.levels != px_body_def_default().levels)
        px_complain(scene, PX_ERROR, &levels, PX_AT_KEY,
                    "is of octrees; should this body have \"fill\": \"octree\"?");
}

/* The stated name, or one made of the section's and the number. */
static PxStatus read_name(PxScene *scene, const PxPath *path, const json_t *json,
                          const PxSection *section, size_t index, const char **out)
{
    char name[32];
    snprintf(name, sizeof name, "%s %zu", section->name, index + 1);
    char *kept = px_arena_take(&scene->memory, sizeof name);
    if (kept == NULL)
        return no_room("names", 1);
    *out = memcpy(kept, name, sizeof name);
    const char *stated =
        json_is_object(json) ? read_text(scene, path, section, "name", json) : NULL;
    if (stated == NULL)
        return PX_OK;
    *out = stated;
    PxPath at = px_path_key(path, "name");
    if (strchr(stated, '.') != NULL)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is '%s': a name has no dot, because dots part the steps of a path",
                    px_quote(stated, (char[100]){0}, 100));
    return PX_OK;
}

/* What shows the surface of a solid, and what it is painted with. */
static void read_skin(PxScene *scene, const PxPath *path, json_t *json, PxSceneBody *body)
{
    static const char *const keys[] = {"surfels", "texture"};
    if (body->def.surfels > 0 && json_object_get(json, "skin") == NULL)
        body->def.skin = false; /* one of the two is enough */
    bool wanted = body->def.surfels > 0 || body->def.skin;
    const char *name = read_text(scene, path, &px_body_section, "texture", json);
    PxPath at = px_path_key(path, "texture");
    if (name != NULL && (name[0] == '\0' || !px_text_is_plain(name)))
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is no name of a file, wanted that of a PNG picture");
    else if (name != NULL && scene->folder == NULL)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "names a file, but this scene is not in a folder, so no file can be opened");
    else if (name != NULL && !wanted)
        px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                    "has nothing to be on: wanted \"surfels\": 20000, or \"skin\": true");
    else if (name != NULL && body->shape_known && body->def.shape.kind != PX_SHAPE_MESH)
        px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                    "needs a mesh with texture coordinates, but the shape is a %s",
                    px_shape_kind_name(body->def.shape.kind));
    else if (name != NULL)
        body->def.texture = whole_path(scene, name);
    if (body->material == PX_NO_MATERIAL || scene->material[body->material].young > 0 ||
        strcmp(scene->material[body->material].coat.model, "none") != 0)
        return;
    for (size_t k = 0; k < PX_COUNT(keys); ++k) {
        const json_t *value = json_object_get(json, keys[k]);
        PxPath key = px_path_key(path, keys[k]);
        if (value != NULL && !json_is_false(value) && !(k == 0 && body->def.surfels == 0))
            px_complain(scene, PX_ERROR, &key, PX_AT_KEY,
                        "is for solids, and '%s' is a fluid (its \"young\" is 0); "
                        "'phyxel surface' makes the surfaces of fluids, or \"coat\" of the "
                        "material",
                        scene->material[body->material].name);
    }
}

static PxStatus read_body(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                          PxSceneBody *body)
{
    *body = (PxSceneBody){.material = PX_NO_MATERIAL};
    px_body_section.defaults(&body->def);
    PX_TRY(read_name(scene, path, json, &px_body_section, index, &body->def.name));
    if (!read_object(scene, path, json, "an object with a shape, and a material or \"wall\""))
        return PX_OK;
    read_section(scene, path, json, &px_body_section, &body->def);
    body->shape_known = read_shape(scene, path, json, &body->def.shape, &body->turn);
    body->has_look = read_look(scene, path, json, &body->look);
    const json_t *wall = json_object_get(json, "wall");
    if (wall != NULL && !json_is_boolean(wall))
        return PX_OK; /* whether it is a wall is not known */
    check_sort(scene, path, json, body->def.wall);
    if (!body->def.wall) {
        body->material = read_material_name(scene, path, json, &px_body_section);
        check_fill(scene, path, body);
        read_skin(scene, path, json, body);
        PxPath shape = px_path_key(path, "shape"), plane = px_path_key(&shape, "plane");
        if (body->shape_known && body->def.shape.kind == PX_SHAPE_PLANE)
            px_complain(scene, PX_ERROR, &plane, PX_AT_KEY,
                        "has no end and cannot be filled; should this body have \"wall\": true?");
        return PX_OK;
    }
    PX_TRY(read_temperatures(scene, path, json, &px_body_section, &body->def.temperature_key,
                             &body->def.temperatures));
    body->def.warm = json_object_get(json, "temperature") != NULL || body->def.temperatures > 0;
    PxPath contact = px_path_key(path, "conductance");
    if (body->def.conductance != px_body_def_default().conductance && !body->def.warm)
        px_complain(scene, PX_WARNING, &contact, PX_AT_KEY,
                    "does nothing: a wall without a temperature lets no heat pass");
    return read_keyframes(scene, path, json, &px_body_section, &body->keyframe, &body->keyframes);
}

typedef struct Named {
    const char *name;
    size_t list, index; /* of `lists` below, in it */
} Named;

static int compare_names(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->list > y->list) - (x->list < y->list);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static const char *name_in(const PxScene *scene, size_t list, size_t index)
{
    switch (list) {
    case 0:
        return scene->body[index].def.name;
    case 1:
        return scene->emitter[index].def.name;
    case 2:
        return scene->sink[index].def.name;
    case 3:
        return scene->handle[index].def.name;
    case 4:
        return scene->force[index].def.name;
    default:
        return scene->heater[index].def.name;
    }
}

/* Emitters, sinks, ... are looked at with the bodies: what an emitter gives is a body of
 * its name, and a name should lead to one thing. */
static PxStatus check_names(PxScene *scene, const PxPath *root)
{
    static const char *const lists[] = {"bodies",  "emitters", "sinks",
                                        "handles", "forces",   "heaters"};
    size_t counts[] = {scene->bodies,  scene->emitters, scene->sinks,
                       scene->handles, scene->forces,   scene->heaters};
    size_t all = 0, count = 0;
    for (size_t list = 0; list < PX_COUNT(lists); ++list)
        all += counts[list];
    PxArenaMark mark = px_arena_mark(&scene->memory);
    Named *named = PX_ARENA_ARRAY(&scene->memory, Named, all);
    if (named == NULL)
        return no_room("names", all);
    for (size_t list = 0; list < PX_COUNT(lists); ++list)
        for (size_t k = 0; k < counts[list]; ++k)
            named[count++] = (Named){name_in(scene, list, k), list, k};
    qsort(named, count, sizeof *named, compare_names);
    for (size_t k = 1; k < count; ++k) {
        if (strcmp(named[k].name, named[k - 1].name) != 0)
            continue;
        PxPath list = px_path_key(root, lists[named[k].list]);
        PxPath one = px_path_index(&list, named[k].index), name = px_path_key(&one, "name");
        px_complain(scene, PX_ERROR, &name, PX_AT_VALUE, "is '%s', as is that of %s[%zu]",
                    px_quote(named[k].name, (char[120]){0}, 120), lists[named[k - 1].list],
                    named[k - 1].index);
    }
    px_arena_release(&scene->memory, mark);
    return PX_OK;
}

/* Keyframes in all, those put between turns included, may not become too many. */
static void count_keyframes(PxScene *scene, const PxPath *above, const PxSceneKeyframe *keyframe,
                            size_t keyframes, size_t *count)
{
    enum { MOST_KEYFRAMES = 1000000 };
    PxPath journey = px_path_key(above, "keyframes");
    *count += px_scene_keyframes(keyframe, keyframes, NULL);
    if (*count <= MOST_KEYFRAMES)
        return;
    px_complain(scene, PX_ERROR, &journey, PX_AT_VALUE,
                "turn too often: more than %d keyframes in all", MOST_KEYFRAMES);
    *count = 0;
}

static PxStatus read_bodies(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "bodies", scene->root);
    if (list == NULL)
        return PX_OK;
    PxPath path = px_path_key(root, "bodies");
    size_t count = json_array_size(list), keyframes = 0;
    scene->body = PX_ARENA_ARRAY(&scene->memory, PxSceneBody, count);
    if (scene->body == NULL)
        return no_room("bodies", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_body(scene, &at, json_array_get(list, k), k, &scene->body[k]));
        scene->bodies++;
        count_keyframes(scene, &at, scene->body[k].keyframe, scene->body[k].keyframes, &keyframes);
    }
    return PX_OK;
}

/* --- emitters and sinks ----------------------------------------------------------------------- */

static void check_between(PxScene *scene, const PxPath *path, double start, double end)
{
    PxPath at = px_path_key(path, "end");
    char from[32], to[32];
    if (!(end > start))
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is %s s, wanted more than the start, %s s",
                    px_number_text(end, to), px_number_text(start, from));
}

/* The face that matter comes out of: the direction's default follows the shape. */
static void check_opening(PxScene *scene, const PxPath *path, bool stated, PxSceneEmitter *emitter)
{
    PxPath shape = px_path_key(path, "shape"), direction = px_path_key(path, "direction");
    PxPath kind = px_path_key(&shape, px_form_of_kind(emitter->def.shape.kind)->key);
    PxShapeDef placed = px_scene_shape(scene, &emitter->def.shape, &emitter->turn);
    PxOpening opening;
    bool usable = placed.kind == PX_SHAPE_BOX || placed.kind == PX_SHAPE_CYLINDER;
    if (!stated)
        emitter->def.direction = px_opening_axis(&placed);
    if (usable && !(px_length(emitter->def.direction) > 0))
        px_complain(scene, PX_ERROR, &direction, PX_AT_VALUE,
                    "is the zero vector, which has no direction");
    else if (px_opening_make(&placed, emitter->def.direction, &opening) != PX_OK)
        px_complain(scene, PX_ERROR, usable ? &direction : &kind, usable ? PX_AT_VALUE : PX_AT_KEY,
                    "%s", px_error_message());
}

static PxStatus read_emitter(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                             PxSceneEmitter *out)
{
    *out = (PxSceneEmitter){.material = PX_NO_MATERIAL};
    px_emitter_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_emitter_section, index, &out->def.name));
    if (!read_object(scene, path, json, "an object with a shape, a material and a speed or rate"))
        return PX_OK;
    bool good = read_section(scene, path, json, &px_emitter_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    out->material = read_material_name(scene, path, json, &px_emitter_section);
    if (out->shape_known && good)
        check_opening(scene, path, json_object_get(json, "direction") != NULL, out);
    PxPath speed = px_path_key(path, "speed"), rate = px_path_key(path, "rate");
    if (json_object_get(json, "speed") == NULL && json_object_get(json, "rate") == NULL)
        px_complain(scene, PX_ERROR, &speed, PX_AT_VALUE,
                    "is missing: wanted a \"speed\" in m/s or a \"rate\" in m^3/s");
    else if (out->def.speed > 0 && out->def.rate > 0)
        px_complain(scene, PX_ERROR, &rate, PX_AT_VALUE,
                    "is stated beside a speed: each follows from the other, so leave one out");
    check_between(scene, path, out->def.start, out->def.end);
    return PX_OK;
}

static PxStatus read_sink(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                          PxSceneSink *out)
{
    *out = (PxSceneSink){.shape_known = false};
    px_sink_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_sink_section, index, &out->def.name));
    if (!read_object(scene, path, json, "an object with a shape"))
        return PX_OK;
    read_section(scene, path, json, &px_sink_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    check_between(scene, path, out->def.start, out->def.end);
    return PX_OK;
}

static PxStatus read_emitters(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "emitters", scene->root);
    PxPath path = px_path_key(root, "emitters");
    size_t count = json_array_size(list);
    scene->emitter = PX_ARENA_ARRAY(&scene->memory, PxSceneEmitter, count);
    if (scene->emitter == NULL)
        return no_room("emitters", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_emitter(scene, &at, json_array_get(list, k), k, &scene->emitter[k]));
        scene->emitters++;
    }
    return PX_OK;
}

static PxStatus read_sinks(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "sinks", scene->root);
    PxPath path = px_path_key(root, "sinks");
    size_t count = json_array_size(list);
    scene->sink = PX_ARENA_ARRAY(&scene->memory, PxSceneSink, count);
    if (scene->sink == NULL)
        return no_room("sinks", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_sink(scene, &at, json_array_get(list, k), k, &scene->sink[k]));
        scene->sinks++;
    }
    return PX_OK;
}

/* --- handles and forces ------------------------------------------------------------------------
 */

/* Which body's particles are meant: PX_NO_BODY, any solid's, when none is named. False after a
 * complaint. */
static bool read_solid_name(PxScene *scene, const PxPath *above, const json_t *json,
                            const PxSection *section, size_t *out)
{
    enum { SHOWN = 64 };
    const char *name = read_text(scene, above, section, "body", json), *words[SHOWN];
    size_t count = 0, found = PX_NO_BODY;
    for (size_t k = 0; k < scene->bodies; ++k) {
        if (name != NULL && found == PX_NO_BODY && strcmp(scene->body[k].def.name, name) == 0)
            found = k;
        if (px_scene_is_solid(scene, k) && count < SHOWN)
            words[count++] = scene->body[k].def.name;
    }
    if (json_object_get(json, "body") != NULL && name == NULL)
        return false; /* refused already */
    if (found != PX_NO_BODY ? px_scene_is_solid(scene, found) : name == NULL && count > 0) {
        *out = found;
        return true;
    }
    PxPath path = px_path_key(above, "body");
    char list[400], near[120], part[120];
    px_list_text(words, count, list, sizeof list);
    if (count == 0)
        snprintf(list, sizeof list, "none: a solid's material has \"young\"");
    if (name == NULL)
        px_complain(scene, PX_ERROR, above, PX_AT_VALUE, "has nothing to act on: solids are %s",
                    list);
    else if (found == PX_NO_BODY)
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', but the solids of this scene are %s%s",
                    px_quote(name, part, sizeof part), list,
                    px_suggestion_text(name, words, count, near, sizeof near));
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "is '%s', which is %s; solids are %s",
                    px_quote(name, part, sizeof part),
                    scene->body[found].def.wall ? "a wall: walls move by keyframes of their own"
                                                : "not a solid: the \"young\" of its material is 0",
                    list);
    return false;
}

static PxStatus read_handle(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                            PxSceneHandle *out)
{
    *out = (PxSceneHandle){.body = PX_NO_BODY};
    px_handle_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_handle_section, index, &out->def.name));
    if (!read_object(scene, path, json, "an object with a shape"))
        return PX_OK;
    read_section(scene, path, json, &px_handle_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    /* what has nothing to act on is said once */
    if (!read_solid_name(scene, path, json, &px_handle_section, &out->body))
        out->shape_known = false;
    check_between(scene, path, out->def.start, out->def.end);
    return read_keyframes(scene, path, json, &px_handle_section, &out->keyframe, &out->keyframes);
}

static PxStatus read_force(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                           PxSceneForce *out)
{
    *out = (PxSceneForce){.body = PX_NO_BODY};
    px_force_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_force_section, index, &out->def.name));
    if (!read_object(scene, path, json, "an object with a shape and a force"))
        return PX_OK;
    read_section(scene, path, json, &px_force_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    /* what has nothing to act on is said once */
    if (!read_solid_name(scene, path, json, &px_force_section, &out->body))
        out->shape_known = false;
    check_between(scene, path, out->def.start, out->def.end);
    return PX_OK;
}

static PxStatus read_handles(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "handles", scene->root);
    PxPath path = px_path_key(root, "handles");
    size_t count = json_array_size(list), keyframes = 0;
    scene->handle = PX_ARENA_ARRAY(&scene->memory, PxSceneHandle, count);
    if (scene->handle == NULL)
        return no_room("handles", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PxSceneHandle *handle = &scene->handle[k];
        PX_TRY(read_handle(scene, &at, json_array_get(list, k), k, handle));
        scene->handles++;
        count_keyframes(scene, &at, handle->keyframe, handle->keyframes, &keyframes);
    }
    return PX_OK;
}

static PxStatus read_forces(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "forces", scene->root);
    PxPath path = px_path_key(root, "forces");
    size_t count = json_array_size(list);
    scene->force = PX_ARENA_ARRAY(&scene->memory, PxSceneForce, count);
    if (scene->force == NULL)
        return no_room("forces", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_force(scene, &at, json_array_get(list, k), k, &scene->force[k]));
        scene->forces++;
    }
    return PX_OK;
}

/* Which body is warmed: PX_NO_BODY, all that is there, when none is named or after a complaint. */
static size_t read_warmed(PxScene *scene, const PxPath *above, const json_t *json)
{
    enum { SHOWN = 64 };
    const char *name = read_text(scene, above, &px_heater_section, "body", json), *words[SHOWN];
    size_t count = 0;
    for (size_t k = 0; k < scene->bodies; ++k) {
        if (scene->body[k].def.wall)
            continue;
        if (name != NULL && strcmp(scene->body[k].def.name, name) == 0)
            return k;
        if (count < SHOWN)
            words[count++] = scene->body[k].def.name;
    }
    if (name == NULL)
        return PX_NO_BODY;
    PxPath path = px_path_key(above, "body");
    char list[400], near[120], part[120];
    px_list_text(words, count, list, sizeof list);
    px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                "is '%s', but the bodies that are not walls are %s%s",
                px_quote(name, part, sizeof part), count > 0 ? list : "none",
                px_suggestion_text(name, words, count, near, sizeof near));
    return PX_NO_BODY;
}

static PxStatus read_heater(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                            PxSceneHeater *out)
{
    *out = (PxSceneHeater){.body = PX_NO_BODY};
    px_heater_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_heater_section, index, &out->def.name));
    if (!read_object(scene, path, json, "an object with a shape and a temperature or power"))
        return PX_OK;
    read_section(scene, path, json, &px_heater_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    out->body = read_warmed(scene, path, json);
    check_between(scene, path, out->def.start, out->def.end);
    PX_TRY(read_temperatures(scene, path, json, &px_heater_section, &out->def.temperature_key,
                             &out->def.temperatures));
    bool power = json_object_get(json, "power") != NULL;
    out->def.holds = json_object_get(json, "temperature") != NULL ||
                     json_object_get(json, "temperatures") != NULL;
    PxPath at = px_path_key(path, "power"), within = px_path_key(path, "within");
    if (power && out->def.holds)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is stated beside a temperature: a heater has one of the two");
    else if (!power && !out->def.holds)
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "does nothing: wanted a \"temperature\" in degrees C or a \"power\" in W");
    else if (power && json_object_get(json, "within") != NULL && out->def.within > 0)
        px_complain(scene, PX_ERROR, &within, PX_AT_KEY,
                    "is of heaters with a temperature: the time in which it is approached");
    return PX_OK;
}

static PxStatus read_heaters(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "heaters", scene->root);
    PxPath path = px_path_key(root, "heaters");
    size_t count = json_array_size(list);
    scene->heater = PX_ARENA_ARRAY(&scene->memory, PxSceneHeater, count);
    if (scene->heater == NULL)
        return no_room("heaters", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_heater(scene, &at, json_array_get(list, k), k, &scene->heater[k]));
        scene->heaters++;
    }
    return PX_OK;
}

/* --- events, camera --------------------------------------------------------------- */

/* One number or three; false after a complaint. */
static bool read_numbers(PxScene *scene, const PxPath *path, const json_t *value, PxSceneEvent *out)
{
    char found[96];
    bool good = json_is_number(value);
    if (good) {
        out->to[0] = json_number_value(value);
        out->values = 1;
    } else if (json_is_array(value) && json_array_size(value) == 3) {
        good = true;
        out->values = 3;
        for (size_t k = 0; k < 3; ++k) {
            const json_t *number = json_array_get(value, k);
            good = good && json_is_number(number);
            out->to[k] = json_number_value(number);
        }
    }
    if (!good)
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is %s, wanted a number or three",
                    px_json_text(value, found, sizeof found));
    return good;
}

/* Tries the event out on a copy of what it changes. */
static void check_event(PxScene *scene, const PxPath *set, const PxPath *to,
                        const PxSceneEvent *event, bool value_known)
{
    PxLive live;
    if (px_scene_live(scene, event->set, &live) != PX_OK) {
        px_complain(scene, PX_ERROR, set, PX_AT_VALUE, "%s", px_error_message());
        return;
    }
    if (!value_known)
        return;
    PxSectionObject copy;
    switch (live.scope) {
    case PX_LIVE_WORLD:
        copy.world = scene->world;
        break;
    case PX_LIVE_MATERIAL:
        copy.material = scene->material[live.index];
        break;
    case PX_LIVE_BODY:
        copy.body = scene->body[live.index].def;
        break;
    case PX_LIVE_EMITTER:
        copy.emitter = scene->emitter[live.index].def;
        break;
    case PX_LIVE_FORCE:
        copy.force = scene->force[live.index].def;
        break;
    case PX_LIVE_HEATER:
        copy.heater = scene->heater[live.index].def;
        break;
    }
    if (px_field_set(live.field, &copy, live.rest, event->to, event->values, event->set) != PX_OK ||
        (live.scope == PX_LIVE_MATERIAL &&
         px_material_may_become(event->set, &scene->material[live.index], &copy.material) != PX_OK))
        px_complain(scene, PX_ERROR, to, PX_AT_VALUE, "%s", px_error_message());
}

static PxStatus read_events(PxScene *scene, const PxPath *root)
{
    json_t *list = read_list(scene, root, &px_scene_section, "events", scene->root);
    if (list == NULL)
        return PX_OK;
    PxPath path = px_path_key(root, "events");
    size_t count = json_array_size(list);
    scene->event = PX_ARENA_ARRAY(&scene->memory, PxSceneEvent, count);
    scene->event_index = PX_ARENA_ARRAY(&scene->memory, size_t, count);
    if (scene->event == NULL || scene->event_index == NULL)
        return no_room("events", count);
    for (size_t k = 0; k < count; ++k) {
        size_t errors = scene->errors + scene->errors_left_out[0];
        json_t *value = json_array_get(list, k);
        PxPath at = px_path_index(&path, k);
        PxPath set = px_path_key(&at, "set"), to = px_path_key(&at, "to");
        PxSceneEvent event;
        px_event_section.defaults(&event);
        if (!read_object(scene, &at, value, "an object with \"at\", \"set\" and \"to\""))
            continue;
        read_section(scene, &at, value, &px_event_section, &event);
        event.set = read_text(scene, &at, &px_event_section, "set", value);
        const json_t *numbers = json_object_get(value, "to");
        bool known = numbers != NULL && read_numbers(scene, &to, numbers, &event);
        if (event.set != NULL)
            check_event(scene, &set, &to, &event, known);
        if (scene->errors + scene->errors_left_out[0] != errors)
            continue;
        scene->event[scene->events] = event;
        scene->event_index[scene->events++] = k;
    }
    return PX_OK;
}

static void read_camera(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, "camera");
    PxPath path = px_path_key(root, "camera");
    px_camera_section.defaults(&scene->camera);
    if (json == NULL || !read_object(scene, &path, json, "an object with \"from\" and \"to\""))
        return;
    if (!read_section(scene, &path, json, &px_camera_section, &scene->camera))
        return;
    if (px_length(px_sub(scene->camera.from, scene->camera.to)) > 0)
        scene->has_camera = true;
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "looks from a point at the same point, wanted \"from\" and \"to\" apart");
}

/* --- the top ------------------------------------------------------------------------------------
 */

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

/* The file's name without folder and ending, for a scene that has no name. */
static PxStatus name_from_file(PxScene *scene)
{
    const char *slash = strrchr(scene->file, '/');
    const char *stem = slash != NULL ? slash + 1 : scene->file;
    const char *dot = strrchr(stem, '.');
    size_t size = dot != NULL && dot != stem ? (size_t)(dot - stem) : strlen(stem);
    char *name = px_arena_take(&scene->memory, size + 1);
    if (name == NULL)
        return no_room("names", 1);
    memcpy(name, stem, size);
    name[size] = '\0';
    bool usable = size > 0 && size <= px_entry_find(&px_scene_section, "name")->most &&
                  px_text_is_plain(name);
    scene->name = usable ? name : "scene";
    return PX_OK;
}

void px_scene_forget(PxScene *scene)
{
    px_arena_free(&scene->memory);
    scene->material = NULL;
    scene->material_look = NULL;
    scene->body = NULL;
    scene->emitter = NULL;
    scene->sink = NULL;
    scene->handle = NULL;
    scene->force = NULL;
    scene->heater = NULL;
    scene->event = NULL;
    scene->event_index = NULL;
    scene->materials = scene->bodies = scene->emitters = scene->sinks = scene->events = 0;
    scene->handles = scene->forces = scene->heaters = 0;
    scene->has_camera = false;
    free(scene->resolved);
    scene->resolved = NULL;
    scene->hash[0] = '\0';
    px_complaints_clear(scene, false);
}

static PxStatus read_all(PxScene *scene)
{
    PxPath root = px_path_root();
    px_scene_section.defaults(&scene->world);
    px_time_section.defaults(&scene->time);
    PX_TRY(name_from_file(scene));
    if (!json_is_object(scene->root)) {
        if (scene->root != NULL)
            read_object(scene, &root, scene->root, "a scene: an object { \"phyxel\": 1, ... }");
        return PX_OK;
    }
    double weight = px_length(scene->world.gravity);
    json_t *up = json_object_get(scene->root, "up");
    PxPath up_path = px_path_key(&root, "up");
    scene->up = PX_UP_Y;
    if (up != NULL)
        read_field(scene, &up_path, px_entry_find(&px_scene_section, "up")->field, up, &scene->up);
    scene->world.gravity = px_scale(px_scene_up_vector(scene), -weight);
    scene->world.spacing = 0; /* stays so when the stated one is refused */
    read_section(scene, &root, scene->root, &px_scene_section, &scene->world);
    read_version(scene, &root);
    read_text(scene, &root, &px_scene_section, "$schema", scene->root);
    const char *name = read_text(scene, &root, &px_scene_section, "name", scene->root);
    if (name != NULL)
        scene->name = name;
    json_t *time = json_object_get(scene->root, "time");
    PxPath time_path = px_path_key(&root, "time");
    if (time != NULL &&
        read_object(scene, &time_path, time, "an object with \"frames\" or \"fps\""))
        read_section(scene, &time_path, time, &px_time_section, &scene->time);
    PX_TRY(read_materials(scene, &root));
    PX_TRY(read_bodies(scene, &root));
    PX_TRY(read_emitters(scene, &root));
    PX_TRY(read_sinks(scene, &root));
    PX_TRY(read_handles(scene, &root));
    PX_TRY(read_forces(scene, &root));
    PX_TRY(read_heaters(scene, &root));
    PX_TRY(check_names(scene, &root));
    PX_TRY(read_events(scene, &root));
    read_camera(scene, &root);
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
    PX_TRY(read_all(scene));
    return px_complaints_finish(scene);
}
