/// Rigid bodies: mass, free rotation, contacts, stacks, friction, sleep, saving.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "rigid/mass.h"
#include "base/spin.h"
#include "shape/tessellate.h"
#include "study/rigid_room.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define G 9.81

typedef PxRigidRoom Room;

static Room pool_of(const char *pressure, double spacing, double density, double gravity,
                    int threads)
{
    Room room;
    PxRigidRoomDef def = px_rigid_room_def();
    def.pressure = pressure;
    def.spacing = spacing;
    def.density = density;
    def.gravity = px_vec(0, -gravity, 0);
    def.threads = threads;
    CHECK_OK(px_rigid_room(&room, &def));
    return room;
}

static Room pool_make(double spacing, double density, double gravity, int threads)
{
    return pool_of(NULL, spacing, density, gravity, threads);
}

static Room room_make(double gravity)
{
    return pool_make(0.05, 1000, gravity, 1);
}

static void add_plane(Room *room, PxVec3 normal, double friction)
{
    CHECK_OK(px_rigid_room_plane(room, normal, friction));
}

static PxBodyDef body_def(const Room *room, const char *name, PxShapeKind kind, PxVec3 at)
{
    return px_rigid_room_body(room, name, kind, at);
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

TEST(ballast_moves_the_centre_of_mass_and_adds_to_the_inertia)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *shape;
    PxRigidMass mass;
    def.radius = 0.1;
    def.scale = 2; /* of the shape; `at` below is with it */
    def.at = px_vec(1, 2, 3);
    def.rotation = px_quat_turn(px_vec(0, 0, 1), M_PI / 2);
    CHECK_OK(px_shape_create(&def, &shape));
    CHECK_OK(px_rigid_mass(shape, 1000, &mass));
    double m = mass.mass, own = 0.4 * m * 0.2 * 0.2, far = 0.15 * 0.15 * m / 2;
    CHECK_OK(px_rigid_ballast(shape, m, px_vec(0, -0.15, 0), &mass));
    CHECK_NEAR(mass.mass, 2 * m, 1e-12 * m);
    /* -y of the shape is +x of the world; half of the mass is there */
    CHECK_NEAR(mass.centre.x, 1.075, 1e-12);
    CHECK_NEAR(mass.centre.y, 2, 1e-12);
    CHECK_NEAR(mass.inertia.x, own + far, 1e-12 * own);
    CHECK_NEAR(mass.inertia.y, own + far, 1e-12 * own);
    CHECK_NEAR(mass.inertia.z, own, 1e-12 * own);
    CHECK_NEAR(fabs(px_rotate(mass.axes, px_vec(0, 0, 1)).x), 1, 1e-12);
    px_shape_free(shape);
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
    add_plane(&room, px_vec(0, 1, 0), 0.5);
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
    add_plane(room, px_vec(0, 1, 0), 0.5);
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

static void same_state(PxRigidState s, PxRigidState t)
{
    CHECK(memcmp(&s.place, &t.place, sizeof s.place) == 0);
    CHECK(memcmp(&s.pose, &t.pose, sizeof s.pose) == 0);
    CHECK(memcmp(&s.velocity, &t.velocity, sizeof s.velocity) == 0);
    CHECK(memcmp(&s.spin, &t.spin, sizeof s.spin) == 0);
}

static void compare(const Room *a, const Room *b, const PxBodyId *id, int count)
{
    for (int k = 0; k < count; ++k)
        same_state(state_of(a, id[k]), state_of(b, id[k]));
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

/* Boxes fall on each other: enough pairs that threads share them. */
enum { HEAP = 216 };

static Room heap(PxBodyId id[HEAP], int threads)
{
    Room room = pool_make(0.05, 1000, G, threads);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    for (int k = 0; k < HEAP; ++k) {
        int x = k % 6, z = k / 6 % 6, y = k / 36;
        char name[16];
        snprintf(name, sizeof name, "box %d", k);
        PxBodyDef def = body_def(&room, name, PX_SHAPE_BOX,
                                 px_vec(0.13 * x + 0.01 * (y % 3), 0.1 + 0.15 * y, 0.13 * z));
        def.shape.size = px_vec(0.1, 0.1, 0.1);
        def.shape.rotation = px_quat_turn(px_vec(0.3, 0.8, 0.2 + 0.1 * (k % 3)), 0.1 * (k % 7));
        id[k] = add(&room, &def);
    }
    return room;
}

TEST(a_heap_has_the_same_bits_with_any_threads_and_after_a_stop)
{
    PxBodyId id[HEAP];
    Room first = heap(id, 1);
    CHECK_OK(px_world_advance(first.world, 0.3));
    CHECK_OK(px_world_advance(first.world, 0.45));
    PxStats stats;
    px_world_stats(first.world, &stats);
    CHECK(stats.rigid_contacts > 300);
    CHECK(stats.rigid_crossed == 0);
    for (int threads = 2; threads <= 3; ++threads) {
        PxSavedWorld *saved = NULL;
        Room room = heap(id, threads);
        CHECK_OK(px_world_advance(room.world, 0.3));
        CHECK_OK(px_world_save(room.world, &saved));
        CHECK_OK(px_world_advance(room.world, 0.35));
        CHECK_OK(px_world_restore(room.world, saved));
        CHECK_OK(px_world_advance(room.world, 0.45));
        compare(&first, &room, id, HEAP);
        px_saved_free(saved);
        px_world_free(room.world);
    }
    px_world_free(first.world);
}

TEST(a_body_that_is_woken_stands_on_the_floor)
{
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "sleeper", PX_SHAPE_BOX, px_vec(0, 0.05, 0));
    def.shape.size = px_vec(0.1, 0.1, 0.1);
    PxBodyId sleeper = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 1));
    def.name = "other";
    def.shape.at = px_vec(0, 0.155, 0);
    def.velocity = px_vec(0, -1, 0);
    add(&room, &def);
    double lowest = 1;
    for (int k = 0; k < 20; ++k) {
        CHECK_OK(px_world_step(room.world, 2));
        lowest = fmin(lowest, state_of(&room, sleeper).place.y);
    }
    CHECK_NEAR(lowest, 0.05, 2e-4); /* without a floor it falls by 1e-3 in a step of 0.01 s */
    px_world_free(room.world);
}

