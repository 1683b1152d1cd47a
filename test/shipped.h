/// The shipped scenes: their names, scaling and coarsening, and a run that counts violations of
/// conservation and stability.
#ifndef PX_TEST_SHIPPED_H
#define PX_TEST_SHIPPED_H

#include "scenes.h"

#include "base/vec.h"
#include "scene/check/survey.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#define SHIPPED_MOST 96

static inline int shipped_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/// Sorted names of the files in scenes/; returns their number.
static inline size_t shipped_names(char name[SHIPPED_MOST][64])
{
    DIR *folder = opendir(PX_SOURCE_DIR "/scenes");
    size_t count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strstr(entry->d_name, ".json") != NULL) {
            CHECK(count < SHIPPED_MOST && strlen(entry->d_name) < 64);
            strcpy(name[count++], entry->d_name);
        }
    closedir(folder);
    qsort(name, count, sizeof name[0], shipped_compare);
    return count;
}

static inline PxScene *shipped_read(const char *name)
{
    char path[1024];
    PxScene *scene = NULL;
    snprintf(path, sizeof path, PX_SOURCE_DIR "/scenes/%s", name);
    CHECK_OK(px_scene_read(path, &scene));
    return scene;
}

static inline void shipped_scale_shape(PxShapeDef *shape, double size)
{
    shape->scale *= size;
    shape->at = px_scale(shape->at, size);
}

/// Scales all lengths by `size`, and the spacing by `coarse` as well. Speeds, gravity, time and
/// materials are unchanged.
static inline void shipped_scale(PxScene *scene, double size, double coarse)
{
    scene->world.spacing *= size * coarse;
    for (size_t k = 0; k < scene->bodies; ++k) {
        PxShapeDef *shape = &scene->body[k].def.shape;
        shipped_scale_shape(shape, size);
        if (shape->kind == PX_SHAPE_SHEET) { /* cloth becomes as coarse as the matter */
            shape->columns = ceil(shape->columns / coarse);
            shape->rows = ceil(shape->rows / coarse);
        }
        scene->body[k].def.ballast *= size * size * size;
        if (scene->body[k].is.vessel != NULL)
            scene->body[k].is.vessel->level *= size;
        for (size_t i = 0; i < scene->body[k].is.keyframes; ++i)
            scene->body[k].is.keyframe[i].move = px_scale(scene->body[k].is.keyframe[i].move, size);
    }
    for (size_t k = 0; k < scene->emitters; ++k)
        shipped_scale_shape(&scene->emitter[k].def.shape, size);
    for (size_t k = 0; k < scene->sinks; ++k)
        shipped_scale_shape(&scene->sink[k].def.shape, size);
    for (size_t k = 0; k < scene->handles; ++k) {
        PxSceneHandle *handle = &scene->handle[k];
        shipped_scale_shape(&handle->def.shape, size);
        for (size_t i = 0; i < handle->is.keyframes; ++i)
            handle->is.keyframe[i].move = px_scale(handle->is.keyframe[i].move, size);
    }
    for (size_t k = 0; k < scene->forces; ++k)
        shipped_scale_shape(&scene->force[k].def.shape, size);
    for (size_t k = 0; k < scene->fields; ++k) {
        PxForceFieldDef *field = &scene->force_field[k].def;
        if (scene->force_field[k].is.shape_known)
            shipped_scale_shape(&field->shape, size);
        field->at = px_scale(field->at, size);
        field->size *= size;
        field->fade *= size;
    }
    for (size_t k = 0; k < scene->heaters; ++k)
        shipped_scale_shape(&scene->heater[k].def.shape, size);
    PxSceneList *joints = px_scene_list(scene, &px_joint_kind);
    for (size_t k = 0; k < joints->count; ++k) {
        PxJointDef *joint = px_thing_def(px_scene_thing(joints, &px_joint_kind, k));
        joint->at = px_scale(joint->at, size);
        joint->anchor = px_scale(joint->anchor, size);
        joint->length *= joint->length > 0 ? size : 1; /* negative: as it is */
    }
    PxSceneList *seams = px_scene_list(scene, &px_seam_kind);
    for (size_t k = 0; k < seams->count; ++k) {
        PxSeamDef *seam = px_thing_def(px_scene_thing(seams, &px_seam_kind, k));
        shipped_scale_shape(&seam->shape, size);
        seam->within *= size;
    }
    scene->camera.from = px_scale(scene->camera.from, size);
    scene->camera.to = px_scale(scene->camera.to, size);
    for (size_t k = 0; k < scene->views; ++k) {
        scene->view[k].camera.from = px_scale(scene->view[k].camera.from, size);
        scene->view[k].camera.to = px_scale(scene->view[k].camera.to, size);
    }
}

