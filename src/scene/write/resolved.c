/// Writes the resolved scene, with all defaults, and computes its hash. Uses the tables of
/// world/kinds and scene/layout.
#include "scene/content.h"

#include "scene/layout/shape_forms.h"
#include "scene/text/json_writer.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The resolved text has two forms: the one that is stored, and the one that is hashed. The latter
 * omits the number of frames, the camera and the looks, which do not affect particles, and contains
 * digests of files instead of their names. */
typedef enum Purpose { TO_KEEP, TO_HASH } Purpose;

static void write_model(PxWriter *w, const PxField *field, const PxModelChoice *choice)
{
    const PxModelInfo *model = px_family_find(field->family, choice->model);
    px_write_open_flat(w, '{');
    px_write_key(w, "model");
    px_write_text(w, choice->model);
    for (size_t k = 0; model != NULL && k < model->field_count; ++k) {
        if (isnan(choice->param[k]))
            continue; /* the model's own choice */
        px_write_key(w, model->fields[k].key);
        if (model->fields[k].kind == PX_FIELD_CHOICE)
            px_write_text(w, model->fields[k].words[(int)choice->param[k]]);
        else
            px_write_number(w, choice->param[k]);
    }
    px_write_close_flat(w, '}');
}

/* --- hashing -------------------------------------------------------------------------- */

/* A file that cannot be read has a digest too; the error is reported where the file is used. */
static void hash_file(const char *path, char text[PX_DIGEST_TEXT])
{
    uint64_t digest[2] = {0, 0};
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        px_digest_stream(file, digest);
        fclose(file);
    }
    px_digest_text(digest, text);
}

/* Writes the name of a file, or its digest for the hash. */
static void write_file(PxWriter *w, const char *path, Purpose purpose)
{
    char digits[PX_DIGEST_TEXT];
    if (purpose == TO_HASH)
        hash_file(path, digits);
    px_write_text(w, purpose == TO_HASH ? digits : path);
}

static void write_section(PxWriter *w, const PxSection *section, const void *object,
                          Purpose purpose);

/* Writes a field that is a single value. */
static void write_value(PxWriter *w, const PxField *field, const void *object, Purpose purpose)
{
    const void *member = px_field_in(field, object);
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_COUNT:
    case PX_FIELD_STRENGTH:
        px_write_number(w, *(const double *)member);
        break;
    case PX_FIELD_VECTOR:
        px_write_vector(w, *(const PxVec3 *)member);
        break;
    case PX_FIELD_FLAG:
        px_write_flag(w, *(const bool *)member);
        break;
    case PX_FIELD_WORD:
    case PX_FIELD_FILL:
        px_write_text(w, field->words[*(const int *)member]);
        break;
    case PX_FIELD_MODEL:
        write_model(w, field, member);
        break;
    case PX_FIELD_TEXT:
        px_write_text(w, *(const char *const *)member);
        break;
    case PX_FIELD_FILE:
        write_file(w, *(const char *const *)member, purpose);
        break;
    case PX_FIELD_PART:
        write_section(w, field->part, member, purpose);
        break;
    case PX_FIELD_VERSION:
        px_write_number(w, PX_SCENE_VERSION);
        break;
    default:
        PX_ASSERT(!"written by whoever has the rest of it");
    }
}

/* Does the object state this value? NAN in the molten state means the value of the cold state. */
static bool is_stated(const PxSection *section, const PxField *field, const void *object)
{
    if (!px_field_applies(section, field, object))
        return false;
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_STRENGTH:
    case PX_FIELD_COUNT:
        return !isnan(*(const double *)px_field_in(field, object));
    case PX_FIELD_VECTOR:
        return !isnan(((const PxVec3 *)px_field_in(field, object))->x);
    case PX_FIELD_TEXT:
    case PX_FIELD_FILE:
        return *(const char *const *)px_field_in(field, object) != NULL;
    case PX_FIELD_PART:
        return field->beside == 0 || *((const bool *)object + field->beside);
    default:
        return true;
    }
}

static void write_fields(PxWriter *w, const PxSection *section, const void *object, Purpose purpose)
{
    for (size_t k = 0; k < section->field_count; ++k) {
        const PxField *field = &section->fields[k];
        bool left_out =
            purpose == TO_HASH && section == &px_time_section && strcmp(field->key, "frames") == 0;
        if (left_out || !is_stated(section, field, object))
            continue;
        px_write_key(w, field->key);
        write_value(w, field, object, purpose);
    }
}

