#include "surface/skin/sheets.h"

#include "solid/fracture/meet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A way of this length or more, in units of r / R, is opaque. */
#define OPAQUE 1.0

void px_skin_sheets_free(PxSkinSheets *s)
{
    free(s->at);
    free(s->face);
    free(s->piece);
    free(s->plane);
    free(s->tip);
    free(s->front);
    px_crack_cells_free(&s->face_cells);
    px_crack_cells_free(&s->front_cells);
    px_crack_cells_free(&s->middle_cells);
    *s = (PxSkinSheets){.at = NULL};
}

size_t px_skin_sheets_bytes(const PxSkinSheets *s)
{
    return s->points * (sizeof *s->at + sizeof *s->tip) +
           s->faces * (sizeof *s->face + sizeof *s->piece + sizeof *s->plane) +
           s->fronts * sizeof *s->front + px_crack_cells_bytes(&s->face_cells) +
           px_crack_cells_bytes(&s->front_cells);
}

static PxVec3 least_of(PxVec3 a, PxVec3 b)
{
    return px_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static PxVec3 most_of(PxVec3 a, PxVec3 b)
{
    return px_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

/* Appends a face, for which there is room. False: no memory for its cells. */
static bool add_face(PxSkinSheets *s, const uint32_t v[3], uint32_t piece)
{
    PxVec3 low = s->at[v[0]], high = low;
    for (int n = 0; n < 3; ++n) {
        PxVec3 x = s->at[v[n]];
        s->face[s->faces][n] = v[n];
        low = least_of(low, x);
        high = most_of(high, x);
    }
    s->piece[s->faces] = piece;
    return px_crack_cells_add(&s->face_cells, low, high, s->faces++);
}

static bool take_faces(PxSkinSheets *s, const PxCracks *cracks, uint32_t body, PxVec3 shift)
{
    size_t all = cracks->triangles.count;
    s->points = (uint32_t)cracks->vertices.count;
    s->at = malloc(((size_t)s->points + 1) * sizeof *s->at);
    s->face = malloc((all + 1) * sizeof *s->face);
    s->piece = calloc(all + 1, sizeof *s->piece);
    bool good = s->at != NULL && s->face != NULL && s->piece != NULL;
    for (uint32_t k = 0; k < s->points && good; ++k)
        s->at[k] = px_add(px_crack_place(cracks, k), shift);
    for (size_t k = 0; k < all && good; ++k) {
        const PxCrackTriangle *t = &cracks->triangles.data[k];
        if (cracks->list.data[t->crack].body != body)
            continue;
        good = add_face(s, t->corner, 0);
    }
    return good;
}

static bool take_fronts(PxSkinSheets *s, const PxCracks *cracks, uint32_t body)
{
    s->front = malloc((cracks->nodes.count + 1) * sizeof *s->front);
    s->tip = calloc((size_t)s->points + 1, 1);
    bool good = s->front != NULL && s->tip != NULL;
    for (uint32_t k = 0, n; k < cracks->nodes.count && good; k += n) {
        const PxCrackNode *node = &cracks->nodes.data[k];
        n = px_crack_front_size(cracks, k);
        for (uint32_t m = 0; m < n && good; ++m)
            s->tip[node[m].vertex] = 1;
        uint32_t segments = node->kind & PX_NODE_CLOSED ? n : n - 1;
        for (uint32_t m = 0; m < segments && good; ++m) {
            if (cracks->list.data[node[m].crack].body != body)
                continue;
            PxVec3 *to = s->front[s->fronts];
            to[0] = s->at[node[m].vertex];
            to[1] = s->at[node[(m + 1) % n].vertex];
            good = px_crack_cells_add(&s->front_cells, least_of(to[0], to[1]),
                                      most_of(to[0], to[1]), s->fronts++);
        }
    }
    return good;
}

/* An edge of a face; `face` is on its left. */
typedef struct Rim {
    uint32_t low, high, face;
    bool turned; /* the face has it from high to low */
} Rim;

static int compare_rims(const void *a, const void *b)
{
    const Rim *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->face < q->face ? -1 : p->face > q->face;
}

/* Lists all edges of faces, sorted. Returns their number. */
static uint32_t list_edges(const PxSkinSheets *s, Rim *rim)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = s->face[f][k], b = s->face[f][(k + 1) % 3];
            rim[n++] = (Rim){a < b ? a : b, a < b ? b : a, f, a > b};
        }
    qsort(rim, n, sizeof *rim, compare_rims);
    return n;
}

/* A face next to another across an edge. */
typedef struct Beside {
    uint32_t face; /* UINT32_MAX: there is none, or several */
    bool against;  /* it has the edge in the same direction: its normal points to the other side */
} Beside;

