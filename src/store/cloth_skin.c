#include "store/cloth_skin.h"

#include "base/vec.h"
#include "store/frame.h"
#include "store/ply_points.h"
#include "store/run_files.h"

#include <stdlib.h>
#include <string.h>

/* ---- values of triangles ----------------------------------------------------------------- */

static const char *const shown[] = {"strain", "energy", "bend"};

/* Are the corners in the frame those of the skin? */
static bool agrees(const PxClothSkin *skin, const PxTable *faces, uint32_t before)
{
    const PxColumn *corner = px_table_find(faces, "corner");
    if (corner == NULL || corner->type != PX_U32 || corner->components != 3)
        return false;
    for (uint32_t f = 0; f < faces->count; ++f)
        for (int k = 0; k < 3; ++k)
            if ((*skin->triangle)[before + f][k] !=
                skin->first_vertex + ((const uint32_t *)corner->data[k])[f])
                return false;
    return true;
}

static PxStatus put_cells(const PxTable *faces, uint32_t before, PxTable *cells)
{
    for (size_t k = 0; k < PX_COUNT(shown); ++k) {
        const PxColumn *c = px_table_find(faces, shown[k]);
        if (c != NULL && c->type == PX_F32)
            PX_TRY(px_table_add(cells, c->name, c->unit, c->type, c->components, PX_COLUMN_FRAME,
                                NULL));
    }
    PX_TRY(px_table_append(cells, before, NULL));
    return px_table_append_rows(cells, faces);
}

