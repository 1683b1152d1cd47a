/// Records a scene to a run folder in a thread of its own, as `phyxel run` does: frames that are
/// stored are kept, whenever it ends.
#ifndef VIEWER_RECORD_H
#define VIEWER_RECORD_H

#include "phyxel/phyxel.h"

typedef struct Recorder Recorder;

typedef struct RecordStatus {
    bool running;
    uint32_t frame, frames; ///< stored so far, and of the scene
    char message[512];      ///< why it failed; "": it did not
} RecordStatus;

/// Starts to run the text of a scene, whose files are relative to `folder`, into `out`, up to
/// frame `frames`. NULL with px_error_message() when the scene is wrong.
Recorder *record_start(const char *text, const char *folder, const char *out, uint32_t frames,
                       int threads);
RecordStatus record_status(Recorder *recorder);
/// Stops it within its step if it is running, and waits for that. Accepts NULL.
void record_close(Recorder *recorder);

#endif
