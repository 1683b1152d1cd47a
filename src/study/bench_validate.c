/// Validation bench: fluids, solids, heat and surfaces compared with formulas.
///
/// Each case is one line of the list below. The full bench also measures it at twice its spacing,
/// to check that a finer spacing is not worse.
#include "study/bench.h"

#include "phyxel/surface.h"
#include "shape/shape.h"
#include "study/column.h"
#include "study/drop.h"
#include "study/elastic_bar.h"
#include "study/free_solid.h"
#include "study/frozen.h"
#include "study/heat_bar.h"
#include "study/plate_jet.h"
#include "study/rayleigh_taylor.h"
#include "study/sloshing.h"
#include "study/solid_probe.h"
#include "study/viscous_flows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST_FIGURES = 4 };

/* Results of a case. Errors and their bounds are relative to the reference, or to the quantity
 * that the case names. */
typedef struct Figure {
    const char *what;
    double measured, reference, error, within;
} Figure;

typedef struct Figures {
    Figure figure[MOST_FIGURES];
    size_t count;
} Figures;

static void add(Figures *out, const char *what, double measured, double reference, double error,
                double within)
{
    out->figure[out->count++] = (Figure){what, measured, reference, error, within};
}

/* A result measured against a reference that is not 0. */
static void compare(Figures *out, const char *what, double measured, double reference,
                    double within)
{
    add(out, what, measured, reference, fabs(measured / reference - 1), within);
}

typedef struct Case {
    const char *name;
    PxStatus (*measure)(const struct Case *c, double coarser, int threads, Figures *out);
    const char *pressure; /* pressure model; for solids the integration */
    /* viscosity or tension model, Poisson's ratio, or another variant of the case */
    const char *model;
    /* resolution: number of spacings along the characteristic length of the case */
    double cells;
    bool quick; /* part of the quick bench */
    bool twice; /* also measured at twice the spacing */
} Case;

/* Water at rest, 1 m deep. */
static PxStatus column(const Case *c, double coarser, int threads, Figures *out)
{
    PxColumnDef def = px_column_def_default();
    def.pressure = c->pressure;
    def.spacing = coarser * def.depth / c->cells;
    def.threads = threads;
    PxColumnResult result;
    PX_TRY(px_column_rest(&def, &result));
    compare(out, "pressure at half depth / rho g d", result.middle, 1, 0.03);
    compare(out, "pressure at the bottom / rho g d", result.bottom, 1, 0.03);
    double within = strcmp(c->pressure, "sesph") == 0 ? 0.03 : 0.01;
    add(out, "height by the centre of mass / depth", result.height, 1, fabs(result.height - 1),
        within);
    add(out, "height of the top layer / depth", result.top, 1, fabs(result.top - 1), NAN);
    return PX_OK;
}

/* A square jet on a plate. */
static PxStatus plate_jet(const Case *c, double coarser, int threads, Figures *out)
{
    PxPlateJetDef def = px_plate_jet_def_default();
    def.pressure = c->pressure;
    def.spacing = coarser * def.width / c->cells;
    def.threads = threads;
    PxPlateJetResult result;
    PX_TRY(px_plate_jet(&def, &result));
    compare(out, "force / rho A v^2", result.force, 1, 0.05);
    add(out, "force along the plate / rho A v^2", result.across, 0, result.across, 0.05);
    return PX_OK;
}

/* The first standing wave in a tank. */
static PxStatus sloshing(const Case *c, double coarser, int threads, Figures *out)
{
    PxSloshingDef def = px_sloshing_def_default();
    def.pressure = c->pressure;
    def.spacing = coarser * def.length / c->cells;
    def.threads = threads;
    PxSloshingResult result;
    PX_TRY(px_sloshing(&def, &result));
    compare(out, "period / linear theory", result.period, 1, 0.01);
    compare(out, "amplitude kept in a period", result.kept, 1, 0.03);
    return PX_OK;
}

static PxFlowCase flow_of(const Case *c, double coarser, int threads)
{
    return (PxFlowCase){.model = c->model,
                        .cells = (uint32_t)(c->cells / coarser),
                        .reynolds = 0.5,
                        .length = 4,
                        .friction = 1,
                        .threads = threads};
}

