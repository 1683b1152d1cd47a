#include "contact/sheet_near.h"

#include "cloth/collide.h"
#include "contact/sheet_near_pass.h"

#include <math.h>
#include <stdatomic.h>
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

static void add_other(const PxSheets *s, Others *o, const PxSheetPlane *p, PxVec3 place)
{
    if (!is_least(s, p, place))
        return;
    if (o->count < NEAR)
        o->near[o->count++] = *p;
    else if (p->distance < o->near[NEAR - 1].distance)
        o->near[NEAR - 1] = *p;
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
        if (s->system->of_face[f] == cloth && f != plane[0].face && measure(s, f, place, &p))
            add_other(s, &others, &p, place);
    return choose(s, &others, plane);
}

/* ---- branches ----------------------------------------------------------------------------------
 */

/* Room for branches around one particle. Where there are more, triangles are searched one by one.
 */
enum { MOST_NEAR = 48 };

/* Room for what the particles of a block have found, until it is moved to the arena. */
enum { MOST_FOUND = 32, MOST_ENTRIES = 1024 };

typedef struct Job {
    PxSheets *s;
    const PxGrid *grid;
    const PxParticles *p;
    PxSheetBranch *branch;
    _Atomic uint8_t *wanted; /* by branch: particles may be in reach */
    PxSheetBox *around;      /* by cell of the grid: its particles */
    PxIsa isa;
    bool no_room;
} Job;

static PxVec3 place_of(const PxParticles *p, uint32_t i)
{
    return px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
}

static void put(const PxSheets *s, const PxSheetBranch *of, float to[3][8], uint32_t lane,
                uint32_t vertex)
{
    PxVec3 x = vertex != UINT32_MAX ? s->x[vertex] : px_vec(NAN, NAN, NAN);
    to[0][lane] = (float)(x.x - of->at[0]);
    to[1][lane] = (float)(x.y - of->at[1]);
    to[2][lane] = (float)(x.z - of->at[2]);
}

static void pack_face(const PxSheets *s, PxSheetBranch *out, uint32_t lane, uint32_t face)
{
    const uint32_t none[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const uint32_t *corner = face != UINT32_MAX ? s->system->face[face].corner : none;
    out->face[lane] = face;
    put(s, out, out->a, lane, corner[0]);
    put(s, out, out->ab, lane, corner[1]);
    put(s, out, out->ac, lane, corner[2]);
    for (int k = 0; k < 3; ++k)
        put(s, out, out->beyond[k], lane,
            face != UINT32_MAX ? px_sheet_across(s->system, face, k) : UINT32_MAX);
}

static void pack_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    const PxSheets *s = j->s;
    const PxClothNode *node = s->system->node;
    for (uint32_t k = begin; k < end; ++k) {
        PxSheetBranch *out = &j->branch[k];
        uint32_t lanes = 0, first = s->system->branch.node[k];
        if (!atomic_load_explicit(&j->wanted[k], memory_order_relaxed))
            continue;
        for (uint32_t n = first; n < node[first].next; ++n) {
            if (node[n].face == UINT32_MAX)
                continue;
            if (lanes == 0) {
                PxVec3 at = s->x[s->system->face[node[n].face].corner[0]];
                out->at[0] = at.x;
                out->at[1] = at.y;
                out->at[2] = at.z;
            }
            pack_face(s, out, lanes++, node[n].face);
        }
        for (; lanes < 8; ++lanes)
            pack_face(s, out, lanes, UINT32_MAX);
        PX_ISA_PICK(j->isa, px_sheet_branch_end)(out);
    }
}

/* ---- the particles of a cell ------------------------------------------------------------------
 */

/* What the particles of a block have found. */
typedef struct Buffer {
    uint32_t founds, rows, entries;
    PxSheetFound found[MOST_FOUND];
    uint32_t found_row[MOST_FOUND];
    uint32_t row[MOST_FOUND], first[MOST_FOUND]; /* of lists of triangles */
    uint32_t entry[MOST_ENTRIES];
} Buffer;

