/// Poses of rigid bodies of all frames in one CSV file, poses.csv: a line for each body and frame.
///
/// A point x of the shape as the scene places it is at turn (x - pivot) + pivot + move; pivot +
/// move is the centre of mass. `turn` is a unit quaternion, its real part last.
#include "store/export.h"

#include <stdlib.h>

typedef struct Poses {
    PxFile file;
    PxText text;
    bool any; ///< some frame had rigid bodies
} Poses;

/* Columns of the table of rigid bodies, with the names of their components. */
static const struct {
    const char *name;
    uint32_t components;
} columns[] = {{"pivot", 3}, {"move", 3}, {"turn", 4}, {"velocity", 3}, {"spin", 3}};

PxStatus px_export_poses_begin(const PxExportDef *def, const char *out, void **state)
{
    char path[PX_PATH_MAX];
    if (def->up != '\0')
        return px_fail(PX_ERR_ARGUMENT, "export: poses are in the axes of the scene, wanted no "
                                        "other axis up");
    if (def->scene != NULL)
        PX_TRY(px_export_models(out, def->scene));
    PX_TRY(px_path_join(path, out, "poses.csv"));
    Poses *poses = calloc(1, sizeof *poses);
    if (poses == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
    poses->file.descriptor = -1;
    PxStatus status = px_file_begin(&poses->file, path);
    px_text_add(&poses->text, "frame,time,body");
    for (size_t c = 0; c < PX_COUNT(columns); ++c)
        for (uint32_t k = 0; k < columns[c].components; ++k)
            px_text_add(&poses->text, ",%s_%c", columns[c].name, "xyzw"[k]);
    px_text_add(&poses->text, "\n");
    *state = poses;
    if (status != PX_OK) {
        px_text_free(&poses->text);
        free(poses);
        *state = NULL;
    }
    return status;
}

PxStatus px_export_poses_add(void *state, const PxExportFrame *frame)
{
    Poses *poses = state;
    const PxTable *t = &frame->rigid;
    const PxColumn *body = px_table_find(t, "body"), *column[PX_COUNT(columns)];
    for (size_t c = 0; t->count > 0 && c < PX_COUNT(columns); ++c) {
        column[c] = px_table_find(t, columns[c].name);
        if (body == NULL || column[c] == NULL || column[c]->components != columns[c].components)
            return px_fail(PX_ERR_FORMAT, "export: frame %u does not hold the %s of rigid bodies",
                           frame->meta.number, columns[c].name);
    }
    poses->any |= t->count > 0;
    for (uint32_t row = 0; row < t->count; ++row) {
        px_text_add(&poses->text, "%u,", frame->meta.number);
        px_text_add_f64(&poses->text, frame->meta.time);
        px_text_add(&poses->text, ",");
        px_export_value(&poses->text, body, 0, row);
        for (size_t c = 0; c < PX_COUNT(columns); ++c)
            for (uint32_t k = 0; k < columns[c].components; ++k) {
                px_text_add(&poses->text, ",");
                px_export_value(&poses->text, column[c], k, row);
            }
        px_text_add(&poses->text, "\n");
    }
    return px_export_flush(&poses->file, &poses->text, false);
}

PxStatus px_export_poses_end(void *state, PxStatus status)
{
    Poses *poses = state;
    if (status == PX_OK && !poses->any)
        status =
            px_fail(PX_ERR_ARGUMENT, "export: there are no rigid bodies, so no poses to write");
    if (status == PX_OK)
        status = px_export_flush(&poses->file, &poses->text, true);
    if (status == PX_OK)
        status = px_file_commit(&poses->file);
    px_file_abandon(&poses->file);
    px_text_free(&poses->text);
    free(poses);
    return status;
}
