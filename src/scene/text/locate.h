/// Where in the text a value stands. The JSON parser forgets positions, so the
/// text is walked a second time, and only when there is something to say.
#ifndef PX_SCENE_LOCATE_H
#define PX_SCENE_LOCATE_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A place in a JSON tree: a chain of keys and indices from the root, kept on
/// the stack of whoever walks the tree. `hash` stands for the whole chain and
/// does not confuse a key that contains a dot with two keys.
typedef struct PxPath {
    const struct PxPath *above; ///< NULL for the root
    const char *key;            ///< NULL for an element of a list
    size_t index;
    uint64_t hash;
} PxPath;

PxPath px_path_root(void);
PxPath px_path_key(const PxPath *above, const char *key);
PxPath px_path_index(const PxPath *above, size_t index);

/// "bodies[2].shape.box"; the root is "". Control characters are escaped and
/// what does not fit is cut.
void px_path_text(const PxPath *path, char *buffer, size_t size);

/// Asked with `path`, answered with lines and columns from 1, counted in
/// characters; 0 when the text has no such place. A key has a place only as a
/// member of an object.
typedef struct PxLocation {
    uint64_t path; ///< PxPath.hash
    int line, column;
    int key_line, key_column;
} PxLocation;

/// Finds all of `wanted` in one walk. They must be sorted by path, without
/// repetition. `text` must be valid JSON. Errors: PX_ERR_MEMORY.
PxStatus px_locate(const char *text, size_t size, PxLocation *wanted, size_t count);

/// The entry of `wanted` for a path; NULL if it was not asked for.
PxLocation *px_location_find(PxLocation *wanted, size_t count, uint64_t path);

#endif