static PxStatus poiseuille(const Case *c, double coarser, int threads, Figures *out)
{
    PxFlowCase flow = flow_of(c, coarser, threads);
    PxFlowResult result;
    PX_TRY(px_flow_poiseuille(&flow, &result));
    compare(out, "peak velocity / formula", result.fastest, 1, 0.02);
    add(out, "largest profile error / peak", result.worst, 0, result.worst, 0.02);
    return PX_OK;
}

static PxStatus couette(const Case *c, double coarser, int threads, Figures *out)
{
    PxFlowCase flow = flow_of(c, coarser, threads);
    PxFlowResult result;
    PX_TRY(px_flow_couette(&flow, 0.1, &result));
    add(out, "largest profile error / plate velocity", result.worst, 0, result.worst, 0.03);
    return PX_OK;
}

static PxDropDef drop_of(const Case *c, double coarser, int threads)
{
    PxDropDef def = px_drop_def_default();
    def.pressure = px_pressure_choice(c->pressure);
    def.tension = px_tension_choice(c->model);
    if (strcmp(c->model, "csf") == 0)
        def.tension.param[0] = 1;
    def.spacing = coarser * def.radius / c->cells;
    def.threads = threads;
    return def;
}

static PxStatus free_drop(const Case *c, double coarser, int threads, Figures *out)
{
    PxDropDef def = drop_of(c, coarser, threads);
    def.velocity = (PxVec3){1, 2, 0};
    def.spin = (PxVec3){0, 0, 8};
    PxDropMomenta lost;
    PX_TRY(px_drop_momenta(&def, 1, 0.05, 5e-4, &lost));
    double linear = fmax(lost.linear, lost.middle);
    add(out, "momentum lost / m v", linear, 0, linear, 1e-5);
    add(out, "angular momentum lost / m v R", lost.angular, 0, lost.angular, 1e-5);
    return PX_OK;
}

/* A drop at rest, then pushed. */
static PxStatus watch_drop(const PxDropDef *def, PxWorld *world, Figures *out)
{
    double sigma = def->tension.param[0], radius = px_drop_radius(world, def->density);
    double pressure = 0, time = 0;
    PX_TRY(px_world_advance(world, 2));
    while (px_world_time(world) < 3) { /* weighted by the length of steps, as in a column */
        PX_TRY(px_world_step(world, 3));
        PxStats stats;
        px_world_stats(world, &stats);
        pressure += stats.dt * px_drop_pressure(world, 0.6 * radius);
        time += stats.dt;
    }
    compare(out, "pressure inside, Pa", pressure / time, 2 * sigma / radius, 0.05);
    /* omega^2 = n (n - 1) (n + 2) sigma / (rho R^3) for n = 2 (Rayleigh 1879) */
    double omega = sqrt(8 * sigma / (def->density * radius * radius * radius));
    double period = 2 * PI / omega;
    double measured = px_drop_period(world, 0.05 * radius * omega, period);
    compare(out, "period of the second mode, s", measured, period, 0.05);
    return PX_OK;
}

static PxStatus drop(const Case *c, double coarser, int threads, Figures *out)
{
    PxDropDef def = drop_of(c, coarser, threads);
    PxWorld *world = NULL;
    PX_TRY(px_drop_make(&def, &world));
    PxStatus status = watch_drop(&def, world, out);
    px_world_free(world);
    return status;
}

static PxStatus thick(const Case *c, double coarser, int threads, Figures *out)
{
    PxThickDef def = px_thick_def_default();
    def.pressure = c->pressure;
    def.spacing = coarser * 0.12 / c->cells;
    def.threads = threads;
    PxThickResult result;
    PX_TRY(px_column_thick(&def, &result));
    add(out, "checks at which it had not sunk and spread", result.backwards, 0, result.backwards,
        0);
    compare(out, "mean step, ms", 1e3 * result.step, 1e3 * def.step, 0.01);
    return PX_OK;
}

static PxStatus rayleigh_taylor(const Case *c, double coarser, int threads, Figures *out)
{
    PxRayleighTaylorDef def = px_rayleigh_taylor_def_default();
    def.pressure = c->pressure;
    def.cells = c->cells / coarser;
    if (c->model != NULL)
        def.support = 2.1;
    def.threads = threads;
    PxRayleighTaylorResult result;
    PX_TRY(px_rayleigh_taylor(&def, &result));
    compare(out, "growth rate / formula", result.rate, 1, 0.15);
    return PX_OK;
}

