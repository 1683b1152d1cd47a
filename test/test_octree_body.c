/// Solids filled with an octree: masses, supports, refusals.
#include "check.h"

#include <math.h>
#include "scenes.h"

#include "solid/solid_columns.h"
#include "world/octree_body.h"

static PxWorld *world_with(const PxShapeDef *shape, double spacing, double levels, double young)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.threads = 2;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef jelly = px_material_def_default();
    jelly.name = "jelly";
    jelly.young = young;
    PxBodyDef body = px_body_def_default();
    CHECK_OK(px_world_add_material(world, &jelly, &body.material));
    body.name = "body";
    body.shape = *shape;
    body.fill = PX_FILL_OCTREE;
    body.levels = levels;
    body.spin = (PxVec3){0, 0, 1};
    CHECK_OK(px_world_add_body(world, &body, NULL));
    return world;
}

static PxShapeDef shape_of(int kind)
{
    static const PxShapeKind kinds[] = {PX_SHAPE_SPHERE, PX_SHAPE_BOX, PX_SHAPE_CONE,
                                        PX_SHAPE_FUNNEL};
    PxShapeDef shape = px_shape_def_default(kinds[kind]);
    shape.radius = 0.5;
    shape.thickness = 0.12;
    shape.at = (PxVec3){1, 2, 3};
    return shape;
}

TEST(its_mass_is_that_of_the_shape)
{
    for (int kind = 0; kind < 4; ++kind) {
        PxShapeDef def = shape_of(kind);
        PxShape *shape;
        CHECK_OK(px_shape_create(&def, &shape));
        PxWorld *world = world_with(&def, 0.05, 2, 1e4);
        PxStats stats;
        px_world_stats(world, &stats);
        /* floats of 6e-8 each */
        CHECK_NEAR(stats.mass / (1000 * px_shape_volume(shape)), 1, 1e-6);
        CHECK_NEAR(stats.particles / px_shape_octree_estimate(shape, 0.05, 2, 0), 1, 0.25);
        PxSolidColumns c;
        CHECK(px_solid_columns(&world->particles.table, &c));
        const PxParticles *p = &world->particles;
        for (uint32_t i = 0; i < p->table.count; ++i) {
            CHECK_NEAR((double)(p->mass[i] / (1000 * c.volume[i])), 1, 1e-6);
            CHECK_NEAR((double)(c.volume[i] / (8 * p->radius[i] * p->radius[i] * p->radius[i])), 1,
                       kind == 3 ? 0.1 : 0.03); /* one volume correction for all */
            PxVec3 x = {(double)c.rest[0][i] + 1, (double)c.rest[1][i] + 2,
                        (double)c.rest[2][i] + 3};
            CHECK_NEAR((double)p->y[i], x.y, 1e-6);
            CHECK_NEAR((double)p->vx[i], -(x.y - 2), 1e-6); /* rotates about its middle */
            CHECK_NEAR((double)p->vy[i], x.x - 1, 1e-6);
        }
        px_world_free(world);
        px_shape_free(shape);
    }
}

TEST(every_particle_has_twelve_neighbours)
{
    /* With the usual support, twice the cell, those on edges have 7 to 11; where sizes
     * change there are 11 at the least (the cone). */
    for (int kind = 0; kind < 4; ++kind) {
        PxShapeDef def = shape_of(kind);
        PxWorld *world = world_with(&def, 0.08, 3, 1e4);
        PxSolidColumns c;
        CHECK(px_solid_columns(&world->particles.table, &c));
        uint32_t n = world->particles.table.count;
        for (uint32_t i = 0; i < n; ++i) {
            int count = 0;
            for (uint32_t j = 0; j < n; ++j) {
                float r2 = 0;
                for (int k = 0; k < 3; ++k)
                    r2 += (c.rest[k][i] - c.rest[k][j]) * (c.rest[k][i] - c.rest[k][j]);
                count += i != j && sqrtf(r2) < 0.5f * (c.support[i] + c.support[j]);
            }
            CHECK(count >= PX_OCTREE_NEIGHBOURS);
            double own = 4 * (double)world->particles.radius[i];
            CHECK((double)c.support[i] >= 0.999999 * own &&
                  (double)c.support[i] < (kind == 2 ? 3 : 1.5) * own); /* the cone has a tip */
        }
        px_world_free(world);
    }
}

TEST(another_density_changes_masses_by_volume)
{
    PxShapeDef def = shape_of(0);
    PxWorld *world = world_with(&def, 0.1, 2, 1e4);
    PxStats before, after;
    px_world_stats(world, &before);
    CHECK_OK(px_world_set(world, "materials.jelly.density", (double[]){2500}, 1));
    px_world_stats(world, &after);
    CHECK_NEAR(after.mass / before.mass, 2.5, 1e-6);
    px_world_free(world);
}

