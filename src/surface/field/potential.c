#include "surface/field/potential.h"

#include "base/family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To add a model, write a file and add a line here; the first one is the default. */
#define MODELS(X)                                                                                  \
    X(PxPotentialModel, px_potential_anisotropic)                                                  \
    X(PxPotentialModel, px_potential_density)                                                      \
    X(PxPotentialModel, px_potential_zhu_bridson)                                                  \
    X(PxPotentialModel, px_potential_onderik)

PX_FAMILY(px_potential_family, "surface", MODELS, )

const PxSurfaceField *px_surface_field(uint32_t index)
{
    if (index >= px_potential_family.count)
        return NULL;
    return &((const PxPotentialModel *)px_potential_family.models[index])->field;
}

const PxPotentialModel *px_potential_find(const char *name, PxIsa isa)
{
    const PxModelInfo *found = px_family_pick(&px_potential_family, name, isa);
    if (found != NULL)
        return (const PxPotentialModel *)found;
    char known[256] = "";
    size_t used = 0;
    for (size_t k = 0; k < px_potential_family.count && used < sizeof known; ++k)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "",
                                 px_potential_family.models[k]->name);
    px_fail(PX_ERR_ARGUMENT, "surface: there is no field '%.40s', wanted one of %s", name, known);
    return NULL;
}

/* ---- creation ---- */

static void *take(size_t count, size_t size)
{
    size_t bytes;
    return px_size_multiply(count + 8, size, &bytes) ? px_allocate(NULL, bytes) : NULL;
}

/* `count` floats, padded by 8 zeros. */
static float *take_floats(size_t count)
{
    float *floats = take(count, sizeof *floats);
    if (floats != NULL)
        memset(floats + count, 0, 8 * sizeof *floats);
    return floats;
}

void px_potential_free(PxPotential *f)
{
    void *const blocks[] = {f->x,
                            f->y,
                            f->z,
                            f->weight,
                            f->shape,
                            f->location,
                            f->particle_x,
                            f->particle_y,
                            f->particle_z,
                            f->particle_row,
                            f->particle_location,
                            f->particle_volume,
                            f->original,
                            f->particle_original,
                            f->particle_mirrored};
    for (size_t k = 0; k < PX_COUNT(blocks); ++k)
        px_release(NULL, blocks[k], 0);
    px_grid_free(&f->grid);
    px_grid_free(&f->particle_grid);
    *f = (PxPotential){0};
}

static PxStatus no_room(uint32_t count)
{
    return px_fail(PX_ERR_MEMORY, "surface: no room for %u particles", count);
}

/* to[k] = from[order[k]], floats. */
typedef struct Pick {
    const uint32_t *order;
    const float *from[5];
    float *to[5];
    int arrays;
} Pick;

static void pick_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Pick *p = user;
    for (int a = 0; a < p->arrays; ++a)
        for (uint32_t k = begin; k < end; ++k)
            p->to[a][k] = p->from[a][p->order[k]];
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

PxStatus px_potential_frame(double cell, PxGridPoints points, PxArena *scratch,
                            const PxThreads *threads, PxGridFrame *out)
{
    enum { SAMPLES = 255 };
    const double most = 1e6 * cell; /* on either side */
    const float *from[3] = {points.x, points.y, points.z};
    uint32_t n = points.count;
    PxArenaMark mark = px_arena_mark(scratch);
    for (int a = 0; a < 3 && n > 0; ++a) {
        float low = from[a][0], high = low, sample[SAMPLES];
        for (uint32_t i = 0; i < n; ++i) {
            low = from[a][i] < low ? from[a][i] : low;
            high = from[a][i] > high ? from[a][i] : high;
        }
        if ((double)high - (double)low < 2 * most)
            continue;
        for (uint32_t k = 0; k < SAMPLES; ++k)
            sample[k] = from[a][(uint64_t)k * n / SAMPLES];
        qsort(sample, SAMPLES, sizeof *sample, compare_floats);
        low = (float)((double)sample[SAMPLES / 2] - most);
        high = (float)((double)sample[SAMPLES / 2] + most);
        float *clamped = PX_ARENA_ARRAY(scratch, float, n);
        if (clamped == NULL)
            return no_room(n);
        for (uint32_t i = 0; i < n; ++i)
            clamped[i] = from[a][i] < low ? low : from[a][i] > high ? high : from[a][i];
        from[a] = clamped;
    }
    PxGridPoints set = {from[0], from[1], from[2], n};
    *out = px_grid_frame(cell, &set, 1, threads, NULL);
    px_arena_release(scratch, mark);
    return PX_OK;
}

