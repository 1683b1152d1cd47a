/// CSV export: a header line, then one line per particle. Numbers read back as the same
/// bits.
#include "store/column_form.h"
#include "store/export.h"

PxStatus px_export_csv(PxFile *file, const PxExportFrame *frame)
{
    PxText text = {0};
    for (uint32_t c = 0; c < frame->columns; ++c)
        for (uint32_t k = 0; k < frame->column[c]->components; ++k) {
            char name[PX_TABLE_NAME + 4];
            px_component_name(frame->column[c], k, name);
            px_text_add(&text, "%s%s", c + k > 0 ? "," : "", name);
        }
    px_text_add(&text, "\n");
    PxStatus status = PX_OK;
    for (uint32_t i = 0; i < frame->points.count && status == PX_OK; ++i) {
        for (uint32_t c = 0; c < frame->columns; ++c)
            for (uint32_t k = 0; k < frame->column[c]->components; ++k) {
                if (c + k > 0)
                    px_text_add(&text, ",");
                px_export_value(&text, frame->column[c], k, i);
            }
        px_text_add(&text, "\n");
        status = px_export_flush(file, &text, false);
    }
    if (status == PX_OK)
        status = px_export_flush(file, &text, true);
    px_text_free(&text);
    return status;
}
