/// What a world needs to continue with the same bits: numbers, tables, and the things in it.
///
/// px_world_save() keeps all of it in memory. A checkpoint is the numbers and the tables in a file;
/// the things it takes from the scene, whose events are carried out again.
#ifndef PX_WORLD_SAVED_H
#define PX_WORLD_SAVED_H

#include "world/state.h"

enum {
    PX_SAVED_PART_TABLES = 4, ///< tables of one part, at most
    PX_SAVED_NUMBERS = 64,    ///< numbers, at most
};

/// A number of the world: PX_U64, PX_U32 or PX_F64.
typedef struct PxSavedNumber {
    const char *name;
    PxType type;
    size_t offset; ///< in PxWorld
} PxSavedNumber;

extern const PxSavedNumber px_saved_numbers[];
extern const size_t px_saved_number_count;

typedef union PxSavedValue {
    uint64_t whole; ///< PX_U64, PX_U32
    double real;    ///< PX_F64
} PxSavedValue;

struct PxThings;

struct PxSavedWorld {
    const PxWorld *world; ///< that it was made of; NULL: read from a file
    PxSavedValue value[PX_SAVED_NUMBERS];
    size_t tables;
    PxTable *table; ///< see px_saved_table()
    bool view;      ///< tables that live in the world are not copied
    struct PxThings *things;
};

/// The k-th table and its name; NULL from the last on. A table without columns is one that this
/// world does not have.
PxTable *px_saved_table(PxSavedWorld *saved, size_t k, const char **name);

/// The table of that name; NULL: there is none.
PxTable *px_saved_find(PxSavedWorld *saved, const char *name);

/// The number of that name; NULL: there is none.
PxSavedValue *px_saved_number(PxSavedWorld *saved, const char *name);

/// An empty one, to be filled from a file. Free with px_saved_free(). Errors: PX_ERR_MEMORY.
PxStatus px_saved_create(PxSavedWorld **out);

/// The numbers and tables of a world as it is now, good until it is next changed: tables that
/// live in the world are borrowed. Free with px_saved_free(). Errors: PX_ERR_MEMORY.
PxStatus px_saved_view(const PxWorld *world, PxSavedWorld **out);

/// Puts `fresh`, just built from the same scene, where the numbers and tables were taken. Events
/// that were carried out by then are carried out again. After a failure the world is of no use.
/// Errors: PX_ERR_FORMAT when they do not fit the world, PX_ERR_MEMORY.
PxStatus px_world_resume(PxWorld *fresh, const PxSavedWorld *saved);

/// The same, from a living world. Errors: as above.
PxStatus px_world_continue(PxWorld *fresh, const PxWorld *world);

#endif
