#include "contact/sheet_catch.h"

#include "cloth/collide.h"
#include "contact/sheet_near_pass.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { LEGS = 8, ADVANCES = 200, SWEEPS = 4, CONTACTS = 3, BLOCK = 256 };

/* A touch of a particle, for the impulses. */
typedef struct Contact {
    uint32_t row, face;
    double weight[3];
    PxVec3 normal;
} Contact;

typedef struct Job {
    PxSheetCatch *c;
    double travel; /* of the vertices, m */
    double keep;   /* of all sheets, m */
    uint8_t *hits; /* by row: number of contacts */
    PxVec3 *end;   /* by row, of rows with hits: where it ends */
    Contact *contact;
    const uint32_t *first; /* by row: its first contact */
    _Atomic uint64_t leaked;
    _Atomic bool any; /* some particle may meet a sheet */
} Job;

/* Nearer than this part of the distance that is kept, a particle starts in a sheet. */
#define WITHIN 1e-3

/* What hits[] is before contacts are counted. */
enum { MEETS_NONE, MAY_MEET, MAY_TOUCH, IN_REACH };

/* A straight way of a particle between two moments of the step. */
typedef struct Way {
    double when, until;
    PxVec3 from, to;
} Way;

static PxVec3 start_of(const PxSheetCatch *c, uint32_t i)
{
    return px_vec((double)c->from[0][i] + (double)c->from[3][i],
                  (double)c->from[1][i] + (double)c->from[4][i],
                  (double)c->from[2][i] + (double)c->from[5][i]);
}

/* Corners of a triangle at a moment. */
static void corners_at(const PxSheetCatch *c, uint32_t face, double when, PxVec3 t[3])
{
    for (int k = 0; k < 3; ++k) {
        uint32_t v = c->sheets->system->face[face].corner[k];
        PxVec3 x = c->sheets->x[v];
        t[k] = px_mad(x, px_sub(c->at[v], x), when);
    }
}

static PxVec3 mix(const PxVec3 t[3], const double w[3])
{
    return px_mad(px_mad(px_scale(t[0], w[0]), t[1], w[1]), t[2], w[2]);
}

static double keep_of(const PxSheetCatch *c, uint32_t face)
{
    return c->keep[c->sheets->system->of_face[face]];
}

/* Upper bound of the relative displacement of a way and a triangle with the corners a and b at its
 * start and end. */
static double way_along(const PxVec3 a[3], const PxVec3 b[3], const Way *way)
{
    PxVec3 motion = px_sub(way->to, way->from), mean = px_vec(0, 0, 0);
    for (int k = 0; k < 3; ++k)
        mean = px_mad(mean, px_sub(b[k], a[k]), 1 / 3.0);
    double turn = 0;
    for (int k = 0; k < 3; ++k)
        turn = fmax(turn, px_length(px_sub(px_sub(b[k], a[k]), mean)));
    return px_length(px_sub(motion, mean)) + turn;
}

/* Does the way certainly not come as near to the triangle as meets() asks for, nor cross it?
 * Because it is too short, or because it stays on its side: at the start the triangle is below the
 * plane through its nearest point across the direction from there, and heights are linear in time.
 */
static bool stays_away(const PxSheetCatch *c, uint32_t face, const Way *way)
{
    PxVec3 a[3], b[3];
    double weight[3];
    corners_at(c, face, way->when, a);
    corners_at(c, face, 1, b);
    double d = px_cloth_point_triangle(way->from, a, weight);
    double stop = 0.5 * fmin(keep_of(c, face), d);
    if (d - way_along(a, b, way) > stop)
        return true;
    PxVec3 q = mix(a, weight), n = px_normalized(px_sub(way->from, q), px_vec(0, 0, 0));
    double top = -INFINITY;
    for (int k = 0; k < 3; ++k)
        top = fmax(top, px_dot(px_sub(b[k], q), n));
    return px_dot(px_sub(way->to, q), n) - top > 1.001 * stop && d > 0;
}

/* Does the way come nearer to the triangle than half the distance that it has or should keep? *when
 * is that moment. */
