/// Distances of 8 particles to triangles of cloth: contact/sheet_near.h.
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

PX_INLINE Vec load(const float v[3][8])
{
    return (Vec){px_f8_load(v[0]), px_f8_load(v[1]), px_f8_load(v[2])};
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

/* The first corner of a triangle from the middle of the particles. */
PX_INLINE Vec first_corner(const PxSheetChunk *c, const PxSheetTriangle *t)
{
    const float a[3] = {(float)(t->at[0] - c->middle[0]), (float)(t->at[1] - c->middle[1]),
                        (float)(t->at[2] - c->middle[2])};
    return all(a);
}

void PX_ISA_NAME(px_sheet_measure)(const PxSheetChunk *chunk, uint32_t first, float least[8],
                                   uint32_t best_of[8], PxSheetLanes *out)
{
    const Vec p = load(chunk->at);
    PxF8 lowest = px_f8_load(least);
    PxI8 number;
    memcpy(&number, best_of, sizeof number);
    for (uint32_t f = 0; f < chunk->count; ++f) {
        const PxSheetTriangle *t = &chunk->triangle[chunk->face[f]];
        float bb = t->bb, bc = t->bc, cc = t->cc;
        Vec ab = all(t->ab), ac = all(t->ac), ap = sub(p, first_corner(chunk, t));
        Vec side = sub(ac, ab);
        PxF8 d = dot(ap, ab), e = dot(ap, ac);
        PxF8 v = (px_f8(cc) * d - px_f8(bc) * e) * px_f8(t->turn);
        PxF8 w = (px_f8(bb) * e - px_f8(bc) * d) * px_f8(t->turn);
        PxI8 inside = (v >= px_f8(0)) & (w >= px_f8(0)) & (v + w <= px_f8(1));
        Vec on[3];
        on[0] = less(ap, ab, clamp(d * px_f8(t->over[0])));
        on[1] = less(sub(ap, ab), side, clamp((e - d + px_f8(bb - bc)) * px_f8(t->over[1])));
        on[2] = less(ap, ac, clamp(e * px_f8(t->over[2])));
        PxF8 square[3] = {dot(on[0], on[0]), dot(on[1], on[1]), dot(on[2], on[2])};
        PxF8 best = px_f8_min(square[0], px_f8_min(square[1], square[2]));
        Vec r = choose_vec(square[0] <= best, on[0], choose_vec(square[1] <= best, on[1], on[2]));
        PxI8 nearer = {0};
        for (int k = 0; k < 3; ++k) { /* the nearest point is ap - on[k], seen from a */
            Vec to = sub(all(t->beyond[k]), sub(ap, on[k]));
            nearer |= (square[k] <= best * px_f8(1.00001f)) & (dot(on[k], to) > px_f8(0));
        }
        Vec within = less(less(ap, ab, v), ac, w);
        r = choose_vec(inside, within, r);
        PxF8 size = choose(inside, dot(within, within), best);
        PxI8 lower = size < lowest;
        lowest = choose(lower, size, lowest);
        number = (number & ~lower) | ((number * 0 + (int32_t)(first + f)) & lower);
        px_f8_store(out->square[f], size);
        px_f8_store(out->apart[f][0], r.x);
        px_f8_store(out->apart[f][1], r.y);
        px_f8_store(out->apart[f][2], r.z);
        out->least[f] = (uint8_t)px_f8_bits(inside | ~nearer);
    }
    px_f8_store(least, lowest);
    memcpy(best_of, &number, sizeof number);
}

void PX_ISA_NAME(px_sheet_compare)(const PxSheetChunk *chunk, const PxSheetLanes *lanes,
                                   const float normal[3][8], float reach, float alike,
                                   uint8_t *other, float top[8])
{
    const Vec p = load(chunk->at), n = load(normal);
    PxF8 most = px_f8_load(top);
    for (uint32_t f = 0; f < chunk->count; ++f) {
        const PxSheetTriangle *t = &chunk->triangle[chunk->face[f]];
        PxF8 square = px_f8_load(lanes->square[f]);
        PxI8 near = square < px_f8(reach * reach);
        PxF8 along = dot(load(lanes->apart[f]), n);
        PxI8 differs = near & (along < px_f8(alike) * px_f8_sqrt(square));
        other[f] = (uint8_t)(px_f8_bits(differs) & lanes->least[f]);
        PxF8 b = dot(all(t->ab), n), c = dot(all(t->ac), n);
        PxF8 high = dot(sub(first_corner(chunk, t), p), n) + px_f8_max(px_f8(0), px_f8_max(b, c));
        most = choose(near, px_f8_max(most, high), most);
    }
    px_f8_store(top, most);
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
    const Vec from = all(own), n = all(c);
    const PxF8 near = px_f8(own[3]);
    Vec to, m;
    PxF8 far, top;
    px_f8_load_quads(rows->quad, row, &to.x, &to.y, &to.z, &far);
    Vec d = sub(to, from);
    PxF8 square = dot(d, d), sum = px_f8(0.999f) * (near + far);
    PxI8 apart = (sum * sum <= square) & (square > px_f8(0));
    if (px_f8_bits(apart) == 0)
        return 0;
    px_f8_load_quads(rows->clear, row, &m.x, &m.y, &m.z, &top);
    PxF8 length = px_f8_sqrt(square);
    /* Parts of the way: up to `reach` a crossing is within reach of this end, from 1 - `reach` on
     * within that of the other. It is no nearer to an end than the nearest sheet. */
    PxF8 reach = px_f8(1.001f * rows->reach) / length, one = px_f8(1.001f);
    PxF8 here, there, until, back;
    bound_part(d, n, px_f8(c[3]), px_f8(0.999f) * near / length, &here, &until);
    bound_part((Vec){-d.x, -d.y, -d.z}, m, top, px_f8(0.999f) * far / length, &there, &back);
    PxI8 may = apart & (here <= until * one), other = apart & (there <= back * one);
    PxI8 both = other & (here + there <= one) & (here <= reach) & (there <= reach);
    may &= both | (here <= one - reach);
    other &= there <= one - reach; /* what is within reach of both is found at this end */
    return px_f8_bits(may) | px_f8_bits(other) << 8;
}
