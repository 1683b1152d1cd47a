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

void px_implicit_strictest(const PxFluid *f, bool divergence, double param[PX_IMPLICIT_PARAMS])
{
    const size_t least[] = {PX_IMPLICIT_MAX_ERROR, PX_IMPLICIT_COARSE, PX_IMPLICIT_SOLVE,
                            PX_IMPLICIT_MAX_DIVERGENCE};
    const size_t most[] = {PX_IMPLICIT_MAX_ITERATIONS, PX_IMPLICIT_DAMPING, PX_IMPLICIT_ERROR};
    size_t leasts = divergence ? PX_COUNT(least) : PX_COUNT(least) - 1;
    memcpy(param, f->material[0].def.pressure.param, PX_IMPLICIT_PARAMS * sizeof *param);
    for (uint32_t m = 1; m < f->materials; ++m) {
        const double *other = f->material[m].def.pressure.param;
        for (size_t k = 0; k < leasts; ++k)
            param[least[k]] = fmin(param[least[k]], other[least[k]]);
        for (size_t k = 0; k < PX_COUNT(most); ++k)
            param[most[k]] = fmax(param[most[k]], other[most[k]]);
    }
}

double px_implicit_step_limit(const PxFluid *f, const char **why)
{
    /* Pressure acts on particles like springs of frequency about sqrt(p / rho) / s and is constant
     * during a step. In water 1 m deep with 2.5 cm spacing, rows of particles begin to oscillate
     * where sqrt(p / rho) dt / s is 1; the limit is 0.4 / 0.7 of that. Pressure above what the top
     * speed can cause belongs to overfull places, where shorter steps do not help.
     *
     * Particles under pressure move at most `courant` smoothing lengths per step, free drops at
     * most 2.5 times that: the few fastest drops of a splash would otherwise halve all steps. */
    double h = 0.5 * (double)f->kernel.h;
    double flow = fmax(f->speed_within, 0.4 * f->speed_max);
    double pressed = 0.7 * fmin(f->pressure_speed, f->top_speed), speed = fmax(flow, pressed);
    *why = pressed > flow ? "its pressure" : "the speed of its particles";
    return speed > 0 ? f->courant * h / speed : INFINITY;
}

typedef struct Weights {
    const PxFluid *fluid;
    float *weight;
} Weights;

static void weight_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Weights *job = user;
    const PxFluid *f = job->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        const PxMaterialDef *def = &f->material[f->particles->material[i]].def;
        double alpha = def->pressure.param[PX_IMPLICIT_DAMPING];
        if (f->solid_fraction != NULL)
            alpha *= (double)(1.0f - f->solid_fraction[i]); /* solids have their own damping */
        job->weight[i] = f->volume[i] * (float)sqrt(def->density * alpha * f->top_speed);
    }
}

void px_implicit_weights(const PxFluid *f, float *weight)
{
    Weights job = {f, weight};
    px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, weight_block, &job);
}
