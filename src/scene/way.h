/// Ways through places: a smooth curve that is followed at constant speed, as keyframes.
#ifndef PX_SCENE_WAY_H
#define PX_SCENE_WAY_H

#include "scene/layout/sections.h"

#include <stddef.h>

/// Most keyframes that px_scene_way() makes.
enum { PX_SCENE_WAY_MOST = 960 };

/// Makes keyframes of a way from `from`, with its time, through place[0 .. count), of which only
/// the last has a time, ease and turn. The curve is a centripetal Catmull-Rom spline (Yuksel et al.
/// 2011), which has no loops and cusps between places. It is passed at constant speed, or from rest
/// to rest if the last place is eased. With `face` of the last place the thing turns about `up` as
/// the way does. Writes them to out, the last one at the time of the last place; returns their
/// number.
size_t px_scene_way(const PxSceneKeyframe *from, const PxSceneKeyframe *place, size_t count,
                    PxVec3 up, PxSceneKeyframe out[PX_SCENE_WAY_MOST]);

#endif
