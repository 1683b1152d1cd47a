#include "cloth/cloth.h"

#include "base/fail.h"
#include "base/vec.h"
#include "shape/mesh_check.h"
#include "shape/mesh_read.h"
#include "shape/rectangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- triangles of a shape ------------------------------------------------------------ */

/* Cells along a side; by default they are square, 40 along the longer side. */
static double cells_of(double stated, double own, double other)
{
    double cell = fmax(own, other) / 40;
    return stated > 0 ? stated : fmax(1, round(own / cell));
}

/* Diagonals alternate, so that no direction is stiffer than its mirror image. */
static PxStatus make_rectangle(const PxShapeDef *def, PxMesh **out)
{
    const double size[2] = {def->size.x, def->size.z};
    const double cells[2] = {cells_of(def->columns, size[0], size[1]),
                             cells_of(def->rows, size[1], size[0])};
    return px_rectangle_mesh(size, cells, PX_SHEET_ALTERNATING, 0, 0, out);
}

static PxStatus copy_arrays(const PxShapeDef *def, PxMesh **out)
{
    if (def->vertex == NULL || def->triangle == NULL)
        return px_fail(PX_ERR_ARGUMENT, "mesh: it has no file and no triangles");
    PX_TRY(px_mesh_create(def->vertices, def->triangles, 0, out));
    for (uint32_t k = 0; k < def->vertices; ++k)
        (*out)->position[k] =
            px_vec((double)def->vertex[k][0], (double)def->vertex[k][1], (double)def->vertex[k][2]);
    memcpy((*out)->triangle, def->triangle, def->triangles * sizeof *def->triangle);
    PxStatus status = px_mesh_check(*out, "mesh");
    if (status != PX_OK) {
        px_mesh_free(*out);
        *out = NULL;
    }
    return status;
}

PxStatus px_cloth_mesh(const PxShapeDef *def, PxMesh **out)
{
    *out = NULL;
    if (def->kind != PX_SHAPE_SHEET && def->kind != PX_SHAPE_MESH)
        return px_fail(PX_ERR_ARGUMENT, "cloth is a sheet or a mesh, and its shape is a %s",
                       px_shape_kind_name(def->kind));
    if (!(def->scale > 0) || !isfinite(def->scale) || !px_finite(def->at))
        return px_fail(PX_ERR_ARGUMENT, "%s: its scale is %g, wanted more than 0",
                       px_shape_kind_name(def->kind), def->scale);
    if (def->kind == PX_SHAPE_SHEET)
        PX_TRY(make_rectangle(def, out));
    else if (def->mesh != NULL)
        PX_TRY(px_mesh_read_file_part(def->mesh, def->part, out));
    else
        PX_TRY(copy_arrays(def, out));
    PxMesh *mesh = *out;
    PxQuat turn = px_quat_normalized(def->rotation);
    for (uint32_t k = 0; k < mesh->vertex_count; ++k) {
        mesh->position[k] =
            px_add(def->at, px_rotate(turn, px_scale(mesh->position[k], def->scale)));
        if (mesh->uv != NULL)
            mesh->uv[k] = (PxUv){mesh->uv[k].u * def->scale, mesh->uv[k].v * def->scale};
    }
    return PX_OK;
}

/* ---- faces ------------------------------------------------------------------------------- */

typedef struct Point {
    double u, v;
} Point;

static double cross_of(const Point p[3])
{
    return (p[1].u - p[0].u) * (p[2].v - p[0].v) - (p[2].u - p[0].u) * (p[1].v - p[0].v);
}

/* Corner k of a face at rest, in (u, v), relative to its corner 0: the inverse of its inverse. */
static Point rest_corner(const PxClothFace *f, int k)
{
    double det = f->inverse[0][0] * f->inverse[1][1] - f->inverse[0][1] * f->inverse[1][0];
    if (k == 0)
        return (Point){0, 0};
    return k == 1 ? (Point){f->inverse[1][1] / det, -f->inverse[1][0] / det}
                  : (Point){-f->inverse[0][1] / det, f->inverse[0][0] / det};
}

