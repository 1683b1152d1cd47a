/// Matter that is melted and frozen: its volume and stiffness afterwards.
#ifndef PX_STUDY_FROZEN_H
#define PX_STUDY_FROZEN_H

#include "phyxel/world.h"

typedef struct PxFrozenDef {
    PxMaterialDef material; ///< melts between 40 and 60 degrees C
    double spacing;         ///< m
    PxVec3 mould;           ///< inside of a box open at the top, m
    double fill;            ///< height that it is filled to, m
    double hot, cold;       ///< durations, s
    int times;              ///< number of cycles of melting and freezing
    double strain;          ///< strain of the pull test afterwards; 0: none
    int threads;            ///< 0: one for every core
} PxFrozenDef;

/// A bar of 0.5 MPa that melts into a fluid of 1 Pa s, 40 x 10 x 8 cm in spacings of 2 cm.
PxFrozenDef px_frozen_def_default(void);

typedef struct PxFrozenResult {
    double volume; ///< after the last freezing, over that of its mass at rest density
    double young;  ///< measured by pulling, over the material's
    double heat;   ///< largest error of the heat balance, over the heat of melting
    double mass;   ///< mass lost, over the total mass
} PxFrozenResult;

PxStatus px_frozen(const PxFrozenDef *def, PxFrozenResult *out);

#endif
