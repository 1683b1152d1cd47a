/// A 128-bit digest of bytes, to tell whole files from damaged ones. Fast (several
/// bytes a cycle) and good at accidents; no protection against people.
#ifndef PX_STORE_DIGEST_H
#define PX_STORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

void px_digest(const void *bytes, size_t size, uint64_t digest[2]);

#endif
