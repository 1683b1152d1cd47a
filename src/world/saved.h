/// The saved state of a world, with which it continues bit-identically: numbers, tables, things.
///
/// px_world_save() keeps all three in memory. A checkpoint file holds numbers and tables; the
/// things are built from the scene, and its past events are executed again.
#ifndef PX_WORLD_SAVED_H
#define PX_WORLD_SAVED_H

#include "world/state.h"

enum {
    PX_SAVED_PART_TABLES = 4, ///< most tables of one part
    PX_SAVED_NUMBERS = 72,    ///< most numbers
};

/// No quantity of a world is as large, and squares of it are finite in single precision.
#define PX_SAVED_LARGEST 1e18

/// A saved number of PxWorld; `type` is PX_U64, PX_U32 or PX_F64.
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

/// The numbers of a world; value[] has PX_SAVED_NUMBERS entries.
void px_saved_get_numbers(const PxWorld *world, PxSavedValue *value);
void px_saved_put_numbers(PxWorld *world, const PxSavedValue *value);

struct PxThings;

struct PxSavedWorld {
    const PxWorld *world; ///< the world it was saved from; NULL: read from a file
    PxSavedValue value[PX_SAVED_NUMBERS];
    size_t tables;
    PxTable *table; ///< see px_saved_table()
    bool view;      ///< tables owned by the world are borrowed, not copied
    struct PxThings *things;
};

/// The k-th table and its name; NULL after the last. Tables that this world lacks have no columns.
PxTable *px_saved_table(PxSavedWorld *saved, size_t k, const char **name);

/// Finds a table by name; NULL: none.
PxTable *px_saved_find(PxSavedWorld *saved, const char *name);

/// Finds a number by name; NULL: none.
PxSavedValue *px_saved_number(PxSavedWorld *saved, const char *name);

/// Creates an empty state to be read from a file. Free with px_saved_free(). Errors: PX_ERR_MEMORY.
PxStatus px_saved_create(PxSavedWorld **out);

/// Numbers and tables of the present state, valid until the world next changes, because tables
/// owned by the world are borrowed. Free with px_saved_free(). Errors: PX_ERR_MEMORY.
PxStatus px_saved_view(const PxWorld *world, PxSavedWorld **out);

/// Sets `fresh`, just built from the same scene, to the saved state; past events are executed
/// again. After an error the world must not be used.
/// Errors: PX_ERR_FORMAT when the state does not fit the world, PX_ERR_MEMORY.
PxStatus px_world_resume(PxWorld *fresh, const PxSavedWorld *saved);

/// Like px_world_resume(), from the present state of another world. Errors: as above.
PxStatus px_world_continue(PxWorld *fresh, const PxWorld *world);

#endif
