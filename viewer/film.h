/// Films of stored runs, drawn by the same code as the window.
#ifndef VIEWER_FILM_H
#define VIEWER_FILM_H

#include "draw.h"

typedef struct FilmDef {
    const char *dir;      ///< folder of a run
    const char *file;     ///< .mp4, .webm or .gif
    const char *pictures; ///< folder for PNG files of the frames, which exists; NULL: none
    int width, height;    ///< pixels
    bool stated_camera;   ///< use `camera` instead of the scene's
    Camera camera;
    DrawDef draw;
    const char *colour; ///< column, or NULL
    int threads;
} FilmDef;

/// Called after each picture; false stops.
typedef bool FilmFunction(void *user, uint32_t done, uint32_t all);

/// Draws all frames of a run into a film, through EGL without a surface: needs no display, and may
/// be called from any thread. False with a message, and without a film, on failure; the message is
/// "" if `each` stopped it. Pictures that were written stay.
bool film_make(const FilmDef *def, FilmFunction *each, void *user, char *error, size_t size);

#endif
