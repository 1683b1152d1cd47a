#include "solid/integration.h"

#include "base/family.h"

/* A new model is a file of its own and a line here. */
#define MODELS(X)                                                                                  \
    X(PxIntegrationModel, px_leapfrog)                                                             \
    X(PxIntegrationModel, px_implicit_euler)

PX_FAMILY(px_integration_family, "integration", MODELS, )

const PxIntegrationModel *px_integration_find(const char *name, PxIsa isa)
{
    return (const PxIntegrationModel *)px_family_pick(&px_integration_family, name, isa);
}

PxModelChoice px_integration_choice(const char *model)
{
    return px_family_choice(&px_integration_family, model);
}
