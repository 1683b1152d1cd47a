/// Distances of particles to triangles of cloth, and ways that these cross: contact/sheet_near.h.
#include "contact/sheet_near_pass.h"

#include <math.h>
#include <string.h>

typedef struct Vec {
    PxF8 x, y, z;
} Vec;

PX_INLINE Vec all(const float v[3])
{
    return (Vec){px_f8(v[0]), px_f8(v[1]), px_f8(v[2])};
}

PX_INLINE PxF8 dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a - t b */
PX_INLINE Vec less(Vec a, Vec b, PxF8 t)
{
    return (Vec){a.x - t * b.x, a.y - t * b.y, a.z - t * b.z};
}

PX_INLINE Vec sub(Vec a, Vec b)
{
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

PX_INLINE PxF8 choose(PxI8 mask, PxF8 yes, PxF8 no)
{
    return (PxF8)(((PxI8)yes & mask) | ((PxI8)no & ~mask));
}

PX_INLINE Vec choose_vec(PxI8 mask, Vec yes, Vec no)
{
    return (Vec){choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}

PX_INLINE PxF8 clamp(PxF8 t)
{
    return px_f8_min(px_f8_max(t, px_f8(0)), px_f8(1));
}

PX_INLINE Vec load(const float v[3][8])
{
    return (Vec){px_f8_load(v[0]), px_f8_load(v[1]), px_f8_load(v[2])};
}

PX_INLINE Vec cross(Vec a, Vec b)
{
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

PX_INLINE void store(float to[3][8], Vec v)
{
    px_f8_store(to[0], v.x);
    px_f8_store(to[1], v.y);
    px_f8_store(to[2], v.z);
}

/* 1 / v, or `otherwise` if v is not above 0. */
PX_INLINE PxF8 inverse(PxF8 v, PxF8 otherwise)
{
    return choose(v > px_f8(0), px_f8(1) / v, otherwise);
}

PX_INLINE float sum_of(PxF8 v)
{
    float each[8], sum = 0;
    px_f8_store(each, v);
    for (int k = 0; k < 8; ++k)
        sum += each[k];
    return sum;
}

/* Sets the mean normal of a branch, and between which planes across it the triangles lie. */
PX_INLINE void set_slab(PxSheetBranch *t, Vec a, Vec ab, Vec ac)
{
    Vec n = cross(ab, ac);
    PxI8 real = a.x == a.x; /* not NaN */
    float sum[3] = {sum_of(choose(real, n.x, px_f8(0))), sum_of(choose(real, n.y, px_f8(0))),
                    sum_of(choose(real, n.z, px_f8(0)))};
    float size = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    float low[8], high[8];
    for (int k = 0; k < 3; ++k)
        t->mean[k] = size > 0 ? sum[k] / size : 0;
    Vec mean = all(t->mean);
    PxF8 at = dot(a, mean), b = dot(ab, mean), c = dot(ac, mean);
    px_f8_store(low, at + px_f8_min(px_f8(0), px_f8_min(b, c)));
    px_f8_store(high, at + px_f8_max(px_f8(0), px_f8_max(b, c)));
    t->low = low[0];
    t->high = high[0];
    for (int k = 1; k < 8; ++k) { /* lanes with NaN change nothing */
        t->low = low[k] < t->low ? low[k] : t->low;
        t->high = high[k] > t->high ? high[k] : t->high;
    }
}

void PX_ISA_NAME(px_sheet_branch_end)(PxSheetBranch *t)
{
    const Vec a = load(t->a), ab = sub(load(t->ab), a), ac = sub(load(t->ac), a);
    const PxF8 bb = dot(ab, ab), bc = dot(ab, ac), cc = dot(ac, ac), det = bb * cc - bc * bc;
    Vec n = cross(ab, ac);
    PxF8 size = inverse(px_f8_sqrt(dot(n, n)), px_f8(0));
    store(t->ab, ab);
    store(t->ac, ac);
    store(t->normal, (Vec){n.x * size, n.y * size, n.z * size});
    for (int k = 0; k < 3; ++k)
        store(t->beyond[k], sub(load(t->beyond[k]), a));
    px_f8_store(t->bb, bb);
    px_f8_store(t->bc, bc);
    px_f8_store(t->cc, cc);
    px_f8_store(t->turn, inverse(det, px_f8(NAN)));
    px_f8_store(t->over[0], inverse(bb, px_f8(0)));
    px_f8_store(t->over[1], inverse(bb - (bc + bc) + cc, px_f8(0)));
    px_f8_store(t->over[2], inverse(cc, px_f8(0)));
    set_slab(t, a, ab, ac);
}

void PX_ISA_NAME(px_sheet_meets)(const PxSheetBoxes *from, const float low[3], const float high[3],
                                 PxSheetBoxes *to)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < from->count; k += 8) {
        const PxSheetEight *e = &from->eight[k / 8];
        PxI8 meet = px_f8(0) == px_f8(0);
        for (int c = 0; c < 3; ++c)
            meet &= (px_f8_load(e->low[c]) <= px_f8(high[c])) &
                    (px_f8_load(e->high[c]) >= px_f8(low[c]));
        for (unsigned bits = px_f8_bits(meet); bits != 0; bits &= bits - 1) {
            uint32_t at = (uint32_t)__builtin_ctz(bits), lane = found % 8;
            PxSheetEight *own = &to->eight[found++ / 8];
            own->branch[lane] = e->branch[at];
            for (int c = 0; c < 4; ++c) {
                own->low[c][lane] = e->low[c][at];
                own->high[c][lane] = e->high[c][at];
            }
            for (int c = 0; c < 3; ++c)
                own->normal[c][lane] = e->normal[c][at];
        }
    }
    to->count = found;
    for (; found % 8 != 0; ++found)
        to->eight[found / 8].low[0][found % 8] = to->eight[found / 8].high[0][found % 8] = NAN;
}

uint32_t PX_ISA_NAME(px_sheet_reaches)(const PxSheetBoxes *boxes, const float at[3], float square,
                                       uint32_t out[PX_SHEET_NEAR])
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < boxes->count; k += 8) {
        const PxSheetEight *e = &boxes->eight[k / 8];
        PxF8 sum = px_f8(0), up = px_f8(0);
        for (int c = 0; c < 3; ++c) {
            PxF8 p = px_f8(at[c]);
            PxF8 under = px_f8_load(e->low[c]) - p, over = p - px_f8_load(e->high[c]);
            PxF8 gap = px_f8_max(px_f8(0), px_f8_max(under, over)); /* NaN stays */
            sum += gap * gap;
            up += p * px_f8_load(e->normal[c]);
        }
        PxF8 gap = px_f8_max(px_f8_load(e->low[3]) - up, up - px_f8_load(e->high[3]));
        PxI8 within = (sum < px_f8(square)) & ((gap < px_f8(0)) | (gap * gap < px_f8(square)));
        for (unsigned bits = px_f8_bits(within); bits != 0; bits &= bits - 1)
            out[found++] = e->branch[__builtin_ctz(bits)];
    }
    return found;
}

