#include "world/actors/handle.h"

#include "base/sum.h"
#include "solid/solid_columns.h"
#include "world/kinds/kind.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- making them ------------------------------------------------------------ */

PxHandleDef px_handle_def_default(void)
{
    return (PxHandleDef){
        .name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .end = 1e9, .tag = PX_WORLD_TAG};
}

PxForceDef px_force_def_default(void)
{
    return (PxForceDef){
        .name = "", .shape = px_shape_def_default(PX_SHAPE_BOX), .end = 1e9, .tag = PX_WORLD_TAG};
}

static bool is_solid(const PxWorld *world, uint32_t material)
{
    return world->materials.data[material].def.young > 0;
}

/* What handles and forces have in common: a body of which they take, and a time. */
static PxStatus check_scope(const PxWorld *world, PxBodyId body, double start, double end)
{
    if (body.slot > world->bodies.count)
        return px_fail(PX_ERR_ARGUMENT, "there is no body %u", body.slot);
    if (body.slot != 0) {
        const PxBody *b = &world->bodies.data[body.slot - 1];
        uint32_t material = b->def.material.slot;
        if (material == 0 || !is_solid(world, material - 1))
            return px_fail(PX_ERR_ARGUMENT, "the body '%s' is no solid: %s", b->name,
                           material == 0 ? "it has no material of its own"
                                         : "its material's young is 0");
    }
    if (!(end > start))
        return px_fail(PX_ERR_ARGUMENT, "it ends at %g s, wanted after its start, %g s", end,
                       start);
    return PX_OK;
}

/* Behind all grips of the same time or before, but ends before beginnings: what one
 * handle lets go another may take at once. */
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

static PxStatus make_handle(PxWorld *world, const PxHandleDef *def, PxHandle *out)
{
    PX_TRY(px_section_check(&px_handle_kind.section, def, "its numbers"));
    PX_TRY(check_scope(world, def->body, def->start, def->end));
    if (def->start < world->state.time)
        return px_fail(PX_ERR_ARGUMENT, "it starts at %g s, and it is %g s already", def->start,
                       world->state.time);
    PX_TRY(px_keyframes_check(def->keyframe, def->keyframes));
    if (!PX_LIST_RESERVE(&world->handles, 1) || !PX_LIST_RESERVE(&world->grips, 2))
        return px_fail(PX_ERR_MEMORY, "no room");
    PX_TRY(px_shape_create(&def->shape, &out->shape));
    out->bounds = px_shape_bounds(out->shape);
    return px_keyframes_copy(def->keyframe, def->keyframes, &out->key);
}

PxStatus px_world_add_handle(PxWorld *world, const PxHandleDef *def)
{
    if (def == NULL || def->tag != PX_WORLD_TAG)
        return px_fail(PX_ERR_ARGUMENT, "handle: start from px_handle_def_default()");
    PxHandle handle = {.pivot = def->shape.at,
                       .keys = def->keyframes,
                       .start = def->start,
                       .end = def->end,
                       .body = def->body.slot};
    PX_TRY(px_world_name(handle.name, def->name, "handle"));
    for (size_t k = 0; k < world->handles.count; ++k)
        if (strcmp(world->handles.data[k].name, handle.name) == 0)
            return px_fail(PX_ERR_ARGUMENT, "handle: there is a '%s' already", handle.name);
    PxStatus status = make_handle(world, def, &handle);
    if (status != PX_OK) {
        px_shape_free(handle.shape);
        return px_fail_prefix(status, "handle '%s': ", handle.name);
    }
    uint32_t slot = (uint32_t)world->handles.count;
    world->handles.data[world->handles.count++] = handle;
    insert_grip(world, (PxGrip){handle.start, slot, true});
    insert_grip(world, (PxGrip){handle.end, slot, false});
    return PX_OK;
}

static PxStatus make_force(PxWorld *world, const PxForceDef *def, PxRegionForce *out)
{
    PX_TRY(px_section_check(&px_force_kind.section, def, "its numbers"));
    PX_TRY(check_scope(world, def->body, def->start, def->end));
    if (!PX_LIST_RESERVE(&world->forces, 1))
        return px_fail(PX_ERR_MEMORY, "no room");
    PX_TRY(px_shape_create(&def->shape, &out->shape));
    out->bounds = px_shape_bounds(out->shape);
    return PX_OK;
}

PxStatus px_world_add_force(PxWorld *world, const PxForceDef *def)
{
    if (def == NULL || def->tag != PX_WORLD_TAG)
        return px_fail(PX_ERR_ARGUMENT, "force: start from px_force_def_default()");
    PxRegionForce force = {.def = *def, .body = def->body.slot};
    PX_TRY(px_world_name(force.name, def->name, "force"));
    for (size_t k = 0; k < world->forces.count; ++k)
        if (strcmp(world->forces.data[k].name, force.name) == 0)
            return px_fail(PX_ERR_ARGUMENT, "force: there is a '%s' already", force.name);
    PxStatus status = make_force(world, def, &force);
    if (status != PX_OK)
        return px_fail_prefix(status, "force '%s': ", force.name);
    force.def.shape.mesh = NULL;
    world->forces.data[world->forces.count++] = force;
    for (size_t k = 0; k < world->forces.count; ++k) /* the list may have moved */
        world->forces.data[k].def.name = world->forces.data[k].name;
    return PX_OK;
}

