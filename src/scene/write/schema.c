/// The JSON schema (draft 7) of scene files, generated from the tables that the reader uses.
#include "scene/content.h"

#include "scene/layout/shape_forms.h"
#include "scene/text/json_writer.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
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

/* [NAME, ...]: the required keys of a section */
static void write_array(PxWriter *w, const PxSection *section, double most)
{
    write_pair(w, "type", "array");
    px_write_key(w, "maxItems");
    px_write_number(w, most);
    px_write_key(w, "items");
    px_write_open_flat(w, '{');
    write_reference(w, section->name);
    px_write_close_flat(w, '}');
}

static void write_string(PxWriter *w, double most)
{
    write_pair(w, "type", "string");
    px_write_key(w, "minLength");
    px_write_number(w, 1);
    px_write_key(w, "maxLength");
    px_write_number(w, most);
}

/* {"type": TYPE} */
static void write_type(PxWriter *w, const char *type)
{
    px_write_open_flat(w, '{');
    write_pair(w, "type", type);
    px_write_close_flat(w, '}');
}

/* One number or three. */
static void write_numbers(PxWriter *w)
{
    px_write_key(w, "oneOf");
    px_write_open_flat(w, '[');
    write_type(w, "number");
    px_write_open_flat(w, '{');
    write_pair(w, "type", "array");
    px_write_key(w, "items");
    write_type(w, "number");
    px_write_key(w, "minItems");
    px_write_number(w, 3);
    px_write_key(w, "maxItems");
    px_write_number(w, 3);
    px_write_close_flat(w, '}');
    px_write_close_flat(w, ']');
}

/* A number in its range, a word or an object. */
static void write_strength(PxWriter *w, const PxField *field)
{
    px_write_key(w, "oneOf");
    px_write_open_flat(w, '[');
    px_write_open_flat(w, '{');
    write_range(w, field);
    px_write_close_flat(w, '}');
    write_type(w, "string");
    write_type(w, "object");
    px_write_close_flat(w, ']');
}

/* A word, or a vessel. */
static void write_fill(PxWriter *w, const PxField *field)
{
    px_write_key(w, "anyOf");
    px_write_open_flat(w, '[');
    px_write_open_flat(w, '{');
    px_write_key(w, "enum");
    px_write_open_flat(w, '[');
    for (size_t k = 0; field->words[k] != NULL; ++k)
        px_write_text(w, field->words[k]);
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
    px_write_open_flat(w, '{');
    write_reference(w, px_vessel_section.name);
    px_write_close_flat(w, '}');
    px_write_close_flat(w, ']');
    write_pair(w, "default", field->words[0]);
}

/* Writes the schema of fields that are not single values, into an open object. */
static void write_special(PxWriter *w, const PxField *field)
{
    switch (field->kind) {
    case PX_FIELD_TEXT:
    case PX_FIELD_FILE:
        write_string(w, field->most);
        break;
    case PX_FIELD_THING:
        write_string(w, PX_SCENE_MOST_NAME);
        break;
    case PX_FIELD_SHAPE:
        write_reference(w, px_shape_section.name);
        break;
    case PX_FIELD_LOOK:
        write_reference(w, px_look_section.name);
        break;
    case PX_FIELD_PART:
        write_reference(w, field->part->name);
        break;
    case PX_FIELD_KEYFRAMES:
        write_array(w, &px_keyframe_section, field->most);
        break;
    case PX_FIELD_TEMPERATURES:
        write_array(w, &px_temperature_section, field->most);
        break;
    case PX_FIELD_STRENGTH:
        write_strength(w, field);
        break;
    case PX_FIELD_NUMBERS:
        write_numbers(w);
        break;
    case PX_FIELD_FILL:
        write_fill(w, field);
        break;
    case PX_FIELD_VERSION:
        px_write_key(w, "const");
        px_write_number(w, PX_SCENE_VERSION);
        break;
    default:
        PX_ASSERT(!"a kind of field that the schema does not know");
    }
}

/* Draft 7 ignores all keywords beside $ref, so no description is written. */
static bool is_reference(const PxField *field)
{
    return field->kind == PX_FIELD_SHAPE || field->kind == PX_FIELD_LOOK ||
           field->kind == PX_FIELD_PART;
}

