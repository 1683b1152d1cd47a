#include "surface/skin/slits.h"

#include "base/random.h"
#include "shape/mesh_tree.h"
#include "surface/skin/skin_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* From a point of a cut, sight begins this part of the way towards the end that it belongs to. */
#define ASIDE 0.05
/* From a face of a sheet it begins this far beside it, in cells; also towards the sheet's middle.
 */
#define BESIDE 0.05
/* Points of the skin are moved by up to this, in cells, before they are said to be on a side of a
 * sheet: none lies in it. */
#define JITTER 1e-4
/* Rims of sheets so near to the surface, in cells, are widened by so much, in cells. */
#define RIM_NEAR 0.75
#define RIM_WIDE 1.0
/* Faces across the skin are divided so often before they are clipped. */
#define DIVIDED 2

/* A point that the cracks add. */
typedef struct Added {
    PxVec3 at, eye, normal;
    float colour[3], uv[2];
    uint32_t piece;
    uint8_t inside;
    float radius; /* of a surfel; 0: any */
} Added;

/* An edge of the skin, by the numbers of its points. */
typedef struct Edge {
    uint32_t low, high; /* NONE: the place is empty */
    uint32_t cut[2];    /* its new points at either end; NONE: it is not crossed */
} Edge;

/* A corner of a face while it is clipped. */
typedef struct Corner {
    PxVec3 at, normal, inward;
    double depth;
    uint32_t vertex; /* of the sheets, or NONE */
} Corner;

typedef struct Build {
    const PxSkin *base;
    PxSkinColumns column;
    PxSkinSheets *sheets;
    double cell;
    PxVec3 *eye; /* of points of the base */
    Edge *edge;
    size_t edges; /* a power of two */
    PX_LIST(Added) added;
    PX_LIST(uint32_t) triangle; /* 3 each */
    PX_LIST(uint32_t) face;     /* of sheets, before other sheets cut them; 3 each */
    PxVec3 *normal, *inward;    /* by vertex of the sheets */
    double *depth;              /* by vertex of the sheets; NAN: not known */
    uint32_t *made[2];          /* by vertex of the sheets: its point on either side */
    uint32_t piece;
    PxMeshTree *tree;       /* of the base's triangles of this piece */
    PxKdTree near;          /* of the base's points, if these are surfels */
    float colour[3];        /* of the faces */
    PX_LIST(uint32_t) used; /* vertices in `made` */
} Build;

/* ---- points ---------------------------------------------------------------------- */

static const Added *added_at(const Build *b, uint32_t i)
{
    return &b->added.data[i - b->base->base.count];
}

static PxVec3 rest_of(const Build *b, uint32_t i)
{
    if (i >= b->base->base.count)
        return added_at(b, i)->at;
    float *const *x = b->column.rest;
    return px_vec((double)x[0][i], (double)x[1][i], (double)x[2][i]);
}

static PxVec3 eye_of(const Build *b, uint32_t i)
{
    return i < b->base->base.count ? b->eye[i] : added_at(b, i)->eye;
}

static PxVec3 normal_of(const Build *b, uint32_t i)
{
    if (i >= b->base->base.count)
        return added_at(b, i)->normal;
    float *const *t = b->column.rest_tangent;
    return px_cross(px_vec((double)t[0][i], (double)t[1][i], (double)t[2][i]),
                    px_vec((double)t[3][i], (double)t[4][i], (double)t[5][i]));
}

static uint32_t piece_of(const Build *b, uint32_t i)
{
    return b->base->piece != NULL ? b->base->piece[i] : 0;
}

static float colour_of(const Build *b, uint32_t i, int k)
{
    return i < b->base->base.count ? b->column.colour[k][i] : added_at(b, i)->colour[k];
}

static float uv_of(const Build *b, uint32_t i, int k)
{
    return i < b->base->base.count ? b->column.uv[k][i] : added_at(b, i)->uv[k];
}

static bool is_inside(const Build *b, uint32_t i)
{
    if (i >= b->base->base.count)
        return added_at(b, i)->inside != 0;
    return b->base->inside != NULL && b->base->inside[i] != 0;
}

/* Beside a point by a little, always the same for the same place: points that are doubled at sharp
 * edges remain on the same side. */
static PxVec3 jittered(PxVec3 at, double cell)
{
    uint64_t bits[3];
    memcpy(bits, &at, sizeof bits);
    uint64_t id = px_mix(px_mix(px_mix(bits[0]) ^ bits[1]) ^ bits[2]);
    double off[3];
    for (uint64_t k = 0; k < 3; ++k)
        off[k] = JITTER * cell * (2 * px_random_unit(id, 0, k) - 1);
    return px_add(at, px_vec(off[0], off[1], off[2]));
}

