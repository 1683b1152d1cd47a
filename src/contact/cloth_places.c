#include "contact/cloth_places.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define BLOCK 256u
#define RIDGE 0.25  /* height of a ridge that is let be, distances that are kept */
#define SECTIONS 14 /* of an edge at most */
#define EXACT 0.02  /* error of the least distance, distances that are kept */
#define FINE 1e-3   /* the same with a tilt: of the place, parts of the line; tilts */
#define TRIALS 10   /* in a triangle */
#define DESCENTS 6  /* steps down a slope */
#define APART 0.15  /* weights of two places of a triangle differ by more */
#define TILT 0.1    /* of edges, distances that are kept */
#define INSIDE 0.05 /* by so much a place inside is nearer than those of the edges, the same */
#define LEAST 0.01  /* weight below which a place is on an edge of the triangle */
#define BORDER 0.05 /* weight up to which a place is beside an edge of the triangle */
#define BULGE 0.03  /* of a triangle's circumference: how far bounds by tangents are off */
#define ROOM 512u   /* places at first, besides one for every eight vertices */
#define NEAR 0.25   /* part of the distance kept at which a way ends */
#define ADVANCES 40 /* along a way */
#define SQUARE 0.3  /* cosine of two normals below which they are not of the same contact */

PxVec3 px_cloth_mean(const PxVec3 *x, const uint32_t c[3], const double w[3])
{
    return px_mad(px_mad(px_scale(x[c[0]], w[0]), x[c[1]], w[1]), x[c[2]], w[2]);
}

/* Distance that the point of a triangle with these barycentric weights keeps. */
static double keep_of(const PxClothStep *s, const uint32_t c[3], const double w[3])
{
    return s->keep[c[0]] * w[0] + s->keep[c[1]] * w[1] + s->keep[c[2]] * w[2];
}

/* By so much a vertex and the boundary may approach each other from the places on. */
static double travel_of(const PxClothSearch *j, uint32_t i)
{
    const PxBoundary *b = j->boundary;
    return j->before ? px_length(j->step->w[i]) * j->step->dt + b->ops->travel(b) : 0;
}

/* ---- search ---------------------------------------------------------------------------------- */

static void near_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxClothSearch *j = user;
    const PxClothStep *s = j->step;
    uint32_t close = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const PxBoundary *b = j->boundary;
        uint32_t cloth = s->system->of_vertex[i];
        double reach = s->keep[i] + 2 * s->system->edge[cloth] + travel_of(j, i);
        j->near[i].distance = INFINITY;
        if (b->ops->at_least(b, j->when, j->x[i]) > reach)
            continue;
        double d = px_boundary_near(b, j->when, j->x[i], reach, &j->near[i].normal);
        if (!(d < reach))
            continue;
        j->near[i].distance = d;
        ++close;
    }
    j->close += close;
}

/* A line from a place of the cloth to another one. */
typedef struct Line {
    const PxClothSearch *job;
    PxVec3 from, way;
    double tilt;
    double exact;  /* error of the least distance, m */
    double enough; /* larger bounds of the distance do not matter */
} Line;

/* Distance at a part of the line less `tilt` times the part, and its slope. */
static double height(const Line *l, double part, const PxClothNear *near, double *slope)
{
    *slope = px_dot(near->normal, l->way) - l->tilt;
    return near->distance - l->tilt * part;
}

static PxClothNear near_at(const PxClothSearch *j, PxVec3 place, double within)
{
    PxClothNear near;
    near.distance = px_boundary_near(j->boundary, j->when, place, within, &near.normal);
    return near;
}

/* The part of a line at which the distance is least, less the tilt; *near is the distance there,
 * and before that the one at the start. Tangents at both ends of the bracket meet at the next
 * trial: where the distance is convex, as beside a convex body, it is not below them, and one that
 * reaches them is the least.
 * Where an edge of cloth lies flat on a boundary and reaches over its edge, the distance is the
 * same up to that edge; `tilt`, which is below 0 if the start is further than the end, then finds
 * the edge itself. */
