/// Bench of contact: a heap of rigid boxes and a stack of ten; two soft balls, a hundred in a heap;
/// ducks in a tub.
#include "study/bench.h"

#include "base/profile.h"
#include "base/vec.h"
#include "study/rigid_room.h"
#include "study/sample_solid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    double worked = px_bench_processor();
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
    worked = px_bench_processor() - worked;
    px_world_free(room.world);
    PX_TRY(status);
    double mean = (last - began) / (double)s.step;
    px_report_row(bench->report, name, (double)boxes, seconds, 1e3 * mean,
                  1e3 * worked / (double)s.step, 1e3 * worst, 1 / mean, (double)s.rigid_contacts,
                  1e3 * deepest, slept, s.rigid_kinetic);
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

/* Mean times of a step, ms. */
typedef struct BallTimes {
    double step, work; /* by the clock, of the processors */
} BallTimes;

static PxStatus time_balls(PxBench *bench, int balls, double radius, double apart, double squeeze,
                           BallTimes *out, PxStats *s)
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
    double began = px_clock(), worked = px_bench_processor();
    for (int k = 0; status == PX_OK && k < steps; ++k)
        status = px_world_step(room.world, 100);
    out->step = 1e3 * (px_clock() - began) / steps;
    out->work = 1e3 * (px_bench_processor() - worked) / steps;
    px_world_stats(room.world, s);
    px_world_free(room.world);
    return status;
}

/* Balls that touch, and the same that do not: the difference is the cost of contact. */
static PxStatus measure_balls(PxBench *bench, int balls, double radius)
{
    BallTimes apart, touching;
    PxStats s = {.step = 0};
    PX_TRY(px_bench_next(bench, "%d soft balls", balls));
    PX_TRY(time_balls(bench, balls, radius, 3, 0, &apart, &s));
    PX_TRY(time_balls(bench, balls, radius, 1.0, 9.81, &touching, &s));
    px_report_row(bench->report, "soft balls", (double)balls, (double)s.particles / balls,
                  touching.step, apart.step, touching.step - apart.step, touching.work, apart.work,
                  (double)s.iterations);
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
        {"work_ms", "processor", "%.2f"},
        {"apart_work_ms", "without contact", "%.2f"},
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

/* ---- ducks in a tub ---------------------------------------------------------------- */

/* A closed mesh like a bath duck, 0.18 m long: a body with a head, a beak and a tail, as many
 * corners as scenes/models/duck.obj has. */
enum {
    DUCK_RINGS = 33,
    DUCK_SIDES = 34,
    DUCK_CORNERS = (DUCK_RINGS - 1) * DUCK_SIDES + 2,
    DUCK_TRIANGLES = 2 * DUCK_SIDES * (DUCK_RINGS - 1)
};

typedef struct Duck {
    float corner[DUCK_CORNERS][3];
    uint32_t triangle[DUCK_TRIANGLES][3];
} Duck;

/* Distance of the surface from the middle in a direction, m. */
static double duck_radius(PxVec3 to)
{
    static const struct {
        PxVec3 to;
        double high, sharp;
    } bump[] = {
        {{0.5, 0.86, 0}, 0.045, 12}, {{0.94, 0.34, 0}, 0.03, 60}, {{-0.95, 0.3, 0}, 0.04, 30}};
    double r = 1 / sqrt(to.x * to.x / 0.0064 + to.y * to.y / 0.003 + to.z * to.z / 0.0036);
    for (size_t k = 0; k < PX_COUNT(bump); ++k)
        r += bump[k].high * exp(-bump[k].sharp * (1 - px_dot(to, bump[k].to)));
    return r;
}

static uint32_t duck_corner(int ring, int side)
{
    if (ring == 0 || ring == DUCK_RINGS)
        return ring == 0 ? 0 : DUCK_CORNERS - 1;
    return (uint32_t)(1 + (ring - 1) * DUCK_SIDES + side % DUCK_SIDES);
}

static void make_duck(Duck *duck)
{
    uint32_t count = 0;
    for (int r = 0; r <= DUCK_RINGS; ++r)
        for (int k = 0; k < DUCK_SIDES; ++k) {
            double a = M_PI * r / DUCK_RINGS, b = 2 * M_PI * k / DUCK_SIDES;
            PxVec3 to = px_vec(sin(a) * cos(b), cos(a), sin(a) * sin(b));
            PxVec3 x = px_scale(to, duck_radius(to));
            uint32_t here = duck_corner(r, k), beside = duck_corner(r, k + 1);
            float *corner = duck->corner[here];
            corner[0] = (float)x.x;
            corner[1] = (float)x.y;
            corner[2] = (float)x.z;
            if (r == DUCK_RINGS)
                continue;
            uint32_t below = duck_corner(r + 1, k), across = duck_corner(r + 1, k + 1);
            const uint32_t two[2][3] = {{here, across, below}, {here, beside, across}};
            if (across != below)
                memcpy(duck->triangle[count++], two[0], sizeof two[0]);
            if (here != beside)
                memcpy(duck->triangle[count++], two[1], sizeof two[1]);
        }
}

/* A tub of 0.84 x 0.5 m, filled to 0.24 m, in which nine ducks float, or none. */
static PxStatus make_tub(PxRigidRoom *room, const Duck *duck, int ducks)
{
    PX_TRY(px_rigid_room_tank(room, px_vec(0.84, 1, 0.5), 0.24));
    for (int k = 0; k < ducks; ++k) {
        char name[32];
        snprintf(name, sizeof name, "duck %d", k);
        PxBodyDef def = px_rigid_room_body(room, name, PX_SHAPE_MESH,
                                           px_vec(0.26 * (k % 3 - 1), 0.32, 0.15 * (k / 3 - 1)));
        def.shape.vertex = (const float(*)[3])duck->corner;
        def.shape.triangle = (const uint32_t(*)[3])duck->triangle;
        def.shape.vertices = DUCK_CORNERS;
        def.shape.triangles = DUCK_TRIANGLES;
        def.shape.rotation = px_quat_turn(px_vec(0, 1, 0), 0.1 * (k - 4));
        PX_TRY(px_world_add_body(room->world, &def, NULL));
    }
    return PX_OK;
}

/* Mean times of a step and of some of its stages, ms. */
typedef struct TubTimes {
    double step, walls, defence, rigid;
    uint64_t particles;
} TubTimes;

static double stage_time(PxWorld *world, const char *name)
{
    PxStage stage[64];
    size_t count = px_world_stages(world, stage, PX_COUNT(stage));
    for (size_t k = 0; k < count && k < PX_COUNT(stage); ++k)
        if (strcmp(stage[k].name, name) == 0)
            return stage[k].seconds;
    return 0;
}

/* The first seconds, in which most of the tables of the walls are made, do not count. */
static PxStatus time_tub(PxBench *bench, const Duck *duck, int ducks, TubTimes *out)
{
    PxRigidRoom room;
    PxStats s = {.step = 0};
    PxRigidRoomDef wanted = px_rigid_room_def();
    wanted.spacing = 0.02;
    wanted.density = 300;
    wanted.threads = bench->threads.count;
    wanted.pressure = "dfsph"; /* what `auto` takes with meshes that move */
    PxStatus status = px_rigid_room(&room, &wanted);
    if (status == PX_OK)
        status = make_tub(&room, duck, ducks);
    if (status == PX_OK)
        status = px_world_advance(room.world, bench->def.quick ? 0.3 : 3);
    int steps = bench->def.quick ? 20 : 100;
    const char *const name[3] = {"walls", "defence", "rigid bodies"};
    double *const to[3] = {&out->walls, &out->defence, &out->rigid};
    double before[3] = {0}, began = px_clock();
    for (int k = 0; k < 3 && status == PX_OK; ++k)
        before[k] = stage_time(room.world, name[k]);
    for (int k = 0; status == PX_OK && k < steps; ++k)
        status = px_world_step(room.world, 100);
    out->step = 1e3 * (px_clock() - began) / steps;
    for (int k = 0; k < 3 && status == PX_OK; ++k)
        *to[k] = 1e3 * (stage_time(room.world, name[k]) - before[k]) / steps;
    if (status == PX_OK)
        px_world_stats(room.world, &s);
    out->particles = s.particles;
    px_world_free(room.world);
    return status;
}

static PxStatus tub(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"ducks", "ducks", "%.0f"},
        {"particles", "particles", "%.0f"},
        {"step_ms", "ms a step", "%.2f"},
        {"walls_ms", "walls", "%.2f"},
        {"defence_ms", "defence", "%.2f"},
        {"rigid_ms", "rigid bodies", "%.2f"},
        {"bodies_part", "cost of the ducks, % of the rest", "%.1f"},
    };
    Duck duck;
    make_duck(&duck);
    px_report_table(bench->report, "ducks", "meshes of 1090 corners that float in a tub", columns,
                    PX_COUNT(columns));
    TubTimes t[2] = {{.step = 0}, {.step = 0}};
    for (int k = 0; k < 2; ++k) {
        PX_TRY(px_bench_next(bench, "tub with %d ducks", 9 * k));
        PX_TRY(time_tub(bench, &duck, 9 * k, &t[k]));
        double cost = t[k].rigid + t[k].walls - t[0].walls + t[k].defence - t[0].defence;
        px_report_row(bench->report, (double)(9 * k), (double)t[k].particles, t[k].step, t[k].walls,
                      t[k].defence, t[k].rigid, 100 * cost / (t[k].step - cost));
    }
    px_report_note(bench->report,
                   "dfsph; the cost of the ducks is the time of their stage and what "
                   "walls and defence take longer");
    return PX_OK;
}