/* Appends a point; its number is NONE if there is no memory. */
static uint32_t add_point(Build *b, Added point)
{
    if (!PX_LIST_RESERVE(&b->added, 1))
        return NONE;
    b->added.data[b->added.count] = point;
    return b->base->base.count + (uint32_t)b->added.count++;
}

static bool add_triangle(Build *b, uint32_t i, uint32_t j, uint32_t k)
{
    if (i == NONE || j == NONE || k == NONE || !PX_LIST_RESERVE(&b->triangle, 3))
        return false;
    uint32_t *to = b->triangle.data + b->triangle.count;
    to[0] = i, to[1] = j, to[2] = k;
    b->triangle.count += 3;
    return true;
}

static bool add_quadrangle(Build *b, uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
    return add_triangle(b, i, j, k) && add_triangle(b, i, k, l);
}

/* ---- the cut of the skin ----------------------------------------------------------- */

static Edge *find_edge(const Build *b, uint32_t low, uint32_t high)
{
    size_t at = px_mix((uint64_t)low << 32 | high) & (b->edges - 1);
    while (b->edge[at].low != NONE && (b->edge[at].low != low || b->edge[at].high != high))
        at = (at + 1) & (b->edges - 1);
    return &b->edge[at];
}

/* The point of the edge from i to j at `at`, on the side of i. */
static uint32_t cut_point(Build *b, uint32_t i, uint32_t j, PxVec3 at)
{
    PxVec3 from = rest_of(b, i), way = px_sub(rest_of(b, j), from);
    double square = px_dot(way, way);
    double t = square > 0 ? fmin(fmax(px_dot(px_sub(at, from), way) / square, 0), 1) : 0;
    float u = (float)t;
    Added point = {.at = px_mad(from, way, t), .piece = b->piece};
    point.eye = px_mad(at, px_sub(eye_of(b, i), at), ASIDE);
    point.normal = px_add(px_scale(normal_of(b, i), 1 - t), px_scale(normal_of(b, j), t));
    for (int k = 0; k < 3; ++k)
        point.colour[k] = (1 - u) * colour_of(b, i, k) + u * colour_of(b, j, k);
    for (int k = 0; k < 2; ++k)
        point.uv[k] = (1 - u) * uv_of(b, i, k) + u * uv_of(b, j, k);
    point.inside = is_inside(b, i);
    return add_point(b, point);
}

/* Number of the new point at the end i of the edge to j; NONE if no sheet crosses it. */
static uint32_t cut_of(Build *b, uint32_t i, uint32_t j, bool *good)
{
    uint32_t low = i < j ? i : j, high = i < j ? j : i;
    Edge *e = find_edge(b, low, high);
    if (e->low == NONE) {
        PxVec3 at[2];
        *e = (Edge){low, high, {NONE, NONE}};
        if (px_skin_sheets_cross(b->sheets, b->piece, eye_of(b, low), eye_of(b, high), &at[0]) &&
            px_skin_sheets_cross(b->sheets, b->piece, eye_of(b, high), eye_of(b, low), &at[1])) {
            e->cut[0] = cut_point(b, low, high, at[0]);
            e->cut[1] = cut_point(b, high, low, at[1]);
            *good = *good && e->cut[0] != NONE && e->cut[1] != NONE;
        }
    }
    return e->cut[i == low ? 0 : 1];
}

/* The point in the middle of a triangle that belongs to one of its corners, between the points
 * `p` and `q` of its edges. */
static uint32_t middle_point(Build *b, const uint32_t v[3], uint32_t p, uint32_t q)
{
    Added point = *added_at(b, p);
    const Added *other = added_at(b, q);
    point.eye = px_scale(px_add(point.eye, other->eye), 0.5);
    point.normal = px_add(point.normal, other->normal);
    point.at = px_vec(0, 0, 0);
    memset(point.colour, 0, sizeof point.colour);
    memset(point.uv, 0, sizeof point.uv);
    for (int n = 0; n < 3; ++n) {
        point.at = px_mad(point.at, rest_of(b, v[n]), 1.0 / 3);
        for (int k = 0; k < 3; ++k)
            point.colour[k] += colour_of(b, v[n], k) / 3;
        for (int k = 0; k < 2; ++k)
            point.uv[k] += uv_of(b, v[n], k) / 3;
    }
    return add_point(b, point);
}

