#include "cloth/seam.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STIFF 10.0 /* a tie is so many times as stiff as the cloth of an edge beside it */
#define SAMPLES 16 /* points at which two stretches are compared */
#define MOST_CHAINS 256
#define SNAP 1e-3 /* ties nearer to a vertex, in edges, are at the vertex */

/* ---- stretches of borders ------------------------------------------------------------------- */

/* An edge of a border, and how far along its stretch it begins, at rest. */
typedef struct Edge {
    uint32_t face, side, from, to; /* the last two: vertices */
    double begin, length;
} Edge;

typedef struct Chain {
    uint32_t first, count; /* edges */
    double length;
    bool closed, used;
} Chain;

typedef struct Border {
    const PxClothSheet *sheet;
    const PxVec3 *x;
    Edge *edge;
    uint32_t edges;
    Chain chain[MOST_CHAINS];
    uint32_t chains;
} Border;

static double rest_length(const PxClothFace *f, uint32_t side)
{
    double det = f->inverse[0][0] * f->inverse[1][1] - f->inverse[0][1] * f->inverse[1][0];
    const double p[3][2] = {{0, 0},
                            {f->inverse[1][1] / det, -f->inverse[1][0] / det},
                            {-f->inverse[0][1] / det, f->inverse[0][0] / det}};
    uint32_t next = (side + 1) % 3;
    return hypot(p[next][0] - p[side][0], p[next][1] - p[side][1]);
}

static double point_segment(PxVec3 p, PxVec3 a, PxVec3 b)
{
    PxVec3 e = px_sub(b, a), d = px_sub(p, a);
    double square = px_dot(e, e), t = square > 0 ? px_dot(d, e) / square : 0;
    return px_length(px_mad(d, e, -fmin(fmax(t, 0), 1)));
}

static bool is_border(const PxClothSheet *s, uint32_t face, int side)
{
    return s->face[face].edge[side] >= s->hinges;
}

/* Distance to the border of a sheet. */
static double border_distance(const PxClothSheet *s, const PxVec3 *x, PxVec3 p)
{
    double least = INFINITY;
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 0; k < 3; ++k)
            if (is_border(s, f, k)) {
                const uint32_t *c = s->face[f].corner;
                least = fmin(least, point_segment(p, x[c[k]], x[c[(k + 1) % 3]]));
            }
    return least;
}

/* Which vertices may be sewn? */
static uint8_t *choose(const PxClothSeamWish *w, int side)
{
    const PxClothSheet *s = w->sheet[side], *other = w->sheet[1 - side];
    uint8_t *chosen = calloc((size_t)s->vertices + 1, 1);
    for (uint32_t f = 0; chosen != NULL && f < s->faces; ++f)
        for (int k = 0; k < 3; ++k)
            for (int n = 0; n < 2 && is_border(s, f, k); ++n) {
                uint32_t v = s->face[f].corner[(k + n) % 3];
                PxVec3 x = w->x[side][v];
                if (chosen[v] != 0)
                    continue;
                bool in = w->region == NULL || px_shape_inside(w->region, x);
                if (in && w->within > 0 && other != s)
                    in = border_distance(other, w->x[1 - side], x) <= w->within;
                chosen[v] = in ? 1 : 2;
            }
    return chosen;
}

/* Follows the border from the edge `at`, whose successors are in next[] by vertex. */
static void follow(Border *b, const Edge *all, const uint32_t *next, uint8_t *taken, uint32_t at)
{
    Chain *c = &b->chain[b->chains];
    *c = (Chain){.first = b->edges};
    uint32_t start = all[at].from;
    for (;;) {
        taken[at] = 1;
        b->edge[b->edges] = all[at];
        b->edge[b->edges++].begin = c->length;
        c->length += all[at].length;
        ++c->count;
        c->closed = all[at].to == start;
        uint32_t then = next[all[at].to];
        if (c->closed || then == UINT32_MAX || taken[then])
            break;
        at = then;
    }
    ++b->chains;
}

static PxStatus too_many(const char *name)
{
    return px_fail(PX_ERR_ARGUMENT,
                   "the border of '%s' is in more than %d stretches; wanted a shape that takes "
                   "fewer",
                   name, MOST_CHAINS);
}

/* Edges of the border as chains: in a mesh whose triangles all face one side they follow each
 * other. */
