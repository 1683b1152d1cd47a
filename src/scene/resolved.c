/// The scene with every default written out, and its hash.
#include "scene/content.h"

#include "scene/writer.h"
#include "world/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which text is wanted: the one to keep, or the one to hash, which leaves out
 * how long the run is and has the meshes' contents in the place of their names. */
typedef enum Purpose { TO_KEEP, TO_HASH } Purpose;

static void write_model(PxWriter *w, const PxField *field, const PxModelChoice *choice)
{
    const PxModelInfo *model = px_family_find(field->family, choice->model);
    px_write_open_flat(w, '{');
    px_write_key(w, "model");
    px_write_text(w, choice->model);
    for (size_t k = 0; model != NULL && k < model->field_count; ++k) {
        px_write_key(w, model->fields[k].key);
        px_write_number(w, choice->param[k]);
    }
    px_write_close_flat(w, '}');
}

static void write_value(PxWriter *w, const PxField *field, const void *object)
{
    const char *member = (const char *)object + field->offset;
    switch (field->kind) {
    case PX_FIELD_NUMBER:
    case PX_FIELD_COUNT:
        px_write_number(w, *(const double *)member);
        break;
    case PX_FIELD_VECTOR:
        px_write_vector(w, *(const PxVec3 *)member);
        break;
    case PX_FIELD_FLAG:
        px_write_flag(w, *(const bool *)member);
        break;
    case PX_FIELD_WORD:
        px_write_text(w, field->words[*(const int *)member]);
        break;
    case PX_FIELD_MODEL:
        write_model(w, field, (const PxModelChoice *)member);
        break;
    }
}

static void write_field(PxWriter *w, const PxField *field, const void *object)
{
    px_write_key(w, field->key);
    write_value(w, field, object);
}

static void write_fields(PxWriter *w, const PxSection *section, const void *object)
{
    for (size_t k = 0; k < *section->field_count; ++k)
        write_field(w, &section->fields[k], object);
}

static void write_turn(PxWriter *w, const PxSceneTurn *turn)
{
    px_write_key(w, "turn");
    px_write_open_flat(w, '{');
    write_fields(w, &px_turn_section, turn);
    px_write_close_flat(w, '}');
}

/* Looks change no frame, so the hash is without them. */
static void write_look(PxWriter *w, const PxSceneLook *look, Purpose purpose)
{
    if (purpose == TO_HASH)
        return;
    px_write_key(w, "look");
    px_write_open_flat(w, '{');
    write_fields(w, &px_look_section, look);
    px_write_close_flat(w, '}');
}

/* --- hashing -------------------------------------------------------------------------- */

/* A file that cannot be read has a digest too: reading it will fail elsewhere. */
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

/* --- the parts of a scene ----------------------------------------------------------------- */

/* The name of a file; its contents are what the hash is of. */
static void write_file(PxWriter *w, const char *path, Purpose purpose)
{
    char digits[PX_DIGEST_TEXT];
    if (purpose == TO_HASH)
        hash_file(path, digits);
    px_write_text(w, purpose == TO_HASH ? digits : path);
}

static void write_shape(PxWriter *w, const PxShapeDef *shape, const PxSceneTurn *turn,
                        Purpose purpose)
{
    const PxShapeForm *form = px_form_of_kind(shape->kind);
    px_write_key(w, "shape");
    px_write_open_flat(w, '{');
    px_write_key(w, form->key);
    if (form->file) {
        write_file(w, shape->mesh, purpose);
    } else if (form->fields == NULL) {
        write_value(w, form->plain, shape);
    } else {
        px_write_open_flat(w, '{');
        for (size_t k = 0; k < form->field_count; ++k)
            write_field(w, &form->fields[k], shape);
        px_write_close_flat(w, '}');
    }
    write_fields(w, &px_shape_section, shape);
    write_turn(w, turn);
    px_write_close_flat(w, '}');
}

static void write_temperatures(PxWriter *w, const PxTemperatureKey *key, size_t count)
{
    if (count == 0)
        return;
    px_write_key(w, "temperatures");
    px_write_open(w, '[');
    for (size_t k = 0; k < count; ++k) {
        px_write_open_flat(w, '{');
        write_fields(w, &px_temperature_section, &key[k]);
        px_write_close_flat(w, '}');
    }
    px_write_close(w, ']');
}

