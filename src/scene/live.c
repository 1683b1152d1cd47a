/// What may change while the world runs: the paths of events.
#include "scene/content.h"

#include "base/vec.h"
#include "scene/writer.h"
#include "world/fields.h"

#include <string.h>

enum { MOST_WORDS = 64 };

/* One step of a path: up to the next dot. */
typedef struct Step {
    char word[PX_SCENE_MOST_NAME + 1];
    const char *rest; /* behind the dot; NULL when this was the last */
} Step;

/* False when the step is longer than any name. */
static bool take_step(const char *path, Step *out)
{
    const char *dot = strchr(path, '.');
    size_t size = dot != NULL ? (size_t)(dot - path) : strlen(path);
    if (size >= sizeof out->word)
        return false;
    memcpy(out->word, path, size);
    out->word[size] = '\0';
    out->rest = dot != NULL ? dot + 1 : NULL;
    return true;
}

static PxStatus fail_too_long(const char *path)
{
    char shown[160];
    return px_fail(PX_ERR_ARGUMENT, "is '%s', whose parts are too long to be names",
                   px_quote(path, shown, sizeof shown));
}

static PxStatus fail_unknown(const char *path, const char *word, const char *const *words,
                             size_t count)
{
    char shown[160], part[80], near[120], list[400];
    return px_fail(PX_ERR_ARGUMENT, "is '%s', but there is no '%s' to set; there %s %s%s",
                   px_quote(path, shown, sizeof shown), px_quote(word, part, sizeof part),
                   count == 1 ? "is" : "are",
                   count > 0 ? px_list_text(words, count, list, sizeof list) : "none",
                   px_suggestion_text(word, words, count, near, sizeof near));
}

/* Is `rest` a way into a vector? */
static bool is_component(const char *rest)
{
    return strlen(rest) == 1 && strchr("012xyz", rest[0]) != NULL;
}

static PxStatus check_rest(const char *path, const PxField *field, const char *rest,
                           const PxModelChoice *choice)
{
    char shown[160], list[400];
    px_quote(path, shown, sizeof shown);
    if (field->kind == PX_FIELD_MODEL) {
        const PxModelInfo *model = px_family_find(field->family, choice->model);
        const char *words[PX_MODEL_PARAMS];
        size_t count = 0;
        for (size_t k = 0; model != NULL && k < model->field_count; ++k) {
            if (!(model->fields[k].flags & PX_FIELD_LIVE))
                continue;
            if (rest != NULL && strcmp(model->fields[k].key, rest) == 0)
                return PX_OK;
            words[count++] = model->fields[k].key;
        }
        if (rest != NULL)
            return fail_unknown(path, rest, words, count);
        return px_fail(PX_ERR_ARGUMENT,
                       "is '%s', a whole model; what can be set of it are its numbers: %s", shown,
                       px_list_text(words, count, list, sizeof list));
    }
    if (rest == NULL || (field->kind == PX_FIELD_VECTOR && is_component(rest)))
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "is '%s', but '%s' is %s", shown, field->key,
                   field->kind == PX_FIELD_VECTOR ? "a vector, with the parts x, y and z"
                                                  : "one number without parts");
}

