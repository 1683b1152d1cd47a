/// Matter that is more than a filled shape: liquids that fill a vessel, those that make room for
/// walls, rigid bodies and solids that stand in them, and particles at given points.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "shape/points_read.h"
#include "shape/vessel.h"
#include "world/overlap.h"

#include <stdlib.h>
#include <string.h>

#define MOST_POINTS 50000000u /* of a liquid: a world has no more */
#define LOOK_POINTS 20000u    /* points of a large liquid that show whether it needs carving */
#define MOST_CARVED 0.499     /* part of a liquid: half or more is taken for a mistake */

static bool is_liquid(const PxScene *scene, size_t k)
{
    return !px_body_is_bare(&scene->body[k].def) && !px_scene_is_solid(scene, k);
}

static bool bounds_meet(PxBounds a, PxBounds b)
{
    return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y &&
           a.low.z < b.high.z && b.low.z < a.high.z;
}

/* Does body `by`, where it is at the start, occupy the place? Its surface counts. */
static bool occupies(const PxScene *scene, const PxSurvey *survey, size_t by, PxVec3 x)
{
    double skin = 1e-3 * scene->world.spacing;
    return px_shape_inside(survey->shape[by], x) != scene->body[by].def.inside ||
           px_shape_nearest(survey->shape[by], x, skin, NULL) < skin;
}

static double part_in(const PxScene *scene, const PxSurvey *survey, size_t by,
                      const PxPoints *points)
{
    size_t wrong = 0;
    for (size_t k = 0; k < points->count; ++k)
        wrong += occupies(scene, survey, by, points->position[k]);
    return points->count > 0 ? (double)wrong / (double)points->count : 0;
}

/* May body `by` carve liquid `k`? */
static bool may_carve(const PxScene *scene, const PxSurvey *survey, size_t k, size_t by)
{
    const PxBodyDef *def = &scene->body[by].def;
    const PxSceneVessel *vessel = scene->body[k].is.vessel;
    if (by == k || survey->shape[by] == NULL || is_liquid(scene, by) || !def->carve ||
        (vessel != NULL && vessel->body == by))
        return false;
    return def->inside ||
           bounds_meet(px_shape_bounds(survey->shape[k]), px_shape_bounds(survey->shape[by]));
}

/* The liquid's points, or fewer if it has very many. */
static PxStatus look_at(const PxScene *scene, const PxSurvey *survey, size_t k, PxPoints *out)
{
    const PxSceneBody *body = &scene->body[k];
    const PxShape *shape = survey->shape[k];
    if (px_survey_particles(scene, body, shape) <= 3.0 * LOOK_POINTS)
        return px_survey_fill(scene, body, shape, MOST_POINTS, out);
    return px_shape_fill(shape, PX_LATTICE_CUBIC, cbrt(px_shape_volume(shape) / LOOK_POINTS),
                         MOST_POINTS, out);
}

/* Replaces the shape of a liquid by its points, which *matter takes over. */
static PxStatus replace(const PxScene *scene, PxSurvey *survey, size_t k, PxPoints *points)
{
    PxShape *shape;
    PX_TRY(px_shape_create_points(points->position, points->count, scene->world.spacing, &shape));
    px_shape_free(survey->shape[k]);
    survey->shape[k] = shape;
    free(scene->matter[k].point);
    scene->matter[k].point = points->position;
    scene->matter[k].count = points->count;
    *points = (PxPoints){0};
    return PX_OK;
}

/* Removes the points that other bodies occupy. */
static PxStatus carve(PxScene *scene, PxSurvey *survey, size_t k, const uint8_t *by)
{
    PxPoints points = {0};
    PX_TRY(px_survey_fill(scene, &scene->body[k], survey->shape[k], MOST_POINTS, &points));
    size_t all = points.count;
    PxStatus status = PX_OK;
    for (size_t i = 0; i < scene->bodies && status == PX_OK; ++i) {
        size_t kept = 0;
        if (!by[i])
            continue;
        for (size_t n = 0; n < points.count; ++n)
            if (!occupies(scene, survey, i, points.position[n]))
                points.position[kept++] = points.position[n];
        double part = (double)(points.count - kept) / (double)all;
        points.count = kept;
        if (!PX_LIST_RESERVE(&scene->carvings, 1))
            status = px_fail(PX_ERR_MEMORY, "scene: no room to carve its liquids");
        else
            scene->carvings.data[scene->carvings.count++] = (PxSceneCarving){k, i, part};
    }
    if (status == PX_OK && points.count > 0)
        status = replace(scene, survey, k, &points);
    px_points_free(&points);
    return status;
}

/* Carves a liquid where others overlap it by more than may be left to the first step, and by less
 * than would be a mistake: those are complaints later. */
