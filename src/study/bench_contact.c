/// Bench of contact: a heap of rigid boxes and a stack of ten; two soft balls, a hundred in a heap.
#include "study/bench.h"

#include "base/profile.h"
#include "base/vec.h"
#include "study/rigid_room.h"
#include "study/sample_solid.h"

#include <math.h>
#include <stdio.h>

/* Adds a box at `at`; the number is part of its name. */
static PxStatus add_box(PxRigidRoom *room, int number, double size, PxVec3 at, PxQuat turn)
{
    char name[32];
    snprintf(name, sizeof name, "box %d", number);
    PxBodyDef def = px_rigid_room_body(room, name, PX_SHAPE_BOX, at);
    def.shape.size = px_vec(size, size, size);
    def.shape.rotation = turn;
    return px_world_add_body(room->world, &def, NULL);
}

/* Boxes of 0.1 m fall in a column of 8 x 8 onto the floor. */
static PxStatus make_heap(PxRigidRoom *room, int boxes)
{
    PX_TRY(px_rigid_room_plane(room, px_vec(0, 1, 0), 0.5));
    for (int k = 0; k < boxes; ++k) {
        int x = k % 8, z = k / 8 % 8, y = k / 64;
        PxQuat turn = px_quat_turn(px_vec(0.3, 0.8, 0.2 + 0.1 * (k % 3)), 0.3 * (k % 7));
        PxVec3 at = px_vec((x - 3.5) * 0.18 + 0.01 * (y % 3), 0.2 + 0.18 * y,
                           (z - 3.5) * 0.18 + 0.013 * (y % 5));
        PX_TRY(add_box(room, k, 0.1, at, turn));
    }
    return PX_OK;
}

static PxStatus make_stack(PxRigidRoom *room, int boxes)
{
    PX_TRY(px_rigid_room_plane(room, px_vec(0, 1, 0), 0.5));
    for (int k = 0; k < boxes; ++k)
        PX_TRY(add_box(room, k, 1, px_vec(0.02 * (k % 3), 0.501 + 1.001 * k, 0.01 * (k % 2)),
                       px_quat_identity()));
    return PX_OK;
}

static PxStatus measure(PxBench *bench, const char *name, int boxes, double seconds,
                        PxStatus (*make)(PxRigidRoom *room, int boxes))
{
    PxRigidRoom room;
    PxStats s = {.step = 0};
    PX_TRY(px_bench_next(bench, "%s of %d", name, boxes));
    PxRigidRoomDef wanted = px_rigid_room_def();
    wanted.max_step = 1.0 / 60;
    wanted.threads = bench->threads.count;
    PxStatus status = px_rigid_room(&room, &wanted);
    if (status == PX_OK)
        status = make(&room, boxes);
    double began = px_clock(), last = began, worst = 0, deepest = 0, slept = NAN;
    while (status == PX_OK && px_world_time(room.world) < seconds) {
        status = px_world_step(room.world, seconds);
        double now = px_clock();
        worst = fmax(worst, now - last);
        last = now;
        px_world_stats(room.world, &s);
        deepest = fmax(deepest, s.rigid_overlap);
        if (s.rigid_asleep < s.rigid_bodies)
            slept = NAN;
        else if (isnan(slept))
            slept = s.time;
    }
    px_world_free(room.world);
    PX_TRY(status);
    double mean = (last - began) / (double)s.step;
    px_report_row(bench->report, name, (double)boxes, seconds, 1e3 * mean, 1e3 * worst, 1 / mean,
                  (double)s.rigid_contacts, 1e3 * deepest, slept, s.rigid_kinetic);
    return PX_OK;
}

/* ---- soft bodies ------------------------------------------------------------------- */