/* Sorts the particles by the grid of their neighbourhoods. */
static PxStatus sort_particles(PxPotential *f, const PxPotentialInput *in, PxArena *scratch)
{
    uint32_t n = in->count;
    PxArenaMark mark = px_arena_mark(scratch);
    float *x = PX_ARENA_ARRAY(scratch, float, n), *y = PX_ARENA_ARRAY(scratch, float, n),
          *z = PX_ARENA_ARRAY(scratch, float, n);
    uint64_t *id = PX_ARENA_ARRAY(scratch, uint64_t, n);
    uint32_t *order = PX_ARENA_ARRAY(scratch, uint32_t, n);
    if (x == NULL || y == NULL || z == NULL || order == NULL || id == NULL)
        return no_room(n);
    for (uint32_t k = 0; k < n; ++k) {
        x[k] = in->point[k].at[0];
        y[k] = in->point[k].at[1];
        z[k] = in->point[k].at[2];
        id[k] = in->point[k].id;
    }
    PxGridPoints points = {x, y, z, n};
    PxGridFrame frame;
    PX_TRY(px_potential_frame((double)f->gather * f->spacing, points, scratch, f->threads, &frame));
    PX_TRY(px_grid_sort(&f->particle_grid, &frame, points, id, order, scratch, f->threads));
    f->particle_x = take_floats(n);
    f->particle_y = take_floats(n);
    f->particle_z = take_floats(n);
    f->particle_volume = take_floats(n);
    f->particle_row = take(n, sizeof *f->particle_row);
    f->particle_location = take(n, sizeof *f->particle_location);
    f->particle_mirrored = take(n, sizeof *f->particle_mirrored);
    f->particle_original = take(n, sizeof *f->particle_original);
    if (f->particle_x == NULL || f->particle_y == NULL || f->particle_z == NULL ||
        f->particle_volume == NULL || f->particle_row == NULL || f->particle_location == NULL ||
        f->particle_mirrored == NULL || f->particle_original == NULL)
        return no_room(n);
    Pick pick = {order, {x, y, z}, {f->particle_x, f->particle_y, f->particle_z}, 3};
    px_parallel_for(f->threads, n, 4 * PX_BLOCK, pick_block, &pick);
    for (uint32_t k = 0; k < n; ++k) {
        const PxPotentialPoint *point = &in->point[order[k]];
        f->particle_row[k] = point->row;
        f->particle_mirrored[k] = point->mirrored;
        memcpy(f->particle_original[k], point->original, sizeof point->original);
    }
    px_arena_release(scratch, mark);
    return PX_OK;
}

