/// The members of a PxScene: its text, the JSON tree, the content read from it, and the complaints
/// about it.
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

/// A thing of a scene: the values that its def (world/kinds/kind.h) cannot hold before there is a
/// world. The def follows in memory; in it the ids of other things, the keyframes and the rotation
/// of the shape are not set.
typedef struct PxSceneThing {
    PxSceneTurn turn; ///< of the shape, as stated
    PxSceneKeyframe *keyframe;
    size_t keyframes;
    size_t refers[3];        ///< indices of the things that its THING fields name, or SIZE_MAX
    bool shape_known;        ///< the shape was read without an error
    const PxSceneLook *look; ///< NULL: none stated
    PxSceneVessel *vessel;   ///< that a liquid fills; NULL: it has a shape
} PxSceneThing;

/// All things of one kind.
typedef struct PxSceneList {
    PxSceneThing *thing; ///< the first; use px_scene_thing()
    size_t count;
} PxSceneList;

/* Things together with the def of their kind, for code that knows the kind. */
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
    PxSceneThing is; ///< refers[0]: the body, or PX_NO_BODY: any solid
    PxForceDef def;
} PxSceneForce;

typedef struct PxSceneForceField {
    PxSceneThing is; ///< refers[0]: the body, or PX_NO_BODY: all
    PxForceFieldDef def;
} PxSceneForceField;

typedef struct PxSceneHeater {
    PxSceneThing is; ///< refers[0]: the body, or PX_NO_BODY: any matter
    PxHeaterDef def;
} PxSceneHeater;

typedef struct PxSceneGauge {
    PxSceneThing is; ///< refers: body, handle, heater
    PxGaugeDef def;
} PxSceneGauge;

/// A complaint, with the data to find its line in the text.
typedef struct PxSceneComplaint {
    PxComplaint shown; ///< owns its place and text
    uint64_t chain[8]; ///< hashes of its path and of the paths of its parents; 0 ends the list
    bool at_key;       ///< it points to the key, not to the value
    bool deep;         ///< made by px_scene_check()
    size_t order;      ///< order in which complaints were made
} PxSceneComplaint;

/// A value that px_scene_set() changed after reading.
typedef struct PxSceneChange {
    uint64_t path; ///< hash of its path
    char *text;    ///< "PATH=VALUE"
} PxSceneChange;

/// Particles of a liquid that fills a vessel or makes room for other bodies, or of a file.
typedef struct PxSceneMatter {
    PxVec3 *point; ///< NULL: its shape is filled
    size_t count;
    double depth, volume; ///< that its vessel holds, m and m^3; 0: it fills none
} PxSceneMatter;

/// Part of a liquid that makes room for another body.
typedef struct PxSceneCarving {
    size_t liquid, by;
    double part;
} PxSceneCarving;

struct PxScene {
    char *file;   ///< name for complaints
    char *folder; ///< absolute folder of files that the scene names; NULL: it may name none
    char *text;   ///< as read; NULL when it was too long
    size_t size;
    json_t *root;                   ///< NULL when the text is not JSON
    PX_LIST(PxSceneChange) changed; ///< by px_scene_set()

    PxArena memory; ///< owns the members below; strings may also belong to the JSON tree
    PxSceneHead head;
    PxWorldDef world; ///< its spacing is 0 if the stated one was invalid
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
    size_t *event_index; ///< index of each in the scene's list of events
    size_t events;
    PxSceneCamera camera;
    bool has_camera;
    PxSceneView *view; ///< through which the camera moves; the first is `camera`
    size_t views;
    PxScenePicture picture;
    bool has_picture;
    PxSceneLamp *lamp;
    size_t lamps;
    PxSceneOutput output;

    PX_LIST(PxSceneComplaint) complaints;
    size_t errors;      ///< among the complaints
    size_t left_out[2]; ///< complaints beyond the maximum: of reading, of px_scene_check()
    size_t errors_left_out[2];
    bool checking;  ///< px_scene_check() is running
    bool checked;   ///< it found no error in the present content
    bool no_memory; ///< an allocation failed

    PxSceneMatter *matter;            ///< by body; NULL: not known yet (px_survey_make())
    PX_LIST(PxSceneCarving) carvings; ///< known with `matter`
    bool settled;                     ///< the liquids in `matter` have come to rest

