/// Checks of emitters and sinks that need their shapes and those around them.
#include "scene/check/survey.h"

#include "base/vec.h"
#include "base/words.h"
#include "world/actors/opening.h"

#include <math.h>
#include <stdlib.h>

#define ALONG 6              /* sample points along a pipe */
#define MOST_SITES 500       /* of a layer that are tested */
#define NEAREST_TO_WALL 0.2  /* spacings; as for the particles of bodies */
#define HAIR 0.01            /* spacings; nearer points are on the wall */
#define HEAD_ON 0.1          /* sine of the smallest angle at which a path enters a wall */
#define MOST_TESTS 3000000.0 /* point-in-shape tests in one check */

/* The path of an emitter's or sink's value. Filled in place: paths point to each other. */
typedef struct FlowPath {
    PxPath root, list, one, value;
} FlowPath;

static const PxPath *flow_path(FlowPath *p, const char *list, size_t index, const char *key)
{
    p->root = px_path_root();
    p->list = px_path_key(&p->root, list);
    p->one = px_path_index(&p->list, index);
    p->value = px_path_key(&p->one, key);
    return &p->value;
}

/* An emitter's opening with the sites of a layer; none if it was refused. */
typedef struct Pipe {
    PxOpening opening;
    PxSite *site;
    size_t sites;
    double length; /* in which particles are held, m */
} Pipe;

/* Position of `site` at the distance `way` along the pipe. */
static PxVec3 place(const Pipe *pipe, size_t site, double way)
{
    PxVec3 x = px_mad(pipe->opening.back, pipe->opening.along, way);
    x = px_mad(x, pipe->opening.across[0], pipe->site[site].a);
    return px_mad(x, pipe->opening.across[1], pipe->site[site].b);
}

typedef struct Flow {
    PxScene *scene;
    const PxSurvey *survey;
    Pipe *pipe; /* one per emitter */
    double tests;
    bool gave_up;
} Flow;

/* Does the budget allow this number of tests? */
static bool spend(Flow *flow, double tests)
{
    flow->tests += tests;
    flow->gave_up |= flow->tests > MOST_TESTS;
    return !flow->gave_up;
}

static size_t site_step(const Pipe *pipe)
{
    return 1 + pipe->sites / MOST_SITES;
}

/* Could a shape reach into the pipe or one spacing beyond it? Tested with its bounding sphere. */
static bool is_near(Flow *flow, const Pipe *pipe, const PxShape *shape)
{
    double s = flow->scene->world.spacing;
    PxVec3 middle = px_mad(pipe->opening.back, pipe->opening.along, 0.5 * pipe->length);
    double reach = 0.5 * pipe->length + hypot(pipe->opening.half[0], pipe->opening.half[1]) + 2 * s;
    return spend(flow, 1) && fabs(px_shape_distance(shape, middle, NULL)) <= reach;
}

/* Is any sample point of the pipe inside the shape? A far shape may still enclose the pipe. */
static bool reaches_into(Flow *flow, const Pipe *pipe, const PxShape *shape)
{
    PxVec3 middle = px_mad(pipe->opening.back, pipe->opening.along, 0.5 * pipe->length);
    if (!is_near(flow, pipe, shape))
        return px_shape_inside(shape, middle);
    if (!spend(flow, ALONG * (double)(pipe->sites / site_step(pipe) + 1)))
        return false;
    for (size_t i = 0; i < pipe->sites; i += site_step(pipe))
        for (int part = 0; part < ALONG; ++part)
            if (px_shape_inside(shape, place(pipe, i, pipe->length * (part + 0.5) / ALONG)))
                return true;
    return false;
}

static PxStatus make_pipe(PxScene *scene, size_t index, Pipe *out)
{
    const PxSceneEmitter *emitter = &scene->emitter[index];
    PxShapeDef shape = px_scene_shape(scene, &emitter->def.shape, &emitter->is.turn);
    *out = (Pipe){.site = NULL};
    FlowPath path;
    if (px_opening_make(&shape, emitter->def.direction, &out->opening) != PX_OK)
        return PX_OK; /* the reader has complained */
    out->length = fmax(out->opening.depth, scene->world.support * scene->world.spacing);
    PxStatus status =
        px_opening_sites(&out->opening, scene->world.spacing, &out->site, &out->sites);
    if (status == PX_ERR_ARGUMENT) {
        px_complain(scene, PX_ERROR, flow_path(&path, "emitters", index, "shape"), PX_AT_VALUE,
                    "%s", px_error_message());
        return PX_OK;
    }
    double cell = scene->world.spacing * scene->world.spacing;
    if (status == PX_OK && out->opening.area < 0.75 * cell)
        px_complain(scene, PX_WARNING, flow_path(&path, "emitters", index, "shape"), PX_AT_VALUE,
                    "has an opening of %.2g m^2, smaller than a particle (%.2g m^2): it emits a "
                    "string of single particles",
                    out->opening.area, cell);
    return status;
}

