/// Rigid bodies: mass, free rotation, contacts, stacks, friction, sleep, saving.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "rigid/mass.h"
#include "rigid/spin.h"
#include "shape/tessellate.h"

#include <stdlib.h>

#define G 9.81

typedef struct Room {
    PxWorld *world;
    PxMaterialId stone;
} Room;

static Room room_make(double gravity)
{
    Room room;
    PxWorldDef def = px_world_def_default();
    def.gravity = px_vec(0, -gravity, 0);
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &room.world));
    PxMaterialDef stone = px_material_def_default();
    stone.name = "stone";
    stone.density = 1000;
    CHECK_OK(px_world_add_material(room.world, &stone, &room.stone));
    return room;
}

static void add_plane(Room *room, const char *name, PxVec3 normal, double friction)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.wall = true;
    def.shape = px_shape_def_default(PX_SHAPE_PLANE);
    def.shape.normal = normal;
    def.friction = friction;
    CHECK_OK(px_world_add_body(room->world, &def, NULL));
}

static PxBodyDef body_def(const Room *room, const char *name, PxShapeKind kind, PxVec3 at)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.rigid = true;
    def.skin = false;
    def.material = room->stone;
    def.shape = px_shape_def_default(kind);
    def.shape.at = at;
    return def;
}

static PxBodyId add(Room *room, const PxBodyDef *def)
{
    PxBodyId id;
    CHECK_OK(px_world_add_body(room->world, def, &id));
    return id;
}

static PxRigidState state_of(const Room *room, PxBodyId id)
{
    PxRigidState s;
    CHECK_OK(px_world_rigid_state(room->world, id, &s));
    return s;
}

/* ---- mass ---- */

static PxRigidMass mass_of(PxShapeDef def)
{
    PxShape *shape;
    PxRigidMass mass;
    CHECK_OK(px_shape_create(&def, &shape));
    CHECK_OK(px_rigid_mass(shape, 1000, &mass));
    px_shape_free(shape);
    return mass;
}

TEST(mass_and_inertia_are_those_of_the_formulas)
{
    PxShapeDef box = px_shape_def_default(PX_SHAPE_BOX);
    box.size = px_vec(1, 2, 3);
    PxRigidMass m = mass_of(box);
    CHECK_NEAR(m.mass, 6000, 1e-9);
    CHECK_NEAR(m.inertia.x, 6000 * (4 + 9) / 12.0, 1e-8);
    CHECK_NEAR(m.inertia.y, 6000 * (1 + 9) / 12.0, 1e-8);
    CHECK_NEAR(m.inertia.z, 6000 * (1 + 4) / 12.0, 1e-8);
    m = mass_of(px_shape_def_default(PX_SHAPE_SPHERE));
    CHECK_NEAR(m.mass, 1000 * M_PI / 6, 1e-9);
    CHECK_NEAR(m.inertia.x, 0.4 * m.mass * 0.25, 1e-9);
    CHECK_NEAR(m.inertia.z, 0.4 * m.mass * 0.25, 1e-9);
    PxShapeDef tube = px_shape_def_default(PX_SHAPE_CYLINDER);
    tube.radius = 0.3;
    tube.height = 2;
    m = mass_of(tube);
    CHECK_NEAR(m.inertia.z, 0.5 * m.mass * 0.09, 1e-9);
    CHECK_NEAR(m.inertia.x, m.mass * (3 * 0.09 + 4) / 12, 1e-9);
    PxShapeDef cone = px_shape_def_default(PX_SHAPE_CONE);
    cone.radius = 0.3;
    cone.radius_top = 0;
    cone.height = 2;
    m = mass_of(cone);
    CHECK_NEAR(m.centre.y, -1 + 2.0 / 4, 1e-12); /* a quarter of the height */
    CHECK_NEAR(m.inertia.z, 0.3 * m.mass * 0.09, 1e-9);
    PxShapeDef pill = px_shape_def_default(PX_SHAPE_CAPSULE);
    pill.radius = 0.3;
    pill.height = 1;
    m = mass_of(pill);
    /* a cylinder, and two half balls whose centres are 3/8 r beyond its ends */
    double c = 1000 * M_PI * 0.09, b = 1000 * M_PI * 4 / 3 * 0.027, r = 0.3, h = 1;
    double whole = c * (r * r / 4 + h * h / 12) + b * (0.4 * r * r + h * h / 4 + 3.0 / 8 * h * r);
    CHECK_NEAR(m.inertia.x, whole, 1e-9 * whole);
}

