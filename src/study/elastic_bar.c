#include "study/elastic_bar.h"

#include "base/fail.h"
#include "world/state.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Layers that a handle holds: the support in spacings. */
enum { HELD = 2 };

typedef struct Bar {
    const PxBarDef *def;
    PxWorld *world;
    double spacing, length, width; /* m */
    double speed;                  /* of a wave along it, m/s */
    double grip;                   /* m, at both ends what handles hold */
    double far;                    /* m, the same at the other end */
    double lever;                  /* from the clamp to the free end, m */
    int axis[3];                   /* along, and the two across */
} Bar;

PxBarDef px_bar_def_default(void)
{
    PxBarDef def = {.material = px_material_def_default(),
                    .across = 6,
                    .aspect = 10,
                    .width = 0.12,
                    .threads = 2};
    def.material.name = "rubber";
    def.material.young = 1e6;
    return def;
}

static double component(PxVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static PxVec3 along(const Bar *bar, double x, double y, double z)
{
    double v[3];
    v[bar->axis[0]] = x;
    v[bar->axis[1]] = y;
    v[bar->axis[2]] = z;
    return (PxVec3){v[0], v[1], v[2]};
}

/* Young's modulus along the bar. */
static double young_of(const PxBarDef *def)
{
    double own = component(def->material.young_axes, def->axis);
    return own > 0 ? own : def->material.young;
}

static Bar bar_of(const PxBarDef *def)
{
    Bar bar = {.def = def,
               .spacing = def->width / def->across,
               .length = def->aspect * def->width,
               .width = def->width,
               .speed = sqrt(young_of(def) / def->material.density)};
    bar.lever = bar.length + 0.5 * bar.spacing;
    for (int k = 0; k < 3; ++k)
        bar.axis[k] = (def->axis + k) % 3;
    return bar;
}

/* The world with the bar in it. */
static PxStatus make(Bar *bar, double gravity, double step)
{
    PxWorldDef world = px_world_def_default();
    world.spacing = bar->spacing;
    world.gravity = along(bar, 0, -gravity, 0);
    world.max_step = step;
    world.threads = bar->def->threads;
    world.solid_support = bar->def->support > 0 ? bar->def->support : world.solid_support;
    PX_TRY(px_world_create(&world, &bar->world));
    PxBodyDef body = px_body_def_default();
    PX_TRY(px_world_add_material(bar->world, &bar->def->material, &body.material));
    body.name = "bar";
    if (bar->def->round) {
        body.shape = px_shape_def_default(PX_SHAPE_CYLINDER);
        body.shape.radius = 0.5 * bar->width;
        body.shape.height = bar->length + bar->grip + bar->far;
        body.fill = PX_FILL_FITTED;
    } else {
        body.shape.size = along(bar, bar->length + bar->grip + bar->far, bar->width, bar->width);
    }
    body.shape.at = along(bar, 0.5 * (bar->length + bar->far - bar->grip), 0, 0);
    return px_world_add_body(bar->world, &body, NULL);
}

/* A region around the bar between two positions along it. */
static PxShapeDef region(const Bar *bar, double from, double to)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_BOX);
    shape.size = along(bar, to - from, 10 * bar->length, 10 * bar->length);
    shape.at = along(bar, 0.5 * (from + to), 0, 0);
    return shape;
}

static PxStatus hold(const Bar *bar)
{
    PxHandleDef handle = px_handle_def_default();
    handle.name = "clamp";
    handle.shape = region(bar, -bar->length, 0);
    return px_world_add_handle(bar->world, &handle, NULL);
}

/* Rest position and displacement of particle i; component 0 is along the bar. */
typedef struct Place {
    double rest[3], way[3];
} Place;

static Place place_of(const Bar *bar, uint32_t i)
{
    Place p;
    for (int k = 0; k < 3; ++k) {
        int a = bar->axis[k];
        double middle = k == 0 ? 0.5 * (bar->length + bar->far - bar->grip) : 0;
        p.rest[k] = (double)px_world_floats(bar->world, "rest_position", a)[i] + middle;
        p.way[k] = (double)px_world_floats(bar->world, "position", a)[i] +
                   (double)px_world_floats(bar->world, "position_low", a)[i] - p.rest[k];
    }
    return p;
}

