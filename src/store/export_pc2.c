/// PC2 point cache export for meshes of constant topology and constant sets of particles:
/// base.ply with the first frame, and frames.pc2 with the positions of all frames, which
/// Blender's Mesh Cache modifier plays without a script (store/pc2.h). Particles are ordered by
/// id, because a run reorders its rows in every step.
#include "store/export.h"
#include "store/pc2.h"

#include <stdlib.h>
#include <string.h>

typedef struct Cache {
    PxFile base, file; /* committed together at the end */
    uint32_t points, triangles, samples;
    uint32_t first;          /* number of the first frame, the reference for all others */
    uint64_t *id;            /* ascending; NULL if points have no ids */
    uint32_t (*triangle)[3]; /* NULL for none */
} Cache;

typedef struct Place {
    uint64_t id;
    uint32_t row;
} Place;

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const Place *)a)->id, y = ((const Place *)b)->id;
    return x < y ? -1 : x > y;
}

/* Sorts the rows by id; keeps their order if there are no ids. */
static PxStatus sort_rows(const PxExportFrame *frame, Place **out)
{
    uint32_t count = frame->points.count;
    const PxColumn *id = px_table_find(&frame->points, "id");
    Place *place = malloc(((size_t)count + 1) * sizeof *place);
    if (place == NULL)
        return px_fail(PX_ERR_MEMORY, "export: no room to sort %u points", count);
    bool known = id != NULL && id->type == PX_U64 && id->components == 1;
    for (uint32_t i = 0; i < count; ++i)
        place[i] = (Place){known ? ((const uint64_t *)id->data[0])[i] : i, i};
    qsort(place, count, sizeof *place, by_id);
    *out = place;
    return PX_OK;
}

PxStatus px_export_pc2_begin(const PxExportDef *def, const char *out, void **state)
{
    (void)def;
    char path[PX_PATH_MAX];
    PX_TRY(px_path_join(path, out, "frames.pc2"));
    Cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", path);
    cache->base.descriptor = cache->file.descriptor = -1;
    PxStatus status = px_file_begin(&cache->file, path);
    if (status == PX_OK)
        status = px_path_join(path, out, "base.ply");
    if (status == PX_OK)
        status = px_file_begin(&cache->base, path);
    *state = cache;
    if (status != PX_OK) {
        px_file_abandon(&cache->file);
        free(cache);
        *state = NULL;
    }
    return status;
}

/* Writes the first frame as a mesh with its rows in the order of the cache; permutes copies of the
 * columns, because the frame itself is still needed. */
static PxStatus put_base(Cache *cache, const PxExportFrame *frame, const Place *place)
{
    PxExportFrame sorted = *frame;
    uint32_t rows = frame->points.count;
    uint32_t *order = malloc(((size_t)rows + 1) * sizeof *order);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", cache->base.path);
    for (uint32_t i = 0; i < rows; ++i)
        order[i] = place[i].row;
    px_table_init(&sorted.points, NULL);
    PxStatus status = PX_OK;
    for (uint32_t c = 0; c < frame->columns && status == PX_OK; ++c) {
        const PxColumn *from = frame->column[c];
        status = px_table_add(&sorted.points, from->name, from->unit, from->type, from->components,
                              PX_COLUMN_FRAME, NULL);
    }
    if (status == PX_OK)
        status = px_table_append(&sorted.points, rows, NULL);
    for (uint32_t c = 0; c < frame->columns && status == PX_OK; ++c) {
        const PxColumn *from = frame->column[c];
        PxColumn *to = &sorted.points.column[c];
        for (uint32_t k = 0; k < from->components && rows > 0; ++k)
            memcpy(to->data[k], from->data[k], rows * px_type_size(from->type));
        sorted.column[c] = to;
        sorted.position = from == frame->position ? to : sorted.position;
        sorted.normal = from == frame->normal ? to : sorted.normal;
        sorted.colour = from == frame->colour ? to : sorted.colour;
        sorted.velocity = from == frame->velocity ? to : sorted.velocity;
    }
    if (status == PX_OK)
        status = px_table_permute(&sorted.points, order, &(PxThreads){.count = 1});
    if (status == PX_OK)
        status = px_export_ply(&cache->base, &sorted);
    px_table_free(&sorted.points);
    free(order);
    return status;
}

static PxStatus put_header(Cache *cache)
{
    uint8_t header[PX_PC2_HEADER];
    px_pc2_header(header, cache->points, cache->first, 0); /* finish() sets the samples */
    return px_file_put(&cache->file, header, sizeof header);
}

