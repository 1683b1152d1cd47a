/// From the JSON tree to the content of a scene, complaining on the way. Nothing
/// here stops at what is wrong: the default stays, and reading goes on.
#include "scene/content.h"

#include "base/vec.h"
#include "scene/read_events.h"
#include "scene/read_material.h"
#include "scene/read_values.h"
#include "scene/writer.h"
#include "world/fields.h"
#include "world/actors/opening.h"

#include <stdlib.h>
#include <string.h>

/* --- shapes ------------------------------------------------------------------------------ */

/* True, with the default, when there is no turn. */
static bool read_turn(PxScene *scene, const PxPath *above, const json_t *json, PxSceneTurn *out)
{
    json_t *value = json_object_get(json, "turn");
    PxPath path = px_path_key(above, "turn");
    px_turn_section.defaults(out);
    out->axis = px_scene_up_vector(scene);
    if (value == NULL)
        return true;
    return px_read_object(scene, &path, value, "an object with \"axis\" and \"degrees\"") &&
           px_read_section(scene, &path, value, &px_turn_section, out);
}

/* The whole path of a file, in the scene's memory; NULL when memory is out. */
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

static bool read_mesh(PxScene *scene, const PxPath *path, const json_t *value, PxShapeDef *out)
{
    char found[96];
    const char *name = json_string_value(value);
    if (name == NULL || name[0] == '\0' || strlen(name) > 1000 || !px_text_is_plain(name)) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is %s, wanted the name of an OBJ, PLY or STL file, at most 1000 bytes long "
                    "and without control characters",
                    px_json_text(value, found, sizeof found));
        return false;
    }
    if (scene->folder == NULL) {
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "names a file, but this scene is not in a folder, so no file can be opened");
        return false;
    }
    out->mesh = whole_path(scene, name);
    return out->mesh != NULL;
}

static bool read_form(PxScene *scene, const PxPath *path, const PxShapeForm *form, json_t *value,
                      PxShapeDef *out)
{
    if (form->file)
        return read_mesh(scene, path, value, out);
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

/* Has the object a key that is not of its section? It may have been the kind of
 * shape that is missed, and was complained about. */
static bool has_strange_key(json_t *json)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        if (!px_key_is_comment(key) && px_form_find(&px_shape_section, key) == NULL &&
            px_entry_find(&px_shape_section, key) == NULL &&
            px_field_find(px_shape_section.fields, *px_shape_section.field_count, key) == NULL)
            return true;
    }
    return false;
}

/* The one kind of shape that is stated; NULL after a complaint. */
static const PxShapeForm *find_form(PxScene *scene, const PxPath *path, json_t *json)
{
    const char *words[PX_SHAPE_KINDS];
    const PxShapeForm *found = NULL;
    for (size_t k = 0; k < px_shape_section.form_count; ++k) {
        const PxShapeForm *form = &px_shape_section.forms[k];
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
                    px_list_text(words, px_shape_section.form_count, list, sizeof list));
    return found;
}

/* False, after a complaint, when the shape could not be read. */
static bool read_shape(PxScene *scene, const PxPath *above, const json_t *json, PxShapeDef *out,
                       PxSceneTurn *turn)
{
    json_t *value = json_object_get(json, "shape");
    PxPath path = px_path_key(above, "shape");
    px_turn_section.defaults(turn);
    if (value == NULL || !px_read_object(scene, &path, value, "an object with a kind of shape"))
        return false;
    PxShapeDef scratch;
    px_shape_section.defaults(&scratch);
    bool good = px_read_section(scene, &path, value, &px_shape_section, &scratch);
    good = read_turn(scene, &path, value, turn) && good;
    const PxShapeForm *form = find_form(scene, &path, value);
    if (form == NULL)
        return false;
    PxShapeDef shape = px_shape_def_default(form->kind);
    shape.at = scratch.at;
    shape.scale = scratch.scale;
    if (form->kind == PX_SHAPE_PLANE)
        shape.normal = px_scene_up_vector(scene);
    PxPath at = px_path_key(&path, form->key);
    good = read_form(scene, &at, form, json_object_get(value, form->key), &shape) && good;
    *out = shape;
    return good;
}

/* --- bodies ------------------------------------------------------------------------------ */