static bool meets(const PxSheetCatch *c, uint32_t face, const Way *way, double *when,
                  Contact *contact)
{
    PxVec3 a[3], b[3], t[3];
    double weight[3], rest = 1 - way->when;
    corners_at(c, face, way->when, a);
    corners_at(c, face, 1, b);
    PxVec3 motion = px_sub(way->to, way->from);
    double reach = way_along(a, b, way);
    double d = px_cloth_point_triangle(way->from, a, weight);
    double stop = 0.5 * fmin(keep_of(c, face), d), part = 0;
    if (d - reach > stop || !(reach > 0))
        return false;
    for (int n = 0; n < ADVANCES; ++n) {
        part += fmax(0.95 * (d - 0.5 * stop), 1e-3 * stop) / reach;
        if (!(part < 1))
            return false;
        PxVec3 p = px_mad(way->from, motion, part);
        for (int k = 0; k < 3; ++k)
            t[k] = px_mad(a[k], px_sub(b[k], a[k]), part);
        d = px_cloth_point_triangle(p, t, weight);
        if (d <= stop)
            break;
    }
    *when = way->when + part * rest;
    PxVec3 p = px_mad(way->from, motion, part);
    contact->face = face;
    memcpy(contact->weight, weight, sizeof weight);
    contact->normal = px_normalized(px_sub(p, mix(t, weight)), px_vec(0, 1, 0));
    return true;
}

/* ---- the count ----------------------------------------------------------------------------------
 */

static double volume_at(const PxVec3 x[4], const PxVec3 way[4], double t, PxVec3 at[4])
{
    for (int k = 0; k < 4; ++k)
        at[k] = px_mad(x[k], way[k], t);
    return px_dot(px_sub(at[0], at[1]), px_cross(px_sub(at[2], at[1]), px_sub(at[3], at[1])));
}

/* Are the point and the triangle in one plane at t, the point inside? */
static bool inside_at(const PxVec3 at[4])
{
    PxVec3 e1 = px_sub(at[2], at[1]), e2 = px_sub(at[3], at[1]), q = px_sub(at[0], at[1]);
    PxVec3 n = px_cross(e1, e2);
    double size = px_dot(n, n), u = px_dot(px_cross(q, e2), n), v = px_dot(px_cross(e1, q), n);
    return size > 0 && u >= 0 && v >= 0 && u + v <= size;
}

/* Does the point pass through the triangle on its way? Changes of sign of the cubic (Provot 1997)
 * between enough samples; each is bisected. */
static bool passes(const PxSheetCatch *c, uint32_t face, const Way *way)
{
    enum { SAMPLES = 8 };
    PxVec3 x[4] = {way->from}, to[4] = {way->to}, go[4], at[4];
    corners_at(c, face, way->when, x + 1);
    corners_at(c, face, way->until, to + 1);
    for (int k = 0; k < 4; ++k)
        go[k] = px_sub(to[k], x[k]);
    double last = volume_at(x, go, 0, at);
    for (int n = 1; n <= SAMPLES; ++n) {
        double high = (double)n / SAMPLES, low = high - 1.0 / SAMPLES;
        double next = volume_at(x, go, high, at), sign = last;
        if ((last < 0) != (next < 0)) {
            for (int k = 0; k < 60; ++k) {
                double middle = 0.5 * (low + high);
                if ((volume_at(x, go, middle, at) < 0) == (sign < 0))
                    low = middle;
                else
                    high = middle;
            }
            volume_at(x, go, low, at);
            if (inside_at(at))
                return true;
        }
        last = next;
    }
    return false;
}

/* ---- ways
 * ---------------------------------------------------------------------------------------- */

/* A way that was stopped goes on along the triangle, in its frame. */
static void slide(const PxSheetCatch *c, const Contact *k, double when, Way *way)
{
    PxVec3 now[3], last[3];
    double part = (when - way->when) / (1 - way->when);
    PxVec3 hit = px_mad(way->from, px_sub(way->to, way->from), part);
    corners_at(c, k->face, when, now);
    corners_at(c, k->face, 1, last);
    PxVec3 carried = px_sub(mix(last, k->weight), mix(now, k->weight));
    PxVec3 rest = px_sub(px_sub(way->to, hit), carried);
    rest = px_mad(rest, k->normal, -fmin(px_dot(rest, k->normal), 0));
    *way = (Way){when, 1, hit, px_add(px_add(hit, carried), rest)};
}