static bool cut_triangle(Build *b, const uint32_t v[3])
{
    /* cut[k][0] and cut[k][1]: on the edge from corner k to the next, at either end */
    uint32_t cut[3][2];
    int crossed = 0, last = 0;
    bool good = true;
    for (int k = 0; k < 3; ++k) {
        cut[k][0] = cut_of(b, v[k], v[(k + 1) % 3], &good);
        cut[k][1] = cut_of(b, v[(k + 1) % 3], v[k], &good);
        if (cut[k][0] != NONE)
            ++crossed, last = k;
    }
    if (!good || crossed == 0)
        return good && add_triangle(b, v[0], v[1], v[2]);
    if (crossed == 3) {
        for (int k = 0; k < 3 && good; ++k) {
            uint32_t before = cut[(k + 2) % 3][1], middle = middle_point(b, v, cut[k][0], before);
            good = middle != NONE && add_quadrangle(b, v[k], cut[k][0], middle, before);
        }
        return good;
    }
    /* the corner k is opposite to the whole edge, or to the only one that is cut */
    int k = last;
    if (crossed == 1) {
        uint32_t i = v[k], j = v[(k + 1) % 3], far = v[(k + 2) % 3];
        return add_triangle(b, i, cut[k][0], far) && add_triangle(b, cut[k][1], j, far);
    }
    for (k = 0; cut[(k + 1) % 3][0] != NONE;)
        ++k;
    int next = (k + 1) % 3, before = (k + 2) % 3; /* the edge from `next` to `before` is whole */
    return add_triangle(b, v[k], cut[k][0], cut[before][1]) &&
           add_quadrangle(b, cut[k][1], v[next], v[before], cut[before][0]);
}

/* Empties the table of edges, for the edges of that many triangles. */
static bool reset_edges(Build *b, size_t triangles)
{
    free(b->edge);
    for (b->edges = 64; b->edges < 4 * triangles;)
        b->edges *= 2;
    b->edge = malloc(b->edges * sizeof *b->edge);
    for (size_t k = 0; b->edge != NULL && k < b->edges; ++k)
        b->edge[k].low = NONE;
    return b->edge != NULL;
}

/* Adds triangles, cut where sheets cross them. */
static bool cut_triangles(Build *b, const uint32_t (*triangle)[3], size_t count)
{
    bool good = reset_edges(b, count);
    for (size_t t = 0; t < count && good; ++t) {
        const uint32_t *v = triangle[t];
        PxVec3 middle = px_vec(0, 0, 0);
        double wide = 0;
        for (int k = 0; k < 3; ++k)
            middle = px_mad(middle, eye_of(b, v[k]), 1.0 / 3);
        for (int k = 0; k < 3; ++k)
            wide = fmax(wide, px_length(px_sub(eye_of(b, v[k]), middle)));
        b->piece = v[0] < b->base->base.count ? piece_of(b, v[0]) : added_at(b, v[0])->piece;
        if (px_skin_sheets_near(b->sheets, b->piece, middle, wide))
            good = cut_triangle(b, v);
        else
            good = add_triangle(b, v[0], v[1], v[2]);
    }
    return good;
}

/* ---- faces of sheets ---------------------------------------------------------------- */

/* Depth of a point below the base's surface; negative outside. */
static double depth_at(const Build *b, PxVec3 at)
{
    PxMeshSpot spot;
    if (b->base->triangles == 0) { /* below the plane of the nearest surfel */
        uint32_t near;
        float square;
        if (px_kdtree_nearest(&b->near, (float)at.x, (float)at.y, (float)at.z, 1, &near, &square) <
            1)
            return -INFINITY;
        PxVec3 up = normal_of(b, near);
        return px_dot(px_sub(rest_of(b, near), at), px_scale(up, 1 / px_length(up)));
    }
    if (!px_mesh_tree_closest(b->tree, at, INFINITY, &spot))
        return -INFINITY;
    return px_mesh_tree_inside_from(b->tree, at, &spot) ? spot.distance : -spot.distance;
}