void PX_ISA_NAME(px_sheet_measure)(const PxSheetBranch *t, float reach, PxSheetLanes *out)
{
    const Vec ab = load(t->ab), ac = load(t->ac), ap = sub(all(out->at), load(t->a));
    PxF8 height = dot(ap, load(t->normal));
    out->near = 0;
    if (px_f8_bits(height * height < px_f8(1.0001f * reach)) == 0)
        return;
    const PxF8 bb = px_f8_load(t->bb), bc = px_f8_load(t->bc), cc = px_f8_load(t->cc);
    const PxF8 turn = px_f8_load(t->turn);
    Vec side = sub(ac, ab);
    PxF8 d = dot(ap, ab), e = dot(ap, ac);
    PxF8 v = (cc * d - bc * e) * turn, w = (bb * e - bc * d) * turn;
    PxI8 inside = (v >= px_f8(0)) & (w >= px_f8(0)) & (v + w <= px_f8(1));
    Vec within = less(less(ap, ab, v), ac, w);
    const PxF8 part[3] = {clamp(d * px_f8_load(t->over[0])),
                          clamp((e - d + bb - bc) * px_f8_load(t->over[1])),
                          clamp(e * px_f8_load(t->over[2]))};
    Vec on[3];
    on[0] = less(ap, ab, part[0]);
    on[1] = less(sub(ap, ab), side, part[1]);
    on[2] = less(ap, ac, part[2]);
    PxF8 square[3] = {dot(on[0], on[0]), dot(on[1], on[1]), dot(on[2], on[2])};
    PxF8 best = px_f8_min(square[0], px_f8_min(square[1], square[2]));
    PxF8 size = choose(inside, dot(within, within), best);
    out->near = px_f8_bits(size < px_f8(reach));
    if (out->near == 0)
        return;
    const PxF8 one = px_f8(1), none = px_f8(0);
    PxI8 first = square[0] <= best, second = ~first & (square[1] <= best);
    Vec r = choose_vec(first, on[0], choose_vec(second, on[1], on[2]));
    Vec weight = {choose(first, one - part[0], choose(second, none, one - part[2])),
                  choose(first, part[0], choose(second, one - part[1], none)),
                  choose(first, none, choose(second, part[1], part[2]))};
    PxI8 nearer = {0};
    for (int k = 0; k < 3; ++k) { /* the nearest point is ap - on[k], seen from a */
        Vec to = sub(load(t->beyond[k]), sub(ap, on[k]));
        nearer |= (square[k] <= best * px_f8(1.00001f)) & (dot(on[k], to) > px_f8(0));
    }
    px_f8_store(out->square, size);
    store(out->apart, choose_vec(inside, within, r));
    store(out->weight, choose_vec(inside, (Vec){one - v - w, v, w}, weight));
    out->least = px_f8_bits(inside | ~nearer);
}