static PxStatus make_chains(const PxClothSeamWish *w, int side, const uint8_t *chosen, Edge *all,
                            uint32_t *next, uint8_t *taken, Border *b)
{
    const PxClothSheet *s = w->sheet[side];
    uint32_t count = 0;
    for (uint32_t v = 0; v < s->vertices; ++v)
        next[v] = UINT32_MAX;
    uint8_t *entered = taken + s->borders;
    memset(taken, 0, (size_t)s->borders + s->vertices);
    for (uint32_t f = 0; f < s->faces; ++f)
        for (int k = 0; k < 3; ++k) {
            uint32_t from = s->face[f].corner[k], to = s->face[f].corner[(k + 1) % 3];
            if (!is_border(s, f, k) || chosen[from] != 1 || chosen[to] != 1)
                continue;
            if (next[from] == UINT32_MAX)
                next[from] = count;
            entered[to] = 1;
            all[count++] =
                (Edge){f, (uint32_t)k, from, to, 0, rest_length(&s->face[f], (uint32_t)k)};
        }
    for (int loops = 0; loops < 2; ++loops) /* those with a beginning first */
        for (uint32_t k = 0; k < count; ++k) {
            if (taken[k] || (loops == 0 && entered[all[k].from]))
                continue;
            if (b->chains == MOST_CHAINS)
                return too_many(w->name[side]);
            follow(b, all, next, taken, k);
        }
    return PX_OK;
}

static PxStatus make_border(const PxClothSeamWish *w, int side, Border *b)
{
    const PxClothSheet *s = w->sheet[side];
    size_t n = (size_t)s->borders + s->vertices + 1;
    *b = (Border){.sheet = s, .x = w->x[side], .edge = malloc(n * sizeof *b->edge)};
    Edge *all = malloc(n * sizeof *all);
    uint32_t *next = malloc(n * sizeof *next);
    uint8_t *taken = malloc(n), *chosen = choose(w, side);
    PxStatus status = PX_OK;
    if (b->edge == NULL || all == NULL || next == NULL || taken == NULL || chosen == NULL)
        status = px_fail(PX_ERR_MEMORY, "no room for a border of %u edges", s->borders);
    if (status == PX_OK)
        status = make_chains(w, side, chosen, all, next, taken, b);
    free(all);
    free(next);
    free(taken);
    free(chosen);
    return status;
}

/* ---- pairs of stretches ---------------------------------------------------------------------- */

/* How the second stretch runs beside the first one. */
typedef struct Match {
    double shift; /* where on a closed one the other begins, m */
    bool back;    /* it runs the other way */
    bool wrap;    /* parts go around: the first one is closed */
} Match;

/* The point at the arc length s; it wraps around. */
static PxClothTieEnd end_at(const Border *b, const Chain *c, double s)
{
    if (c->closed)
        s -= c->length * floor(s / c->length);
    s = fmin(fmax(s, 0), c->length);
    uint32_t low = 0, high = c->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (b->edge[c->first + middle].begin <= s)
            low = middle;
        else
            high = middle - 1;
    }
    const Edge *e = &b->edge[c->first + low];
    double part = fmin(fmax((s - e->begin) / e->length, 0), 1);
    if (part < SNAP)
        part = 0;
    if (part > 1 - SNAP)
        part = 1;
    return (PxClothTieEnd){e->face, e->side, part};
}

static PxVec3 place_of(const Border *b, const PxClothTieEnd *e)
{
    const uint32_t *c = b->sheet->face[e->face].corner;
    PxVec3 from = b->x[c[e->side]], to = b->x[c[(e->side + 1) % 3]];
    return px_mad(from, px_sub(to, from), e->part);
}

static PxVec3 place_at(const Border *b, const Chain *c, double s)
{
    PxClothTieEnd e = end_at(b, c, s);
    return place_of(b, &e);
}

/* The arc length on d that lies at the part q of the other. */
static double beside(const Chain *d, const Match *m, double q)
{
    double t = m->shift / d->length + (m->back ? 1 - q : q);
    return d->length * (m->wrap ? t - floor(t) : t);
}

static double mean_gap(const Border *a, const Chain *c, const Border *b, const Chain *d,
                       const Match *m)
{
    double sum = 0;
    for (int k = 0; k <= SAMPLES; ++k) {
        double q = (double)k / SAMPLES;
        PxVec3 gap = px_sub(place_at(a, c, q * c->length), place_at(b, d, beside(d, m, q)));
        sum += px_length(gap);
    }
    return sum / (SAMPLES + 1);
}

