#include "contact/facing.h"

#include "contact/facing_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows face each other if they come nearer than this many radii each while both move on as now:
 * the support of the weights (2 radii each, twice) and what forces of the step may add. */
#define NEAR (PX_FACING_SUPPORT + 0.5)

/* A row whose gap cannot fall below the sum of the radii in the step faces nothing: those to which
 * no row of the other solid comes nearer than this many of these sums. What forces of the step may
 * add is half a sum, and half of the way of the two solids relative to each other. */
#define TOUCHES 1.5

/* Cosines of the angle to a row's normal up to which rows of another solid count fully, and from
 * which on they do not. At the corner of a cube that lies on a plane it is -1/3. */
#define SEEN (-0.5f)
#define UNSEEN (-1.0f)

/* A row is on a surface if the mean of its rest neighbours is this many radii away. */
#define ON_SURFACE 0.3

/* Rows of sheets have no normal: for them, the cosine of the angle to the nearest row up to which
 * other rows of a solid count. */
#define SAME_SIDE (-0.2)

/* Distance from which on rows that pass each other slide rather than collide, over the sum of
 * their radii. */
#define PASSING 0.95

/* Bounds of a solid. */
typedef struct Box {
    PxVec3 low, high;
    PxVec3 velocity; /* mean, in the world, m/s */
    double spread;   /* largest velocity relative to it, m/s */
    double radius;   /* of the smallest rows; infinite: nothing of it is solid */
} Box;

typedef struct Start {
    double low;
    uint32_t frame;
} Start;

/* One solid of two that may meet: its rows near the other one, in order of their cells. Sides 2 n
 * and 2 n + 1 belong to the same two; of a solid with itself the second one is not used. */
typedef struct Side {
    uint32_t frame, other; /* `other`: the other solid */
    uint32_t begin, end;   /* points */
    uint32_t first;        /* in `cell` */
    PxVec3 origin;         /* of the points, m */
    float low[3], edge;    /* of the grid, the same for both sides */
    uint32_t cells[3];
} Side;

typedef struct Search {
    PxFacings *f;
    PxSolid *solid;
    Box *box;
    uint32_t *near; /* by frame: rows that may touch their own solid */
    Side *side;
    uint32_t sides, points;
    uint32_t *row, *unsorted; /* by point */
    float *x, *y, *z, *reach; /* by point: place in the middle of the step, relative to origin */
    float *as_found;          /* 4 a point: the same before they are sorted */
    uint32_t *number;         /* by point: its cell */
    uint32_t *cell;           /* first point of each cell, by side */
    uint32_t *count;          /* by point: rows that it faces */
    const Side **order;       /* sides by both frames */
    uint8_t *occurs;          /* by row: in a facing */
    double *fastest;          /* by side: square of `fastest` of PxFacings */
} Search;

static PxVec3 vec_of(const float *quad)
{
    return px_vec((double)quad[0], (double)quad[1], (double)quad[2]);
}

/* ---- boxes ------------------------------------------------------------------------ */

static bool can_touch(const PxFacings *f, const Box *box, uint32_t i)
{
    return (f->solid_rows == NULL || f->solid_rows[i]) &&
           (double)f->solid->particles->radius[i] <= 1.01 * box->radius;
}

static void box_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *job = user;
    const PxSolid *s = job->solid;
    for (uint32_t k = begin; k < end; ++k) {
        const PxSolidFrame *f = &s->frame[k];
        Box b = {.low = px_vec(INFINITY, INFINITY, INFINITY),
                 .high = px_vec(-INFINITY, -INFINITY, -INFINITY),
                 .velocity = px_mat3_apply(f->turn, f->velocity),
                 .radius = INFINITY};
        double spread = 0;
        for (uint32_t i = f->begin; i < f->end; ++i) {
            PxVec3 x = job->f->where[i] = px_solid_place(s, i);
            if (job->f->solid_rows != NULL && !job->f->solid_rows[i])
                continue;
            PxVec3 v = px_sub(vec_of(s->v + 4 * (size_t)i), f->velocity);
            b.low = px_vec(fmin(b.low.x, x.x), fmin(b.low.y, x.y), fmin(b.low.z, x.z));
            b.high = px_vec(fmax(b.high.x, x.x), fmax(b.high.y, x.y), fmax(b.high.z, x.z));
            b.radius = fmin(b.radius, (double)s->particles->radius[i]);
            spread = fmax(spread, px_dot(v, v));
        }
        b.spread = sqrt(spread);
        job->box[k] = b;
        job->f->radius[k] = (float)b.radius;
        job->near[k] = 0;
        for (uint32_t i = f->begin; job->f->self != NULL && i < f->end; ++i)
            job->near[k] += job->f->self->near[i];
    }
}