/* Strains of the middle half: slopes of displacement over rest position, by least squares. */
static void stretches(const Bar *bar, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        double n = 0, x = 0, u = 0, xx = 0, xu = 0;
        for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
            Place p = place_of(bar, i);
            if (p.rest[0] < 0.25 * bar->length || p.rest[0] > 0.75 * bar->length)
                continue;
            n += 1;
            x += p.rest[k];
            u += p.way[k];
            xx += p.rest[k] * p.rest[k];
            xu += p.rest[k] * p.way[k];
        }
        out[k] = (n * xu - x * u) / (n * xx - x * x);
    }
}

/* Tolerances for a static measurement, for any integration. */
static PxBarDef strict(const PxBarDef *def)
{
    PxBarDef out = *def;
    if (strcmp(out.material.integration.model, "implicit") == 0) {
        out.material.integration.param[0] = 1e-4;
        out.material.integration.param[1] = 20000;
    }
    return out;
}

/* Advances until vibrations of the angular frequency `slowest` and above are damped out. Implicit
 * Euler damps by itself, more in longer steps. */
static PxStatus settle(const Bar *bar, double slowest)
{
    if (strcmp(bar->def->material.integration.model, "implicit") == 0) {
        /* a step leaves 1 / 20 of a vibration */
        double step = fmin(20 / slowest, 1);
        PX_TRY(px_world_set(bar->world, "max_step", &step, 1));
        return px_world_advance(bar->world, px_world_time(bar->world) + 8 * step);
    }
    /* Critical damping leaves exp(-w t) (1 + w t): 9e-4 at w t = 3 pi. */
    double damping = 2 * slowest, step = fmin(0.05 / slowest, 1);
    PX_TRY(px_world_set(bar->world, "materials.rubber.damping", &damping, 1));
    PX_TRY(px_world_set(bar->world, "max_step", &step, 1));
    return px_world_advance(bar->world, px_world_time(bar->world) + 3 * PI / slowest);
}

/* ---- pulling ------------------------------------------------------------------ */

static PxStatus pull(Bar *bar, double strain, PxBarPull *out)
{
    bar->grip = HELD * bar->spacing;
    PX_TRY(make(bar, 0, 0.01));
    PX_TRY(hold(bar));
    double force = young_of(bar->def) * bar->width * bar->width * strain;
    PxForceDef def = px_force_def_default();
    def.name = "pull";
    /* two layers, and not a third when it has moved out by less than 0.6 spacings */
    def.shape = region(bar, bar->length - 1.9 * bar->spacing, 2 * bar->length);
    def.force = along(bar, force, 0, 0);
    PX_TRY(px_world_add_force(bar->world, &def, NULL));
    PX_TRY(settle(bar, 0.5 * PI * bar->speed / bar->length));
    double slope[3];
    stretches(bar, slope);
    PxStats stats;
    px_world_stats(bar->world, &stats);
    *out = (PxBarPull){.modulus = force / (bar->width * bar->width * slope[0]),
                       .narrowing = -0.5 * (slope[1] + slope[2]) / slope[0],
                       .sideways = -slope[1] / slope[0],
                       .unsolved = (double)stats.not_converged};
    return PX_OK;
}

PxStatus px_bar_pull(const PxBarDef *def, double strain, PxBarPull *out)
{
    PxBarDef own = strict(def);
    Bar bar = bar_of(&own);
    PxStatus status = pull(&bar, strain, out);
    px_world_free(bar.world);
    return status;
}

/* ---- bending -------------------------------------------------------------------- */

#define FIRST_ROOT 1.8751040687 /* of cos(k) cosh(k) = -1 */
/* L^2 int w'^2 / int w^2 of the first mode w of a cantilever; the same for its curvature w'', which
 * is the mode seen from the other end */
#define SLOPE_SQUARE 4.6478

