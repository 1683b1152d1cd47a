#include "solid/fracture/small.h"

#include "base/arena.h"
#include "base/union_find.h"

/* A bond below this strength does not hold a small piece: a group of particles that hangs on
 * weaker ones alone is drawn out into a spike, for its own bonds outweigh them in its fits. */
#define HOLDS 0.3f
/* Small pieces that are neighbours may join each other first; then what they are together looks
 * for a neighbour again. */
#define MOST_PASSES 8

typedef struct Job {
    const PxSolid *solid;
    const PxBonds *bonds;
    float *strength;
    uint32_t *parent; /* by row */
    double *volume;   /* by root: rest volume of the piece, m^3 */
    double *held;     /* by root, while one piece is looked at: strengths of its bonds to it */
    uint32_t *rows;   /* rows by piece */
    uint32_t *start;  /* by root: its first entry in `rows` */
} Job;

double px_fracture_shield(const PxSolid *s, uint32_t i)
{
    const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
    return law->shield > 0 ? law->shield : 2 * s->support;
}

double px_fracture_smallest(const PxSolid *s, uint32_t i)
{
    const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
    return law->smallest > 0 ? law->smallest : 0.25 * px_fracture_shield(s, i);
}

static bool is_lowered(const Job *job, uint32_t e)
{
    return job->strength[e] < job->bonds->strength[e];
}

static bool lets_anything_go(const Job *job)
{
    for (uint32_t e = 0; e < job->bonds->start[job->bonds->count]; ++e)
        if (is_lowered(job, e) && job->strength[e] < HOLDS)
            return true;
    return false;
}

/* Finds the pieces: rows that bonds hold together. Roots are their lowest rows. */
static void find_pieces(const Job *job)
{
    const PxBonds *b = job->bonds;
    for (uint32_t i = 0; i < b->count; ++i) {
        job->parent[i] = i;
        job->volume[i] = 0;
    }
    for (uint32_t i = 0; i < b->count; ++i)
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e)
            if (b->other[e] < i && job->strength[e] >= HOLDS)
                px_join(job->parent, i, b->other[e]);
    for (uint32_t i = 0; i < b->count; ++i) {
        job->parent[i] = px_root_of(job->parent, i);
        job->volume[job->parent[i]] += (double)job->solid->columns.volume[i];
    }
}

/* Sorts the rows by piece. */
static void list_rows(const Job *job)
{
    uint32_t n = job->bonds->count, next = 0;
    for (uint32_t i = 0; i <= n; ++i)
        job->start[i] = 0;
    for (uint32_t i = 0; i < n; ++i)
        ++job->start[job->parent[i]];
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t size = job->start[i];
        job->start[i] = next;
        next += size;
    }
    for (uint32_t i = 0; i < n; ++i)
        job->rows[job->start[job->parent[i]]++] = i;
    for (uint32_t i = n; i > 0; --i)
        job->start[i] = job->start[i - 1];
    job->start[0] = 0;
}

/* The piece to which bonds held the piece `own` most until now; itself: none. */
static uint32_t holder_of(const Job *job, uint32_t own, uint32_t begin, uint32_t end)
{
    const PxBonds *b = job->bonds;
    uint32_t best = own;
    double most = 0;
    for (uint32_t k = begin; k < end; ++k)
        for (uint32_t e = b->start[job->rows[k]]; e < b->start[job->rows[k] + 1]; ++e) {
            uint32_t other = job->parent[b->other[e]];
            if (other == own)
                continue;
            job->held[other] += (double)b->strength[e];
            if (job->held[other] > most) {
                most = job->held[other];
                best = other;
            }
        }
    for (uint32_t k = begin; k < end; ++k)
        for (uint32_t e = b->start[job->rows[k]]; e < b->start[job->rows[k] + 1]; ++e)
            job->held[job->parent[b->other[e]]] = 0;
    return best;
}

static void set_bond(const Job *job, uint32_t i, uint32_t e, float to)
{
    const PxBonds *b = job->bonds;
    uint32_t j = b->other[e];
    job->strength[e] = to;
    for (uint32_t back = b->start[j]; back < b->start[j + 1]; ++back)
        if (b->other[back] == i)
            job->strength[back] = to;
}

/* Gives the bonds of the piece `own` to `other` back what they had, and cuts those to third ones,
 * which do not hold it: else it would be a bridge between two pieces. False: nothing changed. */
static bool take_side(const Job *job, uint32_t own, uint32_t other, uint32_t begin, uint32_t end)
{
    const PxBonds *b = job->bonds;
    bool changed = false;
    for (uint32_t k = begin; k < end; ++k)
        for (uint32_t e = b->start[job->rows[k]]; e < b->start[job->rows[k] + 1]; ++e) {
            uint32_t piece = job->parent[b->other[e]];
            float to = piece == other ? b->strength[e] : 0.0f;
            if (piece == own || job->strength[e] == to)
                continue;
            set_bond(job, job->rows[k], e, to);
            changed = true;
        }
    return changed;
}

/* One pass over all small pieces. False: none could be kept. */
static bool keep_once(const Job *job)
{
    bool kept = false;
    for (uint32_t i = 0; i < job->bonds->count; ++i) {
        double edge = px_fracture_smallest(job->solid, i);
        if (job->parent[i] != i || job->volume[i] >= edge * edge * edge)
            continue;
        uint32_t begin = job->start[i], end = job->start[i + 1];
        uint32_t other = holder_of(job, i, begin, end);
        if (other != i && take_side(job, i, other, begin, end))
            kept = true;
    }
    return kept;
}

PxStatus px_fracture_keep_small(const PxSolid *s, const PxBonds *bonds, float *strength)
{
    uint32_t n = bonds->count;
    PxArenaMark mark = px_arena_mark(s->scratch);
    Job job = {.solid = s, .bonds = bonds, .strength = strength};
    if (!lets_anything_go(&job))
        return PX_OK;
    job.parent = PX_ARENA_ARRAY(s->scratch, uint32_t, n);
    job.volume = PX_ARENA_ARRAY(s->scratch, double, n);
    job.held = PX_ARENA_ARRAY(s->scratch, double, n);
    job.rows = PX_ARENA_ARRAY(s->scratch, uint32_t, n);
    job.start = PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)n + 1);
    bool room = job.parent != NULL && job.volume != NULL && job.held != NULL && job.rows != NULL &&
                job.start != NULL;
    for (uint32_t i = 0; room && i < n; ++i)
        job.held[i] = 0;
    for (int pass = 0; room && pass < MOST_PASSES; ++pass) {
        find_pieces(&job);
        list_rows(&job);
        if (!keep_once(&job))
            break;
    }
    px_arena_release(s->scratch, mark);
    return room ? PX_OK : px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", n);
}
