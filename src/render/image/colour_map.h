/// A perceptually uniform colour map, and the colour space Oklab.
#ifndef PX_RENDER_IMAGE_COLOUR_MAP_H
#define PX_RENDER_IMAGE_COLOUR_MAP_H

#include "render/v3.h"

/// Linear RGB for t in 0 .. 1 (clamped): from dark violet-blue over teal and green to light yellow.
/// Lightness increases linearly, so the map also reads in black and white and for colour-blind
/// people.
PxV3 px_colour_map(float t);

/// Conversion to and from Oklab (Ottosson 2020), in which distances match perceived differences. x
/// is the lightness, y green to red, z blue to yellow.
PxV3 px_oklab_from_linear(PxV3 linear);
PxV3 px_oklab_to_linear(PxV3 lab);

#endif
