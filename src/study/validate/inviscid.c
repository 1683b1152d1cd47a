/// Validation group: inviscid flows that keep their energy.
#include "study/validate/validate.h"

#include "study/inviscid_flows.h"

static PxStatus flow(const PxValidateCase *c, double coarser, int threads, bool drop,
                     PxFigures *out)
{
    PxInviscidDef def = px_inviscid_def_default();
    def.pressure = c->solver;
    def.spacing = coarser * def.radius / c->cells;
    def.threads = threads;
    def.duration = drop ? 0.2 : 1.2;
    PxInviscidResult result;
    PX_TRY(drop ? px_stretching_drop(&def, &result) : px_spinning_water(&def, &result));
    px_figures_compare(out, "kinetic energy kept", result.energy, 1, 0.03);
    if (drop)
        px_figures_compare(out, "length / solution", result.length, 1, 0.02);
    else
        px_figures_compare(out, "angular momentum kept", result.momentum, 1, 0.01);
    return PX_OK;
}

static PxStatus stretching(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return flow(c, coarser, threads, true, out);
}

static PxStatus spinning(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return flow(c, coarser, threads, false, out);
}

static const PxValidateCase cases[] = {
    {"stretching drop", stretching, "dfsph", NULL, 10, true, true},
    {"stretching drop", stretching, "projection", NULL, 10, true, true},
    {"stretching drop", stretching, "flip", NULL, 10, true, true},
    {"spinning water", spinning, "dfsph", NULL, 10, true, true},
    {"spinning water", spinning, "projection", NULL, 10, true, true},
    {"spinning water", spinning, "flip", NULL, 10, true, true},
};

const PxValidateGroup px_validate_inviscid = {
    .title = "Flows without viscosity",
    .about = "- **Stretching drop**: a ball 10 spacings in radius with the velocity (-x/2, -y/2, "
             "z) times 5 1/s, without\n"
             "  gravity, for 0.2 s. It becomes an ellipsoid and keeps its kinetic energy "
             "(`src/study/inviscid_flows.h`).\n"
             "- **Spinning water**: a closed round vessel without friction, 10 spacings in radius, "
             "whose water turns\n"
             "  like a solid at 5 rad/s, for about a turn.\n",
    .falls_short = "- **Spinning water** is slowed by noise: particles are pressed outwards, and "
                   "what corrects the\n"
                   "  density moves them back ([decision 26](decisions.md)).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
