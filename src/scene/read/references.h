/// Resolves names of other things: a body's material, the body that a handle holds.
#ifndef PX_SCENE_READ_REFERENCES_H
#define PX_SCENE_READ_REFERENCES_H

#include "scene/content.h"

/// Finds the index of the thing that the field names, or SIZE_MAX if it names none. Returns false
/// after a complaint that the thing has nothing to act on.
bool px_read_reference(PxScene *scene, const PxPath *above, const json_t *json,
                       const PxField *field, const PxKind *kind, size_t *out);

/// Finds the vessels that bodies fill, once all bodies are read.
void px_find_vessels(PxScene *scene, const PxPath *root);

#endif
