#include "solid/bonds.h"

#include "base/fail.h"

#include <string.h>

void px_bonds_init(PxBonds *b, const PxAllocator *allocator)
{
    *b = (PxBonds){.allocator = allocator};
    px_pairs_init(&b->pairs, allocator);
    px_grid_init(&b->grid, allocator);
}

static size_t start_bytes(uint32_t room)
{
    return ((size_t)room + 1) * sizeof(uint32_t);
}

static size_t id_bytes(uint32_t room)
{
    return ((size_t)room + 1) * sizeof(uint64_t);
}

static void free_entries(PxBonds *b)
{
    px_release(b->allocator, b->other, b->entry_room * sizeof *b->other);
    px_release(b->allocator, b->strength, b->entry_room * sizeof *b->strength);
    b->other = NULL;
    b->strength = NULL;
    b->entry_room = 0;
}

static void free_particles(PxBonds *b)
{
    if (b->start != NULL)
        px_release(b->allocator, b->start, start_bytes(b->room));
    if (b->id != NULL)
        px_release(b->allocator, b->id, id_bytes(b->room));
    b->start = NULL;
    b->id = NULL;
    b->room = b->count = 0;
}

void px_bonds_free(PxBonds *b)
{
    free_entries(b);
    free_particles(b);
    px_pairs_free(&b->pairs);
    px_grid_free(&b->grid);
}

size_t px_bonds_bytes(const PxBonds *b)
{
    return (b->start != NULL ? start_bytes(b->room) + id_bytes(b->room) : 0) +
           b->entry_room * (sizeof *b->other + sizeof *b->strength) + px_pairs_bytes(&b->pairs) +
           px_grid_bytes(&b->grid);
}

/* ---- order ---------------------------------------------------------------- */

static double largest_support(PxSolidPoints p)
{
    float most = 0;
    for (uint32_t i = 0; i < p.count; ++i)
        most = p.support[i] > most ? p.support[i] : most;
    return (double)most;
}

static float extent(const float *x, uint32_t count)
{
    float low = count > 0 ? x[0] : 0.0f, high = low;
    for (uint32_t i = 1; i < count; ++i) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    return high - low;
}

/* The grid sorts by its z first. Making the longest axis its z keeps neighbours closest together in
 * memory. */
static PxGridPoints grid_points(PxSolidPoints p)
{
    const float *axis[3] = {p.x, p.y, p.z};
    float length[3];
    for (int k = 0; k < 3; ++k)
        length[k] = extent(axis[k], p.count);
    for (int k = 0; k < 3; ++k) { /* bubble sort: three exchanges sort three axes */
        int a = k % 2;
        if (!(length[a] > length[a + 1]))
            continue;
        const float *other = axis[a];
        float shorter = length[a + 1];
        axis[a] = axis[a + 1];
        axis[a + 1] = other;
        length[a + 1] = length[a];
        length[a] = shorter;
    }
    return (PxGridPoints){axis[0], axis[1], axis[2], p.count};
}

PxStatus px_bonds_order(PxBonds *b, PxSolidPoints points, uint32_t *order, PxArena *scratch,
                        const PxThreads *threads)
{
    PxGridPoints at = grid_points(points);
    PxGridFrame frame = px_grid_frame(largest_support(points), &at, 1, threads, NULL);
    return px_grid_sort(&b->grid, &frame, at, points.id, order, scratch, threads);
}

/* ---- making bonds ---------------------------------------------------------- */

PxStatus px_bonds_begin(PxBonds *b, uint32_t count)
{
    b->count = 0;
    if (count > b->room || (count > 0 && b->start == NULL)) {
        free_particles(b);
        b->start = px_allocate(b->allocator, start_bytes(count));
        b->id = px_allocate(b->allocator, id_bytes(count));
        b->room = count;
        if (b->start == NULL || b->id == NULL) {
            free_particles(b);
            return px_fail(PX_ERR_MEMORY, "bonds: no room for %u particles", count);
        }
    }
    if (b->start != NULL)
        b->start[0] = 0;
    return PX_OK;
}

