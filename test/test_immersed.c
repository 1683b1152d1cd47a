/* Rigid bodies in water whose pressure is solved for on a grid (fluid/pressure/mac_yield.h). */
#include "check.h"

#include "phyxel/phyxel.h"
#include "text_world.h"

#include <math.h>
#include <stdio.h>

/* A tank of 0.5 x 0.5 m with water 0.34 m deep, which makes room for the bodies. */
static PxWorld *tank_with(const char *bodies, double spacing, int threads)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "{\"phyxel\": 1, \"name\": \"t\", \"time\": {\"frames\": 1, \"fps\": 30}, \"spacing\": %g,"
        "\"materials\": {\"water\": {\"density\": 1000, \"viscosity\": 0.001, \"pressure\": "
        "\"flip\"},"
        "\"wood\": {\"density\": 800}, \"cork\": {\"density\": 100}},"
        "\"bodies\": [{\"name\": \"tank\", \"wall\": true, \"inside\": true,"
        "\"shape\": {\"box\": [0.5, 0.8, 0.5], \"at\": [0, 0.4, 0]}},"
        "{\"name\": \"pool\", \"material\": \"water\","
        "\"shape\": {\"box\": [0.5, 0.34, 0.5], \"at\": [0, 0.17, 0]}}, %s]}",
        spacing, bodies);
    return world_of(text, threads);
}

static PxBodyId body_of(PxWorld *world, const char *name)
{
    PxBodyId id;
    CHECK_OK(px_world_find_body(world, name, &id));
    return id;
}

static double height_of(PxWorld *world, const char *name)
{
    PxRigidState s;
    CHECK_OK(px_world_rigid_state(world, body_of(world, name), &s));
    return s.place.y;
}

/* Lift of a body that is held below the surface, over that of Archimedes. */
static double lift(const char *shape, double volume, double height)
{
    char body[256];
    snprintf(body, sizeof body,
             "{\"name\": \"held\", \"wall\": true, \"shape\": {%s, \"at\": [0.013, %g, 0.007]}}",
             shape, height);
    PxWorld *world = tank_with(body, 0.02, 2);
    PxVec3 force, torque;
    double sum = 0;
    CHECK_OK(px_world_advance(world, 0.35));
    for (int k = 1; k <= 15; ++k) {
        CHECK_OK(px_world_advance(world, 0.35 + 0.02 * k));
        CHECK_OK(px_world_boundary_force(world, body_of(world, "held"), &force, &torque));
        sum += force.y / 15;
    }
    px_world_free(world);
    return sum / (1000 * 9.81 * volume);
}

PHYSICS(bodies_are_lifted_by_the_water_that_they_displace)
{
    /* Wherever their surfaces cut the cells, 10 of which are as wide as they are. With the
     * pressure of the cells' centres instead of that at the body, 12 cells: 0.94 (ball), 0.96
     * (box), 1.03 (cylinder). */
    for (int k = 0; k < 2; ++k)
        CHECK_NEAR(lift("\"box\": [0.2, 0.15, 0.2]", 0.2 * 0.15 * 0.2, 0.16 + 0.007 * k), 1, 0.015);
    CHECK_NEAR(lift("\"sphere\": 0.1", 4 * M_PI / 3 * 1e-3, 0.16), 1, 0.015);
    CHECK_NEAR(lift("\"cylinder\": {\"radius\": 0.08, \"height\": 0.2}", M_PI * 0.0064 * 0.2, 0.16),
               1, 0.015);
}

PHYSICS(a_box_on_water_bobs_on)
{
    /* Only waves take energy away; `dfsph` leaves 0.4 of the height after a period. */
    PxWorld *world = tank_with("{\"name\": \"box\", \"material\": \"wood\", \"rigid\": true,"
                               "\"shape\": {\"box\": [0.2, 0.15, 0.2], \"at\": [0, 0.315, 0]}}",
                               0.2 / 12, 2);
    double lowest = 1, next = 1, highest = 0;
    for (int k = 1; k <= 60; ++k) {
        CHECK_OK(px_world_advance(world, 0.025 * k));
        double y = height_of(world, "box");
        if (k < 24)
            lowest = fmin(lowest, y);
        else if (k < 40)
            highest = fmax(highest, y);
        else
            next = fmin(next, y);
    }
    px_world_free(world);
    CHECK_NEAR((highest - next) / (highest - lowest), 0.95, 0.08);
}

TEST(bodies_in_water_have_the_same_bits_with_any_threads)
{
    double height[3];
    for (int threads = 1; threads <= 3; ++threads) {
        PxWorld *world =
            tank_with("{\"name\": \"a\", \"material\": \"cork\", \"rigid\": true,"
                      "\"shape\": {\"sphere\": 0.1, \"at\": [0.1, 0.2, 0.05]}},"
                      "{\"name\": \"b\", \"material\": \"wood\", \"rigid\": true,"
                      "\"shape\": {\"box\": [0.15, 0.15, 0.15], \"at\": [-0.12, 0.25, -0.05]}}",
                      0.05, threads);
        CHECK_OK(px_world_advance(world, 0.2));
        height[threads - 1] = height_of(world, "a") + 1e3 * height_of(world, "b");
        CHECK_EQUAL(stats_of(world).leaked, 0);
        px_world_free(world);
    }
    CHECK(height[0] == height[1] && height[0] == height[2]);
}

TEST_MAIN()
