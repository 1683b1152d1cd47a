#include "study/viscous_flows.h"

#include "base/fail.h"
#include "matter/kernel.h"

#include <math.h>

#define GAP 0.1       /* m */
#define DENSITY 1000. /* kg/m^3 */
#define NU 0.01       /* m^2/s: honey */
#define SIDE 4        /* spacings between the plates without friction */

/* Speed at x of the steady flow between plates under g, and of the Couette flow at
 * time t: u / U = x / L + sum_n (2 / n pi) (-1)^n exp(-n^2 pi^2 nu t / L^2) sin(n pi x / L). */
static double poiseuille(double g, double x)
{
    return g * x * (GAP - x) / (2 * NU);
}

static double couette(double speed, double t, double x)
{
    double u = x / GAP;
    for (int n = 1; n <= 60; ++n) {
        double k = n * PX_PI, sign = n % 2 == 0 ? 1 : -1;
        u += sign * 2 / k * exp(-k * k * NU * t / (GAP * GAP)) * sin(k * x / GAP);
    }
    return speed * u;
}

static PxStatus add_plate(PxWorld *world, const char *name, PxVec3 at, PxVec3 normal,
                          double friction, double speed)
{
    PxKeyframe way[2] = {{.rotation = {0, 0, 0, 1}},
                         {.time = 1e3, .at = {0, -1e3 * speed, 0}, .rotation = {0, 0, 0, 1}}};
    PxBodyDef plate = px_body_def_default();
    plate.name = name;
    plate.wall = true;
    plate.shape = px_shape_def_default(PX_SHAPE_PLANE);
    plate.shape.normal = normal;
    plate.shape.at = at;
    plate.friction = friction;
    plate.keyframes = speed > 0 ? 2 : 0;
    plate.keyframe = way;
    return px_world_add_body(world, &plate, NULL);
}

/* Creates the slab at rest, long enough for the fastest layer to move by `way`. */
static PxStatus make(const PxFlowCase *flow, double g, double speed, double way, double fastest,
                     PxWorld **out)
{
    double s = GAP / flow->cells;
    PxWorldDef def = px_world_def_default();
    def.spacing = s;
    def.gravity = (PxVec3){0, -g, 0};
    def.threads = flow->threads;
    PX_TRY(px_world_create(&def, out));
    PxWorld *world = *out;
    PxMaterialDef material = px_material_def_default();
    material.density = DENSITY;
    material.viscosity = DENSITY * NU;
    material.viscosity_model = px_viscosity_choice(flow->model);
    material.pressure = px_pressure_choice("sesph");
    PxMaterialId honey;
    PX_TRY(px_world_add_material(world, &material, &honey));
    PX_TRY(px_world_set(world, "materials.water.pressure.top_speed", &fastest, 1));
    PxBodyDef slab = px_body_def_default();
    slab.name = "slab";
    slab.material = honey;
    slab.shape.size = (PxVec3){GAP, s * ceil((flow->length * GAP + 2 * way) / s), SIDE * s};
    slab.shape.at = (PxVec3){0.5 * GAP, 0, 0};
    PX_TRY(px_world_add_body(world, &slab, NULL));
    PX_TRY(add_plate(world, "plate", (PxVec3){0, 0, 0}, (PxVec3){1, 0, 0}, flow->friction, 0));
    PX_TRY(add_plate(world, "other plate", (PxVec3){GAP, 0, 0}, (PxVec3){-1, 0, 0}, flow->friction,
                     speed));
    PX_TRY(add_plate(world, "back", (PxVec3){0, 0, -0.5 * SIDE * s}, (PxVec3){0, 0, 1}, 0, 0));
    return add_plate(world, "front", (PxVec3){0, 0, 0.5 * SIDE * s}, (PxVec3){0, 0, -1}, 0, 0);
}

typedef double Profile(double strength, double t, double x);

/* Compares the middle third with the formula. */
static void compare(PxWorld *world, double middle, Profile *profile, double strength, double t,
                    double fastest, PxFlowResult *out)
{
    const float *x = px_world_floats(world, "position", 0);
    const float *y = px_world_floats(world, "position", 1);
    const float *v = px_world_floats(world, "velocity", 1);
    double n = 0, square = 0, top = 0, formula = 0;
    for (uint32_t i = 0; i < px_world_count(world); ++i) {
        if (fabs((double)y[i] - middle) > 0.25 * GAP)
            continue;
        double u = -(double)v[i], wanted = profile(strength, t, (double)x[i]);
        double apart = (u - wanted) / fastest;
        n += 1;
        square += apart * apart;
        out->worst = fmax(out->worst, fabs(apart));
        if (wanted > 0.9 * fastest) { /* average over all near the maximum, to reduce noise */
            top += u;
            formula += wanted;
        }
    }
    out->error = sqrt(square / n);
    out->fastest = top / formula;
}

static double steady(double strength, double t, double x)
{
    (void)t;
    return poiseuille(strength, x);
}

static PxStatus run(PxWorld *world, double until, PxFlowResult *out)
{
    PxStats stats;
    while (px_world_time(world) < until) {
        PX_TRY(px_world_step(world, until));
        px_world_stats(world, &stats);
        out->iterations += (double)stats.viscosity_iterations;
        out->steps = stats.step;
    }
    out->iterations /= (double)out->steps;
    return PX_OK;
}

PxStatus px_flow_poiseuille(const PxFlowCase *flow, PxFlowResult *out)
{
    /* After 0.7 L^2 / nu the slowest mode has died to exp(-0.7 pi^2) = 0.1 per cent. */
    double fastest = flow->reynolds * NU / GAP, g = 8 * NU * fastest / (GAP * GAP);
    double until = 0.7 * GAP * GAP / NU, way = 0.6 * fastest * until;
    *out = (PxFlowResult){0};
    PxWorld *world = NULL;
    PxStatus status = make(flow, g, 0, way, fastest, &world);
    if (status == PX_OK)
        status = run(world, until, out);
    if (status == PX_OK)
        compare(world, -0.5 * way, steady, g, until, fastest, out);
    px_world_free(world);
    return status;
}

PxStatus px_flow_couette(const PxFlowCase *flow, double when, PxFlowResult *out)
{
    double fastest = flow->reynolds * NU / GAP, until = when * GAP * GAP / NU;
    double way = fastest * until;
    *out = (PxFlowResult){0};
    PxWorld *world = NULL;
    PxStatus status = make(flow, 0, fastest, way, fastest, &world);
    if (status == PX_OK)
        status = run(world, until, out);
    if (status == PX_OK)
        compare(world, -0.25 * way, couette, fastest, until, fastest, out);
    px_world_free(world);
    return status;
}
