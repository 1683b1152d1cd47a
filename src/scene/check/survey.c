#include "scene/check/survey.h"

#include "cloth/sheet.h"

#include "base/def.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "matter/pose.h"
#include "scene/layout/shape_forms.h"
#include "world/actors/opening.h"
#include "world/fracture_stage.h"
#include "world/octree_body.h"
#include "fluid/pressure/implicit_pressure.h"
#include "fluid/viscosity/viscosity.h"
#include "fluid/tension/tension.h"
#include "solid/integration.h"
#include "solid/solid.h"
#include "surface/coat/options.h"
#include "surface/skin/skin.h"

#include <stdlib.h>
#include <string.h>

/* Rough costs of a run; times on one core of a 2-core machine. `tools/estimates` compares them with
 * runs of the shipped scenes. */
#define BYTES_AT_ALL 23e6       /* memory: program and libraries */
#define BYTES_A_PARTICLE 1900.0 /* memory: columns, lists, scratch */
#define BYTES_A_SOLID 3000.0    /* the same of solids: bonds, weights */
#define BYTES_A_BRITTLE 5000.0  /* more of solids that break: cracks; pane 6300, face 3600 */
#define DISK_AT_ALL 34e3        /* of a frame: headers, rigid bodies, frames.xdmf */
#define DISK_A_STEP 950.0       /* of stats.csv */
#define DISK_A_PARTICLE 31.0    /* of a frame, compressed */
#define CHECKPOINT_AT_ALL 75e3  /* of a checkpoint */
#define CHECKPOINT_A_PARTICLE 112.0
#define CHECKPOINT_A_SOLID 450.0 /* the same of solids, with their bonds */
#define CHECKPOINTS 2.0
#define BYTES_A_SURFEL 500.0     /* memory: columns and links; a vertex of a skin alike */
#define DISK_A_SURFEL 82.0       /* of a frame, uncompressed */
#define CHECKPOINT_A_SURFEL 59.0 /* of a checkpoint */
#define BYTES_A_VERTEX 4500.0    /* of cloth; memory */
#define BYTES_A_TRIANGLE 250.0   /* of mesh walls, memory; river 210, colon 300 */
#define BYTES_A_FACET 700.0      /* of rigid meshes, memory; ducks 430, tablecloth 950 */
#define DISK_A_VERTEX 60.0       /* of cloth, of a frame beside its skin */
#define CHECKPOINT_A_VERTEX 318.0
/* Processor time of the start, of a frame, and of a frame's skin by its points, s. */
#define SECONDS_AT_ALL 0.03
#define SECONDS_A_FRAME 0.004
#define SECONDS_A_FRAME_PARTICLE 1.5e-6 /* frame and checkpoint */
#define SECONDS_A_SURFEL 4e-7
/* Time per rigid body and sub-step of 1/480 s, for primitives and for meshes, s. Tuned with
 * scenes/dominoes.json and scenes/chain.json. */
#define SECONDS_RIGID 4e-6
#define SECONDS_RIGID_MESH 2e-4
#define RIGID_SUBSTEPS 480.0
/* Time of the table of a funnel, by its area in spacing^2, s; scenes/glass.json and funnel.json. */
#define SECONDS_A_CELL 6.5e-4
/* Surfels of the coat of an emitted particle, in the mean over a run; scenes/pour.json and
 * quicksilver.json. */
#define SURFELS_A_PARTICLE 1.4
/* Time per particle and step, s, that mesh walls and rigid meshes add; river 8e-6 and colon 3.4e-6,
 * whose particles are all near the wall, cogs 1.1e-6, ducks 0.6e-6. */
#define SECONDS_MESH_WALL 5e-6
#define SECONDS_MESH_BODY 8e-7
/* Time per particle and step on one thread, s, with an equation of state and with an implicit
 * pressure solve: ducks 0.9e-6, fountain 0.6e-6, quicksilver 2.1e-6. */
#define SECONDS_EXPLICIT 5.8e-7
#define SECONDS_SOLVED 1e-6
/* The same with a solve on a grid, whose cells cost as much as particles; dam-break, drop. */
#define SECONDS_GRID 1.6e-6
/* Time per iteration of the viscosity solve, s; it takes 2 sqrt(nu dt / h^2) iterations, tuned with
 * scenes/honey.json; h is the smoothing length. */
#define SECONDS_VISCOUS 1.8e-7
/* Time per particle of one evaluation of elastic forces, s: 2.5e-8 (cradle) to 6.2e-8 (squash), and
 * more where bodies rub; of a step besides; and evaluations per implicit step. */
#define SECONDS_ELASTIC 5e-8
#define SECONDS_SOLID 2.5e-7
#define ELASTIC_ITERATIONS 40
/* Time per vertex of cloth and iteration of its solve, s, which takes 14 sqrt(dt^2 + beta dt)
 * sqrt(E / m) / edge iterations, and per vertex and step of collisions with cloth. Tuned with
 * scenes/drape.json with 20, 40 and 80 cells. */
#define SECONDS_CLOTH 1.8e-8
#define CLOTH_ITERATIONS 14
#define SECONDS_CLOTH_PAIRS 2e-6
/* Number of steps with an implicit pressure solve, relative to the number if the flow always had
 * its estimated top speed. Median of 11 scenes: 0.44 (honey) to 1.4 (jet). */
