/// Wavefront OBJ: the points as `v` lines, for programs that read nothing else.
#include "store/export.h"

PxStatus px_export_obj(PxFile *file, const PxFrameMeta *meta, const PxTable *particles)
{
    const PxColumn *position = px_table_find(particles, "position");
    PxText text = {0};
    px_text_add(&text, "# phyxel frame %u, time ", meta->number);
    px_text_add_f64(&text, meta->time);
    px_text_add(&text, " s, %c up, metres\n", meta->up);
    PxStatus status = PX_OK;
    for (uint32_t i = 0; i < particles->count && status == PX_OK; ++i) {
        px_text_add(&text, "v");
        for (uint32_t k = 0; k < 3; ++k) {
            px_text_add(&text, " ");
            px_export_value(&text, position, k, i);
        }
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    if (status == PX_OK)
        status = px_export_flush(file, &text, true);
    px_text_free(&text);
    return status;
}