/* Writes the schema of a field's values, into an open object. */
static void write_field(PxWriter *w, const PxField *field, const void *defaults)
{
    const char *member = defaults != NULL ? (const char *)defaults + field->offset : NULL;
    if (field->flags & PX_FIELD_REQUIRED)
        member = NULL;
    if (!is_reference(field))
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
        if (member != NULL && !isnan(((const PxVec3 *)(const void *)member)->x)) {
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
    case PX_FIELD_CHOICE:
        px_write_key(w, "enum");
        px_write_open_flat(w, '[');
        for (size_t k = 0; field->words[k] != NULL; ++k)
            px_write_text(w, field->words[k]);
        px_write_close_flat(w, ']');
        if (member != NULL)
            write_pair(w, "default",
                       field->words[field->kind == PX_FIELD_WORD ? *(const int *)member
                                                                 : (int)*(const double *)member]);
        break;
    case PX_FIELD_MODEL:
        write_model(w, field);
        if (member != NULL)
            write_pair(w, "default", ((const PxModelChoice *)member)->model);
        break;
    default:
        write_special(w, field);
    }
}

static void write_property(PxWriter *w, const PxField *field, const void *defaults)
{
    px_write_key(w, field->key);
    px_write_open(w, '{');
    write_field(w, field, defaults);
    px_write_close(w, '}');
}

