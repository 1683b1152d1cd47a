#include "scene/survey.h"

#include "base/parallel.h"
#include "base/vec.h"
#include "fluid/tension/tension.h"

#include <stdlib.h>
#include <string.h>

/* What a run costs, roughly; time and memory as scenes/dam-break.json took them on
 * one core of a 2-core machine. */
#define BYTES_A_PARTICLE 400.0     /* of memory: columns, lists, scratch */
#define DISK_A_PARTICLE 30.0       /* of a frame, compressed */
#define CHECKPOINT_A_PARTICLE 65.0 /* of a checkpoint */
#define CHECKPOINTS 2.0
#define SECONDS_A_PARTICLE 5.8e-7 /* of one step on one thread: the dam break to its end */

/* Part of h^2 / nu that a step with an explicit viscous force may take (Morris, Fox
 * and Zhu 1997, Eq. 22). */
#define VISCOUS_PART 0.125

double px_memory_estimate(double particles)
{
    return particles * BYTES_A_PARTICLE;
}

/* --- shapes ------------------------------------------------------------------------- */

static void complain_shape(PxScene *scene, const PxSceneBody *body, size_t index)
{
    PxPath root = px_path_root(), bodies = px_path_key(&root, "bodies");
    PxPath at = px_path_index(&bodies, index), shape = px_path_key(&at, "shape");
    PxPath kind = px_path_key(&shape, px_form_of_kind(body->def.shape.kind)->key);
    px_complain(scene, PX_ERROR, &kind, PX_AT_VALUE, "%s", px_error_message());
}

static bool is_finite(PxBounds b)
{
    return px_finite(b.low) && px_finite(b.high);
}

/* Fastest of the keyframes' stretches, at the corner that swings widest. */
static double wall_speed(const PxSceneBody *body, double size)
{
    double fastest = 0;
    for (size_t k = 1; k < body->keyframes; ++k) {
        const PxSceneKeyframe *a = &body->keyframe[k - 1], *b = &body->keyframe[k];
        double angle = fabs(b->turn.degrees - a->turn.degrees) * (3.14159265358979 / 180);
        double way = px_length(px_sub(b->move, a->move)) + angle * size;
        fastest = fmax(fastest, way / (b->at - a->at));
    }
    return fastest;
}

static void survey_body(const PxScene *scene, const PxSceneBody *body, const PxShape *shape,
                        PxSurvey *out)
{
    PxBounds bounds = px_shape_bounds(shape);
    if (is_finite(bounds))
        out->everything = px_bounds_join(out->everything, bounds);
    else
        px_bounds_add(&out->everything, body->def.shape.at);
    double reach = is_finite(bounds) ? 0.5 * px_length(px_sub(bounds.high, bounds.low)) : 0;
    if (body->def.wall) {
        out->wall_speed = fmax(out->wall_speed, wall_speed(body, 2 * reach));
        return;
    }
    out->matter = px_bounds_join(out->matter, bounds);
    out->volume += px_shape_volume(shape);
    if (scene->world.spacing > 0)
        out->particles += px_shape_fill_estimate(shape, scene->world.spacing);
    out->speed =
        fmax(out->speed, px_length(body->def.velocity) + px_length(body->def.spin) * reach);
}

/* Fastest that an event sets a body going, m/s. */
static double event_speed(const PxScene *scene)
{
    double fastest = 0;
    for (size_t k = 0; k < scene->events; ++k) {
        const PxSceneEvent *event = &scene->event[k];
        PxLive live;
        if (px_scene_live(scene, event->set, &live) != PX_OK || live.scope != PX_LIVE_BODY ||
            strcmp(live.field->key, "velocity") != 0)
            continue;
        const double *v = event->to;
        fastest =
            fmax(fastest, event->values == 3 ? px_length(px_vec(v[0], v[1], v[2])) : fabs(v[0]));
    }
    return fastest;
}

