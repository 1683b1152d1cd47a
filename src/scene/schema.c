/// The JSON schema (draft 7) of scene files, made from the same tables that the
/// reader follows.
#include "scene/content.h"

#include "scene/writer.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static void write_pair(PxWriter *w, const char *key, const char *text)
{
    px_write_key(w, key);
    px_write_text(w, text);
}

static void write_reference(PxWriter *w, const char *section)
{
    char name[64];
    snprintf(name, sizeof name, "#/definitions/%s", section);
    write_pair(w, "$ref", name);
}

static void write_description(PxWriter *w, const PxField *field)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s%s%s", field->help, field->unit[0] != '\0' ? " [" : "",
             field->unit, field->unit[0] != '\0' ? "]" : "");
    write_pair(w, "description", text);
}

static void write_range(PxWriter *w, const PxField *field)
{
    write_pair(w, "type", field->kind == PX_FIELD_COUNT ? "integer" : "number");
    if (field->least > -INFINITY) {
        px_write_key(w, field->flags & PX_FIELD_ABOVE ? "exclusiveMinimum" : "minimum");
        px_write_number(w, field->least);
    }
    if (field->most < INFINITY) {
        px_write_key(w, "maximum");
        px_write_number(w, field->most);
    }
}

static void begin_properties(PxWriter *w)
{
    write_pair(w, "type", "object");
    px_write_key(w, "additionalProperties");
    px_write_flag(w, false);
    px_write_key(w, "patternProperties");
    px_write_open_flat(w, '{');
    px_write_key(w, "^//");
    px_write_open_flat(w, '{');
    write_pair(w, "description", "A comment.");
    px_write_close_flat(w, '}');
    px_write_close_flat(w, '}');
    px_write_key(w, "properties");
    px_write_open(w, '{');
}

static void write_property(PxWriter *w, const PxField *field, const void *defaults);

static void write_model(PxWriter *w, const PxField *field)
{
    const PxFamily *family = field->family;
    px_write_key(w, "oneOf");
    px_write_open(w, '[');
    px_write_open_flat(w, '{');
    px_write_key(w, "enum");
    px_write_open_flat(w, '[');
    for (size_t k = 0; k < family->count; ++k)
        px_write_text(w, family->models[k]->name);
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
    for (size_t k = 0; k < family->count; ++k) {
        const PxModelInfo *model = family->models[k];
        px_write_open(w, '{');
        write_pair(w, "description", model->summary);
        begin_properties(w);
        px_write_key(w, "model");
        px_write_open_flat(w, '{');
        write_pair(w, "const", model->name);
        px_write_close_flat(w, '}');
        for (size_t f = 0; f < model->field_count; ++f)
            write_property(w, &model->fields[f], model->defaults);
        px_write_close(w, '}');
        px_write_close(w, '}');
    }
    px_write_close(w, ']');
}

/* What a value of that field may be; an object is open already. */
static void write_field(PxWriter *w, const PxField *field, const void *defaults)
{
    const char *member = defaults != NULL ? (const char *)defaults + field->offset : NULL;
    if (field->flags & PX_FIELD_REQUIRED)
        member = NULL;
    write_description(w, field);
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_COUNT:
        write_range(w, field);
        if (member != NULL && !isnan(*(const double *)member)) {
            px_write_key(w, "default");
            px_write_number(w, *(const double *)member);
        }
        break;
    case PX_FIELD_VECTOR:
        write_pair(w, "type", "array");
        px_write_key(w, "items");
        px_write_open_flat(w, '{');
        write_range(w, field);
        px_write_close_flat(w, '}');
        px_write_key(w, "minItems");
        px_write_number(w, 3);
        px_write_key(w, "maxItems");
        px_write_number(w, 3);
        if (member != NULL) {
            px_write_key(w, "default");
            px_write_vector(w, *(const PxVec3 *)member);
        }
        break;
    case PX_FIELD_FLAG:
        write_pair(w, "type", "boolean");
        if (member != NULL) {
            px_write_key(w, "default");
            px_write_flag(w, *(const bool *)member);
        }
        break;
    case PX_FIELD_WORD:
        px_write_key(w, "enum");
        px_write_open_flat(w, '[');
        for (size_t k = 0; field->words[k] != NULL; ++k)
            px_write_text(w, field->words[k]);
        px_write_close_flat(w, ']');
        if (member != NULL)
            write_pair(w, "default", field->words[*(const int *)member]);
        break;
    case PX_FIELD_MODEL:
        write_model(w, field);
        if (member != NULL)
            write_pair(w, "default", ((const PxModelChoice *)member)->model);
        break;
    }
}

static void write_property(PxWriter *w, const PxField *field, const void *defaults)
{
    px_write_key(w, field->key);
    px_write_open(w, '{');
    write_field(w, field, defaults);
    px_write_close(w, '}');
}

