/// The inside of a PxScene: the text, the JSON tree, what was understood of it,
/// and what is wrong with it.
#ifndef PX_SCENE_CONTENT_H
#define PX_SCENE_CONTENT_H

#include "base/arena.h"
#include "base/digest.h"
#include "base/memory.h"
#include "phyxel/scene.h"
#include "scene/layout.h"
#include "scene/locate.h"

#include <jansson.h>

#define PX_SCENE_MOST_BYTES ((size_t)16 << 20)
#define PX_SCENE_MOST_BRACKETS ((size_t)1 << 20) ///< objects and lists in a scene
#define PX_SCENE_MOST_COMPLAINTS 200

#define PX_NO_MATERIAL SIZE_MAX
#define PX_NO_BODY SIZE_MAX

typedef struct PxSceneBody {
    PxBodyDef def;    ///< all but material, keyframes and the shape's rotation
    PxSceneTurn turn; ///< of the shape, as stated
    size_t material;  ///< index, or PX_NO_MATERIAL
    PxSceneKeyframe *keyframe;
    size_t keyframes;
    bool shape_known; ///< the shape was read without an error
    bool has_look;    ///< stated
    PxSceneLook look;
} PxSceneBody;

typedef struct PxSceneEmitter {
    PxEmitterDef def; ///< all but material and the shape's rotation
    PxSceneTurn turn;
    size_t material; ///< index, or PX_NO_MATERIAL
    bool shape_known;
} PxSceneEmitter;

typedef struct PxSceneSink {
    PxSinkDef def; ///< all but the shape's rotation
    PxSceneTurn turn;
    bool shape_known;
} PxSceneSink;

typedef struct PxSceneHandle {
    PxHandleDef def; ///< all but body, keyframes and the shape's rotation
    PxSceneTurn turn;
    size_t body; ///< index, or PX_NO_BODY: any solid
    PxSceneKeyframe *keyframe;
    size_t keyframes;
    bool shape_known;
} PxSceneHandle;

typedef struct PxSceneForce {
    PxForceDef def; ///< all but body and the shape's rotation
    PxSceneTurn turn;
    size_t body; ///< as of a handle
    bool shape_known;
} PxSceneForce;

typedef struct PxSceneHeater {
    PxHeaterDef def; ///< all but body and the shape's rotation
    PxSceneTurn turn;
    size_t body; ///< index, or PX_NO_BODY: whatever is in it
    bool shape_known;
} PxSceneHeater;

/// A complaint, and what is needed to find its place in the text.
typedef struct PxSceneComplaint {
    PxComplaint shown; ///< place and text belong to it
    uint64_t chain[8]; ///< hashes of its path and of what lies above; 0 ends
    bool at_key;       ///< the key, not the value
    bool deep;         ///< from px_scene_check()
    size_t order;      ///< in which they were found
} PxSceneComplaint;

/// A path that is no longer what the text says, and what was said instead: "PATH=VALUE".
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
    const char *name;
    PxSceneTime time;
    int up;           ///< PxSceneUp
    PxWorldDef world; ///< its spacing is 0 when that was refused
    PxMaterialDef *material;
    PxSceneLook **material_look; ///< one a material; NULL where none is stated
    size_t materials;
    PxSceneBody *body;
    size_t bodies;
    PxSceneEmitter *emitter;
    size_t emitters;
    PxSceneSink *sink;
    size_t sinks;
    PxSceneHandle *handle;
    size_t handles;
    PxSceneForce *force;
    size_t forces;
    PxSceneHeater *heater;
    size_t heaters;
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

/* --- complain.c --- */

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

/// "cubic, hexagonal", cut when it is long. Returns `buffer`.
const char *px_list_text(const char *const *words, size_t count, char *buffer, size_t size);

/// "; did you mean 'viscosity'?" or "". Returns `buffer`.
const char *px_suggestion_text(const char *wrong, const char *const *words, size_t count,
                               char *buffer, size_t size);

/* --- read.c --- */

/// Fills the empty content from the tree (NULL: with defaults), complaining, and
/// finishes the complaints. Errors: PX_ERR_MEMORY.
PxStatus px_scene_understand(PxScene *scene);

/// Drops the content and the complaints.
void px_scene_forget(PxScene *scene);

/* --- live.c --- */

/// What an event's path leads to.
typedef enum PxLiveScope {
    PX_LIVE_WORLD,
    PX_LIVE_MATERIAL,
    PX_LIVE_BODY,
    PX_LIVE_GIVEN, ///< the body that an emitter's matter is; the index is the emitter's
    PX_LIVE_EMITTER,
    PX_LIVE_FORCE,
    PX_LIVE_HEATER
} PxLiveScope;
typedef struct PxLive {
    PxLiveScope scope;
    size_t index; ///< of the material, body, emitter, force or heater
    const PxField *field;
    const char *rest; ///< for px_field_set()
} PxLive;

/// Finds what may change under that path while the world runs; the message of a
/// failure says what else could be meant.
PxStatus px_scene_live(const PxScene *scene, const char *path, PxLive *out);

/* --- pose.c --- */

PxVec3 px_scene_up_vector(const PxScene *scene);

/// The shape as the world wants it: upright along `up`, then turned.
PxShapeDef px_scene_shape(const PxScene *scene, const PxShapeDef *shape, const PxSceneTurn *turn);

/// The same where the keyframes of a wall or handle have it at time 0.
PxShapeDef px_scene_shape_at_start(const PxScene *scene, const PxShapeDef *shape,
                                   const PxSceneTurn *turn, const PxSceneKeyframe *keyframe,
                                   size_t keyframes);

/// Is that body a solid: does it give way, and come back?
bool px_scene_is_solid(const PxScene *scene, size_t body);

/// Does anything flow, or heat? Then solids take part in the stages of fluids (px_world_flows()).
bool px_scene_flows(const PxScene *scene);

/// Keyframes for the world. Between two turns about one axis the way is
/// the stated one, however far round, so keyframes are put between where half a
/// turn or more would otherwise be taken by the shorter arc. With `out` NULL only
/// counts them.
size_t px_scene_keyframes(const PxSceneKeyframe *keyframe, size_t keyframes, PxKeyframe *out);

#endif
