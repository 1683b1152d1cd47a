/// Gauges: what they read, how they average, that they disturb nothing.
#include "check.h"

#include "base/fail.h"
#include "phyxel/world.h"

#include <math.h>
#include <stdlib.h>

#define G 9.81

typedef struct Set {
    PxWorld *world;
    PxBodyId water, tank;
} Set;

/* Water 0.3 m deep in a tank 0.2 m wide, spacing 2.5 cm. */
static Set make_tank(int threads, PxVec3 gravity)
{
    Set set = {0};
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.025;
    def.gravity = gravity;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &set.world));
    PxMaterialDef water = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    CHECK_OK(px_world_add_material(set.world, &water, &body.material));
    body.name = "water";
    body.shape.size = (PxVec3){0.2, 0.3, 0.2};
    body.shape.at = (PxVec3){0, 0.15, 0};
    body.spin = gravity.y == 0 ? (PxVec3){0.1, 0.3, 0.2} : (PxVec3){0, 0, 0};
    CHECK_OK(px_world_add_body(set.world, &body, &set.water));
    PxBodyDef tank = px_body_def_default();
    tank.name = "tank";
    tank.wall = tank.inside = true;
    tank.shape.size = (PxVec3){0.2, 0.6, 0.2};
    tank.shape.at = (PxVec3){0, 0.3, 0};
    CHECK_OK(px_world_add_body(set.world, &tank, &set.tank));
    return set;
}

static PxGaugeDef point(const char *name, PxGaugeQuantity what, PxVec3 at)
{
    PxGaugeDef def = px_gauge_def_default();
    def.name = name;
    def.measures = what;
    def.at = at;
    return def;
}

static PxGaugeDef whole(const char *name, PxGaugeQuantity what, PxBodyId body)
{
    PxGaugeDef def = point(name, what, (PxVec3){0, 0, 0});
    def.place = PX_GAUGE_WHOLE;
    def.body = body;
    return def;
}

static PxGaugeId add(PxWorld *world, PxGaugeDef def, double over, double every)
{
    PxGaugeId id;
    def.over = over;
    def.every = every;
    CHECK_OK(px_world_add_gauge(world, &def, &id));
    return id;
}

/* Value k of the last sample. */
static double value_of(const PxWorld *world, PxGaugeId id, size_t k)
{
    double value[64];
    PxGaugeSample sample;
    CHECK_OK(px_world_read_gauge(world, id, value, 64, &sample));
    CHECK(k < sample.values);
    return value[k];
}

static const PxVec3 down = {0, -G, 0};

static void check_refused(PxWorld *world, PxGaugeDef def, const char *words)
{
    PxGaugeId id = {7, 7};
    CHECK_FAILS(px_world_add_gauge(world, &def, &id), PX_ERR_ARGUMENT, words);
    CHECK(id.slot == 0 && id.generation == 0);
}

/* ---- fields -------------------------------------------------------------------------------- */

TEST(a_linear_field_is_read_exactly_also_at_walls_in_corners_and_at_the_surface)
{
    /* velocity = spin x (x - middle) at the start; one short step */
    Set set = make_tank(1, (PxVec3){0, 0, 0});
    static const PxVec3 at[] = {{0.013, 0.111, -0.02}, {0.1, 0.15, 0},     {0, 0, 0},
                                {0.1, 0, -0.1},        {-0.1, 0.299, 0.1}, {0.01, 0.298, 0}};
    PxGaugeId id[PX_COUNT(at)];
    for (size_t k = 0; k < PX_COUNT(at); ++k) {
        char name[8] = {(char)('a' + k)};
        id[k] = add(set.world, point(name, PX_GAUGE_VELOCITY, at[k]), 1e-5, 1e-5);
    }
    PxGaugeId out =
        add(set.world, point("out", PX_GAUGE_VELOCITY, (PxVec3){0, 0.32, 0}), 1e-5, 1e-5);
    CHECK_OK(px_world_step(set.world, 1e-5));
    for (size_t k = 0; k < PX_COUNT(at); ++k) {
        PxVec3 spin = {0.1, 0.3, 0.2}, arm = {at[k].x, at[k].y - 0.15, at[k].z};
        PxVec3 v = {spin.y * arm.z - spin.z * arm.y, spin.z * arm.x - spin.x * arm.z,
                    spin.x * arm.y - spin.y * arm.x};
        /* rounding of float positions and velocities, and FLAT in gauge_field.c */
        CHECK_NEAR(value_of(set.world, id[k], 0), v.x, 2e-6);
        CHECK_NEAR(value_of(set.world, id[k], 1), v.y, 2e-6);
        CHECK_NEAR(value_of(set.world, id[k], 2), v.z, 2e-6);
    }
    CHECK(isnan(value_of(set.world, out, 0)));
    px_world_free(set.world);
}