/* The arc length on a closed stretch that is nearest to a point. */
static double nearest(const Border *b, const Chain *c, PxVec3 p)
{
    double least = INFINITY, at = 0;
    for (uint32_t k = 0; k < c->count; ++k) {
        const Edge *e = &b->edge[c->first + k];
        PxVec3 from = b->x[e->from], way = px_sub(b->x[e->to], from), d = px_sub(p, from);
        double square = px_dot(way, way);
        double t = square > 0 ? fmin(fmax(px_dot(d, way) / square, 0), 1) : 0;
        double far = px_length(px_mad(d, way, -t));
        if (far < least) {
            least = far;
            at = e->begin + t * e->length;
        }
    }
    return at;
}

/* The better of both directions; d begins beside the beginning of c if it is closed. */
static double match(const Border *a, const Chain *c, const Border *b, const Chain *d, Match *out)
{
    double best = INFINITY;
    for (int back = 0; back < 2; ++back) {
        Match m = {.back = back != 0};
        if (d->closed)
            m.shift = nearest(b, d, place_at(a, c, 0));
        double gap = mean_gap(a, c, b, d, &m);
        if (gap < best) {
            best = gap;
            *out = m;
        }
    }
    return best;
}

/* ---- ties ------------------------------------------------------------------------------------ */

static uint32_t vertex_of(const Border *b, const PxClothTieEnd *e)
{
    const uint32_t *c = b->sheet->face[e->face].corner;
    return e->part <= 0 ? c[e->side] : e->part >= 1 ? c[(e->side + 1) % 3] : UINT32_MAX;
}

