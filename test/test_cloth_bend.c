/// Bending of cloth as a plate, and creases.
#include "check.h"

#include "base/vec.h"
#include "phyxel/phyxel.h"
#include "shape/rectangle.h"
#include "text_world.h"
#include "world/cloth_bends.h"
#include "world/cloth_stage.h"
#include "world/saved.h"

#include <stdlib.h>
#include <string.h>

/* A sheet of 1 m^2 in a system of its own. */
typedef struct Bench {
    PxClothSheet *sheet;
    PxClothSystem system;
    PxArena scratch;
    PxThreads threads;
    PxClothLaw law;
    PxClothStep step;
    double *lean, *rest;
} Bench;

static void bench_make(Bench *b, PxSheetPattern pattern, double weft, double warp,
                       PxClothBending model)
{
    PxMesh *mesh;
    PxMaterialDef m = px_material_def_default();
    memset(b, 0, sizeof *b);
    m.cloth.cloth = true;
    m.cloth.bend = weft;
    m.cloth.bend_warp = warp;
    m.cloth.bending_model = model;
    CHECK_OK(px_rectangle_mesh((double[2]){1, 1}, (double[2]){10, 10}, pattern, 1, 0, &mesh));
    CHECK_OK(px_cloth_sheet_create(mesh, px_quat_identity(), PX_CLOTH_REST_SHAPE, &b->sheet));
    px_mesh_free(mesh);
    CHECK_OK(px_cloth_law(&m, "m", &b->law));
    px_cloth_system_init(&b->system, NULL);
    px_arena_init(&b->scratch, NULL);
    b->threads = (PxThreads){.count = 1};
    PxCloth cloth = {.sheet = b->sheet};
    CHECK_OK(px_cloth_system_build(&b->system, &cloth, 1));
    b->lean = calloc(b->system.edges + 1, sizeof *b->lean);
    b->rest = calloc(b->system.edges + 1, sizeof *b->rest);
    b->step = (PxClothStep){.system = &b->system,
                            .law = &b->law,
                            .threads = &b->threads,
                            .scratch = &b->scratch,
                            .dt = 0.01,
                            .rest = b->rest,
                            .lean = b->lean};
    CHECK_OK(px_cloth_step_begin(&b->step));
}

static void bench_free(Bench *b)
{
    free(b->lean);
    free(b->rest);
    px_cloth_sheet_free(b->sheet);
    px_cloth_system_free(&b->system);
    px_arena_free(&b->scratch);
}

/* Energy of bending when the normals of edges have found their angles. */
static double settle(Bench *b)
{
    double sum = 0;
    for (int k = 0; k < 30; ++k) {
        px_cloth_evaluate(&b->step);
        memcpy(b->lean, b->system.seen->lean, b->system.edges * sizeof *b->lean);
    }
    for (uint32_t t = 0; t < b->system.faces; ++t)
        sum += b->system.seen->bent[t];
    return sum;
}

/* The surface with the slight curvature a xx + b zz + 2 c xz, all over 2. */
static void bend(Bench *b, double uu, double vv, double uv)
{
    for (uint32_t k = 0; k < b->system.vertices; ++k) {
        PxVec3 x = b->sheet->start[k];
        x.y = 0.5 * (uu * x.x * x.x + vv * x.z * x.z) + uv * x.x * x.z;
        b->step.x[k] = x;
    }
}

static PxVec3 force_on(const Bench *b, uint32_t vertex)
{
    PxVec3 f = px_vec(0, 0, 0);
    for (uint32_t h = 0; h < b->system.hinges; ++h)
        for (int k = 0; k < 4; ++k)
            if (b->system.hinge[h].corner[k] == vertex)
                f = px_mad(f, b->step.hinge[h].slope[k], b->step.hinge[h].moment);
    return f;
}

static const PxSheetPattern patterns[] = {PX_SHEET_REGULAR, PX_SHEET_ALTERNATING, PX_SHEET_CROSS,
                                          PX_SHEET_IRREGULAR};

TEST(a_plate_has_the_energy_of_any_constant_curvature_in_any_mesh)
{
    const double way[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.7, -0.4, 0.5}};
    const double weft = 0.02, warp = 0.005, twist = 2 * sqrt(weft * warp), s = 0.01;
    for (size_t p = 0; p < PX_COUNT(patterns); ++p) {
        Bench b;
        bench_make(&b, patterns[p], weft, warp, PX_CLOTH_PLATE);
        for (int n = 0; n < 4; ++n) {
            const double *k = way[n];
            bend(&b, s * k[0], s * k[1], s * k[2]);
            double is = settle(&b),
                   wanted = 0.5 * s * s *
                            (weft * k[0] * k[0] + warp * k[1] * k[1] + twist * k[2] * k[2]);
            /* free borders carry no moment: they lower the energy in a strip of about a cell */
            CHECK(is < 1.001 * wanted && is > 0.85 * wanted);
            if (n == 2) /* of twist, borders carry their part */
                CHECK_NEAR(is, wanted, 1e-3 * wanted);
        }
        bench_free(&b);
    }
}

