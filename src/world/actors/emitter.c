#include "world/actors/emitter.h"

#include "world/kinds/kind.h"
#include "world/wet_stage.h"
#include "world/world_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A site is taken if a particle in the pipe is nearer to it than this, in spacings: less than the
 * distance of neighbours in a fluid at rest. */
#define TAKEN 0.8

/* Thickness of the virtual walls at the side and back of a pipe, in spacings: half the distance of
 * neighbours; the other half is inside the pipe. */
#define SIDE 0.5

enum { MADE, FREED, WAY, LOST, CROWD, PRESS, PACE, COLUMNS };

PxStatus px_emitters_init(PxTable *progress, const PxAllocator *allocator)
{
    static const struct {
        const char *name, *unit;
        PxType type;
    } column[COLUMNS] = {[MADE] = {"made", "", PX_U64},   [FREED] = {"freed", "", PX_U64},
                         [WAY] = {"way", "m", PX_F64},    [LOST] = {"lost", "m", PX_F64},
                         [CROWD] = {"crowd", "", PX_F64}, [PRESS] = {"press", "", PX_F64},
                         [PACE] = {"pace", "", PX_F64}};
    px_table_init(progress, allocator);
    for (int k = 0; k < COLUMNS; ++k)
        PX_TRY(px_table_add(progress, column[k].name, column[k].unit, column[k].type, 1,
                            PX_COLUMN_STATE, NULL));
    return PX_OK;
}

static PxEmitterProgress progress_of(const PxTable *table)
{
    const PxColumn *c = table->column;
    return (PxEmitterProgress){c[MADE].data[0],  c[FREED].data[0], c[WAY].data[0], c[LOST].data[0],
                               c[CROWD].data[0], c[PRESS].data[0], c[PACE].data[0]};
}

PxEmitterProgress px_emitters_progress(const PxWorld *world)
{
    return progress_of(&world->progress);
}

/* A step is so short that the plunger moves by about a layer. */
#define MOST_LAYERS 100.0

PxStatus px_emitters_check(const PxWorld *world, const PxTable *stored)
{
    if (stored->count != world->emitters.count)
        return px_fail(PX_ERR_FORMAT, "the stored emitters are not those of this scene");
    PxEmitterProgress p = progress_of(stored);
    for (uint32_t k = 0; k < stored->count; ++k)
        if (p.freed[k] > p.made[k] || p.made[k] >= PX_DIST_MOST_SERIALS || !(p.way[k] >= 0) ||
            !(p.way[k] <= MOST_LAYERS * world->emitters.data[k].layer) || !(p.lost[k] >= 0) ||
            !(p.lost[k] < 0x1p53) || !(p.crowd[k] >= 0) || !isfinite(p.crowd[k]) ||
            !(p.press[k] >= 0) || !isfinite(p.press[k]) || !(fabs(p.pace[k]) <= 1))
            return px_fail(PX_ERR_FORMAT, "the stored emitter '%s' is damaged",
                           world->emitters.data[k].name);
    return PX_OK;
}

/* ---- adding and removing ------------------------------------------------------------ */

static PxEmitterDef emitter_def_defaults(void)
{
    return (PxEmitterDef){.name = "",
                          .shape = px_shape_def_default(PX_SHAPE_CYLINDER),
                          .end = 1e9,
                          .limit = 5e7,
                          .temperature = 20};
}

PX_DEF(PxEmitterDef, emitter_def, "emitter")

static PxStatus make_emitter(PxWorld *world, const PxEmitterDef *def, PxEmitter *e)
{
    PX_TRY(px_section_check(&px_emitter_kind.section, def, "its numbers"));
    if ((def->speed > 0) + (def->rate > 0) + (def->pressure > 0) > 1)
        return px_fail(PX_ERR_ARGUMENT,
                       "speed, rate and pressure say the same twice: one of them may be above 0");
    PX_TRY(px_region_time_check(def->start, def->end, world->state.time));
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->materials, def->material, "material", &slot));
    const PxMaterial *material = &world->materials.data[slot];
    if (material->def.young > 0 && !isfinite(px_rest_update_interval(&material->def)))
        return px_fail(PX_ERR_ARGUMENT,
                       "emitters give what flows, and '%s' is a solid whose rest shape does not "
                       "follow; wanted absorb above 0, or a material that melts",
                       material->name);
    PxShape *shape; /* checks the lengths */
    PX_TRY(px_shape_create(&def->shape, &shape));
    px_shape_free(shape);
    PX_TRY(px_opening_make(&def->shape, def->direction, &e->opening));
    double s = world->def.spacing;
    PX_TRY(px_opening_sites(&e->opening, s, &e->site, &e->sites));
    e->layer = (double)e->sites * s * s * s / e->opening.area;
    return PX_OK;
}

