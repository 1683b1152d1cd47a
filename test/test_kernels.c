/// The kernels by name: normalisation, derivatives, support.
#include "check.h"

#include "matter/kernel.h"
#include "study/kernels.h"

#define H 0.37

/* Integral over all space, by the midpoint rule in shells. */
static double integral(PxKernelKind kind, int dimensions)
{
    enum { SHELLS = 20000 };
    double sum = 0, width = H / SHELLS;
    for (int k = 0; k < SHELLS; ++k) {
        double r = (k + 0.5) * width;
        double shell = dimensions == 2 ? 2 * PX_PI * r : 4 * PX_PI * r * r;
        sum += shell * px_kernels_value(kind, dimensions, H, r) * width;
    }
    return sum;
}

static double scale(int dimensions, int derivatives)
{
    return pow(H, -dimensions - derivatives);
}

TEST(every_kernel_integrates_to_one_in_two_and_three_dimensions)
{
    for (int kind = 0; kind < PX_KERNEL_COHESION; ++kind)
        for (int d = 2; d <= 3; ++d)
            /* midpoint rule: the second derivative times width^2 / 24, below 1e-8 */
            CHECK_NEAR(integral((PxKernelKind)kind, d), 1, 1e-7);
}

TEST(derivatives_and_laplacians_are_those_of_the_values)
{
    double e = 1e-4 * H;
    for (int kind = 0; kind < PX_KERNEL_KINDS; ++kind)
        for (int d = 2; d <= 3; ++d)
            for (double r = 0.2037 * H; r < 1.3 * H; r += 0.0131 * H) {
                if (fabs(r - H) < 2 * e || fabs(r - 0.5 * H) < 2 * e)
                    continue; /* pieces meet there */
                double low = px_kernels_value((PxKernelKind)kind, d, H, r - e);
                double mid = px_kernels_value((PxKernelKind)kind, d, H, r);
                double high = px_kernels_value((PxKernelKind)kind, d, H, r + e);
                double first = (high - low) / (2 * e), second = (high - 2 * mid + low) / (e * e);
                /* central differences err by the third derivative / 6 and the fourth / 12 times
                 * e^2; the viscosity kernel's, largest, are 3 norm/q^4 and 12 norm/q^5 */
                CHECK_NEAR(px_kernels_derivative((PxKernelKind)kind, d, H, r), first,
                           1e-5 * scale(d, 1));
                CHECK_NEAR(px_kernels_laplacian((PxKernelKind)kind, d, H, r),
                           second + (d - 1) / r * first, 3e-4 * scale(d, 2));
            }
}

TEST(kernels_end_at_their_support_without_a_step)
{
    for (int kind = 0; kind < PX_KERNEL_KINDS; ++kind)
        for (int d = 2; d <= 3; ++d) {
            double just = H * (1 - 1e-6);
            CHECK(px_kernels_value((PxKernelKind)kind, d, H, H) == 0);
            CHECK(px_kernels_derivative((PxKernelKind)kind, d, H, 1.5 * H) == 0);
            CHECK(px_kernels_laplacian((PxKernelKind)kind, d, H, 1.5 * H) == 0);
            CHECK_NEAR(px_kernels_value((PxKernelKind)kind, d, H, just), 0, 1e-10 * scale(d, 0));
            CHECK_NEAR(px_kernels_derivative((PxKernelKind)kind, d, H, just), 0,
                       1e-4 * scale(d, 1));
        }
}

TEST(pieces_meet_without_a_step)
{
    for (int d = 2; d <= 3; ++d) {
        const PxKernelKind pieces[] = {PX_KERNEL_CUBIC, PX_KERNEL_COHESION};
        for (int k = 0; k < 2; ++k) {
            double below = 0.5 * H * (1 - 1e-9), above = 0.5 * H * (1 + 1e-9);
            CHECK_NEAR(px_kernels_value(pieces[k], d, H, below),
                       px_kernels_value(pieces[k], d, H, above), 1e-7 * scale(d, 0));
            CHECK_NEAR(px_kernels_derivative(pieces[k], d, H, below),
                       px_kernels_derivative(pieces[k], d, H, above), 1e-6 * scale(d, 1));
        }
    }
}

TEST(the_laplacian_of_the_viscosity_kernel_is_positive_and_linear)
{
    for (double r = 0.01 * H; r < H; r += 0.01 * H) {
        double h5 = H * H * H * H * H;
        CHECK_NEAR(px_kernels_laplacian(PX_KERNEL_VISCOSITY, 3, H, r),
                   45 / (PX_PI * h5 * H) * (H - r), 1e-9 * scale(3, 2) * H / r * H / r * H / r);
        CHECK_NEAR(px_kernels_laplacian(PX_KERNEL_VISCOSITY, 2, H, r), 40 / (PX_PI * h5) * (H - r),
                   1e-9 * scale(2, 2) * H / r * H / r);
        CHECK(px_kernels_laplacian(PX_KERNEL_VISCOSITY, 3, H, r) > 0);
    }
}

TEST(the_cubic_spline_is_the_one_that_the_loops_use)
{
    for (double r = 0.01 * H; r < 1.1 * H; r += 0.01 * H) {
        CHECK_NEAR(px_kernels_value(PX_KERNEL_CUBIC, 3, H, r), px_kernel_value(H, r),
                   1e-12 * scale(3, 0));
        CHECK_NEAR(px_kernels_derivative(PX_KERNEL_CUBIC, 3, H, r), px_kernel_derivative(H, r),
                   1e-12 * scale(3, 1));
    }
}

TEST(cohesion_repels_near_and_attracts_far_particles)
{
    /* 2 (q (1 - q))^3 = 1/64 where q (1 - q) = 128^(-1/3) */
    double zero = H * 0.5 * (1 - sqrt(1 - 4 * pow(128, -1.0 / 3)));
    CHECK_NEAR(zero / H, 0.2729, 1e-4);
    CHECK_NEAR(px_kernels_value(PX_KERNEL_COHESION, 3, H, zero), 0, 1e-12 * scale(3, 0));
    double most = 0, at = 0;
    for (double r = 0.001 * H; r < H; r += 0.001 * H) {
        double value = px_kernels_value(PX_KERNEL_COHESION, 3, H, r);
        CHECK(r < zero ? value < 0 : value > 0);
        if (value > most) {
            most = value;
            at = r;
        }
    }
    CHECK_NEAR(at, 0.5 * H, 0.002 * H);
    CHECK_NEAR(most, 0.5 / PX_PI * scale(3, 0), 1e-6 * scale(3, 0));
}

TEST_MAIN()
