/// 128-bit digests of bytes (XXH3 of xxHash): detect damaged files and changed contents. Not
/// cryptographic: collisions can be constructed.
#ifndef PX_BASE_DIGEST_H
#define PX_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// The digest does not depend on the machine's byte order.
void px_digest(const void *bytes, size_t size, uint64_t digest[2]);

/// Digest of two digests, in this order; for data in parts. `out` may be one of them.
void px_digest_join(const uint64_t a[2], const uint64_t b[2], uint64_t out[2]);

/// Digest of the rest of a file, from its current position. 0 when out of memory.
void px_digest_stream(FILE *file, uint64_t digest[2]);

/// Digest of bytes that come in pieces: equal to that of all at once.
typedef struct PxDigestStream PxDigestStream;
PxDigestStream *px_digest_begin(void); ///< NULL when out of memory
void px_digest_add(PxDigestStream *stream, const void *bytes, size_t size);
/// Frees the stream; NULL is allowed and leaves `digest` 0.
void px_digest_end(PxDigestStream *stream, uint64_t digest[2]);

/// Buffer size for the text of a digest, with the terminating zero.
#define PX_DIGEST_TEXT 33u

/// 32 hexadecimal digits.
void px_digest_text(const uint64_t digest[2], char text[PX_DIGEST_TEXT]);

#endif