/* The point of a corner on a side: 0 where its normal points to. */
static uint32_t face_point(Build *b, const Corner *c, int side)
{
    if (c->vertex != NONE && b->made[side][c->vertex] != NONE)
        return b->made[side][c->vertex];
    PxVec3 up = px_scale(c->normal, side == 0 ? 1 : -1);
    Added point = {.at = c->at,
                   .eye = px_add(px_mad(c->at, up, BESIDE * b->cell), c->inward),
                   .normal = px_scale(up, -1),
                   .colour = {b->colour[0], b->colour[1], b->colour[2]},
                   .piece = b->piece,
                   .inside = 1};
    uint32_t made = add_point(b, point);
    if (c->vertex != NONE && made != NONE) {
        if (!PX_LIST_RESERVE(&b->used, 1))
            return NONE;
        b->used.data[b->used.count++] = c->vertex;
        b->made[side][c->vertex] = made;
    }
    return made;
}

static bool add_face(Build *b, const Corner *c0, const Corner *c1, const Corner *c2)
{
    uint32_t p[2][3];
    const Corner *c[3] = {c0, c1, c2};
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            p[side][k] = face_point(b, c[k], side);
    /* the matter is on the side that the normal of side 0 points to: its surface faces back */
    uint32_t *to = PX_LIST_RESERVE(&b->face, 6) ? b->face.data + b->face.count : NULL;
    for (int n = 0; n < 3 && to != NULL; ++n) {
        to[n] = p[0][(3 - n) % 3];
        to[3 + n] = p[1][n];
        if (to[n] == NONE || to[3 + n] == NONE)
            return false;
    }
    b->face.count += to != NULL ? 6 : 0;
    return to != NULL;
}

/* The corner at a part t of the way from one to another; its depth is given. */
static Corner between(const Corner *from, const Corner *to, double t, double depth)
{
    PxVec3 normal = px_add(px_scale(from->normal, 1 - t), px_scale(to->normal, t));
    double length = px_length(normal);
    return (Corner){.at = px_mad(from->at, px_sub(to->at, from->at), t),
                    .normal = length > 0 ? px_scale(normal, 1 / length) : from->normal,
                    .inward = px_mad(from->inward, px_sub(to->inward, from->inward), t),
                    .depth = depth,
                    .vertex = NONE};
}

/* Adds the part of a triangle that is below the surface. */
static bool clip_face(Build *b, const Corner c[3], int divisions)
{
    int inside = (c[0].depth > 0) + (c[1].depth > 0) + (c[2].depth > 0);
    if (inside == 3)
        return add_face(b, &c[0], &c[1], &c[2]);
    if (inside == 0)
        return true;
    if (divisions > 0) {
        Corner m[3];
        for (int k = 0; k < 3; ++k) {
            m[k] = between(&c[k], &c[(k + 1) % 3], 0.5, 0);
            m[k].depth = depth_at(b, m[k].at);
        }
        bool good = clip_face(b, m, divisions - 1);
        for (int k = 0; k < 3 && good; ++k)
            good = clip_face(b, (const Corner[3]){c[k], m[k], m[(k + 2) % 3]}, divisions - 1);
        return good;
    }
    Corner kept[4];
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const Corner *p = &c[k], *q = &c[(k + 1) % 3];
        if (p->depth > 0)
            kept[count++] = *p;
        if ((p->depth > 0) != (q->depth > 0))
            kept[count++] = between(p, q, p->depth / (p->depth - q->depth), 0);
    }
    return add_face(b, &kept[0], &kept[1], &kept[2]) &&
           (count < 4 || add_face(b, &kept[0], &kept[2], &kept[3]));
}

/* Normals of the vertices of sheets, and small ways from them to the middle of the triangles around
 * them: sight from the rim of a sheet begins within it. */
static bool lay_sheets(Build *b)
{
    const PxSkinSheets *s = b->sheets;
    size_t n = (size_t)s->points + 1;
    uint32_t *count = calloc(n, sizeof *count);
    b->normal = calloc(n, sizeof *b->normal);
    b->inward = calloc(n, sizeof *b->inward);
    b->depth = malloc(n * sizeof *b->depth);
    for (size_t k = 0; k < n && b->depth != NULL; ++k)
        b->depth[k] = NAN;
    for (int side = 0; side < 2; ++side) {
        b->made[side] = malloc(n * sizeof *b->made[side]);
        if (b->made[side] != NULL)
            memset(b->made[side], 0xff, n * sizeof *b->made[side]);
    }
    bool good = count != NULL && b->normal != NULL && b->inward != NULL && b->depth != NULL &&
                b->made[0] != NULL && b->made[1] != NULL;
    for (uint32_t f = 0; f < s->faces && good; ++f) {
        const uint32_t *v = s->face[f];
        PxVec3 area = px_cross(px_sub(s->at[v[1]], s->at[v[0]]), px_sub(s->at[v[2]], s->at[v[0]]));
        PxVec3 middle = px_scale(px_add(px_add(s->at[v[0]], s->at[v[1]]), s->at[v[2]]), 1.0 / 3);
        for (int k = 0; k < 3; ++k) {
            b->normal[v[k]] = px_add(b->normal[v[k]], area);
            b->inward[v[k]] = px_add(b->inward[v[k]], px_sub(middle, s->at[v[k]]));
            ++count[v[k]];
        }
    }
    for (uint32_t k = 0; k < s->points && good; ++k)
        if (count[k] > 0) {
            double length = px_length(b->normal[k]);
            b->normal[k] = length > 0 ? px_scale(b->normal[k], 1 / length) : px_vec(0, 1, 0);
            b->inward[k] = px_scale(b->inward[k], BESIDE / count[k]);
        }
    free(count);
    return good;
}