/* The surface of a ball of particles on a lattice, `cells` spacings in radius. */
static PxStatus ball_surface(const Case *c, double coarser, int threads, Figures *out)
{
    PxSurfaceDef def = px_surface_def_default();
    PxShapeDef ball = px_shape_def_default(PX_SHAPE_SPHERE);
    PxShape *shape = NULL;
    PxPoints points = {0};
    PxSurfaceMesh *mesh = NULL;
    PxSurfaceMeasure measured = {0};
    def.field = c->model;
    def.threads = threads;
    ball.radius = c->cells / coarser;
    PX_TRY(px_shape_create(&ball, &shape));
    PxStatus status = px_shape_fill(shape, PX_LATTICE_CUBIC, 1, 1 << 24, &points);
    PxSurfaceParticles particles = {.count = (uint32_t)points.count, .spacing = 1};
    float *at = status == PX_OK ? malloc((3 * points.count + 1) * sizeof *at) : NULL;
    if (status == PX_OK && at == NULL)
        status = px_fail(PX_ERR_MEMORY, "bench: no room for %zu particles", points.count);
    for (size_t i = 0; status == PX_OK && i < points.count; ++i) {
        at[i] = (float)points.position[i].x;
        at[points.count + i] = (float)points.position[i].y;
        at[2 * points.count + i] = (float)points.position[i].z;
    }
    for (size_t a = 0; a < 3 && at != NULL; ++a)
        particles.position[a] = at + a * points.count;
    if (status == PX_OK)
        status = px_surface_make(&def, &particles, &mesh);
    if (status == PX_OK)
        status = px_surface_measure(mesh, &measured);
    if (status == PX_OK) {
        double r = ball.radius;
        compare(out, "area / ball's", measured.area / (4 * PI * r * r), 1, 0.03);
        compare(out, "volume / ball's", measured.volume / (4 * PI / 3 * r * r * r), 1, 0.03);
    }
    px_surface_free(mesh);
    free(at);
    px_points_free(&points);
    px_shape_free(shape);
    return status;
}

/* ---- solids ------------------------------------------------------------------------ */

/* "nu 0.45", or "along y" for an orthotropic material. */
static void material_of(const Case *c, PxMaterialDef *out)
{
    if (strcmp(c->pressure, "-") != 0)
        out->integration = px_integration_choice(c->pressure);
    if (strncmp(c->model, "nu ", 3) == 0) {
        out->poisson = strtod(c->model + 3, NULL);
        return;
    }
    out->young_axes = (PxVec3){1 * out->young, 2 * out->young, 0.5 * out->young};
    out->poisson_axes = (PxVec3){0.2, 0.3, 0.15};
    out->shear_axes = (PxVec3){0.4 * out->young, 0.5 * out->young, 0.3 * out->young};
}

static PxBarDef bar_of(const Case *c, double coarser, int threads)
{
    PxBarDef def = px_bar_def_default();
    material_of(c, &def.material);
    if (strncmp(c->model, "along ", 6) == 0)
        def.axis = c->model[6] - 'x';
    def.across = (uint32_t)(c->cells / coarser);
    def.threads = threads;
    return def;
}

static PxStatus pull(const Case *c, double coarser, int threads, Figures *out)
{
    PxBarDef def = bar_of(c, coarser, threads);
    def.aspect = 6;
    const PxMaterialDef *m = &def.material;
    /* nu_xz is nu_zx E_x / E_z, and so on */
    const double e[3] = {m->young_axes.x, m->young_axes.y, m->young_axes.z},
                 nu[3] = {m->poisson_axes.x, m->poisson_axes.y, m->poisson_axes.z};
    int a = def.axis, before = (a + 2) % 3;
    double young = e[a] > 0 ? e[a] : m->young;
    double ratio = e[a] > 0 ? 0.5 * (nu[a] + nu[before] * e[a] / e[before]) : m->poisson;
    PxBarPull result;
    PX_TRY(px_bar_pull(&def, 0.01, &result));
    compare(out, "modulus / E", result.modulus / young, 1, 0.03);
    add(out, "Poisson's ratio", result.narrowing, ratio, fabs(result.narrowing - ratio), 0.02);
    return PX_OK;
}

