/// The rest shape follows the deformation (001 section 4.2), for what flows.
///
/// What is deformed now is the new rest shape, and the strain there is 0; the elastic strain
/// that was there must go on pulling, so it is kept as plastic strain with the other sign. It
/// was measured along the old rest shape and is wanted along the new one: such that forces stay
/// what they are. A force is V P A^-1 X with P = J S; along the new shape X is J X, A is J A J^T
/// and J is 1, so S becomes J S J^T, and the strain follows from it by Hooke's law. (The document
/// keeps the numbers as they are, which turns stresses away from the body as it turns. Keeping the
/// strain's length instead, J^-T E J^-1, kicked what was squeezed: 1.7 times the energy
/// of its fall in a block that came down on a spike.)
///
/// The volume term compares with the rest shape and would forget with it. What it knows is kept as
/// `bulk`, the part of its own room that a particle has in the rest shape, and so pressure goes
/// on, too. But linear fits do not see particles that crowd between each other, so bulk goes after
/// what the number of neighbours says: a particle that has more of them than in a lattice has less
/// room than its own. Less crowded ones are left alone, since that is what surfaces are. All at
/// once this kicked as well: a melted block of 7 J in a well got 0.25 J each time and never
/// lay still. Little by little it gets none that is not damped at once.
#include "solid/solid.h"

#include <math.h>

typedef struct Absorb {
    PxSolid *solid;
    uint64_t step;
} Absorb;

bool px_solid_absorbs(const PxSolid *s, uint32_t i, uint64_t step)
{
    double every = s->material[s->particles->material[s->first + i]].def.absorb;
    return every > 0 && step % (uint64_t)every == 0;
}

/* Symmetric matrices as their six numbers: xx, yy, zz, xy, yz, zx. */
static PxMat3 symmetric(const double e[6])
{
    return (PxMat3){{{e[0], e[3], e[5]}, {e[3], e[1], e[4]}, {e[5], e[4], e[2]}}};
}

/* Stress of normal strains; the matrix of Hooke's law for them. */
static PxMat3 normal_law(const PxSolidLaw *law)
{
    const float *c = law->stiff;
    return (PxMat3){{{(double)c[0], (double)c[3], (double)c[5]},
                     {(double)c[3], (double)c[1], (double)c[4]},
                     {(double)c[5], (double)c[4], (double)c[2]}}};
}

/* Strains are no larger than this afterwards: beyond it they come of cells that were all but flat.
 */
#define MOST_STRAIN 0.5

/* Nor does pressure become more than that of matter in this part of its room. */
#define LEAST_BULK 0.25

/* How fast bulk goes after the crowding, 1/s. That block lost a fifth of its height at 0, a tenth
 * at 1, 4 per cent at 4, 2 at 8, against all at once; and its motion grows with it. */
#define CATCH_UP 6.0

/* The elastic strain along the new rest shape; see above. */
static void carry_over(const PxSolidLaw *law, PxMat3 j, const double strain[6], double out[6])
{
    PxMat3 normal = normal_law(law), inverse;
    for (int k = 0; k < 6; ++k)
        out[k] = 0;
    /* nearly flat or inverted: nothing sensible follows from it but to let go */
    if (px_mat3_determinant(j) < 0.05 || !px_mat3_inverse(normal, &inverse))
        return;
    PxVec3 pull = px_mat3_apply(normal, px_vec(strain[0], strain[1], strain[2]));
    double stress[6] = {pull.x, pull.y, pull.z}, square = 0;
    for (int k = 3; k < 6; ++k)
        stress[k] = 2 * (double)law->stiff[k + 3] * strain[k];
    PxMat3 turned = px_mat3_multiply(px_mat3_multiply(j, symmetric(stress)), px_mat3_transpose(j));
    PxVec3 axial = px_mat3_apply(inverse, px_vec(turned.m[0][0], turned.m[1][1], turned.m[2][2]));
    out[0] = axial.x;
    out[1] = axial.y;
    out[2] = axial.z;
    out[3] = turned.m[0][1] / (2 * (double)law->stiff[6]);
    out[4] = turned.m[1][2] / (2 * (double)law->stiff[7]);
    out[5] = turned.m[2][0] / (2 * (double)law->stiff[8]);
    for (int k = 0; k < 6; ++k)
        square += (k < 3 ? 1 : 2) * out[k] * out[k];
    double scale = square > MOST_STRAIN * MOST_STRAIN ? MOST_STRAIN / sqrt(square) : 1;
    for (int k = 0; k < 6; ++k)
        out[k] *= scale;
}