/* *out begins with one at time 0. */
static PxStatus read_keyframes(PxScene *scene, const PxPath *above, const json_t *json,
                               const PxSection *section, PxSceneKeyframe **out, size_t *made)
{
    json_t *list = px_read_list(scene, above, section, "keyframes", json);
    if (list == NULL || json_array_size(list) == 0)
        return PX_OK;
    PxPath path = px_path_key(above, "keyframes");
    size_t count = json_array_size(list);
    PxSceneKeyframe *keyframe = *out = PX_ARENA_ARRAY(&scene->memory, PxSceneKeyframe, count + 1);
    if (keyframe == NULL)
        return px_scene_no_room("keyframes", count);
    /* A wall starts where it was put, unless the first keyframe says otherwise. */
    px_keyframe_section.defaults(&keyframe[0]);
    keyframe[0].turn.axis = px_scene_up_vector(scene);
    *made = 1;
    for (size_t k = 0; k < count; ++k) {
        json_t *value = json_array_get(list, k);
        PxPath at = px_path_index(&path, k), time = px_path_key(&at, "at");
        PxSceneKeyframe next;
        px_keyframe_section.defaults(&next);
        if (!px_read_object(scene, &at, value, "an object with \"at\", \"move\" and \"turn\""))
            continue;
        bool good = px_read_section(scene, &at, value, &px_keyframe_section, &next);
        good = read_turn(scene, &at, value, &next.turn) && good;
        if (!good)
            continue;
        const PxSceneKeyframe *last = &keyframe[*made - 1];
        if (k == 0 && next.at == 0)
            *made = 0;
        else if (next.at <= last->at) {
            char now[32], before[32];
            px_complain(scene, PX_ERROR, &time, PX_AT_VALUE,
                        "is %s s, wanted more than the keyframe before, which is at %s s",
                        px_number_text(next.at, now), px_number_text(last->at, before));
            continue;
        }
        keyframe[(*made)++] = next;
    }
    return PX_OK;
}

/* Temperatures by time, of a wall or heater. */
static PxStatus read_temperatures(PxScene *scene, const PxPath *above, const json_t *json,
                                  const PxSection *section, const PxTemperatureKey **out,
                                  size_t *made)
{
    json_t *list = px_read_list(scene, above, section, "temperatures", json);
    PxPath path = px_path_key(above, "temperatures");
    size_t count = json_array_size(list);
    PxTemperatureKey *key = PX_ARENA_ARRAY(&scene->memory, PxTemperatureKey, count);
    if (key == NULL)
        return px_scene_no_room("temperatures", count);
    *out = key;
    *made = 0;
    for (size_t k = 0; k < count; ++k) {
        json_t *value = json_array_get(list, k);
        PxPath at = px_path_index(&path, k), time = px_path_key(&at, "at");
        PxTemperatureKey next;
        px_temperature_section.defaults(&next);
        if (!px_read_object(scene, &at, value, "an object with \"at\" and \"to\"") ||
            !px_read_section(scene, &at, value, &px_temperature_section, &next))
            continue;
        char now[32], before[32];
        if (*made > 0 && next.time <= key[*made - 1].time)
            px_complain(scene, PX_ERROR, &time, PX_AT_VALUE,
                        "is %s s, wanted more than the one before, which is at %s s",
                        px_number_text(next.time, now),
                        px_number_text(key[*made - 1].time, before));
        else
            key[(*made)++] = next;
    }
    return PX_OK;
}

/* Which material is named, or PX_NO_MATERIAL after a complaint. */
static size_t read_material_name(PxScene *scene, const PxPath *above, const json_t *json,
                                 const PxSection *section)
{
    PxPath path = px_path_key(above, "material");
    const char *name = px_read_text(scene, above, section, "material", json);
    for (size_t k = 0; name != NULL && k < scene->materials; ++k)
        if (strcmp(scene->material[k].name, name) == 0)
            return k;
    if (name == NULL && (json_object_get(json, "material") != NULL ||
                         px_entry_find(section, "material")->flags & PX_FIELD_REQUIRED))
        return PX_NO_MATERIAL; /* refused already */
    enum { SHOWN = 64 };
    const char *words[SHOWN];
    size_t count = scene->materials < SHOWN ? scene->materials : SHOWN;
    for (size_t k = 0; k < count; ++k)
        words[k] = scene->material[k].name;
    char list[400], near[120], part[120];
    px_list_text(words, count, list, sizeof list);
    if (count == 0)
        snprintf(list, sizeof list, "none");
    if (name == NULL)
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is missing: a body that is not a wall needs one, and there are %s", list);
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', but the materials of this scene are %s%s",
                    px_quote(name, part, sizeof part), list,
                    px_suggestion_text(name, words, count, near, sizeof near));
    return PX_NO_MATERIAL;
}

