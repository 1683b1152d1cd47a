#include "store/digest.h"

#include "base/random.h"

#include <string.h>

#define LANES 8u
#define STRIPE (LANES * sizeof(uint64_t))

/* Eight lanes, so that eight multiplications are under way at once. A lane's step
 * is a bijection of the lane and of the word, so damage within one word is always
 * seen; the turn brings high bits down, where the product spreads them again.
 * (Without it two flips of the highest bit in a lane would cancel.) */
static inline uint64_t lane_step(uint64_t lane, uint64_t word)
{
    lane ^= word;
    lane = lane << 29 | lane >> 35;
    return lane * 0x9fb21c651e98df25u; /* odd, bits without a pattern */
}

static inline void stripe(uint64_t lane[LANES], const unsigned char *bytes)
{
    for (uint32_t k = 0; k < LANES; ++k) {
        uint64_t word;
        memcpy(&word, bytes + k * sizeof word, sizeof word);
        lane[k] = lane_step(lane[k], word);
    }
}

void px_digest(const void *bytes, size_t size, uint64_t digest[2])
{
    const unsigned char *from = bytes;
    uint64_t lane[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
        lane[k] = px_mix(k + 1);
    size_t left = size;
    for (; left >= STRIPE; left -= STRIPE, from += STRIPE)
        stripe(lane, from);
    if (left > 0) {
        unsigned char last[STRIPE] = {0};
        memcpy(last, from, left);
        stripe(lane, last);
    }
    /* The length tells apart a last stripe that ends in zeros from a shorter one. */
    digest[0] = px_mix(size + 1);
    digest[1] = ~digest[0];
    for (uint32_t k = 0; k < LANES; ++k) {
        digest[0] = px_mix(digest[0] ^ lane[k]) + 0x9e3779b97f4a7c15u;
        digest[1] = px_mix(digest[1] + lane[k]) ^ 0xd1b54a32d192ed03u;
    }
}
