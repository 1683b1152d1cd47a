#include "fluid/pressure/mac_pools.h"

#include "base/union_find.h"
#include "fluid/pressure/mac_cells.h"
#include "fluid/pressure/mac_yield.h"

static bool is_linked(const PxMac *m, int c, uint32_t cell)
{
    return m->open[c][cell] * m->weight[c][cell] > 0.0f;
}

PxStatus px_mac_find_pools(const PxMac *m, PxMacPools *out)
{
    uint32_t cells = m->tiles * CELLS;
    uint32_t *up = PX_ARENA_ARRAY(m->fluid->scratch, uint32_t, cells);
    uint32_t *sealed = PX_ARENA_ARRAY(m->fluid->scratch, uint32_t, cells);
    if (up == NULL || sealed == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", cells);
    *out = (PxMacPools){up, sealed};
    for (uint32_t cell = 0; cell < cells; ++cell) {
        up[cell] = cell;
        sealed[cell] = 0;
    }
    for (uint32_t cell = CELLS; cell < cells; ++cell)
        for (int c = 0; c < 3 && m->full[cell]; ++c) {
            uint32_t below = next_to(m, cell, c, -1);
            if (m->full[below] && is_linked(m, c, cell))
                px_join(up, cell, below);
        }
    for (uint32_t cell = CELLS; cell < cells; ++cell)
        if (m->full[cell])
            ++sealed[up[cell] = px_root_of(up, cell)];
    for (uint32_t cell = CELLS; cell < cells; ++cell)
        for (int c = 0; c < 3; ++c) {
            uint32_t below = next_to(m, cell, c, -1);
            if (m->full[cell] != m->full[below] && is_linked(m, c, cell))
                sealed[up[m->full[cell] ? cell : below]] = 0;
        }
    px_mac_yield_open(m, up, sealed);
    return PX_OK;
}

PxStatus px_mac_balance(PxMac *m)
{
    const PxFluid *f = m->fluid;
    uint32_t cells = m->tiles * CELLS;
    if (!m->lacks && !(px_boundaries_travel(f->boundary, f->boundaries) > 0))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(f->scratch);
    PxMacPools pools;
    PX_TRY(px_mac_find_pools(m, &pools));
    double *sum = PX_ARENA_ARRAY(f->scratch, double, cells);
    if (sum == NULL)
        return px_fail(PX_ERR_MEMORY, "pressure: no room for %u cells", cells);
    for (uint32_t cell = 0; cell < cells; ++cell)
        sum[cell] = 0;
    for (uint32_t cell = CELLS; cell < cells; ++cell)
        if (m->full[cell]) {
            if (pools.sealed[pools.root[cell]] > 0)
                m->r[cell] += m->cell * (double)m->lack[cell];
            sum[pools.root[cell]] += m->r[cell];
        }
    for (uint32_t cell = CELLS; cell < cells; ++cell) {
        uint32_t root = pools.root[cell];
        if (m->full[cell] && pools.sealed[root] > 0)
            m->r[cell] -= sum[root] / pools.sealed[root];
    }
    px_arena_release(f->scratch, mark);
    return PX_OK;
}
