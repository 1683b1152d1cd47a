/// Validation group: columns at rest.
#include "study/validate/validate.h"

#include "study/column.h"

#include <math.h>
#include <string.h>

/* Water at rest, 1 m deep. */
static PxStatus column(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxColumnDef def = px_column_def_default();
    def.pressure = c->solver;
    def.spacing = coarser * def.depth / c->cells;
    def.threads = threads;
    PxColumnResult result;
    PX_TRY(px_column_rest(&def, &result));
    px_figures_compare(out, "pressure at half depth / rho g d", result.middle, 1, 0.03);
    px_figures_compare(out, "pressure at the bottom / rho g d", result.bottom, 1, 0.03);
    px_figures_add(out, "error of a gauge's pressure at any depth, mean", result.mean, 0,
                   result.mean, 0.02);
    px_figures_add(out, "error of a gauge's pressure at any depth, any frame", result.frame, 0,
                   result.frame, 0.02);
    double within = strcmp(c->solver, "sesph") == 0 ? 0.03 : 0.01;
    px_figures_add(out, "height by the centre of mass / depth", result.height, 1,
                   fabs(result.height - 1), within);
    px_figures_add(out, "level by a gauge / depth", result.level, 1, fabs(result.level - 1),
                   within);
    px_figures_add(out, "height of the top layer / depth", result.top, 1, fabs(result.top - 1),
                   NAN);
    return PX_OK;
}

static PxStatus thick(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxThickDef def = px_thick_def_default();
    def.pressure = c->solver;
    def.spacing = coarser * 0.12 / c->cells;
    def.threads = threads;
    PxThickResult result;
    PX_TRY(px_column_thick(&def, &result));
    px_figures_add(out, "checks at which it had not sunk and spread", result.backwards, 0,
                   result.backwards, 0);
    px_figures_compare(out, "mean step, ms", 1e3 * result.step, 1e3 * def.step, 0.01);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"column at rest", column, "dfsph", NULL, 40, true, true},
    {"column at rest", column, "iisph", NULL, 40, false, true},
    {"column at rest", column, "pcisph", NULL, 40, false, true},
    {"column at rest", column, "sesph", NULL, 40, false, true},
    {"column at rest", column, "projection", NULL, 40, false, true},
    {"column at rest", column, "flip", NULL, 40, true, true},
    {"column of 10 kPa s", thick, "dfsph", "implicit", 6, true, false},
    {"column of 10 kPa s", thick, "iisph", "implicit", 6, false, false},
    {"column of 10 kPa s", thick, "pcisph", "implicit", 6, false, false},
    {"column of 10 kPa s", thick, "sesph", "implicit", 6, false, false},
    {"column of 10 kPa s", thick, "flip", "implicit", 6, false, false},
};

const PxValidateGroup px_validate_column = {
    .title = "Columns at rest",
    .about = "- **Column at rest**: water 1 m deep and 0.4 m wide, spacing 2.5 cm, starts on its "
             "lattice and is measured from 3 s to 5 s. Depth\n"
             "  counts from the actual surface, half a spacing above the mean of the top layer. "
             "Half depth means within one spacing of\n"
             "  it, the bottom within the support (2 spacings) of the floor. Steps are weighted by "
             "their length: `pcisph` solves for each\n"
             "  step's pressure from zero, so a step shortened to end at a given time has another "
             "pressure. The height is twice that of\n"
             "  the centre of mass. Gauges: planes across the tank at 0.1, 0.3, 0.5, 0.7 and 0.9 "
             "of the depth, each the mean of a\n"
             "  frame of 1/30 s, over rho g times the distance to the level of five gauges; the "
             "largest error counts.\n"
             "- **Column of 10 kPa s**: 0.24 m high on a no-slip floor, 0.2 s in steps of 1 ms. It "
             "is checked every 10 steps that it has sunk\n"
             "  and spread.\n",
    .falls_short = "- **A layer on a wall has no buoyancy**: its own pressure pushes it off the "
                   "wall, and it comes to rest at the pressure that carries\n"
                   "  its own weight. Sixteen particles of 0.3 times the density of water in the "
                   "lowest layer of a tank stay there; those in the\n"
                   "  second layer are at the top after 4 s. A film of a lighter fluid one "
                   "particle thick stays on the floor.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
