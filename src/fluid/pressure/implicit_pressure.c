#include "fluid/pressure/implicit_pressure.h"

#include <math.h>
#include <string.h>

static const char *const error_words[] = {"mean", "max", NULL};
static const char *const solve_words[] = {"accelerated", "published", NULL};

const PxField px_implicit_fields[PX_IMPLICIT_PARAMS] = {
    [PX_IMPLICIT_MAX_ERROR] = {.key = "max_error",
                               .kind = PX_FIELD_NUMBER,
                               .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
                               .offset = PX_IMPLICIT_MAX_ERROR * sizeof(double),
                               .unit = "per cent",
                               .least = 0,
                               .most = 10,
                               .help = "Tolerance of the pressure solve: compression at which "
                                       "it stops."},
    [PX_IMPLICIT_MAX_ITERATIONS] = {.key = "max_iterations",
                                    .kind = PX_FIELD_COUNT,
                                    .flags = PX_FIELD_LIVE,
                                    .offset = PX_IMPLICIT_MAX_ITERATIONS * sizeof(double),
                                    .unit = "",
                                    .least = 1,
                                    .most = 10000,
                                    .help = "Largest number of iterations of a solve; beyond it "
                                            "the step counts as not converged."},
    [PX_IMPLICIT_DAMPING] = {.key = "damping",
                             .kind = PX_FIELD_NUMBER,
                             .flags = PX_FIELD_LIVE,
                             .offset = PX_IMPLICIT_DAMPING * sizeof(double),
                             .unit = "",
                             .least = 0,
                             .most = 1,
                             .help = "Artificial viscosity, Monaghan's alpha: damps random "
                                     "motion between neighbouring particles."},
    [PX_IMPLICIT_COARSE] = {.key = "coarse",
                            .kind = PX_FIELD_COUNT,
                            .flags = PX_FIELD_LIVE,
                            .offset = PX_IMPLICIT_COARSE * sizeof(double),
                            .unit = "",
                            .least = 0,
                            .most = 1,
                            .help = "1: the smooth part of the pressure is solved on a coarse "
                                    "grid, for fewer iterations in deep fluids; 0: iterations "
                                    "over neighbours only."},
    [PX_IMPLICIT_ERROR] = {.key = "error",
                           .kind = PX_FIELD_CHOICE,
                           .offset = PX_IMPLICIT_ERROR * sizeof(double),
                           .unit = "",
                           .least = 0,
                           .most = 1,
                           .words = error_words,
                           .help = "Compression that the tolerances bound: the mean over all "
                                   "particles, or the largest."},
    [PX_IMPLICIT_SOLVE] = {.key = "solve",
                           .kind = PX_FIELD_CHOICE,
                           .offset = PX_IMPLICIT_SOLVE * sizeof(double),
                           .unit = "",
                           .least = 0,
                           .most = 1,
                           .words = solve_words,
                           .help = "Iteration: accelerated and with a bound for crowded particles, "
                                   "or as the model's authors published it, to compare with."},
    [PX_IMPLICIT_MAX_DIVERGENCE] = {.key = "max_divergence",
                                    .kind = PX_FIELD_NUMBER,
                                    .flags = PX_FIELD_LIVE | PX_FIELD_ABOVE,
                                    .offset = PX_IMPLICIT_MAX_DIVERGENCE * sizeof(double),
                                    .unit = "per cent",
                                    .least = 0,
                                    .most = 10,
                                    .help = "Tolerance of the divergence-free solve: "
                                            "compression that the velocities would cause in one "
                                            "step."},
};

/* Tolerances are compressions in a step, so the speed that they leave is theirs times s / dt. It
 * alternates from step to step and does not die. Where tension limits the step, that speed grows
 * as the spacing shrinks: 1.1 mm/s in a drop of water, 5 mm, at rest on a floor with 8 spacings
 * in its radius, 0.15 with this part of the tolerances (study/sessile.h). */
#define TENSE 0.1

static double stated(const PxMaterialDef *def, size_t k, const double *otherwise)
{
    double value = def->pressure.param[k];
    return isnan(value) && otherwise != NULL ? otherwise[k] : value;
}

void px_implicit_strictest(const PxFluid *f, bool divergence, const double *otherwise,
                           double param[PX_IMPLICIT_PARAMS])
{
    const size_t least[] = {PX_IMPLICIT_MAX_ERROR, PX_IMPLICIT_COARSE, PX_IMPLICIT_SOLVE,
                            PX_IMPLICIT_MAX_DIVERGENCE};
    const size_t most[] = {PX_IMPLICIT_MAX_ITERATIONS, PX_IMPLICIT_DAMPING, PX_IMPLICIT_ERROR};
    size_t leasts = divergence ? PX_COUNT(least) : PX_COUNT(least) - 1;
    for (size_t k = 0; k < PX_IMPLICIT_PARAMS; ++k)
        param[k] = stated(&f->material[0].def, k, otherwise);
    for (uint32_t m = 1; m < f->materials; ++m) {
        const PxMaterialDef *other = &f->material[m].def;
        for (size_t k = 0; k < leasts; ++k)
            param[least[k]] = fmin(param[least[k]], stated(other, least[k], otherwise));
        for (size_t k = 0; k < PX_COUNT(most); ++k)
            param[most[k]] = fmax(param[most[k]], stated(other, most[k], otherwise));
    }
    if (!divergence || param[PX_IMPLICIT_SOLVE] > 0 || !(f->dt > 0))
        return; /* published: as stated; without the second solve what is left does not alternate */
    double part = fmin(TENSE * px_fluid_tension_limit(f) / f->dt, 1);
    param[PX_IMPLICIT_MAX_ERROR] *= part;
    param[PX_IMPLICIT_MAX_DIVERGENCE] *= part;
}

