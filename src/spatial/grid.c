#include "spatial/grid.h"

#include "dist/reduce.h"

#include <math.h>
#include <string.h>

#define AXIS_BITS 21
#define AXIS_LAST ((1u << AXIS_BITS) - 2) /* 0 and last + 1 stay empty */
#define FAR ((int64_t)1 << 60)            /* beyond any cell of a useful scene */

/* Cell number along an axis; clamps coordinates that are too large or not finite. */
static inline int64_t cell_number(double inverse, float x)
{
    double c = (double)x * inverse;
    if (!(c > -(double)FAR))
        return c != c ? 0 : -FAR;
    if (!(c < (double)FAR))
        return FAR;
    int64_t number = (int64_t)c; /* floor() is a call without SSE4.1 */
    return number - ((double)number > c);
}

static inline uint64_t axis_coordinate(const PxGridFrame *f, int axis, int64_t number)
{
    int64_t c = number - f->origin[axis] + 1;
    return c < 1 ? 1 : c > f->last[axis] ? f->last[axis] : (uint64_t)c;
}

static inline uint64_t key_of(const PxGridFrame *f, double inverse, float x, float y, float z)
{
    return axis_coordinate(f, 0, cell_number(inverse, x)) |
           axis_coordinate(f, 1, cell_number(inverse, y)) << f->shift[1] |
           axis_coordinate(f, 2, cell_number(inverse, z)) << f->shift[2];
}

uint64_t px_grid_key(const PxGridFrame *f, float x, float y, float z)
{
    return key_of(f, 1.0 / f->cell, x, y, z);
}

void px_grid_keys_along(const PxGridFrame *f, const double from[3], const double step[3],
                        uint64_t key[PX_GRID_ALONG])
{
    double inverse = 1.0 / f->cell;
    memset(key, 0, PX_GRID_ALONG * sizeof *key);
    for (int a = 0; a < 3; ++a) {
        double start = from[a] * inverse - (double)f->origin[a] + 1, way = step[a] * inverse;
        double last = (double)f->last[a];
        uint32_t shift = a > 0 ? f->shift[a] : 0;
        for (int k = 0; k < PX_GRID_ALONG; ++k) {
            double c = start + k * way;
            c = c < last ? c : last;
            c = c > 1 ? c : 1; /* so that rounding to an integer is floor(); NaN too */
            key[k] |= (uint64_t)(uint32_t)c << shift;
        }
    }
}

/* ---- the frame ---------------------------------------------------------- */

/* Bounds of the points along each axis. */
static void extent_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxGridPoints *points = user;
    const float *const axis[3] = {points->x, points->y, points->z};
    for (int a = 0; a < 3; ++a) {
        const float *restrict x = axis[a];
        float lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = begin; i < end; ++i) {
            lo = x[i] < lo ? x[i] : lo;
            hi = x[i] > hi ? x[i] : hi;
        }
        part->least[a] = fmin(part->least[a], (double)lo);
        part->most[a] = fmax(part->most[a], (double)hi);
    }
}

PxGridFrame px_grid_frame(double cell, const PxGridPoints *sets, size_t set_count,
                          const PxThreads *threads, const PxDist *dist)
{
    PxPart extent = {.maxima = 3,
                     .minima = 3,
                     .most = {-INFINITY, -INFINITY, -INFINITY},
                     .least = {INFINITY, INFINITY, INFINITY}};
    for (size_t s = 0; s < set_count; ++s) {
        PxRows rows = {threads, dist, sets[s].count, 16 * PX_BLOCK};
        px_reduce(&rows, extent_part, (void *)&sets[s], &extent);
    }
    /* Slightly enlarged: rounding must not put two points within `cell` of each other
     * two cells apart. */
    PxGridFrame f = {.cell = cell * (1.0 + 1e-5)};
    double inverse = 1.0 / f.cell;
    for (int a = 0; a < 3; ++a) {
        bool any = extent.least[a] <= extent.most[a];
        int64_t low = cell_number(inverse, any ? (float)extent.least[a] : 0.0f);
        int64_t high = cell_number(inverse, any ? (float)extent.most[a] : 0.0f);
        uint64_t span = (uint64_t)(high - low) + 1;
        f.origin[a] = low;
        f.last[a] = span > AXIS_LAST ? AXIS_LAST : (uint32_t)span;
        f.shift[a] = f.bits;
        /* coordinates 0 .. last + 1 */
        f.bits += (uint32_t)(64 - __builtin_clzll((uint64_t)f.last[a] + 1));
    }
    return f;
}