/* The field of that key among those that may change. `wall` matters to bodies. */
static PxStatus find_field(const char *path, const char *at, const PxField *fields, size_t count,
                           const void *object, const bool *wall, PxLive *out)
{
    const char *words[MOST_WORDS];
    size_t live = 0;
    Step step;
    char shown[160], list[400];
    px_quote(path, shown, sizeof shown);
    if (!take_step(at != NULL ? at : "", &step))
        return fail_too_long(path);
    for (size_t k = 0; k < count && live < MOST_WORDS; ++k) {
        PxBodySort sort = wall != NULL ? px_body_key_sort(fields[k].key) : PX_FOR_ALL;
        bool fits = sort == PX_FOR_ALL || (sort == PX_FOR_WALLS) == *wall;
        if (fits && (fields[k].flags & PX_FIELD_LIVE) && fields[k].kind != PX_FIELD_FLAG &&
            fields[k].kind != PX_FIELD_WORD)
            words[live++] = fields[k].key;
    }
    out->field = px_field_find(fields, count, step.word);
    if (step.word[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "is '%s', wanted one thing more behind it: %s", shown,
                       px_list_text(words, live, list, sizeof list));
    for (size_t k = 0; out->field != NULL && k < live; ++k) {
        if (words[k] != out->field->key)
            continue;
        out->rest = step.rest;
        return check_rest(path, out->field, step.rest,
                          (const PxModelChoice *)((const char *)object + out->field->offset));
    }
    if (out->field != NULL)
        return px_fail(PX_ERR_ARGUMENT,
                       "is '%s', which cannot change while the world runs; what can: %s", shown,
                       px_list_text(words, live, list, sizeof list));
    return fail_unknown(path, step.word, words, live);
}

static PxStatus find_world(const PxScene *scene, const char *path, const Step *first, PxLive *out)
{
    out->scope = PX_LIVE_WORLD;
    if (px_field_find(px_world_fields, px_world_field_count, first->word) != NULL)
        return find_field(path, path, px_world_fields, px_world_field_count, &scene->world, NULL,
                          out);
    const char *words[MOST_WORDS] = {"materials", "bodies", "emitters", "forces", "heaters"};
    size_t count = 5;
    for (size_t k = 0; k < px_world_field_count && count < MOST_WORDS; ++k)
        if (px_world_fields[k].flags & PX_FIELD_LIVE)
            words[count++] = px_world_fields[k].key;
    return fail_unknown(path, first->word, words, count);
}

/* "viscosity", "melts.from", "melts.into.viscosity", ... */
static PxStatus find_material_field(const char *path, const char *at, const PxMaterialDef *material,
                                    PxLive *out)
{
    Step step, next;
    char shown[160];
    if (at == NULL || !take_step(at, &step) || strcmp(step.word, "melts") != 0)
        return find_field(path, at, px_material_fields, px_material_field_count, material, NULL,
                          out);
    if (!material->melts.melts)
        return px_fail(PX_ERR_ARGUMENT, "is '%s', but '%s' does not melt: it has no \"melts\"",
                       px_quote(path, shown, sizeof shown), material->name);
    if (step.rest != NULL && take_step(step.rest, &next) && strcmp(next.word, "into") == 0)
        return find_field(path, next.rest, px_melt_into_fields, px_melt_into_field_count, material,
                          NULL, out);
    return find_field(path, step.rest, px_melt_fields, px_melt_field_count, material, NULL, out);
}

PxStatus px_scene_live(const PxScene *scene, const char *path, PxLive *out)
{
    *out = (PxLive){0};
    Step first, name;
    char shown[160];
    px_quote(path, shown, sizeof shown);
    if (!take_step(path, &first))
        return fail_too_long(path);
    static const struct {
        const char *key, *one;
        PxLiveScope scope;
    } lists[] = {{"materials", "material", PX_LIVE_MATERIAL},
                 {"bodies", "body", PX_LIVE_BODY},
                 {"emitters", "emitter", PX_LIVE_EMITTER},
                 {"forces", "force", PX_LIVE_FORCE},
                 {"heaters", "heater", PX_LIVE_HEATER}};
    size_t list = 0;
    while (list < PX_COUNT(lists) && strcmp(first.word, lists[list].key) != 0)
        ++list;
    if (list == PX_COUNT(lists))
        return find_world(scene, path, &first, out);
    if (!take_step(first.rest != NULL ? first.rest : "", &name))
        return fail_too_long(path);
    if (name.word[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "is '%s', wanted the name of a%s %s behind '%s.'", shown,
                       lists[list].scope == PX_LIVE_EMITTER ? "n" : "", lists[list].one,
                       first.word);
    out->scope = lists[list].scope;
    const char *words[MOST_WORDS];
    size_t count = out->scope == PX_LIVE_MATERIAL ? scene->materials
                   : out->scope == PX_LIVE_BODY   ? scene->bodies
                   : out->scope == PX_LIVE_FORCE  ? scene->forces
                   : out->scope == PX_LIVE_HEATER ? scene->heaters
                                                  : scene->emitters;
    size_t shown_count = 0;
    for (size_t k = 0; k < count; ++k) {
        const char *word = out->scope == PX_LIVE_MATERIAL ? scene->material[k].name
                           : out->scope == PX_LIVE_BODY   ? scene->body[k].def.name
                           : out->scope == PX_LIVE_FORCE  ? scene->force[k].def.name
                           : out->scope == PX_LIVE_HEATER ? scene->heater[k].def.name
                                                          : scene->emitter[k].def.name;
        if (strcmp(word, name.word) == 0) {
            out->index = k;
            if (out->scope == PX_LIVE_MATERIAL)
                return find_material_field(path, name.rest, &scene->material[k], out);
            if (out->scope == PX_LIVE_HEATER)
                return find_field(path, name.rest, px_heater_fields, px_heater_field_count,
                                  &scene->heater[k].def, NULL, out);
            if (out->scope == PX_LIVE_EMITTER)
                return find_field(path, name.rest, px_emitter_fields, px_emitter_field_count,
                                  &scene->emitter[k].def, NULL, out);
            if (out->scope == PX_LIVE_FORCE)
                return find_field(path, name.rest, px_force_fields, px_force_field_count,
                                  &scene->force[k].def, NULL, out);
            return find_field(path, name.rest, px_body_fields, px_body_field_count,
                              &scene->body[k].def, &scene->body[k].def.wall, out);
        }
        if (shown_count < MOST_WORDS)
            words[shown_count++] = word;
    }
    static const bool wall = false;
    static const PxBodyDef nothing; /* no model is among the numbers of a body */
    for (size_t k = 0; out->scope == PX_LIVE_BODY && k < scene->emitters; ++k) {
        if (strcmp(scene->emitter[k].def.name, name.word) == 0) {
            out->scope = PX_LIVE_GIVEN;
            out->index = k;
            return find_field(path, name.rest, px_body_fields, px_body_field_count, &nothing, &wall,
                              out);
        }
        if (shown_count < MOST_WORDS)
            words[shown_count++] = scene->emitter[k].def.name;
    }
    return fail_unknown(path, name.word, words, shown_count);
}
