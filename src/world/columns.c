/// Columns of the public API: their list, pointers to them, copies, and derived columns.
#include "contact/contact_stress.h"
#include "phyxel/suggest.h"
#include "solid/solid_columns.h"
#include "solid/stress.h"
#include "world/boundary_stage.h"
#include "world/columns.h"
#include "world/elastic_stage.h"
#include "world/world_parts.h"

#include <string.h>

/* ---- list of columns ------------------------------------------------------------- */

static const char *meaning_of(const char *column)
{
    static const struct {
        const char *column, *meaning;
    } known[] = {
        {"id", "number that no other particle of the world ever has"},
        {"position", "centre of the particle"},
        {"position_low", "what a float cannot hold of the position"},
        {"velocity", "velocity"},
        {"mass", "mass"},
        {"radius", "half the spacing that the particle was made with"},
        {"temperature", "temperature"},
        {"temperature_low", "what a float cannot hold of the temperature"},
        {"melted", "molten fraction, 0 .. 1"},
        {"material", "slot of the material: PxMaterialId.slot - 1"},
        {"body", "slot of the body: PxBodyId.slot - 1"},
        {"handle", "PxHandleId.slot of the handle that holds the particle; 0: none"},
        {"hold_position", "where the handle took the particle, in the handle's rest frame"},
        {"density", "density of the last step"},
        {"pressure",
         "pressure of the last step; after px_world_take_means() and in frames the mean "
         "over the interval"},
        {"pressure_spread", "standard deviation of the pressure over the interval, in time"},
        {"pressure_mean", "mean of the pressure in this interval so far"},
        {"pressure_variance", "its variance"},
        {"pressure_time", "duration of the interval so far"},
        {"anchor", "displacement of a contact line from where it sticks to a wall"},
        {"acceleration", "acceleration of the last step"},
        {"viscous", "acceleration by viscosity of the last step"},
        {"warm_pressure", "first guess of the next pressure solve"},
        {"warm_divergence", "first guess of the next divergence solve"},
        {"steady_pressure",
         "low-pass filtered pressure, with which the next viscous solve pushes rigid bodies"},
        {"steady_push",
         "low-pass filtered acceleration by pressure, which takes part in the next viscous solve"},
        {"rest_position", "place in the rest shape, from the body's origin"},
        {"rest_volume", "volume in the rest shape"},
        {"rest_bulk", "part of its volume that the particle has room for in the rest shape"},
        {"support", "radius of the neighbourhood in the rest shape"},
        {"stuck", "displacement along contacts with solids and walls that friction resists"},
        {"wall_grip", "speed that friction of a wall may still stop"},
        {"friction_owed", "impulse of contacts that friction has not followed yet"},
        {"solid_acceleration",
         "acceleration of the last implicit step, in the axes of the rest shape"},
        {"plastic_strain", "plastic strain, in the axes of the rest shape"},
    };
    for (size_t k = 0; k < PX_COUNT(known); ++k)
        if (strcmp(known[k].column, column) == 0)
            return known[k].meaning;
    return "internal to the solver";
}

typedef enum Kind { STRAIN, STRESS, VON_MISES, PRINCIPAL, DERIVED } Kind;

static const PxColumnInfo derived[DERIVED] = {
    [STRAIN] = {.name = "strain",
                .unit = "",
                .meaning = "Green's strain of solids, in the axes of the rest shape",
                .components = 6},
    [STRESS] = {.name = "stress",
                .unit = "Pa",
                .meaning = "Cauchy stress, tension positive; of fluids: minus the pressure",
                .components = 6},
    [VON_MISES] = {.name = "von_mises",
                   .unit = "Pa",
                   .meaning = "von Mises stress of solids",
                   .components = 1},
    [PRINCIPAL] = {.name = "principal_stress",
                   .unit = "Pa",
                   .meaning = "principal Cauchy stresses, the largest first",
                   .components = 3},
};

const PxColumnInfo *px_derived_column(size_t k)
{
    return k < DERIVED ? &derived[k] : NULL;
}

static const PxColumnInfo *find_derived(const char *name)
{
    for (size_t k = 0; k < DERIVED; ++k)
        if (strcmp(derived[k].name, name) == 0)
            return &derived[k];
    return NULL;
}

