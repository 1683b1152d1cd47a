#include "render/trace/optics.h"

float px_fresnel(float cosine, float eta, float *beyond)
{
    float square = 1 - eta * eta * (1 - cosine * cosine);
    if (square <= 0) {
        if (beyond != NULL)
            *beyond = 0;
        return 1;
    }
    float other = sqrtf(square);
    if (beyond != NULL)
        *beyond = other;
    float s = (eta * cosine - other) / (eta * cosine + other);
    float p = (eta * other - cosine) / (eta * other + cosine);
    return 0.5f * (s * s + p * p);
}

float px_ggx_distribution(PxV3 half, float alpha)
{
    float a2 = alpha * alpha, c2 = half.z * half.z, d = c2 * (a2 - 1) + 1;
    return half.z > 0 ? a2 / (PX_PI_F * d * d) : 0;
}

/* Smith's Lambda: masked over visible microfacets. */
static float lambda(PxV3 w, float alpha)
{
    float c2 = w.z * w.z, s2 = 1 - c2;
    if (s2 <= 0)
        return 0;
    return 0.5f * (sqrtf(1 + alpha * alpha * s2 / c2) - 1);
}

float px_ggx_shadowing(PxV3 w, float alpha)
{
    return 1 / (1 + lambda(w, alpha));
}

float px_ggx_shadowing2(PxV3 a, PxV3 b, float alpha)
{
    return 1 / (1 + lambda(a, alpha) + lambda(b, alpha));
}

/* Stretched by 1 / alpha the microfacets form a hemisphere; its part visible from w projects to
 * a disc that is partly cut off. */
PxV3 px_ggx_sample(PxV3 w, float alpha, float u, float v)
{
    PxV3 n = px_v3_unit(px_v3(alpha * w.x, alpha * w.y, w.z));
    float across = n.x * n.x + n.y * n.y;
    PxV3 s = across > 0 ? px_v3_scale(px_v3(-n.y, n.x, 0), 1 / sqrtf(across)) : px_v3(1, 0, 0);
    PxV3 t = px_v3_cross(n, s);
    float r = sqrtf(u), angle = 2 * PX_PI_F * v, x = r * cosf(angle), y = r * sinf(angle);
    float part = 0.5f * (1 + n.z);
    y = (1 - part) * sqrtf(fmaxf(0, 1 - x * x)) + part * y;
    float z = sqrtf(fmaxf(0, 1 - x * x - y * y));
    PxV3 h = px_v3_mad(px_v3_mad(px_v3_scale(s, x), t, y), n, z);
    return px_v3_unit(px_v3(alpha * h.x, alpha * h.y, fmaxf(1e-6f, h.z)));
}

float px_ggx_density(PxV3 w, PxV3 half, float alpha)
{
    float towards = px_v3_dot(w, half);
    if (!(w.z > 0) || !(towards > 0))
        return 0;
    return px_ggx_shadowing(w, alpha) * towards * px_ggx_distribution(half, alpha) / w.z;
}

/* Planck's law without the constant before it. */
static float planck(float metres, float kelvin)
{
    float l5 = metres * 1e6f;
    l5 = l5 * l5 * l5 * l5 * l5;
    return 1 / (l5 * (expf(1.438777e-2f / (metres * kelvin)) - 1));
}

PxV3 px_blackbody(float celsius)
{
    if (!(celsius > PX_GLOW_FROM))
        return px_v3_all(0);
    const float least = 1200 + 273.15f;
    static const float wave[3] = {611e-9f, 549e-9f, 465e-9f};
    float kelvin = fminf(celsius, 20000) + 273.15f;
    PxV3 unit = px_v3(planck(wave[0], least), planck(wave[1], least), planck(wave[2], least));
    PxV3 glow = px_v3(planck(wave[0], kelvin), planck(wave[1], kelvin), planck(wave[2], kelvin));
    return px_v3_scale(glow, px_smoothf(PX_GLOW_FROM, PX_GLOW_FROM + 100, celsius) /
                                 px_v3_luminance(unit));
}

PxV3 px_cosine_sample(float u, float v)
{
    float r = sqrtf(u), angle = 2 * PX_PI_F * v;
    return px_v3(r * cosf(angle), r * sinf(angle), sqrtf(fmaxf(0, 1 - u)));
}

PxV3 px_cone_sample(float cosine, float u, float v)
{
    float z = 1 - u * (1 - cosine), r = sqrtf(fmaxf(0, 1 - z * z)), angle = 2 * PX_PI_F * v;
    return px_v3(r * cosf(angle), r * sinf(angle), z);
}
