/// Cloth in fluids: momentum, sides, leaks, a pool that rests in a sheet, wet cloth, equal bits.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "text_world.h"
#include "world/cloth_stage.h"
#include "world/sheet_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- worlds ---- */

#define MATERIALS(cloth)                                                                           \
    "\"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.2, \"weft\": 1000, "   \
    "\"warp\": 1000, \"shear\": 300, " cloth "}}, \"water\": {\"density\": 1000, \"viscosity\": "  \
    "0.001}}, "
#define SHEET(more)                                                                                \
    "{\"name\": \"sheet\", \"material\": \"cotton\", " more "\"shape\": {\"sheet\": {\"width\": "  \
    "0.4, \"length\": 0.4, \"columns\": 16, \"rows\": 16}}}"
#define PINNED                                                                                     \
    "\"handles\": [{\"name\": \"a\", \"body\": \"sheet\", \"shape\": {\"box\": [0.02, 0.1, 0.5], " \
    "\"at\": [-0.2, 0, 0]}}, {\"name\": \"b\", \"body\": \"sheet\", \"shape\": {\"box\": [0.02, "  \
    "0.1, 0.5], \"at\": [0.2, 0, 0]}}, {\"name\": \"c\", \"body\": \"sheet\", \"shape\": "         \
    "{\"box\": "                                                                                   \
    "[0.5, 0.1, 0.02], \"at\": [0, 0, 0.2]}}, {\"name\": \"d\", \"body\": \"sheet\", \"shape\": "  \
    "{\"box\": [0.5, 0.1, 0.02], \"at\": [0, 0, -0.2]}}], "

static PxVec3 momentum_of(PxWorld *world)
{
    PxStats s = stats_of(world);
    return px_add(s.momentum, s.cloth_momentum);
}

static void hash_of(PxWorld *world, uint64_t out[4])
{
    px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, out);
    px_table_hash(&world->particles.table, PX_COLUMN_STATE, out + 2);
}

/* ---- tests ---- */

static const char thrown[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], " MATERIALS(
        "\"fluid_friction\": 0.3") "\"bodies\": [" SHEET("") ", {\"name\": \"drop\", \"material\": "
                                                             "\"water\", \"velocity\": [0.5, -3, "
                                                             "0.2], \"shape\": {\"sphere\": 0.07, "
                                                             "\"at\": [0.03, 0.1, 0]}}]}";

/* A drop hits a sheet that nothing holds, and takes it along. */
TEST(momentum_is_kept)
{
    PxWorld *world = world_of(thrown, 2);
    PxVec3 before = momentum_of(world);
    CHECK_OK(px_world_advance(world, 0.1));
    PxVec3 after = momentum_of(world);
    PxStats s = stats_of(world);
    /* 0.032 kg of 1.5 kg; 0.0190 with 60 turns of pressure and cloth in each step, so the 0.02 that
     * this once asked for was more than the converged share */
    print_message("part of the momentum that cloth has: %.4f\n",
                  px_length(s.cloth_momentum) / px_length(before));
    CHECK(px_length(s.cloth_momentum) > 0.017 * px_length(before));
    CHECK_NEAR(px_length(px_sub(after, before)) / px_length(before), 0, 2e-5);
    CHECK(s.leaked == 0);
    px_world_free(world);
}

/* A pool falls on a sheet that is held at its edges, and is thrown up again. */
static const char bounced[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, " MATERIALS("\"thickness\": 0.001") PINNED
    "\"bodies\": [" SHEET("") ", {\"name\": \"pool\", \"material\": \"water\", "
                              "\"shape\": {\"box\": [0.3, 0.1, 0.3], \"at\": [0, 0.06, "
                              "0]}}]}";

static double energy_of(PxWorld *world)
{
    PxStats s = stats_of(world);
    return s.kinetic + s.potential + s.cloth_kinetic + s.cloth_potential + s.cloth_elastic;
}

/* The weaker the coupling of pressure and cloth, the more energy such a bounce gains. */
TEST(a_bounce_gains_no_energy)
{
    PxWorld *world = world_of(bounced, 2);
    double start = energy_of(world), most = 0, stretched = 0;
    while (stats_of(world).time < 0.25) {
        CHECK_OK(px_world_step(world, 0.25));
        most = fmax(most, energy_of(world) - start);
        stretched = fmax(stretched, stats_of(world).cloth_elastic);
    }
    print_message("energy gained / largest elastic energy: %.2g\n", most / stretched);
    CHECK(stretched > 2); /* J, of 9 kg that fall by about 0.1 m */
    CHECK(most < 0.01 * stretched);
    CHECK(stats_of(world).leaked == 0);
    px_world_free(world);
}

