/// Letters made of strokes, drawn smoothly at any size.
#ifndef PX_RENDER_IMAGE_LETTERING_H
#define PX_RENDER_IMAGE_LETTERING_H

#include "render/trace/draw.h"

/// Writes the text with its left lower corner at (x, y) in pixels from the top left;
/// `height` of a capital letter in pixels. A character without strokes leaves a gap.
void px_letters_draw(PxPicture *picture, float x, float y, float height, PxV3 colour,
                     const char *text);

/// How wide it will be, pixels.
float px_letters_width(float height, const char *text);

/// A straight stroke with round ends, `width` pixels wide; the colour as a screen is told it.
void px_stroke_draw(PxPicture *picture, float x0, float y0, float x1, float y1, float width,
                    PxV3 colour);

#endif
