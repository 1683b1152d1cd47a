/// The things of a scene out of the JSON tree, of any kind: its table says how (world/kinds).
#ifndef PX_SCENE_READ_THINGS_H
#define PX_SCENE_READ_THINGS_H

#include "scene/content.h"

/// Reads all things of a kind; kinds before it in px_kinds must have been read. Errors:
/// PX_ERR_MEMORY.
PxStatus px_read_things(PxScene *scene, const PxPath *root, const PxKind *kind);

/// Complains about names that two things have. Errors: PX_ERR_MEMORY.
PxStatus px_check_names(PxScene *scene, const PxPath *root);

#endif