/* What a wall must not have, and what only a wall may have. */
static void check_sort(PxScene *scene, const PxPath *path, json_t *json, bool wall)
{
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value)
    {
        PxBodySort sort = px_body_key_sort(key);
        PxPath at = px_path_key(path, key);
        if (sort == PX_FOR_WALLS && !wall)
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                        "is for walls only; should this body have \"wall\": true?");
        else if (sort == PX_FOR_MATTER && wall)
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY, "is not for walls: they %s",
                        strcmp(key, "velocity") == 0 || strcmp(key, "spin") == 0
                            ? "move by \"keyframes\""
                            : "are not filled with anything");
    }
}

/* Particles of different sizes are for solids, and levels for them. */
static void check_fill(PxScene *scene, const PxPath *path, const PxSceneBody *body)
{
    PxPath fill = px_path_key(path, "fill"), levels = px_path_key(path, "levels");
    bool octree = body->def.fill == PX_FILL_OCTREE;
    if (octree && body->material != PX_NO_MATERIAL && !(scene->material[body->material].young > 0))
        px_complain(scene, PX_ERROR, &fill, PX_AT_VALUE,
                    "is for solids: fluids need a uniform filling, and the \"young\" of '%s' is 0",
                    px_quote(scene->material[body->material].name, (char[100]){0}, 100));
    if (!octree && body->def.levels != px_body_def_default().levels)
        px_complain(scene, PX_ERROR, &levels, PX_AT_KEY,
                    "is of octrees; should this body have \"fill\": \"octree\"?");
}

/* The stated name, or one made of the section's and the number. */
static PxStatus read_name(PxScene *scene, const PxPath *path, const json_t *json,
                          const PxSection *section, size_t index, const char **out)
{
    char name[32];
    snprintf(name, sizeof name, "%s %zu", section->name, index + 1);
    char *kept = px_arena_take(&scene->memory, sizeof name);
    if (kept == NULL)
        return px_scene_no_room("names", 1);
    *out = memcpy(kept, name, sizeof name);
    const char *stated =
        json_is_object(json) ? px_read_text(scene, path, section, "name", json) : NULL;
    if (stated == NULL)
        return PX_OK;
    *out = stated;
    PxPath at = px_path_key(path, "name");
    if (strchr(stated, '.') != NULL)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is '%s': a name has no dot, because dots part the steps of a path",
                    px_quote(stated, (char[100]){0}, 100));
    return PX_OK;
}

/* What shows the surface of a solid, and what it is painted with. */
static void read_skin(PxScene *scene, const PxPath *path, json_t *json, PxSceneBody *body)
{
    static const char *const keys[] = {"surfels", "texture"};
    if (body->def.surfels > 0 && json_object_get(json, "skin") == NULL)
        body->def.skin = false; /* one of the two is enough */
    bool wanted = body->def.surfels > 0 || body->def.skin;
    const char *name = px_read_text(scene, path, &px_body_section, "texture", json);
    PxPath at = px_path_key(path, "texture");
    if (name != NULL && (name[0] == '\0' || !px_text_is_plain(name)))
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is no name of a file, wanted that of a PNG picture");
    else if (name != NULL && scene->folder == NULL)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "names a file, but this scene is not in a folder, so no file can be opened");
    else if (name != NULL && !wanted)
        px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                    "has nothing to be on: wanted \"surfels\": 20000, or \"skin\": true");
    else if (name != NULL && body->shape_known && body->def.shape.kind != PX_SHAPE_MESH)
        px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                    "needs a mesh with texture coordinates, but the shape is a %s",
                    px_shape_kind_name(body->def.shape.kind));
    else if (name != NULL)
        body->def.texture = whole_path(scene, name);
    if (body->material == PX_NO_MATERIAL || scene->material[body->material].young > 0 ||
        strcmp(scene->material[body->material].coat.model, "none") != 0)
        return;
    for (size_t k = 0; k < PX_COUNT(keys); ++k) {
        const json_t *value = json_object_get(json, keys[k]);
        PxPath key = px_path_key(path, keys[k]);
        if (value != NULL && !json_is_false(value) && !(k == 0 && body->def.surfels == 0))
            px_complain(scene, PX_ERROR, &key, PX_AT_KEY,
                        "is for solids, and '%s' is a fluid (its \"young\" is 0); "
                        "'phyxel surface' makes the surfaces of fluids, or \"coat\" of the "
                        "material",
                        scene->material[body->material].name);
    }
}

