/// Records a scene to a run folder in a thread of its own, as `phyxel run` does: frames that are
/// stored are kept, whenever it ends.
#ifndef VIEWER_RECORD_H
#define VIEWER_RECORD_H

#include "phyxel/phyxel.h"

typedef struct Recorder Recorder;

typedef struct RecordStatus {
    bool running;           ///< it simulates or films
    uint32_t frame, frames; ///< stored so far, and of the scene
    bool filming;           ///< all frames are stored, and the film is being drawn
    uint32_t filmed;        ///< frames in the film
    char message[512];      ///< why it failed; "": it did not
} RecordStatus;

/// Makes a film of the frames in `out`, in the recorder's thread; calls `each` after each picture,
/// which stops it with false. False with a message on failure, "" if it was stopped.
typedef bool RecordFilm(void *user, const char *out,
                        bool (*each)(void *each_user, uint32_t done, uint32_t all), void *each_user,
                        char *error, size_t size);

/// Starts to run the text of a scene, whose files are relative to `folder`, into `out`, up to
/// frame `frames`, and then makes a film of it (`film` may be NULL). NULL with px_error_message()
/// when the scene is wrong.
Recorder *record_start(const char *text, const char *folder, const char *out, uint32_t frames,
                       int threads, RecordFilm *film, void *user);
RecordStatus record_status(Recorder *recorder);
/// Ends the simulation within its step; the film of what is there follows. A film that is being
/// made is given up.
void record_stop(Recorder *recorder);
/// Stops it within its step if it is running, and waits for that. Accepts NULL.
void record_close(Recorder *recorder);

#endif
