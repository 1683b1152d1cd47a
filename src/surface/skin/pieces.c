#include "surface/skin/pieces.h"

#include "base/random.h"
#include "shape/mesh_tree.h"
#include "surface/mesh/isosurface.h"
#include "surface/skin/skin_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths are in units of a particle's cell, the cube of its volume. */
#define SIGMA 0.5      /* sigma of pieces.h */
#define REACH 2.0      /* particles farther away than this are left out of the sums p_k */
#define STEP 0.5       /* distance of the grid's nodes, in units of the smallest cell */
#define MOST_NODES 2e7 /* a grid of more nodes is made coarser */
#define FAR 2.0f       /* g is cut off at this distance */

/* A particle of the body. */
typedef struct Member {
    PxVec3 at; /* in the coordinates of the skin */
    double cell;
    uint32_t piece;
} Member;

/* Nodes [low, high) of the grid, along each axis. */
typedef struct Box {
    uint32_t low[3], high[3];
} Box;

typedef struct Build {
    PxSkinPieces *p;
    const PxSkin *whole;
    Member *member;
    uint32_t members;
    uint32_t pieces;
    double cell;          /* smallest */
    float *best, *second; /* strongest sums by node */
    uint32_t *winner, *next;
    PxMeshTree *tree;
    double rough;
} Build;

/* ---- members -------------------------------------------------------------------- */

/* Lists the particles of the body. */
static bool list_members(Build *b, const PxSolidMaps *maps, uint32_t body)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < maps->count; ++j)
        n += maps->body[j] == body;
    b->member = calloc((size_t)n + 1, sizeof *b->member);
    if (b->member == NULL)
        return false;
    PxVec3 origin = maps->rest_origin != NULL ? maps->rest_origin[body] : px_vec(0, 0, 0);
    PxVec3 shift = px_sub(origin, b->whole->rest_origin);
    b->cell = INFINITY;
    for (uint32_t j = 0; j < maps->count; ++j) {
        if (maps->body[j] != body)
            continue;
        const float *m = maps->rest + 4 * (size_t)j;
        Member *to = &b->member[b->members++];
        to->at = px_add(px_vec((double)m[0], (double)m[1], (double)m[2]), shift);
        to->cell = (double)maps->cell[j];
        to->piece = maps->piece[j];
        b->pieces = to->piece + 1 > b->pieces ? to->piece + 1 : b->pieces;
        b->cell = fmin(b->cell, to->cell);
    }
    return true;
}

/* Changes with the assignment of particles to pieces. */
static uint64_t hash_of(const Build *b)
{
    static_assert(sizeof(PxVec3) == 3 * sizeof(uint64_t), "three doubles");
    uint64_t hash = b->members;
    for (uint32_t k = 0; k < b->members; ++k) {
        uint64_t x[3];
        memcpy(x, &b->member[k].at, sizeof x);
        hash += px_mix(px_mix(px_mix(x[0] ^ (uint64_t)b->member[k].piece) ^ x[1]) ^ x[2]);
    }
    return hash;
}

/* ---- the grid -------------------------------------------------------------------- */

static size_t node_at(const PxSkinPieces *p, uint32_t x, uint32_t y, uint32_t z)
{
    return x + (size_t)p->nodes[0] * (y + (size_t)p->nodes[1] * z);
}

static PxVec3 place_of(const PxSkinPieces *p, uint32_t x, uint32_t y, uint32_t z)
{
    return px_add(p->origin, px_scale(px_vec(x, y, z), p->step));
}

static size_t node_count(const PxSkinPieces *p)
{
    return (size_t)p->nodes[0] * p->nodes[1] * p->nodes[2];
}