static PxStatus read_body(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                          PxSceneBody *body)
{
    *body = (PxSceneBody){.material = PX_NO_MATERIAL};
    px_body_section.defaults(&body->def);
    PX_TRY(read_name(scene, path, json, &px_body_section, index, &body->def.name));
    if (!px_read_object(scene, path, json, "an object with a shape, and a material or \"wall\""))
        return PX_OK;
    px_read_section(scene, path, json, &px_body_section, &body->def);
    body->shape_known = read_shape(scene, path, json, &body->def.shape, &body->turn);
    body->has_look = px_read_look(scene, path, json, &body->look);
    const json_t *wall = json_object_get(json, "wall");
    if (wall != NULL && !json_is_boolean(wall))
        return PX_OK; /* whether it is a wall is not known */
    check_sort(scene, path, json, body->def.wall);
    if (!body->def.wall) {
        body->material = read_material_name(scene, path, json, &px_body_section);
        check_fill(scene, path, body);
        read_skin(scene, path, json, body);
        PxPath shape = px_path_key(path, "shape"), plane = px_path_key(&shape, "plane");
        if (body->shape_known && body->def.shape.kind == PX_SHAPE_PLANE)
            px_complain(scene, PX_ERROR, &plane, PX_AT_KEY,
                        "has no end and cannot be filled; should this body have \"wall\": true?");
        return PX_OK;
    }
    PX_TRY(read_temperatures(scene, path, json, &px_body_section, &body->def.temperature_key,
                             &body->def.temperatures));
    body->def.warm = json_object_get(json, "temperature") != NULL || body->def.temperatures > 0;
    PxPath contact = px_path_key(path, "conductance");
    if (body->def.conductance != px_body_def_default().conductance && !body->def.warm)
        px_complain(scene, PX_WARNING, &contact, PX_AT_KEY,
                    "does nothing: a wall without a temperature lets no heat pass");
    return read_keyframes(scene, path, json, &px_body_section, &body->keyframe, &body->keyframes);
}

typedef struct Named {
    const char *name;
    size_t list, index; /* of `lists` below, in it */
} Named;

static int compare_names(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->list > y->list) - (x->list < y->list);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static const char *name_in(const PxScene *scene, size_t list, size_t index)
{
    switch (list) {
    case 0:
        return scene->body[index].def.name;
    case 1:
        return scene->emitter[index].def.name;
    case 2:
        return scene->sink[index].def.name;
    case 3:
        return scene->handle[index].def.name;
    case 4:
        return scene->force[index].def.name;
    default:
        return scene->heater[index].def.name;
    }
}

/* Emitters, sinks, ... are looked at with the bodies: what an emitter gives is a body of
 * its name, and a name should lead to one thing. */
static PxStatus check_names(PxScene *scene, const PxPath *root)
{
    static const char *const lists[] = {"bodies",  "emitters", "sinks",
                                        "handles", "forces",   "heaters"};
    size_t counts[] = {scene->bodies,  scene->emitters, scene->sinks,
                       scene->handles, scene->forces,   scene->heaters};
    size_t all = 0, count = 0;
    for (size_t list = 0; list < PX_COUNT(lists); ++list)
        all += counts[list];
    PxArenaMark mark = px_arena_mark(&scene->memory);
    Named *named = PX_ARENA_ARRAY(&scene->memory, Named, all);
    if (named == NULL)
        return px_scene_no_room("names", all);
    for (size_t list = 0; list < PX_COUNT(lists); ++list)
        for (size_t k = 0; k < counts[list]; ++k)
            named[count++] = (Named){name_in(scene, list, k), list, k};
    qsort(named, count, sizeof *named, compare_names);
    for (size_t k = 1; k < count; ++k) {
        if (strcmp(named[k].name, named[k - 1].name) != 0)
            continue;
        PxPath list = px_path_key(root, lists[named[k].list]);
        PxPath one = px_path_index(&list, named[k].index), name = px_path_key(&one, "name");
        px_complain(scene, PX_ERROR, &name, PX_AT_VALUE, "is '%s', as is that of %s[%zu]",
                    px_quote(named[k].name, (char[120]){0}, 120), lists[named[k - 1].list],
                    named[k - 1].index);
    }
    px_arena_release(&scene->memory, mark);
    return PX_OK;
}

/* Keyframes in all, those put between turns included, may not become too many. */
static void count_keyframes(PxScene *scene, const PxPath *above, const PxSceneKeyframe *keyframe,
                            size_t keyframes, size_t *count)
{
    enum { MOST_KEYFRAMES = 1000000 };
    PxPath journey = px_path_key(above, "keyframes");
    *count += px_scene_keyframes(keyframe, keyframes, NULL);
    if (*count <= MOST_KEYFRAMES)
        return;
    px_complain(scene, PX_ERROR, &journey, PX_AT_VALUE,
                "turn too often: more than %d keyframes in all", MOST_KEYFRAMES);
    *count = 0;
}

