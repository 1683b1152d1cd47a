/// Bench of fracture: bodies of the size of 000's Figures 5.7, 5.8 and 5.14, by frame.
///
/// The models of that document are not there: boxes of as many particles break in the same ways. A
/// brittle hollow box bursts, plastic matter is pulled until it tears, a block breaks along scores.
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
    uint32_t wall;                        /* of a hollow box, in cells; 0: it is not hollow */
    double young, strength, yield, creep; /* Pa, Pa, 1, 1/s */
    double damping, shield;               /* 1/s, m; 0: the default */
    double score;                         /* distance of scored planes, m; 0: none */
    double pull;                          /* speed of the handles at both ends, m/s; 0: none */
    double burst; /* acceleration away from the middle for 20 ms, m/s^2; 0: none */
    double seconds;
    double their_frame; /* s a frame in 000 */
} Setup;

/* Damping and shield of the box are those of scene bursting-bust. */
static const Setup setups[] = {
    {.name = "bursting box",
     .figure = "5.7",
     .cells = {18, 18, 19},
     .wall = 3,
     .young = 2e6,
     .strength = 2e4,
     .yield = 1e6,
     .damping = 30,
     .shield = 0.07,
     .burst = 200,
     .seconds = 0.3,
     .their_frame = 22},
    {.name = "bubble gum",
     .figure = "5.8",
     .cells = {28, 9, 9},
     .young = 1e5,
     .strength = 6e4,
     .yield = 0.05,
     .creep = 10,
     .damping = 5,
     .pull = 0.1,
     .seconds = 1.5,
     .their_frame = 2.4},
    {.name = "scored block",
     .figure = "5.14",
     .cells = {17, 16, 17},
     .young = 2e6,
     .strength = 8e4,
     .yield = 1e6,
     .damping = 5,
     .score = 0.05,
     .pull = 0.02,
     .seconds = 0.6,
     .their_frame = 6},
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

/* Pushes everything away from the middle for a moment. */
static PxStatus add_burst(PxWorld *world, const Setup *s)
{
    PxForceFieldDef field = px_force_field_def_default();
    field.name = "blast";
    field.kind = PX_FIELD_OF_ATTRACTOR;
    field.strength = -s->burst;
    field.end = 0.02;
    return px_world_add_force_field(world, &field, NULL);
}

/* The corners of two boxes, the inner one `wall` cells smaller at each side. */
static void hollow_box(const Setup *s, float corner[16][3], uint32_t triangle[24][3])
{
    static const uint32_t side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (uint32_t k = 0; k < 16; ++k)
        for (uint32_t c = 0; c < 3; ++c) {
            double half = 0.5 * SPACING * (s->cells[c] - (k < 8 ? 0.0 : 2.0 * s->wall));
            corner[k][c] = (float)((k >> c) & 1 ? half : -half);
        }
    for (uint32_t k = 0; k < 24; ++k)
        for (uint32_t n = 0; n < 3; ++n) /* the inner one inside out */
            triangle[k][n] = k < 12 ? side[k][n] : 8 + side[k - 12][2 - n];
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
    material.damping = s->damping;
    material.yield = s->yield;
    material.creep = s->creep;
    material.fracture.fractures = true;
    material.fracture.strength = s->strength;
    material.fracture.shield = s->shield;
    material.fracture.score.x = s->score;
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(*out, &material, &body.material));
    body.name = "block";
    body.shape.size = px_vec(s->cells[0] * SPACING, s->cells[1] * SPACING, s->cells[2] * SPACING);
    float corner[16][3];
    uint32_t triangle[24][3];
    if (s->wall > 0) {
        hollow_box(s, corner, triangle);
        body.shape.kind = PX_SHAPE_MESH;
        body.shape.vertex = (const float(*)[3])corner;
        body.shape.triangle = (const uint32_t(*)[3])triangle;
        body.shape.vertices = 16;
        body.shape.triangles = 24;
    }
    PX_TRY(px_world_add_body(*out, &body, NULL));
    if (s->burst > 0)
        PX_TRY(add_burst(*out, s));
    for (int side = -1; side <= 1 && s->pull > 0; side += 2)
        PX_TRY(add_handle(*out, s, side));
    return PX_OK;
}

/* Surface of the body, m^2. */
static double surface_of(const Setup *s)
{
    double sum = 0;
    for (int inner = 0; inner <= (s->wall > 0); ++inner)
        for (int k = 0; k < 3; ++k)
            sum += 2 * SPACING * SPACING * (s->cells[k] - 2.0 * inner * s->wall) *
                   (s->cells[(k + 1) % 3] - 2.0 * inner * s->wall);
    return sum;
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
        px_report_row(
            bench->report, s->name, s->figure, (double)stats.particles, (double)stats.cracks,
            (double)stats.fragments, 200 * stats.crack_area / surface_of(s), 1e3 * mean,
            1e3 * longest, 1e3 * stage_of(world, "fracture") / frames,
            1e3 * stage_of(world, "elastic") / frames, s->their_frame, s->their_frame / mean);
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
        {"faces", "faces %", "%.0f"},
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
                   "faces: area of both faces of all cracks, of the surface of the body; by its "
                   "surfels it was 24, 7 and 47 %% in the document");
    px_report_note(bench->report,
                   "boxes instead of the models of the document, with as many particles, fixed: "
                   "no particles are added near cracks; skins of triangles instead of surfels");
    return PX_OK;
}
