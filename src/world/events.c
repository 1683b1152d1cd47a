/// Changing numbers by their path, at once or when their time has come.
#include "solid/solid_columns.h"
#include "thermal/heat_columns.h"
#include "thermal/heat.h"
#include "world/fields.h"
#include "world/elastic_stage.h"
#include "world/heat_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Splits "materials.water.viscosity" after the first dot: `head` gets what is
 * before it, the answer is what follows, or NULL. */
static const char *split(const char *path, char *head, size_t size)
{
    const char *dot = strchr(path, '.');
    size_t length = dot != NULL ? (size_t)(dot - path) : strlen(path);
    snprintf(head, size, "%.*s", (int)length, path);
    return dot != NULL ? dot + 1 : NULL;
}

static PxStatus set_field(const PxField *fields, size_t count, void *object, const char *rest,
                          const char *path, const double *value, int values)
{
    char key[64];
    const char *tail = split(rest, key, sizeof key);
    const PxField *field = px_field_find(fields, count, key);
    if (field == NULL)
        return px_fail(PX_ERR_ARGUMENT, "%s: there is no '%s'", path, key);
    if (!(field->flags & PX_FIELD_LIVE))
        return px_fail(PX_ERR_ARGUMENT, "%s: '%s' cannot change while the world runs", path, key);
    return px_field_set(field, object, tail, value, values, path);
}

/* ---- what a number changes besides itself --------------------------------- */

static void world_changed(PxWorld *world)
{
    double spacing = world->def.spacing;
    px_wall_profile_init(&world->wall_profile, world->def.support * spacing, spacing);
    world->state.bound_due = 1;
}

/* A particle keeps its volume: another density is another mass. */
static void density_changed(PxWorld *world, uint32_t slot)
{
    PxMaterial *material = &world->materials.data[slot];
    double s = world->def.spacing;
    material->particle_mass = material->def.density * s * s * s;
    PxParticles *p = &world->particles;
    PxSolidColumns solid = {0}; /* whose volumes may differ */
    bool solids = px_solid_columns(&p->table, &solid);
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->material[i] == slot)
            p->mass[i] = (float)(solids && solid.volume[i] > 0
                                     ? material->def.density * (double)solid.volume[i]
                                     : material->particle_mass);
}

/* Velocity and spin as a body gets them at its start, about the middle of where its
 * particles are now. */
static void set_going(PxWorld *world, uint32_t slot)
{
    const PxBodyDef *def = &world->bodies.data[slot].def;
    PxParticles *p = &world->particles;
    PxBounds bounds = px_bounds_empty();
    for (uint32_t i = 0; i < p->table.count; ++i)
        if (p->body[i] == slot)
            px_bounds_add(&bounds, px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]));
    PxVec3 middle = px_scale(px_add(bounds.low, bounds.high), 0.5);
    for (uint32_t i = 0; i < p->table.count; ++i) {
        if (p->body[i] != slot)
            continue;
        PxVec3 arm = px_sub(px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]), middle);
        PxVec3 v = px_add(def->velocity, px_cross(def->spin, arm));
        p->vx[i] = (float)v.x;
        p->vy[i] = (float)v.y;
        p->vz[i] = (float)v.z;
    }
    world->state.bound_due = 1;
}

static void body_changed(PxWorld *world, uint32_t slot, const char *key)
{
    const PxBodyDef *def = &world->bodies.data[slot].def;
    PxParticles *p = &world->particles;
    char word[64];
    split(key, word, sizeof word);
    if (strcmp(word, "velocity") == 0 || strcmp(word, "spin") == 0)
        set_going(world, slot);
    bool warmed = strcmp(word, "temperature") == 0;
    for (size_t w = 0; w < world->walls.count; ++w) {
        PxWall *wall = &world->walls.data[w];
        if (wall->body != slot)
            continue;
        wall->friction = def->friction;
        wall->cling = def->cling;
        if (warmed) { /* from now on, whatever was to come */
            world->bodies.data[slot].def.warm = true;
            wall->warmths = 0;
        }
        if (wall->warmths == 0)
            px_wall_warm(wall, def);
    }
    float *low = px_heat_low(&p->table);
    for (uint32_t i = 0; warmed && i < p->table.count; ++i)
        if (p->body[i] == slot)
            px_heat_put(p, low, i, def->temperature);
}

/* Temperature and power exclude each other: the one that was set last counts. */
static void heater_changed(PxHeaterDef *def, const char *key)
{
    if (strcmp(key, "temperature") == 0) {
        def->holds = true;
        def->temperatures = 0;
    }
    if (strcmp(key, "power") == 0)
        def->holds = false;
}

