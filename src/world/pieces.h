/// Pieces of a mixed world: what hangs together elastically, and the rest shape of what flows.
///
/// Matter whose rest shape follows its deformation (000 section 6.4.1: melting matter, elastic
/// fluids) may part, join others, and turn into fluid and back. Now and then it is looked
/// over: who belongs together, where in the rest shape everybody is, and which strain is left.
#ifndef PX_WORLD_PIECES_H
#define PX_WORLD_PIECES_H

#include "world/mixed.h"

/// Looks the pieces over if it is their turn in this step. Rows are sorted and have neighbours.
PxStatus px_pieces_follow(PxWorld *world);

#endif
