/// Pictures and films of a run.
#ifndef PHYXEL_RENDER_H
#define PHYXEL_RENDER_H

#include "phyxel/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PxQuality {
    PX_QUALITY_DRAFT, ///< 8 samples per pixel
    PX_QUALITY_GOOD,  ///< 64
    PX_QUALITY_FINAL, ///< 512
} PxQuality;

/// How the matter of a frame is shown. Solids with skins are shown by them: as surface
/// DIR/skin/000001.ply, as surfels DIR/skin-surfels/000001.ply, as best the first of these that
/// exists. If a frame has only skins, all other matter is shown as particles.
typedef enum PxShow {
    PX_SHOW_BEST,      ///< the first of the following that the folder has for a frame
    PX_SHOW_SURFACE,   ///< DIR/surface/000001.ply, a closed mesh
    PX_SHOW_SURFELS,   ///< DIR/surfels/000001.ply, points with normals and radii
    PX_SHOW_PARTICLES, ///< DIR/frames/000001.h5, as spheres
} PxShow;

typedef enum PxFloor {
    PX_FLOOR_SOLID,  ///< a ground that fades into the horizon
    PX_FLOOR_SHADOW, ///< only shadows on it; the rest is transparent
    PX_FLOOR_NONE,
} PxFloor;

typedef enum PxLighting {
    PX_LIGHT_DAY,    ///< sun and sky
    PX_LIGHT_SOFT,   ///< an overcast sky, no sun
    PX_LIGHT_NIGHT,  ///< almost dark: for glowing matter and lamps
    PX_LIGHT_STUDIO, ///< a large soft key light before a plain background
    PX_LIGHT_SCENE,  ///< that of the scene's picture; studio if it has none
} PxLighting;

/// A spherical light.
typedef struct PxLampDef {
    PxVec3 at;     ///< m
    double radius; ///< m, > 0
    double power;  ///< irradiance at 1 m, relative to the sun's
} PxLampDef;

/// Options of rendering. Start from px_render_def_default().
typedef struct PxRenderDef {
    PxDefHead head;
    const char *dir;      ///< result folder of a run
    const PxScene *scene; ///< scene of the run (px_run_scene()); NULL: no walls are shown
    const char *out;      ///< output folder; NULL: DIR/pictures
    const char *film;     ///< .mp4 (H.264), .webm (VP9), .gif or .webp; NULL: none
    double fps;           ///< frames per second of the film; 0: the scene's
    uint32_t first, last; ///< range of frames ...
    uint32_t every;       ///< ... and the stride in it
    int width, height;    ///< pixels
    PxQuality quality;
    int samples; ///< per pixel; 0: by quality
    PxShow show;
    bool grain;           ///< disables denoising
    bool xray;            ///< radiograph: absorption along the thickness of the matter
    bool stated_camera;   ///< use `camera` instead of the scene's
    PxSceneCamera camera; ///< camera, if stated_camera
    int turntable;        ///< number of pictures around the last frame; 0: one picture per frame
    double aperture;      ///< diameter of the lens, m; 0: no depth of field
    double shutter;       ///< exposure time as part of the frame interval, for motion blur; 0: none
    const char *colour;  ///< column shown as colour: speed, temperature, ...; NULL: natural colours
    double range_low;    ///< of the colour scale; NAN: from the frames
    double range_high;   ///< of the colour scale; NAN: from the frames
    PxFloor floor;       ///< ground under the scene; solid: that of the scene's picture
    PxLighting lighting; ///< light of the scene
    double sun_azimuth;  ///< degrees, 0 from behind the camera, positive to the right; unchanged:
                         ///< that of the scene's picture, as are the next two
    double sun_height;   ///< degrees above the horizon
    double exposure;     ///< in stops: 1 is twice as bright
    const PxLampDef *lamp; ///< further lights
    size_t lamps;          ///< number of lamps
    bool again;            ///< redraw pictures that are up to date
    int threads;           ///< 0: one for every core
    PxStopFunction *stop;  ///< asked while a picture is drawn; NULL: `each` alone stops the call
    void *stop_user;       ///< its argument
    bool caustics;         ///< light that clear things focus is drawn by photons
} PxRenderDef;

