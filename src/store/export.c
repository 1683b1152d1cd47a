#include "store/export.h"

#include "base/def.h"
#include "store/cloth_skin.h"
#include "store/export_placed.h"
#include "store/ply_points.h"
#include "store/run_files.h"
#include "store/surface_stamp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = PX_EXPORT_TAKES_POINTS, TRIANGLES = PX_EXPORT_TAKES_TRIANGLES };

static const PxExporter exporters[] = {
    {{"vtp", "ParaView: all columns, and frames.pvd with the times", ".vtp", POINTS | TRIANGLES},
     .write = px_export_vtp,
     .index = px_export_vtp_index},
    {{"ply", "binary PLY: positions, normals, colours, velocities, all columns; the Blender add-on",
      ".ply", POINTS | TRIANGLES},
     .colour = true,
     .write = px_export_ply},
    {{"obj", "Wavefront OBJ: positions with colours, for stills", ".obj", POINTS | TRIANGLES},
     .colour = true,
     .write = px_export_obj},
    {{"stl", "binary STL: triangles alone", ".stl", TRIANGLES}, .write = px_export_stl},
    {{"pc2", "base.ply and frames.pc2, where nothing comes or goes: Blender's Mesh Cache", ".pc2",
      POINTS | TRIANGLES},
     .colour = true,
     .begin = px_export_pc2_begin,
     .add = px_export_pc2_add,
     .end = px_export_pc2_end},
    {{"pov", "POV-Ray: mesh2 or spheres to include, and frames.pov around them", ".inc",
      POINTS | TRIANGLES},
     .colour = true,
     .write = px_export_pov,
     .index = px_export_pov_index},
    {{"csv", "text, a row a particle or vertex: for spreadsheets and scripts", ".csv",
      POINTS | TRIANGLES},
     .write = px_export_csv},
    {{"poses",
      "poses.csv: motion of rigid bodies and walls; their meshes; joints, camera, lights; the "
      "Blender add-on",
      ".csv", POINTS},
     .rigid = true,
     .begin = px_export_poses_begin,
     .add = px_export_poses_add,
     .end = px_export_poses_end},
};

/* ---- shared by the exporters ---- */

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

void px_export_title(PxText *text, const PxExportFrame *frame)
{
    px_text_add(text, "phyxel %s of frame %u, time ", frame->surface ? "surface" : "particles",
                frame->meta.number);
    px_text_add_f64(text, frame->meta.time);
    px_text_add(text, " s, %c up, SI units", frame->meta.up);
}

/* ---- all frames ---- */

const PxExportFormat *px_export_format(uint32_t index)
{
    return index < PX_COUNT(exporters) ? &exporters[index].format : NULL;
}

static PxExportDef export_def_defaults(void)
{
    return (PxExportDef){.format = "vtp", .last = UINT32_MAX};
}

PX_DEF(PxExportDef, export_def, "export")

/* Finds an exporter by name; if unknown, returns NULL with the known names in the message. */
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

/* ---- one frame ---- */

/* Reads a surface or surfels from `folder`; metadata missing in its comments is taken from the
 * frame. */
static PxStatus read_surface(const char *dir, const char *folder, uint32_t number,
                             PxExportFrame *frame)
{
    char path[PX_PATH_MAX];
    PxPlyPoints ply;
    PX_TRY(px_path_join(path, folder, "%06u.ply", number));
    PX_TRY(px_surface_read(dir, number, path, &ply));
    px_table_free(&frame->points);
    frame->points = ply.points; /* ownership passes to the frame */
    frame->triangle = ply.triangle;
    frame->triangles = ply.triangles;
    frame->surface = ply.faces;
    if (isnan(ply.time) || ply.up == '\0') {
        PxTable columns;
        uint32_t rows;
        px_table_init(&columns, NULL);
        PxStatus status = px_frame_read_columns(dir, number, &frame->meta, &columns, &rows);
        px_table_free(&columns);
        if (status != PX_OK)
            return px_fail_prefix(status, "'%s' does not say its time: ", path);
    }
    frame->meta.number = number;
    frame->meta.time = isnan(ply.time) ? frame->meta.time : ply.time;
    frame->meta.up = ply.up == '\0' ? frame->meta.up : ply.up;
    return PX_OK;
}

