#include "contact/sheet_near.h"

#include "cloth/collide.h"
#include "contact/sheet_near_pass.h"

#include <math.h>
#include <string.h>

/* Cosines of the angle between two directions below which they are different planes, and above
 * which they are one. */
#define APART 0.3
#define ALIKE 0.8

/* Closeness, 0 .. 1, from which a further plane counts. */
#define LEAST 0.02

/* ---- one particle ------------------------------------------------------------------------------
 */

static void corners_of(const PxSheets *s, uint32_t face, PxVec3 t[3])
{
    for (int k = 0; k < 3; ++k)
        t[k] = s->x[s->system->face[face].corner[k]];
}

/* The nearest point of a triangle. False: it is out of reach. */
static bool measure(const PxSheets *s, uint32_t face, PxVec3 place, PxSheetPlane *p)
{
    PxVec3 t[3];
    *p = (PxSheetPlane){.face = face, .count = 1};
    corners_of(s, face, t);
    p->distance = px_cloth_point_triangle(place, t, p->weight);
    if (!(p->distance < s->reach) || !(p->distance > 0))
        return false;
    PxVec3 q = px_mad(px_mad(px_scale(t[0], p->weight[0]), t[1], p->weight[1]), t[2], p->weight[2]);
    p->normal = px_scale(px_sub(place, q), 1 / p->distance);
    return true;
}

/* Is the vertex on the side of the plane that the particle is on? Then the sheet comes nearer on
 * the way to it. */
static bool rises(const PxSheets *s, const PxSheetPlane *p, PxVec3 q, uint32_t vertex)
{
    return px_dot(px_sub(s->x[vertex], q), p->normal) > 1e-6 * s->reach;
}

/* Is the nearest point of the triangle a least distance of the whole sheet? Triangles that share
 * the edge or the corner that it is on may be nearer. */
static bool is_least(const PxSheets *s, const PxSheetPlane *p, PxVec3 place)
{
    const PxClothSystem *y = s->system;
    const uint32_t *corner = y->face[p->face].corner;
    PxVec3 q = px_mad(place, p->normal, -p->distance);
    int zeros = 0, zero = 0, one = 0;
    for (int k = 0; k < 3; ++k)
        if (p->weight[k] == 0) {
            ++zeros;
            zero = k;
        } else {
            one = k;
        }
    if (zeros == 0)
        return true;
    if (zeros == 1) { /* on the edge opposite of that corner */
        uint32_t beyond = px_sheet_across(y, p->face, (zero + 1) % 3);
        return beyond == UINT32_MAX || !rises(s, p, q, beyond);
    }
    for (uint32_t u = y->first_face[corner[one]]; u < y->first_face[corner[one] + 1]; ++u)
        for (int k = 0; k < 3; ++k)
            if (rises(s, p, q, y->face[y->faces_of[u].of].corner[k]))
                return false;
    return true;
}

/* How much a plane counts at a border: the nearest point is on an edge or corner of the border. */
static double beyond_border(const PxSheets *s, const PxSheetPlane *p)
{
    const double *w = p->weight;
    bool on = false;
    for (int k = 0; k < 3; ++k) /* the edge from k to k + 1 lies opposite of k + 2 */
        on = on || (w[(k + 2) % 3] == 0 && px_sheet_across(s->system, p->face, k) == UINT32_MAX);
    if (!on)
        return 1;
    PxVec3 t[3];
    corners_of(s, p->face, t);
    PxVec3 n = px_normalized(px_cross(px_sub(t[1], t[0]), px_sub(t[2], t[0])), p->normal);
    return fabs(px_dot(n, p->normal));
}

static double ramp(double cosine)
{
    double part = (ALIKE - cosine) / (ALIKE - APART);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}

/* Most places of further planes that are compared. */
#define NEAR 32

typedef struct Others {
    int count;
    PxSheetPlane near[NEAR];
} Others;

static void add_other(const PxSheets *s, Others *o, uint32_t face, PxVec3 place)
{
    PxSheetPlane p;
    if (measure(s, face, place, &p) && is_least(s, &p, place)) {
        if (o->count < NEAR)
            o->near[o->count++] = p;
        else if (p.distance < o->near[NEAR - 1].distance)
            o->near[NEAR - 1] = p;
    }
}