/* ---- sorting ------------------------------------------------------------ */

typedef struct Entry {
    uint64_t key;
    uint32_t row;
    uint32_t unused; /* 16 bytes: one store, aligned */
} Entry;

#define SORT_BLOCK (16 * PX_BLOCK)
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

typedef struct Sort {
    const PxGridFrame *frame;
    PxGridPoints points;
    const uint64_t *id;
    Entry *from, *to;
    uint32_t *count; /* a histogram a block */
    uint32_t shift, mask;
    uint32_t *order;
    uint64_t *key;       /* sorted */
    uint32_t *new_cells; /* a block: how many cells begin in it, then the sum before it */
    PxGrid *grid;
} Sort;

static void key_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sort *s = user;
    for (uint32_t i = begin; i < end; ++i)
        s->from[i] = (Entry){
            .key = px_grid_key(s->frame, s->points.x[i], s->points.y[i], s->points.z[i]), .row = i};
}

static void histogram_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sort *s = user;
    uint32_t *count = s->count + (size_t)(begin / SORT_BLOCK) * DIGITS;
    memset(count, 0, DIGITS * sizeof *count);
    for (uint32_t i = begin; i < end; ++i)
        ++count[(s->from[i].key >> s->shift) & s->mask];
}

static void scatter_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Sort *s = user;
    uint32_t *place = s->count + (size_t)(begin / SORT_BLOCK) * DIGITS;
    for (uint32_t i = begin; i < end; ++i)
        s->to[place[(s->from[i].key >> s->shift) & s->mask]++] = s->from[i];
}

/* Stable radix sort by key. Blocks are fixed, so the result does not depend on threads. */
static void radix_sort(Sort *s, uint32_t n, const PxThreads *threads)
{
    uint32_t passes = (s->frame->bits + DIGIT_BITS - 1) / DIGIT_BITS;
    uint32_t width = (s->frame->bits + passes - 1) / passes;
    uint32_t blocks = (n + SORT_BLOCK - 1) / SORT_BLOCK;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        s->shift = pass * width;
        s->mask = (1u << width) - 1;
        px_parallel_for(threads, n, SORT_BLOCK, histogram_block, s);
        uint32_t sum = 0;
        for (uint32_t digit = 0; digit <= s->mask; ++digit)
            for (uint32_t b = 0; b < blocks; ++b) {
                uint32_t here = s->count[(size_t)b * DIGITS + digit];
                s->count[(size_t)b * DIGITS + digit] = sum;
                sum += here;
            }
        px_parallel_for(threads, n, SORT_BLOCK, scatter_block, s);
        Entry *swap = s->from;
        s->from = s->to;
        s->to = swap;
    }
}

static void sift_down(uint32_t *row, const uint64_t *id, size_t root, size_t n)
{
    for (size_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
        if (child + 1 < n && id[row[child]] < id[row[child + 1]])
            ++child;
        if (id[row[root]] >= id[row[child]])
            return;
        uint32_t swap = row[root];
        row[root] = row[child];
        row[child] = swap;
        root = child;
    }
}

/* Sorts the rows of one cell by id. Cells hold a few rows, nearly sorted; crowded ones
 * use heap sort, so that no input takes quadratic time. */
