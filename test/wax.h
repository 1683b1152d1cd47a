/// The wax that the tests melt.
#ifndef PX_TEST_WAX_H
#define PX_TEST_WAX_H

#include "phyxel/world.h"

static inline PxMaterialDef wax_def(void)
{
    PxMaterialDef wax = px_material_def_default();
    wax.name = "wax";
    wax.density = 900;
    wax.young = 2e5;
    wax.viscosity = 0;
    wax.diffusivity = 1e-3;
    wax.latent_heat = 2e4;
    wax.melts.melts = true;
    wax.melts.from = 40;
    wax.melts.to = 60;
    wax.melts.into.viscosity = 2;
    return wax;
}

#endif
