/// Makes meshes for scenes and writes them: colons, isosurfaces of volumes, sheets of cloth.
#include "phyxel/make.h"

#include "base/def.h"
#include "shape/colon.h"
#include "shape/rectangle.h"
#include "store/file.h"
#include "store/make_files.h"
#include "surface/mesh/isosurface.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest file with samples, bytes. */
#define MOST_BYTES ((uint64_t)16 << 30)

/* ---- colon ------------------------------------------------------------------------------- */

static PxColonDef colon_def_defaults(void)
{
    return (PxColonDef){.head = {sizeof(PxColonDef), 0x636f6c6fu},
                        .seed = 1,
                        .size = 1,
                        .variation = 0.7,
                        .folds = 0.4,
                        .triangles = 40000};
}

PX_DEF(PxColonDef, colon_def, "colon")

PxStatus px_make_colon(const PxColonDef *def, const char *path, PxColonEnds *ends)
{
    PxColonDef own;
    PxColonEnds found;
    PxMesh *mesh;
    char comment[100];
    PX_TRY(read_colon_def(def, &own));
    PX_TRY(px_make_check_path(path));
    PX_TRY(px_colon_mesh(&own, &mesh, &found));
    snprintf(comment, sizeof comment, "phyxel colon, seed %llu, y up, m",
             (unsigned long long)own.seed);
    PxStatus status = px_make_write(mesh, comment, path);
    px_mesh_free(mesh);
    if (status == PX_OK && ends != NULL)
        *ends = found;
    return status;
}

/* ---- volumes ----------------------------------------------------------------------------- */

static PxVolumeDef volume_def_defaults(void)
{
    return (PxVolumeDef){.head = {sizeof(PxVolumeDef), 0x766f6c75u}, .scale = 0.001};
}

PX_DEF(PxVolumeDef, volume_def, "volume")

static PxStatus check_volume(const PxVolumeDef *def)
{
    if (def->path == NULL || def->path[0] == '\0')
        return px_fail(PX_ERR_ARGUMENT, "volume: no path of a file");
    if (!isfinite(def->at))
        return px_fail(PX_ERR_ARGUMENT, "volume: the isovalue is %g, must be finite", def->at);
    if (!(def->scale >= 1e-9 && def->scale <= 1e9))
        return px_fail(PX_ERR_ARGUMENT, "volume: scale is %g, must be 1e-9 to 1e9", def->scale);
    int given = 0;
    for (int k = 0; k < 3; ++k) {
        given += def->samples[k] > 0;
        if (!(def->spacing[k] >= 0 && def->spacing[k] <= 1e6))
            return px_fail(PX_ERR_ARGUMENT, "volume: spacing is %g m, must be 0 to 1e6",
                           def->spacing[k]);
    }
    if (given != 0 && given != 3)
        return px_fail(PX_ERR_ARGUMENT, "volume: raw samples need three numbers above 0");
    return PX_OK;
}