TEST(fluids_are_not_filled_with_an_octree)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    CHECK_OK(px_world_add_material(world, &water, &body.material));
    body.name = "pool";
    body.fill = PX_FILL_OCTREE;
    CHECK_FAILS(px_world_add_body(world, &body, NULL), PX_ERR_ARGUMENT,
                "fluids need a uniform filling, and 'water' is one");
    CHECK_EQUAL(px_world_count(world), 0);
    PxMaterialDef wax = px_material_def_default();
    wax.name = "wax";
    wax.young = 1e4;
    CHECK_OK(px_world_add_material(world, &wax, &body.material));
    body.levels = 7;
    CHECK_FAILS(px_world_add_body(world, &body, NULL), PX_ERR_ARGUMENT, "levels");
    px_world_free(world);
}

/* ---- scenes ------------------------------------------------------------------- */

#define BODY(young, fill)                                                                          \
    HEAD "\"materials\": {\"jelly\": {\"density\": 1000, \"young\": " young "}},\n"                \
         "\"bodies\": [{\"shape\": {\"sphere\": 1}, \"material\": \"jelly\", " fill "}]}"

TEST(scenes_say_octree_of_solids_only)
{
    CHECK_ONE(BODY("0", "\"fill\": \"octree\""), "bodies[0].fill", 4, 66,
              "fluids need a uniform lattice");
    CHECK_ONE(BODY("1e4", "\"levels\": 3"), "bodies[0].levels", 4, 58, "is for octrees");
    CHECK_ONE(BODY("1e4", "\"fill\": \"octree\", \"levels\": 2.5"), "bodies[0].levels", 4, 86,
              "wanted a whole number from 1 to 6");
}

TEST(a_scene_with_an_octree_is_estimated)
{
    PxScene *scene = scene_of(BODY("1e4", "\"fill\": \"octree\", \"levels\": 3"));
    CHECK_COUNT(scene, 0);
    CHECK_OK(px_scene_check(scene));
    PxSceneEstimate estimate;
    CHECK_OK(px_scene_estimate(scene, 1, &estimate));
    PxWorld *world;
    CHECK_OK(px_scene_world(scene, 1, &world));
    CHECK_EQUAL(px_world_count(world), 10144); /* 33510 in a cubic lattice */
    CHECK_NEAR(estimate.particles / px_world_count(world), 1, 0.25);
    px_world_free(world);
    px_scene_free(scene);
}

/* ---- moving --------------------------------------------------------------------- */

TEST(it_falls_without_strain_and_keeps_its_momentum)
{
    PxShapeDef def = shape_of(0);
    PxWorld *world = world_with(&def, 0.1, 2, 1e5);
    PxStats before, after;
    px_world_stats(world, &before);
    CHECK_OK(px_world_advance(world, 0.02));
    px_world_stats(world, &after);
    CHECK_NEAR(after.momentum.y, -9.81 * 0.02 * before.mass, 1e-5 * before.mass);
    CHECK_NEAR(after.momentum.x, 0, 1e-5 * before.mass);
    /* spinning at 1 rad/s it is stretched by rho w^2 r^2 / E = 0.25 %: w^2 of 1 J/m^3, little
     * beside the 30 J of its spin */
    CHECK_NEAR(after.kinetic - 0.5 * before.mass * 9.81 * 9.81 * 0.02 * 0.02, before.kinetic,
               0.01 * before.kinetic);
    px_world_free(world);
}

/* ---- beside fluids -------------------------------------------------------------- */

/* Largest density of water that lies on a block, after a step, kg/m^3, by row of its first layer.
 */
static void density_on_block(double support, PxLatticeKind fill, float density[256])
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    PxMaterialDef jelly = px_material_def_default(), water = jelly;
    PxBodyDef body = px_body_def_default();
    def.spacing = 0.02;
    def.support = support;
    def.gravity = px_vec(0, 0, 0);
    CHECK_OK(px_world_create(&def, &world));
    jelly.name = "jelly";
    jelly.young = 1e5;
    CHECK_OK(px_world_add_material(world, &jelly, &body.material));
    body.name = "block";
    body.shape.size = px_vec(0.32, 0.4, 0.32);
    body.shape.at = px_vec(0, -0.2, 0);
    body.skin = false;
    body.fill = fill;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    CHECK_OK(px_world_add_material(world, &water, &body.material));
    body.name = "pool";
    body.shape.size = px_vec(0.32, 0.16, 0.32);
    body.shape.at = px_vec(0, 0.08, 0);
    body.fill = PX_FILL_CUBIC;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    CHECK_OK(px_world_step(world, 1e-5));
    const PxParticles *p = &world->particles;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->body[i] == 1)
            least = p->id[i] < least ? p->id[i] : least;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->body[i] == 1 && p->y[i] < 0.015f) { /* ids count x, y, z of the lattice */
            uint64_t k = p->id[i] - least;
            density[k % 16 + 16 * (k / (16 * 8))] = p->density[i];
        }
    px_world_free(world);
}