static void sort_cell(uint32_t *row, const uint64_t *id, size_t n)
{
    if (n > 64) {
        for (size_t k = n / 2; k-- > 0;)
            sift_down(row, id, k, n);
        for (size_t k = n; k-- > 1;) {
            uint32_t swap = row[0];
            row[0] = row[k];
            row[k] = swap;
            sift_down(row, id, 0, k);
        }
        return;
    }
    for (size_t k = 1; k < n; ++k) {
        uint32_t moving = row[k];
        size_t at = k;
        for (; at > 0 && id[row[at - 1]] > id[moving]; --at)
            row[at] = row[at - 1];
        row[at] = moving;
    }
}

/* True if a cell begins at index i of the sorted entries. */
static inline bool cell_begins(const Sort *s, uint32_t i)
{
    return i == 0 || s->from[i].key != s->from[i - 1].key;
}

static void count_cells_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Sort *s = user;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        count += cell_begins(s, i);
        s->order[i] = s->from[i].row;
    }
    s->new_cells[begin / SORT_BLOCK] = count;
}

static void write_cells_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Sort *s = user;
    uint32_t cell = s->new_cells[begin / SORT_BLOCK];
    for (uint32_t i = begin; i < end; ++i)
        if (cell_begins(s, i)) {
            s->grid->key[cell] = s->from[i].key;
            s->grid->begin[cell] = i;
            ++cell;
        }
}

static void sort_cells_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Sort *s = user;
    const uint32_t *first = s->grid->begin;
    for (uint32_t c = begin; c < end; ++c)
        sort_cell(s->order + first[c], s->id, first[c + 1] - first[c]);
}

void px_grid_init(PxGrid *grid, const PxAllocator *allocator)
{
    *grid = (PxGrid){.allocator = allocator};
}

void px_grid_free(PxGrid *grid)
{
    px_release(grid->allocator, grid->key, ((size_t)grid->room + 1) * sizeof *grid->key);
    px_release(grid->allocator, grid->begin, ((size_t)grid->room + 1) * sizeof *grid->begin);
    px_grid_init(grid, grid->allocator);
}

size_t px_grid_bytes(const PxGrid *grid)
{
    return grid->key == NULL ? 0
                             : ((size_t)grid->room + 1) * (sizeof *grid->key + sizeof *grid->begin);
}

PxStatus px_grid_reserve(PxGrid *grid, uint32_t cells)
{
    if (grid->key != NULL && cells <= grid->room)
        return PX_OK;
    px_grid_free(grid);
    size_t room = (size_t)cells + cells / 4 + 16;
    if (room > PX_ALIGNMENT * (size_t)0x3ffffff)
        room = cells;
    grid->key = px_allocate(grid->allocator, (room + 1) * sizeof *grid->key);
    grid->begin = px_allocate(grid->allocator, (room + 1) * sizeof *grid->begin);
    if (grid->key == NULL || grid->begin == NULL) {
        px_release(grid->allocator, grid->key, (room + 1) * sizeof *grid->key);
        px_release(grid->allocator, grid->begin, (room + 1) * sizeof *grid->begin);
        px_grid_init(grid, grid->allocator);
        return px_fail(PX_ERR_MEMORY, "grid: no room for %u cells", cells);
    }
    grid->room = (uint32_t)room;
    return PX_OK;
}

