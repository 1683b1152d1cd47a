/// Solids and fluids in one world: floating depth, momentum, no growing vibrations, same bits for
/// threads and resumed runs, elastic fluids.
#include "check.h"

#include "base/sum.h"
#include "base/vec.h"
#include "phyxel/world.h"
#include "world/elastic_stage.h"
#include "world/saved.h"

static PxWorld *empty_world(double spacing, int threads)
{
    PxWorld *world;
    PxWorldDef def = px_world_def_default();
    def.spacing = spacing;
    def.threads = threads;
    CHECK_OK(px_world_create(&def, &world));
    return world;
}

static PxMaterialId material(PxWorld *world, const char *name, double density, double young,
                             double absorb)
{
    PxMaterialDef def = px_material_def_default();
    PxMaterialId id;
    def.name = name;
    def.density = density;
    def.young = young;
    def.absorb = absorb;
    def.viscosity = young > 0 ? 0 : 0.01;
    CHECK_OK(px_world_add_material(world, &def, &id));
    return id;
}

static void filled_box(PxWorld *world, const char *name, PxMaterialId of, PxVec3 size, PxVec3 at,
                       PxLatticeKind fill)
{
    PxBodyDef def = px_body_def_default();
    def.name = name;
    def.shape.size = size;
    def.shape.at = at;
    def.material = of;
    def.skin = false;
    def.wall = of.slot == 0;
    def.inside = def.wall;
    def.fill = fill;
    CHECK_OK(px_world_add_body(world, &def, NULL));
}

static void box(PxWorld *world, const char *name, PxMaterialId of, PxVec3 size, PxVec3 at)
{
    filled_box(world, name, of, size, at, PX_FILL_CUBIC);
}

/* A tank half full of water, and a cube above it, 0.3 m each side. */
static PxWorld *pool_and_cube(double density, double young, double absorb, int threads,
                              PxLatticeKind fill)
{
    PxWorld *world = empty_world(0.03, threads);
    PxMaterialId water = material(world, "water", 1000, 0, 0);
    PxMaterialId jelly = material(world, "jelly", density, young, absorb);
    box(world, "tank", (PxMaterialId){0, 0}, px_vec(0.6, 1.2, 0.6), px_vec(0, 0.6, 0));
    box(world, "pool", water, px_vec(0.6, 0.42, 0.6), px_vec(0, 0.21, 0));
    filled_box(world, "cube", jelly, px_vec(0.3, 0.3, 0.3), px_vec(0, 0.58, 0), fill);
    return world;
}

typedef struct Cube {
    double height; /* of its middle, m */
    double inner;  /* energy without that of the rigid motion, J */
} Cube;

static Cube look_at_cube(const PxWorld *world)
{
    const PxParticles *p = &world->particles;
    Cube cube = {0, 0};
    PxVec3 mean = {0, 0, 0};
    double mass = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->body[i] == 2) {
            double m = (double)p->mass[i];
            mass += m;
            cube.height += m * (double)p->y[i];
            mean = px_mad(mean, px_vec((double)p->vx[i], (double)p->vy[i], (double)p->vz[i]), m);
        }
    mean = px_scale(mean, 1 / mass);
    cube.height /= mass;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->body[i] == 2) {
            PxVec3 v = px_sub(px_vec((double)p->vx[i], (double)p->vy[i], (double)p->vz[i]), mean);
            cube.inner += 0.5 * (double)p->mass[i] * px_dot(v, v);
        }
    return cube;
}

/* Mean height of the floating cube between 1.1 s and 2 s, around which it oscillates. */
static double floats_at(double density, double young, PxLatticeKind fill, double *inner)
{
    PxWorld *world = pool_and_cube(density, young, 0, 2, fill);
    double sum = 0;
    int count = 0;
    *inner = 0;
    for (double t = 0.1; t < 2.05; t += 0.1) {
        CHECK_OK(px_world_advance(world, t));
        Cube cube = look_at_cube(world);
        if (t > 1.05) {
            sum += cube.height;
            *inner = fmax(*inner, cube.inner);
            ++count;
        }
    }
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK(stats.leaked == 0);
    px_world_free(world);
    return sum / count;
}

/* Archimedes: the water level is 0.42 m, and rises by the displaced volume. */
static double wanted_height(double density)
{
    double deep = 0.3 * density / 1000, level = 0.42 + 0.09 * deep / 0.36;
    return level - deep + 0.15;
}

PHYSICS(a_soft_cube_of_half_the_density_floats_half_submerged)
{
    double inner, height = floats_at(500, 5e4, PX_FILL_CUBIC, &inner);
    print_message("  middle at %.4f m, wanted %.4f; inner %.3f J\n", height, wanted_height(500),
                  inner);
    CHECK_NEAR(height, wanted_height(500), 0.05 * 0.3);
    CHECK(inner < 0.5); /* it fell in with 13 J */
}