/* The base's triangles of the piece, or all for NONE; the tree is NULL if they have no area. */
static PxStatus make_tree(Build *b, uint32_t piece)
{
    const PxSkin *base = b->base;
    PxMesh *mesh;
    uint32_t count = 0;
    b->tree = NULL;
    for (uint32_t t = 0; t < base->triangles; ++t)
        count += piece == NONE || piece_of(b, base->triangle[t][0]) == piece;
    if (count == 0)
        return PX_OK;
    PX_TRY(px_mesh_create(base->base.count, count, 0, &mesh));
    for (uint32_t k = 0; k < base->base.count; ++k)
        mesh->position[k] = rest_of(b, k);
    count = 0;
    for (uint32_t t = 0; t < base->triangles; ++t)
        if (piece == NONE || piece_of(b, base->triangle[t][0]) == piece)
            memcpy(mesh->triangle[count++], base->triangle[t], sizeof *mesh->triangle);
    PxStatus status = px_mesh_tree_create(mesh, &b->tree);
    px_mesh_free(mesh);
    return status == PX_ERR_ARGUMENT ? PX_OK : status;
}

/* Adds both faces of the sheets in a piece. */
static PxStatus add_sheets(Build *b, uint32_t piece)
{
    const PxSkinSheets *s = b->sheets;
    b->piece = piece;
    PX_TRY(make_tree(b, piece));
    bool good = true;
    for (uint32_t f = 0; f < s->faces && b->tree != NULL && good; ++f) {
        Corner c[3];
        if (s->piece[f] != piece)
            continue;
        for (int k = 0; k < 3; ++k) {
            uint32_t v = s->face[f][k];
            if (isnan(b->depth[v]))
                b->depth[v] = depth_at(b, s->at[v]);
            c[k] = (Corner){s->at[v], b->normal[v], b->inward[v], b->depth[v], v};
        }
        good = clip_face(b, c, DIVIDED);
    }
    for (size_t k = 0; k < b->used.count; ++k)
        b->made[0][b->used.data[k]] = b->made[1][b->used.data[k]] = NONE;
    b->used.count = 0;
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 0; k < 3 && s->piece[f] == piece; ++k)
            b->depth[s->face[f][k]] = NAN; /* another piece has another surface */
    px_mesh_tree_free(b->tree);
    b->tree = NULL;
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "skin: no room for cracks");
}

/* ---- surfels ------------------------------------------------------------------------ */

/* Covers a triangle of a sheet with discs on both sides, where it is below the surface: it is
 * halved across its edges until a disc around it is not larger than those of the body. */
static bool add_discs(Build *b, const Corner c[3], double radius)
{
    Corner middle = between(&c[0], &c[1], 0.5, 0);
    middle = between(&middle, &c[2], 1.0 / 3, 0);
    double wide = 0;
    for (int k = 0; k < 3; ++k)
        wide = fmax(wide, px_length(px_sub(c[k].at, middle.at)));
    if (wide > radius) {
        Corner m[3];
        for (int k = 0; k < 3; ++k)
            m[k] = between(&c[k], &c[(k + 1) % 3], 0.5, 0);
        bool good = add_discs(b, m, radius);
        for (int k = 0; k < 3 && good; ++k)
            good = add_discs(b, (const Corner[3]){c[k], m[k], m[(k + 2) % 3]}, radius);
        return good;
    }
    if (!(depth_at(b, middle.at) > 0))
        return true;
    for (int side = 0; side < 2; ++side) {
        if (face_point(b, &middle, side) == NONE)
            return false;
        b->added.data[b->added.count - 1].radius = (float)(1.05 * wide);
    }
    return true;
}

