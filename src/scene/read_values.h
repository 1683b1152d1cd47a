/// Values out of the JSON tree: what the readers of all sections share. What is refused is
/// complained about and leaves the default.
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

/// The keys of a section, then its fields into `object`. Entries are left to the
/// caller. False when something was wrong with a field or a key.
bool px_read_section(PxScene *scene, const PxPath *path, json_t *json, const PxSection *section,
                     void *object);

/// Is it an object?
bool px_read_object(PxScene *scene, const PxPath *path, const json_t *value, const char *wanted);

/// Text of an entry, or NULL when it is absent or refused.
const char *px_read_text(PxScene *scene, const PxPath *path, const PxSection *section,
                         const char *key, const json_t *json);

/// A list, or NULL when it is absent or none.
json_t *px_read_list(PxScene *scene, const PxPath *path, const PxSection *section, const char *key,
                     const json_t *json);

#endif