/* Initialises the row of a new emitter. The world's counts include earlier emitters of the slot:
 * particles made, and particles held back, which the row stores as a length. */
static void start_progress(PxWorld *world, uint32_t slot, PxEmitter *e)
{
    PxEmitterProgress p = px_emitters_progress(world);
    if (slot < world->emitters.count) {
        const PxEmitter *last = &world->emitters.data[slot];
        p.lost[slot] *= last->sites / last->layer * e->layer / e->sites;
    }
    e->before = p.freed[slot] = p.made[slot];
    p.way[slot] = p.crowd[slot] = p.press[slot] = 0;
    p.pace[slot] = e->def.pressure > 0 ? 0 : 1;
}

PxStatus px_world_add_emitter(PxWorld *world, const PxEmitterDef *given, PxEmitterId *out)
{
    if (out != NULL)
        *out = (PxEmitterId){0, 0};
    PX_WANT(world);
    PxEmitterDef read;
    PX_TRY(read_emitter_def(given, &read));
    const PxEmitterDef *def = &read;
    PxEmitter e = {.def = *def};
    uint32_t slot;
    PX_TRY(px_world_name(e.name, def->name, "emitter"));
    PxStatus status = make_emitter(world, def, &e);
    if (status == PX_OK)
        status = px_table_reserve(&world->progress, world->emitters.count + 1);
    if (status == PX_OK && !PX_SLOT_RESERVE(&world->emitters, &slot))
        status = px_fail(PX_ERR_MEMORY, "no room");
    if (status == PX_OK)
        status = px_world_add_source(world, e.name, slot, &e.body);
    if (status == PX_OK && slot == world->emitters.count)
        status = px_table_append(&world->progress, 1, NULL);
    if (status != PX_OK) {
        free(e.site);
        return px_fail_prefix(status, "emitter '%s': ", e.name);
    }
    start_progress(world, slot, &e);
    if (slot < world->emitters.count)
        free(world->emitters.data[slot].site);
    px_shape_def_forget(&e.def.shape);
    PxThingId id = px_kind_put(&px_emitter_kind, world, slot, &e);
    world->state.bound_due = 1;
    px_wet_first(world, def->material.slot - 1);
    if (out != NULL)
        *out = (PxEmitterId){id.slot, id.generation};
    return PX_OK;
}

bool px_emitters_started(const PxWorld *world)
{
    for (size_t k = 0; k < world->emitters.count; ++k) /* a vacant slot has the start 0 */
        if (world->emitters.data[k].def.start <= world->state.time)
            return true;
    return false;
}

bool px_emitters_start_now(const PxWorld *world)
{
    for (size_t k = 0; k < world->emitters.count; ++k)
        if (world->emitters.data[k].live && world->emitters.data[k].def.start > 0 &&
            world->emitters.data[k].def.start == world->state.time)
            return true;
    return false;
}

PxStatus px_world_emitter_body(const PxWorld *world, PxEmitterId id, PxBodyId *out)
{
    uint32_t slot;
    PX_WANT(world);
    PX_WANT(out);
    *out = (PxBodyId){0, 0};
    PX_TRY(PX_SLOT_FIND(&world->emitters, id, "emitter", &slot));
    uint32_t body = world->emitters.data[slot].body;
    *out = (PxBodyId){body + 1, world->bodies.data[body].generation};
    return PX_OK;
}

