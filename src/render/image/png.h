/// PNG files of pictures, with words about where they come from.
#ifndef PX_RENDER_IMAGE_PNG_H
#define PX_RENDER_IMAGE_PNG_H

#include "render/trace/draw.h"

/// One text chunk: `key` as PNG knows it (Title, Software, Comment, Source, ...).
typedef struct PxPngText {
    const char *key;
    const char *text;
} PxPngText;

/// Writes the picture, whole or not at all. Errors: PX_ERR_IO, PX_ERR_MEMORY.
PxStatus px_png_write(const char *path, const PxPicture *picture, const PxPngText *text,
                      size_t texts);

/// Reads a picture of 8 bits a channel as px_png_write() leaves it; the text chunk `key`
/// is put into `text` ("" when there is none), cut to `size`. `picture` may be NULL
/// when only the text is wanted. Errors: PX_ERR_IO, PX_ERR_FORMAT, PX_ERR_MEMORY.
PxStatus px_png_read(const char *path, PxPicture *picture, const char *key, char *text,
                     size_t size);

#endif