static PxStatus write_frame(const PxExporter *exporter, const char *out, const PxExportFrame *frame)
{
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, out, "%06u%s", frame->meta.number, exporter->format.extension));
    PxFile file = {.descriptor = -1};
    PxStatus status = px_file_begin(&file, path);
    if (status == PX_OK)
        status = exporter->write(&file, frame);
    if (status == PX_OK)
        status = px_file_commit(&file);
    px_file_abandon(&file);
    return status;
}

/* State of a call of px_export(). */
typedef struct Job {
    const PxExportDef *def;
    const PxExporter *exporter;
    const char *out;
    const char *from;      /* folder of surfaces; NULL for particles */
    const char *where;     /* `from` or the run's folder, for messages */
    void *state;           /* of exporters with begin() */
    bool skin;             /* `from` holds skins, perhaps of cloth */
    PxExportPlaced *walls; /* NULL: not of walls */
    PxClothSmoother smoother;
    PxThreads threads;
} Job;

/* Finds the values of cloth and subdivides it. */
static PxStatus refine_cloth(Job *job, uint32_t number, PxExportFrame *frame)
{
    PxClothSkin skin = {&frame->points, &frame->triangle, &frame->triangles, 0, {0}};
    PxStatus status = px_cloth_skin_cells(job->def->dir, number, &skin, &job->threads);
    if (status == PX_OK)
        status = px_cloth_skin_smooth(&job->smoother, job->def->dir, job->def->smooth, &skin,
                                      &job->threads);
    frame->cells = skin.cells;
    return status;
}

static PxStatus export_frame(Job *job, uint32_t number, PxExportDone *done)
{
    PxExportFrame *frame = malloc(sizeof *frame);
    if (frame == NULL)
        return px_fail(PX_ERR_MEMORY, "export: no room for a frame");
    px_export_frame_init(frame);
    PxStatus status =
        job->walls != NULL
            ? px_export_placed_read(job->walls, job->def->dir, number, &job->threads, frame)
        : job->from == NULL
            ? px_frame_read(job->def->dir, number, &frame->meta, &frame->points, &job->threads)
            : read_surface(job->def->dir, job->from, number, frame);
    if (status == PX_OK && job->skin)
        status = refine_cloth(job, number, frame);
    if (status == PX_OK && job->exporter->rigid)
        status = px_frame_read_rigid(job->def->dir, number, &frame->rigid, &job->threads);
    if (status == PX_OK && job->exporter->rigid)
        status = px_frame_read_joints(job->def->dir, number, &frame->joints, &job->threads);
    if (status == PX_OK)
        status = px_export_ready(frame, job->def, job->exporter->colour);
    if (status == PX_OK)
        status = job->exporter->write != NULL ? write_frame(job->exporter, job->out, frame)
                                              : job->exporter->add(job->state, frame);
    if (status == PX_OK)
        *done = (PxExportDone){frame->meta, frame->bounds, frame->surface};
    px_export_frame_free(frame);
    free(frame);
    return status;
}

/* ---- the loop ---- */

typedef PX_LIST(PxExportDone) DoneList;

/* Exports the frames numbers[0 .. count); `done` lists those that succeeded. */
static PxStatus export_frames(Job *job, const uint32_t *numbers, uint32_t count,
                              PxExportProgress *progress, void *user, DoneList *done)
{
    if (!PX_LIST_RESERVE(done, count))
        return px_fail(PX_ERR_MEMORY, "export: no room to take note of %u frames", count);
    for (uint32_t k = 0;; ++k) {
        if (progress != NULL && !progress(user, k, count) && k < count)
            return px_fail(PX_ERR_STOPPED, "export: stopped after %u of %u frames", k, count);
        if (k == count)
            return PX_OK;
        if (k > 0 && numbers[k] != numbers[k - 1] + 1)
            return px_fail(PX_ERR_FORMAT, "export: '%s' has no frame %u, but %u and %u", job->where,
                           numbers[k - 1] + 1, numbers[k - 1], numbers[k]);
        PX_TRY(export_frame(job, numbers[k], &done->data[k]));
        ++done->count;
    }
}

