/// What happens to light at surfaces: mirrors, lenses, roughness, glowing.
#ifndef PX_RENDER_TRACE_OPTICS_H
#define PX_RENDER_TRACE_OPTICS_H

#include "render/v3.h"

#include <stdbool.h>
#include <stddef.h>

/// Part of the light that a smooth border reflects, both polarisations alike. `cosine`
/// of the angle on the side the light comes from, 0 .. 1; eta: refractive index there
/// over that beyond. 1 when all of it is reflected. *beyond (may be NULL) is the cosine
/// beyond the border. [Fresnel; Snell]
float px_fresnel(float cosine, float eta, float *beyond);

/// The same for metals, by Schlick's approximation (1994); f0 is what is reflected
/// straight back.
static inline PxV3 px_fresnel_metal(float cosine, PxV3 f0)
{
    float a = 1 - cosine, a2 = a * a, weight = a2 * a2 * a;
    return px_v3_mix(f0, px_v3_all(1), weight);
}

/// Mirrored about n; d points to the surface.
static inline PxV3 px_reflect(PxV3 d, PxV3 n)
{
    return px_v3_mad(d, n, -2 * px_v3_dot(d, n));
}

/// The direction beyond a border, for a unit d that comes from n's side; eta and beyond
/// as for px_fresnel(), which must have answered less than 1.
static inline PxV3 px_refract(PxV3 d, PxV3 n, float eta, float beyond)
{
    return px_v3_unit(px_v3_mad(px_v3_scale(d, eta), n, -eta * px_v3_dot(d, n) - beyond));
}

/// A rough surface made of small mirrors, distributed after Trowbridge and Reitz (1975),
/// called GGX by Walter et al. (2007), with the shadowing of Smith. Directions are in
/// the frame of the surface, z up, pointing away from it; alpha > 0.
float px_ggx_distribution(PxV3 half, float alpha);
/// Part of the mirrors seen from w that is not hidden by others.
float px_ggx_shadowing(PxV3 w, float alpha);
/// The same seen from both, heights correlated [Heitz 2014].
float px_ggx_shadowing2(PxV3 a, PxV3 b, float alpha);
/// A mirror as seen from w, chosen by how large it looks [Heitz 2018].
PxV3 px_ggx_sample(PxV3 w, float alpha, float u, float v);
/// Density of px_ggx_sample() by solid angle of the mirror's normal.
float px_ggx_density(PxV3 w, PxV3 half, float alpha);

/// Degrees Celsius from which things glow visibly.
#define PX_GLOW_FROM 500.0f

/// Light that a black body of that temperature gives off [Planck 1901] at 611, 549 and
/// 465 nm, where the primaries of sRGB have their dominant wavelengths; scaled such that
/// its luminance is 1 at 1200 degrees Celsius. Nothing below PX_GLOW_FROM.
PxV3 px_glow(float celsius);

/// A direction about +z with density cos / pi.
PxV3 px_cosine_sample(float u, float v);

/// A direction within the cone about +z whose half angle has this cosine, evenly.
PxV3 px_cone_sample(float cosine, float u, float v);

#endif