TEST(a_mesh_has_the_mass_of_its_shape)
{
    /* A turned, shifted box as triangles. */
    PxShapeDef def = px_shape_def_default(PX_SHAPE_BOX);
    PxShape *box, *copy;
    PxMesh *mesh;
    def.size = px_vec(1, 2, 3);
    def.at = px_vec(5, -3, 2);
    def.rotation = px_quat_turn(px_vec(1, 2, 3), 0.7);
    CHECK_OK(px_shape_create(&def, &box));
    CHECK_OK(px_tessellate(box, false, &mesh));
    PxShapeDef as = px_shape_def_default(PX_SHAPE_MESH);
    CHECK_OK(px_shape_create_from_mesh(&as, mesh, "box", &copy));
    PxRigidMass a, b;
    CHECK_OK(px_rigid_mass(box, 1000, &a));
    CHECK_OK(px_rigid_mass(copy, 1000, &b));
    CHECK_NEAR(a.mass, b.mass, 1e-8);
    CHECK_NEAR(px_length(px_sub(a.centre, b.centre)), 0, 1e-12);
    CHECK_NEAR(px_length(px_sub(a.inertia, b.inertia)), 0, 1e-8);
    px_mesh_free(mesh);
    px_shape_free(box);
    px_shape_free(copy);
}

/* ---- free motion ---- */

TEST(the_middle_axis_flips_with_energy_and_momentum_kept)
{
    /* Tennis racket: about the axis of the middle moment, almost. */
    PxVec3 inertia = px_vec(3, 2, 1), spin = px_vec(1e-3, 6, 0);
    PxQuat axes = px_quat_identity();
    double energy0 = 0.5 * (3e-6 + 2 * 36), error = 0;
    bool flipped = false;
    for (int k = 0; k < 2000; ++k) {
        px_spin_turn(inertia, 0.005, &axes, &spin);
        PxVec3 w = px_rotate(px_quat_conjugate(axes), spin);
        double energy = 0.5 * (3 * w.x * w.x + 2 * w.y * w.y + w.z * w.z);
        error = fmax(error, fabs(energy / energy0 - 1));
        PxVec3 l = px_rotate(axes, px_vec(3 * w.x, 2 * w.y, w.z));
        CHECK_NEAR(l.y, 12, 1e-9);
        flipped = flipped || w.y < -5.9;
    }
    CHECK(flipped);
    CHECK(error < 1e-5);
}

TEST(a_free_body_falls_and_spins)
{
    Room room = room_make(G);
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 10, 0));
    def.shape.size = px_vec(1, 2, 3);
    def.velocity = px_vec(1, 2, 3);
    def.spin = px_vec(0.1, 4, 0.2);
    PxBodyId id = add(&room, &def);
    PxRigidState before = state_of(&room, id);
    CHECK_OK(px_world_advance(room.world, 1));
    PxRigidState after = state_of(&room, id);
    CHECK_NEAR(after.velocity.y, 2 - G, 1e-9);
    /* symplectic Euler in sub-steps of 1/300 s: off by g h / 2 */
    CHECK_NEAR(after.place.y, 10 + 2 - G / 2, 0.5 * G / 240);
    CHECK_NEAR(after.place.x, 1, 1e-9);
    PxVec3 drift = px_sub(before.angular_momentum, after.angular_momentum);
    CHECK(px_length(drift) < 1e-9 * px_length(before.angular_momentum));
    px_world_free(room.world);
}

/* ---- contacts ---- */

TEST(a_box_comes_to_rest_on_the_floor)
{
    Room room = room_make(G);
    add_plane(&room, "floor", px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0.8, 0));
    def.shape.rotation = px_quat_turn(px_vec(0, 0, 1), 0.3);
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 3));
    PxRigidState s = state_of(&room, id);
    CHECK_NEAR(s.place.y, 0.5, 1e-3); /* it rests at a gap of 2e-4 of its size */
    CHECK(s.asleep);
    CHECK(px_length(s.velocity) == 0);
    px_world_free(room.world);
}

static void stack(Room *room, PxBodyId *id, int count)
{
    static char name[64][16];
    add_plane(room, "floor", px_vec(0, 1, 0), 0.5);
    for (int k = 0; k < count; ++k) {
        snprintf(name[k], sizeof name[k], "box %d", k);
        PxBodyDef def = body_def(room, name[k], PX_SHAPE_BOX,
                                 px_vec(0.02 * (k % 3), 0.501 + 1.001 * k, 0.01 * (k % 2)));
        id[k] = add(room, &def);
    }
}

