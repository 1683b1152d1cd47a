/// The inside of a PxScene: its text, the JSON tree, the content that was read from it, and the
/// complaints about it.
#ifndef PX_SCENE_CONTENT_H
#define PX_SCENE_CONTENT_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/memory.h"
#include "phyxel/scene.h"
#include "scene/layout/sections.h"
#include "scene/text/locate.h"
#include "world/kinds/value_path.h"

#include <jansson.h>

#define PX_SCENE_MOST_BYTES ((size_t)16 << 20)
#define PX_SCENE_MOST_BRACKETS ((size_t)1 << 20) ///< objects and lists in a scene
#define PX_SCENE_MOST_COMPLAINTS 200

/// No thing.
#define PX_NO_MATERIAL SIZE_MAX
#define PX_NO_BODY SIZE_MAX

/// What a scene keeps of a thing beside its def (world/kinds/kind.h). The def follows it in
/// memory; it lacks the ids of other things, the keyframes and the rotation of the shape.
typedef struct PxSceneThing {
    PxSceneTurn turn; ///< of the shape, as stated
    PxSceneKeyframe *keyframe;
    size_t keyframes;
    size_t refers[2];        ///< index of what its THING fields name, in their order, or SIZE_MAX
    bool shape_known;        ///< the shape was read without an error
    const PxSceneLook *look; ///< NULL: none stated
} PxSceneThing;

/// All things of one kind.
typedef struct PxSceneList {
    PxSceneThing *thing; ///< the first; use px_scene_thing()
    size_t count;
} PxSceneList;

/* The same for those who know the kind. */
typedef struct PxSceneMaterial {
    PxSceneThing is;
    PxMaterialDef def;
} PxSceneMaterial;

typedef struct PxSceneBody {
    PxSceneThing is; ///< refers[0]: the material
    PxBodyDef def;
} PxSceneBody;

typedef struct PxSceneEmitter {
    PxSceneThing is; ///< refers[0]: the material
    PxEmitterDef def;
} PxSceneEmitter;

typedef struct PxSceneSink {
    PxSceneThing is;
    PxSinkDef def;
} PxSceneSink;

typedef struct PxSceneHandle {
    PxSceneThing is; ///< refers[0]: the body, or PX_NO_BODY: any solid
    PxHandleDef def;
} PxSceneHandle;

typedef struct PxSceneForce {
    PxSceneThing is; ///< refers[0]: as of a handle
    PxForceDef def;
} PxSceneForce;

typedef struct PxSceneHeater {
    PxSceneThing is; ///< refers[0]: the body, or PX_NO_BODY: any matter
    PxHeaterDef def;
} PxSceneHeater;

/// A complaint, and what is needed to find its line in the text.
typedef struct PxSceneComplaint {
    PxComplaint shown; ///< place and text belong to it
    uint64_t chain[8]; ///< hashes of its path and of what lies above; 0 ends
    bool at_key;       ///< the key, not the value
    bool deep;         ///< from px_scene_check()
    size_t order;      ///< in which they were found
} PxSceneComplaint;

/// A place whose value was changed after reading, and how: "PATH=VALUE".
typedef struct PxSceneChange {
    uint64_t path;
    char *text;
} PxSceneChange;

struct PxScene {
    char *file;   ///< name for complaints
    char *folder; ///< absolute; NULL: files may not be named
    char *text;   ///< as read; NULL when it was too long
    size_t size;
    json_t *root;                   ///< NULL when the text is not JSON
    PX_LIST(PxSceneChange) changed; ///< by px_scene_set()

    PxArena memory; ///< of what follows; strings may also belong to the tree
    PxSceneHead head;
    PxWorldDef world; ///< its spacing is 0 when that was refused
    union {
        PxSceneList list[PX_KIND_COUNT]; ///< in the order of px_kinds
        struct {                         ///< the same by name: `material`, `materials`, ...
#define PX_MEMBERS(Type, word, list)                                                               \
    struct PxScene##Type *word;                                                                    \
    size_t list;
            PX_KINDS(PX_MEMBERS)
#undef PX_MEMBERS
        };
    };
    PxSceneEvent *event; ///< only those without an error
    size_t *event_index; ///< where in the list they stand
    size_t events;
    PxSceneCamera camera;
    bool has_camera;
    PxSceneOutput output;

