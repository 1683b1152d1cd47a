/// Viscosity of solids (Kelvin-Voigt): stress proportional to the rate of Green's strain.
///
/// S = 2 eta dE/dt with dE/dt = sym(J^T grad v), by the same passes as elastic forces (passes.h),
/// so linear and angular momentum are conserved. The fit residual of the velocities is damped with
/// eta too.
#include "solid/viscous.h"

#include "solid/law8.h"
#include "solid/passes.h"

void PX_ISA_NAME(px_viscous_stress)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxViscousPass *pass = user;
    PxSolid *s = pass->solid;
    const PxSolidLists *l = s->lists;
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (uint32_t base = begin; base < end; base += 8) {
        PxF8 dh[9], left[3], h[9], j[9], rate[6], p[9], held = px_solid_fourths(pass->quad, base);
        px_solid_gradients(l, pass->quad, base, end, dh, left);
        for (int k = 0; k < 9; ++k)
            h[k] = px_f8_load(s->gradient + px_solid_at(base, k, 9));
        px_jacobian8(h, j);
        PxF8 square = j[0] * j[0];
        for (int k = 1; k < 9; ++k)
            square += j[k] * j[k];
        /* held = eta V / spread */
        PxF8 eta =
            px_f8_min(held * px_f8_load(l->spread + base), px_f8_load(pass->most + base) / square) *
            px_f8_load(l->quadrature + base);
        for (int k = 0; k < 6; ++k) {
            int a = at[k][0], b = at[k][1];
            rate[k] = eta * (j[a] * dh[b] + j[3 + a] * dh[3 + b] + j[6 + a] * dh[6 + b] +
                             dh[a] * j[b] + dh[3 + a] * j[3 + b] + dh[6 + a] * j[6 + b]);
        }
        for (int a = 0; a < 3; ++a) {
            PxF8 x = j[3 * a], y = j[3 * a + 1], z = j[3 * a + 2];
            p[3 * a] = x * rate[0] + y * rate[3] + z * rate[5];
            p[3 * a + 1] = x * rate[3] + y * rate[1] + z * rate[4];
            p[3 * a + 2] = x * rate[5] + y * rate[4] + z * rate[2];
        }
        for (int k = 0; k < 3; ++k)
            left[k] *= held;
        px_solid_record(s->record, base, p, left);
    }
}

void PX_ISA_NAME(px_viscous_force)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxViscousPass *pass = user;
    PxSolid *s = pass->solid;
    for (uint32_t i = begin; i < end; ++i) {
        float scale = pass->dt * s->inverse_mass[i];
        PxF4 f = px_solid_force(s->lists, s->record, i) * px_f4(scale);
        float *v = s->v + 4 * (size_t)i;
        for (int k = 0; k < 3; ++k)
            v[k] += f[k];
    }
}
