/// Assembly and solution of the coarse pressure equation (coarse.h).
#include "fluid/pressure/coarse.h"

#include "base/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A coarse cell is 2 x 2 x 2 cells of the grid, four spacings wide: 64 particles when full. Cells
 * with fewer than this are spray, whose pressure is not smooth, and are left out. */
#define FEWEST_PARTICLES 16u

/* ---- where the nodes are ------------------------------------------------- */

/* Coarse coordinates count from the frame's first cell rounded down to an even number, so that
 * nodes keep their positions when the frame grows. */
static int64_t half_down(int64_t x)
{
    return (x - (x & 1)) / 2;
}

/* Coordinates of the coarse cell that contains a cell of the grid. */
static void coarse_at(const PxGridFrame *frame, uint64_t key, int32_t at[3])
{
    for (int a = 0; a < 3; ++a) {
        uint32_t bits =
            a == 2 ? frame->bits - frame->shift[2] : frame->shift[a + 1] - frame->shift[a];
        int64_t coordinate = (int64_t)((key >> frame->shift[a]) & ((UINT64_C(1) << bits) - 1));
        at[a] =
            (int32_t)(half_down(frame->origin[a] + coordinate - 1) - half_down(frame->origin[a]));
    }
}

/* Hash table from packed coordinates to consecutive numbers in order of insertion. */
typedef struct Names {
    uint64_t *key; /* ~0 is free */
    uint32_t *number;
    uint32_t mask, count;
} Names;

static bool names_init(Names *names, PxArena *scratch, uint32_t most)
{
    uint32_t room = 16;
    while (room < 2 * (uint64_t)most && room < UINT32_C(0x80000000))
        room *= 2;
    names->mask = room - 1;
    names->count = 0;
    names->key = PX_ARENA_ARRAY(scratch, uint64_t, room);
    names->number = PX_ARENA_ARRAY(scratch, uint32_t, room);
    if (names->key == NULL || names->number == NULL)
        return false;
    memset(names->key, 0xff, room * sizeof *names->key);
    return true;
}

static uint64_t pack(const int32_t at[3])
{
    return (uint64_t)(uint32_t)(at[2] + 1) << 42 | (uint64_t)(uint32_t)(at[1] + 1) << 21 |
           (uint64_t)(uint32_t)(at[0] + 1);
}

static uint32_t names_place(const Names *names, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t place = (uint32_t)(mixed >> 32) & names->mask;
    while (names->key[place] != key && names->key[place] != UINT64_MAX)
        place = (place + 1) & names->mask;
    return place;
}

static uint32_t names_add(Names *names, uint64_t key)
{
    uint32_t place = names_place(names, key);
    if (names->key[place] == UINT64_MAX) {
        names->key[place] = key;
        names->number[place] = names->count++;
    }
    return names->number[place];
}

/* Assigns fine cells to coarse cells and drops coarse cells with too few particles. */
static PxStatus find_cells(PxCoarse *c, const PxGrid *grid, PxArena *scratch)
{
    uint32_t fine = grid->cells;
    c->fine_cell = PX_ARENA_ARRAY(scratch, uint32_t, fine);
    c->cell_fine = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)fine + 1);
    c->at = PX_ARENA_ARRAY(scratch, int32_t, 3 * (size_t)fine);
    PxArenaMark mark = px_arena_mark(scratch);
    uint32_t *owner = PX_ARENA_ARRAY(scratch, uint32_t, fine);
    uint32_t *number = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)fine + 1);
    uint32_t *particles = PX_ARENA_ARRAY(scratch, uint32_t, fine); /* by coarse cell */
    Names names;
    if (c->fine_cell == NULL || c->cell_fine == NULL || c->at == NULL || owner == NULL ||
        number == NULL || particles == NULL || !names_init(&names, scratch, fine))
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", fine);
    for (uint32_t k = 0; k < fine; ++k) {
        int32_t at[3];
        coarse_at(&grid->frame, grid->key[k], at);
        owner[k] = names_add(&names, pack(at));
    }
    memset(particles, 0, names.count * sizeof *particles);
    for (uint32_t k = 0; k < fine; ++k)
        particles[owner[k]] += grid->begin[k + 1] - grid->begin[k];
    /* The remaining cells are renumbered in the same order. */
    c->own = 0;
    for (uint32_t k = 0; k < names.count; ++k)
        number[k] = particles[k] >= FEWEST_PARTICLES ? c->own++ : PX_COARSE_NONE;
    memset(c->cell_fine, 0, ((size_t)c->own + 1) * sizeof *c->cell_fine);
    for (uint32_t k = 0; k < fine; ++k) {
        owner[k] = number[owner[k]];
        if (owner[k] == PX_COARSE_NONE)
            continue;
        coarse_at(&grid->frame, grid->key[k], &c->at[3 * (size_t)owner[k]]);
        ++c->cell_fine[owner[k] + 1];
    }
    uint32_t *place = number; /* where the next fine cell of each goes */
    for (uint32_t k = 0; k < c->own; ++k) {
        c->cell_fine[k + 1] += c->cell_fine[k];
        place[k] = c->cell_fine[k];
    }
    for (uint32_t k = 0; k < fine; ++k)
        if (owner[k] != PX_COARSE_NONE)
            c->fine_cell[place[owner[k]]++] = k;
    px_arena_release(scratch, mark);
    return PX_OK;
}