/* Discs of the faces of all sheets. Discs of the body on one side of a sheet and those of its face
 * clip each other when they are drawn (render/trace/disc_edges.h). */
static bool add_all_discs(Build *b)
{
    const PxSkinSheets *s = b->sheets;
    double radius = b->base->base.count > 0 ? (double)b->column.rest_radius[0] : b->cell;
    bool good = true;
    for (uint32_t f = 0; f < s->faces && good; ++f) {
        Corner c[3];
        for (int k = 0; k < 3; ++k) {
            uint32_t v = s->face[f][k];
            c[k] = (Corner){s->at[v], b->normal[v], b->inward[v], 0, NONE};
        }
        good = add_discs(b, c, fmax(radius, 0.05 * b->cell));
    }
    return good;
}

/* ---- pieces ------------------------------------------------------------------------- */

/* Says in which piece each face lies: that of the particles on both sides. Sheets between two
 * pieces are not shown: the mesh of the pieces has their faces. */
static PxStatus sort_faces(Build *b, const PxSolidMaps *maps, uint32_t body, PxVec3 shift,
                           PxArena *scratch)
{
    const PxSkinSheets *s = b->sheets;
    uint32_t n = 0;
    float *x[3];
    uint32_t *row = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)maps->count + 1);
    bool good = row != NULL;
    for (int k = 0; k < 3; ++k) {
        x[k] = PX_ARENA_ARRAY(scratch, float, (size_t)maps->count + 1);
        good = good && x[k] != NULL;
    }
    if (!good)
        return px_fail(PX_ERR_MEMORY, "skin: no room for %u particles", maps->count);
    const float by[3] = {(float)shift.x, (float)shift.y, (float)shift.z};
    for (uint32_t j = 0; j < maps->count; ++j)
        if (maps->body[j] == body) {
            for (int k = 0; k < 3; ++k)
                x[k][n] = maps->rest[4 * (size_t)j + (size_t)k] + by[k];
            row[n++] = j;
        }
    PxKdTree tree;
    px_kdtree_init(&tree, b->base->allocator);
    PxStatus status = px_kdtree_build(&tree, x[0], x[1], x[2], n, scratch);
    for (uint32_t f = 0; f < s->faces && status == PX_OK; ++f) {
        const uint32_t *v = s->face[f];
        PxVec3 a = s->at[v[0]], area = px_cross(px_sub(s->at[v[1]], a), px_sub(s->at[v[2]], a));
        PxVec3 middle = px_scale(px_add(px_add(a, s->at[v[1]]), s->at[v[2]]), 1.0 / 3);
        double length = px_length(area);
        uint32_t piece[2] = {0, 1};
        for (int side = 0; side < 2 && length > 0; ++side) {
            uint32_t near;
            float square;
            PxVec3 at = px_mad(middle, area, (side == 0 ? 0.5 : -0.5) * b->cell / length);
            if (px_kdtree_nearest(&tree, (float)at.x, (float)at.y, (float)at.z, 1, &near, &square) >
                0)
                piece[side] = maps->piece[row[near]];
        }
        s->piece[f] = piece[0] == piece[1] ? piece[0] : PX_SHEET_BETWEEN;
    }
    px_kdtree_free(&tree);
    return status;
}

/* ---- the skin ----------------------------------------------------------------------- */