/* Largest distance between the boxes of two solids at which some of their rows may face each other
 * in the step. */
static double margin(const PxSolid *s, const Box *a, const Box *b)
{
    double speed = px_length(px_sub(a->velocity, b->velocity)) + a->spread + b->spread;
    return NEAR * (a->radius + b->radius) + 1.5 * (speed + px_length(s->gravity) * s->dt) * s->dt;
}

static bool meet(const Box *a, const Box *b, double margin)
{
    return a->low.x < b->high.x + margin && b->low.x < a->high.x + margin &&
           a->low.y < b->high.y + margin && b->low.y < a->high.y + margin &&
           a->low.z < b->high.z + margin && b->low.z < a->high.z + margin;
}

/* `box` holds the margin. */
static bool is_in(const Box *box, PxVec3 x)
{
    return x.x > box->low.x && x.x < box->high.x && x.y > box->low.y && x.y < box->high.y &&
           x.z > box->low.z && x.z < box->high.z;
}

static Box grown(const Box *box, double margin)
{
    Box out = *box;
    PxVec3 by = px_vec(margin, margin, margin);
    out.low = px_sub(out.low, by);
    out.high = px_add(out.high, by);
    return out;
}

static int by_start(const void *a, const void *b)
{
    const Start *p = a, *q = b;
    return p->low < q->low ? -1 : p->low > q->low ? 1 : p->frame < q->frame ? -1 : 1;
}

/* Counts pairs of boxes that meet, or writes their sides: boxes in order of their lower ends along
 * x meet only boxes that begin before they end. */
static uint32_t sweep(const Search *job, const Start *start, uint32_t boxes, double most,
                      Side *side)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < boxes; ++p)
        for (uint32_t q = p + 1; q < boxes; ++q) {
            const Box *a = &job->box[start[p].frame], *b = &job->box[start[q].frame];
            if (start[q].low > a->high.x + most)
                break;
            if (!meet(a, b, margin(job->solid, a, b)))
                continue;
            if (side != NULL) {
                side[count] = (Side){.frame = start[p].frame, .other = start[q].frame};
                side[count + 1] = (Side){.frame = start[q].frame, .other = start[p].frame};
            }
            count += 2;
        }
    for (uint32_t k = 0; k < job->solid->frames; ++k) {
        if (job->near[k] == 0)
            continue;
        if (side != NULL) {
            side[count] = (Side){.frame = k, .other = k};
            side[count + 1] = (Side){.frame = k, .other = k};
        }
        count += 2;
    }
    return count;
}

