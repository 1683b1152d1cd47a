#include "shape/keys.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

/* One mix of a sum with odd weights: fast, as cell lookups dominate the work, and good
 * for keys that are small integers and differ by one in one word. */
static size_t hash(PxKey key)
{
    return (size_t)px_mix(key.word[0] * 0x9e3779b97f4a7c15u + key.word[1] * 0xd1b54a32d192ed03u +
                          key.word[2] * 0x8cb92ba72f3d8dd7u);
}

static bool same(PxKey a, PxKey b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2];
}

/* The slot of the key, or the free slot where it belongs. */
static size_t slot_of(const PxKeys *keys, PxKey key)
{
    size_t at = hash(key) & (keys->slots - 1);
    while (keys->slot[at] != PX_KEY_NONE && !same(keys->key[keys->slot[at]], key))
        at = (at + 1) & (keys->slots - 1);
    return at;
}

static bool grow(PxKeys *keys)
{
    size_t slots = keys->slots == 0 ? FIRST_SLOTS : 2 * keys->slots, bytes;
    if (!px_size_multiply(slots, sizeof *keys->slot, &bytes))
        return false;
    uint32_t *slot = malloc(bytes);
    if (slot == NULL)
        return false;
    memset(slot, 0xff, bytes); /* PX_KEY_NONE everywhere */
    free(keys->slot);
    keys->slot = slot;
    keys->slots = slots;
    for (size_t k = 0; k < keys->count; ++k)
        slot[slot_of(keys, keys->key[k])] = (uint32_t)k;
    return true;
}

uint32_t px_keys_add(PxKeys *keys, PxKey key)
{
    if (2 * (keys->count + 1) > keys->slots && !grow(keys))
        return PX_KEY_NONE;
    size_t at = slot_of(keys, key);
    if (keys->slot[at] != PX_KEY_NONE)
        return keys->slot[at];
    if (keys->count >= PX_KEY_NONE ||
        !px_list_reserve((void **)&keys->key, keys->count, &keys->capacity, 1, sizeof *keys->key))
        return PX_KEY_NONE;
    keys->key[keys->count] = key;
    keys->slot[at] = (uint32_t)keys->count;
    return (uint32_t)keys->count++;
}

uint32_t px_keys_find(const PxKeys *keys, PxKey key)
{
    return keys->slots == 0 ? PX_KEY_NONE : keys->slot[slot_of(keys, key)];
}

void px_keys_free(PxKeys *keys)
{
    free(keys->key);
    free(keys->slot);
    *keys = (PxKeys){0};
}

PxKey px_key_of_point(PxVec3 point)
{
    double number[3] = {point.x + 0.0, point.y + 0.0, point.z + 0.0}; /* -0 + 0 is 0 */
    PxKey key;
    memcpy(key.word, number, sizeof number);
    return key;
}