/* A block of water hits a towel that hangs, in the steps that the water chooses or in longer ones.
 * Turns of pressure and cloth that end too early gain energy: with a mismatch of 5 % of the change
 * of velocity 0.05 J of 22 J, with one of 10 % 0.1 J. So do forces of the cloth that are linear in
 * the step: 0.17 J with a weft of 50000 N/m, 30 J with that in steps of 5 ms. */
TEST(water_that_hits_cloth_gains_no_energy)
{
    static const struct {
        const char *velocity, *mass, *weft, *cells, *more;
    } towel[] = {
        {"[0, 0, -4]", "0.4", "2000", "20", ""},
        {"[0, 0, -10]", "0.4", "2000", "20", ""},
        {"[2, 0, -3]", "0.4", "2000", "20", ""},
        {"[0, 0, -1]", "0.4", "2000", "20", ""},
        {"[0, 0, -4]", "0.4", "50000", "20", ""},
        {"[0, 0, -4]", "0.4", "2000", "57", ""},
        {"[0, 0, -4]", "0.05", "2000", "20", ""},
        {"[0, 0, -4]", "0.4", "2000", "20", "\"max_step\": 0.01, \"courant\": 1, "},
        {"[0, 0, -4]", "0.4", "50000", "20", "\"max_step\": 0.01, \"courant\": 1, "},
    };
    for (size_t k = 0; k < PX_COUNT(towel); ++k) {
        char text[1500];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": 0.02, %s\"materials\": {\"terry\": {\"density\": "
                 "300, "
                 "\"cloth\": {\"mass\": %s, \"weft\": %s, \"warp\": 2000, \"shear\": 200, "
                 "\"bend\": 5e-5, \"thickness\": 0.004}}, \"water\": {\"density\": 1000, "
                 "\"viscosity\": 0.001}}, \"bodies\": [{\"name\": \"towel\", \"material\": "
                 "\"terry\", \"shape\": {\"sheet\": {\"width\": 0.4, \"length\": 0.4, "
                 "\"columns\": %s, \"rows\": %s}, \"turn\": {\"axis\": [1, 0, 0], \"degrees\": "
                 "90}}}, {\"name\": \"block\", \"material\": \"water\", \"velocity\": %s, "
                 "\"shape\": {\"box\": [0.146, 0.146, 0.146], \"at\": [0, 0, 0.09]}}], "
                 "\"handles\": [{\"name\": \"top\", \"body\": \"towel\", \"shape\": {\"box\": "
                 "[0.5, 0.03, 0.1], \"at\": [0, 0.2, 0]}}]}",
                 towel[k].more, towel[k].mass, towel[k].weft, towel[k].cells, towel[k].cells,
                 towel[k].velocity);
        PxWorld *world = world_of(text, 2);
        double start = energy_of(world), most = 0;
        while (stats_of(world).time < 0.03) {
            CHECK_OK(px_world_step(world, 0.03));
            most = fmax(most, energy_of(world) - start);
        }
        print_message("%s m/s, %s kg/m^2, %s N/m, %s cells: %.2g of %.3g J gained\n",
                      towel[k].velocity, towel[k].mass, towel[k].weft, towel[k].cells, most, start);
        CHECK(stats_of(world).cloth_kinetic > 1e-4 * start); /* it hits */
        CHECK(most < 1e-5 * start);
        CHECK(stats_of(world).leaked == 0);
        px_world_free(world);
    }
}

/* Vertices under a particle that presses and adds no mass are thrown away by it. */
TEST(every_particle_that_presses_adds_mass)
{
    uint32_t pressing = 0, missed = 0;
    PxWorld *world = world_of(thrown, 2);
    while (stats_of(world).time < 0.1) {
        CHECK_OK(px_world_step(world, 0.1));
        const PxSheets *s = px_sheet_stage_sheets(world);
        for (uint32_t k = 0; k < s->touches; ++k) {
            const PxSheetTouch *t = &s->touch[k];
            if (t->planes == 0 || px_dot(t->impulse, t->impulse) == 0)
                continue;
            ++pressing;
            missed += !(t->carried > 0);
        }
    }
    print_message("%u of %u add no mass\n", missed, pressing);
    CHECK(pressing > 100);
    CHECK(missed == 0);
    px_world_free(world);
}

