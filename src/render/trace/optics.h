/// Reflection and refraction: Fresnel, GGX microfacets, black-body emission, sampling of
/// directions.
#ifndef PX_RENDER_TRACE_OPTICS_H
#define PX_RENDER_TRACE_OPTICS_H

#include "render/v3.h"

#include <stdbool.h>
#include <stddef.h>

/// Fresnel reflectance of a dielectric interface for unpolarised light. `cosine` is that of the
/// angle of incidence, 0 .. 1. `eta` is the refractive index on the incident side over that on the
/// other. The reflectance is 1 for total internal reflection. *beyond (may be NULL) is the cosine
/// of the refracted direction.
float px_fresnel(float cosine, float eta, float *beyond);

/// Fresnel reflectance of metals by Schlick's approximation (1994); f0 is the reflectance at normal
/// incidence.
static inline PxV3 px_fresnel_metal(float cosine, PxV3 f0)
{
    float a = 1 - cosine, a2 = a * a, weight = a2 * a2 * a;
    return px_v3_mix(f0, px_v3_all(1), weight);
}

/// Mirror reflection about n; d points towards the surface.
static inline PxV3 px_reflect(PxV3 d, PxV3 n)
{
    return px_v3_mad(d, n, -2 * px_v3_dot(d, n));
}

/// Refraction of the unit direction d, which comes from n's side; eta and beyond as for
/// px_fresnel(), which must have returned less than 1.
static inline PxV3 px_refract(PxV3 d, PxV3 n, float eta, float beyond)
{
    return px_v3_unit(px_v3_mad(px_v3_scale(d, eta), n, -eta * px_v3_dot(d, n) - beyond));
}

/// Microfacet distribution of Trowbridge and Reitz (1975), called GGX by Walter et al. (2007), with
/// Smith masking. Directions are in the local frame of the surface, z up, pointing away from it;
/// alpha > 0.
float px_ggx_distribution(PxV3 half, float alpha);
/// Masking: visible fraction of the microfacets from w.
float px_ggx_shadowing(PxV3 w, float alpha);
/// Masking and shadowing for both directions, height-correlated [Heitz 2014].
float px_ggx_shadowing2(PxV3 a, PxV3 b, float alpha);
/// Samples a microfacet normal from those visible from w [Heitz 2018].
PxV3 px_ggx_sample(PxV3 w, float alpha, float u, float v);
/// Probability density of px_ggx_sample(), per solid angle of the normal.
float px_ggx_density(PxV3 w, PxV3 half, float alpha);

/// Degrees Celsius from which incandescence is visible.
#define PX_GLOW_FROM 500.0f

/// Black-body radiance [Planck 1901] at 611, 549 and 465 nm, the dominant wavelengths of the sRGB
/// primaries; scaled such that its luminance is 1 at 1200 degrees Celsius. 0 below PX_GLOW_FROM.
PxV3 px_blackbody(float celsius);

/// Samples a direction about +z with density cos / pi.
PxV3 px_cosine_sample(float u, float v);

/// Samples a direction uniformly within the cone about +z whose half angle has this cosine.
PxV3 px_cone_sample(float cosine, float u, float v);

#endif
