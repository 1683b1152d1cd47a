/// Checks of a scene that need its shapes: sizes, overlaps, textures and time steps.
#include "scene/check/survey.h"

#include "fluid/viscosity/viscosity.h"

#include "base/vec.h"
#include "base/words.h"
#include "scene/layout/shape_forms.h"
#include "shape/hdr.h"
#include "solid/fracture/paint.h"
#include "surface/coat/options.h"
#include "surface/skin/skin.h"
#include "world/overlap.h"
#include "world/resample.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_PARTICLES 60000u /* of a body that is tested particle by particle */
#define MOST_SAMPLES 20000u   /* sample points of a larger body */
#define MOST_TESTS 5000000.0  /* point-in-shape tests in one check */
#define MOST_COMPARISONS 2e8  /* comparisons of two bodies' bounds */
#define NEAREST_TO_WALL 0.2   /* spacings; a lattice flush with a flat wall has 0.25 */
#define FLOAT_STEPS_A_SPACING 100

/* The path of a body's value, with its parents. */
typedef struct BodyPath {
    PxPath root, bodies, body, shape, value;
} BodyPath;

/* Makes the path of the body's shape, or of a key in it. Filled in place, since paths point to each
 * other. */
static const PxPath *body_path(BodyPath *p, size_t index, const char *key)
{
    p->root = px_path_root();
    p->bodies = px_path_key(&p->root, "bodies");
    p->body = px_path_index(&p->bodies, index);
    p->shape = px_path_key(&p->body, "shape");
    if (key == NULL)
        return &p->shape;
    p->value = px_path_key(&p->shape, key);
    return &p->value;
}

static const char *body_name(const PxScene *scene, size_t index, char *buffer, size_t size)
{
    return px_quote(scene->body[index].def.name, buffer, size);
}

/* --- bodies on their own ------------------------------------------------------------- */

static double farthest_coordinate(PxVec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static void check_distance(PxScene *scene, size_t index, const PxShape *shape)
{
    PxBounds bounds = px_shape_bounds(shape);
    double reach = farthest_coordinate(scene->body[index].def.shape.at);
    if (px_finite(bounds.low) && px_finite(bounds.high))
        reach =
            fmax(reach, fmax(farthest_coordinate(bounds.low), farthest_coordinate(bounds.high)));
    for (size_t k = 0; k < scene->body[index].is.keyframes; ++k)
        reach = fmax(reach, farthest_coordinate(px_add(scene->body[index].def.shape.at,
                                                       scene->body[index].is.keyframe[k].move)));
    double step = reach < FLT_MAX
                      ? (double)nextafterf((float)reach, INFINITY) - (double)(float)reach
                      : INFINITY;
    if (step * FLOAT_STEPS_A_SPACING <= scene->world.spacing)
        return;
    BodyPath path;
    char far[32], near[32];
    px_complain(
        scene, PX_ERROR, body_path(&path, index, "at"), PX_AT_VALUE,
        "reaches %.3g m from the origin, where positions are only kept to %.2g m, more "
        "than a %dth of the spacing (%s m); wanted within about %s m",
        reach, step, FLOAT_STEPS_A_SPACING, px_number_text(scene->world.spacing, far),
        px_number_text(floor(scene->world.spacing / FLOAT_STEPS_A_SPACING / FLT_EPSILON), near));
}

/* Walls may have any thickness: they are impermeable. */
static void check_thickness(PxScene *scene, size_t index, const PxShape *shape)
{
    const PxSceneBody *body = &scene->body[index];
    double thickness = px_shape_thickness(shape);
    if (px_body_is_boundary(&body->def) || !(thickness < scene->world.spacing))
        return;
    BodyPath path;
    px_complain(scene, PX_WARNING,
                body_path(&path, index, px_form_of_kind(body->def.shape.kind)->key), PX_AT_VALUE,
                "is %.3g m thick, thinner than the spacing (%.3g m): hardly any particle fits in",
                thickness, scene->world.spacing);
}

/* Poses that end before the scene does, or a loop whose way back is a jump. */
static void check_poses(PxScene *scene, size_t index, const PxShape *shape)
{
    const PxMovingMesh *moving = px_shape_moving(shape);
    if (moving == NULL)
        return;
    const PxPoses *poses = px_moving_mesh_poses(moving);
    BodyPath path;
    body_path(&path, index, "mesh");
    PxPath at = px_path_key(&path.value, "poses");
    double length = scene->head.time.frames / scene->head.time.fps, end = px_poses_end(poses);
    if (end < length * (1 - 1e-9))
        px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                    "has %u poses until %.3g s, and the scene lasts %.3g s: the mesh stays in its "
                    "last pose; wanted more of them, or \"loop\": true",
                    poses->count, end, length);
    /* A smooth way back also changes the tangents of the ways next to it. */
    double usual = 0;
    for (uint32_t k = 1; k + 2 < poses->count && k < poses->intervals; ++k)
        usual = fmax(usual, poses->speed[k]);
    if (poses->intervals == poses->count && usual > 0 && poses->speed[poses->count - 1] > 4 * usual)
        px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                    "jumps from its last pose to its first, at %.3g m/s, where its fastest way "
                    "else is %.3g m/s; wanted a sequence that ends where it begins",
                    scene->body[index].def.shape.scale * poses->speed[poses->count - 1],
                    scene->body[index].def.shape.scale * usual);
}