static PxStatus read_bodies(PxScene *scene, const PxPath *root)
{
    json_t *list = px_read_list(scene, root, &px_scene_section, "bodies", scene->root);
    if (list == NULL)
        return PX_OK;
    PxPath path = px_path_key(root, "bodies");
    size_t count = json_array_size(list), keyframes = 0;
    scene->body = PX_ARENA_ARRAY(&scene->memory, PxSceneBody, count);
    if (scene->body == NULL)
        return px_scene_no_room("bodies", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_body(scene, &at, json_array_get(list, k), k, &scene->body[k]));
        scene->bodies++;
        count_keyframes(scene, &at, scene->body[k].keyframe, scene->body[k].keyframes, &keyframes);
    }
    return PX_OK;
}

/* --- emitters and sinks ----------------------------------------------------------------------- */

static void check_between(PxScene *scene, const PxPath *path, double start, double end)
{
    PxPath at = px_path_key(path, "end");
    char from[32], to[32];
    if (!(end > start))
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "is %s s, wanted more than the start, %s s",
                    px_number_text(end, to), px_number_text(start, from));
}

/* The face that matter comes out of: the direction's default follows the shape. */
static void check_opening(PxScene *scene, const PxPath *path, bool stated, PxSceneEmitter *emitter)
{
    PxPath shape = px_path_key(path, "shape"), direction = px_path_key(path, "direction");
    PxPath kind = px_path_key(&shape, px_form_of_kind(emitter->def.shape.kind)->key);
    PxShapeDef placed = px_scene_shape(scene, &emitter->def.shape, &emitter->turn);
    PxOpening opening;
    bool usable = placed.kind == PX_SHAPE_BOX || placed.kind == PX_SHAPE_CYLINDER;
    if (!stated)
        emitter->def.direction = px_opening_axis(&placed);
    if (usable && !(px_length(emitter->def.direction) > 0))
        px_complain(scene, PX_ERROR, &direction, PX_AT_VALUE,
                    "is the zero vector, which has no direction");
    else if (px_opening_make(&placed, emitter->def.direction, &opening) != PX_OK)
        px_complain(scene, PX_ERROR, usable ? &direction : &kind, usable ? PX_AT_VALUE : PX_AT_KEY,
                    "%s", px_error_message());
}

static PxStatus read_emitter(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                             PxSceneEmitter *out)
{
    *out = (PxSceneEmitter){.material = PX_NO_MATERIAL};
    px_emitter_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_emitter_section, index, &out->def.name));
    if (!px_read_object(scene, path, json,
                        "an object with a shape, a material and a speed or rate"))
        return PX_OK;
    bool good = px_read_section(scene, path, json, &px_emitter_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    out->material = read_material_name(scene, path, json, &px_emitter_section);
    if (out->shape_known && good)
        check_opening(scene, path, json_object_get(json, "direction") != NULL, out);
    PxPath speed = px_path_key(path, "speed"), rate = px_path_key(path, "rate");
    if (json_object_get(json, "speed") == NULL && json_object_get(json, "rate") == NULL)
        px_complain(scene, PX_ERROR, &speed, PX_AT_VALUE,
                    "is missing: wanted a \"speed\" in m/s or a \"rate\" in m^3/s");
    else if (out->def.speed > 0 && out->def.rate > 0)
        px_complain(scene, PX_ERROR, &rate, PX_AT_VALUE,
                    "is stated beside a speed: each follows from the other, so leave one out");
    check_between(scene, path, out->def.start, out->def.end);
    return PX_OK;
}

static PxStatus read_sink(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                          PxSceneSink *out)
{
    *out = (PxSceneSink){.shape_known = false};
    px_sink_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_sink_section, index, &out->def.name));
    if (!px_read_object(scene, path, json, "an object with a shape"))
        return PX_OK;
    px_read_section(scene, path, json, &px_sink_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    check_between(scene, path, out->def.start, out->def.end);
    return PX_OK;
}

static PxStatus read_emitters(PxScene *scene, const PxPath *root)
{
    json_t *list = px_read_list(scene, root, &px_scene_section, "emitters", scene->root);
    PxPath path = px_path_key(root, "emitters");
    size_t count = json_array_size(list);
    scene->emitter = PX_ARENA_ARRAY(&scene->memory, PxSceneEmitter, count);
    if (scene->emitter == NULL)
        return px_scene_no_room("emitters", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_emitter(scene, &at, json_array_get(list, k), k, &scene->emitter[k]));
        scene->emitters++;
    }
    return PX_OK;
}