TEST(lines_and_planes_have_their_points_where_they_say)
{
    Set set = make_tank(1, (PxVec3){0, 0, 0});
    PxGaugeDef line = point("line", PX_GAUGE_VELOCITY, (PxVec3){0, 0.05, 0});
    line.place = PX_GAUGE_LINE;
    line.to = (PxVec3){0, 0.45, 0};
    line.samples = 5;
    PxGaugeDef plane = point("plane", PX_GAUGE_VELOCITY, (PxVec3){0.05, 0.3, 0});
    plane.place = PX_GAUGE_PLANE;
    plane.normal = (PxVec3){0, 0, 2};
    plane.width = 0.1;
    plane.height = 0.4;
    plane.samples = 20;
    PxGaugeId a = add(set.world, line, 1e-5, 1e-5), b = add(set.world, plane, 1e-5, 1e-5);
    CHECK_OK(px_world_step(set.world, 1e-5));
    for (size_t k = 0; k < 5; ++k) { /* at x = z = 0: v_x = - spin_z (y - 0.15) */
        double y = 0.05 + 0.1 * (double)k, v = value_of(set.world, a, 3 * k);
        CHECK(y < 0.3 ? fabs(v + 0.2 * (y - 0.15)) < 2e-6 : isnan(v));
    }
    /* only the lower half of the plane, 0.1 to 0.3 m, is in the water: mean height 0.2 m */
    CHECK_NEAR(value_of(set.world, b, 0), -0.2 * 0.05, 2e-6);
    CHECK_NEAR(value_of(set.world, b, 1), 0.2 * 0.05, 2e-6);
    char name[96];
    const char *unit;
    CHECK_OK(px_world_gauge_column(set.world, a, 7, name, &unit));
    CHECK_TEXT(name, "line.3.y");
    CHECK_TEXT(unit, "m/s");
    CHECK_FAILS(px_world_gauge_column(set.world, a, 15, name, &unit), PX_ERR_ARGUMENT, "15 values");
    px_world_free(set.world);
}

PHYSICS(still_water_is_read_right)
{
    /* Measured from 1 s to 1.5 s: pressure 1.0074, forces 1.00007 m g, level 0.2989 m where twice
     * the height of the centre of mass is 0.2977 m; wanted within a tenth of a spacing. */
    Set set = make_tank(1, down);
    PxWorld *w = set.world;
    PxGaugeId half = add(w, point("half", PX_GAUGE_PRESSURE, (PxVec3){0, 0.15, 0}), 0.5, 0.5);
    PxGaugeId level = add(w, point("level", PX_GAUGE_LEVEL, (PxVec3){0, 0, 0}), 0.5, 0.5);
    PxGaugeId lower = add(w, point("lower", PX_GAUGE_LEVEL, (PxVec3){0, 0.5, 0}), 0.5, 0.5);
    PxGaugeId load = add(w, whole("load", PX_GAUGE_FORCE, set.tank), 0.5, 0.5);
    PxGaugeId on = add(w, whole("on water", PX_GAUGE_FORCE, set.water), 0.5, 0.5);
    PxGaugeDef plane = point("through", PX_GAUGE_FLUX, (PxVec3){0, 0.15, 0});
    plane.place = PX_GAUGE_PLANE;
    plane.width = plane.height = 0.2;
    PxGaugeId flux = add(w, plane, 0.5, 0.5);
    CHECK_OK(px_world_advance(w, 1.5));
    PxStats stats;
    px_world_stats(w, &stats);
    double top = 2 * stats.potential / (stats.mass * G);
    CHECK_NEAR(value_of(w, half, 0) / (1000 * G * (top - 0.15)), 1, 0.02);
    CHECK_NEAR(value_of(w, level, 0), top, 2.5e-3);
    CHECK_NEAR(value_of(w, lower, 0), value_of(w, level, 0) - 0.5, 1e-4);
    CHECK_NEAR(value_of(w, load, 1) / (stats.mass * G), -1, 0.002);
    CHECK_NEAR(value_of(w, on, 1) / (stats.mass * G), 1, 0.002);
    CHECK_NEAR(value_of(w, flux, 1), 0, 0.2); /* kg/s: a layer, 1 kg, shifts by some mm */
    px_world_free(w);
}

