/// Fuzz target: the reader of HDR pictures on arbitrary bytes.
#include "shape/hdr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxHdr *picture;
    float sum = 0, c[3];
    PxStatus status = px_hdr_read("fuzz.hdr", data, size, &picture);
    if ((status == PX_OK) != (picture != NULL))
        abort();
    if (status == PX_ERR_FORMAT && strncmp(px_error_message(), "fuzz.hdr: ", 10) != 0)
        abort();
    for (uint32_t y = 0; picture != NULL && y < picture->height; ++y) {
        px_hdr_pixel(picture, picture->width - 1, y, c);
        sum += c[0];
    }
    if (sum < 0)
        abort();
    px_hdr_free(picture);
    return 0;
}