static PxStatus cantilever(const Case *c, double coarser, int threads, Figures *out)
{
    PxBarDef def = bar_of(c, coarser, threads);
    double bent, rate;
    PX_TRY(px_bar_sag(&def, 0.01, &bent));
    PX_TRY(px_bar_swing(&def, 0.01, &rate));
    compare(out, "deflection / formula", bent, 1, 0.1);
    compare(out, "first mode / formula", rate, 1, 0.1);
    return PX_OK;
}

static PxStatus wave(const Case *c, double coarser, int threads, Figures *out)
{
    PxBarDef def = bar_of(c, coarser, threads);
    double speed;
    PX_TRY(px_bar_wave(&def, 0.01, &speed));
    compare(out, "speed / sqrt(E / rho)", speed, 1, 0.03);
    return PX_OK;
}

static PxStatus flow(const Case *c, double coarser, int threads, Figures *out)
{
    PxBarDef def = bar_of(c, coarser, threads);
    PxBarYield result;
    def.aspect = 6;
    def.material.yield = 0.01;
    def.material.creep = 1;
    PX_TRY(px_bar_yield(&def, 0.05, 0.5, &result));
    compare(out, "plastic strain / law", result.strain / result.wanted, 1, 0.05);
    return PX_OK;
}

/* Stretched by 30 per cent (001 Figure 6). The width of an ideal rubber would be 1 / sqrt(1.3). */
static PxStatus stretched(const Case *c, double coarser, int threads, Figures *out)
{
    PxBarDef def = bar_of(c, coarser, threads);
    PxBarStretch result;
    def.aspect = 6;
    PX_TRY(px_bar_stretch(&def, 0.3, &result));
    bool rubber = def.material.poisson > 0;
    double width = rubber ? 1 / sqrt(result.along) : 1, volume = rubber ? 1 : result.along;
    add(out, "width / at rest", result.across, width, fabs(result.across / width - 1), NAN);
    add(out, "volume / at rest", result.volume, volume, fabs(result.volume / volume - 1), NAN);
    return PX_OK;
}

static PxFreeSolidDef free_block(const Case *c, double coarser, int threads)
{
    PxFreeSolidDef def = px_free_solid_def_default();
    material_of(c, &def.material);
    def.spacing = coarser * def.size.z / c->cells;
    def.threads = threads;
    return def;
}

static PxStatus vibration(const Case *c, double coarser, int threads, Figures *out)
{
    PxFreeSolidDef def = free_block(c, coarser, threads);
    PxFreeSolidResult result;
    def.seconds = 10;
    PX_TRY(px_free_solid(&def, &result));
    add(out, "drift of the energy in 10 s", result.drift, 0, result.drift, 0.01);
    add(out, "swing of the energy", result.energy, 0, result.energy, NAN);
    return PX_OK;
}

static PxStatus free_solid(const Case *c, double coarser, int threads, Figures *out)
{
    PxFreeSolidDef def = free_block(c, coarser, threads);
    PxFreeSolidResult result;
    def.velocity = (PxVec3){1, 2, 0};
    def.spin = (PxVec3){3, 0, 8};
    PX_TRY(px_free_solid(&def, &result));
    double linear = fmax(result.linear, result.middle);
    add(out, "momentum lost / m v", linear, 0, linear, 1e-5);
    add(out, "angular momentum lost / m v R", result.angular, 0, result.angular, 1e-5);
    return PX_OK;
}

