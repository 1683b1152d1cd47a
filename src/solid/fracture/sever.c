#include "solid/fracture/sever.h"

#include "solid/fracture/meet.h"

#include <math.h>

/* Bonds weaker than this are cut. */
#define LEAST_STRENGTH 1e-3f

/* A part of a front. */
typedef struct Segment {
    PxVec3 a, b;
    uint32_t body;
} Segment;

typedef struct Job {
    const PxCrackGrowth *growth;
    const PxBonds *bonds;
    float *strength;
    const Segment *segment;
    PxCrackIndex fronts; /* segments by their middles */
    PxCrackIndex moves;  /* points that moved */
    double reach;        /* of both, m */
    uint64_t lowered;
} Job;

/* A young triangle. */
typedef struct Face {
    PxVec3 corner[3], middle, normal;
    double wide; /* radius about its middle, m */
    uint32_t body;
    PxRange near[9]; /* of segments */
    int nears;
} Face;

static double distance_to(PxVec3 x, const Segment *s)
{
    PxVec3 way = px_sub(s->b, s->a), off = px_sub(x, s->a);
    double square = px_dot(way, way), t = square > 0 ? px_dot(off, way) / square : 0;
    return px_length(px_mad(off, way, -fmin(fmax(t, 0), 1)));
}

/* Distance of a point of a triangle from the fronts of its body; infinite: beyond the reach. */
static double behind_front(const Job *job, const Face *face, PxVec3 x)
{
    double least = INFINITY;
    for (int n = 0; n < face->nears; ++n)
        for (uint32_t k = face->near[n].begin; k < face->near[n].end; ++k) {
            const Segment *s = &job->segment[job->fronts.item[k]];
            if (s->body == face->body)
                least = fmin(least, distance_to(x, s));
        }
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
    if (!(left < job->strength[e]))
        return;
    job->strength[e] = left;
    job->strength[entry_back(job->bonds, j, i)] = left;
    ++job->lowered;
}

/* The bonds of one row across a triangle. */
static void lower_row(Job *job, const Face *face, uint32_t i)
{
    const PxFractureField *f = job->growth->field;
    double level = px_dot(face->normal, face->corner[0]);
    bool side = px_dot(face->normal, f->rest[i]) > level;
    for (uint32_t e = job->bonds->start[i]; e < job->bonds->start[i + 1]; ++e) {
        bool other = px_dot(face->normal, f->rest[job->bonds->other[e]]) > level;
        if (other != side && job->strength[e] > 0.0f)
            lower_bond(job, face, i, e);
    }
}

/* A bond that crosses the triangle has an end within half a support of it. */
static void lower_face(Job *job, const Face *face)
{
    const PxFractureField *f = job->growth->field;
    PxRange run[9];
    int runs = px_fracture_runs(f, face->body, face->middle, run);
    for (int n = 0; n < runs; ++n)
        for (uint32_t k = run[n].begin; k < run[n].end; ++k) {
            const PxFractureSpot *spot = &f->spot[k];
            PxVec3 way = px_sub(f->rest[spot->row], face->middle);
            double reach = 0.5 * (double)f->largest_support + face->wide;
            if (spot->body == face->body && px_dot(way, way) < reach * reach)
                lower_row(job, face, spot->row);
        }
}

/* ---- young triangles ----------------------------------------------------------------- */

static PxStatus list_segments(Job *job)
{
    const PxCrackGrowth *g = job->growth;
    const PxCracks *c = g->cracks;
    PxArena *scratch = g->field->solid->scratch;
    Segment *out = PX_ARENA_ARRAY(scratch, Segment, c->nodes.count + 1);
    PxVec3 *middle = PX_ARENA_ARRAY(scratch, PxVec3, c->nodes.count + 1);
    uint32_t *body = PX_ARENA_ARRAY(scratch, uint32_t, c->nodes.count + 1), count = 0;
    if (out == NULL || middle == NULL || body == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu nodes", c->nodes.count);
    double longest = 0;
    for (uint32_t k = 0; k < c->nodes.count;) {
        uint32_t n = px_crack_front_size(c, k);
        const PxCrackNode *node = &c->nodes.data[k];
        bool closed = (node->kind & PX_NODE_CLOSED) != 0;
        for (uint32_t m = 0; m < (closed ? n : n - 1); ++m, ++count) {
            body[count] = c->list.data[node[m].crack].body;
            out[count] = (Segment){px_crack_place(c, node[m].vertex),
                                   px_crack_place(c, node[(m + 1) % n].vertex), body[count]};
            middle[count] = px_scale(px_add(out[count].a, out[count].b), 0.5);
            longest = fmax(longest, px_length(px_sub(out[count].a, out[count].b)));
        }
        k += n;
    }
    job->segment = out;
    job->reach += 0.5 * longest;
    return px_crack_index(&job->fronts, g->field, g->grid[0], middle, body, count, job->reach);
}

static PxStatus list_moves(Job *job)
{
    const PxCrackGrowth *g = job->growth;
    uint32_t count = (uint32_t)g->moves->count;
    PxArena *scratch = g->field->solid->scratch;
    PxVec3 *at = PX_ARENA_ARRAY(scratch, PxVec3, (size_t)count + 1);
    uint32_t *body = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    if (at == NULL || body == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u moves", count);
    for (uint32_t k = 0; k < count; ++k) {
        at[k] = g->moves->data[k].at;
        body[k] = g->moves->data[k].body;
    }
    return px_crack_index(&job->moves, g->field, g->grid[1], at, body, count, job->reach);
}

/* Has a front moved within the reach of the triangle? */
static bool is_touched(const Job *job, const Face *face)
{
    PxRange run[9];
    int runs = px_crack_index_runs(&job->moves, face->body, face->middle, run);
    for (int n = 0; n < runs; ++n)
        for (uint32_t k = run[n].begin; k < run[n].end; ++k) {
            const PxCrackMove *move = &job->growth->moves->data[job->moves.item[k]];
            PxVec3 way = px_sub(move->at, face->middle);
            if (move->body == face->body && px_dot(way, way) < job->reach * job->reach)
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

static void lower_all(Job *job, double opaque)
{
    const PxCrackGrowth *g = job->growth;
    PxCracks *c = g->cracks;
    for (uint32_t k = 0; k < c->triangles.count; ++k) {
        PxCrackTriangle *t = &c->triangles.data[k];
        if (!t->young)
            continue;
        Face face = face_of(c, k);
        if (k < g->old && !is_touched(job, &face))
            continue;
        face.nears = px_crack_index_runs(&job->fronts, face.body, face.middle, face.near);
        lower_face(job, &face);
        t->young = behind_front(job, &face, face.middle) <= opaque + face.wide;
    }
}

PxStatus px_cracks_sever(const PxCrackGrowth *g, const PxBonds *bonds, float *strength,
                         uint64_t *changed)
{
    const PxSolid *s = g->field->solid;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Job job = {.growth = g, .bonds = bonds, .strength = strength};
    double opaque = 0;
    *changed = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
        if (law->fractures)
            opaque = fmax(opaque, 0.5 * law->opacity * (double)s->columns.support[i]);
    }
    /* a crack is opaque from there on; a triangle is about a cell wide */
    job.reach = opaque + 1.5 * (double)g->field->largest_cell;
    PxStatus status = list_segments(&job);
    if (status == PX_OK)
        status = list_moves(&job);
    if (status == PX_OK) {
        lower_all(&job, opaque);
        *changed = job.lowered;
    }
    px_arena_release(s->scratch, mark);
    return status;
}
