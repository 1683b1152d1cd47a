/// The legend of a column shown as colour: a bar with the map's colours, name, unit and range.
#ifndef VIEWER_LEGEND_H
#define VIEWER_LEGEND_H

#include "draw.h"

#include <cairo.h>

/// Draws it with cairo at the lower left of an area of that height; nothing if no column is shown.
void legend_draw(cairo_t *cairo, int height, const Shot *shot, const DrawDef *def);

/// The same onto a picture of 4 bytes a pixel, red first.
void legend_on_picture(uint8_t *pixels, int width, int height, const Shot *shot,
                       const DrawDef *def);

#endif
