/// A hash table that numbers distinct keys in the order of their first appearance: for welding
/// corners, pairing edges, finding cells of a grid. Results do not depend on the hash.
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
    PxKey *key;      ///< by number
    size_t count;    ///< numbers given so far
    size_t capacity; ///< of `key`
    uint32_t *slot;
    size_t slots; ///< a power of two, at least twice the count
} PxKeys;

#define PX_KEY_NONE UINT32_MAX

/// The key's number, new or old; PX_KEY_NONE when memory is out.
uint32_t px_keys_add(PxKeys *keys, PxKey key);
/// The key's number; PX_KEY_NONE if it has none.
uint32_t px_keys_find(const PxKeys *keys, PxKey key);
void px_keys_free(PxKeys *keys);

/// Key of a place; 0 and -0 are the same.
PxKey px_key_of_point(PxVec3 point);

#endif