/* Turns faces over so that neighbours have the same side up: parts of a sheet that grew from
 * different fronts may differ. */
static bool turn_faces(PxSkinSheets *s)
{
    Rim *edge = malloc((3 * (size_t)s->faces + 1) * sizeof *edge);
    Beside(*beside)[3] = malloc(((size_t)s->faces + 1) * sizeof *beside);
    uint32_t *list = malloc(((size_t)s->faces + 1) * sizeof *list);
    uint8_t *seen = calloc((size_t)s->faces + 1, 1);
    bool good = edge != NULL && beside != NULL && list != NULL && seen != NULL;
    uint32_t n = good ? list_edges(s, edge) : 0;
    for (uint32_t f = 0; f < s->faces && good; ++f)
        for (int k = 0; k < 3; ++k)
            beside[f][k].face = UINT32_MAX;
    for (uint32_t k = 0; k + 1 < n; ++k) {
        const Rim *a = &edge[k], *b = a + 1;
        bool single = k == 0 || a[-1].low != a->low || a[-1].high != a->high;
        if (!single || a->low != b->low || a->high != b->high ||
            (k + 2 < n && b[1].low == a->low && b[1].high == a->high))
            continue;
        for (int side = 0; side < 2; ++side) {
            uint32_t f = side == 0 ? a->face : b->face, to = 0;
            while (beside[f][to].face != UINT32_MAX)
                ++to;
            beside[f][to] = (Beside){side == 0 ? b->face : a->face, a->turned == b->turned};
        }
    }
    /* seen: 0 not yet, 1 as it is, 2 to be turned over */
    for (uint32_t first = 0; first < s->faces && good; ++first) {
        uint32_t count = 0;
        if (seen[first] == 0) {
            seen[first] = 1;
            list[count++] = first;
        }
        while (count > 0) {
            uint32_t f = list[--count];
            for (int k = 0; k < 3; ++k) {
                Beside b = beside[f][k];
                if (b.face == UINT32_MAX || seen[b.face] != 0)
                    continue;
                seen[b.face] = b.against ? 3 - seen[f] : seen[f];
                list[count++] = b.face;
            }
        }
    }
    for (uint32_t f = 0; f < s->faces && good; ++f)
        if (seen[f] == 2) {
            uint32_t v = s->face[f][1];
            s->face[f][1] = s->face[f][2];
            s->face[f][2] = v;
        }
    free(edge);
    free(beside);
    free(list);
    free(seen);
    return good;
}

PxStatus px_skin_sheets_make(PxSkinSheets *s, const PxCracks *cracks, uint32_t body, PxVec3 shift,
                             double opaque, double cell)
{
    *s = (PxSkinSheets){.opaque = opaque};
    bool good = px_crack_cells_reset(&s->face_cells, cell, cracks->triangles.count) &&
                px_crack_cells_reset(&s->middle_cells, cell, 1) &&
                px_crack_cells_reset(&s->front_cells, fmax(cell, opaque), cracks->nodes.count) &&
                take_faces(s, cracks, body, shift) && take_fronts(s, cracks, body) && turn_faces(s);
    if (good)
        return PX_OK;
    px_skin_sheets_free(s);
    return px_fail(PX_ERR_MEMORY, "skin: no room for %zu triangles of cracks",
                   cracks->triangles.count);
}

/* Lists the edges that one face alone has. Returns their number. */
static uint32_t list_rims(const PxSkinSheets *s, Rim *rim)
{
    uint32_t n = list_edges(s, rim), kept = 0;
    for (uint32_t k = 0, next; k < n; k = next) {
        for (next = k + 1;
             next < n && rim[next].low == rim[k].low && rim[next].high == rim[k].high;)
            ++next;
        if (next == k + 1 && !(s->tip[rim[k].low] && s->tip[rim[k].high]))
            rim[kept++] = rim[k];
    }
    return kept;
}

/* The direction out of the face across a rim. */
static PxVec3 outwards(const PxSkinSheets *s, const Rim *rim)
{
    const uint32_t *v = s->face[rim->face];
    PxVec3 area = px_cross(px_sub(s->at[v[1]], s->at[v[0]]), px_sub(s->at[v[2]], s->at[v[0]]));
    PxVec3 along = px_sub(s->at[rim->high], s->at[rim->low]);
    PxVec3 out = px_cross(px_scale(along, rim->turned ? -1 : 1), area);
    double length = px_length(out);
    return length > 0 ? px_scale(out, 1 / length) : px_vec(0, 0, 0);
}

