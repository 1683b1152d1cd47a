/// HDF5 files of named tables and scalars, followed by a checksum (the seal).
///
/// A table is a group (/particles) with one dataset per column: [n] for one
/// component, [n][c] for more, with the attributes `unit` and `flags`; the group's
/// attribute `count` is the number of rows. Scalars are attributes of the root.
/// Columns are read in the order in which they were written.
///
///     [ HDF5 image, as any HDF5 reader sees it ][ seal: 32 bytes ]
///     seal = "PHYXL2\r\n", length of the image (u64), digest of the image (2 u64, base/digest.h)
///
/// HDF5 readers ignore bytes after the end of file that the image declares. The
/// image is built in memory and written by store/file.h, so HDF5 does no disk I/O.
/// It is opened from memory too, and only if the seal matches, because HDF5 1.10
/// crashes or leaks on some damaged files. A file without a seal is refused as
/// damaged. The seal detects accidental damage, not forgery, so the image is
/// validated as well, and HDF5 only locates the rows; phyxel reads them itself.
///
/// Threads: HDF5 has one state per process, so a lock serialises the calls. A
/// program that calls HDF5 itself from another thread needs a thread-safe build of
/// HDF5 (Debian's is). HDF5's error printing is disabled during a call and restored
/// after it.
#ifndef PX_STORE_CONTAINER_H
#define PX_STORE_CONTAINER_H

#include "base/table.h"
#include "store/file.h"

/// Largest size of a file, and of the columns of one table, bytes.
#define PX_CONTAINER_MAX_BYTES ((uint64_t)1 << 37)

/// Buffer size for the text of a scalar, including the terminating zero.
#define PX_SCALAR_TEXT_SIZE 256u

typedef enum PxScalarKind { PX_SCALAR_U64, PX_SCALAR_F64, PX_SCALAR_TEXT } PxScalarKind;

/// A named value. For reading, the caller sets name and kind, and the value is filled in.
typedef struct PxScalar {
    const char *name; ///< letters, digits and _
    PxScalarKind kind;
    uint64_t u64;
    double f64;
    char text[PX_SCALAR_TEXT_SIZE];
} PxScalar;

PxScalar px_scalar_u64(const char *name, uint64_t value);
PxScalar px_scalar_f64(const char *name, double value);
/// Text that is too long is truncated.
PxScalar px_scalar_text(const char *name, const char *text);

/// ---- writing ----
typedef struct PxContainerWriter PxContainerWriter;

/// Errors: PX_ERR_MEMORY. Free the writer with px_container_discard() in any case.
PxStatus px_container_create(PxContainerWriter **out);

/// Errors here and below: PX_ERR_ARGUMENT for a name that is in use or has characters
/// other than letters, digits and _; PX_ERR_MEMORY.
PxStatus px_container_put(PxContainerWriter *writer, const PxScalar *scalars, size_t count);

/// Adds the columns that have any of `flags`. Level 0 stores the rows uncompressed,
/// levels 1 to 9 shuffle and deflate them. The bytes do not depend on `threads`.
PxStatus px_container_put_table(PxContainerWriter *writer, const char *name, const PxTable *table,
                                uint32_t flags, int level, const PxThreads *threads);

/// The finished file in memory; free it with px_list_free(). The writer takes no more data.
PxStatus px_container_bytes(PxContainerWriter *writer, void **bytes, size_t *size);

/// Writes the finished file atomically. The writer takes no more data.
/// Errors: those of px_file_write_checked().
PxStatus px_container_write(PxContainerWriter *writer, const char *path, PxFileCheck check);

/// Frees the writer; NULL is allowed.
void px_container_discard(PxContainerWriter *writer);

/// ---- reading ----
typedef struct PxContainer PxContainer;

/// Reads and validates a file. Errors: PX_ERR_IO, PX_ERR_MEMORY; here and below
/// PX_ERR_FORMAT for invalid contents. Close with px_container_close().
PxStatus px_container_open(PxContainer **out, const char *path);

/// The same for bytes in memory, which must stay valid until the container is closed.
/// `name` is used in messages.
PxStatus px_container_open_bytes(PxContainer **out, const void *bytes, size_t size,
                                 const char *name);

/// Fills in the values; PX_ERR_FORMAT when one is missing or of another kind.
PxStatus px_container_get(PxContainer *container, PxScalar *scalars, size_t count);

bool px_container_has_table(PxContainer *container, const char *name);

/// Replaces the rows of `table`. Columns missing in the table are added with type,
/// components, unit and flags of the file; columns missing in the file become zero; a
/// column of the same name and another type is PX_ERR_FORMAT. After a failure the table
/// has no rows.
PxStatus px_container_get_table(PxContainer *container, const char *name, PxTable *table,
                                const PxThreads *threads);

/// Adds the columns of the stored table to `table`, without rows; *rows is the stored
/// number of rows.
PxStatus px_container_get_columns(PxContainer *container, const char *name, PxTable *table,
                                  uint32_t *rows);

void px_container_close(PxContainer *container);

#endif
