/// Text drawn with an anti-aliased stroke font at any size.
#ifndef PX_RENDER_IMAGE_LETTERING_H
#define PX_RENDER_IMAGE_LETTERING_H

#include "render/trace/draw.h"

/// Draws text with its lower left corner at (x, y), pixels from the top left. `height` is that of a
/// capital letter, pixels. Characters without strokes leave a gap.
void px_letters_draw(PxPicture *picture, float x, float y, float height, PxV3 colour,
                     const char *text);

/// Width of the text, pixels.
float px_letters_width(float height, const char *text);

/// Draws a line with round caps, `width` pixels wide; the colour is sRGB.
void px_stroke_draw(PxPicture *picture, float x0, float y0, float x1, float y1, float width,
                    PxV3 colour);

#endif