static PxStatus read_sinks(PxScene *scene, const PxPath *root)
{
    json_t *list = px_read_list(scene, root, &px_scene_section, "sinks", scene->root);
    PxPath path = px_path_key(root, "sinks");
    size_t count = json_array_size(list);
    scene->sink = PX_ARENA_ARRAY(&scene->memory, PxSceneSink, count);
    if (scene->sink == NULL)
        return px_scene_no_room("sinks", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_sink(scene, &at, json_array_get(list, k), k, &scene->sink[k]));
        scene->sinks++;
    }
    return PX_OK;
}

/* --- handles and forces ------------------------------------------------------------------------
 */

/* Which body's particles are meant: PX_NO_BODY, any solid's, when none is named. False after a
 * complaint. */
static bool read_solid_name(PxScene *scene, const PxPath *above, const json_t *json,
                            const PxSection *section, size_t *out)
{
    enum { SHOWN = 64 };
    const char *name = px_read_text(scene, above, section, "body", json), *words[SHOWN];
    size_t count = 0, found = PX_NO_BODY;
    for (size_t k = 0; k < scene->bodies; ++k) {
        if (name != NULL && found == PX_NO_BODY && strcmp(scene->body[k].def.name, name) == 0)
            found = k;
        if (px_scene_is_solid(scene, k) && count < SHOWN)
            words[count++] = scene->body[k].def.name;
    }
    if (json_object_get(json, "body") != NULL && name == NULL)
        return false; /* refused already */
    if (found != PX_NO_BODY ? px_scene_is_solid(scene, found) : name == NULL && count > 0) {
        *out = found;
        return true;
    }
    PxPath path = px_path_key(above, "body");
    char list[400], near[120], part[120];
    px_list_text(words, count, list, sizeof list);
    if (count == 0)
        snprintf(list, sizeof list, "none: a solid's material has \"young\"");
    if (name == NULL)
        px_complain(scene, PX_ERROR, above, PX_AT_VALUE, "has nothing to act on: solids are %s",
                    list);
    else if (found == PX_NO_BODY)
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', but the solids of this scene are %s%s",
                    px_quote(name, part, sizeof part), list,
                    px_suggestion_text(name, words, count, near, sizeof near));
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "is '%s', which is %s; solids are %s",
                    px_quote(name, part, sizeof part),
                    scene->body[found].def.wall ? "a wall: walls move by keyframes of their own"
                                                : "not a solid: the \"young\" of its material is 0",
                    list);
    return false;
}

static PxStatus read_handle(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                            PxSceneHandle *out)
{
    *out = (PxSceneHandle){.body = PX_NO_BODY};
    px_handle_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_handle_section, index, &out->def.name));
    if (!px_read_object(scene, path, json, "an object with a shape"))
        return PX_OK;
    px_read_section(scene, path, json, &px_handle_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    /* what has nothing to act on is said once */
    if (!read_solid_name(scene, path, json, &px_handle_section, &out->body))
        out->shape_known = false;
    check_between(scene, path, out->def.start, out->def.end);
    return read_keyframes(scene, path, json, &px_handle_section, &out->keyframe, &out->keyframes);
}

static PxStatus read_force(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                           PxSceneForce *out)
{
    *out = (PxSceneForce){.body = PX_NO_BODY};
    px_force_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_force_section, index, &out->def.name));
    if (!px_read_object(scene, path, json, "an object with a shape and a force"))
        return PX_OK;
    px_read_section(scene, path, json, &px_force_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    /* what has nothing to act on is said once */
    if (!read_solid_name(scene, path, json, &px_force_section, &out->body))
        out->shape_known = false;
    check_between(scene, path, out->def.start, out->def.end);
    return PX_OK;
}

static PxStatus read_handles(PxScene *scene, const PxPath *root)
{
    json_t *list = px_read_list(scene, root, &px_scene_section, "handles", scene->root);
    PxPath path = px_path_key(root, "handles");
    size_t count = json_array_size(list), keyframes = 0;
    scene->handle = PX_ARENA_ARRAY(&scene->memory, PxSceneHandle, count);
    if (scene->handle == NULL)
        return px_scene_no_room("handles", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PxSceneHandle *handle = &scene->handle[k];
        PX_TRY(read_handle(scene, &at, json_array_get(list, k), k, handle));
        scene->handles++;
        count_keyframes(scene, &at, handle->keyframe, handle->keyframes, &keyframes);
    }
    return PX_OK;
}