static void flush(Job *j, Buffer *b)
{
    PxSheets *s = j->s;
    uint32_t head = sizeof(PxSheetFaces) / sizeof(uint32_t);
    if (b->founds + b->rows == 0)
        return;
    px_join_begin(); /* the arena is for one thread at a time */
    PxSheetFound *found = PX_ARENA_ARRAY(s->scratch, PxSheetFound, b->founds + 1);
    uint32_t *room = PX_ARENA_ARRAY(s->scratch, uint32_t, b->entries + b->rows * head + 1);
    j->no_room = j->no_room || found == NULL || room == NULL;
    px_join_end();
    for (uint32_t k = 0; k < b->founds && found != NULL; ++k) {
        PxSheetFound *to = &found[k];
        const PxSheetFound *from = &b->found[k];
        to->cloth = from->cloth;
        to->planes = from->planes;
        for (int n = 0; n < from->planes; ++n)
            to->plane[n] = from->plane[n];
        to->next = s->found[b->found_row[k]];
        s->found[b->found_row[k]] = to;
    }
    for (uint32_t k = 0; k < b->rows && room != NULL; ++k) {
        uint32_t count = (k + 1 < b->rows ? b->first[k + 1] : b->entries) - b->first[k];
        PxSheetFaces *list = (PxSheetFaces *)room;
        list->count = count;
        memcpy(list->entry, b->entry + b->first[k], count * sizeof *list->entry);
        s->around[b->row[k]] = list;
        room += head + count;
    }
    b->founds = b->rows = b->entries = 0;
}

/* Room for the planes of a row. They count after ++b->founds. */
static PxSheetFound *next_found(Job *j, Buffer *b, uint32_t row, uint32_t cloth)
{
    if (b->founds == MOST_FOUND)
        flush(j, b);
    PxSheetFound *found = &b->found[b->founds];
    found->cloth = cloth;
    found->planes = 1;
    b->found_row[b->founds] = row;
    return found;
}

/* A branch with triangles in reach of a particle. */
typedef struct Near {
    uint32_t branch;
    PxSheetLanes lanes;
} Near;

static void add_faces(Job *j, Buffer *b, uint32_t row, const Near *near, uint32_t count)
{
    if (b->rows == MOST_FOUND || b->entries + count > MOST_ENTRIES)
        flush(j, b);
    b->row[b->rows] = row;
    b->first[b->rows++] = b->entries;
    for (uint32_t k = 0; k < count; ++k)
        b->entry[b->entries++] = near[k].branch << 8 | near[k].lanes.near;
}

/* The triangles in reach that are of one cloth. */
static unsigned mask_of(const Job *j, const Near *near, uint32_t cloth)
{
    const PxClothSystem *y = j->s->system;
    unsigned mask = near->lanes.near;
    for (unsigned bits = y->cloths > 1 ? mask : 0; bits != 0; bits &= bits - 1) {
        int l = __builtin_ctz(bits);
        if (y->of_face[j->branch[near->branch].face[l]] != cloth)
            mask &= ~(1u << l);
    }
    return mask;
}

/* The first cloth from `from` on of which triangles are in reach; UINT32_MAX: none. */
static uint32_t next_cloth(const Job *j, const Near *near, uint32_t count, uint32_t from)
{
    const PxClothSystem *y = j->s->system;
    uint32_t next = UINT32_MAX;
    if (y->cloths == 1)
        return from == 0 ? 0 : UINT32_MAX;
    for (uint32_t k = 0; k < count; ++k)
        for (unsigned bits = near[k].lanes.near; bits != 0; bits &= bits - 1) {
            uint32_t of = y->of_face[j->branch[near[k].branch].face[__builtin_ctz(bits)]];
            next = of >= from && of < next ? of : next;
        }
    return next;
}

/* Nearer than this part of the reach, floats are not enough for a direction. */
#define CLOSE 1e-4