PxStatus px_world_remove_emitter(PxWorld *world, PxEmitterId id)
{
    PX_WANT(world);
    uint32_t slot;
    PX_TRY(PX_SLOT_FIND(&world->emitters, id, "emitter", &slot));
    PxEmitter *e = &world->emitters.data[slot];
    PxEmitterProgress p = px_emitters_progress(world);
    p.freed[slot] = p.made[slot];
    world->bodies.data[e->body].emitter = 0;
    world->bodies.data[e->body].def.material = e->def.material;
    /* px_emitters_held_back() still needs these members of the slot. */
    PxEmitter kept = {.site = e->site, .sites = e->sites, .layer = e->layer};
    PX_SLOT_CLEAR(&world->emitters, slot);
    kept.generation = world->emitters.data[slot].generation;
    world->emitters.data[slot] = kept;
    return PX_OK;
}

/* ---- speed and number of particles -------------------------------------------------------- */

double px_emitter_speed(const PxWorld *world, const PxEmitter *e)
{
    if (!(e->def.pressure > 0))
        return e->def.rate > 0 ? e->def.rate / e->opening.area : e->def.speed;
    return sqrt(2 * e->def.pressure / world->materials.data[e->def.material.slot - 1].def.density);
}

/* Speed of the plunger in this step. A retreat is limited so that the last layer stays in the
 * pipe. */
static double speed_now(const PxWorld *world, const PxEmitter *e)
{
    PxEmitterProgress p = px_emitters_progress(world);
    size_t slot = (size_t)(e - world->emitters.data);
    double speed = p.pace[slot] * px_emitter_speed(world, e);
    return e->shut ? 0 : fmax(speed, -p.way[slot] / world->dt);
}

/* Number of layers until the limit. */
static double layers_left(const PxEmitter *e, uint64_t made)
{
    return floor((e->def.limit - (double)(made - e->before)) / e->sites);
}

bool px_emitter_lasts(const PxWorld *world, uint32_t slot, double time)
{
    const PxEmitter *e = &world->emitters.data[slot];
    return e->live && time <= e->def.end &&
           layers_left(e, px_emitters_progress(world).made[slot]) > 0;
}

bool px_emitter_is_open(const PxWorld *world, uint32_t slot)
{
    const PxEmitter *e = &world->emitters.data[slot];
    PxEmitterProgress p = px_emitters_progress(world);
    return e->live && px_emitter_speed(world, e) > 0 && !e->shut &&
           world->state.time + world->dt > e->def.start &&
           (p.freed[slot] < p.made[slot] || px_emitter_lasts(world, slot, world->state.time));
}

double px_emitters_speed(const PxWorld *world, double until)
{
    double fastest = 0;
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        const PxEmitter *e = &world->emitters.data[k];
        if (e->def.start < until && px_emitter_lasts(world, k, world->state.time))
            fastest = fmax(fastest, px_emitter_speed(world, e));
    }
    return fastest;
}

uint64_t px_emitters_made(const PxWorld *world)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < world->emitters.count; ++k)
        sum += px_emitters_progress(world).made[k];
    return sum;
}

double px_emitters_held_back(const PxWorld *world)
{
    double sum = 0;
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        const PxEmitter *e = &world->emitters.data[k];
        sum += floor(px_emitters_progress(world).lost[k] / e->layer * e->sites);
    }
    return sum;
}

/* The layers that become complete in this step. At the end of the step the back of layer j of
 * `count` is `newest + j layer` from the pipe's back; the last is the oldest. */
typedef struct Due {
    double count, newest;
    double way;  /* distance of the plunger since the last layer before this step, m */
    double lost; /* distance that it missed for lack of room, m */
} Due;

static Due due_of(const PxWorld *world, uint32_t slot)
{
    const PxEmitter *e = &world->emitters.data[slot];
    PxEmitterProgress p = px_emitters_progress(world);
    double speed = speed_now(world, e), begin = world->state.time, end = begin + world->dt;
    double flows = end - fmax(begin, e->def.start);
    Due due = {.way = p.way[slot]};
    if (!(flows > 0) || !px_emitter_lasts(world, slot, begin))
        return due;
    due.way += speed * flows;
    if (!(e->def.pressure > 0)) /* there the flow is what the reservoir gives */
        due.lost = (px_emitter_speed(world, e) - speed) * fmax(fmin(flows, e->def.end - begin), 0);
    if (!(speed > 0)) {
        due.way = fmax(due.way, 0);
        return due;
    }
    double whole = floor(due.way / e->layer);
    due.newest = due.way - whole * e->layer;
    due.count = fmin(whole, layers_left(e, p.made[slot]));
    due.newest += (whole - due.count) * e->layer; /* the limit keeps the oldest layers */
    /* Drop layers that were not complete at the emitter's end. */
    double late = ceil((speed * (end - e->def.end) - due.newest) / e->layer);
    if (late > 0) {
        late = fmin(late, due.count);
        due.newest += late * e->layer;
        due.count -= late;
    }
    return due;
}