/* As slide(), but stays where it touched. */
static void stay(const PxSheetCatch *c, const Contact *k, Way *way)
{
    PxVec3 now[3], last[3];
    corners_at(c, k->face, way->when, now);
    corners_at(c, k->face, 1, last);
    way->to = px_add(way->from, px_sub(mix(last, k->weight), mix(now, k->weight)));
}

/* The triangles that a particle may meet on its way as it is. */
static PxSheetSweep sweep_of(const Job *j, uint32_t i)
{
    return px_sheet_sweep(start_of(j->c, i), px_particle_place(j->c->particles, i), 0.5 * j->keep);
}

/* The triangles that a particle may meet, also where it slides along others. */
static PxSheetSweep around(const Job *j, uint32_t i)
{
    PxVec3 start = start_of(j->c, i), to = px_particle_place(j->c->particles, i);
    return px_sheet_sweep(start, to, j->keep + j->travel + px_length(px_sub(to, start)));
}

static bool any_passes(const Job *j, PxSheetSweep sweep, const Way *way)
{
    for (uint32_t f; (f = px_sheet_next_met(&j->c->sheets->tree, &sweep)) != UINT32_MAX;)
        if (passes(j->c, f, way))
            return true;
    return false;
}

static bool first_touch(const Job *j, PxSheetSweep sweep, const Way *way, double *when,
                        Contact *out)
{
    bool found = false;
    *when = 2;
    for (uint32_t f; (f = px_sheet_next_met(&j->c->sheets->tree, &sweep)) != UINT32_MAX;) {
        double t;
        Contact one;
        if (!meets(j->c, f, way, &t, &one) || !(t < *when))
            continue;
        *when = t;
        *out = one;
        found = true;
    }
    return found;
}

/* The last resort: it stays at the nearest point of the start, on its side of that triangle. */
static PxVec3 cling(const Job *j, PxSheetSweep sweep, PxVec3 start, PxVec3 otherwise)
{
    const PxSheetCatch *c = j->c;
    double least = INFINITY;
    PxVec3 place = otherwise;
    for (uint32_t f; (f = px_sheet_next_met(&c->sheets->tree, &sweep)) != UINT32_MAX;) {
        PxVec3 a[3], b[3];
        double weight[3];
        corners_at(c, f, 0, a);
        double d = px_cloth_point_triangle(start, a, weight);
        if (!(d < least))
            continue;
        least = d;
        corners_at(c, f, 1, b);
        PxVec3 n = px_cross(px_sub(a[1], a[0]), px_sub(a[2], a[0]));
        PxVec3 up = px_cross(px_sub(b[1], b[0]), px_sub(b[2], b[0]));
        double side = px_dot(px_sub(start, mix(a, weight)), n) < 0 ? -1 : 1;
        double gap = side * fmin(d, 0.1 * keep_of(c, f));
        place = px_mad(mix(b, weight), px_normalized(up, px_vec(0, 1, 0)), gap);
    }
    return place;
}

/* Does a particle start in a triangle? Then it is put beside it. */
static bool starts_within(const Job *j, PxSheetSweep sweep, PxVec3 start, Contact *out, PxVec3 *end)
{
    const PxSheetCatch *c = j->c;
    for (uint32_t f; (f = px_sheet_next_met(&c->sheets->tree, &sweep)) != UINT32_MAX;) {
        PxVec3 a[3], b[3];
        corners_at(c, f, 0, a);
        if (!(px_cloth_point_triangle(start, a, out->weight) < WITHIN * keep_of(c, f)))
            continue;
        corners_at(c, f, 1, b);
        PxVec3 up = px_cross(px_sub(b[1], b[0]), px_sub(b[2], b[0]));
        out->face = f;
        out->normal = px_normalized(up, px_vec(0, 1, 0));
        *end = px_mad(mix(b, out->weight), out->normal, 0.1 * keep_of(c, f));
        return true;
    }
    return false;
}

/* Follows the way of a particle. Returns the number of contacts; *leaks if it crosses all the
 * same. */
