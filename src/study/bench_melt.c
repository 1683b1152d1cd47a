/// Bench of melting and flowing matter: time of a step, and of a frame of its coat (000 section
/// 6.7).
///
/// The coat is that of a blob that turns, is stretched by a tenth in a frame and released three
/// frames later, while its particles are stirred. So surfels are inserted and deleted in every
/// frame, and the forces never come to rest. A frame's time is the minimum over several frames.
#include "study/bench.h"

#include "base/profile.h"
#include "base/random.h"
#include "base/vec.h"
#include "surface/coat/coat.h"

#include <math.h>
#include <stdlib.h>

typedef struct Setup {
    const char *name;
    double radius; /* of the blob, spacings */
    double surfel; /* distance between surfels, spacings */
    double theirs; /* time per frame on the document's machine without physics, ms; 0: not known */
} Setup;

/* 000 Figure 6.10: water poured into a glass, 3k particles and 3.4k surfels, 1.4 s a frame. Figure
 * 6.9: a solid that melts on a heated box, 3.9k particles and 56k surfels, 25 s a frame. The text
 * says that most of it is the surface. */
static const Setup setups[] = {
    {"3k / 3.4k", 8.95, 0.475, 1200},
    {"3.9k / 56k", 9.8, 0.132, 20000},
    {"34k / 18k", 20, 0.475, 0},
};

typedef struct Blob {
    uint32_t count;
    float *rest[3], *x[3];
    uint64_t *id;
} Blob;

static void blob_free(Blob *b)
{
    for (int k = 0; k < 3; ++k) {
        free(b->rest[k]);
        free(b->x[k]);
    }
    free(b->id);
}

static PxStatus blob_make(Blob *b, double radius)
{
    size_t room = (size_t)(4.5 * (radius + 2) * (radius + 2) * (radius + 2));
    bool fine = (b->id = malloc(room * sizeof *b->id)) != NULL;
    for (int k = 0; k < 3; ++k) {
        fine = (b->rest[k] = malloc(room * sizeof(float))) != NULL && fine;
        fine = (b->x[k] = malloc(room * sizeof(float))) != NULL && fine;
    }
    if (!fine)
        return px_fail(PX_ERR_MEMORY, "bench: no room for a blob");
    int n = (int)radius + 2;
    for (int i = 0; i < 8 * n * n * n; ++i) {
        const double at[3] = {i % (2 * n) - n + 0.5, i / (2 * n) % (2 * n) - n + 0.5,
                              i / (4 * n * n) - n + 0.5};
        if (at[0] * at[0] + at[1] * at[1] + at[2] * at[2] > radius * radius)
            continue;
        for (int k = 0; k < 3; ++k)
            b->rest[k][b->count] =
                (float)(at[k] + 0.2 * (px_random_unit(b->count, 1, (uint64_t)k) - 0.5));
        b->id[b->count] = b->count;
        ++b->count;
    }
    return PX_OK;
}

static void blob_move(Blob *b, int frame)
{
    double longer = exp(0.3 * sin(0.35 * frame)), thinner = 1 / sqrt(longer);
    double c = cos(0.1 * frame), s = sin(0.1 * frame);
    for (uint32_t i = 0; i < b->count; ++i) {
        double x = (double)b->rest[0][i] * longer, y = (double)b->rest[1][i] * thinner;
        double z = (double)b->rest[2][i] * thinner;
        x += 0.4 * sin(0.5 * y + 0.3 * frame);
        y += 0.4 * sin(0.5 * z + 0.2 * frame);
        b->x[0][i] = (float)(c * x - s * y);
        b->x[1][i] = (float)(s * x + c * y);
        b->x[2][i] = (float)z;
    }
}

typedef struct Timing {
    double first, least, mean; /* s */
    double surfels, made, deleted, rounds, correction;
    uint32_t particles;
} Timing;

