/// Assembly and solution of the coarse pressure equation (coarse.h).
#include "fluid/pressure/coarse.h"

#include "base/stop.h"

#include <math.h>
#include <string.h>

/* ---- the matrix ---------------------------------------------------------- */

typedef struct Job {
    PxCoarse *coarse;
    const PxCoarseInput *input;
    const float *over;
    const uint8_t *role;
    float *correction;
} Job;

static void element_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxCoarse *c = job->coarse;
    const PxFluid *f = c->cells.fluid;
    const PxCoarseInput *in = job->input;
    float unit = (float)in->unit, mass = (float)in->mass;
    const PxF8 sx = {-1, 1, -1, 1, -1, 1, -1, 1}, sy = {-1, -1, 1, 1, -1, -1, 1, 1},
               sz = {-1, -1, -1, -1, 1, 1, 1, 1};
    for (uint32_t cell = begin; cell < end; ++cell) {
        PxCoarseHats hats = px_coarse_hats(&c->cells, cell);
        PxF8 row[8];
        for (int a = 0; a < 8; ++a)
            row[a] = px_f8(0.0f);
        for (uint32_t k = c->cells.cell_fine[cell]; k < c->cells.cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->cells.fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 x, y, z;
                px_coarse_hats_at(&hats, f->quad + 4 * (size_t)i, &x, &y, &z);
                PxF8 phi = x * y * z, t = px_f8(in->t[i] * hats.per * unit);
                PxF8 gx = phi * px_f8(in->bx[i] * unit) + t * sx * y * z;
                PxF8 gy = phi * px_f8(in->by[i] * unit) + t * x * sy * z;
                PxF8 gz = phi * px_f8(in->bz[i] * unit) + t * x * y * sz;
                float per_mass = mass * f->inverse_mass[i];
                for (int a = 0; a < 8; ++a)
                    row[a] += px_f8(per_mass * gx[a]) * gx + px_f8(per_mass * gy[a]) * gy +
                              px_f8(per_mass * gz[a]) * gz;
            }
        }
        for (int a = 0; a < 8; ++a)
            px_f8_store(c->element + 64 * (size_t)cell + 8 * a, row[a]);
    }
}

static void assemble(PxCoarse *c, const float *element, double factor)
{
    memset(c->matrix, 0, (size_t)PX_COARSE_STENCIL * c->cells.nodes * sizeof *c->matrix);
    for (uint32_t cell = 0; cell < c->cells.cells; ++cell)
        for (uint32_t a = 0; a < 8; ++a)
            for (uint32_t b = 0; b < 8; ++b)
                c->matrix[px_coarse_entry(&c->cells, cell, a, b)] +=
                    factor * (double)element[64 * (size_t)cell + 8 * a + b];
    for (uint32_t n = 0; n < c->cells.nodes; ++n) {
        double diagonal = c->matrix[(size_t)PX_COARSE_STENCIL * n + 13];
        c->scale[n] = diagonal > 0 ? 1 / diagonal : 0;
    }
}

static PxStatus take_arrays(PxCoarse *c, PxArena *scratch)
{
    uint32_t nodes = c->cells.nodes;
    c->matrix = PX_ARENA_ARRAY(scratch, double, (size_t)PX_COARSE_STENCIL *nodes);
    c->element = PX_ARENA_ARRAY(scratch, float, 64 * (size_t)c->cells.own);
    c->right = PX_ARENA_ARRAY(scratch, float, 8 * (size_t)c->cells.own);
    c->solution = PX_ARENA_ARRAY(scratch, double, nodes);
    c->residual = PX_ARENA_ARRAY(scratch, double, nodes);
    c->direction = PX_ARENA_ARRAY(scratch, double, nodes);
    c->image = PX_ARENA_ARRAY(scratch, double, nodes);
    c->scale = PX_ARENA_ARRAY(scratch, double, nodes);
    if (c->matrix == NULL || c->element == NULL || c->right == NULL || c->solution == NULL ||
        c->residual == NULL || c->direction == NULL || c->image == NULL || c->scale == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u nodes", nodes);
    return PX_OK;
}

PxStatus PX_ISA_NAME(px_coarse_begin)(PxCoarse *c, const PxFluid *f, const PxCoarseInput *input)
{
    const float *element;
    PX_TRY(px_coarse_cells_begin(&c->cells, f));
    if (c->cells.cells == 0)
        return PX_OK;
    PX_TRY(take_arrays(c, f->scratch));
    Job job = {.coarse = c, .input = input};
    px_parallel_for(f->threads, c->cells.own, 16, element_block, &job);
    PX_TRY(px_coarse_cells_join(&c->cells, c->element, 64, &element));
    assemble(c, element,
             input->dt * input->dt * f->spacing * f->spacing * f->spacing /
                 (input->unit * input->unit * input->mass));
    return PX_OK;
}

/* ---- solving ------------------------------------------------------------- */

static void restrict_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxCoarse *c = job->coarse;
    const PxFluid *f = c->cells.fluid;
    for (uint32_t cell = begin; cell < end; ++cell) {
        PxCoarseHats hats = px_coarse_hats(&c->cells, cell);
        PxF8 sum = px_f8(0.0f);
        for (uint32_t k = c->cells.cell_fine[cell]; k < c->cells.cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->cells.fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 x, y, z;
                if (!(job->role[i] & PX_COARSE_GIVES))
                    continue;
                px_coarse_hats_at(&hats, f->quad + 4 * (size_t)i, &x, &y, &z);
                sum += x * y * z * px_f8(job->over[i]);
            }
        }
        px_f8_store(c->right + 8 * (size_t)cell, sum);
    }
}