/// Bound on the speed of matter from the fall through the whole scene, initial velocities,
/// emitters, walls and attractors that end. Single drops of a splash, and the last particles in a
/// closing gap, exceed it.
static inline double shipped_speed(const PxScene *scene)
{
    PxSurvey survey;
    CHECK_OK(px_survey_make(scene, NULL, &survey));
    PxBounds all = survey.everything;
    for (size_t k = 0; k < scene->sinks; ++k) {
        PxBounds b = px_shape_bounds(survey.sink[k]);
        if (px_finite(b.low) && px_finite(b.high))
            all = px_bounds_join(all, b);
        else
            px_bounds_add(&all, scene->sink[k].def.shape.at);
    }
    double fall = all.high.y - all.low.y, g = px_length(scene->world.gravity);
    double v = fmax(survey.speed, survey.wall_speed);
    /* Matter released by a handle at strains of about 1 springs back at the speed of sound. */
    for (size_t k = 0; k < scene->materials && scene->handles > 0; ++k)
        v = fmax(v, sqrt(scene->material[k].def.young / scene->material[k].def.density));
    for (size_t k = 0; k < scene->fields; ++k) { /* that push away from a point, as blasts do */
        const PxForceFieldDef *f = &scene->force_field[k].def;
        if (f->kind == PX_FIELD_OF_ATTRACTOR && isfinite(f->end))
            v += fabs(f->strength) * (f->end - f->start);
    }
    px_survey_free(scene, &survey);
    return sqrt(v * v + 2 * g * fall);
}

typedef struct Shipped {
    uint64_t steps, particles, leaked, not_converged, unfinite;
    double speed;         ///< largest speed over shipped_speed()
    double fast;          ///< largest fraction of particles above 1.5 shipped_speed()
    double energy;        ///< largest kinetic energy, over that of all mass at shipped_speed()
    double density_error; ///< largest mean compression of a step, per cent
    double mean_error;    ///< mean of those over the steps
    double mass_lost;     ///< fraction of the initial and emitted mass that is missing
    double mean_iterations;
    double growth;      ///< solids: largest rise of the energy without work done on them, over the
                        ///< largest kinetic plus elastic energy
    uint64_t grown;     ///< steps in which that exceeded SHIPPED_GROWTH
    double heat;        ///< largest error of the heat balance, over the largest heat
    uint64_t heat_lost; ///< steps in which that exceeded SHIPPED_HEAT
} Shipped;

/* ---- energy of solids ---- */

/// Fraction of the kinetic plus elastic energy by which integration errors may raise the energy:
/// leapfrog's oscillation at an impact. The largest is 1.7 per cent, of bounce.json at a quarter of
/// its size; with sub-steps half as long it vanishes (test_scenes.c), so it is not growth.
#define SHIPPED_GROWTH 0.02

/// Does [from, to] overlap the time from the first to the last keyframe?
static inline bool shipped_moves(const PxSceneKeyframe *key, size_t keys, double from, double to)
{
    return keys > 0 && to > key[0].at && from <= key[keys - 1].at;
}

/// Can anything do work on solids from `from` to `to`: moving handles and walls, handles that start
/// to hold, forces, events?
static inline bool shipped_work(const PxScene *scene, double from, double to)
{
    bool any = false;
    for (size_t k = 0; k < scene->bodies; ++k)
        any |= shipped_moves(scene->body[k].is.keyframe, scene->body[k].is.keyframes, from, to);
    for (size_t k = 0; k < scene->handles; ++k) {
        const PxSceneHandle *h = &scene->handle[k];
        any |= shipped_moves(h->is.keyframe, h->is.keyframes, from, to);
        any |= from <= h->def.start && h->def.start < to;
    }
    for (size_t k = 0; k < scene->forces; ++k)
        any |= scene->force[k].def.start < to && scene->force[k].def.end > from;
    for (size_t k = 0; k < scene->fields; ++k)
        any |= scene->force_field[k].def.start < to && scene->force_field[k].def.end > from;
    for (size_t k = 0; k < scene->events; ++k)
        any |= from <= scene->event[k].at && scene->event[k].at < to;
    return any;
}

