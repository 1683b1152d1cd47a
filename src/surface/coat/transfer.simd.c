/// Transfer of particle data to points (component, molten fraction, velocity) and of colours from
/// zombies to surfels.
#include "surface/coat/lanes.h"

/* The particle with the largest share of the field at the point, among those of the point's old
 * component; PX_COAT_NONE without one. */
PX_INLINE PxI8 strongest_particle(const PxCoatAssign *p, uint32_t bunch, const PxF8 at[3], PxI8 own)
{
    const PxCoatField *f = p->f;
    PxI8 any = own == px_lanes_all(PX_COAT_ANY), best = px_lanes_all(PX_COAT_NONE);
    PxF8 most = px_f8(0.0f);
    PX_COAT_FOR_NEAR(&p->lists, bunch, j)
    {
        PxF8 way[3];
        px_lanes_offset(f->quad, *j, at, way);
        PxF8 t = px_lanes_falloff(way), share = px_f8(f->quad[4 * (size_t)*j + 3]) * t * t * t;
        PxI8 more = (any | (own == px_lanes_all(f->old_component[*j]))) & (share > most);
        most = px_lanes_select(more, share, most);
        best = (px_lanes_all(*j) & more) | (best & ~more);
    }
    return best;
}

void PX_ISA_NAME(px_coat_assign_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatAssign *p = user;
    PxCoatField *f = p->f;
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t i = p->lists.begin[b], count = p->lists.begin[b + 1] - i;
        PxF8 at[3], component, sum = px_f8(0.0f), weights = sum, change = sum;
        px_lanes_load(at, p->at, i);
        PxI8 own = px_lanes_load_u32(p->own + i), best = strongest_particle(p, b, at, own);
        for (uint32_t k = 0; k < 8; ++k) {
            bool none = k >= count || (uint32_t)best[k] == PX_COAT_NONE;
            component[k] = none ? -1.0f : (float)f->component[best[k]];
            if (k >= count)
                continue;
            p->drop[i + k] = none;
            p->component[i + k] = none ? 0 : f->component[best[k]];
            p->label[i + k] = none ? 0 : f->label[f->component[best[k]]];
        }
        PX_COAT_FOR_NEAR(&p->lists, b, j)
        {
            PxF8 way[3];
            px_lanes_offset(f->quad, *j, at, way);
            PxF8 t = px_lanes_falloff(way);
            t = px_f8_where(px_f8(f->component_quad[4 * (size_t)*j + 3]) == component, t * t * t);
            sum += t * px_f8(f->melted[*j]); /* Eq. 6.39 */
            weights += t;
            change += t * px_f8(f->edge_change[*j]); /* 001 Eq. 30 */
            if (p->cover && !__atomic_load_n(&f->covered[*j], __ATOMIC_RELAXED) &&
                px_f8_bits(t > px_f8(PX_COAT_COVERED)) != 0)
                __atomic_store_n(&f->covered[*j], 1, __ATOMIC_RELAXED);
        }
        PxF8 melted = px_lanes_select(weights > px_f8(0.0f), sum / weights, px_f8(1.0f));
        px_lanes_store(p->melted + i, melted, count);
        if (p->change != NULL)
            px_lanes_store(p->change + i,
                           px_lanes_select(weights > px_f8(0.0f), change / weights, px_f8(0.0f)),
                           count);
    }
}

void PX_ISA_NAME(px_coat_velocity_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatVelocity *p = user;
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t i = p->lists.begin[b], count = p->lists.begin[b + 1] - i;
        const PxF8 zero = px_f8(0.0f);
        PxF8 at[3], component, weights = zero, sum[3] = {zero, zero, zero};
        px_lanes_load(at, p->at, i);
        for (uint32_t k = 0; k < 8; ++k)
            component[k] = (float)p->component[k < count ? i + k : i];
        PX_COAT_FOR_NEAR(&p->lists, b, j)
        {
            PxF8 way[3];
            px_lanes_offset(p->f->quad, *j, at, way);
            PxF8 t = px_lanes_falloff(way);
            t = px_f8_where(px_f8(p->f->component_quad[4 * (size_t)*j + 3]) == component,
                            t * t * t);
            weights += t;
            for (int a = 0; a < 3; ++a)
                sum[a] += t * px_f8(p->velocity[4 * (size_t)*j + (size_t)a]);
        }
        PxF8 share = px_f8_where(weights > zero, px_f8(1.0f) / weights);
        for (int a = 0; a < 3; ++a)
            px_lanes_store(p->to[a] + i, share * sum[a], count);
    }
}

/* Shepard interpolation (Eq. 2.24) over zombies of the same component on the same side of the
 * surface; with twice the radius where none is near. Without any the surfel keeps its colour. */
void PX_ISA_NAME(px_coat_paint_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatPaint *p = user;
    const PxF8 zero = px_f8(0.0f), one = px_f8(1.0f), per = px_f8(1.0f / (p->reach * p->reach));
    for (uint32_t b = begin; b < end; ++b) {
        uint32_t i = p->lists.begin[b], count = p->lists.begin[b + 1] - i;
        PxF8 at[3], n[3], component, weights[2] = {zero, zero}, sum[2][3];
        px_lanes_load(at, p->at, i);
        px_lanes_load(n, p->normal, i);
        for (uint32_t k = 0; k < 8; ++k)
            component[k] = (float)p->component[k < count ? i + k : i];
        for (int a = 0; a < 6; ++a)
            sum[a / 3][a % 3] = zero;
        PX_COAT_FOR_NEAR(&p->lists, b, j)
        {
            const float *its = p->normal_quad + 4 * (size_t)*j,
                        *c = p->colour_quad + 4 * (size_t)*j;
            const PxF8 m[3] = {px_f8(its[0]), px_f8(its[1]), px_f8(its[2])};
            PxF8 way[3];
            px_lanes_offset(p->quad, *j, at, way);
            PxF8 far = px_lanes_dot(way, way) * per;
            PxI8 same = (px_f8(its[3]) == component) & (px_lanes_dot(n, m) > zero);
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
        PxF8 weight = px_lanes_select(near, weights[0], weights[1]);
        PxI8 some = weight > px_f8(1e-6f);
        px_lanes_store(p->painted + i, px_lanes_select(some, one, px_f8_load(p->painted + i)),
                       count);
        for (int a = 0; a < 3; ++a) {
            PxF8 mean = px_lanes_select(near, sum[0][a], sum[1][a]) / weight;
            PxF8 old = px_f8_load(p->colour[a] + i);
            px_lanes_store(p->colour[a] + i, px_lanes_select(some, mean, old), count);
        }
    }
}