static PxStatus find_pairs(Search *job)
{
    PxSolid *s = job->solid;
    Start *start = PX_ARENA_ARRAY(s->scratch, Start, s->frames);
    if (start == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u solids", s->frames);
    uint32_t boxes = 0;
    double speed = 0, radius = 0;
    for (uint32_t k = 0; k < s->frames; ++k) {
        const Box *b = &job->box[k];
        if (!isfinite(b->radius))
            continue;
        start[boxes++] = (Start){b->low.x, k};
        speed = fmax(speed, px_length(b->velocity) + b->spread);
        radius = fmax(radius, b->radius);
    }
    Box fast = {.spread = speed, .radius = radius};
    double most = margin(s, &fast, &fast);
    qsort(start, boxes, sizeof *start, by_start);
    job->sides = sweep(job, start, boxes, most, NULL);
    job->side = PX_ARENA_ARRAY(s->scratch, Side, px_round_up(job->sides, 64));
    job->fastest = PX_ARENA_ARRAY(s->scratch, double, px_round_up(job->sides, 64));
    if (job->side == NULL || job->fastest == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u pairs of solids", job->sides / 2);
    sweep(job, start, boxes, most, job->side);
    return PX_OK;
}

/* ---- points of a pair --------------------------------------------------------------- */

/* `near`: the box of the other solid with the margin. */
static inline bool belongs(const Search *job, const Side *side, const Box *near, uint32_t i)
{
    const PxFacings *f = job->f;
    if (side->frame != side->other && !is_in(near, f->where[i]))
        return false; /* most rows */
    if (!can_touch(f, &job->box[side->frame], i))
        return false;
    return side->frame != side->other ||
           (f->self->near[i] && !px_solid_self_inverted(job->solid, i));
}

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        Side *side = &job->side[k];
        const PxSolidFrame *f = &job->solid->frame[side->frame];
        const Box *a = &job->box[side->frame], *b = &job->box[side->other];
        Box near = grown(b, margin(job->solid, a, b));
        uint32_t count = 0;
        for (uint32_t i = f->begin; i < f->end; ++i)
            count += belongs(job, side, &near, i);
        side->end = side->frame == side->other && k % 2 == 1 ? 0 : count;
    }
}

/* Writes the points of a side in order of rows. */
static void fill_points(const Search *job, Side *side, PxVec3 origin)
{
    const PxSolid *s = job->solid;
    const PxSolidFrame *f = &s->frame[side->frame];
    const Box *a = &job->box[side->frame], *b = &job->box[side->other];
    Box near = grown(b, margin(s, a, b));
    double half = 0.75 * s->dt;
    PxVec3 mean = px_scale(px_add(a->velocity, b->velocity), 0.5);
    double fall = 0.5 * px_length(s->gravity) * s->dt * s->dt;
    uint32_t n = side->begin;
    side->origin = origin;
    for (uint32_t i = f->begin; i < f->end && n < side->end; ++i) {
        if (!belongs(job, side, &near, i))
            continue;
        PxVec3 v = px_sub(px_solid_in_world(s, s->v, i), mean);
        PxVec3 at = px_mad(px_sub(job->f->where[i], origin), v, half);
        float *to = job->as_found + 4 * (size_t)n;
        to[0] = (float)at.x;
        to[1] = (float)at.y;
        to[2] = (float)at.z;
        to[3] = (float)(NEAR * (double)s->particles->radius[i] + half * px_length(v) + fall);
        job->unsorted[n++] = i;
    }
}

/* Cell of a point along an axis. */
static uint32_t cell_along(const Side *side, int a, float x)
{
    float k = (x - side->low[a]) / side->edge;
    return k > 0.0f ? (k < (float)side->cells[a] ? (uint32_t)k : side->cells[a] - 1) : 0;
}

/* Sorts the points of a side by cells. */
static void sort_points(const Search *job, const Side *side)
{
    uint32_t *first = job->cell + side->first,
             cells = side->cells[0] * side->cells[1] * side->cells[2];
    memset(first, 0, (cells + 1) * sizeof *first);
    for (uint32_t n = side->begin; n < side->end; ++n) {
        const float *at = job->as_found + 4 * (size_t)n;
        uint32_t x = cell_along(side, 0, at[0]), y = cell_along(side, 1, at[1]),
                 z = cell_along(side, 2, at[2]);
        job->number[n] = x + side->cells[0] * (y + side->cells[1] * z);
        ++first[job->number[n] + 1];
    }
    first[0] = side->begin;
    for (uint32_t k = 0; k < cells; ++k)
        first[k + 1] += first[k];
    for (uint32_t n = side->begin; n < side->end; ++n) {
        const float *at = job->as_found + 4 * (size_t)n;
        uint32_t to = first[job->number[n]]++;
        job->row[to] = job->unsorted[n];
        job->x[to] = at[0];
        job->y[to] = at[1];
        job->z[to] = at[2];
        job->reach[to] = at[3];
    }
    for (uint32_t k = cells; k > 0; --k)
        first[k] = first[k - 1];
    first[0] = side->begin;
}

