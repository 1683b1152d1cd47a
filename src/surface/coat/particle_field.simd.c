/// Weights of the particles, and Newton projection of points onto the isosurface.
#include "surface/coat/lanes.h"

/* a_i = 1 / sum_j (1 - r^2/h^2)^3 over the particle's own group, itself included. The boundary
 * indicator is 1 - det C / (trace C / 3)^3 with the covariance C of the same neighbours: 0 in a
 * full neighbourhood, 1 in a sheet, in a thread or alone (001 Eq. 29). Neighbours are weighted by
 * 1 - r^2/h^2, so that it does not jump when one enters the support: on a lattice that turns, many
 * do at once. */
void PX_ISA_NAME(px_coat_weigh_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatField *f = user;
    const PxPairs *pairs = &f->coat->particle_pairs;
    const PxF8 per = px_f8(1.0f / (PX_COAT_H * PX_COAT_H)), zero = px_f8(0.0f), one = px_f8(1.0f);
    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(f->component_quad, i);
        PxF8 own = px_f8(f->component_quad[4 * (size_t)i + 3]), sum = zero, count = zero;
        PxF8 m[3] = {zero, zero, zero}, c[6] = {zero, zero, zero, zero, zero, zero};
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, component;
            px_f8_load_ways(f->component_quad, j, &at, &x, &y, &z, &component);
            PxF8 t = px_f8_max(one - (x * x + y * y + z * z) * per, zero);
            t = px_f8_where(component == own, t);
            sum += t * t * t;
            PxF8 tx = t * x, ty = t * y, tz = t * z;
            count += t;
            m[0] += tx;
            m[1] += ty;
            m[2] += tz;
            c[0] += tx * x;
            c[1] += ty * y;
            c[2] += tz * z;
            c[3] += tx * y;
            c[4] += tx * z;
            c[5] += ty * z;
        }
        float a = 1.0f / px_max(px_f8_sum(sum), 1.0f);
        f->weight[i] = a < f->coat->max_weight ? a : f->coat->max_weight;
        float n = 1.0f / px_f8_sum(count), mx = px_f8_sum(m[0]) * n, my = px_f8_sum(m[1]) * n,
              mz = px_f8_sum(m[2]) * n;
        float xx = px_f8_sum(c[0]) * n - mx * mx, yy = px_f8_sum(c[1]) * n - my * my,
              zz = px_f8_sum(c[2]) * n - mz * mz, xy = px_f8_sum(c[3]) * n - mx * my,
              xz = px_f8_sum(c[4]) * n - mx * mz, yz = px_f8_sum(c[5]) * n - my * mz;
        float third = (xx + yy + zz) * (1.0f / 3.0f);
        float det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        float cube = third * third * third;
        f->edge[i] = cube > 1e-9f ? px_min(px_max(1.0f - det / cube, 0.0f), 1.0f) : 1.0f;
    }
}

/* Newton projection onto the isosurface (000 Eq. 2.40, with the gradient's length squared as
 * Newton's method has it). A point that would leave the reach of its lists stays OPEN, to be
 * continued with new lists; a point without gradient is LOST. */
static void project(const PxCoatProject *p, uint32_t bunch)
{
    uint32_t i = p->lists.begin[bunch], n = p->lists.begin[bunch + 1] - i;
    PxI8 open = px_lanes_all(0);
    for (uint32_t k = 0; k < n; ++k)
        open[k] = p->state[i + k] == PX_COAT_OPEN ? -1 : 0;
    if (px_f8_bits(open) == 0)
        return;
    PxF8 from[3], at[3], normal[3], component;
    for (uint32_t k = 0; k < 8; ++k)
        component[k] = k < n ? (float)p->component[i + k] : -1.0f;
    px_lanes_load(from, p->at, i);
    px_lanes_load(at, p->at, i);
    px_lanes_load(normal, p->normal, i);
    PxI8 running = open;
    unsigned lost = 0, on = 0;
    for (int k = 0;; ++k) {
        PxCoatValue v = px_coat_value(p->f, &p->lists, bunch, at, component, false);
        PxF8 slope = px_lanes_length(v.gradient), off = v.value - px_f8(p->level);
        if (k == 0) {
            PxF8 value = px_lanes_select(open, v.value, px_f8_load(p->value + i));
            px_lanes_store(p->value + i, value, n);
            px_lanes_store(p->slope + i, px_lanes_select(open, slope, px_f8_load(p->slope + i)), n);
        }
        PxI8 steep = slope > px_f8(0.02f);
        lost |= px_f8_bits(running & ~steep);
        running &= steep;
        for (int a = 0; a < 3; ++a)
            normal[a] = px_lanes_select(running, -v.gradient[a] / slope, normal[a]);
        PxI8 there = running & (px_f8_max(off, -off) < px_f8(1e-3f) * slope);
        on |= px_f8_bits(there);
        running &= ~there;
        if (k == p->steps || px_f8_bits(running) == 0)
            break;
        PxF8 way = px_lanes_clamp(off / slope, 0.4f), gone[3];
        for (int a = 0; a < 3; ++a) {
            at[a] = px_lanes_select(running, at[a] - way * v.gradient[a] / slope, at[a]);
            gone[a] = at[a] - from[a];
        }
        /* Stop where the lists end. */
        PxF8 far = px_lanes_length(gone);
        PxI8 beyond = running & (far > px_f8(PX_COAT_MARGIN));
        for (int a = 0; a < 3; ++a)
            at[a] = px_lanes_select(beyond, from[a] + px_f8(PX_COAT_MARGIN) / far * gone[a], at[a]);
        if (k > 0)
            running &= ~beyond;
        if (px_f8_bits(running) == 0)
            break;
    }
    for (uint32_t k = 0; k < n; ++k)
        if (lost >> k & 1u || on >> k & 1u)
            p->state[i + k] = lost >> k & 1u ? PX_COAT_LOST : PX_COAT_ON;
    for (int a = 0; a < 3; ++a) {
        px_lanes_store(p->normal[a] + i, normal[a], n);
        if (p->steps > 0)
            px_lanes_store(p->at[a] + i, at[a], n);
    }
}

void PX_ISA_NAME(px_coat_project_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t b = begin; b < end; ++b)
        project(user, b);
}