/* The header of raw samples is what the caller says. */
static PxStatus raw_header(const PxVolumeDef *def, PxNrrd *out)
{
    *out = (PxNrrd){.step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (def->type == NULL || !px_sample_type(def->type, strlen(def->type), &out->type))
        return px_fail(PX_ERR_ARGUMENT,
                       "volume: the type of raw samples is '%s', must be uint8, int16, uint16, "
                       "int32, uint32, float or double",
                       def->type != NULL ? def->type : "");
    for (int k = 0; k < 3; ++k)
        out->samples[k] = def->samples[k];
    if ((double)out->samples[0] * out->samples[1] * out->samples[2] > 2147483647.0)
        return px_fail(PX_ERR_ARGUMENT, "volume: more than 2,147,483,647 samples");
    return PX_OK;
}

static PxStatus read_volume(const PxVolumeDef *def, PxVolume *out)
{
    void *bytes = NULL, *other = NULL;
    size_t size = 0, other_size = 0;
    PxNrrd header;
    char path[PX_PATH_MAX];
    PxStatus status = px_file_read(def->path, MOST_BYTES, &bytes, &size);
    if (status != PX_OK)
        return status;
    status = def->samples[0] > 0 ? raw_header(def, &header)
                                 : px_nrrd_header(def->path, bytes, size, &header);
    if (status == PX_OK && header.data_file[0] != '\0') {
        const char *slash = strrchr(def->path, '/');
        char folder[PX_PATH_MAX] = ".";
        if (slash != NULL)
            snprintf(folder, sizeof folder, "%.*s", (int)(slash - def->path), def->path);
        status = px_path_join(path, folder, "%s", header.data_file);
        if (status == PX_OK)
            status = px_file_read(path, MOST_BYTES, &other, &other_size);
        if (status == PX_OK)
            status = px_volume_read(def->path, &header, other, other_size, out);
    } else if (status == PX_OK)
        status = px_volume_read(def->path, &header, (const char *)bytes + header.data,
                                size - header.data, out);
    px_list_free(bytes);
    px_list_free(other);
    return status;
}

/* Spacings of the caller replace those of the file, and keep its directions. */
static void set_spacing(const PxVolumeDef *def, PxVolume *volume)
{
    for (int k = 0; k < 3; ++k)
        if (def->spacing[k] > 0)
            volume->step[k] = px_scale(volume->step[k],
                                       def->spacing[k] / (def->scale * px_length(volume->step[k])));
}

PxStatus px_make_volume_mesh(const PxVolumeDef *def, const char *path, PxVolumeResult *result)
{
    PxVolumeDef own;
    PxVolume volume;
    PxMesh *mesh = NULL;
    uint32_t pieces = 0;
    PX_TRY(read_volume_def(def, &own));
    PX_TRY(check_volume(&own));
    PX_TRY(px_make_check_path(path));
    PX_TRY(read_volume(&own, &volume));
    set_spacing(&own, &volume);
    PxStatus status =
        px_isosurface(own.path, &volume, own.at, own.below, own.largest, own.scale, &mesh, &pieces);
    if (status == PX_OK)
        status = px_make_write(mesh, "phyxel isosurface, m", path);
    if (status == PX_OK && result != NULL) {
        PxBounds bounds = px_mesh_bounds(mesh);
        *result = (PxVolumeResult){.least = volume.least,
                                   .most = volume.most,
                                   .low = bounds.low,
                                   .high = bounds.high,
                                   .volume = px_mesh_volume(mesh),
                                   .vertices = mesh->vertex_count,
                                   .triangles = mesh->triangle_count,
                                   .pieces = pieces};
        for (int k = 0; k < 3; ++k) {
            result->samples[k] = volume.samples[k];
            result->spacing[k] = own.scale * px_length(volume.step[k]);
        }
    }
    px_mesh_free(mesh);
    px_volume_free(&volume);
    return status;
}

PxStatus px_volume_samples_read(const PxVolumeDef *def, PxVolumeSamples *out)
{
    PxVolumeDef own;
    PxVolume volume;
    PX_WANT(out);
    *out = (PxVolumeSamples){.value = NULL};
    PX_TRY(read_volume_def(def, &own));
    PX_TRY(check_volume(&own));
    PX_TRY(read_volume(&own, &volume));
    set_spacing(&own, &volume);
    *out = (PxVolumeSamples){.value = volume.value,
                             .origin = px_scale(volume.origin, own.scale),
                             .least = volume.least,
                             .most = volume.most};
    for (int k = 0; k < 3; ++k) {
        out->samples[k] = volume.samples[k];
        out->step[k] = px_scale(volume.step[k], own.scale);
    }
    return PX_OK;
}

void px_volume_samples_free(PxVolumeSamples *volume)
{
    if (volume == NULL)
        return;
    free(volume->value);
    *volume = (PxVolumeSamples){.value = NULL};
}

/* ---- sheets ------------------------------------------------------------------------------ */

static PxSheetDef sheet_def_defaults(void)
{
    return (PxSheetDef){.head = {sizeof(PxSheetDef), 0x73686565u},
                        .size = {1, 1},
                        .pattern = PX_SHEET_ALTERNATING,
                        .seed = 1};
}

PX_DEF(PxSheetDef, sheet_def, "sheet")

/* Cells along both sides, square as far as whole numbers are. */
static void choose_cells(const PxSheetDef *def, double cells[2], uint32_t *extra)
{
    bool cross = def->pattern == PX_SHEET_CROSS;
    double wanted = (double)def->triangles / (cross ? 4 : 2);
    double edge = def->triangles > 0 ? sqrt(def->size[0] * def->size[1] / wanted)
                                     : fmax(def->size[0], def->size[1]) / 40;
    for (int k = 0; k < 2; ++k)
        cells[k] = def->triangles == 0 && def->cells[k] > 0 ? def->cells[k]
                                                            : fmax(1, round(def->size[k] / edge));
    *extra = 0;
    if (def->triangles == 0)
        return;
    int longer = cells[1] > cells[0];
    cells[longer] = fmax(1, floor(wanted / cells[1 - longer] + 1e-9));
    if (wanted > cells[0] * cells[1])
        *extra = (uint32_t)(wanted - cells[0] * cells[1]);
}

static PxStatus check_sheet(const PxSheetDef *def)
{
    for (int k = 0; k < 2; ++k)
        if (!(def->size[k] > 0 && def->size[k] <= 1e6))
            return px_fail(PX_ERR_ARGUMENT, "sheet: size is %g by %g m, must be above 0 to 1e6",
                           def->size[0], def->size[1]);
    if ((unsigned)def->pattern > PX_SHEET_IRREGULAR)
        return px_fail(PX_ERR_ARGUMENT, "sheet: pattern is number %u, must be below %u",
                       (unsigned)def->pattern, PX_SHEET_IRREGULAR + 1u);
    if (def->triangles > 8000000u || def->triangles == 1)
        return px_fail(PX_ERR_ARGUMENT, "sheet: %u triangles, must be 2 to 8,000,000",
                       def->triangles);
    return PX_OK;
}

static void measure_sheet(const PxMesh *mesh, PxSheetResult *out)
{
    out->vertices = mesh->vertex_count;
    out->triangles = mesh->triangle_count;
    out->shortest = INFINITY;
    out->angle = 180;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            PxVec3 a = px_mesh_corner(mesh, t, k);
            PxVec3 b = px_sub(px_mesh_corner(mesh, t, (k + 1) % 3), a);
            PxVec3 c = px_sub(px_mesh_corner(mesh, t, (k + 2) % 3), a);
            out->shortest = fmin(out->shortest, px_length(b));
            out->longest = fmax(out->longest, px_length(b));
            double angle = atan2(px_length(px_cross(b, c)), px_dot(b, c)) * 180 / M_PI;
            out->angle = fmin(out->angle, angle);
        }
}

PxStatus px_make_sheet(const PxSheetDef *def, const char *path, PxSheetResult *result)
{
    PxSheetDef own;
    PxMesh *mesh;
    double cells[2];
    uint32_t extra;
    PX_TRY(read_sheet_def(def, &own));
    PX_TRY(check_sheet(&own));
    PX_TRY(px_make_check_path(path));
    choose_cells(&own, cells, &extra);
    PX_TRY(px_rectangle_mesh(own.size, cells, own.pattern, own.seed, extra, &mesh));
    PxStatus status = px_make_write(mesh, "phyxel sheet, m, texture coordinates in m", path);
    if (status == PX_OK && result != NULL) {
        *result = (PxSheetResult){.cells = {(uint32_t)cells[0], (uint32_t)cells[1]}};
        measure_sheet(mesh, result);
    }
    px_mesh_free(mesh);
    return status;
}