/// Lowest energy since work was last done, and the largest kinetic plus elastic energy.
typedef struct ShippedEnergy {
    double lowest, most, growth;
    uint64_t grown;
} ShippedEnergy;

static inline void shipped_energy(ShippedEnergy *e, const PxStats *stats, bool work)
{
    double total = stats->kinetic + stats->potential + stats->elastic;
    e->most = fmax(e->most, stats->kinetic + stats->elastic);
    e->lowest = work ? total : fmin(e->lowest, total);
    if (e->most > 0) {
        e->growth = fmax(e->growth, (total - e->lowest) / e->most);
        e->grown += total - e->lowest > SHIPPED_GROWTH * e->most;
    }
}

/// Has the scene only solids that never melt? Melting softens strained matter and changes its rest
/// shape; that changes its energy, and no statistic counts it.
static inline bool shipped_solid(const PxScene *scene)
{
    bool solid = scene->emitters == 0;
    for (size_t k = 0; k < scene->materials; ++k)
        solid &= scene->material[k].def.young > 0 && !scene->material[k].def.melts.melts;
    return solid;
}

/* ---- heat ---- */

/// Allowed relative error of the heat balance: temperatures are floats, so each step rounds them by
/// up to 6e-8 of their value.
#define SHIPPED_HEAT 1e-5

typedef struct ShippedHeat {
    double owed, most, worst;
    uint64_t lost;
} ShippedHeat;

static inline void shipped_heat(ShippedHeat *h, const PxStats *stats)
{
    h->most = fmax(h->most, fmax(fabs(stats->heat), fabs(stats->heat_in)));
    if (h->most > 0) {
        double off = fabs(stats->heat - stats->heat_in - h->owed) / h->most;
        h->worst = fmax(h->worst, off);
        h->lost += !(off <= SHIPPED_HEAT);
    }
}

static inline void shipped_look(const PxWorld *world, double top, Shipped *out)
{
    const float *v[3], *x[3];
    uint32_t count = px_world_count(world);
    uint64_t fast = 0;
    for (int c = 0; c < 3; ++c) {
        v[c] = px_world_floats(world, "velocity", c);
        x[c] = px_world_floats(world, "position", c);
    }
    for (uint32_t i = 0; i < count; ++i) {
        double v2 = 0, sum = 0;
        for (int c = 0; c < 3; ++c) {
            v2 += (double)v[c][i] * (double)v[c][i];
            sum += (double)x[c][i];
        }
        out->unfinite += !isfinite(v2 + sum);
        fast += v2 > 2.25 * top * top;
    }
    if (count > 0)
        out->fast = fmax(out->fast, (double)fast / count);
}

/// Runs the scene for `seconds`, to its end or for `steps` steps, on `threads` (0: all). A failing
/// step fails the test.
static inline Shipped shipped_run_steps(const PxScene *scene, const char *what, double seconds,
                                        uint64_t steps, int threads)
{
    Shipped out = {0};
    PxWorld *world = NULL;
    PxStats stats;
    clock_t began = clock();
    double top = shipped_speed(scene);
    double end = fmin(seconds, scene->head.time.frames / scene->head.time.fps);
    CHECK_OK(px_scene_world(scene, threads, &world));
    px_world_stats(world, &stats);
    double start = stats.mass + stats.cloth_water;
    bool solid = shipped_solid(scene);
    ShippedHeat heat = {.owed = stats.heat - stats.heat_in};
    shipped_heat(&heat, &stats);
    ShippedEnergy energy = {.lowest = INFINITY};
    while (px_world_time(world) < end && stats.step < steps) {
        double before = px_world_time(world);
        if (px_world_step(world, end) != PX_OK)
            fail_msg("%s: %s", what, px_error_message());
        px_world_stats(world, &stats);
        out.speed = fmax(out.speed, stats.speed_max / top);
        if (stats.mass > 0)
            out.energy = fmax(out.energy, stats.kinetic / (0.5 * stats.mass * top * top));
        out.density_error = fmax(out.density_error, stats.density_error);
        out.mean_error += stats.density_error;
        out.mean_iterations += (double)stats.iterations;
        if (solid)
            shipped_energy(&energy, &stats, shipped_work(scene, before, px_world_time(world)));
        shipped_heat(&heat, &stats);
        shipped_look(world, top, &out);
    }
    out.heat = heat.worst;
    out.heat_lost = heat.lost;
    out.growth = energy.growth;
    out.grown = energy.grown;
    out.steps = stats.step;
    out.particles = stats.particles;
    out.leaked = stats.leaked;
    out.not_converged = stats.not_converged;
    out.mean_error /= (double)stats.step;
    out.mean_iterations /= (double)stats.step;
    double owed = start + stats.mass_in;
    out.mass_lost =
        owed > 0 ? fabs(stats.mass + stats.cloth_water + stats.mass_out - owed) / owed : 0;
    px_world_free(world);
    print_message("  %-24s %6llu particles %5llu steps, speed %.2f of the bound, fast %.4f %%, "
                  "compressed %.3f %% (mean %.4f %%), %.1f iterations, not converged %llu, "
                  "energy growth %.4f %% in %llu cases, heat lost %.2g, %.2f s\n",
                  what, (unsigned long long)out.particles, (unsigned long long)out.steps, out.speed,
                  100 * out.fast, out.density_error, out.mean_error, out.mean_iterations,
                  (unsigned long long)out.not_converged, 100 * out.growth,
                  (unsigned long long)out.grown, out.heat,
                  (double)(clock() - began) / CLOCKS_PER_SEC);
    return out;
}