/* The grid of both sides: cells as wide as the longest reach, at most as many as points. */
static void frame_grid(const Search *job, Side *one, Side *two)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    float reach = 0;
    for (int k = 0; k < 2; ++k)
        for (uint32_t n = (k ? two : one)->begin; n < (k ? two : one)->end; ++n) {
            const float *at = job->as_found + 4 * (size_t)n;
            for (int a = 0; a < 3; ++a) {
                low[a] = fminf(low[a], at[a]);
                high[a] = fmaxf(high[a], at[a]);
            }
            reach = fmaxf(reach, at[3]);
        }
    uint32_t most = one->end - one->begin;
    if (one->other != one->frame && two->end - two->begin < most)
        most = two->end - two->begin;
    one->edge = 2 * reach;
    while (true) {
        double all = 1;
        for (int a = 0; a < 3; ++a) {
            float cells = ceilf((high[a] - low[a]) / one->edge);
            one->low[a] = low[a];
            one->cells[a] = cells > 1.0f ? (uint32_t)fminf(cells, 1e6f) : 1;
            all *= (double)one->cells[a];
        }
        if (all <= (double)most || all <= 1)
            break;
        one->edge *= 1.3f;
    }
    two->edge = one->edge;
    memcpy(two->low, one->low, sizeof two->low);
    memcpy(two->cells, one->cells, sizeof two->cells);
}

static void points_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        Side *one = &job->side[2 * (size_t)k], *two = one + 1;
        if (one->end == one->begin || (two->end == two->begin && one->frame != one->other))
            continue;
        PxVec3 a = job->box[one->frame].low, b = job->box[two->frame].low;
        PxVec3 origin = px_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
        fill_points(job, one, origin);
        if (one->frame != one->other)
            fill_points(job, two, origin);
        frame_grid(job, one, two);
        sort_points(job, one);
        if (one->frame != one->other)
            sort_points(job, two);
    }
}

/* ---- facings ----------------------------------------------------------------------- */

static const Side *opposite(const Search *job, const Side *side)
{
    return side->frame == side->other ? side : &job->side[(size_t)(side - job->side) ^ 1];
}

/* How much nearer than its reach a row of the other solid must come, for a gap to become a contact,
 * m. */
static float less_of(const Search *job, const Side *side)
{
    const Box *a = &job->box[side->frame], *b = &job->box[side->other];
    const PxSolid *s = job->solid;
    double speed = px_length(px_sub(a->velocity, b->velocity)) + a->spread + b->spread;
    return (float)fmax((NEAR - TOUCHES) * (a->radius + b->radius) - 0.5 * speed * s->dt, 0);
}

/* Points of the other side within reach of point n, written to `out`; NULL: counts them, 0 if none
 * comes nearer than its reach by `less`. */
static uint32_t list(const Search *job, const Side *side, uint32_t n, float less, uint32_t *out)
{
    const Side *to = opposite(job, side);
    PxFacingPoints points = {job->x, job->y, job->z, job->reach};
    const uint32_t *cell = job->cell + to->first, *cells = to->cells;
    uint32_t from[3], until[3], found = 0, close = 0;
    const float at[3] = {job->x[n], job->y[n], job->z[n]};
    for (int a = 0; a < 3; ++a) {
        uint32_t k = cell_along(side, a, at[a]);
        from[a] = k > 0 ? k - 1 : 0;
        until[a] = k + 1 < cells[a] ? k + 1 : cells[a] - 1;
    }
    for (uint32_t z = from[2]; z <= until[2]; ++z)
        for (uint32_t y = from[1]; y <= until[1]; ++y) {
            uint32_t row = cells[0] * (y + cells[1] * z);
            uint32_t begin = cell[row + from[0]], end = cell[row + until[0] + 1];
            if (begin == end)
                continue;
            found += out != NULL
                         ? PX_ISA_PICK(job->solid->isa, px_facing_list)(&points, n, &points, begin,
                                                                        end, out + found)
                         : PX_ISA_PICK(job->solid->isa, px_facing_count)(&points, n, &points, begin,
                                                                         end, less, &close);
        }
    return out != NULL || close > 0 ? found : 0;
}

