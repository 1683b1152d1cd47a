/* Poisson-disk sampling of a surface.
 *
 * Candidates cover the surface so densely that no surface point is further than 0.2
 * spacings from one. Samples at least APART spacings from each other are chosen from
 * them, until every candidate is nearer than that to a sample. So the minimum distance
 * holds by construction, and no surface point is further than APART + 0.2 = 1 spacing
 * from a sample.
 *
 * The next sample is always the candidate nearest to the oldest sample that still has
 * free candidates around it: the set grows outwards like a crystal and packs more
 * evenly than random dart throwing. Corners are sampled first, then edges, then faces,
 * so that sharp features are kept.
 *
 * Candidates are processed in batches, so memory grows with the number of samples and
 * not with that of candidates.
 */
#include "base/memory.h"
#include "base/random.h"
#include "shape/keys.h"
#include "shape/shape_inner.h"

#include <stdlib.h>
#include <string.h>

#define APART 0.8
/* Edge of the square cells with one candidate each, jittered by up to JITTER about the
 * centre in both directions: at most sqrt(2) (CELL / 2 + JITTER) = 0.198 spacings from
 * any point of the cell. */
#define CELL 0.2
#define JITTER 0.04
/* Distance of candidates along the sharp edges of a mesh, spacings. */
#define EDGE_STEP 0.1

/* Radius in which a sample searches for its successors, in minimum distances; also the
 * cell edge of the search grid. */
#define REACH 1.3

/* Samples per spacing^2 of area, measured on large faces, boxes and balls. */
#define DENSITY 1.25
/* Shapes whose estimate exceeds the limit by more than this factor are refused at once;
 * a surface with details finer than the spacing takes fewer samples than its area
 * suggests. */
#define ESTIMATE_SLACK 4.0

#define BATCH (1u << 20)

/* Mesh edges with a larger angle between their faces are sharp: cos 30 degrees. */
#define SHARP_COS 0.8660254037844386

#define NONE UINT32_MAX

typedef struct Candidate {
    PxVec3 position; /* in the shape's own frame */
    float normal[3];
    uint32_t cell;
} Candidate;

/* A cell of the search grid. */
typedef struct Cell {
    uint32_t first_point; /* chosen points, linked through `next` */
    uint32_t begin, end;  /* candidates of this batch */
    uint32_t near_count;  /* cells around it that exist, itself among them */
    size_t near_begin;    /* where they are listed, if there are candidates */
} Cell;

typedef struct Cover {
    const PxShape *shape;
    double spacing, apart2, reach2, cell_edge;
    size_t most;
    PxStatus status; /* sticky */
    uint64_t serial; /* of the next candidate, for its jitter */

    PX_LIST(Candidate) batch;  /* as they come */
    PX_LIST(Candidate) sorted; /* the same by cell: those near each other are read together */
    PX_LIST(uint8_t) dead;     /* of the sorted: chosen, or too near to a chosen one */

    PX_LIST(PxVec3) point; /* chosen so far */
    PX_LIST(PxVec3) normal;
    PX_LIST(uint32_t) home; /* cell of a point */
    PX_LIST(uint32_t) next; /* point of the same cell */
    PX_LIST(uint32_t) queue;
    size_t queue_head;

    PxKeys keys; /* numbers the cells */
    PX_LIST(Cell) cell;
    PX_LIST(uint32_t) near; /* lists of cells */
} Cover;

static void fail_memory(Cover *c)
{
    if (c->status == PX_OK)
        c->status = px_fail(PX_ERR_MEMORY, "%s: no room for %zu points covering it",
                            px_shape_kind_name(c->shape->kind), c->point.count);
}

/* ---- the search grid ---- */

static PxKey key_of(const Cover *c, PxVec3 p)
{
    PxVec3 low = c->shape->own_bounds.low;
    return (PxKey){{(uint64_t)(int64_t)floor((p.x - low.x) / c->cell_edge),
                    (uint64_t)(int64_t)floor((p.y - low.y) / c->cell_edge),
                    (uint64_t)(int64_t)floor((p.z - low.z) / c->cell_edge)}};
}

