/// Checks of handles, forces, force fields and heaters, of solids and of temperatures.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "cloth/sheet.h"
#include "solid/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARTICLES 2000000.0 /* of a solid that is tested particle by particle */
#define GLOWS 500.0              /* degrees C, above which matter glows in pictures */
#define MOST_TESTS 2e7           /* particle-in-region tests in one check */

/* A handle, a force, a force field or a heater. */
typedef struct Region {
    const PxKind *kind;
    size_t index, body;
    bool any_matter; /* false: only solids */
    bool bodies;     /* it acts on rigid bodies and cloth too */
    double start;
    PxShapeDef shape; /* at its pose at time 0 */
} Region;

typedef struct RegionPath {
    PxPath root, list, one, value;
} RegionPath;

static const PxPath *region_path(RegionPath *p, const Region *region, const char *key)
{
    p->root = px_path_root();
    p->list = px_path_key(&p->root, region->kind->list);
    p->one = px_path_index(&p->list, region->index);
    p->value = px_path_key(&p->one, key);
    return &p->value;
}

typedef struct Hold {
    PxScene *scene;
    const PxSurvey *survey;
    PxPoints *points; /* one per body: its particles, made on first use */
    bool *made;
    double tests;
    bool gave_up;
} Hold;

static bool bounds_meet(PxBounds a, PxBounds b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/* The particles of the body at the start; NULL if there are too many to test. */
static const PxPoints *particles_of(Hold *hold, size_t body)
{
    const PxScene *scene = hold->scene;
    const PxSceneBody *def = &scene->body[body];
    const PxShape *shape = hold->survey->shape[body];
    if (!hold->made[body]) {
        hold->made[body] = true;
        if (px_survey_particles(scene, def, shape) > MOST_PARTICLES ||
            px_survey_fill(scene, def, shape, 2 * (size_t)MOST_PARTICLES, &hold->points[body]) !=
                PX_OK)
            hold->points[body] = (PxPoints){0};
    }
    return hold->points[body].count > 0 ? &hold->points[body] : NULL;
}

/* Is a particle of the body in the region? True if it cannot be tested. */
static bool touches(Hold *hold, const PxShape *region, size_t body)
{
    if (!bounds_meet(px_shape_bounds(region), px_shape_bounds(hold->survey->shape[body])))
        return false;
    const PxPoints *points = particles_of(hold, body);
    hold->tests += points != NULL ? (double)points->count : 0;
    if (points == NULL || hold->tests > MOST_TESTS) {
        hold->gave_up = true;
        return true;
    }
    for (size_t k = 0; k < points->count; ++k)
        if (px_shape_inside(region, points->position[k]))
            return true;
    return false;
}

/* Is a particle of the body (PX_NO_BODY: of any) in both regions at the start? */
static bool share(Hold *hold, const PxShape *a, const PxShape *b, size_t body)
{
    for (size_t k = 0; k < hold->scene->bodies; ++k) {
        if (hold->survey->shape[k] == NULL || px_body_is_boundary(&hold->scene->body[k].def) ||
            (body != PX_NO_BODY && body != k))
            continue;
        const PxPoints *points = particles_of(hold, k);
        hold->tests += points != NULL ? (double)points->count : 0;
        for (size_t i = 0; points != NULL && hold->tests <= MOST_TESTS && i < points->count; ++i)
            if (px_shape_inside(a, points->position[i]) && px_shape_inside(b, points->position[i]))
                return true;
    }
    return false;
}

static bool holds_vertex(const PxShape *region, const PxClothSheet *sheet)
{
    for (uint32_t k = 0; k < sheet->vertices; ++k)
        if (px_shape_inside(region, sheet->start[k]))
            return true;
    return false;
}

/* Complains about a region without vertices of its cloth; says how far away the nearest one is.
 * What is in it later is not known. */
static void complain_empty(PxScene *scene, const PxPath *path, const PxShape *region,
                           const PxClothSheet *sheet, const char *whose, const char *verb,
                           double start)
{
    char text[32];
    double least = INFINITY;
    PxVec3 at = {0, 0, 0};
    for (uint32_t k = 0; k < sheet->vertices; ++k) {
        double d = px_shape_distance(region, sheet->start[k], NULL);
        if (d < least) {
            least = d;
            at = sheet->start[k];
        }
    }
    if (start > 0)
        px_complain(scene, PX_WARNING, path, PX_AT_VALUE,
                    "has no vertex of %s in it now, and begins at %s s: nothing will be %s unless "
                    "it moves there until then; the nearest of %u is %.3g m away, at (%.3g, %.3g, "
                    "%.3g) m",
                    whose, px_number_text(start, text), verb, sheet->vertices, least, at.x, at.y,
                    at.z);
    else
        px_complain(
            scene, PX_ERROR, path, PX_AT_VALUE,
            "has no vertex of %s in it at the start: nothing will be %s; the nearest of %u is "
            "%.3g m away, at (%.3g, %.3g, %.3g) m",
            whose, verb, sheet->vertices, least, at.x, at.y, at.z);
}

/* Errors: PX_ERR_MEMORY. A region whose shape cannot be made is a complaint. */
static PxStatus check_region(Hold *hold, const Region *region)
{
    PxScene *scene = hold->scene;
    double end = scene->head.time.frames / scene->head.time.fps;
    bool any = false;
    RegionPath path;
    char start[32], last[32], name[120];
    if (region->start > end)
        px_complain(scene, PX_WARNING, region_path(&path, region, "start"), PX_AT_VALUE,
                    "is %s s, but the run ends at %s s: nothing will be %s",
                    px_number_text(region->start, start), px_number_text(end, last),
                    region->kind->region_verb);
    PxShape *shape;
    PxStatus status = px_shape_create(&region->shape, &shape);
    if (status == PX_ERR_MEMORY)
        return status;
    if (status != PX_OK) {
        px_complain(scene, PX_ERROR, region_path(&path, region, "shape"), PX_AT_VALUE, "%s",
                    px_error_message());
        return PX_OK;
    }
    /* The state at later times is not known, but where cloth is now. */
    for (size_t k = 0; k < scene->bodies && region->start == 0 && !any; ++k)
        if (region->bodies && px_body_is_bare(&scene->body[k].def) && !scene->body[k].def.wall &&
            (region->body == PX_NO_BODY || region->body == k))
            any = true; /* rigid bodies and cloth: their places are not looked at */
        else if (hold->survey->shape[k] != NULL &&
                 (region->any_matter ? !px_body_is_boundary(&scene->body[k].def)
                                     : px_scene_is_solid(scene, k)) &&
                 (region->body == PX_NO_BODY || region->body == k))
            any = touches(hold, shape, k);
    bool cloth = px_section_field(&region->kind->section, "body")->flags & PX_FIELD_OF_CLOTH;
    for (size_t k = 0; k < scene->bodies && cloth && !any; ++k)
        if (hold->survey->sheet[k] != NULL && (region->body == PX_NO_BODY || region->body == k))
            any = holds_vertex(shape, hold->survey->sheet[k]);
    /* a body whose own shape is wrong is complained about already */
    bool known = region->body == PX_NO_BODY || hold->survey->shape[region->body] != NULL ||
                 hold->survey->sheet[region->body] != NULL;
    if (any || !known || (region->start > 0 && (!cloth || region->start > end))) {
        px_shape_free(shape);
        return PX_OK;
    }
    char whose[160] = "any solid";
    if (region->any_matter)
        snprintf(whose, sizeof whose, "any body");
    if (region->body != PX_NO_BODY)
        snprintf(whose, sizeof whose, "'%s'",
                 px_quote(scene->body[region->body].def.name, name, sizeof name));
    /* Particles may enter the region of a force later, but a handle takes particles only once. */
    bool once = region->kind->region_once;
    size_t sheet = region->body;
    for (size_t k = 0, solids = 0; k < scene->bodies && region->body == PX_NO_BODY && cloth; ++k) {
        /* a scene of cloth without solids means its cloth */
        solids += hold->survey->shape[k] != NULL && px_scene_is_solid(scene, k);
        if (solids > 0)
            sheet = PX_NO_BODY;
        else if (hold->survey->sheet[k] != NULL)
            sheet = k;
    }
    if (sheet != PX_NO_BODY && hold->survey->sheet[sheet] != NULL)
        complain_empty(scene, region_path(&path, region, "shape"), shape,
                       hold->survey->sheet[sheet], region->body != PX_NO_BODY ? whose : "any cloth",
                       region->kind->region_verb, region->start);
    else if (!(region->start > 0))
        px_complain(scene, once ? PX_ERROR : PX_WARNING, region_path(&path, region, "shape"),
                    PX_AT_VALUE,
                    "has no particle of %s in it at the start: nothing %s %s%s; is it at the right "
                    "place, and thicker than the spacing (%.3g m)?",
                    whose, once ? "will be" : "is", region->kind->region_verb,
                    once ? "" : " at first", scene->world.spacing);
    px_shape_free(shape);
    return PX_OK;
}

static PxStatus check_regions(Hold *hold)
{
    PxScene *scene = hold->scene;
    for (size_t kind = 0; kind < PX_KIND_COUNT; ++kind) {
        const PxSection *section = &px_kinds[kind]->section;
        const PxField *shape = px_section_field(section, "shape");
        const PxField *start = px_section_field(section, "start");
        const PxField *body = px_section_field(section, "body");
        for (size_t k = 0; px_kinds[kind]->region_verb != NULL && k < scene->list[kind].count;
             ++k) {
            PxSceneThing *thing = px_scene_thing(&scene->list[kind], px_kinds[kind], k);
            const void *def = px_thing_def(thing);
            if (!thing->shape_known)
                continue;
            Region region = {.kind = px_kinds[kind],
                             .index = k,
                             .body = thing->refers[px_reference_index(section, body)],
                             .any_matter = !(body->flags & PX_FIELD_OF_SOLID),
                             .bodies = px_kinds[kind] == &px_force_field_kind,
                             .start = *(const double *)px_field_in(start, def),
                             .shape = px_scene_shape_at_start(scene, px_field_in(shape, def),
                                                              &thing->turn, thing->keyframe,
                                                              thing->keyframes)};
            PX_TRY(check_region(hold, &region));
        }
    }
    return PX_OK;
}

/* Complains about invalid elastic parameters and about solids with different integrations. */
static void check_laws(PxScene *scene)
{
    size_t first = PX_NO_MATERIAL;
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *m = &scene->material[k].def;
        PxMaterial material = {.def = *m};
        PxSolidLaw law;
        PxPath root = px_path_root(), list = px_path_key(&root, "materials");
        PxPath path = px_path_key(&list, m->name);
        bool axes =
            px_length(m->young_axes) + px_length(m->shear_axes) + px_length(m->poisson_axes) > 0;
        if (axes && !(m->young > 0 && px_length(m->young_axes) > 0))
            px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                        "has moduli or ratios along axes, which need \"young\" above 0 and "
                        "\"young_axes\", too");
        else if (px_solid_law(&material, &law) != PX_OK)
            px_complain(scene, PX_ERROR, &path, PX_AT_VALUE, "%s", px_error_message());
        if (!(m->young > 0))
            continue;
        char word[64];
        if (first == PX_NO_MATERIAL)
            first = k;
        else if (strcmp(scene->material[first].def.integration.model, m->integration.model) != 0)
            px_complain(scene, PX_ERROR, &path, PX_AT_VALUE,
                        "has another integration than '%s': solids of one scene share it",
                        px_quote(scene->material[first].def.name, word, sizeof word));
    }
}

