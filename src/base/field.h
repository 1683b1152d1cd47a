/// Fields: descriptions of the members of a def struct (key, unit, range, meaning), shared by the
/// scene reader, its messages, the JSON schema, events and px_world_set().
#ifndef PX_BASE_FIELD_H
#define PX_BASE_FIELD_H

#include "base/fail.h"
#include "phyxel/suggest.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum PxFieldKind {
    PX_FIELD_NUMBER, ///< double
    PX_FIELD_COUNT,  ///< double that must be a whole number
    PX_FIELD_VECTOR, ///< PxVec3
    PX_FIELD_FLAG,   ///< bool
    PX_FIELD_WORD,   ///< int: index into `words`
    PX_FIELD_MODEL,  ///< PxModelChoice of `family`
} PxFieldKind;

enum {
    PX_FIELD_REQUIRED = 1u, ///< a scene must state it
    PX_FIELD_LIVE = 2u,     ///< may change while the world runs
    PX_FIELD_ABOVE = 4u,    ///< `least` itself is not allowed
};

struct PxFamily;

typedef struct PxField {
    const char *key;
    PxFieldKind kind;
    unsigned flags;
    size_t offset;
    const char *unit; ///< "" for a pure number
    double least, most;
    const char *help;              ///< one line
    const char *const *words;      ///< PX_FIELD_WORD: NULL-terminated
    const struct PxFamily *family; ///< PX_FIELD_MODEL
} PxField;

/// A family of models: what a scene may name by word.
typedef struct PxModelInfo {
    const char *name;
    const char *summary;
    const PxField *fields; ///< its numbers; offset = index * sizeof(double)
    size_t field_count;
    const double *defaults; ///< one a field
} PxModelInfo;

typedef struct PxFamily {
    const char *name; ///< "pressure"
    const PxModelInfo *const *models;
    const PxModelInfo *const *avx2; ///< the same, compiled for AVX2 (base/family.h)
    size_t count;
} PxFamily;

/// NULL when no field has that key.
const PxField *px_field_find(const PxField *fields, size_t count, const char *key);
const PxModelInfo *px_family_find(const PxFamily *family, const char *name);

/// Is `value` in the field's range (and whole, for PX_FIELD_COUNT)? False for NaN.
bool px_field_allows(const PxField *field, double value);

/// "a number from 0 to 1", "a positive number in kg/m^3": for messages.
const char *px_field_range_text(const PxField *field, char *buffer, size_t size);

/// Sets one number (NUMBER, COUNT), or one or three components of a VECTOR, in the struct
/// at `object` after checking the range. `rest` is what of the path follows the
/// key: NULL, or "0".."2"/"x".."z" for a vector, or a parameter's key for a
/// model. `where` is the whole path, for the message.
PxStatus px_field_set(const PxField *field, void *object, const char *rest, const double *value,
                      int values, const char *where);

/// Checks every number of the struct at `object`; `what` begins the message.
PxStatus px_fields_check(const PxField *fields, size_t count, const void *object, const char *what);

#endif
