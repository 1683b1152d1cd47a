/// Liquid in cloth: taken up from particles, spreading, dripping, drying (004 section 4.3.4).
///
/// Every vertex holds liquid in the pores of its share of the cloth. Where particles touch, liquid
/// enters to the depth l with l^2 = K t (Lucas 1918, Washburn 1921). Particles lose the mass, one
/// after the other (world/wet_take.c). Along the cloth liquid follows Fick's law between
/// neighbouring vertices, driven by the saturation and by the height over `rise`; no more flows to
/// a vertex than its pores have room for, except at low points, where the rest leaves them.
/// Saturated cloth lets liquid through at the speed k / mu times the gradient of the pressure
/// (Darcy 1856).
///
/// What passes, and what pores have no room for, hangs on the cloth as a film. A film of thickness
/// d runs down at the mean speed g d^2 / (3 nu) times the slope (Nusselt 1916), enters pores that
/// get room, and falls as a particle where two spacings of cloth have enough for one. Mass and
/// momentum are kept.
///
/// # Pressed cloth
/// A pressure p of layers or bodies that lie on cloth closes its pores, half of them at p =
/// `squeeze`: it has room for pores thickness / (1 + p / squeeze). p is the mean of both faces, and
/// follows that of contacts within 50 ms (world/cloth_stage.c). The rest hangs. Strain closes no
/// pores: where the area of a mesh shrinks, cloth has folds that the mesh does not show.
///
/// # Several liquids
/// Cloth keeps up to PX_WET_LIQUIDS liquids apart by mass. At a vertex they are mixed: what leaves
/// it, to other vertices, as drops or into the air, has its composition. A drop is of the liquid of
/// which most particles hang there.
#ifndef PX_WORLD_WET_STAGE_H
#define PX_WORLD_WET_STAGE_H

#include "fluid/fluid.h"
#include "world/cloth_stage.h"
#include "world/world_parts.h"

/// Does some cloth take up liquid?
bool px_wet_is_on(const PxWorld *world);
/// The most particles that can drip in a step.
#define PX_WET_DRIPS 256u

/// By vertex, 0 dry .. 1 saturated, in scratch; NULL if no cloth takes up liquid.
/// Errors: PX_ERR_MEMORY.
PxStatus px_wet_saturation(PxWorld *world, double **out);

/// Gives new cloth the liquid that it has at the start: that of the first liquid body or emitter.
void px_wet_fill(PxWorld *world, const PxCloth *cloth);
/// A body or emitter of a liquid was added: if it is the first one, wet cloth has that liquid.
void px_wet_first(PxWorld *world, uint32_t material);

/// Takes scratch memory. Errors: PX_ERR_MEMORY.
PxStatus px_wet_stage_begin(PxWorld *world);
/// Before the step is committed: finds what cloth takes up. Errors: PX_ERR_MEMORY.
PxStatus px_wet_stage_plan(PxWorld *world);
/// At the end of a step, before particles are removed by anything else. Cannot fail.
void px_wet_stage_act(PxWorld *world);

/// Liquid in all cloth, kg.
double px_wet_total(const PxWorld *world);
/// That of one material, by its slot.
double px_wet_of(const PxWorld *world, uint32_t material);
/// A material of which cloth holds nothing is removed.
void px_wet_forget(PxWorld *world, uint32_t material);

/// Frames of worlds whose cloth has met several liquids: adds a column `liquid_K` for each, K its
/// material as in the particles' column, and fills them. Errors: PX_ERR_MEMORY.
PxStatus px_wet_frame_columns(const PxWorld *world, PxTable *out);
void px_wet_frame_fill(const PxWorld *world, PxTable *out);

/// Validates stored liquid. Errors: PX_ERR_FORMAT.
PxStatus px_wet_check_stored(const PxWorld *world, const PxWorldState *state,
                             const PxClothWater *water, uint32_t count);

#endif