static void write_section(PxWriter *w, const PxSection *section, const void *object,
                          Purpose purpose)
{
    px_write_open_flat(w, '{');
    write_fields(w, section, object, purpose);
    px_write_close_flat(w, '}');
}

/* Does the object of a mesh have this field? Those after the poses are about them. */
static bool is_of_mesh(const PxShapeDef *shape, const PxField *field)
{
    return field->offset == offsetof(PxShapeDef, mesh) ||
           (field->offset == offsetof(PxShapeDef, part) ? shape->part != NULL
                                                        : shape->poses != NULL);
}

/* --- things ------------------------------------------------------------------------------ */

static void write_shape(PxWriter *w, const PxShapeDef *shape, const PxSceneTurn *turn,
                        Purpose purpose)
{
    const PxShapeForm *form = px_form_of_kind(shape->kind);
    px_write_open_flat(w, '{');
    px_write_key(w, form->key);
    if (form->file && shape->part == NULL && shape->poses == NULL) {
        write_file(w, shape->mesh, purpose);
    } else if (form->fields == NULL) {
        write_value(w, form->plain, shape, purpose);
    } else {
        px_write_open_flat(w, '{');
        for (size_t k = 0; k < form->field_count; ++k) {
            if (form->file && !is_of_mesh(shape, &form->fields[k]))
                continue;
            px_write_key(w, form->fields[k].key);
            write_value(w, &form->fields[k], shape, purpose);
        }
        px_write_close_flat(w, '}');
    }
    write_fields(w, &px_shape_section, &(PxSceneShape){*shape, *turn}, purpose);
    px_write_close_flat(w, '}');
}

/* Writes a list of `count` structs of a section. */
static void write_list(PxWriter *w, const PxSection *section, const void *first, size_t count,
                       Purpose purpose)
{
    px_write_open(w, '[');
    for (size_t k = 0; k < count; ++k)
        write_section(w, section, (const char *)first + k * section->size, purpose);
    px_write_close(w, ']');
}

static const char *name_of(const PxScene *scene, const char *list, size_t index)
{
    const PxKind *kind = px_kind_of_list(list);
    const PxSceneList *things = px_scene_list((PxScene *)scene, kind);
    return px_kind_name(kind, px_thing_def(px_scene_thing(things, kind, index)));
}

static void write_thing_field(PxWriter *w, const PxScene *scene, const PxKind *kind,
                              PxSceneThing *thing, const PxField *field, Purpose purpose)
{
    const void *def = px_thing_def(thing);
    const size_t *count = (const size_t *)((const char *)def + field->beside);
    size_t refers = SIZE_MAX;
    if (!is_stated(&kind->section, field, def) ||
        (kind->silent != NULL && kind->silent(def, field)))
        return;
    if (field->kind == PX_FIELD_THING)
        refers = thing->refers[px_reference_index(&kind->section, field)];
    if ((field->kind == PX_FIELD_SHAPE && (!thing->shape_known || thing->vessel != NULL)) ||
        (field->kind == PX_FIELD_TEMPERATURES && *count == 0) ||
        (field->kind == PX_FIELD_LOOK && (thing->look == NULL || purpose == TO_HASH)) ||
        (field->kind == PX_FIELD_THING && refers == SIZE_MAX))
        return;
    px_write_key(w, field->key);
    switch (field->kind) {
    case PX_FIELD_SHAPE:
        write_shape(w, px_field_in(field, def), &thing->turn, purpose);
        break;
    case PX_FIELD_KEYFRAMES:
        write_list(w, &px_keyframe_section, thing->keyframe, thing->keyframes, purpose);
        break;
    case PX_FIELD_TEMPERATURES:
        write_list(w, &px_temperature_section, *(const void *const *)px_field_in(field, def),
                   *count, purpose);
        break;
    case PX_FIELD_THING:
        px_write_text(w, name_of(scene, field->of, refers));
        break;
    case PX_FIELD_LOOK:
        write_section(w, &px_look_section, thing->look, purpose);
        break;
    case PX_FIELD_FILL:
        if (thing->vessel != NULL) {
            write_section(w, &px_vessel_section, thing->vessel, purpose);
            break;
        }
        /* fall through */
    default:
        write_value(w, field, def, purpose);
    }
}