/* Checks that the texture can be read and mapped. */
static void check_texture(PxScene *scene, size_t index, const PxShape *shape)
{
    const PxSceneBody *body = &scene->body[index];
    if (body->def.texture == NULL)
        return;
    PxTexture *texture;
    PxStatus status = px_texture_read_file(body->def.texture, &texture);
    if (status == PX_OK)
        status = px_skin_check(shape, texture);
    px_texture_free(texture);
    BodyPath path;
    body_path(&path, index, NULL);
    path.value = px_path_key(&path.body, "texture");
    if (status != PX_OK)
        px_complain(scene, PX_ERROR, &path.value, PX_AT_VALUE, "%s", px_error_message());
}

/* Checks that painted cracks and factors of the strength can be read and mapped. */
static void check_cracks(PxScene *scene, size_t index, const PxShape *shape)
{
    const PxBodyDef *def = &scene->body[index].def;
    if (!px_crack_painted(def) || px_crack_paint_check(def, shape) == PX_OK)
        return;
    BodyPath path;
    body_path(&path, index, NULL);
    /* what was wrong is in the message; the place is that of the first key */
    path.value = px_path_key(&path.body, def->cracks != NULL     ? "cracks"
                                         : def->cracks_by_colour ? "cracks_by_colour"
                                                                 : "strength");
    px_complain(scene, PX_ERROR, &path.value, PX_AT_VALUE, "%s", px_error_message());
}

/* Pictures alone need the ground's texture, so a run may do without. */
static void check_picture(PxScene *scene)
{
    PxTexture *texture;
    PxHdr *sky = NULL;
    PxPath root = px_path_root(), picture = px_path_key(&root, "picture");
    PxPath path = px_path_key(&picture, "ground_texture");
    PxPath path_sky = px_path_key(&picture, "sky_picture");
    if (scene->picture.sky_picture != NULL &&
        px_hdr_read_file(scene->picture.sky_picture, &sky) != PX_OK)
        px_complain(scene, PX_WARNING, &path_sky, PX_AT_VALUE, "%s; there will be no pictures",
                    px_error_message());
    px_hdr_free(sky);
    if (scene->picture.ground_texture == NULL)
        return;
    if (px_texture_read_file(scene->picture.ground_texture, &texture) != PX_OK)
        px_complain(scene, PX_WARNING, &path, PX_AT_VALUE, "%s; there will be no pictures",
                    px_error_message());
    px_texture_free(texture);
}

/* The same of the looks of materials. */
static void check_looks(PxScene *scene)
{
    PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxSceneLook *look = scene->material[k].is.look;
        PxTexture *texture;
        if (look == NULL || look->texture == NULL)
            continue;
        PxPath own = px_path_key(&materials, scene->material[k].def.name);
        PxPath of = px_path_key(&own, "look"), path = px_path_key(&of, "texture");
        if (px_texture_read_file(look->texture, &texture) != PX_OK)
            px_complain(scene, PX_WARNING, &path, PX_AT_VALUE, "%s; there will be no pictures",
                        px_error_message());
        px_texture_free(texture);
    }
}

/* Surfels that become a coat must be dense enough for it. px_shape_cover_estimate() is proportional
 * to 1 / distance^2. */
