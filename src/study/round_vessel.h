/// Warm matter in a round vessel whose wall conducts imperfectly: heat passes through the wall's
/// area.
///
/// The matter conducts so well that its temperature is almost even. Then its heat falls as
/// exp(- c A t / C), with the wall's conductance c and area A and the matter's heat capacity C.
#ifndef PX_STUDY_ROUND_VESSEL_H
#define PX_STUDY_ROUND_VESSEL_H

#include "phyxel/world.h"

/// Start from px_round_vessel_def_default().
typedef struct PxRoundVesselDef {
    PxShapeKind shape; ///< PX_SHAPE_SPHERE, or PX_SHAPE_CYLINDER as high as wide
    double cells;      ///< spacings in its radius
    bool solid;        ///< elastic matter on a lattice, otherwise a viscous fluid
    double biot;       ///< c R / k
    int threads;
} PxRoundVesselDef;

/// A sphere of 8 spacings radius, full of fluid; Biot number 0.02.
PxRoundVesselDef px_round_vessel_def_default(void);

/// Follows it for 8 s. Result: the heat that passed over that of the formula.
PxStatus px_round_vessel_run(const PxRoundVesselDef *def, double *out);

#endif