/* Far from the borders a constant moment is in balance, in contrast to hinges of their own. */
TEST(a_plate_of_constant_curvature_is_in_balance)
{
    double pull[2];
    for (int model = 0; model < 2; ++model) {
        Bench b;
        bench_make(&b, PX_SHEET_IRREGULAR, 0.02, 0.02,
                   model == 0 ? PX_CLOTH_PLATE : PX_CLOTH_DIHEDRAL);
        bend(&b, 0.01, 0, 0);
        settle(&b);
        pull[model] = 0;
        for (uint32_t k = 0; k < b.system.vertices; ++k)
            if (fabs(b.sheet->start[k].x) < 0.25 && fabs(b.sheet->start[k].z) < 0.25)
                pull[model] = fmax(pull[model], px_length(force_on(&b, k)));
        bench_free(&b);
    }
    print_message("largest force inside, plate / hinges: %.3g\n", pull[0] / pull[1]);
    CHECK(pull[0] < 0.05 * pull[1]);
}

TEST(forces_of_plates_are_the_slope_of_their_energy)
{
    Bench b;
    bench_make(&b, PX_SHEET_CROSS, 0.02, 0.005, PX_CLOTH_PLATE);
    bend(&b, 2, -1, 1);
    for (uint32_t k = 0; k < b.system.vertices; ++k)
        b.step.x[k].y += 0.02 * sin(7.0 * k);
    settle(&b);
    for (uint32_t k = 5; k < b.system.vertices; k += 31) {
        double h = 1e-5, was = b.step.x[k].y, force = force_on(&b, k).y;
        b.step.x[k].y = was + h;
        double up = settle(&b);
        b.step.x[k].y = was - h;
        double slope = (up - settle(&b)) / (2 * h);
        b.step.x[k].y = was;
        settle(&b);
        CHECK_NEAR(force, slope, 1e-3 * (fabs(slope) + 1e-3));
    }
    bench_free(&b);
}

/* ---- creases ---- */

/* A strip that sticks out 0.3 m, of a cloth that its weight bends by up to 16 per metre. */
static PxWorld *strip(double crease, const char *model)
{
    char text[1000];
    snprintf(text, sizeof text,
             "{\"phyxel\": 1, \"spacing\": 0.05, \"materials\": {\"m\": {\"density\": 100, "
             "\"cloth\": {\"mass\": 0.2, \"bend\": 5e-3, \"damping\": 10, \"crease\": %g, "
             "\"bending\": \"%s\"}}}, \"bodies\": [{\"name\": \"a\", \"material\": \"m\", "
             "\"shape\": {\"sheet\": {\"width\": 0.4, \"length\": 0.1, \"columns\": 16, \"rows\": "
             "4}}}], \"handles\": [{\"name\": \"h\", \"body\": \"a\", \"shape\": {\"box\": [0.11, "
             "0.1, 1], \"at\": [-0.15, 0, 0]}}]}",
             crease, model);
    return world_of(text, 1);
}

static double lowest(const PxWorld *world)
{
    const PxTable *t = &world->cloth_vertices;
    const double *y = px_table_find(t, "position")->data[1];
    double low = 0;
    for (uint32_t k = 0; k < t->count; ++k)
        low = fmin(low, y[k]);
    return low;
}

TEST(a_crease_stays_when_the_load_is_gone)
{
    static const char *const model[] = {"dihedral", "plate"};
    for (int k = 0; k < 2; ++k) {
        double bent[2], left[2];
        for (int creased = 0; creased < 2; ++creased) {
            PxWorld *world = strip(creased ? 5 : 0, model[k]);
            CHECK_OK(px_world_advance(world, 1.5));
            bent[creased] = lowest(world);
            world->def.gravity = px_vec(0, 0, 0);
            CHECK_OK(px_world_advance(world, 5));
            left[creased] = lowest(world);
            px_world_free(world);
        }
        print_message("%s: %.3f m low, then %.3f; with creases %.3f, then %.3f\n", model[k],
                      bent[0], left[0], bent[1], left[1]);
        CHECK(left[0] > 0.05 * bent[0]);
        CHECK(left[1] < 0.3 * bent[1]);
    }
}

TEST(creases_of_linear_bending_are_refused)
{
    PxMaterialDef m = px_material_def_default();
    PxClothLaw law;
    m.cloth.cloth = true;
    m.cloth.crease = 5;
    m.cloth.bending_model = PX_CLOTH_LINEAR;
    CHECK_FAILS(px_cloth_law(&m, "m", &law), PX_ERR_ARGUMENT, "crease");
}

TEST(creases_are_saved_and_forged_ones_are_refused)
{
    PxWorld *world = strip(5, "plate");
    PxSavedWorld *saved = NULL;
    uint64_t hash[2][2];
    CHECK_OK(px_world_advance(world, 0.5));
    CHECK_OK(px_world_save(world, &saved));
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(px_world_advance(world, 0.8));
        px_table_hash(&world->cloth_vertices, PX_COLUMN_STATE, hash[k]);
        CHECK_OK(px_world_restore(world, saved));
    }
    CHECK(memcmp(hash[0], hash[1], sizeof hash[0]) == 0);
    const PxTable *edges = px_saved_find(saved, "cloth_edges");
    ((double *)px_table_find(edges, "crease")->data[0])[3] = 1e3;
    CHECK_FAILS(px_cloth_bends_check(world, &world->state, edges), PX_ERR_FORMAT, "edge 3");
    px_saved_free(saved);
    px_world_free(world);
}

TEST_MAIN()
