#include "world/kinds/value_path.h"

#include "base/words.h"

#include <string.h>

enum { MOST_WORDS = 64 };

PxStatus px_steps_split(const char *path, PxSteps *out)
{
    out->count = 0;
    const char *at = path;
    while (*at != '\0') {
        bool index = *at == '[';
        at += index;
        size_t size = strcspn(at, index ? "]" : ".[");
        if (index && at[size] != ']')
            return px_fail(PX_ERR_ARGUMENT, "a '[' has no ']'");
        if (size == 0)
            return px_fail(PX_ERR_ARGUMENT, "a part of it is empty");
        if (size >= PX_STEP_SIZE || out->count == PX_STEPS_MOST)
            return px_fail(PX_ERR_ARGUMENT, "it is too long");
        memcpy(out->word[out->count], at, size);
        out->word[out->count++][size] = '\0';
        at += size + index;
        if (*at == '.' && at[1] == '\0')
            return px_fail(PX_ERR_ARGUMENT, "a part of it is empty");
        at += *at == '.';
    }
    return out->count > 0 ? PX_OK : px_fail(PX_ERR_ARGUMENT, "it is empty");
}

PxStatus px_fail_unknown(const char *what, const char *word, const char *const *words, size_t count)
{
    char part[80], near[120], list[400];
    return px_fail(PX_ERR_ARGUMENT, "there is no %s%s'%s'%s; there %s %s%s",
                   what != NULL ? what : "", what != NULL ? " " : "",
                   px_quote(word, part, sizeof part), what != NULL ? "" : " to set",
                   count == 1 ? "is" : "are",
                   count > 0 ? px_list_text(words, count, list, sizeof list) : "none",
                   px_suggestion_text(word, words, count, near, sizeof near));
}

/* The next step of the path; NULL at its end. */
static const char *next_step(const PxSteps *steps, size_t *taken)
{
    return *taken < steps->count ? steps->word[(*taken)++] : NULL;
}

/* Resolves the last steps, inside a field: a component of a vector or a parameter of a model. */
static PxStatus find_rest(PxLive *out, const void *object, size_t taken)
{
    const PxField *field = out->field;
    char list[400];
    out->rest = next_step(&out->steps, &taken);
    if (taken < out->steps.count)
        return px_fail(PX_ERR_ARGUMENT, "'%s' is no longer than that", field->key);
    if (field->kind == PX_FIELD_MODEL) {
        const PxModelChoice *choice = px_field_in(field, object);
        const PxModelInfo *model = px_family_find(field->family, choice->model);
        const char *words[PX_MODEL_PARAMS];
        size_t count = 0;
        for (size_t k = 0; model != NULL && k < model->field_count; ++k) {
            if (!(model->fields[k].flags & PX_FIELD_LIVE))
                continue;
            if (out->rest != NULL && strcmp(model->fields[k].key, out->rest) == 0)
                return PX_OK;
            words[count++] = model->fields[k].key;
        }
        if (out->rest != NULL)
            return px_fail_unknown(NULL, out->rest, words, count);
        return px_fail(PX_ERR_ARGUMENT, "it is a whole model; what can be set are its numbers: %s",
                       px_list_text(words, count, list, sizeof list));
    }
    if (out->rest == NULL ||
        (field->kind == PX_FIELD_VECTOR && px_vector_component(out->rest) >= 0))
        return PX_OK;
    return px_fail(PX_ERR_ARGUMENT, "'%s' is %s", field->key,
                   field->kind == PX_FIELD_VECTOR ? "a vector, with the parts x, y and z"
                                                  : "one number without parts");
}

/* Can the field, or a number in it, be set while the world runs? */
static bool is_live(const PxSection *section, const PxField *field, const void *object)
{
    if (!px_field_applies(section, field, object))
        return false;
    if (field->kind == PX_FIELD_PART)
        return field->beside == 0 || *((const bool *)object + field->beside);
    return (field->flags & PX_FIELD_LIVE) && field->kind != PX_FIELD_FLAG &&
           field->kind != PX_FIELD_WORD && field->kind != PX_FIELD_FILL;
}

/* Finds the field of a section that the next steps name, descending into sub-sections. */
static PxStatus find_field(const PxSection *section, const char *name, PxLive *out, size_t taken)
{
    const char *words[MOST_WORDS] = {0}, *word = next_step(&out->steps, &taken);
    size_t live = 0;
    char list[400], part[100];
    for (size_t k = 0; k < section->field_count && live < MOST_WORDS; ++k)
        if (is_live(section, &section->fields[k], out->object))
            words[live++] = section->fields[k].key;
    px_list_text(words, live, list, sizeof list);
    if (word == NULL)
        return px_fail(PX_ERR_ARGUMENT, "wanted one more step behind it: %s", list);
    out->field = px_section_field(section, word);
    if (out->field == NULL)
        return px_fail_unknown(NULL, word, words, live);
    if (out->field->kind == PX_FIELD_PART && !is_live(section, out->field, out->object))
        return px_fail(PX_ERR_ARGUMENT, "'%s' does not state \"%s\"",
                       px_quote(name, part, sizeof part), word);
    if (!is_live(section, out->field, out->object))
        return px_fail(PX_ERR_ARGUMENT, "'%s' cannot change while the world runs; what can: %s",
                       word, list);
    return out->field->kind == PX_FIELD_PART ? find_field(out->field->part, name, out, taken)
                                             : find_rest(out, out->object, taken);
}

/* Finds a number of the world itself. */
static PxStatus find_world(const PxThingSource *things, PxLive *out)
{
    const char *words[MOST_WORDS];
    size_t count = 0;
    out->object = things->world;
    out->key = out->steps.word[0];
    if (px_section_field(&px_world_section, out->key) != NULL)
        return find_field(&px_world_section, "", out, 0);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        if (px_kinds[k]->slot_def != 0)
            words[count++] = px_kinds[k]->list;
    for (size_t k = 0; k < px_world_section.field_count && count < MOST_WORDS; ++k)
        if (px_world_section.fields[k].flags & PX_FIELD_LIVE)
            words[count++] = px_world_section.fields[k].key;
    return px_fail_unknown(NULL, out->key, words, count);
}

PxStatus px_live_find(const PxThingSource *things, const char *path, PxLive *out)
{
    out->kind = NULL;
    out->index = 0;
    out->rest = NULL;
    PX_TRY(px_steps_split(path, &out->steps));
    size_t taken = 0;
    const char *first = next_step(&out->steps, &taken), *name = next_step(&out->steps, &taken);
    const PxKind *kind = out->kind = px_kind_of_list(first);
    if (kind == NULL)
        return find_world(things, out);
    const char *one = kind->section.name;
    if (kind->slot_def == 0)
        return px_fail(PX_ERR_ARGUMENT, "%s cannot change while the world runs", first);
    if (name == NULL)
        return px_fail(PX_ERR_ARGUMENT, "wanted the name of a%s %s behind it",
                       strchr("aeiou", one[0]) != NULL ? "n" : "", one);
    const char *words[MOST_WORDS];
    size_t shown = 0, count = things->count(things->user, kind);
    for (size_t k = 0; k < count; ++k) {
        const char *word = NULL;
        void *object = things->at(things->user, kind, k, &word);
        if (object == NULL)
            continue;
        if (strcmp(word, name) == 0) {
            out->index = k;
            out->object = object;
            out->key = taken < out->steps.count ? out->steps.word[taken] : "";
            return find_field(&kind->section, name, out, taken);
        }
        if (shown < MOST_WORDS)
            words[shown++] = word;
    }
    return px_fail_unknown(one, name, words, shown);
}