TEST(a_stack_of_ten_boxes_stands)
{
    Room room = room_make(G);
    PxBodyId id[10];
    stack(&room, id, 10);
    CHECK_OK(px_world_advance(room.world, 10));
    for (int k = 0; k < 10; ++k) {
        PxRigidState s = state_of(&room, id[k]);
        CHECK_NEAR(s.place.y, 0.5 + k, 0.005);
        CHECK_NEAR(s.place.x, 0.02 * (k % 3), 0.005);
        CHECK(px_length(s.velocity) < 1e-3);
    }
    px_world_free(room.world);
}

static void compare(const Room *a, const Room *b, const PxBodyId *id, int count)
{
    for (int k = 0; k < count; ++k) {
        PxRigidState s = state_of(a, id[k]), t = state_of(b, id[k]);
        CHECK(memcmp(&s.place, &t.place, sizeof s.place) == 0);
        CHECK(memcmp(&s.pose, &t.pose, sizeof s.pose) == 0);
        CHECK(memcmp(&s.velocity, &t.velocity, sizeof s.velocity) == 0);
        CHECK(memcmp(&s.spin, &t.spin, sizeof s.spin) == 0);
    }
}

TEST(a_stack_continues_with_the_same_bits)
{
    Room room = room_make(G), other = room_make(G);
    PxBodyId id[6];
    PxSavedWorld *saved = NULL;
    stack(&room, id, 6);
    stack(&other, id, 6);
    CHECK_OK(px_world_advance(room.world, 0.3));
    CHECK_OK(px_world_advance(other.world, 0.3));
    CHECK_OK(px_world_save(room.world, &saved));
    CHECK_OK(px_world_advance(room.world, 0.6));
    CHECK_OK(px_world_restore(room.world, saved));
    CHECK_OK(px_world_advance(room.world, 0.6));
    CHECK_OK(px_world_advance(room.world, 0.9));
    CHECK_OK(px_world_advance(other.world, 0.6));
    CHECK_OK(px_world_advance(other.world, 0.9));
    compare(&room, &other, id, 6);
    px_saved_free(saved);
    px_world_free(room.world);
    px_world_free(other.world);
}

/* Way of a block on a slope within a second, m. */
static double slide(double degrees, double friction)
{
    Room room = room_make(G);
    double a = degrees * M_PI / 180;
    PxVec3 normal = px_vec(sin(a), cos(a), 0);
    add_plane(&room, "slope", normal, friction);
    PxBodyDef def = body_def(&room, "block", PX_SHAPE_BOX, px_scale(normal, 0.1001));
    def.shape.size = px_vec(0.4, 0.2, 0.4);
    def.shape.rotation = px_quat_turn(px_vec(0, 0, -1), a);
    def.friction = friction;
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 0.2));
    PxVec3 from = state_of(&room, id).place;
    CHECK_OK(px_world_advance(room.world, 1.2));
    double way = px_length(px_sub(state_of(&room, id).place, from));
    px_world_free(room.world);
    return way;
}

TEST(a_block_sticks_below_and_slips_above_the_angle_of_friction)
{
    double angle = atan(0.5) * 180 / M_PI; /* 26.57 degrees */
    CHECK(slide(0.99 * angle, 0.5) < 1e-4);
    CHECK(slide(1.01 * angle, 0.5) > 1e-3);
    /* far above: (sin a - mu cos a) g t^2 / 2, plus the way of 0.2 s at its speed then */
    double a = 45 * M_PI / 180, g = G * (sin(a) - 0.5 * cos(a));
    CHECK_NEAR(slide(45, 0.5), 0.5 * g * 1.2 * 1.2 - 0.5 * g * 0.2 * 0.2, 0.01 * g);
}

TEST(a_ball_rolls_at_five_sevenths_of_sliding)
{
    Room room = room_make(G);
    double a = 20 * M_PI / 180;
    PxVec3 normal = px_vec(sin(a), cos(a), 0);
    add_plane(&room, "slope", normal, 1);
    PxBodyDef def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_scale(normal, 0.1));
    def.shape.radius = 0.1;
    def.friction = 1;
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 1));
    CHECK_NEAR(px_length(state_of(&room, id).velocity), 5.0 / 7 * G * sin(a), 0.01 * G * sin(a));
    px_world_free(room.world);
}