static void prolong_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxCoarse *c = job->coarse;
    const PxFluid *f = c->cells.fluid;
    for (uint32_t cell = begin; cell < end; ++cell) {
        PxCoarseHats hats = px_coarse_hats(&c->cells, cell);
        float u[8];
        const uint32_t *node = c->cells.cell_node + 8 * (size_t)px_coarse_number(&c->cells, cell);
        for (uint32_t a = 0; a < 8; ++a)
            u[a] = (float)c->solution[node[a]];
        PxF8 corners = px_f8_load(u);
        for (uint32_t k = c->cells.cell_fine[cell]; k < c->cells.cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->cells.fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 x, y, z;
                if (!(job->role[i] & PX_COARSE_TAKES))
                    continue;
                px_coarse_hats_at(&hats, f->quad + 4 * (size_t)i, &x, &y, &z);
                job->correction[i] = px_f8_sum(x * y * z * corners);
            }
        }
    }
}

static void apply_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxCoarse *c = user;
    for (uint32_t n = begin; n < end; ++n) {
        const double *row = c->matrix + (size_t)PX_COARSE_STENCIL * n;
        const uint32_t *to = c->cells.neighbour + (size_t)PX_COARSE_STENCIL * n;
        double sum = 0;
        for (int k = 0; k < PX_COARSE_STENCIL; ++k)
            if (to[k] != PX_COARSE_NONE)
                sum += row[k] * c->direction[to[k]];
        c->image[n] = sum;
    }
}

/* Conjugate gradients on one thread; sums run over nodes in order, so results are reproducible. */
static void solve_nodes(PxCoarse *c)
{
    const int most = 40;
    const double enough = 1e-4; /* of the squared residual: one per cent of its norm */
    double rz = 0, first;
    for (uint32_t n = 0; n < c->cells.nodes; ++n) {
        c->solution[n] = 0;
        c->direction[n] = c->scale[n] * c->residual[n];
        rz += c->residual[n] * c->direction[n];
    }
    first = rz;
    for (int k = 0; k < most && rz > enough * first && !px_stopped(c->cells.fluid->threads); ++k) {
        px_parallel_for(c->cells.fluid->threads, c->cells.nodes, PX_BLOCK, apply_block, c);
        double curve = 0;
        for (uint32_t n = 0; n < c->cells.nodes; ++n)
            curve += c->direction[n] * c->image[n];
        if (!(curve > 0))
            return;
        double step = rz / curve, next = 0;
        for (uint32_t n = 0; n < c->cells.nodes; ++n) {
            c->solution[n] += step * c->direction[n];
            c->residual[n] -= step * c->image[n];
            next += c->residual[n] * c->scale[n] * c->residual[n];
        }
        double keep = next / rz;
        rz = next;
        for (uint32_t n = 0; n < c->cells.nodes; ++n)
            c->direction[n] = c->scale[n] * c->residual[n] + keep * c->direction[n];
    }
}

PxStatus PX_ISA_NAME(px_coarse_solve)(PxCoarse *c, const float *over, const uint8_t *role,
                                      float *correction)
{
    const PxFluid *f = c->cells.fluid;
    memset(correction, 0, f->count * sizeof *correction);
    if (c->cells.cells == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    Job job = {.coarse = c, .over = over, .role = role, .correction = correction};
    const float *right;
    px_parallel_for(f->threads, c->cells.own, 64, restrict_block, &job);
    PX_TRY(px_coarse_cells_join(&c->cells, c->right, 8, &right));
    memset(c->residual, 0, c->cells.nodes * sizeof *c->residual);
    for (uint32_t k = 0; k < 8 * c->cells.cells; ++k)
        c->residual[c->cells.cell_node[k]] += (double)right[k];
    px_arena_release(f->scratch, mark);
    solve_nodes(c);
    px_parallel_for(f->threads, c->cells.own, 64, prolong_block, &job);
    return PX_OK;
}
