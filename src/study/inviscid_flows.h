/// Inviscid flows that keep their kinetic energy: a drop that is stretched, water that spins in a
/// round vessel, and a patch of water that rotates.
#ifndef PX_STUDY_INVISCID_FLOWS_H
#define PX_STUDY_INVISCID_FLOWS_H

#include "phyxel/world.h"

typedef struct PxInviscidDef {
    const char *pressure; ///< model
    double spacing;       ///< m
    double radius;        ///< of the drop or the vessel, m
    double duration;      ///< s
    int threads;          ///< 0: one for every core
} PxInviscidDef;

/// Radius 0.1 m, spacing 1 cm, `dfsph`.
PxInviscidDef px_inviscid_def_default(void);

typedef struct PxInviscidResult {
    double energy;    ///< kinetic energy at the end over that at the start
    double momentum;  ///< the same of the angular momentum about the axis; 1 for the drop
    double length;    ///< longest semi-axis of the drop over that of the solution; 1 for others
    uint64_t removed; ///< particles that had no room in the vessel, before the start counts
    uint64_t leaked;
} PxInviscidResult;

/// A ball without gravity whose velocity is (-A x / 2, -A y / 2, A z), A = 5 1/s, at the start. It
/// stays an ellipsoid with such a velocity (Dirichlet; Monaghan 1994 has the plane case):
///   dA/dt = C / b^2 - A^2,   C = 3/2 A^2 / (1/b^2 + 2/a^2),   da/dt = - A a / 2,   db/dt = A b,
/// with semi-axes a, a, b. Its pressure, rho C (1 - r^2/a^2 - z^2/b^2) / 2, is positive.
PxStatus px_stretching_drop(const PxInviscidDef *def, PxInviscidResult *out);

/// A closed round vessel full of water without gravity and without friction, as high as 6 spacings.
/// The water turns about the axis of the vessel like a solid, at 5 rad/s, for ever.
PxStatus px_spinning_water(const PxInviscidDef *def, PxInviscidResult *out);

/// A square patch, 2 radii wide, between two plates 6 spacings apart without friction, without
/// gravity. It turns at 5 rad/s at the start; its corners fly off and its sides are drawn in, and
/// pressure is negative within (Le Touze, Colagrossi, Colicchio and Greco 2013).
PxStatus px_rotating_patch(const PxInviscidDef *def, PxInviscidResult *out);

#endif
