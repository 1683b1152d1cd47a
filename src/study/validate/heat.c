/// Validation group: conduction and melting along bars.
#include "study/validate/validate.h"

#include "study/heat_bar.h"
#include "study/round_vessel.h"

#include <stdio.h>
#include <string.h>

static PxHeatBarDef heat_bar(const PxValidateCase *c, double coarser, int threads)
{
    PxHeatBarDef def = px_heat_bar_def_default();
    def.cells = c->cells / coarser;
    def.threads = threads;
    if (c->model != NULL)
        sscanf(c->model, "Ste %lf", &def.stefan);
    return def;
}

static PxStatus heat_halves(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxHeatBarDef def = heat_bar(c, coarser, threads);
    PxHeatBarResult result;
    if (c->model != NULL && strcmp(c->model, "implicit") == 0)
        /* four spacings squared per step, so that the implicit solve is used */
        def.diffusivity = 4e-3;
    if (c->model != NULL && strcmp(c->model, "hexagonal") == 0)
        def.order = PX_HEAT_BAR_HEXAGONAL;
    if (c->model != NULL && strcmp(c->model, "stirred") == 0) {
        def.order = PX_HEAT_BAR_STIRRED;
        /* small steps and diffusivity, because the stirred matter still moves a little */
        def.diffusivity = 1e-3;
        def.step = 0.02;
    }
    PX_TRY(px_heat_bar_halves(&def, &result));
    px_figures_add(out, "largest profile error / difference", result.worst, 0, result.worst, 0.03);
    px_figures_add(out, "heat lost / heat", result.kept, 0, result.kept, 1e-5);
    return PX_OK;
}

static PxStatus heat_wall(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxHeatBarDef def = heat_bar(c, coarser, threads);
    PxHeatBarResult result;
    def.conductance = c->model != NULL ? 2 : 0;
    PX_TRY(px_heat_bar_wall(&def, &result));
    px_figures_add(out, "largest profile error / difference", result.worst, 0, result.worst, 0.03);
    px_figures_compare(out, "heat through the wall / formula", result.heat, 1, 0.03);
    px_figures_add(out, "heat lost / heat", result.kept, 0, result.kept, 1e-5);
    return PX_OK;
}

static PxStatus heat_melting(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxHeatBarDef def = heat_bar(c, coarser, threads);
    PxHeatBarResult result;
    def.step = 0.2;
    if (strstr(c->model, "implicit") != NULL)
        /* four spacings squared per step, so that the implicit solve is used */
        def.diffusivity = 2e-3;
    PX_TRY(px_heat_bar_melting(&def, &result));
    px_figures_compare(out, "time to melt / formula", result.time, 1, 0.05);
    px_figures_add(out, "heat lost / heat", result.kept, 0, result.kept, 1e-5);
    return PX_OK;
}

static PxStatus round_vessel(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxRoundVesselDef def = px_round_vessel_def_default();
    double passed;
    def.cells = c->cells / coarser;
    def.threads = threads;
    def.solid = strstr(c->model, "solid") != NULL;
    if (strstr(c->model, "cylinder") != NULL)
        def.shape = PX_SHAPE_CYLINDER;
    PX_TRY(px_round_vessel_run(&def, &passed));
    px_figures_compare(out, "heat through the wall / formula", passed, 1, 0.02);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"bar of two halves", heat_halves, "-", NULL, 6, true, true},
    {"bar of two halves", heat_halves, "-", "implicit", 24, true, true},
    {"bar of two halves", heat_halves, "-", "hexagonal", 6, true, true},
    {"bar of two halves", heat_halves, "-", "stirred", 6, true, false},
    {"bar on a hot wall", heat_wall, "-", NULL, 6, true, true},
    {"bar on a hot wall", heat_wall, "-", "contact", 6, true, true},
    {"melting bar", heat_melting, "-", "Ste 0.2", 10, false, true},
    {"melting bar", heat_melting, "-", "Ste 1", 10, true, true},
    {"melting bar", heat_melting, "-", "Ste 4", 10, true, true},
    {"melting bar", heat_melting, "-", "Ste 1 implicit", 10, true, true},
    {"round vessel", round_vessel, "-", "sphere", 10, true, true},
    {"round vessel", round_vessel, "-", "sphere, solid", 10, true, true},
    {"round vessel", round_vessel, "-", "cylinder", 10, true, true},
    {"round vessel", round_vessel, "-", "cylinder, solid", 10, true, true},
};

const PxValidateGroup px_validate_heat = {
    .title = "Heat",
    .about = "- **Bars that conduct heat**: 6 spacings thick, free sides, no gravity "
             "(`src/study/heat_bar.h`). *Two halves* and\n"
             "  *on a hot wall*: until the width of the profile, sqrt(4 a t), is 6 spacings; all "
             "particles count, those at the faces too.\n"
             "  \"Implicit\" is 24 spacings wide with implicit steps of 4 s^2 / a. \"Hexagonal\" "
             "has a hexagonal lattice. \"Stirred\" is a column, 16 spacings high and\n"
             "  4 thick, that fell over in a tank and was then given a high viscosity; part of its "
             "error is remaining flow. \"Contact\" has\n"
             "  a conductance of 2 k over the width. *Melting*: matter at its melting point with a "
             "melting range of 0.5 % of the temperature\n"
             "  difference to the wall, until 10 spacings are molten; Ste is heat capacity times "
             "that difference over latent heat. \"Ste 1 implicit\" has\n"
             "  implicit steps of 4 s^2 / a.\n"
             "- **Round vessels** with a conductance, full of fluid or of a solid: the heat that "
             "passes through the wall's area in 8 s (`src/study/round_vessel.h`).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
