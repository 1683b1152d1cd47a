/// Validation group: standing waves in a tank.
#include "study/validate/validate.h"

#include "study/sloshing.h"

/* The first standing wave in a tank. */
static PxStatus sloshing(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSloshingDef def = px_sloshing_def_default();
    def.pressure = c->solver;
    def.spacing = coarser * def.length / c->cells;
    def.threads = threads;
    PxSloshingResult result;
    PX_TRY(px_sloshing(&def, &result));
    px_figures_compare(out, "period / linear theory", result.period, 1, 0.01);
    px_figures_compare(out, "amplitude kept in a period", result.kept, 1, 0.03);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"sloshing", sloshing, "dfsph", NULL, 50, false, true},
    {"sloshing", sloshing, "pcisph", NULL, 50, false, false},
    {"sloshing", sloshing, "projection", NULL, 50, false, true},
    {"sloshing", sloshing, "flip", NULL, 50, false, true},
};

const PxValidateGroup px_validate_sloshing = {
    .title = "Waves",
    .about =
        "- **Sloshing**: the first standing wave in a tank 1 m long, 0.5 m deep and 0.2 m wide,\n"
        "  amplitude 5 cm, no viscosity and no damping, for two periods (`src/study/sloshing.h`).\n"
        "  Period against linear theory; an inviscid fluid keeps its amplitude.\n",
    .falls_short = "- **Waves** are damped and too fast with the solvers that do not correct their "
                   "gradients;\n"
                   "  `projection` loses 8 per cent of the height in a period, `flip` less than 1\n"
                   "  ([decision 26](decisions.md)).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
