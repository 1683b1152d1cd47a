#include "world/saved.h"

#include "world/cloth_bends.h"
#include "world/cloth_stage.h"
#include "world/elastic_stage.h"
#include "world/copies.h"
#include "world/fracture_stage.h"
#include "world/rigid_stage.h"
#include "world/tear_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers -------------------------------------------------------------------------------- */

#define PX_STATE_WHOLE(member) {#member, PX_U64, offsetof(PxWorld, state.member)},
#define PX_STATE_REAL(member) {#member, PX_F64, offsetof(PxWorld, state.member)},
#define REPORT(member, type)                                                                       \
    {                                                                                              \
#member, type, offsetof(PxWorld, member)                                                   \
    }

#define WORK(name) {"work_" #name, PX_F64, offsetof(PxWorld, work[PX_WORK_##name])},

/* REPORT() and WORK() lines are results of the last step, saved so that PxStats is restored too. */
const PxSavedNumber px_saved_numbers[] = {
    PX_WORLD_STATE(PX_STATE_WHOLE, PX_STATE_REAL) /* */
    REPORT(dt, PX_F64),
    REPORT(neighbours, PX_F64),
    REPORT(elastic, PX_F64),
    PX_WORKS(WORK) /* */
    REPORT(density_error, PX_F64),
    REPORT(density_error_max, PX_F64),
    REPORT(tension_force, PX_F64),
    REPORT(pressure_force, PX_F64),
    REPORT(solve_error, PX_F64),
    REPORT(iterations, PX_U32),
    REPORT(viscosity_iterations, PX_U32),
    REPORT(heat_iterations, PX_U32),
    REPORT(rigid_contacts, PX_U32),
    REPORT(rigid_overlap, PX_F64),
    REPORT(cloth_iterations, PX_U32),
    REPORT(cloth_contacts, PX_U32),
};

const size_t px_saved_number_count = PX_COUNT(px_saved_numbers);
_Static_assert(PX_COUNT(px_saved_numbers) <= PX_SAVED_NUMBERS, "PxSavedWorld has room for all");

void px_saved_get_numbers(const PxWorld *world, PxSavedValue *value)
{
    for (size_t k = 0; k < px_saved_number_count; ++k) {
        const char *at = (const char *)world + px_saved_numbers[k].offset;
        if (px_saved_numbers[k].type == PX_U32)
            value[k].whole = *(const uint32_t *)at;
        else
            memcpy(&value[k], at, sizeof value[k]);
    }
}

void px_saved_put_numbers(PxWorld *world, const PxSavedValue *value)
{
    for (size_t k = 0; k < px_saved_number_count; ++k) {
        char *at = (char *)world + px_saved_numbers[k].offset;
        if (px_saved_numbers[k].type == PX_U32)
            *(uint32_t *)at = (uint32_t)value[k].whole;
        else
            memcpy(at, &value[k], sizeof value[k]);
    }
}

