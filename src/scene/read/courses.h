/// Reads keyframes, and temperatures over time, from the JSON tree.
#ifndef PX_SCENE_READ_COURSES_H
#define PX_SCENE_READ_COURSES_H

#include "scene/content.h"

/// Reads keyframes; *out begins with one at time 0. Errors: PX_ERR_MEMORY.
PxStatus px_read_keyframes(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                           PxSceneKeyframe **out, size_t *made);

/// Reads temperatures over time. Errors: PX_ERR_MEMORY.
PxStatus px_read_temperatures(PxScene *scene, const PxPath *path, const PxField *field,
                              json_t *value, const PxTemperatureKey **out, size_t *made);

#endif
