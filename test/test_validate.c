/// Cases of `phyxel bench validate`, smaller.
#include "check.h"

#include "study/column.h"
#include "study/drop.h"
#include "study/plate_jet.h"
#include "study/rayleigh_taylor.h"
#include "study/sloshing.h"
#include "study/study.h"
#include "study/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static bool stop_at_once(void *user, const char *what)
{
    int *asked = user;
    CHECK(strstr(what, "column at rest") != NULL);
    ++*asked;
    return false;
}

TEST(the_bench_reports_progress_and_stops_on_request)
{
    int asked = 0;
    char *text, *json;
    PxBenchDef def = px_bench_def_default();
    def.quick = true;
    CHECK_FAILS(px_bench_run("validate", &def, stop_at_once, &asked, &text, &json), PX_ERR_STOPPED,
                "column at rest");
    CHECK(text == NULL && json == NULL);
    CHECK_EQUAL(asked, 1);
}

TEST(every_case_of_the_bench_has_a_name_of_its_own_and_every_group_a_description)
{
    for (size_t g = 0; px_validate_group(g) != NULL; ++g) {
        const PxValidateGroup *group = px_validate_group(g);
        CHECK(group->title[0] != '\0' && strncmp(group->about, "- **", 4) == 0 && group->count > 0);
        for (size_t a = 0; a < group->count; ++a)
            for (size_t b = 0; b < a; ++b) {
                const PxValidateCase *c = &group->cases[a], *d = &group->cases[b];
                const char *x = c->model != NULL ? c->model : "",
                           *y = d->model != NULL ? d->model : "";
                CHECK(strcmp(c->name, d->name) != 0 || strcmp(c->solver, d->solver) != 0 ||
                      strcmp(x, y) != 0 || c->cells != d->cells);
            }
    }
    CHECK(px_validate_group(10000) == NULL);
}

TEST(figures_of_the_last_release_are_found_by_the_name_of_their_row)
{
    PxRowName name = {"drop", "dfsph", "csf", "pressure inside, Pa", 8};
    CHECK(isfinite(px_last_release(&name)));
    name.cells = 9;
    CHECK(isnan(px_last_release(&name)));
    name = (PxRowName){"drop", "dfsph", "csf", "pressure", 8};
    CHECK(isnan(px_last_release(&name)));
}

static char *read_text(const char *path)
{
    static char text[100000];
    FILE *in = fopen(path, "r");
    CHECK(in != NULL);
    text[in != NULL ? fread(text, 1, sizeof text - 1, in) : 0] = '\0';
    if (in != NULL)
        fclose(in);
    return text;
}

TEST(the_page_marks_what_is_not_within_its_limit)
{
    char path[] = "/tmp/phyxel-page-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0);
    close(file);
    const PxValidateGroup *group = px_validate_group(0);
    const PxRow rows[] = {{.name = {"good, case", "dfsph", "", "height", 10},
                           .group = group,
                           .figure = {"height", 1.01, 1, 0.01, 0.02},
                           .coarse = NAN,
                           .last = 1.015},
                          {.name = {"bad case", "dfsph", "x", "height", 10},
                           .group = group,
                           .figure = {"height", 1.03, 1, 0.03, 0.02},
                           .coarse = 0.05,
                           .last = NAN,
                           .day = "2026-11-18"}};
    CHECK_OK(px_rows_write_page(path, rows, 2));
    const char *page = read_text(path);
    CHECK(strstr(page, "**1 of 2 figures") != NULL);
    CHECK(
        strstr(page, "| good, case | dfsph |  | 10 | height | 1.01 | 1 | 1 | 2 |  | 1.015 |  |") !=
        NULL);
    CHECK(strstr(page, "| bad case | dfsph | x | 10 | height | 1.03 | 1 | **3** | 2 | 5 |  | "
                       "2026-11-18 |") != NULL);
    CHECK(strstr(page, "- bad case, dfsph, x: height: error 3 %, wanted 2 %") != NULL);
    for (size_t g = 0; px_validate_group(g) != NULL; ++g)
        CHECK(strstr(page, px_validate_group(g)->about) != NULL);
    CHECK_OK(px_rows_write_csv(path, rows, 2));
    page = read_text(path);
    CHECK(strstr(page, ",good; case,dfsph,,10,height,1.01,1,1,2,,\n") != NULL);
    CHECK(strstr(page, ",bad case,dfsph,x,10,height,1.03,1,3,2,5,2026-11-18\n") != NULL);
    PxRowTable table;
    CHECK_OK(px_rows_read_csv(path, &table));
    CHECK_EQUAL(table.count, 2);
    CHECK_TEXT(table.row[0].name.name, "good, case");
    CHECK_TEXT(table.row[1].name.model, "x");
    CHECK(table.row[1].figure.measured == 1.03 && table.row[1].coarse == 0.05);
    CHECK(isnan(table.row[0].coarse));
    CHECK_TEXT(table.row[0].day, "");
    CHECK_TEXT(table.row[1].day, "2026-11-18");
    px_row_table_free(&table);
    unlink(path);
    CHECK_FAILS(px_rows_read_csv(path, &table), PX_ERR_IO, path);
    CHECK_FAILS(px_rows_write_csv("/tmp/no/such/folder/x.csv", rows, 2), PX_ERR_IO, "x.csv");
}

