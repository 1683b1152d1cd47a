/// Tearing of cloth: strength, cracks from tips, what is kept, saving, equal bits.
#include "check.h"

#include "base/vec.h"
#include "cloth/tear.h"
#include "phyxel/phyxel.h"
#include "text_world.h"
#include "world/cloth_stage.h"
#include "world/saved.h"
#include "world/tear_stage.h"

#include <stdlib.h>
#include <string.h>

#define START                                                                                      \
    "{\"phyxel\": 1, \"name\": \"torn\", \"time\": {\"frames\": 10, \"fps\": 20},"                 \
    " \"gravity\": [0, 0, 0], \"spacing\": 0.05,"
#define COTTON(more)                                                                               \
    " \"materials\": {\"cotton\": {\"density\": 100, \"cloth\": {\"mass\": 0.2, \"weft\": 500,"    \
    " \"warp\": 500, \"shear\": 50, \"poisson\": 0, \"bend\": 1e-5, \"limit\": 10" more "}}},"
#define SHEET(width, length, columns, rows, more)                                                  \
    " \"bodies\": [{\"name\": \"sheet\", \"material\": \"cotton\", \"shape\": {\"sheet\":"         \
    " {\"width\": " width ", \"length\": " length ", \"columns\": " columns ", \"rows\": " rows    \
    "}}" more "}]"
/* strain t / 10 of a strip of 0.4 m */
#define PULLED                                                                                     \
    ", \"handles\": [{\"name\": \"pin\", \"shape\": {\"box\": [0.01, 1, 1], \"at\": [-0.2, 0, "    \
    "0]}},"                                                                                        \
    " {\"name\": \"pull\", \"shape\": {\"box\": [0.01, 1, 1], \"at\": [0.2, 0, 0]},"               \
    " \"keyframes\": [{\"at\": 0}, {\"at\": 1, \"move\": [0.04, 0, 0]}]}]}"

static uint32_t pieces_of(const PxWorld *world)
{
    const PxClothSheet *s = world->cloths.data[0].sheet;
    uint32_t *up = malloc(s->vertices * sizeof *up), count = 0;
    for (uint32_t i = 0; i < s->vertices; ++i)
        up[i] = i;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t f = 0; f < s->faces; ++f)
            for (int k = 0; k < 3; ++k) {
                uint32_t a = s->face[f].corner[k], b = s->face[f].corner[(k + 1) % 3];
                uint32_t low = up[a] < up[b] ? up[a] : up[b];
                more = more || up[a] != low || up[b] != low;
                up[a] = up[b] = low;
            }
    }
    for (uint32_t i = 0; i < s->vertices; ++i)
        count += up[i] == i;
    free(up);
    return count;
}

PHYSICS(a_strip_tears_at_its_strength_in_one_place)
{
    /* 30 N/m is a strain of 0.06, at 0.6 s */
    static const char *const scene[] = {
        START COTTON(", \"damping\": 5, \"tear\": 30") SHEET("0.4", "0.1", "16", "4", "") PULLED,
        START COTTON(", \"damping\": 5, \"tear\": 30") SHEET("0.4", "0.1", "28", "7", "") PULLED,
        START COTTON(", \"damping\": 5, \"tear\": 30, \"membrane\": \"green\"") //
        SHEET("0.4", "0.1", "16", "4", "") PULLED,
        START COTTON(", \"damping\": 5, \"tear\": 30, \"tear_warp\": 3") //
        SHEET("0.4", "0.1", "16", "4", "") PULLED};
    for (size_t k = 0; k < PX_COUNT(scene); ++k) {
        PxWorld *world = world_of(scene[k], 2);
        CHECK_OK(px_world_advance(world, k == 2 ? 0.53 : 0.58));
        CHECK_EQUAL(px_tear_count(world), 0);
        CHECK_OK(px_world_advance(world, 0.62));
        CHECK(px_tear_count(world) > 0);
        CHECK_OK(px_world_advance(world, 0.8));
        CHECK_EQUAL(pieces_of(world), 2);
        CHECK(stats_of(world).cloth_elastic < 0.01 * 0.036); /* of that before: 0.5 T e A */
        px_world_free(world);
    }
}

