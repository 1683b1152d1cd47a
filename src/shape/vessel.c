#include "shape/vessel.h"

#include "base/fail.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CELLS (1u << 26)
#define SHORTEST_STEP 0.02 /* of a trace between two points, spacings */
#define ENCLOSED INT32_MAX /* has no way to the outside */
#define UNSEEN (-1)

/* A lattice around the shape, with a margin of one point where liquid may run off. */
typedef struct Flood {
    const PxVesselDef *def;
    PxVec3 first;     /* place of the point (0, 0, 0) */
    uint32_t size[3]; /* points along each axis */
    uint32_t cells;
    float *free;    /* by point: distance to the wall, m; negative in it */
    int32_t *spill; /* layer that a liquid has to rise to, to run off from here */
    uint32_t *next; /* chains of the queue, one queue a layer; then a stack */
    uint32_t *mark; /* number of the hollow, from 1 */
} Flood;

static PxVec3 place(const Flood *f, uint32_t cell)
{
    double s = f->def->spacing;
    uint32_t x = cell % f->size[0], y = cell / f->size[0] % f->size[1],
             z = cell / f->size[0] / f->size[1];
    return px_add(f->first, px_vec(x * s, y * s, z * s));
}

static int32_t layer_of(const Flood *f, uint32_t cell)
{
    const uint32_t at[3] = {cell % f->size[0], cell / f->size[0] % f->size[1],
                            cell / f->size[0] / f->size[1]};
    return (int32_t)at[f->def->up];
}

static double component(PxVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double height_of(const Flood *f, int32_t layer)
{
    return component(f->first, f->def->up) + layer * f->def->spacing;
}

/* Distance to the wall from the side on which liquid may be. */
static double clearance(const Flood *f, PxVec3 x)
{
    PxVec3 normal;
    double d = px_shape_near(f->def->shape, x, 4 * f->def->spacing, &normal);
    return f->def->inside ? -d : d;
}

static void measure_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Flood *f = user;
    for (uint32_t c = begin; c < end; ++c)
        f->free[c] = (float)clearance(f, place(f, c));
}

/* Is the straight way between two neighbouring free points free? */
static bool passes(const Flood *f, uint32_t a, uint32_t b)
{
    double s = f->def->spacing;
    if ((double)f->free[a] + (double)f->free[b] > s * (1 + 1e-6))
        return true;
    PxVec3 from = place(f, a), way = px_sub(place(f, b), from);
    double least = fmin(SHORTEST_STEP, 0.4 * px_shape_thickness(f->def->shape) / s);
    for (double t = (double)f->free[a] / s; t < 1;) {
        double d = clearance(f, px_mad(from, way, t));
        if (d <= 0)
            return false;
        t += fmax(d / s, fmax(least, 1e-4));
    }
    return true;
}

/* The neighbours of a point; returns their number. */
static int neighbours(const Flood *f, uint32_t c, uint32_t out[6])
{
    const uint32_t step[3] = {1, f->size[0], f->size[0] * f->size[1]};
    const uint32_t at[3] = {c % f->size[0], c / f->size[0] % f->size[1],
                            c / f->size[0] / f->size[1]};
    int count = 0;
    for (int a = 0; a < 3; ++a) {
        if (at[a] > 0)
            out[count++] = c - step[a];
        if (at[a] + 1 < f->size[a])
            out[count++] = c + step[a];
    }
    return count;
}

static bool at_edge(const Flood *f, uint32_t c)
{
    uint32_t near[6];
    return neighbours(f, c, near) < 6;
}

