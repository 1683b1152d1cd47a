#include "study/kernels.h"

#include "matter/kernel.h"

#include <math.h>

/* f and its first two derivatives by q. */
typedef struct Shape {
    double value, first, second;
} Shape;

static Shape poly6(double q, int dimensions)
{
    (void)dimensions;
    double u = 1 - q * q;
    return (Shape){u * u * u, -6 * q * u * u, -6 * u * u + 24 * q * q * u};
}

static Shape spiky(double q, int dimensions)
{
    (void)dimensions;
    double u = 1 - q;
    return (Shape){u * u * u, -3 * u * u, 6 * u};
}

/* The solution of f'' + (d - 1) f' / q = 1 - q with f(1) = f'(1) = 0, times 6 in three
 * dimensions to have the polynomial that is usually printed:
 *   d = 3: -q^3/2 + q^2 + 1/(2q) - 1
 *   d = 2: (q^2 - 1)/4 - (q^3 - 1)/9 - ln(q)/6, from (q f')' = q - q^2 */
static Shape viscosity(double q, int dimensions)
{
    if (dimensions == 3)
        return (Shape){-0.5 * q * q * q + q * q + 0.5 / q - 1, -1.5 * q * q + 2 * q - 0.5 / (q * q),
                       -3 * q + 2 + 1 / (q * q * q)};
    return (Shape){(q * q - 1) / 4 - (q * q * q - 1) / 9 - log(q) / 6,
                   q / 2 - q * q / 3 - 1 / (6 * q), 0.5 - 2 * q / 3 + 1 / (6 * q * q)};
}

static Shape cubic(double q, int dimensions)
{
    (void)dimensions;
    double a = 1 - q, b = q < 0.5 ? 1 - 2 * q : 0;
    return (Shape){2 * a * a * a - b * b * b, 6 * (b * b - a * a), 12 * a - 24 * b};
}

static Shape wendland(double q, int dimensions)
{
    (void)dimensions;
    double u = 1 - q;
    return (Shape){u * u * u * u * (1 + 4 * q), -20 * q * u * u * u,
                   -20 * u * u * u + 60 * q * u * u};
}

static Shape cohesion(double q, int dimensions)
{
    (void)dimensions;
    double t = q * (1 - q), slope = 1 - 2 * q, times = q > 0.5 ? 1 : 2;
    return (Shape){times * t * t * t - (q > 0.5 ? 0 : 1.0 / 64), times * 3 * t * t * slope,
                   times * 6 * t * (slope * slope - t)};
}

/* A new kernel is a function above and a line here: norms in 2 and 3 dimensions. The
 * cohesion function is given in three dimensions only; in two it keeps its 32/pi. */
static const struct {
    const char *name;
    Shape (*shape)(double q, int dimensions);
    double norm[2];
} kernels[PX_KERNEL_KINDS] = {
    [PX_KERNEL_POLY6] = {"poly6", poly6, {4 / PX_PI, 315 / (64 * PX_PI)}},
    [PX_KERNEL_SPIKY] = {"spiky", spiky, {10 / PX_PI, 15 / PX_PI}},
    [PX_KERNEL_VISCOSITY] = {"viscosity", viscosity, {40 / PX_PI, 15 / (2 * PX_PI)}},
    [PX_KERNEL_CUBIC] = {"cubic", cubic, {40 / (7 * PX_PI), 8 / PX_PI}},
    [PX_KERNEL_WENDLAND] = {"wendland", wendland, {7 / PX_PI, 21 / (2 * PX_PI)}},
    [PX_KERNEL_COHESION] = {"cohesion", cohesion, {32 / PX_PI, 32 / PX_PI}},
};

const char *px_kernels_name(PxKernelKind kind)
{
    return kernels[kind].name;
}

static double norm(PxKernelKind kind, int dimensions, double h)
{
    return kernels[kind].norm[dimensions - 2] / (dimensions == 2 ? h * h : h * h * h);
}

double px_kernels_value(PxKernelKind kind, int dimensions, double h, double r)
{
    if (r >= h)
        return 0;
    return norm(kind, dimensions, h) * kernels[kind].shape(r / h, dimensions).value;
}

double px_kernels_derivative(PxKernelKind kind, int dimensions, double h, double r)
{
    if (r >= h)
        return 0;
    return norm(kind, dimensions, h) / h * kernels[kind].shape(r / h, dimensions).first;
}

double px_kernels_laplacian(PxKernelKind kind, int dimensions, double h, double r)
{
    if (r >= h)
        return 0;
    Shape f = kernels[kind].shape(r / h, dimensions);
    return norm(kind, dimensions, h) / (h * h) * (f.second + (dimensions - 1) * f.first / (r / h));
}