static PxWorldState state_of(const PxSavedWorld *saved)
{
    PxWorldState state;
    for (size_t k = 0; k < px_saved_number_count; ++k) {
        size_t offset = px_saved_numbers[k].offset - offsetof(PxWorld, state);
        if (offset < sizeof state) /* also false for members before it: the difference wraps */
            memcpy((char *)&state + offset, &saved->value[k], sizeof saved->value[k]);
    }
    return state;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* A part of the saved state: one table that the world owns, or several that are assembled from
 * it. */
typedef struct Part {
    const char *name[PX_SAVED_PART_TABLES];
    PxTable *(*own)(PxWorld *world);                          /* the world's table, or NULL: */
    PxStatus (*gather)(const PxWorld *world, PxTable *table); /* assembles the tables */
    PxStatus (*put)(PxWorld *world, const PxTable *table);    /* restores the world from them */
    /* Validates a table read from a file against the world; may be NULL. */
    PxStatus (*check)(const PxWorld *world, const PxWorldState *state, const PxTable *table);
} Part;

static PxTable *particles_of(PxWorld *world)
{
    return &world->particles.table;
}

static PxTable *emitters_of(PxWorld *world)
{
    return &world->progress;
}

static PxTable *cloth_of(PxWorld *world)
{
    return &world->cloth_vertices;
}

static PxTable *cloth_edges_of(PxWorld *world)
{
    return &world->cloth_edges;
}

#define CRACK_TABLE(name, which)                                                                   \
    static PxTable *name(PxWorld *world)                                                           \
    {                                                                                              \
        return &world->crack[which];                                                               \
    }
CRACK_TABLE(crack_vertices_of, PX_CRACK_VERTICES)
CRACK_TABLE(crack_triangles_of, PX_CRACK_TRIANGLES)
CRACK_TABLE(crack_nodes_of, PX_CRACK_NODES)
CRACK_TABLE(cracks_of, PX_CRACK_LIST)

/* Numbers of any world are finite, and counts fit. */
static PxStatus check_numbers(const PxSavedValue *value)
{
    for (size_t k = 0; k < px_saved_number_count; ++k) {
        const PxSavedNumber *n = &px_saved_numbers[k];
        if (n->type == PX_F64 && !(fabs(value[k].real) <= 1e60)) /* true for NaN too */
            return px_fail(PX_ERR_FORMAT, "the checkpoint's %s is %g, wanted a finite number",
                           n->name, value[k].real);
        if (n->type == PX_U32 && value[k].whole > UINT32_MAX)
            return px_fail(PX_ERR_FORMAT, "the checkpoint's %s is %llu, more than can be counted",
                           n->name, (unsigned long long)value[k].whole);
    }
    return PX_OK;
}

/* Can these be the numbers of a world? */
static PxStatus check_state(const PxWorldState *state)
{
    const struct {
        const char *name;
        double value, most;
    } real[] = {
        {"time", state->time, 1e30},
        {"top_speed", state->top_speed, 1e30},
        {"divergence", state->divergence, 1e30},
        {"mass_in", state->mass_in, 1e30},
        {"mass_out", state->mass_out, 1e30},
        {"halvings", state->halvings, 64},
        {"rest_stretch", state->rest_stretch, 1e30},
        {"highest", state->highest, 1e60},
        {"highest_at", state->highest_at, 1e60},
        {"cloth_before", state->cloth_before, 1e30},
        {"cloth_part", state->cloth_part, 1},
        {"crack_speed", state->crack_speed, 1e30},
    };
    const struct {
        const char *name;
        uint64_t value;
    } whole[] = {
        {"step", state->step},
        {"events", state->events},
        {"grips", state->grips},
        {"not_converged", state->not_converged},
        {"caught", state->caught},
        {"leaked", state->leaked},
        {"removed", state->removed},
        {"rigid_crossed", state->rigid_crossed},
        {"cloth_crossed", state->cloth_crossed},
        {"tear_step", state->tear_step},
        {"drips", state->drips},
        {"wet_1", state->wet_1},
        {"wet_2", state->wet_2},
        {"wet_3", state->wet_3},
        {"wet_4", state->wet_4},
        {"fragments", state->fragments},
        {"crack_splits", state->crack_splits},
        {"crack_merges", state->crack_merges},
        {"crack_ends", state->crack_ends},
        {"crack_relax", state->crack_relax},
        {"rigid_fragments", state->rigid_fragments},
        {"resampled", state->resampled},
    };
    for (size_t k = 0; k < PX_COUNT(real); ++k)
        if (!(real[k].value >= 0 && real[k].value <= real[k].most))
            return px_fail(PX_ERR_FORMAT, "the checkpoint's %s is %g, wanted 0 to %g", real[k].name,
                           real[k].value, real[k].most);
    for (size_t k = 0; k < PX_COUNT(whole); ++k)
        if (whole[k].value > (uint64_t)1 << 53)
            return px_fail(PX_ERR_FORMAT, "the checkpoint's %s is %llu, more than can be counted",
                           whole[k].name, (unsigned long long)whole[k].value);
    return PX_OK;
}

static PxStatus check_particles(const PxWorld *world, const PxWorldState *state,
                                const PxTable *particles)
{
    uint32_t row;
    const PxColumn *bad = px_table_beyond(particles, PX_SAVED_LARGEST, &row);
    if (bad != NULL)
        return px_fail(PX_ERR_FORMAT,
                       "the %s of stored particle %u is not finite, or larger than that of any "
                       "matter",
                       bad->name, row);
    const PxColumn *v = px_table_find(particles, "velocity");
    for (uint32_t i = 0; i < particles->count; ++i) {
        const float *x = v->data[0], *y = v->data[1], *z = v->data[2];
        if (!(x[i] * x[i] + y[i] * y[i] + z[i] * z[i] < PX_FASTEST * PX_FASTEST))
            return px_fail(PX_ERR_FORMAT, "stored particle %u is faster than light", i);
    }
    const float *mass = px_table_find(particles, "mass")->data[0];
    const float *radius = px_table_find(particles, "radius")->data[0];
    for (uint32_t i = 0; i < particles->count; ++i)
        if (!(mass[i] > 0.0f) || !(radius[i] > 0.0f))
            return px_fail(PX_ERR_FORMAT,
                           "stored particle %u has a mass of %g kg and a radius of "
                           "%g m, wanted more than 0",
                           i, (double)mass[i], (double)radius[i]);
    const PxColumn *material = px_table_find(particles, "material");
    const PxColumn *body = px_table_find(particles, "body");
    for (uint32_t i = 0; i < particles->count; ++i)
        if (((const uint32_t *)material->data[0])[i] >= world->materials.count ||
            ((const uint32_t *)body->data[0])[i] >= world->bodies.count)
            return px_fail(PX_ERR_FORMAT,
                           "stored particle %u has a material or body that the "
                           "scene does not have",
                           i);
    PX_TRY(px_elastic_columns_check(particles, world->bodies.count));
    return px_handles_check(world, state->grips, particles);
}

static PxStatus check_emitters(const PxWorld *world, const PxWorldState *state,
                               const PxTable *emitters)
{
    (void)state;
    return px_emitters_check(world, emitters);
}

static PxStatus check_gauges(const PxWorld *world, const PxWorldState *state, const PxTable *gauges)
{
    return px_gauges_check(world, state->time, gauges);
}

/* One line per part; a table that the world owns needs only a name and `own`. */
static const Part parts[] = {
    {.name = {"particles"}, .own = particles_of, .check = check_particles},
    {.name = {"emitters"}, .own = emitters_of, .check = check_emitters},
    {.name = {"bonds"}, .gather = px_world_store_bonds, .put = px_world_restore_bonds},
    {.name = {"skins", "skin_points"},
     .gather = px_world_store_skins,
     .put = px_world_restore_skins},
    {.name = {"coats", "coat_surfels", "coat_previous", "coat_zombies"},
     .gather = px_world_store_coats,
     .put = px_world_restore_coats},
    {.name = {"rigid", "rigid_contacts", "rigid_joints"},
     .gather = px_world_store_rigid,
     .put = px_world_restore_rigid},
    {.name = {"cloth_tears"}, .gather = px_world_store_tears, .put = px_world_restore_tears},
    {.name = {"cloth"}, .own = cloth_of, .check = px_cloth_check_stored},
    {.name = {"seam_ties"}, .gather = px_world_store_seams, .put = px_world_restore_seams},
    {.name = {"cloth_edges"}, .own = cloth_edges_of, .check = px_cloth_bends_check},
    {.name = {"crack_vertices"}, .own = crack_vertices_of},
    {.name = {"crack_triangles"}, .own = crack_triangles_of},
    {.name = {"crack_nodes"}, .own = crack_nodes_of},
    {.name = {"cracks"}, .own = cracks_of},
    {.name = {"gauges"},
     .gather = px_world_store_gauges,
     .put = px_world_restore_gauges,
     .check = check_gauges},
};

/* ---- a saved world -------------------------------------------------------------------------- */

PxTable *px_saved_table(PxSavedWorld *saved, size_t k, const char **name)
{
    size_t number = 0;
    for (size_t p = 0; p < PX_COUNT(parts); ++p)
        for (size_t t = 0; t < PX_SAVED_PART_TABLES && parts[p].name[t] != NULL; ++t)
            if (number++ == k) {
                *name = parts[p].name[t];
                return &saved->table[p * PX_SAVED_PART_TABLES + t];
            }
    return NULL;
}

PxTable *px_saved_find(PxSavedWorld *saved, const char *wanted)
{
    const char *name;
    PxTable *table;
    for (size_t k = 0; (table = px_saved_table(saved, k, &name)) != NULL; ++k)
        if (strcmp(name, wanted) == 0)
            return table;
    return NULL;
}

PxSavedValue *px_saved_number(PxSavedWorld *saved, const char *name)
{
    for (size_t k = 0; k < px_saved_number_count; ++k)
        if (strcmp(px_saved_numbers[k].name, name) == 0)
            return &saved->value[k];
    return NULL;
}

PxStatus px_saved_create(PxSavedWorld **out)
{
    *out = calloc(1, sizeof **out);
    PxTable *table = calloc(PX_COUNT(parts) * PX_SAVED_PART_TABLES, sizeof *table);
    if (*out == NULL || table == NULL) {
        free(*out);
        free(table);
        *out = NULL;
        return px_fail(PX_ERR_MEMORY, "no room to save a world");
    }
    (*out)->tables = PX_COUNT(parts) * PX_SAVED_PART_TABLES;
    (*out)->table = table;
    for (size_t k = 0; k < (*out)->tables; ++k)
        px_table_init(&table[k], NULL);
    return PX_OK;
}

void px_saved_free(PxSavedWorld *saved)
{
    if (saved == NULL)
        return;
    for (size_t k = 0; k < saved->tables; ++k)
        if (!saved->view || parts[k / PX_SAVED_PART_TABLES].own == NULL)
            px_table_free(&saved->table[k]);
    px_things_free(saved->things);
    free(saved->table);
    free(saved);
}

static PxTable *tables_of(const PxSavedWorld *saved, size_t part)
{
    return &saved->table[part * PX_SAVED_PART_TABLES];
}

PxStatus px_saved_view(const PxWorld *world, PxSavedWorld **out)
{
    PX_TRY(px_saved_create(out));
    (*out)->view = true;
    px_saved_get_numbers(world, (*out)->value);
    PxStatus status = PX_OK;
    for (size_t p = 0; p < PX_COUNT(parts) && status == PX_OK; ++p) {
        if (parts[p].own != NULL)
            *tables_of(*out, p) = *parts[p].own((PxWorld *)world);
        else
            status = parts[p].gather(world, tables_of(*out, p));
    }
    if (status != PX_OK) {
        px_saved_free(*out);
        *out = NULL;
    }
    return status;
}

/* Can `from` be copied to `to` without allocation? */
static bool has_room(const PxTable *to, const PxTable *from)
{
    return to->capacity >= from->count && px_table_alike(to, from);
}

static void swap_tables(PxTable *a, PxTable *b)
{
    PxTable old = *a;
    *a = *b;
    *b = old;
}

PxStatus px_world_save(const PxWorld *world, PxSavedWorld **saved)
{
    PX_WANT(world);
    PX_WANT(saved);
    if (*saved != NULL && (*saved)->world != world)
        return px_fail(PX_ERR_ARGUMENT,
                       "save: wanted NULL, or what this world was saved to before");
    /* Everything that may fail comes first, into `fresh`. */
    PxSavedWorld *fresh, *to = *saved;
    PX_TRY(px_saved_create(&fresh));
    PxStatus status = px_things_copy(world, &fresh->things);
    for (size_t p = 0; p < PX_COUNT(parts) && status == PX_OK; ++p) {
        const PxTable *own = parts[p].own != NULL ? parts[p].own((PxWorld *)world) : NULL;
        if (own == NULL)
            status = parts[p].gather(world, tables_of(fresh, p));
        else if (to == NULL || !has_room(tables_of(to, p), own))
            status = px_table_copy(tables_of(fresh, p), own);
    }
    if (status != PX_OK) {
        px_saved_free(fresh);
        return status;
    }
    fresh->world = world;
    px_saved_get_numbers(world, fresh->value);
    for (size_t p = 0; to != NULL && p < PX_COUNT(parts); ++p) {
        const PxTable *own = parts[p].own != NULL ? parts[p].own((PxWorld *)world) : NULL;
        if (own == NULL || !has_room(tables_of(to, p), own))
            continue;
        px_table_copy(tables_of(to, p), own); /* cannot fail: there is room */
        swap_tables(tables_of(to, p), tables_of(fresh, p));
    }
    px_saved_free(to);
    *saved = fresh;
    return PX_OK;
}

size_t px_saved_bytes(const PxSavedWorld *saved)
{
    if (saved == NULL)
        return 0;
    size_t bytes = sizeof *saved + saved->tables * sizeof *saved->table;
    for (size_t k = 0; k < saved->tables; ++k)
        bytes += px_table_bytes(&saved->table[k]);
    return bytes;
}

/* ---- restoring ------------------------------------------------------------------------------ */

/* Sets the numbers and refreshes what is derived from the state. */
static void settle_in(PxWorld *world, const PxSavedWorld *saved)
{
    px_saved_put_numbers(world, saved->value);
    px_particles_refresh(&world->particles);
    px_elastic_set_forget(&world->elastic_set);
    world->fracture.stale = true;
}

/* Copies the rows of a stored table into one with the columns of the world's table. */
static PxStatus convert(const PxTable *own, const PxTable *stored, const char *name, PxTable *out)
{
    const char *missing;
    if (!px_table_fits(stored, own, PX_COLUMN_STATE, &missing))
        return px_fail(PX_ERR_FORMAT, "the stored %s have no usable column '%s'", name, missing);
    PX_TRY(px_table_add_like(out, own, ~0u));
    return px_table_append_rows(out, stored);
}

PxStatus px_world_resume(PxWorld *world, const PxSavedWorld *saved)
{
    PxWorldState state = state_of(saved);
    PX_TRY(check_numbers(saved->value));
    PX_TRY(check_state(&state));
    if (state.events > world->events.count)
        return px_fail(PX_ERR_FORMAT, "the stored state does not belong to this scene");
    /* Events come before the tables: they may change the things that the tables refer to, and the
     * stored particles already include their effects. */
    PX_TRY(px_world_repeat_events(world, (size_t)state.events));
    for (size_t p = 0; p < PX_COUNT(parts); ++p) {
        const PxTable *stored = tables_of(saved, p);
        if (parts[p].own == NULL) {
            if (parts[p].check != NULL)
                PX_TRY(parts[p].check(world, &state, stored));
            PX_TRY(parts[p].put(world, stored));
            continue;
        }
        PxTable *own = parts[p].own(world), fresh;
        px_table_init(&fresh, own->allocator);
        PxStatus status = convert(own, stored, parts[p].name[0], &fresh);
        if (status == PX_OK && parts[p].check != NULL)
            status = parts[p].check(world, &state, &fresh);
        if (status == PX_OK)
            swap_tables(own, &fresh);
        px_table_free(&fresh);
        PX_TRY(status);
    }
    settle_in(world, saved);
    return px_fracture_stage_begin(world);
}

PxStatus px_world_continue(PxWorld *fresh, const PxWorld *world)
{
    PxSavedWorld *saved;
    PX_TRY(px_saved_view(world, &saved));
    PxStatus status = px_world_resume(fresh, saved);
    px_saved_free(saved);
    return status;
}

PxStatus px_world_restore(PxWorld *world, const PxSavedWorld *saved)
{
    PX_WANT(world);
    if (saved == NULL || saved->world != world)
        return px_fail(PX_ERR_ARGUMENT, "restore: wanted what this world was saved to");
    /* Everything that may fail comes first. */
    PxSavedWorld *fresh;
    PX_TRY(px_saved_create(&fresh));
    PxStatus status = px_things_duplicate(saved->things, &fresh->things);
    if (status == PX_OK)
        status = px_table_reserve(&world->bonds_stored,
                                  px_saved_find((PxSavedWorld *)saved, "bonds")->count);
    if (status == PX_OK)
        status =
            px_things_reserve_coats(saved->things, px_saved_find((PxSavedWorld *)saved, "coats"));
    for (size_t p = 0; p < PX_COUNT(parts) && status == PX_OK; ++p)
        if (parts[p].own != NULL) {
            PxTable *own = parts[p].own(world), *table = tables_of(fresh, p);
            table->allocator = own->allocator;
            if (!has_room(own, tables_of(saved, p)))
                status = px_table_copy(table, tables_of(saved, p));
        }
    if (status == PX_OK) {
        px_things_swap(world, fresh->things);
        for (size_t p = 0; p < PX_COUNT(parts); ++p) {
            const PxTable *from = tables_of(saved, p);
            if (parts[p].own == NULL)
                parts[p].put(world, from); /* cannot fail: room was reserved above */
            else if (has_room(parts[p].own(world), from))
                px_table_copy(parts[p].own(world), from);
            else
                swap_tables(parts[p].own(world), tables_of(fresh, p));
        }
        settle_in(world, saved);
    }
    px_saved_free(fresh);
    return status;
}