/* A ball that rolls for ever on a plate on which a tower stands. */
TEST(what_moves_slowly_keeps_its_neighbours_awake_and_no_others)
{
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "plate", PX_SHAPE_BOX, px_vec(0, 0.05, 0));
    def.shape.size = px_vec(4, 0.1, 1);
    PxBodyId plate = add(&room, &def), tower[3];
    for (int k = 0; k < 3; ++k) {
        static const char *const name[] = {"first", "second", "third"};
        def = body_def(&room, name[k], PX_SHAPE_BOX, px_vec(1, 0.2 + 0.2 * k, 0));
        def.shape.size = px_vec(0.2, 0.2, 0.2);
        tower[k] = add(&room, &def);
    }
    def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_vec(-1.5, 0.2, 0));
    def.shape.radius = 0.1;
    def.velocity = px_vec(0.1, 0, 0);
    def.spin = px_vec(0, 0, -1);
    PxBodyId ball = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 4));
    CHECK(!state_of(&room, ball).asleep);
    CHECK(!state_of(&room, plate).asleep);
    for (int k = 0; k < 3; ++k)
        CHECK(state_of(&room, tower[k]).asleep);

    /* a blow on the plate wakes the whole tower at once */
    def = body_def(&room, "stone", PX_SHAPE_BOX, px_vec(-1.5, 0.26, 0));
    def.shape.size = px_vec(0.2, 0.2, 0.2);
    def.velocity = px_vec(0, -3, 0);
    PxBodyId stone = add(&room, &def);
    bool hit = false;
    for (int k = 0; k < 20 && !hit; ++k) {
        CHECK_OK(px_world_step(room.world, 5));
        hit = state_of(&room, stone).velocity.y > -1;
    }
    CHECK(hit);
    for (int k = 0; k < 3; ++k)
        CHECK(!state_of(&room, tower[k]).asleep);
    px_world_free(room.world);
}

/* Way of a block on a slope within a second, m. */
static double slide(double degrees, double friction)
{
    Room room = room_make(G);
    double a = degrees * M_PI / 180;
    PxVec3 normal = px_vec(sin(a), cos(a), 0);
    add_plane(&room, normal, friction);
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
    add_plane(&room, normal, 1);
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

TEST(bodies_that_are_hit_pass_through_nothing)
{
    /* A ball drives a box against a sheet of 1 mm; before the hit the box does not move. */
    for (int k = 0; k < 4; ++k) {
        Room room = room_make(0);
        double speed = pow(10, 1 + k);
        PxBodyDef wall = px_body_def_default();
        wall.name = "sheet";
        wall.wall = true;
        wall.shape = px_shape_def_default(PX_SHAPE_BOX);
        wall.shape.size = px_vec(0.001, 2, 2);
        CHECK_OK(px_world_add_body(room.world, &wall, NULL));
        PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(-0.06, 0, 0));
        def.shape.size = px_vec(0.05, 0.05, 0.05);
        PxBodyId box = add(&room, &def);
        def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_vec(-2, 0.01, 0.005));
        def.shape.radius = 0.05;
        def.velocity = px_vec(speed, 0, 0);
        PxBodyId ball = add(&room, &def);
        CHECK_OK(px_world_advance(room.world, 3 / speed + 0.05));
        PxStats stats;
        px_world_stats(room.world, &stats);
        CHECK_EQUAL(stats.rigid_crossed, 0);
        CHECK(state_of(&room, box).place.x < -0.024);
        CHECK(state_of(&room, ball).place.x < -0.074);
        px_world_free(room.world);
    }
}

PHYSICS(a_column_that_falls_at_any_speed_does_not_collapse_into_itself)
{
    /* Ten boxes with gaps fall side by side: only the lowest approaches anything, at first. */
    for (int k = 0; k < 4; ++k) {
        Room room = room_make(G);
        add_plane(&room, px_vec(0, 1, 0), 0.5);
        PxBodyId id[10];
        char name[16];
        for (int n = 0; n < 10; ++n) {
            snprintf(name, sizeof name, "box %d", n);
            PxBodyDef def = body_def(&room, name, PX_SHAPE_BOX, px_vec(0, 1 + 0.11 * n, 0));
            def.shape.size = px_vec(0.1, 0.1, 0.1);
            def.velocity = px_vec(0, -pow(10, k), 0);
            id[n] = add(&room, &def);
        }
        CHECK_OK(px_world_advance(room.world, 1.5));
        PxStats stats;
        px_world_stats(room.world, &stats);
        CHECK_EQUAL(stats.rigid_crossed, 0);
        if (k == 0) /* slow enough to stand */
            CHECK_NEAR(state_of(&room, id[9]).place.y, 0.95, 0.005);
        for (int n = 0; n < 10; ++n)
            CHECK(state_of(&room, id[n]).place.y > 0.045);
        px_world_free(room.world);
    }
}

