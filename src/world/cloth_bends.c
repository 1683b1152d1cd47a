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

/* The edge of the old sheet that has the angles of an edge of the whole one. */
static uint32_t find_edge(const PxClothSheet *old, uint32_t from, uint32_t *hint)
{
    uint32_t count = old->hinges + old->borders;
    if (old->edge_from == NULL)
        return from / 2;
    for (uint32_t n = 0; n < count; ++n) { /* both lists have nearly the same order */
        uint32_t e = (*hint + n) % count;
        if (old->edge_from[e] == from) {
            *hint = e + 1;
            return e;
        }
    }
    return from % 2 != 0 ? find_edge(old, from - 1, hint) : 0; /* of the hinge that has torn */
}

/* Half the angle by which a hinge of a piece is bent. */
static double half_angle(const PxWorld *world, uint32_t vertex, const PxClothHinge *h, double rest)
{
    void *const *d = px_table_find(&world->cloth_vertices, "position")->data;
    PxVec3 x[4];
    for (int k = 0; k < 4; ++k) {
        uint32_t i = vertex + h->corner[k];
        x[k] = px_vec(((double *)d[0])[i], ((double *)d[1])[i], ((double *)d[2])[i]);
    }
    return 0.5 * (px_cloth_angle(x) - h->angle - rest);
}

void px_cloth_bends_torn(PxWorld *world, uint32_t vertex, uint32_t first, const PxClothSheet *old,
                         const PxClothSheet *torn)
{
    PxTable *t = &world->cloth_edges;
    uint32_t before = old->hinges + old->borders, after = torn->hinges + torn->borders;
    uint32_t rows = t->count, slot = bodies(t)[first], hint = 0, copy;
    px_table_append(t, after, NULL); /* cannot fail: there is room, also for a copy of the old */
    copy = rows + after - before;
    memmove(bodies(t) + first + after, bodies(t) + first + before,
            (rows - first - before) * sizeof(uint32_t));
    for (int c = REST; c < COLUMNS; ++c) {
        double *x = numbers(t, c);
        memcpy(x + copy, x + first, before * sizeof *x);
        /* the pieces behind it */
        memmove(x + first + after, x + first + before, (rows - first - before) * sizeof *x);
    }
    for (uint32_t e = 0; e < after; ++e) {
        uint32_t from = find_edge(old, torn->edge_from[e], &hint);
        double rest = numbers(t, REST)[copy + from], lean = numbers(t, LEAN)[copy + from];
        bodies(t)[first + e] = slot;
        if (e >= torn->hinges && from < old->hinges) { /* a plate ends here now (plate.c) */
            double half = half_angle(world, vertex, &old->hinge[from], rest);
            lean = half + (torn->edge_from[e] % 2 != 0 ? -lean : lean);
            rest = 0;
        }
        numbers(t, REST)[first + e] = rest;
        numbers(t, LEAN)[first + e] = lean;
    }
    px_table_cut(t, copy, t->columns);
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