unsigned PX_ISA_NAME(px_sheet_compare)(const PxSheetBranch *t, const PxSheetLanes *lanes,
                                       unsigned mask, const float normal[3], float alike,
                                       float *top)
{
    const Vec n = all(normal);
    PxF8 along = dot(load(lanes->apart), n);
    PxI8 differs = along < px_f8(alike) * px_f8_sqrt(px_f8_load(lanes->square));
    PxF8 b = dot(load(t->ab), n), c = dot(load(t->ac), n);
    PxF8 high = dot(sub(load(t->a), all(lanes->at)), n) + px_f8_max(px_f8(0), px_f8_max(b, c));
    float each[8];
    px_f8_store(each, high);
    for (unsigned bits = mask; bits != 0; bits &= bits - 1) {
        float one = each[__builtin_ctz(bits)];
        *top = one > *top ? one : *top;
    }
    return px_f8_bits(differs) & lanes->least & mask;
}

PX_INLINE PxF8 size_of(PxF8 v)
{
    return px_f8_max(v, -v);
}

/* Upper bound of the size of a product, for its rounding. */
PX_INLINE PxF8 dot_size(Vec a, Vec b)
{
    return size_of(a.x) * size_of(b.x) + size_of(a.y) * size_of(b.y) + size_of(a.z) * size_of(b.z);
}

unsigned PX_ISA_NAME(px_sheet_may_cross)(const PxSheetBranch *t, const float from[3],
                                         const float to[3])
{
    const Vec ab = load(t->ab), ac = load(t->ac), a = load(t->a);
    const Vec p = sub(all(from), a), q = sub(all(to), a), n = cross(ab, ac);
    const PxF8 bb = px_f8_load(t->bb), bc = px_f8_load(t->bc), cc = px_f8_load(t->cc);
    const PxF8 turn = px_f8_load(t->turn);
    PxF8 rounded = px_f8(4e-6f) * (dot_size(n, p) + dot_size(n, q));
    PxF8 s = dot(n, p), u = dot(n, q);
    PxI8 misses = ((s > rounded) & (u > rounded)) | ((s < -rounded) & (u < -rounded));
    if (px_f8_bits(misses) == 0xff)
        return 0;
    PxF8 along = s - u;
    Vec at = less(p, sub(p, q), s / along);
    PxF8 d = dot(at, ab), e = dot(at, ac);
    PxF8 v = (cc * d - bc * e) * turn, w = (bb * e - bc * d) * turn;
    /* along the plane, or a sliver: rounding decides where it is met */
    PxI8 unsure = (size_of(along) < px_f8(1e3f) * rounded) | (turn * bb * cc > px_f8(1e2f));
    PxF8 slack = px_f8(-1e-3f);
    PxI8 beside = (v < slack) | (w < slack) | (v + w > px_f8(1) - slack);
    PxI8 real = bb == bb; /* not NaN */
    return px_f8_bits(real & ~misses & (unsure | ~beside));
}