TEST(two_balls_collide_with_the_stated_restitution)
{
    for (int k = 0; k <= 4; ++k) {
        double e = 0.25 * k;
        Room room = room_make(0);
        PxBodyDef def = body_def(&room, "a", PX_SHAPE_SPHERE, px_vec(-1, 0, 0));
        def.restitution = e;
        def.friction = 0;
        def.velocity = px_vec(3, 0, 0);
        PxBodyId a = add(&room, &def);
        def.name = "b";
        def.shape.at = px_vec(1, 0, 0);
        def.shape.radius = 0.4;
        def.velocity = px_vec(-1, 0, 0);
        PxBodyId b = add(&room, &def);
        PxRigidState sa = state_of(&room, a), sb = state_of(&room, b);
        double momentum = sa.mass * 3 - sb.mass;
        CHECK_OK(px_world_advance(room.world, 1));
        sa = state_of(&room, a);
        sb = state_of(&room, b);
        CHECK_NEAR(sa.mass * sa.velocity.x + sb.mass * sb.velocity.x, momentum, 1e-9 * momentum);
        CHECK_NEAR(sb.velocity.x - sa.velocity.x, e * 4, 1e-6);
        px_world_free(room.world);
    }
}

TEST(nothing_passes_through_a_thin_wall)
{
    for (int k = 0; k < 6; ++k) {
        Room room = room_make(0);
        PxBodyDef wall = px_body_def_default();
        wall.name = "sheet";
        wall.wall = true;
        wall.shape = px_shape_def_default(PX_SHAPE_BOX);
        wall.shape.size = px_vec(0.001, 2, 2);
        CHECK_OK(px_world_add_body(room.world, &wall, NULL));
        PxBodyDef def =
            body_def(&room, "shot", k % 2 ? PX_SHAPE_SPHERE : PX_SHAPE_BOX, px_vec(-3, 0.1, 0.05));
        def.shape.radius = 0.02;
        def.shape.size = px_vec(0.03, 0.02, 0.04);
        def.velocity = px_vec(pow(10, 1 + k / 2), 0, 0);
        def.spin = px_vec(10, 20, 30);
        PxBodyId id = add(&room, &def);
        CHECK_OK(px_world_advance(room.world, 0.5));
        CHECK(state_of(&room, id).place.x < 0);
        px_world_free(room.world);
    }
}

/* ---- fluids ---- */

static void add_water(Room *room, PxVec3 size, PxVec3 at, PxVec3 velocity)
{
    PxMaterialDef water = px_material_def_default();
    PxBodyDef def = px_body_def_default();
    def.name = "pool";
    CHECK_OK(px_world_add_material(room->world, &water, &def.material));
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = size;
    def.shape.at = at;
    def.velocity = velocity;
    CHECK_OK(px_world_add_body(room->world, &def, NULL));
}

static Room pool_make(double spacing, double density, double gravity, int threads)
{
    Room room;
    PxWorldDef def = px_world_def_default();
    def.gravity = px_vec(0, -gravity, 0);
    def.spacing = spacing;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &room.world));
    PxMaterialDef stone = px_material_def_default();
    stone.name = "stone";
    stone.density = density;
    CHECK_OK(px_world_add_material(room.world, &stone, &room.stone));
    return room;
}

/* A tank of 0.4 x 0.4 m with water 0.2 m deep. */
static void add_tank(Room *room)
{
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.wall = tank.inside = true;
    tank.shape = px_shape_def_default(PX_SHAPE_BOX);
    tank.shape.size = px_vec(0.4, 0.8, 0.4);
    tank.shape.at = px_vec(0, 0.4, 0);
    CHECK_OK(px_world_add_body(room->world, &tank, NULL));
    add_water(room, px_vec(0.4, 0.2, 0.4), px_vec(0, 0.1, 0), px_vec(0, 0, 0));
}

