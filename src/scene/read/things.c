#include "scene/read/things.h"

#include "base/words.h"
#include "scene/read/courses.h"
#include "scene/read/references.h"
#include "scene/read/shapes.h"
#include "scene/read/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of keyframes of all things of a kind together, including inserted ones. */
enum { MOST_KEYFRAMES = 1000000 };

/* A thing while it is read. */
typedef struct Reading {
    PxScene *scene;
    const PxKind *kind;
    const PxPath *path;
    json_t *json;
    PxSceneThing *thing;
    void *def;
} Reading;

/* --- what the rules of a kind may ask (PxStated) ------------------------------------- */

static bool stated_has(const PxStated *stated, bool first, const char *key)
{
    const Reading *r = stated->user;
    const json_t *json = r->json;
    if (first) {
        const json_t *list = json_object_get(r->scene->root, r->kind->list);
        json = r->kind->by_name ? json_object_get(list, px_kind_name(r->kind, stated->first))
                                : json_array_get(list, 0);
    }
    const json_t *value = json_object_get(json, key);
    return value != NULL && !(json_is_array(value) && json_array_size(value) == 0);
}

static const void *stated_other(const PxStated *stated, const char *key)
{
    const Reading *r = stated->user;
    const PxField *field = px_section_field(&r->kind->section, key);
    const PxKind *kind = px_kind_of_list(field->of);
    size_t index = r->thing->refers[px_reference_index(&r->kind->section, field)];
    return index != SIZE_MAX
               ? px_thing_def(px_scene_thing(px_scene_list(r->scene, kind), kind, index))
               : NULL;
}

/* `key` may be a path into an object: "shape.box", "melts.to". */
static void stated_complain(const PxStated *stated, PxSeverity severity, const char *key,
                            bool at_key, const char *text)
{
    const Reading *r = stated->user;
    char word[64];
    const char *dot = strchr(key, '.');
    snprintf(word, sizeof word, "%.*s", (int)(dot != NULL ? (size_t)(dot - key) : strlen(key)),
             key);
    PxPath outer = px_path_key(r->path, word);
    PxPath inner = px_path_key(&outer, dot != NULL ? dot + 1 : "");
    const PxPath *path = key[0] == '\0' ? r->path : dot != NULL ? &inner : &outer;
    px_complain(r->scene, severity, path, at_key ? PX_AT_KEY : PX_AT_VALUE, "%s", text);
}

static void ask_rules(const Reading *r, bool good)
{
    PxScene *scene = r->scene;
    PxStated stated = {.kind = r->kind,
                       .def = r->def,
                       .good = good,
                       .first = px_thing_def(px_scene_list(scene, r->kind)->thing),
                       .has = stated_has,
                       .other = stated_other,
                       .complain = stated_complain,
                       .user = (void *)r};
    const PxField *shape = px_section_field(&r->kind->section, "shape");
    if (shape != NULL && r->thing->shape_known) {
        const PxShapeDef *def = px_field_in(shape, r->def);
        stated.placed = px_scene_shape(scene, def, &r->thing->turn);
        stated.shape = px_form_of_kind(def->kind)->key;
    }
    const PxField *fill = px_section_field(&r->kind->section, "fill");
    stated.vessel = fill != NULL && fill->kind == PX_FIELD_FILL &&
                    json_is_object(json_object_get(r->json, "fill"));
    r->kind->rules(&stated);
}

/* --- one thing ----------------------------------------------------------------------- */

/* The stated name, or one made of the kind and the index. */
static PxStatus read_name(const Reading *r, size_t index)
{
    PxScene *scene = r->scene;
    const char **name = (const char **)((char *)r->def + r->kind->name_offset);
    char *made = px_arena_take(&scene->memory, 32);
    if (made == NULL)
        return px_scene_no_room("names", 1);
    snprintf(made, 32, "%s %zu", r->kind->section.name, index + 1);
    *name = made;
    const json_t *value = json_object_get(r->json, "name");
    PxPath at = px_path_key(r->path, "name");
    const char *stated = value != NULL ? px_read_text(scene, &at, PX_SCENE_MOST_NAME, value) : NULL;
    if (stated == NULL)
        return PX_OK;
    *name = stated;
    if (strchr(stated, '.') != NULL)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is '%s': a name has no dot, because dots part the steps of a path",
                    px_quote(stated, (char[100]){0}, 100));
    return PX_OK;
}

static void read_look(const Reading *r, const PxPath *path, json_t *value)
{
    PxSceneLook *look = PX_ARENA_ARRAY(&r->scene->memory, PxSceneLook, 1);
    if (look == NULL) {
        r->scene->no_memory = true;
        return;
    }
    px_look_section.defaults(look);
    if (!px_read_object(r->scene, path, value, px_look_section.wanted) ||
        !px_read_section(r->scene, path, value, &px_look_section, look, NULL))
        return;
    json_t *file = json_object_get(value, "texture");
    PxPath at = px_path_key(path, "texture");
    if (file != NULL)
        look->texture = px_read_file_name(r->scene, &at, file, "a PNG file");
    r->thing->look = look;
}

