/// Validation group: inviscid flows that keep their energy.
#include "study/validate/validate.h"

#include "study/inviscid_flows.h"

typedef PxStatus Flow(const PxInviscidDef *def, PxInviscidResult *out);

static PxStatus measure(const PxValidateCase *c, double coarser, int threads, double duration,
                        Flow *flow, PxFigures *out)
{
    PxInviscidDef def = px_inviscid_def_default();
    def.pressure = c->solver;
    def.spacing = coarser * def.radius / c->cells;
    def.threads = threads;
    def.duration = duration;
    PxInviscidResult result;
    PX_TRY(flow(&def, &result));
    px_figures_compare(out, "kinetic energy kept", result.energy, 1, 0.03);
    if (flow == px_stretching_drop)
        px_figures_compare(out, "length / solution", result.length, 1, 0.02);
    else
        px_figures_compare(out, "angular momentum kept", result.momentum, 1, 0.01);
    return PX_OK;
}

static PxStatus stretching(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return measure(c, coarser, threads, 0.2, px_stretching_drop, out);
}

static PxStatus spinning(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return measure(c, coarser, threads, 1.2, px_spinning_water, out);
}

static PxStatus patch(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return measure(c, coarser, threads, 0.3, px_rotating_patch, out);
}

static const PxValidateCase cases[] = {
    {"stretching drop", stretching, "dfsph", NULL, 10, true, true},
    {"stretching drop", stretching, "projection", NULL, 10, true, true},
    {"stretching drop", stretching, "flip", NULL, 10, true, true},
    {"spinning water", spinning, "dfsph", NULL, 10, true, true},
    {"spinning water", spinning, "projection", NULL, 10, true, true},
    {"spinning water", spinning, "flip", NULL, 10, true, true},
    {"rotating patch", patch, "dfsph", NULL, 10, true, true},
    {"rotating patch", patch, "projection", NULL, 10, true, true},
    {"rotating patch", patch, "flip", NULL, 10, true, true},
};

const PxValidateGroup px_validate_inviscid = {
    .title = "Flows without viscosity",
    .about = "- **Stretching drop**: a ball 10 spacings in radius with the velocity (-x/2, -y/2, "
             "z) times 5 1/s, without\n"
             "  gravity, for 0.2 s. It becomes an ellipsoid and keeps its kinetic energy "
             "(`src/study/inviscid_flows.h`).\n"
             "- **Spinning water**: a closed round vessel without friction, 10 spacings in radius, "
             "whose water turns\n"
             "  like a solid at 5 rad/s, for about a turn. Figures start when the filling has "
             "settled: particles that\n"
             "  have no room at the round wall are removed before the first step.\n"
             "- **Rotating patch**: a square 20 spacings wide between two plates without friction, "
             "turning at 5 rad/s, for\n"
             "  0.3 s (Le Touze et al. 2013). `dfsph` does not let pressure pull, so its patch "
             "flies apart.\n",
    .falls_short =
        "- **Spinning water** is slowed by noise with `dfsph`, and with `projection` because its\n"
        "  velocities are free of divergence at the start of a step, not at its end\n"
        "  ([decision 26](decisions.md)).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
