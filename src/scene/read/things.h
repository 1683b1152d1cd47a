/// Reads the things of a scene from the JSON tree, of any kind, as the tables of world/kinds
/// describe.
#ifndef PX_SCENE_READ_THINGS_H
#define PX_SCENE_READ_THINGS_H

#include "scene/content.h"

/// Reads all things of a kind; kinds before it in px_kinds must have been read. Errors:
/// PX_ERR_MEMORY.
PxStatus px_read_things(PxScene *scene, const PxPath *root, const PxKind *kind);

/// Complains about names that two things share. Errors: PX_ERR_MEMORY.
PxStatus px_check_names(PxScene *scene, const PxPath *root);

#endif