TEST(a_ball_with_ballast_rocks_about_its_heavy_side)
{
    /* Rolling without slip, small angles: the period is 2 pi sqrt(I / (m g d)), I about the point
     * of contact, d the distance of the centre of mass below the middle. */
    const double r = 0.1, ballast = 4, deep = 0.08, ball = 4.0 / 3.0 * M_PI * 1e-3 * 1000;
    double mass = ball + ballast, d = deep * ballast / mass;
    double inertia = 0.4 * ball * r * r + ball * d * d + ballast * (deep - d) * (deep - d) +
                     mass * (r - d) * (r - d);
    double period = 2 * M_PI * sqrt(inertia / (mass * G * d)), crossed[2] = {0, 0}, was = 1;
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "tumbler", PX_SHAPE_SPHERE, px_vec(0, r, 0));
    def.shape.radius = r;
    def.shape.rotation = px_quat_turn(px_vec(1, 0, 0), 0.1);
    def.ballast = ballast;
    def.ballast_at = px_vec(0, -deep, 0);
    PxBodyId id = add(&room, &def);
    for (int k = 0, found = 0; k < 480 && found < 2; ++k) {
        CHECK_OK(px_world_advance(room.world, 0.0025 * (k + 1)));
        PxRigidState s = state_of(&room, id);
        PxQuat turn = px_quat_multiply(s.pose.turn, def.shape.rotation);
        double now = px_rotate(turn, px_vec(0, -1, 0)).z * -1;
        if (was > 0 && now <= 0)
            crossed[found++] = 0.0025 * (k + was / (was - now));
        was = now;
    }
    CHECK_NEAR(crossed[1] - crossed[0], period, 0.005 * period);
    px_world_free(room.world);
}

/* Kinetic and potential energy of a body, J. */
static double energy_of(const PxRigidState *s)
{
    return 0.5 * s->mass * px_dot(s->velocity, s->velocity) +
           0.5 * px_dot(s->spin, s->angular_momentum) + s->mass * G * s->place.y;
}

TEST(a_ball_with_ballast_that_rocks_far_gains_no_energy)
{
    /* Its centre of mass moves relative to the point of contact, and beyond pi / 2 above the middle
     * of the ball. Sub-steps change the velocity before the place, so the energy swings by about
     * m g h v / 2, v upwards: by 0.0021 of what it has above the lowest place; 0.036 is lost. */
    const double angle[] = {1, 2, 3}, step[] = {0.01, 0.0025};
    for (int k = 0; k < 6; ++k) {
        Room room = room_make(G);
        add_plane(&room, px_vec(0, 1, 0), 0.5);
        PxBodyDef def = body_def(&room, "tumbler", PX_SHAPE_SPHERE, px_vec(0, 0.1, 0));
        def.shape.radius = 0.1;
        def.shape.rotation = px_quat_turn(px_vec(1, 0, 0), angle[k / 2]);
        def.ballast = 4;
        def.ballast_at = px_vec(0, -0.08, 0);
        PxBodyId id = add(&room, &def);
        PxRigidState s = state_of(&room, id);
        double deep = px_length(px_sub(s.centre, def.shape.at)), first = energy_of(&s);
        double most = 0, late = 0, lowest = INFINITY;
        double above = first - s.mass * G * (0.1 - deep);
        for (int n = 1; n * step[k % 2] < 10; ++n) {
            CHECK_OK(px_world_advance(room.world, n * step[k % 2]));
            s = state_of(&room, id);
            most = fmax(most, energy_of(&s));
            late = n * step[k % 2] > 5 ? fmax(late, energy_of(&s)) : 0;
            PxVec3 arm = px_rotate(s.pose.turn, px_sub(def.shape.at, s.centre));
            lowest = fmin(lowest, s.place.y + arm.y);
        }
        CHECK(most - first < 0.0025 * above);
        CHECK(late < first);
        CHECK(first - energy_of(&s) < 0.05 * above);
        CHECK_NEAR(lowest, 0.1, 0.001);
        px_world_free(room.world);
    }
}