static int follow(const Job *j, uint32_t i, Contact contact[CONTACTS], PxVec3 *end, bool *leaks)
{
    PxVec3 start = start_of(j->c, i);
    PxSheetSweep sweep = sweep_of(j, i);
    Way way = {0, 1, start, px_particle_place(j->c->particles, i)};
    int hits = 0;
    *leaks = false;
    if (j->c->first && starts_within(j, sweep, start, &contact[0], end)) {
        contact[0].row = i;
        return 1;
    }
    for (int leg = 0; leg <= LEGS; ++leg) {
        double when;
        if (leg == 1)
            sweep = around(j, i);
        Contact one;
        bool touched = first_touch(j, sweep, &way, &when, &one);
        if (!touched) {
            *leaks = *leaks || any_passes(j, sweep, &way);
            break;
        }
        double part = (when - way.when) / (1 - way.when);
        PxVec3 hit = px_mad(way.from, px_sub(way.to, way.from), part);
        *leaks = *leaks || any_passes(j, sweep, &(Way){way.when, when, way.from, hit});
        one.row = i;
        if (hits < CONTACTS)
            contact[hits++] = one;
        slide(j->c, &one, when, &way);
        if (leg == LEGS - 1)
            stay(j->c, &one, &way);
        if (leg == LEGS) {
            stay(j->c, &one, &way);
            *leaks = *leaks || any_passes(j, sweep, &way);
        }
    }
    *end = way.to;
    if (*leaks) {
        sweep = around(j, i);
        way = (Way){0, 1, start, cling(j, sweep, start, way.to)};
        *leaks = any_passes(j, sweep, &way);
        *end = *leaks ? *end : way.to;
    }
    return hits;
}

/* Do the sheets that the way of a particle could reach stay below it? Those within reach at the
 * start are below a plane (PxSheetClear). */
static bool stays_above(const Job *j, uint32_t i, PxVec3 way)
{
    double stop = 0.5 * j->keep;
    const PxSheetClear *clear = &j->c->sheets->clear[i];
    double along = way.x * (double)clear->normal[0] + way.y * (double)clear->normal[1] +
                   way.z * (double)clear->normal[2];
    return (double)clear->top + fmax(j->travel - along, 0) < -1.001 * stop;
}

/* Bits of the triangles of a branch that a way from `at` may meet or cross, which comes no farther
 * than `most` with all that the sheets move. */
static unsigned may_meet_branch(const Job *j, uint32_t branch, PxVec3 at, PxVec3 way, double most)
{
    const PxSheets *s = j->c->sheets;
    const PxSheetBranch *b = &s->branch[branch];
    const PxSheetBox *move = &s->tree.move[s->system->branch.upper_of[branch]];
    PxSheetLanes lanes = {
        .at = {(float)(at.x - b->at[0]), (float)(at.y - b->at[1]), (float)(at.z - b->at[2])}};
    const float by[3] = {(float)way.x, (float)way.y, (float)way.z};
    PX_ISA_PICK(s->isa, px_sheet_measure)(b, (float)(1.01 * most * most), &lanes);
    if (lanes.near == 0)
        return 0;
    return PX_ISA_PICK(s->isa, px_sheet_may_meet)(&lanes, by, move->low, move->high,
                                                  (float)j->keep);
}

/* Largest distance of the start at which a way of that length may meet a sheet. */
static double most_of(const Job *j, double length)
{
    return length + j->travel + 0.5 * j->keep;
}

/* As stays_above(), by how far the triangles within reach move instead of the farthest vertex. */
static bool stays_above_these(const Job *j, uint32_t i, PxVec3 way)
{
    const PxSheets *s = j->c->sheets;
    const PxSheetClear *clear = &s->clear[i];
    const PxSheetFaces *list = s->around[i];
    const float by[3] = {(float)way.x, (float)way.y, (float)way.z};
    float along = 0, most = -INFINITY, sizes = 0;
    for (int c = 0; c < 3; ++c) {
        along += by[c] * clear->normal[c];
        sizes += fabsf(by[c]);
    }
    for (uint32_t k = 0; k < list->count; ++k) {
        const PxSheetBox *move = &s->tree.move[s->system->branch.upper_of[list->entry[k] >> 8]];
        float moves = 0;
        for (int c = 0; c < 3; ++c) {
            float low = move->low[c] * clear->normal[c], high = move->high[c] * clear->normal[c];
            moves += low > high ? low : high;
        }
        most = moves > most ? moves : most;
    }
    float up = most - along;
    return clear->top + (up > 0 ? up : 0) + 1e-5f * sizes < -0.5005f * (float)j->keep;
}

