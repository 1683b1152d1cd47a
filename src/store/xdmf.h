/// DIR/frames.xdmf: lets ParaView open all frames of a run as one animation.
///
/// The file names every frame with its time, its count and its columns. What it needs
/// is kept in memory while a run goes on and read from the frames once on resume, so
/// that a frame costs no look at the earlier ones.
#ifndef PX_STORE_XDMF_H
#define PX_STORE_XDMF_H

#include "store/frame.h"

/// The columns of a frame; frames of the same columns share one.
typedef struct PxXdmfLayout {
    uint32_t columns;
    struct PxXdmfColumn {
        char name[PX_TABLE_NAME];
        PxType type;
        uint32_t components;
    } column[PX_TABLE_MAX_COLUMNS];
} PxXdmfLayout;

typedef struct PxXdmfFrame {
    uint32_t number, rows, layout;
    double time;
} PxXdmfFrame;

/// Starts life as {0}.
typedef struct PxXdmf {
    PX_LIST(PxXdmfFrame) frames; ///< by ascending number
    PX_LIST(PxXdmfLayout) layouts;
    size_t written; ///< frames in the file, as far as we know
} PxXdmf;

/// Takes note of a frame that was just written. Frames of the same or a greater
/// number are forgotten: the run was resumed before them. Errors: PX_ERR_MEMORY.
PxStatus px_xdmf_add(PxXdmf *xdmf, const PxFrameMeta *meta, const PxTable *particles);

/// Takes note of the frames in dir up to number `last`, forgetting all others.
/// Damaged ones are left out and counted in *damaged (may be NULL);
/// px_error_message() tells of the last one. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_xdmf_rebuild(PxXdmf *xdmf, const char *dir, uint32_t last, uint32_t *damaged);

/// Writes dir/frames.xdmf, whole or not at all.
PxStatus px_xdmf_write(PxXdmf *xdmf, const char *dir);

/// The same, when there are at least 2 per cent more frames than in the file: for
/// every frame of a run, without writing the growing file every time. Finish with
/// px_xdmf_write().
PxStatus px_xdmf_update(PxXdmf *xdmf, const char *dir);

void px_xdmf_free(PxXdmf *xdmf);

#endif
