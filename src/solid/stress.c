#include "solid/stress.h"

#include <math.h>

/* The order in which six components of a symmetric tensor are stored. */
static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

/* S = C E, as px_hooke8() in solid/law8.h. */
static PxMat3 hooke(const PxSolid *s, uint32_t i, PxMat3 e)
{
    double c[9];
    for (int k = 0; k < 9; ++k)
        c[k] = s->orthotropic || k < 2 ? (double)s->stiff[k][i] : 0;
    if (!s->orthotropic) { /* Lame's lambda and twice mu */
        double lambda = c[0], two_mu = c[1];
        for (int k = 0; k < 3; ++k) {
            c[k] = lambda + two_mu;
            c[3 + k] = lambda;
            c[6 + k] = 0.5 * two_mu;
        }
    }
    PxMat3 stress;
    stress.m[0][0] = c[0] * e.m[0][0] + c[3] * e.m[1][1] + c[5] * e.m[2][2];
    stress.m[1][1] = c[3] * e.m[0][0] + c[1] * e.m[1][1] + c[4] * e.m[2][2];
    stress.m[2][2] = c[5] * e.m[0][0] + c[4] * e.m[1][1] + c[2] * e.m[2][2];
    for (int k = 3; k < 6; ++k) {
        int a = at[k][0], b = at[k][1];
        stress.m[a][b] = stress.m[b][a] = 2 * c[k + 3] * e.m[a][b];
    }
    return stress;
}

/* Cauchy stress sigma = J S J^T / det J of the second Piola-Kirchhoff stress S, turned; the volume
 * term's first Piola-Kirchhoff stress p cof J gives sigma = p I (elastic.simd.c). */
static void stress_turned(const PxSolid *s, uint32_t i, PxMat3 turn, PxMat3 *strain, PxMat3 *stress)
{
    PxMat3 h, j, elastic;
    for (int k = 0; k < 9; ++k) {
        h.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)];
        j.m[k / 3][k % 3] = h.m[k / 3][k % 3] + (k % 4 == 0 ? 1 : 0);
    }
    PxMat3 square = px_mat3_multiply(px_mat3_transpose(h), h);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            strain->m[a][b] = 0.5 * (h.m[a][b] + h.m[b][a] + square.m[a][b]);
    elastic = *strain;
    for (int k = 0; s->strained && k < 6; ++k) {
        int a = at[k][0], b = at[k][1];
        elastic.m[a][b] -= (double)s->columns.plastic[k][i];
        elastic.m[b][a] = elastic.m[a][b];
    }
    double determinant = px_mat3_determinant(j), bulk = (double)s->columns.bulk[i];
    double push = (double)s->volume[i] * bulk * (bulk * determinant - 1);
    PxMat3 turned = px_mat3_multiply(turn, j);
    *stress =
        px_mat3_multiply(px_mat3_multiply(turned, hooke(s, i, elastic)), px_mat3_transpose(turned));
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            stress->m[a][b] =
                (determinant != 0 ? stress->m[a][b] / determinant : 0) + (a == b ? push : 0);
}

void px_solid_stress(const PxSolid *s, uint32_t i, PxMat3 *strain, PxMat3 *stress)
{
    stress_turned(s, i, s->frame[s->frame_of[i]].turn, strain, stress);
}

void px_solid_stress_in_frame(const PxSolid *s, uint32_t i, PxMat3 *strain, PxMat3 *stress)
{
    stress_turned(s, i, px_mat3_identity(), strain, stress);
}

double px_solid_strain_energy(const PxSolid *s, uint32_t i, PxMat3 *elastic)
{
    PxMat3 h, square;
    double sum = 0;
    for (int k = 0; k < 9; ++k)
        h.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)];
    square = px_mat3_multiply(px_mat3_transpose(h), h);
    for (int k = 0; k < 6; ++k) {
        int a = at[k][0], b = at[k][1];
        double own = s->strained ? (double)s->columns.plastic[k][i] : 0;
        elastic->m[a][b] = elastic->m[b][a] = 0.5 * (h.m[a][b] + h.m[b][a] + square.m[a][b]) - own;
    }
    PxMat3 stress = hooke(s, i, *elastic);
    for (int k = 0; k < 9; ++k)
        sum += 0.5 * stress.m[k / 3][k % 3] * elastic->m[k / 3][k % 3];
    return sum * (double)s->cell[i];
}

double px_stress_von_mises(PxMat3 stress)
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        double normal = stress.m[k][k] - stress.m[(k + 1) % 3][(k + 1) % 3];
        double shear = stress.m[k][(k + 1) % 3];
        square += 0.5 * normal * normal + 3 * shear * shear;
    }
    return sqrt(square);
}