/* Does the way meet none of the triangles that were within reach at the start? */
static bool stays_off(const Job *j, uint32_t i)
{
    const PxSheets *s = j->c->sheets;
    const PxSheetFaces *list = s->around[i];
    PxVec3 to = px_particle_place(j->c->particles, i);
    Way way = {0, 1, start_of(j->c, i), to};
    if (stays_above_these(j, i, px_sub(to, way.from)))
        return true;
    double most = most_of(j, px_length(px_sub(to, way.from)));
    for (uint32_t k = 0; k < list->count; ++k) {
        uint32_t branch = list->entry[k] >> 8;
        unsigned bits = may_meet_branch(j, branch, way.from, px_sub(to, way.from), most);
        for (bits &= list->entry[k] & 0xff; bits != 0; bits &= bits - 1) {
            uint32_t face = s->branch[branch].face[__builtin_ctz(bits)];
            double when;
            Contact one;
            if (!stays_away(j->c, face, &way) &&
                (meets(j->c, face, &way, &when, &one) || passes(j->c, face, &way)))
                return false;
        }
    }
    return true;
}

/* Are a sheet and the way of a particle near enough to meet, by the largest displacements? In
 * reach: sheets beyond the reach of the start are too far away, and stays_off() tells about the
 * others. */
static uint8_t may_meet(const Job *j, uint32_t i)
{
    const PxSheets *s = j->c->sheets;
    PxVec3 to = px_particle_place(j->c->particles, i), way = px_sub(to, start_of(j->c, i));
    double length = px_length(way), far = fmin((double)j->c->far[i], j->c->beyond);
    double most = most_of(j, length);
    if (!(far < 1.001 * most))
        return MEETS_NONE;
    if (s->clear == NULL || !(s->nearest[i] < INFINITY) || !(most < 0.999 * s->reach))
        return MAY_MEET;
    if (stays_above(j, i, way))
        return MEETS_NONE;
    return s->around[i] == NULL ? MAY_MEET : IN_REACH;
}

/* The same by those of the triangles in question. */
static bool meets_any(const Job *j, PxSheetSweep sweep)
{
    return px_sheet_next_met(&j->c->sheets->tree, &sweep) != UINT32_MAX;
}

/* The same by that of each triangle. */
static bool may_touch(const Job *j, uint32_t i)
{
    PxSheetSweep sweep = sweep_of(j, i);
    Way way = {0, 1, start_of(j->c, i), px_particle_place(j->c->particles, i)};
    for (uint32_t f; (f = px_sheet_next_met(&j->c->sheets->tree, &sweep)) != UINT32_MAX;)
        if (!stays_away(j->c, f, &way))
            return true;
    return false;
}

/* Clears the marks of particles that meet nothing. Those of consecutive rows are near each other,
 * so that most need no search of their own. */
static void thin(const Job *j, uint32_t begin, uint32_t end)
{
    enum { TOGETHER = 8 };
    for (uint32_t i = begin; i < end; ++i)
        if (j->hits[i] == IN_REACH)
            j->hits[i] = stays_off(j, i) ? MEETS_NONE : MAY_TOUCH;
    for (uint32_t i = begin; i < end; i += TOGETHER) {
        uint32_t to = i + TOGETHER < end ? i + TOGETHER : end, count = 0;
        PxSheetSweep all = {.keep = 0};
        for (uint32_t k = i; k < to; ++k)
            if (j->hits[k] == MAY_MEET) {
                PxSheetSweep one = sweep_of(j, k);
                all = count++ == 0 ? one : px_sheet_sweep_both(&all, &one);
            }
        bool some = count > 0 && meets_any(j, all);
        for (uint32_t k = i; k < to; ++k)
            if (j->hits[k] == MAY_MEET && !(some && may_touch(j, k)))
                j->hits[k] = MEETS_NONE;
    }
}