static void lay_grid(Build *b)
{
    PxSkinPieces *p = b->p;
    PxVec3 low = px_vec(INFINITY, INFINITY, INFINITY), high = px_scale(low, -1);
    for (uint32_t k = 0; k < b->members; ++k) {
        PxVec3 x = b->member[k].at;
        low = px_vec(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = px_vec(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    double wide[3] = {high.x - low.x, high.y - low.y, high.z - low.z}, more = 1.5 * b->cell;
    p->step = STEP * b->cell;
    for (;; p->step *= 1.25) {
        double all = 1;
        for (int k = 0; k < 3; ++k) {
            p->nodes[k] = (uint32_t)ceil(fmin((wide[k] + 2 * more) / p->step, 1e6)) + 2;
            all *= p->nodes[k];
        }
        if (all <= MOST_NODES)
            break;
    }
    /* an offset that puts no node on a face of a lattice */
    double off = more + 0.37 * p->step;
    p->origin = px_sub(low, px_vec(off, off, off));
}

typedef struct Depth {
    Build *build;
    float most;
} Depth;

static void depth_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Depth *d = user;
    PxSkinPieces *p = d->build->p;
    for (uint32_t z = begin; z < end; ++z)
        for (uint32_t y = 0; y < p->nodes[1]; ++y)
            for (uint32_t x = 0; x < p->nodes[0]; ++x) {
                PxVec3 at = place_of(p, x, y, z);
                PxMeshSpot spot;
                float far = d->most;
                if (px_mesh_tree_closest(d->build->tree, at, (double)d->most, &spot))
                    far = (float)spot.distance;
                p->depth[node_at(p, x, y, z)] =
                    px_mesh_tree_inside(d->build->tree, at) ? far : -far;
            }
}

/* The triangles of the body at rest. */
static PxStatus make_tree(Build *b)
{
    PxMesh *mesh;
    const PxSkin *w = b->whole;
    PxSkinColumns c = px_skin_columns(w);
    PX_TRY(px_mesh_create(w->base.count, w->triangles, 0, &mesh));
    for (uint32_t k = 0; k < w->base.count; ++k)
        mesh->position[k] =
            px_vec((double)c.rest[0][k], (double)c.rest[1][k], (double)c.rest[2][k]);
    memcpy(mesh->triangle, w->triangle, w->triangles * sizeof *mesh->triangle);
    PxStatus status = px_mesh_tree_create(mesh, &b->tree);
    px_mesh_free(mesh);
    return status;
}

/* Depth of all nodes below the surface of the body at rest. */
static PxStatus make_depth(Build *b, const PxThreads *threads)
{
    PX_TRY(make_tree(b));
    lay_grid(b);
    b->p->depth = malloc(node_count(b->p) * sizeof *b->p->depth);
    if (b->p->depth == NULL)
        return px_fail(PX_ERR_MEMORY, "skin: no room for %zu nodes", node_count(b->p));
    Depth depth = {b, (float)(2 * b->cell)};
    px_parallel_for(threads, b->p->nodes[2], 1, depth_block, &depth);
    return PX_OK;
}

/* ---- pieces ---------------------------------------------------------------------- */

static Box box_of(const Build *b, uint32_t piece)
{
    const PxSkinPieces *p = b->p;
    Box box = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};
    for (uint32_t k = 0; k < b->members; ++k) {
        if (b->member[k].piece != piece)
            continue;
        PxVec3 x = px_sub(b->member[k].at, p->origin);
        double at[3] = {x.x, x.y, x.z}, reach = REACH * b->member[k].cell;
        for (int a = 0; a < 3; ++a) {
            double low = floor((at[a] - reach) / p->step), high = ceil((at[a] + reach) / p->step);
            uint32_t first = low > 0 ? (uint32_t)low : 0;
            uint32_t last = high + 1 < p->nodes[a] ? (uint32_t)high + 1 : p->nodes[a];
            box.low[a] = first < box.low[a] ? first : box.low[a];
            box.high[a] = last > box.high[a] ? last : box.high[a];
        }
    }
    return box;
}

static size_t box_nodes(const Box *box)
{
    size_t n = 1;
    for (int a = 0; a < 3; ++a)
        n *= box->high[a] - box->low[a];
    return n;
}

static size_t in_box(const Box *box, uint32_t x, uint32_t y, uint32_t z)
{
    return (x - box->low[0]) +
           (size_t)(box->high[0] - box->low[0]) *
               ((y - box->low[1]) + (size_t)(box->high[1] - box->low[1]) * (z - box->low[2]));
}

/* The sums p_k of a piece in its box. */
static void sum_piece(const Build *b, uint32_t piece, const Box *box, float *sum)
{
    const PxSkinPieces *p = b->p;
    memset(sum, 0, box_nodes(box) * sizeof *sum);
    for (uint32_t k = 0; k < b->members; ++k) {
        const Member *m = &b->member[k];
        if (m->piece != piece)
            continue;
        PxVec3 x = px_sub(m->at, p->origin);
        double at[3] = {x.x, x.y, x.z}, reach = REACH * m->cell, sigma = SIGMA * m->cell;
        uint32_t low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            double first = ceil((at[a] - reach) / p->step), last = (at[a] + reach) / p->step;
            low[a] = first > 0 ? (uint32_t)first : 0;
            high[a] = last + 1 < p->nodes[a] ? (uint32_t)last + 1 : p->nodes[a];
        }
        for (uint32_t nz = low[2]; nz < high[2]; ++nz)
            for (uint32_t ny = low[1]; ny < high[1]; ++ny)
                for (uint32_t nx = low[0]; nx < high[0]; ++nx) {
                    PxVec3 way = px_sub(place_of(p, nx, ny, nz), m->at);
                    double r2 = px_dot(way, way);
                    if (r2 < reach * reach)
                        sum[in_box(box, nx, ny, nz)] += (float)exp(-r2 / (sigma * sigma));
                }
    }
}

