#include "solid/fracture/field.h"

#include "base/random.h"
#include "matter/kernel.h"
#include "matter/melt.h"
#include "solid/fracture/paint.h"
#include "solid/pieces.h"
#include "solid/stress.h"

#include <math.h>

/* Radius over which stress is averaged, and support of the kernel that fills the body, in cells. */
#define SMOOTH 1.5
#define FILL 2.0

/* Stress across a score counts 1 / (1 - depth) times: adds what that is more. `across` is the
 * normal of the score in the rest shape; that of the deformed one is J^-T n. */
static void count_across(PxMat3 *stress, PxMat3 back, PxVec3 across, double depth)
{
    PxVec3 n = px_normalized(px_mat3_apply(back, across), across);
    double along = px_dot(n, px_mat3_apply(*stress, n));
    const double x[3] = {n.x, n.y, n.z};
    double more = along > 0 ? along * (1 / (1 - depth) - 1) : 0;
    for (int k = 0; k < 9; ++k)
        stress->m[k / 3][k % 3] += more * x[k / 3] * x[k % 3];
}

/* J^-T of row i: it turns normals of the rest shape into those of the deformed one. */
static PxMat3 normals_map(const PxSolid *s, uint32_t i)
{
    PxMat3 map, out;
    for (int k = 0; k < 9; ++k)
        map.m[k % 3][k / 3] = (double)s->gradient[px_solid_at(i, k, 9)] + (k % 4 == 0);
    return px_mat3_inverse(map, &out) ? out : px_mat3_identity();
}

/* Scores at a particle: planes at odd multiples of half the distance from the middle of the body,
 * and strokes of paint. */
static void add_scores(const PxFractureField *f, uint32_t i, PxMat3 *stress)
{
    const PxSolid *s = f->solid;
    const PxFractureDef *law = &s->material[s->particles->material[i]].def.fracture;
    const double every[3] = {law->score.x, law->score.y, law->score.z};
    PxVec3 across = px_vec(0, 0, 0);
    if (f->weak[2] != NULL)
        across = px_vec((double)f->weak[2][i], (double)f->weak[3][i], (double)f->weak[4][i]);
    double dark = px_length(across);
    if (!(every[0] + every[1] + every[2] + dark > 0))
        return;
    PxMat3 back = normals_map(s, i);
    double cell = cbrt((double)s->columns.volume[i]);
    double half = 0.5 * (law->score_width > 0 ? law->score_width : 2 * cell);
    for (int k = 0; k < 3; ++k) {
        double at = every[k] > 0 ? (double)s->columns.rest[k][i] / every[k] + 0.5 : 0.5;
        if (every[k] > 0 && fabs(at - round(at)) * every[k] < half)
            count_across(stress, back, px_vec(k == 0, k == 1, k == 2), law->score_depth);
    }
    if (dark > 0)
        count_across(stress, back, across, law->score_depth * fmin(dark, 1));
}

/* The strength scatters from particle to particle, evenly. */
static double strength_of(const PxFractureField *f, uint32_t i)
{
    const PxSolid *s = f->solid;
    const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
    double solid = f->molten != NULL ? px_melt_strength(1 - (double)f->molten[i]) : 1;
    if (!def->fracture.fractures || !(solid > 0))
        return 0;
    double u = px_random_unit(s->particles->id[i], 0, 0x66726163);
    double left = 1;
    if (f->weak[0] != NULL)
        left = (1 - (double)f->weak[0][i]) *
               (1 - def->fracture.score_depth * fmin((double)f->weak[1][i], 1));
    /* a factor of 0 leaves what breaks at the least stress, not what never breaks */
    return solid * def->fracture.strength * (1 + def->fracture.scatter * (2 * u - 1)) *
           fmax(left, 1e-6);
}

/* Bound of the largest eigenvalue: the mean, and the largest that this mean and norm allow. */
static double bound(PxMat3 a)
{
    double mean = px_mat3_trace(a) / 3, square = 0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            double d = a.m[r][c] - (r == c ? mean : 0);
            square += d * d;
        }
    return mean + sqrt(square * 2 / 3);
}

static void stress_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFractureField *f = user;
    for (uint32_t i = begin; i < end; ++i) {
        PxMat3 strain;
        f->strength[i] = (float)strength_of(f, i);
        f->largest[i] = -INFINITY;
        if (px_solid_is_rigid(f->solid, i)) {
            f->stress[i] = (PxMat3){{{0}}};
            continue;
        }
        if (!(f->strength[i] > 0.0f))
            continue;
        px_solid_stress_in_frame(f->solid, i, &strain, &f->stress[i]);
        add_scores(f, i, &f->stress[i]);
        f->largest[i] = (float)bound(f->stress[i]);
    }
}

