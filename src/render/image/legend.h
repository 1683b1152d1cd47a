/// The bar that tells which colour stands for which number, drawn into a picture.
#ifndef PX_RENDER_IMAGE_LEGEND_H
#define PX_RENDER_IMAGE_LEGEND_H

#include "render/trace/draw.h"
#include "render/subject.h"

/// At the right edge: the bar, numbers beside it, the column's name and unit over it.
void px_legend_draw(PxPicture *picture, const PxColouring *colouring);

#endif
