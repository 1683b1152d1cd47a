#include "solid/fracture/fracture.h"

#include "base/stop.h"
#include "solid/fracture/heal.h"
#include "solid/fracture/sever.h"
#include "solid/fracture/small.h"
#include "solid/fracture/start.h"
#include "solid/fracture/tear.h"

#include <string.h>

void px_fracture_init(PxFracture *f, const PxAllocator *allocator)
{
    *f = (PxFracture){.planned = false};
    for (int k = 0; k < 2; ++k)
        px_grid_init(&f->grid[k], allocator);
}

void px_fracture_free(PxFracture *f)
{
    px_cracks_free(&f->now);
    px_cracks_free(&f->next);
    PX_LIST_FREE(&f->room);
    PX_LIST_FREE(&f->strength);
    PX_LIST_FREE(&f->moves);
    PX_LIST_FREE(&f->fresh);
    PX_LIST_FREE(&f->sheets.still);
    px_crack_cells_free(&f->sheets.cells);
    for (int k = 0; k < 2; ++k)
        px_crack_cells_free(&f->cells[k]);
    for (int k = 0; k < 2; ++k)
        px_grid_free(&f->grid[k]);
}

size_t px_fracture_bytes(const PxFracture *f)
{
    return px_cracks_bytes(&f->now) + px_cracks_bytes(&f->next) +
           f->room.capacity * sizeof *f->room.data + f->strength.capacity * sizeof(float) +
           f->moves.capacity * sizeof *f->moves.data + f->fresh.capacity * sizeof *f->fresh.data +
           px_grid_bytes(&f->grid[0]) + px_grid_bytes(&f->grid[1]) + f->sheets.still.capacity +
           px_crack_cells_bytes(&f->sheets.cells) + px_crack_cells_bytes(&f->cells[0]) +
           px_crack_cells_bytes(&f->cells[1]);
}

static PxStatus copy_strengths(PxFracture *f, const PxBonds *bonds)
{
    size_t entries = bonds->start[bonds->count];
    f->strength.count = 0;
    if (!PX_LIST_RESERVE(&f->strength, entries))
        return px_fail(PX_ERR_MEMORY, "fracture: no room for %zu bonds", entries);
    f->strength.count = entries;
    if (entries > 0)
        memcpy(f->strength.data, bonds->strength, entries * sizeof(float));
    return PX_OK;
}

PxStatus px_fracture_plan(PxFracture *f, const PxSolid *s, const PxBonds *bonds,
                          const PxVec3 *origin, size_t bodies, uint64_t step)
{
    PxFractureField field;
    bool due;
    f->planned = false;
    f->fastest = 0;
    PX_TRY(px_fracture_stresses(&field, s, &due));
    bool heals = f->melted && f->now.triangles.count + f->now.nodes.count > 0;
    if (!due && f->now.nodes.count == 0 && !heals)
        return PX_OK;
    PX_TRY(px_stop_check(s->threads));
    PX_TRY(px_fracture_field(&field, origin, f->grid));
    PX_TRY(px_cracks_copy(&f->next, &f->now));
    PX_TRY(copy_strengths(f, bonds));
    uint32_t healed = heals ? px_cracks_heal(&f->next, &field) : 0;
    f->sheets.valid = f->sheets.valid && !heals; /* triangles have other numbers */
    f->moves.count = 0;
    PxCrackGrowth growth = {.field = &field,
                            .cracks = &f->next,
                            .room = &f->room,
                            .moves = &f->moves,
                            .cells = f->cells,
                            .sheets = &f->sheets,
                            .dt = s->dt};
    /* Sinks may have taken the particles around a front, and stored cracks may be damaged. */
    bool valid = true;
    PX_ASSERT((valid = px_fronts_valid(&growth), true));
    PX_TRY(px_fronts_index(&growth));
    PX_TRY(px_fronts_grow(&growth));
    if (due)
        PX_TRY(px_cracks_start(&growth, step));
    px_fronts_forget(&growth);
    f->sheets.valid = !heals; /* what heals counts only if the step is done */
    PX_TRY(px_stop_check(s->threads));
    PX_TRY(px_cracks_sever(&growth, bonds, f->strength.data, &f->changed));
    if (f->changed > 0)
        PX_TRY(px_fracture_keep_small(s, bonds, f->strength.data));
    px_fracture_tear(&field, bonds, f->strength.data, &f->changed);
    (void)bodies, (void)valid; /* release builds check nothing */
    PX_ASSERT(px_cracks_valid(&f->next, bodies));
    PX_ASSERT(!valid || px_fronts_valid(&growth));
    f->events = growth.events;
    f->events.ended += healed;
    f->fastest = growth.fastest;
    f->planned = true;
    return PX_OK;
}

PxStatus px_fracture_plan_nothing(PxFracture *f, const PxBonds *bonds)
{
    PX_TRY(px_cracks_copy(&f->next, &f->now));
    PX_TRY(copy_strengths(f, bonds));
    f->events = (PxCrackEvents){.started = 0};
    f->fastest = 0;
    f->changed = 0;
    return PX_OK;
}

/* Gives the bonds the strengths that were planned. */
static void put_strengths(const PxFracture *f, PxBonds *bonds, uint8_t *weaker)
{
    for (uint32_t i = 0; i < bonds->count; ++i) {
        uint32_t first = bonds->start[i], size = bonds->start[i + 1] - first;
        weaker[i] = size > 0 && memcmp(bonds->strength + first, f->strength.data + first,
                                       size * sizeof(float)) != 0;
    }
    memcpy(bonds->strength, f->strength.data, f->strength.count * sizeof(float));
}

PxStatus px_fracture_refit(PxFracture *f, const PxSolid *s, PxBonds *bonds, const PxVec3 *origin,
                           uint8_t *weaker, bool *changed)
{
    PxFractureField field = {.solid = s};
    PxCrackGrowth growth = {.field = &field,
                            .cracks = &f->now,
                            .moves = &f->fresh,
                            .cells = f->cells,
                            .reach = f->fresh_reach,
                            .refit = true};
    uint64_t lowered;
    *changed = false;
    PX_TRY(px_fracture_field(&field, origin, f->grid));
    PX_TRY(copy_strengths(f, bonds));
    PX_TRY(px_cracks_sever(&growth, bonds, f->strength.data, &lowered));
    if (lowered == 0)
        return PX_OK;
    PX_TRY(px_fracture_keep_small(s, bonds, f->strength.data));
    put_strengths(f, bonds, weaker);
    *changed = true;
    return PX_OK;
}

bool px_fracture_commit(PxFracture *f, PxBonds *bonds, uint8_t *weaker)
{
    if (!f->planned)
        return false;
    PxCracks old = f->now;
    f->now = f->next;
    f->next = old;
    f->planned = false;
    if (f->changed == 0 || f->strength.count == 0)
        return false;
    put_strengths(f, bonds, weaker);
    return true;
}
