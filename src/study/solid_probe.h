/// A solid without a world: its elastic forces, their derivative and energy.
#ifndef PX_STUDY_SOLID_PROBE_H
#define PX_STUDY_SOLID_PROBE_H

#include "solid/solid.h"

/// Must not be copied or moved: its members point at each other.
typedef struct PxProbe {
    PxParticles particles;
    PxBonds bonds;
    PxSolidLists lists;
    PxMaterial material;
    PxSolidLaw law;
    PxSolidFrame frame;
    PxArena scratch;
    PxThreads threads;
    PxSolid solid;
    double spacing;
} PxProbe;

/// Particles at `point`, which is their rest shape, each with the volume of a cube of the spacing
/// and a support of `support` spacings. Call px_probe_free() even if this fails.
PxStatus px_probe_make(PxProbe *probe, const PxMaterialDef *material, const PxVec3 *point,
                       uint32_t count, double spacing, double support);

/// A block of x times y times z particles.
PxStatus px_probe_block(PxProbe *probe, const PxMaterialDef *material, const uint32_t cells[3],
                        double spacing, double support);

void px_probe_free(PxProbe *probe);

/// Computes the frame, displacements and forces from the positions of the particles.
PxStatus px_probe_forces(PxProbe *probe);

/// The largest elastic force on a particle, N, after px_probe_forces().
double px_probe_largest(const PxProbe *probe);

/// The largest force on a particle after a rigid motion, over E times the cross-section of a
/// particle: should be 0.
PxStatus px_probe_rigid(PxProbe *probe, PxQuat turn, PxVec3 move, double *out);

/// A deformed state at which derivatives are tested.
typedef struct PxProbeState {
    double stretch; ///< largest strain of a linear displacement
    double noise;   ///< random displacement of each particle, up to this many spacings
    double plastic; ///< size of plastic strains
    uint64_t seed;
} PxProbeState;

/// The change of forces along a random displacement by the tangent stiffness, against finite
/// differences: the largest difference, over the largest change.
PxStatus px_probe_tangent(PxProbe *probe, const PxProbeState *state, double *out);

/// The work of the forces along a random displacement, against the finite difference of the
/// energy: their difference, over the sum of |force| times |displacement|.
PxStatus px_probe_energy(PxProbe *probe, const PxProbeState *state, double *out);

#endif
