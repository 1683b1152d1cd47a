#include "rigid/contacts.h"

#include "shape/shape_inner.h"

#include <stdlib.h>

/* Samples of a rim before its nearest points are refined. A flat rim touches at all of them. */
#define RIM_SAMPLES 16
/* Cosine of the angle between a rim's axis and the normal above which it stands. */
#define STANDS 0.7
/* Most intervals in which the nearest point of an edge is searched. */
#define EDGE_PARTS 8
/* Slope of the distance along an edge below which it lies flat. */
#define FLAT 1e-3
/* Touches nearer to each other than this part of the size are one. */
#define SAME 0.02
/* Parts of a feature that can touch at once: nearest points of a rim, and its samples. */
#define PARTS 32u
/* The search for the nearest point of an edge: most steps, and when it ends: the distance is exact
 * within this part of the size, or the place within this part of the edge. */
#define EDGE_STEPS 24
#define NEAREST 1e-7
#define SHORTEST 2.5e-4
/* Corners whose distances are kept for the edges that end there. */
#define CORNERS 1024
/* Candidates of both sides that are compared, and a few that are sorted without a library. */
enum { MOST_FOUND = 512, FEW = 32 };

typedef struct Found {
    PxTouch touch[MOST_FOUND];
    uint32_t count;
} Found;

/* The field of a body, in the frame of its shape (primitives) or its rest frame (meshes). */
typedef struct Field {
    const PxShape *shape;
    const PxMovingMesh *moving; /* a wall with poses, whose frame is the world, or NULL */
    double when;
    PxMat3 turn;     /* from the world */
    PxVec3 shift;    /* turn x + shift is in that frame */
    PxBounds bounds; /* of the shape there */
    double sign;     /* -1: matter is inside */
    bool mesh;
    bool box;    /* a box, seen from outside */
    bool convex; /* the distance is a convex function */
} Field;

/* A corner in the frame of the field. */
typedef struct Corner {
    PxVec3 at, normal;
    double distance;
    enum { NOTHING, PLACE, DISTANCE } known; /* with the normal */
} Corner;

/* Features of `own` are compared with the field of the other body. */
typedef struct Search {
    const PxCollider *own, *other;
    Field field;
    PxMat3 turn; /* from the rest frame of `own` to that of the field */
    PxVec3 shift;
    double margin, size;
    double along;  /* beyond the margin, how far distances of corners matter for edges */
    uint32_t side; /* 1: `own` is the second body */
    Found *found;
    Corner *corner; /* CORNERS first features, if they are points */
} Search;