/* No coarse cell is within the support of the fluid. */
TEST(water_beside_an_octree_block_is_as_dense_as_beside_a_lattice_one)
{
    static const double support[] = {2, 2.5, 3, 4};
    for (size_t k = 0; k < PX_COUNT(support); ++k) {
        float lattice[256] = {0}, octree[256] = {0};
        double worst = 0;
        density_on_block(support[k], PX_FILL_CUBIC, lattice);
        density_on_block(support[k], PX_FILL_OCTREE, octree);
        for (int i = 0; i < 256; ++i)
            worst = fmax(worst, fabs((double)(octree[i] - lattice[i])) / 1000);
        print_message("  support %.1f: densities differ by %.1e\n", support[k], worst);
        CHECK(lattice[8 + 16 * 8] > 950);
        CHECK(worst < 1e-5); /* floats */
    }
}

/* ---- heat ------------------------------------------------------------------------ */

/* A bar, cold below x = 0 and hot above. Coarse cells are two and four spacings wide. */
static PxWorld *bar_of_two_halves(double length, int threads, double *diffusivity)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.gravity = px_vec(0, 0, 0);
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef steel = px_material_def_default();
    PxBodyDef bar = px_body_def_default();
    steel.name = "steel";
    steel.young = 1e5;
    steel.diffusivity = *diffusivity = 1e-3;
    CHECK_OK(px_world_add_material(world, &steel, &bar.material));
    bar.name = "bar";
    bar.shape.size = px_vec(length, 0.4, 0.4);
    bar.fill = PX_FILL_OCTREE;
    bar.skin = false;
    CHECK_OK(px_world_add_body(world, &bar, NULL));
    PxParticles *p = &world->particles;
    bool coarse = false;
    for (uint32_t i = 0; i < p->table.count; ++i) {
        p->temperature[i] = p->x[i] < 0 ? 0.0f : 100.0f;
        coarse = coarse || (double)p->radius[i] > 1.5 * def.spacing;
    }
    CHECK(coarse);
    return world;
}

/* The error function, and no heat lost. */
PHYSICS(an_octree_bar_of_two_halves_follows_the_error_function)
{
    double diffusivity;
    PxWorld *world = bar_of_two_halves(1.6, 2, &diffusivity);
    const PxParticles *p = &world->particles;
    PxStats before, after;
    px_world_stats(world, &before);
    CHECK_OK(px_world_advance(world, 4));
    px_world_stats(world, &after);
    double worst = 0;
    for (uint32_t i = 0; i < p->table.count; ++i) {
        double exact = 50 * (1 + erf((double)p->x[i] / sqrt(4 * diffusivity * 4)));
        worst = fmax(worst, fabs((double)p->temperature[i] - exact) / 100);
    }
    print_message("  worst %.4f of the difference, heat changed by %.1e of itself\n", worst,
                  after.heat / before.heat - 1);
    CHECK(worst < 0.03);
    CHECK_NEAR(after.heat / before.heat, 1, 1e-5);
    px_world_free(world);
}

TEST(heat_and_motion_of_an_octree_bar_are_the_same_on_any_number_of_threads)
{
    uint64_t first[2], hash[2];
    for (int threads = 1; threads <= 3; ++threads) {
        double diffusivity;
        PxStats before, after;
        PxWorld *world = bar_of_two_halves(0.6, threads, &diffusivity);
        CHECK_OK(px_world_set(world, "bodies.bar.spin", (double[]){0, 3, 0}, 3));
        px_world_stats(world, &before);
        CHECK_OK(px_world_advance(world, 0.05));
        px_world_stats(world, &after);
        px_table_hash(&world->particles.table, PX_COLUMN_STATE | PX_COLUMN_FRAME,
                      threads == 1 ? first : hash);
        if (threads > 1)
            CHECK(hash[0] == first[0] && hash[1] == first[1]);
        CHECK(after.step > 3 && after.temperature_max < before.temperature_max + 1);
        CHECK_NEAR(after.heat / before.heat, 1, 1e-5);
        CHECK_NEAR(after.angular_momentum.y / before.angular_momentum.y, 1, 1e-5);
        px_world_free(world);
    }
}

TEST_MAIN()