static PxStatus carve_if_needed(PxScene *scene, PxSurvey *survey, size_t k)
{
    PxPoints look = {0};
    uint8_t *by = calloc(scene->bodies, 1);
    PxStatus status = by != NULL ? PX_OK : px_fail(PX_ERR_MEMORY, "scene: no room to carve");
    bool any = false, looked = false;
    for (size_t i = 0; i < scene->bodies && status == PX_OK; ++i) {
        if (!may_carve(scene, survey, k, i))
            continue;
        if (!looked)
            status = look_at(scene, survey, k, &look);
        looked = true;
        double part = status == PX_OK ? part_in(scene, survey, i, &look) : 0;
        by[i] = part > PX_OVERLAP_ALLOWED && part < MOST_CARVED;
        any = any || by[i];
    }
    px_points_free(&look);
    if (status == PX_OK && any)
        status = carve(scene, survey, k, by);
    free(by);
    return status;
}

typedef struct VesselPath {
    PxPath root, bodies, body, fill, key;
} VesselPath;

static const PxPath *vessel_path(VesselPath *p, size_t k, const char *key)
{
    p->root = px_path_root();
    p->bodies = px_path_key(&p->root, "bodies");
    p->body = px_path_index(&p->bodies, k);
    p->fill = px_path_key(&p->body, "fill");
    p->key = px_path_key(&p->fill, key);
    return &p->key;
}

/* Fills the vessel of a body. A vessel that does not hold it is a complaint. */
static PxStatus fill_vessel(PxScene *scene, PxScene *complain, PxSurvey *survey, size_t k)
{
    const PxSceneVessel *vessel = scene->body[k].is.vessel;
    if (vessel->body == SIZE_MAX || survey->shape[vessel->body] == NULL)
        return PX_OK; /* the reader has complained */
    PxVessel held;
    PxVesselDef def = {.shape = survey->shape[vessel->body],
                       .inside = scene->body[vessel->body].def.inside,
                       .up = scene->head.up == PX_UP_Z ? 2 : 1,
                       .spacing = scene->world.spacing,
                       .level = vessel->level,
                       .most = MOST_POINTS};
    PxStatus status = px_vessel_fill(&def, &held);
    if (status != PX_OK && status != PX_ERR_MEMORY && complain != NULL) {
        VesselPath path;
        px_complain(complain, PX_ERROR, vessel_path(&path, k, held.depth > 0 ? "level" : "in"),
                    PX_AT_VALUE, "%s", px_error_message());
        return PX_OK;
    }
    if (status != PX_OK)
        return px_fail_prefix(status, "bodies[%zu]: fill: ", k);
    scene->matter[k].depth = held.depth;
    scene->matter[k].volume = held.volume;
    status = replace(scene, survey, k, &held.points);
    px_points_free(&held.points);
    return status;
}

/* Given points farther apart than that part of the spacing leave gaps; those of liquids are 0.75 to
 * 1 apart. */
#define FEW 1.5
/* Given points are replaced by fewer if so many times as many as fit are within two spacings of a
 * point. */
#define MANY 1.6
/* Particles nearer than that part of the spacing are taken for one that is there twice. */
#define TOO_NEAR 0.01

/* Distances of given points that do not fit the spacing. */
static PxStatus check_points(PxScene *complain, const PxPath *at, const PxPoints *points,
                             double apart, double spacing)
{
    size_t pair[2];
    double near;
    bool found;
    PX_TRY(px_points_nearest(points, TOO_NEAR * spacing, pair, &near, &found));
    if (complain == NULL)
        return PX_OK;
    if (found) {
        PxVec3 x = points->position[pair[0]];
        px_complain(complain, PX_ERROR, at, PX_AT_VALUE,
                    "points %zu and %zu are %.3g m apart, at (%.4g, %.4g, %.4g); wanted at least "
                    "%g of the spacing, %.3g m",
                    pair[0] + 1, pair[1] + 1, near, x.x, x.y, x.z, TOO_NEAR, TOO_NEAR * spacing);
    }
    if (apart > FEW * spacing)
        px_complain(complain, PX_WARNING, at, PX_AT_VALUE,
                    "its points are %.3g m apart, and a particle has the volume of a cube of "
                    "%.3g m: wanted a spacing of about %.3g m",
                    apart, spacing, apart);
    return PX_OK;
}