/* Makes room for so many more faces and vertices. */
static bool make_room(PxSkinSheets *s, size_t faces, size_t points)
{
    void *face = realloc(s->face, (s->faces + faces + 1) * sizeof *s->face);
    s->face = face != NULL ? face : s->face;
    void *piece = realloc(s->piece, (s->faces + faces + 1) * sizeof *s->piece);
    s->piece = piece != NULL ? piece : s->piece;
    void *at = realloc(s->at, (s->points + points + 1) * sizeof *s->at);
    s->at = at != NULL ? at : s->at;
    return face != NULL && piece != NULL && at != NULL;
}

PxStatus px_skin_sheets_widen(PxSkinSheets *s, PxSkinDepth *depth, const void *user, double near,
                              double wide)
{
    Rim *rim = malloc((3 * (size_t)s->faces + 1) * sizeof *rim);
    uint32_t *made = malloc(((size_t)s->points + 1) * sizeof *made);
    PxVec3 *out = calloc((size_t)s->points + 1, sizeof *out);
    bool good = rim != NULL && made != NULL && out != NULL;
    uint32_t rims = good ? list_rims(s, rim) : 0, kept = 0;
    for (uint32_t k = 0; k < rims; ++k)
        if (depth(user, s->at[rim[k].low]) < near && depth(user, s->at[rim[k].high]) < near)
            rim[kept++] = rim[k];
    good = good && make_room(s, 2 * (size_t)kept, 2 * (size_t)kept);
    for (uint32_t k = 0; k < kept && good; ++k) {
        PxVec3 way = outwards(s, &rim[k]);
        out[rim[k].low] = px_add(out[rim[k].low], way);
        out[rim[k].high] = px_add(out[rim[k].high], way);
        made[rim[k].low] = made[rim[k].high] = UINT32_MAX;
    }
    for (uint32_t k = 0; k < kept && good; ++k) {
        uint32_t end[2] = {rim[k].turned ? rim[k].high : rim[k].low,
                           rim[k].turned ? rim[k].low : rim[k].high};
        for (int n = 0; n < 2; ++n)
            if (made[end[n]] == UINT32_MAX) {
                double length = px_length(out[end[n]]);
                made[end[n]] = s->points;
                s->at[s->points++] =
                    px_mad(s->at[end[n]], out[end[n]], length > 0 ? wide / length : 0);
            }
        uint32_t piece = s->piece[rim[k].face];
        good = add_face(s, (const uint32_t[3]){end[1], end[0], made[end[0]]}, piece) &&
               add_face(s, (const uint32_t[3]){end[1], made[end[0]], made[end[1]]}, piece);
    }
    free(rim);
    free(made);
    free(out);
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "skin: no room for the rims of cracks");
}

bool px_skin_sheets_near(const PxSkinSheets *s, uint32_t piece, PxVec3 at, double radius)
{
    uint32_t k;
    PxCrackSearch search = px_crack_search_ball(&s->face_cells, at, radius);
    while (px_crack_next(&search, &k))
        if (s->piece[k] == piece)
            return true;
    return false;
}

/* Does the way cross the face? */
static bool crosses(const PxSkinSheets *s, uint32_t k, PxVec3 a, PxVec3 b, PxVec3 *at)
{
    const PxVec3 corner[3] = {s->at[s->face[k][0]], s->at[s->face[k][1]], s->at[s->face[k][2]]};
    return px_segment_crosses(a, b, corner, at);
}

bool px_skin_sheets_cross(const PxSkinSheets *s, uint32_t piece, PxVec3 a, PxVec3 b, PxVec3 *at)
{
    uint32_t k;
    double first = INFINITY;
    PxVec3 point, way = px_sub(b, a);
    PxCrackSearch search = px_crack_search(&s->face_cells, least_of(a, b), most_of(a, b));
    while (px_crack_next(&search, &k)) {
        if (s->piece[k] != piece || !crosses(s, k, a, b, &point))
            continue;
        double far = px_dot(px_sub(point, a), way);
        if (far < first) {
            first = far;
            *at = point;
        }
    }
    return first < INFINITY;
}

static double square_to(PxVec3 x, const PxVec3 end[2])
{
    PxVec3 way = px_sub(end[1], end[0]), off = px_sub(x, end[0]);
    double square = px_dot(way, way), t = square > 0 ? px_dot(off, way) / square : 0;
    PxVec3 left = px_mad(off, way, -fmin(fmax(t, 0), 1));
    return px_dot(left, left);
}