/* As measure(), of a lane that px_sheet_measure() has filled. */
static bool measured(const Job *j, const Near *near, int lane, PxVec3 place, PxSheetPlane *p)
{
    const PxSheetLanes *l = &near->lanes;
    PxVec3 r = {(double)l->apart[0][lane], (double)l->apart[1][lane], (double)l->apart[2][lane]};
    double reach = j->s->reach, square = px_dot(r, r);
    uint32_t face = j->branch[near->branch].face[lane];
    if (square < CLOSE * CLOSE * reach * reach)
        return measure(j->s, face, place, p);
    double distance = sqrt(square);
    *p = (PxSheetPlane){.face = face,
                        .weight = {(double)l->weight[0][lane], (double)l->weight[1][lane],
                                   (double)l->weight[2][lane]},
                        .distance = distance,
                        .normal = px_scale(r, 1 / distance),
                        .count = 1};
    int most = p->weight[1] > p->weight[0] ? 1 : 0;
    most = p->weight[2] > p->weight[most] ? 2 : most; /* the sum is exactly 1 */
    p->weight[most] = 1 - (p->weight[(most + 1) % 3] + p->weight[(most + 2) % 3]);
    return distance < reach;
}

/* The planes of a particle at one cloth. */
static void find_planes(Job *j, Buffer *b, uint32_t row, const Near *near, uint32_t count,
                        uint32_t cloth)
{
    PxSheets *s = j->s;
    PxVec3 place = place_of(j->p, row);
    unsigned mask[MOST_NEAR];
    float least = INFINITY;
    const Near *best = NULL;
    int lane = 0;
    for (uint32_t k = 0; k < count; ++k) {
        mask[k] = mask_of(j, &near[k], cloth);
        for (unsigned bits = mask[k]; bits != 0; bits &= bits - 1) {
            int l = __builtin_ctz(bits);
            if (near[k].lanes.square[l] < least) {
                least = near[k].lanes.square[l];
                best = &near[k];
                lane = l;
            }
        }
    }
    if (best == NULL)
        return;
    PxSheetFound *found = next_found(j, b, row, cloth);
    PxSheetPlane *first = &found->plane[0];
    if (!measured(j, best, lane, place, first)) {
        if (first->distance == 0) {
            s->nearest[row] = 0;
            s->clear[row].top = INFINITY;
        }
        return;
    }
    float normal[3] = {(float)first->normal.x, (float)first->normal.y, (float)first->normal.z};
    float top = -INFINITY;
    Others others;
    others.count = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const PxSheetBranch *branch = &j->branch[near[k].branch];
        unsigned bits = PX_ISA_PICK(j->isa, px_sheet_compare)(branch, &near[k].lanes, mask[k],
                                                              normal, (float)ALIKE, &top);
        for (PxSheetPlane other; bits != 0; bits &= bits - 1)
            if (measured(j, &near[k], __builtin_ctz(bits), place, &other))
                add_other(s, &others, &other, place);
    }
    found->planes = choose(s, &others, found->plane);
    bool several = s->nearest[row] < INFINITY;
    if ((float)first->distance < s->nearest[row]) {
        s->nearest[row] = (float)first->distance;
        /* of one cloth alone; several hide too much from each other */
        s->clear[row] = several ? (PxSheetClear){.top = INFINITY}
                                : (PxSheetClear){{normal[0], normal[1], normal[2]},
                                                 top + 1e-4f * (float)s->reach};
    } else {
        s->clear[row].top = INFINITY;
    }
    ++b->founds;
}

/* As find_row(), one triangle at a time. */
static void find_alone(Job *j, Buffer *b, uint32_t row)
{
    PxSheets *s = j->s;
    for (uint32_t cloth = 0; cloth < s->sheets; ++cloth) {
        PxSheetFound *one = next_found(j, b, row, cloth);
        one->planes = px_sheet_planes(s, cloth, place_of(j->p, row), one->plane);
        s->clear[row].top = INFINITY;
        if (one->planes == 0)
            continue;
        s->nearest[row] = fminf(s->nearest[row], (float)one->plane[0].distance);
        ++b->founds;
    }
}