/* After a failure the exported frames and an index of them are kept. A second failure, of the
 * index, is ignored, because its message would replace that of the first. */
static PxStatus close_export(const Job *job, PxStatus status, const DoneList *done)
{
    if (job->exporter->end != NULL)
        return job->exporter->end(job->state, status);
    if (done->count == 0 || job->exporter->index == NULL)
        return status;
    if (status == PX_OK)
        return job->exporter->index(job->out, done->data, done->count);
    char reason[1024];
    strncpy(reason, px_error_message(), sizeof reason - 1);
    reason[sizeof reason - 1] = '\0';
    job->exporter->index(job->out, done->data, done->count);
    return px_fail(status, "%s", reason);
}

static PxStatus export_all(Job *job, const uint32_t *numbers, uint32_t count,
                           PxExportProgress *progress, void *user)
{
    DoneList done = {0};
    if (job->def->out == NULL) /* in the folder of the run */
        PX_TRY(px_refuse_link(job->out));
    PX_TRY(px_folder_make(job->out));
    PX_TRY(px_folder_clean(job->out));
    if (job->exporter->begin != NULL)
        PX_TRY(job->exporter->begin(job->def, job->out, &job->state));
    PxStatus status = export_frames(job, numbers, count, progress, user, &done);
    status = close_export(job, status, &done);
    PX_LIST_FREE(&done);
    return status;
}

static const PxRunFile files[] = {[PX_EXPORT_PARTICLES] = PX_FILE_FRAME,
                                  [PX_EXPORT_SURFACE] = PX_FILE_SURFACE,
                                  [PX_EXPORT_SURFELS] = PX_FILE_SURFELS,
                                  [PX_EXPORT_SKIN] = PX_FILE_SKIN,
                                  [PX_EXPORT_SKIN_SURFELS] = PX_FILE_SKIN_SURFELS,
                                  [PX_EXPORT_COAT] = PX_FILE_COAT,
                                  [PX_EXPORT_CONTACT] = PX_FILE_CONTACT,
                                  [PX_EXPORT_FOAM] = PX_FILE_FOAM,
                                  [PX_EXPORT_WALLS] = PX_FILE_FRAME};

/* The part of the name of its default folder. */
static const char *folder_of(PxExportWhat what)
{
    return what == PX_EXPORT_WALLS ? "walls" : px_run_file_folder(files[what]);
}

static bool has_skins(const char *dir, PxExportWhat what)
{
    PxNumbers numbers = {0};
    bool there = px_run_file_numbers(dir, files[what], &numbers) == PX_OK && numbers.count > 0;
    PX_LIST_FREE(&numbers);
    return there;
}

/* Finds the folder of surfaces or surfels and their numbers; if there are none, the message names
 * the command that makes them. */
static PxStatus find_folder(const PxExportDef *def, PxExportWhat what, char folder[PX_PATH_MAX],
                            PxNumbers *numbers)
{
    if (what != PX_EXPORT_SURFACE && what != PX_EXPORT_SURFELS) {
        PX_TRY(px_path_join(folder, def->dir, "%s", px_run_file_folder(files[what])));
        PX_TRY(px_folder_numbers(folder, ".ply", numbers));
        if (numbers->count > 0)
            return PX_OK;
        PX_LIST_FREE(numbers);
        if (what == PX_EXPORT_COAT)
            return px_fail(PX_ERR_ARGUMENT,
                           "export: there are no coats in '%s'; materials whose scene says "
                           "\"coat\" have them",
                           folder);
        if (what == PX_EXPORT_CONTACT)
            return px_fail(PX_ERR_ARGUMENT,
                           "export: there are no contact surfaces in '%s'; run 'phyxel surface %s "
                           "--contact' first",
                           folder, def->dir);
        if (what == PX_EXPORT_FOAM)
            return px_fail(PX_ERR_ARGUMENT,
                           "export: there is no foam in '%s'; run 'phyxel foam %s' first", folder,
                           def->dir);
        return px_fail(PX_ERR_ARGUMENT,
                       "export: there are no skins in '%s'; solids whose scene says \"%s\" have "
                       "them",
                       folder, what == PX_EXPORT_SKIN ? "skin" : "surfels");
    }
    bool surfels = what == PX_EXPORT_SURFELS;
    const char *material = def->material;
    if (material != NULL && (material[0] == '\0' || strchr(material, '/') != NULL ||
                             strcmp(material, ".") == 0 || strcmp(material, "..") == 0))
        return px_fail(PX_ERR_ARGUMENT, "export: '%.60s' is no name of a material", material);
    PX_TRY(px_path_join(folder, def->dir, "%s%s%s", px_run_file_folder(files[what]),
                        material != NULL ? "/" : "", material != NULL ? material : ""));
    PX_TRY(px_folder_numbers(folder, ".ply", numbers));
    if (numbers->count > 0)
        return PX_OK;
    PX_LIST_FREE(numbers);
    return px_fail(PX_ERR_ARGUMENT,
                   "export: there are no %s in '%s'; run 'phyxel surface %s%s%s%s' "
                   "first",
                   surfels ? "surfels" : "surfaces", folder, def->dir, surfels ? " --surfels" : "",
                   material != NULL ? " --material " : "", material != NULL ? material : "");
}