static uint32_t cell_at(Cover *c, PxVec3 p)
{
    uint32_t number = px_keys_add(&c->keys, key_of(c, p));
    if (number == PX_KEY_NONE || !PX_LIST_RESERVE(&c->cell, 1)) {
        fail_memory(c);
        return NONE;
    }
    if (number == c->cell.count)
        c->cell.data[c->cell.count++] = (Cell){NONE, 0, 0, 0, 0};
    return number;
}

/* Caches the neighbouring cells of a cell once per batch, as every point in it needs
 * them. */
static void list_cells_around(Cover *c, uint32_t number)
{
    if (!PX_LIST_RESERVE(&c->near, 27)) {
        fail_memory(c);
        return;
    }
    PxKey key = c->keys.key[number];
    size_t begin = c->near.count;
    for (int64_t z = -1; z <= 1; ++z)
        for (int64_t y = -1; y <= 1; ++y)
            for (int64_t x = -1; x <= 1; ++x) {
                PxKey beside = {{key.word[0] + (uint64_t)x, key.word[1] + (uint64_t)y,
                                 key.word[2] + (uint64_t)z}};
                uint32_t other = px_keys_find(&c->keys, beside);
                if (other != PX_KEY_NONE)
                    c->near.data[c->near.count++] = other;
            }
    c->cell.data[number].near_begin = begin;
    c->cell.data[number].near_count = (uint32_t)(c->near.count - begin);
}

static double apart2(PxVec3 a, PxVec3 b)
{
    PxVec3 d = px_sub(a, b);
    return px_dot(d, d);
}

/* ---- choosing ---- */

static void choose(Cover *c, uint32_t candidate)
{
    if (c->point.count >= c->most) {
        c->status = px_fail(PX_ERR_MEMORY,
                            "%s: covering it with a spacing of %g m takes more than the %zu points "
                            "allowed, about %.3g",
                            px_shape_kind_name(c->shape->kind), c->spacing, c->most,
                            px_shape_cover_estimate(c->shape, c->spacing));
        return;
    }
    if (c->point.count >= NONE || !PX_LIST_RESERVE(&c->point, 1) ||
        !PX_LIST_RESERVE(&c->normal, 1) || !PX_LIST_RESERVE(&c->home, 1) ||
        !PX_LIST_RESERVE(&c->next, 1) || !PX_LIST_RESERVE(&c->queue, 1)) {
        fail_memory(c);
        return;
    }
    const Candidate *chosen = &c->sorted.data[candidate];
    uint32_t self = (uint32_t)c->point.count;
    Cell *home = &c->cell.data[chosen->cell];
    c->point.data[c->point.count++] = chosen->position;
    c->normal.data[c->normal.count++] =
        px_vec(chosen->normal[0], chosen->normal[1], chosen->normal[2]);
    c->home.data[c->home.count++] = chosen->cell;
    c->next.data[c->next.count++] = home->first_point;
    home->first_point = self;
    c->queue.data[c->queue.count++] = self;
    c->dead.data[candidate] = 1;

    for (uint32_t k = 0; k < home->near_count; ++k) {
        const Cell *cell = &c->cell.data[c->near.data[home->near_begin + k]];
        for (uint32_t s = cell->begin; s < cell->end; ++s) {
            if (apart2(c->sorted.data[s].position, chosen->position) < c->apart2)
                c->dead.data[s] = 1;
        }
    }
}

/* Free candidates around a sample, nearest first; those that do not fit are left to
 * other samples or to the last round. */
#define FREE_MOST 256
typedef struct Free {
    double distance2[FREE_MOST];
    uint32_t candidate[FREE_MOST];
    int count;
} Free;

static void free_around(const Cover *c, uint32_t point, Free *out)
{
    const Cell *home = &c->cell.data[c->home.data[point]];
    PxVec3 p = c->point.data[point];
    out->count = 0;
    for (uint32_t k = 0; k < home->near_count; ++k) {
        const Cell *cell = &c->cell.data[c->near.data[home->near_begin + k]];
        for (uint32_t s = cell->begin; s < cell->end; ++s) {
            if (c->dead.data[s])
                continue;
            double d2 = apart2(c->sorted.data[s].position, p);
            if (d2 > c->reach2 || out->count == FREE_MOST)
                continue;
            int at = out->count++; /* kept sorted; ties stay in their order */
            for (; at > 0 && out->distance2[at - 1] > d2; --at) {
                out->distance2[at] = out->distance2[at - 1];
                out->candidate[at] = out->candidate[at - 1];
            }
            out->distance2[at] = d2;
            out->candidate[at] = s;
        }
    }
}

