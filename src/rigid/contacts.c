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
/* Candidates of one side that are compared. */
enum { MOST_FOUND = 512 };

typedef struct Found {
    PxTouch touch[MOST_FOUND];
    uint32_t count;
} Found;

/* The field of a body, in the frame of its shape (primitives) or its rest frame (meshes). */
typedef struct Field {
    const PxShape *shape;
    PxMat3 turn;     /* from the world */
    PxVec3 shift;    /* turn x + shift is in that frame */
    PxBounds bounds; /* of the shape there */
    double sign;     /* -1: matter is inside */
    bool mesh;
    bool convex; /* the distance is a convex function */
} Field;

/* Features of `own` are compared with the field of the other body. */
typedef struct Search {
    const PxCollider *own, *other;
    Field field;
    PxMat3 turn; /* from the rest frame of `own` to that of the field */
    PxVec3 shift;
    double margin, size;
    uint32_t side; /* 1: `own` is the second body */
    Found *found;
} Search;

static PxVec3 apply_transposed(const PxMat3 *a, PxVec3 v)
{
    const double(*m)[3] = a->m;
    return px_vec(m[0][0] * v.x + m[1][0] * v.y + m[2][0] * v.z,
                  m[0][1] * v.x + m[1][1] * v.y + m[2][1] * v.z,
                  m[0][2] * v.x + m[1][2] * v.y + m[2][2] * v.z);
}

static Field field_of(const PxCollider *c)
{
    const PxShape *shape = c->wall->shape;
    Field f = {.shape = shape,
               .sign = c->wall->inside ? -1 : 1,
               .mesh = shape->kind == PX_SHAPE_MESH,
               .bounds = shape->bounds};
    f.convex = !c->wall->inside && !f.mesh && shape->kind != PX_SHAPE_FUNNEL;
    /* rest = turn^T (x - place) + pivot */
    f.turn = px_mat3_transpose(c->turn);
    f.shift = px_sub(c->pivot, px_mat3_apply(f.turn, c->place));
    if (!f.mesh) { /* own = shape->turn^T (rest - at) */
        PxMat3 own = px_mat3_transpose(px_mat3_from_quat(shape->turn));
        f.turn = px_mat3_multiply(own, f.turn);
        f.shift = px_mat3_apply(own, px_sub(f.shift, shape->at));
        f.bounds = shape->own_bounds;
    }
    return f;
}

/* Distance of a point of the field's frame, with its normal there. Beyond `within` it may be less
 * than the true one. */
static double distance(const Field *f, PxVec3 at, double within, PxVec3 *normal)
{
    double d = f->mesh ? px_shape_near(f->shape, at, within, normal)
                       : px_primitive_distance(&f->shape->primitive, at, normal);
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
    const PxBounds *o = &f->bounds;
    return f->sign > 0 &&
           (fmin(a.x, b.x) > o->high.x + reach || fmax(a.x, b.x) < o->low.x - reach ||
            fmin(a.y, b.y) > o->high.y + reach || fmax(a.y, b.y) < o->low.y - reach ||
            fmin(a.z, b.z) > o->high.z + reach || fmax(a.z, b.z) < o->low.z - reach);
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
                 .distance = d - round};
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