static PxStatus keep_first(Cache *cache, const PxExportFrame *frame, const Place *place)
{
    cache->first = frame->meta.number;
    cache->points = frame->points.count;
    cache->triangles = frame->triangles;
    if (frame->points.count > INT32_MAX)
        return px_fail(PX_ERR_ARGUMENT, "export: %u points are too many for PC2",
                       frame->points.count);
    cache->id = malloc(((size_t)cache->points + 1) * sizeof *cache->id);
    cache->triangle = malloc(((size_t)cache->triangles + 1) * sizeof *cache->triangle);
    if (cache->id == NULL || cache->triangle == NULL)
        return px_fail(PX_ERR_MEMORY, "export: no room for %u points", cache->points);
    for (uint32_t i = 0; i < cache->points; ++i)
        cache->id[i] = place[i].id;
    if (cache->triangles > 0)
        memcpy(cache->triangle, frame->triangle, cache->triangles * sizeof *cache->triangle);
    PX_TRY(put_base(cache, frame, place));
    return put_header(cache);
}

static PxStatus refuse(const Cache *cache, const PxExportFrame *frame, const char *what)
{
    return px_fail(
        PX_ERR_ARGUMENT,
        "export: %s change from frame %u (%u points, %u triangles) to frame %u (%u, %u); "
        "pc2 holds only what stays the same, ply and vtp take what changes",
        what, cache->first, cache->points, cache->triangles, frame->meta.number,
        frame->points.count, frame->triangles);
}

static PxStatus compare(const Cache *cache, const PxExportFrame *frame, const Place *place)
{
    if (frame->triangles != cache->triangles ||
        (cache->triangles > 0 &&
         memcmp(frame->triangle, cache->triangle, cache->triangles * sizeof *cache->triangle) != 0))
        return refuse(cache, frame, "the triangles");
    if (frame->points.count != cache->points)
        return refuse(cache, frame, frame->surface ? "the vertices" : "the particles");
    for (uint32_t i = 0; i < cache->points; ++i)
        if (place[i].id != cache->id[i])
            return refuse(cache, frame, "the particles");
    return PX_OK;
}

static PxStatus put_positions(Cache *cache, const PxExportFrame *frame, const Place *place)
{
    float *block = malloc((size_t)PX_EXPORT_BLOCK * 3 * sizeof *block);
    if (block == NULL)
        return px_fail(PX_ERR_MEMORY, "no room to write '%s'", cache->file.path);
    PxStatus status = PX_OK;
    for (size_t first = 0; first < cache->points && status == PX_OK; first += PX_EXPORT_BLOCK) {
        uint32_t count = px_export_rows(first, cache->points);
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t k = 0; k < 3; ++k)
                block[3 * (size_t)i + k] =
                    (float)px_export_real(frame->position, k, place[first + i].row);
        status = px_file_put(&cache->file, block, (size_t)count * 3 * sizeof *block);
    }
    free(block);
    return status;
}

PxStatus px_export_pc2_add(void *state, const PxExportFrame *frame)
{
    Cache *cache = state;
    Place *place = NULL;
    PX_TRY(sort_rows(frame, &place));
    PxStatus status =
        cache->samples == 0 ? keep_first(cache, frame, place) : compare(cache, frame, place);
    if (status == PX_OK)
        status = put_positions(cache, frame, place);
    if (status == PX_OK)
        ++cache->samples;
    free(place);
    return status;
}

/* Truncates an incomplete sample and writes the number of complete ones. */
static PxStatus finish(Cache *cache)
{
    PX_TRY(px_pc2_finish(&cache->file, cache->points, cache->samples));
    PX_TRY(px_file_commit(&cache->base));
    return px_file_commit(&cache->file);
}

PxStatus px_export_pc2_end(void *state, PxStatus status)
{
    Cache *cache = state;
    if (status == PX_OK) {
        status = finish(cache);
    } else if (cache->samples > 0 && status != PX_ERR_ARGUMENT) {
        /* PX_ERR_ARGUMENT: the frames do not suit a cache, so a partial one is useless. */
        char reason[1024];
        strncpy(reason, px_error_message(), sizeof reason - 1);
        reason[sizeof reason - 1] = '\0';
        finish(cache);
        px_fail(status, "%s", reason);
    }
    px_file_abandon(&cache->base);
    px_file_abandon(&cache->file);
    free(cache->id);
    free(cache->triangle);
    free(cache);
    return status;
}
