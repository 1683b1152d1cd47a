#include "coupling/elastic_set.h"

#include "dist/disjoint_sets.h"
#include "matter/melt.h"
#include "solid/fracture/relax.h"
#include "solid/pieces.h"
#include "solid/solid_columns.h"

#include <stdlib.h>
#include <string.h>

/* ---- columns ------------------------------------------------------------------ */

/* A column of PxElasticColumns. */
typedef struct Extra {
    const char *name, *unit;
    PxType type;
    uint32_t components;
} Extra;

enum { COMPONENT, SLOT, MOLTEN, LOAD, REACTION, EXTRAS };

static const Extra extra[EXTRAS] = {
    [COMPONENT] = {"component", "", PX_U32, 1},
    [SLOT] = {"elastic_row", "", PX_U32, 1},
    [MOLTEN] = {"rest_molten", "", PX_F32, 1},
    [LOAD] = {"steady_load", "m/s^2", PX_F32, 3},
    [REACTION] = {"steady_reaction", "m/s^2", PX_F32, 3},
};

PxStatus px_elastic_columns_add(PxTable *t)
{
    PX_TRY(px_solid_columns_add(t));
    for (int k = 0; k < EXTRAS; ++k)
        if (px_table_find(t, extra[k].name) == NULL)
            PX_TRY(px_table_add(t, extra[k].name, extra[k].unit, extra[k].type, extra[k].components,
                                PX_COLUMN_STATE, NULL));
    return PX_OK;
}

bool px_elastic_columns(const PxTable *t, PxElasticColumns *out)
{
    const PxColumn *column[EXTRAS];
    *out = (PxElasticColumns){.component = NULL};
    for (int k = 0; k < EXTRAS; ++k) {
        column[k] = px_table_find(t, extra[k].name);
        if (column[k] == NULL)
            return false;
    }
    *out = (PxElasticColumns){
        .component = column[COMPONENT]->data[0],
        .slot = column[SLOT]->data[0],
        .molten = column[MOLTEN]->data[0],
        .load = {column[LOAD]->data[0], column[LOAD]->data[1], column[LOAD]->data[2]},
        .reaction = {column[REACTION]->data[0], column[REACTION]->data[1],
                     column[REACTION]->data[2]}};
    return true;
}

PxStatus px_elastic_columns_check(const PxTable *t, size_t bodies)
{
    PxElasticColumns e;
    if (!px_elastic_columns(t, &e))
        return PX_OK;
    const float *volume = px_table_find(t, "rest_volume")->data[0];
    for (uint32_t i = 0; i < t->count; ++i) {
        if (e.component[i] > t->count + bodies + 1 || e.slot[i] > t->count)
            return px_fail(PX_ERR_FORMAT, "stored particle %u has an impossible component", i);
        if (!(volume[i] > 0.0f) && (e.component[i] > 0 || volume[i] < 0.0f))
            return px_fail(PX_ERR_FORMAT, "stored particle %u has a rest volume of %g m^3", i,
                           (double)volume[i]);
    }
    return PX_OK;
}

/* ---- the set ------------------------------------------------------------------- */

PxStatus px_elastic_set_init(PxElasticSet *set, const PxAllocator *allocator)
{
    *set = (PxElasticSet){.version = 0};
    px_bonds_init(&set->bonds, allocator);
    px_bonds_init(&set->next, allocator);
    px_solid_lists_init(&set->lists, allocator);
    return px_particles_init(&set->rows, allocator);
}

void px_elastic_set_free(PxElasticSet *set)
{
    px_particles_free(&set->rows);
    px_bonds_free(&set->bonds);
    px_bonds_free(&set->next);
    px_solid_lists_free(&set->lists);
    PX_LIST_FREE(&set->row);
    PX_LIST_FREE(&set->components);
    PX_LIST_FREE(&set->laws);
    PX_LIST_FREE(&set->weaker);
}

size_t px_elastic_set_bytes(const PxElasticSet *set)
{
    return px_table_bytes(&set->rows.table) + px_bonds_bytes(&set->bonds) +
           px_bonds_bytes(&set->next) + px_solid_lists_bytes(&set->lists) +
           set->row.capacity * sizeof *set->row.data +
           set->components.capacity * sizeof *set->components.data +
           set->laws.capacity * sizeof *set->laws.data + set->weaker.capacity;
}

static void last_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxElasticColumns *e = user;
    uint32_t last = 0;
    for (uint32_t i = begin; i < end; ++i)
        last = e->component[i] > last ? e->component[i] : last;
    part->most[0] = last;
}