/* Ties at the vertices of the stretch c of border a; `flip`: a is the second side. */
static PxStatus tie_chains(const Border *a, const Chain *c, const Border *b, const Chain *d,
                           const Match *m, bool flip, PxClothSeam *out)
{
    uint32_t count = c->count + (c->closed ? 0 : 1);
    PxClothTie *more = realloc(out->tie, (out->ties + count) * sizeof *more);
    if (more == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for a seam of %u ties", count);
    out->tie = more;
    for (uint32_t k = 0; k < count; ++k) {
        const Edge *after = k < c->count ? &a->edge[c->first + k] : NULL;
        const Edge *before = k > 0       ? &a->edge[c->first + k - 1]
                             : c->closed ? &a->edge[c->first + c->count - 1]
                                         : NULL;
        double s = after != NULL ? after->begin : c->length;
        PxClothTieEnd own = after != NULL ? (PxClothTieEnd){after->face, after->side, 0}
                                          : (PxClothTieEnd){before->face, before->side, 1};
        PxClothTieEnd other = end_at(b, d, beside(d, m, s / c->length));
        if (a->sheet == b->sheet && vertex_of(a, &own) == vertex_of(b, &other))
            continue; /* both stretches end in the same vertex */
        PxClothTie tie = {.length = -1};
        tie.end[flip] = own;
        tie.end[!flip] = other;
        tie.width =
            0.5 * ((after != NULL ? after->length : 0) + (before != NULL ? before->length : 0));
        PxVec3 x = place_of(a, &own), y = place_of(b, &other);
        double gap = px_length(px_sub(x, y));
        if (gap >= out->gap) {
            out->gap = gap;
            out->gap_at = flip ? y : x;
        }
        out->tie[out->ties++] = tie;
    }
    return PX_OK;
}

/* Sews the pair of stretches that lie nearest to each other; false: none is left. */
static PxStatus tie_nearest(Border *a, Border *b, PxClothSeam *out, bool *any)
{
    double best = INFINITY;
    Chain *c = NULL, *d = NULL;
    Match how = {0};
    bool swap = false;
    *any = false;
    for (uint32_t i = 0; i < a->chains; ++i)
        for (uint32_t j = a == b ? i + 1 : 0; j < b->chains; ++j) {
            if (a->chain[i].used || b->chain[j].used)
                continue;
            /* a closed one begins where the open one does */
            bool turn = a->chain[i].closed && !b->chain[j].closed;
            Match m = {0};
            double gap = turn ? match(b, &b->chain[j], a, &a->chain[i], &m)
                              : match(a, &a->chain[i], b, &b->chain[j], &m);
            if (gap < best) {
                best = gap;
                c = &a->chain[i];
                d = &b->chain[j];
                how = m;
                swap = turn;
            }
        }
    if (c == NULL)
        return PX_OK;
    *any = true;
    c->used = d->used = true;
    ++out->stretches;
    out->length[0] += c->length;
    out->length[1] += d->length;
    /* Ties are at the vertices of the side with more edges. `how` places the second beside the
     * first; seen from the second it is the inverse. */
    bool flip = d->count > c->count;
    if (flip == swap)
        return flip ? tie_chains(b, d, a, c, &how, true, out)
                    : tie_chains(a, c, b, d, &how, false, out);
    const Chain *placed = swap ? c : d; /* that `how` is about */
    Match back = {.back = how.back, .wrap = placed->closed};
    double part = how.shift / placed->length;
    const Chain *from = swap ? d : c;
    back.shift = (how.back ? part : -part) * from->length;
    return flip ? tie_chains(b, d, a, c, &back, true, out)
                : tie_chains(a, c, b, d, &back, false, out);
}

PxStatus px_cloth_seam_make(const PxClothSeamWish *w, PxClothSeam *out)
{
    bool own = w->sheet[0] == w->sheet[1];
    Border *border = calloc(2, sizeof *border);
    *out = (PxClothSeam){0};
    if (border == NULL)
        return px_fail(PX_ERR_MEMORY, "no room for a seam");
    PxStatus status = PX_OK;
    for (int k = 0; k < (own ? 1 : 2) && status == PX_OK; ++k) {
        status = make_border(w, k, &border[k]);
        if (status == PX_OK && border[k].chains == 0)
            status =
                px_fail(PX_ERR_ARGUMENT, "it sews nothing: %s%s; '%s' has %u edges at its border",
                        w->region != NULL ? "no edge of the border is in its shape"
                                          : "no edge of the border is near enough",
                        w->within > 0 && w->region != NULL ? " and near enough" : "", w->name[k],
                        w->sheet[k]->borders);
    }
    if (status == PX_OK && own && border[0].chains < 2)
        status = px_fail(PX_ERR_ARGUMENT,
                         "it sews '%s' to itself, and only one stretch of its border is in the "
                         "shape, %.3g m long; wanted two",
                         w->name[0], border[0].chain[0].length);
    Border *a = &border[0], *b = own ? a : &border[1];
    for (bool any = true; any && status == PX_OK;)
        status = tie_nearest(a, b, out, &any);
    for (int k = 0; k < 2; ++k)
        for (uint32_t n = 0; n < border[k].chains; ++n)
            out->left[k] += !border[k].chain[n].used;
    for (int k = 0; k < 2; ++k)
        free(border[k].edge);
    free(border);
    if (status != PX_OK)
        px_cloth_seam_free(out);
    return status;
}

void px_cloth_seam_free(PxClothSeam *seam)
{
    free(seam->tie);
    *seam = (PxClothSeam){0};
}

/* ---- in a step ------------------------------------------------------------------------------- */

double px_cloth_seam_left(double done)
{
    if (!(done < 1))
        return 0;
    return done > 0 ? 1 - done * done * (3 - 2 * done) : 1;
}

void px_cloth_seam_contact(const PxClothStep *s, const PxClothTie *tie,
                           const uint32_t first_face[2], double length, PxClothContact *out)
{
    const PxClothSystem *y = s->system;
    double stiff = 0;
    *out = (PxClothContact){.kind = PX_CLOTH_SEAM, .keep = length, .load = -1};
    for (int n = 0; n < 2; ++n) {
        const PxClothTieEnd *e = &tie->end[n];
        uint32_t face = first_face[n] + e->face, cloth = y->of_face[face];
        const uint32_t *c = y->face[face].corner;
        double sign = n == 0 ? 1 : -1;
        out->vertex[2 * n] = c[e->side];
        out->vertex[2 * n + 1] = c[(e->side + 1) % 3];
        out->weight[2 * n] = sign * (1 - e->part);
        out->weight[2 * n + 1] = sign * e->part;
        stiff += 0.5 * (s->law[cloth].c[0] + s->law[cloth].c[2]) / y->edge[cloth];
    }
    out->stiff = STIFF * 0.5 * stiff * tie->width;
    for (int k = 0; k < 4; ++k)
        out->place = px_mad(out->place, s->x[out->vertex[k]], out->weight[k]);
}

PxStatus px_cloth_seam_lists(PxClothStep *s, uint32_t (*pair)[2], size_t pairs)
{
    uint32_t n = s->system->vertices, *first = PX_ARENA_ARRAY(s->scratch, uint32_t, n + 2);
    uint32_t *list = PX_ARENA_ARRAY(s->scratch, uint32_t, pairs + 1);
    if (first == NULL || list == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for seams of %zu pairs", pairs);
    size_t k = 0;
    for (uint32_t i = 0; i <= n; ++i) {
        first[i] = (uint32_t)k;
        for (; i < n && k < pairs && pair[k][0] == i; ++k)
            list[k] = pair[k][1];
    }
    s->sewn_first = first;
    s->sewn = list;
    return PX_OK;
}
