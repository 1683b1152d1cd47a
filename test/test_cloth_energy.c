/// Cloth gains no energy in long steps: stiff cloth that hits a floor, closed cloth filled with
/// gas.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "draped.h"
#include "world/cloth_stage.h"

#include <string.h>

/* A sheet of 12 x 12 cells, tilted by 40 degrees, flies at 2 m/s against a floor. No gravity. */
static PxWorld *blow(double size, double weft, double step, int threads)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"gravity\": [0, 0, 0], \"materials\": {\"m\": "
             "{\"density\": 300, \"friction\": 0.3, \"cloth\": {\"mass\": 0.2, \"thickness\": %g, "
             "\"weft\": %g, \"warp\": %g, \"shear\": %g, \"bend\": 5e-5, \"step\": %g}}}, "
             "\"bodies\": [{\"name\": \"a\", \"material\": \"m\", \"velocity\": [0, -2, 0], "
             "\"shape\": {\"sheet\": {\"width\": %g, \"length\": %g, \"columns\": 12, \"rows\": "
             "12}, \"at\": [0, %g, 0], \"turn\": {\"axis\": [0.7, 0.1, 0.7], \"degrees\": 40}}}, "
             "{\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, 0]}}]}",
             0.02 * size, weft, weft, 0.2 * weft, step, size, size, 0.75 * size + 0.002);
    return world_of(text, threads);
}

/* Sum of all growth of energy in steps, over the energy at first. */
static double growth(double size, double weft, double step, int steps)
{
    PxWorld *world = blow(size, weft, step, 1);
    double first = energy_of(world), last = first, sum = 0;
    for (int k = 0; k < steps; ++k) {
        CHECK_OK(px_world_step(world, stats_of(world).time + step));
        sum += fmax(energy_of(world) - last, 0);
        last = energy_of(world);
    }
    print_message("%g m, %g N/m, %g s: growth %.4f, left %.3f of the energy\n", size, weft, step,
                  sum / first, last / first);
    px_world_free(world);
    return sum / first;
}

/* With forces that are linear in the motion of a step, the first one grew by 0.63 of its energy,
 * and the flat cushion below by 5.8 J. */
TEST(small_and_stiff_cloth_that_strikes_a_floor_in_long_steps_gains_no_energy)
{
    CHECK(growth(0.05, 500, 0.004, 20) < 0.005);
    CHECK(growth(0.2, 5000, 0.004, 30) < 0.01);
}

