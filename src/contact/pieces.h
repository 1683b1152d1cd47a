/// Contact between pieces of one body.
///
/// The faces of a crack between particles are rough: rows of one piece reach between those of the
/// other, and their gap is below the sum of the radii from the beginning. It would push them apart
/// with energy from nowhere. A row therefore touches pieces of its own body at the largest gap
/// that it has had so far, from the moment on at which they came apart, if that is less: contact
/// begins without energy, and pieces that have come apart once keep that distance.
#ifndef PX_CONTACT_PIECES_H
#define PX_CONTACT_PIECES_H

#include "contact/facing.h"

/// Fills facings->limit if pieces of one body face each other. Errors: PX_ERR_MEMORY.
PxStatus px_pieces_limits(PxFacings *facings);

#endif