/* Complains about an emitter that never emits. */
static void check_amount(Flow *flow, size_t index)
{
    PxScene *scene = flow->scene;
    const PxSceneEmitter *emitter = &scene->emitter[index];
    double end = scene->head.time.frames / scene->head.time.fps, s = scene->world.spacing;
    FlowPath path;
    char start[32], last[32];
    if (emitter->def.start >= end)
        px_complain(scene, PX_WARNING, flow_path(&path, "emitters", index, "start"), PX_AT_VALUE,
                    "is %s s, but the run ends at %s s: nothing will be emitted",
                    px_number_text(emitter->def.start, start), px_number_text(end, last));
    else if (flow->survey->given[index] < s * s * s)
        px_complain(scene, PX_WARNING,
                    flow_path(&path, "emitters", index,
                              emitter->def.rate > 0       ? "rate"
                              : emitter->def.pressure > 0 ? "pressure"
                                                          : "speed"),
                    PX_AT_VALUE, "gives less than one particle in the whole run");
}

/* Distance from the pipe's back to the wall along the path from `site`, at most `end`. Sphere
 * tracing: steps as long as the distance to the wall cannot pass it, however thin it is; next to a
 * wall that the path does not enter, steps are HAIR long. */
static double free_way(Flow *flow, const Pipe *pipe, size_t site, const PxShape *shape, bool inside,
                       double end)
{
    double s = flow->scene->world.spacing, side = inside ? -1 : 1, way = 0.5 * s;
    while (way < end && spend(flow, 1)) {
        PxVec3 normal;
        double d = side * px_shape_distance(shape, place(pipe, site, way), &normal);
        double towards = -side * px_dot(normal, pipe->opening.along);
        if (d < 0 || (d < HAIR * s && towards > HEAD_ON))
            return way;
        way += fmax(d, HAIR * s);
    }
    return end;
}

/* Walls: the path of emitted particles must be free up to one spacing beyond the pipe. */
static void check_wall(Flow *flow, size_t index, size_t body)
{
    PxScene *scene = flow->scene;
    const Pipe *pipe = &flow->pipe[index];
    const PxBodyDef *def = &scene->body[body].def;
    const PxShape *shape = flow->survey->shape[body];
    double s = scene->world.spacing, end = pipe->length + s;
    size_t within = 0, beyond = 0, touching = 0, tried = 0;
    if (!is_near(flow, pipe, shape)) { /* the pipe is completely inside or outside */
        PxVec3 middle = px_mad(pipe->opening.back, pipe->opening.along, 0.5 * pipe->length);
        within = tried = px_shape_inside(shape, middle) != def->inside;
    } else {
        for (size_t i = 0; i < pipe->sites && spend(flow, 1); i += site_step(pipe), ++tried) {
            double d = px_shape_distance(shape, place(pipe, i, 0.5 * pipe->length), NULL);
            double way = free_way(flow, pipe, i, shape, def->inside, end);
            touching += fabs(d) < NEAREST_TO_WALL * s;
            within += way <= pipe->length;
            beyond += way > pipe->length && way < end;
        }
    }
    char name[120];
    FlowPath path;
    px_quote(def->name, name, sizeof name);
    if (within > 0)
        px_complain(
            scene, PX_ERROR, flow_path(&path, "emitters", index, "shape"), PX_AT_VALUE,
            "overlaps: %.0f %% of the emitted particles would start in the wall '%s' or hit it",
            100.0 * (double)within / (double)tried, name);
    else if (beyond > 0)
        px_complain(scene, PX_ERROR, flow_path(&path, "emitters", index, "direction"), PX_AT_VALUE,
                    "leads into the wall '%s', which is less than a spacing (%.3g m) in front of "
                    "the opening",
                    name, s);
    else if (touching > 0)
        px_complain(
            scene, PX_WARNING, flow_path(&path, "emitters", index, "shape"), PX_AT_VALUE,
            "makes %.0f %% of the emitted particles pass along the wall '%s', which deflects "
            "them; leave half a spacing (%.3g m) between the two",
            100.0 * (double)touching / (double)tried, name, 0.5 * s);
}

/* Complains about bodies in the pipe of an emitter that starts at time 0. */
static void check_matter(Flow *flow, size_t index, size_t body)
{
    char name[120];
    FlowPath path;
    if (flow->scene->emitter[index].def.start > 0 ||
        !reaches_into(flow, &flow->pipe[index], flow->survey->shape[body]))
        return;
    px_complain(flow->scene, PX_WARNING, flow_path(&path, "emitters", index, "shape"), PX_AT_VALUE,
                "is in the body '%s': matter in the pipe is pushed out first, and the rate is "
                "lower until then",
                px_quote(flow->scene->body[body].def.name, name, sizeof name));
}

