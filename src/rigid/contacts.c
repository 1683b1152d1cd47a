#include "rigid/contacts.h"

#include <stdlib.h>

/* Samples of a rim before its nearest points are refined. A flat rim touches at all of them. */
#define RIM_SAMPLES 16
/* Most intervals in which the nearest point of an edge is searched. */
#define EDGE_PARTS 8
/* Parts of the size by which points of an edge may differ in distance and still touch together. */
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

/* Features of `own` are compared with the field of `field`. */
typedef struct Search {
    const PxCollider *own, *field;
    double margin, size;
    uint32_t side; /* 1: `own` is the second body */
    Found *found;
} Search;

static PxVec3 to_world(const PxCollider *c, PxVec3 rest)
{
    return px_add(c->place, px_mat3_apply(c->turn, px_sub(rest, c->pivot)));
}

static PxVec3 to_rest(const PxCollider *c, PxVec3 world)
{
    PxVec3 d = px_sub(world, c->place);
    const double(*m)[3] = c->turn.m;
    return px_add(c->pivot, px_vec(m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z,
                                   m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z,
                                   m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z));
}

/* Distance of a point of the world from the field, with its normal. Beyond `within` it may be less
 * than the true one. */
static double distance(const PxCollider *field, PxVec3 world, double within, PxVec3 *normal)
{
    double d = px_wall_near(field->wall, to_rest(field, world), within, normal);
    *normal = px_mat3_apply(field->turn, *normal);
    return d;
}

static void add(const Search *s, uint32_t feature, uint32_t part, PxVec3 middle, double round,
                double d, PxVec3 normal)
{
    Found *found = s->found;
    bool ball = px_shape_kind(s->field->wall->shape) == PX_SHAPE_SPHERE && !s->field->wall->inside;
    PxVec3 away = s->side ? px_scale(normal, -1) : normal;
    PxTouch t = {.feature = 2 * (PARTS * feature + part) + s->side,
                 .at = px_mad(middle, normal, -round),
                 .normal = away,
                 .distance = d - round};
    t.round[s->side] = round;
    t.round[1 - s->side] = ball ? s->field->radius : 0;
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
    PxVec3 at = to_world(s->own, f->a), normal;
    double within = f->round + s->margin;
    if (px_length(px_sub(at, s->field->middle)) > s->field->radius + within)
        return;
    double d = distance(s->field, at, within + s->size, &normal);
    if (d < within)
        add(s, k, 0, at, f->round, d, normal);
}

/* A straight edge, in the world. */
typedef struct Line {
    const Search *s;
    PxVec3 from, way;
    double within;
} Line;

static double along(const Line *line, double t)
{
    PxVec3 normal;
    return distance(line->s->field, px_mad(line->from, line->way, t), line->within, &normal);
}

/* The parameter of the least distance in [low, high], which has one minimum there: golden section
 * (Kiefer 1953). */
static double least(const Line *line, double low, double high)
{
    const double part = 0.3819660112501051;
    double a = low + part * (high - low), b = high - part * (high - low);
    double da = along(line, a), db = along(line, b);
    for (int k = 0; k < 24; ++k) {
        if (da <= db) {
            high = b;
            b = a;
            db = da;
            a = low + part * (high - low);
            da = along(line, a);
        } else {
            low = a;
            a = b;
            da = db;
            b = high - part * (high - low);
            db = along(line, b);
        }
    }
    return da <= db ? a : b;
}

/* Where the distance reaches `limit` on the way from t, where it is less, to `end`. */
static double leaves(const Line *line, double t, double end, double limit)
{
    if (along(line, end) <= limit)
        return end;
    for (int k = 0; k < 24; ++k) {
        double middle = 0.5 * (t + end);
        if (along(line, middle) <= limit)
            t = middle;
        else
            end = middle;
    }
    return t;
}

static void add_on_edge(const Line *line, uint32_t k, uint32_t part, double t, double round)
{
    PxVec3 normal, at = px_mad(line->from, line->way, t);
    double d = distance(line->s->field, at, line->within, &normal);
    if (d < round + line->s->margin)
        add(line->s, k, part, at, round, d, normal);
}

/* Points inside an edge: where it is nearest, and if it lies flat on a face, where it leaves the
 * face. Its ends are points of their own. */
