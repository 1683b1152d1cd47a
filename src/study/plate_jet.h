/// A jet of water that strikes a plate squarely: the force on the plate is rho A v^2.
#ifndef PX_STUDY_PLATE_JET_H
#define PX_STUDY_PLATE_JET_H

#include "phyxel/world.h"

typedef struct PxPlateJetDef {
    const char *pressure; ///< model
    double width;         ///< of the jet, which is square, m
    double spacing;       ///< m
    double speed;         ///< m/s
    double above;         ///< start of the jet, in widths above the plate
    double plate;         ///< edge of the plate, in widths of the jet
    double settle;        ///< time from the jet's arrival at the plate to the first measurement, s
    double seconds;       ///< duration of the measurement, s
    int threads;          ///< 0: one for every core
} PxPlateJetDef;

/// 10 cm wide, 4 m/s, without gravity.
PxPlateJetDef px_plate_jet_def_default(void);

typedef struct PxPlateJetResult {
    double force;  ///< mean force over rho A v^2, with the volume flow A v of the emitter
    double across; ///< magnitude of the force along the plate, over the same
    uint64_t leaked;
} PxPlateJetResult;

PxStatus px_plate_jet(const PxPlateJetDef *def, PxPlateJetResult *out);

#endif