/* Of the molten state only what is its own. */
static void write_melting(PxWriter *w, const PxMaterialDef *material)
{
    if (!material->melts.melts)
        return;
    px_write_key(w, "melts");
    px_write_open_flat(w, '{');
    write_fields(w, &px_melt_section, material);
    px_write_key(w, "into");
    px_write_open_flat(w, '{');
    for (size_t k = 0; k < px_melt_into_field_count; ++k) {
        const PxField *field = &px_melt_into_fields[k];
        if (!isnan(*(const double *)((const char *)material + field->offset)))
            write_field(w, field, material);
    }
    px_write_close_flat(w, '}');
    px_write_close_flat(w, '}');
}

static void write_keyframes(PxWriter *w, const PxSceneKeyframe *keyframe, size_t keyframes)
{
    px_write_key(w, "keyframes");
    px_write_open(w, '[');
    for (size_t k = 0; k < keyframes; ++k) {
        px_write_open_flat(w, '{');
        write_fields(w, &px_keyframe_section, &keyframe[k]);
        write_turn(w, &keyframe[k].turn);
        px_write_close_flat(w, '}');
    }
    px_write_close(w, ']');
}

static void write_body(PxWriter *w, const PxScene *scene, const PxSceneBody *body, Purpose purpose)
{
    px_write_open(w, '{');
    px_write_key(w, "name");
    px_write_text(w, body->def.name);
    if (body->shape_known)
        write_shape(w, &body->def.shape, &body->turn, purpose);
    if (body->material != PX_NO_MATERIAL) {
        px_write_key(w, "material");
        px_write_text(w, scene->material[body->material].name);
    }
    for (size_t k = 0; k < *px_body_section.field_count; ++k) {
        const PxField *field = &px_body_section.fields[k];
        PxBodySort sort = px_body_key_sort(field->key);
        if (body->def.wall && !body->def.warm && strcmp(field->key, "temperature") == 0)
            continue; /* a wall that states one would be kept at it */
        if (sort == PX_FOR_ALL || (sort == PX_FOR_WALLS) == body->def.wall)
            write_field(w, field, &body->def);
    }
    write_temperatures(w, body->def.temperature_key, body->def.temperatures);
    if (body->def.texture != NULL) {
        px_write_key(w, "texture");
        write_file(w, body->def.texture, purpose);
    }
    if (body->def.wall && body->has_look)
        write_look(w, &body->look, purpose);
    if (body->def.wall)
        write_keyframes(w, body->keyframe, body->keyframes);
    px_write_close(w, '}');
}

static void write_emitter(PxWriter *w, const PxScene *scene, const PxSceneEmitter *emitter,
                          Purpose purpose)
{
    px_write_open(w, '{');
    px_write_key(w, "name");
    px_write_text(w, emitter->def.name);
    if (emitter->shape_known)
        write_shape(w, &emitter->def.shape, &emitter->turn, purpose);
    if (emitter->material != PX_NO_MATERIAL) {
        px_write_key(w, "material");
        px_write_text(w, scene->material[emitter->material].name);
    }
    write_fields(w, &px_emitter_section, &emitter->def);
    px_write_close(w, '}');
}

static void write_sink(PxWriter *w, const PxSceneSink *sink, Purpose purpose)
{
    px_write_open(w, '{');
    px_write_key(w, "name");
    px_write_text(w, sink->def.name);
    if (sink->shape_known)
        write_shape(w, &sink->def.shape, &sink->turn, purpose);
    write_fields(w, &px_sink_section, &sink->def);
    px_write_close(w, '}');
}

static void write_body_name(PxWriter *w, const PxScene *scene, size_t body)
{
    if (body == PX_NO_BODY)
        return;
    px_write_key(w, "body");
    px_write_text(w, scene->body[body].def.name);
}

static void write_handle(PxWriter *w, const PxScene *scene, const PxSceneHandle *handle,
                         Purpose purpose)
{
    px_write_open(w, '{');
    px_write_key(w, "name");
    px_write_text(w, handle->def.name);
    write_body_name(w, scene, handle->body);
    if (handle->shape_known)
        write_shape(w, &handle->def.shape, &handle->turn, purpose);
    write_fields(w, &px_handle_section, &handle->def);
    write_keyframes(w, handle->keyframe, handle->keyframes);
    px_write_close(w, '}');
}

static void write_force(PxWriter *w, const PxScene *scene, const PxSceneForce *force,
                        Purpose purpose)
{
    px_write_open(w, '{');
    px_write_key(w, "name");
    px_write_text(w, force->def.name);
    write_body_name(w, scene, force->body);
    if (force->shape_known)
        write_shape(w, &force->def.shape, &force->turn, purpose);
    write_fields(w, &px_force_section, &force->def);
    px_write_close(w, '}');
}

