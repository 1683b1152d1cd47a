#include "world/actors/sink.h"

#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <stdatomic.h>
#include <string.h>

/* ---- adding and removing ----------------------------------------------------- */

static PxSinkDef sink_def_defaults(void)
{
    return (PxSinkDef){.name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .end = 1e9};
}

PX_DEF(PxSinkDef, sink_def, "sink")

static PxStatus make_sink(PxWorld *world, const PxSinkDef *def, PxSink *out, uint32_t *slot)
{
    PX_TRY(PX_SLOT_NAME_FREE(&world->sinks, out->name, "sink"));
    PX_TRY(px_section_check(&px_sink_kind.section, def, "its numbers"));
    PX_TRY(px_region_time_check(def->start, def->end, world->state.time));
    if (!PX_SLOT_RESERVE(&world->sinks, slot))
        return px_fail(PX_ERR_MEMORY, "no room");
    return px_region_make(world, &def->shape, (PxBodyId){0, 0}, &out->region);
}

PxStatus px_world_add_sink(PxWorld *world, const PxSinkDef *given, PxSinkId *out)
{
    if (out != NULL)
        *out = (PxSinkId){0, 0};
    PX_WANT(world);
    PxSinkDef read;
    PX_TRY(read_sink_def(given, &read));
    const PxSinkDef *def = &read;
    PxSink sink = {.start = def->start, .end = def->end};
    uint32_t slot;
    PX_TRY(px_world_name(sink.name, def->name, "sink"));
    PxStatus status = make_sink(world, def, &sink, &slot);
    if (status != PX_OK)
        return px_fail_prefix(status, "sink '%s': ", sink.name);
    PX_SLOT_PUT(&world->sinks, slot, sink, ++world->ids_given);
    if (out != NULL)
        *out = (PxSinkId){slot + 1, world->sinks.data[slot].generation};
    return PX_OK;
}

PxStatus px_world_remove_sink(PxWorld *world, PxSinkId id)
{
    PX_WANT(world);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->sinks, id, "sink", &slot));
    px_region_free(&world->sinks.data[slot].region);
    PX_SLOT_CLEAR(&world->sinks, slot);
    return PX_OK;
}

/* ---- draining ------------------------------------------------------------------------------ */

typedef struct Drain {
    const PxWorld *world;
    double time;
    uint8_t *drop;
    _Atomic uint64_t dropped;
} Drain;

static void drain_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    Drain *drain = user;
    const PxWorld *world = drain->world;
    uint64_t dropped = 0;
    memset(drain->drop + begin, 0, end - begin);
    for (size_t k = 0; k < world->sinks.count; ++k) {
        const PxSink *sink = &world->sinks.data[k];
        if (!sink->live || !(drain->time >= sink->start && drain->time <= sink->end))
            continue;
        for (uint32_t i = begin; i < end; ++i) {
            PxVec3 x = px_particle_place(&world->particles, i);
            if (!drain->drop[i] && px_region_holds(&sink->region, world->particles.body[i], x)) {
                drain->drop[i] = 1;
                ++dropped;
            }
        }
    }
    atomic_fetch_add_explicit(&drain->dropped, dropped, memory_order_relaxed);
}

void px_sinks_drain(PxWorld *world, double time)
{
    if (world->sinks.count == 0)
        return;
    Drain drain = {.world = world, .time = time, .drop = world->drop};
    px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK, drain_block,
                    &drain);
    if (atomic_load(&drain.dropped) > 0)
        px_world_remove_rows(world, drain.drop);
}