PHYSICS(a_light_and_stiff_cube_floats_and_keeps_calm)
{
    double inner, height = floats_at(200, 1e6, PX_FILL_CUBIC, &inner);
    print_message("  middle at %.4f m, wanted %.4f; inner %.3f J\n", height, wanted_height(200),
                  inner);
    CHECK_NEAR(height, wanted_height(200), 0.05 * 0.3);
    CHECK(inner < 0.5);
}

PHYSICS(an_octree_cube_floats_as_deep_as_a_lattice_one)
{
    double inner, height = floats_at(500, 5e4, PX_FILL_OCTREE, &inner);
    print_message("  middle at %.4f m, wanted %.4f; inner %.3f J\n", height, wanted_height(500),
                  inner);
    CHECK_NEAR(height, wanted_height(500), 0.05 * 0.3);
    CHECK(inner < 0.5);
}

/* A drop hits a block in free space: there are no external forces. */
TEST(momentum_is_kept_when_a_drop_strikes_a_block)
{
    PxWorld *world = empty_world(0.02, 2);
    double zero[3] = {0, 0, 0};
    CHECK_OK(px_world_set(world, "gravity", zero, 3));
    PxMaterialId water = material(world, "water", 1000, 0, 0);
    PxMaterialId jelly = material(world, "jelly", 700, 1e5, 0);
    PxBodyDef def = px_body_def_default();
    def.name = "drop";
    def.shape.size = px_vec(0.14, 0.14, 0.14);
    def.shape.at = px_vec(0, 0.24, 0.03);
    def.velocity = px_vec(0, -2, 0);
    def.material = water;
    CHECK_OK(px_world_add_body(world, &def, NULL));
    box(world, "block", jelly, px_vec(0.2, 0.2, 0.2), px_vec(0, 0, 0));
    PxStats before, after;
    px_world_stats(world, &before);
    CHECK_OK(px_world_advance(world, 0.3));
    px_world_stats(world, &after);
    double moved = px_length(px_sub(after.momentum, before.momentum)) / px_length(before.momentum);
    print_message("  momentum changed by %.2g of itself\n", moved);
    CHECK(moved < 1e-5);
    CHECK(after.kinetic + after.elastic < before.kinetic);
    px_world_free(world);
}

static void hash_after(PxWorld *world, double time, uint64_t hash[2])
{
    CHECK_OK(px_world_advance(world, time));
    px_table_hash(&world->particles.table, PX_COLUMN_STATE | PX_COLUMN_FRAME, hash);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    uint64_t first[2], hash[2];
    for (int absorb = 0; absorb <= 10; absorb += 10)
        for (int threads = 1; threads <= 3; ++threads) {
            PxWorld *world = pool_and_cube(500, 5e4, absorb, threads, PX_FILL_CUBIC);
            hash_after(world, 0.1, threads == 1 ? first : hash);
            if (threads > 1)
                CHECK(hash[0] == first[0] && hash[1] == first[1]);
            px_world_free(world);
        }
}

TEST(a_stop_changes_nothing)
{
    for (int absorb = 0; absorb <= 10; absorb += 10) {
        uint64_t straight[2], resumed[2];
        PxWorld *world = pool_and_cube(500, 5e4, absorb, 2, PX_FILL_CUBIC), *next;
        hash_after(world, 0.12, straight);
        next = pool_and_cube(500, 5e4, absorb, 2, PX_FILL_CUBIC);
        CHECK_OK(px_world_continue(next, world));
        hash_after(world, 0.25, straight);
        hash_after(next, 0.25, resumed);
        CHECK(straight[0] == resumed[0] && straight[1] == resumed[1]);
        px_world_free(world);
        px_world_free(next);
    }
}

/* An elastic fluid: components join where they touch. */
TEST(two_lumps_of_an_elastic_fluid_become_one_component_when_they_touch)
{
    PxWorld *world = empty_world(0.02, 2);
    double zero[3] = {0, 0, 0};
    CHECK_OK(px_world_set(world, "gravity", zero, 3));
    PxMaterialId goo = material(world, "goo", 1000, 2e4, 5);
    PxMaterialId water = material(world, "water", 1000, 0, 0);
    box(world, "far", water, px_vec(0.04, 0.04, 0.04), px_vec(2, 0, 0));
    PxBodyDef def = px_body_def_default();
    def.shape.size = px_vec(0.1, 0.1, 0.1);
    def.material = goo;
    def.skin = false;
    for (int k = 0; k < 2; ++k) {
        def.name = k == 0 ? "left" : "right";
        def.shape.at = px_vec(k == 0 ? -0.1 : 0.1, 0, 0);
        def.velocity = px_vec(k == 0 ? 0.5 : -0.5, 0, 0);
        CHECK_OK(px_world_add_body(world, &def, NULL));
    }
    CHECK_OK(px_world_advance(world, 0.02));
    CHECK(world->elastic_set.components.count == 2);
    CHECK_OK(px_world_advance(world, 0.4));
    CHECK(world->elastic_set.components.count == 1);
    PxStats stats;
    px_world_stats(world, &stats);
    CHECK(px_length(stats.momentum) < 1e-5 * 0.5 * stats.mass);
    px_world_free(world);
}

TEST_MAIN()
