/// Binary STL export: the triangles of a surface with their normals, for 3D printing and CAD. It
/// has neither colours nor vertex columns.
#include "store/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD = 50 }; /* normal, three corners, two unused bytes */

static void add_record(const PxExportFrame *frame, uint32_t t, uint8_t *to)
{
    double corner[3][3], normal[3], length = 0;
    for (int c = 0; c < 3; ++c)
        for (uint32_t k = 0; k < 3; ++k)
            corner[c][k] = px_export_real(frame->position, k, frame->triangle[t][c]);
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        normal[k] = (corner[1][u] - corner[0][u]) * (corner[2][v] - corner[0][v]) -
                    (corner[1][v] - corner[0][v]) * (corner[2][u] - corner[0][u]);
        length += normal[k] * normal[k];
    }
    float values[12];
    length = sqrt(length);
    for (int k = 0; k < 3; ++k) {
        values[k] = length > 0 ? (float)(normal[k] / length) : 0.0f;
        for (int c = 0; c < 3; ++c)
            values[3 + 3 * c + k] = (float)corner[c][k];
    }
    memcpy(to, values, sizeof values);
    memset(to + sizeof values, 0, RECORD - sizeof values);
}

PxStatus px_export_stl(PxFile *file, const PxExportFrame *frame)
{
    char header[80] = {0}; /* must not begin with "solid", which marks text STL */
    snprintf(header, sizeof header, "binary: phyxel frame %u, %c up, metres", frame->meta.number,
             frame->meta.up);
    uint8_t *block = malloc((size_t)PX_EXPORT_BLOCK * RECORD);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", file->path);
    PxStatus status = px_file_put(file, header, sizeof header);
    if (status == PX_OK)
        status = px_file_put(file, &frame->triangles, sizeof frame->triangles);
    for (size_t first = 0; first < frame->triangles && status == PX_OK; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, frame->triangles);
        for (uint32_t i = 0; i < count; ++i)
            add_record(frame, (uint32_t)first + i, block + (size_t)i * RECORD);
        status = px_file_put(file, block, (size_t)count * RECORD);
    }
    free(block);
    return status;
}
