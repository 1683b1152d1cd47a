/// Paths of values: "gravity.y", "materials.water.viscosity", "bodies[2].shape.at".
///
/// A path is a sequence of steps separated by dots; [N] is a step too. The first step names a
/// number of the world or the list of a kind. After a list come the name of a thing, the key of a
/// field and, if the field has parts, one of them. Events, px_world_set() and `--set` all use this
/// parser, so a misspelt step gets the same suggestion everywhere.
#ifndef PX_WORLD_KINDS_VALUE_PATH_H
#define PX_WORLD_KINDS_VALUE_PATH_H

#include "world/kinds/kind.h"

enum { PX_STEPS_MOST = 12, PX_STEP_SIZE = 200 };

typedef struct PxSteps {
    char word[PX_STEPS_MOST][PX_STEP_SIZE];
    size_t count;
} PxSteps;

/// Splits a path into its steps. Errors: PX_ERR_ARGUMENT; the message does not repeat the path, the
/// caller adds it.
PxStatus px_steps_split(const char *path, PxSteps *out);

/// "there is no WHAT 'watr'; there are water, oil; did you mean 'water'?" (WHAT NULL: "there is no
/// 'watr' to set"). Returns PX_ERR_ARGUMENT.
PxStatus px_fail_unknown(const char *what, const char *word, const char *const *words,
                         size_t count);

/// The things to search: those of a running world, or of a scene.
typedef struct PxThingSource {
    const void *user;
    PxWorldDef *world;
    size_t (*count)(const void *user, const PxKind *kind);
    /// Def of the thing and its name; NULL if the slot is empty.
    void *(*at)(const void *user, const PxKind *kind, size_t index, const char **name);
} PxThingSource;

/// A number that may change while the world runs, found by its path.
typedef struct PxLive {
    const PxKind *kind; ///< kind of the thing; NULL: the number belongs to the world itself
    size_t index;       ///< of the thing among its kind
    void *object;       ///< def of the thing, or of the world
    const char *key;    ///< the step after the thing's name
    const PxField *field;
    const char *rest; ///< step inside the field, for px_field_set(); NULL: the whole field
    PxSteps steps;    ///< owns the text of `key` and `rest`
} PxLive;

/// Finds the number of a path. Errors: PX_ERR_ARGUMENT, with suggestions; the message does not
/// repeat the path, the caller adds it.
PxStatus px_live_find(const PxThingSource *things, const char *path, PxLive *out);

#endif