PxStatus px_elastic_put(const PxCoupling *c, PxElasticSet *set, uint32_t first, PxVec3 origin)
{
    PxParticles *p = c->particles;
    PX_TRY(px_elastic_columns_add(&p->table));
    px_particles_refresh(p);
    PxElasticColumns e;
    PxSolidColumns s;
    px_elastic_columns(&p->table, &e);
    px_solid_columns(&p->table, &s);
    PxPart most = {.maxima = 1};
    px_reduce(&(PxRows){c->threads, c->dist, first, 0}, last_part, &e, &most);
    uint32_t last = (uint32_t)most.most[0];
    for (uint32_t i = first; i < p->table.count; ++i) {
        s.rest[0][i] = (float)((double)p->x[i] + (double)p->x_low[i] - origin.x);
        s.rest[1][i] = (float)((double)p->y[i] + (double)p->y_low[i] - origin.y);
        s.rest[2][i] = (float)((double)p->z[i] + (double)p->z_low[i] - origin.z);
        s.volume[i] = (float)(c->spacing * c->spacing * c->spacing);
        s.bulk[i] = 1.0f;
        s.support[i] = (float)(c->solid_support * c->spacing);
        e.component[i] = px_is_elastic(p, c->material, i) ? last + 1 : 0;
        e.molten[i] = (float)px_molten_fraction(p, c->material, i);
        e.load[0][i] = (float)c->gravity.x;
        e.load[1][i] = (float)c->gravity.y;
        e.load[2][i] = (float)c->gravity.z;
        e.reaction[0][i] = e.reaction[1][i] = e.reaction[2][i] = 0.0f;
        p->density[i] = p->mass[i] / s.volume[i];
        p->pressure[i] = 0.0f;
    }
    set->due = true;
    return PX_OK;
}

/* ---- gathering and scattering ---------------------------------------------------- */

void px_elastic_set_locate(PxElasticSet *set, const PxParticles *p)
{
    PxElasticColumns e;
    if (!px_elastic_columns(&p->table, &e))
        return;
    for (size_t k = 0; set->shared && k < set->row.count; ++k)
        set->row.data[k] = PX_ELSEWHERE;
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (e.slot[i] > 0)
            set->row.data[e.slot[i] - 1] = i;
}

/* Columns to copy between particles and set; all have 4 bytes a row. */
typedef struct Copy {
    const uint32_t *row;
    bool in_order; /* row k of the set is row k of the particles */
    bool shared;   /* some rows are elsewhere */
    const uint32_t *from[32];
    uint32_t *to[32];
    int columns;
} Copy;

static void gather_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Copy *copy = user;
    for (int c = 0; c < copy->columns; ++c) {
        const uint32_t *restrict from = copy->from[c];
        uint32_t *restrict to = copy->to[c];
        if (copy->in_order)
            memcpy(to + begin, from + begin, (end - begin) * sizeof *to);
        for (uint32_t k = begin; copy->shared && k < end; ++k)
            if (copy->row[k] != PX_ELSEWHERE)
                to[k] = from[copy->row[k]];
        for (uint32_t k = begin; !copy->in_order && !copy->shared && k < end; ++k)
            to[k] = from[copy->row[k]];
    }
}

static void scatter_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Copy *copy = user;
    for (int c = 0; c < copy->columns; ++c) {
        const uint32_t *restrict from = copy->from[c];
        uint32_t *restrict to = copy->to[c];
        if (copy->in_order)
            memcpy(to + begin, from + begin, (end - begin) * sizeof *to);
        for (uint32_t k = begin; copy->shared && k < end; ++k)
            if (copy->row[k] != PX_ELSEWHERE)
                to[copy->row[k]] = from[k];
        for (uint32_t k = begin; !copy->in_order && !copy->shared && k < end; ++k)
            to[copy->row[k]] = from[k];
    }
}

static void add_column(Copy *copy, const void *from, void *to)
{
    copy->from[copy->columns] = from;
    copy->to[copy->columns++] = to;
}

/* Gathers all columns of `count` particles. The copy is created anew if its columns are no longer
 * the first ones of the particles. */
static PxStatus gather_all(PxElasticSet *set, const PxCoupling *c, const uint32_t *row,
                           uint32_t count)
{
    const PxTable *from = &c->particles->table;
    PxTable *to = &set->rows.table;
    bool alike = to->columns <= from->columns;
    for (uint32_t k = 0; alike && k < to->columns; ++k)
        alike = strcmp(to->column[k].name, from->column[k].name) == 0;
    if (!alike) {
        const PxAllocator *allocator = to->allocator;
        px_particles_free(&set->rows);
        PX_TRY(px_particles_init(&set->rows, allocator));
    }
    PX_TRY(px_table_gather(to, from, row, count, c->threads));
    px_particles_refresh(&set->rows);
    return PX_OK;
}

