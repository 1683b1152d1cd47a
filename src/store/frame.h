/// Frames of a run: DIR/frames/000001.h5, what people look at.
///
/// A frame holds the columns flagged PX_COLUMN_FRAME in a table `particles`, what
/// PxFrameMeta says as scalars, and a table `topology` with the row numbers 0 .. n-1,
/// which ParaView wants to see before it draws points (store/xdmf.h).
#ifndef PX_STORE_FRAME_H
#define PX_STORE_FRAME_H

#include "store/container.h"
#include "store/file.h"

/// Of what is written now; files of a later format are refused.
#define PX_FRAME_FORMAT 1u

/// zlib's level. On a jittered lattice of a million particles 6 took 1.7 times as long
/// as 1 for 1 per cent less.
#define PX_FRAME_LEVEL 1

typedef struct PxFrameMeta {
    uint32_t number;                ///< of the frame, in its file's name
    uint64_t step;                  ///< steps done
    double time;                    ///< s
    double spacing;                 ///< of the particles, m
    char up;                        ///< 'y' or 'z'
    char name[PX_SCALAR_TEXT_SIZE]; ///< of the scene
    char version[16];               ///< of the phyxel that wrote it; not looked at in writing
} PxFrameMeta;

/// Writes dir/frames/NUMBER.h5, whole or not at all.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY, PX_ERR_IO.
PxStatus px_frame_write(const char *dir, const PxFrameMeta *meta, const PxTable *particles,
                        const PxThreads *threads);

/// Reads a frame; the rows of `particles` are replaced, columns are added where they
/// are lacking (store/container.h). Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_frame_read(const char *dir, uint32_t number, PxFrameMeta *meta, PxTable *particles,
                       const PxThreads *threads);

/// The same without the rows: adds the columns and tells how many rows there are.
PxStatus px_frame_read_columns(const char *dir, uint32_t number, PxFrameMeta *meta,
                               PxTable *particles, uint32_t *rows);

/// The numbers of the frames that are there, ascending. Free with PX_LIST_FREE().
PxStatus px_frame_list(const char *dir, PxNumbers *out);

/// px_table_hash() of what the frame holds: the same as that of the world's table for
/// PX_COLUMN_FRAME when the frame was written.
PxStatus px_frame_hash(const char *dir, uint32_t number, const PxThreads *threads,
                       uint64_t hash[2]);

#endif
