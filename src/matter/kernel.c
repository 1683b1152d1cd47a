#include "matter/kernel.h"

static double positive(double x)
{
    return x > 0 ? x : 0;
}

double px_kernel_value(double h, double r)
{
    double q = 2.0 * r / h, a = positive(2.0 - q), b = positive(1.0 - q);
    return 8.0 / (PX_PI * h * h * h) * (0.25 * a * a * a - b * b * b);
}

double px_kernel_derivative(double h, double r)
{
    double q = 2.0 * r / h, a = positive(2.0 - q), b = positive(1.0 - q);
    return 16.0 / (PX_PI * h * h * h * h) * (3.0 * b * b - 0.75 * a * a);
}

double px_kernel_plane(double h, double d)
{
    /* With q = 2 d / h: (4 / h) int_q^2 f(t) t dt, each bracket integrated in
     * u = 2 - t and u = 1 - t. */
    double q = 2.0 * fabs(d) / h, a = positive(2.0 - q), b = positive(1.0 - q);
    double a4 = a * a * a * a, b4 = b * b * b * b;
    return 4.0 / h * (0.25 * (a4 / 2.0 - a4 * a / 5.0) - (b4 / 4.0 - b4 * b / 5.0));
}

double px_kernel_plane_derivative(double h, double d)
{
    return -2.0 * PX_PI * d * px_kernel_value(h, fabs(d));
}

double px_kernel_lattice(double h, double spacing)
{
    int reach = (int)(h / spacing);
    double sum = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                double r = spacing * sqrt((double)(x * x + y * y + z * z));
                sum += r < h ? px_kernel_value(h, r) : 0;
            }
    return spacing * spacing * spacing * sum;
}