/* Balls in a cubic heap, `apart` diameters from each other. */
static PxStatus make_balls(PxSolidRoom *room, int balls, double radius, double apart)
{
    int side = (int)ceil(cbrt(balls));
    if (balls == 2)
        side = 2;
    double d = 2 * radius * apart;
    for (int k = 0; k < balls; ++k) {
        int x = k % side, z = k / side % side, y = k / (side * side);
        PX_TRY(px_solid_room_ball(room, radius,
                                  px_vec(d * x + 0.05 * d * (y % 2), radius + d * y, d * z),
                                  px_vec(0, 0, 0)));
    }
    return PX_OK;
}

/* Mean time of a step, ms, and of its sub-steps. */
static PxStatus time_balls(PxBench *bench, int balls, double radius, double apart, double squeeze,
                           double *ms, PxStats *s)
{
    PxSolidRoom room;
    PxSolidRoomDef def = {.integration = "leapfrog",
                          .young = 5e4,
                          .poisson = 0.4,
                          .restitution = 1,
                          .friction = 0.5,
                          .damping = 5,
                          .gravity = squeeze,
                          .spacing = 0.02,
                          .threads = bench->threads.count};
    PxStatus status = px_solid_room(&room, &def);
    if (status == PX_OK)
        status = px_solid_room_floor(&room, px_vec(0, 1, 0), 0.5);
    if (status == PX_OK)
        status = make_balls(&room, balls, radius, apart);
    for (int k = 0; status == PX_OK && k < 10; ++k)
        status = px_world_step(room.world, 100);
    int steps = bench->def.quick ? 10 : 40;
    double began = px_clock();
    for (int k = 0; status == PX_OK && k < steps; ++k)
        status = px_world_step(room.world, 100);
    *ms = 1e3 * (px_clock() - began) / steps;
    px_world_stats(room.world, s);
    px_world_free(room.world);
    return status;
}

/* Balls that touch, and the same that do not: the difference is the cost of contact. */
static PxStatus measure_balls(PxBench *bench, int balls, double radius)
{
    double apart, touching;
    PxStats s = {.step = 0};
    PX_TRY(px_bench_next(bench, "%d soft balls", balls));
    PX_TRY(time_balls(bench, balls, radius, 3, 0, &apart, &s));
    PX_TRY(time_balls(bench, balls, radius, 1.0, 9.81, &touching, &s));
    px_report_row(bench->report, "soft balls", (double)balls, (double)s.particles / balls, touching,
                  apart, touching - apart, (double)s.iterations);
    return PX_OK;
}

static PxStatus soft(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"bodies", "bodies", "%.0f"},
        {"particles", "particles each", "%.0f"},
        {"step_ms", "ms a step", "%.2f"},
        {"apart_ms", "without contact", "%.2f"},
        {"contact_ms", "contact", "%.2f"},
        {"substeps", "sub-steps", "%.0f"},
    };
    px_report_table(bench->report, "soft", "soft balls of 50 kPa, leapfrog, steps of 10 ms",
                    columns, PX_COUNT(columns));
    PX_TRY(measure_balls(bench, 2, 0.091));
    PX_TRY(measure_balls(bench, 100, 0.1));
    px_report_note(bench->report,
                   "the same bodies three diameters apart, without gravity, have no contact");
    return PX_OK;
}

PxStatus px_bench_contact(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"boxes", "boxes", "%.0f"},
        {"seconds", "s", "%.0f"},
        {"step_ms", "ms a step", "%.2f"},
        {"worst_ms", "longest", "%.1f"},
        {"rate", "steps a second", "%.0f"},
        {"contacts", "contacts at the end", "%.0f"},
        {"overlap_mm", "deepest overlap, mm", "%.2f"},
        {"asleep", "asleep after, s", "%.2f"},
        {"kinetic", "energy left, J", "%.2g"},
    };
    px_report_table(bench->report, "rigid", "rigid boxes, steps of 1/60 s", columns,
                    PX_COUNT(columns));
    PX_TRY(
        measure(bench, "heap", bench->def.quick ? 125 : 1000, bench->def.quick ? 2 : 5, make_heap));
    PX_TRY(measure(bench, "stack", 10, 10, make_stack));
    px_report_note(bench->report, "boxes of 0.1 m in the heap, of 1 m in the stack");
    return soft(bench);
}
