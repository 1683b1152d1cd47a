/// Bench of fracture: bodies of the size of 000's Figures 5.7, 5.8 and 5.14, by frame.
///
/// The models of that document are not there: boxes of as many particles break in the same ways. A
/// brittle block bursts, plastic matter is pulled until it tears, a block breaks along scores.
/// A frame includes the skin: closed meshes of all pieces.
#include "study/bench.h"

#include "base/profile.h"
#include "base/vec.h"
#include "phyxel/world.h"
#include "world/attached/skins.h"

#include <math.h>
#include <string.h>

typedef struct Setup {
    const char *name;
    const char *figure;
    uint32_t cells[3];
    double young, strength, yield, creep; /* Pa, Pa, 1, 1/s */
    double score;                         /* distance of scored planes, m; 0: none */
    double pull;                          /* speed of the handles at both ends, m/s; 0: none */
    double burst;                         /* force outwards on each half, N */
    double seconds;
    double their_frame; /* s a frame in 000 */
} Setup;

static const Setup setups[] = {
    {"bursting block", "5.7", {16, 16, 17}, 2e6, 2e4, 1e6, 0, 0, 0, 1500, 0.3, 22},
    {"bubble gum", "5.8", {28, 9, 9}, 1e5, 6e4, 0.05, 10, 0, 0.1, 0, 1.5, 2.4},
    {"scored block", "5.14", {17, 16, 17}, 2e6, 8e4, 1e6, 0, 0.05, 0.02, 0, 0.6, 6},
};

#define SPACING 0.01
#define FRAME (1.0 / 30)

static PxStatus add_handle(PxWorld *world, const Setup *s, double side)
{
    PxKeyframe key[2] = {{.time = 0}, {.time = s->seconds + 1}};
    PxHandleDef handle = px_handle_def_default();
    double half = 0.5 * s->cells[0] * SPACING;
    handle.name = side > 0 ? "right" : "left";
    handle.shape.size = px_vec(4 * SPACING, 10, 10);
    handle.shape.at.x = side * half;
    for (int k = 0; k < 2; ++k)
        key[k].rotation = px_quat_identity();
    key[1].at.x = side * s->pull * key[1].time;
    handle.keyframe = key;
    handle.keyframes = 2;
    return px_world_add_handle(world, &handle, NULL);
}

/* A pulse pushes each half outwards. */
static PxStatus add_burst(PxWorld *world, const Setup *s)
{
    static const char *const name[6] = {"x-", "x+", "y-", "y+", "z-", "z+"};
    for (int k = 0; k < 6; ++k) {
        double side = k % 2 == 0 ? -1 : 1;
        double axis[3] = {k / 2 == 0, k / 2 == 1, k / 2 == 2};
        PxVec3 out = px_scale(px_vec(axis[0], axis[1], axis[2]), side);
        PxForceDef force = px_force_def_default();
        force.name = name[k];
        force.shape.size = px_vec(2, 2, 2);
        force.shape.at = out;
        force.force = px_scale(out, s->burst);
        force.end = 0.02;
        PX_TRY(px_world_add_force(world, &force, NULL));
    }
    return PX_OK;
}

static PxStatus build(const Setup *s, int threads, PxWorld **out)
{
    PxWorldDef def = px_world_def_default();
    def.spacing = SPACING;
    def.gravity = px_vec(0, 0, 0);
    def.threads = threads;
    PX_TRY(px_world_create(&def, out));
    PxMaterialDef material = px_material_def_default();
    material.name = "stone";
    material.young = s->young;
    material.damping = 5;
    material.yield = s->yield;
    material.creep = s->creep;
    material.fracture.fractures = true;
    material.fracture.strength = s->strength;
    material.fracture.score.x = s->score;
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &material, &body.material));
    body.name = "block";
    body.shape.size = px_vec(s->cells[0] * SPACING, s->cells[1] * SPACING, s->cells[2] * SPACING);
    PX_TRY(px_world_add_body(*out, &body, NULL));
    if (s->burst > 0)
        PX_TRY(add_burst(*out, s));
    for (int side = -1; side <= 1 && s->pull > 0; side += 2)
        PX_TRY(add_handle(*out, s, side));
    return PX_OK;
}

static double stage_of(PxWorld *world, const char *name)
{
    PxStage stage[32];
    size_t n = px_world_stages(world, stage, 32);
    for (size_t k = 0; k < n; ++k)
        if (strcmp(stage[k].name, name) == 0)
            return stage[k].seconds;
    return 0;
}

static PxStatus measure(PxBench *bench, const Setup *s)
{
    PxWorld *world = NULL;
    PxStats stats = {.step = 0};
    PX_TRY(px_bench_next(bench, "%s (Figure %s)", s->name, s->figure));
    PxStatus status = build(s, bench->threads.count, &world);
    double seconds = bench->def.quick ? 3 * FRAME : s->seconds, longest = 0;
    int frames = (int)lround(seconds / FRAME);
    double began = px_clock(), last = began;
    for (int k = 1; k <= frames && status == PX_OK; ++k) {
        status = px_world_advance(world, k * FRAME);
        if (status == PX_OK)
            status = px_world_move_skins(world);
        double now = px_clock();
        longest = fmax(longest, now - last);
        last = now;
    }
    if (status == PX_OK) {
        px_world_stats(world, &stats);
        double mean = (last - began) / frames;
        px_report_row(bench->report, s->name, s->figure, (double)stats.particles,
                      (double)stats.cracks, (double)stats.fragments, 1e3 * mean, 1e3 * longest,
                      1e3 * stage_of(world, "fracture") / frames,
                      1e3 * stage_of(world, "elastic") / frames, s->their_frame,
                      s->their_frame / mean);
    }
    px_world_free(world);
    return status;
}

PxStatus px_bench_fracture(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"figure", "figure of 000", "%s"},
        {"particles", "particles", "%.0f"},
        {"cracks", "cracks", "%.0f"},
        {"fragments", "pieces", "%.0f"},
        {"frame_ms", "ms a frame", "%.1f"},
        {"longest_ms", "longest", "%.0f"},
        {"fracture_ms", "fracture", "%.1f"},
        {"elastic_ms", "elastic", "%.1f"},
        {"their_s", "s in 2005", "%.1f"},
        {"times", "times faster", "%.0f"},
    };
    px_report_table(bench->report, "fracture", "solids that break, 30 frames a second", columns,
                    PX_COUNT(columns));
    for (size_t k = 0; k < PX_COUNT(setups); ++k)
        PX_TRY(measure(bench, &setups[k]));
    px_report_note(bench->report,
                   "boxes instead of the models of the document, with as many particles, fixed: "
                   "no particles are added near cracks; skins of triangles instead of surfels");
    return PX_OK;
}