/* Complains about overlapping pipes. */
static void check_pair(Flow *flow, size_t index, size_t other)
{
    const Pipe *pipe = &flow->pipe[index], *theirs = &flow->pipe[other];
    double s = flow->scene->world.spacing, step = fmax(s, pipe->length / 50);
    bool meets = false;
    if (!is_near(flow, pipe, flow->survey->emitter[other]) ||
        !spend(flow, pipe->length / step * (double)(pipe->sites / site_step(pipe) + 1)))
        return;
    for (size_t i = 0; i < pipe->sites && !meets; i += site_step(pipe))
        for (double way = 0.5 * s; way < pipe->length && !meets; way += step)
            meets = px_opening_holds(&theirs->opening, place(pipe, i, way), -0.5 * s,
                                     theirs->length + 0.5 * s, 0);
    char name[120];
    FlowPath path;
    if (meets)
        px_complain(flow->scene, PX_ERROR, flow_path(&path, "emitters", index, "shape"),
                    PX_AT_VALUE, "lies in the emitter '%s': they would block each other",
                    px_quote(flow->scene->emitter[other].def.name, name, sizeof name));
}

static void check_emitter(Flow *flow, size_t index)
{
    PxScene *scene = flow->scene;
    size_t material = scene->emitter[index].is.refers[0];
    FlowPath solid;
    if (material < scene->materials && scene->material[material].def.young > 0 &&
        !(scene->material[material].def.absorb > 0) && !scene->material[material].def.melts.melts)
        px_complain(scene, PX_ERROR, flow_path(&solid, "emitters", index, "material"), PX_AT_VALUE,
                    "is a solid; emitters give fluids, and solids that melt or whose rest shape "
                    "follows (\"absorb\": 10)");
    check_amount(flow, index);
    for (size_t k = 0; k < scene->bodies && !flow->gave_up; ++k) {
        if (flow->survey->shape[k] == NULL)
            continue;
        if (px_body_is_boundary(&scene->body[k].def))
            check_wall(flow, index, k);
        else
            check_matter(flow, index, k);
    }
    for (size_t k = 0; k < scene->sinks && !flow->gave_up; ++k) {
        char name[120];
        FlowPath path;
        if (flow->survey->sink[k] != NULL &&
            reaches_into(flow, &flow->pipe[index], flow->survey->sink[k]))
            px_complain(scene, PX_ERROR, flow_path(&path, "sinks", k, "shape"), PX_AT_VALUE,
                        "removes particles of the emitter '%s' before they leave its pipe",
                        px_quote(scene->emitter[index].def.name, name, sizeof name));
    }
    for (size_t k = 0; k < index && !flow->gave_up; ++k)
        if (flow->pipe[k].sites > 0)
            check_pair(flow, index, k);
}

/* Complains about a sink that never removes anything. */
static void check_sink(PxScene *scene, size_t index)
{
    double end = scene->head.time.frames / scene->head.time.fps;
    FlowPath path;
    char start[32], last[32];
    if (scene->sink[index].def.start > end)
        px_complain(scene, PX_WARNING, flow_path(&path, "sinks", index, "start"), PX_AT_VALUE,
                    "is %s s, but the run ends at %s s: nothing will be removed",
                    px_number_text(scene->sink[index].def.start, start), px_number_text(end, last));
}

PxStatus px_survey_check_flow(PxScene *scene, const PxSurvey *survey)
{
    for (size_t k = 0; k < scene->sinks; ++k)
        check_sink(scene, k);
    if (scene->emitters == 0)
        return PX_OK;
    Flow flow = {.scene = scene, .survey = survey};
    flow.pipe = calloc(scene->emitters, sizeof *flow.pipe);
    if (flow.pipe == NULL)
        return px_fail(PX_ERR_MEMORY, "scene: no room for %zu emitters", scene->emitters);
    PxStatus status = PX_OK;
    for (size_t k = 0; status == PX_OK && k < scene->emitters; ++k) {
        if (survey->emitter[k] == NULL)
            continue;
        status = make_pipe(scene, k, &flow.pipe[k]);
        if (status == PX_OK && flow.pipe[k].sites > 0)
            check_emitter(&flow, k);
        free(flow.pipe[k].site); /* the other pipes use only the opening */
        flow.pipe[k].site = NULL;
    }
    if (flow.gave_up) {
        PxPath root = px_path_root(), emitters = px_path_key(&root, "emitters");
        px_complain(scene, PX_WARNING, &emitters, PX_AT_VALUE,
                    "are too many and too near other things: not all were looked at");
    }
    free(flow.pipe);
    return status;
}
