/// Shapes, and the names of files, out of the JSON tree.
#ifndef PX_SCENE_READ_SHAPES_H
#define PX_SCENE_READ_SHAPES_H

#include "scene/content.h"
#include "scene/layout/shape_forms.h"

/// False, after a complaint, when the shape could not be read.
bool px_read_shape(PxScene *scene, const PxPath *path, json_t *value, PxShapeDef *out,
                   PxSceneTurn *turn);

/// The whole path of a file, in the scene's memory; `wanted` says what it should be the name of.
/// NULL when it is refused or memory is out.
const char *px_read_file_name(PxScene *scene, const PxPath *path, const json_t *value,
                              const char *wanted);

#endif