/* A cell as ranks tell each other of it. */
typedef struct Cell {
    uint64_t first; /* key of its first fine cell */
    int32_t at[3];
    uint32_t gathered, rank;
} Cell;

static int by_first(const void *a, const void *b)
{
    const Cell *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Lists the cells of all ranks, sorted as they would be on one. *all has their coordinates. */
static PxStatus join_cells(PxCoarse *c, const int32_t **all)
{
    const PxFluid *f = c->fluid;
    c->cells = c->own;
    *all = c->at;
    if (!px_dist_shared(f->dist))
        return PX_OK;
    Cell *own = PX_ARENA_ARRAY(f->scratch, Cell, c->own);
    c->number = PX_ARENA_ARRAY(f->scratch, uint32_t, c->own);
    if (own == NULL || c->number == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", c->own);
    for (uint32_t k = 0; k < c->own; ++k) {
        const int32_t *at = &c->at[3 * (size_t)k];
        own[k] = (Cell){.first = f->grid->key[c->fine_cell[c->cell_fine[k]]],
                        .at = {at[0], at[1], at[2]},
                        .gathered = k,
                        .rank = (uint32_t)f->dist->rank};
    }
    const void *list;
    PX_TRY(px_dist_gather(f->dist, own, c->own, sizeof *own, f->scratch, &list, &c->cells));
    Cell *cell = PX_ARENA_ARRAY(f->scratch, Cell, c->cells);
    int32_t *at = PX_ARENA_ARRAY(f->scratch, int32_t, 3 * (size_t)c->cells);
    c->gathered = PX_ARENA_ARRAY(f->scratch, uint32_t, c->cells);
    if (cell == NULL || at == NULL || c->gathered == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", c->cells);
    if (c->cells > 0)
        memcpy(cell, list, c->cells * sizeof *cell);
    uint32_t before = 0; /* cells of ranks before this one */
    for (uint32_t k = 0; k < c->cells; ++k) {
        before += cell[k].rank < (uint32_t)f->dist->rank;
        cell[k].gathered = k;
    }
    qsort(cell, c->cells, sizeof *cell, by_first);
    for (uint32_t k = 0; k < c->cells; ++k) {
        memcpy(at + 3 * (size_t)k, cell[k].at, sizeof cell[k].at);
        c->gathered[k] = cell[k].gathered;
        if (cell[k].rank == (uint32_t)f->dist->rank)
            c->number[cell[k].gathered - before] = k;
    }
    *all = at;
    return PX_OK;
}

static uint32_t number_of(const PxCoarse *c, uint32_t own)
{
    return c->number != NULL ? c->number[own] : own;
}

/* Values of own cells, `each` per cell, as those of all cells. */
static PxStatus join_values(const PxCoarse *c, const float *own, uint32_t each, const float **all)
{
    const PxFluid *f = c->fluid;
    const void *list;
    uint32_t total;
    *all = own;
    if (c->gathered == NULL)
        return PX_OK;
    PX_TRY(px_dist_gather(f->dist, own, c->own, each * sizeof *own, f->scratch, &list, &total));
    PX_ASSERT(total == c->cells);
    float *sorted = PX_ARENA_ARRAY(f->scratch, float, (size_t)each * c->cells);
    if (sorted == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", c->cells);
    for (uint32_t k = 0; k < c->cells; ++k)
        memcpy(sorted + (size_t)each * k, (const float *)list + (size_t)each * c->gathered[k],
               each * sizeof *sorted);
    *all = sorted;
    return PX_OK;
}

/* Numbers the corners of all cells, whose coordinates are `low_of`, and takes their arrays. */
static PxStatus find_nodes(PxCoarse *c, const int32_t *low_of, PxArena *scratch)
{
    Names names;
    uint32_t most = PX_COARSE_CORNERS * c->cells;
    c->cell_node = PX_ARENA_ARRAY(scratch, uint32_t, most);
    PxArenaMark mark = px_arena_mark(scratch);
    if (c->cell_node == NULL || !names_init(&names, scratch, most))
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u nodes", most);
    for (uint32_t k = 0; k < c->cells; ++k)
        for (int corner = 0; corner < PX_COARSE_CORNERS; ++corner) {
            const int32_t *low = &low_of[3 * (size_t)k];
            int32_t at[3] = {low[0] + (corner & 1), low[1] + (corner >> 1 & 1),
                             low[2] + (corner >> 2 & 1)};
            c->cell_node[PX_COARSE_CORNERS * k + (uint32_t)corner] = names_add(&names, pack(at));
        }
    c->nodes = names.count;
    px_arena_release(scratch, mark);
    size_t entries = (size_t)PX_COARSE_STENCIL * c->nodes;
    c->matrix = PX_ARENA_ARRAY(scratch, double, entries);
    c->neighbour = PX_ARENA_ARRAY(scratch, uint32_t, entries);
    c->element = PX_ARENA_ARRAY(scratch, float, 64 * (size_t)c->own);
    c->right = PX_ARENA_ARRAY(scratch, float, 8 * (size_t)c->own);
    c->solution = PX_ARENA_ARRAY(scratch, double, c->nodes);
    c->residual = PX_ARENA_ARRAY(scratch, double, c->nodes);
    c->direction = PX_ARENA_ARRAY(scratch, double, c->nodes);
    c->image = PX_ARENA_ARRAY(scratch, double, c->nodes);
    c->scale = PX_ARENA_ARRAY(scratch, double, c->nodes);
    if (c->matrix == NULL || c->neighbour == NULL || c->element == NULL || c->right == NULL ||
        c->solution == NULL || c->residual == NULL || c->direction == NULL || c->image == NULL ||
        c->scale == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u nodes", c->nodes);
    return PX_OK;
}

/* ---- the matrix ---------------------------------------------------------- */

typedef struct Job {
    PxCoarse *coarse;
    const PxCoarseInput *input;
    const float *over;
    const uint8_t *role;
    float *correction;
} Job;

/* The 8 trilinear shape functions of a cell at a point, one corner per lane. */
typedef struct Hats {
    float low[3]; /* of the cell, m */
    float per;    /* 1 / width */
} Hats;

static Hats cell_hats(const PxCoarse *c, uint32_t cell)
{
    const PxGridFrame *frame = &c->fluid->grid->frame;
    Hats hats = {.per = (float)(0.5 / frame->cell)};
    for (int a = 0; a < 3; ++a)
        hats.low[a] =
            (float)((double)(half_down(frame->origin[a]) + c->at[3 * (size_t)cell + (size_t)a]) *
                    2 * frame->cell);
    return hats;
}

/* Local coordinate in the cell, clamped: cells at the rim of a full frame also hold points beyond
 * it. */
static float part(const Hats *hats, int axis, float x)
{
    float u = (x - hats->low[axis]) * hats->per;
    return u > 0.0f ? u < 1.0f ? u : 1.0f : 0.0f;
}

PX_INLINE void hats_at(const Hats *hats, const float *quad, PxF8 *x, PxF8 *y, PxF8 *z)
{
    float u = part(hats, 0, quad[0]), v = part(hats, 1, quad[1]), w = part(hats, 2, quad[2]);
    *x = (PxF8){1 - u, u, 1 - u, u, 1 - u, u, 1 - u, u};
    *y = (PxF8){1 - v, 1 - v, v, v, 1 - v, 1 - v, v, v};
    *z = (PxF8){1 - w, 1 - w, 1 - w, 1 - w, w, w, w, w};
}

static void element_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxCoarse *c = job->coarse;
    const PxFluid *f = c->fluid;
    const PxCoarseInput *in = job->input;
    float unit = (float)in->unit, mass = (float)in->mass;
    const PxF8 sx = {-1, 1, -1, 1, -1, 1, -1, 1}, sy = {-1, -1, 1, 1, -1, -1, 1, 1},
               sz = {-1, -1, -1, -1, 1, 1, 1, 1};
    for (uint32_t cell = begin; cell < end; ++cell) {
        Hats hats = cell_hats(c, cell);
        PxF8 row[8];
        for (int a = 0; a < 8; ++a)
            row[a] = px_f8(0.0f);
        for (uint32_t k = c->cell_fine[cell]; k < c->cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 x, y, z;
                hats_at(&hats, f->quad + 4 * (size_t)i, &x, &y, &z);
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
    memset(c->matrix, 0, (size_t)PX_COARSE_STENCIL * c->nodes * sizeof *c->matrix);
    for (size_t k = 0; k < (size_t)PX_COARSE_STENCIL * c->nodes; ++k)
        c->neighbour[k] = PX_COARSE_NONE;
    for (uint32_t cell = 0; cell < c->cells; ++cell)
        for (int a = 0; a < 8; ++a)
            for (int b = 0; b < 8; ++b) {
                int dx = (b & 1) - (a & 1), dy = (b >> 1 & 1) - (a >> 1 & 1),
                    dz = (b >> 2) - (a >> 2);
                size_t at = (size_t)PX_COARSE_STENCIL * c->cell_node[8 * cell + (uint32_t)a] +
                            (size_t)(13 + dx + 3 * dy + 9 * dz);
                c->neighbour[at] = c->cell_node[8 * cell + (uint32_t)b];
                c->matrix[at] += factor * (double)element[64 * (size_t)cell + (size_t)(8 * a + b)];
            }
    for (uint32_t n = 0; n < c->nodes; ++n) {
        double diagonal = c->matrix[(size_t)PX_COARSE_STENCIL * n + 13];
        c->scale[n] = diagonal > 0 ? 1 / diagonal : 0;
    }
}

PxStatus PX_ISA_NAME(px_coarse_begin)(PxCoarse *c, const PxFluid *f, const PxCoarseInput *input)
{
    *c = (PxCoarse){.fluid = f};
    const int32_t *at;
    const float *element;
    PX_TRY(find_cells(c, f->grid, f->scratch));
    PX_TRY(join_cells(c, &at));
    if (c->cells == 0)
        return PX_OK;
    PX_TRY(find_nodes(c, at, f->scratch));
    Job job = {.coarse = c, .input = input};
    px_parallel_for(f->threads, c->own, 16, element_block, &job);
    PX_TRY(join_values(c, c->element, 64, &element));
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
    const PxFluid *f = c->fluid;
    for (uint32_t cell = begin; cell < end; ++cell) {
        Hats hats = cell_hats(c, cell);
        PxF8 sum = px_f8(0.0f);
        for (uint32_t k = c->cell_fine[cell]; k < c->cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 x, y, z;
                if (!(job->role[i] & PX_COARSE_GIVES))
                    continue;
                hats_at(&hats, f->quad + 4 * (size_t)i, &x, &y, &z);
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
    const PxFluid *f = c->fluid;
    for (uint32_t cell = begin; cell < end; ++cell) {
        Hats hats = cell_hats(c, cell);
        float u[8];
        const uint32_t *node = c->cell_node + 8 * (size_t)number_of(c, cell);
        for (uint32_t a = 0; a < 8; ++a)
            u[a] = (float)c->solution[node[a]];
        PxF8 corners = px_f8_load(u);
        for (uint32_t k = c->cell_fine[cell]; k < c->cell_fine[cell + 1]; ++k) {
            uint32_t fine = c->fine_cell[k];
            for (uint32_t i = f->grid->begin[fine]; i < f->grid->begin[fine + 1]; ++i) {
                PxF8 x, y, z;
                if (!(job->role[i] & PX_COARSE_TAKES))
                    continue;
                hats_at(&hats, f->quad + 4 * (size_t)i, &x, &y, &z);
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
        const uint32_t *to = c->neighbour + (size_t)PX_COARSE_STENCIL * n;
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
    for (uint32_t n = 0; n < c->nodes; ++n) {
        c->solution[n] = 0;
        c->direction[n] = c->scale[n] * c->residual[n];
        rz += c->residual[n] * c->direction[n];
    }
    first = rz;
    for (int k = 0; k < most && rz > enough * first && !px_stopped(c->fluid->threads); ++k) {
        px_parallel_for(c->fluid->threads, c->nodes, PX_BLOCK, apply_block, c);
        double curve = 0;
        for (uint32_t n = 0; n < c->nodes; ++n)
            curve += c->direction[n] * c->image[n];
        if (!(curve > 0))
            return;
        double step = rz / curve, next = 0;
        for (uint32_t n = 0; n < c->nodes; ++n) {
            c->solution[n] += step * c->direction[n];
            c->residual[n] -= step * c->image[n];
            next += c->residual[n] * c->scale[n] * c->residual[n];
        }
        double keep = next / rz;
        rz = next;
        for (uint32_t n = 0; n < c->nodes; ++n)
            c->direction[n] = c->scale[n] * c->residual[n] + keep * c->direction[n];
    }
}

PxStatus PX_ISA_NAME(px_coarse_solve)(PxCoarse *c, const float *over, const uint8_t *role,
                                      float *correction)
{
    const PxFluid *f = c->fluid;
    memset(correction, 0, f->count * sizeof *correction);
    if (c->cells == 0)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    Job job = {.coarse = c, .over = over, .role = role, .correction = correction};
    const float *right;
    px_parallel_for(f->threads, c->own, 64, restrict_block, &job);
    PX_TRY(join_values(c, c->right, 8, &right));
    memset(c->residual, 0, c->nodes * sizeof *c->residual);
    for (uint32_t k = 0; k < 8 * c->cells; ++k)
        c->residual[c->cell_node[k]] += (double)right[k];
    px_arena_release(f->scratch, mark);
    solve_nodes(c);
    px_parallel_for(f->threads, c->own, 64, prolong_block, &job);
    return PX_OK;
}
