#include "world/cloth_bends.h"

#include <math.h>
#include <string.h>

enum { BODY, REST, LEAN, COLUMNS };
static const struct {
    const char *name, *unit;
    PxType type;
} columns[COLUMNS] = {[BODY] = {"body", "", PX_U32},
                      [REST] = {"crease", "rad", PX_F64},
                      [LEAN] = {"lean", "rad", PX_F64}};

PxStatus px_cloth_bends_init(PxWorld *world)
{
    px_table_init(&world->cloth_edges, world->memory);
    for (int k = 0; k < COLUMNS; ++k)
        PX_TRY(px_table_add(&world->cloth_edges, columns[k].name, columns[k].unit, columns[k].type,
                            1, PX_COLUMN_STATE, NULL));
    return PX_OK;
}

void px_cloth_bends_free(PxWorld *world)
{
    px_table_free(&world->cloth_edges);
}

static uint32_t *bodies(const PxTable *t)
{
    return t->column[BODY].data[0];
}

static double *numbers(const PxTable *t, int column)
{
    return t->column[column].data[0];
}

PxStatus px_cloth_bends_add(PxWorld *world, const PxClothSheet *sheet, uint32_t slot)
{
    uint32_t first, count = sheet->hinges + sheet->borders;
    PX_TRY(px_table_append(&world->cloth_edges, count, &first));
    for (uint32_t e = first; e < first + count; ++e)
        bodies(&world->cloth_edges)[e] = slot;
    return PX_OK;
}

void px_cloth_bends_drop(PxWorld *world, uint32_t slot)
{
    PxTable *t = &world->cloth_edges;
    uint32_t kept = 0;
    for (uint32_t e = 0; e < t->count; ++e) {
        if (bodies(t)[e] == slot)
            continue;
        bodies(t)[kept] = bodies(t)[e];
        for (int c = REST; c < COLUMNS; ++c)
            numbers(t, c)[kept] = numbers(t, c)[e];
        ++kept;
    }
    px_table_cut(t, kept, t->columns);
}

void px_cloth_bends_begin(const PxWorld *world, PxClothStep *s)
{
    s->rest = numbers(&world->cloth_edges, REST);
    s->lean = numbers(&world->cloth_edges, LEAN);
}

void px_cloth_bends_commit(PxWorld *world, const PxClothStep *s)
{
    const PxTable *t = &world->cloth_edges;
    const PxClothSystem *y = s->system;
    memcpy(numbers(t, LEAN), y->seen->lean, t->count * sizeof(double));
    for (uint32_t h = 0; h < y->hinges; ++h) {
        const uint32_t *c = y->hinge[h].corner;
        double crease = s->law[y->of_hinge[h]].crease, *rest;
        if (!(crease > 0))
            continue;
        const PxVec3 x[4] = {s->x[c[0]], s->x[c[1]], s->x[c[2]], s->x[c[3]]};
        rest = &numbers(t, REST)[y->edge_of_hinge[h]];
        *rest +=
            px_cloth_yield(&y->hinge[h], crease, px_cloth_angle(x) - y->hinge[h].angle - *rest);
    }
}

PxStatus px_cloth_bends_check(const PxWorld *world, const PxWorldState *state,
                              const PxTable *stored)
{
    (void)state;
    const PxTable *own = &world->cloth_edges;
    uint32_t row;
    if (stored->count != own->count)
        return px_fail(PX_ERR_FORMAT, "%u edges of cloth are stored, and the scene has %u",
                       stored->count, own->count);
    const PxColumn *bad = px_table_unfinite(stored, &row);
    if (bad != NULL)
        return px_fail(PX_ERR_FORMAT, "the %s of stored edge %u of cloth is not finite", bad->name,
                       row);
    for (uint32_t e = 0; e < stored->count; ++e)
        if (bodies(stored)[e] != bodies(own)[e] || !(fabs(numbers(stored, REST)[e]) < 100) ||
            !(fabs(numbers(stored, LEAN)[e]) < 100))
            return px_fail(PX_ERR_FORMAT,
                           "stored edge %u of cloth has another body than in the scene, or angles "
                           "that cannot be",
                           e);
    return PX_OK;
}
