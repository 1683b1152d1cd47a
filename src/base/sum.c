#include "base/sum.h"

#include <math.h>
#include <string.h>

#define OFFSET 1088 /* limb 0 weighs 2^-OFFSET */
#define CARRY_AFTER (1u << 30)

/* Brings every limb but the last into [0, 2^32); the last keeps the sign. */
static void carry(PxSum *sum)
{
    int64_t over = 0;
    for (int k = 0; k < PX_SUM_LIMBS - 1; ++k) {
        int64_t limb = sum->limb[k] + over;
        over = limb >> 32; /* floor */
        sum->limb[k] = limb & 0xffffffff;
    }
    sum->limb[PX_SUM_LIMBS - 1] += over;
    sum->pending = 0;
}

void px_sum_add(PxSum *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffffu;
    int exponent = (int)(bits >> 52) & 0x7ff;
    if (exponent == 0x7ff) {
        if (fraction != 0)
            sum->nan = true;
        else if (bits >> 63)
            sum->minus_infinity = true;
        else
            sum->plus_infinity = true;
        return;
    }
    if (exponent == 0)
        exponent = 1; /* subnormal: no hidden bit */
    else
        fraction |= (uint64_t)1 << 52;

    /* value = fraction * 2^(exponent - 1075): three digits of 32 bits. */
    int place = exponent - 1075 + OFFSET;
    int k = place >> 5, shift = place & 31;
    uint64_t low = fraction << shift;
    uint64_t high = shift > 0 ? fraction >> (64 - shift) : 0;
    int64_t d0 = (int64_t)(low & 0xffffffff), d1 = (int64_t)(low >> 32), d2 = (int64_t)high;
    if (bits >> 63) {
        d0 = -d0;
        d1 = -d1;
        d2 = -d2;
    }
    sum->limb[k] += d0;
    sum->limb[k + 1] += d1;
    sum->limb[k + 2] += d2;
    if (++sum->pending >= CARRY_AFTER)
        carry(sum);
}

void px_sum_merge(PxSum *sum, const PxSum *other)
{
    if (sum->pending + (uint64_t)other->pending + 1 >= CARRY_AFTER)
        carry(sum);
    for (int k = 0; k < PX_SUM_LIMBS; ++k)
        sum->limb[k] += other->limb[k];
    sum->pending += other->pending + 1;
    sum->nan |= other->nan;
    sum->plus_infinity |= other->plus_infinity;
    sum->minus_infinity |= other->minus_infinity;
}

double px_sum_value(const PxSum *sum)
{
    if (sum->nan || (sum->plus_infinity && sum->minus_infinity))
        return NAN;
    if (sum->plus_infinity || sum->minus_infinity)
        return sum->plus_infinity ? INFINITY : -INFINITY;

    PxSum s = *sum;
    carry(&s);
    bool negative = s.limb[PX_SUM_LIMBS - 1] < 0;
    if (negative) {
        for (int k = 0; k < PX_SUM_LIMBS; ++k)
            s.limb[k] = -s.limb[k];
        carry(&s);
    }
    int top = PX_SUM_LIMBS - 1;
    while (top >= 0 && s.limb[top] == 0)
        --top;
    if (top < 0)
        return 0.0;

    /* The leading 64 bits, with everything below folded into the last one:
     * enough to round to 53 correctly. */
    uint64_t d[3] = {(uint64_t)s.limb[top], top > 0 ? (uint64_t)s.limb[top - 1] : 0,
                     top > 1 ? (uint64_t)s.limb[top - 2] : 0};
    int zeros = __builtin_clzll(d[0]) - 32; /* of the 32-bit digit */
    if (zeros < 0)
        return negative ? -INFINITY : INFINITY; /* beyond 2^1024 by far */
    uint64_t lead = (d[0] << 32 | d[1]) << zeros;
    if (zeros > 0)
        lead |= d[2] >> (32 - zeros);
    bool sticky = zeros > 0 ? (d[2] << (32 + zeros)) != 0 : d[2] != 0;
    for (int k = top - 3; k >= 0 && !sticky; --k)
        sticky = s.limb[k] != 0;

    uint64_t kept = lead >> 11, rest = lead & 0x7ff;
    if (rest > 0x400 || (rest == 0x400 && (sticky || (kept & 1))))
        ++kept;
    int weight = 32 * top - OFFSET - 32 - zeros + 11; /* of the last kept bit */
    double value = ldexp((double)kept, weight);
    return negative ? -value : value;
}

double px_sum_magic(double bound, uint64_t count)
{
    /* All sums are below 2^e; the quantum is 2^(e - 51). Around 1.5 * 2^52 quanta, doubles
     * of either side are one quantum apart. */
    int e;
    frexp(bound * (double)(count > 0 ? count : 1), &e);
    return bound > 0 ? ldexp(1.5, e + 1) : 0;
}
