/// Forces on walls: the opposite of what particles get, weights, friction on a slope, a jet.
#include "check.h"

#include "base/fail.h"
#include "base/vec.h"
#include "matter/boundary.h"
#include "phyxel/phyxel.h"

#include <stdlib.h>

#define G 9.81
#define DENSITY 1000.0

enum { MOST_WALLS = 8 };

typedef struct Room {
    PxWorld *world;
    PxBodyId wall[MOST_WALLS];
    size_t walls;
    PxVec3 gravity;
} Room;

static Room room_make(double spacing, PxVec3 gravity, int threads)
{
    Room room = {.gravity = gravity};
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.gravity = gravity;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &room.world));
    return room;
}

static PxBodyDef wall_def(const char *name, PxShapeKind kind)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.wall = true;
    def.shape = px_shape_def_default(kind);
    return def;
}

static PxBodyId room_add_wall(Room *room, const PxBodyDef *def)
{
    CHECK_OK(px_world_add_body(room->world, def, &room->wall[room->walls]));
    return room->wall[room->walls++];
}

static PxBodyId room_add_plane(Room *room, const char *name, PxVec3 at, PxVec3 normal)
{
    PxBodyDef def = wall_def(name, PX_SHAPE_PLANE);
    def.shape.at = at;
    def.shape.normal = normal;
    return room_add_wall(room, &def);
}

static void room_add_box(Room *room, const char *name, PxMaterialId material, PxVec3 size,
                         PxVec3 at)
{
    PxBodyDef body = px_body_def_default();
    body.name = name;
    body.material = material;
    body.shape = px_shape_def_default(PX_SHAPE_BOX);
    body.shape.size = size;
    body.shape.at = at;
    CHECK_OK(px_world_add_body(room->world, &body, NULL));
}

/* Linear and angular momentum about the origin, and the sum of |m v|. */
typedef struct Momentum {
    PxVec3 linear, angular, middle;
    double size, mass;
} Momentum;

static Momentum momentum_of(const PxWorld *world)
{
    Momentum m = {.size = 0};
    const float *column[7];
    for (uint32_t c = 0; c < 3; ++c) {
        column[c] = px_world_floats(world, "position", c);
        column[3 + c] = px_world_floats(world, "velocity", c);
    }
    column[6] = px_world_floats(world, "mass", 0);
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        PxVec3 x = {(double)column[0][i], (double)column[1][i], (double)column[2][i]};
        PxVec3 p =
            px_scale(px_vec((double)column[3][i], (double)column[4][i], (double)column[5][i]),
                     (double)column[6][i]);
        m.linear = px_add(m.linear, p);
        m.angular = px_add(m.angular, px_cross(x, p));
        m.middle = px_mad(m.middle, x, (double)column[6][i]);
        m.size += px_length(p);
        m.mass += (double)column[6][i];
    }
    return m;
}

/* Impulse of the last step on all walls together. */
static PxVec3 room_impulse(const Room *room)
{
    PxVec3 sum = {0, 0, 0};
    PxStats stats;
    px_world_stats(room->world, &stats);
    for (size_t k = 0; k < room->walls; ++k) {
        PxVec3 force, torque;
        CHECK_OK(px_world_boundary_force(room->world, room->wall[k], &force, &torque));
        sum = px_mad(sum, force, stats.dt);
    }
    return sum;
}

/* Runs a number of steps; returns the largest relative imbalance of momentum. */
static double imbalance(Room *room, int steps)
{
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
        Momentum before = momentum_of(room->world);
        CHECK_OK(px_world_step(room->world, 10));
        Momentum after = momentum_of(room->world);
        PxStats stats;
        px_world_stats(room->world, &stats);
        PxVec3 change = px_sub(after.linear, before.linear);
        PxVec3 weight = px_scale(room->gravity, after.mass * stats.dt);
        PxVec3 left = px_add(px_sub(change, weight), room_impulse(room));
        worst = fmax(worst, px_length(left) / (after.size + px_length(weight)));
    }
    return worst;
}

