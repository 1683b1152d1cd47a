/// Conduction of heat inside octree bodies: links between cells that share a face.
///
/// Coarse particles have no neighbours in the fluids' lists (exchange.h). If at least one of two
/// bonded cells that share a face is coarse, heat flows between them as in finite volumes: the
/// conductance is the area of the smaller face over the resistances of the two half cells. Fine
/// particles conduct over their neighbours, like all other matter.
#ifndef PX_COUPLING_HEAT_LINKS_H
#define PX_COUPLING_HEAT_LINKS_H

#include "coupling/elastic_set.h"

/// Copies the neighbour lists to *out, in scratch, and appends the links. (*link)[e] is 1 for
/// entries that are links. For worlds in which particles differ in size. Errors: PX_ERR_MEMORY.
PxStatus px_heat_links(PxElasticSet *set, const PxCoupling *c, PxPairs *out, uint8_t **link);

#endif