/* Enters the sums of a piece into the two strongest of each node. */
static void enter(const Build *b, uint32_t piece, const Box *box, const float *sum)
{
    const PxSkinPieces *p = b->p;
    for (uint32_t z = box->low[2]; z < box->high[2]; ++z)
        for (uint32_t y = box->low[1]; y < box->high[1]; ++y)
            for (uint32_t x = box->low[0]; x < box->high[0]; ++x) {
                size_t n = node_at(p, x, y, z);
                float s = sum[in_box(box, x, y, z)];
                if (s > b->best[n]) {
                    b->second[n] = b->best[n];
                    b->next[n] = b->winner[n];
                    b->best[n] = s;
                    b->winner[n] = piece;
                } else if (s > b->second[n]) {
                    b->second[n] = s;
                    b->next[n] = piece;
                }
            }
}

/* Solid noise in -1 .. 1: hashed values at the nodes of a lattice of edge 1, interpolated. */
static double lattice_noise(PxVec3 x)
{
    double at[3] = {x.x, x.y, x.z}, part[3], sum = 0;
    int64_t low[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = (int64_t)floor(at[a]);
        double t = at[a] - (double)low[a];
        part[a] = t * t * (3 - 2 * t);
    }
    for (int k = 0; k < 8; ++k) {
        double w = 1;
        uint64_t id = 0;
        for (int a = 0; a < 3; ++a) {
            int up = k >> a & 1;
            w *= up ? part[a] : 1 - part[a];
            id = px_mix(id ^ (uint64_t)(low[a] + up));
        }
        sum += w * (2 * px_random_unit(id, 0, 0) - 1);
    }
    return sum;
}

/* Four octaves; the first has the wavelength of two cells. */
static double noise(PxVec3 at, double cell)
{
    double sum = 0, part = 0.5;
    for (int k = 0; k < 4; ++k, part *= 0.5)
        sum += part * lattice_noise(px_scale(at, pow(2, k) / (2 * cell)));
    return sum;
}

/* g_k of a node, with noise that two neighbours see with opposite signs. */
static float inner_of(const Build *b, uint32_t piece, size_t node, float own, PxVec3 at)
{
    bool won = b->winner[node] == piece;
    float other = won ? b->second[node] : b->best[node];
    uint32_t beside = won ? b->next[node] : b->winner[node];
    float far = FAR * (float)b->cell;
    if (!(own > 0.0f))
        return -far;
    if (!(other > 0.0f))
        return far;
    double g = 0.5 * SIGMA * SIGMA * b->cell * log((double)own / (double)other);
    if (b->rough > 0)
        g += (piece < beside ? 1 : -1) * b->rough * noise(at, b->cell);
    return fminf(fmaxf((float)g, -far), far);
}

/* A piece on the grid. */
typedef struct Piece {
    Box box;
    float *sum, *inner;
    PxMesh *mesh;
} Piece;