/* Water that falls into a tank of a plane, a hollow box and a ball, with a paddle that moves. */
static Room splash(const char *pressure, double viscosity, const char *model, int threads)
{
    Room room = room_make(0.05, px_vec(0, -G, 0), threads);
    PxMaterialDef water = px_material_def_default();
    water.density = DENSITY;
    water.pressure = px_pressure_choice(pressure);
    water.viscosity = viscosity;
    water.viscosity_model = px_viscosity_choice(model);
    PxMaterialId id;
    CHECK_OK(px_world_add_material(room.world, &water, &id));
    room_add_box(&room, "water", id, px_vec(0.4, 0.5, 0.4), px_vec(0, 0.6, 0));
    PxBodyDef tank = wall_def("tank", PX_SHAPE_BOX);
    tank.inside = true;
    tank.friction = 1;
    tank.shape.size = px_vec(0.6, 2, 0.4);
    tank.shape.at = px_vec(0, 0.9, 0);
    room_add_wall(&room, &tank);
    room_add_plane(&room, "floor", px_vec(0, 0, 0), px_vec(0, 1, 0));
    PxBodyDef ball = wall_def("ball", PX_SHAPE_SPHERE);
    ball.shape.radius = 0.12;
    ball.shape.at = px_vec(0, 0.12, 0);
    ball.friction = 0.5;
    room_add_wall(&room, &ball);
    static const PxKeyframe way[] = {{0, {0, 0, 0}, {0, 0, 0, 1}},
                                     {0.3, {0.3, 0.1, 0}, {0, 0, 0.38, 0.92}}};
    PxBodyDef paddle = wall_def("paddle", PX_SHAPE_BOX);
    paddle.shape.size = px_vec(0.06, 0.5, 0.3);
    paddle.shape.at = px_vec(-0.25, 0.4, 0);
    paddle.keyframes = 2;
    paddle.keyframe = way;
    room_add_wall(&room, &paddle);
    return room;
}

PHYSICS(walls_get_the_opposite_impulse_of_a_fluid)
{
    static const struct {
        const char *pressure;
        double viscosity;
        const char *model;
    } fluid[] = {{"dfsph", 0, "implicit"},     {"flip", 0, "implicit"},
                 {"iisph", 1, "morris"},       {"sesph", 1, "laplacian"},
                 {"pcisph", 1e-3, "implicit"}, {"projection", 0.1, "implicit"}};
    for (size_t k = 0; k < PX_COUNT(fluid); ++k) {
        Room room = splash(fluid[k].pressure, fluid[k].viscosity, fluid[k].model, 2);
        double left = imbalance(&room, 150);
        CHECK_NEAR(left, 0, 1e-6); /* measured 1e-8 to 2e-8: floats */
        CHECK(px_length(room_impulse(&room)) > 0);
        px_world_free(room.world);
    }
}

TEST(walls_get_the_opposite_impulse_of_a_viscous_fluid)
{
    Room room = splash("dfsph", 50, "implicit", 2);
    CHECK_NEAR(imbalance(&room, 150), 0, 1e-3); /* conjugate gradients stop at 1e-4 of it */
    px_world_free(room.world);
}

static PxMaterialId room_add_rubber(Room *room, const char *integration, double friction,
                                    double restitution)
{
    PxMaterialDef rubber = px_material_def_default();
    rubber.name = "rubber";
    rubber.density = DENSITY;
    rubber.young = 2e5;
    rubber.poisson = 0.3;
    rubber.friction = friction;
    rubber.restitution = restitution;
    rubber.damping = 20;
    rubber.integration = px_integration_choice(integration);
    PxMaterialId id;
    CHECK_OK(px_world_add_material(room->world, &rubber, &id));
    return id;
}

TEST(walls_get_the_opposite_impulse_of_a_solid)
{
    static const char *const integration[] = {"leapfrog", "implicit"};
    for (size_t k = 0; k < 2; ++k) {
        Room room = room_make(0.05, px_vec(0, -G, 0), 2);
        PxMaterialId id = room_add_rubber(&room, integration[k], 0.5, 0.3);
        room_add_box(&room, "block", id, px_vec(0.3, 0.3, 0.3), px_vec(0, 0.2, 0));
        PxBodyDef floor = wall_def("floor", PX_SHAPE_PLANE);
        floor.shape.normal = px_vec(0.3, 1, 0);
        floor.friction = 0.5;
        room_add_wall(&room, &floor);
        room_add_plane(&room, "side", px_vec(0.2, 0, 0), px_vec(-1, 0, 0));
        /* measured 9e-8 and 2e-3; the latter is the residual of Newton's method, not an error
         * of the wall forces */
        CHECK_NEAR(imbalance(&room, 200), 0, k == 0 ? 1e-6 : 1e-2);
        px_world_free(room.world);
    }
}

/* Mean force and torque on a wall between two times. */
static void mean_force(Room *room, PxBodyId wall, double from, double to, PxVec3 *force,
                       PxVec3 *torque)
{
    PxStats stats;
    double time = 0;
    *force = *torque = px_vec(0, 0, 0);
    CHECK_OK(px_world_advance(room->world, from));
    while (px_world_time(room->world) < to) {
        PxVec3 f, t;
        CHECK_OK(px_world_step(room->world, to));
        CHECK_OK(px_world_boundary_force(room->world, wall, &f, &t));
        px_world_stats(room->world, &stats);
        *force = px_mad(*force, f, stats.dt);
        *torque = px_mad(*torque, t, stats.dt);
        time += stats.dt;
    }
    *force = px_scale(*force, 1 / time);
    *torque = px_scale(*torque, 1 / time);
}

