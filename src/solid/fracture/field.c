#include "solid/fracture/field.h"

#include "base/random.h"
#include "matter/kernel.h"
#include "solid/stress.h"

#include <math.h>

/* Radius over which stress is averaged, and support of the kernel that fills the body, in cells. */
#define SMOOTH 1.5
#define FILL 2.0

double px_fracture_cell(const PxSolid *s, uint32_t row)
{
    return cbrt((double)s->columns.volume[row]);
}

/* The strength scatters from particle to particle, evenly. */
static double strength_of(const PxSolid *s, uint32_t i)
{
    const PxMaterialDef *def = &s->material[s->particles->material[i]].def;
    if (!def->fracture.fractures)
        return 0;
    double u = px_random_unit(s->particles->id[i], 0, 0x66726163);
    return def->fracture.strength * (1 + def->fracture.scatter * (2 * u - 1));
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
        f->strength[i] = (float)strength_of(f->solid, i);
        f->largest[i] = -INFINITY;
        if (!(f->strength[i] > 0.0f))
            continue;
        px_solid_stress_in_frame(f->solid, i, &strain, &f->stress[i]);
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
    px_parallel_for(s->threads, s->count, PX_BLOCK, stress_block, f);
    *due = false;
    for (uint32_t i = 0; i < s->count; ++i)
        *due = *due || f->largest[i] > f->strength[i];
    return PX_OK;
}

PxStatus px_fracture_field(PxFractureField *f, const PxVec3 *origin, PxGrid *grid)
{
    const PxSolid *s = f->solid;
    float *x[3];
    uint32_t *order = PX_ARENA_ARRAY(s->scratch, uint32_t, s->count);
    bool there = order != NULL;
    for (int k = 0; k < 3; ++k) {
        x[k] = PX_ARENA_ARRAY(s->scratch, float, s->count);
        there = there && x[k] != NULL;
    }
    f->rest = PX_ARENA_ARRAY(s->scratch, PxVec3, s->count);
    if (!there || f->rest == NULL)
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %u particles", s->count);
    double largest = 0;
    for (uint32_t i = 0; i < s->count; ++i) {
        PxVec3 o = origin[s->particles->body[i]];
        f->rest[i] = px_vec((double)s->columns.rest[0][i], (double)s->columns.rest[1][i],
                            (double)s->columns.rest[2][i]);
        x[0][i] = (float)(f->rest[i].x + o.x);
        x[1][i] = (float)(f->rest[i].y + o.y);
        x[2][i] = (float)(f->rest[i].z + o.z);
        double cell = px_fracture_cell(s, i);
        /* bonds, seen from the middle of a triangle that is a cell wide at most */
        largest = fmax(largest, fmax(FILL * cell, (double)s->columns.support[i] + cell));
    }
    PxGridPoints points = {x[0], x[1], x[2], s->count};
    PxGridFrame frame = px_grid_frame(largest, &points, 1, s->threads, NULL);
    PX_TRY(px_grid_sort(grid, &frame, points, s->particles->id, order, s->scratch, s->threads));
    f->row = order;
    f->grid = grid;
    f->origin = origin;
    return PX_OK;
}

void px_fracture_near(const PxFractureField *f, uint32_t body, PxVec3 at, double reach,
                      void (*visit)(void *user, uint32_t row, double distance2), void *user)
{
    PxVec3 o = f->origin[body];
    PxRange run[9];
    int runs =
        px_grid_rows(f->grid, (float)(at.x + o.x), (float)(at.y + o.y), (float)(at.z + o.z), run);
    for (int n = 0; n < runs; ++n)
        for (uint32_t k = run[n].begin; k < run[n].end; ++k) {
            uint32_t i = f->row[k];
            PxVec3 way = px_sub(f->rest[i], at);
            double r2 = px_dot(way, way);
            if (r2 < reach * reach && f->solid->particles->body[i] == body)
                visit(user, i, r2);
        }
}

/* Sums over the rows near a point. */
typedef struct Sums {
    const PxFractureField *field;
    PxVec3 at;
    PxFractureSample *out;
    double weight, strength, near;
    PxMat3 stress, map;
} Sums;

static void add_row(void *user, uint32_t i, double r2)
{
    Sums *sum = user;
    const PxSolid *s = sum->field->solid;
    double cell = px_fracture_cell(s, i), r = sqrt(r2);
    if (r < FILL * cell) {
        double volume = cell * cell * cell;
        sum->out->filled += volume * px_kernel_value(FILL * cell, r);
        if (r > 0)
            sum->out->slope = px_mad(sum->out->slope, px_sub(sum->at, sum->field->rest[i]),
                                     volume * px_kernel_derivative(FILL * cell, r) / r);
    }
    if (r2 < sum->near) {
        sum->near = r2;
        sum->out->nearest = i;
    }
    double q = r / (SMOOTH * cell), w = 1 - q * q;
    if (!(w > 0) || !(sum->field->strength[i] > 0.0f))
        return;
    w *= w * w;
    sum->weight += w;
    sum->strength += w * (double)sum->field->strength[i];
    sum->stress = px_mat3_add(sum->stress, px_mat3_scale(sum->field->stress[i], w));
    for (int k = 0; k < 9; ++k)
        sum->map.m[k / 3][k % 3] += w * (double)s->gradient[px_solid_at(i, k, 9)];
}

PxFractureSample px_fracture_sample(const PxFractureField *f, uint32_t body, PxVec3 at)
{
    PxFractureSample out = {.nearest = UINT32_MAX};
    Sums sum = {.field = f, .at = at, .out = &out, .near = INFINITY};
    px_fracture_near(f, body, at, f->grid->frame.cell, add_row, &sum);
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