/* Height over the longest edge, of a triangle of the mesh. */
static double ratio_of(const PxMesh *mesh, uint32_t t)
{
    PxVec3 x[3];
    double longest = 0;
    for (int k = 0; k < 3; ++k)
        x[k] = px_mesh_corner(mesh, t, k);
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, px_length(px_sub(x[k], x[(k + 1) % 3])));
    double cross = px_length(px_cross(px_sub(x[1], x[0]), px_sub(x[2], x[0])));
    return longest > 0 ? cross / (longest * longest) : 0;
}

/* The same in texture coordinates; negative: mirrored. */
static double uv_ratio(const PxMesh *mesh, uint32_t t)
{
    Point p[3];
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
        PxUv uv = mesh->uv[mesh->triangle[t][k]];
        p[k] = (Point){uv.u, uv.v};
    }
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, hypot(p[k].u - p[(k + 1) % 3].u, p[k].v - p[(k + 1) % 3].v));
    return longest > 0 ? cross_of(p) / (longest * longest) : 0;
}

double px_cloth_face_ratio(const PxClothFace *f)
{
    Point p[3];
    double longest = 0;
    for (int k = 0; k < 3; ++k)
        p[k] = rest_corner(f, k);
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, hypot(p[k].u - p[(k + 1) % 3].u, p[k].v - p[(k + 1) % 3].v));
    return fabs(cross_of(p)) / (longest * longest);
}

/* Lays a triangle flat, with its weft along the first axis. */
static void lay_flat(const PxMesh *mesh, uint32_t t, PxVec3 weft, PxVec3 warp, Point p[3])
{
    PxVec3 a = px_mesh_corner(mesh, t, 0);
    PxVec3 b = px_sub(px_mesh_corner(mesh, t, 1), a), c = px_sub(px_mesh_corner(mesh, t, 2), a);
    PxVec3 normal = px_normalized(px_cross(b, c), px_vec(0, 0, 0));
    PxVec3 along = weft;
    double mirror = 1;
    if (mesh->uv != NULL) {
        const PxUv *uv = mesh->uv;
        const uint32_t *k = mesh->triangle[t];
        double du1 = uv[k[1]].u - uv[k[0]].u, dv1 = uv[k[1]].v - uv[k[0]].v;
        double du2 = uv[k[2]].u - uv[k[0]].u, dv2 = uv[k[2]].v - uv[k[0]].v;
        double det = du1 * dv2 - du2 * dv1;
        if (fabs(uv_ratio(mesh, t)) >= PX_CLOTH_FLAT && isfinite(det)) {
            along = px_scale(px_sub(px_scale(b, dv2), px_scale(c, dv1)), det > 0 ? 1 : -1);
            mirror = det > 0 ? 1 : -1;
        }
    }
    PxVec3 x = px_mad(along, normal, -px_dot(along, normal));
    if (!(px_length(x) > 1e-6 * px_length(along))) /* the triangle is across the weft */
        x = px_cross(warp, normal);
    if (!(px_length(x) > 0))
        x = b;
    x = px_normalized(x, px_vec(1, 0, 0));
    PxVec3 y = px_scale(px_cross(normal, x), mirror);
    p[0] = (Point){0, 0};
    p[1] = (Point){px_dot(b, x), px_dot(b, y)};
    p[2] = (Point){px_dot(c, x), px_dot(c, y)};
}