TEST(keyframes_hand_over_to_free_motion_and_take_back)
{
    /* A ball is swung upwards, let go at 0.5 s, flies, and is caught at 1 s. */
    PxKeyframe key[2] = {{.time = 0, .rotation = px_quat_identity()},
                         {.time = 1, .at = px_vec(1, 2, 0), .rotation = px_quat_identity()}};
    PxRigidState last[2];
    for (int run = 0; run < 2; ++run) {
        Room room = room_make(G);
        PxBodyDef def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_vec(0, 0, 0));
        def.shape.radius = 0.1;
        def.keyframe = key;
        def.keyframes = 2;
        def.release = 0.5;
        def.hold = 1;
        def.hand_over = 0.4;
        PxBodyId id = add(&room, &def);
        CHECK_OK(px_world_advance(room.world, 0.5));
        PxRigidState s = state_of(&room, id);
        CHECK_NEAR(px_length(px_sub(s.place, px_vec(0.5, 1, 0))), 0, 1e-9);
        CHECK_NEAR(px_length(px_sub(s.velocity, px_vec(1, 2, 0))), 0, 1e-9);
        CHECK_OK(px_world_advance(room.world, 1));
        s = state_of(&room, id);
        CHECK_NEAR(s.place.x, 1, 1e-9);
        /* off by g h t / 2 with sub-steps of 1/480 s */
        CHECK_NEAR(s.place.y, 2 - 0.5 * G * 0.25, 0.5 * G * 0.5 / 400);
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_world_advance(room.world, 1.2));
        s = state_of(&room, id);
        CHECK(s.place.y > 1 && s.place.y < 2); /* on its way back to the path */
        CHECK_OK(px_world_save(room.world, &saved));
        if (run == 1) {
            CHECK_OK(px_world_advance(room.world, 1.3));
            CHECK_OK(px_world_restore(room.world, saved));
        }
        CHECK_OK(px_world_advance(room.world, 1.5));
        last[run] = state_of(&room, id);
        CHECK_NEAR(px_length(px_sub(last[run].place, px_vec(1, 2, 0))), 0, 1e-9);
        CHECK_NEAR(px_length(last[run].velocity), 0, 1e-9);
        px_saved_free(saved);
        px_world_free(room.world);
    }
    same_state(last[0], last[1]);
}

TEST(a_held_body_pushes_and_a_body_without_keyframes_is_held_in_place)
{
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxKeyframe key[2] = {{.time = 0, .rotation = px_quat_identity()},
                         {.time = 2, .at = px_vec(1, 0, 0), .rotation = px_quat_identity()}};
    PxBodyDef def = body_def(&room, "pusher", PX_SHAPE_BOX, px_vec(-0.2, 0.1, 0));
    def.shape.size = px_vec(0.1, 0.1, 0.1);
    def.keyframe = key;
    def.keyframes = 2;
    add(&room, &def);
    def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0.1, 0));
    def.shape.size = px_vec(0.2, 0.2, 0.2);
    PxBodyId box = add(&room, &def);
    def.name = "held";
    def.shape.at = px_vec(0, 3, 0);
    def.release = 1;
    PxBodyId held = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 1));
    CHECK_NEAR(state_of(&room, held).place.y, 3, 1e-12);
    CHECK_OK(px_world_advance(room.world, 2));
    CHECK_NEAR(state_of(&room, box).place.x, 1 - 0.2 + 0.05 + 0.1, 0.005);
    CHECK_NEAR(state_of(&room, box).place.y, 0.1, 0.002);
    CHECK(state_of(&room, held).place.y < 1);
    px_world_free(room.world);
}

static PxMaterialId dem_material(Room *room, double damping)
{
    PxMaterialDef def = px_material_def_default();
    PxMaterialId id;
    def.name = "rubber";
    def.rigid_contact = px_rigid_contact_choice("dem");
    def.rigid_contact.param[0] = 1e6;
    def.rigid_contact.param[2] = damping;
    CHECK_OK(px_world_add_material(room->world, &def, &id));
    return id;
}

TEST(discrete_elements_follow_the_law_of_hertz)
{
    Room room = room_make(0);
    PxBodyDef wall = px_body_def_default();
    wall.name = "wall";
    wall.wall = true;
    wall.shape = px_shape_def_default(PX_SHAPE_PLANE);
    wall.shape.normal = px_vec(0, 1, 0);
    CHECK_OK(px_world_add_body(room.world, &wall, NULL));
    PxBodyDef def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_vec(0, 0.11, 0));
    def.shape.radius = 0.1;
    def.material = dem_material(&room, 0);
    def.velocity = px_vec(0, -2, 0);
    PxBodyId id = add(&room, &def);
    double deepest = 0, mass = state_of(&room, id).mass;
    for (int k = 0; k < 200; ++k) {
        CHECK_OK(px_world_advance(room.world, 2e-4 * (k + 1)));
        deepest = fmax(deepest, 0.1 - state_of(&room, id).place.y);
    }
    /* k u^(5/2) 2/5 = m v^2 / 2 with k = 4/3 E sqrt(R) / (1 - nu^2) */
    double k = 4.0 / 3 * 1e6 * sqrt(0.1) / (1 - 0.09);
    CHECK_NEAR(deepest, pow(1.25 * mass * 4 / k, 0.4), 0.01 * deepest);
    CHECK_NEAR(state_of(&room, id).velocity.y, 2, 0.02); /* elastic */
    px_world_free(room.world);
}

/* Speed of rebound of a ball of rubber from a wall, over that of the impact. */
static double dem_rebound(double damping)
{
    Room room = room_make(0);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_vec(0, 0.11, 0));
    def.shape.radius = 0.1;
    def.material = dem_material(&room, damping);
    def.velocity = px_vec(0, -2, 0);
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 0.05));
    double speed = state_of(&room, id).velocity.y;
    px_world_free(room.world);
    return speed / 2;
}

