/// Validation group: Poiseuille and Couette flow.
#include "study/validate/validate.h"

#include "study/viscous_flows.h"

static PxFlowCase flow_of(const PxValidateCase *c, double coarser, int threads)
{
    return (PxFlowCase){.model = c->model,
                        .cells = (uint32_t)(c->cells / coarser),
                        .reynolds = 0.5,
                        .length = 4,
                        .friction = 1,
                        .threads = threads};
}

static PxStatus poiseuille(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxFlowCase flow = flow_of(c, coarser, threads);
    PxFlowResult result;
    PX_TRY(px_flow_poiseuille(&flow, &result));
    px_figures_compare(out, "peak velocity / formula", result.fastest, 1, 0.02);
    px_figures_add(out, "largest profile error / peak", result.worst, 0, result.worst, 0.02);
    return PX_OK;
}

static PxStatus couette(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxFlowCase flow = flow_of(c, coarser, threads);
    PxFlowResult result;
    PX_TRY(px_flow_couette(&flow, 0.1, &result));
    px_figures_add(out, "largest profile error / plate velocity", result.worst, 0, result.worst,
                   0.03);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"Poiseuille flow", poiseuille, "sesph", "implicit", 10, true, true},
    {"Poiseuille flow", poiseuille, "sesph", "morris", 10, true, true},
    {"Poiseuille flow", poiseuille, "sesph", "laplacian", 10, true, true},
    {"Couette flow", couette, "sesph", "implicit", 10, true, true},
    {"Couette flow", couette, "sesph", "morris", 10, true, true},
    {"Couette flow", couette, "sesph", "laplacian", 10, true, true},
};

const PxValidateGroup px_validate_viscous = {
    .title = "Viscous flows",
    .about = "- **Poiseuille and Couette flow**: a slab between plates 10 spacings apart "
             "(`src/study/viscous_flows.h`). Only with `sesph`, because pressure has no\n"
             "  effect on flow along plates: the case measures the viscosity model.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