/* The planes of one particle, with branches around it. */
static void find_row(Job *j, Buffer *b, const PxSheetBoxes *boxes, uint32_t row)
{
    const PxSheets *s = j->s;
    const float at[3] = {j->p->x[row], j->p->y[row], j->p->z[row]};
    uint32_t which[PX_SHEET_NEAR];
    Near near[MOST_NEAR];
    float most = 1.001f * (float)(s->reach * s->reach);
    uint32_t reached = PX_ISA_PICK(j->isa, px_sheet_reaches)(boxes, at, most, which), count = 0;
    for (uint32_t k = 0; k < reached; ++k) {
        if (count == MOST_NEAR) {
            find_alone(j, b, row);
            return;
        }
        Near *n = &near[count];
        n->branch = which[k];
        const PxSheetBranch *branch = &j->branch[n->branch];
        for (int c = 0; c < 3; ++c)
            n->lanes.at[c] = (float)((double)at[c] - branch->at[c]);
        PX_ISA_PICK(j->isa, px_sheet_measure)(branch, most, &n->lanes);
        count += n->lanes.near != 0;
    }
    if (count == 0)
        return;
    for (uint32_t cloth = 0; (cloth = next_cloth(j, near, count, cloth)) != UINT32_MAX; ++cloth)
        find_planes(j, b, row, near, count, cloth);
    add_faces(j, b, row, near, count);
}

/* Box of the particles of a cell. */
static PxSheetBox box_of_cell(const PxGrid *g, const PxParticles *p, uint32_t cell)
{
    uint32_t from = g->begin[cell], to = g->begin[cell + 1];
    PxSheetBox b = {{p->x[from], p->y[from], p->z[from], 0},
                    {p->x[from], p->y[from], p->z[from], 0}};
    for (uint32_t i = from + 1; i < to; ++i) {
        const float at[4] = {p->x[i], p->y[i], p->z[i], 0};
        for (int k = 0; k < 4; ++k) {
            b.low[k] = at[k] < b.low[k] ? at[k] : b.low[k];
            b.high[k] = at[k] > b.high[k] ? at[k] : b.high[k];
        }
    }
    return b;
}

/* Box of all that the particles of cells [from, to) may reach. */
static PxSheetBox box_of_cells(const Job *j, uint32_t from, uint32_t to)
{
    PxSheetBox b = j->around[from];
    for (uint32_t c = from + 1; c < to; ++c)
        px_sheet_box_join(&b, &b, &j->around[c]);
    return px_sheet_box(px_vec((double)b.low[0], (double)b.low[1], (double)b.low[2]),
                        px_vec((double)b.high[0], (double)b.high[1], (double)b.high[2]),
                        j->s->reach);
}

/* Lists the branches that meet a box. False: there are too many. */
static bool list_boxes(const Job *j, PxSheetBox box, PxSheetBoxes *out)
{
    const PxSheetTree *tree = &j->s->tree;
    PxSheetWalk walk = {.box = box};
    float far = 0;
    for (int k = 0; k < 3; ++k)
        far += fmaxf(fabsf(box.low[k]), fabsf(box.high[k]));
    uint32_t count = 0;
    for (uint32_t n; (n = px_sheet_next_branch(tree, &walk)) != UINT32_MAX; ++count) {
        if (count == PX_SHEET_NEAR)
            return false;
        const PxSheetBox *of = &tree->box[tree->system->branch.upper_of[n]];
        const PxSheetBranch *t = &j->branch[n];
        PxSheetEight *e = &out->eight[count / 8];
        uint32_t lane = count % 8;
        double at = 0;
        e->branch[lane] = n;
        for (int k = 0; k < 3; ++k) {
            e->low[k][lane] = of->low[k];
            e->high[k][lane] = of->high[k];
            e->normal[k][lane] = t->mean[k];
            at += (double)t->mean[k] * t->at[k];
        }
        float rounded = 1e-6f * (far + (t->high - t->low));
        e->low[3][lane] = (float)(at + (double)t->low) - rounded;
        e->high[3][lane] = (float)(at + (double)t->high) + rounded;
    }
    out->count = count;
    for (; count % 8 != 0; ++count)
        out->eight[count / 8].low[0][count % 8] = out->eight[count / 8].high[0][count % 8] = NAN;
    return true;
}

/* Finds what the particles of cells [first, last), which are adjacent, touch. `wide` has the
 * branches near a longer run of cells; if it is NULL, the tree is searched. */
