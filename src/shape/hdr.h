/// Pictures of high dynamic range in Radiance's format (.hdr; Ward 1991), as skies have them.
#ifndef PX_SHAPE_HDR_H
#define PX_SHAPE_HDR_H

#include "base/fail.h"
#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

/// Longest side, pixels.
#define PX_HDR_MAX_SIDE 16384u

typedef struct PxHdr {
    uint32_t width, height;
    uint8_t (*pixel)[4]; ///< red, green, blue, common exponent; row by row from the top
} PxHdr;

/// Reads a picture. Errors: PX_ERR_IO; PX_ERR_FORMAT naming the file and what is wrong with it;
/// PX_ERR_MEMORY.
PxStatus px_hdr_read_file(const char *path, PxHdr **out);
/// The same for bytes in memory; `name` is used in messages.
PxStatus px_hdr_read(const char *name, const void *bytes, size_t size, PxHdr **out);
/// NULL is fine.
void px_hdr_free(PxHdr *hdr);

/// Red, green and blue of a pixel, linear.
static inline void px_hdr_pixel(const PxHdr *hdr, uint32_t x, uint32_t y, float out[3])
{
    const uint8_t *p = hdr->pixel[(size_t)y * hdr->width + x];
    float unit = p[3] > 0 ? ldexpf(1, p[3] - 136) : 0; /* 2^(e - 128) / 256 */
    for (int k = 0; k < 3; ++k)
        out[k] = unit * ((float)p[k] + 0.5f);
}

#endif
