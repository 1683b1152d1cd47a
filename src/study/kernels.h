/// The kernels that the methods name, in plain double, in two and three dimensions.
///
/// For set-up, tests and comparison. Loops over neighbours use the cubic spline of
/// matter/kernel.h, which is PX_KERNEL_CUBIC here, or what a model writes for itself.
///
/// With support h and q = r / h a kernel is W(r) = norm / h^d f(q) in d dimensions,
/// zero from q = 1 on:
///
///   poly6      (1 - q^2)^3                    315/(64 pi), 4/pi     002 Eq. 3.21; 000 Eq. 4.9
///   spiky      (1 - q)^3                      15/pi, 10/pi          002 Eq. 3.22; 000 Eq. 4.10
///   viscosity  laplacian proportional to 1 - q                      002 Eqs. 3.24, 3.25
///   cubic      2 (1 - q)^3 - (1 - 2q)_+^3     8/pi, 40/(7 pi)       Monaghan, Lattanzio 1985
///   wendland   (1 - q)^4 (1 + 4q)             21/(2 pi), 7/pi       Wendland 1995, C2
///   cohesion   q^3 (1 - q)^3, twice that less 1/64 up to q = 1/2    004 Eq. 6.7
///
/// What the documents print has slips. 002 Eq. 3.23, the gradient of spiky, lacks its
/// minus sign. 000 Eq. 4.11 has r/(2h) where the viscosity kernel has h/(2r): it is
/// normalised as printed, but falls to zero with a kink. 000 Eq. 4.12 is only the second
/// derivative of that, 2 - 3q times a negative number, not a laplacian, and changes sign
/// at q = 2/3. The laplacian meant is 45/(pi h^6) (h - r) in three dimensions, which 002
/// Eqs. 3.24 and 3.25 have right, and 40/(pi h^5) (h - r) in two.
#ifndef PX_STUDY_KERNELS_H
#define PX_STUDY_KERNELS_H

typedef enum PxKernelKind {
    PX_KERNEL_POLY6,
    PX_KERNEL_SPIKY,
    PX_KERNEL_VISCOSITY,
    PX_KERNEL_CUBIC,
    PX_KERNEL_WENDLAND,
    PX_KERNEL_COHESION, ///< a pair force, not a kernel: it is not normalised to 1
    PX_KERNEL_KINDS
} PxKernelKind;

/// "poly6", ...
const char *px_kernels_name(PxKernelKind kind);

/// W, dW/dr and the laplacian d2W/dr2 + (d - 1)/r dW/dr for r > 0 in `dimensions` 2 or 3;
/// 1/m^d, 1/m^(d+1), 1/m^(d+2). Towards r = 0 the laplacian of spiky and the value of
/// viscosity grow beyond all bounds.
double px_kernels_value(PxKernelKind kind, int dimensions, double h, double r);
double px_kernels_derivative(PxKernelKind kind, int dimensions, double h, double r);
double px_kernels_laplacian(PxKernelKind kind, int dimensions, double h, double r);

#endif
