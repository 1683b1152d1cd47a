/// A hash table that numbers distinct keys in order of first appearance: used for welding vertices,
/// pairing edges and finding grid cells. Results do not depend on the hash function.
#ifndef PX_SHAPE_KEYS_H
#define PX_SHAPE_KEYS_H

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

typedef struct PxKey {
    uint64_t word[3];
} PxKey;

/// Starts as {0}.
typedef struct PxKeys {
    PxKey *key;      ///< indexed by key number
    size_t count;    ///< distinct keys so far
    size_t capacity; ///< of `key`
    uint32_t *slot;
    size_t slots; ///< a power of two, at least twice the count
} PxKeys;

#define PX_KEY_NONE UINT32_MAX

/// The key's number, inserting it if it is new; PX_KEY_NONE when out of memory.
uint32_t px_keys_add(PxKeys *keys, PxKey key);
/// The key's number; PX_KEY_NONE if it is not in the table.
uint32_t px_keys_find(const PxKeys *keys, PxKey key);
void px_keys_free(PxKeys *keys);

/// Key of a position; 0 and -0 give the same key.
PxKey px_key_of_point(PxVec3 point);

#endif