void px_handles_free(PxWorld *world)
{
    for (size_t k = 0; k < world->handles.count; ++k) {
        px_shape_free(world->handles.data[k].shape);
        free(world->handles.data[k].key);
    }
    for (size_t k = 0; k < world->forces.count; ++k)
        px_shape_free(world->forces.data[k].shape);
    PX_LIST_FREE(&world->handles);
    PX_LIST_FREE(&world->grips);
    PX_LIST_FREE(&world->forces);
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

static bool bounds_hold(const PxBounds *b, PxVec3 x)
{
    return x.x >= b->low.x && x.x <= b->high.x && x.y >= b->low.y && x.y <= b->high.y &&
           x.z >= b->low.z && x.z <= b->high.z;
}

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
        if (s->handle[i] != 0 || !is_solid(world, p->material[i]) ||
            (handle->body != 0 && p->body[i] + 1 != handle->body))
            continue;
        PxVec3 x =
            px_vec((double)p->x[i] + (double)p->x_low[i], (double)p->y[i] + (double)p->y_low[i],
                   (double)p->z[i] + (double)p->z_low[i]);
        PxVec3 hold = px_pose_to_rest(&grab->pose, handle->pivot, x);
        if (!bounds_hold(&handle->bounds, hold) || !px_shape_inside(handle->shape, hold))
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
    }
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
    for (size_t k = 0; k < world->forces.count; ++k) {
        const PxForceDef *def = &world->forces.data[k].def;
        if (def->start > time)
            next = fmin(next, def->start);
        else if (def->end > time)
            next = fmin(next, def->end);
    }
    return next;
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

/* ---- forces --------------------------------------------------------------------- */

typedef struct Push {
    const PxWorld *world;
    const PxForceRows *rows;
    const PxRegionForce *force;
    PxVec3 a; /* m/s^2 */
} Push;

/* The row of the world's particles that entry k is, if the force acts on it. */
static bool acts_on(const Push *push, uint32_t k, uint32_t *row)
{
    const PxWorld *world = push->world;
    const PxParticles *p = &world->particles;
    const PxForceRows *rows = push->rows;
    const PxRegionForce *force = push->force;
    uint32_t i = *row = rows->row != NULL ? rows->row[k] : k;
    if (!is_solid(world, p->material[i]) || (force->body != 0 && p->body[i] + 1 != force->body))
        return false;
    PxVec3 x = rows->x[0] != NULL
                   ? px_vec((double)rows->x[0][k], (double)rows->x[1][k], (double)rows->x[2][k])
                   : px_vec((double)p->x[i], (double)p->y[i], (double)p->z[i]);
    return bounds_hold(&force->bounds, x) && px_shape_inside(force->shape, x);
}

static void mass_rows(const void *user, uint32_t begin, uint32_t end, PxSum *sums)
{
    const Push *push = user;
    for (uint32_t k = begin, i; k < end; ++k)
        if (acts_on(push, k, &i))
            px_sum_add(&sums[0], (double)push->world->particles.mass[i]);
}

static void push_block(void *user, uint32_t begin, uint32_t end, int thread)
{
    (void)thread;
    const Push *push = user;
    const PxForceRows *rows = push->rows;
    for (uint32_t k = begin, i; k < end; ++k) {
        if (!acts_on(push, k, &i))
            continue;
        rows->a[0][k] = (float)((double)rows->a[0][k] + push->a.x);
        rows->a[1][k] = (float)((double)rows->a[1][k] + push->a.y);
        rows->a[2][k] = (float)((double)rows->a[2][k] + push->a.z);
    }
}

void px_forces_apply(const PxWorld *world, double time, const PxForceRows *rows)
{
    for (size_t f = 0; f < world->forces.count; ++f) {
        const PxRegionForce *force = &world->forces.data[f];
        if (!(time >= force->def.start && time < force->def.end) ||
            !(px_length(force->def.force) > 0))
            continue;
        Push push = {.world = world, .rows = rows, .force = force};
        PxSum sum;
        px_sum_rows(&world->threads, rows->count, 1, mass_rows, &push, &sum);
        double mass = px_sum_value(&sum);
        if (!(mass > 0))
            continue;
        push.a = px_scale(force->def.force, 1.0 / mass);
        px_parallel_for(&world->threads, rows->count, 4 * PX_BLOCK, push_block, &push);
    }
}