/* ---- means --------------------------------------------------------------------------------- */

TEST(a_mean_is_weighted_by_time_and_its_ends_need_no_steps_there)
{
    Set set = make_tank(1, down);
    PxWorld *w = set.world;
    const double every = 0.0131, over = 0.0077;
    PxGaugeId id = add(w, whole("v", PX_GAUGE_VELOCITY, set.water), over, every);
    double sum = 0, end = every;
    uint64_t seen = 0;
    while (px_world_time(w) < 0.06) {
        double from = px_world_time(w);
        CHECK_OK(px_world_step(w, 0.06));
        PxStats stats;
        px_world_stats(w, &stats);
        double to = px_world_time(w), v = stats.momentum.y / stats.mass;
        double part = fmin(to, end) - fmax(from, end - over);
        sum += part > 0 ? part * v : 0;
        if (to < end)
            continue;
        PxGaugeSample sample;
        double value[3];
        CHECK_OK(px_world_read_gauge(w, id, value, 3, &sample));
        CHECK_EQUAL(sample.number, ++seen);
        CHECK_NEAR(sample.time, end, 1e-12);
        CHECK_NEAR(value[1], sum / over, 1e-9);
        end += every;
        part = to - fmax(from, end - over);
        sum = part > 0 ? part * v : 0;
    }
    CHECK(seen == 4);
    px_world_free(w);
}

/* A gauge of every kind that a tank has. */
static size_t add_all(Set *set, PxGaugeId *id)
{
    PxWorld *w = set->world;
    size_t n = 0;
    id[n++] = add(w, point("p", PX_GAUGE_PRESSURE, (PxVec3){0.02, 0.1, 0}), 0.004, 0.005);
    id[n++] = add(w, point("l", PX_GAUGE_LEVEL, (PxVec3){0.02, 0.1, 0}), 0.004, 0.005);
    id[n++] = add(w, whole("f", PX_GAUGE_FORCE, set->tank), 0.004, 0.005);
    id[n++] = add(w, whole("g", PX_GAUGE_FORCE, set->water), 0.004, 0.005);
    id[n++] = add(w, whole("e", PX_GAUGE_ENERGY, set->water), 0.004, 0.005);
    id[n++] = add(w, whole("m", PX_GAUGE_MOMENTUM, set->water), 0.004, 0.005);
    PxGaugeDef plane = point("q", PX_GAUGE_FLUX, (PxVec3){0, 0.15, 0});
    plane.place = PX_GAUGE_PLANE;
    plane.width = plane.height = 0.2;
    id[n++] = add(w, plane, 0.004, 0.005);
    return n;
}

static void check_same(const PxWorld *a, const PxWorld *b, const PxGaugeId *id, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        double x[8], y[8];
        PxGaugeSample s, t;
        CHECK_OK(px_world_read_gauge(a, id[k], x, 8, &s));
        CHECK_OK(px_world_read_gauge(b, id[k], y, 8, &t));
        CHECK(s.time == t.time && s.number == t.number && s.values == t.values && s.number > 0);
        CHECK(memcmp(x, y, s.values * sizeof *x) == 0);
    }
}