static void find_rows(Job *j, Buffer *b, uint32_t first, uint32_t last, const PxSheetBoxes *wide)
{
    PxSheets *s = j->s;
    uint32_t from = j->grid->begin[first], to = j->grid->begin[last];
    float most = (float)s->reach;
    PxSheetBoxes boxes;
    boxes.count = 0;
    bool listed = true;
    if (wide == NULL || wide->count > 0) {
        PxSheetBox box = box_of_cells(j, first, last);
        if (wide == NULL)
            listed = list_boxes(j, box, &boxes);
        else
            PX_ISA_PICK(j->isa, px_sheet_meets)(wide, box.low, box.high, &boxes);
    }
    for (uint32_t i = from; i < to; ++i) {
        s->found[i] = NULL;
        s->nearest[i] = INFINITY;
        s->around[i] = NULL;
        s->clear[i] = (PxSheetClear){.top = -INFINITY};
        if (!listed)
            find_alone(j, b, i);
        else if (boxes.count > 0)
            find_row(j, b, &boxes, i);
        float *quad = s->quad + 4 * (size_t)i;
        quad[0] = j->p->x[i];
        quad[1] = j->p->y[i];
        quad[2] = j->p->z[i];
        quad[3] = s->nearest[i] < most ? s->nearest[i] : most;
    }
}

/* Marks the branches that may be in reach of the particles of some cells. */
static void want_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    for (uint32_t c = begin; c < end; ++c)
        j->around[c] = box_of_cell(j->grid, j->p, c);
    PxSheetWalk walk = {.box = box_of_cells(j, begin, end)};
    for (uint32_t n; (n = px_sheet_next_branch(&j->s->tree, &walk)) != UINT32_MAX;)
        atomic_store_explicit(&j->wanted[n], 1, memory_order_relaxed);
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    enum { ADJACENT = 4 }; /* most cells in a row that share a list */
    Job *j = user;
    const PxGrid *g = j->grid;
    uint32_t shift = g->frame.shift[2];
    PxSheetBoxes wide;
    Buffer buffer;
    buffer.founds = buffer.rows = buffer.entries = 0;
    for (uint32_t layer = begin, next; layer < end; layer = next) { /* of one z */
        for (next = layer + 1; next < end && g->key[next] >> shift == g->key[layer] >> shift;)
            ++next;
        bool listed = list_boxes(j, box_of_cells(j, layer, next), &wide);
        for (uint32_t c = layer, to; c < next; c = to) {
            for (to = c + 1; to < next && g->key[to] - g->key[c] < ADJACENT;)
                ++to;
            find_rows(j, &buffer, c, to, listed ? &wide : NULL);
        }
    }
    flush(j, &buffer);
}

PxStatus px_sheets_find(PxSheets *s, const PxGrid *grid, const PxParticles *p, PxIsa isa,
                        const PxThreads *threads)
{
    enum { CELLS = 64, BRANCHES = 64 };
    uint32_t n = p->table.count;
    Job job = {.s = s, .grid = grid, .p = p, .isa = isa};
    s->found = PX_ARENA_ARRAY(s->scratch, PxSheetFound *, n + 1);
    s->nearest = PX_ARENA_ARRAY(s->scratch, float, n + 1);
    s->clear = PX_ARENA_ARRAY(s->scratch, PxSheetClear, n + 1);
    s->around = PX_ARENA_ARRAY(s->scratch, PxSheetFaces *, n + 1);
    s->quad = PX_ARENA_ARRAY(s->scratch, float, 4 * ((size_t)n + 1));
    if (s->found == NULL || s->nearest == NULL || s->clear == NULL || s->around == NULL ||
        s->quad == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", n);
    s->branches = s->system->branch.count;
    s->branch = job.branch = PX_ARENA_ARRAY(s->scratch, PxSheetBranch, s->branches + 1);
    job.wanted = PX_ARENA_ARRAY(s->scratch, _Atomic uint8_t, s->branches + 1);
    job.around = PX_ARENA_ARRAY(s->scratch, PxSheetBox, grid->cells + 1);
    if (s->branch == NULL || job.wanted == NULL || job.around == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u triangles", s->system->faces);
    memset((void *)job.wanted, 0, s->branches);
    s->particles = p;
    s->isa = isa;
    px_parallel_for(threads, grid->cells, CELLS, want_block, &job);
    px_parallel_for(threads, s->branches, BRANCHES, pack_block, &job);
    px_parallel_for(threads, grid->cells, CELLS, find_block, &job);
    return job.no_room ? px_fail(PX_ERR_MEMORY, "cloth: no room for what %u particles touch", n)
                       : PX_OK;
}
