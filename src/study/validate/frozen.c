/// Validation group: bars that are melted and frozen again.
#include "study/validate/validate.h"

#include "study/free_melt.h"
#include "study/frozen.h"

#include <string.h>

static PxStatus frozen(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxFrozenDef def = px_frozen_def_default();
    PxFrozenResult result;
    def.spacing = coarser * def.fill / c->cells;
    def.threads = threads;
    def.times = c->model != NULL ? 2 : 1;
    def.material.integration = px_integration_choice(c->solver);
    PX_TRY(px_frozen(&def, &result));
    px_figures_compare(out, "volume / mass over rest density", result.volume, 1, 0.03);
    px_figures_compare(out, "modulus / E", result.young, 1, 0.10);
    px_figures_add(out, "heat lost / heat to melt it", result.heat, 0, result.heat, 1e-5);
    px_figures_add(out, "mass lost", result.mass, 0, result.mass, 0);
    return PX_OK;
}

static PxStatus blob(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxFreeMeltDef def = px_free_melt_def_default();
    PxFreeMeltResult result;
    def.spacing = coarser * def.radius / c->cells;
    def.threads = threads;
    def.material.integration = px_integration_choice(c->solver);
    def.freezing = strcmp(c->model, "evenly") == 0   ? PX_FREEZES_EVENLY
                   : strcmp(c->model, "inside") == 0 ? PX_FREEZES_INSIDE
                                                     : PX_FREEZES_ONE_SIDE;
    PX_TRY(px_free_melt(&def, &result));
    px_figures_add(out, "change of angular momentum", result.angular, 0, result.angular, 1e-3);
    px_figures_add(out, "change of momentum", result.linear, 0, result.linear, 1e-6);
    px_figures_add(out, "rise of energy", result.gain, 0, result.gain, 0.005);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"melted and frozen bar", frozen, "leapfrog", NULL, 8, true, true},
    {"melted and frozen bar", frozen, "leapfrog", "twice", 8, false, true},
    {"melted and frozen bar", frozen, "implicit", "twice", 8, false, true},
    {"spinning blob that freezes", blob, "leapfrog", "evenly", 8, false, true},
    {"spinning blob that freezes", blob, "leapfrog", "inside", 8, true, true},
    {"spinning blob that freezes", blob, "leapfrog", "at one side", 8, false, true},
    {"spinning blob that freezes", blob, "implicit", "inside", 8, false, true},
};

const PxValidateGroup px_validate_frozen = {
    .title = "Melting and freezing",
    .about =
        "- **Melted and frozen bar**: wax of 0.5 MPa, 40 x 10 x 8 cm, spacing 1 cm, is melted "
        "to 1 Pa s, fills a mould and is frozen, once or twice.\n"
        "  Then it is taken out of the mould and stretched by 2 %; the modulus is over the "
        "material's (`src/study/frozen.h`).\n"
        "- **Spinning blob that freezes**: wax of 0.2 MPa, molten to 100 Pa s, radius 10 cm, "
        "flies and spins at 5.3 rad/s in empty space. A heater freezes it evenly,\n"
        "  or a cold core in its middle or at one side grows, for 1 s. Changes are relative to "
        "what it had; energy is kinetic plus elastic (`src/study/free_melt.h`).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
