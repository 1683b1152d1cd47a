#include "coupling/heat_links.h"

#include "base/fail.h"
#include "coupling/octree_cells.h"

#include <math.h>
#include <string.h>

/* Largest distance of the centres of two cells that share a face, in smaller edges, for cells of
 * one size and for cells whose sizes differ by 2. The centres of equal cells are 1 apart if they
 * share a face and at least 1.41 otherwise; those of unequal ones 1.66 and at least 2.18. */
#define SAME_SIZE 1.2
#define TWICE_THE_SIZE 1.9

static bool share_a_face(const PxParticles *rows, const PxSolidColumns *s, uint32_t i, uint32_t j)
{
    double square = 0;
    double a = 2 * (double)rows->radius[i], b = 2 * (double)rows->radius[j], edge = fmin(a, b);
    for (int k = 0; k < 3; ++k) {
        double way = (double)s->rest[k][j] - (double)s->rest[k][i];
        square += way * way;
    }
    return sqrt(square) < edge * (fmax(a, b) > 1.5 * edge ? TWICE_THE_SIZE : SAME_SIZE);
}

/* Writes the particles linked to row i of the set to `with` (NULL: only counts them); returns their
 * number. */
static uint32_t links_of(const PxElasticSet *set, const PxCoupling *c, const PxSolidColumns *s,
                         uint32_t i, uint32_t *with)
{
    const PxBonds *b = &set->bonds;
    const uint32_t *row = set->row.data;
    uint32_t count = 0;
    for (uint32_t e = b->start[i]; e < b->start[i + 1]; ++e) {
        uint32_t j = b->other[e];
        if ((!px_is_coarse(c, row[i]) && !px_is_coarse(c, row[j])) ||
            !share_a_face(&set->rows, s, i, j))
            continue;
        if (with != NULL)
            with[count] = row[j];
        ++count;
    }
    return count;
}

PxStatus px_heat_links(PxElasticSet *set, const PxCoupling *c, PxPairs *out, uint8_t **link)
{
    const PxPairs *pairs = c->pairs;
    uint32_t n = pairs->count;
    PxSolidColumns s;
    PxElasticColumns e;
    px_elastic_set_locate(set, c->particles);
    px_solid_columns(&set->rows.table, &s);
    px_elastic_columns(&c->particles->table, &e);
    *out = (PxPairs){.count = n, .rows = n};
    out->start = PX_ARENA_ARRAY(c->scratch, uint32_t, (size_t)n + 1);
    out->size = PX_ARENA_ARRAY(c->scratch, uint32_t, (size_t)n + 1);
    if (out->start == NULL || out->size == NULL)
        return px_fail(PX_ERR_MEMORY, "heat: no room for the links of %u particles", n);
    uint64_t used = 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t slot = e.slot[i];
        out->start[i] = (uint32_t)used;
        out->size[i] = pairs->size[i] + (slot > 0 ? links_of(set, c, &s, slot - 1, NULL) : 0);
        used += (out->size[i] + 7u) & ~7u;
        if (used > PX_PAIRS_MOST)
            return px_fail(PX_ERR_MEMORY, "heat: more than %u links", PX_PAIRS_MOST);
    }
    out->used = out->total = used;
    out->room = (size_t)used;
    out->row = PX_ARENA_ARRAY(c->scratch, uint32_t, used);
    *link = PX_ARENA_ARRAY(c->scratch, uint8_t, used);
    if (out->row == NULL || *link == NULL)
        return px_fail(PX_ERR_MEMORY, "heat: no room for the links of %u particles", n);
    memset(*link, 0, used);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t *row = out->row + out->start[i], slot = e.slot[i], plain = pairs->size[i];
        memcpy(row, pairs->row + pairs->start[i], plain * sizeof *row);
        if (slot > 0)
            links_of(set, c, &s, slot - 1, row + plain);
        memset(*link + out->start[i] + plain, 1, out->size[i] - plain);
        for (uint32_t k = out->size[i]; k % 8 != 0; ++k)
            row[k] = n; /* padding */
    }
    return PX_OK;
}
