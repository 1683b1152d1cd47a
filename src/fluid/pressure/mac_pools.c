#include "fluid/pressure/mac_pools.h"

#include "base/union_find.h"
#include "fluid/pressure/mac_cells.h"
#include "fluid/pressure/mac_yield.h"

PxStatus px_mac_find_pools(const PxMac *m, PxMacPools *out)
{
    uint32_t cells = m->tiles * CELLS;
    uint32_t *up = PX_ARENA_ARRAY(m->fluid->scratch, uint32_t, cells);
    uint32_t *sealed = PX_ARENA_ARRAY(m->fluid->scratch, uint32_t, cells);
    if (up == NULL || sealed == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", cells);
    *out = (PxMacPools){up, sealed, false};
    for (uint32_t t = 1; t < m->tiles; ++t)
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in);
            up[cell] = cell;
            sealed[cell] = 0;
        }
    for (uint32_t t = 1; t < m->tiles; ++t)
        for (int c = 0; c < 3; ++c) {
            uint64_t join = m->full[t] & m->linked[c][t];
            if (join != 0)
                join &= cells_beside(m, m->full, t, c, -1, 1);
            for (; join != 0; join &= join - 1) {
                uint32_t cell = first_in(t, join);
                px_join(up, cell, next_to(m, cell, c, -1));
            }
        }
    for (uint32_t t = 1; t < m->tiles; ++t)
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in);
            ++sealed[up[cell] = px_root_of(up, cell)];
        }
    for (uint32_t t = 1; t < m->tiles; ++t)
        for (int c = 0; c < 3; ++c) {
            uint64_t open = m->linked[c][t];
            if (open != 0)
                open &= m->full[t] ^ cells_beside(m, m->full, t, c, -1, 1);
            for (; open != 0; open &= open - 1) {
                uint32_t cell = first_in(t, open);
                sealed[up[is_full(m, cell) ? cell : next_to(m, cell, c, -1)]] = 0;
            }
        }
    px_mac_yield_open(m, up, sealed);
    for (uint32_t t = 1; t < m->tiles && !out->any; ++t)
        for (uint64_t in = m->full[t]; in != 0 && !out->any; in &= in - 1)
            out->any = sealed[up[first_in(t, in)]] > 0;
    return PX_OK;
}

PxStatus px_mac_balance(PxMac *m, PxMacPools *first)
{
    const PxFluid *f = m->fluid;
    uint32_t cells = m->tiles * CELLS;
    if (!m->lacks && !(px_boundaries_travel(f->boundary, f->boundaries) > 0))
        return PX_OK;
    PxMacPools pools;
    bool again = first->root != NULL;
    if (!again)
        PX_TRY(px_mac_find_pools(m, first));
    /* Cells that were taken apart only divide pools, and have a pressure, 0, for each part. */
    if (!first->any)
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    pools = *first;
    if (again)
        PX_TRY(px_mac_find_pools(m, &pools));
    double *sum = PX_ARENA_ARRAY(f->scratch, double, cells);
    if (sum == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", cells);
    for (uint32_t t = 1; t < m->tiles; ++t)
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in), root = pools.root[cell];
            if (pools.sealed[root] > 0)
                m->r[cell] += m->cell * (double)m->lack[cell];
            sum[root] = (root == cell ? 0 : sum[root]) + m->r[cell];
        }
    for (uint32_t t = 1; t < m->tiles; ++t)
        for (uint64_t in = m->full[t]; in != 0; in &= in - 1) {
            uint32_t cell = first_in(t, in), root = pools.root[cell];
            if (pools.sealed[root] > 0)
                m->r[cell] -= sum[root] / pools.sealed[root];
        }
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