/* I / A: square of the section's radius of gyration. */
static double gyration2(const Bar *bar)
{
    return bar->width * bar->width / (bar->def->round ? 16 : 12);
}

/* E / (k G), with Cowper's shear coefficient k. */
static double shear_ratio(const PxBarDef *def)
{
    double nu = def->material.poisson;
    double k = def->round ? 6 * (1 + nu) / (7 + 6 * nu) : 10 * (1 + nu) / (12 + 11 * nu);
    return 2 * (1 + nu) / k;
}

/* Bending alone: sqrt(E I / (rho A)) k^2 / L^2. Shear and rotary inertia, to first order in
 * I / (A L^2), divide its square by 1 + SLOPE_SQUARE I / (A L^2) (1 + E / (k G)). */
static double first_mode(const Bar *bar)
{
    double slender = gyration2(bar) / (bar->lever * bar->lever);
    return FIRST_ROOT * FIRST_ROOT * bar->speed * sqrt(slender) / bar->lever /
           sqrt(1 + SLOPE_SQUARE * slender * (1 + shear_ratio(bar->def)));
}

/* The shape of the first mode, 1 at the end, and its slope times the length. */
static double mode_shape(double part, double *slope)
{
    double k = FIRST_ROOT, x = k * part;
    double ratio = (cosh(k) + cos(k)) / (sinh(k) + sin(k));
    if (slope != NULL)
        *slope = 0.5 * k * (sinh(x) + sin(x) - ratio * (cosh(x) - cos(x)));
    return 0.5 * (cosh(x) - cos(x) - ratio * (sinh(x) - sin(x)));
}

/* Deflection of the end of the bar, extrapolated from its last two layers. */
static double end_way(const Bar *bar)
{
    double way[2] = {0, 0}, count[2] = {0, 0};
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
        Place p = place_of(bar, i);
        int layer = (int)floor((bar->length - p.rest[0]) / bar->spacing);
        if (layer < 0 || layer > 1)
            continue;
        way[layer] += p.way[1];
        count[layer] += 1;
    }
    double last = way[0] / count[0], before = way[1] / count[1];
    return last + 0.5 * (last - before);
}

static PxStatus sag(Bar *bar, double by, double *out)
{
    double wanted = by * bar->length, l2 = bar->lever * bar->lever;
    double weight = bar->def->material.density / young_of(bar->def);
    double gravity =
        wanted / (weight * (l2 * l2 / (8 * gyration2(bar)) + 0.5 * l2 * shear_ratio(bar->def)));
    bar->grip = HELD * bar->spacing;
    PX_TRY(make(bar, gravity, 0.01));
    PX_TRY(hold(bar));
    PX_TRY(settle(bar, first_mode(bar)));
    *out = -end_way(bar) / wanted;
    return PX_OK;
}

PxStatus px_bar_sag(const PxBarDef *def, double by, double *out)
{
    PxBarDef own = strict(def);
    Bar bar = bar_of(&own);
    PxStatus status = sag(&bar, by, out);
    px_world_free(bar.world);
    return status;
}

/* Velocities of the first bending mode; those along the bar come from rotating sections. */
static void push_mode(const Bar *bar, double speed)
{
    PxTable *table = (PxTable *)px_world_particles(bar->world); /* a study may push it */
    const PxColumn *velocity = px_table_find(table, "velocity");
    float *v = velocity->data[bar->axis[1]], *u = velocity->data[bar->axis[0]];
    for (uint32_t i = 0; i < table->count; ++i) {
        Place p = place_of(bar, i);
        double slope, part = (p.rest[0] + 0.5 * bar->spacing) / bar->lever;
        if (p.rest[0] < 0)
            continue;
        v[i] = (float)(speed * mode_shape(part, &slope));
        u[i] = (float)(-speed * slope / bar->lever * p.rest[1]);
    }
}

/* Amplitude of the first bending mode. */
static double mode_part(const Bar *bar)
{
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
        Place p = place_of(bar, i);
        if (p.rest[0] > 0)
            sum += p.way[1] * mode_shape((p.rest[0] + 0.5 * bar->spacing) / bar->lever, NULL);
    }
    return sum;
}