static bool is_empty(const Search *job, const Side *side)
{
    const Side *to = opposite(job, side);
    return side->begin == side->end || to->begin == to->end;
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *job = user;
    for (uint32_t k = begin; k < end; ++k) {
        const Side *side = &job->side[k];
        bool empty = is_empty(job, side);
        float less = less_of(job, side);
        for (uint32_t n = side->begin; n < side->end; ++n)
            job->count[n] = empty ? 0 : list(job, side, n, less, NULL);
    }
}

/* Normal of the surface at row i, in the world; false: it is not on a surface of some depth. */
static bool normal_of(const PxSolid *s, uint32_t i, float n[3])
{
    const PxSolidLists *l = s->lists;
    const float *ui = s->u + 4 * (size_t)i;
    PxVec3 sum = {0, 0, 0}, rest = {0, 0, 0};
    double count = 1;
    for (uint32_t e = l->start[i]; e < l->start[i + 1]; ++e) {
        uint32_t j = l->other[e] / 16;
        const float *uj = s->u + 4 * (size_t)j;
        PxVec3 way = {(double)s->columns.rest[0][i] - (double)s->columns.rest[0][j],
                      (double)s->columns.rest[1][i] - (double)s->columns.rest[1][j],
                      (double)s->columns.rest[2][i] - (double)s->columns.rest[2][j]};
        rest = px_add(rest, way);
        sum.x += way.x + (double)(ui[0] - uj[0]);
        sum.y += way.y + (double)(ui[1] - uj[1]);
        sum.z += way.z + (double)(ui[2] - uj[2]);
        count += j != i;
    }
    double size = px_length(sum);
    if (!(px_length(rest) > ON_SURFACE * count * (double)s->particles->radius[i]) || !(size > 0))
        return false;
    sum = px_mat3_apply(s->frame[s->frame_of[i]].turn, px_scale(sum, 1 / size));
    n[0] = (float)sum.x;
    n[1] = (float)sum.y;
    n[2] = (float)sum.z;
    return true;
}

/* Leaves those entries of a facing that it sees; part[e] is how much. The same entries are points
 * on entry and rows on return. */
static uint32_t choose_seen(const Search *job, const Side *side, uint32_t n, const float normal[3],
                            uint32_t *entry, float *part, uint32_t size)
{
    PxVec3 x = job->f->where[job->row[n]];
    uint32_t kept = 0;
    bool own = side->frame == side->other;
    for (uint32_t e = 0; e < size; ++e) {
        uint32_t l = entry[e];
        const PxVec3 *at = &job->f->where[job->row[l]];
        float dx = (float)(at->x - x.x), dy = (float)(at->y - x.y), dz = (float)(at->z - x.z);
        float front = dx * normal[0] + dy * normal[1] + dz * normal[2],
              d = sqrtf(dx * dx + dy * dy + dz * dz);
        float q = (front - UNSEEN * d) / ((SEEN - UNSEEN) * d);
        if (!(q > 0.0f) || (own && !px_solid_self_apart(job->solid, job->row[n], job->row[l])))
            continue;
        part[kept] = q < 1.0f ? q * q * (3.0f - 2.0f * q) : 1.0f;
        entry[kept++] = job->row[l];
    }
    return kept;
}

