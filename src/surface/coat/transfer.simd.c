/// What points have from the particles around them: their part, how melted they are, velocities;
/// and colours from zombies.
#include "surface/coat/lanes.h"

/* The particle that has most of the field there, of those that were in the point's part of the last
 * frame; PX_COAT_NONE without one. */
PX_INLINE PxI8 owner(const PxCoatOwn *p, uint32_t bunch, const PxF8 at[3], PxI8 own)
{
    const PxCoatField *f = p->f;
    PxI8 any = own == px_lanes_whole(PX_COAT_ANY), best = px_lanes_whole(PX_COAT_NONE);
    PxF8 most = px_f8(0.0f);
    PX_COAT_FOR_NEAR(&p->lists, bunch, j)
    {
        PxF8 way[3];
        px_lanes_ways(f->quad, *j, at, way);
        PxF8 t = px_lanes_near(way), share = px_f8(f->quad[4 * (size_t)*j + 3]) * t * t * t;
        PxI8 more = (any | (own == px_lanes_whole(f->was[*j]))) & (share > most);
        most = px_lanes_pick(more, share, most);
        best = (px_lanes_whole(*j) & more) | (best & ~more);
    }
    return best;
}

void PX_ISA_NAME(px_coat_own_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatOwn *p = user;
    PxCoatField *f = p->f;
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t i = p->lists.begin[b], count = p->lists.begin[b + 1] - i;
        PxF8 at[3], part, sum = px_f8(0.0f), weights = sum;
        px_lanes_load(at, p->at, i);
        PxI8 own = px_lanes_numbers(p->own + i), best = owner(p, b, at, own);
        for (uint32_t k = 0; k < 8; ++k) {
            bool none = k >= count || (uint32_t)best[k] == PX_COAT_NONE;
            part[k] = none ? -1.0f : (float)f->part[best[k]];
            if (k >= count)
                continue;
            p->drop[i + k] = none;
            p->part[i + k] = none ? 0 : f->part[best[k]];
            p->label[i + k] = none ? 0 : f->label[f->part[best[k]]];
        }
        PX_COAT_FOR_NEAR(&p->lists, b, j)
        {
            PxF8 way[3];
            px_lanes_ways(f->quad, *j, at, way);
            PxF8 t = px_lanes_near(way);
            t = px_f8_where(px_f8(f->part_quad[4 * (size_t)*j + 3]) == part, t * t * t);
            sum += t * px_f8(f->melted[*j]); /* Eq. 6.39 */
            weights += t;
            if (p->cover && !__atomic_load_n(&f->covered[*j], __ATOMIC_RELAXED) &&
                px_f8_bits(t > px_f8(PX_COAT_COVERED)) != 0)
                __atomic_store_n(&f->covered[*j], 1, __ATOMIC_RELAXED);
        }
        PxF8 melted = px_lanes_pick(weights > px_f8(0.0f), sum / weights, px_f8(1.0f));
        px_lanes_store(p->melted + i, melted, count);
    }
}

void PX_ISA_NAME(px_coat_carry_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatCarry *p = user;
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t i = p->lists.begin[b], count = p->lists.begin[b + 1] - i;
        const PxF8 zero = px_f8(0.0f);
        PxF8 at[3], part, weights = zero, sum[3] = {zero, zero, zero};
        px_lanes_load(at, p->at, i);
        for (uint32_t k = 0; k < 8; ++k)
            part[k] = (float)p->part[k < count ? i + k : i];
        PX_COAT_FOR_NEAR(&p->lists, b, j)
        {
            PxF8 way[3];
            px_lanes_ways(p->f->quad, *j, at, way);
            PxF8 t = px_lanes_near(way);
            t = px_f8_where(px_f8(p->f->part_quad[4 * (size_t)*j + 3]) == part, t * t * t);
            weights += t;
            for (int a = 0; a < 3; ++a)
                sum[a] += t * px_f8(p->velocity[4 * (size_t)*j + (size_t)a]);
        }
        PxF8 share = px_f8_where(weights > zero, px_f8(1.0f) / weights);
        for (int a = 0; a < 3; ++a)
            px_lanes_store(p->to[a] + i, share * sum[a], count);
    }
}

/* Eq. 2.24 over the zombies of the part that face the same way; twice as far where none is near.
 * Without any the surfel keeps the colour it had. */
void PX_ISA_NAME(px_coat_paint_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatPaint *p = user;
    const PxF8 zero = px_f8(0.0f), one = px_f8(1.0f), per = px_f8(1.0f / (p->reach * p->reach));
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t i = p->lists.begin[b], count = p->lists.begin[b + 1] - i;
        PxF8 at[3], n[3], part, weights[2] = {zero, zero}, sum[2][3];
        px_lanes_load(at, p->at, i);
        px_lanes_load(n, p->normal, i);
        for (uint32_t k = 0; k < 8; ++k)
            part[k] = (float)p->part[k < count ? i + k : i];
        for (int a = 0; a < 6; ++a)
            sum[a / 3][a % 3] = zero;
        PX_COAT_FOR_NEAR(&p->lists, b, j)
        {
            const float *its = p->normal_quad + 4 * (size_t)*j,
                        *c = p->colour_quad + 4 * (size_t)*j;
            const PxF8 m[3] = {px_f8(its[0]), px_f8(its[1]), px_f8(its[2])};
            PxF8 way[3];
            px_lanes_ways(p->quad, *j, at, way);
            PxF8 far = px_lanes_dot(way, way) * per;
            PxI8 same = (px_f8(its[3]) == part) & (px_lanes_dot(n, m) > zero);
            const PxF8 t[2] = {px_f8_max(one - px_f8(4.0f) * far, zero),
                               px_f8_max(one - far, zero)};
            for (int w = 0; w < 2; ++w) {
                PxF8 share = px_f8_where(same, t[w] * t[w] * t[w]);
                weights[w] += share;
                for (int a = 0; a < 3; ++a)
                    sum[w][a] += share * px_f8(c[a]);
            }
        }
        PxI8 near = weights[0] > px_f8(1e-3f);
        PxF8 weight = px_lanes_pick(near, weights[0], weights[1]);
        PxI8 some = weight > px_f8(1e-6f);
        px_lanes_store(p->painted + i, px_lanes_pick(some, one, px_f8_load(p->painted + i)), count);
        for (int a = 0; a < 3; ++a) {
            PxF8 mean = px_lanes_pick(near, sum[0][a], sum[1][a]) / weight;
            PxF8 old = px_f8_load(p->colour[a] + i);
            px_lanes_store(p->colour[a] + i, px_lanes_pick(some, mean, old), count);
        }
    }
}