static PxStatus reserve_entries(PxBonds *b, size_t wanted)
{
    if (wanted <= b->entry_room)
        return PX_OK;
    PxBonds old = *b;
    size_t used = b->start[b->count];
    b->entry_room = px_round_up(wanted + wanted / 4, 16);
    b->other = px_allocate(b->allocator, b->entry_room * sizeof *b->other);
    b->strength = px_allocate(b->allocator, b->entry_room * sizeof *b->strength);
    if (b->other == NULL || b->strength == NULL) {
        free_entries(b);
        *b = old;
        return px_fail(PX_ERR_MEMORY, "bonds: no room for %zu of them", wanted);
    }
    if (used > 0) {
        memcpy(b->other, old.other, used * sizeof *b->other);
        memcpy(b->strength, old.strength, used * sizeof *b->strength);
    }
    free_entries(&old);
    return PX_OK;
}

typedef struct Job {
    PxBonds *bonds;
    PxSolidPoints points;
    const PxBondsBefore *before;
    uint32_t first; /* row of the component's first particle */
} Job;

/* Strength of the bond between i and j in the new graph; 0: no bond. */
static float strength_of(const Job *job, uint32_t i, uint32_t j)
{
    const PxBondsBefore *before = job->before;
    if (j == i || !(px_bond_weight(job->points, i, j) > 0.0f))
        return 0.0f;
    if (before == NULL || before->row[i] == 0 || before->row[j] == 0 ||
        (before->fresh != NULL && (before->fresh[i] || before->fresh[j])))
        return 1.0f;
    const PxBonds *old = before->bonds;
    uint32_t a = before->row[i] - 1, b = before->row[j] - 1;
    if (a == b)
        return 1.0f;
    for (uint32_t e = old->start[a]; e < old->start[a + 1]; ++e)
        if (old->other[e] == b)
            return old->strength[e];
    return 0.0f;
}

static void count_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    const PxPairs *pairs = &job->bonds->pairs;
    uint32_t *size = job->bonds->start + job->first + 1;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *row = pairs->row + pairs->start[i];
        size[i] = 0;
        for (uint32_t k = 0; k < pairs->size[i]; ++k)
            size[i] += strength_of(job, i, row[k]) > 0.0f;
    }
}

static void entry_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Job *job = user;
    PxBonds *b = job->bonds;
    const PxPairs *pairs = &b->pairs;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t *row = pairs->row + pairs->start[i];
        uint32_t place = b->start[job->first + i];
        for (uint32_t k = 0; k < pairs->size[i]; ++k) {
            float strength = strength_of(job, i, row[k]);
            if (!(strength > 0.0f))
                continue;
            b->other[place] = job->first + row[k];
            b->strength[place++] = strength;
        }
    }
}

PxStatus px_bonds_add(PxBonds *b, PxSolidPoints points, const PxBondsBefore *before,
                      PxArena *scratch, PxIsa isa, const PxThreads *threads)
{
    double reach = largest_support(points);
    PxGridPoints at = grid_points(points);
    PxGridFrame frame = px_grid_frame(reach, &at, 1, threads, NULL);
    PxArenaMark mark = px_arena_mark(scratch);
    uint32_t *order = PX_ARENA_ARRAY(scratch, uint32_t, points.count);
    if (order == NULL)
        return px_fail(PX_ERR_MEMORY, "bonds: no room to sort %u particles", points.count);
    /* particles are in this order already; the neighbour search needs the grid */
    PX_TRY(px_grid_sort(&b->grid, &frame, at, points.id, order, scratch, threads));
    px_arena_release(scratch, mark);
    PX_TRY(px_pairs_build(&b->pairs, &b->grid, at, &b->grid, at, (float)reach, isa, threads));
    Job job = {b, points, before, b->count};
    px_parallel_for(threads, points.count, PX_BLOCK, count_block, &job);
    uint64_t total = b->start[b->count];
    for (uint32_t i = 0; i < points.count; ++i) {
        total += b->start[b->count + i + 1];
        if (total > PX_PAIRS_MOST)
            return px_fail(PX_ERR_MEMORY, "bonds: more than %u", PX_PAIRS_MOST);
        b->start[b->count + i + 1] = (uint32_t)total;
    }
    PX_TRY(reserve_entries(b, (size_t)total));
    px_parallel_for(threads, points.count, PX_BLOCK, entry_block, &job);
    if (points.count > 0)
        memcpy(b->id + b->count, points.id, points.count * sizeof *b->id);
    b->count += points.count;
    return PX_OK;
}

/* ---- storing ----------------------------------------------------------------- */

enum { FIRST, SECOND, STRENGTH };