/* Sorts the batch into the grid. */
static void sort_batch(Cover *c)
{
    size_t count = c->batch.count;
    c->sorted.count = c->dead.count = 0;
    if (!PX_LIST_RESERVE(&c->sorted, count) || !PX_LIST_RESERVE(&c->dead, count)) {
        fail_memory(c);
        return;
    }
    c->sorted.count = c->dead.count = count;
    memset(c->dead.data, 0, count);
    for (size_t k = 0; k < c->cell.count; ++k)
        c->cell.data[k].begin = c->cell.data[k].end = 0;
    for (size_t k = 0; k < count; ++k)
        ++c->cell.data[c->batch.data[k].cell].end;
    uint32_t sum = 0;
    for (size_t k = 0; k < c->cell.count; ++k) {
        Cell *cell = &c->cell.data[k];
        uint32_t size = cell->end;
        cell->begin = cell->end = sum;
        sum += size;
    }
    for (size_t k = 0; k < count; ++k)
        c->sorted.data[c->cell.data[c->batch.data[k].cell].end++] = c->batch.data[k];
}

/* Removes candidates too near to samples of earlier batches, and queues those samples
 * first. */
static void meet_earlier_points(Cover *c)
{
    uint8_t *here = calloc(c->point.count + 1, 1);
    if (here == NULL || !PX_LIST_RESERVE(&c->queue, c->point.count))
        fail_memory(c);
    c->near.count = c->queue.count = c->queue_head = 0;
    for (uint32_t k = 0; c->status == PX_OK && k < c->cell.count; ++k) {
        Cell *cell = &c->cell.data[k];
        cell->near_count = 0;
        if (cell->begin == cell->end && cell->first_point == NONE)
            continue;
        list_cells_around(c, k);
        for (uint32_t n = 0; cell->begin < cell->end && n < cell->near_count; ++n) {
            const Cell *beside = &c->cell.data[c->near.data[cell->near_begin + n]];
            for (uint32_t p = beside->first_point; p != NONE; p = c->next.data[p]) {
                here[p] = 1;
                for (uint32_t s = cell->begin; s < cell->end; ++s)
                    if (apart2(c->sorted.data[s].position, c->point.data[p]) < c->apart2)
                        c->dead.data[s] = 1;
            }
        }
    }
    for (uint32_t p = 0; c->status == PX_OK && p < c->point.count; ++p)
        if (here[p])
            c->queue.data[c->queue.count++] = p;
    free(here);
}

/* Chooses samples until no candidate of the batch is free, and empties the batch. */
static void finish_batch(Cover *c)
{
    if (c->status == PX_OK && c->batch.count > 0)
        sort_batch(c);
    if (c->status == PX_OK && c->batch.count > 0)
        meet_earlier_points(c);
    Free around;
    for (uint32_t seed = 0; c->status == PX_OK && seed < c->batch.count; ++seed) {
        while (c->status == PX_OK && c->queue_head < c->queue.count) {
            free_around(c, c->queue.data[c->queue_head++], &around);
            for (int k = 0; c->status == PX_OK && k < around.count; ++k)
                if (!c->dead.data[around.candidate[k]])
                    choose(c, around.candidate[k]);
        }
        if (c->status == PX_OK && !c->dead.data[seed])
            choose(c, seed);
    }
    c->batch.count = 0;
}

static void offer(Cover *c, PxVec3 position, PxVec3 normal)
{
    if (c->batch.count >= BATCH)
        finish_batch(c);
    if (c->status != PX_OK)
        return;
    if (!PX_LIST_RESERVE(&c->batch, 1)) {
        fail_memory(c);
        return;
    }
    uint32_t cell = cell_at(c, position);
    if (cell != NONE)
        c->batch.data[c->batch.count++] =
            (Candidate){position, {(float)normal.x, (float)normal.y, (float)normal.z}, cell};
}

