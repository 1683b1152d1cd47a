/// Contact laws of rigid bodies: the family of models.
///
/// By default contacts are constraints, solved by impulses (solver.c). A law with a force replaces
/// them up to an overlap, beyond which the constraint takes over, so that no law lets bodies pass
/// through each other.
#ifndef PX_RIGID_LAW_H
#define PX_RIGID_LAW_H

#include "base/field.h"
#include "phyxel/model.h"

extern const PxFamily px_contact_law_family;

struct PxContactLaw;

/// A law and its parameters, of a body.
typedef struct PxContactOwn {
    const struct PxContactLaw *law;
    double param[PX_MODEL_PARAMS];
} PxContactOwn;

/// A law and its parameters, of a pair.
typedef struct PxContactPair {
    const struct PxContactLaw *law;
    double stiffness;      ///< N/m^(3/2)
    double damping, shear; ///< s, N s/m
    double deepest;        ///< overlap at which the constraint takes over, m
} PxContactPair;

typedef struct PxContactState {
    double overlap;  ///< m, > 0
    double approach; ///< m/s
    double slip;     ///< m/s, >= 0
    double friction; ///< Coulomb's coefficient
} PxContactState;

typedef struct PxContactForce {
    double normal; ///< N, >= 0
    double shear;  ///< N, against the slip
} PxContactForce;

typedef struct PxContactLaw {
    PxModelInfo info;
    /// NULL: constraints. Force of a pair in a state.
    PxContactForce (*force)(const PxContactPair *pair, const PxContactState *state);
    /// Makes a pair; `other` NULL: a wall, or a body without this law, both infinitely stiff. The
    /// radii are those of balls as thick as the bodies, m; INFINITY: flat.
    void (*pair)(const double *own, const double *other, double radius, double other_radius,
                 PxContactPair *out);
    /// Longest sub-step of a body with these parameters, radius, mass and speed, s.
    double (*step_limit)(const double *own, double radius, double mass, double speed);
} PxContactLaw;

/// The law that a material chooses.
PxContactOwn px_contact_law(const PxModelChoice *choice);

/// The law of two bodies of these thicknesses, m; `other` NULL: a wall. One of them has a force.
/// `round`: one of the two is a ball or a capsule.
PxContactPair px_contact_pair(const PxContactOwn *own, double thickness, const PxContactOwn *other,
                              double other_thickness, bool round);

#endif