/* A cube of jelly falls into a pool on a sheet that is held at its edges. */
PHYSICS(jelly_that_falls_into_a_pool_on_cloth_gains_no_energy)
{
    static const double spacing[] = {0.025, 0.02};
    for (int k = 0; k < 2; ++k) {
        char text[3000];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": %g, \"materials\": {\"cotton\": {\"density\": 100, "
                 "\"friction\": 0.4, \"cloth\": {\"mass\": 0.2, \"weft\": 1000, \"warp\": 1000, "
                 "\"shear\": 300, \"thickness\": 0.003}}, \"water\": {\"density\": 1000, "
                 "\"viscosity\": 0.001}, \"jelly\": {\"density\": 700, \"young\": 2e4, "
                 "\"friction\": 0.4, \"integration\": \"implicit\"}}, " PINNED
                 "\"bodies\": [" SHEET(
                     "") ", {\"name\": \"pool\", \"material\": \"water\", \"shape\": "
                         "{\"box\": [0.25, 0.05, 0.25], \"at\": [0, 0.03, 0]}}, {\"name\": "
                         "\"cube\", \"material\": \"jelly\", \"velocity\": [0, -2, 0], "
                         "\"shape\": {\"box\": [0.1, 0.1, 0.1], \"at\": [0.01, 0.13, 0]}}]}",
                 spacing[k]);
        PxWorld *world = world_of(text, 2);
        PxStats s = stats_of(world);
        double start = energy_of(world) + s.elastic, most = 0, fastest = 0, lowest = 0;
        while (s.time < 0.3) {
            CHECK_OK(px_world_step(world, 0.3));
            s = stats_of(world);
            most = fmax(most, energy_of(world) + s.elastic - start);
            fastest = fmax(fastest, s.speed_max);
            PxClothWater cloth = px_cloth_water(world);
            for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
                lowest = fmin(lowest, cloth.place[1][i]);
        }
        double fall = sqrt(2 * 2 + 2 * 9.81 * (0.18 - lowest));
        print_message("spacing %g: %.2f of the speed of free fall, %.2g J gained, leaked %llu\n",
                      spacing[k], fastest / fall, most, (unsigned long long)s.leaked);
        CHECK(fastest < fall);
        CHECK(most < 0.01);
        CHECK(s.leaked == 0);
        px_world_free(world);
    }
}

/* Water on both sides of a sheet, at the distance of rest. */
static const char two_sides[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"gravity\": [0, 0, 0], " MATERIALS("\"thickness\": 0.001")
        PINNED "\"bodies\": [" SHEET(
            "") ", {\"name\": \"above\", \"material\": \"water\", \"shape\": "
                "{\"box\": [0.24, 0.06, 0.24], \"at\": [0, 0.03, 0]}}, {\"name\": \"below\", "
                "\"material\": "
                "\"water\", \"shape\": {\"box\": [0.24, 0.06, 0.24], \"at\": [0, -0.03, 0]}}]}";

/* Positions at the start of the last step, with which its sheets were found. */
static PxParticles at_start(PxWorld *world, const PxSheets *s, float *place[3])
{
    PxParticles p = world->particles;
    for (uint32_t i = 0; i < p.table.count; ++i)
        for (int c = 0; c < 3; ++c)
            place[c][i] = s->quad[4 * (size_t)i + (size_t)c];
    p.x = place[0];
    p.y = place[1];
    p.z = place[2];
    return p;
}

static uint32_t wrong_planes(const PxSheets *s, const PxParticles *p, uint32_t *planes)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < p->table.count; ++i)
        for (uint32_t cloth = 0; cloth < s->sheets; ++cloth) {
            PxSheetPlane want[PX_SHEET_PLANES];
            PxVec3 place = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
            int count = px_sheet_planes(s, cloth, place, want), got = 0;
            for (const PxSheetFound *f = s->found[i]; f != NULL; f = f->next)
                if (f->cloth == cloth) {
                    got = f->planes;
                    for (int k = 0; k < count && k < got; ++k) {
                        /* floats choose the triangle: of two places whose distances d differ
                         * by e, 1e-8 m at most, directions differ by up to sqrt(2 e / d) */
                        double off = px_length(px_sub(f->plane[k].normal, want[k].normal));
                        wrong += fabs(f->plane[k].distance - want[k].distance) > 1e-8 ||
                                 off > sqrt(2e-8 / want[k].distance);
                    }
                }
            wrong += count != got;
            *planes += (uint32_t)count;
        }
    return wrong;
}