TEST(damping_of_discrete_elements_takes_energy_and_stacks_rest)
{
    /* the same law integrated for a ball alone, in steps of 1 us */
    for (int n = 1; n <= 2; ++n) {
        double a = n * 1e-3, k = 4.0 / 3 * 1e6 * sqrt(0.1) / 0.91, m = 1000 * M_PI / 6 * 8e-3;
        double u = 0, v = 2;
        do {
            v -= 1e-6 / m * fmax(k * sqrt(u) * (u + 1.5 * a * v), 0);
            u += 1e-6 * v;
        } while (u > 0);
        CHECK_NEAR(dem_rebound(a), -v / 2, 0.01);
    }
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxBodyDef def = body_def(&room, "lower", PX_SHAPE_BOX, px_vec(0, 0.1, 0));
    def.material = dem_material(&room, 2e-3);
    def.shape.size = px_vec(0.2, 0.2, 0.2);
    add(&room, &def);
    def.name = "upper";
    def.shape.at.y = 0.31;
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 2));
    PxRigidState s = state_of(&room, id);
    CHECK_NEAR(s.place.y, 0.3, 0.0065); /* two overlaps of 1.5 % of 0.2 m at most */
    CHECK(s.asleep);
    px_world_free(room.world);
}

/* A torus as an OBJ file: 32 x 16 quads. */
static void write_ring(const char *path, double middle, double thick)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    for (int u = 0; u < 32; ++u)
        for (int v = 0; v < 16; ++v) {
            double a = 2 * M_PI * u / 32, b = 2 * M_PI * v / 16, r = middle + thick * cos(b);
            fprintf(file, "v %.9f %.9f %.9f\n", r * cos(a), thick * sin(b), r * sin(a));
        }
    for (int u = 0; u < 32; ++u)
        for (int v = 0; v < 16; ++v) {
            int n = (u + 1) % 32, m = (v + 1) % 16;
            fprintf(file, "f %d %d %d %d\n", 16 * u + v + 1, 16 * u + m + 1, 16 * n + m + 1,
                    16 * n + v + 1);
        }
    CHECK(fclose(file) == 0);
}

TEST(a_ring_falls_over_a_peg_and_rings_link)
{
    char path[] = "/tmp/phyxel-ring-XXXXXX.obj";
    int made = mkstemps(path, 4);
    CHECK(made >= 0 && close(made) == 0);
    write_ring(path, 0.5, 0.1);
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
    PxBodyDef peg = px_body_def_default();
    peg.name = "peg";
    peg.wall = true;
    peg.shape = px_shape_def_default(PX_SHAPE_CYLINDER);
    peg.shape.radius = 0.3;
    peg.shape.height = 2;
    peg.shape.at.y = 1;
    CHECK_OK(px_world_add_body(room.world, &peg, NULL));
    PxBodyDef def = body_def(&room, "ring", PX_SHAPE_MESH, px_vec(0.05, 2.5, 0));
    def.shape.mesh = path;
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 2.5));
    PxRigidState s = state_of(&room, id);
    CHECK_NEAR(s.place.y, 0.1, 0.005);
    CHECK(fabs(s.place.x) < 0.2 && fabs(s.place.z) < 0.2);
    px_world_free(room.world);

    /* a link that hangs in another, which lies on two walls */
    room = room_make(G);
    for (int k = 0; k < 2; ++k) {
        PxBodyDef bar = px_body_def_default();
        bar.name = k == 0 ? "left" : "right";
        bar.wall = true;
        bar.shape = px_shape_def_default(PX_SHAPE_BOX);
        bar.shape.size = px_vec(0.4, 0.2, 2);
        bar.shape.at = px_vec(k == 0 ? -0.6 : 0.6, 1.9, 0);
        CHECK_OK(px_world_add_body(room.world, &bar, NULL));
    }
    def = body_def(&room, "upper", PX_SHAPE_MESH, px_vec(0, 2.11, 0));
    def.shape.mesh = path;
    add(&room, &def);
    def.name = "lower";
    def.shape.at = px_vec(0, 1.86, 0.5);
    def.shape.rotation = px_quat_turn(px_vec(0, 0, 1), M_PI / 2);
    id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 2));
    s = state_of(&room, id);
    /* it hangs on the upper ring, 0.2 m thick around y = 2.1, by the top of its hole of 0.4 m; the
     * upper ring may tilt */
    CHECK_NEAR(s.place.y, 2.1 + 0.1 - 0.4, 0.05);
    CHECK(px_length(s.velocity) < 0.3);
    px_world_free(room.world);
    CHECK(remove(path) == 0);
}

/* ---- joints ---- */

static PxJointDef joint_def(PxBodyId body, PxJointKind kind, PxVec3 at, PxVec3 axis)
{
    PxJointDef def = px_joint_def_default();
    def.name = "joint";
    def.body = body;
    def.kind = kind;
    def.at = at;
    def.axis = axis;
    return def;
}