static PxVec3 apply_transposed(const PxMat3 *a, PxVec3 v)
{
    const double(*m)[3] = a->m;
    return px_vec(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z,
                  m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                  m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

/* As px_wall_moving(), without a call. */
static inline const PxMovingMesh *moving_of(const PxCollider *c)
{
    return c->wall->shape->moving;
}

bool px_contacts_convex(const PxCollider *body)
{
    PxShapeKind kind = body->wall->shape->kind;
    return !body->wall->inside && kind != PX_SHAPE_MESH && kind != PX_SHAPE_FUNNEL;
}

static Field field_of(const PxCollider *c)
{
    const PxShape *shape = c->wall->shape;
    const PxMovingMesh *moving = moving_of(c);
    Field f = {.shape = shape,
               .moving = moving,
               .when = c->when,
               .sign = c->wall->inside ? -1 : 1,
               .mesh = shape->kind == PX_SHAPE_MESH,
               .box = shape->kind == PX_SHAPE_BOX && !c->wall->inside,
               .convex = px_contacts_convex(c),
               .bounds = moving != NULL ? px_moving_mesh_bounds(moving) : shape->bounds};
    /* rest = turn^T (x - place) + pivot */
    f.turn = px_mat3_transpose(c->turn);
    f.shift = px_sub(c->pivot, px_mat3_apply(f.turn, c->place));
    if (!f.mesh) { /* own = shape->turn^T (rest - at) */
        PxMat3 own = px_mat3_transpose(c->own);
        f.turn = px_mat3_multiply(own, f.turn);
        f.shift = px_mat3_apply(own, px_sub(f.shift, shape->at));
        f.bounds = shape->own_bounds;
    }
    return f;
}

/* As px_primitive_distance(), with one root: most distances of a heap are those of boxes. */
static inline double box_distance(PxVec3 half, PxVec3 p, PxVec3 *normal)
{
    PxVec3 q = px_vec(fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z);
    if (q.x <= 0 && q.y <= 0 && q.z <= 0) {
        bool x = q.x >= q.y && q.x >= q.z, y = !x && q.y >= q.z;
        *normal = px_vec(x ? copysign(1, p.x) : 0, y ? copysign(1, p.y) : 0,
                         x || y ? 0 : copysign(1, p.z));
        return x ? q.x : y ? q.y : q.z;
    }
    PxVec3 out = px_vec(q.x > 0 ? q.x : 0, q.y > 0 ? q.y : 0, q.z > 0 ? q.z : 0);
    double d = sqrt(px_dot(out, out)), per = 1 / d;
    if (!(d > 0)) { /* the square of a distance that is next to nothing */
        px_primitive_distance(&(PxPrimitive){.kind = PX_SHAPE_BOX, .half = half}, p, normal);
        return 0;
    }
    *normal =
        px_vec(copysign(out.x * per, p.x), copysign(out.y * per, p.y), copysign(out.z * per, p.z));
    return d;
}

/* Distance of a point of the field's frame, with its normal there. Beyond `within` it may be less
 * than the true one. */
static double distance(const Field *f, PxVec3 at, double within, PxVec3 *normal)
{
    double d;
    if (f->box)
        return box_distance(f->shape->primitive.half, at, normal);
    if (f->moving != NULL) {
        PxMovingSpot spot;
        px_moving_mesh_closest(f->moving, f->when, at, &spot);
        d = spot.distance;
        *normal = spot.normal;
    } else {
        d = f->mesh ? px_shape_near(f->shape, at, within, normal)
                    : px_primitive_distance(&f->shape->primitive, at, normal);
    }
    *normal = px_scale(*normal, f->sign);
    return f->sign * d;
}

static PxVec3 from_world(const Field *f, PxVec3 x)
{
    return px_add(px_mat3_apply(f->turn, x), f->shift);
}

static PxVec3 into_field(const Search *s, PxVec3 rest)
{
    return px_add(px_mat3_apply(s->turn, rest), s->shift);
}

/* Is the box from a to b further than `reach` from the bounds of the field? */
static bool beyond(const Field *f, PxVec3 a, PxVec3 b, double reach)
{
    PxVec3 low = px_sub(f->bounds.low, px_vec(reach, reach, reach));
    PxVec3 high = px_add(f->bounds.high, px_vec(reach, reach, reach));
    return f->sign > 0 && ((a.x > high.x && b.x > high.x) || (a.x < low.x && b.x < low.x) ||
                           (a.y > high.y && b.y > high.y) || (a.y < low.y && b.y < low.y) ||
                           (a.z > high.z && b.z > high.z) || (a.z < low.z && b.z < low.z));
}

/* From the frame of the field. */
static PxVec3 into_world(const Search *s, PxVec3 at)
{
    return apply_transposed(&s->field.turn, px_sub(at, s->field.shift));
}

/* Adds a touch; `middle`, of the rounding, and `normal` are in the frame of the field. `rolls` is
 * the middle of a rim that rolls, or NULL. */
static void add(const Search *s, uint32_t feature, uint32_t part, PxVec3 middle, double round,
                double d, PxVec3 normal, const PxVec3 *rolls)
{
    Found *found = s->found;
    bool ball = s->field.shape->kind == PX_SHAPE_SPHERE && s->field.sign > 0;
    PxVec3 n = apply_transposed(&s->field.turn, normal);
    PxVec3 x = into_world(s, middle);
    PxTouch t = {.feature = 2 * (PARTS * feature + part) + s->side,
                 .at = px_mad(x, n, -round),
                 .normal = s->side ? px_scale(n, -1) : n,
                 .distance = d - round,
                 .corner = moving_of(s->own) != NULL ||
                           s->own->features->feature[feature].kind == PX_FEATURE_POINT};
    t.anchor[s->side] = rolls != NULL ? into_world(s, *rolls) : x;
    /* the field's own frame has its origin in the middle of the ball */
    t.anchor[1 - s->side] = ball ? into_world(s, px_vec(0, 0, 0)) : px_mad(x, n, -d);
    if (found->count < MOST_FOUND) {
        found->touch[found->count++] = t;
        return;
    }
    uint32_t least = 0; /* replaces the most distant */
    for (uint32_t k = 1; k < MOST_FOUND; ++k)
        if (found->touch[k].distance > found->touch[least].distance)
            least = k;
    if (t.distance < found->touch[least].distance)
        found->touch[least] = t;
}

static void search_point(Search *s, uint32_t k, const PxFeature *f)
{
    Corner c = {.at = into_field(s, f->a), .known = PLACE};
    double within = f->round + s->margin;
    if (!beyond(&s->field, c.at, c.at, within)) {
        c.distance = distance(&s->field, c.at, within + s->along, &c.normal);
        c.known = DISTANCE;
    }
    if (k < CORNERS)
        s->corner[k] = c;
    if (c.known == DISTANCE && c.distance < within)
        add(s, k, 0, c.at, f->round, c.distance, c.normal, NULL);
}

/* A straight edge, in the frame of the field. */
typedef struct Line {
    const Search *s;
    PxVec3 from, way;
    double length, within;
} Line;

static double along(const Line *line, double t, double *slope)
{
    PxVec3 normal;
    double d = distance(&line->s->field, px_mad(line->from, line->way, t), line->within, &normal);
    *slope = px_dot(normal, line->way) / line->length;
    return d;
}

static void add_on_edge(const Line *line, uint32_t k, uint32_t part, double t, double round)
{
    PxVec3 normal, at = px_mad(line->from, line->way, t);
    double d = distance(&line->s->field, at, line->within, &normal);
    if (d < round + line->s->margin)
        add(line->s, k, part, at, round, d, normal, NULL);
}

/* A point of an edge: the distance, and its slope. */
typedef struct Spot {
    double t, d, slope;
} Spot;

static Spot spot_of(const Line *line, double t)
{
    Spot s = {.t = t};
    s.d = along(line, t, &s.slope);
    return s;
}

/* Where the slope first exceeds `limit` between `low`, where it does not, and `high`: the lowest
 * place of the distance less `limit` times the way. The tangents at both ends meet below it, and at
 * a kink, as where two edges cross, in it (Kelley 1960). Every fourth step halves. */
static double rises(const Line *line, Spot low, Spot high, double limit)
{
    double length = line->length, near = NEAREST * line->s->size;
    for (int k = 0; k < EDGE_STEPS && high.t - low.t > SHORTEST; ++k) {
        double first = (low.slope - limit) * length, last = (high.slope - limit) * length;
        double here = low.d - limit * length * low.t, there = high.d - limit * length * high.t;
        double at = (here - there + last * high.t - first * low.t) / (last - first);
        if (at <= low.t || at >= high.t)
            return at <= low.t ? low.t : high.t;
        double bound = here + first * (at - low.t);
        if (k % 4 == 3) {
            at = 0.5 * (low.t + high.t);
            bound = -INFINITY;
        }
        Spot s = spot_of(line, at);
        if (s.d - limit * length * at - bound < near)
            return at;
        if (s.slope > limit)
            high = s;
        else
            low = s;
    }
    return 0.5 * (low.t + high.t);
}

/* Looks for the one nearest point between `low` and `high`, whose slopes are opposite and not flat.
 * Returns false if there is more than one. Outside, the square of the distance to a box is a
 * parabola in every region, so that distance times slope leads to its lowest place. */
static bool nearest(const Line *line, Spot low, Spot high, double apart, double *at)
{
    double near = NEAREST * line->s->size, length = line->length;
    for (int k = 0; k < 4; ++k) {
        double way = (high.t - low.t) * length, bound = -INFINITY;
        double x = (low.d - high.d + high.slope * way) / (high.slope - low.slope);
        if (k % 2 == 1 && low.d > 0 && high.d > 0) {
            double first = low.d * low.slope, last = high.d * high.slope;
            x = -first / (last - first) * way;
        } else {
            bound = low.d + low.slope * x;
        }
        *at = low.t + x / length;
        if (!(x > 0 && x < way))
            return false;
        Spot s = spot_of(line, *at);
        if (s.d - bound < near)
            return true; /* a kink, between slopes that are not flat */
        if (fabs(s.slope) <= FLAT) {
            Spot before = spot_of(line, *at - 0.5 * apart),
                 after = spot_of(line, *at + 0.5 * apart);
            return before.slope < -FLAT && after.slope > FLAT;
        }
        if (s.slope > 0)
            high = s;
        else
            low = s;
    }
    return false;
}

/* Touches between `low` and `high`, where the distance is convex: its slope rises. The nearest
 * point lies where the slope passes 0; if the edge lies flat on a face, the points where it leaves
 * the face. */
static uint32_t search_convex(const Line *line, uint32_t k, uint32_t part, double round, Spot low,
                              Spot high)
{
    bool from_end = low.slope >= -FLAT, to_end = high.slope <= FLAT;
    double apart = SAME * line->s->size / line->length, at;
    if (!from_end && !to_end && nearest(line, low, high, apart, &at)) {
        add_on_edge(line, k, part, at, round);
        return 1;
    }
    double begin = from_end ? low.t : rises(line, low, high, -FLAT);
    double end = to_end ? high.t : rises(line, low, high, FLAT);
    if (end - begin < apart && !from_end && !to_end) {
        add_on_edge(line, k, part, 0.5 * (begin + end), round);
        return 1;
    }
    uint32_t count = 0;
    if (!from_end)
        add_on_edge(line, k, part + count++, begin, round);
    if (!to_end)
        add_on_edge(line, k, part + count++, end, round);
    return count;
}

/* Lower bound of the distance to the other body along a part of an edge, if the distance is a
 * convex function there: the height at which its tangents at both ends meet. */
static double lowest(const Line *line, const Spot *low, const Spot *high)
{
    if (!(high->slope > low->slope))
        return low->d < high->d ? low->d : high->d;
    double way = (high->t - low->t) * line->length;
    double at = (low->d - high->d + high->slope * way) / (high->slope - low->slope);
    return low->d + low->slope * (at < 0 ? 0 : at > way ? way : at);
}

/* The end of an edge, of which the corner may be known. Beyond their margin and `along` distances
 * to meshes are not exact: both ends of an edge are then farther than one of its points may matter.
 */
static Spot end_of(const Line *line, const Corner *c, double t)
{
    if (c == NULL || c->known != DISTANCE || (line->s->field.mesh && line->length > line->s->size))
        return spot_of(line, t);
    return (Spot){t, c->distance, px_dot(c->normal, line->way) / line->length};
}

/* Points inside an edge; its ends are points of their own. Along planes only those are nearest. */
static void search_edge(const Search *s, uint32_t k, const PxFeature *f)
{
    const Corner *end[2] = {NULL, NULL};
    for (int n = 0; n < 2; ++n)
        end[n] = f->end[n] < CORNERS && s->corner[f->end[n]].known != NOTHING
                     ? &s->corner[f->end[n]]
                     : NULL;
    PxVec3 from = end[0] != NULL ? end[0]->at : into_field(s, f->a);
    PxVec3 to = end[1] != NULL ? end[1]->at : into_field(s, f->b), way = px_sub(to, from);
    double reach = f->round + s->margin;
    if (s->field.shape->kind == PX_SHAPE_PLANE || beyond(&s->field, from, to, reach))
        return;
    double length = px_length(way);
    Line line = {s, from, way, length, reach + length};
    Spot low = end_of(&line, end[0], 0), high = end_of(&line, end[1], 1);
    if (0.5 * (low.d + high.d - length) > reach)
        return;
    if (s->field.convex) {
        bool flat = low.slope >= -FLAT && high.slope <= FLAT;
        bool ends = high.slope < -FLAT || low.slope > FLAT; /* an end is nearest */
        if (!flat && !ends && lowest(&line, &low, &high) < reach)
            search_convex(&line, k, 0, f->round, low, high);
        return;
    }
    int parts = (int)fmin(fmax(ceil(length / s->size), 2), EDGE_PARTS);
    double step = 1.0 / parts;
    uint32_t part = 0;
    Spot last = low;
    for (int p = 0; p < parts && part < PARTS - 2; ++p) {
        Spot next = p + 1 < parts ? spot_of(&line, (p + 1) * step) : high;
        bool near = 0.5 * (last.d + next.d - step * length) < reach;
        if (near && last.slope < -FLAT && next.slope > FLAT)
            part += search_convex(&line, k, part, f->round, last, next);
        else if (p > 0 && last.slope > FLAT && near) {
            double before; /* the minimum is the sample itself, at a kink */
            along(&line, p * step - 1e-3 * step, &before);
            if (before < -FLAT)
                add_on_edge(&line, k, part++, p * step, f->round);
        }
        last = next;
    }
}

static PxVec3 on_rim(const Search *s, const PxFeature *f, double angle)
{
    PxVec3 across = px_cross(f->b, f->side);
    PxVec3 out = px_add(px_scale(f->side, cos(angle)), px_scale(across, sin(angle)));
    return into_field(s, px_mad(f->a, out, f->ring));
}

/* Distances up to which points of a rim matter: if one touches, all are nearer than that. */
static double rim_reach(const Search *s, const PxFeature *f)
{
    return s->margin + f->round + 4 * f->ring;
}

static double at_rim(const Search *s, const PxFeature *f, double angle)
{
    PxVec3 normal;
    return distance(&s->field, on_rim(s, f, angle), rim_reach(s, f), &normal);
}

/* Nearest points of the rim, by whose middle a cylinder rolls evenly, and if it stands, samples. */
static void search_rim(const Search *s, uint32_t k, const PxFeature *f)
{
    PxVec3 middle = into_field(s, f->a), normal;
    double near = f->round + s->margin;
    if (beyond(&s->field, middle, middle, f->ring + near))
        return;
    double d[RIM_SAMPLES], step = 2 * M_PI / RIM_SAMPLES;
    PxVec3 axis = px_mat3_apply(s->turn, f->b);
    for (int p = 0; p < RIM_SAMPLES; ++p) {
        PxVec3 at = on_rim(s, f, p * step);
        d[p] = distance(&s->field, at, rim_reach(s, f), &normal);
        if (d[p] < near && fabs(px_dot(normal, axis)) > STANDS)
            add(s, k, RIM_SAMPLES + (uint32_t)p, at, f->round, d[p], normal, NULL);
    }
    uint32_t minima = 0;
    for (int p = 0; p < RIM_SAMPLES; ++p) {
        double before = d[(p + RIM_SAMPLES - 1) % RIM_SAMPLES], after = d[(p + 1) % RIM_SAMPLES];
        double chord = step * f->ring;
        if (!(d[p] < before && d[p] <= after) || d[p] > near + chord)
            continue;
        double low = (p - 1) * step, high = (p + 1) * step;
        for (int n = 0; n < 40; ++n) { /* ternary search */
            double a = low + (high - low) / 3, b = high - (high - low) / 3;
            if (at_rim(s, f, a) <= at_rim(s, f, b))
                high = b;
            else
                low = a;
        }
        PxVec3 at = on_rim(s, f, 0.5 * (low + high));
        double best = distance(&s->field, at, rim_reach(s, f), &normal);
        if (best < near && minima < RIM_SAMPLES)
            add(s, k, minima++, at, f->round, best, normal,
                fabs(px_dot(normal, axis)) > STANDS ? NULL : &middle);
    }
}

static void search_feature(Search *s, uint32_t k)
{
    const PxFeature *f = &s->own->features->feature[k];
    if (f->kind == PX_FEATURE_POINT)
        search_point(s, k, f);
    else if (f->kind == PX_FEATURE_EDGE)
        search_edge(s, k, f);
    else
        search_rim(s, k, f);
}

/* Blocks of corners come before those of edges, which end there. */
static void search(Search *s)
{
    const PxFeatures *features = s->own->features;
    if (features->count <= 2 * PX_FEATURE_BLOCK) {
        for (uint32_t k = 0; k < features->count; ++k)
            search_feature(s, k);
        return;
    }
    for (uint32_t k = 0; k < CORNERS && k < features->count; ++k)
        s->corner[k].known = NOTHING;
    for (uint32_t n = 0; n < features->blocks;) {
        const PxFeatureBlock *block = &features->block[n];
        PxVec3 at = into_field(s, block->middle), normal;
        double reach = block->radius + s->margin;
        if (beyond(&s->field, at, at, reach)) {
            n = block->next;
            continue;
        }
        ++n;
        /* a distance that is far below the size of the mesh takes little time */
        if (block->end - block->begin > PX_FEATURE_BLOCK ||
            distance(&s->field, at, reach, &normal) >= reach)
            continue;
        for (uint32_t k = block->begin; k < block->end; ++k)
            search_feature(s, features->order[k]);
    }
}

/* A vertex of a wall with poses, all of which are points that may touch. */
static void search_vertex(void *user, uint32_t v, PxVec3 place)
{
    const Search *s = user;
    PxVec3 at = from_world(&s->field, place), normal;
    if (beyond(&s->field, at, at, s->margin))
        return;
    double d = distance(&s->field, at, s->margin, &normal);
    if (d < s->margin)
        add(s, v, 0, at, 0, d, normal, NULL);
}

/* Deeper first; of equal ones the lower feature. */
static int by_depth(const void *left, const void *right)
{
    const PxTouch *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

static int by_feature(const void *left, const void *right)
{
    const PxTouch *a = left, *b = right;
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    return by_depth(a, b);
}

/* Are they that near to each other, with normals whose product is larger than `alike`? */
static bool is_same(const PxTouch *a, const PxTouch *b, double near, double alike)
{
    PxVec3 way = px_sub(a->at, b->at);
    return px_dot(way, way) < near * near && px_dot(a->normal, b->normal) > alike;
}

/* Keeps the first of touches that are the same; false when there are more than `most`. */
static bool unite(const Found *found, double near, double alike, PxTouch *out, uint32_t most,
                  uint32_t *count)
{
    *count = 0;
    for (uint32_t k = 0; k < found->count; ++k) {
        bool known = false;
        for (uint32_t n = 0; n < *count && !known; ++n)
            known = is_same(&out[n], &found->touch[k], near, alike);
        if (known)
            continue;
        if (*count == most)
            return false;
        out[(*count)++] = found->touch[k];
    }
    return true;
}

/* Sorts few touches: they are nearly sorted. */
static void sort(PxTouch *touch, uint32_t count, int (*compare)(const void *, const void *))
{
    if (count > FEW) {
        qsort(touch, count, sizeof *touch, compare);
        return;
    }
    for (uint32_t k = 1; k < count; ++k) {
        uint32_t n = k;
        if (compare(&touch[k - 1], &touch[k]) <= 0)
            continue;
        PxTouch one = touch[k];
        for (; n > 0 && compare(&touch[n - 1], &one) > 0; --n)
            touch[n] = touch[n - 1];
        touch[n] = one;
    }
}

/* Where two features touch at one place, as corners of aligned boxes, the lower one stands for
 * both, in every step. If there are too many, the deepest ones are kept that are not next to each
 * other; next to each other means a distance that is doubled until all find room. Distance alone
 * does not unite touches whose normals differ, or that have none: when it is far beyond the size of
 * the bodies, normals need to be less alike with every round, and the last round keeps the deepest.
 */
static uint32_t thin_out(Found *found, double near, PxTouch *out, uint32_t most)
{
    enum { DOUBLINGS = 16, ROUNDS = 40 }; /* 0.02 2^16 is 1300 sizes; then 0.9 falls below -1 */
    double alike = 0.9;
    uint32_t count;
    sort(found->touch, found->count, by_feature);
    if (unite(found, near, alike, out, most, &count))
        return count;
    sort(found->touch, found->count, by_depth);
    for (int round = 0; round < ROUNDS && !unite(found, near, alike, out, most, &count); ++round) {
        near *= 2;
        if (round >= DOUBLINGS)
            alike -= 0.1;
    }
    sort(out, count, by_feature);
    return count;
}

/* Point in both bodies that is far from both surfaces: away from the nearer one, in ever smaller
 * steps. Returns twice its distance, the extent of the overlap there. */
double px_contacts_depth(const PxCollider *first, const PxCollider *second, PxVec3 *at)
{
    double best = 0, size = fmin(first->size, second->size);
    const Field field[2] = {field_of(first), field_of(second)};
    PxVec3 x = *at;
    for (int k = 0; k < 100; ++k) {
        PxVec3 n[2];
        double d[2];
        for (int b = 0; b < 2; ++b) {
            d[b] = distance(&field[b], from_world(&field[b], x), INFINITY, &n[b]);
            n[b] = apply_transposed(&field[b].turn, n[b]);
        }
        int near = d[0] > d[1] ? 0 : 1;
        if (-d[near] > best) {
            best = -d[near];
            *at = x;
        }
        x = px_mad(x, n[near], -0.2 * fmin(size, 1e30) / (1 + 0.25 * k));
    }
    return 2 * best;
}

double px_contacts_clearance(const PxCollider *first, const PxCollider *second)
{
    if (isfinite(second->radius))
        return px_length(px_sub(first->middle, second->middle)) - first->radius - second->radius;
    PxVec3 normal;
    Field field = field_of(second);
    return distance(&field, from_world(&field, first->middle), INFINITY, &normal) - first->radius;
}

/* A box that holds a body, in the world. */
typedef struct Crate {
    PxVec3 middle, half;
    PxMat3 turn; /* columns are its axes */
} Crate;

static Crate crate_of(const PxCollider *c)
{
    const PxShape *shape = c->wall->shape;
    const PxBounds *b = &shape->own_bounds;
    if (moving_of(c) != NULL) {
        PxBounds all = px_moving_mesh_bounds(moving_of(c));
        return (Crate){px_scale(px_add(all.low, all.high), 0.5),
                       px_scale(px_sub(all.high, all.low), 0.5), px_mat3_identity()};
    }
    PxVec3 middle = px_scale(px_add(b->low, b->high), 0.5);
    PxVec3 arm = px_sub(px_add(shape->at, px_mat3_apply(c->own, middle)), c->pivot);
    return (Crate){px_add(c->place, px_mat3_apply(c->turn, arm)),
                   px_scale(px_sub(b->high, b->low), 0.5), px_mat3_multiply(c->turn, c->own)};
}

/* Do the faces of one crate separate the two, also when b has moved by `move` and by `more` in any
 * direction? */
static bool separates(const Crate *a, const Crate *b, PxVec3 move, double more)
{
    PxMat3 into = px_mat3_transpose(a->turn), turn = px_mat3_multiply(into, b->turn);
    PxVec3 way = px_mat3_apply(into, px_sub(b->middle, a->middle));
    PxVec3 moves = px_mat3_apply(into, move);
    const double from[3] = {way.x, way.y, way.z}, half[3] = {a->half.x, a->half.y, a->half.z};
    const double by[3] = {moves.x, moves.y, moves.z};
    for (int k = 0; k < 3; ++k) {
        double reach = fabs(turn.m[k][0]) * b->half.x + fabs(turn.m[k][1]) * b->half.y +
                       fabs(turn.m[k][2]) * b->half.z;
        double nearer = fmax(from[k] > 0 ? -by[k] : by[k], 0);
        if (fabs(from[k]) > half[k] + reach + nearer + more)
            return true;
    }
    return false;
}

static bool far_apart(const PxCollider *first, const PxCollider *second, const PxReach *reach)
{
    if (!isfinite(second->radius) || second->wall->inside || first->wall->inside)
        return false;
    Crate a = crate_of(first), b = crate_of(second);
    return separates(&a, &b, px_scale(reach->move, -1), reach->more) ||
           separates(&b, &a, reach->move, reach->more);
}

uint32_t px_contacts_find(const PxCollider *first, const PxCollider *second, const PxReach *reach,
                          PxTouch out[PX_MOST_TOUCHES])
{
    Found found;
    Corner corner[CORNERS];
    found.count = 0;
    double size = fmin(first->size, second->size), margin = px_length(reach->move) + reach->more;
    if (px_contacts_clearance(first, second) > margin || far_apart(first, second, reach))
        return 0;
    for (uint32_t side = 0; side < 2; ++side) {
        const PxCollider *own = side ? second : first, *other = side ? first : second;
        Search s = {.own = own,
                    .other = other,
                    .field = field_of(other),
                    .margin = margin,
                    .size = size,
                    .along = 1.001 * fmin(size, own->features != NULL ? own->features->longest : 0),
                    .side = side,
                    .found = &found,
                    .corner = corner};
        /* the rest frame of `own` to the world, to the field */
        s.turn = px_mat3_multiply(s.field.turn, own->turn);
        s.shift = px_sub(from_world(&s.field, own->place), px_mat3_apply(s.turn, own->pivot));
        if (moving_of(own) != NULL)
            px_moving_mesh_within(moving_of(own), own->when, other->middle, other->radius + margin,
                                  search_vertex, &s);
        else if (own->features != NULL)
            search(&s);
    }
    return thin_out(&found, SAME * size, out, PX_MOST_TOUCHES);
}
