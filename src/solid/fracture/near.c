#include "solid/fracture/near.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
/* Cells have numbers of 21 bits in each direction; beyond, cells share numbers, which is correct
 * but slow. */
#define BITS 21

void px_crack_cells_free(PxCrackCells *c)
{
    PX_LIST_FREE(&c->head);
    PX_LIST_FREE(&c->entries);
}

size_t px_crack_cells_bytes(const PxCrackCells *c)
{
    return c->head.capacity * sizeof *c->head.data + c->entries.capacity * sizeof *c->entries.data;
}

bool px_crack_cells_reset(PxCrackCells *c, double edge, size_t items)
{
    size_t heads = 256;
    while (heads < 2 * items)
        heads *= 2;
    c->entries.count = 0;
    c->edge = edge;
    if (heads > c->head.count) {
        c->head.count = 0;
        if (!PX_LIST_RESERVE(&c->head, heads))
            return false;
        c->head.count = heads;
    }
    memset(c->head.data, 0xff, c->head.count * sizeof *c->head.data);
    return true;
}

static uint64_t number_of(const int64_t at[3])
{
    const uint64_t mask = ((uint64_t)1 << BITS) - 1;
    return ((uint64_t)at[0] & mask) | ((uint64_t)at[1] & mask) << BITS |
           ((uint64_t)at[2] & mask) << 2 * BITS;
}

static uint32_t slot_of(const PxCrackCells *c, uint64_t cell)
{
    return (uint32_t)((cell * 0x9e3779b97f4a7c15u) >> 32) & (uint32_t)(c->head.count - 1);
}

PxCrackSearch px_crack_search(const PxCrackCells *c, PxVec3 low, PxVec3 high)
{
    PxCrackSearch s = {.cells = c, .entry = NONE};
    const double a[3] = {low.x, low.y, low.z}, b[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; ++k) {
        s.low[k] = s.at[k] = (int64_t)floor(a[k] / c->edge);
        s.high[k] = (int64_t)floor(b[k] / c->edge);
    }
    --s.at[0];
    if (c->entries.count == 0)
        s.high[2] = s.low[2] - 1, s.at[2] = s.low[2];
    return s;
}

PxCrackSearch px_crack_search_ball(const PxCrackCells *c, PxVec3 at, double radius)
{
    PxVec3 far = px_vec(radius, radius, radius);
    return px_crack_search(c, px_sub(at, far), px_add(at, far));
}

/* The next cell of the box. False: that was the last one. */
static bool next_cell(PxCrackSearch *s)
{
    for (int k = 0; k < 3; ++k) {
        if (s->at[k] < s->high[k]) {
            ++s->at[k];
            return s->at[2] <= s->high[2];
        }
        s->at[k] = s->low[k];
    }
    return false;
}

bool px_crack_next(PxCrackSearch *s, uint32_t *item)
{
    const PxCrackEntry *entry = s->cells->entries.data;
    for (;;) {
        while (s->entry != NONE) {
            const PxCrackEntry *e = &entry[s->entry];
            s->entry = e->next;
            if (e->cell == s->cell) {
                *item = e->item;
                return true;
            }
        }
        if (!next_cell(s))
            return false;
        s->cell = number_of(s->at);
        s->entry = s->cells->head.data[slot_of(s->cells, s->cell)];
    }
}

bool px_crack_cells_add(PxCrackCells *c, PxVec3 low, PxVec3 high, uint32_t item)
{
    const double a[3] = {low.x, low.y, low.z}, b[3] = {high.x, high.y, high.z};
    int64_t from[3], to[3], at[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = (int64_t)floor(a[k] / c->edge);
        to[k] = (int64_t)floor(b[k] / c->edge);
    }
    for (at[2] = from[2]; at[2] <= to[2]; ++at[2])
        for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
            for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) {
                uint64_t cell = number_of(at);
                uint32_t slot = slot_of(c, cell);
                if (!PX_LIST_RESERVE(&c->entries, 1))
                    return false;
                c->entries.data[c->entries.count] =
                    (PxCrackEntry){cell, item, c->head.data[slot], slot};
                c->head.data[slot] = (uint32_t)c->entries.count++;
            }
    return true;
}

void px_crack_cells_pop(PxCrackCells *c, size_t count)
{
    while (c->entries.count > count) {
        const PxCrackEntry *e = &c->entries.data[--c->entries.count];
        c->head.data[e->slot] = e->next;
    }
}
