/// Undoing a step that failed half way, for lack of memory or for a value that is not finite.
///
/// Stages fail when earlier stages have already changed particles, rest shapes and bonds. Before
/// the first of them the columns that a step changes are copied to scratch; after a failure they
/// are copied back. The bonds of the last step are still there: they are made in a second buffer
/// (coupling/elastic_set.h).
#ifndef PX_WORLD_UNDO_H
#define PX_WORLD_UNDO_H

#include "world/attached/skins.h"
#include "world/saved.h"

typedef void *PxUndoColumns[PX_TABLE_MAX_COLUMNS][PX_TABLE_MAX_COMPONENTS];

typedef struct PxUndo {
    PxSavedValue number[PX_SAVED_NUMBERS];
    uint64_t bonds_made; ///< as in PxElasticSet
    bool kept;
    PxUndoColumns particles, emitters; ///< in scratch, of the columns that change
    bool whole;                        ///< `before` holds all rows: settling removes some
    PxTable before;
    bool skins_kept;
    PxTable skins[PX_SKIN_TABLES];
} PxUndo;

/// Keeps the numbers. Call px_undo_end() in the end.
void px_undo_begin(PxWorld *world, PxUndo *undo);
/// Before the first step settles fillings: keeps the whole table of particles. Errors:
/// PX_ERR_MEMORY.
PxStatus px_undo_keep_all(PxWorld *world, PxUndo *undo);
/// Keeps the columns that a step changes, when rows have been sorted. Errors: PX_ERR_MEMORY.
PxStatus px_undo_keep(PxWorld *world, PxUndo *undo);
/// Before rest-shape updates: keeps the rest positions of skins. Errors: PX_ERR_MEMORY.
PxStatus px_undo_keep_skins(PxWorld *world, PxUndo *undo);

/// Puts everything back if the step failed, and frees what was kept.
void px_undo_end(PxWorld *world, PxUndo *undo, PxStatus status);

#endif
