/// Assembly and approximate solution of the coarse viscous equation (coarse_viscosity.h).
#include "fluid/viscosity/coarse_viscosity.h"

#include <math.h>
#include <string.h>

enum { ELEMENT = 24 * 24, RIGHT = 24, ROW = 12 * PX_COARSE_STENCIL };

/* Chebyshev's polynomial leaves about this part of the coarse residual, if it takes no more than
 * MOST products with the matrix for that. */
#define LEAVES 0.1
#define MOST 24

/* Coarse nodes per block of a loop. */
#define NODES 128u

/* ---- the matrix ---------------------------------------------------------- */

/* Sums over the particles of a fine cell: its point of quadrature. */
typedef struct Point {
    float at[3];
    float spread, weight;
} Point;

/* Particles without viscous forces, such as frozen ones, are left out of the coarse correction. */
static bool takes_part(const PxCoarseViscosity *c, uint32_t i)
{
    return c->spread[i] > 0.0f;
}

static Point point_of(const PxCoarseViscosity *c, uint32_t fine)
{
    const PxFluid *f = c->cells.fluid;
    uint32_t begin = f->grid->begin[fine], end = f->grid->begin[fine + 1];
    PxF4 at = px_f4(0.0f);
    Point point = {.spread = 0};
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        if (!takes_part(c, i))
            continue;
        at += px_f4_load(f->quad + 4 * (size_t)i);
        point.spread += c->spread[i];
        point.weight += c->weight[i];
        ++count;
    }
    float per = count > 0 ? 1.0f / (float)count : 0.0f;
    for (int a = 0; a < 3; ++a)
        point.at[a] = per * at[a];
    return point;
}

/* Adds to entries ((a, k), (b, l)) of an element, 8 corners b at a time:
 *   q / 2 (delta_kl grad phi_a . grad phi_b + d_l phi_a d_k phi_b) + w delta_kl phi_a phi_b */
static void add_point(const PxCoarseHats *hats, const Point *point, float *element)
{
    const PxF8 sx = {-1, 1, -1, 1, -1, 1, -1, 1}, sy = {-1, -1, 1, 1, -1, -1, 1, 1},
               sz = {-1, -1, -1, -1, 1, 1, 1, 1};
    PxF8 x, y, z, per = px_f8(hats->per);
    px_coarse_hats_at(hats, point->at, &x, &y, &z);
    const PxF8 phi = x * y * z, slope[3] = {per * sx * y * z, per * x * sy * z, per * x * y * sz};
    for (int a = 0; a < 8; ++a) {
        const float own[3] = {0.5f * point->spread * slope[0][a],
                              0.5f * point->spread * slope[1][a],
                              0.5f * point->spread * slope[2][a]};
        PxF8 same = px_f8(own[0]) * slope[0] + px_f8(own[1]) * slope[1] + px_f8(own[2]) * slope[2] +
                    px_f8(point->weight * phi[a]) * phi;
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) {
                float *to = element + 8 * (9 * a + 3 * k + l);
                PxF8 sum = px_f8_load(to) + px_f8(own[l]) * slope[k];
                px_f8_store(to, k == l ? sum + same : sum);
            }
    }
}

static void set_hats(PxCoarseViscosity *c, const PxCoarseHats *hats, uint32_t fine)
{
    const PxFluid *f = c->cells.fluid;
    for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
        PxF8 x, y, z;
        px_coarse_hats_at(hats, f->quad + 4 * (size_t)i, &x, &y, &z);
        px_f8_store(c->hats + 8 * (size_t)i, takes_part(c, i) ? x * y * z : px_f8(0.0f));
    }
}

static void element_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxCoarseViscosity *c = user;
    for (uint32_t cell = begin; cell < end; ++cell) {
        PxCoarseHats hats = px_coarse_hats(&c->cells, cell);
        float *element = c->element + ELEMENT * (size_t)cell;
        memset(element, 0, ELEMENT * sizeof *element);
        for (uint32_t k = c->cells.cell_fine[cell]; k < c->cells.cell_fine[cell + 1]; ++k) {
            Point point = point_of(c, c->cells.fine_cell[k]);
            add_point(&hats, &point, element);
            set_hats(c, &hats, c->cells.fine_cell[k]);
        }
    }
}

static void assemble(PxCoarseViscosity *c, const float *element)
{
    memset(c->matrix, 0, (size_t)ROW * c->cells.nodes * sizeof *c->matrix);
    for (uint32_t cell = 0; cell < c->cells.cells; ++cell, element += ELEMENT)
        for (uint32_t a = 0; a < 8; ++a)
            for (uint32_t b = 0; b < 8; ++b) {
                float *to = c->matrix + 12 * px_coarse_entry(&c->cells, cell, a, b);
                for (uint32_t l = 0; l < 3; ++l)
                    for (uint32_t k = 0; k < 3; ++k)
                        to[4 * l + k] += element[8 * (9 * a + 3 * k + l) + b];
            }
}

