#include "scene/read_material.h"

#include "scene/read_values.h"
#include "scene/writer.h"
#include "world/fields.h"

#include <string.h>

/* Is the model at `key` that of the first material? */
static void check_shared(PxScene *scene, const PxPath *at, const json_t *json, const char *key,
                         const char *model, const char *first)
{
    PxPath path = px_path_key(at, key);
    const json_t *materials = json_object_get(scene->root, "materials");
    const json_t *other = json_object_get(materials, scene->material[0].name);
    if (strcmp(model, first) != 0)
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s'%s, but that of '%s' is '%s'%s: fluids of one world share the model",
                    model, json_object_get(json, key) == NULL ? " (the default)" : "",
                    px_quote(scene->material[0].name, (char[80]){0}, 80), first,
                    json_object_get(other, key) == NULL ? " (the default)" : "");
}

bool px_read_look(PxScene *scene, const PxPath *above, const json_t *json, PxSceneLook *out)
{
    json_t *value = json_object_get(json, "look");
    PxPath path = px_path_key(above, "look");
    px_look_section.defaults(out);
    return value != NULL && px_read_object(scene, &path, value, "an object with \"kind\"") &&
           px_read_section(scene, &path, value, &px_look_section, out);
}

/* --- melting --- */

/* What the molten state may not have: kindly, since it is easily asked for. */
static bool refuse_into(PxScene *scene, const PxPath *path, const char *key)
{
    const PxField *field = px_field_find(px_material_fields, px_material_field_count, key);
    bool own = px_field_find(px_melt_into_fields, px_melt_into_field_count, key) != NULL;
    PxPath at = px_path_key(path, key);
    if (field == NULL || own)
        return false;
    px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                "%s; what changes are numbers: viscosity, young, "
                "creep, tension, ...",
                field->kind == PX_FIELD_MODEL
                    ? "chooses a model, and matter that melts keeps its models"
                    : "stays as it is when matter melts");
    return true;
}

/* A number; or the model with its numbers, which must be the cold state's, or the first that
 * the material has: that of a cold state without tension then, but with a strength of 0. */
static void read_molten_tension(PxScene *scene, const PxPath *above, json_t *value,
                                PxMaterialDef *material)
{
    const PxField *family = px_field_find(px_material_fields, px_material_field_count, "tension");
    const PxField *strength = px_entry_find(&px_melt_into_section, "tension")->field;
    PxPath path = px_path_key(above, "tension");
    bool none = strcmp(material->tension.model, "none") == 0;
    PxModelChoice hot = material->tension;
    if (json_is_number(value) && !none) {
        px_read_number(scene, &path, strength, value, &material->melts.into.tension);
        return;
    }
    if (json_is_number(value)) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is a number, but the material has no model of surface tension; wanted "
                    "{\"model\": \"csf\", \"sigma\": ...} or another");
        return;
    }
    if (!px_read_model(scene, &path, family, value, &hot))
        return;
    bool same = strcmp(hot.model, material->tension.model) == 0;
    if (!same && !none) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', but that of the cold state is '%s': matter that melts keeps its "
                    "models, and how strong they are may change",
                    hot.model, material->tension.model);
        return;
    }
    for (int k = 1; same && k < PX_MODEL_PARAMS; ++k)
        if (hot.param[k] != material->tension.param[k])
            px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                        "has other numbers than that of the cold state; only how strong it is may "
                        "change");
    if (strcmp(hot.model, "none") == 0)
        return;
    double cold = none ? 0 : material->tension.param[0];
    material->melts.into.tension = hot.param[0];
    material->tension = hot;
    material->tension.param[0] = cold;
}

static void read_melting(PxScene *scene, const PxPath *above, const json_t *json,
                         PxMaterialDef *material)
{
    json_t *value = json_object_get(json, "melts");
    PxPath path = px_path_key(above, "melts"), into = px_path_key(&path, "into");
    PxPath to = px_path_key(&path, "to");
    if (value == NULL ||
        !px_read_object(scene, &path, value, "an object with \"from\", \"to\" and \"into\""))
        return;
    material->melts.melts = px_read_section(scene, &path, value, &px_melt_section, material);
    if (material->melts.melts && json_object_get(json, "coat") == NULL)
        material->coat = px_coat_choice("surfels"); /* a skin could not follow it */
    char from[32], high[32];
    if (material->melts.melts && !(material->melts.from < material->melts.to))
        px_complain(scene, PX_ERROR, &to, PX_AT_VALUE, "is %s, wanted more than \"from\", %s",
                    px_number_text(material->melts.to, high),
                    px_number_text(material->melts.from, from));
    json_t *molten = json_object_get(value, "into");
    if (molten == NULL || !px_read_object(scene, &into, molten, "an object with numbers"))
        return;
    json_t *known = json_object(); /* what was not refused already */
    const char *key;
    json_t *number;
    json_object_foreach(molten, key, number)
    {
        if (!refuse_into(scene, &into, key) && json_object_set(known, key, number) != 0)
            scene->no_memory = true;
    }
    px_read_section(scene, &into, known, &px_melt_into_section, material);
    json_t *tension = json_object_get(known, "tension");
    if (tension != NULL)
        read_molten_tension(scene, &into, tension, material);
    json_decref(known);
}

PxStatus px_read_materials(PxScene *scene, const PxPath *root)
{
    json_t *json = json_object_get(scene->root, "materials");
    PxPath path = px_path_key(root, "materials");
    const PxEntry *entry = px_entry_find(&px_scene_section, "materials");
    if (json == NULL || !px_read_object(scene, &path, json, "an object of materials by name"))
        return PX_OK;
    size_t count = json_object_size(json);
    if (count > entry->most) {
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "are %zu materials, at most %zu fit",
                    count, entry->most);
        return PX_OK;
    }
    scene->material = PX_ARENA_ARRAY(&scene->memory, PxMaterialDef, count);
    scene->material_look = PX_ARENA_ARRAY(&scene->memory, PxSceneLook *, count);
    PxSceneLook *looks = PX_ARENA_ARRAY(&scene->memory, PxSceneLook, count);
    if (scene->material == NULL || scene->material_look == NULL || looks == NULL)
        return px_scene_no_room("materials", count);
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        if (px_key_is_comment(name))
            continue;
        PxPath at = px_path_key(&path, name);
        if (name[0] == '\0' || strlen(name) > PX_SCENE_MOST_NAME || strchr(name, '.') != NULL ||
            !px_text_is_plain(name))
            px_complain(scene, PX_ERROR, &at, PX_AT_KEY,
                        "is not a name for a material: wanted 1 to %d bytes without a dot or "
                        "control characters",
                        PX_SCENE_MOST_NAME);
        size_t index = scene->materials++;
        PxMaterialDef *material = &scene->material[index];
        scene->material_look[index] = NULL;
        px_material_section.defaults(material);
        material->name = name;
        if (px_read_object(scene, &at, value, "an object with what the material is like"))
            px_read_section(scene, &at, value, &px_material_section, material);
        if (json_is_object(value))
            read_melting(scene, &at, value, material);
        if (json_is_object(value) && px_read_look(scene, &at, value, &looks[index]))
            scene->material_look[index] = &looks[index];
        check_shared(scene, &at, value, "pressure", material->pressure.model,
                     scene->material[0].pressure.model);
        check_shared(scene, &at, value, "viscosity_model", material->viscosity_model.model,
                     scene->material[0].viscosity_model.model);
    }
    return PX_OK;
}