/* Entries of the neighbour lists that differ from those of a search through all triangles. */
static uint32_t wrong_sides(PxWorld *world, PxSheets *s, uint32_t *parted)
{
    PxPairs *pairs = &world->pairs;
    PxPairsParted out;
    uint32_t wrong = 0, rows = pairs->count;
    static uint32_t start[200000];
    uint32_t all = 0;
    for (uint32_t i = 0; i < rows; ++i)
        for (uint32_t k = 0; k < pairs->size[i] && all < PX_COUNT(start); ++k)
            start[all++] = pairs->row[pairs->start[i] + k];
    uint32_t *size = calloc(rows + 1, sizeof *size);
    for (uint32_t i = 0; i < rows; ++i)
        size[i] = pairs->size[i];
    CHECK_OK(px_sheets_part(s, pairs, rows, s->scratch, world->isa, &world->threads, &out));
    const PxParticles *p = s->particles;
    for (uint32_t i = 0, at = 0; i < rows; ++i) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < size[i] && at < all; ++k) {
            uint32_t n = start[at++];
            PxVec3 a = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
            PxVec3 b = {(double)p->x[n], (double)p->y[n], (double)p->z[n]};
            if (px_sheets_between(s, a, b)) {
                ++*parted;
                continue;
            }
            wrong += kept >= pairs->size[i] || pairs->row[pairs->start[i] + kept] != n;
            ++kept;
        }
        wrong += kept != pairs->size[i];
    }
    px_pairs_unite(pairs, &out);
    free(size);
    return wrong;
}

/* What the vector loops find is what a search through all triangles finds: on a sheet that folds
 * around a drop, and with water on both sides. */
TEST(planes_and_sides_are_those_of_all_triangles)
{
    const char *const text[] = {thrown, two_sides};
    for (int k = 0; k < 2; ++k) {
        PxWorld *world = world_of(text[k], 2);
        uint32_t planes = 0, parted = 0, wrong = 0, apart = 0;
        for (double time = 0.01; time < 0.105; time += 0.01) {
            CHECK_OK(px_world_advance(world, time));
            PxSheets *s = px_sheet_stage_sheets(world);
            uint32_t n = world->particles.table.count;
            float *place[3];
            for (int c = 0; c < 3; ++c)
                place[c] = calloc(n + 1, sizeof *place[c]);
            PxParticles start = at_start(world, s, place);
            const PxParticles *now = s->particles;
            s->particles = &start;
            wrong += wrong_planes(s, &start, &planes);
            apart += wrong_sides(world, s, &parted);
            s->particles = now;
            for (int c = 0; c < 3; ++c)
                free(place[c]);
        }
        print_message("%u planes, %u wrong; %u pairs apart, %u wrong\n", planes, wrong, parted,
                      apart);
        CHECK(planes > 500);
        CHECK(k == 0 || parted > 100);
        CHECK(wrong == 0);
        CHECK(apart == 0);
        px_world_free(world);
    }
}

TEST(fluid_does_not_feel_the_other_side)
{
    PxWorld *world = world_of(two_sides, 1);
    CHECK_OK(px_world_advance(world, 0.05));
    PxStats s = stats_of(world);
    CHECK(s.speed_max < 0.002);
    px_world_free(world);
}

