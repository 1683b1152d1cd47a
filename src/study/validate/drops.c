/// Validation group: free drops: momentum, pressure inside, oscillation.
#include "study/validate/validate.h"

#include "study/drop.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static PxDropDef drop_of(const PxValidateCase *c, double coarser, int threads)
{
    PxDropDef def = px_drop_def_default();
    def.pressure = px_pressure_choice(c->solver);
    def.tension = px_tension_choice(c->model);
    if (strcmp(c->model, "csf") == 0)
        def.tension.param[0] = 1;
    def.spacing = coarser * def.radius / c->cells;
    def.threads = threads;
    return def;
}

static PxStatus free_drop(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxDropDef def = drop_of(c, coarser, threads);
    def.velocity = (PxVec3){1, 2, 0};
    def.spin = (PxVec3){0, 0, 8};
    PxDropMomenta lost;
    PX_TRY(px_drop_momenta(&def, 1, 0.05, 5e-4, &lost));
    double linear = fmax(lost.linear, lost.middle);
    px_figures_add(out, "momentum lost / m v", linear, 0, linear, 1e-5);
    px_figures_add(out, "angular momentum lost / m v R", lost.angular, 0, lost.angular, 1e-5);
    return PX_OK;
}

/* A drop at rest, then pushed. */
static PxStatus watch_drop(const PxDropDef *def, PxWorld *world, PxFigures *out)
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
    px_figures_compare(out, "pressure inside, Pa", pressure / time, 2 * sigma / radius, 0.05);
    /* omega^2 = n (n - 1) (n + 2) sigma / (rho R^3) for n = 2 (Rayleigh 1879) */
    double omega = sqrt(8 * sigma / (def->density * radius * radius * radius));
    double period = 2 * PI / omega;
    double measured = px_drop_period(world, 0.05 * radius * omega, period);
    px_figures_compare(out, "period of the second mode, s", measured, period, 0.05);
    return PX_OK;
}

static PxStatus drop(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxDropDef def = drop_of(c, coarser, threads);
    PxWorld *world = NULL;
    PX_TRY(px_drop_make(&def, &world));
    PxStatus status = watch_drop(&def, world, out);
    px_world_free(world);
    return status;
}

static const PxValidateCase cases[] = {
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
    {"drop", drop, "flip", "csf", 8, false, true},
};

const PxValidateGroup px_validate_drops = {
    .title = "Drops",
    .about = "- **Free drop**: 5 spacings in radius, without gravity, moving at 2.2 m/s, rotating "
             "at 8 rad/s and squeezed at 1 m/s, for 0.05 s in at\n"
             "  least 100 steps. The momentum test includes the path of the centre of mass. Four "
             "solvers with six tension models (`none` included);\n"
             "  the table shows the worst.\n"
             "- **Drop**: 8 spacings in radius, sigma = 1 N/m, at rest for 2 s. Its mean pressure "
             "within 0.6 R over one second is\n"
             "  compared with 2 sigma / R; then it is pushed in the second mode, whose period is "
             "compared with Rayleigh's (1879).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
