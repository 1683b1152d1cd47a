/// Setting values of a running world by their path, at once or by events.
#include "world/heat_stage.h"
#include "world/kinds/value_path.h"
#include "world/world_parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Size that suffices for the def of any kind, bytes. */
#define LARGEST_DEF 2048

/* ---- setting ---------------------------------------------------------------- */

static size_t count_things(const void *user, const PxKind *kind)
{
    return px_kind_slots(kind, user);
}

static void *thing_at(const void *user, const PxKind *kind, size_t index, const char **name)
{
    void *def = NULL;
    px_kind_at(kind, user, index, name, NULL, &def);
    return def;
}

static PxStatus find(PxWorld *world, const char *path, PxLive *out)
{
    PxThingSource things = {
        .user = world, .world = &world->def, .count = count_things, .at = thing_at};
    PxStatus status = px_live_find(&things, path, out);
    return status == PX_OK ? PX_OK : px_fail_prefix(status, "cannot set '%.255s': ", path);
}

static PxStatus set_value(PxWorld *world, const PxEvent *event)
{
    PxLive live;
    PX_TRY(find(world, event->path, &live));
    const PxSection *section = live.kind != NULL ? &live.kind->section : &px_world_section;
    max_align_t before[LARGEST_DEF / sizeof(max_align_t) + 1];
    PX_ASSERT(section->size <= sizeof before);
    memcpy(before, live.object, section->size);
    PxStatus status =
        px_field_set(live.field, live.object, live.rest, event->value, event->values, event->path);
    if (status == PX_OK && live.kind != NULL && live.kind->may_become != NULL)
        status = live.kind->may_become(event->path, before, live.object);
    if (status == PX_OK && live.kind != NULL && live.kind->changed != NULL)
        status = live.kind->changed(world, live.index, live.key);
    if (status != PX_OK)
        memcpy(live.object, before, section->size);
    if (status == PX_OK && live.kind == NULL) {
        double spacing = world->def.spacing;
        px_wall_profile_init(&world->wall_profile, world->def.support * spacing, spacing);
        world->state.bound_due = 1;
    }
    return status;
}

/* Validates the def of a thing as it will be after all simultaneous events; single events may lead
 * through inconsistent states. */
static PxStatus foresee(PxWorld *world, const PxKind *kind, size_t index, const PxEvent *event,
                        size_t count)
{
    max_align_t def[LARGEST_DEF / sizeof(max_align_t) + 1];
    const char *last = NULL;
    void *now;
    PX_ASSERT(kind->section.size <= sizeof def);
    if (!px_kind_at(kind, world, index, NULL, NULL, &now))
        return PX_OK;
    memcpy(def, now, kind->section.size);
    for (size_t k = 0; k < count; ++k) {
        PxLive live;
        size_t size = strlen(kind->list);
        if (strncmp(event[k].path, kind->list, size) != 0)
            continue;
        PX_TRY(find(world, event[k].path, &live));
        if (live.kind != kind || live.index != index)
            continue;
        PX_TRY(px_field_set(live.field, def, live.rest, event[k].value, event[k].values,
                            event[k].path));
        last = event[k].path;
    }
    return last != NULL ? kind->consistent(def, last) : PX_OK;
}

/* Sets the values of simultaneous events. Heat that this adds to matter counts as heat_in. */
static PxStatus set_together(PxWorld *world, const PxEvent *event, size_t count)
{
    for (size_t k = 0; k < PX_KIND_COUNT; ++k)
        for (size_t i = 0; px_kinds[k]->consistent != NULL && i < px_kind_slots(px_kinds[k], world);
             ++i)
            PX_TRY(foresee(world, px_kinds[k], i, event, count));
    px_world_heat_mark(world);
    PxStatus status = PX_OK;
    for (size_t k = 0; k < count && status == PX_OK; ++k)
        status = set_value(world, &event[k]);
    px_world_heat_count(world); /* also after a failure: the events before it have been executed */
    return status;
}

PxStatus px_world_set(PxWorld *world, const char *path, const double *value, int values)
{
    PX_WANT(world);
    PX_WANT(path);
    PX_WANT(value);
    PxEvent event = {.values = values};
    if (values != 1 && values != 3)
        return px_fail(PX_ERR_ARGUMENT, "%.80s: %d numbers given, wanted 1 or 3", path, values);
    if (strlen(path) >= sizeof event.path)
        return px_fail(PX_ERR_ARGUMENT, "%.80s...: too long for a path", path);
    strcpy(event.path, path);
    for (int k = 0; k < values && k < 3; ++k)
        event.value[k] = value[k];
    return set_together(world, &event, 1);
}

/* ---- events ------------------------------------------------------------------ */

static PxEventDef event_def_defaults(void)
{
    return (PxEventDef){.values = 1};
}

PX_DEF(PxEventDef, event_def, "event")

PxStatus px_world_add_event(PxWorld *world, const PxEventDef *given)
{
    PX_WANT(world);
    PxEventDef read;
    PX_TRY(read_event_def(given, &read));
    const PxEventDef *def = &read;
    if (!(def->time >= 0) || !isfinite(def->time))
        return px_fail(PX_ERR_ARGUMENT, "event: time is %g s, wanted 0 or later", def->time);
    if (def->time < world->state.time)
        return px_fail(PX_ERR_ARGUMENT, "event at %g s: that time has passed", def->time);
    if (def->path == NULL || strlen(def->path) >= sizeof((PxEvent *)0)->path ||
        (def->values != 1 && def->values != 3))
        return px_fail(PX_ERR_ARGUMENT, "event at %g s: wanted a path and 1 or 3 numbers",
                       def->time);
    for (int k = 0; k < def->values; ++k)
        if (!isfinite(def->value[k]))
            return px_fail(PX_ERR_ARGUMENT, "event at %g s: '%.80s' becomes %g, wanted a number",
                           def->time, def->path, def->value[k]);
    if (!PX_LIST_RESERVE(&world->events, 1))
        return px_fail(PX_ERR_MEMORY, "event at %g s: no room", def->time);
    PxEvent event = {.time = def->time, .values = def->values};
    memcpy(event.value, def->value, sizeof event.value);
    strcpy(event.path, def->path);
    /* After all events of the same time or earlier. */
    size_t at = world->events.count;
    while (at > 0 && world->events.data[at - 1].time > event.time)
        --at;
    memmove(&world->events.data[at + 1], &world->events.data[at],
            (world->events.count - at) * sizeof event);
    world->events.data[at] = event;
    ++world->events.count;
    return PX_OK;
}

/* Number of events in [first, end) that have the time of the first. */
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