static double lowest(const Line *l, const PxClothNear *end, PxClothNear *near)
{
    double low = 0, high = 1, down, up, at_low = height(l, 0, near, &down);
    double at_high = height(l, 1, end, &up), best = 0, least = at_low, length = px_length(l->way);
    if (down >= 0)
        return 0;
    if (at_high < at_low || up <= 0) {
        best = 1;
        least = at_high;
        *near = *end;
    }
    for (int n = 0; n < SECTIONS && up > 0 && high - low > 1e-3; ++n) {
        double slope, wide = high - low;
        double part = low + (at_high - at_low - up * wide) / (down - up);
        double bound = at_low + down * (part - low);
        if (bound + l->tilt * part > l->enough)
            break;
        part = fmin(fmax(part, low + 0.02 * wide), high - 0.02 * wide);
        /* distances change by no more than places do */
        double within = fmin(at_low + l->tilt * low + (part - low) * length,
                             at_high + l->tilt * high + (high - part) * length);
        PxClothNear trial = near_at(l->job, px_mad(l->from, l->way, part), 1.001 * within + 1e-9);
        double at = height(l, part, &trial, &slope);
        if (at < least) {
            least = at;
            best = part;
            *near = trial;
        }
        if (at - bound < l->exact)
            break;
        if (slope < 0) {
            low = part;
            at_low = at;
            down = slope;
        } else {
            high = part;
            at_high = at;
            up = slope;
        }
    }
    return best;
}

/* Notes a place. */
static void note(PxClothSearch *j, const uint32_t corner[3], const double w[3], uint32_t cloth,
                 const PxClothNear *near)
{
    uint32_t at = atomic_fetch_add_explicit(&j->count, 1, memory_order_relaxed);
    if (at >= j->most)
        return;
    j->found[at] = (PxClothPlace){.corner = {corner[0], corner[1], corner[2]},
                                  .weight = {w[0], w[1], w[2]},
                                  .cloth = cloth,
                                  .keep = keep_of(j->step, corner, w),
                                  .distance = near->distance,
                                  .normal = near->normal};
}

/* A triangle and the boundary. */
typedef struct Flat {
    const uint32_t *corner;
    double keep;   /* largest distance that its corners keep */
    double within; /* a bound of the distances */
    double exact;  /* error of the least distance */
    double enough; /* larger distances do not matter */
    double bound;  /* the same of bounds by tangents, which hold beside convex bodies only */
    double beside; /* a place inside is nearer than the edge by so much */
} Flat;

/* A lower bound of a convex distance over a triangle: a + b s + c t at the place with the
 * barycentric weights 1 - s - t, s, t. Also the line in the triangle where it is 0. */
typedef struct Cut {
    double a, b, c;
} Cut;

typedef struct Cuts {
    Cut cut[TRIALS + 3];
    int count;
} Cuts;

/* The tangent at the place with the weights w. */
static Cut cut_at(const PxClothSearch *j, const uint32_t corner[3], const double w[3],
                  const PxClothNear *near)
{
    PxVec3 x = j->x[corner[0]], n = near->normal;
    Cut cut = {.b = px_dot(n, px_sub(j->x[corner[1]], x)),
               .c = px_dot(n, px_sub(j->x[corner[2]], x))};
    cut.a = near->distance - cut.b * w[1] - cut.c * w[2];
    return cut;
}

/* Where in the triangle the largest of all bounds is least: there the newest one meets two others,
 * one other and a side, or two sides. */