/* "from", "to", "into.viscosity", ... */
static PxStatus set_melting(PxMaterialDef *def, const char *rest, const char *path,
                            const double *value, int values)
{
    static const char into[] = "into.";
    bool molten = strncmp(rest, into, sizeof into - 1) == 0;
    if (!def->melts.melts)
        return px_fail(PX_ERR_ARGUMENT, "%s: this material does not melt", path);
    if (molten)
        return set_field(px_melt_into_fields, px_melt_into_field_count, def, rest + sizeof into - 1,
                         path, value, values);
    return set_field(px_melt_fields, px_melt_field_count, def, rest, path, value, values);
}

/* Whether from and to still fit each other is asked when all of a moment are set. */
static PxStatus set_material(PxMaterialDef *def, const char *key, const char *path,
                             const double *value, int values)
{
    static const char melts[] = "melts.";
    if (strncmp(key, melts, sizeof melts - 1) != 0)
        return set_field(px_material_fields, px_material_field_count, def, key, path, value,
                         values);
    return set_melting(def, key + sizeof melts - 1, path, value, values);
}

/* Speed and rate say the same: the one that was set last counts. */
static void emitter_changed(PxWorld *world, uint32_t slot, const char *key)
{
    PxEmitterDef *def = &world->emitters.data[slot].def;
    if (strcmp(key, "speed") == 0)
        def->rate = 0;
    if (strcmp(key, "rate") == 0)
        def->speed = 0;
    world->state.bound_due = 1;
}

/* ---- setting ---------------------------------------------------------------- */

static PxStatus set_anything(PxWorld *world, const char *path, const double *value, int values)
{
    char head[64], name[PX_NAME_SIZE];
    const char *rest = split(path, head, sizeof head);
    bool materials = strcmp(head, "materials") == 0, bodies = strcmp(head, "bodies") == 0;
    bool emitters = strcmp(head, "emitters") == 0, forces = strcmp(head, "forces") == 0;
    bool heaters = strcmp(head, "heaters") == 0;
    if (!materials && !bodies && !emitters && !forces && !heaters) {
        PX_TRY(set_field(px_world_fields, px_world_field_count, &world->def, path, path, value,
                         values));
        world_changed(world);
        return PX_OK;
    }
    const char *key = rest != NULL ? split(rest, name, sizeof name) : NULL;
    if (key == NULL)
        return px_fail(PX_ERR_ARGUMENT, "%s: wanted %s.NAME.KEY", path, head);
    if (materials) {
        for (uint32_t k = 0; k < world->materials.count; ++k) {
            if (strcmp(world->materials.data[k].name, name) != 0)
                continue;
            PxMaterialDef *def = &world->materials.data[k].def, before = *def;
            PX_TRY(set_material(def, key, path, value, values));
            PxStatus status = px_material_may_become(path, &before, def);
            if (status != PX_OK) {
                *def = before;
                return status;
            }
            if (strcmp(key, "density") == 0)
                density_changed(world, k);
            PX_TRY(px_world_heat_columns(world, def));
            PX_TRY(px_world_elastic_columns(world, def));
            world->state.highest = 0; /* another stiffness */
            world->elastic_set.stale = true;
            return PX_OK;
        }
        return px_fail(PX_ERR_ARGUMENT, "%s: there is no material '%s'", path, name);
    }
    for (uint32_t k = 0; emitters && k < world->emitters.count; ++k) {
        if (strcmp(world->emitters.data[k].name, name) != 0)
            continue;
        PX_TRY(set_field(px_emitter_fields, px_emitter_field_count, &world->emitters.data[k].def,
                         key, path, value, values));
        emitter_changed(world, k, key);
        return PX_OK;
    }
    for (uint32_t k = 0; forces && k < world->forces.count; ++k)
        if (strcmp(world->forces.data[k].name, name) == 0)
            return set_field(px_force_fields, px_force_field_count, &world->forces.data[k].def, key,
                             path, value, values);
    for (uint32_t k = 0; heaters && k < world->heaters.count; ++k) {
        PxHeaterDef *def = &world->heaters.data[k].def;
        if (strcmp(world->heaters.data[k].name, name) != 0)
            continue;
        PX_TRY(set_field(px_heater_fields, px_heater_field_count, def, key, path, value, values));
        heater_changed(def, key);
        return PX_OK;
    }
    if (heaters)
        return px_fail(PX_ERR_ARGUMENT, "%s: there is no heater '%s'", path, name);
    if (forces)
        return px_fail(PX_ERR_ARGUMENT, "%s: there is no force '%s'", path, name);
    if (emitters)
        return px_fail(PX_ERR_ARGUMENT, "%s: there is no emitter '%s'", path, name);
    for (uint32_t k = 0; k < world->bodies.count; ++k) { /* what an emitter gave is one, too */
        if (strcmp(world->bodies.data[k].name, name) != 0)
            continue;
        PX_TRY(set_field(px_body_fields, px_body_field_count, &world->bodies.data[k].def, key, path,
                         value, values));
        body_changed(world, k, key);
        return PX_OK;
    }
    return px_fail(PX_ERR_ARGUMENT, "%s: there is no body '%s'", path, name);
}