/* Forces of a single block: rigid motion, and the tangent against finite differences. */
static PxStatus probe_block(const PxProbeState *state, PxProbe *probe, Figures *out)
{
    static const PxVec3 axis[] = {{1, 0, 0}, {0, 1, 0}, {1, 2, 3}, {-3, 1, 0.2}};
    double near = 0, far = 0, worst = 0;
    for (size_t k = 0; k < PX_COUNT(axis); ++k) {
        double force;
        PxQuat turn = px_quat_turn(axis[k], 0.7 + (double)k);
        PX_TRY(px_probe_rigid(probe, turn, (PxVec3){0, 0, 0}, &force));
        near = fmax(near, force);
        PX_TRY(px_probe_rigid(probe, turn, (PxVec3){1000, -700, 300}, &force));
        far = fmax(far, force);
    }
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        PxProbeState now = *state;
        double error;
        now.seed = seed;
        now.plastic = seed % 2 == 0 ? 0 : state->plastic;
        PX_TRY(px_probe_tangent(probe, &now, &error));
        worst = fmax(worst, error);
    }
    add(out, "rigid motion: force / E A", near, 0, near, 1e-5);
    add(out, "rigid motion 1 km away: force / E A", far, 0, far, 1e-5);
    add(out, "error of the tangent / largest change", worst, 0, worst, 1e-3);
    return PX_OK;
}

static PxStatus forces(const Case *c, double coarser, int threads, Figures *out)
{
    (void)threads;
    PxMaterialDef material = px_material_def_default();
    material.name = "rubber";
    material.young = 1e6;
    material_of(c, &material);
    uint32_t n = (uint32_t)(c->cells / coarser);
    const uint32_t cells[3] = {n, n - 1, n + 1};
    static const PxProbeState state = {.stretch = 0.3, .noise = 0.2, .plastic = 0.1};
    PxProbe probe;
    PxStatus status = px_probe_block(&probe, &material, cells, 0.02, 2);
    if (status == PX_OK)
        status = probe_block(&state, &probe, out);
    px_probe_free(&probe);
    return status;
}

/* ---- heat ---- */

static PxHeatBarDef heat_bar(const Case *c, double coarser, int threads)
{
    PxHeatBarDef def = px_heat_bar_def_default();
    def.cells = c->cells / coarser;
    def.threads = threads;
    if (c->model != NULL)
        sscanf(c->model, "Ste %lf", &def.stefan);
    return def;
}

static PxStatus heat_halves(const Case *c, double coarser, int threads, Figures *out)
{
    PxHeatBarDef def = heat_bar(c, coarser, threads);
    PxHeatBarResult result;
    if (c->model != NULL && strcmp(c->model, "implicit") == 0)
        /* four spacings squared per step, so that the implicit solve is used */
        def.diffusivity = 4e-3;
    if (c->model != NULL && strcmp(c->model, "hexagonal") == 0)
        def.order = PX_HEAT_BAR_HEXAGONAL;
    if (c->model != NULL && strcmp(c->model, "stirred") == 0) {
        def.order = PX_HEAT_BAR_STIRRED;
        /* small steps and diffusivity, because the stirred matter still moves a little */
        def.diffusivity = 1e-3;
        def.step = 0.02;
    }
    PX_TRY(px_heat_bar_halves(&def, &result));
    add(out, "largest profile error / difference", result.worst, 0, result.worst, 0.03);
    add(out, "heat lost / heat", result.kept, 0, result.kept, 1e-5);
    return PX_OK;
}

static PxStatus heat_wall(const Case *c, double coarser, int threads, Figures *out)
{
    PxHeatBarDef def = heat_bar(c, coarser, threads);
    PxHeatBarResult result;
    def.conductance = c->model != NULL ? 2 : 0;
    PX_TRY(px_heat_bar_wall(&def, &result));
    add(out, "largest profile error / difference", result.worst, 0, result.worst, 0.03);
    compare(out, "heat through the wall / formula", result.heat, 1, 0.03);
    add(out, "heat lost / heat", result.kept, 0, result.kept, 1e-5);
    return PX_OK;
}

static PxStatus heat_melting(const Case *c, double coarser, int threads, Figures *out)
{
    PxHeatBarDef def = heat_bar(c, coarser, threads);
    PxHeatBarResult result;
    def.step = 0.2;
    if (strstr(c->model, "implicit") != NULL)
        /* four spacings squared per step, so that the implicit solve is used */
        def.diffusivity = 2e-3;
    PX_TRY(px_heat_bar_melting(&def, &result));
    compare(out, "time to melt / formula", result.time, 1, 0.05);
    add(out, "heat lost / heat", result.kept, 0, result.kept, 1e-5);
    return PX_OK;
}

