/// 128-bit digests of bytes (XXH3 of xxHash): tell whole files from damaged ones, and equal
/// contents from changed ones. No protection against people who want them to agree.
#ifndef PX_BASE_DIGEST_H
#define PX_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// The same for any byte order of the machine.
void px_digest(const void *bytes, size_t size, uint64_t digest[2]);

/// Of two digests, in this order; for what consists of parts. `out` may be one of them.
void px_digest_join(const uint64_t a[2], const uint64_t b[2], uint64_t out[2]);

/// Of what is left to read in a file. Digest 0 when memory is out.
void px_digest_stream(FILE *file, uint64_t digest[2]);

/// Room for the text of a digest with its final zero.
#define PX_DIGEST_TEXT 33u

/// 32 hexadecimal digits.
void px_digest_text(const uint64_t digest[2], char text[PX_DIGEST_TEXT]);

#endif
