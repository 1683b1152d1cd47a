/// Conversion of columns to and from their layout in files: interleaved components, in
/// frames encoded like the output of HDF5's shuffle and deflate filters.
///
/// HDF5's own filters run on one thread. Compressing here uses all threads (deflate of
/// a million particles takes a second on one), and lets the reader check every size
/// before it decompresses anything.
#ifndef PX_STORE_PACK_H
#define PX_STORE_PACK_H

#include "base/table.h"

/// Converts rows [first, first + rows) to and from [rows][components].
void px_interleave(const PxColumn *column, uint32_t first, uint32_t rows, void *out);
void px_deinterleave(PxColumn *column, uint32_t first, uint32_t rows, const void *from);

/// A compressed column: blocks of `block_rows` rows, the last one padded with zeros.
typedef struct PxPacked {
    uint32_t block_rows, blocks;
    uint8_t **block; ///< start of each block
    size_t *size;    ///< compressed size of each block, bytes
    uint8_t *memory; ///< buffer of all blocks; NULL when it is not owned
} PxPacked;

/// Compresses rows [0, count) with zlib level 1 to 9. The bytes do not depend on the
/// threads. Errors: PX_ERR_MEMORY. Free with px_packed_free().
PxStatus px_pack(const PxColumn *column, uint32_t count, uint32_t block_rows, int level,
                 const PxThreads *threads, PxPacked *out);

/// Allocates the addresses and sizes of the blocks, to be set before px_unpack().
PxStatus px_packed_init(PxPacked *packed, uint32_t count, uint32_t block_rows);

/// Decompresses into rows [0, count). The input is untrusted.
/// Errors: PX_ERR_FORMAT when a block is damaged or has the wrong size.
PxStatus px_unpack(const PxPacked *packed, PxColumn *column, uint32_t count,
                   const PxThreads *threads);

void px_packed_free(PxPacked *packed);

#endif
