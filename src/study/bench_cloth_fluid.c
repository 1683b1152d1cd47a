/// Bench of cloth and fluid: 004's jet on pinned cloth (Table 4.1), what leaks without the test
/// against crossing (Figure 4.4), and the speed of water that runs down a cloth, as a function of
/// the friction between them (Figure 4.6).
#include "study/bench.h"

#include "base/profile.h"
#include "base/vec.h"
#include "phyxel/world.h"
#include "store/file.h"
#include "study/cloth_room.h"
#include "study/cloth_slope.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 32 };

/* ---- worlds ---------------------------------------------------------------------------------- */

typedef struct Setup {
    double side, cells;                     /* of the sheet, m */
    double spacing, step, radius, speed;    /* of the fluid and the jet */
    double height;                          /* of the jet, m */
    double thickness, friction, drag, tilt; /* tilt: of gravity, degrees */
    bool no_test;                           /* pressure alone stops fluid */
    bool corners;                           /* held by them, else by the whole border */
    bool slips;                             /* without viscous friction on the cloth */
} Setup;

static PxStatus hold(const Setup *s, PxClothRoom *room)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    double half = 0.5 * s->side, small = 1.5 * s->side / s->cells;
    for (int k = 0; k < 4; ++k) {
        double x = k == 0 || k == 3 ? -half : half, z = k < 2 ? -half : half;
        PxVec3 at = px_vec(x, 0, z), size = px_vec(2 * small, small, 2 * small);
        if (!s->corners) {
            at = k < 2 ? px_vec(x, 0, 0) : px_vec(0, 0, k == 2 ? half : -half);
            size = k < 2 ? px_vec(0.2 * small, small, 1.1 * s->side)
                         : px_vec(1.1 * s->side, small, 0.2 * small);
        }
        PX_TRY(px_cloth_room_hold(room, names[k], at, size));
    }
    return PX_OK;
}

static PxStatus add_jet(const Setup *s, PxWorld *world)
{
    PxMaterialDef water = px_material_def_default();
    PxEmitterDef jet = px_emitter_def_default();
    PxSinkDef sink = px_sink_def_default();
    water.name = "water";
    PX_TRY(px_world_add_material(world, &water, &jet.material));
    jet.name = "jet";
    jet.shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    jet.shape.radius = s->radius;
    jet.shape.height = 3 * s->spacing;
    jet.shape.at = px_vec(s->corners ? 0 : -0.3 * s->side, s->height, 0);
    jet.direction = px_vec(0, -1, 0);
    jet.speed = s->speed;
    PX_TRY(px_world_add_emitter(world, &jet, NULL));
    sink.name = "below";
    sink.shape = px_shape_def_default(PX_SHAPE_BOX);
    sink.shape.size = px_vec(20 * s->side, s->side, 20 * s->side);
    sink.shape.at = px_vec(0, -1.5 * s->side, 0);
    return px_world_add_sink(world, &sink, NULL);
}

static PxStatus build(const Setup *s, int threads, PxClothRoom *room)
{
    PxMaterialDef cotton = px_cloth_room_material(0.23);
    PxWorldDef def = px_world_def_default();
    PxShapeDef sheet = px_cloth_room_sheet(s->side, s->side, s->cells, s->cells);
    double tilt = s->tilt * M_PI / 180;
    cotton.cloth.weft = cotton.cloth.warp = 3000;
    cotton.cloth.shear = 300;
    cotton.cloth.bend = 3e-5;
    cotton.cloth.thickness = s->thickness;
    cotton.cloth.fluid_friction = s->friction;
    cotton.cloth.fluid_drag = s->drag;
    if (s->slips)
        cotton.cloth.fluid_grip = 0;
    cotton.cloth.fluid_test = !s->no_test;
    def.gravity = px_vec(9.81 * sin(tilt), -9.81 * cos(tilt), 0);
    def.spacing = s->spacing;
    def.max_step = s->step;
    def.threads = threads;
    PX_TRY(px_cloth_room_in(room, &def, &cotton, &sheet));
    PX_TRY(hold(s, room));
    return add_jet(s, room->world);
}

/* ---- 004 Table 4.1 --------------------------------------------------------------------------- */

static double seconds_of(const PxWorld *world, const char *name)
{
    PxStage stage[STAGES];
    size_t stages = px_world_stages(world, stage, STAGES);
    double sum = 0;
    for (size_t k = 0; k < stages && k < STAGES; ++k)
        if (name == NULL || strcmp(stage[k].name, name) == 0)
            sum += stage[k].seconds;
    return sum;
}

