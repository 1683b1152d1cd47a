/// Events out of the JSON tree.
#ifndef PX_SCENE_READ_EVENTS_H
#define PX_SCENE_READ_EVENTS_H

#include "scene/content.h"

/// Everything else of the scene has been read: an event is tried out on it.
/// Errors: PX_ERR_MEMORY.
PxStatus px_read_events(PxScene *scene, const PxPath *root);

#endif
