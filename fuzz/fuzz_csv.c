/// Fuzz target: the reader of particle positions in CSV files on arbitrary bytes.
#include "base/fail.h"
#include "shape/points_read.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PxPoints points;
    PxStatus status = px_points_read_bytes("fuzz.csv", data, size, 1000, &points);
    if ((status == PX_OK) != (points.count > 0) || points.count > 1000)
        abort();
    if (status != PX_OK && strncmp(px_error_message(), "fuzz.csv: ", 10) != 0)
        abort();
    double crowd;
    if (status == PX_OK && px_points_crowd(&points, 1, &crowd) == PX_OK)
        px_points_thin(&points, 0.1, 2);
    px_points_free(&points);
    return 0;
}