static void absorb_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Absorb *job = user;
    PxSolid *s = job->solid;
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    for (uint32_t i = begin; i < end; ++i) {
        if (!px_solid_absorbs(s, i, job->step))
            continue;
        PxMat3 j;
        for (int k = 0; k < 9; ++k)
            j.m[k / 3][k % 3] = (double)s->gradient[px_solid_at(i, k, 9)] + (k % 4 == 0 ? 1 : 0);
        PxMat3 green = px_mat3_scale(
            px_mat3_sub(px_mat3_multiply(px_mat3_transpose(j), j), px_mat3_identity()), 0.5);
        double strain[6], kept[6];
        for (int k = 0; k < 6; ++k)
            strain[k] = green.m[at[k][0]][at[k][1]] - (double)s->columns.plastic[k][i];
        carry_over(&s->law[s->particles->material[s->first + i]], j, strain, kept);
        for (int k = 0; k < 6; ++k)
            s->columns.plastic[k][i] = (float)-kept[k];
        double bulk = (double)s->columns.bulk[i] * px_mat3_determinant(j);
        s->columns.bulk[i] = (float)fmin(fmax(bulk, LEAST_BULK), 1);
        for (int c = 0; c < 3; ++c) {
            s->columns.rest[c][i] += s->u[4 * (size_t)i + (size_t)c];
            s->u[4 * (size_t)i + (size_t)c] = 0.0f;
        }
    }
}

bool px_solid_absorb(PxSolid *s, uint64_t step)
{
    bool any = false, all = true;
    for (uint32_t k = 0; k < s->frames; ++k) {
        bool due = px_solid_absorbs(s, s->frame[k].begin, step);
        any = any || due;
        all = all && due;
    }
    if (all) /* stretches were those of the old shape */
        s->halvings = 0;
    Absorb job = {s, step};
    if (any)
        px_parallel_for(s->threads, s->count, PX_BLOCK, absorb_block, &job);
    return any;
}

/* What the weights of a lattice add up to, a row's own 1 among them; `reach` is the support
 * in spacings. */
static double lattice_sum(double reach)
{
    double sum = 0;
    int n = (int)reach;
    for (int z = -n; z <= n; ++z)
        for (int y = -n; y <= n; ++y)
            for (int x = -n; x <= n; ++x)
                sum += (double)px_solid_weight((float)(x * x + y * y + z * z), (float)reach);
    return sum;
}

void px_solid_crowding(PxSolid *s, uint64_t step)
{
    for (uint32_t k = 0; k < s->frames; ++k) {
        uint32_t first = s->frame[k].begin;
        if (!px_solid_absorbs(s, first, step))
            continue;
        double steps = s->material[s->particles->material[s->first + first]].def.absorb;
        double part = -expm1(-CATCH_UP * steps * s->dt);
        for (uint32_t i = first; i < s->frame[k].end; ++i) {
            double sum = 1, size = cbrt((double)s->columns.volume[i]);
            for (uint32_t e = s->lists->start[i]; e < s->lists->start[i + 1]; ++e)
                sum += (double)s->lists->pair[4 * (size_t)e + 3];
            double full = lattice_sum((double)s->columns.support[i] / size);
            double bulk = (double)s->columns.bulk[i];
            s->columns.bulk[i] = (float)(bulk + part * (fmin(1, full / sum) - bulk));
        }
    }
}