/* May it have been given and refused? Then complaints about its absence would mislead. */
static bool refused(const PxScene *scene, const PxMaterialDef *material, const char *key)
{
    const json_t *list = json_object_get(scene->root, "materials");
    return scene->errors > 0 && json_object_get(json_object_get(list, material->name), key) != NULL;
}

/* Does the temperature of such matter have any effect? Hot matter glows in pictures, and heaters
 * change it. */
static bool feels_heat(const PxScene *scene, size_t material, double temperature)
{
    const PxMaterialDef *m = &scene->material[material].def;
    bool feels = m->diffusivity > 0 || m->melts.melts || refused(scene, m, "diffusivity") ||
                 refused(scene, m, "melts") || scene->heaters > 0 || temperature > GLOWS;
    for (size_t k = 0; k < scene->events && !feels; ++k)
        feels = strstr(scene->event[k].set, ".diffusivity") != NULL;
    return feels;
}

static void check_felt(PxScene *scene, const char *key, size_t index, size_t material,
                       double temperature)
{
    PxPath root = px_path_root(), list = px_path_key(&root, key), one = px_path_index(&list, index);
    PxPath path = px_path_key(&one, "temperature");
    char name[120];
    if (material < scene->materials && temperature != px_body_def_default().temperature &&
        !feels_heat(scene, material, temperature))
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "does nothing: '%s' neither conducts heat nor melts; give it a "
                    "\"diffusivity\" or \"melts\"",
                    px_quote(scene->material[material].def.name, name, sizeof name));
}

