/// Wavefront OBJ export: `v x y z r g b`, with normals and triangles if present.
///
/// Colours after the coordinates are an extension of MeshLab that Blender and others read.
#include "store/export.h"

static void add_vector(PxText *text, const char *word, const PxColumn *column, uint32_t row)
{
    px_text_add(text, "%s", word);
    for (uint32_t k = 0; k < 3; ++k) {
        px_text_add(text, " ");
        px_export_value(text, column, k, row);
    }
}

PxStatus px_export_obj(PxFile *file, const PxExportFrame *frame)
{
    PxText text = {0};
    px_text_add(&text, "# ");
    px_export_title(&text, frame);
    px_text_add(&text, "\n");
    PxStatus status = PX_OK;
    for (uint32_t i = 0; i < frame->points.count && status == PX_OK; ++i) {
        add_vector(&text, "v", frame->position, i);
        for (uint32_t k = 0; k < 3; ++k) /* three digits reproduce the byte */
            px_text_add(&text, " %.3g", ((const uint8_t *)frame->colour->data[k])[i] / 255.0);
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    for (uint32_t i = 0; i < frame->points.count && frame->normal != NULL && status == PX_OK; ++i) {
        add_vector(&text, "vn", frame->normal, i);
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    for (uint32_t t = 0; t < frame->triangles && status == PX_OK; ++t) {
        uint32_t a = frame->triangle[t][0] + 1, b = frame->triangle[t][1] + 1;
        uint32_t c = frame->triangle[t][2] + 1;
        if (frame->normal != NULL)
            px_text_add(&text, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
        else
            px_text_add(&text, "f %u %u %u\n", a, b, c);
        status = px_export_flush(file, &text, false);
    }
    if (status == PX_OK)
        status = px_export_flush(file, &text, true);
    px_text_free(&text);
    return status;
}
