#include "world/mixed.h"

#include "matter/melt.h"
#include "world/octree_body.h"

#include <math.h>
#include <string.h>

/* Steps after which the rest shape of melting matter follows, if its material does not say. */
#define TURN 10

typedef struct Extra {
    const char *name, *unit;
    PxType type;
    uint32_t components;
} Extra;

enum { PIECE, SLOT, MELTED, STEADY, EXTRAS };

static const Extra extra[EXTRAS] = {
    [PIECE] = {"piece", "", PX_U32, 1},
    [SLOT] = {"piece_slot", "", PX_U32, 1},
    [MELTED] = {"piece_melted", "", PX_F32, 1},
    [STEADY] = {"piece_steady", "m/s^2", PX_F32, 3},
};

PxMixedColumns px_mixed_columns(const PxTable *t)
{
    const PxColumn *steady = px_table_find(t, extra[STEADY].name);
    return (PxMixedColumns){.piece = px_table_find(t, extra[PIECE].name)->data[0],
                            .slot = px_table_find(t, extra[SLOT].name)->data[0],
                            .melted = px_table_find(t, extra[MELTED].name)->data[0],
                            .steady = {steady->data[0], steady->data[1], steady->data[2]}};
}

static double melted_of(const PxWorld *world, uint32_t row, const PxMaterialDef **def)
{
    *def = &world->materials.data[world->particles.material[row]].def;
    return px_melted(*def, (double)world->particles.temperature[row]);
}

float px_mixed_melted(const PxWorld *world, uint32_t row)
{
    const PxMaterialDef *def;
    return (float)melted_of(world, row, &def);
}

double px_mixed_young(const PxWorld *world, uint32_t row)
{
    const PxMaterialDef *def;
    double melted = melted_of(world, row, &def);
    return px_between(def->young, def->melts.into.young, melted);
}

float px_mixed_firm(const PxWorld *world, uint32_t row)
{
    const PxMaterialDef *def;
    double melted = melted_of(world, row, &def);
    return def->young > 0 && !(def->absorb > 0) ? (float)(1 - melted) : 0.0f;
}

double px_mixed_turn(const PxMaterialDef *def)
{
    double hot = def->melts.into.absorb;
    bool melts = def->melts.melts && (def->young > 0 || def->melts.into.young > 0);
    if (melts && !(def->absorb > 0))
        return hot > 0 ? hot : TURN;
    return def->young > 0 && def->absorb > 0 ? def->absorb : INFINITY;
}

static void regard(const PxMaterialDef *def, bool emitted, bool *elastic, bool *flows)
{
    *elastic |= def->young > 0 || def->melts.into.young > 0;
    *flows |= !(def->young > 0) || emitted || def->melts.melts || def->diffusivity > 0;
}

bool px_mixed_with(const PxWorld *world, const PxMaterialDef *more, bool emitted)
{
    bool elastic = false, flows = false;
    for (size_t k = 0; k < world->bodies.count; ++k) {
        const PxBody *body = &world->bodies.data[k];
        if (body->def.wall)
            continue;
        uint32_t slot = body->emitter > 0
                            ? world->emitters.data[body->emitter - 1].def.material.slot
                            : body->def.material.slot;
        regard(&world->materials.data[slot - 1].def, body->emitter > 0, &elastic, &flows);
    }
    if (more != NULL)
        regard(more, emitted, &elastic, &flows);
    return elastic && flows;
}

PxStatus px_mixed_begin(PxWorld *world)
{
    if (world->mixed || !px_mixed_with(world, NULL, false))
        return PX_OK;
    PX_TRY(px_octree_allowed(world, NULL, false, NULL));
    return px_mixed_make(world);
}

bool px_mixed_stored(const PxTable *particles)
{
    return px_table_find(particles, extra[PIECE].name) != NULL;
}

PxStatus px_mixed_check(const PxTable *particles, size_t bodies)
{
    const PxColumn *piece = px_table_find(particles, extra[PIECE].name);
    const PxColumn *slot = px_table_find(particles, extra[SLOT].name);
    for (uint32_t i = 0; i < particles->count; ++i)
        if (((const uint32_t *)piece->data[0])[i] > particles->count + bodies + 1 ||
            ((const uint32_t *)slot->data[0])[i] > particles->count)
            return px_fail(PX_ERR_FORMAT, "stored particle %u belongs to a piece that cannot be",
                           i);
    return PX_OK;
}

PxStatus px_mixed_make(PxWorld *world)
{
    PxParticles *p = &world->particles;
    if (world->mixed)
        return PX_OK;
    PX_TRY(px_solid_columns_add(&p->table));
    for (int k = 0; k < EXTRAS; ++k)
        PX_TRY(px_table_add(&p->table, extra[k].name, extra[k].unit, extra[k].type,
                            extra[k].components, PX_COLUMN_STATE, NULL));
    PX_TRY(px_particles_init(&world->shaped, world->memory));
    px_particles_refresh(p);
    PxMixedColumns c = px_mixed_columns(&p->table);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        c.piece[i] = px_mixed_young(world, i) > 0 ? p->body[i] + 1 : 0;
        c.melted[i] = px_mixed_melted(world, i);
    }
    world->mixed = world->solids_due = true;
    return PX_OK;
}