PxStatus px_survey_make(const PxScene *scene, PxScene *complain, PxSurvey *out)
{
    *out = (PxSurvey){.matter = px_bounds_empty(), .everything = px_bounds_empty()};
    out->shape = calloc(scene->bodies + 1, sizeof *out->shape);
    if (out->shape == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu shapes", scene->bodies);
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxSceneBody *body = &scene->body[k];
        bool filled_plane = body->def.shape.kind == PX_SHAPE_PLANE && !body->def.wall;
        if (!body->shape_known || filled_plane) /* was complained about */
            continue;
        PxShapeDef def = px_scene_shape_at_start(scene, body);
        PxStatus status = px_shape_create(&def, &out->shape[k]);
        if (status == PX_OK) {
            survey_body(scene, body, out->shape[k], out);
            continue;
        }
        out->shape[k] = NULL;
        if (complain == NULL || status == PX_ERR_MEMORY)
            return px_fail_prefix(status, "bodies[%zu]: ", k);
        complain_shape(complain, body, k);
    }
    out->speed = fmax(out->speed, event_speed(scene));
    return PX_OK;
}

void px_survey_free(const PxScene *scene, PxSurvey *survey)
{
    for (size_t k = 0; survey->shape != NULL && k < scene->bodies; ++k)
        px_shape_free(survey->shape[k]);
    free(survey->shape);
    *survey = (PxSurvey){0};
}

/* --- steps ---------------------------------------------------------------------------- */

/* Furthest that something can fall: from the highest matter to the lowest of all. */
static double drop_height(const PxSurvey *survey, PxVec3 gravity)
{
    PxVec3 down = px_normalized(gravity, px_vec(0, 0, 0));
    if (!is_finite(survey->matter) || !is_finite(survey->everything))
        return 0;
    double highest = INFINITY, lowest = -INFINITY; /* along `down` */
    for (int corner = 0; corner < 8; ++corner) {
        const PxBounds *m = &survey->matter, *e = &survey->everything;
        PxVec3 a = px_vec(corner & 1 ? m->high.x : m->low.x, corner & 2 ? m->high.y : m->low.y,
                          corner & 4 ? m->high.z : m->low.z);
        PxVec3 b = px_vec(corner & 1 ? e->high.x : e->low.x, corner & 2 ? e->high.y : e->low.y,
                          corner & 4 ? e->high.z : e->low.z);
        highest = fmin(highest, px_dot(a, down));
        lowest = fmax(lowest, px_dot(b, down));
    }
    return fmax(0, lowest - highest);
}

/* A number of the material's pressure model by its key; `otherwise` if the model
 * has none of that name. */
static double pressure_number(const PxMaterialDef *material, const char *key, double otherwise)
{
    const PxField *pressure =
        px_field_find(px_material_section.fields, *px_material_section.field_count, "pressure");
    const PxModelInfo *model = px_family_find(pressure->family, material->pressure.model);
    const PxField *field =
        model != NULL ? px_field_find(model->fields, model->field_count, key) : NULL;
    return field != NULL ? material->pressure.param[field - model->fields] : otherwise;
}

static void shorten(PxStepLimit *limit, double seconds, PxStepCause cause, size_t material,
                    double sound)
{
    if (!(seconds < limit->seconds))
        return;
    limit->seconds = seconds;
    limit->cause = cause;
    limit->material = material;
    limit->sound = sound;
}

/* As the solvers do: the fastest flow is what the fall, the start and the walls
 * give, and never less than ten spacings a second. */
PxStepLimit px_step_limit(const PxScene *scene, const PxSurvey *survey, const PxWorldDef *world,
                          const PxMaterialDef *material)
{
    PxStepLimit limit = {.seconds = world->max_step,
                         .least = world->min_step,
                         .cause = PX_BY_MAX_STEP,
                         .material = PX_NO_MATERIAL};
    double g = px_length(world->gravity), h = 0.5 * world->support * world->spacing;
    double fall = drop_height(survey, world->gravity);
    double flow = sqrt(survey->speed * survey->speed + 2 * g * fall);
    flow = fmax(fmax(flow, survey->wall_speed), 10 * world->spacing);
    PxFluid fluid = {.kernel = px_kernel(world->support * world->spacing),
                     .spacing = world->spacing,
                     .courant = world->courant};
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxTensionModel *tension = px_tension_find(material[k].tension.model, PX_ISA_BASE);
        if (tension == NULL)
            continue;
        PxMaterial m = {.def = material[k]};
        flow = fmax(flow, sqrt(tension->squeeze(&fluid, &m) / m.def.density));
        shorten(&limit, tension->step_limit(&fluid, &m), PX_BY_TENSION, k, 0);
    }
    if (g > 0)
        shorten(&limit, world->courant * sqrt(h / g), PX_BY_GRAVITY, PX_NO_MATERIAL, 0);
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *m = &material[k];
        double stated = pressure_number(m, "top_speed", 0);
        double fluctuation = pressure_number(m, "fluctuation", 0);
        double sound = fluctuation > 0 ? (stated > 0 ? stated : flow) / sqrt(fluctuation / 100) : 0;
        shorten(&limit, world->courant * h / (sound + flow), PX_BY_SOUND, k, sound);
        if (m->viscosity > 0)
            shorten(&limit, VISCOUS_PART * h * h * m->density / m->viscosity, PX_BY_VISCOSITY, k,
                    0);
    }
    return limit;
}