/* Sorts the kernel centres by the grid for the sums. */
static PxStatus sort_centres(PxPotential *f, const PxPotentialCentres *centres, PxArena *scratch)
{
    uint32_t n = f->count, *order = PX_ARENA_ARRAY(scratch, uint32_t, n);
    if (order == NULL)
        return no_room(n);
    PxGridPoints points = {centres->x, centres->y, centres->z, n};
    PxGridFrame frame;
    PX_TRY(px_potential_frame(((double)f->reach + PX_POTENTIAL_STENCIL) * f->spacing, points,
                              scratch, f->threads, &frame));
    PX_TRY(px_grid_sort(&f->grid, &frame, points, NULL, order, scratch, f->threads));
    f->x = take_floats(n);
    f->y = take_floats(n);
    f->z = take_floats(n);
    f->weight = take_floats(n);
    f->location = take(n, sizeof *f->location);
    f->original = take(n, sizeof *f->original);
    f->shape = centres->shape != NULL ? take(n, sizeof *f->shape) : NULL;
    if (f->x == NULL || f->y == NULL || f->z == NULL || f->weight == NULL || f->location == NULL ||
        f->original == NULL || (centres->shape != NULL && f->shape == NULL))
        return no_room(n);
    Pick pick = {order,
                 {centres->x, centres->y, centres->z, centres->weight},
                 {f->x, f->y, f->z, f->weight},
                 4};
    px_parallel_for(f->threads, n, 4 * PX_BLOCK, pick_block, &pick);
    for (uint32_t k = 0; k < n; ++k) {
        f->location[k] =
            f->particle_mirrored[order[k]] ? PX_MIRRORED : f->particle_location[order[k]];
        memcpy(f->original[k], f->particle_original[order[k]], sizeof f->original[k]);
        if (f->shape != NULL)
            memcpy(f->shape[k], centres->shape[order[k]], sizeof f->shape[k]);
    }
    return PX_OK;
}

static PxStatus make(PxPotential *f, const PxPotentialInput *in, PxArena *scratch)
{
    PX_TRY(sort_particles(f, in, scratch));
    PX_TRY(px_parallel_try(f->threads, f->particle_grid.cells, 64,
                           PX_ISA_PICK(f->isa, px_neighbourhood_block), f));
    uint32_t n = f->count;
    PxPotentialCentres centres = {.x = PX_ARENA_ARRAY(scratch, float, n),
                                  .y = PX_ARENA_ARRAY(scratch, float, n),
                                  .z = PX_ARENA_ARRAY(scratch, float, n),
                                  .weight = PX_ARENA_ARRAY(scratch, float, n),
                                  .shape = f->model->prepare != NULL
                                               ? px_arena_take_array(scratch, n, sizeof *f->shape)
                                               : NULL};
    if (centres.x == NULL || centres.y == NULL || centres.z == NULL || centres.weight == NULL ||
        (f->model->prepare != NULL && centres.shape == NULL))
        return no_room(n);
    memcpy(centres.x, f->particle_x, n * sizeof *centres.x);
    memcpy(centres.y, f->particle_y, n * sizeof *centres.y);
    memcpy(centres.z, f->particle_z, n * sizeof *centres.z);
    for (uint32_t i = 0; i < n; ++i)
        centres.weight[i] = f->model->weigh(f, f->particle_volume[i]);
    PxArenaMark mark = px_arena_mark(scratch);
    if (f->model->prepare != NULL)
        PX_TRY(f->model->prepare(f, scratch, &centres));
    px_arena_release(scratch, mark);
    return sort_centres(f, &centres, scratch);
}

static PxStatus make_field(PxPotential *f, const PxPotentialModel *model, const PxSurfaceDef *def,
                           const PxPotentialInput *in, const PxThreads *threads)
{
    double radius = def->radius > 0 ? def->radius : model->field.radius;
    *f = (PxPotential){.model = model,
                       .threads = threads,
                       .isa = px_isa_best(),
                       .spacing = in->spacing,
                       .radius = (float)radius,
                       .reach = (float)(radius * model->stretch),
                       .gather = (float)(radius * model->gather),
                       .slope = 1,
                       .count = in->count};
    px_grid_init(&f->grid, NULL);
    px_grid_init(&f->particle_grid, NULL);
    PxArena scratch;
    px_arena_init(&scratch, NULL);
    PxStatus status = make(f, in, &scratch);
    px_arena_free(&scratch);
    if (status != PX_OK)
        px_potential_free(f);
    return status;
}

/* ---- isovalue ---- */

/* Samples along each side of the lattice's unit square. */
enum { PROBES = 4 };