TEST(water_and_a_body_that_it_hits_keep_their_momentum)
{
    Room room = pool_make(0.04, 300, 0, 2);
    add_water(&room, px_vec(0.2, 0.2, 0.2), px_vec(0, 0, 0), px_vec(2, 0, 0));
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0.23, 0.05, 0.02));
    def.shape.size = px_vec(0.2, 0.2, 0.2);
    PxBodyId id = add(&room, &def);
    PxStats before, after;
    px_world_stats(room.world, &before);
    CHECK_OK(px_world_advance(room.world, 0.1));
    px_world_stats(room.world, &after);
    PxRigidState s = state_of(&room, id);
    CHECK(s.velocity.x > 0.5);
    CHECK(px_length(s.spin) > 0.5);
    PxVec3 sum = px_mad(after.momentum, s.velocity, s.mass);
    /* velocities of particles are floats: 6e-8 of 2 m/s a step, at random */
    CHECK(px_length(px_sub(sum, before.momentum)) < 1e-6 * px_length(before.momentum));
    PxVec3 turn = px_add(after.angular_momentum, s.angular_momentum);
    turn = px_mad(turn, px_cross(s.place, s.velocity), s.mass);
    CHECK(px_length(px_sub(turn, before.angular_momentum)) < 0.02 * px_length(s.angular_momentum));
    px_world_free(room.world);
}

/* Depth to which a box 0.1 m high sinks, over that of Archimedes; *speed is that at the end. */
static double floats(double density, double *speed)
{
    Room room = pool_make(0.02, density, G, 2);
    add_tank(&room);
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0.27, 0));
    def.shape.size = px_vec(0.2, 0.1, 0.2);
    PxBodyId id = add(&room, &def);
    double sum = 0;
    CHECK_OK(px_world_advance(room.world, 1.5));
    for (int k = 1; k <= 20; ++k) {
        CHECK_OK(px_world_advance(room.world, 1.5 + 0.025 * k));
        sum += state_of(&room, id).place.y / 20;
    }
    PxRigidState s = state_of(&room, id);
    double level = 0.2 + s.mass / 1000 / 0.16;
    *speed = px_length(s.velocity);
    px_world_free(room.world);
    return (level - (sum - 0.05)) - 0.1 * density / 1000;
}

PHYSICS(a_box_floats_as_deep_as_its_weight)
{
    double speed;
    /* The surface of a fluid is known to a part of the spacing, 0.02 m. The error falls with it: of
     * a box 0.15 m high at 800 kg/m^3, from 1.7 % at 25 mm to 0.5 % at 17 mm. */
    CHECK_NEAR(floats(500, &speed), 0, 0.002);
    CHECK(speed < 0.1);
    CHECK_NEAR(floats(800, &speed), 0, 0.003);
    CHECK_NEAR(floats(10, &speed), 0, 0.004);
    CHECK(speed < 0.1);
}

TEST(a_light_body_on_water_is_stable_and_continues_with_the_same_bits)
{
    PxRigidState last[3];
    for (int threads = 1; threads <= 3; ++threads) {
        Room room = pool_make(0.04, 10, G, threads);
        add_tank(&room);
        PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0.27, 0));
        def.shape.size = px_vec(0.16, 0.1, 0.16);
        PxBodyId id = add(&room, &def);
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_world_advance(room.world, 0.2));
        if (threads == 2)
            CHECK_OK(px_world_save(room.world, &saved));
        CHECK_OK(px_world_advance(room.world, 0.4));
        if (threads == 2) {
            CHECK_OK(px_world_restore(room.world, saved));
            CHECK_OK(px_world_advance(room.world, 0.4));
        }
        last[threads - 1] = state_of(&room, id);
        CHECK(px_length(last[threads - 1].velocity) < 1);
        px_saved_free(saved);
        px_world_free(room.world);
    }
    CHECK(memcmp(&last[0], &last[1], sizeof last[0]) == 0);
    CHECK(memcmp(&last[0], &last[2], sizeof last[0]) == 0);
}

TEST(bad_rigid_bodies_are_refused)
{
    Room room = room_make(G);
    add_plane(&room, "floor", px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0.3, 0));
    CHECK_FAILS(px_world_add_body(room.world, &def, NULL), PX_ERR_ARGUMENT,
                "overlaps 'floor' by 0.2 m");
    def.shape.at.y = 0.5;
    CHECK_OK(px_world_add_body(room.world, &def, NULL));
    def.name = "second";
    def.shape.at.y = 1.4;
    CHECK_FAILS(px_world_add_body(room.world, &def, NULL), PX_ERR_ARGUMENT,
                "overlaps 'box' by 0.1 m");
    def.shape.kind = PX_SHAPE_PLANE;
    CHECK_FAILS(px_world_add_body(room.world, &def, NULL), PX_ERR_ARGUMENT, "plane");
    def.shape.kind = PX_SHAPE_BOX;
    def.wall = true;
    CHECK_FAILS(px_world_add_body(room.world, &def, NULL), PX_ERR_ARGUMENT, "wall");
    px_world_free(room.world);
}

TEST_MAIN()
