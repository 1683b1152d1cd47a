/// A jet of water that strikes a plate squarely: the force on the plate is rho A v^2.
#ifndef PX_STUDY_PLATE_JET_H
#define PX_STUDY_PLATE_JET_H

#include "phyxel/world.h"

typedef struct PxPlateJetDef {
    const char *pressure; ///< model
    double width;         ///< of the jet, which is square, m
    double spacing;       ///< m
    double speed;         ///< m/s
    double above;         ///< height of the emitter above the plate, in widths of the jet
    double plate;         ///< edge of the plate, in widths of the jet
    double settle;        ///< time between arrival of the jet and start of the measurement, s
    double seconds;       ///< duration of the measurement, s
    int threads;          ///< 0: one for every core
} PxPlateJetDef;

/// 10 cm wide, 4 m/s, without gravity.
PxPlateJetDef px_plate_jet_def_default(void);

typedef struct PxPlateJetResult {
    double force;  ///< mean, over rho A v^2; A v is the volume flow rate of the emitter
    double across; ///< size of the force along the plate, over the same
    uint64_t leaked;
} PxPlateJetResult;

PxStatus px_plate_jet(const PxPlateJetDef *def, PxPlateJetResult *out);

#endif
