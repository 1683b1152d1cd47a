#include "scene/read/shapes.h"

#include "base/words.h"
#include "scene/read/values.h"

#include <stdio.h>
#include <string.h>

/* Full path of a file, in the scene's memory; NULL when out of memory. */
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

const char *px_read_file_name(PxScene *scene, const PxPath *path, const json_t *value,
                              const char *wanted)
{
    char found[96];
    const char *name = json_string_value(value);
    if (name == NULL || name[0] == '\0' || strlen(name) > 1000 || !px_text_is_plain(name)) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is %s, wanted the name of %s, at most 1000 bytes long and without control "
                    "characters",
                    px_json_text(value, found, sizeof found), wanted);
        return NULL;
    }
    if (scene->folder == NULL) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "names a file, but this scene is not in a folder, so no file can be opened");
        return NULL;
    }
    return whole_path(scene, name);
}

#define MESH_FILE "an OBJ, PLY or STL file"
#define POINTS_FILE "a PLY or CSV file"

/* The object of a mesh that is a part of a file, or has poses. */
static bool read_mesh(PxScene *scene, const PxPath *path, const PxShapeForm *form, json_t *value,
                      PxShapeDef *out)
{
    size_t errors = px_scene_errors(scene);
    px_read_fields(scene, path, value, form->fields, form->field_count, out);
    const json_t *file = json_object_get(value, "file"), *poses = json_object_get(value, "poses");
    PxPath at = px_path_key(path, "file"), at_poses = px_path_key(path, "poses");
    if (file != NULL)
        out->mesh = px_read_file_name(scene, &at, file, MESH_FILE);
    if (poses != NULL)
        out->poses = px_read_file_name(scene, &at_poses, poses,
                                       "a PC2 file, or of mesh files with '#' for each digit of "
                                       "their numbers");
    for (size_t k = 0; poses == NULL && k < form->field_count; ++k) {
        const char *key = form->fields[k].key;
        if (strcmp(key, "file") == 0 || strcmp(key, "part") == 0 ||
            json_object_get(value, key) == NULL)
            continue;
        PxPath idle = px_path_key(path, key);
        px_complain(scene, PX_ERROR, &idle, PX_AT_KEY,
                    "is about poses, and there are none; wanted \"poses\" too");
    }
    return px_scene_errors(scene) == errors;
}

static bool read_form(PxScene *scene, const PxPath *path, const PxShapeForm *form, json_t *value,
                      PxShapeDef *out)
{
    if (form->file && form->fields != NULL && json_is_object(value))
        return read_mesh(scene, path, form, value, out);
    if (form->file) {
        out->mesh =
            px_read_file_name(scene, path, value, form->fields != NULL ? MESH_FILE : POINTS_FILE);
        return out->mesh != NULL;
    }
    if (form->plain != NULL && (form->fields == NULL || !json_is_object(value)))
        return px_read_field(scene, path, form->plain, value, out);
    char wanted[160];
    size_t used = (size_t)snprintf(wanted, sizeof wanted, "an object with ");
    for (size_t k = 0; k < form->field_count; ++k)
        used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%s\"%s\"", k > 0 ? ", " : "",
                                 form->fields[k].key);
    if (!px_read_object(scene, path, value, wanted))
        return false;
    return px_read_fields(scene, path, value, form->fields, form->field_count, out);
}

/* Does the object have an unknown key? It may be a misspelt form, about which a complaint was
 * made. */
static bool has_strange_key(json_t *json)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (!px_key_is_comment(key) && px_form_find(key) == NULL &&
            px_section_field(&px_shape_section, key) == NULL)
            return true;
    }
    return false;
}

/* Finds the one form that is stated; NULL after a complaint. */
static const PxShapeForm *find_form(PxScene *scene, const PxPath *path, json_t *json)
{
    const char *words[PX_SHAPE_KINDS + 2];
    const PxShapeForm *found = NULL;
    for (size_t k = 0; k < px_shape_form_count; ++k) {
        const PxShapeForm *form = &px_shape_forms[k];
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
                    px_list_text(words, px_shape_form_count, list, sizeof list));
    return found;
}

bool px_read_shape(PxScene *scene, const PxPath *path, json_t *value, PxShapeDef *out,
                   PxSceneTurn *turn)
{
    if (!px_read_object(scene, path, value, px_shape_section.wanted))
        return false;
    const char *more[PX_SHAPE_KINDS + 3] = {0};
    for (size_t k = 0; k < px_shape_form_count; ++k)
        more[k] = px_shape_forms[k].key;
    PxSceneShape stated;
    px_shape_section.defaults(&stated);
    stated.turn.axis = px_scene_up_vector(scene);
    bool good = px_read_section(scene, path, value, &px_shape_section, &stated, more);
    *turn = stated.turn;
    const PxShapeForm *form = find_form(scene, path, value);
    if (form == NULL)
        return false;
    PxShapeDef shape = px_shape_def_default(form->kind);
    shape.at = stated.def.at;
    shape.scale = stated.def.scale;
    if (form->kind == PX_SHAPE_PLANE)
        shape.normal = px_scene_up_vector(scene);
    PxPath at = px_path_key(path, form->key);
    good = read_form(scene, &at, form, json_object_get(value, form->key), &shape) && good;
    *out = shape;
    return good;
}
