#include "hands.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A held rigid body follows at a speed that would bring it there in this many frames. */
#define FOLLOW_FRAMES 3.0
/* A dragged handle rests for this part of a frame before it moves: so its velocity at the frame's
 * beginning does not depend on what the hand does later, neither now nor when the path is given
 * whole by keyframes. */
#define REST 1e-3
/* Part of the radius of the brush that pushes over which its strength grows from the border. */
#define FADE 0.5

typedef enum DoneKind { DONE_SET, DONE_HANDLE, DONE_HEATER, DONE_EMITTER, DONE_FIELD } DoneKind;

/* Something that was done: an event, or a thing with a start and an end. */
typedef struct Done {
    DoneKind kind;
    char name[HAND_NAME]; /* of the thing */
    char path[HAND_PATH]; /* of the event; of a handle its body, of an emitter its material */
    double start, end;    /* s; an event is at `start`; end INFINITY: still going on */
    double value[3];
    int values;
    PxVec3 at;
    double radius, rate;
    PxKeyframe *key;
    size_t keys;
} Done;

struct Hands {
    Done *done;
    size_t count, room;
    unsigned names; /* given so far */
    bool holding;   /* the last thing goes on */
    PxHandleId handle;
    PxHeaterId heater;
    PxEmitterId emitter;
    PxForceFieldId field;
    char rigid[HAND_NAME]; /* body that is dragged; "": none */
    PxVec3 grip, target;   /* of the drag; the grip is relative to the body's centre */
};

Hands *hands_create(void)
{
    return calloc(1, sizeof(Hands));
}

void hands_free(Hands *h)
{
    if (h == NULL)
        return;
    for (size_t k = 0; k < h->count; ++k)
        free(h->done[k].key);
    free(h->done);
    free(h);
}

size_t hands_count(const Hands *h)
{
    return h->count;
}

void hands_cut(Hands *h, size_t count, double time)
{
    for (size_t k = count; k < h->count; ++k)
        free(h->done[k].key);
    h->count = count < h->count ? count : h->count;
    for (size_t k = 0; k < h->count; ++k) {
        Done *d = &h->done[k];
        if (d->kind != DONE_SET && d->end > time)
            d->end = INFINITY; /* it was going on then */
        while (d->keys > 1 && d->key[d->keys - 1].time > time)
            --d->keys;
    }
    h->holding = false;
    h->rigid[0] = '\0';
}

static Done *add(Hands *h, DoneKind kind, double start)
{
    if (h->count == h->room) {
        size_t room = 2 * h->room + 16;
        Done *more = realloc(h->done, room * sizeof *more);
        if (more == NULL)
            return NULL;
        h->done = more;
        h->room = room;
    }
    Done *d = &h->done[h->count++];
    *d = (Done){.kind = kind, .start = start, .end = INFINITY};
    return d;
}

static bool add_key(Done *d, double time, PxVec3 move)
{
    PxKeyframe *more = realloc(d->key, (d->keys + 1) * sizeof *more);
    if (more == NULL)
        return false;
    d->key = more;
    d->key[d->keys++] = (PxKeyframe){.time = time, .at = move, .rotation = {.w = 1}};
    return true;
}

static PxShapeDef ball(PxVec3 at, double radius)
{
    PxShapeDef shape = px_shape_def_default(PX_SHAPE_SPHERE);
    shape.radius = radius;
    shape.at = at;
    return shape;
}

/* ---- acts ---- */

static PxStatus set(Hands *h, PxWorld *world, const char *path, const double *value, int values)
{
    PxStatus status = px_world_set(world, path, value, values);
    if (status != PX_OK)
        return status;
    double now = px_world_time(world);
    for (size_t k = h->count; k > 0; --k) { /* a value set twice at one time is one event */
        Done *last = &h->done[k - 1];
        if (last->kind == DONE_SET && last->start == now && strcmp(last->path, path) == 0) {
            memcpy(last->value, value, (size_t)values * sizeof *value);
            return PX_OK;
        }
    }
    Done *d = add(h, DONE_SET, now);
    if (d == NULL)
        return PX_ERR_MEMORY;
    snprintf(d->path, sizeof d->path, "%s", path);
    memcpy(d->value, value, (size_t)values * sizeof *value);
    d->values = values;
    return PX_OK;
}

