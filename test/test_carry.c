/// Strains carried over to a new rest shape.
#include "check.h"

#include "base/random.h"
#include "solid/carry_stress.h"

/* Twice the energy per volume. */
static double energy(const PxSolidLaw *law, const double e[6])
{
    const float *c = law->stiff;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += (double)c[k] * e[k] * e[k];
        sum += 2 * (double)c[3 + k] * e[k] * e[(k + 1) % 3];
        sum += 4 * (double)c[6 + k] * e[3 + k] * e[3 + k];
    }
    return sum;
}

static PxSolidLaw isotropic(void)
{
    PxMaterial material = {.def = px_material_def_default()};
    PxSolidLaw law;
    material.def.young = 4e5;
    material.def.poisson = 0.3;
    CHECK_OK(px_solid_law(&material, &law));
    return law;
}

/* The rest-shape update keeps the elastic energy at any stretch or compression. */
TEST(a_rest_shape_that_follows_keeps_the_energy)
{
    PxSolidLaw law = isotropic();
    for (uint64_t round = 0; round < 200; ++round) {
        PxMat3 map;
        double strain[6], kept[6];
        for (uint64_t k = 0; k < 9; ++k)
            map.m[k / 3][k % 3] =
                (k % 4 == 0 ? 1.0 : 0.0) + 0.8 * (px_random_unit(round, 0, k) - 0.5);
        for (uint64_t k = 0; k < 6; ++k)
            strain[k] = 0.2 * (px_random_unit(round, 1, k) - 0.5);
        px_solid_carry(&law, &law, map, strain, kept);
        /* the law's numbers are floats */
        CHECK_NEAR(energy(&law, kept), energy(&law, strain), 1e-5 * energy(&law, strain));
    }
}

TEST(strain_turns_with_the_body)
{
    PxSolidLaw law = isotropic();
    const double strain[6] = {0.1, -0.02, 0.03, 0.04, 0, 0};
    PxMat3 quarter = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}; /* x becomes y */
    double kept[6];
    px_solid_carry(&law, &law, quarter, strain, kept);
    CHECK_NEAR(kept[0], -0.02, 1e-6);
    CHECK_NEAR(kept[1], 0.1, 1e-6);
    CHECK_NEAR(kept[2], 0.03, 1e-6);
    CHECK_NEAR(kept[3], -0.04, 1e-6);
    CHECK_NEAR(kept[4], 0, 1e-6);
    CHECK_NEAR(kept[5], 0, 1e-6);
}

/* Freezing matter stiffens at constant stress, so its strain and energy fall. Melting matter keeps
 * its strain, and its stress falls. */
TEST(nothing_gains_energy_by_becoming_stiffer_or_softer)
{
    PxSolidLaw stiff = isotropic(), soft = stiff;
    const double strain[6] = {0.1, -0.02, 0.03, 0.04, 0, 0.01};
    double kept[6];
    for (int k = 0; k < 9; ++k)
        soft.stiff[k] *= 0.125f;
    px_solid_carry(&soft, &stiff, px_mat3_identity(), strain, kept);
    for (int k = 0; k < 6; ++k)
        CHECK_NEAR(kept[k], 0.125 * strain[k], 1e-6);
    CHECK_NEAR(energy(&stiff, kept), 0.125 * energy(&soft, strain), 1e-4 * energy(&soft, strain));
    px_solid_carry(&stiff, &soft, px_mat3_identity(), strain, kept);
    for (int k = 0; k < 6; ++k)
        CHECK_NEAR(kept[k], strain[k], 1e-6);
}

TEST_MAIN()