size_t px_world_columns_sized(const PxWorld *world, PxColumnInfo *out, size_t size, size_t most)
{
    if (world == NULL)
        return 0;
    const PxTable *t = &world->particles.table;
    size_t count = 0;
    for (uint32_t k = 0; k < t->columns; ++k) {
        const PxColumn *c = &t->column[k];
        if (find_derived(c->name) != NULL)
            continue;
        PxColumnInfo info = {.name = c->name,
                             .unit = c->unit,
                             .meaning = meaning_of(c->name),
                             .type = c->type,
                             .components = c->components,
                             .stored = (c->flags & PX_COLUMN_FRAME) != 0};
        if (count < most)
            px_result_put(out, size, count, &info, sizeof info);
        ++count;
    }
    for (size_t k = 0; k < DERIVED; ++k) {
        PxColumnInfo info = derived[k];
        info.type = PX_F32;
        info.derived = true;
        info.stored = px_table_find(t, derived[k].name) != NULL;
        if (count < most)
            px_result_put(out, size, count, &info, sizeof info);
        ++count;
    }
    return count;
}

/* ---- pointers ---------------------------------------------------------------------- */

static const void *data_of(const PxWorld *world, const char *column, PxType type, int component)
{
    if (world == NULL || column == NULL)
        return NULL;
    const PxColumn *c = px_table_find(&world->particles.table, column);
    if (c == NULL || c->type != type || component < 0 || (uint32_t)component >= c->components ||
        find_derived(column) != NULL)
        return NULL;
    return c->data[component];
}

uint32_t px_world_count(const PxWorld *world)
{
    return world != NULL ? world->particles.table.count : 0;
}

const float *px_world_floats(const PxWorld *world, const char *column, int component)
{
    return data_of(world, column, PX_F32, component);
}

const uint32_t *px_world_words(const PxWorld *world, const char *column)
{
    return data_of(world, column, PX_U32, 0);
}

const uint64_t *px_world_ids(const PxWorld *world)
{
    return world != NULL ? world->particles.id : NULL;
}

/* ---- derived ------------------------------------------------------------------------ */

typedef struct Derive {
    const PxWorld *world;
    const PxSolid *solid;
    PxContactStress contact;
    const uint32_t *row; /* by row of the solid: row of the world */
    Kind kind;
    float *to[6];
} Derive;

static void put_tensor(float *const to[6], uint32_t row, PxMat3 m)
{
    const double value[6] = {m.m[0][0], m.m[1][1], m.m[2][2], m.m[0][1], m.m[1][2], m.m[2][0]};
    for (int k = 0; k < 6; ++k)
        to[k][row] = (float)value[k];
}

static void solid_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Derive *d = user;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t row = d->row[i];
        PxMat3 strain, stress, axes;
        PxVec3 value = {0, 0, 0};
        px_solid_stress(d->solid, i, &strain, &stress);
        if (d->kind != STRAIN)
            px_contact_stress_add(&d->contact, i, &stress);
        switch (d->kind) {
        case STRAIN:
            put_tensor(d->to, row, strain);
            break;
        case STRESS:
            put_tensor(d->to, row, stress);
            break;
        case VON_MISES:
            d->to[0][row] = (float)px_stress_von_mises(stress);
            break;
        default:
            px_mat3_eigen(stress, &value, &axes);
            d->to[0][row] = (float)value.x;
            d->to[1][row] = (float)value.y;
            d->to[2][row] = (float)value.z;
        }
    }
}

/* Stress of fluids: pressure alone. */
static void fluid_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Derive *d = user;
    const PxParticles *p = &d->world->particles;
    for (uint32_t c = 0; c < derived[d->kind].components; ++c)
        for (uint32_t i = begin; i < end; ++i)
            d->to[c][i] =
                c < 3 && (d->kind == STRESS || d->kind == PRINCIPAL) ? -p->pressure[i] : 0;
}

/* Fills to[], one array per component with room for all rows of the world. */
static PxStatus derive(PxWorld *world, Kind kind, float *const to[6])
{
    PxSolid s;
    Derive job = {.world = world, .solid = &s, .kind = kind};
    memcpy(job.to, to, derived[kind].components * sizeof *to);
    PX_TRY(px_elastic_stage_look(world, &s, &job.row));
    PX_TRY(px_boundaries_list(world));
    job.contact = (PxContactStress){
        .solid = &s, .boundary = world->boundaries.data, .boundaries = world->boundaries.count};
    PxSolidSolids solids = {.facings.grid = &world->contact_grid, .implicit = true};
    if (s.count > 0)
        PX_TRY(px_contact_stress_begin(&job.contact, world->flows ? NULL : &solids));
    px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK, fluid_block, &job);
    px_parallel_for(&world->threads, s.count, PX_BLOCK, solid_block, &job);
    return PX_OK;
}