static void write_required(PxWriter *w, const PxField *fields, size_t count, const PxEntry *entries,
                           size_t entry_count)
{
    bool any = false;
    for (size_t k = 0; k < count + entry_count; ++k) {
        bool field = k < count;
        if (!((field ? fields[k].flags : entries[k - count].flags) & PX_FIELD_REQUIRED))
            continue;
        if (!any) {
            px_write_key(w, "required");
            px_write_open_flat(w, '[');
            any = true;
        }
        px_write_text(w, field ? fields[k].key : entries[k - count].key);
    }
    if (any)
        px_write_close_flat(w, ']');
}

static void write_entry(PxWriter *w, const PxEntry *entry)
{
    px_write_key(w, entry->key);
    px_write_open(w, '{');
    if (entry->kind != PX_ENTRY_SECTION) /* beside $ref, draft 7 ignores everything */
        write_pair(w, "description", entry->help);
    switch (entry->kind) {
    case PX_ENTRY_VERSION:
        px_write_key(w, "const");
        px_write_number(w, PX_SCENE_VERSION);
        break;
    case PX_ENTRY_TEXT:
        write_pair(w, "type", "string");
        px_write_key(w, "minLength");
        px_write_number(w, 1);
        px_write_key(w, "maxLength");
        px_write_number(w, (double)entry->most);
        break;
    case PX_ENTRY_WORD:
        px_write_key(w, "enum");
        px_write_open_flat(w, '[');
        for (size_t k = 0; entry->field->words[k] != NULL; ++k)
            px_write_text(w, entry->field->words[k]);
        px_write_close_flat(w, ']');
        write_pair(w, "default", entry->field->words[0]);
        break;
    case PX_ENTRY_SECTION:
        write_reference(w, entry->section->name);
        break;
    case PX_ENTRY_LIST:
        write_pair(w, "type", "array");
        px_write_key(w, "maxItems");
        px_write_number(w, (double)entry->most);
        if (entry->section != NULL) {
            px_write_key(w, "items");
            px_write_open_flat(w, '{');
            write_reference(w, entry->section->name);
            px_write_close_flat(w, '}');
        }
        break;
    case PX_ENTRY_MAP:
        write_pair(w, "type", "object");
        px_write_key(w, "patternProperties");
        px_write_open_flat(w, '{');
        px_write_key(w, "^(?!//)[^.]+$");
        px_write_open_flat(w, '{');
        write_reference(w, entry->section->name);
        px_write_close_flat(w, '}');
        px_write_key(w, "^//");
        px_write_open_flat(w, '{');
        px_write_close_flat(w, '}');
        px_write_close_flat(w, '}');
        px_write_key(w, "additionalProperties");
        px_write_flag(w, false);
        break;
    case PX_ENTRY_STRENGTH:
        px_write_key(w, "oneOf");
        px_write_open_flat(w, '[');
        px_write_open_flat(w, '{');
        write_range(w, entry->field);
        px_write_close_flat(w, '}');
        px_write_open_flat(w, '{');
        write_pair(w, "type", "string");
        px_write_close_flat(w, '}');
        px_write_open_flat(w, '{');
        write_pair(w, "type", "object");
        px_write_close_flat(w, '}');
        px_write_close_flat(w, ']');
        break;
    case PX_ENTRY_NUMBERS:
        px_write_key(w, "oneOf");
        px_write_open_flat(w, '[');
        px_write_open_flat(w, '{');
        write_pair(w, "type", "number");
        px_write_close_flat(w, '}');
        px_write_open_flat(w, '{');
        write_pair(w, "type", "array");
        px_write_key(w, "items");
        px_write_open_flat(w, '{');
        write_pair(w, "type", "number");
        px_write_close_flat(w, '}');
        px_write_key(w, "minItems");
        px_write_number(w, 3);
        px_write_key(w, "maxItems");
        px_write_number(w, 3);
        px_write_close_flat(w, '}');
        px_write_close_flat(w, ']');
        break;
    }
    px_write_close(w, '}');
}

static void write_form(PxWriter *w, const PxShapeForm *form)
{
    PxShapeDef defaults = px_shape_def_default(form->kind);
    bool either = form->plain != NULL && form->fields != NULL;
    px_write_key(w, form->key);
    px_write_open(w, '{');
    if (either) {
        write_pair(w, "description", form->help);
        px_write_key(w, "oneOf");
        px_write_open(w, '[');
        px_write_open(w, '{');
    }
    if (form->plain != NULL)
        write_field(w, form->plain, NULL);
    if (either) {
        px_write_close(w, '}');
        px_write_open(w, '{');
    }
    if (form->fields != NULL) {
        if (!either)
            write_pair(w, "description", form->help);
        begin_properties(w);
        for (size_t k = 0; k < form->field_count; ++k)
            write_property(w, &form->fields[k], &defaults);
        px_write_close(w, '}');
        write_required(w, form->fields, form->field_count, NULL, 0);
    }
    if (either) {
        px_write_close(w, '}');
        px_write_close(w, ']');
    }
    if (form->file) {
        write_pair(w, "description", form->help);
        write_pair(w, "type", "string");
    }
    px_write_close(w, '}');
}