static void write_things(PxWriter *w, const PxScene *scene, const PxKind *kind, Purpose purpose)
{
    const PxSceneList *list = px_scene_list((PxScene *)scene, kind);
    px_write_key(w, kind->list);
    px_write_open(w, kind->by_name ? '{' : '[');
    for (size_t k = 0; k < list->count; ++k) {
        PxSceneThing *thing = px_scene_thing(list, kind, k);
        const char *name = px_kind_name(kind, px_thing_def(thing));
        if (kind->by_name)
            px_write_key(w, name);
        px_write_open(w, '{');
        if (!kind->by_name) {
            px_write_key(w, "name");
            px_write_text(w, name);
        }
        for (size_t f = 0; f < kind->section.field_count; ++f)
            write_thing_field(w, scene, kind, thing, &kind->section.fields[f], purpose);
        px_write_close(w, '}');
    }
    px_write_close(w, kind->by_name ? '}' : ']');
}

/* --- the scene ------------------------------------------------------------------------------ */

static void write_event(PxWriter *w, const PxSceneEvent *event)
{
    px_write_open_flat(w, '{');
    for (size_t k = 0; k < px_event_section.field_count; ++k) {
        const PxField *field = &px_event_section.fields[k];
        if (strcmp(field->key, "over") == 0 && !(event->over > 0))
            continue;
        px_write_key(w, field->key);
        if (field->kind != PX_FIELD_NUMBERS)
            write_value(w, field, event, TO_KEEP);
        else if (event->values == 3)
            px_write_vector(w, (PxVec3){event->to[0], event->to[1], event->to[2]});
        else
            px_write_number(w, event->to[0]);
    }
    px_write_close_flat(w, '}');
}

/* What affects pictures only. */
static void write_looks(PxWriter *w, const PxScene *scene)
{
    if (scene->has_camera) {
        px_write_key(w, px_camera_field.key);
        if (scene->views > 1)
            write_list(w, &px_camera_section, scene->view, scene->views, TO_KEEP);
        else
            write_section(w, &px_camera_section, &scene->view[0], TO_KEEP);
    }
    if (scene->has_picture) {
        px_write_key(w, px_picture_field.key);
        write_section(w, &px_picture_section, &scene->picture, TO_KEEP);
    }
    if (scene->lamps > 0) {
        px_write_key(w, px_lights_field.key);
        write_list(w, &px_lamp_section, scene->lamp, scene->lamps, TO_KEEP);
    }
}

static char *write_scene(const PxScene *scene, Purpose purpose)
{
    PxWriter writer = {0}, *w = &writer;
    PxSceneHead head = scene->head;
    head.schema = NULL; /* a property of the file, not of the scene */
    px_write_open(w, '{');
    write_fields(w, &px_head_section, &head, purpose);
    write_fields(w, &px_world_section, &scene->world, purpose);
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        write_things(w, scene, px_kinds[k], purpose);
    px_write_key(w, px_events_field.key);
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->events; ++k)
        write_event(w, &scene->event[k]);
    px_write_close(w, ']');
    if (purpose == TO_KEEP)
        write_looks(w, scene);
    const PxSceneOutput *output = &scene->output;
    if (output->strain || output->stress || output->von_mises || output->principal_stress) {
        px_write_key(w, px_output_field.key);
        write_section(w, &px_output_section, output, purpose);
    }
    px_write_close(w, '}');
    return px_writer_finish(w);
}

/* Text and hash are made on first use. No lock is needed: a scene belongs to one thread at a time,
 * and the object is not really const. */
const char *px_scene_resolved(const PxScene *scene)
{
    PxScene *own = (PxScene *)scene;
    if (own == NULL)
        return NULL;
    if (own->resolved == NULL)
        own->resolved = write_scene(scene, TO_KEEP);
    return own->resolved;
}

const char *px_scene_hash(const PxScene *scene)
{
    PxScene *own = (PxScene *)scene;
    if (own == NULL)
        return NULL;
    if (own->hash[0] == '\0') {
        char *text = write_scene(scene, TO_HASH);
        if (text == NULL)
            return NULL;
        uint64_t digest[2];
        px_digest(text, strlen(text), digest);
        free(text);
        px_digest_text(digest, own->hash);
    }
    return own->hash;
}
