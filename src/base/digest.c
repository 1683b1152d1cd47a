#include "base/digest.h"

#include <stdlib.h>
#include <xxhash.h>

static void put(XXH128_hash_t hash, uint64_t digest[2])
{
    digest[0] = hash.low64;
    digest[1] = hash.high64;
}

void px_digest(const void *bytes, size_t size, uint64_t digest[2])
{
    put(XXH3_128bits(bytes, size), digest);
}

void px_digest_join(const uint64_t a[2], const uint64_t b[2], uint64_t out[2])
{
    uint8_t bytes[32];
    const uint64_t word[4] = {a[0], a[1], b[0], b[1]};
    for (int k = 0; k < 32; ++k)
        bytes[k] = (uint8_t)(word[k / 8] >> 8 * (k % 8));
    px_digest(bytes, sizeof bytes, out);
}

void px_digest_stream(FILE *file, uint64_t digest[2])
{
    enum { CHUNK = 1 << 16 };
    XXH3_state_t *state = XXH3_createState();
    unsigned char *chunk = malloc(CHUNK);
    digest[0] = digest[1] = 0;
    if (state != NULL && chunk != NULL && XXH3_128bits_reset(state) == XXH_OK) {
        for (size_t got; (got = fread(chunk, 1, CHUNK, file)) > 0;)
            XXH3_128bits_update(state, chunk, got);
        put(XXH3_128bits_digest(state), digest);
    }
    free(chunk);
    XXH3_freeState(state);
}

void px_digest_text(const uint64_t digest[2], char text[PX_DIGEST_TEXT])
{
    snprintf(text, PX_DIGEST_TEXT, "%016llx%016llx", (unsigned long long)digest[0],
             (unsigned long long)digest[1]);
}
