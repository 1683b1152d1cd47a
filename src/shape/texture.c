#include "shape/texture.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libpng's simplified interface: it returns errors instead of using longjmp(). */
/* Largest expansion by deflate (a match of 258 bytes takes at least two bits). A pixel has at least
 * one bit, so headers that state more pixels are refused before memory is allocated. */
#define MOST_DEFLATED 1032.0

/* True if every chunk ends within the file: libpng allocates the stated size of a chunk, up to
 * 2 GB, before it reads it. Files without the PNG signature are left to libpng. */
static bool chunks_end(const uint8_t *bytes, size_t size)
{
    size_t at = 8;
    if (size < 8 || png_sig_cmp(bytes, 0, 8) != 0)
        return true;
    while (size - at >= 12) {
        const uint8_t *b = bytes + at;
        size_t length = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
        if (length > size - at - 12)
            return false;
        at += length + 12;
    }
    return true;
}

PxStatus px_texture_read(const char *name, const void *bytes, size_t size, PxTexture **out)
{
    *out = NULL;
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (size == 0)
        return px_fail(PX_ERR_FORMAT, "%s: the file is empty, wanted a PNG picture", name);
    if (size > PX_TEXTURE_MAX_FILE)
        return px_fail(PX_ERR_FORMAT, "%s: %zu bytes, at most %zu allowed", name, size,
                       PX_TEXTURE_MAX_FILE);
    if (!chunks_end(bytes, size))
        return px_fail(PX_ERR_FORMAT, "%s: the PNG picture ends early, within a chunk", name);
    if (!png_image_begin_read_from_memory(&image, bytes, size))
        return px_fail(PX_ERR_FORMAT, "%s: cannot be read as a PNG picture: %s", name,
                       image.message);
    PxStatus status = PX_OK;
    PxTexture *texture = NULL;
    if (image.width > PX_TEXTURE_MAX_SIDE || image.height > PX_TEXTURE_MAX_SIDE) {
        status = px_fail(PX_ERR_FORMAT, "%s: %u x %u pixels, at most %u along each side allowed",
                         name, image.width, image.height, PX_TEXTURE_MAX_SIDE);
    } else if ((double)image.width * image.height / 8 > MOST_DEFLATED * (double)size) {
        status = px_fail(PX_ERR_FORMAT, "%s: %zu bytes cannot hold the %u x %u pixels it states",
                         name, size, image.width, image.height);
    } else if ((texture = calloc(1, sizeof *texture)) == NULL ||
               (texture->pixel = malloc((size_t)image.width * image.height * 3)) == NULL) {
        status = px_fail(PX_ERR_MEMORY, "%s: no room for %u x %u pixels", name, image.width,
                         image.height);
    } else {
        png_color white = {255, 255, 255};
        image.format = PNG_FORMAT_RGB;
        texture->width = image.width;
        texture->height = image.height;
        if (!png_image_finish_read(&image, &white, texture->pixel, 0, NULL))
            status =
                px_fail(PX_ERR_FORMAT, "%s: the PNG picture is damaged: %s", name, image.message);
    }
    png_image_free(&image);
    if (status != PX_OK)
        px_texture_free(texture);
    else
        *out = texture;
    return status;
}

PxStatus px_texture_read_file(const char *path, PxTexture **out)
{
    *out = NULL;
    struct stat about;
    /* Not blocking: a pipe without a writer must not hang us. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return px_fail(PX_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    PxStatus status = PX_OK;
    char *bytes = NULL;
    size_t done = 0;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        status = px_fail(PX_ERR_IO, "%s: not an ordinary file, wanted a PNG picture", path);
    else if (about.st_size < 1 || (uint64_t)about.st_size > PX_TEXTURE_MAX_FILE)
        status = px_fail(PX_ERR_FORMAT, "%s: %lld bytes, wanted a PNG picture of at most %zu", path,
                         (long long)about.st_size, PX_TEXTURE_MAX_FILE);
    else if ((bytes = malloc((size_t)about.st_size)) == NULL)
        status = px_fail(PX_ERR_MEMORY, "%s: no room for its %lld bytes", path,
                         (long long)about.st_size);
    while (status == PX_OK && done < (size_t)about.st_size) {
        ssize_t got = read(file, bytes + done, (size_t)about.st_size - done);
        if (got > 0)
            done += (size_t)got;
        else if (got == 0 || errno != EINTR)
            status = px_fail(PX_ERR_IO, "%s: cannot be read: %s", path,
                             got == 0 ? "it became shorter" : strerror(errno));
    }
    if (status == PX_OK)
        status = px_texture_read(path, bytes, done, out);
    free(bytes);
    close(file);
    return status;
}

void px_texture_free(PxTexture *texture)
{
    if (texture == NULL)
        return;
    free(texture->pixel);
    free(texture);
}

/* The pixel before any coordinate, wrapped to 0 .. side - 1, and the fraction to the next one. */
static uint32_t pixel_before(double coordinate, uint32_t side, double *part)
{
    double at = coordinate * side - 0.5;
    at -= side * floor(at / side);
    at = at >= 0 ? at : 0; /* NaN, too */
    double low = floor(at);
    *part = at - low;
    return low < side ? (uint32_t)low : 0; /* rounding */
}

PxVec3 px_texture_at(const PxTexture *texture, PxUv uv)
{
    double fx, fy;
    uint32_t x = pixel_before(uv.u, texture->width, &fx);
    uint32_t y = pixel_before(1 - uv.v, texture->height, &fy);
    uint32_t next_x = x + 1 < texture->width ? x + 1 : 0;
    uint32_t next_y = y + 1 < texture->height ? y + 1 : 0;
    const uint8_t *p[4] = {texture->pixel + 3 * ((size_t)y * texture->width + x),
                           texture->pixel + 3 * ((size_t)y * texture->width + next_x),
                           texture->pixel + 3 * ((size_t)next_y * texture->width + x),
                           texture->pixel + 3 * ((size_t)next_y * texture->width + next_x)};
    double c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = ((1 - fy) * ((1 - fx) * p[0][k] + fx * p[1][k]) +
                fy * ((1 - fx) * p[2][k] + fx * p[3][k])) /
               255.0;
    return px_vec(c[0], c[1], c[2]);
}
