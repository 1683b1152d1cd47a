/// Inviscid flows keep their energy: a drop that is stretched, water that spins in a vessel.
#include "check.h"

#include "study/inviscid_flows.h"
#include "study/sloshing.h"

/* 5 spacings in radius. */
static PxInviscidDef coarse(const char *pressure)
{
    PxInviscidDef def = px_inviscid_def_default();
    def.pressure = pressure;
    def.spacing = 0.02;
    return def;
}

TEST(threads_do_not_change_the_bits_of_flows_with_shifts)
{
    PxInviscidDef def = coarse("projection");
    PxInviscidResult one, other;
    def.threads = 1;
    CHECK_OK(px_stretching_drop(&def, &one));
    def.threads = 3;
    CHECK_OK(px_stretching_drop(&def, &other));
    CHECK(one.energy == other.energy && one.length == other.length);
    def.duration = 0.1;
    def.threads = 1;
    CHECK_OK(px_spinning_water(&def, &one));
    def.threads = 2;
    CHECK_OK(px_spinning_water(&def, &other));
    CHECK(one.energy == other.energy && one.momentum == other.momentum);
}

TEST(threads_do_not_change_the_bits_of_flows_on_a_grid)
{
    PxInviscidDef def = coarse("flip");
    PxInviscidResult one, other;
    def.duration = 0.1;
    def.threads = 1;
    CHECK_OK(px_spinning_water(&def, &one));
    def.threads = 3;
    CHECK_OK(px_spinning_water(&def, &other));
    CHECK(one.energy == other.energy && one.momentum == other.momentum);
    CHECK_OK(px_stretching_drop(&def, &one));
    def.threads = 2;
    CHECK_OK(px_stretching_drop(&def, &other));
    CHECK(one.energy == other.energy && one.length == other.length);
}

/* Measured at 10 spacings: the drop keeps 0.990 of its energy with dfsph and 0.962 with projection,
 * and is 1.5 and 1.0 per cent too long. */
PHYSICS(a_stretching_drop_keeps_its_energy)
{
    PxInviscidDef def = px_inviscid_def_default();
    PxInviscidResult result;
    CHECK_OK(px_stretching_drop(&def, &result));
    CHECK_NEAR(result.energy, 1, 0.015);
    CHECK_NEAR(result.length, 1, 0.02);
    def.pressure = "projection";
    CHECK_OK(px_stretching_drop(&def, &result));
    CHECK_NEAR(result.energy, 1, 0.05);
    CHECK_NEAR(result.length, 1, 0.02);
    def.pressure = "flip"; /* measured 0.988, 0.5 per cent too long */
    CHECK_OK(px_stretching_drop(&def, &result));
    CHECK_NEAR(result.energy, 1, 0.015);
    CHECK_NEAR(result.length, 1, 0.01);
}

PHYSICS(a_grid_keeps_waves_in_a_narrow_tank)
{
    /* 4 spacings across, where walls cost most: 0.994 of the amplitude is left after a period, and
     * the period is 1.5 per cent long in the first one (0.24 per cent are due to the amplitude). */
    PxSloshingDef def = px_sloshing_def_default();
    PxSloshingResult result;
    def.pressure = "flip";
    def.width = 0.08;
    def.periods = 1;
    CHECK_OK(px_sloshing(&def, &result));
    CHECK_NEAR(result.period, 1, 0.02);
    CHECK(result.kept > 0.97 && result.kept < 1.01);
    CHECK_EQUAL(result.leaked, 0);
}

PHYSICS(spinning_water_keeps_its_energy)
{
    PxInviscidDef def = px_inviscid_def_default();
    PxInviscidResult result;
    def.duration = 1.2;
    CHECK_OK(px_spinning_water(&def, &result));
    CHECK(result.energy > 0.93 && result.energy < 1.001);     /* measured: 0.948 */
    CHECK(result.momentum > 0.98 && result.momentum < 1.001); /* 0.994 */
    CHECK_EQUAL(result.leaked, 0);
    def.pressure = "flip";
    CHECK_OK(px_spinning_water(&def, &result));
    CHECK(result.energy > 0.97 && result.energy < 1.001);     /* 0.988 */
    CHECK(result.momentum > 0.99 && result.momentum < 1.001); /* 0.996 */
    CHECK_EQUAL(result.leaked, 0);
}

PHYSICS(rotation_does_not_depend_on_the_step)
{
    /* Constraints at the start of a step cost w^2 dt / 2 of the angular momentum per second: 1.4
     * per cent in 0.15 s with the longest step here, 8 ms. Measured: 0.7 per cent at 5 spacings. */
    PxInviscidDef def = coarse("flip");
    PxInviscidResult result;
    def.duration = 0.15;
    def.threads = 1;
    CHECK_OK(px_spinning_water(&def, &result));
    CHECK(result.momentum > 0.99 && result.momentum < 1.002);
}

PHYSICS(a_rotating_patch_keeps_its_energy)
{
    PxInviscidDef def = px_inviscid_def_default();
    PxInviscidResult result;
    def.pressure = "flip";
    def.duration = 0.3;
    CHECK_OK(px_rotating_patch(&def, &result));
    CHECK_NEAR(result.energy, 1, 0.03);   /* measured: 0.991 */
    CHECK_NEAR(result.momentum, 1, 0.01); /* 1.002 */
}

PHYSICS(a_standing_wave_keeps_its_height)
{
    PxSloshingDef def = px_sloshing_def_default();
    PxSloshingResult result;
    def.pressure = "auto"; /* which is flip */
    def.mode = 2;
    def.amplitude = 0.02;
    def.width = 0.08;
    def.periods = 1;
    CHECK_OK(px_sloshing(&def, &result));
    CHECK_NEAR(result.period, 1, 0.01);
    CHECK_NEAR(result.kept, 1, 0.03);
}

PHYSICS(deep_water_does_not_fall_through_its_own_layers)
{
    /* 50 layers: with a first step that is too long for the pressure, `projection` exploded at
     * 0.2 s. */
    PxSloshingDef def = px_sloshing_def_default();
    PxSloshingResult result;
    def.pressure = "projection";
    def.spacing = 0.01;
    def.width = 0.04;
    def.periods = 0.2;
    CHECK_OK(px_sloshing(&def, &result));
    CHECK_EQUAL(result.leaked, 0);
}

TEST_MAIN()