/* Sets a number of the world to the value that it has: an event which makes a step look at the
 * world anew, as it does after a thing was added or moved. Running the scene again needs it, since
 * there the thing is known from the beginning. */
static PxStatus set_anew(Hands *h, PxWorld *world)
{
    PxWorldValue value[64];
    size_t count = px_world_values(world, value, 64);
    for (size_t k = 0; k < count && k < 64; ++k)
        if (strcmp(value[k].path, "courant") == 0)
            return set(h, world, "courant", value[k].value, 1);
    return PX_OK;
}

/* Begins a thing whose def has been filled. */
static Done *begin(Hands *h, DoneKind kind, double now, const Act *act, const char *word)
{
    Done *d = add(h, kind, now);
    if (d == NULL)
        return NULL;
    snprintf(d->name, sizeof d->name, "%s-%u", word, ++h->names);
    snprintf(d->path, sizeof d->path, "%s", act->body);
    d->at = act->at;
    d->radius = act->radius;
    d->rate = act->rate;
    memcpy(d->value, act->value, sizeof d->value);
    return d;
}

static void forget_last(Hands *h)
{
    free(h->done[--h->count].key);
}

static PxStatus leave(Hands *h, PxWorld *world)
{
    PxStatus status = PX_OK;
    h->rigid[0] = '\0';
    if (!h->holding)
        return PX_OK;
    Done *d = &h->done[h->count - 1];
    for (size_t k = h->count; k > 0; --k) /* events may have followed it */
        if (h->done[k - 1].kind != DONE_SET) {
            d = &h->done[k - 1];
            break;
        }
    if (d->kind == DONE_HANDLE)
        status = px_world_remove_handle(world, h->handle);
    else if (d->kind == DONE_HEATER)
        status = px_world_remove_heater(world, h->heater);
    else if (d->kind == DONE_FIELD)
        status = px_world_remove_force_field(world, h->field);
    h->holding = false;
    if (d->kind == DONE_EMITTER) { /* its speed ends, so that the particles in it are not freed */
        char path[HAND_PATH];
        double none = 0;
        snprintf(path, sizeof path, "emitters.%s.speed", d->name);
        return set(h, world, path, &none, 1);
    }
    d->end = px_world_time(world);
    return status;
}

static PxStatus grab(Hands *h, PxWorld *world, const Act *act)
{
    PxBodyId body = {0, 0};
    double now = px_world_time(world);
    PxStatus status = act->body[0] != '\0' ? px_world_find_body(world, act->body, &body) : PX_OK;
    if (status != PX_OK)
        return status;
    if (act->rigid) {
        PxRigidState state;
        status = px_world_rigid_state(world, body, &state);
        if (status != PX_OK)
            return status;
        snprintf(h->rigid, sizeof h->rigid, "%s", act->body);
        h->grip = (PxVec3){act->at.x - state.place.x, act->at.y - state.place.y,
                           act->at.z - state.place.z};
        h->target = act->at;
        return PX_OK;
    }
    Done *d = begin(h, DONE_HANDLE, now, act, "hand");
    if (d == NULL || !add_key(d, now, (PxVec3){0, 0, 0}))
        return PX_ERR_MEMORY;
    PxHandleDef def = px_handle_def_default();
    def.name = d->name;
    def.body = body;
    def.shape = ball(act->at, act->radius);
    def.start = now;
    status = px_world_add_handle(world, &def, &h->handle);
    h->holding = status == PX_OK;
    if (status != PX_OK)
        forget_last(h);
    return status;
}

static PxStatus drag(Hands *h, PxWorld *world, const Act *act, double until)
{
    h->target = act->at;
    if (!h->holding || h->rigid[0] != '\0')
        return PX_OK;
    for (size_t k = h->count; k > 0; --k) {
        Done *d = &h->done[k - 1];
        if (d->kind != DONE_HANDLE)
            continue;
        double now = px_world_time(world);
        PxPose to = {.move = {act->at.x - d->at.x, act->at.y - d->at.y, act->at.z - d->at.z},
                     .turn = {.w = 1}};
        PxPose from;
        PxStatus status = px_world_handle_pose(world, h->handle, &from);
        PxKeyframe path[3] = {{now, from.move, {.w = 1}},
                              {now + REST * (until - now), from.move, {.w = 1}},
                              {until, to.move, {.w = 1}}};
        if (status == PX_OK)
            status = px_world_set_handle_path(world, h->handle, path, 3);
        if (status != PX_OK)
            return status;
        bool known = d->key[d->keys - 1].time >= now; /* the end of the last move is this moment */
        for (size_t p = known; p < 3; ++p)
            if (!add_key(d, path[p].time, path[p].at))
                return PX_ERR_MEMORY;
        return set_anew(h, world);
    }
    return PX_OK;
}