PxStatus px_world_keep_column(PxWorld *world, const char *name)
{
    PX_WANT(world);
    PX_WANT(name);
    const PxColumnInfo *info = find_derived(name);
    if (info == NULL)
        return px_fail(PX_ERR_ARGUMENT, "'%s' is no column that is computed on demand", name);
    if (px_table_find(&world->particles.table, name) != NULL)
        return PX_OK;
    PX_TRY(px_table_add(&world->particles.table, name, info->unit, PX_F32, info->components,
                        PX_COLUMN_WORK | PX_COLUMN_FRAME, NULL));
    px_particles_refresh(&world->particles);
    return PX_OK;
}

PxStatus px_world_refresh_columns(PxWorld *world)
{
    for (int kind = 0; kind < DERIVED; ++kind) {
        const PxColumn *c = px_table_find(&world->particles.table, derived[kind].name);
        if (c == NULL)
            continue;
        PxArenaMark mark = px_arena_mark(&world->scratch);
        PxStatus status = derive(world, (Kind)kind, (float *const *)c->data);
        px_arena_release(&world->scratch, mark);
        PX_TRY(status);
    }
    return PX_OK;
}

/* ---- copies -------------------------------------------------------------------------- */

static PxStatus fail_unknown(const PxWorld *world, const char *name)
{
    PxColumnInfo info[PX_TABLE_MAX_COLUMNS + DERIVED];
    const char *word[PX_COUNT(info)];
    size_t count = px_world_columns(world, info, PX_COUNT(info));
    for (size_t k = 0; k < count; ++k)
        word[k] = info[k].name;
    const char *near = px_suggest(name, word, count);
    return px_fail(PX_ERR_ARGUMENT, "there is no column '%.40s'%s%s%s", name,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
}

static void interleave(const void *const *from, uint32_t components, size_t size, uint32_t rows,
                       void *to)
{
    for (uint32_t c = 0; c < components; ++c)
        for (uint32_t i = 0; i < rows; ++i)
            memcpy((char *)to + (i * (size_t)components + c) * size,
                   (const char *)from[c] + i * size, size);
}

PxStatus px_world_read_column(PxWorld *world, const char *name, void *to, size_t bytes)
{
    PX_WANT(world);
    PX_WANT(name);
    const PxTable *t = &world->particles.table;
    const PxColumnInfo *info = find_derived(name);
    const PxColumn *column = info == NULL ? px_table_find(t, name) : NULL;
    if (info == NULL && column == NULL)
        return fail_unknown(world, name);
    uint32_t components = info != NULL ? info->components : column->components;
    size_t size = px_type_size(info != NULL ? PX_F32 : column->type);
    if (bytes != (size_t)t->count * components * size)
        return px_fail(PX_ERR_ARGUMENT,
                       "column '%s' has %zu bytes: %u particles, %u components of %zu bytes; there "
                       "is room for %zu",
                       name, (size_t)t->count * components * size, t->count, components, size,
                       bytes);
    if (bytes > 0)
        PX_WANT(to);
    if (column != NULL) {
        interleave((const void *const *)column->data, components, size, t->count, to);
        return PX_OK;
    }
    PxArenaMark mark = px_arena_mark(&world->scratch);
    float *part[6] = {NULL};
    PxStatus status = PX_OK;
    for (uint32_t c = 0; c < components && status == PX_OK; ++c) {
        part[c] = PX_ARENA_ARRAY(&world->scratch, float, t->count);
        if (part[c] == NULL)
            status =
                px_fail(PX_ERR_MEMORY, "column '%s': no room for %u particles", name, t->count);
    }
    if (status == PX_OK)
        status = derive(world, (Kind)(info - derived), part);
    if (status == PX_OK)
        interleave((const void *const *)part, components, size, t->count, to);
    px_arena_release(&world->scratch, mark);
    return status;
}
