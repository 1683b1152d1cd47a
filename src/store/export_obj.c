/// Wavefront OBJ export: `v x y z r g b`, with texture coordinates, normals and triangles if
/// present.
///
/// Colours after the coordinates are an extension of MeshLab that Blender and others read.
///
/// Where solids break, each piece of a body is an object of its own, `body_2_piece_5`, and a closed
/// mesh: the vertices that skins have twice, at the edges of cracks, are written once, with two
/// normals. Its triangles have one of two materials, `material_1` and `material_1_inside`.
#include "store/export.h"

#include <stdlib.h>
#include <string.h>

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

/* Corner of a face: vertex/texture/normal; texture and normal have the number of the point. */
static void add_corner(PxText *text, uint32_t vertex, uint32_t k, bool uv, bool normal)
{
    px_text_add(text, " %u", vertex);
    if (uv)
        px_text_add(text, "/%u", k);
    if (normal)
        px_text_add(text, uv ? "/%u" : "//%u", k);
}

/* ---- pieces ---- */

/* Columns of a skin where something breaks; without them everything is one object. */
typedef struct Pieces {
    bool there;
    const PxColumn *piece, *inside, *body, *material;
    const PxColumn *position;
    uint32_t *vertex; /* by point: the number of its vertex in the file, from 1 on */
    uint32_t *order;  /* triangles, object by object, outside before inside */
} Pieces;

static uint32_t number_at(const PxColumn *column, uint32_t row)
{
    if (column == NULL)
        return 0;
    return column->type == PX_U32 ? ((const uint32_t *)column->data[0])[row]
                                  : (uint32_t)((const float *)column->data[0])[row];
}

/* What sorting compares: a row and the numbers that decide. */
typedef struct Row {
    uint64_t key[3];
    uint32_t row;
} Row;

static int by_key(const void *a, const void *b)
{
    const Row *p = a, *q = b;
    for (int k = 0; k < 3; ++k)
        if (p->key[k] != q->key[k])
            return p->key[k] < q->key[k] ? -1 : 1;
    return p->row < q->row ? -1 : p->row > q->row;
}

static uint64_t object_of(const Pieces *p, uint32_t point)
{
    return (uint64_t)number_at(p->body, point) << 32 | number_at(p->piece, point);
}