TEST(samples_have_the_same_bits_for_any_threads_and_after_going_back)
{
    Set one = make_tank(1, down), three = make_tank(3, down);
    PxGaugeId id[8];
    size_t n = add_all(&one, id);
    add_all(&three, id);
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_world_advance(one.world, 0.013)); /* within a mean */
    CHECK_OK(px_world_advance(three.world, 0.013));
    CHECK_OK(px_world_save(three.world, &saved));
    CHECK_OK(px_world_advance(three.world, 0.02));
    CHECK_OK(px_world_restore(three.world, saved));
    px_saved_free(saved);
    CHECK_OK(px_world_advance(one.world, 0.04));
    CHECK_OK(px_world_advance(three.world, 0.04));
    check_same(one.world, three.world, id, n);
    px_world_free(one.world);
    px_world_free(three.world);
}

TEST(gauges_do_not_change_what_they_measure)
{
    Set with = make_tank(2, down), without = make_tank(2, down);
    PxGaugeId id[8];
    add_all(&with, id);
    CHECK_OK(px_world_advance(with.world, 0.05));
    CHECK_OK(px_world_advance(without.world, 0.05));
    size_t size = px_world_count(with.world) * sizeof(float);
    for (int c = 0; c < 3; ++c)
        CHECK(memcmp(px_world_floats(with.world, "position", c),
                     px_world_floats(without.world, "position", c), size) == 0);
    px_world_free(with.world);
    px_world_free(without.world);
}

TEST(energy_and_momentum_of_the_only_body_are_those_of_the_statistics)
{
    Set set = make_tank(1, down);
    PxWorld *w = set.world;
    PxGaugeId energy = add(w, whole("e", PX_GAUGE_ENERGY, set.water), 1e-5, 0.02);
    PxGaugeId momentum = add(w, whole("m", PX_GAUGE_MOMENTUM, set.water), 1e-5, 0.02);
    CHECK_OK(px_world_advance(w, 0.02));
    PxStats s;
    px_world_stats(w, &s);
    CHECK_NEAR(value_of(w, energy, 0), s.kinetic, 1e-12 + 1e-9 * s.kinetic);
    CHECK_NEAR(value_of(w, energy, 1), s.potential, 1e-9 * s.potential);
    CHECK_NEAR(value_of(w, momentum, 1), s.momentum.y, 1e-9);
    CHECK_NEAR(value_of(w, momentum, 3), s.angular_momentum.x, 1e-9);
    px_world_free(w);
}

TEST(a_rigid_body_that_is_thrown_has_the_velocity_momentum_and_energy_of_free_fall)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *w;
    def.spacing = 0.02;
    def.max_step = 0.005;
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &w));
    PxMaterialDef iron = px_material_def_default();
    iron.density = 2000;
    PxBodyDef body = px_body_def_default();
    PxBodyId brick;
    CHECK_OK(px_world_add_material(w, &iron, &body.material));
    body.name = "brick";
    body.rigid = true;
    body.shape.size = (PxVec3){0.2, 0.05, 0.1};
    body.shape.at = (PxVec3){0, 0.5, 0};
    body.velocity = (PxVec3){1, 2, 0};
    body.spin = (PxVec3){0, 3, 0};
    CHECK_OK(px_world_add_body(w, &body, &brick));
    PxGaugeId velocity = add(w, whole("v", PX_GAUGE_VELOCITY, brick), 1e-5, 0.2);
    PxGaugeId momentum = add(w, whole("m", PX_GAUGE_MOMENTUM, brick), 1e-5, 0.2);
    PxGaugeId energy = add(w, whole("e", PX_GAUGE_ENERGY, brick), 1e-5, 0.2);
    PxGaugeId force = add(w, whole("f", PX_GAUGE_FORCE, brick), 1e-5, 0.2);
    CHECK_OK(px_world_advance(w, 0.2));
    PxRigidState now;
    CHECK_OK(px_world_rigid_state(w, brick, &now));
    double m = 2, fall = 2 - 0.2 * G, inertia = m * (0.04 + 0.01) / 12;
    double height = now.place.y;
    CHECK_NEAR(value_of(w, velocity, 0), 1, 1e-9);
    CHECK_NEAR(value_of(w, velocity, 1), fall, 1e-9);
    CHECK_NEAR(value_of(w, momentum, 1), m * fall, 1e-9);
    CHECK_NEAR(value_of(w, momentum, 4), 3 * inertia, 1e-9);
    CHECK_NEAR(value_of(w, momentum, 5), m * (now.place.x * fall - height), 1e-9);
    CHECK_NEAR(value_of(w, energy, 0), 0.5 * (m * (1 + fall * fall) + 9 * inertia), 1e-9);
    CHECK_NEAR(value_of(w, energy, 1), m * G * height, 1e-9);
    CHECK_NEAR(value_of(w, energy, 2), 0, 0);
    CHECK_NEAR(value_of(w, force, 1), 0, 1e-9);
    check_refused(w, whole("t", PX_GAUGE_TEMPERATURE, brick), "is rigid");
    px_world_free(w);
}

