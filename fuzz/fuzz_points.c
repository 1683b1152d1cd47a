/// Fuzz target: the reader of surfaces and surfels on arbitrary bytes.
#include "store/ply_points.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
    if (!kept)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxPlyPoints ply;
    PxStatus status = px_ply_points_parse("fuzz.ply", data, size, &ply);
    if (status != PX_OK) {
        promise(status == PX_ERR_FORMAT);
        promise(strncmp(px_error_message(), "fuzz.ply: ", 10) == 0);
        return 0;
    }
    const PxColumn *position = px_table_find(&ply.points, "position");
    promise(position != NULL && position->components == 3);
    promise(ply.faces || ply.triangles == 0);
    for (uint32_t t = 0; t < ply.triangles; ++t)
        for (int k = 0; k < 3; ++k)
            promise(ply.triangle[t][k] < ply.points.count);
    px_ply_points_free(&ply);
    return 0;
}