static PxStatus heat(Hands *h, PxWorld *world, const Act *act)
{
    Done *d = begin(h, DONE_HEATER, px_world_time(world), act, "brush");
    if (d == NULL)
        return PX_ERR_MEMORY;
    PxHeaterDef def = px_heater_def_default();
    def.name = d->name;
    def.shape = ball(act->at, act->radius);
    def.holds = true;
    def.temperature = act->value[0];
    def.within = 0.2;
    def.start = d->start;
    PxStatus status = px_world_add_heater(world, &def, &h->heater);
    h->holding = status == PX_OK;
    if (status != PX_OK)
        forget_last(h);
    return status;
}

/* A wind that is strongest in the middle of the brush: it acts on liquids, solids, cloth and rigid
 * bodies, and never makes them faster than itself. */
static PxStatus push(Hands *h, PxWorld *world, const Act *act)
{
    Done *d = begin(h, DONE_FIELD, px_world_time(world), act, "push");
    if (d == NULL)
        return PX_ERR_MEMORY;
    PxForceFieldDef def = px_force_field_def_default();
    def.name = d->name;
    def.kind = PX_FIELD_OF_WIND;
    def.shape = ball(act->at, act->radius);
    def.fade = FADE * act->radius;
    def.velocity = (PxVec3){act->value[0], act->value[1], act->value[2]};
    def.rate = act->rate;
    def.start = d->start;
    PxStatus status = px_world_add_force_field(world, &def, &h->field);
    h->holding = status == PX_OK;
    if (status != PX_OK)
        forget_last(h);
    return status;
}

static PxStatus pour(Hands *h, PxWorld *world, const Act *act)
{
    PxMaterialId material;
    PxStatus status = px_world_find_material(world, act->body, &material);
    if (status != PX_OK)
        return status;
    Done *d = begin(h, DONE_EMITTER, px_world_time(world), act, "pour");
    if (d == NULL)
        return PX_ERR_MEMORY;
    PxEmitterDef def = px_emitter_def_default();
    const double *v = act->value;
    def.name = d->name;
    def.shape = px_shape_def_default(PX_SHAPE_BOX);
    def.shape.size = (PxVec3){2 * act->radius, 2 * act->radius, 2 * act->radius};
    def.shape.at = act->at;
    def.material = material;
    def.direction = (PxVec3){v[0], v[1], v[2]};
    def.speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    def.start = d->start;
    status = px_world_add_emitter(world, &def, &h->emitter);
    h->holding = status == PX_OK && act->kind == ACT_POUR;
    if (status != PX_OK)
        forget_last(h);
    return status;
}

PxStatus hands_act(Hands *h, PxWorld *world, const Act *act, double until)
{
    PxStatus status = PX_OK;
    if (act->kind != ACT_SET && act->kind != ACT_DRAG)
        status = leave(h, world);
    if (status != PX_OK)
        return status;
    switch (act->kind) {
    case ACT_SET:
        return set(h, world, act->path, act->value, act->values);
    case ACT_GRAB:
        return grab(h, world, act);
    case ACT_DRAG:
        return drag(h, world, act, until);
    case ACT_HEAT:
        return heat(h, world, act);
    case ACT_POUR:
    case ACT_EMIT:
        return pour(h, world, act);
    case ACT_PUSH:
        return push(h, world, act);
    case ACT_LEAVE:
        break;
    }
    return PX_OK;
}