/* Replaces the rows of the copy, this rank's, by those of all ranks: rank after rank, or each at
 * its place of `place` (NULL: none). */
static PxStatus join_ranks(PxElasticSet *set, const PxCoupling *c, const uint32_t *place)
{
    PxTable *t = &set->rows.table;
    uint32_t own = t->count, total, first;
    for (uint32_t k = 0; k < t->columns; ++k)
        for (uint32_t d = 0; d < t->column[k].components; ++d) {
            PxArenaMark mark = px_arena_mark(c->scratch);
            const void *all;
            size_t size = px_type_size(t->column[k].type);
            PX_TRY(
                px_dist_gather(c->dist, t->column[k].data[d], own, size, c->scratch, &all, &total));
            if (t->count < total)
                PX_TRY(px_table_append(t, total - t->count, &first));
            char *to = t->column[k].data[d];
            for (uint32_t j = 0; j < total; ++j)
                memcpy(to + (place != NULL ? place[j] : j) * size, (const char *)all + j * size,
                       size);
            px_arena_release(c->scratch, mark);
        }
    px_particles_refresh(&set->rows);
    return PX_OK;
}

/* Gathers all columns of the set's rows. */
static PxStatus gather_set(PxElasticSet *set, const PxCoupling *c)
{
    uint32_t count = (uint32_t)set->row.count, own = 0, total;
    if (!set->shared)
        return gather_all(set, c, set->row.data, count);
    PxArenaMark mark = px_arena_mark(c->scratch);
    uint32_t *list = PX_ARENA_ARRAY(c->scratch, uint32_t, count);
    uint32_t *place = PX_ARENA_ARRAY(c->scratch, uint32_t, count);
    if (list == NULL || place == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    for (uint32_t k = 0; k < count; ++k)
        if (set->row.data[k] != PX_ELSEWHERE) {
            place[own] = k;
            list[own++] = set->row.data[k];
        }
    const void *all;
    PX_TRY(px_dist_gather(c->dist, place, own, sizeof *place, c->scratch, &all, &total));
    PX_TRY(gather_all(set, c, list, own));
    PX_TRY(join_ranks(set, c, all));
    px_arena_release(c->scratch, mark);
    return PX_OK;
}

PxStatus px_elastic_set_gather(PxElasticSet *set, const PxCoupling *c)
{
    const PxParticles *p = c->particles;
    PxParticles *r = &set->rows;
    uint32_t count = (uint32_t)set->row.count;
    if (count == 0)
        return PX_OK;
    if (!set->in_order)
        px_elastic_set_locate(set, p);
    if (set->stale) {
        PX_TRY(gather_set(set, c));
        set->stale = false;
        return PX_OK;
    }
    Copy copy = {.row = set->row.data, .in_order = set->in_order, .shared = set->shared};
    const float *const from[12] = {p->x,  p->y,  p->z,  p->x_low, p->y_low, p->z_low,
                                   p->vx, p->vy, p->vz, p->ax,    p->ay,    p->az};
    float *const to[12] = {r->x,  r->y,  r->z,  r->x_low, r->y_low, r->z_low,
                           r->vx, r->vy, r->vz, r->ax,    r->ay,    r->az};
    for (int k = 0; k < (c->flows ? 12 : 9); ++k) /* only fluid stages compute accelerations */
        add_column(&copy, from[k], to[k]);
    PxSolidColumns held, to_held; /* handles grab and release particles between steps */
    px_solid_columns(&p->table, &held);
    px_solid_columns(&r->table, &to_held);
    add_column(&copy, held.handle, to_held.handle);
    for (int k = 0; k < 3; ++k)
        add_column(&copy, held.hold[k], to_held.hold[k]);
    px_parallel_for(c->threads, count, 4 * PX_BLOCK, gather_block, &copy);
    for (int k = 0; set->shared && k < copy.columns; ++k)
        PX_TRY(px_dist_share(c->dist, (PxDistArray){copy.to[k], 4, 4}, set->row.data, count,
                             c->scratch));
    return PX_OK;
}

static void scatter(PxElasticSet *set, const PxCoupling *c, const Copy *copy)
{
    px_parallel_for(c->threads, (uint32_t)set->row.count, 4 * PX_BLOCK, scatter_block,
                    (void *)(uintptr_t)copy);
}

void px_elastic_set_scatter(PxElasticSet *set, const PxCoupling *c, bool strained, bool stuck,
                            bool last, bool rest_shapes)
{
    PxParticles *p = c->particles;
    const PxParticles *r = &set->rows;
    PxElasticColumns to, from;
    PxSolidColumns solid_to, solid_from;
    if (set->row.count == 0)
        return;
    px_elastic_columns(&p->table, &to);
    px_elastic_columns(&r->table, &from);
    px_solid_columns(&p->table, &solid_to);
    px_solid_columns(&r->table, &solid_from);
    Copy motion = {.row = set->row.data, .in_order = set->in_order, .shared = set->shared};
    Copy state = motion;
    float *const moved[9] = {p->x, p->y, p->z, p->x_low, p->y_low, p->z_low, p->vx, p->vy, p->vz};
    const float *const by[9] = {r->x,     r->y,  r->z,  r->x_low, r->y_low,
                                r->z_low, r->vx, r->vy, r->vz};
    for (int k = 0; k < 9; ++k)
        add_column(&motion, by[k], moved[k]);
    for (int k = 0; c->flows && k < 3; ++k)
        add_column(&state, from.load[k], to.load[k]);
    for (int k = 0; c->flows && k < 3; ++k)
        add_column(&state, from.reaction[k], to.reaction[k]);
    for (int k = 0; strained && k < 6; ++k)
        add_column(&state, solid_from.plastic[k], solid_to.plastic[k]);
    for (int k = 0; stuck && k < 6; ++k)
        add_column(&state, solid_from.stuck[k], solid_to.stuck[k]);
    if (stuck)
        add_column(&state, solid_from.grip, solid_to.grip);
    for (int k = 0; stuck && k < 2; ++k)
        add_column(&state, solid_from.owed[k], solid_to.owed[k]);
    for (int k = 0; last && k < 3; ++k)
        add_column(&state, solid_from.last[k], solid_to.last[k]);
    for (int k = 0; rest_shapes && k < 3; ++k)
        add_column(&state, solid_from.rest[k], solid_to.rest[k]);
    if (rest_shapes)
        add_column(&state, solid_from.bulk, solid_to.bulk);
    const char *const broken[2] = {PX_FRACTURE_ENERGY, PX_FRACTURE_GAP};
    for (int k = 0; k < 2; ++k)
        if (px_fracture_column(&r->table, broken[k]) != NULL)
            add_column(&state, px_fracture_column(&r->table, broken[k]),
                       px_fracture_column(&p->table, broken[k]));
    if (!c->flows) { /* otherwise the fluid stages compute density and pressure */
        add_column(&state, r->density, p->density);
        add_column(&state, r->pressure, p->pressure);
    }
    scatter(set, c, &motion);
    if (state.columns > 0)
        scatter(set, c, &state);
}

/* ---- building ---------------------------------------------------------------------- */

static PxSolidPoints points_of(const PxParticles *rows, uint32_t begin, uint32_t end)
{
    PxSolidColumns c;
    px_solid_columns(&rows->table, &c);
    return (PxSolidPoints){.x = c.rest[0] + begin,
                           .y = c.rest[1] + begin,
                           .z = c.rest[2] + begin,
                           .support = c.support + begin,
                           .volume = c.volume + begin,
                           .id = rows->id + begin,
                           .count = end - begin};
}

/* Creates one frame for each component and lists the rows of each together in `row`. component[i]
 * is the component of row i of n. */
static PxStatus group_rows(PxElasticSet *set, const PxCoupling *c, const uint32_t *component,
                           uint32_t n)
{
    uint32_t most = 0, place = 0;
    for (uint32_t i = 0; i < n; ++i)
        most = component[i] > most ? component[i] : most;
    uint32_t *start = PX_ARENA_ARRAY(c->scratch, uint32_t, (size_t)most + 2);
    set->components.count = set->row.count = 0;
    if (start == NULL || !PX_LIST_RESERVE(&set->components, most) || !PX_LIST_RESERVE(&set->row, n))
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u components", most);
    memset(start, 0, ((size_t)most + 2) * sizeof *start);
    for (uint32_t i = 0; i < n; ++i)
        ++start[component[i] + 1];
    start[1] = 0; /* rows of no component are left out */
    for (uint32_t k = 1; k <= most; ++k) {
        uint32_t count = start[k + 1];
        start[k + 1] = place + count;
        if (count > 0)
            set->components.data[set->components.count++] =
                (PxSolidFrame){.begin = place, .end = place + count};
        place += count;
    }
    set->row.count = place;
    for (uint32_t i = 0; i < n; ++i)
        if (component[i] > 0)
            set->row.data[start[component[i]]++] = i;
    return PX_OK;
}

/* The elastic rows of all ranks, while the set is built; set->row then numbers these. */
typedef struct Joined {
    const uint32_t *row;  /* the particle it is, or PX_ELSEWHERE; NULL: there is one rank, and the
                             numbers are those of particles */
    const uint8_t *fresh; /* as in px_elastic_set_rebuild() */
} Joined;

static PxStatus join_rows(PxElasticSet *set, const PxCoupling *c, const PxElasticColumns *e,
                          const uint8_t *fresh, Joined *out)
{
    uint32_t n = c->particles->table.count, own = 0, total, before = 0;
    uint32_t *list = PX_ARENA_ARRAY(c->scratch, uint32_t, n);
    uint32_t *rank = PX_ARENA_ARRAY(c->scratch, uint32_t, n);
    uint8_t *anew = PX_ARENA_ARRAY(c->scratch, uint8_t, n);
    if (list == NULL || rank == NULL || anew == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", n);
    for (uint32_t i = 0; i < n; ++i)
        if (e->component[i] > 0) {
            rank[own] = (uint32_t)c->dist->rank;
            anew[own] = fresh != NULL && fresh[i];
            list[own++] = i;
        }
    const void *ranks, *all;
    PX_TRY(px_dist_gather(c->dist, rank, own, sizeof *rank, c->scratch, &ranks, &total));
    PX_TRY(px_dist_gather(c->dist, anew, own, sizeof *anew, c->scratch, &all, &total));
    uint32_t *row = PX_ARENA_ARRAY(c->scratch, uint32_t, total);
    if (row == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", total);
    for (uint32_t k = 0; k < total; ++k)
        row[k] =
            ((const uint32_t *)ranks)[k] == (uint32_t)c->dist->rank ? list[before++] : PX_ELSEWHERE;
    *out = (Joined){row, all};
    PX_TRY(gather_all(set, c, list, own));
    return join_ranks(set, c, NULL);
}

/* Lists all elastic rows, component after component, and copies them. */
static PxStatus collect(PxElasticSet *set, const PxCoupling *c, const PxElasticColumns *e,
                        const uint8_t *fresh, Joined *out)
{
    set->shared = px_dist_shared(c->dist);
    *out = (Joined){NULL, fresh};
    if (!set->shared) {
        PX_TRY(group_rows(set, c, e->component, c->particles->table.count));
        return gather_all(set, c, set->row.data, (uint32_t)set->row.count);
    }
    PxElasticColumns all;
    PX_TRY(join_rows(set, c, e, fresh, out));
    px_elastic_columns(&set->rows.table, &all);
    PX_TRY(group_rows(set, c, all.component, set->rows.table.count));
    PX_TRY(px_table_permute(&set->rows.table, set->row.data, c->threads));
    px_particles_refresh(&set->rows);
    return PX_OK;
}

/* Sorts the rows of each component by the grid of its rest shape and fills *before with their rows
 * in the present set. */
static PxStatus sort_rows(PxElasticSet *set, const PxCoupling *c, const Joined *joined,
                          PxBondsBefore *before)
{
    uint32_t count = (uint32_t)set->row.count, *rows = set->row.data;
    uint32_t *order = PX_ARENA_ARRAY(c->scratch, uint32_t, count);
    uint32_t *sorted = PX_ARENA_ARRAY(c->scratch, uint32_t, count);
    uint32_t *was = PX_ARENA_ARRAY(c->scratch, uint32_t, count);
    uint8_t *anew = PX_ARENA_ARRAY(c->scratch, uint8_t, count);
    if (order == NULL || sorted == NULL || was == NULL || anew == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room to sort %u particles", count);
    for (size_t k = 0; k < set->components.count; ++k) {
        PxSolidFrame *f = &set->components.data[k];
        PX_TRY(px_bonds_order(&set->next, points_of(&set->rows, f->begin, f->end), order + f->begin,
                              c->scratch, c->threads));
        for (uint32_t i = f->begin; i < f->end; ++i) {
            order[i] += f->begin;
            sorted[i] = rows[order[i]];
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        anew[i] = joined->fresh != NULL && joined->fresh[sorted[i]];
        rows[i] = joined->row != NULL ? joined->row[sorted[i]] : sorted[i];
    }
    if (set->shared) {
        PX_TRY(px_table_permute(&set->rows.table, order, c->threads));
        px_particles_refresh(&set->rows);
    } else {
        PX_TRY(gather_all(set, c, rows, count));
    }
    PxElasticColumns e;
    px_elastic_columns(&set->rows.table, &e);
    for (uint32_t i = 0; i < count; ++i)
        was[i] = e.slot[i] <= set->bonds.count ? e.slot[i] : 0;
    *before = (PxBondsBefore){.bonds = &set->bonds, .row = was, .fresh = anew};
    return PX_OK;
}

/* Where nothing flows and all particles are elastic, no stage needs them sorted by cell. They are
 * put in the order of the set, which makes gathering and scattering plain copies. */
static PxStatus put_in_order(PxElasticSet *set, const PxCoupling *c)
{
    PxParticles *p = c->particles;
    PxSolidColumns s;
    PX_TRY(px_table_permute(&p->table, set->row.data, c->threads));
    px_particles_refresh(p);
    px_solid_columns(&p->table, &s);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        set->row.data[i] = i;
        p->density[i] = p->mass[i] / s.volume[i]; /* px_table_permute() leaves these undefined */
        p->pressure[i] = 0.0f;
    }
    set->in_order = true;
    return PX_OK;
}

static void exchange_bonds(PxElasticSet *set)
{
    PxBonds old = set->bonds;
    set->bonds = set->next;
    set->next = old;
    ++set->bonds_made;
}

void px_elastic_set_undo(PxElasticSet *set, uint64_t bonds_made)
{
    PX_ASSERT(set->bonds_made - bonds_made <= 1);
    if (set->bonds_made != bonds_made)
        exchange_bonds(set);
    set->weakened = false;
    set->due = set->stale = true;
    set->in_order = false;
}

/* Do rest shapes of the material follow its deformation? */
static bool follows(const PxMaterial *material)
{
    return material->def.absorb > 0 || material->def.melts.melts;
}

static uint64_t following(const PxCoupling *c)
{
    uint64_t hash = 0;
    for (size_t k = 0; k < c->materials; ++k)
        hash = hash * 0x9e3779b97f4a7c15u + (follows(&c->material[k]) ? 2 : 1);
    return hash;
}

/* By row: its fit is linear. NULL: no memory. */
static uint8_t *linear_rows(const PxElasticSet *set, const PxCoupling *c)
{
    uint32_t count = (uint32_t)set->row.count;
    uint8_t *linear = PX_ARENA_ARRAY(c->scratch, uint8_t, count);
    for (uint32_t i = 0; linear != NULL && i < count; ++i)
        linear[i] = follows(&c->material[set->rows.material[i]]);
    return linear;
}

static PxStatus build_lists(PxElasticSet *set, const PxCoupling *c)
{
    uint32_t count = (uint32_t)set->row.count;
    uint8_t *linear = linear_rows(set, c);
    if (linear == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    set->following = following(c);
    return px_solid_lists_build(&set->lists, &set->next, points_of(&set->rows, 0, count), linear,
                                c->threads);
}

PxStatus px_elastic_set_rebuild(PxElasticSet *set, const PxCoupling *c, const uint8_t *fresh)
{
    PxElasticColumns e;
    set->due = true;
    set->in_order = false;
    if (!px_elastic_columns(&c->particles->table, &e)) {
        set->due = false;
        return PX_OK;
    }
    PxArenaMark mark = px_arena_mark(c->scratch);
    PxBondsBefore before;
    Joined joined;
    PX_TRY(collect(set, c, &e, fresh, &joined));
    PX_TRY(sort_rows(set, c, &joined, &before));
    uint32_t count = (uint32_t)set->row.count;
    PX_TRY(px_bonds_begin(&set->next, count));
    for (size_t k = 0; k < set->components.count; ++k) {
        PxSolidFrame *f = &set->components.data[k];
        PxBondsBefore here = before;
        here.row += f->begin;
        here.fresh += f->begin;
        f->body = set->rows.body[f->begin];
        PX_TRY(px_bonds_add(&set->next, points_of(&set->rows, f->begin, f->end), &here, c->scratch,
                            c->isa, c->threads));
    }
    PX_TRY(build_lists(set, c));
    exchange_bonds(set);
    memset(e.slot, 0, c->particles->table.count * sizeof *e.slot);
    for (uint32_t i = 0; i < count; ++i)
        if (set->row.data[i] != PX_ELSEWHERE)
            e.slot[set->row.data[i]] = i + 1;
    px_arena_release(c->scratch, mark);
    if (!c->flows && !set->shared && count > 0 && count == c->particles->table.count)
        PX_TRY(put_in_order(set, c));
    set->due = false;
    set->stale = true;
    ++set->version;
    return PX_OK;
}

/* Bonds were lowered or cut, and nothing else has changed: the rows stay in their order, and fits
 * are made anew only for those whose bonds changed. */
static PxStatus weaken(PxElasticSet *set, const PxCoupling *c)
{
    uint32_t count = (uint32_t)set->row.count;
    PxArenaMark mark = px_arena_mark(c->scratch);
    uint8_t *linear = linear_rows(set, c);
    if (linear == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    PX_TRY(px_bonds_trim(&set->next, &set->bonds));
    PX_TRY(px_solid_lists_update(&set->lists, &set->next, points_of(&set->rows, 0, count), linear,
                                 set->weaker.data, c->threads));
    exchange_bonds(set);
    px_arena_release(c->scratch, mark);
    set->weakened = false;
    ++set->version;
    return PX_OK;
}

/* Splits components whose bonds no longer connect them: gives each connected part a number of its
 * own. *apart: some component was split. */
static PxStatus split(PxElasticSet *set, const PxCoupling *c, bool *apart)
{
    PxArenaMark mark = px_arena_mark(c->scratch);
    PxElasticColumns e;
    PxDisjointSets sets;
    uint32_t count = (uint32_t)set->row.count;
    px_elastic_columns(&c->particles->table, &e);
    PX_TRY(px_sets_begin(&sets, count, c->scratch));
    for (uint32_t i = 0; i < count; ++i)
        px_sets_add(&sets, i);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = set->bonds.start[i]; k < set->bonds.start[i + 1]; ++k)
            px_sets_join(&sets, i, set->bonds.other[k]);
    PX_TRY(px_sets_number(&sets, set->rows.id, NULL, c->scratch));
    *apart = sets.sets > set->components.count;
    for (uint32_t i = 0; *apart && i < count; ++i)
        if (set->row.data[i] != PX_ELSEWHERE)
            e.component[set->row.data[i]] = sets.set[i];
    float *gap = px_fracture_column(&c->particles->table, PX_FRACTURE_GAP);
    if (*apart && gap != NULL) /* new pieces begin to touch where they are */
        memset(gap, 0, c->particles->table.count * sizeof *gap);
    px_arena_release(c->scratch, mark);
    return PX_OK;
}

/* Counts elastic rows; the maximum is 1 where some are not in the set. */
static void elastic_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const PxElasticColumns *e = user;
    uint32_t elastic = 0;
    bool some_new = false;
    for (uint32_t i = begin; i < end; ++i) {
        elastic += e->component[i] > 0;
        some_new = some_new || (e->component[i] > 0 && e->slot[i] == 0);
    }
    part->sum[0] = elastic;
    part->most[0] = some_new;
}

PxStatus px_elastic_set_update(PxElasticSet *set, const PxCoupling *c, uint64_t *count)
{
    PxElasticColumns e;
    PxPart total = {.sums = 1, .maxima = 1};
    bool apart = false;
    if (px_elastic_columns(&c->particles->table, &e))
        px_reduce(&(PxRows){c->threads, c->dist, c->particles->table.count, 0}, elastic_part, &e,
                  &total);
    uint64_t elastic = (uint64_t)total.sum[0];
    bool some_new = total.most[0] > 0;
    if (c->flows)
        set->in_order = false; /* the neighbour search sorts particles by cell */
    set->split_due = set->split_due || some_new || elastic != *count;
    *count = elastic;
    bool same =
        !set->due && elastic == set->row.count && !some_new && set->following == following(c);
    if (same && !set->weakened)
        return PX_OK;
    if (same && set->weaker.count == set->row.count && set->lists.count == set->row.count)
        PX_TRY(weaken(set, c));
    else
        PX_TRY(px_elastic_set_rebuild(set, c, NULL));
    set->weakened = false;
    set->due = true; /* until all of this is done */
    if (set->split_due)
        PX_TRY(split(set, c, &apart));
    if (apart)
        PX_TRY(px_elastic_set_rebuild(set, c, NULL));
    set->due = set->split_due = false;
    return PX_OK;
}

/* ---- opening ------------------------------------------------------------------------ */

/* Where materials melt, rows have laws of their own, for their molten fractions. */
static PxStatus molten_laws(const PxElasticSet *set, const PxCoupling *c, PxSolid *s)
{
    bool any = false;
    for (size_t k = 0; k < c->materials; ++k)
        any = any || c->material[k].def.melts.melts;
    if (!any)
        return PX_OK;
    PxSolidLaw *law = PX_ARENA_ARRAY(c->scratch, PxSolidLaw, s->count);
    if (law == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", s->count);
    PxElasticColumns e;
    px_elastic_columns(&set->rows.table, &e);
    for (uint32_t i = 0; i < s->count; ++i) {
        uint32_t slot = set->rows.material[i];
        law[i] = s->law[slot];
        if (!(e.molten[i] > 0.0f))
            continue;
        PxMaterial material = px_melt_at(&c->material[slot], (double)e.molten[i]);
        PX_TRY(px_solid_law(&material, &law[i]));
    }
    s->row_law = law;
    return PX_OK;
}

static PxStatus find_laws(PxElasticSet *set, const PxCoupling *c, PxSolid *s)
{
    set->laws.count = 0;
    if (!PX_LIST_RESERVE(&set->laws, c->materials))
        return px_fail(PX_ERR_MEMORY, "solids: no room for %zu materials", c->materials);
    for (size_t k = 0; k < c->materials; ++k) {
        PX_TRY(px_solid_law(&c->material[k], &set->laws.data[k]));
        s->orthotropic = s->orthotropic || set->laws.data[k].orthotropic;
    }
    set->laws.count = c->materials;
    s->law = set->laws.data;
    return molten_laws(set, c, s);
}

PxStatus px_elastic_set_open(PxElasticSet *set, const PxCoupling *c, PxSolid *s)
{
    uint32_t count = (uint32_t)set->row.count;
    *s = (PxSolid){.particles = &set->rows,
                   .count = count,
                   .lists = &set->lists,
                   .material = c->material,
                   .frame = set->components.data,
                   .frames = (uint32_t)set->components.count,
                   .frame_of = PX_ARENA_ARRAY(c->scratch, uint32_t, count),
                   .gravity = c->gravity,
                   .support = (double)(float)(c->solid_support * c->spacing),
                   .scratch = c->scratch,
                   .threads = c->threads,
                   .isa = c->isa,
                   .flows = c->flows};
    if (s->frame_of == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", count);
    px_solid_columns(&set->rows.table, &s->columns);
    for (uint32_t k = 0; k < s->frames; ++k)
        for (uint32_t i = s->frame[k].begin; i < s->frame[k].end; ++i)
            s->frame_of[i] = k;
    PX_TRY(find_laws(set, c, s));
    PX_TRY(px_solid_pieces_mark(s));
    return px_solid_begin(s);
}

/* ---- storing ------------------------------------------------------------------------- */

void px_elastic_set_forget(PxElasticSet *set)
{
    set->row.count = set->components.count = 0;
    set->bonds.count = 0;
    set->due = true;
}

PxStatus px_elastic_set_save(const PxElasticSet *set, const PxParticles *p, PxTable *bonds)
{
    PxElasticColumns e;
    uint8_t *there = calloc((size_t)set->bonds.count + 1, 1);
    if (there == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", set->bonds.count);
    if (px_elastic_columns(&p->table, &e))
        for (uint32_t i = 0; i < p->table.count; ++i)
            if (e.slot[i] > 0 && e.slot[i] <= set->bonds.count)
                there[e.slot[i] - 1] = set->bonds.id[e.slot[i] - 1] == p->id[i];
    PxStatus status = px_bonds_save(&set->bonds, there, bonds);
    free(there);
    return status;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

typedef struct Stored {
    uint64_t id;
    uint32_t row;
} Stored;

PxStatus px_elastic_set_restore(PxElasticSet *set, const PxCoupling *c, const PxTable *bonds)
{
    PxElasticColumns e;
    const PxParticles *p = c->particles;
    if (!px_elastic_columns(&p->table, &e))
        return PX_OK;
    PxArenaMark mark = px_arena_mark(c->scratch);
    uint32_t count = 0;
    Stored *stored = PX_ARENA_ARRAY(c->scratch, Stored, p->table.count);
    uint64_t *id = PX_ARENA_ARRAY(c->scratch, uint64_t, p->table.count);
    if (stored == NULL || id == NULL)
        return px_fail(PX_ERR_MEMORY, "solids: no room for %u particles", p->table.count);
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (e.slot[i] > 0)
            stored[count++] = (Stored){p->id[i], i};
    qsort(stored, count, sizeof *stored, ascending); /* compares the id, the first member */
    for (uint32_t k = 0; k < count; ++k)
        id[k] = stored[k].id;
    PX_TRY(px_bonds_restore(&set->bonds, bonds, id, count));
    for (uint32_t k = 0; k < count; ++k)
        e.slot[stored[k].row] = k + 1;
    px_arena_release(c->scratch, mark);
    set->due = true;
    return PX_OK;
}
