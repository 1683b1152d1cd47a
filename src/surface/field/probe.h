/// The depth below the surface at any place, not only at nodes, with its slope: for putting
/// vertices and surfels exactly onto the surface. As nodes have it, limited by barriers and the
/// other phase.
#ifndef PX_SURFACE_FIELD_PROBE_H
#define PX_SURFACE_FIELD_PROBE_H

#include "surface/field/visibility.h"

/// Sources around a box, gathered once for all places in it.
enum { PX_PROBE_SOURCES = 4096 };

typedef struct PxProbe {
    const PxPotential *field, *other; ///< other may be NULL
    const PxBarriers *barriers;       ///< may be NULL
    double origin[3];                 ///< of the sources, m
    uint32_t sources;
    PxPotentialSource source[PX_PROBE_SOURCES];
} PxProbe;

/// Gathers the sources of the field for places in the box. False when there are too many.
bool px_probe_begin(PxProbe *probe, const double low[3], const double high[3]);

/// Depth, spacings, at a place of the box; *slope per spacing, by central differences. Whether
/// particles are hidden is not asked: between two nodes that know it, it makes no difference.
float px_probe_at(const PxProbe *probe, const double at[3], float slope[3]);

/// The same from the particles around the place that are seen from there, without a box; `other`
/// and `barriers` may be NULL.
float px_probe_alone(const PxVisibility *eyes, const PxVisibility *other,
                     const PxBarriers *barriers, const double at[3], float slope[3]);

#endif