static void check_coat(PxScene *scene, size_t index, const PxShape *shape)
{
    const PxSceneBody *body = &scene->body[index];
    PxCoatDef coat;
    double s = scene->world.spacing;
    if (body->is.refers[0] == PX_NO_MATERIAL || !(body->def.surfels > 0) || !(s > 0) ||
        !px_coat_chosen(&scene->material[body->is.refers[0]].def.coat, s, &coat))
        return;
    double needed = ceil(px_shape_cover_estimate(shape, s)), there = body->def.surfels;
    BodyPath path;
    body_path(&path, index, NULL);
    path.value = px_path_key(&path.body, "surfels");
    if (there < needed)
        px_complain(scene, PX_ERROR, &path.value, PX_AT_VALUE,
                    "is %g: surfels would be %.3g spacings apart, and a coat needs at most one; "
                    "wanted %g or more",
                    there, sqrt(needed / there), needed);
    else if (there > 100 * needed)
        px_complain(
            scene, PX_ERROR, &path.value, PX_AT_VALUE,
            "is %g: surfels would be nearer than a tenth of a spacing, which a coat does not "
            "allow; wanted %g or less",
            there, floor(100 * needed));
}

static void check_amount(PxScene *scene, const PxSurvey *survey)
{
    PxPath root = px_path_root();
    PxPath bodies = px_path_key(&root, "bodies"), spacing = px_path_key(&root, "spacing");
    bool rigid = false;
    for (size_t k = 0; k < scene->bodies; ++k)
        rigid = rigid || scene->body[k].def.rigid || scene->body[k].def.cloth;
    if (survey->particles < 1) {
        if (scene->errors == 0 && !rigid) /* else a refused value may only seem missing */
            px_complain(scene, PX_WARNING, &bodies, PX_AT_VALUE,
                        "give no particles: nothing will move");
        return;
    }
    /* Rounded up to two digits. */
    double needed = cbrt(survey->volume / PX_SCENE_MOST_PARTICLES);
    double unit = pow(10, floor(log10(needed)) - 1);
    needed = ceil(needed / unit) * unit;
    if (!(survey->particles <= PX_SCENE_MOST_PARTICLES)) {
        px_complain(scene, PX_ERROR, &spacing, PX_AT_VALUE,
                    "makes about %.3g particles, at most %g are allowed; a spacing of %.2g m would "
                    "do",
                    survey->particles, PX_SCENE_MOST_PARTICLES, needed);
        return;
    }
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    double wanted = px_memory_estimate(survey->particles);
    if (there > 0 && wanted > there)
        px_complain(scene, PX_ERROR, &spacing, PX_AT_VALUE,
                    "makes about %.3g particles, which take %.1f GiB; this machine has %.1f GiB",
                    survey->particles, wanted / 0x1p30, there / 0x1p30);
}

/* --- steps ----------------------------------------------------------------------------- */

typedef struct StepCheck {
    PxScene *scene;
    bool told[PX_STEP_CAUSES]; /* by cause, so that a complaint is not repeated for every
                                  event */
    bool told_substep;
} StepCheck;

/* The estimate of sub-steps is within a few per cent for lattices; bodies that are filled from
 * meshes or octrees have shorter ones. */
#define SURE_SUBSTEP 0.8
#define DOUBTFUL_SUBSTEP 1.2

static void check_substep(StepCheck *check, size_t event, const PxStepLimit *limit)
{
    PxScene *scene = check->scene;
    double part = limit->substep / limit->least;
    if (!(part < DOUBTFUL_SUBSTEP) || check->told_substep)
        return;
    check->told_substep = true;
    PxPath root = px_path_root(), path[3];
    char least[32], name[120];
    if (event != SIZE_MAX) {
        path[0] = px_path_key(&root, "events");
        path[1] = px_path_index(&path[0], scene->event_index[event]);
        path[2] = px_path_key(&path[1], "to");
    } else {
        path[0] = px_path_key(&root, "materials");
        path[1] = px_path_key(&path[0], scene->material[limit->stiffest].def.name);
        path[2] = px_path_key(&path[1], "young");
    }
    px_complain(
        scene, part < SURE_SUBSTEP ? PX_ERROR : PX_WARNING, &path[2], PX_AT_VALUE,
        "asks for sub-steps of %.2g s, %s min_step (%s s), so stiff is '%s' for its density "
        "and this spacing; wanted integration \"implicit\", a shorter min_step or a larger "
        "spacing",
        limit->substep, part < 1 ? "shorter than" : "hardly longer than",
        px_number_text(limit->least, least),
        px_quote(scene->material[limit->stiffest].def.name, name, sizeof name));
}

