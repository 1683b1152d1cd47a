#include "fluid/viscosity/viscosity.h"

#include "fluid/fluid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A new model is a file of its own and a line here. */
#define MODELS(X) X(px_implicit) X(px_morris) X(px_laplacian)

#define DECLARE_BASE(model) extern const PxViscosityModel model##_base;
#define INFO(model) &model##_base.info,
MODELS(DECLARE_BASE)

static const PxModelInfo *const infos[] = {MODELS(INFO)};

const PxFamily px_viscosity_family = {"viscosity", infos, PX_COUNT(infos)};

#define BASE(model) &model##_base,
static const PxViscosityModel *const base_models[] = {MODELS(BASE)};
#ifdef PX_HAVE_AVX2
#define DECLARE_AVX2(model) extern const PxViscosityModel model##_avx2;
#define AVX2(model) &model##_avx2,
MODELS(DECLARE_AVX2)
static const PxViscosityModel *const avx2_models[] = {MODELS(AVX2)};
#endif

const PxViscosityModel *px_viscosity_find(const char *name, PxIsa isa)
{
    for (size_t k = 0; k < PX_COUNT(infos); ++k) {
        if (strcmp(infos[k]->name, name) != 0)
            continue;
#ifdef PX_HAVE_AVX2
        if (isa == PX_ISA_AVX2)
            return avx2_models[k];
#endif
        (void)isa;
        return base_models[k];
    }
    return NULL;
}

PxModelChoice px_viscosity_choice(const char *model)
{
    PxModelChoice choice = {.model = ""};
    const PxModelInfo *info = px_family_find(&px_viscosity_family, model);
    if (info == NULL)
        return choice;
    snprintf(choice.model, sizeof choice.model, "%s", info->name);
    if (info->field_count > 0)
        memcpy(choice.param, info->defaults, info->field_count * sizeof(double));
    return choice;
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
        /* half at most: no wall has more, unless the particle is pressed into it */
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
        if (f->material[m].def.viscosity > 0)
            return px_viscosity_find(f->material[0].def.viscosity_model.model, f->isa);
    return NULL;
}

double px_fluid_viscosity_limit(const PxFluid *f)
{
    double limit = INFINITY, h = 0.5 * (double)f->kernel.h;
    const PxViscosityModel *model = model_of(f);
    for (uint32_t m = 0; m < f->materials && model != NULL; ++m)
        limit = fmin(limit, model->step_limit(&f->material[m].def, h));
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
    f->quad_velocity = kept;
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