/* Floods from the edge of the lattice, lowest layer first. */
static PxStatus flood(Flood *f)
{
    uint32_t layers = f->size[f->def->up];
    uint32_t *head = malloc(layers * sizeof *head);
    if (head == NULL)
        return px_fail(PX_ERR_MEMORY, "vessel: no room for %u layers", layers);
    memset(head, 0xff, layers * sizeof *head);
    for (uint32_t c = 0; c < f->cells; ++c) {
        f->spill[c] = UNSEEN;
        if (f->def->inside || !(f->free[c] > 0) || !at_edge(f, c))
            continue;
        int32_t layer = layer_of(f, c);
        f->spill[c] = layer;
        f->next[c] = head[layer];
        head[layer] = c;
    }
    for (uint32_t layer = 0; layer < layers; ++layer)
        while (head[layer] != UINT32_MAX) {
            uint32_t c = head[layer], near[6];
            head[layer] = f->next[c];
            int count = neighbours(f, c, near);
            for (int k = 0; k < count; ++k) {
                uint32_t n = near[k];
                if (f->spill[n] != UNSEEN || !(f->free[n] > 0) || !passes(f, c, n))
                    continue;
                int32_t own = layer_of(f, n);
                f->spill[n] = own > (int32_t)layer ? own : (int32_t)layer;
                f->next[n] = head[f->spill[n]];
                head[f->spill[n]] = n;
            }
        }
    free(head);
    for (uint32_t c = 0; c < f->cells; ++c)
        if (f->spill[c] == UNSEEN && f->free[c] > 0)
            f->spill[c] = ENCLOSED;
    return PX_OK;
}

static bool holds(const Flood *f, uint32_t c)
{
    return f->free[c] > 0 && f->spill[c] > layer_of(f, c);
}

/* A connected set of points that hold liquid. */
typedef struct Hollow {
    uint32_t mark, count;
    int32_t lowest, rim; /* layers */
} Hollow;

static Hollow follow(Flood *f, uint32_t from, uint32_t mark)
{
    Hollow h = {.mark = mark, .lowest = INT32_MAX};
    uint32_t stacked = 0;
    f->mark[from] = mark;
    f->next[stacked++] = from;
    while (stacked > 0) {
        uint32_t c = f->next[--stacked], near[6];
        int32_t layer = layer_of(f, c);
        int count = neighbours(f, c, near);
        ++h.count;
        h.lowest = layer < h.lowest ? layer : h.lowest;
        h.rim = f->spill[c] > h.rim ? f->spill[c] : h.rim;
        for (int k = 0; k < count; ++k)
            if (f->mark[near[k]] == 0 && holds(f, near[k]) && passes(f, c, near[k])) {
                f->mark[near[k]] = mark;
                f->next[stacked++] = near[k];
            }
    }
    return h;
}

static Hollow largest_hollow(Flood *f)
{
    Hollow best = {0};
    uint32_t marks = 0;
    memset(f->mark, 0, f->cells * sizeof *f->mark);
    for (uint32_t c = 0; c < f->cells; ++c)
        if (f->mark[c] == 0 && holds(f, c)) {
            Hollow h = follow(f, c, ++marks);
            if (h.count > best.count)
                best = h;
        }
    return best;
}

/* Height of the lowest point of the hollow, traced down from its lowest points. */
static double bottom_of(const Flood *f, const Hollow *h)
{
    double s = f->def->spacing, deepest = 0;
    PxVec3 down = px_vec(-(f->def->up == 0), -(f->def->up == 1), -(f->def->up == 2));
    for (uint32_t c = 0; c < f->cells; ++c) {
        if (f->mark[c] != h->mark || layer_of(f, c) != h->lowest)
            continue;
        double t = 0;
        for (double d = (double)f->free[c]; d > 1e-3 * s && t < s;
             d = clearance(f, px_mad(place(f, c), down, t)))
            t += d;
        deepest = fmax(deepest, fmin(t, s));
    }
    return height_of(f, h->lowest) - deepest;
}

