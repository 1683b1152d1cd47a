/* Fills a shape with a lattice. A row of lattice points is classified by leaps: all
 * points within the distance d to the surface lie on the same side. Only points next to
 * the surface need an inside test each, which keeps large meshes affordable.
 *
 * The lattice is centred in the shape's own bounds, with round(length / step) layers
 * along each axis: the outermost layers are between 1/4 and 3/4 of a step from the
 * faces of the bounds, 1/2 when the length is a multiple of the step.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "shape/shape_inner.h"

#include <stdlib.h>
#include <string.h>

/* Largest number of rows and of spacings^2 of surface: a minute or two of work. Also
 * limited for each point allowed: only shells far thinner than the spacing, which cannot
 * be filled sensibly, have so much surface for so few points. */
#define MAX_PLACES ((double)(1u << 28))
#define FREE_PLACES ((double)(1u << 18))
#define PLACES_PER_POINT 64.0
/* Most points of a row. */
#define MAX_COLUMNS ((double)(1u << 30))

/* Shapes whose estimate volume / spacing^3 exceeds the limit by more than this factor
 * are refused without counting. Rounding of layers makes the count smaller than the
 * estimate by a factor of at most 3/2 along each axis of a box. */
#define ESTIMATE_SLACK 4.0

/* Points nearer to the surface than this fraction of the spacing, or of the thickness if
 * that is less, count as on the surface. */
#define SKIN 1e-9

#define CHUNK_ROWS 64u   /* rows that one thread takes at a time */
#define BATCH_CHUNKS 64u /* chunks between two looks at the limit */

typedef struct Lattice {
    PxLattice kind;
    PxVec3 first; /* of the point (0, 0, 0), before the shifts of odd rows */
    PxVec3 step;
    PxVec3 shift; /* layers and rows of odd number go + shift, even - shift */
    uint32_t columns, rows, layers;
    double spacing, skin;
} Lattice;

/* A run of lattice points of one row that are inside. */
typedef struct Run {
    uint64_t row; /* layer * rows + row */
    uint32_t begin, end;
} Run;

typedef struct Chunk {
    PX_LIST(Run) runs;
    bool failed;
} Chunk;

typedef struct Fill {
    const PxShape *shape;
    Lattice lattice;
    uint64_t first_row, last_row; /* of this batch */
    Chunk chunk[BATCH_CHUNKS];
} Fill;

static double layers_along(double length, double step)
{
    return fmax(1, floor(length / step + 0.5));
}

static PxStatus plan(const PxShape *shape, PxLattice kind, double spacing, size_t most,
                     Lattice *out)
{
    PxVec3 low = shape->own_bounds.low, size = px_sub(shape->own_bounds.high, low);
    Lattice l = {.kind = kind, .step = px_vec(spacing, spacing, spacing), .spacing = spacing};
    l.skin = SKIN * fmin(spacing, shape->thickness);
    if (kind == PX_LATTICE_HEXAGONAL) {
        /* Close packing of balls of diameter d: sqrt(2) / d^3 points per volume, in
         * triangular layers stacked ABAB. The shifts stay inside thinner shapes. */
        double d = spacing * pow(2.0, 1.0 / 6.0);
        l.step = px_vec(d, d * sqrt(3.0) / 2.0, d * sqrt(2.0 / 3.0));
        l.shift = px_vec(fmin(d, size.x) / 4.0, fmin(d * sqrt(3.0) / 3.0, size.y) / 4.0, 0);
    }
    double columns = layers_along(size.x, l.step.x), rows = layers_along(size.y, l.step.y);
    double layers = layers_along(size.z, l.step.z);
    double places = rows * layers + shape->area / (spacing * spacing);
    double most_places = fmin(MAX_PLACES, FREE_PLACES + PLACES_PER_POINT * (double)most);
    if (!(px_shape_fill_estimate(shape, kind, spacing) <= ESTIMATE_SLACK * ((double)most + 64)) ||
        !(columns <= MAX_COLUMNS) || !(places <= most_places))
        return px_fail(
            PX_ERR_MEMORY,
            "%s: filling it with a spacing of %g m takes about %.3g points and a look at "
            "%.3g places; allowed are %zu points and %.3g places",
            px_shape_kind_name(shape->kind), spacing, px_shape_fill_estimate(shape, kind, spacing),
            places, most, most_places);
    l.columns = (uint32_t)columns;
    l.rows = (uint32_t)rows;
    l.layers = (uint32_t)layers;
    PxVec3 middle = px_mad(low, size, 0.5);
    l.first =
        px_vec(middle.x - 0.5 * (columns - 1) * l.step.x, middle.y - 0.5 * (rows - 1) * l.step.y,
               middle.z - 0.5 * (layers - 1) * l.step.z);
    *out = l;
    return PX_OK;
}