/* ---- solids, heat, flux -------------------------------------------------------------------- */

TEST(a_handle_carries_what_hangs_on_it)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *w;
    def.spacing = 0.02;
    def.max_step = 0.005;
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &w));
    PxMaterialDef rubber = px_material_def_default();
    rubber.young = 1e5;
    rubber.damping = 60;
    PxBodyDef body = px_body_def_default();
    PxBodyId bar;
    CHECK_OK(px_world_add_material(w, &rubber, &body.material));
    body.name = "bar";
    body.shape.size = (PxVec3){0.06, 0.2, 0.06};
    body.shape.at = (PxVec3){0.1, 0, 0};
    CHECK_OK(px_world_add_body(w, &body, &bar));
    PxHandleDef grip = px_handle_def_default();
    grip.name = "grip";
    grip.shape.size = (PxVec3){0.1, 0.05, 0.1};
    grip.shape.at = (PxVec3){0.1, 0.1, 0};
    PxGaugeDef force = point("force", PX_GAUGE_FORCE, (PxVec3){0, 0, 0});
    CHECK_OK(px_world_add_handle(w, &grip, &force.handle));
    force.place = PX_GAUGE_WHOLE;
    PxGaugeId on = add(w, force, 0.1, 0.5),
              energy = add(w, whole("e", PX_GAUGE_ENERGY, bar), 0.001, 0.5);
    CHECK_OK(px_world_advance(w, 0.5));
    PxStats s;
    px_world_stats(w, &s);
    double weight = s.mass * G;
    /* it still vibrates a little; measured 0.9999 and the torque of the weight 0.1 m off the axis
     */
    CHECK_NEAR(value_of(w, on, 1) / weight, -1, 0.002);
    CHECK_NEAR(value_of(w, on, 5) / (0.1 * weight), -1, 0.002);
    CHECK_NEAR(value_of(w, on, 0) / weight, 0, 1e-3);
    CHECK_NEAR(value_of(w, energy, 2) / s.elastic, 1, 0.01);
    CHECK(s.elastic > 0);
    px_world_free(w);
}

