/// A run: simulates one scene from its start to its last frame and stores frames and checkpoints.
#ifndef PHYXEL_RUN_H
#define PHYXEL_RUN_H

#include "phyxel/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Options of a run. Start from px_run_def_default().
typedef struct PxRunDef {
    PxDefHead head;
    const char *out;      ///< result folder; created if it does not exist
    int threads;          ///< 0: one for every core
    bool resume;          ///< continue the folder's run where it stopped
    bool overwrite;       ///< delete the folder's run and start again
    const char *from;     ///< NULL, or the result folder of the run that this one branches off
    uint32_t from_frame;  ///< ... at this frame
    uint32_t checkpoint;  ///< frames between checkpoints; 0: every five minutes and when stopped
    PxStopFunction *stop; ///< asked within steps too: true undoes the step and stops the run; NULL:
                          ///< `each` alone stops it, after a step
    void *stop_user;      ///< its argument
    bool go_on;           ///< continue the folder's run if it is one of this scene, else fail
} PxRunDef;

PX_API void px_run_def_init(PxRunDef *def, size_t size);
PX_DEF_DEFAULT(PxRunDef, px_run_def)

/// Progress of a run, reported after every step and after every frame.
typedef struct PxRunProgress {
    uint32_t frame;  ///< frames stored so far, without the initial one
    uint32_t frames; ///< total
    bool stored;     ///< a frame has just been stored
    uint64_t step;
    uint64_t particles;
    double time;         ///< of the scene, s
    double end;          ///< of the scene, s
    double dt;           ///< s
    double wall;         ///< seconds this call has taken so far
    double left;         ///< estimated seconds left; negative: not known yet
    double step_seconds; ///< mean wall-clock time of a step
    double disk;         ///< estimated bytes of the folder at the end; negative: not known yet
} PxRunProgress;

/// Called from px_run()'s thread; false stops after the current step.
typedef bool PxRunFunction(void *user, const PxRunProgress *progress);

/// Result of px_run().
typedef struct PxRunReport {
    uint32_t first;     ///< frame after which it started: 0, or where it was resumed
    uint32_t frames;    ///< frames in the folder now
    bool complete;      ///< all frames are stored
    bool resumable;     ///< it was started: stored frames are kept, and it can be resumed
    uint32_t damaged;   ///< number of newer checkpoints skipped because they are damaged
    double wall;        ///< seconds of this call
    double reserved[4]; ///< 0; for later fields
    PxStats stats;      ///< at the end of the run; the last member, since it may grow
} PxRunReport;

/// Runs the scene into def->out. Writes run.json, stats.csv, frames/, frames.xdmf,
/// checkpoints/. After a failure stored frames are kept; a resumed run gives frames with
/// the same bits as an uninterrupted one.
/// Errors: PX_ERR_EXISTS when the folder holds a run and neither resume nor
/// overwrite is set, or when another process is writing to it;
/// PX_ERR_STOPPED when `each` returned false or `stop` true; PX_ERR_ARGUMENT when the folder's run
/// is of another scene; PX_ERR_FORMAT when it has no intact checkpoint; PX_ERR_IO; PX_ERR_NUMERIC,
/// naming the particle, the stage and the last good frame; PX_ERR_MEMORY. `each` and `report` may
/// be NULL.
PX_API PxStatus px_run_sized(const PxScene *scene, const PxRunDef *def, PxRunFunction *each,
                             void *user, PxRunReport *report, size_t size);
static inline PxStatus px_run(const PxScene *scene, const PxRunDef *def, PxRunFunction *each,
                              void *user, PxRunReport *report)
{
    return px_run_sized(scene, def, each, user, report, sizeof *report);
}

/// The scene of a run that branches off the one in `dir` at a stored frame: that run's scene with
/// an event at the frame's time for each of `sets`, "PATH=VALUE". px_run() with def->from and
/// def->from_frame then starts from the newest checkpoint of `dir` that is not after the frame, or
/// from the beginning, and shares the frames before it; the result is the same as running the
/// scene from its start. Errors: PX_ERR_ARGUMENT when there is no such frame, or a value cannot
/// be set in a running world; PX_ERR_IO and PX_ERR_FORMAT when `dir` holds no run.
PX_API PxStatus px_branch_scene(const char *dir, uint32_t frame, const char *const *sets,
                                size_t count, PxScene **out);

/// The scene of the run in a result folder, read from its run.json. *out is NULL on failure,
/// except after PX_ERR_FORMAT for a scene with errors, as in px_scene_read().
PX_API PxStatus px_run_scene(const char *dir, PxScene **out);

#ifdef __cplusplus
}
#endif
#endif