void px_mixed_free(PxWorld *world)
{
    px_particles_free(&world->shaped);
    PX_LIST_FREE(&world->shaped_rows);
}

PxStatus px_mixed_gather(PxWorld *world)
{
    const PxParticles *p = &world->particles;
    PxMixedColumns c = px_mixed_columns(&p->table);
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (c.slot[i] > 0)
            world->shaped_rows.data[c.slot[i] - 1] = i;
    PX_TRY(px_table_gather(&world->shaped.table, &p->table, world->shaped_rows.data,
                           (uint32_t)world->shaped_rows.count, &world->threads));
    px_particles_refresh(&world->shaped);
    return PX_OK;
}

/* ---- lists ------------------------------------------------------------------ */

static PxSolidPoints points_of(const PxParticles *p, const PxSolidFrame *f)
{
    PxSolidColumns c;
    px_solid_columns(&p->table, &c);
    return (PxSolidPoints){.x = c.rest[0] + f->begin,
                           .y = c.rest[1] + f->begin,
                           .z = c.rest[2] + f->begin,
                           .support = c.support + f->begin,
                           .id = p->id + f->begin,
                           .count = f->end - f->begin};
}

/* One frame for each piece there is, and the rows of each together in shaped_rows. */
static PxStatus part(PxWorld *world)
{
    const PxParticles *p = &world->particles;
    PxMixedColumns c = px_mixed_columns(&p->table);
    uint32_t n = p->table.count, pieces = 0, place = 0;
    for (uint32_t i = 0; i < n; ++i)
        pieces = c.piece[i] > pieces ? c.piece[i] : pieces;
    uint32_t *start = PX_ARENA_ARRAY(&world->scratch, uint32_t, (size_t)pieces + 2);
    world->frames.count = world->shaped_rows.count = 0;
    if (start == NULL || !PX_LIST_RESERVE(&world->frames, pieces) ||
        !PX_LIST_RESERVE(&world->shaped_rows, n))
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u pieces", pieces);
    memset(start, 0, ((size_t)pieces + 2) * sizeof *start);
    for (uint32_t i = 0; i < n; ++i)
        ++start[c.piece[i] + 1];
    start[1] = 0; /* those of no piece are left out */
    for (uint32_t k = 1; k <= pieces; ++k) {
        uint32_t count = start[k + 1];
        start[k + 1] = place + count;
        if (count > 0)
            world->frames.data[world->frames.count++] =
                (PxSolidFrame){.begin = place, .end = place + count};
        place += count;
    }
    world->shaped_rows.count = place;
    for (uint32_t i = 0; i < n; ++i)
        if (c.piece[i] > 0)
            world->shaped_rows.data[start[c.piece[i]]++] = i;
    return PX_OK;
}

PxStatus px_mixed_lists(PxWorld *world)
{
    PxArenaMark mark = px_arena_mark(&world->scratch);
    PX_TRY(part(world));
    PxParticles *s = &world->shaped;
    uint32_t count = (uint32_t)world->shaped_rows.count, *rows = world->shaped_rows.data;
    uint32_t *order = PX_ARENA_ARRAY(&world->scratch, uint32_t, count);
    uint32_t *sorted = PX_ARENA_ARRAY(&world->scratch, uint32_t, count);
    if (order == NULL || sorted == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room to sort %u particles", count);
    PX_TRY(px_table_gather(&s->table, &world->particles.table, rows, count, &world->threads));
    px_particles_refresh(s);
    for (size_t k = 0; k < world->frames.count; ++k) {
        PxSolidFrame *f = &world->frames.data[k];
        PX_TRY(px_solid_order(&world->solid_lists, points_of(s, f), order + f->begin,
                              &world->scratch, &world->threads));
        for (uint32_t i = f->begin; i < f->end; ++i)
            sorted[i] = rows[f->begin + order[i]];
    }
    if (count > 0)
        memcpy(rows, sorted, count * sizeof *rows);
    PxMixedColumns c = px_mixed_columns(&world->particles.table);
    memset(c.slot, 0, world->particles.table.count * sizeof *c.slot);
    for (uint32_t i = 0; i < count; ++i)
        c.slot[rows[i]] = i + 1;
    PX_TRY(px_mixed_gather(world));
    PX_TRY(px_solid_lists_begin(&world->solid_lists, count));
    for (size_t k = 0; k < world->frames.count; ++k) {
        PxSolidFrame *f = &world->frames.data[k];
        f->body = s->body[f->begin];
        PX_TRY(px_solid_lists_add(&world->solid_lists, points_of(s, f), &world->scratch, world->isa,
                                  &world->threads));
    }
    px_arena_release(&world->scratch, mark);
    world->solids_due = false;
    ++world->solid_version;
    return PX_OK;
}
