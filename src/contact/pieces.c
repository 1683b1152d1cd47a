#include "contact/pieces.h"

#include "solid/fracture/relax.h"

#include <math.h>

/* Part of the gap at which contact begins. */
#define BELOW 0.999

static bool is_of_one_body(const PxFacings *f, const PxFacingPair *pair)
{
    const PxSolid *s = f->solid;
    uint32_t a = pair->frame[0], b = pair->frame[1];
    return a != b && s->frame[a].body == s->frame[b].body;
}

/* The gap of contact/touch.h; at most the sum of the radii. */
static double gap_of(const PxFacings *f, const PxFacing *here)
{
    const PxSolid *s = f->solid;
    double g0 = (double)f->radius[s->frame_of[here->row]] + (double)f->radius[here->frame];
    double h2 = PX_FACING_SUPPORT * PX_FACING_SUPPORT * g0 * g0, sum = 0;
    PxVec3 mean = {0, 0, 0};
    for (uint32_t e = here->start; e < here->start + here->size; ++e) {
        PxVec3 way = px_sub(f->where[f->entry[e]], f->where[here->row]);
        double left = fmax(1 - px_dot(way, way) / h2, 0);
        double w = left * left * left * (double)f->part[e];
        mean = px_mad(mean, way, w);
        sum += w;
    }
    return sum > 0 ? fmin(px_length(mean) / sum, g0) : g0;
}

static void gap_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    PxFacings *f = user;
    for (uint32_t m = begin; m < end; ++m) {
        const PxFacing *here = &f->facing[m];
        bool own = is_of_one_body(f, &f->pair[here->pair]);
        f->limit[m] = own ? (float)(BELOW * gap_of(f, here)) : INFINITY;
    }
}

PxStatus px_pieces_limits(PxFacings *f)
{
    const PxSolid *s = f->solid;
    float *kept = px_fracture_column(&s->particles->table, PX_FRACTURE_GAP);
    bool some = false;
    for (uint32_t k = 0; k < f->pairs && kept != NULL; ++k)
        some = some || is_of_one_body(f, &f->pair[k]);
    if (!some)
        return PX_OK;
    float *now = PX_ARENA_ARRAY(s->scratch, float, s->count);
    f->limit = PX_ARENA_ARRAY(s->scratch, float, px_round_up(f->facings, 1u << 8));
    if (f->limit == NULL || now == NULL)
        return px_fail(PX_ERR_MEMORY, "contact: no room for %u particles", f->facings);
    px_parallel_for(s->threads, f->facings, 256, gap_block, f);
    for (uint32_t i = 0; i < s->count; ++i)
        now[i] = INFINITY;
    for (uint32_t m = 0; m < f->facings; ++m)
        now[f->facing[m].row] = fminf(now[f->facing[m].row], f->limit[m]);
    for (uint32_t i = 0; i < s->count; ++i)
        if (isfinite(now[i]))
            kept[i] = fmaxf(kept[i], now[i]);
    for (uint32_t m = 0; m < f->facings; ++m)
        if (isfinite(f->limit[m]))
            f->limit[m] = kept[f->facing[m].row];
    return PX_OK;
}