static void read_vessel(const Reading *r, const PxPath *path, json_t *value)
{
    PxSceneVessel *vessel = PX_ARENA_ARRAY(&r->scene->memory, PxSceneVessel, 1);
    if (vessel == NULL) {
        r->scene->no_memory = true;
        return;
    }
    px_vessel_section.defaults(vessel);
    if (px_read_section(r->scene, path, value, &px_vessel_section, vessel, NULL))
        r->thing->vessel = vessel;
}

/* Reads the kinds of fields that px_read_values() skips. `value` may be NULL if the key is
 * missing. */
static PxStatus read_special(const Reading *r, const PxField *field, json_t *value)
{
    PxScene *scene = r->scene;
    PxSceneThing *thing = r->thing;
    PxPath at = px_path_key(r->path, field->key);
    char *member = (char *)r->def + field->offset;
    if (field->kind == PX_FIELD_THING) {
        size_t *refers = &thing->refers[px_reference_index(&r->kind->section, field)];
        if (!px_read_reference(scene, r->path, r->json, field, r->kind, refers))
            /* the region has nothing to act on; one complaint is enough */
            thing->shape_known = false;
        return PX_OK;
    }
    if (value == NULL)
        return PX_OK;
    switch (field->kind) {
    case PX_FIELD_SHAPE:
        thing->shape_known = px_read_shape(scene, &at, value, (PxShapeDef *)member, &thing->turn);
        return PX_OK;
    case PX_FIELD_FILE:
        *(const char **)member = px_read_file_name(
            scene, &at, value, field->words != NULL ? field->words[0] : "a PNG file");
        return PX_OK;
    case PX_FIELD_KEYFRAMES:
        return px_read_keyframes(scene, &at, field, value, &thing->keyframe, &thing->keyframes);
    case PX_FIELD_TEMPERATURES:
        return px_read_temperatures(scene, &at, field, value, (const PxTemperatureKey **)member,
                                    (size_t *)((char *)r->def + field->beside));
    case PX_FIELD_LOOK:
        read_look(r, &at, value);
        return PX_OK;
    case PX_FIELD_FILL:
        if (json_is_object(value))
            read_vessel(r, &at, value);
        return PX_OK;
    default:
        return PX_OK;
    }
}

/* Checks start and end of things that act for a time. */
static void check_between(const Reading *r)
{
    const PxField *start = px_section_field(&r->kind->section, "start");
    const PxField *end = px_section_field(&r->kind->section, "end");
    if (start == NULL || end == NULL)
        return;
    double from = *(const double *)px_field_in(start, r->def);
    double to = *(const double *)px_field_in(end, r->def);
    PxPath at = px_path_key(r->path, "end");
    char first[32], last[32];
    if (!(to > from))
        px_complain(r->scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is %s s, wanted more than the start, %s s", px_number_text(to, last),
                    px_number_text(from, first));
}

static PxStatus read_thing(const Reading *r)
{
    const PxSection *section = &r->kind->section;
    static const char *const name[] = {"name", NULL};
    if (!px_read_object(r->scene, r->path, r->json, section->wanted))
        return PX_OK;
    bool good = px_read_section(r->scene, r->path, r->json, section, r->def,
                                r->kind->by_name ? NULL : name);
    const json_t *divider =
        section->divider != NULL ? json_object_get(r->json, section->divider) : NULL;
    bool divided = divider == NULL || json_is_boolean(divider);
    /* Shapes first, because a reference that fails invalidates them. */
    for (int pass = 0; pass < 2; ++pass)
        for (size_t k = 0; k < section->field_count; ++k) {
            const PxField *field = &section->fields[k];
            bool conditional = field->flags & (PX_FIELD_ONLY_IF | PX_FIELD_ONLY_NOT);
            if ((field->kind == PX_FIELD_SHAPE) == (pass == 0) && (divided || !conditional) &&
                px_field_applies(section, field, r->def))
                PX_TRY(read_special(r, field, json_object_get(r->json, field->key)));
        }
    check_between(r);
    if (r->kind->rules != NULL && divided)
        ask_rules(r, good);
    return PX_OK;
}

/* --- all of a kind --------------------------------------------------------------------- */

static void check_material_name(PxScene *scene, const PxPath *at, const PxKind *kind,
                                const char *name)
{
    if (name[0] == '\0' || strlen(name) > PX_SCENE_MOST_NAME || strchr(name, '.') != NULL ||
        !px_text_is_plain(name))
        px_complain(scene, PX_ERROR, at, PX_AT_KEY,
                    "is not a name for a %s: wanted 1 to %d bytes without a dot or control "
                    "characters",
                    kind->section.name, PX_SCENE_MOST_NAME);
}

