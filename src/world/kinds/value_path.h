/// Paths of values: "gravity.y", "materials.water.viscosity", "bodies[2].shape.at".
///
/// A path is a chain of steps parted by dots; [N] is a step, too. The first step is a number of
/// the world or the list of a kind, then comes the name of a thing, then the key of a field,
/// then what is inside that field. Events, px_world_set() and `--set` all split and search here,
/// so that a misspelt step gets the same suggestion everywhere.
#ifndef PX_WORLD_KINDS_VALUE_PATH_H
#define PX_WORLD_KINDS_VALUE_PATH_H

#include "world/kinds/kind.h"

enum { PX_STEPS_MOST = 12, PX_STEP_SIZE = 200 };

typedef struct PxSteps {
    char word[PX_STEPS_MOST][PX_STEP_SIZE];
    size_t count;
} PxSteps;

/// Errors: PX_ERR_ARGUMENT, with a message that says what is wrong but not the path.
PxStatus px_steps_split(const char *path, PxSteps *out);

/// "there is no WHAT 'watr'; there are water, oil; did you mean 'water'?" (WHAT NULL: "there is no
/// 'watr' to set"). Returns PX_ERR_ARGUMENT.
PxStatus px_fail_unknown(const char *what, const char *word, const char *const *words,
                         size_t count);

/// Where things are looked for: a running world, or a scene.
typedef struct PxThingSource {
    const void *user;
    PxWorldDef *world;
    size_t (*count)(const void *user, const PxKind *kind);
    void *(*at)(const void *user, const PxKind *kind, size_t index, const char **name);
} PxThingSource;

/// A number that may change while the world runs.
typedef struct PxLive {
    const PxKind *kind; ///< NULL: of the world itself
    size_t index;       ///< of the thing
    void *object;       ///< its def, or the world's
    const char *key;    ///< the step behind the name
    const PxField *field;
    const char *rest; ///< for px_field_set()
    PxSteps steps;    ///< `key` and `rest` point here
} PxLive;

/// Finds it. Errors: PX_ERR_ARGUMENT, with a message that says what else could be meant but not
/// the path.
PxStatus px_live_find(const PxThingSource *things, const char *path, PxLive *out);

#endif
