/// Seams of cloth: things of a scene, and their part of a step.
///
/// A seam finds its ties when it is added. From its `start` they draw both borders together, in
/// `time`, and then hold them. A tie that has closed rips when it must carry more than `strength`.
#ifndef PX_WORLD_ACTORS_SEAM_H
#define PX_WORLD_ACTORS_SEAM_H

#include "base/slot.h"
#include "base/table.h"
#include "cloth/seam.h"
#include "phyxel/world.h"

struct PxWorldState;

typedef struct PxSeam {
    PX_SLOT_MEMBERS;
    PxSeamDef def;    ///< its `name` points at the array above
    uint32_t body[2]; ///< slots; UINT32_MAX: it was removed
    PxClothTie *tie;
    size_t ties;
} PxSeam;

/// Completes a new seam. Errors: PX_ERR_ARGUMENT if the bodies are no cloth, or nothing is sewn.
PxStatus px_seam_make(PxWorld *world, const void *def, void *thing);
/// A body of cloth leaves: its seams hold nothing any more.
void px_seams_leave(PxWorld *world, uint32_t body);

/// Adds the ties to the contacts of a step. Errors: PX_ERR_MEMORY.
PxStatus px_seams_begin(const PxWorld *world, PxClothStep *step);
/// After a step: notes where sewing began and what ripped.
void px_seams_commit(PxWorld *world, const PxClothStep *step);
/// Ties that have ripped so far, in all seams.
uint64_t px_seams_ripped(const PxWorld *world);
/// Energy in the threads, J.
double px_seams_energy(const PxWorld *world, const PxClothStep *step);

/// State of all ties, for checkpoints.
PxStatus px_world_store_seams(const PxWorld *world, PxTable *table);
PxStatus px_world_restore_seams(PxWorld *world, const PxTable *table);

/// Gives flat cloth that threads press together in its plane a velocity that rolls it. `thread` is
/// the longest thread of the seam, `time` how long it closes, s.
void px_seam_roll(PxClothStep *step, const size_t cloth[2], PxVec3 thread, double time);

#endif
