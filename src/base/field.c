#include "base/field.h"

#include "phyxel/model.h"
#include "phyxel/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const PxField *px_field_find(const PxField *fields, size_t count, const char *key)
{
    for (size_t k = 0; k < count; ++k)
        if (strcmp(fields[k].key, key) == 0)
            return &fields[k];
    return NULL;
}

const PxModelInfo *px_family_find(const PxFamily *family, const char *name)
{
    for (size_t k = 0; k < family->count; ++k)
        if (strcmp(family->models[k]->name, name) == 0)
            return family->models[k];
    return NULL;
}

bool px_field_allows(const PxField *field, double value)
{
    if (!(value >= field->least && value <= field->most)) /* false for NaN too */
        return false;
    if ((field->flags & PX_FIELD_ABOVE) && value == field->least)
        return false;
    bool whole = field->kind == PX_FIELD_COUNT || field->kind == PX_FIELD_CHOICE;
    return !whole || value == floor(value);
}

const char *px_field_range_text(const PxField *field, char *buffer, size_t size)
{
    const char *what = field->kind == PX_FIELD_COUNT ? "a whole number" : "a number";
    const char *space = field->unit[0] != '\0' ? " " : "";
    bool above = (field->flags & PX_FIELD_ABOVE) != 0;
    if (field->least == -INFINITY && field->most == INFINITY)
        snprintf(buffer, size, "%s%s%s", what, field->unit[0] != '\0' ? " in " : "", field->unit);
    else if (field->most == INFINITY)
        snprintf(buffer, size, "%s %s %g%s%s", what, above ? "above" : "of at least", field->least,
                 space, field->unit);
    else
        snprintf(buffer, size, "%s %s %g %s %g%s%s", what, above ? "above" : "from", field->least,
                 above ? "and up to" : "to", field->most, space, field->unit);
    return buffer;
}

static PxStatus range_failure(const PxField *field, double value, const char *where)
{
    char range[128];
    return px_fail(PX_ERR_ARGUMENT, "%s is %g, wanted %s", where, value,
                   px_field_range_text(field, range, sizeof range));
}

bool px_field_applies(const PxSection *section, const PxField *field, const void *object)
{
    if (section->divider == NULL || !(field->flags & (PX_FIELD_ONLY_IF | PX_FIELD_ONLY_NOT)))
        return true;
    if (section->also != NULL && field->flags & PX_FIELD_ALSO) {
        const PxField *also = px_field_find(section->fields, section->field_count, section->also);
        if (*(const bool *)px_field_in(also, object))
            return true;
    }
    const PxField *divider = px_field_find(section->fields, section->field_count, section->divider);
    return *(const bool *)px_field_in(divider, object) == !!(field->flags & PX_FIELD_ONLY_IF);
}

int px_vector_component(const char *rest)
{
    static const char *const names[] = {"0", "1", "2", "x", "y", "z"};
    for (int k = 0; k < 6; ++k)
        if (strcmp(rest, names[k]) == 0)
            return k % 3;
    return -1;
}

PxStatus px_field_set(const PxField *field, void *object, const char *rest, const double *value,
                      int values, const char *where)
{
    char *member = (char *)object + field->offset;
    double *target = NULL;
    int wanted = 1;
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_COUNT:
    case PX_FIELD_STRENGTH:
        if (rest != NULL)
            return px_fail(PX_ERR_ARGUMENT, "%s: '%s' is one number and has no part '%s'", where,
                           field->key, rest);
        target = (double *)member;
        break;
    case PX_FIELD_VECTOR: {
        int component = rest != NULL ? px_vector_component(rest) : 0;
        if (component < 0)
            return px_fail(PX_ERR_ARGUMENT, "%s: '%s' is a vector, wanted 0, 1, 2 or x, y, z",
                           where, rest);
        wanted = rest != NULL ? 1 : 3;
        target = (double *)member + component;
        break;
    }
    case PX_FIELD_MODEL: {
        PxModelChoice *choice = (PxModelChoice *)member;
        const PxModelInfo *model = px_family_find(field->family, choice->model);
        const PxField *parameter = model != NULL && rest != NULL
                                       ? px_field_find(model->fields, model->field_count, rest)
                                       : NULL;
        if (parameter == NULL)
            return px_fail(PX_ERR_ARGUMENT, "%s: the %s model '%s' has no number of that name",
                           where, field->family->name, choice->model);
        return px_field_set(parameter, choice->param, NULL, value, values, where);
    }
    default:
        return px_fail(PX_ERR_ARGUMENT, "%s is not a number and cannot be set to one", where);
    }
    if (values != wanted)
        return px_fail(PX_ERR_ARGUMENT, "%s takes %d number%s, got %d", where, wanted,
                       wanted == 1 ? "" : "s", values);
    for (int k = 0; k < wanted; ++k)
        if (!px_field_allows(field, value[k]))
            return range_failure(field, value[k], where);
    for (int k = 0; k < wanted; ++k)
        target[k] = value[k];
    return PX_OK;
}

PxStatus px_fields_check(const PxField *fields, size_t count, const void *object, const char *what)
{
    for (size_t k = 0; k < count; ++k) {
        const PxField *field = &fields[k];
        const char *member = (const char *)object + field->offset;
        char where[160];
        snprintf(where, sizeof where, "%s: %s", what, field->key);
        if (field->kind == PX_FIELD_NUMBER || field->kind == PX_FIELD_COUNT ||
            field->kind == PX_FIELD_STRENGTH || field->kind == PX_FIELD_CHOICE) {
            double value = *(const double *)member;
            if (!px_field_allows(field, value))
                return range_failure(field, value, where);
        } else if (field->kind == PX_FIELD_VECTOR) {
            for (int c = 0; c < 3; ++c)
                if (!px_field_allows(field, ((const double *)member)[c]))
                    return range_failure(field, ((const double *)member)[c], where);
        } else if (field->kind == PX_FIELD_WORD) {
            int word = *(const int *)(const void *)member, words = 0;
            while (field->words[words] != NULL)
                ++words;
            if (word < 0 || word >= words)
                return px_fail(PX_ERR_ARGUMENT, "%s is %d, wanted 0 to %d", where, word, words - 1);
        } else if (field->kind == PX_FIELD_MODEL) {
            const PxModelChoice *choice = (const PxModelChoice *)member;
            const PxModelInfo *model = px_family_find(field->family, choice->model);
            if (model == NULL)
                return px_fail(PX_ERR_ARGUMENT, "%s: there is no %s model '%.24s'", what,
                               field->family->name, choice->model);
            double param[PX_MODEL_PARAMS];
            memcpy(param, choice->param, sizeof param);
            for (size_t n = 0; n < model->field_count; ++n)
                if (isnan(param[n]) && isnan(model->defaults[n]))
                    param[n] = model->fields[n].most; /* not stated */
            PX_TRY(px_fields_check(model->fields, model->field_count, param, where));
        }
    }
    return PX_OK;
}
