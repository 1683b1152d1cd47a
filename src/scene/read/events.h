/// Reads events from the JSON tree.
#ifndef PX_SCENE_READ_EVENTS_H
#define PX_SCENE_READ_EVENTS_H

#include "scene/content.h"

/// Reads the events. All else must have been read, because events are checked against it. Errors:
/// PX_ERR_MEMORY.
PxStatus px_read_events(PxScene *scene, const PxPath *root);

#endif