/* The limit on keyframes applies to all things of a kind together. */
static void count_keyframes(const Reading *r, size_t *count)
{
    PxPath path = px_path_key(r->path, "keyframes");
    *count += px_scene_keyframes(r->thing->keyframe, r->thing->keyframes, NULL);
    if (*count <= MOST_KEYFRAMES)
        return;
    px_complain(r->scene, PX_ERROR, &path, PX_AT_VALUE,
                "turn too often: more than %d keyframes in all", MOST_KEYFRAMES);
    *count = 0;
}

static PxStatus next_thing(Reading *r, PxSceneList *list, const char *name, size_t *keyframes)
{
    size_t index = list->count++;
    r->thing = px_scene_thing(list, r->kind, index);
    *r->thing = (PxSceneThing){.refers = {SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    r->def = px_thing_def(r->thing);
    px_turn_section.defaults(&r->thing->turn);
    r->kind->section.defaults(r->def);
    if (name != NULL) {
        *(const char **)((char *)r->def + r->kind->name_offset) = name;
        check_material_name(r->scene, r->path, r->kind, name);
    } else {
        PX_TRY(read_name(r, index));
    }
    PX_TRY(read_thing(r));
    count_keyframes(r, keyframes);
    return PX_OK;
}

PxStatus px_read_things(PxScene *scene, const PxPath *root, const PxKind *kind)
{
    json_t *json = json_object_get(scene->root, kind->list);
    PxPath path = px_path_key(root, kind->list);
    PxSceneList *list = px_scene_list(scene, kind);
    char wanted[80];
    snprintf(wanted, sizeof wanted, "an object of %s by name", kind->list);
    if (json == NULL || (kind->by_name ? !px_read_object(scene, &path, json, wanted)
                                       : px_read_list(scene, &path, kind->most, json) == NULL))
        return PX_OK;
    size_t count = kind->by_name ? json_object_size(json) : json_array_size(json), keyframes = 0;
    if (count > kind->most) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "are %zu %s, at most %zu fit", count,
                    kind->list, kind->most);
        return PX_OK;
    }
    list->thing = px_arena_take(&scene->memory, count * px_thing_stride(kind));
    if (list->thing == NULL)
        return px_scene_no_room(kind->list, count);
    if (!kind->by_name) {
        for (size_t k = 0; k < count; ++k) {
            PxPath at = px_path_index(&path, k);
            Reading r = {
                .scene = scene, .kind = kind, .path = &at, .json = json_array_get(json, k)};
            PX_TRY(next_thing(&r, list, NULL, &keyframes));
        }
        return PX_OK;
    }
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        if (px_key_is_comment(name))
            continue;
        PxPath at = px_path_key(&path, name);
        Reading r = {.scene = scene, .kind = kind, .path = &at, .json = value};
        PX_TRY(next_thing(&r, list, name, &keyframes));
    }
    return PX_OK;
}

/* --- names --------------------------------------------------------------------------- */

typedef struct Named {
    const char *name;
    size_t kind, index;
} Named;

static int compare_names(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* Names must be unique across all lists, because the matter of an emitter is a body with the
 * emitter's name. Materials have a name space of their own. */
PxStatus px_check_names(PxScene *scene, const PxPath *root)
{
    size_t all = 0, count = 0;
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        all += px_kinds[k]->by_name ? 0 : scene->list[k].count;
    PxArenaMark mark = px_arena_mark(&scene->memory);
    Named *named = PX_ARENA_ARRAY(&scene->memory, Named, all);
    if (named == NULL)
        return px_scene_no_room("names", all);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        for (size_t i = 0; !px_kinds[k]->by_name && i < scene->list[k].count; ++i) {
            PxSceneThing *thing = px_scene_thing(&scene->list[k], px_kinds[k], i);
            named[count++] = (Named){px_kind_name(px_kinds[k], px_thing_def(thing)), k, i};
        }
    qsort(named, count, sizeof *named, compare_names);
    for (size_t k = 1; k < count; ++k) {
        if (strcmp(named[k].name, named[k - 1].name) != 0)
            continue;
        PxPath list = px_path_key(root, px_kinds[named[k].kind]->list);
        PxPath one = px_path_index(&list, named[k].index), name = px_path_key(&one, "name");
        px_complain(scene, PX_ERROR, &name, PX_AT_VALUE, "is '%s', as is that of %s[%zu]",
                    px_quote(named[k].name, (char[120]){0}, 120), px_kinds[named[k - 1].kind]->list,
                    named[k - 1].index);
    }
    px_arena_release(&scene->memory, mark);
    return PX_OK;
}