static void check_stretch(void *user, size_t event, double begin, double end,
                          const PxStepLimit *limit)
{
    StepCheck *check = user;
    PxScene *scene = check->scene;
    (void)begin;
    (void)end;
    check_substep(check, event, limit);
    /* The reader has already complained about a max_step that is too short from the start. */
    if (limit->seconds >= limit->least || check->told[limit->cause] ||
        (limit->cause == PX_BY_MAX_STEP && event == SIZE_MAX))
        return;
    check->told[limit->cause] = true;
    PxPath root = px_path_root();
    PxPath path[3];
    char least[32], name[120] = "";
    px_number_text(limit->least, least);
    if (limit->material != PX_NO_MATERIAL)
        px_quote(scene->material[limit->material].def.name, name, sizeof name);
    if (event != SIZE_MAX) {
        path[0] = px_path_key(&root, "events");
        path[1] = px_path_index(&path[0], scene->event_index[event]);
        path[2] = px_path_key(&path[1], "to");
    } else if (limit->material != PX_NO_MATERIAL) {
        path[0] = px_path_key(&root, "materials");
        path[1] = px_path_key(&path[0], scene->material[limit->material].def.name);
        path[2] = px_path_key(&path[1], limit->cause == PX_BY_VISCOSITY ? "viscosity"
                                        : limit->cause == PX_BY_TENSION ? "tension"
                                        : limit->cause == PX_BY_CLOTH   ? "cloth"
                                                                        : "pressure");
    } else {
        path[2] = px_path_key(&root, "gravity");
    }
    if (limit->cause == PX_BY_VISCOSITY)
        px_complain(scene, PX_ERROR, &path[2], PX_AT_VALUE,
                    "asks for steps of %.2g s, shorter than min_step (%s s), so thick is '%s' for "
                    "this spacing; wanted viscosity_model \"implicit\" or a larger spacing",
                    limit->seconds, least, name);
    else if (limit->cause == PX_BY_TENSION)
        px_complain(scene, PX_ERROR, &path[2], PX_AT_VALUE,
                    "asks for steps of %.2g s, shorter than min_step (%s s), so strong is the "
                    "tension of '%s' for this spacing; wanted less or a larger spacing",
                    limit->seconds, least, name);
    else if (limit->cause == PX_BY_CLOTH)
        px_complain(scene, PX_ERROR, &path[2], PX_AT_VALUE,
                    "asks for steps of at most %.2g s in '%s', shorter than min_step (%s s); "
                    "wanted a longer \"step\" or a shorter min_step",
                    limit->seconds, name, least);
    else if (limit->cause == PX_BY_SOUND && limit->sound <= 0)
        px_complain(scene, PX_ERROR, &path[2], PX_AT_VALUE,
                    "asks for steps of %.2g s, shorter than min_step (%s s), so fast may '%s' be "
                    "for this spacing; wanted a shorter min_step or a larger spacing",
                    limit->seconds, least, name);
    else if (limit->cause == PX_BY_SOUND)
        px_complain(
            scene, PX_ERROR, &path[2], PX_AT_VALUE,
            "asks for steps of %.2g s, shorter than min_step (%s s): sound runs at %.3g m/s "
            "in '%s'; wanted a lower top_speed, a higher fluctuation or a larger spacing",
            limit->seconds, least, limit->sound, name);
    else if (limit->cause == PX_BY_MAX_STEP)
        px_complain(scene, PX_ERROR, &path[2], PX_AT_VALUE,
                    "leaves max_step at %.2g s, shorter than min_step (%s s)", limit->seconds,
                    least);
    else
        px_complain(scene, PX_ERROR, &path[2], PX_AT_VALUE,
                    "asks for steps of %.2g s, shorter than min_step (%s s); wanted less gravity "
                    "or a larger spacing",
                    limit->seconds, least);
}