static PxStatus run_frames(PxBench *bench, int frames, Blob *b, PxArena *arena, PxCoat *coat,
                           Timing *t)
{
    PxCoatInput in = {.count = b->count,
                      .id = b->id,
                      .position = {b->x[0], b->x[1], b->x[2]},
                      .velocity = {b->x[0], b->x[1], b->x[2]},
                      .threads = &bench->threads,
                      .scratch = arena};
    *t = (Timing){.least = INFINITY, .particles = b->count};
    for (int f = 0; f <= frames; ++f) {
        blob_move(b, f);
        double began = px_clock();
        PX_TRY(px_coat_advance(coat, &in));
        double took = px_clock() - began;
        PX_TRY(px_arena_reset(arena));
        if (f == 0) {
            t->first = took;
            continue;
        }
        t->least = fmin(t->least, took);
        t->mean += took / frames;
        t->surfels += (double)coat->surfels.count / frames;
        t->made += (double)coat->stats.made / frames;
        t->deleted += (double)coat->stats.deleted / frames;
        t->rounds += (double)coat->stats.rounds / frames;
        t->correction = fmax(t->correction, coat->stats.correction);
    }
    return PX_OK;
}

static PxStatus measure(PxBench *bench, const Setup *s, int frames, Timing *t)
{
    PxCoatDef def = px_coat_def_default();
    def.spacing = 1;
    def.surfel = s->surfel;
    PxCoat *coat = NULL;
    PxArena arena;
    Blob b = {0};
    px_arena_init(&arena, NULL);
    PxStatus status = px_bench_next(bench, "a coat, %s", s->name);
    if (status == PX_OK)
        status = blob_make(&b, s->radius);
    if (status == PX_OK)
        status = px_coat_create(&def, NULL, &coat);
    if (status == PX_OK)
        status = run_frames(bench, frames, &b, &arena, coat, t);
    px_coat_free(coat);
    px_arena_free(&arena);
    blob_free(&b);
    return status;
}

/* ---- physics -------------------------------------------------------------------- */

/* Times of a step in 000 Table 6.1. */
#define DOCUMENT_STEP 1e-3 /* s */

typedef struct Matter {
    const char *name;
    const char *what;
    PxVec3 size;        /* spacings */
    double from, plate; /* degrees C */
    double begin;       /* time at which measuring starts, s */
    double theirs;      /* time per step in the document, s */
} Matter;

static const Matter matters[] = {
    {"fluid, 3k", "flows", {14, 15, 14}, 80, 80, 0.2, 0.13},
    {"freezing, 2.4k", "freezes on a cold plate", {13, 14, 13}, 65, -20, 0.4, 0.4},
    {"melting, 3.9k", "melts on a hot plate", {16, 15, 16}, 20, 120, 0.4, 3.1},
};

/* A block of a wax-like material on a plate. */
static PxStatus matter_make(const PxBench *bench, const Matter *m, PxWorld **out)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.02;
    def.threads = bench->threads.count;
    PX_TRY(px_world_create(&def, out));
    PxMaterialDef wax = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    wax.name = "wax";
    wax.density = 900;
    wax.young = 1e5;
    wax.viscosity = 0;
    wax.damping = 2;
    wax.diffusivity = 1e-3;
    wax.melts.melts = true;
    wax.melts.from = 40;
    wax.melts.to = 60;
    wax.melts.into.viscosity = 5;
    PxMaterialId id;
    PX_TRY(px_world_add_material(*out, &wax, &id));
    body.name = "plate";
    body.wall = true;
    body.warm = true;
    body.temperature = m->plate;
    body.shape = px_shape_def_default(PX_SHAPE_PLANE);
    PX_TRY(px_world_add_body(*out, &body, NULL));
    body = px_body_def_default();
    body.name = "block";
    body.skin = false;
    body.material = id;
    body.temperature = m->from;
    body.shape.size = px_scale(m->size, def.spacing);
    body.shape.at.y = 0.5 * body.shape.size.y;
    return px_world_add_body(*out, &body, NULL);
}

typedef struct Steps {
    double least, mean; /* s a step */
    double dt;          /* s */
    uint32_t particles;
} Steps;