/* Amplitude of the first longitudinal mode. */
static double wave_part(const Bar *bar)
{
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
        Place p = place_of(bar, i);
        sum += p.way[0] * cos(PI * p.rest[0] / bar->length);
    }
    return sum;
}

/* Time at which `part`, which starts to grow, is 0 again: half a period, about `expected`. */
static PxStatus half_period(const Bar *bar, double (*part)(const Bar *bar), double expected,
                            double *out)
{
    double before = 0, then = 0;
    *out = NAN;
    for (int k = 1; k <= 60; ++k) {
        PX_TRY(px_world_advance(bar->world, k * expected / 40));
        double now = px_world_time(bar->world), value = part(bar);
        if (k > 4 && before * value <= 0) {
            *out = then + (now - then) * before / (before - value);
            return PX_OK;
        }
        before = value;
        then = now;
    }
    return PX_OK;
}

static PxStatus swing(Bar *bar, double by, double *out)
{
    double omega = first_mode(bar), half;
    bar->grip = HELD * bar->spacing;
    PX_TRY(make(bar, 0, PI / omega / 400));
    PX_TRY(hold(bar));
    push_mode(bar, by * bar->length * omega);
    PX_TRY(half_period(bar, mode_part, PI / omega, &half));
    *out = PI / omega / half;
    return PX_OK;
}

PxStatus px_bar_swing(const PxBarDef *def, double by, double *out)
{
    Bar bar = bar_of(def);
    PxStatus status = swing(&bar, by, out);
    px_world_free(bar.world);
    return status;
}

/* sin(pi x / (2 L)): the first torsional mode. */
static double turn_shape(const Bar *bar, double x)
{
    return sin(0.5 * PI * (x + 0.5 * bar->spacing) / bar->lever);
}

static void push_turn(const Bar *bar, double speed)
{
    PxTable *table = (PxTable *)px_world_particles(bar->world); /* a study may push it */
    const PxColumn *velocity = px_table_find(table, "velocity");
    float *v = velocity->data[bar->axis[1]], *w = velocity->data[bar->axis[2]];
    for (uint32_t i = 0; i < table->count; ++i) {
        Place p = place_of(bar, i);
        if (p.rest[0] < 0)
            continue;
        v[i] = (float)(-speed * turn_shape(bar, p.rest[0]) * p.rest[2]);
        w[i] = (float)(speed * turn_shape(bar, p.rest[0]) * p.rest[1]);
    }
}

/* Amplitude of the first torsional mode. */
static double turn_part(const Bar *bar)
{
    double sum = 0;
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
        Place p = place_of(bar, i);
        if (p.rest[0] > 0)
            sum += (p.rest[1] * p.way[2] - p.rest[2] * p.way[1]) * turn_shape(bar, p.rest[0]);
    }
    return sum;
}

static PxStatus twist(Bar *bar, double by, double *out)
{
    double shear = bar->speed / sqrt(2 * (1 + bar->def->material.poisson)), half;
    double omega = 0.5 * PI * shear / bar->lever;
    bar->grip = HELD * bar->spacing;
    PX_TRY(make(bar, 0, PI / omega / 400));
    PX_TRY(hold(bar));
    push_turn(bar, by * omega);
    PX_TRY(half_period(bar, turn_part, PI / omega, &half));
    *out = PI / omega / half;
    return PX_OK;
}

PxStatus px_bar_twist(const PxBarDef *def, double by, double *out)
{
    Bar bar = bar_of(def);
    PxStatus status = twist(&bar, by, out);
    px_world_free(bar.world);
    return status;
}

static PxStatus wave(Bar *bar, double strain, double *out)
{
    double expected = bar->length / bar->speed, half;
    PX_TRY(make(bar, 0, expected / 200));
    PxTable *table = (PxTable *)px_world_particles(bar->world); /* a study may push it */
    float *v = px_table_find(table, "velocity")->data[bar->axis[0]];
    for (uint32_t i = 0; i < table->count; ++i)
        v[i] = (float)(strain * bar->speed * cos(PI * place_of(bar, i).rest[0] / bar->length));
    PX_TRY(half_period(bar, wave_part, expected, &half));
    *out = expected / half;
    return PX_OK;
}

