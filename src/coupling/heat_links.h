/// Conduction of heat inside octree bodies: links between cells that share a face.
///
/// Coarse particles have no neighbours in the fluids' lists (exchange.h). Between two bonded cells
/// that share a face, at least one of them coarse, heat flows as in finite volumes: the area of the
/// smaller face over the resistances of the two half cells. Two fine particles conduct as all
/// matter does.
#ifndef PX_COUPLING_HEAT_LINKS_H
#define PX_COUPLING_HEAT_LINKS_H

#include "coupling/elastic_set.h"

/// The lists with links added, in scratch; `link` marks their entries. Only where particles differ
/// in size. Errors: PX_ERR_MEMORY.
PxStatus px_heat_links(PxElasticSet *set, const PxCoupling *c, PxPairs *out, uint8_t **link);

#endif