/* The minimum mean of ten successive steps: components are updated every tenth step. */
static PxStatus matter_measure(PxBench *bench, const Matter *m, Steps *s)
{
    PxWorld *world = NULL;
    PxStatus status = px_bench_next(bench, "matter that %s", m->what);
    if (status == PX_OK)
        status = matter_make(bench, m, &world);
    if (status == PX_OK)
        status = px_world_advance(world, m->begin);
    int rounds = bench->def.quick ? 4 : 12;
    *s = (Steps){.least = INFINITY};
    for (int r = 0; r < rounds && status == PX_OK; ++r) {
        double began = px_clock(), from = px_world_time(world);
        for (int k = 0; k < 10 && status == PX_OK; ++k)
            status = px_world_step(world, px_world_time(world) + 1);
        double took = (px_clock() - began) / 10;
        s->least = fmin(s->least, took);
        s->mean += took / rounds;
        s->dt += (px_world_time(world) - from) / 10 / rounds;
        s->particles = px_world_count(world);
    }
    px_world_free(world);
    return status;
}

static PxStatus physics(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"particles", "particles", "%.0f"},
        {"dt_ms", "step, ms", "%.2f"},
        {"ms", "ms/step", "%.2f"},
        {"mean_ms", "mean", "%.2f"},
        {"document_ms", "2006", "%.0f"},
        {"step_times", "times", "%.0f"},
        {"second", "s/simulated s", "%.2f"},
        {"document_second", "2006", "%.0f"},
        {"times", "times faster", "%.0f"},
    };
    Steps steps[PX_COUNT(matters)];
    for (size_t k = 0; k < PX_COUNT(matters); ++k)
        PX_TRY(matter_measure(bench, &matters[k], &steps[k]));
    px_report_table(bench->report, "physics", "steps of 000 Table 6.1", columns, PX_COUNT(columns));
    for (size_t k = 0; k < PX_COUNT(matters); ++k)
        px_report_row(bench->report, matters[k].name, (double)steps[k].particles, 1e3 * steps[k].dt,
                      1e3 * steps[k].least, 1e3 * steps[k].mean, 1e3 * matters[k].theirs,
                      matters[k].theirs / steps[k].least, steps[k].least / steps[k].dt,
                      matters[k].theirs / DOCUMENT_STEP,
                      matters[k].theirs / DOCUMENT_STEP * steps[k].dt / steps[k].least);
    px_report_note(bench->report,
                   "\nThe document's steps are 1 ms with ten elastic sub-steps (section 6.4.1); "
                   "ours are adaptive.\nTarget: a hundred times faster.\n");
    return PX_OK;
}

PxStatus px_bench_melt(PxBench *bench)
{
    PX_TRY(physics(bench));
    static const PxReportColumn columns[] = {
        {"case", "particles / surfels", "%s"},
        {"particles", "particles", "%.0f"},
        {"surfels", "surfels", "%.0f"},
        {"first_ms", "first frame, ms", "%.1f"},
        {"ms", "ms/frame", "%.2f"},
        {"mean_ms", "mean", "%.2f"},
        {"ns_per_surfel", "ns/surfel", "%.0f"},
        {"made", "made", "%.0f"},
        {"deleted", "deleted", "%.0f"},
        {"rounds", "rounds", "%.1f"},
        {"correction", "largest correction", "%.3f"},
        {"document_ms", "2006", "%.0f"},
    };
    Timing timing[PX_COUNT(setups)];
    for (size_t k = 0; k < PX_COUNT(setups); ++k)
        PX_TRY(measure(bench, &setups[k], bench->def.quick ? 10 : 40, &timing[k]));
    px_report_table(bench->report, "surface", "coat of a stirred blob, one frame", columns,
                    PX_COUNT(columns));
    for (size_t k = 0; k < PX_COUNT(setups); ++k) {
        const Timing *t = &timing[k];
        px_report_row(bench->report, setups[k].name, (double)t->particles, t->surfels,
                      1e3 * t->first, 1e3 * t->least, 1e3 * t->mean, 1e9 * t->least / t->surfels,
                      t->made, t->deleted, t->rounds, t->correction,
                      setups[k].theirs > 0 ? setups[k].theirs : NAN);
    }
    px_report_note(bench->report,
                   "\nLargest correction: largest displacement of a surfel relative to the "
                   "particles, in spacings.\nTargets: 12 ms at 3k / 3.4k and 200 ms at 3.9k / "
                   "56k.\n");
    px_report_number(bench->report, "peak_memory", px_bench_peak_memory() / 1e6, "MB");
    return PX_OK;
}