#define CALM 0.8
/* The same for scenes with solids and fluids, whose flow is mostly slow. Median of 11 scenes: 0.21
 * (split) to 0.75 (freeze). */
#define CALM_MIXED 0.5

/* A film by `phyxel run --film`: its pictures, and per particle of fluids, sample and pixel. A
 * sample took 3.3e-7 s (cantilever) to 7.4e-7 s (crown). */
#define FILM_PIXELS (960.0 * 540.0)
#define FILM_SAMPLES 16.0
#define SECONDS_SURFACE 1.4e-5 /* glass, crown, ducks: 0.8 to 1.6 */
#define SECONDS_A_PICTURE 0.1
#define SECONDS_A_SAMPLE 5.5e-7
#define DISK_SURFACE 140.0 /* dam-break 134, glass 150 */
#define DISK_A_PIXEL 0.4

double px_memory_estimate(double particles)
{
    return BYTES_AT_ALL + particles * BYTES_A_PARTICLE;
}

/* --- shapes ------------------------------------------------------------------------- */

static void complain_shape(PxScene *scene, const char *key, const PxShapeDef *def, size_t index)
{
    PxPath root = px_path_root(), list = px_path_key(&root, key);
    PxPath at = px_path_index(&list, index), shape = px_path_key(&at, "shape");
    PxPath kind = px_path_key(&shape, px_form_of_kind(def->kind)->key);
    px_complain(scene, PX_ERROR, &kind, PX_AT_VALUE, "%s", px_error_message());
}

static bool is_finite(PxBounds b)
{
    return px_finite(b.low) && px_finite(b.high);
}