/* Random offset of a candidate from the centre of its cell, m. */
static double jitter(const Cover *c, uint64_t which)
{
    return (2 * px_random_unit(c->serial, which, 0) - 1) * JITTER * c->spacing;
}

/* ---- boxes ---- */

/* Corners k with bit a of k set lie on the high side of axis a. */
static PxVec3 box_corner(PxVec3 half, int k)
{
    return px_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
}

static PxVec3 diagonal(PxVec3 v)
{
    return px_normalized(v, px_vec(0, 1, 0));
}

static void box_edge(Cover *c, PxVec3 from, PxVec3 to, PxVec3 normal)
{
    double length = px_length(px_sub(to, from));
    double pieces = floor(length / (APART * c->spacing) * (1 + 1e-12));
    for (double k = 1; k < pieces && c->status == PX_OK; ++k)
        offer(c, px_mad(from, px_sub(to, from), k / pieces), normal);
}

static void box_face(Cover *c, PxVec3 corner, PxVec3 u, PxVec3 v, PxVec3 normal)
{
    double lu = px_length(u), lv = px_length(v);
    double nu = ceil(lu / (CELL * c->spacing)), nv = ceil(lv / (CELL * c->spacing));
    for (double i = 0; i < nu && c->status == PX_OK; ++i)
        for (double j = 0; j < nv && c->status == PX_OK; ++j, ++c->serial) {
            double s = fmin(fmax((i + 0.5) / nu * lu + jitter(c, 0), 0), lu);
            double t = fmin(fmax((j + 0.5) / nv * lv + jitter(c, 1), 0), lv);
            offer(c, px_mad(px_mad(corner, u, s / lu), v, t / lv), normal);
        }
}

static void cover_box(Cover *c)
{
    PxVec3 half = c->shape->primitive.half;
    for (int k = 0; k < 8; ++k)
        offer(c, box_corner(half, k), diagonal(box_corner(px_vec(1, 1, 1), k)));
    finish_batch(c);
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 8; ++k) {
            if (k & 1 << axis)
                continue;
            PxVec3 a = box_corner(px_vec(1, 1, 1), k);
            PxVec3 b = box_corner(px_vec(1, 1, 1), k | 1 << axis);
            box_edge(c, box_corner(half, k), box_corner(half, k | 1 << axis),
                     diagonal(px_add(a, b)));
        }
    finish_batch(c);
    for (int axis = 0; axis < 3; ++axis)
        for (int high = 0; high < 2; ++high) {
            int k = high << axis, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3;
            PxVec3 corner = box_corner(half, k);
            PxVec3 normal = px_vec(axis == 0, axis == 1, axis == 2);
            box_face(c, corner, px_sub(box_corner(half, k | u), corner),
                     px_sub(box_corner(half, k | v), corner), px_scale(normal, high ? 1 : -1));
        }
}

/* ---- solids of revolution ---- */

/* A segment of the profile: straight, or an arc about a centre on the axis that does
 * not cross the height of its centre. */
typedef struct Piece {
    bool arc;
    double r0, y0, r1, y1;     /* straight: from, to */
    double centre, radius;     /* arc */
    double from, to;           /* arc: angles above the level, rad */
    double normal_r, normal_y; /* straight: outwards */
} Piece;

static double piece_length(const Piece *p)
{
    return p->arc ? p->radius * (p->to - p->from) : hypot(p->r1 - p->r0, p->y1 - p->y0);
}

/* Radius, height and normal at `part` of the way. */
static void piece_at(const Piece *p, double part, double *r, double *y, double *nr, double *ny)
{
    if (p->arc) {
        double angle = p->from + part * (p->to - p->from);
        *nr = cos(angle);
        *ny = sin(angle);
        *r = fmax(p->radius * *nr, 0);
        *y = p->centre + p->radius * *ny;
    } else {
        *nr = p->normal_r;
        *ny = p->normal_y;
        *r = p->r0 + part * (p->r1 - p->r0);
        *y = p->y0 + part * (p->y1 - p->y0);
    }
}