static void lowest_of_cuts(const Cut *cut, int cuts, double *low, double w[3])
{
    const Cut *last = &cut[cuts - 1];
    Cut line[TRIALS + 6] = {{0, 1, 0}, {0, 0, 1}, {1, -1, -1}};
    int lines = 3;
    for (int k = 0; k < cuts - 1; ++k)
        line[lines++] = (Cut){last->a - cut[k].a, last->b - cut[k].b, last->c - cut[k].c};
    *low = INFINITY;
    for (int k = 1; k < lines; ++k)
        for (int l = 0; l < k; ++l) {
            double det = line[k].b * line[l].c - line[k].c * line[l].b, most = -INFINITY;
            double s = (line[k].c * line[l].a - line[k].a * line[l].c) / det;
            double t = (line[k].a * line[l].b - line[k].b * line[l].a) / det;
            if (!(s >= -1e-12 && t >= -1e-12 && s + t <= 1 + 1e-12)) /* parallel lines too */
                continue;
            for (int m = 0; m < cuts; ++m)
                most = fmax(most, cut[m].a + cut[m].b * s + cut[m].c * t);
            if (most < *low) {
                *low = most;
                w[1] = fmax(s, 0);
                w[2] = fmax(t, 0);
                w[0] = fmax(1 - w[1] - w[2], 0);
            }
        }
}

/* The lowest place of a triangle and its distance, by cutting planes (Kelley 1960): beside a convex
 * body no distance is below the tangents at other places, and where these are lowest is the next
 * trial. Beside corners and edges of flat faces a few trials are exact; steps along one slope at a
 * time get stuck at the kinks there. Is it inside the triangle, and near enough? */
static bool lowest_inside(const PxClothSearch *j, const Flat *flat, Cuts *all, double w[3],
                          PxClothNear *best)
{
    const uint32_t *c = flat->corner;
    Cut *cut = all->cut;
    int cuts = 0;
    double low = INFINITY, trial[3];
    best->distance = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double corner[3] = {k == 0, k == 1, k == 2};
        double other, at[3];
        if (isinf(j->near[c[k]].distance))
            continue;
        cut[cuts++] = cut_at(j, c, corner, &j->near[c[k]]);
        all->count = cuts;
        lowest_of_cuts(cut, cuts, &other, at);
        low = other;
        memcpy(trial, at, sizeof at);
    }
    for (int n = 0; n < TRIALS; ++n) {
        if (low > flat->bound)
            return false;
        if (best->distance - low < flat->exact)
            break;
        PxClothNear near = near_at(j, px_cloth_mean(j->x, c, trial), flat->within);
        if (near.distance < best->distance) {
            *best = near;
            memcpy(w, trial, sizeof trial);
        }
        cut[cuts] = cut_at(j, c, trial, &near);
        lowest_of_cuts(cut, ++cuts, &low, trial);
        all->count = cuts;
    }
    int least = w[0] < w[1] ? 0 : 1;
    least = w[2] < w[least] ? 2 : least;
    if (w[least] > BORDER || w[least] < LEAST)
        return w[least] > BORDER;
    /* beside an edge of the triangle: only if the edge itself is further away */
    double foot[3];
    for (int k = 0; k < 3; ++k)
        foot[k] = k == least ? 0 : w[k] / (1 - w[least]);
    double edge = near_at(j, px_cloth_mean(j->x, c, foot), flat->within).distance;
    return best->distance < edge - flat->beside;
}

/* Can a point between `count` corners come near enough for a contact? Distances change by no more
 * than places do: d >= mean(d_k - |x - x_k|), whose least value is that of a corner. */
static bool may_touch(const PxClothSearch *j, const uint32_t *c, int count, double keep)
{
    double sum = 0, far = 0, travel = 0;
    for (int k = 0; k < count; ++k) {
        double length = 0;
        for (int l = 0; l < count; ++l)
            length += px_length(px_sub(j->x[c[k]], j->x[c[l]]));
        if (isinf(j->near[c[k]].distance))
            return true; /* it is not known */
        sum += j->near[c[k]].distance;
        far = fmax(far, length);
        travel = fmax(travel, travel_of(j, c[k]));
    }
    return (sum - far) / count - travel < j->reach * keep + 1e-9;
}