/* (d / opaque)^2 at a point of a sheet, at most OPAQUE. */
static double behind_front(const PxSkinSheets *s, PxVec3 x)
{
    uint32_t k;
    double least = OPAQUE * s->opaque * s->opaque;
    if (!(least > 0))
        return OPAQUE;
    PxCrackSearch search = px_crack_search_ball(&s->front_cells, x, s->opaque);
    while (px_crack_next(&search, &k))
        least = fmin(least, square_to(x, s->front[k]));
    return least / (s->opaque * s->opaque);
}

static PxVec3 middle_of(const PxSkinSheets *s, uint32_t k)
{
    const uint32_t *v = s->face[k];
    return px_scale(px_add(px_add(s->at[v[0]], s->at[v[1]]), s->at[v[2]]), 1.0 / 3);
}

static PxVec3 normal_of(const PxSkinSheets *s, uint32_t k)
{
    PxVec3 a = s->at[s->face[k][0]];
    return px_cross(px_sub(s->at[s->face[k][1]], a), px_sub(s->at[s->face[k][2]], a));
}

PxStatus px_skin_sheets_plane(PxSkinSheets *s)
{
    free(s->plane);
    s->plane = malloc(((size_t)s->faces + 1) * sizeof *s->plane);
    bool good =
        s->plane != NULL && px_crack_cells_reset(&s->middle_cells, s->middle_cells.edge, s->faces);
    s->widest = 0;
    for (uint32_t k = 0; k < s->faces && good; ++k) {
        PxSheetFace *to = &s->plane[k];
        *to = (PxSheetFace){.middle = middle_of(s, k), .normal = normal_of(s, k)};
        for (int n = 0; n < 3; ++n) {
            PxVec3 way = px_sub(s->at[s->face[k][n]], to->middle);
            to->wide = fmax(to->wide, 1.0001 * px_dot(way, way)); /* rounding */
        }
        if (s->piece[k] == PX_SHEET_BETWEEN)
            continue;
        s->widest = fmax(s->widest, sqrt(to->wide));
        good = px_crack_cells_add(&s->middle_cells, to->middle, to->middle, k);
    }
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "skin: no room for %u faces of cracks", s->faces);
}

void px_skin_sheets_look(const PxSkinSheets *s, uint32_t piece, PxVec3 from, double radius,
                         PxSheetView *view)
{
    uint32_t k;
    double reach = radius + s->widest;
    PxCrackSearch search = px_crack_search_ball(&s->middle_cells, from, reach);
    view->from = from;
    view->piece = piece;
    view->radius = radius;
    view->count = 0;
    while (px_crack_next(&search, &k)) {
        const PxSheetFace *face = &s->plane[k];
        PxVec3 way = px_sub(face->middle, from);
        double far = px_dot(way, way);
        if (s->piece[k] != piece || far > reach * reach)
            continue;
        double own = radius + sqrt(face->wide);
        if (far > own * own)
            continue;
        if (view->count == PX_SHEET_VIEW) {
            view->radius = 0;
            return;
        }
        view->face[view->count] = k;
        view->above[view->count++] = px_dot(face->normal, way) < 0;
    }
}

/* The same for any way, by a search. */
static double search_behind(const PxSkinSheets *s, uint32_t piece, PxVec3 a, PxVec3 b)
{
    uint32_t k;
    double most = 0;
    PxVec3 at;
    PxCrackSearch search = px_crack_search(&s->face_cells, least_of(a, b), most_of(a, b));
    while (most < OPAQUE && px_crack_next(&search, &k))
        if (s->piece[k] == piece && crosses(s, k, a, b, &at))
            most = fmax(most, behind_front(s, at));
    return most;
}

double px_skin_sheets_behind(const PxSkinSheets *s, const PxSheetView *view, PxVec3 to)
{
    PxVec3 at, way = px_sub(to, view->from);
    double most = 0, square = px_dot(way, way);
    if (square > view->radius * view->radius)
        return search_behind(s, view->piece, view->from, to);
    for (uint32_t n = 0; n < view->count && most < OPAQUE; ++n) {
        uint32_t k = view->face[n];
        const PxSheetFace *face = &s->plane[k];
        if (view->above[n] == (px_dot(face->normal, px_sub(to, face->middle)) > 0))
            continue;
        PxVec3 off = px_sub(face->middle, view->from);
        /* the way is farther from the middle than any corner */
        double t = square > 0 ? fmin(fmax(px_dot(off, way) / square, 0), 1) : 0;
        PxVec3 left = px_mad(off, way, -t);
        if (px_dot(left, left) > face->wide)
            continue;
        if (crosses(s, k, view->from, to, &at))
            most = fmax(most, behind_front(s, at));
    }
    return most;
}
