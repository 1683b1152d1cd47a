/// The window: an OpenGL area with controls around it.
#ifndef VIEWER_WINDOW_H
#define VIEWER_WINDOW_H

#include "draw.h"

typedef struct WindowDef {
    const char *path;        ///< of a scene or a result folder; NULL: none yet
    const char *const *sets; ///< PATH=VALUE, NULL-terminated, or NULL
    int threads;             ///< of the simulation; 0: one for every core
    bool play;               ///< starts at once
    const char *colour;      ///< column, or NULL
    DrawDef draw;
    bool stated_camera;
    PxSceneCamera camera;
} WindowDef;

/// Is there a display? Call it before window_run().
bool window_possible(void);

/// Shows the window until it is closed; returns the exit status.
int window_run(const WindowDef *def);

#endif