static PxStatus read_forces(PxScene *scene, const PxPath *root)
{
    json_t *list = px_read_list(scene, root, &px_scene_section, "forces", scene->root);
    PxPath path = px_path_key(root, "forces");
    size_t count = json_array_size(list);
    scene->force = PX_ARENA_ARRAY(&scene->memory, PxSceneForce, count);
    if (scene->force == NULL)
        return px_scene_no_room("forces", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_force(scene, &at, json_array_get(list, k), k, &scene->force[k]));
        scene->forces++;
    }
    return PX_OK;
}

/* Which body is warmed: PX_NO_BODY, all that is there, when none is named or after a complaint. */
static size_t read_warmed(PxScene *scene, const PxPath *above, const json_t *json)
{
    enum { SHOWN = 64 };
    const char *name = px_read_text(scene, above, &px_heater_section, "body", json), *words[SHOWN];
    size_t count = 0;
    for (size_t k = 0; k < scene->bodies; ++k) {
        if (scene->body[k].def.wall)
            continue;
        if (name != NULL && strcmp(scene->body[k].def.name, name) == 0)
            return k;
        if (count < SHOWN)
            words[count++] = scene->body[k].def.name;
    }
    if (name == NULL)
        return PX_NO_BODY;
    PxPath path = px_path_key(above, "body");
    char list[400], near[120], part[120];
    px_list_text(words, count, list, sizeof list);
    px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                "is '%s', but the bodies that are not walls are %s%s",
                px_quote(name, part, sizeof part), count > 0 ? list : "none",
                px_suggestion_text(name, words, count, near, sizeof near));
    return PX_NO_BODY;
}

static PxStatus read_heater(PxScene *scene, const PxPath *path, json_t *json, size_t index,
                            PxSceneHeater *out)
{
    *out = (PxSceneHeater){.body = PX_NO_BODY};
    px_heater_section.defaults(&out->def);
    PX_TRY(read_name(scene, path, json, &px_heater_section, index, &out->def.name));
    if (!px_read_object(scene, path, json, "an object with a shape and a temperature or power"))
        return PX_OK;
    px_read_section(scene, path, json, &px_heater_section, &out->def);
    out->shape_known = read_shape(scene, path, json, &out->def.shape, &out->turn);
    out->body = read_warmed(scene, path, json);
    check_between(scene, path, out->def.start, out->def.end);
    PX_TRY(read_temperatures(scene, path, json, &px_heater_section, &out->def.temperature_key,
                             &out->def.temperatures));
    bool power = json_object_get(json, "power") != NULL;
    out->def.holds = json_object_get(json, "temperature") != NULL ||
                     json_object_get(json, "temperatures") != NULL;
    PxPath at = px_path_key(path, "power"), within = px_path_key(path, "within");
    if (power && out->def.holds)
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE,
                    "is stated beside a temperature: a heater has one of the two");
    else if (!power && !out->def.holds)
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "does nothing: wanted a \"temperature\" in degrees C or a \"power\" in W");
    else if (power && json_object_get(json, "within") != NULL && out->def.within > 0)
        px_complain(scene, PX_ERROR, &within, PX_AT_KEY,
                    "is of heaters with a temperature: the time in which it is approached");
    return PX_OK;
}

static PxStatus read_heaters(PxScene *scene, const PxPath *root)
{
    json_t *list = px_read_list(scene, root, &px_scene_section, "heaters", scene->root);
    PxPath path = px_path_key(root, "heaters");
    size_t count = json_array_size(list);
    scene->heater = PX_ARENA_ARRAY(&scene->memory, PxSceneHeater, count);
    if (scene->heater == NULL)
        return px_scene_no_room("heaters", count);
    for (size_t k = 0; k < count; ++k) {
        PxPath at = px_path_index(&path, k);
        PX_TRY(read_heater(scene, &at, json_array_get(list, k), k, &scene->heater[k]));
        scene->heaters++;
    }
    return PX_OK;
}

/* --- camera --------------------------------------------------------------- */

static void read_camera(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, "camera");
    PxPath path = px_path_key(root, "camera");
    px_camera_section.defaults(&scene->camera);
    if (json == NULL || !px_read_object(scene, &path, json, "an object with \"from\" and \"to\""))
        return;
    if (!px_read_section(scene, &path, json, &px_camera_section, &scene->camera))
        return;
    if (px_length(px_sub(scene->camera.from, scene->camera.to)) > 0)
        scene->has_camera = true;
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "looks from a point at the same point, wanted \"from\" and \"to\" apart");
}

/* --- output --------------------------------------------------------------- */

static void read_output(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, "output");
    PxPath path = px_path_key(root, "output");
    px_output_section.defaults(&scene->output);
    if (json != NULL && px_read_object(scene, &path, json, "an object with names of columns"))
        px_read_section(scene, &path, json, &px_output_section, &scene->output);
}

