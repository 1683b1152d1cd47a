/// Validation group: growth of the Rayleigh-Taylor instability.
#include "study/validate/validate.h"

#include "study/rayleigh_taylor.h"

static PxStatus rayleigh_taylor(const PxValidateCase *c, double coarser, int threads,
                                PxFigures *out)
{
    PxRayleighTaylorDef def = px_rayleigh_taylor_def_default();
    def.pressure = c->solver;
    def.cells = c->cells / coarser;
    if (c->model != NULL)
        def.support = 2.1;
    def.threads = threads;
    PxRayleighTaylorResult result;
    PX_TRY(px_rayleigh_taylor(&def, &result));
    px_figures_compare(out, "growth rate / formula", result.rate, 1, 0.15);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"Rayleigh-Taylor", rayleigh_taylor, "dfsph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "iisph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "pcisph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "sesph", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "projection", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "flip", NULL, 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "dfsph", "support 2.1", 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "iisph", "support 2.1", 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "pcisph", "support 2.1", 40, false, true},
    {"Rayleigh-Taylor", rayleigh_taylor, "sesph", "support 2.1", 40, false, true},
};

const PxValidateGroup px_validate_rayleigh_taylor = {
    .title = "Two fluids",
    .about = "- **Rayleigh-Taylor**: density ratio 3, each fluid half a wavelength deep, 40 "
             "spacings per wavelength, no viscosity or\n"
             "  damping, started with the velocity of the growing mode "
             "(`src/study/rayleigh_taylor.h`). The growth rate up to\n"
             "  an amplitude of 0.03 wavelengths is compared with sqrt(A g k tanh(k d)). \"Support "
             "2.1\" has a support of 2.1 spacings\n"
             "  instead of 2.\n",
    .falls_short = "- **Rayleigh-Taylor**: density ratio 3, each fluid half a wavelength deep, 40 "
                   "spacings per wavelength, no viscosity or\n"
                   "  damping, started with the velocity of the growing mode "
                   "(`src/study/rayleigh_taylor.h`). The growth rate up to\n"
                   "  an amplitude of 0.03 wavelengths is compared with sqrt(A g k tanh(k d)). "
                   "\"Support 2.1\" has a support of 2.1 spacings\n"
                   "  instead of 2.\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
