/// One file = named tables + scalars: HDF5 that other programs can open, with a
/// seal of our own at its end.
///
/// A table is a group (/particles) with one dataset a column: [n] for one
/// component, [n][c] for more, with the attributes `unit` and `flags`; the group
/// says how many rows there are (`count`). Scalars are attributes of the root.
/// Columns come back in the order in which they were written.
///
///     [ HDF5 image, as any HDF5 reader sees it ][ seal: 32 bytes ]
///     seal = "PHYXL2\r\n", length of the image (u64), digest of the image (2 u64, base/digest.h)
///
/// HDF5 readers pass over bytes after the end that the image itself declares. The
/// image is made in memory and written by store/file.h, so HDF5 never touches the
/// disk; and it is opened from memory, only when the seal is right, because HDF5
/// 1.10 crashes or leaks on some damaged files. A file without its seal is refused
/// as damaged. The seal tells accidents, not forgeries, so everything in the image
/// is checked all the same, and HDF5 reads no rows: it only tells where they lie.
///
/// Threads: HDF5 has one state for the process, so calls are serialised by a lock.
/// A program that uses HDF5 on its own beside phyxel, from another thread at the
/// same time, needs an HDF5 built to be thread-safe (Debian's is). HDF5's own
/// printing of errors is off during a call, and as before after it.
#ifndef PX_STORE_CONTAINER_H
#define PX_STORE_CONTAINER_H

#include "base/table.h"

/// Most bytes of a file, and of the columns of one table.
#define PX_CONTAINER_MAX_BYTES ((uint64_t)1 << 37)

/// Room for the text of a scalar with its final zero.
#define PX_SCALAR_TEXT_SIZE 256u

typedef enum PxScalarKind { PX_SCALAR_U64, PX_SCALAR_F64, PX_SCALAR_TEXT } PxScalarKind;

/// A named value. For reading, name and kind are given and the value comes back.
typedef struct PxScalar {
    const char *name; ///< letters, digits and _
    PxScalarKind kind;
    uint64_t u64;
    double f64;
    char text[PX_SCALAR_TEXT_SIZE];
} PxScalar;

PxScalar px_scalar_u64(const char *name, uint64_t value);
PxScalar px_scalar_f64(const char *name, double value);
/// Text that is too long is cut.
PxScalar px_scalar_text(const char *name, const char *text);

/// ---- writing ----
typedef struct PxContainerWriter PxContainerWriter;

/// Errors: PX_ERR_MEMORY. Every create is followed by one px_container_discard().
PxStatus px_container_create(PxContainerWriter **out);

/// Errors here and below: PX_ERR_ARGUMENT for a name in use or of other characters
/// than letters, digits and _; PX_ERR_MEMORY.
PxStatus px_container_put(PxContainerWriter *writer, const PxScalar *scalars, size_t count);

/// The columns with any of `flags`. level 0 stores rows as they are, 1 to 9 shuffle
/// and deflate them; the bytes do not depend on `threads`.
PxStatus px_container_put_table(PxContainerWriter *writer, const char *name, const PxTable *table,
                                uint32_t flags, int level, const PxThreads *threads);

/// The finished bytes, to be freed with px_list_free(). The writer is done.
PxStatus px_container_bytes(PxContainerWriter *writer, void **bytes, size_t *size);

/// Writes the finished bytes, whole or not at all. The writer is done.
/// Errors: those of px_file_write_atomic().
PxStatus px_container_write(PxContainerWriter *writer, const char *path);

/// NULL is fine.
void px_container_discard(PxContainerWriter *writer);

/// ---- reading ----
typedef struct PxContainer PxContainer;

/// Reads and checks a file. Errors: PX_ERR_IO, PX_ERR_MEMORY, and PX_ERR_FORMAT
/// here and below for whatever is wrong inside. Close with px_container_close().
PxStatus px_container_open(PxContainer **out, const char *path);

/// The same for bytes in memory, which must stay until the close. `name` is for
/// messages.
PxStatus px_container_open_bytes(PxContainer **out, const void *bytes, size_t size,
                                 const char *name);

/// Fills in the values; a missing one or one of another kind is PX_ERR_FORMAT.
PxStatus px_container_get(PxContainer *container, PxScalar *scalars, size_t count);

bool px_container_has_table(PxContainer *container, const char *name);

/// The rows of `table` are replaced. Columns the table lacks are added with type,
/// components, unit and flags from the file; those the file lacks are zero; a column
/// of the same name and another type is PX_ERR_FORMAT. After a failure the table has
/// no rows.
PxStatus px_container_get_table(PxContainer *container, const char *name, PxTable *table,
                                const PxThreads *threads);

/// Adds the columns of the table in the file to `table`, without rows, and tells
/// how many rows there are.
PxStatus px_container_get_columns(PxContainer *container, const char *name, PxTable *table,
                                  uint32_t *rows);

void px_container_close(PxContainer *container);

#endif