/* Period of a box that hangs by a joint at its upper end, over that of the formula. */
static double swing(PxJointKind kind)
{
    Room room = room_make(G);
    double a = 0.05;
    PxBodyDef def = body_def(&room, "bob", PX_SHAPE_BOX, px_vec(0.5 * sin(a), -0.5 * cos(a), 0));
    def.shape.size = px_vec(0.1, 1, 0.1);
    def.shape.rotation = px_quat_turn(px_vec(0, 0, 1), a);
    PxBodyId id = add(&room, &def);
    PxJointDef joint = joint_def(id, kind, px_vec(0, 0, 0), px_vec(0, 0, 1));
    CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
    double first = 0, last = 0, time = 0, x = 1, most = 0;
    int crossings = 0;
    while (crossings < 9) {
        double before = x, then = time;
        CHECK_OK(px_world_step(room.world, INFINITY));
        PxRigidState s = state_of(&room, id);
        time = px_world_time(room.world);
        x = s.place.x;
        most = fmax(most, fabs(px_length(s.place) - 0.5));
        if (x * before > 0)
            continue;
        last = then + (time - then) * before / (before - x);
        first = crossings++ == 0 ? last : first;
    }
    px_world_free(room.world);
    CHECK(most < 1e-3);
    double inertia = (1 + 0.01) / 12.0 + 0.25; /* about the joint, per mass */
    double period = 2 * M_PI * sqrt(inertia / (G * 0.5)) * (1 + a * a / 16);
    return (last - first) / 4 / period;
}

TEST(pendulums_have_the_period_of_the_formula)
{
    CHECK_NEAR(swing(PX_JOINT_HINGE), 1, 1e-3);
    CHECK_NEAR(swing(PX_JOINT_BALL), 1, 1e-3);
}

TEST(a_hinge_has_a_motor_and_limits)
{
    Room room = room_make(0);
    PxBodyDef def = body_def(&room, "wheel", PX_SHAPE_CYLINDER, px_vec(0, 0, 0));
    PxBodyId id = add(&room, &def);
    PxJointDef joint = joint_def(id, PX_JOINT_HINGE, px_vec(0, 0, 0), px_vec(0, 1, 0));
    joint.speed = 3;
    joint.strength = 100;
    PxRigidState s = state_of(&room, id);
    double inertia = fmin(s.inertia.z, fmin(s.inertia.x, s.inertia.y));
    inertia = 0.5 * s.mass * 0.25; /* about its axis */
    CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
    CHECK_OK(px_world_advance(room.world, 0.5));
    CHECK_NEAR(state_of(&room, id).spin.y, fmin(3, 0.5 * 100 / inertia), 1e-6);
    double high = 90, low = -90, values[2] = {500, 5};
    CHECK_OK(px_world_set(room.world, "joints.joint.strength", &values[0], 1));
    CHECK_OK(px_world_set(room.world, "joints.joint.low", &low, 1));
    CHECK_OK(px_world_set(room.world, "joints.joint.high", &high, 1));
    CHECK_OK(px_world_advance(room.world, 4));
    s = state_of(&room, id);
    double angle = 2 * atan2(s.pose.turn.y, s.pose.turn.w) * 180 / M_PI;
    CHECK_NEAR(angle, 90, 0.5);
    CHECK(fabs(s.spin.y) < 1e-3);
    px_world_free(room.world);
}

TEST(sliders_springs_and_welds_do_what_they_should)
{
    Room room = room_make(G);
    PxBodyDef def = body_def(&room, "block", PX_SHAPE_BOX, px_vec(0, 0, 0));
    def.shape.size = px_vec(0.2, 0.2, 0.2);
    PxBodyId id = add(&room, &def);
    PxJointDef joint = joint_def(id, PX_JOINT_SLIDER, px_vec(0, 0, 0), px_vec(1, -1, 0));
    joint.low = -1;
    joint.high = 0.5;
    CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
    CHECK_OK(px_world_advance(room.world, 0.3));
    PxRigidState s = state_of(&room, id);
    CHECK_NEAR(s.place.x, -s.place.y, 1e-4);
    CHECK_NEAR(px_length(s.velocity), G * sqrt(0.5) * 0.3, 0.01);
    CHECK_OK(px_world_advance(room.world, 2));
    s = state_of(&room, id);
    CHECK_NEAR(px_length(s.place), 0.5, 1e-3);

    /* a spring: sags by m g / k */
    def.name = "weight";
    def.shape.at = px_vec(3, 0, 0);
    id = add(&room, &def);
    joint = joint_def(id, PX_JOINT_SPRING, px_vec(3, 0.1, 0), px_vec(0, 1, 0));
    joint.name = "spring";
    joint.anchor = px_vec(3, 1.1, 0);
    joint.stiffness = 1000;
    joint.damping = 100;
    CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
    CHECK_OK(px_world_advance(room.world, 5));
    s = state_of(&room, id);
    CHECK_NEAR(s.place.y, -s.mass * G / 1000, 1e-3);

    /* a weld of 8 kg that holds 100 N, and one that holds 50 N */
    for (int k = 0; k < 2; ++k) {
        def.name = k == 0 ? "held" : "dropped";
        def.shape.at = px_vec(6 + k, 0, 0);
        id = add(&room, &def);
        joint = joint_def(id, PX_JOINT_WELD, px_vec(5.5 + k, 0, 0), px_vec(0, 1, 0));
        joint.name = k == 0 ? "strong" : "weak";
        joint.breaks = k == 0 ? 100 : 50;
        CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
        CHECK_OK(px_world_advance(room.world, 6 + k));
        s = state_of(&room, id);
        if (k == 0)
            CHECK_NEAR(s.place.y, 0, 2e-3);
        else
            CHECK(s.place.y < -1);
    }
    px_world_free(room.world);
}