static PxStatus frozen(const Case *c, double coarser, int threads, Figures *out)
{
    PxFrozenDef def = px_frozen_def_default();
    PxFrozenResult result;
    def.spacing = coarser * def.fill / c->cells;
    def.threads = threads;
    def.times = c->model != NULL ? 2 : 1;
    def.material.integration = px_integration_choice(c->pressure);
    PX_TRY(px_frozen(&def, &result));
    compare(out, "volume / mass over rest density", result.volume, 1, 0.03);
    compare(out, "modulus / E", result.young, 1, 0.10);
    add(out, "heat lost / heat to melt it", result.heat, 0, result.heat, 1e-5);
    add(out, "mass lost", result.mass, 0, result.mass, 0);
    return PX_OK;
}

static const Case cases[] = {
    {"column at rest", column, "dfsph", NULL, 40, true, true},
    {"column at rest", column, "iisph", NULL, 40, false, true},
    {"column at rest", column, "pcisph", NULL, 40, false, true},
    {"column at rest", column, "sesph", NULL, 40, false, true},
    {"column at rest", column, "projection", NULL, 40, false, true},
    {"sloshing", sloshing, "dfsph", NULL, 50, false, true},
    {"sloshing", sloshing, "pcisph", NULL, 50, false, false},
    {"sloshing", sloshing, "projection", NULL, 50, false, true},
    {"jet on a plate", plate_jet, "dfsph", NULL, 8, true, true},
    {"jet on a plate", plate_jet, "iisph", NULL, 8, false, true},
    {"jet on a plate", plate_jet, "pcisph", NULL, 8, false, true},
    {"jet on a plate", plate_jet, "projection", NULL, 8, false, true},
    {"jet on a plate", plate_jet, "sesph", NULL, 8, false, true},
    {"Poiseuille flow", poiseuille, "sesph", "implicit", 10, true, true},
    {"Poiseuille flow", poiseuille, "sesph", "morris", 10, true, true},
    {"Poiseuille flow", poiseuille, "sesph", "laplacian", 10, true, true},
    {"Couette flow", couette, "sesph", "implicit", 10, true, true},
    {"Couette flow", couette, "sesph", "morris", 10, true, true},
    {"Couette flow", couette, "sesph", "laplacian", 10, true, true},
    {"free drop", free_drop, "dfsph", "none", 5, true, false},
    {"free drop", free_drop, "dfsph", "csf", 5, true, false},
    {"free drop", free_drop, "dfsph", "becker", 5, true, false},
    {"free drop", free_drop, "dfsph", "becker-cut", 5, true, false},
    {"free drop", free_drop, "dfsph", "akinci", 5, true, false},
    {"free drop", free_drop, "dfsph", "he", 5, true, false},
    {"free drop", free_drop, "iisph", "none", 5, false, false},
    {"free drop", free_drop, "iisph", "csf", 5, false, false},
    {"free drop", free_drop, "iisph", "becker", 5, false, false},
    {"free drop", free_drop, "iisph", "becker-cut", 5, false, false},
    {"free drop", free_drop, "iisph", "akinci", 5, false, false},
    {"free drop", free_drop, "iisph", "he", 5, false, false},
    {"free drop", free_drop, "pcisph", "none", 5, false, false},
    {"free drop", free_drop, "pcisph", "csf", 5, false, false},
    {"free drop", free_drop, "pcisph", "becker", 5, false, false},
    {"free drop", free_drop, "pcisph", "becker-cut", 5, false, false},
    {"free drop", free_drop, "pcisph", "akinci", 5, false, false},
    {"free drop", free_drop, "pcisph", "he", 5, false, false},
    {"free drop", free_drop, "sesph", "none", 5, false, false},
    {"free drop", free_drop, "sesph", "csf", 5, false, false},
    {"free drop", free_drop, "sesph", "becker", 5, false, false},
    {"free drop", free_drop, "sesph", "becker-cut", 5, false, false},
    {"free drop", free_drop, "sesph", "akinci", 5, false, false},
    {"free drop", free_drop, "sesph", "he", 5, false, false},
    {"drop", drop, "dfsph", "csf", 8, false, true},
    {"drop", drop, "iisph", "csf", 8, false, true},
    {"drop", drop, "pcisph", "csf", 8, false, true},
    {"drop", drop, "sesph", "csf", 8, false, true},
    {"column of 10 kPa s", thick, "dfsph", "implicit", 6, true, false},
    {"column of 10 kPa s", thick, "iisph", "implicit", 6, false, false},
    {"column of 10 kPa s", thick, "pcisph", "implicit", 6, false, false},
    {"column of 10 kPa s", thick, "sesph", "implicit", 6, false, false},
    {"Rayleigh-Taylor", rayleigh_taylor, "dfsph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "iisph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "pcisph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "sesph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "dfsph", "support 2.1", 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "iisph", "support 2.1", 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "pcisph", "support 2.1", 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "sesph", "support 2.1", 40, false, true},
    {"surface of a ball", ball_surface, "-", "anisotropic", 20, true, true},
    {"surface of a ball", ball_surface, "-", "density", 20, true, true},
    {"surface of a ball", ball_surface, "-", "zhu-bridson", 20, true, true},
    {"surface of a ball", ball_surface, "-", "onderik", 20, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "nu 0", 6, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "nu 0.3", 6, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "nu 0.45", 6, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "nu 0.49", 6, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "along x", 6, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "along y", 6, true, true},
    {"bar pulled 1 %", pull, "leapfrog", "along z", 6, true, true},
    {"bar pulled 1 %", pull, "implicit", "nu 0", 6, true, true},
    {"bar pulled 1 %", pull, "implicit", "nu 0.3", 6, true, true},
    {"bar pulled 1 %", pull, "implicit", "nu 0.45", 6, true, true},
    {"bar pulled 1 %", pull, "implicit", "nu 0.49", 6, true, true},
    {"cantilever", cantilever, "leapfrog", "nu 0.3", 12, false, true},
    {"cantilever", cantilever, "leapfrog", "nu 0.3", 6, true, false},
    {"wave along a bar", wave, "leapfrog", "nu 0", 6, true, true},
    {"wave along a bar", wave, "leapfrog", "nu 0.3", 6, true, true},
    {"bar beyond yield", flow, "implicit", "nu 0.3", 6, true, true},
    {"bar stretched 30 %", stretched, "leapfrog", "nu 0", 6, true, true},
    {"bar stretched 30 %", stretched, "leapfrog", "nu 0.49", 6, true, true},
    {"free vibration", vibration, "leapfrog", "nu 0", 5, true, false},
    {"free vibration", vibration, "leapfrog", "nu 0.3", 5, true, false},
    {"free vibration", vibration, "leapfrog", "nu 0.45", 5, true, false},
    {"free solid", free_solid, "leapfrog", "nu 0.3", 5, true, false},
    {"free solid", free_solid, "implicit", "nu 0.3", 5, true, false},
    {"forces of a block", forces, "-", "nu 0", 6, true, false},
    {"forces of a block", forces, "-", "nu 0.3", 6, true, false},
    {"forces of a block", forces, "-", "nu 0.45", 6, true, false},
    {"forces of a block", forces, "-", "nu 0.49", 6, true, false},
    {"forces of a block", forces, "-", "orthotropic", 6, true, false},
    {"bar of two halves", heat_halves, "-", NULL, 6, true, true},
    {"bar of two halves", heat_halves, "-", "implicit", 24, true, true},
    {"bar of two halves", heat_halves, "-", "hexagonal", 6, true, true},
    {"bar of two halves", heat_halves, "-", "stirred", 6, true, false},
    {"bar on a hot wall", heat_wall, "-", NULL, 6, true, true},
    {"bar on a hot wall", heat_wall, "-", "contact", 6, true, true},
    {"melting bar", heat_melting, "-", "Ste 0.2", 10, false, true},
    {"melting bar", heat_melting, "-", "Ste 1", 10, true, true},
    {"melting bar", heat_melting, "-", "Ste 4", 10, true, true},
    {"melting bar", heat_melting, "-", "Ste 1 implicit", 10, true, true},
    {"melted and frozen bar", frozen, "leapfrog", NULL, 8, true, true},
    {"melted and frozen bar", frozen, "leapfrog", "twice", 8, false, true},
    {"melted and frozen bar", frozen, "implicit", "twice", 8, false, true},
};

