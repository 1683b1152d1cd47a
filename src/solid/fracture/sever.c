#include "solid/fracture/sever.h"

#include "solid/fracture/meet.h"

#include <math.h>
#include <stdatomic.h>

/* Bonds weaker than this are cut. */
#define LEAST_STRENGTH 1e-3f

/* Segments that a triangle lists; if there are more, they are searched. */
#define MOST_NEAR 64

/* Triangles of a thread's share. */
#define BLOCK 64

/* A part of a front. */
typedef struct Segment {
    PxVec3 a, b;
    uint32_t body;
} Segment;

typedef struct Job {
    const PxCrackGrowth *growth;
    const PxBonds *bonds;
    float *strength;
    float *half; /* by row: half the length of its longest bond, m */
    const Segment *segment;
    const PxCrackCells *fronts; /* segments */
    const PxCrackCells *moves;  /* points that moved */
    double opaque;              /* a crack is opaque from this distance behind its front on, m */
    double longest;             /* segment, m */
    atomic_bool lowered;        /* some bond was */
} Job;

/* A young triangle. */
typedef struct Face {
    PxVec3 corner[3], middle, normal;
    double wide; /* radius about its middle, m */
    uint32_t body;
    uint32_t near[MOST_NEAR]; /* segments from which the crack is not opaque in all of it */
    uint32_t nears;           /* more than MOST_NEAR: they have no room */
} Face;

static double distance_to(PxVec3 x, const Segment *s)
{
    PxVec3 way = px_sub(s->b, s->a), off = px_sub(x, s->a);
    double square = px_dot(way, way), t = square > 0 ? px_dot(off, way) / square : 0;
    return px_length(px_mad(off, way, -fmin(fmax(t, 0), 1)));
}

/* Lists the segments within reach of the middle of the triangle, and returns the distance of the
 * nearest one; infinite: there is none. */
static double list_near(const Job *job, Face *face, double reach)
{
    double least = INFINITY;
    uint32_t k;
    PxCrackSearch search = px_crack_search_ball(
        job->fronts, px_front_place(job->growth, face->body, face->middle), reach);
    face->nears = 0;
    while (px_crack_next(&search, &k)) {
        if (job->segment[k].body != face->body)
            continue;
        double far = distance_to(face->middle, &job->segment[k]);
        least = fmin(least, far);
        if (far > reach)
            continue;
        if (face->nears < MOST_NEAR)
            face->near[face->nears] = k;
        ++face->nears;
    }
    return least;
}

/* Distance of a point of the triangle from the fronts; infinite: beyond the reach. */
static double behind_front(const Job *job, const Face *face, PxVec3 x)
{
    double least = INFINITY;
    for (uint32_t n = 0; n < face->nears && face->nears <= MOST_NEAR; ++n)
        least = fmin(least, distance_to(x, &job->segment[face->near[n]]));
    if (face->nears <= MOST_NEAR)
        return least;
    uint32_t k;
    PxCrackSearch search =
        px_crack_search_ball(job->fronts, px_front_place(job->growth, face->body, x), job->opaque);
    while (px_crack_next(&search, &k))
        if (job->segment[k].body == face->body)
            least = fmin(least, distance_to(x, &job->segment[k]));
    return least;
}

/* Strength of the bond between rows i and j if the sheet crosses it at the distance d behind the
 * front. */
static float strength_across(const Job *job, uint32_t i, uint32_t j, double d)
{
    const PxSolid *s = job->growth->field->solid;
    const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
    double h = 0.5 * ((double)s->columns.support[i] + (double)s->columns.support[j]);
    double r = px_length(px_sub(job->growth->field->rest[i], job->growth->field->rest[j]));
    float whole = px_solid_weight((float)(r * r), (float)h);
    if (law->model == PX_FRACTURE_VISIBILITY || !(whole > 0.0f))
        return 0.0f;
    double behind = 2 * d / (law->opacity * h), q = r / h + behind * behind;
    return q < 1 ? px_solid_weight((float)(q * q * h * h), (float)h) / whole : 0.0f;
}

