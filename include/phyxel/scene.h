/// Scene files: reading, complaining about, and turning into a world.
#ifndef PHYXEL_SCENE_H
#define PHYXEL_SCENE_H

#include "phyxel/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene belongs to one thread at a time.
typedef struct PxScene PxScene;

typedef enum PxSeverity { PX_WARNING, PX_ERROR } PxSeverity;

/// One thing wrong with a scene.
typedef struct PxComplaint {
    PxSeverity severity;
    const char *file;
    int line, column;  ///< from 1; 0 when there is no place in the text
    const char *set;   ///< what px_scene_set() put there, "gravity.y=3"; NULL: the text says it
    const char *place; ///< "materials.water.viscosity"
    const char *text;  ///< what was found, what is wanted, a suggestion
} PxComplaint;

/// Reads a scene. Whatever is wrong with it becomes a complaint, and *out is a
/// scene in any case unless the file cannot be read at all (PX_ERR_IO, *out NULL).
/// PX_ERR_FORMAT when there is an error among the complaints.
/// Paths of meshes are relative to the scene's folder.
PX_API PxStatus px_scene_read(const char *path, PxScene **out);

/// The same from memory; `name` is used in complaints, `folder` for meshes.
/// Without a folder (NULL) a scene may not name any file.
PX_API PxStatus px_scene_read_text(const char *name, const char *folder, const char *text,
                                   size_t size, PxScene **out);
PX_API void px_scene_free(PxScene *scene);

/// Changes a value before the scene is used, as `--set PATH=VALUE` does; `value`
/// is JSON, or a bare word for text. Elements of lists are named by index or, for
/// bodies, by name: "bodies[2].shape.at", "bodies.tank.friction". The scene is
/// read anew and may have other complaints afterwards; PX_ERR_FORMAT when there is
/// an error among them. PX_ERR_ARGUMENT when there is no such place or the value is
/// not JSON: nothing has changed then. After PX_ERR_MEMORY only free the scene.
PX_API PxStatus px_scene_set(PxScene *scene, const char *path, const char *value);

/// Looks deeper than reading does: meshes, bodies seeded inside each other or in
/// walls, walls thinner than a particle, steps that would be unstable. Adds to
/// the complaints. PX_ERR_FORMAT when there is an error among them.
PX_API PxStatus px_scene_check(PxScene *scene);

/// Complaints in the order of the text; those without a place in it come last.
/// When there are very many, the last one says how many were left out.
PX_API size_t px_scene_complaint_count(const PxScene *scene);
PX_API const PxComplaint *px_scene_complaint(const PxScene *scene, size_t k);

/// How many of them are errors; a scene with none can be made into a world.
PX_API size_t px_scene_error_count(const PxScene *scene);

/// What a run of the scene will take, roughly.
typedef struct PxSceneEstimate {
    double particles;
    double memory;  ///< bytes
    double disk;    ///< bytes, all frames and two checkpoints
    double steps;   ///< in the whole run
    double seconds; ///< of wall-clock time on `threads` threads
    int threads;
} PxSceneEstimate;

PX_API PxStatus px_scene_estimate(const PxScene *scene, int threads, PxSceneEstimate *out);

PX_API const char *px_scene_name(const PxScene *scene);
PX_API uint32_t px_scene_frames(const PxScene *scene);
PX_API double px_scene_fps(const PxScene *scene);
PX_API double px_scene_spacing(const PxScene *scene);
PX_API char px_scene_up(const PxScene *scene); ///< 'y' or 'z'

/// From where the pictures are taken.
typedef struct PxSceneCamera {
    PxVec3 from, to; ///< the eye, and what it looks at, m
    double fov;      ///< vertical angle of view, degrees
} PxSceneCamera;

/// False when the scene states no camera; *out is then unchanged.
PX_API bool px_scene_camera(const PxScene *scene, PxSceneCamera *out);

/// The scene with every default written out, as JSON text that reads back to
/// the same scene; what was wrong in the scene has its default there, or is left
/// out. NULL when memory is out. Valid until the scene is changed or freed.
PX_API const char *px_scene_resolved(const PxScene *scene);

/// 32 hex digits over the resolved scene and the contents of its meshes; does
/// not depend on "time.frames", so that a run can be made longer, nor on where
/// the meshes lie. NULL when memory is out. Valid as the resolved scene is.
PX_API const char *px_scene_hash(const PxScene *scene);

/// Builds the world. Fails if the scene has errors.
PX_API PxStatus px_scene_world(const PxScene *scene, int threads, PxWorld **out);

/// A JSON schema (draft 7) for editors. Static text.
PX_API const char *px_scene_schema(void);

#ifdef __cplusplus
}
#endif
#endif