/* Mean raw value `above` spacings over the outermost layer of a pool. */
static double pool_value(const PxPotential *pool, double above)
{
    double sum = 0;
    for (int k = 0; k < PROBES; ++k) {
        const double origin[3] = {0, above, (k + 0.5) / PROBES - 0.5};
        float x[8] = {0}, y[8] = {0}, z[8] = {0}, depth[8];
        double at[3] = {0, origin[1], origin[2]};
        for (int n = 0; n < PROBES; ++n) {
            at[0] = (n + 0.5) / PROBES - 0.5;
            px_potential_points(pool, at, x, y, z, NULL, NULL, depth);
            sum += (double)depth[0];
        }
    }
    return sum / (PROBES * PROBES);
}

/* Measures isovalue and slope at the flat surface of a lattice that fills a pool. The pool is so
 * wide that the kernels acting in its middle have full neighbourhoods. */
static PxStatus find_level(PxPotential *f, const PxPotentialModel *model, const PxSurfaceDef *def)
{
    int reach = (int)ceil((double)f->reach + (double)f->gather), edge = 2 * reach + 1;
    uint32_t count = (uint32_t)(edge * edge * (reach + 1));
    PxPotentialPoint *point = take(count, sizeof *point);
    PxPotential pool = {0};
    PxStatus status = point != NULL ? PX_OK : no_room(count);
    if (status == PX_OK) {
        for (uint32_t k = 0; k < count; ++k) {
            int n = (int)k;
            point[k] = (PxPotentialPoint){.at = {(float)(n % edge - reach),
                                                 (float)-(n / edge % (reach + 1)),
                                                 (float)(n / edge / (reach + 1) - reach)},
                                          .row = k,
                                          .id = k};
        }
        PxPotentialInput in = {point, count, 1};
        status = make_field(&pool, model, def, &in, f->threads);
    }
    if (status == PX_OK) {
        double iso = def->iso > 0 ? def->iso : model->field.iso;
        f->level = (float)pool_value(&pool, iso);
        f->slope = (float)((pool_value(&pool, iso - 0.05) - pool_value(&pool, iso + 0.05)) / 0.1);
        if (!(f->slope > 1e-3f))
            status = px_fail(PX_ERR_ARGUMENT,
                             "surface: with a radius of %g spacings the field '%s' does not reach "
                             "%g spacings outwards; wanted a larger radius or a smaller iso",
                             (double)f->radius, model->info.name, iso);
        px_potential_free(&pool);
    }
    px_release(NULL, point, 0);
    return status;
}

double px_potential_influence(const PxPotentialModel *model, const PxSurfaceDef *def)
{
    double radius = def->radius > 0 ? def->radius : model->field.radius;
    return radius * fmax(model->stretch, model->gather);
}

PxStatus px_potential_create(PxPotential *f, const PxPotentialModel *model, const PxSurfaceDef *def,
                             const PxPotentialInput *in, const PxThreads *threads)
{
    PX_TRY(make_field(f, model, def, in, threads));
    PxStatus status = find_level(f, model, def);
    if (status != PX_OK)
        px_potential_free(f);
    return status;
}

/* ---- evaluation ---- */

static inline void source_at(const PxPotential *f, uint32_t j, const double origin[3],
                             PxPotentialSource *out)
{
    double per_s = 1.0 / f->spacing;
    out->x = (float)(((double)f->x[j] - origin[0]) * per_s);
    out->y = (float)(((double)f->y[j] - origin[1]) * per_s);
    out->z = (float)(((double)f->z[j] - origin[2]) * per_s);
    out->weight = f->weight[j];
    if (f->shape != NULL)
        memcpy(out->shape, f->shape[j], sizeof out->shape);
    else
        out->shape[6] = out->shape[7] = f->reach;
}

