/// Wavefront OBJ export: `v x y z r g b`, with texture coordinates, normals and triangles if
/// present.
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

static const PxColumn *real_column(const PxExportFrame *frame, const char *name)
{
    const PxColumn *c = px_table_find(&frame->points, name);
    return c != NULL && c->components == 1 && (c->type == PX_F32 || c->type == PX_F64) ? c : NULL;
}

/* Corner of a face: vertex/texture/normal, which have the same numbers. */
static void add_corner(PxText *text, uint32_t k, bool uv, bool normal)
{
    px_text_add(text, " %u", k);
    if (uv)
        px_text_add(text, "/%u", k);
    if (normal)
        px_text_add(text, uv ? "/%u" : "//%u", k);
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
    const PxColumn *u = real_column(frame, "s"), *v = real_column(frame, "t");
    bool uv = u != NULL && v != NULL && frame->surface;
    for (uint32_t i = 0; i < frame->points.count && uv && status == PX_OK; ++i) {
        px_text_add(&text, "vt ");
        px_export_value(&text, u, 0, i);
        px_text_add(&text, " ");
        px_export_value(&text, v, 0, i);
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    for (uint32_t i = 0; i < frame->points.count && frame->normal != NULL && status == PX_OK; ++i) {
        add_vector(&text, "vn", frame->normal, i);
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    for (uint32_t t = 0; t < frame->triangles && status == PX_OK; ++t) {
        px_text_add(&text, "f");
        for (int k = 0; k < 3; ++k)
            add_corner(&text, frame->triangle[t][k] + 1, uv, frame->normal != NULL);
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    if (status == PX_OK)
        status = px_export_flush(file, &text, true);
    px_text_free(&text);
    return status;
}
