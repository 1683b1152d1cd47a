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

struct PxDigestStream {
    XXH3_state_t *state;
};

PxDigestStream *px_digest_begin(void)
{
    PxDigestStream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->state = XXH3_createState();
    if (stream->state == NULL) {
        free(stream);
        return NULL;
    }
    XXH3_128bits_reset(stream->state);
    return stream;
}

void px_digest_add(PxDigestStream *stream, const void *bytes, size_t size)
{
    XXH3_128bits_update(stream->state, bytes, size);
}

void px_digest_end(PxDigestStream *stream, uint64_t digest[2])
{
    digest[0] = digest[1] = 0;
    if (stream == NULL)
        return;
    put(XXH3_128bits_digest(stream->state), digest);
    XXH3_freeState(stream->state);
    free(stream);
}

void px_digest_stream(FILE *file, uint64_t digest[2])
{
    enum { CHUNK = 1 << 16 };
    unsigned char *chunk = malloc(CHUNK);
    PxDigestStream *stream = chunk != NULL ? px_digest_begin() : NULL;
    for (size_t got; stream != NULL && (got = fread(chunk, 1, CHUNK, file)) > 0;)
        px_digest_add(stream, chunk, got);
    px_digest_end(stream, digest);
    free(chunk);
}

void px_digest_text(const uint64_t digest[2], char text[PX_DIGEST_TEXT])
{
    snprintf(text, PX_DIGEST_TEXT, "%016llx%016llx", (unsigned long long)digest[0],
             (unsigned long long)digest[1]);
}