/* Largest speed of a point of the wall within `arm` of the pivot, m/s. */
static PxStatus wall_speed(const PxSceneBody *body, double arm, double *out)
{
    size_t keys = px_scene_keyframes(body->is.keyframe, body->is.keyframes, NULL);
    PxKeyframe *key = malloc((keys + 1) * sizeof *key);
    if (key == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu keyframes", keys);
    px_scene_keyframes(body->is.keyframe, body->is.keyframes, key);
    *out = px_keyframes_speed(key, keys, arm);
    free(key);
    return PX_OK;
}

double px_survey_particles(const PxScene *scene, const PxSceneBody *body, const PxShape *shape)
{
    return body->def.fill == PX_FILL_OCTREE
               ? px_shape_octree_estimate(shape, scene->world.spacing, (int)body->def.levels,
                                          px_octree_layer(&scene->world))
               : px_shape_fill_estimate(shape,
                                        body->def.fill == PX_FILL_HEXAGONAL ? PX_LATTICE_HEXAGONAL
                                                                            : PX_LATTICE_CUBIC,
                                        scene->world.spacing);
}

PxStatus px_survey_fill(const PxScene *scene, const PxSceneBody *body, const PxShape *shape,
                        size_t most, PxPoints *out)
{
    double spacing = scene->world.spacing;
    if (body->def.fill == PX_FILL_FITTED)
        return px_shape_fill_fitted(shape, spacing, most, out);
    if (body->def.fill != PX_FILL_OCTREE)
        return px_shape_fill(
            shape, body->def.fill == PX_FILL_CUBIC ? PX_LATTICE_CUBIC : PX_LATTICE_HEXAGONAL,
            spacing, most, out);
    PxCells cells;
    *out = (PxPoints){0};
    PX_TRY(px_shape_octree(shape, spacing, (int)body->def.levels, px_octree_layer(&scene->world),
                           most, &cells));
    *out = (PxPoints){.position = cells.position, .count = cells.count};
    cells.position = NULL;
    px_cells_free(&cells);
    return PX_OK;
}

/* May the cells of an octree body all be split, until they have the size of the spacing? */
static bool is_split(const PxScene *scene, const PxSceneBody *body)
{
    size_t material = body->is.refers[0];
    return body->def.fill == PX_FILL_OCTREE && material != PX_NO_MATERIAL &&
           scene->material[material].def.melts.melts;
}

static PxStatus survey_body(const PxScene *scene, const PxSceneBody *body, const PxShape *shape,
                            PxSurvey *out)
{
    PxBounds bounds = px_shape_bounds(shape);
    if (is_finite(bounds))
        out->everything = px_bounds_join(out->everything, bounds);
    else
        px_bounds_add(&out->everything, body->def.shape.at);
    double reach = is_finite(bounds) ? 0.5 * px_length(px_sub(bounds.high, bounds.low)) : 0;
    if (body->def.rigid) {
        out->facets += px_shape_triangles(shape);
        out->matter = px_bounds_join(out->matter, bounds); /* pictures show it */
        out->speed =
            fmax(out->speed, px_length(body->def.velocity) + px_length(body->def.spin) * reach);
        return PX_OK;
    }
    if (body->def.wall) {
        out->triangles += px_shape_triangles(shape);
        double speed = 0;
        PX_TRY(wall_speed(body, 2 * reach, &speed));
        out->wall_speed = fmax(out->wall_speed, speed);
        double s = scene->world.spacing;
        if (body->def.shape.kind == PX_SHAPE_FUNNEL && s > 0 && px_scene_flows(scene))
            out->table_cells += px_shape_area(shape) / (s * s);
        return PX_OK;
    }
    out->matter = px_bounds_join(out->matter, bounds);
    out->volume += px_shape_volume(shape);
    if (scene->world.spacing > 0) {
        double particles = px_survey_particles(scene, body, shape), last = particles;
        if (is_split(scene, body))
            last =
                fmax(last, px_shape_fill_estimate(shape, PX_LATTICE_CUBIC, scene->world.spacing));
        out->particles += last;
        out->mean_particles += 0.5 * (particles + last);
        /* Triangles with edges up to one spacing have about 1.2 vertices per spacing^2. */
        double s = scene->world.spacing;
        double corners = 1.2 * px_shape_area(shape) / (s * s);
        size_t material = body->is.refers[0];
        bool solid = material != PX_NO_MATERIAL && scene->material[material].def.young > 0;
        PxCoatDef coat;
        double surfels = (double)body->def.surfels;
        if (body->is.refers[0] != PX_NO_MATERIAL &&
            px_coat_chosen(&scene->material[body->is.refers[0]].def.coat, s, &coat))
            out->skin_points += surfels = fmax(surfels, corners / (coat.surfel * coat.surfel));
        else
            out->skin_points += surfels + (solid && body->def.skin ? px_skin_points(shape, s) : 0);
        if (surfels > 0)
            out->covering = fmax(out->covering, px_shape_cover_memory(surfels));
        out->solids += solid ? particles : 0;
        out->brittle += solid && scene->material[material].def.fracture.fractures ? particles : 0;
    }
    out->speed =
        fmax(out->speed, px_length(body->def.velocity) + px_length(body->def.spin) * reach);
    return PX_OK;
}

/* --- flow ---------------------------------------------------------------------------- */

double px_survey_jet(const PxScene *scene, const PxSceneEmitter *emitter, const PxEmitterDef *by,
                     double area)
{
    size_t material = emitter->is.refers[0];
    double density = material != PX_NO_MATERIAL ? scene->material[material].def.density : 0;
    if (by->pressure > 0)
        return density > 0 ? sqrt(2 * by->pressure / density) : 0;
    return by->rate > 0 ? by->rate / area : by->speed;
}

/* Volume rate with the speed, rate or pressure of `by`, m^3/s; 0 for an emitter whose shape has no
 * opening. */
static double flow_of(const PxScene *scene, const PxSceneEmitter *emitter, const PxEmitterDef *by)
{
    PxShapeDef shape = px_scene_shape(scene, &emitter->def.shape, &emitter->is.turn);
    PxOpening opening;
    if (!emitter->is.shape_known ||
        px_opening_make(&shape, emitter->def.direction, &opening) != PX_OK)
        return 0;
    return by->rate > 0 ? by->rate : opening.area * px_survey_jet(scene, emitter, by, opening.area);
}

/* Area of the opening, m^2. */
static double area_of(const PxScene *scene, const PxSceneEmitter *emitter)
{
    return flow_of(scene, emitter, &(PxEmitterDef){.speed = 1});
}

/* A change of an emitter's volume rate (m^3/s) at a time (s). */
typedef struct Turn {
    size_t emitter, event;
    double at, flow;
} Turn;

static int compare_turns(const void *a, const void *b)
{
    const Turn *x = a, *y = b;
    if (x->emitter != y->emitter)
        return x->emitter < y->emitter ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Volume that an emitter emits in a run, m^3. */
typedef struct Given {
    double volume; /* total */
    double there;  /* still in the scene at the end of the run */
    double mean;   /* time average of the volume in the scene */
} Given;

/* Integrates the volume rate, which events change; particles stay for `stay` seconds. */
static Given given_by(const PxScene *scene, const PxSceneEmitter *emitter, const Turn *turn,
                      size_t turns, double stay)
{
    double length = scene->head.time.frames / scene->head.time.fps, s = scene->world.spacing;
    double end = fmin(emitter->def.end, length), now = emitter->def.start;
    double left = emitter->def.limit * s * s * s, moment = 0;
    double flow = flow_of(scene, emitter, &emitter->def);
    double late = length - stay; /* particles emitted later are still there at the end */
    Given out = {0};
    for (size_t k = 0; k <= turns; ++k) {
        double until = k < turns ? fmin(turn[k].at, end) : end;
        if (until > now) {
            double more = fmin(flow * (until - now), left);
            double last = now + (flow > 0 ? more / flow : 0);
            double early = fmin(fmax(late - now, 0), last - now);
            double rest = last - now - early;
            out.volume += more;
            out.there += flow * rest;
            left -= more;
            moment += flow * (early * stay + rest * (length - last + 0.5 * rest));
            now = until;
        }
        if (k < turns)
            flow = turn[k].flow;
    }
    out.mean = length > 0 ? moment / length : 0;
    return out;
}

static PxStatus survey_volumes(const PxScene *scene, PxSurvey *out)
{
    Turn *turn = malloc((scene->events + 1) * sizeof *turn);
    size_t turns = 0;
    if (turn == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu events", scene->events);
    for (size_t k = 0; k < scene->events; ++k) {
        const PxSceneEvent *event = &scene->event[k];
        PxLive live;
        if (strncmp(event->set, "emitters.", 9) != 0 ||
            px_scene_live(scene, event->set, &live) != PX_OK)
            continue;
        const char *key = live.field->key;
        PxEmitterDef by = {.speed = strcmp(key, "speed") == 0 ? event->to[0] : 0,
                           .rate = strcmp(key, "rate") == 0 ? event->to[0] : 0,
                           .pressure = strcmp(key, "pressure") == 0 ? event->to[0] : 0};
        if (strcmp(key, "temperature") == 0)
            continue;
        const PxSceneEmitter *emitter = &scene->emitter[live.index];
        double flow = flow_of(scene, emitter, &by), area = area_of(scene, emitter);
        turn[turns++] = (Turn){live.index, k, event->at, flow};
        out->speed = fmax(out->speed, area > 0 ? flow / area : 0);
    }
    qsort(turn, turns, sizeof *turn, compare_turns);
    double s = scene->world.spacing, cell = s * s * s;
    for (size_t k = 0, first = 0; k < scene->emitters; ++k) {
        size_t last = first;
        while (last < turns && turn[last].emitter == k)
            ++last;
        double stay = px_survey_stay(scene, out, k, scene->head.time.frames / scene->head.time.fps);
        Given given = given_by(scene, &scene->emitter[k], turn + first, last - first, stay);
        out->given[k] = given.volume;
        out->volume += given.there;
        out->particles += cell > 0 ? given.there / cell : 0;
        out->mean_particles += cell > 0 ? given.mean / cell : 0;
        size_t material = scene->emitter[k].is.refers[0];
        PxCoatDef coat;
        if (cell > 0 && material != PX_NO_MATERIAL &&
            px_coat_chosen(&scene->material[material].def.coat, s, &coat))
            out->skin_points += SURFELS_A_PARTICLE * given.mean / cell;
        first = last;
    }
    free(turn);
    return PX_OK;
}

static void survey_emitter(const PxScene *scene, const PxSceneEmitter *emitter,
                           const PxShape *shape, PxSurvey *out)
{
    double area = area_of(scene, emitter);
    out->everything = px_bounds_join(out->everything, px_shape_bounds(shape));
    out->matter = px_bounds_join(out->matter, px_shape_bounds(shape));
    if (area > 0)
        out->speed = fmax(out->speed, flow_of(scene, emitter, &emitter->def) / area);
}

/* Largest velocity that an event gives a body, m/s. */
static double event_speed(const PxScene *scene)
{
    double fastest = 0;
    for (size_t k = 0; k < scene->events; ++k) {
        const PxSceneEvent *event = &scene->event[k];
        PxLive live;
        if (px_scene_live(scene, event->set, &live) != PX_OK || live.kind != &px_body_kind ||
            strcmp(live.field->key, "velocity") != 0)
            continue;
        const double *v = event->to;
        fastest =
            fmax(fastest, event->values == 3 ? px_length(px_vec(v[0], v[1], v[2])) : fabs(v[0]));
    }
    return fastest;
}

/* Makes one shape. If it cannot be made, complains and sets *out to NULL. */
static PxStatus make_shape(PxScene *complain, const char *key, size_t index, const PxShapeDef *def,
                           PxShape **out)
{
    PxStatus status = px_shape_create(def, out);
    if (status == PX_OK)
        return PX_OK;
    *out = NULL;
    if (complain == NULL || status == PX_ERR_MEMORY)
        return px_fail_prefix(status, "%s[%zu]: ", key, index);
    complain_shape(complain, key, def, index);
    return PX_OK;
}

static PxStatus survey_flow(const PxScene *scene, PxScene *complain, PxSurvey *out)
{
    for (size_t k = 0; k < scene->emitters; ++k) {
        const PxSceneEmitter *emitter = &scene->emitter[k];
        PxShapeDef def = px_scene_shape(scene, &emitter->def.shape, &emitter->is.turn);
        if (!emitter->is.shape_known || (def.kind != PX_SHAPE_BOX && def.kind != PX_SHAPE_CYLINDER))
            continue;
        PX_TRY(make_shape(complain, "emitters", k, &def, &out->emitter[k]));
        if (out->emitter[k] != NULL)
            survey_emitter(scene, emitter, out->emitter[k], out);
    }
    for (size_t k = 0; k < scene->sinks; ++k) {
        PxShapeDef def = px_scene_shape(scene, &scene->sink[k].def.shape, &scene->sink[k].is.turn);
        if (scene->sink[k].is.shape_known)
            PX_TRY(make_shape(complain, "sinks", k, &def, &out->sink[k]));
    }
    return scene->emitters > 0 ? survey_volumes(scene, out) : PX_OK;
}

/* Cloth has no shape with a volume: its bounds and number of vertices are all that is needed. */
static PxStatus survey_cloth(const PxScene *scene, PxScene *complain, size_t index,
                             const PxShapeDef *def, PxSurvey *out)
{
    PxMesh *mesh = NULL;
    PxClothSheet *sheet = NULL;
    const PxSceneBody *body = &scene->body[index];
    PxStatus status = px_cloth_mesh(def, &mesh);
    if (status == PX_OK)
        status = px_cloth_sheet_create(mesh, def->rotation,
                                       scene->material[body->is.refers[0]].def.cloth.rest, &sheet);
    px_mesh_free(mesh);
    if (status != PX_OK) {
        if (complain == NULL || status == PX_ERR_MEMORY)
            return px_fail_prefix(status, "bodies[%zu]: ", index);
        complain_shape(complain, "bodies", def, index);
        return PX_OK;
    }
    for (uint32_t k = 0; k < sheet->vertices; ++k) {
        px_bounds_add(&out->matter, sheet->start[k]);
        px_bounds_add(&out->everything, sheet->start[k]);
    }
    out->cloth_vertices += sheet->vertices;
    out->cloth_triangles += sheet->faces;
    out->skin_points += sheet->vertices;
    out->sheet[index] = sheet;
    return PX_OK;
}

PxStatus px_survey_make(const PxScene *scene, PxScene *complain, PxSurvey *out)
{
    *out = (PxSurvey){.matter = px_bounds_empty(), .everything = px_bounds_empty()};
    out->shape = calloc(scene->bodies + 1, sizeof *out->shape);
    out->sheet = calloc(scene->bodies + 1, sizeof *out->sheet);
    out->emitter = calloc(scene->emitters + 1, sizeof *out->emitter);
    out->sink = calloc(scene->sinks + 1, sizeof *out->sink);
    out->given = calloc(scene->emitters + 1, sizeof *out->given);
    if (out->shape == NULL || out->sheet == NULL || out->emitter == NULL || out->sink == NULL ||
        out->given == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu shapes",
                       scene->bodies + scene->emitters + scene->sinks);
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxSceneBody *body = &scene->body[k];
        bool filled_plane = body->def.shape.kind == PX_SHAPE_PLANE && !body->def.wall;
        if (!body->is.shape_known || filled_plane) /* the reader has complained */
            continue;
        PxShapeDef def = px_scene_shape_at_start(scene, &body->def.shape, &body->is.turn,
                                                 body->is.keyframe, body->is.keyframes);
        bool cloth_shape = def.kind == PX_SHAPE_SHEET || def.kind == PX_SHAPE_MESH;
        if (body->def.cloth && !cloth_shape) /* the reader has complained */
            continue;
        if (body->def.cloth) {
            PX_TRY(survey_cloth(scene, complain, k, &def, out));
            continue;
        }
        if (def.kind == PX_SHAPE_SHEET) /* the reader has complained */
            continue;
        if (def.kind == PX_SHAPE_PARTICLES) /* px_survey_matter() makes it */
            continue;
        PX_TRY(make_shape(complain, "bodies", k, &def, &out->shape[k]));
    }
    PX_TRY(px_survey_matter(scene, complain, out));
    for (size_t k = 0; k < scene->bodies; ++k)
        if (out->shape[k] != NULL)
            PX_TRY(survey_body(scene, &scene->body[k], out->shape[k], out));
    PX_TRY(survey_flow(scene, complain, out));
    out->speed = fmax(out->speed, event_speed(scene));
    return PX_OK;
}

void px_survey_free(const PxScene *scene, PxSurvey *survey)
{
    for (size_t k = 0; survey->shape != NULL && k < scene->bodies; ++k)
        px_shape_free(survey->shape[k]);
    for (size_t k = 0; survey->emitter != NULL && k < scene->emitters; ++k)
        px_shape_free(survey->emitter[k]);
    for (size_t k = 0; survey->sink != NULL && k < scene->sinks; ++k)
        px_shape_free(survey->sink[k]);
    for (size_t k = 0; survey->sheet != NULL && k < scene->bodies; ++k)
        px_cloth_sheet_free(survey->sheet[k]);
    free(survey->sheet);
    free(survey->shape);
    free(survey->emitter);
    free(survey->sink);
    free(survey->given);
    *survey = (PxSurvey){0};
}

/* --- steps ---------------------------------------------------------------------------- */

/* Largest drop height, m: from the highest matter to the lowest point of the scene. */
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

/* A parameter of the material's pressure model by its key; `otherwise` if the model has none of
 * that name. */
static double pressure_number(const PxMaterialDef *material, const char *key, double otherwise)
{
    const PxField *pressure = px_section_field(&px_material_kind.section, "pressure");
    const PxModelInfo *model = px_family_find(pressure->family, material->pressure.model);
    const PxField *field =
        model != NULL ? px_field_find(model->fields, model->field_count, key) : NULL;
    double value = field != NULL ? material->pressure.param[field - model->fields] : otherwise;
    return isnan(value) ? otherwise : value;
}

const char *px_scene_pressure(const PxScene *scene)
{
    if (scene == NULL)
        return NULL;
    if (!px_scene_flows(scene))
        return "none";
    const char *model = "auto";
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *def = &scene->material[k].def;
        if (!(def->young > 0) && strcmp(def->pressure.model, "auto") != 0)
            model = def->pressure.model;
    }
    bool emits = false, carries = false, meshes = false;
    for (size_t k = 0; k < scene->emitters; ++k)
        emits |= scene->emitter[k].def.start <= 0;
    for (size_t k = 0; k < scene->bodies; ++k)
        if (scene->body[k].def.rigid) {
            carries = true;
            meshes |= scene->body[k].def.shape.kind == PX_SHAPE_MESH;
        }
    bool automatic = strcmp(model, "auto") == 0, grid = automatic || strcmp(model, "flip") == 0;
    for (size_t k = 0; k < scene->materials && grid; ++k) {
        PxMaterial material = {.def = scene->material[k].def, .live = true};
        PxFluid fluid = {.material = &material,
                         .materials = 1,
                         .spacing = scene->world.spacing,
                         .emits = emits,
                         .carries = carries,
                         .carries_meshes = meshes};
        grid = automatic ? px_flip_applies(&fluid) : px_flip_sees(&fluid);
    }
    return grid ? "flip" : automatic || strcmp(model, "flip") == 0 ? "dfsph" : model;
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

/* The material in the state with the shortest steps: with the larger viscosity and tension of its
 * solid and molten states. */
static PxMaterialDef at_worst(const PxMaterialDef *material)
{
    PxMaterialDef def = *material;
    if (!def.melts.melts)
        return def;
    def.viscosity = fmax(def.viscosity, def.melts.into.viscosity); /* fmax ignores NAN */
    def.tension.param[0] = fmax(def.tension.param[0], def.melts.into.tension);
    return def;
}

/* Estimated sub-step of leapfrog for a solid at rest, s; INFINITY: it has none. The highest
 * frequency of a cubic lattice is c / (r s) with the speed c of P-waves and r = 0.614, 0.549,
 * 0.474, 0.454 at Poisson's ratios of 0, 0.3, 0.45 and 0.49, measured on blocks of 8^3. */
static double substep_of(const PxWorldDef *world, const PxMaterialDef *def)
{
    const PxModelInfo *model = px_family_find(&px_integration_family, def->integration.model);
    const PxField *courant =
        model != NULL ? px_field_find(model->fields, model->field_count, "courant") : NULL;
    PxSolidLaw law;
    PxMaterial material = {.def = *def};
    if (!(def->young > 0) || courant == NULL || px_solid_law(&material, &law) != PX_OK)
        return INFINITY;
    double axial = fmax((double)law.stiff[0], fmax((double)law.stiff[1], (double)law.stiff[2])) +
                   (double)law.volume;
    double nu = def->poisson, r = 0.614 - 0.042 * nu - 0.583 * nu * nu;
    return 2 * def->integration.param[courant - model->fields] * r * world->spacing *
           sqrt(def->density / axial);
}

/* Is there cloth of that material? */
static bool is_worn(const PxScene *scene, size_t material)
{
    for (size_t k = 0; k < scene->bodies; ++k)
        if (scene->body[k].def.cloth && scene->body[k].is.refers[0] == material)
            return true;
    return false;
}

/* Uses the step limits of the solvers. The top speed follows from drop height, initial speeds and
 * walls, and is at least ten spacings per second. */
PxStepLimit px_step_limit(const PxScene *scene, const PxSurvey *survey, const PxWorldDef *world,
                          const PxMaterialDef *material)
{
    PxStepLimit limit = {.seconds = world->max_step,
                         .least = world->min_step,
                         .cause = PX_BY_MAX_STEP,
                         .material = PX_NO_MATERIAL,
                         .substep = INFINITY,
                         .look = INFINITY,
                         .stiffest = PX_NO_MATERIAL};
    double g = px_length(world->gravity), h = 0.5 * world->support * world->spacing;
    double fall = drop_height(survey, world->gravity);
    double flow = sqrt(survey->speed * survey->speed + 2 * g * fall);
    flow = fmax(fmax(flow, survey->wall_speed), 10 * world->spacing);
    size_t fluids = 0;
    bool flows = px_scene_flows(scene); /* then solids obey the step limits of fluids, too */
    PxFluid fluid = {.kernel = px_kernel(world->support * world->spacing, world->spacing),
                     .spacing = world->spacing,
                     .courant = world->courant};
    for (size_t k = 0; k < scene->materials; ++k) {
        PxMaterial m = {.def = at_worst(&material[k])};
        const PxTensionModel *tension = px_tension_find(m.def.tension.model, PX_ISA_BASE);
        if (m.def.cloth.cloth) {
            if (is_worn(scene, k))
                shorten(&limit, m.def.cloth.step, PX_BY_CLOTH, k, 0);
            continue;
        }
        fluids += flows; /* rigid bodies have materials, too */
        limit.look = fmin(limit.look, px_fracture_look(&material[k], world->spacing));
        double substep = substep_of(world, &material[k]);
        if (substep < limit.substep) {
            limit.substep = substep;
            limit.stiffest = k;
        }
        if (tension == NULL || (m.def.young > 0 && !m.def.melts.melts))
            continue;
        flow = fmax(flow, sqrt(tension->squeeze(&fluid, &m) / m.def.density));
        shorten(&limit, tension->step_limit(&fluid, &m), PX_BY_TENSION, k, 0);
    }
    if (g > 0 && fluids > 0)
        shorten(&limit, world->courant * sqrt(h / g), PX_BY_GRAVITY, PX_NO_MATERIAL, 0);
    for (size_t k = 0; k < scene->materials; ++k) {
        PxMaterialDef m = at_worst(&material[k]);
        if (m.cloth.cloth || !flows) /* solids alone have their own sub-steps */
            continue;
        double stated = pressure_number(&m, "top_speed", 0);
        double fluctuation = pressure_number(&m, "fluctuation", 0);
        double sound = fluctuation > 0 ? (stated > 0 ? stated : flow) / sqrt(fluctuation / 100) : 0;
        shorten(&limit, world->courant * h / (sound + flow), PX_BY_SOUND, k, sound);
        const PxViscosityModel *viscosity = px_viscosity_find(m.viscosity_model.model, PX_ISA_BASE);
        if (viscosity != NULL && (!(m.young > 0) || m.melts.melts))
            shorten(&limit, viscosity->step_limit(&m, h), PX_BY_VISCOSITY, k, 0);
    }
    return limit;
}

static int compare_moments(const void *a, const void *b)
{
    const PxMoment *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

void px_scene_moments(const PxScene *scene, PxMoment *out)
{
    for (size_t k = 0; k < scene->events; ++k)
        out[k] = (PxMoment){scene->event[k].at, k};
    qsort(out, scene->events, sizeof *out, compare_moments);
}

PxStatus px_survey_walk(const PxScene *scene, const PxSurvey *survey, PxStretchFunction *function,
                        void *user)
{
    double end = scene->head.time.frames / scene->head.time.fps, now = 0;
    PxWorldDef world = scene->world;
    PxMaterialDef *material = malloc((scene->materials + 1) * sizeof *material);
    PxMoment *moment = malloc((scene->events + 1) * sizeof *moment);
    PxStatus status = PX_OK;
    if (material == NULL || moment == NULL) {
        status = px_fail(PX_ERR_MEMORY, "scene: no room for %zu events", scene->events);
        goto done;
    }
    for (size_t k = 0; k < scene->materials; ++k)
        material[k] = scene->material[k].def;
    px_scene_moments(scene, moment);
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
        void *changed = live.kind == NULL                ? (void *)&world
                        : live.kind == &px_material_kind ? (void *)&material[live.index]
                                                         : NULL;
        if (status == PX_OK && changed != NULL)
            status =
                px_field_set(live.field, changed, live.rest, event->to, event->values, event->set);
        if (status != PX_OK)
            break;
    }
done:
    free(material);
    free(moment);
    return status;
}

/* --- the estimate -------------------------------------------------------------------------- */

typedef struct Work {
    const PxScene *scene;
    double calm;           /* CALM or CALM_MIXED */
    double steps, seconds; /* seconds: per particle on one thread */
    const PxSurvey *survey;
    double cloth; /* seconds of all cloth on one thread */
} Work;

/* Time per particle and step for meshes that fluid meets, s. */
static double mesh_cost(const PxScene *scene)
{
    double cost = 0;
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxBodyDef *body = &scene->body[k].def;
        if (px_body_is_boundary(body) && body->shape.kind == PX_SHAPE_MESH)
            cost = fmax(cost, body->rigid ? SECONDS_MESH_BODY : SECONDS_MESH_WALL);
    }
    return cost;
}

/* Time per particle for a step of length dt, s. */
static double step_cost(const PxScene *scene, const PxStepLimit *limit)
{
    double dt = limit->seconds;
    double cost = SECONDS_EXPLICIT, h = 0.5 * scene->world.support * scene->world.spacing;
    double iterations = 0, solid = 0;
    size_t fluids = 0;
    bool grid = strcmp(px_scene_pressure(scene), "flip") == 0;
    bool flows = px_scene_flows(scene);
    for (size_t k = 0; k < scene->materials; ++k) {
        const PxMaterialDef *m = &scene->material[k].def;
        if (m->cloth.cloth)
            continue;
        if (m->young > 0) {
            bool implicit = strcmp(m->integration.model, "implicit") == 0;
            double passes = implicit ? ELASTIC_ITERATIONS : ceil(dt / limit->substep);
            solid = fmax(solid, SECONDS_SOLID + SECONDS_ELASTIC * passes);
            if (!flows)
                continue;
        }
        ++fluids;
        if (strcmp(m->pressure.model, "sesph") != 0)
            cost = grid ? SECONDS_GRID : SECONDS_SOLVED;
        if (strcmp(m->viscosity_model.model, "implicit") == 0)
            iterations = fmax(iterations, 2 * sqrt(m->viscosity / m->density * dt) / h);
    }
    cost += mesh_cost(scene);
    return (fluids > 0 ? cost + SECONDS_VISCOUS * iterations : 0) + solid;
}

/* Time of all cloth for a step of length dt, s. */
static double cloth_cost(const PxScene *scene, const PxSurvey *survey, double dt)
{
    double cost = 0;
    for (size_t k = 0; k < scene->bodies; ++k) {
        const PxClothSheet *sheet = survey->sheet[k];
        if (sheet == NULL)
            continue;
        const PxMaterialDef *m = &scene->material[scene->body[k].is.refers[0]].def;
        const PxClothDef *c = &m->cloth;
        double mass = c->mass > 0 ? c->mass : m->density * c->thickness;
        double wave = sqrt(fmax(c->weft, c->warp) / mass);
        double iterations =
            CLOTH_ITERATIONS * sqrt(dt * dt + c->stiff_damping * dt) * wave / sheet->edge;
        cost += sheet->vertices *
                (SECONDS_CLOTH * (1 + iterations) + (c->self_collision ? SECONDS_CLOTH_PAIRS : 0));
    }
    return cost;
}

/* Time of all rigid bodies in the run, s. */
static double rigid_cost(const PxScene *scene)
{
    double cost = 0, end = scene->head.time.frames / scene->head.time.fps;
    for (size_t k = 0; k < scene->bodies; ++k)
        if (scene->body[k].def.rigid)
            cost +=
                scene->body[k].def.shape.kind == PX_SHAPE_MESH ? SECONDS_RIGID_MESH : SECONDS_RIGID;
    return cost * RIGID_SUBSTEPS * end;
}

static void count_steps(void *user, size_t event, double begin, double end,
                        const PxStepLimit *limit)
{
    (void)event;
    Work *work = user;
    bool flow = limit->cause == PX_BY_SOUND && limit->sound == 0;
    PxStepLimit each = *limit;
    if (limit->look < limit->seconds)
        each.seconds = limit->look, flow = false;
    limit = &each;
    double steps = (end - begin) / limit->seconds * (flow ? work->calm : 1);
    work->steps += steps;
    work->seconds += steps * step_cost(work->scene, limit);
    work->cloth += steps * cloth_cost(work->scene, work->survey, limit->seconds);
}

/* Surfaces around fluids, and a picture of each frame. */
static void estimate_film(const PxSurvey *survey, double frames, PxSceneEstimate *out)
{
    double wrapped = fmax(survey->mean_particles - survey->solids, 0);
    double seconds = wrapped * SECONDS_SURFACE + SECONDS_A_PICTURE +
                     FILM_PIXELS * FILM_SAMPLES * SECONDS_A_SAMPLE;
    out->film_seconds = frames * seconds / out->threads;
    out->film_disk = frames * (wrapped * DISK_SURFACE + FILM_PIXELS * DISK_A_PIXEL);
}

static PxStatus estimate(const PxScene *scene, int threads, PxSceneEstimate *out)
{
    *out = (PxSceneEstimate){.threads = threads > 0 ? threads : px_threads_available()};
    if (scene->errors > 0)
        return px_fail(PX_ERR_FORMAT, "%s: the scene has errors and cannot be estimated",
                       scene->file);
    PxSurvey survey;
    Work work = {.scene = scene, .calm = CALM, .survey = &survey};
    for (size_t k = 0; k < scene->materials; ++k)
        if (scene->material[k].def.young > 0 && px_scene_flows(scene))
            work.calm = CALM_MIXED;
    PxStatus status = px_survey_make(scene, NULL, &survey);
    if (status == PX_OK)
        status = px_survey_walk(scene, &survey, count_steps, &work);
    if (status == PX_OK) {
        /* Steps end exactly at frames, so there is at least one per frame. */
        out->steps = fmax(work.steps, scene->head.time.frames);
        out->particles = survey.particles;
        double frames = scene->head.time.frames + 1, solids = survey.solids;
        double points = survey.skin_points, vertices = survey.cloth_vertices;
        out->memory = px_memory_estimate(out->particles) +
                      solids * (BYTES_A_SOLID - BYTES_A_PARTICLE) +
                      survey.brittle * BYTES_A_BRITTLE +
                      fmax(points * BYTES_A_SURFEL, survey.covering) + vertices * BYTES_A_VERTEX +
                      survey.triangles * BYTES_A_TRIANGLE + survey.facets * BYTES_A_FACET;
        out->disk = frames * (DISK_AT_ALL + survey.mean_particles * DISK_A_PARTICLE +
                              points * DISK_A_SURFEL + vertices * DISK_A_VERTEX) +
                    out->steps * DISK_A_STEP +
                    CHECKPOINTS * (CHECKPOINT_AT_ALL + out->particles * CHECKPOINT_A_PARTICLE +
                                   solids * (CHECKPOINT_A_SOLID - CHECKPOINT_A_PARTICLE) +
                                   points * CHECKPOINT_A_SURFEL + vertices * CHECKPOINT_A_VERTEX);
        double a_step = work.steps > 0 ? work.seconds / work.steps : 0;
        double alone = SECONDS_AT_ALL +
                       frames * (SECONDS_A_FRAME + points * SECONDS_A_SURFEL +
                                 survey.mean_particles * SECONDS_A_FRAME_PARTICLE) +
                       survey.table_cells * SECONDS_A_CELL;
        out->seconds =
            alone + (out->steps * survey.mean_particles * a_step + work.cloth + rigid_cost(scene)) /
                        out->threads;
        estimate_film(&survey, frames, out);
        out->cloth_vertices = survey.cloth_vertices;
        out->cloth_triangles = survey.cloth_triangles;
        uint32_t crossings = 0;
        status = px_survey_crossings(scene, NULL, &survey, &crossings);
        out->cloth_crossings = crossings;
    }
    px_survey_free(scene, &survey);
    return status;
}

PxStatus px_scene_estimate_sized(const PxScene *scene, int threads, PxSceneEstimate *out,
                                 size_t size)
{
    PX_WANT(out);
    PxSceneEstimate made = {0};
    px_result_put(out, size, 0, &made, sizeof made);
    PX_WANT(scene);
    if (threads < 0)
        return px_fail(PX_ERR_ARGUMENT, "estimate: threads is %d, wanted 0 or more", threads);
    PX_TRY(estimate(scene, threads, &made));
    px_result_put(out, size, 0, &made, sizeof made);
    return PX_OK;
}