typedef struct Moment {
    double at;
    size_t event;
} Moment;

static int compare_moments(const void *a, const void *b)
{
    const Moment *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

PxStatus px_survey_walk(const PxScene *scene, const PxSurvey *survey, PxStretchFunction *function,
                        void *user)
{
    double end = scene->time.frames / scene->time.fps, now = 0;
    PxWorldDef world = scene->world;
    PxMaterialDef *material = malloc((scene->materials + 1) * sizeof *material);
    Moment *moment = malloc((scene->events + 1) * sizeof *moment);
    PxStatus status = PX_OK;
    if (material == NULL || moment == NULL) {
        status = px_fail(PX_ERR_MEMORY, "scene: no room for %zu events", scene->events);
        goto done;
    }
    for (size_t k = 0; k < scene->materials; ++k)
        material[k] = scene->material[k];
    for (size_t k = 0; k < scene->events; ++k)
        moment[k] = (Moment){scene->event[k].at, k};
    qsort(moment, scene->events, sizeof *moment, compare_moments);
    size_t current = SIZE_MAX;
    for (size_t k = 0; k <= scene->events; ++k) {
        double next = k < scene->events ? fmin(moment[k].at, end) : end;
        PxStepLimit limit = px_step_limit(scene, survey, &world, material);
        function(user, current, now, next, &limit);
        now = next;
        if (k == scene->events || moment[k].at > end)
            break;
        const PxSceneEvent *event = &scene->event[moment[k].event];
        PxLive live;
        current = moment[k].event;
        status = px_scene_live(scene, event->set, &live);
        if (status == PX_OK && live.scope != PX_LIVE_BODY)
            status = px_field_set(live.field,
                                  live.scope == PX_LIVE_WORLD ? (void *)&world
                                                              : (void *)&material[live.index],
                                  live.rest, event->to, event->values, event->set);
        if (status != PX_OK)
            break;
    }
done:
    free(material);
    free(moment);
    return status;
}

/* --- the estimate -------------------------------------------------------------------------- */

static void count_steps(void *user, size_t event, double begin, double end,
                        const PxStepLimit *limit)
{
    (void)event;
    *(double *)user += (end - begin) / limit->seconds;
}

PxStatus px_scene_estimate(const PxScene *scene, int threads, PxSceneEstimate *out)
{
    *out = (PxSceneEstimate){.threads = threads > 0 ? threads : px_threads_available()};
    if (scene->errors > 0)
        return px_fail(PX_ERR_FORMAT, "%s: the scene has errors and cannot be estimated",
                       scene->file);
    PxSurvey survey;
    PxStatus status = px_survey_make(scene, NULL, &survey);
    if (status == PX_OK)
        status = px_survey_walk(scene, &survey, count_steps, &out->steps);
    if (status == PX_OK) {
        /* A frame is reached exactly, so at least one step leads to each. */
        out->steps = fmax(out->steps, scene->time.frames);
        out->particles = survey.particles;
        out->memory = px_memory_estimate(out->particles);
        out->disk = out->particles * (DISK_A_PARTICLE * (scene->time.frames + 1) +
                                      CHECKPOINT_A_PARTICLE * CHECKPOINTS);
        out->seconds = out->steps * out->particles * SECONDS_A_PARTICLE / out->threads;
    }
    px_survey_free(scene, &survey);
    return status;
}
