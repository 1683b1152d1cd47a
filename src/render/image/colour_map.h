/// Colours for numbers: equal steps of the number look like equal steps of the colour.
#ifndef PX_RENDER_IMAGE_COLOUR_MAP_H
#define PX_RENDER_IMAGE_COLOUR_MAP_H

#include "render/v3.h"

/// Linear light for t in 0 .. 1 (cut off there): from a dark violet-blue over teal and
/// green to a light yellow. Lightness grows evenly all the way, so that it reads in
/// black and white too, and colour-blind people see the same order.
PxV3 px_colour_map(float t);

/// A colour in Ottosson's (2020) space Oklab, in which distances are those that eyes see.
/// x is the lightness, y green to red, z blue to yellow.
PxV3 px_oklab_from_linear(PxV3 linear);
PxV3 px_oklab_to_linear(PxV3 lab);

#endif
