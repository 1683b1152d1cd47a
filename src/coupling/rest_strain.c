/// Stage 6 of a rest-shape update: strain transfer. The elastic stress is carried over to the new
/// rest shape (solid/carry_stress.h); all other deformation relative to it becomes plastic strain.
#include "coupling/rest_update_parts.h"
#include "matter/kernel.h"
#include "solid/carry_stress.h"

/* Bounds of `bulk`: the volume of a particle in its rest shape over its rest volume. */
#define LEAST_BULK 0.25
#define MOST_BULK 4.0

/* Fraction per update by which the volumetric strain of compressed matter relaxes towards that of
 * its density. Tuned on jets of 400 and 900 kPa against a wall (test/test_jet.c,
 * docs/decisions.md 21). */
#define CATCH_UP 0.3

typedef struct Density {
    const PxRestInput *in;
    const PxRestComponents *parts;
    float *over; /* by row: density over that of a lattice, - 1; only of rows that are not solid */
} Density;

static void density_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Density *d = user;
    const PxRestInput *in = d->in;
    const PxPairs *pairs = in->c->pairs;
    double s = in->c->spacing, h = in->c->support * s;
    double full = px_kernel_lattice(h, s);
    for (uint32_t i = begin; i < end; ++i) {
        if (d->parts->component[i] == 0 || !(in->solid_now[i] < 1.0f))
            continue;
        PxVec3 x = in->place[i];
        double sum = px_kernel_value(h, 0);
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            uint32_t j = pairs->row[pairs->start[i] + k];
            double r = px_length(px_sub(in->place[j], x));
            sum += j != i && r < h ? px_kernel_value(h, r) : 0;
        }
        d->over[i] = (float)(s * s * s * sum / full - 1);
    }
}

/* Corrects the volumetric part of the carried strain `kept`. Pressure keeps the volume of flowing
 * matter, but elasticity has a bulk modulus too, and rest-shape updates lose track of the volume:
 * vibrations, which enter Green's strain squared, and particles that move in between others leave
 * an isotropic tension. It contracts matter in every sub-step, pressure expands it again in the
 * next step, and both do work each time. So compressed matter loses this tension, and its
 * compression relaxes to that of its density. Matter below the rest density is left alone: it may
 * be at a surface. */
static void correct_volume(const PxRestInput *in, float over_density, uint32_t i, double kept[6])
{
    double over = (double)over_density, sum = kept[0] + kept[1] + kept[2];
    if (!(over > 0 && sum + over > 0))
        return;
    double less = fmax(sum, 0) + CATCH_UP * (over + fmin(sum, 0));
    for (int k = 0; k < 3; ++k)
        kept[k] -= (1 - (double)in->solid_now[i]) * less / 3;
}

/* Did the rest shape of the row or of a neighbour, or its law, change in this update? */
static bool has_changed(const PxRestInput *in, const PxRestSnapshot *old,
                        const PxRestComponents *parts, const PxSolidLists *l, const float *kept,
                        uint32_t slot)
{
    const uint32_t *row = in->set->row.data;
    uint32_t i = row[slot], was = in->before[i] - 1;
    if (in->kept[i] < 1.0f || l->start[slot + 1] - l->start[slot] != old->neighbours[was] ||
        parts->core[i] != parts->base[parts->component[i] - 1] ||
        old->molten[was] != in->elastic.molten[i])
        return true;
    for (uint32_t e = l->start[slot]; e < l->start[slot + 1]; ++e)
        if (kept[l->other[e] / 16] < 1.0f)
            return true;
    return false;
}

PxStatus px_rest_strains(const PxRestInput *in, const PxRestSnapshot *old,
                         const PxRestComponents *parts, double *stretch)
{
    const PxCoupling *c = in->c;
    PxElasticSet *set = in->set;
    PxSolid s;
    if (set->row.count == 0)
        return PX_OK;
    Density density = {in, parts, PX_ARENA_ARRAY(c->scratch, float, in->count)};
    float *kept_of = PX_ARENA_ARRAY(c->scratch, float, set->row.count); /* by row of the new set */
    if (density.over == NULL || kept_of == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", in->count);
    for (uint32_t slot = 0; slot < set->row.count; ++slot)
        if (set->row.data[slot] != PX_ELSEWHERE)
            kept_of[slot] = in->kept[set->row.data[slot]];
    PX_TRY(px_dist_share(c->dist, (PxDistArray){kept_of, sizeof *kept_of, sizeof *kept_of},
                         set->row.data, (uint32_t)set->row.count, c->scratch));
    px_parallel_for(c->threads, in->count, PX_BLOCK, density_block, &density);
    PX_TRY(px_elastic_set_open(set, c, &s));
    px_solid_forces(&s, false);
    *stretch = s.stretch;
    for (uint32_t slot = 0; slot < s.count; ++slot) {
        uint32_t i = set->row.data[slot];
        double strain[6], kept[6] = {0, 0, 0, 0, 0, 0};
        if (i == PX_ELSEWHERE)
            continue;
        if (in->before[i] > 0 && !has_changed(in, old, parts, s.lists, kept_of, slot))
            continue;
        PxMat3 j = px_solid_deformation(&s, slot), inverse;
        px_solid_green(j, strain);
        PxMat3 now = px_mat3_multiply(s.frame[s.frame_of[slot]].turn, j);
        double volume = 1, counted = 0;
        if (in->before[i] > 0) {
            uint32_t was = in->before[i] - 1;
            /* the force of a cell must not grow with its weight */
            counted =
                fmin(1, (double)old->weight[was] / fmax((double)s.lists->cell_weight[slot], 1e-6));
            volume += counted * (double)in->kept[i] * (old->volume[was] - 1);
            if (px_mat3_inverse(now, &inverse))
                px_solid_carry(old->law[was], px_solid_law_of(&s, slot),
                               px_mat3_multiply(inverse, old->deformation[was]),
                               old->strain + 6 * (size_t)was, kept);
        }
        for (int k = 0; k < 6; ++k)
            kept[k] *= counted;
        if (in->solid_now[i] < 1.0f)
            correct_volume(in, density.over[i], i, kept);
        for (int k = 0; k < 6; ++k)
            in->solid.plastic[k][i] = (float)(strain[k] - kept[k]);
        in->solid.bulk[i] =
            (float)fmin(fmax(volume / px_mat3_determinant(j), LEAST_BULK), MOST_BULK);
    }
    return PX_OK;
}
