#include "shape/mesh_write.h"

#include "shape/parse_text.h"
#include "shape/ply_write.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Longest text written at once: a line of OBJ with nine numbers. */
#define PIECE 512

void px_bytes_free(PxBytes *bytes)
{
    px_list_free(bytes->data);
    *bytes = (PxBytes){0};
}

/* A failure is sticky, so that writers check only once at the end. */
typedef struct Writer {
    PxBytes *out;
    size_t start;
    bool room;
} Writer;

static Writer begin(PxBytes *out)
{
    return (Writer){out, out->count, true};
}

static PxStatus end(Writer *w, const PxMesh *mesh)
{
    if (w->room)
        return PX_OK;
    w->out->count = w->start;
    return px_fail(PX_ERR_MEMORY, "mesh: no room to write %u vertices and %u triangles",
                   mesh->vertex_count, mesh->triangle_count);
}

static PxStatus check_reach(const PxMesh *mesh, PxMeshPrecision precision)
{
    for (uint32_t v = 0; precision == PX_MESH_SINGLE && v < mesh->vertex_count; ++v) {
        PxVec3 p = mesh->position[v];
        if (!(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= FLT_MAX))
            return px_fail(PX_ERR_NUMERIC,
                           "mesh: vertex %u is at (%g, %g, %g), too far for single precision", v,
                           p.x, p.y, p.z);
    }
    return PX_OK;
}

static void put(Writer *w, const void *bytes, size_t size)
{
    w->room = w->room && PX_LIST_RESERVE(w->out, size);
    if (!w->room)
        return;
    memcpy(w->out->data + w->out->count, bytes, size);
    w->out->count += size;
}