PxStatus px_grid_sort(PxGrid *grid, const PxGridFrame *frame, PxGridPoints points,
                      const uint64_t *id, uint32_t *order, PxArena *scratch,
                      const PxThreads *threads)
{
    uint32_t n = points.count;
    PxArenaMark mark = px_arena_mark(scratch);
    uint32_t blocks = n / SORT_BLOCK + 1;
    Sort s = {.frame = frame, .points = points, .id = id, .order = order, .grid = grid};
    s.from = PX_ARENA_ARRAY(scratch, Entry, n);
    s.to = PX_ARENA_ARRAY(scratch, Entry, n);
    s.count = PX_ARENA_ARRAY(scratch, uint32_t, (size_t)blocks * DIGITS);
    s.new_cells = PX_ARENA_ARRAY(scratch, uint32_t, blocks);
    if (s.from == NULL || s.to == NULL || s.count == NULL || s.new_cells == NULL)
        return px_fail(PX_ERR_MEMORY, "grid: no room to sort %u points", n);

    px_parallel_for(threads, n, SORT_BLOCK, key_block, &s);
    radix_sort(&s, n, threads);
    px_parallel_for(threads, n, SORT_BLOCK, count_cells_block, &s);
    uint32_t cells = 0;
    for (uint32_t b = 0; (uint64_t)b * SORT_BLOCK < n; ++b) {
        uint32_t here = s.new_cells[b];
        s.new_cells[b] = cells;
        cells += here;
    }
    PX_TRY(px_grid_reserve(grid, cells));
    grid->frame = *frame;
    grid->cells = cells;
    px_parallel_for(threads, n, SORT_BLOCK, write_cells_block, &s);
    grid->key[cells] = UINT64_MAX;
    grid->begin[cells] = n;
    if (id != NULL)
        px_parallel_for(threads, cells, PX_BLOCK, sort_cells_block, &s);
    px_arena_release(scratch, mark);
    return PX_OK;
}

/* ---- queries ------------------------------------------------------------ */

uint32_t px_grid_lower_bound(const PxGrid *grid, uint64_t key)
{
    uint32_t low = 0, high = grid->cells;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (grid->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Key offsets of the first cell (x-1) of the 9 runs. Coordinates 0 and last + 1 are
 * never occupied, so a run beyond the edge does not wrap into another one. */
static void row_offsets(const PxGridFrame *f, int64_t offset[9])
{
    for (int k = 0; k < 9; ++k)
        offset[k] = (int64_t)(k % 3 - 1) * ((int64_t)1 << f->shift[1]) +
                    (int64_t)(k / 3 - 1) * ((int64_t)1 << f->shift[2]) - 1;
}

/* The run of up to three cells, starting at `first`, with keys of at most `last`. */
static inline bool run_of(const PxGrid *grid, uint32_t first, uint64_t last, PxRange *run)
{
    uint32_t end = first;
    while (grid->key[end] <= last) /* stops at the ~0 after the last cell */
        ++end;
    *run = (PxRange){grid->begin[first], grid->begin[end]};
    return end > first;
}

int px_grid_rows(const PxGrid *grid, float x, float y, float z, PxRange rows[9])
{
    if (grid->cells == 0)
        return 0;
    int64_t offset[9];
    row_offsets(&grid->frame, offset);
    uint64_t key = px_grid_key(&grid->frame, x, y, z);
    int count = 0;
    for (int k = 0; k < 9; ++k) {
        uint64_t left = key + (uint64_t)offset[k];
        count += run_of(grid, px_grid_lower_bound(grid, left), left + 2, &rows[count]);
    }
    return count;
}

uint32_t px_grid_rows_until(const PxGrid *grid, uint64_t key)
{
    int64_t offset[9];
    row_offsets(&grid->frame, offset);
    uint64_t last = key + (uint64_t)offset[8] + 2;
    return grid->begin[px_grid_lower_bound(grid, last + 1)];
}

void px_grid_walk_start(PxGridWalk *walk, const PxGrid *grid, uint64_t key)
{
    walk->grid = grid;
    row_offsets(&grid->frame, walk->offset);
    for (int k = 0; k < 9; ++k)
        walk->cursor[k] = px_grid_lower_bound(grid, key + (uint64_t)walk->offset[k]);
}

int px_grid_walk_rows(PxGridWalk *walk, uint64_t key, PxRange rows[9])
{
    const PxGrid *grid = walk->grid;
    int count = 0;
    for (int k = 0; k < 9; ++k) {
        uint64_t left = key + (uint64_t)walk->offset[k];
        uint32_t at = walk->cursor[k];
        while (grid->key[at] < left)
            ++at;
        walk->cursor[k] = at;
        count += run_of(grid, at, left + 2, &rows[count]);
    }
    return count;
}
