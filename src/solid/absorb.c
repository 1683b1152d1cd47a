/// The rest shape follows the deformation (001 section 4.2), for what flows.
///
/// What is deformed now is the new rest shape, and the strain there is 0; the elastic strain
/// that was there must go on pulling, so it is kept as plastic strain with the other sign. It
/// was measured along the old rest shape and is wanted along the new one. The document keeps its
/// numbers as they are, which turns stresses away from the body as it turns. Turned with the body
/// (by the rotation R of J = R U, S becomes R S R^T), they have the same energy as before, which is
/// what keeps a body that is absorbed over and over again calm. (Keeping forces instead, J S J^T,
/// gives what is stretched by l the energy l^4 times: an elastic jet that lay at a wall, nobody
/// doing anything to it, got 41 J of 145 that way in half a second. Keeping the strain's length,
/// J^-T E J^-1, kicked what was squeezed: 1.7 times the energy of its fall in a block that came
/// down on a spike.)
///
/// The volume term compares with the rest shape and would forget with it. What it knows is kept as
/// `bulk`, the part of its own room that a particle has in the rest shape, and so pressure goes
/// on, too. But linear fits do not see particles that crowd between each other, so bulk goes after
/// what the number of neighbours says: a particle that has more of them than in a lattice has less
/// room than its own. Less crowded ones are left alone, since that is what surfaces are. All at
/// once this kicked as well: a melted block of 7 J in a well got 0.25 J each time and never
/// lay still. Little by little it gets none that is not damped at once.
#include "solid/carry_stress.h"

#include <math.h>

typedef struct Absorb {
    PxSolid *solid;
    uint64_t step;
} Absorb;

bool px_solid_absorbs(const PxSolid *s, uint32_t i, uint64_t step)
{
    double every = s->material[s->particles->material[i]].def.absorb;
    return every > 0 && step % (uint64_t)every == 0;
}

/* Pressure does not become more than that of matter in this part of its room. */
#define LEAST_BULK 0.25

/* How fast bulk goes after the crowding, 1/s. That block lost a fifth of its height at 0, a tenth
 * at 1, 4 per cent at 4, 2 at 8, against all at once; and its motion grows with it. */
#define CATCH_UP 6.0

static void absorb_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Absorb *job = user;
    PxSolid *s = job->solid;
    for (uint32_t i = begin; i < end; ++i) {
        if (!px_solid_absorbs(s, i, job->step))
            continue;
        PxMat3 j = px_solid_deformation(s, i);
        double strain[6], kept[6];
        px_solid_green(j, strain);
        for (int k = 0; k < 6; ++k)
            strain[k] -= (double)s->columns.plastic[k][i];
        px_solid_carry(px_solid_law_of(s, i), px_solid_law_of(s, i), j, strain, kept);
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
        double steps = s->material[s->particles->material[first]].def.absorb;
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