/* Bounds of the distances of all points of a triangle of which a corner is near, and of those at
 * which a contact is made. */
static Flat flat_of(const PxClothSearch *j, const uint32_t c[3])
{
    double near = INFINITY, around = 0, travel = 0, keep = 0, enough;
    for (int k = 0; k < 3; ++k) {
        near = fmin(near, fabs(j->near[c[k]].distance));
        around += px_length(px_sub(j->x[c[k]], j->x[c[(k + 1) % 3]]));
        travel = fmax(travel, travel_of(j, c[k]));
        keep = fmax(keep, j->step->keep[c[k]]);
    }
    enough = j->reach * keep + travel + 1e-9;
    return (Flat){.corner = c,
                  .keep = keep,
                  .within = near + around,
                  .exact = (j->yields ? FINE * TILT : EXACT) * keep,
                  .enough = enough,
                  .bound = enough + (j->boundary->convex ? 0 : BULGE * around),
                  .beside = INSIDE * keep};
}

/* Is a boundary so flat between two vertices that the line between these, if they keep clear, does
 * so too? An arc of length L that turns by an angle is L angle / 8 higher than its chord. */
static bool is_flat(const PxClothNear *a, const PxClothNear *b, PxVec3 way, double keep)
{
    double turn = 2 - 2 * px_dot(a->normal, b->normal); /* the square of the angle, if small */
    double most = 8 * RIDGE * keep;
    return turn < 0.2 && px_dot(way, way) * turn < most * most;
}

/* Is the boundary flat along a side of a triangle? */
static bool is_flat_side(const PxClothSearch *j, uint32_t i, uint32_t k)
{
    return is_flat(&j->near[i], &j->near[k], px_sub(j->x[i], j->x[k]),
                   fmax(j->step->keep[i], j->step->keep[k]));
}

/* ---- boundaries that are not convex ---------------------------------------------------------- */

/* A place in a triangle. */
typedef struct Spot {
    double w[3];
    PxClothNear near;
} Spot;

static Spot spot_at(const PxClothSearch *j, const Flat *flat, double w1, double w2, double within)
{
    Spot spot = {.w = {fmax(1 - w1 - w2, 0), w1, w2}};
    spot.near = near_at(j, px_cloth_mean(j->x, flat->corner, spot.w), within);
    return spot;
}

/* Goes down from a place along the slopes of the distance in the triangle, by `size` at first. */
static void descend(const PxClothSearch *j, const Flat *flat, double size, Spot *spot)
{
    const uint32_t *c = flat->corner;
    PxVec3 a = px_sub(j->x[c[1]], j->x[c[0]]), b = px_sub(j->x[c[2]], j->x[c[0]]);
    double aa = px_dot(a, a), ab = px_dot(a, b), bb = px_dot(b, b), det = aa * bb - ab * ab;
    for (int n = 0; n < DESCENTS && det > 0; ++n) {
        double sa = px_dot(spot->near.normal, a), sb = px_dot(spot->near.normal, b);
        double s = (bb * sa - ab * sb) / det, t = (aa * sb - ab * sa) / det;
        double length = px_length(px_mad(px_scale(a, s), b, t));
        if (!(length > 1e-6))
            return;
        double w1 = fmin(fmax(spot->w[1] - s * size / length, 0), 1);
        double w2 = fmin(fmax(spot->w[2] - t * size / length, 0), 1 - w1);
        Spot next = spot_at(j, flat, w1, w2, flat->within);
        if (next.near.distance < spot->near.distance)
            *spot = next;
        else
            size *= 0.5;
    }
}

/* Notes more places of a triangle at a boundary that is not convex, which may reach into it in
 * several places: goes down from the middle of the triangle and of the quarters at its corners,
 * where the distance is below the tangents at other places. */
