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

PX_KIND_WORLD(Sink, sink)

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
        const PxSinkDef *def = &sink->def;
        if (!sink->live || def->shut > 0 || !(drain->time >= def->start && drain->time <= def->end))
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