static PxExportWhat usual(const PxExporter *exporter, const PxExportDef *def)
{
    if (exporter->rigid)
        return PX_EXPORT_PARTICLES;
    if (def->material == NULL && has_skins(def->dir, PX_EXPORT_SKIN))
        return PX_EXPORT_SKIN;
    if (def->material == NULL && (exporter->format.takes & POINTS) &&
        has_skins(def->dir, PX_EXPORT_SKIN_SURFELS))
        return PX_EXPORT_SKIN_SURFELS;
    return exporter->format.takes & POINTS ? PX_EXPORT_PARTICLES : PX_EXPORT_SURFACE;
}

static PxStatus check_def(const PxExportDef *def, const PxExporter *exporter, PxExportWhat *what)
{
    unsigned takes = exporter->format.takes;
    *what = def->what == PX_EXPORT_USUAL ? usual(exporter, def) : def->what;
    if (exporter->rigid && *what != PX_EXPORT_PARTICLES)
        return px_fail(PX_ERR_ARGUMENT, "export: %s holds motion alone, wanted no choice of what",
                       exporter->format.name);
    if (*what != PX_EXPORT_SURFACE && *what != PX_EXPORT_SKIN && *what != PX_EXPORT_WALLS &&
        !(takes & POINTS))
        return px_fail(PX_ERR_ARGUMENT, "export: %s holds triangles alone, wanted a surface",
                       exporter->format.name);
    if (def->material != NULL && *what != PX_EXPORT_SURFACE && *what != PX_EXPORT_SURFELS)
        return px_fail(PX_ERR_ARGUMENT,
                       "export: a material can be chosen for surfaces and surfels, not for %s",
                       *what == PX_EXPORT_PARTICLES ? "particles"
                       : *what == PX_EXPORT_COAT    ? "coats"
                       : *what == PX_EXPORT_CONTACT ? "contact surfaces"
                       : *what == PX_EXPORT_FOAM    ? "foam"
                       : *what == PX_EXPORT_WALLS   ? "walls"
                                                    : "skins");
    if (def->smooth > PX_LOOP_MOST_LEVELS)
        return px_fail(PX_ERR_ARGUMENT, "export: smooth is %u, wanted 0 to %u", def->smooth,
                       PX_LOOP_MOST_LEVELS);
    if (def->smooth > 0 && *what != PX_EXPORT_SKIN)
        return px_fail(PX_ERR_ARGUMENT,
                       "export: only cloth is subdivided, which is in the skins of a run");
    if (def->up != '\0' && def->up != 'y' && def->up != 'z')
        return px_fail(PX_ERR_ARGUMENT, "export: up is '%c', wanted y or z", def->up);
    return PX_OK;
}