/* The bits of a float at the place of a point. */
static uint64_t bits_at(const PxColumn *column, uint32_t component, uint32_t row)
{
    uint32_t bits;
    float x = (float)px_export_real(column, component, row);
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Gives points of one piece at the same place one vertex. */
static void weld(const Pieces *p, Row *row, uint32_t points)
{
    for (uint32_t i = 0; i < points; ++i)
        row[i] =
            (Row){{object_of(p, i), bits_at(p->position, 0, i) << 32 | bits_at(p->position, 1, i),
                   bits_at(p->position, 2, i)},
                  i};
    qsort(row, points, sizeof *row, by_key);
    for (uint32_t k = 0; k < points; ++k) {
        bool same = k > 0 && memcmp(row[k].key, row[k - 1].key, sizeof row->key) == 0;
        p->vertex[row[k].row] = same ? p->vertex[row[k - 1].row] : row[k].row + 1;
    }
    /* numbers without gaps, in the order of the points */
    uint32_t next = 0;
    for (uint32_t i = 0; i < points; ++i)
        p->vertex[i] = p->vertex[i] == i + 1 ? ++next : p->vertex[p->vertex[i] - 1];
}

static PxStatus find_pieces(const PxExportFrame *frame, Pieces *p)
{
    const PxTable *points = &frame->points;
    size_t most = points->count > frame->triangles ? points->count : frame->triangles;
    *p = (Pieces){.piece = real_column(frame, "piece"),
                  .inside = real_column(frame, "inside"),
                  .body = real_column(frame, "body"),
                  .material = px_table_find(points, "material"),
                  .position = frame->position};
    p->there = p->piece != NULL && p->inside != NULL && frame->triangles > 0;
    if (p->material != NULL && p->material->type != PX_U32)
        p->material = NULL;
    if (!p->there)
        return PX_OK;
    Row *row = calloc(most + 1, sizeof *row);
    p->vertex = calloc((size_t)points->count + 1, sizeof *p->vertex);
    p->order = calloc((size_t)frame->triangles + 1, sizeof *p->order);
    bool room = row != NULL && p->vertex != NULL && p->order != NULL;
    if (room) {
        weld(p, row, points->count);
        for (uint32_t t = 0; t < frame->triangles; ++t) {
            uint32_t first = frame->triangle[t][0];
            row[t] = (Row){{object_of(p, first), number_at(p->inside, first), 0}, t};
        }
        qsort(row, frame->triangles, sizeof *row, by_key);
        for (uint32_t t = 0; t < frame->triangles; ++t)
            p->order[t] = row[t].row;
    }
    free(row);
    return room ? PX_OK : px_fail(PX_ERR_MEMORY, "export: no room for %zu rows", most);
}

static void free_pieces(Pieces *p)
{
    free(p->vertex);
    free(p->order);
}

/* The lines before a triangle where an object or a material begins. */
static void add_group(PxText *text, const Pieces *p, uint32_t point, uint32_t last)
{
    bool other = last == UINT32_MAX || object_of(p, point) != object_of(p, last);
    if (other)
        px_text_add(text, "o body_%u_piece_%u\n", number_at(p->body, point),
                    number_at(p->piece, point));
    uint32_t inside = number_at(p->inside, point);
    if (other || inside != number_at(p->inside, last))
        px_text_add(text, "usemtl material_%u%s\n", number_at(p->material, point),
                    inside ? "_inside" : "");
}

static void add_triangle(PxText *text, const PxExportFrame *frame, const Pieces *p, uint32_t t,
                         bool uv)
{
    px_text_add(text, "f");
    for (int k = 0; k < 3; ++k) {
        uint32_t point = frame->triangle[t][k];
        add_corner(text, p->there ? p->vertex[point] : point + 1, point + 1, uv,
                   frame->normal != NULL);
    }
    px_text_add(text, "\n");
}

/* ---- the file ---- */

/* Vertices, each once. */
static PxStatus write_vertices(PxFile *file, const PxExportFrame *frame, const Pieces *p,
                               PxText *text)
{
    uint32_t next = 1;
    for (uint32_t i = 0; i < frame->points.count; ++i) {
        if (p->there && p->vertex[i] != next)
            continue;
        ++next;
        add_vector(text, "v", frame->position, i);
        for (uint32_t k = 0; k < 3; ++k) /* three digits reproduce the byte */
            px_text_add(text, " %.3g", ((const uint8_t *)frame->colour->data[k])[i] / 255.0);
        px_text_add(text, "\n");
        PX_TRY(px_export_flush(file, text, false));
    }
    return PX_OK;
}

static PxStatus write_triangles(PxFile *file, const PxExportFrame *frame, const Pieces *p, bool uv,
                                PxText *text)
{
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k < frame->triangles; ++k) {
        uint32_t t = p->there ? p->order[k] : k;
        if (p->there)
            add_group(text, p, frame->triangle[t][0], last);
        last = frame->triangle[t][0];
        add_triangle(text, frame, p, t, uv);
        PX_TRY(px_export_flush(file, text, false));
    }
    return PX_OK;
}

PxStatus px_export_obj(PxFile *file, const PxExportFrame *frame)
{
    PxText text = {0};
    Pieces pieces;
    px_text_add(&text, "# ");
    px_export_title(&text, frame);
    px_text_add(&text, "\n");
    PxStatus status = find_pieces(frame, &pieces);
    if (status == PX_OK)
        status = write_vertices(file, frame, &pieces, &text);
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
    if (status == PX_OK)
        status = write_triangles(file, frame, &pieces, uv, &text);
    if (status == PX_OK)
        status = px_export_flush(file, &text, true);
    px_text_free(&text);
    free_pieces(&pieces);
    return status;
}
