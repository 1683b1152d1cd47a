/// The JSON schema and docs/scene.md agree with the tables of fields.
#include "scenes.h"

#include "scene/layout/shape_forms.h"
#include "world/kinds/kind.h"
#include "base/words.h"

#include <jansson.h>

#define SCHEMA_FILE PX_SOURCE_DIR "/docs/scene.schema.json"
#define PAGE_FILE PX_SOURCE_DIR "/docs/scene.md"

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

static const PxSection *const parts[] = {
    &px_time_section,      &px_shape_section,       &px_turn_section,    &px_keyframe_section,
    &px_event_section,     &px_camera_section,      &px_look_section,    &px_melt_section,
    &px_melt_into_section, &px_temperature_section, &px_picture_section, &px_lamp_section,
    &px_vessel_section,    &px_fracture_section};

static const PxSection *section_at(size_t k)
{
    return k < PX_KIND_COUNT ? &px_kinds[k]->section : parts[k - PX_KIND_COUNT];
}

static size_t section_count(void)
{
    return PX_KIND_COUNT + PX_COUNT(parts);
}

TEST(the_checked_in_schema_is_the_generated_one)
{
    char *kept = file_text(SCHEMA_FILE);
    if (strcmp(kept, px_scene_schema()) != 0)
        fail_msg("docs/scene.schema.json is out of date: %s rewrites it", "make docs");
    free(kept);
    CHECK(px_scene_schema() == px_scene_schema());
}

static void check_fields(const json_t *object, const PxField *fields, size_t count)
{
    const json_t *properties = json_object_get(object, "properties");
    for (size_t k = 0; k < count; ++k) {
        const json_t *property = json_object_get(properties, fields[k].key);
        if (property == NULL)
            fail_msg("'%s' is not in the schema", fields[k].key);
        if (json_object_get(property, "$ref") != NULL)
            continue; /* described where it is defined */
        const char *said = json_string_value(json_object_get(property, "description"));
        CHECK(said != NULL && strstr(said, fields[k].help) == said);
        CHECK(strstr(said, fields[k].unit) != NULL);
    }
}

TEST(every_key_is_in_the_schema_with_its_meaning)
{
    json_error_t error;
    json_t *schema = json_loads(px_scene_schema(), JSON_REJECT_DUPLICATES, &error);
    CHECK(schema != NULL);
    check_fields(schema, px_world_section.fields, px_world_section.field_count);
    check_fields(schema, px_head_section.fields, px_head_section.field_count);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        CHECK(json_object_get(json_object_get(schema, "properties"), px_kinds[k]->list) != NULL);
    for (size_t s = 0; s < section_count(); ++s) {
        const json_t *section =
            json_object_get(json_object_get(schema, "definitions"), section_at(s)->name);
        CHECK(section != NULL);
        check_fields(section, section_at(s)->fields, section_at(s)->field_count);
        CHECK(json_is_false(json_object_get(section, "additionalProperties")));
        for (size_t k = 0; section_at(s) == &px_shape_section && k < px_shape_form_count; ++k)
            CHECK(json_object_get(json_object_get(section, "properties"), px_shape_forms[k].key) !=
                  NULL);
    }
    json_decref(schema);
}

/* Every key must head a row of a table, "| `key` |", in which its unit and its
 * default stand. */
static void check_row(const char *page, const char *key, const char *unit, const char *value)
{
    char row[100];
    snprintf(row, sizeof row, "\n| `%s` |", key);
    for (const char *at = strstr(page, row); at != NULL; at = strstr(at + 1, row)) {
        char line[1000];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
        if (strstr(line, unit) != NULL && strstr(line, value) != NULL)
            return;
    }
    fail_msg("docs/scene.md has no row for '%s' with the unit '%s' and the default '%s'", key, unit,
             value);
}

static void check_rows(const char *page, const PxField *fields, size_t count, const void *defaults)
{
    for (size_t k = 0; k < count; ++k) {
        char value[40] = "required", number[32];
        if (fields[k].kind != PX_FIELD_NUMBER && fields[k].kind != PX_FIELD_COUNT)
            value[0] = '\0';
        else if (!(fields[k].flags & PX_FIELD_REQUIRED) &&
                 isnan(*(const double *)((const char *)defaults + fields[k].offset)))
            value[0] = '\0'; /* that of something else */
        else if (!(fields[k].flags & PX_FIELD_REQUIRED))
            snprintf(value, sizeof value, "| %s |",
                     px_number_text(*(const double *)((const char *)defaults + fields[k].offset),
                                    number));
        check_row(page, fields[k].key, fields[k].unit, value);
    }
}

static void check_section(const char *page, const PxSection *section)
{
    void *defaults = calloc(1, section->size);
    section->defaults(defaults);
    check_rows(page, section->fields, section->field_count, defaults);
    free(defaults);
    for (size_t k = 0; k < section->field_count; ++k) {
        const PxFamily *family = section->fields[k].family;
        for (size_t m = 0; family != NULL && m < family->count; ++m)
            check_rows(page, family->models[m]->fields, family->models[m]->field_count,
                       family->models[m]->defaults);
    }
}

TEST(every_key_is_on_the_page_with_its_unit_and_default)
{
    char *page = file_text(PAGE_FILE);
    check_section(page, &px_world_section);
    check_section(page, &px_head_section);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        check_row(page, px_kinds[k]->list, "", "");
    for (size_t s = 0; s < section_count(); ++s)
        check_section(page, section_at(s));
    for (size_t k = 0; k < px_shape_form_count; ++k) {
        const PxShapeForm *form = &px_shape_forms[k];
        check_row(page, form->key, "", "");
        for (size_t f = 0; f < form->field_count; ++f)
            check_row(page, form->fields[f].key, form->fields[f].unit, "");
    }
    free(page);
}

TEST_MAIN()
