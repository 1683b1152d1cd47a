/// A run: one scene from its start to its last frame, stored on the way.
#ifndef PHYXEL_RUN_H
#define PHYXEL_RUN_H

#include "phyxel/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How to run. Start from px_run_def_default().
typedef struct PxRunDef {
    PxDefHead head;
    const char *out;     ///< result folder; made when it is not there
    int threads;         ///< 0: one for every core
    bool resume;         ///< go on where the folder's run stopped
    bool overwrite;      ///< throw away the folder's run and start anew
    const char *from;    ///< NULL, or the result folder of the run that this one branches off
    uint32_t from_frame; ///< ... at this frame
    uint32_t
        checkpoint; ///< frames between checkpoints; 0: only every five minutes and when stopped
} PxRunDef;

PX_API void px_run_def_init(PxRunDef *def, size_t size);
PX_DEF_DEFAULT(PxRunDef, px_run_def)

/// Where a run is. After every step, and after every frame.
typedef struct PxRunProgress {
    uint32_t frame;  ///< frames stored so far, not counting the one of the start
    uint32_t frames; ///< wanted in all
    bool stored;     ///< a frame was stored just now
    uint64_t step;
    uint64_t particles;
    double time;         ///< of the scene, s
    double end;          ///< of the scene, s
    double dt;           ///< s
    double wall;         ///< seconds this call has taken so far
    double left;         ///< seconds it will still take, estimated; negative: not known yet
    double step_seconds; ///< mean wall-clock time of a step
} PxRunProgress;

/// Called from px_run()'s thread; false stops after the step that is under way.
typedef bool PxRunFunction(void *user, const PxRunProgress *progress);

/// What a run came to.
typedef struct PxRunReport {
    uint32_t first;   ///< frame it began after: 0, or where it was resumed
    uint32_t frames;  ///< frames stored in the folder now
    bool complete;    ///< all frames are there
    bool resumable;   ///< it got under way: what it stored is kept, and it can go on
    uint32_t damaged; ///< newer checkpoints that were passed over because they are damaged
    double wall;      ///< seconds of this call
    PxStats stats;    ///< at the end
} PxRunReport;

/// Runs the scene into def->out. Leaves run.json, stats.csv, frames/, frames.xdmf,
/// checkpoints/. Everything stored before a failure is kept, and the run can be
/// resumed to frames of the same bits.
/// Errors: PX_ERR_EXISTS when the folder holds a run and neither resume nor
/// overwrite was asked for, or when another process is running into it;
/// PX_ERR_STOPPED when `each` said so; PX_ERR_ARGUMENT when the folder's run is of
/// another scene; PX_ERR_FORMAT when no checkpoint of it is whole; PX_ERR_IO;
/// PX_ERR_NUMERIC, naming the particle, the stage and the last good frame;
/// PX_ERR_MEMORY.
PX_API PxStatus px_run(const PxScene *scene, const PxRunDef *def, PxRunFunction *each, void *user,
                       PxRunReport *report);

/// The scene of a run that branches off the one in `dir` at a stored frame: that run's scene with
/// an event at the frame's time for each of `sets`, "PATH=VALUE". px_run() with def->from and
/// def->from_frame then starts from the newest checkpoint of `dir` that is not after the frame, or
/// from the beginning, and shares the frames before it; the result is the same as that of running
/// the scene from its start. Errors: PX_ERR_ARGUMENT when there is no such frame, or a value cannot
/// be set while a world lives; PX_ERR_IO and PX_ERR_FORMAT when `dir` holds no run.
PX_API PxStatus px_branch_scene(const char *dir, uint32_t frame, const char *const *sets,
                                size_t count, PxScene **out);

/// The scene that a result folder was made from, as its run.json has it.
PX_API PxStatus px_run_scene(const char *dir, PxScene **out);

#ifdef __cplusplus
}
#endif
#endif
