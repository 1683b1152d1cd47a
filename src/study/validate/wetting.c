/// Validation group: drops on floors, and capillary rise.
#include "study/validate/validate.h"

#include "study/jurin.h"
#include "study/sessile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PxStatus rest(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSessileDef def = px_sessile_def_default();
    def.cells = c->cells / coarser;
    def.threads = threads;
    PxSessileResult result;
    PX_TRY(px_sessile(&def, &result));
    px_figures_add(out, "speed after 0.5 s, m/s", result.speed, 0, result.speed, 1e-3);
    return PX_OK;
}

/* The angle is the case's model. */
static PxStatus angle(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxSessileDef def = px_sessile_def_default();
    def.cells = c->cells / coarser;
    def.threads = threads;
    def.gravity = 0.5; /* almost none, so that the drop is a cap */
    def.seconds = 0.3;
    def.contact_angle = atof(c->model);
    PxSessileResult result;
    PX_TRY(px_sessile(&def, &result));
    px_figures_add(out, "contact angle, degrees", result.angle, def.contact_angle,
                   fabs(result.angle - def.contact_angle) / 180, 5.0 / 180);
    return PX_OK;
}

static PxStatus rise(const PxValidateCase *c, double coarser, int threads, PxFigures *out)
{
    PxJurinDef def = px_jurin_def_default();
    def.cells = c->cells / coarser;
    def.threads = threads;
    if (strcmp(c->model, "adhesion 0.5") == 0) { /* drag of the walls slows the rise down */
        def.adhesion = 0.5;
        def.seconds = 1;
    }
    PxJurinResult result;
    PX_TRY(px_jurin(&def, &result));
    px_figures_compare(out, "rise between plates, m", result.rise, result.reference, 0.1);
    return PX_OK;
}

static const PxValidateCase cases[] = {
    {"drop on a floor", rest, "dfsph", "csf", 8, false, false},
    {"drop on a floor", rest, "dfsph", "csf", 6, false, false},
    {"contact angle", angle, "dfsph", "30 degrees", 8, false, false},
    {"contact angle", angle, "dfsph", "30 degrees", 6, false, false},
    {"contact angle", angle, "dfsph", "45 degrees", 6, false, false},
    {"contact angle", angle, "dfsph", "60 degrees", 8, false, false},
    {"contact angle", angle, "dfsph", "60 degrees", 6, false, false},
    {"contact angle", angle, "dfsph", "90 degrees", 8, false, false},
    {"contact angle", angle, "dfsph", "120 degrees", 8, false, false},
    {"contact angle", angle, "dfsph", "120 degrees", 6, false, false},
    {"contact angle", angle, "dfsph", "135 degrees", 6, false, false},
    {"contact angle", angle, "dfsph", "150 degrees", 8, false, false},
    {"capillary rise", rise, "dfsph", "csf", 8, false, false},
    {"capillary rise", rise, "dfsph", "adhesion 0.5", 6, false, false},
};

const PxValidateGroup px_validate_wetting = {
    .title = "Wetting",
    .about =
        "- **Drop on a floor**: water, 5 mm, 8 spacings in radius, `csf`; rms speed over the "
        "last 0.05 s of 0.5 s.\n"
        "- **Contact angle**: the same drop almost without weight (0.5 m/s^2) after 0.3 s: "
        "the angle of the cap with its volume and centre of mass. Errors are over 180 degrees.\n"
        "- **Capillary rise**: water between two plates of 60 degrees, 2.5 mm apart (8 "
        "spacings), that dip into a vessel; without adhesion after 0.3 s, with 0.5 after 1 s. The "
        "mean levels between and beside "
        "the plates differ by (Jurin 1718)\n"
        "  sigma cos(theta) / (rho g) times 2 / gap less the same of the plates' other "
        "sides.\n",
    .falls_short =
        "The pull at the contact line acts on whole particles. Angles of 30 to 75 degrees are "
        "within 6 at 6 spacings; lines of 120 to 150 degrees peel off the floor and touch again "
        "(10 to 20 mm/s), and drops on 135 degrees end 14 degrees low there. Adhesion slows the "
        "rise between plates down ([decision 30](decisions.md)).\n",
    .cases = cases,
    .count = PX_COUNT(cases),
};
