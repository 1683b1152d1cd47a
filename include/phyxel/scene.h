/// Scene files: read and check them, report complaints, and build a world from them.
///
/// A wrong argument (NULL where a pointer is not said to be optional, a negative number of threads)
/// gives PX_ERR_ARGUMENT; functions that return a value return 0, NULL, NAN or false.
#ifndef PHYXEL_SCENE_H
#define PHYXEL_SCENE_H

#include "phyxel/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene may be used by one thread at a time.
typedef struct PxScene PxScene;

typedef enum PxSeverity {
    PX_WARNING,
    PX_ERROR,
    PX_NOTE ///< nothing is wrong; what was decided for the scene
} PxSeverity;

/// An error or warning about a scene.
typedef struct PxComplaint {
    PxSeverity severity;
    const char *file;
    int line, column;  ///< from 1; 0 if the complaint has no place in the text
    const char *set;   ///< the px_scene_set() that caused it, "gravity.y=3"; NULL: the text
    const char *place; ///< "materials.water.viscosity"
    const char *text;  ///< the value found, the values allowed, a suggestion
} PxComplaint;

/// Reads a scene. Each defect becomes a complaint, and *out is a scene unless the file cannot be
/// read at all (PX_ERR_IO, *out NULL). PX_ERR_FORMAT when there is an error among the complaints.
/// Paths of meshes are relative to the scene's folder.
PX_API PxStatus px_scene_read(const char *path, PxScene **out);

/// The same from memory; `name` is used in complaints, `folder` for meshes.
/// Without a folder (NULL) a scene may not name any file. `text` may be NULL if `size` is 0.
PX_API PxStatus px_scene_read_text(const char *name, const char *folder, const char *text,
                                   size_t size, PxScene **out);
/// Accepts NULL.
PX_API void px_scene_free(PxScene *scene);

/// Changes a value before the scene is used, as `--set PATH=VALUE` does; `value`
/// is JSON, or a bare word for text. Elements of lists are named by index or, for
/// bodies, by name: "bodies[2].shape.at", "bodies.tank.friction". The scene is
/// parsed again, which may change its complaints; PX_ERR_FORMAT when there is
/// an error among them. PX_ERR_ARGUMENT when there is no such place or the value is
/// not JSON; the scene is unchanged then. After PX_ERR_MEMORY the scene may only be freed.
PX_API PxStatus px_scene_set(PxScene *scene, const char *path, const char *value);

/// Makes the scene coarser for a preview: its spacing and the cells of its sheets of cloth become
/// `factor` times as large (1 to 10). Errors: PX_ERR_ARGUMENT, and those of px_scene_set(): walls
/// may be too thin for the coarser particles, which px_scene_check() tells.
PX_API PxStatus px_scene_coarsen(PxScene *scene, double factor);

/// Checks what reading does not: meshes, overlapping bodies, bodies inside walls, bodies thinner
/// than a particle, unstable time steps. Adds to the complaints. PX_ERR_FORMAT when there is an
/// error among them.
PX_API PxStatus px_scene_check(PxScene *scene);

/// Complaints in the order of the text; those without a place in it come last.
/// When there are very many, the last one says how many were left out.
PX_API size_t px_scene_complaint_count(const PxScene *scene);
/// NULL after the last.
PX_API const PxComplaint *px_scene_complaint(const PxScene *scene, size_t k);

/// How many of them are errors; a scene with none can be made into a world.
PX_API size_t px_scene_error_count(const PxScene *scene);

/// Rough estimate of the resources that a run of the scene needs.
typedef struct PxSceneEstimate {
    double particles;
    double memory;  ///< bytes
    double disk;    ///< bytes, all frames and two checkpoints
    double steps;   ///< in the whole run
    double seconds; ///< of wall-clock time on `threads` threads
    int threads;
    double cloth_vertices, cloth_triangles;
    double cloth_crossings; ///< edges of cloth that cross triangles of cloth at the start
    double film_seconds;    ///< more, if `phyxel run --film` makes surfaces, pictures and a film
    double film_disk;       ///< bytes of them
} PxSceneEstimate;

/// All 0 on failure. Errors: PX_ERR_ARGUMENT, PX_ERR_FORMAT when the scene has errors,
/// PX_ERR_MEMORY.
PX_API PxStatus px_scene_estimate_sized(const PxScene *scene, int threads, PxSceneEstimate *out,
                                        size_t size);
static inline PxStatus px_scene_estimate(const PxScene *scene, int threads, PxSceneEstimate *out)
{
    return px_scene_estimate_sized(scene, threads, out, sizeof *out);
}

PX_API const char *px_scene_name(const PxScene *scene);

/// The pressure model that solves, as the scene starts: that which its fluids name or share, or
/// what `auto` chooses; "none" if nothing flows.
PX_API const char *px_scene_pressure(const PxScene *scene);
PX_API uint32_t px_scene_frames(const PxScene *scene);
PX_API double px_scene_fps(const PxScene *scene);
PX_API double px_scene_spacing(const PxScene *scene);
PX_API char px_scene_up(const PxScene *scene); ///< 'y' or 'z'; 'y' for NULL

/// Camera of the pictures.
typedef struct PxSceneCamera {
    PxVec3 from, to; ///< position of the eye and the point it looks at, m
    double fov;      ///< vertical angle of view, degrees
} PxSceneCamera;

/// False when the scene has no camera; *out is then unchanged.
PX_API bool px_scene_camera(const PxScene *scene, PxSceneCamera *out);

/// The scene with all defaults as JSON text, from which the same scene can be read. Invalid values
/// are replaced by their defaults or omitted. NULL when out of memory. Valid until the scene is
/// changed or freed.
PX_API const char *px_scene_resolved(const PxScene *scene);

/// Hash, as 32 hex digits, of the resolved scene and the contents of its meshes. It does not depend
/// on "time.frames", so that a run can be made longer, nor on the paths of the meshes. NULL when
/// out of memory. Valid until the scene is changed or freed.
PX_API const char *px_scene_hash(const PxScene *scene);

/// Builds the world. Fails if the scene has errors. Bodies that overlap are refused; they are
/// looked for unless px_scene_check() has done it.
PX_API PxStatus px_scene_world(const PxScene *scene, int threads, PxWorld **out);

/// A JSON schema (draft 7) for editors. Static text.
PX_API const char *px_scene_schema(void);

#ifdef __cplusplus
}
#endif
#endif
