/// Drops on walls: rest, contact angle, adhesion.
#include "check.h"

#include "phyxel/world.h"
#include "study/sessile.h"

PHYSICS(a_drop_on_a_floor_comes_to_rest)
{
    /* It moved at 94 mm/s for ever when forces came from normals, and at 1.1 with the tolerances
     * of calm water (docs/decisions.md 30). */
    PxSessileDef def = px_sessile_def_default();
    PxSessileResult result;
    def.cells = 6;
    CHECK_OK(px_sessile(&def, &result));
    CHECK(result.speed < 1e-3);
    CHECK(result.drift < 5e-4);
}

PHYSICS(the_contact_angle_orders_drops)
{
    /* Almost without weight, so that the drop is a cap. */
    PxSessileDef def = px_sessile_def_default();
    PxSessileResult low, high;
    def.cells = 6;
    def.gravity = 0.5;
    def.seconds = 0.25;
    def.contact_angle = 60;
    CHECK_OK(px_sessile(&def, &low));
    def.contact_angle = 120;
    CHECK_OK(px_sessile(&def, &high));
    CHECK_NEAR(low.angle, 60, 8);
    CHECK_NEAR(high.angle, 120, 8);
}

PHYSICS(a_drop_that_slides_is_stopped_by_adhesion)
{
    PxSessileDef def = px_sessile_def_default();
    PxSessileResult result;
    def.cells = 6;
    def.speed = 0.3;
    def.seconds = 0.3;
    CHECK_OK(px_sessile(&def, &result));
    CHECK(result.drift < 0.01 * def.speed);
    CHECK(result.way < 4 * def.radius);
}

TEST(contact_angle_and_adhesion_are_checked_and_may_change)
{
    PxWorldDef def = px_world_def_default();
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxBodyDef floor = px_body_def_default();
    CHECK_NEAR(floor.contact_angle, 90, 0);
    floor.name = "floor";
    floor.wall = true;
    floor.shape = px_shape_def_default(PX_SHAPE_PLANE);
    floor.contact_angle = 181;
    CHECK_FAILS(px_world_add_body(world, &floor, NULL), PX_ERR_ARGUMENT, "contact_angle");
    floor.contact_angle = 30;
    floor.adhesion = -0.1;
    CHECK_FAILS(px_world_add_body(world, &floor, NULL), PX_ERR_ARGUMENT, "adhesion");
    floor.adhesion = 1;
    CHECK_OK(px_world_add_body(world, &floor, NULL));
    double angle = 150, wrong = -1;
    CHECK_OK(px_world_set(world, "bodies.floor.contact_angle", &angle, 1));
    CHECK_FAILS(px_world_set(world, "bodies.floor.contact_angle", &wrong, 1), PX_ERR_ARGUMENT,
                "contact_angle");
    px_world_free(world);
}

TEST_MAIN()
