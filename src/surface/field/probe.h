/// Depth below the surface and its gradient at any point, to place vertices and surfels exactly.
///
/// Limited by barriers and the other phase, like the values at the nodes of the grid.
#ifndef PX_SURFACE_FIELD_PROBE_H
#define PX_SURFACE_FIELD_PROBE_H

#include "surface/field/visibility.h"

/// Most sources around a box.
enum { PX_PROBE_SOURCES = 4096 };

typedef struct PxProbe {
    const PxPotential *field, *other; ///< `other` is the field of the other phase; NULL without one
    const PxBarriers *barriers;       ///< walls and sheets; NULL without any
    double origin[3];                 ///< origin of the sources, m
    uint32_t sources;
    PxPotentialSource source[PX_PROBE_SOURCES];
} PxProbe;

/// Gathers the sources of the field that act in the box. False when there are too many.
bool px_probe_begin(PxProbe *probe, const double low[3], const double high[3]);

/// Depth, spacings, at a point of the box; *slope is its gradient per spacing, by central
/// differences. Occlusion is not tested: between two nodes that account for it, it makes no
/// difference.
float px_probe_at(const PxProbe *probe, const double at[3], float slope[3]);

/// The same from the particles visible at the point, without a box. `other` and `barriers` are NULL
/// without another phase and without barriers.
float px_probe_alone(const PxVisibility *visibility, const PxVisibility *other,
                     const PxBarriers *barriers, const double at[3], float slope[3]);

#endif