PxStatus px_emitters_reserve(PxWorld *world)
{
    double more = 0;
    uint32_t there = world->particles.table.count;
    for (uint32_t k = 0; k < world->emitters.count; ++k)
        more += due_of(world, k).count * world->emitters.data[k].sites;
    bool wets = px_wet_is_on(world);
    bool drops = world->sinks.count + world->emitters.count > 0 || wets;
    more += wets ? PX_WET_DRIPS : 0;
    size_t most = there + (size_t)fmin(more, (double)PX_TABLE_MAX_ROWS);
    world->drop = drops ? PX_ARENA_ARRAY(&world->scratch, uint8_t, most) : NULL;
    if (drops && world->drop == NULL)
        return px_fail(PX_ERR_MEMORY, "sinks: no room to look at %zu particles", most);
    if (more == 0)
        return PX_OK;
    PxStatus status = more < (double)PX_TABLE_MAX_ROWS
                          ? px_table_reserve(&world->particles.table, there + (size_t)more)
                          : px_fail(PX_ERR_MEMORY, "too many in one step");
    px_particles_refresh(&world->particles);
    if (status != PX_OK)
        return px_fail(PX_ERR_MEMORY,
                       "emitters: no room for %.0f particles beside the %u there are, at t = %g "
                       "s; a \"limit\" or an earlier \"end\" of an emitter, or a sink, would help",
                       more, there, world->state.time);
    return PX_OK;
}

/* ---- holding --------------------------------------------------------------------- */

double px_emitter_pipe(const PxWorld *world, const PxEmitter *e)
{
    return fmax(e->opening.depth, world->def.support * world->def.spacing);
}

PxEmitter *px_emitter_holder(const PxWorld *world, uint32_t i, const uint64_t *freed)
{
    const PxParticles *p = &world->particles;
    uint32_t emitter = world->bodies.data[p->body[i]].emitter;
    if (emitter == 0 || (p->id[i] & (PX_DIST_MOST_SERIALS - 1)) < freed[emitter - 1])
        return NULL;
    return &world->emitters.data[emitter - 1];
}

bool px_emitter_keeps(const PxWorld *world, const PxEmitter *e, PxVec3 x)
{
    double way = px_dot(px_sub(x, e->opening.back), e->opening.along);
    return way - 0.5 * e->layer < px_emitter_pipe(world, e);
}

typedef struct Hold {
    PxWorld *world;
    PxEmitterProgress progress;
    float *inverse_mass;
    size_t first; /* first emitter of this round */
} Hold;

static void set_going(PxParticles *p, uint32_t i, PxVec3 v)
{
    p->vx[i] = (float)v.x;
    p->vy[i] = (float)v.y;
    p->vz[i] = (float)v.z;
    p->ax[i] = p->ay[i] = p->az[i] = 0;
}

/* Adds `change` to a particle's velocity at once, and removes the component of its acceleration
 * that opposes the change. */
static void push(PxParticles *p, uint32_t i, PxVec3 direction, double change)
{
    PxVec3 v = {(double)p->vx[i], (double)p->vy[i], (double)p->vz[i]};
    PxVec3 a = {(double)p->ax[i], (double)p->ay[i], (double)p->az[i]};
    v = px_mad(v, direction, change);
    a = px_mad(a, direction, -fmin(px_dot(a, direction), 0));
    p->vx[i] = (float)v.x;
    p->vy[i] = (float)v.y;
    p->vz[i] = (float)v.z;
    p->ax[i] = (float)a.x;
    p->ay[i] = (float)a.y;
    p->az[i] = (float)a.z;
}

