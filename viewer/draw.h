/// Draws shots with OpenGL 3.3 core: the same code in the window and for pictures without a
/// display.
#ifndef VIEWER_DRAW_H
#define VIEWER_DRAW_H

#include "camera.h"
#include "shot.h"

typedef enum DrawMode {
    DRAW_BEST,      ///< skins, coats and liquids as surfaces, the rest as spheres
    DRAW_PARTICLES, ///< every particle as a sphere
    DRAW_XRAY,      ///< radiograph: absorption along the thickness of matter and walls
    DRAW_MODES
} DrawMode;

typedef struct DrawDef {
    DrawMode mode;
    bool dark;                   ///< background and ground
    bool walls, ground;          ///< shown
    bool own_range;              ///< low and high are stated; else those of the shot
    float low, high;             ///< of the colours
    const PxVolumeSamples *over; ///< volume of Hounsfield units in x-rays; NULL: none
    ArrowKind arrows;            ///< that shots are asked for; all arrows of a shot are drawn
} DrawDef;

DrawDef draw_def_default(void);

typedef struct Draw Draw;

/// Needs a current OpenGL context, here and in all other calls. NULL with a message in `error` on
/// failure.
Draw *draw_create(char *error, size_t size);
/// Accepts NULL.
void draw_free(Draw *draw);

/// Draws into the framebuffer that is bound, of that size in pixels. `fresh`: the shot is not the
/// one of the last call; `display` may change too then.
void draw_shot(Draw *draw, const PxDisplay *display, const Shot *shot, bool fresh,
               const Camera *camera, const DrawDef *def, int width, int height);

#endif