static void put_text(Writer *w, const char *format, ...) PX_PRINTF(2, 3);
static void put_text(Writer *w, const char *format, ...)
{
    char piece[PIECE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    PX_ASSERT(length >= 0 && (size_t)length < sizeof piece);
    put(w, piece, (size_t)length);
}

static void put_u32(Writer *w, uint32_t value)
{
    unsigned char b[4] = {(unsigned char)value, (unsigned char)(value >> 8),
                          (unsigned char)(value >> 16), (unsigned char)(value >> 24)};
    put(w, b, sizeof b);
}

static void put_float(Writer *w, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_u32(w, bits);
}

/* Writes every line of the comment, prefixed by `mark`. */
static void put_comment(Writer *w, const char *mark, const char *comment)
{
    while (comment != NULL && *comment != '\0') {
        size_t length = strcspn(comment, "\r\n");
        put_text(w, "%s ", mark);
        put(w, comment, length);
        put(w, "\n", 1);
        comment += length;
        comment += strspn(comment, "\r\n");
    }
}

static PxStatus put_to_bytes(void *user, const void *bytes, size_t size)
{
    Writer *w = user;
    put(w, bytes, size);
    return w->room ? PX_OK : PX_ERR_MEMORY; /* end() sets the message */
}

PxStatus px_mesh_write_ply(const PxMesh *mesh, PxMeshPrecision precision, const char *comment,
                           PxBytes *out)
{
    PX_TRY(check_reach(mesh, precision));
    Writer w = begin(out);
    PxPlySink sink = {put_to_bytes, &w};
    PxPlyType real = precision == PX_MESH_SINGLE ? PX_PLY_F32 : PX_PLY_F64;
    static const char *const names[] = {"x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"};
    PxPlyValues values[11];
    uint32_t count = 0;
    const PxVec3 *const vectors[] = {mesh->position, mesh->normal, mesh->colour};
    for (int k = 0; k < 3; ++k) {
        if (k == 2 && mesh->uv != NULL) {
            values[count++] = (PxPlyValues){"s", real, PX_PLY_F64, &mesh->uv->u, sizeof(PxUv)};
            values[count++] = (PxPlyValues){"t", real, PX_PLY_F64, &mesh->uv->v, sizeof(PxUv)};
        }
        for (int a = 0; vectors[k] != NULL && a < 3; ++a)
            values[count++] =
                (PxPlyValues){names[3 * k + a], k < 2 ? real : PX_PLY_U8, PX_PLY_F64,
                              (const double *)(const void *)vectors[k] + a, sizeof(PxVec3)};
    }
    if (px_ply_put_header(&sink, comment, values, count, mesh->vertex_count, true,
                          mesh->triangle_count) != PX_OK ||
        px_ply_put_vertices(&sink, values, count, mesh->vertex_count) != PX_OK ||
        px_ply_put_triangles(&sink, (const uint32_t(*)[3])mesh->triangle, mesh->triangle_count,
                             0) != PX_OK)
        w.room = false;
    return end(&w, mesh);
}

/* Nine digits reproduce a float, seventeen a double. */
static void put_numbers(Writer *w, PxMeshPrecision precision, const double *value, int count)
{
    for (int k = 0; k < count; ++k) {
        if (precision == PX_MESH_SINGLE)
            put_text(w, " %.9g", (double)(float)value[k]);
        else
            put_text(w, " %.17g", value[k]);
    }
}

static void put_vector(Writer *w, PxMeshPrecision precision, PxVec3 v)
{
    double value[3] = {v.x, v.y, v.z};
    put_numbers(w, precision, value, 3);
}

PxStatus px_mesh_write_obj(const PxMesh *mesh, PxMeshPrecision precision, const char *comment,
                           PxBytes *out)
{
    PX_TRY(check_reach(mesh, precision));
    Writer w = begin(out);
    void *locale = px_text_plain_begin();
    put_comment(&w, "#", comment);
    for (uint32_t v = 0; w.room && v < mesh->vertex_count; ++v) {
        put(&w, "v", 1);
        put_vector(&w, precision, mesh->position[v]);
        if (mesh->colour != NULL)
            put_vector(&w, precision, mesh->colour[v]);
        put(&w, "\n", 1);
    }
    for (uint32_t v = 0; w.room && mesh->uv != NULL && v < mesh->vertex_count; ++v) {
        put(&w, "vt", 2);
        put_numbers(&w, precision, (double[2]){mesh->uv[v].u, mesh->uv[v].v}, 2);
        put(&w, "\n", 1);
    }
    for (uint32_t v = 0; w.room && mesh->normal != NULL && v < mesh->vertex_count; ++v) {
        put(&w, "vn", 2);
        put_vector(&w, precision, mesh->normal[v]);
        put(&w, "\n", 1);
    }
    for (uint32_t t = 0; w.room && t < mesh->triangle_count; ++t) {
        put(&w, "f", 1);
        for (int k = 0; k < 3; ++k) {
            unsigned v = mesh->triangle[t][k] + 1;
            if (mesh->uv != NULL && mesh->normal != NULL)
                put_text(&w, " %u/%u/%u", v, v, v);
            else if (mesh->uv != NULL)
                put_text(&w, " %u/%u", v, v);
            else if (mesh->normal != NULL)
                put_text(&w, " %u//%u", v, v);
            else
                put_text(&w, " %u", v);
        }
        put(&w, "\n", 1);
    }
    px_text_plain_end(locale);
    return end(&w, mesh);
}

PxStatus px_mesh_write_stl(const PxMesh *mesh, const char *comment, PxBytes *out)
{
    PX_TRY(check_reach(mesh, PX_MESH_SINGLE));
    Writer w = begin(out);
    /* Must not begin with "solid", which marks STL as text. */
    char header[80] = "binary: ";
    if (comment != NULL)
        snprintf(header + 8, sizeof header - 8, "%s", comment);
    put(&w, header, sizeof header);
    put_u32(&w, mesh->triangle_count);
    for (uint32_t t = 0; w.room && t < mesh->triangle_count; ++t) {
        PxVec3 a = px_mesh_corner(mesh, t, 0), b = px_mesh_corner(mesh, t, 1);
        PxVec3 c = px_mesh_corner(mesh, t, 2);
        PxVec3 normal = px_normalized(px_cross(px_sub(b, a), px_sub(c, a)), px_vec(0, 0, 0));
        const PxVec3 row[4] = {normal, a, b, c};
        for (int k = 0; k < 4; ++k) {
            put_float(&w, row[k].x);
            put_float(&w, row[k].y);
            put_float(&w, row[k].z);
        }
        put(&w, "\0\0", 2);
    }
    return end(&w, mesh);
}