/* Outward normal of the pipe's side at a point beside it. */
static PxVec3 side_normal(const PxOpening *o, PxVec3 arm)
{
    double a = px_dot(arm, o->across[0]), b = px_dot(arm, o->across[1]);
    if (!o->round) {
        bool first = fabs(a) - o->half[0] > fabs(b) - o->half[1];
        return px_scale(o->across[first ? 0 : 1], (first ? a : b) < 0 ? -1 : 1);
    }
    PxVec3 out = px_mad(px_scale(o->across[0], a), o->across[1], b);
    return px_normalized(out, o->across[0]);
}

/* Keeps other particles out of pipes. In a pipe they move along it at least as fast as the plunger.
 * They cannot enter through the virtual walls at side and back; inside these walls they move
 * outwards at half the plunger's speed at least. Otherwise an emitter under water would pump the
 * surrounding water through its pipe and have no room for its own layers. */
static void keep_clear(PxWorld *world, uint32_t i, PxVec3 x, float *inverse_mass)
{
    PxParticles *p = &world->particles;
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        const PxEmitter *e = &world->emitters.data[k];
        const PxOpening *o = &e->opening;
        double length = px_emitter_pipe(world, e), dt = world->dt;
        if (!px_emitter_is_open(world, k))
            continue;
        PxVec3 v = {(double)p->vx[i] + (double)p->ax[i] * dt,
                    (double)p->vy[i] + (double)p->ay[i] * dt,
                    (double)p->vz[i] + (double)p->az[i] * dt};
        if (px_opening_holds(o, x, 0, length, 0)) {
            double slow = speed_now(world, e) - px_dot(v, o->along);
            if (slow > 0) {
                push(p, i, o->along, slow);
                inverse_mass[i] = 0.0f; /* moves with the plunger, not by pressure */
            }
            continue;
        }
        PxVec3 arm = px_sub(x, o->back);
        double way = px_dot(arm, o->along);
        double side = SIDE * world->def.spacing;
        bool within = px_opening_holds(o, x, -side, length, side);
        if (way >= length ||
            (!within && !px_opening_holds(o, px_mad(x, v, dt), -side, length, side)))
            continue;
        PxVec3 out = way < 0 ? px_scale(o->along, -1) : side_normal(o, arm);
        double least = within ? 0.5 * speed_now(world, e) : 0;
        push(p, i, out, fmax(least - px_dot(v, out), 0));
    }
}

/* Treats rows held by the emitters of this round, and in the first round those held by none. The
 * maxima are, for each emitter, one plus the serial number of its last particle outside the pipe.
 */
static void hold_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Hold *hold = user;
    PxWorld *world = hold->world;
    PxParticles *p = &world->particles;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = px_particle_place(p, i);
        PxEmitter *e = px_emitter_holder(world, i, hold->progress.freed);
        if (e == NULL) {
            if (hold->first == 0)
                keep_clear(world, i, x, hold->inverse_mass);
            continue;
        }
        size_t slot = (size_t)(e - world->emitters.data) - hold->first;
        if (slot >= PX_PART_WIDTH)
            continue;
        if (px_emitter_keeps(world, e, x)) {
            set_going(p, i, px_scale(e->opening.along, speed_now(world, e)));
            hold->inverse_mass[i] = 0.0f;
            continue;
        }
        uint64_t outside = (p->id[i] & (PX_DIST_MOST_SERIALS - 1)) + 1;
        part->most[slot] = fmax(part->most[slot], (double)outside);
    }
}

void px_emitters_hold(PxWorld *world, float *inverse_mass)
{
    bool any = false;
    PxEmitterProgress p = px_emitters_progress(world);
    for (uint32_t k = 0; k < world->emitters.count; ++k)
        any |= px_emitter_is_open(world, k) || p.freed[k] < p.made[k];
    if (!any)
        return;
    PxRows rows = {&world->threads, &world->dist, world->flow_rows, PX_BLOCK};
    for (uint32_t first = 0; first < world->emitters.count; first += PX_PART_WIDTH) {
        uint32_t left = (uint32_t)world->emitters.count - first;
        Hold hold = {world, p, inverse_mass, first};
        PxPart last = {.maxima = left < PX_PART_WIDTH ? left : PX_PART_WIDTH};
        px_reduce(&rows, hold_part, &hold, &last);
        for (uint32_t k = 0; k < last.maxima; ++k) {
            /* Round up to complete layers, whose particles differ by rounding errors. */
            const PxEmitter *e = &world->emitters.data[first + k];
            uint64_t outside = (uint64_t)last.most[k];
            outside = (outside + e->sites - 1) / e->sites * e->sites;
            p.freed[first + k] = outside > p.freed[first + k] ? outside : p.freed[first + k];
        }
    }
}

