/// Rest-shape update of whole bodies: the rest shape follows the deformation (001 section 4.2).
///
/// The deformed shape becomes the rest shape, in which Green's strain is 0. The elastic strain is
/// kept as plastic strain of opposite sign, so that the stress persists. It has to be expressed in
/// the axes of the new rest shape: 001 copies the components, which leaves the stress behind when
/// the body rotates. Here S becomes R S R^T, with the rotation R of J = R U; this keeps the elastic
/// energy however often the rest shape is updated. (Keeping forces, J S J^T, multiplies the energy
/// of a stretch l by l^4; keeping lengths, J^-T E J^-1, adds energy to compressed matter.)
///
/// The volume term measures det J from the rest shape, so compression would be forgotten. `bulk`
/// accumulates det J: the volume in the present rest shape over the particle's rest volume. MLS
/// fits do not see particles that interpenetrate, so bulk also relaxes towards the ratio of the
/// kernel sum of a lattice to the particle's own, at most 1, since surface particles have fewer
/// neighbours. It relaxes gradually, because a sudden change of pressure adds energy.
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

/* Floor of bulk; it bounds the pressure of the volume term. */
#define LEAST_BULK 0.25

/* Rate at which bulk relaxes towards the ratio of kernel sums, 1/s. Tuned on a melted block in a
 * well: lower rates lose height, higher ones add motion (docs/decisions.md 24). */
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
    if (all) /* the halvings were due to stretch relative to the old rest shape */
        s->halvings = 0;
    Absorb job = {s, step};
    if (any)
        px_parallel_for(s->threads, s->count, PX_BLOCK, absorb_block, &job);
    return any;
}

/* Sum of the weights in a full lattice, a row's own weight of 1 included; `reach` is the support in
 * spacings. */
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
            double sum = (double)s->lists->kernel[i], size = cbrt((double)s->columns.volume[i]);
            double full = lattice_sum((double)s->columns.support[i] / size);
            double bulk = (double)s->columns.bulk[i];
            s->columns.bulk[i] = (float)(bulk + part * (fmin(1, full / sum) - bulk));
        }
    }
}