/* Chooses further planes behind the first. Returns their number. */
static int choose(const PxSheets *s, Others *o, PxSheetPlane plane[PX_SHEET_PLANES])
{
    int planes = 1;
    while (planes < PX_SHEET_PLANES) {
        int best = -1;
        double most = LEAST;
        for (int k = 0; k < o->count; ++k) {
            double count = 1;
            for (int n = 0; n < planes; ++n)
                count *= ramp(px_dot(o->near[k].normal, plane[n].normal));
            double closeness = count * (1 - o->near[k].distance / s->reach);
            o->near[k].count = count;
            if (closeness > most) {
                most = closeness;
                best = k;
            }
        }
        if (best < 0)
            break;
        plane[planes++] = o->near[best];
    }
    for (int k = 0; k < planes; ++k)
        plane[k].count *= beyond_border(s, &plane[k]);
    return planes;
}

int px_sheet_planes(const PxSheets *s, uint32_t cloth, PxVec3 place,
                    PxSheetPlane plane[PX_SHEET_PLANES])
{
    PxSheetWalk walk = {.box = px_sheet_box(place, place, s->reach)}, again = walk;
    PxSheetPlane p;
    Others others = {.count = 0};
    bool any = false;
    for (uint32_t f; (f = px_sheet_next(&s->tree, &walk)) != UINT32_MAX;)
        if (s->system->of_face[f] == cloth && measure(s, f, place, &p) &&
            (!any || p.distance < plane[0].distance)) {
            plane[0] = p;
            any = true;
        }
    if (!any)
        return 0;
    for (uint32_t f; (f = px_sheet_next(&s->tree, &again)) != UINT32_MAX;)
        if (s->system->of_face[f] == cloth && f != plane[0].face)
            add_other(s, &others, f, place);
    return choose(s, &others, plane);
}

/* ---- the particles of a cell ------------------------------------------------------------------
 */

enum { MOST = 2048, LANES = 8 };

typedef struct Job {
    PxSheets *s;
    const PxGrid *grid;
    const PxParticles *p;
    PxSheetTriangle *triangle; /* by face */
    PxIsa isa;
    bool no_room;
} Job;

/* The triangles near a cell, those of one cloth after another. */
typedef struct List {
    uint32_t count;
    uint32_t face[MOST];
    PxSheetLanes lanes;
    uint32_t held; /* first triangle of the chunk in `lanes`; UINT32_MAX: none */
} List;

/* Up to 8 particles. */
typedef struct Group {
    uint32_t row, count;
    PxVec3 place[LANES], middle;
    float at[3][LANES];
} Group;

static PxVec3 place_of(const PxParticles *p, uint32_t i)
{
    return px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
}

