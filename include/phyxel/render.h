/// Pictures and films of a run.
#ifndef PHYXEL_RENDER_H
#define PHYXEL_RENDER_H

#include "phyxel/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PxQuality {
    PX_QUALITY_DRAFT, ///< 8 samples a pixel
    PX_QUALITY_GOOD,  ///< 64
    PX_QUALITY_FINAL, ///< 512
} PxQuality;

/// How the matter of a frame is shown. Solids that have skins are shown by these: as surface
/// DIR/skin/000001.ply, as surfels DIR/skin-surfels/000001.ply, the best of the two; what is left
/// is shown as particles when there is only a skin.
typedef enum PxShow {
    PX_SHOW_BEST,      ///< the first of these that the folder has for a frame
    PX_SHOW_SURFACE,   ///< DIR/surface/000001.ply, a closed mesh
    PX_SHOW_SURFELS,   ///< DIR/surfels/000001.ply, points with normals and radii
    PX_SHOW_PARTICLES, ///< DIR/frames/000001.h5, as balls
} PxShow;

typedef enum PxFloor {
    PX_FLOOR_SOLID,  ///< a ground that fades into the horizon
    PX_FLOOR_SHADOW, ///< only the shadow on it; all else is transparent
    PX_FLOOR_NONE,
} PxFloor;

typedef enum PxLighting {
    PX_LIGHT_DAY,   ///< sun and sky
    PX_LIGHT_SOFT,  ///< an overcast sky, no sun
    PX_LIGHT_NIGHT, ///< hardly any: for what glows, and for lamps
} PxLighting;

/// A shining ball.
typedef struct PxLampDef {
    PxVec3 at;     ///< m
    double radius; ///< m, > 0
    double power;  ///< how bright what faces it from 1 m away is, the sun being 1
} PxLampDef;

/// What to draw. Start from px_render_def_default().
typedef struct PxRenderDef {
    PxDefHead head;
    const char *dir;      ///< result folder of a run
    const PxScene *scene; ///< what it was made from (px_run_scene()); NULL: no walls are shown
    const char *out;      ///< where pictures go; NULL: DIR/pictures
    const char *film;     ///< .mp4 (H.264), .webm (VP9) or .gif; NULL: none
    double fps;           ///< of the film; 0: the scene's
    uint32_t first, last; ///< frames between these ...
    uint32_t every;       ///< ... every so many
    int width, height;    ///< pixels
    PxQuality quality;
    int samples; ///< a pixel; 0: by quality
    PxShow show;
    bool grain;            ///< that few samples leave stays; else it is taken off
    bool xray;             ///< what x-rays lose in the true thickness of the matter
    bool stated_camera;    ///< the next one counts, not the scene's
    PxSceneCamera camera;  ///<
    int turntable;         ///< so many pictures all around the last frame; 0: one a frame
    double aperture;       ///< diameter of the lens, m; 0: all is sharp
    double shutter;        ///< part of the time between frames that blurs what moves; 0: none
    const char *colour;    ///< by this column: speed, temperature, pressure, ...; NULL: as it looks
    double range_low;      ///< of the colours; NAN: what the frames have
    double range_high;     ///<
    PxFloor floor;         ///<
    PxLighting lighting;   ///<
    double sun_azimuth;    ///< degrees, 0 from behind the camera, positive to the right
    double sun_height;     ///< degrees over the horizon
    double exposure;       ///< in stops: 1 is twice as bright
    const PxLampDef *lamp; ///<
    size_t lamps;          ///<
    bool again;            ///< draw pictures that are there already, too
    int threads;           ///< 0: one for every core
} PxRenderDef;

PX_API void px_render_def_init(PxRenderDef *def, size_t size);
PX_DEF_DEFAULT(PxRenderDef, px_render_def)

/// Where drawing is.
typedef struct PxRenderProgress {
    uint32_t picture;  ///< pictures done so far
    uint32_t pictures; ///< wanted in all
    bool drawn;        ///< one was finished just now
    uint32_t frame;    ///< that is drawn now
    double part;       ///< of this picture, 0 .. 1
    double wall;       ///< s since the call
    double left;       ///< s that it will still take, estimated; negative: not known yet
    bool filming;      ///< all pictures are there, the film is being made
} PxRenderProgress;

/// False stops; what was drawn is kept, and the same call goes on from there.
typedef bool PxRenderFunction(void *user, const PxRenderProgress *progress);

typedef struct PxRenderReport {
    uint32_t pictures; ///< in the folder, of those asked for
    uint32_t drawn;    ///< of them by this call
    char folder[1024]; ///< they are in
    double wall;       ///< s
} PxRenderReport;

/// Draws OUT/000001.png for every frame asked for, then the film. Pictures that are
/// there, of the same frame and with the same settings, are kept as they are: a call
/// that was stopped goes on where it was. A picture has the same bits for any number of
/// threads; its text chunks tell the run, the frame and the settings. `each` and
/// `report` may be NULL.
/// Errors: PX_ERR_ARGUMENT (no such frames, an unknown column, a size, a film's ending),
/// PX_ERR_UNSUPPORTED (no Embree; no ffmpeg: the pictures are there then), PX_ERR_FORMAT
/// (a damaged frame, a number that is not finite), PX_ERR_IO, PX_ERR_MEMORY,
/// PX_ERR_STOPPED. In every case the pictures done before are kept.
PX_API PxStatus px_render(const PxRenderDef *def, PxRenderFunction *each, void *user,
                          PxRenderReport *report);

#ifdef __cplusplus
}
#endif
#endif