/* Refuses triangles that no cloth can have; says where the first is, and how many there are. */
static PxStatus refuse_faces(const PxMesh *mesh, PxClothRest rest)
{
    bool uv = rest == PX_CLOTH_REST_UV;
    uint32_t flat = 0, no_map = 0, mirrored = 0, first[3] = {0};
    double sign = uv && mesh->triangle_count > 0 ? uv_ratio(mesh, 0) : 0;
    for (uint32_t t = mesh->triangle_count; t-- > 0;) {
        double map = uv ? uv_ratio(mesh, t) : 1;
        const bool is[3] = {!(ratio_of(mesh, t) >= PX_CLOTH_FLAT), !(fabs(map) >= PX_CLOTH_FLAT),
                            map * sign < 0};
        uint32_t *count[3] = {&flat, &no_map, &mirrored};
        for (int k = 0; k < 3; ++k)
            if (is[k]) {
                ++*count[k];
                first[k] = t;
            }
    }
    int kind = flat > 0 ? 0 : no_map > 0 ? 1 : 2;
    uint32_t t = first[kind], all = mesh->triangle_count;
    PxVec3 at = all > 0 ? px_mesh_corner(mesh, t, 0) : px_vec(0, 0, 0);
    if (flat > 0)
        return px_fail(PX_ERR_ARGUMENT,
                       "triangle %u (vertices %u, %u, %u) has %s, at (%.3g, %.3g, %.3g) m: its "
                       "height is %.2g of its longest edge; so are %u of %u; wanted at least %g",
                       t, mesh->triangle[t][0], mesh->triangle[t][1], mesh->triangle[t][2],
                       ratio_of(mesh, t) > 0 ? "next to no area" : "no area", at.x, at.y, at.z,
                       ratio_of(mesh, t), flat, all, PX_CLOTH_FLAT);
    if (no_map > 0)
        return px_fail(PX_ERR_ARGUMENT,
                       "triangle %u has %s in its texture coordinates, at (%.3g, %.3g, %.3g) m: "
                       "its height is %.2g of its longest edge; so are %u of %u; wanted at least "
                       "%g, or \"rest\": \"shape\"",
                       t, fabs(uv_ratio(mesh, t)) > 0 ? "next to no area" : "no area", at.x, at.y,
                       at.z, fabs(uv_ratio(mesh, t)), no_map, all, PX_CLOTH_FLAT);
    if (mirrored > 0)
        return px_fail(PX_ERR_ARGUMENT,
                       "its texture coordinates are folded: triangle %u is mirrored against "
                       "triangle 0, at (%.3g, %.3g, %.3g) m; %u of %u are; wanted one side up, "
                       "or \"rest\": \"shape\"",
                       t, at.x, at.y, at.z, mirrored, all);
    return PX_OK;
}

static void make_face(const PxMesh *mesh, uint32_t t, const uint32_t *weld, PxQuat rotation,
                      PxClothRest rest, PxClothFace *out)
{
    PxVec3 weft = px_rotate(rotation, px_vec(1, 0, 0)), warp = px_rotate(rotation, px_vec(0, 0, 1));
    Point p[3];
    for (int k = 0; k < 3; ++k)
        out->corner[k] = weld[mesh->triangle[t][k]];
    lay_flat(mesh, t, weft, warp, p);
    for (int k = 0; k < 3 && rest == PX_CLOTH_REST_UV; ++k) {
        PxUv uv = mesh->uv[mesh->triangle[t][k]];
        p[k] = (Point){uv.u, uv.v};
    }
    double cross = cross_of(p);
    double m[2][2] = {{p[1].u - p[0].u, p[2].u - p[0].u}, {p[1].v - p[0].v, p[2].v - p[0].v}};
    out->area = 0.5 * fabs(cross);
    out->inverse[0][0] = m[1][1] / cross;
    out->inverse[0][1] = -m[0][1] / cross;
    out->inverse[1][0] = -m[1][0] / cross;
    out->inverse[1][1] = m[0][0] / cross;
}

/* ---- hinges ------------------------------------------------------------------------------ */

typedef struct Edge {
    uint32_t low, high, face, corner;
} Edge;

static int compare_edges(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->face > y->face) - (x->face < y->face);
}

/* Foot of the height on the edge, from its first end, and the height, at rest. `from` and `to` are
 * the corners of the edge in that face. */
static void foot_of(const PxClothFace *f, int from, int to, double *along, double *height)
{
    Point a = rest_corner(f, from), b = rest_corner(f, to), c = rest_corner(f, 3 - from - to);
    double l = hypot(b.u - a.u, b.v - a.v);
    *along = ((c.u - a.u) * (b.u - a.u) + (c.v - a.v) * (b.v - a.v)) / l;
    *height = 2 * f->area / l;
}

