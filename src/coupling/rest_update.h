/// The rest-shape update: what becomes of the rest shape where matter flows, melts and freezes.
///
/// 000 section 6.8 leaves open how one body can be elastic at one end and molten at the other. Here
/// every particle keeps its rest place as far as it is solid; where it is not, its rest shape
/// follows its motion. An update has these stages, each with a file or a function of its own:
///
///   1. kept fraction     how much of its rest place each particle keeps        rest_update.c
///   2. snapshot          deformation and elastic strain along the old shape    rest_update.c
///   3. components        who hangs together; cores (what keeps its shape)
///                        and the rigid fit of each                             components.c
///   4. rest places       a smooth displacement field: that of the cores where
///                        there are some, fading away from them                 rest_places.c
///   5. bonds             of all whose rest place changed, anew                 elastic_set.c
///   6. strain transfer   stress goes on along the new rest shape; all other
///                        deformation becomes plastic strain                    rest_strain.c
///
/// 000 Eq. 6.15 is the special case in which nothing is kept.
#ifndef PX_COUPLING_REST_UPDATE_H
#define PX_COUPLING_REST_UPDATE_H

#include "coupling/elastic_set.h"

typedef struct PxRestUpdateResult {
    bool looked;    ///< the update was due
    bool changed;   ///< and some rest place or component changed
    double stretch; ///< square of the largest stretch along the new rest shapes; 1: unknown
} PxRestUpdateResult;

/// Carries out an update when it is the turn of some material in that step, `at_once`, or when
/// much melted or froze since the last one. `fractions` are those of this step.
PxStatus px_rest_update(PxElasticSet *set, const PxCoupling *c, const PxFractions *fractions,
                        uint64_t step, bool at_once, PxRestUpdateResult *out);

#endif
