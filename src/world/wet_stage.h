/// Liquid in cloth: taken up from particles, spreading, dripping, drying (004 section 4.3.4).
///
/// Every vertex holds liquid in the pores of its share of the cloth. Where particles touch, liquid
/// enters to the depth l with l^2 = K t (Lucas 1918, Washburn 1921). Particles lose the mass, one
/// after the other (world/wet_take.c). Along the cloth liquid follows Fick's law between
/// neighbouring vertices, driven by the saturation and by the height over `rise`. Saturated cloth
/// lets liquid through at the speed k / mu times the gradient of the pressure (Darcy 1856). What
/// passes, and what is above saturation at low points, hangs below the cloth and falls as a
/// particle when two spacings of cloth have enough for one. Mass and momentum are kept.
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

/// Gives new cloth the liquid that it has at the start.
void px_wet_fill(PxWorld *world, const PxCloth *cloth);

/// Takes scratch memory. Errors: PX_ERR_MEMORY.
PxStatus px_wet_stage_begin(PxWorld *world);
/// Before the step is committed: finds what cloth takes up. Errors: PX_ERR_MEMORY.
PxStatus px_wet_stage_plan(PxWorld *world);
/// At the end of a step, before particles are removed by anything else. Cannot fail.
void px_wet_stage_act(PxWorld *world);

/// Liquid in all cloth, kg.
double px_wet_total(const PxWorld *world);

#endif