static void put(float to[3], PxVec3 v)
{
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

static float over(float v)
{
    return v > 0 ? 1 / v : 0;
}

static float dot_of(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxSheets *s = j->s;
    for (uint32_t face = begin; face < end; ++face) {
        PxSheetTriangle *out = &j->triangle[face];
        PxVec3 t[3];
        corners_of(s, face, t);
        out->at[0] = t[0].x;
        out->at[1] = t[0].y;
        out->at[2] = t[0].z;
        put(out->ab, px_sub(t[1], t[0]));
        put(out->ac, px_sub(t[2], t[0]));
        for (int k = 0; k < 3; ++k) {
            uint32_t beyond = px_sheet_across(s->system, face, k);
            put(out->beyond[k],
                beyond == UINT32_MAX ? px_vec(NAN, NAN, NAN) : px_sub(s->x[beyond], t[0]));
        }
        float bb = dot_of(out->ab, out->ab), bc = dot_of(out->ab, out->ac);
        float cc = dot_of(out->ac, out->ac), det = bb * cc - bc * bc;
        out->bb = bb;
        out->bc = bc;
        out->cc = cc;
        out->turn = det > 0 ? 1 / det : NAN;
        out->over[0] = over(bb);
        out->over[1] = over(bb - 2 * bc + cc);
        out->over[2] = over(cc);
    }
}

/* Lists the triangles whose boxes meet a box, from node `at` of the hierarchy on. False: there are
 * too many. */
static bool list_faces(const PxSheets *s, PxSheetBox box, uint32_t at, List *list)
{
    PxSheetWalk walk = {.box = box, .at = at};
    list->count = 0;
    for (uint32_t f; (f = px_sheet_next(&s->tree, &walk)) != UINT32_MAX;) {
        if (list->count == MOST)
            return false;
        uint32_t k = list->count++;
        for (; k > 0 && s->system->of_face[list->face[k - 1]] > s->system->of_face[f]; --k)
            list->face[k] = list->face[k - 1];
        list->face[k] = f;
    }
    return true;
}

/* Takes those over whose boxes meet a smaller box. */
static void list_some(const PxSheets *s, const List *of, PxSheetBox box, List *list)
{
    list->count = 0;
    for (uint32_t k = 0; k < of->count; ++k) {
        const PxSheetBox *b = &s->tree.box[s->system->leaf_of[of->face[k]]];
        list->face[list->count] = of->face[k];
        list->count += px_sheet_boxes_meet(b, &box);
    }
}

/* A group and triangles [first, first + count) of the list. */
static PxSheetChunk chunk_of(const Job *j, const List *list, const Group *g, uint32_t first,
                             uint32_t count)
{
    PxSheetChunk c = {.triangle = j->triangle,
                      .face = list->face + first,
                      .count = count,
                      .middle = {g->middle.x, g->middle.y, g->middle.z}};
    memcpy(c.at, g->at, sizeof c.at);
    return c;
}

/* Their distances. `fresh`: of a new group. */
static void measure_chunk(const Job *j, List *list, const PxSheetChunk *c, uint32_t first,
                          bool fresh, float least[LANES], uint32_t best[LANES])
{
    if (list->held == first && !fresh)
        return;
    list->held = first;
    PX_ISA_PICK(j->isa, px_sheet_measure)(c, first, least, best, &list->lanes);
}

/* The nearest triangle of each particle among [first, end) of the list. */
static void nearest(const Job *j, List *list, const Group *g, uint32_t first, uint32_t end,
                    uint32_t best[LANES])
{
    float least[LANES];
    for (int l = 0; l < LANES; ++l) {
        least[l] = INFINITY;
        best[l] = UINT32_MAX;
    }
    for (uint32_t at = first; at < end; at += PX_SHEET_CHUNK) {
        uint32_t count = end - at < PX_SHEET_CHUNK ? end - at : PX_SHEET_CHUNK;
        PxSheetChunk chunk = chunk_of(j, list, g, at, count);
        measure_chunk(j, list, &chunk, at, true, least, best);
    }
}

/* Finds the planes of a group at the cloth of triangles [first, end). */
static void find_planes(Job *j, List *list, const Group *g, uint32_t first, uint32_t end)
{
    PxSheets *s = j->s;
    uint32_t best[LANES];
    PxSheetFound found[LANES];
    Others others[LANES];
    float normal[3][LANES] = {{0}}, top[LANES], least[LANES] = {0};
    uint32_t any = 0, ignored[LANES] = {0};
    nearest(j, list, g, first, end, best);
    for (uint32_t l = 0; l < LANES; ++l) {
        others[l].count = 0;
        top[l] = -INFINITY;
        found[l].planes = 0;
        if (l >= g->count || best[l] == UINT32_MAX)
            continue;
        uint32_t face = list->face[best[l]];
        if (!measure(s, face, g->place[l], &found[l].plane[0])) {
            if (found[l].plane[0].distance == 0) {
                s->nearest[g->row + l] = 0;
                s->clear[g->row + l].top = INFINITY;
            }
            continue;
        }
        ++any;
        found[l].planes = 1;
        found[l].cloth = s->system->of_face[face];
        PxVec3 n = found[l].plane[0].normal;
        normal[0][l] = (float)n.x;
        normal[1][l] = (float)n.y;
        normal[2][l] = (float)n.z;
    }
    if (any == 0)
        return;
    for (uint32_t at = first; at < end; at += PX_SHEET_CHUNK) {
        uint32_t count = end - at < PX_SHEET_CHUNK ? end - at : PX_SHEET_CHUNK;
        uint8_t other[PX_SHEET_CHUNK];
        PxSheetChunk chunk = chunk_of(j, list, g, at, count);
        measure_chunk(j, list, &chunk, at, false, least, ignored);
        PX_ISA_PICK(j->isa, px_sheet_compare)
        (&chunk, &list->lanes, normal, 1.0001f * (float)s->reach, (float)ALIKE, other, top);
        for (uint32_t k = 0; k < count; ++k)
            for (unsigned bits = other[k]; bits != 0; bits &= bits - 1) {
                int l = __builtin_ctz(bits);
                if (found[l].planes > 0)
                    add_other(s, &others[l], list->face[at + k], g->place[l]);
            }
    }
    px_join_begin(); /* the arena is for one thread at a time */
    PxSheetFound *out = PX_ARENA_ARRAY(s->scratch, PxSheetFound, any);
    j->no_room = j->no_room || out == NULL;
    px_join_end();
    for (uint32_t l = 0; l < g->count && out != NULL; ++l) {
        uint32_t i = g->row + l;
        if (found[l].planes == 0)
            continue;
        found[l].planes = choose(s, &others[l], found[l].plane);
        const PxSheetPlane *p = &found[l].plane[0];
        if ((float)p->distance < s->nearest[i]) {
            s->nearest[i] = (float)p->distance;
            /* of one cloth alone; several hide too much from each other */
            s->clear[i] = s->found[i] != NULL
                              ? (PxSheetClear){.top = INFINITY}
                              : (PxSheetClear){{normal[0][l], normal[1][l], normal[2][l]},
                                               top[l] + 1e-4f * (float)s->reach};
        } else {
            s->clear[i].top = INFINITY;
        }
        found[l].next = s->found[i];
        *out = found[l];
        s->found[i] = out++;
    }
}

/* As find_planes(), one by one, for cells with too many triangles. */
static void find_alone(Job *j, const Group *g)
{
    PxSheets *s = j->s;
    for (uint32_t l = 0; l < g->count; ++l)
        for (uint32_t cloth = s->sheets; cloth-- > 0;) {
            PxSheetFound one = {.cloth = cloth};
            uint32_t i = g->row + l;
            one.planes = px_sheet_planes(s, cloth, g->place[l], one.plane);
            s->clear[i].top = INFINITY;
            if (one.planes == 0)
                continue;
            px_join_begin();
            PxSheetFound *out = PX_ARENA_ARRAY(s->scratch, PxSheetFound, 1);
            j->no_room = j->no_room || out == NULL;
            px_join_end();
            if (out == NULL)
                return;
            one.next = s->found[i];
            *out = one;
            s->found[i] = out;
            s->nearest[i] = fminf(s->nearest[i], (float)one.plane[0].distance);
        }
}

static void find_group(Job *j, List *list, const Group *g, bool listed)
{
    if (!listed) {
        find_alone(j, g);
        return;
    }
    for (uint32_t first = 0, end; first < list->count; first = end) {
        uint32_t cloth = j->s->system->of_face[list->face[first]];
        for (end = first + 1; end < list->count && j->s->system->of_face[list->face[end]] == cloth;)
            ++end;
        find_planes(j, list, g, first, end);
    }
}

static PxBounds bounds_of(const PxParticles *p, uint32_t from, uint32_t to)
{
    float low[3] = {p->x[from], p->y[from], p->z[from]}, high[3] = {low[0], low[1], low[2]};
    for (uint32_t i = from + 1; i < to; ++i) {
        const float at[3] = {p->x[i], p->y[i], p->z[i]};
        for (int k = 0; k < 3; ++k) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
    }
    return (PxBounds){{(double)low[0], (double)low[1], (double)low[2]},
                      {(double)high[0], (double)high[1], (double)high[2]}};
}

/* Keeps the triangles in reach of each particle of a group; with several cloths or chunks, whose
 * distances are not all known any more, those around the group. */
static void keep_faces(Job *j, const List *list, const Group *g)
{
    PxSheets *s = j->s;
    const uint32_t *of_face = s->system->of_face;
    bool known = list->count <= PX_SHEET_CHUNK && list->held == 0 &&
                 of_face[list->face[0]] == of_face[list->face[list->count - 1]];
    float most = 1.001f * (float)(s->reach * s->reach);
    uint32_t lists = known ? g->count : 1, size = sizeof(PxSheetFaces) / sizeof(uint32_t);
    px_join_begin();
    uint32_t *room =
        PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)lists * (size + (size_t)list->count));
    j->no_room = j->no_room || room == NULL;
    px_join_end();
    if (room == NULL)
        return;
    for (uint32_t l = 0; l < g->count; ++l) {
        PxSheetFaces *out = (PxSheetFaces *)room;
        s->around[g->row + l] = out;
        if (!known && l > 0)
            continue;
        out->count = 0;
        for (uint32_t k = 0; k < list->count; ++k) {
            out->leaf[out->count] = s->system->leaf_of[list->face[k]];
            out->count += !known || list->lanes.square[k][l] < most;
        }
        room += known ? size + out->count : 0;
    }
}