PxStatus px_bar_wave(const PxBarDef *def, double strain, double *out)
{
    Bar bar = bar_of(def);
    PxStatus status = wave(&bar, strain, out);
    px_world_free(bar.world);
    return status;
}

/* ---- large stretches ---------------------------------------------------------------- */

/* Handles on both ends: one stands, the other moves away by `way` within `seconds`; both release
 * at `end`. */
static PxStatus draw(const Bar *bar, double way, double seconds, double end)
{
    PxKeyframe key[] = {{.time = 0, .rotation = {.w = 1}},
                        {.time = seconds, .at = along(bar, way, 0, 0), .rotation = {.w = 1}}};
    PxHandleDef handle = px_handle_def_default();
    handle.end = end;
    handle.name = "clamp";
    handle.shape = region(bar, -bar->length, 0);
    PX_TRY(px_world_add_handle(bar->world, &handle, NULL));
    handle.name = "lead";
    handle.shape = region(bar, bar->length, 2 * bar->length);
    handle.keyframe = key;
    handle.keyframes = 2;
    return px_world_add_handle(bar->world, &handle, NULL);
}

static double green(double stretch)
{
    return stretch + 0.5 * stretch * stretch;
}

static PxStatus yield(Bar *bar, double strain, double seconds, PxBarYield *out)
{
    double step = 0.005, slope[3];
    bar->grip = bar->far = HELD * bar->spacing;
    PX_TRY(make(bar, 0, step));
    PX_TRY(draw(bar, strain * bar->length, 0.05, seconds));
    /* the law over the strains of the bar */
    double creep = bar->def->material.creep, nu = bar->def->material.poisson, plastic = 0;
    double end = seconds + 100 * step;
    while (px_world_time(bar->world) < end) {
        double before = px_world_time(bar->world);
        PX_TRY(px_world_step(bar->world, end));
        stretches(bar, slope);
        double elastic = green(slope[0]) - plastic, dt = px_world_time(bar->world) - before;
        if (fabs(elastic) * sqrt(1 + 2 * nu * nu) > bar->def->material.yield)
            plastic += -expm1(-creep * dt) * elastic;
    }
    const float *carried = px_world_floats(bar->world, "plastic_strain", bar->axis[0]);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < px_world_count(bar->world); ++i) {
        double x = place_of(bar, i).rest[0] / bar->length;
        if (x > 0.25 && x < 0.75) {
            sum += (double)carried[i];
            count += 1;
        }
    }
    *out = (PxBarYield){.strain = green(slope[0]), .wanted = plastic, .within = sum / count};
    return PX_OK;
}

PxStatus px_bar_yield(const PxBarDef *def, double strain, double seconds, PxBarYield *out)
{
    Bar bar = bar_of(def);
    PxStatus status = yield(&bar, strain, seconds, out);
    px_world_free(bar.world);
    return status;
}

static PxStatus stretch(Bar *bar, double by, PxBarStretch *out)
{
    double slope[3], slowest = 0.5 * PI * bar->speed / bar->length;
    bar->grip = bar->far = HELD * bar->spacing;
    PX_TRY(make(bar, 0, 0.05 / slowest));
    PX_TRY(draw(bar, by * bar->length, 5 / slowest, 1e9));
    PX_TRY(px_world_advance(bar->world, 5 / slowest));
    PX_TRY(settle(bar, slowest));
    stretches(bar, slope);
    *out = (PxBarStretch){.along = 1 + slope[0],
                          .across = 1 + 0.5 * (slope[1] + slope[2]),
                          .volume = (1 + slope[0]) * (1 + slope[1]) * (1 + slope[2])};
    return PX_OK;
}

PxStatus px_bar_stretch(const PxBarDef *def, double by, PxBarStretch *out)
{
    Bar bar = bar_of(def);
    PxStatus status = stretch(&bar, by, out);
    px_world_free(bar.world);
    return status;
}
