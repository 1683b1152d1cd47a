/// Films: pictures encoded by the ffmpeg command through a pipe.
#ifndef PX_RENDER_IMAGE_FILM_H
#define PX_RENDER_IMAGE_FILM_H

#include "phyxel/render.h"
#include "render/trace/draw.h"

/// Checks the file ending: .mp4, .webm, .gif or .webp. Errors: PX_ERR_ARGUMENT.
PxStatus px_film_check(const char *path);

/// Encodes one black picture and throws the result away: fails where px_film_begin() to
/// px_film_finish() would, except for what concerns the file. Writes nothing.
PxStatus px_film_try(const char *path, uint32_t width, uint32_t height, double fps);

/// Limits of the pictures a second that ffmpeg and all three formats accept.
#define PX_FILM_LEAST_FPS 1e-3
#define PX_FILM_MOST_FPS 1e3

/// Adds a picture, which must have the film's size; alpha is composited over white.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO with ffmpeg's message when it has exited.
PxStatus px_film_add(PxFilm *film, const PxPicture *picture);

#endif