static PxStatus make_skin(Build *b, PxSkin **out)
{
    const PxSkin *base = b->base;
    uint32_t old = base->base.count;
    size_t n = old + b->added.count, triangles = b->triangle.count / 3;
    PxSkin *skin;
    PX_TRY(px_skin_new(base->allocator, n, &skin));
    skin->rest_origin = base->rest_origin;
    skin->painted = base->painted;
    skin->triangles = (uint32_t)triangles;
    bool surfels = base->triangles == 0;
    if (!surfels) {
        skin->triangle = malloc((triangles + 1) * sizeof *skin->triangle);
        skin->piece = px_allocate(skin->allocator, (n + 1) * sizeof *skin->piece);
        skin->inside = px_allocate(skin->allocator, n + 1);
    }
    skin->eye = px_allocate(skin->allocator, (n + 1) * sizeof *skin->eye);
    PxStatus status = PX_OK;
    if (skin->eye == NULL ||
        (!surfels && (skin->triangle == NULL || skin->piece == NULL || skin->inside == NULL)))
        status = px_fail(PX_ERR_MEMORY, "skin: no room for %zu points", n);
    if (status == PX_OK) {
        PxSkinColumns to = px_skin_columns(skin);
        if (!surfels)
            memcpy(skin->triangle, b->triangle.data, triangles * sizeof *skin->triangle);
        for (int c = 0; c < 3; ++c) {
            memcpy(to.rest[c], b->column.rest[c], old * sizeof(float));
            memcpy(to.colour[c], b->column.colour[c], old * sizeof(float));
        }
        for (int c = 0; c < 6; ++c)
            memcpy(to.rest_tangent[c], b->column.rest_tangent[c], old * sizeof(float));
        for (int c = 0; c < 2; ++c)
            memcpy(to.uv[c], b->column.uv[c], old * sizeof(float));
        memcpy(to.rest_radius, b->column.rest_radius, old * sizeof(float));
        for (uint32_t k = 0; k < old; ++k) {
            skin->eye[k] = b->eye[k];
            if (surfels)
                continue;
            skin->piece[k] = piece_of(b, k);
            skin->inside[k] = is_inside(b, k);
        }
        for (uint32_t k = old; k < n; ++k) {
            const Added *p = added_at(b, k);
            px_skin_set_point(skin, k, px_add(p->at, skin->rest_origin), p->normal,
                              p->radius > 0 ? (double)p->radius : b->cell);
            for (int c = 0; c < 3; ++c)
                to.colour[c][k] = p->colour[c];
            for (int c = 0; c < 2; ++c)
                to.uv[c][k] = p->uv[c];
            skin->eye[k] = p->eye;
            if (surfels)
                continue;
            skin->piece[k] = p->piece;
            skin->inside[k] = p->inside;
        }
        status = px_skin_make_shown(skin);
    }
    if (status != PX_OK)
        px_skin_free(skin);
    else
        *out = skin;
    return status;
}

static double depth_for_rims(const void *user, PxVec3 at)
{
    return depth_at(user, at);
}

/* Widens the sheets at the surface. */
static PxStatus widen(Build *b)
{
    if (b->base->triangles > 0)
        PX_TRY(make_tree(b, NONE));
    PxStatus status = PX_OK;
    if (b->tree != NULL || b->base->triangles == 0)
        status = px_skin_sheets_widen(b->sheets, depth_for_rims, b, RIM_NEAR * b->cell,
                                      RIM_WIDE * b->cell);
    px_mesh_tree_free(b->tree);
    b->tree = NULL;
    return status;
}

static PxStatus begin(Build *b)
{
    PX_TRY(widen(b));
    uint32_t n = b->base->base.count;
    b->eye = malloc(((size_t)n + 1) * sizeof *b->eye);
    if (b->eye == NULL || !lay_sheets(b))
        return px_fail(PX_ERR_MEMORY, "skin: no room for cracks");
    for (uint32_t k = 0; k < n; ++k)
        b->eye[k] = jittered(rest_of(b, k), b->cell);
    return PX_OK;
}

static void end(Build *b)
{
    free(b->eye);
    free(b->edge);
    free(b->normal);
    free(b->inward);
    free(b->depth);
    free(b->made[0]);
    free(b->made[1]);
    PX_LIST_FREE(&b->added);
    PX_LIST_FREE(&b->triangle);
    PX_LIST_FREE(&b->face);
    PX_LIST_FREE(&b->used);
}

/* Adds the faces of sheets to a base of surfels; *out is NULL if there are none. */
static PxStatus make_discs(Build *b, PxArena *scratch, PxSkin **out)
{
    float *const *x = b->column.rest;
    *out = NULL;
    if (b->sheets->faces == 0)
        return PX_OK;
    px_kdtree_init(&b->near, b->base->allocator);
    PxStatus status = px_kdtree_build(&b->near, x[0], x[1], x[2], b->base->base.count, scratch);
    if (status == PX_OK)
        status = begin(b);
    if (status == PX_OK && !add_all_discs(b))
        status = px_fail(PX_ERR_MEMORY, "skin: no room for the faces of cracks");
    if (status == PX_OK)
        status = make_skin(b, out);
    end(b);
    px_kdtree_free(&b->near);
    return status;
}