PxStatus hands_frame(Hands *h, PxWorld *world, double until)
{
    PxBodyId body;
    PxRigidState state;
    char path[HAND_PATH];
    if (h->rigid[0] == '\0')
        return PX_OK;
    PxStatus status = px_world_find_body(world, h->rigid, &body);
    if (status == PX_OK)
        status = px_world_rigid_state(world, body, &state);
    if (status != PX_OK)
        return status;
    double time = FOLLOW_FRAMES * (until - px_world_time(world));
    double v[3] = {(h->target.x - h->grip.x - state.place.x) / time,
                   (h->target.y - h->grip.y - state.place.y) / time,
                   (h->target.z - h->grip.z - state.place.z) / time};
    snprintf(path, sizeof path, "bodies.%s.velocity", h->rigid);
    return set(h, world, path, v, 3);
}

/* ---- the scene ---- */

static json_t *vector(PxVec3 v)
{
    return json_pack("[f, f, f]", v.x, v.y, v.z);
}

static json_t *values_of(const Done *d)
{
    return d->values == 1 ? json_real(d->value[0])
                          : json_pack("[f, f, f]", d->value[0], d->value[1], d->value[2]);
}

static json_t *ball_of(const Done *d)
{
    return json_pack("{s: f, s: o}", "sphere", d->radius, "at", vector(d->at));
}

static json_t *thing(const Done *d)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(d->name));
    if (d->kind == DONE_EMITTER) {
        const double *v = d->value;
        double edge = 2 * d->radius;
        json_object_set_new(
            o, "shape",
            json_pack("{s: [f, f, f], s: o}", "box", edge, edge, edge, "at", vector(d->at)));
        json_object_set_new(o, "material", json_string(d->path));
        json_object_set_new(o, "direction", json_pack("[f, f, f]", v[0], v[1], v[2]));
        json_object_set_new(o, "speed", json_real(sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    } else {
        json_object_set_new(o, "shape", ball_of(d));
    }
    if (d->kind == DONE_HANDLE && d->path[0] != '\0')
        json_object_set_new(o, "body", json_string(d->path));
    if (d->kind == DONE_HEATER) {
        json_object_set_new(o, "temperature", json_real(d->value[0]));
        json_object_set_new(o, "within", json_real(0.2));
    }
    if (d->kind == DONE_FIELD) {
        json_object_set_new(o, "kind", json_string("wind"));
        json_object_set_new(o, "fade", json_real(FADE * d->radius));
        json_object_set_new(o, "velocity",
                            json_pack("[f, f, f]", d->value[0], d->value[1], d->value[2]));
        json_object_set_new(o, "rate", json_real(d->rate));
    }
    json_object_set_new(o, "start", json_real(d->start));
    if (isfinite(d->end))
        json_object_set_new(o, "end", json_real(d->end));
    if (d->keys > 1) {
        json_t *list = json_array();
        for (size_t k = 0; k < d->keys; ++k)
            json_array_append_new(list, json_pack("{s: f, s: o}", "at", d->key[k].time, "move",
                                                  vector(d->key[k].at)));
        json_object_set_new(o, "keyframes", list);
    }
    return o;
}

static json_t *list_of(json_t *scene, const char *key)
{
    json_t *list = json_object_get(scene, key);
    if (list == NULL) {
        list = json_array();
        json_object_set_new(scene, key, list);
    }
    return list;
}

char *hands_scene(const Hands *h, const char *text)
{
    static const char *const lists[] = {[DONE_SET] = "events",
                                        [DONE_HANDLE] = "handles",
                                        [DONE_HEATER] = "heaters",
                                        [DONE_EMITTER] = "emitters",
                                        [DONE_FIELD] = "fields"};
    json_t *scene = json_loads(text, 0, NULL);
    if (!json_is_object(scene)) {
        json_decref(scene);
        return NULL;
    }
    for (size_t k = 0; k < h->count; ++k) {
        const Done *d = &h->done[k];
        if (!(d->start < d->end))
            continue; /* what ended as it began had no effect */
        json_t *what = d->kind == DONE_SET ? json_pack("{s: f, s: s, s: o}", "at", d->start, "set",
                                                       d->path, "to", values_of(d))
                                           : thing(d);
        if (json_array_append_new(list_of(scene, lists[d->kind]), what) != 0) {
            json_decref(scene);
            return NULL;
        }
    }
    char *out = json_dumps(scene, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(scene);
    return out;
}