unsigned PX_ISA_NAME(px_sheet_may_meet)(const PxSheetLanes *lanes, const float way[3],
                                        const float low[3], const float high[3], float keep)
{
    const Vec r = load(lanes->apart);
    PxF8 d = px_f8_sqrt(px_f8_load(lanes->square)), over = px_f8(1) / d;
    Vec n = {r.x * over, r.y * over, r.z * over};
    Vec up = sub(all(way), all(low)), down = sub(all(way), all(high));
    /* least component of the particle's way relative to the corners' */
    PxF8 along = px_f8_min(n.x * up.x, n.x * down.x) + px_f8_min(n.y * up.y, n.y * down.y) +
                 px_f8_min(n.z * up.z, n.z * down.z);
    PxF8 stop = px_f8(0.505f) * px_f8_min(px_f8(keep), d);
    PxI8 off = px_f8(0.9999f) * d + along > stop; /* false for NaN */
    return lanes->near & ~px_f8_bits(off);
}

/* The parts [low, high] of the way d from one end in which a sheet within reach of that end may
 * cross it: its triangles there are below `top` in the direction of the normal n, and none is
 * nearer than the part `near`. `top` is -INFINITY where no sheet is in reach. */
PX_INLINE void bound_part(Vec d, Vec n, PxF8 top, PxF8 near, PxF8 *low, PxF8 *high)
{
    PxF8 along = dot(d, n), part = top / along;
    PxI8 over = top >= px_f8(0), up = along > px_f8(0);
    *low = px_f8_max(near, choose(over, px_f8(0), choose(up, px_f8(INFINITY), part)));
    *high = choose(over & up, part, px_f8(INFINITY));
}

unsigned PX_ISA_NAME(px_sheet_may_part)(const PxSheetRows *rows, uint32_t i, const uint32_t row[8])
{
    const float *own = rows->quad + 4 * (size_t)i, *c = rows->clear + 4 * (size_t)i;
    const PxF8 near = px_f8(own[3]), one = px_f8(1.001f);
    Vec to, m;
    PxF8 far, top;
    px_f8_load_quads(rows->quad, row, &to.x, &to.y, &to.z, &far);
    Vec d = sub(to, all(own));
    PxF8 square = dot(d, d), sum = px_f8(0.999f) * (near + far);
    PxI8 apart = (sum * sum <= square) & (square > px_f8(0));
    if (px_f8_bits(apart) == 0)
        return 0;
    /* Parts of the way: up to `reach` a crossing is within reach of this end, from 1 - `reach` on
     * within that of the other. It is no nearer to an end than the nearest sheet. */
    PxF8 length = px_f8_sqrt(square), reach = px_f8(1.001f * rows->reach) / length;
    PxF8 here, there, until, back;
    bound_part(d, all(c), px_f8(c[3]), px_f8(0.999f) * near / length, &here, &until);
    PxI8 may = apart & (here <= until * one) & (here <= reach) &
               (here <= one - px_f8(0.999f) * far / length);
    if (px_f8_bits(may) == 0)
        return 0;
    px_f8_load_quads(rows->clear, row, &m.x, &m.y, &m.z, &top);
    bound_part((Vec){-d.x, -d.y, -d.z}, m, top, px_f8(0.999f) * far / length, &there, &back);
    PxI8 both = (there <= back * one) & (here + there <= one) & (there <= reach);
    return px_f8_bits(may & (both | (here <= one - reach)));
}
