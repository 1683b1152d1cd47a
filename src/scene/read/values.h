/// Values out of the JSON tree: shared by the readers of all sections. A value that is refused
/// becomes a complaint and leaves the default.
#ifndef PX_SCENE_READ_VALUES_H
#define PX_SCENE_READ_VALUES_H

#include "scene/content.h"

/// PX_ERR_MEMORY.
PxStatus px_scene_no_room(const char *what, size_t count);

/// Errors of reading so far, with those that were left out.
static inline size_t px_scene_errors(const PxScene *scene)
{
    return scene->errors + scene->errors_left_out[0];
}

bool px_read_number(PxScene *scene, const PxPath *path, const PxField *field, const json_t *value,
                    double *out);

/// "sesph", or {"model": "sesph", "gamma": 7}; without a word it is the default one.
bool px_read_model(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                   PxModelChoice *out);

/// One value into the member that the field describes.
bool px_read_field(PxScene *scene, const PxPath *path, const PxField *field, const json_t *value,
                   void *object);

/// An object that has these fields and no other keys.
bool px_read_fields(PxScene *scene, const PxPath *path, json_t *json, const PxField *fields,
                    size_t count, void *object);

/// The fields of a section out of an object. Left to the caller: FILE, SHAPE, KEYFRAMES,
/// TEMPERATURES, THING, LOOK and NUMBERS. Complains about keys that the section's divider forbids.
void px_read_values(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                    void *object);

/// Complains about keys that are neither in these sections nor in `more`, and about required
/// ones that are missing. Both lists end with NULL; `more` may be NULL.
void px_check_keys(PxScene *scene, const PxPath *path, json_t *json,
                   const PxSection *const *sections, const char *const *more);

/// Both. False when something was wrong.
bool px_read_section(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                     void *object, const char *const *more);

/// Is it an object?
bool px_read_object(PxScene *scene, const PxPath *path, const json_t *value, const char *wanted);

/// Text of at most `most` bytes; NULL when it is refused.
const char *px_read_text(PxScene *scene, const PxPath *at, size_t most, const json_t *value);

/// A list of at most `most` elements; NULL when there is none or it is refused.
json_t *px_read_list(PxScene *scene, const PxPath *at, size_t most, json_t *value);

#endif