static PxStatus mesh_piece(const Build *b, uint32_t piece, Piece *out)
{
    const PxSkinPieces *p = b->p;
    const Box *box = &out->box;
    PxVolume volume = {.step = {{p->step, 0, 0}, {0, p->step, 0}, {0, 0, p->step}},
                       .origin = place_of(p, box->low[0], box->low[1], box->low[2])};
    for (int a = 0; a < 3; ++a)
        volume.samples[a] = box->high[a] - box->low[a];
    volume.value = malloc((box_nodes(box) + 1) * sizeof *volume.value);
    if (volume.value == NULL)
        return px_fail(PX_ERR_MEMORY, "skin: no room for %zu nodes", box_nodes(box));
    bool some = false;
    for (uint32_t z = box->low[2]; z < box->high[2]; ++z)
        for (uint32_t y = box->low[1]; y < box->high[1]; ++y)
            for (uint32_t x = box->low[0]; x < box->high[0]; ++x) {
                size_t n = node_at(p, x, y, z), k = in_box(box, x, y, z);
                out->inner[k] = inner_of(b, piece, n, out->sum[k], place_of(p, x, y, z));
                volume.value[k] = fminf(out->inner[k], p->depth[n]);
                some = some || volume.value[k] > 0.0f;
            }
    uint32_t parts;
    PxStatus status = PX_OK;
    if (some)
        status = px_isosurface("skin", &volume, 0, false, false, 1, &out->mesh, &parts);
    free(volume.value);
    return status;
}

/* Trilinear interpolation in the box of a piece: `inner`, or the depth for NULL. */
static double value_at(const Build *b, const Box *box, const float *inner, PxVec3 x)
{
    const PxSkinPieces *p = b->p;
    PxVec3 off = px_scale(px_sub(x, p->origin), 1 / p->step);
    double at[3] = {off.x, off.y, off.z}, part[3], sum = 0;
    uint32_t low[3];
    for (int a = 0; a < 3; ++a) {
        double first = fmin(fmax(floor(at[a]), box->low[a]), (double)box->high[a] - 2);
        low[a] = (uint32_t)fmax(first, 0);
        part[a] = fmin(fmax(at[a] - low[a], 0), 1);
    }
    for (int k = 0; k < 8; ++k) {
        uint32_t n[3];
        double w = 1;
        for (int a = 0; a < 3; ++a) {
            uint32_t up = k >> a & 1;
            n[a] = low[a] + up < box->high[a] ? low[a] + up : box->high[a] - 1;
            w *= up ? part[a] : 1 - part[a];
        }
        sum += w * (double)(inner != NULL ? inner[in_box(box, n[0], n[1], n[2])]
                                          : b->p->depth[node_at(p, n[0], n[1], n[2])]);
    }
    return sum;
}

/* The mesh of all pieces while it is collected. Vertices at the edge between inside and outside are
 * there twice, so that the edge is sharp. */
typedef struct Collected {
    PX_LIST(PxVec3) at;
    PX_LIST(uint32_t) piece;
    PX_LIST(uint8_t) inside;
    PX_LIST(uint32_t) triangle; /* 3 each */
} Collected;

static bool collect(const Build *b, uint32_t piece, const Piece *from, Collected *to)
{
    const PxMesh *mesh = from->mesh;
    uint32_t *at = malloc(2 * ((size_t)mesh->vertex_count + 1) * sizeof *at);
    bool good = at != NULL;
    for (size_t k = 0; good && k < 2 * (size_t)mesh->vertex_count; ++k)
        at[k] = UINT32_MAX;
    for (uint32_t t = 0; t < mesh->triangle_count && good; ++t) {
        PxVec3 middle = px_vec(0, 0, 0);
        for (int k = 0; k < 3; ++k)
            middle = px_mad(middle, px_mesh_corner(mesh, t, k), 1.0 / 3);
        uint32_t inside =
            value_at(b, &from->box, from->inner, middle) < value_at(b, &from->box, NULL, middle);
        good = PX_LIST_RESERVE(&to->triangle, 3);
        for (int k = 0; k < 3 && good; ++k) {
            uint32_t v = mesh->triangle[t][k], *now = &at[2 * (size_t)v + inside];
            if (*now == UINT32_MAX) {
                good = PX_LIST_RESERVE(&to->at, 1) && PX_LIST_RESERVE(&to->piece, 1) &&
                       PX_LIST_RESERVE(&to->inside, 1);
                if (!good)
                    break;
                *now = (uint32_t)to->at.count;
                to->at.data[to->at.count++] = mesh->position[v];
                to->piece.data[to->piece.count++] = piece;
                to->inside.data[to->inside.count++] = (uint8_t)inside;
            }
            to->triangle.data[to->triangle.count++] = *now;
        }
    }
    free(at);
    return good;
}