/* Reads the particles of a body. */
static PxStatus read_points(PxScene *scene, PxScene *complain, PxSurvey *survey, size_t k)
{
    const PxSceneBody *body = &scene->body[k];
    PxPath root = px_path_root(), list = px_path_key(&root, "bodies");
    PxPath index = px_path_index(&list, k), shape = px_path_key(&index, "shape");
    PxPath at = px_path_key(&shape, "points");
    PxShapeDef def = px_scene_shape(scene, &body->def.shape, &body->is.turn);
    double spacing = scene->world.spacing, apart = 0, crowd = 0, fit = 4 * M_PI / 3 * 8;
    PxPoints points = {0};
    PxStatus status = px_points_read(&def, MOST_POINTS, &points);
    if (status != PX_OK && status != PX_ERR_MEMORY && complain != NULL) {
        px_complain(complain, PX_ERROR, &at, PX_AT_VALUE, "%s", px_error_message());
        return PX_OK;
    }
    if (status == PX_OK)
        status = px_points_apart(&points, &apart);
    if (status == PX_OK)
        status = px_points_crowd(&points, 2 * spacing, &crowd);
    size_t given = points.count;
    if (status == PX_OK && crowd > MANY * fit) {
        status = px_points_thin(&points, spacing, 0.5 * crowd / fit);
        if (complain != NULL)
            px_complain(complain, PX_NOTE, &at, PX_AT_VALUE,
                        "its %zu points are %.3g times too many for a spacing of %.3g m: they "
                        "become %zu particles",
                        given, crowd / fit, spacing, points.count);
    }
    if (status == PX_OK)
        status = check_points(complain, &at, &points, apart, spacing);
    if (status == PX_OK && complain != NULL && scene->head.settle && px_scene_is_solid(scene, k))
        px_complain(complain, PX_ERROR, &at, PX_AT_VALUE,
                    "is a solid of points, around which liquids cannot settle; wanted a closed "
                    "shape, or no \"settle\"");
    if (status == PX_OK)
        status = replace(scene, survey, k, &points);
    px_points_free(&points);
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "bodies[%zu]: ", k);
}

static PxStatus make_matter(PxScene *scene, PxScene *complain, PxSurvey *survey)
{
    scene->matter = calloc(scene->bodies + 1, sizeof *scene->matter);
    if (scene->matter == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu bodies", scene->bodies);
    for (size_t k = 0; k < scene->bodies; ++k)
        if (scene->body[k].is.vessel != NULL)
            PX_TRY(fill_vessel(scene, complain, survey, k));
    for (size_t k = 0; k < scene->bodies; ++k)
        if (scene->body[k].is.shape_known && !px_body_is_bare(&scene->body[k].def) &&
            scene->body[k].def.shape.kind == PX_SHAPE_PARTICLES)
            PX_TRY(read_points(scene, complain, survey, k));
    for (size_t k = 0; k < scene->bodies; ++k)
        if (survey->shape[k] != NULL && is_liquid(scene, k))
            PX_TRY(carve_if_needed(scene, survey, k));
    return PX_OK;
}

PxStatus px_survey_matter(const PxScene *given, PxScene *complain, PxSurvey *survey)
{
    PxScene *scene = (PxScene *)given; /* what is known is kept, as the resolved text is */
    if (!(scene->world.spacing > 0) || (scene->matter == NULL && scene->errors > 0))
        return PX_OK;
    if (scene->matter == NULL) {
        PxStatus status = make_matter(scene, complain, survey);
        if (status != PX_OK || scene->errors > 0)
            px_scene_matter_free(scene);
        return status;
    }
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxSceneMatter *matter = &scene->matter[k];
        if (matter->point == NULL)
            continue;
        px_shape_free(survey->shape[k]);
        survey->shape[k] = NULL;
        PX_TRY(px_shape_create_points(matter->point, matter->count, scene->world.spacing,
                                      &survey->shape[k]));
    }
    return PX_OK;
}

PxStatus px_scene_matter(const PxScene *scene)
{
    if (scene->matter != NULL)
        return PX_OK;
    PxSurvey survey;
    PxStatus status = px_survey_make(scene, NULL, &survey);
    px_survey_free(scene, &survey);
    return status;
}

void px_scene_matter_free(PxScene *scene)
{
    for (size_t k = 0; scene->matter != NULL && k < scene->bodies; ++k)
        free(scene->matter[k].point);
    free(scene->matter);
    scene->matter = NULL;
    scene->settled = false;
    PX_LIST_FREE(&scene->carvings);
    memset(&scene->carvings, 0, sizeof scene->carvings);
}

bool px_survey_carved(const PxScene *scene, size_t liquid, size_t by)
{
    for (size_t k = 0; k < scene->carvings.count; ++k)
        if (scene->carvings.data[k].liquid == liquid && scene->carvings.data[k].by == by)
            return true;
    return false;
}

void px_survey_note_matter(PxScene *scene)
{
    char name[120];
    VesselPath path;
    for (size_t k = 0; k < scene->carvings.count; ++k) {
        const PxSceneCarving *c = &scene->carvings.data[k];
        vessel_path(&path, c->liquid, "");
        px_complain(scene, PX_NOTE, &path.body, PX_AT_VALUE, "%.2g %% of it makes room for '%s'",
                    100 * c->part, px_quote(scene->body[c->by].def.name, name, sizeof name));
    }
    for (size_t k = 0; scene->matter != NULL && k < scene->bodies; ++k) {
        const PxSceneMatter *m = &scene->matter[k];
        double s = scene->world.spacing;
        if (m->depth > 0)
            px_complain(scene, PX_NOTE, vessel_path(&path, k, "level"), PX_AT_VALUE,
                        "takes %.3g l; the vessel holds %.3g l, %.3g m deep",
                        1000 * (double)m->count * s * s * s, 1000 * m->volume, m->depth);
    }
}