    char *resolved; ///< made when first asked for
    char hash[PX_DIGEST_TEXT];
};

/* --- scene.c --- */

/// PX_ERR_FORMAT with the number of errors, if there are any among the complaints.
PxStatus px_scene_verdict(const PxScene *scene);

/* --- check/matter.c --- */

/// Makes scene->matter, unless it is known. Errors: those of shapes, vessels and bodies.
PxStatus px_scene_matter(const PxScene *scene);
/// Moves the particles in scene->matter to where they come to rest, if the scene asks for it.
PxStatus px_scene_settle(const PxScene *scene, int threads);
/// Forgets it.
void px_scene_matter_free(PxScene *scene);

/* --- build_world.c --- */

/// px_scene_world(); with `trusted` bodies are not tested for overlaps: they have been before.
PxStatus px_scene_world_trusted(const PxScene *scene, int threads, bool trusted, PxWorld **out);

/* --- text/complain.c --- */

/// Part of a JSON member that a complaint points to. If the member is missing in the text, the
/// complaint points to the nearest parent that is there.
typedef enum PxSpot { PX_AT_VALUE, PX_AT_KEY } PxSpot;

void px_complain(PxScene *scene, PxSeverity severity, const PxPath *path, PxSpot spot,
                 const char *format, ...) PX_PRINTF(5, 6);

/// Complains about a known line and column.
void px_complain_at(PxScene *scene, int line, int column, const char *format, ...) PX_PRINTF(4, 5);

/// Deletes all complaints, or only those of px_scene_check().
void px_complaints_clear(PxScene *scene, bool only_deep);

/// Finds the lines of all complaints and sorts them. Errors: PX_ERR_MEMORY.
PxStatus px_complaints_finish(PxScene *scene);

/// "text 'abc'", "the number 5", "a list of 3", ... Returns `buffer`.
const char *px_json_text(const json_t *value, char *buffer, size_t size);

/* --- read/top.c --- */

/// Reads the content from the JSON tree (NULL: uses defaults), adds complaints and finishes them.
/// Errors: PX_ERR_MEMORY.
PxStatus px_scene_understand(PxScene *scene);

/// Deletes the content and the complaints.
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

/// The list of things of a kind.
PxSceneList *px_scene_list(PxScene *scene, const PxKind *kind);

/// Index in PxSceneThing.refers of a THING field of a section.
size_t px_reference_index(const PxSection *section, const PxField *field);

/// Finds the value at a path that may change while the world runs (px_live_find()). Bodies from
/// scene->bodies on are those that emitters create. Errors: PX_ERR_ARGUMENT, with suggestions.
PxStatus px_scene_live(const PxScene *scene, const char *path, PxLive *out);

/// The camera at a time of the run, s. The scene has one.
PxSceneCamera px_scene_camera_at(const PxScene *scene, double time);

/* --- pose.c --- */

PxVec3 px_scene_up_vector(const PxScene *scene);

/// The shape as the world needs it: rotated so that its axis is `up`, then by the stated turn.
PxShapeDef px_scene_shape(const PxScene *scene, const PxShapeDef *shape, const PxSceneTurn *turn);

/// The same at time 0 of the keyframes of a wall or handle.
PxShapeDef px_scene_shape_at_start(const PxScene *scene, const PxShapeDef *shape,
                                   const PxSceneTurn *turn, const PxSceneKeyframe *keyframe,
                                   size_t keyframes);

/// Is that body elastic?
bool px_scene_is_solid(const PxScene *scene, size_t body);

/// Does anything flow, melt or conduct heat? Then the fluid stages run (px_world_flows()).
bool px_scene_flows(const PxScene *scene);

/// The part s of the turn from two[0] to two[1].
PxSceneTurn px_scene_turn_between(const PxSceneKeyframe two[2], double s);

/// Converts keyframes for the world, which interpolates rotations along the shorter arc: where two
/// stated turns about one axis are far apart, keyframes are inserted between them. Returns their
/// number; `out` may be NULL, to count only.
size_t px_scene_keyframes(const PxSceneKeyframe *keyframe, size_t keyframes, PxKeyframe *out);

#endif