/* A jet of 4 m/s on a sheet 0.5 mm thick, in steps of 1, 5 and 10 ms. */
PHYSICS(nothing_leaks)
{
    static const char *const steps[] = {"0.001", "0.005", "0.01"};
    for (int k = 0; k < 3; ++k) {
        char text[2600];
        snprintf(text, sizeof text,
                 "{\"phyxel\": 1, \"spacing\": 0.02, \"max_step\": %s, \"courant\": 1, " MATERIALS(
                     "\"thickness\": 0.0005, \"step\": 0.02") PINNED
                 "\"bodies\": [" SHEET(
                     "") ", {\"name\": \"jet\", \"material\": \"water\", "
                         "\"velocity\": [0, -4, 0], \"shape\": {\"cylinder\": {\"radius\": 0.06, "
                         "\"height\": 0.3}, \"at\": [0, 0.18, 0]}}]}",
                 steps[k]);
        PxWorld *world = world_of(text, 2);
        CHECK_OK(px_world_advance(world, 0.2));
        PxStats s = stats_of(world);
        CHECK(s.leaked == 0);
        const PxParticles *p = &world->particles; /* none is below the sheet's middle */
        for (uint32_t i = 0; i < p->table.count; ++i)
            CHECK(p->y[i] > -0.15f || fabsf(p->x[i]) > 0.19f || fabsf(p->z[i]) > 0.19f);
        px_world_free(world);
    }
}

/* A sheet in the middle of a block of water, in the plane of a layer of particles. */
TEST(particles_that_start_in_a_sheet_get_a_side)
{
    PxWorld *world =
        world_of("{\"phyxel\": 1, \"spacing\": 0.02, \"max_step\": 0.005, " MATERIALS(
                     "\"thickness\": 0.0005") PINNED
                 "\"bodies\": [" SHEET("") ", {\"name\": \"block\", "
                                           "\"material\": \"water\", \"shape\": {\"box\": "
                                           "[0.2, 0.18, 0.2], \"at\": [0, 0, 0]}}]}",
                 2);
    uint32_t within = 0;
    for (uint32_t i = 0; i < world->particles.table.count; ++i)
        within += fabsf(world->particles.y[i]) < 1e-6f;
    CHECK(within == 100);
    CHECK_OK(px_world_advance(world, 0.1));
    CHECK(stats_of(world).leaked == 0);
    px_world_free(world);
}

/* Jets on a free corner, on a sheet that lies above a floor, on a falling one that is folded by it,
 * on a gap between two walls, and water between two sheets. */
PHYSICS(nothing_leaks_at_corners_floors_folds_and_between_sheets)
{
    static const char *const cases[] = {
        PINNED "\"bodies\": [" SHEET(
            "") ", {\"name\": \"jet\", \"material\": \"water\", "
                "\"velocity\": [0, -10, 0], \"shape\": {\"cylinder\": {\"radius\": 0.06, "
                "\"height\": 0.3}, \"at\": [0, 0.18, 0]}}]",
        "\"handles\": [{\"name\": \"a\", \"body\": \"sheet\", \"shape\": {\"box\": [0.06, 0.1, "
        "0.5], \"at\": [-0.2, 0, 0]}}], \"bodies\": [" SHEET(
            "") ", {\"name\": \"jet\", \"material\": \"water\", \"velocity\": [0, -6, 0], "
                "\"shape\": {\"cylinder\": {\"radius\": 0.06, \"height\": 0.3}, \"at\": [0.18, "
                "0.18, 0.18]}}]",
        "\"bodies\": [" SHEET(
            "") ", {\"name\": \"jet\", \"material\": \"water\", \"velocity\": [0, "
                "-6, 0], \"shape\": {\"cylinder\": {\"radius\": 0.06, \"height\": 0.3}, \"at\": "
                "[0, 0.18, "
                "0]}}, {\"name\": \"floor\", \"wall\": true, \"shape\": {\"plane\": [0, 1, 0], "
                "\"at\": [0, "
                "-0.01, 0]}}]",
        "\"bodies\": [" SHEET(
            "") ", {\"name\": \"jet\", \"material\": \"water\", \"velocity\": [1, "
                "-5, 0.5], \"shape\": {\"cylinder\": {\"radius\": 0.06, \"height\": 0.3}, \"at\": "
                "[0.05, "
                "0.18, 0]}}, {\"name\": \"low\", \"wall\": true, \"shape\": {\"box\": [0.3, 0.05, "
                "0.5], "
                "\"at\": [-0.2, -0.03, 0]}}, {\"name\": \"right\", \"wall\": true, \"shape\": "
                "{\"box\": "
                "[0.2, 0.05, 0.5], \"at\": [0.2, -0.03, 0]}}]",
        PINNED "\"bodies\": [" SHEET(
            "") ", {\"name\": \"lid\", \"material\": \"cotton\", "
                "\"velocity\": [0, -3, 0], \"shape\": {\"sheet\": {\"width\": 0.4, \"length\": "
                "0.4, "
                "\"columns\": 16, \"rows\": 16}, \"at\": [0, 0.1, 0]}}, {\"name\": \"pool\", "
                "\"material\": \"water\", \"shape\": {\"box\": [0.3, 0.08, 0.3], \"at\": [0, 0.05, "
                "0]}}]"};
    static const char *const steps[] = {"0.001", "0.005", "0.01"};
    for (int c = 0; c < 5; ++c)
        for (int k = 0; k < 3; ++k) {
            char text[3000];
            snprintf(text, sizeof text,
                     "{\"phyxel\": 1, \"spacing\": 0.02, \"max_step\": %s, \"courant\": "
                     "1, " MATERIALS("\"thickness\": 0.0005, \"step\": 0.02, \"self_collision\": "
                                     "true") "%s}",
                     steps[k], cases[c]);
            PxWorld *world = world_of(text, 2);
            double start = energy_of(world), most = 0;
            while (stats_of(world).time < 0.08) {
                CHECK_OK(px_world_step(world, 0.08));
                most = fmax(most, energy_of(world) - start);
            }
            PxStats s = stats_of(world);
            if (s.leaked > 0 || most > 0)
                print_message("case %d, step %s: leaked %llu, gained %.2g of %.3g J\n", c, steps[k],
                              (unsigned long long)s.leaked, most, start);
            CHECK(s.leaked == 0);
            CHECK(most < 0.01 * start); /* up to 0.005; 12 with forces that are linear in a step */
            px_world_free(world);
        }
}