/* 004's times, s. */
typedef struct Theirs {
    double thickness, cloth, fluid, coupling;
    bool tests; /* against crossing */
} Theirs;

static PxStatus time_jet(PxBench *bench, const Theirs *theirs)
{
    const Setup s = {.side = 0.8,
                     .cells = 56,
                     .spacing = 0.0092,
                     .step = 1e-3,
                     .height = 0.12,
                     .radius = 0.05,
                     .speed = 3,
                     .thickness = theirs->thickness,
                     .corners = true,
                     .slips = true};
    double end = bench->def.quick ? 0.05 : 0.5, part = end / 0.5;
    PxClothRoom room = {.world = NULL};
    PxStats stats = {0};
    PX_TRY(px_bench_next(bench, "jet on cloth %g mm thick", 1e3 * theirs->thickness));
    PxStatus status = build(&s, bench->threads.count, &room);
    double began = px_clock();
    if (status == PX_OK)
        status = px_world_advance(room.world, end);
    double took = px_clock() - began;
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        double cloth = seconds_of(room.world, "cloth"), turns = seconds_of(room.world, "turns");
        double near = seconds_of(room.world, "near sheets");
        double loads = seconds_of(room.world, "sheets"), test = seconds_of(room.world, "catch");
        double beyond = seconds_of(room.world, "sides of sheets") + seconds_of(room.world, "walls");
        double contact = near + loads + test + beyond;
        double same = near + loads + (theirs->tests ? test : 0);
        double whole = theirs->cloth + theirs->fluid + theirs->coupling;
        px_report_row(
            bench->report, 1e3 * theirs->thickness, 2 * s.cells * s.cells, (double)stats.particles,
            (double)stats.step, cloth, took - cloth - contact - turns, near, loads, test, beyond,
            contact, turns, took, part * theirs->coupling / contact, part * theirs->coupling / same,
            part * theirs->coupling / (contact + turns), part * whole / took, (double)stats.leaked);
    }
    px_world_free(room.world);
    return status;
}

static PxStatus table(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"thickness_mm", "mm", "%.2g"},
        {"triangles", "triangles", "%.0f"},
        {"particles", "particles", "%.0f"},
        {"steps", "steps", "%.0f"},
        {"cloth_s", "cloth, s", "%.3g"},
        {"fluid_s", "fluid, s", "%.3g"},
        {"near_s", "near, s", "%.3g"},
        {"loads_s", "loads, s", "%.3g"},
        {"test_s", "test, s", "%.3g"},
        {"beyond_s", "beyond 004, s", "%.3g"},
        {"contact_s", "contact, s", "%.3g"},
        {"turns_s", "turns, s", "%.3g"},
        {"whole_s", "whole, s", "%.3g"},
        {"contact_ratio", "004 / contact", "%.3g"},
        {"same_ratio", "004 / same work", "%.3g"},
        {"coupling_ratio", "004 / both", "%.3g"},
        {"whole_ratio", "004 / whole", "%.3g"},
        {"leaked", "leaked", "%.0f"},
    };
    static const Theirs cases[] = {{0.0005, 26.83, 2.97, 29.32, true},
                                   {0.001, 26.34, 2.95, 25.30, true},
                                   {0.005, 27.73, 3.66, 7.21, false}};
    px_report_table(bench->report, "cloth_jet", "a jet on pinned cloth, steps of 1 ms", columns,
                    PX_COUNT(columns));
    for (size_t k = 0; k < PX_COUNT(cases); ++k)
        PX_TRY(time_jet(bench, &cases[k]));
    px_report_note(
        bench->report,
        "\nThe set-up of 004 Table 4.1: 0.5 s in 500 steps there (--quick: 0.05 s, its times in "
        "proportion), up to 15k particles.\nContact is near + loads + test + beyond 004. Near: "
        "which particles are near which triangles. Loads: impulses, added masses, friction.\n"
        "Test: against crossing (004: 19.5 and 16.3 s, none at 5 mm). Beyond 004: pairs that the "
        "cloth separates, and its part of kernels.\nSame work: near and loads, with the test where "
        "004 has it. Turns: cloth, pressure and loads found again in the same step, which\n004 "
        "does "
        "not do. Cloth and fluid: one solve of each a step, and all else.\n");
    return PX_OK;
}

/* ---- 004 Figure 4.4 -------------------------------------------------------------------------- */