static void write_required(PxWriter *w, const PxField *fields, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; ++k) {
        bool always = !(fields[k].flags & (PX_FIELD_ONLY_IF | PX_FIELD_ONLY_NOT));
        if (!always || !(fields[k].flags & PX_FIELD_REQUIRED))
            continue;
        if (!any) {
            px_write_key(w, "required");
            px_write_open_flat(w, '[');
            any = true;
        }
        px_write_text(w, fields[k].key);
    }
    if (any)
        px_write_close_flat(w, ']');
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
        write_required(w, form->fields, form->field_count);
    }
    if (either) {
        px_write_close(w, '}');
        px_write_close(w, ']');
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

static void write_has_none_of(PxWriter *w, const PxSection *section, unsigned flag)
{
    px_write_key(w, "not");
    px_write_open_flat(w, '{');
    px_write_key(w, "anyOf");
    px_write_open_flat(w, '[');
    for (size_t k = 0; k < section->field_count; ++k)
        if (section->fields[k].flags & flag && !(section->fields[k].flags & PX_FIELD_ALSO))
            write_has(w, section->fields[k].key);
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
}

/* Writes the rules for keys that depend on the section's divider. */
static void write_divider(PxWriter *w, const PxSection *section)
{
    px_write_key(w, "if");
    px_write_open_flat(w, '{');
    px_write_key(w, "properties");
    px_write_open_flat(w, '{');
    px_write_key(w, section->divider);
    px_write_open_flat(w, '{');
    px_write_key(w, "const");
    px_write_flag(w, true);
    px_write_close_flat(w, '}');
    px_write_close_flat(w, '}');
    px_write_key(w, "required");
    px_write_open_flat(w, '[');
    px_write_text(w, section->divider);
    px_write_close_flat(w, ']');
    px_write_close_flat(w, '}');
    px_write_key(w, "then");
    px_write_open_flat(w, '{');
    write_has_none_of(w, section, PX_FIELD_ONLY_NOT);
    px_write_close_flat(w, '}');
    px_write_key(w, "else");
    px_write_open_flat(w, '{');
    px_write_key(w, "required");
    px_write_open_flat(w, '[');
    for (size_t k = 0; k < section->field_count; ++k)
        if (section->fields[k].flags & PX_FIELD_ONLY_NOT &&
            section->fields[k].flags & PX_FIELD_REQUIRED)
            px_write_text(w, section->fields[k].key);
    px_write_close_flat(w, ']');
    write_has_none_of(w, section, PX_FIELD_ONLY_IF);
    px_write_close_flat(w, '}');
}

/* Writes the key "name" of things in lists. */
static void write_name(PxWriter *w, const char *one)
{
    char text[160];
    snprintf(text, sizeof text,
             "A name without a dot, unlike all others; \"%s 1\", ... unless stated.", one);
    px_write_key(w, "name");
    px_write_open(w, '{');
    write_pair(w, "description", text);
    write_string(w, PX_SCENE_MOST_NAME);
    px_write_close(w, '}');
}

/* Writes the fields of a section as properties. */
static bool write_fields(PxWriter *w, const PxSection *section)
{
    void *defaults = calloc(1, section->size);
    if (defaults == NULL)
        return false;
    section->defaults(defaults);
    for (size_t k = 0; k < section->field_count; ++k)
        write_property(w, &section->fields[k], defaults);
    free(defaults);
    return true;
}

/* Writes an object of a section. `one` is the word for a thing of a kind whose things have names,
 * else NULL. */
static void write_section(PxWriter *w, const PxSection *section, const char *one)
{
    px_write_key(w, section->name);
    px_write_open(w, '{');
    write_pair(w, "description", section->help);
    begin_properties(w);
    if (one != NULL)
        write_name(w, one);
    bool shape = section == &px_shape_section;
    for (size_t k = 0; shape && k < px_shape_form_count; ++k)
        write_form(w, &px_shape_forms[k]);
    w->failed |= !write_fields(w, section);
    px_write_close(w, '}');
    write_required(w, section->fields, section->field_count);
    if (shape) {
        px_write_key(w, "oneOf");
        px_write_open_flat(w, '[');
        for (size_t k = 0; k < px_shape_form_count; ++k)
            write_has(w, px_shape_forms[k].key);
        px_write_close_flat(w, ']');
    }
    if (section->divider != NULL)
        write_divider(w, section);
    if (section->either[0] != NULL) {
        px_write_key(w, "anyOf");
        px_write_open_flat(w, '[');
        write_has(w, section->either[0]);
        write_has(w, section->either[1]);
        if (section->either[2] != NULL)
            write_has(w, section->either[2]);
        px_write_close_flat(w, ']');
    }
    px_write_close(w, '}');
}

/* Writes the list or object of all things of a kind. */
static void write_kind(PxWriter *w, const PxKind *kind)
{
    px_write_key(w, kind->list);
    px_write_open(w, '{');
    write_pair(w, "description", kind->list_help);
    if (!kind->by_name) {
        write_array(w, &kind->section, (double)kind->most);
        px_write_close(w, '}');
        return;
    }
    write_pair(w, "type", "object");
    px_write_key(w, "patternProperties");
    px_write_open_flat(w, '{');
    px_write_key(w, "^(?!//)[^.]+$");
    px_write_open_flat(w, '{');
    write_reference(w, kind->section.name);
    px_write_close_flat(w, '}');
    px_write_key(w, "^//");
    px_write_open_flat(w, '{');
    px_write_close_flat(w, '}');
    px_write_close_flat(w, '}');
    px_write_key(w, "additionalProperties");
    px_write_flag(w, false);
    px_write_close(w, '}');
}

static char *make_schema(void)
{
    static const PxSection *const parts[] = {
        &px_time_section,    &px_shape_section,     &px_turn_section,   &px_keyframe_section,
        &px_event_section,   &px_look_section,      &px_camera_section, &px_temperature_section,
        &px_melt_section,    &px_melt_into_section, &px_output_section, &px_vessel_section,
        &px_picture_section, &px_lamp_section,      &px_cloth_section,  &px_fracture_section};
    PxWriter writer = {0}, *w = &writer;
    px_write_open(w, '{');
    write_pair(w, "$schema", "http://json-schema.org/draft-07/schema#");
    write_pair(w, "title", "phyxel scene");
    write_pair(w, "description", px_head_section.help);
    begin_properties(w);
    w->failed |= !write_fields(w, &px_head_section) || !write_fields(w, &px_world_section);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        write_kind(w, px_kinds[k]);
    px_write_key(w, px_events_field.key);
    px_write_open(w, '{');
    write_pair(w, "description", px_events_field.help);
    write_array(w, &px_event_section, px_events_field.most);
    px_write_close(w, '}');
    px_write_key(w, px_camera_field.key);
    px_write_open(w, '{');
    write_pair(w, "description", px_camera_field.help);
    px_write_key(w, "anyOf");
    px_write_open(w, '[');
    px_write_open_flat(w, '{');
    write_reference(w, px_camera_section.name);
    px_write_close_flat(w, '}');
    px_write_open_flat(w, '{');
    write_array(w, &px_camera_section, 10000);
    px_write_close_flat(w, '}');
    px_write_close(w, ']');
    px_write_close(w, '}');
    write_property(w, &px_picture_field, NULL);
    px_write_key(w, px_lights_field.key);
    px_write_open(w, '{');
    write_pair(w, "description", px_lights_field.help);
    write_array(w, &px_lamp_section, px_lights_field.most);
    px_write_close(w, '}');
    write_property(w, &px_output_field, NULL);
    px_write_close(w, '}');
    px_write_key(w, "required");
    px_write_open_flat(w, '[');
    static const PxSection *const top[] = {&px_world_section, &px_head_section};
    for (size_t s = 0; s < PX_COUNT(top); ++s)
        for (size_t k = 0; k < top[s]->field_count; ++k)
            if (top[s]->fields[k].flags & PX_FIELD_REQUIRED)
                px_write_text(w, top[s]->fields[k].key);
    px_write_close_flat(w, ']');
    px_write_key(w, "definitions");
    px_write_open(w, '{');
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        write_section(w, &px_kinds[k]->section,
                      px_kinds[k]->by_name ? NULL : px_kinds[k]->section.name);
    for (size_t k = 0; k < PX_COUNT(parts); ++k)
        write_section(w, parts[k], NULL);
    px_write_close(w, '}');
    px_write_close(w, '}');
    return px_writer_finish(w);
}

/* Made once per process and never freed; the text is constant. */
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