/* The same for a row without a normal: rows on the same side as the nearest. */
static uint32_t choose(const Search *job, const Side *side, uint32_t n, uint32_t *entry,
                       float *part, uint32_t size)
{
    PxVec3 x = job->f->where[job->row[n]], near = {0, 0, 0};
    double least = INFINITY;
    uint32_t kept = 0;
    bool own = side->frame == side->other;
    for (uint32_t e = 0; e < size; ++e) {
        uint32_t l = entry[e];
        if (own && !px_solid_self_apart(job->solid, job->row[n], job->row[l]))
            continue;
        PxVec3 way = px_sub(job->f->where[job->row[l]], x);
        if (px_dot(way, way) < least) {
            least = px_dot(way, way);
            near = way;
        }
        entry[kept++] = l;
    }
    size = kept;
    kept = 0;
    for (uint32_t e = 0; e < size; ++e) {
        uint32_t l = entry[e];
        PxVec3 way = px_sub(job->f->where[job->row[l]], x);
        if (px_dot(way, near) < SAME_SIDE * sqrt(px_dot(way, way) * least))
            continue;
        part[kept] = 1.0f;
        entry[kept++] = job->row[l];
    }
    return kept;
}

/* Speed at which a row approaches those that it faces, in radii a second. Rows that will pass at a
 * distance, as when solids slide along each other, count half. */
static double approach(const Search *job, const Side *side, const PxFacing *f)
{
    const PxSolid *s = job->solid;
    const uint32_t *entry = job->f->entry + f->start;
    PxVec3 v = px_solid_in_world(s, s->v, f->row), x = job->f->where[f->row];
    PxMat3 turn = s->frame[side->other].turn;
    double radius = (double)s->particles->radius[f->row], most = 0;
    double passing =
        PASSING * ((double)job->f->radius[side->frame] + (double)job->f->radius[side->other]);
    for (uint32_t e = 0; e < f->size; ++e) {
        PxVec3 speed = px_sub(px_mat3_apply(turn, vec_of(s->v + 4 * (size_t)entry[e])), v);
        PxVec3 way = px_sub(job->f->where[entry[e]], x);
        double closing = -px_dot(speed, way), v2 = px_dot(speed, speed), r2 = px_dot(way, way);
        if (!(closing > 0))
            continue;
        double nearest = r2 - closing * closing / v2; /* squared, of the relative path */
        double rate = closing * closing / r2 * (nearest < passing * passing ? 4 : 1);
        most = rate > most ? rate : most;
    }
    return most / (4 * radius * radius);
}

/* Lists the entries of one side's facings, and finds the largest relative speed. */
static void list_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *job = user;
    const PxFacings *f = job->f;
    for (uint32_t k = begin; k < end; ++k) {
        const PxFacingPair *pair = &f->pair[k];
        const Side *side = job->order[k];
        double fastest = 0;
        uint32_t n = side->begin;
        for (uint32_t m = pair->first; m < pair->end; ++m, ++n) {
            PxFacing *facing = &f->facing[m];
            while (job->count[n] == 0)
                ++n;
            uint32_t *entry = f->entry + facing->start, room = facing->size;
            float *part = f->part + facing->start, normal[3];
            uint32_t found = list(job, side, n, 0.0f, entry);
            facing->size = normal_of(job->solid, facing->row, normal)
                               ? choose_seen(job, side, n, normal, entry, part, found)
                               : choose(job, side, n, entry, part, found);
            fastest = fmax(fastest, approach(job, side, facing));
            for (uint32_t e = facing->size; e < px_round_up(room, 8); ++e) {
                entry[e] = facing->size > 0 ? entry[0] : facing->row;
                part[e] = 0.0f;
            }
        }
        job->fastest[k] = fastest;
    }
}

static int by_frames(const void *a, const void *b)
{
    const Side *p = *(const Side *const *)a, *q = *(const Side *const *)b;
    if (p->frame != q->frame)
        return p->frame < q->frame ? -1 : 1;
    return p->other < q->other ? -1 : p->other > q->other ? 1 : p < q ? -1 : 1;
}

