#include "store/pc2.h"

#include <string.h>
#include <unistd.h>

enum { SAMPLES_AT = 28 };

void px_pc2_header(uint8_t header[PX_PC2_HEADER], uint32_t points, uint32_t first, uint32_t samples)
{
    const int32_t version = 1;
    const float start = (float)first, rate = 1.0f;
    memcpy(header, "POINTCACHE2", 12);
    memcpy(header + 12, &version, 4);
    memcpy(header + 16, &points, 4);
    memcpy(header + 20, &start, 4);
    memcpy(header + 24, &rate, 4);
    memcpy(header + SAMPLES_AT, &samples, 4);
}

PxStatus px_pc2_finish(PxFile *file, uint32_t points, uint32_t samples)
{
    off_t size = PX_PC2_HEADER + (off_t)samples * points * 12;
    if (ftruncate(file->descriptor, size) != 0 ||
        pwrite(file->descriptor, &samples, 4, SAMPLES_AT) != 4)
        return px_fail(PX_ERR_IO, "cannot write '%s'", file->path);
    return PX_OK;
}
