/// What a window needs to draw a scene: looks of materials, meshes of walls and rigid bodies, a
/// camera, and stored frames.
///
/// A wrong argument (NULL where a pointer is not said to be optional) gives PX_ERR_ARGUMENT;
/// functions that return a value return 0, NULL or NAN.
#ifndef PHYXEL_DISPLAY_H
#define PHYXEL_DISPLAY_H

#include "phyxel/column.h"
#include "phyxel/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PxDisplayKind {
    PX_DISPLAY_MATTE,  ///< diffuse
    PX_DISPLAY_GLOSSY, ///< diffuse under a clear varnish
    PX_DISPLAY_METAL,
    PX_DISPLAY_CLEAR, ///< transparent: water, glass
    PX_DISPLAY_PANE,  ///< the thin wall of a container
    PX_DISPLAY_HIDDEN,
} PxDisplayKind;

/// Appearance of a surface.
typedef struct PxDisplayLook {
    PxDisplayKind kind;
    float colour[3]; ///< albedo, linear RGB, 0 .. 1
    float absorb[3]; ///< clear: absorption coefficient of red, green and blue, 1/m
    float roughness; ///< 0 .. 1
    float ior;       ///< refractive index
    float xray;      ///< absorption coefficient of x-rays, 1/m
    float film;      ///< of matter: thickness of the film that it leaves on walls, m; 0: none
} PxDisplayLook;

/// A material of the scene. Its number is the value of the particles' column "material".
typedef struct PxDisplayMaterial {
    const char *name;
    bool solid;              ///< elastic as the scene starts
    PxDisplayLook surface;   ///< of its surface
    PxDisplayLook particles; ///< of its particles, which are never clear
} PxDisplayMaterial;

/// A wall or a rigid body of the scene, as triangles in its rest frame. At a pose, a point x of
/// the rest frame is at turn (x - pivot) + pivot + move.
typedef struct PxDisplayBody {
    const char *name;
    uint32_t number; ///< of the body in the scene: slot - 1 of its id in the scene's world
    bool rigid;      ///< moved by forces, else a wall
    bool inside;     ///< a wall that keeps matter inside; its triangles are open at top and bottom
    bool plane;      ///< a wall without triangles
    bool moves;      ///< rigid, or with keyframes
    bool deforms;    ///< a wall whose mesh has poses: px_display_deform() changes its triangles
    PxDisplayLook look;
    PxVec3 pivot;  ///< of walls; the pivot of a rigid body is its centre of mass
    PxVec3 normal; ///< of a plane, at the start
    uint32_t vertices, triangles;
    const float (*position)[3];
    const float (*normals)[3];
    const uint32_t (*triangle)[3]; ///< counter-clockwise seen from outside of the shape
} PxDisplayBody;

typedef struct PxDisplay PxDisplay;

/// Prepares a scene without errors for drawing. Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT,
/// PX_ERR_MEMORY.
PX_API PxStatus px_display_make(const PxScene *scene, PxDisplay **out);
/// Accepts NULL.
PX_API void px_display_free(PxDisplay *display);

/// Material or body number k; NULL after the last. Valid as long as the display.
PX_API const PxDisplayMaterial *px_display_material(const PxDisplay *display, size_t k);
PX_API const PxDisplayBody *px_display_body(const PxDisplay *display, size_t k);

/// Pose of body k at a time by its keyframes; a rigid body has its initial pose. Errors:
/// PX_ERR_ARGUMENT.
PX_API PxStatus px_display_pose(const PxDisplay *display, size_t k, double time, PxPose *out);

/// Moves the vertices of bodies that deform to a time, in their arrays. Threads: not while others
/// read these. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_display_deform(const PxDisplay *display, double time);

/// The scene's camera, or one that has all matter in view in a picture of that aspect ratio.
/// Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_display_camera(const PxDisplay *display, double aspect, PxSceneCamera *out);

/// Bounds of all matter at the start. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_display_bounds(const PxDisplay *display, PxVec3 *low, PxVec3 *high);

/// Spacing of the scene's particles, m.
PX_API double px_display_spacing(const PxDisplay *display);

/// Height of the ground along the scene's up axis, m.
PX_API double px_display_ground(const PxDisplay *display);

/// The colour map of all pictures: sRGB for a value in 0 .. 1 (clamped).
PX_API void px_display_colour(float value, float rgb[3]);

/// Films that liquids leave on walls and rigid bodies where they have touched them (002 section
/// 7.4.2). Each triangle has points on a barycentric lattice about as fine as the particles; a
/// point that a particle of a material with a `film` comes near is covered by that film, and stays
/// so. It is drawn only: liquids lose no mass by it.
typedef struct PxCoating PxCoating;

