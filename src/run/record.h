/// DIR/run.json: what was run, by what, and how it went.
#ifndef PX_RUN_RECORD_H
#define PX_RUN_RECORD_H

#include "base/profile.h"
#include "phyxel/run.h"

/// How a run stands, as run.json says it.
typedef enum PxRunStatus { PX_RUN_RUNNING, PX_RUN_DONE, PX_RUN_STOPPED, PX_RUN_FAILED } PxRunStatus;

typedef struct PxRecord {
    const PxScene *scene;
    PxRunStatus status;
    const char *message; ///< why it failed, or NULL
    uint32_t frames;     ///< stored
    int threads;
    double wall; ///< seconds, of all calls that worked on this run
    PxStats stats;
    const char *from;         ///< the folder it branches off, or NULL: as run.json has it
    uint32_t from_frame;      ///< ... at this frame
    const PxWorld *world;     ///< for the time by stage; may be NULL
    const PxProfile *profile; ///< the same of the run; may be NULL
} PxRecord;

/// Whole or not at all.
PxStatus px_record_write(const char *dir, const PxRecord *record);

/// Whether the folder's run is of this scene. Errors: PX_ERR_ARGUMENT, naming what
/// differs, when it is not; PX_ERR_IO when there is no run.json; PX_ERR_FORMAT when it
/// is damaged.
PxStatus px_record_compare(const char *dir, const PxScene *scene);

#endif
