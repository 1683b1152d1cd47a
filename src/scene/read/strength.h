/// Reads the strength of a model in the molten state: a number, or the model with its parameters.
/// The model must be that of the cold state; a cold state without one gets it with strength 0.
#ifndef PX_SCENE_READ_STRENGTH_H
#define PX_SCENE_READ_STRENGTH_H

#include "scene/content.h"

bool px_read_strength(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                      void *object);

#endif