static PxVec3 lattice_point(const Lattice *l, uint64_t row, uint32_t i)
{
    uint32_t j = (uint32_t)(row % l->rows), k = (uint32_t)(row / l->rows);
    double x = (j + k) % 2 == 1 ? l->shift.x : -l->shift.x;
    double y = k % 2 == 1 ? l->shift.y : -l->shift.y;
    return px_vec(l->first.x + i * l->step.x + x, l->first.y + j * l->step.y + y,
                  l->first.z + k * l->step.z);
}

/* A cheap lower bound of the distance from p to the surface. */
static double clearance(const PxShape *shape, PxVec3 p)
{
    if (shape->kind != PX_SHAPE_MESH)
        return fabs(px_primitive_distance(&shape->primitive, p, NULL));
    return px_mesh_tree_clearance(shape->tree, p, INFINITY);
}

static bool is_inside(const PxShape *shape, PxVec3 p)
{
    if (shape->kind != PX_SHAPE_MESH)
        return px_primitive_distance(&shape->primitive, p, NULL) < 0;
    return px_mesh_tree_inside(shape->tree, p);
}

/* Adds [begin, end), merged with the previous run if they touch. */
static bool add_run(Chunk *chunk, uint64_t row, uint32_t begin, uint32_t end)
{
    size_t count = chunk->runs.count;
    if (count > 0 && chunk->runs.data[count - 1].row == row &&
        chunk->runs.data[count - 1].end == begin) {
        chunk->runs.data[count - 1].end = end;
        return true;
    }
    if (!PX_LIST_RESERVE(&chunk->runs, 1))
        return false;
    chunk->runs.data[chunk->runs.count++] = (Run){row, begin, end};
    return true;
}

static bool fill_row(const PxShape *shape, const Lattice *l, uint64_t row, Chunk *chunk)
{
    bool known = false, inside = false;
    for (uint32_t i = 0; i < l->columns;) {
        PxVec3 p = lattice_point(l, row, i);
        double distance = clearance(shape, p);
        if (!known)
            inside = is_inside(shape, p);
        /* Points i .. i + leap are on this side; the leap continues from the distance of
         * the last one, whose side is known. */
        double leap = floor(distance / l->step.x * (1 - 1e-12));
        uint32_t left = l->columns - i;
        uint32_t same = leap < 1 ? 1 : leap < left ? (uint32_t)leap : left;
        if (inside && distance > l->skin && !add_run(chunk, row, i, i + same))
            return false;
        known = leap >= 1;
        i += same;
    }
    return true;
}

static void fill_chunk(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Fill *fill = user;
    for (uint32_t c = begin; c < end; ++c) {
        Chunk *chunk = &fill->chunk[c];
        uint64_t row = fill->first_row + (uint64_t)c * CHUNK_ROWS;
        uint64_t stop = row + CHUNK_ROWS < fill->last_row ? row + CHUNK_ROWS : fill->last_row;
        chunk->runs.count = 0;
        for (; row < stop && !chunk->failed; ++row)
            chunk->failed = !fill_row(fill->shape, &fill->lattice, row, chunk);
    }
}

typedef struct Result {
    PX_LIST(PxVec3) points;
} Result;

