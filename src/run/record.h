/// Reader and writer of DIR/run.json: scene, program version, status and timings of a run.
#ifndef PX_RUN_RECORD_H
#define PX_RUN_RECORD_H

#include "base/profile.h"
#include "phyxel/run.h"
#include "store/file.h"
#include "store/run_id.h"

/// Status of a run in run.json.
typedef enum PxRunStatus { PX_RUN_RUNNING, PX_RUN_DONE, PX_RUN_STOPPED, PX_RUN_FAILED } PxRunStatus;

typedef struct PxRecord {
    const PxScene *scene;
    const PxRunId *id;
    PxFileCheck check;
    PxRunStatus status;
    const char *message; ///< why it failed, or NULL
    uint32_t frames;     ///< stored
    int threads;
    double wall; ///< s, of all calls that computed this run
    PxStats stats;
    const char *from;         ///< run it branches off; NULL keeps the entry of run.json
    uint32_t from_frame;      ///< frame at which it branches off
    const PxWorld *world;     ///< gives the time of each stage of the steps; may be NULL
    const PxProfile *profile; ///< time of each stage outside the steps; may be NULL
} PxRecord;

/// Writes dir/run.json atomically.
PxStatus px_record_write(const char *dir, const PxRecord *record);

/// Checks that the run in the folder is of this scene. Errors: PX_ERR_ARGUMENT, naming
/// the difference, when it is not; PX_ERR_IO when there is no run.json; PX_ERR_FORMAT
/// when it is damaged.
PxStatus px_record_compare(const char *dir, const PxScene *scene);

#endif