/* Viscous forces of these models are not along the line between two particles. */
static void check_explicit(PxScene *scene)
{
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *def = &scene->material[k].def;
        const PxViscosityModel *model = px_viscosity_find(def->viscosity_model.model, PX_ISA_BASE);
        bool thick = def->viscosity > 0 || (def->melts.melts && def->melts.into.viscosity > 0);
        if (model == NULL || !thick || !(model->step_limit(def, 1) < INFINITY))
            continue;
        PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
        PxPath own = px_path_key(&materials, def->name), at = px_path_key(&own, "viscosity_model");
        px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                    "does not conserve angular momentum: free drops of a viscous fluid stop "
                    "rotating; \"implicit\" conserves it");
        return;
    }
}

/* The smallest cell of solids that break must be at least an eighth of the spacing. */
static void check_resampling(PxScene *scene)
{
    PxPath root = px_path_root(), materials = px_path_key(&root, "materials");
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *def = &scene->material[k].def;
        if (px_resample_check(def, scene->world.spacing) == PX_OK)
            continue;
        PxPath own = px_path_key(&materials, def->name), of = px_path_key(&own, "fracture");
        PxPath at = px_path_key(&of, "resample");
        px_complain(scene, PX_ERROR, &at, PX_AT_VALUE, "%s", px_error_message());
    }
}

static void check_late_events(PxScene *scene)
{
    double end = scene->head.time.frames / scene->head.time.fps;
    PxPath root = px_path_root(), events = px_path_key(&root, "events");
    for (size_t k = 0; k < scene->events; ++k) {
        PxPath event = px_path_index(&events, scene->event_index[k]);
        PxPath at = px_path_key(&event, "at");
        char when[32], last[32];
        if (scene->event[k].at > end)
            px_complain(scene, PX_WARNING, &at, PX_AT_VALUE,
                        "is %s s, but the run ends at %s s: this will not happen",
                        px_number_text(scene->event[k].at, when), px_number_text(end, last));
    }
}

/* --- bodies inside each other ------------------------------------------------------------ */

/* Sample points of a body: its particles, or fewer. */
typedef struct Sample {
    PxPoints points;
    bool particles; /* they are its particles */
} Sample;

/* A body that cannot be sampled has no points and is not compared. */
static void take_sample(const PxScene *scene, const PxSceneBody *body, const PxShape *shape,
                        Sample *out)
{
    PxPoints *points = &out->points;
    double volume = px_shape_volume(shape), spacing = scene->world.spacing;
    out->particles = px_survey_particles(scene, body, shape) <= MOST_PARTICLES;
    double coarse = cbrt(volume / MOST_SAMPLES);
    PxStatus status =
        out->particles ? px_survey_fill(scene, body, shape, 2 * MOST_PARTICLES, points)
                       : px_shape_fill(shape, PX_LATTICE_CUBIC, coarse, 2 * MOST_PARTICLES, points);
    if (out->particles || (status == PX_OK && points->count > 0))
        return;
    /* Too thin for such a coarse lattice: points half a spacing below its surface. */
    if (status == PX_OK)
        px_points_free(points);
    coarse = fmax(spacing, sqrt(px_shape_area(shape) / MOST_SAMPLES));
    if (px_shape_cover(shape, coarse, 4 * MOST_SAMPLES, points) != PX_OK)
        return;
    size_t kept = 0;
    for (size_t k = 0; k < points->count; ++k) {
        PxVec3 point = px_mad(points->position[k], points->normal[k], -0.5 * spacing);
        if (px_shape_inside(shape, point))
            points->position[kept++] = point;
    }
    points->count = kept;
}

typedef struct Overlap {
    PxScene *scene;
    const PxSurvey *survey;
    PxBounds *bounds;
    double tests, comparisons; /* done so far */
    bool gave_up;
} Overlap;

static bool bounds_meet(PxBounds a, PxBounds b)
{
    return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y &&
           a.low.z < b.high.z && b.low.z < a.high.z;
}

static bool spend(double *account, double amount, double most, Overlap *o)
{
    *account += amount;
    if (*account <= most)
        return true;
    o->gave_up = true;
    return false;
}

/* The deepest of the points that are inside another body, or for container walls outside. */
typedef struct Deepest {
    double depth; /* m */
    PxVec3 at;
} Deepest;