static void search_point(const Search *s, uint32_t k, const PxFeature *f)
{
    PxVec3 at = into_field(s, f->a), normal;
    double within = f->round + s->margin;
    if (beyond(&s->field, at, at, within))
        return;
    double d = distance(&s->field, at, within + s->size, &normal);
    if (d < within)
        add(s, k, 0, at, f->round, d, normal, NULL);
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

/* Where the slope first exceeds `limit` between `low`, where it does not, and `high`. */
static double rises(const Line *line, double low, double high, double limit)
{
    for (int k = 0; k < 12; ++k) {
        double middle = 0.5 * (low + high), slope;
        along(line, middle, &slope);
        if (slope > limit)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* Touches within [low, high], in which the distance is convex: its slope rises, from `first` to
 * `last`. The nearest point lies where the slope passes 0; if the edge lies flat on a face, the
 * points where it leaves the face. */
static uint32_t search_convex(const Line *line, uint32_t k, uint32_t part, double round, double low,
                              double high, double first, double last)
{
    bool from_end = first >= -FLAT, to_end = last <= FLAT;
    double begin = from_end ? low : rises(line, low, high, -FLAT);
    double end = to_end ? high : rises(line, begin, high, FLAT);
    double apart = SAME * line->s->size / line->length;
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

/* Lower bound of a convex function between two points with these values and slopes: where the
 * tangents meet. */
static double lowest(double here, double first, double there, double last, double length)
{
    if (!(last > first))
        return fmin(here, there);
    double at = (here - there + last * length) / (last - first);
    return here + first * fmin(fmax(at, 0), length);
}

/* Points inside an edge; its ends are points of their own. Along planes only those are nearest. */
static void search_edge(const Search *s, uint32_t k, const PxFeature *f)
{
    PxVec3 from = into_field(s, f->a), to = into_field(s, f->b), way = px_sub(to, from);
    double reach = f->round + s->margin;
    if (s->field.shape->kind == PX_SHAPE_PLANE || beyond(&s->field, from, to, reach))
        return;
    double length = px_length(way), first, last;
    Line line = {s, from, way, length, reach + length};
    double here = along(&line, 0, &first), there = along(&line, 1, &last);
    if (0.5 * (here + there - length) > reach)
        return;
    if (s->field.convex) {
        if (first < -FLAT || last > FLAT) {
            if (last >= -FLAT && first <= FLAT && lowest(here, first, there, last, length) < reach)
                search_convex(&line, k, 0, f->round, 0, 1, first, last);
        }
        return;
    }
    int parts = (int)fmin(fmax(ceil(length / s->size), 2), EDGE_PARTS);
    double step = 1.0 / parts;
    uint32_t part = 0;
    for (int p = 0; p < parts && part < PARTS - 2; ++p) {
        double slope, next,
            d = along(&line, p * step, &slope) + along(&line, (p + 1) * step, &next);
        if (0.5 * (d - step * length) < reach && slope < -FLAT && next > FLAT)
            part += search_convex(&line, k, part, f->round, p * step, (p + 1) * step, slope, next);
        else if (p > 0 && slope > FLAT && 0.5 * (d - step * length) < reach) {
            double before; /* the minimum is the sample itself, at a kink */
            along(&line, p * step - 1e-3 * step, &before);
            if (before < -FLAT)
                add_on_edge(&line, k, part++, p * step, f->round);
        }
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

static void search(const Search *s)
{
    const PxFeatures *features = s->own->features;
    for (uint32_t k = 0; k < features->count; ++k) {
        const PxFeature *f = &features->feature[k];
        if (f->kind == PX_FEATURE_POINT)
            search_point(s, k, f);
        else if (f->kind == PX_FEATURE_EDGE)
            search_edge(s, k, f);
        else
            search_rim(s, k, f);
    }
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

static bool is_same(const PxTouch *a, const PxTouch *b, double near)
{
    return px_length(px_sub(a->at, b->at)) < near && px_dot(a->normal, b->normal) > 0.9;
}

/* Keeps the first of touches that are next to each other; false when there are more than `most`. */
static bool unite(const Found *found, double near, PxTouch *out, uint32_t most, uint32_t *count)
{
    *count = 0;
    for (uint32_t k = 0; k < found->count; ++k) {
        bool known = false;
        for (uint32_t n = 0; n < *count && !known; ++n)
            known = is_same(&out[n], &found->touch[k], near);
        if (known)
            continue;
        if (*count == most)
            return false;
        out[(*count)++] = found->touch[k];
    }
    return true;
}

/* Where two features touch at one place, as corners of aligned boxes, the lower one stands for
 * both, in every step. If there are too many, the deepest ones are kept that are not next to each
 * other; next to each other means a distance that is doubled until all find room. */
static uint32_t thin_out(Found *found, double near, PxTouch *out, uint32_t most)
{
    uint32_t count;
    qsort(found->touch, found->count, sizeof *found->touch, by_feature);
    if (unite(found, near, out, most, &count))
        return count;
    qsort(found->touch, found->count, sizeof *found->touch, by_depth);
    while (!unite(found, near, out, most, &count))
        near *= 2;
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
        x = px_mad(x, n[near], -0.2 * fmin(size, 1e30) / (1 + k));
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
    PxVec3 middle = px_scale(px_add(b->low, b->high), 0.5);
    PxVec3 arm = px_sub(px_shape_to_world(shape, middle), c->pivot);
    return (Crate){px_add(c->place, px_mat3_apply(c->turn, arm)),
                   px_scale(px_sub(b->high, b->low), 0.5),
                   px_mat3_multiply(c->turn, px_mat3_from_quat(shape->turn))};
}

/* Do the faces of one crate separate the two by more than `margin`? */
static bool separates(const Crate *a, const Crate *b, double margin)
{
    PxMat3 turn = px_mat3_multiply(px_mat3_transpose(a->turn), b->turn);
    PxVec3 way = px_mat3_apply(px_mat3_transpose(a->turn), px_sub(b->middle, a->middle));
    const double from[3] = {way.x, way.y, way.z}, half[3] = {a->half.x, a->half.y, a->half.z};
    for (int k = 0; k < 3; ++k) {
        double reach = fabs(turn.m[k][0]) * b->half.x + fabs(turn.m[k][1]) * b->half.y +
                       fabs(turn.m[k][2]) * b->half.z;
        if (fabs(from[k]) > half[k] + reach + margin)
            return true;
    }
    return false;
}

static bool far_apart(const PxCollider *first, const PxCollider *second, double margin)
{
    if (!isfinite(second->radius) || second->wall->inside || first->wall->inside)
        return false;
    Crate a = crate_of(first), b = crate_of(second);
    return separates(&a, &b, margin) || separates(&b, &a, margin);
}

uint32_t px_contacts_find(const PxCollider *first, const PxCollider *second, double margin,
                          PxTouch out[PX_MOST_TOUCHES])
{
    Found found;
    found.count = 0;
    double size = fmin(first->size, second->size);
    if (px_contacts_clearance(first, second) > margin || far_apart(first, second, margin))
        return 0;
    for (uint32_t side = 0; side < 2; ++side) {
        const PxCollider *own = side ? second : first, *other = side ? first : second;
        Search s = {.own = own,
                    .other = other,
                    .field = field_of(other),
                    .margin = margin,
                    .size = size,
                    .side = side,
                    .found = &found};
        /* the rest frame of `own` to the world, to the field */
        s.turn = px_mat3_multiply(s.field.turn, own->turn);
        s.shift = px_sub(from_world(&s.field, own->place), px_mat3_apply(s.turn, own->pivot));
        if (own->features != NULL)
            search(&s);
    }
    uint32_t count = thin_out(&found, SAME * size, out, PX_MOST_TOUCHES);
    qsort(out, count, sizeof *out, by_feature);
    return count;
}