static void look_into_face(PxClothSearch *j, uint32_t face, const Flat *flat, const Cuts *cuts,
                           const double *known)
{
    static const double start[4][2] = {
        {1 / 3.0, 1 / 3.0}, {1 / 6.0, 1 / 6.0}, {2 / 3.0, 1 / 6.0}, {1 / 6.0, 2 / 3.0}};
    const uint32_t *c = flat->corner;
    double size = px_length(px_sub(j->x[c[1]], j->x[c[0]])), seen[5][2];
    int count = 0;
    if (known != NULL) {
        seen[0][0] = known[1];
        seen[count++][1] = known[2];
    }
    for (int k = 0; k < 4; ++k) {
        double bound = -INFINITY, w1 = start[k][0], w2 = start[k][1];
        for (int n = 0; n < cuts->count; ++n)
            bound = fmax(bound, cuts->cut[n].a + cuts->cut[n].b * w1 + cuts->cut[n].c * w2);
        bound -= flat->beside;
        Spot spot = spot_at(j, flat, w1, w2, bound > 0 ? bound : flat->within);
        if (!(spot.near.distance < bound) || spot.near.distance - 0.4 * size > flat->enough)
            continue; /* as beside something convex, or too far away */
        if (j->before)
            j->uneven[face] = 1;
        descend(j, flat, 0.2 * size, &spot);
        bool other = spot.near.distance < flat->enough;
        for (int n = 0; n < count && other; ++n)
            other = fmax(fabs(spot.w[1] - seen[n][0]), fabs(spot.w[2] - seen[n][1])) > APART;
        if (!other || fmin(spot.w[0], fmin(spot.w[1], spot.w[2])) < BORDER)
            continue; /* on an edge */
        seen[count][0] = spot.w[1];
        seen[count++][1] = spot.w[2];
        note(j, c, spot.w, j->step->system->of_face[face], &spot.near);
    }
}

/* ---- all triangles --------------------------------------------------------------------------- */

/* Notes the lowest place of side k of a triangle; returns its distance. */
static double look_at_side(PxClothSearch *j, const Flat *flat, uint32_t face, uint32_t k)
{
    const PxClothSystem *y = j->step->system;
    const uint32_t *c = flat->corner, l = (k + 1) % 3;
    const PxClothNear *from = &j->near[c[k]], *to = &j->near[c[l]];
    double tilt = !j->yields ? 0 : to->distance > from->distance ? TILT : -TILT;
    PxClothNear low = *from;
    double part = lowest(&(Line){j, j->x[c[k]], px_sub(j->x[c[l]], j->x[c[k]]), tilt * flat->keep,
                                 flat->exact, flat->bound},
                         to, &low);
    if (part > LEAST && part < 1 - LEAST && (y->owns[face] & (8u << k)) != 0)
        note(j, (uint32_t[3]){c[k], c[l], c[k]}, (double[3]){1 - part, part, 0}, y->of_face[face],
             &low);
    return low.distance;
}

static void look_at_face(PxClothSearch *j, uint32_t face)
{
    const PxClothSystem *y = j->step->system;
    const uint32_t *c = y->face[face].corner;
    const PxClothNear *n[3] = {&j->near[c[0]], &j->near[c[1]], &j->near[c[2]]};
    if (isinf(n[0]->distance) + isinf(n[1]->distance) + isinf(n[2]->distance) > 1)
        return; /* none of its sides is near */
    /* the tilt and fewer places inside serve what rests on cloth; walls are cut less without */
    bool all = j->yields && j->before, sharp = false;
    double least = fmin(n[0]->distance, fmin(n[1]->distance, n[2]->distance));
    Flat flat = {.corner = c};
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t l = (k + 1) % 3;
        if (isinf(n[k]->distance) || isinf(n[l]->distance) || is_flat_side(j, c[k], c[l]))
            continue;
        if (!sharp)
            flat = flat_of(j, c);
        sharp = true;
        bool own = (y->owns[face] & (8u << k)) != 0;
        if (all || (own && may_touch(j, (uint32_t[2]){c[k], c[l]}, 2, flat.keep)))
            least = fmin(least, look_at_side(j, &flat, face, k));
    }
    double w[3];
    PxClothNear inside;
    Cuts cuts = {.count = 0};
    if (!sharp || !(all || may_touch(j, c, 3, flat.keep)))
        return;
    bool found = lowest_inside(j, &flat, &cuts, w, &inside) &&
                 (!j->yields || inside.distance < least - flat.beside);
    if (found)
        note(j, c, w, y->of_face[face], &inside);
    if (!j->boundary->convex && j->uneven != NULL && (j->before || j->uneven[face] != 0))
        look_into_face(j, face, &flat, &cuts, found ? w : NULL);
}