/* ---- emitting ----------------------------------------------------------------------- */

typedef struct Block {
    const PxWorld *world;
    const PxEmitter *emitter;
    const uint64_t *freed;
    Due due;
    double taken; /* m */
} Block;

static bool any_site_near(const PxEmitter *e, double a, double b, double square)
{
    for (uint32_t k = 0; k < e->sites; ++k) {
        double da = e->site[k].a - a, db = e->site[k].b - b;
        if (da * da + db * db < square)
            return true;
    }
    return false;
}

/* Finds one plus the index of the oldest layer in which a site is taken. */
static void taken_part(void *user, uint32_t begin, uint32_t end, PxPart *part)
{
    const Block *block = user;
    const PxEmitter *e = block->emitter;
    const PxOpening *o = &e->opening;
    double first = block->due.newest + 0.5 * e->layer, taken = block->taken, found = 0;
    double last = first + (block->due.count - 1) * e->layer;
    for (uint32_t i = begin; i < end; ++i) {
        PxVec3 x = px_particle_place(&block->world->particles, i);
        if (!px_opening_holds(o, x, fmax(first - taken, 0), last + taken, 0) ||
            px_emitter_holder(block->world, i, block->freed) == e)
            continue;
        PxVec3 arm = px_sub(x, o->back);
        double way = px_dot(arm, o->along);
        double a = px_dot(arm, o->across[0]), b = px_dot(arm, o->across[1]);
        /* Oldest layer first, since it also blocks the layers behind it. */
        double j = fmin(floor((way + taken - first) / e->layer), block->due.count - 1);
        for (; j >= 0 && first + j * e->layer > way - taken && j >= found; --j) {
            double d = first + j * e->layer - way;
            if (taken * taken > d * d && any_site_near(e, a, b, taken * taken - d * d))
                found = j + 1;
        }
    }
    part->most[0] = found;
}

static void add_layer(PxWorld *world, const PxEmitter *e, uint64_t serial, double way, double speed)
{
    PxParticles *p = &world->particles;
    uint32_t first;
    /* cannot fail after px_emitters_reserve() */
    if (px_table_append(&p->table, e->sites, &first) != PX_OK)
        return;
    px_particles_refresh(p);
    PxVec3 v = px_scale(e->opening.along, speed);
    PxVec3 middle = px_mad(e->opening.back, e->opening.along, way);
    uint32_t source = world->bodies.data[e->body].number;
    for (uint32_t k = 0; k < e->sites; ++k) {
        PxVec3 x = px_mad(middle, e->opening.across[0], e->site[k].a);
        x = px_mad(x, e->opening.across[1], e->site[k].b);
        px_world_put(world, first + k, px_dist_id(source, serial + k), x, v, e->body,
                     e->def.material.slot - 1, e->def.temperature);
    }
    world->state.mass_in += e->sites * (double)p->mass[first];
}

void px_emitters_emit(PxWorld *world)
{
    PxEmitterProgress p = px_emitters_progress(world);
    for (uint32_t k = 0; k < world->emitters.count; ++k) {
        const PxEmitter *e = &world->emitters.data[k];
        Due due = due_of(world, k);
        p.way[k] = due.way;
        p.lost[k] += due.lost;
        if (due.count == 0)
            continue;
        Block block = {.world = world,
                       .emitter = e,
                       .freed = p.freed,
                       .due = due,
                       .taken = TAKEN * world->def.spacing};
        PxRows rows = px_world_rows(world);
        PxPart layer = {.maxima = 1};
        px_reduce(&rows, taken_part, &block, &layer);
        for (double j = due.count - 1; j >= layer.most[0]; --j) {
            add_layer(world, e, p.made[k], due.newest + (j + 0.5) * e->layer, speed_now(world, e));
            p.made[k] += e->sites;
            p.way[k] -= e->layer;
        }
        if (layer.most[0] > 0) { /* stop with the next layer at the back of the pipe */
            p.lost[k] += p.way[k] - e->layer;
            p.way[k] = e->layer;
        }
    }
}
