#include "fluid/pressure/pressure.h"

#include "phyxel/world.h"

#include <stdio.h>
#include <string.h>

/* A new model is a file of its own and a line here. */
#define MODELS(X) X(px_dfsph) X(px_iisph) X(px_pcisph) X(px_sesph)

#define DECLARE_BASE(model) extern const PxPressureModel model##_base;
#define INFO(model) &model##_base.info,
MODELS(DECLARE_BASE)

static const PxModelInfo *const infos[] = {MODELS(INFO)};

const PxFamily px_pressure_family = {"pressure", infos, PX_COUNT(infos)};

#define BASE(model) &model##_base,
static const PxPressureModel *const base_models[] = {MODELS(BASE)};
#ifdef PX_HAVE_AVX2
#define DECLARE_AVX2(model) extern const PxPressureModel model##_avx2;
#define AVX2(model) &model##_avx2,
MODELS(DECLARE_AVX2)
static const PxPressureModel *const avx2_models[] = {MODELS(AVX2)};
#endif

const PxPressureModel *px_pressure_find(const char *name, PxIsa isa)
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

PxModelChoice px_pressure_choice(const char *model)
{
    PxModelChoice choice = {.model = ""};
    const PxModelInfo *info = px_family_find(&px_pressure_family, model);
    if (info == NULL)
        return choice;
    snprintf(choice.model, sizeof choice.model, "%s", info->name);
    memcpy(choice.param, info->defaults, info->field_count * sizeof(double));
    return choice;
}
