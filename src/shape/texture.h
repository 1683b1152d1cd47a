/// Textures from PNG files, sampled at texture coordinates.
#ifndef PX_SHAPE_TEXTURE_H
#define PX_SHAPE_TEXTURE_H

#include "base/fail.h"
#include "shape/mesh.h"

/// Longest side, pixels, and largest file, bytes.
#define PX_TEXTURE_MAX_SIDE 16384u
#define PX_TEXTURE_MAX_FILE ((size_t)512 << 20)

typedef struct PxTexture {
    uint32_t width, height;
    uint8_t *pixel; ///< red, green, blue, row by row from the top
} PxTexture;

/// Reads any PNG; transparent pixels are blended with white. *out is NULL after a failure.
/// Errors: PX_ERR_IO; PX_ERR_FORMAT naming the file and what is wrong with it; PX_ERR_MEMORY.
PxStatus px_texture_read_file(const char *path, PxTexture **out);

/// The same for bytes in memory; `name` is used in messages.
PxStatus px_texture_read(const char *name, const void *bytes, size_t size, PxTexture **out);
/// NULL is fine.
void px_texture_free(PxTexture *texture);

/// Bilinear sample: red, green, blue in 0 .. 1. (0, 0) is the lower left corner, (1, 1) the upper
/// right one; the texture repeats outside.
PxVec3 px_texture_at(const PxTexture *texture, PxUv uv);

#endif
