#include "coupling/octree_cells.h"

#include "matter/kernel.h"
#include "solid/solid_columns.h"

#include <math.h>

PxStatus px_cell_columns_add(PxTable *t)
{
    if (px_table_find(t, PX_COARSE_FILL) == NULL)
        PX_TRY(px_table_add(t, PX_COARSE_FILL, "", PX_F32, 1, PX_COLUMN_STATE, NULL));
    if (px_table_find(t, PX_CELL_AXES) == NULL)
        PX_TRY(px_table_add(t, PX_CELL_AXES, "", PX_F32, 4, PX_COLUMN_STATE, NULL));
    return PX_OK;
}

const PxColumn *px_cell_axes_column(const PxTable *t)
{
    return px_table_find(t, PX_CELL_AXES);
}

PxQuat px_cell_axes(const PxColumn *axes, uint32_t row)
{
    float *const *q = (float *const *)axes->data;
    return px_quat_normalized(
        (PxQuat){(double)q[0][row], (double)q[1][row], (double)q[2][row], (double)q[3][row]});
}

void px_cell_axes_set(const PxColumn *axes, uint32_t row, PxQuat to)
{
    float *const *q = (float *const *)axes->data;
    q[0][row] = (float)to.x;
    q[1][row] = (float)to.y;
    q[2][row] = (float)to.z;
    q[3][row] = (float)to.w;
}

void px_cell_axes_turn(const PxColumn *axes, uint32_t row, PxMat3 by)
{
    px_cell_axes_set(axes, row, px_quat_multiply(px_mat3_to_quat(by), px_cell_axes(axes, row)));
}

int px_cell_level(const PxCoupling *c, uint32_t row)
{
    return (int)lround(log2(2 * (double)c->particles->radius[row] / c->spacing));
}

/* Edge of a coarse cell, in spacings, is at least this: the finest cells have 1, the next level 2.
 */
#define COARSE 1.5

bool px_is_coarse(const PxCoupling *c, uint32_t row)
{
    return 2 * (double)c->particles->radius[row] > COARSE * c->spacing;
}

uint64_t px_cell_serials(int level)
{
    uint64_t count = 1;
    for (int k = 0; k < level; ++k)
        count = 1 + 8 * count;
    return count;
}

uint64_t px_cell_part(int level, uint32_t part, PxVec3 *offset)
{
    uint64_t serial = 0;
    *offset = px_vec(0, 0, 0);
    while (level-- > 0) {
        uint32_t child = part >> (3 * level) & 7;
        double way = 0.5 * (1 << level);
        serial += 1 + child * px_cell_serials(level);
        *offset = px_add(*offset, px_vec(child & 1 ? way : -way, child & 2 ? way : -way,
                                         child & 4 ? way : -way));
    }
    return serial;
}

/* ---- what coarse cells fill ------------------------------------------------------ */

typedef struct Fill {
    const PxElasticSet *set;
    const PxCoupling *c;
    const PxColumn *axes;
    PxSolidColumns solid;
    float *fill;
} Fill;

/* First and last of `edge` places, a spacing apart about 0, that are nearer to x than h; both in
 * spacings. */
static void places_near(double x, double h, int edge, int place[2])
{
    double half = 0.5 * (edge - 1);
    place[0] = (int)fmin(fmax(ceil(x - h + half), 0), edge);
    place[1] = (int)fmax(fmin(floor(x + h + half), edge - 1), -1);
}

/* Kernel sum at `x`, relative to the middle of a cell and in its axes, over a lattice of the
 * world's spacing that fills the cell. */
static double cell_sum(const PxCoupling *c, PxVec3 x, int edge)
{
    double s = c->spacing, h = c->support * s, half = 0.5 * (edge - 1), sum = 0;
    int in_x[2], in_y[2], in_z[2];
    places_near(x.x / s, c->support, edge, in_x);
    places_near(x.y / s, c->support, edge, in_y);
    places_near(x.z / s, c->support, edge, in_z);
    for (int k = in_z[0]; k <= in_z[1]; ++k)
        for (int j = in_y[0]; j <= in_y[1]; ++j)
            for (int i = in_x[0]; i <= in_x[1]; ++i) {
                PxVec3 at = px_vec(s * (i - half), s * (j - half), s * (k - half));
                sum += px_kernel_value(h, px_length(px_sub(at, x)));
            }
    return sum;
}

static PxVec3 rest_of(const PxSolidColumns *s, uint32_t i)
{
    return px_vec((double)s->rest[0][i], (double)s->rest[1][i], (double)s->rest[2][i]);
}

/* A coarse cell within the kernel of a fine one is bonded to it: its particles lie at most
 * sqrt(3)/2 (a - s) from its middle, and supports of k spacings bond cells of edges a and s within
 * k (a + s) / 2, which is more than k s + sqrt(3)/2 (a - s) for k > 1.74. */
static void fill_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Fill *f = user;
    const PxBonds *b = &f->set->bonds;
    const uint32_t *row = f->set->row.data;
    double s = f->c->spacing, scale = s * s * s / px_kernel_lattice(f->c->support * s, s);
    for (uint32_t k = begin; k < end; ++k) {
        uint32_t i = row[k];
        double sum = 0;
        for (uint32_t e = b->start[k]; e < b->start[k + 1] && !px_is_coarse(f->c, i); ++e) {
            uint32_t j = row[b->other[e]];
            if (!px_is_coarse(f->c, j))
                continue;
            PxVec3 way = px_sub(rest_of(&f->solid, i), rest_of(&f->solid, j));
            sum += cell_sum(f->c, px_rotate(px_quat_conjugate(px_cell_axes(f->axes, j)), way),
                            1 << px_cell_level(f->c, j));
        }
        f->fill[i] = (float)(scale * sum);
    }
}

void px_cells_fill(PxElasticSet *set, const PxCoupling *c)
{
    const PxTable *t = &c->particles->table;
    const PxColumn *fill = px_table_find(t, PX_COARSE_FILL);
    Fill job = {.set = set, .c = c, .axes = px_cell_axes_column(t)};
    if (fill == NULL || job.axes == NULL || set->row.count == 0)
        return;
    px_elastic_set_locate(set, c->particles);
    px_solid_columns(t, &job.solid);
    job.fill = fill->data[0];
    px_parallel_for(c->threads, (uint32_t)set->row.count, PX_BLOCK, fill_block, &job);
}
