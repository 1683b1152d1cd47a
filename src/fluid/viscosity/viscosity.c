#include "fluid/viscosity/viscosity.h"

#include "base/family.h"
#include "base/stop.h"
#include "fluid/fluid.h"

#include <math.h>

/* A new model needs its own file and a line here. */
#define MODELS(X)                                                                                  \
    X(PxViscosityModel, px_implicit)                                                               \
    X(PxViscosityModel, px_morris)                                                                 \
    X(PxViscosityModel, px_laplacian)

PX_FAMILY(px_viscosity_family, "viscosity", MODELS, )

const PxViscosityModel *px_viscosity_find(const char *name, PxIsa isa)
{
    return (const PxViscosityModel *)px_family_pick(&px_viscosity_family, name, isa);
}

PxModelChoice px_viscosity_choice(const char *model)
{
    return px_family_choice(&px_viscosity_family, model);
}

typedef struct Volume {
    const PxFluid *fluid;
    float *volume, share;
} Volume;

static void volume_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Volume *job = user;
    const PxFluid *f = job->fluid;
    for (uint32_t i = begin; i < end; ++i) {
        /* clamped at half: more only if the particle is pressed into the wall */
        float slip = job->share * f->wall_slip[i];
        slip = slip < 0.5f ? slip : 0.5f;
        job->volume[i] = f->volume[i] / sqrtf(1.0f - slip);
    }
}

float *px_viscosity_volume(PxFluid *f, float share)
{
    Volume job = {f, PX_ARENA_ARRAY(f->scratch, float, f->count), share};
    if (job.volume != NULL)
        px_parallel_for(f->threads, f->count, 4 * PX_BLOCK, volume_block, &job);
    return job.volume;
}

/* All fluids of a world share the model: the first material names it. */
static const PxViscosityModel *model_of(const PxFluid *f)
{
    for (uint32_t m = 0; m < f->materials; ++m)
        if (f->material[m].def.viscosity > 0 || f->material[m].def.melts.into.viscosity > 0)
            return px_viscosity_find(f->material[0].def.viscosity_model.model, f->isa);
    return NULL;
}

/* Largest nu dt / s^2 of a fluid that is not stiff; tuned on solids that stand on melt of 1 and
 * 10 kPa s (docs/decisions.md 34). */
#define MOST_DIFFUSION 100.0

bool px_fluid_is_stiff(const PxFluid *f)
{
    double most = 0;
    for (uint32_t m = 0; m < f->materials; ++m)
        for (int k = 0; k < px_melt_states(&f->material[m]); ++k) {
            PxMaterial at = px_melt_state(&f->material[m], k);
            most = fmax(most, at.def.viscosity / at.def.density);
        }
    return most * f->dt > MOST_DIFFUSION * f->spacing * f->spacing;
}

bool px_fluid_is_viscous(const PxFluid *f)
{
    return model_of(f) != NULL;
}

double px_fluid_viscosity_limit(const PxFluid *f)
{
    double limit = INFINITY, h = 0.5 * (double)f->kernel.h;
    const PxViscosityModel *model = model_of(f);
    for (uint32_t m = 0; m < f->materials && model != NULL; ++m)
        for (int k = 0; k < px_melt_states(&f->material[m]); ++k) {
            PxMaterial at = px_melt_state(&f->material[m], k);
            limit = fmin(limit, model->step_limit(&at.def, h));
        }
    return limit;
}

PxStatus px_fluid_viscosity(PxFluid *f)
{
    f->viscosity_iterations = 0;
    f->viscosity_converged = true;
    const PxViscosityModel *model = model_of(f);
    if (model == NULL)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    float *kept = f->quad_velocity;
    PX_TRY(model->solve(f));
    PX_TRY(px_stop_check(f->threads)); /* a solve that was stopped is incomplete */
    f->quad_velocity = kept;
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