TEST(a_blow_gives_the_same_bits_for_any_threads)
{
    uint64_t hash[2][2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = blow(0.2, 5000, 0.004, k == 0 ? 1 : 3);
        CHECK_OK(px_world_advance(world, 0.06));
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

/* ---- edges, corners and curves of walls ---- */

/* What a sheet of 20 x 20 cells falls on. `grew`: the largest growth of energy in a step, of that
 * at first, while friction on vertices was a known impulse, rounds went all the way to their
 * solutions, and contacts were looked for at the start of a step only. */
typedef struct Fall {
    const char *name, *wall;
    double size, height, thickness, weft, grew;
} Fall;

#define CUBE "{\"box\": [0.4, 0.4, 0.4], \"at\": [0, 0.3, 0]}"
#define FUNNEL                                                                                     \
    "{\"funnel\": {\"radius\": 0.1, \"radius_top\": 0.3, \"height\": 0.4, \"thickness\": 0.02}, "  \
    "\"at\": [0, 0.35, 0]}"

static const Fall falls[] = {
    {"box", CUBE, 1, 0.62, 0.004, 500, 0.12},
    {"soft, box", CUBE, 1, 0.62, 0.004, 100, 0.17},
    {"funnel", FUNNEL, 1, 0.75, 0.0005, 500, 0.085},
    {"large, ball", "{\"sphere\": 8, \"at\": [0, 8, 0]}", 50, 16.5, 0.1, 1e5, 0.15},
};

TEST(sheets_on_edges_corners_and_curves_gain_no_energy_and_are_not_cut)
{
    for (size_t k = 0; k < PX_COUNT(falls); ++k) {
        const Fall *f = &falls[k];
        char text[1200];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {\"m\": {\"density\": 100, "
                 "\"friction\": 0.4, \"cloth\": {\"mass\": %g, \"weft\": %g, \"warp\": %g, "
                 "\"shear\": %g, \"bend\": 3e-5, \"thickness\": %g, \"self_collision\": true}}}, "
                 "\"bodies\": [{\"name\": "
                 "\"a\", \"material\": \"m\", \"shape\": {\"sheet\": {\"width\": %g, \"length\": "
                 "%g, \"columns\": 20, \"rows\": 20}, \"at\": [0, %g, 0]}}, {\"name\": \"wall\", "
                 "\"wall\": true, \"friction\": 0.4, \"shape\": %s}, {\"name\": \"floor\", "
                 "\"wall\": true, \"friction\": 0.6, \"shape\": {\"plane\": [0, 1, 0]}}]}",
                 f->size > 10 ? 1 : 0.2, f->weft, f->weft, 0.1 * f->weft, f->thickness, f->size,
                 f->size, f->height, f->wall);
        PxWorld *world = world_of(text, 1);
        double first = energy_of(world), last = first, most = 0, end = f->size > 10 ? 1.6 : 0.5;
        while (stats_of(world).time < end) {
            CHECK_OK(px_world_step(world, floor(24 * stats_of(world).time + 1.001) / 24));
            most = fmax(most, energy_of(world) - last);
            last = energy_of(world);
        }
        PxStats stats = stats_of(world);
        print_message("%s: growth in a step %.2g (%.2g) of the energy, cut %llu, strain %.3f\n",
                      f->name, most / first, f->grew, (unsigned long long)stats.cloth_crossed,
                      stats.cloth_strain);
        CHECK(most < 0.002 * first);
        CHECK(stats.cloth_crossed == 0);
        px_world_free(world);
    }
}

/* ---- gas ---- */

#define CELLS 10

/* A flat closed bag: two square sheets of 0.3 m, 20 mm apart, joined by a border. */
static uint32_t bag_of(float (*vertex)[3], uint32_t (*triangle)[3], PxShapeDef *def)
{
    uint32_t n = CELLS + 1, triangles = 0;
    for (uint32_t side = 0; side < 2; ++side)
        for (uint32_t i = 0; i < n * n; ++i) {
            float *x = vertex[side * n * n + i];
            x[0] = 0.3f * ((float)(i % n) / CELLS - 0.5f);
            x[1] = side == 0 ? 0.0f : 0.02f;
            x[2] = 0.3f * ((float)(i / n) / CELLS - 0.5f);
        }
    for (uint32_t side = 0; side < 2; ++side)
        for (uint32_t i = 0; i < CELLS * CELLS; ++i) {
            uint32_t a = side * n * n + i / CELLS * n + i % CELLS;
            uint32_t two[2][3] = {{a, a + 1, a + n + 1}, {a, a + n + 1, a + n}};
            for (int k = 0; k < 2; ++k, ++triangles)
                for (int c = 0; c < 3; ++c)
                    triangle[triangles][c] = two[k][side == 0 ? c : 2 - c];
        }
    for (uint32_t i = 0; i < 4 * CELLS; ++i) { /* around the border, seen from above */
        uint32_t at[2];
        for (uint32_t e = 0; e < 2; ++e) {
            uint32_t k = (i + e) % (4 * CELLS), side = k / CELLS, along = k % CELLS;
            uint32_t column = side == 0 ? along : side == 1 ? CELLS : side == 2 ? CELLS - along : 0;
            uint32_t row = side == 0 ? 0 : side == 1 ? along : side == 2 ? CELLS : CELLS - along;
            at[e] = row * n + column;
        }
        uint32_t two[2][3] = {{at[0], at[1] + n * n, at[1]}, {at[0], at[0] + n * n, at[1] + n * n}};
        for (int k = 0; k < 2; ++k, ++triangles)
            memcpy(triangle[triangles], two[k], sizeof two[k]);
    }
    *def = px_shape_def_default(PX_SHAPE_MESH);
    def->vertex = vertex;
    def->vertices = 2 * n * n;
    def->triangle = triangle;
    def->triangles = triangles;
    return triangles;
}

static PxWorld *cushion(double pressure, double step, bool block, int threads)
{
    static float vertex[2 * (CELLS + 1) * (CELLS + 1)][3];
    static uint32_t triangle[4 * CELLS * CELLS + 8 * CELLS][3];
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.05;
    def.threads = threads;
    if (!block)
        def.gravity = px_vec(0, 0, 0);
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef m = px_material_def_default();
    m.name = "linen";
    m.cloth.cloth = true;
    m.cloth.mass = 0.2;
    m.cloth.weft = m.cloth.warp = 1000;
    m.cloth.shear = 150;
    m.cloth.thickness = 0.002;
    m.cloth.step = step;
    m.cloth.pressure = pressure;
    PxBodyDef body = px_body_def_default();
    body.name = "cushion";
    bag_of(vertex, triangle, &body.shape);
    CHECK_OK(px_world_add_material(world, &m, &body.material));
    CHECK_OK(px_world_add_body(world, &body, NULL));
    PxMaterialDef wood = px_material_def_default();
    PxBodyDef other = px_body_def_default();
    wood.name = "wood";
    wood.density = 500;
    if (block) {
        other.shape = px_shape_def_default(PX_SHAPE_BOX);
        CHECK_OK(px_world_add_material(world, &wood, &other.material));
        other.name = "block";
        other.rigid = true;
        other.shape.size = px_vec(0.2, 0.1, 0.2);
        other.shape.at = px_vec(0, 0.25, 0);
        CHECK_OK(px_world_add_body(world, &other, NULL));
        other = px_body_def_default();
        other.name = "floor";
        other.wall = true;
        other.shape = px_shape_def_default(PX_SHAPE_BOX);
        other.shape.size = px_vec(2, 0.1, 2);
        other.shape.at = px_vec(0, -0.055, 0);
        CHECK_OK(px_world_add_body(world, &other, NULL));
    }
    return world;
}

/* The energy of gas is p0 V0 ln(V0 / V): what it loses, the cloth gets at most. */
static double fill(double pressure, double step, bool block, double until, double *strain,
                   double *lost)
{
    PxWorld *world = cushion(pressure, step, block, 1);
    double first = energy_of(world), last = first, sum = 0;
    *strain = 0;
    while (stats_of(world).time < until - 1e-9) {
        CHECK_OK(px_world_step(world, until));
        sum += fmax(energy_of(world) - last, 0);
        last = energy_of(world);
        *strain = fmax(*strain, stats_of(world).cloth_strain);
    }
    *lost = first - last;
    print_message("%g Pa, %g s: growth %.5f J, lost %.3f J, strain %.3f\n", pressure, step, sum,
                  *lost, *strain);
    px_world_free(world);
    return sum;
}

TEST(gas_that_fills_a_flat_cushion_gains_no_energy_in_long_steps)
{
    double strain[2], lost;
    CHECK(fill(400, 0.004, false, 0.1, &strain[0], &lost) < 1e-3);
    CHECK(fill(400, 0.0005, false, 0.1, &strain[1], &lost) < 1e-3);
    CHECK(strain[0] < 1.5 * strain[1]);
}

/* The energy of contacts is not in the sums. 0.033 of what is lost measured; with cells of 19 mm
 * (scene cushion with a block) 0. */
TEST(a_block_that_falls_on_a_cushion_gains_little_energy_in_long_steps)
{
    double strain, lost;
    CHECK(fill(1500, 0.004, true, 0.4, &strain, &lost) < 0.05 * lost);
}

TEST(gas_gives_the_same_bits_for_any_threads)
{
    uint64_t hash[2][2];
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = cushion(300, 0.004, true, k == 0 ? 1 : 3);
        CHECK_OK(px_world_advance(world, 0.24));
        hash_of(world, hash[k]);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
}

TEST_MAIN()
