#include "fluid/pressure/mac_separate.h"

#include "fluid/pressure/mac_cells.h"
#include "fluid/pressure/mac_pools.h"

/* Residuals that count, in units of the tolerance of the solve. */
#define MARGIN 10

static bool is_beside(const PxMac *m, uint32_t cell)
{
    bool beside = false;
    for (int k = 0; k < 6; ++k) {
        uint32_t face = k % 2 ? next_to(m, cell, k / 2, 1) : cell;
        beside = beside || (m->open[k / 2][face] < 1.0f && m->whose[k / 2][face] != PX_MAC_NOBODY);
    }
    return beside;
}

/* Velocity at which a cell gains volume after the solve. */
static double gain_of(const PxMac *m, uint32_t cell)
{
    double scale = m->dt / m->cell, out = 0;
    for (int k = 0; k < 6; ++k) {
        int c = k / 2;
        uint32_t other = next_to(m, cell, c, k % 2 ? 1 : -1), face = k % 2 ? other : cell;
        double open = (double)m->open[c][face];
        double u = open * (double)m->u[c][face] + (1 - open) * (double)m->wall[c][face];
        out += (k % 2 ? u : -u) +
               scale * open * (double)m->weight[c][face] * (m->p[cell] - m->p[other]);
    }
    return out;
}

typedef struct Separation {
    PxMac *mac;
    const PxMacPools *pools; /* NULL: cells are counted, not changed */
    double least;            /* velocity of a residual that counts, m/s */
} Separation;

static void separate_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Separation *job = user;
    const PxMacPools *pools = job->pools;
    PxMac *m = job->mac;
    double found = 0;
    for (uint32_t t = begin; t < end; ++t) {
        uint64_t pulled = 0, pressed = 0, look = m->full[t] & ~m->again[t];
        for (look = m->beside[t] ? look : 0; look != 0; look &= look - 1) {
            uint32_t cell = first_in(t, look);
            if (m->p[cell] * (double)m->diagonal[cell] < -job->least && is_beside(m, cell) &&
                (pools == NULL || pools->sealed[pools->root[cell]] == 0))
                pulled |= look & -look;
        }
        for (look = m->apart[t]; look != 0; look &= look - 1)
            if (gain_of(m, first_in(t, look)) < -job->least)
                pressed |= look & -look;
        found += (double)__builtin_popcountll(pulled | pressed);
        if (pools == NULL)
            continue;
        m->apart[t] = (m->apart[t] | pulled) & ~pressed;
        m->again[t] |= pressed;
        m->full[t] = (m->full[t] | pressed) & ~pulled;
    }
    m->part[2 * (size_t)(begin / TILES)] = found;
}

static bool any(const Separation *job)
{
    const PxMac *m = job->mac;
    bool found = false;
    px_parallel_for(m->fluid->threads, m->tiles, TILES, separate_block, (void *)job);
    for (uint32_t k = 0; k * TILES < m->tiles; ++k)
        found = found || m->part[2 * (size_t)k] > 0;
    return found;
}

PxStatus px_mac_separate(PxMac *m, PxMacPools *pools, double tolerance, bool *more)
{
    Separation job = {.mac = m, .least = MARGIN * tolerance * m->cell / m->dt};
    *more = false;
    if (m->fluid->boundaries == 0)
        return PX_OK;
    if (pools->root == NULL) {
        if (!any(&job))
            return PX_OK;
        PX_TRY(px_mac_find_pools(m, pools));
    }
    job.pools = pools;
    *more = any(&job);
    return PX_OK;
}
