/// Albedo of the ground at a place.
#ifndef PX_RENDER_TRACE_GROUND_H
#define PX_RENDER_TRACE_GROUND_H

#include "render/scenery.h"

PxV3 px_ground_colour(const PxGround *ground, PxV3 at);

#endif