PX_API void px_render_def_init(PxRenderDef *def, size_t size);
PX_DEF_DEFAULT(PxRenderDef, px_render_def)

/// Progress of px_render().
typedef struct PxRenderProgress {
    uint32_t picture;  ///< pictures done so far
    uint32_t pictures; ///< total
    bool drawn;        ///< a picture has just been finished
    uint32_t frame;    ///< number of the frame that is drawn now
    double part;       ///< progress of this picture, 0 .. 1
    double wall;       ///< s since the call
    double left;       ///< estimated s left; negative: not known yet
    bool filming;      ///< all pictures are done, the film is being encoded
} PxRenderProgress;

/// False stops. Finished pictures are kept, and the same call continues from there.
typedef bool PxRenderFunction(void *user, const PxRenderProgress *progress);

typedef struct PxRenderReport {
    uint32_t pictures; ///< requested pictures that are in the folder
    uint32_t drawn;    ///< number of them drawn by this call
    char folder[1024]; ///< that contains them
    double wall;       ///< s
} PxRenderReport;

/// Draws OUT/000001.png for every requested frame, then the film. Existing pictures of the same
/// frame with the same settings are kept, so a stopped call can be continued. A picture has the
/// same bits for any number of threads; its text chunks name the run, the frame and the settings.
/// `each` and `report` may be NULL. Errors: PX_ERR_ARGUMENT (no such frames, an unknown column, a
/// bad size, an unknown film format), PX_ERR_UNSUPPORTED (no Embree, no ffmpeg), PX_ERR_FORMAT (a
/// damaged frame, a number that is not finite), PX_ERR_IO, PX_ERR_MEMORY, PX_ERR_STOPPED. In every
/// case finished pictures are kept.
PX_API PxStatus px_render_sized(const PxRenderDef *def, PxRenderFunction *each, void *user,
                                PxRenderReport *report, size_t size);
static inline PxStatus px_render(const PxRenderDef *def, PxRenderFunction *each, void *user,
                                 PxRenderReport *report)
{
    return px_render_sized(def, each, user, report, sizeof *report);
}

/// Checks what can be known before anything is drawn: the numbers of `def`, Embree, and for a film
/// whether ffmpeg can encode pictures of that size. Neither frames nor folders need to exist.
/// px_render() begins with it. Errors: PX_ERR_ARGUMENT, PX_ERR_UNSUPPORTED, PX_ERR_IO,
/// PX_ERR_MEMORY.
PX_API PxStatus px_render_check(const PxRenderDef *def);

/// A film of pictures that the caller draws, encoded by the ffmpeg command.
typedef struct PxFilm PxFilm;

/// Starts ffmpeg, found by PATH. `path` ends in .mp4, .webm or .gif and stays valid as long as the
/// film; the film is there when px_film_finish() has returned. Errors: PX_ERR_ARGUMENT,
/// PX_ERR_UNSUPPORTED when there is no ffmpeg, with a hint how to install it; PX_ERR_IO,
/// PX_ERR_MEMORY.
PX_API PxStatus px_film_begin(const char *path, uint32_t width, uint32_t height, double fps,
                              PxFilm **out);

/// Adds a picture of the film's size: rows from the top, red, green, blue and opacity of each pixel
/// in a byte each; what is not opaque is laid over white. Errors: PX_ERR_ARGUMENT, PX_ERR_IO with
/// ffmpeg's message when it has exited.
PX_API PxStatus px_film_add_pixels(PxFilm *film, const uint8_t *pixels);

/// Waits for ffmpeg and puts the film in its place. Frees `film` in any case. Errors:
/// PX_ERR_ARGUMENT, PX_ERR_IO.
PX_API PxStatus px_film_finish(PxFilm *film);

/// Stops ffmpeg; there will be no film. Accepts NULL.
PX_API void px_film_abandon(PxFilm *film);

#ifdef __cplusplus
}
#endif
#endif