static PxStatus rigid(PxBench *bench, bool heap, bool stack)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},
        {"boxes", "boxes", "%.0f"},
        {"seconds", "s", "%.0f"},
        {"step_ms", "ms a step", "%.2f"},
        {"work_ms", "processor", "%.2f"},
        {"worst_ms", "longest", "%.1f"},
        {"rate", "steps a second", "%.0f"},
        {"contacts", "contacts at the end", "%.0f"},
        {"overlap_mm", "deepest overlap, mm", "%.2f"},
        {"asleep", "asleep after, s", "%.2f"},
        {"kinetic", "energy left, J", "%.2g"},
    };
    px_report_table(bench->report, "rigid", "rigid boxes, steps of 1/60 s", columns,
                    PX_COUNT(columns));
    bool quick = bench->def.quick;
    if (heap)
        PX_TRY(measure(bench, "heap", quick ? 125 : 1000, quick ? 2 : 5, make_heap));
    if (stack)
        PX_TRY(measure(bench, "stack", 10, 10, make_stack));
    px_report_note(bench->report, "boxes of 0.1 m in the heap, of 1 m in the stack");
    return PX_OK;
}

PxStatus px_bench_contact(PxBench *bench)
{
    static const char *const part[] = {"heap", "stack", "balls", "ducks"};
    bool wanted[PX_COUNT(part)];
    PX_TRY(px_bench_choose(bench, "contact", part, PX_COUNT(part), wanted));
    if (wanted[0] || wanted[1])
        PX_TRY(rigid(bench, wanted[0], wanted[1]));
    if (wanted[2])
        PX_TRY(soft(bench));
    return wanted[3] ? tub(bench) : PX_OK;
}
