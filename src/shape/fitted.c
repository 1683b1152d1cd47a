/// Fills a shape with points that represent equal parts of it.
///
/// A lattice represents a curved or slanted surface by steps: a round bar 12 particles across has
/// the torsional stiffness of its staircase, 0.87 of a cylinder's. Points near the surface are
/// therefore moved to the centroids of their parts of the shape, again and again (Lloyd 1982). The
/// parts are the cells of a power diagram: a point x belongs to the particle i with the least
/// |x - x_i|^2 - w_i, and the w_i are changed until the parts have equal volumes (Aurenhammer,
/// Hoffmann and Aronov 1998). Parts are measured by sample points, SAMPLES for each spacing.
/// A lattice that fits, as that of a box of whole spacings, is not changed.
#include "base/memory.h"
#include "base/parallel.h"
#include "shape/shape_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5, ROUNDS = 15 };

/* Points this deep, in spacings, stay where they are; samples are taken in cells that their
 * neighbours' parts may reach. */
#define DEPTH 2.25
#define SAMPLED 4.0
/* Change of w for an error of the volume, in spacings. A change of w by 1 moves the six faces of a
 * part by 1/2 each, and changes its volume by 3. */
#define GAIN 0.17
/* Moves below this, in spacings, are errors of sampling: the lattice fits. */
#define FITS 1e-3

#define NONE UINT32_MAX

typedef struct Sample {
    float x[3]; /* spacings, from the corner of the grid */
    uint32_t part;
} Sample;

typedef struct Fit {
    const PxShape *shape;
    double spacing;
    PxVec3 corner;    /* of the grid of cells of one spacing, own frame, m */
    uint32_t size[3]; /* cells */
    uint32_t *inside; /* by cell: bit mask of nothing, some or all samples; see cell_block() */
    Sample *sample;
    size_t samples;
    float *x[3], *w; /* by point, in spacings */
    uint8_t *moves;  /* by point */
    uint32_t points, *head, *next;
} Fit;

enum { OUTSIDE, CUT, WHOLE, DEEP };

static size_t cell_at(const Fit *f, uint32_t x, uint32_t y, uint32_t z)
{
    return x + (size_t)f->size[0] * (y + (size_t)f->size[1] * z);
}

static size_t cell_of(const Fit *f, const float x[3])
{
    return cell_at(f, (uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2]);
}

static PxVec3 world_at(const Fit *f, double x, double y, double z)
{
    return px_shape_to_world(f->shape, px_mad(f->corner, px_vec(x, y, z), f->spacing));
}

/* Classes of cells by the distance of their middles from the surface. */
static void cell_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Fit *f = user;
    double half = 0.8660254037844387; /* half the diagonal of a cell */
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t x = k % f->size[0], y = k / f->size[0] % f->size[1],
                 z = k / f->size[0] / f->size[1];
        double d =
            px_shape_distance(f->shape, world_at(f, x + 0.5, y + 0.5, z + 0.5), NULL) / f->spacing;
        f->inside[k] = d > half ? OUTSIDE : d > -half ? CUT : d > -SAMPLED ? WHOLE : DEEP;
    }
}

static PxStatus take_samples(Fit *f)
{
    size_t cells = cell_at(f, 0, 0, f->size[2]), room = 0;
    for (size_t k = 0; k < cells; ++k)
        room += f->inside[k] == CUT || f->inside[k] == WHOLE;
    f->sample = malloc((room * SAMPLES * SAMPLES * SAMPLES + 1) * sizeof *f->sample);
    if (f->sample == NULL)
        return px_fail(PX_ERR_MEMORY, "fill: no room for %zu samples", room);
    for (size_t k = 0; k < cells; ++k) {
        if (f->inside[k] != CUT && f->inside[k] != WHOLE)
            continue;
        size_t cell[3] = {k % f->size[0], k / f->size[0] % f->size[1], k / f->size[0] / f->size[1]};
        for (int s = 0; s < SAMPLES * SAMPLES * SAMPLES; ++s) {
            int at[3] = {s % SAMPLES, s / SAMPLES % SAMPLES, s / SAMPLES / SAMPLES};
            double x[3];
            for (int c = 0; c < 3; ++c)
                x[c] = (double)cell[c] + (at[c] + 0.5) / SAMPLES;
            if (f->inside[k] == CUT && !px_shape_inside(f->shape, world_at(f, x[0], x[1], x[2])))
                continue;
            f->sample[f->samples++] = (Sample){{(float)x[0], (float)x[1], (float)x[2]}, NONE};
        }
    }
    return PX_OK;
}

static void hang(Fit *f)
{
    size_t cells = cell_at(f, 0, 0, f->size[2]);
    memset(f->head, 0xff, cells * sizeof *f->head);
    for (uint32_t i = f->points; i-- > 0;) {
        const float x[3] = {f->x[0][i], f->x[1][i], f->x[2][i]};
        size_t k = cell_of(f, x);
        f->next[i] = f->head[k];
        f->head[k] = i;
    }
}

/* The part to which each sample belongs. The grid has an empty margin of a cell on each side. */
static void part_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Fit *f = user;
    for (uint32_t k = begin; k < end; ++k) {
        Sample *s = &f->sample[k];
        uint32_t at[3] = {(uint32_t)s->x[0], (uint32_t)s->x[1], (uint32_t)s->x[2]};
        float least = INFINITY;
        s->part = NONE;
        for (uint32_t z = at[2] - 1; z <= at[2] + 1; ++z)
            for (uint32_t y = at[1] - 1; y <= at[1] + 1; ++y)
                for (uint32_t x = at[0] - 1; x <= at[0] + 1; ++x)
                    for (uint32_t i = f->head[cell_at(f, x, y, z)]; i != NONE; i = f->next[i]) {
                        float dx = s->x[0] - f->x[0][i], dy = s->x[1] - f->x[1][i],
                              dz = s->x[2] - f->x[2][i];
                        float d = dx * dx + dy * dy + dz * dz - f->w[i];
                        if (d < least) {
                            least = d;
                            s->part = i;
                        }
                    }
    }
}

