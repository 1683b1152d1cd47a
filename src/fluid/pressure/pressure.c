#include "fluid/pressure/pressure.h"

#include "base/family.h"
#include "phyxel/world.h"

/* A new model is a file of its own and a line here. */
#define MODELS(X)                                                                                  \
    X(PxPressureModel, px_auto)                                                                    \
    X(PxPressureModel, px_dfsph)                                                                   \
    X(PxPressureModel, px_flip)                                                                    \
    X(PxPressureModel, px_iisph)                                                                   \
    X(PxPressureModel, px_pcisph)                                                                  \
    X(PxPressureModel, px_projection)                                                              \
    X(PxPressureModel, px_sesph)

PX_FAMILY(px_pressure_family, "pressure", MODELS, )

const PxPressureModel *px_pressure_find(const char *name, PxIsa isa)
{
    return (const PxPressureModel *)px_family_pick(&px_pressure_family, name, isa);
}

PxModelChoice px_pressure_choice(const char *model)
{
    return px_family_choice(&px_pressure_family, model);
}
