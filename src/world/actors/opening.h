/// The opening of an emitter, and the sites of a layer of particles in its cross-section.
#ifndef PX_WORLD_ACTORS_OPENING_H
#define PX_WORLD_ACTORS_OPENING_H

#include "base/fail.h"
#include "phyxel/shape.h"

#include <stdbool.h>
#include <stddef.h>

/// A straight pipe: particles start at its back and move `along` it.
typedef struct PxOpening {
    PxVec3 back;      ///< middle of the back, m
    PxVec3 along;     ///< unit
    PxVec3 across[2]; ///< unit, normal to `along` and to each other
    bool round;
    double half[2]; ///< half the edges of the cross-section, or its radius twice
    double depth;   ///< from back to front, m
    double area;    ///< of the cross-section, m^2
} PxOpening;

/// A point of the cross-section, m from its centre along `across`.
typedef struct PxSite {
    double a, b;
} PxSite;

/// The opening of a box or cylinder whose particles leave through the face that
/// `direction` points out of; {0, 0, 0} is along the shape's own y.
/// Errors: PX_ERR_ARGUMENT for other shapes and for a direction that is not normal to
/// a side of the box or an end of the cylinder.
PxStatus px_opening_make(const PxShapeDef *shape, PxVec3 direction, PxOpening *out);

/// The shape's default direction.
PxVec3 px_opening_axis(const PxShapeDef *shape);

/// Largest number of sites of an opening.
#define PX_OPENING_MOST 1e6

/// The sites, of about spacing^2 each; at least one. Release *sites with free(). Errors:
/// PX_ERR_ARGUMENT when there would be more than PX_OPENING_MOST, PX_ERR_MEMORY.
PxStatus px_opening_sites(const PxOpening *opening, double spacing, PxSite **sites, size_t *count);

/// Is the point in the pipe: between the planes at `from` and `to` behind the back,
/// and within the cross-section widened by `margin`?
bool px_opening_holds(const PxOpening *opening, PxVec3 point, double from, double to,
                      double margin);

#endif
