/// The last line of defence: nothing crosses a wall, however fast, thin or crooked.
#include "check.h"
#include "meshes.h"

#include "base/random.h"
#include "contact/defence.h"
#include "matter/wall.h"

#include <stdlib.h>

enum { N = 400 };

#define SPACING 0.02

typedef struct Room {
    PxParticles p;
    PxWall wall[8];
    PxBoundary *boundary[8];
    size_t walls;
    float far[N];
    PxArena scratch;
} Room;

static PxWall *room_add_mesh(Room *room, PxShapeDef def, const PxMesh *mesh, bool inside)
{
    PxWall *wall = &room->wall[room->walls];
    memset(wall, 0, sizeof *wall);
    room->boundary[room->walls++] = px_wall_boundary(wall);
    if (mesh != NULL)
        CHECK_OK(px_shape_create_from_mesh(&def, mesh, "mesh", &wall->shape));
    else
        CHECK_OK(px_shape_create(&def, &wall->shape));
    wall->def = def;
    wall->inside = inside;
    wall->pivot = def.at;
    wall->bounds = px_shape_bounds(wall->shape);
    return wall;
}

static PxWall *room_add(Room *room, PxShapeDef def, bool inside)
{
    return room_add_mesh(room, def, NULL, inside);
}

static PxShapeDef box(double x, double y, double z)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    def.size = px_vec(x, y, z);
    return def;
}

/* N particles in the unit cube around the origin, none within a spacing of a wall. */
static void room_fill(Room *room)
{
    PxParticles *p = &room->p;
    px_arena_init(&room->scratch, NULL);
    CHECK_OK(px_particles_init(p, NULL));
    CHECK_OK(px_table_append(&p->table, N, NULL));
    px_particles_refresh(p);
    uint64_t draw = 0;
    for (uint32_t i = 0; i < N; ++i) {
        bool clear = false;
        while (!clear) {
            PxVec3 x = px_vec(px_random_unit(draw, 0, 0) - 0.5, px_random_unit(draw, 0, 1) - 0.5,
                              px_random_unit(draw, 0, 2) - 0.5);
            ++draw;
            p->x[i] = (float)x.x;
            p->y[i] = (float)x.y;
            p->z[i] = (float)x.z;
            clear = true;
            for (size_t k = 0; k < room->walls; ++k)
                clear = clear &&
                        px_wall_distance(&room->wall[k], 0, px_wall_to_rest(&room->wall[k], 0, x),
                                         NULL) > SPACING;
        }
        p->id[i] = i;
    }
}

static PxWatch watch_begin(Room *room)
{
    PxWatch watch;
    CHECK_OK(px_arena_reset(&room->scratch));
    CHECK_OK(px_watch_begin(&watch, &room->p, room->boundary, room->walls, room->far, SPACING,
                            &room->scratch, &(PxThreads){.count = 2}));
    return watch;
}

typedef struct Count {
    uint64_t caught, leaked;
} Count;

/* One step: random velocities up to `reach` metres a step, moved and defended. */
static Count room_step(Room *room, double time, double dt, double reach, uint64_t step)
{
    PxParticles *p = &room->p;
    for (size_t k = 0; k < room->walls; ++k)
        px_wall_move(&room->wall[k], time, dt);
    PxWatch watch = watch_begin(room);
    for (uint32_t i = 0; i < N; ++i) {
        float *const v[3] = {p->vx, p->vy, p->vz}, *const x[3] = {p->x, p->y, p->z};
        float *const low[3] = {p->x_low, p->y_low, p->z_low};
        for (uint32_t a = 0; a < 3; ++a) {
            v[a][i] = (float)(2 * reach / dt * (px_random_unit(i, step, a) - 0.5));
            double moved = (double)x[a][i] + (double)low[a][i] + (double)v[a][i] * dt;
            x[a][i] = (float)moved;
            low[a][i] = (float)(moved - (double)x[a][i]);
        }
    }
    Count count;
    count.caught = px_defend(p, &watch, &(PxThreads){.count = 2}, NULL);
    count.leaked = px_watch_leaked(&watch, &(PxThreads){.count = 2});
    return count;
}

