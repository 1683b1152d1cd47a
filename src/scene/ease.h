/// Easing of keyframes: of cameras, walls, handles and rigid bodies.
#ifndef PX_SCENE_EASE_H
#define PX_SCENE_EASE_H

#include <stdbool.h>

/// Cubic Hermite interpolation between p[1] and p[2], with the slopes of Catmull and Rom (1974) for
/// unequal intervals; p[0] and p[3] are the neighbours, at the times t[0] .. t[3]. At an end of the
/// path the slope is 0, so that it begins and ends at rest. u is 0 .. 1.
static inline double px_ease_curve(const double p[4], const double t[4], bool first, bool last,
                                   double u)
{
    double h = t[2] - t[1];
    double m1 = first ? 0 : (p[2] - p[0]) / (t[2] - t[0]) * h;
    double m2 = last ? 0 : (p[3] - p[1]) / (t[3] - t[1]) * h;
    double u2 = u * u, u3 = u2 * u;
    return (2 * u3 - 3 * u2 + 1) * p[1] + (u3 - 2 * u2 + u) * m1 + (3 * u2 - 2 * u3) * p[2] +
           (u3 - u2) * m2;
}

/// Begins and ends at rest.
static inline double px_ease_stop(double u)
{
    return u * u * (3 - 2 * u);
}

#endif
