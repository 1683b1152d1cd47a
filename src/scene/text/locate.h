/// Finds lines and columns of values in JSON text. The JSON parser does not keep positions, so the
/// text is scanned a second time, only if there are complaints.
#ifndef PX_SCENE_LOCATE_H
#define PX_SCENE_LOCATE_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A place in a JSON tree: a chain of keys and indices from the root, on the stack of the caller
/// that traverses the tree. `hash` identifies the whole chain; a key with a dot differs from two
/// keys.
typedef struct PxPath {
    const struct PxPath *above; ///< NULL for the root
    const char *key;            ///< NULL for an element of a list
    size_t index;
    uint64_t hash;
} PxPath;

PxPath px_path_root(void);
PxPath px_path_key(const PxPath *above, const char *key);
PxPath px_path_index(const PxPath *above, size_t index);

/// "bodies[2].shape.box"; the root is "". Control characters are escaped, and the
/// text is truncated to the buffer.
void px_path_text(const PxPath *path, char *buffer, size_t size);

/// A request by `path`, and its result: lines and columns from 1, counted in characters; 0 if the
/// text has no such place. Only members of objects have the position of a key.
typedef struct PxLocation {
    uint64_t path; ///< PxPath.hash
    int line, column;
    int key_line, key_column;
} PxLocation;

/// Finds all of `wanted` in one scan. They must be sorted by path, without duplicates. `text` must
/// be valid JSON. Errors: PX_ERR_MEMORY.
PxStatus px_locate(const char *text, size_t size, PxLocation *wanted, size_t count);

/// The entry of `wanted` for a path; NULL if it is not among them.
PxLocation *px_location_find(PxLocation *wanted, size_t count, uint64_t path);

#endif