TEST(the_page_of_validation_is_written_from_all_cases_only)
{
    char *text, *json;
    PxBenchDef def = px_bench_def_default();
    def.tests = "surface";
    def.page = "/tmp/unused.md";
    CHECK_FAILS(px_bench_run("validate", &def, NULL, NULL, &text, &json), PX_ERR_ARGUMENT,
                "needs every case");
    def.page = NULL;
    def.tests = "no such case";
    CHECK_FAILS(px_bench_run("validate", &def, NULL, NULL, &text, &json), PX_ERR_ARGUMENT,
                "no case of validate");
    def.csv = "/tmp/unused.csv";
    def.tests = NULL;
    CHECK_FAILS(px_bench_run("fluid", &def, NULL, NULL, &text, &json), PX_ERR_ARGUMENT, "--csv");
}

TEST(an_error_below_zero_is_an_error)
{
    PxFigures figures = {.count = 0};
    px_figures_add(&figures, "too small", 0.5, 1, -0.5, 0.03);
    PxRow row = {.figure = figures.figure[0]};
    CHECK(figures.figure[0].error == 0.5 && !px_row_good(&row));
}

/* One case is measured, one comes from a table; the page names the others. */
TEST(the_page_of_validation_can_be_brought_up_to_date_in_parts)
{
    char table[] = "/tmp/phyxel-rows-XXXXXX", page[] = "/tmp/phyxel-page-XXXXXX";
    int file = mkstemp(table);
    CHECK(file >= 0);
    dprintf(file, "header\n0.1.0,patch test of cloth,-,,16,old,0.5,1,50,3,,2026-11-17\n"
                  "0.1.0,hanging strip,-,green,20,old,0.25,1,75,3,,2026-11-16\n");
    close(file);
    file = mkstemp(page);
    CHECK(file >= 0);
    close(file);
    char *text = NULL, *json = NULL;
    PxBenchDef def = px_bench_def_default();
    def.threads = 1;
    def.tests = "patch test of cloth";
    def.from = table;
    def.page = page;
    CHECK_OK(px_bench_run("validate", &def, NULL, NULL, &text, &json));
    free(text);
    free(json);
    const char *got = read_text(page);
    CHECK(strstr(got, "| hanging strip | - | green | 20 | old | 0.25 | 1 | **75** | 3 |  |  | "
                      "2026-11-16 |") != NULL);
    CHECK(strstr(got, "| patch test of cloth | - |  | 16 |") != NULL);
    CHECK(strstr(got, "| 16 | old |") == NULL); /* it was measured again */
    CHECK(strstr(got, "\nNot measured: column at rest, dfsph, 40 spacings; ") != NULL);
    CHECK(strstr(got, "; patch test of cloth") == NULL);
    unlink(table);
    unlink(page);
}

TEST(a_small_column_carries_its_weight)
{
    /* 10 layers; measured 1.7 % high at half depth, 0.5 % at the bottom, 0.6 % of height lost */
    PxColumnDef def = px_column_def_default();
    def.spacing = 0.02;
    def.depth = 0.2;
    def.width = 0.16;
    def.seconds = 0.8;
    def.settle = 0.4;
    PxColumnResult result;
    CHECK_OK(px_column_rest(&def, &result));
    CHECK_NEAR(result.middle, 1, 0.03);
    CHECK_NEAR(result.bottom, 1, 0.02);
    CHECK_NEAR(result.height, 1, 0.03);
    CHECK_EQUAL(result.leaked, 0);
}

TEST(a_jet_pushes_a_plate_with_the_momentum_it_brings)
{
    PxPlateJetDef def = px_plate_jet_def_default();
    PxPlateJetResult result;
    def.spacing = def.width / 6;
    def.plate = 6;
    CHECK_OK(px_plate_jet(&def, &result));
    CHECK_NEAR(result.force, 1, 0.05); /* measured 1.045 */
    CHECK_NEAR(result.across, 0, 0.01);
    CHECK_EQUAL(result.leaked, 0);
}

