/// The particles' weights, and Newton's way onto the surface of their field.
#include "surface/coat_lanes.h"

/* a_i = 1 / sum_j (1 - r^2/h^2)^3 over its own part, itself among them; and from the covariance C
 * of the same neighbours 1 - det C / (trace C / 3)^3, which is 0 in the midst of others and 1 in a
 * sheet, a thread or alone (001 Eq. 29). */
void PX_ISA_NAME(px_coat_weigh_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatField *f = user;
    const PxPairs *pairs = &f->coat->particle_pairs;
    const PxF8 per = px_f8(1.0f / (PX_COAT_H * PX_COAT_H)), zero = px_f8(0.0f), one = px_f8(1.0f);
    for (uint32_t i = begin; i < end; ++i) {
        PxPlace8 at = px_place8(f->part_quad, i);
        PxF8 own = px_f8(f->part_quad[4 * (size_t)i + 3]), sum = zero, count = zero;
        PxF8 m[3] = {zero, zero, zero}, c[6] = {zero, zero, zero, zero, zero, zero};
        PX_FOR_NEIGHBOURS(pairs, i, j)
        {
            PxF8 x, y, z, part;
            px_f8_load_ways(f->part_quad, j, &at, &x, &y, &z, &part);
            PxF8 t = px_f8_max(one - (x * x + y * y + z * z) * per, zero);
            t = px_f8_where(part == own, t);
            sum += t * t * t;
            PxF8 in = px_f8_where(t > zero, one);
            x = px_f8_where(t > zero, x);
            y = px_f8_where(t > zero, y);
            z = px_f8_where(t > zero, z);
            count += in;
            m[0] += x;
            m[1] += y;
            m[2] += z;
            c[0] += x * x;
            c[1] += y * y;
            c[2] += z * z;
            c[3] += x * y;
            c[4] += x * z;
            c[5] += y * z;
        }
        float a = 1.0f / px_more(px_f8_sum(sum), 1.0f);
        f->weight[i] = a < f->coat->alone ? a : f->coat->alone;
        float n = 1.0f / px_f8_sum(count), mx = px_f8_sum(m[0]) * n, my = px_f8_sum(m[1]) * n,
              mz = px_f8_sum(m[2]) * n;
        float xx = px_f8_sum(c[0]) * n - mx * mx, yy = px_f8_sum(c[1]) * n - my * my,
              zz = px_f8_sum(c[2]) * n - mz * mz, xy = px_f8_sum(c[3]) * n - mx * my,
              xz = px_f8_sum(c[4]) * n - mx * mz, yz = px_f8_sum(c[5]) * n - my * mz;
        float third = (xx + yy + zz) * (1.0f / 3.0f);
        float det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        float cube = third * third * third;
        f->edge[i] = cube > 1e-9f ? px_less(px_more(1.0f - det / cube, 0.0f), 1.0f) : 1.0f;
    }
}

/* 000 Eq. 2.40 with the slope squared, as Newton's method has it. A point that would go further
 * than the lists are good for stays open, to be asked about again; one that has no slope to go
 * along, or overshoots again and again, is lost. */
void PX_ISA_NAME(px_coat_project_block)(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const PxCoatProject *p = user;
    for (uint32_t i = begin; i < end; ++i) {
        if (p->state[i] != PX_COAT_OPEN)
            continue;
        const float from[3] = {p->at[0][i], p->at[1][i], p->at[2][i]};
        float at[3] = {from[0], from[1], from[2]};
        uint32_t list = p->near.place[i];
        for (int k = 0;; ++k) {
            PxCoatValue v = px_coat_value(p->f, p->near.pairs, list, at, false);
            float slope = px_length3(v.gradient), off = v.value - p->level;
            if (k == 0) {
                p->value[i] = v.value;
                p->slope[i] = slope;
            }
            if (!(slope > 0.02f)) {
                p->state[i] = PX_COAT_LOST;
                break;
            }
            for (int a = 0; a < 3; ++a)
                p->normal[a][i] = -v.gradient[a] / slope;
            if (fabsf(off) < 1e-3f * slope) {
                p->state[i] = PX_COAT_ON;
                break;
            }
            if (k == p->steps)
                break;
            float way = px_less(px_more(off / slope, -0.4f), 0.4f), far = 0.0f;
            for (int a = 0; a < 3; ++a) {
                at[a] -= way * v.gradient[a] / slope;
                far += (at[a] - from[a]) * (at[a] - from[a]);
            }
            if (far > PX_COAT_MARGIN * PX_COAT_MARGIN) {
                /* As far as the lists reach, and no further. */
                float part = PX_COAT_MARGIN / sqrtf(far);
                for (int a = 0; a < 3; ++a)
                    at[a] = from[a] + part * (at[a] - from[a]);
                if (k > 0)
                    break;
            }
        }
        if (p->steps > 0)
            for (int a = 0; a < 3; ++a)
                p->at[a][i] = at[a];
    }
}