/* Scales of the rows, nodes to read, and a bound of the eigenvalues: the largest sum of sizes in a
 * row over its diagonal. */
static void scale_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    PxCoarseViscosity *c = user;
    for (uint32_t n = begin; n < end; ++n) {
        const float *row = c->matrix + (size_t)ROW * n, *own = row + 12 * 13;
        float sum[3] = {0};
        for (int e = 0; e < 3 * PX_COARSE_STENCIL; ++e)
            for (int k = 0; k < 3; ++k)
                sum[k] += fabsf(row[4 * e + k]);
        for (int k = 0; k < 3; ++k) {
            float diagonal = own[5 * k];
            c->scale[4 * (size_t)n + (size_t)k] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
            if (diagonal > 0.0f)
                part->most[0] = fmax(part->most[0], (double)sum[k] / (double)diagonal);
        }
        c->scale[4 * (size_t)n + 3] = 0.0f;
        for (size_t e = (size_t)PX_COARSE_STENCIL * n; e < (size_t)PX_COARSE_STENCIL * (n + 1); ++e)
            c->to[e] = c->cells.neighbour[e] != PX_COARSE_NONE ? c->cells.neighbour[e] : n;
    }
}

/* The interval: from the Rayleigh quotient of a velocity that is the same everywhere. */
static void set_interval(PxCoarseViscosity *c)
{
    PxRows rows = {c->cells.fluid->threads, NULL, c->cells.nodes, NODES};
    PxPart most = {.maxima = 1};
    px_reduce(&rows, scale_part, c, &most);
    double diagonals = 0, sum = 0;
    for (uint32_t n = 0; n < c->cells.nodes; ++n) {
        const float *row = c->matrix + (size_t)ROW * n;
        diagonals += (double)row[12 * 13];
        for (int e = 0; e < PX_COARSE_STENCIL; ++e)
            sum += (double)row[12 * e];
    }
    c->high = most.most[0];
    c->low = fmin(fmax(sum / diagonals, 1e-4), 0.5) * c->high;
    double root = sqrt(c->high / c->low);
    c->degree = (int)fmin(ceil(0.5 * root * log(2 / LEAVES)), MOST);
}

PxStatus PX_ISA_NAME(px_coarse_viscosity_begin)(PxCoarseViscosity *c, const PxFluid *f,
                                                const float *spread, const float *weight)
{
    *c = (PxCoarseViscosity){.spread = spread, .weight = weight};
    PX_TRY(px_coarse_cells_begin(&c->cells, f));
    uint32_t nodes = c->cells.nodes;
    if (c->cells.cells == 0)
        return PX_OK;
    c->right = PX_ARENA_ARRAY(f->scratch, float, RIGHT *(size_t)c->cells.own);
    c->hats = PX_ARENA_ARRAY(f->scratch, float, 8 * (size_t)f->count);
    c->matrix = PX_ARENA_ARRAY(f->scratch, float, ROW *(size_t)nodes);
    c->to = PX_ARENA_ARRAY(f->scratch, uint32_t, PX_COARSE_STENCIL * (size_t)nodes);
    c->scale = PX_ARENA_ARRAY(f->scratch, float, 4 * (size_t)nodes);
    c->residual = PX_ARENA_ARRAY(f->scratch, float, 4 * (size_t)nodes);
    c->solution = PX_ARENA_ARRAY(f->scratch, float, 4 * (size_t)nodes);
    for (int k = 0; k < 2; ++k)
        c->change[k] = PX_ARENA_ARRAY(f->scratch, float, 4 * (size_t)nodes);
    PxArenaMark mark = px_arena_mark(f->scratch);
    c->element = PX_ARENA_ARRAY(f->scratch, float, ELEMENT *(size_t)c->cells.own);
    if (c->right == NULL || c->hats == NULL || c->matrix == NULL || c->to == NULL ||
        c->scale == NULL || c->residual == NULL || c->solution == NULL || c->change[0] == NULL ||
        c->change[1] == NULL || c->element == NULL)
        return px_fail(PX_ERR_MEMORY, "viscosity: no room for %u nodes", nodes);
    const float *element;
    px_parallel_for(f->threads, c->cells.own, 16, element_block, c);
    PX_TRY(px_coarse_cells_join(&c->cells, c->element, ELEMENT, &element));
    assemble(c, element);
    px_arena_release(f->scratch, mark);
    set_interval(c);
    return PX_OK;
}

/* ---- solving ------------------------------------------------------------- */

typedef struct Job {
    PxCoarseViscosity *coarse;
    const float *r;
    float *z;
    const float *from; /* change of the nodes */
    float *change;
    float keep, add; /* change = keep change + add scale residual */
} Job;

