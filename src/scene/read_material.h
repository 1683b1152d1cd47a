/// Materials out of the JSON tree: what they are like cold, what they melt into, their looks.
#ifndef PX_SCENE_READ_MATERIAL_H
#define PX_SCENE_READ_MATERIAL_H

#include "scene/content.h"

/// Errors: PX_ERR_MEMORY.
PxStatus px_read_materials(PxScene *scene, const PxPath *root);

/// The "look" of a material or body. False when there is none, or after a complaint.
bool px_read_look(PxScene *scene, const PxPath *above, const json_t *json, PxSceneLook *out);

#endif