static PxVec3 around_axis(double r, double y, double angle)
{
    return px_vec(r * cos(angle), y, r * sin(angle));
}

static void cover_piece(Cover *c, const Piece *piece)
{
    double length = piece_length(piece), rings = ceil(length / (CELL * c->spacing));
    for (double i = 0; i < rings && c->status == PX_OK; ++i) {
        double r, y, nr, ny, r0, r1;
        piece_at(piece, i / rings, &r0, &y, &nr, &ny);
        piece_at(piece, (i + 1) / rings, &r1, &y, &nr, &ny);
        double widest = fmax(r0, r1); /* pieces widen or narrow, arcs too */
        double count = fmax(1, ceil(2 * M_PI * widest / (CELL * c->spacing)));
        for (double j = 0; j < count && c->status == PX_OK; ++j, ++c->serial) {
            double part = ((i + 0.5) + jitter(c, 0) * rings / length) / rings;
            piece_at(piece, fmin(fmax(part, 0), 1), &r, &y, &nr, &ny);
            double turn = 2 * M_PI * (j + 0.5) / count;
            turn += r > 0 ? jitter(c, 1) / fmax(r, 0.1 * widest) : 0;
            offer(c, around_axis(r, y, turn), around_axis(nr, ny, turn));
        }
    }
}

/* A sharp circle, or a tip where the radius is 0. Equal steps, as many as the minimum
 * distance allows, measured along chords. */
static void cover_rim(Cover *c, double r, double y, double nr, double ny)
{
    double length = hypot(nr, ny), chord = APART * c->spacing * (1 + 1e-12);
    double count = chord < 2 * r ? floor(M_PI / asin(chord / (2 * r))) : 1;
    if (r == 0)
        nr = 0;
    if (r == 0 || !(length > 0))
        length = 1;
    for (double k = 0; k < count && c->status == PX_OK; ++k) {
        double turn = 2 * M_PI * k / count;
        PxVec3 normal = around_axis(nr / length, ny / length, turn);
        offer(c, around_axis(r, y, turn), px_normalized(normal, px_vec(0, y < 0 ? -1 : 1, 0)));
    }
}

static void cover_profile(Cover *c, const PxProfile *profile)
{
    Piece piece[4];
    int pieces = px_profile_pieces(profile);
    for (int k = 0; k < pieces; ++k) {
        int next = (k + 1) % profile->corners;
        Piece p = {.r0 = profile->r[k], .y0 = profile->y[k]};
        p.r1 = profile->r[next];
        p.y1 = profile->y[next];
        double length = piece_length(&p);
        p.normal_r = length > 0 ? (p.y1 - p.y0) / length : 0;
        p.normal_y = length > 0 ? (p.r0 - p.r1) / length : 0;
        piece[k] = p;
    }
    for (int k = profile->closed ? 0 : 1; k < pieces; ++k) {
        const Piece *before = &piece[(k + pieces - 1) % pieces], *after = &piece[k];
        cover_rim(c, after->r0, after->y0, before->normal_r + after->normal_r,
                  before->normal_y + after->normal_y);
    }
    finish_batch(c);
    for (int k = 0; k < pieces; ++k)
        if (piece_length(&piece[k]) > 0)
            cover_piece(c, &piece[k]);
}

static void cover_round(Cover *c, double radius, double height)
{
    double y = 0.5 * height;
    Piece below = {.arc = true, .centre = -y, .radius = radius, .from = -M_PI / 2, .to = 0};
    Piece above = {.arc = true, .centre = y, .radius = radius, .from = 0, .to = M_PI / 2};
    Piece side = {.r0 = radius, .y0 = -y, .r1 = radius, .y1 = y, .normal_r = 1};
    cover_piece(c, &below);
    if (height > 0)
        cover_piece(c, &side);
    cover_piece(c, &above);
}

/* ---- meshes ---- */

static PxVec3 face_normal(const PxMesh *mesh, uint32_t t)
{
    PxVec3 a = px_mesh_corner(mesh, t, 0);
    PxVec3 across =
        px_cross(px_sub(px_mesh_corner(mesh, t, 1), a), px_sub(px_mesh_corner(mesh, t, 2), a));
    return px_normalized(across, px_vec(0, 0, 0));
}