/* A jet of 4 m/s on cloth 0.5 mm thick; `test`: against crossing. */
static PxStatus leaks(PxBench *bench, double step, bool test)
{
    const Setup s = {.side = 0.4,
                     .cells = 16,
                     .spacing = 0.02,
                     .step = step,
                     .height = 0.06,
                     .radius = 0.06,
                     .speed = 4,
                     .thickness = 0.0005,
                     .no_test = !test};
    PxClothRoom room = {.world = NULL};
    PxStats stats = {0};
    PX_TRY(px_bench_next(bench, "leaks: steps of %g ms, %s test", 1e3 * step,
                         test ? "with" : "without"));
    PxStatus status = build(&s, bench->threads.count, &room);
    if (status == PX_OK) {
        room.world->def.courant = 1;
        status = px_world_advance(room.world, 0.3);
    }
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        px_report_row(bench->report, 1e3 * step, test ? 1.0 : 0.0, (double)stats.particles,
                      (double)stats.caught, (double)stats.leaked);
    }
    px_world_free(room.world);
    return status;
}

static PxStatus leak_table(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"step_ms", "longest step, ms", "%.2g"},
        {"test", "test", "%.0f"},
        {"particles", "particles", "%.0f"},
        {"caught", "caught", "%.0f"},
        {"leaked", "leaked", "%.0f"},
    };
    static const double steps[] = {0.001, 0.005, 0.01};
    px_report_table(bench->report, "cloth_leaks", "a jet of 4 m/s on cloth 0.5 mm thick", columns,
                    PX_COUNT(columns));
    for (size_t k = 0; k < PX_COUNT(steps); ++k)
        for (int test = 0; test < 2; ++test)
            PX_TRY(leaks(bench, steps[k], test));
    px_report_note(bench->report, "\nTest 0: pressure alone keeps fluid off the cloth; 1: with the "
                                  "test against crossing (004 Figure 4.4).\n");
    return PX_OK;
}

/* ---- 004 Figure 4.6 -------------------------------------------------------------------------- */

/* Below the jet by more than this, water no longer feels its impact, m. */
#define FAR 0.2

/* Speeds of the particles within a spacing of the sheet, and of those far below the jet: sums and
 * numbers. */
typedef struct Speeds {
    double sum, count, far_sum, far_count;
} Speeds;

static void add_speeds(const PxClothRoom *room, const Setup *s, Speeds *to)
{
    const float *x[3], *v[3];
    uint32_t vertices, side = (uint32_t)s->cells + 1;
    double *const *at = px_cloth_room_column(room, "position", &vertices);
    for (int c = 0; c < 3; ++c) {
        x[c] = px_world_floats(room->world, "position", c);
        v[c] = px_world_floats(room->world, "velocity", c);
    }
    for (uint32_t i = 0; i < px_world_count(room->world); ++i) {
        double speed = sqrt((double)v[0][i] * (double)v[0][i] + (double)v[1][i] * (double)v[1][i] +
                            (double)v[2][i] * (double)v[2][i]);
        double best = INFINITY;
        for (uint32_t k = 0; k < vertices && k / side < side; ++k) {
            double dx = at[0][k] - (double)x[0][i], dz = at[2][k] - (double)x[2][i];
            if (fabs(dx) < s->side / s->cells && fabs(dz) < s->side / s->cells)
                best = fmin(best, fabs((double)x[1][i] - at[1][k]));
        }
        if (!(best < s->spacing))
            continue;
        to->sum += speed;
        to->count += 1;
        if ((double)x[0][i] > -0.3 * s->side + FAR) {
            to->far_sum += speed;
            to->far_count += 1;
        }
    }
}