void px_export_folder(const PxExportDef *given, char *out, size_t size)
{
    PxExportDef read, *def = &read;
    if (out == NULL || size == 0)
        return;
    out[0] = '\0';
    if (read_export_def(given, &read) != PX_OK || def->dir == NULL || def->format == NULL ||
        (unsigned)def->what >= PX_COUNT(files))
        return;
    PxExportWhat what = def->what;
    for (size_t k = 0; k < PX_COUNT(exporters) && what == PX_EXPORT_USUAL; ++k)
        if (strcmp(exporters[k].format.name, def->format) == 0)
            what = usual(&exporters[k], def);
    if (def->out != NULL)
        snprintf(out, size, "%s", def->out);
    else
        snprintf(out, size, "%s/%s%s%s%s%s", def->dir, def->format,
                 what > PX_EXPORT_PARTICLES ? "-" : "",
                 what > PX_EXPORT_PARTICLES ? folder_of(what) : "",
                 def->material != NULL ? "-" : "", def->material != NULL ? def->material : "");
}

PxStatus px_export(const PxExportDef *given, PxExportProgress *progress, void *user)
{
    char chosen[PX_PATH_MAX], out[PX_PATH_MAX], folder[PX_PATH_MAX];
    PxExportWhat what;
    PxExportDef read;
    PX_TRY(read_export_def(given, &read));
    const PxExportDef *def = &read;
    if (def->dir == NULL || def->dir[0] == '\0' || def->format == NULL)
        return px_fail(PX_ERR_ARGUMENT, "export: no folder or no format is given");
    if (def->out != NULL && def->out[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "export: the output folder is empty");
    PX_TRY(px_threads_check(def->threads, "export"));
    if ((unsigned)def->what >= PX_COUNT(files))
        return px_fail(PX_ERR_ARGUMENT, "export: what is number %u, wanted one below %zu",
                       (unsigned)def->what, PX_COUNT(files));
    const PxExporter *exporter = find_exporter(def->format);
    if (exporter == NULL)
        return PX_ERR_ARGUMENT;
    PX_TRY(check_def(def, exporter, &what));
    px_export_folder(def, chosen, sizeof chosen);
    PX_TRY(px_path_join(out, chosen, "."));
    bool particles = what == PX_EXPORT_PARTICLES || what == PX_EXPORT_WALLS;
    Job job = {.def = def,
               .exporter = exporter,
               .out = out,
               .from = particles ? NULL : folder,
               .skin = what == PX_EXPORT_SKIN,
               .threads = {.count = def->threads > 0 ? def->threads : px_threads_available()}};

    PxNumbers numbers = {0};
    uint32_t missing;
    if (what == PX_EXPORT_WALLS)
        PX_TRY(px_export_placed_begin(def->scene, &job.walls));
    PxStatus status =
        particles ? px_frame_list(def->dir, &numbers) : find_folder(def, what, folder, &numbers);
    const char *where = job.where = particles ? def->dir : folder;
    size_t begin = 0, end = numbers.count;
    while (begin < end && numbers.data[begin] < def->first)
        ++begin;
    while (end > begin && numbers.data[end - 1] > def->last)
        --end;
    if (status != PX_OK)
        ; /* told already */
    else if (numbers.count == 0)
        status = px_fail(PX_ERR_ARGUMENT, "export: '%s' has no frames", where);
    else if (begin == end && def->last == UINT32_MAX)
        status = px_fail(PX_ERR_ARGUMENT, "export: '%s' has no frame from %u on, %u is the last",
                         where, def->first, numbers.data[numbers.count - 1]);
    else if (begin == end)
        status = px_fail(PX_ERR_ARGUMENT, "export: '%s' has no frame from %u to %u", where,
                         def->first, def->last);
    else if (particles &&
             px_frame_ends_missing(def->dir,
                                   &(PxNumbers){.data = numbers.data + begin, .count = end - begin},
                                   def->first, def->last, &missing))
        status = px_fail(PX_ERR_FORMAT, "export: frame %u of '%s' is missing", missing, def->dir);
    else
        status = export_all(&job, numbers.data + begin, (uint32_t)(end - begin), progress, user);
    px_export_placed_end(job.walls);
    px_cloth_smoother_free(&job.smoother);
    PX_LIST_FREE(&numbers);
    return status;
}
