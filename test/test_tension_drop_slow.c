/// Magnitude of surface tension: Laplace pressure and oscillation of a drop.
#include "check.h"

#include "study/drop.h"

/* A drop of 8 spacings radius with csf, at rest. */
static PxWorld *resting_drop(PxDropDef *def)
{
    *def = px_drop_def_default();
    def->spacing = def->radius / 8;
    PxWorld *world;
    CHECK_OK(px_drop_make(def, &world));
    CHECK_OK(px_world_advance(world, 2));
    return world;
}

PHYSICS(the_pressure_in_a_drop_is_that_of_laplace_and_it_oscillates_as_rayleigh_says)
{
    PxDropDef def;
    PxWorld *world = resting_drop(&def);
    double sigma = def.tension.param[0], radius = px_drop_radius(world, def.density);
    double pressure = 0;
    for (int k = 1; k <= 20; ++k) {
        CHECK_OK(px_world_advance(world, 2 + 0.05 * k));
        pressure += px_drop_pressure(world, 0.6 * radius) / 20;
    }
    CHECK_NEAR(pressure, 2 * sigma / radius, 0.05 * 2 * sigma / radius);
    CHECK(px_drop_reach(world) < 1.05);

    /* omega^2 = n (n - 1) (n + 2) sigma / (rho R^3) for n = 2 (Rayleigh 1879) */
    double omega = sqrt(8 * sigma / (def.density * radius * radius * radius));
    double period = 2 * 3.14159265358979 / omega,
           measured = px_drop_period(world, 0.05 * radius * omega, period);
    CHECK_NEAR(measured, period, 0.05 * period);
    px_world_free(world);
}

TEST_MAIN()