/* Warns of temperatures that have no effect. */
static void check_heat(PxScene *scene)
{
    PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
    PxPath bodies = px_path_key(&root, "bodies");
    bool conducts = false;
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *m = &scene->material[k].def;
        PxPath one = px_path_key(&materials, m->name), latent = px_path_key(&one, "latent_heat");
        conducts = conducts || m->diffusivity > 0 || refused(scene, m, "diffusivity");
        if (m->latent_heat > 0 && !m->melts.melts && !refused(scene, m, "melts"))
            px_complain(scene, PX_WARNING, &latent, PX_AT_VALUE,
                        "does nothing: the material does not melt, it has no \"melts\"");
    }
    for (size_t k = 0; k < scene->events; ++k)
        conducts = conducts || strstr(scene->event[k].set, ".diffusivity") != NULL;
    for (size_t k = 0; k < scene->bodies; ++k)
        check_felt(scene, "bodies", k, scene->body[k].is.refers[0], scene->body[k].def.temperature);
    for (size_t k = 0; k < scene->emitters; ++k)
        check_felt(scene, "emitters", k, scene->emitter[k].is.refers[0],
                   scene->emitter[k].def.temperature);
    for (size_t k = 0; k < scene->bodies && !conducts; ++k) {
        PxPath one = px_path_index(&bodies, k), path = px_path_key(&one, "temperature");
        if (scene->body[k].def.warm) {
            px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                        "does nothing: no material of this scene conducts heat; give one a "
                        "\"diffusivity\"");
            return;
        }
    }
}

