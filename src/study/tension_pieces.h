/// What tests 2 and 3 of the surface tension benchmark show: the crown, droplets, the jet.
#ifndef PX_STUDY_TENSION_PIECES_H
#define PX_STUDY_TENSION_PIECES_H

#include "phyxel/world.h"

typedef struct PxTensionPieces {
    double droplets; ///< pieces besides the largest; a piece hangs together at 1.5 spacings
    double loose;    ///< particles in them, per cent
    double top;      ///< height of the highest particle of the largest piece, m
    double jet;      ///< 2 rms distance from the centre of those in the band, m; NAN: there are few
} PxTensionPieces;

/// Measures the present state; the band is low <= y < high. Errors: PX_ERR_MEMORY.
PxStatus px_tension_pieces(const PxWorld *world, double spacing, double low, double high,
                           PxTensionPieces *out);

#endif
