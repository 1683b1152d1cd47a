/// The rest-shape update: adapts rest shapes where matter flows, melts or freezes.
///
/// 000 section 6.8 leaves open how one body can be elastic at one end and molten at the other. Here
/// the solid fraction of a particle keeps its rest place, and the rest of it follows the motion. An
/// update has these stages:
///
///   1. kept fraction     fraction of its rest place that each particle keeps   rest_update.c
///   2. snapshot          deformation and elastic strain in the old rest shape  rest_update.c
///   3. components        connected elastic particles; their cores, connected
///                        particles that keep rest places; rigid fit of each    components.c
///   4. rest places       position minus a smooth displacement field, which is
///                        that of the cores and decays away from them           rest_places.c
///   5. bonds             new ones for particles whose rest place changed       elastic_set.c
///   6. strain transfer   stress is carried over to the new rest shape, all
///                        other deformation becomes plastic strain              rest_strain.c
///
/// 000 Eq. 6.15 is the special case in which nothing is kept.
#ifndef PX_COUPLING_REST_UPDATE_H
#define PX_COUPLING_REST_UPDATE_H

#include "coupling/elastic_set.h"

typedef struct PxRestUpdateResult {
    bool looked;    ///< an update was due in this step
    bool changed;   ///< it changed some rest place or component
    double stretch; ///< square of the largest stretch relative to the new rest shapes; 1 if
                    ///< nothing changed
} PxRestUpdateResult;

/// Updates the rest shapes if that is due for some material in this step, or `at_once`, or if a
/// particle has melted or frozen by much since the last update. `fractions` are those of this step.
/// Errors: PX_ERR_MEMORY.
PxStatus px_rest_update(PxElasticSet *set, const PxCoupling *c, const PxFractions *fractions,
                        uint64_t step, bool at_once, PxRestUpdateResult *out);

#endif