/* Cuts the base along the sheets; *out is NULL if none is in it. */
static PxStatus make_slits(Build *b, uint32_t pieces, PxSkin **out)
{
    const PxSkinSheets *s = b->sheets;
    bool some = false;
    for (uint32_t f = 0; f < s->faces; ++f)
        some = some || s->piece[f] != PX_SHEET_BETWEEN;
    *out = NULL;
    if (!some)
        return PX_OK;
    PxStatus status = begin(b);
    bool *has = calloc((size_t)pieces + 1, sizeof *has);
    if (has == NULL)
        status = px_fail(PX_ERR_MEMORY, "skin: no room for %u pieces", pieces);
    for (uint32_t f = 0; f < s->faces && status == PX_OK; ++f)
        if (s->piece[f] < pieces)
            has[s->piece[f]] = true;
    for (uint32_t k = 0; k < pieces && status == PX_OK; ++k)
        if (has[k])
            status = add_sheets(b, k);
    free(has);
    if (status == PX_OK &&
        !(cut_triangles(b, (const uint32_t(*)[3])b->base->triangle, b->base->triangles) &&
          cut_triangles(b, (const uint32_t(*)[3])b->face.data, b->face.count / 3)))
        status = px_fail(PX_ERR_MEMORY, "skin: no room for cracks");
    if (status == PX_OK)
        status = make_skin(b, out);
    end(b);
    return status;
}

/* ---- interface ---------------------------------------------------------------------- */

void px_skin_slits_free(PxSkinSlits *s)
{
    px_skin_free(s->skin);
    px_skin_sheets_free(&s->sheets);
    *s = (PxSkinSlits){.skin = NULL};
}

/* Changes with the sheets, their fronts and the base. */
static uint64_t hash_of(const PxCracks *c, uint64_t hash)
{
    for (size_t k = 0; k < c->vertices.count; ++k) {
        uint32_t x[3];
        memcpy(x, c->vertices.data[k].x, sizeof x);
        hash = px_mix(hash ^ ((uint64_t)x[0] << 32 | x[1])) + x[2];
    }
    for (size_t k = 0; k < c->nodes.count; ++k)
        hash = px_mix(hash ^ ((uint64_t)c->nodes.data[k].vertex << 32 | c->nodes.data[k].front));
    return px_mix(hash ^ ((uint64_t)c->triangles.count << 32 | c->nodes.count)) | 1;
}

PxStatus px_skin_slits_update(PxSkinSlits *slits, const PxSkin *base, uint64_t hash,
                              const PxSolidMaps *maps, uint32_t body, const PxCracks *cracks,
                              double opacity, PxVec3 inside, PxArena *scratch)
{
    if (cracks->triangles.count == 0) {
        px_skin_slits_free(slits);
        return PX_OK;
    }
    hash = hash_of(cracks, hash);
    if (slits->hash == hash && slits->base == base)
        return PX_OK;
    px_skin_slits_free(slits);
    double cell = 0, support = 0, count = 0;
    uint32_t pieces = 1;
    for (uint32_t j = 0; j < maps->count; ++j)
        if (maps->body[j] == body) {
            cell += (double)maps->cell[j];
            support += (double)maps->rest[4 * (size_t)j + 3];
            pieces = maps->piece[j] + 1 > pieces ? maps->piece[j] + 1 : pieces;
            ++count;
        }
    if (!(count > 0))
        return PX_OK;
    cell /= count;
    support /= count;
    PxVec3 origin = maps->rest_origin != NULL ? maps->rest_origin[body] : px_vec(0, 0, 0);
    PxVec3 shift = px_sub(origin, base->rest_origin);
    PxArenaMark mark = px_arena_mark(scratch);
    Build b = {
        .base = base, .column = px_skin_columns(base), .sheets = &slits->sheets, .cell = cell};
    PxStatus status =
        px_skin_sheets_make(&slits->sheets, cracks, body, shift, 0.5 * opacity * support, cell);
    const double shade[3] = {inside.x, inside.y, inside.z};
    for (int k = 0; k < 3; ++k)
        b.colour[k] = inside.x + inside.y + inside.z > 0 ? (float)shade[k] : 1.0f;
    if (status == PX_OK && base->triangles == 0)
        status = make_discs(&b, scratch, &slits->skin);
    if (status == PX_OK && base->triangles > 0 && pieces > 1)
        status = sort_faces(&b, maps, body, shift, scratch);
    if (status == PX_OK && base->triangles > 0)
        status = make_slits(&b, pieces, &slits->skin);
    if (status == PX_OK)
        status = px_skin_sheets_plane(&slits->sheets);
    px_arena_release(scratch, mark);
    if (status != PX_OK) {
        px_skin_slits_free(slits);
        return status;
    }
    if (slits->skin != NULL)
        slits->skin->sheets = &slits->sheets;
    slits->base = base;
    slits->hash = hash;
    return PX_OK;
}
