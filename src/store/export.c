#include "store/export.h"

#include <stdio.h>
#include <string.h>

static const PxExporter exporters[] = {
    {{"vtp", "ParaView: points with all columns, and frames.pvd with the times", ".vtp"},
     px_export_vtp,
     px_export_vtp_index},
    {{"ply", "Stanford PLY, binary: x y z vx vy vz and the other columns", ".ply"},
     px_export_ply,
     NULL},
    {{"obj", "Wavefront OBJ: the points alone, for stills", ".obj"}, px_export_obj, NULL},
    {{"csv", "text, a row a particle: for spreadsheets and scripts", ".csv"}, px_export_csv, NULL},
};

/* ---- what exporters share ---- */

void px_export_component(const PxColumn *column, uint32_t component, char out[PX_TABLE_NAME + 4])
{
    size_t length = strlen(column->name);
    memcpy(out, column->name, length + 1);
    if (column->components == 1)
        return;
    out[length] = '_';
    out[length + 1] = (column->components <= 3 ? "xyz" : "012345678")[component];
    out[length + 2] = '\0';
}

void px_export_value(PxText *text, const PxColumn *column, uint32_t component, uint32_t row)
{
    const void *data = column->data[component];
    switch (column->type) {
    case PX_U8:
        px_text_add(text, "%u", ((const uint8_t *)data)[row]);
        break;
    case PX_U32:
        px_text_add(text, "%u", ((const uint32_t *)data)[row]);
        break;
    case PX_I32:
        px_text_add(text, "%d", ((const int32_t *)data)[row]);
        break;
    case PX_U64:
        px_text_add(text, "%llu", (unsigned long long)((const uint64_t *)data)[row]);
        break;
    case PX_F32:
        px_text_add_f32(text, ((const float *)data)[row]);
        break;
    default:
        px_text_add_f64(text, ((const double *)data)[row]);
        break;
    }
}

PxStatus px_export_flush(PxFile *file, PxText *text, bool all)
{
    if (!all && text->count < ((size_t)1 << 20))
        return PX_OK;
    PX_TRY(px_text_check(text, file->path));
    PX_TRY(px_file_put(file, text->data, text->count));
    px_text_clear(text);
    return PX_OK;
}

/* ---- all frames ---- */

const PxExportFormat *px_export_format(uint32_t index)
{
    return index < PX_COUNT(exporters) ? &exporters[index].format : NULL;
}

PxExportDef px_export_def_default(void)
{
    return (PxExportDef){.format = "vtp", .last = UINT32_MAX};
}

/* NULL, with the names of those there are in the message, when it is not known. */
static const PxExporter *find_exporter(const char *name)
{
    char known[256] = "";
    size_t used = 0;
    for (size_t k = 0; k < PX_COUNT(exporters); ++k) {
        if (strcmp(exporters[k].format.name, name) == 0)
            return &exporters[k];
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "",
                                     exporters[k].format.name);
    }
    px_fail(PX_ERR_ARGUMENT, "export: there is no format '%.40s', wanted one of %s", name, known);
    return NULL;
}

static PxStatus check_position(const PxFrameMeta *meta, const PxTable *particles)
{
    const PxColumn *position = px_table_find(particles, "position");
    if (position == NULL || position->components != 3 ||
        (position->type != PX_F32 && position->type != PX_F64))
        return px_fail(PX_ERR_FORMAT, "export: frame %u has no position of three floats or doubles",
                       meta->number);
    return PX_OK;
}

static PxStatus export_frame(const PxExporter *exporter, const char *dir, const char *out,
                             uint32_t number, const PxThreads *threads, PxFrameMeta *meta)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, out, "%06u%s", number, exporter->format.extension));
    PxFile file = {.descriptor = -1};
    PxTable particles;
    px_table_init(&particles, NULL);
    PxStatus status = px_frame_read(dir, number, meta, &particles, threads);
    if (status == PX_OK)
        status = check_position(meta, &particles);
    if (status == PX_OK)
        status = px_file_begin(&file, path);
    if (status == PX_OK)
        status = exporter->write(&file, meta, &particles);
    if (status == PX_OK)
        status = px_file_commit(&file);
    px_file_abandon(&file);
    px_table_free(&particles);
    return status;
}

typedef PX_LIST(PxFrameMeta) MetaList;

/* Exports the frames in numbers[0 .. count); what was done is in `done`. */
static PxStatus export_frames(const PxExporter *exporter, const PxExportDef *def, const char *out,
                              const uint32_t *numbers, uint32_t count, PxExportProgress *progress,
                              void *user, MetaList *done)
{
    PxThreads threads = {def->threads > 0 ? def->threads : px_threads_available()};
    if (threads.count > PX_MAX_THREADS)
        threads.count = PX_MAX_THREADS;
    if (!PX_LIST_RESERVE(done, count))
        return px_fail(PX_ERR_MEMORY, "export: no room to take note of %u frames", count);
    for (uint32_t k = 0;; ++k) {
        if (progress != NULL && !progress(user, k, count) && k < count)
            return px_fail(PX_ERR_STOPPED, "export: stopped after %u of %u frames", k, count);
        if (k == count)
            return PX_OK;
        PX_TRY(export_frame(exporter, def->dir, out, numbers[k], &threads, &done->data[k]));
        ++done->count;
    }
}

PxStatus px_export(const PxExportDef *def, PxExportProgress *progress, void *user)
{
    char out[PX_PATH_MAX];
    if (def->dir == NULL || def->format == NULL)
        return px_fail(PX_ERR_ARGUMENT, "export: no folder or no format is given");
    const PxExporter *exporter = find_exporter(def->format);
    if (exporter == NULL)
        return PX_ERR_ARGUMENT;
    if (def->out != NULL)
        PX_TRY(px_path_join(out, def->out, "."));
    else
        PX_TRY(px_path_join(out, def->dir, "%s", def->format));

    PxNumbers numbers;
    PX_TRY(px_frame_list(def->dir, &numbers));
    size_t begin = 0, end = numbers.count;
    while (begin < end && numbers.data[begin] < def->first)
        ++begin;
    while (end > begin && numbers.data[end - 1] > def->last)
        --end;
    MetaList done = {0};
    PxStatus status;
    if (numbers.count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "export: '%s' has no frames", def->dir);
    else if (begin == end && def->last == UINT32_MAX)
        status = px_fail(PX_ERR_ARGUMENT, "export: '%s' has no frame from %u on, %u is the last",
                         def->dir, def->first, numbers.data[numbers.count - 1]);
    else if (begin == end)
        status = px_fail(PX_ERR_ARGUMENT, "export: '%s' has no frame from %u to %u", def->dir,
                         def->first, def->last);
    else
        status = px_folder_make(out);
    if (status == PX_OK)
        status = px_folder_clean(out);
    if (status == PX_OK)
        status = export_frames(exporter, def, out, numbers.data + begin, (uint32_t)(end - begin),
                               progress, user, &done);
    /* What was done before a failure is kept, and so is an index of it; that one's
     * own failure would hide the reason. */
    if (done.count > 0 && exporter->index != NULL) {
        if (status == PX_OK) {
            status = exporter->index(out, done.data, done.count);
        } else {
            char reason[1024];
            strncpy(reason, px_error_message(), sizeof reason - 1);
            reason[sizeof reason - 1] = '\0';
            exporter->index(out, done.data, done.count);
            px_fail(status, "%s", reason);
        }
    }
    PX_LIST_FREE(&done);
    PX_LIST_FREE(&numbers);
    return status;
}
