#include "solid/fracture/sever.h"

#include "solid/fracture/meet.h"

#include <math.h>
#include <string.h>

/* Bonds weaker than this are cut. */
#define LEAST_STRENGTH 1e-3f

/* A young triangle and a row whose bonds may cross it. */
typedef struct Pair {
    uint32_t row, triangle;
} Pair;

typedef struct Segment {
    PxVec3 a, b;
    uint32_t body;
} Segment;

typedef PX_LIST(Pair) Pairs;

typedef struct Job {
    const PxCrackGrowth *growth;
    const PxBonds *bonds;
    float *strength;
    const Pair *pair;      /* sorted by row */
    const uint32_t *start; /* by row of `rows` */
    const uint32_t *rows;
    const Segment *segment;
    const uint32_t
        *near; /* segments, by young triangle: those that some point of it is nearest to */
    const uint32_t *first; /* by triangle: in `near`; one more at the end */
    uint32_t *lowered;     /* by row of `rows` */
} Job;

static double distance_to(PxVec3 x, const Segment *s)
{
    PxVec3 way = px_sub(s->b, s->a), off = px_sub(x, s->a);
    double square = px_dot(way, way), t = square > 0 ? px_dot(off, way) / square : 0;
    return px_length(px_mad(off, way, -fmin(fmax(t, 0), 1)));
}

/* Distance of a point of a triangle from the fronts of its body; infinite if there is none. */
static double behind_front(const Job *job, uint32_t triangle, PxVec3 x)
{
    double least = INFINITY;
    for (uint32_t k = job->first[triangle]; k < job->first[triangle + 1]; ++k)
        least = fmin(least, distance_to(x, &job->segment[job->near[k]]));
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

static void corners_of(const PxCracks *c, uint32_t triangle, PxVec3 corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = px_crack_place(c, c->triangles.data[triangle].corner[k]);
}

/* Both ends of a bond compute its strength, from the end with the lower id: the same bits. */
static void lower_bond(const Job *job, uint32_t i, uint32_t e, uint32_t triangle,
                       const PxVec3 corner[3], uint32_t *lowered)
{
    const PxFractureField *f = job->growth->field;
    uint32_t j = job->bonds->other[e];
    PxVec3 at;
    if (!(job->strength[e] > 0.0f))
        return;
    bool first = f->solid->particles->id[i] < f->solid->particles->id[j];
    uint32_t a = first ? i : j, b = first ? j : i;
    if (!px_segment_crosses(f->rest[a], f->rest[b], corner, &at))
        return;
    float left = strength_across(job, a, b, behind_front(job, triangle, at));
    left = left < LEAST_STRENGTH ? 0.0f : left;
    if (left < job->strength[e]) {
        job->strength[e] = left;
        ++*lowered;
    }
}

static void row_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxFractureField *f = job->growth->field;
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = job->rows[k];
        job->lowered[k] = 0;
        for (uint32_t p = job->start[k]; p < job->start[k + 1]; ++p) {
            PxVec3 corner[3];
            corners_of(job->growth->cracks, job->pair[p].triangle, corner);
            PxVec3 normal = px_cross(px_sub(corner[1], corner[0]), px_sub(corner[2], corner[0]));
            bool side = px_dot(normal, px_sub(f->rest[i], corner[0])) > 0;
            for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e) {
                PxVec3 x = f->rest[job->bonds->other[e]];
                if ((px_dot(normal, px_sub(x, corner[0])) > 0) != side)
                    lower_bond(job, i, e, job->pair[p].triangle, corner, &job->lowered[k]);
            }
        }
    }
}

/* ---- young triangles ----------------------------------------------------------------- */

typedef struct Finding {
    Pairs pairs;
    PX_LIST(uint32_t) near; /* as in Job */
    uint32_t *first;
    double *distance; /* by segment, from the triangle */
    uint32_t triangle;
    bool good;
} Finding;

static void add_pair(void *user, uint32_t row, double distance2)
{
    (void)distance2;
    Finding *found = user;
    found->good = found->good && PX_LIST_RESERVE(&found->pairs, 1);
    if (found->good)
        found->pairs.data[found->pairs.count++] = (Pair){row, found->triangle};
}

