/// Validation group: Poiseuille and Couette flow.
#include "study/validate/validate.h"

#include "study/tube_flows.h"
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

static PxStatus in_tube(const PxValidateCase *c, double coarser, int threads, PxWallSearch search,
                        double womersley, double within, PxFigures *out)
{
    PxTubeCase tube = {(uint32_t)(c->cells / coarser), search, threads};
    PxTubeResult result;
    if (womersley > 0)
        PX_TRY(px_tube_womersley(&tube, womersley, &result));
    else
        PX_TRY(px_tube_poiseuille(&tube, &result));
    px_figures_compare(out, "velocity at the axis / formula", result.fastest, 1, within);
    px_figures_add(out, "largest profile error / peak", result.worst, 0, result.worst, within);
    px_figures_add(out, "leaked", (double)result.leaked, 0, (double)result.leaked, 0);
    return PX_OK;
}

static PxStatus tube_table(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return in_tube(c, coarser, threads, PX_SEARCH_TABLE, 0, 0.05, out);
}

static PxStatus tube_distance(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return in_tube(c, coarser, threads, PX_SEARCH_DISTANCE, 0, 0.05, out);
}

static PxStatus tube_tree(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return in_tube(c, coarser, threads, PX_SEARCH_TREE, 0, 0.05, out);
}

static PxStatus tube_pulse(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    return in_tube(c, coarser, threads, PX_SEARCH_TABLE, 3, 0.1, out);
}

static const PxValidateCase cases[] = {
    {"Poiseuille flow", poiseuille, "sesph", "implicit", 10, true, true},
    {"Poiseuille flow", poiseuille, "sesph", "morris", 10, true, true},
    {"Poiseuille flow", poiseuille, "sesph", "laplacian", 10, true, true},
    {"Couette flow", couette, "sesph", "implicit", 10, true, true},
    {"Couette flow", couette, "sesph", "morris", 10, true, true},
    {"Couette flow", couette, "sesph", "laplacian", 10, true, true},
    {"tube of triangles, Poiseuille", tube_table, "sesph", "table", 16, true, true},
    {"tube of triangles, Poiseuille", tube_distance, "sesph", "distance", 16, false, true},
    {"tube of triangles, Poiseuille", tube_tree, "sesph", "tree", 16, false, true},
    {"tube of triangles, Womersley 3", tube_pulse, "sesph", "table", 16, true, true},
};

const PxValidateGroup px_validate_viscous = {
    .title = "Viscous flows",
    .about = "- **Poiseuille and Couette flow**: a slab between plates 10 spacings apart "
             "(`src/study/viscous_flows.h`). Only with `sesph`, because pressure has no\n"
             "  effect on flow along plates: the case measures the viscosity model.\n"
             "- **tube of triangles**: a column in a round tube of triangles, 16 spacings across, "
             "under a steady force (Poiseuille), or an oscillating one with R sqrt(w / nu) = 3\n"
             "  (Womersley 1955), by each way to find the wall (`src/study/tube_flows.h`).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