double px_implicit_step_limit(const PxFluid *f, const char **why)
{
    /* Pressure acts on particles like springs of frequency w, about sqrt(p / rho) / s, and is
     * constant during a step. In water 1 m deep with 2.5 cm spacing, rows of particles begin to
     * oscillate where w dt is 1; the limit is 0.4 / 0.7 of that. Pressure above what the top
     * speed can cause belongs to overfull places, where shorter steps do not help.
     *
     * All but a few particles under pressure move at most `courant` smoothing lengths per step,
     * those few and free drops at most 2.5 times that: the fastest of a splash would otherwise
     * halve all steps. */
    double h = 0.5 * (double)f->kernel.h;
    double flow = fmax(f->speed_within, 0.4 * f->speed_max);
    double pressed = 0.7 * fmin(f->pressure_speed, f->top_speed);
    double speed = fmax(flow, pressed);
    *why = pressed > flow ? "its pressure" : "the speed of its particles";
    return speed > 0 ? f->courant * h / speed : (double)INFINITY;
}

const PxImplicitKind px_dfsph_kind = {.divergence = true, .warm = true};
const PxImplicitKind px_flip_kind = {.grid = true};

const double px_dfsph_defaults[PX_IMPLICIT_PARAMS] = {[PX_IMPLICIT_MAX_ERROR] = 0.01,
                                                      [PX_IMPLICIT_MAX_ITERATIONS] = 200,
                                                      [PX_IMPLICIT_DAMPING] = 0.1,
                                                      [PX_IMPLICIT_COARSE] = 1,
                                                      [PX_IMPLICIT_MAX_DIVERGENCE] = 0.1};
const double px_flip_defaults[PX_IMPLICIT_PARAMS] = {[PX_IMPLICIT_MAX_ERROR] = 0.05,
                                                     [PX_IMPLICIT_MAX_ITERATIONS] = 500,
                                                     [PX_IMPLICIT_DAMPING] = 0.3,
                                                     [PX_IMPLICIT_COARSE] = 1,
                                                     [PX_IMPLICIT_MAX_DIVERGENCE] = 0.0005};

bool px_flip_sees(const PxFluid *f)
{
    bool sees = true;
    for (uint32_t k = 0; k < f->materials; ++k)
        sees = sees && !(f->material[k].live &&
                         (f->material[k].def.young > 0 || f->material[k].def.cloth.cloth));
    return sees;
}

/* Is a liquid so viscous that drag moves rigid bodies more than their inertia does? With the grid,
 * a ball 8 spacings wide sinks in 100 Pa s at 1.11 times its speed (`dfsph`: 0.69), but a box of
 * 10 kg/m^3 that floats on it turns at up to 35 rad/s: viscosity is solved for before pressure,
 * which acts on bodies in the viscous solve as it did in the steps before. The bound is a hundredth
 * of the viscosity at which waves as long as a spacing are damped within a period. */
static bool is_thick(const PxFluid *f)
{
    bool thick = false;
    double bound = 0.01 * f->spacing * sqrt(10 * f->spacing);
    for (uint32_t k = 0; k < f->materials; ++k) {
        const PxMaterialDef *def = &f->material[k].def;
        thick = thick || (f->material[k].live && def->viscosity > bound * def->density);
    }
    return thick;
}

/* Cells around a mesh that moves are cut anew in every step, with exact distances: a step of
 * scenes/jug.json takes a second instead of 50 ms. */
bool px_flip_applies(const PxFluid *f)
{
    return px_flip_sees(f) && !f->emits && !(f->carries && (f->carries_meshes || is_thick(f))) &&
           !px_fluid_has_tension(f) && !isfinite(px_fluid_cohesion_limit(f)) &&
           !px_dist_shared(f->dist);
}

/* Particles under pressure move at most `courant` smoothing lengths per step, free drops at
 * most 2.5 times that, as with the other implicit models. Their limit by the pressure is not
 * needed: the grid does not see the motion between neighbours that it keeps stable. */
double px_flip_step_limit(const PxFluid *f, const char **why)
{
    double flow = fmax(f->speed_within, 0.4 * f->speed_max);
    *why = "the speed of its particles";
    return flow > 0 ? f->courant * 0.5 * (double)f->kernel.h / flow : (double)INFINITY;
}

typedef struct Weights {
    const PxFluid *fluid;
    const double *otherwise;
    float *weight;
} Weights;

/* Bound of alpha c dt / s. Damping is explicit and takes velocities that alternate between
 * neighbours away at a rate of about 2 alpha c / s, so it is stable below 1. */
#define MOST_DAMPING 0.5

static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Weights *job = user;
    const PxFluid *f = job->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
        double alpha = stated(def, PX_IMPLICIT_DAMPING, job->otherwise);
        if (f->solid_fraction != NULL)
            alpha *= (double)(1.0f - f->solid_fraction[i]); /* solids have their own damping */
        alpha = fmin(alpha, MOST_DAMPING * f->spacing / (f->top_speed * f->dt));
        job->weight[i] = f->volume[i] * (float)sqrt(def->density * alpha * f->top_speed);
    }
}

void px_implicit_weights(const PxFluid *f, const double *otherwise, float *weight)
{
    Weights job = {f, otherwise, weight};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, weight_block, &job);
}