uint32_t px_potential_gather(const PxPotential *f, const double low[3], const double high[3],
                             const double origin[3], PxPotentialCursor *cursor,
                             PxPotentialSource *out, uint32_t *row, uint32_t most)
{
    const PxGridFrame *frame = &f->grid.frame;
    if (f->grid.cells == 0)
        return 0;
    double reach = (double)f->reach * f->spacing;
    float from[3], to[3], box_low[3], box_high[3];
    for (int a = 0; a < 3; ++a) {
        from[a] = (float)(low[a] - reach);
        to[a] = (float)(high[a] + reach);
        box_low[a] = (float)((low[a] - origin[a]) / f->spacing) - f->reach;
        box_high[a] = (float)((high[a] - origin[a]) / f->spacing) + f->reach;
    }
    /* px_grid_key() clamps coordinates at the ends of the frame, as it does for the points. */
    uint64_t first = px_grid_key(frame, from[0], from[1], from[2]);
    uint64_t last = px_grid_key(frame, to[0], to[1], to[2]);
    uint64_t y_mask = ((uint64_t)1 << (frame->shift[2] - frame->shift[1])) - 1;
    uint64_t x_mask = ((uint64_t)1 << frame->shift[1]) - 1;
    uint32_t y0 = (uint32_t)(first >> frame->shift[1] & y_mask),
             z0 = (uint32_t)(first >> frame->shift[2]);
    uint32_t y1 = (uint32_t)(last >> frame->shift[1] & y_mask),
             z1 = (uint32_t)(last >> frame->shift[2]);
    if (!cursor->begun)
        *cursor = (PxPotentialCursor){.y = y0, .z = z0, .begun = true};
    uint32_t found = 0;
    for (;;) {
        while (cursor->row < cursor->end) {
            if (found == most)
                return found;
            uint32_t j = cursor->row++;
            source_at(f, j, origin, &out[found]);
            const PxPotentialSource *s = &out[found];
            if (s->x > box_low[0] && s->x < box_high[0] && s->y > box_low[1] &&
                s->y < box_high[1] && s->z > box_low[2] && s->z < box_high[2]) {
                if (row != NULL)
                    row[found] = j;
                ++found;
            }
        }
        if (cursor->z > z1)
            return found;
        uint64_t key = (uint64_t)cursor->y << frame->shift[1] | (uint64_t)cursor->z
                                                                    << frame->shift[2];
        cursor->row = f->grid.begin[px_grid_lower_bound(&f->grid, key | (first & x_mask))];
        cursor->end = f->grid.begin[px_grid_lower_bound(&f->grid, (key | (last & x_mask)) + 1)];
        if (++cursor->y > y1) {
            cursor->y = y0;
            ++cursor->z;
        }
    }
}

void px_potential_points(const PxPotential *f, const double origin[3], const float x[8],
                         const float y[8], const float z[8], PxPotentialFilter *seen,
                         const void *user, float depth[8])
{
    float sum[PX_POTENTIAL_SUMS][8] = {{0}}, limit = f->reach + (float)PX_POTENTIAL_STENCIL;
    PxPotentialSource source[64];
    PxRange run[9];
    int runs = px_grid_rows(&f->grid, (float)origin[0], (float)origin[1], (float)origin[2], run);
    uint32_t count = 0;
    for (int r = 0; r < runs; ++r)
        for (uint32_t j = run[r].begin; j < run[r].end; ++j) {
            PxPotentialSource *s = &source[count];
            source_at(f, j, origin, s);
            if (!(s->x * s->x + s->y * s->y + s->z * s->z < limit * limit) ||
                (seen != NULL && !seen(user, j)))
                continue;
            if (++count == PX_COUNT(source)) {
                f->model->add_points(f, x, y, z, source, count, sum);
                count = 0;
            }
        }
    f->model->add_points(f, x, y, z, source, count, sum);
    float *const sums[PX_POTENTIAL_SUMS] = {sum[0], sum[1], sum[2], sum[3]};
    float raw[8];
    f->model->finish(f, sums, raw, 8);
    for (int k = 0; k < 8; ++k)
        depth[k] = px_potential_depth(f, raw[k]);
}