TEST(a_joint_to_a_wall_follows_it)
{
    /* A bob on a hinge below a wall that moves at 1 m/s, and one welded to a wall that turns. */
    Room room = room_make(G);
    PxKeyframe way[2] = {{.time = 0, .rotation = px_quat_identity()},
                         {.time = 3, .at = px_vec(3, 0, 0), .rotation = px_quat_identity()}};
    PxKeyframe turn[2] = {{.time = 0, .rotation = px_quat_identity()},
                          {.time = 2, .rotation = px_quat_turn(px_vec(0, 1, 0), M_PI / 2)}};
    PxBodyDef wall = px_body_def_default();
    PxBodyId carriage, table;
    wall.name = "carriage";
    wall.wall = true;
    wall.shape = px_shape_def_default(PX_SHAPE_BOX);
    wall.shape.size = px_vec(0.2, 0.2, 0.2);
    wall.shape.at = px_vec(0, 5, 0);
    wall.keyframe = way;
    wall.keyframes = 2;
    CHECK_OK(px_world_add_body(room.world, &wall, &carriage));
    wall.name = "table";
    wall.shape.at = px_vec(0, 0, 0);
    wall.keyframe = turn;
    CHECK_OK(px_world_add_body(room.world, &wall, &table));
    PxBodyDef def = body_def(&room, "bob", PX_SHAPE_SPHERE, px_vec(0, 4, 0));
    def.shape.radius = 0.1;
    PxBodyId bob = add(&room, &def);
    def = body_def(&room, "arm", PX_SHAPE_BOX, px_vec(0.7, 0, 0));
    def.shape.size = px_vec(1, 0.1, 0.1);
    PxBodyId arm = add(&room, &def);
    PxJointDef joint = joint_def(bob, PX_JOINT_BALL, px_vec(0, 5, 0), px_vec(0, 0, 1));
    joint.to = carriage;
    CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
    joint = joint_def(arm, PX_JOINT_WELD, px_vec(0.2, 0, 0), px_vec(0, 1, 0));
    joint.name = "weld";
    joint.to = table;
    CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
    double far = 0;
    for (int k = 1; k <= 20; ++k) {
        CHECK_OK(px_world_advance(room.world, 0.1 * k));
        PxVec3 pivot = px_vec(0.1 * k, 5, 0);
        far = fmax(far, fabs(px_length(px_sub(state_of(&room, bob).place, pivot)) - 1));
    }
    CHECK(far < 2e-3);
    PxRigidState s = state_of(&room, arm);
    CHECK_NEAR(px_length(px_sub(s.place, px_vec(0, 0, -0.7))), 0, 0.01);
    CHECK_NEAR(s.spin.y, M_PI / 4, 0.02);
    px_world_free(room.world);
}

TEST(a_chain_of_joints_continues_with_the_same_bits)
{
    PxRigidState last[2];
    for (int run = 0; run < 2; ++run) {
        Room room = room_make(G);
        PxBodyId id[5] = {{0, 0}};
        static const char *const name[] = {"a", "b", "c", "d", "e"};
        for (int k = 0; k < 5; ++k) {
            PxBodyDef def = body_def(&room, name[k], PX_SHAPE_CAPSULE, px_vec(0.3 * k, 0, 0));
            def.shape.radius = 0.05;
            def.shape.height = 0.2;
            def.shape.rotation = px_quat_turn(px_vec(0, 0, 1), M_PI / 2);
            id[k] = add(&room, &def);
            PxJointDef joint =
                joint_def(id[k], PX_JOINT_BALL, px_vec(0.3 * k - 0.15, 0, 0), px_vec(0, 1, 0));
            joint.name = name[k];
            joint.to = k > 0 ? id[k - 1] : joint.to;
            CHECK_OK(px_world_add_joint(room.world, &joint, NULL));
        }
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_world_advance(room.world, 0.4));
        if (run == 1)
            CHECK_OK(px_world_save(room.world, &saved));
        CHECK_OK(px_world_advance(room.world, 0.8));
        if (run == 1) {
            CHECK_OK(px_world_restore(room.world, saved));
            CHECK_OK(px_world_advance(room.world, 0.8));
        }
        last[run] = state_of(&room, id[4]);
        /* no link is longer than 0.3 m */
        CHECK(px_length(px_sub(last[run].place, px_vec(-0.15, 0, 0))) < 5 * 0.3);
        px_saved_free(saved);
        px_world_free(room.world);
    }
    same_state(last[0], last[1]);
}

TEST(bad_joints_are_refused)
{
    Room room = room_make(G);
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0, 0));
    PxBodyId id = add(&room, &def);
    PxJointDef joint = joint_def(id, PX_JOINT_BALL, px_vec(100, 0, 0), px_vec(0, 1, 0));
    CHECK_FAILS(px_world_add_joint(room.world, &joint, NULL), PX_ERR_ARGUMENT, "is 100 m from");
    joint.at = px_vec(0, 0, 0);
    joint.to = id;
    CHECK_FAILS(px_world_add_joint(room.world, &joint, NULL), PX_ERR_ARGUMENT, "to itself");
    joint.to = (PxBodyId){0, 0};
    joint.body = joint.to;
    CHECK_FAILS(px_world_add_joint(room.world, &joint, NULL), PX_ERR_ARGUMENT, "");
    px_world_free(room.world);
}

/* ---- fluids ---- */