static bool is_flat(const PxMesh *mesh, uint32_t t)
{
    return px_mesh_triangle_is_flat(px_mesh_corner(mesh, t, 0), px_mesh_corner(mesh, t, 1),
                                    px_mesh_corner(mesh, t, 2));
}

/* Sharp features of a mesh; edges and vertices are welded. */
typedef struct Sharp {
    uint32_t *weld;    /* first vertex at the same place */
    uint32_t *edge_of; /* 3 t + k -> edge */
    uint32_t edges;
    uint32_t (*ends)[2]; /* by edge */
    PxVec3 *edge_sum;    /* normals of the faces at an edge, added */
    uint8_t *sharp;      /* by edge */
    PxVec3 *vertex_sum;  /* normals of the faces at a vertex, added */
    PxVec3 *direction;   /* of the sharp edges at a vertex, outwards, added */
    uint32_t *sharp_at;  /* sharp edges at a vertex */
} Sharp;

static void sharp_free(Sharp *s)
{
    free(s->weld);
    free(s->edge_of);
    free(s->ends);
    free(s->edge_sum);
    free(s->sharp);
    free(s->vertex_sum);
    free(s->direction);
    free(s->sharp_at);
}

static PxStatus sharp_find(const PxMesh *mesh, Sharp *s)
{
    size_t vertices = mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
    s->weld = malloc(vertices * sizeof *s->weld);
    s->edge_of = malloc(corners * sizeof *s->edge_of);
    s->vertex_sum = calloc(vertices, sizeof *s->vertex_sum);
    s->direction = calloc(vertices, sizeof *s->direction);
    s->sharp_at = calloc(vertices, sizeof *s->sharp_at);
    if (s->weld == NULL || s->edge_of == NULL || s->vertex_sum == NULL || s->direction == NULL ||
        s->sharp_at == NULL)
        return px_fail(PX_ERR_MEMORY, "mesh: no room to look for sharp edges");
    PX_TRY(px_mesh_weld(mesh, s->weld));
    PX_TRY(px_mesh_edges(mesh, s->weld, s->edge_of, &s->edges));
    s->ends = calloc((size_t)s->edges + 1, sizeof *s->ends);
    s->edge_sum = calloc((size_t)s->edges + 1, sizeof *s->edge_sum);
    s->sharp = calloc((size_t)s->edges + 1, sizeof *s->sharp);
    if (s->ends == NULL || s->edge_sum == NULL || s->sharp == NULL)
        return px_fail(PX_ERR_MEMORY, "mesh: no room to look for sharp edges");

    /* An edge is sharp if the normals of its faces differ: each face is compared with the
     * sum of those before it. Degenerate faces have no normal and are skipped. */
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (is_flat(mesh, t))
            continue;
        PxVec3 normal = face_normal(mesh, t);
        for (int k = 0; k < 3; ++k) {
            uint32_t a = s->weld[mesh->triangle[t][k]];
            uint32_t b = s->weld[mesh->triangle[t][(k + 1) % 3]];
            uint32_t e = s->edge_of[3 * (size_t)t + (size_t)k];
            s->vertex_sum[a] = px_add(s->vertex_sum[a], normal);
            if (e == UINT32_MAX)
                continue;
            s->ends[e][0] = a < b ? a : b;
            s->ends[e][1] = a < b ? b : a;
            double length = px_length(s->edge_sum[e]);
            if (length > 0 && px_dot(s->edge_sum[e], normal) < SHARP_COS * length)
                s->sharp[e] = 1;
            s->edge_sum[e] = px_add(s->edge_sum[e], normal);
        }
    }
    for (uint32_t e = 0; e < s->edges; ++e) {
        if (!s->sharp[e])
            continue;
        uint32_t a = s->ends[e][0], b = s->ends[e][1];
        PxVec3 along = px_normalized(px_sub(mesh->position[b], mesh->position[a]), px_vec(0, 0, 0));
        s->direction[a] = px_add(s->direction[a], along);
        s->direction[b] = px_sub(s->direction[b], along);
        ++s->sharp_at[a];
        ++s->sharp_at[b];
    }
    return PX_OK;
}

