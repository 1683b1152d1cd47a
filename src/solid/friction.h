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

/// Displacement at which a contact of particles of that radius slides, m.
static inline double px_friction_give(double radius)
{
    return 1e-3 * radius;
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
