/// Reads values from the JSON tree, for the readers of all sections. A value that is refused causes
/// a complaint and keeps its default.
#ifndef PX_SCENE_READ_VALUES_H
#define PX_SCENE_READ_VALUES_H

#include "scene/content.h"

/// Fails with PX_ERR_MEMORY.
PxStatus px_scene_no_room(const char *what, size_t count);

/// Number of errors in reading so far, including complaints beyond the maximum.
static inline size_t px_scene_errors(const PxScene *scene)
{
    return scene->errors + scene->errors_left_out[0];
}

bool px_read_number(PxScene *scene, const PxPath *path, const PxField *field, const json_t *value,
                    double *out);

/// Reads a model: "sesph", or {"model": "sesph", "gamma": 7}; without "model" it is the default
/// model.
bool px_read_model(PxScene *scene, const PxPath *path, const PxField *field, json_t *value,
                   PxModelChoice *out);

/// Reads one value into the member that the field describes.
bool px_read_field(PxScene *scene, const PxPath *path, const PxField *field, const json_t *value,
                   void *object);

/// Reads an object that may have these keys only.
bool px_read_fields(PxScene *scene, const PxPath *path, json_t *json, const PxField *fields,
                    size_t count, void *object);

/// Reads the fields of a section from an object, and complains about keys that the section's
/// divider forbids. The caller reads FILE, SHAPE, KEYFRAMES, TEMPERATURES, THING, LOOK and NUMBERS
/// fields.
void px_read_values(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                    void *object);

/// Complains about keys that are neither in these sections nor in `more`, and about required keys
/// that are missing. Both lists end with NULL; `more` may be NULL if there are no other keys.
void px_check_keys(PxScene *scene, const PxPath *path, json_t *json,
                   const PxSection *const *sections, const char *const *more);

/// Does both. Returns false after a complaint.
bool px_read_section(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                     void *object, const char *const *more);

/// Is the value an object? Complains if not.
bool px_read_object(PxScene *scene, const PxPath *path, const json_t *value, const char *wanted);

/// Reads text of at most `most` bytes; NULL after a complaint.
const char *px_read_text(PxScene *scene, const PxPath *at, size_t most, const json_t *value);

/// The list, of at most `most` elements; NULL if it is missing or refused.
json_t *px_read_list(PxScene *scene, const PxPath *at, size_t most, json_t *value);

#endif