static void write_heater(PxWriter *w, const PxScene *scene, const PxSceneHeater *heater,
                         Purpose purpose)
{
    px_write_open(w, '{');
    px_write_key(w, "name");
    px_write_text(w, heater->def.name);
    write_body_name(w, scene, heater->body);
    if (heater->shape_known)
        write_shape(w, &heater->def.shape, &heater->turn, purpose);
    for (size_t k = 0; k < *px_heater_section.field_count; ++k) {
        const PxField *field = &px_heater_section.fields[k];
        const char *other = heater->def.holds ? "power" : "temperature";
        if (strcmp(field->key, other) != 0)
            write_field(w, field, &heater->def);
    }
    write_temperatures(w, heater->def.temperature_key, heater->def.temperatures);
    px_write_close(w, '}');
}

static void write_event(PxWriter *w, const PxSceneEvent *event)
{
    px_write_open_flat(w, '{');
    write_fields(w, &px_event_section, event);
    px_write_key(w, "set");
    px_write_text(w, event->set);
    px_write_key(w, "to");
    if (event->values == 3)
        px_write_vector(w, (PxVec3){event->to[0], event->to[1], event->to[2]});
    else
        px_write_number(w, event->to[0]);
    px_write_close_flat(w, '}');
}

static void write_time(PxWriter *w, const PxScene *scene, Purpose purpose)
{
    px_write_key(w, "time");
    px_write_open_flat(w, '{');
    for (size_t k = 0; k < *px_time_section.field_count; ++k)
        if (purpose == TO_KEEP || strcmp(px_time_section.fields[k].key, "frames") != 0)
            write_field(w, &px_time_section.fields[k], &scene->time);
    px_write_close_flat(w, '}');
}

static char *write_scene(const PxScene *scene, Purpose purpose)
{
    PxWriter writer = {0}, *w = &writer;
    px_write_open(w, '{');
    px_write_key(w, "phyxel");
    px_write_number(w, PX_SCENE_VERSION);
    px_write_key(w, "name");
    px_write_text(w, scene->name);
    write_time(w, scene, purpose);
    write_field(w, px_entry_find(&px_scene_section, "up")->field, &scene->up);
    write_fields(w, &px_scene_section, &scene->world);
    px_write_key(w, "materials");
    px_write_open(w, '{');
    for (size_t k = 0; k < scene->materials; ++k) {
        px_write_key(w, scene->material[k].name);
        px_write_open(w, '{');
        write_fields(w, &px_material_section, &scene->material[k]);
        write_melting(w, &scene->material[k]);
        if (scene->material_look[k] != NULL)
            write_look(w, scene->material_look[k], purpose);
        px_write_close(w, '}');
    }
    px_write_close(w, '}');
    px_write_key(w, "bodies");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->bodies; ++k)
        write_body(w, scene, &scene->body[k], purpose);
    px_write_close(w, ']');
    px_write_key(w, "emitters");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->emitters; ++k)
        write_emitter(w, scene, &scene->emitter[k], purpose);
    px_write_close(w, ']');
    px_write_key(w, "sinks");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->sinks; ++k)
        write_sink(w, &scene->sink[k], purpose);
    px_write_close(w, ']');
    px_write_key(w, "handles");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->handles; ++k)
        write_handle(w, scene, &scene->handle[k], purpose);
    px_write_close(w, ']');
    px_write_key(w, "forces");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->forces; ++k)
        write_force(w, scene, &scene->force[k], purpose);
    px_write_close(w, ']');
    px_write_key(w, "heaters");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->heaters; ++k)
        write_heater(w, scene, &scene->heater[k], purpose);
    px_write_close(w, ']');
    px_write_key(w, "events");
    px_write_open(w, '[');
    for (size_t k = 0; k < scene->events; ++k)
        write_event(w, &scene->event[k]);
    px_write_close(w, ']');
    if (scene->has_camera) {
        px_write_key(w, "camera");
        px_write_open_flat(w, '{');
        write_fields(w, &px_camera_section, &scene->camera);
        px_write_close_flat(w, '}');
    }
    const PxSceneOutput *output = &scene->output;
    if (output->strain || output->stress || output->von_mises || output->principal_stress) {
        px_write_key(w, "output");
        px_write_open_flat(w, '{');
        write_fields(w, &px_output_section, output);
        px_write_close_flat(w, '}');
    }
    px_write_close(w, '}');
    return px_writer_finish(w);
}

/* Both are made when first asked for: a scene belongs to one thread at a time, and
 * was never const where it was made. */
const char *px_scene_resolved(const PxScene *scene)
{
    PxScene *own = (PxScene *)scene;
    if (own->resolved == NULL)
        own->resolved = write_scene(scene, TO_KEEP);
    return own->resolved;
}

const char *px_scene_hash(const PxScene *scene)
{
    PxScene *own = (PxScene *)scene;
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