static void make_hinge(const PxClothSheet *s, const PxVec3 *position, const Edge *a, const Edge *b,
                       PxClothRest rest, PxClothHinge *out)
{
    const PxClothFace *f = &s->face[a->face], *g = &s->face[b->face];
    int i = (int)a->corner, j = (i + 1) % 3, k = (int)b->corner, l = (k + 1) % 3;
    *out = (PxClothHinge){
        .corner = {f->corner[i], f->corner[j], f->corner[(i + 2) % 3], g->corner[(k + 2) % 3]},
        .face = {a->face, b->face}};
    Point p = rest_corner(f, i), q = rest_corner(f, j);
    double du = q.u - p.u, dv = q.v - p.v, foot[2], height[2];
    out->length = hypot(du, dv);
    out->weft = dv * dv / (out->length * out->length);
    out->shape = out->length * out->length / (f->area + g->area);
    foot_of(f, i, j, &foot[0], &height[0]);
    foot_of(g, l, k, &foot[1], &height[1]); /* the other face has the edge the other way round */
    double sum = height[0] + height[1];
    double w2 = height[1] / sum, w3 = height[0] / sum;
    double where = (w2 * foot[0] + w3 * foot[1]) / out->length;
    out->weight[0] = -(1 - where);
    out->weight[1] = -where;
    out->weight[2] = w2;
    out->weight[3] = w3;
    out->lever = height[0] * height[1] / sum;
    PxVec3 x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = position[out->corner[c]];
    double angle = px_cloth_angle(x);
    px_cloth_hinge_rest(out, rest == PX_CLOTH_REST_UV || fabs(angle) < 1e-9 ? 0 : angle);
}

void px_cloth_hinge_rest(PxClothHinge *h, double angle)
{
    h->angle = angle;
    h->half_sine = sin(0.5 * angle);
    h->half_cosine = cos(0.5 * angle);
}

/* Edges of triangles that are the same: the first, and their number. */
typedef struct Crowd {
    size_t first, count;
} Crowd;