/* Is what the events make of a material one? They are of one moment, so that what two numbers
 * must be to each other holds when all of them are set. */
static PxStatus foresee(const PxMaterial *material, const PxEvent *event, size_t count)
{
    static const char materials[] = "materials.";
    PxMaterialDef def = material->def;
    const char *last = NULL;
    for (size_t k = 0; k < count; ++k) {
        char name[PX_NAME_SIZE];
        if (strncmp(event[k].path, materials, sizeof materials - 1) != 0)
            continue;
        const char *key = split(event[k].path + sizeof materials - 1, name, sizeof name);
        if (key == NULL || strcmp(name, material->name) != 0)
            continue;
        PX_TRY(set_material(&def, key, event[k].path, event[k].value, event[k].values));
        last = event[k].path;
    }
    return last != NULL ? px_melt_check(&def, last) : PX_OK;
}

/* What is warmer afterwards, or holds more heat at the same temperature, got it from outside. */
static PxStatus set_together(PxWorld *world, const PxEvent *event, size_t count)
{
    for (uint32_t k = 0; k < world->materials.count; ++k)
        PX_TRY(foresee(&world->materials.data[k], event, count));
    px_world_heat_mark(world);
    for (size_t k = 0; k < count; ++k)
        PX_TRY(set_anything(world, event[k].path, event[k].value, event[k].values));
    px_world_heat_count(world);
    return PX_OK;
}

PxStatus px_world_set(PxWorld *world, const char *path, const double *value, int values)
{
    PxEvent event = {.values = values};
    if (strlen(path) >= sizeof event.path)
        return px_fail(PX_ERR_ARGUMENT, "%.80s...: too long for a path", path);
    strcpy(event.path, path);
    for (int k = 0; k < values && k < 3; ++k)
        event.value[k] = value[k];
    return set_together(world, &event, 1);
}

/* ---- events ------------------------------------------------------------------ */

PxStatus px_world_add_event(PxWorld *world, const PxEventDef *def)
{
    if (!(def->time >= 0) || !isfinite(def->time))
        return px_fail(PX_ERR_ARGUMENT, "event: time is %g s, wanted 0 or later", def->time);
    if (def->time < world->state.time)
        return px_fail(PX_ERR_ARGUMENT, "event at %g s: that time has passed", def->time);
    if (def->path == NULL || strlen(def->path) >= sizeof((PxEvent *)0)->path ||
        (def->values != 1 && def->values != 3))
        return px_fail(PX_ERR_ARGUMENT, "event at %g s: wanted a path and 1 or 3 numbers",
                       def->time);
    if (!PX_LIST_RESERVE(&world->events, 1))
        return px_fail(PX_ERR_MEMORY, "event at %g s: no room", def->time);
    PxEvent event = {.time = def->time, .values = def->values};
    memcpy(event.value, def->value, sizeof event.value);
    strcpy(event.path, def->path);
    /* Behind all events of the same time or before. */
    size_t at = world->events.count;
    while (at > 0 && world->events.data[at - 1].time > event.time)
        --at;
    memmove(&world->events.data[at + 1], &world->events.data[at],
            (world->events.count - at) * sizeof event);
    world->events.data[at] = event;
    ++world->events.count;
    return PX_OK;
}

/* How many events, from number `first` on and before number `end`, are of one moment. */
static size_t of_one_moment(const PxWorld *world, size_t first, size_t end)
{
    size_t last = first;
    while (last < end && world->events.data[last].time == world->events.data[first].time)
        ++last;
    return last - first;
}

PxStatus px_world_repeat_events(PxWorld *world, size_t count)
{
    for (size_t k = 0, together; k < count; k += together) {
        together = of_one_moment(world, k, count);
        PX_TRY(set_together(world, &world->events.data[k], together));
    }
    return PX_OK;
}

PxStatus px_world_events(PxWorld *world, double *next)
{
    while (world->state.events < world->events.count) {
        size_t first = (size_t)world->state.events;
        const PxEvent *event = &world->events.data[first];
        if (event->time > world->state.time) {
            *next = event->time;
            return PX_OK;
        }
        size_t together = of_one_moment(world, first, world->events.count);
        PxStatus status = set_together(world, event, together);
        if (status != PX_OK)
            return px_fail_prefix(status, "event at %g s: ", event->time);
        world->state.events += together;
    }
    *next = INFINITY;
    return PX_OK;
}
