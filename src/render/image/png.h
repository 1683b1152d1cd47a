/// PNG files of pictures, with text chunks about their origin.
#ifndef PX_RENDER_IMAGE_PNG_H
#define PX_RENDER_IMAGE_PNG_H

#include "render/trace/draw.h"

/// One text chunk: `key` is a PNG keyword (Title, Software, Comment, Source, ...).
typedef struct PxPngText {
    const char *key;
    const char *text;
} PxPngText;

/// Writes the picture, completely or not at all. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_png_write(const char *path, const PxPicture *picture, const PxPngText *text,
                      size_t texts);

/// Reads a picture with 8 bits a channel as written by px_png_write(). The text chunk `key` is
/// copied into `text` ("" when there is none), truncated to `size`. `picture` may be NULL. Errors:
/// PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_png_read(const char *path, PxPicture *picture, const char *key, char *text,
                     size_t size);

#endif
