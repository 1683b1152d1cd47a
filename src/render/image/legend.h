/// The legend of a coloured picture: colour bar with numbers.
#ifndef PX_RENDER_IMAGE_LEGEND_H
#define PX_RENDER_IMAGE_LEGEND_H

#include "render/trace/draw.h"
#include "render/subject.h"

/// Draws the bar at the right edge, with numbers beside it and the column's name and unit above.
void px_legend_draw(PxPicture *picture, const PxColouring *colouring);

#endif