TEST(a_spinning_sheet_tears_and_keeps_mass_momentum_and_water)
{
    PxWorld *world = world_of(
        START COTTON(", \"tear\": 2.5, \"self_collision\": true, \"pores\": 0.5, \"wet\": 0.5,"
                     " \"stiff_damping\": 0, \"thickness\": 0.002")
            SHEET("0.4", "0.4", "8", "8", ", \"velocity\": [1, 2, 0.5], \"spin\": [0, 30, 0]") "}",
        2);
    PxStats s = stats_of(world);
    PxVec3 first = s.cloth_momentum;
    double water = s.cloth_water, last = 0;
    double mass = 0.16 * 0.2 + water;
    CHECK(water > 0.01);
    for (int k = 0; k < 60 && s.cloth_torn < 6; ++k) {
        PxStats before = stats_of(world);
        CHECK_OK(px_tear_stage(world)); /* the step does not repeat it */
        s = stats_of(world);
        CHECK_NEAR(px_length(px_sub(s.cloth_momentum, before.cloth_momentum)), 0, 1e-15);
        CHECK_NEAR(s.cloth_kinetic, before.cloth_kinetic, 1e-15);
        CHECK(s.cloth_elastic <= before.cloth_elastic + 1e-15);
        CHECK_OK(px_world_step(world, 1));
        s = stats_of(world);
        double now = s.cloth_kinetic + s.cloth_elastic;
        /* the first step moves along tangents and stretches it: 0.25 % */
        CHECK(k == 0 || now < last);
        last = now;
    }
    CHECK(s.cloth_torn >= 6);
    CHECK_NEAR(s.cloth_water, water, 1e-15);
    CHECK_NEAR(px_length(first), mass * sqrt(5.25), 1e-12);
    /* to the tolerance of the solves */
    CHECK_NEAR(px_length(px_sub(s.cloth_momentum, first)), 0, 1e-5 * px_length(first));
    const PxClothSheet *sheet = world->cloths.data[0].sheet;
    double area = 0;
    for (uint32_t i = 0; i < sheet->vertices; ++i)
        area += sheet->share[i];
    CHECK_NEAR(area, 0.16, 1e-15);
    px_world_free(world);
}

TEST(a_tear_gives_the_same_bits_for_any_number_of_threads_and_after_a_resume)
{
    const char *text = START COTTON(", \"tear\": 2.5, \"self_collision\": true, \"crease\": 5,"
                                    " \"bending\": \"plate\"")
        SHEET("0.4", "0.4", "8", "8", ", \"spin\": [0, 30, 1]") "}";
    uint64_t hash[4][2];
    for (int k = 0; k < 4; ++k) {
        PxWorld *world = world_of(text, k < 3 ? 1 + k : 2);
        PxSavedWorld *saved = NULL;
        while (px_tear_count(world) < 4)
            CHECK_OK(px_world_step(world, 0.2));
        double at = px_world_state(world).time;
        if (k == 2) {
            PxWorld *again = world_of(text, 2);
            CHECK_OK(px_world_continue(again, world));
            px_world_free(world);
            world = again;
        }
        if (k == 3) {
            CHECK_OK(px_world_save(world, &saved));
            CHECK_OK(px_world_advance(world, at + 0.02));
            CHECK_OK(px_world_restore(world, saved));
            px_saved_free(saved);
        }
        CHECK_OK(px_world_advance(world, at + 0.06));
        CHECK(px_tear_count(world) > 6);
        px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, hash[k]);
        CHECK(memcmp(hash[k], hash[0], sizeof hash[0]) == 0);
        px_world_free(world);
    }
}

TEST(a_torn_sheet_has_the_corners_it_is_given_and_no_others)
{
    PxShapeDef def = px_shape_def_default(PX_SHAPE_SHEET);
    PxMesh *mesh;
    PxClothSheet *whole, *torn;
    def.size = px_vec(1, 0, 1);
    def.columns = def.rows = 2;
    CHECK_OK(px_cloth_mesh(&def, &mesh));
    CHECK_OK(px_cloth_sheet_create(mesh, def.rotation, PX_CLOTH_REST_SHAPE, &whole));
    px_mesh_free(mesh);
    uint32_t(*corner)[3] = malloc(whole->faces * sizeof *corner);
    for (uint32_t f = 0; f < whole->faces; ++f)
        memcpy(corner[f], whole->face[f].corner, sizeof corner[f]);
    const uint32_t(*given)[3] = (const uint32_t(*)[3])corner;
    CHECK_OK(px_cloth_sheet_torn(whole, given, whole->vertices, &torn));
    CHECK_EQUAL(torn->hinges, whole->hinges);
    CHECK_EQUAL(torn->borders, whole->borders);
    px_cloth_sheet_free(torn);
    corner[0][0] = whole->vertices; /* a corner of its own */
    CHECK_OK(px_cloth_sheet_torn(whole, given, whole->vertices + 1, &torn));
    CHECK_EQUAL(torn->vertices, whole->vertices + 1);
    CHECK_EQUAL(torn->hinges + torn->borders + whole->hinges,
                2 * (uint32_t)whole->hinges + whole->borders + (whole->hinges - torn->hinges));
    px_cloth_sheet_free(torn);
    CHECK_FAILS(px_cloth_sheet_torn(whole, given, whole->vertices + 2, &torn), PX_ERR_ARGUMENT,
                "belongs to no triangle");
    CHECK_FAILS(px_cloth_sheet_torn(whole, given, whole->vertices, &torn), PX_ERR_ARGUMENT,
                "no copy of");
    corner[0][0] = corner[0][1];
    CHECK_FAILS(px_cloth_sheet_torn(whole, given, whole->vertices, &torn), PX_ERR_ARGUMENT,
                "no copy of");
    CHECK_FAILS(px_cloth_sheet_torn(whole, given, 3, &torn), PX_ERR_ARGUMENT, "the whole has");
    free(corner);
    px_cloth_sheet_free(whole);
}

TEST_MAIN()
