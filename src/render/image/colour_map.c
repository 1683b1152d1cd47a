#include "render/image/colour_map.h"

PxV3 px_oklab_from_linear(PxV3 c)
{
    float l = cbrtf(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
    float m = cbrtf(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
    float s = cbrtf(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
    return px_v3(0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
                 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s);
}

PxV3 px_oklab_to_linear(PxV3 c)
{
    float l = c.x + 0.3963377774f * c.y + 0.2158037573f * c.z;
    float m = c.x - 0.1055613458f * c.y - 0.0638541728f * c.z;
    float s = c.x - 0.0894841775f * c.y - 1.2914855480f * c.z;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    return px_v3(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                 -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                 -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s);
}

/* Lightness increases linearly from 0.34 to 0.92 while the hue goes from 295 to 110 degrees,
 * through blue, teal and green. */
PxV3 px_colour_map(float t)
{
    t = px_clampf(t, 0, 1);
    float hue = (295 - 185 * t) * (PX_PI_F / 180), chroma = 0.1f;
    PxV3 c = px_oklab_to_linear(px_v3(0.34f + 0.58f * t, chroma * cosf(hue), chroma * sinf(hue)));
    return px_v3(px_clampf(c.x, 0, 1), px_clampf(c.y, 0, 1), px_clampf(c.z, 0, 1));
}