/* Squares of the lengths of ways, in floats. */
static void squares_of_ways(const PxSheetCatch *c, uint32_t begin, uint32_t end, float *out)
{
    const PxParticles *p = c->particles;
    const float *const to[6] = {p->x, p->y, p->z, p->x_low, p->y_low, p->z_low};
    for (uint32_t i = begin; i < end; ++i)
        out[i - begin] = 0;
    for (int k = 0; k < 3; ++k) {
        const float *restrict a = c->from[k] + begin, *restrict low = c->from[k + 3] + begin;
        const float *restrict b = to[k] + begin, *restrict end_low = to[k + 3] + begin;
        for (uint32_t i = 0; i < end - begin; ++i) {
            float way = (b[i] - a[i]) + (end_low[i] - low[i]);
            out[i] += way * way;
        }
    }
}

static void may_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *j = user;
    float most = (float)(1.001 * (j->travel + 0.5 * j->keep)), beyond = (float)j->c->beyond;
    float far[BLOCK], square[BLOCK];
    bool any = false;
    squares_of_ways(j->c, begin, end, square);
    for (uint32_t i = begin; i < end; ++i) {
        float bound = j->c->far[i] < beyond ? j->c->far[i] : beyond;
        bound -= most + 1e-4f * bound;
        far[i - begin] = bound > 0 ? bound : 0;
    }
    for (uint32_t i = begin; i < end; ++i) {
        float bound = far[i - begin];
        bool within = j->c->first && (double)j->c->far[i] < WITHIN * j->keep;
        j->hits[i] = 1.003f * square[i - begin] < bound * bound ? MEETS_NONE
                     : within                                   ? MAY_TOUCH
                                                                : may_meet(j, i);
        any = any || j->hits[i] != MEETS_NONE;
    }
    if (any)
        atomic_store(&j->any, true);
}

static void find_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Job *j = user;
    Contact contact[CONTACTS];
    thin(j, begin, end);
    for (uint32_t i = begin; i < end; ++i) {
        bool leaks;
        if (j->hits[i] == 0)
            continue;
        if (j->c->only_count) {
            PxVec3 from = start_of(j->c, i), to = px_particle_place(j->c->particles, i);
            leaks = any_passes(j, around(j, i), &(Way){0, 1, from, to});
            j->hits[i] = 0;
        } else {
            j->hits[i] = (uint8_t)follow(j, i, contact, &j->end[i], &leaks);
        }
        if (leaks)
            atomic_fetch_add(&j->leaked, 1);
    }
}

static void list_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    for (uint32_t i = begin; i < end; ++i) {
        bool leaks;
        PxVec3 place;
        Contact contact[CONTACTS];
        if (j->hits[i] == 0)
            continue;
        follow(j, i, contact, &place, &leaks);
        memcpy(j->contact + j->first[i], contact, j->hits[i] * sizeof *contact);
    }
}

/* ---- impulses
 * --------------------------------------------------------------------------------------- */

static void stop_pair(PxSheetCatch *c, const Contact *k)
{
    const PxSheets *s = c->sheets;
    PxParticles *p = c->particles;
    const uint32_t *corner = s->system->face[k->face].corner;
    double mass = (double)p->mass[k->row], per = 1 / mass;
    PxVec3 v = {(double)p->vx[k->row], (double)p->vy[k->row], (double)p->vz[k->row]}, u = v;
    double light[3];
    for (int n = 0; n < 3; ++n) {
        light[n] = s->held[corner[n]] ? 0 : 1 / s->mass[corner[n]];
        per += k->weight[n] * k->weight[n] * light[n];
        u = px_mad(u, c->w[corner[n]], -k->weight[n]);
    }
    double into = -px_dot(u, k->normal);
    if (!(into > 0))
        return;
    const PxSheet *sheet = &s->sheet[s->system->of_face[k->face]];
    PxSheetPlane plane = {.face = k->face};
    memcpy(plane.weight, k->weight, sizeof plane.weight);
    PxVec3 along = px_mad(u, k->normal, into), impulse = px_scale(k->normal, into / per);
    double speed = px_length(along);
    double rub = fmin(px_sheet_slip(s, &plane) * sheet->slip * into, speed);
    if (speed > 0)
        impulse = px_mad(impulse, along, -rub / (per * speed));
    v = px_mad(v, impulse, 1 / mass);
    p->vx[k->row] = (float)v.x;
    p->vy[k->row] = (float)v.y;
    p->vz[k->row] = (float)v.z;
    for (int n = 0; n < 3; ++n)
        c->w[corner[n]] = px_mad(c->w[corner[n]], impulse, -k->weight[n] * light[n]);
}