/* Warns of two heaters that prescribe temperatures of the same particles: the later one wins. */
static void check_pairs(Hold *hold, PxShape *const *region)
{
    PxScene *scene = hold->scene;
    for (size_t a = 0; a < scene->heaters; ++a)
        for (size_t b = 0; b < a; ++b) {
            const PxSceneHeater *x = &scene->heater[a], *y = &scene->heater[b];
            bool apart = x->def.start >= y->def.end || y->def.start >= x->def.end ||
                         (x->is.refers[0] != y->is.refers[0] && x->is.refers[0] != PX_NO_BODY &&
                          y->is.refers[0] != PX_NO_BODY);
            if (region[a] == NULL || region[b] == NULL || !x->def.holds || !y->def.holds ||
                x->def.within > 0 || y->def.within > 0 || apart ||
                !bounds_meet(px_shape_bounds(region[a]), px_shape_bounds(region[b])) ||
                !share(hold, region[a], region[b],
                       x->is.refers[0] != PX_NO_BODY ? x->is.refers[0] : y->is.refers[0]))
                continue;
            char name[120];
            RegionPath path;
            Region one = {.kind = &px_heater_kind, .index = a};
            px_complain(scene, PX_WARNING, region_path(&path, &one, "shape"), PX_AT_VALUE,
                        "holds particles that '%s' holds at a temperature, too: this one, the "
                        "later of the two, has them",
                        px_quote(y->def.name, name, sizeof name));
        }
}

static PxStatus check_heaters(Hold *hold)
{
    const PxScene *scene = hold->scene;
    PxShape **region = calloc(scene->heaters + 1, sizeof *region);
    PxStatus status = PX_OK;
    if (region == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu heaters", scene->heaters);
    for (size_t k = 0; k < scene->heaters && status != PX_ERR_MEMORY; ++k) {
        PxShapeDef def =
            px_scene_shape(scene, &scene->heater[k].def.shape, &scene->heater[k].is.turn);
        if (scene->heater[k].is.shape_known) /* else the reader has complained */
            status = px_shape_create(&def, &region[k]);
    }
    check_pairs(hold, region);
    for (size_t k = 0; k < scene->heaters; ++k)
        px_shape_free(region[k]);
    free(region);
    return status == PX_ERR_MEMORY ? status : PX_OK;
}

PxStatus px_survey_check_hold(PxScene *scene, const PxSurvey *survey)
{
    check_laws(scene);
    check_heat(scene);
    if (scene->handles + scene->forces + scene->fields + scene->heaters == 0)
        return PX_OK;
    Hold hold = {.scene = scene, .survey = survey};
    hold.points = calloc(scene->bodies + 1, sizeof *hold.points);
    hold.made = calloc(scene->bodies + 1, sizeof *hold.made);
    PxStatus status = hold.points != NULL && hold.made != NULL
                          ? check_regions(&hold)
                          : px_fail(PX_ERR_MEMORY, "scene: no room for %zu bodies", scene->bodies);
    if (status == PX_OK && scene->heaters > 1)
        status = check_heaters(&hold);
    if (status == PX_OK && hold.gave_up) {
        PxPath root = px_path_root();
        PxPath path = px_path_key(&root, scene->handles > 0  ? "handles"
                                         : scene->forces > 0 ? "forces"
                                         : scene->fields > 0 ? "fields"
                                                             : "heaters");
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE,
                    "are among too many particles: not all were looked at");
    }
    for (size_t k = 0; hold.points != NULL && k < scene->bodies; ++k)
        px_points_free(&hold.points[k]);
    free(hold.points);
    free(hold.made);
    return status;
}
