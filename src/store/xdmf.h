/// Writer of DIR/frames.xdmf, which lets ParaView open all frames of a run as one animation, and of
/// DIR/cloth.xdmf with the triangles of cloth, their strain, energy and bend, and the wetness of
/// its vertices, if there is some.
///
/// The file lists every frame with its time, number of rows and columns. This list is kept
/// in memory during a run and rebuilt from the frames once on resume, so that storing a
/// frame does not read the earlier ones.
#ifndef PX_STORE_XDMF_H
#define PX_STORE_XDMF_H

#include "store/frame.h"

/// The columns of a frame; frames with the same columns share one layout.
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
    PxFrameCloth cloth;
    double time;
} PxXdmfFrame;

/// Initialise with {0}.
typedef struct PxXdmf {
    PX_LIST(PxXdmfFrame) frames; ///< by ascending number
    PX_LIST(PxXdmfLayout) layouts;
    PxFileCheck check;
    size_t written; ///< frames in the file when it was last written
} PxXdmf;

/// Adds a frame that was just written; meta->cloth and meta->cloth_faces are those of
/// px_frame_write(). Frames of the same or a greater number are
/// dropped, because the run was resumed before them. Errors: PX_ERR_MEMORY.
PxStatus px_xdmf_add(PxXdmf *xdmf, const PxFrameMeta *meta, const PxTable *particles);

/// Rebuilds the list from the frames in dir up to number `last`. Damaged frames are
/// left out and counted in *damaged (may be NULL); px_error_message() describes the
/// last one. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_xdmf_rebuild(PxXdmf *xdmf, const char *dir, uint32_t last, uint32_t *damaged);

/// Writes dir/frames.xdmf and dir/cloth.xdmf, each atomically.
PxStatus px_xdmf_write(PxXdmf *xdmf, const char *dir);

/// The same, but only if there are at least 2 per cent more frames than in the file;
/// called after every frame, it avoids rewriting the growing file each time. Call
/// px_xdmf_write() at the end.
PxStatus px_xdmf_update(PxXdmf *xdmf, const char *dir);

void px_xdmf_free(PxXdmf *xdmf);

#endif
