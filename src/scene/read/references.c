#include "scene/read/references.h"

#include "base/words.h"
#include "scene/read/values.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 64 };

/* Collects the names that would be valid, for messages. */
typedef struct Choice {
    const char *what; /* "solids" */
    const char *word[SHOWN];
    size_t count;
    char list[400];
} Choice;

static bool may_be_named(const PxScene *scene, const PxField *field, size_t index)
{
    if ((field->flags & PX_FIELD_OF_CLOTH) && scene->body[index].def.cloth)
        return true;
    if (field->flags & PX_FIELD_OF_SOLID)
        return px_scene_is_solid(scene, index);
    return !(field->flags & PX_FIELD_OF_MATTER) || !px_body_is_bare(&scene->body[index].def);
}

/* Complains about a body that a handle or force cannot act on. */
static void complain_unfit(PxScene *scene, const PxPath *path, const char *name, size_t index,
                           const Choice *choice)
{
    char part[120];
    px_complain(scene, PX_ERROR, path, PX_AT_VALUE, "is '%s', which is %s; %s of this scene: %s",
                px_quote(name, part, sizeof part),
                scene->body[index].def.wall    ? "a wall: walls have keyframes of their own"
                : scene->body[index].def.rigid ? "a rigid body, which has no particles"
                : scene->body[index].def.cloth ? "cloth, which has no particles"
                                               : "not a solid: the \"young\" of its material is 0",
                choice->what, choice->list);
}

static void complain_missing(PxScene *scene, const PxPath *above, const PxPath *path,
                             const PxField *field, const PxKind *kind, const Choice *choice)
{
    if (field->flags & PX_FIELD_OF_SOLID)
        px_complain(scene, PX_ERROR, above, PX_AT_VALUE,
                    "has nothing to act on: %s of this scene: %s", choice->what, choice->list);
    else if (field->flags & PX_FIELD_ONLY_NOT) /* required, but only for some things */
        px_complain(scene, PX_ERROR, path, PX_AT_VALUE,
                    "is missing: a %s that is not a %s needs one; %s of this scene: %s",
                    kind->section.name, kind->section.divider, choice->what, choice->list);
}

bool px_read_reference(PxScene *scene, const PxPath *above, const json_t *json,
                       const PxField *field, const PxKind *kind, size_t *out)
{
    const PxKind *other = px_kind_of_list(field->of);
    const PxSceneList *list = px_scene_list(scene, other);
    const json_t *value = json_object_get(json, field->key);
    PxPath path = px_path_key(above, field->key);
    const char *name = value != NULL ? px_read_text(scene, &path, PX_SCENE_MOST_NAME, value) : NULL;
    bool solid = field->flags & PX_FIELD_OF_SOLID, matter = field->flags & PX_FIELD_OF_MATTER;
    Choice choice = {.what = solid ? "solids and cloth" : matter ? "non-wall bodies" : other->list};
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < list->count; ++k) {
        const char *its = px_kind_name(other, px_thing_def(px_scene_thing(list, other, k)));
        if (name != NULL && found == SIZE_MAX && strcmp(its, name) == 0)
            found = k;
        if (choice.count < SHOWN && may_be_named(scene, field, k))
            choice.word[choice.count++] = its;
    }
    if (value != NULL && name == NULL)
        return !solid; /* already complained about */
    if (found != SIZE_MAX && may_be_named(scene, field, found)) {
        *out = found;
        return true;
    }
    px_list_text(choice.word, choice.count, choice.list, sizeof choice.list);
    if (choice.count == 0)
        snprintf(choice.list, sizeof choice.list, "none%s",
                 solid ? " (a solid's material has \"young\")" : "");
    if (name == NULL) {
        if (solid && choice.count > 0)
            return true; /* any solid */
        complain_missing(scene, above, &path, field, kind, &choice);
        return !solid;
    }
    char near[120], part[120];
    if (found != SIZE_MAX && solid)
        complain_unfit(scene, &path, name, found, &choice);
    else
        px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                    "is '%s', which is not among the %s of this scene: %s%s",
                    px_quote(name, part, sizeof part), choice.what, choice.list,
                    px_suggestion_text(name, choice.word, choice.count, near, sizeof near));
    return !solid;
}

void px_find_vessels(PxScene *scene, const PxPath *root)
{
    const char *word[SHOWN];
    size_t count = 0;
    for (size_t k = 0; k < scene->bodies; ++k)
        if (count < SHOWN && px_body_is_boundary(&scene->body[k].def))
            word[count++] = scene->body[k].def.name;
    for (size_t k = 0; k < scene->bodies; ++k) {
        PxSceneVessel *vessel = scene->body[k].is.vessel;
        if (vessel == NULL)
            continue;
        for (size_t i = 0; i < scene->bodies; ++i)
            if (px_body_is_boundary(&scene->body[i].def) &&
                strcmp(scene->body[i].def.name, vessel->in) == 0)
                vessel->body = i;
        if (vessel->body != SIZE_MAX)
            continue;
        PxPath list = px_path_key(root, "bodies"), one = px_path_index(&list, k);
        PxPath fill = px_path_key(&one, "fill"), in = px_path_key(&fill, "in");
        char near[120], part[120], all[400];
        px_list_text(word, count, all, sizeof all);
        px_complain(scene, PX_ERROR, &in, PX_AT_VALUE,
                    "is '%s', which is not among the walls and rigid bodies of this scene: %s%s",
                    px_quote(vessel->in, part, sizeof part), count > 0 ? all : "none",
                    px_suggestion_text(vessel->in, word, count, near, sizeof near));
    }
}