/* {"required": ["a"]} */
static void write_has(PxWriter *w, const char *key)
{
    px_write_open_flat(w, '{');
    px_write_key(w, "required");
    px_write_open_flat(w, '[');
    px_write_text(w, key);
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
}

static void write_has_none_of(PxWriter *w, PxBodySort sort)
{
    px_write_key(w, "not");
    px_write_open_flat(w, '{');
    px_write_key(w, "anyOf");
    px_write_open_flat(w, '[');
    for (size_t k = 0; k < *px_body_section.field_count; ++k)
        if (px_body_key_sort(px_body_section.fields[k].key) == sort)
            write_has(w, px_body_section.fields[k].key);
    for (size_t k = 0; k < px_body_section.entry_count; ++k)
        if (px_body_key_sort(px_body_section.entries[k].key) == sort)
            write_has(w, px_body_section.entries[k].key);
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
}

/* What is only for walls, and what is only for what is not one. */
static void write_body_rules(PxWriter *w)
{
    px_write_key(w, "if");
    px_write_open_flat(w, '{');
    px_write_key(w, "properties");
    px_write_open_flat(w, '{');
    px_write_key(w, "wall");
    px_write_open_flat(w, '{');
    px_write_key(w, "const");
    px_write_flag(w, true);
    px_write_close_flat(w, '}');
    px_write_close_flat(w, '}');
    px_write_key(w, "required");
    px_write_open_flat(w, '[');
    px_write_text(w, "wall");
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
    px_write_key(w, "then");
    px_write_open_flat(w, '{');
    write_has_none_of(w, PX_FOR_MATTER);
    px_write_close_flat(w, '}');
    px_write_key(w, "else");
    px_write_open_flat(w, '{');
    px_write_key(w, "required");
    px_write_open_flat(w, '[');
    px_write_text(w, "material");
    px_write_close_flat(w, ']');
    write_has_none_of(w, PX_FOR_WALLS);
    px_write_close_flat(w, '}');
}

/* What an object of that section may be; it is open already. */
static void write_section(PxWriter *w, const PxSection *section)
{
    PxSectionObject defaults;
    section->defaults(&defaults);
    write_pair(w, "description", section->help);
    begin_properties(w);
    for (size_t k = 0; k < section->form_count; ++k)
        write_form(w, &section->forms[k]);
    for (size_t k = 0; k < section->entry_count; ++k)
        write_entry(w, &section->entries[k]);
    for (size_t k = 0; k < *section->field_count; ++k)
        write_property(w, &section->fields[k], &defaults);
    px_write_close(w, '}');
    write_required(w, section->fields, *section->field_count, section->entries,
                   section->entry_count);
    if (section->form_count > 0) {
        px_write_key(w, "oneOf");
        px_write_open_flat(w, '[');
        for (size_t k = 0; k < section->form_count; ++k)
            write_has(w, section->forms[k].key);
        px_write_close_flat(w, ']');
    }
    if (section == &px_body_section)
        write_body_rules(w);
    if (section == &px_emitter_section) {
        px_write_key(w, "anyOf");
        px_write_open_flat(w, '[');
        write_has(w, "speed");
        write_has(w, "rate");
        px_write_close_flat(w, ']');
    }
}

static char *make_schema(void)
{
    static const PxSection *const sections[] = {
        &px_time_section,        &px_material_section, &px_body_section,  &px_emitter_section,
        &px_sink_section,        &px_handle_section,   &px_force_section, &px_shape_section,
        &px_turn_section,        &px_keyframe_section, &px_event_section, &px_camera_section,
        &px_look_section,        &px_heater_section,   &px_melt_section,  &px_melt_into_section,
        &px_temperature_section, &px_output_section};
    PxWriter writer = {0}, *w = &writer;
    px_write_open(w, '{');
    write_pair(w, "$schema", "http://json-schema.org/draft-07/schema#");
    write_pair(w, "title", "phyxel scene");
    write_section(w, &px_scene_section);
    px_write_key(w, "definitions");
    px_write_open(w, '{');
    for (size_t k = 0; k < PX_COUNT(sections); ++k) {
        px_write_key(w, sections[k]->name);
        px_write_open(w, '{');
        write_section(w, sections[k]);
        px_write_close(w, '}');
    }
    px_write_close(w, '}');
    px_write_close(w, '}');
    return px_writer_finish(w);
}

/* Made once and kept until the program ends: the text is the same for everybody,
 * and who asked for it first does not matter. */
static const char *schema;
static pthread_once_t schema_once = PTHREAD_ONCE_INIT;

static void make_schema_once(void)
{
    const char *text = make_schema();
    schema = text != NULL ? text : "{}\n";
}

const char *px_scene_schema(void)
{
    pthread_once(&schema_once, make_schema_once);
    return schema;
}
