/// A bar that conducts heat: what conduction and melting are measured on.
///
/// It lies along x, 6 spacings thick and free at its sides, without weight and at rest. Lengths
/// are told by the width of the profile, sqrt(4 a t).
#ifndef PX_STUDY_HEAT_BAR_H
#define PX_STUDY_HEAT_BAR_H

#include "phyxel/world.h"

/// How the particles of a bar of two halves lie.
typedef enum PxHeatBarOrder {
    PX_HEAT_BAR_CUBIC,
    PX_HEAT_BAR_HEXAGONAL,
    PX_HEAT_BAR_STIRRED, ///< as those of a column do that fell over in a tank
} PxHeatBarOrder;

/// Start from px_heat_bar_def_default().
typedef struct PxHeatBarDef {
    double cells;         ///< spacings in the width of the profile at the end
    double diffusivity;   ///< m^2/s
    double step;          ///< s, the longest
    double conductance;   ///< on a wall: of the contact, in k over the width; 0: perfect
    double stefan;        ///< melting: heat capacity times what the wall is hotter over latent heat
    PxHeatBarOrder order; ///< of two halves
    int threads;
} PxHeatBarDef;

PxHeatBarDef px_heat_bar_def_default(void);

typedef struct PxHeatBarResult {
    double worst;        ///< greatest deviation of a particle over the difference of temperatures
    double heat;         ///< what came in, over the formula's; 1 where nothing should
    double kept;         ///< change of heat less what came in, over heat
    double time;         ///< melting: how long it took, over the formula's
    uint64_t iterations; ///< of solves, in the last step
} PxHeatBarResult;

/// Two halves of different temperature: the error function. The bar's ends are two widths away;
/// what was stirred is in a tank of that length, too thick to move any more.
PxStatus px_heat_bar_halves(const PxHeatBarDef *def, PxHeatBarResult *out);

/// An end that touches a wall of another temperature: the error function, or with a contact that
/// is not perfect what Carslaw and Jaeger (1959), section 2.7, have.
PxStatus px_heat_bar_wall(const PxHeatBarDef *def, PxHeatBarResult *out);

/// An end of matter at its melting point that touches a hotter wall: the time until `cells`
/// spacings are molten (Stefan's problem; Carslaw and Jaeger 1959, section 11.2).
PxStatus px_heat_bar_melting(const PxHeatBarDef *def, PxHeatBarResult *out);

#endif