static PxStatus list_segments(const PxCrackGrowth *g, Segment **out, uint32_t *count)
{
    const PxCracks *c = g->cracks;
    *out = PX_ARENA_ARRAY(g->field->solid->scratch, Segment, c->nodes.count + 1);
    *count = 0;
    if (*out == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu nodes", c->nodes.count);
    for (uint32_t k = 0; k < c->nodes.count;) {
        uint32_t n = px_crack_front_size(c, k);
        const PxCrackNode *node = &c->nodes.data[k];
        bool closed = (node->kind & PX_NODE_CLOSED) != 0;
        for (uint32_t m = 0; m < (closed ? n : n - 1); ++m)
            (*out)[(*count)++] = (Segment){px_crack_place(c, node[m].vertex),
                                           px_crack_place(c, node[(m + 1) % n].vertex),
                                           c->list.data[node[m].crack].body};
        k += n;
    }
    return PX_OK;
}

/* Counting sort by row: pairs of a row lie together, in the order of triangles. */
static PxStatus sort_pairs(const Finding *found, const PxSolid *s, Job *job, uint32_t *rows)
{
    size_t n = found->pairs.count;
    uint32_t *place = PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)s->count + 1);
    Pair *pair = PX_ARENA_ARRAY(s->scratch, Pair, n + 1);
    uint32_t *list = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 1);
    uint32_t *start = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 2);
    uint32_t *lowered = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 1);
    if (place == NULL || pair == NULL || list == NULL || start == NULL || lowered == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu pairs", n);
    memset(place, 0, ((size_t)s->count + 1) * sizeof *place);
    for (size_t k = 0; k < n; ++k)
        ++place[found->pairs.data[k].row];
    uint32_t next = 0;
    *rows = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t size = place[i];
        place[i] = next;
        if (size == 0)
            continue;
        list[*rows] = i;
        start[(*rows)++] = next;
        next += size;
    }
    start[*rows] = next;
    for (size_t k = 0; k < n; ++k)
        pair[place[found->pairs.data[k].row]++] = found->pairs.data[k];
    job->pair = pair;
    job->rows = list;
    job->start = start;
    job->lowered = lowered;
    return PX_OK;
}

/* Distance behind a front beyond which a sheet is opaque for all bonds, m. */
static double opaque_at(const PxFractureField *f, uint32_t row)
{
    const PxSolid *s = f->solid;
    const PxFractureDef *law = &s->material[s->particles->material[row]].def.fracture;
    return 0.5 * law->opacity * (double)s->columns.support[row];
}

/* Lists the segments that may be nearest to a point of a triangle, with this middle and radius.
 * Returns the distance of the middle from the nearest one. */
static double list_near(Finding *found, const Segment *segment, uint32_t segments, uint32_t body,
                        PxVec3 middle, double wide)
{
    double least = INFINITY;
    for (uint32_t k = 0; k < segments; ++k) {
        found->distance[k] =
            segment[k].body == body ? distance_to(middle, &segment[k]) : (double)INFINITY;
        least = fmin(least, found->distance[k]);
    }
    for (uint32_t k = 0; k < segments && isfinite(least); ++k) {
        if (!(found->distance[k] <= least + 2 * wide))
            continue;
        found->good = found->good && PX_LIST_RESERVE(&found->near, 1);
        if (found->good)
            found->near.data[found->near.count++] = k;
    }
    return least;
}

static PxStatus find_pairs(const PxCrackGrowth *g, const Segment *segment, uint32_t segments,
                           Finding *found)
{
    const PxFractureField *f = g->field;
    PxCracks *c = g->cracks;
    for (uint32_t k = 0; k < c->triangles.count && found->good; ++k) {
        PxCrackTriangle *t = &c->triangles.data[k];
        uint32_t body = c->list.data[t->crack].body;
        PxVec3 corner[3];
        found->first[k + 1] = found->first[k];
        if (!t->young || !g->grown[body])
            continue;
        corners_of(c, k, corner);
        PxVec3 middle = px_scale(px_add(px_add(corner[0], corner[1]), corner[2]), 1.0 / 3);
        double wide = 0, reach = f->grid->frame.cell;
        for (int n = 0; n < 3; ++n)
            wide = fmax(wide, px_length(px_sub(corner[n], middle)));
        found->triangle = k;
        PxFractureSample s = px_fracture_sample(f, body, middle);
        if (s.nearest == UINT32_MAX)
            continue; /* outside */
        px_fracture_near(f, body, middle, reach, add_pair, found);
        double behind = list_near(found, segment, segments, body, middle, wide);
        found->first[k + 1] = (uint32_t)found->near.count;
        t->young = behind <= opaque_at(f, s.nearest) + wide;
    }
    return found->good ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for bonds at cracks");
}

PxStatus px_cracks_sever(const PxCrackGrowth *g, const PxBonds *bonds, float *strength,
                         uint64_t *changed)
{
    const PxSolid *s = g->field->solid;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Finding found = {.good = true};
    Segment *segment;
    uint32_t segments;
    Job job = {.growth = g, .bonds = bonds, .strength = strength};
    uint32_t rows = 0;
    *changed = 0;
    PxStatus status = list_segments(g, &segment, &segments);
    job.segment = segment;
    if (status == PX_OK) {
        found.first = PX_ARENA_ARRAY(s->scratch, uint32_t, g->cracks->triangles.count + 1);
        found.distance = PX_ARENA_ARRAY(s->scratch, double, (size_t)segments + 1);
        if (found.first == NULL || found.distance == NULL)
            status = px_fail(PX_ERR_MEMORY, "fracture: no room for %u segments", segments);
    }
    if (status == PX_OK) {
        found.first[0] = 0;
        status = find_pairs(g, segment, segments, &found);
    }
    if (status == PX_OK)
        status = sort_pairs(&found, s, &job, &rows);
    job.near = found.near.data;
    job.first = found.first;
    if (status == PX_OK) {
        px_parallel_for(s->threads, rows, 64, row_block, &job);
        for (uint32_t k = 0; k < rows; ++k)
            *changed += job.lowered[k];
    }
    PX_LIST_FREE(&found.pairs);
    PX_LIST_FREE(&found.near);
    px_arena_release(s->scratch, mark);
    return status;
}