    PX_LIST(PxSceneComplaint) complaints;
    size_t errors;      ///< among the complaints
    size_t left_out[2]; ///< beyond the most: of reading, of px_scene_check()
    size_t errors_left_out[2];
    bool checking;  ///< complaints made now are px_scene_check()'s
    bool no_memory; ///< something could not be kept

    char *resolved; ///< made when first asked for
    char hash[PX_DIGEST_TEXT];
};

/* --- scene.c --- */

/// PX_ERR_FORMAT, and how many, when there are errors among the complaints.
PxStatus px_scene_verdict(const PxScene *scene);

/* --- text/complain.c --- */

/// Where a complaint points to. What is not in the text points to the nearest
/// thing above it that is: a missing key to its object.
typedef enum PxSpot { PX_AT_VALUE, PX_AT_KEY } PxSpot;

void px_complain(PxScene *scene, PxSeverity severity, const PxPath *path, PxSpot spot,
                 const char *format, ...) PX_PRINTF(5, 6);

/// The same for what is wrong at a line and column that are known already.
void px_complain_at(PxScene *scene, int line, int column, const char *format, ...) PX_PRINTF(4, 5);

/// Drops all complaints, or only those of px_scene_check().
void px_complaints_clear(PxScene *scene, bool only_deep);

/// Finds their lines and sorts them. Errors: PX_ERR_MEMORY.
PxStatus px_complaints_finish(PxScene *scene);

/// "text 'abc'", "the number 5", "a list of 3", ... Returns `buffer`.
const char *px_json_text(const json_t *value, char *buffer, size_t size);

/* --- read/top.c --- */

/// Fills the empty content from the tree (NULL: with defaults), complaining, and
/// finishes the complaints. Errors: PX_ERR_MEMORY.
PxStatus px_scene_understand(PxScene *scene);

/// Drops the content and the complaints.
void px_scene_forget(PxScene *scene);

/* --- things.c --- */

/// Bytes from one thing of a kind to the next.
static inline size_t px_thing_stride(const PxKind *kind)
{
    return sizeof(PxSceneThing) + (kind->section.size + 7) / 8 * 8;
}

static inline PxSceneThing *px_scene_thing(const PxSceneList *list, const PxKind *kind, size_t k)
{
    return (PxSceneThing *)((char *)list->thing + k * px_thing_stride(kind));
}

static inline void *px_thing_def(PxSceneThing *thing)
{
    return thing + 1;
}

/// The things of a kind.
PxSceneList *px_scene_list(PxScene *scene, const PxKind *kind);

/// Which of the THING fields of a section that is: its place in `refers`.
size_t px_reference_index(const PxSection *section, const PxField *field);

/// Finds what may change under that path while the world runs. Errors: PX_ERR_ARGUMENT, with a
/// message that says what else could be meant. Bodies beyond scene->bodies are the matter of
/// emitters.
PxStatus px_scene_live(const PxScene *scene, const char *path, PxLive *out);

/* --- pose.c --- */

PxVec3 px_scene_up_vector(const PxScene *scene);

/// The shape as the world wants it: upright along `up`, then turned.
PxShapeDef px_scene_shape(const PxScene *scene, const PxShapeDef *shape, const PxSceneTurn *turn);

/// The same where the keyframes of a wall or handle have it at time 0.
PxShapeDef px_scene_shape_at_start(const PxScene *scene, const PxShapeDef *shape,
                                   const PxSceneTurn *turn, const PxSceneKeyframe *keyframe,
                                   size_t keyframes);

/// Is that body elastic?
bool px_scene_is_solid(const PxScene *scene, size_t body);

/// Is there any fluid, melting or heat? Then solids take part in the stages of fluids
/// (px_world_flows()).
bool px_scene_flows(const PxScene *scene);

/// Keyframes for the world, which interpolates rotations by the shorter arc. Where two stated
/// turns about one axis are far apart, keyframes are put in between. With `out` NULL only counts
/// them.
size_t px_scene_keyframes(const PxSceneKeyframe *keyframe, size_t keyframes, PxKeyframe *out);

#endif