/* `bottom`: height at which the lowest layer is to begin; NAN: that of the bounds. */
static PxStatus make_lattice(Flood *f, double bottom)
{
    PxBounds b = px_shape_bounds(f->def->shape);
    double s = f->def->spacing, margin = f->def->inside ? 0 : 1, cells = 1, first[3];
    for (int a = 0; a < 3; ++a) {
        double low = component(b.low, a), high = component(b.high, a);
        double count = fmax(1, floor((high - low) / s + 0.5)) + 2 * margin;
        first[a] = 0.5 * (low + high) - 0.5 * (count - 1) * s;
        if (a == f->def->up && !isnan(bottom)) {
            /* down to the lowest layer that lies in the bounds */
            first[a] = bottom + 0.5 * s - ceil(fmax(0, bottom - low) / s + margin) * s;
            count = fmax(1, floor((high - first[a]) / s + 1)) + margin;
        }
        cells *= count;
        if (!(cells <= MOST_CELLS))
            return px_fail(PX_ERR_MEMORY,
                           "vessel: more than %u points of the spacing %g m around it", MOST_CELLS,
                           s);
        f->size[a] = (uint32_t)count;
    }
    f->first = px_vec(first[0], first[1], first[2]);
    f->cells = (uint32_t)cells;
    f->free = malloc(f->cells * sizeof *f->free);
    f->spill = malloc(f->cells * sizeof *f->spill);
    f->next = malloc(f->cells * sizeof *f->next);
    f->mark = malloc(f->cells * sizeof *f->mark);
    if (f->free == NULL || f->spill == NULL || f->next == NULL || f->mark == NULL)
        return px_fail(PX_ERR_MEMORY, "vessel: no room for %u points", f->cells);
    PxThreads threads = {.count = px_threads_available()};
    px_parallel_for(&threads, f->cells, 256, measure_block, f);
    return flood(f);
}

static void drop_lattice(Flood *f)
{
    free(f->free);
    free(f->spill);
    free(f->next);
    free(f->mark);
    f->free = NULL;
    f->spill = NULL;
    f->next = f->mark = NULL;
}

/* The points of the hollow below the level. */
static PxStatus take_points(const Flood *f, const Hollow *h, PxVessel *out)
{
    double surface = out->bottom + f->def->level;
    size_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        count = 0;
        for (uint32_t c = 0; c < f->cells; ++c) {
            if (f->mark[c] != h->mark || !(height_of(f, layer_of(f, c)) < surface))
                continue;
            if (pass > 0)
                out->points.position[count] = place(f, c);
            ++count;
        }
        if (count > f->def->most)
            return px_fail(PX_ERR_MEMORY, "vessel: takes %zu points, allowed are %zu", count,
                           f->def->most);
        if (count == 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "a level of %g m is too low for a single particle of the spacing %g m",
                           f->def->level, f->def->spacing);
        if (pass == 0 && (out->points.position = malloc(count * sizeof(PxVec3))) == NULL)
            return px_fail(PX_ERR_MEMORY, "vessel: no room for %zu points", count);
    }
    out->points.count = count;
    return PX_OK;
}

PxStatus px_vessel_fill(const PxVesselDef *def, PxVessel *out)
{
    *out = (PxVessel){0};
    PxBounds b = px_shape_bounds(def->shape);
    double s = def->spacing;
    if (!px_finite(b.low) || !px_finite(b.high))
        return px_fail(PX_ERR_ARGUMENT, "a %s has no end and holds nothing",
                       px_shape_kind_name(px_shape_kind(def->shape)));
    Flood f = {.def = def};
    Hollow hollow = {0};
    /* The second lattice begins at the bottom that the first one found. */
    PxStatus status = make_lattice(&f, NAN);
    for (int pass = 0; pass < 2 && status == PX_OK; ++pass) {
        hollow = largest_hollow(&f);
        if (hollow.count == 0) {
            status = px_fail(PX_ERR_ARGUMENT,
                             "has no hollow that holds a particle of the spacing %g m: a liquid "
                             "would run off",
                             s);
            break;
        }
        if (pass == 0) {
            out->bottom = bottom_of(&f, &hollow);
            drop_lattice(&f);
            status = make_lattice(&f, out->bottom);
        }
    }
    if (status == PX_OK) {
        double top = hollow.rim == ENCLOSED ? component(b.high, def->up)
                                            : height_of(&f, hollow.rim) - 0.5 * s;
        out->depth = fmax(top - out->bottom, 0);
        out->volume = hollow.count * s * s * s;
        if (def->level > out->depth + 0.5 * s)
            status = px_fail(PX_ERR_ARGUMENT,
                             "is %g m, but it holds liquid up to %.3g m, %.3g m^3; more would "
                             "overflow",
                             def->level, out->depth, out->volume);
        else
            status = take_points(&f, &hollow, out);
    }
    drop_lattice(&f);
    if (status != PX_OK)
        px_points_free(&out->points);
    return status;
}