static void face_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    for (uint32_t f = begin; f < end; ++f)
        look_at_face(user, f);
}

PxStatus px_cloth_places_find(PxClothSearch *j)
{
    const PxClothStep *s = j->step;
    j->close = j->count = 0;
    px_parallel_for(s->threads, s->system->vertices, BLOCK, near_block, j);
    if (j->close == 0)
        return PX_OK;
    for (uint32_t wanted = ROOM + s->system->vertices / 8;; wanted = 2 * j->count) {
        if (wanted > j->most) {
            j->most = wanted;
            j->found = PX_ARENA_ARRAY(s->scratch, PxClothPlace, j->most);
            if (j->found == NULL)
                return px_fail(PX_ERR_MEMORY, "cloth: no room for %u places", j->most);
        }
        j->count = 0;
        px_parallel_for(s->threads, s->system->faces, BLOCK, face_block, j);
        if (j->count <= j->most)
            return PX_OK;
    }
}

/* ---- a place and the boundary --------------------------------------------------------------- */

void px_cloth_square(const double weight[3], const PxVec3 x[3], PxVec3 *normal, double *distance)
{
    PxVec3 side = px_sub(x[1], x[0]), none = px_vec(0, 0, 0), n;
    if (!(weight[1] > 0)) /* a vertex */
        return;
    if (weight[2] > 0) {
        n = px_normalized(px_cross(side, px_sub(x[2], x[0])), none);
        n = px_scale(n, px_dot(n, *normal) < 0 ? -1 : 1);
    } else {
        side = px_normalized(side, none);
        n = px_normalized(px_mad(*normal, side, -px_dot(side, *normal)), none);
    }
    double cosine = px_dot(n, *normal);
    if (!(cosine > SQUARE))
        return;
    *distance *= *distance > 0 ? cosine : 1 / cosine;
    *normal = n;
}

/* The first place of a way that is nearer than `near` to a boundary that stands still and comes
 * nearer yet, as a part of the way; 1 or more: none. */
static double meets(const PxBoundary *b, PxVec3 from, PxVec3 way, double near)
{
    double length = px_length(way), part = 0;
    for (int n = 0; n < ADVANCES && part < 1; ++n) {
        PxVec3 normal;
        double d = px_boundary_distance(b, 0, px_mad(from, way, part), &normal);
        bool comes = px_dot(normal, way) < 0;
        if (d < near && comes)
            return part;
        part += fmax(d - 0.9 * near, (comes ? 0.1 : 0.5) * near) / length;
    }
    return 1;
}

double px_cloth_gap(const PxBoundary *b, const PxClothPlace *place, const PxVec3 x[3], PxVec3 from,
                    PxVec3 way, PxVec3 *normal)
{
    double part = 1, near = NEAR * place->keep;
    if (px_length(way) > near)
        part = meets(b, from, way, near);
    else if (!(px_boundary_distance(b, 0, from, NULL) > near))
        part = 0;
    way = px_scale(way, fmin(part, 1));
    double distance = px_boundary_distance(b, 0, px_add(from, way), normal);
    px_cloth_square(place->weight, x, normal, &distance);
    return distance - px_dot(*normal, way);
}