/* --- the top ------------------------------------------------------------------------------------
 */

static void read_version(PxScene *scene, const PxPath *root)
{
    const json_t *value = json_object_get(scene->root, "phyxel");
    PxPath path = px_path_key(root, "phyxel");
    char found[96];
    if (value != NULL && (!json_is_number(value) || json_number_value(value) != PX_SCENE_VERSION))
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is %s, and this phyxel reads version %d of the format",
                    px_json_text(value, found, sizeof found), PX_SCENE_VERSION);
}

/* The file's name without folder and ending, for a scene that has no name. */
static PxStatus name_from_file(PxScene *scene)
{
    const char *slash = strrchr(scene->file, '/');
    const char *stem = slash != NULL ? slash + 1 : scene->file;
    const char *dot = strrchr(stem, '.');
    size_t size = dot != NULL && dot != stem ? (size_t)(dot - stem) : strlen(stem);
    char *name = px_arena_take(&scene->memory, size + 1);
    if (name == NULL)
        return px_scene_no_room("names", 1);
    memcpy(name, stem, size);
    name[size] = '\0';
    bool usable = size > 0 && size <= px_entry_find(&px_scene_section, "name")->most &&
                  px_text_is_plain(name);
    scene->name = usable ? name : "scene";
    return PX_OK;
}

void px_scene_forget(PxScene *scene)
{
    px_arena_free(&scene->memory);
    scene->material = NULL;
    scene->material_look = NULL;
    scene->body = NULL;
    scene->emitter = NULL;
    scene->sink = NULL;
    scene->handle = NULL;
    scene->force = NULL;
    scene->heater = NULL;
    scene->event = NULL;
    scene->event_index = NULL;
    scene->materials = scene->bodies = scene->emitters = scene->sinks = scene->events = 0;
    scene->handles = scene->forces = scene->heaters = 0;
    scene->has_camera = false;
    free(scene->resolved);
    scene->resolved = NULL;
    scene->hash[0] = '\0';
    px_complaints_clear(scene, false);
}

static PxStatus read_all(PxScene *scene)
{
    PxPath root = px_path_root();
    px_scene_section.defaults(&scene->world);
    px_time_section.defaults(&scene->time);
    PX_TRY(name_from_file(scene));
    if (!json_is_object(scene->root)) {
        if (scene->root != NULL)
            px_read_object(scene, &root, scene->root, "a scene: an object { \"phyxel\": 1, ... }");
        return PX_OK;
    }
    double weight = px_length(scene->world.gravity);
    json_t *up = json_object_get(scene->root, "up");
    PxPath up_path = px_path_key(&root, "up");
    scene->up = PX_UP_Y;
    if (up != NULL)
        px_read_field(scene, &up_path, px_entry_find(&px_scene_section, "up")->field, up,
                      &scene->up);
    scene->world.gravity = px_scale(px_scene_up_vector(scene), -weight);
    scene->world.spacing = 0; /* stays so when the stated one is refused */
    px_read_section(scene, &root, scene->root, &px_scene_section, &scene->world);
    read_version(scene, &root);
    px_read_text(scene, &root, &px_scene_section, "$schema", scene->root);
    const char *name = px_read_text(scene, &root, &px_scene_section, "name", scene->root);
    if (name != NULL)
        scene->name = name;
    json_t *time = json_object_get(scene->root, "time");
    PxPath time_path = px_path_key(&root, "time");
    if (time != NULL &&
        px_read_object(scene, &time_path, time, "an object with \"frames\" or \"fps\""))
        px_read_section(scene, &time_path, time, &px_time_section, &scene->time);
    PX_TRY(px_read_materials(scene, &root));
    PX_TRY(read_bodies(scene, &root));
    PX_TRY(read_emitters(scene, &root));
    PX_TRY(read_sinks(scene, &root));
    PX_TRY(read_handles(scene, &root));
    PX_TRY(read_forces(scene, &root));
    PX_TRY(read_heaters(scene, &root));
    PX_TRY(check_names(scene, &root));
    PX_TRY(px_read_events(scene, &root));
    read_camera(scene, &root);
    read_output(scene, &root);
    if (scene->world.min_step > scene->world.max_step) {
        PxPath path = px_path_key(&root, "min_step");
        char least[32], most[32];
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "is %s s, longer than max_step, %s s",
                    px_number_text(scene->world.min_step, least),
                    px_number_text(scene->world.max_step, most));
    }
    return PX_OK;
}

PxStatus px_scene_understand(PxScene *scene)
{
    PX_TRY(read_all(scene));
    return px_complaints_finish(scene);
}