static void restrict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxCoarseViscosity *c = job->coarse;
    const PxFluid *f = c->cells.fluid;
    for (uint32_t cell = begin; cell < end; ++cell) {
        PxF8 sx = px_f8(0.0f), sy = sx, sz = sx;
        for (uint32_t k = c->cells.cell_fine[cell]; k < c->cells.cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->cells.fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                const float *r = job->r + 4 * (size_t)i;
                PxF8 phi = px_f8_load(c->hats + 8 * (size_t)i);
                sx += phi * px_f8(r[0]);
                sy += phi * px_f8(r[1]);
                sz += phi * px_f8(r[2]);
            }
        }
        float *right = c->right + RIGHT * (size_t)cell;
        px_f8_store(right, sx);
        px_f8_store(right + 8, sy);
        px_f8_store(right + 16, sz);
    }
}

static void prolong_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxCoarseViscosity *c = job->coarse;
    const PxFluid *f = c->cells.fluid;
    for (uint32_t cell = begin; cell < end; ++cell) {
        const uint32_t *node = c->cells.cell_node + 8 * (size_t)px_coarse_number(&c->cells, cell);
        PxF8 pair[4];
        for (int a = 0; a < 4; ++a)
            pair[a] = px_f8_load_two(c->solution + 4 * (size_t)node[a],
                                     c->solution + 4 * (size_t)node[a + 4]);
        for (uint32_t k = c->cells.cell_fine[cell]; k < c->cells.cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->cells.fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 phi = px_f8_load(c->hats + 8 * (size_t)i);
                PxF8 sum = (pair[0] * px_f8_spread(phi, 0) + pair[1] * px_f8_spread(phi, 1)) +
                           (pair[2] * px_f8_spread(phi, 2) + pair[3] * px_f8_spread(phi, 3));
                px_f4_store(job->z + 4 * (size_t)i, px_f8_join(sum));
            }
        }
    }
}

/* One product with the matrix: residual -= A change, then the next change. */
static void improve_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxCoarseViscosity *c = job->coarse;
    const float *from = job->from;
    PxF4 keep = px_f4(job->keep), add = px_f4(job->add);
    for (uint32_t n = begin; n < end; ++n) {
        const float *row = c->matrix + (size_t)ROW * n;
        const uint32_t *to = c->to + (size_t)PX_COARSE_STENCIL * n;
        PxF4 x = px_f4(0.0f), y = x, z = x;
        for (int e = 0; e < PX_COARSE_STENCIL; ++e, row += 12) {
            const float *v = from + 4 * (size_t)to[e];
            x += px_f4_load(row) * px_f4(v[0]);
            y += px_f4_load(row + 4) * px_f4(v[1]);
            z += px_f4_load(row + 8) * px_f4(v[2]);
        }
        size_t at = 4 * (size_t)n;
        PxF4 left = px_f4_load(c->residual + at) - ((x + y) + z);
        PxF4 change = keep * px_f4_load(from + at) + add * px_f4_load(c->scale + at) * left;
        px_f4_store(c->residual + at, left);
        px_f4_store(job->change + at, change);
        px_f4_store(c->solution + at, px_f4_load(c->solution + at) + change);
    }
}

static void solve_nodes(PxCoarseViscosity *c)
{
    double middle = 0.5 * (c->high + c->low), half = 0.5 * (c->high - c->low);
    double twice = 2 * middle / half, rho = half / middle;
    Job job = {.coarse = c};
    PxF4 first = px_f4((float)(1 / middle));
    for (size_t at = 0; at < 4 * (size_t)c->cells.nodes; at += 4) {
        PxF4 change = first * px_f4_load(c->scale + at) * px_f4_load(c->residual + at);
        px_f4_store(c->change[0] + at, change);
        px_f4_store(c->solution + at, change);
    }
    for (int k = 1; k < c->degree; ++k) {
        double next = 1 / (twice - rho);
        job.keep = (float)(next * rho);
        job.add = (float)(2 * next / half);
        job.from = c->change[(k - 1) & 1];
        job.change = c->change[k & 1];
        rho = next;
        px_parallel_for(c->cells.fluid->threads, c->cells.nodes, NODES, improve_block, &job);
    }
}

PxStatus PX_ISA_NAME(px_coarse_viscosity_correct)(PxCoarseViscosity *c, const float *r, float *z)
{
    const PxFluid *f = c->cells.fluid;
    PxArenaMark mark = px_arena_mark(f->scratch);
    Job job = {.coarse = c, .r = r, .z = z};
    const float *right;
    px_parallel_for(f->threads, c->cells.own, 64, restrict_block, &job);
    PX_TRY(px_coarse_cells_join(&c->cells, c->right, RIGHT, &right));
    memset(c->residual, 0, 4 * (size_t)c->cells.nodes * sizeof *c->residual);
    for (uint32_t cell = 0; cell < c->cells.cells; ++cell, right += RIGHT)
        for (uint32_t a = 0; a < 8; ++a) {
            float *to = c->residual + 4 * (size_t)c->cells.cell_node[8 * cell + a];
            to[0] += right[a];
            to[1] += right[8 + a];
            to[2] += right[16 + a];
        }
    px_arena_release(f->scratch, mark);
    solve_nodes(c);
    px_parallel_for(f->threads, c->cells.own, 64, prolong_block, &job);
    return PX_OK;
}
