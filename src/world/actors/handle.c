#include "world/actors/handle.h"

#include "solid/solid_columns.h"
#include "world/cloth_stage.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- adding and removing ------------------------------------------------------------ */

static PxHandleDef handle_def_defaults(void)
{
    return (PxHandleDef){.name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .end = 1e9};
}

PX_DEF(PxHandleDef, handle_def, "handle")

static bool is_solid(const PxWorld *world, uint32_t material)
{
    return world->materials.data[material].def.young > 0;
}

/* Inserts after all grips of the same or an earlier time, but ends before starts, so that a handle
 * can take particles that another releases at that time. */
static void insert_grip(PxWorld *world, PxGrip grip)
{
    size_t at = world->grips.count;
    while (at > 0) {
        const PxGrip *last = &world->grips.data[at - 1];
        if (last->time < grip.time || (last->time == grip.time && (grip.take || !last->take)))
            break;
        --at;
    }
    memmove(&world->grips.data[at + 1], &world->grips.data[at],
            (world->grips.count - at) * sizeof grip);
    world->grips.data[at] = grip;
    ++world->grips.count;
}

PX_KIND_WORLD(Handle, handle)

PxStatus px_handle_make(PxWorld *world, const void *given, void *thing)
{
    const PxHandleDef *def = given;
    PxHandle *handle = thing;
    handle->pivot = def->shape.at;
    handle->keys = def->keyframes;
    handle->start = fmax(def->start, world->state.time);
    handle->end = def->end;
    handle->with = def->with;
    uint32_t slot;
    if (def->with.slot != 0) {
        PX_TRY(PX_SLOT_FIND(&world->bodies, def->with, "body", &slot));
        if (!px_body_is_boundary(&world->bodies.data[slot].def) || def->keyframes > 0)
            return px_fail(PX_ERR_ARGUMENT,
                           "to move with '%s' it needs a wall or rigid body and no keyframes",
                           world->bodies.data[slot].name);
    }
    PX_TRY(px_keyframes_check(def->keyframe, def->keyframes));
    if (!PX_LIST_RESERVE(&world->grips, 2))
        return px_fail(PX_ERR_MEMORY, "no room");
    return px_keyframes_copy(def->keyframe, def->keyframes, &handle->key);
}

void px_handle_added(PxWorld *world, size_t slot)
{
    const PxHandle *handle = &world->handles.data[slot];
    insert_grip(world, (PxGrip){handle->start, (uint32_t)slot, true});
    insert_grip(world, (PxGrip){handle->end, (uint32_t)slot, false});
}

PxStatus px_handles_check(const PxWorld *world, uint64_t grips, const PxTable *particles)
{
    if (grips > world->grips.count)
        return px_fail(PX_ERR_FORMAT, "the stored state does not belong to this scene");
    PxSolidColumns solid;
    if (!px_solid_columns(particles, &solid))
        return PX_OK;
    for (uint32_t i = 0; i < particles->count; ++i)
        if (solid.handle[i] > world->handles.count)
            return px_fail(PX_ERR_FORMAT,
                           "stored particle %u is held by a handle that the scene "
                           "does not have",
                           i);
    return PX_OK;
}

/* ---- holding ------------------------------------------------------------------ */

typedef struct Grab {
    const PxWorld *world;
    PxSolidColumns solid;
    uint32_t slot;
    PxPose pose;
} Grab;

static void take_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Grab *grab = user;
    const PxWorld *world = grab->world;
    const PxHandle *handle = &world->handles.data[grab->slot];
    const PxParticles *p = &world->particles;
    const PxSolidColumns *s = &grab->solid;
    for (uint32_t i = begin; i < end; ++i) {
        if (s->handle[i] != 0 || !is_solid(world, p->material[i]))
            continue;
        PxVec3 hold = px_pose_to_rest(&grab->pose, handle->pivot, px_particle_place(p, i));
        if (!px_region_holds(&handle->region, p->body[i], hold))
            continue;
        s->handle[i] = grab->slot + 1;
        s->hold[0][i] = (float)hold.x;
        s->hold[1][i] = (float)hold.y;
        s->hold[2][i] = (float)hold.z;
    }
}

static void let_go_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Grab *grab = user;
    const PxSolidColumns *s = &grab->solid;
    for (uint32_t i = begin; i < end; ++i) {
        if (s->handle[i] != grab->slot + 1)
            continue;
        s->handle[i] = 0;
        s->hold[0][i] = s->hold[1][i] = s->hold[2][i] = 0;
    }
}

void px_handles_grab(PxWorld *world, double time)
{
    Grab grab = {.world = world};
    bool solids = px_solid_columns(&world->particles.table, &grab.solid);
    while (world->state.grips < world->grips.count) {
        const PxGrip *grip = &world->grips.data[world->state.grips];
        if (grip->time > time)
            return;
        ++world->state.grips;
        const PxHandle *handle = &world->handles.data[grip->handle];
        grab.slot = grip->handle;
        grab.pose = px_pose_at(handle->key, handle->keys, time);
        if (solids)
            px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK,
                            grip->take ? take_block : let_go_block, &grab);
        px_cloth_grab(world, grab.slot, &grab.pose, grip->take);
    }
}

void px_handle_leaves(PxWorld *world, size_t slot)
{
    Grab grab = {.world = world, .slot = (uint32_t)slot};
    if (px_solid_columns(&world->particles.table, &grab.solid))
        px_parallel_for(&world->threads, world->particles.table.count, 4 * PX_BLOCK, let_go_block,
                        &grab);
    px_cloth_grab(world, grab.slot, &grab.pose, false);
    size_t kept = 0, done = (size_t)world->state.grips;
    for (size_t k = 0; k < world->grips.count; ++k) {
        if (world->grips.data[k].handle == grab.slot)
            world->state.grips -= k < done;
        else
            world->grips.data[kept++] = world->grips.data[k];
    }
    world->grips.count = kept;
}

double px_handles_next(const PxWorld *world, double time)
{
    double next = INFINITY;
    for (size_t k = world->state.grips; k < world->grips.count; ++k) {
        if (!(world->grips.data[k].time > time))
            continue;
        next = world->grips.data[k].time;
        break;
    }
    return next;
}

const PxWall *px_handle_with(const PxWorld *world, uint32_t slot)
{
    PxBodyId with = world->handles.data[slot].with;
    for (size_t k = 0; with.slot != 0 && k < world->walls.count; ++k) {
        const PxWall *wall = &world->walls.data[k];
        if (wall->boundary.body == with.slot - 1 &&
            world->bodies.data[wall->boundary.body].generation == with.generation)
            return wall;
    }
    return NULL;
}

PxHandleGrip px_handle_grip(const PxWorld *world, uint32_t slot, double time)
{
    const PxHandle *h = &world->handles.data[slot];
    return (PxHandleGrip){.pose = px_pose_at(h->key, h->keys, time),
                          .rate = px_pose_rate(h->key, h->keys, time),
                          .pivot = h->pivot};
}

void px_handles_target(const PxWorld *world, uint32_t slot, double time, PxVec3 hold, PxVec3 *x,
                       PxVec3 *v)
{
    PxHandleGrip grip = px_handle_grip(world, slot, time);
    px_handle_place(&grip, hold, x, v);
}