/* Reports the part of a body that is inside, or for container walls outside, body `other`. */
static void complain_overlap(PxScene *scene, size_t index, size_t other, double part,
                             const Deepest *deepest)
{
    const PxBodyDef *def = &scene->body[other].def;
    char text[320];
    BodyPath path;
    size_t later = px_body_is_boundary(def) || index > other ? index : other;
    px_complain(scene, PX_ERROR, body_path(&path, later, NULL), PX_AT_VALUE,
                "%s, up to %.3g m deep at (%.3g, %.3g, %.3g) m",
                px_overlap_text(part, scene->body[index].def.name, def, text, sizeof text),
                deepest->depth, deepest->at.x, deepest->at.y, deepest->at.z);
}

/* Warns of particles that start very near to a wall, which are moved away and so disturb the
 * lattice. This happens where a body is flush with a curved wall. */
static void complain_near(PxScene *scene, size_t index, size_t other, size_t near)
{
    char name[120];
    BodyPath path;
    px_complain(scene, PX_WARNING, body_path(&path, index, NULL), PX_AT_VALUE,
                "starts with %zu particle%s nearly touching the wall '%s', which are moved off it "
                "before the first step; leave half a spacing (%.3g m) free",
                near, near == 1 ? "" : "s", body_name(scene, other, name, sizeof name),
                0.5 * scene->world.spacing);
}

/* Complains if body `other` excludes too many points of a body, or is too near to its particles. */
static void compare(Overlap *o, size_t index, const Sample *sample, size_t other)
{
    PxScene *scene = o->scene;
    const PxBodyDef *def = &scene->body[other].def;
    const PxShape *shape = o->survey->shape[other];
    size_t count = sample->points.count, wrong = 0, near = 0;
    Deepest deepest = {0};
    if (px_survey_carved(scene, index, other) || px_survey_carved(scene, other, index))
        return;
    if (count == 0 || !spend(&o->tests, (double)count, MOST_TESTS, o))
        return;
    for (size_t k = 0; k < count; ++k) {
        PxVec3 point = sample->points.position[k];
        bool boundary = px_body_is_boundary(def);
        if (!boundary && !px_shape_inside(shape, point))
            continue;
        double free = px_shape_distance(shape, point, NULL) * (def->inside ? -1 : 1);
        wrong += free < 0 || !boundary;
        if (-free > deepest.depth)
            deepest = (Deepest){-free, point};
        near += boundary && free < NEAREST_TO_WALL * scene->world.spacing;
    }
    double part = (double)wrong / (double)count;
    if (part > PX_OVERLAP_ALLOWED)
        complain_overlap(scene, index, other, part, &deepest);
    else if (near > 0 && sample->particles &&
             px_shape_kind(o->survey->shape[index]) != PX_SHAPE_POINTS)
        complain_near(scene, index, other, near);
}

static bool is_matter(const Overlap *o, size_t k)
{
    return o->survey->shape[k] != NULL && !px_body_is_boundary(&o->scene->body[k].def);
}

/* Of two bodies the smaller is sampled; the first if they are equal. */
static bool is_smaller(const Overlap *o, size_t a, size_t b)
{
    double va = px_shape_volume(o->survey->shape[a]), vb = px_shape_volume(o->survey->shape[b]);
    return va != vb ? va < vb : a < b;
}