TEST(threads_and_saving_keep_the_bits)
{
    uint64_t hash[3][4];
    for (int k = 0; k < 3; ++k) {
        PxWorld *world = world_of(thrown, k + 1);
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_world_advance(world, 0.03));
        if (k == 2) {
            CHECK_OK(px_world_save(world, &saved));
            CHECK_OK(px_world_advance(world, 0.04));
            CHECK_OK(px_world_restore(world, saved));
        }
        CHECK_OK(px_world_advance(world, 0.06));
        hash_of(world, hash[k]);
        px_saved_free(saved);
        px_world_free(world);
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(memcmp(hash[0], hash[2], sizeof hash[0]) == 0);
}

/* A drop falls on a sheet that hangs in the middle; the sheet takes it up and drips. */
static const char soaked[] =
    "{\"phyxel\": 1, \"spacing\": 0.01, \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": "
    "{\"mass\": 0.2, \"weft\": 300, \"warp\": 300, \"shear\": 100, \"thickness\": 0.001, "
    "\"pores\": "
    "0.8, \"absorption\": 1e-3, \"diffusion\": 1e-3, \"rise\": 0.003}}, \"water\": {\"density\": "
    "1000, \"viscosity\": 0.01}}, \"handles\": [{\"name\": \"a\", \"body\": \"sheet\", \"shape\": "
    "{\"box\": [0.02, 0.1, 0.5], \"at\": [-0.2, 0, 0]}}, {\"name\": \"b\", \"body\": \"sheet\", "
    "\"shape\": {\"box\": [0.02, 0.1, 0.5], \"at\": [0.2, 0, 0]}}], \"bodies\": [" SHEET(
        "") ", {\"name\": \"drop\", \"material\": \"water\", \"shape\": {\"sphere\": 0.045, "
            "\"at\": [0, 0.055, "
            "0]}}]}";

PHYSICS(cloth_takes_up_liquid_and_drips)
{
    PxWorld *world = world_of(soaked, 2);
    PxStats s = stats_of(world);
    double before = s.mass;
    CHECK_OK(px_world_advance(world, 0.1));
    s = stats_of(world);
    CHECK(s.cloth_water > 0.005 * before);
    CHECK_NEAR((s.mass + s.cloth_water) / before, 1, 1e-12);
    uint64_t hash[2][4];
    PxSavedWorld *saved = NULL;
    CHECK_OK(px_world_save(world, &saved));
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(px_world_advance(world, 1.05)); /* the first drop falls at 0.95 s */
        hash_of(world, hash[k]);
        s = stats_of(world);
        if (k == 0)
            CHECK_OK(px_world_restore(world, saved));
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    CHECK(world->state.drips > 0);
    CHECK_NEAR((s.mass + s.cloth_water) / before, 1, 1e-12);
    px_saved_free(saved);
    px_world_free(world);
}

