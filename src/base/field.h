/// Fields: descriptions of the members of a struct (key, unit, range, meaning), shared by the scene
/// reader, its messages, the resolved scene, the JSON schema, events and px_world_set().
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
    PX_FIELD_FILL,   ///< as WORD; in a scene also an object, read by the reader of bodies
    PX_FIELD_CHOICE, ///< double: index into `words`; for parameters of models
    PX_FIELD_MODEL,  ///< PxModelChoice of `family`

    /* Kinds without a range; px_field_set() and px_fields_check() ignore them. */
    PX_FIELD_TEXT,         ///< const char *, at most `most` bytes
    PX_FIELD_FILE,         ///< const char *: path of a file; NULL: none
    PX_FIELD_SHAPE,        ///< PxShapeDef
    PX_FIELD_KEYFRAMES,    ///< const PxKeyframe *; their count (size_t) is at `beside`
    PX_FIELD_TEMPERATURES, ///< const PxTemperatureKey *; their count (size_t) is at `beside`
    PX_FIELD_THING,        ///< id of an entry of the list named by `of`
    PX_FIELD_PART,         ///< nested object described by `part`, whose offsets start here.
                           ///< Optional parts have a bool at `beside`: true if stated
    PX_FIELD_STRENGTH,     ///< double: first parameter of a model; a scene may state the whole
                           ///< model instead; the PxModelChoice is at `beside`
    PX_FIELD_LOOK,         ///< appearance in renderings; not stored in the struct
    PX_FIELD_NUMBERS,      ///< one number or three; parsed by the owner of the struct
    PX_FIELD_VERSION,      ///< version of the scene format; not stored
} PxFieldKind;

enum {
    PX_FIELD_REQUIRED = 1u,    ///< a scene must state it
    PX_FIELD_LIVE = 2u,        ///< may change while the world runs
    PX_FIELD_ABOVE = 4u,       ///< `least` itself is not allowed
    PX_FIELD_DIRECTION = 8u,   ///< a vector that must not be zero
    PX_FIELD_ONLY_IF = 16u,    ///< only if the section's divider is true
    PX_FIELD_ONLY_NOT = 32u,   ///< only if the section's divider is false
    PX_FIELD_OF_SOLID = 64u,   ///< THING: a body whose material is elastic
    PX_FIELD_OF_MATTER = 128u, ///< THING: a body of particles
    PX_FIELD_OF_CLOTH = 512u,  ///< THING: also a body of cloth
    PX_FIELD_ALSO = 256u       ///< with ONLY_IF: also if the section's second flag is true
};

struct PxFamily;
struct PxSection;

typedef struct PxField {
    const char *key;
    PxFieldKind kind;
    unsigned flags;
    size_t offset;
    const char *unit; ///< "" for a pure number
    double least, most;
    const char *help;              ///< one-line description
    const char *const *words;      ///< WORD, CHOICE: NULL-terminated; FILE: what it is
    const struct PxFamily *family; ///< MODEL, STRENGTH
    const struct PxSection *part;  ///< PART
    const char *of;                ///< THING: "materials"
    size_t beside;                 ///< offset of a second member; see the kinds above
} PxField;

/// Describes an object of a scene: its keys and the struct that they fill.
typedef struct PxSection {
    const char *name;
    const char *help;
    const char *wanted; ///< "an object with ...": for messages
    const PxField *fields;
    size_t field_count;
    size_t size;                    ///< bytes of the struct
    void (*defaults)(void *object); ///< fills the struct
    const char *divider;            ///< key of a FLAG that decides which keys are allowed, or NULL
    const char *divided;            ///< plural noun for objects with that flag: "walls"
    const char *also;      ///< key of a FLAG with which PX_FIELD_ALSO keys are allowed, or NULL
    const char *either[3]; ///< keys of which at least one must be stated, or NULL
    /// Hint for a key that belongs to another section; NULL: none.
    const char *(*misplaced)(const char *key);
} PxSection;

/// A model that a scene selects by name.
typedef struct PxModelInfo {
    const char *name;
    const char *summary;
    const PxField *fields; ///< its parameters; offset = index * sizeof(double)
    size_t field_count;
    const double *defaults; ///< one for each field
} PxModelInfo;

typedef struct PxFamily {
    const char *name; ///< "pressure"
    const PxModelInfo *const *models;
    const PxModelInfo *const *avx2; ///< the same models compiled for AVX2 (base/family.h)
    size_t count;
} PxFamily;

/// NULL when no field has that key.
const PxField *px_field_find(const PxField *fields, size_t count, const char *key);
const PxModelInfo *px_family_find(const PxFamily *family, const char *name);

/// The member of `object` that the field describes.
static inline const void *px_field_in(const PxField *field, const void *object)
{
    return (const char *)object + field->offset;
}

/// True if the section's divider allows this field in `object`.
bool px_field_applies(const PxSection *section, const PxField *field, const void *object);

/// True if `value` is in the field's range (and an integer, for COUNT and CHOICE). False for NaN.
bool px_field_allows(const PxField *field, double value);

/// "a number from 0 to 1", "a positive number in kg/m^3": for messages.
const char *px_field_range_text(const PxField *field, char *buffer, size_t size);

/// Component 0..2 of a vector by its name, "0".."2" or "x".."z"; -1: no such name.
int px_vector_component(const char *name);

/// Sets one number (NUMBER, COUNT, STRENGTH), or one or three components of a VECTOR, in the struct
/// at `object` after checking the range. `rest` is the part of the path after the
/// key: NULL, or "0".."2"/"x".."z" for a vector, or a parameter's key for a
/// model. `where` is the whole path, for the message.
PxStatus px_field_set(const PxField *field, void *object, const char *rest, const double *value,
                      int values, const char *where);

/// Checks the range of every number of the struct at `object`; `what` begins the message.
PxStatus px_fields_check(const PxField *fields, size_t count, const void *object, const char *what);

#endif