PHYSICS(a_standing_wave_keeps_its_period_and_height)
{
    PxSloshingDef def = px_sloshing_def_default();
    PxSloshingResult result;
    def.pressure = "projection";
    def.spacing = 0.025;
    CHECK_OK(px_sloshing(&def, &result));
    CHECK_NEAR(result.period, 1, 0.01); /* measured 1.0027; dfsph 0.9616 */
    CHECK(result.kept > 0.85);          /* measured 0.8936; dfsph 0.6976 */
    CHECK_EQUAL(result.leaked, 0);
}

TEST(pressure_is_the_same_in_the_edges_of_a_tank_as_between_them)
{
    /* In an edge between two walls each takes its share of the stress. */
    PxWorldDef def = px_world_def_default();
    def.spacing = 0.02;
    PxWorld *world;
    CHECK_OK(px_world_create(&def, &world));
    PxMaterialDef water = px_material_def_default();
    PxBodyDef body = px_body_def_default();
    CHECK_OK(px_world_add_material(world, &water, &body.material));
    body.name = "water";
    body.shape.size = (PxVec3){0.16, 0.2, 0.16};
    body.shape.at = (PxVec3){0, 0.1, 0};
    CHECK_OK(px_world_add_body(world, &body, NULL));
    body.name = "tank";
    body.material = (PxMaterialId){0, 0};
    body.wall = body.inside = true;
    body.shape.size.y = 0.4;
    body.shape.at.y = 0.2;
    CHECK_OK(px_world_add_body(world, &body, NULL));
    double sum[2] = {0, 0}, wanted[2] = {0, 0};
    CHECK_OK(px_world_advance(world, 0.3));
    while (px_world_time(world) < 0.7) {
        CHECK_OK(px_world_step(world, 0.7));
        PxStats stats;
        px_world_stats(world, &stats);
        const float *x = px_world_floats(world, "position", 0);
        const float *y = px_world_floats(world, "position", 1);
        const float *z = px_world_floats(world, "position", 2);
        const float *p = px_world_floats(world, "pressure", 0);
        for (uint32_t i = 0; i < px_world_count(world); ++i) {
            int beside = (fabsf(x[i]) > 0.06f) + (fabsf(z[i]) > 0.06f);
            if (beside == 1 || y[i] < 0.04f || y[i] > 0.14f)
                continue;
            sum[beside / 2] += stats.dt * (double)p[i];
            wanted[beside / 2] += stats.dt * 9810 * (0.2 - (double)y[i]);
        }
    }
    /* measured 0.3 % high in the edges */
    CHECK_NEAR(sum[0] / wanted[0], 1, 0.05);
    CHECK_NEAR(sum[1] / wanted[1], 1, 0.05);
    px_world_free(world);
}

TEST(a_free_drop_keeps_its_momenta)
{
    PxDropDef def = px_drop_def_default();
    def.spacing = def.radius / 4;
    def.velocity = (PxVec3){1, 2, 0};
    def.spin = (PxVec3){0, 0, 8};
    PxDropMomenta lost;
    CHECK_OK(px_drop_momenta(&def, 1, 0.02, 1e-3, &lost));
    CHECK_NEAR(lost.linear, 0, 1e-5);
    CHECK_NEAR(lost.angular, 0, 1e-5);
    CHECK_NEAR(lost.middle, 0, 1e-5);
}

TEST(heavy_over_light_grows)
{
    /* 20 spacings a wavelength are too few for the rate: measured 0.60 of the formula's */
    PxRayleighTaylorDef def = px_rayleigh_taylor_def_default();
    def.cells = 20;
    PxRayleighTaylorResult result;
    CHECK_OK(px_rayleigh_taylor(&def, &result));
    CHECK(result.rate > 0.2 && result.rate < 1.2);
    CHECK(result.amplitude >= def.until);
}

TEST(finite_standing_waves_are_slower_in_deep_water_and_faster_in_shallow)
{
    PxSloshingDef def = px_sloshing_def_default();
    def.mode = 1;
    def.amplitude = 0.1 / 3.14159265358979; /* slope 0.1 */
    def.depth = 10;                         /* deep: 1 - slope^2 / 8 (Rayleigh 1915) */
    CHECK_NEAR(px_sloshing_theory(&def), 1 / (1 - 0.01 / 8), 1e-9);
    def.depth = 0.5;
    CHECK_NEAR(px_sloshing_theory(&def), 1.000974, 1e-6);
    def.depth = 0.3; /* the sign changes at a depth of 0.337 lengths */
    CHECK(px_sloshing_theory(&def) < 1);
    def.depth = 0.5;
    def.amplitude = 0.09;
    def.mode = 0; /* tilted */
    CHECK_NEAR(px_sloshing_theory(&def), 1.00514, 1e-5);
}

TEST_MAIN()
