#include "base/family.h"

#include <stdio.h>
#include <string.h>

const PxModelInfo *px_family_pick(const PxFamily *family, const char *name, PxIsa isa)
{
    for (size_t k = 0; k < family->count; ++k)
        if (strcmp(family->models[k]->name, name) == 0)
            return isa == PX_ISA_AVX2 ? family->avx2[k] : family->models[k];
    return NULL;
}

PxModelChoice px_family_choice(const PxFamily *family, const char *name)
{
    PxModelChoice choice = {.model = ""};
    const PxModelInfo *info = name != NULL ? px_family_find(family, name) : NULL;
    if (info == NULL)
        return choice;
    snprintf(choice.model, sizeof choice.model, "%s", info->name);
    if (info->field_count > 0)
        memcpy(choice.param, info->defaults, info->field_count * sizeof(double));
    return choice;
}