static void add_water(Room *room, PxVec3 size, PxVec3 at, PxVec3 velocity)
{
    PxBodyDef def = px_body_def_default();
    def.name = "pool";
    def.material = room->water;
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = size;
    def.shape.at = at;
    def.velocity = velocity;
    CHECK_OK(px_world_add_body(room->world, &def, NULL));
}

/* A tank of 0.4 x 0.4 m with water 0.2 m deep. */
static void add_tank(Room *room)
{
    CHECK_OK(px_rigid_room_tank(room, px_vec(0.4, 0.8, 0.4), 0.2));
}

TEST(water_and_a_body_that_it_hits_keep_their_momentum)
{
    static const char *const model[] = {"dfsph", "flip"};
    for (int k = 0; k < 2; ++k) {
        Room room = pool_of(model[k], 0.04, 300, 0, 2);
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
        double lost = px_length(px_sub(turn, before.angular_momentum));
        if (k == 0) /* the grid does not keep it: 5 cells of water lose 0.57 of the body's */
            CHECK_NEAR(lost / px_length(s.angular_momentum), 0, 0.02);
        px_world_free(room.world);
    }
}

/* Depth to which a box 0.1 m high sinks, over that of Archimedes; *speed is that at the end. */
static double floats(double density, double *speed)
{
    Room room = pool_of("dfsph", 0.02, density, G, 2);
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

TEST(a_light_body_sticks_to_honey_without_overshoot)
{
    /* With the drag of the step before it turned at 8 rad/s after a second. */
    Room room;
    PxRigidRoomDef wanted = px_rigid_room_def();
    wanted.spacing = 0.04;
    wanted.density = 10;
    wanted.viscosity = 10;
    CHECK_OK(px_rigid_room(&room, &wanted));
    add_tank(&room);
    PxBodyDef def = body_def(&room, "box", PX_SHAPE_BOX, px_vec(0, 0.27, 0));
    def.shape.size = px_vec(0.16, 0.1, 0.16);
    def.friction = 1;
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 0.8));
    PxRigidState s = state_of(&room, id);
    CHECK(px_length(s.velocity) < 0.05); /* bobs at 0.036 m/s at most while it settles */
    CHECK(px_length(s.spin) < 0.2);
    px_world_free(room.world);
}

/* Friction of the ball and a long step: viscosity must not act on a fluid that falls by g dt. */
TEST(a_ball_held_in_syrup_at_rest_feels_the_weight_that_it_displaces)
{
    Room room;
    PxRigidRoomDef wanted = px_rigid_room_def();
    wanted.spacing = 0.02;
    wanted.viscosity = 100;
    wanted.pressure = "flip";
    wanted.threads = 2;
    CHECK_OK(px_rigid_room(&room, &wanted));
    CHECK_OK(px_rigid_room_tank(&room, px_vec(0.36, 0.5, 0.36), 0.28));
    PxKeyframe key = {.time = 0, .rotation = px_quat_identity()};
    PxBodyDef def = body_def(&room, "ball", PX_SHAPE_SPHERE, px_vec(0, 0.14, 0));
    def.shape.radius = 0.05;
    def.friction = 1;
    def.keyframe = &key;
    def.keyframes = 1;
    def.release = 1e9;
    PxBodyId id = add(&room, &def);
    CHECK_OK(px_world_advance(room.world, 0.3));
    PxVec3 force, torque, sum = {0, 0, 0};
    double time = px_world_time(room.world), begin = time;
    while (time < 0.5) {
        CHECK_OK(px_world_step(room.world, INFINITY));
        CHECK_OK(px_world_boundary_force(room.world, id, &force, &torque));
        sum = px_mad(sum, force, px_world_time(room.world) - time);
        time = px_world_time(room.world);
    }
    double weight = state_of(&room, id).mass * G;         /* stone has the density of the syrup */
    CHECK_NEAR(sum.y / (time - begin) / weight, 1, 0.05); /* 0.967 after 0.5 s */
    px_world_free(room.world);
}

PHYSICS(heavy_bodies_sink_to_the_floor_of_a_tank)
{
    for (int k = 0; k < 3; ++k) {
        Room room = pool_make(0.04, 20000, G, 2);
        add_tank(&room);
        const PxShapeKind kind[3] = {PX_SHAPE_BOX, PX_SHAPE_SPHERE, PX_SHAPE_CYLINDER};
        PxBodyDef def = body_def(&room, "weight", kind[k], px_vec(0.03, 0.33, 0));
        def.shape.size = px_vec(0.16, 0.1, 0.16);
        def.shape.radius = def.shape.height = 0.08;
        PxBodyId id = add(&room, &def);
        PxStats stats;
        CHECK_OK(px_world_advance(room.world, 0.9)); /* the cylinder tips over and rolls */
        px_world_stats(room.world, &stats);
        PxRigidState s = state_of(&room, id);
        CHECK(s.place.y < 0.15 && s.place.y > 0);
        CHECK(fabs(s.velocity.y) < 0.1);
        CHECK_EQUAL(stats.leaked, 0);
        px_world_free(room.world);
    }
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
    same_state(last[0], last[1]);
    same_state(last[0], last[2]);
}

TEST(bad_rigid_bodies_are_refused)
{
    Room room = room_make(G);
    add_plane(&room, px_vec(0, 1, 0), 0.5);
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