static PxStatus keep_chunk(const Fill *fill, const Chunk *chunk, size_t most, Result *result)
{
    const Lattice *l = &fill->lattice;
    for (size_t k = 0; k < chunk->runs.count; ++k) {
        Run run = chunk->runs.data[k];
        size_t length = run.end - run.begin;
        if (length > most - result->points.count)
            return px_fail(PX_ERR_MEMORY,
                           "%s: filling it with a spacing of %g m takes more than the %zu points "
                           "allowed, about %.3g",
                           px_shape_kind_name(fill->shape->kind), l->spacing, most,
                           px_shape_fill_estimate(fill->shape, l->kind, l->spacing));
        if (!PX_LIST_RESERVE(&result->points, length))
            return px_fail(PX_ERR_MEMORY, "%s: no room for %zu points",
                           px_shape_kind_name(fill->shape->kind), result->points.count + length);
        for (uint32_t i = run.begin; i < run.end; ++i)
            result->points.data[result->points.count++] =
                px_shape_to_world(fill->shape, lattice_point(l, run.row, i));
    }
    return PX_OK;
}

PxStatus px_shape_fill(const PxShape *shape, PxLattice lattice, double spacing, size_t most,
                       PxPoints *out)
{
    *out = (PxPoints){0};
    if (!(spacing > 0) || !isfinite(spacing))
        return px_fail(PX_ERR_ARGUMENT, "fill: spacing is %g m, must be positive and finite",
                       spacing);
    if (lattice != PX_LATTICE_CUBIC && lattice != PX_LATTICE_HEXAGONAL)
        return px_fail(PX_ERR_ARGUMENT, "fill: lattice is %d, must be cubic or hexagonal",
                       (int)lattice);
    if (shape->kind == PX_SHAPE_PLANE)
        return px_fail(PX_ERR_ARGUMENT, "fill: a plane has no end and cannot be filled");
    if (shape->kind == PX_SHAPE_POINTS)
        return px_cloud_fill(shape->cloud, spacing, most, out);
    Fill *fill = calloc(1, sizeof *fill);
    if (fill == NULL)
        return px_fail(PX_ERR_MEMORY, "fill: no room");
    fill->shape = shape;
    Result result = {0};
    PxThreads threads = {.count = px_threads_available()};
    PxStatus status = plan(shape, lattice, spacing, most, &fill->lattice);
    uint64_t rows = (uint64_t)fill->lattice.rows * fill->lattice.layers;
    for (uint64_t row = 0; status == PX_OK && row < rows; row = fill->last_row) {
        uint64_t batch = (uint64_t)CHUNK_ROWS * BATCH_CHUNKS;
        fill->first_row = row;
        fill->last_row = rows - row < batch ? rows : row + batch;
        px_parallel_for(&threads, BATCH_CHUNKS, 1, fill_chunk, fill);
        for (uint32_t c = 0; status == PX_OK && c < BATCH_CHUNKS; ++c)
            status = fill->chunk[c].failed ? px_fail(PX_ERR_MEMORY, "fill: no room for a row")
                                           : keep_chunk(fill, &fill->chunk[c], most, &result);
    }
    for (uint32_t c = 0; c < BATCH_CHUNKS; ++c)
        PX_LIST_FREE(&fill->chunk[c].runs);
    free(fill);
    if (status != PX_OK) {
        PX_LIST_FREE(&result.points);
        return status;
    }
    out->position = result.points.data;
    out->count = result.points.count;
    return PX_OK;
}

double px_shape_fill_estimate(const PxShape *shape, PxLattice kind, double spacing)
{
    if (!(spacing > 0))
        return INFINITY;
    PxVec3 size = px_sub(shape->own_bounds.high, shape->own_bounds.low);
    if (shape->kind == PX_SHAPE_BOX && kind == PX_LATTICE_CUBIC)
        return layers_along(size.x, spacing) * layers_along(size.y, spacing) *
               layers_along(size.z, spacing);
    return shape->volume / (spacing * spacing * spacing);
}
