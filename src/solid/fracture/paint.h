/// Control of fracture (000 section 5.6.6): cracks that are painted on a solid, and factors of its
/// strength on a grid.
///
/// Paint gives every point of the rest shape a darkness between 0 and 1: that of the nearest point
/// of the surface, or of a picture before it, along z. A stroke is thin
/// in one direction, in which its darkness changes. Where that direction is clear, only stress
/// across the stroke counts more (000 cites Molino et al. 2004, who change the stress tensor by a
/// level set); elsewhere the strength is lowered for all directions.
#ifndef PX_SOLID_FRACTURE_PAINT_H
#define PX_SOLID_FRACTURE_PAINT_H

#include "base/parallel.h"
#include "matter/particles.h"
#include "phyxel/world.h"
#include "shape/shape.h"

/// Column of particles where cracks are painted or strength varies: the part of the strength that
/// is missing in all directions, darkness of paint without a direction, and darkness times the
/// direction across a stroke in the rest shape.
#define PX_FRACTURE_WEAK "crack_weak"

/// Does the body have painted cracks or factors of its strength?
bool px_crack_painted(const PxBodyDef *def);

/// Adds the column PX_FRACTURE_WEAK and writes it for the particles from row `first` on. Errors:
/// PX_ERR_IO and PX_ERR_FORMAT for the files; PX_ERR_ARGUMENT for a mesh without colours, and for
/// paint that no particle is under; PX_ERR_MEMORY.
PxStatus px_crack_paint(PxParticles *particles, const PxBodyDef *def, const PxShape *shape,
                        double spacing, uint32_t first, const PxThreads *threads);

/// Can the files be read and mapped on the shape? Errors: as above.
PxStatus px_crack_paint_check(const PxBodyDef *def, const PxShape *shape);

#endif
