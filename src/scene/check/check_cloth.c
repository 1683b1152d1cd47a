/// Foresees cloth that starts inside a wall or rigid body, and numbers of wet cloth without effect.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "cloth/sheet.h"

static bool is_in(PxBounds b, PxVec3 x)
{
    return x.x >= b.low.x && x.x <= b.high.x && x.y >= b.low.y && x.y <= b.high.y &&
           x.z >= b.low.z && x.z <= b.high.z;
}

/* The world refuses a vertex at a distance below 0, and so does this. */
static void compare(PxScene *scene, const PxSurvey *survey, size_t cloth, size_t other)
{
    const PxClothSheet *sheet = survey->sheet[cloth];
    const PxShape *shape = survey->shape[other];
    const PxBodyDef *def = &scene->body[other].def;
    PxBounds bounds = px_shape_bounds(shape);
    uint32_t inside = 0;
    double depth = 0;
    PxVec3 at = {0, 0, 0};
    for (uint32_t k = 0; k < sheet->vertices; ++k) {
        PxVec3 x = sheet->start[k];
        if (!def->inside && !is_in(bounds, x))
            continue;
        double free = px_shape_distance(shape, x, NULL) * (def->inside ? -1 : 1);
        if (!(free < 0))
            continue;
        ++inside;
        if (-free > depth) {
            depth = -free;
            at = x;
        }
    }
    if (inside == 0)
        return;
    char name[120];
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath own = px_path_index(&bodies, cloth), path = px_path_key(&own, "shape");
    px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                "starts with %u of its %u vertices %s '%s', up to %.3g m deep at (%.3g, %.3g, "
                "%.3g) m; wanted all outside of it",
                inside, sheet->vertices, def->wall ? "inside the wall" : "inside the rigid body",
                px_quote(def->name, name, sizeof name), depth, at.x, at.y, at.z);
}

/* Stiffness of wet cloth that cannot become wet. */
static void check_wet(PxScene *scene, size_t index)
{
    const PxClothDef *c = &scene->material[index].def.cloth;
    const struct {
        const char *key;
        double factor;
    } keys[] = {{"wet_stretch", c->wet_stretch}, {"wet_bend", c->wet_bend}};
    for (size_t k = 0; k < PX_COUNT(keys) && c->cloth && !(c->pores > 0); ++k) {
        PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
        PxPath own = px_path_key(&materials, scene->material[index].def.name);
        PxPath cloth = px_path_key(&own, "cloth"), path = px_path_key(&cloth, keys[k].key);
        if (keys[k].factor < 1 || keys[k].factor > 1)
            px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                        "is %g, and the cloth has no pores: it never becomes wet; wanted "
                        "\"pores\", cotton 0.7",
                        keys[k].factor);
    }
}

void px_survey_check_cloth(PxScene *scene, const PxSurvey *survey)
{
    for (size_t k = 0; k < scene->materials; ++k)
        check_wet(scene, k);
    for (size_t k = 0; k < scene->bodies; ++k)
        for (size_t other = 0; other < scene->bodies && survey->sheet[k] != NULL; ++other)
            if (survey->shape[other] != NULL && px_body_is_boundary(&scene->body[other].def))
                compare(scene, survey, k, other);
}