PxStatus px_bonds_trim(PxBonds *to, const PxBonds *from)
{
    PX_TRY(px_bonds_begin(to, from->count));
    if (from->count == 0)
        return PX_OK;
    PX_TRY(reserve_entries(to, from->start[from->count]));
    uint32_t place = 0;
    for (uint32_t i = 0; i < from->count; ++i) {
        for (uint32_t e = from->start[i]; e < from->start[i + 1]; ++e) {
            if (!(from->strength[e] > 0.0f))
                continue;
            to->other[place] = from->other[e];
            to->strength[place++] = from->strength[e];
        }
        to->start[i + 1] = place;
    }
    memcpy(to->id, from->id, from->count * sizeof *to->id);
    to->count = from->count;
    return PX_OK;
}

PxStatus px_bonds_columns(PxTable *table)
{
    PX_TRY(px_table_add(table, "first", "", PX_U64, 1, PX_COLUMN_STATE, NULL));
    PX_TRY(px_table_add(table, "second", "", PX_U64, 1, PX_COLUMN_STATE, NULL));
    return px_table_add(table, "strength", "", PX_F32, 1, PX_COLUMN_STATE, NULL);
}

/* True for the first of a bond's two entries if both particles exist and no crack has cut it. */
static bool is_saved(const PxBonds *b, const uint8_t *there, uint32_t i, uint32_t e)
{
    return b->other[e] > i && there[i] && there[b->other[e]] && b->strength[e] > 0.0f;
}

PxStatus px_bonds_save(const PxBonds *b, const uint8_t *there, PxTable *table)
{
    uint32_t row, bonds = 0;
    for (uint32_t i = 0; i < b->count; ++i)
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e)
            bonds += is_saved(b, there, i, e);
    table->count = 0;
    PX_TRY(px_table_append(table, bonds, &row));
    uint64_t *first = table->column[FIRST].data[0], *second = table->column[SECOND].data[0];
    float *strength = table->column[STRENGTH].data[0];
    for (uint32_t i = 0; i < b->count; ++i)
        for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e) {
            if (!is_saved(b, there, i, e))
                continue;
            first[row] = b->id[i];
            second[row] = b->id[b->other[e]];
            strength[row++] = b->strength[e];
        }
    return PX_OK;
}

static uint32_t find_id(const uint64_t *id, uint32_t count, uint64_t wanted)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (id[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && id[low] == wanted ? low : count;
}

PxStatus px_bonds_restore(PxBonds *b, const PxTable *table, const uint64_t *id, uint32_t count)
{
    const PxColumn *column[3] = {px_table_find(table, "first"), px_table_find(table, "second"),
                                 px_table_find(table, "strength")};
    if (column[FIRST] == NULL || column[SECOND] == NULL || column[STRENGTH] == NULL ||
        column[FIRST]->type != PX_U64 || column[SECOND]->type != PX_U64 ||
        column[STRENGTH]->type != PX_F32 || table->count > PX_PAIRS_MOST / 2)
        return px_fail(PX_ERR_FORMAT, "the stored bonds have no usable columns");
    const uint64_t *first = column[FIRST]->data[0], *second = column[SECOND]->data[0];
    const float *strength = column[STRENGTH]->data[0];
    PX_TRY(px_bonds_begin(b, count));
    if (count > 0)
        memset(b->start, 0, start_bytes(count));
    for (uint32_t k = 0; k < table->count; ++k) {
        uint32_t i = find_id(id, count, first[k]), j = find_id(id, count, second[k]);
        if (i == count || j == count || i == j || !(strength[k] > 0.0f && strength[k] <= 1.0f))
            return px_fail(PX_ERR_FORMAT, "stored bond %u cannot be", k);
        ++b->start[i + 1];
        ++b->start[j + 1];
    }
    if (count == 0)
        return PX_OK;
    for (uint32_t i = 0; i < count; ++i)
        b->start[i + 1] += b->start[i];
    PX_TRY(reserve_entries(b, b->start[count]));
    for (uint32_t k = 0; k < table->count; ++k) { /* start[i] advances to the end of i's entries */
        uint32_t ends[2] = {find_id(id, count, first[k]), find_id(id, count, second[k])};
        for (int side = 0; side < 2; ++side) {
            uint32_t e = b->start[ends[side]]++;
            b->other[e] = ends[1 - side];
            b->strength[e] = strength[k];
        }
    }
    memmove(b->start + 1, b->start, count * sizeof *b->start);
    b->start[0] = 0;
    memcpy(b->id, id, count * sizeof *id);
    b->count = count;
    return PX_OK;
}