/* Rows [from, to) of adjacent cells. */
static void find_rows(Job *j, uint32_t from, uint32_t to, List *wide, List *list)
{
    PxSheets *s = j->s;
    for (uint32_t i = from; i < to; ++i) {
        s->found[i] = NULL;
        s->nearest[i] = INFINITY;
        s->around[i] = NULL;
        s->clear[i] = (PxSheetClear){.top = -INFINITY};
    }
    PxBounds b = bounds_of(j->p, from, to);
    PxSheetWalk walk = {.box = px_sheet_box(b.low, b.high, 2 * s->half)};
    uint32_t first = px_sheet_next(&s->tree, &walk);
    bool maybe = first != UINT32_MAX;
    memset(s->maybe + from, maybe, to - from);
    if (!maybe)
        return;
    /* nothing before the first triangle in that larger box is in this one */
    bool listed =
        list_faces(s, px_sheet_box(b.low, b.high, s->reach), s->system->leaf_of[first], wide);
    for (uint32_t i = from; i < to && wide->count > 0; i += LANES) {
        Group g = {.row = i, .count = to - i < LANES ? to - i : LANES};
        b = bounds_of(j->p, i, i + g.count);
        g.middle = px_scale(px_add(b.low, b.high), 0.5);
        list->held = UINT32_MAX;
        if (listed)
            list_some(s, wide, px_sheet_box(b.low, b.high, s->reach), list);
        for (uint32_t l = 0; l < LANES; ++l) {
            g.place[l] = place_of(j->p, i + (l < g.count ? l : 0));
            PxVec3 at = px_sub(g.place[l], g.middle);
            g.at[0][l] = (float)at.x;
            g.at[1][l] = (float)at.y;
            g.at[2][l] = (float)at.z;
        }
        find_group(j, list, &g, listed);
        if (listed && list->count > 0)
            keep_faces(j, list, &g);
    }
}