PHYSICS(water_at_rest_presses_on_the_floor_with_its_weight)
{
    Room room = room_make(0.05, px_vec(0, -G, 0), 2);
    PxMaterialDef water = px_material_def_default();
    water.density = DENSITY;
    PxMaterialId id;
    CHECK_OK(px_world_add_material(room.world, &water, &id));
    room_add_box(&room, "water", id, px_vec(0.4, 0.5, 0.4), px_vec(0, 0.25, 0));
    PxBodyId floor = room_add_plane(&room, "floor", px_vec(0, 0, 0), px_vec(0, 1, 0));
    PxBodyId side = room_add_plane(&room, "left", px_vec(-0.2, 0, 0), px_vec(1, 0, 0));
    room_add_plane(&room, "right", px_vec(0.2, 0, 0), px_vec(-1, 0, 0));
    room_add_plane(&room, "front", px_vec(0, 0, 0.2), px_vec(0, 0, -1));
    room_add_plane(&room, "back", px_vec(0, 0, -0.2), px_vec(0, 0, 1));
    PxVec3 force, torque, push, turn;
    mean_force(&room, floor, 0.5, 1, &force, &torque);
    mean_force(&room, side, 1, 1.5, &push, &turn);
    double weight = momentum_of(room.world).mass * G;
    CHECK_NEAR(force.y / -weight, 1, 0.01); /* measured 0.9997 */
    /* rho g w d^2 / 2 at a third of the depth; measured 0.987, and 1.003 of the torque */
    double across = 0.5 * DENSITY * G * 0.4 * 0.5 * 0.5;
    CHECK_NEAR(push.x / -across, 1, 0.03);
    CHECK_NEAR(turn.z / (across * 0.5 / 3), 1, 0.03);
    px_world_free(room.world);
}

PHYSICS(a_block_on_a_slope_presses_with_its_weight_and_friction_holds_it)
{
    static const char *const integration[] = {"leapfrog", "implicit"};
    for (size_t k = 0; k < 2; ++k) {
        /* the slope is level, and gravity is tilted by 20 degrees */
        double tilt = 20 * 3.14159265358979 / 180;
        Room room = room_make(0.05, px_vec(G * sin(tilt), -G * cos(tilt), 0), 2);
        PxMaterialId id = room_add_rubber(&room, integration[k], 0.8, 0);
        room_add_box(&room, "block", id, px_vec(0.4, 0.2, 0.3), px_vec(0, 0.1, 0));
        PxBodyDef def = wall_def("slope", PX_SHAPE_PLANE);
        def.friction = 0.8;
        PxBodyId slope = room_add_wall(&room, &def);
        PxVec3 force, torque;
        mean_force(&room, slope, 1, 1.5, &force, &torque);
        double weight = momentum_of(room.world).mass * G;
        CHECK_NEAR(force.x / (weight * sin(tilt)), 1, 0.02);
        CHECK_NEAR(force.y / (-weight * cos(tilt)), 1, 0.02);
        /* the weight acts where the line from the middle, 0.1 m up, meets the slope */
        CHECK_NEAR(torque.z / (-weight * sin(tilt) * 0.1), 1, 0.08);
        px_world_free(room.world);
    }
}

TEST(forces_on_walls_have_the_same_bits_for_any_number_of_threads)
{
    PxVec3 first[2][4];
    for (int threads = 1; threads <= 3; ++threads) {
        Room room = splash("dfsph", 0.1, "implicit", threads);
        CHECK_OK(px_world_advance(room.world, 0.2));
        for (size_t k = 0; k < room.walls; ++k) {
            PxVec3 force, torque;
            CHECK_OK(px_world_boundary_force(room.world, room.wall[k], &force, &torque));
            if (threads == 1) {
                first[0][k] = force;
                first[1][k] = torque;
                CHECK(px_length(force) > 0);
            }
            CHECK(memcmp(&first[0][k], &force, sizeof force) == 0);
            CHECK(memcmp(&first[1][k], &torque, sizeof torque) == 0);
        }
        px_world_free(room.world);
    }
}

/* A back end in which every other rank has what this one has. */
static void twice(void *state, PxSum *sum, uint32_t count)
{
    (void)state;
    for (uint32_t k = 0; k < count; ++k) {
        PxSum same = sum[k];
        px_sum_merge(&sum[k], &same);
    }
}

TEST(impulses_of_all_ranks_are_joined)
{
    static const PxDistBackend backend = {.merge = twice};
    PxDist alone, two = {0, 2, &backend, NULL};
    px_dist_init(&alone);
    PxBoundary b = {.pivot = {0, 0, 0}};
    px_boundary_take_moment(&b, px_vec(1, 2, 3), px_vec(4, 5, 6));
    CHECK_NEAR(px_boundary_impulse(&b, &alone).y, 2, 0);
    CHECK_NEAR(px_boundary_impulse(&b, &two).y, 4, 0);
    CHECK_NEAR(px_boundary_torque(&b, &two).z, 12, 0);
    CHECK_NEAR(px_boundary_torque(&b, &two).z, 12, 0); /* asking changes nothing */
}

TEST_MAIN()
