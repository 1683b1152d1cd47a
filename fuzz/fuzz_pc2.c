/// Fuzz target: the PC2 reader on arbitrary bytes.
#include "shape/poses.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxPoses *poses;
    PxStatus status = px_poses_read_pc2("fuzz.pc2", data, size, &poses);
    promise((status == PX_OK) == (poses != NULL));
    if (poses == NULL) {
        promise(strncmp(px_error_message(), "fuzz.pc2: ", 10) == 0);
        return 0;
    }
    promise((uint64_t)poses->vertices * poses->count * 12 + 32 == size && poses->every > 0);
    for (size_t k = 0; k < (size_t)poses->vertices * poses->count; ++k)
        promise(isfinite(poses->place[k][0] + 0 * poses->place[k][1] + 0 * poses->place[k][2]));
    px_poses_free(poses);
    return 0;
}