/* True where sharp edges end, meet or turn by more than 30 degrees. */
static bool is_corner(const Sharp *s, uint32_t v)
{
    if (s->sharp_at[v] == 0)
        return false;
    if (s->sharp_at[v] != 2)
        return true;
    /* Two unit vectors at an angle of 180 - x degrees add up to 2 sin(x / 2). */
    return px_length(s->direction[v]) > 2 * 0.25881904510252074;
}

static PxVec3 either_normal(PxVec3 sum)
{
    return px_normalized(sum, px_vec(0, 1, 0));
}

static void cover_sharp(Cover *c)
{
    const PxMesh *mesh = c->shape->mesh;
    Sharp s = {0};
    PxStatus status = sharp_find(mesh, &s);
    if (status != PX_OK) {
        c->status = status;
        sharp_free(&s);
        return;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        if (s.weld[v] == v && is_corner(&s, v))
            offer(c, mesh->position[v], either_normal(s.vertex_sum[v]));
    finish_batch(c);
    for (uint32_t e = 0; e < s.edges; ++e) {
        if (!s.sharp[e])
            continue;
        PxVec3 a = mesh->position[s.ends[e][0]], b = mesh->position[s.ends[e][1]];
        double length = px_length(px_sub(b, a)),
               pieces = fmax(1, ceil(length / (EDGE_STEP * c->spacing)));
        for (double k = 0; k <= pieces && c->status == PX_OK; ++k)
            offer(c, px_mad(a, px_sub(b, a), k / pieces), either_normal(s.edge_sum[e]));
    }
    finish_batch(c);
    sharp_free(&s);
}

/* Square cells along the longest edge. A candidate is the jittered centre of its cell,
 * projected to the triangle: projection to a convex set never increases distances, so
 * the bound on the distance to a candidate still holds. */
static void cover_triangle(Cover *c, uint32_t t)
{
    PxVec3 p[3], normal = face_normal(c->shape->mesh, t);
    int longest = 0;
    double best = -1;
    for (int k = 0; k < 3; ++k)
        p[k] = px_mesh_corner(c->shape->mesh, t, k);
    for (int k = 0; k < 3; ++k)
        if (apart2(p[k], p[(k + 1) % 3]) > best) {
            best = apart2(p[k], p[(k + 1) % 3]);
            longest = k;
        }
    PxVec3 a = p[longest], b = p[(longest + 1) % 3], top = p[(longest + 2) % 3];
    double length = sqrt(best);
    PxVec3 u = px_scale(px_sub(b, a), 1 / length), v = px_cross(normal, u);
    double height = px_dot(px_sub(top, a), v), foot = px_dot(px_sub(top, a), u);
    double cell = CELL * c->spacing;
    double rows = fmax(1, ceil(height / cell));
    for (double j = 0; j < rows && c->status == PX_OK; ++j) {
        /* the row is widest at its lower side */
        double low = j / rows, left = low * foot, right = length + low * (foot - length);
        double columns = fmax(1, ceil((right - left) / cell));
        for (double i = 0; i < columns && c->status == PX_OK; ++i, ++c->serial) {
            double x = left + (i + 0.5) / columns * (right - left) + jitter(c, 0);
            double y = (j + 0.5) / rows * height + jitter(c, 1);
            PxVec3 middle = px_mad(px_mad(a, u, x), v, y);
            offer(c, px_triangle_closest(middle, a, b, top, NULL), normal);
        }
    }
}

static void cover_mesh(Cover *c)
{
    cover_sharp(c);
    for (uint32_t t = 0; t < c->shape->mesh->triangle_count && c->status == PX_OK; ++t)
        if (!is_flat(c->shape->mesh, t))
            cover_triangle(c, t);
}

/* ---- all of it ---- */

static PxStatus check(const PxShape *shape, double spacing, size_t most)
{
    if (!(spacing > 0) || !isfinite(spacing))
        return px_fail(PX_ERR_ARGUMENT, "cover: spacing is %g m, must be positive and finite",
                       spacing);
    if (shape->kind == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "cover: a plane has no end and cannot be covered");
    PxVec3 size = px_sub(shape->own_bounds.high, shape->own_bounds.low);
    double across = fmax(size.x, fmax(size.y, size.z));
    if (!(px_shape_cover_estimate(shape, spacing) <= ESTIMATE_SLACK * ((double)most + 64)) ||
        !(across / spacing < 1e15))
        return px_fail(PX_ERR_MEMORY,
                       "%s: covering it with a spacing of %g m takes about %.3g points; allowed "
                       "are %zu",
                       px_shape_kind_name(shape->kind), spacing,
                       px_shape_cover_estimate(shape, spacing), most);
    return PX_OK;
}

static void finish(Cover *c, PxPoints *out)
{
    for (size_t k = 0; k < c->point.count; ++k) {
        c->point.data[k] = px_shape_to_world(c->shape, c->point.data[k]);
        c->normal.data[k] =
            px_rotate(c->shape->turn, px_normalized(c->normal.data[k], px_vec(0, 1, 0)));
    }
    *out = (PxPoints){c->point.data, c->normal.data, c->point.count};
    c->point.data = NULL;
    c->normal.data = NULL;
}

PxStatus px_shape_cover(const PxShape *shape, double spacing, size_t most, PxPoints *out)
{
    *out = (PxPoints){0};
    if (shape->kind == PX_SHAPE_POINTS)
        return px_fail(PX_ERR_ARGUMENT, "cover: particles have no surface");
    PX_TRY(check(shape, spacing, most));
    Cover c = {.shape = shape, .spacing = spacing, .most = most, .status = PX_OK};
    c.cell_edge = REACH * APART * spacing;
    double apart = APART * spacing * (1 - 1e-9); /* edges in exact steps must pass */
    c.apart2 = apart * apart;
    c.reach2 = c.cell_edge * c.cell_edge;
    switch (shape->kind) {
    case PX_SHAPE_BOX:
        cover_box(&c);
        break;
    case PX_SHAPE_SPHERE:
        cover_round(&c, shape->primitive.radius, 0);
        break;
    case PX_SHAPE_CAPSULE:
        cover_round(&c, shape->primitive.radius, shape->primitive.height);
        break;
    case PX_SHAPE_MESH:
        cover_mesh(&c);
        break;
    default:
        cover_profile(&c, &shape->primitive.profile);
    }
    finish_batch(&c);
    if (c.status == PX_OK)
        finish(&c, out);
    PX_LIST_FREE(&c.batch);
    PX_LIST_FREE(&c.sorted);
    PX_LIST_FREE(&c.dead);
    PX_LIST_FREE(&c.point);
    PX_LIST_FREE(&c.normal);
    PX_LIST_FREE(&c.home);
    PX_LIST_FREE(&c.next);
    PX_LIST_FREE(&c.queue);
    PX_LIST_FREE(&c.cell);
    PX_LIST_FREE(&c.near);
    px_keys_free(&c.keys);
    return c.status;
}

/* By area, but a needle of negligible area still needs a row of samples. Not for
 * meshes, whose parts may lie far apart. */
double px_shape_cover_estimate(const PxShape *shape, double spacing)
{
    if (!(spacing > 0))
        return INFINITY;
    PxVec3 size = px_sub(shape->own_bounds.high, shape->own_bounds.low);
    double across = fmax(size.x, fmax(size.y, size.z));
    double row = shape->kind == PX_SHAPE_MESH ? 1 : fmax(1, across / spacing);
    return fmax(row, DENSITY * shape->area / (spacing * spacing));
}

double px_shape_cover_memory(double points)
{
    double candidates = fmin(points / (CELL * CELL * DENSITY), BATCH);
    double of_candidate = 2 * sizeof(Candidate) + 1; /* as they come, sorted, and if dead */
    double of_point = 2 * sizeof(PxVec3) + 3 * sizeof(uint32_t);
    double of_cell = sizeof(Cell) + 27 * sizeof(uint32_t); /* about one a point */
    return candidates * of_candidate + points * (of_point + of_cell);
}
