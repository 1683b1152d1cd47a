#include "fluid/coarse_cells.h"

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
static PxStatus find_cells(PxCoarseCells *c, const PxGrid *grid, PxArena *scratch)
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
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u cells", fine);
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
static PxStatus join_cells(PxCoarseCells *c, const int32_t **all)
{
    const PxFluid *f = c->fluid;
    c->cells = c->own;
    *all = c->at;
    if (!px_dist_shared(f->dist))
        return PX_OK;
    Cell *own = PX_ARENA_ARRAY(f->scratch, Cell, c->own);
    c->number = PX_ARENA_ARRAY(f->scratch, uint32_t, c->own);
    if (own == NULL || c->number == NULL)
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u cells", c->own);
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
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u cells", c->cells);
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

/* Numbers the corners of all cells, whose coordinates are `low_of`. */
static PxStatus find_nodes(PxCoarseCells *c, const int32_t *low_of, PxArena *scratch)
{
    Names names;
    uint32_t most = PX_COARSE_CORNERS * c->cells;
    c->cell_node = PX_ARENA_ARRAY(scratch, uint32_t, most);
    PxArenaMark mark = px_arena_mark(scratch);
    if (c->cell_node == NULL || !names_init(&names, scratch, most))
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u nodes", most);
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
    c->neighbour = PX_ARENA_ARRAY(scratch, uint32_t, entries);
    if (c->neighbour == NULL)
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u nodes", c->nodes);
    for (size_t k = 0; k < entries; ++k)
        c->neighbour[k] = PX_COARSE_NONE;
    for (uint32_t cell = 0; cell < c->cells; ++cell)
        for (uint32_t a = 0; a < 8; ++a)
            for (uint32_t b = 0; b < 8; ++b)
                c->neighbour[px_coarse_entry(c, cell, a, b)] = c->cell_node[8 * cell + b];
    return PX_OK;
}

PxStatus px_coarse_cells_begin(PxCoarseCells *c, const PxFluid *f)
{
    *c = (PxCoarseCells){.fluid = f};
    const int32_t *at;
    PX_TRY(find_cells(c, f->grid, f->scratch));
    PX_TRY(join_cells(c, &at));
    return c->cells > 0 ? find_nodes(c, at, f->scratch) : PX_OK;
}

PxStatus px_coarse_cells_join(const PxCoarseCells *c, const float *own, uint32_t each,
                              const float **all)
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
        return px_fail(PX_ERR_MEMORY, "fluid: no room for %u cells", c->cells);
    for (uint32_t k = 0; k < c->cells; ++k)
        memcpy(sorted + (size_t)each * k, (const float *)list + (size_t)each * c->gathered[k],
               each * sizeof *sorted);
    *all = sorted;
    return PX_OK;
}

PxCoarseHats px_coarse_hats(const PxCoarseCells *c, uint32_t cell)
{
    const PxGridFrame *frame = &c->fluid->grid->frame;
    PxCoarseHats hats = {.per = (float)(0.5 / frame->cell)};
    for (int a = 0; a < 3; ++a)
        hats.low[a] =
            (float)((double)(half_down(frame->origin[a]) + c->at[3 * (size_t)cell + (size_t)a]) *
                    2 * frame->cell);
    return hats;
}