/* Means over the triangles of a vertex; of energies a third of each, of angles the largest. */
static PxStatus put_points(const PxClothSkin *skin, const PxTable *faces, uint32_t before)
{
    static const char *const names[] = {"strain_weft", "strain_warp", "strain_shear", "energy",
                                        "bend"};
    enum { ENERGY = 3, BEND, COUNT };
    const PxColumn *strain = px_table_find(&skin->cells, "strain");
    const PxColumn *energy = px_table_find(&skin->cells, "energy");
    const PxColumn *bend = px_table_find(&skin->cells, "bend");
    if (strain == NULL || strain->components != 3 || energy == NULL || bend == NULL)
        return PX_OK;
    const float *from[COUNT] = {strain->data[0], strain->data[1], strain->data[2], energy->data[0],
                                bend->data[0]};
    float *to[COUNT];
    for (int c = 0; c < COUNT; ++c)
        PX_TRY(px_table_add(skin->points, names[c],
                            c == ENERGY ? "J"
                            : c == BEND ? "rad"
                                        : "",
                            PX_F32, 1, PX_COLUMN_FRAME, NULL));
    for (int c = 0; c < COUNT; ++c)
        to[c] = px_table_find(skin->points, names[c])->data[0];
    uint32_t *used = calloc((size_t)skin->points->count + 1, sizeof *used);
    if (used == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", skin->points->count);
    for (uint32_t t = before; t < before + faces->count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t v = (*skin->triangle)[t][k];
            ++used[v];
            for (int c = 0; c < ENERGY; ++c)
                to[c][v] += from[c][t];
            to[ENERGY][v] += from[ENERGY][t] / 3;
            to[BEND][v] = from[BEND][t] > to[BEND][v] ? from[BEND][t] : to[BEND][v];
        }
    for (uint32_t v = skin->first_vertex; v < skin->points->count; ++v)
        for (int c = 0; c < ENERGY && used[v] > 0; ++c)
            to[c][v] /= (float)used[v];
    free(used);
    return PX_OK;
}

static PxStatus put_wetness(const PxClothSkin *skin, const PxTable *vertices)
{
    if (!px_frame_has_wetness(vertices))
        return PX_OK;
    PX_TRY(px_table_add(skin->points, "saturation", "", PX_F32, 1, PX_COLUMN_FRAME, NULL));
    float *to = px_table_find(skin->points, "saturation")->data[0];
    memcpy(to + skin->first_vertex, px_table_find(vertices, "saturation")->data[0],
           vertices->count * sizeof *to);
    const double *water = px_table_find(vertices, "water")->data[0];
    for (uint32_t c = 0; c < vertices->columns; ++c) { /* each liquid as a part of all by mass */
        const PxColumn *from = &vertices->column[c];
        uint32_t material;
        if (!px_frame_is_liquid(from, &material))
            continue;
        PX_TRY(px_table_add(skin->points, from->name, "", PX_F32, 1, PX_COLUMN_FRAME, NULL));
        to = px_table_find(skin->points, from->name)->data[0];
        for (uint32_t i = 0; i < vertices->count; ++i)
            to[skin->first_vertex + i] =
                water[i] > 0 ? (float)(((const double *)from->data[0])[i] / water[i]) : 0;
    }
    return PX_OK;
}

PxStatus px_cloth_skin_cells(const char *dir, uint32_t number, PxClothSkin *skin,
                             const PxThreads *threads)
{
    char path[PX_PATH_MAX];
    PxTable vertices, faces;
    skin->first_vertex = skin->points->count;
    px_table_init(&skin->cells, NULL);
    PX_TRY(px_run_file_path(path, dir, PX_FILE_FRAME, number));
    if (!px_file_exists(path))
        return PX_OK;
    px_table_init(&vertices, NULL);
    px_table_init(&faces, NULL);
    PxStatus status = px_frame_read_sheets(dir, number, &vertices, &faces, threads);
    if (status == PX_OK && vertices.count > 0) {
        uint32_t before = *skin->triangles - faces.count;
        skin->first_vertex = skin->points->count - vertices.count;
        if (vertices.count > skin->points->count || faces.count > *skin->triangles ||
            !agrees(skin, &faces, before))
            status =
                px_fail(PX_ERR_FORMAT,
                        "'%s': its cloth has %u vertices and %u triangles, and the skin of the "
                        "frame, of %u and %u, does not have these",
                        path, vertices.count, faces.count, skin->points->count, *skin->triangles);
        else
            status = put_cells(&faces, before, &skin->cells);
        if (status == PX_OK)
            status = put_points(skin, &faces, before);
        if (status == PX_OK)
            status = put_wetness(skin, &vertices);
    }
    px_table_free(&vertices);
    px_table_free(&faces);
    return status;
}

void px_cloth_skin_free(PxClothSkin *skin)
{
    px_table_free(&skin->cells);
}

/* ---- smoothing --------------------------------------------------------------------------- */

static const float *floats(const PxTable *points, const char *name, uint32_t component)
{
    const PxColumn *c = px_table_find(points, name);
    return c != NULL && c->type == PX_F32 && c->components == 3 ? c->data[component] : NULL;
}

/* The skin of the first frame, in which creases and corners are found, if it has the same vertices;
 * else the skin itself is used. */
static PxStatus read_first(const char *dir, const PxClothSkin *skin, PxPlyPoints *out,
                           const PxTable **places)
{
    PxNumbers numbers = {0};
    char path[PX_PATH_MAX];
    *places = skin->points;
    PX_TRY(px_run_file_numbers(dir, PX_FILE_SKIN, &numbers));
    PxStatus status = PX_OK;
    if (numbers.count > 0) {
        status = px_run_file_path(path, dir, PX_FILE_SKIN, numbers.data[0]);
        if (status == PX_OK)
            status = px_ply_points_read(path, out);
        if (status == PX_OK && out->points.count == skin->points->count &&
            floats(&out->points, "position", 0) != NULL)
            *places = &out->points;
    }
    PX_LIST_FREE(&numbers);
    return status;
}

static PxStatus plan(PxClothSmoother *s, const char *dir, uint32_t levels, const PxClothSkin *skin)
{
    uint32_t n = *skin->triangles;
    size_t bytes = (size_t)n * sizeof *s->triangle;
    if (s->loop != NULL && s->levels == levels && s->vertices == skin->points->count &&
        s->triangles == n && (n == 0 || memcmp(s->triangle, *skin->triangle, bytes) == 0))
        return PX_OK;
    double most = s->most;
    px_cloth_smoother_free(s);
    s->most = most;
    PxPlyPoints first = {0};
    const PxTable *places;
    px_table_init(&first.points, NULL);
    PxStatus status = read_first(dir, skin, &first, &places);
    PxLoopDef def = {.vertices = skin->points->count,
                     .triangles = n,
                     .triangle = (const uint32_t(*)[3]) * skin->triangle,
                     .first_vertex = skin->first_vertex,
                     .levels = levels,
                     .crease = PX_CLOTH_CREASE};
    for (uint32_t k = 0; k < 3; ++k)
        def.place[k] = floats(places, "position", k);
    if (status == PX_OK && def.place[0] == NULL)
        status = px_fail(PX_ERR_FORMAT, "smoothing: the skin has no positions of three floats");
    if (status == PX_OK)
        status = px_loop_create(&def, &s->loop);
    px_ply_points_free(&first);
    PX_TRY(status);
    s->triangle = malloc(bytes + 1);
    if (s->triangle == NULL)
        return px_fail(PX_ERR_MEMORY, "smoothing: no room for %u triangles", n);
    if (n > 0)
        memcpy(s->triangle, *skin->triangle, bytes);
    s->levels = levels;
    s->vertices = skin->points->count;
    s->triangles = n;
    return PX_OK;
}

static PxStatus move_columns(const PxClothSmoother *s, const PxTable *from, const uint32_t *source,
                             PxTable *to, const PxThreads *threads)
{
    const PxLoop *loop = s->loop;
    PX_TRY(px_table_gather(to, from, source, px_loop_vertices(loop), threads));
    for (uint32_t c = 0; c < from->columns; ++c) {
        const PxColumn *old = &from->column[c], *new = &to->column[c];
        if (old->type != PX_F32 || strcmp(old->name, "painted") == 0 ||
            strcmp(old->name, "piece") == 0 || strcmp(old->name, "inside") == 0)
            continue;
        if (s->most > 0 && old->components == 3 && strcmp(old->name, "position") == 0) {
            const float *const x[3] = {old->data[0], old->data[1], old->data[2]};
            float *const y[3] = {new->data[0], new->data[1], new->data[2]};
            PX_TRY(px_loop_places(loop, x, s->most, y));
            continue;
        }
        for (uint32_t k = 0; k < old->components; ++k)
            PX_TRY(px_loop_values(loop, old->data[k], new->data[k]));
    }
    return PX_OK;
}

/* Normals of the new triangles, at vertices that are not of solids. */
static void set_normals(const PxLoop *loop, const PxClothSkin *skin, PxTable *points)
{
    uint32_t triangles, first = skin->first_vertex;
    const uint32_t(*triangle)[3] = px_loop_triangles(loop, &triangles, NULL);
    const float *x[3];
    float *n[3];
    for (uint32_t k = 0; k < 3; ++k) {
        x[k] = floats(points, "position", k);
        n[k] = (float *)floats(points, "normal", k);
    }
    if (n[0] == NULL)
        return;
    for (uint32_t v = first; v < points->count; ++v)
        n[0][v] = n[1][v] = n[2][v] = 0;
    for (uint32_t t = 0; t < triangles; ++t) {
        const uint32_t *c = triangle[t];
        PxVec3 p[3];
        if (c[0] < first)
            continue;
        for (int k = 0; k < 3; ++k)
            p[k] = px_vec((double)x[0][c[k]], (double)x[1][c[k]], (double)x[2][c[k]]);
        PxVec3 m = px_cross(px_sub(p[1], p[0]), px_sub(p[2], p[0]));
        for (int k = 0; k < 3; ++k) {
            n[0][c[k]] += (float)m.x;
            n[1][c[k]] += (float)m.y;
            n[2][c[k]] += (float)m.z;
        }
    }
    for (uint32_t v = first; v < points->count; ++v) {
        PxVec3 m = px_normalized(px_vec((double)n[0][v], (double)n[1][v], (double)n[2][v]),
                                 px_vec(0, 1, 0));
        n[0][v] = (float)m.x;
        n[1][v] = (float)m.y;
        n[2][v] = (float)m.z;
    }
}

static PxStatus move_triangles(const PxLoop *loop, PxClothSkin *skin, const PxThreads *threads)
{
    uint32_t count;
    const uint32_t *parent;
    const uint32_t(*triangle)[3] = px_loop_triangles(loop, &count, &parent);
    struct {
        uint32_t (*data)[3];
        size_t count, capacity;
    } list = {0};
    if (!PX_LIST_RESERVE(&list, count))
        return px_fail(PX_ERR_MEMORY, "smoothing: no room for %u triangles", count);
    if (skin->cells.columns > 0) {
        PxTable cells;
        px_table_init(&cells, NULL);
        PxStatus status = px_table_gather(&cells, &skin->cells, parent, count, threads);
        px_table_free(&skin->cells);
        skin->cells = cells;
        if (status != PX_OK) {
            PX_LIST_FREE(&list);
            return status;
        }
    }
    if (count > 0)
        memcpy(list.data, triangle, count * sizeof *triangle);
    px_list_free(*skin->triangle);
    *skin->triangle = list.data;
    *skin->triangles = count;
    return PX_OK;
}

PxStatus px_cloth_skin_smooth(PxClothSmoother *smoother, const char *dir, uint32_t levels,
                              PxClothSkin *skin, const PxThreads *threads)
{
    PxTable points;
    if (levels == 0 || skin->first_vertex >= skin->points->count)
        return PX_OK;
    PX_TRY(plan(smoother, dir, levels, skin));
    uint32_t n = px_loop_vertices(smoother->loop);
    uint32_t *source = malloc(((size_t)n + 1) * sizeof *source);
    if (source == NULL)
        return px_fail(PX_ERR_MEMORY, "smoothing: no room for %u vertices", n);
    px_loop_sources(smoother->loop, source);
    px_table_init(&points, NULL);
    PxStatus status = move_columns(smoother, skin->points, source, &points, threads);
    if (status == PX_OK)
        set_normals(smoother->loop, skin, &points);
    if (status == PX_OK)
        status = move_triangles(smoother->loop, skin, threads);
    if (status == PX_OK) {
        px_table_free(skin->points);
        *skin->points = points;
    } else {
        px_table_free(&points);
    }
    free(source);
    return status;
}

void px_cloth_smoother_free(PxClothSmoother *smoother)
{
    px_loop_free(smoother->loop);
    free(smoother->triangle);
    *smoother = (PxClothSmoother){0};
}
