/// Reads shapes and names of files from the JSON tree.
#ifndef PX_SCENE_READ_SHAPES_H
#define PX_SCENE_READ_SHAPES_H

#include "scene/content.h"
#include "scene/layout/shape_forms.h"

/// Reads a shape. Returns false after a complaint that it is not usable.
bool px_read_shape(PxScene *scene, const PxPath *path, json_t *value, PxShapeDef *out,
                   PxSceneTurn *turn);

/// Full path of a file, in the scene's memory; `wanted` describes the file in messages. NULL if the
/// name is refused or memory is out.
const char *px_read_file_name(PxScene *scene, const PxPath *path, const json_t *value,
                              const char *wanted);

#endif