/* Counts of the bench so far. */
typedef struct Tally {
    int figures, within, worse;
    char failed[2000]; /* names of cases outside their tolerance, and why some did not finish */
} Tally;

static void blame(Tally *tally, const Case *c, const char *what)
{
    size_t at = strlen(tally->failed);
    snprintf(tally->failed + at, sizeof tally->failed - at, "  %s, %s%s%s: %s\n", c->name,
             c->pressure, c->model != NULL ? ", " : "", c->model != NULL ? c->model : "", what);
}

/* A failing case is a result; running out of memory and being stopped end the bench. */
static bool ends_it(PxStatus status)
{
    return status == PX_ERR_MEMORY || status == PX_ERR_STOPPED || status == PX_ERR_ARGUMENT;
}

static PxStatus measure(PxBench *bench, const Case *c, double coarser, Figures *out, Tally *tally)
{
    *out = (Figures){.count = 0};
    PX_TRY(px_bench_next(bench, "%s, %s%s%s%s", c->name, c->pressure, c->model != NULL ? ", " : "",
                         c->model != NULL ? c->model : "",
                         coarser > 1 ? ", at twice the spacing" : ""));
    PxStatus status = c->measure(c, coarser, bench->threads.count, out);
    if (status != PX_OK && !ends_it(status)) {
        add(out, "finished", NAN, NAN, NAN, 0);
        blame(tally, c, px_error_message());
        status = PX_OK;
    }
    return status;
}