static void search_edge(const Search *s, uint32_t k, const PxFeature *f)
{
    PxVec3 from = to_world(s->own, f->a), to = to_world(s->own, f->b), way = px_sub(to, from);
    double length = px_length(way), reach = f->round + s->margin;
    double t = px_dot(px_sub(s->field->middle, from), way) / (length * length);
    t = fmin(fmax(t, 0), 1);
    if (px_length(px_sub(px_mad(from, way, t), s->field->middle)) > s->field->radius + reach)
        return;
    Line line = {s, from, way, reach + length};
    int parts = (int)fmin(fmax(ceil(length / s->size), 2), EDGE_PARTS);
    double d[EDGE_PARTS + 1], step = 1.0 / parts, best = INFINITY;
    for (int p = 0; p <= parts; ++p) {
        d[p] = along(&line, p * step);
        best = fmin(best, d[p]);
    }
    if (best > reach + 0.5 * step * length)
        return;
    uint32_t part = 0;
    for (int p = 0; p <= parts && part < 3; ++p) {
        bool lowest = (p == 0 || d[p] < d[p - 1]) && (p == parts || d[p] <= d[p + 1]);
        if (!lowest || d[p] > reach + step * length)
            continue;
        double at = least(&line, fmax(p - 1, 0) * step, fmin(p + 1, parts) * step);
        double flat = FLAT * s->size, bottom = fmin(along(&line, at), d[p]);
        if (!(bottom < reach))
            continue;
        double low = leaves(&line, at, 0, bottom + flat),
               high = leaves(&line, at, 1, bottom + flat);
        double apart = SAME * s->size / length;
        if (high - low < apart) {
            if (at > 1e-6 && at < 1 - 1e-6)
                add_on_edge(&line, k, part++, at, f->round);
            continue;
        }
        if (low > 0)
            add_on_edge(&line, k, part++, low, f->round);
        if (high < 1 && part < 4)
            add_on_edge(&line, k, part++, high, f->round);
    }
}

static PxVec3 on_rim(const PxCollider *own, const PxFeature *f, double angle)
{
    PxVec3 across = px_cross(f->b, f->side);
    PxVec3 out = px_add(px_scale(f->side, cos(angle)), px_scale(across, sin(angle)));
    return to_world(own, px_mad(f->a, out, f->ring));
}

/* Distances up to which points of a rim matter: if one touches, all are nearer than that. */
static double rim_reach(const Search *s, const PxFeature *f)
{
    return s->margin + f->round + 4 * f->ring;
}

static double at_rim(const Search *s, const PxFeature *f, double angle)
{
    PxVec3 normal;
    return distance(s->field, on_rim(s->own, f, angle), rim_reach(s, f), &normal);
}

/* Samples of the rim, and the nearest points between them, so that a cylinder rolls evenly. */
static void search_rim(const Search *s, uint32_t k, const PxFeature *f)
{
    PxVec3 middle = to_world(s->own, f->a), normal;
    double near = f->round + s->margin;
    if (px_length(px_sub(middle, s->field->middle)) > s->field->radius + f->ring + near)
        return;
    double d[RIM_SAMPLES], step = 2 * M_PI / RIM_SAMPLES;
    for (int p = 0; p < RIM_SAMPLES; ++p) {
        PxVec3 at = on_rim(s->own, f, p * step);
        d[p] = distance(s->field, at, rim_reach(s, f), &normal);
        if (d[p] < near)
            add(s, k, RIM_SAMPLES + (uint32_t)p, at, f->round, d[p], normal);
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
        PxVec3 at = on_rim(s->own, f, 0.5 * (low + high));
        double best = distance(s->field, at, rim_reach(s, f), &normal);
        if (best < near && minima < RIM_SAMPLES)
            add(s, k, minima++, at, f->round, best, normal);
    }
}

static void search(const Search *s)
{
    const PxFeatures *features = s->own->features;
    for (uint32_t k = 0; features != NULL && k < features->count; ++k) {
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
    PxVec3 x = *at;
    for (int k = 0; k < 100; ++k) {
        PxVec3 n[2];
        double d[2] = {distance(first, x, INFINITY, &n[0]), distance(second, x, INFINITY, &n[1])};
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
    return distance(second, first->middle, INFINITY, &normal) - first->radius;
}

uint32_t px_contacts_find(const PxCollider *first, const PxCollider *second, double margin,
                          PxTouch out[PX_MOST_TOUCHES])
{
    Found found;
    found.count = 0;
    double size = fmin(first->size, second->size);
    if (px_contacts_clearance(first, second) > margin)
        return 0;
    Search s = {first, second, margin, size, 0, &found};
    search(&s);
    s = (Search){second, first, margin, size, 1, &found};
    search(&s);
    uint32_t count = thin_out(&found, SAME * size, out, PX_MOST_TOUCHES);
    qsort(out, count, sizeof *out, by_feature);
    return count;
}
