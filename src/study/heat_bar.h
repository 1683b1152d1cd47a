/// A bar that conducts heat, for conduction and melting.
///
/// It lies along x, 6 spacings thick and insulated at its sides, weightless and at rest. Lengths
/// are multiples of the width of the profile, sqrt(4 a t).
#ifndef PX_STUDY_HEAT_BAR_H
#define PX_STUDY_HEAT_BAR_H

#include "phyxel/world.h"

/// Arrangement of the particles of a bar of two halves.
typedef enum PxHeatBarOrder {
    PX_HEAT_BAR_CUBIC,
    PX_HEAT_BAR_HEXAGONAL,
    PX_HEAT_BAR_STIRRED, ///< as in a column that fell over in a tank
} PxHeatBarOrder;

/// Start from px_heat_bar_def_default().
typedef struct PxHeatBarDef {
    double cells;       ///< spacings in the width of the profile at the end
    double diffusivity; ///< m^2/s
    double step;        ///< longest step, s
    double conductance; ///< of the contact with a wall, in k over the width; 0: perfect
    double stefan; ///< melting: heat capacity times excess temperature of the wall over latent heat
    PxHeatBarOrder order; ///< of two halves
    int threads;
} PxHeatBarDef;

PxHeatBarDef px_heat_bar_def_default(void);

typedef struct PxHeatBarResult {
    double worst;        ///< greatest deviation of a particle over the difference of temperatures
    double heat;         ///< heat that came in over that of the formula; 1 if that is 0
    double kept;         ///< change of heat minus heat that came in, over heat
    double time;         ///< melting: time over that of the formula
    uint64_t iterations; ///< of solves, in the last step
} PxHeatBarResult;

/// Two halves of different temperature: the error function. The bar's ends are two widths away;
/// stirred matter is in a tank of that length, too viscous to move.
PxStatus px_heat_bar_halves(const PxHeatBarDef *def, PxHeatBarResult *out);

/// An end that touches a wall of another temperature: the error function, or with an imperfect
/// contact Carslaw and Jaeger (1959), section 2.7.
PxStatus px_heat_bar_wall(const PxHeatBarDef *def, PxHeatBarResult *out);

/// An end of matter at its melting point that touches a hotter wall: the time until `cells`
/// spacings are molten (Stefan's problem; Carslaw and Jaeger 1959, section 11.2).
PxStatus px_heat_bar_melting(const PxHeatBarDef *def, PxHeatBarResult *out);

#endif