typedef struct Edge {
    double low, high; /* along x */
    size_t body;
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

/* Compares the points of body `self` with all bodies whose bounds overlap. */
static void check_body(Overlap *o, size_t self, const Edge *edge, size_t edges, double widest,
                       const size_t *wall, size_t walls)
{
    Sample sample = {0};
    bool sampled = false;
    size_t first = 0, last = edges;
    while (first < last) { /* bisection for the first body that may overlap */
        size_t middle = first + (last - first) / 2;
        if (edge[middle].low < o->bounds[self].low.x - widest)
            first = middle + 1;
        else
            last = middle;
    }
    for (size_t k = 0; k < walls + edges; ++k) {
        size_t other;
        if (!spend(&o->comparisons, 1, MOST_COMPARISONS, o))
            break;
        if (k < walls) {
            other = wall[k];
            if (!o->scene->body[other].def.inside &&
                !bounds_meet(o->bounds[self], o->bounds[other]))
                continue;
        } else {
            size_t e = first + (k - walls);
            if (e >= edges || edge[e].low > o->bounds[self].high.x)
                break;
            other = edge[e].body;
            if (other == self || !bounds_meet(o->bounds[self], o->bounds[other]) ||
                !is_smaller(o, self, other))
                continue;
        }
        if (!sampled)
            take_sample(o->scene, &o->scene->body[self], o->survey->shape[self], &sample);
        sampled = true;
        compare(o, self, &sample, other);
    }
    px_points_free(&sample.points);
}

static PxStatus check_overlaps(PxScene *scene, const PxSurvey *survey)
{
    size_t count = scene->bodies, edges = 0, walls = 0;
    Overlap o = {.scene = scene, .survey = survey};
    Edge *edge = malloc((count + 1) * sizeof *edge);
    size_t *wall = malloc((count + 1) * sizeof *wall);
    o.bounds = malloc((count + 1) * sizeof *o.bounds);
    PxStatus status = PX_OK;
    double widest = 0;
    if (edge == NULL || wall == NULL || o.bounds == NULL) {
        status = px_fail(PX_ERR_MEMORY, "scene: no room to compare %zu bodies", count);
        goto done;
    }
    for (size_t k = 0; k < count; ++k) {
        if (survey->shape[k] == NULL)
            continue;
        o.bounds[k] = px_shape_bounds(survey->shape[k]);
        if (!is_matter(&o, k)) {
            wall[walls++] = k;
            continue;
        }
        edge[edges++] = (Edge){o.bounds[k].low.x, o.bounds[k].high.x, k};
        widest = fmax(widest, o.bounds[k].high.x - o.bounds[k].low.x);
    }
    qsort(edge, edges, sizeof *edge, compare_edges);
    for (size_t k = 0; k < count && !o.gave_up; ++k)
        if (is_matter(&o, k))
            check_body(&o, k, edge, edges, widest, wall, walls);
    if (o.gave_up) {
        PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
        px_complain(scene, PX_WARNING, &bodies, PX_AT_VALUE,
                    "are too many and too near each other: not all were looked at for overlaps");
    }
done:
    free(edge);
    free(wall);
    free(o.bounds);
    return status;
}

/* --- all of it ------------------------------------------------------------------------------ */

static PxStatus check_all(PxScene *scene, const PxSurvey *survey)
{
    for (size_t k = 0; k < scene->bodies; ++k) {
        if (survey->shape[k] == NULL)
            continue;
        check_distance(scene, k, survey->shape[k]);
        check_thickness(scene, k, survey->shape[k]);
        check_poses(scene, k, survey->shape[k]);
        check_texture(scene, k, survey->shape[k]);
        check_cracks(scene, k, survey->shape[k]);
        check_coat(scene, k, survey->shape[k]);
    }
    check_picture(scene);
    check_looks(scene);
    check_amount(scene, survey);
    check_late_events(scene);
    check_resampling(scene);
    PX_TRY(px_survey_check_flow(scene, survey));
    PX_TRY(px_survey_check_hold(scene, survey));
    PX_TRY(px_survey_check_gauges(scene));
    PX_TRY(px_survey_check_rigid(scene, survey));
    PX_TRY(px_survey_check_cloth(scene, survey));
    PX_TRY(px_survey_check_seams(scene, survey));
    px_survey_check_stage(scene, survey);
    PX_TRY(px_survey_walk(scene, survey, check_stretch, &(StepCheck){.scene = scene}));
    if (scene->errors == 0)
        check_explicit(scene);
    PX_TRY(check_overlaps(scene, survey));
    px_survey_note_matter(scene);
    return px_survey_check_room(scene, survey);
}

PxStatus px_scene_check(PxScene *scene)
{
    PX_WANT(scene);
    px_complaints_clear(scene, true);
    scene->checking = true;
    PxSurvey survey = {0};
    PxStatus status = px_survey_make(scene, scene, &survey);
    if (status == PX_OK && scene->world.spacing > 0)
        status = check_all(scene, &survey);
    px_survey_free(scene, &survey);
    PxStatus finished = px_complaints_finish(scene);
    scene->checking = false;
    if (status != PX_OK || finished != PX_OK)
        return status != PX_OK ? status : finished;
    scene->checked = scene->errors == 0;
    return px_scene_verdict(scene);
}