/* A strip that hangs by one end and is saturated; its liquid neither moves nor dries. */
static const char strip[] =
    "{\"phyxel\": 1, \"spacing\": 0.02, \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": "
    "{\"mass\": 0.2, \"weft\": 100, \"warp\": 100, \"poisson\": 0, \"damping\": 10, \"limit\": 1, "
    "\"bend\": 0.02, "
    "\"thickness\": 0.001, \"pores\": 0.5, \"rise\": 1000, \"diffusion\": 0, \"wet_stretch\": "
    "%s, \"wet_bend\": %s}}, \"water\": {\"density\": 1000}}, \"handles\": [{\"name\": \"a\", "
    "\"body\": \"strip\", \"shape\": {\"box\": [0.06, 0.1, 0.5], \"at\": [%s, 0, 0]}}], "
    "\"bodies\": "
    "[{\"name\": \"strip\", \"material\": \"cotton\", \"shape\": {\"sheet\": {\"width\": 0.4, "
    "\"length\": 0.1, \"columns\": 16, \"rows\": 4}%s}}]}";

static PxWorld *strip_of(const char *stretch, const char *bend, bool hangs, double saturation)
{
    char text[1600];
    snprintf(text, sizeof text, strip, stretch, bend, hangs ? "0" : "-0.2",
             hangs ? ", \"turn\": {\"axis\": [0, 0, 1], \"degrees\": 90}, \"at\": [0, -0.2, 0]"
                   : "");
    PxWorld *world = world_of(text, 1);
    CHECK_OK(px_world_advance(world, 1e-4));
    PxClothWater w = px_cloth_water(world);
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        w.water[i] = w.part[0][i] = saturation * world->cloth_system.share[i] * 0.5 * 0.001 * 1000;
    return world;
}

static double lowest(const PxWorld *world)
{
    double low = 0;
    for (uint32_t i = 0; i < world->cloth_vertices.count; ++i)
        low = fmin(low, px_cloth_water(world).place[1][i]);
    return -low;
}

/* Under its own weight a strip of length l and mass m per area lengthens by m g l^2 / (2 E); the
 * handle holds 5 cm of it. */
TEST(wet_cloth_stretches_by_its_factor)
{
    static const struct {
        const char *factor;
        double saturation, young;
    } cases[] = {{"1", 1, 100}, {"0.5", 0, 100}, {"0.5", 1, 50}, {"0.5", 0.5, 75}, {"2", 1, 200}};
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        PxWorld *world = strip_of(cases[k].factor, "1", true, cases[k].saturation);
        CHECK_OK(px_world_advance(world, 1.5));
        double mass = 0.2 + 0.5 * cases[k].saturation;
        double wanted = mass * 9.81 * 0.35 * 0.35 / (2 * cases[k].young);
        print_message("longer by %.6f m, wanted %.6f\n", lowest(world) - 0.4, wanted);
        CHECK_NEAR((lowest(world) - 0.4) / wanted, 1, 0.03);
        px_world_free(world);
    }
}

TEST(wet_cloth_bends_by_its_factor)
{
    static const char *const factor[] = {"1", "0.2", "50", "1, \"bending\": \"plate\"",
                                         "50, \"bending\": \"plate\""};
    double sinks[PX_COUNT(factor)];
    for (size_t k = 0; k < PX_COUNT(factor); ++k) {
        PxWorld *world = strip_of("1", factor[k], false, 1);
        uint64_t hash[2][4];
        PxSavedWorld *saved = NULL;
        CHECK_OK(px_world_advance(world, 0.1));
        CHECK_OK(px_world_save(world, &saved));
        for (int again = 0; again < 2; ++again) {
            CHECK_OK(px_world_advance(world, 1));
            hash_of(world, hash[again]);
            if (again == 0)
                CHECK_OK(px_world_restore(world, saved));
        }
        CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
        sinks[k] = lowest(world);
        px_saved_free(saved);
        px_world_free(world);
    }
    print_message("sinks by %.4f m, %.4f m softer, %.4f m stiffer\n", sinks[0], sinks[1], sinks[2]);
    CHECK(sinks[1] > 1.05 * sinks[0] && sinks[2] < 0.9 * sinks[0]);
    CHECK_NEAR(sinks[3], sinks[0], 0.1 * sinks[0]);
    CHECK_NEAR(sinks[4], sinks[2], 0.3 * sinks[2]);
}

TEST_MAIN()
