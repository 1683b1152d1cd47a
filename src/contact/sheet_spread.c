/// Means along sheets: contact/sheets.h says what they are for.
#include "contact/sheets.h"

#include <math.h>

bool px_sheets_spreads(const PxSheets *s)
{
    bool any = false;
    for (uint32_t k = 0; k < s->system->cloths; ++k)
        any = any || s->rounds[k] > 0;
    return any;
}

PxStatus px_sheets_mean(const PxSheets *s, PxVec3 *of)
{
    const PxClothSystem *y = s->system;
    const uint32_t *rounds = s->rounds;
    if (!px_sheets_spreads(s))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(s->scratch);
    PxVec3 *sum = PX_ARENA_ARRAY(s->scratch, PxVec3, y->vertices + 1);
    uint32_t most = 0;
    if (sum == NULL)
        return px_fail(PX_ERR_MEMORY, "cloth: no room for %u vertices", y->vertices);
    for (uint32_t k = 0; k < y->cloths; ++k)
        most = rounds[k] > most ? rounds[k] : most;
    for (uint32_t round = 0; round < most; ++round) {
        for (uint32_t i = 0; i < y->vertices; ++i)
            sum[i] = px_vec(0, 0, 0);
        for (uint32_t f = 0; f < y->faces; ++f) {
            const uint32_t *c = y->face[f].corner;
            if (round >= rounds[y->of_face[f]])
                continue;
            PxVec3 mean =
                px_scale(px_add(of[c[0]], px_add(of[c[1]], of[c[2]])), y->face[f].area / 9);
            for (int k = 0; k < 3; ++k)
                sum[c[k]] = px_add(sum[c[k]], mean);
        }
        for (uint32_t i = 0; i < y->vertices; ++i)
            if (round < rounds[y->of_vertex[i]])
                of[i] = px_scale(sum[i], 1 / y->share[i]);
    }
    px_arena_release(s->scratch, mark);
    return PX_OK;
}

PxStatus px_sheets_spread(const PxSheets *s, PxVec3 *of)
{
    const PxClothSystem *y = s->system;
    if (!px_sheets_spreads(s))
        return PX_OK;
    for (uint32_t i = 0; i < y->vertices; ++i)
        of[i] = px_scale(of[i], 1 / y->share[i]);
    PX_TRY(px_sheets_mean(s, of));
    for (uint32_t i = 0; i < y->vertices; ++i)
        of[i] = px_scale(of[i], y->share[i]);
    return PX_OK;
}

void px_sheets_choose_rounds(const PxSheets *s)
{
    enum { MOST = 64 };
    for (uint32_t k = 0; k < s->system->cloths; ++k) {
        double ratio = s->spacing / s->system->edge[k];
        s->rounds[k] = (uint32_t)fmax(fmin(ceil(0.5 * ratio * ratio - 0.2), MOST), 0);
    }
}