/// The same for any number of steps.
static inline Shipped shipped_run(const PxScene *scene, const char *what, double seconds,
                                  int threads)
{
    return shipped_run_steps(scene, what, seconds, UINT64_MAX, threads);
}

/// What every run must satisfy at any size. Single drops of a splash exceed the speed bound, since
/// they take energy from others: at most 0.4 per cent of the particles of the dam break, and 0.5
/// per cent of a slab of water that hits the floor at once (events.json). If a scene is unstable,
/// all particles do. Compression is averaged over the run, because that slab is compressed by 1 to
/// 5 per cent for a few steps.
static inline void shipped_judge(const Shipped *s, const char *what)
{
    if (s->leaked > 0 || s->unfinite > 0)
        fail_msg("%s: %llu leaked, %llu are not finite, wanted none", what,
                 (unsigned long long)s->leaked, (unsigned long long)s->unfinite);
    /* sums of floats in double precision: 1e-9 is a hundredth of a particle in ten million */
    if (!(s->mass_lost < 1e-9))
        fail_msg("%s: a part of %.3g of the mass is lost", what, s->mass_lost);
    if (!(s->fast <= 0.01) || !(s->energy <= 1))
        fail_msg("%s: %.3g %% are faster than 1.5 times the bound, energy is %.3g of the bound",
                 what, 100 * s->fast, s->energy);
    if (s->grown > 0)
        fail_msg("%s: the energy of solids rose without work in %llu steps, by %.3g %% at most",
                 what, (unsigned long long)s->grown, 100 * s->growth);
    if (s->heat_lost > 0)
        fail_msg("%s: heat is lost or made in %llu steps, a part of %.3g at most", what,
                 (unsigned long long)s->heat_lost, s->heat);
    if (!(s->mean_error < 1))
        fail_msg("%s: compressed by %.3g %% over the run, wanted less than 1", what, s->mean_error);
}

/// Runs every shipped scene at `size` times its size and twice the spacing, a sixteenth of the
/// work, for at most 1000 steps: for 1 s at its size, at others for half of the time in which as
/// much happens (Froude); with PHYXEL_LONG set, to the end. colon.json would take 5000 steps at a
/// quarter of its size. One thread: the sizes are programs of their own, which CTest runs side by
/// side.
static inline void shipped_run_all(double size)
{
    char name[SHIPPED_MOST][64], what[100];
    size_t count = shipped_names(name);
    for (size_t k = 0; k < count; ++k) {
        PxScene *scene = shipped_read(name[k]);
        shipped_scale(scene, size, 2);
        snprintf(what, sizeof what, "%s x %g", name[k], size);
        bool whole = getenv("PHYXEL_LONG") != NULL;
        double seconds = whole ? INFINITY : size == 1 ? 1 : 0.5 * sqrt(fmin(1, size));
        Shipped s = shipped_run_steps(scene, what, seconds, whole ? UINT64_MAX : 1000, 1);
        shipped_judge(&s, what);
        px_scene_free(scene);
    }
}

#endif