static PxStatus run_down(PxBench *bench, double side, double friction, double drag,
                         PxClothSlope *out)
{
    const Setup s = {.side = side,
                     .cells = 40 * side,
                     .spacing = 0.02,
                     .step = 0.005,
                     .height = 0.09,
                     .radius = 0.03,
                     .speed = 1,
                     .thickness = 0.002,
                     .friction = friction,
                     .drag = drag,
                     .tilt = 30};
    double start = bench->def.quick ? 0.5 : 2, end = 2 * start;
    Speeds all = {0};
    PxClothRoom room = {.world = NULL};
    PxStats stats = {0};
    PX_TRY(px_bench_next(bench, "water runs down %g m: mu %g, delta %g", side, friction, drag));
    PxStatus status = build(&s, bench->threads.count, &room);
    *out = (PxClothSlope){.side = side, .friction = friction, .drag = drag};
    for (double t = 0.05; status == PX_OK && t < end + 0.01; t += 0.05) {
        Speeds now = {0};
        status = px_world_advance(room.world, t);
        if (status != PX_OK)
            break;
        add_speeds(&room, &s, &now);
        if (t > start)
            add_speeds(&room, &s, &all);
        if (out->samples < PX_CLOTH_SLOPE_SAMPLES) {
            out->time[out->samples] = t;
            out->speed[out->samples++] = now.count > 0 ? now.sum / now.count : NAN;
        }
    }
    if (status == PX_OK) {
        px_world_stats(room.world, &stats);
        out->mean = all.count > 0 ? all.sum / all.count : NAN;
        out->far = all.far_count > 0 ? all.far_sum / all.far_count : NAN;
        out->particles = (double)stats.particles;
        out->leaked = (double)stats.leaked;
        px_report_row(bench->report, side, friction, drag, out->mean, out->far, out->particles,
                      out->leaked);
    }
    px_world_free(room.world);
    return status;
}

static PxStatus figure(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"side", "cloth, m", "%.2g"},
        {"mu", "mu", "%.2g"},
        {"delta", "delta, kg/s", "%.2g"},
        {"speed", "mean speed, m/s", "%.3f"},
        {"far_speed", "far from the jet, m/s", "%.3f"},
        {"particles", "particles", "%.0f"},
        {"leaked", "leaked", "%.0f"},
    };
    static const double drag[] = {0.005, 0.01, 0.02, 0.05, 0.1};
    enum { MOST = 22 + PX_COUNT(drag) };
    if (bench->def.out != NULL) /* a folder that cannot be made is named before the work begins */
        PX_TRY(px_folder_make(bench->def.out));
    px_report_table(bench->report, "cloth_slope", "water runs down cloth that slopes by 30 degrees",
                    columns, PX_COUNT(columns));
    PxClothSlope *slope = calloc(MOST, sizeof *slope);
    if (slope == NULL)
        return px_fail(PX_ERR_MEMORY, "bench: no room for the runs");
    size_t count = 0;
    PxStatus status = PX_OK;
    int every = bench->def.quick ? 2 : 1;
    for (int k = 0; k <= 10 && status == PX_OK; k += every)
        status = run_down(bench, 0.6, 0.1 * k, 0, &slope[count++]);
    for (size_t k = 0; k < PX_COUNT(drag) && status == PX_OK; ++k)
        status = run_down(bench, 0.6, 0, drag[k], &slope[count++]);
    for (int k = 0; k <= 10 && status == PX_OK && !bench->def.quick; ++k)
        status = run_down(bench, 1.2, 0.1 * k, 0, &slope[count++]);
    bool drawn = false;
    if (status == PX_OK && bench->def.out != NULL)
        status = px_cloth_slope_write(bench->def.out, slope, count, &drawn);
    if (status == PX_OK) {
        double a, b, v, decay;
        px_cloth_slope_line(slope, count, &a, &b);
        px_cloth_slope_decay(slope, count, 0.05, &v, &decay);
        px_report_note(bench->report,
                       "\nSpeeds of the particles within a spacing of the cloth, from 2 s to 4 s "
                       "(--quick: 0.5 s to 1 s), as in 004 Figure 4.6 c;\nfar: %g m and more below "
                       "the jet. Up to mu 0.6: %.2f - %.2f mu; up to 0.05 kg/s: %.2f exp(-%.1f "
                       "delta).\n",
                       FAR, a, -b, v, decay);
        if (bench->def.out != NULL)
            px_report_note(bench->report, "%s/slope.csv, slope-time.csv and slope.gp written, %s\n",
                           bench->def.out,
                           drawn ? "slope.png drawn."
                                 : "slope.png not drawn: gnuplot is missing or failed.");
        else
            px_report_note(bench->report, "-o DIR writes these as CSV and plots them.\n");
    }
    free(slope);
    return status;
}

/* 004 Table 4.1, Figure 4.4, Figure 4.6. */
static const char *const part[] = {"jet", "leaks", "slope"};

PxStatus px_bench_cloth_fluid(PxBench *bench)
{
    bool wanted[PX_COUNT(part)];
    PX_TRY(px_bench_choose(bench, "cloth-fluid", part, PX_COUNT(part), wanted));
    if (wanted[0])
        PX_TRY(table(bench));
    if (wanted[1])
        PX_TRY(leak_table(bench));
    return wanted[2] ? figure(bench) : PX_OK;
}
