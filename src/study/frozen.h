/// Matter that is melted and frozen: what of its volume stays, and how stiff what has
/// frozen is.
#ifndef PX_STUDY_FROZEN_H
#define PX_STUDY_FROZEN_H

#include "phyxel/world.h"

typedef struct PxFrozenDef {
    PxMaterialDef material; ///< melts between 40 and 60 degrees C
    double spacing;         ///< m
    PxVec3 mould;           ///< inside of a box open at the top, m
    double fill;            ///< height that it is filled to, m
    double hot, cold;       ///< s: how long it is either
    int times;              ///< how often it is melted and frozen
    double strain;          ///< that it is pulled to afterwards; 0: it is not
    int threads;            ///< 0: one for every core
} PxFrozenDef;

/// A bar of 0.5 MPa that melts into a fluid of 1 Pa s, 40 x 10 x 8 cm in spacings of 2 cm.
PxFrozenDef px_frozen_def_default(void);

typedef struct PxFrozenResult {
    double volume; ///< when it is frozen the last time, over that of its mass at rest density
    double young;  ///< measured by pulling, over the material's
    double heat;   ///< largest change of (heat - what came in), over the heat it takes to melt it
    double mass;   ///< lost, over all
} PxFrozenResult;

PxStatus px_frozen(const PxFrozenDef *def, PxFrozenResult *out);

#endif