/* One round; *most is the longest move. Sums are in the order of samples, whatever the threads. */
static PxStatus move_points(Fit *f, const PxThreads *threads, double *most)
{
    double(*sum)[4] = calloc((size_t)f->points + 1, sizeof *sum);
    if (sum == NULL)
        return px_fail(PX_ERR_MEMORY, "fill: no room for %u points", f->points);
    hang(f);
    px_parallel_for(threads, (uint32_t)f->samples, PX_BLOCK, part_block, f);
    for (size_t k = 0; k < f->samples; ++k)
        if (f->sample[k].part != NONE) {
            double *s = sum[f->sample[k].part];
            for (int c = 0; c < 3; ++c)
                s[c] += (double)f->sample[k].x[c];
            s[3] += 1;
        }
    double all = 0, count = 0;
    *most = 0;
    for (uint32_t i = 0; i < f->points; ++i)
        if (f->moves[i]) {
            all += sum[i][3];
            count += 1;
        }
    for (uint32_t i = 0; i < f->points; ++i) {
        if (!f->moves[i] || !(sum[i][3] > 0))
            continue;
        double volume = sum[i][3] / (SAMPLES * SAMPLES * SAMPLES);
        f->w[i] += (float)(GAIN * (all / count / (SAMPLES * SAMPLES * SAMPLES) - volume));
        for (int c = 0; c < 3; ++c) {
            double to = sum[i][c] / sum[i][3];
            *most = fmax(*most, fabs(to - (double)f->x[c][i]));
            f->x[c][i] = (float)to;
        }
    }
    free(sum);
    return PX_OK;
}

static PxStatus begin(Fit *f, const PxPoints *points)
{
    PxBounds own = f->shape->own_bounds;
    f->corner = px_mad(own.low, px_vec(1, 1, 1), -2 * f->spacing);
    const double length[3] = {own.high.x - own.low.x, own.high.y - own.low.y,
                              own.high.z - own.low.z};
    double cells = 1;
    for (int c = 0; c < 3; ++c) {
        f->size[c] = (uint32_t)ceil(length[c] / f->spacing) + 4;
        cells *= f->size[c];
    }
    if (!(cells < (double)UINT32_MAX))
        return px_fail(PX_ERR_MEMORY, "fill: %g cells are too many to fit points to", cells);
    f->points = (uint32_t)points->count;
    size_t n = points->count + 1;
    f->inside = malloc((size_t)cells * sizeof *f->inside);
    f->head = malloc((size_t)cells * sizeof *f->head);
    f->next = malloc(n * sizeof *f->next);
    f->moves = malloc(n);
    f->w = calloc(n, sizeof *f->w);
    bool there = true;
    for (int c = 0; c < 3; ++c) {
        f->x[c] = malloc(n * sizeof *f->x[c]);
        there = there && f->x[c] != NULL;
    }
    if (!there || f->inside == NULL || f->head == NULL || f->next == NULL || f->moves == NULL ||
        f->w == NULL)
        return px_fail(PX_ERR_MEMORY, "fill: no room for %zu points", points->count);
    for (size_t i = 0; i < points->count; ++i) {
        PxVec3 x = px_scale(px_sub(px_shape_to_own(f->shape, points->position[i]), f->corner),
                            1 / f->spacing);
        f->x[0][i] = (float)x.x;
        f->x[1][i] = (float)x.y;
        f->x[2][i] = (float)x.z;
        f->moves[i] = px_shape_nearest(f->shape, points->position[i], DEPTH * f->spacing, NULL) <
                      DEPTH * f->spacing;
    }
    return PX_OK;
}

static PxStatus fit_points(Fit *f, PxPoints *points)
{
    PxThreads threads = {.count = px_threads_available()};
    double most = 0;
    PX_TRY(begin(f, points));
    px_parallel_for(&threads, (uint32_t)cell_at(f, 0, 0, f->size[2]), PX_BLOCK, cell_block, f);
    PX_TRY(take_samples(f));
    if (f->samples > UINT32_MAX)
        return px_fail(PX_ERR_MEMORY, "fill: %zu samples are too many", f->samples);
    for (int k = 0; k < ROUNDS; ++k) {
        PX_TRY(move_points(f, &threads, &most));
        if (k == 0 && most < FITS)
            return PX_OK;
    }
    for (uint32_t i = 0; i < f->points; ++i)
        if (f->moves[i])
            points->position[i] =
                world_at(f, (double)f->x[0][i], (double)f->x[1][i], (double)f->x[2][i]);
    return PX_OK;
}

PxStatus px_shape_fill_fitted(const PxShape *shape, double spacing, size_t most, PxPoints *out)
{
    PX_TRY(px_shape_fill(shape, PX_LATTICE_CUBIC, spacing, most, out));
    if (shape->kind == PX_SHAPE_POINTS) /* they are where they are */
        return PX_OK;
    Fit fit = {.shape = shape, .spacing = spacing};
    PxStatus status = out->count > 0 ? fit_points(&fit, out) : PX_OK;
    free(fit.inside);
    free(fit.sample);
    free(fit.head);
    free(fit.next);
    free(fit.moves);
    free(fit.w);
    for (int c = 0; c < 3; ++c)
        free(fit.x[c]);
    if (status != PX_OK)
        px_points_free(out);
    return status;
}