/* Numbers facings and entries. */
static PxStatus number(Search *job)
{
    PxFacings *f = job->f;
    PxSolid *s = job->solid;
    uint64_t facings = 0, entries = 0;
    job->order = PX_ARENA_ARRAY(s->scratch, const Side *, job->sides);
    job->occurs = PX_ARENA_ARRAY(s->scratch, uint8_t, s->count);
    if (job->order == NULL || job->occurs == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u pairs of solids", job->sides / 2);
    uint32_t sides = 0;
    for (uint32_t k = 0; k < job->sides; ++k) {
        const Side *side = &job->side[k];
        uint64_t before = facings;
        for (uint32_t n = side->begin; n < side->end; ++n) {
            if (job->count[n] == 0)
                continue;
            ++facings;
            entries += px_round_up(job->count[n], 8);
        }
        if (facings > before)
            job->order[sides++] = side;
    }
    if (entries > UINT32_MAX - 8)
        return px_fail(PX_ERR_MEMORY, "contact: %.3g pairs of rows are too many", (double)entries);
    qsort(job->order, sides, sizeof *job->order, by_frames);
    f->pairs = sides;
    f->facings = (uint32_t)facings;
    f->entries = (uint32_t)entries;
    f->pair = PX_ARENA_ARRAY(s->scratch, PxFacingPair, px_round_up(sides, 64));
    f->facing = PX_ARENA_ARRAY(s->scratch, PxFacing, px_round_up(facings, 1u << 8));
    f->entry = PX_ARENA_ARRAY(s->scratch, uint32_t, px_round_up(entries, 1u << 12));
    f->part = PX_ARENA_ARRAY(s->scratch, float, px_round_up(entries, 1u << 12));
    f->meets = PX_ARENA_ARRAY(s->scratch, uint32_t, px_round_up(sides, 64));
    if (f->pair == NULL || f->facing == NULL || f->entry == NULL || f->part == NULL ||
        f->meets == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", f->facings);
    uint32_t m = 0, e = 0;
    for (uint32_t k = 0; k < sides; ++k) {
        const Side *side = job->order[k];
        f->pair[k] = (PxFacingPair){{side->frame, side->other}, m, m};
        for (uint32_t n = side->begin; n < side->end; ++n) {
            if (job->count[n] == 0)
                continue;
            f->facing[m++] = (PxFacing){job->row[n], side->other, k, e, job->count[n]};
            e += (uint32_t)px_round_up(job->count[n], 8);
        }
        f->pair[k].end = m;
    }
    memset(f->met, 0, (s->frames + 1) * sizeof *f->met);
    memset(f->from, 0, (s->frames + 1) * sizeof *f->from);
    for (uint32_t k = 0; k < sides; ++k) {
        ++f->from[f->pair[k].frame[0] + 1];
        ++f->met[f->pair[k].frame[1] + 1];
    }
    for (uint32_t k = 0; k < s->frames; ++k) {
        f->from[k + 1] += f->from[k];
        f->met[k + 1] += f->met[k];
    }
    for (uint32_t k = 0; k < sides; ++k)
        f->meets[f->met[f->pair[k].frame[1]]++] = k;
    for (uint32_t k = s->frames; k > 0; --k)
        f->met[k] = f->met[k - 1];
    f->met[0] = 0;
    return PX_OK;
}

/* Marks the rows of some frames that occur in facings, their own or those of others. */
static void occur_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Search *job = user;
    const PxFacings *f = job->f;
    const PxSolidFrame *frame = job->solid->frame;
    for (uint32_t k = begin; k < end; ++k) {
        memset(job->occurs + frame[k].begin, 0, frame[k].end - frame[k].begin);
        for (uint32_t p = f->from[k]; p < f->from[k + 1]; ++p)
            for (uint32_t m = f->pair[p].first; m < f->pair[p].end; ++m)
                job->occurs[f->facing[m].row] = 1;
        for (uint32_t q = f->met[k]; q < f->met[k + 1]; ++q) {
            const PxFacingPair *pair = &f->pair[f->meets[q]];
            for (uint32_t m = pair->first; m < pair->end; ++m)
                for (uint32_t e = 0; e < f->facing[m].size; ++e)
                    job->occurs[f->entry[f->facing[m].start + e]] = 1;
        }
    }
}

/* Lists the rows that occur in facings. */
static void list_nears(Search *job)
{
    PxFacings *f = job->f;
    const PxSolid *s = job->solid;
    px_parallel_for(s->threads, s->frames, 1, occur_block, job);
    f->nears = 0;
    for (uint32_t k = 0; k < s->frames; ++k) {
        f->near_of[k] = f->nears;
        for (uint32_t i = s->frame[k].begin; i < s->frame[k].end; ++i)
            if (job->occurs[i])
                f->near[f->nears++] = i;
    }
    f->near_of[s->frames] = f->nears;
}

static PxStatus take_points(Search *job)
{
    PxSolid *s = job->solid;
    uint64_t points = 0, cells = 0;
    for (uint32_t k = 0; k < job->sides; ++k) {
        Side *side = &job->side[k];
        uint32_t count = side->end;
        side->begin = (uint32_t)points;
        side->end = (uint32_t)(points + count);
        side->first = (uint32_t)cells;
        points += count;
        cells += count + 2;
        if (points + cells > UINT32_MAX)
            return px_fail(PX_ERR_MEMORY, "contact: too many particles near other solids");
    }
    job->points = (uint32_t)points;
    size_t room = px_round_up(points, 1u << 10);
    float *floats = PX_ARENA_ARRAY(s->scratch, float, 8 * room);
    job->row = PX_ARENA_ARRAY(s->scratch, uint32_t, room);
    job->unsorted = PX_ARENA_ARRAY(s->scratch, uint32_t, room);
    job->number = PX_ARENA_ARRAY(s->scratch, uint32_t, room);
    job->count = PX_ARENA_ARRAY(s->scratch, uint32_t, room);
    job->cell = PX_ARENA_ARRAY(s->scratch, uint32_t, px_round_up(cells, 1u << 10));
    if (floats == NULL || job->row == NULL || job->unsorted == NULL || job->number == NULL ||
        job->count == NULL || job->cell == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", job->points);
    job->x = floats;
    job->y = floats + room;
    job->z = floats + 2 * room;
    job->reach = floats + 3 * room;
    job->as_found = floats + 4 * room;
    return PX_OK;
}

PxStatus px_facings_find(PxFacings *f, PxSolid *s)
{
    f->solid = s;
    f->facings = f->pairs = f->nears = f->entries = 0;
    f->fastest = 0;
    f->limit = NULL;
    if (s->frames < 2 && f->self == NULL)
        return PX_OK;
    if (f->self != NULL)
        PX_TRY(px_solid_self_find(f->self, s, f->version, 2 * PX_FACING_SUPPORT, f->grid));
    Search job = {.f = f,
                  .solid = s,
                  .box = PX_ARENA_ARRAY(s->scratch, Box, s->frames),
                  .near = PX_ARENA_ARRAY(s->scratch, uint32_t, s->frames)};
    f->where = PX_ARENA_ARRAY(s->scratch, PxVec3, s->count);
    f->near = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    f->near_of = PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)s->frames + 1);
    f->met = PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)s->frames + 1);
    f->from = PX_ARENA_ARRAY(s->scratch, uint32_t, (size_t)s->frames + 1);
    f->radius = PX_ARENA_ARRAY(s->scratch, float, s->frames);
    if (job.box == NULL || job.near == NULL || f->where == NULL || f->near == NULL ||
        f->near_of == NULL || f->met == NULL || f->from == NULL || f->radius == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u solids", s->frames);
    px_parallel_for(s->threads, s->frames, 1, box_block, &job);
    PX_TRY(find_pairs(&job));
    if (job.sides == 0)
        return PX_OK;
    px_parallel_for(s->threads, job.sides, 4, count_block, &job);
    PX_TRY(take_points(&job));
    px_parallel_for(s->threads, job.sides / 2, 2, points_block, &job);
    px_parallel_for(s->threads, job.sides, 2, find_block, &job);
    PX_TRY(number(&job));
    px_parallel_for(s->threads, f->pairs, 2, list_block, &job);
    list_nears(&job);
    for (uint32_t k = 0; k < f->pairs; ++k)
        f->fastest = fmax(f->fastest, job.fastest[k]);
    f->fastest = sqrt(f->fastest);
    return PX_OK;
}