/* Are there colours or texture coordinates to take over? */
static bool has_paint(const PxSkin *whole)
{
    PxSkinColumns c = px_skin_columns(whole);
    for (uint32_t k = 0; k < whole->base.count && !whole->painted; ++k)
        if (c.uv[0][k] != 0.0f || c.uv[1][k] != 0.0f)
            return true;
    return whole->painted;
}

/* Parts of the corners of a triangle in a point of it. */
static void barycentric(PxVec3 p, const PxVec3 x[3], double part[3])
{
    PxVec3 n = px_cross(px_sub(x[1], x[0]), px_sub(x[2], x[0]));
    double whole = px_dot(n, n);
    part[0] = part[1] = part[2] = 1.0 / 3;
    if (!(whole > 0))
        return;
    part[1] = px_dot(n, px_cross(px_sub(p, x[0]), px_sub(x[2], x[0]))) / whole;
    part[2] = px_dot(n, px_cross(px_sub(x[1], x[0]), px_sub(p, x[0]))) / whole;
    part[0] = 1 - part[1] - part[2];
}

/* Gives a point the colour and the texture coordinates of the nearest point of the whole skin. */
static void paint_point(const Build *b, const PxMeshTree *tree, PxSkinColumns to, uint32_t k,
                        PxVec3 at)
{
    PxMeshSpot spot;
    if (!px_mesh_tree_closest(tree, at, INFINITY, &spot))
        return;
    PxSkinColumns from = px_skin_columns(b->whole);
    const uint32_t *v = b->whole->triangle[spot.triangle];
    PxVec3 x[3];
    double part[3], colour[3] = {0, 0, 0}, uv[2] = {0, 0};
    for (int n = 0; n < 3; ++n)
        x[n] = px_vec((double)from.rest[0][v[n]], (double)from.rest[1][v[n]],
                      (double)from.rest[2][v[n]]);
    barycentric(spot.point, x, part);
    for (int n = 0; n < 3; ++n) {
        for (int c = 0; c < 3; ++c)
            colour[c] += part[n] * (double)from.colour[c][v[n]];
        for (int c = 0; c < 2; ++c)
            uv[c] += part[n] * (double)from.uv[c][v[n]];
    }
    for (int c = 0; c < 3; ++c)
        to.colour[c][k] = (float)colour[c];
    for (int c = 0; c < 2; ++c)
        to.uv[c][k] = (float)uv[c];
}

/* Colours and texture coordinates of the pieces: outside those of the whole skin; the faces of
 * cracks are white, unless skins.c gives them a colour. */
static PxStatus paint_pieces(Build *b, PxSkin *skin, const Collected *c)
{
    PxSkinColumns to = px_skin_columns(skin);
    for (uint32_t k = 0; k < skin->base.count; ++k)
        to.colour[0][k] = to.colour[1][k] = to.colour[2][k] = 1.0f;
    skin->painted = b->whole->painted;
    if (!has_paint(b->whole))
        return PX_OK;
    if (b->tree == NULL)
        PX_TRY(make_tree(b));
    for (uint32_t k = 0; k < skin->base.count; ++k)
        if (!skin->inside[k])
            paint_point(b, b->tree, to, k, c->at.data[k]);
    return PX_OK;
}

/* The collected mesh as a skin. */
static PxStatus make_skin(Build *b, const Collected *c, PxSkin **out)
{
    size_t n = c->at.count, triangles = c->triangle.count / 3;
    PxSkin *skin;
    PX_TRY(px_skin_new(b->whole->allocator, n, &skin));
    skin->rest_origin = b->whole->rest_origin;
    skin->triangles = (uint32_t)triangles;
    skin->triangle = malloc((triangles + 1) * sizeof *skin->triangle);
    skin->piece = px_allocate(skin->allocator, (n + 1) * sizeof *skin->piece);
    skin->inside = px_allocate(skin->allocator, n + 1);
    PxVec3 *normal = calloc(n + 1, sizeof *normal);
    PxStatus status = PX_OK;
    if (skin->triangle == NULL || skin->piece == NULL || skin->inside == NULL || normal == NULL)
        status = px_fail(PX_ERR_MEMORY, "skin: no room for %zu points", n);
    for (size_t t = 0; status == PX_OK && t < triangles; ++t) {
        const uint32_t *v = c->triangle.data + 3 * t;
        PxVec3 x = c->at.data[v[0]];
        PxVec3 area = px_cross(px_sub(c->at.data[v[1]], x), px_sub(c->at.data[v[2]], x));
        for (int k = 0; k < 3; ++k) {
            skin->triangle[t][k] = v[k];
            normal[v[k]] = px_add(normal[v[k]], area);
        }
    }
    for (size_t k = 0; status == PX_OK && k < n; ++k) {
        skin->piece[k] = c->piece.data[k];
        skin->inside[k] = c->inside.data[k];
        px_skin_set_point(skin, (uint32_t)k, px_add(c->at.data[k], skin->rest_origin), normal[k],
                          b->p->step);
    }
    free(normal);
    if (status == PX_OK)
        status = paint_pieces(b, skin, c);
    if (status == PX_OK)
        status = px_skin_make_shown(skin);
    if (status != PX_OK)
        px_skin_free(skin);
    else
        *out = skin;
    return status;
}