TEST(heat_of_walls_and_heaters_adds_up_to_the_balance)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *w;
    def.spacing = 0.01;
    def.gravity = (PxVec3){0, 0, 0};
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &w));
    PxMaterialDef metal = px_material_def_default();
    metal.young = 1e5;
    metal.diffusivity = 1e-3;
    PxBodyDef body = px_body_def_default();
    CHECK_OK(px_world_add_material(w, &metal, &body.material));
    body.name = "bar";
    body.shape.size = (PxVec3){0.2, 0.04, 0.04};
    CHECK_OK(px_world_add_body(w, &body, NULL));
    PxGaugeId id[4];
    for (int k = 0; k < 2; ++k) {
        PxBodyDef wall = px_body_def_default();
        PxBodyId of;
        wall.name = k == 0 ? "hot" : "cold";
        wall.wall = wall.warm = true;
        wall.temperature = k == 0 ? 120 : -20;
        wall.shape.size = (PxVec3){0.1, 0.2, 0.2};
        wall.shape.at = (PxVec3){k == 0 ? -0.15 : 0.15, 0, 0};
        CHECK_OK(px_world_add_body(w, &wall, &of));
        id[k] = add(w, whole(k == 0 ? "a" : "b", PX_GAUGE_HEAT, of), 0.5, 0.5);
    }
    for (int k = 0; k < 2; ++k) {
        PxHeaterDef heater = px_heater_def_default();
        PxGaugeDef gauge = whole(k == 0 ? "c" : "d", PX_GAUGE_HEAT, (PxBodyId){0, 0});
        heater.name = k == 0 ? "lamp" : "clamp";
        heater.holds = k == 1;
        heater.power = 50;
        heater.temperature = 60;
        heater.shape.size = (PxVec3){0.02, 0.2, 0.2};
        heater.shape.at = (PxVec3){0.05 * k, 0, 0};
        CHECK_OK(px_world_add_heater(w, &heater, &gauge.heater));
        id[2 + k] = add(w, gauge, 0.5, 0.5);
    }
    CHECK_OK(px_world_advance(w, 0.5));
    PxStats s;
    px_world_stats(w, &s);
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += 0.5 * value_of(w, id[k], 0);
    CHECK_NEAR(sum / s.heat_in, 1, 1e-6); /* parts of walls are floats */
    CHECK_NEAR(value_of(w, id[2], 0), 50, 1e-6);
    CHECK(value_of(w, id[0], 0) > 0 && value_of(w, id[1], 0) < 0 && value_of(w, id[3], 0) > 0);
    px_world_free(w);
}

TEST(the_flux_of_a_jet_is_the_rate_of_its_emitter)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *w;
    def.spacing = 0.02;
    def.gravity = (PxVec3){0, 0, 0};
    def.threads = 1;
    CHECK_OK(px_world_create(&def, &w));
    PxMaterialDef water = px_material_def_default();
    PxEmitterDef tap = px_emitter_def_default();
    CHECK_OK(px_world_add_material(w, &water, &tap.material));
    tap.name = "tap";
    tap.shape = px_shape_def_default(PX_SHAPE_BOX);
    tap.shape.size = (PxVec3){0.1, 0.1, 0.1};
    tap.direction = (PxVec3){1, 0, 0};
    tap.rate = 0.01;
    CHECK_OK(px_world_add_emitter(w, &tap, NULL));
    PxGaugeDef plane = point("all", PX_GAUGE_FLUX, (PxVec3){0.15, 0, 0});
    plane.place = PX_GAUGE_PLANE;
    plane.normal = (PxVec3){-3, 0, 0};
    plane.width = plane.height = 0.4;
    PxGaugeId all = add(w, plane, 0.3, 0.6);
    plane.name = "half";
    plane.at.y = 0.2; /* its lower edge is in the middle of the jet */
    PxGaugeId half = add(w, plane, 0.3, 0.6);
    CHECK_OK(px_world_advance(w, 0.6));
    /* 1 m/s: 15 layers pass in 0.3 s, each gradually */
    CHECK_NEAR(value_of(w, all, 0), -0.01, 0.01 * 0.01);
    CHECK_NEAR(value_of(w, all, 1), -10, 0.01 * 10);
    CHECK_NEAR(value_of(w, half, 0), -0.005, 0.02 * 0.005);
    px_world_free(w);
}

/* ---- adding, moving, removing -------------------------------------------------------------- */

