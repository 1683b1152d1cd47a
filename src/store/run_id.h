/// Identity of a run: which files of a result folder belong to it.
///
/// Every run has a random id. run.json, every frame and every checkpoint hold it, together with the
/// hash of the scene. So a file of another run is noticed, even of another run of the same scene.
/// A branch shares frames with the run it came from; run.json lists that run's id and the last
/// frame that is shared.
#ifndef PX_STORE_RUN_ID_H
#define PX_STORE_RUN_ID_H

#include "base/digest.h"
#include "base/memory.h"

/// Frames up to `last` may be those of this other run.
typedef struct PxSharedRun {
    char run[PX_DIGEST_TEXT];
    uint32_t last;
} PxSharedRun;

/// Initialise with {0}; free with px_run_id_free().
typedef struct PxRunId {
    char run[PX_DIGEST_TEXT];   ///< "" when unknown
    char scene[PX_DIGEST_TEXT]; ///< hash of the scene
    uint32_t frames;            ///< number of the last frame, as run.json was last written
    PX_LIST(PxSharedRun) shared;
} PxRunId;

struct json_t;

/// Parses dir/run.json. Free with json_decref().
/// Errors: PX_ERR_IO, PX_ERR_FORMAT with the line, PX_ERR_MEMORY.
PxStatus px_run_json_read(const char *dir, struct json_t **out);

/// Makes a random id.
void px_run_id_make(char run[PX_DIGEST_TEXT]);

/// Reads the identity from dir/run.json. It is unknown when the file is missing, damaged or of a
/// phyxel that had no ids. Errors: PX_ERR_MEMORY.
PxStatus px_run_id_read(const char *dir, PxRunId *out);
void px_run_id_free(PxRunId *id);

/// Adds an older run whose frames up to `last` are shared, and the runs that it shares with.
/// Errors: PX_ERR_MEMORY.
PxStatus px_run_id_share(PxRunId *id, const PxRunId *from, uint32_t last);

/// Checks that a file of frame `number` that holds this id and scene belongs to the run; passes
/// when `id` is unknown. Errors: PX_ERR_FORMAT.
PxStatus px_run_id_check(const PxRunId *id, uint32_t number, const char *run, const char *scene);

#endif
