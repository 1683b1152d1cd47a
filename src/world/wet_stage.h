/// Liquid in cloth: taken up from particles, spreading, dripping, drying (004 section 4.3.4).
///
/// Every vertex holds liquid in the pores of its share of the cloth. Where particles touch, liquid
/// enters to the depth l with l^2 = K t (Lucas 1918, Washburn 1921), so at the rate K / (2 l). A
/// particle is taken up whole, as soon as the corners of the triangle that it touches could have
/// taken its mass: the particles that are left keep theirs, which the fluid's solvers rely on.
/// Along the cloth liquid follows Fick's law between neighbouring vertices, driven by the
/// saturation and by the height over `rise`. What is above saturation drips from vertices lower
/// than their neighbours, a particle at a time. Mass and momentum are kept.
#ifndef PX_WORLD_WET_STAGE_H
#define PX_WORLD_WET_STAGE_H

#include "fluid/fluid.h"
#include "world/world_parts.h"

/// Does some cloth take up liquid?
bool px_wet_is_on(const PxWorld *world);
/// The most particles that can drip in a step.
#define PX_WET_DRIPS 256u

/// By vertex, 0 dry .. 1 saturated, in scratch; NULL if no cloth takes up liquid.
/// Errors: PX_ERR_MEMORY.
PxStatus px_wet_saturation(PxWorld *world, double **out);

/// Takes scratch memory. Errors: PX_ERR_MEMORY.
PxStatus px_wet_stage_begin(PxWorld *world);
/// At the end of a step, before particles are removed by anything else. Cannot fail.
void px_wet_stage_act(PxWorld *world);

/// Liquid in all cloth, kg.
double px_wet_total(const PxWorld *world);

#endif
