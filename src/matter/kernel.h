/// The smoothing kernel: the cubic spline of Monaghan and Lattanzio (1985).
///
/// With support h and q = 2 r / h:
///   W(r) = 8 / (pi h^3) [ (2 - q)^3 / 4 - (1 - q)^3 ],  each bracket 0 where negative
/// On a cubic lattice of spacing h / 2 its sum is 1 within 0.003 per cent (poly6: 1.0 per cent too
/// high, Wendland C2 3.4, spiky 23.6). The two brackets need no branch in a vector loop.
#ifndef PX_MATTER_KERNEL_H
#define PX_MATTER_KERNEL_H

#include "base/simd.h"

#define PX_PI 3.14159265358979323846

typedef struct PxKernel {
    float h;          ///< support radius, m
    float inverse;    ///< 2 / h
    float norm;       ///< 8 / (pi h^3)
    float norm_slope; ///< norm * 2 / h
} PxKernel;

/// Sum of s^3 W over a cubic lattice of spacing s, about 1: 1.00286 at 2.1 spacings.
double px_kernel_lattice(double h, double spacing);

/// Kernel normalised by its sum over the lattice of that spacing, so that a filled body has
/// exactly the rest density for any support.
static inline PxKernel px_kernel(double h, double spacing)
{
    double norm = 8.0 / (PX_PI * h * h * h * px_kernel_lattice(h, spacing));
    return (PxKernel){(float)h, (float)(2.0 / h), (float)norm, (float)(norm * 2.0 / h)};
}

/// W / norm, 8 distances at once.
PX_INLINE PxF8 px_kernel_value8(const PxKernel *k, PxF8 r)
{
    PxF8 q = r * px_f8(k->inverse);
    PxF8 a = px_f8_max(px_f8(2.0f) - q, px_f8(0.0f));
    PxF8 b = px_f8_max(px_f8(1.0f) - q, px_f8(0.0f));
    return a * a * a * px_f8(0.25f) - b * b * b;
}

/// (dW/dr) / norm_slope.
PX_INLINE PxF8 px_kernel_derivative8(const PxKernel *k, PxF8 r)
{
    PxF8 q = r * px_f8(k->inverse);
    PxF8 a = px_f8_max(px_f8(2.0f) - q, px_f8(0.0f));
    PxF8 b = px_f8_max(px_f8(1.0f) - q, px_f8(0.0f));
    return b * b * px_f8(3.0f) - a * a * px_f8(0.75f);
}

/// (dW/dr) / r / norm_slope: times x_i - x_j it is the gradient. At r = 0, where the gradient is
/// zero but this factor is not, pass any tiny positive `r`.
PX_INLINE PxF8 px_kernel_slope8(const PxKernel *k, PxF8 r)
{
    return px_kernel_derivative8(k, r) / r;
}

/// The same in double, for set-up and tests: W and dW/dr.
double px_kernel_value(double h, double r);
double px_kernel_derivative(double h, double r);

/// Integral of W over a plane at distance d: 2 pi int_d^h W r dr, 1/m. Even in d.
double px_kernel_plane(double h, double d);
/// Its derivative by d: -2 pi d W(|d|), 1/m^2.
double px_kernel_plane_derivative(double h, double d);

#endif
