/// Static and sliding friction.
///
/// Coulomb's law bounds the friction of a contact by `grip`, its coefficient times the normal
/// force. While the contact sticks, friction depends on the displacement y along it since it came
/// to rest:
///   f = grip (2 x - x^2),  x = |y| / give,  and grip for x >= 1
/// (the smooth law of Li et al. 2020). They count the displacement of the present step only, which
/// makes friction a drag: a block on a slope creeps down by a part of the give in every
/// step. Here y is stored with the particle, bounded by the give, so that a contact at
/// rest stays at rest, and one that slides follows with a lag of the give.
///
/// In an implicit solve grip is that of the last iteration of contacts (lagged), so that friction
/// has the potential grip give (x^2 - x^3 / 3), convex in y.
#ifndef PX_SOLID_FRICTION_H
#define PX_SOLID_FRICTION_H

#include "base/simd.h"

#include <math.h>
#include <stdbool.h>

/// Displacement at which a contact of particles of that radius slides, m.
static inline double px_friction_give(double radius)
{
    return 1e-3 * radius;
}

/// Between elastic bodies, friction that follows the normal force at once is ill-posed: sliding
/// excites vibrations of the contact, at any coefficient (Adams 1995), the body presses less while
/// it slips and creeps down slopes on which it should rest. Measured friction follows changes of
/// the normal force with a delay, which makes the problem well-posed (Prakash and Clifton 1993,
/// Ranjith and Rice 2001). Here the impulse of the normal force is what friction owes, and of that
/// a part is due in every sub-step, all of it within about PX_FRICTION_DELAY sqrt(radius /
/// gravity) s: nothing is lost or counted twice. In impacts faster than PX_FRICTION_FAST
/// sqrt(gravity radius), and where a contact slides PX_FRICTION_SLIDES times too fast to be stopped
/// by it, all is due at once.
#define PX_FRICTION_DELAY 0.2
#define PX_FRICTION_FAST 1.0
#define PX_FRICTION_SLIDES 4.0

typedef struct PxFrictionLoad {
    double force;    ///< normal force, N
    double friction; ///< coefficient
    double closing;  ///< speed at which the gap closes, m/s
    double sliding;  ///< speed along the contact, m/s
    double light;    ///< change of that by a unit impulse, 1/kg
    double radius;   ///< m
    double gravity;  ///< m/s^2
    double dt;       ///< length of the sub-step, s; 0: nothing has moved
} PxFrictionLoad;

/// The normal force that friction follows, N. *owed is the impulse that it has not followed yet,
/// N s.
static inline double px_friction_load(double *owed, const PxFrictionLoad *l)
{
    if (!(l->gravity > 0))
        return l->force;
    double delay = PX_FRICTION_DELAY * sqrt(l->radius / l->gravity);
    if (!(l->dt > 0))
        return *owed > 0 ? *owed / delay : l->force;
    double all = *owed + l->force * l->dt;
    bool at_once = l->closing > PX_FRICTION_FAST * sqrt(l->gravity * l->radius) ||
                   l->sliding > PX_FRICTION_SLIDES * l->friction * all * l->light;
    double due = at_once ? all : all * l->dt / (l->dt + delay);
    *owed = all - due;
    return due / l->dt;
}

/// f / grip over x: the secant, and df / dx: the slope.
PX_INLINE double px_friction_secant(double x)
{
    return x < 1 ? 2 - x : 1 / x;
}

PX_INLINE double px_friction_slope(double x)
{
    return x < 1 ? 2 - 2 * x : 0;
}

/// Potential over grip times give.
PX_INLINE double px_friction_potential(double x)
{
    return x < 1 ? x * x * (1 - x / 3) : x - 1.0 / 3;
}

#endif