/// The film at a point.
typedef struct PxFilmPoint {
    float film;        ///< thickness, m; 0: none
    uint32_t material; ///< number of its material
} PxFilmPoint;

/// The points of a body and triangles between them, in its rest frame.
typedef struct PxCoatedBody {
    uint32_t first; ///< number of its first point
    uint32_t points, triangles;
    const float (*position)[3];
    const float (*normals)[3];
    const uint32_t (*triangle)[3]; ///< numbers from 0 on
} PxCoatedBody;

/// Points about as far apart as particles on all bodies of a display, which must live longer:
/// always the same ones. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_coating_make(const PxDisplay *display, PxCoating **out);
/// Accepts NULL.
PX_API void px_coating_free(PxCoating *coating);
/// Does any material of the display leave a film?
PX_API bool px_coating_wanted(const PxDisplay *display);

/// Number of points of all bodies.
PX_API size_t px_coating_count(const PxCoating *coating);
/// The points of body k of the display; false if there is no such body.
PX_API bool px_coating_body_sized(const PxCoating *coating, size_t k, PxCoatedBody *out,
                                  size_t size);
static inline bool px_coating_body(const PxCoating *coating, size_t k, PxCoatedBody *out)
{
    return px_coating_body_sized(coating, k, out, sizeof *out);
}
/// Moves the points of bodies that deform to where px_display_deform() has moved their triangles.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_coating_follow(PxCoating *coating);

/// Lets particles touch body k, which has a pose: `place` are x, y, z and radius of each of `count`
/// particles, `material` their materials. Errors: PX_ERR_ARGUMENT, PX_ERR_MEMORY.
PX_API PxStatus px_coating_touch(PxCoating *coating, size_t k, const PxPose *pose, PxVec3 pivot,
                                 const float *place, const uint32_t *material, uint32_t count);

/// Copies the films of all points; sets them, or with NULL removes all. Errors: PX_ERR_ARGUMENT.
PX_API PxStatus px_coating_get(const PxCoating *coating, PxFilmPoint *out);
PX_API PxStatus px_coating_set(PxCoating *coating, const PxFilmPoint *films);

/// A stored frame of a run, read into memory.
typedef struct PxStored PxStored;

/// Numbers of the stored frames, ascending: fills `out` with up to `most`; *count is how many there
/// are. Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_MEMORY.
PX_API PxStatus px_stored_list(const char *dir, uint32_t *out, size_t most, size_t *count);

/// Reads a frame with its skins and coats. Errors: PX_ERR_ARGUMENT, PX_ERR_IO, PX_ERR_FORMAT,
/// PX_ERR_MEMORY.
PX_API PxStatus px_stored_read(const char *dir, uint32_t number, int threads, PxStored **out);
/// Accepts NULL.
PX_API void px_stored_free(PxStored *frame);

PX_API uint32_t px_stored_count(const PxStored *frame); ///< particles
PX_API double px_stored_time(const PxStored *frame);    ///< s
PX_API uint64_t px_stored_step(const PxStored *frame);

/// Fills `out` with up to `most` columns; returns how many there are.
PX_API size_t px_stored_columns_sized(const PxStored *frame, PxColumnInfo *out, size_t size,
                                      size_t most);
static inline size_t px_stored_columns(const PxStored *frame, PxColumnInfo *out, size_t most)
{
    return px_stored_columns_sized(frame, out, sizeof *out, most);
}

/// A component of a column of particles; NULL when there is no such column of that type.
PX_API const float *px_stored_floats(const PxStored *frame, const char *column, int component);
PX_API const uint32_t *px_stored_words(const PxStored *frame, const char *column);

/// Pose of a rigid body, given by its number in the scene, and the pivot of that pose. False when
/// the frame does not have it.
PX_API bool px_stored_pose(const PxStored *frame, uint32_t number, PxPose *pose, PxVec3 *pivot);

/// A surface that was stored with the frame: all skins together, or all coats.
typedef struct PxStoredSurface {
    uint32_t points, triangles; ///< no triangles: the points are surfels
    const float *position[3];
    const float *normal[3];
    const float *radius;      ///< of surfels; NULL: triangles
    const uint32_t *material; ///< of points
    const float *body;        ///< number of the body of points; NULL: a coat
    const uint32_t (*triangle)[3];
} PxStoredSurface;

/// The skins (k = 0) and the coats (k = 1) of a frame; false if it has none.
PX_API bool px_stored_surface_sized(const PxStored *frame, size_t k, PxStoredSurface *out,
                                    size_t size);
static inline bool px_stored_surface(const PxStored *frame, size_t k, PxStoredSurface *out)
{
    return px_stored_surface_sized(frame, k, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif
#endif