static PxStatus make_hinges(PxClothSheet *s, const PxMesh *mesh, PxClothRest rest)
{
    size_t count = (size_t)3 * s->faces, edges = 0;
    Edge *edge = malloc(count * sizeof *edge);
    if (edge == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for %zu edges", count);
    for (uint32_t t = 0; t < s->faces; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t a = s->face[t].corner[k], b = s->face[t].corner[(k + 1) % 3];
            edge[3 * (size_t)t + k] = (Edge){a < b ? a : b, a < b ? b : a, t, k};
        }
    qsort(edge, count, sizeof *edge, compare_edges);
    PxStatus status = PX_OK;
    double length = 0;
    Crowd crowded = {0, 0};
    uint32_t many = 0, turned = 0;
    size_t opposed = 0;
    for (size_t k = 0, end; k < count; k = end, ++edges) {
        for (end = k + 1;
             end < count && edge[end].low == edge[k].low && edge[end].high == edge[k].high; ++end)
            ;
        const Edge *e = &edge[k];
        length += px_length(px_sub(s->start[e->low], s->start[e->high]));
        if (end - k > 2 && many++ == 0)
            crowded = (Crowd){k, end - k};
        if (end - k == 1) /* numbered from the end until all hinges are known */
            s->face[e->face].edge[e->corner] = UINT32_MAX - s->borders++;
        if (end - k != 2)
            continue;
        uint32_t from = s->face[e[0].face].corner[e[0].corner];
        if (from == s->face[e[1].face].corner[e[1].corner] && turned++ == 0)
            opposed = k;
        for (int n = 0; n < 2; ++n)
            s->face[e[n].face].edge[e[n].corner] = s->hinges;
        if (many + turned == 0)
            make_hinge(s, mesh->position, &e[0], &e[1], rest, &s->hinge[s->hinges++]);
    }
    if (many > 0) {
        const Edge *e = &edge[crowded.first];
        PxVec3 at = s->start[e->low];
        status = px_fail(PX_ERR_ARGUMENT,
                         "the edge between vertices %u and %u has %zu triangles, the first %u, %u "
                         "and %u, at (%.3g, %.3g, %.3g) m; %u of %zu edges have more than two; "
                         "wanted one or two (vertices in the same place are one)",
                         e->low, e->high, crowded.count, e[0].face, e[1].face, e[2].face, at.x,
                         at.y, at.z, many, edges);
    } else if (turned > 0) {
        const Edge *e = &edge[opposed];
        PxVec3 at = s->start[e->low];
        status =
            px_fail(PX_ERR_ARGUMENT,
                    "triangles %u and %u face opposite sides, at (%.3g, %.3g, %.3g) m; %u of "
                    "%zu edges lie between such; wanted all corners counter-clockwise seen from "
                    "one side",
                    e[0].face, e[1].face, at.x, at.y, at.z, turned, edges);
    }
    for (uint32_t t = 0; t < s->faces && status == PX_OK; ++t)
        for (int k = 0; k < 3; ++k)
            if (s->face[t].edge[k] >= s->hinges)
                s->face[t].edge[k] = s->hinges + (UINT32_MAX - s->face[t].edge[k]);
    s->closed = s->borders == 0;
    s->edge = edges > 0 ? length / (double)edges : 0;
    free(edge);
    return status;
}

/* ---- texture coordinates ------------------------------------------------------------------- */

/* Texture coordinates of a vertex of the sheet in a triangle of the mesh. */
static PxUv uv_in(const PxMesh *mesh, const uint32_t *weld, uint32_t t, uint32_t vertex)
{
    int k = 0;
    while (k < 2 && weld[mesh->triangle[t][k]] != vertex)
        ++k;
    return mesh->uv[mesh->triangle[t][k]];
}

static bool same_uv(PxUv a, PxUv b)
{
    return !(fabs(a.u - b.u) > 0) && !(fabs(a.v - b.v) > 0);
}

/* Counts triangles without area in texture space, and edges at which the texture is folded: both
 * triangles use the same coordinates there, but with opposite orientation. Separate islands of the
 * texture may be mirrored: the two halves of a garment often are. */
static void judge_map(const PxMesh *mesh, const uint32_t *weld, PxClothSheet *s)
{
    for (uint32_t t = s->faces; t-- > 0;)
        if (!(fabs(uv_ratio(mesh, t)) >= PX_CLOTH_FLAT)) {
            ++s->map.flat;
            s->map.first[0] = t;
        }
    for (uint32_t h = s->hinges; h-- > 0;) {
        const uint32_t *f = s->hinge[h].face, *c = s->hinge[h].corner;
        bool goes_on = true;
        for (int k = 0; k < 2; ++k)
            goes_on =
                goes_on && same_uv(uv_in(mesh, weld, f[0], c[k]), uv_in(mesh, weld, f[1], c[k]));
        s->map.parted += !goes_on;
        double a = uv_ratio(mesh, f[0]), b = uv_ratio(mesh, f[1]);
        if (goes_on && fmin(a, b) <= -PX_CLOTH_FLAT && fmax(a, b) >= PX_CLOTH_FLAT) {
            ++s->map.folded;
            s->map.first[1] = f[0];
        }
    }
}

/* ---- the sheet ----------------------------------------------------------------------------- */

/* Numbers vertices that triangles use, welded ones once. *used is their number. */
static PxStatus number_vertices(const PxMesh *mesh, uint32_t *to, uint32_t *used)
{
    PX_TRY(px_mesh_weld(mesh, to));
    uint32_t *number = malloc(((size_t)mesh->vertex_count + 1) * sizeof *number);
    if (number == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for %u vertices", mesh->vertex_count);
    for (uint32_t k = 0; k < mesh->vertex_count; ++k)
        number[k] = UINT32_MAX;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (int c = 0; c < 3; ++c)
            number[to[mesh->triangle[t][c]]] = 0;
    *used = 0;
    for (uint32_t k = 0; k < mesh->vertex_count; ++k)
        if (number[k] == 0)
            number[k] = (*used)++;
    for (uint32_t k = 0; k < mesh->vertex_count; ++k)
        to[k] = number[to[k]];
    free(number);
    return PX_OK;
}

static PxStatus fill_sheet(const PxMesh *mesh, const uint32_t *weld, PxQuat rotation,
                           PxClothRest rest, PxClothSheet *s)
{
    size_t n = (size_t)s->vertices + 1, faces = (size_t)s->faces + 1;
    s->start = calloc(n, sizeof *s->start);
    s->share = calloc(n, sizeof *s->share);
    s->face = calloc(faces, sizeof *s->face);
    s->hinge = calloc(3 * faces / 2 + 1, sizeof *s->hinge);
    s->uv = mesh->uv != NULL ? calloc(n, sizeof *s->uv) : NULL;
    if (s->start == NULL || s->share == NULL || s->face == NULL || s->hinge == NULL ||
        (mesh->uv != NULL && s->uv == NULL))
        return px_fail(PX_ERR_MEMORY, "no room for %u triangles", s->faces);
    for (uint32_t k = mesh->vertex_count; k-- > 0;)
        if (weld[k] != UINT32_MAX) {
            s->start[weld[k]] = mesh->position[k];
            if (s->uv != NULL) {
                s->uv[weld[k]][0] = mesh->uv[k].u;
                s->uv[weld[k]][1] = mesh->uv[k].v;
            }
        }
    PX_TRY(refuse_faces(mesh, rest));
    for (uint32_t t = 0; t < s->faces; ++t) {
        make_face(mesh, t, weld, rotation, rest, &s->face[t]);
        for (int c = 0; c < 3; ++c)
            s->share[s->face[t].corner[c]] += s->face[t].area / 3;
    }
    return PX_OK;
}

PxStatus px_cloth_sheet_create(const PxMesh *mesh, PxQuat rotation, PxClothRest rest,
                               PxClothSheet **out)
{
    *out = NULL;
    if (rest == PX_CLOTH_REST_UV && mesh->uv == NULL)
        return px_fail(PX_ERR_ARGUMENT,
                       "its triangles do not all have texture coordinates; wanted them for "
                       "\"rest\": \"uv\", or \"rest\": \"shape\"");
    PxClothSheet *s = calloc(1, sizeof *s);
    uint32_t *weld = malloc(((size_t)mesh->vertex_count + 1) * sizeof *weld);
    PxStatus status = s != NULL && weld != NULL
                          ? PX_OK
                          : px_fail(PX_ERR_MEMORY, "no room for %u vertices", mesh->vertex_count);
    if (status == PX_OK)
        status = number_vertices(mesh, weld, &s->vertices);
    if (status == PX_OK) {
        s->references = 1;
        s->faces = mesh->triangle_count;
        status = fill_sheet(mesh, weld, px_quat_normalized(rotation), rest, s);
    }
    if (status == PX_OK) {
        PxMesh placed = {.position = s->start};
        status = make_hinges(s, &placed, rest);
    }
    if (status == PX_OK && mesh->uv != NULL)
        judge_map(mesh, weld, s);
    if (status == PX_OK)
        s->map.missing = mesh->uv_missing;
    free(weld);
    if (status != PX_OK) {
        if (s != NULL)
            s->references = 1;
        px_cloth_sheet_free(s);
        return status;
    }
    *out = s;
    return PX_OK;
}

void px_cloth_sheet_hold(PxClothSheet *sheet)
{
    ++sheet->references;
}

void px_cloth_sheet_free(PxClothSheet *s)
{
    if (s == NULL || --s->references > 0)
        return;
    free(s->start);
    free(s->share);
    free(s->face);
    free(s->hinge);
    free(s->uv);
    free(s->vertex_from);
    free(s->edge_from);
    px_cloth_sheet_free(s->whole);
    free(s);
}

size_t px_cloth_sheet_bytes(const PxClothSheet *s)
{
    return sizeof *s + s->vertices * (sizeof *s->start + sizeof *s->share + sizeof *s->uv) +
           s->faces * sizeof *s->face + (3 * (size_t)s->faces / 2 + 1) * sizeof *s->hinge;
}
