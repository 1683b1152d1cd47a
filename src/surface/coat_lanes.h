/// The colour field of a coat at one place, 8 particles at a time: for the vector loops.
#ifndef PX_SURFACE_COAT_LANES_H
#define PX_SURFACE_COAT_LANES_H

#include "surface/coat_inner.h"

/// Value and gradient (outwards the value falls), and what attracts to the particles (Eq. 6.29)
/// over the sum of the weights.
typedef struct PxCoatValue {
    float value, gradient[3], attract[3];
} PxCoatValue;

PX_INLINE PxCoatValue px_coat_value(const PxCoatField *f, const PxPairs *pairs, uint32_t list,
                                    const float at[3], bool attract)
{
    const float per = 1.0f / (PX_COAT_H * PX_COAT_H);
    PxPlace8 to = {px_f8(at[0]), px_f8(at[1]), px_f8(at[2])};
    PxF8 zero = px_f8(0.0f), value = zero, gx = zero, gy = zero, gz = zero;
    PxF8 ax = zero, ay = zero, az = zero, weights = zero;
    PX_FOR_NEIGHBOURS(pairs, list, j)
    {
        PxF8 x, y, z, a;
        px_f8_load_ways(f->quad, j, &to, &x, &y, &z, &a);
        PxF8 q = (x * x + y * y + z * z) * px_f8(per);
        PxF8 t = px_f8_max(px_f8(1.0f) - q, zero), tt = t * t;
        value += a * tt * t;
        PxF8 s = a * tt;
        gx += s * x;
        gy += s * y;
        gz += s * z;
        if (attract) {
            /* -w r + 3 q t^2 r with r from the particle to here */
            PxF8 c = px_f8(3.0f) * q * tt - tt * t;
            ax += c * x;
            ay += c * y;
            az += c * z;
            weights += tt * t;
        }
    }
    PxCoatValue v = {.value = px_f8_sum(value)};
    const float slope = -6.0f * per;
    v.gradient[0] = slope * px_f8_sum(gx);
    v.gradient[1] = slope * px_f8_sum(gy);
    v.gradient[2] = slope * px_f8_sum(gz);
    if (attract) {
        float sum = px_f8_sum(weights), share = sum > 1e-6f ? 1.0f / sum : 0.0f;
        v.attract[0] = share * px_f8_sum(ax);
        v.attract[1] = share * px_f8_sum(ay);
        v.attract[2] = share * px_f8_sum(az);
    }
    return v;
}

/* fminf() and fmaxf() are calls, unless NaN does not matter. */
PX_INLINE float px_less(float a, float b)
{
    return a < b ? a : b;
}

PX_INLINE float px_more(float a, float b)
{
    return a > b ? a : b;
}

PX_INLINE float px_length3(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

#endif