static void report(PxBench *bench, const Case *c, const Figures *fine, const Figures *coarse,
                   Tally *tally)
{
    for (size_t k = 0; k < fine->count; ++k) {
        const Figure *f = &fine->figure[k];
        double before = k < coarse->count ? coarse->figure[k].error : NAN;
        bool counts = !isnan(f->within), good = f->error <= f->within; /* not NaN */
        tally->figures += counts;
        tally->within += counts && good;
        /* worse by more than a tenth of the allowed error; less is noise */
        tally->worse += counts && f->error > before + 0.1 * f->within;
        if (counts && !good)
            blame(tally, c, f->what);
        px_report_row(bench->report, c->name, c->pressure, c->model != NULL ? c->model : "",
                      c->cells, f->what, f->measured, f->reference, 100 * f->error, 100 * f->within,
                      100 * before, counts ? good ? "yes" : "NO" : "");
    }
}

PxStatus px_bench_validate(PxBench *bench)
{
    static const PxReportColumn columns[] = {
        {"case", "case", "%s"},           {"pressure", "solver", "%s"},
        {"model", "model", "%s"},         {"cells", "cells", "%.0f"},
        {"figure", "figure", "%s"},       {"measured", "measured", "%.5g"},
        {"reference", "reference", "%g"}, {"error", "error %", "%.3g"},
        {"within", "within %", "%g"},     {"error_at_twice", "at twice %", "%.3g"},
        {"pass", "pass", "%s"},
    };
    px_report_table(bench->report, "figures", "physics against formulas", columns,
                    PX_COUNT(columns));
    Tally tally = {0};
    int left_out = 0;
    for (size_t k = 0; k < PX_COUNT(cases); ++k) {
        const Case *c = &cases[k];
        if (bench->def.quick && !c->quick) {
            ++left_out;
            continue;
        }
        Figures fine, coarse = {.count = 0};
        if (c->twice && !bench->def.quick)
            PX_TRY(measure(bench, c, 2, &coarse, &tally));
        PX_TRY(measure(bench, c, 1, &fine, &tally));
        report(bench, c, &fine, &coarse, &tally);
    }
    px_report_note(bench->report,
                   "\ncells: number of spacings in the depth, gap, radius, width, length or "
                   "wavelength of the case;\nat twice: error at twice the spacing.\n");
    if (bench->def.quick)
        px_report_note(
            bench->report,
            "%d of %d figures within their limits; --quick left out %d of %zu cases and the "
            "second spacing",
            tally.within, tally.figures, left_out, PX_COUNT(cases));
    else
        px_report_note(bench->report,
                       "%d of %d figures within their limits, %d worse than at twice the spacing",
                       tally.within, tally.figures, tally.worse);
    if (tally.failed[0] != '\0')
        px_report_note(bench->report, "not within their limits:\n%s", tally.failed);
    return PX_OK;
}