TEST(gauges_are_added_moved_and_removed_in_a_living_world)
{
    Set set = make_tank(1, down);
    PxWorld *w = set.world;
    PxGaugeId a = add(w, point("a", PX_GAUGE_PRESSURE, (PxVec3){0, 0.4, 0}), 0.01, 0.01);
    CHECK(isnan(value_of(w, a, 0)));
    CHECK_OK(px_world_advance(w, 0.01));
    CHECK(isnan(value_of(w, a, 0)));
    CHECK_OK(px_world_move_gauge(w, a, (PxVec3){0, 0.1, 0}));
    CHECK_OK(px_world_advance(w, 0.02));
    double deep = value_of(w, a, 0);
    CHECK(deep > 1000);
    const double up[3] = {0, 0.2, 0};
    CHECK_OK(px_world_set(w, "gauges.a.at", up, 3));
    CHECK_OK(px_world_advance(w, 0.03));
    CHECK(value_of(w, a, 0) < 0.8 * deep && value_of(w, a, 0) > 0);
    CHECK_FAILS(px_world_move_gauge(w, a, (PxVec3){0, -1, 0}), PX_ERR_ARGUMENT, "wall 'tank'");
    const double in[3] = {0, -1, 0};
    CHECK_FAILS(px_world_set(w, "gauges.a.at", in, 3), PX_ERR_ARGUMENT, "wall 'tank'");
    PxGaugeId b = add(w, whole("b", PX_GAUGE_ENERGY, set.water), 0.01, 0.01);
    CHECK_FAILS(px_world_move_gauge(w, b, (PxVec3){0, 0, 0}), PX_ERR_ARGUMENT, "no place");
    CHECK_OK(px_world_advance(w, 0.05));
    CHECK(value_of(w, b, 1) > 0);
    CHECK_OK(px_world_remove_body(w, set.water));
    CHECK_OK(px_world_advance(w, 0.07));
    CHECK(isnan(value_of(w, b, 1)) && isnan(value_of(w, a, 0)));
    CHECK_OK(px_world_remove_gauge(w, b));
    PxGaugeSample sample;
    CHECK_FAILS(px_world_read_gauge(w, b, NULL, 0, &sample), PX_ERR_ARGUMENT, "gauge");
    PxGaugeId c = add(w, point("b", PX_GAUGE_LEVEL, (PxVec3){0, 0, 0}), 0.01, 0.01);
    CHECK(c.slot == b.slot && c.generation != b.generation);
    px_world_free(w);
}

TEST(gauges_that_cannot_measure_are_refused)
{
    Set set = make_tank(1, down);
    PxWorld *w = set.world;
    PxGaugeDef good = point("g", PX_GAUGE_PRESSURE, (PxVec3){0, 0.1, 0}), def = good;
    def.at.x = 0.2;
    check_refused(w, def, "0.1 m inside the wall 'tank'");
    def = good;
    def.measures = PX_GAUGE_FLUX;
    check_refused(w, def, "flux cannot be measured at a point");
    def.place = PX_GAUGE_PLANE;
    def.normal = (PxVec3){0, 0, 0};
    check_refused(w, def, "normal");
    def.normal.y = 1;
    def.width = 0;
    check_refused(w, def, "width");
    check_refused(w, whole("e", PX_GAUGE_ENERGY, set.tank), "is a wall, which has no matter");
    check_refused(w, whole("h", PX_GAUGE_HEAT, set.tank), "without a temperature");
    check_refused(w, whole("n", PX_GAUGE_ENERGY, (PxBodyId){0, 0}), "0 things");
    check_refused(w, whole("s", PX_GAUGE_ENERGY, (PxBodyId){9, 1}), "body");
    def = good;
    def.over = 1;
    def.every = 0.5;
    check_refused(w, def, "longer than the time between samples");
    def = good;
    def.at.y = NAN;
    check_refused(w, def, "at");
    def = good;
    def.name = "a,b";
    check_refused(w, def, "comma");
    def = good;
    def.measures = (PxGaugeQuantity)99;
    check_refused(w, def, "measures is 99");
    add(w, good, 0.1, 0.1);
    check_refused(w, good, "'g'");
    px_world_free(w);
}

TEST_MAIN()