static void quad_rows(const Job *j, uint32_t from, uint32_t to)
{
    const PxSheets *s = j->s;
    float most = (float)s->reach;
    for (uint32_t i = from; i < to; ++i) {
        float *quad = s->quad + 4 * (size_t)i;
        quad[0] = j->p->x[i];
        quad[1] = j->p->y[i];
        quad[2] = j->p->z[i];
        quad[3] = s->nearest[i] < most ? s->nearest[i] : most;
    }
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    enum { ADJACENT = 4 }; /* most cells in a row that share a list */
    Job *j = user;
    const PxGrid *g = j->grid;
    List wide, list;
    for (uint32_t c = begin, to; c < end; c = to) {
        for (to = c + 1; to < end && to < c + ADJACENT && g->key[to] == g->key[to - 1] + 1;)
            ++to;
        find_rows(j, g->begin[c], g->begin[to], &wide, &list);
        quad_rows(j, g->begin[c], g->begin[to]);
    }
}

PxStatus px_sheets_find(PxSheets *s, const PxGrid *grid, const PxParticles *p, PxIsa isa,
                        const PxThreads *threads)
{
    enum { CELLS = 64, FACES = 256 };
    uint32_t n = p->table.count;
    Job job = {.s = s, .grid = grid, .p = p, .isa = isa};
    s->found = PX_ARENA_ARRAY(s->scratch, PxSheetFound *, n + 1);
    s->nearest = PX_ARENA_ARRAY(s->scratch, float, n + 1);
    s->clear = PX_ARENA_ARRAY(s->scratch, PxSheetClear, n + 1);
    s->maybe = PX_ARENA_ARRAY(s->scratch, uint8_t, n + 1);
    s->around = PX_ARENA_ARRAY(s->scratch, PxSheetFaces *, n + 1);
    s->quad = PX_ARENA_ARRAY(s->scratch, float, 4 * ((size_t)n + 1));
    job.triangle = PX_ARENA_ARRAY(s->scratch, PxSheetTriangle, s->system->faces + 1);
    if (s->found == NULL || s->nearest == NULL || s->clear == NULL || s->maybe == NULL ||
        s->around == NULL || s->quad == NULL || job.triangle == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", n);
    s->particles = p;
    px_parallel_for(threads, s->system->faces, FACES, pack_block, &job);
    px_parallel_for(threads, grid->cells, CELLS, find_block, &job);
    return job.no_room ? px_fail(PX_ERR_MEMORY, "cloth: no room for what %u particles touch", n)
                       : PX_OK;
}