PxStatus px_fracture_stresses(PxFractureField *f, const PxSolid *s, bool *due)
{
    *f = (PxFractureField){.solid = s,
                           .stress = PX_ARENA_ARRAY(s->scratch, PxMat3, s->count),
                           .strength = PX_ARENA_ARRAY(s->scratch, float, s->count),
                           .largest = PX_ARENA_ARRAY(s->scratch, float, s->count)};
    if (f->stress == NULL || f->strength == NULL || f->largest == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", s->count);
    const PxColumn *weak = px_table_find(&s->particles->table, PX_FRACTURE_WEAK);
    for (int k = 0; k < 5 && weak != NULL; ++k)
        f->weak[k] = weak->data[k];
    const PxColumn *molten = px_table_find(&s->particles->table, "rest_molten");
    f->molten = s->row_law != NULL && molten != NULL ? molten->data[0] : NULL;
    px_parallel_for(s->threads, s->count, PX_BLOCK, stress_block, f);
    *due = false;
    for (uint32_t i = 0; i < s->count; ++i)
        *due = *due || f->largest[i] > f->strength[i];
    return PX_OK;
}

/* Cells up to this many times the smallest one share its grid. */
#define SMALL 1.5f

/* Sorts the rows in `spot` by cells of a grid as large as the longest reach of their kernels. */
static PxStatus sort_spots(const PxFractureField *f, PxFractureSpot *spot, uint32_t count,
                           PxGrid *grid)
{
    const PxSolid *s = f->solid;
    PxArenaMark mark = px_arena_mark(s->scratch);
    uint32_t *order = PX_ARENA_ARRAY(s->scratch, uint32_t, count);
    uint64_t *id = PX_ARENA_ARRAY(s->scratch, uint64_t, count);
    PxFractureSpot *from = PX_ARENA_ARRAY(s->scratch, PxFractureSpot, count);
    float *x[3];
    bool there = order != NULL && id != NULL && from != NULL;
    for (int k = 0; k < 3; ++k) {
        x[k] = PX_ARENA_ARRAY(s->scratch, float, count);
        there = there && x[k] != NULL;
    }
    if (!there)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", count);
    double largest = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t i = spot[k].row;
        PxVec3 at = px_add(f->rest[i], f->origin[spot[k].body]);
        x[0][k] = (float)at.x;
        x[1][k] = (float)at.y;
        x[2][k] = (float)at.z;
        id[k] = s->particles->id[i];
        from[k] = spot[k];
        /* the nearer end of a bond, seen from the middle of a triangle that is a cell wide */
        double cell = (double)f->cell[i];
        largest = fmax(largest, fmax(FILL * cell, 0.5 * (double)s->columns.support[i] + cell));
    }
    PxGridPoints points = {x[0], x[1], x[2], count};
    PxGridFrame frame = px_grid_frame(largest, &points, 1, s->threads, NULL);
    PX_TRY(px_grid_sort(grid, &frame, points, id, order, s->scratch, s->threads));
    for (uint32_t k = 0; k < count; ++k)
        spot[k] = from[order[k]];
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

PxStatus px_fracture_field(PxFractureField *f, const PxVec3 *origin, PxGrid grid[2])
{
    const PxSolid *s = f->solid;
    f->rest = PX_ARENA_ARRAY(s->scratch, PxVec3, s->count);
    f->cell = PX_ARENA_ARRAY(s->scratch, float, s->count);
    f->spot = PX_ARENA_ARRAY(s->scratch, PxFractureSpot, s->count);
    if (f->rest == NULL || f->cell == NULL || f->spot == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", s->count);
    float least = INFINITY;
    f->largest_cell = 0.0f;
    for (uint32_t i = 0; i < s->count; ++i) {
        f->rest[i] = px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                            (double)s->columns.rest[2][i]);
        f->cell[i] = (float)cbrt((double)s->columns.volume[i]);
        f->largest_cell = fmaxf(f->largest_cell, f->cell[i]);
        least = fminf(least, f->cell[i]);
    }
    f->small = 0;
    for (uint32_t k = 0; k < s->count; ++k)
        f->small += f->cell[k] <= SMALL * least;
    uint32_t next[2] = {0, f->small};
    for (uint32_t i = 0; i < s->count; ++i)
        f->spot[next[!(f->cell[i] <= SMALL * least)]++] =
            (PxFractureSpot){{s->columns.rest[0][i], s->columns.rest[1][i], s->columns.rest[2][i]},
                             f->cell[i],
                             i,
                             s->particles->body[i]};
    f->grid = grid;
    f->origin = origin;
    PX_TRY(sort_spots(f, f->spot, f->small, &grid[0]));
    return sort_spots(f, f->spot + f->small, s->count - f->small, &grid[1]);
}

int px_fracture_runs(const PxFractureField *f, uint32_t body, PxVec3 at,
                     PxRange run[PX_FRACTURE_RUNS])
{
    PxVec3 x = px_add(at, f->origin[body]);
    int runs = px_grid_rows(&f->grid[0], (float)x.x, (float)x.y, (float)x.z, run);
    if (f->small == f->solid->count)
        return runs;
    int more = px_grid_rows(&f->grid[1], (float)x.x, (float)x.y, (float)x.z, run + runs);
    for (int k = runs; k < runs + more; ++k) {
        run[k].begin += f->small;
        run[k].end += f->small;
    }
    return runs + more;
}

/* Sums over the rows near a point. */
typedef struct Sums {
    double weight, strength, near;
    PxMat3 stress, map;
} Sums;

static void fill(PxFractureSample *out, PxVec3 way, double r2, double cell)
{
    if (r2 >= FILL * FILL * cell * cell)
        return;
    double volume = cell * cell * cell, r = sqrt(r2);
    out->filled += volume * px_kernel_value(FILL * cell, r);
    if (r > 0)
        out->slope = px_mad(out->slope, way, -volume * px_kernel_derivative(FILL * cell, r) / r);
}

static void add_stress(const PxFractureField *f, Sums *sum, uint32_t i, double r2, double cell)
{
    double w = 1 - r2 / (SMOOTH * SMOOTH * cell * cell);
    if (!(w > 0) || !(f->strength[i] > 0.0f))
        return;
    w *= w * w;
    sum->weight += w;
    sum->strength += w * (double)f->strength[i];
    sum->stress = px_mat3_add(sum->stress, px_mat3_scale(f->stress[i], w));
    for (int k = 0; k < 9; ++k)
        sum->map.m[k / 3][k % 3] += w * (double)f->solid->gradient[px_solid_at(i, k, 9)];
}

static PxFractureSample sample(const PxFractureField *f, uint32_t body, PxVec3 at, bool stressed,
                               Sums *sum)
{
    PxFractureSample out = {.nearest = UINT32_MAX};
    PxRange run[PX_FRACTURE_RUNS];
    int runs = px_fracture_runs(f, body, at, run);
    double most = FILL * (double)f->largest_cell;
    sum->near = most * most;
    for (int n = 0; n < runs; ++n)
        for (uint32_t k = run[n].begin; k < run[n].end; ++k) {
            const PxFractureSpot *spot = &f->spot[k];
            PxVec3 way = px_vec((double)spot->x[0] - at.x, (double)spot->x[1] - at.y,
                                (double)spot->x[2] - at.z);
            double r2 = px_dot(way, way), cell = (double)spot->cell;
            if (spot->body != body || r2 >= most * most)
                continue;
            fill(&out, way, r2, cell);
            if (r2 < sum->near) {
                sum->near = r2;
                out.nearest = spot->row;
            }
            if (stressed)
                add_stress(f, sum, spot->row, r2, cell);
        }
    return out;
}

PxFractureSample px_fracture_outline(const PxFractureField *f, uint32_t body, PxVec3 at)
{
    Sums sum = {.weight = 0};
    return sample(f, body, at, false, &sum);
}

PxFractureSample px_fracture_sample(const PxFractureField *f, uint32_t body, PxVec3 at)
{
    Sums sum = {.weight = 0};
    PxFractureSample out = sample(f, body, at, true, &sum);
    if (!(sum.weight > 0))
        return out;
    PxVec3 value;
    PxMat3 axes;
    px_mat3_eigen(px_mat3_scale(sum.stress, 1 / sum.weight), &value, &axes);
    out.stress = value.x;
    out.strength = sum.strength / sum.weight;
    /* A plane with the normal n of the deformed shape has the normal J^T n in the rest shape. */
    PxMat3 back =
        px_mat3_add(px_mat3_transpose(px_mat3_scale(sum.map, 1 / sum.weight)), px_mat3_identity());
    PxVec3 n = px_mat3_column(axes, 0);
    out.normal = px_normalized(px_mat3_apply(back, n), n);
    return out;
}