/* ---- places
 * ------------------------------------------------------------------------------------------ */

/* Out of a wall into which a sheet carried it, unless a sheet is between. */
static PxVec3 out_of_walls(const Job *j, uint32_t i, PxVec3 place)
{
    const PxSheetCatch *c = j->c;
    double gap = 0.01 * c->sheets->reach;
    for (size_t k = 0; k < c->boundaries; ++k) {
        const PxBoundary *b = c->boundary[k];
        PxVec3 normal;
        if (b->ops->at_least(b, 1, place) > gap)
            continue;
        double d = px_boundary_distance(b, 1, place, &normal);
        if (!(d < 0.5 * gap))
            continue;
        Way way = {1, 1, place, px_mad(place, normal, gap - d)};
        if (!any_passes(j, around(j, i), &way))
            place = way.to;
    }
    return place;
}

static void put_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *j = user;
    PxParticles *p = j->c->particles;
    for (uint32_t i = begin; i < end; ++i) {
        if (j->hits[i] == 0)
            continue;
        PxVec3 to = out_of_walls(j, i, j->end[i]);
        p->x[i] = (float)to.x;
        p->y[i] = (float)to.y;
        p->z[i] = (float)to.z;
        p->x_low[i] = (float)(to.x - (double)p->x[i]);
        p->y_low[i] = (float)(to.y - (double)p->y[i]);
        p->z_low[i] = (float)(to.z - (double)p->z[i]);
    }
}

static void find_bounds(Job *j)
{
    const PxSheetCatch *c = j->c;
    for (uint32_t k = 0; k < c->sheets->sheets; ++k)
        j->keep = fmax(j->keep, c->keep[k]);
    double square = 0;
    for (uint32_t v = 0; v < c->sheets->system->vertices; ++v) {
        PxVec3 way = px_sub(c->at[v], c->sheets->x[v]);
        square = fmax(square, px_dot(way, way));
    }
    j->travel = sqrt(square);
}

PxStatus px_sheet_catch(PxSheetCatch *c)
{
    Job j = {.c = c};
    uint32_t n = c->particles->table.count, contacts = 0;
    c->caught = c->leaked = 0;
    find_bounds(&j);
    j.hits = PX_ARENA_ARRAY(c->scratch, uint8_t, n + 1);
    j.end = PX_ARENA_ARRAY(c->scratch, PxVec3, n + 1);
    uint32_t *first = PX_ARENA_ARRAY(c->scratch, uint32_t, n + 1);
    j.first = first;
    if (j.hits == NULL || j.end == NULL || first == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u particles", n);
    px_parallel_for(c->threads, n, BLOCK, may_block, &j);
    if (!atomic_load(&j.any))
        return PX_OK;
    PX_TRY(px_sheet_tree_move(&c->sheets->tree, c->at, c->scratch, c->threads));
    px_parallel_for(c->threads, n, BLOCK, find_block, &j);
    for (uint32_t i = 0; i < n; ++i) {
        first[i] = contacts;
        contacts += j.hits[i];
        c->caught += j.hits[i] > 0;
    }
    j.contact = PX_ARENA_ARRAY(c->scratch, Contact, (contacts | 0x3ffu) + 1);
    if (j.contact == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u contacts", contacts);
    px_parallel_for(c->threads, n, BLOCK, list_block, &j);
    px_parallel_for(c->threads, n, BLOCK, put_block, &j);
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (uint32_t k = 0; k < contacts; ++k)
            stop_pair(c, &j.contact[k]);
    c->leaked = atomic_load(&j.leaked);
    return PX_OK;
}