static PxVec3 place(const PxParticles *p, uint32_t i)
{
    return px_vec((double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                  (double)p->z[i] + (double)p->z_low[i]);
}

/* Checks that all particles are on the right side of every wall after the step. */
static void check_sides(const Room *room)
{
    for (uint32_t i = 0; i < N; ++i)
        for (size_t k = 0; k < room->walls; ++k) {
            PxVec3 rest = px_wall_to_rest(&room->wall[k], 1, place(&room->p, i));
            double d = px_wall_distance(&room->wall[k], 0, rest, NULL);
            if (d < 0)
                fail_msg("particle %u is %g m deep in wall %zu", i, -d, k);
        }
}

static void room_free(Room *room)
{
    for (size_t k = 0; k < room->walls; ++k)
        px_shape_free(room->wall[k].shape);
    px_particles_free(&room->p);
    px_arena_free(&room->scratch);
}

PHYSICS(a_sheet_of_a_hundredth_of_a_spacing_divides_a_room)
{
    /* Steps of up to 15 spacings against a crooked sheet of 0.2 mm. */
    static Room room;
    memset(&room, 0, sizeof room);
    room_add(&room, box(1.1, 1.1, 1.1), true);
    PxShapeDef sheet = box(0.01 * SPACING, 4, 4);
    sheet.rotation = px_quat_turn(px_vec(0.3, 1, 0.2), 0.4);
    room_add(&room, sheet, false);
    room_fill(&room);
    bool left[N];
    PxVec3 normal = px_rotate(sheet.rotation, px_vec(1, 0, 0));
    for (uint32_t i = 0; i < N; ++i)
        left[i] = px_dot(normal, place(&room.p, i)) < 0;
    uint64_t caught = 0;
    for (uint64_t step = 0; step < 60; ++step) {
        Count count = room_step(&room, 0.01 * (double)step, 0.01, 0.3, step);
        CHECK_EQUAL(count.leaked, 0);
        caught += count.caught;
        check_sides(&room);
        for (uint32_t i = 0; i < N; ++i)
            CHECK(left[i] == (px_dot(normal, place(&room.p, i)) < 0));
    }
    CHECK(caught > 1000);
    room_free(&room);
}

TEST(corners_and_curved_walls_hold)
{
    static Room room;
    memset(&room, 0, sizeof room);
    room_add(&room, box(1.1, 1.1, 1.1), true);
    PxShapeDef ball = px_shape_def_default(PX_SHAPE_SPHERE);
    ball.radius = 0.2;
    ball.at = px_vec(0.2, 0.2, 0.2);
    room_add(&room, ball, false);
    PxShapeDef wedge = box(0.5, 0.05, 0.5);
    wedge.at = px_vec(-0.2, -0.3, 0);
    wedge.rotation = px_quat_turn(px_vec(0, 0, 1), 0.6);
    room_add(&room, wedge, false);
    PxShapeDef funnel = px_shape_def_default(PX_SHAPE_FUNNEL);
    funnel.radius = 0.05;
    funnel.radius_top = 0.2;
    funnel.height = 0.3;
    funnel.thickness = 0.001;
    funnel.at = px_vec(-0.2, 0.2, -0.2);
    room_add(&room, funnel, false);
    PxShapeDef plane = px_shape_def_default(PX_SHAPE_PLANE);
    plane.normal = px_vec(0.2, 1, 0.1);
    plane.at = px_vec(0, -0.45, 0);
    room_add(&room, plane, false);
    room_fill(&room);
    for (uint64_t step = 0; step < 60; ++step) {
        Count count = room_step(&room, 0, 0.01, 0.15, step);
        CHECK_EQUAL(count.leaked, 0);
        check_sides(&room);
    }
    room_free(&room);
}

TEST(a_moving_wall_sweeps_particles_before_it)
{
    /* A thin paddle sweeps through the room and back, turning, while the room shakes. */
    static Room room;
    memset(&room, 0, sizeof room);
    static PxKeyframe sway[] = {{0, {-0.1, 0, 0}, {0, 0, 0, 1}},
                                {0.3, {0.1, 0.05, 0}, {0, 0, 0.05, 1}},
                                {0.6, {-0.1, 0, 0}, {0, 0, 0, 1}}};
    static PxKeyframe sweep[] = {{0, {0, 0, 0}, {0, 0, 0, 1}},
                                 {0.3, {0.5, 0, 0}, {0, 0.4, 0, 1}},
                                 {0.6, {0, 0, 0}, {0, 0, 0, 1}}};
    PxWall *tank = room_add(&room, box(1.6, 1.6, 1.6), true);
    tank->key = sway;
    tank->keys = 3;
    PxShapeDef blade = box(0.0005, 0.8, 0.8);
    blade.at = px_vec(-0.3, 0, 0);
    PxWall *paddle = room_add(&room, blade, false);
    paddle->key = sweep;
    paddle->keys = 3;
    for (size_t k = 0; k < room.walls; ++k)
        px_wall_move(&room.wall[k], 0, 0.01);
    room_fill(&room);
    uint64_t caught = 0;
    for (uint64_t step = 0; step < 60; ++step) {
        Count count = room_step(&room, 0.01 * (double)step, 0.01, 0.05, step);
        CHECK_EQUAL(count.leaked, 0);
        caught += count.caught;
        check_sides(&room);
    }
    CHECK(caught > 100);
    room_free(&room);
}

PHYSICS(meshes_hold_as_shapes_do)
{
    /* A room given by a mesh, a ring in it, and a sheet of a hundredth of a spacing that swings
     * past the ring; particles move up to 10 spacings per step. The sheet must not cut the ring:
     * a particle pinched between intersecting walls is rightly counted as leaked. */
    static Room room;
    memset(&room, 0, sizeof room);
    static PxKeyframe swing[] = {{0, {0, 0, 0}, {0, 0, 0, 1}},
                                 {0.6, {0.3, 0.1, 0}, {0, 0.3, 0.2, 1}}};
    PxShapeDef def = px_shape_def_default(PX_SHAPE_MESH);
    PxMesh *hull = mesh_box(px_vec(1.8, 1.8, 1.8)), *ring = mesh_torus(0.25, 0.05, 24, 8);
    PxMesh *sheet = mesh_box(px_vec(0.01 * SPACING, 0.7, 0.7));
    room_add_mesh(&room, def, hull, true);
    def.at = px_vec(0.55, -0.2, 0);
    room_add_mesh(&room, def, ring, false);
    def.at = px_vec(-0.3, 0.1, 0);
    PxWall *moving = room_add_mesh(&room, def, sheet, false);
    moving->key = swing;
    moving->keys = 2;
    for (size_t k = 0; k < room.walls; ++k)
        px_wall_move(&room.wall[k], 0, 0.01);
    room_fill(&room);
    uint64_t caught = 0;
    for (uint64_t step = 0; step < 30; ++step) {
        PxVec3 before[N];
        for (uint32_t i = 0; i < N; ++i)
            before[i] = px_wall_to_rest(moving, step == 0 ? 0 : 1, place(&room.p, i));
        Count count = room_step(&room, 0.02 * (double)step, 0.02, 0.2, step);
        CHECK_EQUAL(count.leaked, 0);
        caught += count.caught;
        check_sides(&room);
        /* Near the middle of the sheet a particle cannot get round its rim in one step. */
        for (uint32_t i = 0; i < N; ++i) {
            PxVec3 after = px_wall_to_rest(moving, 1, place(&room.p, i));
            PxVec3 a = px_sub(before[i], def.at), b = px_sub(after, def.at);
            if (fabs(a.y) < 0.1 && fabs(a.z) < 0.1 && fabs(a.x) < 0.03)
                CHECK((a.x < 0) == (b.x < 0));
        }
    }
    CHECK(caught > 300);
    room_free(&room);
    px_mesh_free(hull);
    px_mesh_free(ring);
    px_mesh_free(sheet);
}

TEST(a_particle_that_meets_a_wall_slides_along_it)
{
    static Room room;
    memset(&room, 0, sizeof room);
    room_add(&room, px_shape_def_default(PX_SHAPE_PLANE), false);
    room_fill(&room);
    PxParticles *p = &room.p;
    p->x[0] = p->z[0] = p->x_low[0] = p->y_low[0] = p->z_low[0] = 0;
    p->y[0] = 0.1f;
    px_wall_move(&room.wall[0], 0, 0.1);
    PxWatch watch = watch_begin(&room);
    p->vx[0] = 3;
    p->vy[0] = -4;
    p->vz[0] = 0;
    p->y[0] = 0.1f - 4 * 0.1f; /* from 0.1 above, moved by v dt */
    p->x[0] = 3 * 0.1f;
    CHECK_EQUAL(px_defend(p, &watch, &(PxThreads){.count = 1}, NULL), 1);
    CHECK_EQUAL(px_watch_leaked(&watch, &(PxThreads){.count = 1}), 0);
    CHECK_NEAR((double)p->x[0], 0.3, 1e-6); /* the tangential displacement is kept */
    CHECK_NEAR((double)p->y[0], 0.01 * SPACING, 1e-6);
    CHECK_NEAR((double)p->vx[0], 3, 1e-6);
    CHECK_NEAR((double)p->vy[0], 0, 1e-6);
    room_free(&room);
}

/* ---- the watch -------------------------------------------------------------- */

static void put(PxParticles *p, uint32_t i, PxVec3 x)
{
    p->x[i] = (float)x.x;
    p->y[i] = (float)x.y;
    p->z[i] = (float)x.z;
    p->x_low[i] = p->y_low[i] = p->z_low[i] = 0;
}

/* Moves particles without the defence, which thus cannot stop them. */
TEST(a_particle_put_across_a_sheet_is_counted_once)
{
    static Room room;
    memset(&room, 0, sizeof room);
    PxShapeDef sheet = box(0.01 * SPACING, 0.5, 0.5);
    sheet.at.x = 0.1;
    sheet.rotation = px_quat_turn(px_vec(0.3, 1, 0.2), 0.4);
    room_add(&room, sheet, false);
    room_fill(&room);
    px_wall_move(&room.wall[0], 0, 0.01);
    PxVec3 n = px_rotate(sheet.rotation, px_vec(1, 0, 0));
    PxVec3 up = px_rotate(sheet.rotation, px_vec(0, 1, 0));
    const PxVec3 before = px_mad(sheet.at, n, -SPACING), behind = px_mad(sheet.at, n, SPACING);
    put(&room.p, 0, before);
    put(&room.p, 1, before);
    put(&room.p, 2, px_mad(before, up, 0.27)); /* above the sheet's rim */
    put(&room.p, 3, behind);
    PxWatch watch = watch_begin(&room);
    CHECK_EQUAL(px_defend(&room.p, &watch, &(PxThreads){.count = 2}, NULL), 0);
    CHECK_EQUAL(px_watch_leaked(&watch, &(PxThreads){.count = 2}), 0);
    put(&room.p, 0, behind);                                 /* through it */
    put(&room.p, 1, px_mad(before, up, 0.2));                /* along it */
    put(&room.p, 2, px_mad(behind, up, 0.27));               /* past its rim */
    put(&room.p, 3, px_mad(sheet.at, n, 0.00001 * SPACING)); /* into it */
    CHECK_EQUAL(px_watch_leaked(&watch, &(PxThreads){.count = 2}), 2);
    room_free(&room);
}

/* The sheet sweeps over a particle at rest. */
TEST(a_particle_passed_by_a_moving_sheet_is_counted)
{
    static Room room;
    memset(&room, 0, sizeof room);
    static PxKeyframe sweep[] = {{0, {0, 0, 0}, {0, 0, 0, 1}}, {0.01, {0.04, 0, 0}, {0, 0, 0, 1}}};
    PxWall *wall = room_add(&room, box(0.01 * SPACING, 4, 4), false);
    wall->key = sweep;
    wall->keys = 2;
    px_wall_move(wall, 0, 0.01);
    room_fill(&room);
    uint64_t wanted = 0;
    for (uint32_t i = 0; i < N; ++i)
        wanted += room.p.x[i] > 0 && room.p.x[i] < 0.04f;
    PxWatch watch = watch_begin(&room);
    CHECK(wanted > 3);
    CHECK_EQUAL(px_watch_leaked(&watch, &(PxThreads){.count = 2}), wanted);
    CHECK_EQUAL(px_defend(&room.p, &watch, &(PxThreads){.count = 2}, NULL), wanted);
    CHECK_EQUAL(px_watch_leaked(&watch, &(PxThreads){.count = 2}), 0); /* all were swept along */
    room_free(&room);
}

TEST_MAIN()