/* The entry of row j that leads to row i: those of a row ascend. */
static uint32_t entry_back(const PxBonds *b, uint32_t j, uint32_t i)
{
    uint32_t low = b->start[j], high = b->start[j + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->other[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Lowers an entry to `left` if it is above. Several triangles may cross a bond: whichever comes
 * first, the least value stays. */
static void lower_entry(Job *job, uint32_t e, float left)
{
    _Atomic(float) *entry = (_Atomic(float) *)&job->strength[e];
    float now = atomic_load_explicit(entry, memory_order_relaxed);
    while (left < now)
        if (atomic_compare_exchange_weak_explicit(entry, &now, left, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            atomic_store_explicit(&job->lowered, true, memory_order_relaxed);
            return;
        }
}

static bool is_whole(const Job *job, uint32_t e)
{
    return atomic_load_explicit((_Atomic(float) *)&job->strength[e], memory_order_relaxed) > 0.0f;
}

static void lower_bond(Job *job, const Face *face, uint32_t i, uint32_t e)
{
    const PxFractureField *f = job->growth->field;
    uint32_t j = job->bonds->other[e];
    PxVec3 at;
    bool first = f->solid->particles->id[i] < f->solid->particles->id[j];
    uint32_t a = first ? i : j, b = first ? j : i;
    if (!px_segment_crosses(f->rest[a], f->rest[b], face->corner, &at))
        return;
    float left = strength_across(job, a, b, behind_front(job, face, at));
    left = left < LEAST_STRENGTH ? 0.0f : left;
    lower_entry(job, e, left);
    lower_entry(job, entry_back(job->bonds, j, i), left);
}

/* The bonds of one row across a triangle. */
static void lower_row(Job *job, const Face *face, uint32_t i)
{
    const PxFractureField *f = job->growth->field;
    double level = px_dot(face->normal, face->corner[0]);
    bool side = px_dot(face->normal, f->rest[i]) > level;
    for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e) {
        bool other = px_dot(face->normal, f->rest[job->bonds->other[e]]) > level;
        if (other != side && is_whole(job, e))
            lower_bond(job, face, i, e);
    }
}

static void half_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    const PxVec3 *rest = job->growth->field->rest;
    const PxBonds *b = job->bonds;
    for (uint32_t i = begin; i < end; ++i) {
        double square = 0;
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e) {
            PxVec3 way = px_sub(rest[b->other[e]], rest[i]);
            square = fmax(square, px_dot(way, way));
        }
        job->half[i] = 0.5001f * (float)sqrt(square); /* rounding */
    }
}

/* A bond that crosses the triangle has an end within half its length of it. */
static void lower_face(Job *job, const Face *face)
{
    const PxFractureField *f = job->growth->field;
    PxRange run[PX_FRACTURE_RUNS];
    int runs = px_fracture_runs(f, face->body, face->middle, run);
    for (int n = 0; n < runs; ++n)
        for (uint32_t k = run[n].begin; k < run[n].end; ++k) {
            const PxFractureSpot *spot = &f->spot[k];
            PxVec3 way = px_sub(px_vec((double)spot->x[0], (double)spot->x[1], (double)spot->x[2]),
                                face->middle);
            double reach = (double)job->half[spot->row] + face->wide;
            if (spot->body == face->body && px_dot(way, way) < reach * reach)
                lower_row(job, face, spot->row);
        }
}

/* ---- young triangles ----------------------------------------------------------------- */

static PxVec3 least_of(PxVec3 a, PxVec3 b)
{
    return px_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}

static PxVec3 most_of(PxVec3 a, PxVec3 b)
{
    return px_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}

/* Edge of the cells in which segments lie; cracks may be opaque at once. */
static double cell_of(const Job *job)
{
    return fmax(job->opaque, (double)job->growth->field->largest_cell);
}

static PxStatus list_segments(Job *job)
{
    const PxCrackGrowth *g = job->growth;
    const PxCracks *c = g->cracks;
    PxCrackCells *cells = &g->cells[0];
    Segment *out = PX_ARENA_ARRAY(g->field->solid->scratch, Segment, c->nodes.count + 1);
    uint32_t count = 0;
    bool good = out != NULL && px_crack_cells_reset(cells, cell_of(job), c->nodes.count);
    for (uint32_t k = 0; k < c->nodes.count && good;) {
        uint32_t n = px_crack_front_size(c, k);
        const PxCrackNode *node = &c->nodes.data[k];
        bool closed = (node->kind & PX_NODE_CLOSED) != 0;
        for (uint32_t m = 0; m < (closed ? n : n - 1) && good; ++m, ++count) {
            uint32_t body = c->list.data[node[m].crack].body;
            PxVec3 a = px_crack_place(c, node[m].vertex);
            PxVec3 b = px_crack_place(c, node[(m + 1) % n].vertex);
            out[count] = (Segment){a, b, body};
            good = px_crack_cells_add(cells, px_front_place(g, body, least_of(a, b)),
                                      px_front_place(g, body, most_of(a, b)), count);
            job->longest = fmax(job->longest, px_length(px_sub(a, b)));
        }
        k += n;
    }
    job->segment = out;
    job->fronts = cells;
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for %zu nodes", c->nodes.count);
}

static PxStatus list_moves(Job *job)
{
    const PxCrackGrowth *g = job->growth;
    PxCrackCells *cells = &g->cells[1];
    uint32_t count = (uint32_t)g->moves->count;
    bool good = px_crack_cells_reset(cells, cell_of(job) + fmax(job->longest, g->reach), count);
    for (uint32_t k = 0; k < count && good; ++k) {
        PxVec3 at = px_front_place(g, g->moves->data[k].body, g->moves->data[k].at);
        good = px_crack_cells_add(cells, at, at, k);
    }
    job->moves = cells;
    return good ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for %u moves", count);
}

/* Has a front moved so near to the triangle that a point of it is at another distance? */
static bool is_touched(const Job *job, const Face *face)
{
    const PxCrackGrowth *g = job->growth;
    double reach = face->wide + (g->refit ? g->reach : job->opaque + job->longest);
    uint32_t k;
    PxCrackSearch search = px_crack_search_ball(
        job->moves, px_front_place(job->growth, face->body, face->middle), reach);
    while (px_crack_next(&search, &k)) {
        const PxCrackMove *move = &job->growth->moves->data[k];
        PxVec3 way = px_sub(move->at, face->middle);
        if (move->body == face->body && px_dot(way, way) < reach * reach)
            return true;
    }
    return false;
}

static Face face_of(const PxCracks *c, uint32_t k)
{
    const PxCrackTriangle *t = &c->triangles.data[k];
    Face face = {.body = c->list.data[t->crack].body, .middle = px_vec(0, 0, 0)};
    for (int n = 0; n < 3; ++n) {
        face.corner[n] = px_crack_place(c, t->corner[n]);
        face.middle = px_mad(face.middle, face.corner[n], 1.0 / 3);
    }
    for (int n = 0; n < 3; ++n)
        face.wide = fmax(face.wide, px_length(px_sub(face.corner[n], face.middle)));
    face.normal =
        px_cross(px_sub(face.corner[1], face.corner[0]), px_sub(face.corner[2], face.corner[0]));
    return face;
}

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *job = user;
    const PxCrackGrowth *g = job->growth;
    PxCracks *c = g->cracks;
    for (uint32_t k = begin; k < end; ++k) {
        PxCrackTriangle *t = &c->triangles.data[k];
        if (!t->young && !g->refit)
            continue;
        Face face = face_of(c, k);
        if ((k < g->old || g->refit) && !is_touched(job, &face))
            continue;
        double reach = job->opaque + face.wide;
        bool young = list_near(job, &face, reach) <= reach;
        if (!g->refit)
            t->young = young;
        lower_face(job, &face);
    }
}

PxStatus px_cracks_sever(const PxCrackGrowth *g, const PxBonds *bonds, float *strength,
                         uint64_t *changed)
{
    const PxSolid *s = g->field->solid;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Job job = {.growth = g, .bonds = bonds, .strength = strength};
    *changed = 0;
    job.half = PX_ARENA_ARRAY(s->scratch, float, s->count);
    if (job.half == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", s->count);
    px_parallel_for(s->threads, s->count, PX_BLOCK, half_block, &job);
    for (uint32_t i = 0; i < s->count; ++i) {
        const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
        if (law->fractures)
            job.opaque = fmax(job.opaque, 0.5 * law->opacity * (double)s->columns.support[i]);
    }
    PxStatus status = list_segments(&job);
    if (status == PX_OK)
        status = list_moves(&job);
    if (status == PX_OK) {
        px_parallel_for(s->threads, (uint32_t)g->cracks->triangles.count, BLOCK, face_block, &job);
        *changed = job.lowered;
    }
    px_arena_release(s->scratch, mark);
    return status;
}
