/// Films: pictures handed to the ffmpeg command through a pipe.
#ifndef PX_RENDER_IMAGE_FILM_H
#define PX_RENDER_IMAGE_FILM_H

#include "render/trace/draw.h"

/// Whether films of that name can be made: .mp4, .webm or .gif.
/// Errors: PX_ERR_ARGUMENT.
PxStatus px_film_check(const char *path);

typedef struct PxFilm PxFilm;

/// Starts ffmpeg, found by PATH. The film is written aside and put into its place by
/// px_film_finish(). Errors: PX_ERR_UNSUPPORTED when there is no ffmpeg, with a word on how to
/// install it; PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_film_begin(const char *path, uint32_t width, uint32_t height, double fps, PxFilm **out);

/// Adds a picture, which must be of the film's size; opacity is lost on white.
/// Errors: PX_ERR_ARGUMENT, PX_ERR_IO with ffmpeg's own words when it has gone.
PxStatus px_film_add(PxFilm *film, const PxPicture *picture);

/// Waits for ffmpeg and puts the film into its place. The film is gone in any case.
PxStatus px_film_finish(PxFilm *film);

/// Stops ffmpeg and leaves nothing. NULL is fine.
void px_film_abandon(PxFilm *film);

#endif
