/// Rows of a column as they lie in files: components side by side, and for frames
/// as HDF5's shuffle and deflate filters leave them.
///
/// HDF5 would do this itself, on one thread. Doing it here lets all threads work
/// (a frame of a million particles costs a second of deflate), and lets reading
/// check every size before anything is unpacked.
#ifndef PX_STORE_PACK_H
#define PX_STORE_PACK_H

#include "base/table.h"

/// Rows [first, first + rows) as [rows][components].
void px_interleave(const PxColumn *column, uint32_t first, uint32_t rows, void *out);
void px_deinterleave(PxColumn *column, uint32_t first, uint32_t rows, const void *from);

/// A packed column: blocks of `block_rows` rows, the last one filled up with zeros.
typedef struct PxPacked {
    uint32_t block_rows, blocks;
    uint8_t **block; ///< where each one starts
    size_t *size;    ///< how many bytes it has
    uint8_t *memory; ///< what block[] points into, NULL when it is not ours
} PxPacked;

/// Packs rows [0, count). `level` is that of zlib, 1 to 9. The bytes do not depend
/// on the threads. Errors: PX_ERR_MEMORY. Free with px_packed_free().
PxStatus px_pack(const PxColumn *column, uint32_t count, uint32_t block_rows, int level,
                 const PxThreads *threads, PxPacked *out);

/// Room for `blocks` addresses and sizes, to be filled in before px_unpack().
PxStatus px_packed_init(PxPacked *packed, uint32_t count, uint32_t block_rows);

/// Unpacks into rows [0, count). Nothing in the bytes is trusted.
/// Errors: PX_ERR_FORMAT when a block is damaged or not of the right size.
PxStatus px_unpack(const PxPacked *packed, PxColumn *column, uint32_t count,
                   const PxThreads *threads);

void px_packed_free(PxPacked *packed);

#endif