static PxStatus make_pieces(Build *b, PxSkin **out)
{
    size_t nodes = node_count(b->p);
    Piece *piece = calloc((size_t)b->pieces + 1, sizeof *piece);
    b->best = calloc(nodes, sizeof *b->best);
    b->second = calloc(nodes, sizeof *b->second);
    b->winner = calloc(nodes, sizeof *b->winner);
    b->next = calloc(nodes, sizeof *b->next);
    Collected all = {0};
    bool good = piece != NULL && b->best != NULL && b->second != NULL && b->winner != NULL &&
                b->next != NULL;
    PxStatus status = PX_OK;
    for (uint32_t k = 0; k < b->pieces && good; ++k) {
        piece[k].box = box_of(b, k);
        piece[k].sum = malloc((box_nodes(&piece[k].box) + 1) * sizeof(float));
        piece[k].inner = malloc((box_nodes(&piece[k].box) + 1) * sizeof(float));
        good = piece[k].sum != NULL && piece[k].inner != NULL;
        if (!good)
            break;
        sum_piece(b, k, &piece[k].box, piece[k].sum);
        enter(b, k, &piece[k].box, piece[k].sum);
    }
    for (uint32_t k = 0; k < b->pieces && good && status == PX_OK; ++k) {
        status = mesh_piece(b, k, &piece[k]);
        if (status == PX_OK && piece[k].mesh != NULL)
            good = collect(b, k, &piece[k], &all);
        px_mesh_free(piece[k].mesh);
    }
    if (!good)
        status = px_fail(PX_ERR_MEMORY, "skin: no room for %u pieces", b->pieces);
    if (status == PX_OK)
        status = make_skin(b, &all, out);
    for (uint32_t k = 0; piece != NULL && k < b->pieces; ++k) {
        free(piece[k].sum);
        free(piece[k].inner);
    }
    free(piece);
    free(b->best);
    free(b->second);
    free(b->winner);
    free(b->next);
    PX_LIST_FREE(&all.at);
    PX_LIST_FREE(&all.piece);
    PX_LIST_FREE(&all.inside);
    PX_LIST_FREE(&all.triangle);
    return status;
}

/* ---- interface ---------------------------------------------------------------------- */

void px_skin_pieces_free(PxSkinPieces *p)
{
    px_skin_free(p->skin);
    free(p->depth);
    *p = (PxSkinPieces){.skin = NULL};
}

PxStatus px_skin_pieces_update(PxSkinPieces *p, const PxSkin *whole, const PxSolidMaps *maps,
                               uint32_t body, double rough, const PxThreads *threads)
{
    if (whole->triangles == 0 || (p->version == maps->version && p->hash != 0))
        return PX_OK;
    Build b = {.p = p, .whole = whole, .rough = rough};
    PxStatus status = PX_OK;
    PxSkin *skin = NULL;
    if (!list_members(&b, maps, body))
        status = px_fail(PX_ERR_MEMORY, "skin: no room for its particles");
    uint64_t hash = status == PX_OK ? hash_of(&b) | 1 : 0;
    bool same = status == PX_OK && hash == p->hash;
    if (status == PX_OK && !same && b.pieces > 1) {
        if (p->depth == NULL)
            status = make_depth(&b, threads);
        if (status == PX_OK)
            status = make_pieces(&b, &skin);
    }
    if (status == PX_OK && !same) {
        px_skin_free(p->skin);
        p->skin = skin;
        p->hash = hash;
    }
    if (status == PX_OK)
        p->version = maps->version;
    px_mesh_tree_free(b.tree);
    free(b.member);
    return status;
}
