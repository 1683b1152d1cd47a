/// Euler's equations by splitting (McLachlan 1993, Reich 1994).
///
/// In the frame of the body the angular momentum L obeys dL/dt = L x w, w = L / I. The energy is
/// the sum of L_k^2 / 2 I_k, and each term alone turns L about axis k at the constant rate L_k /
/// I_k, which is exact. One step turns about x, y, z, y, x by half, half, whole, half and half; it
/// is symmetric and symplectic, so its error in the energy does not grow. The body turns by the
/// same rotations, which keeps the angular momentum in the world. Three such steps of lengths c, 1
/// - 2 c and c with c = 1 / (2 - 2^(1/3)) are of order four (Yoshida 1990).
#include "base/spin.h"

/* Largest angle of a step of order four, and below which one of order two will do; both leave a
 * relative error of the energy below 1e-6. */
#define MOST_ANGLE 0.1
#define SMALL_ANGLE 0.002
/* Most steps of order four; bodies that turn by more than 100 rad at once are turned less exactly.
 */
#define MOST_STEPS 1e3

static double *part(PxVec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

/* Turns about principal axis k for the time t: L in the frame of the body, and the body. */
static void turn_about(int k, double inertia, double t, PxQuat *axes, PxVec3 *momentum)
{
    static const PxVec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double angle = t * *part(momentum, k) / inertia, c = cos(angle), s = sin(angle);
    double *u = part(momentum, (k + 1) % 3), *v = part(momentum, (k + 2) % 3), before = *u;
    *u = c * before + s * *v;
    *v = c * *v - s * before;
    *axes = px_quat_multiply(*axes, px_quat_turn(axis[k], angle));
}

static void strang(PxVec3 inertia, double t, PxQuat *axes, PxVec3 *momentum)
{
    turn_about(0, inertia.x, 0.5 * t, axes, momentum);
    turn_about(1, inertia.y, 0.5 * t, axes, momentum);
    turn_about(2, inertia.z, t, axes, momentum);
    turn_about(1, inertia.y, 0.5 * t, axes, momentum);
    turn_about(0, inertia.x, 0.5 * t, axes, momentum);
}

void px_spin_turn(PxVec3 inertia, double dt, PxQuat *axes, PxVec3 *spin)
{
    double angle = px_length(*spin) * dt;
    if (!(angle > 0))
        return;
    if (inertia.x - inertia.z < 1e-12 * inertia.x) { /* as a ball: the axis stays */
        *axes = px_quat_normalized(px_quat_multiply(px_quat_turn(*spin, angle), *axes));
        return;
    }
    PxVec3 world = px_rotate(px_quat_conjugate(*axes), *spin);
    PxVec3 own = px_vec(inertia.x * world.x, inertia.y * world.y, inertia.z * world.z);
    world = px_rotate(*axes, own);
    if (angle < SMALL_ANGLE) {
        strang(inertia, dt, axes, &own);
    } else {
        int steps = (int)ceil(fmin(angle / MOST_ANGLE, MOST_STEPS));
        double step = dt / steps, c = 1 / (2 - cbrt(2));
        for (int k = 0; k < steps; ++k) {
            strang(inertia, c * step, axes, &own);
            strang(inertia, (1 - 2 * c) * step, axes, &own);
            strang(inertia, c * step, axes, &own);
        }
    }
    *axes = px_quat_normalized(*axes);
    own = px_rotate(px_quat_conjugate(*axes), world);
    *spin = px_rotate(*axes, px_vec(own.x / inertia.x, own.y / inertia.y, own.z / inertia.z));
}

PxMat3 px_spin_inverse_inertia(PxVec3 inertia, PxQuat axes)
{
    PxMat3 r = px_mat3_from_quat(axes), out;
    double per[3] = {1 / inertia.x, 1 / inertia.y, 1 / inertia.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = r.m[i][0] * per[0] * r.m[j][0] + r.m[i][1] * per[1] * r.m[j][1] +
                          r.m[i][2] * per[2] * r.m[j][2];
    return out;
}
